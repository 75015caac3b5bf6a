// Batches over arrays that lie as they will: the same numbers, to the last bit, as arrays in rows;
// and requests that are refused.
#include "testing.h"

#include "many.h"
#include <math.h>
#include <stdlib.h>

enum { STATES = 37 };

typedef struct plan {
    ptrdiff_t entry, state, first; // of an array of n entries
} plan;

// C order, C order with a gap, states backwards, entries backwards, rows with a gap
static plan layout_of(int kind, ptrdiff_t n)
{
    const plan all[] = {
        {1, n, 0}, {1, n + 3, 2}, {1, -n, (STATES - 1) * n}, {-1, n, n - 1}, {STATES + 5, 1, 0}};
    return all[kind];
}

enum { KINDS = 5, ROOM = (STATES + 8) };

static double *spread(const double *rows, size_t n, const plan *p, double **memory)
{
    *memory = calloc(ROOM * (n + 8) + 64, sizeof **memory);
    double *at = *memory + p->first;
    for (size_t i = 0; rows && i < n; i++)
        for (size_t s = 0; s < STATES; s++)
            at[(ptrdiff_t)i * p->entry + (ptrdiff_t)s * p->state] = rows[i * STATES + s];
    return at;
}

static void compare(const arne_robot *robot, arne_batch *batch, arne_algorithm a, int kind)
{
    const arne_algorithm_info *info = arne_catalogue_algorithm(a);
    problem                    p = new_problem(robot, STATES, STATES);
    const arne_batch_outputs   wanted = outputs_of(&p, a);
    arne_batch_layout          in_layout[ARNE_INPUT_COUNT], out_layout[ARNE_ARRAY_COUNT];
    arne_batch_inputs          in = p.in;
    arne_batch_outputs         out = {0};
    double                    *memory[ARNE_INPUT_COUNT + ARNE_ARRAY_COUNT] = {NULL};
    const double              *given[ARNE_INPUT_COUNT] = {
#define ARNE_INPUT(name, ...) p.in.name,
#define ARNE_INPUT_OUTPUT(name, ...) p.in.name,
#include <arne/catalogue.def>
    };
    double *const made[ARNE_ARRAY_COUNT] = {
#define ARNE_INPUT_OUTPUT(name, ...) [ARNE_ARRAY_##name] = wanted.name,
#define ARNE_OUTPUT(name, ...) [ARNE_ARRAY_##name] = wanted.name,
#include <arne/catalogue.def>
    };
    double *got[ARNE_ARRAY_COUNT] = {NULL};
    assert_ok(arne_batch_run(batch, a, &p.in, &wanted, STATES, NULL));
    in.input_layouts = in_layout;
    in.output_layouts = out_layout;
    for (int i = 0; i < ARNE_INPUT_COUNT; i++) {
        const size_t n = arne_array_size(robot, (arne_array)i);
        const plan   at = layout_of(kind, (ptrdiff_t)n);
        in_layout[i] = (arne_batch_layout){at.entry, at.state};
        if (given[i])
            arne_batch_set_input(&in, (arne_array)i, spread(given[i], n, &at, &memory[i]));
    }
    for (int i = 0; i < info->output_count; i++) {
        const arne_array o = info->outputs[i].array;
        const size_t     n = arne_array_size(robot, o);
        const plan       at = layout_of(kind, (ptrdiff_t)n);
        out_layout[o] = (arne_batch_layout){at.entry, at.state};
        got[o] = spread(NULL, n, &at, &memory[ARNE_INPUT_COUNT + o]);
        if (made[o]) arne_batch_set_output(&out, o, got[o]);
    }
    assert_ok(arne_batch_run(batch, a, &in, &out, STATES, NULL));
    for (int i = 0; i < info->output_count; i++) {
        const arne_array o = info->outputs[i].array;
        for (size_t k = 0; made[o] && k < arne_array_size(robot, o) * STATES; k++) {
            const double x = got[o][(ptrdiff_t)(k / STATES) * out_layout[o].entry +
                                    (ptrdiff_t)(k % STATES) * out_layout[o].state];
            assert_memory_equal(&x, &made[o][k], sizeof x);
        }
    }
    for (int i = 0; i < ARNE_INPUT_COUNT + ARNE_ARRAY_COUNT; i++)
        free(memory[i]);
    free_problem(&p);
}

static void layouts_leave_no_trace(void **unused)
{
    arne_robot *robot = read_robot("arm7", NULL);
    (void)unused;
    for (int width = 1; width <= 8; width *= 2) {
        if (!arne_batch_has_width(width)) continue;
        arne_batch *batch = new_batch(robot, width, 2);
        for (int a = 0; a < ARNE_ALGORITHM_COUNT; a++)
            for (int kind = 0; kind < KINDS; kind++)
                if (arne_catalogue_algorithm((arne_algorithm)a)->has & ARNE_HAS_BATCH &&
                    a != ARNE_ALGORITHM_BASE_ACCELERATION)
                    compare(robot, batch, (arne_algorithm)a, kind);
        arne_batch_free(batch);
    }
    arne_robot_free(robot);
}

// An input that all states share, and requests that cannot be.
static void one_for_all(void **unused)
{
    arne_robot        *robot = read_robot("arm7", NULL);
    arne_batch        *batch = new_batch(robot, 1, 1);
    arne_work         *work = new_work(robot);
    arne_batch_layout  in_layout[ARNE_INPUT_COUNT], out_layout[ARNE_ARRAY_COUNT];
    double             q[7] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}, g[7], tau[7 * STATES];
    arne_batch_inputs  in = {.q = q, .input_layouts = in_layout, .output_layouts = out_layout};
    arne_batch_outputs out = {.tau = tau};
    arne_error         error;
    (void)unused;
    for (int i = 0; i < ARNE_INPUT_COUNT; i++)
        in_layout[i] = (arne_batch_layout){1, 0};
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++)
        out_layout[i] = (arne_batch_layout){1, 7};
    assert_ok(arne_batch_run(batch, ARNE_ALGORITHM_GRAVITY, &in, &out, STATES, &error));
    arne_gravity(robot, work, q, g);
    for (int i = 0; i < 7 * STATES; i++)
        assert_true(fabs(tau[i] - g[i % 7]) < 1e-10);

    out_layout[ARNE_ARRAY_tau].state = 0;
    assert_int_equal(arne_batch_run(batch, ARNE_ALGORITHM_GRAVITY, &in, &out, STATES, &error),
                     ARNE_VALUE);
    assert_string_equal(error.text, "tau has one place for all states");
    out_layout[ARNE_ARRAY_tau].state = 7;
    in.q = tau + 7 * STATES - 7;
    assert_int_equal(arne_batch_run(batch, ARNE_ALGORITHM_GRAVITY, &in, &out, STATES, &error),
                     ARNE_VALUE);
    assert_string_equal(error.text, "tau overlaps q");
    in.q = q;
    out_layout[ARNE_ARRAY_tau].state = PTRDIFF_MAX / 4;
    assert_int_equal(arne_batch_run(batch, ARNE_ALGORITHM_GRAVITY, &in, &out, STATES, &error),
                     ARNE_TOO_LARGE);
    arne_work_free(work);
    arne_batch_free(batch);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(layouts_leave_no_trace),
                                       cmocka_unit_test(one_for_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
