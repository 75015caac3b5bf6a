// The algorithm texts over a tape.
#define ARNE_RECORD
#include "algo/run_call.h"
#include "base/error.h"
#include "codegen/functions.h"
#include "mechanism/loop_straight.k.h"
#include <arne/identify.h>
#include <stdlib.h>
#include <string.h>

// Memory of closed mechanisms.
typedef struct closed {
    loop_straight s;
    real         *tau, *qdd, *M, *A;
} closed;

// ---- of closed mechanisms ----

static void closed_forward_dynamics(const arne_robot *r, work *w, closed *c, const call *in,
                                    real *out)
{
    const int n = c->s.n, rank = c->s.rank, f = n - rank;
    int      *above = calloc((size_t)(f + 1), sizeof *above);
    if (!above) return;
    straight_rest(r, w, &c->s, in->in[ARNE_INPUT_q], in->in[ARNE_INPUT_qd], c->qdd);
    inverse_dynamics(r, w, in->in[ARNE_INPUT_q], in->in[ARNE_INPUT_qd], c->qdd, NULL, c->tau);
    for (int k = 0; k < n; k++)
        c->tau[k] = r_sub(in->in[ARNE_INPUT_tau][k], c->tau[k]);
    mass_matrix(r, w, in->in[ARNE_INPUT_q], c->M);
    straight_mass_matrix(&c->s, c->M, c->A);
    straight_torques(&c->s, c->tau);
    for (int k = 0; k < f; k++) {
        above[k] = k - 1; // dense
        out[k] = c->tau[c->s.order[rank + k]];
    }
    factor(f, above, c->A);
    factor_solve(f, above, c->A, out);
    for (int k = 0; k < n; k++)
        c->tau[k] = r_num(0);
    for (int k = 0; k < f; k++)
        c->tau[c->s.order[rank + k]] = out[k];
    straight_solve(&c->s, NULL, c->tau); // G times the independent accelerations
    for (int k = 0; k < n; k++)
        out[k] = r_add(c->qdd[k], c->tau[k]);
    free(above);
}

static void closed_regressor(const arne_robot *r, work *w, closed *c, const call *in, real *out)
{
    const int n = c->s.n, count = arne_parameter_count(r);
    regressor(r, w, in->in[ARNE_INPUT_q], in->in[ARNE_INPUT_qd], in->in[ARNE_INPUT_qdd],
              PARAMETERS_OF_LINKS, out);
    kinematics(r, w, in->in[ARNE_INPUT_q], NULL, NULL);
    straight_factor(r, w, &c->s);
    for (int p = 0; p < count; p++) {
        for (int k = 0; k < n; k++)
            c->tau[k] = out[k * count + p];
        straight_torques(&c->s, c->tau);
        for (int k = 0; k < n; k++)
            out[k * count + p] = c->tau[k];
    }
}

// False where it is that of the tree too.
static int run_closed(const request *ask, arne_algorithm f, work *w, closed *c, const call *in,
                      real *out)
{
    const arne_robot *r = ask->form;
    switch ((int)f) {
    case ARNE_ALGORITHM_INVERSE_DYNAMICS:
    case ARNE_ALGORITHM_GRAVITY:
        kinematics(r, w, in->in[ARNE_INPUT_q], NULL, NULL);
        straight_factor(r, w, &c->s);
        if (f == ARNE_ALGORITHM_GRAVITY)
            gravity(r, w, in->in[ARNE_INPUT_q], out);
        else
            inverse_dynamics(r, w, in->in[ARNE_INPUT_q], in->in[ARNE_INPUT_qd],
                             in->in[ARNE_INPUT_qdd], NULL, out);
        straight_torques(&c->s, out);
        return 1;
    case ARNE_ALGORITHM_BIAS:
        straight_rest(r, w, &c->s, in->in[ARNE_INPUT_q], in->in[ARNE_INPUT_qd], c->qdd);
        inverse_dynamics(r, w, in->in[ARNE_INPUT_q], in->in[ARNE_INPUT_qd], c->qdd, NULL, out);
        straight_torques(&c->s, out);
        return 1;
    case ARNE_ALGORITHM_MASS_MATRIX:
        kinematics(r, w, in->in[ARNE_INPUT_q], NULL, NULL);
        straight_factor(r, w, &c->s);
        mass_matrix(r, w, in->in[ARNE_INPUT_q], c->M);
        straight_mass_matrix(&c->s, c->M, out);
        return 1;
    case ARNE_ALGORITHM_FORWARD_DYNAMICS:
        closed_forward_dynamics(r, w, c, in, out);
        return 1;
    case ARNE_ALGORITHM_REGRESSOR:
        closed_regressor(r, w, c, in, out);
        return 1;
    default:
        return 0;
    }
}

// One block for all; NULL where there is no memory.
static void *closed_place(const request *ask, closed *c)
{
    const arne_robot *r = ask->form;
    const size_t      m = (size_t)r->loop_row_count, n = (size_t)r->v_count;
    const size_t      t = (size_t)r->tree_v_count, s = m > n ? m : n;
    const size_t      room = m * t + m * n + m * n + n * n + m + n + s + 2 * n + 2 * n * n;
    char             *block = calloc((size_t)r->loop_count + 1, sizeof(loop_tie));
    real             *at = calloc(room + 1, sizeof *at);
    memset(c, 0, sizeof *c);
    c->s.ties = (loop_tie *)(void *)block;
    c->s.m = (int)m;
    c->s.n = (int)n;
    c->s.rank = ask->dependent;
    c->s.order = ask->order;
    if (!block || !at) {
        free(block);
        free(at);
        c->s.ties = NULL;
        return NULL;
    }
    real **const part[] = {&c->s.tree_J, &c->s.J, &c->s.Q, &c->s.R, &c->s.row, &c->s.free,
                           &c->s.all,    &c->tau, &c->qdd, &c->M,   &c->A};
    const size_t size[] = {m * t, m * n, m * n, n * n, m, n, s, n, n, n * n, n * n};
    void        *memory = at;
    for (size_t i = 0; i < sizeof part / sizeof *part; at += size[i++])
        *part[i] = at;
    return memory;
}

// ---- recording ----

void *record_work(const arne_robot *r)
{
    const size_t size = (work_walk(r, NULL, NULL) / ARNE_ALIGNMENT + 1) * ARNE_ALIGNMENT;
    void        *memory = aligned_alloc(ARNE_ALIGNMENT, size);
    work        *w = memory;
    if (!w) return NULL;
    memset(memory, 0, size);
    work_walk(r, w, memory);
    work_start(r, w);
    return w;
}

// Outputs that were not requested have memory too: the kernels may write them.
static size_t room_of_outputs(const arne_robot *r, arne_algorithm f)
{
    const arne_algorithm_info *info = arne_catalogue_algorithm(function_algorithm(f));
    size_t                     room = 1;
    for (int i = 0; i < info->output_count; i++)
        room += arne_array_size(r, info->outputs[i].array);
    return room;
}

// The variables in the order of the inputs. Their values do not matter, but a quaternion of zeros
// would divide by zero.
static void recording_put_inputs(tape *t, const request *ask, arne_algorithm f, real *at, call *c)
{
    array_info arrays[MOST_INPUTS];
    const int  count = function_inputs(ask, f, arrays);
    for (int i = 0; i < count; i++) {
        c->in[arrays[i].array] = at;
        for (int k = 0; k < arrays[i].count; k++)
            *at++ = tape_variable(t, 0.5);
    }
}

static void put_outputs(const arne_robot *r, arne_algorithm f, real *at, call *c)
{
    const arne_algorithm_info *all = arne_catalogue_algorithm(function_algorithm(f)),
                              *own = function_info(f);
    for (int i = 0; i < all->output_count; i++) {
        c->out[all->outputs[i].array] = at;
        at += arne_array_size(r, all->outputs[i].array);
    }
    for (int i = 0; i < own->output_count; i++)
        c->wanted[own->outputs[i].array] = !own->outputs[i].on_request;
}

// The entries of one output from `start` on.
static void keep_results(tape *t, const call *c, const array_info *made, int start, int rows,
                         tape_ref *at)
{
    for (int row = 0; row < rows; row++)
        at[start + row] = tape_reference(t, c->out[made->array][row]);
}

// Runs the text, once for each frame that is asked for; what several need is recorded once.
static void run_function(tape *t, const request *ask, arne_algorithm f, arne_algorithm way,
                         const call *c, call_settings *settings, tape_ref *results)
{
    array_info made[MOST_OUTPUTS];
    const int  count = function_outputs(ask, f, made), frames = frame_count(ask, f);
    for (int i = 0; i < frames; i++) {
        tape_ref *at = results;
        settings->frame = first_frame(ask) + i;
        run_call((int)way, c);
        for (int k = 0; k < count; at += made[k++].count)
            keep_results(t, c, &made[k], i * (made[k].count / frames), made[k].count / frames, at);
    }
}

// Of a closed mechanism: what all such functions give is their first output. False where it is that
// of the tree too.
static int run_closed_function(tape *t, const request *ask, arne_algorithm f, const call *c,
                               closed *memory, tape_ref *results)
{
    array_info made[MOST_OUTPUTS];
    function_outputs(ask, f, made);
    if (!ask->order || !run_closed(ask, f, c->w, memory, c, c->out[made[0].array])) return 0;
    keep_results(t, c, &made[0], 0, made[0].count, results);
    return 1;
}

static arne_status recording_record_one(const request *ask, arne_algorithm f, arne_algorithm way,
                                        tape **out, tape_ref **results)
{
    array_info   in[MOST_INPUTS], made[MOST_OUTPUTS];
    const size_t in_count = (size_t)total_count(in, function_inputs(ask, f, in)),
                 count = (size_t)total_count(made, function_outputs(ask, f, made));
    call_settings settings = {.axes = ask->options->axes};
    tape         *t = *out = tape_new();
    *results = malloc(sizeof **results * (count + 1));
    work *w = record_work(ask->form);
    real *x = malloc(sizeof *x * (in_count + 1)),
         *y = calloc(room_of_outputs(ask->form, f), sizeof *y);
    closed memory;
    void  *block = closed_place(ask, &memory);
    if (t && *results && w && x && y && block) {
        call c = {.r = ask->form, .w = w, .settings = &settings};
        recording_put_inputs(t, ask, f, x, &c);
        put_outputs(ask->form, f, y, &c);
        if (!run_closed_function(t, ask, f, &c, &memory, *results))
            run_function(t, ask, f, way, &c, &settings, *results);
    }
    const int fine = t && *results && w && x && y && block && !t->failed;
    free(memory.s.ties);
    free(block);
    free(w);
    free(x);
    free(y);
    return fine ? ARNE_OK : ARNE_NO_MEMORY;
}

// ---- the cheapest way ----

// Whether the frames of bodies do not show in what it gives.
static int is_of_joints(arne_algorithm f)
{
    switch ((int)f) {
    case ARNE_ALGORITHM_INVERSE_DYNAMICS:
    case ARNE_ALGORITHM_GRAVITY:
    case ARNE_ALGORITHM_BIAS:
    case ARNE_ALGORITHM_MASS_MATRIX:
    case ARNE_ALGORITHM_INVERSE_MASS_MATRIX:
    case ARNE_ALGORITHM_FORWARD_DYNAMICS:
    case ARNE_ALGORITHM_TORQUE_RATE:
    case ARNE_ALGORITHM_INVERSE_DYNAMICS_DERIVATIVES:
    case ARNE_ALGORITHM_FORWARD_DYNAMICS_DERIVATIVES:
        return 1;
    default:
        return 0;
    }
}

// A division or a root takes about as long as that many others.
enum { COST_OF_DIVISION = 8, COST_OF_ANGLE = 20 };

int recording_cost(tape *t, const tape_ref *results, int count)
{
    char *needed = calloc((size_t)t->count + 1, 1);
    if (!needed) {
        t->failed = 1;
        return 0;
    }
    tape_mark(t, results, count, needed);
    const operation_counts c = tape_count_marked(t, needed);
    free(needed);
    return c.mul + c.add + COST_OF_DIVISION * (c.div + c.sqrt) + COST_OF_ANGLE * c.sincos;
}

arne_status record_function(const request *ask, arne_algorithm f, tape **out, tape_ref **results)
{
    array_info made[MOST_OUTPUTS];
    const int  count = total_count(made, function_outputs(ask, f, made));
    const int  forms = ask->screws && !ask->order && is_of_joints(f) ? 2 : 1;
    const int  ways = f == ARNE_ALGORITHM_FORWARD_DYNAMICS && !ask->order ? 2 : 1;
    int        best = -1;
    *out = NULL;
    *results = NULL;
    for (int i = 0; i < forms * ways; i++) {
        tape          *t = NULL;
        tape_ref      *found = NULL;
        request        own = *ask;
        arne_algorithm way = function_algorithm(f);
        if (i % ways) way = ARNE_ALGORITHM_FORWARD_DYNAMICS_MATRIX;
        if (i / ways) own.form = ask->screws;
        const arne_status status = recording_record_one(&own, f, way, &t, &found);
        const int         cost = status ? 0 : recording_cost(t, found, count);
        if (status || t->failed || best < 0 || cost < best) {
            tape_free(*out);
            free(*results);
            *out = t;
            *results = found;
            best = cost;
        } else {
            tape_free(t);
            free(found);
        }
        if (status || (*out)->failed) return ARNE_NO_MEMORY;
    }
    return ARNE_OK;
}

// ---- what it cannot have ----

arne_status generate_check_functions(const arne_robot *robot, arne_error *error)
{
    for (int i = 0; i < robot->follow_count; i++) {
        const follow_record *f = &robot_follows(robot)[i];
        if (f->function.kind == ARNE_FUNCTION_SPLINE && f->function.ends == ARNE_ENDS_PERIODIC)
            return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                             "joint '%s' follows by a periodic spline, which generated code does "
                             "not have",
                             arne_robot_joint(robot, f->joint).name);
    }
    return ARNE_OK;
}
