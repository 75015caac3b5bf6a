// Constraints and objectives of a plan: checked and copied.
#include "base/error.h"
#include "plan/problem/plan.h"
#include "plan/problem/plan_memory.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- constraints

static int count_rows(const plan_problem *p, int quantity, const int *rows, int row_count)
{
    if (quantity < 0 || quantity >= p->quantity_count) return 0;
    for (int i = 0; i < row_count; i++) {
        const int row = rows ? rows[i] : i;
        if (row < 0 || row >= p->quantities[quantity].rows) return 0;
    }
    return 1;
}

static int *terms_copy_rows(const int *rows, int count)
{
    int *out = plan_copy(rows, (size_t)count, sizeof *rows);
    for (int i = 0; out && !rows && i < count; i++)
        out[i] = i;
    return out;
}

static double *copy_factors(const double *factors, int count)
{
    double *out = plan_copy(factors, (size_t)count, sizeof *factors);
    for (int i = 0; out && !factors && i < count; i++)
        out[i] = 1;
    return out;
}

static int plan_is_timed(const plan_problem *p);

static arne_status check_bounds(const plan_problem *p, const arne_constraint *c, arne_error *error)
{
    for (int i = 0; i < c->row_count; i++)
        if (!(c->lower[i] <= c->upper[i]))
            return arne_fail(error, ARNE_VALUE, c->place.file, c->place.line,
                             "%s: the lower bound %g is above the upper bound %g", c->name,
                             c->lower[i], c->upper[i]);
    const int several = p->phase_count > 1 && c->phase == 0 && !plan_is_timed(p);
    const int whole = c->from == 0 || c->from == 1, to_end = c->to == 0 || c->to == 1;
    if (c->phase > p->phase_count || c->other_phase > p->phase_count || c->phase < 0)
        return arne_fail(error, ARNE_VALUE, c->place.file, c->place.line,
                         "%s: there is no such phase", c->name);
    if (several && (!whole || !to_end))
        return arne_fail(error, ARNE_VALUE, c->place.file, c->place.line,
                         "%s: where a motion has several phases, a part of it is a part of one of "
                         "them: name the phase",
                         c->name);
    if (!(c->from >= 0 && c->to <= 1))
        return arne_fail(error, ARNE_VALUE, c->place.file, c->place.line,
                         "%s: instants are fractions of the final time, 0 to 1", c->name);
    return ARNE_OK;
}

// Whether all phases have fixed durations: then parts of the whole motion are parts of phases.
static int plan_is_timed(const plan_problem *p)
{
    for (int k = 0; k < p->phase_count; k++)
        if (p->phases[k].most > 0) return 0;
    return 1;
}

// A constraint on a part of the whole motion, in the phases that this part is in.
static arne_status add_in_phases(plan_problem *p, const arne_constraint *c, arne_error *error)
{
    arne_constraint one = *c;
    arne_status     status = ARNE_OK;
    double          part, *T = malloc((size_t)p->phase_count * sizeof *T);
    if (!T) return arne_fail_memory(error);
    for (int k = 0; k < p->phase_count; k++)
        T[k] = p->phases[k].time;
    if (c->other >= 0 && c->other_at > 0 && c->other_at < 1 && !c->other_phase) {
        one.other_phase = 1 + plan_phase_at(p, T, c->other_at, &part);
        one.other_at = part;
    }
    if (c->from == c->to) {
        one.phase = 1 + plan_phase_at(p, T, c->from, &part);
        one.from = one.to = part;
        status = plan_add_constraint(p, &one, error);
    }
    for (int k = 0; c->from != c->to && k < p->phase_count && !status; k++) {
        const double begins = plan_part(p, T, k, 0), ends = plan_part(p, T, k, 1);
        if (c->to <= begins || c->from >= ends) continue;
        one.phase = k + 1;
        one.from = fmax(0, (c->from - begins) / (ends - begins));
        one.to = fmin(1, (c->to - begins) / (ends - begins));
        status = plan_add_constraint(p, &one, error);
    }
    free(T);
    return status;
}

static int is_inner(double u) { return u > 0 && u < 1; }

const char *arne_plan_constraint_name(const arne_plan *plan, int constraint)
{
    const int fine = plan && constraint >= 0 && constraint < plan->problem.constraint_count;
    return fine ? plan->problem.constraints[constraint].name : "";
}

arne_status arne_plan_add_constraint(arne_plan *plan, const arne_constraint *c, arne_error *error)
{
    if (!plan || !c) return arne_fail_null(error);
    return plan_add_constraint(plan_change(plan), c, error);
}

arne_status plan_add_constraint(plan_problem *plan, const arne_constraint *c, arne_error *error)
{
    if (plan->phase_count > 1 && c->phase == 0 && plan_is_timed(plan) &&
        (is_inner(c->from) || is_inner(c->to) || (c->other >= 0 && is_inner(c->other_at))))
        return add_in_phases(plan, c, error);
    const char *name = c->name ? c->name : "";
    if (!count_rows(plan, c->quantity, c->rows, c->row_count) ||
        (c->other >= 0 && !count_rows(plan, c->other, c->other_rows, c->row_count)))
        return arne_fail(error, ARNE_VALUE, c->place.file, c->place.line,
                         "%s: there is no such row", name);
    const arne_status status = check_bounds(plan, c, error);
    if (status) return status;
    void *room = plan->constraints;
    if (!plan_grow(&room, plan->constraint_count, &plan->constraint_room,
                   sizeof *plan->constraints))
        return arne_fail_memory(error);
    plan->constraints = room;
    plan_constraint *to = &plan->constraints[plan->constraint_count++];
    const size_t     n = (size_t)c->row_count;
    *to = (plan_constraint){.quantity = c->quantity,
                            .other = c->other,
                            .row_count = c->row_count,
                            .from = c->from,
                            .to = c->to,
                            .other_at = c->other_at,
                            .phase = c->phase - 1,
                            .other_phase = c->other_phase - 1,
                            .line = c->place.line,
                            .rows = terms_copy_rows(c->rows, c->row_count),
                            .other_rows = terms_copy_rows(c->other_rows, c->row_count),
                            .lower = plan_copy(c->lower, n, sizeof(double)),
                            .upper = plan_copy(c->upper, n, sizeof(double)),
                            .factors = copy_factors(c->factors, c->row_count),
                            .scale = calloc(n ? n : 1, sizeof(double))};
    snprintf(to->name, sizeof to->name, "%s", name);
    snprintf(to->file, sizeof to->file, "%s", c->place.file ? c->place.file : "");
    const int all =
        to->rows && to->other_rows && to->lower && to->upper && to->factors && to->scale;
    for (int i = 0; all && i < c->row_count; i++) { // large numbers are brought to order one
        const double low = isfinite(c->lower[i]) ? fabs(c->lower[i]) : 0,
                     up = isfinite(c->upper[i]) ? fabs(c->upper[i]) : 0;
        to->scale[i] = 1 / fmax(1, fmax(low, up));
    }
    return all ? ARNE_OK : arne_fail_memory(error);
}

arne_status arne_plan_add_objective(arne_plan *plan, const arne_objective *o, arne_error *error)
{
    if (!plan || !o) return arne_fail_null(error);
    return plan_add_objective(plan_change(plan), o, error);
}

arne_status plan_add_objective(plan_problem *plan, const arne_objective *o, arne_error *error)
{
    if (!count_rows(plan, o->quantity, o->rows, o->row_count))
        return arne_fail(error, ARNE_VALUE, o->place.file, o->place.line,
                         "%s: there is no such row", o->name ? o->name : "");
    if (o->shape == ARNE_OBJECTIVE_POWER && !(o->power >= 2 && isfinite(o->power)))
        return arne_fail(error, ARNE_VALUE, o->place.file, o->place.line,
                         "%s: the power must be at least 2, not %g", o->name ? o->name : "",
                         o->power);
    if (o->mean && (plan->phase_count > 1 || o->at >= 0))
        return arne_fail(error, ARNE_UNSUPPORTED, o->place.file, o->place.line,
                         "%s: a mean is that of a motion without phases, over all of it",
                         o->name ? o->name : "");
    void *room = plan->objectives;
    if (!plan_grow(&room, plan->objective_count, &plan->objective_room, sizeof *plan->objectives))
        return arne_fail_memory(error);
    plan->objectives = room;
    plan_objective *to = &plan->objectives[plan->objective_count++];
    *to = (plan_objective){.quantity = o->quantity,
                           .row_count = o->row_count,
                           .shape = o->shape,
                           .smooth = o->smooth > 0 ? o->smooth : 1e-3,
                           .own_smooth = !(o->smooth > 0),
                           .at = o->at,
                           .power = o->power,
                           .mean = o->mean,
                           .phase = o->phase - 1,
                           .rows = terms_copy_rows(o->rows, o->row_count),
                           .weights = plan_copy(o->weights, (size_t)o->row_count, sizeof(double))};
    snprintf(to->name, sizeof to->name, "%s", o->name ? o->name : "");
    return to->rows && to->weights ? ARNE_OK : arne_fail_memory(error);
}
