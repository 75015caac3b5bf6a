#!/bin/sh
# test.sh - ARNE ROBOTS: the motion is found, and its figures are what they were.
. "$(dirname "$0")/../plan_test.inc"
plan problem
within "$T/problem" objective 0.01 1
grep -q '"fatigue": {"repetitions": 40' "$T/problem/summary.json" || fail "no fatigue"
[ "$(grep -c '^[0-9]' "$T/problem/fatigue.csv")" -eq 40 ] || fail "repetitions"
exit 0
