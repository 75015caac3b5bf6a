#!/bin/sh
# What people get wrong at first: messages name the remedy.
. "$(dirname "$0")/checks.inc"
cd "$T" || exit 1

cat >arm.urdf <<'END'
<robot name="arm"><link name="base"/>
<link name="upper"><inertial><origin xyz="0 0 0.2"/><mass value="3"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="lower"><inertial><origin xyz="0 0 0.2"/><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="50" velocity="3"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0 0 0.4"/><axis xyz="0 1 0"/><limit lower="-2.8" upper="2.8" effort="20" velocity="3"/></joint>
</robot>
END

# --- robots ------------------------------------------------------------------------------------

# typo SCRIPT: the robot with a mistake, checked.
typo() { sed "$1" arm.urdf >typo.urdf && arne check typo.urdf; }
typo 's/<axis/<axes/'
says "typo.urdf:4: joint 'shoulder': unknown tag <axes> is ignored (near matches: axis)"
says "joint 'elbow': there is no <axis>; it is 1 0 0"
typo 's/ effort="[0-9]*"//' && exits 0
says "joint 'elbow': <limit> has no effort; it is unlimited [limit]"
typo 's/ effort="[0-9]*" velocity="3"//' && exits 0
says "joint 'elbow': <limit> has no effort and no velocity; they are unlimited"
typo 's/<link name="base"\/>/<link name="base">/'
exits 1
says "typo.urdf:2: link 'base': <link> stands within the <link> of line 1 and is ignored: is </link> missing before this line?"
says "mismatched tag; <link> of line 1 has no end tag"
[ "$(wc -l <err)" -eq 2 ] || fail "more than two lines"
typo 's/lower="-2"/lower="3"/' && exits 0
says "they are exchanged: the range is 2 to 3"
awk '/elbow/ { for (i = 1; i < 4; i++) { line = $0; gsub(/"elbow"/, "\"e" i "\"", line); gsub(/child link="lower"/, "child link=\"l" i "\"", line); sub(/ effort="20"/, "", line); print "<link name=\"l" i "\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>" line } } { print }' arm.urdf >many.urdf
arne check many.urdf && exits 0
says "3 joints: <limit> has no effort; it is unlimited (the first is 'e1')"
prints "3 warnings in 1 line)"
arne compute gravity many.urdf --q 0,0,0,0,0 && exits 0
[ "$(wc -l <err)" -eq 1 ] || fail "not one line of three joints"

# --- tables ------------------------------------------------------------------------------------

# table HEADER: positions over time below it.
table() {
    { echo "$1"
    awk 'BEGIN { for (i = 0; i <= 20; i++) printf "%g,%g,%g\n", i / 20, 0.1 * i / 20, 0.2 }'
    } >motion.csv
}
id() { arne compute inverse-dynamics arm.urdf --states motion.csv "$@"; }

table time,shoulder,elbow
id && fails 1 "motion.csv:1: column 'qd.shoulder' is missing" "--differentiate finds it"
id --differentiate && exits 0
cp out wanted
for header in Time,shoulder,elbow 't,q.shoulder,q.elbow' 'TIME (s),shoulder (rad),elbow [rad]'; do
    table "$header" && id --differentiate && exits 0
    cmp -s out wanted || fail "'$header' gives another answer"
done
table 'time,shoulder (deg),elbow [deg]' && id --differentiate && exits 0
cmp -s out wanted && fail "degrees are taken for radians"
table time,shoulder,elbwo && id --differentiate &&
    fails 1 "is it 'elbwo'? --column 'q.elbow=elbwo' says so"
table timestamp,shoulder,elbow && id --differentiate &&
    fails 1 "is it 'timestamp'? --column 'time=timestamp'"
table time,/joints/shoulder/position,pos.elbow
id --differentiate && fails 1 "--column 'q.shoulder=/joints/shoulder/position'"
id --differentiate --column q.shoulder=/joints/shoulder/position --column q.elbow=pos.elbow
exits 0
cmp -s out wanted || fail "other names give another answer"
id --column q.shoulder && fails 2 "'q.shoulder' is not NAME=OTHER"
arne compute gravity arm.urdf --column a=b && fails 2 "--column is of --states"
table time,shoulder,q.shoulder && id --differentiate && fails 1 "'q.shoulder' is there twice"
table 0.0,0.1,0.2 && id && fails 1 "motion.csv:1: the first line has numbers" "a header"
table time,shoulder && id && fails 1 "motion.csv:2: the header has 2 columns, this row has 3"

# The page of a recording, and its plots as files.
table time,shoulder,Joint_2
arne view arm.urdf --states motion.csv -o page.html && fails 1 "is missing"
arne view arm.urdf --states motion.csv --column q.elbow=Joint_2 --plots plots -o page.html
exits 0
[ -s page.html ] || fail "no page"
grep -lq '<svg' plots/*.svg || fail "no plots: $(ls plots)"
arne view arm.urdf --plots plots && fails 2 "--plots are of --states"
arne view motion.csv && fails 1 "motion.csv is a table; 'arne view ROBOT --states motion.csv'"
arne report motion.csv && fails 1 "the folder of a run is needed here"

# --- no state ----------------------------------------------------------------------------------

arne compute gravity arm.urdf && exits 0
says "no state is given"
arne compute gravity arm.urdf --quiet && exits 0
silent
arne compute gravity arm.urdf --q 0,0 && exits 0
silent
arne compute inverse-kinematics arm.urdf --frame lower --position 0.24,0,0.32 && exits 0
silent

# --- plans -------------------------------------------------------------------------------------

# problem ROBOT END: least time from a bent arm to END within torques.
problem() {
    cat >problem.yaml <<END
robot: $1
spline: {degree: 4, control_points: 8}
start: {position: [0.5, 0.5], velocity: 0}
end: {position: $2, velocity: 0}
objective: [{quantity: time}]
constraints:
  - {quantity: velocity, limits: true}
  - {quantity: torque, limits: true}
END
}
problem arm.urdf '[1, 7.2]'
arne plan problem.yaml
fails 1 "problem.yaml:4:" \
    "of joint 'elbow' is 7.2 rad at the end, outside of its limits -2.8 to 2.8"
problem arm.urdf '[1, 7.2], limits: false' && arne check problem.yaml && exits 0
silent
sed 's/ effort="[0-9]*"//' arm.urdf >no_effort.urdf
problem no_effort.urdf '[1, 1]'
arne plan problem.yaml
fails 1 "problem.yaml:8:" "robot 'arm' has no effort limit of these joints"
sed 's/ effort="20"//' arm.urdf >half.urdf
problem half.urdf '[1, 1]' && arne check problem.yaml && exits 0
says "problem.yaml:8: limits: true, but 1 joint has no effort limit: 'elbow'"
sed 's/effort="50"/effort="5"/' arm.urdf >weak.urdf
problem weak.urdf '[1, 1]' && arne check problem.yaml && exits 0
says "problem.yaml:8: joint 'shoulder' needs -9.886 N m to stand still at the start, and its limit is -5"
says "stand still at the end"

# --- simulations -------------------------------------------------------------------------------

# falls LIMITS: the arm from a bent posture, with no torques. largest: the largest angle of the
# shoulder on the way.
falls() {
    printf 'robot: arm.urdf\nduration: 2\ninitial: {q: [1, 0.5]}\nlimits: %s\n' "$1" >fall.yaml
    arne simulate fall.yaml -o fall
    exits 0
}
largest() { awk -F, 'NR > 1 && $2 > m { m = $2 } END { printf "%.3f", m }' fall/result.csv; }
falls report
prints "joint 'shoulder' passed its upper limit 2 rad at 0.3001 s; the motion goes on (limits: report)"
prints "joint 'elbow' passed its upper limit 2.8 rad at 1.114 s"
[ "$(largest)" = 4.870 ] || fail "it goes to $(largest)"
falls stop
prints "reached its upper limit 2 rad at t = 0.300105"
prints "the simulation ends there (limits: stop)"
falls hold
prints "joint 'shoulder' stopped at its upper limit 2 rad at 0.301 s (limits: hold)"
[ "$(largest)" = 2.000 ] || fail "it goes to $(largest)"
head -1 fall/result.csv | grep -q contact && fail "there is no ground, but contacts"
awk -F, 'NR > 2 && $10 > before + 1e-4 { exit 1 } NR > 1 { before = $10 }' fall/result.csv ||
    fail "a stop gives energy"
echo 'integrator: {method: dormand-prince}' >>fall.yaml
arne simulate fall.yaml -o fall
fails 1 "a joint that stops at its limit (limits: hold) needs an integrator with steps of a fixed size: take euler or rk4"
printf 'robot: arm.urdf\nduration: 0.2\n' >still.yaml
arne simulate still.yaml && exits 0
prints "nothing moves: the robot starts at rest and in balance"

# Sections of a robot's file that only plans read: checked, and written again with those of the
# files that it extends.
cat >parts.yaml <<'END'
bodies: [{name: ground}, {name: cart, mass: 2}]
joints: [{name: rail, kind: prismatic, parent: ground, child: cart, axis: [1, 0, 0]}]
strength: {rial: {stall: 10, no_load: 2}}
fatigue: {rail: {fatigue: -1, recovery: 0.002}}
END
arne check parts.yaml
fails 1 "parts.yaml:3:18: strength names joint 'rial'" \
    "parts.yaml:4:27: fatigue 'rail': fatigue must be positive (-1)"
sed -i 's/rial/rail/; s/-1,/0.01,/' parts.yaml
arne check parts.yaml && exits 0
cat >more.yaml <<'END'
extends: parts.yaml
strength: {rail: {angles: [-0.1, 1/3], velocities: [-5, 0, 5], between: cubic, torques: [[0.1, 7, 3], [9, 8, 90 deg]]}}
END
arne convert more.yaml -o again.yaml && exits 0
arne convert again.yaml && exits 0
cmp -s again.yaml "$T/out" || fail "sections for plans do not read back"
printf 'strength:\n  rail: {angles: [-0.1, 1/3], velocities: [-5, 0, 5], between: cubic, torques: [[0.1, 7, 3], [9, 8, 90 deg]]}\n' >wanted
printf 'fatigue:\n  rail: {fatigue: 0.01, recovery: 0.002}\n' | cat - wanted >wanted.2
sed -n '/^fatigue/,$p' again.yaml | cmp -s - wanted.2 || fail "sections for plans are not written"
arne convert parts.yaml --format urdf && exits 0
says "not in the URDF: the section 'strength'"

finish
