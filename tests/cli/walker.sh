#!/bin/sh
# Walking knows joints and frames by the section `walker` alone: a person whose links, joints and
# frames all have other names walks as before. What that section gets wrong is said with its line,
# all at once.
. "$(dirname "$0")/checks.inc"

gait=$HERE/../../examples/gait
mkdir "$T/as_it_is" "$T/renamed"
cp "$ROBOTS/human.yaml" "$T/as_it_is/human.yaml"
for problem in problem thesis; do
    sed 's|^robot: .*|robot: human.yaml|; s|iterations: [0-9]*|iterations: 1|' \
        "$gait/$problem.yaml" >"$T/as_it_is/$problem.yaml"
done
sed -n 's/^  - {name: \([A-Za-z0-9_]*\).*/\1/p' "$T/as_it_is/human.yaml" |
    awk '{print "s/\\<" $1 "\\>/name_" NR "/g"}' >"$T/names.sed"
[ "$(wc -l <"$T/names.sed")" -gt 130 ] || fail "too few names"
for file in human problem thesis; do
    sed -f "$T/names.sed" "$T/as_it_is/$file.yaml" >"$T/renamed/$file.yaml"
done
grep -q 'R_\|L_\|GTx\|head_top\|thorax' "$T/renamed/human.yaml" && fail "an old name is left"

# move PERSON PROBLEM: the tables of one iteration. The search is not at its end, so the folder is
# an incomplete one.
move() {
    arne plan "$T/$1/$2.yaml" -q --out "$T/$1/run_$2"
    if grep -q 'planning needs Ipopt' "$T/err"; then
        echo "skipped: $(cat "$T/err")"
        exit 0
    fi
    for table in result stride; do
        sed 1d "$T/$1/run_$2.incomplete/$table.csv" >"$T/$1/$table.$2"
    done
}
# same PROBLEM OTHER: the renamed person moves by PROBLEM as the first one did by OTHER.
same() {
    move renamed "$1"
    for table in result stride; do
        [ -s "$T/renamed/$table.$1" ] || fail "$table.csv of $1 is empty"
        cmp "$T/as_it_is/$table.$2" "$T/renamed/$table.$1" || fail "$table.csv of $1 differs"
    done
}

for person in as_it_is renamed; do
    sed 's/^gait:/gait:\n  height: 1.6\n  backpack: 10/' "$T/$person/problem.yaml" \
        >"$T/$person/loaded.yaml"
done
move as_it_is problem
move as_it_is loaded
same loaded loaded
cmp -s "$T/as_it_is/result.problem" "$T/as_it_is/result.loaded" &&
    fail "height and backpack change nothing"

# The thesis's problem has the same walker, and more of its own.
if [ -n "${ARNE_LONG:-}" ]; then
    move as_it_is thesis
    same thesis thesis
fi

# Mistakes: all of them, each with its line. First what any robot can get wrong, then names that
# this one does not have.
has_lines() {
    arne plan "$T/bad_problem.yaml"
    exits 1
    for text; do
        says "$text"
        grep -F -- "$text" "$T/err" | grep -q 'bad\.yaml:2[45][0-9]' || fail "no line of '$text'"
    done
}
printf 'robot: bad.yaml\ngait: {speed: 1.2}\n' >"$T/bad_problem.yaml"
sed 's/\[R_wr_dev, L_wr_dev\]/[R_wr_dev]/; s/L_knee_flex: \[0.5, 0.3\]/L_knee_flex: [0.5]/
     s/hip_rotation: R_hip_irot/hip_turn: R_hip_irot/' "$T/as_it_is/human.yaml" >"$T/bad.yaml"
has_lines "needs pairs of a right and a left joint, not 1" "guess needs 2 numbers, has 1" \
    "unknown key 'hip_turn'"
sed 's/heel: L_heel/heel: L_heal/; s/top: head_top/top: head_bottom/; s/{R_hip_flex: \[/{R_hip_flexion: [/' \
    "$T/as_it_is/human.yaml" >"$T/bad.yaml"
has_lines "'L_heal' is no link or frame of robot 'human'" "'head_bottom' is no link or frame" \
    "'R_hip_flexion' is no joint of robot 'human'"

# What a robot file or its problem file must say.
sed 's/, \[R_toe_ext, L_toe_ext\]//' "$T/as_it_is/human.yaml" >"$T/bad.yaml"
arne plan "$T/bad_problem.yaml"
fails 1 "joint 'R_toe_ext' is 0.0795 m beside the middle of the body, but in no pair of the walker"
sed '/^walker:/,$d' "$T/as_it_is/human.yaml" >"$T/bad.yaml"
arne plan "$T/bad_problem.yaml"
fails 1 "bad_problem.yaml:2" "robot 'human' has no section 'walker'"
printf 'robot: bad.yaml\ngait:\n  walker: {right: {heel: R_heel}}\n' >"$T/bad_problem.yaml"
arne plan "$T/bad_problem.yaml"
fails 1 "the walker of robot 'human' has no right ball_in"

# The problem file may say all of it instead.
sed '/^walker:/,$d' "$T/as_it_is/human.yaml" >"$T/renamed/human.yaml"
awk -v human="$T/as_it_is/human.yaml" \
    '{print} /^gait:/ {while ((getline line < human) > 0) if (on || line ~ /^walker:/) {on = 1; print "  " line}}' \
    "$T/as_it_is/problem.yaml" >"$T/renamed/own.yaml"
same own problem
finish
