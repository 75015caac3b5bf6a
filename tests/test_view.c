// Pages of robots: solids have the masses of bodies, the data block is safe and exact, every robot has a page.
#define _POSIX_C_SOURCE 200809L
#include "io/read_rotation.h"
#include "report/data_block.h"
#include "report/page.h"
#include "report/sides.h"
#include "report/solid.h"
#include "testing.h"
#include <arne/builder.h>
#include <arne/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char *read_page(const char *path)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    const long size = ftell(in);
    rewind(in);
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, in), size);
    fclose(in);
    return text;
}

// --- solids ----------------------------------------------------------------------------------------

static const arne_pose nowhere = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};

// An even box has the inertia of its own sides; turned and moved, the same.
static void a_cloud_is_the_body(void **unused)
{
    (void)unused;
    const double    mass = 3, side[3] = {0.4, 0.2, 0.1};
    arne_builder   *b = NULL;
    arne_robot     *robot = NULL;
    arne_error      error;
    arne_body_spec  box = arne_body_spec_default();
    arne_joint_spec fly = arne_joint_spec_default();
    assert_int_equal(arne_builder_new(&b), ARNE_OK);
    arne_body_spec base = arne_body_spec_default();
    base.name = "base";
    box.name = "box";
    box.mass = mass;
    box.com = (arne_vec3){0.3, -0.2, 0.5};
    for (int k = 0; k < 3; k++) {
        const double u = side[(k + 1) % 3], v = side[(k + 2) % 3];
        box.inertia[k] = mass * (u * u + v * v) / 12;
    }
    fly.name = "fly";
    fly.kind = ARNE_JOINT_FREE;
    fly.parent = "base";
    fly.child = "box";
    assert_int_equal(arne_builder_add_body(b, &base, &error), ARNE_OK);
    assert_int_equal(arne_builder_add_body(b, &box, &error), ARNE_OK);
    assert_int_equal(arne_builder_add_joint(b, &fly, &error), ARNE_OK);
    assert_int_equal(arne_builder_finish(b, NULL, &robot, &error), ARNE_OK);
    const mass_cloud c = body_cloud(robot, 1);
    double           found[3], wanted[3];
    for (int k = 0; k < 3; k++) {
        found[k] = c.spread[k] * sqrt(12);
        wanted[k] = side[k];
    }
    for (int i = 0; i < 3; i++) // in any order
        for (int k = 0; k < 2; k++)
            if (found[k] < found[k + 1]) {
                const double x = found[k];
                found[k] = found[k + 1];
                found[k + 1] = x;
            }
    for (int k = 0; k < 3; k++)
        assert_true(fabs(found[k] - wanted[k]) < 1e-9);
    assert_true(fabs(c.at.p.x - 0.3) + fabs(c.at.p.y + 0.2) + fabs(c.at.p.z - 0.5) < 1e-9);
    arne_robot_free(robot);
    arne_builder_free(b);
}

// A quaternion turns as its matrix does, also where w is nearly zero.
static void quaternions_are_their_matrices(void **unused)
{
    (void)unused;
    for (int n = 0; n < 200; n++) {
        double h[4] = {sin(n), cos(3 * n), sin(7 * n + 1), n % 3 ? cos(5 * n) : 1e-9}, length = 0;
        for (int k = 0; k < 4; k++)
            length += h[k] * h[k];
        for (int k = 0; k < 4; k++)
            h[k] /= sqrt(length);
        arne_mat3 R = nowhere.R;
        double    norm, back[4], dot = 0;
        assert_true(arne_rotation_quaternion(h, &R, &norm));
        quaternion_of(&R, back);
        for (int k = 0; k < 4; k++)
            dot += h[k] * back[k];
        assert_true(fabs(fabs(dot) - 1) < 1e-12);
        assert_true(back[3] >= 0);
    }
}

static void sides_are_words(void **unused)
{
    (void)unused;
    assert_int_equal(name_side("left_foot"), 1);
    assert_int_equal(name_side("R_hip_flex"), -1);
    assert_int_equal(name_side("FL_hip"), 1);
    assert_int_equal(name_side("wheel_r"), -1);
    assert_int_equal(name_side("roll"), 0);
    assert_int_equal(name_side("link1"), 0);
    assert_true(name_mirrors("R_hip_flex", "L_hip_flex"));
    assert_false(name_mirrors("R_hip_flex", "L_hip_abd"));
    assert_false(name_mirrors("R_hip_flex", "R_hip_flex"));
    char rest[64];
    name_without_side("left_foot", rest, sizeof rest);
    assert_string_equal(rest, "foot");
    name_without_side("wheel_r", rest, sizeof rest);
    assert_string_equal(rest, "wheel");
}

static void blocks_are_safe(void **unused)
{
    (void)unused;
    buffer      b = {0};
    const float numbers[] = {1, -2.5f, 0};
    block_text(&b, "</script><!-- \"a\" 'b' & \\ \n");
    put(&b, " ");
    block_floats(&b, numbers, 3);
    put(&b, " ");
    block_bytes(&b, (const unsigned char *)"Arne", 4);
    put(&b, " ");
    block_number(&b, INFINITY, 6);
    assert_false(b.failed);
    assert_null(strpbrk(b.text, "<>&'"));
    assert_non_null(strstr(b.text, "\\u003c/script\\u003e"));
    assert_non_null(strstr(b.text, " \"AACAPwAAIMAAAAAA\" \"QXJuZQ==\" null"));
    buffer_free(&b);
}

// Every robot has a page, in which its loops are closed.
static void robots_have_pages(void **unused)
{
    (void)unused;
    const char *const names[] = {"arm6.yaml",         "gough_stewart.yaml", "human.yaml",
                                 "arm7_gripper.yaml", "planar_2r.yaml",     "quadruped.urdf"};
    char              path[] = "/tmp/arne-view-XXXXXX";
    close(mkstemp(path));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char        file[256];
        arne_robot *robot = NULL;
        arne_error  error;
        snprintf(file, sizeof file, "%s/%s", ARNE_ROBOTS_DIR, names[i]);
        assert_int_equal(arne_robot_read(file, NULL, &robot, &error), ARNE_OK);
        assert_int_equal(arne_report_robot(path, robot, NULL, &error), ARNE_OK);
        char *page = read_page(path);
        assert_non_null(strstr(page, arne_robot_name(robot)));
        assert_non_null(strstr(page, has_viewer() ? "\"kind\":\"robot\"" : "class=\"stills\""));
        free(page);
        arne_robot_free(robot);
    }
    arne_error error;
    assert_int_equal(arne_report_robot(NULL, NULL, NULL, &error), ARNE_NULL_ARGUMENT);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cloud_is_the_body), cmocka_unit_test(quaternions_are_their_matrices),
        cmocka_unit_test(sides_are_words),     cmocka_unit_test(blocks_are_safe),
        cmocka_unit_test(robots_have_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
