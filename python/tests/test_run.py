"""Simulations and plans: from files and dicts, with functions of one's own, stopped on the way."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Array

import arne

SOURCE = Path(os.environ.get("ARNE_SOURCE", "/nowhere"))
needs_source = pytest.mark.skipif(not (SOURCE / "examples").exists(), reason="no examples here")

ARM: dict[str, Any] = {
    "title": "An arm",
    "robot": "planar_2r",
    "duration": 0.5,
    "initial": {"q": [0.3, 0.2]},
    "integrator": {"method": "rk4", "step": 0.001},
}
GOAL = np.array([0.5, -0.2])


def spring(t: float, q: Any, qd: Any) -> Any:
    return 50 * (GOAL - q) - 8 * qd


# --- simulations


@needs_source
def test_scenario_file() -> None:
    run = arne.simulate(SOURCE / "examples/swimmer/scenario.yaml")
    assert run.complete and run.summary["kind"] == "simulate"
    assert run.table["time"][-1] == pytest.approx(run.summary["duration"])
    assert run.table.units["time"] == "s"
    assert set(run.figures) == {f["name"] for f in run.summary["figures"]}
    assert "not complete" not in repr(run)


def test_table_is_a_structured_array() -> None:
    run = arne.simulate(ARM)
    table = run.table
    assert isinstance(table, np.ndarray) and table.dtype.names == table.columns
    assert table.shape == (201,) and table["q.joint1"][0] == 0.3
    assert table.group("q").shape == (201, 2)
    assert getattr(table[:3], "units") == table.units
    with pytest.raises(KeyError):
        table.group("nothing")


def test_pandas_and_plots() -> None:
    pytest.importorskip("pandas")
    run = arne.simulate(ARM)
    frame = run.to_pandas()
    assert list(frame.columns) == list(run.table.columns)
    assert frame.attrs["units"]["tau.joint1"] == "N m"
    assert frame.equals(run.table.to_pandas())
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    figure = run.plot("q", "tau.joint1")
    assert len(figure.axes) == 2 and len(figure.axes[0].lines) == 2


def test_page_and_folder(tmp_path: Path) -> None:
    run = arne.simulate(ARM, out=tmp_path / "run")
    names = {p.name for p in (tmp_path / "run").iterdir()}
    assert {"result.csv", "summary.json", "inputs", "report.html"} <= names
    assert run.show() == (tmp_path / "run/report.html").resolve()
    assert run._repr_html_().startswith("<iframe")
    again = arne.Run(tmp_path / "run")
    assert np.array_equal(again.table, run.table)
    with pytest.raises(arne.Error, match="summary.json"):
        arne.Run(tmp_path)


def test_temporary_folders_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    run = arne.simulate(ARM)
    assert run.path.exists()
    with pytest.raises(arne.Error):
        arne.simulate({**ARM, "duration": -1})
    del run
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_controller_is_called_at_sample_times() -> None:
    times: list[float] = []

    def law(t: float, q: Any, qd: Any, reference: arne.Reference) -> Any:
        times.append(t)
        assert q.shape == (2,) and reference.q.shape == (2,)
        return spring(t, q, qd)

    run = arne.simulate(ARM, controller=law, sample_time=0.01)
    np.testing.assert_allclose(times, np.arange(50) * 0.01, atol=1e-12)
    np.testing.assert_allclose(run.table.group("q")[-1], GOAL, atol=0.05)
    held = run.table["tau.joint1"][np.searchsorted(run.table["time"], [0.0125, 0.015])]
    assert held[0] == held[1]


def test_controller_in_the_dict() -> None:
    a = arne.simulate(ARM, controller=spring, sample_time=0.01)
    b = arne.simulate({**ARM, "controller": {"type": spring, "sample_time": 0.01}})
    c = arne.simulate({**ARM, "controller": spring}, sample_time=0.01)
    assert np.array_equal(a.table, b.table) and np.array_equal(a.table, c.table)
    with pytest.raises(ValueError, match="^controller: "):
        arne.simulate({**ARM, "controller": {"type": spring, "kp": 3}})


def test_controller_is_the_law_of_the_file() -> None:
    """The same law in C and in Python, asked at the same times: the same motion to rounding."""
    robot = arne.load("planar_2r")
    gains = {"type": "pd_gravity", "kp": 50, "kd": 8, "sample_time": 0.005}

    def law(t: float, q: Any, qd: Any, reference: arne.Reference) -> Any:
        return 50 * (reference.q - q) - 8 * qd + robot.gravity(q)

    scenario = {**ARM, "initial": {"q": [0.3, 0.2], "qd": [1.0, -1.0]}}
    a = arne.simulate({**scenario, "controller": gains})
    b = arne.simulate(scenario, controller=law, sample_time=0.005)
    np.testing.assert_allclose(a.table.group("q"), b.table.group("q"), atol=1e-9)


def test_what_a_controller_raises() -> None:
    def law(t: float, q: Any, qd: Any) -> Any:
        if t > 0.2:
            raise RuntimeError("enough")
        return 0 * q

    with pytest.raises(RuntimeError, match="enough") as caught:
        arne.simulate(ARM, controller=law, sample_time=0.01)
    run = caught.value.run  # type: ignore[attr-defined]
    assert not run.complete and 0.2 <= run.table["time"][-1] < 0.25
    with pytest.raises(ValueError, match="^controller: 2 numbers expected, 3 given"):
        arne.simulate(ARM, controller=lambda t, q, qd: np.zeros(3))
    with pytest.raises(ValueError,
                       match=r"^controller: it returned nan for '\w+' \(torque 1 of 2\) at t = 0 s"):
        arne.simulate(ARM, controller=lambda t, q, qd: [0.0, np.nan])


def test_mistakes_are_told_all_at_once() -> None:
    with pytest.raises(arne.Error) as caught:
        arne.simulate({**ARM, "durations": 1, "integrator": {"method": "simpson"}})
    assert len(caught.value.mistakes) == 2
    first, second = sorted(caught.value.mistakes)
    assert first.startswith("durations: unknown key 'durations' (near matches: duration)")
    assert second.startswith("integrator.method: method 'simpson' is not one of")
    assert all(text in str(caught.value) for text in caught.value.mistakes)
    with pytest.raises(arne.Error, match=r"robot\.bodies\[0\]\.mass: "):
        arne.simulate({"robot": {"bodies": [{"name": "a", "mass": "heavy"}]}, "duration": 1})
    with pytest.raises(arne.Error, match=r"bodies\[0\]\.mass: body"):
        arne.load({"bodies": [{"name": "a", "mass": "heavy"}]})
    with pytest.raises(arne.Error, match="nowhere.yaml"):
        arne.simulate("nowhere.yaml")


def test_robots_of_ones_own() -> None:
    robot = arne.load("planar_2r").attach("link2", 1.0)
    heavy = arne.simulate({**ARM, "robot": robot}, controller=spring)
    light = arne.simulate(ARM, controller=spring)
    assert not np.allclose(heavy.table.group("q")[-1], light.table.group("q")[-1])
    document = {
        "name": "one",
        "bodies": [{"name": "base"},
                   {"name": "link", "mass": 1, "com": [0.5, 0, 0], "inertia": [0.01, 0.1, 0.1]}],
        "joints": [{"name": "j", "kind": "revolute", "parent": "base", "child": "link",
                    "axis": [0, 1, 0]}],
    }
    run = arne.simulate({"robot": document, "duration": 0.1})
    assert run.summary["energy_residual"] < 1e-6


def test_progress(capsys: pytest.CaptureFixture[str]) -> None:
    lines: list[str] = []
    long = {**ARM, "duration": 5.0, "integrator": {"method": "rk4", "step": 2e-5}}
    arne.simulate(long, progress=lines.append)
    assert lines and all(line.endswith("%") for line in lines)
    arne.simulate(ARM, progress=True)
    assert capsys.readouterr().out == ""


# --- plans

PROBLEM: dict[str, Any] = {
    "robot": "planar_2r",
    "time": 1.0,
    "start": {"position": [0, 0], "velocity": 0},
    "end": {"position": [1, 0.5], "velocity": 0},
}


def has_solver() -> bool:
    try:
        arne.plan({**PROBLEM, "objective": [{"quantity": "acceleration"}]})
    except arne.Error as e:
        return e.code != "UNSUPPORTED"
    return True


needs_solver = pytest.mark.skipif(not has_solver(), reason="no Ipopt here")


def acceleration(u: float, q: Any, qd: Any, qdd: Any, qddd: Any) -> Any:
    return qdd


def by_acceleration(u: float, q: Any, qd: Any, qdd: Any, qddd: Any) -> Any:
    gradient = np.zeros((2, 4, 2))
    gradient[:, 2] = np.eye(2)
    return gradient


@needs_solver
def test_quantities_in_python() -> None:
    built_in = arne.plan({**PROBLEM, "objective": [{"quantity": "acceleration"}]})
    exact = arne.plan(
        {**PROBLEM, "objective": [{"quantity": arne.Quantity(acceleration, 2, by_acceleration)}]})
    plain = arne.plan(PROBLEM, objective=[{"quantity": arne.Quantity(acceleration, 2)}])
    assert built_in.summary["objective"] == pytest.approx(15.0, rel=1e-6)  # 12 |dq|^2 of the cubic
    for run in (exact, plain):
        assert run.complete
        np.testing.assert_allclose(run.summary["objective"], built_in.summary["objective"],
                                   rtol=1e-6)


@needs_solver
def test_a_bound_in_python() -> None:
    bound = {"quantity": lambda u, q, qd, qdd, qddd: qd[0], "upper": 1.3, "name": "speed"}
    run = arne.plan(
        {**PROBLEM, "objective": [{"quantity": "acceleration"}], "constraints": [bound]})
    assert run.table["qd.joint1"].max() == pytest.approx(1.3, rel=0.01)
    with pytest.raises(ValueError, match="no key 'upperr'"):
        arne.plan(PROBLEM, constraints=[{**bound, "upperr": 1}])


@needs_solver
def test_what_a_quantity_raises() -> None:
    def broken(u: float, *z: Any) -> Any:
        raise RuntimeError("no such number")

    with pytest.raises(RuntimeError, match="no such number"):
        arne.plan(PROBLEM, objective=[{"quantity": broken}])


@needs_solver
def test_a_problem_that_has_no_solution() -> None:
    tight = [{"quantity": "velocity", "upper": 0.1, "lower": -0.1}]
    with pytest.raises(arne.Error) as caught:
        arne.plan({**PROBLEM, "objective": [{"quantity": "acceleration"}], "constraints": tight})
    assert caught.value.code in ("NOT_CONVERGED", "VALUE")


@needs_solver
@needs_source
def test_problem_file_and_warm_start(tmp_path: Path) -> None:
    problem = SOURCE / "examples/two_link_min_time/problem.yaml"
    if not problem.exists():
        problem = next((SOURCE / "examples/two_link_min_time").glob("*.yaml"))
    first = arne.plan(problem, out=tmp_path / "run")
    assert first.complete and (tmp_path / "run/report.html").exists()
    again = arne.plan(problem, warm=first)
    assert again.summary["objective"] == pytest.approx(first.summary["objective"], rel=1e-4)


# --- Ctrl-C

LONG = {**ARM, "duration": 1e6, "integrator": {"method": "rk4", "step": 1e-3}}


def interrupt(after: float, at: list[float]) -> threading.Thread:
    def later() -> None:
        time.sleep(after)
        at.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=later)
    thread.start()
    return thread


@pytest.mark.parametrize("controlled", [False, True])
def test_ctrl_c_leaves_what_was_done(tmp_path: Path, controlled: bool) -> None:
    at: list[float] = []
    thread = interrupt(0.5, at)
    with pytest.raises(arne.Interrupted) as caught:
        arne.simulate(LONG, out=tmp_path / "run", controller=spring if controlled else None)
    took = time.monotonic() - at[0]
    thread.join()
    run = caught.value.run
    assert took < 0.3 + 0.7  # the page is written within that, too; loaded machines get some slack
    assert run.path == tmp_path / "run.incomplete" and not run.complete
    assert run.table["time"][-1] > 0 and run.summary["time"] > 0
    assert not (tmp_path / "run").exists()


def test_ctrl_c_in_a_batch() -> None:
    robot = arne.load("humanoid")
    q = np.broadcast_to(robot.neutral(), (3_000_000, robot.q_count))
    qd = np.zeros(robot.v_count)
    at: list[float] = []
    thread = interrupt(0.3, at)
    with pytest.raises(KeyboardInterrupt):
        for _ in range(100):
            robot.inverse_dynamics(q, qd, qd)
    took = time.monotonic() - at[0]
    thread.join()
    assert took < 0.3 + 0.3


def test_ctrl_c_ends_a_script(tmp_path: Path) -> None:
    script = tmp_path / "long.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import arne
            print("go", flush=True)
            arne.simulate({LONG!r}, out={str(tmp_path / "run")!r})
            """
        )
    )
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"go\n"
    time.sleep(0.7)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode != 0 and b"Interrupted" in said
    assert (tmp_path / "run.incomplete/result.csv").exists()


# --- the GIL


def test_another_thread_goes_on() -> None:
    robot = arne.load("humanoid")
    count = 400_000
    q = np.broadcast_to(robot.neutral(), (count, robot.q_count))
    qd = np.zeros(robot.v_count)
    robot.inverse_dynamics(q[:10], qd, qd)
    steps = 0
    done = threading.Event()

    def work() -> None:
        robot.inverse_dynamics(q, qd, qd)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    started = time.monotonic()
    while not done.is_set():
        steps += 1
        time.sleep(0.001)
    took = time.monotonic() - started
    thread.join()
    assert steps > 0.2 * took / 0.01  # held, there would be one step or two


def test_plans_from_several_starts() -> None:
    problem = {**PROBLEM, "objective": [{"quantity": "acceleration"}]}
    one, best = arne.plan(problem), arne.plan(problem, starts=3, seed=5, threads=2, converge=0.5)
    assert [start["seed"] for start in best.summary["starts"]] == [0, 5, 6]
    assert best.summary["objective"] <= one.summary["objective"] * (1 + 1e-6)
    with pytest.raises(ValueError, match="^starts: at least 1"):
        arne.plan(problem, starts=0)


def test_plans_check_derivatives_and_draw_plots(tmp_path: Path) -> None:
    def energy(u: float, q: Array, qd: Array, qdd: Array, qddd: Array) -> Any:
        return np.sum(qd * qd, keepdims=True)

    def slope(factor: float) -> Any:
        def gradient(u: float, q: Array, qd: Array, qdd: Array, qddd: Array) -> Any:
            return np.stack([0 * q, factor * qd, 0 * q, 0 * q])[None]

        return gradient

    right, wrong = (arne.Quantity(energy, 1, slope(factor), "energy") for factor in (2.0, 2.1))
    objective = [{"quantity": right}]
    run = arne.plan(PROBLEM, objective=objective, check_derivatives=True, plots=True,
                    out=tmp_path / "run")
    assert any((run.path / "plots").glob("*.svg"))
    with pytest.raises(arne.Error, match="^derivatives are off by "):
        arne.plan(PROBLEM, objective=[{"quantity": wrong}], check_derivatives=True)


def test_packages_are_folders_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "package.xml").write_text("<package><name>our_parts</name></package>")
    (tmp_path / "parts" / "arm.xacro").write_text('<robot><link name="hand"/></robot>')
    (tmp_path / "arm.urdf.xacro").write_text(
        '<robot name="arm" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:include filename="$(find '
        'our_parts)/arm.xacro"/></robot>'
    )
    robot = arne.load("arm.urdf.xacro", packages={"our_parts": "parts"})
    assert [link.name for link in robot.links] == ["hand"]
    scenario = {"robot": "arm.urdf.xacro", "duration": 0.01}
    with pytest.raises(arne.Error, match="our_parts"):
        arne.load("arm.urdf.xacro")
    with pytest.raises(FileNotFoundError, match="no folder 'pieces' for our_parts"):
        arne.simulate(scenario, packages={"our_parts": "pieces"})
    with pytest.raises(ValueError, match="'a=b' is no name"):
        arne.load("arm.urdf.xacro", packages={"a=b": "parts"})


def test_tables_and_plots_in_a_notebook() -> None:
    run = arne.simulate(ARM)
    table = run.table
    assert repr(table).startswith(f"<arne.Table: {len(table)} rows of {len(table.columns)} "
                                  "columns: time [s], ")
    assert table._repr_html_().count("<tr>") == 12 and len(repr(table)) < 300
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figure = run.plot("q", "energy")
    figure.canvas.draw()
    for axis in figure.axes:
        legend = axis.get_legend()
        assert legend.get_window_extent().x0 >= axis.get_window_extent().x1  # beside the curves
    assert figure.axes[0].get_ylabel() == "q [rad]"
    pyplot.close(figure)
