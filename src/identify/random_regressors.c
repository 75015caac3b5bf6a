#include "identify/random_regressors.h"
#include "base/random.h"
#include "robot/kernel.h"
#include <arne/integrate.h>
#include <math.h>
#include <stdlib.h>

// Fast enough that inertial torques are of the size of gravity torques.
static const double SPEED = 3, ACCELERATION = 5;

static void random_regressors_fill(uint64_t *seed, int count, double size, double *out)
{
    for (int i = 0; i < count; i++)
        out[i] = random_between(seed, -size, size);
}

static motion random_regressors_random_motion(uint64_t *seed, double size)
{
    double x[6];
    random_regressors_fill(seed, 6, size, x);
    return mo(v3(x[0], x[1], x[2]), v3(x[3], x[4], x[5]));
}

static pose random_pose(uint64_t *seed)
{
    double h[4], p[3];
    random_regressors_fill(seed, 4, 1, h);
    random_regressors_fill(seed, 3, 1, p);
    h[3] += 2; // far enough from zero
    const double length = sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2] + h[3] * h[3]);
    for (int i = 0; i < 4; i++)
        h[i] /= length;
    return pose_from(quaternion_rotation(h), v3(p[0], p[1], p[2]));
}

// Every other time a spline is met between two of its points: what a regressor is there may not be
// what it is on the straight lines beyond them.
static void between_points(const arne_robot *r, uint64_t *seed, double *q)
{
    for (int i = 0; i < r->follow_count; i++) {
        const follow_record   *f = &robot_follows(r)[i];
        const arne_joint_info *with = &robot_joints(r)[f->with].info;
        const double          *x = robot_points(r) + f->points;
        if (f->function.kind != ARNE_FUNCTION_SPLINE || !with->q_count) continue;
        if (random_between(seed, 0, 1) < 0.5) continue;
        const int k = (int)random_between(seed, 0, f->function.count - 1);
        q[with->q_start] = random_between(seed, x[k], x[k + 1]);
    }
}

static void one_state(const arne_robot *r, work *w, parameter_axes axes, uint64_t *seed,
                      double *state, double *Y)
{
    double *q = state, *qd = q + r->q_count, *qdd = qd + r->v_count;
    if (r->base == ARNE_BASE_PRESCRIBED) {
        const pose   X = random_pose(seed);
        const motion v = random_regressors_random_motion(seed, SPEED);
        work_set_base(r, w, X, v, random_regressors_random_motion(seed, ACCELERATION));
    }
    // Joint limits do not matter for the rank of regressors.
    random_regressors_fill(seed, r->v_count, 2.5, qd);
    arne_neutral(r, q);
    arne_integrate(r, q, qd, q);
    between_points(r, seed, q);
    random_regressors_fill(seed, r->v_count, SPEED, qd);
    random_regressors_fill(seed, r->v_count, ACCELERATION, qdd);
    regressor(r, w, q, qd, qdd, axes, Y);
}

static void take_states(const arne_robot *r, work *w, parameter_axes axes, uint64_t seed,
                        double *state, double *Y, samples *s)
{
    const pose   X = w->base_pose;
    const motion v = w->base_velocity, rate = w->base_rate, jerk = w->jerk[0];
    for (int row = 0; row < s->rows; row += r->v_count) {
        one_state(r, w, axes, &seed, state, Y);
        for (int i = 0; i < r->v_count; i++)
            for (int c = 0; c < s->columns; c++)
                s->A[(size_t)c * (size_t)s->rows + (size_t)(row + i)] =
                    Y[(size_t)i * (size_t)s->columns + (size_t)c];
    }
    work_set_base(r, w, X, v, rate);
    w->jerk[0] = jerk;
}

KERNEL(int, samples_make,
       (const arne_robot *robot, arne_work *w, parameter_axes axes, uint64_t seed, samples *out),
       (robot, w, axes, seed, out))
{
    const size_t n = (size_t)robot->v_count, columns = (size_t)parameter_count(robot);
    const size_t states = n ? 2 * columns / n + 10 : 0;
    double      *state = malloc(((size_t)robot->q_count + 2 * n + 1) * sizeof *state);
    double      *Y = malloc((n * columns + 1) * sizeof *Y);
    out->rows = (int)(states * n);
    out->columns = (int)columns;
    out->A = malloc((states * n * columns + 1) * sizeof *out->A);
    const int fine = state && Y && out->A;
    if (fine)
        take_states(robot, w, axes, seed, state, Y, out);
    else
        samples_free(out);
    free(state);
    free(Y);
    return fine;
}
