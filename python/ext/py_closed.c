// One state of a mechanism with loops, as `arne compute` has it.
//
// Arrays have the shapes of the catalogue, over all joints: rows and columns of passive joints are
// zero, and so are those of active joints that depend on others, where there are more of them than
// mobility. So tau = M qdd + C qd + g over all joints too.
#include "single_state.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The independent coordinates at a state; and room for matrices over them.
typedef struct freedom {
    int     n, mobility;
    int    *independent;
    double *G, *small; // v_count x mobility; three squares
} freedom;

static void freedom_free(freedom *f)
{
    free(f->independent);
    free(f->G);
    free(f->small);
}

static arne_status freedom_find(const call *c, freedom *f)
{
    const size_t n = (size_t)c->self->size.v_count;
    *f = (freedom){.n = (int)n,
                   .independent = malloc((n + 1) * sizeof(int)),
                   .G = malloc((n * n + 1) * sizeof(double)),
                   .small = malloc((3 * n * n + 1) * sizeof(double))};
    if (!f->independent || !f->G || !f->small) return ARNE_NO_MEMORY;
    return arne_loop_jacobian(c->self->robot, c->work, c->loop, IN(q), f->G, f->independent,
                              &f->mobility, NULL, c->error);
}

static void put_square(const freedom *f, const double *from, double *to)
{
    memset(to, 0, (size_t)(f->n * f->n) * sizeof *to);
    for (int i = 0; i < f->mobility; i++)
        for (int k = 0; k < f->mobility; k++)
            to[f->independent[i] * f->n + f->independent[k]] = from[i * f->mobility + k];
}

static void put_columns(const freedom *f, const double *from, double *to)
{
    memset(to, 0, (size_t)(f->n * f->n) * sizeof *to);
    for (int i = 0; i < f->n; i++)
        for (int k = 0; k < f->mobility; k++)
            to[i * f->n + f->independent[k]] = from[i * f->mobility + k];
}

// ---- kinematics ----

STATE(assemble)
{
    UNPACK;
    arne_assembly found = {0};
    memcpy(out[0], IN(q), (size_t)c->self->size.q_count * sizeof(double));
    const arne_status status = arne_assemble(r, w, c->loop, NULL, out[0], &found, c->error);
    *out[1] = found.closure;
    *out[2] = found.branch;
    return status;
}

// Columns are those of the active joints.
STATE(loop_jacobian)
{
    UNPACK;
    arne_loop_report report = {0};
    freedom          f;
    const int        n = c->self->size.v_count;
    unsigned char   *active = malloc((size_t)n + 1);
    arne_status      status = freedom_find(c, &f);
    if (!active) status = ARNE_NO_MEMORY;
    const int columns = active ? arne_active(r, active) : 0;
    if (!status) memset(out[0], 0, (size_t)(n * columns) * sizeof *out[0]);
    for (int k = 0; k < f.mobility && !status; k++) {
        int column = 0;
        for (int i = 0; i < f.independent[k]; i++)
            column += active[i];
        for (int i = 0; i < n; i++)
            out[0][i * columns + column] = f.G[i * f.mobility + k];
    }
    if (!status) status = arne_loop_analyse(r, w, c->loop, IN(q), &report, NULL, c->error);
    *out[1] = report.condition;
    free(active);
    freedom_free(&f);
    return status;
}

// ---- dynamics ----

STATE(inverse_dynamics)
{
    UNPACK;
    return arne_loop_inverse_dynamics(r, w, c->loop, IN(q), IN(qd), IN(qdd), WRENCHES, NULL, out[0],
                                      c->error);
}

STATE(gravity)
{
    UNPACK;
    return arne_loop_gravity(r, w, c->loop, IN(q), NULL, out[0], c->error);
}

STATE(bias)
{
    UNPACK;
    return arne_loop_bias(r, w, c->loop, IN(q), IN(qd), WRENCHES, NULL, out[0], c->error);
}

STATE(forward_dynamics)
{
    UNPACK;
    return arne_loop_forward_dynamics(r, w, c->loop, IN(q), IN(qd), IN(tau), WRENCHES, NULL, out[0],
                                      c->error);
}

// Torques of the motion, and the forces of loops that go with them.
static arne_status carry(const call *c, double *tau, int *indeterminate)
{
    UNPACK;
    arne_status status = arne_loop_inverse_dynamics(r, w, c->loop, IN(q), IN(qd), IN(qdd), WRENCHES,
                                                    NULL, tau, c->error);
    if (!status)
        status = arne_loop_forces(r, w, c->loop, IN(q), IN(qd), IN(qdd), WRENCHES, tau, NULL,
                                  indeterminate, c->error);
    return status;
}

STATE(joint_wrenches)
{
    double *tau = malloc(((size_t)c->self->size.v_count + 1) * sizeof *tau);
    if (!tau) return ARNE_NO_MEMORY;
    const arne_status status = carry(c, tau, NULL);
    free(tau);
    if (!status) put_joint_wrenches(c);
    return status;
}

STATE(loop_forces)
{
    UNPACK;
    int               indeterminate = 0;
    const arne_status status = carry(c, out[2], &indeterminate);
    for (int i = 0; i < c->self->size.loop_count && !status; i++)
        put_wrench(out[0] + 6 * i, arne_loop_wrench(r, w, c->loop, i));
    *out[1] = indeterminate;
    return status;
}

STATE(mass_matrix)
{
    UNPACK;
    freedom     f;
    arne_status status = freedom_find(c, &f);
    double     *zero = calloc((size_t)f.n + 1, sizeof *zero);
    if (!zero) status = ARNE_NO_MEMORY;
    if (!status)
        status = arne_loop_reduced(r, w, c->loop, IN(q), zero, NULL, f.small, NULL, c->error);
    if (!status) put_square(&f, f.small, out[0]);
    free(zero);
    freedom_free(&f);
    return status;
}

STATE(coriolis_matrix)
{
    UNPACK;
    freedom     f;
    arne_status status = freedom_find(c, &f);
    if (!status)
        status = arne_loop_coriolis_matrix(r, w, c->loop, IN(q), IN(qd), f.small, c->error);
    if (!status) put_square(&f, f.small, out[0]);
    freedom_free(&f);
    return status;
}

// The entries of the active joints.
STATE(inverse_mass_matrix)
{
    UNPACK;
    const size_t   n = (size_t)c->self->size.v_count;
    unsigned char *active = malloc(n + 1);
    if (!active) return ARNE_NO_MEMORY;
    arne_active(r, active);
    const arne_status status =
        arne_loop_inverse_mass_matrix(r, w, c->loop, IN(q), out[0], c->error);
    for (size_t i = 0; i < n * n && !status; i++)
        if (!active[i / n] || !active[i % n]) out[0][i] = 0;
    free(active);
    return status;
}

STATE(operational_inertia)
{
    UNPACK;
    return arne_loop_operational_inertia(r, w, c->loop, IN(q), c->what->frame, c->what->axes,
                                         out[0], c->error);
}

// ---- rates and derivatives ----

#define LOADS c->what->loads, c->what->load_count

STATE(torque_rate)
{
    UNPACK;
    return arne_loop_torque_rate(r, w, c->loop, IN(q), IN(qd), IN(qdd), IN(qddd), LOADS, NULL,
                                 out[0], out[1], c->error);
}

STATE(regressor)
{
    UNPACK;
    return arne_loop_regressor(r, w, c->loop, IN(q), IN(qd), IN(qdd), NULL, out[0], c->error);
}

static arne_status torques_are_shared(const call *c, int active, int mobility)
{
    if (c->error)
        snprintf(c->error->text, sizeof c->error->text,
                 "%d active joints share the torques of %d motions, and %s of torques that are "
                 "shared is not available",
                 active, mobility, c->m->name);
    return ARNE_UNSUPPORTED;
}

STATE(inverse_dynamics_derivatives)
{
    UNPACK;
    freedom        f;
    arne_status    status = freedom_find(c, &f);
    const size_t   square = (size_t)f.n * (size_t)f.n;
    unsigned char *active = malloc((size_t)f.n + 1);
    const int      driven = active ? arne_active(r, active) : 0;
    free(active);
    if (!active) status = ARNE_NO_MEMORY;
    if (!status && driven > f.mobility) status = torques_are_shared(c, driven, f.mobility);
    if (!status)
        status = arne_loop_inverse_dynamics_derivatives(r, w, c->loop, IN(q), IN(qd), IN(qdd),
                                                        LOADS, f.small, f.small + square,
                                                        f.small + 2 * square, c->error);
    for (size_t i = 0; i < 3 && !status; i++)
        put_square(&f, f.small + i * square, out[i]);
    freedom_free(&f);
    return status;
}

STATE(forward_dynamics_derivatives)
{
    UNPACK;
    freedom      f;
    arne_status  status = freedom_find(c, &f);
    const size_t square = (size_t)f.n * (size_t)f.n;
    if (!status)
        status = arne_loop_forward_dynamics_derivatives(r, w, c->loop, IN(q), IN(qd), IN(tau),
                                                        LOADS, NULL, f.small, f.small + square,
                                                        out[2], c->error);
    for (size_t i = 0; i < 2 && !status; i++)
        put_columns(&f, f.small + i * square, out[i]);
    freedom_free(&f);
    return status;
}

static const state_function functions[ARNE_ALGORITHM_COUNT] = {
    [ARNE_ALGORITHM_ASSEMBLE] = assemble,
    [ARNE_ALGORITHM_LOOP_JACOBIAN] = loop_jacobian,
    [ARNE_ALGORITHM_LOOP_FORCES] = loop_forces,
    [ARNE_ALGORITHM_INVERSE_DYNAMICS] = inverse_dynamics,
    [ARNE_ALGORITHM_GRAVITY] = gravity,
    [ARNE_ALGORITHM_BIAS] = bias,
    [ARNE_ALGORITHM_JOINT_WRENCHES] = joint_wrenches,
    [ARNE_ALGORITHM_FORWARD_DYNAMICS] = forward_dynamics,
    [ARNE_ALGORITHM_MASS_MATRIX] = mass_matrix,
    [ARNE_ALGORITHM_INVERSE_MASS_MATRIX] = inverse_mass_matrix,
    [ARNE_ALGORITHM_CORIOLIS_MATRIX] = coriolis_matrix,
    [ARNE_ALGORITHM_OPERATIONAL_INERTIA] = operational_inertia,
    [ARNE_ALGORITHM_TORQUE_RATE] = torque_rate,
    [ARNE_ALGORITHM_REGRESSOR] = regressor,
    [ARNE_ALGORITHM_INVERSE_DYNAMICS_DERIVATIVES] = inverse_dynamics_derivatives,
    [ARNE_ALGORITHM_FORWARD_DYNAMICS_DERIVATIVES] = forward_dynamics_derivatives,
};

state_function closed_function(arne_algorithm algorithm) { return functions[algorithm]; }
