#!/bin/sh
# arne plan: what it leaves, and how problem files fail.
. "$(dirname "$0")/checks.inc"

examples=$HERE/../../examples
problem=$examples/two_link_min_time/problem.yaml

arne plan "$problem" --out "$T/run"
if grep -q 'planning needs Ipopt' "$T/err"; then
    echo "no solver in this build: nothing to test"
    exit 0
fi
exits 0
silent
prints "status             optimal"

# --- the folder ----------------------------------------------------------------------------------

for key in T objective iterations status violation violation_between solve_time; do
    grep -q "\"$key\": " "$T/run/summary.json" || fail "no $key in the summary"
done
[ "$(echo "$T"/run.*)" = "$T/run.*" ] || fail "something is left beside the folder"
# The copies make a problem of their own.
arne plan "$T/run/inputs/problem.yaml" --out "$T/again"
exits 0
cmp -s "$T/run/control_points.csv" "$T/again/control_points.csv" ||
    fail "the copies give another motion"
# Where it runs does not matter: Ipopt would take options from a file there.
(mkdir "$T/elsewhere" && cd "$T/elsewhere" && echo 'max_iter 1' >ipopt.opt &&
    "$ARNE" plan "$problem" -q --out "$T/there") 2>"$T/err" ||
    fail "a file ipopt.opt keeps it from the optimum"
cmp -s "$T/run/control_points.csv" "$T/there/control_points.csv" ||
    fail "a file ipopt.opt gives another motion"
# A run replaces a run, and nothing else.
arne plan "$problem" -q --out "$T/run"
exits 0
nothing
mkdir "$T/mine" && echo >"$T/mine/notes.txt"
arne plan "$problem" -q --out "$T/mine"
fails 1 "mine" "other files"
[ "$(ls "$T/mine")" = notes.txt ] || fail "something was written"

# --- warm starts, refinement, logs
# -----------------------------------------------------------------

arne plan "$problem" --warm "$T/run" --out "$T/warm"
exits 0
cold=$(sed -n 's/ *"T": \(.*\),/\1/p' "$T/run/summary.json") \
    warm=$(sed -n 's/ *"T": \(.*\),/\1/p' "$T/warm/summary.json")
near 1e-6 "$warm" "$cold" || fail "another optimum: $warm, not $cold"
steps=$(sed -n 's/ *"iterations": \(.*\),/\1/p' "$T/warm/summary.json")
[ "$steps" -le 3 ] || fail "$steps iterations from the optimum itself"
sed "s#\.\./\.\./robots#$ROBOTS#; s/points: 50/points: 20/" "$problem" >"$T/coarse.yaml"
arne plan "$T/coarse.yaml" -q --out "$T/coarse"
arne plan "$T/coarse.yaml" -q --refine 6 --log "$T/log" --out "$T/fine"
exits 0
[ -s "$T/log" ] || fail "no log"
if [ -w /dev/full ]; then
    arne plan "$T/coarse.yaml" -q --log /dev/full
    fails 1 "/dev/full: cannot be written"
fi
arne plan "$T/coarse.yaml" -q --log "$T/none/log"
fails 1 "none/log: cannot be written"
missed() { sed -n 's/ *"violation_between": \(.*\),/\1/p' "$T/$1/summary.json"; }
awk -v a="$(missed coarse)" -v b="$(missed fine)" 'BEGIN { exit !(a > 0.5 && b < 0.05) }' ||
    fail "missed by $(missed coarse), refined $(missed fine)"
arne plan "$problem" --feasibility-first
exits 0
prints "T                  0.392"

# --- threads, starts
# -------------------------------------------------------------------------------

for jobs in 1 3; do
    arne plan "$problem" -q --jobs $jobs --out "$T/jobs$jobs"
    exits 0
    cmp -s "$T/run/control_points.csv" "$T/jobs$jobs/control_points.csv" ||
        fail "another plan by $jobs threads"
    arne plan "$problem" --starts 3 --seed 5 -j $jobs --out "$T/starts$jobs"
    exits 0
    prints "$T/starts$jobs/report.html"
    grep -v 'time\|report.html' "$T/out" >"$T/starts$jobs.txt"
done
cmp -s "$T/starts1.txt" "$T/starts3.txt" || fail "other optima by other processes"
[ "$(grep -c '^[056]  .*optimal' "$T/starts1.txt")" -eq 3 ] || fail "not three starts"
arne plan "$problem" --jobs 0
fails 2 "--jobs takes a whole number from 1 to 1024"

# --- bad files
# -------------------------------------------------------------------------------------

# bad LINE TEXT...: the problem with everything after its robot as on stdin.
bad() {
    line=$1
    shift
    { echo "robot: $ROBOTS/planar_2r.yaml" && cat; } >"$T/bad.yaml"
    arne plan "$T/bad.yaml" --out "$T/none"
    fails 1 "bad.yaml:$line:" "$@"
    [ ! -e "$T/none" ] || fail "a folder was made"
}

bad 2 "unknown key 'objectives'" <<!
objectives: []
!
bad 3 "'happiness' is not one of: position, velocity" <<!
objective:
  - {quantity: happiness}
!
bad 3 "there is no frame or link 'nose'" <<!
constraints:
  - {quantity: frame_position, frame: nose, equal: [0, 0, 0], at: end}
!
bad 2 "elbow" "is no joint" <<!
start: {position: {elbow: 1}}
!
bad 3 "there is no joint 'elbow'" <<!
constraints:
  - {quantity: wrench, joint: elbow, component: force, upper: 3}
!
bad 3 "there is no component 'up'" <<!
constraints:
  - {quantity: wrench, joint: joint1, component: up, upper: 3}
!
bad 3 "lower bound 3 is above the upper bound 2" <<!
constraints:
  - {quantity: torque, lower: 3, upper: 2}
!
bad 4 "'position' wants at least 0.5 where 'position at the start' of line 2 wants at most 0" \
    "no motion" <<!
start: {position: 0}
constraints:
  - {quantity: position, lower: 0.5, joints: joint2}
!
bad 4 "'torque' wants at least 3" "of line 3 wants at most 2" <<!
constraints:
  - {quantity: torque, upper: 2, name: weak}
  - {quantity: torque, lower: 3}
!
bad 3 "a bound (lower, upper, equal or limits) is missing" <<!
constraints:
  - {quantity: torque}
!
bad 2 "more than 3 control points" <<!
spline: {degree: 3, control_points: 3}
!
bad 3 "start, end or a part of the motion" <<!
constraints:
  - {quantity: torque, lower: 3, at: 2}
!
bad 3 "pairs is missing" <<!
constraints:
  - {symmetry: [position]}
!
bad 2 "has no meaning along a path" <<!
start: {position: 0}
path: {points: [[0, 0], [1, 1]]}
!
echo "robot: nowhere.yaml" >"$T/bad.yaml"
arne plan "$T/bad.yaml"
fails 1 "nowhere.yaml"
arne plan "$T/nothing.yaml"
fails 1 "nothing.yaml"
arne plan
fails 2 "PROBLEM"

# --- what cannot be done
# ---------------------------------------------------------------------------

sed "s#\.\./\.\./robots#$ROBOTS#; s/^time: .*/time: 0.3/" "$problem" >"$T/short.yaml"
arne plan "$T/short.yaml" --out "$T/none"
fails 1 "short.yaml:14: " "no motion of 40 control points within the limits" \
    "exceeds torque of joint 'joint1' (line 14) by" " N m at t = "
[ ! -e "$T/none" ] || fail "a folder was made"
grep -q '"complete": false' "$T/none.incomplete/summary.json" || fail "the best motion was not kept"

# --- derivatives
# -----------------------------------------------------------------------------------

arne plan "$problem" --check-derivatives
exits 0
prints "complex step"
prints "Lagrangian"

# A deviation that costs is none: the motion is the reference, numbers or a table that is stretched
# over it.
cat >"$T/deviation.yaml" <<YAML
robot: $ROBOTS/planar_2r.yaml
time: 1
spline: {degree: 3, control_points: 8}
objective: [{quantity: deviation, reference: {joint1: 0.3, joint2: -0.2}}]
YAML
arne plan "$T/deviation.yaml" -q -o "$T/still"
exits 0
near 1e-9 "$(tail -n 1 "$T/still/result.csv" | cut -d, -f2,3 | tr , ' ')" "0.3 -0.2"
printf 'time,q.joint1 [deg],q.joint2\n0,0,1\n1,90,1\n2,180,1\n' >"$T/reference.csv"
sed 's/{joint1: 0.3, joint2: -0.2}/reference.csv/' "$T/deviation.yaml" >"$T/table.yaml"
arne plan "$T/table.yaml" -q -o "$T/line"
exits 0
near 1e-6 "$(tail -n 1 "$T/line/result.csv" | cut -d, -f2,3 | tr , ' ')" "3.14159265358979 1"
sed 's/q.joint1 \[deg\]/q.joint1 [kg]/' "$T/reference.csv" >"$T/other.csv"
mv "$T/other.csv" "$T/reference.csv"
arne plan "$T/table.yaml" -q -o "$T/none"
fails 1 "column 'q.joint1' has the unit 'kg'"
sed 's/q.joint1 \[kg\]/q.joint7/' "$T/reference.csv" >"$T/other.csv"
mv "$T/other.csv" "$T/reference.csv"
arne plan "$T/table.yaml" -q -o "$T/none"
fails 1 "name no joint coordinate"

finish
