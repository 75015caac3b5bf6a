#!/bin/sh
# Generated code of closed mechanisms: compiled, run, and equal to the library's; what cannot be is
# refused by name.
set -eu
: "${ARNE:?the program}" "${ROBOTS:?the folder of robots}"
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
functions=pose,inverse-dynamics,gravity,bias,mass-matrix,forward-dynamics,regressor

command -v cc >/dev/null || { echo "no compiler was found" >&2; exit 1; }
for robot in five_bar four_bar slider_crank planar_3rrr palletiser; do
    for precision in double float; do
        rm -rf "$T/code"
        "$ARNE" generate "$ROBOTS/$robot.yaml" --functions $functions --precision $precision \
            --name one -o "$T/code"
        cc -std=c99 -O0 -Wall -Wextra -Wconversion -Werror "$T/code/one.c" \
            "$T/code/one_selftest.c" -lm -o "$T/selftest"
        "$T/selftest" || { echo "$robot: $precision: $? differ" >&2; exit 1; }
    done
done
"$ARNE" generate "$ROBOTS/five_bar.yaml" --functions gravity --name one -o "$T/code"
grep -q "elbow2 (continuous): q\[3\], qd\[3\], passive" "$T/code/one.h"
grep -q "The robot has loops" "$T/code/one.h"

refused() { # TEXT, arguments
    text=$1
    shift
    ! "$ARNE" generate "$@" -o "$T/none" 2>"$T/err" || { echo "not refused: $*" >&2; exit 1; }
    grep -qF "$text" "$T/err" || { cat "$T/err" >&2; exit 1; }
    [ ! -e "$T/none" ]
}
for function in torque-rate inverse-dynamics-derivatives joint-wrenches; do
    refused "the function '$function' cannot be generated for a robot with loops" \
        "$ROBOTS/five_bar.yaml" --functions $function
    "$ARNE" generate "$ROBOTS/five_bar.yaml" --functions $function --open --count >/dev/null
done
sed '/name: elbow1/ s/name: elbow1/name: elbow1, active: true/; s/start: -1}/start: -1.0298}/' \
    "$ROBOTS/five_bar.yaml" >"$T/shared.yaml"
sed -i 's/active: true, rotor_inertia: 0.01}/active: true, rotor_inertia: 0.01, start: 1.8142851013845998}/
    s/active: true, rotor_inertia: 0.012}/active: true, rotor_inertia: 0.012, start: 1.0996389312200576}/
    s/start: -1.0298}/start: -1.029594634538017}/' "$T/shared.yaml"
refused "needs as many active coordinates as mobility: there are 3 for 2" "$T/shared.yaml" \
    --functions gravity
sed '/motor2/,/rotor/ s/active: true/passive: true/' "$ROBOTS/five_bar.yaml" >"$T/fewer.yaml"
refused "there are 1 for 2" "$T/fewer.yaml" --functions gravity
echo "closed mechanisms: generated code agrees"
