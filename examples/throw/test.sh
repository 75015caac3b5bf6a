#!/bin/sh
# test.sh - ARNE ROBOTS: the greatest speed of a thrown ball is found, and joints follow one
# another.
. "$(dirname "$0")/../plan_test.inc"
plan problem
within "$T/problem" objective -11.9 -11.2
within "$T/problem" part_between 0 0.01
# The shoulder is fastest before the elbow, and no joint is faster than 40 rad/s.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { split($i, w, " "); at[w[1]] = i } next }
    { for (name in at) if (name ~ /^qd\./) {
          speed = $at[name] < 0 ? -$at[name] : $at[name]
          if (speed > most[name]) { most[name] = speed; when[name] = $at["time"] }
          if (speed > 40) exit 1 } }
    END { exit !(when["qd.R_sh_flex"] < when["qd.R_el_flex"] - 0.03 && most["qd.R_el_flex"] > 20) }' \
    "$T/problem/result.csv" || fail "speeds of joints"
exit 0
