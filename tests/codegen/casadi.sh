#!/bin/sh
# Generated functions as CasADi calls them: values and exact Jacobians, for a tree, a free base, elastic joints and a closed
# mechanism. ARNE is the program, ROBOTS the folder of robots.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
cc=${CC:-cc}
$cc -std=gnu11 -O1 -Wall -Wextra "$here/casadi_caller.c" -o "$T/caller" -ldl -lm

# check ROBOT DERIVATIVES FUNCTIONS [options]
check() {
    robot=$1 derivatives=$2 functions=$3
    shift 3
    echo "== $robot"
    "$ARNE" generate "$ROBOTS/$robot" --name r --functions "$functions" -o "$T/plain" --quiet --no-friction "$@"
    "$ARNE" generate "$ROBOTS/$robot" --name r --functions "$functions" -o "$T/casadi" --quiet --no-friction \
        --for casadi --derivatives "$derivatives" "$@"
    sed 's/<math.h>/<tgmath.h>/; s/<tgmath.h>/<tgmath.h>\n#include <complex.h>/; s/\bdouble\b/double _Complex/g' "$T/casadi/r.c" >"$T/complex.c"
    flags="-std=gnu11 -O1 -ffp-contract=off -fPIC -shared"
    $cc $flags -Wall -Wextra -Werror "$T/casadi/r.c" -o "$T/casadi.so" -lm
    $cc $flags -fcx-limited-range "$T/complex.c" -o "$T/complex.so" -lm
    $cc $flags "$T/plain/r.c" -o "$T/plain.so" -lm
    "$T/caller" "$T/casadi.so" "$T/complex.so" "$T/plain.so" r "$derivatives" $(echo "$functions" | tr ',-' ' _')
    rm -rf "$T/plain" "$T/casadi"
}

check planar_2r.yaml 2 inverse-dynamics,forward-dynamics,mass-matrix
check arm6.yaml 1 inverse-dynamics,forward-dynamics,jacobian,gravity --frame link6
check quadruped.yaml 1 inverse-dynamics,pose --frame body
check hua_arm.yaml 1 forward-dynamics,inverse-dynamics
check four_bar.yaml 1 inverse-dynamics,forward-dynamics,mass-matrix

# What CasADi cannot call is refused.
for bad in "--precision float" "--lanes 4"; do
    if "$ARNE" generate "$ROBOTS/arm6.yaml" --for casadi --functions gravity -o "$T/no" $bad 2>"$T/err"; then
        echo "$bad was taken" && exit 1
    fi
done
if "$ARNE" generate "$ROBOTS/arm6.yaml" --derivatives 1 --functions gravity -o "$T/no" 2>"$T/err"; then
    echo "derivatives without CasADi were taken" && exit 1
fi
