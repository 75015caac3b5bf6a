"""Functions of a robot for JAX, with exact derivatives: jit, vmap, grad, jvp and jacobian work.

    import arne, arne.jax
    tau = arne.jax.inverse_dynamics(robot, q, qd, qdd)   # arrays (..., Q), (..., V), (..., V)
    jax.grad(lambda q: arne.jax.inverse_dynamics(robot, q, qd, qdd).sum())(q)

They are callbacks (`jax.pure_callback`): XLA hands the arrays to the library on the CPU, in double,
and takes the results back. On a device this copies both ways, and the device waits; one call with
many states costs little more than one with few, so vmap makes one call. Derivatives are matrices of
the library; the products with them are operations of JAX. They cannot be differentiated once more.
A quaternion in q counts by its direction alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

from . import _slopes, _tangent
from ._robot import Robot
from ._slopes import Function

__all__ = ["forward_dynamics", "inverse_dynamics", "momentum", "pose"]


def _join(parts: list[Any]) -> Any:
    return jnp.concatenate(parts, axis=-1)


def _call(function: Any, shapes: Sequence[tuple[int, ...]], *x: Any) -> Any:
    """What the library makes of arrays with the same leading shape: arrays of these shapes of one
    state."""
    leading, kind = x[0].shape[:-1], jnp.result_type(*x)
    out = [jax.ShapeDtypeStruct((*leading, *shape), kind) for shape in shapes]

    def run(*arrays: Any) -> Any:
        results = function(*(np.asarray(a, dtype=float) for a in arrays))
        return [np.asarray(a, dtype=kind) for a in results]

    return jax.pure_callback(run, out, *x, vmap_method="broadcast_all")


def _apply(robot: Robot, function: Function, q: Any, *others: Any) -> Any:
    """Inputs are broadcast to one leading shape; whole numbers become floats."""
    q, *rest = (x * 1.0 for x in map(jnp.asarray, (q, *others)))
    leading = jnp.broadcast_shapes(q.shape[:-1], *(x.shape[:-1] for x in rest))
    q = _tangent.unit(robot, jnp.broadcast_to(q, (*leading, q.shape[-1])), _join)
    rest = [jnp.broadcast_to(x, (*leading, x.shape[-1])) for x in rest]
    shapes = [(function.rows, robot.v_count)] * (1 + len(rest))

    @jax.custom_jvp
    def along(q: Any, *others: Any) -> Any:
        return _call(lambda *x: [function.value(*x)], [(function.rows,)], q, *others)[0]

    @along.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        q, *_others = primals
        dq, *changes = tangents
        D = _call(function.slopes, shapes, *primals)
        step = _tangent.step(robot, q, dq, jnp.cos, jnp.sin, _join)
        change = sum(jnp.einsum("...ij,...j->...i", A, x) for A, x in zip(D, (step, *changes)))
        return along(*primals), change

    return along(q, *rest)


def inverse_dynamics(robot: Robot, q: Any, qd: Any, qdd: Any) -> Any:
    """(..., V) [N m, N] torques that a motion needs."""
    return _apply(robot, _slopes.inverse_dynamics(robot), q, qd, qdd)


def forward_dynamics(robot: Robot, q: Any, qd: Any, tau: Any) -> Any:
    """(..., V) [rad/s^2, m/s^2] accelerations that torques cause."""
    return _apply(robot, _slopes.forward_dynamics(robot), q, qd, tau)


def momentum(robot: Robot, q: Any, qd: Any) -> Any:
    """(..., 6) [kg m/s, kg m^2/s] linear momentum, and angular momentum about the centre of
    mass."""
    return _apply(robot, _slopes.momentum(robot), q, qd)


def pose(robot: Robot, q: Any, frame: str | int) -> Any:
    """(..., 12) [1, m] of a link or frame in the world: the columns of its rotation, then its
    place."""
    return _apply(robot, _slopes.pose(robot, frame, lambda rows: np.stack(rows, axis=-2)), q)
