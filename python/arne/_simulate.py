"""Scenarios: a robot under a controller, in its surroundings, over time."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Union

from numpy.typing import ArrayLike

from . import _arne
from ._packages import package_folders
from ._progress import Bar, Progress
from ._run import Run, Workplace
from ._types import Array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._packages import Packages

Controller = Union[Callable[[float, Array, Array], ArrayLike],
                   Callable[[float, Array, Array, "Reference"], ArrayLike]]


@dataclass(frozen=True, eq=False)
class Reference:
    """The motion that a controller is to follow, at one instant; None where the scenario's motion
    has no such derivative.

    q      (Q,) [rad, m]
    qd     (V,) [rad/s, m/s]
    qdd    (V,) [rad/s^2, m/s^2]
    qddd   (V,) [rad/s^3, m/s^3]
    qdddd  (V,) [rad/s^4, m/s^4]
    """

    q: Array
    qd: Array | None
    qdd: Array | None
    qddd: Array | None
    qdddd: Array | None


def _with_reference(function: Any) -> Any:
    """function(t, q, qd) and function(t, q, qd, reference) are called alike."""
    try:
        inspect.signature(function).bind(0.0, None, None, None)
    except TypeError:
        return lambda t, q, qd, parts: function(t, q, qd)
    except ValueError:  # a builtin that does not say what it takes
        pass
    return lambda t, q, qd, parts: function(t, q, qd, Reference(*parts))


def _split(scenario: Any) -> tuple[Any, Any, float | None]:
    """A dict without the controller that is a function: {"controller": f} or {"controller":
    {"type": f, "sample_time": dt}}."""
    if not isinstance(scenario, Mapping):
        return scenario, None, None
    given = scenario.get("controller")
    rest = {k: v for k, v in scenario.items() if k != "controller"}
    if callable(given):
        return rest, given, None
    if isinstance(given, Mapping) and callable(given.get("type")):
        others = set(given) - {"type", "sample_time"}
        if others:
            raise ValueError(f"controller: a function takes type and sample_time, not "
                             f"{', '.join(sorted(others))}")
        return rest, given["type"], given.get("sample_time")
    return scenario, None, None


def simulate(
    scenario: str | os.PathLike[str] | Mapping[str, Any],
    *,
    out: str | os.PathLike[str] | None = None,
    controller: Controller | None = None,
    sample_time: float | None = None,
    resume: bool = False,
    packages: Packages = None,
    progress: Progress = None,
) -> Run:
    """Runs a scenario, as `arne simulate` does.

    scenario     path of a scenario file, or a dict with its keys (docs/scenario.md); in a dict
                 `robot` may also be a Robot, a dict, or the name of a robot that comes with Arne,
                 and paths are relative to the current folder
    out          the folder of the run; None: a temporary one, which goes when the run is forgotten
    controller   controller(t, q, qd) or controller(t, q, qd, reference) gives the torques, (V,) [N
                 m, N]: t [s], q (Q,) [rad, m], qd (V,) [rad/s, m/s], a Reference. It stands in for
                 the scenario's, and may be its `controller` (or the `type` of that) in a dict. The
                 robot's torque limits hold. Of a free base the first six torques may be left off
    sample_time  [s] how often it is called, torques are held in between; 0: at every evaluation;
                 None: 0.001
    resume       go on with the run that was stopped, in OUT.incomplete
    packages     folders of packages for meshes and xacro files: {"name": "folder"}
    progress     True, False, or a function that is given a line of text; None: where somebody sees
                 it

    Ctrl-C raises Interrupted, a KeyboardInterrupt: its `run` is what was done. So is the `run` of
    an Error that ends a simulation on its way. Where `out` is given, that is in OUT.incomplete.
    """
    rest, own, own_time = _split(scenario)
    function = controller if controller is not None else own
    every = sample_time if sample_time is not None else own_time if own_time is not None else 0.001
    place = Workplace(rest, "scenario", out)
    bar = Bar(progress)
    law = None if function is None else _with_reference(function)
    try:
        with package_folders(packages):
            error = _arne.simulate(
                place.file, place.out, law, float(every), bar.tick, resume, place.named
            )
    except BaseException as failure:
        place.discard()
        raise place.explained(failure) from None
    finally:
        bar.close()
    return place.finish(error)
