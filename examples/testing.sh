# What the tests of examples share; each sets `example`, the program, and reads this first. T is a
# folder that goes with it. awk and sort follow the locale; the program does not.
LC_ALL=C
export LC_ALL
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT

fail() {
    echo "FAIL: $1" >&2
    cat "$T/out" "$T/err" >&2
    exit 1
}

# Runs it well: output in $T/out, and nothing to complain about.
runs() {
    "$example" "$@" >"$T/out" 2>"$T/err" || fail "exit status $?"
    [ ! -s "$T/err" ] || fail "something on stderr"
}

# refused STATUS ARGUMENT...
refused() {
    wanted=$1
    shift
    "$example" "$@" >"$T/out" 2>"$T/err"
    [ $? -eq "$wanted" ] || fail "$*: the exit status is not $wanted"
    [ -s "$T/err" ] || fail "$*: no message"
}
