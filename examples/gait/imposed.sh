#!/bin/sh
# imposed.sh ARNE MEASURED.csv [PAGE.md]: which part of the gait is imposed and which is predicted.
# Runs the problem as it is, then with one thing changed at a time, and prints a table: correlations
# with measured walking, the vertical force of a foot, how the right shoulder goes with the left hip
# (correlation of their flexion), and the twist of the trunk. With a page (docs/gait.md), the table
# between its lines `<!-- imposed.sh` and `<!-- end` is replaced.
arne=$1 measured=$2 page=${3:-} here=$(cd "$(dirname "$0")" && pwd)
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT

# Removes a section of a YAML file: its key and the indented lines below.
without() { awk -v key="$1:" '/^[^ #]/ { skip = index($0, key) == 1 } !skip' "$2"; }
value() { sed -n "s/.*\"$1\": \([^,}]*\).*/\1/p" "$T/run/summary.json" | head -n 1; }
number() { value "$1" | awk '{ printf "%.2f", $1 }'; }

# Correlation of R_sh_flex and L_hip_flex, and the range of the sum of S1_rot to S4_rot in degrees.
arms_and_twist() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { split($i, w, " "); at[w[1]] = i } next }
        { x = $at["q.R_sh_flex"]; y = $at["q.L_hip_flex"]; n++; sx += x; sy += y; xx += x * x; yy += y * y; xy += x * y
          t = 57.29578 * ($at["q.S1_rot"] + $at["q.S2_rot"] + $at["q.S3_rot"] + $at["q.S4_rot"])
          if (n == 1 || t < low) low = t
          if (n == 1 || t > high) high = t }
        END { printf "%.2f | %.0f", (n * xy - sx * sy) / sqrt((n * xx - sx * sx) * (n * yy - sy * sy)), high - low }' \
        "$T/run/result.csv"
}

# row NAME SED: the problem edited by SED.
row() {
    rm -rf "$T"/run*
    sed "s|^robot: .*|robot: ${robot:-$here/person.yaml}|; $2" "$here/problem.yaml" \
        >"$T/problem.yaml"
    "$arne" plan "$T/problem.yaml" -q --normal "$measured" --out "$T/run" >"$T/log" 2>&1
    if [ -f "$T/run/summary.json" ]; then
        printf '| %s | %s | %s | %s | %s | %s, %s, %s | %s |\n' "$1" "$(number objective)" \
            "$(number correlation_hip)" \
            "$(number correlation_knee)" "$(number correlation_ankle)" "$(number loading_peak)" \
            "$(number valley)" \
            "$(number push_off_peak)" "$(arms_and_twist)"
    else
        printf '| %s | no step was found | | | | | | |\n' "$1"
    fi
}

table() {
    echo '| | effort and smoothness | hip | knee | ankle | peaks and valley, body weights | arms | twist, degrees |'
    echo '|---|---|---|---|---|---|---|---|'
    row 'as it is, 1.2 m/s' ''
    for speed in 0.8 1.0 1.4 1.6; do row "at $speed m/s" "s/speed: 1.2/speed: $speed/"; done
    row 'without clearance of the swinging foot' '/name: clearance/d'
    row 'the same at 1.0 m/s' '/name: clearance/d; s/speed: 1.2/speed: 1.0/'
    row 'without hands beside the hips' '/name: .* hand beside/d'
    row '1.6 m and 55 kg' 's/speed: 1.2/speed: 1.2\n  height: 1.6\n  mass: 55/'
    row 'a backpack of 15 kg' 's/speed: 1.2/speed: 1.2\n  backpack: 15/'
    row 'friction of 0.8' 's/friction: 0.3/friction: 0.8/'
    row 'steps of 0.5 m' 's/speed: 1.2/speed: 1.2\n  step: 0.5/'
    row 'steps of 0.7 m' 's/speed: 1.2/speed: 1.2\n  step: 0.7/'
    row 'feet together for longer (a third of the step)' \
        's/speed: 1.2/speed: 1.2\n  borders: [2\/12, 4\/12, 9\/12]/'
    row 'effort by torque vectors' 's/speed: 1.2/speed: 1.2\n  torque_vectors: true/'
    row 'the same without hands beside the hips' \
        's/speed: 1.2/speed: 1.2\n  torque_vectors: true/; /name: .* hand beside/d'
    for section in strength elastic; do
        robot=$T/$section.yaml
        without $section "$here/person.yaml" | sed "s|^extends: |extends: $here/|" >"$robot"
        case $section in
        strength) row 'equal strength in both directions' '' ;;
        *) row 'without passive stiffness' '' ;;
        esac
    done
}

table | tee "$T/table"
[ -z "$page" ] && exit 0
grep -q '<!-- imposed.sh' "$page" || { echo "$page has no place for the table" >&2; exit 1; }
awk -v table="$T/table" '/<!-- end/ { skip = 0 }
    !skip
    /<!-- imposed.sh/ { skip = 1; print ""; while ((getline line < table) > 0) print line; print "" }' \
    "$page" >"$T/page" && cp "$T/page" "$page"
