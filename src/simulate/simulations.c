// Many worlds: a simulation each, advanced by all threads. A world belongs to one thread at a time
// and shares nothing that is written, so that results do not depend on which thread that is.
#include "base/error.h"
#include "base/options.h"
#include "base/pool.h"
#include "robot/robot.h"
#include <arne/simulation.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORLDS_PIECE = 8 }; // that a thread takes at once

typedef struct world_slot {
    arne_simulation *simulation;
    arne_robot      *loaded, *turned; // copies of the robot, with its payload and its gravity
    arne_controller *controller;
    arne_status      status;
} world_slot;

// The first world that failed in a call, as a thread has seen it.
typedef struct world_failure {
    int        world;
    arne_error error;
} world_failure;

struct arne_simulations {
    int            count, threads;
    size_t         nq, nv, contacts, state_size;
    pool          *pool;
    world_slot    *slots;
    world_failure *failures; // one for each thread
    double        *q, *qd, *time;
};

// ---- a call in all worlds ----

typedef struct worlds_call {
    arne_simulations *worlds;
    arne_status (*one)(const struct worlds_call *call, int world, arne_error *error);
    const unsigned char *mask;
    const double        *a, *b; // rows of arguments
    double              *out;
    int                  steps;
} worlds_call;

static const double *worlds_row(const double *rows, size_t width, int world)
{
    return rows ? rows + width * (size_t)world : NULL;
}

static void worlds_look(arne_simulations *w, int i)
{
    const arne_simulation *s = w->slots[i].simulation;
    memcpy(w->q + w->nq * (size_t)i, arne_simulation_q(s), w->nq * sizeof(double));
    memcpy(w->qd + w->nv * (size_t)i, arne_simulation_qd(s), w->nv * sizeof(double));
    w->time[i] = arne_simulation_time(s);
}

static void worlds_piece(void *context, int worker, size_t piece)
{
    const worlds_call *call = context;
    arne_simulations  *w = call->worlds;
    world_failure     *failure = &w->failures[worker];
    const int          first = (int)piece * WORLDS_PIECE;
    for (int i = first; i < w->count && i < first + WORLDS_PIECE; i++) {
        arne_error error;
        w->slots[i].status = ARNE_OK;
        if (call->mask && !call->mask[i]) continue;
        w->slots[i].status = call->one(call, i, &error);
        worlds_look(w, i);
        if (!w->slots[i].status || i > failure->world) continue;
        *failure = (world_failure){i, error};
    }
}

static arne_status worlds_run(const worlds_call *call, arne_error *error)
{
    arne_simulations *w = call->worlds;
    for (int t = 0; t < w->threads; t++)
        w->failures[t].world = INT_MAX;
    const size_t pieces = ((size_t)w->count + WORLDS_PIECE - 1) / WORLDS_PIECE;
    worlds_call  own = *call;
    pool_run(w->pool, pieces, worlds_piece, &own);
    const world_failure *first = &w->failures[0];
    for (int t = 1; t < w->threads; t++)
        if (w->failures[t].world < first->world) first = &w->failures[t];
    if (first->world == INT_MAX) return ARNE_OK;
    return arne_fail(error, w->slots[first->world].status, NULL, 0, "world %d: %.300s",
                     first->world, first->error.text);
}

// ---- making ----

// Its robot: the given one, or a copy with its payload and its gravity.
static arne_status worlds_robot(world_slot *slot, const arne_robot *robot, int i,
                                const arne_simulations_options *o, const arne_robot **out,
                                arne_error *error)
{
    *out = robot;
    if (o->payload) {
        const arne_status status =
            arne_robot_attach(robot, o->payload_frame, &o->payload[i], &slot->loaded, error);
        if (status) return status;
        *out = slot->loaded;
    }
    if (!o->gravity) return ARNE_OK;
    if (!isfinite(o->gravity[i].x + o->gravity[i].y + o->gravity[i].z))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "gravity is not finite");
    slot->turned = malloc(robot->size);
    if (!slot->turned) return arne_fail_memory(error);
    memcpy(slot->turned, *out, robot->size);
    slot->turned->gravity = o->gravity[i];
    *out = slot->turned;
    return ARNE_OK;
}

// Surroundings with the friction of a world on every ground; to be freed. NULL: no memory.
static arne_surrounding *worlds_grounds(const arne_simulation_spec *spec, double friction)
{
    const size_t      count = (size_t)spec->surrounding_count;
    arne_surrounding *own = calloc(count + 1, sizeof *own);
    for (size_t k = 0; own && k < count; k++) {
        own[k] = spec->surroundings[k];
        if (own[k].kind == ARNE_SURROUNDING_GROUND) own[k].surface.friction = friction;
    }
    return own;
}

static arne_status worlds_make(arne_simulations *w, const arne_robot *robot, int i,
                               const arne_simulations_options *o, arne_error *error)
{
    world_slot             *slot = &w->slots[i];
    arne_simulation_spec    spec = o->spec ? *o->spec : (arne_simulation_spec){0};
    arne_simulation_options options = {.step = o->step, .spec = &spec};
    const arne_robot       *own;
    arne_surrounding       *grounds = NULL;
    arne_status             status = worlds_robot(slot, robot, i, o, &own, error);
    if (!status && (o->kp || o->kd))
        status = arne_controller_pd(own, worlds_row(o->kp, w->nv, i), worlds_row(o->kd, w->nv, i),
                                    &slot->controller, error);
    if (!status && o->friction) {
        spec.surroundings = grounds = worlds_grounds(&spec, o->friction[i]);
        if (!grounds) status = arne_fail_memory(error);
    }
    spec.robot = own;
    spec.controller = slot->controller;
    if (o->q) spec.q = worlds_row(o->q, w->nq, i), spec.qd = NULL;
    if (o->qd) spec.qd = worlds_row(o->qd, w->nv, i);
    if (!status) status = arne_simulation_new(own, &options, &slot->simulation, error);
    free(grounds);
    return status;
}

static arne_status worlds_check(const arne_robot *robot, int count,
                                const arne_simulations_options *o, arne_error *error)
{
    if (!robot) return arne_fail_null(error);
    if (count < 1 || o->threads < 0)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "there must be a world or more, and threads must not be negative");
    if (o->spec && o->spec->robot && o->spec->robot != robot)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "the spec is of another robot");
    if (o->spec && o->spec->controller)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "a controller serves one simulation: give gains, or torques");
    return ARNE_OK;
}

static arne_status worlds_take_memory(arne_simulations *w, arne_error *error)
{
    const size_t count = (size_t)w->count;
    w->slots = calloc(count, sizeof *w->slots);
    w->failures = calloc((size_t)w->threads, sizeof *w->failures);
    w->q = calloc(count * (w->nq + w->nv + 1), sizeof *w->q);
    if (!w->slots || !w->failures || !w->q || pool_new(w->threads, &w->pool))
        return arne_fail_memory(error);
    w->qd = w->q + count * w->nq;
    w->time = w->qd + count * w->nv;
    return ARNE_OK;
}

arne_status arne_simulations_new(const arne_robot *robot, int count,
                                 const arne_simulations_options *options, arne_simulations **out,
                                 arne_error *error)
{
    arne_simulations_options own = {0};
    if (out) *out = NULL;
    if (options &&
        !options_take(&own, sizeof own, OPTIONS_FIRST(arne_simulations_options), options))
        return options_refuse(error);
    if (!out) return arne_fail_null(error);
    arne_status status = worlds_check(robot, count, &own, error);
    if (status) return status;
    arne_simulations *w = calloc(1, sizeof *w);
    if (!w) return arne_fail_memory(error);
    w->count = count;
    w->threads = own.threads ? own.threads : pool_processors();
    w->nq = (size_t)robot->q_count;
    w->nv = (size_t)robot->v_count;
    w->contacts = (size_t)robot->contact_count;
    status = worlds_take_memory(w, error);
    for (int i = 0; i < count && !status; i++) {
        arne_error why;
        status = worlds_make(w, robot, i, &own, &why);
        if (status) arne_fail(error, status, NULL, 0, "world %d: %.300s", i, why.text);
        if (!status) worlds_look(w, i);
    }
    if (status) {
        arne_simulations_free(w);
        return status;
    }
    w->state_size = arne_simulation_state_size(w->slots[0].simulation);
    *out = w;
    return ARNE_OK;
}

void arne_simulations_free(arne_simulations *w)
{
    if (!w) return;
    pool_free(w->pool);
    for (int i = 0; w->slots && i < w->count; i++) {
        arne_simulation_free(w->slots[i].simulation);
        arne_controller_free(w->slots[i].controller);
        arne_robot_free(w->slots[i].loaded);
        free(w->slots[i].turned);
    }
    free(w->slots);
    free(w->failures);
    free(w->q);
    free(w);
}

// ---- what is done in each ----

static arne_status worlds_step_one(const worlds_call *call, int i, arne_error *error)
{
    return arne_simulation_step(call->worlds->slots[i].simulation,
                                worlds_row(call->a, call->worlds->nv, i), call->steps, error);
}

arne_status arne_simulations_step(arne_simulations *w, const double *tau, int steps,
                                  arne_error *error)
{
    if (!w) return arne_fail_null(error);
    const worlds_call call = {.worlds = w, .one = worlds_step_one, .a = tau, .steps = steps};
    return worlds_run(&call, error);
}

static arne_status worlds_target_one(const worlds_call *call, int i, arne_error *error)
{
    const arne_simulations *w = call->worlds;
    return arne_simulation_set_target(w->slots[i].simulation, worlds_row(call->a, w->nq, i),
                                      worlds_row(call->b, w->nv, i), error);
}

arne_status arne_simulations_set_target(arne_simulations *w, const unsigned char *mask,
                                        const double *q, const double *qd, arne_error *error)
{
    if (!w || !q) return arne_fail_null(error);
    const worlds_call call = {.worlds = w, .one = worlds_target_one, .mask = mask, .a = q, .b = qd};
    return worlds_run(&call, error);
}

static arne_status worlds_reset_one(const worlds_call *call, int i, arne_error *error)
{
    const arne_simulations *w = call->worlds;
    return arne_simulation_reset(w->slots[i].simulation, worlds_row(call->a, w->nq, i),
                                 worlds_row(call->b, w->nv, i), error);
}

arne_status arne_simulations_reset(arne_simulations *w, const unsigned char *mask, const double *q,
                                   const double *qd, arne_error *error)
{
    if (!w) return arne_fail_null(error);
    const worlds_call call = {.worlds = w, .one = worlds_reset_one, .mask = mask, .a = q, .b = qd};
    return worlds_run(&call, error);
}

static arne_status worlds_set_state_one(const worlds_call *call, int i, arne_error *error)
{
    const arne_simulations *w = call->worlds;
    return arne_simulation_set_state(w->slots[i].simulation, worlds_row(call->a, w->state_size, i),
                                     error);
}

arne_status arne_simulations_set_state(arne_simulations *w, const double *state, arne_error *error)
{
    if (!w || !state) return arne_fail_null(error);
    const worlds_call call = {.worlds = w, .one = worlds_set_state_one, .a = state};
    return worlds_run(&call, error);
}

void arne_simulations_state(arne_simulations *w, double *out)
{
    for (int i = 0; i < w->count; i++)
        arne_simulation_state(w->slots[i].simulation, out + w->state_size * (size_t)i);
}

// ---- looking at them ----

static arne_status worlds_forces_one(const worlds_call *call, int i, arne_error *error)
{
    const arne_simulations *w = call->worlds;
    double                 *row = call->out + 3 * w->contacts * (size_t)i;
    (void)error;
    arne_simulation_contact_forces(w->slots[i].simulation, row);
    return ARNE_OK;
}

void arne_simulations_forces(arne_simulations *w, double *out)
{
    const worlds_call call = {.worlds = w, .one = worlds_forces_one, .out = out};
    const arne_status never_fails = worlds_run(&call, NULL);
    (void)never_fails;
}

int              arne_simulations_count(const arne_simulations *w) { return w->count; }
arne_simulation *arne_simulations_world(const arne_simulations *w, int world)
{
    return w->slots[world].simulation;
}
arne_status arne_simulations_status(const arne_simulations *w, int world)
{
    return w->slots[world].status;
}
const double *arne_simulations_q(const arne_simulations *w) { return w->q; }
const double *arne_simulations_qd(const arne_simulations *w) { return w->qd; }
const double *arne_simulations_time(const arne_simulations *w) { return w->time; }
