"""The forces of a hexapod's legs along a motion of its platform: examples/gough_stewart in C.

    python 03_gough_stewart.py [ROBOT]
"""

from __future__ import annotations

import sys

import numpy as np

import arne

SAMPLES, LEGS, SECONDS = 241, 6, 2.0
AXIS = np.array([0.6, 0.0, 0.8])


def turn_back(angle: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Vectors a, (samples, 3), turned back by angles [rad] about the axis."""
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    return c * a - s * np.cross(AXIS, a) + (a @ AXIS)[:, None] * (1 - c) * AXIS


def platform(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pose, (samples, 7), twist and its rate, (samples, 6), in the platform's axes: a figure of
    eight, a heave, a rocking."""
    far, rate, middle = np.array([0.08, 0.06, 0.04]), np.array([1, 2, 1]), np.array([0, 0, 0.74])
    w, rock = 2 * np.pi / SECONDS, 0.25
    k = rate * w
    p = middle + far * np.sin(k * t[:, None])
    v = far * k * np.cos(k * t[:, None])
    a = -far * k * k * np.sin(k * t[:, None])
    phi, turn = rock * np.sin(w * t), rock * w * np.cos(w * t)
    spin = -w * w * phi
    pose = np.concatenate([p, np.sin(phi / 2)[:, None] * AXIS, np.cos(phi / 2)[:, None]], axis=1)
    linear = turn_back(phi, v)
    twist = np.concatenate([linear, turn[:, None] * AXIS], axis=1)
    change = turn_back(phi, a) - turn[:, None] * np.cross(AXIS, linear)
    return pose, twist, np.concatenate([change, spin[:, None] * AXIS], axis=1)


def main() -> None:
    robot = arne.load(sys.argv[1] if len(sys.argv) > 1 else "gough_stewart")
    t = SECONDS * np.arange(SAMPLES) / (SAMPLES - 1)
    q = np.tile(robot.start_configuration(), (SAMPLES, 1))
    qd, qdd = np.zeros((SAMPLES, robot.v_count)), np.zeros((SAMPLES, robot.v_count))
    q[:, :7], qd[:, :6], qdd[:, :6] = platform(t)
    q, qd, qdd = robot.follow_platform(q, qd, qdd)
    drives = [robot.joint(f"leg{i + 1}_slide").v_start for i in range(LEGS)]
    force = robot.inverse_dynamics(q, qd, qdd)[:, drives]
    power = np.abs((force * qd[:, drives]).sum(axis=1)).max()
    print("A hexapod along a figure of eight of 2 s\n")
    print(f"  forces of the legs   {force.min():.2f} N to {force.max():.2f} N")
    print(f"  largest power        {power:.2f} W, of all drives together")


if __name__ == "__main__":
    main()
