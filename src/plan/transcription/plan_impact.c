// Velocities that jump where a phase begins with an impact.
//
// What touches from then on comes to rest at once, by impulses L at its points: M(q) qd after is
// M(q) qd before + J^T L, in every coordinate, since motors have no time to do anything. The
// impulses lie in the friction cone and do not pull. They are variables: the splines of forces have
// two control points less than those of coordinates, and the last place of the phase before, which
// has no use otherwise, is the impulse. So it lies next to the control points of the phase that
// begins, and rows of the impact touch neighbours only. Where a mass is picked up in the same
// instant, M before is that without it: it was at rest.
#include "plan/transcription/plan_impact.h"
#include "base/error.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int plan_has_impact(const plan_problem *p, int phase)
{
    return phase > 0 && p->phases[phase].impact;
}

arne_vec3 plan_impulse(const arne_plan *plan, int phase, int touch)
{
    const plan_problem *p = &plan->problem;
    const int           m = plan->now.grid.m;
    int                 first = 0;
    for (int k = 0; k < phase; k++)
        first += plan->now.grid.counts[k];
    const plan_touch *t = &p->touches[touch];
    double            out[3] = {0, 0, 0};
    for (int c = 0; c < 3; c++) {
        const double x = plan->now.x[(p->v_count + t->column + c) * m + first - 1];
        out[0] += x * t->axes[c].x;
        out[1] += x * t->axes[c].y;
        out[2] += x * t->axes[c].z;
    }
    return (arne_vec3){out[0], out[1], out[2]};
}

// ---- M(q) qd, less J^T L on the side of the impact

static int with_impulses(const plan_quantity *q) { return q->what.joint; }

static int momentum_values(const plan_quantity *q, plan_state *s, double *out)
{
    const int v = s->problem->v_count;
    double   *zero = s->at->matrices + 16 * v, *rest = zero + v;
    memset(zero, 0, (size_t)v * sizeof *zero);
    arne_inverse_dynamics(s->robot, s->work, s->q, zero, zero, NULL, rest);
    arne_inverse_dynamics(s->robot, s->work, s->q, zero, s->qd, NULL, s->tau);
    for (int k = 0; k < v; k++)
        s->tau[k] -= rest[k];
    if (with_impulses(q) && s->problem->force_count) plan_contact_torques(s);
    memcpy(out, s->tau, (size_t)v * sizeof *out);
    s->have &= ~(unsigned)HAVE_TORQUES;
    return 0;
}

static int impact_momentum_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    const int v = s->problem->v_count;
    double   *zero = s->at->matrices + 16 * v, *rest = s->at->matrices + 24 * v;
    memset(zero, 0, (size_t)v * sizeof *zero);
    arne_inverse_dynamics_derivatives(s->robot, s->work, s->q, zero, zero, NULL, 0, rest, NULL,
                                      NULL);
    arne_inverse_dynamics_derivatives(s->robot, s->work, s->q, zero, s->qd, NULL, 0, s->tau_q, NULL,
                                      s->M);
    for (int k = 0; k < v * v; k++)
        s->tau_q[k] -= rest[k];
    if (with_impulses(q) && s->problem->force_count) plan_contact_derivatives(s);
    for (int r = 0; r < v; r++) {
        memcpy(out + r * PLAN_ORDERS * v, s->tau_q + r * v, (size_t)v * sizeof *out);
        memcpy(out + r * PLAN_ORDERS * v + v, s->M + r * v, (size_t)v * sizeof *out);
    }
    s->have &= ~(unsigned)HAVE_TORQUE_DERIVATIVES;
    return 0;
}

// After the gradient at the same state.
static void momentum_by_forces(const plan_quantity *q, plan_state *s, double *out)
{
    const plan_problem *p = s->problem;
    for (int i = 0; i < q->rows && with_impulses(q); i++)
        memcpy(out + i * PLAN_ORDERS * p->n + p->v_count, s->tau_f + i * p->force_count,
               (size_t)p->force_count * sizeof *out);
}

static arne_status add_momentum(plan_problem *p, int impulses, int *out, arne_error *error)
{
    plan_quantity q = {.name = "impact",
                       .rows = p->v_count,
                       .orders = 3,
                       .what = {.kind = ARNE_QUANTITY_KIND_COUNT, .joint = impulses},
                       .values = momentum_values,
                       .gradient = impact_momentum_gradient,
                       .by_forces = impulses ? momentum_by_forces : NULL};
    return plan_add(p, &q, out, error);
}

// ---- rows

arne_status plan_join_impacts(plan_problem *p, const int *rows, int count, const double *zero,
                              arne_error *error)
{
    int         before = -1, after = -1;
    arne_status status = ARNE_OK;
    for (int k = 1; k < p->phase_count && !status; k++) {
        char            name[120];
        arne_constraint c = {.name = name,
                             .row_count = count,
                             .rows = rows,
                             .lower = zero,
                             .upper = zero,
                             .to = 1,
                             .other_rows = rows,
                             .other_at = 1,
                             .phase = k + 1,
                             .other_phase = k};
        if (!plan_has_impact(p, k) || !count) continue;
        snprintf(name, sizeof name, "impact of phase %s", p->phases[k].name);
        if (after < 0) status = add_momentum(p, 1, &after, error);
        if (!status && before < 0) status = add_momentum(p, 0, &before, error);
        c.quantity = after;
        c.other = before;
        if (!status) status = plan_add_constraint(p, &c, error);
        if (!status) p->constraints[p->constraint_count - 1].hold = HOLD_IMPACT;
    }
    return status;
}
