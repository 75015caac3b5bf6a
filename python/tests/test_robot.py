"""Robots: reading, what they say of themselves, copies, other processes."""

from __future__ import annotations

import copy
import os
import pickle
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from conftest import NAMES, ROBOTS, states

import arne


@pytest.mark.parametrize("name", NAMES)
def test_every_robot_of_ours(name: str) -> None:
    robot = arne.load(ROBOTS / name)
    assert robot.path == str(ROBOTS / name)
    assert robot.q_count == sum(j.q_count for j in robot.joints) + robot.theta_count
    assert len(robot.links) == robot.link_count
    assert str(robot).startswith(robot.name)
    assert robot.name in repr(robot)
    assert robot._repr_html_().startswith("<iframe")


def test_files_with_arguments() -> None:
    data = Path(os.environ.get("ARNE_SOURCE", Path(__file__).parents[2])) / "tests" / "data"
    xacro = data / "xacro" / "arm.urdf.xacro"
    robot = arne.load(xacro, xacro={"name": "a", "links": 1})
    assert robot.name == "a" and robot.v_count == 1
    assert arne.load(xacro, xacro={"name": "a"}).v_count == 2
    with pytest.raises(arne.Error, match="name:=VALUE"):
        arne.load(xacro)
    assert arne.load(data / "sdf" / "hand.sdf", model="hand").v_count == 2


def test_options(tmp_path: Path) -> None:
    robot = arne.load("arm7", base="free", gravity=(0, 0, -1.62))
    assert robot.base == "free" and robot.q_count == 14 and robot.v_count == 13
    assert robot.gravity_vector == (0.0, 0.0, -1.62)
    q = np.zeros(6)
    moving = np.ones(6)
    puma, bare = arne.load("puma560"), arne.load("puma560", friction=False, rotor=False)
    assert not np.allclose(puma.bias(q, moving), bare.bias(q, moving))
    assert not np.allclose(puma.mass_matrix(q), bare.mass_matrix(q))
    with pytest.raises(ValueError, match="^base: "):
        arne.load("arm7", base="floating")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="^gravity: "):
        arne.load("arm7", gravity=(0, -9.81))


def test_errors_have_a_place(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    joint = "joints: [{name: j, kind: revolute, parent: a, child: b}]"
    bad.write_text(f"name: bad\n{joint}\nbodies: [{{name: a}},\n  {{name: b, mass: -1}}]\n")
    with pytest.raises(arne.Error) as caught:
        arne.load(bad)
    e = caught.value
    assert e.file == str(bad) and e.line == 4 and e.link == "b" and e.code
    assert str(e).startswith(f"{bad}:4: ")
    again = pickle.loads(pickle.dumps(e))
    assert str(again) == str(e) and again.code == e.code
    with pytest.raises(arne.Error) as caught:
        arne.load(tmp_path / "nowhere.urdf")
    assert caught.value.code == "FILE" and "nowhere.urdf" in str(caught.value)


def test_flaws_are_warnings(tmp_path: Path) -> None:
    flawed = tmp_path / "flawed.yaml"
    flawed.write_text("name: f\nbodies: [{name: a, mass: 1}]\ncolour: red\n")
    with pytest.warns(arne.FlawWarning, match="colour"):
        arne.load(flawed)
    with pytest.raises(arne.Error):
        arne.load(flawed, strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(arne.FlawWarning):
            arne.load(flawed)


DOCUMENT: dict[str, Any] = {
    "name": "two",
    "bodies": [{"name": "base"},
               {"name": "link", "mass": 2, "com": [0.5, 0, 0], "inertia": [0.01, 0.2, 0.2]}],
    "joints": [
        {"name": "j", "kind": "revolute", "parent": "base", "child": "link", "axis": [0, 1, 0]}],
}


def test_flaws_by_kind_and_grouped() -> None:
    """Many of one kind are one warning of its class; the place is the caller's."""
    links = [{"name": f"l{i}", "mass": 1, "inertia": [1, 1, 1], "colour": "red"} for i in range(4)]
    joints = [{"name": f"j{i}", "kind": "revolute", "parent": f"l{i}", "child": f"l{i + 1}"}
              for i in range(3)]
    with pytest.warns(arne.UnknownWarning,
                      match=r"unknown key 'colour'.*; likewise 3 more \[unknown\]") as told:
        arne.load({"bodies": links, "joints": joints})
    assert len(told) == 1
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", arne.UnknownWarning)
        arne.load({"bodies": links, "joints": joints})
    for kind in ("Contact", "Degrees", "Inertia", "Limit", "Lost", "Mesh", "Unknown"):
        assert issubclass(getattr(arne, kind + "Warning"), arne.FlawWarning)


def test_dict_and_builder_are_one() -> None:
    from_dict = arne.load(DOCUMENT)
    builder = arne.Builder("two").body("base")
    builder.body("link", mass=2, com=np.array([0.5, 0, 0]), inertia=(0.01, 0.2, 0.2))
    builder.joint("j", "base", "link", axis=(0, 1, 0))
    built = builder.build()
    q = np.array([0.3])
    assert built.gravity(q) == from_dict.gravity(q)
    np.testing.assert_allclose(built.gravity(q), -2 * 9.81 * 0.5 * np.cos(0.3), rtol=1e-14)
    with pytest.raises(arne.Error, match="nobody"):
        arne.Builder("x").joint("j", "nobody", "either").build()
    with pytest.raises(TypeError, match="cannot hold"):
        arne.load({"name": object()})


def test_names_that_are_near(arm: arne.Robot) -> None:
    with pytest.raises(ValueError,
                       match=r"frame: there is no 'lnk7' in this robot \(near matches: link7"):
        arm.frame("lnk7")
    with pytest.raises(ValueError,
                       match=r"joint: there is no 'jont1' in this robot \(near matches: joint1"):
        arm.joint("jont1")


def test_names(arm: arne.Robot) -> None:
    assert arm.joint("joint3").name == "joint3" and arm.joint_index("joint3") == 2
    assert arm.frame("link7").is_link
    q = np.zeros(7)
    np.testing.assert_array_equal(arm.jacobian(q, "link7"),
                                  arm.jacobian(q, arm.frame_index("link7")))
    wrongs: tuple[str | int, ...] = ("hand", 99, -1)
    for wrong in wrongs:
        with pytest.raises(ValueError, match="^frame: "):
            arm.jacobian(q, wrong)
    with pytest.raises(TypeError, match="^frame: "):
        arm.jacobian(q, 1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("ending", ["yaml", "urdf"])
def test_save(arm: arne.Robot, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"again.{ending}"
    arm.save(path)
    again = arne.load(path)
    s = states(arm, 10)
    np.testing.assert_allclose(again.inverse_dynamics(s.q, s.qd, s.qdd),
                               arm.inverse_dynamics(s.q, s.qd, s.qdd), rtol=1e-9)
    with pytest.raises(arne.Error):
        arm.save(tmp_path / "again.docx")


def test_payload(arm: arne.Robot) -> None:
    loaded = arm.attach("link7", 2.0, com=(0, 0, 0.1))
    assert loaded.total_mass == pytest.approx(arm.total_mass + 2)
    q = arm.random_configuration()
    assert not np.allclose(loaded.gravity(q), arm.gravity(q))
    with pytest.raises(arne.Error):
        arm.attach("link7", -1.0)


def test_copies_are_the_robot(arm: arne.Robot) -> None:
    assert copy.copy(arm) is arm and copy.deepcopy(arm) is arm


@pytest.mark.parametrize("name", NAMES)
def test_pickle(name: str) -> None:
    robot = arne.load(ROBOTS / name, open=True)
    again = pickle.loads(pickle.dumps(robot))
    assert type(again) is arne.Robot and again.path == robot.path and again.open and str(
        again) == str(robot)
    q = robot.neutral()
    np.testing.assert_array_equal(again.mass_matrix(q), robot.mass_matrix(q))


def test_damaged_pickle(arm: arne.Robot) -> None:
    block = arm._pack()
    for bad in (b"", block[:-1], block[:40], block[:-1] + b"\x01", b"x" + block[1:]):
        with pytest.raises(arne.Error):
            arne.Robot._from_pack(bad, None)


def torques(robot: arne.Robot, seed: int) -> Any:
    s = states(robot, 200, seed=seed)
    return robot.inverse_dynamics(s.q, s.qd, s.qdd)


def test_threads_share_a_robot(arm: arne.Robot) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(torques, [arm] * 32, range(32)))
    for seed, tau in enumerate(found):
        np.testing.assert_array_equal(tau, torques(arm, seed))


def test_processes(arm: arne.Robot) -> None:
    wanted = torques(arm, 3)  # the parent has threads of its own by now
    with ProcessPoolExecutor(2) as pool:
        for tau in pool.map(torques, [arm] * 4, [3] * 4):
            np.testing.assert_array_equal(tau, wanted)


# --- rollouts


def test_rollout_by_euler_is_what_it_says(quadruped: arne.Robot) -> None:
    s = states(quadruped, 3)
    got = quadruped.rollout(s.q, s.qd, s.tau, 5, 1e-3)
    q, qd = s.q, s.qd
    for _ in range(5):
        qd = qd + 1e-3 * quadruped.forward_dynamics(q, qd, s.tau)
        q = quadruped.integrate(q, 1e-3 * qd)
    np.testing.assert_allclose(got.q_end, q, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(got.qd_end, qd, rtol=1e-12, atol=1e-12)


def test_rollout_by_rk4_is_of_order_4(arm: arne.Robot) -> None:
    s = states(arm)
    ends = [arm.rollout(s.q, 0.1 * s.qd, s.tau, n, 0.1 / n, integrator="rk4").q_end
            for n in (10, 20, 1000)]
    far, near = (float(np.abs(end - ends[2]).max()) for end in ends[:2])
    assert 12 < far / near < 20


def test_rollout_follows_its_controller(arm: arne.Robot) -> None:
    s = states(arm, 2)
    wanted = s.q + 0.1
    weight = np.diag(arm.mass_matrix(s.q[0]))
    kp, kd = 100 * weight, 20 * weight
    tau = arm.gravity(wanted)
    end = arm.rollout(s.q, 0 * s.qd, tau, 5000, 1e-3, wanted, integrator="rk4", kp=kp, kd=kd)
    np.testing.assert_allclose(end.q_end, wanted, atol=1e-3)
    one = arm.rollout(s.q, s.qd, s.tau, 1, 1e-3, wanted, s.qdd, kp=kp, kd=kd)
    torque = s.tau + kp * (wanted - s.q) + kd * (s.qdd - s.qd)
    np.testing.assert_allclose(one.qd_end, s.qd + 1e-3 * arm.forward_dynamics(s.q, s.qd, torque),
                               rtol=1e-12)


@pytest.mark.parametrize("name, base", [("quadruped", "free"), ("arm6", "prescribed")])
def test_an_algorithm_without_a_short_way_is_a_batch_of_one(
        name: str, base: Literal["free", "prescribed"]) -> None:
    robot = arne.load(ROBOTS / f"{name}.yaml", base=base)
    s = states(robot)
    numbers = np.random.default_rng(3)
    f_ext = numbers.normal(size=(robot.body_count, 6))
    moves = numbers.normal(size=6) if base == "prescribed" else None
    wanted = robot.forward_dynamics(s.q, s.qd, s.tau, f_ext=f_ext, base_acceleration=moves)
    out = np.empty_like(wanted)
    assert robot.forward_dynamics_matrix(s.q, s.qd, s.tau, f_ext=f_ext, base_acceleration=moves,
                                         out=out) is out
    np.testing.assert_allclose(out, wanted, rtol=1e-9, atol=1e-9 * float(np.abs(wanted).max()))


def test_rollout_on_ground(quadruped: arne.Robot) -> None:
    stand = np.array([0, 0, 0.303, 0, 0, 0, 1] + 4 * [0, -0.8, 1.6])
    q, qd, tau = np.tile(stand, (2, 1)), np.zeros((2, 18)), np.zeros((2, 18))
    ground = np.tile([0, 0, 0, 0, 0, 1, 0.8, 2e5, 0.5, 0.05], (2, 1))
    kp = np.array(6 * [0.0] + 12 * [80.0])
    end = quadruped.rollout(q, qd, tau, 2000, 5e-4, q, ground=ground, kp=kp, kd=kp / 40)
    assert (abs(end.q_end[:, 2] - 0.295) < 0.01).all()  # it stands
    own = quadruped.rollout(q, qd, tau, 2000, 5e-4, q, ground=ground, stiffness=np.tile(kp, (2, 1)),
                            damping=kp / 40)
    np.testing.assert_allclose(own.q_end, end.q_end, atol=1e-12)
    other = quadruped.rollout(
        0 * q, qd, tau, 2000, 5e-4, q, ground=ground, kp=kp, kd=kp / 40, restart=np.ones(2),
        q_start=q, qd_start=qd
    )
    np.testing.assert_allclose(other.q_end, end.q_end, atol=1e-12)
    with pytest.raises(NotImplementedError, match="^rollout: sweeps is for arrays on a GPU"):
        quadruped.rollout(q, qd, tau, 1, 1e-3, ground=ground, sweeps=4)
    with pytest.raises(NotImplementedError, match="^rollout: mass_factor is for arrays on a GPU"):
        quadruped.rollout(q, qd, tau, 1, 1e-3, mass_factor=np.ones(quadruped.body_count))
    rollout: Any = quadruped.rollout
    wrong: dict[str, dict[str, Any]] = {
        "restart: goes with": {"restart": np.ones(2)},
        "ground: sweeps": {"sweeps": 4},
        "left_out: there is no contact shape 'nose'": {"ground": ground, "left_out": ["nose"]},
        "stiffness and damping": {"kp": kp, "damping": kp},
        "policy: needs torque_limits": {"policy": np.zeros(1), "q_ref": q},
    }
    for words, x in wrong.items():
        with pytest.raises(ValueError, match="^" + words):
            rollout(q, qd, tau, 1, 1e-3, **x)


def test_rollout_says_what_is_wrong(arm: arne.Robot) -> None:
    s = states(arm)
    rollout: Any = arm.rollout
    wrong: dict[str, dict[str, Any]] = {
        "steps: at least one": {"steps": 0},
        "dt: a positive": {"dt": -1e-3},
        "kp: needs q_ref": {"kp": np.ones(7)},
        "q_ref: needs kp": {"q_ref": s.q},
        "qd_ref: needs kd": {"qd_ref": s.qd},
        r"kp: shape \(\.\.\., 7\) expected": {"kp": np.ones(6), "q_ref": s.q},
        "integrator: one of 'euler', 'rk4'": {"integrator": "heun"},
    }
    for words, x in wrong.items():
        with pytest.raises(ValueError, match="^" + words):
            rollout(s.q, s.qd, s.tau, **{"steps": 1, "dt": 1e-3, **x})


def test_configurations_as_mujoco_has_them(tmp_path: Path) -> None:
    path = tmp_path / "free.xml"
    path.write_text(
        "<mujoco><compiler angle='radian'/><worldbody><body name='b'><freejoint/><geom size='0.1'/>"
        "<body pos='0 0 1'><joint name='j' axis='0 1 0'/><geom "
        "size='0.1'/></body></body></worldbody></mujoco>"
    )
    robot = arne.load(path)
    half = np.sqrt(0.5)
    qpos = np.array([1.0, 2.0, 3.0, half, 0.0, 0.0, half, 0.4])  # turned about z by a quarter
    qvel = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.3])
    qacc = np.zeros(7)
    q, qd, qdd = robot.from_mujoco(qpos, qvel, qacc)
    np.testing.assert_allclose(q, [1, 2, 3, 0, 0, half, half, 0.4])
    np.testing.assert_allclose(qd, [0, -1, 0, 0, 0, 2, 0.3], atol=1e-15)
    np.testing.assert_allclose(qdd, [-2, 0, 0, 0, 0, 0, 0], atol=1e-15)
    for back, there in zip(robot.to_mujoco(q, qd, qdd), (qpos, qvel, qacc)):
        np.testing.assert_allclose(back, there, atol=1e-15)
    with pytest.raises(ValueError, match="shape"):
        robot.from_mujoco([1.0])


def test_reduced_robots(arm: arne.Robot) -> None:
    lock = {"joint2": 0.3, "joint5": -0.7}
    small = arm.reduce(lock)
    kept = [j.q_start for j in arm.joints if j.name not in lock]
    assert [j.name for j in small.joints] == [arm.joints[i].name for i in kept]
    rng = np.random.default_rng(5)
    q, qd, qdd = np.zeros((3, 20, arm.q_count))
    for part in (q, qd, qdd):
        part[:, kept] = rng.normal(size=(20, len(kept)))
    for name, value in lock.items():
        q[:, arm.joint(name).q_start] = value
    whole = arm.inverse_dynamics(q, qd, qdd)[:, kept]
    assert np.allclose(small.inverse_dynamics(q[:, kept], qd[:, kept], qdd[:, kept]), whole, rtol=0,
                       atol=1e-12)
    assert np.allclose(small.pose(q[:, kept], "link7").matrix, arm.pose(q, "link7").matrix,
                       atol=1e-14)
    with pytest.raises(arne.Error, match=r"there is no joint 'joint22' \(near matches: joint2"):
        arm.reduce({"joint22": 0})
    with pytest.raises(arne.Error, match="joint 'joint2' cannot be locked at 9"):
        arm.reduce({"joint2": 9})
    gripper = arne.load("arm7_gripper")
    leader = next(j.name for j in gripper.joints
                  if any(k.mimic >= 0 and gripper.joints[k.mimic].name == j.name
                         for k in gripper.joints))
    assert len(gripper.reduce({leader: 0.01}).joints) == len(gripper.joints) - 2


def test_equilibrium_of_springs(tmp_path: Path) -> None:
    body = "mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.05, 0.05]"
    file = tmp_path / "arm.yaml"
    file.write_text(
        f"""name: arm
gravity: [0, -9.81, 0]
bodies: [{{name: base}}, {{name: a, {body}}}, {{name: b, {body}}}]
joints:
  - {{name: one, parent: base, child: a, kind: revolute}}
  - {{name: two, parent: a, child: b, kind: revolute, origin: {{xyz: [1, 0, 0]}}}}
elastic: [{{joint: one, stiffness: 100}}, {{joint: two, stiffness: 20, rest: 0.5}}]
"""
    )
    robot = arne.load(file)

    def left(q: Any, tau: Any, up: float = 0.0) -> Any:
        a, b = np.cos(q[..., 0]), np.cos(q[..., 0] + q[..., 1])
        one = 100 * q[..., 0] + 9.81 * (1.5 * a + 0.5 * b) - up * a
        return np.stack([one, 20 * (q[..., 1] - 0.5) + 9.81 * 0.5 * b], axis=-1) - tau

    tau = np.array([[0.0, 0.0], [1.0, 2.0]])
    assert abs(left(robot.equilibrium(np.zeros(2), tau), tau)).max() < 1e-10
    pushed = robot.equilibrium([0, 0], wrench={"b": [0, 5, 0, 0, 0, 0]}, wrench_fixed_in="world")
    assert abs(left(pushed, 0, up=5.0)).max() < 1e-10
    held = robot.equilibrium([0.3, 0], held="one")
    assert held[0] == 0.3 and abs(left(held, 0)[1]) < 1e-10
    modes = robot.modes([0.3, 0], held=["one"])
    assert np.isfinite(modes.frequency).tolist() == [True, False]
    with pytest.raises(arne.Error, match="base at rest"):
        robot.equilibrium([0, 0], base_velocity=[0, 0, 0, 0, 0, 1])
    with pytest.raises(arne.Error, match="no spring holds"):
        arne.load(ROBOTS / "planar_2r.yaml").equilibrium([0, 0])
