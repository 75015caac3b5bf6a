// Frames are a choice: the same mechanism with every link's frame turned by a rotation of its own,
// in a world that is turned too, has the same numbers, and the same vectors in the turned axes.
#include "closed.h"
#include "testing.h"

#include "robot/builder.h"

typedef struct turned {
    arne_builder *builder;
    arne_robot   *robot;
    arne_work    *work;
    arne_mat3     world;            // vectors of the world are multiplied by it
    arne_mat3     link[MAX_FRAMES]; // the new frame of each body of the builder in its old one
    arne_mat3     tied[8];          // likewise frame A of each loop
} turned;

static arne_vec3 v3_turned(arne_mat3 R, arne_vec3 a) { return m3_apply_t(R, a); }

static arne_pose pose_turned(arne_mat3 R, arne_pose X)
{
    return (arne_pose){m3_mul(m3_transpose(R), X.R), m3_apply_t(R, X.p)};
}

static int body_of(const arne_builder *b, const char *name)
{
    for (int i = 0; i < b->body_count; i++)
        if (!strcmp(b->bodies[i].name, name)) return i;
    for (int i = 0; i < b->joint_count; i++)
        if (!strcmp(b->joints[i].name, name)) return body_of(b, b->joints[i].child);
    return -1;
}

static int root_of(const arne_robot *robot)
{
    int root = 0;
    while (arne_robot_frame(robot, root).parent >= 0)
        root++;
    return root;
}

// The turn of a link; named frames keep theirs.
static arne_mat3 turn_of(const turned *t, const char *name)
{
    const int i = body_of(t->builder, name);
    return i < 0 ? m3_identity() : t->link[i];
}

static int is_identity(const arne_pose *X)
{
    const arne_pose identity = pose_identity();
    return memcmp(X, &identity, sizeof identity) == 0;
}

// Where a joint has one axis, its frame turns with the child's; others keep theirs.
static void turn_joint(const turned *t, arne_joint_spec *j)
{
    const arne_pose child = {turn_of(t, j->child), {0, 0, 0}};
    j->origin = pose_turned(turn_of(t, j->parent), j->origin);
    if (j->kind <= ARNE_JOINT_HELICAL && is_identity(&j->tip)) {
        j->origin = pose_mul(j->origin, child);
        j->axis = m3_apply_t(child.R, j->axis);
    } else {
        j->tip = pose_mul(j->tip, child);
    }
}

// The axes of a universal joint, a wheel and a knife edge are those of its frames.
static void turn_loop(turned *t, int index, rng *r)
{
    arne_loop_spec *l = &t->builder->loops[index];
    const int       has_axes = l->kind == ARNE_LOOP_UNIVERSAL || l->kind >= ARNE_LOOP_ROLLING;
    const arne_pose own = {has_axes ? m3_identity() : rng_pose(r, 1).R, {0, 0, 0}};
    t->tied[index] = own.R;
    l->predecessor_origin =
        pose_mul(pose_turned(turn_of(t, l->predecessor), l->predecessor_origin), own);
    l->successor_origin = pose_mul(pose_turned(turn_of(t, l->successor), l->successor_origin), own);
    l->axis = m3_apply_t(own.R, l->axis);
    if (l->leg_link) l->leg.base = pose_turned(turn_of(t, l->leg_link), l->leg.base);
}

static void turn_body(arne_mat3 R, arne_body_spec *b)
{
    static const arne_mat3 none = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    const int              own = memcmp(&b->inertia_axes, &none, sizeof none) == 0;
    b->com = v3_turned(R, b->com);
    b->inertia_axes = own ? m3_transpose(R) : m3_mul(m3_transpose(R), b->inertia_axes);
}

static void turn_motor(const turned *t, arne_motor_spec *m)
{
    const arne_builder *b = t->builder;
    const char         *link = m->link;
    for (int i = 0; !link && i < b->joint_count; i++)
        if (!strcmp(b->joints[i].name, m->joint)) link = b->joints[i].parent;
    m->axis = v3_turned(turn_of(t, link), m->axis);
    m->position = v3_turned(turn_of(t, link), m->position);
}

// The frame of a free or prescribed base stays; that of a fixed one turns back what the world
// turns.
static turned turned_new(const arne_robot *robot, uint64_t seed)
{
    rng             r = rng_seed(seed);
    turned          t = {.world = rng_pose(&r, 1).R};
    const arne_vec3 g = m3_apply(t.world, arne_robot_gravity(robot));
    assert_ok(arne_builder_new(&t.builder));
    assert_ok(arne_builder_add_robot(t.builder, robot, NULL));
    arne_builder *b = t.builder;
    const int     root = body_of(b, arne_robot_frame(robot, root_of(robot)).name);
    for (int i = 0; i < b->body_count; i++)
        t.link[i] = rng_pose(&r, 1).R;
    t.link[root] =
        arne_robot_base(robot) == ARNE_BASE_FIXED ? m3_transpose(t.world) : m3_identity();
    for (int i = 0; i < b->loop_count; i++)
        turn_loop(&t, i, &r);
    for (int i = 0; i < b->motor_count; i++)
        turn_motor(&t, &b->motors[i]);
    for (int i = 0; i < b->body_count; i++)
        turn_body(t.link[i], &b->bodies[i]);
    for (int i = 0; i < b->joint_count; i++)
        turn_joint(&t, &b->joints[i]);
    for (int i = 0; i < b->frame_count; i++)
        b->frames[i].pose = pose_turned(turn_of(&t, b->frames[i].body), b->frames[i].pose);
    for (int i = 0; i < b->contact_count; i++)
        b->contacts[i].origin =
            pose_turned(turn_of(&t, b->contacts[i].link), b->contacts[i].origin);
    assert_ok(arne_builder_set_gravity(b, g));
    t.robot = finish(b, NULL);
    t.work = new_work(t.robot);
    return t;
}

static void turned_free(turned *t)
{
    arne_work_free(t->work);
    arne_robot_free(t->robot);
    arne_builder_free(t->builder);
}

// A wrench or motion in axes that are turned.
static arne_wrench wrench_turned(arne_mat3 R, arne_wrench f)
{
    return (arne_wrench){v3_turned(R, f.lin), v3_turned(R, f.ang)};
}

static arne_mat3 frame_turn(const turned *t, int frame)
{
    return turn_of(t, arne_robot_frame(t->robot, frame).name);
}

// The same motion: a base that is not fixed stands and moves in the turned world.
static state state_turned(const turned *t, const state *s)
{
    state out = *s;
    out.robot = t->robot;
    if (arne_robot_base(t->robot) == ARNE_BASE_FREE) {
        const arne_pose X = {m3_quaternion(s->q + 3), v3(s->q[0], s->q[1], s->q[2])};
        const arne_pose turn = {t->world, {0, 0, 0}}, Y = pose_mul(turn, X);
        memcpy(out.q, &Y.p, sizeof Y.p);
        m3_to_quaternion(Y.R, out.q + 3);
    } else if (arne_robot_base(t->robot) == ARNE_BASE_PRESCRIBED) {
        const arne_pose turn = {t->world, {0, 0, 0}};
        out.base_pose = pose_mul(turn, s->base_pose);
        state_set_base(&out, t->work);
    }
    memset(out.f_ext, 0, sizeof out.f_ext);
    for (int i = 0; i < out.size.frame_count; i++) {
        if (!arne_robot_frame(t->robot, i).is_link) continue;
        out.wrench[i] = wrench_turned(frame_turn(t, i), s->wrench[i]);
        arne_add_wrench(t->robot, i, &out.wrench[i], out.f_ext);
    }
    return out;
}

// Rows of a Jacobian, three and three, in turned axes.
static void rows_turned(arne_mat3 R, const double *J, int nv, double *out)
{
    for (int half = 0; half < 2; half++)
        for (int k = 0; k < nv; k++) {
            const double   *at = J + 3 * half * nv + k;
            const arne_vec3 v = v3_turned(R, v3(at[0], at[nv], at[2 * nv]));
            out[(3 * half + 0) * nv + k] = v.x;
            out[(3 * half + 1) * nv + k] = v.y;
            out[(3 * half + 2) * nv + k] = v.z;
        }
}

static void compare_frame(const turned *t, const state *s, const state *u, arne_work *work, int i)
{
    static double   J[6 * MAX_V], K[6 * MAX_V], want[6 * MAX_V];
    const arne_mat3 own = frame_turn(t, i), world = m3_transpose(t->world);
    const arne_pose X = arne_frame_pose(s->robot, work, i);
    const arne_pose Y = arne_frame_pose(t->robot, t->work, i);
    const arne_pose pose = {m3_mul(t->world, m3_mul(X.R, own)), m3_apply(t->world, X.p)};
    const arne_axes axes[] = {ARNE_AXES_BODY, ARNE_AXES_ALIGNED};
    const arne_mat3 turn[] = {own, world};
    assert_same(s, "pose", Y, pose, 1e-10);
    for (int k = 0; k < 2; k++) {
        const arne_motion v = arne_frame_velocity(s->robot, work, i, axes[k]);
        const arne_motion w = arne_frame_velocity(t->robot, t->work, i, axes[k]);
        const arne_motion velocity = {v3_turned(turn[k], v.lin), v3_turned(turn[k], v.ang)};
        assert_same(s, "velocity", w, velocity, 1e-10);
        arne_jacobian(s->robot, work, s->q, i, axes[k], J);
        arne_jacobian(t->robot, t->work, u->q, i, axes[k], K);
        rows_turned(turn[k], J, s->size.v_count, want);
        assert_close(s, "Jacobian", K, want, 6 * s->size.v_count, 1e-10);
    }
}

static void compare_wrenches(const turned *t, const state *s, arne_work *work)
{
    for (int j = 0; j < s->size.joint_count; j++) {
        const arne_mat3   own = frame_turn(t, arne_robot_joint(s->robot, j).child);
        const arne_wrench f = wrench_turned(own, arne_joint_wrench(s->robot, work, j));
        const arne_wrench g = arne_joint_wrench(t->robot, t->work, j);
        assert_same(s, "joint wrench", g, f, 1e-9);
    }
    if (arne_robot_base(s->robot) == ARNE_BASE_FREE) return; // at the world's origin
    const arne_wrench f =
        wrench_turned(frame_turn(t, root_of(t->robot)), arne_base_wrench(s->robot, work));
    const arne_wrench g = arne_base_wrench(t->robot, t->work);
    assert_same(s, "base wrench", g, f, 1e-9);
}

static void compare_whole(const turned *t, const state *s, const state *u, arne_work *work)
{
    arne_vec3   com[2], rate[2];
    arne_wrench momentum[2];
    arne_center_of_mass(s->robot, work, s->q, s->qd, &com[0], &rate[0]);
    arne_center_of_mass(t->robot, t->work, u->q, u->qd, &com[1], &rate[1]);
    arne_momentum(s->robot, work, s->q, s->qd, &momentum[0]);
    arne_momentum(t->robot, t->work, u->q, u->qd, &momentum[1]);
    com[0] = m3_apply(t->world, com[0]);
    rate[0] = m3_apply(t->world, rate[0]);
    momentum[0] = wrench_turned(m3_transpose(t->world), momentum[0]);
    assert_same(s, "centre of mass", com[1], com[0], 1e-10);
    assert_same(s, "its velocity", rate[1], rate[0], 1e-10);
    assert_same(s, "momentum", momentum[1], momentum[0], 1e-10);
}

static void trees_have_the_same_vectors(void **unused)
{
    static double tau[2][MAX_V];
    uint64_t      seed = 5;
    (void)unused;
    EACH_ROBOT_OF (robot, work, 200) {
        if (arne_robot_sizes(robot).loop_count) continue; // below
        turned t = turned_new(robot, seed++);
        state  s = random_state(robot, seed);
        state_set_base(&s, work);
        const state u = state_turned(&t, &s);
        arne_kinematics(robot, work, s.q, s.qd, NULL);
        arne_kinematics(t.robot, t.work, u.q, u.qd, NULL);
        for (int i = 0; i < s.size.frame_count; i++)
            compare_frame(&t, &s, &u, work, i);
        arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, s.f_ext, tau[0]);
        arne_inverse_dynamics(t.robot, t.work, u.q, u.qd, u.qdd, u.f_ext, tau[1]);
        assert_close(&s, "torques", tau[1], tau[0], s.size.v_count, 1e-9);
        compare_wrenches(&t, &s, work);
        compare_whole(&t, &s, &u, work);
        turned_free(&t);
    }
}

static void compare_loops(const closed *c, const turned *t, const state *s, const state *u)
{
    arne_loop_work *loop = NULL;
    double          tau[2][MAX_V];
    int             indeterminate = 0;
    assert_ok(arne_loop_work_new(t->robot, &loop));
    assert_ok(arne_loop_inverse_dynamics(c->robot, c->work, c->loop, s->q, s->qd, s->qdd, s->f_ext,
                                         NULL, tau[0], NULL));
    assert_ok(arne_loop_inverse_dynamics(t->robot, t->work, loop, u->q, u->qd, u->qdd, u->f_ext,
                                         NULL, tau[1], NULL));
    assert_close(s, "torques", tau[1], tau[0], s->size.v_count, 1e-7);
    assert_ok(arne_loop_forces(c->robot, c->work, c->loop, s->q, s->qd, s->qdd, s->f_ext, tau[0],
                               NULL, &indeterminate, NULL));
    assert_ok(arne_loop_forces(t->robot, t->work, loop, u->q, u->qd, u->qdd, u->f_ext, tau[0], NULL,
                               NULL, NULL));
    for (int i = 0; i < s->size.loop_count && !indeterminate; i++) {
        const arne_wrench f =
            wrench_turned(t->tied[i], arne_loop_wrench(c->robot, c->work, c->loop, i));
        const arne_wrench g = arne_loop_wrench(t->robot, t->work, loop, i);
        assert_same(s, "loop wrench", g, f, 1e-7);
    }
    if (!indeterminate) compare_wrenches(t, s, c->work);
    arne_loop_work_free(loop);
}

static void loops_have_the_same_vectors(void **unused)
{
    int compared = 0;
    (void)unused;
    for (uint64_t seed = 0; seed < 84; seed++) {
        closed c = closed_random(seed);
        state  s;
        if (closed_state(&c, seed, &s)) {
            turned      t = turned_new(c.robot, seed + 900);
            const state u = state_turned(&t, &s);
            compare_loops(&c, &t, &s, &u);
            turned_free(&t);
            compared++;
        }
        closed_free(&c);
    }
    assert_true(compared > 40);
}

// ---- lengths in another unit ----

// The closed robot of a seed with all lengths times `length`, and gravity, so that times stay.
static closed closed_scaled(const closed *c, double length)
{
    const arne_vec3 g = arne_robot_gravity(c->robot);
    arne_builder   *b = NULL;
    assert_ok(arne_builder_new(&b));
    assert_ok(arne_builder_add_robot(b, c->robot, NULL));
    for (int i = 0; i < b->loop_count; i++)
        b->loops[i].leg_link = NULL;
    assert_ok(arne_builder_scale(b, length, 1));
    assert_ok(arne_builder_set_gravity(b, v3_scale(length, g)));
    closed out = closed_make(finish(b, NULL));
    arne_builder_free(b);
    return out;
}

// Entries of a vector of coordinates or velocities that are lengths times `slides`, others times
// `turns`.
static void scale_entries(const arne_robot *robot, int of_q, double slides, double turns, double *x)
{
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        const int             free = j.kind == ARNE_JOINT_FREE;
        const int             count = of_q ? j.q_count : j.v_count;
        for (int k = 0; k < count; k++)
            x[(of_q ? j.q_start : j.v_start) + k] *=
                j.kind == ARNE_JOINT_PRISMATIC || (free && k < 3) ? slides : turns;
    }
}

// Rank, torques and accelerations of a mechanism do not depend on the unit of length.
static void small_mechanisms_move_alike(void **unused)
{
    const double small = 1e-9;
    int          compared = 0;
    (void)unused;
    for (uint64_t seed = 0; seed < 84; seed++) {
        closed c = closed_random(seed);
        state  s;
        if (arne_robot_base(c.robot) == ARNE_BASE_PRESCRIBED || c.size.spring_count ||
            c.size.motor_count || !closed_state(&c, seed, &s)) {
            closed_free(&c);
            continue;
        }
        closed           d = closed_scaled(&c, small);
        arne_loop_report report[2];
        arne_error       error = {0};
        double           tau[2][MAX_V], qdd[MAX_V];
        assert_ok(arne_loop_analyse(c.robot, c.work, c.loop, s.q, &report[0], NULL, NULL));
        assert_ok(arne_loop_inverse_dynamics(c.robot, c.work, c.loop, s.q, s.qd, s.qdd, NULL, NULL,
                                             tau[0], NULL));
        scale_entries(c.robot, 1, small, 1, s.q);
        scale_entries(c.robot, 0, small, 1, s.qd);
        scale_entries(c.robot, 0, small, 1, s.qdd);
        assert_ok_or(arne_loop_analyse(d.robot, d.work, d.loop, s.q, &report[1], NULL, &error),
                     &error);
        assert_int_equal(report[1].mobility, report[0].mobility);
        assert_int_equal(report[1].rank, report[0].rank);
        assert_ok_or(arne_loop_inverse_dynamics(d.robot, d.work, d.loop, s.q, s.qd, s.qdd, NULL,
                                                NULL, tau[1], &error),
                     &error);
        assert_ok_or(arne_loop_forward_dynamics(d.robot, d.work, d.loop, s.q, s.qd, tau[1], NULL,
                                                NULL, qdd, &error),
                     &error);
        scale_entries(c.robot, 0, 1 / small, 1 / small / small, tau[1]);
        assert_close(&s, "torques", tau[1], tau[0], s.size.v_count, 1e-6);
        scale_entries(c.robot, 0, 1 / small, 1, qdd);
        scale_entries(c.robot, 0, 1 / small, 1, s.qdd);
        assert_close(&s, "accelerations", qdd, s.qdd, s.size.v_count, 1e-6);
        closed_free(&d);
        closed_free(&c);
        compared++;
    }
    assert_true(compared > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_have_the_same_vectors),
        cmocka_unit_test(loops_have_the_same_vectors),
        cmocka_unit_test(small_mechanisms_move_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
