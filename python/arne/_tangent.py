"""Steps of configurations in libraries that differentiate: q has a quaternion where velocities have
three numbers.

Derivatives of the library are along velocities, perturbed on the right: df = D d with q (+) d. Here
d is made of a change of the entries of q, in operations that PyTorch and JAX differentiate
themselves, in both directions. A quaternion counts by its direction alone: it is brought to unit
length first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Join = Callable[[list[Any]], Any]  # parts of the last dimension, one behind the other


def _cross(a: Any, b: Any, join: Join) -> Any:
    x, y, z = (a[..., i : i + 1] for i in range(3))
    u, v, w = (b[..., i : i + 1] for i in range(3))
    return join([y * w - z * v, z * u - x * w, x * v - y * u])


def _turned_back(h: Any, a: Any, join: Join) -> Any:
    """R^T a of a unit quaternion x, y, z, w."""
    v, w = -h[..., :3], h[..., 3:4]
    t = 2 * _cross(v, a, join)
    return a + w * t + _cross(v, t, join)


def _rotation(h: Any, dh: Any, join: Join) -> Any:
    """The rotation, in body axes, of a change of a unit quaternion: 2 (w dv - v dw - v x dv)."""
    v, w = h[..., :3], h[..., 3:4]
    dv, dw = dh[..., :3], dh[..., 3:4]
    return 2 * (w * dv - v * dw - _cross(v, dv, join))


def _parts(robot: Any) -> list[tuple[str, int, int, int]]:
    """(kind, first of q, first of v, how many of v), in the order of q; motors behind springs are
    plain."""
    parts = [(j.kind, j.q_start, j.v_start, j.v_count) for j in robot.joints if j.v_count]
    rest = max((q + _width(kind, n) for kind, q, _, n in parts), default=0)
    done = sum(n for *_, n in parts)
    if rest < robot.q_count:
        parts.append(("plain", rest, done, robot.q_count - rest))
    return sorted(parts, key=lambda part: part[2])


def _width(kind: str, count: int) -> int:
    return count + 1 if kind in ("ball", "free") else count


def unit(robot: Any, q: Any, join: Join) -> Any:
    """q with quaternions of unit length."""
    if robot.q_count == robot.v_count:
        return q
    out = []
    for kind, at, _, count in sorted(_parts(robot), key=lambda part: part[1]):
        end = at + _width(kind, count)
        first = end - 4 if kind in ("ball", "free") else end
        if first > at:
            out.append(q[..., at:first])
        if first < end:
            h = q[..., first:end]
            out.append(h / (h * h).sum(-1, keepdims=True) ** 0.5)
    return join(out)


def step(robot: Any, q: Any, dq: Any, cosine: Callable[[Any], Any], sine: Callable[[Any], Any],
         join: Join) -> Any:
    """The velocity coordinates (..., V) of a small change dq of the entries of q, whose quaternions
    are of unit length."""
    out = []
    for kind, at, _, count in _parts(robot):
        x, d = q[..., at : at + _width(kind, count)], dq[..., at : at + _width(kind, count)]
        if kind == "free":
            out += [_turned_back(x[..., 3:], d[..., :3], join),
                    _rotation(x[..., 3:], d[..., 3:], join)]
        elif kind == "ball":
            out.append(_rotation(x, d, join))
        elif kind == "planar":
            c, s = cosine(x[..., 2:3]), sine(x[..., 2:3])
            u, v = d[..., 0:1], d[..., 1:2]
            out += [c * u + s * v, c * v - s * u, d[..., 2:3]]
        else:
            out.append(d)
    return join(out)
