// IDA of SUNDIALS behind the interface of the integrators: robots with loops as a
// differential-algebraic system.
//
// Accelerations already obey the loops; what integration errors open is held closed by multipliers
// mu and nu, in the form of Gear, Gupta and Leimkuhler (1985):
//
//     q' = v + B^T mu,   v' = a(q, v) + B^T nu,   0 = g(q),   0 = J(q) v
//
// A condition on velocities alone has no g: there mu = 0.
//
// Both are zero but for rounding, so B need not be J: it is J with independent, orthonormal rows at
// the last step. Of rows that depend on each other, as those of a plane mechanism in space do, as
// many are kept as are independent at the start.
#include "base/error.h"
#include "simulate/stiff_solver.h"
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

typedef struct ida_memory {
    SUNContext      context;
    N_Vector        y, rate, kind, scale;
    SUNMatrix       matrix;
    SUNLinearSolver solver;
    void           *ida;
    int             rows, kept; // constraints, and those that are independent
    int             room;       // for how many the solver was made; -1: not made
    int            *row;        // which they are
    int            *slips;      // of all: conditions on velocities alone, as of a wheel that rolls
    double         *B, *J, *errors, *rates, *speed;
    arne_error      said;
    char            complaint[256];
} ida_memory;

static int state_size(const arne_integrator *it) { return it->nq + it->nv + it->nz; }

static void ida_say_nothing(int code, const char *module, const char *function, char *text,
                            void *user)
{
    const arne_integrator *it = user;
    ida_memory            *m = it->solver;
    (void)module;
    if (code < 0) snprintf(m->complaint, sizeof m->complaint, "%s: %s", function, text);
}

// out = x + B^T multipliers
static void add_forces(const arne_integrator *it, const ida_memory *m, const double *x,
                       const double *multipliers, double *out)
{
    for (int k = 0; k < it->nv; k++) {
        out[k] = x[k];
        for (int i = 0; i < m->kept; i++)
            out[k] += m->B[i * it->nv + k] * multipliers[i];
    }
}

static int ida_residual(realtype time, N_Vector state, N_Vector state_rate, N_Vector out,
                        void *user)
{
    arne_integrator *it = user;
    ida_memory      *m = it->solver;
    const double    *q = N_VGetArrayPointer(state), *qd = q + it->nq, *z = qd + it->nv;
    const double    *mu = z + it->nz, *nu = mu + m->kept, *rate = N_VGetArrayPointer(state_rate);
    double *f = N_VGetArrayPointer(out), *fv = f + it->nq, *fz = fv + it->nv, *fg = fz + it->nz;
    memcpy(it->q1, q, (size_t)it->nq * sizeof *q);
    arne_normalize(it->system.robot, it->q1);
    add_forces(it, m, qd, mu, m->speed);
    arne_coordinate_rate(it->system.robot, it->q1, m->speed, f);
    if (it->system.rate(it->system.context, time, it->q1, qd, it->nz ? z : NULL, m->speed,
                        it->nz ? fz : NULL, &m->said) != ARNE_OK)
        return 1; // a shorter step may do
    add_forces(it, m, m->speed, nu, fv);
    for (int i = 0; i < state_size(it); i++)
        f[i] = rate[i] - f[i];
    if (m->kept && it->system.constraints(it->system.context, time, it->q1, qd, m->errors, m->rates,
                                          NULL, &m->said) != ARNE_OK)
        return 1;
    for (int i = 0; i < m->kept; i++) {
        fg[i] = m->slips[m->row[i]] ? mu[i] : m->errors[m->row[i]];
        fg[m->kept + i] = m->rates[m->row[i]];
    }
    for (int i = 0; i < state_size(it) + 2 * m->kept; i++)
        if (!isfinite(f[i])) return 1;
    return 0;
}

static int ida_events(realtype time, N_Vector y, N_Vector rate, realtype *values, void *user)
{
    arne_integrator *it = user;
    const double    *q = N_VGetArrayPointer(y);
    (void)rate;
    it->system.events(it->system.context, time, q, q + it->nq, q + it->nq + it->nv, values);
    return 0;
}

// What of a row of J is not in the rows of B already, orthonormal, as row `at` of B. Returns how
// much that was.
static double orthonormal(const arne_integrator *it, ida_memory *m, const double *row, int at)
{
    double *b = m->B + at * it->nv, square = 0;
    memcpy(b, row, (size_t)it->nv * sizeof *b);
    for (int twice = 0; twice < 2; twice++)
        for (int i = 0; i < at; i++) {
            double along = 0;
            for (int k = 0; k < it->nv; k++)
                along += m->B[i * it->nv + k] * b[k];
            for (int k = 0; k < it->nv; k++)
                b[k] -= along * m->B[i * it->nv + k];
        }
    for (int k = 0; k < it->nv; k++)
        square += b[k] * b[k];
    const double length = sqrt(square);
    for (int k = 0; k < it->nv && length > 0; k++)
        b[k] /= length;
    return length;
}

// B at this state; with `choose` also which rows are independent.
static arne_status ida_find_rows(arne_integrator *it, ida_memory *m, int choose, arne_error *error)
{
    if (!m->rows) return ARNE_OK;
    const arne_status status = it->system.constraints(it->system.context, it->time, it->q, it->qd,
                                                      m->errors, m->rates, m->J, error);
    if (status != ARNE_OK) return status;
    if (choose) m->kept = 0;
    for (int i = 0; i < (choose ? m->rows : m->kept); i++) {
        const int    row = choose ? i : m->row[i];
        const double fresh = orthonormal(it, m, m->J + row * it->nv, choose ? m->kept : i);
        if (choose && fresh > 1e-7) m->row[m->kept++] = row;
    }
    return ARNE_OK;
}

// The rows of a system are those of the robot's loops.
static void mark_slips(const arne_integrator *it, ida_memory *m)
{
    const arne_sizes sizes = arne_robot_sizes(it->system.robot);
    for (int i = 0; i < sizes.loop_count && m->rows == sizes.loop_row_count; i++) {
        const arne_loop_info l = arne_robot_loop(it->system.robot, i);
        for (int k = 0; k < l.row_count; k++)
            m->slips[l.row_start + k] =
                l.kind == ARNE_LOOP_ROLLING || l.kind == ARNE_LOOP_KNIFE_EDGE;
    }
}

static arne_status ida_new(arne_integrator *it, arne_error *error)
{
    ida_memory  *m = it->solver = calloc(1, sizeof *m);
    const size_t rows = (size_t)it->system.constraint_count, nv = (size_t)it->nv;
    if (!m || SUNContext_Create(NULL, &m->context) != 0) return arne_fail_memory(error);
    m->rows = it->system.constraint_count;
    m->room = -1;
    m->row = calloc(2 * rows + 1, sizeof *m->row);
    m->B = calloc(2 * (rows + 1) * nv + 2 * rows + nv + 1, sizeof *m->B);
    if (!m->row || !m->B) return arne_fail_memory(error);
    m->slips = m->row + rows;
    mark_slips(it, m);
    m->J = m->B + (rows + 1) * nv;
    m->errors = m->J + rows * nv;
    m->rates = m->errors + rows;
    m->speed = m->rates + rows;
    return ARNE_OK;
}

static void free_solver(ida_memory *m)
{
    if (m->ida) IDAFree(&m->ida);
    if (m->solver) SUNLinSolFree(m->solver);
    if (m->matrix) SUNMatDestroy(m->matrix);
    if (m->y) N_VDestroy(m->y);
    if (m->rate) N_VDestroy(m->rate);
    if (m->kind) N_VDestroy(m->kind);
    if (m->scale) N_VDestroy(m->scale);
    m->solver = NULL;
    m->matrix = NULL;
    m->y = m->rate = m->kind = m->scale = NULL;
    m->room = -1;
}

static void ida_free(arne_integrator *it)
{
    ida_memory *m = it->solver;
    if (!m) return;
    free_solver(m);
    if (m->context) SUNContext_Free(&m->context);
    free(m->row);
    free(m->B);
    free(m);
    it->solver = NULL;
}

// Makes vectors, matrix and solver for the multipliers that are kept now.
static int make_solver(arne_integrator *it, ida_memory *m)
{
    const sunindextype n = state_size(it) + 2 * m->kept;
    free_solver(m);
    m->y = N_VNew_Serial(n, m->context);
    m->rate = N_VNew_Serial(n, m->context);
    m->kind = N_VNew_Serial(n, m->context);
    m->scale = N_VNew_Serial(n, m->context);
    m->matrix = SUNDenseMatrix(n, n, m->context);
    m->ida = IDACreate(m->context);
    if (!m->y || !m->rate || !m->kind || !m->scale || !m->matrix || !m->ida) return 1;
    m->solver = SUNLinSol_Dense(m->y, m->matrix, m->context);
    m->room = m->kept;
    return !m->solver;
}

static int ida_configure(arne_integrator *it, ida_memory *m)
{
    const arne_integrator_options *o = &it->options;
    // Multipliers are held to no tolerance: they are rounding errors over the length of the step.
    N_VConst(o->absolute, m->scale);
    for (int i = 0; i < 2 * m->kept; i++)
        N_VGetArrayPointer(m->scale)[state_size(it) + i] = 1e6;
    N_VConst(1, m->kind);
    memset(N_VGetArrayPointer(m->kind) + state_size(it), 0, sizeof(double) * 2 * (size_t)m->kept);
    int bad = IDAInit(m->ida, ida_residual, it->time, m->y, m->rate);
    bad = bad || IDASetErrHandlerFn(m->ida, ida_say_nothing, it);
    bad = bad || IDASetUserData(m->ida, it);
    bad = bad || IDASVtolerances(m->ida, o->relative, m->scale);
    bad = bad || IDASetLinearSolver(m->ida, m->solver, m->matrix);
    bad = bad || IDASetId(m->ida, m->kind);
    bad = bad || IDASetSuppressAlg(m->ida, SUNTRUE);
    bad = bad || IDASetMaxNumSteps(m->ida, -1);
    if (isfinite(o->max_step)) bad = bad || IDASetMaxStep(m->ida, o->max_step);
    if (it->system.event_count > 0)
        bad = bad || IDARootInit(m->ida, it->system.event_count, ida_events);
    return bad;
}

// The state, with rates that agree with it; multipliers are zero.
static arne_status fill_state(arne_integrator *it, ida_memory *m, arne_error *error)
{
    double *y = N_VGetArrayPointer(m->y), *rate = N_VGetArrayPointer(m->rate);
    N_VConst(0, m->y);
    N_VConst(0, m->rate);
    memcpy(y, it->q, (size_t)state_size(it) * sizeof *y);
    arne_coordinate_rate(it->system.robot, it->q, it->qd, rate);
    it->stats.rates++;
    return it->system.rate(it->system.context, it->time, it->q, it->qd, it->nz ? it->z : NULL,
                           rate + it->nq, it->nz ? rate + it->nq + it->nv : NULL, error);
}

// First step [s] where none is asked for. IDA's own choice follows the tolerance alone; where it is
// very short, the multipliers are inaccurate.
static const double FIRST_STEP = 1e-6;

static arne_status ida_start(arne_integrator *it, arne_error *error)
{
    ida_memory *m = it->solver;
    arne_status status = ida_find_rows(it, m, 1, error);
    if (status != ARNE_OK) return status;
    const int again = m->room == m->kept;
    if (!again && make_solver(it, m)) return arne_fail_memory(error);
    status = fill_state(it, m, error);
    if (status != ARNE_OK) return status;
    if ((again ? IDAReInit(m->ida, it->time, m->y, m->rate) : ida_configure(it, m)) ||
        IDASetInitStep(m->ida, it->options.step > 0 ? it->options.step : FIRST_STEP))
        return arne_fail(error, ARNE_NO_MEMORY, NULL, 0, "IDA cannot start: %s", m->complaint);
    return ARNE_OK;
}

static void ida_count(arne_integrator *it, ida_memory *m, int sign)
{
    long steps = 0, failed = 0, rates = 0, columns = 0;
    IDAGetNumSteps(m->ida, &steps);
    IDAGetNumErrTestFails(m->ida, &failed);
    IDAGetNumResEvals(m->ida, &rates);
    IDAGetNumLinResEvals(m->ida, &columns);
    it->stats.steps += sign * steps;
    it->stats.rejected += sign * failed;
    it->stats.rates += sign * (rates + columns);
    it->stats.columns += sign * columns;
}

static int ida_first_root(const arne_integrator *it, ida_memory *m)
{
    int found[64] = {0};
    if (it->system.event_count > 64 || IDAGetRootInfo(m->ida, found) != IDA_SUCCESS) return 0;
    for (int i = 0; i < it->system.event_count; i++)
        if (found[i]) return i;
    return 0;
}

static arne_status ida_advance(arne_integrator *it, double until, int *event, arne_error *error)
{
    ida_memory *m = it->solver;
    int         flag = IDA_SUCCESS;
    arne_error_clear(&m->said);
    m->complaint[0] = 0;
    while (it->time < until) {
        double time = it->time;
        ida_count(it, m, -1);
        flag = IDASetStopTime(m->ida, until);
        if (flag == IDA_SUCCESS) flag = IDASolve(m->ida, until, &time, m->y, m->rate, IDA_ONE_STEP);
        ida_count(it, m, 1);
        if (flag < 0) break;
        it->time = flag == IDA_TSTOP_RETURN ? until : time;
        memcpy(it->q, N_VGetArrayPointer(m->y), (size_t)state_size(it) * sizeof *it->q);
        arne_normalize(it->system.robot, it->q);
        const arne_status status = ida_find_rows(it, m, 0, error);
        if (status != ARNE_OK) return status;
        if (flag == IDA_ROOT_RETURN && event) {
            *event = ida_first_root(it, m);
            return ARNE_OK;
        }
    }
    if (flag >= 0) return ARNE_OK;
    if (m->said.code != ARNE_OK && error) *error = m->said;
    if (m->said.code != ARNE_OK) return m->said.code;
    return integrator_gave_up(it, m->complaint, error);
}

const stiff_solver ida_solver = {ida_new, ida_free, ida_start, ida_advance};
