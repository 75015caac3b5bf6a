#!/bin/sh
# test.sh - ARNE ROBOTS: a person walks by muscles, without bounds that describe walking.
. "$(dirname "$0")/../plan_test.inc"
"$arne" check "$here/problem.yaml" >"$T/out" 2>"$T/err" || fail "check"
"$arne" check "$here/running.yaml" >"$T/out" 2>"$T/err" || fail "check running"
# it says what it misses between points
"$arne" plan "$here/kick.yaml" --out "$T/kick" >"$T/out" 2>"$T/err"
code=$?
grep -q 'this build has no solver' "$T/err" && exit 0
[ $code -eq 0 ] || fail "kick: exit status $code"
within "$T/kick" objective -12.8 -12
[ -n "${ARNE_LONG:-}" ] || exit 0 # it takes ten seconds and more
"$arne" plan "$here/problem.yaml" --out "$T/walk" >"$T/out" 2>"$T/err" || fail "plan"
within "$T/walk" T 0.55 0.62
within "$T/walk" objective 0.105 0.118
awk -v W=712.1 -v speed=1.3 -f "$here/stride.awk" "$T/walk/result.csv" >"$T/stride" || fail "stride"
# cadence | step | | first peak, valley, second peak
awk -F'[|,]' '{ exit !($1 > 97 && $1 < 110 && $4 > 1.05 && $5 < 0.9 && $6 > 0.9) }' "$T/stride" ||
    fail "$(cat "$T/stride")"
exit 0
