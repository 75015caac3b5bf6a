"""Functions of the module with arguments drawn at random: they return, or raise by their rules."""

from __future__ import annotations

import enum
import inspect
import math
import os
import random
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import arne

# They start processes or a browser.
LEFT_OUT = {"main", "sweep", "show"}
ALLOWED = (
    TypeError,
    ValueError,
    arne.Error,
    IndexError,
    KeyError,
    OverflowError,
    MemoryError,
    OSError,
)
DRAWS = 20000 if os.environ.get("ARNE_LONG") else 400


def value(rng: random.Random, robot: arne.Robot) -> object:
    """Something that a caller may hand over by mistake, or not."""
    n = len(robot.neutral())
    choices: tuple[Callable[[], object], ...] = (
        lambda: None,
        lambda: rng.choice([True, False]),
        lambda: rng.choice([0, 1, -1, 7, 2**40, -(2**70)]),
        lambda: rng.choice([0.0, -1.5, 1e308, math.nan, math.inf]),
        lambda: rng.choice(["", "joint1", "x" * 300, "\0", "é\u2028"]),
        lambda: b"bytes",
        lambda: [],
        lambda: [1, "a", None],
        lambda: {"joint1": 1},
        lambda: {},
        object,
        lambda: np.zeros(n),
        lambda: np.full(n, np.nan),
        lambda: np.ones((3, n)),
        lambda: np.zeros((0, n)),
        lambda: np.arange(2 * n, dtype=float)[::2],
        lambda: np.zeros(n, dtype=np.float32),
        lambda: np.zeros(n, dtype=object),
        lambda: np.zeros((2, 2, n)),
        lambda: np.array(3.0),
        lambda: np.zeros(n + 1),
        lambda: np.zeros(n, dtype=complex),
        lambda: robot,
        lambda: lambda *_: None,
        lambda: range(3),
        lambda: slice(None),
    )
    return rng.choice(choices)()


def targets(robot: arne.Robot) -> Iterator[tuple[str, Callable[..., object]]]:
    """The functions of the module and the methods of a robot."""
    for owner, prefix in ((arne, "arne"), (robot, "robot")):
        for name in dir(owner):
            item = getattr(owner, name, None)
            if name.startswith("_") or name in LEFT_OUT or not callable(item):
                continue
            if isinstance(item, type) and issubclass(item, (BaseException, enum.Enum)):
                continue
            if owner is arne and inspect.ismodule(item):
                continue
            yield f"{prefix}.{name}", item


def names_of(item: Callable[..., object]) -> list[str]:
    try:
        parameters = inspect.signature(item).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.kind is not p.VAR_POSITIONAL]


@pytest.mark.parametrize("seed", range(4))
def test_random_arguments(
    seed: int, arm: arne.Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    calls = sorted(targets(arm), key=lambda pair: pair[0])
    rng = random.Random(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(DRAWS):
            name, call = rng.choice(calls)
            some = [value(rng, arm) for _ in range(rng.randrange(5))]
            keys = names_of(call)
            count = rng.randrange(3) if keys else 0
            named = {rng.choice(keys): value(rng, arm) for _ in range(count)}
            try:
                call(*some, **named)
            except ALLOWED:
                continue
            except Exception as error:  # noqa: BLE001
                pytest.fail(f"{name}(*{some!r}, **{named!r}): {type(error).__name__}: {error}")
