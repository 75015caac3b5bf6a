"""Lengths, speeds and moment arms of muscles."""

from __future__ import annotations

from pathlib import Path

import arne
import numpy as np

ARM = """
name: arm
bodies:
  - {name: base}
  - {name: upper, mass: 2, com: [0.1, 0, 0], inertia: [0.01, 0.02, 0.02]}
  - {name: fore, mass: 1, com: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}
joints:
  - {name: shoulder, kind: revolute, parent: base, child: upper}
  - {name: elbow, kind: revolute, parent: upper, child: fore, origin: {xyz: [0.3, 0, 0]}}
wraps: [{name: pulley, link: upper, cylinder: [0.03, 0.2], origin: {xyz: [0.3, 0, 0]}, side: -y}]
muscles:
  - name: triceps
    law: thelen
    max_force: 800
    fibre_length: 0.1
    slack_length: 0.15
    points: [{link: upper, position: [0.1, -0.05, 0]}, {link: fore, position: [0.1, -0.04, 0]}]
    wraps: [{wrap: pulley}]
"""


def test_paths(tmp_path: Path) -> None:
    file = tmp_path / "arm.yaml"
    file.write_text(ARM)
    robot = arne.load(file)
    q = np.array([[0.1, 0.5], [0.2, 1.5], [-1.0, 1.8]])
    lengths, arms = robot.muscle_lengths(q), robot.muscle_moment_arms(q)
    assert lengths.shape == (3, 1) and arms.shape == (3, 1, 2)
    assert np.allclose(arms[:, 0, 0], 0)
    assert np.isclose(arms[2, 0, 1], -0.03)  # around the pulley
    speeds = robot.muscle_velocities(q, np.array([0.3, 2.0]))
    assert np.allclose(speeds[:, 0], -2 * arms[:, 0, 1])
    step = 1e-6
    slopes = (robot.muscle_lengths(q + [0, step]) - robot.muscle_lengths(q - [0, step])) / (
        2 * step)
    assert np.allclose(slopes[:, 0], -arms[:, 0, 1], atol=1e-8)
