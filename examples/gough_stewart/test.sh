#!/bin/sh
# test.sh EXAMPLE ARNE ROBOTS: the figures of the example, its files, and how it fails.
example=$1 robot=$3/gough_stewart.yaml
. "$(dirname "$0")/../testing.sh"
csv=$T/gough_stewart.csv svg=$T/gough_stewart.svg

runs "$robot" "$T"
awk '/two ways differ/ { found = $5 + 0 < 1e-9 } END { exit !found }' "$T/out" ||
    fail "the two ways"

# Rows have all their numbers; lengths are those of legs; forces carry the weight where the platform
# passes the middle, and what the drives give in a period comes to nothing, as the motion does.
awk -F, '
    NF != 17 { exit 1 }
    NR == 1 { next }
    {
        for (i = 6; i <= 11; i++) {
            if (!($i > 0.55 && $i < 1.1)) exit 1
            if (NR > 2) work += ($i - last[i]) * ($(i + 6) + last[i + 6]) / 2
            if (NR > 2) moved += ($i - last[i]) ^ 2
        }
        for (i = 1; i <= NF; i++) last[i] = $i
    }
    END { if (NR != 242 || !(work < 0.01 && work > -0.01) || !(moved > 1e-3)) exit 1 }' "$csv" ||
    fail "the numbers of $csv"

[ "$(grep -c '<polyline points=' "$svg")" -eq 12 ] || fail "the plot has not twelve lines"
[ "$(tail -1 "$svg")" = "</svg>" ] || fail "the plot is not complete"
! grep -q 'nan\|inf' "$svg" "$csv" || fail "not all numbers are finite"

refused 1 "$T/none.yaml" "$T"
refused 1 "$3/delta.yaml" "$T"
refused 1 "$robot" "$T/none"
refused 2 "$robot" "$T" more
exit 0
