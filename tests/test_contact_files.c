// Contacts in files: what is read from YAML and URDF, what is written, and what is refused.
#include "reading.h"

#include "base/random.h"
#include "io/mesh_hull.h"
#include <math.h>

static reading read_it(read_text read, const char *text)
{
    reading r = {0};
    assert_int_equal(arne_builder_new(&r.builder), ARNE_OK);
    r.status = read(r.builder, text, strlen(text), "robot", &r.error);
    if (!r.status) r.status = arne_builder_finish(r.builder, NULL, &r.robot, &r.error);
    return r;
}

static void done(reading *r)
{
    arne_robot_free(r->robot);
    arne_builder_free(r->builder);
}

static const char *const SHAPES =
    "bodies: [{name: block, mass: 1, inertia: [1, 1, 1]}]\n"
    "frames: [{name: tip, link: block, origin: {xyz: [0, 0, 1]}}]\n"
    "contacts:\n"
    "  - {link: block, box: [0.2, 0.3, 0.1], origin: [0, 0, 0.5]}\n"
    "  - {link: tip, sphere: 0.1, name: ball}\n"
    "  - {link: block, disc: 0.3, axis: [0, 1, 0], tyre: {longitudinal: 10, lateral: 20}}\n"
    "  - {link: block, capsule: [0.1, 0.4], axis: [1, 0, 0], friction: 0.2}\n"
    "  - {link: block, point: [1, 2, 3]}\n"
    "  - {link: block, cylinder: [0.1, 0.2], origin: {xyz: [0, 0, 1], rpy: [0.1, 0, 0]}}\n";

static void check_shapes(const arne_robot *robot)
{
    assert_int_equal(arne_robot_sizes(robot).contact_count, 6);
    const arne_contact_info box = arne_robot_contact(robot, 0), ball = arne_robot_contact(robot, 1);
    const arne_contact_info disc = arne_robot_contact(robot, 2),
                            point = arne_robot_contact(robot, 4);
    assert_int_equal(box.shape, ARNE_SHAPE_BOX);
    assert_string_equal(box.name, "block");
    assert_true(box.size[1] == 0.3 && box.pose.p.z == 0.5);
    assert_string_equal(ball.name, "ball");
    assert_true(ball.friction < 0);
    assert_true(fabs(disc.pose.R.z.y - 1) < 1e-15 && disc.tyre[1] == 20);
    assert_true(arne_robot_contact(robot, 3).friction == 0.2);
    assert_true(point.shape == ARNE_SHAPE_POINT && point.pose.p.y == 2);
}

// What is written reads back.
static void yaml_and_back(void **unused)
{
    (void)unused;
    reading r = read_it(arne_read_yaml, SHAPES);
    char   *text;
    size_t  size;
    if (r.status) fail_msg("%s", r.error.text);
    check_shapes(r.robot);
    assert_int_equal(arne_robot_text(r.robot, ARNE_FORMAT_YAML, NULL, NULL, &text, &size, NULL),
                     ARNE_OK);
    reading again = read_it(arne_read_yaml, text);
    if (again.status) fail_msg("%s in\n%s", again.error.text, text);
    check_shapes(again.robot);
    free(text);
    done(&again);
    done(&r);
}

static void collision_of_a_urdf(void **unused)
{
    (void)unused;
    reading r = read_it(
        arne_read_urdf,
        "<robot name=\"r\"><link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" "
        "iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>\n"
        "<collision><origin xyz=\"0 0 1\"/><geometry><sphere "
        "radius=\"0.2\"/></geometry></collision>\n"
        "<collision><geometry><mesh filename=\"a.stl\"/></geometry></collision>\n"
        "<collision><geometry><box size=\"1 2 3\"/></geometry></collision></link></robot>");
    if (r.status) fail_msg("%s", r.error.text);
    assert_int_equal(arne_robot_sizes(r.robot).contact_count, 2);
    assert_true(arne_robot_contact(r.robot, 0).size[0] == 0.2);
    assert_true(arne_robot_contact(r.robot, 0).pose.p.z == 1);
    assert_int_equal(arne_robot_contact(r.robot, 1).shape, ARNE_SHAPE_BOX);
    done(&r);
}

// A mesh touches with the vertices of its hull: a cube of which the file also has points inside and
// on its faces, at half its size and a metre up.
static void mesh_of_a_urdf(void **unused)
{
    (void)unused;
    const char *path = "mesh_of_a_urdf.obj";
    FILE       *mesh = fopen(path, "w");
    assert_non_null(mesh);
    fprintf(mesh, "# a cube\nv 0 0 0\nv 0.2 0.1 1\nv 1 0.5 -0.5\n");
    for (int i = 0; i < 8; i++)
        fprintf(mesh, "v %d %d %d\n", i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    fprintf(mesh, "vn 9 9 9\nf 1 2 3\n");
    fclose(mesh);
    reading r = read_it(
        arne_read_urdf,
        "<robot name=\"r\"><link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" "
        "iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>\n"
        "<collision><geometry><mesh filename=\"mesh_of_a_urdf.obj\" scale=\"0.5 0.5 "
        "0.5\"/></geometry><origin xyz=\"0 0 1\"/></collision></link></robot>");
    remove(path);
    if (r.status) fail_msg("%s", r.error.text);
    assert_int_equal(arne_robot_sizes(r.robot).contact_count, 8);
    for (int i = 0; i < 8; i++) {
        const arne_contact_info c = arne_robot_contact(r.robot, i);
        assert_int_equal(c.shape, ARNE_SHAPE_POINT);
        assert_true(fabs(fabs(c.pose.p.x) - 0.5) < 1e-15 && fabs(fabs(c.pose.p.y) - 0.5) < 1e-15 &&
                    fabs(fabs(c.pose.p.z - 1) - 0.5) < 1e-15);
    }
    done(&r);
}

// Of many points on a ball as many as are allowed, well spread; of a square its corners.
static void hulls(void **unused)
{
    (void)unused;
    enum { MANY = 2000 };
    static arne_vec3 points[MANY];
    arne_vec3        out[MESH_HULL_MOST];
    uint64_t         seed = 1;
    for (int i = 0; i < MANY; i++) {
        const double z = random_between(&seed, -1, 1), angle = random_between(&seed, 0, 6.28318);
        const double r = sqrt(1 - z * z);
        points[i] = (arne_vec3){r * cos(angle), r * sin(angle), z};
    }
    assert_int_equal(mesh_hull_of(points, MANY, out), MESH_HULL_MOST);
    for (int i = 0; i < MANY; i++) { // each point has a vertex of the hull near it
        double nearest = 2;
        for (int k = 0; k < MESH_HULL_MOST; k++)
            nearest = fmin(nearest, hypot(hypot(points[i].x - out[k].x, points[i].y - out[k].y),
                                          points[i].z - out[k].z));
        assert_true(nearest < 0.6);
    }
    for (int i = 0; i < MANY; i++)
        points[i] = (arne_vec3){i < 4 ? (i & 1) : 0.5 + 0.4 * points[i].x,
                                i < 4 ? (i >> 1) : 0.5 + 0.4 * points[i].y, 3};
    assert_int_equal(mesh_hull_of(points, MANY, out), 4);
}

// The whole hull of points on a ball and inside of it: Euler's number of faces, turned outward, and
// nearly the volume of the ball. Too much work is refused.
static void whole_hulls(void **unused)
{
    (void)unused;
    enum { MOST = 20000 };
    static arne_vec3 points[MOST];
    arne_vec3       *corners;
    const int        shown = 1500, inside = 400;
    double           volume = 0;
    for (int i = 0; i < shown; i++) {
        const double z = 1 - (2 * i + 1.0) / shown, r = sqrt(1 - z * z);
        points[i] = (arne_vec3){r * cos(2.4 * i), r * sin(2.4 * i), z};
    }
    for (int i = shown; i < shown + inside; i++)
        points[i] = (arne_vec3){0.3 * points[i - shown].x, 0.3 * points[i - shown].y, 0.1};
    const int count = mesh_hull_triangles(points, shown + inside, &corners);
    assert_int_equal(count, 3 * (2 * shown - 4));
    for (int i = 0; i < count; i += 3) {
        const arne_vec3 a = corners[i], b = corners[i + 1], c = corners[i + 2];
        const double    six = a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) +
                           a.z * (b.x * c.y - b.y * c.x);
        assert_true(six > 0);
        volume += six / 6;
    }
    assert_true(volume < 4.18880 && volume > 4.16);
    free(corners);
    for (int i = 0; i < MOST; i++) {
        const double z = 1 - (2 * i + 1.0) / MOST, r = sqrt(1 - z * z);
        points[i] = (arne_vec3){r * cos(2.4 * i), r * sin(2.4 * i), z};
    }
    assert_int_equal(mesh_hull_triangles(points, MOST, &corners), 0);
    free(corners);
}

static void refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *contact, *says;
    } bad[] = {
        {"{link: block, sphere: -0.1}", "positive"},
        {"{link: blok, sphere: 0.1}", "blok"},
        {"{link: block}", "needs one of"},
        {"{link: block, sphere: 1, box: [1, 1, 1]}", "more than one"},
        {"{link: block, sphere: 1, tyre: {longitudinal: 1, lateral: 1}}", "a tyre is on a disc"},
        {"{link: block, disc: 1, axis: [0, 0, 0]}", "axis"},
        {"{link: block, box: [1, 1]}", "3"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[400];
        snprintf(text, sizeof text, "bodies: [{name: block, mass: 1}]\ncontacts:\n  - %s\n",
                 bad[i].contact);
        reading r = read_it(arne_read_yaml, text);
        assert_int_not_equal(r.status, ARNE_OK);
        assert_int_equal(r.error.line, 3);
        if (!strstr(r.error.text, bad[i].says)) fail_msg("%s: %s", bad[i].contact, r.error.text);
        done(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(yaml_and_back),  cmocka_unit_test(collision_of_a_urdf),
        cmocka_unit_test(mesh_of_a_urdf), cmocka_unit_test(hulls),
        cmocka_unit_test(whole_hulls),    cmocka_unit_test(refused)};
    return READERS_ARE_BUILT ? cmocka_run_group_tests(tests, NULL, NULL) : print_readers_missing();
}
