"""A robot: what it knows about itself, and what it can compute."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property

import numpy as np

from . import _arne
from ._document import key_paths, to_yaml
from ._errors import Error
from ._packages import package_folders
from ._page import in_frame, open_address, open_page
from ._types import Array, Base, Flags, Numbers, Vector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, Union, overload

    from numpy.typing import ArrayLike

    from ._live import LiveView
    from ._packages import Packages
    from ._parts import BaseParameters, Frame, Joint, Loop, Motor, Spring
    from ._pose import Pose
    from ._results import InverseKinematics
    from ._table import Table

    Source = Union[str, os.PathLike[str], Mapping[str, Any]]


class Robot(_arne.Robot):
    """A robot, read from a file by `load` or made by a `Builder`. It never changes, so that threads
    share it.

    Methods take one state, q of (Q,) and qd of (V,), or many, (..., Q) and (..., V), and give
    results of the same leading shape. Q and V are q_count and v_count; `print(robot)` shows their
    order.
    """

    @cached_property
    def _known(self) -> dict[str, list[dict[str, Any]]]:
        return self._facts()

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """The joints that move, in the order of q; that of a free base comes first."""
        from ._parts import Joint

        return tuple(Joint(**facts) for facts in self._known["joints"])

    @cached_property
    def frames(self) -> tuple[Frame, ...]:
        """Links, in the order of the file, then other named frames."""
        from ._parts import Frame

        return tuple(Frame(**facts) for facts in self._known["frames"])

    @property
    def links(self) -> tuple[Frame, ...]:
        """The links, in the order of the file."""
        return self.frames[: self.link_count]

    @cached_property
    def motors(self) -> tuple[Motor, ...]:
        """The motors, in the order of the joints they drive."""
        from ._parts import Motor

        return tuple(Motor(**facts) for facts in self._known["motors"])

    @cached_property
    def springs(self) -> tuple[Spring, ...]:
        """Springs on joints; those of motors are not among them."""
        from ._parts import Spring

        return tuple(Spring(**facts) for facts in self._known["springs"])

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """The joints that close loops."""
        from ._parts import Loop

        return tuple(Loop(**facts) for facts in self._known["loops"])

    def joint(self, name: str) -> Joint:
        """The joint of this name; a ValueError where there is none."""
        return self.joints[self.joint_index(name)]

    def frame(self, name: str) -> Frame:
        """The link or frame of this name; a ValueError where there is none."""
        return self.frames[self.frame_index(name)]

    def poses(self, q: ArrayLike) -> dict[str, Pose]:
        """Where all links stand in the frame of the base, for a free base in the world: {link: Pose
        of (...)}; q (..., Q) [rad, m]."""
        from ._pose import Pose

        whole = np.ascontiguousarray(q, dtype=np.float64)
        if whole.shape[-1:] != (self.q_count,):
            raise ValueError(f"q: shape (..., {self.q_count}) expected, {whole.shape} given")
        out = np.empty((*whole.shape[:-1], self.link_count, 12))
        self._configure("poses", whole, None, 0.0, 0, out)
        return {link.name: Pose(out[..., i, :]) for i, link in enumerate(self.links)}

    def inverse_kinematics(
        self,
        q: ArrayLike,
        frame: str | int,
        position: ArrayLike | Pose,
        *,
        quaternion: ArrayLike | None = None,
        rpy: ArrayLike | None = None,
        check: bool = False,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: InverseKinematics | None = None,
    ) -> InverseKinematics:
        """Coordinates that bring a frame to its target, within the limits of joints.

        Takes
            q: (..., Q) [rad, m] where the search starts
            frame: a link or frame, by name or number
            position: (..., 3) [m] where the frame is to go; or a Pose, which says how it is turned,
                too
            quaternion: (..., 4) [1] x, y, z, w: how it is to be turned; None: any way
            rpy: (..., 3) [rad] the same as roll, pitch and yaw, as in URDF
            check: whether a target that is not reached raises Error NOT_CONVERGED
            base_pose: (7,) [m, 1] x, y, z, qx, qy, qz, qw of the base
            base_velocity: (6,) [m/s, rad/s] has no effect
            base_acceleration: (6,) [m/s^2, rad/s^2] has no effect
            base_jerk: (6,) [m/s^3, rad/s^3] has no effect
            out: where results are written: what the method returns, from an earlier call
        Gives
            q: (..., Q) [rad, m] coordinates
            error: (...) [m, rad] largest remaining error
            status: (...) [1] IkStatus.REACHED or NOT_REACHED; of many states an array that compares
                with them
        Q: q_count of the robot; ... any leading shape, the same or broadcast.
        """
        from dataclasses import replace

        from ._pose import IkStatus, Pose

        turned = [name for name, given in (("quaternion", quaternion), ("rpy", rpy))
                  if given is not None]
        if isinstance(position, Pose):
            if turned:
                raise ValueError(f"{turned[0]}: the Pose says already how the frame is turned")
            quaternion = position.quaternion
            position = position.p
        elif len(turned) > 1:
            raise ValueError("rpy: give a quaternion or rpy, not both")
        elif rpy is not None:
            quaternion = Pose.at(rpy=rpy).quaternion
        found = super().inverse_kinematics(
            q,
            frame,
            position,
            quaternion=quaternion,
            base_pose=base_pose,
            base_velocity=base_velocity,
            base_acceleration=base_acceleration,
            base_jerk=base_jerk,
            out=out,
        )
        missed = np.asarray(found.status) != IkStatus.REACHED
        if check and missed.any():
            name = self.frames[frame].name if isinstance(frame, int) else frame
            share = f" in {int(missed.sum())} of {missed.size} states" if missed.ndim else ""
            left = float(np.max(np.asarray(found.error)[missed]))
            text = (f"frame '{name}' does not reach its target{share}: it is off by {left:.3g} (m "
                    "or rad)")
            raise Error("NOT_CONVERGED", text)
        if missed.ndim or found is out:
            return found
        return replace(found, status=IkStatus(int(found.status)))

    def body_wrenches(self, wrench: Mapping[str, ArrayLike]) -> Array:
        """Wrenches on links as f_ext takes them, (..., bodies, 6) [N, N m].

        wrench: {link: (..., 6)} [N, N m] force, then moment, at the link's origin, in its axes
        """
        if not isinstance(wrench, Mapping):
            raise TypeError(f"wrench: {{link: (..., 6)}} expected, {type(wrench).__name__} given")
        given = {name: np.asarray(value, dtype=np.float64) for name, value in wrench.items()}
        for name, value in given.items():
            if value.shape[-1:] != (6,):
                raise ValueError(f"wrench: shape (..., 6) expected for '{name}', {value.shape} "
                                 "given")
        leading = np.broadcast_shapes(*(value.shape[:-1] for value in given.values()))
        out = np.zeros((*leading, self.body_count, 6))
        for name, value in given.items():
            frame = self.frame(name)
            turn, origin = np.array(frame.pose[:3]), np.array(frame.pose[3])
            force, moment = value[..., :3] @ turn.T, value[..., 3:] @ turn.T
            out[..., frame.body, :3] += force
            out[..., frame.body, 3:] += moment + np.cross(origin, force)
        return out

    def attach(self, frame: str | int, mass: float, com: Vector = (0.0, 0.0, 0.0),
               inertia: Vector = (0.0,) * 6) -> Robot:
        """This robot with a payload rigidly on a frame; the robot itself stays as it is.

        mass [kg], com (3,) [m] in the frame
        inertia (6,) [kg m^2] xx, yy, zz, xy, xz, yz about the centre of mass, in the frame's axes
        """
        return self._attach(frame, mass, com, inertia)

    def reduce(self, lock: Mapping[str, float]) -> Robot:
        """This robot with joints held where they are told, and so with fewer coordinates; the robot
        itself stays as it is.

        lock  {joint: value} [rad, m]; joints that follow one of them, its motor and its spring are
              held with it
        """
        if not isinstance(lock, Mapping):
            raise TypeError(f"lock: {{joint: value}} expected, {type(lock).__name__} given")
        found = self._reduce(list(lock), [float(value) for value in lock.values()])
        assert isinstance(found, Robot)
        return found

    # --- configurations

    def _configured(self, what: str, inputs: tuple[ArrayLike | None, ...], size: int,
                    u: float = 0.0) -> Array:
        arrays = [None if x is None else np.asarray(x, dtype=np.float64) for x in inputs]
        sizes = {"integrate": "QV", "difference": "QQ", "interpolate": "QQ", "normalize": "Q",
                 "rate": "QV"}[what]
        for array, letter, name in zip(arrays, sizes,
                                       ("q", "v") if sizes == "QV" else ("start", "end")):
            wanted = self.q_count if letter == "Q" else self.v_count
            if array is not None and array.shape[-1:] != (wanted,):
                raise ValueError(f"{name}: shape (..., {wanted}) expected, {array.shape} given")
        leading = np.broadcast_shapes(*(x.shape[:-1] for x in arrays if x is not None))
        whole = [
            None if x is None
            else np.ascontiguousarray(np.broadcast_to(x, (*leading, x.shape[-1]))) for x in arrays
        ]
        out = np.empty((*leading, size))
        self._configure(what, whole[0], whole[1] if len(whole) > 1 else None, u, 0, out)
        return out

    def neutral(self) -> Array:
        """The neutral configuration, (Q,) [rad, m]: zeros, and quaternions of no turn."""
        out = np.empty(self.q_count)
        self._configure("neutral", None, None, 0.0, 0, out)
        return out

    def start_configuration(self) -> Array:
        """Where the search for an assembly starts, (Q,) [rad, m]: what the joints' `start` say."""
        out = np.empty(self.q_count)
        self._configure("start", None, None, 0.0, 0, out)
        return out

    def random_configuration(self, count: int | None = None, *, seed: int = 0) -> Array:
        """Configurations within limits, (Q,) or (count, Q) [rad, m]; equal seeds give equal ones on
        every machine."""
        out = np.empty(self.q_count if count is None else (count, self.q_count))
        self._configure("random", None, None, 0.0, seed, out)
        return out

    def integrate(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Where the velocity v (..., V) leads from q (..., Q) in unit time: (..., Q) [rad, m]."""
        return self._configured("integrate", (q, v), self.q_count)

    def difference(self, start: ArrayLike, end: ArrayLike) -> Array:
        """The velocity (..., V) [rad, m] that leads from start (..., Q) to end (..., Q) in unit
        time."""
        return self._configured("difference", (start, end), self.v_count)

    def interpolate(self, start: ArrayLike, end: ArrayLike, u: float) -> Array:
        """Between start (u = 0) and end (u = 1), (..., Q) [rad, m]."""
        return self._configured("interpolate", (start, end), self.q_count, u)

    def normalize(self, q: ArrayLike) -> Array:
        """The same q with quaternions of unit length, (..., Q) [rad, m]."""
        return self._configured("normalize", (q,), self.q_count)

    def coordinate_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        """The time derivative of the numbers of q (..., Q) where the velocities are v (..., V):
        [rad/s, m/s]."""
        return self._configured("rate", (q, v), self.q_count)

    # --- as MuJoCo has them

    def _as_mujoco(
        self, way: str, state: ArrayLike, rates: tuple[ArrayLike | None, ArrayLike | None]
    ) -> Array | tuple[Array, ...]:
        nq = sum(j.q_count or 1 for j in self.joints)
        nv = sum(j.v_count or 1 for j in self.joints)
        own, other = (self.q_count, self.v_count), (nq, nv)
        here, there = (own, other) if way == "to_mujoco" else (other, own)
        q = np.ascontiguousarray(state, dtype=np.float64)
        if q.shape[-1:] != (here[0],):
            raise ValueError(f"positions: shape (..., {here[0]}) expected, {q.shape} given")
        out = np.empty((*q.shape[:-1], there[0]))
        self._configure(way, q, None, 0.0, 0, out)
        if rates[0] is None:
            return out
        both = np.zeros((*q.shape[:-1], 2 * here[1]))
        for i, x in enumerate(rates):
            if x is not None:
                both[..., i * here[1] : (i + 1) * here[1]] = x
        moving = np.empty((*q.shape[:-1], 2 * there[1]))
        self._configure(way + "_rates", q, both, 0.0, 0, moving)
        parts = (out, moving[..., : there[1]], moving[..., there[1] :])
        return parts if rates[1] is not None else parts[:2]

    def from_mujoco(
        self, qpos: ArrayLike, qvel: ArrayLike | None = None, qacc: ArrayLike | None = None
    ) -> Array | tuple[Array, ...]:
        """The q of MuJoCo's qpos (..., nq); with qvel, qacc (..., nv): q, qd, qdd.

        Quaternions are w, x, y, z there, and the linear velocity of a free joint is in the axes of
        the world.
        """
        return self._as_mujoco("from_mujoco", qpos, (qvel, qacc))

    def to_mujoco(
        self, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None
    ) -> Array | tuple[Array, ...]:
        """MuJoCo's qpos of q (..., Q); with qd, qdd (..., V): qpos, qvel, qacc.

        Joints that follow others have entries of their own there.
        """
        return self._as_mujoco("to_mujoco", q, (qd, qdd))

    # --- parameters and loops

    @property
    def parameters(self) -> Array:
        """The parameters that torques are linear in, (P,) [kg, kg m, kg m^2 ...]: tau = Y pi."""
        return np.array(self._parameters())

    @property
    def parameter_names(self) -> list[str]:
        """Their names: "forearm.Ixx", "elbow.viscous"."""
        return self._parameter_names()

    def base_parameters(self, kinds: str = "inertial", *, seed: int = 1) -> BaseParameters:
        """The fewest parameters that give all torques.

        kinds: 'inertial', 'friction' or 'rotor', several with '+', or 'all'
        """
        from ._parts import BaseParameters

        known = {"inertial": 1, "friction": 2, "rotor": 4, "all": 7}
        bits = 0
        if not isinstance(kinds, str):
            raise TypeError(f"kinds: a string expected, not {type(kinds).__name__}")
        for kind in kinds.split("+"):
            if kind not in known:
                raise ValueError(f"kinds: one of {', '.join(known)} expected, not '{kind}'")
            bits |= known[kind]
        rank, kept, rows = self._base_set(bits, seed)
        names = self.parameter_names
        grouping = np.array(rows).reshape(rank, len(names))
        return BaseParameters(rank, [names[i] for i in kept], grouping @ self.parameters,
                              np.array(kept), grouping)

    @property
    def effort_limits(self) -> Array:
        """The torque that each coordinate may have, (V,) [N m, N]: of its joint or motor; infinite
        where there is none."""
        return self._effort_limits()

    def effort_utilisation(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Torques of a motion in percent of the limits of effort, (..., V) [%]; nan where a
        coordinate has none.

        q, qd, qdd  (..., Q), (..., V), (..., V) [rad, m, s]
        """
        limits = self.effort_limits
        part = np.full(limits.shape, np.nan)
        np.divide(100.0, limits, out=part, where=np.isfinite(limits) & (limits != 0))
        return np.asarray(np.abs(self.inverse_dynamics(q, qd, qdd)) * part)

    def payload_capacity(
        self, q: ArrayLike, frame: str | int, qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None
    ) -> tuple[Array, Numbers]:
        """The largest mass at a frame within the limits of effort, (...) [kg], and the coordinates
        that limit it, (...) [1].

        q        (..., Q) [rad, m]
        frame    a link or frame, by name or number: the mass is a point at its origin
        qd, qdd  (..., V) [rad/s, m/s and per s]; None: the robot stands still
        """
        whole = self._whole(q, qd, qdd)
        mass, limiting = np.empty(whole[0].shape[:-1]), np.empty(whole[0].shape[:-1])
        self._payload_capacity(frame, whole[0], whole[1], whole[2], mass, limiting)
        return mass, limiting.astype(np.int64)

    @property
    def active(self) -> Flags:
        """Which velocity coordinates something drives, (V,)."""
        return np.array(self._active(), dtype=np.bool_)

    def complete(self, q: ArrayLike, qd: ArrayLike,
                 qdd: ArrayLike | None = None) -> tuple[Array, Array]:
        """Velocities and accelerations that keep the loops closed, (..., V) [rad/s, m/s] and
        [rad/s^2, m/s^2].

        q    (..., Q) [rad, m] a closed configuration, such as `assemble` finds
        qd   (..., V) [rad/s, m/s] of which the entries of active joints count; those of passive
             ones are found
        qdd  likewise [rad/s^2, m/s^2]; None: active joints do not accelerate
        """
        whole = self._whole(q, qd, qdd)
        self._complete(*whole)
        return whole[1], whole[2]

    def complete_jerk(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, qddd: ArrayLike) -> Array:
        """Jerks that keep the loops closed, (..., V) [rad/s^3, m/s^3].

        q, qd, qdd  (..., Q), (..., V) [rad, m, s] of all joints, such as `assemble` and `complete`
                    find them
        qddd        (..., V) [rad/s^3, m/s^3] of which the entries of active joints count; those of
                    passive ones are found
        """
        whole = self._whole(q, qd, qdd, qddd)
        self._complete_jerk(*whole)
        return whole[3]

    def follow_platform(
        self, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None
    ) -> tuple[Array, Array, Array]:
        """The legs of a parallel robot from its platform: q (..., Q), qd and qdd (..., V) of all
        joints [rad, m, s].

        q    (..., Q) [rad, m] the platform's coordinates, and a seed for the legs: of several ways
             the nearest is taken
        qd   (..., V) [rad/s, m/s] of which those of the platform count; None: it stands still
        qdd  likewise [rad/s^2, m/s^2]
        """
        whole = self._whole(q, qd, qdd)
        self._follow_platform(*whole)
        return whole[0], whole[1], whole[2]

    def _whole(self, *given: ArrayLike | None) -> list[Array]:
        """q and its rates as arrays of their own, of one leading shape; zero where they are not
        given."""
        sizes = [self.q_count, *[self.v_count] * (len(given) - 1)]
        arrays = [np.zeros(n) if x is None else np.asarray(x, dtype=np.float64)
                  for x, n in zip(given, sizes)]
        for x, n, name in zip(arrays, sizes, ("q", "qd", "qdd", "qddd")):
            if x.shape[-1:] != (n,):
                raise ValueError(f"{name}: shape (..., {n}) expected, {x.shape} given")
        leading = np.broadcast_shapes(*(x.shape[:-1] for x in arrays))
        return [np.array(np.broadcast_to(x, (*leading, n)), order="C")
                for x, n in zip(arrays, sizes)]

    # --- recorded motions

    def track(
        self,
        markers: str | os.PathLike[str],
        *,
        tasks: str | os.PathLike[str] | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> tuple[Table, Table]:
        """Coordinates from markers, as `arne motion track`: a table of time and q [s, rad, m], and
        errors of markers [m].

        markers  a .trc file, or a CSV with columns NAME.x, NAME.y, NAME.z for named frames of the
                 robot
        tasks    a task set or setup file of OpenSim's inverse kinematics; None: every marker weighs
                 1
        weights  other weights, by marker
        """
        from ._table import table_of

        q, errors = self._track(markers, tasks, dict(weights or {}))
        return table_of(*q), table_of(*errors)

    def recorded(
        self,
        motion: str | os.PathLike[str],
        *,
        loads: str | os.PathLike[str] | None = None,
        cutoff: float = 6.0,
    ) -> Table:
        """A recorded motion and its torques, as `arne motion dynamics`: time, q, qd, qdd and tau of
        all joints [SI].

        motion  coordinates over time: .mot, .sto or CSV
        loads   measured forces, a file ExternalLoads of OpenSim
        cutoff  [Hz] of the low-pass filter; 0: none
        """
        from ._table import table_of

        time, *parts = self._recorded(motion, loads, cutoff)
        joints = sorted((j for j in self.joints if j.v_count), key=lambda j: j.v_start)
        slides = [j.kind == "prismatic" for j in joints]
        units = {"q": ("rad", "m"), "qd": ("rad/s", "m/s"), "qdd": ("rad/s^2", "m/s^2"),
                 "tau": ("N m", "N")}
        names = ["time", *(f"{part}.{j.name}" for part in units for j in joints)]
        said = ["s", *(unit[s] for unit in units.values() for s in slides)]
        return table_of(names, said,
                        np.column_stack([np.asarray(time), *(np.asarray(p) for p in parts)]))

    # --- muscles

    def muscle_forces(
        self,
        activation: ArrayLike,
        length: ArrayLike,
        velocity: ArrayLike | None = None,
        *,
        tendon: str = "equilibrium",
        state: ArrayLike | None = None,
        passive: bool = True,
    ) -> dict[str, Array]:
        """Forces of muscles [N] from activation, length [m] and velocity [m/s] of their paths, all
        (..., muscles).

        tendon   "equilibrium" of fibre and tendon, "rigid", or what state is: "fibre", the length
                 of the fibre [m], or "force", that of the tendon as a part of max_force
        state    (..., muscles)
        passive  whether fibres pull passively too

        A dict of arrays (..., muscles): force, fibre_length, fibre_velocity, pennation, active,
        passive, active_length, tendon_length, rate (of the state), fibre_power and tendon_power, in
        SI units; and (..., muscles, 4): force_by and rate_by, derivatives by activation, length,
        velocity and state.
        """
        kinds = ("equilibrium", "rigid", "fibre", "force")
        if tendon not in kinds:
            raise ValueError(f"tendon: one of {', '.join(kinds)} expected, '{tendon}' given")
        if tendon in kinds[2:] and state is None:
            raise ValueError(f"state: needed where tendon is '{tendon}'")
        zero = 0.0
        given = [activation, length, zero if velocity is None else velocity,
                 zero if state is None else state]
        parts = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in given))
        a, long, fast, now = (np.ascontiguousarray(x) for x in parts)
        rows = self._muscle_forces(a, long, fast, now, kinds.index(tendon), not passive)
        found = np.asarray(rows).reshape(*parts[0].shape, -1)
        names = ("force fibre_length fibre_velocity pennation active passive active_length "
                 "tendon_length rate".split())
        names += ["fibre_power", "tendon_power"]
        result = {name: found[..., i] for i, name in enumerate(names)}
        n = len(names)
        return {**result, "force_by": found[..., n : n + 4], "rate_by": found[..., n + 4 : n + 8]}

    def static_optimisation(
        self,
        motion: str | os.PathLike[str],
        *,
        loads: str | os.PathLike[str] | None = None,
        cutoff: float = 6.0,
        power: float = 2.0,
        reserves: float | Mapping[str, float] = 1.0,
        passive: bool = False,
        compliant: bool = False,
        opensim: bool = False,
    ) -> tuple[Table, Table, int]:
        """Muscles along a recorded motion, as `arne motion muscles`: their table, that of loads in
        joints, frames missed.

        motion     coordinates over time: .mot, .sto or CSV
        loads      measured forces, a file ExternalLoads of OpenSim
        cutoff     [Hz] of the low-pass filter; 0: none
        power      of activations in the sum that becomes least
        reserves   [N m, N] torque of reserve actuators at control 1, of all joints or by joint
                   (others: none)
        passive    fibres pull passively too
        compliant  tendons stretch
        opensim    accelerations, and pennation of Millard's muscles, as OpenSim's tool has them
        """
        from ._table import table_of

        strength = np.zeros(self.v_count)
        if isinstance(reserves, Mapping):
            for name, value in reserves.items():
                self.joint_index(name)  # an error with near matches where there is none
                joint = next(j for j in self.joints if j.name == name)
                strength[joint.v_start : joint.v_start + joint.v_count] = value
        else:
            strength[:] = reserves
        muscles, reactions, missed = self._static_optimisation(
            motion, loads, cutoff, power, strength, passive, compliant, opensim
        )
        return table_of(*muscles), table_of(*reactions), missed

    # --- copies and text

    def __copy__(self) -> Robot:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Robot:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpack, (type(self), self._pack(), self.path, self.open)

    def __repr__(self) -> str:
        return (f"<arne.Robot '{self.name}': {self.joint_count} joints, q of {self.q_count}, base "
                f"{self.base}>")

    def __str__(self) -> str:
        return self._table()

    def page(self, path: str | os.PathLike[str], q: ArrayLike | None = None) -> None:
        """Writes the page of the viewer, as `arne view` does: the robot with a slider for each
        joint; q (Q,) [rad, m] at first."""
        looks = self.path if self.path and os.path.isfile(self.path) else None
        self._write_page(path, looks,
                         None if q is None else np.ascontiguousarray(q, dtype=np.float64))

    if TYPE_CHECKING:

        @overload
        def show(self, live: Literal[False] = False) -> str: ...

        @overload
        def show(self, live: Literal[True]) -> LiveView: ...

    def show(self, live: bool = False) -> str | LiveView:
        """Opens the viewer in a browser, where there is a display, and returns where its page is.

        With `live`, returns a LiveView instead: its page follows the positions that
        `view.update(q)` gives.
        """
        import tempfile

        folder = tempfile.mkdtemp(prefix="arne-view-")
        path = os.path.join(folder, "robot.html")
        self.page(path)
        if not live:
            open_page(path)
            return path
        from ._live import LiveView

        with open(path, encoding="utf-8") as file:
            view = LiveView(file.read(), self.q_count)
        os.remove(path)
        os.rmdir(folder)
        open_address(view.url)
        return view

    def _repr_html_(self) -> str:
        """A notebook shows the viewer; where it cannot be made, as where loops cannot be closed,
        the table."""
        import html
        import tempfile

        with tempfile.TemporaryDirectory(prefix="arne-view-") as folder:
            path = os.path.join(folder, "robot.html")
            try:
                self.page(path)
                with open(path, encoding="utf-8") as file:
                    return in_frame(file.read())
            except Error:
                return f"<pre>{html.escape(self._table())}</pre>"


def _unpack(kind: type[Robot], block: bytes, path: str | None, open: bool = False) -> Robot:
    """A robot from what pickle kept of another."""
    return kind._from_pack(block, path, open)


def load(
    source: Source,
    *,
    base: Base | None = None,
    friction: bool = True,
    rotor: bool = True,
    gravity: Vector | None = None,
    strict: bool = False,
    open: bool = False,
    xacro: Mapping[str, object] | None = None,
    model: str | None = None,
    packages: Packages = None,
) -> Robot:
    """Reads a robot.

    source    path of a URDF, xacro, SDF, MJCF, OpenSim or YAML robot file, or a dict with the keys
              of a YAML file. A bare name such as "arm7" is one of the robots that come with Arne,
              where there is no such file
    base      'fixed', 'prescribed' or 'free'; None: as the file says
    friction  whether joint friction is part of the dynamics
    rotor     whether reflected rotors are
    gravity   (3,) [m/s^2] acceleration of free fall; None: as the file says, else (0, 0, -9.81)
    strict    flaws are errors, not warnings
    open      loops are cut: all that is computed is that of the tree
    xacro     arguments of a xacro file: {"ur_type": "ur5e"}; "find:PACKAGE" says where a package
              lies
    model     the name of a model of an SDF file that has several
    packages  folders of packages for xacro files: {"name": "folder"}

    Raises Error with file and line; flaws are told as FlawWarning.
    """
    if isinstance(source, Mapping):
        text = to_yaml(source)
        try:
            return Robot(
                "<dict>",
                base=base,
                friction=friction,
                rotor=rotor,
                gravity=gravity,
                strict=strict,
                text=text,
                open=open,
            )
        except Error as error:
            raise error.by_key("<dict>", key_paths(text), "robot") from None
    given = {**(xacro or {}), **({"model": model} if model else {})}
    words = (f" {key}:={str(value).lower() if isinstance(value, bool) else value}"
             for key, value in given.items())
    name = find_robot(source) + "".join(words)
    with package_folders(packages):
        return Robot(name, base=base, friction=friction, rotor=rotor, gravity=gravity,
                     strict=strict, open=open)


def find_robot(source: str | os.PathLike[str]) -> str:
    """The path of a robot file; of a bare name, that of a robot that comes with Arne."""
    path = os.fspath(source)
    if os.path.exists(path) or os.path.basename(path) != path or "." in path:
        return path
    for ending in (".yaml", ".urdf"):
        ours = os.path.join(os.path.dirname(__file__), "robots", path + ending)
        if os.path.exists(ours):
            return ours
    return path
