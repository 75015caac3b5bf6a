#!/bin/sh
# --order takes and gives everything in another order of joints; a free base stays first.
. "$(dirname "$0")/checks.inc"

cat >"$T/mixed.yaml" <<'YAML'
name: mixed
bodies:
  - {name: base}
  - {name: a, mass: 1, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}
  - {name: b, mass: 2, com: [0, 0.1, 0.2], inertia: [0.1, 0.2, 0.2]}
  - {name: c, mass: 3, com: [0, 0, 0.3], inertia: [0.3, 0.2, 0.2]}
  - {name: d, mass: 1, com: [0.1, 0, 0.3], inertia: [0.3, 0.2, 0.2]}
joints:
  - {name: ja, kind: revolute, parent: base, child: a, axis: [0, 1, 0], limits: {lower: -3, upper: 3}}
  - {name: jb, kind: ball, parent: a, child: b, origin: {xyz: [0.2, 0, 0.1]}}
  - {name: jc, kind: prismatic, parent: b, child: c, axis: [1, 0, 0], limits: {lower: -3, upper: 3}}
  - {name: jd, kind: continuous, parent: c, child: d, axis: [1, 0, 0], mimic: {joint: ja, ratio: 2, offset: 0.1}}
YAML
robot=$T/mixed.yaml

# ja, jb (4 numbers of q, 3 of qd), jc; then jc, ja, jb.
arne compute inverse-dynamics "$robot" --q 0.3,0.5,0.5,0.5,0.5,0.2 --qd 1,2,3,4,5 --qdd 5,4,3,2,1
exits 0
head -1 "$T/out" | grep -qx 'tau.ja,tau.jb.0,tau.jb.1,tau.jb.2,tau.jc' ||
    fail "header: $(head -1 "$T/out")"
plain=$(row 1 | awk '{print $5, $1, $2, $3, $4}')
arne compute inverse-dynamics "$robot" --order jc,ja,jb --q 0.2,0.3,0.5,0.5,0.5,0.5 --qd 5,1,2,3,4 \
    --qdd 1,5,4,3,2
exits 0
head -1 "$T/out" | grep -qx 'tau.jc,tau.ja,tau.jb.0,tau.jb.1,tau.jb.2' ||
    fail "header: $(head -1 "$T/out")"
near 1e-15 "$(row 1)" "$plain"

# Rows and columns of a matrix.
arne compute mass-matrix "$robot" --q 0.3,0.5,0.5,0.5,0.5,0.2
plain=$(row 1 |
    awk '{split("5 1 2 3 4", p, " "); for (i = 1; i <= 5; i++) for (j = 1; j <= 5; j++) printf "%s ", $(5 * (p[i] - 1) + p[j])}')
arne compute mass-matrix "$robot" --order jc,ja,jb --q 0.2,0.3,0.5,0.5,0.5,0.5
near 1e-15 "$(row 1)" "$plain"
head -1 "$T/out" | grep -q '^M.jc.jc,M.jc.ja,M.jc.jb.0' || fail "header: $(head -1 "$T/out")"

# Columns alone.
arne compute jacobian "$robot" --frame d --q 0.3,0.5,0.5,0.5,0.5,0.2
plain=$(row 1 |
    awk '{split("5 1 2 3 4", p, " "); for (i = 1; i <= 6; i++) for (j = 1; j <= 5; j++) printf "%s ", $(5 * (i - 1) + p[j])}')
arne compute jacobian "$robot" --order jc,ja,jb --frame d --q 0.2,0.3,0.5,0.5,0.5,0.5
near 1e-15 "$(row 1)" "$plain"

# The q of inverse kinematics.
arne compute pose "$robot" --q 0.3,0.5,0.5,0.5,0.5,0.2 --frame c
target=$(row 1 | awk '{print $1 "," $2 "," $3}')
arne compute inverse-kinematics "$robot" --order jc,ja,jb --frame c --position "$target" \
    --q 0.2,0.3,0.5,0.5,0.5,0.5
exits 0
head -1 "$T/out" | grep -qx 'q.jc,q.ja,q.jb.0,q.jb.1,q.jb.2,q.jb.3,error,status' ||
    fail "header: $(head -1 "$T/out")"
near 1e-9 "$(row 1 | awk '{print $1, $2, $3, $4, $5, $6}')" "0.2 0.3 0.5 0.5 0.5 0.5"

# A free base comes first, named or not.
base=0,0,1,0,0,0,1
arne compute gravity "$robot" --base free --q $base,0.3,0.5,0.5,0.5,0.5,0.2
exits 0
plain=$(row 1 | awk '{print $1, $2, $3, $4, $5, $6, $11, $7, $8, $9, $10}')
arne compute gravity "$robot" --base free --order jc,ja,jb --q $base,0.2,0.3,0.5,0.5,0.5,0.5
exits 0
near 1e-15 "$(row 1)" "$plain"

# CSV columns have names: the order does not matter to them, only to what is given.
{
    echo 'q.jc,q.jb.0,q.jb.1,q.jb.2,q.jb.3,q.ja'
    echo '0.2,0.5,0.5,0.5,0.5,0.3'
} >"$T/states.csv"
arne compute gravity "$robot" --states "$T/states.csv"
plain=$(row 1 | awk '{print $5, $1, $2, $3, $4}')
arne compute gravity "$robot" --order jc,ja,jb --states "$T/states.csv"
near 1e-15 "$(row 1)" "$plain"

# What is no order of this robot's joints.
arne compute gravity "$robot" --order ja,jb
fails 2 "joint 'jc' is missing"
arne compute gravity "$robot" --order ja,jb,jc,ja
fails 2 "'ja'"
arne compute gravity "$robot" --order ja,jb,jx
fails 2 "'jx'" "near matches"
arne compute gravity "$robot" --order ja,jb,jc,jd
fails 2 "'jd' follows 'ja'"

finish
