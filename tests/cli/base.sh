#!/bin/sh
# A base that is fixed, prescribed or free, for any file.
. "$(dirname "$0")/checks.inc"

arm=$ROBOTS/arm6.yaml
pose=1,2,3,0,0,0,1

# A base that accelerates upward weighs as gravity does.
arne compute gravity "$arm"
plain=$(row 1)
arne compute inverse-dynamics "$arm" --base prescribed --gravity 0,0,0 \
    --base-acceleration 0,0,9.81,0,0,0
exits 0
near 1e-12 "$(row 1)" "$plain"

# A pose moves every frame, and a velocity every frame with it.
base_link=$("$ARNE" info "$arm" --json | sed -n '/"links"/,/"frames"/p' |
    sed -n 's/.*"name": "\([^"]*\)", "parent": null.*/\1/p')
arne compute pose "$arm" --base-pose $pose --frame "$base_link"
exits 0
near 1e-15 "$(row 1)" "1 2 3 1 0 0 0 1 0 0 0 1 0 0 0 1 0 0 0"
# R is written by rows: a quarter turn about z takes x to y.
arne compute pose "$arm" --base-pose 0,0,0,0,0,0.70710678118654757,0.70710678118654757 \
    --frame "$base_link" --json
prints '"R": [['
near 1e-15 "$(sed -n 's/.*"R": \(.*\), "quaternion.*/\1/p' "$T/out" | tr -d '[]' | tr ',' ' ')" \
    "0 -1 0 1 0 0 0 0 1"
arne compute velocity "$arm" --base prescribed --base-velocity 1,2,3,0.1,0.2,0.3 \
    --frame "$base_link" --axes body
near 1e-15 "$(row 1)" "1 2 3 0.1 0.2 0.3"

# A free base has its numbers first, or from options of its own.
arne compute pose "$arm" --base free --q $pose,0,0,0,0,0,0
exits 0
plain=$(row 1)
arne compute pose "$arm" --base free --base-pose $pose --q 0,0,0,0,0,0
exits 0
near 1e-15 "$(row 1)" "$plain"
arne compute velocity "$arm" --base free --qd 1,2,3,4,5,6,0,0,0,0,0,0 --frame "$base_link" \
    --axes body
near 1e-15 "$(row 1)" "1 2 3 4 5 6"
arne compute velocity "$arm" --base free --base-velocity 1,2,3,4,5,6 --qd 0,0,0,0,0,0 \
    --frame "$base_link" --axes body
near 1e-15 "$(row 1)" "1 2 3 4 5 6"

# Let go, it falls.
arne compute forward-dynamics "$ROBOTS/quadruped.urdf" --base free
exits 0
near 1e-9 "$(row 1)" "0 0 -9.81 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"

# At rest the ground carries the weight.
arne compute com "$arm"
weight=$(row 1 | awk '{printf "%.17g", $1 * 9.81}')
arne compute joint-wrenches "$arm" --json
near 1e-9 "$(sed -n 's/.*"base_wrench": {"force": \[\([^]]*\)\].*/\1/p' "$T/out" | tr ',' ' ')" \
    "0 0 $weight"

# What does not fit.
arne compute bias "$arm" --base-velocity 1,2,3,0,0,0
fails 2 "--base-velocity" "--base prescribed"
arne compute pose "$arm" --base free --base-pose $pose --q $pose,0,0,0,0,0,0
fails 1 "--q: 6 values are needed after the base's"
arne compute pose "$arm" --base free --q 0,0,0,0,0,0
fails 1 "--q: 13 values are needed, 6 are given"
arne compute pose "$arm" --base-pose 0,0,0,0,0,0,1.00001
fails 1 "quaternion"
arne compute pose "$arm" --base free --q 0,0,0,0,0,0,2,0,0,0,0,0,0
fails 1 "quaternion"
arne compute pose "$arm" --base-pose 0,0,0,0,0,0,1.0000005
exits 0
arne compute pose "$arm" --base-pose 0,0,0
fails 1 "--base-pose: 7 values are needed, 3 are given"
arne compute pose "$arm" --base flying
fails 2 "fixed|prescribed|free"

# Only a free base can be put on the ground.
printf 'robot: %s\nbase: prescribed\nduration: 0.1\ninitial: {height: ground}\n' \
    "$ROBOTS/quadruped.yaml" >"$T/ground.yaml"
arne simulate "$T/ground.yaml" -o "$T/ground"
fails 1 "height is of a free base"

finish
