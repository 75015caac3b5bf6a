"""Arne: the dynamics of robots by recursion.

    import arne
    robot = arne.load("ur5.urdf")
    tau = robot.inverse_dynamics(q, qd, qdd)

SI units and radians everywhere. Arrays are NumPy's: one state, q of (Q,), or many, (..., Q).
"""

from __future__ import annotations

from . import _results
from ._arne import __version__, get_threads, set_threads
from ._builder import Builder
from ._errors import Error, FlawWarning, Interrupted
from ._plan import Quantity, plan
from ._pose import Pose
from ._results import *
from ._robot import BaseParameters, Frame, Joint, Loop, Motor, Robot, Spring, load
from ._run import Run
from ._simulate import Reference, simulate
from ._table import Table, read_table

__all__ = [
    "BaseParameters",
    "Builder",
    "Error",
    "FlawWarning",
    "Interrupted",
    "Frame",
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
]
__all__ += _results.__all__
