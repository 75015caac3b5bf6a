#!/bin/sh
# A quadruped keeps its feet under a push, and walks: test.sh - ARNE ROBOTS
example=$2
here=$(dirname "$0")
. "$here/../testing.sh"

# height FILE: the least height of the body; way FILE COLUMN: the last entry.
height() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^q.base.2/) c = i; least = 9; next }
        $c < least { least = $c } END { print least }' "$1"
}
way() {
    awk -F, -v column="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if (index($i, column) == 1) c = i }
        END { print $c }' "$1"
}

mkdir "$T/short"
cp "$here"/*.csv "$T/short"
robot=$(cd "$3" && pwd)/quadruped.yaml
sed "s|^robot:.*|robot: $robot|" "$here/forward.yaml" >"$T/short/forward.yaml"
sed "s|^robot:.*|robot: $robot|; s/^duration:.*/duration: 0.42 s/" "$here/walk.yaml" \
    >"$T/short/walk.yaml"
runs simulate "$T/short/walk.yaml" --quiet --out "$T/run"
far=$(way "$T/run/result.csv" q.base.0)
low=$(height "$T/run/result.csv")
echo "forward: $far m in 0.42 s, height at least $low m"
awk "BEGIN { exit !($far > 0.17 && $far < 0.23 && $low > 0.29) }" || fail "it does not walk"
[ -n "${ARNE_LONG:-}" ] || exit 0 # half a minute

runs simulate "$here/walk.yaml" --quiet --out "$T/walk"
far=$(way "$T/walk/result.csv" q.base.0)
awk "BEGIN { exit !($far > 0.95 && $far < 1.05) }" || fail "not 0.5 m/s: $far m in 2 s"
for push in "0, 60" "0, -60" "60, 0" "-60, 0"; do
    sed "s|^robot:.*|robot: $robot|; s/force: \[0, 60,/force: [$push,/" "$here/pushed.yaml" \
        >"$T/short/pushed.yaml"
    sed "s|^robot:.*|robot: $robot|" "$here/in_place.yaml" >"$T/short/in_place.yaml"
    runs simulate "$T/short/pushed.yaml" --quiet --out "$T/pushed"
    low=$(height "$T/pushed/result.csv")
    echo "pushed by $push: height at least $low m"
    awk "BEGIN { exit !($low > 0.28) }" || fail "it falls under a push of $push"
done
