#!/bin/sh
# The plan is found, and after it the hand of the arm trembles a hundredth of what it does after a
# motion of the same duration that does not care: test.sh - ARNE ROBOTS
. "$(dirname "$0")/../plan_test.inc"
plan problem
within "$T/problem" T 0.4 0.55
T_end=$(sed -n 's/^ *"T": \([0-9.]*\),*$/\1/p' "$T/problem/summary.json")

# trembles REFERENCE: how far the hand moves in the 2.4 s after 0.6 s
trembles() {
    printf 'robot: %s\nduration: 3\ndrive: reference\nreference: {%s}\nrecord: {every: 0.01}\n' \
        "$here/rods.yaml" "$1" >"$T/scenario.yaml"
    rm -rf "$T/run"
    "$arne" simulate "$T/scenario.yaml" --quiet --out "$T/run" >"$T/out" 2>"$T/err" || fail "$1"
    "$arne" compute pose "$here/rods.yaml" --states "$T/run/result.csv" --frame hand --quiet |
        awk -F, 'NR > 1 && $1 > 0.6 {
            if (!n++) { a = b = $2; c = d = $3 }
            if ($2 < a) a = $2
            if ($2 > b) b = $2
            if ($3 < c) c = $3
            if ($3 > d) d = $3
        }
        END { printf "%.1f\n", 1000 * sqrt((b - a) ^ 2 + (d - c) ^ 2) }'
}

planned=$(trembles "type: table, file: $T/problem/result.csv, interpolation: rates")
plain=$(trembles "type: point_to_point, from: 0, to: {shoulder: 1, elbow: -0.6}, duration: $T_end")
echo "the hand moves by $planned mm after the plan, by $plain mm after a plain motion"
awk -v a="$planned" -v b="$plain" 'BEGIN { exit !(a > 0 && a < 20 && b > 50 * a) }' ||
    fail "it trembles by $planned mm, after a plain motion by $plain mm"
