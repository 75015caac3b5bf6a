#!/bin/sh
# Motors and springs: how the program takes states of elastic joints, and what it refuses.
. "$(dirname "$0")/checks.inc"

arm=$ROBOTS/hua_arm.yaml

# --- the arm with motors on other links ----------------------------------------------------------

arne check "$arm"
exits 0
prints "2 accepted flaws"
says "link2"
says "link3"
arne info "$arm"
exits 0
for text in "Motors" "joint3  joint3  link1" "rigid" "100"; do prints "$text"; done
arne info --json "$arm"
exits 0
for text in '"motor_count": 3' '"theta_count": 1' '"theta_v": 3' '"stiffness": 100' '"springs": [' \
    '"theta.joint3"'; do prints "$text"; done

# --- states --------------------------------------------------------------------------------------

# A motor moves with its joint unless it is said otherwise, so the spring does nothing.
arne compute inverse-dynamics "$arm" --q 0.1,0.2,0.3 --qd 1,2,3 --qdd 4,5,6
exits 0
prints "tau.joint1,tau.joint2,tau.joint3,tau.theta.joint3"
plain=$(row 1)
arne compute inverse-dynamics "$arm" --q 0.1,0.2,0.3 --theta 0.3 --qd 1,2,3 --thetad 3 --qdd 4,5,6 \
    --thetadd 6
near 1e-14 "$(row 1)" "$plain"
arne compute inverse-dynamics "$arm" --q 0.1,0.2,0.3,0.3 --qd 1,2,3,3 --qdd 4,5,6,6
near 1e-14 "$(row 1)" "$plain"
arne compute inverse-dynamics "$arm" --q 0.1,0.2,0.3 --theta 0.31 --qd 1,2,3 --qdd 4,5,6
near 1e-12 "$(row 1 | awk '{ print $3, $4 }')" \
    "$(echo "$plain" | awk '{ printf "%.17g %.17g", $3 - 1, $4 + 1 }')"

# The same from a file, in any order of joints.
printf 'theta.joint3,q.joint1,q.joint2,q.joint3,qd.joint1,qd.joint2,qd.joint3\n0.31,0.1,0.2,0.3,1,2,3\n' >"$T/s.csv"
arne compute bias "$arm" --states "$T/s.csv" --order joint3,joint1,joint2
exits 0
prints "tau.joint3,tau.joint1,tau.joint2,tau.theta.joint3"
found=$(row 1)
arne compute bias "$arm" --q 0.1,0.2,0.3 --theta 0.31 --qd 1,2,3
near 1e-14 "$found" "$(row 1 | awk '{ print $3, $1, $2, $4 }')"
printf 'q.joint1,q.joint2,q.joint3,theta.joint2\n0,0,0,0\n' >"$T/s.csv"
arne compute gravity "$arm" --states "$T/s.csv"
fails 1 "$T/s.csv:1" "theta.joint2" "joint3"

arne compute gravity "$arm" --q 0,0,0 --theta 0,0
fails 1 "--theta: 1 values are needed" "2 are given"
arne compute gravity "$arm" --q 0,0,0,0 --theta 0
fails 2 "--theta" "--q"
arne compute gravity "$ROBOTS/planar_2r.yaml" --theta 0
fails 1 "--theta: 0 values are needed"
arne compute gravity "$arm" --q 0,0
fails 1 "--q: 3 values are needed"

# --- quantities ----------------------------------------------------------------------------------

at="--q 0.1,0.2,0.3 --theta 0.35 --qd 1,2,3 --thetad 2"
# shellcheck disable=SC2086 # a list of words
arne compute elastic-forward-dynamics "$arm" $at --tau 1,2,3
exits 0
prints "tau.joint1,tau.joint2,tau.joint3,tau_joint.joint1,tau_joint.joint2,tau_joint.joint3,qdd.joint1,qdd.joint2,qdd.joint3,thetadd.joint3"
forward=$(row 1)
# shellcheck disable=SC2086
arne compute elastic-forward-dynamics "$arm" $at --tau 1,2,3 --method matrix
near 1e-12 "$(row 1)" "$forward"
# shellcheck disable=SC2046,SC2086
arne compute elastic-inverse-dynamics "$arm" $at \
    $(echo "$forward" | awk '{ printf "--qdd=%.17g,%.17g,%.17g --thetadd=%.17g", $7, $8, $9, $10 }')
exits 0
near 1e-9 "$(row 1)" "$forward"
# What joint 3 carries is what its spring holds: nothing else acts on it.
near 1e-12 "$(echo "$forward" | awk '{ print $6 }')" "5"

arne compute coupled-matrix "$arm" --q 0.1,0.2,0.3
exits 0
prints "M.joint1.theta.joint3"
matrix=$(row 1)
arne compute mass-matrix "$arm" --q 0.1,0.2,0.3
near 1e-15 "$(row 1)" "$matrix"

# A spring moves a joint that has no motor: its acceleration is found, whatever is given, and its
# torque is the spring's.
cat >"$T/tail.yaml" <<'YAML'
name: tail
gravity: [0, 0, 0]
bodies:
  - {name: body, mass: 5, inertia: [0.1, 0.1, 0.1]}
  - {name: fin, mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.01, 0.01]}
  - {name: tip, mass: 0.5, com: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}
joints:
  - {name: drive, kind: revolute, parent: body, child: fin}
  - {name: flex, kind: revolute, parent: fin, child: tip, origin: {xyz: [0.4, 0, 0]}}
elastic:
  - {joint: flex, stiffness: 10, damping: 0.5, rest: 0.1}
YAML
arne info "$T/tail.yaml"
prints "Springs on joints"
for base in fixed free; do
    qdd=3,99
    arne compute elastic-inverse-dynamics "$T/tail.yaml" --base $base \
        --q "$([ $base = free ] && echo 0,0,0,0,0,0,1,)0.2,0.4" --qdd $qdd
    exits 0
    wanted=$(row 1)
    near 1e-14 "$(echo "$wanted" | awk '{ print $(NF / 3) }')" "-3"
    # It is hybrid dynamics with all but the spring's joint given.
    arne compute hybrid-dynamics "$T/tail.yaml" --base $base --given drive \
        --q "$([ $base = free ] && echo 0,0,0,0,0,0,1,)0.2,0.4" \
        --qdd "$([ $base = free ] && echo 0,0,0,0,0,0,)3,0"
    near 1e-12 "$(row 1 | awk '{ print $NF, $(NF - 1) }')" \
        "$(echo "$wanted" | awk '{ print $NF, $(NF - 1) }')"
done

# --- a URDF with motors, and bad input -----------------------------------------------------------

cat >"$T/good.yaml" <<YAML
extends: $ROBOTS/arm7.urdf
motors:
  - {joint: panda_joint1, inertia: 1.0e-5, gear: 100, stiffness: 9000, damping: 3}
  - {joint: panda_joint2, inertia: 1.0e-5, gear: -80, rotor: reflected}
YAML
joints=$(arne info "$ROBOTS/arm7.urdf" && sed -n '/Order of q/{n;s/ //g;p;}' "$T/out")
first=${joints%%,*}
sed -i "s/panda_joint1/$first/; s/panda_joint2/$(echo "$joints" | cut -d, -f2)/" "$T/good.yaml"
arne check --strict "$T/good.yaml"
exits 0

# refuses TEXT... : the file on stdin is bad, and the message says so.
refuses() {
    {
        cat <<'YAML'
name: bad
bodies:
  - {name: base}
  - {name: a, mass: 1, inertia: [0.1, 0.1, 0.1]}
  - {name: b, mass: 1, inertia: [0.1, 0.1, 0.1]}
  - {name: c, mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  - {name: ja, kind: revolute, parent: base, child: a}
  - {name: jb, kind: revolute, parent: a, child: b, mimic: {joint: ja}}
  - {name: jc, kind: fixed, parent: b, child: c}
YAML
        cat
    } >"$T/bad.yaml"
    arne check "$T/bad.yaml"
    fails 1 "$T/bad.yaml:12" "$@"
}
refuses "motor of joint 'ja'" "stiffness" "positive" <<'YAML'
motors:
  - {joint: ja, inertia: 0.01, stiffness: -5}
YAML
refuses "motor of joint 'ja'" "gear" "0" <<'YAML'
motors:
  - {joint: ja, inertia: 0.01, gear: 0}
YAML
refuses "motor 'm'" "link 'nowhere'" <<'YAML'
motors:
  - {joint: ja, name: m, link: nowhere}
YAML
refuses "motor 'jx'" "joint 'jx'" "does not exist" <<'YAML'
motors:
  - {joint: jx}
YAML
refuses "joint 'jc'" "fixed" <<'YAML'
motors:
  - {joint: jc}
YAML
refuses "joint 'jb'" "follows another joint" <<'YAML'
motors:
  - {joint: jb}
YAML
refuses "motors 'one' and 'two'" "joint 'ja'" <<'YAML'
motors: [{joint: ja, name: one},
  {joint: ja, name: two}]
YAML
refuses "link 'a'" "motor 'ja'" "cannot contain" <<'YAML'
motors:
  - {joint: ja, link: a, inertia: 0.2, link_contains: inertia}
YAML
refuses "joint 'ja'" "stiffness must not be negative" <<'YAML'
elastic:
  - {joint: ja, stiffness: -1}
YAML
refuses "joint 'jc'" "fixed" <<'YAML'
elastic:
  - {joint: jc, stiffness: 1}
YAML
refuses "joint 'ja' has two springs" <<'YAML'
elastic: [{joint: ja, stiffness: 1},
  {joint: ja, stiffness: 1}]
YAML

# An elastic joint without rotor inertia: inverse dynamics does not mind, direct dynamics names the
# motor.
cat >"$T/light.yaml" <<'YAML'
name: light
bodies: [{name: base}, {name: a, mass: 1, inertia: [0.1, 0.1, 0.1]}]
joints: [{name: ja, kind: revolute, parent: base, child: a}]
motors: [{joint: ja, name: feather, stiffness: 10}]
YAML
arne compute elastic-inverse-dynamics "$T/light.yaml" --q 0.1 --theta 0.2
exits 0
says "motor 'feather'"
arne compute elastic-forward-dynamics "$T/light.yaml" --q 0.1 --theta 0.2
exits 1
says "feather"
nothing
# A free base without mass.
cat >"$T/ghost.yaml" <<'YAML'
name: ghost
base: free
bodies: [{name: base}, {name: a}]
joints: [{name: ja, kind: revolute, parent: base, child: a}]
YAML
arne compute base-acceleration "$T/ghost.yaml"
exits 1
says "mass"
nothing

# A pendulum on a spring, by hand: k q + m g l cos q = tau.
cat >"$T/pendulum.yaml" <<'YAML'
name: pendulum
gravity: [0, -9.81, 0]
bodies: [{name: base}, {name: a, mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}]
joints: [{name: turn, kind: revolute, parent: base, child: a}]
elastic: [{joint: turn, stiffness: 7}]
YAML
for tau in 0 3 -20; do
    arne compute equilibrium "$T/pendulum.yaml" --tau $tau
    exits 0
    row 1 | awk -v tau=$tau '{d = 7 * $1 + 9.81 * cos($1) - tau; exit !(d * d < 1e-20)}' ||
        fail "no balance"
done
printf 'q.turn\n0\n0.2\n' >"$T/two.csv"
arne compute equilibrium "$T/pendulum.yaml" --states "$T/two.csv"
exits 0
[ "$(row 1)" = "$(row 2)" ] || fail "two equilibria"
arne compute equilibrium "$T/pendulum.yaml" --base prescribed --base-velocity 0,0,0,0,0,1
says "base-velocity has no effect on equilibrium"
arne compute equilibrium "$T/ghost.yaml"
fails 1 "no spring holds"

finish
