#!/bin/sh
# Every quantity gives its keys, the same numbers in JSON and CSV, and matrices of the right shape.
. "$(dirname "$0")/checks.inc"

arm=$ROBOTS/arm6.yaml
state="--q 0.1,-0.7,0.9,0.4,-0.5,0.6 --qd 1,-0.5,0.3,0.2,0.1,-1 --qdd 0.5,1,-1,2,0,1 --tau 1,2,3,1,0.5,0.1"
last_link=$("$ARNE" info "$arm" --json | sed -n '/"links"/,/"frames"/p' |
    sed -n 's/.*"name": "\([^"]*\)".*/\1/p' | tail -1)

# The keys of the outermost objects, in their order.
keys() {
    awk '{
        for (i = 1; i <= length($0); i++) {
            c = substr($0, i, 1)
            if (c == "{" || c == "[") depth++
            else if (c == "}" || c == "]") depth--
            else if (c == "\"") {
                text = ""
                while ((c = substr($0, ++i, 1)) != "\"") text = text c
                if (depth == 2 && substr($0, i + 1, 1) == ":") printf "%s ", text
            }
        }
    } END { if (depth != 0) print "unbalanced" }' "$T/out"
}

# The numbers that stand between brackets, without keys.
numbers() {
    sed 's/"[^"]*":\{0,1\}//g' "$T/out" | tr -cs '0-9.e+-' '\n' | sed '/^$/d' | tr '\n' ' '
}

check() {
    wanted=$1 quantity=$2
    shift 2
    # shellcheck disable=SC2086
    arne compute "$quantity" "$arm" $state --json "$@"
    exits 0
    silent
    [ "$(keys)" = "$wanted" ] || fail "keys are '$(keys)', not '$wanted'"
    in_json=$(numbers)
    # shellcheck disable=SC2086
    arne compute "$quantity" "$arm" $state "$@"
    exits 0
    in_csv=$(row 1 | sed 's/[a-z ]*$//')
    [ "$(echo $in_json)" = "$(echo $in_csv)" ] || fail "JSON and CSV differ: $in_json | $in_csv"
    [ "$(sed -n 1p "$T/out" | tr ',' '\n' | wc -l)" \
        -eq "$(sed -n 2p "$T/out" | tr ',' '\n' | wc -l)" ] ||
        fail "header and row have different lengths"
}

check "frames " pose
check "frames " velocity
check "frames " acceleration
check "frames " acceleration --spatial --axes body
check "J " jacobian --frame "$last_link"
check "J Jdot " jacobian --frame "$last_link" --rate --axes world
check "mass com com_velocity " com
check "kinetic potential " energy
check "momentum A " momentum
check "A " centroidal-matrix
check "com_jacobian " com-jacobian
check "tau " inverse-dynamics
check "tau " gravity
check "tau " bias
check "joint_wrenches base_wrench " joint-wrenches
check "C " coriolis-matrix
check "M " mass-matrix
check "Minv " inverse-mass-matrix
check "Lambda " operational-inertia --frame "$last_link"
check "qdd " forward-dynamics
check "qdd " forward-dynamics --method matrix
check "qdd " forward-dynamics-matrix
check "tau qdd " hybrid-dynamics --given joint2,joint5
check "frames " jerk --qddd 1,2,3,4,5,6
check "tau tau_rate " torque-rate --qddd 1,2,3,4,5,6
check "dtau_dq dtau_dqd dtau_dqdd " inverse-dynamics-derivatives
check "dqdd_dq dqdd_dqd dqdd_dtau " forward-dynamics-derivatives
check "joint_wrenches " wrench-derivatives
check "dvelocity_dq dvelocity_dqd dacceleration_dq dacceleration_dqd dacceleration_dqdd " \
    frame-motion-derivatives --frame "$last_link"
check "momentum_rate dmomentum_dq dmomentum_dqd dmomentum_rate_dq dmomentum_rate_dqd dmomentum_rate_dqdd " \
    centroidal-derivatives
check "d2tau_dq2 d2tau_dqd2 d2tau_dqdqd d2tau_dqdqdd " second-derivatives

# Inverse kinematics from where the frame already is.
arne compute pose "$arm" --q 0.1,-0.7,0.9,0.4,-0.5,0.6 --frame "$last_link"
target=$(row 1 | awk '{print $1 "," $2 "," $3}')
check "q error status " inverse-kinematics --frame "$last_link" --position "$target"
arne compute inverse-kinematics "$arm" --frame "$last_link" --position "$target" --json
exits 0
prints '"status": "ok"'

# Shapes.
arne compute mass-matrix "$arm" --json
[ "$(tr -cd '[' <"$T/out" | wc -c)" -eq 8 ] || fail "M has not six rows"
arne compute jacobian "$arm" --frame "$last_link" --json
[ "$(tr -cd '[' <"$T/out" | wc -c)" -eq 8 ] || fail "J has not six rows"
arne compute pose "$arm" --json --frame "$last_link"
prints "\"frames\": {\"$last_link\": {\"p\": ["
prints '"R": [['
arne compute joint-wrenches "$arm" --json
prints '"base_wrench": {"force": ['
prints '"moment": ['
arne compute velocity "$arm" --json --frame "$last_link"
prints "{\"$last_link\": {\"lin\": ["
prints '"ang": ['

# Forward dynamics undoes inverse dynamics, by either method, from the shell too.
# shellcheck disable=SC2086
arne compute inverse-dynamics "$arm" $state
tau=$(row 1 | tr ' ' ',')
for method in recursive matrix; do
    arne compute forward-dynamics "$arm" --q 0.1,-0.7,0.9,0.4,-0.5,0.6 --qd 1,-0.5,0.3,0.2,0.1,-1 \
        --tau "$tau" --method $method
    near 1e-10 "$(row 1)" "0.5 1 -1 2 0 1"
done

# bias includes friction and gravity does not: they differ at a velocity, not at rest.
puma=$ROBOTS/puma560.yaml
arne compute gravity "$puma" --q 0,pi/4,pi,0,pi/4,0
gravity=$(row 1)
near 1e-4 "$gravity" "0 31.6399 6.0351 0 0.0283 0"
arne compute bias "$puma" --q 0,pi/4,pi,0,pi/4,0
near 1e-14 "$(row 1)" "$gravity"
arne compute bias "$puma" --q 0,pi/4,pi,0,pi/4,0 --qd 1e-9,0,0,0,0,0
[ "$(row 1)" != "$gravity" ] || fail "bias has no friction"
arne compute bias "$puma" --q 0,pi/4,pi,0,pi/4,0 --qd 1e-9,0,0,0,0,0 --no-friction
near 1e-8 "$(row 1)" "$gravity"
arne compute inverse-dynamics "$puma" --q 0,pi/4,pi,0,pi/4,0 --qd 1,1,1,1,1,1 --qdd 1,1,1,1,1,1
near 1e-5 "$(row 1)" "32.4952 60.8670 17.7436 1.4545 1.2991 0.7138"
arne compute mass-matrix "$puma"
with=$(row 1)
arne compute mass-matrix "$puma" --no-rotor
[ "$(row 1)" != "$with" ] || fail "--no-rotor has no effect"

# Gravity is what the option says.
arne compute gravity "$arm" --gravity 0,0,0
near 1e-15 "$(row 1)" "0 0 0 0 0 0"

finish
