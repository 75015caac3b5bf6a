#!/bin/sh
# Generated functions as CasADi calls them: values and exact Jacobians, for a tree, a free base,
# elastic joints, a closed mechanism and joints that follow by functions. ARNE is the program,
# ROBOTS the folder of robots.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
cc=${CC:-cc}
$cc -std=gnu11 -O1 -Wall -Wextra "$here/casadi_caller.c" -o "$T/caller" -ldl -lm

# check ROBOT DERIVATIVES FUNCTIONS [options]
check() {
    robot=$1 derivatives=$2 functions=$3
    case $robot in /*) path=$robot ;; *) path=$ROBOTS/$robot ;; esac
    shift 3
    echo "== $robot"
    "$ARNE" generate "$path" --name r --functions "$functions" -o "$T/plain" \
        --quiet --no-friction "$@"
    "$ARNE" generate "$path" --name r --functions "$functions" -o "$T/casadi" \
        --quiet --no-friction \
        --for casadi --derivatives "$derivatives" "$@"
    # In complex numbers; a sign is that of the real part.
    sed 's/<math.h>/<tgmath.h>/; s/<tgmath.h>/<tgmath.h>\n#include <complex.h>/; s/\bdouble\b/double _Complex/g
        s/((\([^()]*\) > 0\.0) - (\([^()]*\) < 0\.0))/((creal(\1) > 0.0) - (creal(\2) < 0.0))/g' "$T/casadi/r.c" >"$T/complex.c"
    flags="-std=gnu11 -O1 -ffp-contract=off -fPIC -shared"
    $cc $flags -Wall -Wextra -Werror "$T/casadi/r.c" -o "$T/casadi.so" -lm
    # Without optimisation, which takes complex numbers seven times as long and changes no value.
    $cc $flags -O0 -fcx-limited-range "$T/complex.c" -o "$T/complex.so" -lm
    $cc $flags "$T/plain/r.c" -o "$T/plain.so" -lm
    "$T/caller" "$T/casadi.so" "$T/complex.so" "$T/plain.so" r "$derivatives" \
        $(echo "$functions" | tr ',-' ' _')
    rm -rf "$T/plain" "$T/casadi"
}

check planar_2r.yaml 2 inverse-dynamics,forward-dynamics,mass-matrix
check arm6.yaml 1 inverse-dynamics,forward-dynamics,jacobian,gravity --frame link6
check quadruped.yaml 1 inverse-dynamics,pose --frame body
check hua_arm.yaml 1 forward-dynamics,inverse-dynamics
check four_bar.yaml 1 inverse-dynamics,forward-dynamics,mass-matrix

# A knee by splines, a cam by a sine and a polynomial, a product.
cat >"$T/follows.yaml" <<'END'
name: follows
bodies:
  - {name: base}
  - {name: thigh, mass: 3, com: [0.1, 0, -0.2], inertia: [0.1, 0.1, 0.02]}
  - {name: plate, mass: 0.5, com: [0, 0.02, 0], inertia: [0.01, 0.02, 0.01]}
  - {name: shank, mass: 2, com: [0.02, 0, -0.15], inertia: [0.06, 0.06, 0.01]}
  - {name: cam, mass: 0.4, com: [0.01, 0.03, 0], inertia: [0.001, 0.002, 0.003]}
  - {name: rod, mass: 0.3, com: [0, 0, 0.1], inertia: [0.002, 0.002, 0.001]}
joints:
  - {name: hip, kind: revolute, parent: base, child: thigh, axis: [0, 1, 0]}
  - {name: slide, kind: prismatic, parent: thigh, child: plate, axis: [1, 0, 0],
     follows: {joint: knee, spline: {x: [-4, -1.2, -0.5, 0, 4], y: [0.010, 0.004, 0.001, 0, 0.02], ends: simm}}}
  - {name: knee, kind: revolute, parent: plate, child: shank, axis: [0, 1, 0], origin: {xyz: [0, 0, -0.4]}}
  - {name: turn, kind: revolute, parent: shank, child: cam, axis: [1, 0, 0],
     follows: [{joint: hip, sine: {amplitude: 0.3, frequency: 2, phase: 0.1}}, {joint: knee, polynomial: [0, 0.2, 0.05, -0.01]}]}
  - {name: lift, kind: prismatic, parent: cam, child: rod, axis: [0, 0, 1],
     follows: {joint: hip, times: knee, factor: 0.1}}
END
check "$T/follows.yaml" 1 inverse-dynamics,forward-dynamics,jacobian,pose --frame rod

# What CasADi cannot call is refused.
for bad in "--precision float" "--lanes 4"; do
    if "$ARNE" generate "$ROBOTS/arm6.yaml" --for casadi --functions gravity -o "$T/no" $bad \
        2>"$T/err"; then
        echo "$bad was taken" && exit 1
    fi
done
if "$ARNE" generate "$ROBOTS/arm6.yaml" --derivatives 1 --functions gravity -o "$T/no" 2>"$T/err"; \
    then
    echo "derivatives without CasADi were taken" && exit 1
fi
