#!/bin/sh
# The lanes of ARM64 (NEON, width 2): the library cross-compiled, and every algorithm of arne_batch
# run under qemu-user.
#
#     sh neon.sh SOURCE BUILD
set -eu
source=$1 build=$2
for tool in aarch64-linux-gnu-gcc qemu-aarch64 cmake ninja; do
    command -v $tool >/dev/null || { echo "neon: skipped, there is no $tool"; exit 0; }
done
# The readers' libraries are those of this machine, so they are left out.
PKG_CONFIG_LIBDIR=/nonexistent cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DCMAKE_FIND_ROOT_PATH=/usr/aarch64-linux-gnu \
    -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY \
    -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY -DARNE_TESTS=OFF -DARNE_BENCH=OFF \
    -DARNE_EXAMPLES=OFF >/dev/null
cmake --build "$build" --target arne_static
aarch64-linux-gnu-gcc -std=c11 -O1 -Wall -Wextra -I "$source/include" \
    "$source/tests/cross/cross_lanes.c" \
    "$build/libarne.a" -lm -lpthread -o "$build/lanes"
qemu-aarch64 -L /usr/aarch64-linux-gnu "$build/lanes"
