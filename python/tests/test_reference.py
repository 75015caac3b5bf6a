"""The laws of mechanics and the numbers of another library, through Python; all states of a robot
in one call."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROBOTS, reference, states

import arne

FOLDER = (reference() or Path("/nowhere")) / "robots"
FILES = sorted(FOLDER.glob("*.json")) if FOLDER.exists() else []
TREES = [p.name for p in sorted(ROBOTS.iterdir())
         if p.suffix in (".yaml", ".urdf") and "loops:" not in p.read_text()
         and "parallel:" not in p.read_text()]  # fmt: skip


def close(a: Any, b: Any, tolerance: float = 1e-9) -> None:
    scale = max(1.0, float(np.max(np.abs(b), initial=0.0)))
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=0, atol=tolerance * scale)


def test_the_reference_is_there() -> None:
    if "ARNE_REFERENCE" not in os.environ:
        pytest.skip("ARNE_REFERENCE is not set")
    assert len(FILES) >= 5


@pytest.mark.parametrize("path", FILES, ids=[p.stem for p in FILES])
def test_numbers_of_another_library(path: Path) -> None:
    told = json.loads(path.read_text())
    base = "free" if told["floating_base"] else "fixed"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = arne.load(path.with_suffix(".urdf"), base=base, friction=False, rotor=False)  # type: ignore[arg-type]
    # Entry i of ours is entry v[i] of theirs.
    q_at, v_at = np.empty(robot.q_count, int), np.empty(robot.v_count, int)
    theirs = {j["name"]: j for j in told["joints"]}
    for joint in robot.joints:
        j = theirs.get(joint.name, theirs.get("root_joint"))
        assert j is not None
        q_at[joint.q_start : joint.q_start + joint.q_count] = j["idx_q"] + np.arange(joint.q_count)
        v_at[joint.v_start : joint.v_start + joint.v_count] = j["idx_v"] + np.arange(joint.v_count)
    all_states = told["states"]

    def stack(key: str) -> Any:
        return np.array([s[key] for s in all_states])

    q, qd, qdd, tau = stack("q")[:, q_at], stack("v")[:,
                                                      v_at], stack("a")[:, v_at], stack("tau_in")[
                                                          :, v_at]
    square = np.ix_(np.arange(len(all_states)), v_at, v_at)
    close(robot.inverse_dynamics(q, qd, qdd), stack("rnea")[:, v_at])
    close(robot.gravity(q), stack("gravity_torque")[:, v_at])
    close(robot.bias(q, qd), stack("nle")[:, v_at])
    close(robot.mass_matrix(q), stack("M")[square])
    close(robot.inverse_mass_matrix(q), stack("Minv")[square])
    close(robot.forward_dynamics(q, qd, tau), stack("aba_qdd")[:, v_at], 1e-8)
    d = robot.inverse_dynamics_derivatives(q, qd, qdd)
    close(d.dtau_dq, stack("dtau_dq")[square])
    close(d.dtau_dqd, stack("dtau_dv")[square])
    f = robot.forward_dynamics_derivatives(q, qd, tau)
    close(f.dqdd_dtau, stack("dqdd_dtau")[square])
    close(f.dqdd_dq, stack("dqdd_dq")[square], 1e-7)
    close(robot.com(q).com, stack("com"))
    energy = robot.energy(q, qd)
    close(energy.kinetic, stack("kinetic_energy"))
    close(robot.centroidal_matrix(q), stack("centroidal_Ag")[:, :, v_at])
    last = told["last_joint"]["name"]
    link = robot.frames[robot.joint(last).child].name
    close(robot.jacobian(q, link, axes="aligned"), stack("J_LWA_last")[:, :, v_at])
    close(robot.jacobian(q, link, axes="body"), stack("J_LOCAL_last")[:, :, v_at])
    close(robot.jacobian(q, link, axes="world"), stack("J_WORLD_last")[:, :, v_at])
    close(robot.acceleration(q, qd, qdd, link, axes="aligned"), stack("a_last_LWA_classical"))
    for k, s in enumerate(all_states):
        if "fext_last_LOCAL" in s:
            wrench = {link: s["fext_last_LOCAL"]}
            close(robot.inverse_dynamics(q[k], qd[k], qdd[k], wrench=wrench),
                  np.array(s["rnea_fext"])[v_at])
            close(robot.forward_dynamics(q[k], qd[k], tau[k], wrench=wrench),
                  np.array(s["aba_qdd_fext"])[v_at], 1e-8)


@pytest.mark.parametrize("name", TREES)
def test_laws(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = arne.load(ROBOTS / name, friction=False)
    s = states(robot, 7)
    tau = robot.inverse_dynamics(s.q, s.qd, s.qdd)
    try:
        back = robot.forward_dynamics(s.q, s.qd, tau)
    except arne.Error as e:
        assert e.code == "SINGULAR"
        return
    close(back, s.qdd, 1e-8)
    M = robot.mass_matrix(s.q)
    close(M, np.swapaxes(M, -1, -2), 1e-12)
    assert (np.linalg.eigvalsh(M) > 0).all()
    close(np.einsum("sij,sj->si", M, s.qdd) + robot.bias(s.q, s.qd), tau)
    energy = robot.energy(s.q, s.qd)
    close(energy.kinetic, 0.5 * np.einsum("si,sij,sj->s", s.qd, M, s.qd))
    # The power of the torques is the rate of energy, where no spring and no base reaction works.
    h = 1e-6
    ahead = robot.energy(robot.integrate(s.q, h * s.qd), s.qd + h * s.qdd)
    behind = robot.energy(robot.integrate(s.q, -h * s.qd), s.qd - h * s.qdd)
    total = [np.asarray(e.kinetic) + np.asarray(e.potential) for e in (ahead, behind)]
    rate = (total[0] - total[1]) / (2 * h)
    if not robot.springs and robot.theta_count == 0:
        close(rate, np.einsum("si,si->s", tau, s.qd), 1e-6)
