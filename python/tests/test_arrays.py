"""What may go in and out: shapes, orders, strides, types, `out`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import states

import arne


def close(a: Any, b: Any, tolerance: float = 1e-11) -> None:
    np.testing.assert_allclose(a, b, rtol=tolerance,
                               atol=tolerance * max(1.0, float(np.max(np.abs(b), initial=0.0))))


def one_by_one(robot: arne.Robot, s: Any) -> Any:
    """The oracle: every state by itself."""
    flat = [x.reshape(-1, x.shape[-1]) for x in (s.q, s.qd, s.qdd)]
    rows = [robot.inverse_dynamics(*one) for one in zip(*flat)]
    return np.array(rows).reshape(*s.q.shape[:-1], robot.v_count)


@pytest.mark.parametrize("leading", [(), (1,), (5,), (17,), (2, 3), (2, 1, 4), (1000,)])
def test_leading_shapes(arm: arne.Robot, leading: tuple[int, ...]) -> None:
    s = states(arm, *leading)
    tau = arm.inverse_dynamics(s.q, s.qd, s.qdd)
    assert tau.shape == (*leading, arm.v_count)
    close(tau, one_by_one(arm, s))


@pytest.mark.parametrize("leading", [(0,), (0, 3), (3, 0)])
def test_no_states(arm: arne.Robot, leading: tuple[int, ...]) -> None:
    q = np.empty((*leading, arm.q_count))
    assert arm.inverse_dynamics(q, q, q).shape == (*leading, arm.v_count)
    assert arm.mass_matrix(q).shape == (*leading, arm.v_count, arm.v_count)
    d = arm.inverse_dynamics_derivatives(q, q, q)
    assert d.dtau_dq.shape == (*leading, arm.v_count, arm.v_count)


def test_broadcast(arm: arne.Robot) -> None:
    s = states(arm, 4, 6)
    still = np.zeros(arm.v_count)
    close(
        arm.inverse_dynamics(s.q, still, s.qdd[0]),
        arm.inverse_dynamics(s.q, np.zeros((4, 6, 7)), np.broadcast_to(s.qdd[0], (4, 6, 7)).copy()),
    )
    with pytest.raises(ValueError, match="^qd: 5 states in dimension 0"):
        arm.inverse_dynamics(s.q, np.zeros((5, 6, 7)), still)


@pytest.mark.parametrize("name", ["arm7", "quadruped", "hua_arm"])
@pytest.mark.parametrize("order",
                         ["C", "F", "strided", "reversed", "float32", "big", "list", "far"])
def test_layouts(name: str, order: str) -> None:
    robot = arne.load(name)
    s = states(robot, 37)
    wanted = one_by_one(robot, s)

    def laid(x: Any) -> Any:
        if order == "F":
            return np.asfortranarray(x)
        if order == "strided":
            wide = np.zeros((x.shape[0], 3 * x.shape[1]))
            wide[:, ::3] = x
            return wide[:, ::3]
        if order == "reversed":
            return np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1]
        if order == "float32":
            return x.astype(np.float32)
        if order == "big":
            return x.astype(">f8")
        if order == "far":
            wide = np.zeros((x.shape[0] * 2, x.shape[1] + 5))
            wide[::2, 2:-3] = x
            return wide[::2, 2:-3]
        return x.tolist() if order == "list" else x

    given = [laid(x) for x in (s.q, s.qd, s.qdd)]
    close(robot.inverse_dynamics(*given), wanted, 1e-4 if order == "float32" else 1e-11)
    one = [x[3] for x in given]
    close(robot.inverse_dynamics(*one), wanted[3], 1e-4 if order == "float32" else 1e-11)


def test_component_major_in_component_major_out(arm: arne.Robot) -> None:
    s = states(arm, 50)
    q = np.asfortranarray(s.q)
    M = arm.mass_matrix(q)
    assert M.strides[0] == 8
    close(M, arm.mass_matrix(s.q))


def test_integers_are_numbers(arm: arne.Robot) -> None:
    zero = np.zeros(7)
    close(arm.gravity(np.zeros(7, dtype=np.int32)), arm.gravity(zero))
    close(arm.gravity([0] * 7), arm.gravity(zero))
    close(arm.gravity((0.0,) * 7), arm.gravity(zero))


@pytest.mark.parametrize("bad",
                         [None, "1234567", b"1234567", np.zeros(7, dtype=complex),
                          np.array(["a"] * 7), object()])
def test_wrong_types(arm: arne.Robot, bad: Any) -> None:
    with pytest.raises(TypeError, match="^q: "):
        arm.gravity(bad)


@pytest.mark.parametrize("shape", [(), (6,), (8,), (7, 6), (2, 3, 8)])
def test_wrong_shapes(arm: arne.Robot, shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"^q: shape \(\.\.\., 7\) expected, \("):
        arm.gravity(np.zeros(shape))


def test_arguments(arm: arne.Robot) -> None:
    q = np.zeros(7)
    with pytest.raises(TypeError, match="misses 'qdd'"):
        arm.inverse_dynamics(q, q)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="no argument 'speed'"):
        arm.inverse_dynamics(q, q, q, speed=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="got 'q' twice"):
        arm.gravity(q, q=q)  # type: ignore[misc]
    with pytest.raises(TypeError, match="3 arguments by place, 4 given"):
        arm.inverse_dynamics(q, q, q, q)  # type: ignore[misc]
    close(arm.inverse_dynamics(q=q, qdd=q, qd=q), arm.inverse_dynamics(q, q, q))


@pytest.mark.parametrize("leading", [(), (9,), (2, 3)])
@pytest.mark.parametrize("kind", ["plain", "float32", "strided", "F", "columns"])
def test_out(arm: arne.Robot, leading: tuple[int, ...], kind: str) -> None:
    s = states(arm, *leading)
    shape = (*leading, 7)
    out: Any = np.full(shape, np.nan)
    if kind == "float32":
        out = np.full(shape, np.nan, dtype=np.float32)
    elif kind == "strided":
        out = np.full((*leading, 14), np.nan)[..., ::2]
    elif kind == "F":
        out = np.asfortranarray(out)
    elif kind == "columns":
        out = np.full((*leading, 10), np.nan)[..., 1:8]
    assert arm.inverse_dynamics(s.q, s.qd, s.qdd, out=out) is out
    close(out, one_by_one(arm, s), 1e-5 if kind == "float32" else 1e-11)


@pytest.mark.parametrize("leading", [(), (9,)])
def test_out_over_an_input(arm: arne.Robot, leading: tuple[int, ...]) -> None:
    s = states(arm, *leading)
    wanted = one_by_one(arm, s)
    for name in ("q", "qd", "qdd"):
        arrays = {"q": s.q.copy(), "qd": s.qd.copy(), "qdd": s.qdd.copy()}
        arm.inverse_dynamics(arrays["q"], arrays["qd"], arrays["qdd"], out=arrays[name])
        close(arrays[name], wanted)


def test_out_of_several(arm: arne.Robot) -> None:
    s = states(arm, 3)
    d = arm.inverse_dynamics_derivatives(s.q, s.qd, s.qdd)
    again = arm.inverse_dynamics_derivatives(s.q[:3], 2 * s.qd, s.qdd, out=d)
    assert again is d
    close(d.dtau_dqd, arm.inverse_dynamics_derivatives(s.q, 2 * s.qd, s.qdd).dtau_dqd)
    three = tuple(np.empty((3, 7, 7)) for _ in range(3))
    assert arm.inverse_dynamics_derivatives(s.q, s.qd, s.qdd, out=three) is three  # type: ignore[arg-type, comparison-overlap]
    close(three[2], arm.mass_matrix(s.q))


def test_bad_out(arm: arne.Robot) -> None:
    q = np.zeros(7)
    with pytest.raises(ValueError, match="^out: shape"):
        arm.gravity(q, out=np.empty(6))
    with pytest.raises(ValueError, match="^out: "):
        arm.gravity(q, out=np.empty((3, 7)))
    with pytest.raises(ValueError, match="^out: the leading shape"):
        arm.gravity(np.zeros((4, 7)), out=np.empty((3, 7)))
    with pytest.raises(TypeError, match="^out: "):
        arm.gravity(q, out=np.empty(7, dtype=int))
    with pytest.raises(TypeError, match="^out: "):
        arm.gravity(q, out=[0.0] * 7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^out: a tuple of 3 arrays"):
        arm.inverse_dynamics_derivatives(q, q, q, out=np.empty(7))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^wrench: "):
        arm.inverse_dynamics(q, q, q, wrench=np.zeros(6))  # type: ignore[arg-type]
    locked = np.empty(7)
    locked.flags.writeable = False
    with pytest.raises(ValueError, match="^out: a writable"):
        arm.gravity(q, out=locked)
