"""Optimal control: arrays in and out, functions in Python, receding horizons, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arne

Q0 = np.array([0, -0.785, 0, -2.356, 0, 1.571, 0.785])


def reach(robot: arne.Robot, **more: Any) -> arne.OptimalControl:
    rest = np.concatenate([Q0, np.zeros(7)])
    target = np.eye(4)
    target[:3, 3] = robot.pose(Q0, "link7").p + [0.05, 0.1, 0]
    terms = [
        arne.Term("position", frame="link7", weight=100, reference=target),
        arne.Term("state", weight=0.1, reference=rest),
        arne.Term("control", weight=1e-3),
        arne.Term("position", frame="link7", weight=100, reference=target, at_end=True),
    ]
    return arne.OptimalControl(robot, 30, 0.01, terms, **more)


@pytest.fixture(scope="module")
def arm() -> arne.Robot:
    return arne.load("arm7")


def test_solve(arm: arne.Robot) -> None:
    oc = reach(arm)
    found = oc.solve(Q0)
    assert found.converged and found.outcome == "converged" and found.gap == 0
    assert found.states.shape == (31,
                                  14) and found.controls.shape == (30, 7) and found.gains.shape == (
                                      30, 7, 14)
    q, qd = found.q[0], found.qd[0]
    for k in range(30):  # the step that the solver takes is the one that is documented
        qd = qd + 0.01 * arm.forward_dynamics(q, qd, found.controls[k])
        q = arm.integrate(q, 0.01 * qd)
        assert np.allclose(q, found.q[k + 1], atol=1e-9)
    again = oc.solve(Q0, states=found.states, controls=found.controls)
    assert again.iterations <= 1 and np.isclose(again.cost, found.cost, rtol=1e-9)


def test_bounds(arm: arne.Robot) -> None:
    free = reach(arm).solve(Q0)
    most = 0.8 * np.abs(free.controls).max()
    found = reach(arm, lower=-most, upper=most).solve(Q0)
    assert found.converged and np.abs(found.controls).max() <= most and found.cost > free.cost


def test_accelerations(arm: arne.Robot) -> None:
    """Accelerations as controls find the motion and the torques that torques find."""
    found = reach(arm, lower=-20, upper=20).solve(Q0)
    bounds = arne.Term("torque", lower=-20, upper=20)
    terms = [t if t.quantity != "control" else arne.Term("torque", weight=t.weight)
             for t in reach(arm).terms]
    oc = arne.OptimalControl(arm, 30, 0.01, [*terms, bounds], controls="accelerations",
                             threads=2)
    other = oc.solve(Q0)
    assert other.converged and np.isclose(other.cost, found.cost, rtol=1e-8)
    torques = np.array([oc.torques(*x) for x in zip(other.q, other.qd, other.controls)])  # noqa: B905
    assert np.allclose(torques, found.controls, atol=1e-3) and np.abs(found.controls).max() > 19.99
    assert np.allclose(other.controls[0], arm.forward_dynamics(other.q[0], other.qd[0], torques[0]))


def test_functions(arm: arne.Robot) -> None:
    """The term of states, written in Python as residuals and as a cost, gives the same optimum."""
    rest = np.concatenate([Q0, np.zeros(7)])

    def residual(knot: int, q: Any, qd: Any, u: Any) -> tuple[Any, Any]:
        return np.concatenate([q, qd]) - rest, np.eye(14, 21)

    def cost(knot: int, q: Any, qd: Any, u: Any) -> tuple[Any, Any, Any]:
        r = np.concatenate([q, qd]) - rest
        return 0.5 * r @ r, np.concatenate([r, np.zeros(7)]), np.diag(
            np.concatenate([np.ones(14), np.zeros(7)]))

    best = reach(arm).solve(Q0).cost
    for term in (
        arne.Term("residual", weight=0.1, rows=14, function=residual),
        arne.Term("cost", weight=0.1, function=cost),
    ):
        terms = reach(arm).terms
        terms[1] = term
        found = arne.OptimalControl(arm, 30, 0.01, terms).solve(Q0)
        assert found.converged and np.isclose(found.cost, best, rtol=1e-9)


def test_function_raises(arm: arne.Robot) -> None:
    def broken(*_: Any) -> Any:
        raise KeyError("not there")

    oc = arne.OptimalControl(arm, 5, 0.01,
                             [arne.Term("control", weight=1), arne.Term("cost", function=broken)])
    with pytest.raises(KeyError, match="not there"):
        oc.solve(Q0)


def test_step(arm: arne.Robot) -> None:
    oc = reach(arm)
    q, qd = Q0.copy(), np.zeros(7)
    for tick in range(300):
        now = oc.step(q, qd, 0.001 if tick else 0)
        assert now.control.shape == (7,) and now.gain.shape == (7, 14)
        qd = qd + 0.001 * arm.forward_dynamics(q, qd, now.control)
        q = q + 0.001 * qd
    target = oc.terms[0].reference[9:]
    assert np.linalg.norm(arm.pose(q, "link7").p - target) < 0.5 * np.linalg.norm(
        arm.pose(Q0, "link7").p - target)
    oc.terms[0].reference[9:] += 0.1  # a target that moves: the array is read where it lies
    assert not np.allclose(oc.step(q, qd, 0.001).control, now.control, rtol=1e-3)
    assert oc.step(q, qd, deadline=1e-9).outcome == "deadline"


def test_refusals(arm: arne.Robot) -> None:
    with pytest.raises(ValueError, match="controls: 'speeds' is not one of torques, accelerations"):
        reach(arm, controls="speeds")
    with pytest.raises(ValueError, match="quantity: 'sate'"):
        arne.OptimalControl(arm, 5, 0.01, [arne.Term("sate")])
    with pytest.raises(ValueError, match=r"terms\[0\].reference: shape \(3,\)"):
        arne.OptimalControl(arm, 5, 0.01, [arne.Term("state", reference=[1, 2, 3])])
    with pytest.raises(arne.Error, match="horizon of 0 knots"):
        arne.OptimalControl(arm, 0, 0.01, [])
    with pytest.raises(arne.Error, match="not finite"):
        reach(arm).solve(Q0 * np.nan)
    with pytest.raises(ValueError, match="states: shape"):
        reach(arm).solve(Q0, states=np.zeros((3, 3)))


def test_schedule() -> None:
    dog = arne.load("quadruped", friction=False)
    stance = dog.neutral()
    stance[2] = 0.5
    still = np.concatenate([stance, np.zeros(dog.v_count)])
    feet = ["front_left_foot", "front_right_foot", "rear_left_foot", "rear_right_foot"]
    cost = []
    for first in (4, 50):
        oc = arne.OptimalControl(
            dog, knots=8, step=0.01,
            phases=[arne.Phase(0, []), arne.Phase(first, feet, impact=True)],
            terms=[arne.Term("state", weight=1, reference=still),
                   arne.Term("control", weight=1e-3)],
        )  # fmt: skip
        if first == 50:
            oc.schedule([0] * 4 + [1] * 4)
        cost.append(oc.solve(stance).cost)
        with pytest.raises(ValueError, match="8 knots"):
            oc.schedule([0])
        with pytest.raises(arne.Error, match="no phase 7"):
            oc.schedule([7] * 8)
    assert abs(cost[1] / cost[0] - 1) < 1e-12


def test_problem_file() -> None:
    problem = {
        "robot": "planar_2r",
        "time": 0.4,
        "start": {"position": [0.3, 0.4]},
        "objective": [
            {"quantity": "deviation", "reference": [1, -1], "weight": 10, "weights": [1, 2]},
            {"quantity": "torque", "weight": 0.01},
        ],
        "constraints": [{"quantity": "torque", "lower": -8, "upper": 8}],
        "solver": {"method": "riccati", "step": 0.01},
    }
    run = arne.plan(problem)
    assert run.summary["method"] == "riccati"
    assert run.summary["status"] == "converged"
    assert np.abs(run.table["tau.joint1"]).max() <= 8
    with pytest.raises(ValueError, match="starts: has no meaning"):
        arne.plan(problem, starts=3)
    with pytest.raises(arne.Error, match="multiple of the step"):
        arne.plan({**problem, "time": 0.405})
