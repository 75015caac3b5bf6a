#!/bin/sh
# Motions that repeat: what is periodic or symmetric in a problem file holds between the first and
# the last row of the result.
. "$(dirname "$0")/checks.inc"
cd "$T" || exit 1
cp "$ROBOTS/planar_2r.yaml" arm.yaml

# problem CONSTRAINT...: a file with these.
problem() {
    cat >p.yaml <<'END'
robot: arm.yaml
spline: {degree: 3, control_points: 10}
time: 1
start: {position: {joint1: 0.1}}
objective: [{quantity: acceleration, weight: 1}]
constraints:
END
    for constraint; do echo "  - {$constraint}" >>p.yaml; done
}
# value ROW NAME: of the result; the row is 1 or $.
value() {
    sed '/^#/d' run/result.csv | awk -F, -v row="$1" -v name="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) { gsub(/"| \[.*/, "", $i); if ($i == name) at = i } next }
        { x = $at; if (row == 1 && NR == 2) exit }
        END { print x }'
}

problem 'periodic: [position, velocity], joints: [joint1], offset: {joint1: 0.5}' \
    'symmetry: [position, velocity], pairs: [[joint2, joint1, -1, 0.3]]'
arne plan p.yaml -q -o run
if grep -q 'has no solver\|libarne_ipopt' err; then finish; fi
exits 0
near 1e-6 "$(value 1 q.joint1)" 0.1
near 1e-6 "$(value '$' q.joint1)" 0.6
near 1e-6 "$(value 1 qd.joint1)" "$(value '$' qd.joint1)"
near 1e-6 "$(value 1 q.joint2)" "-0.3"
near 1e-6 "$(value 1 qd.joint2)" "$(value '$' qd.joint1 | awk '{ print -$1 }')"

problem 'symmetry: [position]'
arne plan p.yaml -q -o run
fails 1 "p.yaml:7" "pairs"
problem 'symmetry: [position], pairs: [[joint1]]'
arne plan p.yaml -q -o run
fails 1 "p.yaml:7" "[joint, joint, sign, offset]"
problem 'symmetry: [position], pairs: [[all, joint1]]'
arne plan p.yaml -q -o run
fails 1 "p.yaml:7" "names 2 coordinates, not one"
problem 'symmetry: [position], pairs: [[joint1, joint2, often]]'
arne plan p.yaml -q -o run
fails 1 "p.yaml:7" "often"
problem 'periodic: [wobble]'
arne plan p.yaml -q -o run
fails 1 "p.yaml:7" "wobble"
problem 'periodic: [position], joints: [joint1], offset: {elbow: 1}'
arne plan p.yaml -q -o run
fails 1 "p.yaml:7" "elbow"
finish
