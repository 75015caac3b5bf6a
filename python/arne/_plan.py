"""Problems: the best motion of a robot."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _arne
from ._packages import package_folders
from ._progress import Bar, Progress
from ._run import Run, Workplace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._packages import Packages

_SHAPES = {"square": 0, "plain": 1, "absolute": 2}
_CONSTRAINT = {"quantity", "name", "lower", "upper", "equal", "within", "from", "to", "at"}
_OBJECTIVE = {"quantity", "name", "weight", "shape", "smooth", "at"}


@dataclass(frozen=True)
class Quantity:
    """A quantity of your own, for constraints and objectives.

    function  function(u, q, qd, qdd, qddd) gives its rows, (rows,), at the instant u = t/T [1] of a
              motion with positions, velocities, accelerations and jerks (V,) [rad, m and per s,
              s^2, s^3]
    rows      how many there are
    gradient  gradient(u, q, qd, qdd, qddd) gives (rows, 4, V): the derivatives of the rows by q,
              qd, qdd and qddd. None: differences are taken
    name      in messages and results
    """

    function: Callable[..., ArrayLike]
    rows: int = 1
    gradient: Callable[..., ArrayLike] | None = None
    name: str = ""


class _Terms:
    """Constraints and objectives that rest on functions, as the extension takes them."""

    def __init__(self) -> None:
        self.quantities: list[
            tuple[str, int, Callable[..., ArrayLike], Callable[..., ArrayLike] | None]] = []
        self.constraints: list[tuple[str, int, ArrayLike, ArrayLike, float, float]] = []
        self.objectives: list[tuple[str, int, ArrayLike, int, float, float]] = []
        self._known: dict[Any, int] = {}

    def _quantity(self, given: Any) -> tuple[int, Quantity]:
        what = given if isinstance(given, Quantity) else Quantity(given)
        if what not in self._known:
            self._known[what] = len(self.quantities)
            name = what.name or getattr(what.function, "__name__", "function")
            self.quantities.append((name, what.rows, what.function, what.gradient))
        return self._known[what], what

    @staticmethod
    def _check(entry: Mapping[str, Any], known: set[str], where: str) -> None:
        unknown = sorted(set(entry) - known)
        if unknown:
            raise ValueError(f"{where}: a function's entry has no key '{unknown[0]}'; there are "
                             f"{', '.join(sorted(known))}")

    def constraint(self, entry: Mapping[str, Any]) -> None:
        self._check(entry, _CONSTRAINT, "constraints")
        number, what = self._quantity(entry["quantity"])
        lower, upper = entry.get("lower", -np.inf), entry.get("upper", np.inf)
        if "equal" in entry:
            within = entry.get("within", 0.0)
            lower, upper = np.asarray(entry["equal"]) - within, np.asarray(entry["equal"]) + within
        start, end = entry.get("from", 0.0), entry.get("to", 1.0)
        if "at" in entry:
            start = end = {"start": 0.0, "end": 1.0}.get(entry["at"], entry["at"])
        rows = [np.broadcast_to(np.asarray(x, dtype=np.float64), (what.rows,)).copy()
                for x in (lower, upper)]
        name = entry.get("name") or self.quantities[number][0]
        self.constraints.append((name, number, rows[0], rows[1], float(start), float(end)))

    def objective(self, entry: Mapping[str, Any]) -> None:
        self._check(entry, _OBJECTIVE, "objective")
        number, what = self._quantity(entry["quantity"])
        shape = entry.get("shape", "square")
        if shape not in _SHAPES:
            raise ValueError(f"objective: shape: one of {', '.join(_SHAPES)} expected, not "
                             f"{shape!r}")
        weight = np.broadcast_to(np.asarray(entry.get("weight", 1.0), dtype=np.float64),
                                 (what.rows,)).copy()
        at = entry.get("at", -1.0)
        at = {"start": 0.0, "end": 1.0}.get(at, at)
        name = entry.get("name") or self.quantities[number][0]
        self.objectives.append(
            (name, number, weight, _SHAPES[shape], float(entry.get("smooth", 0.0)), float(at)))


def _is_own(entry: Any) -> bool:
    given = entry.get("quantity") if isinstance(entry, Mapping) else None
    return isinstance(given, Quantity) or callable(given)


def _split(problem: Any, terms: _Terms) -> Any:
    """A dict without the entries whose quantity is a function."""
    if not isinstance(problem, Mapping):
        return problem
    rest = dict(problem)
    for key, take in (("constraints", terms.constraint), ("objective", terms.objective)):
        entries = rest.get(key)
        if not isinstance(entries, (list, tuple)):
            continue
        for entry in entries:
            if _is_own(entry):
                take(entry)
        rest[key] = [entry for entry in entries if not _is_own(entry)]
        if not rest[key]:
            del rest[key]
    return rest


def plan(
    problem: str | os.PathLike[str] | Mapping[str, Any],
    *,
    out: str | os.PathLike[str] | None = None,
    constraints: Sequence[Mapping[str, Any]] = (),
    objective: Sequence[Mapping[str, Any]] = (),
    refine: int | None = None,
    feasibility_first: bool = False,
    warm: str | os.PathLike[str] | Run | None = None,
    resume: bool = False,
    converge: float | None = None,
    starts: int = 1,
    seed: int = 1,
    threads: int | None = None,
    normal: str | os.PathLike[str] | None = None,
    log: str | os.PathLike[str] | None = None,
    check_derivatives: bool = False,
    plots: bool = False,
    packages: Packages = None,
    progress: Progress = None,
) -> Run:
    """Finds the best motion, as `arne plan` does.

    problem      path of a problem file, or a dict with its keys (docs/problem-file.md); in a dict
                 `robot` may also be a Robot, a dict, or the name of a robot that comes with Arne,
                 and paths are relative to the current folder
    out          the folder of the run; None: a temporary one, which goes when the run is forgotten
    constraints  further ones whose `quantity` is a function or a Quantity, with the keys name,
                 lower, upper, equal, within, from, to and at [bounds in the function's own units,
                 instants as t/T from 0 to 1]
    objective    likewise, with the keys name, weight, shape, smooth and at. Both may stand in the
                 dict as well
    refine       at most so many rounds of refinement; None: as the file says
    feasibility_first  any motion that keeps the constraints comes first
    warm         an earlier run, or its folder, to start from
    resume       go on from the best motion of a search that was interrupted, in OUT.incomplete
    converge     double the spans until the objective changes by less than this part; None: as the
                 file says
    starts       search from so many starts, all but the first at random by `seed`, and keep the
                 best motion
    threads      that evaluate grid points; None: one for each processor. Results do not depend on
                 it
    normal       measured gait to compare a walking motion with, in the report: a CSV file
    log          a file for what the solver says
    check_derivatives  before the search compare every derivative with the complex step; an Error
                       where one is off by 1e-4
    plots        also write the plots of the report as files
    packages     folders of packages for meshes and xacro files: {"name": "folder"}
    progress     True, False, or a function that is given a line of text; None: where somebody sees
                 it

    A problem with `solver: {method: riccati}` is one of optimal control (docs/problem-file.md);
    further constraints and objectives, refine, warm, resume, converge, starts, normal, log and
    check_derivatives have no meaning for it, and are refused.

    Ctrl-C raises Interrupted, a KeyboardInterrupt: its `run` is the best motion so far. An Error
    where constraints cannot be met has that as its `run`, too.
    """
    if starts < 1:
        raise ValueError(f"starts: at least 1 expected, {starts} given")
    if converge is not None and not 0 <= converge < 1:
        raise ValueError(f"converge: a part from 0 to below 1 expected, {converge} given")
    terms = _Terms()
    rest = _split(problem, terms)
    for entry in constraints:
        terms.constraint(entry)
    for entry in objective:
        terms.objective(entry)
    place = Workplace(rest, "problem", out)
    bar = Bar(progress)
    start = warm.path if isinstance(warm, Run) else warm
    try:
        with package_folders(packages):
            error = _arne.plan(
                place.file,
                place.out,
                terms.quantities,
                terms.constraints,
                terms.objectives,
                bar.tick,
                -1 if refine is None else refine,
                feasibility_first,
                start,
                resume,
                log,
                -1.0 if converge is None else converge,
                starts,
                seed,
                (os.cpu_count() or 1) if threads is None else threads,
                normal,
                check_derivatives,
                plots,
            )
    except BaseException as failure:
        place.discard()
        raise place.explained(failure) from None
    finally:
        bar.close()
    return place.finish(error)
