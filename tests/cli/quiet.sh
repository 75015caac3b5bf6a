#!/bin/sh
# Warnings by kind, once per file; folders of packages; robots by name.
. "$(dirname "$0")/checks.inc"
root=$(dirname "$ROBOTS")

# Every kind that the library or the program has can be silenced.
for kind in $(cd "$root" &&
    grep -rhoE '(reader_warn(_at)?|builder_warn|judge_flaw|[^a-z]warn)\([^;"]*"[a-z_]+"|\.rule = "[a-z]+"' src cli --include='*.c' |
    grep -oE '"[a-z_]+"' | tr -d '"' | sort -u); do
    arne info "$ROBOTS/scara.yaml" --quiet="$kind"
    exits 0
done

cd "$T" || exit 1
link() { printf '<link name="%s"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><mesh filename="package://parts/meshes/%s.stl"/></geometry></collision></link>\n' "$1" "$1"; }
joint() { printf '<joint name="j%s" type="revolute"><parent link="%s"/><child link="%s"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/><dynamics damping="0" D="1" K="2"/></joint>\n' "$2" "$1" "$2"; }
{
    echo '<robot name="r">'
    for l in a b c d; do link $l; done
    joint a b
    joint b c
    joint c d
    echo '</robot>'
} >r.urdf
arne compute gravity r.urdf --q 0,0,0
exits 0
[ "$(wc -l <err)" -eq 1 ] || fail "six of one kind are not one line"
says "joint 'jb': unknown attribute 'D' of <dynamics> is ignored; likewise 5 more [unknown]"
arne compute gravity r.urdf --q 0,0,0 --quiet=unknown
exits 0
silent
arne compute gravity r.urdf --q 0,0,0 --quiet=limit,unknwon
fails 2 "--quiet: 'unknwon' is no kind of warning (near matches: unknown)"

# Two scenarios of one robot: its warnings come once, and those about contact only with ground.
for s in one two; do printf 'robot: r.urdf\nduration: 0.01\n' >$s.yaml; done
arne check one.yaml two.yaml
exits 0
[ "$(grep -c unknown err)" -eq 1 ] || fail "the same warning came twice"
arne simulate one.yaml
exits 0
! grep -q 'cannot touch' err || fail "shapes that cannot touch matter with ground only"

# Folders of packages, for every verb that reads robots.
mkdir -p here/meshes
facet() { printf 'facet normal 0 0 0\nouter loop\nvertex %s\nvertex %s\nvertex %s\nendloop\nendfacet\n' "$1" "$2" "$3"; }
{
    echo 'solid s'
    facet '0 0 0' '1 0 0' '0 1 0'
    facet '0 0 0' '0 1 0' '0 0 1'
    facet '0 0 0' '0 0 1' '1 0 0'
    facet '1 0 0' '0 1 0' '0 0 1'
    echo 'endsolid s'
} >here/meshes/a.stl
for l in b c d; do cp here/meshes/a.stl here/meshes/$l.stl; done
arne check r.urdf
says "4 collision shapes cannot touch (the first, link 'a': package://parts/meshes/a.stl is not found)"
# A long address is there as a whole, or from one of its folders on.
long=$(printf 'folder_%d/' $(seq 12))
sed "s|parts/meshes|parts/$long|" r.urdf >long.urdf
arne info long.urdf
grep -q "link 'a': package://parts/$long/*a.stl is not found)" out ||
    fail "the address is cut: $(grep 'cannot touch' out)"
sed "s|parts/meshes|parts/$long$long$long|" r.urdf >long.urdf
arne info long.urdf
grep -qE "link 'a': \.\.\.(/folder_[0-9]+)+/+a.stl is not found\); give" out ||
    fail "a word is cut: $(grep 'cannot touch' out)"
for verb in 'check r.urdf' 'info r.urdf' 'compute gravity r.urdf' 'convert r.urdf -o r.yaml' \
    'simulate one.yaml' 'view r.urdf -o v.html'; do
    # shellcheck disable=SC2086
    arne $verb --package parts="$T/here"
    exits 0
    ! grep -qE 'cannot touch|not found' err out || fail "the meshes are not found"
done
ARNE_PACKAGES="parts=$T/here" "$ARNE" check r.urdf >out 2>err
! grep -q 'cannot touch' err || fail "ARNE_PACKAGES does not name the folder"
# MJCF: from the folder of the file and meshdir, or a package, with and without meshdir.
mjcf() { # COMPILER FILE
    printf '<mujoco><compiler %s/><asset><mesh name="a" file="%s"/></asset><worldbody><body><freejoint/>' "$1" "$2"
    echo '<geom type="mesh" mesh="a" density="600"/></body></worldbody></mujoco>'
} >m.xml
mkdir -p ros ament/share
cp -r here ros/parts
cp -r here ament/share/parts
mjcf 'meshdir="here/meshes"' a.stl
arne check m.xml
grep -q "ok (1 body, 0 joints, 100 kg)" out || fail "meshdir"
for dir in '' 'meshdir="here"'; do
    mjcf "$dir" package://parts/meshes/a.stl
    arne check m.xml
    says "1 geom (this is the first) cannot touch"
    arne check m.xml --package parts="$T/here"
    grep -q "ok (1 body, 0 joints, 100 kg)" out || fail "--package $dir"
    for set in "ARNE_PACKAGES=parts=$T/here" "ROS_PACKAGE_PATH=$T/ros" \
        "AMENT_PREFIX_PATH=$T/ament"; do
        env "$set" "$ARNE" check m.xml 2>&1 | grep -q "ok (1 body, 0 joints, 100 kg)" ||
            fail "$set $dir"
    done
done
# xacro, where the file is not in the folder that DIR starts from; without a package.xml.
mkdir -p robots pack/urdf
X='xmlns:xacro="http://www.ros.org/wiki/xacro"'
echo "<robot $X><xacro:macro name='part'><link name='a'/></xacro:macro></robot>" \
    >pack/urdf/part.xacro
cat >robots/r.urdf.xacro <<END
<robot name="r" $X><xacro:include filename="\$(find pack)/urdf/part.xacro"/><xacro:part/></robot>
END
cp -r pack other
for dir in other "$T/other"; do
    arne check robots/r.urdf.xacro --package pack="$dir"
    exits 0
done

arne check r.urdf --package parts
fails 2 "--package: 'parts' is not NAME=DIR"
arne check r.urdf --package parts=nowhere
fails 1 "--package: there is no folder 'nowhere'"

# Robots that come with Arne, by name.
cd "$root" || exit 1
arne info scara
exits 0
prints "scara"
arne compute gravity scara --q 0,0,0,0
exits 0
arne info nosuchrobot
fails 1 nosuchrobot
finish
