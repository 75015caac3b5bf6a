#!/bin/sh
# test.sh - ARNE ROBOTS: the motion is found, and its figures are what they were.
. "$(dirname "$0")/../plan_test.inc"
plan problem
within "$T/problem" objective 0.01 1
grep -q '"fatigue": {"repetitions": 40' "$T/problem/summary.json" || fail "no fatigue"
[ "$(grep -c '^[0-9]' "$T/problem/fatigue.csv")" -eq 40 ] || fail "repetitions"

# A box in both hands. Its derivatives are those of tests/test_plan_loads.c.
"$arne" plan "$here/box.yaml" --out "$T/box" >"$T/out" 2>"$T/err" || fail "box"
[ ! -s "$T/err" ] || fail "box: something on stderr"
within "$T/box" objective 0.488 0.508
within "$T/box" part_between 0 0.01
grep -q '"first_failed": 3[01], "joint": "S1_flex"' "$T/box/summary.json" ||
    fail "which joint tires"
head -1 "$T/box/result.csv" | grep -q 'contact.R_grip.fy' || fail "no forces of hands"
exit 0
