"""Functions of a robot for JAX, with exact derivatives: jit, vmap, grad, jvp and jacobian work.

    import arne, arne.jax
    tau = arne.jax.inverse_dynamics(robot, q, qd, qdd)   # arrays (..., Q), (..., V), (..., V)
    jax.grad(lambda q: arne.jax.inverse_dynamics(robot, q, qd, qdd).sum())(q)

They are callbacks (`jax.pure_callback`): XLA hands the arrays to the library on the CPU, in double, and takes the results back.
On a device this copies both ways, and the device waits; one call with many states costs little more than one with few, so vmap
makes one call. Derivatives are matrices of the library; the products with them are operations of JAX. They cannot be
differentiated once more. A quaternion in q counts by its direction alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

from . import _tangent
from ._robot import Robot

__all__ = ["forward_dynamics", "inverse_dynamics", "momentum", "pose"]


def _join(parts: list[Any]) -> Any:
    return jnp.concatenate(parts, axis=-1)


def _call(function: Any, shapes: Sequence[tuple[int, ...]], *x: Any) -> Any:
    """What the library makes of arrays with the same leading shape: arrays of these shapes of one state."""
    leading, kind = x[0].shape[:-1], jnp.result_type(*x)
    out = [jax.ShapeDtypeStruct((*leading, *shape), kind) for shape in shapes]

    def run(*arrays: Any) -> Any:
        results = function(*(np.asarray(a, dtype=float) for a in arrays))
        return [np.asarray(a, dtype=kind) for a in results]

    return jax.pure_callback(run, out, *x, vmap_method="broadcast_all")


def _apply(robot: Robot, value: Any, slopes: Any, rows: int, q: Any, *others: Any) -> Any:
    """value: one array of `rows` numbers; slopes: its derivatives by the step of q and by the others."""
    leading = jnp.broadcast_shapes(q.shape[:-1], *(x.shape[:-1] for x in others))
    q = _tangent.unit(robot, jnp.broadcast_to(q, (*leading, q.shape[-1])), _join)
    others = tuple(jnp.broadcast_to(x, (*leading, x.shape[-1])) for x in others)
    shapes = [(rows, robot.v_count)] * (1 + len(others))

    @jax.custom_jvp
    def along(q: Any, *others: Any) -> Any:
        return _call(lambda *x: [value(*x)], [(rows,)], q, *others)[0]

    @along.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        q, *_others = primals
        dq, *rest = tangents
        D = _call(slopes, shapes, *primals)
        step = _tangent.step(robot, q, dq, jnp.cos, jnp.sin, _join)
        change = sum(jnp.einsum("...ij,...j->...i", A, x) for A, x in zip(D, (step, *rest)))
        return along(*primals), change

    return along(q, *others)


def inverse_dynamics(robot: Robot, q: Any, qd: Any, qdd: Any) -> Any:
    """(..., V) [N m, N] torques that a motion needs."""

    def slopes(*x: Any) -> Any:
        d = robot.inverse_dynamics_derivatives(*x)
        return [d.dtau_dq, d.dtau_dqd, d.dtau_dqdd]

    return _apply(robot, robot.inverse_dynamics, slopes, robot.v_count, q, qd, qdd)


def forward_dynamics(robot: Robot, q: Any, qd: Any, tau: Any) -> Any:
    """(..., V) [rad/s^2, m/s^2] accelerations that torques cause."""

    def slopes(*x: Any) -> Any:
        d = robot.forward_dynamics_derivatives(*x)
        return [d.dqdd_dq, d.dqdd_dqd, d.dqdd_dtau]

    return _apply(robot, robot.forward_dynamics, slopes, robot.v_count, q, qd, tau)


def momentum(robot: Robot, q: Any, qd: Any) -> Any:
    """(..., 6) [kg m/s, kg m^2/s] linear momentum, and angular momentum about the centre of mass."""

    def slopes(q: Any, qd: Any) -> Any:
        d = robot.centroidal_derivatives(q, qd, 0 * qd)
        return [d.dmomentum_dq, d.dmomentum_dqd]

    return _apply(robot, lambda q, qd: robot.momentum(q, qd).momentum, slopes, 6, q, qd)


def pose(robot: Robot, q: Any, frame: str | int) -> Any:
    """(..., 12) [1, m] of a link or frame in the world: the columns of its rotation, then its place."""

    def value(q: Any) -> Any:
        return robot.pose(q, frame).numbers

    def slopes(q: Any) -> Any:
        """Columns turn by w x R, the place moves by the linear rows of the Jacobian, in the world's axes."""
        X, J = value(q), robot.jacobian(q, frame, axes="aligned")
        turn = np.swapaxes(J[..., 3:, :], -1, -2)
        rows = [np.swapaxes(np.cross(turn, X[..., None, 3 * k : 3 * k + 3]), -1, -2) for k in range(3)]
        return [np.concatenate([*rows, J[..., :3, :]], axis=-2)]

    return _apply(robot, value, slopes, 12, q)
