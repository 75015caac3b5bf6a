#!/bin/sh
# Features crossed: every quantity of the catalogue, for every robot that comes with the program and
# for robots with loops, springs, motors, mimic joints, free and prescribed bases, is there or
# refused by its name; and those that belong together agree:
# tau(qdd) - bias = M qdd, dtau/dqdd = M, M Minv = 1, torque-rate's tau = tau, generated code
# compiles from all
. "$(dirname "$0")/checks.inc"

arne info --catalogue
exits 0
quantities=$(awk 'NR > 1 && / compute/ {print $1}' "$T/out")
closed=$(awk 'NR > 1 && / compute/ && / loops/ {print $1}' "$T/out")
arne compute --help
exits 0
known=$(awk '/^  [a-z-]+ / {print $1}' "$T/out")
quantities=$(echo "$quantities" | while read -r what; do echo "$known" | grep -x -- "$what"; done)
closed=$(echo "$closed" | while read -r what; do echo "$known" | grep -x -- "$what"; done)
[ "$(echo "$quantities" | wc -l)" -gt 25 ] || fail "few quantities: $quantities"

# A tree and a closed chain with everything in it, on every base.
cat >"$T/tree.yaml" <<'YAML'
name: tree
bodies:
  - {name: base, mass: 2, inertia: [0.1, 0.1, 0.1]}
  - {name: a, mass: 1, com: [0.1, 0, 0.05], inertia: [0.01, 0.02, 0.02]}
  - {name: b, mass: 0.8, com: [0.1, 0.02, 0], inertia: [0.01, 0.02, 0.02]}
  - {name: c, mass: 0.5, com: [0, 0.1, 0], inertia: [0.01, 0.01, 0.01]}
  - {name: d, mass: 0.3, com: [0, 0.1, 0], inertia: [0.01, 0.01, 0.01]}
joints:
  - {name: ja, kind: revolute, parent: base, child: a, axis: [0, 0, 1], friction: {viscous: 0.2}}
  - {name: jb, kind: revolute, parent: a, child: b, axis: [0, 1, 0], origin: {xyz: [0.3, 0, 0]}}
  - {name: jc, kind: prismatic, parent: b, child: c, axis: [0, 1, 0], origin: {xyz: [0.3, 0, 0]}}
  - {name: jd, kind: revolute, parent: a, child: d, axis: [1, 0, 0], origin: {xyz: [0.2, 0.1, 0]}, mimic: {joint: jb, ratio: -0.5, offset: 0.1}}
motors:
  - {joint: ja, link: base, gear: 20, inertia: 0.0001}
  - {joint: jb, link: a, gear: 10, inertia: 0.0002, stiffness: 50, damping: 0.2}
elastic:
  - {joint: jc, stiffness: 40, damping: 0.5, rest: 0.1}
wraps: [{name: ball, link: a, sphere: 0.1, origin: {xyz: [0.3, 0, 0]}}]
muscles: [{name: m, law: spring, stiffness: 10, slack_length: 0.1, points: [{link: base}, {link: b, position: [0.2, 0.1, 0]}], wraps: [{wrap: ball}]}]
YAML
{
    cat "$ROBOTS/five_bar.yaml"
    echo 'motors: [{joint: motor1, link: base, gear: 10, inertia: 0.0002, stiffness: 50, damping: 0.2}]'
    echo 'elastic: [{joint: elbow1, stiffness: 3, damping: 0.1, rest: -1}]'
    echo 'muscles: [{name: m, law: spring, stiffness: 10, slack_length: 0.1, points: [{link: base}, {link: coupler1}]}]'
} >"$T/chain.yaml"
for file in tree chain; do
    arne check "$T/$file.yaml"
    exits 0
    silent
done

check_robot() { # NAME ROBOT [options]
    name=$1
    robot=$2
    shift 2
    arne info "$robot" --json "$@"
    frame=$(sed -n 's/^.*"tool".*$/tool/p' "$T/out" | head -n 1)
    [ -n "$frame" ] || frame=$("$ARNE" compute pose "$robot" "$@" --quiet | head -n 1 |
        sed 's/.*,\([^,]*\)\.rpy\.z$/\1/')
    loops=$("$ARNE" info "$robot" "$@" --quiet | grep -c '^ *mobility')
    arne compute mass-matrix "$robot" "$@" --quiet
    exits 0
    n=$(row 1 | awk '{print int(sqrt(NF) + 0.5)}')
    ones=$(awk -v n="$n" 'BEGIN {for (i = 0; i < n; i++) printf "%s1", i ? "," : ""}')
    for what in $quantities; do
        [ "$name/$what" = human/second-derivatives ] && continue
        more=
        case $what in
        jacobian | operational-inertia | frame-motion-derivatives | payload-capacity | \
            manipulability) more="--frame $frame" ;;
        inverse-kinematics) more="--frame $frame --position 0.3,0.2,0.4" ;;
        jerk | torque-rate) more="--qddd $ones" ;;
        hybrid-dynamics) more="--given=" ;;
        esac
        # shellcheck disable=SC2086 # words
        arne compute "$what" "$robot" "$@" --quiet $more
        case $status in
        0) [ "$(wc -l <"$T/out")" -ge 2 ] || fail "nothing came out" ;;
        1 | 2)
            # which is so, with loops or without
            grep -q 'no joint has a limit of effort\|joint to a limit of effort\|needs a robot with muscles\|has no equilibrium' "$T/err" && continue
            grep -q "$what\|second derivatives need\|is not free\|not reached\|operational inertia does not exist\|no loops\|singular" "$T/err" || fail "refused without a name"
            [ "$loops" -eq 0 ] || ! echo "$closed" | grep -qx "$what" ||
                [ "$what" = operational-inertia ] || fail "refused with loops"
            ;;
        *) fail "exit status $status" ;;
        esac
    done
    # Those that belong together.
    arne compute mass-matrix "$robot" "$@" --quiet
    M=$(row 1)
    arne compute bias "$robot" "$@" --quiet
    bias=$(row 1)
    arne compute inverse-dynamics "$robot" "$@" --quiet --qdd "$ones"
    tau=$(row 1)
    near 1e-9 "$(printf '%s\n%s\n' "$M" "$bias" | awk -v n="$n" '
        NR == 1 {for (i = 0; i < n; i++) for (k = 1; k <= n; k++) s[i] += $(i * n + k)}
        NR == 2 {for (i = 0; i < n; i++) printf "%.17g ", s[i] + $(i + 1)}')" "$tau"
    arne compute inverse-dynamics-derivatives "$robot" "$@" --quiet
    near 1e-9 "$(row 1 | awk -v n="$n" \
        '{for (i = 2 * n * n + 1; i <= 3 * n * n; i++) printf "%s ", $i}')" "$M"
    arne compute inverse-mass-matrix "$robot" "$@" --quiet
    near 1e-6 "$(printf '%s\n%s\n' "$M" "$(row 1)" | awk -v n="$n" '
        NR == 1 {for (i = 1; i <= n * n; i++) m[i] = $i}
        NR == 2 {for (i = 0; i < n; i++) {x = 0; for (k = 0; k < n; k++) for (j = 1; j <= n; j++) x += m[i * n + k + 1] * $(k * n + j); printf "%.17g ", x}}')" \
        "$(awk -v n="$n" 'BEGIN {for (i = 0; i < n; i++) printf "1 "}')"
    arne compute torque-rate "$robot" "$@" --quiet --qdd "$ones" --qddd "$ones"
    near 1e-9 "$(row 1 | cut -d' ' -f1-"$n")" "$tau"
}

for file in "$ROBOTS"/*.yaml "$ROBOTS"/*.urdf; do
    name=$(basename "$file" | sed 's/\..*//')
    case $name in quadruped) continue ;; esac # two files of one name: below
    check_robot "$name" "$file"
done
check_robot quadruped "$ROBOTS/quadruped.yaml"
for base in fixed prescribed free; do
    check_robot "tree-$base" "$T/tree.yaml" --base $base
    check_robot "chain-$base" "$T/chain.yaml" --base $base
done

# Torques of a plan and of a simulation are the inverse dynamics of the motion beside them.
follows() { # ROBOT DIR
    arne compute inverse-dynamics "$1" --states "$2/result.csv" --quiet
    exits 0
    last="torques of $2"
    awk -F, 'NR == FNR {
            if (FNR == 1) for (i = 1; i <= NF; i++) { name = $i; sub(/ \[.*/, "", name); at[name] = i }
            else for (i = 1; i <= NF; i++) value[FNR, i] = $i
            next
        }
        FNR == 1 { for (i = 1; i <= NF; i++) column[i] = at[$i] }
        FNR > 1 { for (i = 1; i <= NF; i++) { x = value[FNR, column[i]] - $i; d = x < 0 ? -x : x; s = $i < 0 ? -$i : $i
            if (!column[i] || d > 1e-9 * (1 + s)) bad = 1 } rows++ }
        END { exit bad || rows < 10 }' "$2/result.csv" "$T/out" || fail "not those of inverse dynamics"
}
examples=$HERE/../../examples
arne plan "$examples/two_link_min_time/problem.yaml" -q -o "$T/planned"
if [ "$status" -eq 0 ]; then
    follows "$ROBOTS/planar_2r.yaml" "$T/planned"
else
    says Ipopt # which is not in every build
fi
cat >"$T/scenario.yaml" <<YAML
robot: $ROBOTS/arm6.yaml
duration: 0.2
drive: reference
reference: {type: waypoints, times: [0, 0.1, 0.2], points: [[0, 0, 0, 0, 0, 0], [0.1, 0.2, 0.1, 0, 0.1, 0], [0.2, 0.1, 0.3, 0.1, 0, 0]]}
YAML
echo 'record: {columns: [q, qd, qdd, tau]}' >>"$T/scenario.yaml"
arne simulate "$T/scenario.yaml" -o "$T/run" --quiet
exits 0
follows "$ROBOTS/arm6.yaml" "$T/run"

finish
