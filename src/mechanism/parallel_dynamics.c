// Parallel robots by platform and legs.
//
// A leg's tie point moves with its joints along the columns j_k, and with the platform along the
// columns p_c:
//     sum_k j_k qd_k = sum_c p_c v_c
// The vectors g_k that are reciprocal to the three j_k (g_k . j_l is 1 where k = l, else 0) solve
// everything: the joints' rates are g_k . (the point's velocity), and torques tau_k of the leg's
// joints are the force sum tau_k g_k at the point. A pin in a plane has two columns; the normal
// stands for the third. With tau the torques of the open tree, the drives Gamma_i (one in each leg,
// at its joint a) hold the platform:
//     sum_i (p_c . g_a)_i Gamma_i = tau_c + sum_i p_c . (sum_k tau_k g_k)_i        for every c
#include <arne/parallel.h>

#include "algo/inverse_dynamics.k.h"
#include "algo/kinematics.k.h"
#include "algo/singular.h"
#include "base/error.h"
#include "math/lower.h"
#include "mechanism/loop_work.h"
#include "robot/kernel.h"
#include "robot/leg.h"
#include "robot/work_layout.h"
#include <string.h>

enum { MOST = 6 }; // motions of a platform, joints of a leg

// The bodies from where the sides of a loop meet to one of its ends, with their poses there.
typedef struct side {
    int  count, dof_count;
    int  bodies[MOST], dofs[MOST], owner[MOST]; // coordinates, and whose they are in `bodies`
    pose X[MOST];
} side;

// What solves a leg: the tie point, and the vectors reciprocal to its columns.
typedef struct leg_solution {
    vec3 point, normal; // the latter of a pin
    vec3 g[3];
} leg_solution;

// 0 where it is longer than that of any leg.
static int parallel_dynamics_find_side(const arne_robot *r, const loop_record *l, int end, side *s)
{
    const body *bodies = robot_bodies(r);
    s->count = s->dof_count = 0;
    for (int i = l->body[end]; i != l->meet; i = bodies[i].parent)
        if (s->count++ == MOST) return 0;
    for (int i = l->body[end], k = s->count; i != l->meet; i = bodies[i].parent)
        s->bodies[--k] = i;
    for (int k = 0; k < s->count; k++) {
        const body *b = &bodies[s->bodies[k]];
        for (int d = b->v_start; d < b->v_start + b->v_count; d++) {
            if (s->dof_count == MOST) return 0;
            s->owner[s->dof_count] = k;
            s->dofs[s->dof_count++] = d;
        }
    }
    return 1;
}

static void place_side(const arne_work *w, side *s)
{
    s->X[0] = w->X[s->bodies[0]];
    for (int k = 1; k < s->count; k++)
        s->X[k] = pose_mul(&s->X[k - 1], &w->X[s->bodies[k]]);
}

static vec3 column_at(const arne_robot *r, const side *s, int k, vec3 point)
{
    const pose *X = &s->X[s->owner[k]];
    return axis_at(&robot_dofs(r)[s->dofs[k]], X->R, sub(X->p, point)).lin;
}

static pose end_of(const side *s, const loop_record *l, int end)
{
    const pose at = pose_lift(l->at[end]);
    return pose_mul(&s->X[s->count - 1], &at);
}

// ---- which robots are parallel ----

static arne_status fail_not_parallel(const arne_robot *r, arne_error *error)
{
    return arne_fail(error, ARNE_MODEL, NULL, 0,
                     "'%s' is not a parallel robot: a platform that legs carry",
                     arne_robot_name(r));
}

// The platform's side of the first loop, where all loops end legs of that platform.
static int find_platform(const arne_robot *r, side *platform)
{
    const loop_record *loops = robot_loops(r);
    if (r->loop_count == 0 || r->shares_coordinates) return 0;
    for (int i = 0; i < r->loop_count; i++)
        if (loops[i].info.leg.kind == ARNE_LEG_NONE || loops[i].body[1] != loops[0].body[1] ||
            loops[i].meet != loops[0].meet)
            return 0;
    return parallel_dynamics_find_side(r, &loops[0], 1, platform) && platform->count > 0;
}

// As many joints as a ball, or a pin in a plane, ties.
static int is_square(const loop_record *l, const side *leg)
{
    const arne_loop_kind kind = l->info.kind;
    return leg->dof_count == leg->count &&
           (kind == ARNE_LOOP_BALL || kind == ARNE_LOOP_PLANAR_POINT) &&
           leg->dof_count == l->info.row_count;
}

// ---- one leg ----

static arne_status fail_stretched(const loop_record *l, const arne_robot *r, arne_error *error)
{
    return arne_fail(error, ARNE_LOOP_SINGULAR, NULL, 0,
                     "the leg at '%s' is singular here: its joints cannot follow the platform",
                     robot_names(r) + l->name);
}

static arne_status solve_leg(const arne_robot *r, const arne_work *w, const loop_record *l,
                             side *leg, leg_solution *out, arne_error *error)
{
    vec3 j[3];
    if (!is_square(l, leg))
        return arne_fail(error, ARNE_MODEL, NULL, 0,
                         "the leg at '%s' has not the joints that the platform's motion determines",
                         robot_names(r) + l->name);
    place_side(w, leg);
    const pose end = end_of(leg, l, 0);
    for (int k = 0; k < leg->dof_count; k++)
        j[k] = column_at(r, leg, k, end.p);
    if (leg->dof_count == 2) j[2] = end.R.z;
    const vec3   g0 = cross(j[1], j[2]);
    const double det = dot(j[0], g0);
    const double size = dot(j[0], j[0]) * dot(j[1], j[1]) * dot(j[2], j[2]);
    if (!(det * det > ARNE_LOOP_RANK * ARNE_LOOP_RANK * size)) return fail_stretched(l, r, error);
    out->point = end.p;
    out->normal = end.R.z;
    out->g[0] = scale(g0, 1 / det);
    out->g[1] = scale(cross(j[2], j[0]), 1 / det);
    out->g[2] = scale(cross(j[0], j[1]), 1 / det);
    return ARNE_OK;
}

// How far the leg's end is from its place on the platform; of a pin, in the plane.
static double gap(const loop_record *l, const side *platform, const leg_solution *leg)
{
    const pose *X = &platform->X[platform->count - 1];
    vec3        d = sub(add(X->p, out_of(X, lift(l->at[1].p))), leg->point);
    if (l->info.kind == ARNE_LOOP_PLANAR_POINT) d = sub_scaled(d, leg->normal, dot(d, leg->normal));
    return sqrt(dot(d, d));
}

// ---- inverse kinematics ----

static arne_status parallel_dynamics_reach(const arne_robot *r, const side *platform,
                                           const loop_record *l, double *q, arne_error *error)
{
    const body *bodies = robot_bodies(r);
    const pose  there = end_of(platform, l, 1), frame = pose_lift(l->leg);
    side        leg;
    double      own[LEG_COORDINATES];
    if (!parallel_dynamics_find_side(r, l, 0, &leg) ||
        leg.count != leg_coordinates(l->info.leg.kind))
        return fail_not_parallel(r, error);
    for (int k = 0; k < leg.count; k++)
        own[k] = q[bodies[leg.bodies[k]].q_start];
    if (!leg_solve(&l->info.leg, lower(into(&frame, sub(there.p, frame.p))), 0, own))
        return arne_fail(error, ARNE_NOT_CONVERGED, NULL, 0,
                         "the leg at '%s' cannot reach its place on the platform",
                         robot_names(r) + l->name);
    for (int k = 0; k < leg.count; k++)
        q[bodies[leg.bodies[k]].q_start] = own[k];
    return ARNE_OK;
}

KERNEL(arne_status, arne_parallel_inverse_kinematics,
       (const arne_robot *robot, arne_work *w, arne_loop_work *loop, double *q, arne_error *error),
       (robot, w, loop, q, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q) return arne_fail_null(error);
    side        platform;
    arne_status status = ARNE_OK;
    int         chains = 0;
    if (!find_platform(robot, &platform)) return fail_not_parallel(robot, error);
    joint_poses(robot, w, q);
    place_side(w, &platform);
    for (int i = 0; i < robot->loop_count && !status; i++) {
        const loop_record *l = robot_loops(robot) + i;
        if (l->info.leg.kind == ARNE_LEG_CHAIN)
            chains++;
        else
            status = parallel_dynamics_reach(robot, &platform, l, q, error);
    }
    if (status || !chains) return status;
    unsigned char *still = loop->fixed;
    memset(still, 0, (size_t)robot->v_count);
    for (int k = 0; k < platform.dof_count; k++)
        still[platform.dofs[k]] = 1;
    const arne_assembly_options options = {.restarts = -1, .fixed = still};
    return arne_assemble(robot, w, loop, &options, q, NULL, error);
}

KERNEL(arne_status, arne_parallel_forward_kinematics,
       (const arne_robot *robot, arne_work *w, arne_loop_work *loop, double *q, arne_error *error),
       (robot, w, loop, q, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    const arne_assembly_options options = {.restarts = -1};
    side                        platform;
    if (!robot || !w || !loop || !q) return arne_fail_null(error);
    if (!find_platform(robot, &platform)) return fail_not_parallel(robot, error);
    return arne_assemble(robot, w, loop, &options, q, NULL, error);
}

// ---- velocities and accelerations ----

static vec3 point_velocity(const arne_robot *r, const side *platform, vec3 point, const double *qd)
{
    vec3 v = v3_zero();
    for (int c = 0; c < platform->dof_count; c++)
        v = add_scaled(v, column_at(r, platform, c, point), qd[platform->dofs[c]]);
    return v;
}

// Of the origin of a tied frame, in the world's axes.
static vec3 end_acceleration(const arne_work *w, const loop_record *l, int end)
{
    const int    i = l->body[end];
    const vec3   p = lift(l->at[end].p), turn = w->v[i].ang;
    const motion a = w->a[i];
    return out_of(&w->X_w[i], add(add(a.lin, cross(a.ang, p)), cross(turn, cross(turn, p))));
}

// Accelerations are in the workspace, with standing joints of the legs: what is left between the
// ends is theirs.
static void accelerate_leg(const arne_work *w, const loop_record *l, const side *leg,
                           const leg_solution *solution, double *qdd)
{
    const vec3 apart = sub(end_acceleration(w, l, 1), end_acceleration(w, l, 0));
    const vec3 a = into(&w->X_w[l->meet], apart);
    for (int k = 0; k < leg->dof_count; k++)
        qdd[leg->dofs[k]] = dot(solution->g[k], a);
}

KERNEL(arne_status, arne_parallel_complete,
       (const arne_robot *robot, arne_work *w, const double *q, double *qd, double *qdd,
        arne_error *error),
       (robot, w, q, qd, qdd, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !q || !qd) return arne_fail_null(error);
    side         platform, leg;
    leg_solution solution;
    if (!find_platform(robot, &platform)) return fail_not_parallel(robot, error);
    joint_poses(robot, w, q);
    place_side(w, &platform);
    for (int i = 0; i < robot->loop_count; i++) {
        const loop_record *l = robot_loops(robot) + i;
        if (!parallel_dynamics_find_side(robot, l, 0, &leg)) return fail_not_parallel(robot, error);
        const arne_status status = solve_leg(robot, w, l, &leg, &solution, error);
        if (status) return status;
        const vec3 v = point_velocity(robot, &platform, solution.point, qd);
        for (int k = 0; k < leg.dof_count; k++) {
            qd[leg.dofs[k]] = dot(solution.g[k], v);
            if (qdd) qdd[leg.dofs[k]] = 0;
        }
    }
    if (!qdd) return ARNE_OK;
    kinematics(robot, w, q, qd, qdd);
    for (int i = 0; i < robot->loop_count; i++) {
        const loop_record *l = robot_loops(robot) + i;
        if (!parallel_dynamics_find_side(robot, l, 0, &leg)) return fail_not_parallel(robot, error);
        const arne_status status = solve_leg(robot, w, l, &leg, &solution, error);
        if (status) return status;
        accelerate_leg(w, l, &leg, &solution, qdd);
    }
    return ARNE_OK;
}

// ---- inverse dynamics ----

// x with A^T x = b, n x n with rows of MOST entries, in place; 0 where A is singular to within
// ARNE_LOOP_RANK.
static int solve_transposed(int n, double A[MOST][MOST], double *b)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            largest = fmax(largest, fabs(A[i][k]));
    for (int i = 0; i < n; i++) { // columns of A are equations
        int best = i;
        for (int k = i + 1; k < n; k++)
            if (fabs(A[i][k]) > fabs(A[i][best])) best = k;
        if (!(fabs(A[i][best]) > ARNE_LOOP_RANK * largest)) return 0;
        for (int k = i; best != i && k < n; k++) {
            const double swap = A[k][i];
            A[k][i] = A[k][best];
            A[k][best] = swap;
        }
        const double right = b[best], pivot = 1 / A[i][i];
        b[best] = b[i];
        b[i] = right;
        for (int e = i + 1; e < n; e++) {
            const double part = A[i][e] * pivot;
            for (int k = i + 1; k < n; k++)
                A[k][e] -= part * A[k][i];
            b[e] -= part * right;
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            b[i] -= A[k][i] * b[k];
        b[i] /= A[i][i];
    }
    return 1;
}

// The joint of a leg that drives it; -1 where there is not exactly one.
static int driven_joint(const arne_loop_work *loop, const side *leg)
{
    int found = -1, count = 0;
    for (int k = 0; k < leg->dof_count; k++)
        if (loop->active[leg->dofs[k]]) {
            found = k;
            count++;
        }
    return count == 1 ? found : -1;
}

// Nothing but a platform and as many legs as it has motions, each with one drive.
static int is_simple(const arne_robot *r, const arne_loop_work *loop, side *platform, side *legs,
                     int *drives)
{
    int coordinates = 0;
    if (!find_platform(r, platform) || r->loop_count != platform->dof_count ||
        loop->active_count != platform->dof_count)
        return 0;
    for (int i = 0; i < r->loop_count; i++) {
        const loop_record *l = robot_loops(r) + i;
        if (!parallel_dynamics_find_side(r, l, 0, &legs[i]) || !is_square(l, &legs[i])) return 0;
        drives[i] = driven_joint(loop, &legs[i]);
        if (drives[i] < 0) return 0;
        coordinates += legs[i].dof_count;
    }
    return coordinates + platform->dof_count == r->v_count;
}

// What a force at a point of the platform is along its coordinates.
static void press(const arne_robot *r, const side *platform, vec3 point, vec3 f, double *out)
{
    force here = force_zero();
    for (int c = 0; c < platform->dof_count; c++) {
        const pose *X = &platform->X[platform->owner[c]];
        if (c == 0 || platform->owner[c] != platform->owner[c - 1])
            here = fo(into(X, f), into(X, cross(sub(point, X->p), f)));
        out[c] = axis_power(&robot_dofs(r)[platform->dofs[c]], &here);
    }
}

// What one leg does to the platform: a row of the drives' matrix, and the torques of its joints.
static void add_leg(const arne_robot *r, const side *platform, const side *leg,
                    const leg_solution *solution, int drive, const double *tree, double *row,
                    double *right)
{
    vec3   f = v3_zero();
    double own[MOST];
    for (int k = 0; k < leg->dof_count; k++)
        f = add_scaled(f, solution->g[k], tree[leg->dofs[k]]);
    press(r, platform, solution->point, solution->g[drive], row);
    press(r, platform, solution->point, f, own);
    for (int c = 0; c < platform->dof_count; c++)
        right[c] += own[c];
}

KERNEL(arne_status, arne_parallel_inverse_dynamics,
       (const arne_robot *robot, arne_work *w, arne_loop_work *loop, const double *q,
        const double *qd, const double *qdd, const arne_wrench *f_ext, double *tau,
        arne_error *error),
       (robot, w, loop, q, qd, qdd, f_ext, tau, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q || !qd || !qdd || !tau) return arne_fail_null(error);
    side   platform, legs[MOST];
    double drives[MOST][MOST], right[MOST];
    int    drive[MOST];
    if (!is_simple(robot, loop, &platform, legs, drive))
        return arne_loop_inverse_dynamics(robot, w, loop, q, qd, qdd, f_ext, NULL, tau, error);
    const int n = platform.dof_count;
    inverse_dynamics(robot, w, q, qd, qdd, f_ext, loop->tau);
    place_side(w, &platform);
    for (int c = 0; c < n; c++)
        right[c] = loop->tau[platform.dofs[c]];
    for (int i = 0; i < n; i++) {
        const loop_record *l = robot_loops(robot) + i;
        leg_solution       solution;
        const arne_status  status = solve_leg(robot, w, l, &legs[i], &solution, error);
        if (status) return status;
        const double open = gap(l, &platform, &solution);
        if (!(open <= ARNE_LOOP_CLOSED))
            return loop_fail_open(robot, ARNE_LOOP_OPEN, open, i, 1, error);
        add_leg(robot, &platform, &legs[i], &solution, drive[i], loop->tau, drives[i], right);
    }
    if (!solve_transposed(n, drives, right))
        return arne_fail(error, ARNE_LOOP_SINGULAR, NULL, 0,
                         "the platform of '%s' is singular here: its drives cannot hold it",
                         arne_robot_name(robot));
    memset(tau, 0, (size_t)robot->v_count * sizeof *tau);
    for (int i = 0; i < n; i++)
        tau[legs[i].dofs[drive[i]]] = right[i];
    return ARNE_OK;
}
