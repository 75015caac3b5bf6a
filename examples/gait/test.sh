#!/bin/sh
# test.sh - ARNE ROBOTS: the derivatives of the problem, and what is said of measured gait that is none. The search itself, with
# all figures, is a test of the library.
arne=$2 problem=$(dirname "$0")/problem.yaml
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT

fail() {
    echo "FAIL: $1" >&2
    cat "$T/out" "$T/err" >&2
    exit 1
}

"$arne" plan "$problem" --check-derivatives >"$T/out" 2>"$T/err" || fail "derivatives: exit status $?"
for text in torque contact_force frame_velocity Lagrangian; do
    grep -q "^$text " "$T/out" || fail "nothing about $text"
done

"$arne" plan "$(dirname "$0")/thesis.yaml" --check-derivatives >"$T/out" 2>"$T/err" || fail "thesis: exit status $?"
for text in ground arms frame_velocity Lagrangian; do
    grep -q "^$text " "$T/out" || fail "nothing about $text"
done

printf 'pct,knee\n0,1\n100,1\n' >"$T/normal.csv"
"$arne" plan "$problem" --normal "$T/normal.csv" >"$T/out" 2>"$T/err"
[ $? -eq 1 ] || fail "a table without hips: exit status"
grep -q "normal.csv:1: the column 'hip_flex_schwartz_deg' is missing" "$T/err" || fail "its message"
"$arne" plan "$problem" --normal "$T/none.csv" >"$T/out" 2>"$T/err"
[ $? -eq 1 ] || fail "no table: exit status"
