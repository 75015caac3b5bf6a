#!/bin/sh
# Where the platform stands: test.sh - ARNE ROBOTS
example=$2
here=$(dirname "$0")
. "$here/../testing.sh"

# stands Q WRENCH: the position of the platform, in mm
stands() {
    runs compute equilibrium "$here/platform.yaml" --q "$1" --wrench "top=$2" \
        --wrench-fixed-in world \
        --given drive1,drive2,drive3,drive4,drive5,drive6
    q=$(tail -n 1 "$T/out")
    runs compute pose "$here/platform.yaml" --frame top --q "$q"
    tail -n 1 "$T/out" | awk -F, '{ printf "%.2f %.2f %.2f\n", 1000 * $1, 1000 * $2, 1000 * $3 }'
}

# Without loads the rods are straight. Three ways to push two neighbours out, a third of a turn
# apart, move the platform as far and as high.
[ "$(stands drive1=0 0,0,0,0,0,0 | tr -d -)" = "0.00 0.00 400.00" ] ||
    fail "it does not rest at home"
for pair in drive1=0.04,drive2=0.04 drive3=0.04,drive4=0.04 drive5=0.04,drive6=0.04; do
    stands $pair 0,0,0,0,0,0
done |
    awk '{ far = sqrt($1 * $1 + $2 * $2); print far, $3, atan2($2, $1) * 57.29577951 }' >"$T/places"
awk 'NR > 1 {
        if (far - $1 > 0.02 || $1 - far > 0.02 || high - $2 > 0.02 || $2 - high > 0.02) exit 1
        turned = $3 - angle
        if (turned < 0) turned += 360
        if (turned < 119.9 || turned > 120.1) exit 1
    }
    { far = $1; high = $2; angle = $3 }
    END { exit !(NR == 3 && far > 50) }' "$T/places" || {
    cat "$T/places"
    fail "three pushes a third of a turn apart differ"
}
