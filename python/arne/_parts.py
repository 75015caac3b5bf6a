"""The parts of a robot, as it tells of them."""

from __future__ import annotations

from dataclasses import dataclass

from ._types import Array, Numbers


@dataclass(frozen=True)
class Joint:
    """A joint that moves. Limits are infinite where there are none.

    axis      (3,) [1] in the child link's axes
    lower, upper       [rad, m]
    velocity           [rad/s, m/s]
    effort             [N m, N]
    viscous            [N m s/rad, N s/m]
    coulomb_positive, coulomb_negative [N m, N]
    rotor_inertia      [kg m^2, kg]
    parent, child      numbers of links; -1: the world
    mimic              the number of the joint that it follows, or -1
    function_count     it follows by that many functions; 0: in proportion, or not at all
    """

    name: str
    kind: str
    parent: int
    child: int
    q_start: int
    q_count: int
    v_start: int
    v_count: int
    axis: tuple[float, float, float]
    pitch: float
    lower: float
    upper: float
    velocity: float
    effort: float
    viscous: float
    coulomb_positive: float
    coulomb_negative: float
    rotor_inertia: float
    mimic: int
    mimic_ratio: float
    mimic_offset: float
    function_count: int
    passive: bool


@dataclass(frozen=True)
class Frame:
    """A link, or a named frame on one.

    pose      R (3, 3) by rows, then p (3,) [1, m] in the frame of the body that carries it
    mass      [kg] of a link, as its file says
    com       (3,) [m] in the link's frame
    inertia   (6,) [kg m^2] xx, yy, zz, xy, xz, yz about the centre of mass, in the link's axes
    """

    name: str
    is_link: bool
    body: int
    parent: int
    pose: tuple[tuple[float, float, float], ...]
    mass: float
    com: tuple[float, float, float]
    inertia: tuple[float, float, float, float, float, float]


@dataclass(frozen=True)
class Motor:
    """A motor; all is counted on the joint's side of the gear.

    axis, position   (3,) [1], [m] in the frame of the link that carries it
    inertia, transverse [kg m^2], mass [kg], stiffness [N m/rad], damping [N m s/rad]
    effort [N m], effort_rate [N m/s]
    q_index, v_index of theta, or -1
    """

    name: str
    joint: int
    link: int
    axis: tuple[float, float, float]
    position: tuple[float, float, float]
    gear: float
    inertia: float
    transverse: float
    mass: float
    stiffness: float
    damping: float
    effort: float
    effort_rate: float
    q_index: int
    v_index: int


@dataclass(frozen=True)
class Spring:
    """A spring and damper on a joint: stiffness [N m/rad, N/m], damping [N m s/rad, N s/m], rest
    [rad, m].

    stiffness_more  factors of x^2 and x^3 of what it holds, with x = q - rest
    damping_more    factors of v |v| and v^3
    """

    joint: int
    stiffness: float
    damping: float
    rest: float
    stiffness_more: tuple[float, float]
    damping_more: tuple[float, float]
    passive: bool


@dataclass(frozen=True)
class Loop:
    """A joint that closes a loop between two frames.

    frames     numbers of predecessor and successor
    points     2 x (3,) [m] where it is on each, in its frame
    row_start, row_count  its scalar constraints among all
    """

    name: str
    kind: str
    frames: tuple[int, int]
    points: tuple[tuple[float, float, float], tuple[float, float, float]]
    row_start: int
    row_count: int


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """The base parameters of a robot: beta = grouping @ parameters.

    rank      how many there are
    names     of the parameter that each keeps with coefficient 1
    values    (rank,) [kg, kg m, kg m^2 ...]
    kept      (rank,) numbers of these parameters
    grouping  (rank, P) [1 ...]
    """

    rank: int
    names: list[str]
    values: Array
    kept: Numbers
    grouping: Array
