#!/bin/sh
# test.sh - ARNE ROBOTS: the jump is found, and phases take what they may.
. "$(dirname "$0")/../plan_test.inc"
plan problem
within "$T/problem" T 1.199 1.201
within "$T/problem" objective 21.3 21.7
within "$T/problem" part_between 0 0.01
head -1 "$T/problem/result.csv" | grep -q 'contact.front_left_foot.fz' ||
    fail "no forces of contacts"
"$arne" check "$here/human.yaml" >"$T/out" 2>"$T/err" || fail "human.yaml"
[ -n "${ARNE_LONG:-}" ] || exit 0 # it takes a minute
plan human
within "$T/human" objective 0.6 0.72
within "$T/human" part_between 0 0.01
grep -q '"phase": "land", "contact": "R_heel"' "$T/human/summary.json" || fail "no impulses"
exit 0
