#!/bin/sh
# speeds.sh ARNE [MEASURED.csv]: walking at 0.8 to 1.8 m/s, from one search from a rough guess.
# Solves problem.yaml, then the same on firmer ground with finer splines, then goes from speed to
# speed, each from the motion before. Prints a table: cadence in steps a minute, length of a step,
# correlations of hip, knee and ankle with measured walking, vertical forces of a foot, metabolic
# power, and its cost per mass and distance.
arne=$1 measured=$2 here=$(cd "$(dirname "$0")" && pwd)
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
weight=712.1 # N: 72.59 kg

# solve NAME SPEED [OPTION...]: on firm ground
solve() {
    name=$1 speed=$2
    shift 2
    sed "s|^robot: .*|robot: $here/walker.yaml|; s/-1\.3, 0, 0/-$speed, 0, 0/g
        s/control_points: 30/control_points: 40/
        s/stiffness: 1e5/stiffness: 2.5e5/; s/smoothing: 10 mm/smoothing: 5 mm/" \
        "$here/problem.yaml" >"$T/$name.yaml"
    "$arne" plan "$T/$name.yaml" -q --out "$T/$name" "$@" >>"$T/log" 2>&1
}

row() {
    if [ ! -f "$T/$1/summary.json" ]; then
        printf '| %s | no motion was found | | | | | |\n' "$2"
        return
    fi
    power=$(sed -n 's/.*"metabolic": \([0-9.e+]*\).*/\1/p' "$T/$1/summary.json" | head -n 1)
    T_=$(sed -n 's/^ *"T": \([^,]*\),*$/\1/p' "$T/$1/summary.json" | head -n 1)
    # shellcheck disable=SC2086
    figures=$(awk -v W=$weight -v speed="$2" -f "$here/stride.awk" $measured "$T/$1/result.csv")
    printf '| %s | %s | %s |\n' "$2" "$figures" \
        "$(awk -v e="$power" -v t="$T_" -v v="$2" -v w=$weight \
            'BEGIN { printf "%.0f | %.1f", e / t, e / t / v / (w / 9.81) }')"
}

echo '| m/s | cadence | step | hip, knee, ankle | peak, valley, peak | W | J/(kg m) |'
echo '|---|---|---|---|---|---|---|'
"$arne" plan "$here/problem.yaml" -q --out "$T/soft" >>"$T/log" 2>&1
solve at1.3 1.3 --warm "$T/soft"
from=at1.3
for speed in 1.2 1.0 0.8; do solve "at$speed" "$speed" --warm "$T/$from"; from=at$speed; done
from=at1.3
for speed in 1.4 1.6 1.8; do solve "at$speed" "$speed" --warm "$T/$from"; from=at$speed; done
for speed in 0.8 1.0 1.2 1.3 1.4 1.6 1.8; do row "at$speed" "$speed"; done
