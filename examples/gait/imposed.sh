#!/bin/sh
# imposed.sh ARNE MEASURED.csv: which part of the gait is imposed and which is predicted. Runs the problem as it is, then
# with one thing changed at a time, and prints a table of correlations with measured walking.
arne=$1 measured=$2 here=$(cd "$(dirname "$0")" && pwd)
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT

# Removes a section of a YAML file: its key and the indented lines below.
without() { awk -v key="$1:" '/^[^ #]/ { skip = index($0, key) == 1 } !skip' "$2"; }
value() { sed -n "s/^ *\"$1\": \([^,]*\),*\$/\1/p" "$T/run/summary.json" | head -n 1; }
number() { value "$1" | awk '{ printf "%.2f", $1 }'; }

# row NAME SED: the problem edited by SED.
row() {
    rm -rf "$T"/run*
    sed "s|^robot: .*|robot: ${robot:-$here/person.yaml}|; $2" "$here/problem.yaml" >"$T/problem.yaml"
    "$arne" plan "$T/problem.yaml" -q --normal "$measured" --out "$T/run" >"$T/log" 2>&1
    if [ -f "$T/run/summary.json" ]; then
        printf '| %s | %s | %s | %s | %s | %s, %s, %s |\n' "$1" "$(number objective)" "$(number correlation_hip)" \
            "$(number correlation_knee)" "$(number correlation_ankle)" "$(number loading_peak)" "$(number valley)" \
            "$(number push_off_peak)"
    else
        printf '| %s | no step was found | | | | |\n' "$1"
    fi
}

echo '| | effort and smoothness | hip | knee | ankle | peaks and valley, body weights |'
echo '|---|---|---|---|---|---|'
row 'as it is, 1.2 m/s' ''
for speed in 0.8 1.0 1.4 1.6; do row "at $speed m/s" "s/speed: 1.2/speed: $speed/"; done
row 'without clearance of the swinging foot' '/name: clearance/d'
row 'without hands beside the hips' '/name: .* hand beside/d'
row 'friction of 0.8' 's/friction: 0.3/friction: 0.8/'
row 'steps of 0.5 m' 's/speed: 1.2/speed: 1.2\n  step: 0.5/'
row 'steps of 0.7 m' 's/speed: 1.2/speed: 1.2\n  step: 0.7/'
row 'feet together for longer (a third of the step)' 's/speed: 1.2/speed: 1.2\n  borders: [2\/12, 4\/12, 9\/12]/'
for section in strength elastic; do
    robot=$T/$section.yaml
    without $section "$here/person.yaml" | sed "s|^extends: |extends: $here/|" >"$robot"
    case $section in
    strength) row 'equal strength in both directions' '' ;;
    *) row 'without passive stiffness' '' ;;
    esac
done
