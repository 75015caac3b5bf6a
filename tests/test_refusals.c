// What functions of the C interface refuse, each by its own words: parts of robots with one number
// spoilt, motions, splines and tables.
#include "testing.h"

#include <arne/motion.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

// ---- parts of robots

// One number of a part, and what is said of it.
typedef struct flaw {
    size_t      at;
    double      value;
    const char *says;
} flaw;

static void spoil(void *part, const flaw *f)
{
    *(double *)(void *)((char *)part + f->at) = f->value;
}

// base -turn- arm -slide- hand
static arne_builder *chain(void)
{
    static const char *const links[] = {"base", "arm", "hand"}, *const joints[] = {"turn", "slide"};
    arne_builder *b = NULL;
    arne_error    error;
    assert_ok(arne_builder_new(&b));
    for (int i = 0; i < 3; i++) {
        arne_body_spec body = arne_body_spec_default();
        body.name = links[i];
        body.mass = 1;
        body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.1;
        assert_ok_or(arne_builder_add_body(b, &body, &error), &error);
    }
    for (int i = 0; i < 2; i++) {
        arne_joint_spec joint = arne_joint_spec_default();
        joint.name = joints[i];
        joint.kind = i ? ARNE_JOINT_PRISMATIC : ARNE_JOINT_REVOLUTE;
        joint.parent = links[i];
        joint.child = links[i + 1];
        assert_ok_or(arne_builder_add_joint(b, &joint, &error), &error);
    }
    return b;
}

// Frees the builder. A status of ARNE_OK: it fails where the robot is finished.
static void refuses(arne_builder *b, arne_status status, arne_error *error, const char *says)
{
    arne_robot *robot = NULL;
    if (!status) status = arne_builder_finish(b, NULL, &robot, error);
    if (!status || !strstr(error->text, says))
        fail_msg("'%s' is not said: %s", says, status ? error->text : "it is taken");
    assert_null(robot);
    arne_builder_free(b);
}

#define AT(field) offsetof(arne_motor_spec, field)
static void motors(void **unused)
{
    static const flaw flaws[] = {
        {AT(gear), NAN, "not finite"},
        {AT(position.y), INFINITY, "not finite"},
        {AT(damping), NAN, "not finite"},
        {AT(gear), 0, "the gear ratio of motor 'turn' is 0"},
        {AT(inertia), -1, "negative mass or inertia"},
        {AT(transverse), -1, "negative mass or inertia"},
        {AT(mass), -1, "negative mass or inertia"},
        {AT(stiffness), 0, "stiffness of motor 'turn' is 0; it must be positive"},
        {AT(damping), -1, "negative damping or friction"},
        {AT(viscous), -1, "negative damping or friction"},
        {AT(coulomb_positive), -1, "negative damping or friction"},
        {AT(coulomb_negative), -1, "negative damping or friction"},
        {AT(effort), -1, "negative limit"},
        {AT(effort_rate), -1, "negative limit"},
        {AT(axis.z), 0, "has a zero axis"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof flaws / sizeof *flaws; i++) {
        arne_builder   *b = chain();
        arne_motor_spec m = arne_motor_spec_default();
        arne_error      error;
        m.joint = "turn";
        m.inertia = 1e-4;
        spoil(&m, &flaws[i]);
        refuses(b, arne_builder_add_motor(b, &m, &error), &error, flaws[i].says);
    }
    // Names of links, joints and motors.
    for (int i = 0; i < 4; i++) {
        static const char *const says[] = {"which does not exist", "which does not exist",
                                           "both drive joint 'turn'", "two motors are named 'm'"};
        arne_builder            *b = chain();
        arne_motor_spec          m = arne_motor_spec_default(), other;
        arne_error               error;
        m.joint = i == 0 ? "elbow" : "turn";
        m.name = "m";
        if (i == 1) m.link = "leg";
        other = m;
        other.joint = i == 3 ? "slide" : "turn";
        other.name = i == 3 ? "m" : "n";
        assert_ok(arne_builder_add_motor(b, &m, &error));
        if (i > 1) assert_ok(arne_builder_add_motor(b, &other, &error));
        refuses(b, ARNE_OK, &error, says[i]);
    }
}
#undef AT

#define AT(field) offsetof(arne_contact_spec, field)
static void contacts(void **unused)
{
    static const flaw flaws[] = {
        {AT(size[0]), NAN, "not finite"},         {AT(size[0]), 0, "must be positive, not 0"},
        {AT(origin.p.x), INFINITY, "not finite"}, {AT(origin.R.x.x), 2, "not a rotation"},
        {AT(friction), NAN, "not finite"},        {AT(tyre[0]), -1, "must not be negative"},
        {AT(tyre[1]), 1, "a tyre is on a disc"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof flaws / sizeof *flaws; i++) {
        arne_builder     *b = chain();
        arne_contact_spec s = arne_contact_spec_default();
        arne_error        error;
        s.link = "hand";
        s.shape = ARNE_SHAPE_SPHERE;
        s.size[0] = 0.1;
        spoil(&s, &flaws[i]);
        refuses(b, arne_builder_add_contact(b, &s, &error), &error, flaws[i].says);
    }
}
#undef AT

#define AT(field) offsetof(arne_joint_spec, field)
static void joints(void **unused)
{
    static const flaw flaws[] = {
        {AT(lower), NAN, "a limit of joint 'turn' is not a number"},
        {AT(upper), NAN, "a limit of joint 'turn' is not a number"},
        {AT(velocity), NAN, "a limit of joint 'turn' is not a number"},
        {AT(effort), NAN, "a limit of joint 'turn' is not a number"},
        {AT(lower), 4, "the lower limit of joint 'turn' (4) is above the upper (3)"},
        {AT(velocity), -1, "negative velocity or effort limit"},
        {AT(effort), -1, "negative velocity or effort limit"},
        {AT(viscous), -1, "joint 'turn' has negative friction"},
        {AT(coulomb_positive), -1, "joint 'turn' has negative friction"},
        {AT(coulomb_negative), -1, "joint 'turn' has negative friction"},
        {AT(rotor_inertia), -1, "joint 'turn' has a negative rotor inertia"},
        {AT(axis.x), NAN, "not finite"},
        {AT(pitch), INFINITY, "not finite"},
        {AT(start), NAN, "not finite"},
        {AT(starts[6]), NAN, "not finite"},
        {AT(origin.p.z), NAN, "not finite"},
        {AT(tip.R.z.z), NAN, "not finite"},
        {AT(origin.R.y.y), -1, "the origin of joint 'turn' is not a rotation"},
        {AT(tip.R.x.y), 0.1, "the origin of joint 'turn' is not a rotation"},
        {AT(axis.z), 0, "axis"},
    };
    (void)unused;
    for (int i = 0; i <= (int)(sizeof flaws / sizeof *flaws); i++) {
        const int       last = i == (int)(sizeof flaws / sizeof *flaws);
        arne_builder   *b = NULL;
        arne_body_spec  link = arne_body_spec_default();
        arne_joint_spec j = arne_joint_spec_default();
        arne_error      error;
        assert_ok(arne_builder_new(&b));
        link.name = j.parent = "base";
        assert_ok(arne_builder_add_body(b, &link, &error));
        link.name = j.child = "arm";
        link.mass = link.inertia[0] = link.inertia[1] = link.inertia[2] = 1;
        assert_ok(arne_builder_add_body(b, &link, &error));
        j.name = "turn";
        j.upper = 3;
        if (last)
            j.kind = ARNE_JOINT_KIND_COUNT;
        else
            spoil(&j, &flaws[i]);
        refuses(b, arne_builder_add_joint(b, &j, &error), &error,
                last ? "joint 'turn' has an unknown kind" : flaws[i].says);
    }
}
#undef AT

#define AT(field) offsetof(arne_body_spec, field)
static void links(void **unused)
{
    static const flaw flaws[] = {
        {AT(mass), NAN, "link 'leg' has a number that is not finite"},
        {AT(com.y), INFINITY, "link 'leg' has a number that is not finite"},
        {AT(inertia[5]), NAN, "link 'leg' has a number that is not finite"},
        {AT(inertia_axes.z.z), NAN, "link 'leg' has a number that is not finite"},
        {AT(mass), -1, "negative"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof flaws / sizeof *flaws; i++) {
        arne_builder   *b = chain();
        arne_body_spec  link = arne_body_spec_default();
        arne_joint_spec clamp = arne_joint_spec_default();
        arne_error      error;
        link.name = clamp.child = "leg";
        link.mass = link.inertia[0] = link.inertia[1] = link.inertia[2] = 1;
        clamp.name = "clamp";
        clamp.kind = ARNE_JOINT_FIXED;
        clamp.parent = "hand";
        spoil(&link, &flaws[i]);
        arne_status status = arne_builder_add_body(b, &link, &error);
        if (!status) status = arne_builder_add_joint(b, &clamp, &error);
        refuses(b, status, &error, flaws[i].says);
    }
}
#undef AT

// Springs, frames, kinds of loops and shapes; options.
static void others(void **unused)
{
    static const char *const says[] = {
        "the spring on joint 'turn' has negative stiffness or damping",
        "the spring on joint 'turn' has negative stiffness or damping",
        "the pose of frame 'tool' is not a finite rotation",
        "the pose of frame 'tool' is not a finite rotation",
        "loop 'tie' has an unknown kind",
        "contact of link 'hand': there is no such shape"};
    (void)unused;
    for (int i = 0; i < 6; i++) {
        arne_builder    *b = chain();
        arne_error       error;
        arne_spring_spec spring = {.joint = "turn", .stiffness = i ? 1 : -1, .damping = i ? -1 : 1};
        arne_pose        pose = {.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        arne_loop_spec   loop = arne_loop_spec_default();
        arne_contact_spec contact = arne_contact_spec_default();
        if (i == 2) pose.p.x = NAN;
        if (i == 3) pose.R.z.z = -1;
        loop.name = "tie";
        loop.kind = ARNE_LOOP_KIND_COUNT;
        loop.predecessor = "base";
        loop.successor = contact.link = "hand";
        contact.shape = ARNE_SHAPE_COUNT;
        refuses(b,
                i < 2    ? arne_builder_add_spring(b, &spring, &error)
                : i < 4  ? arne_builder_add_frame(b, "tool", "hand", &pose, (arne_place){0}, &error)
                : i == 4 ? arne_builder_add_loop(b, &loop, &error)
                         : arne_builder_add_contact(b, &contact, &error),
                &error, says[i]);
    }
    for (int i = 0; i < 6; i++) {
        static const char *const wrong[] = {"gravity is not finite",
                                            "gravity is not finite",
                                            "gravity is not finite",
                                            "there is no such kind of base",
                                            "there is no such instruction set",
                                            "there is no such instruction set"};
        arne_builder            *b = chain();
        arne_error               error;
        const arne_vec3 g = {i == 0 ? NAN : 0, i == 1 ? INFINITY : 0, i == 2 ? -INFINITY : 0};
        const arne_build_options options = {.gravity = &g,
                                            .base = i == 3 ? (arne_base)99 : ARNE_BASE_DEFAULT,
                                            .isa = i == 4   ? ARNE_ISA_COUNT
                                                   : i == 5 ? (arne_isa)-1
                                                            : ARNE_ISA_BEST};
        arne_robot              *robot = NULL;
        const arne_status        status = arne_builder_finish(b, &options, &robot, &error);
        if (!status || !strstr(error.text, wrong[i])) fail_msg("'%s' is not said", wrong[i]);
        arne_builder_free(b);
    }
    // Factors of lengths and masses; what is asked for by name.
    static const double factors[][2] = {{0, 1}, {-1, 1},  {NAN, 1},     {INFINITY, 1},
                                        {1, 0}, {1, NAN}, {1, INFINITY}};
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        arne_builder *b = chain();
        assert_int_equal(arne_builder_scale(b, factors[i][0], factors[i][1]), ARNE_VALUE);
        arne_builder_free(b);
    }
}

#define AT(field) offsetof(arne_loop_spec, field)
static void loops(void **unused)
{
    static const flaw flaws[] = {
        {AT(axis.z), 0, "the axis of loop 'tie' is zero"},
        {AT(axis.x), INFINITY, "the axis of loop 'tie' is zero or not finite"},
        {AT(predecessor_origin.p.y), NAN, "not a finite rotation"},
        {AT(successor_origin.R.x.x), 2, "not a finite rotation"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof flaws / sizeof *flaws; i++) {
        arne_builder  *b = chain();
        arne_loop_spec l = arne_loop_spec_default();
        arne_error     error;
        l.name = "tie";
        l.kind = ARNE_LOOP_REVOLUTE;
        l.predecessor = "base";
        l.successor = "hand";
        l.axis = (arne_vec3){0, 0, 1};
        spoil(&l, &flaws[i]);
        refuses(b, arne_builder_add_loop(b, &l, &error), &error, flaws[i].says);
    }
}
#undef AT

#define AT(field) offsetof(arne_body_spec, flexible.field)
static void beams(void **unused)
{
    static const flaw flaws[] = {
        {AT(length), 0, "the length must be more than 0"},
        {AT(density), -1, "the density must be more than 0"},
        {AT(E), 0, "E must be more than 0"},
        {AT(A), 0, "the area of its section"},
        {AT(moments[0]), 0, "the second moments"},
        {AT(moments[1]), NAN, "the second moments"},
        {AT(G), -1, "G must not be negative"},
        {AT(J), 0, "J must be more than 0 with it"},
        {AT(damping), -1, "the damping ratio"},
        {offsetof(arne_body_spec, mass), 1, "its mass is that of its density"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof flaws / sizeof *flaws; i++) {
        arne_builder   *b = chain();
        arne_body_spec  beam = arne_body_spec_default();
        arne_joint_spec clamp = arne_joint_spec_default();
        arne_error      error;
        beam.name = "beam";
        beam.flexible = arne_flexible_spec_default();
        beam.flexible.segments = 2;
        beam.flexible.length = 1;
        beam.flexible.E = beam.flexible.G = 1e9;
        beam.flexible.density = 2000;
        arne_flexible_round(&beam.flexible, 0.01, 0);
        clamp.name = "clamp";
        clamp.kind = ARNE_JOINT_FIXED;
        clamp.parent = "hand";
        clamp.child = "beam";
        spoil(&beam, &flaws[i]);
        arne_status status = arne_builder_add_body(b, &beam, &error);
        if (!status) status = arne_builder_add_joint(b, &clamp, &error);
        refuses(b, status, &error, flaws[i].says);
    }
}
#undef AT

static void legs(void **unused)
{
    static const arne_vec3 feet[3] = {{0.3, 0, 0}, {-0.15, 0.26, 0}, {-0.15, -0.26, 0}},
                           tops[3] = {{0.1, 0, 0}, {-0.05, 0.087, 0}, {-0.05, -0.087, 0}};
    static const char *const says[] = {"unknown kind",
                                       "free, planar or prismatic",
                                       "there are no legs",
                                       "a leg has 1 to 6 joints",
                                       "the crank must be longer",
                                       "the rod must be longer",
                                       "the elbow must be 1 or -1",
                                       "no joint of a leg is active",
                                       "cannot reach",
                                       "the slide must not be zero",
                                       "the prefix of names is too long",
                                       "the platform's name is too long",
                                       "has no name, or one that is too long",
                                       "has no name, or one that is too long",
                                       "has no name, or one that is too long",
                                       "RRR legs carry a platform that moves in a plane"};
    static char              name[1000];
    memset(name, 'n', sizeof name - 1);
    (void)unused;
    for (int i = 0; i < (int)(sizeof says / sizeof *says); i++) {
        arne_builder      *b = NULL;
        arne_error         error;
        arne_parallel_spec s = arne_parallel_spec_default(i == 9 ? ARNE_LEG_PUS : ARNE_LEG_RUS);
        s.base = "ground";
        s.platform.name = "plate";
        s.platform.mass = 1;
        s.home.p.z = 0.5;
        s.leg_count = 3;
        s.base_points = feet;
        s.platform_points = tops;
        s.crank = 0.2;
        s.rod = 0.55;
        if (i == 0) s.kind = ARNE_LEG_KIND_COUNT;
        if (i == 1) s.motion = ARNE_JOINT_BALL;
        if (i == 2) s.leg_count = 0;
        if (i == 3) s.joint_count = 7;
        if (i == 4) s.crank = 0;
        if (i == 5) s.rod = NAN;
        if (i == 6) s.elbow = 0;
        for (int k = 0; i == 7 && k < s.joint_count; k++)
            s.joints[k].joint.actuation = ARNE_ACTUATION_PASSIVE;
        if (i == 8) s.rod = 0.1;
        if (i == 9) s.slide = (arne_vec3){0, 0, 0};
        if (i == 10) s.prefix = name;
        if (i == 11) s.platform.name = name;
        if (i == 12) s.joints[1].joint.name = name;
        if (i == 13) s.joints[0].body.name = name;
        if (i == 14) s.joints[0].joint.name = NULL;
        if (i == 15) s.motion = ARNE_JOINT_PLANAR;
        assert_ok(arne_builder_new(&b));
        refuses(b, arne_builder_add_parallel(b, &s, &error), &error, says[i]);
    }
}

// ---- motions

static void says(arne_status status, const arne_error *error, arne_status wanted, const char *text)
{
    if (status != wanted || !strstr(error->text, text))
        fail_msg("'%s' is not said: %d, %s", text, (int)status, error->text);
}

static void motions(void **unused)
{
    arne_robot        *robot = read_robot("planar_2r", NULL);
    arne_trajectory   *out = NULL;
    arne_error         error;
    const double       a[6] = {0, 0, 1, 1, 2, 2}, bad[6] = {0, 0, NAN, 1, 2, 2};
    const double       times[3] = {0, 1, 2}, late[3] = {0.1, 1, 2}, still[3] = {0, 1, 1};
    const double       some[2] = {1, 1}, none[2] = {0, 1};
    arne_motion_limits limits = {some, some, some};
    (void)unused;
#define SAYS(call, text) says(call, &error, ARNE_VALUE, text)
#define GO(profile, time, how)                                                                     \
    arne_trajectory_point_to_point(robot, profile, a, a + 2, time, how, &out, &error)
    SAYS(GO(ARNE_PROFILE_COUNT, 1, NULL), "there is no profile");
    SAYS(GO(ARNE_PROFILE_CUBIC, 0, NULL), "the duration is 0 s");
    SAYS(GO(ARNE_PROFILE_CUBIC, INFINITY, NULL), "the duration is inf s");
    says(GO(ARNE_PROFILE_S_CURVE, 0, NULL), &error, ARNE_NULL_ARGUMENT,
         "this profile needs limits");
    limits.velocity = none;
    SAYS(GO(ARNE_PROFILE_TRAPEZOIDAL, 0, &limits), "the velocity limit is 0");
    limits.velocity = some;
    limits.acceleration = none;
    SAYS(GO(ARNE_PROFILE_TRAPEZOIDAL, 0, &limits), "the acceleration limit is 0");
    limits.acceleration = some;
    limits.jerk = none;
    SAYS(GO(ARNE_PROFILE_S_CURVE, 0, &limits), "the jerk limit is 0");
    limits.jerk = some;
    assert_ok(GO(ARNE_PROFILE_S_CURVE, 0, &limits));
    arne_table *table = NULL;
    SAYS(arne_trajectory_sample(out, robot, -1, 5, 1, &table, &error), "samples until -1");
    SAYS(arne_trajectory_sample(out, robot, 1, 1, 1, &table, &error), "2 are needed");
    SAYS(arne_trajectory_sample(out, robot, 1, 5, 5, &table, &error), "0 to 4 are there");
    SAYS(arne_trajectory_check_limits(out, robot, NAN, 5, &error), "samples until nan");
    assert_ok(arne_trajectory_sample(out, robot, 1, 5, 4, &table, &error));
    assert_int_equal(arne_table_columns(table), 11);
    arne_table_free(table);
    arne_trajectory_free(out);

    SAYS(arne_trajectory_waypoints(robot, 2, 3, times, a, &out, &error), "degree 2");
    SAYS(arne_trajectory_waypoints(robot, 3, 1, times, a, &out, &error), "1 points are too few");
    SAYS(arne_trajectory_waypoints(robot, 3, 3, late, a, &out, &error), "the first time is 0.1");
    SAYS(arne_trajectory_waypoints(robot, 3, 3, still, a, &out, &error), "does not come after 1");
    SAYS(arne_trajectory_waypoints(robot, 3, 3, times, bad, &out, &error), "point 2");
    SAYS(arne_trajectory_rates(robot, 1, times, a, a, a, &out, &error), "2 are needed");
    SAYS(arne_trajectory_rates(robot, 3, still, a, a, a, &out, &error), "of row 3 does not rise");
    SAYS(arne_trajectory_rates(robot, 3, times, a, bad, a, &out, &error), "row 2 has a number");
    SAYS(arne_trajectory_sinusoid(robot, a, 1, bad + 2, a, a, &out, &error), "frequency nan");
    SAYS(arne_trajectory_sinusoid(robot, a, 1, some, bad + 2, a, &out, &error), "not finite");
    assert_null(out);
    arne_robot_free(robot);
}

static void splines(void **unused)
{
    static const double      breaks[5][5] = {{0.1, 0.2, 0.5, 0.7, 1},
                                             {0, 0.2, 0.5, 0.7, 0.9},
                                             {0, 0.5, 0.2, 0.7, 1},
                                             {0, 0.5, 0.5, 0.5, 1},
                                             {0, 0, 0.5, 0.7, 1}};
    static const char *const texts[5] = {"from 0 to 1", "from 0 to 1", "break 3 is before break 2",
                                         "more than 1 times", "a break is at an end"};
    arne_bspline            *basis = NULL;
    arne_error               error;
    (void)unused;
    for (int i = 0; i < 5; i++)
        SAYS(arne_bspline_new(1, 5, breaks[i], &basis, &error), texts[i]);
    SAYS(arne_bspline_new(-1, 5, NULL, &basis, &error), "it must be 0 to");
    SAYS(arne_bspline_new(64, 99, NULL, &basis, &error), "it must be 0 to");
    SAYS(arne_bspline_new(3, 3, NULL, &basis, &error), "needs at least 4 control points");
    assert_ok(arne_bspline_new(1, 3, NULL, &basis, &error));
    const arne_bspline_condition rising[3] = {{0, 0}, {0.5, 0}, {1, 0}},
                                 falling[3] = {{0, 0}, {1, 0}, {0.5, 0}},
                                 twice[3] = {{0, 0}, {0, 0}, {1, 0}};
    const double value[3] = {1, 2, 3};
    double       control[3];
    SAYS(arne_bspline_fit(basis, 0, rising, value, 1, control, &error), "is not positive");
    SAYS(arne_bspline_fit(basis, 1, falling, value, 1, control, &error),
         "condition 3 is out of order");
    says(arne_bspline_fit(basis, 1, twice, value, 1, control, &error), &error, ARNE_SINGULAR,
         "do not determine the motion");
    assert_ok(arne_bspline_fit(basis, 1, rising, value, 1, control, &error));
    arne_bspline_free(basis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(motors),   cmocka_unit_test(joints),
                                       cmocka_unit_test(links),    cmocka_unit_test(others),
                                       cmocka_unit_test(contacts), cmocka_unit_test(loops),
                                       cmocka_unit_test(beams),    cmocka_unit_test(legs),
                                       cmocka_unit_test(motions),  cmocka_unit_test(splines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
