// Inverse kinematics by damped least squares (Wampler 1986, with Marquardt's damping), within the
// joints' limits.
//
// Each step solves (J^T J + lambda 1) dq = J^T e over the joints that are free to take it; a joint
// at its limit that would leave it is held. The damping falls when a step helps and grows when it
// does not. From a start that leads nowhere the search goes on from random configurations further
// and further away from it. Joints that move no target stay as they are, and whole turns are taken
// back where limits allow: the result is near the start.
#include "algo/jacobian.k.h"
#include "algo/singular.h"
#include "base/options.h"
#include "math/dense.h"
#include "math/rotation.h"
#include "robot/joint.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include <arne/integrate.h>
#include <arne/kinematics.h>
#include <string.h>

typedef struct search {
    const double      *start; // q as it was given
    const arne_robot  *r;
    arne_work         *w;
    const arne_target *targets;
    int                target_count;
    double            *q, *trial;                       // configurations
    double            *gradient, *step, *lower, *upper; // along velocities
} search;

// What is left to the target, in the frame's own axes.
static motion inverse_kinematics_residual(const search *s, const arne_target *t)
{
    const pose X = pose_lift(arne_frame_pose(s->r, s->w, t->frame)), goal = pose_lift(t->pose);
    const vec3 p = into(&X, sub(goal.p, X.p));
    return mo(p, t->use_rotation ? rotation_log(m3_mul(transpose(X.R), goal.R)) : v3_zero());
}

// The largest error left, and half the sum of their squares.
static double inverse_kinematics_measure(search *s, const double *q, double *cost)
{
    double worst = 0;
    *cost = 0;
    kinematics(s->r, s->w, q, NULL, NULL);
    for (int t = 0; t < s->target_count; t++) {
        const motion e = inverse_kinematics_residual(s, &s->targets[t]);
        const double lin = dot(e.lin, e.lin), ang = dot(e.ang, e.ang);
        worst = fmax(worst, fmax(sqrt(lin), sqrt(ang)));
        *cost += 0.5 * (lin + ang);
    }
    return worst;
}

// J^T J and J^T e over all targets at s->q.
static void normal_equations(search *s)
{
    const int n = s->r->v_count;
    double   *JJ = s->w->matrix, *J = s->w->task;
    memset(JJ, 0, (size_t)n * (size_t)n * sizeof(double));
    memset(s->gradient, 0, (size_t)n * sizeof(double));
    for (int t = 0; t < s->target_count; t++) {
        const arne_target *target = &s->targets[t];
        jacobian(s->r, s->w, s->q, target->frame, ARNE_AXES_BODY, J);
        const motion e = inverse_kinematics_residual(s, target);
        const double error[6] = {vx(e.lin), vy(e.lin), vz(e.lin), vx(e.ang), vy(e.ang), vz(e.ang)};
        for (int row = 0; row < (target->use_rotation ? 6 : 3); row++)
            for (int i = 0; i < n; i++) {
                const double x = J[row * n + i];
                s->gradient[i] += x * error[row];
                for (int k = 0; k <= i; k++)
                    JJ[i * n + k] += x * J[row * n + k];
            }
    }
}

// Solves for the step with joints held (diagonal 1, no gradient) where `held` says so. The matrix
// is used up.
static int solve_step(search *s, double damping)
{
    const int n = s->r->v_count;
    double   *JJ = s->w->matrix;
    for (int i = 0; i < n; i++) {
        const int held =
            (s->lower[i] >= 0 && s->gradient[i] < 0) || (s->upper[i] <= 0 && s->gradient[i] > 0);
        s->step[i] = held ? 0 : s->gradient[i];
        for (int k = 0; held && k < n; k++)
            JJ[(i > k ? i : k) * n + (i > k ? k : i)] = 0;
        JJ[i * n + i] += held ? 1 : damping;
    }
    if (!dense_factor(n, JJ, 0)) return 0;
    dense_solve(n, JJ, s->step);
    return 1;
}

// Coordinates that limits apply to: all but those of a quaternion.
static int bounded_count(const arne_joint_info *j)
{
    const int at = joint_quaternion(j->kind);
    return j->q_count == 0 ? 0 : at < 0 ? j->q_count : at;
}

// How far each velocity coordinate may still go, where it is the rate of one coordinate. The
// velocities of planar and free joints are in body axes: they go anywhere, and clamp() brings the
// coordinates back.
static void inverse_kinematics_room(search *s)
{
    for (int k = 0; k < s->r->joint_count; k++) {
        const arne_joint_info *j = &robot_joints(s->r)[k].info;
        for (int i = 0; i < j->v_count; i++) {
            const int plain = !arne_joint_kind_facts(j->kind)->has_body_axes;
            s->lower[j->v_start + i] = plain ? j->lower - s->q[j->q_start + i] : -INFINITY;
            s->upper[j->v_start + i] = plain ? j->upper - s->q[j->q_start + i] : INFINITY;
        }
    }
}

// What is outside the limits is brought to the edge.
static void inverse_kinematics_clamp(const arne_robot *r, double *q)
{
    for (int k = 0; k < r->joint_count; k++) {
        const arne_joint_info *j = &robot_joints(r)[k].info;
        for (int i = 0; i < bounded_count(j); i++)
            q[j->q_start + i] = fmin(fmax(q[j->q_start + i], j->lower), j->upper);
    }
}

// Damped steps from s->q until the targets are met or nothing helps any more. Returns the error
// left.
static double inverse_kinematics_descend(search *s, double tolerance, int *iterations)
{
    const int n = s->r->v_count;
    double    damping = 1e-3, cost;
    double    error = inverse_kinematics_measure(s, s->q, &cost);
    while (error > tolerance && (*iterations)-- > 0 && damping < 1e8) {
        double trial_cost;
        normal_equations(s);
        inverse_kinematics_room(s);
        if (!solve_step(s, damping * fmin(1, cost + 1e-12) + 1e-15)) return error;
        for (int i = 0; i < n; i++)
            s->step[i] = fmin(fmax(s->step[i], s->lower[i]), s->upper[i]);
        arne_integrate(s->r, s->q, s->step, s->trial);
        inverse_kinematics_clamp(s->r, s->trial);
        const double trial_error = inverse_kinematics_measure(s, s->trial, &trial_cost);
        if (trial_cost < cost) {
            const int slow = trial_cost > 0.9999 * cost && damping > 1;
            memcpy(s->q, s->trial, (size_t)s->r->q_count * sizeof(double));
            cost = trial_cost;
            error = trial_error;
            damping *= 0.2;
            if (slow) break;
        } else {
            damping = damping < 1e-6 ? 1e-3 : damping * 8;
        }
    }
    return error;
}

// ---- near the start

// Whether a joint moves the frame of some target, itself or through a joint that follows it.
static int moves_target(const search *s, int joint)
{
    for (int t = 0; t < s->target_count; t++) {
        int b = robot_frames(s->r)[s->targets[t].frame].info.body;
        for (; b > 0; b = robot_bodies(s->r)[b].parent) {
            const int at = robot_bodies(s->r)[b].joint;
            if (at == joint || (at >= 0 && robot_joints(s->r)[at].info.mimic == joint)) return 1;
            for (int i = 0; at >= 0 && i < s->r->slope_count; i++)
                if (robot_slopes(s->r)[i].v == robot_bodies(s->r)[b].v_start &&
                    robot_slopes(s->r)[i].from_v == robot_joints(s->r)[joint].info.v_start)
                    return 1;
            for (int i = 0; i < s->r->exponent_column_count; i++)
                if (robot_exponent_columns(s->r)[i].with == joint) return 1;
            for (int i = 0; i < s->r->term_count; i++)
                if (robot_terms(s->r)[i].joint == at && robot_terms(s->r)[i].with == joint)
                    return 1;
        }
    }
    return 0;
}

// A random configuration of the joints that move a target; `part` of the way there from the start.
static void start_again(search *s, uint64_t *seed, double part)
{
    arne_random_configuration(s->r, seed, s->trial);
    arne_difference(s->r, s->start, s->trial, s->step);
    for (int k = 0; k < s->r->joint_count; k++) {
        const arne_joint_info *j = &robot_joints(s->r)[k].info;
        for (int i = 0; i < j->v_count; i++)
            s->step[j->v_start + i] *= moves_target(s, k) ? part : 0;
    }
    arne_integrate(s->r, s->start, s->step, s->q);
    inverse_kinematics_clamp(s->r, s->q);
}

// Angles as near to the start as whole turns and limits allow.
static void unwind(const search *s, double *q)
{
    static const double turn = 6.28318530717958647692;
    for (int k = 0; k < s->r->joint_count; k++) {
        const arne_joint_info *j = &robot_joints(s->r)[k].info;
        if (j->q_count != 1 || !arne_joint_kind_facts(j->kind)->is_periodic) continue;
        double      *at = &q[j->q_start];
        const double turns = round((*at - s->start[j->q_start]) / turn), near = *at - turns * turn;
        if (near >= j->lower && near <= j->upper) *at = near;
    }
}

KERNEL(arne_status, arne_inverse_kinematics,
       (const arne_robot *robot, arne_work *w, const arne_target *targets, int target_count,
        const arne_ik_options *options, double *q, double *left),
       (robot, w, targets, target_count, options, q, left))
{
    arne_ik_options own_options;
    if (options &&
        !options_take(&own_options, sizeof own_options, OPTIONS_FIRST(arne_ik_options), options))
        return options_refuse(NULL);
    if (options) options = &own_options;
    if (work_differs(robot, w)) return work_refuse(NULL);
    if (!robot || !w || !targets || !q) return ARNE_NULL_ARGUMENT;
    const arne_ik_options plain = {0}, *o = options ? options : &plain;
    const double          tolerance = o->tolerance > 0 ? o->tolerance : 1e-10;
    const int             n = robot->v_count, nq = robot->q_count;
    int                   iterations = o->iterations > 0 ? o->iterations : 500;
    int                   restarts = o->restarts < 0 ? 0 : o->restarts ? o->restarts : 20;
    uint64_t              seed = 1;
    double               *s = w->scratch;
    double               *start = w->tree_matrix; // which kinematics leaves alone: 3 v_count^2
    search                find = {start,
                                  robot,
                                  w,
                                  targets,
                                  target_count,
                                  s,
                                  s + nq,
                                  s + 2 * nq,
                                  s + 2 * nq + n,
                                  s + 2 * nq + 2 * n,
                                  s + 2 * nq + 3 * n};

    inverse_kinematics_clamp(robot, q);
    memcpy(find.q, q, (size_t)nq * sizeof(double));
    memcpy(start, q, (size_t)nq * sizeof(double));
    const int starts = restarts;
    double    best = INFINITY;
    for (;;) {
        int          budget = iterations < 100 ? iterations : 100;
        const int    given = budget;
        const double found = inverse_kinematics_descend(&find, tolerance, &budget);
        iterations -= given - (budget < 0 ? 0 : budget);
        if (found < best) {
            best = found;
            memcpy(q, find.q, (size_t)nq * sizeof(double));
        }
        if (best <= tolerance || restarts-- <= 0 || iterations <= 0) break;
        start_again(&find, &seed, fmin(1, 2.0 * (starts - restarts) / (starts + 1)));
    }
    unwind(&find, q);
    if (left) *left = best;
    return best <= tolerance ? ARNE_OK : ARNE_NOT_CONVERGED;
}
