"""Simulations that are held and stepped: one world, or many."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _arne
from ._page import open_page
from ._robot import Robot
from ._run import Workplace
from ._types import Array

Source = Union[Robot, str, "os.PathLike[str]", Mapping[str, Any]]
Ground = Union[bool, str, Mapping[str, Any], None]

_RESET, _TARGET, _STATE = 0, 1, 2


class Contact(NamedTuple):
    """A place where something touches.

    name     of the robot's contact; other: that of the other link, None: the ground
    surface  which of the grounds, 0 for the first
    point    (3,) [m] in the world; normal (3,) towards the robot's link; gap [m] negative:
             penetration
    force    (3,) [N] on the robot's link, in the world's axes; rigid: the mean over the last step
    """

    name: str
    other: str | None
    surface: int
    point: tuple[float, float, float]
    normal: tuple[float, float, float]
    gap: float
    force: tuple[float, float, float]


class EnergyBalance(NamedTuple):
    """Energies now [J], and the work of all that is not conservative since the start: kinetic +
    potential - work is constant."""

    kinetic: float
    potential: float
    work: float

    @property
    def total(self) -> float:
        """Kinetic + potential [J]"""
        return self.kinetic + self.potential


def _document(source: Source, ground: Ground, keys: Mapping[str, Any], q: ArrayLike | None) -> Any:
    """The scenario: a path, or a dict with the keys of a scenario file."""
    if isinstance(source, (str, os.PathLike)):
        if keys or ground is not None:
            given = ", ".join([*keys, *(["ground"] if ground is not None else [])])
            raise ValueError(f"{given}: a scenario file has its own keys; give a robot or a dict "
                             "instead of its path")
        return os.path.abspath(os.fspath(source))
    whole: dict[str, Any] = {"robot": source} if isinstance(source, Robot) else dict(source)
    whole.update(keys)
    whole.setdefault("duration", 1.0)  # a step does not ask for it
    if callable(whole.get("controller")):
        raise TypeError("controller: a function is not called in a step; give its torques to "
                        "step(tau)")
    if q is not None and "height" in (whole.get("initial") or {}):
        raise ValueError('q: it says the height itself; give it as initial={"q": q, "height": '
                         '"ground"}')
    if ground is not None and ground is not False:
        plane: Mapping[str, Any] = {} if ground is True else {"model": ground} if isinstance(
            ground, str) else ground
        whole["surroundings"] = [*whole.get("surroundings", []),
                                 {"type": "ground", "friction": 0.8, **plane}]
    return whole


def _rows(name: str, given: Any, shape: tuple[int, ...]) -> Array | None:
    """A row for each world, also of what is the same for all."""
    if given is None:
        return None
    array = np.asarray(given, dtype=np.float64)
    if array.ndim == 0 or array.shape in (shape, shape[1:]):
        return np.ascontiguousarray(np.broadcast_to(array, shape))
    if len(shape) == 2 and array.shape == (shape[0], 1):
        return np.ascontiguousarray(np.broadcast_to(array, shape))
    raise ValueError(f"{name}: shape {shape} expected, {array.shape} given")


class _Numbers:
    """Numbers of worlds where they lie; NumPy's arrays of them hold on to this, and this to the
    worlds."""

    def __init__(self, held: object, address: int, shape: tuple[int, ...]) -> None:
        self._held = held
        self.__array_interface__ = {"data": (address, True), "shape": shape, "typestr": "<f8",
                                    "version": 3}


class _Held:
    """What one world and many have in common."""

    _source: Any
    _options: dict[str, Any]
    _held: object
    robot: Robot

    def _make(self, call: Any) -> None:
        place = Workplace(self._source, "scenario", None)
        try:
            self._held = call(place.file)
        except BaseException as failure:
            raise place.explained(failure) from None
        finally:
            place.discard()
        block, self.step_time, self._contacts, self._size = _arne.simulation_facts(self._held)
        given = self._source.get("robot") if isinstance(self._source, Mapping) else None
        path = given.path if isinstance(given, Robot) else None
        self.robot = Robot._from_pack(block, path, False)

    def _state(self, *leading: int) -> Array:
        out = np.empty((*leading, self._size))
        _arne.simulation_fill(self._held, 1, out)
        return out

    def _forces(self, *leading: int) -> Array:
        out = np.empty((*leading, self._contacts, 3))
        _arne.simulation_fill(self._held, 0, out)
        return out

    def _set_state(self, state: ArrayLike) -> None:
        _arne.simulation_write(self._held, _STATE, None, state, None)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self._source, self._options, getattr(self, "state"))

    def copy(self) -> Any:
        """Another one in the same state, which goes its own way from here."""
        return _again(*self.__reduce__()[1])

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()


def _again(kind: Any, source: Any, options: dict[str, Any], state: Array) -> Any:
    """A copy, and what pickle makes of one."""
    made = kind(source, **options)
    made.state = state
    return made


class Simulation(_Held):
    """A robot on its way through time, step by step.

    source  a Robot, a scenario file, or a dict with the keys of one (docs/scenario.md)
    step    [s] the time of a step; None: the integrator's, or 1 ms. Adaptive integrators fill it
            with as many inner steps as they need
    ground  True: a plane; "rigid" or "compliant"; a dict with keys of a ground ({"friction": 0.6,
            "restitution": 0.2})
    q, qd   (Q,), (V,) where it starts; q alone: at rest
    keys    other keys of scenarios: controller, integrator, surroundings, friction, limits,
            gravity, payloads ...

    It gives the numbers of `arne.simulate` with the same settings, bit for bit. One thread at a
    time steps it.
    """

    def __init__(
        self,
        source: Source,
        *,
        step: float | None = None,
        ground: Ground = None,
        q: ArrayLike | None = None,
        qd: ArrayLike | None = None,
        **keys: Any,
    ) -> None:
        self._source = _document(source, ground, keys, q)
        start = [None if x is None else np.array(x, dtype=np.float64) for x in (q, qd)]
        self._options = {"step": step, "q": start[0], "qd": start[1]}
        self._make(lambda file: _arne.simulation_new(file, step or 0.0, start[0], start[1]))

    @property
    def q(self) -> Array:
        """Positions, (Q,) [rad, m]; a copy."""
        return _arne.simulation_read(self._held, 0)  # type: ignore[no-any-return]

    @property
    def qd(self) -> Array:
        """Velocities, (V,) [rad/s, m/s]; a copy."""
        return _arne.simulation_read(self._held, 1)  # type: ignore[no-any-return]

    @property
    def tau(self) -> Array:
        """The torques that the last step applied, limits included, (V,) [N m, N]; a copy."""
        return _arne.simulation_read(self._held, 2)  # type: ignore[no-any-return]

    @property
    def time(self) -> float:
        """Time since the start [s]"""
        return _arne.simulation_read(self._held, 3)  # type: ignore[no-any-return]

    @property
    def energy(self) -> EnergyBalance:
        """Kinetic and potential energy, and the work that was done [J]."""
        return EnergyBalance(*_arne.simulation_read(self._held, 4))

    @property
    def contacts(self) -> list[Contact]:
        """The places where something touches now."""
        return [Contact(*facts) for facts in _arne.simulation_contacts(self._held, 0)]

    @property
    def forces(self) -> Array:
        """The force on each contact of the robot, in the world's axes, (contacts, 3) [N]."""
        return self._forces()

    @property
    def state(self) -> Array:
        """All that decides how it goes on, (N,): give it back, to this or to an equal simulation,
        and it goes on the same."""
        return self._state()

    @state.setter
    def state(self, state: ArrayLike) -> None:
        self._set_state(state)

    def step(self, tau: ArrayLike | None = None, n: int = 1) -> None:
        """Takes n steps under these torques, (V,) [N m, N]; None: under the controller's.

        They act within the limits of the robot's motors; those of an elastic joint on its motor,
        those of a free base not at all.
        """
        _arne.simulation_step(self._held, tau, n)

    def set_target(self, q: ArrayLike, qd: ArrayLike | None = None) -> None:
        """What the controller holds from now on: q (Q,) [rad, m], qd (V,) [rad/s, m/s]."""
        _arne.simulation_write(self._held, _TARGET, None, q, qd)

    def reset(self, q: ArrayLike | None = None, qd: ArrayLike | None = None) -> None:
        """Back to time 0, at q (Q,) and qd (V,); None: as it started."""
        _arne.simulation_write(self._held, _RESET, None, q, qd)

    def show(self) -> str:
        """Opens the robot in its present posture in a browser, where there is a display, and
        returns where the page is."""
        import tempfile

        path = os.path.join(tempfile.mkdtemp(prefix="arne-view-"), "robot.html")
        self.robot.page(path, q=self.q)
        open_page(path)
        return path

    def __repr__(self) -> str:
        return (f"<arne.Simulation of '{self.robot.name}' at {self.time:.6g} s, steps of "
                f"{self.step_time:g} s>")


class Simulations(_Held):
    """The same robot in n worlds, which one call advances on all cores.

    source, step, ground, keys  as for a Simulation, but without controller: give kp and kd, or
                                torques
    n        how many worlds
    q, qd    where they start, (n, Q) and (n, V), or the same for all
    kp, kd   gains of PD controllers, (n, V) or (V,) [N m/rad, N m s/rad]; they hold the start, or
             what set_target says
    ground_friction  coefficients of all grounds, (n,)
    gravity  (n, 3) or (3,) [m/s^2]
    payload  {"frame": name, "mass": (n,) [kg], "com": (n, 3) [m]}
    threads  0: one for each processor. Results do not depend on it

    An Error of a step names the first world that failed, and the joint; all other worlds have taken
    the step, and `failed` has the others that have not.
    """

    def __init__(
        self,
        source: Source,
        n: int,
        *,
        step: float | None = None,
        ground: Ground = None,
        q: ArrayLike | None = None,
        qd: ArrayLike | None = None,
        kp: ArrayLike | None = None,
        kd: ArrayLike | None = None,
        ground_friction: ArrayLike | None = None,
        gravity: ArrayLike | None = None,
        payload: Mapping[str, Any] | None = None,
        threads: int = 0,
        **keys: Any,
    ) -> None:
        self.n = n
        self._source = _document(source, ground, keys, q)
        self._options = {
            "n": n, "step": step, "q": q, "qd": qd, "kp": kp, "kd": kd,
            "ground_friction": ground_friction, "gravity": gravity,
            "payload": payload, "threads": threads,
        }  # fmt: skip
        known = source if isinstance(source, Robot) else Simulation(self._source).robot
        nq, nv = known.q_count, known.v_count
        rows = (
            _rows("q", q, (n, nq)), _rows("qd", qd, (n, nv)), _rows("kp", kp, (n, nv)),
            _rows("kd", kd, (n, nv)),
            _rows("ground_friction", ground_friction, (n,)), _rows("gravity", gravity, (n, 3)),
            self._loads(payload),
        )  # fmt: skip
        frame = known.frame_index(payload["frame"]) if payload else 0
        self._make(lambda file: _arne.simulations_new(file, n, threads, step or 0.0, rows, frame))
        places = zip(_arne.simulations_addresses(self._held), ((n, nq), (n, nv), (n,)), strict=True)
        self.q, self.qd, self.time = (np.asarray(_Numbers(self._held, at, shape))
                                      for at, shape in places)

    def _loads(self, payload: Mapping[str, Any] | None) -> Array | None:
        if payload is None:
            return None
        unknown = set(payload) - {"frame", "mass", "com", "inertia"}
        if unknown or not {"frame", "mass"} <= set(payload):
            raise ValueError(f"payload: takes frame, mass, com and inertia, not "
                             f"{', '.join(sorted(unknown)) or 'less'}")
        out = np.zeros((self.n, 10))
        for name, columns, shape in (("mass", slice(0, 1), (self.n,)),
                                     ("com", slice(1, 4), (self.n, 3)),
                                     ("inertia", slice(4, 10), (self.n, 6))):
            rows = _rows(f"payload: {name}", payload.get(name), shape)
            if rows is not None:
                out[:, columns] = rows.reshape(self.n, -1)
        return out

    def step(self, tau: ArrayLike | None = None, n: int = 1) -> None:
        """Takes n steps in all worlds, under these torques, (worlds, V) or (V,) [N m, N]; None:
        those of the controllers.

        An array of doubles in C order is read where it lies.
        """
        _arne.simulation_step(self._held, tau, n)

    @property
    def failed(self) -> list[int]:
        """The worlds in which the last call failed."""
        return _arne.simulations_failed(self._held)

    @property
    def forces(self) -> Array:
        """The force on each contact of the robot in each world, (n, contacts, 3) [N]."""
        return self._forces(self.n)

    def contacts(self, world: int) -> list[Contact]:
        """The places where something touches in a world."""
        return [Contact(*facts) for facts in _arne.simulation_contacts(self._held, world)]

    @property
    def state(self) -> Array:
        """All that decides how they go on, (n, N); see Simulation.state."""
        return self._state(self.n)

    @state.setter
    def state(self, state: ArrayLike) -> None:
        self._set_state(state)

    def _mask(self, mask: ArrayLike | None) -> bytes | None:
        if mask is None:
            return None
        flags = np.asarray(mask)
        if flags.shape != (self.n,):
            raise ValueError(f"mask: shape ({self.n},) expected, {flags.shape} given")
        return flags.astype(bool).tobytes()

    def set_target(self, q: ArrayLike, qd: ArrayLike | None = None, *,
                   mask: ArrayLike | None = None) -> None:
        """What the controllers hold from now on, (n, Q) and (n, V) or the same for all; only where
        mask (n,) is true."""
        _arne.simulation_write(self._held, _TARGET, self._mask(mask), q, qd)

    def reset(self, mask: ArrayLike | None = None, q: ArrayLike | None = None,
              qd: ArrayLike | None = None) -> None:
        """Worlds whose entry of mask (n,) is true (None: all) are back at time 0, at q and qd;
        None: as they started."""
        _arne.simulation_write(self._held, _RESET, self._mask(mask), q, qd)

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return (f"<arne.Simulations of '{self.robot.name}': {self.n} worlds, steps of "
                f"{self.step_time:g} s>")
