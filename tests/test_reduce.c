// Residual reduction: masses that were wrong are found again, a motion that fits stays as it is,
// and residuals of a recorded walk become small by small changes.
#include "reference.h"
#include "testing.h"
#include <arne/capture.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const PERSON =
    "name: person\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  - {name: ground}\n"
    "  - {name: slide}\n"
    "  - {name: rise}\n"
    "  - {name: pelvis, mass: 12, com: [0, 0.05, 0], inertia: [0.1, 0.1, 0.1]}\n"
    "  - {name: torso, mass: 40, com: [0, 0.3, 0], inertia: [1.5, 0.8, 1.5]}\n"
    "  - {name: leg, mass: 20, com: [0, -0.4, 0], inertia: [1.2, 0.2, 1.2]}\n"
    "joints:\n"
    "  - {name: tx, kind: prismatic, parent: ground, child: slide, axis: [1, 0, 0]}\n"
    "  - {name: ty, kind: prismatic, parent: slide, child: rise, axis: [0, 1, 0]}\n"
    "  - {name: tilt, kind: continuous, parent: rise, child: pelvis, axis: [0, 0, 1]}\n"
    "  - {name: back, kind: continuous, parent: pelvis, child: torso, axis: [0, 0, 1]}\n"
    "  - {name: hip, kind: continuous, parent: pelvis, child: leg, axis: [0, 0, 1]}\n";

enum { ROWS = 121, COUNT = 5 };

static arne_robot *person(double factor, double shift)
{
    arne_builder *b = NULL;
    arne_error    error = {0};
    assert_ok(arne_builder_new(&b));
    assert_ok_or(arne_read_text(b, PERSON, strlen(PERSON), "person.yaml", &error), &error);
    const arne_vec3 way = {shift, 0, 0};
    assert_ok_or(arne_builder_adjust_masses(b, factor, "torso", way, &error), &error);
    arne_robot *robot = finish(b, NULL);
    arne_builder_free(b);
    return robot;
}

static void walk(arne_recording *out)
{
    double *time = malloc(ROWS * sizeof *time), *x = malloc(ROWS * COUNT * sizeof *x);
    for (int r = 0; r < ROWS; r++) {
        const double t = r / 60.0;
        const double q[COUNT] = {1.2 * t + 0.02 * sin(6 * t), 0.9 + 0.02 * sin(11 * t),
                                 0.1 * sin(5 * t), 0.2 + 0.1 * sin(6 * t + 1), 0.4 * sin(5 * t)};
        time[r] = t;
        memcpy(x + COUNT * r, q, sizeof q);
    }
    assert_ok(arne_recording_smooth(ROWS, COUNT, time, x, 0, out, NULL));
    free(time);
    free(x);
}

// What holds the pelvis: loads that leave no residual.
static arne_loads *held(const arne_robot *robot, const arne_recording *m)
{
    static const char *const names[] = {"time", "fx", "fy", "fz", "mx", "my", "mz"};
    const arne_load_columns  columns = {.link = "pelvis", .force = "f", .torque = "m"};
    arne_table              *table = NULL;
    arne_loads              *loads = NULL;
    arne_error               error = {0};
    double                  *tau = malloc(ROWS * COUNT * sizeof *tau);
    assert_ok(arne_recording_dynamics(robot, m, NULL, tau, NULL));
    assert_ok(arne_table_new(&table));
    for (int i = 0; i < 7; i++)
        assert_ok(arne_table_add_column(table, names[i], ""));
    for (int r = 0; r < ROWS; r++) {
        const double *t = tau + COUNT * r;
        const double  row[7] = {m->time[r], t[0], t[1], 0, 0, 0, t[2]};
        assert_ok(arne_table_append(table, row));
    }
    assert_ok_or(arne_loads_new(robot, table, &columns, 1, &loads, &error), &error);
    arne_table_free(table);
    free(tau);
    return loads;
}

// The root mean square of the residuals, forces and moments.
static double residual(const arne_robot *robot, const arne_recording *m, const arne_loads *loads)
{
    const int    joints = arne_robot_sizes(robot).joint_count;
    const size_t n = (size_t)m->columns;
    double      *tau = malloc((size_t)m->rows * n * sizeof *tau), sum = 0;
    assert_ok(arne_recording_dynamics(robot, m, loads, tau, NULL));
    for (int j = 0; j < joints; j++)
        for (size_t r = 0; r < (size_t)m->rows && arne_joint_is_residual(robot, j); r++) {
            const double x = tau[r * n + (size_t)arne_robot_joint(robot, j).v_start];
            sum += x * x;
        }
    free(tau);
    return sqrt(sum / m->rows);
}

static double change(const arne_recording *a, const arne_recording *b)
{
    double most = 0;
    for (int i = 0; i < a->rows * a->columns; i++)
        most = fmax(most, fabs(a->x[i] - b->x[i]));
    return most;
}

static void what_fits_stays(void **unused)
{
    arne_robot                  *robot = person(1, 0);
    arne_recording               m = {0};
    arne_reduction               found;
    arne_error                   error = {0};
    const arne_reduction_options how = {.link = "torso"};
    (void)unused;
    walk(&m);
    arne_loads *loads = held(robot, &m);
    assert_true(residual(robot, &m, loads) < 1e-9);
    assert_ok_or(arne_recording_reduce(robot, &m, loads, &how, &found, &error), &error);
    assert_true(fabs(found.factor - 1) < 1e-9 && fabs(found.shift.x) < 1e-9);
    assert_true(change(&m, &found.motion) < 1e-9);
    arne_recording_free(&found.motion);
    arne_recording_free(&m);
    arne_loads_free(loads);
    arne_robot_free(robot);
}

// Masses 3 % and a mass centre 2 cm off.
static void wrong_masses_are_found(void **unused)
{
    arne_robot            *right = person(1, 0), *wrong = person(1.03, 0.02);
    arne_recording         m = {0};
    arne_reduction         found;
    arne_error             error = {0};
    arne_reduction_options how = {.link = "torso"};
    (void)unused;
    walk(&m);
    arne_loads  *loads = held(right, &m);
    const double before = residual(wrong, &m, loads);
    assert_ok_or(arne_recording_reduce(wrong, &m, loads, &how, &found, &error), &error);
    if (fabs(1.03 * found.factor - 1) > 1e-3 || fabs(found.shift.x + 0.02) > 1e-3)
        fail_msg("%g, %g, %g, %g", found.factor, found.shift.x, found.shift.y,
                 residual(right, &m, loads));
    arne_robot *mended = person(1.03 * found.factor, 0.02 + found.shift.x);
    assert_true(before > 15 && residual(mended, &found.motion, loads) < 0.1 * before);
    assert_true(change(&m, &found.motion) < 2e-3);
    arne_recording_free(&found.motion);
    // masses that stay: the motion takes all of it, and more
    how.link = NULL;
    assert_ok_or(arne_recording_reduce(wrong, &m, loads, &how, &found, &error), &error);
    assert_true(found.factor == 1 && found.shift.x == 0 && change(&m, &found.motion) > 2e-3);
    assert_true(residual(wrong, &found.motion, loads) < before);
    arne_recording_free(&found.motion);
    how.link = "head";
    assert_int_equal(arne_recording_reduce(wrong, &m, loads, &how, &found, &error), ARNE_NOT_FOUND);
    arne_recording_free(&m);
    arne_loads_free(loads);
    arne_robot_free(mended);
    arne_robot_free(right);
    arne_robot_free(wrong);
}

// OpenSim's walking subject.
static void walking_residuals_fall(void **unused)
{
    static const arne_load_columns columns[] = {{.link = "calcn_r",
                                                 .force = "ground_force_v",
                                                 .point = "ground_force_p",
                                                 .torque = "ground_torque_"},
                                                {.link = "calcn_l",
                                                 .force = "1_ground_force_v",
                                                 .point = "1_ground_force_p",
                                                 .torque = "1_ground_torque_"}};
    char                           path[1000];
    arne_robot                    *robot = NULL;
    arne_table                    *table = NULL;
    arne_loads                    *loads = NULL;
    arne_recording                 m = {0};
    arne_reduction                 found;
    arne_error                     error = {0};
    (void)unused;
    if (!reference_path("opensim/models/gait10dof18musc_subject01_v30000.osim", path, sizeof path))
        skip();
    assert_ok_or(arne_robot_read(path, NULL, &robot, &error), &error);
    assert_true(reference_path("opensim/data/subject01_walk_grf.mot", path, sizeof path));
    assert_ok_or(arne_table_read_csv(path, &table, &error), &error);
    assert_ok_or(arne_loads_new(robot, table, columns, 2, &loads, &error), &error);
    assert_true(reference_path("opensim/data/subject01_walk_IK.mot", path, sizeof path));
    assert_ok_or(arne_recording_read(robot, path, 6, &m, NULL, &error), &error);
    assert_ok_or(arne_recording_reduce(robot, &m, loads, NULL, &found, &error), &error);
    const double before = residual(robot, &m, loads), after = residual(robot, &found.motion, loads);
    print_message("residuals %.3g, then %.3g; changes %.3g rad or m at most\n", before, after,
                  change(&m, &found.motion));
    assert_true(before > 30 && after < before / 3 && change(&m, &found.motion) < 0.09);
    arne_recording_free(&found.motion);
    arne_recording_free(&m);
    arne_loads_free(loads);
    arne_table_free(table);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_stays),
        cmocka_unit_test(wrong_masses_are_found),
        cmocka_unit_test(walking_residuals_fall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
