// Quantities of the closed mechanism where `arne compute` has another one for trees. Coordinates
// are those of the active joints; where there are more of them than mobility, the entries of those
// that depend on others are zero, as in loop-jacobian.
#include "compute_loops.h"
#include "message.h"

#include <arne/identify.h>
#include <stdlib.h>
#include <string.h>

// The independent coordinates at a state, and where each stands among the active ones.
typedef struct freedom {
    int            n, active, mobility;
    int           *independent, *column;
    unsigned char *is_active;
} freedom;

static void freedom_free(freedom *f)
{
    free(f->independent);
    free(f->column);
    free(f->is_active);
}

static arne_status freedom_find(const request *ask, const state *at, freedom *f, arne_error *error)
{
    const size_t n = (size_t)arne_robot_sizes(ask->robot).v_count;
    *f = (freedom){.n = (int)n,
                   .independent = need(n, sizeof(int)),
                   .column = need(n, sizeof(int)),
                   .is_active = need(n, 1)};
    f->active = arne_active(ask->robot, f->is_active);
    const arne_status status =
        arne_loop_jacobian(ask->robot, ask->work, ask->loop, at->part[PART_Q], NULL, f->independent,
                           &f->mobility, NULL, error);
    for (int c = 0; status == ARNE_OK && c < f->mobility; c++)
        for (int k = 0; k < f->independent[c]; k++)
            f->column[c] += f->is_active[k];
    return status;
}

// A matrix over the independent coordinates, among those of all active ones.
static void put_square(const freedom *f, const double *from, double *to)
{
    memset(to, 0, (size_t)(f->active * f->active) * sizeof *to);
    for (int i = 0; i < f->mobility; i++)
        for (int k = 0; k < f->mobility; k++)
            to[f->column[i] * f->active + f->column[k]] = from[i * f->mobility + k];
}

static void put_columns(const freedom *f, const double *from, double *to)
{
    memset(to, 0, (size_t)(f->n * f->active) * sizeof *to);
    for (int i = 0; i < f->n; i++)
        for (int k = 0; k < f->mobility; k++)
            to[i * f->active + f->column[k]] = from[i * f->mobility + k];
}

// Rows of the active joints, of rows of all.
static void put_active_rows(const request *ask, const double *from, int columns, double *to)
{
    const int      n = arne_robot_sizes(ask->robot).v_count;
    unsigned char *active = need((size_t)n, 1);
    arne_active(ask->robot, active);
    for (int k = 0; k < n; k++) {
        if (!active[k]) continue;
        memcpy(to, from + (size_t)k * (size_t)columns, (size_t)columns * sizeof *to);
        to += columns;
    }
    free(active);
}

static int mass_matrix(const request *ask, const state *at, result *out)
{
    arne_error   error = {0};
    freedom      f;
    double      *M = result_add(out, "M", AXIS_ACTIVE, AXIS_ACTIVE);
    arne_status  status = freedom_find(ask, at, &f, &error);
    const size_t n = (size_t)f.n;
    double      *A = need(n * n, sizeof *A), *zero = need(n, sizeof *zero);
    if (status == ARNE_OK)
        status = arne_loop_reduced(ask->robot, ask->work, ask->loop, at->part[PART_Q], zero, NULL,
                                   A, NULL, &error);
    if (status == ARNE_OK) put_square(&f, A, M);
    free(A);
    free(zero);
    freedom_free(&f);
    return request_end(ask, status, &error);
}

static int coriolis_matrix(const request *ask, const state *at, result *out)
{
    arne_error   error = {0};
    freedom      f;
    double      *C = result_add(out, "C", AXIS_ACTIVE, AXIS_ACTIVE);
    arne_status  status = freedom_find(ask, at, &f, &error);
    const size_t n = (size_t)f.n;
    double      *small = need(n * n, sizeof *small);
    if (status == ARNE_OK)
        status = arne_loop_coriolis_matrix(ask->robot, ask->work, ask->loop, at->part[PART_Q],
                                           at->part[PART_QD], small, &error);
    if (status == ARNE_OK) put_square(&f, small, C);
    free(small);
    freedom_free(&f);
    return request_end(ask, status, &error);
}

// The entries of the active joints of how all accelerations depend on all torques.
static int inverse_mass_matrix(const request *ask, const state *at, result *out)
{
    const size_t   n = (size_t)arne_robot_sizes(ask->robot).v_count;
    arne_error     error = {0};
    double        *Minv = result_add(out, "Minv", AXIS_ACTIVE, AXIS_ACTIVE);
    double        *all = need(n * n, sizeof *all);
    unsigned char *active = need(n, 1);
    arne_active(ask->robot, active);
    const arne_status status = arne_loop_inverse_mass_matrix(ask->robot, ask->work, ask->loop,
                                                             at->part[PART_Q], all, &error);
    for (size_t i = 0; i < n * n; i++)
        if (active[i / n] && active[i % n]) *Minv++ = all[i];
    free(active);
    free(all);
    return request_end(ask, status, &error);
}

static int operational_inertia(const request *ask, const state *at, result *out)
{
    arne_error error = {0};
    double    *Lambda = result_add(out, "Lambda", AXIS_TWIST, AXIS_TWIST);
    return request_end(ask,
                       arne_loop_operational_inertia(ask->robot, ask->work, ask->loop,
                                                     at->part[PART_Q], ask->frames[0], ask->axes,
                                                     Lambda, &error),
                       &error);
}

static int torque_rate(const request *ask, const state *at, result *out)
{
    const size_t      n = (size_t)arne_robot_sizes(ask->robot).v_count;
    arne_error        error = {0};
    double           *tau = result_add(out, "tau", AXIS_ACTIVE, AXIS_ONE);
    double           *rate = result_add(out, "tau_rate", AXIS_ACTIVE, AXIS_ONE);
    double           *all = need(2 * n, sizeof *all);
    const arne_status status = arne_loop_torque_rate(
        ask->robot, ask->work, ask->loop, at->part[PART_Q], at->part[PART_QD], at->part[PART_QDD],
        at->part[PART_QDDD], ask->loads, ask->load_count, NULL, all, all + n, &error);
    put_active_rows(ask, all, 1, tau);
    put_active_rows(ask, all + n, 1, rate);
    free(all);
    return request_end(ask, status, &error);
}

static int regressor(const request *ask, const state *at, result *out)
{
    const size_t      n = (size_t)arne_robot_sizes(ask->robot).v_count;
    const int         count = arne_parameter_count(ask->robot);
    arne_error        error = {0};
    double           *Y = result_add(out, "Y", AXIS_ACTIVE, AXIS_PARAMETER);
    double           *all = need(n * (size_t)count, sizeof *all);
    const arne_status status =
        arne_loop_regressor(ask->robot, ask->work, ask->loop, at->part[PART_Q], at->part[PART_QD],
                            at->part[PART_QDD], NULL, all, &error);
    put_active_rows(ask, all, count, Y);
    free(all);
    return request_end(ask, status, &error);
}

static int inverse_dynamics_derivatives(const request *ask, const state *at, result *out)
{
    static const char *const keys[] = {"dtau_dq", "dtau_dqd", "dtau_dqdd"};
    arne_error               error = {0};
    freedom                  f;
    double                  *D[3];
    for (int i = 0; i < 3; i++)
        D[i] = result_add(out, keys[i], AXIS_ACTIVE, AXIS_ACTIVE);
    arne_status  status = freedom_find(ask, at, &f, &error);
    const size_t square = (size_t)f.n * (size_t)f.n;
    double      *small = need(3 * square, sizeof *small);
    int          code = EXIT_FINE;
    if (status == ARNE_OK && f.active > f.mobility)
        code = fail_data("%s: %d active joints share the torques of %d motions, and "
                         "inverse-dynamics-derivatives of torques that are shared is not available",
                         ask->path, f.active, f.mobility);
    else if (status == ARNE_OK)
        status = arne_loop_inverse_dynamics_derivatives(
            ask->robot, ask->work, ask->loop, at->part[PART_Q], at->part[PART_QD],
            at->part[PART_QDD], ask->loads, ask->load_count, small, small + square,
            small + 2 * square, &error);
    for (int i = 0; status == ARNE_OK && code == EXIT_FINE && i < 3; i++)
        put_square(&f, small + (size_t)i * square, D[i]);
    free(small);
    freedom_free(&f);
    return code == EXIT_FINE ? request_end(ask, status, &error) : code;
}

static int forward_dynamics_derivatives(const request *ask, const state *at, result *out)
{
    arne_error   error = {0};
    freedom      f;
    double      *dq = result_add(out, "dqdd_dq", AXIS_V, AXIS_ACTIVE);
    double      *dqd = result_add(out, "dqdd_dqd", AXIS_V, AXIS_ACTIVE);
    double      *dtau = result_add(out, "dqdd_dtau", AXIS_V, AXIS_V);
    arne_status  status = freedom_find(ask, at, &f, &error);
    const size_t square = (size_t)f.n * (size_t)f.n;
    double      *small = need(2 * square, sizeof *small);
    if (status == ARNE_OK)
        status = arne_loop_forward_dynamics_derivatives(
            ask->robot, ask->work, ask->loop, at->part[PART_Q], at->part[PART_QD],
            at->part[PART_TAU], ask->loads, ask->load_count, NULL, small, small + square, dtau,
            &error);
    if (status == ARNE_OK) {
        put_columns(&f, small, dq);
        put_columns(&f, small + square, dqd);
    }
    free(small);
    freedom_free(&f);
    return request_end(ask, status, &error);
}

evaluate_fn closed_quantity(arne_algorithm algorithm)
{
    switch ((int)algorithm) {
    case ARNE_ALGORITHM_MASS_MATRIX:
        return mass_matrix;
    case ARNE_ALGORITHM_INVERSE_MASS_MATRIX:
        return inverse_mass_matrix;
    case ARNE_ALGORITHM_CORIOLIS_MATRIX:
        return coriolis_matrix;
    case ARNE_ALGORITHM_OPERATIONAL_INERTIA:
        return operational_inertia;
    case ARNE_ALGORITHM_TORQUE_RATE:
        return torque_rate;
    case ARNE_ALGORITHM_REGRESSOR:
        return regressor;
    case ARNE_ALGORITHM_INVERSE_DYNAMICS_DERIVATIVES:
        return inverse_dynamics_derivatives;
    case ARNE_ALGORITHM_FORWARD_DYNAMICS_DERIVATIVES:
        return forward_dynamics_derivatives;
    default:
        return NULL;
    }
}
