// Inverse-dynamics control of robots that mix rigid and elastic joints (Hua et al. 2023, section
// IV; src/mechanism has the law). Where the motor of an elastic joint should stand comes without
// derivatives; a filter of second order for each gives them. It moves on from sample to sample
// while its input is held.
#include "simulate/controllers/controller.h"

#include "base/error.h"
#include <arne/motor.h>
#include <string.h>

enum { VECTORS = 9 };

typedef struct mixed {
    double *load_damping, *load_slope, *motor_damping, *motor_slope; // gains
    double *theta, *thetad, *thetadd;                                // as filtered
    double *asked;                                                   // the filters' input
    double *motor;
    double *filters; // natural, damping, then x and xd of each
} mixed;

static mixed mixed_parts(const arne_controller *c)
{
    const size_t v = (size_t)c->size.v_count;
    double      *n = c->numbers;
    return (mixed){n,         n + v,     n + 2 * v, n + 3 * v, n + 4 * v,
                   n + 5 * v, n + 6 * v, n + 7 * v, n + 8 * v, n + VECTORS * v};
}

// The state of the filter of the joint with this velocity coordinate.
static arne_filter filter_at(const mixed *m, int v)
{
    const double *f = m->filters;
    return (arne_filter){f[0], f[1], f[2 + 2 * v], f[3 + 2 * v]};
}

static arne_status mixed_torques(arne_controller *c, const arne_control_input *in, double *tau,
                                 arne_error *error)
{
    const mixed            m = mixed_parts(c);
    const double           dt = c->started ? in->t - c->before_time : 0;
    const int              own = c->size.v_count - c->size.theta_count;
    const arne_mixed_gains gains = {m.load_damping, m.load_slope, m.motor_damping, m.motor_slope};
    const arne_mixed_reference wanted = {in->q_ref, in->qd_ref, in->qdd_ref,
                                         m.theta,   m.thetad,   m.thetadd};
    (void)error;
    for (int v = 0; v < own && c->started; v++) {
        arne_filter f = filter_at(&m, v);
        arne_filter_step(&f, m.asked[v], dt);
        m.filters[2 + 2 * v] = f.x;
        m.filters[3 + 2 * v] = f.xd;
    }
    arne_load_law(c->robot, c->work, &gains, &wanted, in->q, in->qd, NULL, m.motor, m.asked);
    for (int i = 0; i < c->size.motor_count; i++) {
        const arne_motor_info motor = arne_robot_motor(c->robot, i);
        const int             v = arne_robot_joint(c->robot, motor.joint).v_start;
        if (motor.v_index < 0) continue;
        if (!c->started) { // the motor starts from where it stands
            m.filters[2 + 2 * v] = in->q[motor.q_index];
            m.filters[3 + 2 * v] = in->qd[motor.v_index];
        }
        const arne_filter f = filter_at(&m, v);
        m.theta[v] = f.x;
        m.thetad[v] = f.xd;
        m.thetadd[v] = arne_filter_rate(&f, m.asked[v]);
    }
    arne_motor_law(c->robot, c->work, &gains, &wanted, in->q, in->qd, NULL, m.motor);
    arne_motor_spread(c->robot, m.motor, tau);
    return ARNE_OK;
}

arne_status arne_controller_mixed(const arne_robot *robot, const arne_mixed_gains *gains,
                                  double natural, double damping, arne_controller **out,
                                  arne_error *error)
{
    static const controller_law law = {.name = "mixed", .torques = mixed_torques, .remembers = 1};
    if (out) *out = NULL;
    if (!robot || !gains || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "robot, gains or out is NULL");
    const arne_sizes size = arne_robot_sizes(robot);
    const size_t     v = (size_t)size.v_count;
    const int        own = size.v_count - size.theta_count;
    arne_controller *c;
    arne_status      status = controller_new(robot, &law, VECTORS * v + 2 + 2 * v, &c, error);
    if (status) return status;
    const mixed m = mixed_parts(c);
    status = controller_gains(m.load_damping, gains->load_damping, own, "load_damping", error);
    if (!status)
        status = controller_gains(m.load_slope, gains->load_slope, own, "load_slope", error);
    if (!status)
        status =
            controller_gains(m.motor_damping, gains->motor_damping, own, "motor_damping", error);
    if (!status)
        status = controller_gains(m.motor_slope, gains->motor_slope, own, "motor_slope", error);
    if (!status && (!(natural > 0) || !(damping > 0)))
        status = arne_fail(error, ARNE_VALUE, NULL, 0,
                           "the filter needs a positive frequency and damping, not %g and %g",
                           natural, damping);
    if (status) {
        arne_controller_free(c);
        return status;
    }
    m.filters[0] = natural;
    m.filters[1] = damping;
    *out = c;
    return ARNE_OK;
}
