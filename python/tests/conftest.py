"""Robots and states that all tests share."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import arne

ROBOTS = Path(arne.__file__).parent / "robots"
NAMES = sorted(p.name for p in ROBOTS.iterdir() if p.suffix in (".yaml", ".urdf"))
Array = NDArray[np.float64]


@dataclass
class State:
    """A robot with random states of any leading shape."""

    robot: arne.Robot
    q: Array
    qd: Array
    qdd: Array
    qddd: Array
    tau: Array


def states(robot: arne.Robot, *leading: int, seed: int = 1) -> State:
    """Random states; quaternions are of unit length."""
    numbers = np.random.default_rng(seed)
    count = int(np.prod(leading, dtype=int))
    q = robot.random_configuration(count, seed=seed).reshape(*leading, robot.q_count)
    rates = [numbers.normal(size=(*leading, robot.v_count)) for _ in range(4)]
    return State(robot, q, *rates)


def reference() -> Path | None:
    """The folder of reference data, where the environment names one."""
    folder = os.environ.get("ARNE_REFERENCE")
    return Path(folder) if folder else None


@pytest.fixture
def arm() -> arne.Robot:
    return arne.load("arm7")


@pytest.fixture
def quadruped() -> arne.Robot:
    return arne.load("quadruped", base="free")
