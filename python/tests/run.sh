#!/bin/sh
# The Python module as a user has it: a wheel from BUILD, in a new virtual environment, with the source tree out of sight.
#
#     python/tests/run.sh BUILD TASK      TASK: pytest, mypy
#
# Exit 77, skipped, where Debian's Python packages are not there.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
python=${PYTHON:-/usr/bin/python3}
for module in numpy pytest venv pip mypy; do
    "$python" -c "import $module" 2>/dev/null || { echo "python: no $module for $python"; exit 77; }
done

work=$build/python/$2
rm -rf "$work"
mkdir -p "$work/wheel"
ARNE_BUILD=$build "$python" "$here/backend.py" "$work/wheel" >/dev/null
"$python" -m venv --system-site-packages "$work/venv"
"$work/venv/bin/python" -m pip --disable-pip-version-check install --quiet --no-index "$work"/wheel/arne-*.whl
cd "$work"

case $2 in
pytest)
    cp -r "$here/tests" "$here/pyproject.toml" .
    ARNE_SOURCE=$(dirname "$here") exec venv/bin/python -m pytest -q -p no:cacheprovider tests
    ;;
mypy)
    venv/bin/python -P "$here/generate.py" --check
    venv/bin/python -m mypy --strict --cache-dir=cache --config-file "$here/pyproject.toml" \
        "$here/arne" "$here/generate.py" "$here/backend.py" "$here/tests"
    venv/bin/python -m mypy.stubtest arne._arne --mypy-config-file "$here/pyproject.toml"
    ;;
esac
