#!/bin/sh
# arne report: a page of any folder that holds a run, or a message that names file and line.
. "$(dirname "$0")/checks.inc"

run=$T/run
mkdir "$run"
cp "$ROBOTS/planar_2r.yaml" "$run/robot.yaml"
summary() { printf '%s\n' "$1" >"$run/summary.json"; }
{
    echo 'time [s],q.joint1 [rad],q.joint2 [rad],tau.joint1 [N m],hip.low [rad],hip.high [rad]'
    awk 'BEGIN { for (i = 0; i <= 300; i++) { t = i / 100; print t "," sin(t) "," cos(2 * t) "," 5 * sin(3 * t) "," t - 1 "," t + 1 } }'
} >"$run/result.csv"

summary '{"robot": "robot.yaml", "title": "Two links", "rms_error": 0.5, "snapshots": 3,
"limits": {"tau.joint1": [-6, 6]},
"plots": [{"title": "A band", "x": "time", "y": ["q.joint1"], "band": ["hip.low", "hip.high"], "band_label": "usual"}]}'
arne report "$run"
exits 0
silent
prints "$run/report.html"
# Where the build had npm the script draws plots from numbers; elsewhere they are drawings.
if grep -q 'id="arne-data"' "$run/report.html"; then drawn='data-plot="0"'; else \
    drawn='class="m c0"'; fi
for text in '<h1>Two links</h1>' 'rms error' 'class="stills"' 'usual' 'torque \[N m\]' "$drawn"; do
    grep -q "$text" "$run/report.html" || fail "the page has no $text"
done
sed '/^<script>$/,$d' "$run/report.html" | grep -Eq 'https?://' && fail "the page has an address"
[ ! -e "$run/plots" ] || fail "there are plots that nobody asked for"

# A page is the same whenever it is made.
cp "$run/report.html" "$T/first.html"
arne report "$run"
exits 0
cmp -s "$T/first.html" "$run/report.html" || fail "the page is not the same again"

arne report "$run" --plots
exits 0
[ -s "$run/plots/01-a-band.svg" ] || fail "there is no SVG"
if command -v rsvg-convert >/dev/null; then
    silent
    [ "$(head -c 4 "$run/plots/01-a-band.png" | tail -c 3)" = PNG ] || fail "there is no PNG"
else
    says "plots are SVG only"
fi
# Without the program that makes PNGs there is a line that says so.
rm -r "$run/plots"
last="arne report --plots, nothing in PATH"
PATH=$T/nothing "$ARNE" report "$run" --plots >"$T/out" 2>"$T/err" || fail "it fails"
says "plots are SVG only: rsvg-convert (librsvg2-bin) was not found"
[ -s "$run/plots/01-a-band.svg" ] || fail "there is no SVG"

arne report
fails 2 "arne report"
arne report "$run" again
fails 2 "again"
arne report "$T/nowhere"
fails 1 "$T/nowhere/summary.json: cannot open the file"
summary '{"robot": "robot.yaml",
"plots": [{"x": "time", "y": ["q.elbow"]}]}'
arne report "$run"
fails 1 "$run/summary.json:2: plots[0]: y: result.csv has no column 'q.elbow'"
summary '{"robot": "../robot.yaml"}'
arne report "$run"
fails 1 "$run/summary.json:1: '../robot.yaml' is not a file within the folder of the run"
summary '{"robot": "robot.yaml"}'
printf 'time\n0\noops\n' >"$run/result.csv"
arne report "$run"
fails 1 "$run/result.csv:3:"
# A page that was there before stays.
cmp -s "$T/first.html" "$run/report.html" || fail "the page was touched"


# Impacts of rigid contact are marks in the plots of contact forces; the first says how many there
# are.
cat >"$T/ball.yaml" <<'EOF'
name: ball
bodies: [{name: b, mass: 1, com: [0, 0, 0], inertia: [0.01, 0.01, 0.01]}]
base: free
contacts: [{link: b, sphere: 0.1}]
EOF
cat >"$T/bounce.yaml" <<'EOF'
robot: ball.yaml
duration: 1.2
initial: {q: [0, 0, 1, 0, 0, 0, 1]}
surroundings: [{type: ground, friction: 0.5, model: rigid, restitution: 0.7}]
integrator: {method: euler, step: 0.001}
EOF
arne simulate "$T/bounce.yaml" --out "$T/bounce" --quiet
exits 0
for text in 'Dashed: impacts, 2 in all' ''; do
    grep -q "\"kind\":\"contact\",\"text\":\"$text\"" "$T/bounce/report.html" ||
        fail "no mark of an impact: '$text'"
done
finish
