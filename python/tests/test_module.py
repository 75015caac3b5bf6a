"""The module as a whole: what it exports, what it says, what it keeps."""

from __future__ import annotations

import gc
import inspect
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import states

import arne
from arne import _arne

SOURCE = Path(os.environ.get("ARNE_SOURCE", "/nowhere"))


def test_all_is_what_is_there() -> None:
    assert len(set(arne.__all__)) == len(arne.__all__)
    for name in arne.__all__:
        assert getattr(arne, name) is not None
        assert name in dir(arne)
    public = {n for n in vars(arne)
              if not n.startswith("_")} - {"annotations", "TYPE_CHECKING", "Any"}
    modules = {n for n in public if inspect.ismodule(getattr(arne, n))}
    assert public - modules <= set(arne.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(arne, "nothing")


def public_things() -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name in arne.__all__:
        thing = getattr(arne, name)
        if not callable(thing):
            continue
        found.append((name, thing))
        if inspect.isclass(thing) and thing.__module__.startswith("arne"):
            for inner, value in inspect.getmembers(thing):
                own = any(inner in vars(k) for k in thing.__mro__
                          if k.__module__.startswith("arne"))
                if not inner.startswith("_") and own and (callable(value)
                                                          or isinstance(value, property)):
                    found.append((f"{name}.{inner}", value))
    return found


THINGS = public_things()


@pytest.mark.parametrize("name", [name for name, _ in THINGS])
def test_everything_has_a_docstring(name: str) -> None:
    thing = dict(THINGS)[name]
    text = inspect.getdoc(thing)
    assert text and len(text) > 10 and text[0].isupper()


@pytest.mark.parametrize("name", [m["name"] for m in _arne.methods()])
def test_methods_say_shapes_and_units(name: str) -> None:
    text = inspect.getdoc(getattr(arne.Robot, name))
    assert text is not None
    takes, gives = text.split("Takes\n")[1].split("Gives\n")
    for line in takes.splitlines() + gives.splitlines():
        if re.match(r" +\w+: \(", line):
            assert re.search(r"\([^)]*\) \[[^\]]+\]", line), line
    assert re.search(r"\(\.\.\.[^)]*\) \[[^\]]+\]", gives)
    assert inspect.signature(getattr(arne.Robot, name)).parameters


ARRAYS = ("integrate difference random_configuration neutral start_configuration normalize "
          "coordinate_rate complete complete_jerk effort_utilisation payload_capacity "
          "body_wrenches attach")


@pytest.mark.parametrize("name", ARRAYS.split())
def test_other_methods_say_shapes_and_units(name: str) -> None:
    text = inspect.getdoc(getattr(arne.Robot, name)) or ""
    assert re.search(r"\((\.\.\.|[QV3c6])[^)]*\)", text) and re.search(r"\[[^\]]+\]", text), text


def test_every_method_one_by_one_and_in_lanes() -> None:
    """All algorithms: many states give what one state gives, whatever way they go."""
    robot = arne.load("arm7")
    s = states(robot, 21)
    inputs = {"q": s.q, "qd": s.qd, "qdd": s.qdd, "qddd": s.qddd, "tau": s.tau}
    inputs["ground"] = np.tile([0, 0, -5, 0, 0, 1, 0.8, 1e4, 0.5, 1e-3], (21, 1))
    more: dict[str, Any] = {"frame": "link7", "joint": "joint3", "given": ["joint1"],
                            "contact": "link7", "position": [0.3, 0.2, 0.4]}
    computed = 0
    for m in _arne.methods():
        call: dict[str, Any] = {}
        for a in m["arguments"]:
            if not a["required"]:
                continue
            name = a["name"]
            if name in inputs:
                call[name] = inputs[name]
            elif name in more:
                call[name] = more[name]
            elif name in ("along_q", "along_qd", "along_qdd", "multiplier"):
                call[name] = s.qddd
            elif name in ("steps", "dt"):
                call[name] = 3 if name == "steps" else 0.01
        method = getattr(robot, m["name"])
        try:
            many = method(**call)
        except arne.Error as e:
            assert e.code in ("UNSUPPORTED", "MODEL", "SINGULAR"), (m["name"], e)
            continue
        computed += 1
        for k in (0, 20):
            one = method(
                **{n: x[k] if isinstance(x, np.ndarray) and x.ndim == 2 else x
                   for n, x in call.items()})
            for output in m["outputs"]:
                a, b = many, one
                if len(m["outputs"]) > 1:
                    a, b = getattr(many, output["name"]), getattr(one, output["name"])
                if output["name"] == "pose":
                    a, b = a.numbers, b.numbers
                scale = float(np.max(np.abs(b), initial=1.0))
                np.testing.assert_allclose(a[k], b, rtol=1e-9, atol=1e-9 * scale, err_msg=m["name"])
    assert computed > 30


def test_singular_states_are_named() -> None:
    two = arne.load(
        {
            "name": "stretching",
            "bodies": [{"name": "base"}, {"name": "upper"},
                       {"name": "fore", "mass": 2, "com": [1, 0, 0]}],
            "joints": [
                {"name": "a", "kind": "revolute", "parent": "base", "child": "upper",
                 "axis": [0, 0, 1]},
                {"name": "b", "kind": "revolute", "parent": "upper", "child": "fore",
                 "axis": [0, 0, 1], "origin": {"xyz": [1, 0, 0]}},
            ],
        }
    )
    q = np.ones((20_000, 2))
    q[12_345] = 0
    with pytest.raises(arne.Error, match="^state 12345: ") as caught:
        two.inverse_mass_matrix(q)
    assert caught.value.code == "SINGULAR"


def test_set_threads(arm: arne.Robot) -> None:
    s = states(arm, 5000)
    wanted = arm.inverse_dynamics(s.q, s.qd, s.qdd)
    for n in (1, 2, 5):
        arne.set_threads(n)
        assert arne.get_threads() == n
        np.testing.assert_array_equal(arm.inverse_dynamics(s.q, s.qd, s.qdd), wanted)
    arne.set_threads(0)
    with pytest.raises(ValueError, match="^threads: "):
        arne.set_threads(-1)


# --- loops


@pytest.mark.parametrize("name", ["five_bar", "four_bar", "slider_crank", "palletiser"])
def test_closed_mechanisms(name: str) -> None:
    """tau = M qdd + C qd + g holds over all joints, and forward dynamics is the inverse of inverse
    dynamics."""
    robot = arne.load(name, friction=False)
    if not robot.loop_count:
        pytest.skip("a tree")
    q = robot.assemble(robot.start_configuration()).q
    numbers = np.random.default_rng(2)
    qd, qdd = robot.complete(q, numbers.normal(size=robot.v_count),
                             numbers.normal(size=robot.v_count))
    tau = robot.inverse_dynamics(q, qd, qdd)
    assert not tau[~robot.active].any()
    M, C, g = robot.mass_matrix(q), robot.coriolis_matrix(q, qd), robot.gravity(q)
    scale = max(1.0, float(np.abs(tau).max()))
    np.testing.assert_allclose(M @ qdd + C @ qd + g, tau, atol=1e-9 * scale)
    np.testing.assert_allclose(M @ qdd + robot.bias(q, qd), tau, atol=1e-9 * scale)
    np.testing.assert_allclose(robot.forward_dynamics(q, qd, tau), qdd,
                               atol=1e-8 * max(1.0, float(np.abs(qdd).max())))
    d = robot.inverse_dynamics_derivatives(q, qd, qdd)
    np.testing.assert_allclose(d.dtau_dqdd, M, atol=1e-9 * float(np.abs(M).max()))
    many = robot.mass_matrix(np.stack([q, q]))
    np.testing.assert_array_equal(many[1], M)
    with pytest.raises(arne.Error, match="open=True"):
        robot.second_derivatives(q, qd, qdd)
    with pytest.raises(arne.Error) as caught:
        robot.mass_matrix(q + 0.3)
    assert caught.value.code == "LOOP_OPEN"
    tree = arne.load(name, friction=False, open=True)
    assert tree.open and np.linalg.matrix_rank(tree.mass_matrix(q)) == robot.v_count


# --- memory


def resident() -> int:
    """Bytes of this process that are in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="no /proc here")
def test_a_million_calls_leave_memory_flat(arm: arne.Robot) -> None:
    q, out = np.zeros(7), np.empty(7)
    f, g = arm.inverse_dynamics, arm.jacobian

    def run(count: int) -> None:
        for _ in range(count):
            f(q, q, q, out=out)
            f(q, q, q)

    def others(count: int) -> None:
        for _ in range(count):
            g(q, "link7")
            arm.energy(q, q)
            wrongs: list[Any] = [[0.0] * 6, "no"]
            for bad in wrongs:
                with pytest.raises((ValueError, TypeError)):
                    f(bad, q, q)

    run(20_000)
    others(500)
    gc.collect()
    before = resident()
    run(500_000)
    others(2_000)
    gc.collect()
    assert resident() - before < 2_000_000


def test_robots_go(arm: arne.Robot) -> None:
    for _ in range(20):
        arne.load("arm7").inverse_dynamics(*[np.zeros((100, 7))] * 3)
    gc.collect()
    before = resident()
    for _ in range(200):
        arne.load("arm7").inverse_dynamics(*[np.zeros((100, 7))] * 3)
    gc.collect()
    assert resident() - before < 8_000_000
    assert threading.active_count() < 20


# --- the interpreter


def test_import_is_small() -> None:
    """Nothing but the package itself, and little of that, comes beyond what NumPy has loaded: that
    takes milliseconds."""
    code = ("import sys, numpy; before = set(sys.modules); import arne; print(*(set(sys.modules) - "
            "before))")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found = set(run.stdout.split())
    assert {"arne", "arne._arne", "arne._robot"} <= found
    assert {m for m in found if not m.startswith("arne")} <= {"tempfile", "shutil", "weakref"}
    assert not found & {"arne._results", "arne._run", "arne._plan", "arne._simulate", "arne._sweep",
                        "arne.identify"}


def test_bench_runs() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "arne.bench", "--states", "2000", "--repeats", "2"],
        capture_output=True, text=True, check=True
    )
    for word in ("C batch", "component-major", "C-ordered", "import after NumPy"):
        assert word in run.stdout


def test_the_benchmark_measures() -> None:
    """What it prints is there and is a time; how long is for `python -m arne.bench` to say."""
    from arne.bench import measure

    found = measure(count=2_000, repeats=2)
    for name in ("call_out", "c_call", "component_major_part", "c_ordered_part"):
        assert found[name] > 0


def test_the_source_tree_is_not_used() -> None:
    """The package is that of the wheel: nothing that it needs is anywhere else."""
    here = Path(arne.__file__).parent
    code = ("import arne; r = arne.load('arm7'); print(r.path, r._repr_html_()[:7]); "
            "arne.simulate({'robot': r, 'duration': 0.01})")
    run = subprocess.run([sys.executable, "-P", "-c", code], cwd="/", capture_output=True,
                         text=True, check=True)
    assert str(here) in run.stdout and "<iframe" in run.stdout
    if (here / "_arne.abi3.so").is_symlink():
        return
    assert SOURCE / "python" not in here.parents
