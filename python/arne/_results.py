"""Results that have several parts, one class for each method. Written by generate.py from the catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._pose import Pose
from ._types import Array, Scalar


@dataclass(frozen=True, eq=False)
class Com:
    """What Robot.com makes: mass that moves, its centre, how that moves.

    mass: (...) [kg] of all that moves
    com: (..., 3) [m] centre of mass, in the world
    com_velocity: (..., 3) [m/s] velocity of the centre of mass
    """

    mass: Scalar
    com: Array
    com_velocity: Array


@dataclass(frozen=True, eq=False)
class Energy:
    """What Robot.energy makes: kinetic and potential, which is zero at the world's origin.

    kinetic: (...) [J] kinetic energy, with reflected rotors
    potential: (...) [J] potential energy, zero at the world's origin
    """

    kinetic: Scalar
    potential: Scalar


@dataclass(frozen=True, eq=False)
class Momentum:
    """What Robot.momentum makes: linear, and angular about the centre of mass: A qd.

    momentum: (..., 6) [kg m/s, kg m^2/s] linear, and angular about the centre of mass
    A: (..., 6, V) [kg, kg m, kg m^2] centroidal matrix: the momentum is A qd
    """

    momentum: Array
    A: Array


@dataclass(frozen=True, eq=False)
class Assemble:
    """What Robot.assemble makes: positions of the passive joints that close the loops.

    q: (..., Q) [rad, m] coordinates
    closure: (...) [m, rad] the largest gap that is left
    branch: (...) [1] 1, -1, or 0 where it has no sign
    """

    q: Array
    closure: Scalar
    branch: Scalar


@dataclass(frozen=True, eq=False)
class LoopJacobian:
    """What Robot.loop_jacobian makes: of all joints over the active ones, where there are loops.

    G: (..., V, ACTIVE) [1] derivatives of all joints over the active ones
    condition: (...) [1] of the constraints over the passive joints
    """

    G: Array
    condition: Scalar


@dataclass(frozen=True, eq=False)
class LoopForces:
    """What Robot.loop_forces makes: what the loops carry in a motion.

    loops: (..., LOOPS, 6) [N, N m] what each loop carries
    indeterminate: (...) [1] 1 where redundant constraints leave many answers
    tau: (..., V) [N m, N] torques and forces
    """

    loops: Array
    indeterminate: Scalar
    tau: Array


@dataclass(frozen=True, eq=False)
class JointWrenches:
    """What Robot.joint_wrenches makes: what each joint carries in a motion, and the base.

    joint_wrenches: (..., JOINTS, 6) [N, N m] what each joint carries, at its origin, in the child link's axes
    base_wrench: (..., 6) [N, N m] what the ground does to the base, in its axes
    """

    joint_wrenches: Array
    base_wrench: Array


@dataclass(frozen=True, eq=False)
class GroundDynamics:
    """What Robot.ground_dynamics makes: accelerations that torques and compliant ground make.

    qdd: (..., V) [rad/s^2, m/s^2] accelerations
    ground_force: (..., SHAPES, 3) [N] what the ground does to each contact shape, in the world's axes
    """

    qdd: Array
    ground_force: Array


@dataclass(frozen=True, eq=False)
class HybridDynamics:
    """What Robot.hybrid_dynamics makes: from qdd of the joints that are given, and tau of the others.

    tau: (..., V) [N m, N] torques and forces
    qdd: (..., V) [rad/s^2, m/s^2] accelerations
    """

    tau: Array
    qdd: Array


@dataclass(frozen=True, eq=False)
class BaseAcceleration:
    """What Robot.base_acceleration makes: of a free base while its joints move with qdd.

    base_acceleration: (..., 6) [m/s^2, rad/s^2] the first six of qdd, of a free base
    tau: (..., V) [N m, N] torques and forces
    """

    base_acceleration: Array
    tau: Array


@dataclass(frozen=True, eq=False)
class ContactDynamics:
    """What Robot.contact_dynamics makes: accelerations and forces where frames are held.

    qdd: (..., V) [rad/s^2, m/s^2] accelerations
    contacts: (..., CONTACTS, 6) [N, N m] force and moment on each held frame, at its origin, in the world's axes
    """

    qdd: Array
    contacts: Array


@dataclass(frozen=True, eq=False)
class ContactDynamicsDerivatives:
    """What Robot.contact_dynamics_derivatives makes: of these accelerations and forces, where contacts stay as they are.

    dqdd_dq: (..., V, V) [1/s^2 ...] derivatives of qdd with respect to q
    dqdd_dqd: (..., V, V) [1/s ...] derivatives of qdd with respect to qd
    dqdd_dtau: (..., V, V) [1/(kg m^2), 1/(kg m), 1/kg] derivatives of qdd with respect to tau
    dcontacts_dq: (..., CONTACTS, 6, V) [N/rad, N ...] derivatives of contacts with respect to q: dforce_dq, dmoment_dq
    dcontacts_dqd: (..., CONTACTS, 6, V) [N s/rad, N s ...] likewise, with respect to qd
    dcontacts_dtau: (..., CONTACTS, 6, V) [1/m, 1 ...] likewise, with respect to tau
    """

    dqdd_dq: Array
    dqdd_dqd: Array
    dqdd_dtau: Array
    dcontacts_dq: Array
    dcontacts_dqd: Array
    dcontacts_dtau: Array


@dataclass(frozen=True, eq=False)
class ElasticInverseDynamics:
    """What Robot.elastic_inverse_dynamics makes: torques of motors and joints; springs move joints that have no motor.

    tau: (..., V) [N m, N] torques and forces
    tau_joint: (..., DRIVEN) [N m, N] what each joint carries along its own coordinates
    qdd: (..., V) [rad/s^2, m/s^2] accelerations
    thetadd: (..., MOTORS) [rad/s^2] accelerations of motors behind springs
    """

    tau: Array
    tau_joint: Array
    qdd: Array
    thetadd: Array


@dataclass(frozen=True, eq=False)
class ElasticForwardDynamics:
    """What Robot.elastic_forward_dynamics makes: accelerations that the motors' torques make.

    tau: (..., V) [N m, N] torques and forces
    tau_joint: (..., DRIVEN) [N m, N] what each joint carries along its own coordinates
    qdd: (..., V) [rad/s^2, m/s^2] accelerations
    thetadd: (..., MOTORS) [rad/s^2] accelerations of motors behind springs
    """

    tau: Array
    tau_joint: Array
    qdd: Array
    thetadd: Array


@dataclass(frozen=True, eq=False)
class Modes:
    """What Robot.modes makes: natural frequencies and shapes about the equilibrium that springs hold.

    frequency: (..., V) [Hz] natural frequencies in ascending order; negative: it grows
    shapes: (..., V, V) [1/sqrt(kg m^2) ...] row by row the motion of a mode, x^T M x = 1
    q: (..., Q) [rad, m] coordinates
    """

    frequency: Array
    shapes: Array
    q: Array


@dataclass(frozen=True, eq=False)
class InverseKinematics:
    """What Robot.inverse_kinematics makes: coordinates that bring frames to their targets.

    q: (..., Q) [rad, m] coordinates
    error: (...) [m, rad] the largest that is left
    status: (...) [1] 1: reached, 0: not; the program prints ok or not converged
    """

    q: Array
    error: Scalar
    status: Scalar


@dataclass(frozen=True, eq=False)
class TorqueRate:
    """What Robot.torque_rate makes: torques of a motion and their time derivatives.

    tau: (..., V) [N m, N] torques and forces
    tau_rate: (..., V) [N m/s, N/s] time derivatives of tau
    """

    tau: Array
    tau_rate: Array


@dataclass(frozen=True, eq=False)
class InverseDynamicsDerivatives:
    """What Robot.inverse_dynamics_derivatives makes: of the torques of a motion.

    dtau_dq: (..., V, V) [N m/rad, N/m ...] derivatives of tau with respect to q
    dtau_dqd: (..., V, V) [N m s/rad, N s/m ...] derivatives of tau with respect to qd
    dtau_dqdd: (..., V, V) [kg m^2, kg m, kg] derivatives of tau with respect to qdd
    """

    dtau_dq: Array
    dtau_dqd: Array
    dtau_dqdd: Array


@dataclass(frozen=True, eq=False)
class InverseDynamicsAgainst:
    """What Robot.inverse_dynamics_against makes: gradients of multiplier . tau.

    against_q: (..., V) [N m, N] derivatives of multiplier . tau with respect to q
    against_qd: (..., V) [N m s, N s] derivatives of multiplier . tau with respect to qd
    against_qdd: (..., V) [kg m^2, kg m, kg] derivatives of multiplier . tau with respect to qdd
    """

    against_q: Array
    against_qd: Array
    against_qdd: Array


@dataclass(frozen=True, eq=False)
class ForwardDynamicsDerivatives:
    """What Robot.forward_dynamics_derivatives makes: of the accelerations that torques make.

    dqdd_dq: (..., V, V) [1/s^2 ...] derivatives of qdd with respect to q
    dqdd_dqd: (..., V, V) [1/s ...] derivatives of qdd with respect to qd
    dqdd_dtau: (..., V, V) [1/(kg m^2), 1/(kg m), 1/kg] derivatives of qdd with respect to tau
    """

    dqdd_dq: Array
    dqdd_dqd: Array
    dqdd_dtau: Array


@dataclass(frozen=True, eq=False)
class WrenchDerivatives:
    """What Robot.wrench_derivatives makes: of what each joint carries.

    dwrench_dq: (..., 6, V) [N/rad, N ...] derivatives of what a joint carries: dforce_dq, dmoment_dq
    dwrench_dqd: (..., 6, V) [N s/rad, N s ...] likewise, with respect to qd
    dwrench_dqdd: (..., 6, V) [kg m, kg m^2 ...] likewise, with respect to qdd
    """

    dwrench_dq: Array
    dwrench_dqd: Array
    dwrench_dqdd: Array


@dataclass(frozen=True, eq=False)
class SecondDerivatives:
    """What Robot.second_derivatives makes: of the torques of a motion, [i][j][k] of tau_i.

    d2tau_dq2: (..., V, V) [N m/rad^2, N/m^2 ...] second derivatives, [i][j][k] of tau_i
    d2tau_dqd2: (..., V, V) [N m s^2/rad^2 ...] likewise
    d2tau_dqdqd: (..., V, V) [N m s/rad^2 ...] likewise; j of q, k of qd
    d2tau_dqdqdd: (..., V, V) [kg m^2/rad ...] likewise; j of q, k of qdd
    """

    d2tau_dq2: Array
    d2tau_dqd2: Array
    d2tau_dqdqd: Array
    d2tau_dqdqdd: Array


@dataclass(frozen=True, eq=False)
class FrameMotionDerivatives:
    """What Robot.frame_motion_derivatives makes: of the velocity and acceleration of a frame.

    dvelocity_dq: (..., 6, V) [m/s, 1/s ...] derivatives of a frame's velocity
    dvelocity_dqd: (..., 6, V) [1, m] likewise, with respect to qd
    dacceleration_dq: (..., 6, V) [m/s^2, 1/s^2 ...] derivatives of a frame's acceleration
    dacceleration_dqd: (..., 6, V) [m/s, 1/s ...] likewise, with respect to qd
    dacceleration_dqdd: (..., 6, V) [1, m] likewise, with respect to qdd
    """

    dvelocity_dq: Array
    dvelocity_dqd: Array
    dacceleration_dq: Array
    dacceleration_dqd: Array
    dacceleration_dqdd: Array


@dataclass(frozen=True, eq=False)
class CentroidalDerivatives:
    """What Robot.centroidal_derivatives makes: of momentum and its rate.

    momentum_rate: (..., 6) [N, N m] time derivative of momentum
    dmomentum_dq: (..., 6, V) [kg m/s, kg m^2/s ...] derivatives of momentum
    dmomentum_dqd: (..., 6, V) [kg, kg m, kg m^2] likewise, with respect to qd
    dmomentum_rate_dq: (..., 6, V) [N, N m ...] derivatives of momentum_rate
    dmomentum_rate_dqd: (..., 6, V) [N s, N m s ...] likewise, with respect to qd
    dmomentum_rate_dqdd: (..., 6, V) [kg, kg m, kg m^2] likewise, with respect to qdd
    """

    momentum_rate: Array
    dmomentum_dq: Array
    dmomentum_dqd: Array
    dmomentum_rate_dq: Array
    dmomentum_rate_dqd: Array
    dmomentum_rate_dqdd: Array


@dataclass(frozen=True, eq=False)
class ZeroMomentPoint:
    """What Robot.zero_moment_point makes: in a plane, with its derivatives.

    zmp: (..., 3) [m] zero-moment point in a plane, in the world
    dzmp_dq: (..., 3, V) [m/rad, 1] derivatives of zmp
    dzmp_dqd: (..., 3, V) [m s/rad, s] likewise, with respect to qd
    dzmp_dqdd: (..., 3, V) [m s^2/rad, s^2] likewise, with respect to qdd
    """

    zmp: Array
    dzmp_dq: Array
    dzmp_dqd: Array
    dzmp_dqdd: Array


@dataclass(frozen=True, eq=False)
class Rollout:
    """What Robot.rollout makes: many steps in time under given torques.

    q_end: (..., Q) [rad, m] coordinates after the last step
    qd_end: (..., V) [rad/s, m/s] velocities after the last step
    """

    q_end: Array
    qd_end: Array


@dataclass(frozen=True, eq=False)
class ContactInverseDynamics:
    """What Robot.contact_inverse_dynamics makes: torques of a motion, and forces of the least sum of squares where frames are held.

    tau: (..., V) [N m, N] torques and forces
    contacts: (..., CONTACTS, 6) [N, N m] force and moment on each held frame, at its origin, in the world's axes
    """

    tau: Array
    contacts: Array


__all__ = [
    "Com",
    "Energy",
    "Momentum",
    "Assemble",
    "LoopJacobian",
    "LoopForces",
    "JointWrenches",
    "GroundDynamics",
    "HybridDynamics",
    "BaseAcceleration",
    "ContactDynamics",
    "ContactDynamicsDerivatives",
    "ElasticInverseDynamics",
    "ElasticForwardDynamics",
    "Modes",
    "InverseKinematics",
    "TorqueRate",
    "InverseDynamicsDerivatives",
    "InverseDynamicsAgainst",
    "ForwardDynamicsDerivatives",
    "WrenchDerivatives",
    "SecondDerivatives",
    "FrameMotionDerivatives",
    "CentroidalDerivatives",
    "ZeroMomentPoint",
    "Rollout",
    "ContactInverseDynamics",
]

CLASSES: dict[str, Any] = {
    "pose": Pose,
    "com": Com,
    "energy": Energy,
    "momentum": Momentum,
    "assemble": Assemble,
    "loop_jacobian": LoopJacobian,
    "loop_forces": LoopForces,
    "joint_wrenches": JointWrenches,
    "ground_dynamics": GroundDynamics,
    "hybrid_dynamics": HybridDynamics,
    "base_acceleration": BaseAcceleration,
    "contact_dynamics": ContactDynamics,
    "contact_dynamics_derivatives": ContactDynamicsDerivatives,
    "elastic_inverse_dynamics": ElasticInverseDynamics,
    "elastic_forward_dynamics": ElasticForwardDynamics,
    "modes": Modes,
    "inverse_kinematics": InverseKinematics,
    "torque_rate": TorqueRate,
    "inverse_dynamics_derivatives": InverseDynamicsDerivatives,
    "inverse_dynamics_against": InverseDynamicsAgainst,
    "forward_dynamics_derivatives": ForwardDynamicsDerivatives,
    "wrench_derivatives": WrenchDerivatives,
    "second_derivatives": SecondDerivatives,
    "frame_motion_derivatives": FrameMotionDerivatives,
    "centroidal_derivatives": CentroidalDerivatives,
    "zero_moment_point": ZeroMomentPoint,
    "rollout": Rollout,
    "contact_inverse_dynamics": ContactInverseDynamics,
}
