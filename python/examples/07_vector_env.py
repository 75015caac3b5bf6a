"""A quadruped that learns to stand, as a vector environment of Gymnasium's interface: n worlds by
one call.

    python 07_vector_env.py

An action is the offset of the twelve joints from the stance [rad]; PD controllers follow it, 20
steps of 1 ms an action. The reward is for an upright body at its height that stands still.
Gymnasium is used where it is installed; without it the class is the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import arne

try:
    from gymnasium import spaces
    from gymnasium.vector import VectorEnv as Base
except ImportError:  # the interface needs none of it
    spaces, Base = None, object

HEIGHT, LIMIT, ACTION_STEPS = 0.29, 0.25, 20


class Stand(Base):  # type: ignore[misc]
    def __init__(self, n: int = 256, seed: int = 0, threads: int = 0) -> None:
        self.num_envs, self.rng = n, np.random.default_rng(seed)
        robot = arne.load("quadruped")
        self.stance = np.zeros(robot.q_count)
        self.stance[2], self.stance[6] = 0.3, 1
        self.stance[8::3], self.stance[9::3] = -0.8, 1.6
        self.worlds = arne.Simulations(
            robot, n, ground="compliant", step=1e-3, threads=threads, q=self.stance, kp=60, kd=2,
            friction="none",
            ground_friction=self.rng.uniform(0.5, 1, n),
            payload={"frame": "body", "mass": self.rng.uniform(0, 1, n)},
            integrator={"method": "euler", "step": 1e-3},
        )  # fmt: skip
        self.most = 500  # actions of an episode
        if spaces:
            self.single_observation_space = spaces.Box(-np.inf, np.inf, (36,))
            self.single_action_space = spaces.Box(-LIMIT, LIMIT, (12,))

    def _observe(self) -> Any:
        return np.concatenate([self.worlds.q[:, 2:], self.worlds.qd, self.worlds.time[:, None]],
                              axis=1)

    def reset(self, *, seed: int | None = None, options: Any = None,
              mask: Any = None) -> tuple[Any, dict[str, Any]]:
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        speeds = self.rng.normal(0, 0.3, (self.num_envs, 18)) * (np.arange(18) < 6)
        self.worlds.reset(mask, self.stance, speeds)
        return self._observe(), {}

    def step(self, action: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        target = np.tile(self.stance, (self.num_envs, 1))
        target[:, 7:] += np.clip(action, -LIMIT, LIMIT)
        self.worlds.set_target(target)
        self.worlds.step(n=ACTION_STEPS)
        q, qd = self.worlds.q, self.worlds.qd
        upright = 1 - 2 * (q[:, 3] ** 2 + q[:, 4] ** 2)
        reward = upright - 10 * np.abs(q[:, 2] - HEIGHT) - 0.1 * np.abs(qd[:, :6]).sum(1)
        terminated = (upright < 0.5) | (q[:, 2] < 0.15)
        truncated = self.worlds.time >= self.most * ACTION_STEPS * 1e-3
        if (over := terminated | truncated).any():
            self.reset(mask=over)
        return self._observe(), reward, terminated, truncated, {}


def main() -> None:
    env = Stand(64)
    env.reset(seed=1)
    total = np.zeros(env.num_envs)
    for _ in range(50):
        _, reward, _, _, _ = env.step(np.zeros((env.num_envs, 12)))
        total += reward
    print(f"{env.num_envs} worlds, 50 actions at the stance: mean reward {total.mean() / 50:.3f}")
    assert total.mean() > 0


if __name__ == "__main__":
    main()
