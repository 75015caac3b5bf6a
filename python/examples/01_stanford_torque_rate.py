"""Torques and torque rates of the Stanford arm along a quintic motion:
examples/stanford_torque_rate in C.

    python 01_stanford_torque_rate.py [ROBOT]

The exact rate of joint 1 against backward differences of its torque: all samples of a motion in one
call.
"""

from __future__ import annotations

import sys

import numpy as np

import arne

SECONDS, PAPER = 2.0, 0.02462
START = np.array([np.pi / 2, 0, 0, np.pi / 2, np.pi / 4, np.pi / 2])
END = np.array([np.pi / 4, np.pi / 2, 2, np.pi / 4, np.pi / 2, 0])


def motion(t: np.ndarray) -> list[np.ndarray]:
    """q, qd, qdd, qddd, (samples, 6), at times t [s]: from rest to rest, s = 10 u^3 - 15 u^4 + 6
    u^5."""
    T, u = SECONDS, t / SECONDS
    laws = (
        u * u * u * (10 - 15 * u + 6 * u * u),
        30 * u * u * (1 - u) * (1 - u) / T,
        60 * u * (1 - u) * (1 - 2 * u) / (T * T),
        60 * (1 - 6 * u + 6 * u * u) / (T * T * T),
    )
    way = [s[:, None] * (END - START) for s in laws]
    return [START + way[0], *way[1:]]


def largest_difference(robot: arne.Robot, Ts: float) -> tuple[float, float]:
    """Between the exact rate of joint 1 and the backward difference of its torque [N m/s], and when
    [s]."""
    count = round(SECONDS / Ts)
    t = SECONDS * np.arange(count + 1) / count
    found = robot.torque_rate(*motion(t))
    difference = np.abs(found.tau_rate[1:, 0] - np.diff(found.tau[:, 0]) / Ts)
    worst = int(np.argmax(difference))
    return float(difference[worst]), float(t[1 + worst])


def main() -> None:
    robot = arne.load(sys.argv[1] if len(sys.argv) > 1 else "stanford")
    print("The Stanford arm: torques and their rates along a quintic motion of 2 s\n")
    print("  Largest difference between the exact rate of joint 1 and the backward difference of "
          "its torque\n")
    print("    Ts [s]  difference [N m/s]  over Ts [N m/s^2]  at t [s]  paper [N m/s]")
    for Ts in (1e-4, 1e-3, 1e-2):
        found, when = largest_difference(robot, Ts)
        paper = f"  {PAPER:13.5f}" if Ts == 1e-4 else ""
        print(f"    {Ts:6g}  {found:18.6f}  {found / Ts:17.2f}  {when:8.4f}{paper}")


if __name__ == "__main__":
    main()
