#!/bin/sh
# test.sh EXAMPLE ARNE ROBOTS: the figures of the map, the picture, and how it fails.
example=$1 robot=$3/five_bar.yaml
. "$(dirname "$0")/../testing.sh"
svg=$T/five_bar.svg

runs "$robot" "$T"

# Cranks of 0.25 m and couplers of 0.35 m on bearings 0.3 m apart: two discs of 0.6 m overlap in a
# lens of 0.7747 m^2, less two discs of 0.1 m that the couplers do not reach into. The cells are 6
# mm wide.
awk '
    /workspace/ { area = $2 }
    / %$/ { sum += $(NF - 1) }
    /condition up to 2 / { best = $(NF - 1) }
    /in line: singular/ { singular = 1 }
    /10 mm above/ { near = $NF }
    END {
        pi = atan2(0, -1); half = atan2(sqrt(0.36 - 0.0225), 0.15)
        exact = 2 * 0.36 * half - 0.3 * sqrt(0.36 - 0.0225) - 2 * pi * 0.01
        if (!(area > 0.995 * exact && area < 1.005 * exact)) exit 1
        if (!(sum > 99.6 && sum < 100.4) || !(best > 20)) exit 1
        if (!singular || !(near > 20 && near < 60)) exit 1
    }' "$T/out" || fail "the figures"

# All classes are there, and the bars.
for colour in '#1a6b54' '#e3d985' '#8c1c2b'; do
    [ "$(grep -c "fill='$colour'" "$svg")" -gt 3 ] || fail "too little of $colour"
done
[ "$(grep -c '<polyline' "$svg")" -eq 2 ] || fail "the bars"
[ "$(tail -1 "$svg")" = "</svg>" ] || fail "the picture is not complete"
! grep -q 'nan\|inf' "$svg" || fail "not all numbers are finite"

refused 1 "$T/none.yaml" "$T"
refused 1 "$3/four_bar.yaml" "$T"
refused 1 "$robot" "$T/none"
refused 2 "$robot" "$T" more
exit 0
