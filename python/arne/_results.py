"""Results that have several parts, one class for each method. Written by generate.py from the
catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._pose import Pose
from ._types import Array, Scalar


@dataclass(frozen=True, eq=False)
class Com:
    """The result of Robot.com: moving mass, centre of mass and its velocity.

    mass: (...) [kg] of everything that moves
    com: (..., 3) [m] centre of mass, in the world
    com_velocity: (..., 3) [m/s] velocity of the centre of mass
    """

    mass: Scalar
    com: Array
    com_velocity: Array


@dataclass(frozen=True, eq=False)
class Energy:
    """The result of Robot.energy: kinetic energy, and potential energy, which is zero at the
    world's origin.

    kinetic: (...) [J] kinetic energy, with reflected rotors
    potential: (...) [J] potential energy, zero at the world's origin
    """

    kinetic: Scalar
    potential: Scalar


@dataclass(frozen=True, eq=False)
class Momentum:
    """The result of Robot.momentum: linear momentum, and angular momentum about the centre of mass.

    momentum: (..., 6) [kg m/s, kg m^2/s] linear, and angular about the centre of mass
    A: (..., 6, V) [kg, kg m, kg m^2] centroidal matrix: the momentum is A qd
    """

    momentum: Array
    A: Array


@dataclass(frozen=True, eq=False)
class Assemble:
    """The result of Robot.assemble: positions of the passive joints that close the loops.

    q: (..., Q) [rad, m] coordinates
    closure: (...) [m, rad] largest remaining gap in a loop
    branch: (...) [1] 1, -1, or 0 if it has no sign
    """

    q: Array
    closure: Scalar
    branch: Scalar


@dataclass(frozen=True, eq=False)
class LoopJacobian:
    """The result of Robot.loop_jacobian: derivatives of all joints with respect to the active ones,
    with loops.

    G: (..., V, ACTIVE) [1] derivatives of all joints with respect to the active ones
    condition: (...) [1] condition number of the constraints over the passive joints
    """

    G: Array
    condition: Scalar


@dataclass(frozen=True, eq=False)
class LoopForces:
    """The result of Robot.loop_forces: forces in the loops during a motion.

    loops: (..., LOOPS, 6) [N, N m] wrench in each loop
    indeterminate: (...) [1] 1 if redundant constraints allow many solutions
    tau: (..., V) [N m, N] torques and forces
    """

    loops: Array
    indeterminate: Scalar
    tau: Array


@dataclass(frozen=True, eq=False)
class JointWrenches:
    """The result of Robot.joint_wrenches: wrenches that the joints transmit in a motion, and that
    on the base.

    joint_wrenches: (..., JOINTS, 6) [N, N m] wrench that each joint transmits, at its origin, in
        the child link's axes
    base_wrench: (..., 6) [N, N m] wrench of the ground on the base, in its axes
    """

    joint_wrenches: Array
    base_wrench: Array


@dataclass(frozen=True, eq=False)
class GroundDynamics:
    """The result of Robot.ground_dynamics: accelerations that torques and compliant ground cause.

    qdd: (..., V) [rad/s^2, m/s^2] accelerations
    ground_force: (..., SHAPES, 3) [N] force of the ground on each contact shape, in the world's
        axes
    """

    qdd: Array
    ground_force: Array


@dataclass(frozen=True, eq=False)
class HybridDynamics:
    """The result of Robot.hybrid_dynamics: tau of joints whose qdd is given, and qdd of the others
    from their tau.

    tau: (..., V) [N m, N] torques and forces
    qdd: (..., V) [rad/s^2, m/s^2] accelerations
    """

    tau: Array
    qdd: Array


@dataclass(frozen=True, eq=False)
class BaseAcceleration:
    """The result of Robot.base_acceleration: acceleration of a free base while its joints move with
    qdd.

    base_acceleration: (..., 6) [m/s^2, rad/s^2] the first six of qdd, of a free base
    tau: (..., V) [N m, N] torques and forces
    """

    base_acceleration: Array
    tau: Array


@dataclass(frozen=True, eq=False)
class ContactDynamics:
    """The result of Robot.contact_dynamics: accelerations and contact forces while frames are held.

    qdd: (..., V) [rad/s^2, m/s^2] accelerations
    contacts: (..., CONTACTS, 6) [N, N m] force and moment on each held frame, at its origin, in the
        world's axes
    """

    qdd: Array
    contacts: Array


@dataclass(frozen=True, eq=False)
class ContactDynamicsDerivatives:
    """The result of Robot.contact_dynamics_derivatives: derivatives of contact-dynamics, while
    every contact keeps its state.

    dqdd_dq: (..., V, V) [1/s^2 ...] derivatives of qdd with respect to q
    dqdd_dqd: (..., V, V) [1/s ...] derivatives of qdd with respect to qd
    dqdd_dtau: (..., V, V) [1/(kg m^2), 1/(kg m), 1/kg] derivatives of qdd with respect to tau
    dcontacts_dq: (..., CONTACTS, 6, V) [N/rad, N ...] derivatives of contacts with respect to q:
        dforce_dq, dmoment_dq
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
    """The result of Robot.elastic_inverse_dynamics: torques of motors and joints; springs move
    joints that have no motor.

    tau: (..., V) [N m, N] torques and forces
    tau_joint: (..., DRIVEN) [N m, N] torque that each joint transmits along its own coordinates
    qdd: (..., V) [rad/s^2, m/s^2] accelerations
    thetadd: (..., MOTORS) [rad/s^2] accelerations of motors behind springs
    """

    tau: Array
    tau_joint: Array
    qdd: Array
    thetadd: Array


@dataclass(frozen=True, eq=False)
class ElasticForwardDynamics:
    """The result of Robot.elastic_forward_dynamics: accelerations that the torques of motors cause.

    tau: (..., V) [N m, N] torques and forces
    tau_joint: (..., DRIVEN) [N m, N] torque that each joint transmits along its own coordinates
    qdd: (..., V) [rad/s^2, m/s^2] accelerations
    thetadd: (..., MOTORS) [rad/s^2] accelerations of motors behind springs
    """

    tau: Array
    tau_joint: Array
    qdd: Array
    thetadd: Array


@dataclass(frozen=True, eq=False)
class Modes:
    """The result of Robot.modes: natural frequencies and mode shapes about the equilibrium of the
    springs.

    frequency: (..., V) [Hz] natural frequencies in ascending order; negative: unstable
    shapes: (..., V, V) [1/sqrt(kg m^2) ...] mode shapes, one in each row, with x^T M x = 1
    q: (..., Q) [rad, m] coordinates
    """

    frequency: Array
    shapes: Array
    q: Array


@dataclass(frozen=True, eq=False)
class InverseKinematics:
    """The result of Robot.inverse_kinematics: coordinates that bring frames to their targets.

    q: (..., Q) [rad, m] coordinates
    error: (...) [m, rad] largest remaining error
    status: (...) [1] 1: reached, 0: not; the program prints ok or not converged
    """

    q: Array
    error: Scalar
    status: Scalar


@dataclass(frozen=True, eq=False)
class TorqueRate:
    """The result of Robot.torque_rate: torques of a motion and their time derivatives.

    tau: (..., V) [N m, N] torques and forces
    tau_rate: (..., V) [N m/s, N/s] time derivatives of tau
    """

    tau: Array
    tau_rate: Array


@dataclass(frozen=True, eq=False)
class InverseDynamicsDerivatives:
    """The result of Robot.inverse_dynamics_derivatives: derivatives of the torques of a motion.

    dtau_dq: (..., V, V) [N m/rad, N/m ...] derivatives of tau with respect to q
    dtau_dqd: (..., V, V) [N m s/rad, N s/m ...] derivatives of tau with respect to qd
    dtau_dqdd: (..., V, V) [kg m^2, kg m, kg] derivatives of tau with respect to qdd
    """

    dtau_dq: Array
    dtau_dqd: Array
    dtau_dqdd: Array


@dataclass(frozen=True, eq=False)
class InverseDynamicsAgainst:
    """The result of Robot.inverse_dynamics_against: gradients of multiplier . tau.

    against_q: (..., V) [N m, N] derivatives of multiplier . tau with respect to q
    against_qd: (..., V) [N m s, N s] derivatives of multiplier . tau with respect to qd
    against_qdd: (..., V) [kg m^2, kg m, kg] derivatives of multiplier . tau with respect to qdd
    """

    against_q: Array
    against_qd: Array
    against_qdd: Array


@dataclass(frozen=True, eq=False)
class ForwardDynamicsDerivatives:
    """The result of Robot.forward_dynamics_derivatives: derivatives of the accelerations that
    torques cause.

    dqdd_dq: (..., V, V) [1/s^2 ...] derivatives of qdd with respect to q
    dqdd_dqd: (..., V, V) [1/s ...] derivatives of qdd with respect to qd
    dqdd_dtau: (..., V, V) [1/(kg m^2), 1/(kg m), 1/kg] derivatives of qdd with respect to tau
    """

    dqdd_dq: Array
    dqdd_dqd: Array
    dqdd_dtau: Array


@dataclass(frozen=True, eq=False)
class WrenchDerivatives:
    """The result of Robot.wrench_derivatives: derivatives of the joint wrenches.

    dwrench_dq: (..., 6, V) [N/rad, N ...] derivatives of the wrench of a joint: dforce_dq,
        dmoment_dq
    dwrench_dqd: (..., 6, V) [N s/rad, N s ...] likewise, with respect to qd
    dwrench_dqdd: (..., 6, V) [kg m, kg m^2 ...] likewise, with respect to qdd
    """

    dwrench_dq: Array
    dwrench_dqd: Array
    dwrench_dqdd: Array


@dataclass(frozen=True, eq=False)
class SecondDerivatives:
    """The result of Robot.second_derivatives: second derivatives of the torques of a motion,
    [i][j][k] of tau_i.

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
    """The result of Robot.frame_motion_derivatives: derivatives of the velocity and acceleration of
    a frame.

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
    """The result of Robot.centroidal_derivatives: derivatives of the momentum and its rate.

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
    """The result of Robot.zero_moment_point: zero-moment point in a plane, with its derivatives.

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
    """The result of Robot.rollout: many time steps with given torques, a controller or a policy,
    and ground.

    q_end: (..., Q) [rad, m] coordinates after the last step
    qd_end: (..., V) [rad/s, m/s] velocities after the last step
    """

    q_end: Array
    qd_end: Array


@dataclass(frozen=True, eq=False)
class ContactInverseDynamics:
    """The result of Robot.contact_inverse_dynamics: torques of a motion, and forces of the least
    sum of squares where frames are held.

    tau: (..., V) [N m, N] torques and forces
    contacts: (..., CONTACTS, 6) [N, N m] force and moment on each held frame, at its origin, in the
        world's axes
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
