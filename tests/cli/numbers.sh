#!/bin/sh
# Numbers at their limits: results that are not finite are errors that name the entry and what
# overflowed; robots whose parts are too far apart in size are warned about; one rule says what is
# singular; far starts of passive joints close where they say.
. "$(dirname "$0")/checks.inc"

arm="$ROBOTS/arm6.yaml"
arne compute inverse-dynamics "$arm" --qd 1e200,0,0,0,0,0
fails 1 "tau.joint1 is not finite: qd.joint1 is 1e+200, which is too large to compute with"
arne compute inverse-dynamics "$arm" --qd 0,0,1e200,0,0,0 --json
fails 1 "is not finite: qd.joint3 is 1e+200"
arne compute forward-dynamics "$arm" --tau 1e308,1e308,1e308,1e308,1e308,1e308
fails 1 "qdd.joint" "is not finite: tau.joint1 is 1e+308"
arne compute inverse-dynamics "$arm" --q 1,2,1,1,1,1 \
    --wrench link6=1.7e308,1.7e308,1.7e308,1.7e308,1.7e308,1.7e308
fails 1 "is not finite: --wrench.link6 is 1.7e+308"
arne compute energy "$ROBOTS/planar_2r.yaml" --qd 1e160,0 --json
fails 1 "kinetic is not finite: qd."
# Of many states the one is named, in batches too.
{
    echo q.joint1,q.joint2,qd.joint1,qd.joint2
    i=0
    while [ $i -lt 100 ]; do
        [ $i -eq 70 ] && echo 0,0,1e160,0 || echo 0,0,1,0
        i=$((i + 1))
    done
} >"$T/many.csv"
arne compute energy "$ROBOTS/planar_2r.yaml" --states "$T/many.csv"
fails 1 "kinetic of state 71 is not finite: qd.joint1 is 1e+160"

# --- parts that are too far apart ---

two() { # mass of a, mass of b, length, inertia of a
    cat >"$T/two.yaml" <<YAML
name: two
bodies: [{name: base}, {name: a, mass: $1, inertia: [$4, $4, $4]}, {name: b, mass: $2, com: [0.1, 0, 0], inertia: [1, 1, 1]}]
joints: [{name: j, kind: revolute, parent: base, child: a}, {name: k, kind: revolute, parent: a, child: b, origin: {xyz: [$3, 0, 0]}}]
YAML
}
two 1e-20 1e15 1 1
arne check "$T/two.yaml"
says "the masses of 'a' (1e-20 kg) and of 'b' (1e+15 kg) are more than 1e30 apart"
arne check "$T/two.yaml" --strict
exits 1
two 1 1 1e-33 1
arne check "$T/two.yaml"
says "the lengths of 'k' (1e-33 m) and of 'b' (0.1 m) are more than 1e30 apart"
two 1 1 1 1e-31
arne check "$T/two.yaml"
says "the inertias of 'a' (1e-31 kg m^2) and of 'b' (1 kg m^2)"
two 1 1 1 1e-12
arne check "$T/two.yaml"
exits 0
silent

# --- assembling from far away ---

sed 's/start: -1}/start: -1e300}/' "$ROBOTS/five_bar.yaml" >"$T/far.yaml"
grep -q 1e300 "$T/far.yaml" || fail "no far start"
arne compute assemble "$T/far.yaml" --q 1.8,1.1
exits 0
q=$(row 1 | cut -d' ' -f1-4 | tr ' ' ',')
arne compute inverse-dynamics "$T/far.yaml" --q "$q"
exits 0
silent

finish
