#!/bin/sh
# Builds and runs a consumer against an install tree, as the README says.
#
# run.sh WAY PREFIX WORK_DIRECTORY CC, CXX: the compilers; SOLVER: "solver" where the module of
# Ipopt was built
set -eu
way=$1 prefix=$2 work=$3
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$work"
mkdir -p "$work"

# The folder of arne.pc depends on the system (lib, lib64, lib/x86_64-linux-gnu).
pc=$(find "$prefix" -name arne.pc)
libdir=$(dirname "$(dirname "$pc")")
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
unset LD_LIBRARY_PATH ARNE_MODULES

# The shared library must carry its soname; the program must find it by that.
needs_shared() { readelf -d "$1" | grep -q 'NEEDED.*\[libarne\.so\.[0-9.]*\]'; }
fail() { echo "$*"; exit 1; }
# What the static library must not need: nothing but the C library, libm, expat and libyaml.
needs_little() {
    ! readelf -d "$1" | grep NEEDED | grep -vE 'lib(c|m|dl|pthread|expat|yaml-0)\.so|ld-linux' ||
        fail "the static library needs more than it should"
}

case $way in
pkg-config-shared | pkg-config-cxx)
    if [ "$way" = pkg-config-cxx ]; then compile="${CXX:-c++} -x c++"; else \
        compile="${CC:-cc} -std=c11"; fi
    # shellcheck disable=SC2046,SC2086
    $compile "$here/main.c" -x none -o "$work/consumer" $(pkg-config --cflags --libs arne) -lm
    needs_shared "$work/consumer"
    "$work/consumer" "$SOLVER"
    ;;
cxx-header)
    # arne.hpp with Eigen, where that is installed, and without.
    for eigen in "$(pkg-config --cflags eigen3 2>/dev/null)" -DARNE_WITHOUT_EIGEN; do
        # shellcheck disable=SC2046,SC2086
        ${CXX:-c++} -std=c++17 -Wall -Wextra -Werror $eigen "$here/main.cpp" -o "$work/consumer" \
            $(pkg-config --cflags --libs arne)
        "$work/consumer" "$here/../../robots/arm6.yaml"
    done
    ;;
pkg-config-static)
    # shellcheck disable=SC2046
    ${CC:-cc} "$here/main.c" -o "$work/consumer" $(pkg-config --cflags --libs arne-static)
    ! needs_shared "$work/consumer" || fail "linked with the shared library"
    needs_little "$work/consumer"
    "$work/consumer" "$SOLVER"
    ;;
fully-static)
    # shellcheck disable=SC2046
    ${CC:-cc} -static "$here/main.c" -o "$work/consumer" $(pkg-config --static --cflags --libs arne)
    ! readelf -d "$work/consumer" | grep NEEDED || fail "not static"
    "$work/consumer" none >"$work/said"
    grep -q 'planning needs Ipopt, which a program without shared libraries cannot load' \
        "$work/said"
    ;;
readme)
    # Every line of the README's recipe, but that it installs what is built already.
    root=$here/../..
    HOME=$work
    cp -r "$prefix" "$HOME/.local"
    [ -d "$HOME/.local/lib/pkgconfig" ] || { echo "skipped: libraries are in another folder here"; \
        exit 77; }
    # From the C example on: what it prints and how it is built stand after it.
    block() {
        awk -v start="\`\`\`$1" \
            '$0 == "```c" { here = 1 } here && $0 == start { on = 1; next } on && /^```/ { exit } on' "$root/README.md"
    }
    block c >"$work/example.c"
    block text >"$work/expected"
    block sh >"$work/recipe"
    grep -q "^make install PREFIX=\$HOME/.local$" "$work/recipe" ||
        fail "the recipe has another start"
    cd "$work"
    eval "$(grep '^export' recipe)"
    [ "$(grep -c '^cc ' recipe)" -eq 3 ] || fail "the recipe has other commands"
    grep '^cc ' recipe | while read -r command; do
        rm -f example
        eval "$command"
        (cd "$root" && "$work/example") | cmp - expected ||
            fail "not what the README says: $command"
    done
    ;;
find-package)
    cmake -G Ninja -S "$here" -B "$work" -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$work"
    needs_shared "$work/consumer_arne"
    ! needs_shared "$work/consumer_static"
    "$work/consumer_arne" "$SOLVER"
    "$work/consumer_static" "$SOLVER"
    ;;
modules)
    # plan WORDS: the program, alone in a folder, is asked to plan, and says so.
    cp "$prefix/bin/arne" "$work/arne"
    problem=$here/../../examples/two_link_min_time/problem.yaml
    plan() {
        if "$work/arne" plan "$problem" -q -o "$work/run" 2>"$work/said"; then fail \
            "it planned, but $1"; fi
        [ "$(wc -l <"$work/said")" -eq 1 ] || fail "not one message: $(cat "$work/said")"
        grep -q -- "$1" "$work/said" || fail "it does not say '$1': $(cat "$work/said")"
        [ ! -e "$work/run" ] || fail "something was written"
    }
    # fake CODE [LIBRARY]: a module that is not ours.
    fake() {
        echo "$1" | ${CC:-cc} -shared -fPIC -x c - -x none -o "$work/libarne_ipopt.so" \
            ${2:+-Wl,--no-as-needed "$2"}
    }
    # The folder that was compiled in may hold another installation.
    if [ ! -e "$COMPILED_LIBDIR/libarne_ipopt.so" ]; then
        plan "there is no libarne_ipopt.so; build Arne where Ipopt is installed (Debian: coinor-libipopt-dev)"
    fi
    : >"$work/libarne_ipopt.so"
    plan 'cannot be loaded (Debian: apt-get install coinor-libipopt-dev)'
    fake 'struct { const char *release; unsigned long layout; } arne_ipopt_module = {"0.0.0", 1};'
    plan 'of another version of Arne'
    echo 'int nothing;' | ${CC:-cc} -shared -fPIC -x c - -o "$work/libsolver.so"
    fake 'extern int nothing; int *something = &nothing;' "$work/libsolver.so"
    rm "$work/libsolver.so"
    plan 'libsolver.so: cannot open shared object file'
    [ "$SOLVER" = solver ] || exit 0
    # Named by the environment, and from the folder of the library that belongs to the program's.
    ARNE_MODULES=/nowhere:$libdir "$work/arne" plan "$problem" -q -o "$work/run"
    rm "$work/libarne_ipopt.so"
    (PATH=$prefix/bin:$PATH && cd / && arne plan "$problem" -q -o "$work/again")
    ;;
*)
    echo "unknown way '$way'"
    exit 2
    ;;
esac
