"""Poses, all of a robot's links at once, and inverse kinematics that takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arne


def turns() -> arne.Pose:
    rng = np.random.default_rng(1)
    return arne.Pose.at(rng.normal(size=(50, 3)), quaternion=rng.normal(size=(50, 4)))


def test_turns_in_all_their_forms() -> None:
    pose = turns()
    assert np.allclose(pose.R @ pose.R.swapaxes(-1, -2),
                       np.eye(3)) and np.allclose(np.linalg.det(pose.R), 1)
    for again in (
        arne.Pose.at(pose.p, rpy=pose.rpy),
        arne.Pose.at(pose.p, quaternion=-3 * pose.quaternion),
        arne.Pose.at(pose.p, R=pose.R),
        arne.Pose.from_matrix(pose.matrix),
    ):
        assert np.allclose(again.numbers, pose.numbers, atol=1e-12)
    upright = arne.Pose.at(rpy=(0.3, np.pi / 2, 0.8))
    assert np.allclose(arne.Pose.at(rpy=upright.rpy).R, upright.R)
    half = arne.Pose.at(quaternion=(0, 0, 1, 0))
    assert np.allclose(half.quaternion, (0, 0, 1, 0)) and np.allclose(half.rpy, (0, 0, np.pi))


def test_poses_are_composed() -> None:
    a, b = turns(), arne.Pose.at((1, 2, 3), rpy=(0.1, 0.2, 0.3))
    assert np.allclose((a @ b).matrix, a.matrix @ b.matrix)
    assert np.allclose((a @ a.inverse()).matrix, np.eye(4))
    assert np.allclose(a @ (1.0, 0.0, 0.0), a.R[..., 0] + a.p)


def test_what_is_shown() -> None:
    one = arne.Pose.at((1, 2, 3), rpy=(0, 0, 0.5))
    assert repr(one) == "<arne.Pose p=(1, 2, 3) m, rpy=(0, 0, 0.5) rad>"
    assert repr(turns()) == "<arne.Pose: (50,) poses>"
    assert one._repr_html_().count("<tr>") == 4
    with pytest.raises(ValueError, match="^rpy: give one"):
        arne.Pose.at(rpy=(0, 0, 0), R=np.eye(3))
    with pytest.raises(ValueError, match=r"^p: shape \(..., 3\) expected"):
        arne.Pose.at((1, 2))


@pytest.mark.parametrize("name", ["arm7", "quadruped", "humanoid"])
def test_all_links_at_once(name: str) -> None:
    robot = arne.load(name)
    q = robot.random_configuration(4, seed=3)
    poses = robot.poses(q)
    assert list(poses) == [link.name for link in robot.links]
    for link, pose in poses.items():
        assert np.allclose(pose.numbers, robot.pose(q, link).numbers, rtol=0, atol=1e-14)
    assert robot.poses(q[0])[robot.links[-1].name].p.shape == (3,)


def test_inverse_kinematics_takes_poses() -> None:
    robot = arne.load("arm7")
    q = np.full(7, 0.4)
    goal = robot.pose(q, "link7")
    found = robot.inverse_kinematics(q + 0.1, "link7", goal, check=True)
    assert found.status is arne.IkStatus.REACHED
    assert np.allclose(robot.pose(found.q, "link7").matrix, goal.matrix, atol=1e-6)
    turns_of: list[dict[str, Any]] = [{"rpy": goal.rpy}, {"quaternion": goal.quaternion}]
    for turn in turns_of:
        again = robot.inverse_kinematics(q + 0.1, "link7", goal.p, **turn)
        assert np.allclose(again.q, found.q)
    far = robot.inverse_kinematics(q, "link7", (9.0, 0.0, 0.0))
    assert far.status is arne.IkStatus.NOT_REACHED
    with pytest.raises(arne.Error,
                       match="^frame 'link7' does not reach its target: it is off by") as caught:
        robot.inverse_kinematics(q, "link7", (9.0, 0.0, 0.0), check=True)
    assert caught.value.code == "NOT_CONVERGED"
    both = robot.inverse_kinematics(q, "link7", [goal.p, (9.0, 0.0, 0.0)])
    assert (np.asarray(both.status) == [arne.IkStatus.REACHED, arne.IkStatus.NOT_REACHED]).all()
    with pytest.raises(arne.Error, match="in 1 of 2 states"):
        robot.inverse_kinematics(q, "link7", [goal.p, (9.0, 0.0, 0.0)], check=True)
    with pytest.raises(ValueError, match="^rpy: the Pose says already"):
        robot.inverse_kinematics(q, "link7", goal, rpy=(0, 0, 0))
