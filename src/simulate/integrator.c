// The state of an integrator, and what all methods do with it.
//
// Within a step, q = q_n (+) u: the methods integrate u, whose rate is that of dexp^-1
// (arne_step_rate), next to qd and z, as if all were vectors (Runge-Kutta-Munthe-Kaas).
#include "simulate/integrator.h"
#include "base/error.h"
#include "base/options.h"
#include "simulate/stiff_solver.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const NAMES[ARNE_METHOD_COUNT] = {"euler",          "rk4",   "rosenbrock",
                                                     "dormand-prince", "cvode", "ida"};

const char *arne_method_name(arne_method method)
{
    return method >= 0 && method < ARNE_METHOD_COUNT ? NAMES[method] : NULL;
}

int integrator_is_fixed(arne_method method) { return method < ARNE_METHOD_DORMAND_PRINCE; }

int arne_method_available(arne_method method)
{
    const stiff_solver *solver;
    return arne_method_name(method) && stiff_solver_find(method, &solver, NULL) == ARNE_OK;
}

// Hands out the block; returns how many doubles there are. With NULL it only counts.
static size_t integrator_place(arne_integrator *it, double *block)
{
    const size_t state = (size_t)(it->nq + it->nv + it->nz), tangent = (size_t)it->tangent;
    const size_t events = (size_t)it->system.event_count;
    size_t       used = 0;
#define TAKE(name, count)                                                                          \
    do {                                                                                           \
        if (block) it->name = block + used;                                                        \
        used += (count);                                                                           \
    } while (0)
    TAKE(q, state);
    TAKE(q1, state);
    TAKE(q0, state);
    for (int i = 0; i < MAX_STAGES; i++)
        TAKE(k[i], tangent);
    TAKE(sum, tangent);
    TAKE(within, tangent);
    for (int i = 0; i < 4; i++)
        TAKE(dense[i], tangent);
    TAKE(path, (size_t)it->nv);
    if (it->options.method == ARNE_METHOD_ROSENBROCK) {
        const size_t square = (size_t)it->nv * (size_t)it->nv;
        TAKE(K, square);
        TAKE(D, square);
        TAKE(M, square);
        TAKE(room, square);
    }
    TAKE(g0, events);
    TAKE(g1, events);
    TAKE(g_found, events);
#undef TAKE
    if (!block) return used;
    it->qd = it->q + it->nq, it->z = it->qd + it->nv;
    it->qd1 = it->q1 + it->nq, it->z1 = it->qd1 + it->nv;
    it->qd0 = it->q0 + it->nq, it->z0 = it->qd0 + it->nv;
    return used;
}

// Whether q (+) u is q + u.
static int is_flat(const arne_robot *robot)
{
    for (int j = 0; j < arne_robot_sizes(robot).joint_count; j++) {
        const arne_joint_kind kind = arne_robot_joint(robot, j).kind;
        if (arne_joint_kind_facts(kind)->has_body_axes) return 0;
    }
    return 1;
}

static arne_status integrator_check_options(const arne_integrator_options *o, arne_error *error)
{
    if (!arne_method_name(o->method))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no method %d", (int)o->method);
    if (!(integrator_is_fixed(o->method) ? o->step > 0 : o->step >= 0) || !isfinite(o->step))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "the step must be positive, not %g", o->step);
    if (!(o->max_step >= 0) || !(o->relative >= 0) || !(o->absolute >= 0))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "the longest step and tolerances must not be negative");
    return ARNE_OK;
}

arne_status arne_integrator_new(const arne_system *system, const arne_integrator_options *options,
                                arne_integrator **out, arne_error *error)
{
    arne_integrator_options own_options;
    if (out) *out = NULL;
    if (options && !options_take(&own_options, sizeof own_options,
                                 OPTIONS_FIRST(arne_integrator_options), options))
        return options_refuse(error);
    if (options) options = &own_options;
    if (!system || !options || !out || !system->robot || !system->rate ||
        (system->event_count > 0 && !system->events))
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    arne_status status = integrator_check_options(options, error);
    if (status == ARNE_OK && options->method == ARNE_METHOD_ROSENBROCK && !system->linear)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "rosenbrock needs the function 'linear'");
    if (status != ARNE_OK) return status;

    const arne_sizes sizes = arne_robot_sizes(system->robot);
    arne_integrator  head = {.system = *system, .options = *options};
    status = stiff_solver_find(options->method, &head.stiff, error);
    if (status != ARNE_OK) return status;
    head.nq = sizes.q_count;
    head.nv = sizes.v_count;
    head.nz = system->z_count;
    head.tangent = 2 * head.nv + head.nz;
    head.flat = is_flat(system->robot);
    if (head.options.relative == 0) head.options.relative = 1e-10;
    head.reach = head.speed = head.options.absolute > 0 ? 1 : 0;
    if (head.options.absolute == 0) head.options.absolute = 1e-10;
    if (head.options.max_step == 0) head.options.max_step = INFINITY;

    arne_integrator *it = calloc(1, sizeof *it + integrator_place(&head, NULL) * sizeof(double));
    if (!it) return arne_fail_memory(error);
    *it = head;
    integrator_place(it, it->block);
    arne_neutral(system->robot, it->q);
    if (it->stiff) status = it->stiff->make(it, error);
    if (status != ARNE_OK) {
        arne_integrator_free(it);
        return status;
    }
    *out = it;
    return ARNE_OK;
}

void arne_integrator_free(arne_integrator *it)
{
    if (!it) return;
    if (it->stiff) it->stiff->release(it);
    free(it);
}

double        arne_integrator_time(const arne_integrator *it) { return it->time; }
const double *arne_integrator_q(const arne_integrator *it) { return it->q; }
const double *arne_integrator_qd(const arne_integrator *it) { return it->qd; }
const double *arne_integrator_z(const arne_integrator *it) { return it->z; }

arne_integrator_stats arne_integrator_statistics(const arne_integrator *it) { return it->stats; }

arne_status arne_integrator_start(arne_integrator *it, double time, const double *q,
                                  const double *qd, const double *z, arne_error *error)
{
    it->time = time;
    memmove(it->q, q, (size_t)it->nq * sizeof *q);
    memmove(it->qd, qd, (size_t)it->nv * sizeof *qd);
    if (z) memmove(it->z, z, (size_t)it->nz * sizeof *z);
    it->fresh = 0;
    it->last_step = 0;
    it->last_time = time;
    it->grid_done = 0;
    const int broken = integrator_broken(it, it->q, it->qd, it->z);
    if (broken >= 0) return integrator_diverged(it, broken, "is not finite", error);
    events_start(it);
    return it->stiff ? it->stiff->start(it, error) : ARNE_OK;
}

arne_status integrator_rate(arne_integrator *it, double time, const double *u, const double *q,
                            const double *qd, const double *z, double *k, arne_error *error)
{
    it->stats.rates++;
    if (u && !it->flat)
        arne_step_rate(it->system.robot, u, qd, k);
    else
        memcpy(k, qd, (size_t)it->nv * sizeof *k);
    return it->system.rate(it->system.context, time, q, qd, it->nz ? z : NULL, k + it->nv,
                           it->nz ? k + 2 * it->nv : NULL, error);
}

void integrator_move(arne_integrator *it, const double *sum)
{
    if (!it->flat) arne_integrate(it->system.robot, it->q, sum, it->q1);
    for (int i = 0; it->flat && i < it->nq; i++)
        it->q1[i] = it->q[i] + sum[i];
    for (int i = 0; i < it->nv; i++)
        it->qd1[i] = it->qd[i] + sum[it->nv + i];
    for (int i = 0; i < it->nz; i++)
        it->z1[i] = it->z[i] + sum[2 * it->nv + i];
}

// The state on trial is where `sum` leads, at a time after now; its rates go to k.
static arne_status rate_on_trial(arne_integrator *it, double later, double *k, arne_error *error)
{
    integrator_move(it, it->sum);
    const arne_status status =
        integrator_rate(it, it->time + later, it->sum, it->q1, it->qd1, it->z1, k, error);
    // Nothing can be said of states beyond all bounds, whatever the right-hand side says.
    const int runaway = status == ARNE_OK ? -1 : integrator_broken(it, it->q1, it->qd1, it->z1);
    return runaway < 0 ? status : integrator_diverged(it, runaway, "grows without bounds", error);
}

arne_status integrator_stage(arne_integrator *it, const tableau *table, int i, double h,
                             arne_error *error)
{
    for (int n = 0; n < it->tangent; n++) {
        double sum = 0;
        for (int j = 0; j < i; j++)
            sum += table->a[i][j] * it->k[j][n];
        it->sum[n] = h * sum;
    }
    return rate_on_trial(it, table->c[i] * h, it->k[i], error);
}

arne_status integrator_stage_from(arne_integrator *it, const double *rates, double part,
                                  double later, double *k, arne_error *error)
{
    for (int n = 0; n < it->tangent; n++)
        it->sum[n] = part * rates[n];
    return rate_on_trial(it, later, k, error);
}

arne_status integrator_accept(arne_integrator *it, double h, arne_error *error)
{
    const int broken = integrator_broken(it, it->q1, it->qd1, it->z1);
    if (broken >= 0) return integrator_diverged(it, broken, "grows without bounds", error);
    arne_status status = ARNE_OK;
    if (it->system.project)
        status = it->system.project(it->system.context, it->time + h, it->q1, it->qd1, error);
    if (status != ARNE_OK) return status;
    const size_t state = (size_t)(it->nq + it->nv + it->nz) * sizeof(double);
    memcpy(it->q0, it->q, state);
    memcpy(it->q, it->q1, state);
    it->last_time = it->time;
    it->last_step = h;
    it->time += h;
    it->stats.steps++;
    return ARNE_OK;
}

static int integrator_stops(const arne_integrator *it)
{
    return it->system.stop && it->system.stop(it->system.context);
}

static arne_status fail_stopped(const arne_integrator *it, arne_error *error)
{
    return arne_fail(error, ARNE_STOPPED, NULL, 0, "stopped at t = %.9g s", it->time);
}

// A step by the system itself.
static arne_status own_step(arne_integrator *it, double h, arne_error *error)
{
    memcpy(it->q1, it->q, (size_t)(it->nq + it->nv + it->nz) * sizeof(double));
    const arne_status status = it->system.step(it->system.context, it->time, h, it->q1, it->qd1,
                                               it->nz ? it->z1 : NULL, error);
    return status == ARNE_OK ? integrator_accept(it, h, error) : status;
}

typedef arne_status (*fixed_step)(arne_integrator *it, double h, arne_error *error);
static const fixed_step STEPS[] = {[ARNE_METHOD_EULER] = euler_step,
                                   [ARNE_METHOD_RK4] = rk4_step,
                                   [ARNE_METHOD_ROSENBROCK] = rosenbrock_step};

// Equal steps that end at `until`.
static arne_status advance_fixed(arne_integrator *it, double until, int *event, arne_error *error)
{
    // Steps that were left on the way are gone on with, as if nothing had been.
    if (it->grid_done == 0 || it->grid_until != until) {
        it->grid_from = it->time;
        it->grid_until = until;
        it->grid_done = 0;
    }
    const double start = it->grid_from;
    const double steps = ceil((until - start) / it->options.step * (1 - 1e-9));
    for (double i = it->grid_done + 1; i <= steps; i++) {
        if (integrator_stops(it)) return fail_stopped(it, error);
        const double      end = i == steps ? until : start + (until - start) * (i / steps);
        const double      h = end - it->time;
        const arne_status status =
            it->system.step ? own_step(it, h, error) : STEPS[it->options.method](it, h, error);
        if (status != ARNE_OK) return integrator_failed(it, status, error);
        it->time = end; // not start + h, which may round otherwise
        it->grid_done = i;
        double found;
        if (event && (*event = events_find(it, &found)) >= 0) break;
    }
    it->grid_done = 0;
    return ARNE_OK;
}

static arne_status advance_adaptive(arne_integrator *it, double until, int *event,
                                    arne_error *error)
{
    while (it->time < until) {
        if (integrator_stops(it)) return fail_stopped(it, error);
        const arne_status status = arne_integrator_step(it, until, error);
        if (status != ARNE_OK) return status;
        double time;
        if (!event || (*event = events_find(it, &time)) < 0) continue;
        const double end = it->time;
        if (time < end) {
            dopri_at(it, time, it->q1, it->qd1, it->z1);
            memcpy(it->q, it->q1, (size_t)(it->nq + it->nv + it->nz) * sizeof(double));
            it->time = time;
            it->fresh = 0;
        }
        return ARNE_OK;
    }
    return ARNE_OK;
}

arne_status arne_integrator_advance(arne_integrator *it, double until, int *event,
                                    arne_error *error)
{
    if (event) *event = -1;
    if (!(until >= it->time) || !isfinite(until))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "cannot integrate from t = %.9g s to %.9g s",
                         it->time, until);
    int *const asked = it->system.event_count > 0 ? event : NULL;
    if (it->stiff) return it->stiff->advance(it, until, asked, error);
    return integrator_is_fixed(it->options.method) ? advance_fixed(it, until, asked, error)
                                                   : advance_adaptive(it, until, asked, error);
}

arne_status arne_integrator_step(arne_integrator *it, double until, arne_error *error)
{
    if (it->options.method != ARNE_METHOD_DORMAND_PRINCE)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "single steps with dense output are for dormand-prince");
    return it->time < until ? dopri_step(it, until, error) : ARNE_OK;
}

arne_status arne_integrator_at(const arne_integrator *it, double time, double *q, double *qd,
                               double *z)
{
    const double end = it->last_time + it->last_step;
    if (it->options.method != ARNE_METHOD_DORMAND_PRINCE) return ARNE_UNSUPPORTED;
    if (!(time >= it->last_time && time <= fmax(end, it->time)) || it->last_step == 0)
        return ARNE_VALUE;
    dopri_at(it, time, q, qd, z);
    return ARNE_OK;
}
