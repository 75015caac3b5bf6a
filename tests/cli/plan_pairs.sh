#!/bin/sh
# arne plan: features that meet. Phases with strength, starts, failed starts and closed chains;
# convergence with contacts; limits between grid points of loops; fatigue with payloads.
. "$(dirname "$0")/checks.inc"

optima=$HERE/../data/optima
cp "$optima/cart.yaml" "$optima/pendulum.yaml" "$optima/hopper.yaml" "$T"
value() { sed -n "s/^ *\"$2\": \([^,]*\),*\$/\1/p" "$T/$1/summary.json" | head -1; }
# amount NAME KEY WANTED PART
amount() {
    awk -v x="$(value "$1" "$2")" -v want="$3" -v part="$4" \
        'BEGIN { d = (x - want) / want; exit !(x != "" && d < part && -d < part) }' ||
        fail "$2 is $(value "$1" "$2"), not $3"
}

# A torque-speed line in two phases whose border is free: as in one, 2.0527374 s.
cat >"$T/line.yaml" <<'EOF'
robot: cart.yaml
phases: [{name: a, time: free}, {name: b, time: free}]
start: {position: 0, velocity: 0}
end: {position: 1, velocity: 0}
strength: {x: {stall: 2, no_load: 1}}
objective: [{quantity: time}]
constraints: [{quantity: torque, limits: true}]
EOF
arne plan "$T/line.yaml" --out "$T/line"
if grep -q 'planning needs Ipopt' "$T/err"; then
    echo "no solver in this build: nothing to test"
    exit 0
fi
exits 0
silent
amount line T 2.0527374 1e-3
arne plan "$T/line.yaml" -q --starts 3 --jobs 2 --out "$T/starts"
exits 0
amount starts T 2.0527374 1e-3

# Back first, then up, in two phases: no straight line leads there.
sed 's/^time: free/phases: [{name: a, time: free}, {name: b, time: free}]/' \
    "$optima/pendulum_up.yaml" >"$T/up.yaml"
arne plan "$T/up.yaml" -q --out "$T/up"
exits 0
amount up T 2.385691 1e-3

# The height of a jump.
cp "$optima/hop.yaml" "$T"
arne plan "$T/hop.yaml" -q --converge 1e-4 --out "$T/hop"
exits 0
amount hop objective -1.2174312 2e-4

# A five-bar closed by its loop, and by a contact that holds; the message says how.
cat >"$T/closed.yaml" <<EOF
robot: $ROBOTS/five_bar.yaml
objective: [{quantity: torque, joints: [motor1, motor2]}]
start: {position: {motor1: 1.6, motor2: 1.6}, velocity: 0}
end: {position: {motor1: 2.2, motor2: 1.2}, velocity: 0}
EOF
{ cat "$T/closed.yaml" && echo 'time: 1'; } >"$T/loop.yaml"
arne plan "$T/loop.yaml" -q --converge 0 --out "$T/loop"
exits 0
{ cat "$T/closed.yaml" && echo 'phases: [{name: a, time: 0.5}, {name: b, time: 0.5}]'; } \
    >"$T/phases.yaml"
arne plan "$T/phases.yaml" -q
fails 1 "remove loop 'pin' from the robot's file"
contact=$(sed -n 's/.*\({frame: coupler1.*\)}, with stays.*/\1/p' "$T/err")
sed '/^loops:/,/successor:/d' "$ROBOTS/five_bar.yaml" >"$T/open_bar.yaml"
{
    sed 's/^robot: .*/robot: open_bar.yaml/' "$T/phases.yaml"
    echo 'guess: {elbow1: -1, elbow2: 1}'
    echo "contacts: [$contact, stays: xy}]"
} >"$T/held.yaml"
arne plan "$T/held.yaml" -q --converge 0 --out "$T/held"
exits 0
amount held objective "$(value loop objective)" 2e-3

# Between few grid points a loop's torques stay within their limits, too.
{ cat "$T/loop.yaml" && echo 'grid: {points: 4}' &&
    echo 'constraints: [{quantity: torque, lower: -3.2, upper: 3.2}]'; } >"$T/few.yaml"
arne plan "$T/few.yaml" -q --converge 0 --out "$T/few"
exits 0
awk -v x="$(value few part_between)" 'BEGIN { exit !(x != "" && x <= 1e-6) }' ||
    fail "limits are exceeded by $(value few part_between)"

# Limits of all joints are none of the base, which nothing drives: the ground carries the weight of
# 2.2 kg.
cat >"$T/stand.yaml" <<'EOF'
name: stand
base: free
bodies:
  - {name: body, mass: 2, com: [0, 0, 0], inertia: [0.02, 0.02, 0.02]}
  - {name: foot, mass: 0.2, com: [0, 0, 0], inertia: [0.001, 0.001, 0.001]}
joints: [{name: leg, kind: prismatic, parent: body, child: foot, axis: [0, 0, -1], limits: {effort: 60}}]
EOF
cat >"$T/rise.yaml" <<'EOF'
robot: stand.yaml
time: 0.5
contacts: [{frame: foot, points: [[0.1, 0, 0], [-0.05, 0.1, 0], [-0.05, -0.1, 0]], friction: 1, stays: z}]
spline: {degree: 4, control_points: 9}
start: {position: {base.z: 0.3, leg: 0.3}, velocity: 0}
end: {position: {base.z: 0.4, leg: 0.4}, velocity: 0}
objective: [{quantity: acceleration}, {quantity: torque, joints: leg, weight: 1e-4}]
EOF
for bound in 'limits: true' 'lower: -60, upper: 60' 'joints: [base.x, base.z], equal: 0'; do
    { cat "$T/rise.yaml" && echo "constraints: [{quantity: torque, $bound}]"; } >"$T/stands.yaml"
    arne plan "$T/stands.yaml" -q --out "$T/stands"
    exits 0
    silent
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^contact.*fz/) column[++count] = i; next }
        { f = 0; for (i = 1; i <= count; i++) f += $column[i]
          if (NR > 2) impulse += (f + before) / 2 * ($1 - time)
          before = f; time = $1 }
        END { d = impulse / (2.2 * 9.81 * 0.5) - 1; exit !(count == 3 && d < 1e-3 && d > -1e-3) }' "$T/stands/result.csv" ||
        fail "the ground does not carry the weight ($bound)"
done

# Without contacts nothing says what drives the base, and a warning asks.
sed '/^contacts/d' "$T/rise.yaml" >"$T/alone.yaml"
arne check "$T/alone.yaml"
exits 0
says "nothing says what drives the free base"
for line in 'driven: all' 'constraints: [{quantity: torque, joints: base, equal: 0}]'; do
    { cat "$T/alone.yaml" && echo "$line"; } >"$T/said.yaml"
    arne check "$T/said.yaml"
    exits 0
    silent
done

# To hold half its weight more: dF/dt = fatigue TL - recovery F, 2 s of work and 3 s of rest.
cat >"$T/lift.yaml" <<'EOF'
name: lift
bodies: [{name: ground}, {name: car, mass: 1, com: [0, 0, 0]}]
joints: [{name: z, kind: prismatic, parent: ground, child: car, axis: [0, 0, 1], limits: {effort: 20}}]
EOF
cat >"$T/hold.yaml" <<'EOF'
robot: lift.yaml
time: 2
start: {position: 0, velocity: 0}
end: {position: 0, velocity: 0}
payloads: [{frame: car, mass: 0.5}]
objective: [{quantity: torque}]
repeat: {times: 12, rest: 3}
fatigue: {z: {fatigue: 0.02, recovery: 0.005}}
EOF
arne plan "$T/hold.yaml" -q --out "$T/hold"
exits 0
awk -F, 'BEGIN { load = 1.5 * 9.81 / 20; F = 0.02; R = 0.005 }
    NR > 1 {
        f = f * exp(-2 * R) + F * load / R * (1 - exp(-2 * R))
        possible = 1 - f >= load
        f *= exp(-3 * R)
        d = $3 - (1 - f)
        if (possible != $2 || (possible && (d > 1e-6 || d < -1e-6))) { print "repetition " $1 ": " $0 ", not " possible ", " 1 - f; bad = 1 }
    }
    END { exit bad || NR != 13 }' "$T/hold/fatigue.csv" >"$T/err" || fail "capacities"

# A five-bar from MJCF and from SDF, closed by their own loops, plans as that of YAML does. MJCF has
# no start of passive joints, so its pin is below the cranks. The pose of an SDF is its position
# zero, and all of its joints are active.
sed 's/start: -1}/start: -2.7}/; s/start: 1}/start: -3.6}/' "$ROBOTS/five_bar.yaml" >"$T/below.yaml"
arne convert "$T/below.yaml" -o "$T/five.xml"
sed -i 's|<site name="tool" pos="0.35 0 0"/>|<site name="a" pos="0.35 0 0"/>|
    s|<joint name="elbow2" type="hinge" axis="0 0 1"/>|&<site name="b" pos="0.35 0 0"/>|
    s|<equality>|&<connect name="pin" site1="a" site2="b"/>|' "$T/five.xml"
cat >"$T/five.sdf" <<'EOF'
<sdf version="1.9"><world name="w"><gravity>0 -9.81 0</gravity><model name="five_bar">
<link name="base"/>
<joint name="fix" type="fixed"><parent>world</parent><child>base</child></joint>
<link name="crank1"><pose relative_to="motor1">0 0 0 0 0 0</pose><inertial><pose>0.11 0.01 0 0 0 0</pose><mass>0.8</mass><inertia><ixx>0.001</ixx><iyy>0.0052</iyy><izz>0.0052</izz></inertia></inertial></link>
<link name="coupler1"><pose relative_to="elbow1">0 0 0 0 0 0</pose><inertial><pose>0.18 -0.005 0 0 0 0</pose><mass>0.6</mass><inertia><ixx>0.0006</ixx><iyy>0.0064</iyy><izz>0.0064</izz></inertia></inertial></link>
<link name="crank2"><pose relative_to="motor2">0 0 0 0 0 0</pose><inertial><pose>0.12 0 0 0 0 0</pose><mass>0.9</mass><inertia><ixx>0.001</ixx><iyy>0.0055</iyy><izz>0.0055</izz></inertia></inertial></link>
<link name="coupler2"><pose relative_to="elbow2">0 0 0 0 0 0</pose><inertial><pose>0.17 0.004 0 0 0 0</pose><mass>0.55</mass><inertia><ixx>0.0006</ixx><iyy>0.0061</iyy><izz>0.0061</izz></inertia></inertial></link>
<joint name="motor1" type="revolute"><pose relative_to="base">0 0 0 0 0 1.6</pose><parent>base</parent><child>crank1</child><axis><xyz>0 0 1</xyz></axis></joint>
<joint name="elbow1" type="revolute"><pose relative_to="crank1">0.25 0 0 0 0 -0.47211471727872656</pose><parent>crank1</parent><child>coupler1</child><axis><xyz>0 0 1</xyz></axis></joint>
<joint name="motor2" type="revolute"><pose relative_to="base">0.3 0 0 0 0 1.6</pose><parent>base</parent><child>crank2</child><axis><xyz>0 0 1</xyz></axis></joint>
<joint name="elbow2" type="revolute"><pose relative_to="crank2">0.25 0 0 0 0 0.41370737086852716</pose><parent>crank2</parent><child>coupler2</child><axis><xyz>0 0 1</xyz></axis></joint>
<joint name="pin" type="revolute"><pose relative_to="coupler1">0.35 0 0 0 0 0</pose><parent>coupler1</parent><child>coupler2</child><axis><xyz>0 0 1</xyz></axis></joint></model></world></sdf>
EOF
cat >"$T/sdf.yaml" <<'EOF'
extends: five.sdf
joints:
  - {name: motor1, rotor_inertia: 0.01}
  - {name: motor2, rotor_inertia: 0.012}
  - {name: elbow1, passive: true}
  - {name: elbow2, passive: true}
EOF
for name in below.yaml five.xml sdf.yaml; do
    sed "s|^robot: .*|robot: $name|" "$T/loop.yaml" >"$T/other.yaml"
    [ $name != sdf.yaml ] || sed -i 's/motor1: 1.6, motor2: 1.6/motor1: 0, motor2: 0/
        s/motor1: 2.2, motor2: 1.2/motor1: 0.6, motor2: -0.4/' "$T/other.yaml"
    arne plan "$T/other.yaml" -q --converge 0 --out "$T/other-$name"
    exits 0
done
amount other-five.xml objective "$(value other-below.yaml objective)" 1e-9
amount other-sdf.yaml objective "$(value loop objective)" 1e-7

# Strength with `scale` in files that extend each other: torques go with mass and length as weight
# does, inertia with mass and length squared, so the least time goes with the root of the length.
cat >"$T/strong.yaml" <<'EOF'
name: strong
gravity: [0, -9.81, 0]
bodies: [{name: wall}, {name: bar, mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}]
joints: [{name: j, kind: revolute, parent: wall, child: bar, axis: [0, 0, 1]}]
strength: {j: {angles: [-2, 2], torques: [40, 40], opposite: [30, 30]}}
EOF
printf 'extends: strong.yaml\nscale: {length: 2, mass: 3}\n' >"$T/stronger.yaml"
printf 'extends: stronger.yaml\nscale: {length: 2}\n' >"$T/strongest.yaml"
for name in strong stronger strongest; do
    cat >"$T/turn.yaml" <<EOF
robot: $name.yaml
time: {start: 1, least: 0.05, most: 9}
start: {position: 0, velocity: 0}
end: {position: 1, velocity: 0}
objective: [{quantity: time}]
constraints: [{quantity: torque, limits: true}]
EOF
    arne plan "$T/turn.yaml" -q --out "$T/turn-$name"
    exits 0
done
amount turn-stronger T "$(value turn-strong T | awk '{print sqrt(2) * $1}')" 1e-4
amount turn-strongest T "$(value turn-strong T | awk '{print 2 * $1}')" 1e-4
finish
