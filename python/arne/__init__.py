"""Arne: the dynamics of robots by recursion.

    import arne
    robot = arne.load("ur5.urdf")
    tau = robot.inverse_dynamics(q, qd, qdd)

SI units and radians everywhere. Arrays are NumPy's: one state, q of (Q,), or many, (..., Q).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._arne import __version__, get_threads, set_threads
from ._builder import Builder
from ._errors import Error, FlawWarning, Interrupted
from ._result_names import NAMES
from ._robot import Robot, load

if TYPE_CHECKING:
    from ._parts import BaseParameters, Frame, Joint, Loop, Motor, Spring
    from ._plan import Quantity, plan
    from ._pose import Pose
    from ._results import *
    from ._run import Run
    from ._simulate import Reference, simulate
    from ._sweep import sweep
    from ._table import Table, read_table

# What is not needed to load a robot is imported when it is first asked for.
_LATER = {
    **dict.fromkeys(("BaseParameters", "Frame", "Joint", "Loop", "Motor", "Spring"), "_parts"),
    "Pose": "_pose",
    "Quantity": "_plan",
    "Reference": "_simulate",
    "Run": "_run",
    "Table": "_table",
    "plan": "_plan",
    "read_table": "_table",
    "simulate": "_simulate",
    **dict.fromkeys(NAMES, "_results"),
    "sweep": "_sweep",
}

__all__ = [
    "BaseParameters",
    "Builder",
    "Error",
    "FlawWarning",
    "Frame",
    "Interrupted",
    "Joint",
    "Loop",
    "Motor",
    "Pose",
    "Quantity",
    "Reference",
    "Robot",
    "Run",
    "Spring",
    "Table",
    "__version__",
    "get_threads",
    "load",
    "plan",
    "read_table",
    "set_threads",
    "simulate",
    "sweep",
]
__all__ += NAMES


def __getattr__(name: str) -> Any:
    """What is imported later."""
    if name not in _LATER:
        raise AttributeError(f"module 'arne' has no attribute '{name}'")
    from importlib import import_module

    found = getattr(import_module(f"arne.{_LATER[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
