// Robots that others computed: $ARNE_REFERENCE/robots/NAME.json, by Pinocchio, without friction and
// rotors.
//
// Vectors there follow that file's own order of joints, so everything is matched by name. Where the
// variable is not set there is nothing to compare with; where it is, everything must be there.
#include "testing.h"

#include "json.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct reference {
    json       *file;
    arne_robot *robot;
    arne_work  *work;
    int         q_from[MAX_Q], v_from[MAX_V]; // where the reference keeps our entry
    int         nq, nv, last;                 // last: the frame of its last joint's child
} reference;

static void path_in(const char *name, const char *end, char *path, size_t size)
{
    const int length = snprintf(path, size, "%s/robots/%s%s", getenv("ARNE_REFERENCE"), name, end);
    assert_true(length > 0 && (size_t)length < size);
}

// Our joint for one of theirs: by name, but for a free base, which nobody's file names.
static int our_joint(const reference *r, const json *joint)
{
    const char *name = json_text(json_get(joint, "name"));
    const int   base = json_true(json_get(r->file, "floating_base")) &&
                     json_integer(json_get(joint, "parent")) == 0;
    const int found = base ? 0 : arne_find_joint(r->robot, name);
    if (found < 0) fail_msg("the robot has no joint '%s'", name);
    return found;
}

static void match_joints(reference *r)
{
    const json      *joints = json_get(r->file, "joints");
    const arne_sizes size = arne_robot_sizes(r->robot);
    assert_int_equal(json_count(joints), size.joint_count);
    assert_int_equal(size.q_count, r->nq);
    assert_int_equal(size.v_count, r->nv);
    for (int i = 0; i < json_count(joints); i++) {
        const json           *joint = json_at(joints, i);
        const arne_joint_info j = arne_robot_joint(r->robot, our_joint(r, joint));
        const int             q = json_integer(json_get(joint, "idx_q")),
                  v = json_integer(json_get(joint, "idx_v"));
        assert_int_equal(j.q_count, json_integer(json_get(joint, "nq")));
        for (int k = 0; k < j.q_count; k++)
            r->q_from[j.q_start + k] = q + k;
        for (int k = 0; k < j.v_count; k++)
            r->v_from[j.v_start + k] = v + k;
        r->last = j.child;
    }
    assert_string_equal(json_text(json_get(json_get(r->file, "last_joint"), "name")),
                        json_text(json_get(json_at(joints, json_count(joints) - 1), "name")));
}

static reference reference_open(const char *name)
{
    reference  r = {0};
    char       path[4096];
    arne_error error = {0};

    path_in(name, ".json", path, sizeof path);
    r.file = json_read(path);
    r.nq = json_integer(json_get(r.file, "nq"));
    r.nv = json_integer(json_get(r.file, "nv"));
    path_in(name, ".urdf", path, sizeof path);
    const int                is_free = json_true(json_get(r.file, "floating_base"));
    const arne_build_options options = {
        .base = is_free ? ARNE_BASE_FREE : ARNE_BASE_FIXED, .no_friction = 1, .no_rotor = 1};
    assert_ok_or(arne_robot_read(path, &options, &r.robot, &error), &error);
    r.work = new_work(r.robot);
    match_joints(&r);
    return r;
}

static void reference_close(reference *r)
{
    arne_work_free(r->work);
    arne_robot_free(r->robot);
    json_free(r->file);
}

// ---- their numbers in our order ----

static void vector_of(const reference *r, const json *s, const char *key, double *out)
{
    double theirs[MAX_V];
    json_numbers(json_get(s, key), theirs, r->nv);
    for (int i = 0; i < r->nv; i++)
        out[i] = theirs[r->v_from[i]];
}

static void columns_of(const reference *r, const json *s, const char *key, int rows, double *out)
{
    double theirs[6 * MAX_V];
    json_numbers(json_get(s, key), theirs, rows * r->nv);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < r->nv; j++)
            out[i * r->nv + j] = theirs[i * r->nv + r->v_from[j]];
}

static void matrix_of(const reference *r, const json *s, const char *key, double *out)
{
    double theirs[MAX_V * MAX_V];
    json_numbers(json_get(s, key), theirs, r->nv * r->nv);
    for (int i = 0; i < r->nv; i++)
        for (int j = 0; j < r->nv; j++)
            out[i * r->nv + j] = theirs[r->v_from[i] * r->nv + r->v_from[j]];
}

static state state_of(const reference *r, const json *s)
{
    state  out = {.robot = r->robot, .size = arne_robot_sizes(r->robot)};
    double theirs[MAX_Q];
    out.seed = (uint64_t)json_integer(json_get(s, "state"));
    json_numbers(json_get(s, "q"), theirs, r->nq);
    for (int i = 0; i < r->nq; i++)
        out.q[i] = theirs[r->q_from[i]];
    vector_of(r, s, "v", out.qd);
    vector_of(r, s, "a", out.qdd);
    vector_of(r, s, "tau_in", out.tau);
    return out;
}

// ---- comparisons ----

static void compare_torques(const reference *r, const json *at, const state *s)
{
    double ours[MAX_V], theirs[MAX_V];
    arne_inverse_dynamics(r->robot, r->work, s->q, s->qd, s->qdd, NULL, ours);
    vector_of(r, at, "rnea", theirs);
    assert_close(s, "inverse dynamics", ours, theirs, r->nv, 1e-9);
    arne_gravity(r->robot, r->work, s->q, ours);
    vector_of(r, at, "gravity_torque", theirs);
    assert_close(s, "gravity", ours, theirs, r->nv, 1e-9);
    arne_bias(r->robot, r->work, s->q, s->qd, NULL, ours);
    vector_of(r, at, "nle", theirs);
    assert_close(s, "bias", ours, theirs, r->nv, 1e-9);
}

static void compare_matrices(const reference *r, const json *at, const state *s)
{
    const int n = r->nv;
    double    ours[MAX_V * MAX_V], theirs[MAX_V * MAX_V], M[MAX_V * MAX_V];

    matrix_of(r, at, "M", M);
    arne_mass_matrix(r->robot, r->work, s->q, ours);
    assert_close(s, "M", ours, M, n * n, 1e-9);
    matrix_of(r, at, "Minv", theirs);
    assert_ok(arne_inverse_mass_matrix(r->robot, r->work, s->q, ours, NULL));
    assert_direct_close(s, "M^-1", ours, theirs, n * n, 1e-9, M);
}

static void compare_direct(const reference *r, const json *at, const state *s)
{
    double ours[MAX_V], theirs[MAX_V], M[MAX_V * MAX_V];
    matrix_of(r, at, "M", M);
    vector_of(r, at, "aba_qdd", theirs);
    assert_ok(arne_forward_dynamics(r->robot, r->work, s->q, s->qd, s->tau, NULL, ours, NULL));
    assert_direct_close(s, "direct dynamics", ours, theirs, r->nv, 1e-9, M);
    assert_ok(
        arne_forward_dynamics_matrix(r->robot, r->work, s->q, s->qd, s->tau, NULL, ours, NULL));
    assert_direct_close(s, "direct dynamics by matrix", ours, theirs, r->nv, 1e-9, M);
}

// The factor C is not unique: C qd and C + C^T, which is dM/dt, are.
static void compare_coriolis(const reference *r, const json *at, const state *s)
{
    const int n = r->nv;
    double    C[MAX_V * MAX_V], theirs[MAX_V * MAX_V], a[MAX_V], b[MAX_V];
    double    sum[MAX_V * MAX_V], wanted[MAX_V * MAX_V];

    arne_coriolis_matrix(r->robot, r->work, s->q, s->qd, C);
    matrix_of(r, at, "coriolis", theirs);
    multiply(C, s->qd, n, n, a);
    multiply(theirs, s->qd, n, n, b);
    assert_close(s, "C qd", a, b, n, 1e-9);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            sum[i * n + j] = C[i * n + j] + C[j * n + i];
            wanted[i * n + j] = theirs[i * n + j] + theirs[j * n + i];
        }
    assert_close(s, "C + C^T", sum, wanted, n * n, 1e-9);
}

static void compare_poses(const reference *r, const json *at, const state *s)
{
    const json *joints = json_get(r->file, "joints"), *poses = json_get(at, "oMi");
    assert_int_equal(json_count(poses), json_count(joints));
    arne_kinematics(r->robot, r->work, s->q, s->qd, s->qdd);
    for (int i = 0; i < json_count(joints); i++) {
        const int       child = arne_robot_joint(r->robot, our_joint(r, json_at(joints, i))).child;
        const arne_pose X = arne_frame_pose(r->robot, r->work, child);
        arne_pose       wanted;
        json_numbers(json_get(json_at(poses, i), "R"), &wanted.R.x.x,
                     9); // rows there, columns here
        wanted.R = m3_transpose(wanted.R);
        json_numbers(json_get(json_at(poses, i), "p"), &wanted.p.x, 3);
        assert_same(s, "pose", X, wanted, 1e-9);
    }
}

static void compare_motion(const state *s, const json *at, const char *key, arne_motion ours)
{
    arne_motion theirs;
    json_numbers(json_get(at, key), &theirs.lin.x, 6);
    assert_same(s, key, ours, theirs, 1e-9);
}

static void compare_last_frame(const reference *r, const json *at, const state *s)
{
    const arne_robot *robot = r->robot;
    const arne_work  *work = r->work;
    const int         last = r->last;
    arne_kinematics(robot, r->work, s->q, s->qd, s->qdd);
    compare_motion(s, at, "v_last_LOCAL", arne_frame_velocity(robot, work, last, ARNE_BODY));
    compare_motion(s, at, "v_last_LWA", arne_frame_velocity(robot, work, last, ARNE_ALIGNED));
    compare_motion(s, at, "a_last_LOCAL_spatial",
                   arne_frame_acceleration(robot, work, last, ARNE_BODY, ARNE_SPATIAL));
    compare_motion(s, at, "a_last_LWA_spatial",
                   arne_frame_acceleration(robot, work, last, ARNE_ALIGNED, ARNE_SPATIAL));
    compare_motion(s, at, "a_last_LWA_classical",
                   arne_frame_acceleration(robot, work, last, ARNE_ALIGNED, ARNE_CLASSICAL));
}

static void compare_jacobians(const reference *r, const json *at, const state *s)
{
    static const struct {
        const char *key;
        arne_axes   axes;
        int         rate;
    } all[] = {{"J_LOCAL_last", ARNE_BODY, 0},
               {"J_LWA_last", ARNE_ALIGNED, 0},
               {"J_WORLD_last", ARNE_WORLD, 0},
               {"dJdt_LOCAL_last", ARNE_BODY, 1},
               {"dJdt_LWA_last", ARNE_ALIGNED, 1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double ours[6 * MAX_V], theirs[6 * MAX_V];
        columns_of(r, at, all[i].key, 6, theirs);
        if (all[i].rate)
            arne_jacobian_rate(r->robot, r->work, s->q, s->qd, r->last, all[i].axes, ours);
        else
            arne_jacobian(r->robot, r->work, s->q, r->last, all[i].axes, ours);
        assert_close(s, all[i].key, ours, theirs, 6 * r->nv, 1e-9);
    }
}

static void compare_energy(const reference *r, const json *at, const state *s)
{
    double ours[3], theirs[3];
    arne_energy(r->robot, r->work, s->q, s->qd, &ours[0], &ours[1]);
    ours[2] = arne_total_mass(r->robot);
    theirs[0] = json_number(json_get(at, "kinetic_energy"));
    theirs[1] = json_number(json_get(at, "potential_energy"));
    theirs[2] = json_number(json_get(r->file, "total_mass"));
    for (int i = 0; i < 3; i++)
        assert_same(s, "energies and mass", ours[i], theirs[i], 1e-9);
}

// The acceleration of the centre of mass, from what holds the robot: m a = force + m g.
static arne_vec3 com_acceleration(const reference *r, const state *s)
{
    double    tau[MAX_V];
    const int is_free = arne_robot_base(r->robot) == ARNE_BASE_FREE;
    arne_inverse_dynamics(r->robot, r->work, s->q, s->qd, s->qdd, NULL, tau);
    arne_vec3 force = arne_base_wrench(r->robot, r->work).lin;
    if (is_free) {
        const arne_vec3 in_base = arne_joint_wrench(r->robot, r->work, 0).lin;
        arne_kinematics(r->robot, r->work, s->q, NULL, NULL);
        const int root = arne_robot_joint(r->robot, 0).child;
        force = m3_apply(arne_frame_pose(r->robot, r->work, root).R, in_base);
    }
    return v3_add(v3_scale(1 / arne_total_mass(r->robot), force), arne_robot_gravity(r->robot));
}

static void compare_centroid(const reference *r, const json *at, const state *s)
{
    double      J[3 * MAX_V], A[6 * MAX_V], theirs[6 * MAX_V];
    arne_vec3   com[3], wanted;
    arne_wrench momentum, wanted_momentum;
    const char *keys[] = {"com", "com_velocity", "com_acceleration"};

    com[2] = com_acceleration(r, s);
    arne_center_of_mass(r->robot, r->work, s->q, s->qd, &com[0], &com[1]);
    for (int i = 0; i < 3; i++) {
        json_numbers(json_get(at, keys[i]), &wanted.x, 3);
        assert_same(s, keys[i], com[i], wanted, 1e-9);
    }
    arne_com_jacobian(r->robot, r->work, s->q, J);
    columns_of(r, at, "com_jacobian", 3, theirs);
    assert_close(s, "com Jacobian", J, theirs, 3 * r->nv, 1e-9);
    arne_centroidal_matrix(r->robot, r->work, s->q, A);
    columns_of(r, at, "centroidal_Ag", 6, theirs);
    assert_close(s, "centroidal matrix", A, theirs, 6 * r->nv, 1e-9);
    arne_momentum(r->robot, r->work, s->q, s->qd, &momentum);
    json_numbers(json_get(at, "centroidal_momentum_hg"), &wanted_momentum.lin.x, 6);
    assert_same(s, "momentum", momentum, wanted_momentum, 1e-9);
}

// The first state of each file has a force on the last body too.
static void compare_wrench(const reference *r, const json *at, const state *s)
{
    arne_wrench f_ext[MAX_BODIES] = {0}, f;
    double      ours[MAX_V], theirs[MAX_V], M[MAX_V * MAX_V];

    json_numbers(json_get(at, "fext_last_LOCAL"), &f.lin.x, 6);
    arne_add_wrench(r->robot, r->last, &f, f_ext);
    arne_inverse_dynamics(r->robot, r->work, s->q, s->qd, s->qdd, f_ext, ours);
    vector_of(r, at, "rnea_fext", theirs);
    assert_close(s, "inverse dynamics with a wrench", ours, theirs, r->nv, 1e-9);
    matrix_of(r, at, "M", M);
    vector_of(r, at, "aba_qdd_fext", theirs);
    assert_ok(arne_forward_dynamics(r->robot, r->work, s->q, s->qd, s->tau, f_ext, ours, NULL));
    assert_direct_close(s, "direct dynamics with a wrench", ours, theirs, r->nv, 1e-9, M);
}

static void compare_robot(void **name)
{
    if (!getenv("ARNE_REFERENCE")) {
        print_message("skipped: ARNE_REFERENCE does not say where the reference data is\n");
        skip();
    }
    reference   r = reference_open(*name);
    const json *states = json_get(r.file, "states");
    assert_true(json_count(states) > 0);
    for (int i = 0; i < json_count(states); i++) {
        const json *at = json_at(states, i);
        const state s = state_of(&r, at);
        compare_torques(&r, at, &s);
        compare_matrices(&r, at, &s);
        compare_direct(&r, at, &s);
        compare_coriolis(&r, at, &s);
        compare_poses(&r, at, &s);
        compare_last_frame(&r, at, &s);
        compare_jacobians(&r, at, &s);
        compare_energy(&r, at, &s);
        compare_centroid(&r, at, &s);
        if (i == 0) compare_wrench(&r, at, &s);
    }
    reference_close(&r);
}

#define REFERENCE(name)                                                                            \
    {                                                                                              \
        name, compare_robot, NULL, NULL, (void *)(uintptr_t)name                                   \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        REFERENCE("ur5"), REFERENCE("stanford"), REFERENCE("chain10"),
        REFERENCE("hyq"), REFERENCE("anymal_b"), REFERENCE("simple_humanoid"),
    };
    return cmocka_run_group_tests_name("reference robots", tests, NULL, NULL);
}
