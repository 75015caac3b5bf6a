// Many states in the lanes of registers and on all cores: batches of the library that are lent to
// calls.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): getpid
#include "many.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- batches that are lent ----

static atomic_int wanted_threads;

void lanes_set_threads(int threads) { atomic_store(&wanted_threads, threads); }
int  lanes_threads(void) { return atomic_load(&wanted_threads); }

void lanes_free(lanes *l)
{
    if (!l) return;
    if (l->process == getpid())
        arne_batch_free(l->batch); // else its threads are not there to be ended
    free(l);
}

arne_status lanes_take(robot_object *self, lanes **out, arne_error *error)
{
    const int threads = lanes_threads();
    lanes    *l = atomic_exchange(&self->lanes, NULL);
    if (l && l->process == getpid() && l->threads == threads) {
        *out = l;
        return ARNE_OK;
    }
    lanes_free(l);
    const arne_batch_options options = {.threads = threads};
    *out = l = calloc(1, sizeof *l);
    if (!l) return ARNE_NO_MEMORY;
    l->process = getpid();
    l->threads = threads;
    const arne_status status = arne_batch_new(self->robot, &options, &l->batch, error);
    if (status) {
        free(l);
        *out = NULL;
    }
    return status;
}

void lanes_give(robot_object *self, lanes *l) { lanes_free(atomic_exchange(&self->lanes, l)); }

// ---- states ----

// The algorithm whose batch form computes what is asked for.
static arne_algorithm batch_algorithm(const request *r)
{
    return r->m->algorithm == ARNE_ALGORITHM_FORWARD_DYNAMICS && r->what.matrix
               ? ARNE_ALGORITHM_FORWARD_DYNAMICS_MATRIX
               : r->m->algorithm;
}

int lanes_can(const request *r)
{
    return !r->self->closed && !r->what.each_torque && !r->what.holding &&
           (arne_catalogue_algorithm(r->m->algorithm)->has & ARNE_HAS_BATCH) != 0;
}

// The numbers of states in messages count from the first of all.
static void count_from(Py_ssize_t first, arne_error *error)
{
    unsigned long long at;
    int                length = 0;
    char               text[sizeof error->text];
    memcpy(text, error->text, sizeof text);
    if (sscanf(text, "state %llu:%n", &at, &length) == 1 && length)
        snprintf(error->text, sizeof error->text, "state %llu:%.400s",
                 at + (unsigned long long)first, text + length);
    else if (first)
        snprintf(error->text, sizeof error->text, "state %lld: %.400s", (long long)first, text);
}

arne_status lanes_run(const run *u, lanes *l, Py_ssize_t first, Py_ssize_t count, arne_error *error)
{
    const request     *r = u->r;
    const asked       *what = &r->what;
    arne_batch_layout  in_layout[ARNE_INPUT_COUNT], out_layout[ARNE_ARRAY_COUNT];
    arne_batch_inputs  in = asked_inputs(what);
    arne_batch_outputs out = {0};
    in.input_layouts = in_layout;
    in.output_layouts = out_layout;
    for (int i = 0; i < ARNE_INPUT_COUNT; i++) {
        const array *a = &u->in[i];
        in_layout[i] = (arne_batch_layout){a->entry, a->state};
        if (a->at) arne_batch_set_input(&in, (arne_array)i, a->at + first * a->state);
    }
    for (int i = 0; i < r->m->output_count; i++) {
        const array *a = &u->out[i];
        out_layout[r->m->outputs[i]] = (arne_batch_layout){a->entry, a->state};
        arne_batch_set_output(&out, r->m->outputs[i], a->at + first * a->state);
    }
    if (what->base_moves)
        arne_batch_set_base(l->batch, &what->base, &what->base_velocity, &what->base_acceleration,
                            &what->base_jerk);
    const arne_status status =
        arne_batch_run(l->batch, batch_algorithm(r), &in, &out, (size_t)count, error);
    if (what->base_moves) arne_batch_set_base(l->batch, NULL, NULL, NULL, NULL);
    if (status) count_from(first, error);
    return status;
}
