#include "batch/batch_job.h"
#include "base/error.h"
#include "robot/robot.h"
#include <arne/identify.h>
#include <math.h>
#include <stdint.h>

static const char *const input_names[] = {
#define INPUT(name, rows) #name,
    ARNE_BATCH_INPUTS(INPUT)
#undef INPUT
};
static const char *const output_names[] = {
#define OUTPUT(name, rows) #name,
    ARNE_BATCH_OUTPUTS(OUTPUT)
#undef OUTPUT
};
static const char *const algorithm_names[] = {
#define ALGORITHM(name) #name,
    ARNE_BATCH_ALGORITHMS(ALGORITHM)
#undef ALGORITHM
};

// ---- what each algorithm reads and makes ----

#define I(name) (1u << IN_##name)
#define O(name) ((uint64_t)1 << OUT_##name)
#define WRENCHES (O(joint_wrenches) | O(base_wrench))
enum {
    USES_FRAME = 1,
    USES_JOINT = 2,
    USES_LOADS = 4,
    NO_WORLD_AXES = 8,
    USES_GIVEN = 16,
    USES_PLANE = 32
};

typedef struct spec {
    unsigned needs, may; // inputs that must be there, and others that are read where they are
    uint64_t makes;
    unsigned uses;
} spec;

static const spec specs[] = {
    [ARNE_BATCH_KINEMATICS] = {I(q), 0, O(pose) | O(velocity) | O(acceleration), USES_FRAME},
    [ARNE_BATCH_JACOBIAN] = {I(q), 0, O(jacobian) | O(jacobian_rate), USES_FRAME},
    [ARNE_BATCH_CENTER_OF_MASS] = {I(q), 0, O(com) | O(com_velocity), 0},
    [ARNE_BATCH_COM_JACOBIAN] = {I(q), 0, O(com_jacobian), 0},
    [ARNE_BATCH_ENERGY] = {I(q), 0, O(kinetic) | O(potential), 0},
    [ARNE_BATCH_MOMENTUM] = {I(q) | I(qd), 0, O(momentum), 0},
    [ARNE_BATCH_CENTROIDAL_MATRIX] = {I(q), 0, O(centroidal_matrix), 0},
    [ARNE_BATCH_INVERSE_DYNAMICS] = {I(q) | I(qd) | I(qdd), I(f_ext), O(tau) | WRENCHES, 0},
    [ARNE_BATCH_GRAVITY] = {I(q), 0, O(tau), 0},
    [ARNE_BATCH_BIAS] = {I(q) | I(qd), I(f_ext), O(tau), 0},
    [ARNE_BATCH_MASS_MATRIX] = {I(q), 0, O(mass_matrix), 0},
    [ARNE_BATCH_INVERSE_MASS_MATRIX] = {I(q), 0, O(inverse_mass_matrix), 0},
    [ARNE_BATCH_CORIOLIS_MATRIX] = {I(q) | I(qd), 0, O(coriolis_matrix), 0},
    [ARNE_BATCH_OPERATIONAL_INERTIA] = {I(q), 0, O(operational_inertia), USES_FRAME},
    [ARNE_BATCH_FORWARD_DYNAMICS] = {I(q) | I(qd) | I(tau), I(f_ext), O(qdd) | WRENCHES, 0},
    [ARNE_BATCH_FORWARD_DYNAMICS_MATRIX] = {I(q) | I(qd) | I(tau), I(f_ext), O(qdd) | WRENCHES, 0},
    [ARNE_BATCH_HYBRID_DYNAMICS] = {I(q) | I(qd) | I(qdd) | I(tau), I(f_ext),
                                    O(tau) | O(qdd) | WRENCHES, USES_GIVEN},
    [ARNE_BATCH_BASE_ACCELERATION] = {I(q) | I(qd) | I(qdd), I(f_ext), O(tau) | O(qdd), 0},
    [ARNE_BATCH_REGRESSOR] = {I(q) | I(qd) | I(qdd), 0, O(regressor), 0},
    [ARNE_BATCH_INVERSE_DYNAMICS_DERIVATIVES] = {I(q) | I(qd) | I(qdd), 0,
                                                 O(dtau_dq) | O(dtau_dqd) | O(dtau_dqdd),
                                                 USES_LOADS},
    [ARNE_BATCH_FORWARD_DYNAMICS_DERIVATIVES] = {I(q) | I(qd) | I(tau), 0,
                                                 O(qdd) | O(dqdd_dq) | O(dqdd_dqd) | O(dqdd_dtau),
                                                 USES_LOADS},
    [ARNE_BATCH_INVERSE_DYNAMICS_ALONG] = {I(q) | I(qd) | I(qdd),
                                           I(along_q) | I(along_qd) | I(along_qdd), O(dtau),
                                           USES_LOADS},
    [ARNE_BATCH_INVERSE_DYNAMICS_AGAINST] = {I(q) | I(qd) | I(qdd) | I(lambda), 0,
                                             O(against_q) | O(against_qd) | O(against_qdd),
                                             USES_LOADS},
    [ARNE_BATCH_SECOND_DERIVATIVES] = {I(q) | I(qd) | I(qdd) | I(lambda), 0,
                                       O(qq) | O(qv) | O(vv) | O(qa), USES_LOADS},
    [ARNE_BATCH_TORQUE_RATE] = {I(q) | I(qd) | I(qdd) | I(qddd), 0,
                                O(tau) | O(tau_rate) | O(jerk) | O(com_jerk), USES_LOADS},
    [ARNE_BATCH_WRENCH_DERIVATIVES] = {I(q) | I(qd) | I(qdd), 0,
                                       O(dwrench_dq) | O(dwrench_dqd) | O(dwrench_dqdd),
                                       USES_LOADS | USES_JOINT},
    [ARNE_BATCH_FRAME_MOTION_DERIVATIVES] = {I(q) | I(qd) | I(qdd), 0,
                                             O(dv_dq) | O(dv_dqd) | O(da_dq) | O(da_dqd) |
                                                 O(da_dqdd),
                                             USES_FRAME | NO_WORLD_AXES},
    [ARNE_BATCH_CENTROIDAL_DERIVATIVES] = {I(q) | I(qd) | I(qdd), 0,
                                           O(momentum_rate) | O(dh_dq) | O(dh_dqd) | O(drate_dq) |
                                               O(drate_dqd) | O(drate_dqdd),
                                           0},
    [ARNE_BATCH_ZERO_MOMENT_POINT] = {I(q) | I(qd) | I(qdd), 0,
                                      O(zmp) | O(dzmp_dq) | O(dzmp_dqd) | O(dzmp_dqdd), USES_PLANE},
};

// What some outputs need besides.
static unsigned more_needs(batch_output output)
{
    switch (output) {
    case OUT_velocity:
    case OUT_jacobian_rate:
    case OUT_com_velocity:
    case OUT_kinetic:
        return I(qd);
    case OUT_acceleration:
        return I(qd) | I(qdd);
    default:
        return 0;
    }
}

// ---- sizes ----

size_t batch_input_rows(const arne_robot *robot, batch_input input)
{
    const size_t q_count = (size_t)robot->q_count, n = (size_t)robot->v_count,
                 b = (size_t)robot->body_count;
    switch (input) {
#define INPUT(name, rows)                                                                          \
    case IN_##name:                                                                                \
        return rows;
        ARNE_BATCH_INPUTS(INPUT) // NOLINT(bugprone-branch-clone)
#undef INPUT
    default:
        return 0;
    }
}

size_t batch_output_rows(const arne_robot *robot, batch_output output)
{
    const size_t n = (size_t)robot->v_count, j = (size_t)robot->joint_count,
                 p = (size_t)arne_parameter_count(robot);
    switch (output) {
#define OUTPUT(name, rows)                                                                         \
    case OUT_##name:                                                                               \
        return rows;
        ARNE_BATCH_OUTPUTS(OUTPUT) // NOLINT(bugprone-branch-clone)
#undef OUTPUT
    default:
        return 0;
    }
}

size_t batch_most_inputs(const arne_robot *robot)
{
    size_t rows = 0;
    for (int i = 0; i < INPUT_COUNT; i++)
        rows += batch_input_rows(robot, (batch_input)i);
    return rows;
}

size_t batch_most_outputs(const arne_robot *robot)
{
    size_t most = 0;
    for (int a = 0; a < ARNE_BATCH_ALGORITHM_COUNT; a++) {
        size_t rows = 0;
        for (int i = 0; i < OUTPUT_COUNT; i++)
            if (specs[a].makes >> i & 1) rows += batch_output_rows(robot, (batch_output)i);
        most = rows > most ? rows : most;
    }
    return most;
}

// ---- the request ----

// An array of a request: its name, where it starts and how many rows it has.
typedef struct rows_at {
    const char *name;
    uintptr_t   at;
    size_t      rows;
} rows_at;

static arne_status check_span(const rows_at *a, size_t stride, arne_error *error)
{
    if (a->at % sizeof(double))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "%s is not aligned to %d bytes", a->name,
                         (int)sizeof(double));
    if (a->rows && stride > PTRDIFF_MAX / sizeof(double) / a->rows)
        return arne_fail(error, ARNE_TOO_LARGE, NULL, 0, "%s cannot have so many states", a->name);
    return ARNE_OK;
}

// Rows of both lie `stride` apart. Row i of a and row k of b share a number where they start less than `count` apart; that
// can only be at the difference i - k that brings them nearest, or the next.
static int overlap(const rows_at *a, const rows_at *b, size_t stride, size_t count)
{
    const rows_at *low = a->at <= b->at ? a : b, *high = low == a ? b : a;
    if (!low->rows || !high->rows) return 0;
    const size_t apart = (high->at - low->at) / sizeof(double), ahead = apart / stride,
                 rest = apart % stride;
    if (rest < count && ahead < low->rows) return 1;
    return stride - rest < count && ahead + 1 < low->rows;
}

static arne_status check_arrays(const batch_job *job, arne_error *error)
{
    rows_at all[INPUT_COUNT + OUTPUT_COUNT];
    int     n = 0, inputs = 0;
    for (int i = 0; i < INPUT_COUNT; i++)
        if (job->in[i])
            all[n++] = (rows_at){input_names[i], (uintptr_t)job->in[i], job->in_rows[i]};
    inputs = n;
    for (int i = 0; i < OUTPUT_COUNT; i++)
        if (job->out[i])
            all[n++] = (rows_at){output_names[i], (uintptr_t)job->out[i], job->out_rows[i]};
    for (int i = 0; i < n; i++) {
        const arne_status status = check_span(&all[i], job->stride, error);
        if (status) return status;
    }
    for (int i = inputs; i < n; i++)
        for (int k = 0; k < i; k++)
            if (overlap(&all[i], &all[k], job->stride, job->count))
                return arne_fail(error, ARNE_VALUE, NULL, 0, "%s overlaps %s", all[i].name,
                                 all[k].name);
    return ARNE_OK;
}

static arne_status check_frame(const batch_job *job, int any_axes, arne_error *error)
{
    const int frame = job->given->frame, axes = (int)job->given->axes;
    if (frame < 0 || frame >= job->robot->frame_count)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no frame %d", frame);
    if (axes != ARNE_AXES_BODY && axes != ARNE_AXES_ALIGNED &&
        (axes != ARNE_AXES_WORLD || !any_axes))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "%s does not know axes %d",
                         algorithm_names[job->algorithm], axes);
    return ARNE_OK;
}

static arne_status check_loads(const batch_job *job, arne_error *error)
{
    const arne_batch_inputs *given = job->given;
    if (given->load_count == 0) return ARNE_OK;
    if (given->load_count < 0)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "load_count is %d", given->load_count);
    if (!given->loads) return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "loads is NULL");
    for (int i = 0; i < given->load_count; i++)
        if (given->loads[i].frame < 0 || given->loads[i].frame >= job->robot->frame_count)
            return arne_fail(error, ARNE_VALUE, NULL, 0, "load %d: there is no frame %d", i,
                             given->loads[i].frame);
    return ARNE_OK;
}

// What is the same for all states.
static arne_status check_common(const batch_job *job, unsigned uses, arne_error *error)
{
    const arne_batch_inputs *given = job->given;
    const arne_vec3          n = given->normal;
    arne_status              status = ARNE_OK;
    if (job->out[OUT_jerk]) uses |= USES_FRAME | NO_WORLD_AXES;
    if (uses & USES_FRAME) status = check_frame(job, !(uses & NO_WORLD_AXES), error);
    if (!status && uses & USES_LOADS) status = check_loads(job, error);
    if (status) return status;
    if (uses & USES_JOINT && (given->joint < 0 || given->joint >= job->robot->joint_count))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no joint %d", given->joint);
    if (uses & USES_GIVEN && !given->given && job->robot->v_count)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "given is NULL");
    if (uses & USES_PLANE && !(fabs(n.x * n.x + n.y * n.y + n.z * n.z - 1) < 1e-6))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "normal is not a unit vector");
    return ARNE_OK;
}

static arne_status take_outputs(batch_job *job, const arne_batch_outputs *outputs, unsigned *needs,
                                arne_error *error)
{
    const spec   *s = &specs[job->algorithm];
    double *const given[OUTPUT_COUNT] = {
#define OUTPUT(name, rows) outputs->name,
        ARNE_BATCH_OUTPUTS(OUTPUT)
#undef OUTPUT
    };
    size_t at = 0;
    int    wanted = 0;
    *needs = s->needs;
    for (int i = 0; i < OUTPUT_COUNT; i++) {
        const int makes = (int)(s->makes >> i & 1);
        if (given[i] && !makes)
            return arne_fail(error, ARNE_VALUE, NULL, 0, "%s does not make %s",
                             algorithm_names[job->algorithm], output_names[i]);
        if (!makes) continue;
        job->out[i] = given[i];
        job->out_rows[i] = batch_output_rows(job->robot, (batch_output)i);
        job->out_at[i] = at;
        at += job->out_rows[i];
        if (!given[i]) continue;
        wanted++;
        *needs |= more_needs((batch_output)i);
    }
    if (wanted) return ARNE_OK;
    return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "all outputs of %s are NULL",
                     algorithm_names[job->algorithm]);
}

static arne_status take_inputs(batch_job *job, unsigned needs, arne_error *error)
{
    const unsigned      reads = needs | specs[job->algorithm].may;
    const double *const given[INPUT_COUNT] = {
#define INPUT(name, rows) job->given->name,
        ARNE_BATCH_INPUTS(INPUT)
#undef INPUT
    };
    for (int i = 0; i < INPUT_COUNT; i++) {
        if (!(reads >> i & 1)) continue;
        job->in[i] = given[i];
        job->in_rows[i] = batch_input_rows(job->robot, (batch_input)i);
        if (!given[i] && job->in_rows[i] && needs >> i & 1)
            return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s needs %s, which is NULL",
                             algorithm_names[job->algorithm], input_names[i]);
    }
    return ARNE_OK;
}

arne_status batch_job_make(const arne_robot *robot, arne_batch_algorithm algorithm,
                           const arne_batch_inputs *inputs, const arne_batch_outputs *outputs,
                           size_t count, batch_job *job, arne_error *error)
{
    unsigned needs;
    if ((int)algorithm < 0 || (int)algorithm >= ARNE_BATCH_ALGORITHM_COUNT)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no algorithm %d", (int)algorithm);
    *job = (batch_job){.robot = robot, .given = inputs, .algorithm = algorithm, .count = count};
    job->stride = inputs->stride ? inputs->stride : count;
    if (count == 0) return arne_fail(error, ARNE_VALUE, NULL, 0, "there are no states: count is 0");
    if (job->stride < count)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "stride %zu is less than the %zu states",
                         job->stride, count);
    arne_status status = take_outputs(job, outputs, &needs, error);
    if (!status) status = take_inputs(job, needs, error);
    if (!status) status = check_arrays(job, error);
    if (!status) status = check_common(job, specs[algorithm].uses, error);
    return status;
}
