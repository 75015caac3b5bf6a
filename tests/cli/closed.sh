#!/bin/sh
# Quantities of robots with loops are those of the closed mechanism, consistent with each other;
# --open has the cut tree's; what there is none of is refused by name. Mechanisms with fewer active
# joints than mobility, and six-bars in motion.
. "$(dirname "$0")/checks.inc"

five="$ROBOTS/five_bar.yaml"
q=1.8142851013845998,1.0996389312200576
qd=0.40599343049342984,-1.8852439665122218
qdd=-4.224886985070529,5.138532275524433

# tau = M qdd + bias, and dtau_dqdd is M; Minv its inverse.
arne compute mass-matrix "$five" --q $q
exits 0
prints "M.motor1.motor1,M.motor1.motor2,M.motor2.motor1,M.motor2.motor2"
M=$(row 1)
arne compute bias "$five" --q $q --qd $qd
bias=$(row 1)
arne compute inverse-dynamics "$five" --q $q --qd $qd --qdd $qdd
tau=$(row 1)
near 1e-10 "$(echo "$M $bias" | awk '{a = -4.224886985070529; b = 5.138532275524433
    printf "%.17g %.17g", $1 * a + $2 * b + $5, $3 * a + $4 * b + $6}')" "$tau"
arne compute inverse-dynamics-derivatives "$five" --q $q --qd $qd --qdd $qdd
exits 0
near 1e-10 "$(row 1 | cut -d' ' -f9-12)" "$M"
arne compute inverse-mass-matrix "$five" --q $q
near 1e-10 "$(echo "$M $(row 1)" | awk \
    '{printf "%.17g %.17g", $1 * $5 + $2 * $7, $1 * $6 + $2 * $8}')" "1 0"
arne compute coriolis-matrix "$five" --q $q --qd $qd
exits 0
prints "C.motor1.motor1"
# The regressor has rows of the active joints, and forward dynamics columns of them.
arne compute regressor "$five" --q $q --qd $qd --qdd $qdd
prints "Y.motor2.coupler2.Izz"
[ "$(head -n 1 "$T/out" | grep -c elbow1.coupler)" -eq 0 ] || fail "a passive joint has a row"
arne compute forward-dynamics-derivatives "$five" --q $q --qd $qd
prints "dqdd_dq.elbow2.motor1"
arne compute operational-inertia "$ROBOTS/gough_stewart.yaml" --frame platform --json
exits 0
# Torque rates are differences of torques: the active joints at a constant jerk, 1e-5 s before and
# after.
arne compute torque-rate "$five" --q $q --qd $qd --qdd $qdd --qddd 20,-30
exits 0
prints "tau.motor1,tau.motor2,tau_rate.motor1,tau_rate.motor2"
near 1e-10 "$(row 1 | cut -d' ' -f1-2)" "$tau"
rate=$(row 1 | cut -d' ' -f3-4)
awk 'BEGIN { print "q.motor1,q.motor2,qd.motor1,qd.motor2,qdd.motor1,qdd.motor2"
    q[1] = 1.8142851013845998; q[2] = 1.0996389312200576; v[1] = 0.40599343049342984; v[2] = -1.8852439665122218
    a[1] = -4.224886985070529; a[2] = 5.138532275524433; j[1] = 20; j[2] = -30
    for (t = -1e-5; t < 2e-5; t += 2e-5) printf "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n",
        q[1] + v[1] * t + a[1] * t * t / 2, q[2] + v[2] * t + a[2] * t * t / 2,
        v[1] + a[1] * t + j[1] * t * t / 2, v[2] + a[2] * t + j[2] * t * t / 2, a[1] + j[1] * t, a[2] + j[2] * t }' >"$T/two.csv"
arne compute inverse-dynamics "$five" --states "$T/two.csv"
near 1e-6 "$rate" "$(printf '%s %s' "$(row 1)" "$(row 2)" |
    awk '{printf "%.17g %.17g", ($3 - $1) / 2e-5, ($4 - $2) / 2e-5}')"

# The cut tree, where it is asked for.
arne compute mass-matrix "$five" --q $q --open
exits 0
prints "M.elbow1.elbow1"
arne compute inverse-dynamics "$five" --q 1,2,3,4 --open
exits 0
prints "tau.elbow1"
arne compute loop-jacobian "$five" --open
fails 2 "loop-jacobian is about the loops that --open cuts"

for what in hybrid-dynamics base-acceleration elastic-inverse-dynamics elastic-forward-dynamics \
    coupled-matrix inverse-kinematics \
    wrench-derivatives second-derivatives base-parameters; do
    arne compute $what "$five"
    fails 1 "$what of a robot with loops is not available; --open gives that of the tree"
done
arne compute equilibrium "$five" # it lies in a plane without weight, and has no springs
fails 1 "has no equilibrium without weight and loads near this configuration"
arne compute forward-dynamics "$five" --method matrix
fails 1 "forward-dynamics --method matrix of a robot with loops is not available"
# Shared torques have no single derivative.
sed '/name: elbow1/ s/name: elbow1/name: elbow1, active: true/' "$five" >"$T/shared.yaml"
three=1.8142851013845998,-1.029594634538017,1.0996389312200576
arne compute inverse-dynamics-derivatives "$T/shared.yaml" --q $three
fails 1 "3 active joints share the torques of 2 motions"
arne compute torque-rate "$T/shared.yaml" --q $three --qddd 0,0,0
exits 0
arne compute mass-matrix "$T/shared.yaml" --q $three
exits 0

# The rates that a simulation records are those of its torques.
cp "$five" "$T"
cat >"$T/s.yaml" <<'YAML'
robot: five_bar.yaml
duration: 0.02
drive: reference
reference:
  type: sinusoid
  offset: {motor1: 1.8142851013845998, motor2: 1.0996389312200576}
  harmonics: [{frequency: 9, amplitude: {motor1: 0.2, motor2: 0.1}, phase: {motor1: 0.3}}]
integrator: {method: rk4, step: 0.0001}
record: {every: 0.0001, columns: [tau, tau_rate]}
YAML
arne simulate "$T/s.yaml" --out "$T/run" --quiet
exits 0
for column in 2 4; do
    awk -F, -v c=$column 'NR > 1 { t[NR] = $1; tau[NR] = $c; rate[NR] = $(c + 4) }
        END { for (i = 3; i < NR; i++) { d = (tau[i + 1] - tau[i - 1]) / (t[i + 1] - t[i - 1]) - rate[i]
                if (d < 0) d = -d; if (d > worst) worst = d; r = rate[i] < 0 ? -rate[i] : rate[i]; if (r > size) size = r }
              exit !(NR > 100 && size > 0.1 && worst < 1e-4) }' "$T/run/result.csv" || fail "tau_rate is not the rate of tau in column $column"
done

# A six-bar starts from its exact closed positions and from its active joint alone, whatever the
# start positions are.
cat >"$T/six.yaml" <<'YAML'
name: six_bar
gravity: [0, -9.81, 0]
bodies:
  - {name: base}
  - {name: a, mass: 1, com: [0.1, 0, 0], inertia: [0.001, 0.01, 0.01]}
  - {name: b, mass: 1, com: [0.2, 0.05, 0], inertia: [0.001, 0.01, 0.01]}
  - {name: c, mass: 1, com: [0.15, 0, 0], inertia: [0.001, 0.01, 0.01]}
  - {name: d, mass: 1, com: [0.15, 0, 0], inertia: [0.001, 0.01, 0.01]}
  - {name: e, mass: 1, com: [0.15, 0, 0], inertia: [0.001, 0.01, 0.01]}
joints:
  - {name: ja, kind: continuous, parent: base, child: a, axis: [0, 0, 1], active: true, start: START}
  - {name: jb, kind: continuous, parent: a, child: b, origin: {xyz: [0.2, 0, 0]}, axis: [0, 0, 1], start: 3}
  - {name: jc, kind: continuous, parent: base, child: c, origin: {xyz: [0.5, 0, 0]}, axis: [0, 0, 1], start: 3}
  - {name: jd, kind: continuous, parent: b, child: d, origin: {xyz: [0.25, 0.1, 0]}, axis: [0, 0, 1], start: 3}
  - {name: je, kind: continuous, parent: base, child: e, origin: {xyz: [0.9, 0.1, 0]}, axis: [0, 0, 1], start: -3}
loops:
  - {name: l1, kind: revolute, axis: [0, 0, 1], predecessor: {link: b, origin: {xyz: [0.5, 0, 0]}},
     successor: {link: c, origin: {xyz: [0.4, 0, 0]}}}
  - {name: l2, kind: revolute, axis: [0, 0, 1], predecessor: {link: d, origin: {xyz: [0.45, 0, 0]}},
     successor: {link: e, origin: {xyz: [0.4, 0, 0]}}}
YAML
for start in 0 3 -2; do
    sed "s/START/$start/" "$T/six.yaml" >"$T/robot.yaml"
    arne compute assemble "$T/robot.yaml" --q 1
    exits 0
    closed=$(row 1 | cut -d' ' -f1-5)
    for initial in "q: [$(echo "$closed" | tr ' ' ',')]" "q: [1]" "q: {ja: 1}"; do
        printf 'robot: robot.yaml\nduration: 0.1\ninitial: {%s}\nrecord: {every: 0.05, columns: [q]}\n' "$initial" >"$T/s.yaml"
        arne simulate "$T/s.yaml" --out "$T/run" --quiet
        exits 0
        near 1e-9 "$(sed -n 2p "$T/run/result.csv" | tr ',' ' ' | cut -d' ' -f2-6)" "$closed"
    done
done
printf 'robot: robot.yaml\nduration: 0.01\ninitial: {q: [1], qd: [2]}\nrecord: {every: 0.01, columns: [qd]}\n' >"$T/s.yaml"
arne simulate "$T/s.yaml" --out "$T/run" --quiet
exits 0
near 1e-9 "$(sed -n 2p "$T/run/result.csv" | cut -d, -f2)" 2

# Rods that spin between two balls: five active joints, mobility seven. Torques make a motion, and
# what is not driven is least.
cat >"$T/spin.yaml" <<'YAML'
name: spin
bodies: [{name: base}, {name: a, mass: 1, inertia: [0.1, 0.1, 0.1]}, {name: b, mass: 1, inertia: [0.1, 0.1, 0.1]},
         {name: rod, mass: 0.5, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02]}]
joints:
  - {name: ja, kind: revolute, parent: base, child: a, axis: [0, 0, 1], active: true}
  - {name: jb, kind: revolute, parent: base, child: b, axis: [0, 0, 1], origin: {xyz: [0.4, 0, 0]}}
  - {name: ball, kind: ball, parent: a, child: rod, origin: {xyz: [0, 0.3, 0]}}
loops: [{name: end, kind: ball, predecessor: {link: rod, origin: {xyz: [0.4, 0, 0]}},
         successor: {link: b, origin: {xyz: [0, 0.3, 0]}}}]
YAML
arne info "$T/spin.yaml"
prints "mobility 2"
arne compute forward-dynamics "$T/spin.yaml" --tau 1
exits 0
silent
printf 'robot: spin.yaml\nduration: 0.01\nintegrator: {method: rk4, step: 0.001}\nrecord: {every: 0.01, columns: [qdd]}\n' >"$T/s.yaml"
arne simulate "$T/s.yaml" --out "$T/run" --quiet
exits 0
arne compute forward-dynamics "$T/spin.yaml"
near 1e-9 "$(row 1)" "$(sed -n 2p "$T/run/result.csv" | tr ',' ' ' | cut -d' ' -f2-)"
arne compute forward-dynamics "$T/spin.yaml" --qd 0.5
exits 0
arne compute velocity "$T/spin.yaml" --qd 0.5 --frame a
near 1e-12 "$(row 1 | cut -d' ' -f6)" 0.5
arne compute mass-matrix "$T/spin.yaml"
fails 1 "1 active coordinates are fewer than the mobility 2"

# What cannot be closed says what to try.
sed "s/START/1/; s/xyz: \[0.4, 0, 0\]}}}/xyz: [4, 0, 0]}}}/" "$T/six.yaml" >"$T/robot.yaml"
arne compute assemble "$T/robot.yaml"
fails 1 "cannot be closed" "start:"

# --- platforms on each other ----------------------------------------------------------------------

# By module, and by the general form, which a wrench asks for: here one of zero.
stack=$HERE/../../examples/stacked_platforms/stack.yaml
legs=$(awk 'BEGIN { for (i = 0; i < 18; i++) printf "%s%g", (i ? "," : ""), 0.5 + 0.01 * (i * 7 % 5 - 2) }')
rates=$(awk 'BEGIN { for (i = 0; i < 18; i++) printf "%s%g", (i ? "," : ""), 0.1 * (i * 5 % 7 - 3) }')
for what in "inverse-dynamics --qdd" "forward-dynamics --tau"; do
    # shellcheck disable=SC2086
    arne compute ${what% *} "$stack" --q "$legs" --qd "$rates" ${what#* } "$rates"
    exits 0
    by_module=$(row 1)
    # shellcheck disable=SC2086
    arne compute ${what% *} "$stack" --q "$legs" --qd "$rates" ${what#* } "$rates" \
        --wrench module3_platform=0,0,0,0,0,0
    exits 0
    near 1e-9 "$by_module" "$(row 1)"
done

# A motor of a loop that is locked: the other one needs what it needs beside a motor that rests.
arne compute inverse-dynamics "$five" --q 2.0,1.1 --qd 0,0.7 --qdd 0,1.3
exits 0
beside=$(row 1)
arne compute inverse-dynamics "$five" --lock motor1=2.0 --q 1.1 --qd 0.7 --qdd 1.3
exits 0
near 1e-12 "${beside#* }" "$(row 1)"

finish
