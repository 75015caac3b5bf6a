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

# The search itself with contacts, at five speeds: in long tests only.
[ -n "${ARNE_LONG-}" ] || exit 0
value() { sed -n "s/^    \"$1\": \([^,]*\),*\$/\1/p" "$T/walk/summary.json"; }
inside() { awk -v x="$2" -v low="$3" -v high="$4" 'BEGIN { exit !(x != "" && x + 0 >= low && x + 0 <= high) }' || fail "$1 is $2"; }
robots=$(cd "$3" && pwd)
for speed in 0.8 1.0 1.2 1.4 1.6; do
    rm -rf "$T/walk"
    sed "s|speed: 1.2|speed: $speed|; s|^robot: .*|robot: $robots/human.yaml|" "$problem" >"$T/walk.yaml"
    "$arne" plan "$T/walk.yaml" -q --out "$T/walk" >"$T/out" 2>"$T/err" || fail "$speed m/s"
    inside "least_vertical at $speed m/s" "$(value least_vertical)" -1e-6 1
    inside "friction_used at $speed m/s" "$(value friction_used)" 0 0.8001
    inside "loading_peak at $speed m/s" "$(value loading_peak)" 0.9 1.5
done
exit 0
