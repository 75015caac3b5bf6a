// A quantity of the catalogue at one state, as the run of a sweep: {compute: NAME, robot: FILE, q:
// ..., qd: ..., ...}. Its results are one row of a table: tau.JOINT, M.0.1.
#include "sweep/sweep.h"
#include <arne/batch.h>
#include <arne/configuration.h>
#include <arne/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct quantity {
    arne_sweep                *s;
    reader                     reader;
    arne_robot                *robot;
    const arne_algorithm_info *info;
    double                    *inputs[ARNE_INPUT_COUNT], *outputs[ARNE_ARRAY_COUNT];
    int                        frame;
} quantity;

static const char *sweep_compute_algorithm_name(const void *unused, int index)
{
    (void)unused;
    return arne_catalogue_algorithm((arne_algorithm)index)->name;
}

static arne_status find_algorithm(quantity *q, const doc_slot *map)
{
    const doc_slot slot = doc_under(map, "compute");
    const char    *name = NULL;
    arne_status    status = doc_text(&slot, &name);
    if (status) return status;
    q->s->algorithm = arne_catalogue_find_algorithm(name);
    q->info = arne_catalogue_algorithm(q->s->algorithm);
    if (q->info && (q->info->has & ARNE_HAS_BATCH)) return ARNE_OK;
    char near[200];
    arne_near_matches(name, sweep_compute_algorithm_name, NULL, ARNE_ALGORITHM_COUNT, near,
                      sizeof near);
    return doc_fail(&slot, ARNE_NOT_FOUND, "'%.80s' is no quantity that can be swept%s", name,
                    near);
}

static arne_status sweep_compute_check_keys(const quantity *q, const doc_slot *map)
{
    arne_status status = ARNE_OK;
    for (const doc_item *i = map->value->first; i && status_goes_on(status); i = i->next) {
        const arne_array a = arne_catalogue_find_array(i->key);
        const int        known = strcmp(i->key, "compute") == 0 || strcmp(i->key, "robot") == 0 ||
                          strcmp(i->key, "frame") == 0 || (int)a < ARNE_INPUT_COUNT;
        if (!known)
            status =
                status_both(status, arne_reader_fail_at(&q->reader, ARNE_VALUE, i->line, i->column,
                                                        "run: unknown key '%.80s'", i->key));
    }
    return status;
}

// As for `arne compute`: neutral positions, and zeros.
static int has_default(int input)
{
    return input == ARNE_INPUT_q || input == ARNE_INPUT_qd || input == ARNE_INPUT_qdd ||
           input == ARNE_INPUT_tau;
}

// An input: by joint where it runs along coordinates, else a list.
static arne_status read_input(quantity *q, const doc_slot *map, int input)
{
    const arne_array_info *info = arne_catalogue_array((arne_array)input);
    const doc_slot         slot = doc_under(map, info->name);
    const size_t           size = arne_array_size(q->robot, (arne_array)input);
    const int              needed = (q->info->needs >> input & 1u) != 0;
    if (!slot.value && !needed && !(q->info->may >> input & 1u)) return ARNE_OK;
    if (!slot.value && !has_default(input) && needed) return doc_missing(map, info->name);
    if (!slot.value && !needed) return ARNE_OK;
    q->inputs[input] = calloc(size + 1, sizeof(double));
    if (!q->inputs[input]) return arne_fail_memory(q->reader.error);
    if (info->shape[0] == ARNE_EXTENT_Q) arne_neutral(q->robot, q->inputs[input]);
    if (!slot.value) return ARNE_OK;
    if (info->shape[1] == ARNE_EXTENT_1 &&
        (info->shape[0] == ARNE_EXTENT_Q || info->shape[0] == ARNE_EXTENT_V))
        return doc_values(&slot, q->robot,
                          info->shape[0] == ARNE_EXTENT_Q ? DOC_ALONG_Q : DOC_ALONG_V,
                          q->inputs[input], NULL);
    return doc_numbers(&slot, (int)size, q->inputs[input]);
}

arne_status sweep_check_quantity(arne_sweep *s)
{
    quantity          q = {.s = s, .reader = s->reader};
    const doc_slot    map = {&s->reader, "run", "", s->run_node};
    const arne_status status = find_algorithm(&q, &map);
    return status_goes_on(status) ? status_both(status, sweep_compute_check_keys(&q, &map))
                                  : status;
}

static arne_status read_state(quantity *q, const doc_slot *map)
{
    const doc_slot frame = doc_under(map, "frame");
    arne_status    status = sweep_compute_check_keys(q, map);
    if (frame.value) status = status_both(status, doc_frame(&frame, q->robot, &q->frame));
    if ((q->info->takes & ARNE_TAKES_FRAME) && !frame.value)
        status = status_both(status, doc_missing(map, "frame"));
    for (int i = 0; i < ARNE_INPUT_COUNT && status_goes_on(status); i++)
        status = status_both(status, read_input(q, map, i));
    return status;
}

// The name of a joint for a coordinate that is all of the joint's.
static const char *sweep_compute_joint_of(const arne_robot *robot, arne_extent extent, size_t index)
{
    if (extent != ARNE_EXTENT_V && extent != ARNE_EXTENT_Q) return NULL;
    for (int j = 0; j < arne_robot_sizes(robot).joint_count; j++) {
        const arne_joint_info i = arne_robot_joint(robot, j);
        if (extent == ARNE_EXTENT_V && i.v_count == 1 && (size_t)i.v_start == index) return i.name;
        if (extent == ARNE_EXTENT_Q && i.q_count == 1 && (size_t)i.q_start == index) return i.name;
    }
    return NULL;
}

static arne_status sweep_compute_add_columns(const quantity *q, arne_array array, arne_table *t)
{
    const arne_array_info *info = arne_catalogue_array(array);
    size_t                 size[ARNE_SHAPE], all = 1;
    arne_status            status = ARNE_OK;
    for (int k = 0; k < ARNE_SHAPE; k++)
        all *= size[k] = arne_extent_size(q->robot, info->shape[k]);
    for (size_t n = 0; n < all && !status; n++) {
        char   name[512];
        size_t used = (size_t)snprintf(name, sizeof name, "%.60s", info->name), rest = n,
               below = all;
        for (int k = 0; k < ARNE_SHAPE; k++) {
            below /= size[k];
            const size_t at = rest / below;
            rest %= below;
            if (info->shape[k] == ARNE_EXTENT_1 || size[k] == 0) continue;
            const char *joint = sweep_compute_joint_of(q->robot, info->shape[k], at);
            used += (size_t)(joint ? snprintf(name + used, sizeof name - used, ".%.120s", joint)
                                   : snprintf(name + used, sizeof name - used, ".%zu", at));
        }
        status = arne_table_add_column(t, name, info->unit);
    }
    return status;
}

static arne_status sweep_compute_run(quantity *q, arne_table *t, arne_error *error)
{
    const arne_batch_options one = {.width = 1, .threads = 1};
    arne_batch_inputs        in = {.frame = q->frame};
    arne_batch_outputs       out = {0};
    arne_batch              *batch = NULL;
    double *row = calloc((size_t)arne_table_columns(t) + 1, sizeof *row), *at = row;
    for (int i = 0; i < ARNE_INPUT_COUNT; i++)
        if (q->inputs[i]) arne_batch_set_input(&in, (arne_array)i, q->inputs[i]);
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++)
        if (q->outputs[i]) arne_batch_set_output(&out, (arne_array)i, q->outputs[i]);
    arne_status status =
        row ? arne_batch_new(q->robot, &one, &batch, error) : arne_fail_memory(error);
    if (!status) status = arne_batch_run(batch, q->s->algorithm, &in, &out, 1, error);
    for (int k = 0; k < q->info->output_count && !status; k++) {
        const arne_array array = q->info->outputs[k].array;
        if (!q->outputs[array]) continue;
        const size_t size = arne_array_size(q->robot, array);
        memcpy(at, q->outputs[array], size * sizeof *at);
        at += size;
    }
    if (!status && arne_table_append(t, row)) status = arne_fail_memory(error);
    arne_batch_free(batch);
    free(row);
    return status;
}

// The outputs that the inputs at hand suffice for.
static arne_status sweep_compute_make_table(quantity *q, arne_table **out, arne_error *error)
{
    unsigned    have = 0;
    arne_status status = arne_table_new(out);
    for (unsigned i = 0; i < ARNE_INPUT_COUNT; i++)
        if (q->inputs[i]) have |= 1u << i;
    for (int k = 0; k < q->info->output_count && !status; k++) {
        const arne_algorithm_output *o = &q->info->outputs[k];
        if (o->on_request || (o->needs & ~have) || !arne_catalogue_array(o->array)->is_batched)
            continue;
        q->outputs[o->array] = calloc(arne_array_size(q->robot, o->array) + 1, sizeof(double));
        status =
            q->outputs[o->array] ? sweep_compute_add_columns(q, o->array, *out) : ARNE_NO_MEMORY;
    }
    return status ? arne_fail(error, status, NULL, 0, "%s", arne_status_text(status)) : ARNE_OK;
}

static arne_status sweep_compute_build(quantity *q, arne_error *error)
{
    arne_builder *builder = NULL;
    if (arne_builder_new(&builder)) return arne_fail_memory(error);
    arne_status status = arne_read_given(builder, q->s->robot_path, &q->s->given, NULL, error);
    const arne_status built = status == ARNE_NO_MEMORY
                                  ? status
                                  : arne_builder_finish(builder, &q->s->build, &q->robot, error);
    arne_builder_free(builder);
    return built ? built : status;
}

// All that was found, for those who want to hear it.
static arne_status pass_on(const findings *found, findings *to)
{
    for (int i = 0; to && i < found->count; i++)
        if (!findings_add(to, &found->item[i], found->item[i].file, found->item[i].text))
            return ARNE_NO_MEMORY;
    return ARNE_OK;
}

arne_status sweep_compute(arne_sweep *s, int evaluate, findings *to, arne_table **out,
                          arne_error *error)
{
    arne_error own;
    findings   found = {0};
    quantity   q = {.s = s, .frame = -1};
    document   doc;
    *out = NULL;
    arne_error_clear(error);
    arne_error_clear(&own);
    if (document_copy(&s->run_tree, &doc)) return arne_fail_memory(error);
    q.reader = (reader){.file = s->run_path, .found = &found, .error = &own, .document = &doc};
    const doc_slot map = {&q.reader, "run", "", doc.root};
    arne_status    status = find_algorithm(&q, &map);
    if (!status) status = doc_check(&map, sweep_compute_build(&q, &own));
    q.reader.robot = q.robot;
    if (!status) status = read_state(&q, &map);
    if (!status) status = doc_check(&map, sweep_compute_make_table(&q, out, &own));
    if (!status && evaluate) status = doc_check(&map, sweep_compute_run(&q, *out, &own));
    if (pass_on(&found, to)) status = arne_fail_memory(error);
    status = arne_reader_end(&q.reader, status, error);
    for (int i = 0; i < ARNE_INPUT_COUNT; i++)
        free(q.inputs[i]);
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++)
        free(q.outputs[i]);
    arne_robot_free(q.robot);
    findings_free(&found);
    document_free(&doc);
    if (!status) return ARNE_OK;
    arne_table_free(*out);
    *out = NULL;
    return status;
}
