#!/bin/sh
# The demonstration runs and its figures are right; the benchmark has a time for every algorithm.
. "$(dirname "$0")/checks.inc"

# A part of the examples: each has a test of its own, and `make demo` runs all of them.
mkdir -p "$T/tree/examples" && ln -s "$(cd "$ROBOTS" && pwd)" "$T/tree/robots"
for name in mixed_elastic_arm stanford_torque_rate swimmer space_robot pick_and_place; do
    cp -r "$HERE/../../examples/$name" "$T/tree/examples"
done
arne demo --examples "$T/tree/examples" --out "$T/demo"
exits 0
silent
for text in "RMS error of joint 1" "0.0026819" "0.02462" "An eel swims" "$T/demo/index.html"; do \
    prints "$text"; done
[ "$(wc -l <"$T/out")" -lt 50 ] || fail "that is more than two screens"
for name in mixed_elastic_arm mixed_elastic_arm_payload stanford_torque_rate swimmer space_robot; do
    [ -s "$T/demo/$name/report.html" ] || fail "there is no report of $name"
    grep -q "href=\"$name/report.html\"" "$T/demo/index.html" ||
        fail "the index does not link $name"
done
# What runs have left may be written over, whatever they were. (The leak sanitiser of gcc 12 falls
# over the solver's thread-local storage here; without it the option means nothing.)
LSAN_OPTIONS=use_tls=0
export LSAN_OPTIONS
arne plan "$HERE/../../examples/two_link_min_time/problem.yaml" --out "$T/demo/pick_and_place" \
    --quiet
unset LSAN_OPTIONS
exits 0
# What the script of an example has left before stands in the index, too.
mkdir -p "$T/made/arm" "$T/made/one" "$T/shown/arm" && echo "# An arm" >"$T/made/arm/README.md" &&
    echo "An arm is found." >>"$T/made/arm/README.md"
: >"$T/made/arm/run.sh"
cp -r "$T/demo/swimmer" "$T/shown/arm/found"
printf 'robot: %s/planar_2r.yaml\nduration: 0.01\n' "$ROBOTS" >"$T/made/one/scenario.yaml"
arne demo --examples "$T/made" --out "$T/shown"
exits 0
grep -q 'href="arm/found/report.html"' "$T/shown/index.html" ||
    fail "the index does not link what was made before"
arne demo --examples "$T" --out "$T/none"
fails 1 "$T" "no examples"

arne demo --laws --robots "$ROBOTS"
exits 0
silent
for text in "Stanford" "Puma 560" "quadruped" "humanoid" "31.6399" "60.8670" "63.4707" \
    "0.024022" "0.02462"; do prints "$text"; done
arne demo --laws --robots "$T"
fails 1 "$T" "stanford"

arne bench "$ROBOTS/planar_2r.yaml" --json
exits 0
for algorithm in pose velocity acceleration jacobian com energy momentum inverse-dynamics gravity \
    bias \
    coriolis-matrix mass-matrix inverse-mass-matrix operational-inertia forward-dynamics \
    torque-rate inverse-dynamics-derivatives inverse-dynamics-along inverse-dynamics-against \
    forward-dynamics-derivatives wrench-derivatives second-derivatives; do
    prints "\"algorithm\": \"$algorithm\", \"ns\": "
done
# Two joints leave a frame no six freedoms, and a fixed base does not accelerate; everything else
# has a time.
[ "$(grep -c 'null' "$T/out")" -eq 2 ] || fail "not every algorithm has a time"
# Second derivatives are for joints of one coordinate.
arne bench "$ROBOTS/planar_2r.yaml" --base free
exits 0
grep -q '^second-derivatives  *-$' "$T/out" || fail "second derivatives of a free base?"

# Without a device there is a line that says so.
if [ ! -e /dev/nvidiactl ]; then
    arne bench "$ROBOTS/arm6.yaml" --gpu
    fails 1 "bench --gpu" "CUDA"
fi
arne bench "$ROBOTS/arm6.yaml" --gpu --json
fails 2 "--gpu"

finish
