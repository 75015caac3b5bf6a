#!/bin/sh
# -o writes all or nothing; numbers survive the trip; a full disk is a failure.
. "$(dirname "$0")/checks.inc"

arm=$ROBOTS/arm6.yaml
mkdir "$T/dir"

arne compute gravity "$arm" --json
cp "$T/out" "$T/wanted"
arne compute gravity "$arm" --json -o "$T/dir/result.json"
exits 0
nothing
cmp -s "$T/dir/result.json" "$T/wanted" || fail "the file is not what is printed"
for option in --output --out; do # one option by two names, for every verb
    arne compute gravity "$arm" --json $option="$T/dir/result.json"
    exits 0
done

# What was there stays where the run fails, and no temporary file is left.
echo old >"$T/dir/result.json"
arne compute gravity "$arm" --q 1,2 -o "$T/dir/result.json"
exits 1
arne compute graviti "$arm" -o "$T/dir/result.json"
exits 2
[ "$(cat "$T/dir/result.json")" = old ] || fail "the old file is gone"
arne compute gravity "$arm" --q 1,2 -o "$T/dir/new.json"
exits 1
[ "$(ls "$T/dir")" = result.json ] || fail "left behind: $(ls "$T/dir")"

# A failure half-way through the states leaves nothing either.
printf 'q.j\n0\nx\n' >"$T/states.csv"
cat >"$T/one.yaml" <<'YAML'
name: one
bodies: [{name: base}, {name: a, mass: 1, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}]
joints: [{name: j, kind: revolute, parent: base, child: a, axis: [0, 1, 0], limits: {lower: -9, upper: 9}}]
YAML
arne compute gravity "$T/one.yaml" --states "$T/states.csv"
fails 1 "$T/states.csv:3:"

# A link is followed, a mode is kept.
ln -s result.json "$T/dir/link.json"
chmod 600 "$T/dir/result.json"
arne compute gravity "$arm" --json -o "$T/dir/link.json"
exits 0
[ -L "$T/dir/link.json" ] || fail "the link was replaced"
cmp -s "$T/dir/result.json" "$T/wanted" || fail "the link was not followed"
case $(ls -l "$T/dir/result.json") in -rw-------*) ;; *) fail "the mode was not kept" ;; esac

# A link that leads nowhere stays what it is.
ln -s nowhere "$T/dir/dangling"
for verb in "compute gravity" info view; do
    # shellcheck disable=SC2086 # words
    arne $verb "$arm" -o "$T/dir/dangling"
    fails 1 "dangling: cannot be written"
    [ -L "$T/dir/dangling" ] && [ ! -e "$T/dir/nowhere" ] || fail "the link is gone"
done

# A file that the command itself reads is not replaced, by whatever path it is named.
cp "$arm" "$T/dir/own.yaml" && ln -s own.yaml "$T/dir/same.yaml" &&
    ln "$T/dir/own.yaml" "$T/dir/hard.yaml"
printf 'q.joint1\n0\n' >"$T/dir/rows.csv"
for verb in "compute gravity" info convert view check bench; do
    for name in own same hard; do
        # shellcheck disable=SC2086 # words
        arne $verb "$T/dir/own.yaml" -o "$T/dir/../dir/$name.yaml"
        fails 2 "$name.yaml: this file is read by the same command"
    done
done
arne compute gravity "$arm" --states "$T/dir/rows.csv" -o "$T/dir/rows.csv"
fails 2 "rows.csv: this file is read by the same command"
cp "$HERE/../../examples/two_link_min_time/problem.yaml" "$T/dir/problem.yaml"
arne plan "$T/dir/problem.yaml" --log "$T/dir/problem.yaml"
fails 2 "--log" "problem.yaml: this file is read by the same command"
cmp -s "$arm" "$T/dir/own.yaml" && [ "$(cat "$T/dir/rows.csv")" = "$(printf 'q.joint1\n0')" ] ||
    fail "an input was replaced"

# A page of the user's is not the index of the examples.
mkdir "$T/demo" && echo mine >"$T/demo/index.html"
arne demo --examples "$HERE/../../examples" --out "$T/demo"
fails 1 "demo/index.html: is no index of examples"
[ "$(cat "$T/demo/index.html")" = mine ] && [ "$(ls "$T/demo")" = index.html ] ||
    fail "the page is gone"

arne compute gravity "$arm" -o "$T/none/result.json"
fails 1 "$T/none/result.json: cannot be written"
arne compute gravity "$arm" -o /dev/null
exits 0
if [ -w /dev/full ]; then
    last="arne compute gravity >/dev/full"
    "$ARNE" compute gravity "$arm" >/dev/full 2>"$T/err"
    status=$?
    exits 1
fi

# A target out of reach: the best effort is given, and the exit status tells.
arne compute inverse-kinematics "$arm" --frame link6 --position 50,0,0 --json
exits 1
prints '"status": "not converged"'
prints '"error": '

# 17 significant digits bring back the same numbers.
arne compute gravity "$T/one.yaml" --q 0.1
one=$(row 1)
arne compute forward-dynamics "$T/one.yaml" --q 0.1 --tau "$one"
near 1e-15 "$(row 1)" "0"
arne compute pose "$T/one.yaml" --q 0.10000000000000001 --frame a
a=$(row 1)
arne compute pose "$T/one.yaml" --q 0.1 --frame a
[ "$a" = "$(row 1)" ] || fail "numbers are not read exactly"

finish
