// Rollouts of a robot that stands on ground: by the compliant model beside the library's
// integrator, and by the rigid one.
#include "bench_gpu.h"
#include "message.h"

#include <arne/configuration.h>
#include <arne/contact.h>
#include <arne/dynamics.h>
#include <arne/integrate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORLDS = 1 << 17, APART = 8, STEPS = 100, ARRAYS = 5 };
static const double DT = 5e-4, STIFFNESS = 100, DAMPING = 2;

// APART different states, over and over.
typedef struct standing {
    gpu_trial         *t;
    size_t             nq, n, rows[ARRAYS]; // of q, qd, tau, q_ref, ground
    double            *x[ARRAYS], *factors; // of APART states, one after the other
    gpu_room           room[ARRAYS], end[2];
    unsigned long long left_out; // what is no point and no sphere
    double             ground[GROUND_NUMBERS];
} standing;

// ---- where it stands ----

static int choose_shapes(standing *s)
{
    const int count = arne_robot_sizes(s->t->robot).contact_count;
    int       kept = 0;
    for (int i = 0; i < count && i < 64; i++) {
        const arne_shape shape = arne_robot_contact(s->t->robot, i).shape;
        if (shape == ARNE_SHAPE_POINT || shape == ARNE_SHAPE_SPHERE)
            kept++;
        else
            s->left_out |= 1ull << i;
    }
    return kept && count <= 64;
}

// The height at which the lowest of its shapes touches the ground.
static arne_status lower(const standing *s, const arne_surface *plane, double *q, arne_error *error)
{
    arne_world *world = NULL;
    arne_work  *work = NULL;
    double      gap = INFINITY;
    arne_status status = arne_world_new(s->t->robot, plane, 1, &world, error);
    if (status == ARNE_OK) status = arne_work_new(s->t->robot, &work);
    if (status == ARNE_OK) {
        arne_kinematics(s->t->robot, work, q, NULL, NULL);
        const int count = arne_world_find(world, work, 1e9);
        for (int i = 0; i < count; i++)
            gap = fmin(gap, arne_world_touch(world, i).gap);
    }
    if (isfinite(gap)) q[2] -= gap;
    arne_work_free(work);
    arne_world_free(world);
    return status;
}

static arne_status stand(standing *s, arne_error *error)
{
    const arne_surface plane = {
        .model = ARNE_CONTACT_COMPLIANT, .friction = 0.8, .slip_velocity = 0.05, .no_pairs = 1};
    double *q = s->x[3];
    arne_neutral(s->t->robot, q);
    arne_status status = arne_surface_ground(s->t->robot, &plane, s->ground, error);
    if (status == ARNE_OK) status = lower(s, &plane, q, error);
    for (size_t k = 0; k < APART; k++) {
        memcpy(s->x[0] + k * s->nq, q, s->nq * sizeof *q);
        if (k) memcpy(s->x[3] + k * s->nq, q, s->nq * sizeof *q);
        memcpy(s->x[4] + k * GROUND_NUMBERS, s->ground, sizeof s->ground);
        for (size_t i = 0; i < s->n; i++)
            s->x[1][k * s->n + i] = 0.1 * sin((double)(k * s->n + i));
    }
    return status;
}

// ---- by the library ----

typedef struct plant {
    const standing *s;
    arne_work      *work;
    double         *off, *tau;
} plant;

static arne_status rate(void *context, double time, const double *q, const double *qd,
                        const double *z, double *qdd, double *zd, arne_error *error)
{
    const plant    *p = context;
    const standing *s = p->s;
    (void)time;
    (void)z;
    (void)zd;
    arne_difference(s->t->robot, q, s->x[3], p->off);
    for (size_t i = 0; i < s->n; i++)
        p->tau[i] = s->factors[i] * p->off[i] - s->factors[s->n + i] * qd[i];
    return arne_ground_dynamics(s->t->robot, p->work, q, qd, p->tau, s->ground, NULL, qdd, NULL,
                                error);
}

// The largest difference of the first states. In float that of coordinates alone: where a joint
// with dry friction changes its direction, rounding decides on its velocity.
static arne_status ground_apart(const standing *s, double *off, arne_error *error)
{
    double                       *room = need(2 * s->n, sizeof *room);
    plant                         p = {.s = s, .off = room, .tau = room + s->n};
    const arne_system             system = {.robot = s->t->robot, .context = &p, .rate = rate};
    const arne_integrator_options how = {.size = sizeof how, .step = DT * (1 + 1e-12)};
    arne_integrator              *it = NULL;
    arne_status                   status = arne_work_new(s->t->robot, &p.work);
    if (status == ARNE_OK) status = arne_integrator_new(&system, &how, &it, error);
    for (size_t k = 0; k < APART && status == ARNE_OK; k++) {
        status = arne_integrator_start(it, 0, s->x[0] + k * s->nq, s->x[1] + k * s->n, NULL, error);
        if (status == ARNE_OK) status = arne_integrator_advance(it, STEPS * DT, NULL, error);
        for (size_t i = 0; i < s->nq + (s->t->is_float ? 0 : s->n) && status == ARNE_OK; i++) {
            const size_t  is_v = i >= s->nq, row = is_v ? i - s->nq : i;
            const double *wanted = is_v ? arne_integrator_qd(it) : arne_integrator_q(it);
            const double  found = trial_get(s->t, s->end[is_v].here, row * s->t->count + k);
            const double  d = fabs(found - wanted[row]) / fmax(1, fabs(wanted[row]));
            *off = d > *off || isnan(d) ? d : *off;
        }
    }
    arne_integrator_free(it);
    arne_work_free(p.work);
    free(room);
    return status;
}

// ---- beside the device ----

static arne_status fill(standing *s, arne_error *error)
{
    gpu_trial  *t = s->t;
    arne_status status = ARNE_OK;
    t->count = WORLDS;
    for (int a = 0; a < ARRAYS && status == ARNE_OK; a++) {
        status = room_new(t, s->rows[a], &s->room[a], error);
        for (size_t i = 0; i < s->rows[a] && status == ARNE_OK; i++)
            for (size_t k = 0; k < WORLDS; k++)
                trial_put(t, s->room[a].here, i * WORLDS + k, s->x[a][k % APART * s->rows[a] + i]);
        if (status == ARNE_OK)
            status = arne_gpu_copy(t->gpu, s->room[a].there, s->room[a].here,
                                   s->rows[a] * WORLDS * trial_entry(t), error);
    }
    if (status == ARNE_OK) status = room_new(t, s->nq, &s->end[0], error);
    if (status == ARNE_OK) status = room_new(t, s->n, &s->end[1], error);
    return status;
}

static arne_status bench_ground_measure(standing *s, int sweeps, arne_error *error)
{
    gpu_trial             *t = s->t;
    const arne_gpu_inputs  in = {.q = s->room[0].there,
                                 .qd = s->room[1].there,
                                 .tau = s->room[2].there,
                                 .q_ref = s->room[3].there,
                                 .ground = s->room[4].there,
                                 .kp = s->factors,
                                 .kd = s->factors + s->n,
                                 .on_device = 1,
                                 .steps = STEPS,
                                 .dt = DT,
                                 .left_out = s->left_out,
                                 .sweeps = sweeps};
    const arne_gpu_outputs out = {.q_end = s->end[0].there, .qd_end = s->end[1].there};
    arne_gpu_kernel        kernel;
    char                   name[64] = "rollout, compliant ground";
    double                 seconds, off = 0;
    if (sweeps) snprintf(name, sizeof name, "rollout, rigid, %d sweeps", sweeps);
    if (arne_gpu_prepare(t->gpu, ARNE_ALGORITHM_ROLLOUT, &in, NULL, &kernel, error) != ARNE_OK) {
        say("bench --gpu: %s: %s", name, error->text);
        return ARNE_OK;
    }
    arne_status status = trial_time(t, ARNE_ALGORITHM_ROLLOUT, &in, &out, &seconds, error);
    for (int i = 0; i < 2 && status == ARNE_OK; i++)
        status = arne_gpu_copy(t->gpu, s->end[i].here, s->end[i].there,
                               s->end[i].rows * t->count * trial_entry(t), error);
    if (status == ARNE_OK && !sweeps) status = ground_apart(s, &off, error);
    if (status == ARNE_OK) // the library has no such rigid step: nothing is compared
        trial_row(t, name, &kernel, WORLDS * (double)STEPS / seconds, 0, sweeps ? -1 : off,
                  t->is_float ? 1e-2 : 1e-9);
    return status;
}

arne_status bench_ground(gpu_trial *t, arne_error *error)
{
    const size_t nq = t->rows[0], n = t->rows[1];
    standing     s = {.t = t, .nq = nq, .n = n, .rows = {nq, n, n, nq, GROUND_NUMBERS}};
    if (arne_robot_base(t->robot) != ARNE_BASE_FREE || !choose_shapes(&s)) return ARNE_OK;
    trial_drop(t);
    for (int a = 0; a < ARRAYS; a++)
        s.x[a] = need(s.rows[a] * APART, sizeof(double));
    s.factors = need(2 * n, sizeof *s.factors);
    for (size_t i = 6; i < n; i++) {
        s.factors[i] = STIFFNESS;
        s.factors[n + i] = DAMPING;
    }
    arne_status status = stand(&s, error);
    if (status == ARNE_OK) status = fill(&s, error);
    for (int sweeps = 0; sweeps <= 8 && status == ARNE_OK; sweeps = sweeps ? 2 * sweeps : 4)
        status = bench_ground_measure(&s, sweeps, error);
    for (int a = 0; a < ARRAYS; a++) {
        free(s.x[a]);
        room_free(t, &s.room[a]);
    }
    room_free(t, &s.end[0]);
    room_free(t, &s.end[1]);
    free(s.factors);
    t->count = 0; // its arrays were dropped
    return status;
}
