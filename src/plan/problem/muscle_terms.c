// What muscles ask of a plan, and their quantities.
#include "base/error.h"
#include "base/random.h"
#include "muscle/force.h"
#include "muscle/path.h"
#include "plan/problem/plan_memory.h"
#include "plan/problem/plan_muscle.h"
#include "robot/muscles.h"
#include "robot/robot.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double MUSCLE_GUESS = 0.05; // activation where the search starts

static const arne_muscle_law *muscle_law(const arne_robot *robot, int i)
{
    return &robot_muscles(robot)[i].law;
}

static int muscle_is_active(const arne_robot *robot, int i)
{
    return muscle_is_driven(muscle_law(robot, i)->kind);
}

// ---- activations

static int activation_values(const plan_quantity *q, plan_state *s, double *out)
{
    memcpy(out, s->z + plan_muscle_column(s->problem), (size_t)q->rows * sizeof *out);
    return 0;
}

static int activation_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    for (int i = 0; i < q->rows; i++)
        out[i * PLAN_ORDERS * s->problem->n + plan_muscle_column(s->problem) + i] = 1;
    return 0;
}

static void activation_pattern(const plan_quantity *q, const plan_problem *p, unsigned char *out)
{
    for (int i = 0; i < q->rows; i++)
        out[i * PLAN_ORDERS * p->n + plan_muscle_column(p) + i] = 1;
}

// ---- metabolic power

static int metabolic_values(const plan_quantity *q, plan_state *s, double *out)
{
    (void)q;
    *out = plan_muscle_power(s, NULL);
    return 0;
}

static int metabolic_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    (void)q;
    (void)plan_muscle_power(s, out);
    return 0;
}

static void metabolic_hessian(const plan_quantity *q, plan_state *s, const double *lambda)
{
    (void)q;
    plan_muscle_power_curve(s, *lambda);
}

static void metabolic_pattern(const plan_quantity *q, const plan_problem *p, unsigned char *out)
{
    (void)q;
    for (int k = 0; k < p->v_count; k++)
        out[k] = out[p->n + k] = 1;
    memset(out + plan_muscle_column(p), 1, (size_t)p->muscle_count);
}

// ---- activation dynamics: r(1, a) - a', then a' - r(0, a), as parts of 1 / activation_time

// r and dr/da of muscle i at excitation u, times activation_time.
static void activation_rate(const plan_state *s, int i, double u, double a, double out[2])
{
    const arne_muscle_law *law = muscle_law(s->robot, i);
    double                 rate[3];
    muscle_activation_rate(law, u, a, rate);
    out[0] = rate[0] * law->activation_time;
    out[1] = rate[2] * law->activation_time;
}

static int rate_values(const plan_quantity *q, plan_state *s, double *out)
{
    const plan_problem *p = s->problem;
    const int           count = q->rows / 2, column = plan_muscle_column(p);
    for (int i = 0; i < count; i++) {
        double       up[2], down[2];
        const double a = s->z[column + i];
        const double da = s->z[p->n + column + i] * muscle_law(s->robot, i)->activation_time;
        activation_rate(s, i, 1, a, up);
        activation_rate(s, i, 0, a, down);
        out[i] = up[0] - da;
        out[count + i] = da - down[0];
    }
    return 0;
}

static int muscle_rate_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    const plan_problem *p = s->problem;
    const int count = q->rows / 2, column = plan_muscle_column(p), all = PLAN_ORDERS * p->n;
    for (int i = 0; i < count; i++) {
        double       up[2], down[2], *rise = out + i * all + column + i;
        const double time = muscle_law(s->robot, i)->activation_time;
        double      *fall = rise + count * all;
        activation_rate(s, i, 1, s->z[column + i], up);
        activation_rate(s, i, 0, s->z[column + i], down);
        rise[0] = up[1], rise[p->n] = -time;
        fall[0] = -down[1], fall[p->n] = time;
    }
    return 0;
}

static void rate_hessian(const plan_quantity *q, plan_state *s, const double *lambda)
{
    const int    count = q->rows / 2, column = plan_muscle_column(s->problem);
    const double step = 1e-6;
    for (int i = 0; i < q->rows; i++) {
        double    low[2], high[2];
        const int m = i % count, rise = i < count;
        activation_rate(s, m, rise, s->z[column + m] - step, low);
        activation_rate(s, m, rise, s->z[column + m] + step, high);
        plan_curve_planned(s, column + m, column + m,
                           0.25 * lambda[i] * (rise ? 1 : -1) * (high[1] - low[1]) / step);
    }
}

static void muscle_rate_pattern(const plan_quantity *q, const plan_problem *p, unsigned char *out)
{
    const int count = q->rows / 2, column = plan_muscle_column(p);
    for (int i = 0; i < q->rows; i++) {
        unsigned char *row = out + i * PLAN_ORDERS * p->n;
        row[column + i % count] = row[p->n + column + i % count] = 1;
    }
}

// ---- rules

arne_status plan_count_muscles(plan_problem *p, const plan_map *map, arne_error *error)
{
    if (!p->options.muscles) return ARNE_OK;
    if (map)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "muscles are not known of plans along paths and of robots with loops");
    if (!arne_muscle_count(p->robot))
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "the robot has no muscles");
    if (p->degree < 3)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "with muscles the degree of splines must be 3 or more, not %d", p->degree);
    p->muscle_count = arne_muscle_count(p->robot);
    return ARNE_OK;
}

// Coordinates whose torques are those of muscles alone: some muscle moves them at one of several
// random postures, and they have no reserve. Returns their number, -1 without memory.
static int muscle_rows(const plan_problem *p, int *rows)
{
    enum { PROBES = 8 };
    const int v = p->v_count;
    double   *q = malloc((size_t)(v + p->muscle_count * v) * sizeof *q), *arms = q + v;
    uint64_t  seed = 1;
    int       count = 0;
    if (!q) return -1;
    for (int probe = 0; probe < PROBES; probe++) {
        for (int k = 0; k < v; k++)
            q[k] = random_between(&seed, -1, 1);
        muscle_paths(p->robot, p->work, q, NULL, NULL, NULL, arms);
        for (int i = 0; i < p->muscle_count * v; i++)
            if (fabs(arms[i]) > 1e-12) rows[i % v] = 1;
    }
    for (int k = 0; k < v; k++) {
        const int moved = rows[k] && !(p->options.reserves && p->options.reserves[k]);
        if (moved) rows[count++] = k;
    }
    free(q);
    return count;
}

static arne_status add_balance(plan_problem *p, double *zero, arne_error *error)
{
    const arne_quantity torque = {.kind = ARNE_QUANTITY_TORQUE};
    int                *rows = calloc((size_t)p->v_count + 1, sizeof *rows);
    arne_constraint     c = {.name = "the torque of a joint that muscles drive",
                             .to = 1,
                             .other = -1,
                             .rows = rows,
                             .row_count = rows ? muscle_rows(p, rows) : -1,
                             .lower = zero,
                             .upper = zero};
    arne_status         status = c.row_count < 0 ? arne_fail_memory(error) : ARNE_OK;
    if (!status) status = plan_add_quantity(p, &torque, &c.quantity, error);
    if (!status && c.row_count) status = plan_add_constraint(p, &c, error);
    free(rows);
    return status;
}

arne_status plan_add_muscles(plan_problem *p, arne_error *error)
{
    const int     count = 2 * p->muscle_count, column = plan_muscle_column(p);
    plan_quantity rate = {.name = "activation dynamics",
                          .rows = count,
                          .orders = 3,
                          .planned = 1,
                          .what = {.kind = ARNE_QUANTITY_KIND_COUNT},
                          .values = rate_values,
                          .gradient = muscle_rate_gradient,
                          .hessian = rate_hessian,
                          .pattern = muscle_rate_pattern};
    if (!p->muscle_count) return ARNE_OK;
    for (int i = 0; i < p->muscle_count; i++) {
        const int active = muscle_is_active(p->robot, i);
        p->coordinate_lower[column + i] =
            active ? fmax(muscle_law(p->robot, i)->minimum_activation, 0) : 0;
        p->coordinate_upper[column + i] = active;
    }
    double *zero = calloc((size_t)(count + p->v_count), sizeof *zero);
    double *far = malloc((size_t)count * sizeof *far);
    for (int i = 0; far && i < count; i++)
        far[i] = INFINITY;
    arne_constraint c = {
        .name = rate.name, .row_count = count, .to = 1, .other = -1, .lower = zero, .upper = far};
    arne_status status =
        zero && far ? plan_add(p, &rate, &c.quantity, error) : arne_fail_memory(error);
    if (!status) status = plan_add_constraint(p, &c, error);
    if (!status) status = add_balance(p, zero, error);
    free(zero);
    free(far);
    return status;
}

arne_status plan_join_muscles(plan_problem *p, arne_error *error)
{
    const arne_quantity activation = {.kind = ARNE_QUANTITY_ACTIVATION};
    arne_constraint     c = {.name = "activation where phases meet", .other_at = 1};
    if (!p->muscle_count || p->phase_count == 1) return ARNE_OK;
    double     *zero = calloc((size_t)p->muscle_count, sizeof *zero);
    int        *rows = calloc((size_t)p->muscle_count, sizeof *rows);
    arne_status status = zero && rows ? plan_add_quantity(p, &activation, &c.quantity, error)
                                      : arne_fail_memory(error);
    c.other = c.quantity;
    c.lower = c.upper = zero;
    c.rows = c.other_rows = rows;
    for (int i = 0; !status && i < p->muscle_count; i++)
        if (muscle_is_active(p->robot, i)) rows[c.row_count++] = i;
    for (int k = 1; k < p->phase_count && !status; k++) {
        c.phase = k + 1, c.other_phase = k;
        status = plan_add_constraint(p, &c, error);
    }
    free(zero);
    free(rows);
    return status;
}

// ---- variables

void plan_muscle_bounds(plan_program *p)
{
    const int column = plan_muscle_column(p->problem);
    for (int i = 0; i < p->problem->muscle_count; i++)
        for (int k = 0; k < p->phase_count; k++)
            for (int c = 1; c <= 2; c++) {
                const int at = (column + i) * p->m + p->phases[k].first + p->phases[k].m - c;
                p->x_lower[at] = p->x_upper[at] = 0;
            }
}

void plan_guess_activations(const plan_problem *p, plan_solution *s)
{
    const int m = s->grid.m, column = plan_muscle_column(p);
    for (int i = 0; i < p->muscle_count * m; i++)
        if (s->x[column * m + i] == 0) s->x[column * m + i] = MUSCLE_GUESS;
}

// ---- as quantities

arne_status plan_muscle_quantity(const plan_problem *p, const arne_quantity *what,
                                 plan_quantity *out, arne_error *error)
{
    if (!p->muscle_count)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "%s: no muscles drive this plan",
                         plan_kind_of((int)what->kind)->name);
    if (what->kind == ARNE_QUANTITY_METABOLIC_POWER) {
        *out = (plan_quantity){.name = "metabolic_power",
                               .kind = plan_kind_of((int)what->kind),
                               .rows = 1,
                               .orders = 3,
                               .planned = 1,
                               .what = *what,
                               .values = metabolic_values,
                               .gradient = metabolic_gradient,
                               .hessian = metabolic_hessian,
                               .pattern = metabolic_pattern};
        return ARNE_OK;
    }
    *out = (plan_quantity){.name = "activation",
                           .kind = plan_kind_of((int)what->kind),
                           .rows = p->muscle_count,
                           .orders = 1,
                           .linear = 1,
                           .planned = 1,
                           .what = *what,
                           .values = activation_values,
                           .gradient = activation_gradient,
                           .pattern = activation_pattern};
    return ARNE_OK;
}
