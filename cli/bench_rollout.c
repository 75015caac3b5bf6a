// `arne bench --gpu` of rollouts: many steps of simulation on the device, beside the processor.
#include "bench_gpu.h"
#include "message.h"

#include <arne/configuration.h>
#include <arne/dynamics.h>
#include <arne/integrate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// 100 steps of 1e-4 s: too short a time for rounding to grow, so that results can be compared.
enum { STEPS = 100, MOST_STATES = 1000000 };
static const double DT = 1e-4, STIFFNESS = 10, DAMPING = 1;

typedef struct way {
    const char *name;
    arne_method method;
    int         follows; // a reference
} way;

static const way ways[] = {{"rollout, Euler, 100 steps", ARNE_METHOD_EULER, 0},
                           {"rollout, RK4, 100 steps", ARNE_METHOD_RK4, 0},
                           {"rollout, Euler, PD, 100 steps", ARNE_METHOD_EULER, 1},
                           {"rollout, RK4, PD, 100 steps", ARNE_METHOD_RK4, 1}};

// ---- by the processor ----

typedef struct plant {
    const arne_robot *robot;
    arne_work        *work;
    const double     *tau, *q_ref;
    int               follows;
    double           *u, *off;
} plant;

static arne_status rate(void *context, double time, const double *q, const double *qd,
                        const double *z, double *qdd, double *zd, arne_error *error)
{
    plant    *p = context;
    const int n = arne_robot_sizes(p->robot).v_count;
    (void)time;
    (void)z;
    (void)zd;
    if (p->follows) arne_difference(p->robot, q, p->q_ref, p->off);
    for (int i = 0; i < n; i++)
        p->u[i] = p->tau[i] + (p->follows ? STIFFNESS * p->off[i] - DAMPING * qd[i] : 0);
    return arne_forward_dynamics(p->robot, p->work, q, qd, p->u, NULL, qdd, error);
}

static void bench_rollout_gather(const double *tile, size_t rows, size_t s, double *x)
{
    for (size_t k = 0; k < rows; k++)
        x[k] = tile[k * TILE + s];
}

// The state of each of the tile after all steps: rows of q, then rows of qd.
static arne_status bench_rollout_by_processor(const gpu_trial *t, const way *w, double *end,
                                              arne_error *error)
{
    const size_t                  nq = t->rows[0], n = t->rows[1];
    double                       *x = need(2 * nq + 5 * n + 1, sizeof *x);
    double                       *q = x, *ref = q + nq, *qd = ref + nq, *tau = qd + n;
    plant                         p = {.robot = t->robot,
                                       .tau = tau,
                                       .q_ref = ref,
                                       .follows = w->follows,
                                       .u = tau + n,
                                       .off = tau + 2 * n};
    const arne_system             system = {.robot = t->robot, .context = &p, .rate = rate};
    const arne_integrator_options how = {.size = sizeof how, .method = w->method, .step = DT};
    arne_integrator              *it = NULL;
    arne_status                   status = arne_work_new(t->robot, &p.work);
    if (status == ARNE_OK) status = arne_integrator_new(&system, &how, &it, error);
    for (size_t s = 0; s < TILE && status == ARNE_OK; s++) {
        bench_rollout_gather(t->tile[0], nq, s, q);
        bench_rollout_gather(t->tile[1], n, s, qd);
        bench_rollout_gather(t->tile[3], n, s, tau);
        bench_rollout_gather(t->tile[5], nq, s, ref);
        status = arne_integrator_start(it, 0, q, qd, NULL, error);
        if (status == ARNE_OK) status = arne_integrator_advance(it, STEPS * DT, NULL, error);
        for (size_t k = 0; k < nq && status == ARNE_OK; k++)
            end[k * TILE + s] = arne_integrator_q(it)[k];
        for (size_t k = 0; k < n && status == ARNE_OK; k++)
            end[(nq + k) * TILE + s] = arne_integrator_qd(it)[k];
    }
    arne_integrator_free(it);
    arne_work_free(p.work);
    free(x);
    return status;
}

// ---- beside the device ----

// Relative to the largest, of coordinates and of velocities.
static double bench_rollout_apart(const double *found, const double *wanted, size_t count)
{
    double off = 0, size = 1;
    for (size_t i = 0; i < count; i++) {
        const double d = fabs(found[i] - wanted[i]);
        off = d > off || isnan(d) ? d : off;
        size = fmax(size, fabs(wanted[i]));
    }
    return off / size;
}

static arne_status bench_rollout_measure(gpu_trial *t, const way *w, const arne_gpu_inputs *in,
                                         const arne_gpu_kernel *kernel, gpu_room end[2],
                                         const double *wanted, arne_error *error)
{
    const arne_gpu_outputs out = {.q_end = end[0].there, .qd_end = end[1].there};
    const size_t           nq = t->rows[0], n = t->rows[1];
    double                *found = need((nq + n) * TILE, sizeof *found), seconds;
    arne_status status = trial_time(t, ARNE_ALGORITHM_ROLLOUT, in, &out, &seconds, error);
    for (int i = 0; i < 2 && status == ARNE_OK; i++)
        status = arne_gpu_copy(t->gpu, end[i].here, end[i].there,
                               end[i].rows * t->count * trial_entry(t), error);
    if (status == ARNE_OK) {
        room_read(t, &end[0], found);
        room_read(t, &end[1], found + nq * TILE);
        const double off =
            fmax(bench_rollout_apart(found, wanted, nq * TILE),
                 bench_rollout_apart(found + nq * TILE, wanted + nq * TILE, n * TILE));
        trial_row(t, w->name, kernel, (double)t->count * STEPS / seconds, 0, off,
                  t->is_float ? 1e-3 : 1e-9);
    }
    free(found);
    return status;
}

static arne_status bench_way(gpu_trial *t, const way *w, const double *factors, arne_error *error)
{
    const size_t          nq = t->rows[0], n = t->rows[1];
    const arne_gpu_inputs in = {.q = t->there[0],
                                .qd = t->there[1],
                                .tau = t->there[3],
                                .q_ref = t->there[5],
                                .on_device = 1,
                                .steps = STEPS,
                                .dt = DT,
                                .method = w->method,
                                .kp = w->follows ? factors : NULL,
                                .kd = w->follows ? factors + n : NULL};
    double               *wanted = need((nq + n) * TILE, sizeof *wanted);
    gpu_room              end[2] = {{0}, {0}};
    arne_gpu_kernel       kernel;
    arne_status           status = bench_rollout_by_processor(t, w, wanted, error);
    if (status == ARNE_OK &&
        arne_gpu_prepare(t->gpu, ARNE_ALGORITHM_ROLLOUT, &in, NULL, &kernel, error) != ARNE_OK) {
        say("bench --gpu: %s: %s", w->name, error->text);
        free(wanted);
        return ARNE_OK; // the others may do
    }
    if (status == ARNE_OK) status = room_new(t, nq, &end[0], error);
    if (status == ARNE_OK) status = room_new(t, n, &end[1], error);
    if (status == ARNE_OK) status = bench_rollout_measure(t, w, &in, &kernel, end, wanted, error);
    room_free(t, &end[0]);
    room_free(t, &end[1]);
    free(wanted);
    return status;
}

arne_status bench_rollouts(gpu_trial *t, arne_error *error)
{
    const size_t n = t->rows[1];
    double      *factors = need(2 * n + 1, sizeof *factors);
    arne_status  status = trial_fill(t, MOST_STATES, error);
    for (size_t i = 0; i < n; i++) {
        factors[i] = STIFFNESS;
        factors[n + i] = DAMPING;
    }
    for (size_t i = 0; i < sizeof ways / sizeof ways[0] && status == ARNE_OK; i++)
        status = bench_way(t, &ways[i], factors, error);
    free(factors);
    return status;
}
