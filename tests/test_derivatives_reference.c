// Derivatives that others computed: the robots of $ARNE_REFERENCE, and the sensitivities of
// Barman's thesis.
#include "testing.h"

#include "reference.h"

#include <stdio.h>
#include <stdlib.h>

enum { MANY = MAX_V * MAX_V };

static const double TOLERANCE = 1e-9;

static double *numbers(int count)
{
    double *x = malloc(sizeof *x * (size_t)count);
    assert_non_null(x);
    return x;
}

// ---- robots ----

static void compare_inverse(const reference *r, const json *at, const state *s)
{
    const int n = r->nv;
    double   *dq = numbers(MANY), *dqd = numbers(MANY), *dqdd = numbers(MANY),
           *theirs = numbers(MANY);
    arne_inverse_dynamics_derivatives(r->robot, r->work, s->q, s->qd, s->qdd, NULL, 0, dq, dqd,
                                      dqdd);
    matrix_of(r, at, "dtau_dq", theirs);
    assert_close(s, "dtau/dq", dq, theirs, n * n, TOLERANCE);
    matrix_of(r, at, "dtau_dv", theirs);
    assert_close(s, "dtau/dqd", dqd, theirs, n * n, TOLERANCE);
    matrix_of(r, at, "M", theirs);
    assert_close(s, "dtau/dqdd", dqdd, theirs, n * n, TOLERANCE);
    free(dq);
    free(dqd);
    free(dqdd);
    free(theirs);
}

static void compare_direct(const reference *r, const json *at, const state *s)
{
    const int n = r->nv;
    double   *dq = numbers(MANY), *dqd = numbers(MANY), *dtau = numbers(MANY),
           *theirs = numbers(MANY), *M = numbers(MANY);
    assert_ok(arne_forward_dynamics_derivatives(r->robot, r->work, s->q, s->qd, s->tau, NULL, 0,
                                                NULL, dq, dqd, dtau, NULL));
    matrix_of(r, at, "M", M);
    matrix_of(r, at, "dqdd_dq", theirs);
    assert_direct_close(s, "dqdd/dq", dq, theirs, n * n, TOLERANCE, M);
    matrix_of(r, at, "dqdd_dv", theirs);
    assert_direct_close(s, "dqdd/dqd", dqd, theirs, n * n, TOLERANCE, M);
    matrix_of(r, at, "dqdd_dtau", theirs);
    assert_direct_close(s, "dqdd/dtau", dtau, theirs, n * n, TOLERANCE, M);
    free(dq);
    free(dqd);
    free(dtau);
    free(theirs);
    free(M);
}

// The first state of each file has a wrench on the last body too, fixed in it.
static void compare_loaded(const reference *r, const json *at, const state *s)
{
    arne_load load = {.frame = r->last};
    double   *dq = numbers(MANY), *theirs = numbers(MANY);
    json_numbers(json_get(at, "fext_last_LOCAL"), &load.wrench.lin.x, 6);
    arne_inverse_dynamics_derivatives(r->robot, r->work, s->q, s->qd, s->qdd, &load, 1, dq, NULL,
                                      NULL);
    matrix_of(r, at, "dtau_dq_fext", theirs);
    assert_close(s, "dtau/dq with a wrench", dq, theirs, r->nv * r->nv, TOLERANCE);
    free(dq);
    free(theirs);
}

static void compare_robot(void **name)
{
    reference   r = reference_open(*name);
    const json *states = json_get(r.file, "states");
    assert_true(json_count(states) > 0);
    for (int i = 0; i < json_count(states); i++) {
        const json *at = json_at(states, i);
        const state s = state_of(&r, at);
        compare_inverse(&r, at, &s);
        compare_direct(&r, at, &s);
        if (i == 0) compare_loaded(&r, at, &s);
    }
    reference_close(&r);
}

// ---- the thesis ----

enum { JOINTS = 6, MOST = 4 };

// A load is what a link does to the world at a point of it, in world axes: so the world does the
// opposite, and does not turn with the link. There is a frame at each point, with the axes of the
// link.
static arne_robot *thesis_robot(const json *external)
{
    arne_builder *builder = NULL;
    arne_error    error = {0};
    assert_ok(arne_builder_new(&builder));
    assert_ok_or(arne_read(builder, TEST_DATA_DIR "/thesis_sensitivities.yaml", &error), &error);
    for (int i = 0; i < json_count(external); i++) {
        const json *one = json_at(external, i);
        arne_pose   X = pose_identity();
        char        name[32], link[32];
        json_numbers(json_get(one, "point_in_link_frame"), &X.p.x, 3);
        snprintf(name, sizeof name, "load%d", i);
        snprintf(link, sizeof link, "link%d", json_integer(json_get(one, "link")));
        assert_ok_or(arne_builder_add_frame(builder, name, link, &X, (arne_place){NULL, 0}, &error),
                     &error);
    }
    arne_robot *robot = finish(builder, NULL);
    arne_builder_free(builder);
    return robot;
}

static arne_vec3 from_world(arne_mat3 R, const json *at, const char *key)
{
    arne_vec3 a;
    json_numbers(json_get(at, key), &a.x, 3);
    return m3_apply_t(R, v3_scale(-1, a));
}

static int thesis_loads(const state *s, arne_work *work, const json *external, arne_load *loads)
{
    const int count = json_count(external);
    assert_true(count <= MOST);
    arne_kinematics(s->robot, work, s->q, NULL, NULL);
    for (int i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "load%d", i);
        const int frame = arne_find_frame(s->robot, name);
        assert_true(frame >= 0);
        const arne_mat3 R = arne_frame_pose(s->robot, work, frame).R;
        const json     *at = json_at(external, i);
        loads[i] = (arne_load){.frame = frame, .in_world = 1};
        loads[i].wrench.lin = from_world(R, at, "force_on_environment_global");
        loads[i].wrench.ang = from_world(R, at, "moment_on_environment_global");
    }
    return count;
}

// [joint][column] there holds the three components of a force; here they are rows.
static void compare_forces(const state *s, arne_work *work, const json *at)
{
    static const char *const keys[] = {"dF_p_dq", "dF_p_dqd", "dF_p_dqdd"};
    double                   theirs[3][JOINTS][JOINTS][3], ours[3][6 * JOINTS];
    for (int which = 0; which < 3; which++)
        json_numbers(json_get(at, keys[which]), &theirs[which][0][0][0], 3 * JOINTS * JOINTS);
    for (int j = 0; j < JOINTS; j++) {
        arne_wrench_derivatives(s->robot, work, j, ours[0], ours[1], ours[2]);
        for (int which = 0; which < 3; which++)
            for (int k = 0; k < JOINTS; k++) {
                const double *rows = ours[which];
                const double  column[3] = {rows[k], rows[JOINTS + k], rows[2 * JOINTS + k]};
                assert_close(s, keys[which], column, theirs[which][j][k], 3, TOLERANCE);
            }
    }
}

static void thesis_case(const json *at)
{
    static const char *const keys[] = {"dtau_dq", "dtau_dqd", "dtau_dqdd"};
    const json              *external = json_get(at, "external");
    arne_robot              *robot = thesis_robot(external);
    arne_work               *work = new_work(robot);
    state                    s = {.robot = robot, .size = arne_robot_sizes(robot)};
    arne_load                loads[MOST];
    double                   ours[3][JOINTS * JOINTS], theirs[JOINTS * JOINTS];

    assert_int_equal(s.size.v_count, JOINTS);
    json_numbers(json_get(at, "q"), s.q, JOINTS);
    json_numbers(json_get(at, "qd"), s.qd, JOINTS);
    json_numbers(json_get(at, "qdd"), s.qdd, JOINTS);
    const int count = thesis_loads(&s, work, external, loads);
    arne_inverse_dynamics_derivatives(robot, work, s.q, s.qd, s.qdd, loads, count, ours[0], ours[1],
                                      ours[2]);
    for (int which = 0; which < 3; which++) {
        json_numbers(json_get(at, keys[which]), theirs, JOINTS * JOINTS);
        assert_close(&s, keys[which], ours[which], theirs, JOINTS * JOINTS, TOLERANCE);
    }
    compare_forces(&s, work, at);
    arne_work_free(work);
    arne_robot_free(robot);
}

static void thesis(void **unused)
{
    json       *file = json_read(TEST_DATA_DIR "/thesis_sensitivities.json");
    const json *cases = json_get(file, "cases");
    (void)unused;
    assert_int_equal(json_count(cases), 3);
    for (int i = 0; i < json_count(cases); i++)
        thesis_case(json_at(cases, i));
    json_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thesis),
        EACH_REFERENCE(compare_robot),
    };
    return cmocka_run_group_tests_name("derivatives of others", tests, NULL, NULL);
}
