#!/bin/sh
# Derivatives, jerks and torque rates are the slopes of what the program gives elsewhere, and bad
# input is refused.
. "$(dirname "$0")/checks.inc"

robot=$ROBOTS/stanford.yaml
load="--wrench link6=3,-2,5,0.4,0.5,-0.6 --wrench link4=1,1,0,0,0,0.3"
q=0.3,-0.7,0.9,0.4,-0.5,0.6 qd=1,-0.5,0.3,0.2,0.1,-1 qdd=0.5,1,-1,2,0.2,1 qddd=-1,2,0.5,3,-2,1 \
    tau=1,2,3,1,0.5,0.1

# around "q qd qdd": a CSV file of the state, each number of these parts a little more and a little
# less in turn.
around() {
    echo "$q $qd $qdd $tau" | awk -v parts="$1" -v h=1e-5 '{
        value["q"] = $1; value["qd"] = $2; value["qdd"] = $3; value["tau"] = $4
        n = split(parts, name, " ")
        for (p = 1; p <= n; p++) {
            m = split(value[name[p]], x, ",")
            for (i = 1; i <= m; i++) { all[++count] = x[i]; header = header (count == 1 ? "" : ",") name[p] ".joint" i }
        }
        print header
        for (c = 1; c <= count; c++) for (sign = 1; sign >= -1; sign -= 2) {
            for (i = 1; i <= count; i++) printf "%s%.17g", (i == 1 ? "" : ","), all[i] + (i == c ? sign * h : 0)
            printf "\n"
        }
    }' >"$T/states.csv"
}

# slopes FIRST LAST PART: of these columns of the last run, which was at states around one, along
# each number of a part.
slopes() {
    awk -F, -v first="$1" -v last="$2" -v part="$3" -v h=1e-5 '
        NR > 1 {
            c = int(NR / 2) # 2 and 3 are of the first number
            for (i = first; i <= last; i++) d[c, i] += (NR % 2 ? -1 : 1) * $i / (2 * h)
        }
        END { for (i = first; i <= last; i++) for (k = 1; k <= 6; k++) printf "%.17g ", d[6 * part + k, i] }' "$T/out"
}

# --- first derivatives -------------------------------------------------------------------------

around "q qd qdd"
# shellcheck disable=SC2086
arne compute inverse-dynamics "$robot" --states "$T/states.csv" $load
wanted="$(slopes 1 6 0)$(slopes 1 6 1)$(slopes 1 6 2)"
# shellcheck disable=SC2086
arne compute inverse-dynamics-derivatives "$robot" --q $q --qd $qd --qdd $qdd $load
exits 0
near 1e-7 "$(row 1)" "$wanted"

# shellcheck disable=SC2086
arne compute joint-wrenches "$robot" --states "$T/states.csv" $load
wanted=
for link in 0 6 12 18 24 30; do
    for half in 1 4; do
        for part in 0 1 2; do wanted="$wanted$(slopes $((link + half)) $((link + half + 2)) \
            $part)"; done
    done
done
# shellcheck disable=SC2086
arne compute wrench-derivatives "$robot" --q $q --qd $qd --qdd $qdd $load
exits 0
near 1e-7 "$(row 1)" "$wanted"
head -1 "$T/out" |
    grep -q '^joint_wrenches.link1.dforce_dq.x.joint1,.*,joint_wrenches.link6.dmoment_dqdd.z.joint6$' || fail "header"
arne compute wrench-derivatives "$robot" --json
prints '{"joint_wrenches": {"link1": {"dforce_dq": [['
for key in dforce_dqd dforce_dqdd dmoment_dq dmoment_dqd dmoment_dqdd; do prints "\"$key\": [["; \
    done

around "q qd tau"
# shellcheck disable=SC2086
arne compute forward-dynamics "$robot" --states "$T/states.csv" $load
wanted="$(slopes 1 6 0)$(slopes 1 6 1)$(slopes 1 6 2)"
# shellcheck disable=SC2086
arne compute forward-dynamics-derivatives "$robot" --q $q --qd $qd --tau $tau $load
exits 0
near 1e-6 "$(row 1)" "$wanted"

# --- second derivatives ------------------------------------------------------------------------

around "q qd qdd"
# shellcheck disable=SC2086
arne compute inverse-dynamics-derivatives "$robot" --states "$T/states.csv" $load
wanted="$(slopes 1 36 0)$(slopes 37 72 1)$(slopes 1 36 1)$(slopes 1 36 2)"
# shellcheck disable=SC2086
arne compute second-derivatives "$robot" --q $q --qd $qd --qdd $qdd $load
exits 0
near 1e-7 "$(row 1)" "$wanted"
head -1 "$T/out" | grep -q ',d2tau_dqdqd.joint1.joint2.joint3,' || fail "header"
plain=$(row 1)

# In another order of joints all three indices follow.
arne compute second-derivatives "$robot" --order joint3,joint1,joint2,joint6,joint5,joint4 \
    --q 0.9,0.3,-0.7,0.6,-0.5,0.4 \
    --qd 0.3,1,-0.5,-1,0.1,0.2 --qdd -1,0.5,1,1,0.2,2 --wrench link6=3,-2,5,0.4,0.5,-0.6 \
    --wrench link4=1,1,0,0,0,0.3
exits 0
near 1e-12 "$(row 1)" "$(echo "$plain" | awk '{
    split("3 1 2 6 5 4", p, " ")
    for (t = 0; t < 4; t++) for (i = 1; i <= 6; i++) for (j = 1; j <= 6; j++) for (k = 1; k <= 6; k++)
        printf "%s ", $(216 * t + 36 * (p[i] - 1) + 6 * (p[j] - 1) + p[k])
}')"
arne compute second-derivatives "$robot" --json
[ "$(tr -cd '[' <"$T/out" | wc -c)" -eq $((1 + 4 * (1 + 6 + 36))) ] ||
    fail "not four arrays of 6 x 6 x 6"

# --- along a motion ----------------------------------------------------------------------------

# moving: two states of the motion that has these derivatives, a little later and a little earlier.
moving() {
    echo "$q $qd $qdd $qddd" | awk -v h=1e-5 '{
        n = split($1, q, ","); split($2, v, ","); split($3, a, ","); split($4, j, ",")
        for (i = 1; i <= n; i++) header = header "q.joint" i ",qd.joint" i ",qdd.joint" i (i < n ? "," : "")
        print header
        for (t = h; t >= -h; t -= 2 * h) for (i = 1; i <= n; i++)
            printf "%.17g,%.17g,%.17g%s", q[i] + t * (v[i] + t * (a[i] / 2 + t * j[i] / 6)),
                v[i] + t * (a[i] + t * j[i] / 2), a[i] + t * j[i], (i < n ? "," : "\n")
    }' >"$T/states.csv"
}
slope() { awk -F, -v h=1e-5 \
    'NR == 2 { split($0, later, ",") } NR == 3 { for (i = 1; i <= NF; i++) printf "%.17g ", (later[i] - $i) / (2 * h) }' "$T/out"; }

moving
arne compute acceleration "$robot" --states "$T/states.csv"
wanted=$(slope)
arne compute jerk "$robot" --q $q --qd $qd --qdd $qdd --qddd $qddd
exits 0
silent
near 1e-7 "$(row 1)" "$wanted"
arne compute jerk "$robot" --q $q --qd $qd --qdd $qdd --qddd $qddd --json --frame link6
prints '{"frames": {"link6": {"lin": ['
prints '"ang": ['
arne compute pose "$robot" --q $q --frame link6
turn=$(row 1 | cut -d ' ' -f 4-12)
arne compute jerk "$robot" --q $q --qd $qd --qdd $qdd --qddd $qddd --frame link6
aligned=$(row 1)
arne compute jerk "$robot" --q $q --qd $qd --qdd $qdd --qddd $qddd --frame link6 --axes body
near 1e-12 "$(row 1)" \
    "$(echo "$turn $aligned" | awk '{ for (s = 9; s <= 12; s += 3) for (j = 1; j <= 3; j++) printf "%.17g ", $j * $(s + 1) + $(j + 3) * $(s + 2) + $(j + 6) * $(s + 3) }')"

# shellcheck disable=SC2086
arne compute inverse-dynamics "$robot" --states "$T/states.csv" $load
wanted=$(slope)
# shellcheck disable=SC2086
arne compute inverse-dynamics "$robot" --q $q --qd $qd --qdd $qdd $load
torques=$(row 1)
# shellcheck disable=SC2086
arne compute torque-rate "$robot" --q $q --qd $qd --qdd $qdd --qddd $qddd $load
exits 0
near 1e-7 "$(row 1)" "$torques $wanted"
one=$(row 1)
# The jerk may come from a file, too.
for part in q qd qdd qddd; do
    for i in 1 2 3 4 5 6; do printf '%s.joint%d [-],' $part $i; done
done >"$T/jerk.csv"
printf 't\n%s,%s,%s,%s,0\n' $q $qd $qdd $qddd >>"$T/jerk.csv"
# shellcheck disable=SC2086
arne compute torque-rate "$robot" --states "$T/jerk.csv" $load
exits 0
silent
near 1e-15 "$(row 1)" "0 $one"

# --- a base that moves -------------------------------------------------------------------------

base_link=$("$ARNE" info "$robot" --json | sed -n '/"links"/,/"frames"/p' |
    sed -n 's/.*"name": "\([^"]*\)", "parent": null.*/\1/p')
arne compute jerk "$robot" --base prescribed --base-jerk 1,2,3,4,5,6 --qddd 0,0,0,0,0,0 \
    --frame "$base_link" --axes body
exits 0
near 1e-15 "$(row 1)" "1 2 3 4 5 6"
# Of a free base it is the first numbers of qddd.
arne compute torque-rate "$robot" --base free --base-jerk 1,2,3,4,5,6 --qddd $qddd
exits 0
plain=$(row 1)
arne compute torque-rate "$robot" --base free --qddd 1,2,3,4,5,6,$qddd
near 1e-15 "$(row 1)" "$plain"
# From rest, the rate is the mass matrix times the jerk.
arne compute mass-matrix "$robot" --base free
wanted=$(row 1 |
    awk -v jerk="1,2,3,4,5,6,$qddd" \
        '{ split(jerk, j, ","); for (i = 0; i < 12; i++) { s = 0; for (k = 1; k <= 12; k++) s += $(12 * i + k) * j[k]; printf "%.17g ", s } }')
near 1e-12 "$(echo "$plain" | cut -d ' ' -f 13-24)" "$wanted"
arne compute jerk "$robot" --base-jerk 1,2,3,4,5,6 --qddd $qddd
fails 2 "--base-jerk" "--base prescribed"

# --- wrenches that stay in the link or in the world, and change ----------------------------------

# A rod of 2 m about z: the torque of a force at its tip is minus twice its y. Where the force stays
# in the world, turning the rod by dq takes twice its x times dq off that.
cat >"$T/rod.yaml" <<'YAML'
name: rod
bodies: [{name: base}, {name: rod, mass: 1, com: [1, 0, 0], inertia: [0.1, 0.1, 0.1]}]
joints: [{name: j, kind: continuous, parent: base, child: rod, axis: [0, 0, 1]}]
frames: [{name: tip, link: rod, origin: {xyz: [2, 0, 0]}}]
YAML
at="--q 0.4 --gravity 0,0,0 --wrench tip=3,5,7,0,0,0"
# shellcheck disable=SC2086
{
    arne compute inverse-dynamics-derivatives "$T/rod.yaml" $at
    exits 0
    near 1e-14 "$(row 1)" "0 0 1.1"
    arne compute inverse-dynamics-derivatives "$T/rod.yaml" $at --wrench-fixed-in link
    near 1e-14 "$(row 1)" "0 0 1.1"
    arne compute inverse-dynamics-derivatives "$T/rod.yaml" $at --wrench-fixed-in world
    near 1e-14 "$(row 1)" "6 0 1.1"
    arne compute forward-dynamics-derivatives "$T/rod.yaml" $at --wrench-fixed-in world
    near 1e-14 "$(row 1)" "$(awk 'BEGIN { printf "%.17g 0 %.17g", -6 / 1.1, 1 / 1.1 }')"
    arne compute torque-rate "$T/rod.yaml" $at --qd 2 --qddd 0
    near 1e-14 "$(row 1)" "-10 0"
    arne compute torque-rate "$T/rod.yaml" $at --qd 2 --qddd 10 --wrench-fixed-in world
    near 1e-14 "$(row 1)" "-10 23"
    arne compute torque-rate "$T/rod.yaml" $at --qd 2 --qddd 0 --wrench-rate tip=0.5,1,0,0,0,1 \
        --wrench-rate tip=0,2,0,0,0,0
    near 1e-14 "$(row 1)" "-10 -7"
    arne compute torque-rate "$T/rod.yaml" $at --qd 2 --qddd 0 --wrench-rate tip=0.5,1,0,0,0,1 \
        --wrench-fixed-in world
    near 1e-14 "$(row 1)" "-10 9"
    arne compute torque-rate "$T/rod.yaml" $at --qddd 0 --wrench-rate rod=1,0,0,0,0,0
    fails 1 "--wrench-rate" "'rod' has no --wrench"
    arne compute torque-rate "$T/rod.yaml" $at --qddd 0 --wrench-rate tip=1,0,0
    fails 1 "--wrench-rate: 6 values are needed, 3 are given"
    arne compute torque-rate "$T/rod.yaml" $at --qddd 0 --wrench-rate nowhere=1,0,0,0,0,0
    fails 2 "--wrench-rate" "'nowhere'"
    arne compute torque-rate "$T/rod.yaml" $at --qddd 0 --wrench-fixed-in base
    fails 2 "link|world"
    arne compute second-derivatives "$T/rod.yaml" $at --wrench-fixed-in world
    fails 1 "$T/rod.yaml" "fixed in the world"
    arne compute inverse-dynamics "$T/rod.yaml" $at --wrench-fixed-in world \
        --wrench-rate tip=1,0,0,0,0,0
    exits 0
    says "warning: --wrench-rate has no effect on inverse-dynamics"
    says "warning: --wrench-fixed-in has no effect on inverse-dynamics"
}

# --- what is missing, and what cannot be -------------------------------------------------------

for quantity in jerk torque-rate; do
    arne compute $quantity "$robot" --q $q --qd $qd --qdd $qdd
    fails 1 "$quantity needs --qddd"
    arne compute $quantity "$robot" --base free --base-jerk 1,2,3,4,5,6
    fails 1 "$quantity needs --qddd"
    arne compute $quantity "$robot" --states "$T/states.csv"
    fails 1 "$T/states.csv:1: column 'qddd.joint1' is missing; $quantity needs it"
    arne compute $quantity "$robot" --qddd 1,2,3
    fails 1 "--qddd: 6 values are needed, 3 are given"
done
arne compute jerk "$robot" --qddd $qddd --axes world
fails 2 "body or aligned"
echo 'bodies: [{name: base}]' >"$T/still.yaml"
for quantity in jerk torque-rate inverse-dynamics-derivatives forward-dynamics-derivatives \
    wrench-derivatives second-derivatives; do
    arne compute $quantity "$T/still.yaml"
    fails 1 "$T/still.yaml" "no joints"
done
cat >"$T/ball.yaml" <<'YAML'
name: ball
bodies: [{name: base}, {name: a, mass: 1, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}]
joints: [{name: shoulder, kind: ball, parent: base, child: a}]
YAML
arne compute second-derivatives "$T/ball.yaml"
fails 1 "$T/ball.yaml" "'shoulder' is ball"
arne compute inverse-dynamics-derivatives "$T/ball.yaml" --json
exits 0
[ "$(tr -cd '[' <"$T/out" | wc -c)" -eq $((1 + 3 * 4)) ] || fail "not three matrices of 3 x 3"
cat >"$T/massless.yaml" <<'YAML'
name: r
bodies: [{name: base}, {name: a, mass: 1, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}, {name: b}]
joints:
  - {name: ja, kind: continuous, parent: base, child: a}
  - {name: jb, kind: continuous, parent: a, child: b}
YAML
arne compute forward-dynamics-derivatives "$T/massless.yaml" --quiet
fails 1 "'jb'"

# --- where a frame is held -----------------------------------------------------------------------

# Accelerations and forces beside their differences by the third joint, its velocity and its torque.
held=$ROBOTS/puma560.yaml
held_at() { # Q3 QD3 TAU3
    "$ARNE" compute contact-dynamics "$held" --q 0.1,-0.7,"$1",0.4,-0.5,0.6 \
        --qd 1,-0.5,"$2",0.2,0.1,-1 \
        --tau 3,2,"$3",0.1,0.2,0.3 --contact link6 | sed -n 2p | tr ',' ' '
}
apart() { # "after" "before": their difference over 2e-5, of accelerations and force
    printf '%s\n%s\n' "$1" "$2" | awk '
        NR == 1 { split($0, a, " ") }
        NR == 2 { split($0, b, " "); for (i = 1; i <= 9; i++) printf "%.12g ", (a[i] - b[i]) / 2e-5 }'
}
arne compute contact-dynamics-derivatives "$held" --q 0.1,-0.7,0.9,0.4,-0.5,0.6 \
    --qd 1,-0.5,0.3,0.2,0.1,-1 \
    --tau 3,2,1,0.1,0.2,0.3 --contact link6
exits 0
for way in dq dqd dtau; do
    exact=$(awk -F, -v way=$way '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ "^(dqdd|contacts.link6.dforce)_" way "[.].*[.]joint3$") at[++n] = i }
        NR == 2 { for (i = 1; i <= n; i++) printf "%s ", $at[i] }' "$T/out")
    case $way in
    dq) found=$(apart "$(held_at 0.90001 0.3 1)" "$(held_at 0.89999 0.3 1)") ;;
    dqd) found=$(apart "$(held_at 0.9 0.30001 1)" "$(held_at 0.9 0.29999 1)") ;;
    dtau) found=$(apart "$(held_at 0.9 0.3 1.00001)" "$(held_at 0.9 0.3 0.99999)") ;;
    esac
    near 1e-6 "$found" "$exact"
done
arne compute contact-dynamics-derivatives "$held"
fails 2 "--contact"

finish
