#!/bin/sh
# Generated code on a microcontroller: compiled for a Cortex-M7, without malloc and stdio, its
# self-test run under qemu-system-arm, and the instructions of each function counted.
#
#     ARNE=arne ROBOTS=robots sh cortex_m.sh
#
# Under -icount every instruction takes the same time, which the system timer counts; a loop of
# known length tells how long.
set -eu
: "${ARNE:?the program}" "${ROBOTS:?the folder of robots}"
HERE=$(cd "$(dirname "$0")" && pwd)
for tool in arm-none-eabi-gcc arm-none-eabi-nm qemu-system-arm; do
    command -v $tool >/dev/null || { echo "cortex_m: skipped, there is no $tool"; exit 0; }
done
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT

cpu="-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16"
flags="-std=c99 -O2 -Wall -Wextra -Wconversion -Werror -ffunction-sections"
functions="inverse-dynamics gravity mass-matrix forward-dynamics"
list=$(echo "$functions" | tr ' ' ',')

# compile PROGRAM SOURCE...: for the board mps2-an500.
# shellcheck disable=SC2086 # the flags are words
compile() {
    out=$1
    shift
    arm-none-eabi-gcc $cpu $flags -nostartfiles -T "$HERE/cortex_m.ld" -Wl,--gc-sections "$@" \
        "$HERE/cortex_m_start.c" -lm -o "$out"
}

# The status of the program, which it hands over by semihosting.
run() {
    timeout 60 qemu-system-arm -M mps2-an500 -nographic -monitor none -serial none -icount shift=4 \
        -semihosting-config enable=on,target=native -kernel "$1"
}

for robot in arm6.yaml puma560.yaml; do
    for options in "--precision double" "--precision float --sincos polynomial"; do
        # shellcheck disable=SC2086
        "$ARNE" generate "$ROBOTS/$robot" --functions "$list" --name robot $options -o "$T"
        compile "$T/selftest" "$T/robot.c" "$T/robot_selftest.c"
        if arm-none-eabi-nm "$T/selftest" | grep -E ' (_?malloc(_r)?|_?printf(_r)?|_?sbrk(_r)?)$'; \
            then
            echo "cortex_m: the code wants an allocator or stdio" >&2
            exit 1
        fi
        run "$T/selftest" || { echo "cortex_m: $robot $options: $? differ" >&2; exit 1; }
        type=$(echo "$options" | cut -d ' ' -f 2)
        for function in $functions; do
            id=$(echo "$function" | tr - _)
            inputs=$(sed -n "s/^void robot_$id(\(.*\));$/\1/p" "$T/robot.h" | tr ',' '\n' |
                grep -c const)
            compile "$T/timing" -DTYPE="$type" -DFUNCTION="robot_$id" -DINPUTS="$inputs" -I "$T" \
                "$T/robot.c" "$HERE/cortex_m_timing.c"
            run "$T/timing" 2>"$T/count" || { echo "cortex_m: timing $function failed" >&2; exit \
                1; }
            printf '%-14s %-7s %-20s %6d instructions per call\n' "$robot" "$type" "$function" \
                "$(cat "$T/count")"
        done
    done
done

# A controller: its controls are those of the library, in both precisions; what a tick of one
# iteration takes.
for options in "--precision double" "--precision float --sincos polynomial"; do
    # shellcheck disable=SC2086
    "$ARNE" generate "$ROBOTS/planar_2r.yaml" "$HERE/two_link_mpc.yaml" --mpc --name robot \
        $options -o "$T"
    compile "$T/selftest" "$T/robot.c" "$T/robot_mpc.c" "$T/robot_mpc_selftest.c"
    if arm-none-eabi-nm "$T/selftest" | grep -E ' (_?malloc(_r)?|_?printf(_r)?|_?sbrk(_r)?)$'; then
        echo "cortex_m: the controller wants an allocator or stdio" >&2
        exit 1
    fi
    run "$T/selftest" || { echo "cortex_m: mpc $options: $? controls differ" >&2; exit 1; }
    echo "planar_2r mpc ${options#--precision }: passes"
done
