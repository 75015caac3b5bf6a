#!/bin/sh
# The plan is found, its cables alone bring the hand there, and the arm keeps clear of the pipe:
# test.sh - ARNE ROBOTS
. "$(dirname "$0")/../plan_test.inc"
plan problem
within "$T/problem" objective 0.12 0.2
awk -f "$here/pulls.awk" "$T/problem/result.csv" >"$T/pulls.csv"
sed "s|arm.yaml|$here/arm.yaml|; s|pulls.csv|$T/pulls.csv|" "$here/scenario.yaml" \
    >"$T/scenario.yaml"
"$arne" simulate "$T/scenario.yaml" --quiet --out "$T/run" >"$T/out" 2>"$T/err" || fail "simulate"

# place FRAME: its x, y, z over time
place() {
    "$arne" compute pose "$here/arm.yaml" --states "$T/run/result.csv" --frame "$1" --quiet \
        2>"$T/err" |
        awk -F, 'NR > 1 { print $2, $3, $4 }'
}

place hand | tail -n 1 | awk '{
    d = sqrt(($1 - 0.12) ^ 2 + $2 ^ 2 + ($3 + 0.18) ^ 2)
    exit !(d < 5e-3)
}' || fail "the hand is not behind the pipe"
for frame in segment1_tip plate2 middle2 quarter3 middle3 hand; do
    place "$frame" |
        awk '{ if (sqrt(($1 - 0.06) ^ 2 + ($3 + 0.18) ^ 2) < 0.033) exit 1 } END { if (NR < 100) exit 1 }' ||
        fail "$frame touches the pipe"
done
exit 0
