// Muscles along a recording: torques, paths and static optimisation row by row.
#include "base/error.h"
#include "capture/capture.h"
#include <arne/dynamics.h>
#include <arne/muscle_force.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MUSCLE_COLUMNS = 4, WRENCH_COLUMNS = 6 };

typedef struct muscle_motion {
    const arne_robot          *robot;
    const arne_loads          *loads;
    const arne_static_options *options;
    arne_sizes                 sizes;
    int                        muscles, joints; // joints: with a reaction
    arne_work                 *work;
    arne_static               *optimisation;
    arne_wrench               *f_ext;
    double *numbers, *tau, *rest, *lengths, *velocities, *arms, *activation, *forces, *metabolic;
    double *row; // of either table
    int    *joint;
    arne_muscle_result *results;
    arne_error         *error;
} muscle_motion;

// ---- columns ----

static arne_status muscle_column(arne_table *t, const char *what, const char *name,
                                 const char *part, const char *unit)
{
    char text[800];
    snprintf(text, sizeof text, "%s.%s%s%s", what, name, *part ? "." : "", part);
    return arne_table_add_column(t, text, unit);
}

static arne_status muscle_columns(const muscle_motion *m, arne_table *t)
{
    arne_status status = arne_table_add_column(t, "time", "s");
    for (int i = 0; i < m->muscles && !status; i++) {
        const char *name = arne_robot_muscle(m->robot, i).name;
        status = muscle_column(t, "activation", name, "", "");
        if (!status) status = muscle_column(t, "force", name, "", "N");
        if (!status) status = muscle_column(t, "power", name, "", "W");
        if (!status) status = muscle_column(t, "metabolic", name, "", "W");
    }
    for (int j = 0; j < m->sizes.joint_count && !status; j++) {
        const arne_joint_info joint = arne_robot_joint(m->robot, j);
        if (joint.v_count)
            status = muscle_column(t, "rest", joint.name, "",
                                   joint.kind == ARNE_JOINT_PRISMATIC ? "N" : "N m");
    }
    return status;
}

static arne_status reaction_columns(const muscle_motion *m, arne_table *t)
{
    static const char *const part[] = {"fx", "fy", "fz", "mx", "my", "mz"};
    arne_status              status = arne_table_add_column(t, "time", "s");
    for (int i = 0; i < m->joints; i++) {
        const arne_joint_info joint = arne_robot_joint(m->robot, m->joint[i]);
        const char           *link = arne_robot_frame(m->robot, joint.child).name;
        for (int k = 0; k < WRENCH_COLUMNS && !status; k++)
            status = muscle_column(t, "reaction", link, part[k], k < 3 ? "N" : "N m");
    }
    return status;
}

// ---- memory ----

static void muscle_motion_free(muscle_motion *m)
{
    arne_work_free(m->work);
    arne_static_free(m->optimisation);
    free(m->f_ext);
    free(m->numbers);
    free(m->joint);
    free(m->results);
}

static arne_status muscle_motion_new(muscle_motion *m, arne_error *error)
{
    const size_t n = (size_t)m->muscles, v = (size_t)m->sizes.v_count;
    const size_t joints = (size_t)m->sizes.joint_count;
    const size_t row = 1 + MUSCLE_COLUMNS * n + v + WRENCH_COLUMNS * joints;
    arne_status  status = arne_static_new(m->robot, m->options, &m->optimisation, error);
    if (status) return status;
    m->numbers = calloc(2 * v + 5 * n + n * v + row, sizeof *m->numbers);
    m->f_ext = calloc((size_t)m->sizes.body_count, sizeof *m->f_ext);
    m->joint = calloc(joints + 1, sizeof *m->joint);
    m->results = calloc(n, sizeof *m->results);
    if (!m->numbers || !m->f_ext || !m->joint || !m->results) return arne_fail_memory(error);
    status = arne_work_new(m->robot, &m->work);
    if (status) return arne_fail_memory(error);
    m->tau = m->numbers;
    m->rest = m->tau + v;
    m->lengths = m->rest + v;
    m->velocities = m->lengths + n;
    m->activation = m->velocities + n;
    m->forces = m->activation + n;
    m->metabolic = m->forces + n;
    m->arms = m->metabolic + n;
    m->row = m->arms + n * v;
    for (int j = 0; j < m->sizes.joint_count; j++) {
        const arne_joint_info joint = arne_robot_joint(m->robot, j);
        if (joint.v_count && arne_robot_frame(m->robot, joint.child).mass > 0)
            m->joint[m->joints++] = j;
    }
    return ARNE_OK;
}

// ---- rows ----

// External wrenches of the row; inverse dynamics with them leaves the joint wrenches in work.
static void muscle_dynamics(muscle_motion *m, const double *q, const double *qd, const double *qdd,
                            double time, double *tau)
{
    arne_kinematics(m->robot, m->work, q, NULL, NULL);
    if (m->loads) arne_loads_add(m->loads, m->robot, m->work, time, m->f_ext);
    arne_inverse_dynamics(m->robot, m->work, q, qd, qdd, m->f_ext, tau);
}

static arne_status muscle_row(muscle_motion *m, const double *q, const double *qd,
                              const double *qdd, double time, int *missed)
{
    const int                 soft = m->options && m->options->compliant;
    const arne_muscle_options how = {.tendon = soft ? ARNE_TENDON_EQUILIBRIUM : ARNE_TENDON_RIGID,
                                     .no_passive = !(m->options && m->options->passive)};
    memset(m->f_ext, 0, (size_t)m->sizes.body_count * sizeof *m->f_ext);
    muscle_dynamics(m, q, qd, qdd, time, m->tau);
    arne_status status = arne_muscle_lengths(m->robot, m->work, q, qd, m->lengths, m->velocities);
    if (!status) status = arne_muscle_moment_arms(m->robot, m->work, q, m->arms);
    if (status) return status;
    status = arne_static_solve(m->optimisation, m->tau, m->lengths, m->velocities, m->arms,
                               m->activation, m->forces, m->rest);
    *missed += status == ARNE_NOT_CONVERGED;
    if (status && status != ARNE_NOT_CONVERGED) return status;
    // forces stay those of the optimisation; fibres are where the activations put them
    status = arne_muscle_forces(m->robot, 1, m->activation, m->lengths, m->velocities, &how,
                                m->metabolic, m->results);
    if (!status)
        status = arne_metabolic_rates(m->robot, NULL, m->activation, m->results, NULL, m->metabolic,
                                      NULL);
    return status;
}

static arne_status muscle_write(muscle_motion *m, double time, arne_table *out)
{
    double *at = m->row;
    *at++ = time;
    for (int i = 0; i < m->muscles; i++) {
        *at++ = m->activation[i];
        *at++ = m->forces[i];
        *at++ = -m->forces[i] * m->velocities[i];
        *at++ = m->metabolic[i];
    }
    for (int j = 0; j < m->sizes.joint_count; j++) {
        const arne_joint_info joint = arne_robot_joint(m->robot, j);
        if (joint.v_count) *at++ = m->rest[joint.v_start];
    }
    return arne_table_append(out, m->row);
}

// With the tension of all paths in it; f_ext holds the loads.
static arne_status reaction_write(muscle_motion *m, const double *q, const double *qd,
                                  const double *qdd, double time, arne_table *out)
{
    double     *at = m->row;
    arne_status status = arne_muscle_wrenches(m->robot, m->work, q, m->forces, m->f_ext);
    if (status == ARNE_UNSUPPORTED)
        return arne_fail(m->error, status, NULL, 0,
                         "joint loads are not for muscles whose paths run along rods");
    if (status) return status;
    arne_inverse_dynamics(m->robot, m->work, q, qd, qdd, m->f_ext, m->tau);
    *at++ = time;
    for (int i = 0; i < m->joints; i++) {
        const arne_wrench w = arne_joint_wrench(m->robot, m->work, m->joint[i]);
        const double      all[] = {w.lin.x, w.lin.y, w.lin.z, w.ang.x, w.ang.y, w.ang.z};
        memcpy(at, all, sizeof all);
        at += WRENCH_COLUMNS;
    }
    return arne_table_append(out, m->row);
}

arne_status arne_recording_muscles(const arne_robot *robot, const arne_recording *motion,
                                   const arne_loads *loads, const arne_static_options *options,
                                   arne_table **out, arne_table **reactions, int *missed,
                                   arne_error *error)
{
    int count = 0;
    arne_error_clear(error);
    if (!robot || !motion || !out) return arne_fail_null(error);
    muscle_motion m = {.robot = robot,
                       .loads = loads,
                       .options = options,
                       .error = error,
                       .sizes = arne_robot_sizes(robot),
                       .muscles = arne_muscle_count(robot)};
    *out = NULL;
    if (reactions) *reactions = NULL;
    if (motion->columns != m.sizes.v_count || m.sizes.q_count != m.sizes.v_count)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "the recording has %d coordinates, the robot %d", motion->columns,
                         m.sizes.v_count);
    const arne_status covered = loads_cover(loads, motion, error);
    if (covered) return covered;
    arne_recording slopes = {0}; // of the velocities
    arne_status    status = muscle_motion_new(&m, error);
    if (!status && options && options->opensim)
        status = arne_recording_smooth(motion->rows, motion->columns, motion->time, motion->rate, 0,
                                       &slopes, error);
    const double *second = slopes.rows == motion->rows ? slopes.rate : motion->second;
    if (!status) status = arne_table_new(out);
    if (!status && reactions) status = arne_table_new(reactions);
    if (!status) status = muscle_columns(&m, *out);
    if (!status && reactions) status = reaction_columns(&m, *reactions);
    for (int r = 0; r < motion->rows && !status; r++) {
        const size_t  at = (size_t)r * (size_t)motion->columns;
        const double *q = motion->x + at, *qd = motion->rate + at, *qdd = second + at;
        status = muscle_row(&m, q, qd, qdd, motion->time[r], &count);
        if (!status) status = muscle_write(&m, motion->time[r], *out);
        if (!status && reactions)
            status = reaction_write(&m, q, qd, qdd, motion->time[r], *reactions);
    }
    if (missed) *missed = count;
    muscle_motion_free(&m);
    arne_recording_free(&slopes);
    if (!status) return ARNE_OK;
    arne_table_free(*out);
    *out = NULL;
    if (reactions) {
        arne_table_free(*reactions);
        *reactions = NULL;
    }
    if (error && !error->text[0])
        return arne_fail(error, status, NULL, 0, "%s", arne_status_text(status));
    return status;
}
