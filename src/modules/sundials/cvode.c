// CVODE of SUNDIALS behind the interface of the integrators: BDF of variable order and step, with a
// Newton iteration on a dense Jacobian by differences. The numbers of q are integrated as they are
// (qdot by arne_coordinate_rate), and CVODE's projection keeps quaternions at unit length and loops
// closed.
#include "base/error.h"
#include "simulate/stiff_solver.h"
#include <math.h>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

typedef struct cvode_memory {
    SUNContext      context;
    N_Vector        y;
    SUNMatrix       matrix;
    SUNLinearSolver solver;
    void           *cvode;
    int             started, roots;
    arne_error     *error; // of the call that is running
    arne_error      said;  // what the right-hand side said last
    char            complaint[256];
} cvode_memory;

static void cvode_say_nothing(int code, const char *module, const char *function, char *text,
                              void *user)
{
    const arne_integrator *it = user;
    cvode_memory          *m = it->solver;
    (void)module;
    if (code < 0) snprintf(m->complaint, sizeof m->complaint, "%s: %s", function, text);
}

static int cvode_rate(realtype time, N_Vector y, N_Vector rate, void *user)
{
    arne_integrator *it = user;
    cvode_memory    *m = it->solver;
    const double    *q = N_VGetArrayPointer(y), *qd = q + it->nq, *z = qd + it->nv;
    double          *qdot = N_VGetArrayPointer(rate);
    memcpy(it->q1, q, (size_t)it->nq * sizeof *q);
    arne_normalize(it->system.robot, it->q1);
    arne_coordinate_rate(it->system.robot, it->q1, qd, qdot);
    if (it->system.rate(it->system.context, time, it->q1, qd, it->nz ? z : NULL, qdot + it->nq,
                        it->nz ? qdot + it->nq + it->nv : NULL, &m->said) != ARNE_OK)
        return 1; // a shorter step may do
    for (int i = 0; i < it->nq + it->nv + it->nz; i++)
        if (!isfinite(qdot[i])) return 1;
    return 0;
}

static int cvode_project(realtype time, N_Vector y, N_Vector correction, realtype tolerance,
                         N_Vector error, void *user)
{
    arne_integrator *it = user;
    cvode_memory    *m = it->solver;
    const double    *from = N_VGetArrayPointer(y);
    double          *by = N_VGetArrayPointer(correction);
    const int        count = it->nq + it->nv;
    (void)tolerance, (void)error;
    N_VConst(0, correction);
    memcpy(it->q1, from, (size_t)count * sizeof *from);
    arne_normalize(it->system.robot, it->q1);
    if (it->system.project &&
        it->system.project(it->system.context, time, it->q1, it->qd1, &m->said) != ARNE_OK)
        return 1;
    for (int i = 0; i < count; i++)
        by[i] = it->q1[i] - from[i];
    return 0;
}

static int cvode_events(realtype time, N_Vector y, realtype *values, void *user)
{
    arne_integrator *it = user;
    const double    *q = N_VGetArrayPointer(y);
    it->system.events(it->system.context, time, q, q + it->nq, q + it->nq + it->nv, values);
    return 0;
}

static arne_status cvode_new(arne_integrator *it, arne_error *error)
{
    const sunindextype count = it->nq + it->nv + it->nz;
    cvode_memory      *m = it->solver = calloc(1, sizeof *m);
    if (!m || SUNContext_Create(NULL, &m->context) != 0) return arne_fail_memory(error);
    m->y = N_VMake_Serial(count, it->q, m->context);
    m->matrix = SUNDenseMatrix(count, count, m->context);
    m->cvode = CVodeCreate(CV_BDF, m->context);
    if (m->y && m->matrix) m->solver = SUNLinSol_Dense(m->y, m->matrix, m->context);
    return m->cvode && m->solver ? ARNE_OK : arne_fail_memory(error);
}

static void cvode_free(arne_integrator *it)
{
    cvode_memory *m = it->solver;
    if (!m) return;
    if (m->cvode) CVodeFree(&m->cvode);
    if (m->solver) SUNLinSolFree(m->solver);
    if (m->matrix) SUNMatDestroy(m->matrix);
    if (m->y) N_VDestroy(m->y);
    if (m->context) SUNContext_Free(&m->context);
    free(m);
    it->solver = NULL;
}

// What is asked of CVODE once; returns 0 where it agrees.
static int cvode_configure(arne_integrator *it, cvode_memory *m)
{
    const arne_integrator_options *o = &it->options;
    const int                      has_quaternions = it->nq != it->nv || it->system.project;
    int                            bad = CVodeInit(m->cvode, cvode_rate, it->time, m->y);
    bad = bad || CVodeSetErrHandlerFn(m->cvode, cvode_say_nothing, it);
    bad = bad || CVodeSetUserData(m->cvode, it);
    bad = bad || CVodeSStolerances(m->cvode, o->relative, o->absolute);
    bad = bad || CVodeSetLinearSolver(m->cvode, m->solver, m->matrix);
    bad = bad || CVodeSetMaxNumSteps(m->cvode, -1);
    if (isfinite(o->max_step)) bad = bad || CVodeSetMaxStep(m->cvode, o->max_step);
    if (has_quaternions) bad = bad || CVodeSetProjFn(m->cvode, cvode_project);
    if (it->system.event_count > 0)
        bad = bad || CVodeRootInit(m->cvode, it->system.event_count, cvode_events);
    return bad;
}

// Counts of the run that ends here are added up, as a new start sets CVODE's own to zero.
static void count(arne_integrator *it, cvode_memory *m, int sign)
{
    long steps = 0, failed = 0, rates = 0, columns = 0;
    CVodeGetNumSteps(m->cvode, &steps);
    CVodeGetNumErrTestFails(m->cvode, &failed);
    CVodeGetNumRhsEvals(m->cvode, &rates);
    CVodeGetNumLinRhsEvals(m->cvode, &columns);
    it->stats.steps += sign * steps;
    it->stats.rejected += sign * failed;
    it->stats.rates += sign * (rates + columns);
    it->stats.columns += sign * columns;
}

static arne_status cvode_start(arne_integrator *it, arne_error *error)
{
    cvode_memory *m = it->solver;
    const int     bad = m->started ? CVodeReInit(m->cvode, it->time, m->y) : cvode_configure(it, m);
    if (bad || CVodeSetInitStep(m->cvode, it->options.step))
        return arne_fail(error, ARNE_NO_MEMORY, NULL, 0, "CVODE cannot start: %s", m->complaint);
    m->started = 1;
    return ARNE_OK;
}

static int cvode_first_root(const arne_integrator *it, cvode_memory *m)
{
    int found[64] = {0};
    if (it->system.event_count > 64 || CVodeGetRootInfo(m->cvode, found) != CV_SUCCESS) return 0;
    for (int i = 0; i < it->system.event_count; i++)
        if (found[i]) return i;
    return 0;
}

static arne_status cvode_advance(arne_integrator *it, double until, int *event, arne_error *error)
{
    cvode_memory *m = it->solver;
    const size_t  size = (size_t)(it->nq + it->nv + it->nz) * sizeof(double);
    int           flag = CV_SUCCESS;
    arne_error_clear(&m->said);
    m->complaint[0] = 0;
    while (it->time < until) {
        double time = it->time;
        memcpy(it->q0, it->q, size);
        count(it, m, -1);
        flag = CVodeSetStopTime(m->cvode, until);
        if (flag == CV_SUCCESS) flag = CVode(m->cvode, until, m->y, &time, CV_ONE_STEP);
        count(it, m, 1);
        if (flag < 0) break;
        it->time = flag == CV_TSTOP_RETURN ? until : time;
        arne_normalize(it->system.robot, it->q);
        if (flag == CV_ROOT_RETURN && event) {
            *event = cvode_first_root(it, m);
            return ARNE_OK;
        }
    }
    if (flag >= 0) return ARNE_OK;
    // The vector may hold what CVODE had on trial when it gave up: go back to the last good state.
    memcpy(it->q, it->q0, size);
    if (m->said.code != ARNE_OK && error) *error = m->said;
    if (m->said.code != ARNE_OK) return m->said.code;
    return integrator_gave_up(it, m->complaint, error);
}

const stiff_solver cvode_solver = {cvode_new, cvode_free, cvode_start, cvode_advance};
