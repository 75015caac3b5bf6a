#!/bin/sh
# test.sh EXAMPLE ARNE ROBOTS: the figures of the example, its files, and how it fails.
example=$1 arne=$2 robot=$3/stanford.yaml
. "$(dirname "$0")/../testing.sh"
csv=$T/stanford_torque_rate.csv svg=$T/stanford_torque_rate.svg

runs "$robot" "$T"

# The paper's check: 0.024022 +- 1e-5 N m/s at Ts = 1e-4 s, and growing with Ts.
awk '
    $1 == 0.0001 { first = $2; paper = $5 }
    $1 == 0.001 { second = $2 }
    $1 == 0.01 { third = $2 }
    END {
        if (!(first >= 0.024012 && first <= 0.024032) || paper != 0.02462) exit 1
        if (!(second / first >= 9.99 && second / first <= 10.01)) exit 1
        if (!(third / first >= 99.9 && third / first <= 100.1)) exit 1
    }' "$T/out" || fail "the differences of joint 1"

# Columns have names and units, rows have all their numbers, and the rates are the slopes of the
# torques.
head -1 "$csv" |
    grep -q '^t \[s\],q.joint1 \[rad\],.*,q.joint3 \[m\],.*,tau.joint3 \[N\],.*,tau_rate.joint6 \[N m/s\]$' ||
    fail "header: $(head -1 "$csv")"
awk -F, '
    NF != 37 { exit 1 }
    NR > 3 {
        for (i = 26; i <= 31; i++) {
            slope = ($i - two[i]) / ($1 - two[1]); error = slope - one[i + 6]
            if (error > 0.5 || error < -0.5) exit 1
        }
    }
    { for (i = 1; i <= NF; i++) { two[i] = one[i]; one[i] = $i } }
    END { if (NR != 202) exit 1 }' "$csv" || fail "the numbers of $csv"

# The program finds the same from those states: every digit that both print.
"$arne" compute torque-rate "$robot" --states "$csv" >"$T/again.csv" 2>/dev/null ||
    fail "arne compute torque-rate"
sed 1d "$csv" | cut -d, -f26-37 >"$T/ours"
sed 1d "$T/again.csv" | cut -d, -f2- | paste -d, "$T/ours" - | awk -F, '
    NF != 24 { exit 1 }
    { for (i = 1; i <= 12; i++) { d = $i - $(i + 12); if (d > 1e-9 || d < -1e-9) exit 1 } }
    END { if (NR != 201) exit 1 }' || fail "arne compute torque-rate differs"

# Two panels of six lines, with units.
[ "$(grep -c '<polyline points=' "$svg")" -eq 12 ] || fail "the plot has not twelve lines"
for title in 'torque [N m]' 'torque rate [N m/s]' 'time [s]'; do
    grep -qF "$title" "$svg" || fail "the plot has no '$title'"
done
[ "$(tail -1 "$svg")" = "</svg>" ] || fail "the plot is not complete"
! grep -q 'nan\|inf' "$svg" "$csv" || fail "not all numbers are finite"

refused 1 "$T/none.yaml" "$T"
refused 1 "$3/planar_2r.yaml" "$T"
refused 1 "$3/arm6.yaml" "$T" # an arm of six joints, but another one
refused 1 "$robot" "$T/none"
refused 2 "$robot" "$T" more
exit 0
