#!/bin/sh
# Every verb that writes, killed before each of its steps in the file system: what was there before
# is there, whole; the same command then works; and nothing is left in its folder or beside it.
# (Beside a single file a temporary one may be.)
#
# ARNE=arne ROBOTS=robots sh steps.sh FAULTS.SO ARNE_LONG=1: every step, else a few of each verb
set -u
: "${ARNE:?the program}" "${ROBOTS:?the folder of robots}"
whole_path() { echo "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"; }
faults=$(whole_path "$1") ARNE=$(whole_path "$ARNE") ROBOTS=$(cd "$ROBOTS" && pwd)
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
cd "$T" || exit 1
unset DISPLAY WAYLAND_DISPLAY # view opens nothing
tried=0 bad=0

flaw() {
    echo "killed before step $n of $total: $1: arne $words"
    sed 's/^/    /' said.err | head -3
    bad=$((bad + 1))
}

# is_whole: a folder with its page and all that its list says; or a file that ends as it should.
is_whole() {
    if [ -d "$out" ] && [ -e "$out/summary.json" ]; then
        sed -n '/^  "files": {/,$ s/^    "\(.*\)": "\([0-9a-f][0-9a-f]*\)".*/\2  \1/p' \
            "$out/summary.json" |
            grep -v ' summary.json$' >said.list
        grep -q ' report.html$' said.list && [ "$(wc -l <said.list)" -ge 3 ] &&
            (cd "$out" && sha256sum --quiet -c ../said.list) >/dev/null 2>&1
    else
        [ "$(find "$out" -name '.arne.*' -prune -o -type f -exec tail -qc 20 {} + | cksum)" = \
            "$tail" ]
    fi
}

# has_runs: of every row that came to an end. (One whose process was killed says so in its status.)
has_runs() {
    sed 1d swept/table.csv | while IFS=, read -r row rest; do
        case $rest in
        *,ok) [ -e "swept/runs/$row/result.csv" ] || return 1 ;;
        *diverged*) [ -e "swept/runs/$row.incomplete/result.csv" ] || return 1 ;;
        *) case $rest in *process*) ;; *) return 1 ;; esac ;;
        esac
    done
}

# step_by_step RESULT WORDS...: a good run, then one that is killed and a good one again, for each
# step.
step_by_step() {
    out=$1
    shift
    words=$*
    rm -rf "$out"*
    for _ in 1 2; do # the second replaces what the first wrote
        LD_PRELOAD=$faults ARNE_FAULT=step:0 ARNE_FAULT_COUNT=said.count "$ARNE" "$@" >said.out \
            2>said.err
        code=$? n=0 total=$(cat said.count)
        if grep -q 'has no solver\|libarne_ipopt' said.err; then return; fi
        [ $code -eq 0 ] || { flaw "exit status $code without a fault" && return; }
    done
    tail=$(find "$out" -name '.arne.*' -prune -o -type f -exec tail -qc 20 {} + | cksum)
    tries=8
    [ "${ARNE_LONG:-0}" != 1 ] && [ "$tries" -lt "$total" ] || tries=$total
    i=0
    while [ $i -lt "$tries" ]; do
        n=$((total - i * total / tries)) # the last one is always among them
        i=$((i + 1)) tried=$((tried + 1))
        LD_PRELOAD=$faults ARNE_FAULT=step:$n "$ARNE" "$@" >said.out 2>said.err
        code=$?
        [ $code -eq 137 ] || [ $code -eq 0 ] || flaw "exit status $code"
        is_whole || flaw "what was there is gone or half written"
        # A sweep goes on with what is done, where there is any.
        more=
        [ "$1" != sweep ] || [ ! -e "$out.incomplete" ] || more=--resume
        # (Processes that computed for it see a moment later that it is gone.)
        for _ in $(seq 50); do
            # shellcheck disable=SC2086 # nothing, or a word
            "$ARNE" "$@" $more >said.out 2>said.err
            code=$?
            grep -q 'is under way' said.err || break
            sleep 0.1
        done
        [ $code -eq 0 ] || flaw "it does not work again"
        is_whole || flaw "what came again is not whole"
        [ "$1" != sweep ] || has_runs || flaw "runs are missing: $(ls swept/runs)"
        [ ! -d "$out" ] || [ "$(echo "$out"*)" = "$out" ] || { flaw "left: $(echo "$out"*)" &&
            rm -rf "$out".*; }
        strays=$(find "$out" -name '*.??????' | tr '\n' ' ')
        [ ! -d "$out" ] || [ -z "$strays" ] || flaw "left: $strays"
    done
}

cp "$ROBOTS/planar_2r.yaml" robot.yaml
printf 'robot: robot.yaml\nduration: 0.02\ncontroller: {type: pd, kp: 10, kd: 1}\n' >scenario.yaml
# The first row diverges, and its run is kept as far as it came.
printf 'robot: robot.yaml\nduration: 0.2\ncontroller: {type: pd, kp: 10, kd: 1, torque_limits: 1e300}\ninitial: {qd: 1}
integrator: {method: rk4, step: 0.01}\n' >diverges.yaml
printf 'run: diverges.yaml\nparameters: {controller.kd: [1e9, 1, 2]}\nkeep: all\n' >sweep.yaml
step_by_step simulated simulate scenario.yaml -o simulated --quiet
step_by_step planned plan "$examples/two_link_min_time/problem.yaml" -q -o planned
step_by_step swept sweep sweep.yaml -j 1 -q -o swept
step_by_step designed identify design robot.yaml --starts 1 --iterations 2 --period 2 -o designed
"$ARNE" compute inverse-dynamics robot.yaml --states designed/motion.csv -o torques.csv
cut -d, -f2- torques.csv | paste -d, designed/motion.csv - >log.csv
step_by_step fitted identify fit robot.yaml log.csv --friction none -o fitted
step_by_step generated generate robot.yaml --functions gravity -o generated
step_by_step page.html view robot.yaml -o page.html
step_by_step found.csv compute gravity robot.yaml --states log.csv -o found.csv

echo "killed $tried times before a step, $bad flaws"
[ $bad -eq 0 ]
