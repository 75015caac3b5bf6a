// Where a robot with springs stands still: Newton's method, with the load growing step by step.
//
// With part x of weight, loads and torques, g(q) = 0 is solved for the coordinates that are not
// held, where g is what inverse dynamics at rest has more than x tau. Its derivative is exact, but
// for that of muscles: differences of their torques, which change Newton's steps and not where these
// end.
// Steps of x are halved where Newton's method fails, and grow where it succeeds soon.
#include "base/error.h"
#include "base/options.h"
#include "math/dense.h"
#include "math/vectors.h"
#include "robot/work_parts.h"
#include <arne/configuration.h>
#include <arne/dynamics.h>
#include <arne/equilibrium.h>
#include <arne/integrate.h>
#include <arne/kinematics.h>
#include <arne/motor.h>
#include <arne/muscle_force.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEWTON_MOST = 12, NEWTON_SOON = 6, STEPS_MOST = 1000 };
// The first part of the load is small, so that the nearest of several equilibria is followed.
static const double FIRST_PART = 0.05, LEAST_PART = 1e-5, SINGULAR_PART = 1e-13;

typedef struct balance {
    const arne_robot        *robot;
    arne_work               *work;
    arne_equilibrium_options o;
    arne_pose                base;
    int                      nv, nq, count; // count: coordinates that move
    double                  *block, *zero, *tau, *rate, *step, *trial, *kept;
    double                  *dq, *dqd, *dqdd, *A;
    double                  *muscle, *lengths, *forces, *arms; // muscle: torques of all of them
    int                     *moves;
    arne_load               *loads;
    double                   size; // of torques: what is left is measured by it
    int                      steps;
} balance;

// Motors behind springs stay where they are.
static int is_behind_spring(const arne_robot *robot, int v)
{
    for (int i = 0; i < arne_robot_sizes(robot).motor_count; i++)
        if (arne_robot_motor(robot, i).v_index == v) return 1;
    return 0;
}

static arne_status balance_make(balance *b, arne_error *error)
{
    const size_t n = (size_t)b->nv, nq = (size_t)b->nq;
    b->block = calloc(4 * n * n + 4 * n + 2 * nq + 1, sizeof(double));
    const size_t m = b->o.activation ? (size_t)arne_muscle_count(b->robot) : 0;
    b->muscle = calloc(n + 2 * m + m * n + 1, sizeof(double));
    b->lengths = b->muscle ? b->muscle + n : NULL;
    b->forces = b->muscle ? b->lengths + m : NULL;
    b->arms = b->muscle ? b->forces + m : NULL;
    b->moves = calloc(n + 1, sizeof(int));
    b->loads = calloc((size_t)b->o.load_count + 1, sizeof *b->loads);
    if (!b->block || !b->muscle || !b->moves || !b->loads) return arne_fail_memory(error);
    double **const squares[] = {&b->dq, &b->dqd, &b->dqdd, &b->A};
    double **const rows[] = {&b->zero, &b->tau, &b->rate, &b->step};
    for (int i = 0; i < 4; i++) {
        *squares[i] = b->block + (size_t)i * n * n;
        *rows[i] = b->block + 4 * n * n + (size_t)i * n;
    }
    b->trial = b->block + 4 * n * n + 4 * n;
    b->kept = b->trial + nq;
    for (int i = 0; i < b->nv; i++)
        if (!(b->o.held && b->o.held[i]) && !is_behind_spring(b->robot, i))
            b->moves[b->count++] = i;
    return ARNE_OK;
}

// Part x of weight and loads. Weight is an upward acceleration of the base.
static void balance_load(balance *b, const double *q, double x)
{
    const arne_vec3   g = into3(&b->base.R, arne_robot_gravity(b->robot));
    const arne_motion rest = {{0, 0, 0}, {0, 0, 0}};
    const arne_motion fall = {{(1 - x) * g.x, (1 - x) * g.y, (1 - x) * g.z}, {0, 0, 0}};
    arne_work_set_base(b->robot, b->work, &b->base, &rest, &fall);
    if (b->o.load_count) arne_kinematics(b->robot, b->work, q, NULL, NULL);
    for (int i = 0; i < b->o.load_count; i++) {
        arne_load *load = &b->loads[i];
        *load = b->o.loads[i];
        if (load->in_world) {
            const arne_mat3 R = arne_frame_pose(b->robot, b->work, load->frame).R;
            load->wrench.lin = into3(&R, load->wrench.lin);
            load->wrench.ang = into3(&R, load->wrench.ang);
        }
        double *parts[2] = {&load->wrench.lin.x, &load->wrench.ang.x};
        for (int k = 0; k < 6; k++)
            parts[k / 3][k % 3] *= x;
    }
}

// b->muscle = arms^T forces, of muscles at rest with rigid tendons.
static void balance_muscles(balance *b, const double *q)
{
    const arne_muscle_options rigid = {.tendon = ARNE_TENDON_RIGID};
    const int                 m = b->o.activation ? arne_muscle_count(b->robot) : 0;
    if (!m) return;
    memset(b->muscle, 0, (size_t)b->nv * sizeof *b->muscle);
    if (arne_muscle_lengths(b->robot, b->work, q, NULL, b->lengths, NULL) != ARNE_OK ||
        arne_muscle_moment_arms(b->robot, b->work, q, b->arms) != ARNE_OK ||
        arne_muscle_forces(b->robot, 1, b->o.activation, b->lengths, NULL, &rigid, b->forces,
                           NULL) != ARNE_OK)
        b->muscle[0] = NAN; // these fail for NULL alone
    for (int i = 0; i < m; i++)
        for (int k = 0; k < b->nv; k++)
            b->muscle[k] += b->arms[i * b->nv + k] * b->forces[i];
}

// Takes x times the derivative of these torques from A, as rows and columns of what moves.
static void balance_muscles_by_q(balance *b, const double *q, double x)
{
    const double h = 1e-6;
    for (int j = 0; j < b->count && b->o.activation; j++)
        for (int side = -1; side <= 1; side += 2) {
            memset(b->rate, 0, (size_t)b->nv * sizeof *b->rate);
            b->rate[b->moves[j]] = side * h;
            arne_integrate(b->robot, q, b->rate, b->trial);
            balance_muscles(b, b->trial);
            for (int i = 0; i < b->count; i++)
                b->A[i * b->count + j] -= x * side / (2 * h) * b->muscle[b->moves[i]];
        }
}

// The largest torque that is left, over the largest of all parts.
static double balance_left(balance *b, const double *q, double x)
{
    double left = 0;
    balance_muscles(b, q);
    balance_load(b, q, x);
    arne_torque_rate(b->robot, b->work, q, b->zero, b->zero, b->zero, b->loads, b->o.load_count,
                     b->tau, b->rate);
    for (int i = 0; i < b->count; i++) {
        const int k = b->moves[i];
        if (b->o.tau) b->tau[k] -= x * b->o.tau[k];
        b->tau[k] -= x * b->muscle[k];
        left = fmax(left, fabs(b->tau[k]));
        if (!isfinite(b->tau[k])) return INFINITY;
    }
    return left;
}

// One step of Newton from q, with b->tau what is left there. 0: singular.
static int equilibrium_newton_step(balance *b, const double *q, double x)
{
    const int n = b->count, nv = b->nv;
    arne_inverse_dynamics_derivatives(b->robot, b->work, q, b->zero, b->zero, b->loads,
                                      b->o.load_count, b->dq, b->dqd, b->dqdd);
    for (int i = 0; i < n; i++) {
        b->step[i] = -b->tau[b->moves[i]];
        for (int k = 0; k < n; k++) {
            b->A[i * n + k] = b->dq[b->moves[i] * nv + b->moves[k]];
            b->size = fmax(b->size, fabs(b->A[i * n + k]));
        }
    }
    balance_muscles_by_q(b, q, x);
    if (!dense_eliminate(n, b->A, 1, b->step, SINGULAR_PART)) return 0;
    memcpy(b->rate, b->step, (size_t)n * sizeof *b->rate);
    memset(b->step, 0, (size_t)nv * sizeof *b->step);
    for (int i = 0; i < n; i++)
        b->step[b->moves[i]] = b->rate[i];
    return 1;
}

static double equilibrium_largest_of(int n, const double *x)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

// Newton's method at part x, from q. Returns the steps it took; 0: it failed.
static int balance_at(balance *b, double *q, double x)
{
    double left = balance_left(b, q, x), last = INFINITY;
    for (int i = 1; i <= NEWTON_MOST && b->steps < b->o.most_steps; i++, b->steps++) {
        if (!equilibrium_newton_step(b, q, x)) return 0;
        double size = equilibrium_largest_of(b->nv, b->step), after = INFINITY;
        for (int half = 0; half < 8; half++) {
            arne_integrate(b->robot, q, b->step, b->trial);
            after = balance_left(b, b->trial, x);
            if (after <= left * (1 - 1e-4) || left <= b->o.tolerance * b->size) break;
            for (int k = 0; k < b->nv; k++)
                b->step[k] *= 0.5;
            size *= 0.5;
        }
        if (!isfinite(after)) return 0;
        memcpy(q, b->trial, (size_t)b->nq * sizeof *q);
        // done where steps and what is left are as small as rounding lets them be
        if (after <= b->o.tolerance * b->size && (size < 1e-9 || size >= last)) return i;
        last = size;
        left = after;
    }
    return 0;
}

static arne_status balance_run(balance *b, double *q, arne_error *error)
{
    double      x = 0, part = FIRST_PART;
    const char *name = arne_robot_name(b->robot);
    if (!balance_at(b, q, 0))
        return arne_fail(
            error, ARNE_SINGULAR, NULL, 0,
            "'%s' has no equilibrium without weight and loads near this configuration: "
            "is there a coordinate that no spring holds? Then hold it",
            name);
    while (x < 1) {
        const double next = fmin(1, x + part);
        memcpy(b->kept, q, (size_t)b->nq * sizeof *q);
        const int steps = balance_at(b, q, next);
        if (steps) {
            x = next;
            if (steps <= NEWTON_SOON) part *= 1.5;
            continue;
        }
        memcpy(q, b->kept, (size_t)b->nq * sizeof *q);
        part *= 0.5;
        if (part < LEAST_PART || b->steps >= b->o.most_steps)
            return arne_fail(
                error, ARNE_SINGULAR, NULL, 0,
                "'%s' has no equilibrium that Newton's method finds beyond %.3g of the "
                "load: it may buckle there",
                name, x);
    }
    return ARNE_OK;
}

arne_status arne_equilibrium(const arne_robot *robot, arne_work *work,
                             const arne_equilibrium_options *options, double *q, arne_error *error)
{
    balance b = {.robot = robot, .work = work};
    if (!robot || !work || !q)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    if (options &&
        !options_take(&b.o, sizeof b.o, OPTIONS_FIRST(arne_equilibrium_options), options))
        return options_refuse(error);
    const arne_sizes sizes = arne_robot_sizes(robot);
    if (sizes.loop_count)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "'%s' has loops: equilibrium is for trees", arne_robot_name(robot));
    if (b.o.load_count && !b.o.loads)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    if (b.o.tolerance <= 0) b.o.tolerance = 1e-12;
    if (b.o.most_steps <= 0) b.o.most_steps = STEPS_MOST;
    b.nv = sizes.v_count;
    b.nq = sizes.q_count;
    arne_status status = balance_make(&b, error);
    if (!status) {
        b.base = work_body_pose(robot, work, 0);
        status = balance_run(&b, q, error);
        balance_load(&b, q, 1);
    }
    free(b.block);
    free(b.muscle);
    free(b.moves);
    free(b.loads);
    return status;
}
