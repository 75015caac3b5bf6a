// Which numbers of a robot its torques depend on, and how: the regressor and the base parameters.
//
// Torques are linear in the parameters pi of a robot: tau = Y(q, qd, qdd) pi, and what springs and their dampers hold is
// added to that. There are, in this order,
//     10 for the link that each joint moves (with all links that are fixed to it): m, m cx, m cy, m cz, Ixx, Ixy, Iyy,
//        Ixz, Iyz, Izz, about the link's origin and in its axes, as the file has them [kg, kg m, kg m^2]
//     3 for the friction of each joint: viscous, Coulomb in the positive and in the negative direction
//     1 for the rotor of each joint: its inertia, as the joint feels it
//     4 for each motor whose rotor is a body of its own (full, or on an elastic joint): the rotor's inertia about its
//        axis; and, behind a spring, its friction. Those of other motors are zero: they are their joint's
// with the joints as arne_robot_joint counts them. Joints of several coordinates have the same friction and rotor in each.
// A base that is fixed or prescribed has no parameters; that of a free base comes first.
#ifndef ARNE_IDENTIFY_H
#define ARNE_IDENTIFY_H

#include <arne/robot.h>
#include <arne/work.h>
#include <stddef.h>
#include <stdint.h>

// Kinds of parameters, to be added up.
enum {
    ARNE_PARAMETERS_INERTIAL = 1,
    ARNE_PARAMETERS_FRICTION = 2,
    ARNE_PARAMETERS_ROTOR = 4,
    ARNE_PARAMETERS_ALL = 7
};

// The base parameters beta: the fewest numbers that give all torques. Each is one of the parameters and a multiple of others,
// which have no effect of their own: beta = grouping pi, and tau is the sum of the columns `kept` of Y times beta.
typedef struct arne_base_set {
    int     rank, parameter_count;
    int    *kept;     // rank parameters, rising
    double *grouping; // rank x parameter_count, row-major; 1 at the parameter that is kept
} arne_base_set;

ARNE_BEGIN

// How many parameters all bodies and joints have: the columns of the regressor.
ARNE_API int arne_parameter_count(const arne_robot *robot);
// pi of this robot.
ARNE_API void arne_parameters(const arne_robot *robot, double *pi);
// "forearm.Ixx", "elbow.viscous": as much of it as fits in size. Returns the length of the whole name.
ARNE_API int arne_parameter_name(const arne_robot *robot, int parameter, char *name, size_t size);

// Y: v_count x parameter_count, row-major. O(n d), d the depth of the tree; allocates nothing; cannot fail.
ARNE_API void arne_regressor(const arne_robot *robot, arne_work *work, const double *q,
                             const double *qd, const double *qdd, double *Y);

// The base parameters among those of `kinds`, by the numerical rank of regressors at random states. Of parameters that
// belong together the one nearest the base is kept, and of one link its mass and what lies along its joint's axis go
// first (Gautier and Khalil 1990 choose so). Equal seeds give equal results, other seeds the same up to rounding.
//
// work    where a fixed base stands; a prescribed base is moved at random, and put back
ARNE_API ARNE_CHECKED arne_status arne_base_set_new(const arne_robot *robot, arne_work *work,
                                                    int kinds, uint64_t seed, arne_base_set **out,
                                                    arne_error *error);
ARNE_API void                     arne_base_set_free(arne_base_set *set);
// beta = grouping pi
ARNE_API void arne_base_values(const arne_base_set *set, const double *pi, double *beta);

// A robot with the same torques and as many zeros among its inertial parameters as there can be, for code that leaves out
// what is multiplied by zero. Inverse and forward dynamics, the mass matrix, gravity, bias and their derivatives are those
// of the given robot (a fixed base standing upright, as it does by default); its masses, centres of mass, energies,
// momenta and joint wrenches have no meaning. Rotors are moved into links where they can be.
ARNE_API ARNE_CHECKED arne_status arne_robot_base_form(const arne_robot *robot, arne_robot **out,
                                                       arne_error *error);

ARNE_END

#endif
