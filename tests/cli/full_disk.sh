#!/bin/sh
# No room for a result, as on a full disk: exit 1, one message, and what was there before stays. A
# limit on the size of files fails in the same places, and needs no disk of its own.
. "$(dirname "$0")/checks.inc"
cd "$T" || exit 1

cp "$ROBOTS/planar_2r.yaml" arm.yaml
cat >s.yaml <<'END'
robot: arm.yaml
duration: 0.1
controller: {type: pd, kp: 10, kd: 1}
integrator: {method: rk4, step: 0.001}
END
printf 'run: s.yaml\nparameters: {controller.kp: [1, 2]}\nkeep: all\n' >sweep.yaml
examples=$HERE/../../examples

# What a command could change. (Rows of a sweep that are done are kept for --resume.)
state() { find . -name '*.incomplete' -prune -o -type f ! -name out ! -name err ! -name before \
    -exec cksum {} + | LC_ALL=C sort -k 3; }

# no_room WORDS...: once with room, then without.
no_room() {
    rm -rf ./*.incomplete
    arne "$@"
    if grep -q 'has no solver\|libarne_ipopt' err; then return; fi
    exits 0
    state >before
    last="arne $* without room"
    # shellcheck disable=SC3045 # not POSIX, but every shell has it
    (ulimit -f 3 && exec "$ARNE" "$@" >out 2>err)
    status=$?
    sed -i '/^profiling:/d' err # of gcov, which has no room either
    exits 1
    says "cannot be written: File too large"
    [ "$(wc -l <err)" -eq 1 ] || fail "not one message"
    state | cmp -s - before || fail "files have changed: $(state | diff before - | head -3)"
}

no_room simulate s.yaml --quiet -o run
no_room plan "$examples/two_link_min_time/problem.yaml" -q -o plan
no_room sweep sweep.yaml -q -j 2 -o swept
no_room identify design arm.yaml --starts 1 --iterations 2 --period 2 -o designed
no_room compute second-derivatives "$ROBOTS/puma560.yaml" --q 0,1,0,1,0,1 --qd 0,0,0,0,0,0 \
    --qdd 0,0,0,0,0,0 -o o.csv
no_room convert "$ROBOTS/scara.yaml" --quiet -o robot.urdf
no_room generate "$ROBOTS/puma560.yaml" --functions inverse-dynamics -o generated
no_room view arm.yaml -o view.html

finish
