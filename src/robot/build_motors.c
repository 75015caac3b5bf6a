// Motors and springs of a robot in the making.
//
// A rotor that counts is a body of its own on the link that carries it: a tree with rotors is a
// tree, and no algorithm needs to know more. Its coordinate is the joint's own where the joint is
// rigid, so that one coordinate moves two bodies, and theta where there is a spring between.
#include "base/error.h"
#include "math/lower.h"
#include "robot/build.h"
#include "robot/inertia.h"
#include <math.h>
#include <string.h>

static int build_motors_is_elastic(const arne_motor_spec *m) { return isfinite(m->stiffness); }

// Coupled with joints besides the one that it drives.
static int is_coupled(const build *s, const arne_motor_spec *m)
{
    for (int i = 0; i < s->g.term_count; i++)
        if (s->g.terms[i].motor == m - s->b->motors) return 1;
    return 0;
}

// Elastic joints need the motor's coordinate even where its rotor weighs nothing, and so do coupled
// ones.
static int has_rotor_body(const build *s, const arne_motor_spec *m)
{
    return build_motors_is_elastic(m) || is_coupled(s, m) ||
           (!m->reflected && m->inertia > 0 && !s->j.options->no_rotor);
}

// ---- rules ----

#define FAIL(what, ...) judge_fail(&s->j, ARNE_MODEL, (what)->place, __VA_ARGS__)

// The joint that a motor drives or a spring is on: it must exist and have one coordinate, a motor's
// one of its own.
static arne_status check_joint_of(const build *s, const char *what, const char *name,
                                  const char *joint, int own, arne_place place)
{
    const int k = name_index_find(&s->b->joint_index, joint);
    if (k < 0)
        return judge_fail(&s->j, ARNE_NOT_FOUND, place,
                          "%s '%s' is on joint '%s', which does not exist", what, name, joint);
    const arne_joint_spec *j = &s->b->joints[k];
    const char            *why = NULL;
    if (j->kind == ARNE_JOINT_FIXED)
        why = "which is fixed";
    else if (own && (j->mimic || builder_has_function(s->b, joint)))
        why = "which follows another joint";
    else if (arne_joint_kind_v_count(j->kind) != 1)
        why = "which has more than one coordinate";
    if (!why) return ARNE_OK;
    return judge_fail(&s->j, ARNE_MODEL, place, "%s '%s' is on joint '%s', %s", what, name, joint,
                      why);
}

static arne_status check_motor_numbers(const build *s, const arne_motor_spec *m)
{
    const double numbers[] = {
        m->axis.x,     m->axis.y,  m->axis.z,           m->position.x,      m->position.y,
        m->position.z, m->gear,    m->inertia,          m->transverse,      m->mass,
        m->damping,    m->viscous, m->coulomb_positive, m->coulomb_negative};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!isfinite(numbers[i]))
            return FAIL(m, "motor '%s' has a number that is not finite", m->name);
    if (m->gear == 0) return FAIL(m, "the gear ratio of motor '%s' is 0", m->name);
    if (m->inertia < 0 || m->transverse < 0 || m->mass < 0)
        return FAIL(m, "motor '%s' has a negative mass or inertia", m->name);
    if (!(m->stiffness > 0))
        return FAIL(m, "the stiffness of motor '%s' is %g; it must be positive", m->name,
                    m->stiffness);
    if (m->damping < 0 || m->viscous < 0 || m->coulomb_positive < 0 || m->coulomb_negative < 0)
        return FAIL(m, "motor '%s' has negative damping or friction", m->name);
    if (m->damping > 0 && isinf(m->stiffness))
        return FAIL(m, "motor '%s': damping needs a stiffness; friction is what a rigid drive has",
                    m->name);
    if (!(m->effort >= 0) || !(m->effort_rate >= 0))
        return FAIL(m, "motor '%s' has a negative limit", m->name);
    if (dot(lift(m->axis), lift(m->axis)) < 1e-24)
        return FAIL(m, "motor '%s' has a zero axis", m->name);
    return ARNE_OK;
}

static arne_status build_motors_check_motor(const build *s, int index)
{
    const arne_motor_spec *m = &s->b->motors[index];
    arne_status            status = check_joint_of(s, "motor", m->name, m->joint, 1, m->place);
    if (!status) status = check_motor_numbers(s, m);
    if (status) return status;
    if (m->link && name_index_find(&s->b->body_index, m->link) < 0)
        return judge_fail(&s->j, ARNE_NOT_FOUND, m->place,
                          "motor '%s' is on link '%s', which does not exist", m->name, m->link);
    for (int i = 0; i < index; i++) {
        const arne_motor_spec *other = &s->b->motors[i];
        if (!strcmp(other->joint, m->joint))
            return FAIL(m, "motors '%s' and '%s' both drive joint '%s'", other->name, m->name,
                        m->joint);
        if (!strcmp(other->name, m->name)) return FAIL(m, "two motors are named '%s'", m->name);
    }
    if (is_coupled(s, m) && (isfinite(m->effort) || isfinite(m->effort_rate)))
        return judge_flaw(&s->j, "limit", m->place, 0,
                          "the limits of motor '%s' are not used, as it turns several joints: "
                          "limits of joints are",
                          m->name);
    if (build_motors_is_elastic(m) && m->inertia == 0)
        return judge_flaw(&s->j, "inertia", m->place, 0,
                          "motor '%s' drives an elastic joint but has no rotor inertia", m->name);
    return ARNE_OK;
}

static arne_status check_spring(const build *s, int index)
{
    const arne_spring_spec *p = &s->b->springs[index];
    const arne_status       status = check_joint_of(s, "spring", p->joint, p->joint, 0, p->place);
    if (status) return status;
    const double sum = p->stiffness + p->damping + p->rest + p->stiffness_more[0] +
                       p->stiffness_more[1] + p->damping_more[0] + p->damping_more[1];
    if (!isfinite(sum))
        return FAIL(p, "the spring on joint '%s' has a number that is not finite", p->joint);
    if (p->stiffness < 0 || p->damping < 0)
        return FAIL(p, "the spring on joint '%s' has negative stiffness or damping", p->joint);
    for (int i = 0; i < index; i++)
        if (!strcmp(s->b->springs[i].joint, p->joint))
            return FAIL(p, "joint '%s' has two springs", p->joint);
    return ARNE_OK;
}

arne_status build_check_motors(build *s)
{
    arne_status status = ARNE_OK;
    for (int i = 0; status_goes_on(status) && i < s->b->motor_count; i++)
        status = status_both(status, build_motors_check_motor(s, i));
    for (int i = 0; status_goes_on(status) && i < s->b->spring_count; i++)
        status = status_both(status, check_spring(s, i));
    return status;
}

void build_count_motors(const build *s, arne_robot *r, size_t *names)
{
    r->motor_count = s->b->motor_count;
    r->joint_spring_count = r->spring_count = s->b->spring_count;
    for (int i = 0; i < r->motor_count; i++) {
        const arne_motor_spec *m = &s->b->motors[i];
        const int              rotor = has_rotor_body(s, m), elastic = build_motors_is_elastic(m);
        *names += strlen(m->name) + 1;
        r->body_count += rotor;
        r->tree_q_count += rotor;
        r->tree_v_count += rotor;
        r->theta_count += elastic;
        r->spring_count += elastic;
        r->shares_coordinates |= rotor && !elastic;
    }
    r->q_count += r->theta_count;
    r->v_count += r->theta_count;
}

// ---- filling ----

static vec3 build_motors_unit(arne_vec3 a)
{
    return scale(lift(a), 1 / sqrt(dot(lift(a), lift(a))));
}

static int build_motors_link_of(const build *s, const arne_motor_spec *m)
{
    const int joint = name_index_find(&s->b->joint_index, m->joint);
    return m->link ? name_index_find(&s->b->body_index, m->link) : s->g.parent[joint];
}

// What is left of a link when the rotors that its inertia contains are taken out must still be an
// inertia. `last` is the motor that is taken out last.
static arne_status check_contains(const build *s, int last)
{
    const arne_motor_spec *m = &s->b->motors[last];
    const int              link = build_motors_link_of(s, m);
    arne_body_spec         rest = s->b->bodies[link];
    double                 about_com[6], principal[3], less[3];
    inertia_about_com(&rest, about_com, principal);
    memset(&rest.inertia_axes, 0, sizeof rest.inertia_axes);
    rest.about_origin = 0;
    for (int i = 0; i <= last; i++) {
        const arne_motor_spec *other = &s->b->motors[i];
        if (!other->inertia_included || other->reflected || build_motors_link_of(s, other) != link)
            continue;
        const vec3   a = build_motors_unit(other->axis);
        const double I = other->inertia;
        const double out[6] = {vx(a) * vx(a), vy(a) * vy(a), vz(a) * vz(a),
                               vx(a) * vy(a), vx(a) * vz(a), vy(a) * vz(a)};
        for (int k = 0; k < 6; k++)
            about_com[k] -= I * out[k];
    }
    memcpy(rest.inertia, about_com, sizeof about_com);
    inertia_about_com(&rest, about_com, less);
    if (less[0] >= -1e-6 * principal[2]) return ARNE_OK;
    return FAIL(m,
                "the inertia of link '%s' cannot contain the rotor of motor '%s': without it, a "
                "principal value would be %g kg m^2",
                rest.name, m->name, less[0]);
}

// The rotor as a part of the link: all but its own turning, which a body of its own does, if it
// does.
static void add_to_link(build *s, const arne_motor_spec *m, int spins)
{
    const site *at = &s->sites[build_motors_link_of(s, m)];
    if (!build_counts(s, at->body)) return;
    pose       here = build_aligned(lift(m->axis));
    const pose link = pose_lift(at->at);
    here.p = lift(m->position);
    const pose   in_body = pose_mul(&link, &here);
    const double across = m->inertia_included ? 0 : m->transverse;
    const double along = m->inertia_included ? (spins ? -m->inertia : 0) : (spins ? 0 : m->inertia);
    const double own[6] = {across, across, along, 0, 0, 0};
    body_add_mass(ROBOT_ARRAY(s->r, body, bodies) + at->body, lower_pose(&in_body),
                  m->mass_included ? 0 : m->mass, (arne_vec3){0, 0, 0}, own);
}

static body *build_motors_place_rotor(build *s, const arne_motor_spec *m, int spins)
{
    const site *at = &s->sites[build_motors_link_of(s, m)];
    const pose  link = pose_lift(at->at), aligned = build_aligned(lift(m->axis));
    pose        placement = pose_mul(&link, &aligned);
    placement.p = v3_zero();
    body *b = build_body(s, ARNE_JOINT_ROTOR, spins ? at->body : 0, &placement, m->gear);
    b->joint = s->joint_index[name_index_find(&s->b->joint_index, m->joint)];
    build_dofs(s, b, NULL);
    const arne_pose here = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    const double    own[6] = {0, 0, m->inertia, 0, 0, 0};
    if (spins) body_add_mass(b, here, 0, here.p, own);
    return b;
}

static void build_motors_add_friction(build *s, dof *d, const arne_motor_spec *m)
{
    if (s->j.options->no_friction) return;
    d->viscous += m->viscous;
    d->coulomb += 0.5 * (m->coulomb_positive + m->coulomb_negative);
    d->coulomb_skew += 0.5 * (m->coulomb_positive - m->coulomb_negative);
    s->r->has_friction |= d->viscous != 0 || d->coulomb != 0 || d->coulomb_skew != 0;
}

// The rotor's coordinate in the user's order.
static void add_source(build *s, const body *rotor, int q, int v)
{
    if (!s->r->shares_coordinates) return;
    ROBOT_ARRAY(s->r, source, q_sources)[rotor->q_start] = (source){q, 1, 0};
    ROBOT_ARRAY(s->r, source, v_sources)[rotor->v_start] = (source){v, 1, 0};
}

static arne_motor_info motor_info(const build *s, const arne_motor_spec *m, int joint)
{
    const arne_motor_info info = {.joint = joint,
                                  .link = build_motors_link_of(s, m),
                                  .axis = lower(build_motors_unit(m->axis)),
                                  .position = m->position,
                                  .gear = m->gear,
                                  .inertia = m->inertia,
                                  .transverse = m->transverse,
                                  .mass = m->mass,
                                  .mass_included = m->mass_included,
                                  .inertia_included = m->inertia_included,
                                  .reflected = m->reflected,
                                  .stiffness = m->stiffness,
                                  .damping = m->damping,
                                  .viscous = m->viscous,
                                  .coulomb_positive = m->coulomb_positive,
                                  .coulomb_negative = m->coulomb_negative,
                                  .effort = m->effort,
                                  .effort_rate = m->effort_rate,
                                  .q_index = -1,
                                  .v_index = -1};
    return info;
}

static void build_motors_add_spring(build *s, spring p)
{
    ROBOT_ARRAY(s->r, spring, springs)[s->r->spring_count++] = p;
}

static arne_status place_motor(build *s, const arne_motor_spec *m, motor_record *record)
{
    arne_robot         *r = s->r;
    const int           joint = s->joint_index[name_index_find(&s->b->joint_index, m->joint)];
    const joint_record *driven = robot_joints(r) + joint;
    const body         *moved = robot_bodies(r) + driven->body;
    dof                *dofs = ROBOT_ARRAY(r, dof, dofs), *side = &dofs[moved->v_start];
    const int           body_of_its_own = has_rotor_body(s, m);
    const int           counts = build_motors_is_elastic(m) || !s->j.options->no_rotor;
    const int           spins = body_of_its_own && counts && !m->reflected && m->inertia > 0;
    const arne_status   status =
        m->inertia_included && spins && build_counts(s, s->sites[build_motors_link_of(s, m)].body)
              ? check_contains(s, (int)(m - s->b->motors))
              : ARNE_OK;
    if (status) return status;
    record->name = build_name(s, m->name);
    record->info = motor_info(s, m, joint);
    if (is_coupled(s, m)) record->info.effort = record->info.effort_rate = INFINITY;
    record->axis = m->axis;
    add_to_link(s, m, spins);
    if (body_of_its_own) {
        const body *rotor = build_motors_place_rotor(s, m, spins);
        record->body = s->bodies - 1;
        if (build_motors_is_elastic(m)) {
            side = &dofs[rotor->v_start];
            record->info.q_index = s->q;
            record->info.v_index = s->v;
            add_source(s, rotor, s->q++, s->v++);
            build_motors_add_spring(s, (spring){.q = moved->q_start,
                                                .v = moved->v_start,
                                                .other_q = rotor->q_start,
                                                .other_v = rotor->v_start,
                                                .stiffness = m->stiffness,
                                                .damping = m->damping});
        } else {
            add_source(s, rotor, driven->info.q_start, driven->info.v_start);
            if (is_coupled(s, m)) side = &dofs[rotor->v_start];
        }
        record->own_side = side == &dofs[rotor->v_start];
    }
    build_motors_add_friction(s, side, m);
    if (m->reflected && counts) {
        side->rotor += m->gear * m->gear * m->inertia;
        r->has_rotor |= side->rotor != 0;
    }
    return ARNE_OK;
}

// In the order of the joints.
arne_status build_place_motors(build *s)
{
    arne_robot         *r = s->r;
    const arne_builder *b = s->b;
    arne_status         status = ARNE_OK;
    int                 placed = 0;
    r->spring_count = 0; // counts again as they are added
    r->rotor_start = s->bodies;
    for (int joint = 0; joint < r->joint_count; joint++) {
        for (int i = 0; !status && i < b->motor_count; i++)
            if (s->joint_index[name_index_find(&b->joint_index, b->motors[i].joint)] == joint) {
                s->motor_index[i] = placed;
                status =
                    place_motor(s, &b->motors[i], ROBOT_ARRAY(r, motor_record, motors) + placed++);
            }
    }
    for (int i = 0; !status && i < b->spring_count; i++) {
        const arne_spring_spec *p = &b->springs[i];
        const int               k = s->joint_index[name_index_find(&b->joint_index, p->joint)];
        const body             *moved = robot_bodies(r) + robot_joints(r)[k].body;
        const double           *more = p->stiffness_more, *dmore = p->damping_more;
        const int passive = robot_joints(r)[k].info.v_count && arne_joint_motor(r, k) < 0;
        ROBOT_ARRAY(r, arne_spring_info, joint_springs)
        [i] = (arne_spring_info){k,       p->stiffness,       p->damping,
                                 p->rest, {more[0], more[1]}, {dmore[0], dmore[1]},
                                 passive};
        build_motors_add_spring(
            s, (spring){moved->q_start,
                        moved->v_start,
                        -1,
                        -1,
                        p->stiffness,
                        p->damping,
                        p->rest,
                        {more[0], more[1]},
                        {dmore[0], dmore[1]},
                        more[0] != 0 || more[1] != 0 || dmore[0] != 0 || dmore[1] != 0});
    }
    return status;
}
