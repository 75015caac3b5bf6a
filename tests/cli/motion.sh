#!/bin/sh
# arne motion: torques of a table are those of arne compute, markers give coordinates back, and
# mistakes are told.
. "$(dirname "$0")/checks.inc"

leg=$HERE/../data/osim/leg_v40500.osim
mot=$T/leg.mot

# A slow motion in degrees; pelvis_tx and pelvis_ty are metres. The ankle is left out.
awk 'BEGIN {
    print "leg\nversion=1\ninDegrees=yes\nendheader"
    print "time\tpelvis_tilt\tpelvis_tx\tpelvis_ty\thip_flexion\tknee_angle"
    for (i = 0; i <= 100; i++) {
        t = i / 100; s = sin(6.283185307179586 * t)
        printf "%.4f\t%.10f\t%.10f\t%.10f\t%.10f\t%.10f\n", t, 5 * s, 0.1 * t, 0.9 + 0.01 * s, 20 * s, -30 + 10 * s
    }
}' >"$mot"
arne motion dynamics "$leg" "$mot" --cutoff 0
exits 0
says "leg.mot lacks 1 coordinates"
says "residual pelvis_ty: rms 2"
prints "tau.pelvis_tx [N]"
grep -v tau "$T/out" >"$T/torques"
[ "$(wc -l <"$T/torques")" -eq 101 ] || fail "not one row for each of the table"

# The file as states of arne compute, with the column that is left out: weight alone.
awk 'NR < 5 { print; next } NR == 5 { print $0 "\tankle_angle"; next } { print $0 "\t2.8647889756541161" }' "$mot" >"$T/full.mot"
arne compute gravity "$leg" --states "$T/full.mot"
exits 0
gravity=$(row 26)
near 1e-12 "$(echo "$gravity" | awk '{ print $3 }')" 246.146915

# Measured forces: by columns, by a file; 100 N upward at the foot take 100 N off the residual.
awk 'BEGIN { print "f\nendheader\ntime fx fy fz"; for (i = 0; i <= 10; i++) print i / 10, 0, 100, 0 }' >"$T/grf.mot"
"$ARNE" motion dynamics "$leg" "$mot" --quiet -o "$T/without.sto"
"$ARNE" motion dynamics "$leg" "$mot" --quiet --forces "$T/grf.mot" --load foot=f -o "$T/with.sto"
column() { awk -v name="$2" \
    '/^time/ { for (i = 1; i <= NF; i++) if ($i == name) c = i } /^0\.5/ { print $c; exit }' "$1"; }
near 1e-9 "$(echo "$(column "$T/without.sto" pelvis_ty_force) $(column "$T/with.sto" \
    pelvis_ty_force)" | awk '{ print $1 - $2 }')" 100
printf '<OpenSimDocument><ExternalLoads><objects><ExternalForce><applied_to_body>foot</applied_to_body><force_identifier>f</force_identifier></ExternalForce></objects><datafile>grf.mot</datafile></ExternalLoads></OpenSimDocument>' >"$T/loads.xml"
"$ARNE" motion dynamics "$leg" "$mot" --quiet --loads "$T/loads.xml" -o "$T/file.sto"
cmp -s "$T/with.sto" "$T/file.sto" || fail "the file of loads gives other torques"

# Markers of a pose give it back.
"$ARNE" compute pose "$leg" --quiet --q 0.3,0.95,0.1,0.2,-0.5,0.05 --frame ASIS --frame KNEE \
    --frame SHANK --frame HEEL --frame TOE \
    --json >"$T/poses"
python3 - "$T/poses" >"$T/pose.csv" <<'P'
import json, sys
frames = json.load(open(sys.argv[1]))[0]["frames"]
print("time," + ",".join(f"{name}.{c} [m]" for name in frames for c in "xyz"))
print("0," + ",".join(repr(x) for at in frames.values() for x in at["p"]))
P
arne motion track "$leg" "$T/pose.csv" --weight TOE=2 --errors "$T/errors.csv"
exits 0
says "5 markers, 1 frames: rms error 0.00 mm"
near 1e-8 "$(row 1)" "0 0.3 0.95 0.1 0.2 -0.5 0.05"

# The patella follows the knee; with --open it has a torque of its own, and the knee's is without
# it.
arne motion dynamics "$leg" "$mot" --quiet
exits 0
! grep -q patella "$T/out" || fail "a coordinate that follows has a torque"
arne motion dynamics "$leg" "$mot" --quiet --open
exits 0
prints "tau.patella_angle [N m]"

# The page of a model has its markers, the muscles as rods, and the bones whose meshes are there.
person=$HERE/../../examples/markers/person.osim
arne view "$person" -o "$T/person.html"
exits 0
[ "$(grep -o '"colour":\[0.75,0.15,0.15,1\]' "$T/person.html" | wc -l)" -eq 24 ] ||
    fail "not a rod for each piece of a muscle"
[ "$(grep -o '"colour":\[1,0.45,0.7,1\]' "$T/person.html" | wc -l)" -eq 16 ] ||
    fail "not a ball for each marker"
mkdir "$T/Geometry"
cat >"$T/Geometry/bone.vtp" <<'V'
<?xml version="1.0"?>
<VTKFile type="PolyData"><PolyData><Piece NumberOfPoints="4" NumberOfPolys="2">
<PointData Normals="Normals"><DataArray NumberOfComponents="3" type="Float32" Name="Normals" format="ascii">9 9 9</DataArray></PointData>
<Points><DataArray NumberOfComponents="3" type="Float32" format="ascii">0 0 0 0.1 0 0 0 0.25 0 0 0 0.3</DataArray></Points>
<Polys><DataArray type="Int32" Name="connectivity" format="ascii">0 1 2 0 1 2 3</DataArray>
<DataArray type="Int32" Name="offsets" format="ascii">3 7</DataArray></Polys></Piece></PolyData></VTKFile>
V
sed 's|<Body name="torso">|&<attached_geometry><Mesh name="g"><mesh_file>bone.vtp</mesh_file></Mesh></attached_geometry>|' "$person" >"$T/boned.osim"
arne view "$T/boned.osim" -o "$T/boned.html"
exits 0
silent
grep -q '"kind":"mesh"' "$T/boned.html" || fail "the bone is not shown"
sed -i 's/0 1 2 3</0 1 2 4</' "$T/Geometry/bone.vtp" # a corner that does not exist
arne view "$T/boned.osim" -o "$T/boned.html"
exits 0
says "bone.vtp"

# Muscles: the torques of the knee are those of its muscles and of a small reserve.
person=$HERE/../../examples/markers/person.osim
awk 'BEGIN {
    print "time,q.hip_flexion_r,q.knee_angle_r"
    for (i = 0; i <= 40; i++) { s = sin(0.157 * i); printf "%.3f,%.9f,%.9f\n", i / 40, 0.1 * s, -0.3 - 0.1 * s }
}' >"$T/person.csv"
arne motion muscles "$person" "$T/person.csv" --reserve 1 --reserve pelvis_ty=0 \
    --reactions "$T/joints.csv"
exits 0
says "41 frames; most active: "
says "largest reserve: "
prints "activation.vasti_r,force.vasti_r [N],power.vasti_r [W],metabolic.vasti_r [W]"
prints "rest.knee_angle_r [N m]"
grep -q 'reaction.tibia_r.fy \[N\]' "$T/joints.csv" || fail "no reaction of the tibia"
arne motion muscles "$person" "$T/person.csv" --compliant --passive --power 3 --opensim
exits 0

# A page has the colours of muscles: four bytes for each muscle and frame, in base64. A table that has
# no muscle is a mistake.
arne motion track "$person" "${person%/*}/walk.trc" --quiet -o "$T/walk.mot"
exits 0
arne motion muscles "$person" "$T/walk.mot" --quiet -o "$T/muscles.sto"
exits 0
arne view "$person" --states "$T/walk.mot" --activation "$T/muscles.sto" --quiet -o "$T/page.html"
exits 0
frames=61 muscles=$(grep -c '"muscle":' "$T/page.html") colours=$(
    sed -n 's/.*"activations":"\([^"]*\)".*/\1/p' "$T/page.html" | base64 -d | wc -c)
[ "$colours" -eq $((4 * frames * 16)) ] || fail "$colours bytes of activations"
[ "$muscles" -gt 0 ] || fail "no rod is a muscle"
arne view "$person" --states "$T/walk.mot" --activation "$mot" --quiet -o "$T/page.html"
fails 1 "no column is activation.NAME of a muscle"
arne view "$person" --activation "$T/muscles.sto" -o "$T/page.html"
fails 2 "--activation is of --states, or of a run"
arne motion muscles "$person" "$T/person.csv" --reserve 0
exits 0
arne motion muscles "$person" "$T/person.csv" --reserve knee=1
fails 2 "no joint of 'knee=1'"
arne motion muscles "$person" "$T/person.csv" --reserve -1
fails 2 "not negative"
arne motion muscles "$person" "$T/person.csv" --power 0.5
fails 1 "power must be from 1"
arne motion muscles "$leg" "$mot"
fails 1 "the robot has no muscles"

# Mistakes.
arne motion dynamics "$leg" "$mot" --forces "$T/grf.mot" --load foott=f
fails 1 "no link 'foott' (near matches: foot"
arne motion dynamics "$leg" "$mot" --forces "$T/grf.mot" --load foot=g
fails 1 "no column 'gx'"
arne motion dynamics "$leg" "$mot" --load foot=f
fails 2 "belong together"
arne motion walk "$leg" "$mot"
fails 2 "no task 'walk'"
arne motion track "$leg" "$mot"
fails 1 "no frame of the robot is a marker"
arne motion track "$leg" "$T/pose.csv" --weight TOES=1
fails 1 "no marker 'TOES' in both robot and table (near matches: TOE"
head -30 "$mot" | cut -c1-60 >"$T/cut.mot"
printf '0.3\t1\n' >>"$T/cut.mot"
arne motion dynamics "$leg" "$T/cut.mot"
fails 1 "cut.mot:"
finish
