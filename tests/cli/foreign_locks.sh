#!/bin/sh
# Others in the same folders: a lock that somebody holds for ever is waited for a while and then
# named; files that are made have the modes that the user wants.
. "$(dirname "$0")/checks.inc"
cd "$T" || exit 1
mkdir held held/code kept
cp "$ROBOTS/planar_2r.yaml" arm.yaml
printf 'robot: arm.yaml\nduration: 0.01\nintegrator: {step: 0.001}\n' >run.yaml
"$ARNE" simulate run.yaml -o held/run --quiet || fail "no run"
if command -v flock >/dev/null; then
    flock -F -s held sleep 40 & holders=$!
    flock -F -s held/run sleep 40 & holders="$holders $!"
    flock -F -s held/code sleep 40 & holders="$holders $!"
    sleep 0.2
    began=$(date +%s)
    # All at once: each waits for its ten seconds.
    "$ARNE" simulate run.yaml -o held/new --quiet 2>1.txt & one=$!
    "$ARNE" report held/run 2>2.txt >/dev/null & two=$!
    "$ARNE" generate arm.yaml --functions gravity -o held/code 2>3.txt & three=$!
    for job in $one $two $three; do
        wait $job
        [ $? -eq 1 ] || fail "a job did not fail"
    done
    [ $(($(date +%s) - began)) -lt 30 ] || fail "it took long"
    for i in 1 2 3; do
        cp $i.txt "$T/err"
        says "another process holds a lock on the folder"
    done
    for holder in $holders; do kill "$holder" 2>/dev/null; done
fi

# Modes: as the mask says; a file that is replaced keeps its own.
mode() { stat -c %a "$1"; }
for mask in 077 027 022; do
    last="umask $mask"
    rm -rf page.html again.yaml tau.csv run
    (
        umask $mask
        "$ARNE" view arm.yaml -o page.html
        "$ARNE" convert arm.yaml -o again.yaml
        "$ARNE" compute gravity arm.yaml --q 0,0 -o tau.csv
        "$ARNE" simulate run.yaml -o run --quiet
    ) >"$T/out" 2>"$T/err"
    expected=$(printf '%o' $((0666 & ~mask)))
    for file in page.html again.yaml tau.csv run/report.html run/summary.json run/result.csv \
        run/inputs/arm.yaml; do
        [ "$(mode $file)" = "$expected" ] || fail "$file has mode $(mode $file), not $expected"
    done
    chmod 640 page.html
    "$ARNE" view arm.yaml -o page.html >/dev/null
    [ "$(mode page.html)" = 640 ] || fail "a page that was replaced has another mode"
done

# A process that is killed while it writes a page leaves no part of it.
for wait in 0.01 0.02 0.03 0.04 0.05 0.06 0.08; do
    "$ARNE" view arm.yaml -o kept/page.html >/dev/null 2>&1 & job=$!
    sleep $wait
    kill -9 $job 2>/dev/null
    wait $job 2>/dev/null
done
last="view, killed"
[ -z "$(find kept -name '*.html.*')" ] || fail "parts are left: $(ls kept)"
finish
