#!/bin/sh
# Every public header by itself, after macros that programs may have, as C11 and as C++11: it must
# compile without a warning, leave those macros as they are, and define none without our prefix.
#
#     run.sh INCLUDE        CC, CXX: the compilers (CXX may be empty)
set -eu
include=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# try HEADER LANGUAGE COMPILER...
try() {
    header=$1 language=$2
    shift 2
    printf '#include "hostile.h"\n#include <%s>\n#if INPUT != 0 || OUTPUT != 1\n#error changed\n#endif\n' "$header" >"$work/one.c"
    "$@" -x "$language" -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I "$here" -I "$include" \
        "$work/one.c" ||
        { echo "$header does not compile as $language"; bad=1; }
}

for file in "$include"/arne/*.h; do
    header=arne/${file##*/}
    try "$header" c "$CC" -std=c11
    [ -z "${CXX:-}" ] || try "$header" c++ "$CXX" -std=c++11
done

# Macros that all headers together leave behind, beside those of the system headers that they
# include.
printf '#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n' >"$work/system.c"
printf '#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <arne/arne.h>\n' \
    >"$work/all.c"
macros() { "$CC" -std=c11 -dM -E -I "$include" "$work/$1.c" |
    sed 's/^#define \([A-Za-z0-9_]*\).*/\1/' | LC_ALL=C sort; }
macros system >"$work/before"
macros all >"$work/after"
if LC_ALL=C comm -13 "$work/before" "$work/after" | grep -v '^ARNE_'; then
    echo "the headers define macros without our prefix"
    bad=1
fi
exit $bad
