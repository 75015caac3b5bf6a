#!/bin/sh
# Bad arguments: one clear line and exit status 2. Bad data: file, line and rule, and exit status 1.
# Nothing is printed or written in either case.
. "$(dirname "$0")/checks.inc"

arm=$ROBOTS/arm6.yaml

# --- arguments ---------------------------------------------------------------------------------

arne
exits 2
says "a verb is missing"
prints "compute QUANTITY ROBOT"
arne fly
fails 2 "unknown verb 'fly'"
arne inof "$arm"
fails 2 "near matches: info"
arne compute
fails 2 "usage: arne compute QUANTITY ROBOT"
arne compute gravity
fails 2 "usage: arne compute QUANTITY ROBOT"
arne compute gravity "$arm" extra
fails 2 "'extra'"
arne compute graviti "$arm"
fails 2 "unknown quantity 'graviti'" "near matches: gravity"
arne compute mass-matrx "$arm"
fails 2 "mass-matrix"
arne compute "$arm" gravity
fails 2 "the quantity comes first: 'arne compute gravity $arm'"
arne compute rnea "$arm"
fails 2 "unknown quantity 'rnea'; its name is inverse-dynamics"
arne gravity "$arm"
fails 2 "'arne compute gravity ROBOT'"
arne "$arm"
fails 2 "'arne info $arm'"
arne compute gravity "$arm" motion.csv
fails 2 "'motion.csv' is one argument too many" "--states motion.csv"
arne simulate "$arm"
fails 1 "is a robot file" "'robot: $arm' and 'duration: 2'"
arne compute gravity "$arm" --qq 1
fails 2 "unknown option '--qq'" "--q"
arne compute gravity "$arm" --q
fails 2 "--q needs a value"
arne compute gravity "$arm" --q 0,0,0,0,0,0 --q 1,1,1,1,1,1
fails 2 "--q is given twice"
arne compute gravity "$arm" --json=yes
fails 2 "--json takes no value"
arne compute gravity "$arm" --q 0,0,zero,0,0,0
fails 2 "--q: 'zero' is not a number"
arne compute gravity "$arm" --q 0,,0,0,0,0
fails 2 "--q: '' is not a number"
arne compute forward-dynamics "$arm" --method magic
fails 2 "recursive|matrix"
arne compute jacobian "$arm"
fails 2 "jacobian needs one --frame"
arne compute jacobian "$arm" --frame nowhere
fails 2 "'nowhere'"
arne compute pose "$arm" --frame link_2
fails 2 "near matches" "link2"
arne compute inverse-kinematics "$arm"
fails 2 "--frame"
arne compute inverse-kinematics "$arm" --frame link6
fails 2 "--position"
arne info
fails 2 "usage: arne info ROBOT"
arne demo extra
fails 2 "'extra'"

# --- values ------------------------------------------------------------------------------------

arne compute gravity "$arm" --q 1,2
fails 1 "--q: 6 values are needed, 2 are given"
arne compute gravity "$arm" --q 0,0,0,0,0,nan
fails 1 "'nan' is not a finite number"
arne compute gravity "$arm" --q 0,0,0,0,0,1e999
fails 1 "'1e999' is not a finite number"
arne compute gravity "$arm" --gravity 0,0
fails 1 "--gravity: 3 values are needed, 2 are given"
arne compute inverse-kinematics "$arm" --frame link6 --position 0.1,0.2,0.3 --quaternion 0,0,0,1.1
fails 1 "--quaternion" "length 1.1"
arne compute inverse-kinematics "$arm" --frame link6 --position 0.1,0.2
fails 1 "--position: 3 values are needed, 2 are given"

# --- files -------------------------------------------------------------------------------------

# refused FILE LINE TEXT...: by every verb that reads a robot.
refused() {
    file=$1 line=$2
    shift 2
    for verb in check info "compute gravity"; do
        # shellcheck disable=SC2086
        arne $verb "$file" -o "$T/never"
        exits 1
        nothing
        says "arne: $file:$line:"
        for text; do says "$text"; done
    done
    rm -f "$T/never" # the report of check
}

arne compute gravity "$T/none.urdf"
fails 1 "$T/none.urdf"
arne compute gravity "$T"
fails 1 "$T"

cat >"$T/type.urdf" <<'XML'
<robot name="r">
  <link name="a"/>
  <link name="b"/>
  <joint name="j" type="twisting">
    <parent link="a"/><child link="b"/>
  </joint>
</robot>
XML
refused "$T/type.urdf" 4 "twisting"

cat >"$T/xml.urdf" <<'XML'
<robot name="r">
  <link name="a">
</robot>
XML
refused "$T/xml.urdf" 3

cat >"$T/roots.yaml" <<'YAML'
name: r
bodies:
  - {name: a}
  - {name: b}
YAML
arne check "$T/roots.yaml"
fails 1 "$T/roots.yaml" "root"

cat >"$T/mass.yaml" <<'YAML'
name: r
bodies:
  - {name: base}
  - name: a
    mass: -1
joints:
  - {name: j, kind: revolute, parent: base, child: a}
YAML
arne check "$T/mass.yaml"
fails 1 "$T/mass.yaml:" "'a'" "mass"

cat >"$T/section.yaml" <<'YAML'
name: r
bodies: [{name: base}]
parallel: []
YAML
arne check "$T/section.yaml"
fails 1 "parallel" "must be a mapping"

# A singular mass matrix names the joint, and only direct dynamics minds.
cat >"$T/massless.yaml" <<'YAML'
name: r
bodies:
  - {name: base}
  - {name: a, mass: 1, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}
  - {name: b}
joints:
  - {name: ja, kind: revolute, parent: base, child: a}
  - {name: jb, kind: revolute, parent: a, child: b}
YAML
arne compute gravity "$T/massless.yaml"
exits 0
says "warning: $T/massless.yaml:"
says "[inertia]"
arne compute gravity "$T/massless.yaml" --quiet
exits 0
silent
arne compute gravity "$T/massless.yaml" --strict
fails 1 "$T/massless.yaml:"
arne compute forward-dynamics "$T/massless.yaml" --quiet
fails 1 "'jb'"
arne compute forward-dynamics "$T/massless.yaml" --quiet --method matrix
fails 1 "'jb'"

# Repeats are one line, with their number and the first name.
{
    echo '<robot name="chain"><link name="l0"/>'
    for i in 1 2 3 4 5 6 7; do
        echo "<link name=\"l$i\"><inertial><origin xyz=\"0.1 0 0\"/><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>"
        echo "<joint name=\"j$i\" type=\"continuous\"><parent link=\"l$((i - 1))\"/><child link=\"l$i\"/><axis xyz=\"0 0 1\"/><wobble/></joint>"
    done
    echo '</robot>'
} >"$T/chain.urdf"
arne check "$T/chain.urdf"
exits 0
says "7 joints: unknown tag <wobble> is ignored (the first is 'j1') [unknown]"
[ "$(grep -c wobble "$T/err")" -eq 1 ] || fail "repeats are not grouped"
arne check "$T/chain.urdf" --strict
exits 1

finish
