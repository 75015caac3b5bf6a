#!/bin/sh
# arne bench: a figure, or why there is none, for every algorithm that the catalogue says is timed,
# as a table and as JSON.
. "$(dirname "$0")/checks.inc"

arne info --catalogue --json
exits 0
sed -n 's/.*"identifier": "[A-Z_]*", "name": "\([a-z-]*\)".*"has": \[[^]]*"bench".*/\1/p' "$T/out" |
    sort >"$T/timed"
[ "$(wc -l <"$T/timed")" -gt 20 ] || fail "the catalogue times too little"

arne bench "$ROBOTS/planar_2r.yaml" "$ROBOTS/scara.yaml"
exits 0
silent
[ "$(head -1 "$T/out" | tr -s ' ')" = "ns per call planar_2r scara" ] ||
    fail "the header is $(head -1 "$T/out")"
sed 1d "$T/out" | awk '{ print $1 }' | sort | cmp -s - "$T/timed" ||
    fail "the table has other algorithms than the catalogue"
# A plane arm has no operational inertia at its tip, and no base that could move.
grep -q '^operational-inertia  *singular' "$T/out" || fail "operational inertia is not singular"
grep -q '^base-acceleration  *-  *-$' "$T/out" || fail "a fixed base accelerates"
sed 1d "$T/out" | awk 'NF != 3 || ($2 !~ /^(singular|-)$/ && !($2 > 0)) { exit 1 }' ||
    fail "a figure is not positive"

arne bench "$ROBOTS/planar_2r.yaml" --base free --no-friction --no-rotor --json -o "$T/bench.json"
exits 0
nothing
sed -n 's/.*"algorithm": "\([a-z-]*\)".*/\1/p' "$T/bench.json" | sort | cmp -s - "$T/timed" ||
    fail "JSON has other algorithms"
grep -q '"robot": "planar_2r"' "$T/bench.json" || fail "JSON does not name the robot"
grep -q '"algorithm": "base-acceleration", "ns": [0-9]' "$T/bench.json" ||
    fail "a free base does not accelerate"

arne bench "$T/nowhere.yaml"
fails 1 nowhere.yaml
arne bench --robots "$T/nowhere"
fails 1 nowhere
arne bench "$ROBOTS/planar_2r.yaml" --cache "$T"
exits 2
finish
