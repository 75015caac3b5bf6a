"""The extension in C."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Self

from numpy.typing import ArrayLike

from . import _results
from ._pose import Pose
from ._types import Array, Axes, Base, Facts, FixedIn, Given, Held, Integrator, Method, Scalar, Vector, Wrenches

__version__: str
RECORDS: tuple[str, ...]

def set_threads(threads: int, /) -> None: ...
def get_threads() -> int: ...
def methods() -> list[dict[str, Any]]: ...
def simulate(
    path: str | PathLike[str],
    out: str | PathLike[str],
    controller: Callable[[float, Array, Array, tuple[Array | None, ...]], ArrayLike] | None,
    sample_time: float,
    tick: Callable[[Any], object] | None,
    resume: bool,
    page: bool,
    /,
) -> BaseException | None: ...
def oc_new(
    robot: Robot,
    knots: int,
    step: float,
    integrator: int,
    kind: int,
    actuation: Array | None,
    controls: int,
    lower: Array | None,
    upper: Array | None,
    terms: list[tuple[Any, ...]],
    phases: list[tuple[int, bool, list[tuple[int, bool]]]],
    contact_damping: float,
    threads: int,
    /,
) -> object: ...
def oc_counts(solver: object, /) -> tuple[int, int]: ...
def oc_solve(
    solver: object,
    q: ArrayLike,
    qd: ArrayLike,
    states: Array | None,
    controls: Array | None,
    iterations: int,
    hessian: int,
    tolerance: float,
    deadline: float,
    /,
) -> tuple[Any, ...]: ...
def oc_torques(solver: object, q: ArrayLike, qd: ArrayLike, control: ArrayLike, /) -> Array: ...
def oc_schedule(solver: object, phases: list[int], before: int, /) -> None: ...
def oc_step(
    solver: object, q: ArrayLike, qd: ArrayLike, elapsed: float, iterations: int, hessian: int, deadline: float, /
) -> tuple[Any, ...]: ...
def simulation_new(
    path: str | PathLike[str], step: float, q: ArrayLike | None, qd: ArrayLike | None, /
) -> object: ...
def simulation_facts(simulation: object, /) -> tuple[bytes, float, int, int]: ...
def simulation_step(simulation: object, tau: ArrayLike | None, n: int, /) -> None: ...
def simulation_write(
    simulation: object, what: int, mask: bytes | None, a: ArrayLike | None, b: ArrayLike | None, /
) -> None: ...
def simulation_read(simulation: object, what: int, /) -> Any: ...
def simulation_fill(simulation: object, what: int, out: Array, /) -> None: ...
def simulation_contacts(simulation: object, world: int, /) -> list[tuple[Any, ...]]: ...
def simulation_bench(simulation: object, tau: ArrayLike, steps: int, /) -> float: ...
def simulations_new(
    path: str | PathLike[str], count: int, threads: int, step: float, rows: tuple[Array | None, ...], frame: int, /
) -> object: ...
def simulations_addresses(worlds: object, /) -> tuple[int, int, int]: ...
def simulations_failed(worlds: object, /) -> list[int]: ...
def plan(
    path: str | PathLike[str],
    out: str | PathLike[str],
    quantities: list[tuple[str, int, Callable[..., ArrayLike], Callable[..., ArrayLike] | None]],
    constraints: list[tuple[str, int, ArrayLike, ArrayLike, float, float]],
    objectives: list[tuple[str, int, ArrayLike, int, float, float]],
    tick: Callable[[Any], object] | None,
    refine: int,
    feasibility_first: bool,
    warm: str | PathLike[str] | None,
    resume: bool,
    log: str | PathLike[str] | None,
    converge: float,
    starts: int,
    seed: int,
    threads: int,
    normal: str | PathLike[str] | None,
    check_derivatives: bool,
    plots: bool,
    /,
) -> BaseException | None: ...
def dlpack_facts(capsule: object, /) -> tuple[int, tuple[int, ...], tuple[int, ...] | None, int, int]: ...
def sweep(
    path: str | PathLike[str],
    out: str | PathLike[str],
    jobs: int,
    tick: Callable[[Any], object] | None,
    resume: bool,
    retry: bool,
    /,
) -> None: ...
def sweep_facts(path: str | PathLike[str], /) -> tuple[int, int, list[str], list[str]]: ...
def sweep_rows(path: str | PathLike[str], start: int, stop: int, /) -> list[str]: ...
def read_table(path: str | PathLike[str], /) -> tuple[list[str], list[str], Array]: ...
def write_report(path: str | PathLike[str], /) -> None: ...

class Robot:
    def __new__(
        cls,
        path: str | PathLike[str],
        *,
        base: Base | None = None,
        friction: bool = True,
        rotor: bool = True,
        gravity: ArrayLike | None = None,
        strict: bool = False,
        text: str | None = None,
        kind: str = "yaml",
        open: bool = False,
    ) -> Self: ...
    @property
    def name(self) -> str: ...
    @property
    def path(self) -> str | None: ...
    @property
    def base(self) -> Base: ...
    @property
    def gravity_vector(self) -> tuple[float, float, float]: ...
    @property
    def total_mass(self) -> float: ...
    @property
    def q_count(self) -> int: ...
    @property
    def v_count(self) -> int: ...
    @property
    def body_count(self) -> int: ...
    @property
    def joint_count(self) -> int: ...
    @property
    def frame_count(self) -> int: ...
    @property
    def link_count(self) -> int: ...
    @property
    def motor_count(self) -> int: ...
    @property
    def theta_count(self) -> int: ...
    @property
    def open(self) -> bool: ...
    @property
    def loop_count(self) -> int: ...
    @property
    def loop_row_count(self) -> int: ...
    def _facts(self) -> dict[str, list[Facts]]: ...
    def _table(self) -> str: ...
    def _pack(self) -> bytes: ...
    @classmethod
    def _from_pack(cls, block: bytes, path: str | None, open: bool = False, /) -> Self: ...
    def _attach(self, frame: str | int, mass: float, com: ArrayLike, inertia: ArrayLike, /) -> Self: ...
    def _reduce(self, joints: list[str], values: list[float], /) -> Robot: ...
    def _configure(
        self, what: str, a: Array | None, b: Array | None, u: float, seed: int, out: Array, /
    ) -> int: ...
    def _complete(self, q: Array, qd: Array, qdd: Array, /) -> None: ...
    def _complete_jerk(self, q: Array, qd: Array, qdd: Array, qddd: Array, /) -> None: ...
    def _follow_platform(self, q: Array, qd: Array, qdd: Array, /) -> None: ...
    def _effort_limits(self) -> Array: ...
    def _payload_capacity(
        self, frame: str | int, q: Array, qd: Array, qdd: Array, mass: Array, limiting: Array, /
    ) -> None: ...
    def _base_set(self, kinds: int, seed: int, /) -> tuple[int, list[int], list[float]]: ...
    def _parameters(self) -> list[float]: ...
    def _parameter_names(self) -> list[str]: ...
    def _active(self) -> list[bool]: ...
    def _write_page(self, path: str | PathLike[str], looks: str | PathLike[str] | None, q: Array | None, /) -> None: ...
    def _track(
        self,
        markers: str | PathLike[str],
        tasks: str | PathLike[str] | None,
        weights: dict[str, float],
        /,
    ) -> tuple[tuple[list[str], list[str], Array], tuple[list[str], list[str], Array]]: ...
    def _recorded(
        self, motion: str | PathLike[str], loads: str | PathLike[str] | None, cutoff: float, /
    ) -> tuple[Array, Array, Array, Array, Array]: ...
    def _muscle_forces(
        self, activation: Array, length: Array, velocity: Array, state: Array, tendon: int, no_passive: bool, /
    ) -> Array: ...
    def _static_optimisation(
        self,
        motion: str | PathLike[str],
        loads: str | PathLike[str] | None,
        cutoff: float,
        power: float,
        reserves: Array,
        passive: bool,
        compliant: bool,
        opensim: bool,
        /,
    ) -> tuple[tuple[list[str], list[str], Array], tuple[list[str], list[str], Array], int]: ...
    def _identify_fit(
        self,
        logs: list[Any],
        validate: list[Any],
        settings: list[str | PathLike[str]],
        out: str | PathLike[str],
        tick: Callable[[Any], object] | None,
        /,
    ) -> None: ...
    def _identify_payload(
        self,
        logs: list[Any],
        unloaded: list[Any],
        settings: list[str | PathLike[str]],
        frame: str | int,
        tick: Callable[[Any], object] | None,
        /,
    ) -> dict[str, Any]: ...
    def _identify_design(
        self,
        settings: list[str | PathLike[str]],
        out: str | PathLike[str],
        rate: float,
        numbers: tuple[int, float, int, int, int, float, int, float],
        accelerations: list[float] | None,
        noises: list[float] | None,
        frames: list[str | int],
        tick: Callable[[Any], object] | None,
        /,
    ) -> None: ...
    def _bench(self, count: int, repeats: int, /) -> float: ...
    def save(self, path: str | PathLike[str], /) -> None: ...
    def frame_index(self, name: str | int, /) -> int: ...
    def joint_index(self, name: str | int, /) -> int: ...
    # --- from the catalogue, by generate.py; do not edit below
    def pose(
        self,
        q: ArrayLike,
        frame: str | int,
        *,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Pose | None = None,
    ) -> Pose: ...
    def velocity(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str | int,
        *,
        axes: Axes = "aligned",
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def acceleration(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        frame: str | int,
        *,
        axes: Axes = "aligned",
        spatial: bool = False,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def jacobian(
        self,
        q: ArrayLike,
        frame: str | int,
        *,
        axes: Axes = "aligned",
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def com(
        self,
        q: ArrayLike,
        qd: ArrayLike | None = None,
        *,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.Com | None = None,
    ) -> _results.Com: ...
    def com_jacobian(
        self,
        q: ArrayLike,
        *,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def energy(
        self,
        q: ArrayLike,
        qd: ArrayLike | None = None,
        *,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.Energy | None = None,
    ) -> _results.Energy: ...
    def momentum(
        self,
        q: ArrayLike,
        qd: ArrayLike | None = None,
        *,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.Momentum | None = None,
    ) -> _results.Momentum: ...
    def centroidal_matrix(
        self,
        q: ArrayLike,
        *,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        f_ext: ArrayLike | None = None,
        wrench: Wrenches = None,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def assemble(
        self,
        q: ArrayLike,
        *,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.Assemble | None = None,
    ) -> _results.Assemble: ...
    def loop_jacobian(
        self,
        q: ArrayLike,
        *,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.LoopJacobian | None = None,
    ) -> _results.LoopJacobian: ...
    def loop_forces(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        f_ext: ArrayLike | None = None,
        wrench: Wrenches = None,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.LoopForces | None = None,
    ) -> _results.LoopForces: ...
    def gravity(
        self,
        q: ArrayLike,
        *,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def bias(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        f_ext: ArrayLike | None = None,
        wrench: Wrenches = None,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def joint_wrenches(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        f_ext: ArrayLike | None = None,
        wrench: Wrenches = None,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.JointWrenches | None = None,
    ) -> _results.JointWrenches: ...
    def coriolis_matrix(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def mass_matrix(
        self,
        q: ArrayLike,
        *,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def inverse_mass_matrix(
        self,
        q: ArrayLike,
        *,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def operational_inertia(
        self,
        q: ArrayLike,
        frame: str | int,
        *,
        axes: Axes = "aligned",
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        method: Method = "recursive",
        f_ext: ArrayLike | None = None,
        wrench: Wrenches = None,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def forward_dynamics_matrix(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        f_ext: ArrayLike | None = None,
        wrench: Wrenches = None,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def ground_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        ground: ArrayLike,
        *,
        f_ext: ArrayLike | None = None,
        wrench: Wrenches = None,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.GroundDynamics | None = None,
    ) -> _results.GroundDynamics: ...
    def hybrid_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        tau: ArrayLike,
        given: Given,
        *,
        f_ext: ArrayLike | None = None,
        wrench: Wrenches = None,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.HybridDynamics | None = None,
    ) -> _results.HybridDynamics: ...
    def base_acceleration(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        f_ext: ArrayLike | None = None,
        wrench: Wrenches = None,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.BaseAcceleration | None = None,
    ) -> _results.BaseAcceleration: ...
    def contact_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        contact: Held,
        *,
        unilateral: bool = False,
        friction: float | None = None,
        f_ext: ArrayLike | None = None,
        wrench: Wrenches = None,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.ContactDynamics | None = None,
    ) -> _results.ContactDynamics: ...
    def contact_dynamics_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        contact: Held,
        *,
        unilateral: bool = False,
        friction: float | None = None,
        wrench: Wrenches = None,
        wrench_fixed_in: FixedIn = "link",
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.ContactDynamicsDerivatives | None = None,
    ) -> _results.ContactDynamicsDerivatives: ...
    def elastic_inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        f_ext: ArrayLike | None = None,
        wrench: Wrenches = None,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.ElasticInverseDynamics | None = None,
    ) -> _results.ElasticInverseDynamics: ...
    def elastic_forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        method: Method = "recursive",
        f_ext: ArrayLike | None = None,
        wrench: Wrenches = None,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.ElasticForwardDynamics | None = None,
    ) -> _results.ElasticForwardDynamics: ...
    def coupled_matrix(
        self,
        q: ArrayLike,
        *,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def modes(
        self,
        q: ArrayLike,
        *,
        held: Given | None = None,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.Modes | None = None,
    ) -> _results.Modes: ...
    def equilibrium(
        self,
        q: ArrayLike,
        tau: ArrayLike | None = None,
        *,
        held: Given | None = None,
        activation: Mapping[str, float] | None = None,
        wrench: Wrenches = None,
        wrench_fixed_in: FixedIn = "link",
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def inverse_kinematics(
        self,
        q: ArrayLike,
        frame: str | int,
        position: ArrayLike,
        *,
        quaternion: ArrayLike | None = None,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.InverseKinematics | None = None,
    ) -> _results.InverseKinematics: ...
    def jerk(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        qddd: ArrayLike,
        frame: str | int,
        *,
        axes: Axes = "aligned",
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def torque_rate(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        qddd: ArrayLike,
        *,
        wrench: Wrenches = None,
        wrench_rate: Wrenches = None,
        wrench_fixed_in: FixedIn = "link",
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.TorqueRate | None = None,
    ) -> _results.TorqueRate: ...
    def inverse_dynamics_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        wrench: Wrenches = None,
        wrench_fixed_in: FixedIn = "link",
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.InverseDynamicsDerivatives | None = None,
    ) -> _results.InverseDynamicsDerivatives: ...
    def inverse_dynamics_along(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        along_q: ArrayLike | None = None,
        along_qd: ArrayLike | None = None,
        along_qdd: ArrayLike | None = None,
        *,
        wrench: Wrenches = None,
        wrench_fixed_in: FixedIn = "link",
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def inverse_dynamics_against(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        multiplier: ArrayLike,
        *,
        wrench: Wrenches = None,
        wrench_fixed_in: FixedIn = "link",
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.InverseDynamicsAgainst | None = None,
    ) -> _results.InverseDynamicsAgainst: ...
    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        *,
        wrench: Wrenches = None,
        wrench_fixed_in: FixedIn = "link",
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.ForwardDynamicsDerivatives | None = None,
    ) -> _results.ForwardDynamicsDerivatives: ...
    def wrench_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        joint: str | int,
        *,
        wrench: Wrenches = None,
        wrench_fixed_in: FixedIn = "link",
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.WrenchDerivatives | None = None,
    ) -> _results.WrenchDerivatives: ...
    def second_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        multiplier: ArrayLike | None = None,
        *,
        wrench: Wrenches = None,
        wrench_fixed_in: FixedIn = "link",
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.SecondDerivatives | None = None,
    ) -> _results.SecondDerivatives: ...
    def frame_motion_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        frame: str | int,
        *,
        axes: Axes = "aligned",
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.FrameMotionDerivatives | None = None,
    ) -> _results.FrameMotionDerivatives: ...
    def centroidal_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.CentroidalDerivatives | None = None,
    ) -> _results.CentroidalDerivatives: ...
    def zero_moment_point(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        point: Vector = (0.0, 0.0, 0.0),
        normal: Vector = (0.0, 0.0, 1.0),
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.ZeroMomentPoint | None = None,
    ) -> _results.ZeroMomentPoint: ...
    def regressor(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def muscle_lengths(
        self,
        q: ArrayLike,
        *,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def muscle_velocities(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        *,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def muscle_moment_arms(
        self,
        q: ArrayLike,
        *,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def rollout(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        steps: int,
        dt: float,
        q_ref: ArrayLike | None = None,
        qd_ref: ArrayLike | None = None,
        ground: ArrayLike | None = None,
        mass_factor: ArrayLike | None = None,
        stiffness: ArrayLike | None = None,
        damping: ArrayLike | None = None,
        restart: ArrayLike | None = None,
        q_start: ArrayLike | None = None,
        qd_start: ArrayLike | None = None,
        *,
        integrator: Integrator = "euler",
        kp: Vector | None = None,
        kd: Vector | None = None,
        sweeps: int = 0,
        left_out: Sequence[str | int] = (),
        heights: ArrayLike | None = None,
        corner: Vector = (0.0, 0.0),
        spacing: Vector = (1.0, 1.0),
        limit_stiffness: float = 0.0,
        limit_damping: float = 0.0,
        policy: ArrayLike | None = None,
        hidden: int = 0,
        holds: int = 1,
        torque_limits: Vector | None = None,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.Rollout | None = None,
    ) -> _results.Rollout: ...
    def jacobian_rate(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str | int,
        *,
        axes: Axes = "aligned",
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def contact_inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        contact: Held,
        *,
        unilateral: bool = False,
        friction: float | None = None,
        f_ext: ArrayLike | None = None,
        wrench: Wrenches = None,
        base_pose: Vector | None = None,
        base_velocity: Vector | None = None,
        base_acceleration: Vector | None = None,
        base_jerk: Vector | None = None,
        out: _results.ContactInverseDynamics | None = None,
    ) -> _results.ContactInverseDynamics: ...
