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


def test_muscles(tmp_path: Path) -> None:
    person = arne.load(FOLDER / "person.osim")
    motion = tmp_path / "slow.csv"
    t = np.linspace(0, 1, 41)
    rows = np.column_stack([t, 0.1 * np.sin(6 * t), -0.3 - 0.1 * np.sin(6 * t)])
    np.savetxt(motion, rows, delimiter=",", header="time,q.hip_flexion_r,q.knee_angle_r",
               comments="")
    muscles, joints, missed = person.static_optimisation(motion)
    activation = muscles.group("activation")
    assert missed == 0 and activation.shape == (41,
                                                16) and activation.min() >= 0 and activation.max(
                                                    ) <= 1
    assert muscles.units["force.vasti_r"] == "N" and muscles.units["rest.knee_angle_r"] == "N m"
    assert joints.units["reaction.tibia_r.fy"] == "N"
    dear, _, _ = person.static_optimisation(motion,
                                            reserves={"knee_angle_r": 0.1, "hip_flexion_r": 0.1})
    assert abs(dear["rest.knee_angle_r"]).max() < abs(muscles["rest.knee_angle_r"]).max()
    soft, _, _ = person.static_optimisation(motion, compliant=True, passive=True, power=3)
    assert not np.allclose(soft.group("activation"), activation)
    with pytest.raises(arne.Error, match="power must be from 1"):
        person.static_optimisation(motion, power=0.5)


def test_muscle_forces() -> None:
    person = arne.load(FOLDER / "person.osim")
    a = np.linspace(0.1, 1, 5)[:, None] * np.ones(16)
    length = np.full(16, 0.4)
    found = person.muscle_forces(a, length)
    pull = (found["active"] + found["passive"]) * np.cos(found["pennation"])
    tight = found["force"] > 0
    assert found["force"].shape == (5, 16) and found["force_by"].shape == (5, 16, 4) and tight.any()
    assert np.allclose(pull[tight], found["force"][tight], atol=1e-8)
    again = person.muscle_forces(a, length, tendon="fibre", state=found["fibre_length"])
    assert np.allclose(again["force"][tight], found["force"][tight], rtol=1e-9, atol=1e-8)
    assert abs(again["rate"][tight]).max() < 1e-6
    with pytest.raises(ValueError, match="tendon: one of"):
        person.muscle_forces(a, length, tendon="soft")
    with pytest.raises(ValueError, match="state: needed"):
        person.muscle_forces(a, length, tendon="force")


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
