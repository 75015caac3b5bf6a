#!/bin/sh
# test.sh - ARNE ROBOTS: the arm that was recorded is found.
arne=$2 robots=$3
LC_ALL=C # awk would read decimal commas
export LC_ALL
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
sh "$(dirname "$0")/run.sh" "$arne" "$robots" "$T/run" >"$T/out" 2>&1 || { cat "$T/out"; exit 1; }
grep -q '"consistent": true' "$T/run/found/summary.json" || { echo "FAIL: not consistent"; exit 1; }
[ -s "$T/run/found/report.html" ] || { echo "FAIL: no page"; exit 1; }
# Friction of the first joint: 12 N m s/rad.
awk -F, '$1 == "\"joint1.viscous\"" { found = $3; s = $4 } END { exit !(found - 12 < 4 * s && 12 - found < 4 * s) }' \
    "$T/run/found/parameters.csv" || { echo "FAIL: joint1.viscous"; exit 1; }
