// Pages of robots: solids have the masses of bodies, the data block is safe and exact, every robot
// has a page.
#define _POSIX_C_SOURCE 200809L
#include "io/read_rotation.h"
#include "io/visual.h"
#include "report/data_block.h"
#include "report/left_right.h"
#include "report/looks.h"
#include "report/mesh_coarsen.h"
#include "report/page.h"
#include "report/solid.h"
#include "report/stl_pack.h"
#include "testing.h"
#include <arne/builder.h>
#include <arne/io.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

// --- solids

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
    name_without_side("front_left_knee", rest, sizeof rest);
    assert_string_equal(rest, "front_knee");
    // Front and hind legs stay apart.
    const char *const legs[][2] = {{"LF_HAA", "F_HAA"},
                                   {"RH_KFE", "H_KFE"},
                                   {"fr_hip", "f_hip"},
                                   {"RR_calf", "R_calf"},
                                   {"rl_calf", "r_calf"}};
    for (int i = 0; i < 5; i++) {
        name_without_side(legs[i][0], rest, sizeof rest);
        assert_string_equal(rest, legs[i][1]);
    }
    assert_true(name_mirrors("LF_HAA", "RF_HAA"));
    assert_true(name_mirrors("RR_calf", "RL_calf"));
    assert_false(name_mirrors("LF_HAA", "RH_HAA"));
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

// --- looks

static char looks_folder[64], looks_file[128];

static void write_text(const char *name, const char *text)
{
    snprintf(looks_file, sizeof looks_file, "%s/%s", looks_folder, name);
    FILE *out = fopen(looks_file, "wb");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static void make_folder(void)
{
    snprintf(looks_folder, sizeof looks_folder, "/tmp/arne-looks-XXXXXX");
    assert_non_null(mkdtemp(looks_folder));
}

static void remove_all(const char *const *names, int count)
{
    char path[256];
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", looks_folder, names[i]);
        remove(path);
    }
    assert_int_equal(rmdir(looks_folder), 0);
}

static void urdf_visuals_are_read(void **unused)
{
    (void)unused;
    visual_list list;
    arne_error  error;
    make_folder();
    write_text("r.urdf",
               "<robot name='r'><material name='blue'><color rgba='0 0 1 0.5'/></material>\n"
               "<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' "
               "ixz='0' iyz='0'/></inertial><visual>"
               "<origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/>"
               "<geometry><box size='0.1 0.2 0.3'/></geometry><material name='blue'/></visual>\n"
               "<visual><geometry><mesh filename='package://p/m.stl' scale='2 2 2'/></geometry>"
               "</visual><collision><geometry><sphere radius='9'/></geometry></collision></link>\n"
               "<link name='b'><visual><geometry><capsule radius='0.1' length='0.4'/></geometry>"
               "<material name='own'><color rgba='1 0 0 1'/></material></visual></link></robot>");
    assert_int_equal(visuals_read(looks_file, &list, &error), ARNE_OK);
    assert_int_equal(list.count, 3);
    const visual *v = list.item;
    assert_string_equal(v[0].link, "a");
    assert_int_equal(v[0].kind, VISUAL_BOX);
    assert_true(v[0].size[1] == 0.2 && v[0].at.p.z == 3 && fabs(v[0].at.R.x.y - 1) < 1e-12);
    assert_true(v[0].has_colour && v[0].colour[2] == 1 && v[0].colour[3] == 0.5);
    assert_int_equal(v[1].kind, VISUAL_MESH);
    assert_true(v[1].size[2] == 2 && !v[1].has_colour);
    assert_string_equal(v[1].mesh, "package://p/m.stl");
    assert_int_equal(v[2].kind, VISUAL_CAPSULE);
    assert_true(v[2].size[1] == 0.4 && v[2].colour[0] == 1);
    visuals_free(&list);
    write_text("r.urdf", "<robot name='r'>\n<link name='a'><visual><geometry>\n<box size='1 2'/>"
                         "</geometry></visual></link></robot>");
    assert_int_equal(visuals_read(looks_file, &list, &error), ARNE_OK);
    assert_int_equal(list.item[0].kind, VISUAL_NONE);
    assert_int_equal(list.left_out, 1);
    assert_int_equal(list.first.line, 3);
    visuals_free(&list);
    remove_all((const char *[]){"r.urdf"}, 1);
}

static void yaml_visuals_are_read(void **unused)
{
    (void)unused;
    visual_list list;
    arne_error  error;
    make_folder();
    write_text("base.yaml", "name: base\nbodies:\n"
                            "  - {name: a, visual: {sphere: 0.1}}\n"
                            "  - {name: b, visual: {box: [1, 2, 3], colour: [0, 1, 0]}}\n");
    write_text("r.yaml",
               "name: r\nextends: base.yaml\nbodies:\n"
               "  - name: b\n    visual:\n"
               "      - {cylinder: [0.1, 0.5], origin: {xyz: [0, 0, 1], rpy: [0, 0, pi]}}\n"
               "      - {mesh: m.stl, scale: 0.001}\n");
    assert_int_equal(visuals_read(looks_file, &list, &error), ARNE_OK);
    assert_int_equal(list.count, 3); // b is described again
    const visual *v = list.item;
    assert_int_equal(v[0].kind, VISUAL_SPHERE);
    assert_int_equal(v[1].kind, VISUAL_CYLINDER);
    assert_true(v[1].size[1] == 0.5 && v[1].at.p.z == 1 && v[1].at.R.x.x == -1);
    assert_int_equal(v[2].kind, VISUAL_MESH);
    assert_true(v[2].size[0] == 0.001 && v[2].size[2] == 0.001);
    visuals_free(&list);
    const struct {
        const char *text;
        int         line;
    } bad[] = {{"bodies:\n  - {name: a, visual: {ball: 1}}\n", 2},
               {"bodies:\n  - {name: a, visual: {box: [1, 2]}}\n", 2},
               {"bodies:\n  - name: a\n    visual: {origin: {xyz: [0, 0, 0]}}\n", 3},
               {"bodies:\n  - {name: a, visual: [sphere]}\n", 2}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_text("r.yaml", bad[i].text);
        assert_int_equal(visuals_read(looks_file, &list, &error), ARNE_VALUE);
        assert_int_equal(error.line, bad[i].line);
        visuals_free(&list);
    }
    remove_all((const char *[]){"r.yaml", "base.yaml"}, 2);
}

#define INERTIA(mass)                                                                              \
    "<inertial><mass value='" mass "'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>" \
    "</inertial>"
#define LOST_MESH "<visual><geometry><mesh filename='none.stl'/></geometry></visual>"

static int solids_of(const solid_list *list, int body, solid_kind kind)
{
    int count = 0;
    for (int i = 0; i < list->count; i++)
        count += list->item[i].body == body && list->item[i].kind == kind;
    return count;
}

// Where the mesh of a link is not found: its collision shapes, else the box of its inertia, which a
// small camera beside it does not replace.
static void links_without_meshes_have_bodies(void **unused)
{
    (void)unused;
    solid_list list;
    skeleton   s;
    looks      l;
    arne_error error;
    make_folder();
    snprintf(looks_file, sizeof looks_file, "%s/r.urdf", looks_folder);
    write_text(
        "r.urdf", "<robot name='r'><link name='trunk'>" INERTIA("9") LOST_MESH
        "</link><link name='camera'>" INERTIA(
            "0.1") "<visual><geometry><box size='0.01 0.01 0.01'/></geometry></visual></link>"
                   "<joint name='c' type='fixed'><parent link='trunk'/><child "
                   "link='camera'/></joint>"
                   "<link name='arm'>" INERTIA("1") LOST_MESH
        "<collision><origin xyz='0 0 0.5'/><geometry><cylinder radius='0.1' length='1'/>"
        "</geometry></collision></link>"
        "<joint name='j' type='continuous'><parent link='trunk'/><child link='arm'/>"
        "<origin xyz='0.5 0 0'/><axis xyz='0 0 1'/></joint></robot>");
    arne_robot *robot = NULL;
    assert_int_equal(arne_robot_read(looks_file, NULL, &robot, &error), ARNE_OK);
    assert_int_equal(skeleton_make(robot, &s), ARNE_OK);
    arne_vec3 *places = calloc((size_t)s.point_count + 1, sizeof *places);
    for (int i = 0; i < s.point_count; i++)
        places[i] = (arne_vec3){i, 0, 0};
    assert_int_equal(solids_make(robot, &s, places, (arne_vec3){0, 0, 1}, &list), ARNE_OK);
    assert_int_equal(looks_read(looks_file, NULL, LOOKS_ROOM, &l, &error), ARNE_OK);
    assert_int_equal(solids_dress(robot, &l, &list), ARNE_OK);
    assert_int_equal(solids_of(&list, 0, SOLID_BOX), 2); // of the trunk's inertia, and the camera
    assert_int_equal(solids_of(&list, 1, SOLID_CYLINDER), 1);
    assert_int_equal(solids_of(&list, 1, SOLID_CAPSULE), 0);
    looks_free(&l);
    solids_free(&list);
    skeleton_free(&s);
    free(places);
    arne_robot_free(robot);
    remove_all((const char *[]){"r.urdf"}, 1);
}

static void meshes_are_found(void **unused)
{
    (void)unused;
    char robot[128], package[128];
    make_folder();
    write_text("m.stl", "solid\n");
    snprintf(robot, sizeof robot, "%s/r.urdf", looks_folder);
    write_text("r.urdf", "<robot name='r'/>");
    const char *name = strrchr(looks_folder, '/') + 1;
    char       *beside = visual_mesh_path(robot, "m.stl", NULL, 0);
    assert_non_null(beside);
    free(beside);
    snprintf(package, sizeof package, "package://%s/m.stl", name); // the folder is the package
    char *around = visual_mesh_path(robot, package, NULL, 0);
    assert_non_null(around);
    free(around);
    snprintf(package, sizeof package, "p=%s", looks_folder);
    const char *const packages[] = {package};
    char             *named = visual_mesh_path(robot, "package://p/m.stl", packages, 1);
    assert_non_null(named);
    free(named);
    assert_null(visual_mesh_path(robot, "package://p/m.stl", NULL, 0));
    assert_null(visual_mesh_path(robot, "package://pp/m.stl", packages, 1));
    assert_null(visual_mesh_path(robot, "n.stl", NULL, 0));
    remove_all((const char *[]){"m.stl", "r.urdf"}, 2);
}

// Two triangles that share an edge, as an STL in text and in bytes.
static const float square[2][9] = {{-1, 0, 0, 2, 0, 0, 2, 3, 5}, {-1, 0, 0, 2, 3, 5, -1, 3, 5}};

static void check_packed(unsigned char *packed, size_t size)
{
    assert_non_null(packed);
    uint32_t counts[2];
    float    box[6];
    uint16_t place[12], corner[6];
    assert_int_equal(size, sizeof counts + sizeof box + sizeof place + sizeof corner);
    memcpy(counts, packed, sizeof counts);
    memcpy(box, packed + 8, sizeof box);
    memcpy(place, packed + 32, sizeof place);
    memcpy(corner, packed + 56, sizeof corner);
    assert_int_equal(counts[0], 4);
    assert_int_equal(counts[1], 2);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++)
            assert_true(fabsf(box[k] + box[3 + k] * place[3 * corner[i] + k] -
                              square[i / 3][3 * (i % 3) + k]) < 1e-4F);
    free(packed);
}

static void stl_files_are_packed(void **unused)
{
    (void)unused;
    char          text[1000] = "solid s\n";
    unsigned char bytes[84 + 2 * 50 + 1] = {0};
    size_t        size = 0;
    bytes[80] = 2;
    for (int i = 0; i < 2; i++) {
        memcpy(bytes + 84 + 50 * i + 12, square[i], sizeof square[i]);
        for (int k = 0; k < 9; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%g ",
                     k % 3 ? "" : "\nvertex ", (double)square[i][k]);
    }
    unsigned char *packed = stl_pack(bytes, sizeof bytes - 1, &size);
    check_packed(packed, size);
    packed = stl_pack((const unsigned char *)text, strlen(text), &size);
    check_packed(packed, size);
    static const char *const bad[] = {"", "solid\n", "vertex 1 2", "vertex 1 2 x",
                                      "vertex 0 0 0 vertex 1 1 nan vertex 1 1 1"};
    for (int i = 0; i < 5; i++)
        assert_null(stl_pack((const unsigned char *)bad[i], strlen(bad[i]), &size));
}

static uint32_t word_of(const unsigned char *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void put_corner(unsigned char *to, double u, double v)
{
    const double x[3] = {cos(u) * cos(v), sin(u) * cos(v), sin(v)};
    for (int k = 0; k < 3; k++) {
        const float value = (float)x[k];
        memcpy(to + 4 * k, &value, 4);
    }
}

// A fine sphere becomes a coarse one: few bytes, corners still near the sphere, no triangle without
// area. What is small enough stays a whole mesh.
static void large_meshes_become_coarse(void **unused)
{
    (void)unused;
    enum { N = 120, FACETS = 2 * N * N, MOST = 30000 };
    unsigned char *stl = calloc(84 + 50 * FACETS, 1), *at = stl + 84;
    assert_non_null(stl);
    const uint32_t count = FACETS;
    memcpy(stl + 80, &count, 4);
    const double du = 2 * 3.14159265358979 / N, dv = 3.14159265358979 / N;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int half = 0; half < 2; half++, at += 50) {
                const double v = -1.5707963267948966 + k * dv;
                put_corner(at + 12, i * du, v);
                put_corner(at + 24, (i + 1) * du, half ? v + dv : v);
                put_corner(at + 36, (half ? i : i + 1) * du, v + dv);
            }
    size_t         size = 0, coarse = 0, same = 0;
    unsigned char *packed = stl_pack(stl, 84 + 50 * FACETS, &size);
    assert_non_null(packed);
    assert_true(size > 4 * MOST);
    unsigned char *small = mesh_coarsen(packed, size, MOST, &coarse);
    assert_non_null(small);
    assert_in_range(coarse, MOST / 3, MOST);
    const uint32_t corners = word_of(small), triangles = word_of(small + 4);
    assert_int_equal(coarse, 32 + 6 * corners + 6 * triangles);
    for (uint32_t i = 0; i < corners; i++) {
        double squares = 0;
        for (uint32_t k = 0; k < 3; k++) {
            const unsigned char *place = small + 32 + 6 * i + 2 * k;
            const double         x = -1 + 2 * (place[0] + 256.0 * place[1]) / 65535;
            squares += x * x;
        }
        assert_true(fabs(sqrt(squares) - 1) < 0.03);
    }
    for (uint32_t i = 0; i < triangles; i++) {
        const unsigned char *c = small + 32 + 6 * corners + 6 * i;
        assert_true(memcmp(c, c + 2, 2) && memcmp(c + 2, c + 4, 2) && memcmp(c, c + 4, 2));
    }
    unsigned char *again = mesh_coarsen(small, coarse, coarse, &same);
    assert_non_null(again);
    assert_true(same <= coarse);
    assert_null(mesh_coarsen(small, coarse - 1, MOST, &same));
    assert_null(mesh_coarsen(small, 10, MOST, &same));
    free(again);
    free(small);
    free(packed);
    free(stl);
}

// The page may read from itself only where a mesh holds what must be read so.
static void pictures_open_the_policy(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *text;
        int         has_data;
    } files[] = {{"m.stl", "solid \"images\"\n", 0},
                 {"m.dae", "<COLLADA>data:</COLLADA>", 0},
                 {"m.gltf", "{\"meshes\": []}", 0},
                 {"m.gltf", "{\"images\": []}", 1},
                 {"m.gltf", "{\"buffers\": [{\"uri\": \"data:,\"}]}", 1}};
    make_folder();
    for (int i = 0; i < 5; i++) {
        char       robot[400], path[128];
        looks      l;
        arne_error error;
        write_text(files[i].name, files[i].text);
        snprintf(robot, sizeof robot,
                 "<robot name='r'><link name='l'><visual><geometry><mesh filename='%s'/></geometry>"
                 "</visual></link></robot>",
                 files[i].name);
        write_text("r.urdf", robot);
        snprintf(path, sizeof path, "%s/r.urdf", looks_folder);
        assert_int_equal(looks_read(path, NULL, LOOKS_ROOM, &l, &error), ARNE_OK);
        assert_int_equal(l.file_count, 1);
        assert_int_equal(looks_have_data(&l), files[i].has_data);
        looks_free(&l);
    }
    remove_all((const char *[]){"m.stl", "m.dae", "m.gltf", "r.urdf"}, 4);
    for (int has = 0; has < 2; has++) {
        buffer b = {0};
        page_open(&b, "p", PAGE_LIVE | (has ? PAGE_HAS_DATA : PAGE_STILL));
        assert_int_equal(b.failed, 0);
        assert_non_null(strstr(b.text, "'wasm-unsafe-eval'"));
        assert_int_equal(strstr(b.text, "data: blob:") != NULL, has);
        buffer_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cloud_is_the_body),
        cmocka_unit_test(quaternions_are_their_matrices),
        cmocka_unit_test(sides_are_words),
        cmocka_unit_test(blocks_are_safe),
        cmocka_unit_test(robots_have_pages),
        cmocka_unit_test(urdf_visuals_are_read),
        cmocka_unit_test(yaml_visuals_are_read),
        cmocka_unit_test(links_without_meshes_have_bodies),
        cmocka_unit_test(meshes_are_found),
        cmocka_unit_test(stl_files_are_packed),
        cmocka_unit_test(large_meshes_become_coarse),
        cmocka_unit_test(pictures_open_the_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
