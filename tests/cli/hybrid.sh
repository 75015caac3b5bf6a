#!/bin/sh
# Motions of which some joints have their acceleration given and others their torque, and bases that
# float.
. "$(dirname "$0")/checks.inc"

arm=$ROBOTS/puma560.yaml
q=0.1,-0.7,0.9,0.4,-0.5,0.6 qd=1,-0.5,0.3,0.2,0.1,-1 qdd=0.5,1,-1,2,0.2,1
at="--q $q --qd $qd --wrench link6=3,-2,5,0.4,0.5,-0.6 --wrench link4=1,1,0,0,0,0.3"

# mix "1 0 0" A B: a comma list with the numbers of A where the flag is 1, else those of B.
mix() {
    printf '%s\n%s\n%s\n' "$1" "$2" "$3" | tr ',' ' ' | awk '
        NR == 1 { n = split($0, flag, " ") }
        NR == 2 { split($0, a, " ") }
        NR == 3 { split($0, b, " "); for (i = 1; i <= n; i++) printf "%s%s", (i == 1 ? "" : ","), (flag[i] == 1 ? a[i] : b[i]) }'
}
commas() { tr ' ' ','; }
blanks() { echo "$1" | tr ',' ' '; }
joint() { "$ARNE" info "$arm" --json | sed -n '/"joints"/,/"links"/p' |
    sed -n 's/.*"name": "\([^"]*\)".*/\1/p' | sed -n "$1p"; }
j1=$(joint 1) j2=$(joint 2) j3=$(joint 3) j4=$(joint 4) j5=$(joint 5) j6=$(joint 6)
junk=7,7,7,7,7,7

# --- some given, others found --------------------------------------------------------------------

# Torques of a motion, with friction and without; any part of either tells the rest, whatever stands
# in the places to be found.
for friction in "" --no-friction; do
    # shellcheck disable=SC2086
    arne compute inverse-dynamics "$arm" $at --qdd $qdd $friction
    exits 0
    tau=$(row 1 | commas)
    both="$(blanks "$tau") $(blanks $qdd)"
    for case in "0 1 0 0 1 0:$j2,$j5" "1 0 0 0 0 1:$j6,$j1" "1 1 1 0 0 0:$j1,$j2,$j3" \
        "0 0 0 1 1 1:$j4,$j5,$j6"; do
        flags=${case%%:*} names=${case#*:}
        # shellcheck disable=SC2086
        arne compute hybrid-dynamics "$arm" $at $friction --given "$names" \
            --qdd "$(mix "$flags" $qdd $junk)" --tau "$(mix "$flags" $junk "$tau")"
        exits 0
        silent
        near 1e-10 "$(row 1)" "$both"
    done
done
head -1 "$T/out" | grep -q "^tau.$j1,.*,tau.$j6,qdd.$j1,.*,qdd.$j6\$" || fail "header"

# All given is inverse dynamics, none is forward dynamics.
# shellcheck disable=SC2086
{
    arne compute forward-dynamics "$arm" $at --tau 1,2,3,1,0.5,0.1
    found=$(row 1)
    arne compute hybrid-dynamics "$arm" $at --given "" --tau 1,2,3,1,0.5,0.1
    exits 0
    near 1e-12 "$(row 1)" "1 2 3 1 0.5 0.1 $found"
    arne compute inverse-dynamics "$arm" $at --qdd $qdd
    found=$(row 1)
    arne compute hybrid-dynamics "$arm" $at --given "$j1,$j2,$j3,$j4,$j5,$j6" --qdd $qdd
    exits 0
    near 1e-12 "$(row 1)" "$found $(blanks $qdd)"
}

# Another order of joints: vectors in and out follow it, and --given does not care.
arne compute hybrid-dynamics "$arm" --given "$j2,$j5" --q $q --qd $qd --qdd 0,3,0,0,-2,0 \
    --tau 1,0,2,3,0,1
plain=$(row 1)
arne compute hybrid-dynamics "$arm" --given "$j5,$j2" --order "$j3,$j1,$j2,$j6,$j5,$j4" \
    --q 0.9,0.1,-0.7,0.6,-0.5,0.4 \
    --qd 0.3,1,-0.5,-1,0.1,0.2 --qdd 0,0,3,0,-2,0 --tau 2,1,0,1,0,3
exits 0
near 1e-12 "$(row 1)" "$(echo "$plain" | awk \
    '{ print $3, $1, $2, $6, $5, $4, $9, $7, $8, $12, $11, $10 }')"

# From a file only the columns of what is given are needed.
for name in "$j1" "$j2" "$j3" "$j4" "$j5" "$j6"; do printf 'q.%s,qd.%s,' "$name" "$name"; done \
    >"$T/states.csv"
cp "$T/states.csv" "$T/short.csv"
echo "qdd.$j2,qdd.$j5,tau.$j1,tau.$j3,tau.$j4,tau.$j6" >>"$T/states.csv"
echo "qdd.$j2,tau.$j1,tau.$j3,tau.$j4,tau.$j6" >>"$T/short.csv"
echo "0.1,1,-0.7,-0.5,0.9,0.3,0.4,0.2,-0.5,0.1,0.6,-1,3,-2,1,2,3,1" >>"$T/states.csv"
echo "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0" >>"$T/states.csv"
arne compute hybrid-dynamics "$arm" --given "$j2,$j5" --states "$T/states.csv"
exits 0
silent
near 1e-14 "$(row 1)" "$plain"
[ "$(wc -l <"$T/out")" -eq 3 ] || fail "not two states"
arne compute hybrid-dynamics "$arm" --given "$j2,$j5" --states "$T/short.csv"
fails 1 "$T/short.csv:1: column 'qdd.$j5' is missing; hybrid-dynamics needs it"
arne compute hybrid-dynamics "$arm" --given "$j2" --states "$T/states.csv"
fails 1 "$T/states.csv:1: column 'tau.$j5' is missing; hybrid-dynamics needs it"

# A joint with several coordinates is given whole.
cat >"$T/ball.yaml" <<'YAML'
name: ball
bodies:
  - {name: base}
  - {name: a, mass: 2, com: [0.1, 0.02, 0], inertia: [0.1, 0.2, 0.15]}
  - {name: b, mass: 1, com: [0.2, 0, 0.1], inertia: [0.1, 0.05, 0.1]}
joints:
  - {name: shoulder, kind: ball, parent: base, child: a}
  - {name: elbow, kind: continuous, parent: a, child: b, origin: {xyz: [0.3, 0, 0]}, axis: [0, 1, 0]}
YAML
ball="--q 0.5,0.5,0.5,0.5,0.3 --qd 1,-2,0.5,0.7"
# shellcheck disable=SC2086
{
    arne compute inverse-dynamics "$T/ball.yaml" $ball --qdd 1,2,3,4
    tau=$(row 1 | commas)
    arne compute hybrid-dynamics "$T/ball.yaml" $ball --given shoulder --qdd 1,2,3,9 \
        --tau "$(mix "0 0 0 1" "$tau" 9,9,9,9)"
    exits 0
    near 1e-12 "$(row 1)" "$(blanks "$tau") 1 2 3 4"
    arne compute hybrid-dynamics "$T/ball.yaml" $ball --given elbow --qdd 9,9,9,4 \
        --tau "$(mix "1 1 1 0" "$tau" 9,9,9,9)"
    near 1e-12 "$(row 1)" "$(blanks "$tau") 1 2 3 4"
}

# A mimic joint moves with the one it follows, which may be given.
hand=$ROBOTS/arm7_gripper.yaml
finger="--q 0.1,0.2,0.3,-1,0.5,1,0.7,0.02 --qd 0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.01"
# shellcheck disable=SC2086
{
    arne compute inverse-dynamics "$hand" $finger --qdd 1,2,3,4,5,6,7,0.8
    tau=$(row 1 | commas)
    arne compute hybrid-dynamics "$hand" $finger --given left_finger_joint --qdd 0,0,0,0,0,0,0,0.8 \
        --tau "$(mix "1 1 1 1 1 1 1 0" "$tau" 9,9,9,9,9,9,9,9)"
    exits 0
    near 1e-9 "$(row 1)" "$(blanks "$tau") 1 2 3 4 5 6 7 0.8"
    arne compute hybrid-dynamics "$hand" $finger --given right_finger_joint
    fails 2 "--given: joint 'right_finger_joint' follows 'left_finger_joint'"
}

arne compute hybrid-dynamics "$T/ball.yaml"
fails 2 "hybrid-dynamics needs --given"
arne compute hybrid-dynamics "$T/ball.yaml" --given sholder
fails 2 "--given: there is no moving joint 'sholder' (near matches: shoulder)"
arne compute hybrid-dynamics "$T/ball.yaml" --given elbow,
fails 2 "--given: there is no moving joint ''"
arne compute hybrid-dynamics "$T/ball.yaml" --given elbow,shoulder,elbow
fails 2 "--given: joint 'elbow' is there twice"
arne compute hybrid-dynamics "$T/ball.yaml" --given elbow --qdd 1
fails 1 "--qdd: 4 values are needed, 1 are given"
arne compute forward-dynamics "$T/ball.yaml" --given elbow
exits 0
says "warning: --given has no effect on forward-dynamics"
arne compute forward-dynamics "$T/ball.yaml" --given elbow --strict
fails 2 "--given has no effect on forward-dynamics"

# A joint with nothing to move has no acceleration to be found; to give it is fine.
cat >"$T/massless.yaml" <<'YAML'
name: r
bodies: [{name: base}, {name: a, mass: 1, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}, {name: b}]
joints:
  - {name: ja, kind: continuous, parent: base, child: a}
  - {name: jb, kind: continuous, parent: a, child: b}
YAML
arne compute hybrid-dynamics "$T/massless.yaml" --quiet --given ja
fails 1 "$T/massless.yaml" "'jb'"
arne compute hybrid-dynamics "$T/massless.yaml" --quiet --given jb --qdd 0,5 --gravity 0,0,0 \
    --tau 0.11,0
exits 0
near 1e-12 "$(row 1)" "0.11 0 1 5"

# --- a base that floats --------------------------------------------------------------------------

dog=$ROBOTS/quadruped.urdf
legs=1,-2,0.5,0.3,2,-1,0.7,0.2,-3,1,1.5,-0.4
float="--base free --base-pose 1,2,3,0.5,0.5,-0.5,0.5 --q 0.1,0.7,-1.2,-0.1,0.6,-1.1,0.2,0.9,-1.4,0,0.8,-1 --base-velocity 0.3,-0.2,0.5,1,2,-1 \
    --qd 0.5,-1,0.4,0.2,0.1,-0.7,1,2,-1,0.3,-0.6,0.8 --wrench rear_left_foot=3,-2,40,0,0,0 --wrench body=1,2,3,0.1,0.2,0.3"
# shellcheck disable=SC2086
{
    arne compute base-acceleration "$dog" $float --qdd $legs
    exits 0
    silent
    head -1 "$T/out" |
        grep -q '^base_acceleration.lin.x,.*,base_acceleration.ang.z,tau.base.0,.*,tau.rear_right_knee$' || fail "header"
    base=$(row 1 | cut -d ' ' -f 1-6) tau=$(row 1 | cut -d ' ' -f 7-24) both=$(row 1)
    [ "$(echo "$tau" | awk '{ for (i = 1; i <= 6; i++) if ($i != 0) print "not zero" }')" = "" ] ||
        fail "a torque on the base"
    # The motion takes these torques, and these torques make the motion.
    arne compute inverse-dynamics "$dog" $float --base-acceleration "$(echo "$base" | commas)" \
        --qdd $legs
    near 1e-10 "$(row 1)" "$tau"
    arne compute forward-dynamics "$dog" $float --tau "$(echo "$tau" | commas)"
    near 1e-8 "$(row 1)" "$base $(blanks $legs)"
    # Hybrid dynamics with all but the base given.
    names=$(head -1 "$T/out" | tr ',' '\n' | sed -n 's/^qdd\.\(.*_.*\)/\1/p' | tr '\n' ',' |
        sed 's/,$//')
    arne compute hybrid-dynamics "$dog" $float --given "$names" --base-acceleration 9,9,9,9,9,9 \
        --qdd $legs
    exits 0
    near 1e-10 "$(row 1)" "$tau $base $(blanks $legs)"
    # The base itself may be given, and no joint.
    arne compute hybrid-dynamics "$dog" $float --given base \
        --base-acceleration "$(echo "$base" | commas)" --tau "$(echo "$tau" | commas)"
    exits 0
    near 1e-8 "$(row 1)" "$tau $base $(blanks $legs)"
    # What qdd says of the base is not used.
    arne compute base-acceleration "$dog" $float --qdd 9,9,9,9,9,9,$legs
    exits 0
    near 1e-15 "$(row 1)" "$both"
    arne compute base-acceleration "$dog" $float --base-acceleration 9,9,9,9,9,9 --qdd $legs
    exits 0
    says "warning: --base-acceleration has no effect on base-acceleration"
    near 1e-15 "$(row 1)" "$both"
    arne compute base-acceleration "$dog" $float --base-acceleration 9,9,9,9,9,9 --qdd $legs \
        --strict
    fails 2 "--base-acceleration has no effect on base-acceleration"
    # Friction is the joints' affair.
    arne compute base-acceleration "$dog" $float --qdd $legs --no-friction
    near 1e-12 "$(row 1 | cut -d ' ' -f 1-6)" "$base"
    [ "$(row 1 | cut -d ' ' -f 7-24)" != "$tau" ] || fail "--no-friction has no effect"
    arne compute base-acceleration "$dog" $float --qdd 1,2,3
    fails 1 "--qdd: 12 values are needed after the base's, 3 are given"
}

# Let go, it falls; and what a file says of the joints is enough.
arne compute base-acceleration "$dog" --base free --json
exits 0
prints '{"base_acceleration": ['
prints '], "tau": ['
near 1e-12 "$(sed -n 's/.*"base_acceleration": \[\([^]]*\)\].*/\1/p' "$T/out" | tr ',' ' ')" \
    "0 0 -9.81 0 0 0"
float="--base free --base-pose 0,0,1,0,0,0,1 --base-velocity 0,1,0,0.5,0,2"
printf 'name: two\nbase: free\nbodies: [{name: hull, mass: 3, inertia: [1, 2, 3]}, {name: fin, mass: 1, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}]\n' >"$T/two.yaml"
echo 'joints: [{name: hinge, kind: continuous, parent: hull, child: fin, origin: {xyz: [1, 0, 0]}, axis: [0, 0, 1]}]' >>"$T/two.yaml"
printf 'q.hinge,qd.hinge,qdd.hinge\n0.3,1,-2\n' >"$T/hinge.csv"
# shellcheck disable=SC2086
{
    arne compute base-acceleration "$T/two.yaml" $float --q 0.3 --qd 1 --qdd -2
    exits 0
    plain=$(row 1)
    arne compute base-acceleration "$T/two.yaml" $float --states "$T/hinge.csv"
    exits 0
    silent
    near 1e-15 "$(row 1)" "$plain"
    sed 's/,qdd.hinge/,tau.hinge/' "$T/hinge.csv" >"$T/short.csv"
    arne compute base-acceleration "$T/two.yaml" $float --states "$T/short.csv"
    fails 1 "column 'qdd.hinge' is missing; base-acceleration needs it"
}

# Bases that are not free, or have nothing to move.
for base in fixed prescribed; do
    arne compute base-acceleration "$arm" --base $base --qdd $qdd
    fails 1 "$arm: the base of" "is not free"
done
printf 'name: ghost\nbase: free\nbodies: [{name: a}, {name: b}]\njoints: [{name: j, kind: continuous, parent: a, child: b}]\n' >"$T/ghost.yaml"
arne compute base-acceleration "$T/ghost.yaml" --quiet
fails 1 "$T/ghost.yaml: the free base of 'ghost' has no mass to move"

finish
