// Robots and recordings for tests of identification.
#ifndef IDENTIFY_DATA_H
#define IDENTIFY_DATA_H

#include "testing.h"

#include "base/random.h"
#include "identify/study.h"
#include <arne/builder.h>
#include <arne/dynamics.h>
#include <arne/identify.h>
#include <arne/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

// ---- robots and recordings

static inline arne_robot *read_file(const char *name)
{
    char        path[512];
    arne_robot *robot = NULL;
    arne_error  error;
    snprintf(path, sizeof path, "%s/%s", ARNE_ROBOTS_DIR, name);
    if (arne_robot_read(path, NULL, &robot, &error)) fail_msg("%s", error.text);
    return robot;
}

// The same with friction and rotors, and every mass a little different.
static inline arne_robot *true_robot(const arne_robot *prior)
{
    arne_builder *b = NULL;
    arne_robot   *robot = NULL;
    arne_error    error;
    assert_int_equal(arne_builder_new(&b), ARNE_OK);
    assert_int_equal(arne_builder_add_robot(b, prior, &error), ARNE_OK);
    for (int j = 0; j < arne_robot_sizes(prior).joint_count; j++) {
        const arne_joint_info info = arne_robot_joint(prior, j);
        arne_joint_spec       spec;
        arne_body_spec        body;
        assert_int_equal(arne_builder_get_joint(b, info.name, &spec), ARNE_OK);
        spec.viscous = 1 + 0.3 * j;
        spec.coulomb_positive = 2 + 0.1 * j;
        spec.coulomb_negative = 1.5 + 0.2 * j;
        spec.rotor_inertia = 0.1 + 0.02 * j;
        assert_int_equal(arne_builder_set_joint(b, &spec, &error), ARNE_OK);
        assert_int_equal(arne_builder_get_body(b, arne_robot_frame(prior, info.child).name, &body),
                         ARNE_OK);
        body.mass *= 1.1 - 0.03 * j;
        body.com.x += 0.01;
        for (int k = 0; k < 6; k++)
            body.inertia[k] *= 1.1 + 0.05 * j;
        assert_int_equal(arne_builder_set_body(b, &body, &error), ARNE_OK);
    }
    if (arne_builder_finish(b, NULL, &robot, &error)) fail_msg("%s", error.text);
    arne_builder_free(b);
    return robot;
}

typedef struct recording {
    int     rows, n;
    double *time, *q, *qd, *qdd, *tau;
} recording;

static inline void recording_free(recording *r) { free(r->time); }

static inline recording record(const arne_robot *robot, int rows, double rate, int variant)
{
    const int    n = arne_robot_sizes(robot).v_count;
    recording    r = {.rows = rows, .n = n};
    arne_work   *work = NULL;
    const size_t size = (size_t)rows * (size_t)n;
    r.time = calloc((size_t)rows + 4 * size, sizeof(double));
    assert_non_null(r.time);
    assert_int_equal(arne_work_new(robot, &work), ARNE_OK);
    r.q = r.time + rows;
    r.qd = r.q + size;
    r.qdd = r.qd + size;
    r.tau = r.qdd + size;
    for (int i = 0; i < rows; i++) {
        const double t = r.time[i] = i / rate;
        double      *q = r.q + (size_t)i * (size_t)n, *qd = r.qd + (size_t)i * (size_t)n,
               *qdd = r.qdd + (size_t)i * (size_t)n;
        for (int j = 0; j < n; j++)
            for (int k = 1; k <= 3; k++) {
                const double w = 2 * PI * 0.11 * (k + 0.37 * j), a = 0.9 / k,
                             p = 0.7 * j + 1.3 * k + 0.5 * variant;
                q[j] += a * sin(w * t + p);
                qd[j] += a * w * cos(w * t + p);
                qdd[j] -= a * w * w * sin(w * t + p);
            }
        arne_inverse_dynamics(robot, work, q, qd, qdd, NULL, r.tau + (size_t)i * (size_t)n);
    }
    arne_work_free(work);
    return r;
}

static inline double gauss(uint64_t *seed)
{
    const double u = random_between(seed, 1e-12, 1), v = random_between(seed, 0, 1);
    return sqrt(-2 * log(u)) * cos(2 * PI * v);
}

static inline arne_log log_of(const recording *r, const double *tau, int with_rates)
{
    return (arne_log){.rows = r->rows,
                      .time = r->time,
                      .q = r->q,
                      .qd = with_rates > 0 ? r->qd : NULL,
                      .qdd = with_rates > 1 ? r->qdd : NULL,
                      .tau = tau ? tau : r->tau};
}

static inline arne_identify *fit(const arne_robot *prior, const arne_log *log,
                                 const arne_identify_options *options)
{
    arne_identify *s = NULL;
    arne_error     error;
    if (arne_identify_new(prior, options, &s, &error)) fail_msg("%s", error.text);
    assert_int_equal(arne_identify_add_log(s, log, ARNE_LOG_FIT, &error), ARNE_OK);
    if (arne_identify_fit_robot(s, &error)) fail_msg("%s", error.text);
    return s;
}

// What each number that is found should be: its group of the true robot's parameters.
static inline void true_values(const arne_identify *s, const arne_robot *truth, double *out)
{
    const model *m = &s->m;
    double      *pi = calloc((size_t)m->parameters, sizeof *pi);
    arne_parameters(truth, pi);
    arne_base_values(m->base, pi, out);
    for (int c = m->base->rank; c < m->count; c++) {
        const double *own = pi + 10 * m->n + 3 * (ptrdiff_t)m->column[c].joint;
        out[c] = m->column[c].kind == COLUMN_VISCOUS    ? own[0]
                 : m->column[c].kind == COLUMN_POSITIVE ? own[1]
                                                        : own[2];
    }
    free(pi);
}

#endif
