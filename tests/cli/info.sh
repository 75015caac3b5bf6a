#!/bin/sh
# arne info and arne check: every robot that comes with Arne passes; flaws are named.
. "$(dirname "$0")/checks.inc"

for robot in "$ROBOTS"/*.yaml "$ROBOTS"/*.urdf; do
    arne check "$robot"
    exits 0
    prints "$robot: ok ("
    grep -q 'warning' "$T/err" && fail "a warning"
    arne info "$robot"
    exits 0
    silent
    prints "Order of q"
    grep -q ' $' "$T/out" && fail "blanks at the end of a line"
    arne info "$robot" --json
    exits 0
    for key in name base gravity mass q v joints links frames warnings; do prints "\"$key\": "; done
done

arne info "$ROBOTS/stanford.yaml"
for text in prismatic revolute parent axis position "mass kg" "com m"; do prints "$text"; done

# A free base is first in the order of q.
arne info "$ROBOTS/arm6.yaml" --base free --json
prints '"base": "free"'
prints '"q_count": 13'
prints '"v_count": 12'

# Mimic joints, merged links, frames, friction, rotors.
cat >"$T/all.yaml" <<'YAML'
name: everything
bodies:
  - {name: base, mass: 5}
  - {name: a, mass: 1, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}
  - {name: b, mass: 1, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}
  - {name: c, mass: 1, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.9], accept: [triangle]}
joints:
  - {name: ja, kind: revolute, parent: base, child: a, limits: {lower: -1, upper: 2, velocity: 3, effort: 4},
     friction: {viscous: 0.5, coulomb: [0.25, 0.75]}, rotor_inertia: 0.125}
  - {name: jb, kind: revolute, parent: a, child: b, mimic: {joint: ja, ratio: 2, offset: 0.5},
     limits: {lower: -9, upper: 9}}
  - {name: jc, kind: fixed, parent: b, child: c}
frames:
  - {name: tool, link: c, origin: {xyz: [0, 0, 1]}}
YAML
arne info "$T/all.yaml"
exits 0
for text in "-1 .. 2 rad" "3 rad/s" "4 N m" "+0.25 -0.75" "0.125" "2 ja +0.5" "tool" \
    "3 kg moves, 8 kg in all links" \
    "1 merged" "[triangle] (accepted by the file)"; do prints "$text"; done
arne info "$T/all.yaml" --json
for text in '"mimic": {"joint": "ja", "ratio": 2, "offset": 0.5}' '"upper": 2' \
    '"rotor_inertia": 0.125' \
    '"merged": true' '"accepted": true' '{"name": "tool", "link": "c", "body": 2}' '"q": ["ja"]'; \
    do prints "$text"; done

# The order of q that is printed is the one that --order takes.
arne info "$ROBOTS/quadruped.yaml"
order=$(sed -n '/^Order of q$/{n;s/^ *//p;}' "$T/out")
arne compute mass-matrix "$ROBOTS/quadruped.yaml" --order "$order"
exits 0

# A name cannot break a line, nor the terminal.
printf 'bodies: [{name: "a\\nb"}, {name: "c\\e[31m", mass: 1}]\njoints:\n%s\n' \
    '- {name: "j\u009b", kind: revolute, parent: "a\nb", child: "c\e[31m"}' >"$T/odd.yaml"
arne info "$T/odd.yaml"
fails 1 "'a?b', has control characters" "'c?[31m', has control characters" "'j??', has control"
[ "$(wc -l <"$T/err")" -eq 3 ] || fail "not one line for each name"

# A flaw that is accepted passes, and so does one that is a warning, unless that is an error.
arne check "$T/all.yaml"
exits 0
says "accepted: $T/all.yaml:"
prints "ok (4 bodies, 2 joints, 8 kg of which 3 kg move, 1 accepted flaw)"
sed 's/, accept: \[triangle\]//' "$T/all.yaml" >"$T/flaw.yaml"
arne check "$T/flaw.yaml"
exits 0
says "warning: $T/flaw.yaml:6:"
prints "1 warning)"
arne check --strict "$T/flaw.yaml"
fails 1 "error: $T/flaw.yaml:6:" "'c'" "[triangle]"
arne compute gravity "$T/flaw.yaml"
exits 0
says "warning: $T/flaw.yaml:6:"
arne compute gravity "$T/all.yaml" --q 0
exits 0
silent
arne compute gravity "$T/flaw.yaml" --strict
fails 1 "$T/flaw.yaml:6:"
arne check --strict "$T/flaw.yaml" "$T/all.yaml" --json
exits 1
prints '"ok": false'
prints '"ok": true'
prints '"severity": "warning", "rule": "triangle"'

# The catalogue is of no robot, and is JSON that names every quantity of compute.
arne info --catalogue
exits 0
silent
prints "inverse-dynamics-derivatives"
arne info --catalogue --json
exits 0
silent
prints '"identifier": "CORIOLIS_MATRIX"'
cp "$T/out" "$T/catalogue.json"
if command -v python3 >/dev/null; then
    python3 -m json.tool "$T/catalogue.json" >/dev/null || fail "no JSON"
fi
prints '{"identifier": null, "name": "payload-capacity"'
arne compute --help
for name in $(sed -n '/^Quantities/,/^$/ s/^  \([a-z-]*\) .*/\1/p' "$T/out"); do
    grep -q "\"name\": \"$name\"" "$T/catalogue.json" || fail "the catalogue has no $name"
done
arne info --catalogue "$ROBOTS/arm6.yaml"
exits 2
arne info
exits 2

finish
