#!/bin/sh
# The module as a user has it: a wheel from BUILD, in a new virtual environment, with the source
# tree out of sight.
#
#     python/tests/run.sh BUILD TASK
#
# TASK: pytest    the tests
#       mypy      types, stubs against the extension, generated files
#       pages     every Python block of the guide and the READMEs
#       install   `pip install ./python`, and an sdist; the extension is that of BUILD
#       sdist     the sdist, compiled with cmake: minutes
#
# Exit 77, skipped, where Debian's Python packages are not there.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
root=$(dirname "$here")
build=$(cd "$1" && pwd)
python=${PYTHON:-/usr/bin/python3}
for module in numpy pytest venv pip mypy; do
    "$python" -c "import $module" 2>/dev/null || { echo "python: no $module for $python"; exit 77; }
done

work=$build/python/$2
rm -rf "$work"
mkdir -p "$work/wheel"
"$python" -m venv --system-site-packages --without-pip "$work/venv" # pip is the system's
pip="$work/venv/bin/python -m pip --disable-pip-version-check install --quiet --no-index --no-build-isolation --no-deps --force-reinstall"

works() {
    (cd / && "$work/venv/bin/python" -P -c "
import arne, numpy
assert '$work' in arne.__file__, arne.__file__
robot = arne.load('arm7')
assert numpy.isfinite(robot.inverse_dynamics(*numpy.zeros((3, 100, 7)))).all()
assert 'iframe' in robot._repr_html_()
print('$1: arne', arne.__version__)")
}

make_sdist() { (cd "$here" && ARNE_BUILD=$build "$python" \
    -c "import backend; backend.build_sdist('$work/wheel')"); }

case $2 in
install)
    ARNE_BUILD=$build $pip "$here"
    works "pip install ./python"
    make_sdist
    ARNE_BUILD=$build $pip "$work"/wheel/arne-*.tar.gz
    works sdist
    exit 0
    ;;
sdist)
    make_sdist
    mkdir "$work/tmp"
    TMPDIR=$work/tmp $pip "$work"/wheel/arne-*.tar.gz
    works "sdist, compiled"
    exit 0
    ;;
esac

ARNE_BUILD=$build "$python" "$here/backend.py" "$work/wheel" >/dev/null
$pip "$work"/wheel/arne-*.whl
cd "$work"

case $2 in
pytest)
    cp -r "$here/tests" "$here/pyproject.toml" .
    ARNE_SOURCE=$root ARNE_PROGRAMS=$build exec venv/bin/python -m pytest -q -p no:cacheprovider \
        tests
    ;;
mypy)
    venv/bin/python -P "$here/generate.py" --check
    venv/bin/python -m mypy --strict --cache-dir=cache --config-file "$here/pyproject.toml" \
        "$here/arne" "$here/generate.py" "$here/backend.py" "$here/tests"
    venv/bin/python -m mypy.stubtest arne._arne --mypy-config-file "$here/pyproject.toml"
    ;;
pages)
    failed=0
    for page in "$root"/docs/guide/*.md "$root/README.md" "$here/README.md"; do
        grep -q '^```python' "$page" || continue
        ARNE=$build/arne ARNE_PYTHON=$work/venv/bin/python "$python" \
            "$root/tests/docs/run_page.py" "$page" || failed=1
    done
    exit $failed
    ;;
esac
