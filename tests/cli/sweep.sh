#!/bin/sh
# Sweeps: the table, determinism over processes and ranks, resuming after kills, torn shards, a full
# disk, refusals. KILLS says how often a sweep is killed (12).
. "$(dirname "$0")/checks.inc"
. "$(dirname "$0")/sweep.inc"
scenario 0.2
cat >s.yaml <<'END'
run: scenario.yaml
parameters: {controller.kp: [100, 200, 400], robot.bodies.link2.mass: {uniform: [1, 2]}, initial.q.joint2: {normal: [0, 0.1]}}
samples: 60
seed: 7
keep: none
figures: {peak: {column: tau.joint2, reduce: max}, error: summary.rms_error}
END

arne check s.yaml
exits 0
arne sweep s.yaml -o ref -j 1
exits 0
prints "60 rows, 0 failed"
[ "$(wc -l <ref/table.csv)" -eq 61 ] || fail "not 60 rows"
[ "$(head -n 1 ref/table.csv)" = \
    "row,controller.kp,robot.bodies.link2.mass,initial.q.joint2,peak,error,status" ] ||
    fail "header"
[ -s ref/report.html ] || fail "no page"
[ ! -d ref.incomplete ] || fail "DIR.incomplete is left"
grep -q 'arne sweep s.yaml --row' ref/report.html || fail "the page has no command for a row"

# Two parameters on a grid: a heat map, and the best row is the one with the most where the file
# says so.
cat >grid.yaml <<'END'
run: scenario.yaml
parameters: {initial.qd.joint1: [1, 2, 4], controller.kp: [100, 200]}
figures: {error: {column: q.joint2, reduce: range}, most: {column: q.joint2, reduce: range, better: more}}
END
arne sweep grid.yaml -o grid -q
exits 0
[ "$(grep -c 'aria-label="heat map"' grid/report.html)" -eq 2 ] || fail "no heat map of each figure"
! grep -q 'heat map' ref/report.html || fail "a heat map where nothing is a grid"
python3 - <<'END' || fail "the best rows are wrong"
import csv, re
rows = [(float(r["error"]), r["row"]) for r in csv.DictReader(open("grid/table.csv"))]
page = open("grid/report.html", encoding="utf-8").read()
first = re.findall(r'<th>(best|worst)</th><td class="num">(\d+)</td>', page)
assert first == [("best", min(rows)[1]), ("worst", max(rows)[1]), ("best", max(rows)[1]), ("worst", min(rows)[1])], first
END
sed 's/better: more/better: higher/' grid.yaml >wrong.yaml
arne check wrong.yaml
exits 1
says "wrong.yaml:3"

# A sweep that is complete is not computed again where it is to be resumed; without that word it is.
cp ref/table.csv before.csv
arne sweep s.yaml -o ref --resume
exits 0
prints "60 rows were done before"
[ ref/table.csv -ot before.csv ] || fail "the table was written again"
[ ! -d ref.incomplete ] || fail "DIR.incomplete is left"

# A row by itself is that of the table, and its run's folder is one that simulate reproduces.
arne sweep s.yaml --row 17 -o row17
exits 0
[ "$(tail -n 1 "$T/out")" = "$(sed -n 19p ref/table.csv)" ] ||
    fail "row 17 by itself is another one"
arne simulate "$(ls row17/inputs/run*.yaml)" -o again --quiet
cmp -s row17/result.csv again/result.csv || fail "the kept inputs give another run"

# ---- the same bits for any number of processes and ranks

same() { cmp -s "$1/table.csv" ref/table.csv || fail "$1/table.csv is not that of one process"; }
for jobs in 2 3; do
    arne sweep s.yaml -o "jobs$jobs" -j $jobs -q
    exits 0
    same "jobs$jobs"
done
for mpi in $launchers; do
    for ranks in 1 2 3 5; do
        last="mpirun.$mpi -n $ranks"
        ranks_of $mpi $ranks sweep s.yaml -o "$mpi$ranks" -q >"$T/out" 2>"$T/err" ||
            fail "exit status $?"
        same "$mpi$ranks"
        grep -q "\"ranks\": $ranks," "$mpi$ranks/summary.json" || fail "not on $ranks ranks"
    done
    last="mpirun.$mpi -n 5, in groups of two, two processes each"
    ranks_of $mpi 5 sweep s.yaml -o "${mpi}g" -q --group 2 -j 2 >"$T/out" 2>"$T/err" ||
        fail "exit status $?"
    same "${mpi}g"
    last="mpirun.$mpi into a folder that is refused"
    mkdir -p taken && echo mine >taken/file
    ranks_of $mpi 2 sweep s.yaml -o taken -q >"$T/out" 2>"$T/err" && fail "it was not refused"
    says "taken"
done

# ---- killed, at any instant, and resumed

kills=${KILLS:-12}
i=0
while [ $i -lt "$kills" ] && [ ! -d killed ]; do
    i=$((i + 1))
    "$ARNE" sweep s.yaml -o killed -q --resume -j 2 >/dev/null 2>&1 &
    pid=$!
    sleep "0.0$(awk -v n=$i 'BEGIN { srand(n); for (i = 0; i < 3; i++) x = rand(); printf "%02d", 60 * x }')"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
done
arne sweep s.yaml -o killed -q --resume
exits 0
same killed

# What the manifest says is done is not computed again; a torn last line is noticed, a damaged one
# too.
"$ARNE" sweep s.yaml -o torn -q -j 1 --chunk 5 >/dev/null 2>&1 &
pid=$!
while kill -0 $pid 2>/dev/null && ! grep -q done torn.incomplete/manifest 2>/dev/null; do sleep \
    0.01; done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
if [ -d torn.incomplete ]; then
    shard=$(find torn.incomplete/shards -type f -size +0 | head -n 1)
    sed -i '2s/ok/no/' "$shard"
    printf '59,100,1.5' >>"$shard"
    arne sweep s.yaml -o torn --resume
    exits 0
    says "the last line is torn"
    says "1 lines are damaged"
    prints "rows were done before"
    same torn
fi

# ---- refusals

mkdir -p busy.incomplete
(flock 9 && exec sleep 60) 9<busy.incomplete &
holder=$!
sleep 0.2
arne sweep s.yaml -o busy
fails 1 "another sweep into this folder is under way"
kill $holder
wait
# A sweep that was stopped is not thrown away.
"$ARNE" sweep s.yaml -o stopped -q -j 1 --chunk 1 >/dev/null 2>&1 &
pid=$!
while kill -0 $pid 2>/dev/null && ! grep -q done stopped.incomplete/manifest 2>/dev/null; do sleep \
    0.01; done
kill -INT $pid
wait $pid
code=$?
if [ -d stopped.incomplete ]; then
    last="arne sweep, interrupted"
    [ $code -eq 130 ] || fail "exit status $code, not 130"
    arne sweep s.yaml -o stopped
    fails 1 "holds a sweep that was stopped" "--resume"
    cp s.yaml kept.yaml
    sed -i 's/seed: 7/seed: 8/' s.yaml
    arne sweep s.yaml -o stopped --resume
    fails 1 "another sweep, or its files have changed"
    mv kept.yaml s.yaml
    arne sweep s.yaml -o stopped --resume -q
    exits 0
    same stopped
fi
# Runs that were on their way into the folder when a process was killed are not lost.
sed 's/keep: none/keep: all/' s.yaml >keeps.yaml
"$ARNE" sweep keeps.yaml -o keeps -q -j 1 --chunk 1 >/dev/null 2>&1 &
pid=$!
while kill -0 $pid 2>/dev/null && ! grep -q done keeps.incomplete/manifest 2>/dev/null; do sleep \
    0.01; done
kill -9 $pid
wait $pid 2>/dev/null
if [ -d keeps.incomplete/runs ]; then
    mkdir keeps.partial-0123abcd
    mv keeps.incomplete/runs keeps.partial-0123abcd/runs
    # Half a run, of a process that was killed just before it listed what it wrote.
    mkdir -p keeps.partial-0123abcd/runs/59.partial-00000000/inputs
    echo '{"kind": "simulation", "robot": "inputs/robot.yaml"}' \
        >keeps.partial-0123abcd/runs/59.partial-00000000/summary.json
    echo half >keeps.partial-0123abcd/runs/59.partial-00000000/inputs/run.yaml
    arne sweep keeps.yaml -o keeps --resume -q
    exits 0
    [ "$(ls -d keeps/runs/*/ | wc -l)" -eq 60 ] || fail "runs are lost"
    [ ! -e keeps.partial-0123abcd/runs ] || fail "runs are left behind"
    same keeps
fi
# A full disk: what is done stays, and is resumed when there is room.
last="arne sweep on a full disk"
sed 's/samples: 60/samples: 400/' s.yaml >long.yaml
(ulimit -f 8 && "$ARNE" sweep long.yaml -o full -q -j 1) >"$T/out" 2>"$T/err"
status=$?
fails 1 "full.incomplete" "--resume goes on"
arne sweep long.yaml -o full --resume
exits 0
prints "rows were done before"
arne sweep long.yaml -o whole -q
cmp -s full/table.csv whole/table.csv || fail "the table after a full disk is another one"

# ---- mistakes: all of them, with the nearest names

cat >bad.yaml <<'END'
run: scenario.yaml
parameters: {controler.kp: [1], robot.bodies.link2.mas: [1], initial.q.joint9: [0], robot.bodies.link9.mass: [1]}
figures: {a: {column: tau.joint9, reduce: max}, b: summary.rms_eror, c: {column: tau.joint1, reduce: biggest}}
desing: grid
END
arne check bad.yaml
fails 1 "bad.yaml:2:14: there is no 'controler.kp'" "controller.kp" "robot.bodies.link2.mass" \
    "initial.q.joint9" \
    "robot.bodies.link9.mass" "rms_error" "'biggest' is not one of" "unknown key 'desing'"
# A robot that cannot be is a row that says which rule it breaks; the sweep goes on.
printf 'run: scenario.yaml\nparameters: {robot.bodies.link2.mass: [1, -1, 2]}\nkeep: failed\n' \
    >impossible.yaml
arne sweep impossible.yaml -o impossible
exits 0
prints "3 rows, 1 failed"
grep -q "^1,-1,.*mass must not be negative" impossible/table.csv || fail "row 1 does not say why"
# Again into the same folder, where no run was kept.
arne sweep impossible.yaml -o impossible
exits 0
# A time limit.
printf 'run: scenario.yaml\nparameters: {duration: [0.01, 1e5]}\ntime_limit: 0.3\nkeep: failed\n' \
    >slow.yaml
arne sweep slow.yaml -o slow
exits 0
arne sweep slow.yaml -o slow
exits 0
prints "2 rows, 1 failed"
grep -q "time limit of 0.3 s" slow/table.csv || fail "no time limit"
# Problems, quantities, columns of a CSV.
printf 'run: {compute: inverse-dynamics, robot: arm.yaml, q: [0.1, 0.2], qd: 0, qdd: 1}\nparameters: {q.joint1: {range: [0, 1], count: 3}}\n' >q.yaml
arne sweep q.yaml -o q -q
exits 0
arne compute inverse-dynamics arm.yaml --q 0.5,0.2 --qd 0,0 --qdd 1,1 --json
for number in $(sed -n 3p q/table.csv | cut -d, -f3,4 | tr , ' '); do prints "${number%??}"; done
printf 'controller.kp,controller.kd\n10,1\n20,2\n' >rows.csv
printf 'run: scenario.yaml\nparameters: rows.csv\nkeep: all\n' >c.yaml
arne sweep c.yaml -o c -q
exits 0
grep -q '^1,20,2,' c/table.csv || fail "no row of the CSV"
[ -s c/runs/1/result.csv ] || fail "the run of row 1 is not kept"
arne sweep c.yaml -o c -q
exits 0

# ---- rigid contact: a block on a slope of 30 degrees slides with g (sin - mu cos), or stays

cat >block.yaml <<'END'
base: free
gravity: [4.905, 0, -8.495709211125344]
bodies: [{name: block, mass: 2, inertia: [0.01, 0.01, 0.0133]}]
contacts: [{link: block, box: [0.2, 0.2, 0.1]}]
END
cat >slope.yaml <<'END'
robot: block.yaml
duration: 1
initial: {q: {base: [0, 0, 0.05, 0, 0, 0, 1]}}
surroundings: [{type: ground, friction: 0.6}]
END
cat >slopes.yaml <<'END'
run: slope.yaml
parameters: {surroundings.0.friction: [0.1, 0.3, 0.7]}
keep: none
figures: {gone: {column: q.base.0, reduce: last}}
END
arne sweep slopes.yaml -o slopes -q
exits 0
awk -F, 'NR > 1 {mu = $2; a = 4.905 - mu * 8.495709211125344; if (a < 0) a = 0; d = $3 - a / 2; if (d < -1e-9 || d > 1e-9) bad = 1}
    END {exit bad || NR != 4}' slopes/table.csv || fail "blocks on slopes: $(cat slopes/table.csv)"

finish
