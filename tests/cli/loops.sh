#!/bin/sh
# Robots with loops: what info shows, assembling, torques of active joints, and every kind of bad
# loop.
. "$(dirname "$0")/checks.inc"

five="$ROBOTS/five_bar.yaml"
q=1.8142851013845998,1.0996389312200576
qd=0.40599343049342984,-1.8852439665122218
qdd=-4.224886985070529,5.138532275524433

arne info "$five"
exits 0
prints "mobility 2 (4 coordinates, 2 constraints of rank 2), 2 active coordinates"
prints "active   motor1 motor2"
prints "passive  elbow1 elbow2"
arne info "$ROBOTS/four_bar.yaml"
exits 0
prints "mobility 1 (3 coordinates, 5 constraints of rank 2), 1 active coordinate, 3 redundant"

arne info "$five" --json
exits 0
prints '"mobility": 2'
prints '"passive": true'

arne compute assemble "$five" --q $q
exits 0
silent
near 1e-9 "$(row 1 | cut -d' ' -f1-4)" \
    "1.8142851013845998 -1.029594634538017 1.0996389312200576 1.1734506915607146"
[ "$(row 1 | awk '{print ($5 <= 1e-12)}')" -eq 1 ] || fail "not closed"
[ "$(row 1 | awk '{print $6 * $6}')" -eq 1 ] || fail "no branch"

# The torques of the active joints, from their motion alone and from that of all joints.
arne compute inverse-dynamics "$five" --q $q --qd $qd --qdd $qdd
exits 0
prints "tau.motor1,tau.motor2"
near 1e-9 "$(row 1)" "-1.4228755303089229 2.039967974716448"
arne compute inverse-dynamics "$five" \
    --q 1.8142851013845998,-1.029594634538017,1.0996389312200576,1.1734506915607146 \
    --qd 0.40599343049342984,-1.7807807379720395,-1.8852439665122218,2.55319604386555 \
    --qdd=-4.224886985070529,7.790474169857839,5.138532275524433,-9.376210909188595
exits 0
near 1e-9 "$(row 1)" "-1.4228755303089229 2.039967974716448"
arne compute forward-dynamics "$five" --q $q --qd $qd --tau=-1.4228755303089229,2.039967974716448
exits 0
near 1e-8 "$(row 1)" "-4.224886985070529 7.790474169857839 5.138532275524433 -9.376210909188595"
arne compute bias "$five" --q $q --qd $qd
near 1e-9 "$(row 1)" "-1.1772000447025373 1.68630185782391"
arne compute loop-jacobian "$five" --q $q --json
exits 0
prints '"condition"'
arne compute loop-forces "$five" --q $q --qd $qd --qdd $qdd
exits 0
prints "loops.pin.force.x"
prints "indeterminate"

# Rows of a file start where the last one was; passive columns may be missing.
cat >"$T/states.csv" <<'CSV'
q.motor2,q.motor1
1.0996389312200576,1.8142851013845998
1.1,2.0
CSV
arne compute assemble "$five" --states "$T/states.csv"
exits 0
near 1e-8 "$(row 2 | cut -d' ' -f1-4)" "2 -1.269858316944471 1.1 1.293970919622041"

# The same mechanism in the two notations of published robots.
link() {
    printf '<link name="%s"><inertial><origin xyz="%s 0 0"/><mass value="1"/>' "$1" "$2"
    printf '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>\n'
}
joint() {
    printf '<joint name="%s" type="continuous" %s><parent link="%s"/><child link="%s"/>' "$1" "$5" \
        "$2" "$3"
    printf '<origin xyz="%s 0 0"/><axis xyz="0 0 1"/></joint>\n' "$4"
}
urdf() {
    printf '<robot name="r">\n'
    for l in base a b c; do link $l 0.1; done
    joint mot base a 0 "$1"
    joint ja a b 0.2 ""
    joint jc base c 0.4 ""
    printf '%s</robot>\n' "$2"
}
urdf 'independent="True"' \
    '<loop name="L" type="revolute"><predecessor link="b"><origin xyz="0.5 0 0"/></predecessor>
<successor link="c"><origin xyz="0.4 0 0"/></successor><axis xyz="0 0 1"/></loop>' >"$T/plus.urdf"
arne compute gravity "$T/plus.urdf" --q 1 --gravity 0,-9.81,0
exits 0
plus=$(row 1)
urdf "" '<link name="fa"/><link name="fb"/>
<joint name="wa" type="fixed"><parent link="b"/><child link="fa"/><origin xyz="0.5 0 0"/></joint>
<joint name="wb" type="fixed"><parent link="c"/><child link="fb"/><origin xyz="0.4 0 0"/></joint>' >"$T/beside.urdf"
cat >"$T/beside.yaml" <<'YAML'
closed_loop: [['fa', 'fb']]
type: ['3d']
name_mot: ['mot']
YAML
arne compute gravity "$T/beside.yaml" --q 1 --gravity 0,-9.81,0
exits 0
near 1e-9 "$(row 1)" "$plus"

# --- bad input ---

bad() { # SED expression on the five-bar
    sed "$1" "$five" >"$T/bad.yaml"
}
bad 's/link: coupler2, origin/link: coupler1, origin/'
arne check "$T/bad.yaml"
fails 1 "$T/bad.yaml:" "loop 'pin' ties link 'coupler1' to itself"
bad 's/link: coupler2, origin/link: nowhere, origin/'
arne info "$T/bad.yaml"
fails 1 "$T/bad.yaml:" "'pin'" "'nowhere', which is no link, frame or joint"
bad 's/active: true, //'
arne check "$T/bad.yaml"
fails 1 "$T/bad.yaml:" "does not say which joints are active"
bad 's/xyz: \[0.3, 0, 0\]/xyz: [3, 0, 0]/'
arne compute gravity "$T/bad.yaml"
fails 1 "loop 'pin' cannot be closed" "smallest closure error"
arne check "$T/bad.yaml"
fails 1 "loop 'pin' cannot be closed"
# One active joint for two freedoms: motion is open to torques, not the other way round.
bad '/motor2/,/rotor/ s/active: true/passive: true/'
arne compute inverse-dynamics "$T/bad.yaml" --q 1.8
fails 1 "fewer than the mobility 2"
# Four more bars tie the rest: nothing can move.
cat >"$T/rigid.yaml" <<'YAML'
name: rigid
bodies: [{name: base}, {name: a, mass: 1, inertia: [1, 1, 1]}]
joints: [{name: j, kind: revolute, parent: base, child: a, axis: [0, 0, 1], active: true}]
loops: [{name: weld, kind: fixed, predecessor: base, successor: a}]
YAML
arne check "$T/rigid.yaml"
fails 1 "'weld'" "no mobility"
# Couplers in line: the pin can move while the motors stand.
arne compute inverse-dynamics "$five" \
    --q 2.498091544796509,-2.498091544796509,0.6435011087932843,2.498091544796509
fails 1 "singular" "condition" "elbow"
arne compute loop-jacobian "$ROBOTS/planar_2r.yaml"
fails 1 "needs a robot with loops"
arne compute inverse-dynamics "$five" --q 1,2,3
fails 1 "--q: 2 values of the active joints are needed, or 4 of all, and 3 are given"

finish
