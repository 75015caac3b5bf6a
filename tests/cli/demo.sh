#!/bin/sh
# The demonstration runs and its figures are right; the benchmark has a time for every algorithm.
. "$(dirname "$0")/checks.inc"

arne demo --robots "$ROBOTS"
exits 0
silent
for text in "Stanford" "Puma 560" "quadruped" "humanoid" "31.6399" "60.8670" "63.4707" \
    "0.024022" "0.02462"; do prints "$text"; done
arne demo --robots "$T"
fails 1 "$T" "stanford"

arne bench "$ROBOTS/planar_2r.yaml" --json
exits 0
for algorithm in pose velocity acceleration jacobian com energy momentum inverse-dynamics gravity bias \
    coriolis-matrix mass-matrix inverse-mass-matrix operational-inertia forward-dynamics \
    torque-rate inverse-dynamics-derivatives inverse-dynamics-along inverse-dynamics-against \
    forward-dynamics-derivatives wrench-derivatives second-derivatives; do
    prints "\"algorithm\": \"$algorithm\", \"ns\": "
done
# Two joints leave a frame no six freedoms; everything else has a time.
[ "$(grep -c 'null' "$T/out")" -eq 1 ] || fail "not every algorithm has a time"
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
