#!/bin/sh
# test.sh - ARNE ROBOTS: the derivatives of the problem, and what is said of measured gait that is
# none. The search itself, with all figures, is a test of the library.
arne=$2 problem=$(dirname "$0")/problem.yaml
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT

fail() {
    echo "FAIL: $1" >&2
    cat "$T/out" "$T/err" >&2
    exit 1
}

"$arne" plan "$problem" --check-derivatives >"$T/out" 2>"$T/err" ||
    fail "derivatives: exit status $?"
for text in torque contact_force frame_velocity Lagrangian; do
    grep -q "^$text " "$T/out" || fail "nothing about $text"
done

"$arne" plan "$(dirname "$0")/thesis.yaml" --check-derivatives >"$T/out" 2>"$T/err" ||
    fail "thesis: exit status $?"
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
value() { sed -n "s/.*\"$1\": \([^,}]*\).*/\1/p" "$T/walk/summary.json" | head -n 1; }
inside() { awk -v x="$2" -v low="$3" -v high="$4" \
    'BEGIN { exit !(x != "" && x + 0 >= low && x + 0 <= high) }' || fail "$1 is $2"; }
here=$(cd "$(dirname "$0")" && pwd)
# Local extremes of the vertical force of a foot, between which it changes by more than 5 % of the
# weight.
humps() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^grf.vertical/) column = i; up = 1; next }
        { x = $column + 0
          if (up ? x > best : x < best) best = x
          if (up ? x < best - 0.05 : x > best + 0.05) { count += up; up = !up; best = x } }
        END { print count }' "$T/walk/stride.csv"
}
for person in 'speed: 0.8' 'speed: 1.0' 'speed: 1.2' 'speed: 1.4' 'speed: 1.6' \
    'speed: 1.2\n  backpack: 5' \
    'speed: 1.2\n  backpack: 15' 'speed: 1.2\n  height: 1.6\n  mass: 55' \
    'speed: 1.2\n  height: 1.9\n  mass: 95'; do
    rm -rf "$T/walk"
    sed "s|speed: 1.2|$person|; s|^robot: .*|robot: $here/person.yaml|" "$problem" >"$T/walk.yaml"
    "$arne" plan "$T/walk.yaml" -q --out "$T/walk" >"$T/out" 2>"$T/err" || fail "$person"
    inside "least_vertical, $person" "$(value least_vertical)" -1e-6 1
    inside "friction_used, $person" "$(value friction_used)" 0.1 0.3001
    inside "loading_peak, $person" "$(value loading_peak)" 0.9 1.7
    inside "peaks of the vertical force, $person" "$(humps)" 1 2
    case $person in *1.[246]*) inside "peaks of the vertical force, $person" "$(humps)" 2 2 ;; esac
done
exit 0
