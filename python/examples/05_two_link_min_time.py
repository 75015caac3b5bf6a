"""Two links in the least time: examples/two_link_min_time, and the same with a bound that is a
function.

    python 05_two_link_min_time.py PROBLEM
"""

from __future__ import annotations

import sys

import numpy as np

import arne


def power(u: float, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, qddd: np.ndarray) -> float:
    """What both speeds come to together [(rad/s)^2]."""
    return float(qd @ qd)


def power_gradient(u: float, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray,
                   qddd: np.ndarray) -> np.ndarray:
    """Its derivatives by q, qd, qdd and qddd, (1, 4, 2)."""
    gradient = np.zeros((1, 4, 2))
    gradient[0, 1] = 2 * qd
    return gradient


def main() -> None:
    problem = sys.argv[1] if len(sys.argv) > 1 else "examples/two_link_min_time/problem.yaml"
    free = arne.plan(problem)
    print(f"T {free.summary['T']:.9g} s")
    speed = max(free.table.group("qd").__pow__(2).sum(axis=1))
    bound = {"quantity": arne.Quantity(power, 1, power_gradient), "upper": 0.5 * speed,
             "name": "speed"}
    slow = arne.plan(problem, constraints=[bound])
    print(f"with half the square of the speed {slow.summary['T']:.9g} s")


if __name__ == "__main__":
    main()
