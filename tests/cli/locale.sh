#!/bin/sh
# Whatever locale the calling program is in, files are read and written alike: every file that a
# verb writes has the same bytes in one with a decimal comma (German) and one with other small
# letters (Turkish).
. "$(dirname "$0")/checks.inc"
command -v localedef >/dev/null && [ -r /usr/share/i18n/locales/tr_TR ] &&
    [ -n "${FOLLOW_LOCALE:-}" ] || exit 77

mkdir "$T/locales" "$T/in"
for name in de_DE tr_TR; do localedef -i $name -f UTF-8 "$T/locales/$name.UTF-8" 2>/dev/null; done
LOCPATH=$T/locales
export LOCPATH

cd "$T/in" || exit 1
cat >tool.stl <<'END'
solid tool
facet normal 0 0 1
outer loop
vertex 0.125 0.25 0.5
vertex 1.5 0.25 0.5
vertex 0.125 1.75 0.5
endloop
endfacet
endsolid tool
END
cat >arm.urdf <<'END'
<robot name="IRIS"><link name="Base"/>
<link name="LINK_I"><visual><geometry><mesh filename="tool.STL"/></geometry></visual>
<inertial><origin xyz="0.25 0 0"/><mass value="1.25"/><inertia ixx="0.125" iyy="0.125" izz="0.125" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="JOINT_I" type="revolute"><parent link="Base"/><child link="LINK_I"/><axis xyz="0 1 0"/>
<limit lower="-2.5" upper="2.5" effort="20.5" velocity="INF"/></joint></robot>
END
mv tool.stl tool.STL
cat >run.yaml <<END
robot: arm.urdf
duration: 0.25
integrator: {method: rk4, step: 0.0125}
initial: {q: {JOINT_I: 0.25}}
END
cat >sweep.yaml <<'END'
run: run.yaml
parameters: {initial.q.JOINT_I: [0.125, 0.25, 1.25]}
keep: none
figures: {peak: {column: q.JOINT_I, reduce: max}}
END
cat >plan.yaml <<'END'
robot: arm.urdf
start: {position: {JOINT_I: 0.25}, velocity: 0}
end: {position: {JOINT_I: 0.75}, velocity: 0}
time: 1.25
objective: [{quantity: torque}]
END
cp "$ROBOTS/planar_2r.yaml" .
cat >prior.yaml <<'END'
extends: planar_2r.yaml
gravity: [0, -9.81, 0]
END

# Every verb that writes files, into the folder $1.
write_all() {
    mkdir "$1"
    for call in "simulate run.yaml --quiet -o run" "sweep sweep.yaml -q -o sweep" \
        "plan plan.yaml -q -o plan" \
        "identify design prior.yaml --starts 1 --iterations 5 --rate 50 -o design" \
        "compute inverse-dynamics prior.yaml --states $1/design/motion.csv -o tau.csv" \
        "convert arm.urdf -o arm.yaml" "convert arm.urdf -o again.urdf" \
        "view arm.urdf -o view.html" "view run.yaml -o run.html" \
        "generate arm.urdf --functions gravity,mass-matrix -o code" \
        "compute gravity arm.urdf --q 0.25 -o gravity.json"; do
        out=${call##* }
        # shellcheck disable=SC2086
        arne ${call% *} "$1/$out"
        exits 0
    done
}
# Two runs differ in the time they took, which summaries and pages say: there every number counts as
# any other.
digest() {
    (cd "$1" && find . -type f ! -name '*.h5' | sort | while read -r file; do
        mask=
        case $file in *.json | *.html) \
            mask='s/×10[^<]*//g; s/[0-9a-f]{40,}/H/g; s/[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/N/g' ;; \
            esac
        printf '%s ' "$file"
        sed -E -e "s|$1||g; $mask" "$file" | sha256sum
    done)
}
for name in C de_DE.UTF-8 tr_TR.UTF-8; do
    export LD_PRELOAD="$FOLLOW_LOCALE" LC_ALL=$name
    write_all "$T/$name"
    unset LD_PRELOAD LC_ALL
    last="every file in $name"
    : >"$T/err"
    digest "$T/$name" >"$T/$name.txt"
    diff "$T/C.txt" "$T/$name.txt" >"$T/differ" || fail "files differ: $(cat "$T/differ")"
done
[ "$(wc -l <"$T/C.txt")" -gt 30 ] || fail "few files were compared"

# A table in HDF5 has the numbers of the CSV.
table=$T/de_DE.UTF-8/sweep/table.h5
if [ -e "$table" ] && python3 -c 'import h5py' 2>/dev/null; then
    [ "$(python3 -c "import h5py; print(*h5py.File('$table')['initial.q.JOINT_I'][:])")" = \
        "0.125 0.25 1.25" ] || fail "table.h5"
fi
finish
