// Recorded motions of people: OpenSim's tables, filtered coordinates, measured forces, markers.
#include "json.h"
#include "reference.h"
#include "testing.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LEG TEST_DATA_DIR "/osim/leg_v40500.osim"
#define DATA(name) "opensim/data/" name

static const double pi = 3.14159265358979323846;

static arne_robot *capture_robot(const char *path)
{
    arne_error  error = {0};
    arne_robot *robot = NULL;
    assert_ok_or(arne_robot_read(path, NULL, &robot, &error), &error);
    return robot;
}

static arne_robot *capture_walker(void)
{
    char path[1000];
    if (!reference_path("opensim/models/gait10dof18musc_subject01_v30000.osim", path, sizeof path))
        return NULL;
    return capture_robot(path);
}

static arne_table *capture_table(const char *name)
{
    char        path[1000];
    arne_table *table = NULL;
    arne_error  error = {0};
    assert_true(reference_path(name, path, sizeof path));
    assert_ok_or(arne_table_read_csv(path, &table, &error), &error);
    return table;
}

static void capture_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

// ---- tables

static void tables_have_degrees_and_times(void **unused)
{
    arne_table *t = NULL;
    arne_error  error = {0};
    char        path[] = "/tmp/arne_capture_XXXXXX.mot";
    (void)unused;
    snprintf(path, sizeof path, "/tmp/arne_cap_%06d.mot", (int)(clock() % 1000000));
    capture_write(path,
                  "Coordinates\nversion=1\ninDegrees=yes\t\t\n\nendheader\n"
                  "time\thip\t/jointset/knee/knee_angle/value\t/jointset/knee/knee_angle/speed"
                  "\tground_force_vx\n 0.0  \t 90 \t 1 2 3\n0.5 nan 4\t5 6\n");
    assert_ok_or(arne_table_read_csv(path, &t, &error), &error);
    assert_int_equal(arne_table_columns(t), 5);
    assert_string_equal(arne_table_unit(t, 0), "s");
    assert_string_equal(arne_table_unit(t, 1), ARNE_UNIT_DEGREES);
    assert_string_equal(arne_table_name(t, 2), "knee_angle");
    assert_string_equal(arne_table_name(t, 3), "qd.knee_angle");
    assert_string_equal(arne_table_unit(t, 4), "");
    assert_true(arne_table_row(t, 0)[1] == 90 && isnan(arne_table_row(t, 1)[1]));
    assert_int_equal(arne_table_line(t, 1), 8);
    assert_status(arne_table_scale(t, 1, pi / 180, "rad"), ARNE_OK);
    assert_true(arne_table_row(t, 0)[1] == pi / 2);
    assert_string_equal(arne_table_unit(t, 1), "rad");
    assert_int_equal(arne_table_find(t, "hip"), 1);
    arne_table_free(t);
    capture_write(path, "Coordinates\ninDegrees=yes\n");
    assert_status(arne_table_read_csv(path, &t, &error), ARNE_SYNTAX);
    assert_non_null(strstr(error.text, "endheader"));
    capture_write(path, "x\nendheader\ntime\ta\n0\t1\n1\n");
    assert_status(arne_table_read_csv(path, &t, &error), ARNE_VALUE);
    assert_int_equal(error.line, 5);
    capture_write(path, "x\nnRows=3\nendheader\ntime\ta\n0\t1\n1\t2\n");
    assert_status(arne_table_read_csv(path, &t, &error), ARNE_SYNTAX);
    assert_non_null(strstr(error.text, "ends after 2 of 3 rows"));
    remove(path);
}

static void markers_have_units_and_frames(void **unused)
{
    static const char HEAD[] = "PathFileType\t4\t(X/Y/Z)\tx.trc\nDataRate\tCameraRate\tNumFrames\t"
                               "NumMarkers\tUnits\n60\t60\t3\t2\t";
    arne_table       *t = NULL;
    arne_error        error = {0};
    char              path[100], text[1000];
    (void)unused;
    snprintf(path, sizeof path, "/tmp/arne_cap_%06d.trc", (int)(clock() % 1000000));
    snprintf(text, sizeof text,
             "%smm\nFrame#\tTime\tA\t\t\tB\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n"
             "5\t1.000\t1000\t2000\t3000\t4\t5\t6\n6\t1.017\t1\t2\t3\n7\t1.033\t\t\t\t1\t2\t3\t\n",
             HEAD);
    capture_write(path, text);
    assert_ok_or(arne_table_read_csv(path, &t, &error), &error);
    assert_int_equal(arne_table_columns(t), 7);
    assert_int_equal(arne_table_rows(t), 3);
    assert_string_equal(arne_table_name(t, 6), "B.z");
    assert_true(arne_table_row(t, 0)[1] == 1 && arne_table_row(t, 0)[3] == 3);
    assert_true(isnan(arne_table_row(t, 1)[4]) && isnan(arne_table_row(t, 2)[1]));
    for (int i = 0; i < 3; i++)
        assert_true(fabs(arne_table_row(t, i)[0] - (1 + i / 60.0)) < 1e-15);
    arne_table_free(t);
    snprintf(text, sizeof text, "%sfurlong\nFrame#\tTime\tA\n", HEAD);
    capture_write(path, text);
    assert_status(arne_table_read_csv(path, &t, &error), ARNE_SYNTAX);
    snprintf(text, sizeof text, "%sm\nFrame#\tTime\tA\t\t\n\t\tX1\n1\t0\t1\t2\t3\t4\n", HEAD);
    capture_write(path, text);
    assert_status(arne_table_read_csv(path, &t, &error), ARNE_SYNTAX);
    assert_int_equal(error.line, 6);
    remove(path);
}

// ---- filter and derivatives

// A quintic polynomial with natural ends is a line; a sum of slow sines keeps its derivatives.
static void smoothing_keeps_slow_motions(void **unused)
{
    enum { ROWS = 200 };
    double         time[ROWS], x[2 * ROWS];
    arne_recording r;
    arne_error     error = {0};
    (void)unused;
    for (int i = 0; i < ROWS; i++) {
        time[i] = 0.01 * i + (i % 2 ? 1e-4 : 0);
        x[2 * i] = 1 + 2 * time[i];
        x[2 * i + 1] = sin(2 * pi * 0.5 * time[i]);
    }
    for (int filtered = 0; filtered < 2; filtered++) {
        assert_ok_or(arne_recording_smooth(ROWS, 2, time, x, filtered ? 10.0 : 0, &r, &error),
                     &error);
        for (int i = 0; i < r.rows; i++) {
            const double w = pi, t = r.time[i];
            assert_true(t >= -1e-3 && t <= time[ROWS - 1]);
            assert_true(fabs(r.x[2 * i] - (1 + 2 * t)) < 1e-9);
            assert_true(fabs(r.rate[2 * i] - 2) < 1e-7 && fabs(r.second[2 * i]) < 1e-5);
            if (t < 0.3 || t > 1.7) continue;
            assert_true(fabs(r.x[2 * i + 1] - sin(w * t)) < 1e-5);
            assert_true(fabs(r.rate[2 * i + 1] - w * cos(w * t)) < 1e-4);
            assert_true(fabs(r.second[2 * i + 1] + w * w * sin(w * t)) < 1e-3);
        }
        arne_recording_free(&r);
    }
    time[5] = time[4];
    assert_status(arne_recording_smooth(ROWS, 2, time, x, 6, &r, &error), ARNE_VALUE);
    assert_non_null(strstr(error.text, "row 6"));
    assert_status(arne_recording_smooth(3, 2, time, x, 6, &r, &error), ARNE_VALUE);
}

// The walk of the public subject: filtered coordinates, and torques as OpenSim printed them.
static void walking_torques_are_opensims(void **unused)
{
    static const arne_load_columns plates[2] = {
        {"calcn_r", "ground_force_v", "ground_force_p", "ground_torque_", "ground", NULL},
        {"calcn_l", "1_ground_force_v", "1_ground_force_p", "1_ground_torque_", NULL, NULL}};
    arne_robot *robot = capture_walker();
    char        path[1000], name[100];
    (void)unused;
    if (!robot) return;
    arne_recording r;
    arne_loads    *loads = NULL;
    arne_error     error = {0};
    int            lacking = -1;
    arne_table    *grf = capture_table(DATA("subject01_walk_grf.mot"));
    arne_table    *theirs = capture_table(DATA("subject01_walk_ID.sto"));
    arne_table    *smooth = capture_table("opensim/numbers/filtered_walk.csv");
    assert_true(reference_path(DATA("subject01_walk_IK.mot"), path, sizeof path));
    assert_ok_or(arne_recording_read(robot, path, 6, &r, &lacking, &error), &error);
    assert_int_equal(lacking, 0);
    assert_int_equal(r.rows, 151);
    assert_ok_or(arne_loads_new(robot, grf, plates, 2, &loads, &error), &error);
    double *tau = malloc((size_t)r.rows * 10 * sizeof *tau), worst = 0, off = 0;
    assert_ok_or(arne_recording_dynamics(robot, &r, loads, tau, &error), &error);
    for (int j = 0; j < arne_robot_sizes(robot).joint_count; j++) {
        const arne_joint_info joint = arne_robot_joint(robot, j);
        if (!joint.v_count) continue;
        snprintf(name, sizeof name, "%s_%s", joint.name,
                 joint.kind == ARNE_JOINT_PRISMATIC ? "force" : "moment");
        const int column = arne_table_find(theirs, name);
        assert_true(column >= 0);
        snprintf(name, sizeof name, "qdd_%s", joint.name);
        const int second = arne_table_find(smooth, name);
        for (int i = 0; i < r.rows; i++) {
            const int at = 10 * i + joint.v_start;
            assert_true(fabs(arne_table_row(theirs, i)[0] - r.time[i]) < 6e-9);
            worst = fmax(worst, fabs(tau[at] - arne_table_row(theirs, i)[column]));
            off = fmax(off, fabs(r.second[at] - arne_table_row(smooth, i)[second]));
        }
    }
    print_message("torques: %.2g of OpenSim's, accelerations: %.2g of the reference\n", worst, off);
    assert_true(worst < 6e-9 && off < 1e-9);
    free(tau);
    arne_loads_free(loads);
    arne_recording_free(&r);
    arne_table_free(grf);
    arne_table_free(theirs);
    arne_table_free(smooth);
    arne_robot_free(robot);
}

// ---- markers

enum { MARKERS = 5, FRAMES = 40 };

static const char *const LEG_MARKERS[MARKERS] = {"ASIS", "KNEE", "SHANK", "HEEL", "TOE"};

static void leg_markers(const arne_robot *robot, arne_marker out[MARKERS])
{
    for (int i = 0; i < MARKERS; i++) {
        out[i] = (arne_marker){arne_find_frame(robot, LEG_MARKERS[i]), 1 + i % 2};
        assert_true(out[i].frame >= 0);
    }
}

static double leg_angle(int coordinate, int frame)
{
    return 0.3 * sin(0.2 * frame + coordinate) - (coordinate == 4 ? 0.6 : 0);
}

// Positions of markers along a motion of the leg, whose ankle is locked.
static void leg_walk(const arne_robot *robot, const arne_marker *markers, double *q, double *m)
{
    arne_work *work = NULL;
    const int  n = arne_robot_sizes(robot).q_count;
    assert_int_equal(arne_work_new(robot, &work), ARNE_OK);
    for (int f = 0; f < FRAMES; f++) {
        for (int j = 0; j < arne_robot_sizes(robot).joint_count; j++) {
            const arne_joint_info joint = arne_robot_joint(robot, j);
            if (joint.q_count)
                q[n * f + joint.q_start] =
                    joint.lower == joint.upper
                        ? joint.lower
                        : leg_angle(strcmp(joint.name, "knee_angle") ? j : 4, f);
        }
        arne_kinematics(robot, work, q + n * f, NULL, NULL);
        for (int i = 0; i < MARKERS; i++) {
            const arne_vec3 p = arne_frame_pose(robot, work, markers[i].frame).p;
            memcpy(m + 3 * (MARKERS * f + i), &p, sizeof p);
        }
    }
    arne_work_free(work);
}

// Markers of a motion give the motion back; missing ones leave it as far as others see it.
static void markers_give_the_motion_back(void **unused)
{
    arne_robot *robot = capture_robot(LEG);
    arne_marker markers[MARKERS];
    double      q[8 * FRAMES] = {0}, found[8 * FRAMES] = {0}, m[3 * MARKERS * FRAMES];
    double      errors[MARKERS * FRAMES];
    arne_error  error = {0};
    const int   n = arne_robot_sizes(robot).q_count;
    (void)unused;
    leg_markers(robot, markers);
    leg_walk(robot, markers, q, m);
    for (int missing = 0; missing < 3; missing++) {
        // 1: the toe for a while, of which the foot still has the heel. 2: all markers for seconds
        for (int f = 10; f < 25 && missing; f++)
            for (int i = missing == 1 ? 4 : 0; i < MARKERS; i++)
                m[3 * (MARKERS * f + i)] = NAN;
        memset(found, 0, sizeof found);
        assert_ok_or(
            arne_marker_kinematics(robot, markers, MARKERS, FRAMES, m, NULL, found, errors, &error),
            &error);
        for (int f = 0; f < FRAMES; f++)
            for (int i = 0; i < n; i++) {
                const int gone = missing == 2 && f >= 10 && f < 25;
                const int from = gone ? 9 : f;
                assert_true(fabs(found[n * f + i] - q[n * from + i]) < 1e-8);
            }
        assert_true(errors[0] < 1e-9 && isnan(errors[MARKERS * 12 + 4]) == (missing > 0));
    }
    arne_robot_free(robot);
}

// A knee that the markers would overextend stays at its limit, and the rest is the best of what is
// left: the gradient of all other coordinates vanishes.
static void limits_and_targets_are_kept(void **unused)
{
    arne_robot *robot = capture_robot(LEG);
    arne_marker markers[MARKERS];
    double      q[8 * FRAMES] = {0}, found[8] = {0}, m[3 * MARKERS * FRAMES], weights[8] = {0};
    const int   n = arne_robot_sizes(robot).q_count;
    const int   knee = arne_robot_joint(robot, arne_find_joint(robot, "knee_angle")).q_start;
    arne_work  *work = NULL;
    arne_error  error = {0};
    (void)unused;
    leg_markers(robot, markers);
    assert_int_equal(arne_work_new(robot, &work), ARNE_OK);
    leg_walk(robot, markers, q, m);
    q[knee] = 0.5; // the limit is 0.17
    arne_kinematics(robot, work, q, NULL, NULL);
    for (int i = 0; i < MARKERS; i++) {
        const arne_vec3 p = arne_frame_pose(robot, work, markers[i].frame).p;
        memcpy(m + 3 * i, &p, sizeof p);
    }
    assert_ok_or(arne_marker_kinematics(robot, markers, MARKERS, 1, m, NULL, found, NULL, &error),
                 &error);
    assert_true(found[knee] == 0.17);
    double gradient[8] = {0}, J[6 * 8];
    arne_kinematics(robot, work, found, NULL, NULL);
    for (int i = 0; i < MARKERS; i++) {
        const arne_vec3 p = arne_frame_pose(robot, work, markers[i].frame).p;
        arne_jacobian(robot, work, found, markers[i].frame, ARNE_AXES_ALIGNED, J);
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < n; c++)
                gradient[c] += markers[i].weight * J[k * n + c] * (m[3 * i + k] - (&p.x)[k]);
    }
    const int ankle = arne_robot_joint(robot, arne_find_joint(robot, "ankle_angle")).q_start;
    for (int c = 0; c < n; c++)
        if (c != knee && c != ankle) assert_true(fabs(gradient[c]) < 1e-8);
    assert_true(gradient[knee] > 1e-3);
    for (int c = 0; c < n; c++) // targets that weigh more than all markers
        weights[c] = 1e9;
    const double              targets[8] = {0.1, 0.2, 0.3, 0.1, -0.5, 0.05, 0, 0};
    const arne_marker_options options = {.weights = weights, .targets = targets};
    assert_ok_or(
        arne_marker_kinematics(robot, markers, MARKERS, 1, m, &options, found, NULL, &error),
        &error);
    for (int c = 0; c < n; c++)
        if (c != ankle) assert_true(fabs(found[c] - targets[c]) < 1e-6);
    markers[0].frame = 1000;
    assert_status(arne_marker_kinematics(robot, markers, MARKERS, 1, m, NULL, found, NULL, &error),
                  ARNE_VALUE);
    arne_work_free(work);
    arne_robot_free(robot);
}

// All frames of the public walk: the exact minimum, within 0.05 degrees rms of OpenSim's.
static void walking_markers_are_met(void **unused)
{
    arne_robot *robot = capture_walker();
    char        path[1000], name[200];
    (void)unused;
    if (!robot) return;
    assert_true(reference_path("opensim/setup.json", path, sizeof path));
    json       *setup = json_read(path);
    const json *weights = json_get(json_get(setup, "ik"), "marker_weights");
    arne_table *trc = capture_table(DATA("subject01_walk.trc"));
    arne_table *exact = capture_table("opensim/numbers/ik_all_frames.csv");
    arne_table *opensim = capture_table(DATA("subject01_walk_IK.mot"));
    const int   rows = arne_table_rows(trc), frames = arne_robot_sizes(robot).frame_count;
    arne_marker markers[64];
    int         column[64], count = 0;
    for (int f = 0; f < frames; f++) {
        const arne_frame_info info = arne_robot_frame(robot, f);
        snprintf(name, sizeof name, "%s.x", info.name);
        if (info.is_link || arne_table_find(trc, name) < 0 || !json_find(weights, info.name))
            continue;
        column[count] = arne_table_find(trc, name);
        markers[count++] = (arne_marker){f, json_number(json_get(weights, info.name))};
    }
    assert_int_equal(count, 31);
    double    *m = malloc((size_t)(rows * count * 3) * sizeof *m);
    double    *q = calloc((size_t)rows * 10, sizeof *q);
    arne_error error = {0};
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < count; i++)
            memcpy(m + 3 * (r * count + i), arne_table_row(trc, r) + column[i], 3 * sizeof *m);
    const clock_t begin = clock();
    assert_ok_or(arne_marker_kinematics(robot, markers, count, rows, m, NULL, q, NULL, &error),
                 &error);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    double       worst = 0, rms = 0;
    for (int j = 0; j < arne_robot_sizes(robot).joint_count; j++) {
        const arne_joint_info joint = arne_robot_joint(robot, j);
        if (!joint.v_count) continue;
        const int ours = arne_table_find(exact, joint.name),
                  theirs = arne_table_find(opensim, joint.name);
        const int slides = joint.kind == ARNE_JOINT_PRISMATIC;
        double    sum = 0;
        for (int r = 0; r < rows; r++) {
            const double now = q[10 * r + joint.q_start];
            worst = fmax(worst, fabs(now - arne_table_row(exact, r)[ours]));
            const double off = (slides ? now : now * 180 / pi) - arne_table_row(opensim, r)[theirs];
            sum += off * off;
        }
        rms = fmax(rms, sqrt(sum / rows) * (slides ? 1000 : 1)); // mm and degrees
    }
    print_message("markers: %.2g of the exact minimum, %.2g deg rms of OpenSim, %.1f us a frame\n",
                  worst, rms, 1e6 * seconds / rows);
    assert_true(worst < 1e-8 && rms < 0.05);
    free(m);
    free(q);
    json_free(setup);
    arne_table_free(trc);
    arne_table_free(exact);
    arne_table_free(opensim);
    arne_robot_free(robot);
}

// ---- scaling

// Equal factors are the scale of the builder; others change points, masses and distances that
// follow.
static void links_are_scaled(void **unused)
{
    arne_builder       *one = NULL, *two = NULL;
    arne_robot         *a = NULL, *b = NULL;
    arne_error          error = {0};
    arne_link_scale     all[] = {{"pelvis", {1.2, 1.2, 1.2}},  {"femur", {1.2, 1.2, 1.2}},
                                 {"tibia", {1.2, 1.2, 1.2}},   {"foot", {1.2, 1.2, 1.2}},
                                 {"patella", {1.2, 1.2, 1.2}}, {"toes", {1.2, 1.2, 1.2}}};
    static const double q[] = {0.1, 0.9, 0.1, 0.3, -0.7, 0.05};
    (void)unused;
    assert_int_equal(arne_builder_new(&one), ARNE_OK);
    assert_int_equal(arne_builder_new(&two), ARNE_OK);
    assert_ok_or(arne_read(one, LEG, &error), &error);
    assert_ok_or(arne_builder_finish(one, NULL, &a, &error), &error);
    assert_ok_or(arne_builder_scale_links(one, all, 6, 0, 0, &error), &error);
    assert_ok_or(arne_builder_finish(one, NULL, &b, &error), &error);
    arne_work *wa = NULL, *wb = NULL;
    assert_int_equal(arne_work_new(a, &wa), ARNE_OK);
    assert_int_equal(arne_work_new(b, &wb), ARNE_OK);
    arne_kinematics(a, wa, q, NULL, NULL);
    arne_kinematics(b, wb, q, NULL, NULL);
    const arne_vec3 root_a = arne_frame_pose(a, wa, arne_find_frame(a, "pelvis")).p;
    for (int i = 0; i < MARKERS; i++) { // all distances from the pelvis are 1.2 times as long
        const int       f = arne_find_frame(a, LEG_MARKERS[i]);
        const arne_vec3 x = arne_frame_pose(a, wa, f).p, y = arne_frame_pose(b, wb, f).p;
        assert_true(fabs((y.x - root_a.x) - 1.2 * (x.x - root_a.x)) < 1e-14);
        assert_true(fabs((y.y - root_a.y) - 1.2 * (x.y - root_a.y)) < 1e-14);
        assert_true(fabs((y.z - root_a.z) - 1.2 * (x.z - root_a.z)) < 1e-14);
    }
    assert_true(fabs(arne_total_mass(b) - 1.728 * arne_total_mass(a)) < 1e-12);
    double Ma[64], Mb[64]; // rotational inertia about joints: mass length^2
    arne_mass_matrix(a, wa, q, Ma);
    arne_mass_matrix(b, wb, q, Mb);
    for (int r = 2; r < 6; r++)
        for (int c = 2; c < 6; c++)
            assert_true(fabs(Mb[6 * r + c] - 1.2 * 1.2 * 1.728 * Ma[6 * r + c]) < 1e-12);
    arne_work_free(wa);
    arne_work_free(wb);
    arne_robot_free(b);
    // One link along one axis, and the mass of the person in the old proportions.
    all[1].factor = (arne_vec3){1, 1.5, 1};
    assert_ok_or(arne_read(two, LEG, &error), &error);
    assert_ok_or(arne_builder_scale_links(two, &all[1], 1, 50, 1, &error), &error);
    arne_body_spec femur;
    assert_int_equal(arne_builder_get_body(two, "femur", &femur), ARNE_OK);
    assert_true(femur.com.y == 1.5 * -0.19 && fabs(femur.mass - 9 * 50 / 25.1) < 1e-12);
    // the femur of the file: 0.04 about y; the radius stays, the length grows by half
    const double m = femur.mass, r2 = 2 * 0.04 / 9, l2 = 12 * (0.14 / 9 - r2 / 4);
    assert_true(fabs(femur.inertia[1] - m * r2 / 2) < 1e-12);
    assert_true(fabs(femur.inertia[0] - m * (2.25 * l2 / 12 + r2 / 4)) < 1e-12);
    all[1].link = "thigh";
    assert_status(arne_builder_scale_links(two, &all[1], 1, 0, 0, &error), ARNE_NOT_FOUND);
    all[1] = (arne_link_scale){"femur", {0, 1, 1}};
    assert_status(arne_builder_scale_links(two, &all[1], 1, 0, 0, &error), ARNE_VALUE);
    arne_builder_free(one);
    arne_builder_free(two);
    arne_robot_free(a);
}

// Markers of a larger person give its factors.
static void pairs_measure_factors(void **unused)
{
    static const char SETUP[] =
        "<OpenSimDocument><ScaleTool><mass>60</mass><ModelScaler>"
        "<scaling_order>measurements manualScale</scaling_order><MeasurementSet><objects>"
        "<Measurement name='shank'><MarkerPairSet><objects>"
        "<MarkerPair><markers>SHANK HEEL</markers></MarkerPair>"
        "<MarkerPair><markers>KNEE SHANK</markers></MarkerPair></objects></MarkerPairSet>"
        "<BodyScaleSet><objects><BodyScale name='tibia'><axes>X Y</axes></BodyScale></objects>"
        "</BodyScaleSet></Measurement></objects></MeasurementSet><ScaleSet><objects>"
        "<Scale><scales>1.1 1.2 1.3</scales><segment>femur</segment></Scale></objects></ScaleSet>"
        "<preserve_mass_distribution>true</preserve_mass_distribution>"
        "</ModelScaler></ScaleTool></OpenSimDocument>";
    arne_robot      *robot = capture_robot(LEG);
    arne_link_scale *scales = NULL;
    arne_table      *table = NULL;
    arne_work       *work = NULL;
    arne_error       error = {0};
    double           q[8], mass = 0, row[1 + 3 * MARKERS];
    int              count = 0, keep = 0;
    (void)unused;
    assert_int_equal(arne_work_new(robot, &work), ARNE_OK);
    assert_int_equal(arne_table_new(&table), ARNE_OK);
    assert_int_equal(arne_table_add_column(table, "time", "s"), ARNE_OK);
    arne_start_configuration(robot, q);
    arne_kinematics(robot, work, q, NULL, NULL);
    for (int i = 0; i < MARKERS; i++)
        for (int k = 0; k < 3; k++) {
            char            name[50];
            const arne_vec3 p =
                arne_frame_pose(robot, work, arne_find_frame(robot, LEG_MARKERS[i])).p;
            snprintf(name, sizeof name, "%s.%c", LEG_MARKERS[i], 'x' + k);
            assert_int_equal(arne_table_add_column(table, name, "m"), ARNE_OK);
            row[1 + 3 * i + k] = 1.25 * (&p.x)[k];
        }
    for (int i = 0; i < 3; i++) {
        row[0] = i;
        assert_int_equal(arne_table_append(table, row), ARNE_OK);
    }
    capture_write("/tmp/arne_cap_scale.xml", SETUP);
    assert_ok_or(arne_scale_measure(robot, table, "/tmp/arne_cap_scale.xml", &scales, &count, &mass,
                                    &keep, &error),
                 &error);
    assert_true(count == 2 && mass == 60 && keep == 1);
    assert_string_equal(scales[0].link, "tibia");
    assert_true(fabs(scales[0].factor.x - 1.25) < 1e-12 && fabs(scales[0].factor.y - 1.25) < 1e-12);
    assert_true(scales[0].factor.z == 1 && scales[1].factor.z == 1.3);
    free(scales);
    capture_write("/tmp/arne_cap_scale.xml",
                  "<a><ModelScaler><MeasurementSet><objects><Measurement><MarkerPairSet><objects>"
                  "<MarkerPair><markers>SHANK NOSE</markers></MarkerPair></objects></MarkerPairSet>"
                  "</Measurement></objects></MeasurementSet></ModelScaler></a>");
    assert_status(arne_scale_measure(robot, table, "/tmp/arne_cap_scale.xml", &scales, &count,
                                     &mass, &keep, &error),
                  ARNE_NOT_FOUND);
    assert_non_null(strstr(error.text, "no marker 'NOSE'"));
    remove("/tmp/arne_cap_scale.xml");
    arne_work_free(work);
    arne_table_free(table);
    arne_robot_free(robot);
}

// ---- loads

static void loads_are_judged(void **unused)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"<a/>", "no <ExternalLoads>"},
        {"<D><ExternalLoads><datafile>x.mot</datafile></ExternalLoads></D>", "no <ExternalForce>"},
        {"<D><ExternalLoads><objects><ExternalForce/></objects></ExternalLoads></D>",
         "names no applied_to_body"},
        {"<D><ExternalLoads><objects><ExternalForce><applied_to_body>foot</applied_to_body>"
         "</ExternalForce></objects></ExternalLoads></D>",
         "names no <datafile>"},
        {"<D><ExternalLoads><objects><ExternalForce><applied_to_body>foott</applied_to_body>"
         "</ExternalForce></objects><datafile>arne_cap_grf.mot</datafile></ExternalLoads></D>",
         "no link 'foott' (near matches: foot"},
        {"<D><ExternalLoads><objects><ExternalForce><applied_to_body>foot</applied_to_body>"
         "<force_identifier>plate_w</force_identifier></ExternalForce></objects>"
         "<datafile>arne_cap_grf.mot</datafile></ExternalLoads></D>",
         "no column 'plate_wx' (near matches: plate_vx"},
    };
    arne_robot *robot = capture_robot(LEG);
    const char *path = "/tmp/arne_cap_loads.xml";
    (void)unused;
    capture_write("/tmp/arne_cap_grf.mot",
                  "x\nendheader\ntime plate_vx plate_vy plate_vz\n0 1 2 3\n"
                  "1 nan 2 3\n2 1 2 3\n3 1 2 3\n");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        arne_loads *loads = NULL;
        arne_error  error = {0};
        capture_write(path, bad[i].text);
        assert_int_not_equal(arne_loads_read(robot, path, &loads, &error), ARNE_OK);
        if (!strstr(error.text, bad[i].says)) fail_msg("%zu: %s", i, error.text);
        assert_null(loads);
    }
    remove(path);
    remove("/tmp/arne_cap_grf.mot");
    arne_robot_free(robot);
}

// Forces that end before the motion, or begin behind its start, are refused; a step is spared.
static void loads_last_as_long_as_the_motion(void **unused)
{
    static const arne_load_columns foot = {.link = "foot", .force = "f"};
    enum { ROWS = 11 };
    arne_robot    *robot = capture_robot(LEG);
    const int      n = arne_robot_sizes(robot).v_count;
    double         time[ROWS], *x = calloc((size_t)(ROWS * n), sizeof *x), *tau;
    arne_recording motion = {.rows = ROWS, .columns = n, .time = time};
    (void)unused;
    tau = calloc((size_t)(ROWS * n), sizeof *tau);
    assert_true(x && tau);
    motion.x = motion.rate = motion.second = x;
    for (int i = 0; i < ROWS; i++)
        time[i] = 0.1 * i;
    for (int k = 0; k < 3; k++) { // up to 0.95 s, up to 0.7 s, from 0.3 s on
        arne_table *table = NULL;
        arne_loads *loads = NULL;
        arne_error  error = {0};
        assert_ok(arne_table_new(&table));
        assert_ok(arne_table_add_column(table, "time", "s"));
        for (int i = 0; i < 3; i++)
            assert_ok(arne_table_add_column(table, (const char *[]){"fx", "fy", "fz"}[i], "N"));
        for (int i = 0; i < 20; i++) {
            const double row[4] = {(k == 2 ? 0.3 : 0) + 0.05 * i, 1, 2, 3};
            if (k != 1 || i < 15) assert_ok(arne_table_append(table, row));
        }
        assert_ok(arne_loads_new(robot, table, &foot, 1, &loads, &error));
        const arne_status status = arne_recording_dynamics(robot, &motion, loads, tau, &error);
        assert_int_equal(status, k ? ARNE_VALUE : ARNE_OK);
        if (k == 1) assert_non_null(strstr(error.text, "from 0 to 0.7 s, the motion goes from 0 "));
        arne_loads_free(loads);
        arne_table_free(table);
    }
    free(x);
    free(tau);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_have_degrees_and_times),
        cmocka_unit_test(markers_have_units_and_frames),
        cmocka_unit_test(smoothing_keeps_slow_motions),
        cmocka_unit_test(walking_torques_are_opensims),
        cmocka_unit_test(markers_give_the_motion_back),
        cmocka_unit_test(limits_and_targets_are_kept),
        cmocka_unit_test(walking_markers_are_met),
        cmocka_unit_test(links_are_scaled),
        cmocka_unit_test(pairs_measure_factors),
        cmocka_unit_test(loads_are_judged),
        cmocka_unit_test(loads_last_as_long_as_the_motion),
    };
#ifndef ARNE_HAVE_EXPAT
    return 0;
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
