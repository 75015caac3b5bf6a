// Robots that others computed, in $ARNE_REFERENCE/robots.
#include "testing.h"

#include "reference.h"

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
    compare_motion(s, at, "v_last_LOCAL", arne_frame_velocity(robot, work, last, ARNE_AXES_BODY));
    compare_motion(s, at, "v_last_LWA", arne_frame_velocity(robot, work, last, ARNE_AXES_ALIGNED));
    compare_motion(
        s, at, "a_last_LOCAL_spatial",
        arne_frame_acceleration(robot, work, last, ARNE_AXES_BODY, ARNE_ACCELERATION_SPATIAL));
    compare_motion(
        s, at, "a_last_LWA_spatial",
        arne_frame_acceleration(robot, work, last, ARNE_AXES_ALIGNED, ARNE_ACCELERATION_SPATIAL));
    compare_motion(
        s, at, "a_last_LWA_classical",
        arne_frame_acceleration(robot, work, last, ARNE_AXES_ALIGNED, ARNE_ACCELERATION_CLASSICAL));
}

static void compare_jacobians(const reference *r, const json *at, const state *s)
{
    static const struct {
        const char *key;
        arne_axes   axes;
        int         rate;
    } all[] = {{"J_LOCAL_last", ARNE_AXES_BODY, 0},
               {"J_LWA_last", ARNE_AXES_ALIGNED, 0},
               {"J_WORLD_last", ARNE_AXES_WORLD, 0},
               {"dJdt_LOCAL_last", ARNE_AXES_BODY, 1},
               {"dJdt_LWA_last", ARNE_AXES_ALIGNED, 1}};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH_REFERENCE(compare_robot),
    };
    return cmocka_run_group_tests_name("reference robots", tests, NULL, NULL);
}
