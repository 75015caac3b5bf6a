// One face for every library: what the benchmark times and the oracle tests compare.
//
// An adapter takes a problem (a tree and states) and translates all states into its library's own
// types once. Then run() does nothing but call the library, state after state, and result()
// translates one answer back into the robot's coordinates. Adding a library is one file
// peer_NAME.cpp and one line in peers.cpp.
#ifndef ARNE_BENCH_PEER_H
#define ARNE_BENCH_PEER_H

#include "tree.h"
#include <cstdint>
#include <memory>

namespace peers
{

// Rows of the catalogue that other libraries may have too. What result() gives, matrices by rows:
#define PEERS_ALGORITHM_LIST(ALGORITHM)                                                            \
    ALGORITHM(pose, POSE)                           /* of each body: p, R */                       \
    ALGORITHM(velocity, VELOCITY)                   /* of the tip, world axes: lin, ang */         \
    ALGORITHM(acceleration, ACCELERATION)           /* likewise, of its origin */                  \
    ALGORITHM(jacobian, JACOBIAN)                   /* of the tip, world axes at its origin */     \
    ALGORITHM(com, CENTER_OF_MASS)                  /* in the world */                             \
    ALGORITHM(energy, ENERGY)                       /* kinetic, potential */                       \
    ALGORITHM(momentum, MOMENTUM)                   /* lin, ang about the centre of mass */        \
    ALGORITHM(centroidal_matrix, CENTROIDAL_MATRIX) /* 6 x n, lin first */                         \
    ALGORITHM(inverse_dynamics, INVERSE_DYNAMICS)   /* tau */                                      \
    ALGORITHM(gravity, GRAVITY)                     /* tau */                                      \
    ALGORITHM(bias, BIAS)                           /* tau */                                      \
    ALGORITHM(coriolis_matrix, CORIOLIS_MATRIX)     /* C qd: the matrix itself is not unique */    \
    ALGORITHM(mass_matrix, MASS_MATRIX)             /* M */                                        \
    ALGORITHM(inverse_mass_matrix, INVERSE_MASS_MATRIX)                   /* its inverse */        \
    ALGORITHM(operational_inertia, OPERATIONAL_INERTIA)                   /* of the tip, 6 x 6 */  \
    ALGORITHM(regressor, REGRESSOR)                                       /* n x parameters */     \
    ALGORITHM(forward_dynamics, FORWARD_DYNAMICS)                         /* qdd */                \
    ALGORITHM(inverse_dynamics_derivatives, INVERSE_DYNAMICS_DERIVATIVES) /* q, qd, qdd */         \
    ALGORITHM(forward_dynamics_derivatives, FORWARD_DYNAMICS_DERIVATIVES) /* q, qd, tau */         \
    ALGORITHM(inverse_dynamics_along, INVERSE_DYNAMICS_ALONG)             /* a direction */        \
    ALGORITHM(inverse_dynamics_against, INVERSE_DYNAMICS_AGAINST)         /* q, qd, qdd */         \
    ALGORITHM(torque_rate, TORQUE_RATE)                                   /* tau, its rate */      \
    ALGORITHM(second_derivatives, SECOND_DERIVATIVES)                     /* qq, qv, vv, qa */

enum class algorithm {
#define PEERS_ALGORITHM_ENUM(id, row) id,
    PEERS_ALGORITHM_LIST(PEERS_ALGORITHM_ENUM)
#undef PEERS_ALGORITHM_ENUM
};

const std::vector<algorithm> &all_algorithms();
const char                   *algorithm_name(algorithm a);

// Derivatives with respect to q are along the robot's velocities. Those of inverse dynamics are
// times (qd, qdd, tau) or against tau; qddd is tau too, for want of another random vector.
struct state {
    std::vector<double> q, qd, qdd, tau;
};

// How many states a benchmark has.
const int state_count = 64;

struct problem {
    const arne_robot  *robot;
    tree               model;
    std::vector<state> states;
};

// Whether it is a derivative or a rate: few libraries have these.
bool is_derivative(algorithm a);

// Random configurations within limits; velocities, accelerations and torques within 1. Equal seeds,
// equal states.
std::vector<state> random_states(const arne_robot *robot, int count, uint64_t seed);

enum class support {
    none,
    by_hand, // put together here from other functions: good to compare, unfair to time
    full
};

class peer
{
  public:
    virtual ~peer() = default;
    virtual const char *name() const = 0;
    virtual support     offers(algorithm a) const = 0;
    // Calls the library count times, on state 0, 1, 2 ... in turn.
    virtual void run(algorithm a, int count) = 0;
    // What it says for one state, in the robot's coordinates.
    virtual std::vector<double> result(algorithm a, int state) = 0;
};

using peer_ptr = std::unique_ptr<peer>;

// Each throws std::runtime_error where its library cannot describe the robot; the text says why.
// The problem must outlive the peer.
peer_ptr make_arne(const problem &p);
peer_ptr make_kdl(const problem &p);
peer_ptr make_mujoco(const problem &p);
peer_ptr make_pinocchio(const problem &p);
peer_ptr make_rbdl(const problem &p);

// Ours first, then code that was generated for the robot, then every library in this build that can
// describe the robot. A line for each that cannot goes to left_out, where it is not NULL.
std::vector<peer_ptr> all_peers(const problem &p, std::vector<std::string> *left_out);

// The largest difference, relative to the largest entry of b, or to 1 where that is less.
double difference(const std::vector<double> &a, const std::vector<double> &b);

// How far a peer is from ours at one state. Direct dynamics is compared by the torques that both
// accelerations take, since accelerations alone differ by the condition of the mass matrix.
double difference(peer &ours, peer &theirs, const problem &p, algorithm a, int state);

// For the adapters: a - b, and call(state) count times, in turn.
std::vector<double> minus(std::vector<double> a, const std::vector<double> &b);

template <class Call> void in_turn(int count, size_t states, Call call)
{
    size_t s = 0;
    for (int k = 0; k < count; k++) {
        call(s);
        s = s + 1 < states ? s + 1 : 0;
    }
}

} // namespace peers

#endif
