#!/bin/sh
# Names from files: control characters are refused, marks of direction are shown as what they are,
# and files that belong together by name stay together.
. "$(dirname "$0")/checks.inc"
cd "$T" || exit 1

robot() {
    printf 'name: "%s"\nbodies: [{name: base}, {name: "%s", mass: 1, inertia: [1, 1, 1]}]\n' "$1" \
        "$2"
    printf 'joints: [{name: "%s", parent: base, child: "%s", kind: revolute}]\n' "$3" "$2"
    printf 'frames: [{name: "%s", link: "%s"}]\n' "$4" "$2"
}
robot arm link joint tip >good.yaml
arne info good.yaml
exits 0
for code in 'a\nb' 'a\tb' 'a\x7fb' 'a\x9bb' 'a\x01b'; do
    robot "$code" link joint tip >bad.yaml && arne check bad.yaml && exits 1
    robot arm "$code" joint tip >bad.yaml && arne check bad.yaml && exits 1
    grep -q 'control characters' out err || fail "it does not say why"
    robot arm link "$code" tip >bad.yaml && arne info bad.yaml &&
        fails 1 "bad.yaml:3" "control characters"
    robot arm link joint "$code" >bad.yaml && arne info bad.yaml &&
        fails 1 "bad.yaml:4" "control characters"
done
cat >bad.urdf <<'END'
<robot name="r"><link name="a"/><link name="b"/>
<joint name="x&#10;y" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>
END
arne info bad.urdf
fails 1 "bad.urdf:2" "control characters"

# Text that runs backwards, on a terminal and in a page.
robot 'x\u202ey' 'link\u2066' 'joint\u200f' tip >marks.yaml
arne info marks.yaml
exits 0
prints 'x\u202ey'
prints 'joint\u200f'
cp marks.yaml "$(printf 'x\033[31my.yaml')"
arne info "$(printf 'x\033[31my.yaml')"
exits 0
prints '(x?[31my.yaml)'
arne identify design marks.yaml --starts 1 --iterations 1 --period 2
exits 0
prints 'joint\u200f'
if LC_ALL=C grep -q "$(printf '\342\200\217')" out; then fail "a mark is shown as it is"; fi
if LC_ALL=C grep -q "$(printf '\342\200\256')" out; then fail "a mark is shown as it is"; fi
# Every mark, and none of their neighbours: a joint of that name is printed as it is.
for code in 200d 200e 200f 2010 2029 202a 202b 202c 202d 202e 202f 2065 2066 2067 2068 2069 206a \
    061b 061c 061d; do
    robot arm link "j\\u$code" tip >mark.yaml
    arne info mark.yaml
    exits 0
    case $code in
    200e | 200f | 202[a-e] | 206[6-9] | 061c) prints "j\\u$code" ;;
    *) grep -qF "\\u$code" out && fail "U+$code is no mark" ;;
    esac
done
printf 'robot: marks.yaml\ntitle: "a\\u202eb"\nduration: 0.01\n' >s.yaml
arne simulate s.yaml -o run
exits 0
prints 'a\u202eb'
if LC_ALL=C grep -q "$(printf '\342\200\256')" run/report.html; then fail \
    "a mark is in the page as it is"; fi
arne compute pose "$(printf 'no\342\200\256where.yaml')"
fails 1 'no\u202ewhere.yaml'

# Loops beside a URDF: the copies run again.
mkdir a b
cat >a/pair.urdf <<'END'
<robot name="pair"><link name="w"/>
<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="ja" type="continuous"><parent link="w"/><child link="a"/><axis xyz="0 0 1"/></joint>
<joint name="jb" type="continuous"><parent link="w"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>
END
printf "closed_loop: [[a, b]]\ntype: ['6d']\nname_mot: [ja]\n" >a/pair.yaml
printf 'robot: a/pair.yaml\nduration: 0.01\nintegrator: {method: rk4, step: 0.001}\n' >loops.yaml
arne simulate loops.yaml -o first --quiet
exits 0
[ -s first/inputs/pair.urdf ] && [ -s first/inputs/pair.yaml ] ||
    fail "the copies are not all there"
arne simulate first/inputs/loops.yaml -o second --quiet
exits 0
cmp -s first/result.csv second/result.csv || fail "the copies give another result"
# A scenario of the same name takes none of the two.
sed 's|a/pair|../a/pair|' loops.yaml >b/pair.yaml
arne simulate b/pair.yaml -o third --quiet
exits 0
cp -r third/inputs again
for file in again/*.yaml; do ! grep -q duration "$file" || scenario=$file; done
arne simulate "$scenario" -o fourth --quiet
exits 0
cmp -s first/result.csv fourth/result.csv || fail "the copies give another result"

finish
