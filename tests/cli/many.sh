#!/bin/sh
# Files of many states, which are computed all at once: the numbers are those of each state alone.
. "$(dirname "$0")/checks.inc"

robot=$ROBOTS/arm6.yaml
few=$T/few.csv
all=$T/all.csv

# 70 states, and a file with the last three of them.
awk 'BEGIN {
    for (p = 1; p <= split("q qd qdd qddd tau", part, " "); p++)
        for (j = 1; j <= 6; j++) printf "%s%s.joint%d", (p + j == 2 ? "" : ","), part[p], j
    printf "\n"
    for (s = 0; s < 70; s++) {
        for (k = 0; k < 30; k++) printf "%s%.15g", (k ? "," : ""), 2 * sin(1 + s * 0.7 + k * 1.3)
        printf "\n"
    }
}' >"$all"
(head -1 "$all" && tail -3 "$all") >"$few"

for quantity in inverse-dynamics gravity bias coriolis-matrix mass-matrix inverse-mass-matrix \
    forward-dynamics energy torque-rate inverse-dynamics-derivatives forward-dynamics-derivatives \
    regressor "forward-dynamics --method matrix" "hybrid-dynamics --given joint2,joint5" \
    "jacobian --frame link6" "jacobian --frame link6 --rate" "operational-inertia --frame link6"; do
    # One state and many go by other ways there, and both lose digits with the condition of the mass
    # matrix.
    case $quantity in operational*) digits=1e-9 ;; *) digits=1e-12 ;; esac
    for wrench in "" "--wrench link6=1,2,3,0.4,0.5,0.6"; do
        # shellcheck disable=SC2086 # several words
        arne compute $quantity "$robot" --quiet $wrench --states "$few"
        exits 0
        for i in 1 2 3; do eval "alone$i=\$(row $i)"; done
        # shellcheck disable=SC2086
        arne compute $quantity "$robot" --quiet $wrench --states "$all"
        exits 0
        [ "$(wc -l <"$T/out")" -eq 71 ] || fail "not one row per state"
        # shellcheck disable=SC2154
        for i in 1 2 3; do eval "near $digits \"\$(row $((67 + i)))\" \"\$alone$i\""; done
    done
done

# A prescribed base moves the same in all states.
base="--base prescribed --base-pose 1,2,3,0,0,0.6,0.8 --base-velocity 1,0,0,0,1,2 --base-acceleration 0,1,2,3,2,1"
# shellcheck disable=SC2086
arne compute inverse-dynamics "$robot" $base --states "$few"
last_row=$(row 3)
# shellcheck disable=SC2086
arne compute inverse-dynamics "$robot" $base --states "$all"
near 1e-12 "$(row 70)" "$last_row"

# --order reaches these numbers too.
arne compute gravity "$robot" --states "$all"
plain=$(row 70)
names=$(sed -n '1{s/tau\.//g;p}' "$T/out")
reversed=$(echo "$names" | awk -F, \
    '{ for (i = NF; i > 0; i--) printf "%s%s", $i, (i == 1 ? "" : ",") }')
arne compute gravity "$robot" --order "$reversed" --states "$all"
near 1e-15 "$(row 70 | awk '{ for (i = NF; i > 0; i--) printf "%s ", $i }')" "$plain"

finish
