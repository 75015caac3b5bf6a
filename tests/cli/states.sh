#!/bin/sh
# States from a CSV file: one result per row, the same as one by one; errors name file and line.
. "$(dirname "$0")/checks.inc"

robot=$ROBOTS/planar_2r.yaml
names=$("$ARNE" info "$robot" --json | sed -n 's/^ "q": \["\([^"]*\)", "\([^"]*\)"\],*$/\1 \2/p')
a=${names% *} b=${names#* }
csv=$T/states.csv

# bad LINE TEXT...: the file as it stands is refused.
bad() {
    line=$1
    shift
    arne compute inverse-dynamics "$robot" --states "$csv" -o "$T/never"
    fails 1 "arne: $csv:$line: " "$@"
    [ ! -e "$T/never" ] || fail "a file was written"
}

# Units, blanks, a byte order mark, DOS line ends, comments, empty lines, quotes, and a column for
# the time.
printf '\357\273\277t [s],qd.%s [rad/s], q.%s [rad] ,"q.%s",qd.%s,qdd.%s,qdd.%s\r\n# rest\r\n0,0,0,0,0,0,0\r\n\r\n0.5,3,pi/2,"30 deg",4,5,6\r\n' \
    "$a" "$a" "$b" "$b" "$a" "$b" >"$csv"
arne compute inverse-dynamics "$robot" --states "$csv"
exits 0
silent
[ "$(wc -l <"$T/out")" -eq 3 ] || fail "not one row per state"
second=$(row 2)
arne compute inverse-dynamics "$robot" --states "$csv" --json
[ "$(grep -c '"tau"' "$T/out")" -eq 2 ] || fail "not one object per state"
arne compute inverse-dynamics "$robot" --q pi/2,pi/6 --qd 3,4 --qdd 5,6
near 1e-15 "$second" "0.5 $(row 1)"

# What is given can be taken: accelerations of forward dynamics, with their names.
arne compute forward-dynamics "$robot" --tau 1,2
exits 0
head -1 "$T/out" | grep -qx "qdd.$a,qdd.$b" || fail "header: $(head -1 "$T/out")"

printf 'q.%s,q.%s,qd.%s,qdd.%s,qdd.%s\n0,0,0,0,0\n' "$a" "$b" "$a" "$a" "$b" >"$csv"
bad 1 "column 'qd.$b' is missing" "inverse-dynamics"
arne compute gravity "$robot" --states "$csv"
exits 0

header="q.$a,q.$b,qd.$a,qd.$b,qdd.$a,qdd.$b"
printf '%s\n0,0,0,0,0,0\n0,0,0,0,0\n' "$header" >"$csv"
bad 3 "the header has 6 columns, this row has 5"
printf '%s\n0,0,0,0,0,0,0\n' "$header" >"$csv"
bad 2 "the header has 6 columns, this row has 7"
printf '%s\n0,0,0,zero,0,0\n' "$header" >"$csv"
bad 2 "column 4" "'zero'"
printf '%s\n0,0,0,0,0,nan\n' "$header" >"$csv"
bad 2 "column 6" "'nan' is not a finite number"
printf '%s\n0,0,0,0,0,1e999\n' "$header" >"$csv"
bad 2 "column 6"
printf '%s\n0,0,,0,0,0\n' "$header" >"$csv"
bad 2 "column 3"
printf '%s,q.%s\n0,0,0,0,0,0,0\n' "$header" "$a" >"$csv"
bad 1 "column 'q.$a' is there twice"
printf '%s,q.%sx\n0,0,0,0,0,0,0\n' "$header" "$a" >"$csv"
bad 1 "'q.${a}x' names no joint" "near matches: $a"
printf '%s\n' "$header" >"$csv"
bad 1 "no state"
: >"$csv"
bad 1 "no header"
printf '%s\n0,0,0,\0000,0,0\n' "$header" >"$csv"
bad 2 "not text"

# A column of another kind is not used, and that is said.
printf '%s,temperature\n0,0,0,0,0,0,warm\n' "$header" >"$csv"
arne compute inverse-dynamics "$robot" --states "$csv"
exits 0
says "column 'temperature' is not used"

arne compute gravity "$robot" --states "$T/none.csv"
fails 1 "$T/none.csv"
arne compute gravity "$robot" --states "$T"
fails 1 "$T"
arne compute gravity "$robot" --states "$csv" --q 0,0
fails 2 "--q and --states"

# Quaternions must have unit length here too.
cat >"$T/ball.yaml" <<'YAML'
name: ball
bodies: [{name: base}, {name: a, mass: 1, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}]
joints: [{name: j, kind: ball, parent: base, child: a}]
YAML
printf 'q.j.0,q.j.1,q.j.2,q.j.3\n0,0,0,1\n0,0,0,1.001\n' >"$csv"
arne compute gravity "$T/ball.yaml" --states "$csv"
fails 1 "$csv:3: " "quaternion"

# --- units, separators, plain names
# ------------------------------------------------------------------

# The same motion in radians and in degrees, with semicolons, decimal commas and plain names.
arm="$ROBOTS/arm6.yaml"
head='q.joint1,q.joint2,q.joint3,q.joint4,q.joint5,q.joint6'
printf '%s\n0,1.5707963267948966,0.5,0,0,0\n' "$head" >"$csv"
arne compute gravity "$arm" --states "$csv"
exits 0
cp "$T/out" "$T/radians"
printf 'time [ms];joint1;joint2 [deg];joint3;joint4;joint5;joint6\n7;0;90;0,5;0;0;0\n' >"$csv"
arne compute gravity "$arm" --states "$csv"
exits 0
head -1 "$T/out" | grep -q '^time,' || fail "the time is lost"
cut -d, -f2- "$T/out" | cmp -s - "$T/radians" || fail "degrees are not converted"
printf 'joint1\tjoint2 [deg]\tjoint3\tjoint4\tjoint5\tjoint6\n0\t90\t0.5\t0\t0\t0\n' >"$csv"
# A robot, too, may come from the standard input, and is read more than once.
for file in "$ROBOTS/arm6.yaml" "$ROBOTS/arm7.urdf"; do
    last="arne check -"
    "$ARNE" check - <"$file" >"$T/out" 2>"$T/err" || fail "the robot is not read"
    prints "-: ok ("
    "$ARNE" convert - -o "$T/piped.yaml" <"$file" 2>"$T/err" || fail "convert does not read it"
    "$ARNE" convert "$file" -o "$T/plain.yaml" 2>"$T/err" || fail "convert does not read the file"
    grep -v '^#' "$T/piped.yaml" >"$T/piped" && grep -v '^#' "$T/plain.yaml" >"$T/plain"
    cmp "$T/piped" "$T/plain" || fail "the robot from the standard input is another one"
done
last="arne check - (broken)"
echo '<robot' | "$ARNE" check - >"$T/out" 2>"$T/err" && fail "a broken robot is taken"
says "arne: -:1"

last="arne compute gravity --states -"
"$ARNE" compute gravity "$arm" --states - <"$csv" >"$T/out" 2>"$T/err" ||
    fail "the standard input is not read"
cmp -s "$T/out" "$T/radians" || fail "tabs are not recognised"

printf '%s\n0,1,0,0,0,0\n' "$(echo "$head" | sed 's/joint2/joint2 [A]/')" >"$csv"
arne compute gravity "$arm" --states "$csv"
fails 1 "$csv:1: " "'q.joint2' has the unit 'A'" "rad"

printf '%s\n0,90,0,0,0,0\n0,91,0,0,0,0\n' "$head" >"$csv"
arne compute gravity "$arm" --states "$csv"
fails 1 "$csv:2: " "q.joint2 [deg]"
[ "$(grep -c degrees "$T/err")" -eq 1 ] || fail "the question about degrees is asked more than once"

finish
