"""Three-vectors and rotations as lists; a rotation is a list of its rows."""
import math


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def scale(a, s):
    return [s * x for x in a]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def apply(R, a):
    return [dot(row, a) for row in R]


def multiply(A, B):
    return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def transpose(A):
    return [list(row) for row in zip(*A)]


IDENTITY = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
NOWHERE = (IDENTITY, [0.0, 0.0, 0.0])


def turn(axis, angle):
    """The rotation by an angle about a unit vector."""
    c, s = math.cos(angle), math.sin(angle)
    columns = []
    for k in range(3):
        e = IDENTITY[k]
        columns.append(
            add(add(scale(e, c), scale(cross(axis, e), s)), scale(axis, (1 - c) * dot(axis, e))))
    return transpose(columns)


def compose(X, Y):
    """The pose Y in X, as a pose."""
    return multiply(X[0], Y[0]), add(X[1], apply(X[0], Y[1]))


def direction(r):
    while True:
        a = [r.uniform(-1, 1) for _ in range(3)]
        n = math.sqrt(dot(a, a))
        if 0.1 < n < 1:
            return scale(a, 1 / n)


def rotation(r):
    return turn(direction(r), r.uniform(0.3, 3))


def quaternion(R):
    """x, y, z, w of a rotation, by its largest component."""
    t = [1 + R[0][0] - R[1][1] - R[2][2], 1 - R[0][0] + R[1][1] - R[2][2],
         1 - R[0][0] - R[1][1] + R[2][2],
         1 + R[0][0] + R[1][1] + R[2][2]]
    xy, xz, yz = R[0][1] + R[1][0], R[0][2] + R[2][0], R[1][2] + R[2][1]
    xw, yw, zw = R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]
    rows = [[t[0], xy, xz, xw], [xy, t[1], yz, yw], [xz, yz, t[2], zw], [xw, yw, zw, t[3]]]
    big = max(range(4), key=lambda i: t[i])
    return [x / (2 * math.sqrt(t[big])) for x in rows[big]]


def matrix(q):
    """The rotation of a quaternion x, y, z, w."""
    x, y, z, w = q
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
