#!/bin/sh
# Builds and runs a consumer against an install tree.
#
#     run.sh WAY PREFIX WORK_DIRECTORY        CC, CXX: the compilers
set -eu
way=$1 prefix=$2 work=$3
here=$(dirname "$0")
rm -rf "$work"
mkdir -p "$work"

# The folder of arne.pc depends on the system (lib, lib64, lib/x86_64-linux-gnu).
pc=$(find "$prefix" -name arne.pc)
libdir=$(dirname "$(dirname "$pc")")
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH

# The shared library must carry its soname; the program must find it by that.
needs_shared() { readelf -d "$1" | grep -q 'NEEDED.*\[libarne\.so\.[0-9]*\]'; }

case $way in
pkg-config-shared | pkg-config-cxx)
    if [ "$way" = pkg-config-cxx ]; then compile="${CXX:-c++} -x c++"; else compile="${CC:-cc} -std=c11"; fi
    # shellcheck disable=SC2046,SC2086
    $compile "$here/main.c" -x none -o "$work/consumer" $(pkg-config --cflags --libs arne) -lm
    needs_shared "$work/consumer"
    LD_LIBRARY_PATH=$libdir "$work/consumer"
    ;;
pkg-config-static)
    # The static archive of Arne, whatever kind its own libraries are.
    libs=$(pkg-config --static --libs arne | sed 's/-larne/-l:libarne.a/')
    # shellcheck disable=SC2046,SC2086
    ${CC:-cc} "$here/main.c" -o "$work/consumer" $(pkg-config --cflags arne) $libs
    if needs_shared "$work/consumer"; then
        echo "linked with the shared library"
        exit 1
    fi
    "$work/consumer"
    ;;
find-package)
    cmake -G Ninja -S "$here" -B "$work" -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$work"
    needs_shared "$work/consumer_arne"
    ! needs_shared "$work/consumer_static"
    "$work/consumer_arne"
    "$work/consumer_static"
    ;;
*)
    echo "unknown way '$way'"
    exit 2
    ;;
esac
