#!/bin/sh
# Ranks of mpirun are killed at random instants, and the sweep is resumed: the table is that of a
# sweep that nobody disturbed, and no row that was reported as done is lost. KILLS says how often
# (2); SEED where it starts.
. "$(dirname "$0")/checks.inc"
. "$(dirname "$0")/sweep.inc"
if [ -z "$launchers" ]; then
    echo "no MPI: nothing is killed"
    exit 77
fi
scenario 3
cat >s.yaml <<'END'
run: scenario.yaml
parameters: {controller.kp: {uniform: [50, 400]}, robot.bodies.link2.mass: {uniform: [1, 2]}}
samples: 120
seed: 5
figures: {peak: {column: tau.joint2, reduce: max}, error: summary.rms_error}
END
began=$(date +%s%N)
arne sweep s.yaml -o ref -q
exits 0
span=$((($(date +%s%N) - began) / 1000000)) # ms

# The next whole number below $1 of a sequence that SEED starts.
state=${SEED:-1}
random() {
    state=$(awk -v s="$state" 'BEGIN { printf "%d", (s * 16807) % 2147483647 }')
    number=$(awk -v s="$state" -v n="$1" 'BEGIN { printf "%d", int(s / 2147483647 * n) }')
}
random 1 # the first ones of a small seed are small

# Processes of this sweep, named by its folder, which nobody else has: ranks, and those that compute
# for them.
processes() { ps -eo pid=,comm=,args= | awk -v dir="$T/killed" \
    '$2 == "arne" && index($0, dir) { print $1 }'; }
ranks() {
    ps -eo pid=,ppid=,comm=,args= |
        awk -v dir="$T/killed" '$3 == "arne" && index($0, dir) { parent[$1] = $2 }
        END { for (p in parent) if (!(parent[p] in parent)) print p }' | sort -n
}
rows_done() { awk '/^done / { n += $3 } END { print n + 0 }' "$T/killed.incomplete/manifest" \
    2>/dev/null || echo 0; }

kills=0 whole=0 tries=0 halfway=0
while [ $kills -lt "${KILLS:-2}" ] && [ $tries -lt $((8 * ${KILLS:-2})) ]; do
    tries=$((tries + 1))
    # shellcheck disable=SC2086
    set -- $launchers
    [ $((tries % 2)) -eq 0 ] || shift $(($# - 1))
    mpi=$1
    before=$(rows_done)
    last="mpirun.$mpi, kill $kills"
    ranks_of "$mpi" 3 sweep s.yaml -o "$T/killed" -q --resume >out 2>err &
    launcher=$!
    # From when there are ranks on, at an instant within the time that the sweep takes; every fourth
    # time a process that computes, which is no matter for the sweep.
    while kill -0 $launcher 2>/dev/null && [ -z "$(ranks)" ]; do sleep 0.01; done
    random "$span"
    sleep "$(awk -v n="$number" 'BEGIN { print n / 1000 }')"
    if [ $((kills % 4)) -eq 3 ]; then victims=$(processes); else victims=$(ranks); fi
    random "$(echo "$victims" | wc -w)"
    victim=$(echo "$victims" | sed -n "$((number + 1))p")
    if [ -n "$victim" ] && kill -9 "$victim" 2>/dev/null; then kills=$((kills + 1)); fi
    wait $launcher
    for left in $(processes); do kill -9 "$left" 2>/dev/null; done
    while [ -n "$(processes)" ]; do sleep 0.02; done
    grep -q "are damaged or gone" err && fail "rows that were done are lost"
    if [ -d killed ]; then
        whole=$((whole + 1))
        cmp -s killed/table.csv ref/table.csv || fail "the table after kills is another one"
        # It may have been killed while it cleaned up: to resume it computes nothing, and leaves
        # nothing else.
        [ "$(ls -d killed*)" = killed ] || arne sweep s.yaml -o "$T/killed" --resume
        [ "$(ls -d killed*)" = killed ] || fail "DIR.incomplete stays"
        rm -rf killed
    else
        [ "$(rows_done)" -ge "$before" ] || fail "fewer rows are done than before"
        [ "$(rows_done)" -gt 0 ] && halfway=$((halfway + 1))
    fi
done
arne sweep s.yaml -o "$T/killed" -q --resume
exits 0
cmp -s killed/table.csv ref/table.csv || fail "the last table after kills is another one"
echo "$kills kills, $halfway left a sweep halfway, $((whole + 1)) tables"
[ $kills -ge "${KILLS:-2}" ] || fail "only $kills kills"

finish
