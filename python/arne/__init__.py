"""Arne: the dynamics of robots by recursion.

    import arne
    robot = arne.load("ur5.urdf")
    tau = robot.inverse_dynamics(q, qd, qdd)

SI units and radians everywhere. Arrays are NumPy's: one state, q of (Q,), or many, (..., Q).
"""

from __future__ import annotations

from importlib import import_module as _import

from ._arne import RECORDS as _RECORDS
from ._arne import __version__, get_threads, set_threads
from ._builder import Builder
from ._errors import (
    ContactWarning,
    DegreesWarning,
    Error,
    FlawWarning,
    InertiaWarning,
    Interrupted,
    LimitWarning,
    LostWarning,
    MeshWarning,
    UnknownWarning,
)
from ._robot import Robot, load

TYPE_CHECKING = False  # typing takes as long to import as all of this
if TYPE_CHECKING:
    from typing import Any

    from . import identify
    from ._live import LiveView
    from ._parts import BaseParameters, Frame, Joint, Loop, Motor, Spring
    from ._optimal_control import OptimalControl, Phase, Solution, Step, Term
    from ._plan import Quantity, plan
    from ._pose import IkStatus, Pose
    from ._results import *
    from ._run import Run
    from ._simulate import Reference, simulate
    from ._simulation import Contact, EnergyBalance, Simulation, Simulations
    from ._sweep import sweep
    from ._table import Table, read_table

# What is not needed to load a robot is imported when it is first asked for.
_LATER = {
    **dict.fromkeys(("BaseParameters", "Frame", "Joint", "Loop", "Motor", "Spring"), "_parts"),
    **dict.fromkeys(("OptimalControl", "Phase", "Solution", "Step", "Term"), "_optimal_control"),
    **dict.fromkeys(("IkStatus", "Pose"), "_pose"),
    "LiveView": "_live",
    "identify": "identify",
    "Quantity": "_plan",
    "Reference": "_simulate",
    "Run": "_run",
    **dict.fromkeys(("Contact", "EnergyBalance", "Simulation", "Simulations"), "_simulation"),
    "Table": "_table",
    "plan": "_plan",
    "read_table": "_table",
    "simulate": "_simulate",
    **dict.fromkeys(_RECORDS, "_results"),
    "sweep": "_sweep",
}

__all__ = [
    "BaseParameters",
    "Builder",
    "Contact",
    "ContactWarning",
    "DegreesWarning",
    "EnergyBalance",
    "Error",
    "FlawWarning",
    "Frame",
    "IkStatus",
    "InertiaWarning",
    "Interrupted",
    "Joint",
    "LimitWarning",
    "LiveView",
    "Loop",
    "LostWarning",
    "MeshWarning",
    "Motor",
    "OptimalControl",
    "Phase",
    "Pose",
    "Quantity",
    "Reference",
    "Robot",
    "Run",
    "Simulation",
    "Simulations",
    "Solution",
    "Spring",
    "Step",
    "Table",
    "Term",
    "UnknownWarning",
    "__version__",
    "get_threads",
    "identify",
    "load",
    "plan",
    "read_table",
    "set_threads",
    "simulate",
    "sweep",
]
__all__ += _RECORDS


def __getattr__(name: str) -> Any:
    """What is imported later."""
    if name not in _LATER:
        raise AttributeError(f"module 'arne' has no attribute '{name}'")
    module = _import(f"arne.{_LATER[name]}")
    found = module if name == _LATER[name] else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
