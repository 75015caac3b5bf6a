#!/bin/sh
# arne generate: files appear all at once or not at all, and what is wrong is told.
. "$(dirname "$0")/checks.inc"

arm=$ROBOTS/arm6.yaml

arne generate "$arm" --functions inverse-dynamics,forward-dynamics --count
exits 0
silent
prints "inverse-dynamics"
[ "$(wc -l <"$T/out")" -eq 3 ] || fail "not two counts"

arne generate "$arm" --functions gravity,jacobian --frame link6 -o "$T/dir"
exits 0
nothing
[ "$(ls -A "$T/dir" | tr '\n' ' ')" = "CMakeLists.txt arm6.c arm6.h arm6_selftest.c " ] ||
    fail "files: $(ls -A "$T/dir")"
grep -q 'void arm6_gravity(const double \*q, double \*tau)' "$T/dir/arm6.h" ||
    fail "no gravity in the header"
grep -q 'multiplications' "$T/dir/arm6.h" || fail "no counts in the header"
! grep -q 'stdio\|malloc' "$T/dir"/*.c || fail "the code needs more than it says"

# The same again replaces the files; another name stands beside them.
cp "$T/dir/arm6.c" "$T/before"
arne generate "$arm" --functions gravity,jacobian --frame link6 -o "$T/dir"
exits 0
cmp -s "$T/dir/arm6.c" "$T/before" || fail "the text is not the same again"
arne generate "$arm" --functions gravity --name other --precision float -o "$T/dir"
exits 0
grep -q 'void other_gravity(const float \*q, float \*tau)' "$T/dir/other.h" || fail "no float"

# Base parameters: the same torques by fewer operations; the self-test has the values of the robot
# itself.
puma=$ROBOTS/puma560.yaml
mul() { sed -n 's/^inverse-dynamics  *\([0-9]*\) .*/\1/p' "$T/out"; }
arne generate "$puma" --no-friction --no-rotor --functions inverse-dynamics --count
exits 0
all=$(mul)
arne generate "$puma" --no-friction --no-rotor --functions inverse-dynamics \
    --base-parameters --count -o "$T/puma"
exits 0
silent
[ "$(mul)" -lt "$all" ] || fail "base parameters take $(mul) multiplications, not fewer than $all"
grep -q 'base parameters' "$T/puma/puma560.h" || fail "the header does not tell of base parameters"
! grep -q 'base parameters' "$T/dir/arm6.h" || fail "the header tells of base parameters"
if command -v cc >/dev/null; then
    last="cc puma560"
    cc -std=c99 -Wall -Wextra -Wconversion -Werror "$T/puma"/*.c -lm -o "$T/selftest" 2>"$T/err" ||
        fail "does not compile"
    "$T/selftest" || fail "the self-test fails"
fi
# Four states at once, and a function that is cut into parts.
arne generate "$arm" --functions inverse-dynamics,forward-dynamics --lanes 4 --sincos polynomial \
    -o "$T/lanes"
exits 0
silent
arne generate "$ROBOTS/humanoid.yaml" --functions forward-dynamics -o "$T/parts"
exits 0
says "is split into parts"
grep -q 'static void .*_part1(' "$T/parts/humanoid.c" || fail "there are no parts"
if command -v cc >/dev/null; then
    for folder in lanes parts; do
        last="cc $folder"
        cc -Wall -Wextra -Wno-psabi "$T/$folder"/*.c -lm -o "$T/selftest" 2>"$T/err" ||
            fail "does not compile"
        "$T/selftest" || fail "the self-test fails"
    done
fi
arne generate "$arm" --functions jacobian-rate,centroidal-matrix,forward-dynamics-derivatives \
    --frame link6 --count
exits 0
prints "jacobian-rate"
prints "forward-dynamics-derivatives"

arne generate "$arm" --functions regressor -o "$T/Y"
exits 0
grep -q 'Y .*out, 504' "$T/Y/arm6.h" || fail "not 6 rows of 84 parameters"
grep -q '  0  link1.m,' "$T/Y/arm6.h" || fail "the columns have no names"
arne generate --help
exits 0
prints "--base-parameters"
prints "  regressor"

# What is wrong.
arne generate "$arm" --functions bias,joint-wrenches --base-parameters -o "$T/none"
fails 2 "joint-wrenches" "no meaning in base parameters"
arne generate "$arm" --functions regressor --base-parameters -o "$T/none"
fails 2 "regressor" "no meaning in base parameters"
arne generate "$arm" --functions gravty,bias -o "$T/none"
fails 2 "unknown function 'gravty'" "gravity"
arne generate "$arm" --functions "" -o "$T/none"
fails 2 "unknown function ''"
arne generate "$arm" --functions bias,bias -o "$T/none"
fails 2 "listed twice"
arne generate "$arm" --functions jacobian -o "$T/none"
fails 2 "needs a frame"
arne generate "$arm" --functions jacobian --frame link66 -o "$T/none"
fails 2 "link6"
arne generate "$arm" --functions bias --name 'a b' -o "$T/none"
fails 2 "'a b' is no prefix"
arne generate "$arm" --functions bias --base prescribed -o "$T/none"
fails 1 "prescribed"
arne generate "$arm" --functions bias
fails 2 "-o DIR"
arne generate "$arm" -o "$T/none"
fails 2 "--functions is missing"
arne generate "$T/nothing.urdf" --functions bias -o "$T/none"
fails 1 "nothing.urdf"
[ ! -e "$T/none" ] || fail "a folder was made"
arne generate "$arm" --functions bias -o "$T/no/such"
fails 1 "$T/no/such"
echo old >"$T/file"
arne generate "$arm" --functions bias -o "$T/file"
fails 1 "$T/file"
[ "$(cat "$T/file")" = old ] || fail "the file is gone"
mkdir -p "$T/taken/arm6.c"
arne generate "$arm" --functions bias -o "$T/taken"
fails 1 "$T/taken"
[ "$(ls -A "$T/taken")" = arm6.c ] || fail "left behind: $(ls -A "$T/taken")"

# A robot without joints, and a name that tries to be code.
cat >"$T/evil.yaml" <<'YAML'
name: "x */ int boom; /* #include \"/etc/passwd\"\\"
bodies: [{name: base}, {name: "a*/", mass: 1, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}]
joints: [{name: "j\\", kind: continuous, parent: base, child: "a*/", axis: [0, 1, 0]}]
YAML
arne generate "$T/evil.yaml" --functions pose,gravity -o "$T/evil"
exits 0
! grep -n 'passwd"\|\*/\|\\' "$T/evil"/* || fail "code got in"
printf 'name: rock\nbodies: [{name: base}]\n' >"$T/rock.yaml"
arne generate "$T/rock.yaml" --functions pose,inverse-dynamics,mass-matrix,forward-dynamics \
    -o "$T/rock"
exits 0
for name in evil rock; do
    command -v cc >/dev/null || break
    last="cc $name"
    cc -std=c99 -Wall -Wextra -Wconversion -Werror "$T/$name"/*.c -lm -o "$T/selftest" 2>"$T/err" ||
        fail "does not compile"
    "$T/selftest" || fail "the self-test fails"
done

# Nothing to move behind a joint: what has no inverse cannot be generated, and the joint is named.
cat >"$T/massless.yaml" <<'YAML'
name: massless
bodies:
  - {name: base}
  - {name: a, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  - {name: b, accept: [inertia]}
joints:
  - {name: one, kind: continuous, parent: base, child: a, axis: [0, 0, 1]}
  - {name: two, kind: continuous, parent: a, child: b, axis: [0, 0, 1], origin: {xyz: [1, 0, 0]}}
YAML
arne generate "$T/massless.yaml" --functions forward-dynamics -o "$T/massless"
exits 1
says "the mass matrix is singular: joint 'two' has no inertia to move"
[ ! -e "$T/massless" ] || fail "something was written"
arne generate "$T/massless.yaml" --functions inverse-dynamics,mass-matrix -o "$T/massless"
exits 0

# What somebody wrote is not replaced; what was generated is.
mkdir "$T/project" && echo 'project(mine C)' >"$T/project/CMakeLists.txt"
arne generate "$arm" --functions gravity -o "$T/project"
fails 1 "project/CMakeLists.txt: cannot be written: it was not generated"
[ "$(ls -A "$T/project")" = CMakeLists.txt ] && grep -q mine "$T/project/CMakeLists.txt" ||
    fail "a file was replaced"
rm "$T/project/CMakeLists.txt"
for functions in gravity gravity,bias; do
    arne generate "$arm" --functions $functions -o "$T/project"
    exits 0
done
grep -q arm6_bias "$T/project/arm6.c" || fail "old code is left"
ln -sf ../massless.yaml "$T/project/arm6.h"
arne generate "$arm" --functions gravity -o "$T/project"
fails 1 "project/arm6.h"

# The polynomial sine counts on rounding: compilers that reorder arithmetic are told, not trusted.
arne generate "$arm" --functions pose --sincos polynomial -o "$T/polynomial"
exits 0
if command -v cc >/dev/null; then
    last="cc -ffast-math"
    ! cc -std=c99 -O2 -ffast-math -c "$T/polynomial/arm6.c" -o "$T/fast.o" 2>"$T/err" ||
        fail "it compiles"
    says "not with -ffast-math"
    arne generate "$arm" --functions pose -o "$T/libm"
    cc -std=c99 -O2 -ffast-math -c "$T/libm/arm6.c" -o "$T/fast.o" 2>"$T/err" ||
        fail "libm's does not compile"
fi

# An FMU: into a folder under the robot's name, or to a file. What is not ours is not replaced.
arne generate "$arm" --for fmi -o "$T/fmus"
exits 0
silent
prints "$T/fmus/arm6.fmu"
head -c 2000 "$T/fmus/arm6.fmu" | grep -aq 'fmiVersion="3.0" modelName="arm6"' ||
    fail "no description at the beginning"
cp "$T/fmus/arm6.fmu" "$T/before"
arne generate "$arm" --for fmi -o "$T/fmus" --quiet
exits 0
nothing
cmp -s "$T/fmus/arm6.fmu" "$T/before" || fail "the FMU is not the same again"
arne generate "$ROBOTS/../examples/quadruped_push/scenario.yaml" --for fmi --fmi 2 -o "$T/fmus"
exits 0
head -c 2000 "$T/fmus/quadruped_push.fmu" | grep -aq 'fmiVersion="2.0"' || fail "not of FMI 2.0"
echo mine >"$T/mine.fmu"
arne generate "$arm" --for fmi -o "$T/mine.fmu"
fails 1 "was not generated"
[ "$(cat "$T/mine.fmu")" = mine ] || fail "a file of somebody else's is gone"
arne generate "$arm" --for fmi
fails 2 "give -o"
arne generate "$arm" --for fmi -o "$T/fmus" --functions gravity
fails 2 "takes none of"
arne generate "$arm" --functions gravity --fmi 2 -o "$T/fmus"
fails 2 "goes with --for fmi"
arne generate "$arm" --for fmi -o "$T/fmus" --name "1 2"
fails 2 "cannot be the name"
arne generate "$arm" --for fmi -o "$T/nowhere/fmus"
fails 1 "cannot be made"

finish
