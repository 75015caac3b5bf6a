"""An arm follows a moving target by receding horizon control, although its load is heavier than the
controller knows.

    python 06_mpc_arm.py [FOLDER]

The flange draws an eight. The controller's model has a load of 1 kg, the simulated robot one of 1.2
kg, and it is pushed twice with 20 N. A thousand times a second the controller improves the best
motion over the next 0.3 s by one iteration, within 60 % of the torque limits. With a FOLDER the run
and its page are kept there.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import arne

KNOTS, STEP, TICK, DURATION = 30, 0.01, 0.001, 4.0
Q0 = np.array([0, -0.785398, 0, -2.356194, 0, 1.570796, 0.785398])
LIMITS = 0.6 * np.array([87, 87, 87, 87, 12, 12, 12])
PUSHES = (
    "time,fx,fy,fz\n1.0,0,0,0\n1.01,0,20,0\n1.2,0,20,0\n1.21,0,0,0\n2.5,0,0,0\n2.51,0,0,-20\n2.7,0,0,-20\n2.71,0,0,0\n")


class Controller:
    def __init__(self, model: arne.Robot) -> None:
        self.model, self.last = model, -TICK
        self.home = model.pose(Q0, "link7")
        self.target = arne.Term("position", frame="link7", weight=2000,
                                reference=np.tile(np.eye(4), (KNOTS + 1, 1, 1)))
        self.end = arne.Term("position", frame="link7", weight=200, reference=self.target.reference,
                             at_end=True)
        self.hold = arne.Term("control", weight=2e-4, reference=model.gravity(Q0))
        turn = np.eye(4)
        turn[:3, :3] = self.home.R
        weights = np.repeat([0.1, 0.02], 7)
        rest = np.concatenate([Q0, np.zeros(7)])
        terms = [
            self.target, self.end, self.hold,
            arne.Term("pose", frame="link7", weight=20, weights=[0, 0, 0, 1, 1, 1], reference=turn),
            arne.Term("state", weight=1, weights=weights, reference=rest),
            arne.Term("state", weight=0.2, weights=np.repeat([0.0, 1.0], 7), reference=rest,
                      at_end=True),
        ]  # fmt: skip
        self.solver = arne.OptimalControl(model, KNOTS, STEP, terms, lower=-LIMITS, upper=LIMITS)

    def place(self, t: np.ndarray) -> np.ndarray:
        """Where the flange is to be, (..., 3): an eight of 0.30 m x 0.20 m in 3 s."""
        w = 2 * np.pi / 3
        way = np.stack([np.zeros_like(t), 0.15 * np.sin(w * t), 0.10 * np.sin(2 * w * t)], axis=-1)
        return self.home.p + way * np.minimum(t / 0.5, 1)[..., None]

    def __call__(self, t: float, q: np.ndarray, qd: np.ndarray, reference: object) -> np.ndarray:
        ahead = self.place(t + STEP * np.arange(KNOTS + 1))
        self.target.reference[:, 9:] = self.end.reference[:, 9:] = ahead
        self.hold.reference[:] = self.model.gravity(q)
        control = self.solver.step(q, qd, t - self.last if t > 0 else 0).control
        self.last = t
        return control


def main() -> None:
    robot = arne.load("arm7")
    law = Controller(robot.attach("link7", 1.0, com=[0, 0, 0.1]))
    with TemporaryDirectory() as folder:
        (Path(folder) / "pushes.csv").write_text(PUSHES, encoding="utf-8")
        scenario = {
            "title": "An arm follows a moving target",
            "robot": robot,
            "duration": DURATION,
            "initial": {"q": list(Q0)},
            "payloads": [{"frame": "link7", "mass": 1.2, "com": [0, 0, 0.1]}],
            "surroundings": [{"type": "push", "frame": "link7",
                              "table": str(Path(folder) / "pushes.csv"), "axes": "world"}],
            "integrator": {"method": "rk4", "step": TICK},
            "record": {"every": 0.01},
        }
        keep = {"out": sys.argv[1]} if len(sys.argv) > 1 else {}
        run = arne.simulate(scenario, controller=law, sample_time=TICK, **keep)
    t, q, tau = run.table["time"], run.table.group("q"), run.table.group("tau")
    error = np.linalg.norm(robot.pose(q, "link7").p - law.place(t), axis=1)
    pushed = ((t > 1) & (t < 1.6)) | ((t > 2.5) & (t < 3.1))
    print("An arm follows an eight with a load that is 20 % heavier than its controller knows, "
          "pushed by 20 N")
    print(f"  distance to the target: rms {1e3 * np.sqrt(np.mean(error[~pushed] ** 2)):.1f} mm, at "
          f"most {1e3 * error.max():.1f} mm")
    print(f"  torques within their limits: {bool(np.all(np.abs(tau) <= LIMITS + 1e-9))}")


if __name__ == "__main__":
    main()
