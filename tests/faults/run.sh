#!/bin/sh
# Every verb while one allocation fails: exit status 1, one message, and no file is changed; or all
# went well without it.
#
# ARNE=arne ROBOTS=robots sh run.sh FAULTS.SO ARNE_LONG=1: the first 2000 of each, else a few of
# each
#                                                        JOBS=N: so many processes share them
set -u
: "${ARNE:?the program}" "${ROBOTS:?the folder of robots}"
if [ "${JOBS:-1}" -gt 1 ]; then
    code=0 parts= i=0
    while [ $i -lt "$JOBS" ]; do
        PARTS=$JOBS PART=$i JOBS=1 sh "$0" "$@" &
        parts="$parts $!" i=$((i + 1))
    done
    for part in $parts; do wait "$part" || code=1; done
    exit $code
fi
whole_path() { echo "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"; }
faults=$(whole_path "$1") ARNE=$(whole_path "$ARNE")
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
ROBOTS=$(cd "$ROBOTS" && pwd)
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
cd "$T" || exit 1
unset DISPLAY WAYLAND_DISPLAY # view opens nothing
tried=0 bad=0 harmless=0

# Everything that a run could change, names and contents. What it has computed before it fails may
# be left in DIR.incomplete, and where there is no memory to remove the run that was replaced, the
# next one removes it.
state() {
    find . \( -name '*.incomplete' -o -name '*.partial-*' \) -prune -o -type f ! -name 'said.*' \
        -exec cksum {} + | LC_ALL=C sort -k 3
}

# with FAULT WORDS...: runs the program with that fault.
with() {
    fault=$1
    shift
    LD_PRELOAD=$faults ARNE_FAULT=$fault "$ARNE" "$@" >said.out 2>said.err
}

flaw() {
    echo "$1: arne $2"
    sed 's/^/    /' said.err | head -3
    bad=$((bad + 1))
}

# again WORDS...: after a flaw the next fault begins with good outputs, too.
again() {
    with "${fault%%:*}:0" "$@"
    state >said.base
}

# once FAULT WORDS...: what must hold with one fault. The outputs of a good run are there.
once() {
    fault=$1
    shift
    tried=$((tried + 1))
    rm -rf ./*.incomplete
    with "$fault" "$@"
    code=$?
    if [ $code -eq 0 ]; then
        # What failed was not needed: then the result is the same as ever. (Runs have the time they
        # took in them.)
        harmless=$((harmless + 1))
        case $1 in simulate | plan | sweep | report | demo | bench) state >said.base ;; *) state |
            cmp -s - said.base || { flaw "$fault changes the result" "$*" && again "$@"; } ;; esac
        return
    fi
    [ $code -eq 1 ] || flaw "$fault: exit status $code" "$*"
    [ "$(wc -l <said.err)" -eq 1 ] && grep -q '^arne: ' said.err ||
        flaw "$fault: not one message" "$*"
    grep -q 'out of memory' said.err || flaw "$fault: it does not say out of memory" "$*"
    state | cmp -s - said.base || changed "$@"
}

# A run that is complete replaces the one before, also where there is no memory left for its page.
# (HDF5 has times in it.)
changed() {
    without_page() { grep -vE '/(report\.html|summary\.json|table\.h5)$' "$1"; }
    state >said.now
    if [ "$(without_page said.now)" != "$(without_page said.base)" ] ||
        [ ! -e simulated/summary.json ] ||
        { [ "$1" = plan ] && [ ! -e planned/summary.json ]; }; then
        flaw "$fault: files have changed" "$*"
    fi
    mv said.now said.base
}

# verb KIND WORDS...: a good run, then faults spread over its allocations.
verb() {
    kind=$1
    shift
    ARNE_FAULT_COUNT=said.count with "$kind:0" "$@"
    code=$?
    [ $code -eq 0 ] || { flaw "exit status $code without a fault" "$*"; return; }
    state >said.base
    total=$(cat said.count) tries=${tries:-7}
    most=$total
    if [ "${ARNE_LONG:-0}" = 1 ]; then
        [ "$most" -le 2000 ] || most=2000
        tries=$most
    fi
    [ "$total" -gt 0 ] || return
    i=${PART:-0}
    while [ $i -lt "$tries" ]; do
        n=$((1 + i * most / tries))
        [ "$n" -le "$most" ] || break
        once "$kind:$n" "$@"
        i=$((i + ${PARTS:-1}))
    done
}

cp "$ROBOTS/planar_2r.yaml" robot.yaml
cat >scenario.yaml <<'TEXT'
robot: robot.yaml
duration: 0.02
initial: {q: [0.3, 0.2]}
record: {every: 0.01}
TEXT

for kind in ours readers; do
    verb $kind info "$ROBOTS/scara.yaml"
    verb $kind check "$ROBOTS/arm7.urdf"
    verb $kind compute second-derivatives "$ROBOTS/puma560.yaml" --q 0,1,0,1,0,1 --qd 0,0,0,0,0,0 \
        --qdd 0,0,0,0,0,0 --json -o o.json
    verb $kind compute inverse-dynamics "$ROBOTS/scara.yaml" --q 0,1,0,0 --qd 1,1,0,0
    verb $kind simulate scenario.yaml -o simulated
    tries=4
    verb $kind plan "$examples/two_link_min_time/problem.yaml" -q -o planned
    tries=7
done
verb ours compute base-parameters "$ROBOTS/planar_2r.yaml" -o base.csv
cat >recorded.yaml <<'TEXT'
robot: robot.yaml
duration: 2
drive: reference
reference: {type: waypoints, times: [0, 0.5, 1, 1.5, 2], points: [[0, 0], [1, 0.5], [0, 1], [-1, 0.3], [0.4, 0]]}
record: {every: 0.02}
TEXT
"$ARNE" simulate recorded.yaml -o recorded --quiet
cut -d, -f1-3 recorded/result.csv >positions.csv
verb ours compute inverse-dynamics robot.yaml --states positions.csv \
    --differentiate --quiet -o found.csv
verb ours compute payload-capacity "$ROBOTS/arm7.urdf" --frame link7 --quiet -o capacity.csv
verb ours compute assemble "$ROBOTS/four_bar.yaml" --q 0.5,0,0
cat >sweep.yaml <<'TEXT'
run: scenario.yaml
parameters: {initial.q.joint1: [0.1, 0.4], initial.q.joint2: {uniform: [0, 1]}}
samples: 3
keep: failed
figures: {peak: {column: qd.joint2, reduce: max}}
TEXT
cat >quantity.yaml <<'TEXT'
run: {compute: inverse-dynamics, robot: robot.yaml, q: [0, 0], qd: 1, qdd: 0}
parameters: {q.joint2: {range: [0, 1], count: 3}}
TEXT
for kind in ours readers; do
    verb $kind sweep sweep.yaml -j 1 -q -o swept
    verb $kind sweep quantity.yaml -j 1 -q -o quantities
done
verb ours sweep sweep.yaml --row 1 -o row
"$ARNE" identify design robot.yaml --starts 1 --iterations 2 --period 2 -o designed >said.out
"$ARNE" compute inverse-dynamics robot.yaml --states designed/motion.csv -o torques.csv
cut -d, -f2- torques.csv | paste -d, designed/motion.csv - >log.csv
for kind in ours readers; do
    verb $kind identify design robot.yaml --starts 1 --iterations 2 --period 2 -o designed
    verb $kind identify fit robot.yaml log.csv --friction none -o fitted
    verb $kind identify payload robot.yaml log.csv --friction none -o payload
done
verb ours generate "$ROBOTS/planar_2r.yaml" --functions inverse-dynamics,mass-matrix -o generated
verb ours report simulated
verb ours view "$ROBOTS/scara.yaml" -o view.html
for kind in ours readers; do
    verb $kind convert "$ROBOTS/arm7.urdf" -o converted.yaml
done
verb ours demo --laws --robots "$ROBOTS" -o laws.txt
tries=3
verb ours bench "$ROBOTS/planar_2r.yaml" -o bench.txt
tries=7
verb new plan "$examples/two_link_min_time/problem.yaml" -q -o planned
# Too little memory for all of the result: the file is the old one or the new one, and nothing
# between.
human="compute second-derivatives $ROBOTS/human.yaml --json"
# shellcheck disable=SC2086
"$ARNE" $human -o whole.json
limit=70000 refused=0
while [ $limit -gt 0 ]; do
    echo old >result.json
    # shellcheck disable=SC2086,SC3045 # ulimit -v is not POSIX, but every shell on Linux has it
    (ulimit -v $limit && exec "$ARNE" $human -o result.json >said.out 2>said.err) 2>/dev/null
    code=$?
    [ $code -le 1 ] || break # not even the program itself has room
    tried=$((tried + 1)) refused=$((refused + code))
    if [ $code -eq 0 ]; then cmp -s result.json whole.json; else [ "$(cat result.json)" = old ]; \
        fi ||
        flaw "$limit KiB: exit status $code, and half a file" "$human"
    limit=$((limit - 2000))
done
[ $refused -gt 0 ] || flaw "no limit was too low" "$human"

# The same for plans, whose solver calls libraries that may wait for memory without an end.
limit=300000
while [ $limit -gt 60000 ]; do
    # shellcheck disable=SC3045
    (ulimit -v $limit && exec timeout 60 "$ARNE" plan "$examples/two_link_min_time/problem.yaml" \
        -q -o planned >said.out 2>said.err)
    code=$?
    tried=$((tried + 1))
    [ $code -eq 0 ] || { [ $code -eq 1 ] && grep -q 'out of memory\|cannot be loaded' said.err; } ||
        flaw "$limit KiB: exit status $code" "plan"
    limit=$((limit - 20000))
done

echo "faults: $tried allocations failed, $harmless of them without harm, $bad flaws"
[ $bad -eq 0 ]
