#!/bin/sh
# Recorded motions: the time stays, loads are columns, what was not recorded is found; poses as
# quaternions and angles; effort.
. "$(dirname "$0")/checks.inc"

cat >"$T/arm.yaml" <<END
name: arm
bodies: [{name: base}, {name: a, mass: 2, com: [0.25, 0, 0], inertia: [0.01, 0.01, 0.01]}]
joints:
  - {name: j, kind: revolute, parent: base, child: a, axis: [0, 1, 0], limits: {effort: 10}}
frames: [{name: tip, link: a, origin: {xyz: [0.5, 0, 0]}}]
END
robot=$T/arm.yaml

# 0.5 sin 3t in steps of 5 ms, as degrees; a push of 1.5 N.
awk 'BEGIN { print "time [s],q.j [deg],load.tip.fz [N]"
    for (i = 0; i < 400; i++) printf "%.17g,%.17g,1.5\n", i * 0.005, 90 / 3.14159265358979323846 * sin(0.015 * i) }' >"$T/rec.csv"
arne compute inverse-dynamics "$robot" --states "$T/rec.csv" --differentiate
exits 0
says "qd and qdd are found from q"
says "a chosen cut-off of"
head -1 "$T/out" | grep -qx 'time,tau.j' || fail "header: $(head -1 "$T/out")"
measured=$(row 199)
set -- $(awk 'BEGIN { t = 0.99; printf "%.17g %.17g %.17g", 0.5 * sin(3 * t), 1.5 * cos(3 * t), -4.5 * sin(3 * t) }')
arne compute inverse-dynamics "$robot" "--q=$1" "--qd=$2" "--qdd=$3" --wrench tip=0,0,1.5,0,0,0
near 1e-6 "$measured" "0.99 $(row 1)"
arne compute inverse-dynamics "$robot" --states "$T/rec.csv" --differentiate --cutoff 20 --json
exits 0
says "the given cut-off of 20 Hz"
grep -q '"time": 0.005' "$T/out" || fail "no time in JSON"

# Not in silence.
arne compute inverse-dynamics "$robot" --states "$T/rec.csv"
fails 1 "column 'qd.j' is missing"
arne compute pose "$robot" --states "$T/rec.csv" --frame tip
exits 0
says "columns load.LINK have no effect on pose"
arne compute inverse-dynamics "$robot" --q 0 --differentiate
fails 2 "--differentiate needs --states"
sed 's/load.tip.fz/load.tup.fz/' "$T/rec.csv" >"$T/bad.csv"
arne compute inverse-dynamics "$robot" --states "$T/bad.csv" --differentiate
fails 1 "column 'load.tup.fz' names no link" "near matches: tip"
sed 's/load.tip.fz \[N\]/load.tip.fz [rad]/' "$T/rec.csv" >"$T/bad.csv"
arne compute inverse-dynamics "$robot" --states "$T/bad.csv" --differentiate
fails 1 "has the unit 'rad'; it must be N"
cut -d, -f2 "$T/rec.csv" >"$T/bad.csv"
arne compute inverse-dynamics "$robot" --states "$T/bad.csv" --differentiate
fails 1 "needs a column 'time'"

# Turned by 90 degrees about y.
arne compute pose "$robot" --frame tip --q pi/2 --json
exits 0
grep -q '"quaternion": \[0, 0.707106781186547[0-9]*, 0, 0.707106781186547[0-9]*\]' "$T/out" ||
    fail "quaternion: $(cat "$T/out")"
arne compute pose "$robot" --frame tip --q 0.5 --json
grep -q '"rpy": \[0, 0.5, 0\]' "$T/out" || fail "rpy: $(cat "$T/out")"

# 10 N m hold 2 kg at 0.25 m and m at 0.5 m.
arne compute payload-capacity "$robot" --frame tip
exits 0
near 1e-12 "$(row 1 | cut -d" " -f1)" "$(awk 'BEGIN { printf "%.17g", (10 / 9.81 - 0.5) / 0.5 }')"
arne compute effort-utilisation "$robot" --payload tip=1.0387359836901121,0,0,0
exits 0
near 1e-12 "$(row 1 | cut -d" " -f1)" 100
sed 's/, limits: {effort: 10}//' "$robot" >"$T/strong.yaml"
arne compute payload-capacity "$T/strong.yaml" --frame tip
fails 1 "no mass at this frame"

# A file of another kind names its verb.
printf 'robot: arm.yaml\nduration: 1\n' >"$T/scenario.yaml"
arne simulate "$robot"
fails 1 "is a robot file" "arne info"
arne plan "$T/scenario.yaml"
fails 1 "is a scenario file" "arne simulate"
arne compute gravity "$T/scenario.yaml"
fails 1 "is a scenario file" "arne simulate"

# Units of a reference are converted or refused.
printf 'time,q.j [deg]\n0,0\n0.25,20\n0.5,45\n0.75,70\n1,90\n' >"$T/reference.csv"
printf 'robot: arm.yaml\nduration: 1\ndrive: reference\nreference: {type: table, file: reference.csv}\n' >"$T/run.yaml"
arne simulate "$T/run.yaml" -o "$T/run" --quiet
exits 0
sed 's/deg/kg/' "$T/reference.csv" >"$T/other.csv"
mv "$T/other.csv" "$T/reference.csv"
arne simulate "$T/run.yaml" -o "$T/run" --quiet
fails 1 "column 'q.j' has the unit 'kg'; it must be rad"

# What nothing drives has no torque in a plan, unless the problem says so.
sed 's/effort: 10}/effort: 10}, passive: true/' "$robot" >"$T/passive.yaml"
printf 'robot: passive.yaml\ntime: 1\ndriven: [j]\nstart: {position: {j: 0}}\n' >"$T/problem.yaml"
arne check "$T/problem.yaml"
exits 0
printf 'robot: passive.yaml\ntime: 1\ndriven: [k]\n' >"$T/problem.yaml"
arne check "$T/problem.yaml"
fails 1 "problem.yaml:3:10: driven names 'k', which is no joint"

finish
