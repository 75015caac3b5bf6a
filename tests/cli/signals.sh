#!/bin/sh
# SIGINT and SIGTERM: exit 128 + signal, what there is is kept beside its place, and runs go on from
# there.
. "$(dirname "$0")/checks.inc"
cd "$T" || exit 1

# ends SIGNAL arguments...: starts the program, waits until it is under way (a run, until its
# temporary folder is there), sends the signal; it must end with its number. (How soon is not for a
# test to say; those that do not heed it never end.)
ends() {
    signal=$1 number=15
    [ "$signal" != INT ] || number=2
    shift
    last="arne $* and SIG$signal"
    timeout -k 100 100 "$ARNE" "$@" >out 2>err &
    job=$!
    for _ in $(seq 100); do
        case $1 in simulate | plan) ;; *) break ;; esac
        [ "$(echo ./*.partial-*)" = './*.partial-*' ] || break
        sleep 0.1
    done
    sleep "${wait:-0.1}"
    kill -"$signal" $job
    wait $job
    status=$?
    [ "$status" -eq $((128 + number)) ] || fail "exit status $status, not $((128 + number))"
}
whole() { grep -q '"complete": true' "$1/summary.json" || fail "$1 is not complete"; }
partly() { grep -q '"complete": false' "$1/summary.json" || fail "$1 is not marked as incomplete"; }

cp "$ROBOTS/human.yaml" "$ROBOTS/puma560.yaml" .
# Few rows with many steps between them; and none, ever.
printf 'robot: human.yaml\nduration: 2000\nintegrator: {method: rk4, step: 1e-5}\n' >rows.yaml
printf 'robot: human.yaml\nduration: 1e300\n' >ever.yaml
printf 'robot: human.yaml\nduration: 0.02\nintegrator: {method: rk4, step: 0.01}\n' >short.yaml
arne simulate short.yaml -o run --quiet
exits 0
for how in INT:rows TERM:ever; do
    ends ${how%:*} simulate ${how#*:}.yaml -o run
    says "stopped at t = "
    says "run.incomplete"
    whole run
    partly run.incomplete
    [ -s run.incomplete/report.html ] && [ -s run.incomplete/checkpoint.csv ] ||
        fail "something is missing"
done
[ "$(ls -d run*)" = "run
run.incomplete" ] || fail "left: $(ls -d run*)"
for method in cvode ida; do
    printf 'robot: human.yaml\nduration: 1e4\ninitial: {qd: 0.1}\nintegrator: {method: %s, max_step: 1e-4}\n' \
        $method >solver.yaml
    sed 's/duration: .*/duration: 1e-9/' solver.yaml >once.yaml
    arne simulate once.yaml -o solver --quiet
    ! grep -q SUNDIALS err || continue # a build without
    ends TERM simulate solver.yaml -o run
done

# A simulation goes on where it was stopped: the same numbers, bit by bit.
cat >s.yaml <<'END'
robot: puma560.yaml
duration: 20
reference: {type: sinusoid, offset: 0, harmonics: [{amplitude: 0.05, frequency: 3}]}
controller: {type: pd_gravity, kp: 200, kd: 2, sample_time: 0.0037, torque_rate_limits: 900}
friction: stick
integrator: {method: rk4, step: 0.0001}
record: {every: 0.0125}
END
ends INT simulate s.yaml -o once
says "once.incomplete"
ends TERM simulate s.yaml -o once --resume
arne simulate s.yaml -o once --resume --quiet
exits 0
whole once
[ ! -e once.incomplete ] || fail "what was resumed is still there"
arne simulate s.yaml -o straight --quiet
exits 0
cmp -s once/result.csv straight/result.csv || fail "the run that was stopped is another one"
for name in steps evaluations limits_hit rms_error energy_residual; do
    [ "$(grep "\"$name\"" once/summary.json)" = "$(grep "\"$name\"" straight/summary.json)" ] ||
        fail "$name differs"
done

# What cannot be resumed.
arne simulate s.yaml -o once --resume
fails 1 "once.incomplete" "no run was stopped"
ends INT simulate s.yaml -o once
sed -i 's/kp: 200/kp: 201/' s.yaml
arne simulate s.yaml -o once --resume
fails 1 "once.incomplete/inputs/s.yaml" "cannot be resumed"
sed -i 's/kp: 201/kp: 200/' s.yaml
sed -i '5d' once.incomplete/checkpoint.csv
arne simulate s.yaml -o once --resume
fails 1 "checkpoint"
rm -r once.incomplete && ends INT simulate s.yaml -o once
echo mine >once.incomplete/notes.txt
arne simulate s.yaml -o once
fails 1 "once.incomplete/notes.txt"
whole once

# A search goes on from its best motion.
examples=$HERE/../../examples
arne plan "$examples/two_link_min_time/problem.yaml" -q -o plan
if ! grep -q 'has no solver\|libarne_ipopt' err; then
    exits 0
    wait=1 ends INT plan "$examples/gait/problem.yaml" -q -o plan
    says "plan.incomplete"
    whole plan
    partly plan.incomplete
    arne plan "$examples/two_link_min_time/problem.yaml" -q -o plan --resume
    fails 1 "plan.incomplete/inputs" "cannot be resumed"
    wait=1 ends TERM plan "$examples/gait/problem.yaml" -q -o plan --resume
    partly plan.incomplete
    # One that has something left to do, and comes to its end.
    arne plan "$examples/two_link_min_time/problem.yaml" -q -o short
    cp -r short short.incomplete
    arne plan "$examples/two_link_min_time/problem.yaml" -q -o short --resume
    exits 0
    whole short
    [ ! -e short.incomplete ] || fail "what was resumed is still there"
    arne plan "$examples/two_link_min_time/problem.yaml" -q --resume
    fails 2 "--out"
fi

# The other verbs end at once, and leave nothing half-written.
echo good >o.json
wait=0.2 ends INT bench --robots "$ROBOTS"
sh "$ROBOTS/chain.sh" 120 >chain.yaml
wait=0.2 ends TERM generate chain.yaml --functions inverse-dynamics-derivatives,regressor \
    -o generated
{ echo q.joint1,q.joint2,q.joint3,q.joint4,q.joint5,q.joint6 && yes 1,1,1,1,1,1 |
    head -n 400000; } >many.csv
wait=0.2 ends INT compute pose puma560.yaml --states many.csv -o o.json
mkfifo pipe # a log that never comes
wait=0.2 ends TERM identify fit puma560.yaml pipe -o fitted
wait=0.2 ends INT identify design human.yaml -o fitted
[ "$(echo fitted*)" = 'fitted*' ] || fail "left: $(echo fitted*)"
[ "$(cat o.json)" = good ] && [ "$(echo o.json*)" = o.json ] ||
    fail "a file was changed, or is left"
[ ! -e generated ] || fail "half of the code is there"

finish
