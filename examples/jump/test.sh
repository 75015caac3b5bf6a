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
"$arne" check "$here/squat.yaml" >"$T/out" 2>"$T/err" || fail "squat.yaml"
[ -n "${ARNE_LONG:-}" ] || exit 0 # it takes a minute
plan human
within "$T/human" objective 0.6 0.72
within "$T/human" part_between 0 0.01
grep -q '"phase": "land", "contact": "R_heel"' "$T/human/summary.json" || fail "no impulses"
# Without phases: the impulse of the ground on the feet is the weight (712.2 N) times the duration.
"$arne" plan "$here/squat.yaml" --out "$T/squat" >"$T/out" 2>"$T/err" || fail "squat"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { split($i, w, " "); at[w[1]] = i } next }
    { t = $at["time"]; f = $at["contact.foot.0.fy"] + $at["contact.foot.1.fy"]
      if (NR > 2) sum += (t - was) * (f + before) / 2
      was = t; before = f }
    END { part = sum / (712.2 * was); exit !(part > 0.99 && part < 1.01) }' "$T/squat/result.csv" ||
    fail "the impulse of the ground"
exit 0
