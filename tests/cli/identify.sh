#!/bin/sh
# The regressor times the parameters is the torque, and the base parameters are printed with their
# groups.
. "$(dirname "$0")/checks.inc"

planar=$ROBOTS/planar_2r.yaml
state="--q 0.3,0.5 --qd 1,-2 --qdd 3,0.7"

# All columns have names: of the torque, and of the link or joint.
# shellcheck disable=SC2086
arne compute regressor "$planar" $state
exits 0
silent
prints "Y.joint1.link1.m,Y.joint1.link1.mcx"
prints "Y.joint2.joint2.rotor_inertia"
# m, m cx, ..., Izz of both links as the file has them, about the far ends; friction and rotors are
# zero.
link="0.5 -0.1 0 0 0.01 0 0.12 0 0 0.12"
torque=$(row 1 | awk -v pi="$link $link" '{
    n = split(pi, p, " ")
    for (r = 0; r < 2; r++) { s = 0; for (i = 1; i <= n; i++) s += $(r * NF / 2 + i) * p[i]; printf "%.17g ", s }
}')
# shellcheck disable=SC2086
arne compute inverse-dynamics "$planar" $state
near 1e-12 "$torque" "$(row 1)"

arne compute base-parameters "$planar"
exits 0
silent
prints "parameter,value,grouping"
prints ",link1.Izz + 0.16 link1.m + 0.8 link1.mcx + 0.16 link2.m"
prints ",link2.Izz - 0.16 link2.m"
[ "$(wc -l <"$T/out")" -eq 5 ] || fail "not four parameters"
near 1e-12 "$(cut -d, -f2 "$T/out" | sed 1d | tr '\n' ' ')" "0.2 0.1 0 0.04"

# With weight in the plane of the motion the first link's first moments show too.
arne compute base-parameters "$planar" --gravity 0,-9.81,0 --json
exits 0
prints '"rank": 6'
prints '"name": "link1.mcy"'
arne compute base-parameters "$ROBOTS/puma560.yaml" --json
exits 0
prints '"rank": 36'
# The first axis of an arm that hangs on a wall is not along gravity.
arne compute base-parameters "$ROBOTS/puma560.yaml" --base-pose 0,0,0,0.5,0.5,0.5,0.5 --json
exits 0
prints '"rank": 38'
# A free base has ten of its own, and every revolute joint adds seven.
arne compute base-parameters "$ROBOTS/puma560.yaml" --base free --json
exits 0
prints '"rank": 52'

cat >"$T/still.urdf" <<'END'
<robot name="still"><link name="base"/></robot>
END
arne compute base-parameters "$T/still.urdf" --json
exits 0
prints '"rank": 0, "parameters": []'
arne compute regressor "$T/still.urdf" --json
exits 0
prints '"Y": []'

arne compute base-parameters "$ROBOTS/none.yaml"
fails 1 "none.yaml"

# A folder that holds somebody's file is refused before the work: nothing is printed, and the file
# stays.
mkdir "$T/mine"
echo kept >"$T/mine/notes.txt"
arne identify design "$planar" --starts 1 --iterations 1 --period 2 -o "$T/mine"
fails 1 "notes.txt"
nothing
[ "$(cat "$T/mine/notes.txt")" = kept ] || fail "the file is gone"
finish
