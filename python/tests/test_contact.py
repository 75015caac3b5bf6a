"""Frames that are held: the equations of motion with their forces, one state and many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import states

import arne


@pytest.fixture
def legs() -> tuple[arne.Robot, list[str]]:
    robot = arne.load("quadruped", base="free")
    feet = [f.name for f in robot.frames if "foot" in f.name][:2]
    assert len(feet) == 2
    return robot, feet


def test_points_do_not_accelerate(legs: tuple[arne.Robot, list[str]]) -> None:
    """M qdd + c = tau + J^T f, and the held points keep their velocity."""
    robot, feet = legs
    s = states(robot, 5)
    s.tau[:, :6] = 0
    got = robot.contact_dynamics(s.q, s.qd, s.tau, feet)
    assert got.qdd.shape == (5, robot.v_count) and got.contacts.shape == (5, 2, 6)
    assert isinstance(got, arne.ContactDynamics)
    M, bias = robot.mass_matrix(s.q), robot.bias(s.q, s.qd)
    pushed = s.tau - bias
    for k, foot in enumerate(feet):
        J = robot.jacobian(s.q, foot, axes="aligned")
        pushed = pushed + np.einsum("sij,si->sj", J, got.contacts[:, k])
        a = robot.acceleration(s.q, s.qd, got.qdd, foot, axes="aligned")
        np.testing.assert_allclose(np.asarray(a)[:, :3], 0, atol=1e-7)
        np.testing.assert_allclose(got.contacts[:, k, 3:], 0, atol=1e-12)
    left = np.einsum("sij,sj->si", M, got.qdd) - pushed
    np.testing.assert_allclose(left, 0, atol=1e-7 * np.abs(pushed).max())


def test_a_foot_does_not_turn(legs: tuple[arne.Robot, list[str]]) -> None:
    robot, feet = legs
    s = states(robot)
    got = robot.contact_dynamics(s.q, s.qd, s.tau, {feet[0]: "foot"})
    a = np.asarray(robot.acceleration(s.q, s.qd, got.qdd, feet[0], axes="aligned"))
    np.testing.assert_allclose(a, 0, atol=1e-7)


def test_derivatives_where_contacts_stay(legs: tuple[arne.Robot, list[str]]) -> None:
    robot, feet = legs
    s = states(robot, 5)
    q, qd, tau = s.q, s.qd, s.tau
    d = robot.contact_dynamics_derivatives(q, qd, tau, feet)
    assert d.dcontacts_dtau.shape == (len(q), len(feet), 6, qd.shape[1])
    size = max(np.abs(x).max() for x in (d.dqdd_dqd, d.dcontacts_dqd, d.dcontacts_dtau))
    for k, step in enumerate(1e-4 * np.eye(qd.shape[1])):
        after, before = (robot.contact_dynamics(q, qd, tau + x, feet) for x in (step, -step))
        np.testing.assert_allclose((after.qdd - before.qdd) / 2e-4, d.dqdd_dtau[:, :, k],
                                   atol=1e-6 * size)
        np.testing.assert_allclose(
            (after.contacts - before.contacts) / 2e-4, d.dcontacts_dtau[..., k], atol=1e-6 * size
        )
        after, before = (robot.contact_dynamics(q, qd + x, tau, feet) for x in (step, -step))
        np.testing.assert_allclose((after.qdd - before.qdd) / 2e-4, d.dqdd_dqd[:, :, k],
                                   atol=1e-6 * size)
        np.testing.assert_allclose((after.contacts - before.contacts) / 2e-4,
                                   d.dcontacts_dqd[..., k], atol=1e-6 * size)


def test_one_is_as_many(legs: tuple[arne.Robot, list[str]]) -> None:
    robot, feet = legs
    s = states(robot, 2, 3)
    many = robot.contact_dynamics(s.q, s.qd, s.tau, feet, friction=0.7)
    for at in np.ndindex(2, 3):
        one = robot.contact_dynamics(s.q[at], s.qd[at], s.tau[at], feet, friction=0.7)
        np.testing.assert_allclose(one.qdd, many.qdd[at], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(one.contacts, many.contacts[at], rtol=1e-9, atol=1e-9)
    f = many.contacts[..., :3]
    assert (f[..., 2] >= -1e-9).all()
    assert (np.hypot(f[..., 0], f[..., 1]) <= 0.7 * f[..., 2] + 1e-6 * (1 + np.abs(f).max())).all()
    again = robot.contact_dynamics(s.q, s.qd, s.tau, feet, friction=0.7, out=many)
    assert again is many
    empty = robot.contact_dynamics(s.q[:0], s.qd[:0], s.tau[:0], feet)
    assert empty.qdd.shape == (0, 3, robot.v_count) and empty.contacts.shape == (0, 3, 2, 6)


def test_inverse_is_undone(legs: tuple[arne.Robot, list[str]]) -> None:
    """Torques of a motion that keeps the feet where they are give this motion."""
    robot, _ = legs
    feet = [f.name for f in robot.frames if "foot" in f.name]
    s = states(robot)
    still = np.zeros(robot.v_count)
    held: dict[Any, Any] = dict.fromkeys(feet, "point")
    found = robot.contact_inverse_dynamics(s.q, still, still, held)
    np.testing.assert_allclose(found.tau[:6], 0, atol=1e-7)
    weight = robot.total_mass * 9.81
    assert found.contacts[:, 2].sum() == pytest.approx(weight, rel=1e-7)
    back = robot.contact_dynamics(s.q, still, found.tau, held)
    np.testing.assert_allclose(back.qdd, 0, atol=1e-6)


def test_mistakes(legs: tuple[arne.Robot, list[str]]) -> None:
    robot, feet = legs
    s = states(robot)
    with pytest.raises(TypeError, match="misses 'contact'"):
        robot.contact_dynamics(s.q, s.qd, s.tau)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="^contact: at least one"):
        robot.contact_dynamics(s.q, s.qd, s.tau, [])
    with pytest.raises(ValueError, match="^contact: .* is there twice"):
        robot.contact_dynamics(s.q, s.qd, s.tau, [feet[0], feet[0]])
    with pytest.raises(ValueError, match="^contact: one of 'point', 'foot'"):
        robot.contact_dynamics(s.q, s.qd, s.tau, {feet[0]: "hand"})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="^friction: "):
        robot.contact_dynamics(s.q, s.qd, s.tau, feet, friction=-1)
    with pytest.raises(ValueError, match="nowhere"):
        robot.contact_dynamics(s.q, s.qd, s.tau, "nowhere")
    loops = arne.load("five_bar")
    t = states(loops)
    with pytest.raises(arne.Error, match="loops"):
        loops.contact_dynamics(t.q, t.qd, t.tau, 1)


def test_ground_far_below_does_nothing(legs: tuple[arne.Robot, list[str]]) -> None:
    robot, _ = legs
    s = states(robot, 3)
    ground = [0, 0, -50, 0, 0, 1, 0.8, 1e4, 0.5, 1e-3]
    got = robot.ground_dynamics(s.q, s.qd, s.tau, ground)
    np.testing.assert_allclose(got.qdd, robot.forward_dynamics(s.q, s.qd, s.tau), rtol=1e-9,
                               atol=1e-9)
    assert got.ground_force.shape[0] == 3 and not got.ground_force.any()
    with pytest.raises(ValueError, match="^ground: "):
        robot.ground_dynamics(s.q, s.qd, s.tau, ground[:9])
    with pytest.raises(TypeError, match="misses 'ground'"):
        robot.ground_dynamics(s.q, s.qd, s.tau)  # type: ignore[call-arg]
