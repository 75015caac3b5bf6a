// Every algorithm that the variants run, listed once: name, number of outputs, and what it is.
#ifndef TEST_ALGORITHMS_H
#define TEST_ALGORITHMS_H

#include <arne/arne.h>

// n: velocity coordinates, b: bodies. Direct algorithms solve with the mass matrix, and lose digits
// as it is conditioned. The frame of Jacobians is the robot's last one.
#define ALGORITHMS(ALGORITHM)                                                                      \
    ALGORITHM(pose, 12 * b, INVERSE) /* of every body in the world: columns of R, p */             \
    ALGORITHM(velocity, 6 * b, INVERSE)                                                            \
    ALGORITHM(acceleration, 6 * b, INVERSE) /* less gravity */                                     \
    ALGORITHM(jacobian_body, 6 * n, INVERSE)                                                       \
    ALGORITHM(jacobian_world, 6 * n, INVERSE)                                                      \
    ALGORITHM(jacobian_aligned, 6 * n, INVERSE)                                                    \
    ALGORITHM(jacobian_rate_body, 6 * n, INVERSE)                                                  \
    ALGORITHM(jacobian_rate_world, 6 * n, INVERSE)                                                 \
    ALGORITHM(jacobian_rate_aligned, 6 * n, INVERSE)                                               \
    ALGORITHM(center_of_mass, 3, INVERSE)                                                          \
    ALGORITHM(com_velocity, 3, INVERSE)                                                            \
    ALGORITHM(com_jacobian, 3 * n, INVERSE)                                                        \
    ALGORITHM(momentum, 6, INVERSE)                                                                \
    ALGORITHM(centroidal_matrix, 6 * n, INVERSE)                                                   \
    ALGORITHM(kinetic_energy, 1, INVERSE)                                                          \
    ALGORITHM(potential_energy, 1, INVERSE)                                                        \
    ALGORITHM(inverse_dynamics, n, INVERSE)                                                        \
    ALGORITHM(inverse_dynamics_loaded, n, INVERSE) /* with wrenches on the bodies */               \
    ALGORITHM(joint_wrenches, 6 * b, INVERSE)      /* that it leaves, that on the base too */      \
    ALGORITHM(gravity, n, INVERSE)                                                                 \
    ALGORITHM(bias, n, INVERSE)                                                                    \
    ALGORITHM(coriolis_matrix, n *n, INVERSE)                                                      \
    ALGORITHM(mass_matrix, n *n, INVERSE)                                                          \
    ALGORITHM(factor, n *n, DIRECT)              /* of the mass matrix */                          \
    ALGORITHM(solve, n, DIRECT)                  /* M^-1 tau */                                    \
    ALGORITHM(inverse_mass_matrix, n *n, DIRECT) /* M^-1 */                                        \
    ALGORITHM(forward_dynamics, n, DIRECT)       /* articulated bodies where nothing mimics */     \
    ALGORITHM(forward_dynamics_loaded, n, DIRECT)                                                  \
    ALGORITHM(forward_dynamics_matrix, n, DIRECT)                                                  \
    ALGORITHM(forward_wrenches, 6 * b, DIRECT)                  /* of the loaded robot */          \
    ALGORITHM(inverse_dynamics_derivatives, 3 * n * n, INVERSE) /* dq, dqd, dqdd */                \
    ALGORITHM(wrench_derivatives, 18 * n, INVERSE)      /* of the last joint: dq, dqd, dqdd */     \
    ALGORITHM(inverse_dynamics_along, n, INVERSE)       /* (qd, qdd, tau) */                       \
    ALGORITHM(inverse_dynamics_against, 3 * n, INVERSE) /* tau: dq, dqd, dqdd */                   \
    ALGORITHM(torque_rate, 2 * n, INVERSE) /* tau, its rate; qddd is the state's tau */            \
    ALGORITHM(torque_rate_loaded, 2 * n, INVERSE)                                                  \
    ALGORITHM(frame_derivatives, 24 * n,                                                           \
              INVERSE) /* along q in body axes, along qd in the world's */                         \
    ALGORITHM(centroidal_derivatives, 24 * n, INVERSE) /* of momentum and rate, along q and qd */  \
    ALGORITHM(second_derivatives, 4 * n * n, INVERSE)  /* of tau . torques: qq, qv, vv, qa */      \
    ALGORITHM(regressor, n *arne_parameter_count(robot), INVERSE)

typedef enum algorithm {
#define ALGORITHM(name, count, type) ALGORITHM_##name,
    ALGORITHMS(ALGORITHM)
#undef ALGORITHM
        ALGORITHM_COUNT
} algorithm;

const char *algorithm_name(algorithm a);
int         algorithm_is_direct(algorithm a);
int         algorithm_outputs(const arne_robot *robot, algorithm a);

#endif
