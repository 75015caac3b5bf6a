"""From recordings to a robot: motions to record, fits of what was recorded, loads.

    motion = arne.identify.design("arm6")              # record motion.table
    found = arne.identify.fit("arm6", "log.csv")       # found.robot, found.table, found.summary
    load = arne.identify.payload("arm6", "loaded.csv") # load.mass, load.com

Words and defaults are those of `arne identify` (docs/identify.md).
"""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Union

import numpy as np
from numpy.typing import ArrayLike

from ._progress import Bar, Progress
from ._robot import Robot, load
from ._run import Run, Workplace
from ._table import Table, read_table

__all__ = ["Design", "Fit", "Load", "design", "fit", "payload"]

PathLike = Union[str, "os.PathLike[str]"]
Source = Union[Robot, PathLike, Mapping[str, Any]]
Log = Union[PathLike, Mapping[str, ArrayLike], "np.ndarray[Any, Any]"]
Settings = Union[PathLike, Mapping[str, Any], None]
Logs = Union[Log, Sequence[Log]]

_PARTS = ("q", "qd", "qdd", "tau", "current")


# --- tables of words and numbers


def _cells(name: str, cells: list[str]) -> np.ndarray[Any, Any]:
    """Flags, numbers (nan where a cell is empty), or words."""
    if name in ("seen", "essential"):
        return np.array([c == "1" for c in cells], dtype=np.bool_)
    if name in ("value", "standard_deviation", "prior", "free"):
        return np.array([float(c) if c else np.nan for c in cells], dtype=np.float64)
    return np.array(cells, dtype=object)


def _read_parameters(path: Path, kind: str = "") -> Table:
    """parameters.csv, (rows,): of one kind, where it tells them apart."""
    with open(path, encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    if kind and "kind" in header:
        at = header.index("kind")
        rows = [r for r in rows if r[at] == kind]
    columns = {name: _cells(name, [r[i] for r in rows]) for i, name in enumerate(header)
               if name != "kind"}
    table = np.empty(len(rows), dtype=[(name, c.dtype) for name, c in columns.items()]).view(Table)
    for name, column in columns.items():
        table[name] = column
    table.units = {name: "" for name in columns}
    return table


# --- results


class Design(Run):
    """A motion that tells most of the parameters: its table over time, its summary, its page.

    table    (rows,) time [s], q, qd, qdd and tau of every joint; `motion` is the same at the rate
             that was asked for
    summary  `condition` (and that of random and sinusoidal motions), `log_det`, the nearest limit,
             ...
    """

    @cached_property
    def motion(self) -> Table:
        """What to record, (rows,): time [s], q [rad, m], qd and qdd of every joint, at the sample
        rate."""
        return read_table(self.path / "motion.csv")

    @cached_property
    def parameters(self) -> Table:
        """What is to be expected, (parameters,): parameter, prior, standard_deviation [their unit],
        unit, grouping."""
        return _read_parameters(self.path / "parameters.csv")


class Fit(Run):
    """What recordings say of a robot.

    table    (parameters,) parameter, value, standard_deviation, prior, free [their unit], unit,
             seen, essential, grouping: what the torques tell of
    summary  `fit` and `validate` ({joint: {rms, percent}}), `consistent`, `inconsistent_links`,
             `condition`, ...
    path     the folder: robot.yaml, robot.urdf, parameters.csv, result.csv, friction.csv,
             summary.json, report.html
    """

    @cached_property
    def table(self) -> Table:
        """What the torques tell of, (parameters,) [their unit]: base parameters of links and
        rotors, friction, ..."""
        return _read_parameters(self.path / "parameters.csv", "base")

    @cached_property
    def links(self) -> Table:
        """Every number of the links and rotors of the robot that was found, (parameters,) [their
        unit]."""
        return _read_parameters(self.path / "parameters.csv", "link")

    @cached_property
    def residuals(self) -> Table:
        """Over time, (rows,): time [s], held_back, and q, tau, model, prior, residual of every
        joint [N m, N]."""
        return read_table(self.path / "result.csv")

    @cached_property
    def friction(self) -> Table:
        """Friction over speed, (rows,): speed, model, measured, prior of every joint [rad/s, N
        m]."""
        return read_table(self.path / "friction.csv")

    @cached_property
    def robot(self) -> Robot:
        """The robot that was found."""
        return load(self.path / "robot.yaml")

    def __repr__(self) -> str:
        kind = self.summary["estimator"]
        return (f"<arne.identify.Fit '{self.summary['title']}': {len(self.table)} parameters, "
                f"{kind}>")


class Load:
    """A load on a robot.

    summary  frame, mass [kg], com (3,) [m], inertia (6,) [kg m^2] xx, yy, zz, xy, xz, yz about the
             centre of mass, in the frame's axes; mass_deviation, com_deviation; percent: what is
             left of the torques; cutoff, torque_cutoff [Hz];
             rests_on_robot: there was no log without the load, so that deviations hold only if the
                 robot's links are right
    robot    the robot with the load on it
    """

    _NAMES = ("m", "m cx", "m cy", "m cz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")

    def __init__(self, robot: Robot, found: dict[str, Any]) -> None:
        """What was found, on the robot without it."""
        self._deviation = found.pop("deviation")
        self.summary = found
        self.frame: str = found["frame"]
        self.mass: float = found["mass"]
        self.com = np.array(found["com"])
        self.inertia = np.array(found["inertia"])
        self.robot = robot.attach(self.frame, self.mass, self.com, self.inertia)

    @cached_property
    def table(self) -> Table:
        """(10,) parameter, value, standard_deviation [kg, kg m, kg m^2], unit: about the frame's
        origin, in its axes."""
        m, c = self.mass, self.com
        xx, yy, zz, xy, xz, yz = self.inertia
        I = np.array(
            [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) + m * (c @ c * np.eye(3) - np.outer(c, c))
        values = [m, *(m * c), I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]]
        units = ["kg", *["kg m"] * 3, *["kg m^2"] * 6]
        kind = [("parameter", object), ("value", float), ("standard_deviation", float),
                ("unit", object)]
        table = np.array(list(zip(self._NAMES, values, self._deviation, units)),
                         dtype=kind).view(Table)
        table.units = {name: "" for name, _ in kind}
        return table

    def to_pandas(self) -> Any:
        """The table as a pandas.DataFrame, (10, columns) [units in a column]."""
        return self.table.to_pandas()

    def show(self) -> str:
        """Opens the page of the robot with the load in a browser, where there is a display; returns
        where it is."""
        return self.robot.show()

    def _repr_html_(self) -> str:
        """A notebook shows the robot with its load."""
        return self.robot._repr_html_()

    def __repr__(self) -> str:
        return (f"<arne.identify.Load on '{self.frame}': {self.mass:.6g} kg, centre "
                f"{self.com.round(6).tolist()} m>")


# --- arguments


def _robot(given: Source) -> Robot:
    return given if isinstance(given, Robot) else load(given)


def _words(**given: Any) -> dict[str, Any]:
    """A settings file from arguments, without those that are not given."""
    words = {key: value for key, value in given.items() if value is not None}
    filters = {key: words.pop(key) for key in ("order", "cutoff", "torque_cutoff", "decimate")
               if key in words}
    for key in ("cutoff", "torque_cutoff"):  # 0 is "none", as on the command line
        if key in filters and not filters[key] > 0:
            filters[key] = -1
    if filters:
        words["filter"] = filters
    if isinstance(words.get("friction"), str):
        words["friction"] = words["friction"].split(",")
    return words


class _Place(Workplace):
    """Where settings become files: those that are given, then those of arguments on top."""

    def __init__(self, settings: Settings, words: dict[str, Any], out: PathLike | None) -> None:
        own = dict(settings) if isinstance(settings, Mapping) else {}
        if "filter" in own and "filter" in words:
            words = {**words, "filter": {**own["filter"], **words["filter"]}}
        super().__init__({**own, **words}, "settings", out)
        self.settings: list[PathLike] = [self.file]
        if settings is not None and not isinstance(settings, Mapping):
            self.settings.insert(0, os.fspath(settings))


def _columns(log: Any, robot: Robot) -> dict[str, Any]:
    """Arrays by name: of a dict, a structured array, a pandas.DataFrame."""
    names = getattr(getattr(log, "dtype", None), "names", None)
    keys = names if names else list(log.keys())
    return {str(key): log[key] for key in keys}


def _part(columns: dict[str, Any], part: str, robot: Robot, rows: int) -> Any:
    """(rows, V) of float64 in C order; None where the log does not have it."""
    joints = [f"{part}.{j.name}" for j in robot.joints]
    if part in columns:
        array = np.ascontiguousarray(columns[part], dtype=np.float64)
    elif any(name in columns for name in joints):
        missing = [name for name in joints if name not in columns]
        if missing:
            raise ValueError(f"log: there is no column '{missing[0]}'")
        array = np.ascontiguousarray(
            np.stack([np.asarray(columns[n], dtype=np.float64) for n in joints], axis=-1))
    else:
        return None
    if array.shape != (rows, robot.v_count):
        raise ValueError(f"log: {part}: shape {(rows, robot.v_count)} expected, {array.shape} "
                         "given")
    return array


def _numbers(log: Any, robot: Robot) -> tuple[Any, ...]:
    """A log in memory as the extension takes it."""
    columns = _columns(log, robot)
    times = columns.get("time", columns.get("t"))
    if times is None:
        raise ValueError("log: there is no column 'time'; a log needs its times")
    time = np.ascontiguousarray(times, dtype=np.float64)
    if time.ndim != 1:
        raise ValueError(f"log: time: shape (rows,) expected, {time.shape} given")
    q, qd, qdd, tau, current = (_part(columns, part, robot, len(time)) for part in _PARTS)
    if q is None:
        raise ValueError("log: there is neither 'q' nor 'q.JOINT'")
    if tau is None and current is None:
        raise ValueError("log: there is neither 'tau' nor 'current', nor a column of them for each "
                         "joint")
    return time, q, qd, qdd, tau if tau is not None else current, int(tau is None), len(time)


def _logs(given: Logs, robot: Robot) -> list[Any]:
    """One log or several: paths, and numbers as the extension takes them."""
    several = isinstance(given, Sequence) and not isinstance(given, str)
    logs: list[Any] = list(given) if several else [given]  # type: ignore[arg-type]
    return [os.fspath(log) if isinstance(log, (str, os.PathLike)) else _numbers(log, robot)
            for log in logs]


def _by_joint(name: str, given: ArrayLike | None, robot: Robot) -> list[float] | None:
    """One number for all joints, or one for each."""
    if given is None:
        return None
    try:
        numbers = np.broadcast_to(np.asarray(given, dtype=np.float64), (robot.v_count,))
    except ValueError:
        raise ValueError(f"{name}: one number or ({robot.v_count},) expected, {np.shape(given)} "
                         "given") from None
    return [float(x) for x in numbers]


# --- the three tasks


def design(
    robot: Source,
    *,
    out: PathLike | None = None,
    period: float | None = None,
    motion: Literal["fourier", "splines"] = "fourier",
    harmonics: int | None = None,
    starts: int | None = None,
    seed: int = 0,
    iterations: int | None = None,
    margin: float | None = None,
    acceleration: ArrayLike | None = None,
    noise: ArrayLike | None = None,
    friction: str | Sequence[str] | None = None,
    rotor: bool | None = None,
    above: Sequence[str | int] = (),
    floor: float = 0.0,
    rate: float = 100.0,
    progress: Progress = None,
) -> Design:
    """A motion to record, within limits, that tells most of the parameters: as `arne identify
    design` does.

    robot         a Robot, or what `load` takes
    out           the folder; None: a temporary one, which goes when the result is forgotten
    period        [s] of the motion; 10 unless given
    motion        what it is made of: Fourier series, or splines of degree 5 with as many numbers
    harmonics     of each joint; 5
    starts        searches from other motions; 4
    seed          of these motions
    iterations    of a search, at most; 150
    margin        [1] the part of every limit that is left; 0.05
    acceleration  [rad/s^2, m/s^2] limits, one or (V,); 2/s times the limits of velocity
    noise         [N m, N] of torques, one or (V,); 1 % of the limits
    friction      terms of the model: "viscous,coulomb,offset", or "none"
    rotor         whether rotor inertias are to be found
    above         links or frames that stay above the floor
    floor         [m] how high that is
    rate          [Hz] samples of `motion`
    progress      True, False, or a function that is given a line of text; None: where somebody sees
                  it
    """
    own = _robot(robot)
    place = _Place(None, _words(friction=friction, rotor=rotor), out)
    if motion not in ("fourier", "splines"):
        raise ValueError(f"motion: one of 'fourier', 'splines' expected, not {motion!r}")
    splines = int(motion == "splines")
    numbers = (splines, period or 0.0, harmonics or 0, starts or 0, int(seed), margin or 0.0,
               iterations or 0, float(floor))
    limits = _by_joint("acceleration", acceleration, own), _by_joint("noise", noise, own)
    bar = Bar(progress)
    try:
        own._identify_design(place.settings, place.out, rate, numbers, *limits, list(above),
                             bar.tick)
    except BaseException as failure:
        place.discard()
        raise place.explained(failure) from None
    finally:
        bar.close()
    return place.keep(Design(place.out))


def fit(
    robot: Source,
    *logs: Log,
    validate: Logs = (),
    out: PathLike | None = None,
    settings: Settings = None,
    estimator: Literal["consistent", "free"] | None = None,
    friction: str | Sequence[str] | None = None,
    rotor: bool | None = None,
    springs: bool | None = None,
    order: int | None = None,
    cutoff: float | None = None,
    torque_cutoff: float | None = None,
    decimate: int | None = None,
    hold_back: float | None = None,
    rest_speed: float | None = None,
    crossing_speed: float | None = None,
    huber: float | None = None,
    ridge: float | None = None,
    prior: float | None = None,
    gains: ArrayLike | Mapping[str, float] | None = None,
    side: Literal["joints", "motors"] | None = None,
    coupling: ArrayLike | None = None,
    offset: ArrayLike | Mapping[str, float] | None = None,
    columns: Mapping[str, Any] | Sequence[str] | None = None,
    rows: tuple[int, int] | None = None,
    validate_rows: tuple[int, int] | None = None,
    centres: Sequence[Mapping[str, Any]] | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Fit:
    """The robot that recordings are of: as `arne identify fit` does.

    robot           the prior: a Robot, or what `load` takes
    logs            paths of CSV files; or dicts, structured arrays, data frames with `time` (rows,)
                    [s], `q` (rows, V) [rad, m] and `tau` [N m, N] or `current` [A], and where they
                    were recorded `qd`, `qdd`; or a column `q.JOINT`, ... for each joint
    validate        logs to check with, which are not fitted; () holds a part back
    out             the folder; None: a temporary one, which goes when the result is forgotten
    settings        path of a settings file, or a dict with its keys; what follows comes on top of
                    it
    estimator       'consistent': links are bodies that can be; or 'free': any numbers
    friction        terms: viscous, coulomb, offset, stribeck, sigmoid, load; or none
    rotor           whether rotor inertias are found
    springs         whether joints have springs, whose stiffness is found
    order           of the Butterworth filters; 4 unless given
    cutoff          [Hz] of the filter of positions; None: from the spectrum; 0: none
    torque_cutoff   [Hz] of torques and regressors; None: as positions; 0: none
    decimate        use every so many rows after the filter
    hold_back       [1] the part of logs to check with; 0.2
    rest_speed      [rad/s, m/s] rows where no joint is faster are left out; 0: none
    crossing_speed  [rad/s, m/s] rows of a joint that is slower are left out
    huber           [1] residuals beyond so many deviations count less
    ridge           [1] weight of the prior in the free estimate
    prior           [1] weight of the distance to the prior in the consistent estimate
    gains           [N m/A] of drives, (V,) or {joint: gain}; 0: unknown
    side            what logs are of; None: as positions tell. Gears and couplings of motors are the
                    robot's
    coupling        (V, V) positions of motors = coupling x positions of joints, in the place of the
                    robot's
    offset          [rad, m] added to recorded positions, (V,) or {joint: offset}
    columns         {our name: the log's}, or a list of names for logs without header
    rows            first and last row of logs to fit, from 1
    validate_rows   likewise of logs to check with
    centres         where centres of mass lie: [{link:, low: (3,), high: (3,), ellipsoid:}] [m]
    threads         that compute; None: one for each processor
    progress        True, False, or a function that is given a line of text; None: where somebody
                    sees it

    Raises Error with file and line, and all mistakes of the logs in `mistakes`; what is doubtful is
    told as FlawWarning.
    """
    own = _robot(robot)
    if not logs:
        raise TypeError("fit() misses 'logs': a recording to fit")
    words = _words(
        estimator=estimator, friction=friction, rotor=rotor, springs=springs, order=order,
        cutoff=cutoff,
        torque_cutoff=torque_cutoff, decimate=decimate, hold_back=hold_back, rest_speed=rest_speed,
        crossing_speed=crossing_speed, huber=huber, ridge=ridge, prior=prior, gains=gains,
        side=side, coupling=coupling, offset=offset,
        columns=columns, rows=rows, validate_rows=validate_rows, centres=centres, threads=threads,
    )  # fmt: skip
    to_fit, to_check = _logs(logs, own), _logs(validate, own)
    place = _Place(settings, words, out)
    bar = Bar(progress)
    try:
        own._identify_fit(to_fit, to_check, place.settings, place.out, bar.tick)
    except BaseException as failure:
        place.discard()
        raise place.explained(failure) from None
    finally:
        bar.close()
    return place.keep(Fit(place.out))


def payload(
    robot: Source,
    *logs: Log,
    unloaded: Logs = (),
    frame: str | int | None = None,
    settings: Settings = None,
    progress: Progress = None,
    **words: Any,
) -> Load:
    """Mass, centre and inertia of a load: as `arne identify payload` does.

    robot     without the load: a Robot, or what `load` takes
    logs      of motions with it, as `fit` takes them
    unloaded  logs of the motion without it; (): the robot is taken as it is, its friction found
              anew
    frame     where it is attached; None: the last link
    settings  path of a settings file, or a dict with its keys; further words of `fit` come on top
              of it
    progress  True, False, or a function that is given a line of text; None: where somebody sees it
    """
    own = _robot(robot)
    if not logs:
        raise TypeError("payload() misses 'logs': a recording with the load")
    loaded, without = _logs(logs, own), _logs(unloaded, own)
    place = _Place(settings, _words(**words), None)
    bar = Bar(progress)
    where = own.joints[-1].child if frame is None else frame
    try:
        return Load(own, own._identify_payload(loaded, without, place.settings, where, bar.tick))
    except BaseException as failure:
        raise place.explained(failure) from None
    finally:
        bar.close()
        place.discard()
