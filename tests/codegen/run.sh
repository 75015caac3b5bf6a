#!/bin/sh
# Generates code for a robot, compiles it as C99 and as C++17 with every compiler there is, and runs
# its self-test.
#
#     ARNE=arne ROBOTS=robots sh run.sh ROBOT FRAME [options of arne generate]
set -eu
: "${ARNE:?the program}" "${ROBOTS:?the folder of robots}"
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT

robot=$1 frame=$2
shift 2
warnings="-Wall -Wextra -Wconversion -Wpedantic -Werror"
torques=jacobian,inverse-dynamics,gravity,bias,mass-matrix,forward-dynamics,inverse-dynamics-derivatives,torque-rate
all=$torques,joint-wrenches,regressor,ground-dynamics

# generate FOLDER [options]: all functions, of one frame; the poses of all frames in a second file.
generate() {
    folder=$1
    shift
    "$ARNE" generate "$ROBOTS/$robot" --functions "$all,pose" --frame "$frame" --name one \
        -o "$T/$folder" "$@"
    "$ARNE" generate "$ROBOTS/$robot" --functions pose --name all -o "$T/$folder" "$@"
}

# compile FOLDER PREFIX COMPILER...: and run.
compile() {
    source=$T/$1/$2
    shift 2
    # shellcheck disable=SC2086 # the flags are words
    "$@" $warnings -c "$source.c" -o "$T/code.o"
    # shellcheck disable=SC2086
    "$@" $warnings -c "${source}_selftest.c" -o "$T/test.o"
    "$1" "$T/test.o" "$T/code.o" -lm -o "$T/selftest"
    "$T/selftest" || { echo "$robot: $* $source: $? differ" >&2; exit 1; }
    runs=$((runs + 1))
}

runs=0
generate double "$@"
generate polynomial --sincos polynomial "$@"
generate float --precision float "$@"
generate both --precision float --sincos polynomial "$@"
"$ARNE" generate "$ROBOTS/$robot" --functions "$torques" --frame "$frame" --name base \
    --base-parameters -o "$T/double" "$@"

command -v cc >/dev/null && compile double base cc -std=c99 -O1
for prefix in one all; do
    command -v gcc >/dev/null && compile double $prefix gcc -std=c99 -O1
    command -v clang >/dev/null && compile polynomial $prefix clang -std=c99
    command -v g++ >/dev/null && compile both $prefix g++ -std=c++17 -x c++
    command -v clang++ >/dev/null && compile float $prefix clang++ -std=c++17 -x c++
done
if [ "$runs" -eq 0 ]; then
    echo "no compiler was found" >&2
    exit 1
fi
echo "$robot: $runs self-tests passed"
