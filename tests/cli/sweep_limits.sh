#!/bin/sh
# Sweeps where memory, threads or numbers are short: they end, with a table or with a message, and
# never in a loop or by a signal.
. "$(dirname "$0")/checks.inc"
. "$(dirname "$0")/sweep.inc"
scenario 0.05
cat >s.yaml <<'END'
run: scenario.yaml
parameters: {controller.kp: [100, 200, 400, 800]}
figures: {peak: {column: tau.joint2, reduce: max}}
END
arne sweep s.yaml -o ref -j 2
exits 0

# No room for the stack of a thread.
last="no threads"
(
    ulimit -v 2000000 -s 1900000 2>/dev/null || { ulimit -v 2000000 && ulimit -s 1900000; }
    timeout 60 "$ARNE" sweep s.yaml -o threads -j 2 -q
) >"$T/out" 2>"$T/err"
status=$?
exits 0
cmp -s threads/table.csv ref/table.csv || fail "not the same table"

# Less and less memory.
for room in 200000 100000 70000 60000 50000 40000 35000 30000 27000 25000 22000 20000; do
    last="$room kB"
    rm -rf short short.incomplete
    (ulimit -v $room && timeout 60 "$ARNE" sweep s.yaml -o short -j 1 -q) >"$T/out" 2>"$T/err"
    status=$?
    case $status in
    0) cmp -s short/table.csv ref/table.csv || fail "not the same table" ;;
    1 | 127) ;; # 127: it cannot even be loaded
    *) fail "exit status $status" ;;
    esac
done

# Figures whose range is larger than any number.
cat >large.yaml <<'END'
run: {compute: gravity, robot: arm.yaml, q: [0, 0]}
parameters: {robot.bodies.link2.mass: [1, 1.7e308, 1e308, 1e-308]}
END
printf 'run: {compute: nothing}\nparameters: {x: [-1.7e308, 1.7e308, 0, 1e308, -1e308]}\nsamples: 5\n' >range.yaml
for file in large range; do
    arne sweep $file.yaml -o $file -q
    [ "$status" -le 1 ] || fail "exit status $status"
done

# A figure may be called anything, also what HDF5 takes for a group or has already.
cat >names.yaml <<'END'
run: scenario.yaml
parameters: {controller.kp: [100, 200]}
figures: {".": {column: tau.joint2, reduce: max}, a/b: {column: tau.joint1, reduce: max}, a|b: {column: q.joint1, reduce: max},
          "/": summary.rms_error, "..": summary.time}
END
arne sweep names.yaml -o names -q
exits 0
silent
if [ -e ref/table.h5 ] && python3 -c 'import h5py' 2>/dev/null; then
    python3 - >"$T/out" 2>"$T/err" <<'END' || fail "the names are not in table.h5"
import h5py
names = {h5py.File("names/table.h5")[k].attrs["name"] for k in h5py.File("names/table.h5")}
names = {n.decode() if isinstance(n, bytes) else n for n in names}
assert {".", "a/b", "a|b", "/", "..", "row", "status", "controller.kp"} == names, names
END
fi

# Failed rows are tried again only where somebody asks for it.
arne sweep s.yaml -o ref --retry
fails 2 "--retry needs --resume"
arne sweep s.yaml -o ref --resume --retry
exits 0
prints "4 rows were done before"
finish
