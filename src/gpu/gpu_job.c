#include "gpu/gpu_job.h"
#include "base/error.h"
#include "robot/robot.h"
#include <math.h>
#include <stdint.h>

static const char *gpu_job_name_of(int array)
{
    return arne_catalogue_array((arne_array)array)->name;
}

static arne_batch_layout gpu_job_lay_out(const gpu_job *job, const arne_batch_layout *given,
                                         int array)
{
    const arne_batch_layout rows = {(ptrdiff_t)job->count, 1};
    return given ? given[array] : rows;
}

// The first byte of an array and the one behind its last.
typedef struct span {
    uintptr_t from, to;
} span;

static span span_of(const gpu_job *job, const void *at, size_t rows, arne_batch_layout layout)
{
    const ptrdiff_t size = (ptrdiff_t)job->entry;
    const ptrdiff_t reach[2] = {((ptrdiff_t)rows - 1) * layout.entry * size,
                                ((ptrdiff_t)job->count - 1) * layout.state * size};
    span            s = {(uintptr_t)at, (uintptr_t)at + job->entry};
    for (int i = 0; i < 2; i++) {
        if (reach[i] < 0)
            s.from += (uintptr_t)reach[i];
        else
            s.to += (uintptr_t)reach[i];
    }
    return s;
}

static arne_status check_array(const gpu_job *job, const char *name, const void *at, size_t rows,
                               arne_error *error)
{
    if ((uintptr_t)at % job->entry)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "%s is not aligned to %zu bytes", name,
                         job->entry);
    if (job->count > SIZE_MAX / 4 / job->entry / (rows + 1))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "%s: %zu states are too many", name,
                         job->count);
    return ARNE_OK;
}

static arne_status gpu_job_take_inputs(const arne_robot *robot, const arne_gpu_inputs *inputs,
                                       unsigned needs, gpu_job *job, arne_error *error)
{
    const void *const given[ARNE_INPUT_COUNT] = {
#define ARNE_INPUT(name, ...) inputs->name,
#define ARNE_INPUT_OUTPUT(name, ...) inputs->name,
#include <arne/catalogue.def>
    };
    arne_status status = ARNE_OK;
    size_t      at = 0;
    for (int i = 0; i < ARNE_INPUT_COUNT && !status; i++) {
        if (!(needs >> i & 1)) continue;
        if (!given[i])
            return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s is NULL", gpu_job_name_of(i));
        job->in[i] = given[i];
        job->in_layout[i] = gpu_job_lay_out(job, inputs->input_layouts, i);
        job->in_rows[i] = (unsigned)arne_array_size(robot, (arne_array)i);
        if (inputs->every_step >> i & 1) {
            job->step_rows[i] = job->in_rows[i];
            job->in_rows[i] *= (unsigned)job->steps;
        }
        job->in_at[i] = (unsigned)at;
        at += job->in_rows[i];
        status = check_array(job, gpu_job_name_of(i), given[i], job->in_rows[i], error);
    }
    return status;
}

static arne_status gpu_job_take_outputs(const arne_robot *robot, const arne_gpu_outputs *outputs,
                                        const arne_batch_layout   *layouts,
                                        const arne_algorithm_info *info, gpu_job *job,
                                        arne_error *error)
{
    void *const given[ARNE_ARRAY_COUNT] = {
#define ARNE_INPUT_OUTPUT(name, ...) [ARNE_ARRAY_##name] = outputs->name,
#define ARNE_OUTPUT(name, ...) [ARNE_ARRAY_##name] = outputs->name,
#include <arne/catalogue.def>
    };
    arne_status status = ARNE_OK;
    size_t      at = 0;
    int         wanted = 0;
    for (int i = 0; i < info->output_count; i++) {
        const arne_array array = info->outputs[i].array;
        job->out[array] = given[array];
        job->out_layout[array] = gpu_job_lay_out(job, layouts, (int)array);
        job->out_rows[array] = (unsigned)arne_array_size(robot, array);
        job->out_at[array] = (unsigned)at;
        at += job->out_rows[array];
    }
    for (int i = 0; i < ARNE_ARRAY_COUNT && !status; i++) {
        if (!given[i]) continue;
        if (!job->out[i])
            return arne_fail(error, ARNE_VALUE, NULL, 0, "%s is not made by %s", gpu_job_name_of(i),
                             info->name);
        status = check_array(job, gpu_job_name_of(i), given[i], job->out_rows[i], error);
        wanted = 1;
    }
    if (!status && !wanted)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "all outputs are NULL");
    return status;
}

static int gpu_job_overlap(const gpu_job *job, int output, int other, int is_input)
{
    const void  *a = job->out[output], *b = is_input ? job->in[other] : job->out[other];
    const size_t rows = is_input ? job->in_rows[other] : job->out_rows[other];
    if (!a || !b || !rows || !job->out_rows[output]) return 0;
    const span x = span_of(job, a, job->out_rows[output], job->out_layout[output]);
    const span y = span_of(job, b, rows, is_input ? job->in_layout[other] : job->out_layout[other]);
    return x.from < y.to && y.from < x.to;
}

static arne_status check_overlaps(const gpu_job *job, arne_error *error)
{
    for (int o = 0; o < ARNE_ARRAY_COUNT; o++) {
        for (int i = 0; i < ARNE_INPUT_COUNT; i++)
            if (gpu_job_overlap(job, o, i, 1))
                return arne_fail(error, ARNE_VALUE, NULL, 0, "%s overlaps %s", gpu_job_name_of(o),
                                 gpu_job_name_of(i));
        for (int i = 0; i < o; i++)
            if (gpu_job_overlap(job, o, i, 0))
                return arne_fail(error, ARNE_VALUE, NULL, 0, "%s overlaps %s", gpu_job_name_of(o),
                                 gpu_job_name_of(i));
    }
    return ARNE_OK;
}

// ---- rollouts ----

static arne_status check_factors(const arne_robot *r, const double *k, const char *name,
                                 arne_error *error)
{
    for (int i = 0; k && i < r->v_count; i++)
        if (!isfinite(k[i]))
            return arne_fail(error, ARNE_VALUE, NULL, 0, "%s[%d] is not finite", name, i);
    return ARNE_OK;
}

static arne_status check_world(const arne_gpu_inputs *in, arne_error *error)
{
    const arne_gpu_field *f = in->field;
    const char           *why = NULL;
    if ((in->kp && in->stiffness) || (in->kd && in->damping))
        why = "stiffness and damping take the place of kp and kd: give one of them";
    else if ((in->kp || in->kd) && (in->stiffness || in->damping))
        why = "gains are those of each state, stiffness and damping, or of all, kp and kd";
    else if (in->sweeps < 0)
        why = "sweeps must not be negative";
    else if (!in->ground && (in->sweeps || f || in->left_out))
        why = "sweeps, field and left_out are for rollouts with ground";
    else if (f && (!f->heights || f->rows < 2 || f->columns < 2 || !(f->spacing[0] > 0) ||
                   !(f->spacing[1] > 0)))
        why = "a height field has two rows and columns or more, and positive spacing";
    else if (!(in->limit_stiffness >= 0) || !(in->limit_damping >= 0) ||
             !isfinite(in->limit_stiffness) || !isfinite(in->limit_damping))
        why = "limit_stiffness and limit_damping must not be negative";
    else if (!in->restart != !in->q_start || !in->restart != !in->qd_start)
        why = "restart, q_start and qd_start go together";
    return why ? arne_fail(error, ARNE_VALUE, NULL, 0, "%s", why) : ARNE_OK;
}

static arne_status check_policy(const arne_robot *r, const arne_gpu_policy *p, arne_error *error)
{
    if (!p->weights || !p->most)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "policy: %s is NULL",
                         p->weights ? "most" : "weights");
    if (p->hidden < 0 || p->hidden > 1024 || p->holds < 0)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "policy: from 0 to 1024 hidden units, and holds of 0 or more");
    return check_factors(r, p->most, "policy: most", error);
}

static arne_status check_rollout(const arne_robot *r, const arne_gpu_inputs *in, arne_error *error)
{
    const unsigned may = 1u << ARNE_INPUT_tau | 1u << ARNE_INPUT_q_ref | 1u << ARNE_INPUT_qd_ref;
    if (in->steps < 1) return arne_fail(error, ARNE_VALUE, NULL, 0, "steps is %d", in->steps);
    if (!isfinite(in->dt)) return arne_fail(error, ARNE_VALUE, NULL, 0, "dt is not finite");
    if (in->method != ARNE_METHOD_EULER && in->method != ARNE_METHOD_RK4)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "method %d: a rollout steps by ARNE_METHOD_EULER or ARNE_METHOD_RK4",
                         (int)in->method);
    if (in->every_step & ~may)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "every_step: only tau, q_ref and qd_ref can be given for every step");
    if (in->every_step && in->steps > INT32_MAX / (r->q_count + 1))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "%d steps of arrays are too many", in->steps);
    arne_status status = check_factors(r, in->kp, "kp", error);
    if (!status) status = check_factors(r, in->kd, "kd", error);
    if (!status) status = check_world(in, error);
    return !status && in->policy ? check_policy(r, in->policy, error) : status;
}

// Inputs that it reads: those of the algorithm, of what it makes without request, and of a
// controller.
static unsigned inputs_of(const arne_algorithm_info *info, const arne_gpu_inputs *in)
{
    unsigned needs = info->needs;
    for (int i = 0; i < info->output_count; i++)
        if (!info->outputs[i].on_request) needs |= info->outputs[i].needs;
    if (info->takes & ARNE_TAKES_STEPS) {
        const void *const given[ARNE_INPUT_COUNT] = {
#define ARNE_INPUT(name, ...) in->name,
#define ARNE_INPUT_OUTPUT(name, ...) in->name,
#include <arne/catalogue.def>
        };
        const unsigned follows = 1u << ARNE_INPUT_q_ref | 1u << ARNE_INPUT_qd_ref;
        for (int i = 0; i < ARNE_INPUT_COUNT; i++)
            if (info->may & ~follows & 1u << i && given[i]) needs |= 1u << i;
        if (in->kp || in->stiffness || in->policy) needs |= 1u << ARNE_INPUT_q_ref;
        if ((in->kd || in->damping || in->policy) && in->qd_ref) needs |= 1u << ARNE_INPUT_qd_ref;
    }
    return needs;
}

static arne_status take_frame(const arne_robot *robot, const arne_algorithm_info *info,
                              const arne_gpu_inputs *inputs, gpu_job *job, arne_error *error)
{
    if (info->takes & ARNE_TAKES_AXES && (unsigned)inputs->axes > ARNE_AXES_ALIGNED)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there are no axes %d", (int)inputs->axes);
    if (info->takes & ARNE_TAKES_NO_WORLD_AXES && inputs->axes == ARNE_AXES_WORLD)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "%s has no world axes", info->name);
    if (!(info->takes & ARNE_TAKES_FRAME)) return ARNE_OK;
    if (inputs->frame < 0 || inputs->frame >= robot->frame_count)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no frame %d", inputs->frame);
    const arne_frame_info *frame = &robot_frames(robot)[inputs->frame].info;
    job->body = frame->body;
    job->frame = frame->pose;
    job->frame_index = inputs->frame;
    return ARNE_OK;
}

// All but the arrays.
static arne_status start_job(const arne_robot *robot, arne_precision precision,
                             arne_algorithm algorithm, const arne_gpu_inputs *inputs, size_t count,
                             gpu_job *job, arne_error *error)
{
    const arne_algorithm_info *info = arne_catalogue_algorithm(algorithm);
    if (!info)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no algorithm %d", (int)algorithm);
    if (!(info->has & ARNE_HAS_GPU))
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "%s does not run on a GPU", info->name);
    *job = (gpu_job){.count = count,
                     .entry = precision == ARNE_PRECISION_FLOAT ? sizeof(float) : sizeof(double),
                     .algorithm = (int)algorithm,
                     .on_device = inputs->on_device,
                     .steps = inputs->steps,
                     .dt = inputs->dt,
                     .axes = info->takes & ARNE_TAKES_AXES ? (int)inputs->axes : 0};
    arne_status status = ARNE_OK;
    if (info->takes & ARNE_TAKES_STEPS) {
        status = check_rollout(robot, inputs, error);
        job->method = (int)inputs->method;
        job->kp = inputs->kp;
        job->kd = inputs->kd;
        job->has_stiffness = inputs->kp || inputs->stiffness;
        job->has_damping = inputs->kd || inputs->damping;
        job->own_gains = inputs->stiffness || inputs->damping;
        job->sweeps = inputs->sweeps;
        job->left_out = inputs->left_out;
        job->field = inputs->field;
        job->policy = inputs->policy;
        job->limit_stiffness = inputs->limit_stiffness;
        job->limit_damping = inputs->limit_damping;
    } else if (inputs->every_step)
        status = arne_fail(error, ARNE_VALUE, NULL, 0, "every_step is for rollouts");
    return status ? status : take_frame(robot, info, inputs, job, error);
}

arne_status gpu_job_make(const arne_robot *robot, arne_precision precision,
                         arne_algorithm algorithm, const arne_gpu_inputs *inputs,
                         const arne_gpu_outputs *outputs, size_t count, gpu_job *job,
                         arne_error *error)
{
    arne_status status = start_job(robot, precision, algorithm, inputs, count, job, error);
    if (status) return status;
    const arne_algorithm_info *info = arne_catalogue_algorithm(algorithm);
    if (count == 0) return arne_fail(error, ARNE_VALUE, NULL, 0, "count is 0");
    if (!inputs->on_device && (inputs->input_layouts || inputs->output_layouts))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "layouts are for arrays on the device");
    status = gpu_job_take_inputs(robot, inputs, inputs_of(info, inputs), job, error);
    if (!status)
        status = gpu_job_take_outputs(robot, outputs, inputs->output_layouts, info, job, error);
    return status ? status : check_overlaps(job, error);
}

// Which of those that may be left off are there.
static void gpu_job_sketch_inputs(const arne_gpu_inputs *in, const arne_algorithm_info *info,
                                  gpu_job *job)
{
    const unsigned reads = inputs_of(info, in);
    for (int i = 0; i < ARNE_INPUT_COUNT; i++)
        if (reads >> i & 1) job->in[i] = job;
}

arne_status gpu_job_sketch(const arne_robot *robot, arne_precision precision,
                           arne_algorithm algorithm, const arne_gpu_inputs *inputs,
                           const arne_gpu_outputs *outputs, gpu_job *job, arne_error *error)
{
    static const arne_gpu_outputs none = {0};
    arne_gpu_inputs               own = *inputs;
    arne_error                    ignored;
    if (own.steps < 1) own.steps = 1;
    own.every_step = 0;
    arne_status status = start_job(robot, precision, algorithm, &own, 1, job, error);
    if (status) return status;
    const arne_algorithm_info *info = arne_catalogue_algorithm(algorithm);
    gpu_job_sketch_inputs(&own, info, job);
    if (outputs) return gpu_job_take_outputs(robot, outputs, NULL, info, job, error);
    (void)gpu_job_take_outputs(robot, &none, NULL, info, job,
                               &ignored); // sizes; it finds that none is wanted
    for (int i = 0; i < info->output_count; i++)
        if (!info->outputs[i].on_request) job->out[info->outputs[i].array] = job;
    return ARNE_OK;
}

int arne_gpu_set_input(arne_gpu_inputs *inputs, arne_array array, const void *at)
{
    switch ((int)array) {
#define ARNE_INPUT(name, ...)                                                                      \
    case ARNE_ARRAY_##name:                                                                        \
        inputs->name = at;                                                                         \
        return 1;
#define ARNE_INPUT_OUTPUT ARNE_INPUT
#include <arne/catalogue.def>
    default:
        return 0;
    }
}

int arne_gpu_set_output(arne_gpu_outputs *outputs, arne_array array, void *at)
{
    switch ((int)array) {
#define ARNE_OUTPUT(name, ...)                                                                     \
    case ARNE_ARRAY_##name:                                                                        \
        outputs->name = at;                                                                        \
        return 1;
#define ARNE_INPUT_OUTPUT ARNE_OUTPUT
#include <arne/catalogue.def>
    default:
        return 0;
    }
}
