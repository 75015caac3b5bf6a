#!/bin/sh
# Run folders: what a user put there stays, whatever else happens; two runs at once, killed runs,
# links, lists.
. "$(dirname "$0")/checks.inc"

cp "$ROBOTS/planar_2r.yaml" "$T/arm.yaml"
printf 'time [s],q.joint1 [rad],q.joint2 [rad]\n0,0,0\n0.3,0.1,0.2\n0.6,0.2,0.3\n1,0.1,0.2\n2,0.1,0.2\n' >"$T/table.csv"
cat >"$T/s.yaml" <<'END'
robot: arm.yaml
duration: 0.05
reference: {type: table, file: table.csv}
controller: {type: pd, kp: 10, kd: 1}
integrator: {method: rk4, step: 0.001}
END
cd "$T" || exit 1

run() { arne simulate s.yaml -o run --quiet; }
# left: only what belongs there is beside the folder.
left() { [ "$(ls -A | grep -c 'partial\|replaced')" -eq 0 ] ||
    fail "something is left: $(ls -A | grep 'partial\|replaced')"; }
# is_whole DIR: every file of its list is there with its hash, and no other.
is_whole() {
    sed -n 's/^    "\(.*\)": "\([0-9a-f]*\)".*/\2  \1/p' "$1/summary.json" |
        grep -v ' summary.json$' >"$T/list"
    grep -q '  "files": {' "$1/summary.json" || fail "$1 has no list"
    (cd "$1" && sha256sum --quiet -c "$T/list") >/dev/null 2>&1 ||
        fail "$1: a hash is wrong or a file is missing"
    [ "$(cd "$1" && find . -type f | wc -l)" -eq $(($(wc -l <"$T/list") + 1)) ] ||
        fail "$1: the list is not all there is"
}
# refused NAME: the last run named it, and nothing has changed.
refused() {
    fails 1 "$1"
    left
}

run
exits 0
left
is_whole run
grep -q '"report.html"' run/summary.json || fail "the report is not listed"
cp -r run good

# A folder with files of the user's: the run is refused before it computes, and names the file.
mkdir proj && cp -r good/. proj && echo precious >proj/inputs/measurements.csv
arne simulate proj/inputs/s.yaml -o proj
refused "proj/inputs/measurements.csv"
[ "$(cat proj/inputs/measurements.csv)" = precious ] || fail "a file is gone"
rm proj/inputs/measurements.csv
mkdir -p proj/plots && echo precious >proj/plots/figure.pdf
arne simulate proj/inputs/s.yaml -o proj
refused "proj/plots/figure.pdf"
rm -r proj/plots && mkdir proj/mine && echo x >proj/mine/x && echo y >proj/notes.txt
arne simulate proj/inputs/s.yaml -o proj
refused "and 2 more"
rm -r proj/mine proj/notes.txt
arne simulate proj/inputs/s.yaml -o proj --quiet
exits 0
is_whole proj
# Before computing: this one would take for ever.
sed 's/duration: .*/duration: 1e9/' s.yaml >long.yaml
echo >run/thesis.tex
last="arne simulate long.yaml into a folder with other files"
timeout 20 "$ARNE" simulate long.yaml -o run >out 2>err
status=$?
refused "run/thesis.tex"
rm run/thesis.tex

# Links are not followed.
mkdir elsewhere && echo precious >elsewhere/data.csv
rm -rf proj && cp -r good proj && rm -r proj/inputs && ln -s ../elsewhere proj/inputs
arne simulate s.yaml -o proj
refused "proj/inputs"
[ -s elsewhere/data.csv ] || fail "a file behind a link is gone"
rm -rf proj && cp -r good proj && rm proj/result.csv && ln -s ../elsewhere/data.csv proj/result.csv
arne simulate s.yaml -o proj
refused "proj/result.csv"
[ "$(cat elsewhere/data.csv)" = precious ] || fail "a file behind a link is gone"
ln -s ../elsewhere/data.csv good/extra && arne report good && rm -f good/report.html good/extra
cp -r good proj2 && ln -s ../elsewhere/data.csv proj2/report.html
arne report proj2
fails 1 "report.html"
[ "$(cat elsewhere/data.csv)" = precious ] || fail "the report went through a link"
rm -rf good proj2 && cp -r run good

# A link to a folder works; one that leads nowhere is refused.
mkdir real && ln -s real link
arne simulate s.yaml -o link --quiet
exits 0
[ -L link ] && is_whole real
arne simulate s.yaml -o link/ --quiet
exits 0
ln -s nothing dangling
arne simulate s.yaml -o dangling
fails 1 "dangling"
ln -s s.yaml file
arne simulate s.yaml -o file
fails 1 "s.yaml" "no folder"
arne simulate s.yaml -o s.yaml
fails 1 "s.yaml" "no folder"
arne simulate s.yaml -o ''
fails 1
# The folder one is in would be replaced by another.
mkdir dot && cd dot
for dir in . ../dot; do
    arne simulate ../s.yaml -o $dir
    fails 1 "from outside"
done
cd .. && [ -z "$(ls -A dot)" ] || fail "something is left"
left

# What the user changed is the user's, unless the new run has it too.
cp -r good edited
echo '# a note' >>edited/result.csv
arne simulate s.yaml -o edited
refused "edited/result.csv"
rm -rf edited && cp -r good edited
sed -i 's/"title": "/&My /' edited/summary.json
arne simulate s.yaml -o edited
refused "edited/summary.json"
rm -rf edited && cp -r good edited
sed -i 's/kp: 10/kp: 20/' edited/inputs/s.yaml
arne simulate edited/inputs/s.yaml -o edited --quiet
exits 0
grep -q 'kp: 20' edited/inputs/s.yaml || fail "the edited scenario is gone"
is_whole edited

# The report keeps the list true, and a user's own page.
cp -r good paged
arne report paged --plots
exits 0
is_whole paged
[ -s paged/plots/01-*.svg ] || fail "there are no plots"
arne simulate s.yaml -o paged --quiet
exits 0
[ ! -e paged/plots ] || fail "old plots are left"
echo mine >paged/report.html
arne report paged
fails 1 "report.html"
[ "$(cat paged/report.html)" = mine ] || fail "the user's page is gone"
rm -r paged && cp -r good paged && mkdir paged/plots && echo mine >paged/plots/notes.txt
arne report paged --plots
exits 0
[ "$(cat paged/plots/notes.txt)" = mine ] || fail "a file is gone"
arne simulate s.yaml -o paged
refused "paged/plots/notes.txt"
# Killed while it wrote the report: the file is listed, without a hash.
rm -r paged && cp -r good paged
sed -i 's/\("report.html": \)"[0-9a-f]*"/\1""/' paged/summary.json && echo half >paged/report.html
arne simulate s.yaml -o paged --quiet
exits 0
is_whole paged

# A folder without a list is not known to be of a run.
unlisted() {
    rm -rf old && cp -r good old
    awk '/^  "files": \{/ { skip = 1 } !skip { print } skip && /^  \}/ { skip = 0 }' \
        good/summary.json |
        sed -e ':a' -e 'N' -e '$!ba' -e 's/,\n}/\n}/' >old/summary.json
    ! grep -q files old/summary.json || fail "the list is still there"
}
unlisted
arne simulate s.yaml -o old
refused "old/"
rm old/summary.json
arne simulate s.yaml -o old
refused "old/"

# What killed runs left is removed; what is not known is not.
mkdir -p run.partial-0/inputs run.partial-0123abc0/inputs
echo x >run.partial-0123abc0/result.csv.aB3dE_ && echo x >run.partial-0123abc0/inputs/s.yaml
mkdir run.partial-0123abcd && mkdir run.partial-0123abce/ run.partial-0123abce/inputs
echo '{"kind": "partial", "process": 1}' >run.partial-0123abce/summary.json
echo x >run.partial-0123abce/inputs/x.yaml && echo x >run.partial-0123abce/result.csv.XyZabc
cp -r good run.partial-0123abcf
mkdir run.partial-mine && echo x >run.partial-mine/x
mkdir run.partial-01230000 && echo x >run.partial-01230000/thesis.tex
run
exits 0
is_whole run
[ "$(echo run.partial*)" = "run.partial-0 run.partial-01230000 run.partial-mine" ] ||
    fail "left: $(echo run.partial*)"
[ -s run.partial-mine/x ] && [ -s run.partial-01230000/thesis.tex ] || fail "a user's file is gone"
rm -r run.partial*
# Ended between two renames: the folder comes back.
mv run run.replaced-0123abcd
arne simulate s.yaml -o run --quiet
exits 0
left
# Killed before its list was written: no run.
rm -r run && unlisted && mv old run.partial-0123abcd
echo 'robot: nowhere.yaml' >bad.yaml
arne simulate bad.yaml -o run --quiet
fails 1
[ ! -e run ] || fail "half a run has become one"
run
exits 0
left

# Two at once, again and again: one complete folder, and the loser says why.
pairs=${PAIRS:-12}
last="two runs at once"
i=0
while [ $i -lt "$pairs" ]; do
    "$ARNE" simulate s.yaml -o run --quiet 2>err1 &
    one=$!
    "$ARNE" simulate s.yaml -o run --quiet 2>err2 &
    other=$!
    wait $one; a=$?
    wait $other; b=$?
    for code in "$a:err1" "$b:err2"; do
        case $code in
        0:*) ;;
        1:*) grep -q 'another run' "${code#*:}" ||
            fail "pair $i: the loser says: $(cat "${code#*:}")" ;;
        *) fail "pair $i: exit status $code" ;;
        esac
    done
    [ "$a" -eq 0 ] || [ "$b" -eq 0 ] || fail "pair $i: nobody has won: $(cat err1 err2)"
    is_whole run
    left
    i=$((i + 1))
done

finish
