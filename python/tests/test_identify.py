"""From recordings to a robot: motions, fits, loads; logs as files and as arrays; what is wrong with
them."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arne

PRIOR: dict[str, Any] = {
    "name": "arm",
    "gravity": [0, -9.81, 0],
    "bodies": [
        {"name": "base", "mass": 0},
        {"name": "upper", "mass": 1.2, "com": [0.25, 0, 0], "inertia": [0.01, 0.03, 0.04, 0, 0, 0]},
        {"name": "fore", "mass": 0.8, "com": [0.2, 0, 0], "inertia": [0.008, 0.02, 0.022, 0, 0, 0]},
    ],
    "joints": [
        {"name": "shoulder", "kind": "revolute", "parent": "base", "child": "upper",
         "axis": [0, 0, 1],
         "limits": {"lower": -2, "upper": 2, "velocity": 4, "effort": 60}},
        {"name": "elbow", "kind": "revolute", "parent": "upper", "child": "fore", "axis": [0, 0, 1],
         "origin": {"xyz": [0.5, 0, 0]},
         "limits": {"lower": -2, "upper": 2, "velocity": 4, "effort": 30}},
    ],
}  # fmt: skip


def truth() -> arne.Robot:
    """The robot that is recorded: heavier, and with friction."""
    own = {**PRIOR, "bodies": [dict(b) for b in PRIOR["bodies"]],
           "joints": [dict(j) for j in PRIOR["joints"]]}
    own["bodies"][2]["mass"] = 1.1
    own["bodies"][2]["com"] = [0.23, 0.02, 0]
    own["joints"][0]["friction"] = {"viscous": 0.5, "coulomb": [0.4, 0.3]}
    own["joints"][1]["friction"] = {"viscous": 0.2, "coulomb": 0.15}
    return arne.load(own)


def record(robot: arne.Robot, rows: int = 1500, rate: float = 100.0,
           noise: float = 0.0) -> dict[str, Any]:
    t = np.arange(rows) / rate
    w = 2 * np.pi * np.array([0.31, 0.47])
    phase = np.outer(t, w) + [0.3, 1.1]
    q = 0.9 * np.sin(phase) + 0.4 * np.cos(2.3 * phase)
    qd = w * (0.9 * np.cos(phase) - 0.92 * np.sin(2.3 * phase))
    qdd = w**2 * (-0.9 * np.sin(phase) - 2.116 * np.cos(2.3 * phase))
    tau = robot.inverse_dynamics(q, qd, qdd)
    tau += noise * np.random.default_rng(1).normal(size=tau.shape)
    return {"time": t, "q": q, "qd": qd, "qdd": qdd, "tau": tau}


def write_log(path: Path, log: dict[str, Any]) -> Path:
    names = ["shoulder", "elbow"]
    columns = [c for c in ("q", "qd", "qdd", "tau", "current") if c in log]
    header = ["time", *(f"{c}.{n}" for c in columns for n in names)]
    np.savetxt(path, np.hstack([log["time"][:, None], *(log[c] for c in columns)]), "%.17g", ",",
               header=",".join(header), comments="")  # fmt: skip
    return path


def test_exact_data_give_the_robot_back() -> None:
    robot = truth()
    log = record(robot)
    found = arne.identify.fit(PRIOR, log)
    assert isinstance(found, arne.identify.Fit) and found.summary["consistent"] is True
    assert found.summary["fit"]["elbow"]["percent"] < 1e-3
    assert {"parameter", "value", "standard_deviation", "prior", "unit", "seen",
            "grouping"} <= set(found.table.columns)
    row = found.table[found.table["parameter"] == "elbow.viscous"]
    assert row["value"][0] == pytest.approx(0.2, abs=1e-5) and row["prior"][0] == 0
    again = found.robot.inverse_dynamics(log["q"], log["qd"], log["qdd"])
    np.testing.assert_allclose(again, log["tau"], atol=1e-4)
    assert found.residuals.group("residual").shape[1] == 2
    assert found.friction["speed.elbow"].shape == (160,)
    assert set(found.links["unit"]) <= {"kg", "kg m", "kg m^2"}
    assert "report.html" in str(found.show()) and "<iframe" in found._repr_html_()
    assert "consistent" in repr(found)


def test_files_and_arrays_are_the_same(tmp_path: Path) -> None:
    log = record(truth(), noise=0.05)
    path = write_log(tmp_path / "log.csv", log)
    a = arne.identify.fit(PRIOR, log)
    b = arne.identify.fit(PRIOR, path, out=tmp_path / "found")
    assert (tmp_path / "found/report.html").exists() and (tmp_path / "found/robot.yaml").exists()
    columns = {"time": log["time"]}
    for part in ("q", "qd", "qdd", "tau"):
        for k, joint in enumerate(("shoulder", "elbow")):
            columns[f"{part}.{joint}"] = log[part][:, k]
    c = arne.identify.fit(PRIOR, columns)
    d = arne.identify.fit(PRIOR, arne.read_table(path))
    e = arne.identify.fit(PRIOR, {k: np.asfortranarray(v) for k, v in log.items()})
    for other in (b, c, d, e):
        np.testing.assert_allclose(other.table["value"], a.table["value"], rtol=1e-9, atol=1e-12)


# Coulomb friction is left out on purpose
@pytest.mark.filterwarnings("ignore:.*residuals are not white")
def test_words_and_settings(tmp_path: Path) -> None:
    log = record(truth(), noise=0.05)
    free = arne.identify.fit(PRIOR, log, estimator="free", friction="viscous", hold_back=0)
    assert free.summary["estimator"] == "free" and free.summary["validate"] == {}
    assert not [n for n in free.table["parameter"] if "coulomb" in n]
    file = tmp_path / "settings.yaml"
    file.write_text("estimator: free\nfriction: [viscous]\nfilter: {cutoff: 12}\n")
    by_file = arne.identify.fit(PRIOR, log, settings=file, hold_back=0)
    by_dict = arne.identify.fit(PRIOR, log, settings={"estimator": "free", "friction": ["viscous"]},
                                cutoff=12, hold_back=0)
    np.testing.assert_array_equal(by_file.table["value"], by_dict.table["value"])
    assert by_file.summary["cutoff"] == 12
    over = arne.identify.fit(PRIOR, log, settings=file, estimator="consistent", cutoff=0)
    assert over.summary["estimator"] == "consistent" and over.summary["cutoff"] == 0
    checked = arne.identify.fit(PRIOR, log, validate=record(truth(), 900, 100.0, 0.05))
    assert checked.summary["validate_rows"] > 500


def test_currents_with_and_without_gains() -> None:
    log = record(truth(), noise=0.01)
    currents = {"time": log["time"], "q": log["q"], "qd": log["qd"], "qdd": log["qdd"],
                "current": log["tau"] / [10, 5]}
    known = arne.identify.fit(PRIOR, currents, gains=[10, 5])
    assert known.summary["gains"] == {"shoulder": 10, "elbow": 5}
    light = {**PRIOR, "gravity": [0, 0, 0]}  # nothing but friction to speak of
    with pytest.warns(arne.FlawWarning, match="gain of the drive of joint 'elbow' is doubtful"):
        arne.identify.fit(light,
                          {**currents, "current": 0.02 * currents["current"] + np.sign(log["qd"])})


def test_design_and_load() -> None:
    motion = arne.identify.design(PRIOR, starts=1, iterations=10, rate=200, noise=0.1)
    assert motion.summary["condition"] < motion.summary["condition_random"]
    assert motion.motion.columns[:3] == ("time", "q.shoulder",
                                         "q.elbow") and len(motion.motion) == 2001
    assert abs(motion.table.group("qd")[0]).max() < 1e-9
    assert (motion.parameters["standard_deviation"] > 0).all()
    splines = arne.identify.design(PRIOR, motion="splines", starts=1, iterations=10)
    assert splines.summary["motion"] == "splines" and splines.summary["condition"] < 60
    robot = truth()
    loaded = robot.attach("fore", 2.0, (0.3, 0.01, 0), (0.01, 0.01, 0.01, 0, 0, 0))
    load = arne.identify.payload(robot, record(loaded), frame="fore")
    assert load.mass == pytest.approx(2.0, abs=0.02) or load.summary["mass_deviation"] > 0.02
    assert load.table["parameter"][0] == "m" and len(load.table) == 10
    assert load.table["value"][0] == load.mass and load.robot.total_mass == pytest.approx(
        robot.total_mass + load.mass)
    both = arne.identify.payload(robot, record(loaded), unloaded=record(robot))
    assert both.frame == "fore"
    assert both.mass * both.com[0] == pytest.approx(0.6, abs=1e-3)


def test_mistakes(tmp_path: Path) -> None:
    log = record(truth())
    with pytest.raises(TypeError, match="misses 'logs'"):
        arne.identify.fit(PRIOR)
    with pytest.raises(ValueError, match="^log: there is no column 'time'"):
        arne.identify.fit(PRIOR, {"q": log["q"], "tau": log["tau"]})
    with pytest.raises(ValueError, match="^log: tau: shape"):
        arne.identify.fit(PRIOR, {**log, "tau": log["tau"][:, :1]})
    with pytest.raises(ValueError, match="^log: there is no column 'q.elbow'"):
        arne.identify.fit(PRIOR,
                          {"time": log["time"], "q.shoulder": log["q"][:, 0], "tau": log["tau"]})
    with pytest.raises(arne.Error, match="joint 'elbow' does not move") as still:
        arne.identify.fit(PRIOR, {**log, "q": log["q"] * [1, 0], "qd": log["qd"] * [1, 0]})
    assert still.value.joint == "elbow"
    path = write_log(tmp_path / "log.csv",
                     {**log, "q": log["q"] * [1, 0], "qd": log["qd"] * [1, 0],
                      "tau": 0 * log["tau"] + 3})
    with pytest.raises(arne.Error, match="is constant|does not move") as both:
        arne.identify.fit(PRIOR, path, out=tmp_path / "none")
    assert both.value.file == str(path) and len(both.value.mistakes) >= 3
    assert not (tmp_path / "none").exists()
    with pytest.raises(arne.Error, match=r"^friction.*viscus"):
        arne.identify.fit(PRIOR, log, friction="viscus")
    with pytest.raises(ValueError, match="no link or frame|nothing"):
        arne.identify.payload(PRIOR, log, frame="nothing")
    with pytest.raises(ValueError, match="^noise: one number or \\(2,\\)"):
        arne.identify.design(PRIOR, noise=[1, 2, 3])
    legs = arne.load("quadruped", base="free")
    zeros = np.zeros((100, legs.v_count))
    with pytest.raises(arne.Error, match="cannot be identified"):
        arne.identify.fit(legs, {"time": np.arange(100), "q": zeros, "tau": zeros})


def test_memory_stays_flat() -> None:
    """Fits, and fits that fail, give back what they took."""
    log = record(truth(), 400)

    def pages() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1])

    seen = []
    for _ in range(5):
        for _ in range(4):
            arne.identify.fit(PRIOR, log)
            with pytest.raises(arne.Error):
                arne.identify.fit(PRIOR, {**log, "q": 0 * log["q"]})
        seen.append(pages())
    assert seen[-1] - seen[1] < 256  # pages of 4 kB; one log alone is 30 a fit


def test_interrupt() -> None:
    """Ctrl-C is heard within the search, and leaves no folder."""
    started = time.monotonic()

    def press() -> None:
        time.sleep(0.4)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    with pytest.raises(KeyboardInterrupt):
        arne.identify.design("arm6", starts=500, iterations=500)
    assert time.monotonic() - started < 30
