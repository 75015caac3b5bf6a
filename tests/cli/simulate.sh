#!/bin/sh
# arne simulate: the folder it leaves, how runs end before their time, and what is wrong with a
# scenario, by file and line.
. "$(dirname "$0")/checks.inc"

cp "$ROBOTS/arm6.yaml" "$ROBOTS/five_bar.yaml" "$ROBOTS/quadruped.urdf" "$T"
mkdir "$T/robots"
cat >"$T/robots/heavy.yaml" <<'END'
extends: ../arm6.yaml
bodies: [{name: link6, mass: 3}]
END
printf 'time [s],fx [N]\n0,0\n0.2,30\n' >"$T/push.csv"
good='robot: robots/heavy.yaml
duration: 0.3
reference: {type: point_to_point, to: [0.5, -0.5, 0.5, 0.3, 0.2, -0.4], duration: 0.3}
controller: {type: computed_torque, kp: 400, kd: 40, sample_time: 0.001}
surroundings: [{type: push, frame: link6, table: push.csv, axes: world}]
integrator: {method: rk4, step: 0.001}
record: {every: 0.01, columns: [q, qd, qdd, tau, tau_rate, reference, error, energy, momentum, base, wrench]}
figures: [{name: Error, column: error.joint1, measure: peak, unit: rad, published: 0, within: 1}]
plots: [{title: A plot, x: time, y: [tau.joint1, tau.joint2]}]'
scenario() { printf '%s\n' "$1" >"$T/s.yaml"; }
# with LINE: the good scenario with its line of that key replaced (or added).
with() { { printf '%s\n' "$good" | grep -v "^${1%%:*}:"; printf '%s\n' "$1"; } >"$T/s.yaml"; }
key() { sed -n "s/^  \"$1\": \([^,]*\),*$/\1/p" "$T/run/summary.json"; }

scenario "$good"
arne simulate "$T/s.yaml" --out "$T/run" --check
exits 0
silent
prints "$T/run/report.html"
for file in result.csv summary.json report.html inputs/s.yaml inputs/heavy.yaml inputs/arm6.yaml \
    inputs/push.csv; do
    [ -s "$T/run/$file" ] || fail "there is no $file"
done
for name in rms_error peak_error energy_residual closure_error limits_hit steps solve_time \
    realtime_ratio; do
    [ -n "$(key $name)" ] || fail "the summary has no $name"
done
[ "$(key complete)" = true ] || fail "the run is not complete"
[ "$(key steps)" = 300 ] || fail "not 300 steps"
[ "$(wc -l <"$T/run/result.csv")" -eq 32 ] || fail "not 31 rows"
head -n 1 "$T/run/result.csv" | grep -qF 'time [s],q.joint1 [rad],' ||
    fail "the header is not as it should be"
[ "$(echo "$T"/run.*)" = "$T/run.*" ] || fail "something is left beside the folder"

# A robot that is held at rest has no energy residual worth the name; a figure may be how far
# something got.
scenario 'robot: arm6.yaml
duration: 0.2
initial: {q: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}
controller: {type: computed_torque, kp: 400, kd: 40}
integrator: {method: rk4, step: 0.001}
record: {every: 0.1, columns: [q, energy]}
figures: [{name: Change, column: time, measure: change, unit: s, published: 0.2, within: 1e-9}]'
arne simulate "$T/s.yaml" --out "$T/rest" --check --quiet
exits 0
sed -n 's/^  "energy_residual": \([^,]*\),*$/\1/p' "$T/rest/summary.json" |
    awk '{exit !($1 >= 0 && $1 < 1e-6)}' ||
    fail "the energy residual at rest is $(grep energy_residual "$T/rest/summary.json")"

# The inputs are all it takes to run again, with the same result; a run replaces a run.
cp "$T/run/result.csv" "$T/first.csv"
mv "$T/run/inputs" "$T/again"
mkdir "$T/run/inputs"
arne simulate "$T/again/s.yaml" --out "$T/run" --quiet
exits 0
silent
nothing
cmp -s "$T/first.csv" "$T/run/result.csv" || fail "the inputs do not give the same result"

# But nothing else.
mkdir "$T/mine"
echo precious >"$T/mine/thesis.tex"
arne simulate "$T/s.yaml" --out "$T/mine"
fails 1 "$T/mine" "other files"
[ -s "$T/mine/thesis.tex" ] || fail "a file is gone"

# Figures that are not as they should be.
with 'figures: [{name: Error, column: error.joint1, measure: peak, unit: rad, published: 1, within: 1e-3}]'
arne simulate "$T/s.yaml" --out "$T/run" --check
exits 1
says "Error"

# What is wrong, by file and line.
bad() {
    with "$1"
    shift
    rm -rf "$T"/run*
    arne simulate "$T/s.yaml" --out "$T/run"
    fails 1 "$@"
    [ "$(echo "$T"/run*)" = "$T/run*" ] || fail "something is left"
}
bad 'controller: {type: magic}' "$T/s.yaml:9" "magic" "computed_torque"
bad 'controller: {type: pd, kp: [1, 2], kd: 1}' "$T/s.yaml:9" "kp" "needs 6 numbers" "has 2"
bad 'controller: {type: pd, kp: 1}' "$T/s.yaml:9" "kd is missing"
bad 'controller: {type: pd, kp: {knee: 1}, kd: 1}' "$T/s.yaml:9" "knee"
bad 'reference: {type: point_to_point, to: 7, duration: 0.3}' "$T/s.yaml:9" "joint1" "limit"
bad 'reference: {type: sinusoid, offset: 0}' "$T/s.yaml:9" "harmonics is missing"
bad 'reference: {type: table, file: missing.csv}' "missing.csv"
bad 'reference: {type: table, file: push.csv}' "$T/s.yaml:9" "reference"
bad 'duration: 0' "$T/s.yaml:9" "duration" "must be positive"
bad 'duration: soon' "$T/s.yaml:9" "soon"
bad 'integrator: {method: rk4, step: -0.001}' "$T/s.yaml:9" "step" "must be positive"
bad 'integrator: {method: rk4}' "$T/s.yaml:9" "needs a step"
bad 'integrator: {method: leapfrog}' "$T/s.yaml:9" "leapfrog"
bad 'record: {columns: [q, heat]}' "$T/s.yaml:9" "heat"
bad 'figures: [{name: Error, column: error.joint9}]' "$T/s.yaml:9" "error.joint9"
bad 'plots: [{x: time, y: [tau.joint1, q.nothing]}]' "$T/s.yaml:9" "q.nothing"
bad 'surroundings: [{type: push, frame: tail, table: push.csv}]' "$T/s.yaml:9" "tail"
bad 'surroundings: [{type: push, frame: link6}]' "$T/s.yaml:9" "table"
bad 'colour: red' "$T/s.yaml:10" "unknown key 'colour'"
bad 'robot: nowhere.yaml' "nowhere.yaml"
bad 'initial: {q: [1, 2, 3]}' "$T/s.yaml:10" "initial" "needs 6 numbers"
bad 'drive: reference' "$T/s.yaml:10" "controller"
bad 'base: hovering' "$T/s.yaml:10" "hovering"
bad 'payloads: [{frame: link6, mass: -1}]' "$T/s.yaml:10"
scenario 'robot: five_bar.yaml
duration: 1
initial: {q: {motor1: 1, elbow1: 0}}'
arne simulate "$T/s.yaml" --out "$T/run"
fails 1 "$T/s.yaml:3" "elbow1 is not assembled: the loops close at"
scenario 'robot: quadruped.urdf
duration: 1
base: free
initial: {q: {base: [0, 0, 1, 0, 0, 0, 2]}}'
arne simulate "$T/s.yaml" --out "$T/run"
fails 1 "$T/s.yaml:4"
scenario '- robot'
arne simulate "$T/s.yaml" --out "$T/run"
fails 1 "$T/s.yaml:1"
arne simulate "$T/nothing.yaml"
fails 1 "nothing.yaml"
arne simulate
fails 2

# A run that diverges leaves what there was, marked so, beside its place.
with 'controller: {type: pd, kp: 1e9, kd: 1e7, torque_limits: 1e300}'
rm -rf "$T"/run*
arne simulate "$T/s.yaml" --out "$T/run"
exits 1
says "diverged at t = "
says "joint '"
says "$T/run.incomplete"
[ ! -e "$T/run" ] || fail "it is in the place of a complete run"
mv "$T/run.incomplete" "$T/run"
[ "$(key complete)" = false ] || fail "the run says that it is complete"
[ -s "$T/run/result.csv" ] && [ -s "$T/run/report.html" ] || fail "what there was is gone"
grep -q 'nan\|inf' "$T/run/result.csv" && fail "the last state is not a good one"

# The account of energy where joints stop at limits (steps of the rigid model): torques, friction of
# both kinds and stops are all in it.
cat >"$T/two.yaml" <<'END'
name: two
gravity: [0, -9.81, 0]
bodies: [{name: base}, {name: a, mass: 2, com: [0.3, 0, 0], inertia: [0.01, 0.06, 0.06]}, {name: b, mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02]}]
joints:
  - {name: j, kind: revolute, parent: base, child: a, axis: [0, 0, 1], limits: {lower: -0.4, upper: 0.5}, friction: {viscous: 1, coulomb: [0.4, 0.2]}}
  - {name: k, kind: revolute, parent: a, child: b, axis: [0, 0, 1], origin: {xyz: [0.5, 0, 0]}, limits: {lower: -0.8, upper: 1}, friction: {viscous: 0.3, coulomb: 0.1}}
END
cat >"$T/held.yaml" <<'END'
robot: two.yaml
duration: 1
record: {every: 0.02}
limits: hold
reference: {type: sinusoid, harmonics: [{frequency: 7, amplitude: [0.3, 0.6]}]}
controller: {type: pd, kp: [20, 5], kd: [2, 0.5]}
integrator: {method: rk4, step: 0.0002}
END
arne simulate "$T/held.yaml" --out "$T/held"
exits 0
prints "stopped at its lower limit -0.4 rad"
left=$(sed -n 's/.*"energy_residual": \([^,]*\).*/\1/p' "$T/held/summary.json")
awk -v x="$left" 'BEGIN { exit !(x != "" && x < 1e-3) }' || fail "energy residual $left"

# With rigid ground limits hold, and the summary says so.
{
    grep -v '^limits\|^integrator' "$T/held.yaml"
    echo 'surroundings: [{type: ground, friction: 0.3, point: [0, 0, -5]}]'
} >"$T/ground.yaml"
echo 'contacts: [{link: b, point: [0.4, 0, 0]}]' >>"$T/two.yaml"
arne simulate "$T/ground.yaml" --out "$T/ground"
exits 0
prints "stopped at its lower limit -0.4 rad"
grep -q passed "$T/out" && fail "a limit that holds was passed"

# A disk that is full: nothing is left.
with 'record: {every: 0.0001}'
rm -rf "$T"/run*
last="arne simulate on a full disk"
(trap '' XFSZ; ulimit -f 16; exec "$ARNE" simulate "$T/s.yaml" --out "$T/run") >"$T/out" 2>"$T/err"
status=$?
fails 1
[ "$(echo "$T"/run*)" = "$T/run*" ] || fail "something is left"

# Steps that do not advance the time are named.
for keys in 'duration: 5e-324' 'duration: 1, integrator: {method: rk4, step: 1e-300}' \
    'duration: 1, controller: {type: pd, kp: 1, kd: 1, sample_time: 1e-300}' \
    'duration: 1, record: {every: 1e-300}'; do
    printf '{robot: "%s", %s}\n' "$ROBOTS/planar_2r.yaml" "$keys" >"$T/never.yaml"
    last="arne simulate, $keys"
    timeout 20 "$ARNE" simulate "$T/never.yaml" -o "$T/never" >"$T/out" 2>"$T/err"
    status=$?
    exits 1
    says "too short"
done

# A robot file may be called anything.
mkdir "$T/odd names"
cp "$ROBOTS/planar_2r.yaml" "$T/odd names/arm #1: [a].yaml"
printf 'robot: "arm #1: [a].yaml"\nduration: 0.01\n' >"$T/odd names/run.yaml"
for again in 1 2; do
    arne simulate "$T/odd names/run.yaml" -o "$T/odd" --quiet
    exits 0
done
arne simulate "$T/odd/inputs/run.yaml" -o "$T/odd2" --quiet
exits 0

# Muscles drive an arm: activations of a table, which must have the names of muscles.
cat >"$T/muscled.yaml" <<'YAML'
bodies: [{name: base}, {name: fore, mass: 1, com: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}]
joints: [{name: elbow, kind: revolute, parent: base, child: fore, axis: [0, 0, 1]}]
muscles:
  - {name: biceps, law: thelen, max_force: 200, fibre_length: 0.15, slack_length: 0.15,
     points: [{link: base, position: [-0.25, 0.03, 0]}, {link: fore, position: [0.05, 0, 0]}]}
YAML
printf 'time,biceps\n0,0.1\n0.1,0.5\n' >"$T/biceps.csv"
printf 'robot: muscled.yaml\nduration: 0.1\ncontroller: {type: muscles, file: biceps.csv, excitation: yes}\n' >"$T/muscled_run.yaml"
arne simulate "$T/muscled_run.yaml" -o "$T/muscled" --quiet
exits 0
awk -F, 'END {exit !($2 > 0.01)}' "$T/muscled/result.csv" || fail "the arm did not bend"
printf 'time,triceps\n0,0.1\n0.1,0.5\n' >"$T/biceps.csv"
arne simulate "$T/muscled_run.yaml" -o "$T/muscled" --quiet
fails 1 "biceps.csv:1: no column has the name of a muscle, as 'biceps'"
finish
