#!/bin/sh
# arne view ROBOT --states MOTION: a robot and a recording of it become a page, with the torques of the motion.
. "$(dirname "$0")/checks.inc"
cd "$T" || exit 1
export TMPDIR="$T"
unset DISPLAY WAYLAND_DISPLAY
cp "$ROBOTS/arm7.urdf" arm.urdf
# A recorder's clock, its own names, degrees, and its noise.
(echo 'time,joint1,joint2 [deg],joint3,joint4,joint5,joint6,joint7'
    awk 'BEGIN { srand(1); for (k = 0; k <= 300; k++)
        printf "%.2f,%.6f,%.4f,0,-2.3,0,1.6,0.8\n", 1000 + k / 100, 0.3 * sin(k / 30) + 2e-5 * (rand() - 0.5), -45 + 5 * sin(k / 40) }') >recorded.csv
arne view arm.urdf --states recorded.csv -o page.html
exits 0
[ -s page.html ] || fail "no page"
grep -q "recorded.csv" page.html || fail "the page does not name the recording"
result=$(find "$T" -path '*/run/result.csv')
[ -s "$result" ] || fail "no rows of the run"
# The torques of the page are those that compute finds, away from the ends of the filter.
arne compute inverse-dynamics arm.urdf --states recorded.csv --differentiate -o torques.csv
exits 0
for at in 1 1.5 2; do
    wanted=$(awk -F, -v t=$((1000 + ${at%.*})).${at#*.} 'NR > 1 && ($1 - t)^2 < 1e-8' torques.csv | cut -d, -f2-8 | tr , ' ')
    [ "$at" != "${at#*.}" ] || wanted=$(awk -F, -v t=$((1000 + at)) 'NR > 1 && ($1 - t)^2 < 1e-8' torques.csv | cut -d, -f2-8 | tr , ' ')
    got=$(awk -F, -v t=$at 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^tau\./) first = first ? first : i }
        NR > 1 && ($1 - t)^2 < 1e-8 { for (i = first; i < first + 7; i++) printf "%s ", $i }' "$result")
    near 0.01 "$got" "$wanted"
done
# What cannot be shown is told.
printf 'time,elbow\n0,1\n1,2\n' >other.csv
arne view arm.urdf --states other.csv -o no.html
exits 1
[ ! -e no.html ] || fail "a page of nothing"
printf 'q.joint1\n0\n1\n' >timeless.csv
arne view arm.urdf --states timeless.csv -o no.html
exits 1
arne view arm.urdf --states recorded.csv --no-friction -o no.html
fails 2 "as its file has it"
arne view recorded.csv --states recorded.csv -o no.html
exits 1
# Columns that name no joint are no motion: not a robot that stands still.
printf 'robot: arm.urdf\nduration: 1\ndrive: reference\nreference: {type: table, file: other.csv}\n' >still.yaml
arne simulate still.yaml -o still
fails 1 "no column is called q.JOINT"

finish
