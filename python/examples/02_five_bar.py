"""Where the tool of a five-bar can go, and how near a singularity it is there: examples/five_bar in
C.

    python 02_five_bar.py [ROBOT]

All places of a grid are closed configurations of one array; the condition of the loop comes for all
of them in one call.
"""

from __future__ import annotations

import sys

import numpy as np

import arne

COLUMNS, ROWS, CELL, LEFT, BOTTOM = 160, 200, 0.006, -0.33, -0.6  # [m]
BOUNDS = (2, 3, 5, 10, 30, 100)


class Machine:
    """The bars, from the robot's own frames: a crank goes from its motor to its elbow, a coupler
    from there to the pin."""

    def __init__(self, robot: arne.Robot) -> None:
        self.robot = robot
        rest = np.zeros(robot.q_count)
        tree = arne.load(robot.path or "five_bar", open=True)
        at = [
            [tree.pose(rest, robot.joint(f"{joint}{i}").child).p[:2]
             for joint in ("motor", "elbow")] for i in (1, 2)
        ]
        self.bearing = [pair[0] for pair in at]
        self.crank = [float(np.hypot(*(b - a))) for a, b in at]
        self.coupler = [float(np.hypot(*point[:2])) for point in robot.loops[0].points]

    def reach(self, i: int, x: np.ndarray, y: np.ndarray, side: float) -> np.ndarray:
        """Crank and elbow, (..., 2) [rad], for places of the pin; NaN out of reach."""
        a, b = self.crank[i], self.coupler[i]
        dx, dy = x - self.bearing[i][0], y - self.bearing[i][1]
        cosine = (dx * dx + dy * dy - a * a - b * b) / (2 * a * b)
        elbow = side * np.arccos(np.where(np.abs(cosine) <= 1, cosine, np.nan))
        crank = np.arctan2(dy, dx) - np.arctan2(b * np.sin(elbow), a + b * np.cos(elbow))
        return np.stack([crank, elbow], axis=-1)

    def configurations(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """(..., 4) [rad], with the elbows outside."""
        return np.concatenate([self.reach(0, x, y, -1.0), self.reach(1, x, y, 1.0)], axis=-1)


def main() -> None:
    robot = arne.load(sys.argv[1] if len(sys.argv) > 1 else "five_bar")
    machine = Machine(robot)
    x, y = np.meshgrid(LEFT + (np.arange(COLUMNS) + 0.5) * CELL,
                       BOTTOM + (np.arange(ROWS) + 0.5) * CELL)
    q = machine.configurations(x, y)
    q = q[np.isfinite(q).all(axis=-1)]
    condition = robot.loop_jacobian(q).condition
    classes = np.searchsorted(BOUNDS, condition, side="left")
    print(f"A five-bar with its elbows outside\n\n  workspace   {len(q) * CELL * CELL:.4f} m^2")
    for k, bound in enumerate(BOUNDS):
        print(f"  condition up to {bound:<5g} {100 * np.mean(classes == k):5.1f} %")
    print(f"  more, or singular     {100 * np.mean(classes == len(BOUNDS)):5.1f} %")

    # Where the couplers are in line the pin can move though the cranks stand: a place on the axis
    # of symmetry.
    half = (machine.bearing[1][0] - machine.bearing[0][0]) / 2
    far = machine.coupler[0] - half
    place = np.array([machine.bearing[0][0] + half, np.sqrt(machine.crank[0] ** 2 - far**2)])
    try:
        robot.loop_jacobian(machine.configurations(place[0], place[1]))
        word = "not singular"
    except arne.Error as e:
        word = "singular" if e.code == "LOOP_SINGULAR" else str(e)
    above = robot.loop_jacobian(machine.configurations(place[0], place[1] + 0.01)).condition
    print(f"\n  at ({place[0]:.4f}, {place[1]:.4f}) m the couplers are in line: {word}")
    print(f"  10 mm above the condition is {above:.1f}")


if __name__ == "__main__":
    main()
