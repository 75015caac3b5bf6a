// The builder: what it refuses, what it warns of, and what it keeps.
//
// Every bad robot is a good one with one thing spoilt, and the message must name what was spoilt.
#include "testing.h"

#include <stdio.h>

// A chain: base -j1- upper -j2- lower -j3- hand. Bodies are said on lines 1 to 4, joints on 11 to
// 13.
typedef struct parts {
    arne_body_spec  body[6];
    arne_joint_spec joint[6];
    int             body_count, joint_count;
    const char     *frame_name, *frame_body;
    arne_pose       frame_pose;
} parts;

static parts good_parts(void)
{
    static const char *const links[] = {"base", "upper", "lower", "hand"};
    static const char *const joints[] = {"j1", "j2", "j3"};
    parts p = {.body_count = 4, .joint_count = 3, .frame_name = "tip", .frame_body = "hand"};
    p.frame_pose = pose_identity();
    for (int i = 0; i < 4; i++) {
        const double inertia[6] = {0.1, 0.2, 0.15, 0.01, 0, 0};
        p.body[i] = arne_body_spec_default();
        p.body[i].name = links[i];
        p.body[i].mass = 1;
        p.body[i].place = (arne_place){"robot.yaml", i + 1};
        memcpy(p.body[i].inertia, inertia, sizeof inertia);
    }
    for (int i = 0; i < 3; i++) {
        p.joint[i] = arne_joint_spec_default();
        p.joint[i].name = joints[i];
        p.joint[i].parent = links[i];
        p.joint[i].child = links[i + 1];
        p.joint[i].place = (arne_place){"robot.yaml", i + 11};
    }
    return p;
}

static arne_builder *builder_of(const parts *p)
{
    arne_builder *builder = NULL;
    assert_ok(arne_builder_new(&builder));
    for (int i = 0; i < p->body_count; i++)
        assert_ok(arne_builder_add_body(builder, &p->body[i], NULL));
    for (int i = 0; i < p->joint_count; i++)
        assert_ok(arne_builder_add_joint(builder, &p->joint[i], NULL));
    const arne_place place = {"robot.yaml", 21};
    assert_ok(
        arne_builder_add_frame(builder, p->frame_name, p->frame_body, &p->frame_pose, place, NULL));
    return builder;
}

// ---- impossible robots ----

static void duplicate_link(parts *p) { p->body[2].name = "upper"; }
static void duplicate_joint(parts *p) { p->joint[2].name = "j1"; }
static void duplicate_frame(parts *p) { p->frame_name = "hand"; }
static void missing_parent(parts *p) { p->joint[1].parent = "ghost"; }
static void missing_child(parts *p) { p->joint[1].child = "ghost"; }
static void frame_on_nothing(parts *p) { p->frame_body = "ghost"; }
static void joint_to_frame(parts *p) { p->joint[2].parent = "tip"; }
static void joint_to_itself(parts *p) { p->joint[1].child = "upper"; }
static void cycle_without_root(parts *p)
{
    p->joint[3] = p->joint[0];
    p->joint[3].name = "back";
    p->joint[3].parent = "hand";
    p->joint[3].child = "base";
    p->joint_count = 4;
}
static void cycle_beside_root(parts *p) { p->joint[0].parent = "hand"; }
static void two_roots(parts *p) { p->joint_count = 2; }
static void two_parents(parts *p)
{
    p->joint[3] = p->joint[1];
    p->joint[3].name = "second";
    p->joint[3].parent = "base";
    p->joint_count = 4;
}
static void no_links(parts *p) { p->body_count = p->joint_count = 0; }
static void zero_axis(parts *p) { p->joint[1].axis = v3(0, 0, 0); }
static void axis_nan(parts *p) { p->joint[1].axis.x = NAN; }
static void origin_infinite(parts *p) { p->joint[1].origin.p.y = INFINITY; }
static void tip_nan(parts *p) { p->joint[1].tip.p.z = NAN; }
static void origin_skewed(parts *p) { p->joint[1].origin.R.x.y = 0.5; }
static void origin_mirrored(parts *p) { p->joint[1].origin.R.x.x = -1; }
static void frame_nan(parts *p) { p->frame_pose.p.x = NAN; }
static void limit_nan(parts *p) { p->joint[1].lower = NAN; }
static void limits_crossed(parts *p)
{
    p->joint[1].lower = 1;
    p->joint[1].upper = -1;
}
static void speed_negative(parts *p) { p->joint[1].velocity = -1; }
static void friction_negative(parts *p) { p->joint[1].viscous = -1; }
static void coulomb_nan(parts *p) { p->joint[1].coulomb_positive = NAN; }
static void rotor_negative(parts *p) { p->joint[1].rotor_inertia = -1; }
static void pitch_infinite(parts *p)
{
    p->joint[1].kind = ARNE_JOINT_HELICAL;
    p->joint[1].pitch = INFINITY;
}
static void kind_unknown(parts *p) { p->joint[1].kind = ARNE_JOINT_KIND_COUNT; }
static void mass_negative(parts *p) { p->body[2].mass = -1; }
static void mass_nan(parts *p) { p->body[2].mass = NAN; }
static void com_infinite(parts *p) { p->body[2].com.x = -INFINITY; }
static void inertia_nan(parts *p) { p->body[2].inertia[3] = NAN; }
static void inertia_negative(parts *p) { p->body[2].inertia[0] = -0.1; }
static void inertia_indefinite(parts *p)
{
    p->body[2].inertia[3] = 0.9;
} // the diagonal looks innocent
static void inertia_negative_about_com(parts *p)
{ // positive about the origin, though
    p->body[2].about_origin = 1;
    p->body[2].com = v3(1, 1, 1);
}
static void mimic_itself(parts *p) { p->joint[1].mimic = "j2"; }
static void mimic_missing(parts *p) { p->joint[1].mimic = "ghost"; }
static void mimic_circle(parts *p)
{
    p->joint[1].mimic = "j3";
    p->joint[2].mimic = "j2";
}
static void mimic_ball(parts *p)
{
    p->joint[0].kind = ARNE_JOINT_BALL;
    p->joint[1].mimic = "j1";
}
static void mimic_ratio_nan(parts *p)
{
    p->joint[1].mimic = "j1";
    p->joint[1].mimic_ratio = NAN;
}

typedef struct bad_case {
    void (*spoil)(parts *);
    const char *what, *names; // the message must contain this
    arne_status status;
    int         line; // 0: any
} bad_case;

#define BAD(spoil, names, status, line)                                                            \
    {                                                                                              \
        spoil, #spoil, names, status, line                                                         \
    }

static const bad_case bad_cases[] = {
    BAD(duplicate_link, "upper", ARNE_MODEL, 3),
    BAD(duplicate_joint, "j1", ARNE_MODEL, 13),
    BAD(duplicate_frame, "hand", ARNE_MODEL, 21),
    BAD(missing_parent, "ghost", ARNE_MODEL, 12),
    BAD(missing_child, "ghost", ARNE_MODEL, 12),
    BAD(frame_on_nothing, "ghost", ARNE_MODEL, 21),
    BAD(joint_to_frame, "tip", ARNE_MODEL, 13),
    BAD(joint_to_itself, "upper", ARNE_MODEL, 12),
    BAD(cycle_without_root, "cycle", ARNE_MODEL, 0),
    BAD(cycle_beside_root, "cycle", ARNE_MODEL, 0),
    BAD(two_roots, "hand", ARNE_MODEL, 4),
    BAD(two_parents, "lower", ARNE_MODEL, 12),
    BAD(zero_axis, "j2", ARNE_MODEL, 12),
    BAD(axis_nan, "j2", ARNE_VALUE, 12),
    BAD(origin_infinite, "j2", ARNE_VALUE, 12),
    BAD(tip_nan, "j2", ARNE_VALUE, 12),
    BAD(origin_skewed, "j2", ARNE_VALUE, 12),
    BAD(origin_mirrored, "j2", ARNE_VALUE, 12),
    BAD(frame_nan, "tip", ARNE_VALUE, 21),
    BAD(limit_nan, "j2", ARNE_VALUE, 12),
    BAD(limits_crossed, "j2", ARNE_MODEL, 12),
    BAD(speed_negative, "j2", ARNE_MODEL, 12),
    BAD(friction_negative, "j2", ARNE_MODEL, 12),
    BAD(coulomb_nan, "j2", ARNE_VALUE, 12),
    BAD(rotor_negative, "j2", ARNE_MODEL, 12),
    BAD(pitch_infinite, "j2", ARNE_VALUE, 12),
    BAD(kind_unknown, "j2", ARNE_VALUE, 12),
    BAD(mass_negative, "lower", ARNE_MODEL, 3),
    BAD(mass_nan, "lower", ARNE_VALUE, 3),
    BAD(com_infinite, "lower", ARNE_VALUE, 3),
    BAD(inertia_nan, "lower", ARNE_VALUE, 3),
    BAD(inertia_negative, "lower", ARNE_MODEL, 3),
    BAD(inertia_indefinite, "lower", ARNE_MODEL, 3),
    BAD(inertia_negative_about_com, "lower", ARNE_MODEL, 3),
    BAD(mimic_itself, "j2", ARNE_MODEL, 12),
    BAD(mimic_missing, "ghost", ARNE_MODEL, 12),
    BAD(mimic_circle, "j2", ARNE_MODEL, 12),
    BAD(mimic_ball, "j2", ARNE_MODEL, 12),
    BAD(mimic_ratio_nan, "j2", ARNE_VALUE, 12),
};

static void bad_robots_are_refused(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof bad_cases / sizeof *bad_cases; i++) {
        const bad_case *c = &bad_cases[i];
        parts           p = good_parts();
        c->spoil(&p);
        arne_builder     *builder = builder_of(&p);
        arne_robot       *robot = (arne_robot *)&p; // must become NULL
        arne_error        error = {0};
        const arne_status status = arne_builder_finish(builder, NULL, &robot, &error);

        if (status != c->status)
            fail_msg("%s: \"%s\", %s", c->what, arne_status_text(status), error.text);
        if (!strstr(error.text, c->names))
            fail_msg("%s: no \"%s\" in \"%s\"", c->what, c->names, error.text);
        if (c->line && error.line != c->line)
            fail_msg("%s: line %d, not %d", c->what, error.line, c->line);
        if (c->line) assert_string_equal(error.file, "robot.yaml");
        assert_int_equal(error.code, status);
        assert_null(robot);
        assert_status(arne_builder_finish(builder, NULL, &robot, NULL),
                      c->status); // error may be NULL
        arne_builder_free(builder);
    }
}

static void a_robot_needs_a_link(void **unused)
{
    (void)unused;
    arne_builder *builder = NULL;
    arne_robot   *robot = NULL;
    arne_error    error = {0};
    assert_ok(arne_builder_new(&builder));
    assert_status(arne_builder_finish(builder, NULL, &robot, &error), ARNE_MODEL);
    assert_non_null(strstr(error.text, "no links"));
    arne_builder_free(builder);

    // one link without joints is a robot, though not one that moves
    parts p = good_parts();
    no_links(&p);
    p.body_count = 1;
    p.frame_body = "base";
    builder = builder_of(&p);
    robot = finish(builder, NULL);
    const arne_sizes size = arne_robot_sizes(robot);
    assert_int_equal(size.v_count, 0);
    assert_int_equal(size.body_count, 1);
    assert_int_equal(size.frame_count, 2);
    arne_robot_free(robot);
    arne_builder_free(builder);
}

// ---- imperfect robots ----

typedef struct heard {
    int  count, accepted, line;
    char rule[32], text[512];
} heard;

static void listen(void *context, const arne_warning *w)
{
    heard *h = context;
    h->count++;
    h->accepted += w->accepted != 0;
    h->line = w->line;
    snprintf(h->rule, sizeof h->rule, "%s", w->rule);
    snprintf(h->text, sizeof h->text, "%s", w->text);
}

static void axis_long(parts *p) { p->joint[1].axis = v3(0, 0, 2); }
static void triangle_broken(parts *p) { p->body[2].inertia[1] = 0.5; }
static void nothing_behind(parts *p)
{
    p->body[3].mass = 0;
    memset(p->body[3].inertia, 0, sizeof p->body[3].inertia);
}
static void mimic_fixed(parts *p)
{
    p->joint[1].kind = ARNE_JOINT_FIXED;
    p->joint[1].mimic = "j1";
}

static const struct flawed_case {
    void (*spoil)(parts *);
    const char *rule, *names;
    int         line;
    unsigned    accept; // how a body accepts it by name, 0 where that is impossible
    int         accepted_by;
} flawed_cases[] = {
    {axis_long, "axis", "j2", 12, 0, 0},
    {triangle_broken, "triangle", "lower", 3, ARNE_ACCEPT_TRIANGLE, 2},
    {nothing_behind, "inertia", "j3", 13, ARNE_ACCEPT_INERTIA, 3},
    {mimic_fixed, "mimic", "j2", 12, 0, 0},
};

static void check_flaw(const struct flawed_case *c)
{
    parts p = good_parts();
    c->spoil(&p);
    heard                    h = {0};
    const arne_build_options loud = {.warn = listen, .warn_context = &h};
    const arne_build_options strict = {.strict = 1, .warn = listen, .warn_context = &h};
    arne_builder            *builder = builder_of(&p);
    arne_error               error = {0};

    arne_robot *robot = finish(builder, &loud);
    assert_int_equal(h.count, 1);
    assert_int_equal(h.accepted, 0);
    assert_int_equal(h.line, c->line);
    assert_string_equal(h.rule, c->rule);
    assert_non_null(strstr(h.text, c->names));
    arne_robot_free(robot);

    assert_status(arne_builder_finish(builder, &strict, &robot, &error), ARNE_STRICT);
    assert_null(robot);
    assert_int_equal(error.line, c->line);
    assert_non_null(strstr(error.text, c->names));
    arne_builder_free(builder);

    robot = NULL;
    if (!c->accept) return;
    h = (heard){0};
    p.body[c->accepted_by].accept = c->accept;
    builder = builder_of(&p);
    robot = finish(builder, &strict); // what the file accepts is reported and is no error, even so
    assert_int_equal(h.count, 1);
    assert_int_equal(h.accepted, 1);
    assert_string_equal(h.rule, c->rule);
    arne_robot_free(robot);
    arne_builder_free(builder);
}

static void imperfect_robots_are_warned_of(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof flawed_cases / sizeof *flawed_cases; i++)
        check_flaw(&flawed_cases[i]);
}

static void good_robots_are_silent(void **unused)
{
    (void)unused;
    heard                    h = {0};
    const arne_build_options strict = {.strict = 1, .warn = listen, .warn_context = &h};
    parts                    p = good_parts();
    p.body[1].mass = 0; // massless with mass behind it is normal
    memset(p.body[1].inertia, 0, sizeof p.body[1].inertia);
    p.body[2].inertia[0] = 1.0000001e-1; // the rounding of a file is not held against it
    nothing_behind(&p);
    p.joint[2].rotor_inertia = 0.1; // a rotor is inertia enough
    arne_builder *builder = builder_of(&p);
    arne_robot   *robot = finish(builder, &strict);
    assert_int_equal(h.count, 0);
    arne_robot_free(robot);
    arne_builder_free(builder);
}

// A flaw that a reader saw comes out at the end, like the builder's own.
static void readers_can_warn(void **unused)
{
    (void)unused;
    heard                    h = {0};
    const arne_build_options loud = {.warn = listen, .warn_context = &h}, strict = {.strict = 1};
    parts                    p = good_parts();
    arne_builder            *builder = builder_of(&p);
    const arne_place         place = {"robot.urdf", 77};
    assert_ok(arne_builder_warn(builder, "unknown", place, "the tag 'paint' is not known"));
    arne_robot *robot = finish(builder, &loud);
    assert_int_equal(h.count, 1);
    assert_int_equal(h.line, 77);
    assert_string_equal(h.rule, "unknown");
    assert_non_null(strstr(h.text, "paint"));
    arne_robot_free(robot);
    assert_status(arne_builder_finish(builder, &strict, &robot, NULL), ARNE_STRICT);
    arne_builder_free(builder);
}

// A long axis is used as a unit vector: the robot is the one that the file meant.
static void long_axes_are_normalised(void **unused)
{
    (void)unused;
    parts         p = good_parts();
    arne_builder *unit = builder_of(&p);
    axis_long(&p);
    arne_builder *longer = builder_of(&p);
    arne_robot   *a = finish(unit, NULL), *b = finish(longer, NULL);
    arne_work    *work_a = new_work(a), *work_b = new_work(b);
    const state   s = random_state(a, 1);
    double        tau_a[3], tau_b[3];
    arne_inverse_dynamics(a, work_a, s.q, s.qd, s.qdd, NULL, tau_a);
    arne_inverse_dynamics(b, work_b, s.q, s.qd, s.qdd, NULL, tau_b);
    assert_close(&s, "torques with a long axis", tau_b, tau_a, 3, 1e-14);
    arne_work_free(work_a);
    arne_work_free(work_b);
    arne_robot_free(a);
    arne_robot_free(b);
    arne_builder_free(unit);
    arne_builder_free(longer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_robots_are_refused),
        cmocka_unit_test(a_robot_needs_a_link),
        cmocka_unit_test(imperfect_robots_are_warned_of),
        cmocka_unit_test(good_robots_are_silent),
        cmocka_unit_test(readers_can_warn),
        cmocka_unit_test(long_axes_are_normalised),
    };
    return cmocka_run_group_tests_name("builder", tests, NULL, NULL);
}
