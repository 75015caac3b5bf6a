#include "algo/centroidal_derivatives.k.h"
#include "algo/singular.h"
#include "base/error.h"
#include "math/lower.h"
#include <math.h>

static void parts(const arne_robot *r, arne_work *w, const double *q, const double *qd,
                  const double *qdd)
{
    common_parts(r, w, tree_q(r, w, q), tree_v(r, qd, w->tree_qd), tree_v(r, qdd, w->tree_qdd),
                 NULL, 0);
    common_composites(r, w, 0);
}

void arne_centroidal_derivatives(const arne_robot *robot, arne_work *w, const double *q,
                                 const double *qd, const double *qdd, arne_wrench *rate,
                                 const arne_momentum_derivatives *out)
{
    parts(robot, w, q, qd, qdd);
    const whole all = common_whole(robot, w);
    if (rate) {
        const vec3 lin = add_scaled(out_of(&w->base_pose, all.F.lin), lift(robot->gravity), all.m);
        *rate =
            lower_force(fo(lin, out_of(&w->base_pose, sub(all.F.ang, cross(all.c, all.F.lin)))));
    }
    if (!out) return;
    double *const dh[3] = {out->dh_dq, out->dh_dqd, NULL};
    double *const drate[3] = {out->drate_dq, out->drate_dqd, out->drate_dqdd};
    for (int i = 0; i < 3; i++) {
        tree_centroidal_derivative(robot, w, &all, (direction)i, w->rows, w->task);
        deliver(robot, 6, w->rows, dh[i]);
        deliver(robot, 6, w->task, drate[i]);
    }
}

// n x m / (n . f) for the moment m about the given point, and how it changes with f and m.
typedef struct contact {
    vec3 normal, point, pressure_point;
    real pressure;
} contact;

static vec3 contact_change(const contact *c, force dF)
{
    const vec3 m = sub(dF.ang, cross(c->point, dF.lin));
    const vec3 moved = sub_scaled(cross(c->normal, m), c->pressure_point, dot(c->normal, dF.lin));
    return scale(moved, 1 / c->pressure);
}

arne_status arne_zero_moment_point(const arne_robot *robot, arne_work *w, const double *q,
                                   const double *qd, const double *qdd, arne_vec3 point,
                                   arne_vec3 normal, arne_vec3 *zmp, double *dq, double *dqd,
                                   double *dqdd)
{
    if (!robot || !w || !q || !qd || !qdd || !zmp) return ARNE_NULL_ARGUMENT;
    parts(robot, w, q, qd, qdd);
    const whole all = common_whole(robot, w);
    const force F = to_parent(&w->base_pose, all.F);
    contact     c = {lift(normal), lift(point), v3_zero(), dot(lift(normal), F.lin)};
    if (!(fabs(c.pressure) > 1e-12 * sqrt(dot(F.lin, F.lin)))) return ARNE_SINGULAR;
    c.pressure_point = scale(cross(c.normal, sub(F.ang, cross(c.point, F.lin))), 1 / c.pressure);
    *zmp = lower(add(c.point, c.pressure_point));
    double *const out[3] = {dq, dqd, dqdd};
    const int     n = robot->tree_v_count;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; out[i] && k < n; k++) {
            const force dF = to_parent(&w->base_pose, total_force_along(robot, w, (direction)i, k));
            put_column(w->rows, n, k, mo(contact_change(&c, dF), v3_zero()));
        }
        deliver(robot, 3, w->rows, out[i]);
    }
    return ARNE_OK;
}
