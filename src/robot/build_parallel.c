// Parallel robots: a platform and legs become bodies, joints and loops of the builder.
#include "base/error.h"
#include "math/lower.h"
#include "math/rotation.h"
#include "robot/builder.h"
#include "robot/leg.h"
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 128 };

typedef struct template_joint {
    const char     *joint, *link;
    arne_joint_kind kind;
    double          x, y, z; // axis
    int             active;
} template_joint;

static const template_joint *template_of(arne_leg_kind kind)
{
    static const template_joint length[] = {{"turn", "cross", ARNE_JOINT_CONTINUOUS, 0, 1, 0, 0},
                                            {"tilt", "cylinder", ARNE_JOINT_CONTINUOUS, 1, 0, 0, 0},
                                            {"slide", "rod", ARNE_JOINT_PRISMATIC, 0, 0, 1, 1}};
    static const template_joint RUS[] = {{"crank", "crank", ARNE_JOINT_CONTINUOUS, 0, 1, 0, 1},
                                         {"turn", "cross", ARNE_JOINT_CONTINUOUS, 0, 1, 0, 0},
                                         {"tilt", "rod", ARNE_JOINT_CONTINUOUS, 1, 0, 0, 0}};
    static const template_joint PUS[] = {{"slide", "carriage", ARNE_JOINT_PRISMATIC, 0, 0, 1, 1},
                                         {"turn", "cross", ARNE_JOINT_CONTINUOUS, 0, 1, 0, 0},
                                         {"tilt", "rod", ARNE_JOINT_CONTINUOUS, 1, 0, 0, 0}};
    static const template_joint RRR[] = {{"crank", "crank", ARNE_JOINT_CONTINUOUS, 0, 0, 1, 1},
                                         {"elbow", "rod", ARNE_JOINT_CONTINUOUS, 0, 0, 1, 0}};
    switch (kind) {
    case ARNE_LEG_RUS:
        return RUS;
    case ARNE_LEG_PUS:
        return PUS;
    case ARNE_LEG_RRR:
        return RRR;
    default:
        return length;
    }
}

arne_parallel_spec arne_parallel_spec_default(arne_leg_kind kind)
{
    const arne_pose       identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    arne_parallel_spec    spec;
    const template_joint *t = template_of(kind);
    memset(&spec, 0, sizeof spec);
    spec.base = "base";
    spec.platform.name = "platform";
    spec.motion = kind == ARNE_LEG_RRR ? ARNE_JOINT_PLANAR : ARNE_JOINT_FREE;
    spec.home = spec.end = identity;
    spec.kind = kind;
    spec.slide.z = spec.tie_axis.z = 1;
    spec.elbow = 1;
    spec.tie = kind == ARNE_LEG_RRR   ? ARNE_LOOP_PLANAR_POINT
               : kind == ARNE_LEG_UPU ? ARNE_LOOP_UNIVERSAL
                                      : ARNE_LOOP_BALL;
    spec.joint_count = leg_coordinates(kind);
    for (int i = 0; i < ARNE_LEG_JOINTS; i++) {
        arne_leg_joint *j = &spec.joints[i];
        j->joint = arne_joint_spec_default();
        j->body = arne_body_spec_default();
        if (i >= spec.joint_count) continue;
        j->joint.name = t[i].joint;
        j->body.name = t[i].link;
        j->joint.kind = t[i].kind;
        j->joint.axis = (arne_vec3){t[i].x, t[i].y, t[i].z};
        j->joint.actuation = t[i].active ? ARNE_ACTUATION_ACTIVE : ARNE_ACTUATION_PASSIVE;
    }
    return spec;
}

static const char *prefix_of(const arne_parallel_spec *s) { return s->prefix ? s->prefix : ""; }

// ---- checks ----

static arne_status build_parallel_refuse(const arne_parallel_spec *s, arne_error *error,
                                         const char *why)
{
    return arne_fail(error, ARNE_MODEL, s->place.file, s->place.line, "parallel: %s", why);
}

static int build_parallel_positive(double x) { return x > 0 && isfinite(x); }

static arne_status check_geometry(const arne_parallel_spec *s, arne_error *error)
{
    const double slide =
        s->slide.x * s->slide.x + s->slide.y * s->slide.y + s->slide.z * s->slide.z;
    const int cranked = s->kind == ARNE_LEG_RUS || s->kind == ARNE_LEG_RRR;
    if (cranked && !build_parallel_positive(s->crank))
        return build_parallel_refuse(s, error, "the crank must be longer than 0");
    if ((cranked || s->kind == ARNE_LEG_PUS) && !build_parallel_positive(s->rod))
        return build_parallel_refuse(s, error, "the rod must be longer than 0");
    if (s->kind == ARNE_LEG_PUS && !build_parallel_positive(slide))
        return build_parallel_refuse(s, error, "the slide must not be zero");
    if (s->elbow != 1 && s->elbow != -1)
        return build_parallel_refuse(s, error, "the elbow must be 1 or -1");
    if ((s->kind == ARNE_LEG_RRR) != (s->motion == ARNE_JOINT_PLANAR) && s->kind != ARNE_LEG_CHAIN)
        return build_parallel_refuse(
            s, error, "RRR legs carry a platform that moves in a plane, and no others do");
    return ARNE_OK;
}

static arne_status build_parallel_check_spec(const arne_parallel_spec *s, arne_error *error)
{
    if (s->kind <= ARNE_LEG_NONE || s->kind >= ARNE_LEG_KIND_COUNT)
        return build_parallel_refuse(s, error, "the legs have an unknown kind");
    if (s->motion != ARNE_JOINT_FREE && s->motion != ARNE_JOINT_PLANAR &&
        s->motion != ARNE_JOINT_PRISMATIC)
        return build_parallel_refuse(
            s, error, "the platform's motion is free, planar or prismatic (translations)");
    if (s->leg_count < 1) return build_parallel_refuse(s, error, "there are no legs");
    if (s->joint_count < 1 || s->joint_count > ARNE_LEG_JOINTS)
        return build_parallel_refuse(s, error, "a leg has 1 to 6 joints");
    if (s->prefix && strlen(s->prefix) > NAME_SIZE / 4)
        return build_parallel_refuse(s, error, "the prefix of names is too long");
    if (strlen(s->platform.name) > NAME_SIZE / 2)
        return build_parallel_refuse(s, error, "the platform's name is too long");
    int active = 0;
    for (int i = 0; i < s->joint_count; i++) {
        const arne_leg_joint *j = &s->joints[i];
        if (!j->joint.name || !j->body.name || strlen(j->joint.name) > NAME_SIZE / 2 ||
            strlen(j->body.name) > NAME_SIZE / 2)
            return build_parallel_refuse(
                s, error, "a joint or link of a leg has no name, or one that is too long");
        active += j->joint.actuation == ARNE_ACTUATION_ACTIVE;
    }
    if (!active) return build_parallel_refuse(s, error, "no joint of a leg is active");
    return check_geometry(s, error);
}

// ---- the platform ----

static void set_home(const arne_parallel_spec *s, arne_joint_spec *joint)
{
    const pose home = pose_lift(s->home);
    const vec3 angle = rotation_log(home.R);
    joint->starts[0] = s->home.p.x;
    joint->starts[1] = s->home.p.y;
    joint->starts[2] = s->motion == ARNE_JOINT_PLANAR ? vz(angle) : s->home.p.z;
    if (s->motion == ARNE_JOINT_FREE) quaternion_exp(angle, joint->starts + 3);
}

static arne_status add_platform_joint(arne_builder *b, const arne_parallel_spec *s,
                                      arne_error *error)
{
    char            name[NAME_SIZE];
    arne_joint_spec joint = arne_joint_spec_default();
    snprintf(name, sizeof name, "%s_motion", s->platform.name);
    joint.name = name;
    joint.kind = s->motion;
    joint.parent = s->base;
    joint.child = s->platform.name;
    joint.actuation = ARNE_ACTUATION_PASSIVE;
    joint.place = s->place;
    set_home(s, &joint);
    return arne_builder_add_joint(b, &joint, error);
}

// Three slides, with massless stages between them; the platform keeps the home's turn.
static arne_status add_translations(arne_builder *b, const arne_parallel_spec *s, arne_error *error)
{
    const double home[3] = {s->home.p.x, s->home.p.y, s->home.p.z};
    char         names[3][NAME_SIZE], links[3][NAME_SIZE];
    arne_status  status = ARNE_OK;
    for (int i = 0; i < 3 && !status; i++) {
        arne_joint_spec joint = arne_joint_spec_default();
        arne_body_spec  stage = arne_body_spec_default();
        snprintf(names[i], sizeof names[i], "%s_%c", s->platform.name, 'x' + i);
        snprintf(links[i], sizeof links[i], "%s_stage_%c", s->platform.name, 'x' + i);
        joint.name = names[i];
        joint.kind = ARNE_JOINT_PRISMATIC;
        joint.parent = i ? links[i - 1] : s->base;
        joint.child = i < 2 ? links[i] : s->platform.name;
        joint.axis = (arne_vec3){i == 0, i == 1, i == 2};
        joint.actuation = ARNE_ACTUATION_PASSIVE;
        joint.start = home[i];
        if (i == 2) joint.tip.R = s->home.R;
        joint.place = stage.place = s->place;
        stage.name = links[i];
        if (i < 2) status = arne_builder_add_body(b, &stage, error);
        if (!status) status = arne_builder_add_joint(b, &joint, error);
    }
    return status;
}

static arne_status add_platform(arne_builder *b, const arne_parallel_spec *s, arne_error *error)
{
    arne_body_spec base = arne_body_spec_default();
    arne_status    status = ARNE_OK;
    if (arne_builder_get_body(b, s->base, &base) != ARNE_OK) {
        base.name = s->base;
        base.place = s->place;
        status = arne_builder_add_body(b, &base, error);
    }
    if (!status) status = arne_builder_add_body(b, &s->platform, error);
    if (status) return status;
    return s->motion == ARNE_JOINT_PRISMATIC ? add_translations(b, s, error)
                                             : add_platform_joint(b, s, error);
}

// ---- legs ----

static pose leg_frame(const arne_parallel_spec *s, int i)
{
    const arne_vec3 p = s->base_points[i];
    const double    angle = s->angles ? s->angles[i] : atan2(p.y, p.x);
    const double    c = cos(angle), n = sin(angle);
    return pose_from(m3(v3(c, n, 0), v3(-n, c, 0), v3(0, 0, 1)), lift(p));
}

// Where the joints of leg i start, so that it ends at its platform point at home.
static arne_status solve_home(const arne_parallel_spec *s, const arne_leg *leg, int i, double *q,
                              arne_error *error)
{
    const pose frame = pose_lift(leg->base), home = pose_lift(s->home);
    const vec3 p = add(home.p, rot(home.R, lift(s->platform_points[i])));
    if (s->kind == ARNE_LEG_CHAIN) return ARNE_OK;
    if (leg_solve(leg, lower(into(&frame, sub(p, frame.p))), s->elbow, q)) return ARNE_OK;
    return arne_fail(error, ARNE_MODEL, s->place.file, s->place.line,
                     "parallel: leg %d cannot reach the platform at its home", i + 1);
}

static arne_leg make_leg(const arne_parallel_spec *s, int i)
{
    const pose   frame = leg_frame(s, i);
    const vec3   slide = lift(s->slide);
    const double length = sqrt(dot(slide, slide));
    arne_leg leg = {.kind = s->kind, .base = lower_pose(&frame), .crank = s->crank, .rod = s->rod};
    if (s->kind == ARNE_LEG_PUS) leg.slide = lower(scale(slide, 1 / length));
    return leg;
}

static arne_status add_leg_joint(arne_builder *b, const arne_parallel_spec *s, const arne_leg *leg,
                                 int i, int k, double start, arne_error *error)
{
    arne_joint_spec joint = s->joints[k].joint;
    arne_body_spec  body = s->joints[k].body;
    char            name[NAME_SIZE], parent[NAME_SIZE], child[NAME_SIZE];
    snprintf(name, sizeof name, "%sleg%d_%s", prefix_of(s), i + 1, joint.name);
    snprintf(child, sizeof child, "%sleg%d_%s", prefix_of(s), i + 1, body.name);
    if (k)
        snprintf(parent, sizeof parent, "%sleg%d_%s", prefix_of(s), i + 1,
                 s->joints[k - 1].body.name);
    joint.name = name;
    joint.parent = k ? parent : s->base;
    joint.child = body.name = child;
    if (s->kind == ARNE_LEG_PUS && k == 0) joint.axis = leg->slide;
    if ((s->kind == ARNE_LEG_RUS || s->kind == ARNE_LEG_RRR) && k == 1) joint.origin.p.x = s->crank;
    if (k == 0) {
        const pose frame = pose_lift(leg->base), own = pose_lift(joint.origin);
        const pose at = pose_mul(&frame, &own);
        joint.origin = lower_pose(&at);
    }
    if (s->kind != ARNE_LEG_CHAIN) joint.start = start;
    if (joint.actuation != ARNE_ACTUATION_ACTIVE) joint.actuation = ARNE_ACTUATION_PASSIVE;
    joint.place = body.place = s->place;
    const arne_status status = arne_builder_add_body(b, &body, error);
    return status ? status : arne_builder_add_joint(b, &joint, error);
}

static arne_status add_tie(arne_builder *b, const arne_parallel_spec *s, const arne_leg *leg, int i,
                           arne_error *error)
{
    arne_loop_spec loop = arne_loop_spec_default();
    char           name[NAME_SIZE], last[NAME_SIZE];
    const pose     home = pose_lift(s->home), frame = pose_lift(leg->base);
    const mat3     T = transpose(home.R); // the leg's axes, as the platform has them at home
    const pose     at = pose_from(m3(rot(T, frame.R.x), rot(T, frame.R.y), rot(T, frame.R.z)),
                                  lift(s->platform_points[i]));
    snprintf(name, sizeof name, "%sleg%d_end", prefix_of(s), i + 1);
    snprintf(last, sizeof last, "%sleg%d_%s", prefix_of(s), i + 1,
             s->joints[s->joint_count - 1].body.name);
    loop.name = name;
    loop.kind = s->tie;
    loop.axis = s->tie_axis;
    loop.predecessor = last;
    loop.predecessor_origin = s->end;
    if (s->kind == ARNE_LEG_RUS || s->kind == ARNE_LEG_PUS) loop.predecessor_origin.p.z = s->rod;
    if (s->kind == ARNE_LEG_RRR) loop.predecessor_origin.p.x = s->rod;
    loop.successor = s->platform.name;
    loop.successor_origin = lower_pose(&at);
    loop.leg = *leg;
    loop.leg_link = s->base;
    loop.place = s->place;
    return arne_builder_add_loop(b, &loop, error);
}

arne_status arne_builder_add_parallel(arne_builder *builder, const arne_parallel_spec *spec,
                                      arne_error *error)
{
    if (!builder || !spec || !spec->base || !spec->platform.name || !spec->base_points ||
        !spec->platform_points)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    arne_status        status = build_parallel_check_spec(spec, error);
    arne_parallel_spec own = *spec;
    char               platform[NAME_SIZE];
    snprintf(platform, sizeof platform, "%s%s", prefix_of(spec), spec->platform.name);
    own.platform.name = platform;
    spec = &own;
    if (!status) status = add_platform(builder, spec, error);
    for (int i = 0; i < spec->leg_count && !status; i++) {
        const arne_leg leg = make_leg(spec, i);
        double         q[LEG_COORDINATES] = {0};
        status = solve_home(spec, &leg, i, q, error);
        for (int k = 0; k < spec->joint_count && !status; k++)
            status =
                add_leg_joint(builder, spec, &leg, i, k, k < LEG_COORDINATES ? q[k] : 0, error);
        if (!status) status = add_tie(builder, spec, &leg, i, error);
    }
    return status;
}
