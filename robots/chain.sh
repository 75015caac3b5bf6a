#!/bin/sh
# A robot of any size, as a YAML robot file on standard output:
#
#   chain.sh N [revolute|mixed|tree]
#
# revolute   N revolute joints in a row (the default)
# mixed      every joint kind in turn, in a row
# tree       revolute and prismatic joints, each on one of the links made before
#
# Geometry, masses and inertias are pseudo-random but the same on every machine and every run: the
# links are boxes of 5 to 25 cm, turned at random. Joint i is joint$i and moves link$i.
set -eu

usage() {
    echo "usage: chain.sh N [revolute|mixed|tree]" >&2
    exit 2
}

[ $# -ge 1 ] && [ $# -le 2 ] || usage
case $1 in
    *[!0-9]* | '' | 0*) usage ;;
esac
shape=${2:-revolute}
case $shape in
    revolute | mixed | tree) ;;
    *) usage ;;
esac

LC_ALL=C awk -v count="$1" -v shape="$shape" '
# Lehmer generator of Park and Miller: exact in doubles, so every awk agrees. Uniform in [low,
# high).
function uniform(low, high) {
    seed = (seed * 16807) % 2147483647
    return low + (high - low) * seed / 2147483647
}

function number(x) { return sprintf("%.6f", x) }

# A random vector: x and y in +-side, z in [low, high). One draw a line: awk may evaluate arguments
# in any order.
function vector(side, low, high,    x, y, z) {
    x = uniform(-side, side)
    y = uniform(-side, side)
    z = uniform(low, high)
    return "[" number(x) ", " number(y) ", " number(z) "]"
}

# A random rotation R from a random unit quaternion (four numbers in a box, normalised: even enough
# here).
function turn(    w, x, y, z, n) {
    w = uniform(0.1, 1); x = uniform(-1, 1); y = uniform(-1, 1); z = uniform(-1, 1)
    n = sqrt(w * w + x * x + y * y + z * z)
    w /= n; x /= n; y /= n; z /= n
    R[1, 1] = 1 - 2 * (y * y + z * z); R[1, 2] = 2 * (x * y - w * z); R[1, 3] = 2 * (x * z + w * y)
    R[2, 1] = 2 * (x * y + w * z); R[2, 2] = 1 - 2 * (x * x + z * z); R[2, 3] = 2 * (y * z - w * x)
    R[3, 1] = 2 * (x * z - w * y); R[3, 2] = 2 * (y * z + w * x); R[3, 3] = 1 - 2 * (x * x + y * y)
}

# The moment of inertia between axes i and j of the turned box.
function moment(i, j,    k, sum) {
    for (k = 1; k <= 3; k++) sum += R[i, k] * principal[k] * R[j, k]
    return sprintf("%.6e", sum)
}

function body(i,    mass, x, y, z) {
    mass = uniform(0.5, 3)
    x = uniform(0.05, 0.25); y = uniform(0.05, 0.25); z = uniform(0.05, 0.25)
    principal[1] = mass / 12 * (y * y + z * z)
    principal[2] = mass / 12 * (x * x + z * z)
    principal[3] = mass / 12 * (x * x + y * y)
    turn()
    printf "  - name: link%d\n    mass: %s\n", i, number(mass)
    printf "    com: %s\n", vector(0.05, 0, 0.1)
    printf "    inertia: [%s, %s, %s, %s, %s, %s]\n", moment(1, 1), moment(2, 2), moment(3, 3), \
        moment(1, 2), moment(1, 3), moment(2, 3)
}

function kind_of(i) {
    if (shape == "mixed") return mixed[(i - 1) % kinds + 1]
    if (shape == "tree" && uniform(0, 1) < 0.25) return "prismatic"
    return "revolute"
}

function parent_of(i,    p) {
    p = shape == "tree" ? int(uniform(0, i)) : i - 1
    return p ? "link" p : "base"
}

function joint(i,    kind, parent) {
    kind = kind_of(i)
    parent = parent_of(i)
    printf "  - name: joint%d\n    kind: %s\n    parent: %s\n    child: link%d\n", i, kind, parent, i
    printf "    origin: {xyz: %s, ", vector(0.05, 0.05, 0.25)
    printf "rpy: %s}\n", vector(1.5, -1.5, 1.5)
    if (kind !~ /ball|universal|free/) printf "    axis: [%s]\n", axis[int(uniform(1, 4))]
    if (kind == "helical") printf "    pitch: %s\n", number(uniform(0.01, 0.05))
    if (kind == "revolute") print "    limits: {lower: -pi, upper: pi, velocity: 10, effort: 1000}"
    if (kind == "prismatic") print "    limits: {lower: -0.5, upper: 0.5, velocity: 2, effort: 1000}"
}

BEGIN {
    seed = 20090 + count
    kinds = split("revolute prismatic ball universal helical planar continuous free", mixed, " ")
    split("1, 0, 0;0, 1, 0;0, 0, 1", axis, ";")
    printf "# Made by chain.sh %d %s.\n", count, shape
    printf "name: %s%d\nbodies:\n  - name: base\n", shape == "revolute" ? "chain" : shape, count
    for (i = 1; i <= count; i++) body(i)
    print "joints:"
    for (i = 1; i <= count; i++) joint(i)
}'
