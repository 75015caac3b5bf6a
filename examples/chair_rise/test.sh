#!/bin/sh
# test.sh - ARNE ROBOTS: muscles lift the person from the chair.
. "$(dirname "$0")/../plan_test.inc"
"$arne" check "$here/problem.yaml" "$here/weak_quadriceps.yaml" >"$T/out" 2>"$T/err" || fail "check"
[ -n "${ARNE_LONG:-}" ] || exit 0 # it takes several seconds
plan problem
within "$T/problem" objective 0.54 0.60
within "$T/problem" part_between 0 0.05
head -1 "$T/problem/result.csv" | grep -q 'force.vasti' || fail "no forces of muscles"
exit 0
