#!/bin/sh
# test.sh - ARNE ROBOTS: the motion is found, and its figures are what they were.
. "$(dirname "$0")/../plan_test.inc"
plan problem
within "$T/problem" part_between 0 0.01
within "$T/problem" objective 17 24
awk '/"most": / { sub(/.*"most": /, ""); if ($0 + 0 > 1.02) exit 1 }' "$T/problem/summary.json" ||
    fail "a torque beyond its limit"
head -1 "$T/problem/result.csv" | grep -q 'contact.front_left_up.fz' || fail "no forces of contacts"
"$arne" check "$here/human.yaml" >"$T/out" 2>"$T/err" || fail "human.yaml"
[ -n "${ARNE_LONG:-}" ] || exit 0 # it takes half a minute
plan human
within "$T/human" objective 0.25 0.27
within "$T/human" part_between 0 0.01
exit 0
