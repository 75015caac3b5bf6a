#!/bin/sh
# arne plan: 0 is a motion that keeps all constraints and is as accurate as asked for; anything else
# is 1, and said.
. "$(dirname "$0")/checks.inc"

cp "$HERE/../data/optima/cart.yaml" "$T"
base() { # the problem, then lines of its own
    printf 'robot: cart.yaml\nspline: {control_points: 8}\nstart: {position: 0, velocity: 0}\nend: {position: 1, velocity: 0}\n' >"$T/p.yaml"
    printf '%s\n' "$@" >>"$T/p.yaml"
    rm -rf "$T/run" "$T/run.incomplete"
}
free='time: {start: 3, least: 0.1, most: 9}'
least='objective: [{quantity: time}]'
limits='constraints: [{quantity: torque, limits: true}]'
kept() { [ -f "$T/run.incomplete/result.csv" ] && [ ! -d "$T/run" ] ||
    fail "the motion is not kept as incomplete"; }
written() { [ -f "$T/run/result.csv" ] || fail "no motion is written"; }

base "$free" "$least" "$limits"
arne plan "$T/p.yaml" --out "$T/run"
if grep -q 'planning needs Ipopt' "$T/err"; then
    echo "no solver in this build: nothing to test"
    exit 0
fi
exits 0
silent
written

# Time that is to be least, and that nothing limits: said before the search, or after it.
base 'time: {start: 3, most: 9}' "$least"
arne plan "$T/p.yaml" --out "$T/run"
fails 1 "time is to be least, but nothing limits how fast the robot moves"
base 'time: {start: 3, most: 9}' "$least" 'constraints: [{quantity: velocity, upper: 1e9}]'
arne plan "$T/p.yaml" --out "$T/run"
fails 1 "takes 0.001 s, the least that is assumed"
base "$free" "$least" # the least time is given: that is the answer
arne plan "$T/p.yaml" --out "$T/run"
exits 0

# The iterations run out, with and without a motion that keeps the constraints.
for count in 1 4; do
    base "$free" "$least" "$limits" "solver: {iterations: $count}"
    arne plan "$T/p.yaml" --out "$T/run"
    fails 1 "iterations ran out"
    kept
done

# Nothing keeps the constraints.
base 'time: 1' 'objective: [{quantity: torque}]' "$limits"
arne plan "$T/p.yaml" --out "$T/run"
fails 1 "no motion of 8 control points within the limits was found" "torque of joint 'x'"
kept

# Limits are exceeded between grid points: refined away; not within the rounds that are allowed; not
# asked for.
coarse='grid: {points: 3}'
tight='constraints: [{quantity: velocity, upper: 1.2}]'
base 'time: 1' 'objective: [{quantity: acceleration}]' "$coarse" "$tight"
arne plan "$T/p.yaml" --out "$T/run"
exits 0
written
base 'time: 1' 'objective: [{quantity: jerk}]' \
    'constraints: [{quantity: acceleration, from: 0.2, to: 0.8, equal: 0.1}]' \
    'solver: {refine: 1, between: 1e-9}'
arne plan "$T/p.yaml" --out "$T/run"
exits 1
kept
base 'time: 1' 'objective: [{quantity: acceleration}]' "$coarse" \
    'constraints: [{quantity: velocity, upper: 1.2, from: 0.1, to: 0.4}]' 'solver: {refine: 0}'
arne plan "$T/p.yaml" -q --out "$T/run"
exits 0
says "warning: 'velocity' is missed between grid points"
written

# Splines that are too coarse for the accuracy: an error where it is asked for, else a warning.
base "$free" "$least" "$limits"
arne plan "$T/p.yaml" --converge 1e-9 -q --out "$T/run"
fails 1 "not converged: the objective still changes by"
written
grep -q '"converged": false' "$T/run/summary.json" || fail "the summary says that it is converged"
base "$free" "$least" "$limits" 'solver: {converge: 1e-9}'
arne plan "$T/p.yaml" -q --out "$T/run"
fails 1 "not converged: the objective still changes by"
base "$free" "$least" "$limits" 'solver: {converge: 1e-2}'
arne plan "$T/p.yaml" --converge 0 --out "$T/run"
exits 0
prints "converged          not checked"

# Contacts on level ground say nothing of where along it the motion is.
cat >"$T/hopper.yaml" <<'END'
base: free
bodies:
  - {name: trunk, mass: 10, inertia: [0.1, 0.1, 0.1]}
  - {name: leg, mass: 1, com: [0, 0, -0.2], inertia: [0.01, 0.01, 0.001]}
joints:
  - {name: slide, kind: prismatic, parent: trunk, child: leg, axis: [0, 0, -1]}
END
hopper() { # what is given at the start besides
    cat >"$T/p.yaml" <<END
robot: hopper.yaml
time: 1
contacts: [{name: foot, frame: leg, point: [0, 0, -0.5], friction: 0.8}]
frozen: {base.rx: 0, base.ry: 0, base.rz: 0}
start: {position: {slide: 0$1}, velocity: 0}
end: {position: {slide: 0.2}, velocity: 0}
objective: [{quantity: torque, joints: [slide]}]
END
}
hopper ''
arne check "$T/p.yaml"
exits 0
says 'nothing says where along x the motion is'
says 'nothing says where along y the motion is'
hopper ', base.x: 0, base.y: 0'
arne check "$T/p.yaml"
exits 0
! grep -q 'nothing says where' "$T/err" || fail \
    "a motion that starts at a given place is said to have none"

# A radian in a second, from rest to rest, is faster than one a second somewhere: a limit below that
# is passed unless velocities are limited, and one far above is not.
quick() { # the limit of joint1, more lines of the problem
    sed "s/limits: {effort: 10}/limits: {effort: 10, velocity: $1}/" "$ROBOTS/planar_2r.yaml" \
        >"$T/quick.yaml"
    printf '%s\n' 'robot: quick.yaml' 'time: 1' 'start: {position: 0, velocity: 0}' \
        'end: {position: {joint1: 1, joint2: 0}, velocity: 0}' \
        'objective: [{quantity: acceleration}]' "$2" >"$T/p.yaml"
    arne plan "$T/p.yaml"
    exits "$3"
}
quick 0.9 '' 0
says "joint 'joint1' moves at"
says 'faster than its limit 0.9'
quick 1.2 'constraints: [{quantity: velocity, limits: true}]' 0
silent
quick 9 '' 0
silent
finish
