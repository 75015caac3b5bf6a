#!/bin/sh
# SIGKILL at random instants of simulate and plan: the complete run of before was there all the
# time, and the same command then works. KILLS says how often (8).
. "$(dirname "$0")/checks.inc"
cd "$T" || exit 1

cp "$ROBOTS/planar_2r.yaml" arm.yaml
cat >s.yaml <<'END'
robot: arm.yaml
duration: 0.5
controller: {type: pd, kp: 10, kd: 1}
integrator: {method: rk4, step: 0.00005}
record: {every: 0.0005}
END
cat >p.yaml <<'END'
robot: arm.yaml
spline: {degree: 3, control_points: 12}
time: {start: 1, least: 0.1, most: 5}
start: {position: 0, velocity: 0}
end: {position: {joint1: 0.5, joint2: -0.5}, velocity: 0}
objective: [{quantity: time, weight: 1}]
constraints: [{quantity: torque, limits: true}]
END

# is_whole DIR: a complete run with all that its list says. (The report is written later.)
is_whole() {
    grep -q '"complete": true' "$1/summary.json" || fail "$1 is not complete"
    sed -n 's/^    "\(.*\)": "\([0-9a-f][0-9a-f]*\)".*/\2  \1/p' "$1/summary.json" |
        grep -v ' summary.json$\| report.html$' >list
    [ "$(wc -l <list)" -ge 3 ] || fail "$1 has no list"
    (cd "$1" && sha256sum --quiet -c ../list) >/dev/null 2>&1 ||
        fail "$1: a hash is wrong or a file is missing"
}

# A number from 0 to 999 of the n-th draw, the same in every run of this test.
draw() { awk -v n="$1" \
    'BEGIN { srand(n); for (i = 0; i < 3; i++) x = rand(); print int(1000 * x) }'; }

kills=${KILLS:-8}
for verb in simulate plan; do
    file=s.yaml
    [ $verb = simulate ] || file=p.yaml
    arne $verb $file -o run-$verb --quiet
    if [ $verb = plan ] && grep -q 'has no solver\|libarne_ipopt' err; then continue; fi
    exits 0
    is_whole run-$verb
    # How long it takes here, in milliseconds: the instants are spread over that.
    begin=$(date +%s%N)
    arne $verb $file -o run-$verb --quiet
    exits 0
    took=$((($(date +%s%N) - begin) / 1000000))
    n=0
    while [ $n -lt "$kills" ]; do
        last="arne $verb, killed for the ${n}th time"
        "$ARNE" $verb $file -o run-$verb --quiet >out 2>err &
        job=$!
        sleep "$(awk -v ms=$took -v part="$(draw $n)" 'BEGIN { printf "%.4f", ms * part / 1e6 }')"
        kill -KILL $job 2>/dev/null
        wait $job 2>/dev/null
        is_whole run-$verb
        n=$((n + 1))
        [ $((n % 4)) -eq 0 ] || continue
        arne $verb $file -o run-$verb --quiet
        exits 0
        is_whole run-$verb
        [ "$(ls -d run-$verb*)" = run-$verb ] || fail "left: $(ls -d run-$verb*)"
    done
done
echo "$kills killed runs of each verb"
finish
