"""arne.torch and arne.jax: exact derivatives in both directions, on the CPU and on a device.

Skipped where the libraries are not. What they do with Arne's numbers is tested everywhere, with
NumPy alone: values, slopes and steps of configurations.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from conftest import states

import arne
from arne import _slopes, _tangent

ROBOTS = [("arm7", "fixed"), ("quadruped", "free")]


def join(parts: list[Any]) -> Any:
    return np.concatenate(parts, axis=-1)


def unit(robot: arne.Robot, q: Any) -> Any:
    return _tangent.unit(robot, q, join)


def difference(function: Any, x: Any, along: Any, h: float = 1e-6) -> Any:
    return (function(x + h * along) - function(x - h * along)) / (2 * h)


def times(D: Any, x: Any) -> Any:
    return np.einsum("...ij,...j->...i", D, x)


@pytest.mark.parametrize("name,base", [*ROBOTS, ("humanoid", "free"), ("hua_arm", "fixed")])
def test_core(name: str, base: Any) -> None:
    """Slopes times steps are differences of values."""
    robot = arne.load(name, base=base, friction=False)
    s = states(robot, 3)
    frame = robot.links[-1].name
    rng = np.random.default_rng(1)
    for function, others in (
        (_slopes.inverse_dynamics(robot), (s.qd, s.qdd)),
        (_slopes.forward_dynamics(robot), (s.qd, s.tau)),
        (_slopes.momentum(robot), (s.qd,)),
        (_slopes.pose(robot, frame, lambda rows: np.stack(rows, axis=-2)), ()),
    ):
        q = 1.0 * s.q
        if base == "free":
            q[..., 3:7] *= 1.1  # a quaternion counts by its direction alone
        D = function.slopes(unit(robot, q), *others)
        assert len(D) == 1 + len(others)
        assert all(d.shape == (3, function.rows, robot.v_count) for d in D)
        dq = rng.normal(size=q.shape)
        moved = difference(lambda x: unit(robot, x), q, dq)  # what a library differentiates itself
        step = _tangent.step(robot, unit(robot, q), moved, np.cos, np.sin, join)
        assert step.shape == s.qd.shape
        wanted = difference(lambda x: function.value(unit(robot, x), *others), q, dq)
        scale = np.abs(wanted).max() + 1
        np.testing.assert_allclose(times(D[0], step), wanted, atol=1e-6 * scale)
        for i, x in enumerate(others):
            along = rng.normal(size=x.shape)

            def at(y: Any, i: int = i) -> Any:
                return function.value(unit(robot, q), *others[:i], y, *others[i + 1 :])

            wanted = difference(at, x, along)
            np.testing.assert_allclose(times(D[1 + i], along), wanted,
                                       atol=1e-6 * (np.abs(wanted).max() + 1))


def test_one_state() -> None:
    """Without a leading dimension, as with one."""
    robot = arne.load("quadruped", base="free", friction=False)
    s = states(robot, 1)
    for function, x in (
        (_slopes.inverse_dynamics(robot), (s.q, s.qd, s.qdd)),
        (_slopes.pose(robot, 2, lambda rows: np.stack(rows, axis=-2)), (s.q,)),
    ):
        for many, one in zip(function.slopes(*x), function.slopes(*(a[0] for a in x))):
            np.testing.assert_allclose(many[0], one, rtol=1e-12, atol=1e-12)


def module(name: str) -> Any:
    try:
        importlib.import_module(name)
    except ImportError:
        pytest.skip(f"no {name} here")
    return importlib.import_module(f"arne.{name}")


def functions(robot: arne.Robot, m: Any, s: Any) -> list[tuple[str, Any, tuple[Any, ...], Any]]:
    """(name, function, inputs, what the library gives)."""
    frame = robot.links[-1].name
    return [
        ("inverse_dynamics", lambda
         *x: m.inverse_dynamics(robot, *x), (s.q, s.qd, s.qdd),
         robot.inverse_dynamics(s.q, s.qd, s.qdd)),
        ("forward_dynamics", lambda
         *x: m.forward_dynamics(robot, *x), (s.q, s.qd, s.tau),
         robot.forward_dynamics(s.q, s.qd, s.tau)),
        ("momentum",
         lambda *x: m.momentum(robot, *x), (s.q, s.qd), robot.momentum(s.q, s.qd).momentum),
        ("pose", lambda *x: m.pose(robot, *x, frame), (s.q,), robot.pose(s.q, frame).numbers),
    ]


@pytest.mark.parametrize("name,base", ROBOTS)
@pytest.mark.parametrize("place", ["cpu", "cuda"])
def test_torch(name: str, base: Any, place: str) -> None:
    m = module("torch")
    torch = importlib.import_module("torch")
    if place == "cuda" and not torch.cuda.is_available():
        pytest.skip("no device here")
    robot = arne.load(name, base=base, friction=False)
    s = states(robot, 3)
    for what, function, x, wanted in functions(robot, m, s):
        tensors = [torch.tensor(np.ascontiguousarray(a), device=place, requires_grad=True)
                   for a in x]
        got = function(*tensors)
        assert got.device.type == place
        np.testing.assert_allclose(got.detach().cpu().numpy(), wanted, rtol=1e-9, atol=1e-9,
                                   err_msg=what)
        assert torch.autograd.gradcheck(function, tensors, eps=1e-6, atol=2e-4, rtol=1e-4,
                                        check_forward_ad=True), what


def test_torch_shapes_and_types() -> None:
    """Leading shapes broadcast, and gradients come back in the shape and type of each input."""
    m = module("torch")
    torch = importlib.import_module("torch")
    robot = arne.load("humanoid", base="free", friction=False)
    s = states(robot, 6)
    q = torch.tensor(s.q.reshape(2, 3, -1), requires_grad=True)
    qd = torch.tensor(s.qd[0], dtype=torch.float32, requires_grad=True)
    tau = m.inverse_dynamics(robot, q, qd, torch.zeros(robot.v_count, dtype=torch.int64))
    wanted = robot.inverse_dynamics(s.q, np.float32(s.qd[0]), 0 * s.qd[0])
    np.testing.assert_allclose(tau.detach().numpy().reshape(6, -1), wanted, rtol=1e-9, atol=1e-9)
    tau.pow(2).sum().backward()
    assert (q.grad.shape, q.grad.dtype) == (q.shape, torch.float64)
    assert (qd.grad.shape, qd.grad.dtype) == (qd.shape, torch.float32)
    assert m.forward_dynamics(robot, q[:0], qd, qd).shape == (0, 3, robot.v_count)
    (slope,) = torch.autograd.grad(m.momentum(robot, q, qd).pow(2).sum(), q, create_graph=True)
    with pytest.raises(RuntimeError, match="twice"):
        slope.sum().backward()
    with pytest.raises(TypeError, match="qd: a tensor expected, ndarray given"):
        m.momentum(robot, q, s.qd)


@pytest.mark.parametrize("name,base", ROBOTS)
def test_jax(name: str, base: Any) -> None:
    m = module("jax")
    jax: Any = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    robot = arne.load(name, base=base, friction=False)
    s = states(robot, 3)
    check = importlib.import_module("jax.test_util").check_grads
    for what, function, x, wanted in functions(robot, m, s):
        arrays = tuple(jax.numpy.asarray(a) for a in x)
        np.testing.assert_allclose(jax.jit(function)(*arrays), wanted, rtol=1e-9, atol=1e-9,
                                   err_msg=what)
        np.testing.assert_allclose(jax.vmap(function)(*arrays), wanted, rtol=1e-9, atol=1e-9,
                                   err_msg=what)
        check(function, arrays, order=1, modes=["fwd", "rev"], eps=1e-5, atol=1e-3, rtol=1e-3)
        grad = jax.jit(jax.grad(lambda *y: function(*y).sum(), argnums=tuple(range(len(x)))))(
            *arrays)
        each = [jax.vmap(jax.grad(lambda *y: function(*y).sum(), argnums=i))(*arrays)
                for i in range(len(x))]
        for a, b in zip(grad, each):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9, err_msg=what)
