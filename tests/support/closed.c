#include "closed.h"

#include "testing.h"
#include <arne/integrate.h>

#include <stdio.h>
#include <stdlib.h>

closed closed_make(arne_robot *robot)
{
    closed c = {.robot = robot, .work = new_work(robot), .size = arne_robot_sizes(robot)};
    assert_ok(arne_loop_work_new(robot, &c.loop));
    arne_start_configuration(robot, c.home);
    return c;
}

void closed_free(closed *c)
{
    arne_loop_work_free(c->loop);
    arne_work_free(c->work);
    arne_robot_free(c->robot);
}

closed closed_file(const char *name)
{
    closed     c = closed_make(read_robot(name, NULL));
    arne_error error = {0};
    assert_ok_or(arne_assemble(c.robot, c.work, c.loop, NULL, c.home, NULL, &error), &error);
    return c;
}

// ---- random chains ----

enum { MOST_JOINTS = 18, MOST_LOOPS = 2 };

typedef struct plan {
    int             joint_count, loop_count;
    arne_body_spec  bodies[MOST_JOINTS + 1];
    arne_joint_spec joints[MOST_JOINTS];
    arne_loop_spec  loops[MOST_LOOPS];
    char            names[MOST_JOINTS + 1][16], joint_names[MOST_JOINTS][16];
    int             elastic; // joint with a motor behind a spring, or -1
    int             sprung;  // joint with a spring, or -1
    int             bent;    // joint that follows the one before it by a function, or -1
    arne_function   bend;
} plan;

static void plan_tree(rng *r, int joints, plan *p)
{
    static const arne_joint_kind kinds[] = {ARNE_JOINT_REVOLUTE, ARNE_JOINT_REVOLUTE,
                                            ARNE_JOINT_REVOLUTE, ARNE_JOINT_PRISMATIC,
                                            ARNE_JOINT_HELICAL};
    const int                    trunk = rng_below(r, 3);
    p->joint_count = joints;
    for (int i = 0; i <= joints; i++) {
        snprintf(p->names[i], sizeof p->names[i], "l%d", i);
        p->bodies[i] = arne_body_spec_default();
        random_inertia(r, &p->bodies[i]);
        p->bodies[i].name = p->names[i];
    }
    for (int i = 0; i < joints; i++) {
        arne_joint_spec *j = &p->joints[i];
        // A trunk, then two branches that grow in turn.
        const int parent = i < trunk ? i : i - trunk < 2 ? trunk : i - 1;
        snprintf(p->joint_names[i], sizeof p->joint_names[i], "j%d", i + 1);
        *j = arne_joint_spec_default();
        j->name = p->joint_names[i];
        j->parent = p->names[parent];
        j->child = p->names[i + 1];
        j->kind = kinds[rng_below(r, 5)];
        j->pitch = 0.1;
        j->origin = rng_pose(r, 0.4);
        j->axis = rng_axis(r);
        j->viscous = rng_uniform(r, 0, 0.3);
        j->rotor_inertia = rng_uniform(r, 0, 0.05);
    }
}

static arne_pose slid(double x, double y, double z)
{
    const arne_pose X = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {x, y, z}};
    return X;
}

static arne_pose turned(arne_vec3 axis, double angle)
{
    arne_pose X = slid(0, 0, 0);
    X.R = m3_turn(axis, angle);
    return X;
}

// How a loop of this kind may stand: B in A.
static arne_pose allowed(rng *r, arne_loop_spec *loop)
{
    const double    angle = rng_uniform(r, -1, 1);
    const arne_pose any = rng_pose(r, 0.3);
    arne_pose       X = any;
    switch (loop->kind) {
    case ARNE_LOOP_REVOLUTE:
        return turned(v3(0, 0, 1), angle);
    case ARNE_LOOP_PRISMATIC:
        return slid(0, 0, angle);
    case ARNE_LOOP_UNIVERSAL:
        return pose_mul(turned(v3(1, 0, 0), angle), turned(v3(0, 1, 0), rng_uniform(r, -1, 1)));
    case ARNE_LOOP_BALL:
        X.p = v3(0, 0, 0);
        return X;
    case ARNE_LOOP_PLANAR_POINT:
        X.p = v3(0, 0, angle);
        return X;
    case ARNE_LOOP_ROD:
        loop->length = v3_length(X.p);
        return X;
    default:
        return slid(0, 0, 0);
    }
}

static arne_robot *build(const plan *p, arne_base base)
{
    arne_builder            *builder = NULL;
    const arne_build_options options = {.base = base};
    assert_ok(arne_builder_new(&builder));
    for (int i = 0; i <= p->joint_count; i++)
        assert_ok(arne_builder_add_body(builder, &p->bodies[i], NULL));
    for (int i = 0; i < p->joint_count; i++)
        assert_ok(arne_builder_add_joint(builder, &p->joints[i], NULL));
    for (int i = 0; i < p->loop_count; i++)
        assert_ok(arne_builder_add_loop(builder, &p->loops[i], NULL));
    if (p->elastic >= 0) {
        arne_motor_spec motor = arne_motor_spec_default();
        motor.joint = p->joints[p->elastic].name;
        motor.gear = 20;
        motor.inertia = 1e-4;
        motor.stiffness = 50;
        motor.damping = 0.1;
        assert_ok(arne_builder_add_motor(builder, &motor, NULL));
    }
    if (p->sprung >= 0) {
        arne_spring_spec spring = arne_spring_spec_default();
        spring.joint = p->joints[p->sprung].name;
        spring.stiffness = 30;
        spring.damping = 0.4;
        spring.rest = 0.2;
        assert_ok(arne_builder_add_spring(builder, &spring, NULL));
    }
    if (p->bent >= 0) {
        const arne_function_spec s = {.joint = p->joints[p->bent].name,
                                      .with = p->joints[p->bent - 1].name,
                                      .function = p->bend};
        assert_ok(arne_builder_add_function(builder, &s, NULL));
    }
    arne_robot *robot = finish(builder, &options);
    arne_builder_free(builder);
    return robot;
}

// Ties the ends of the branches so that they are closed at q.
static void plan_loops(rng *r, plan *p, const double *q, arne_base base, uint64_t seed)
{
    static const char *const names[MOST_LOOPS] = {"first", "second"};
    const int                count = p->loop_count;
    p->loop_count = 0;
    arne_robot *robot = build(p, base);
    arne_work  *work = new_work(robot);
    arne_kinematics(robot, work, q, NULL, NULL);
    for (int i = 0; i < count; i++) {
        arne_loop_spec *loop = &p->loops[i];
        const int       a = p->joint_count - i, b = p->joint_count - 1 - 3 * i;
        *loop = arne_loop_spec_default();
        loop->name = names[i];
        loop->kind = (arne_loop_kind)((seed + 3 * (uint64_t)i) % (ARNE_LOOP_ROD + 1));
        loop->predecessor = p->names[a];
        loop->successor = p->names[b];
        loop->predecessor_origin = rng_pose(r, 0.2);
        const arne_pose A = arne_frame_pose(robot, work, arne_find_frame(robot, p->names[a]));
        const arne_pose B = arne_frame_pose(robot, work, arne_find_frame(robot, p->names[b]));
        const arne_pose tied = pose_mul(A, loop->predecessor_origin);
        loop->successor_origin = pose_mul(pose_inverse(B), pose_mul(tied, allowed(r, loop)));
    }
    p->loop_count = count;
    arne_work_free(work);
    arne_robot_free(robot);
}

// Joints that follow from the others become passive.
static void plan_actuation(plan *p, arne_robot *robot, const double *q)
{
    closed            c = closed_make(robot);
    arne_error        error = {0};
    int               independent[MAX_V], mobility = 0;
    unsigned char     free_to_move[MAX_V] = {0};
    const arne_status status =
        arne_loop_jacobian(c.robot, c.work, c.loop, q, NULL, independent, &mobility, NULL, &error);
    assert_ok_or(status, &error);
    for (int i = 0; i < mobility; i++)
        free_to_move[independent[i]] = 1;
    for (int i = 0; i < p->joint_count; i++) {
        const arne_joint_info j =
            arne_robot_joint(c.robot, arne_find_joint(c.robot, p->joints[i].name));
        if (j.v_count)
            p->joints[i].actuation =
                free_to_move[j.v_start] ? ARNE_ACTUATION_ACTIVE : ARNE_ACTUATION_PASSIVE;
    }
    closed_free(&c);
}

closed closed_random(uint64_t seed)
{
    rng             r = rng_seed(seed + 77000);
    const arne_base base = seed % 4 == 3   ? ARNE_BASE_FREE
                           : seed % 4 == 2 ? ARNE_BASE_PRESCRIBED
                                           : ARNE_BASE_FIXED;
    plan            p = {.elastic = -1, .sprung = -1, .bent = -1};
    double          q[MAX_Q];
    uint64_t        random = seed + 1;
    p.loop_count = 1 + (seed % 3 == 0);
    plan_tree(&r, 6 * p.loop_count + 4 + rng_below(&r, 3), &p);
    if (seed % 7 == 5) { // the last but two follows the one before it in its branch
        arne_joint_spec *j = &p.joints[p.joint_count - 3];
        j->kind = ARNE_JOINT_REVOLUTE;
        j->mimic = p.joints[p.joint_count - 4].name;
        j->mimic_ratio = -0.7;
        j->mimic_offset = 0.3;
    }
    if (seed % 7 == 3) { // likewise by a function: a polynomial, a sine or a spline
        static const double X[] = {-4, -1.5, 0.2, 1.8, 4}, Y[] = {0.4, -0.3, 0.2, 0.6, -0.1};
        static const double NUMBERS[] = {0.3, 1.6, 0.25, 0.1};
        const int           kind = (int)(seed / 7 % 3);
        p.bent = p.joint_count - 3;
        p.joints[p.bent].kind = ARNE_JOINT_REVOLUTE;
        p.bend = kind == 0   ? arne_function_make(ARNE_FUNCTION_POLYNOMIAL, 4, NULL, NUMBERS)
                 : kind == 1 ? arne_function_make(ARNE_FUNCTION_SINE, 4, NULL, NUMBERS)
                             : arne_function_make(ARNE_FUNCTION_SPLINE, 5, X, Y);
    }

    arne_robot *tree = NULL;
    const int   loops = p.loop_count;
    p.loop_count = 0;
    tree = build(&p, base);
    arne_random_configuration(tree, &random, q);
    arne_robot_free(tree);
    p.loop_count = loops;
    plan_loops(&r, &p, q, base, seed);
    for (int i = 0; i < p.joint_count; i++)
        if (!p.joints[i].mimic && i != p.bent) p.joints[i].actuation = ARNE_ACTUATION_ACTIVE;
    plan_actuation(&p, build(&p, base), q);
    for (int i = 0; seed % 5 == 4 && i < p.joint_count; i++)
        if (p.joints[i].actuation == ARNE_ACTUATION_ACTIVE && !p.joints[i].mimic) p.elastic = i;
    for (int i = 0; seed % 6 == 1 && i < p.joint_count; i++)
        if (p.joints[i].actuation == ARNE_ACTUATION_PASSIVE && !p.joints[i].mimic) p.sprung = i;

    closed c = closed_make(build(&p, base));
    c.seed = seed;
    memcpy(c.home, q, sizeof q);
    if (p.elastic >= 0) {
        const arne_motor_info m = arne_robot_motor(c.robot, 0);
        c.home[m.q_index] = 0.1;
    }
    return c;
}

// ---- states ----

int closed_state(closed *c, uint64_t seed, state *out)
{
    rng           r = rng_seed(1000 * c->seed + seed);
    unsigned char active[MAX_V];
    double        step[MAX_V];
    const int     n = c->size.v_count;
    memset(out, 0, sizeof *out);
    out->robot = c->robot;
    out->size = c->size;
    out->seed = seed;
    arne_active(c->robot, active);
    out->base_pose = slid(0, 0, 0);
    if (arne_robot_base(c->robot) == ARNE_BASE_PRESCRIBED) {
        out->base_pose = rng_pose(&r, 1);
        out->base_velocity = (arne_motion){rng_vec3(&r, 1), rng_vec3(&r, 1)};
        out->base_acceleration = (arne_motion){rng_vec3(&r, 2), rng_vec3(&r, 2)};
        state_set_base(out, c->work);
    }
    for (int attempt = 0; attempt < 20; attempt++) {
        arne_loop_report            report;
        const arne_assembly_options options = {.restarts = -1};
        for (int k = 0; k < n; k++)
            step[k] = active[k] ? rng_uniform(&r, -0.5, 0.5) : 0;
        arne_integrate(c->robot, c->home, step, out->q);
        if (arne_assemble(c->robot, c->work, c->loop, &options, out->q, NULL, NULL)) continue;
        if (arne_loop_analyse(c->robot, c->work, c->loop, out->q, &report, NULL, NULL)) continue;
        if (report.singular || !(report.condition < 1e3)) continue;
        rng_fill(&r, out->qd, n, 2);
        rng_fill(&r, out->qdd, n, 3);
        for (int k = 0; k < n; k++)
            out->tau[k] = active[k] ? rng_uniform(&r, -5, 5) : 0;
        assert_ok(arne_loop_complete(c->robot, c->work, c->loop, out->q, out->qd, out->qdd, NULL));
        return 1;
    }
    return 0;
}

void add_json_link(arne_builder *builder, const char *name, const json *link)
{
    arne_body_spec body = arne_body_spec_default();
    double         com[3], I[9];
    body.name = name;
    if (link) {
        json_numbers(json_get(link, "c"), com, 3);
        json_numbers(json_get(link, "I"), I, 9);
        body.mass = json_number(json_get(link, "m"));
        body.com = v3(com[0], com[1], com[2]);
        const double inertia[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
        memcpy(body.inertia, inertia, sizeof inertia);
    }
    assert_ok(arne_builder_add_body(builder, &body, NULL));
}
