#!/bin/sh
# What run.sh needs on a machine with a GPU and without this build's libraries: the program, the
# tests and a wheel.
#
#     tests/device/bundle.sh BUILD FOLDER
#
# BUILD is made for any processor (cmake --preset release), with the targets arne_program,
# test_gpu_worlds and arne_python_all.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
rm -rf "$2"
mkdir -p "$2/lib"
cp "$build/arne" "$build/tests/test_gpu_worlds" "$2"
for program in "$2/arne" "$2/test_gpu_worlds"; do
    ldd "$program" | awk '$3 ~ /^\// && $1 !~ /^lib(c|m|dl|pthread|rt)\.so/ { print $3 }'
done | sort -u | xargs -I{} cp -L {} "$2/lib"
ARNE_BUILD=$build "${PYTHON:-/usr/bin/python3}" "$root/python/backend.py" "$2" >/dev/null
# A pytest for machines that have none: plain Python.
packages=$(/usr/bin/python3 -c \
    "import pytest, os; print(os.path.dirname(os.path.dirname(pytest.__file__)))")
mkdir "$2/pytest"
for name in pytest _pytest pluggy iniconfig packaging attr exceptiongroup py.py; do
    [ ! -e "$packages/$name" ] || cp -r "$packages/$name" "$2/pytest"
done
du -sh "$2"
