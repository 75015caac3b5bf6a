"""A quadruped learns to stay on its feet when it is pushed: an evolution strategy over rollouts on
a GPU.

    python 08_learn_to_stand.py [GENERATIONS]

Needs PyTorch and a CUDA device. The torques are those of a controller that holds a posture, and
those of a small network that sees the error of the state. Every candidate of a generation is pushed
in the same directions, with up to SPEED m/s, in worlds of different friction and masses; what
counts is how upright, how high and how quiet the trunk is over DURATION seconds. At the end the
network is measured on pushes, friction and masses that it has not seen.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import arne

CANDIDATES, PUSHES, TESTS = 512, 128, 16384  # 2^16 worlds in a generation
HIDDEN, HOLDS, DT, CHUNK, DURATION, SPEED = 16, 10, 1e-3, 100, 1.5, 2.5
SIGMA, RATE, DECAY = 0.05, 0.05, 0.005
STAND = [0, 0, 0.299, 0, 0, 0, 1] + 4 * [0, -0.8, 1.6]
# point, normal, friction, stiffness, dissipation, slip velocity
GROUND = [0, 0, 0, 0, 0, 1, 0.8, 2e5, 0.5, 0.05]


class Worlds:
    """Quadrupeds on ground, all at once: what they are, and how a network does in them."""

    def __init__(self, torch: Any, robot: arne.Robot, pushes: int, groups: int,
                 speed: float) -> None:
        """Each of `groups` networks meets the same `pushes`."""
        self.torch, self.robot = torch, robot
        kind = {"device": "cuda", "dtype": torch.float32}
        n, angle = pushes * groups, 2 * torch.pi * torch.rand(pushes, **kind)
        self.q = torch.tensor(STAND, **kind).expand(n, -1).contiguous()
        self.q_ref = self.q.clone()
        self.qd = torch.zeros(n, robot.v_count, **kind)
        size = speed * torch.rand(pushes, **kind).sqrt()
        self.speed = size.repeat(groups)
        self.qd[:, 0], self.qd[:,
                               1] = (size * angle.cos()).repeat(groups), (
                                   size * angle.sin()).repeat(groups)
        self.tau = torch.zeros_like(self.qd)
        self.ground = torch.tensor(GROUND, **kind).repeat(n, 1)
        self.ground[:, 6] = (0.5 + 0.5 * torch.rand(pushes, **kind)).repeat(groups)
        self.mass = (0.9 + 0.2 * torch.rand(pushes, robot.body_count, **kind)).repeat(groups, 1)
        self.legs = 6 * [0.0] + 12 * [1.0]

    def run(self, weights: Any) -> tuple[Any, Any]:
        """(cost, whether it stands at the end) of every world; weights: (worlds, W)."""
        q, qd, cost = self.q, self.qd, 0
        for _ in range(round(DURATION / DT / CHUNK)):
            end = self.robot.rollout(
                q, qd, self.tau, CHUNK, DT, self.q_ref, ground=self.ground, mass_factor=self.mass,
                kp=[60 * x for x in self.legs], kd=[2 * x for x in self.legs],
                policy=weights, hidden=HIDDEN, holds=HOLDS,
                torque_limits=[12 * x for x in self.legs],
            )  # fmt: skip
            q, qd = end.q_end, end.qd_end
            tilt = 2 * (q[:, 3] ** 2 + q[:, 4] ** 2)  # 1 - cos
            cost = cost + 4 * tilt.clamp(max=1) + (10 * (q[:, 2] - STAND[2])).square().clamp(
                max=1) + 0.05 * qd[:, :6].square().sum(1).clamp(max=20)
        cost = self.torch.nan_to_num(cost, nan=1e3)
        return cost, (tilt < 0.1) & (q[:, 2] > 0.2)


def ranks(torch: Any, x: Any) -> Any:
    """Costs by their order alone, from -1/2 to 1/2."""
    order = torch.empty_like(x)
    order[x.argsort()] = torch.linspace(-0.5, 0.5, len(x), device=x.device)
    return order


def main() -> None:
    try:
        import torch
    except ImportError:
        torch = None
    if torch is None or not torch.cuda.is_available():
        print("PyTorch with a CUDA device is needed")
        return
    generations = int(sys.argv[1]) if len(sys.argv) > 1 else 150
    torch.manual_seed(1)
    robot = arne.load("quadruped")
    n = robot.v_count
    count = HIDDEN * (2 * n + 1) + n * (HIDDEN + 1)
    theta = 0.1 * torch.randn(count, device="cuda")
    theta[HIDDEN * (2 * n + 1) :] = 0  # no torques to begin with
    test = Worlds(torch, robot, TESTS, 1, SPEED)

    def standing(weights: Any) -> float:
        return float(test.run(weights.expand(TESTS, -1))[1].float().mean())

    start, first = time.time(), standing(theta)
    moment, square = torch.zeros_like(theta), torch.zeros_like(theta)
    print(f"compiled in {time.time() - start:.1f} s; without training {100 * first:.1f} % stand")
    start, steps = time.time(), 0
    for k in range(1, generations + 1):
        worlds = Worlds(torch, robot, PUSHES, CANDIDATES, SPEED)
        noise = torch.randn(CANDIDATES // 2, count, device="cuda")
        noise = torch.cat([noise, -noise])
        # (W, worlds): neighbours in memory
        each = (theta + SIGMA * noise).T.repeat_interleave(PUSHES, dim=1)
        cost = worlds.run(each.T)[0].view(CANDIDATES, PUSHES).mean(1)
        slope = ranks(torch, cost) @ noise / (CANDIDATES * SIGMA) + DECAY * theta
        moment, square = 0.9 * moment + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        theta = theta - RATE * (moment / (1 - 0.9**k)) / ((square / (1 - 0.99**k)).sqrt() + 1e-8)
        steps += len(worlds.q) * round(DURATION / DT)
        if k % 25 == 0 or k == generations:
            torch.cuda.synchronize()
            print(f"generation {k}: cost {float(cost.mean()):.3f}, {time.time() - start:.1f} s, "
                  f"{steps / (time.time() - start):.2e} steps/s")
    stands = test.run(theta.expand(TESTS, -1))[1]
    zero = test.run((0 * theta).expand(TESTS, -1))[1]
    for low in range(5):
        part = (test.speed >= 0.5 * low) & (test.speed < 0.5 * (low + 1))
        print(f"pushed with {0.5 * low:.1f} to {0.5 * (low + 1):.1f} m/s: "
              f"{100 * float(zero[part].float().mean()):5.1f} % stand without, "
              f"{100 * float(stands[part].float().mean()):5.1f} % with the network")


if __name__ == "__main__":
    main()
