// Parallel modules in series: Ibrahim and Khalil 2010.
//
// A module is a parallel robot on the platform before it, which moves. Seen from that platform,
// with its acceleration a, everything behind is an articulated body: the wrench that it takes is I
// a + p. For a module with accelerations x of its platform inverse dynamics of its legs and
// platform, with the wrench I' a' + p' of what stands on that, is linear:
//
//     tau = t + H x + K a,   w = u + W x + C a.
//
// With given torques x = H^-1 (tau - t - K a), hence I = C - W H^-1 K and p = u + W H^-1 (tau - t).
// The coefficients come from inverse dynamics of the module at unit accelerations; so the cost of a
// module does not depend on the others.
#include "mechanism/parallel_modules.h"
#include "base/error.h"
#include "math/dense.h"
#include <math.h>
#include <string.h>

// ---- motion, from the base outward

static arne_motion parallel_modules_motion_of(const double x[6])
{
    return (arne_motion){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}

static void numbers_of(arne_motion m, double x[6])
{
    const double all[6] = {m.lin.x, m.lin.y, m.lin.z, m.ang.x, m.ang.y, m.ang.z};
    memcpy(x, all, sizeof all);
}

static void parallel_modules_gather(module *m, const double *q, const double *qd, const double *qdd)
{
    for (int i = 0; i < m->nq; i++)
        m->q[i] = q[m->q_from[i]];
    for (int i = 0; i < m->nv; i++) {
        m->qd[i] = qd[m->v_from[i]];
        m->qdd[i] = qdd ? qdd[m->v_from[i]] : 0;
    }
}

// Where each module stands and how it moves there.
static void parallel_modules_place(arne_modules *all, const double *q, const double *qd,
                                   const double *qdd)
{
    const arne_pose here = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    arne_pose       base = here;
    arne_motion     velocity = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < all->count; i++) {
        module *m = &all->item[i];
        parallel_modules_gather(m, q, qd, qdd);
        m->base = base;
        m->base_velocity = velocity;
        arne_work_set_base(m->robot, m->work, &base, &velocity, NULL);
        arne_kinematics(m->robot, m->work, m->q, m->qd, NULL);
        base = arne_frame_pose(m->robot, m->work, m->platform);
        velocity = arne_frame_velocity(m->robot, m->work, m->platform, ARNE_AXES_BODY);
    }
}

// The acceleration of the platform in its axes, as the next module takes it for its base.
static void parallel_modules_accelerate(module *m, const double a[6], double out[6])
{
    const arne_motion base = parallel_modules_motion_of(a);
    arne_work_set_base(m->robot, m->work, &m->base, &m->base_velocity, &base);
    arne_kinematics(m->robot, m->work, m->q, m->qd, m->qdd);
    numbers_of(arne_frame_acceleration(m->robot, m->work, m->platform, ARNE_AXES_BODY,
                                       ARNE_ACCELERATION_SPATIAL),
               out);
}

arne_status arne_modules_complete(arne_modules *modules, const double *q, double *qd, double *qdd,
                                  arne_error *error)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < modules->count && !status;
         i++) { // relative to its base: that may as well rest
        const arne_pose here = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
        module         *m = &modules->item[i];
        parallel_modules_gather(m, q, qd, qdd);
        arne_work_set_base(m->robot, m->work, &here, NULL, NULL);
        status = arne_parallel_complete(m->robot, m->work, m->q, m->qd, qdd ? m->qdd : NULL, error);
        for (int k = 0; k < m->nv && !status; k++) {
            qd[m->v_from[k]] = m->qd[k];
            if (qdd) qdd[m->v_from[k]] = m->qdd[k];
        }
    }
    return status;
}

// ---- dynamics

// Torques and the wrench on the base, at accelerations qdd and a, with what stands on the platform.
static arne_status parallel_modules_evaluate(module *m, const double a[6], double *w,
                                             arne_error *error)
{
    double over[6], f[6];
    parallel_modules_accelerate(m, a, over);
    for (int i = 0; i < 6; i++) {
        f[i] = -m->p[i];
        for (int k = 0; k < 6; k++)
            f[i] -= m->I[i * 6 + k] * over[k];
    }
    const arne_wrench load = {{f[0], f[1], f[2]}, {f[3], f[4], f[5]}};
    memset(m->f_ext, 0, (size_t)arne_robot_sizes(m->robot).body_count * sizeof *m->f_ext);
    arne_add_wrench(m->robot, m->platform, &load, m->f_ext);
    const arne_status status = arne_parallel_inverse_dynamics(
        m->robot, m->work, m->loop, m->q, m->qd, m->qdd, m->f_ext, m->tau, error);
    const arne_wrench base = arne_base_wrench(m->robot, m->work);
    const double all[6] = {base.lin.x, base.lin.y, base.lin.z, base.ang.x, base.ang.y, base.ang.z};
    memcpy(w, all, sizeof all);
    return status;
}

arne_status arne_modules_inverse_dynamics(arne_modules *modules, const double *q, const double *qd,
                                          const double *qdd, double *tau, arne_error *error)
{
    double      a[6] = {0}, *accelerations;
    arne_status status = ARNE_OK;
    if (!modules || !q || !qd || !qdd || !tau)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    parallel_modules_place(modules, q, qd, qdd);
    for (int i = 0; i < modules->count; i++) { // x0 is free here: it keeps the base's acceleration
        module *m = &modules->item[i];
        memcpy(m->x0, a, sizeof m->x0);
        parallel_modules_accelerate(m, m->x0, a);
        memset(m->I, 0, sizeof m->I);
        memset(m->p, 0, sizeof m->p);
    }
    for (int i = modules->count - 1; i >= 0 && !status; i--) {
        module *m = &modules->item[i];
        double  w[6];
        accelerations = m->x0;
        status = parallel_modules_evaluate(m, accelerations, w, error);
        for (int k = 0; k < m->nv; k++)
            tau[m->v_from[k]] = m->tau[k];
        if (i > 0) memcpy(modules->item[i - 1].p, w, sizeof w);
    }
    return status;
}

// Accelerations of the platform and those of the legs that go with them.
static arne_status set_platform(module *m, const double *x, arne_error *error)
{
    memset(m->qdd, 0, (size_t)m->nv * sizeof *m->qdd);
    for (int i = 0; i < m->count; i++)
        m->qdd[m->moves[i]] = x[i];
    return arne_parallel_complete(m->robot, m->work, m->q, m->qd, m->qdd, error);
}

// One module's part of the articulated inertia and force of what it stands on.
static arne_status articulate(module *m, const double *tau, double I[36], double p[6],
                              arne_error *error)
{
    const int    n = m->count;
    const double none[6] = {0};
    double       t[MOST_MOTIONS], u[6], H[36], K[MOST_MOTIONS * 7], W[36], C[36], w[6];
    arne_status  status = set_platform(m, none, error);
    if (!status) status = parallel_modules_evaluate(m, none, u, error);
    for (int i = 0; i < n; i++)
        t[i] = m->tau[m->drives[i]];
    for (int c = 0; c < n + 6 && !status; c++) {
        double    x[6] = {0}, a[6] = {0};
        const int of_base = c >= n;
        (of_base ? a : x)[of_base ? c - n : c] = 1;
        status = set_platform(m, x, error);
        if (!status) status = parallel_modules_evaluate(m, a, w, error);
        for (int i = 0; i < n; i++) {
            const double change = m->tau[m->drives[i]] - t[i];
            if (of_base)
                K[i * 7 + c - n] = -change;
            else
                H[i * n + c] = change;
        }
        for (int i = 0; i < 6; i++)
            (of_base ? C : W)[i * 6 + (of_base ? c - n : c)] = w[i] - u[i];
    }
    if (status) return status;
    for (int i = 0; i < n; i++)
        K[i * 7 + 6] = tau[m->v_from[m->drives[i]]] - t[i];
    if (!dense_eliminate(n, H, 7, K, 0))
        return arne_fail(error, ARNE_SINGULAR, NULL, 0, "a module of '%s' is singular here",
                         arne_robot_name(m->robot));
    for (int i = 0; i < n; i++) {
        m->x0[i] = K[i * 7 + 6];
        memcpy(m->x_of_a + i * 6, K + i * 7, 6 * sizeof *K);
    }
    for (int i = 0; i < 6; i++) {
        p[i] = u[i];
        for (int k = 0; k < n; k++)
            p[i] += W[i * 6 + k] * m->x0[k];
        for (int k = 0; k < 6; k++) {
            I[i * 6 + k] = C[i * 6 + k];
            for (int j = 0; j < n; j++)
                I[i * 6 + k] += W[i * 6 + j] * m->x_of_a[j * 6 + k];
        }
    }
    return ARNE_OK;
}

arne_status arne_modules_forward_dynamics(arne_modules *modules, const double *q, const double *qd,
                                          const double *tau, double *qdd, arne_error *error)
{
    double      a[6] = {0};
    arne_status status = ARNE_OK;
    if (!modules || !q || !qd || !tau || !qdd)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    parallel_modules_place(modules, q, qd, NULL);
    for (int i = modules->count - 1; i >= 0 && !status; i--) {
        module *m = &modules->item[i];
        double  I[36], p[6];
        if (i == modules->count - 1) {
            memset(m->I, 0, sizeof m->I);
            memset(m->p, 0, sizeof m->p);
        }
        status = articulate(m, tau, I, p, error);
        if (i == 0 || status) continue;
        memcpy(modules->item[i - 1].I, I, sizeof I);
        memcpy(modules->item[i - 1].p, p, sizeof p);
    }
    for (int i = 0; i < modules->count && !status; i++) {
        module *m = &modules->item[i];
        double  x[MOST_MOTIONS], over[6];
        for (int k = 0; k < m->count; k++) {
            x[k] = m->x0[k];
            for (int c = 0; c < 6; c++)
                x[k] += m->x_of_a[k * 6 + c] * a[c];
        }
        status = set_platform(m, x, error);
        if (status) return status;
        parallel_modules_accelerate(m, a, over);
        memcpy(a, over, sizeof a);
        for (int k = 0; k < m->nv; k++)
            qdd[m->v_from[k]] = m->qdd[k];
    }
    return status;
}
