#!/bin/sh
# Files that files name: nothing but meshes and their materials gets into pages and run folders, a
# pipe or a device makes nobody wait, and a mesh lies beside the file that names it, wherever that
# is read from.
. "$(dirname "$0")/checks.inc"
cd "$T" || exit 1
mkdir safe safe/sub
echo "newmtl secret-of-somebody-else" >secret.mtl
cp secret.mtl secret.txt

# robot NAME MESH: safe/NAME.urdf, a link that looks as the mesh.
robot() {
    cat >"safe/$1.urdf" <<END
<robot name="r"><link name="base"/>
<link name="arm"><visual><geometry><mesh filename="$2"/></geometry></visual>
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>
END
    printf 'robot: %s.urdf\nduration: 0.01\nintegrator: {step: 0.001}\n' "$1" >"safe/$1.yaml"
}

# obj FILE MATERIAL: a triangle.
obj() { printf 'mtllib %s\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl x\nf 1 2 3\n' "$2" >"safe/$1"; }

# Every verb ends within seconds; status 124 is a wait.
arne() {
    last="arne $*"
    timeout 20 "$ARNE" "$@" >"$T/out" 2>"$T/err" </dev/null
    status=$?
}

# Base64 of the middle of the secret, at each of the three places it may begin.
shows() {
    for skip in 0 1 2; do
        coded=$(tail -c +$((8 + skip)) secret.mtl | head -c 18 | base64)
        grep -qF "$coded" "$1" && return 0
    done
    return 1
}

# keeps_out NAME: view and simulate of safe/NAME do not show the secret.
keeps_out() {
    arne view "safe/$1.urdf" -o "$1.html" --quiet
    exits 0
    shows "$1.html" && fail "the page shows it"
    arne simulate "safe/$1.yaml" -o "$1.run" --quiet
    exits 0
    shows "$1.run/report.html" && fail "the report shows it"
    grep -rqF "of-somebody-else" "$1.run/inputs" && fail "the folder of the run has it"
    rm -rf "$1.html" "$1.run"
}

number=0
ln -s ../secret.txt safe/link.mtl
ln -s ../secret.mtl safe/sub/link.mtl
mkfifo safe/pipe.mtl safe/pipe.stl
ln -s /dev/zero safe/zero.mtl
for material in "$T/secret.mtl" "$T/secret.txt" ../secret.mtl sub/../../secret.txt link.mtl \
    sub/link.mtl pipe.mtl zero.mtl sub missing.mtl /etc/passwd; do
    number=$((number + 1))
    obj "m$number.obj" "$material"
    robot "m$number" "m$number.obj"
    keeps_out "m$number"
done
# A mesh that is none.
ln -s ../secret.txt safe/link.obj
ln -s /dev/zero safe/zero.stl
for mesh in link.obj pipe.stl zero.stl "$T/secret.txt" "file://$T/secret.mtl" ../secret.txt; do
    number=$((number + 1))
    robot "m$number" "$mesh"
    keeps_out "m$number"
done
# What an OBJ may have: materials beside it and below.
cp secret.mtl safe/sub/own.mtl
obj own.obj sub/own.mtl
robot own own.obj
arne view safe/own.urdf -o own.html
exits 0
shows own.html || fail "the page has no materials"
arne simulate safe/own.yaml -o own.run --quiet
exits 0
[ -e own.run/inputs/own.obj ] && [ -e own.run/inputs/sub/own.mtl ] ||
    fail "the mesh and its material are not in the folder of the run"

# Pipes and devices where files name files: refused at once.
mkfifo safe/pipe.yaml safe/pipe.csv safe/pipe.urdf
echo "extends: pipe.yaml" >safe/extends.yaml
printf 'robot: pipe.urdf\nduration: 1\n' >safe/piped.yaml
printf 'run: pipe.yaml\nparameters: {duration: [1, 2]}\n' >safe/sweep.yaml
printf 'robot: own.urdf\nduration: 1\nreference: {type: table, file: pipe.csv}\n' >safe/table.yaml
printf 'robot: /dev/zero\nduration: 1\n' >safe/zero.yaml
for call in "info safe/extends.yaml" "simulate safe/piped.yaml -o x" \
    "simulate safe/zero.yaml -o x" "sweep safe/sweep.yaml -o x" \
    "simulate safe/table.yaml -o x"; do
    # shellcheck disable=SC2086
    arne $call
    exits 1
    says "this is not a regular file"
done
# On the command line pipes are welcome.
cat safe/own.urdf >safe/pipe.urdf &
arne info safe/pipe.urdf
exits 0

# A mesh of a YAML file lies beside that file, also where another folder's file extends it.
mkdir -p tree/sub/parts
cp safe/own.obj tree/sub/parts/part.obj
cat >tree/sub/robot.yaml <<'END'
name: r
bodies: [{name: base}, {name: arm, mass: 1, inertia: [1, 1, 1], visual: {mesh: parts/part.obj}}]
joints: [{name: j, kind: continuous, parent: base, child: arm, axis: [0, 1, 0]}]
END
printf 'extends: sub/robot.yaml\nname: other\n' >tree/robot.yaml
for robot in sub/robot.yaml robot.yaml; do
    (cd tree && printf 'robot: %s\nduration: 0.01\nintegrator: {step: 0.001}\n' "$robot" >run.yaml)
    cd tree || exit 1
    arne view "$robot" -o view.html
    exits 0
    silent
    grep -q '"format":"obj"' view.html || fail "the page has no mesh"
    arne simulate run.yaml -o out --quiet
    exits 0
    [ -e out/inputs/parts/part.obj ] || fail "no mesh in the folder of the run"
    grep -q '"format":"obj"' out/report.html || fail "the report has no mesh"
    cd ..
done
# Shapes that cannot touch matter where there is ground, and nowhere else.
sed 's#</visual>#</visual><collision><geometry><mesh filename="missing.stl"/></geometry></collision>#' safe/own.urdf >safe/touch.urdf
arne compute gravity safe/touch.urdf --q 0
exits 0
silent
arne check safe/touch.urdf
says "cannot touch"
printf 'robot: touch.urdf\nduration: 0.1\n' >safe/still.yaml
arne check safe/still.yaml
exits 0
! grep -q "cannot touch" err || fail "there is no ground"
printf 'surroundings: [{type: ground, friction: 1}]\n' >>safe/still.yaml
arne check safe/still.yaml
says "nothing of the robot can touch it"
finish
