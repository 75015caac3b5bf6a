#!/bin/sh
# arne view ROBOT --states MOTION: a robot and a recording of it become a page, with the torques of
# the motion.
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

# same_torques ROBOT MOTION: the page has, in every row, the torques that compute finds; of closed
# chains those of the motors.
same_torques() {
    rm -rf "$T"/arne-view-*
    arne view "$1" --states "$2" -o page.html
    exits 0
    arne compute inverse-dynamics "$1" --states "$2" --differentiate -o torques.csv
    exits 0
    result=$(find "$T" -path '*/run/result.csv')
    awk -F, 'NR == FNR { if (FNR == 1) split($0, name, ","); for (i = 2; i <= NF; i++) tau[FNR, name[i]] = $i; rows = FNR; next }
        FNR == 1 { for (i = 1; i <= NF; i++) { sub(/ \[.*/, "", $i); column[i] = $i } }
        FNR > 1 { for (i = 1; i <= NF; i++) if ((FNR, column[i]) in tau) {
            seen++; d = $i - tau[FNR, column[i]]; if (d > 1e-6 || d < -1e-6) bad = 1 } }
        END { exit bad || FNR != rows || seen < 2 * (rows - 1) }' torques.csv "$result" || fail "the torques of $2 differ from those of compute"
}
same_torques arm.urdf recorded.csv
(echo 'time,motor1,motor2'
    awk 'BEGIN { for (k = 0; k <= 50; k++) printf "%.2f,%.9f,%.9f\n", k / 50, 1.9 + 0.1 * sin(k / 15), 1.2 - 0.1 * sin(k / 15) }') >bars.csv
same_torques "$ROBOTS/five_bar.yaml" bars.csv
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

# A page that is to compute does, or the verb says why it cannot.
arne view "$ROBOTS/scara.yaml" --live --quiet -o "$T/live.html"
if [ "$status" -eq 0 ]; then
    grep -q 'id="live"' "$T/live.html" || fail "the page does not compute"
else
    fails 1 "pages of this build do not compute"
    [ ! -e "$T/live.html" ] || fail "a page that does not compute"
fi
finish
