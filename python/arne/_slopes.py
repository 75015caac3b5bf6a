"""What arne.torch and arne.jax differentiate: functions of the library and their derivatives.

`value` maps q and others, (..., Q) and (..., V), to (..., rows). `slopes` gives its derivatives,
(..., rows, V) each: by the step of q (q (+) d, see _tangent) and by each of the others. They are
values of the library, for arrays that it takes; with _tangent they make exact derivatives in both
directions:

    forward   d value = slopes[0] d + slopes[1] dother + ...
    reverse   the same with transposed slopes
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ._robot import Robot


class Function(NamedTuple):
    """A function of q and others, and how it changes with them."""

    rows: int
    value: Callable[..., Any]
    slopes: Callable[..., list[Any]]


def inverse_dynamics(robot: Robot) -> Function:
    def slopes(*x: Any) -> list[Any]:
        d = robot.inverse_dynamics_derivatives(*x)
        return [d.dtau_dq, d.dtau_dqd, d.dtau_dqdd]

    return Function(robot.v_count, robot.inverse_dynamics, slopes)


def forward_dynamics(robot: Robot) -> Function:
    def slopes(*x: Any) -> list[Any]:
        d = robot.forward_dynamics_derivatives(*x)
        return [d.dqdd_dq, d.dqdd_dqd, d.dqdd_dtau]

    return Function(robot.v_count, robot.forward_dynamics, slopes)


def momentum(robot: Robot) -> Function:
    def slopes(q: Any, qd: Any) -> list[Any]:
        d = robot.centroidal_derivatives(q, qd, 0 * qd)
        return [d.dmomentum_dq, d.dmomentum_dqd]

    return Function(6, lambda q, qd: robot.momentum(q, qd).momentum, slopes)


def pose(robot: Robot, frame: str | int, stack: Callable[[list[Any]], Any]) -> Function:
    """stack: rows (..., V) on top of each other, (..., count, V)."""

    def value(q: Any) -> Any:
        X: Any = robot.pose(q, frame)
        return getattr(X, "numbers", X)

    def slopes(q: Any) -> list[Any]:
        """Columns turn by w x R, the place moves by the linear rows of the Jacobian, in the world's
        axes."""
        X, J = value(q), robot.jacobian(q, frame, axes="aligned")
        u, v, w = (J[..., 3 + i, :] for i in range(3))
        rows = []
        for k in range(3):
            x, y, z = (X[..., 3 * k + i, None] for i in range(3))
            rows += [v * z - w * y, w * x - u * z, u * y - v * x]
        return [stack([*rows, *(J[..., i, :] for i in range(3))])]

    return Function(12, value, slopes)
