// One state: the functions of the library, by the number of their algorithm.
#ifndef ARNE_PYTHON_SINGLE_H
#define ARNE_PYTHON_SINGLE_H

#include "method.h"

// What is asked for of all states alike.
typedef struct asked {
    int                    frame, joint, matrix, steps, each_torque;
    double                 dt;
    arne_method            integrator;
    double                *kp, *kd; // v_count each, or NULL
    int                    sweeps, hidden, holds;
    unsigned long long     left_out;
    double                 limit_stiffness, limit_damping, corner[2], spacing[2];
    double                *torque_limits; // of a policy: v_count, or NULL
    arne_axes              axes;
    arne_acceleration_kind kind;
    arne_vec3              point, normal;
    unsigned char         *given;      // v_count flags, or NULL
    double                *activation; // of all muscles, or NULL
    arne_holding          *holding;    // frames that are held, or NULL
    arne_wrench           *held;       // room for what holds them
    int                    held_count;
    arne_load             *loads;
    int                    load_count;
    int                    base_moves; // what follows is not at rest at the origin
    arne_pose              base;
    arne_motion            base_velocity, base_acceleration, base_jerk;
} asked;

// As a batch takes it.
static inline arne_batch_inputs asked_inputs(const asked *what)
{
    return (arne_batch_inputs){.loads = what->loads,
                               .load_count = what->load_count,
                               .frame = what->frame,
                               .joint = what->joint,
                               .axes = what->axes,
                               .kind = what->kind,
                               .given = what->given,
                               .point = what->point,
                               .normal = what->normal};
}

enum { IN_position = INPUT_COUNT, IN_quaternion };

typedef struct one_state {
    const double *in[VIEW_COUNT];      // NULL: not given
    double       *out[METHOD_OUTPUTS]; // in the order of the method
} one_state;

// A pose from a position and a quaternion x, y, z, w (of unit length; NULL: the identity).
arne_pose pose_of(const double *p, const double *h);

// Whether there is a function for it. Base parameters take no state: see py_facts.c.
int single_knows(arne_algorithm algorithm);
// loop is NULL where the robot has none. Needs no GIL.
arne_status single_run(const robot_object *self, const method *m, const asked *what,
                       arne_work *work, arne_loop_work *loop, const one_state *at,
                       arne_error *error);

#endif
