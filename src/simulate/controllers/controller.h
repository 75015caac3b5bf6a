// What all controllers share. A law is a file of its own: a table of functions, and a maker that
// puts its numbers behind the common ones.
#ifndef ARNE_SIMULATE_CONTROLLER_H
#define ARNE_SIMULATE_CONTROLLER_H

#include <arne/control.h>

typedef struct controller_law {
    const char *name;
    arne_status (*torques)(arne_controller *c, const arne_control_input *input, double *tau,
                           arne_error *error);
    void (*release)(arne_controller *c); // what `own` points to; NULL: nothing
    int remembers;                       // its numbers change from sample to sample
    int given; // its torques are the caller's, and act where they are given, also at passive joints
    int sprung; // and at joints that only a spring holds
    int local;  // the torque of a joint depends on that joint alone
} controller_law;

struct arne_controller {
    const controller_law *law;
    const arne_robot     *robot;
    arne_work            *work;
    arne_sizes            size;
    int                   base_v; // velocity coordinates of a free base, which nothing drives
    // v_count each.
    double *torque, *torque_rate, *wanted, *before, *kp, *kd, *error, *acceleration;
    long   *torque_hits, *rate_hits;
    // Where the torque of a law for this entry acts: there, at the motor of an elastic joint, or
    // (-1) nowhere: at a free base and at joints that nothing drives.
    int *place;

    int               started; // `before` holds the torques of a sample
    double            before_time;
    arne_control_hits hits;
    double           *numbers; // the law's own
    size_t            number_count;
    void             *own;
};

// A controller without gains, with room for `numbers` of the law's own.
ARNE_CHECKED arne_status controller_new(const arne_robot *robot, const controller_law *law,
                                        size_t numbers, arne_controller **out, arne_error *error);
// Copies gains; fails unless they are finite and not negative. NULL: zero.
ARNE_CHECKED arne_status controller_gains(double *into, const double *gains, int count,
                                          const char *what, arne_error *error);
// A controller that is its law and the gains kp and kd (v_count each).
ARNE_CHECKED arne_status controller_with_gains(const arne_robot *robot, const controller_law *law,
                                               const double *kp, const double *kd,
                                               arne_controller **out, arne_error *error);

// Whether there are no springs between joints and motors, or in the place of motors.
int controller_is_direct(const arne_controller *c);

// error = q_ref (-) q, and rate = qd_ref - qd, into `rate` (v_count).
void controller_errors(const arne_controller *c, const arne_control_input *input, double *rate);
// a = qdd_ref + kd (qd_ref - qd) + kp (q_ref (-) q), with which errors decay.
void controller_accelerations(const arne_controller *c, const arne_control_input *input, double *a);

#endif
