// Where a robot with springs stands still: Newton's method, with the load growing step by step.
//
// With part x of weight, loads and torques, g(q) = 0 is solved for the coordinates that are not
// held, where g is what inverse dynamics at rest has more than x tau. Its derivative is exact, but
// for that of muscles and loops: differences of their torques, which change Newton's steps and not
// where these end.
// Loops are closed first. They add their errors e(q) = 0 and multipliers l: g = J^T l. A step is
//     [A  -J^T] [dq]   [-(g - J^T l)]
//     [J   -s ] [dl] = [-e          ],   A = d(g - J^T l)/dq,
// with so small an s that redundant rows make no singular matrix; dl is 0 at the end, so s changes
// nothing there.
// Steps of x are halved where Newton's method fails, and grow where it succeeds soon.
#include "base/error.h"
#include "base/options.h"
#include "math/dense.h"
#include "math/vectors.h"
#include "mechanism/loop_work.h"
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
static const double LOOP_SOFT = 1e-10, DIFFERENCE = 1e-6; // s; of coordinates
static const double WAY_NEAR = 0.01; // of coordinates: a way that need not go on as before

typedef struct balance {
    const arne_robot        *robot;
    arne_work               *work;
    arne_equilibrium_options o;
    arne_pose                base;
    int                      nv, nq, count; // count: coordinates that move
    double                  *block, *zero, *tau, *rate, *step, *trial, *kept, *kept_lambda, *way;
    double                  *dq, *dqd, *dqdd, *A;
    double                  *other; // torques of muscles and loops
    double                  *lengths, *forces, *arms;
    arne_loop_work          *loop;   // NULL: none
    double                  *lambda; // of its rows
    int                      rows;
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
    const size_t m = b->o.activation ? (size_t)arne_muscle_count(b->robot) : 0;
    const size_t rows = (size_t)b->rows, all = n + rows;
    const struct {
        double **start;
        size_t   size;
    } parts[] = {{&b->dq, n * n},    {&b->dqd, n * n},        {&b->dqdd, n * n}, {&b->A, all * all},
                 {&b->step, all},    {&b->rate, all},         {&b->zero, n},     {&b->tau, n},
                 {&b->way, n},       {&b->other, n},          {&b->trial, nq},   {&b->kept, nq},
                 {&b->lambda, rows}, {&b->kept_lambda, rows}, {&b->lengths, m},  {&b->forces, m},
                 {&b->arms, m * n}};
    enum { PARTS = sizeof parts / sizeof *parts };
    size_t whole = 1, at = 0;
    for (int i = 0; i < PARTS; i++)
        whole += parts[i].size;
    b->block = calloc(whole, sizeof(double));
    b->moves = calloc(n + 1, sizeof(int));
    b->loads = calloc((size_t)b->o.load_count + 1, sizeof *b->loads);
    if (!b->block || !b->moves || !b->loads) return arne_fail_memory(error);
    for (int i = 0; i < PARTS; at += parts[i++].size)
        *parts[i].start = b->block + at;
    if (rows) {
        const arne_status status = arne_loop_work_new(b->robot, &b->loop);
        if (status) return arne_fail_memory(error);
    }
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
        arne_load *part = &b->loads[i];
        *part = b->o.loads[i];
        if (part->in_world) {
            const arne_mat3 R = arne_frame_pose(b->robot, b->work, part->frame).R;
            part->wrench.lin = into3(&R, part->wrench.lin);
            part->wrench.ang = into3(&R, part->wrench.ang);
        }
        double *parts[2] = {&part->wrench.lin.x, &part->wrench.ang.x};
        for (int k = 0; k < 6; k++)
            parts[k / 3][k % 3] *= x;
    }
}

// Adds x arms^T forces to b->other, of muscles at rest with rigid tendons.
static void balance_muscles(balance *b, const double *q, double x)
{
    const arne_muscle_options rigid = {.tendon = ARNE_TENDON_RIGID};
    const int                 m = b->o.activation ? arne_muscle_count(b->robot) : 0;
    if (!m) return;
    if (arne_muscle_lengths(b->robot, b->work, q, NULL, b->lengths, NULL) != ARNE_OK ||
        arne_muscle_moment_arms(b->robot, b->work, q, b->arms) != ARNE_OK ||
        arne_muscle_forces(b->robot, 1, b->o.activation, b->lengths, NULL, &rigid, b->forces,
                           NULL) != ARNE_OK)
        b->other[0] = NAN; // these fail for NULL alone
    for (int i = 0; i < m; i++)
        for (int k = 0; k < b->nv; k++)
            b->other[k] += x * b->arms[i * b->nv + k] * b->forces[i];
}

// What muscles and loops do in every coordinate, with part x of the load.
static void balance_others(balance *b, const double *q, double x)
{
    memset(b->other, 0, (size_t)b->nv * sizeof *b->other);
    balance_muscles(b, q, x);
    if (!b->loop) return;
    loop_constraints(b->robot, b->work, b->loop, q, NULL, NULL);
    for (int i = 0; i < b->rows; i++)
        for (int k = 0; k < b->nv; k++)
            b->other[k] += b->loop->J[i * b->nv + k] * b->lambda[i];
}

// Takes their derivative from the first rows and columns of A, those of what moves.
static void balance_others_by_q(balance *b, const double *q, double x)
{
    const int all = b->count + b->rows;
    for (int j = 0; j < b->count && (b->o.activation || b->loop); j++)
        for (int side = -1; side <= 1; side += 2) {
            memset(b->rate, 0, (size_t)b->nv * sizeof *b->rate);
            b->rate[b->moves[j]] = side * DIFFERENCE;
            arne_integrate(b->robot, q, b->rate, b->trial);
            balance_others(b, b->trial, x);
            for (int i = 0; i < b->count; i++)
                b->A[i * all + j] -= side / (2 * DIFFERENCE) * b->other[b->moves[i]];
        }
}

// The largest torque that is left, and error of a loop times the stiffness.
static double balance_left(balance *b, const double *q, double x)
{
    double left = 0;
    balance_load(b, q, x);
    arne_torque_rate(b->robot, b->work, q, b->zero, b->zero, b->zero, b->loads, b->o.load_count,
                     b->tau, b->rate);
    balance_others(b, q, x);
    for (int i = 0; i < b->count; i++) {
        const int k = b->moves[i];
        if (b->o.tau) b->tau[k] -= x * b->o.tau[k];
        b->tau[k] -= b->other[k];
        left = fmax(left, fabs(b->tau[k]));
        if (!isfinite(b->tau[k])) return INFINITY;
    }
    for (int i = 0; i < b->rows; i++)
        left = fmax(left, b->size * fabs(b->loop->error[i]));
    return left;
}

// A of what moves, but for muscles and loops.
static void balance_stiffness(balance *b, const double *q)
{
    const int n = b->count, nv = b->nv, all = n + b->rows;
    arne_inverse_dynamics_derivatives(b->robot, b->work, q, b->zero, b->zero, b->loads,
                                      b->o.load_count, b->dq, b->dqd, b->dqdd);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            b->A[i * all + k] = b->dq[b->moves[i] * nv + b->moves[k]];
            b->size = fmax(b->size, fabs(b->A[i * all + k]));
        }
}

// The rows and columns of the loops, and what they lack. Multipliers are in units of the
// largest stiffness.
static void balance_loops(balance *b, const double *q)
{
    const int n = b->count, nv = b->nv, all = n + b->rows;
    if (!b->loop) return;
    loop_constraints(b->robot, b->work, b->loop, q, NULL, NULL);
    for (int i = 0; i < b->rows; i++) {
        double *row = b->A + (n + i) * all;
        memset(row, 0, (size_t)all * sizeof *row);
        for (int k = 0; k < n; k++) {
            row[k] = b->loop->J[i * nv + b->moves[k]];
            b->A[k * all + n + i] = -b->size * row[k];
        }
        row[n + i] = -LOOP_SOFT;
        b->step[n + i] = -b->loop->error[i];
    }
}

// One step of Newton from q, with b->tau what is left there: of q, then of lambda. 0: singular.
static int equilibrium_newton_step(balance *b, const double *q, double x)
{
    const int n = b->count, nv = b->nv;
    balance_stiffness(b, q);
    balance_others_by_q(b, q, x);
    for (int i = 0; i < n; i++)
        b->step[i] = -b->tau[b->moves[i]];
    balance_loops(b, q);
    if (!dense_eliminate(n + b->rows, b->A, 1, b->step, SINGULAR_PART)) return 0;
    memcpy(b->rate, b->step, (size_t)(n + b->rows) * sizeof *b->rate);
    memset(b->step, 0, (size_t)nv * sizeof *b->step);
    for (int i = 0; i < n; i++)
        b->step[b->moves[i]] = b->rate[i];
    for (int i = 0; i < b->rows; i++)
        b->step[nv + i] = b->size * b->rate[n + i];
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
        for (int k = 0; k < b->rows; k++)
            b->lambda[k] += b->step[b->nv + k];
        for (int half = 0; half < 8; half++) {
            arne_integrate(b->robot, q, b->step, b->trial);
            after = balance_left(b, b->trial, x);
            if (after <= left * (1 - 1e-4) || left <= b->o.tolerance * b->size) break;
            for (int k = 0; k < b->nv + b->rows; k++)
                b->step[k] *= 0.5;
            for (int k = 0; k < b->rows; k++)
                b->lambda[k] -= b->step[b->nv + k];
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

// Closes the loops, with what is held in its place.
static arne_status balance_close(balance *b, double *q, arne_error *error)
{
    unsigned char              *fixed = b->loop ? malloc((size_t)b->nv + 1) : NULL;
    const arne_assembly_options ask = {.fixed = fixed};
    if (!b->loop) return ARNE_OK;
    if (!fixed) return arne_fail_memory(error);
    memset(fixed, 1, (size_t)b->nv);
    for (int i = 0; i < b->count; i++)
        fixed[b->moves[i]] = 0;
    const arne_status status = arne_assemble(b->robot, b->work, b->loop, &ask, q, NULL, error);
    free(fixed);
    return status;
}

// Whether q, at the end of a step of x by `part`, goes on as the step before went: if not, it may
// lie on another branch.
static int balance_goes_on(balance *b, const double *q, double part, double *last_part)
{
    double most = WAY_NEAR, off = 0;
    arne_difference(b->robot, b->kept, q, b->rate);
    for (int k = 0; *last_part > 0 && k < b->nv; k++) {
        const double guess = b->way[k] * part / *last_part;
        most = fmax(most, fabs(guess));
        off = fmax(off, fabs(b->rate[k] - guess));
    }
    if (off > 2 * most) return 0;
    *last_part = part;
    memcpy(b->way, b->rate, (size_t)b->nv * sizeof *b->way);
    return 1;
}

static arne_status balance_run(balance *b, double *q, arne_error *error)
{
    double            x = 0, part = FIRST_PART, last = 0;
    const char       *name = arne_robot_name(b->robot);
    const arne_status closed = balance_close(b, q, error);
    if (closed) return closed;
    balance_stiffness(b, q);
    if (!balance_at(b, q, 0))
        return arne_fail(
            error, ARNE_SINGULAR, NULL, 0,
            "'%s' has no equilibrium without weight and loads near this configuration: "
            "is there a coordinate that no spring holds? Then hold it",
            name);
    while (x < 1) {
        const double next = fmin(1, x + part);
        memcpy(b->kept, q, (size_t)b->nq * sizeof *q);
        memcpy(b->kept_lambda, b->lambda, (size_t)b->rows * sizeof *q);
        const int steps = balance_at(b, q, next);
        if (steps && balance_goes_on(b, q, next - x, &last)) {
            x = next;
            if (steps <= NEWTON_SOON) part *= 1.5;
            continue;
        }
        memcpy(q, b->kept, (size_t)b->nq * sizeof *q);
        memcpy(b->lambda, b->kept_lambda, (size_t)b->rows * sizeof *q);
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

arne_status arne_equilibrium(const arne_robot *robot, arne_work *w,
                             const arne_equilibrium_options *options, double *q, arne_error *error)
{
    balance b = {.robot = robot, .work = w};
    if (!robot || !w || !q)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    if (options &&
        !options_take(&b.o, sizeof b.o, OPTIONS_FIRST(arne_equilibrium_options), options))
        return options_refuse(error);
    const arne_sizes sizes = arne_robot_sizes(robot);
    if (b.o.load_count && !b.o.loads)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    for (int i = 0; i < sizes.loop_count; i++) {
        const arne_loop_info l = arne_robot_loop(robot, i);
        if (l.kind >= ARNE_LOOP_ROLLING)
            return arne_fail(
                error, ARNE_UNSUPPORTED, NULL, 0,
                "loop '%s' of '%s' constrains velocities alone: where it comes to rest "
                "depends on how it got there",
                l.name, arne_robot_name(robot));
    }
    if (b.o.tolerance <= 0) b.o.tolerance = 1e-12;
    if (b.o.most_steps <= 0) b.o.most_steps = STEPS_MOST;
    b.nv = sizes.v_count;
    b.nq = sizes.q_count;
    b.rows = sizes.loop_row_count;
    arne_status status = balance_make(&b, error);
    if (!status) {
        b.base = work_body_pose(robot, w, 0);
        status = balance_run(&b, q, error);
        balance_load(&b, q, 1);
    }
    free(b.block);
    arne_loop_work_free(b.loop);
    free(b.moves);
    free(b.loads);
    return status;
}
