#!/bin/sh
# locales.sh BUILD: the tests in processes that follow a locale with a decimal comma (German) and
# one with other small letters (Turkish). C tests are in it themselves; of the others the shell and
# its tools are.
set -eu
build=$1
command -v localedef >/dev/null && [ -r /usr/share/i18n/locales/tr_TR ] || exit 77
LOCPATH=$(mktemp -d)
trap 'rm -rf "$LOCPATH"' EXIT
export LOCPATH
for name in de_DE tr_TR; do
    localedef -i $name -f UTF-8 "$LOCPATH/$name.UTF-8" 2>/dev/null || exit 77
    LC_ALL=$name.UTF-8 LD_PRELOAD=$(realpath "$build"/tests/*follow_locale.so) \
        ctest --test-dir "$build" --output-on-failure -j 2 --label-regex computes
done
LC_ALL=de_DE.UTF-8 ctest --test-dir "$build" --output-on-failure -j 2 \
    --tests-regex '^(cli|golden|draws|examples|docs)/'
