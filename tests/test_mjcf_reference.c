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
    int  closed;  // with equalities
} comparison;

static arne_robot *reference_robot(const comparison *with)
{
    const char   *path = with->path;
    arne_builder *b = NULL;
    arne_robot   *robot = NULL;
    arne_error    error;
    assert_int_equal(arne_builder_new(&b), ARNE_OK);
    arne_status status =
        with->closed ? arne_read(b, path, &error) : arne_read_open(b, path, &error);
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
    double M, tau, bias, pose, tied;
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

// Equalities of joints: with G from the user's velocities to those of the tree without them, M is
// G^T M G, and tau is G^T tau. Both are the reference's at any state (above).
static double compare_tied(const arne_robot *robot, const arne_robot *tied)
{
    int        nq, nv, nv_open;
    uint64_t   seed = 7;
    arne_work *work = NULL, *own = NULL;
    arne_mujoco_counts(tied, &nq, &nv);
    arne_mujoco_counts(robot, &nq, &nv_open);
    const arne_sizes size = arne_robot_sizes(tied);
    const int        n = size.v_count, N = arne_robot_sizes(robot).v_count;
    if (nv != nv_open) return INFINITY;
    double *x =
        calloc(1 + (size_t)(3 * nq + 5 * (n + nv + N) + 2 * n * n + N * N + n * N), sizeof *x);
    double *q = x, *qpos = q + nq + 1, *qd = qpos + nq, *qdd = qd + n, *tau = qdd + n,
           *again = tau + n, *unit = again + n, *v = unit + n, *a = v + nv, *zero = a + nv,
           *open = zero + nv, *vo = open + nq + N, *ao = vo + N, *to = ao + N, *M = to + N,
           *H = M + n * n, *Mo = H + n * n, *G = Mo + N * N;
    assert_int_equal(arne_work_new(tied, &work), ARNE_OK);
    assert_int_equal(arne_work_new(robot, &own), ARNE_OK);
    arne_random_configuration(tied, &seed, q);
    for (int i = 0; i < n; i++) {
        qd[i] = sin(1.0 + i);
        qdd[i] = cos(2.0 * i);
    }
    for (int k = 0; k < n; k++) {
        unit[k] = 1;
        arne_to_mujoco(tied, q, unit, zero, qpos, v, a);
        arne_from_mujoco(robot, qpos, v, a, open, vo, ao);
        for (int i = 0; i < N; i++)
            G[i * n + k] = vo[i];
        unit[k] = 0;
    }
    arne_to_mujoco(tied, q, qd, qdd, qpos, v, a);
    arne_from_mujoco(robot, qpos, v, a, open, vo, ao);
    arne_mass_matrix(tied, work, q, M);
    arne_inverse_dynamics(tied, work, q, qd, qdd, NULL, tau);
    arne_mass_matrix(robot, own, open, Mo);
    arne_inverse_dynamics(robot, own, open, vo, ao, NULL, to);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < n; k++) {
            again[k] += G[i * n + k] * to[i];
            for (int j = 0; j < N; j++)
                for (int l = 0; l < n && G[i * n + k] != 0; l++)
                    H[k * n + l] += G[i * n + k] * Mo[i * N + j] * G[j * n + l];
        }
    const double far = fmax(apart(M, H, n * n), apart(tau, again, n));
    arne_work_free(work);
    arne_work_free(own);
    free(x);
    return far;
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
    arne_robot *robot = reference_robot(&with), *tied = NULL;
    with.closed = 1;
    if (robot) tied = reference_robot(&with);
    w.tied = tied ? compare_tied(robot, tied) : INFINITY;
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
    arne_robot_free(tied);
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
        if (w.M < 1e-10 && w.tau < 1e-10 && w.pose < 1e-12 && w.tied < 1e-10) continue;
        if (is_known_gap(e->d_name, &w)) continue;
        (*bad)++;
        print_error("%-45s M %.1e tau %.1e pose %.1e tied %.1e\n", e->d_name, w.M, w.tau, w.pose,
                    w.tied);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_reference_models),
    };
    return READERS_ARE_BUILT ? cmocka_run_group_tests(tests, NULL, NULL) : print_readers_missing();
}
