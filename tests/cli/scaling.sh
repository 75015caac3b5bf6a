#!/bin/sh
# A reference that is slowed while it runs: bounds hold in every row, the path is kept, and it
# arrives in time.
. "$(dirname "$0")/checks.inc"

arne simulate examples/stanford_scaled/scenario.yaml --out "$T/run"
exits 0
awk -F, '
function abs(x) { return x < 0 ? -x : x }
NR == 1 {
    for (i = 1; i <= NF; i++) { name = $i; sub(/ .*/, "", name); at[name] = i }
    split("10.398 116.98 77.12 1.9666 2.9978 5.473e-4", torque, " ")
    split("65.71 118.15 73.37 0.89436 1.5591 3.0167e-3", rate, " ")
    split("1.5707963267948966 0 0 1.5707963267948966 0.78539816339744828 1.5707963267948966", from, " ")
    split("0.78539816339744828 1.5707963267948966 2 0.78539816339744828 1.5707963267948966 0", to, " ")
    next
}
{
    part = $at["q.joint3"] / 2
    for (j = 1; j <= 6; j++) {
        if (!(abs($at["tau.joint" j]) <= torque[j] * (1 + 1e-6))) bad("torque " j)
        if (!(abs($at["tau_rate.joint" j]) <= rate[j] * (1 + 1e-6))) bad("torque rate " j)
        if (!(abs($at["q.joint" j] - from[j] - part * (to[j] - from[j])) <= 1e-9)) bad("path " j)
    }
    if (part < 1 - 1e-9) last = $1
}
function bad(what) { printf "row %d: %s\n", NR, what; failed = 1 }
END { if (!(last > 3.3 && last < 3.6)) bad("arrives at " last); exit failed }
' "$T/run/result.csv" >"$T/out" || fail "$(head -3 "$T/out")"

# Bounds that would make it last for ever are refused.
cat >"$T/slow.yaml" <<END
robot: $ROBOTS/planar_2r.yaml
duration: 1
drive: reference
reference: {type: waypoints, times: [0, 0.5, 1], points: [[0, 0], [1, 1], [0, 0]], interpolation: quintic, scaling: {torque: 1e-5, sample_time: 0.002}}
END
arne simulate "$T/slow.yaml" -o "$T/slow"
fails 1 "slow.yaml:4" "takes more than 200 s: raise the bounds, or give it more time"

finish
