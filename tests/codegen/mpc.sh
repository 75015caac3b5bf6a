#!/bin/sh
# Generated controllers, compiled and run: their controls at all knots are those of the library.
#
#     ARNE=arne ROBOTS=robots sh mpc.sh
set -eu
: "${ARNE:?the program}" "${ROBOTS:?the folder of robots}"
HERE=$(cd "$(dirname "$0")" && pwd)
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
CC=${CC:-cc}

# control ROBOT PROBLEM OPTION...
control() {
    "$ARNE" generate "$@" --mpc --name robot -o "$T"
    $CC -std=c99 -O2 -Wall -Wextra -Werror -I "$T" "$T/robot.c" "$T/robot_mpc.c" \
        "$T/robot_mpc_selftest.c" -lm -o "$T/selftest"
    "$T/selftest" || { echo "mpc: $*: $? controls differ" >&2; exit 1; }
    if grep -E 'malloc|calloc|printf|stdlib' "$T/robot_mpc.c" "$T/robot.c"; then exit 1; fi
}

# refused WORDS SED: the problem with a change, and what is said of it
refused() {
    sed -e "$2" -e "s|\.\./\.\./robots|$ROBOTS|" "$HERE/two_link_mpc.yaml" >"$T/refused.yaml"
    if "$ARNE" generate "$ROBOTS/planar_2r.yaml" "$T/refused.yaml" --mpc -o "$T/none" 2>"$T/err"; \
        then
        echo "mpc: not refused: $1" >&2
        exit 1
    fi
    grep -q "$1" "$T/err" || { cat "$T/err" >&2; exit 1; }
    [ ! -e "$T/none" ]
}

cat >"$T/arm.yaml" <<END
robot: $ROBOTS/arm6.yaml
time: 0.3
start: {position: [0, -0.5, 0.5, 0, 0.5, 0]}
objective:
  - {quantity: deviation, reference: [0.3, -0.8, 0.9, 0.2, 0.1, 0.3], weight: 50}
  - {quantity: deviation, reference: [0.2, -0.8, 0.9, 0.2, 0.1, 0.3], weight: 20}
  - {quantity: velocity, weight: 0.05}
  - {quantity: torque, weight: 0.0001, reference: gravity}
constraints:
  - {quantity: torque, limits: true}
solver: {method: riccati, step: 15 ms}
END
for precision in double float; do
    control "$ROBOTS/planar_2r.yaml" "$HERE/two_link_mpc.yaml" --precision $precision
    control "$ROBOTS/arm6.yaml" "$T/arm.yaml" --precision $precision
done
refused 'bounds other than those of torques' 's/quantity: torque, lower/quantity: velocity, lower/'
refused 'no integrator rk4' 's/step: 15 ms/step: 15 ms, integrator: rk4/'
refused 'quantities other than' 's/quantity: frame_position, frame: tip/quantity: com/'
refused 'several frames' 's/tip, reference: \(.*\), at: end/link1, reference: \1, at: end/'
if "$ARNE" generate "$ROBOTS/arm6.yaml" "$HERE/two_link_mpc.yaml" --mpc -o "$T/none" 2>"$T/err"; \
    then exit 1; fi
grep -q "its robot is 'planar_2r'" "$T/err"
