#!/bin/sh
# Wrenches and payloads from the command line.
. "$(dirname "$0")/checks.inc"

arm=$ROBOTS/arm6.yaml
q=0.1,-0.7,0.9,0.4,-0.5,0.6
link=$("$ARNE" info "$arm" --json | sed -n '/"links"/,/"frames"/p' |
    sed -n 's/.*"name": "\([^"]*\)".*/\1/p' | tail -1)
subtract() { printf '%s\n%s\n' "$1" "$2" |
    awk 'NR == 1 {n = split($0, a, " ")} NR == 2 {split($0, b, " ")} END {for (i = 1; i <= n; i++) printf "%.17g ", a[i] - b[i]}'; }

arne compute gravity "$arm" --q $q
gravity=$(row 1)

# A wrench f on a link changes tau by -J^T f, J in the link's own axes.
arne compute jacobian "$arm" --q $q --frame "$link" --axes body
wanted=$(row 1 |
    awk '{split("1 -2 3 0.4 0.5 -0.6", f, " "); for (j = 1; j <= 6; j++) {s = 0; for (i = 1; i <= 6; i++) s -= $(6 * (i - 1) + j) * f[i]; printf "%.17g ", s}}')
arne compute inverse-dynamics "$arm" --q $q --wrench "$link=1,-2,3,0.4,0.5,-0.6"
exits 0
near 1e-12 "$(subtract "$(row 1)" "$gravity")" "$wanted"

# Wrenches on one link add up; bias and forward dynamics heed them too.
arne compute bias "$arm" --q $q --wrench "$link=1,0,3,0.4,0,-0.6" --wrench "$link=0,-2,0,0,0.5,0"
near 1e-12 "$(subtract "$(row 1)" "$gravity")" "$wanted"
tau=$(row 1 | tr ' ' ',')
arne compute forward-dynamics "$arm" --q $q --tau "$tau" --wrench "$link=1,-2,3,0.4,0.5,-0.6"
near 1e-9 "$(row 1)" "0 0 0 0 0 0"

# A payload is weight on the link: the same as a wrench of m g, turned into the link's axes.
arne compute pose "$arm" --q $q --frame "$link"
weight=$(row 1 |
    awk '{m = 2.5; g = -9.81; printf "%.17g,%.17g,%.17g,0,0,0", $10 * m * g, $11 * m * g, $12 * m * g}')
arne compute bias "$arm" --q $q --wrench "$link=$weight"
by_wrench=$(row 1)
arne compute gravity "$arm" --q $q --payload "$link=2.5,0,0,0"
exits 0
near 1e-12 "$(row 1)" "$by_wrench"

# Its inertia counts, and the mass.
arne compute com "$arm"
before=$(row 1 | awk '{print $1}')
arne compute com "$arm" --payload "$link=2.5,0,0,0.1,0.01,0.01,0.01" --payload "$link=1.5,0,0,0"
near 1e-12 "$(subtract "$(row 1 | awk '{print $1}')" "$before")" "4"
arne compute mass-matrix "$arm" --q $q --payload "$link=2.5,0,0,0.1"
light=$(row 1)
arne compute mass-matrix "$arm" --q $q --payload "$link=2.5,0,0,0.1,0.2,0.3,0.4,0.01,0.02,0.03"
exits 0
[ "$(row 1)" != "$light" ] || fail "the payload's inertia has no effect"

# What is wrong with a load.
arne compute bias "$arm" --wrench "$link=1,2,3"
fails 1 "--wrench" "6 values are needed, 3 are given"
arne compute bias "$arm" --wrench "$link"
fails 2 "--wrench" "'='"
arne compute bias "$arm" --wrench "nowhere=1,2,3,4,5,6"
fails 2 "--wrench" "'nowhere'"
arne compute bias "$arm" --wrench "$link=1,2,3,4,5,x"
fails 2 "'x' is not a number"
arne compute bias "$arm" --wrench "$link=1,2,3,4,5,inf"
fails 1 "'inf' is not a finite number"
arne compute bias "$arm" --payload "$link=1,0,0"
fails 1 "--payload" "3 values"
arne compute bias "$arm" --payload "$link=-1,0,0,0"
fails 1 "mass"

# An option without effect is said to be so, and is an error with --strict.
arne compute mass-matrix "$arm" --wrench "$link=1,2,3,4,5,6"
exits 0
says "warning: --wrench has no effect on mass-matrix"
arne compute mass-matrix "$arm" --strict --wrench "$link=1,2,3,4,5,6"
fails 2 "--wrench has no effect"

finish
