#include "demo.h"

#include "message.h"
#include "print_table.h"

#include <arne/configuration.h>
#include <arne/derivatives.h>
#include <math.h>
#include <stanford_torque_rate/motion.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

// The arms of the literature have six joints of one coordinate each.
enum { ARM = 6 };

static int is_six_axis(const arne_robot *robot)
{
    const arne_sizes sizes = arne_robot_sizes(robot);
    return sizes.q_count == ARM && sizes.v_count == ARM;
}

static double largest(const double *a, const double *b, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(a[i] - (b ? b[i] : 0)));
    return most;
}

// What rounding leaves of a zero is printed as one, without a sign.
static double tidy(double value) { return fabs(value) < 0.5e-4 ? 0 : value; }

// --- torques along a motion --------------------------------------------------------------------

static void plot(const double *value, int count, const char *title, FILE *out)
{
    enum { ROWS = 9, COLUMNS = 61 };
    double low = value[0], high = value[0];
    for (int i = 1; i < count; i++) {
        low = fmin(low, value[i]);
        high = fmax(high, value[i]);
    }
    char line[ROWS][COLUMNS + 1];
    for (int r = 0; r < ROWS; r++)
        snprintf(line[r], sizeof line[r], "%*s", COLUMNS, "");
    for (int c = 0; c < COLUMNS; c++) {
        const double y =
            (value[c * (count - 1) / (COLUMNS - 1)] - low) / (high > low ? high - low : 1);
        line[ROWS - 1 - (int)lround(y * (ROWS - 1))][c] = '*';
    }
    fprintf(out, "\n   %s\n", title);
    for (int r = 0; r < ROWS; r++) {
        const char *end = strrchr(line[r], '*');
        fprintf(out, "   %8.2f |%.*s\n", high - (high - low) * r / (ROWS - 1),
                end ? (int)(end - line[r]) + 1 : 0, line[r]);
    }
    fprintf(out, "            +%.*s\n            0 s%*s\n", COLUMNS,
            "-----------------------------------------------------------------", COLUMNS - 3,
            "2 s");
}

int demo_stanford(const arne_robot *robot, arne_work *work, FILE *out)
{
    enum { SAMPLES = 201 };
    double tau[ARM], rate[ARM], second[SAMPLES], second_rate[SAMPLES];
    if (!stanford_fits(robot)) return fail_data("stanford: six joints are needed");

    fprintf(out, "The Stanford arm: torques of a quintic motion from rest to rest in 2 s\n\n");
    table t = table_begin("rrrrrrr");
    table_cell(&t, "t [s]");
    for (int i = 0; i < ARM; i++)
        table_cell(&t, "%s [%s]", arne_robot_joint(robot, i).name,
                   arne_joint_kind_facts(arne_robot_joint(robot, i).kind)->limits ==
                           ARNE_COORDINATE_LENGTH
                       ? "N"
                       : "N m");
    for (int k = 0; k < SAMPLES; k++) {
        const double          time = STANFORD_SECONDS * (double)k / (SAMPLES - 1);
        const stanford_motion m = stanford_motion_at(time);
        arne_torque_rate(robot, work, m.q, m.qd, m.qdd, m.qddd, NULL, 0, tau, rate);
        second[k] = tau[1];
        second_rate[k] = rate[1];
        if (k % 20) continue;
        table_cell(&t, "%.1f", time);
        for (int i = 0; i < ARM; i++)
            table_cell(&t, "%.4f", tidy(tau[i]));
    }
    table_print(&t, 2, out);
    table_free(&t);
    plot(second, SAMPLES, "torque of the second joint [N m]", out);
    plot(second_rate, SAMPLES, "its rate [N m/s]", out);
    fprintf(out, "\n");
    return stanford_check_rates(robot, work, out)
               ? EXIT_FINE
               : fail_data("stanford: the torque rates are not those of the torques");
}

// --- published torques -------------------------------------------------------------------------

int demo_puma(const arne_robot *robot, arne_work *work, FILE *out)
{
    const double q[ARM] = {0, PI / 4, PI, 0, PI / 4, 0}, rest[ARM] = {0},
                 ones[ARM] = {1, 1, 1, 1, 1, 1};
    const double at_rest[ARM] = {0, 31.6399, 6.0351, 0, 0.0283, 0};
    const double moving[ARM] = {32.4952, 60.8670, 17.7436, 1.4545, 1.2991, 0.7138};
    double       tau_rest[ARM], tau_moving[ARM];
    if (!is_six_axis(robot)) return fail_data("puma560: six joints are needed");

    arne_inverse_dynamics(robot, work, q, rest, rest, NULL, tau_rest);
    arne_inverse_dynamics(robot, work, q, ones, ones, NULL, tau_moving);
    fprintf(out,
            "The Puma 560 at q = (0, pi/4, pi, 0, pi/4, 0): published torques and ours [N m]\n\n");
    table             t = table_begin("lrrrr");
    const char *const title[] = {"joint", "at rest: published", "Arne", "qd = qdd = 1: published",
                                 "Arne"};
    for (int i = 0; i < 5; i++)
        table_cell(&t, "%s", title[i]);
    for (int i = 0; i < ARM; i++) {
        table_cell(&t, "%s", arne_robot_joint(robot, i).name);
        table_cell(&t, "%.4f", at_rest[i]);
        table_cell(&t, "%.4f", tidy(tau_rest[i]));
        table_cell(&t, "%.4f", moving[i]);
        table_cell(&t, "%.4f", tidy(tau_moving[i]));
    }
    table_print(&t, 2, out);
    table_free(&t);
    const double error = fmax(largest(tau_rest, at_rest, ARM), largest(tau_moving, moving, ARM));
    fprintf(out, "\n  largest difference %.1e: the published figures have four decimals\n", error);
    return error < 1e-4 ? EXIT_FINE : fail_data("puma560: the torques are not the published ones");
}

// --- laws --------------------------------------------------------------------------------------

// All the vectors of one state, by their sizes.
typedef struct vectors {
    double *q, *qd, *qdd, *tau, *again;
} vectors;

static vectors vectors_make(const arne_robot *robot)
{
    const arne_sizes sizes = arne_robot_sizes(robot);
    const size_t     v = (size_t)sizes.v_count;
    return (vectors){need((size_t)sizes.q_count, sizeof(double)), need(v, sizeof(double)),
                     need(v, sizeof(double)), need(v, sizeof(double)), need(v, sizeof(double))};
}

static void vectors_free(vectors *s)
{
    free(s->q);
    free(s->qd);
    free(s->qdd);
    free(s->tau);
    free(s->again);
}

int demo_free_fall(const arne_robot *robot, arne_work *work, FILE *out)
{
    const arne_sizes sizes = arne_robot_sizes(robot);
    const arne_vec3  g = arne_robot_gravity(robot);
    vectors          s = vectors_make(robot);
    arne_error       error = {0};
    uint64_t         seed = 4;

    // At rest, without torques, in any posture: all of it falls together, no joint feels a thing.
    arne_random_configuration(robot, &seed, s.q);
    arne_status status = arne_forward_dynamics(robot, work, s.q, s.qd, s.tau, NULL, s.qdd, &error);
    double      wrong = 0;
    if (status == ARNE_OK) {
        arne_kinematics(robot, work, s.q, s.qd, s.qdd);
        const int         root = arne_robot_joint(robot, 0).child;
        const arne_motion a = arne_frame_acceleration(robot, work, root, ARNE_AXES_ALIGNED,
                                                      ARNE_ACCELERATION_CLASSICAL);
        const double      found[3] = {a.lin.x, a.lin.y, a.lin.z}, wanted[3] = {g.x, g.y, g.z};
        wrong = fmax(largest(found, wanted, 3), largest(s.qdd + 6, NULL, sizes.v_count - 6));
        fprintf(out,
                "The quadruped let go in a random posture: everything falls alike\n\n"
                "  acceleration of the base  %.6f %.6f %.6f m/s^2 in the world's axes\n"
                "  gravity                   %.6f %.6f %.6f m/s^2\n"
                "  largest error, joint accelerations included  %.1e\n",
                tidy(found[0]), tidy(found[1]), tidy(found[2]), g.x, g.y, g.z, wrong);
    }
    vectors_free(&s);
    if (status != ARNE_OK) return fail_error("quadruped", status, &error);
    return wrong < 1e-9 ? EXIT_FINE : fail_data("quadruped: it does not fall as it should");
}

int demo_round_trip(const arne_robot *robot, arne_work *work, FILE *out)
{
    enum { TRIPS = 100 };
    const int   v_count = arne_robot_sizes(robot).v_count;
    vectors     s = vectors_make(robot);
    arne_error  error = {0};
    arne_status status = ARNE_OK;
    uint64_t    seed = 5;
    double      wrong = 0;
    for (int k = 0; k < TRIPS && status == ARNE_OK; k++) {
        arne_random_configuration(robot, &seed, s.q);
        for (int i = 0; i < v_count; i++) {
            s.qd[i] = sin(k + 2.0 * i);
            s.qdd[i] = 3 * cos(2.0 * k + i);
        }
        arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, NULL, s.tau);
        status = arne_forward_dynamics(robot, work, s.q, s.qd, s.tau, NULL, s.again, &error);
        wrong =
            fmax(wrong, largest(s.again, s.qdd, v_count) / fmax(1, largest(s.qdd, NULL, v_count)));
    }
    vectors_free(&s);
    if (status != ARNE_OK) return fail_error("humanoid", status, &error);
    fprintf(out,
            "The humanoid: forward dynamics undoes inverse dynamics\n\n"
            "  %d random motions of %d velocities: largest relative error in acceleration %.1e\n",
            TRIPS, v_count, wrong);
    return wrong < 1e-9 ? EXIT_FINE : fail_data("humanoid: forward dynamics does not undo inverse");
}
