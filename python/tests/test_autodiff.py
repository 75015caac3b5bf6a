"""arne.torch and arne.jax: exact derivatives in both directions, on the CPU and on a device. Skipped where the libraries are not."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from conftest import states

import arne

ROBOTS = [("arm7", "fixed"), ("quadruped", "free")]


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
        ("inverse_dynamics", lambda *x: m.inverse_dynamics(robot, *x), (s.q, s.qd, s.qdd), robot.inverse_dynamics(s.q, s.qd, s.qdd)),
        ("forward_dynamics", lambda *x: m.forward_dynamics(robot, *x), (s.q, s.qd, s.tau), robot.forward_dynamics(s.q, s.qd, s.tau)),
        ("momentum", lambda *x: m.momentum(robot, *x), (s.q, s.qd), robot.momentum(s.q, s.qd).momentum),
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
        tensors = [torch.tensor(np.ascontiguousarray(a), device=place, requires_grad=True) for a in x]
        got = function(*tensors)
        assert got.device.type == place
        np.testing.assert_allclose(got.detach().cpu().numpy(), wanted, rtol=1e-9, atol=1e-9, err_msg=what)
        assert torch.autograd.gradcheck(function, tensors, eps=1e-6, atol=2e-4, rtol=1e-4, check_forward_ad=True), what


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
        np.testing.assert_allclose(jax.jit(function)(*arrays), wanted, rtol=1e-9, atol=1e-9, err_msg=what)
        np.testing.assert_allclose(jax.vmap(function)(*arrays), wanted, rtol=1e-9, atol=1e-9, err_msg=what)
        check(function, arrays, order=1, modes=["fwd", "rev"], eps=1e-5, atol=1e-3, rtol=1e-3)
        grad = jax.jit(jax.grad(lambda *y: function(*y).sum(), argnums=tuple(range(len(x)))))(*arrays)
        each = [jax.vmap(jax.grad(lambda *y: function(*y).sum(), argnums=i))(*arrays) for i in range(len(x))]
        for a, b in zip(grad, each):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9, err_msg=what)
