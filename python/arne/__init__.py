"""Arne: the dynamics of robots by recursion.

    import arne
    robot = arne.load("ur5.urdf")
    tau = robot.inverse_dynamics(q, qd, qdd)

SI units and radians everywhere. Arrays are NumPy's: one state, q of (Q,), or many, (..., Q).
"""

from __future__ import annotations

from . import _results
from ._arne import __version__
from ._builder import Builder
from ._errors import Error, FlawWarning
from ._pose import Pose
from ._results import *
from ._robot import BaseParameters, Frame, Joint, Loop, Motor, Robot, Spring, load

__all__ = [
    "BaseParameters",
    "Builder",
    "Error",
    "FlawWarning",
    "Frame",
    "Joint",
    "Loop",
    "Motor",
    "Pose",
    "Robot",
    "Spring",
    "__version__",
    "load",
]
__all__ += _results.__all__
