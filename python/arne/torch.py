"""Functions of a robot for PyTorch, with exact derivatives in both directions.

    import arne, arne.torch
    tau = arne.torch.inverse_dynamics(robot, q, qd, qdd)   # tensors (..., Q), (..., V), (..., V)
    tau.sum().backward()

On the CPU tensors of float64 go to the library as they lie. On a CUDA device the kernels compiled
for the robot read and write them where they are, on PyTorch's current stream. Derivatives are those
of the library, not of operations: they cost about as much as `Robot.inverse_dynamics_derivatives`
and its like, and cannot be differentiated once more. A quaternion in q counts by its direction
alone.
"""

from __future__ import annotations

import functools
from typing import Any

import torch

from . import _slopes, _tangent
from ._robot import Robot
from ._slopes import Function

__all__ = ["forward_dynamics", "inverse_dynamics", "momentum", "pose"]


def _join(parts: list[Any]) -> Any:
    return torch.cat(parts, dim=-1)


def _stack(rows: list[Any]) -> Any:
    return torch.stack([torch.as_tensor(row) for row in rows], dim=-2)


def _library(tensor: Any) -> Any:
    """A tensor as the library takes it: on a device as it is, on the CPU an array of NumPy."""
    plain = tensor.detach()
    return plain if plain.is_cuda else plain.numpy()


def _back(result: Any, like: Any) -> Any:
    if isinstance(result, torch.Tensor):
        return result
    return torch.as_tensor(result, dtype=like.dtype)


def _times(D: Any, x: Any) -> Any:
    return (D @ x.unsqueeze(-1)).squeeze(-1)


class _Along(torch.autograd.Function):
    """A function of the library and its derivatives by some of its inputs.

    value and slopes take the arrays of all inputs; the first input, the step of q, is zero and only
    carries derivatives.
    """

    @staticmethod
    def forward(ctx: Any, value: Any, slopes: Any, step: Any, q: Any, *others: Any) -> Any:
        ctx.slopes = slopes
        ctx.save_for_backward(q, *others)
        ctx.save_for_forward(q, *others)
        return _back(value(_library(q), *(_library(x) for x in others)), q)

    @staticmethod
    def _slopes(ctx: Any) -> list[Any]:
        q, *others = ctx.saved_tensors
        return [_back(D, q) for D in ctx.slopes(_library(q), *(_library(x) for x in others))]

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad: Any) -> Any:
        by_step, *by_others = (_times(D.transpose(-1, -2), grad) for D in _Along._slopes(ctx))
        return None, None, by_step, None, *by_others

    @staticmethod
    def jvp(ctx: Any, value: Any, slopes: Any, step: Any, q: Any, *others: Any) -> Any:
        total = None
        for D, x in zip(_Along._slopes(ctx), (step, *others)):
            if x is not None:
                total = _times(D, x) if total is None else total + _times(D, x)
        return total


def _apply(robot: Robot, function: Function, **inputs: Any) -> Any:
    """The inputs broadcast to one leading shape and one type, and the step of q from it. Whole
    numbers become double."""
    for name, x in inputs.items():
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"{name}: a tensor expected, {type(x).__name__} given")
    kinds = (x.dtype if x.is_floating_point() else torch.float64 for x in inputs.values())
    kind = functools.reduce(torch.promote_types, kinds)
    q, *rest = (x.to(kind) for x in inputs.values())
    leading = torch.broadcast_shapes(q.shape[:-1], *(x.shape[:-1] for x in rest))
    q = q.expand(*leading, q.shape[-1])
    rest = [x.expand(*leading, x.shape[-1]).contiguous() for x in rest]
    q = _tangent.unit(robot, q, _join).contiguous()
    here = q.detach()
    step = _tangent.step(robot, here, q - here, torch.cos, torch.sin, _join)
    return _Along.apply(function.value, function.slopes, step, here, *rest)  # type: ignore[no-untyped-call]


def inverse_dynamics(robot: Robot, q: Any, qd: Any, qdd: Any) -> Any:
    """(..., V) [N m, N] torques that a motion needs."""
    return _apply(robot, _slopes.inverse_dynamics(robot), q=q, qd=qd, qdd=qdd)


def forward_dynamics(robot: Robot, q: Any, qd: Any, tau: Any) -> Any:
    """(..., V) [rad/s^2, m/s^2] accelerations that torques cause."""
    return _apply(robot, _slopes.forward_dynamics(robot), q=q, qd=qd, tau=tau)


def momentum(robot: Robot, q: Any, qd: Any) -> Any:
    """(..., 6) [kg m/s, kg m^2/s] linear momentum, and angular momentum about the centre of
    mass."""
    return _apply(robot, _slopes.momentum(robot), q=q, qd=qd)


def pose(robot: Robot, q: Any, frame: str | int) -> Any:
    """(..., 12) [1, m] of a link or frame in the world: the columns of its rotation, then its
    place."""
    return _apply(robot, _slopes.pose(robot, frame, _stack), q=q)
