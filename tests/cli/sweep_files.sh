#!/bin/sh
# Sweeps and files: parameters of a URDF, what a robot extends, tables; the table as HDF5; time
# limits of all kinds of runs.
. "$(dirname "$0")/checks.inc"
cd "$T" || exit 1

# ---- parameters by path into a URDF: rows are those of URDF files with these numbers in them

cp "$ROBOTS/arm7.urdf" arm.urdf
cat >urdf.yaml <<'END'
run: {compute: inverse-dynamics, robot: arm.urdf, q: [0.1, -0.8, 0.2, -2.3, 0, 1.6, 0.8], qd: 1, qdd: 0.5}
parameters: {robot.bodies.link7.mass: [0.735522, 2], robot.joints.joint4.friction.viscous: [0, 3]}
END
arne sweep urdf.yaml -o urdf -q
exits 0
[ "$(wc -l <urdf/table.csv)" -eq 5 ] || fail "not four rows"
line=1
for mass in 0.735522 2; do
    for damping in 0 3; do
        line=$((line + 1))
        sed -e "s/<mass value=\"0.735522\"\/>/<mass value=\"$mass\"\/>/" \
            -e "/<joint name=\"joint4\"/,/<\/joint>/s|<limit|<dynamics damping=\"$damping\"/><limit|" "$ROBOTS/arm7.urdf" >one.urdf
        arne compute inverse-dynamics one.urdf --q 0.1,-0.8,0.2,-2.3,0,1.6,0.8 --qd 1,1,1,1,1,1,1 \
            --qdd .5,.5,.5,.5,.5,.5,.5
        exits 0
        near 1e-12 "$(sed -n ${line}p urdf/table.csv | cut -d, -f4-10 | tr , ' ')" "$(row 1)"
    done
done
[ "$(cut -d, -f4 urdf/table.csv | sort -u | wc -l)" -gt 2 ] || fail "the mass changes nothing"
printf 'run: {compute: gravity, robot: arm.urdf, q: 0}\nparameters: {robot.bodies.link8.mass: [1], robot.joints.jiont4.friction.viscous: [1]}\n' >bad.yaml
arne check bad.yaml
fails 1 "robot.bodies.link1.mass" "robot.joints.joint4"

# ---- files that others name are part of the sweep: a change makes it another one

printf 'extends: arm.urdf\nname: extended\n' >extended.yaml
cat >scenario.yaml <<'END'
robot: extended.yaml
duration: 0.1
initial: {q: [0, -0.8, 0, -2.3, 0, 1.6, 0.8]}
reference: {type: table, file: motion.csv}
controller: {type: pd, kp: 100, kd: 20}
END
cat >motion.csv <<'END'
time,q.joint1,q.joint2,q.joint3,q.joint4,q.joint5,q.joint6,q.joint7
0,0,-0.8,0,-2.3,0,1.6,0.8
1,0.1,-0.8,0,-2.3,0,1.6,0.8
2,0.2,-0.8,0,-2.3,0,1.6,0.8
3,0.3,-0.8,0,-2.3,0,1.6,0.8
END
printf 'run: scenario.yaml\nparameters: {controller.kp: [100, 200, 300]}\n' >named.yaml
arne sweep named.yaml -o named -q
exits 0
for file in named.yaml scenario.yaml extended.yaml arm.urdf motion.csv; do
    grep -q "$file\"" named/summary.json || fail "the summary has no hash of $file"
    [ -n "$(find named/inputs -name "${file%.*}*")" ] || fail "inputs has no $file"
done

# ---- one number of a centre and of an inertia, where the robot's file has no such list under
# bodies

printf 'run: {compute: mass-matrix, robot: '"$ROBOTS"'/planar_2r.yaml}\nparameters: {robot.bodies.link2.com.0: [-0.2, -0.1], robot.bodies.link2.inertia.2: [0.1, -0.1]}\nfigures: {M: {column: M.joint1.joint1}}\n' >number.yaml
arne sweep number.yaml -o number
exits 0
prints "4 rows, 2 failed"
arne compute mass-matrix "$ROBOTS/planar_2r.yaml" --q 0,0
[ "$(sed -n 2p number/table.csv)" = "0,-0.2,0.1,$(sed -n 2p "$T/out" | cut -d, -f1),ok" ] ||
    fail "the centre as it was gives another robot"

# ---- what is not given of a state is zero, as for arne compute

printf 'run: {compute: inverse-dynamics, robot: '"$ROBOTS"'/arm6.yaml}\nparameters: {q.joint2: [0.5]}\nfigures: {tau: {column: tau.joint2}}\n' >zero.yaml
arne sweep zero.yaml -o zero
exits 0
arne compute inverse-dynamics "$ROBOTS/arm6.yaml" --q 0,0.5,0,0,0,0
[ "$(sed -n 2p zero/table.csv)" = "0,0.5,$(sed -n 2p "$T/out" | cut -d, -f2),ok" ] ||
    fail "the state is another one than that of compute"

# ---- the table as HDF5 is the table

if [ -e "$(dirname "$ARNE")/libarne_hdf5.so" ]; then
    [ -s named/table.h5 ] || fail "no table.h5"
    if /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
        last="h5py reads table.h5"
        /usr/bin/python3 - >"$T/out" 2>"$T/err" <<'END' || fail "table.h5 is not table.csv"
import csv, json
import h5py
rows = list(csv.DictReader(open("named/table.csv")))
summary = json.load(open("named/summary.json"))
with h5py.File("named/table.h5") as file:
    assert set(file) == set(rows[0]), (sorted(file), sorted(rows[0]))
    for name in rows[0]:
        column = file[name]
        cells = [row[name] for row in rows]
        if name == "status":
            assert [c.decode() for c in column[:]] == cells
        else:
            assert [float(c) for c in cells] == list(column[:]), name
    roles = {name: file[name].attrs["role"] for name in file}
    assert roles["row"] == "row" and roles["controller.kp"] == "parameter" and roles["status"] == "status", roles
    assert "figure" in roles.values()
    assert file["time"].attrs["unit"] == "s"
    provenance = json.loads(file.attrs["provenance"])
    assert provenance["inputs"] == summary["inputs"], provenance
END
    elif command -v h5dump >/dev/null; then
        last="h5dump reads table.h5"
        h5dump -d /controller.kp -y -o kp.txt named/table.h5 >"$T/out" 2>"$T/err" ||
            fail "it cannot be read"
        [ "$(tr -d ' \n' <kp.txt)" = 100,200,300 ] ||
            fail "the parameter is another one: $(cat kp.txt)"
    fi
fi

# ---- a row that hits its time limit is a row that says so, whatever is run; the others are as they
# would be

cat >problem.yaml <<END
robot: $ROBOTS/planar_2r.yaml
spline: {degree: 3, control_points: 60}
time: {start: 0.6, least: 0.05, most: 5}
grid: {points: 200}
start: {position: {joint1: 0, joint2: -2}, velocity: 0}
end: {position: {joint1: 1, joint2: -1}, velocity: 0}
objective: [{quantity: time}]
constraints: [{quantity: torque, limits: true}]
END
if [ -e "$(dirname "$ARNE")/libarne_ipopt.so" ]; then
    printf 'run: problem.yaml\nparameters: {end.position.joint1: [1, 1.1]}\ntime_limit: 0.002\nkeep: failed\n' >limited.yaml
    arne sweep limited.yaml -o limited
    exits 0
    prints "2 rows, 2 failed"
    [ "$(grep -c 'time limit of 0.002 s' limited/table.csv)" -eq 2 ] ||
        fail "no time limit of a search"

    # ---- searches that start from their neighbours: in any order, and each row by itself with its
    # neighbours before it

    sed -i 's/control_points: 60/control_points: 20/; s/points: 200/points: 30/' problem.yaml
    echo "solver: {refine: 0}" >>problem.yaml
    cat >warm.yaml <<END
run: problem.yaml
parameters: {end.position.joint1: [-2.5, 0.5, 1, 1.5, 4]}
design: grid
warm: neighbours
figures: {T: summary.T, iterations: summary.iterations}
END
    for jobs in 1 3; do
        arne sweep warm.yaml -o "warm$jobs" -j $jobs
        exits 0
        prints "5 rows, 0 failed"
    done
    cmp -s warm1/table.csv warm3/table.csv || fail "the order of rows shows"
    arne sweep warm.yaml --row 4
    exits 0
    [ "$(tail -n 1 "$T/out")" = "$(tail -n 1 warm1/table.csv)" ] ||
        fail "row 4 by itself is another one"
    grep -v warm: warm.yaml >cold.yaml
    arne sweep cold.yaml -o cold
    exits 0
    ! cmp -s warm1/table.csv cold/table.csv || fail "neighbours do not matter"

    # A neighbour's motion from which the search does not end: it starts once more, from nothing.
    limit=$(($(sed -n 5p warm1/table.csv | cut -d, -f4) - 1))
    sed -i "s/refine: 0/refine: 0, iterations: $limit/" problem.yaml
    arne sweep warm.yaml -o again
    exits 0
    [ "$(sed -n 5p again/table.csv)" = "$(sed -n 5p cold/table.csv)" ] || fail "no second start"
fi

# A run that is not there, in a sweep without figures of its own.
printf 'run: nowhere.yaml\nparameters: {duration: [1, 2]}\n' >nowhere_sweep.yaml
arne sweep nowhere_sweep.yaml -o nowhere
fails 1 "nowhere.yaml"
# A URDF with tags and attributes that nobody knows, and with dots in names: paths are found, in
# quotes where they must be.
cat >odd.urdf <<'END'
<robot name="r" colour="red"><gazebo><x/></gazebo><link name="base"/>
<link name="link_0.0" taste="sweet"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="link_0"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous" speed="9"><parent link="base"/><child link="link_0.0"/><axis xyz="0 1 0"/><safety_controller k="1"/></joint>
<joint name="k.1" type="continuous"><parent link="link_0.0"/><child link="link_0"/><origin xyz="1 0 0"/><axis xyz="0 1 0"/></joint></robot>
END
printf 'robot: odd.urdf\nduration: 0.01\nintegrator: {step: 0.001}\n' >odd_run.yaml
for path in robot.bodies.link_0.mass 'robot.bodies."link_0.0".mass' \
    'robot.joints."k.1".friction.viscous' 'initial.q."k.1"' "robot.bodies.'link_0.0'.mass"; do
    printf "run: odd_run.yaml\nparameters:\n  %s: [0.5, 2]\nfigures: {q: {column: qd.j, reduce: min}}\n" "$path" >odd.yaml
    arne sweep odd.yaml -o odd -q
    exits 0
    [ "$(grep -c ',ok$' odd/table.csv)" -eq 2 ] || fail "rows of $path failed"
    [ "$(cut -d, -f3 odd/table.csv | sort -u | wc -l)" -ge 2 ] || fail "no figures of $path"
done
printf 'run: odd_run.yaml\nparameters: {robot.bodies.link_0.taste: [1, 2]}\n' >odd.yaml
arne sweep odd.yaml -o odd -q
fails 1 "there is no 'robot.bodies.link_0.taste'"
printf 'run: odd_run.yaml\nparameters: {robot.bodies.link_0.0.mass: [1, 2]}\n' >odd.yaml
arne sweep odd.yaml -o odd -q
fails 1 'near matches: robot.bodies."link_0.0".mass'

# Degrees where radians are meant are refused, with the joint's name.
cat >bent.urdf <<'END'
<robot name="r"><link name="base"/>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="elbow" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="9" velocity="9"/></joint></robot>
END
printf 'robot: bent.urdf\nduration: 0.01\ninitial: {q: [-90]}\n' >bent.yaml
arne simulate bent.yaml -o bent
fails 1 "joint 'elbow' is -90 rad, far outside of its limits -2 to 2; degrees are written '-90 deg'"
printf 'robot: bent.urdf\nduration: 0.01\ninitial: {q: [-90 deg]}\n' >bent.yaml
arne simulate bent.yaml -o bent --quiet
exits 0

# ---- arguments of xacro files: as a word of the robot's name, and beside parameters by path into
# the expanded robot

cat >arm.urdf.xacro <<'END'
<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="arm">
<xacro:arg name="mass" default="1"/>
<link name="base"/>
<link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="$(arg mass)"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
</robot>
END
printf 'robot: arm.urdf.xacro mass:=4\nduration: 0.1\ninitial: {q: [0.3]}\n' >run.yaml
printf 'run: run.yaml\nfigures: {speed: {column: qd.j, reduce: last}}\nparameters:\n' >head.yaml
{ cat head.yaml && echo '  robot: ["arm.urdf.xacro mass:=2", "arm.urdf.xacro mass:=4"]'; } \
    >words.yaml
{ cat head.yaml && echo '  robot.bodies.rod.mass: [2, 4]'; } >paths.yaml
arne simulate run.yaml -o one --quiet
exits 0
for name in words paths; do
    arne sweep $name.yaml -o $name --quiet
    exits 0
    awk -F, 'NR > 1 { print $3, $4 }' $name/table.csv >$name.txt
done
cmp -s words.txt paths.txt || fail "arguments of a xacro file are not its numbers"
[ "$(sed -n 2p words.txt)" = "$(tail -1 one/result.csv | cut -d, -f3) ok" ] ||
    fail "a row is not its run"
finish
