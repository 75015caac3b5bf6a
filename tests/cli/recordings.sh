#!/bin/sh
# From a designed motion to a written robot; logs that do not fit; and recordings of real robots,
# where these are at hand.
. "$(dirname "$0")/checks.inc"

arm=$ROBOTS/planar_2r.yaml

# A robot that differs from the prior, and the torques of a motion.
cat >"$T/true.yaml" <<END
extends: $arm
gravity: [0, -9.81, 0]
bodies: [{name: link2, mass: 0.8}]
joints:
  - {name: joint1, friction: {viscous: 0.4, coulomb: [0.3, 0.2]}}
  - {name: joint2, friction: {viscous: 0.2, coulomb: [0.1, 0.1]}}
END
cat >"$T/prior.yaml" <<END
extends: $arm
gravity: [0, -9.81, 0]
END
arne identify design "$T/prior.yaml" --starts 1 --iterations 9 --rate 100 -o "$T/design"
exits 0
prints "condition"
[ -s "$T/design/report.html" ] || fail "no page"
arne compute inverse-dynamics "$T/true.yaml" --states "$T/design/motion.csv" -o "$T/tau.csv"
exits 0
torques() { cut -d, -f2- "$1"; } # without the time, which the motion has
torques "$T/tau.csv" | paste -d, "$T/design/motion.csv" - >"$T/log.csv"

arne identify fit "$T/prior.yaml" "$T/log.csv" -o "$T/found"
exits 0
for file in robot.yaml robot.urdf parameters.csv summary.json result.csv friction.csv report.html; \
    do
    [ -s "$T/found/$file" ] || fail "no $file"
done
grep -q '"consistent": true' "$T/found/summary.json" || fail "not consistent"
arne check "$T/found/robot.yaml"
exits 0
# What was written has the torques that were recorded.
arne compute inverse-dynamics "$T/found/robot.yaml" --gravity 0,-9.81,0 \
    --states "$T/design/motion.csv" -o "$T/again.csv"
exits 0
for line in 7 200 555; do
    near 1e-5 "$(sed -n "${line}p" "$T/again.csv" | tr ',' ' ')" \
        "$(sed -n "${line}p" "$T/tau.csv" | tr ',' ' ')"
done
arne identify fit "$T/prior.yaml" "$T/log.csv" --estimator free \
    --friction viscous,coulomb,stribeck --huber 1.345
exits 0
arne compute inverse-dynamics "$T/true.yaml" --payload link2=0.5,0.1,0,0 \
    --states "$T/design/motion.csv" -o "$T/tau.csv.loaded"
exits 0
torques "$T/tau.csv.loaded" | paste -d, "$T/design/motion.csv" - >"$T/loaded.csv"
arne identify payload "$T/prior.yaml" "$T/loaded.csv" --unloaded "$T/log.csv" -o "$T/load"
exits 0
prints "mass               0.5"
prints "the robot file is not relied on"
grep -q '"mass"' "$T/load/payload.json" || fail "no payload.json"
grep -q '"rests_on_robot": false' "$T/load/payload.json" ||
    fail "payload.json does not say what it rests on"
arne identify payload "$T/true.yaml" "$T/loaded.csv"
exits 0
prints "mass               0.5"
prints "filter             positions"
prints "only if the links of the robot file are right"

# Names that need quotes in a table: motions that are written are read again, and every row of every
# table has as many cells as its header.
sed "s/joint: joint1/joint: 'a \"b\", c'/; s/joint: joint2/joint: '\"2'/; s/link: link2/link: 'l\"\",2'/" "$arm" >"$T/names.yaml"
arne identify design "$T/names.yaml" --gravity 0,-9.81,0 --starts 1 --iterations 2 --period 5 \
    -o "$T/named"
exits 0
arne compute inverse-dynamics "$T/names.yaml" --gravity 0,-9.81,0 --states "$T/named/motion.csv" \
    -o "$T/named.csv"
exits 0
head -1 "$T/named.csv" | grep -q 'a ""b"", c' || fail "the joint's name is not there"
python3 - "$T/named/motion.csv" "$T/named.csv" "$T/named_log.csv" <<'END' || fail \
    "the log cannot be made"
import csv, sys
motion, torques = (list(csv.reader(open(path))) for path in sys.argv[1:3])
csv.writer(open(sys.argv[3], "w")).writerows(a + b[1:] for a, b in zip(motion, torques))
END
arne identify fit "$T/names.yaml" "$T/named_log.csv" --gravity 0,-9.81,0 -o "$T/named_fit"
exits 0
python3 - "$T"/named/*.csv "$T"/named_fit/*.csv <<'END' || fail \
    "a table with quotes in names is broken"
import csv, sys
for path in sys.argv[1:]:
    rows = list(csv.reader(open(path), strict=True))
    assert all(len(row) == len(rows[0]) for row in rows), path
    assert any('a "b", c' in cell for row in rows for cell in row), path
END

# ---- bad input: file, line, what to do
bad() { # NAME TEXT...
    name=$1
    shift
    arne identify fit "$T/prior.yaml" "$T/$name.csv" -o "$T/none"
    fails 1 "$T/$name.csv:" "$@"
    [ ! -e "$T/none" ] || fail "something was written"
}
sed '1s/joint/axis/g' "$T/log.csv" >"$T/names.csv"
bad names "there is no column 'q.joint1'" "there is no column 'tau.joint2'" "column map"
head -20 "$T/log.csv" >"$T/short.csv"
bad short "too short"
awk -F, -v OFS=, 'NR > 1 { $2 = 0.5; $4 = 0 } 1' "$T/log.csv" >"$T/still.csv"
bad still "joint 'joint1' does not move"
awk -F, -v OFS=, 'NR > 1 { $(NF - 1) = 3 } 1' "$T/log.csv" >"$T/constant.csv"
bad constant "the torque of joint 'joint1' is constant"
awk -F, -v OFS=, 'NR > 1 { $4 *= 57.3; $5 *= 57.3 } 1' "$T/log.csv" >"$T/units.csv"
bad units "in another unit"
awk 'NR == 300 { hold = $0; next } { print } NR == 302 { print hold }' "$T/log.csv" \
    >"$T/backward.csv"
bad backward "backward.csv:302: time runs backward"
# A cut-off below one period in the log, rows that no file has.
arne identify fit "$T/prior.yaml" "$T/log.csv" --cutoff 1e-9
fails 1 "leaves nothing of a log of 1"
for rows in 1e300,1e301 0,5 7,3 1.5,9; do
    arne identify fit "$T/prior.yaml" "$T/log.csv" --rows $rows
    fails 2 "--rows"
done
printf 'rows: [1, 1e300]\n' >"$T/settings.yaml"
arne identify fit "$T/prior.yaml" "$T/log.csv" --settings "$T/settings.yaml"
fails 1 "settings.yaml:1:" "the first and the last row"
arne identify tune "$T/prior.yaml"
fails 2 "there is no task 'tune'"
printf 'friction: [viscus]\nfilter: {order: -1}\n' >"$T/settings.yaml"
arne identify fit "$T/prior.yaml" "$T/log.csv" --settings "$T/settings.yaml"
fails 1 "settings.yaml:1:" "settings.yaml:2:"
arne identify --schema
exits 0
prints '"columns"'

# ---- real robots
recordings=${ARNE_REFERENCE:-/nowhere}/../recordings
if [ -d "$recordings" ]; then
    # The Panda: 70 % of the log are fitted, and what is left of the rest is within 1.1 times a
    # baseline.
    python3 - "$recordings/panda" "$T" <<'END' || fail "the Panda's log cannot be read"
import sys
source, to = sys.argv[1:]
part = lambda name: [line.strip() for line in open(f"{source}/exciting_traj_{name}.txt")]
time, parts = part("time"), [part("positions"), part("velocity"), part("torques")]
header = ",".join(["time"] + [f"{name}.j{i}" for name in ("q", "qd", "tau") for i in range(1, 8)])
rows = [",".join([t] + [x for p in parts for x in p[7 * i : 7 * i + 7]]) for i, t in enumerate(time)]
cut = int(0.7 * len(rows))
open(to + "/panda_fit.csv", "w").write("\n".join([header] + rows[:cut]) + "\n")
open(to + "/panda_check.csv", "w").write("\n".join([header] + rows[cut:]) + "\n")
END
    arne identify fit "$recordings/panda/panda_mdh.yaml" "$T/panda_fit.csv" \
        --validate "$T/panda_check.csv" -o "$T/panda"
    exits 0
    says "residuals are not white"
    grep -q '"consistent": true' "$T/panda/summary.json" || fail "Panda: not consistent"
    python3 - "$T/panda/summary.json" <<'END' || fail \
        "Panda: more is left than 1.1 times the baseline"
import json, sys
left = json.load(open(sys.argv[1]))["validate"].values()
rms = [0.198, 0.230, 0.223, 0.185, 0.074, 0.043, 0.058]
percent = [8.1, 1.2, 3.4, 1.1, 7.0, 3.4, 20.3]
assert all(x["rms"] < 1.1 * a and x["percent"] < 1.1 * b for x, a, b in zip(left, rms, percent)), left
END
    joints="shoulder_pan_joint shoulder_lift_joint elbow_joint wrist_1_joint wrist_2_joint wrist_3_joint"
    columns=time
    for part in q qd current; do for j in $joints; do columns=$columns,$part.$j; done; done
    columns=$columns,-,-,-,-,-,-,-,-,-,-,-,-
    arne identify fit "$recordings/ur10e/ur10e.urdf" \
        "$recordings/ur10e/ur-20_02_10-30sec_12harm.csv" \
        --rows 635,3510 --validate "$recordings/ur10e/ur-20_02_05-20sec_8harm.csv" \
        --validate-rows 320,2310 \
        --columns "$columns" --gains 14.87,13.26,11.13,10.62,11.03,11.47 --quiet -o "$T/ur10e"
    exits 0
    # Every link is a body, and no joint is met by more than 1.05 times what least squares leave.
    grep -q '"consistent": true' "$T/ur10e/summary.json" || fail "UR10e: not consistent"
    awk '/^joint / { rows = 6; next } rows-- > 0 { print $1, $7, $8; if ($8 > 1.05 * $7) bad = 1 } END { exit bad }' "$T/out" ||
        fail "UR10e: more is left than 1.05 times least squares"
    # 4 of 10 blocks of the TX40 are held back.
    paste -d, "$recordings/tx40/pos_read_data.csv" "$recordings/tx40/curr_data.csv" |
        awk -v OFS=, 'NR == 1 {
        $0 = "time"; for (i = 1; i <= 6; i++) $0 = $0 ",q.joint_" i; for (i = 1; i <= 6; i++) $0 = $0 ",tau.joint_" i
        print; next } { printf "%.4f,%s\n", (NR - 2) / 5000, $0 }' >"$T/tx40.csv"
    cat >"$T/tx40.yaml" <<END
coupling:
  - [32, 0, 0, 0, 0, 0]
  - [0, 32, 0, 0, 0, 0]
  - [0, 0, 45, 0, 0, 0]
  - [0, 0, 0, -48, 0, 0]
  - [0, 0, 0, 0, 45, 0]
  - [0, 0, 0, 0, 32, 32]
offset: {joint_2: -pi/2, joint_3: pi/2}
hold_back: 0.4
END
    arne identify fit "$recordings/tx40/tx40_mdh_modified.urdf" "$T/tx40.csv" \
        --settings "$T/tx40.yaml" --quiet -o "$T/tx40"
    exits 0
    awk 'BEGIN { split("11.6 13.4 21.6 20.1 19.4 20.2", most, " ") }
        /^joint / { rows = 6; next } rows-- > 0 { sum += $8; all += most[6 - rows]; if ($8 > most[6 - rows]) bad = 1 }
        END { print "TX40: " sum / 6; exit bad || sum > 0.75 * all }' "$T/out" || fail "TX40: more is left than a first try left"
    arne check "$T/tx40/robot.yaml"
    exits 0
    grep -q couplings "$T/tx40/robot.yaml" || fail "TX40: the coupling is not written"
fi

finish
