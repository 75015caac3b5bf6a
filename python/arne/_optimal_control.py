"""Optimal control over a horizon, for control loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from . import _arne
from ._robot import Robot
from ._types import Array

_QUANTITIES = (
    "state", "control", "rate", "pose", "position", "velocity", "com", "momentum", "wrench",
    "force",
    "friction", "residual", "cost", "torque",
)  # fmt: skip
_HESSIANS = ("auto", "gauss-newton", "exact")
_INTEGRATORS = ("euler", "rk4")
_CONTROLS = ("torques", "accelerations")


@dataclass
class Term:
    """A cost, 1/2 weight sum of weights r^2, or bounds lower <= r <= upper, of a quantity r of
    every knot, or both.

    quantity   "state" (q and qd, 2 V rows), "control" (U), "rate" of controls (U), "pose" of a
               frame (6, its logarithm), "position" of a frame (3), "velocity" of a frame (6), "com"
               (3), "momentum" (6), "wrench" of a joint (6), "force" (3) of a frame that stands,
               "friction" of such a frame: mu f_n - |f_t| is at least `lower` (one number),
               "residual" or "cost": a function; "torque" of what is driven, a row for each control
               of torques
    frame, joint  by name or number
    at_end     at the last knot, not times the step
    knots      the first and the last knot of a running term; None: all
    wrap       of states: differences of continuous joints are within pi
    weights    (rows,) or, for every knot, (N + 1, rows); also lower and upper
    reference  what is subtracted: q and qd, (Q + V,); for poses and positions a 4 x 4 matrix or 12
               numbers, the columns of R, then p. With one more dimension in front: one for every
               knot, (N + 1, ...)
    rows       of a "residual"
    function   "residual": function(knot, q, qd, u) gives r (rows,) and J (rows, 2 V + U); "cost":
               the value, the gradient (2 V + U,) and the Hessian (2 V + U, 2 V + U). u is None at
               the end

    The solver reads weights, reference, lower and upper where they lie: `term.reference[:] = ...`
    between steps moves a target.
    """

    quantity: str
    weight: float = 0.0
    weights: Any = None
    reference: Any = None
    lower: Any = None
    upper: Any = None
    frame: str | int | None = None
    joint: str | int | None = None
    at_end: bool = False
    knots: tuple[int, int] | None = None
    wrap: bool = False
    rows: int = 0
    function: Callable[..., Any] | None = None


@dataclass(frozen=True)
class Phase:
    """Which frames stand, from the knot `first` on until the next phase.

    full    they do not turn either
    impact  they touch the ground at that knot, without bouncing
    """

    first: int
    frames: Sequence[str | int] = ()
    full: bool = False
    impact: bool = False


@dataclass(frozen=True)
class Solution:
    """What a solve found: the best iterate, also if it has not converged.

    outcome    "converged", "iterations", "stalled", "deadline" or "stopped"
    gradient   largest entry of the projected gradient; gap and violation likewise
    states     (N + 1, Q + V); q and qd are its parts
    controls   (N, U); gains (N, U, X): du = gains[k] @ dx with dx along q and qd
    """

    converged: bool
    outcome: str
    iterations: int
    rejected: int
    exact: int
    cost: float
    gradient: float
    gap: float
    violation: float
    expected: float
    step: float
    regularisation: float
    penalty: float
    derivative_time: float
    riccati_time: float
    search_time: float
    states: Array
    controls: Array
    gains: Array
    q: Array
    qd: Array


@dataclass(frozen=True)
class Step:
    """One tick: the control (U,), its gain (U, X), and how the search went."""

    outcome: str
    iterations: int
    cost: float
    control: Array
    gain: Array


def _choice(name: str, given: str, known: Sequence[str]) -> int:
    if given not in known:
        raise ValueError(f"{name}: {given!r} is not one of {', '.join(known)}")
    return known.index(given)


def _poses(given: Any) -> Array:
    """Poses as 12 numbers, whether they are given so or as 4 x 4 matrices."""
    array = np.array(given, dtype=float)
    if array.shape[-2:] != (4, 4):
        return array
    turn = np.swapaxes(array[..., :3, :3], -1, -2).reshape(*array.shape[:-2], 9)
    return np.concatenate([turn, array[..., :3, 3]], axis=-1)


class OptimalControl:
    """The best motion over a horizon of N knots, by multiple shooting and a Riccati recursion.

    robot       of any kind without loops; its controls are the torques of driven joints and motors
    knots, step N and the time between two knots [s]
    terms       costs and bounds
    integrator  "euler" (symplectic) or "rk4"
    controls    "torques", or "accelerations" (V,): "torque" terms weigh and bound what drives them
    actuation   B (V, U): tau = B u; None: one control for each driven coordinate
    lower, upper  bounds of controls (U,)
    phases      contacts; none: nothing stands
    contact_damping  what stands is accelerated by this times its velocity, backwards [1/s]
    threads     that find derivatives of knots; no number depends on it

    `solve` finds an optimum; `step` is one tick of receding horizon control.
    """

    def __init__(
        self,
        robot: Robot,
        knots: int,
        step: float,
        terms: Sequence[Term],
        *,
        integrator: Literal["euler", "rk4"] = "euler",
        controls: Literal["torques", "accelerations"] = "torques",
        actuation: ArrayLike | None = None,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        phases: Sequence[Phase] = (),
        contact_damping: float = 0.0,
        threads: int = 1,
    ) -> None:
        if not isinstance(robot, _arne.Robot):
            raise TypeError(f"robot: arne.Robot expected, not {type(robot).__name__}")
        for name, items, kind in (("terms", terms, Term), ("phases", phases, Phase)):
            for n, item in enumerate(items):
                if not isinstance(item, kind):
                    raise TypeError(f"{name}[{n}]: arne.{kind.__name__} expected, not "
                                    f"{type(item).__name__}")
        self.robot, self.knots, self.step_time, self.terms = robot, knots, step, list(terms)
        drive = None if actuation is None else np.array(actuation, dtype=float)
        if drive is not None and (drive.ndim != 2 or drive.shape[0] != robot.v_count):
            raise ValueError(f"actuation: shape {drive.shape} is not ({robot.v_count}, U)")
        # How many controls there are is known to a solver; one without terms costs little.
        by = _choice("controls", controls, _CONTROLS)
        free = _arne.oc_new(robot, 1, 1.0, 0, by, drive, 0 if drive is None else drive.shape[1],
                            None, None, [], [], 0.0, 1)
        self.control_count: int = _arne.oc_counts(free)[0]
        torques = _arne.oc_new(robot, 1, 1.0, 0, 0, None, 0, None, None, [], [],
                               0.0, 1) if by or drive is not None else free
        self._torque_count: int = _arne.oc_counts(torques)[0]
        bounds = [self._bound("lower", lower), self._bound("upper", upper)]
        entries = [self._entry(i, term) for i, term in enumerate(self.terms)]
        how = _choice("integrator", integrator, _INTEGRATORS)
        stands = [(p.first, p.impact, [(robot.frame_index(f), p.full) for f in p.frames])
                  for p in phases]
        self._solver = _arne.oc_new(
            robot, knots, step, how, by, drive, self.control_count, bounds[0], bounds[1], entries,
            stands, contact_damping, threads
        )
        self.state_count: int = _arne.oc_counts(self._solver)[1]

    def _bound(self, name: str, given: ArrayLike | None) -> Array | None:
        return None if given is None else np.array(
            np.broadcast_to(np.asarray(given, float), (self.control_count,)))

    def _rows(self, term: Term) -> int:
        v, u = self.robot.v_count, self.control_count
        known = {"state": 2 * v, "control": u, "rate": u, "position": 3, "com": 3, "force": 3,
                 "friction": 1, "residual": term.rows, "cost": 0, "torque": self._torque_count}
        return known.get(term.quantity, 6)

    def _array(self, where: str, name: str, given: Any, size: int) -> tuple[Array | None, int]:
        """The array that the solver reads, and its stride from knot to knot."""
        if given is None:
            return None, 0
        array = _poses(given) if size == 12 else np.array(given, dtype=float)
        if array.shape == () or (array.shape == (1,) and size != 1):
            array = np.array(np.broadcast_to(array, (size,)))
        if array.shape == (size,):
            return np.ascontiguousarray(array), 0
        if array.shape in ((self.knots + 1, size), (self.knots, size)):
            return np.ascontiguousarray(array), size
        raise ValueError(f"{where}.{name}: shape {array.shape} is neither ({size},) nor "
                         f"({self.knots + 1}, {size})")

    def _entry(self, number: int, term: Term) -> tuple[Any, ...]:
        where = f"terms[{number}]"
        quantity = _choice(f"{where}.quantity", term.quantity, _QUANTITIES)
        rows, robot = self._rows(term), self.robot
        sizes = {"state": robot.q_count + robot.v_count, "pose": 12, "position": 12, "friction": 4}
        index = 0
        if term.quantity in ("pose", "position", "velocity", "force", "friction"):
            index = robot.frame_index(term.frame if term.frame is not None else -1)
        elif term.quantity == "wrench":
            index = robot.joint_index(term.joint if term.joint is not None else -1)
        term.weights, by_weight = self._array(where, "weights", term.weights, rows)
        term.reference, by_knot = self._array(where, "reference", term.reference,
                                              sizes.get(term.quantity, rows))
        term.lower, low = self._array(where, "lower", term.lower, rows)
        term.upper, high = self._array(where, "upper", term.upper, rows)
        if term.lower is not None and term.upper is not None and low != high:
            raise ValueError(f"{where}: lower and upper have different shapes")
        first, last = term.knots or (0, 0)
        return (
            quantity, index, term.at_end, first, last, term.wrap, term.weight, term.weights,
            by_weight, term.reference,
            by_knot, term.lower, term.upper, max(low, high), term.rows, term.function,
        )  # fmt: skip

    def solve(
        self,
        q: ArrayLike,
        qd: ArrayLike | None = None,
        *,
        states: ArrayLike | None = None,
        controls: ArrayLike | None = None,
        iterations: int = 0,
        hessian: Literal["auto", "gauss-newton", "exact"] = "auto",
        tolerance: float = 0.0,
        deadline: float = 0.0,
    ) -> Solution:
        """Solves from the state q (Q,), qd (V,), None: at rest.

        states, controls  where the search starts, (N + 1, Q + V) and (N, U). Both None: where the
                          last one ended, at first the given state and no control
        tolerance         of the projected gradient; 0: 1e-9
        deadline          seconds from now; 0: none
        """
        x = self.robot.q_count + self.robot.v_count
        start = [None if given is None else np.ascontiguousarray(given, dtype=float)
                 for given in (states, controls)]
        for name, array, shape in zip(
            ("states", "controls"), start, ((self.knots + 1, x), (self.knots, self.control_count)),
            strict=True
        ):
            if array is not None and array.shape != shape:
                raise ValueError(f"{name}: shape {array.shape} is not {shape}")
        how = _choice("hessian", hessian, _HESSIANS)
        found = _arne.oc_solve(self._solver, q, self._rest(qd), start[0], start[1], iterations, how,
                               tolerance, deadline)
        n = self.robot.q_count
        gains = found[18].reshape(self.knots, self.control_count, -1)
        fields: list[Any] = [bool(found[0]), *found[1:18], gains, found[16][:, :n],
                             found[16][:, n:]]
        return Solution(*fields)

    def torques(self, q: ArrayLike, qd: ArrayLike, control: ArrayLike) -> Array:
        """Torques (V,) [N m, N] of a control at a state."""
        return _arne.oc_torques(self._solver, q, qd, control)

    def schedule(self, phases: Sequence[int], before: int = -1) -> None:
        """Which phase each knot is in from now on, for steps: phases come nearer with time.

        before  the phase of the step before the first knot, -1: none; a phase with impact begins
                where it changes
        """
        _arne.oc_schedule(self._solver, [int(p) for p in phases], before)

    def step(
        self,
        q: ArrayLike,
        qd: ArrayLike | None = None,
        elapsed: float = 0.0,
        *,
        iterations: int = 1,
        hessian: Literal["auto", "gauss-newton", "exact"] = "gauss-newton",
        deadline: float = 0.0,
    ) -> Step:
        """One tick from the measured state: the last solution is shifted by `elapsed` seconds and
        improved.

        deadline  seconds from now; if it comes first, the outcome is "deadline" and the control
                  that of the best iterate
        """
        how = _choice("hessian", hessian, _HESSIANS)
        return Step(
            *_arne.oc_step(self._solver, q, self._rest(qd), elapsed, iterations, how, deadline))

    def _rest(self, qd: ArrayLike | None) -> ArrayLike:
        return np.zeros(self.robot.v_count) if qd is None else qd
