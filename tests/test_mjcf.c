// MJCF against MuJoCo: masses, poses, the mass matrix, bias, passive forces and inverse dynamics of
// all reference models, in all their states.
#define _POSIX_C_SOURCE 200809L
#include "io/document.h"
#include "reading.h"
#include "robot/builder.h"
#include "simulate/medium.h"
#include <dirent.h>
#include <unistd.h>

// ---- reference files

static char folder[64] = "/tmp/arne_mjcf_XXXXXX";

// Models are in an archive.
static int unpack(const char *references)
{
    char command[512];
    if (!mkdtemp(folder)) return 0;
    snprintf(command, sizeof command, "tar xJf '%s/mjcf/xml.tar.xz' -C %s 2>/dev/null", references,
             folder);
    return system(command) == 0;
}

static int numbers_below(const doc_node *node, double *out, int room)
{
    int count = 0;
    if (!node) return 0;
    if (node->kind == DOC_TEXT) {
        if (room > 0) assert_int_equal(arne_parse_number(node->text, out), ARNE_OK);
        return 1;
    }
    for (const doc_item *i = node->first; i; i = i->next)
        count += numbers_below(i->value, out + count, room - count);
    return count;
}

// All numbers under a key, rows one after another; to be freed.
static double *numbers_of(const doc_node *map, const char *key, int *count)
{
    const doc_node *node = doc_find(map, key);
    *count = numbers_below(node, NULL, 0);
    double *x = calloc((size_t)*count + 1, sizeof *x);
    assert_non_null(x);
    numbers_below(node, x, *count);
    return x;
}

// ---- a robot without what MuJoCo treats as constraints

typedef struct comparison {
    char path[512];
    int  is_free; // of springs and dampers: balls and free joints have springs, which are not read
} comparison;

static arne_robot *open_robot(const comparison *with)
{
    const char   *path = with->path;
    arne_builder *b = NULL;
    arne_robot   *robot = NULL;
    arne_error    error;
    assert_int_equal(arne_builder_new(&b), ARNE_OK);
    arne_status status = arne_read_open(b, path, &error);
    for (int i = 0; i < b->joint_count; i++) {
        b->joints[i].coulomb_positive = b->joints[i].coulomb_negative = 0;
        if (with->is_free) b->joints[i].viscous = 0;
    }
    if (with->is_free) b->spring_count = 0;
    if (!status) status = arne_builder_finish(b, NULL, &robot, &error);
    if (status) print_error("%s: %s:%d: %s\n", path, error.file, error.line, error.text);
    arne_builder_free(b);
    return robot;
}

// ---- comparisons

typedef struct worst {
    double M, tau, bias, pose;
} worst;

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static double apart(const double *a, const double *b, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most / (largest(b, n) + 1e-300);
}

// The matrix T of qd = T qvel, by columns: it turns linear velocities of free joints.
static void velocity_map(const arne_robot *robot, const double *qpos, int nv, double *T)
{
    double *unit = calloc((size_t)nv, sizeof *unit), *column = calloc((size_t)nv, sizeof *column);
    double *q = calloc((size_t)arne_robot_sizes(robot).q_count + 1, sizeof *q);
    for (int k = 0; k < nv; k++) {
        unit[k] = 1;
        arne_from_mujoco(robot, qpos, unit, NULL, q, column, NULL);
        for (int i = 0; i < nv; i++)
            T[i * nv + k] = column[i];
        unit[k] = 0;
    }
    free(unit);
    free(column);
    free(q);
}

// out = T^T x
static void back(int nv, const double *T, const double *x, double *out)
{
    for (int k = 0; k < nv; k++) {
        out[k] = 0;
        for (int i = 0; i < nv; i++)
            out[k] += T[i * nv + k] * x[i];
    }
}

static void compare_mass(const arne_robot *robot, arne_work *work, const double *q,
                         const doc_node *state, int nv, const double *T, worst *w)
{
    int count;
    if (!doc_find(state, "M")) return; // of large models the references have M qacc, in tau
    double *M = numbers_of(state, "M", &count), *own = calloc((size_t)(nv * nv) + 1, sizeof *own),
           *half = calloc((size_t)(nv * nv) + 1, sizeof *half);
    assert_int_equal(count, nv * nv);
    arne_mass_matrix(robot, work, q, own);
    for (int i = 0; i < nv; i++) // M T, then T^T M T
        for (int k = 0; k < nv; k++)
            for (int j = 0; j < nv; j++)
                half[i * nv + k] += own[i * nv + j] * T[j * nv + k];
    memset(own, 0, (size_t)(nv * nv) * sizeof *own);
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++)
            for (int k = 0; k < nv; k++)
                own[j * nv + k] += T[i * nv + j] * half[i * nv + k];
    w->M = fmax(w->M, apart(own, M, nv * nv));
    free(M);
    free(own);
    free(half);
}

// Poses of links, by the names of MuJoCo's bodies.
static void compare_poses(const arne_robot *robot, arne_work *work, const double *q,
                          const doc_node *root, const doc_node *state, worst *w)
{
    int             count, i = 0;
    double         *x = numbers_of(state, "xpos", &count), *h = numbers_of(state, "xquat", &count);
    const doc_node *bodies = doc_find(root, "bodies");
    arne_kinematics(robot, work, q, NULL, NULL);
    for (const doc_item *b = bodies->first; b; b = b->next, i++) {
        const char *name = doc_find(b->value, "name")->text;
        const int   frame = *name ? arne_find_frame(robot, name) : -1;
        if (frame < 0) continue;
        const arne_pose X = arne_frame_pose(robot, work, frame);
        const double   *p = x + 3 * i, *g = h + 4 * i;
        const double    size = fmax(1, largest(p, 3));
        w->pose = fmax(
            w->pose, fmax(fabs(X.p.x - p[0]), fmax(fabs(X.p.y - p[1]), fabs(X.p.z - p[2]))) / size);
        const double xx = 1 - 2 * (g[2] * g[2] + g[3] * g[3]), xy = 2 * (g[1] * g[2] + g[0] * g[3]),
                     zz = 1 - 2 * (g[1] * g[1] + g[2] * g[2]), yz = 2 * (g[2] * g[3] + g[0] * g[1]);
        w->pose = fmax(w->pose, fmax(fmax(fabs(X.R.x.x - xx), fabs(X.R.x.y - xy)),
                                     fmax(fabs(X.R.z.z - zz), fabs(X.R.y.z - yz))));
    }
    free(x);
    free(h);
}

// Forces that MuJoCo lists apart.
static void add_to(const doc_node *state, const char *key, double sign, double *tau, int nv)
{
    int     count;
    double *x = numbers_of(state, key, &count);
    for (int i = 0; i < nv && count == nv; i++)
        tau[i] += sign * x[i];
    free(x);
}

// Weight that gravity compensation holds, but where the actuators of a joint do.
static void add_held_weight(const doc_node *root, const doc_node *state, double *tau, int nv)
{
    int     count;
    double *x = numbers_of(state, "qfrc_gravcomp", &count);
    for (const doc_item *j = doc_find(root, "joints")->first; j && count == nv; j = j->next)
        if (doc_find(j->value, "actgravcomp")) x[atoi(doc_find(j->value, "dofadr")->text)] = 0;
    for (int i = 0; i < nv && count == nv; i++)
        tau[i] -= x[i];
    free(x);
}

// Drag of all links, as surroundings have it.
static arne_wrench *fluid_wrenches(const arne_robot *robot, arne_work *work, const doc_node *root,
                                   const double *q, const double *qd)
{
    const arne_sizes size = arne_robot_sizes(robot);
    arne_wrench     *f = calloc((size_t)size.body_count, sizeof *f);
    const doc_node  *option = doc_find(root, "option");
    arne_surrounding s = {.kind = ARNE_SURROUNDING_FLUID};
    numbers_below(doc_find(option, "density"), &s.density, 1);
    numbers_below(doc_find(option, "viscosity"), &s.viscosity, 1);
    numbers_below(doc_find(option, "wind"), &s.wind.x, 3);
    arne_kinematics(robot, work, q, qd, NULL);
    for (s.frame = 0; s.frame < size.frame_count; s.frame++) {
        const arne_frame_info info = arne_robot_frame(robot, s.frame);
        if (!info.is_link || info.mass == 0) continue;
        const arne_pose   X = arne_frame_pose(robot, work, s.frame);
        const arne_motion v = arne_frame_velocity(robot, work, s.frame, ARNE_AXES_BODY);
        const arne_wrench one = medium_wrench(robot, &s, 0, &X, &v, qd);
        arne_add_wrench(robot, s.frame, &one, f);
    }
    return f;
}

// Springs and dampers of spatial tendons are paths.
static void add_tendons(const arne_robot *robot, arne_work *work, const double *q, const double *qd,
                        double *tau)
{
    const int n = arne_muscle_count(robot), nv = arne_robot_sizes(robot).v_count;
    double   *x = calloc(4 * (size_t)n + 1, sizeof *x),
           *arms = calloc((size_t)n * (size_t)nv + 1, sizeof *arms), *force = x + 3 * n;
    assert_int_equal(arne_muscle_lengths(robot, work, q, qd, x, x + n), ARNE_OK);
    assert_int_equal(arne_muscle_moment_arms(robot, work, q, arms), ARNE_OK);
    assert_int_equal(arne_muscle_forces(robot, 1, x + 2 * n, x, x + n, NULL, force, NULL), ARNE_OK);
    for (int i = 0; i < n * nv; i++)
        tau[i % nv] -= arms[i] * force[i / nv];
    free(x);
    free(arms);
}

static void compare_state(const arne_robot *robot, const doc_node *root, const doc_node *state,
                          const comparison *with, worst *w)
{
    int        nq, nv, n;
    arne_work *work = NULL;
    double    *qpos = numbers_of(state, "qpos", &nq), *qvel = numbers_of(state, "qvel", &nv),
           *qacc = numbers_of(state, "qacc", &n), *tau = numbers_of(state, "Mqacc", &n);
    assert_int_equal(arne_work_new(robot, &work), ARNE_OK);
    double *q = calloc((size_t)nq + 1, sizeof *q),
           *x = calloc(5 * (size_t)nv + (size_t)nq, sizeof *x),
           *T = calloc((size_t)(nv * nv) + 1, sizeof *T), *qd = x + nv, *qdd = x + 2 * nv,
           *own = x + 3 * nv, *again = x + 4 * nv;
    add_to(state, "qfrc_bias", 1, tau, nv);
    if (!with->is_free) add_to(state, "qfrc_spring", -1, tau, nv);
    if (!with->is_free) add_to(state, "qfrc_damper", -1, tau, nv);
    add_held_weight(root, state, tau, nv);
    arne_from_mujoco(robot, qpos, qvel, qacc, q, qd, qdd);
    velocity_map(robot, qpos, nv, T);
    compare_mass(robot, work, q, state, nv, T, w);
    compare_poses(robot, work, q, root, state, w);
    arne_wrench *drag =
        doc_find(state, "qfrc_fluid") ? fluid_wrenches(robot, work, root, q, qd) : NULL;
    add_to(state, "qfrc_fluid", -1, tau, nv);
    arne_inverse_dynamics(robot, work, q, qd, qdd, drag, x);
    free(drag);
    if (!with->is_free && arne_muscle_count(robot)) add_tendons(robot, work, q, qd, x);
    back(nv, T, x, own);
    w->tau = fmax(w->tau, apart(own, tau, nv));
    // Back to MuJoCo, where quaternions may have been of another length.
    arne_to_mujoco(robot, q, qd, qdd, x + 5 * nv, again, own);
    w->pose = fmax(w->pose, fmax(apart(again, qvel, nv), apart(own, qacc, nv)));
    free(qpos);
    free(qvel);
    free(qacc);
    free(tau);
    free(q);
    free(x);
    free(T);
    arne_work_free(work);
}

static int has_other_springs(const doc_node *root)
{
    for (const doc_item *t = doc_find(root, "joints")->first; t; t = t->next) {
        const char *type = doc_find(t->value, "type")->text;
        double      stiffness = 0;
        numbers_below(doc_find(t->value, "stiffness"), &stiffness, 1);
        if (stiffness != 0 && (strcmp(type, "ball") == 0 || strcmp(type, "free") == 0)) return 1;
    }
    return 0;
}

static worst compare_model(const char *json, const char *models)
{
    findings     found = {0};
    document     doc = {0};
    worst        w = {0};
    comparison   with = {0};
    arne_error   error;
    const reader r = {.file = json, .found = &found, .error = &error};
    assert_int_equal(document_load(&r, &doc), ARNE_OK);
    snprintf(with.path, sizeof with.path, "%s/%s", models, doc_find(doc.root, "file")->text);
    with.is_free = has_other_springs(doc.root);
    arne_robot *robot = open_robot(&with);
    if (!robot) {
        w.M = w.tau = INFINITY;
    } else {
        int       nq, nv;
        const int is_there = atoi(doc_find(doc.root, "nv")->text);
        arne_mujoco_counts(robot, &nq, &nv);
        if (nv != is_there) w.M = INFINITY;
        for (const doc_item *s = doc_find(doc.root, "states")->first; s && nv == is_there;
             s = s->next)
            compare_state(robot, doc.root, s->value, &with, &w);
    }
    arne_robot_free(robot);
    document_free(&doc);
    findings_free(&found);
    return w;
}

// A file with what the reader says that it does not use: drag of ellipsoids.
static int is_known_gap(const char *name, const worst *w)
{
    return strcmp(name, "passive.json") == 0 && w->M < 1e-10 && w->pose < 1e-12;
}

static int compare_folder(const char *refs, const char *models, int *bad)
{
    DIR *all = opendir(refs);
    int  count = 0;
    for (const struct dirent *e; all && (e = readdir(all)) != NULL;) {
        char path[600];
        if (!strstr(e->d_name, ".json")) continue;
        snprintf(path, sizeof path, "%s/%s", refs, e->d_name);
        const worst w = compare_model(path, models);
        count++;
        if (w.M < 1e-10 && w.tau < 1e-10 && w.pose < 1e-12) continue;
        if (is_known_gap(e->d_name, &w)) continue;
        (*bad)++;
        print_error("%-45s M %.1e tau %.1e pose %.1e\n", e->d_name, w.M, w.tau, w.pose);
    }
    if (all) closedir(all);
    return count;
}

static void all_reference_models(void **unused)
{
    (void)unused;
    const char *references = getenv("ARNE_REFERENCE");
    char        refs[300], models[300];
    int         bad = 0;
    if (!references) {
        print_message("skipped: ARNE_REFERENCE does not say where the reference numbers are\n");
        skip();
    }
    assert_true(unpack(references));
    snprintf(refs, sizeof refs, "%s/mjcf/refs", references);
    snprintf(models, sizeof models, "%s/mujoco_menagerie", folder);
    assert_int_equal(compare_folder(refs, models, &bad), 55);
    snprintf(refs, sizeof refs, "%s/mjcf/extra/refs", references);
    snprintf(models, sizeof models, "%s/mjcf/extra", references);
    assert_int_equal(compare_folder(refs, models, &bad), 15);
    snprintf(refs, sizeof refs, "rm -rf %s", folder);
    assert_int_equal(system(refs), 0);
    assert_int_equal(bad, 0);
}

// ---- texts

static arne_status read_mjcf(const char *text, findings *found, arne_robot **robot)
{
    arne_builder      *b = NULL;
    arne_error         error;
    const listeners    all = findings_listeners(found);
    arne_build_options how = {
        .warn = all.warn, .warn_context = found, .fail = all.fail, .fail_context = found};
    assert_int_equal(arne_builder_new(&b), ARNE_OK);
    arne_status       status = arne_read_text(b, text, strlen(text), "/nowhere/m.xml", &error);
    const arne_status built = arne_builder_finish(b, &how, robot, &error);
    if (!status) status = built;
    arne_builder_free(b);
    return status;
}

// Every mistake is told, with its place.
static void mistakes_have_places(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        int         line, column;
        const char *says;
    } bad[] = {
        {"<mujoco/>", 1, 1, "worldbody"},
        {"<mujocoinclude><worldbody/></mujocoinclude>", 1, 1, "include"},
        {"<mujoco><worldbody>\n <body pos='1 2'/></worldbody></mujoco>", 2, 2, "pos of <body>"},
        {"<mujoco><worldbody>\n <body quat='0 0 0 0'/></worldbody></mujoco>", 2, 2, "no length"},
        {"<mujoco><worldbody><body>\n  <joint type='hing'/></body></worldbody></mujoco>", 2, 3,
         "there are hinge"},
        {"<mujoco><worldbody><body>\n  <joint axis='0 0 0'/></body></worldbody></mujoco>", 2, 3,
         "axis"},
        {"<mujoco><worldbody><body>\n  <geom class='x'/></body></worldbody></mujoco>", 2, 3,
         "default class 'x'"},
        {"<mujoco><worldbody><body>\n  <geom type='mesh' mesh='m'/></body></worldbody></mujoco>", 2,
         3, "no mesh 'm'"},
        {"<mujoco><worldbody><body>\n  <inertial pos='0 0 0'/></body></worldbody></mujoco>", 2, 3,
         "no mass"},
        {"<mujoco><compiler eulerseq='xyw'/><worldbody/></mujoco>", 1, 9, "eulerseq"},
        {"<mujoco><compiler coordinate='global'/><worldbody/></mujoco>", 1, 9, "global"},
        {"<mujoco><worldbody/><equality>\n<joint joint1='a'/></equality></mujoco>", 2, 1,
         "no joint 'a'"},
        {"<mujoco><worldbody/><equality>\n<weld body1='a'/></equality></mujoco>", 2, 1,
         "no body 'a'"},
        {"<mujoco><worldbody/><actuator>\n<motor joint='a'/></actuator></mujoco>", 2, 1,
         "no joint 'a'"},
        {"<mujoco><worldbody>\n<include file='x.xml'/></worldbody></mujoco>", 2, 1, "x.xml"},
        {"<mujoco><worldbody>\n<include file='/etc/passwd'/></worldbody></mujoco>", 2, 1,
         "must end in"},
        {"<mujoco><worldbody>\n<replicate count='1e9'/></worldbody></mujoco>", 2, 1, "count"},
        {"<mujoco><worldbody><replicate count='9999'>\n<replicate count='9999'><geom size='1'/>"
         "</replicate></replicate></worldbody></mujoco>",
         2, 1, "copies"},
        {"<mujoco><worldbody>\n<attach model='m' body='b'/></worldbody></mujoco>", 2, 1,
         "no model 'm'"},
        {"<mujoco><worldbody><body>\n<freejoint/><joint/></body></worldbody></mujoco>", 2, 1,
         "free joint"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        findings    found = {0};
        arne_robot *robot = NULL;
        assert_int_not_equal(read_mjcf(bad[i].text, &found, &robot), ARNE_OK);
        assert_null(robot);
        int k = 0;
        while (k < found.count && !found.item[k].code)
            k++;
        assert_true(k < found.count);
        if (!strstr(found.item[k].text, bad[i].says) || found.item[k].line != bad[i].line ||
            found.item[k].column != bad[i].column)
            print_error("%s\n  %d:%d: %s\n", bad[i].text, found.item[k].line, found.item[k].column,
                        found.item[k].text);
        assert_non_null(strstr(found.item[k].text, bad[i].says));
        assert_int_equal(found.item[k].line, bad[i].line);
        assert_int_equal(found.item[k].column, bad[i].column);
        findings_free(&found);
    }
}

static int count_of(const findings *found, const char *text)
{
    int count = 0;
    for (int i = 0; i < found->count; i++)
        count += strstr(found->item[i].text, text) != NULL;
    return count;
}

// A mesh with a face missing: inertia="convex" takes the hull, "shell" the three faces; one that is
// not known is told.
static void meshes_say_how_they_weigh(void **unused)
{
    (void)unused;
    static const struct {
        const char *face, *how;
        double      mass;
        int         told;
    } cases[] = {{"0 3 2", "convex", 1000.0 / 6, 0},
                 {"0 3 2", "exact", 1000.0 / 9, 0}, // seen from the middle of the faces
                 {"0 3 2", "shell", 1500, 0},
                 {"0 3 9", "shell", 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char        text[600];
        findings    found = {0};
        arne_robot *robot = NULL;
        snprintf(text, sizeof text,
                 "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' "
                 "face='0 2 1 0 1 3 %s' inertia='%s'/></asset><worldbody><body name='b'><joint/>"
                 "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>",
                 cases[i].face, cases[i].how);
        assert_int_equal(read_mjcf(text, &found, &robot), ARNE_OK);
        const arne_frame_info b = arne_robot_frame(robot, arne_find_frame(robot, "b"));
        assert_true(fabs(b.mass - cases[i].mass) <= 1e-12 * 1000);
        assert_int_equal(count_of(&found, "mass of meshes"), cases[i].told);
        arne_robot_free(robot);
        findings_free(&found);
    }
}

#define CUBE "1 1 1 -1 1 1 1 -1 1 -1 -1 1 1 1 -1 -1 1 -1 1 -1 -1 -1 -1 -1"

// Geoms in pairs that are the same: boxes as meshes, whole and as shells, through refpos, refquat and
// scale; a shell of nearly a sphere, as an ellipsoid.
static void geoms_say_the_same(void **unused)
{
    (void)unused;
    static const char *const pairs[][2] = {
        {"type='mesh' mesh='box'", "type='box' size='.5 1 .25'"},
        {"type='mesh' mesh='box' shellinertia='true'",
         "type='box' size='.5 1 .25' shellinertia='true'"},
        {"type='mesh' mesh='shell'", "type='box' size='.5 1 .25' shellinertia='true'"},
        {"type='mesh' mesh='turned'", "type='box' size='.5 1 .25'"},
        {"type='ellipsoid' size='.5 .5 .5' shellinertia='true'", "size='.5' shellinertia='true'"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        double M[2];
        for (int k = 0; k < 2; k++) {
            char         text[900];
            findings     found = {0};
            arne_robot  *robot = NULL;
            arne_work   *work = NULL;
            const double q = 0;
            snprintf(text, sizeof text,
                     "<mujoco><asset><mesh name='box' vertex='" CUBE "' scale='.5 1 .25'/>"
                     "<mesh name='shell' vertex='" CUBE "' scale='.5 1 .25' inertia='shell'/>"
                     "<mesh name='turned' vertex='" CUBE "' scale='.5 1 .25' refpos='0 0 .5' "
                     "refquat='1 -1 0 0'/></asset><worldbody><body name='b'><joint axis='1 .4 2' "
                     "pos='.3 -1 0'/><geom pos='.2 %s .1' %s/></body></worldbody></mujoco>",
                     i == 3 && k ? ".5" : "0", pairs[i][k]);
            assert_int_equal(read_mjcf(text, &found, &robot), ARNE_OK);
            assert_int_equal(arne_work_new(robot, &work), ARNE_OK);
            arne_mass_matrix(robot, work, &q, &M[k]);
            arne_work_free(work);
            arne_robot_free(robot);
            findings_free(&found);
        }
        if (!(fabs(M[0] - M[1]) <= (i == 4 ? 3e-6 : 1e-12) * M[1])) // MuJoCo: 1 um thick
            fail_msg("%s: %.17g %.17g", pairs[i][0], M[0], M[1]);
    }
}

static const char *const ARM =
    "<mujoco model='arm'><compiler angle='radian'/><worldbody><light/><light/>\n"
    "<body name='a'><joint name='a' axis='0 1 0' range='-1 2' ref='0.3' solimplimit='1'/>\n"
    "<geom size='0.1' mass='1' masss='1'/><site name='a'/>\n"
    "<body pos='0 0 1'><joint axis='0 1 0' ref='0.1'/><geom size='0.1' mass='1' solref='1'/>\n"
    "<body pos='0 0 1'><joint name='c' axis='0 1 0' damping='0.2' stiffness='3' springref='1'/>\n"
    "<geom size='0.1' mass='1' solref='1'/></body></body></body></worldbody>\n"
    "<equality><joint joint1='c' joint2='a' polycoef='0.2 -2 0 0 0'/></equality>\n"
    "<actuator><motor joint='a' gear='-3' ctrlrange='-2 2'/></actuator></mujoco>";

// What is not used is named once; names are made unique; lines tie joints, which keep their springs.
static void arms_have_all_parts(void **unused)
{
    (void)unused;
    findings    found = {0};
    arne_robot *robot = NULL;
    assert_int_equal(read_mjcf(ARM, &found, &robot), ARNE_OK);
    assert_int_equal(count_of(&found, "<light> is not used (2 times)"), 1);
    assert_int_equal(count_of(&found, "'solref' of <geom> is not used (2 times)"), 1);
    assert_int_equal(
        count_of(&found, "unknown attribute 'masss' of <geom> is ignored (near matches: mass"), 1);
    assert_int_equal(count_of(&found, "now 'a_2'"), 1);
    assert_true(arne_find_frame(robot, "body_2") >= 0 &&
                arne_find_joint(robot, "body_2_continuous") >= 0);
    const arne_joint_info a = arne_robot_joint(robot, arne_find_joint(robot, "a"));
    const arne_joint_info c = arne_robot_joint(robot, arne_find_joint(robot, "c"));
    assert_true(a.lower == -1 && a.upper == 2 && a.effort == 6);
    // c - 0 = 0.2 - 2 (a - 0.3)
    assert_int_equal(c.mimic, arne_find_joint(robot, "a"));
    assert_true(c.mimic_ratio == -2 && fabs(c.mimic_offset - 0.8) < 1e-15);
    const arne_spring_info s = arne_robot_spring(robot, 0);
    assert_int_equal(s.joint, arne_find_joint(robot, "c"));
    assert_true(s.stiffness == 3 && s.rest == 1 && !s.passive);
    // MuJoCo has an entry for the joint that follows.
    const double q[2] = {0.5, 0.6}, qd[2] = {1, 2};
    double       qpos[3], qvel[3], again[2];
    arne_to_mujoco(robot, q, qd, NULL, qpos, qvel, NULL);
    assert_true(qpos[0] == 0.5 && qpos[1] == 0.6 && fabs(qpos[2] + 0.2) < 1e-15 && qvel[2] == -2);
    arne_from_mujoco(robot, qpos, NULL, NULL, again, NULL, NULL);
    assert_memory_equal(again, q, sizeof q);
    arne_robot_free(robot);
    findings_free(&found);
}

// A polynomial becomes a function, a fixed tendon with a spring a joint that moves nothing: energy
// has both, and MuJoCo has no entry for the tendon.
static void ties_are_functions_and_joints(void **unused)
{
    (void)unused;
    static const char text[] =
        "<mujoco><compiler angle='radian'/><default><geom size='0.1' mass='1'/></default>\n"
        "<worldbody><body name='a'><joint name='a' axis='0 0 1' ref='0.3'/><geom/></body>\n"
        "<body name='b'><joint name='b' axis='0 0 1' ref='0.1' stiffness='4' springref='1'/><geom/>"
        "</body></worldbody>\n"
        "<equality><joint joint1='b' joint2='a' polycoef='0.2 -2 0.5 0.1 0.3'/></equality>\n"
        "<tendon><fixed name='t' stiffness='7' damping='0.5' armature='0.2'><joint joint='a' "
        "coef='2'/><joint joint='b' coef='-3'/></fixed></tendon></mujoco>";
    findings     found = {0};
    arne_robot  *robot = NULL;
    arne_work   *work = NULL;
    const double q = 0.8, qd = 1.5, qdd = 0.7, x = q - 0.3, J = 0.4 * 0.01;
    double       qpos[2], qvel[2], qacc[2], tau, potential, M;
    int          nq, nv;
    assert_int_equal(read_mjcf(text, &found, &robot), ARNE_OK);
    assert_int_equal(found.count, 0);
    arne_mujoco_counts(robot, &nq, &nv);
    assert_true(nq == 2 && nv == 2 && arne_robot_sizes(robot).v_count == 1);
    arne_to_mujoco(robot, &q, &qd, &qdd, qpos, qvel, qacc);
    const double b = 0.1 + 0.2 - 2 * x + 0.5 * x * x + 0.1 * x * x * x + 0.3 * x * x * x * x;
    const double g = -2 + x + 0.3 * x * x + 1.2 * x * x * x, c = 1 + 0.6 * x + 3.6 * x * x;
    assert_true(fabs(qpos[1] - b) < 1e-15 && fabs(qvel[1] - g * qd) < 1e-14);
    assert_true(fabs(qacc[1] - g * qdd - c * qd * qd) < 1e-13);
    assert_int_equal(arne_work_new(robot, &work), ARNE_OK);
    // The length of the tendon, its slope, and what it is at rest.
    const double L = 2 * q - 3 * b, slope = 2 - 3 * g, rest = 2 * 0 - 3 * 1;
    const double bend = -3 * c * qd * qd; // of its acceleration
    arne_inverse_dynamics(robot, work, &q, &qd, &qdd, NULL, &tau);
    const double expected = J * qdd + g * J * qacc[1] + 4 * (b - 1) * g + 7 * (L - rest) * slope +
                            0.5 * slope * slope * qd + 0.2 * slope * (slope * qdd + bend);
    assert_true(fabs(tau - expected) < 1e-13 * fabs(expected));
    arne_mass_matrix(robot, work, &q, &M);
    assert_true(fabs(M - J - g * g * J - 0.2 * slope * slope) < 1e-14);
    arne_energy(robot, work, &q, &qd, NULL, &potential);
    assert_true(fabs(potential - 2 * (b - 1) * (b - 1) - 3.5 * (L - rest) * (L - rest)) < 1e-13);
    arne_work_free(work);
    arne_robot_free(robot);
    findings_free(&found);
}

// ---- actuators, contacts and meshes

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

// Gains of servos are at the joint; a body that is excluded with the world loses its contact; a mesh
// that is there has mass, and weight that actuators hold is not passive.
static void files_have_servos_and_meshes(void **unused)
{
    (void)unused;
    static const char text[] =
        "<mujoco><compiler angle='radian'/><default><geom size='0.1' mass='2'/></default><asset>"
        "<mesh name='m' file='m.stl' scale='2 1 1'/><mesh name='o' "
        "file='o.obj'/></asset><worldbody>\n"
        "<body name='a' gravcomp='0.5'><joint name='a' axis='0 1 0'/><geom/></body>\n"
        "<body name='b'><joint name='b' axis='0 1 0'/><geom/></body>\n"
        "<body name='c' gravcomp='1'><joint name='c' axis='0 1 0' actuatorgravcomp='true'/>\n"
        "<geom pos='0 0 1'/></body>\n"
        "<body name='d'><joint name='d' axis='0 1 0'/><geom type='mesh' mesh='m' mass='-1'\n"
        "density='600' contype='0' conaffinity='0'/></body>\n"
        "<body name='e'><joint name='e' axis='0 1 0'/><geom type='mesh' mesh='o' mass='-1'\n"
        "density='400' contype='0' conaffinity='0'/></body></worldbody>\n"
        "<contact><exclude body1='world' body2='b'/><exclude body1='a' body2='b'/></contact>\n"
        "<actuator><position joint='a' kp='5' kv='2' gear='3'/><velocity joint='b' kv='4'/>\n"
        "<position joint='c' kp='9' dampratio='0.5'/><general joint='d' biastype='affine'\n"
        "gainprm='7' biasprm='0 -7 -1'/></actuator></mujoco>";
    char        path[64] = "/tmp/arne_mjcf_XXXXXX", file[80], mesh[80], wedge[80];
    arne_robot *robot = NULL;
    arne_error  error;
    double      kp[5], kd[5];
    assert_non_null(mkdtemp(path));
    snprintf(wedge, sizeof wedge, "%s/o.obj", path);
    write_file(wedge, "# a wedge\nv 0 0 0\nv .3 0 0\nv .3 .2 0\nv 0 .2 0\nv 0 0 .4\nv 0 .2 .4\n"
                      "f 1 4 3 2\nf 1/1 2/1 5/1\nf 4//1 6//1 3//1\nf 2 3 6 5\nf 1 5 6 -3\n");
    snprintf(file, sizeof file, "%s/m.xml", path);
    snprintf(mesh, sizeof mesh, "%s/m.stl", path);
    write_file(file, text);
    write_file(mesh, "solid\n vertex 0 0 0\n vertex 0 1 0\n vertex 1 0 0\n vertex 0 0 0\n"
                     " vertex 1 0 0\n vertex 0 0 1\n vertex 0 0 0\n vertex 0 0 1\n vertex 0 1 0\n"
                     " vertex 1 0 0\n vertex 0 1 0\n vertex 0 0 1\n");
    assert_int_equal(arne_robot_read(file, NULL, &robot, &error), ARNE_OK);
    assert_int_equal(arne_read_servo_gains(file, robot, kp, kd, &error), ARNE_OK);
    const double inertia = 2 * (1 + 0.4 * 0.01);
    assert_true(kp[0] == 45 && kd[0] == 18 && kp[1] == 0 && kd[1] == 4 && kp[2] == 9);
    assert_true(fabs(kd[2] - sqrt(9 * inertia)) < 1e-14 && kp[3] == 7 && kd[3] == 1);
    assert_int_equal(arne_robot_sizes(robot).contact_count, 2);
    const arne_frame_info e = arne_robot_frame(robot, arne_find_frame(robot, "e"));
    assert_true(fabs(e.mass - 4.8) < 1e-6 && fabs(e.com.x - 0.1) < 1e-7); // in single precision
    assert_true(fabs(e.com.y - 0.1) < 1e-7 && fabs(e.com.z - 0.4 / 3) < 1e-7);
    const arne_frame_info a = arne_robot_frame(robot, arne_find_frame(robot, "a")),
                          c = arne_robot_frame(robot, arne_find_frame(robot, "c")),
                          d = arne_robot_frame(robot, arne_find_frame(robot, "d"));
    assert_true(a.gravity_compensation == 0.5 && c.gravity_compensation == 0);
    assert_true(fabs(d.mass - 200) < 1e-10 && fabs(d.com.x - 0.5) < 1e-14);
    assert_true(fabs(d.com.y - 0.25) < 1e-14 && fabs(d.com.z - 0.25) < 1e-14);
    arne_robot_free(robot);
    assert_int_equal(remove(file), 0);
    assert_int_equal(remove(mesh), 0);
    assert_int_equal(remove(wedge), 0);
    assert_int_equal(remove(path), 0);
}

// ---- keyframes

static void keys_are_configurations(void **unused)
{
    (void)unused;
    static const char text[] =
        "<mujoco><compiler angle='radian'/><worldbody><body name='b'><freejoint/>\n"
        "<geom size='0.1'/><body pos='0 0 1'><joint name='j' axis='0 1 0'/><geom "
        "size='0.1'/></body>\n"
        "</body></worldbody><keyframe><key name='home' qpos='1 2 3 2 0 0 0 0.5'/>\n"
        "<key name='short' qpos='1'/></keyframe></mujoco>";
    char        path[] = "/tmp/arne_keys_XXXXXX";
    const int   file = mkstemp(path);
    arne_robot *robot = NULL;
    arne_error  error;
    double      q[8];
    assert_true(file >= 0 && write(file, text, sizeof text - 1) == (ssize_t)(sizeof text - 1));
    close(file);
    assert_int_equal(arne_robot_read(path, NULL, &robot, &error), ARNE_OK);
    assert_int_equal(arne_read_configuration(path, robot, "home", q, &error), ARNE_OK);
    const double wanted[8] = {1, 2, 3, 0, 0, 0, 1, 0.5};
    for (int i = 0; i < 8; i++)
        assert_true(q[i] == wanted[i]);
    assert_int_equal(arne_read_configuration(path, robot, "hom", q, &error), ARNE_NOT_FOUND);
    assert_non_null(strstr(error.text, "near matches: home"));
    assert_int_equal(arne_read_configuration(path, robot, "short", q, &error), ARNE_VALUE);
    remove(path);
    arne_robot_free(robot);
}

// ---- written and read again

static void count_lost(void *context, const arne_warning *warning)
{
    assert_string_equal(warning->rule, "lost");
    (*(int *)context)++;
}

// Where the entries of a joint's velocities are in the robot that was read back: a universal joint
// is two hinges there. Returns how many there are; 0: it is not there.
static int places_of(const arne_robot *back, const arne_joint_info *j, int v[6])
{
    static const char *const endings[2] = {"_x", "_y"};
    int                      count = 0;
    for (int i = 0; j->kind == ARNE_JOINT_UNIVERSAL && i < 2; i++) {
        char name[300];
        snprintf(name, sizeof name, "%s%s", j->name, endings[i]);
        const int k = arne_find_joint(back, name);
        if (k >= 0) v[count++] = arne_robot_joint(back, k).v_start;
    }
    if (j->kind == ARNE_JOINT_UNIVERSAL) return count;
    const int             is_base = j->kind == ARNE_JOINT_FREE && j->parent < 0;
    const int             k = is_base ? 0 : arne_find_joint(back, j->name);
    const arne_joint_info other = arne_robot_joint(back, k < 0 ? 0 : k);
    if (k < 0 || other.v_count != j->v_count) return 0;
    for (int i = 0; i < j->v_count; i++)
        v[count++] = other.v_start + i;
    return count;
}

// The same state in both, and a map of their velocities; 0 where joints differ.
static int same_state(const arne_robot *robot, const arne_robot *back, double *q, double *p,
                      int *map)
{
    uint64_t seed = 7;
    arne_random_configuration(robot, &seed, q);
    arne_neutral(back, p);
    for (int k = 0; k < arne_robot_sizes(robot).joint_count; k++) {
        const arne_joint_info j = arne_robot_joint(robot, k);
        int                   v[6];
        if (j.q_count == 0) continue;
        if (places_of(back, &j, v) != j.v_count) return 0;
        for (int i = 0; i < j.v_count; i++)
            map[j.v_start + i] = v[i];
        const int is_base = j.kind == ARNE_JOINT_FREE && j.parent < 0;
        const int other =
            j.kind == ARNE_JOINT_UNIVERSAL || is_base ? -1 : arne_find_joint(back, j.name);
        for (int i = 0; i < j.q_count; i++)
            p[other >= 0 ? arne_robot_joint(back, other).q_start + i
              : is_base  ? i
                         : v[i]] = q[j.q_start + i];
    }
    return 1;
}

static double apart_after(const arne_robot *robot, const arne_robot *back)
{
    const int  n = arne_robot_sizes(robot).v_count;
    arne_work *work[2] = {NULL, NULL};
    double    *q = calloc((size_t)arne_robot_sizes(robot).q_count + 1, sizeof *q),
           *p = calloc((size_t)arne_robot_sizes(back).q_count + 8, sizeof *p),
           *M = calloc(2 * (size_t)(n * n) + 1, sizeof *M), *N = M + n * n,
           *x = calloc(6 * (size_t)n + 1, sizeof *x), *out = calloc(2 * (size_t)n + 1, sizeof *out);
    int   *map = calloc((size_t)n + 1, sizeof *map);
    double worst_of = INFINITY;
    assert_int_equal(arne_work_new(robot, &work[0]), ARNE_OK);
    assert_int_equal(arne_work_new(back, &work[1]), ARNE_OK);
    if (arne_robot_sizes(back).v_count == n && same_state(robot, back, q, p, map)) {
        for (int i = 0; i < n; i++) {
            x[i] = x[2 * n + map[i]] = sin(i + 1.0);
            x[n + i] = x[3 * n + map[i]] = cos(3.0 * i);
        }
        arne_mass_matrix(robot, work[0], q, M);
        arne_mass_matrix(back, work[1], p, N);
        arne_inverse_dynamics(robot, work[0], q, x, x + n, NULL, out);
        arne_inverse_dynamics(back, work[1], p, x + 2 * n, x + 3 * n, NULL, out + n);
        worst_of = 0;
        for (int i = 0; i < n; i++) {
            worst_of = fmax(worst_of, fabs(out[i] - out[n + map[i]]) / (largest(out, n) + 1e-300));
            for (int k = 0; k < n; k++)
                worst_of = fmax(worst_of, fabs(M[i * n + k] - N[map[i] * n + map[k]]) /
                                              (largest(M, n * n) + 1e-300));
        }
    }
    arne_work_free(work[0]);
    arne_work_free(work[1]);
    free(q);
    free(p);
    free(M);
    free(x);
    free(out);
    free(map);
    return worst_of;
}

// Every robot that MJCF can say has the same mass matrix and torques after a way through it.
static void mjcf_reads_back_or_says_what_is_lost(void **unused)
{
    (void)unused;
    DIR *all = opendir(ARNE_ROBOTS_DIR);
    int  whole = 0, lossy = 0;
    assert_non_null(all);
    for (const struct dirent *e; (e = readdir(all)) != NULL;) {
        char        path[600], *text = NULL;
        size_t      size;
        arne_robot *robot = NULL, *back = NULL;
        arne_error  error;
        findings    found = {0};
        int         lost = 0;
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", ARNE_ROBOTS_DIR, e->d_name);
        if (arne_robot_read(path, NULL, &robot, &error)) continue;
        assert_int_equal(
            arne_robot_text(robot, ARNE_FORMAT_MJCF, count_lost, &lost, &text, &size, &error),
            ARNE_OK);
        const arne_status status = read_mjcf(text, &found, &back);
        if (status) print_error("%s: %s\n", path, found.item[0].text);
        assert_int_equal(status, ARNE_OK);
        const double apart_by = lost ? 0 : apart_after(robot, back);
        if (apart_by > 1e-12) print_error("%s: %g apart after MJCF\n", path, apart_by);
        assert_true(apart_by <= 1e-12);
        whole += !lost;
        lossy += lost > 0;
        free(text);
        findings_free(&found);
        arne_robot_free(robot);
        arne_robot_free(back);
    }
    closedir(all);
    assert_true(whole >= 5 && lossy >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_reference_models),
        cmocka_unit_test(mistakes_have_places),
        cmocka_unit_test(meshes_say_how_they_weigh),
        cmocka_unit_test(geoms_say_the_same),
        cmocka_unit_test(arms_have_all_parts),
        cmocka_unit_test(ties_are_functions_and_joints),
        cmocka_unit_test(files_have_servos_and_meshes),
        cmocka_unit_test(keys_are_configurations),
        cmocka_unit_test(mjcf_reads_back_or_says_what_is_lost),
    };
    return READERS_ARE_BUILT ? cmocka_run_group_tests(tests, NULL, NULL) : print_readers_missing();
}
