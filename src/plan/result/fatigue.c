// Fatigue by three compartments, and a planned task that is done again and again. With active = TL
// the fatigued part goes to F TL / R by exp(-R t); where the intensity is no longer possible all
// that is left is active, and it goes to F / (F + R) by exp(-(F + R) t).
#include "plan/result/fatigue.h"
#include "base/error.h"
#include "io/json.h"
#include "motion/drive_limits.h"
#include "plan/problem/strength.h"
#include <arne/fatigue.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double arne_fatigue_endurance(arne_fatigue r, double TL)
{
    if (!(TL > 0) || !(r.fatigue > 0)) return INFINITY;
    if (TL >= 1) return 0;
    if (!(r.recovery > 0)) return (1 - TL) / (r.fatigue * TL);
    const double left = 1 - r.recovery * (1 - TL) / (r.fatigue * TL);
    return left > 0 ? -log(left) / r.recovery : INFINITY;
}

// x' = rate (to - x), or x' = slope where the rate is zero.
static double relax(double x, double slope, double rate, double time)
{
    if (!(rate > 0)) return x + slope * time;
    const double to = slope / rate;
    return to + (x - to) * exp(-rate * time);
}

double arne_fatigue_advance(arne_fatigue r, double TL, double time, double *fatigued)
{
    const double F = r.fatigue, R = r.recovery, room = 1 - TL;
    double       possible = time;
    if (TL > 1 - *fatigued) {
        possible = 0;
    } else if (relax(*fatigued, F * TL, R, time) > room) { // when it gets there
        const double to = R > 0 ? F * TL / R : 0;
        possible = R > 0 ? -log((room - to) / (*fatigued - to)) / R : (room - *fatigued) / (F * TL);
        possible = fmin(fmax(possible, 0), time);
    }
    *fatigued = relax(*fatigued, F * TL, R, possible);
    if (possible < time) *fatigued = relax(*fatigued, F, F + R, time - possible);
    return possible;
}

// ---- a task again and again

enum { SAMPLES = 200 };

typedef struct task {
    arne_plan *p;
    double    *use, *limit, *fatigued; // SAMPLES x v_count; v_count
} task;

double plan_use(const arne_plan *p, int k, double tau, double limit)
{
    const plan_strength *t = p->problem.strengths ? p->problem.strengths[k] : NULL;
    if (t)
        limit = plan_strength_at(t, tau < 0, p->now.program->between.q[k],
                                 p->now.program->between.qd[k])
                    .value;
    if (limit <= 0) return tau == 0 ? 0 : 1e9;
    return isfinite(limit) ? fabs(tau) / limit : 0;
}

static int new_task(task *t, arne_plan *p)
{
    const size_t v = (size_t)p->problem.v_count;
    *t = (task){.p = p,
                .use = calloc(SAMPLES * v + 1, sizeof(double)),
                .limit = calloc(2 * v + 1, sizeof(double)),
                .fatigued = calloc(v + 1, sizeof(double))};
    if (!t->use || !t->limit || !t->fatigued) return 0;
    arne_drive_limits(p->problem.robot, t->limit, t->limit + v);
    for (int i = 0; i < SAMPLES; i++) {
        double *row = t->use + (size_t)i * v;
        arne_plan_evaluate(p, (i + 0.5) / SAMPLES, NULL, NULL, NULL, NULL, row);
        for (size_t k = 0; k < v; k++)
            row[k] = plan_use(p, (int)k, row[k], t->limit[k]);
    }
    return 1;
}

static void free_task(task *t) { free(t->use), free(t->limit), free(t->fatigued); }

// One repetition. Returns the coordinate that cannot do it, or -1.
static int fatigue_again(task *t)
{
    const arne_plan *p = t->p;
    const double     step = arne_plan_time(p) / SAMPLES;
    int              failed = -1;
    for (int i = 0; i < SAMPLES; i++)
        for (int k = 0; k < p->problem.v_count; k++) {
            const double TL = t->use[i * p->problem.v_count + k];
            const double held =
                arne_fatigue_advance(p->problem.fatigue[k], TL, step, &t->fatigued[k]);
            if (held < step * (1 - 1e-9) && failed < 0) failed = k;
        }
    for (int k = 0; k < p->problem.v_count && p->problem.rest > 0; k++)
        arne_fatigue_advance(p->problem.fatigue[k], 0, p->problem.rest, &t->fatigued[k]);
    return failed;
}

static arne_status new_table(const arne_plan *p, arne_table **out)
{
    arne_status status = arne_table_new(out);
    if (!status) status = arne_table_add_column(*out, "repetition", "");
    if (!status) status = arne_table_add_column(*out, "possible", "");
    for (int k = 0; k < p->problem.v_count && !status; k++) {
        char coordinate[320], name[340];
        if (!(p->problem.fatigue[k].fatigue > 0)) continue;
        plan_coordinate_name(&p->problem, k, coordinate, sizeof coordinate);
        snprintf(name, sizeof name, "capacity.%s", coordinate);
        status = arne_table_add_column(*out, name, "");
    }
    return status;
}

arne_status plan_fatigue(arne_plan *p, plan_tired *out, arne_table **table, arne_error *error)
{
    task        t;
    double     *row = calloc((size_t)p->problem.v_count + 3, sizeof *row);
    arne_status status = new_task(&t, p) && row ? ARNE_OK : ARNE_NO_MEMORY;
    *out = (plan_tired){.failed = 0, .coordinate = -1, .capacity = 1};
    if (!status) status = new_table(p, table);
    for (int i = 1; i <= p->problem.repeat && !status; i++) {
        const int failed = fatigue_again(&t);
        int       at = 0;
        row[at++] = i;
        row[at++] = failed < 0;
        if (failed >= 0 && !out->failed) {
            out->failed = i;
            out->coordinate = failed;
        }
        out->capacity = 1;
        for (int k = 0; k < p->problem.v_count; k++) {
            if (!(p->problem.fatigue[k].fatigue > 0)) continue;
            row[at++] = 1 - t.fatigued[k];
            out->capacity = fmin(out->capacity, 1 - t.fatigued[k]);
        }
        status = arne_table_append(*table, row);
    }
    free_task(&t);
    free(row);
    return status ? arne_fail(error, status, NULL, 0, "%s", arne_status_text(status)) : ARNE_OK;
}

void plan_fatigue_summary(json *j, arne_plan *p)
{
    plan_tired  tired;
    arne_table *t = NULL;
    arne_error  error;
    if (!p->problem.repeat || plan_fatigue(p, &tired, &t, &error) != ARNE_OK) {
        arne_table_free(t);
        return;
    }
    json_put_open(j, "fatigue", '{');
    json_put_number(j, "repetitions", p->problem.repeat);
    json_put_number(j, "possible", tired.failed ? tired.failed - 1 : p->problem.repeat);
    json_put_number(j, "capacity", tired.capacity);
    if (tired.failed) {
        char name[320];
        plan_coordinate_name(&p->problem, tired.coordinate, name, sizeof name);
        json_put_number(j, "first_failed", tired.failed);
        json_put_text(j, "joint", name);
    }
    json_put_close(j, '}');
    arne_table_free(t);
}
