#!/bin/sh
# test.sh - ARNE ROBOTS: the small sweep. All rows run; errors of 10 % leave the tracking error of
# every row near that of the file's robot.
example=$2
. "$(dirname "$0")/../testing.sh"
"$example" sweep "$(dirname "$0")/sweep.yaml" -o "$T/s" --quiet >"$T/out" 2>"$T/err" ||
    fail "exit status $?"
awk -F, 'NR > 1 && ($NF != "ok" || $(NF - 3) < 0.05 || $(NF - 3) > 0.2) { bad = 1 } END { exit bad || NR != 41 }' "$T/s/table.csv" ||
    fail "not forty good rows"
