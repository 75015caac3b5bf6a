#!/bin/sh
# What a command reads, directly or not, is never what it writes: every input stays as it was,
# whatever path names it.
. "$(dirname "$0")/checks.inc"
cd "$T" || exit 1
mkdir parts pack
printf 'mtllib part.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >parts/part.obj
echo "newmtl x" >parts/part.mtl
cp parts/part.obj parts/part.mtl pack
cat >arm.urdf <<'END'
<robot name="r"><link name="base"/>
<link name="arm"><visual><geometry><mesh filename="parts/part.obj"/></geometry></visual>
<collision><geometry><mesh filename='package://pack/part.obj'/></geometry></collision>
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="50" velocity="9"/></joint></robot>
END
echo "extends: arm.urdf" >middle.yaml
echo "extends: middle.yaml" >top.yaml
printf 'time,q.j\n0,0\n0.5,0.1\n1,0.2\n' >motion.csv
printf 'robot: top.yaml\nduration: 0.01\nintegrator: {step: 0.001}\n' >run.yaml
cat >problem.yaml <<'END'
robot: top.yaml
start: {position: {j: 0}, velocity: 0}
end: {position: {j: 0.5}, velocity: 0}
time: 1
objective: [{quantity: torque}]
END
ln -s arm.urdf link.urdf
ln arm.urdf hard.urdf
arne simulate run.yaml -o done --quiet
exits 0
find . -type f | sort | xargs sha256sum >"$T.sums"

# refuses FILE VERB...: with -o FILE (or the option last in the line) the command stops before it
# starts.
refuses() {
    file=$1
    shift
    arne "$@" "$file"
    exits 2
    says "this file is read by the same command"
}
for file in arm.urdf middle.yaml top.yaml ./parts/../arm.urdf link.urdf hard.urdf "$T/arm.urdf" \
    parts/part.obj parts/part.mtl pack/part.obj pack/part.mtl; do
    refuses "$file" compute gravity top.yaml --q 0 -o
    refuses "$file" view top.yaml -o
    refuses "$file" view run.yaml -o
    refuses "$file" plan problem.yaml --log
    refuses "$file" convert top.yaml -o
    refuses "$file" info top.yaml -o
done
refuses problem.yaml plan problem.yaml --log
refuses run.yaml view run.yaml -o
refuses motion.csv compute inverse-dynamics arm.urdf --states motion.csv -o
refuses motion.csv view arm.urdf --states motion.csv -o
refuses done/result.csv view done -o
refuses done/inputs/run.yaml view done -o
sha256sum --quiet -c "$T.sums" >"$T/err" 2>&1 || fail "files have changed"

# A file that is not read is replaced as ever, also in a folder whose name is a word of the line.
mkdir gravity
echo old >gravity/out.csv
arne compute gravity top.yaml --q 0 -o gravity/out.csv
exits 0
grep -q old gravity/out.csv && fail "not replaced"
rm -f "$T.sums"
finish
