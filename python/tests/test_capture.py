"""Recorded motions of people: OpenSim's files, from markers to torques."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import arne

FOLDER = Path(os.environ.get("ARNE_SOURCE", Path(__file__).parents[2])) / "examples" / "markers"


def test_from_markers_to_torques(tmp_path: Path) -> None:
    person = arne.load(FOLDER / "person.osim")
    q, errors = person.track(FOLDER / "walk.trc", tasks=FOLDER / "tasks.xml")
    assert q.columns[0] == "time" and len(q) == 61 and q.units["q.hip_flexion_r"] == "rad"
    swing = 0.1 + 0.4 * np.sin(2 * np.pi * q["time"])
    assert np.sqrt(np.mean((q["q.hip_flexion_r"] - swing) ** 2)) < 0.008
    assert np.isnan(errors["L.THIGH"]).sum() == 20 and np.nanmax(errors.group("R.HEEL")) < 0.005
    heavy, _ = person.track(FOLDER / "walk.trc", weights={"R.HEEL": 0.0})
    assert not np.allclose(heavy["q.ankle_angle_r"], q["q.ankle_angle_r"], atol=1e-6)

    motion = tmp_path / "walk.csv"
    rows = np.column_stack([q[c] for c in q.columns])
    np.savetxt(motion, rows, delimiter=",", header=",".join(q.columns), comments="")
    recorded = person.recorded(motion, loads=FOLDER / "loads.xml", cutoff=6)
    assert recorded["time"].shape == (61,)
    assert np.sqrt(np.mean(recorded["tau.pelvis_ty"] ** 2)) < 8
    alone = person.recorded(motion, cutoff=6)
    assert np.sqrt(np.mean(alone["tau.pelvis_ty"] ** 2)) > 600
    assert alone.units["tau.pelvis_ty"] == "N" and alone.units["tau.pelvis_tilt"] == "N m"
    state = [alone.group(part)[30] for part in ("q", "qd", "qdd")]
    assert np.allclose(person.inverse_dynamics(*state), alone.group("tau")[30], atol=1e-9)


def test_mistakes() -> None:
    person = arne.load(FOLDER / "person.osim")
    with pytest.raises(arne.Error, match="no marker 'NOSE'"):
        person.track(FOLDER / "walk.trc", weights={"NOSE": 1.0})
    with pytest.raises(arne.Error, match="no frame of the robot"):
        person.track(FOLDER / "grf.mot")
    with pytest.raises(arne.Error, match="no column is a coordinate"):
        person.recorded(FOLDER / "grf.mot")
    table = arne.read_table(FOLDER / "walk.trc")
    assert table.units["ASIS.x"] == "m" and table.columns[1] == "STERNUM.x"
