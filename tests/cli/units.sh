#!/bin/sh
# Numbers with units, angles that may be in degrees, values by joint, and a push without a file.
. "$(dirname "$0")/checks.inc"
cd "$T" || exit 1

cat >cart.yaml <<'END'
name: cart
gravity: [0, 0, -9.81]
bodies:
  - {name: base}
  - {name: cart, mass: 2000 g, inertia: [1 kg m^2, 1, 10000 kg cm^2]}
  - {name: wheel, mass: 1, com: [1 cm, 0, 0], inertia: [1, 1, 1]}
joints:
  - {name: rail, kind: prismatic, axis: [1, 0, 0], parent: base, child: cart}
  - {name: turn, kind: continuous, axis: [0, 1, 0], parent: cart, child: wheel, origin: {xyz: [50 mm, 0, 0], rpy: [0, 0, 90 deg]}}
END
arne check cart.yaml
exits 0
arne compute mass-matrix cart.yaml
exits 0
prints ',0,0,1.0001'

# A push of 10 N over 3 ms is an impulse of 0.03 N s, however long the steps are.
cat >push.yaml <<'END'
robot: cart.yaml
duration: 2 s
gravity: [0, 0, 0]
record: {every: 500 ms}
payloads: [{frame: cart, mass: 1}]
surroundings: [{type: push, frame: cart, force: [10, 0, 0], start: 1234 ms, duration: 3 ms, axes: world}]
END
arne simulate push.yaml --quiet
exits 0
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^qd.rail/) c = i } END { d = $c - 0.03 / 4; exit !(d * d < 1e-16) }' push.run/result.csv ||
    fail "the impulse is not 0.03 N s"
for bad in 'duration: 1 m' 'duration: 1 lightyear' 'duration: 90 deg'; do
    sed "s/duration: 2 s/$bad/" push.yaml >bad.yaml
    arne simulate bad.yaml
    fails 1 "bad.yaml:2:11: duration '${bad#*: }' is in a unit that is not known or of something else; it is needed in s"
done
sed 's/payloads: .*/payloads: [{link: cart, mass: 1}]/' push.yaml >bad.yaml
arne simulate bad.yaml
fails 1 "unknown key 'link'" "frame is missing"
sed 's/force: .*,/table: none.csv, force: [1, 0, 0],/' push.yaml >bad.yaml
arne simulate bad.yaml
fails 1 "force is of a push without a table"
sed 's/force: .10, 0, 0., //' push.yaml >bad.yaml
arne simulate bad.yaml
fails 1 "a push needs a force, a moment or a table"

# Degrees: one rule. A warning that names the joint; an error where it is outside of its limits too.
sed 's/kind: continuous/kind: revolute, limits: {lower: -3, upper: 3}/' cart.yaml >held.yaml
arne compute gravity cart.yaml --q 0,90
exits 0
says "warning: --q: joint 'turn' is 90 rad, more than two turns; degrees are written '90 deg' [degrees]"
arne compute gravity held.yaml --q 0,90
fails 1 "joint 'turn' is 90 rad, far outside its limits [-3, 3]; degrees are written '90 deg'"
arne compute gravity held.yaml --q 90,8
exits 0
silent
printf 'q.rail,q.turn\n0,90\n' >one.csv
printf 'q.rail,q.turn\n0,1\n0,90\n' >two.csv
arne compute gravity cart.yaml --states one.csv
exits 0
says "one.csv:2: joint 'turn' is 90 rad"
arne compute gravity cart.yaml --states two.csv # it has turned since
exits 0
silent
arne compute gravity held.yaml --states two.csv
fails 1 "two.csv:3: joint 'turn' is 90 rad" "write 'q.turn [deg]' in the header"
for robot in cart held; do
    wanted=0
    [ $robot = cart ] || wanted=1
    printf 'robot: %s.yaml\nduration: 0.01\ninitial: {q: [0, 90]}\n' $robot >s.yaml
    arne simulate s.yaml
    exits $wanted
    says "s.yaml:3:14: initial: q of joint 'turn' is 90 rad"
    printf 'robot: %s.yaml\nduration: 0.01\ndrive: reference\nreference: {type: point_to_point, to: [0, 90], duration: 0.01}\n' $robot >s.yaml
    arne simulate s.yaml
    exits $wanted
    says "s.yaml:4:39: reference: to of joint 'turn' is 90 rad"
    printf 'robot: %s.yaml\ntime: 1\nstart: {position: [0, 90]}\nobjective: [{quantity: torque}]\n' $robot >p.yaml
    arne check p.yaml
    exits $wanted
    says "of joint 'turn' is 90 rad"
done
printf 'robot: held.yaml\ntime: 1000 ms\nstart: {position: [100 mm, 90 deg], velocity: {turn: 1 rpm}}\nobjective: [{quantity: torque}]\n' >p.yaml
arne check p.yaml
exits 0

# Values by joint.
arne compute gravity held.yaml --q '0,90 deg'
cp out list
arne compute gravity held.yaml --q 'turn=90 deg'
exits 0
cmp -s out list || fail "by name it is something else"
arne compute inverse-dynamics held.yaml --q turn=1,rail=2 --qdd rail=1
exits 0
prints '3,'
arne compute gravity held.yaml --q turm=1
fails 2 "--q: there is no joint 'turm' (near matches: turn)"
arne compute gravity held.yaml --q turn=1,2
fails 2 "--q: '2' has no '='"
arne compute gravity "$ROBOTS/four_bar.yaml" --q 1
cp out list
joint=$(head -1 out | sed 's/tau.//; s/,.*//')
arne compute gravity "$ROBOTS/four_bar.yaml" --q "$joint=1"
exits 0
cmp -s out list || fail "of a robot with loops, by name it is something else"
finish
