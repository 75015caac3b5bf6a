#!/bin/bash
# Tests and benchmarks on a machine with a CUDA device: kernels beside the CPU, arrays of PyTorch,
# CuPy and JAX, rates, and the training of the guide. Takes about five minutes.
#
#     tests/device/run.sh BUNDLE OUT
#
# BUNDLE is what bundle.sh made. Each part writes a file into OUT and goes on after a failure; the
# last lines say which failed.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
bundle=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
work=$(mktemp -d)
export XDG_CACHE_HOME=$work/cache PYTHONUNBUFFERED=1 ARNE_ROBOTS_DIR=$root/robots
python3 -c "import sys, zipfile, glob; zipfile.ZipFile(glob.glob(sys.argv[1] + '/*.whl')[0]).extractall(sys.argv[2])" \
    "$bundle" "$work/site"
export PYTHONPATH=$work/site
python3 -c "import pytest" 2>/dev/null || PYTHONPATH=$PYTHONPATH:$bundle/pytest
summary=""

part() { # NAME SECONDS COMMAND...
    local name=$1 limit=$2 start=$SECONDS
    shift 2
    timeout "$limit" "$@" >"$out/$name.txt" 2>&1
    local code=$?
    summary+="$name: exit $code, $((SECONDS - start)) s"$'\n'
    echo "== $name: exit $code, $((SECONDS - start)) s"
    tail -n 40 "$out/$name.txt"
}

pytests() { # FILES...
    cp -r "$root/python/tests" "$work/tests"
    cd "$work" || exit 1
    PYTHONWARNINGS=ignore python3 -m pytest -q -p no:cacheprovider -c /dev/null --rootdir "$work" \
        --assert=plain -W ignore "$@"
}

chmod +x "$bundle/arne" "$bundle/test_gpu_worlds"
nvidia-smi --query-gpu=name,driver_version,clocks.sm --format=csv | tee "$out/device.txt"
part worlds 120 env LD_LIBRARY_PATH="$bundle/lib" "$bundle/test_gpu_worlds"
export -f pytests
export root work out
part python 300 bash -c 'pytests tests/test_gpu.py tests/test_autodiff.py'
part bench 170 env LD_LIBRARY_PATH="$bundle/lib" "$bundle/arne" bench \
    "$root/robots/quadruped.yaml" --gpu
part autodiff 90 python3 "$root/tests/device/autodiff_rates.py"
part learn 150 python3 "$root/python/examples/08_learn_to_stand.py"
echo "$summary" | tee "$out/summary.txt"
rm -rf "$work"
