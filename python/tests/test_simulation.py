"""Simulations that are held: steps, states, copies, many worlds, and mistakes that have names."""

from __future__ import annotations

import copy
import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arne

PD = {"type": "pd", "kp": 60, "kd": 2, "sample_time": 0.001}


@pytest.fixture(scope="module")
def robot() -> arne.Robot:
    return arne.load("quadruped")


def stance(height: float = 0.31) -> Any:
    q = np.zeros(19)
    q[2], q[6] = height, 1
    q[8::3], q[9::3] = -0.8, 1.6
    return q


def standing(robot: arne.Robot, **more: Any) -> arne.Simulation:
    return arne.Simulation(robot,
                           **{"ground": "rigid", "step": 1e-3, "q": stance(), "controller": PD,
                              **more})


def test_steps_are_the_run(robot: arne.Robot) -> None:
    """The numbers of arne.simulate, bit for bit."""
    for ground, integrator in (("rigid", {"method": "euler", "step": 0.001}),
                               ("compliant", {"method": "rk4", "step": 0.0005})):
        scenario = {
            "robot": robot,
            "duration": 0.1,
            "initial": {"q": {"base": stance()[:7],
                              **{j.name: float(stance()[j.q_start]) for j in robot.joints[1:]}}},
            "controller": PD,
            "surroundings": [{"type": "ground", "friction": 0.8, "model": ground}],
            "integrator": integrator,
            "record": {"every": 0.001, "columns": ["q", "qd"]},
        }
        run = arne.simulate(scenario)
        sim = arne.Simulation(scenario, step=0.001)
        names = [c for c in run.table.columns if c.startswith("q.")]
        for row in run.table[:-1]:
            assert sim.time == row["time"]
            assert np.array_equal(sim.q, [row[c] for c in names])
            sim.step()


def test_starts_on_the_ground(robot: arne.Robot) -> None:
    """The base goes up or down until the lowest foot, a sphere, touches the plane."""
    leaning = np.array([0.3, -0.2, 1]) / np.linalg.norm([0.3, -0.2, 1])
    for normal in (np.array([0.0, 0.0, 1.0]), leaning):
        initial = {"q": list(stance(2)), "height": "ground"}
        sim = arne.Simulation(robot, ground={"normal": list(normal)}, step=1e-3, initial=initial)
        feet = [robot.pose(sim.q, f.name).p for f in robot.frames if f.name.endswith("_foot")]
        assert abs(min(foot @ normal for foot in feet) - 0.0175) < 1e-12
        assert np.array_equal(np.delete(sim.q, 2), np.delete(stance(), 2))
    with pytest.raises(arne.Error, match="needs a ground"):
        arne.Simulation(robot, initial={"height": "ground"})
    with pytest.raises(ValueError, match="says the height itself"):
        arne.Simulation(robot, ground=True, q=stance(), initial={"height": "ground"})


def test_torques(robot: arne.Robot) -> None:
    sim, tau = standing(robot), np.zeros(18)
    for _ in range(300):
        tau[6:] = 60 * (stance()[7:] - sim.q[7:]) - 2 * sim.qd[6:]
        sim.step(tau)
    assert sim.time == pytest.approx(0.3) and np.array_equal(sim.tau, tau)
    feet = {"front_left_foot", "front_right_foot", "rear_left_foot", "rear_right_foot"}
    assert {c.name for c in sim.contacts if c.force[2] > 1} == feet
    weight = 9.81 * sim.robot.total_mass
    assert sim.forces.shape == (5, 3) and sim.forces[:, 2].sum() == pytest.approx(weight, rel=0.1)
    assert all(np.hypot(*c.force[:2]) <= 0.8 * c.force[2] + 1e-9 for c in sim.contacts)
    e = sim.energy
    sim.step(tau, 50)
    later = sim.energy
    assert later.total - later.work == pytest.approx(e.total - e.work, abs=1e-4)


def test_state_copy_pickle(robot: arne.Robot) -> None:
    sim = standing(robot)
    sim.step(n=40)
    state, twins = sim.state, [sim.copy(), copy.copy(sim), copy.deepcopy(sim),
                               pickle.loads(pickle.dumps(sim))]
    sim.step(n=60)
    for twin in twins:
        twin.step(n=60)
        assert np.array_equal(twin.q, sim.q) and np.array_equal(twin.state, sim.state)
    end = sim.state
    sim.state = state
    assert sim.time == pytest.approx(0.04)
    sim.step(n=60)
    assert np.array_equal(sim.state, end)
    sim.reset()
    assert sim.time == 0 and np.array_equal(sim.q, stance())
    sim.reset(stance(0.5), np.full(18, 0.1))
    assert sim.q[2] == 0.5 and np.array_equal(sim.qd, np.full(18, 0.1))


def test_target(robot: arne.Robot) -> None:
    sim, q = standing(robot, controller={"type": "pd", "kp": 200, "kd": 4}), stance()
    q[9::3] = 1.3
    sim.set_target(q)
    sim.step(n=800)
    assert np.abs(sim.q[9::3] - 1.3).max() < 0.1


def test_scenario_files(robot: arne.Robot, tmp_path: Path) -> None:
    import os

    source = Path(os.environ["ARNE_SOURCE"]) if "ARNE_SOURCE" in os.environ else Path(
        __file__).parents[2]
    sim = arne.Simulation(source / "examples/quadruped_push/scenario.yaml")
    sim.step(n=20)
    assert sim.step_time == 1e-3 and sim.robot.name == "quadruped"
    assert np.array_equal(pickle.loads(pickle.dumps(sim)).q, sim.q)
    with pytest.raises(ValueError, match="ground: a scenario file has its own keys"):
        arne.Simulation(source / "examples/quadruped_push/scenario.yaml", ground=True)
    with pytest.raises(arne.Error):
        arne.Simulation(tmp_path / "nothing.yaml")
    page = Path(sim.show())
    assert page.stat().st_size > 10000


def test_mistakes(robot: arne.Robot) -> None:
    sim, tau = standing(robot), np.zeros(18)
    tau[8] = np.nan
    before = sim.state
    with pytest.raises(arne.Error, match="torque of joint 'front_left_knee' is not finite"):
        sim.step(tau)
    with pytest.raises(ValueError, match="tau: shape"):
        sim.step(np.zeros(12))
    with pytest.raises(ValueError, match="tau: shape"):
        sim.step(np.zeros((2, 18)))
    with pytest.raises(TypeError):
        sim.step("torques")
    with pytest.raises(ValueError, match="n: -1 steps"):
        sim.step(n=-1)
    with pytest.raises(arne.Error, match="position of joint"):
        sim.reset(np.full(19, np.nan))
    with pytest.raises(ValueError, match="state: shape"):
        sim.state = np.zeros(3)
    with pytest.raises(arne.Error, match="not a state of this robot"):
        sim.state = np.zeros(sim.state.size)
    assert np.array_equal(sim.state, before)
    with pytest.raises(TypeError, match="controller: a function"):
        arne.Simulation(robot, controller=lambda t, q, qd: qd)
    with pytest.raises(arne.Error, match="step must be positive"):
        arne.Simulation(robot, step=-1.0)
    with pytest.raises(arne.Error, match="frction"):
        arne.Simulation(robot, ground={"frction": 1})


def worlds(robot: arne.Robot, n: int = 21, **more: Any) -> arne.Simulations:
    given = {
        "ground": "rigid", "step": 1e-3, "q": stance(), "kp": np.linspace(40, 60, n)[:, None],
        "kd": 2,
        "ground_friction": np.linspace(0.2, 1, n),
        "payload": {"frame": "body", "mass": np.linspace(0, 2, n)},
        "gravity": np.array([0, 0, -9.81]) + np.linspace(0, 0.5, n)[:, None],
    }  # fmt: skip
    return arne.Simulations(robot, n, **{**given, **more})


def test_worlds_are_simulations(robot: arne.Robot) -> None:
    many = worlds(robot)
    many.step(n=150)
    for i in (0, 7, 20):
        one = arne.Simulation(
            robot,
            ground={"model": "rigid", "friction": float(np.linspace(0.2, 1, 21)[i])},
            step=1e-3,
            q=stance(),
            controller={"type": "pd", "kp": float(np.linspace(40, 60, 21)[i]), "kd": 2},
            gravity=list(np.array([0, 0, -9.81]) + np.linspace(0, 0.5, 21)[i]),
            payloads=[{"frame": "body", "mass": float(np.linspace(0, 2, 21)[i])}],
        )
        one.step(n=150)
        assert np.allclose(one.q, many.q[i], atol=1e-9, rtol=0)
    assert many.forces.shape == (21, 5, 3) and (many.forces[:, :, 2].sum(1) > 20).all()
    assert len(many.contacts(3)) >= 4 and len(many) == 21


def test_threads_and_arrays(robot: arne.Robot) -> None:
    tau = np.random.default_rng(1).normal(size=(21, 18))
    ends = []
    for threads in (1, 2, 5):
        many = worlds(robot, threads=threads, kp=None, kd=None)
        for _ in range(30):
            many.step(tau, 2)
        ends.append(many.q.copy())
    assert np.array_equal(ends[0], ends[1]) and np.array_equal(ends[0], ends[2])
    q = many.q  # the numbers themselves, which outlive the worlds
    assert not q.flags.writeable and q is many.q
    before = q.copy()
    many.step()
    assert not np.array_equal(q, before)
    one = worlds(robot, kp=None, kd=None)
    for _ in range(30):
        one.step(np.asfortranarray(tau.astype(np.float32)), 2)
    assert np.allclose(one.q, ends[0], atol=1e-3)
    del many
    assert np.isfinite(q).all()


def test_one_world_fails(robot: arne.Robot) -> None:
    many, good, tau = worlds(robot), worlds(robot), np.zeros((21, 18))
    good.step(tau)
    tau[4, 9] = tau[13, 8] = np.nan
    with pytest.raises(arne.Error,
                       match="world 4: the torque of joint 'front_right_abduction' is not finite"):
        many.step(tau)
    assert many.failed == [4, 13]
    same = [np.array_equal(a, b) for a, b in zip(many.q, good.q)]
    assert [i for i, s in enumerate(same) if not s] == [4, 13]
    many.step(n=1)
    assert many.failed == []


def test_resets_and_states(robot: arne.Robot) -> None:
    many = worlds(robot)
    many.step(n=20)
    mask = np.zeros(21, bool)
    mask[[2, 5]] = True
    many.reset(mask)
    assert np.array_equal(many.time == 0, mask)
    many.reset(mask, q=stance(0.4))
    assert np.array_equal(many.q[mask, 2], [0.4, 0.4])
    state = many.state
    twin = pickle.loads(pickle.dumps(many))
    many.step(n=30)
    twin.step(n=30)
    assert np.array_equal(many.q, twin.q)
    many.state = state
    many.step(n=30)
    assert np.array_equal(many.q, twin.q)
    many.set_target(stance(), mask=mask)
    with pytest.raises(ValueError, match="mask: shape"):
        many.reset([True])
    with pytest.raises(ValueError, match="kp: shape"):
        worlds(robot, kp=np.zeros(3))
    with pytest.raises(arne.Error, match="world 0: "):
        worlds(robot, ground_friction=-1)
    with pytest.raises(arne.Error, match="give gains, or torques"):
        worlds(robot, controller=PD)
    with pytest.raises(ValueError, match="payload: takes"):
        worlds(robot, payload={"mass": 1})


def test_one_caller_at_a_time(robot: arne.Robot) -> None:
    many, found = worlds(robot, 64), []

    def look() -> None:
        try:
            for _ in range(200):
                many.step()
        except RuntimeError as error:
            found.append(str(error))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("has not returned yet" in text for text in found) and np.isfinite(many.q).all()
