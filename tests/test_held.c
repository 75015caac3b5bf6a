// Frames that are held: forward dynamics undoes inverse dynamics, feet carry the weight, what is
// held does not accelerate.
#include "random.h"
#include "testing.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct standing {
    arne_robot   *robot;
    arne_work    *work;
    arne_holding *holding;
    int           count, nv;
    double       *q, *qd, *qdd, *tau, *found;
    arne_wrench   forces[8];
} standing;

static standing stand(const char *file, const char *const *feet, int count, int full,
                      double friction)
{
    const arne_build_options options = {.base = ARNE_BASE_FREE};
    standing                 s = {.count = count};
    arne_held                held[8];
    arne_error               error;
    char                     path[512];
    snprintf(path, sizeof path, "%s/%s", ARNE_ROBOTS_DIR, file);
    assert_ok_or(arne_robot_read(path, &options, &s.robot, &error), &error);
    for (int i = 0; i < count; i++)
        held[i] = (arne_held){.frame = arne_find_frame(s.robot, feet[i]),
                              .full = full,
                              .unilateral = friction >= 0,
                              .friction = friction};
    assert_ok_or(arne_holding_new(s.robot, held, count, &s.holding, &error), &error);
    assert_ok(arne_work_new(s.robot, &s.work));
    const arne_sizes sizes = arne_robot_sizes(s.robot);
    s.nv = sizes.v_count;
    s.q = calloc((size_t)(sizes.q_count + 4 * sizes.v_count), sizeof *s.q);
    s.qd = s.q + sizes.q_count;
    s.qdd = s.qd + s.nv;
    s.tau = s.qdd + s.nv;
    s.found = s.tau + s.nv;
    arne_neutral(s.robot, s.q);
    for (int j = 1; j < sizes.joint_count; j++) { // knees bent
        const arne_joint_info info = arne_robot_joint(s.robot, j);
        if (strstr(info.name, "knee")) s.q[info.q_start] = strstr(file, "quad") ? -1.6 : 0.6;
        if (strstr(info.name, "swing")) s.q[info.q_start] = 0.8;
        if (strstr(info.name, "hip_pitch") || strstr(info.name, "ankle_pitch"))
            s.q[info.q_start] = -0.3;
    }
    return s;
}

static void sit(standing *s)
{
    arne_holding_free(s->holding);
    arne_work_free(s->work);
    arne_robot_free(s->robot);
    free(s->q);
}

static const char *const PAWS[] = {"front_left_foot", "front_right_foot", "rear_left_foot",
                                   "rear_right_foot"};
static const char *const SOLES[] = {"left_sole", "right_sole"};

// At rest: nothing is left on the base, feet carry exactly the weight inside their cones, and these
// torques hold the robot.
static void standing_carries_the_weight(standing *s, double mu)
{
    arne_error error;
    assert_ok_or(arne_contact_inverse_dynamics(s->holding, s->work, s->q, s->qd, s->qdd, NULL,
                                               s->tau, s->forces, &error),
                 &error);
    double sum = 0;
    for (int i = 0; i < s->count; i++) {
        const arne_vec3 f = s->forces[i].lin;
        sum += f.z;
        if (mu >= 0) assert_true(sqrt(f.x * f.x + f.y * f.y) <= mu * f.z * (1 + 1e-9) && f.z >= 0);
    }
    const double weight = 9.81 * arne_total_mass(s->robot);
    assert_true(fabs(sum - weight) < 1e-8 * weight);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(s->tau[i]) < 1e-7 * weight);
    assert_ok_or(arne_contact_dynamics(s->holding, s->work, s->q, s->qd, s->tau, NULL, s->found,
                                       s->forces, NULL, &error),
                 &error);
    for (int i = 0; i < s->nv; i++)
        assert_true(fabs(s->found[i]) < 1e-5);
}

static void robots_stand(void **unused)
{
    (void)unused;
    for (int i = 0; i < 4; i++) {
        const double mu = i % 2 ? 0.6 : -1;
        standing     s = i < 2 ? stand("quadruped.yaml", PAWS, 4, 0, mu)
                               : stand("humanoid.yaml", SOLES, 2, 1, mu);
        standing_carries_the_weight(&s, mu);
        sit(&s);
    }
}

// With any torques and velocities: what is held does not accelerate, and M qdd + c = tau + J^T f.
static void held_frames_do_not_accelerate(void **unused)
{
    (void)unused;
    standing s = stand("quadruped.yaml", PAWS, 4, 0, -1);
    for (int i = 0; i < s.nv; i++) {
        s.qd[i] = sin(1.0 + i);
        s.tau[i] = i < 6 ? 0 : 3 * cos(2.0 + i);
    }
    double      residual;
    arne_error  error;
    arne_wrench f_ext[64] = {{{0, 0, 0}, {0, 0, 0}}};
    assert_ok_or(arne_contact_dynamics(s.holding, s.work, s.q, s.qd, s.tau, NULL, s.found, s.forces,
                                       &residual, &error),
                 &error);
    arne_kinematics(s.robot, s.work, s.q, s.qd, s.found);
    for (int i = 0; i < 4; i++) {
        const int         frame = arne_find_frame(s.robot, PAWS[i]);
        const arne_motion a = arne_frame_acceleration(s.robot, s.work, frame, ARNE_AXES_ALIGNED,
                                                      ARNE_ACCELERATION_CLASSICAL);
        const arne_pose   X = arne_frame_pose(s.robot, s.work, frame);
        const arne_vec3   f = s.forces[i].lin;
        const arne_wrench own = {{X.R.x.x * f.x + X.R.x.y * f.y + X.R.x.z * f.z,
                                  X.R.y.x * f.x + X.R.y.y * f.y + X.R.y.z * f.z,
                                  X.R.z.x * f.x + X.R.z.y * f.y + X.R.z.z * f.z},
                                 {0, 0, 0}};
        assert_true(fabs(a.lin.x) + fabs(a.lin.y) + fabs(a.lin.z) < 1e-9);
        arne_add_wrench(s.robot, frame, &own, f_ext);
    }
    arne_inverse_dynamics(s.robot, s.work, s.q, s.qd, s.found, f_ext, s.qdd);
    for (int i = 0; i < s.nv; i++)
        assert_true(fabs(s.qdd[i] - s.tau[i]) < 1e-8);
    sit(&s);
}

// A motion that would have to pull at the ground has no forces.
static void nothing_pulls(void **unused)
{
    (void)unused;
    standing   s = stand("quadruped.yaml", PAWS, 4, 0, 0.6);
    arne_error error;
    s.qdd[2] = -30;
    assert_int_equal(arne_contact_inverse_dynamics(s.holding, s.work, s.q, s.qd, s.qdd, NULL, s.tau,
                                                   s.forces, &error),
                     ARNE_NOT_CONVERGED);
    sit(&s);
}

// ---- derivatives ----

enum { OF_Q, OF_QD, OF_TAU, WAYS };

// Accelerations and forces at the state moved by `by` along coordinate k; velocities and torques of
// the standing are put back.
static void contact_at(standing *s, int way, int k, double by, double *qdd, arne_wrench *forces)
{
    double    *q = calloc((size_t)arne_robot_sizes(s->robot).q_count, sizeof *q);
    double    *step = calloc((size_t)s->nv, sizeof *step);
    arne_error error;
    step[k] = by;
    memcpy(q, s->q, (size_t)arne_robot_sizes(s->robot).q_count * sizeof *q);
    if (way == OF_Q) arne_integrate(s->robot, s->q, step, q);
    if (way == OF_QD) s->qd[k] += by;
    if (way == OF_TAU) s->tau[k] += by;
    assert_ok_or(arne_contact_dynamics(s->holding, s->work, q, s->qd, s->tau, NULL, qdd, forces,
                                       NULL, &error),
                 &error);
    if (way == OF_QD) s->qd[k] -= by;
    if (way == OF_TAU) s->tau[k] -= by;
    free(q);
    free(step);
}

// Against differences of fourth order; returns the largest difference beside the largest entry.
static double derivatives_apart(standing *s, int way, const double *dqdd, const double *df)
{
    static const double places[4] = {-2, -1, 1, 2}, weights[4] = {1, -8, 8, -1};
    const double        h = way == OF_TAU ? 0.05 : 2e-4;
    const int           nv = s->nv, rows = nv + 6 * s->count;
    double              worst = 0, largest[2] = {1, 1};
    for (int k = 0; k < nv; k++) {
        double sum[80] = {0};
        for (int i = 0; i < 4; i++) {
            arne_wrench f[8];
            contact_at(s, way, k, places[i] * h, s->found, f);
            for (int r = 0; r < rows; r++)
                sum[r] += weights[i] / (12 * h) *
                          (r < nv ? s->found[r] : ((const double *)(const void *)f)[r - nv]);
        }
        for (int r = 0; r < rows; r++) {
            const double exact = r < nv ? dqdd[r * nv + k] : df[(r - nv) * nv + k];
            largest[r >= nv] = fmax(largest[r >= nv], fabs(exact));
            worst = fmax(worst, fabs(exact - sum[r]) / largest[r >= nv]);
        }
    }
    return worst;
}

static void check_derivatives(standing *s, const char *what)
{
    const size_t n = (size_t)s->nv, f = 6 * (size_t)s->count * n;
    double      *memory = calloc(3 * (n * n + f), sizeof *memory);
    double      *dqdd[WAYS], *df[WAYS];
    arne_error   error;
    for (int i = 0; i < WAYS; i++) {
        dqdd[i] = memory + (size_t)i * (n * n + f);
        df[i] = dqdd[i] + n * n;
    }
    const arne_contact_derivatives d = {NULL, NULL, dqdd[0], dqdd[1], dqdd[2], df[0], df[1], df[2]};
    assert_ok_or(arne_contact_dynamics_derivatives(s->holding, s->work, s->q, s->qd, s->tau, NULL,
                                                   0, &d, &error),
                 &error);
    for (int way = 0; way < WAYS; way++) {
        const double apart = derivatives_apart(s, way, dqdd[way], df[way]);
        print_message("%s, along %s: %.1e\n", what, way == OF_Q ? "q" : way ? "qd" : "tau", apart);
        assert_true(apart < 1e-6);
    }
    free(memory);
}

// Feet that hold, soles that hold, and feet of which some slide and some leave the ground.
static void contact_derivatives(void **unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        standing s = i == 1 ? stand("humanoid.yaml", SOLES, 2, 1, -1)
                            : stand("quadruped.yaml", PAWS, 4, 0, i ? 0.3 : -1);
        for (int k = 0; k < s.nv; k++) {
            s.qd[k] = 0.3 * sin(1.0 + k);
            s.tau[k] = k < 6 ? 0 : 4 * cos(2.0 + k);
        }
        check_derivatives(&s, i == 0 ? "paws" : i == 1 ? "soles" : "paws with friction");
        if (i == 2) { // the case has what it is for
            int slides = 0, open = 0;
            contact_at(&s, OF_Q, 0, 0, s.found, s.forces);
            for (int k = 0; k < 4; k++) {
                const arne_vec3 f = s.forces[k].lin;
                const double    t = sqrt(f.x * f.x + f.y * f.y);
                open += f.z == 0;
                slides += f.z > 0 && t > 0.3 * f.z * (1 - 1e-6);
            }
            assert_true(slides > 0 && open > 0);
        }
        sit(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robots_stand), cmocka_unit_test(held_frames_do_not_accelerate),
        cmocka_unit_test(nothing_pulls), cmocka_unit_test(contact_derivatives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
