#include "compute_many.h"

#include "message.h"

#include <arne/builder.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORTH_WHILE = 64, MOST_FIELDS = 8 };

typedef struct array_field {
    const arne_array_info *info;
    arne_array             array;
    size_t                 rows;
    double                *value;
} array_field;

struct many {
    size_t      count;
    double     *in;
    array_field field[MOST_FIELDS];
    int         field_count;
};

int many_is_worth(int count) { return count >= WORTH_WHILE; }

// The parts of all states, and the wrenches, which are the same for all.
static void compute_many_gather(many *m, const request *ask, const state *states,
                                arne_batch_inputs *in)
{
    const size_t wrench = ask->f_ext ? arne_array_size(ask->robot, ARNE_ARRAY_f_ext) : 0;
    size_t       rows = wrench;
    for (int p = 0; p < PART_COUNT; p++)
        rows += arne_array_size(ask->robot, (arne_array)p);
    double *at = m->in = need(rows * m->count, sizeof *m->in);
    for (int p = 0; p < PART_COUNT; p++) { // in the order of the catalogue
        const size_t size = arne_array_size(ask->robot, (arne_array)p);
        arne_batch_set_input(in, (arne_array)p, at);
        for (size_t s = 0; s < m->count; s++)
            for (size_t i = 0; i < size; i++)
                at[i * m->count + s] = states[s].part[p][i];
        at += size * m->count;
    }
    const double *f = (const double *)(const void *)ask->f_ext;
    if (f) in->f_ext = at;
    for (size_t i = 0; i < wrench * m->count; i++)
        *at++ = f[i / m->count];
}

static void make_room(many *m, const arne_algorithm_info *info, const request *ask,
                      arne_batch_outputs *out)
{
    const int rate = info->takes & ARNE_TAKES_RATE && ask->rate;
    for (int i = 0; i < info->output_count && m->field_count < MOST_FIELDS; i++) {
        if (info->outputs[i].on_request && !rate) continue;
        array_field *f = &m->field[m->field_count++];
        f->array = info->outputs[i].array;
        f->info = arne_catalogue_array(f->array);
        f->rows = arne_array_size(ask->robot, f->array);
        f->value = need(f->rows * m->count, sizeof *f->value);
        arne_batch_set_output(out, f->array, f->value);
    }
}

many *many_make(const quantity *what, const request *ask, const state *first, int count,
                const base_motion *base, arne_status *status, arne_error *error)
{
    const arne_algorithm algorithm =
        ask->matrix && what->algorithm == ARNE_ALGORITHM_FORWARD_DYNAMICS
            ? ARNE_ALGORITHM_FORWARD_DYNAMICS_MATRIX
            : what->algorithm;
    const arne_batch_options single = {.width = many_is_worth(count) ? 0 : 1, .threads = 1};
    arne_batch_inputs        in = {.loads = ask->loads,
                                   .load_count = ask->load_count,
                                   .frame = ask->frame_count ? ask->frames[0] : 0,
                                   .axes = ask->axes,
                                   .given = ask->given};
    arne_batch_outputs       out = {0};
    arne_batch              *batch;
    *status = arne_batch_new(ask->robot, &single, &batch, error);
    if (*status != ARNE_OK) return NULL;
    if (arne_robot_base(ask->robot) != ARNE_BASE_FREE)
        arne_batch_set_base(batch, &base->pose, &base->motion[0], &base->motion[1],
                            &base->motion[2]);
    many *m = need(1, sizeof *m);
    m->count = (size_t)count;
    compute_many_gather(m, ask, first, &in);
    make_room(m, arne_catalogue_algorithm(algorithm), ask, &out);
    *status = arne_batch_run(batch, algorithm, &in, &out, m->count, error);
    arne_batch_free(batch);
    if (*status == ARNE_OK) return m;
    many_free(m);
    return NULL;
}

static axis_kind axis_of(arne_extent extent)
{
    switch (extent) {
    case ARNE_EXTENT_3:
        return AXIS_XYZ;
    case ARNE_EXTENT_6:
        return AXIS_TWIST;
    case ARNE_EXTENT_Q:
        return AXIS_Q;
    case ARNE_EXTENT_V:
        return AXIS_V;
    case ARNE_EXTENT_PARAMETERS:
        return AXIS_PARAMETER;
    default:
        return AXIS_ONE;
    }
}

// Zero times what is not finite is not zero.
int many_is_finite(const many *m)
{
    double sum = 0;
    for (int i = 0; i < m->field_count; i++)
        for (size_t k = 0; k < m->field[i].rows * m->count; k++)
            sum += 0 * m->field[i].value[k];
    return sum == 0;
}

void time_field(const state *at, result *out)
{
    if (!isnan(at->time)) *result_add(out, "time", AXIS_ONE, AXIS_ONE) = at->time;
}

void many_fields(const many *m, int index, result *out)
{
    for (int i = 0; i < m->field_count; i++) {
        const array_field *f = &m->field[i];
        double            *value =
            result_add(out, f->info->name, axis_of(f->info->shape[0]), axis_of(f->info->shape[1]));
        for (size_t row = 0; row < f->rows; row++)
            value[row] = f->value[row * m->count + (size_t)index];
    }
}

void many_free(many *m)
{
    if (!m) return;
    free(m->in);
    for (int i = 0; i < m->field_count; i++)
        free(m->field[i].value);
    free(m);
}
