// Receding horizon control: a problem of optimal control, solved again at every sample from the
// measured state.
#include "simulate/controllers/controller.h"

#include "base/error.h"
#include <arne/horizon.h>
#include <stdlib.h>
#include <string.h>

typedef struct mpc {
    arne_horizon *horizon;
    arne_oc      *oc;
    double       *control;
    double        before; // the time of the last sample
} mpc;

static arne_status mpc_torques(arne_controller *c, const arne_control_input *in, double *tau,
                               arne_error *error)
{
    mpc          *m = c->own;
    const double *u = m->control;
    arne_status   status = ARNE_OK;
    arne_horizon_at(m->horizon, in->t, in->q);
    int        before;
    const int *schedule = arne_horizon_schedule(m->horizon, &before);
    if (schedule) status = arne_oc_schedule(m->oc, schedule, before, error);
    if (status) return status;
    if (!c->started) {
        const arne_oc_options first = {.iterations = arne_horizon_iterations(m->horizon, 1),
                                       .hessian = ARNE_OC_GAUSS_NEWTON};
        status = arne_oc_start(m->oc, NULL, NULL, error);
        if (!status) status = arne_oc_solve(m->oc, in->q, in->qd, &first, NULL, error);
        if (status == ARNE_NOT_CONVERGED) { // its best motion is where the next tick starts
            arne_error_clear(error);
            status = ARNE_OK;
        }
        u = arne_oc_controls(m->oc);
        arne_oc_set_previous(m->oc, u);
    } else {
        const arne_oc_options tick = {.iterations = arne_horizon_iterations(m->horizon, 0),
                                      .hessian = ARNE_OC_GAUSS_NEWTON};
        status = arne_oc_step(m->oc, in->q, in->qd, in->t - m->before, &tick, m->control, NULL,
                              NULL, error);
    }
    if (status) return status;
    m->before = in->t;
    arne_oc_torques(m->oc, in->q, in->qd, u, tau);
    return ARNE_OK;
}

static void mpc_release(arne_controller *c)
{
    mpc *m = c->own;
    if (!m) return;
    arne_oc_free(m->oc);
    arne_horizon_free(m->horizon);
    free(m->control);
    free(m);
}

static arne_status mpc_check(const arne_robot *robot, const arne_horizon *horizon,
                             arne_error *error)
{
    const arne_sizes a = arne_robot_sizes(robot), b = arne_robot_sizes(arne_horizon_robot(horizon));
    if (a.q_count != b.q_count || a.v_count != b.v_count)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "the robot has %d coordinates, that of the problem %d", a.q_count,
                         b.q_count);
    return ARNE_OK;
}

arne_status arne_controller_mpc(const arne_robot *robot, arne_horizon *horizon,
                                arne_controller **out, arne_error *error)
{
    // Torques are those of the drives already: of motors for elastic joints.
    static const controller_law law = {
        .name = "mpc", .torques = mpc_torques, .release = mpc_release, .given = 1};
    if (!robot || !horizon || !out) return arne_fail_null(error);
    const arne_oc_problem problem = arne_horizon_problem(horizon, 1);
    arne_controller      *c = NULL;
    arne_status           status = mpc_check(robot, horizon, error);
    if (!status) status = controller_new(robot, &law, 0, &c, error);
    if (status) return status;
    const arne_robot *own = arne_horizon_robot(horizon);
    const size_t      n = (size_t)arne_robot_sizes(own).v_count + 1;
    mpc              *m = calloc(1, sizeof *m);
    c->own = m;
    if (m) m->control = calloc(n, sizeof *m->control);
    status = m && m->control ? arne_oc_new(&problem, &m->oc, error) : arne_fail_memory(error);
    if (status) {
        arne_controller_free(c); // the horizon stays the caller's
        return status;
    }
    m->horizon = horizon;
    *out = c;
    return ARNE_OK;
}
