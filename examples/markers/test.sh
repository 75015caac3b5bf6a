#!/bin/sh
# test.sh - ARNE ROBOTS: from markers to torques, with the markers and forces of this folder.
example=$2
. "$(dirname "$0")/../testing.sh"
here=$(cd "$(dirname "$0")" && pwd)

# Every link that was measured is 5 % longer, and the mass is the one that is asked for.
"$example" motion scale "$here/person.osim" "$here/static.trc" --setup "$here/scale.xml" \
    -o "$T/tall.yaml" >"$T/out" 2>"$T/err" ||
    fail "scale"
[ "$(grep -c '1.0500 1.0500 1.0500' "$T/err")" -eq 4 ] || fail "the factors are not 1.05"
"$example" check "$T/tall.yaml" >"$T/out" 2>"$T/err" && grep -q ' 74 kg' "$T/out" ||
    fail "the mass is not 74 kg"

# The motion of the markers: the hip swings by 0.4 rad about 0.1 rad.
"$example" motion track "$here/person.osim" "$here/walk.trc" --tasks "$here/tasks.xml" \
    -o "$T/walk.csv" >"$T/out" 2>"$T/err" ||
    fail "track"
grep -q '16 markers, 61 frames: rms error 1.14 mm' "$T/err" || fail "the errors of the markers"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^q.hip_flexion_r/) c = i; next }
    { e = $c - 0.1 - 0.4 * sin(6.283185307179586 * $1); s += e * e }
    END { exit !(NR == 62 && sqrt(s / 61) < 0.008) }' "$T/walk.csv" || fail "the hip moves otherwise"

# The measured forces carry the person: residuals are small, and far from small without them.
"$example" motion dynamics "$here/person.osim" "$T/walk.csv" --loads "$here/loads.xml" \
    -o "$T/torques.sto" >"$T/out" 2>"$T/err" ||
    fail "dynamics"
residual() { sed -n 's/^arne: residual pelvis_ty: rms \([0-9.]*\) N,.*/\1/p' "$T/err"; }
awk -v r="$(residual)" 'BEGIN { exit !(r > 0 && r < 8) }' || fail "the residual is $(residual) N"
"$example" motion dynamics "$here/person.osim" "$T/walk.csv" -o "$T/without.sto" >"$T/out" \
    2>"$T/err" || fail "dynamics"
awk -v r="$(residual)" 'BEGIN { exit !(r > 600) }' ||
    fail "the residual without forces is $(residual) N"

# Residuals fall where masses and motion may change a little.
"$example" motion reduce "$here/person.osim" "$T/walk.csv" --loads "$here/loads.xml" --torso torso \
    --adjusted "$T/adjusted.yaml" \
    -o "$T/reduced.mot" >"$T/out" 2>"$T/err" || fail "reduce"
grep -q 'masses times 0.99[0-9]*; the mass centre of torso moves by' "$T/err" || fail "the masses"
"$example" motion dynamics "$T/adjusted.yaml" "$T/reduced.mot" --loads "$here/loads.xml" \
    --cutoff 0 -o "$T/torques.sto" \
    >"$T/out" 2>"$T/err" || fail "dynamics"
awk -v r="$(residual)" 'BEGIN { exit !(r > 0 && r < 2) }' ||
    fail "the reduced residual is $(residual) N"

# Muscles: the reserves of the ankle are what the invented forces ask of it beyond its muscles.
"$example" motion muscles "$here/person.osim" "$T/walk.csv" --loads "$here/loads.xml" \
    --reactions "$T/joints.sto" \
    -o "$T/muscles.sto" >"$T/out" 2>"$T/err" || fail "muscles"
grep -q 'largest reserve: ankle_angle_r, 109 N m' "$T/err" || fail "the reserves"

# OpenSim's own subject, where the data is: activations are OpenSim's, nearer where no limit force
# magnifies the difference of coordinates.
if [ -n "${ARNE_REFERENCE:-}" ] && command -v python3 >/dev/null; then
    ARNE=$example python3 "$here/beside_opensim.py" "$ARNE_REFERENCE/opensim" "$T/page.html" \
        >"$T/out" 2>"$T/err" ||
        fail "beside OpenSim"
    awk '{ n++; if ($3 + 0 > (/_l:/ ? 0.03 : 0.06)) bad = 1 } END { exit bad || n != 18 }' \
        "$T/out" || fail "activations are not OpenSim's"
fi
exit 0
