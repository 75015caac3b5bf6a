// Actuators: which joints are driven, how hard, and the rotors behind them.
//
// The force of an actuator is gain u + bias, times its gear at the joint. Its limit at the joint is
// that of the force, or of u where there is no bias; limits of several actuators add up.
#include "base/error.h"
#include "io/formats/mjcf.h"
#include "io/poses.h"
#include "robot/builder.h"
#include <math.h>
#include <string.h>

// The largest force, before the gear; INFINITY: not limited.
static arne_status actuator_push(mjcf *m, const mjcf_place *at, const xml_node *node,
                                 const mjcf_class *class, double *push)
{
    double            force[2] = {0}, control[2] = {0}, gain[10] = {1};
    int               forces, controls;
    const char       *bias = mjcf_get(node, class, "biastype");
    const mjcf_want   wants[] = {{"forcerange", 2, 2, force, &forces},
                                 {"ctrlrange", 2, 2, control, &controls},
                                 {"gainprm", 1, 10, gain, NULL},
                                 {0}};
    const arne_status status = mjcf_read_all(m, node, class, wants);
    *push = INFINITY;
    if (strcmp(node->tag, "motor") == 0) gain[0] = 1;
    const int direct = strcmp(node->tag, "motor") == 0 ||
                       (strcmp(node->tag, "general") == 0 && (!bias || mjcf_is(bias, "none")));
    if (direct && mjcf_is_limited(at, node, class, "ctrllimited", controls > 0))
        *push = fabs(gain[0]) * fmax(fabs(control[0]), fabs(control[1]));
    if (mjcf_is_limited(at, node, class, "forcelimited", forces > 0))
        *push = fmin(*push, fmax(fabs(force[0]), fabs(force[1])));
    return status;
}

// What holds a position or speed, before the gear: force = kp (u - q) + kd (u' - qd).
static arne_status actuator_servo(mjcf *m, const xml_node *node, const mjcf_class *class,
                                  robot_servo *out)
{
    const int speed = strcmp(node->tag, "velocity") == 0;
    double    gain[10] = {1}, bias[10] = {0}, kp = 0, kv = 0;
    int       kps, kvs;
    *out = (robot_servo){0};
    const mjcf_want   wants[] = {{"gainprm", 1, 10, gain, NULL},
                                 {"biasprm", 1, 10, bias, NULL},
                                 {"kp", 1, 1, &kp, &kps},
                                 {"kv", 1, 1, &kv, &kvs},
                                 {"dampratio", 1, 1, &out->ratio, NULL},
                                 {0}};
    const arne_status status = mjcf_read_all(m, node, class, wants);
    if (strcmp(node->tag, "position") == 0 || strcmp(node->tag, "intvelocity") == 0) {
        out->kp = kps ? kp : gain[0];
        out->kd = kv;
    } else if (speed) {
        out->kd = kvs ? kv : gain[0];
    } else if (strcmp(node->tag, "general") == 0 &&
               mjcf_is(mjcf_get(node, class, "biastype"), "affine")) {
        out->kp = -bias[1];
        out->kd = -bias[2];
    }
    if (kvs || out->kp == 0) out->ratio = 0;
    return status;
}

// At the joint.
static arne_status actuator_add_servo(mjcf *m, const xml_node *node, const mjcf_class *class,
                                      const mjcf_joint *joint, double gear)
{
    robot_servo servo;
    arne_status status = actuator_servo(m, node, class, &servo);
    if (status || !m->r->poses || arne_joint_kind_v_count(joint->kind) != 1) return status;
    if (servo.kp == 0 && servo.kd == 0) return ARNE_OK;
    servo.joint = (char *)(size_t)joint->name; // copied
    servo.kp *= gear * gear;
    servo.kd *= gear * gear;
    return robot_poses_add_servo(m->r->poses, servo) ? ARNE_OK : arne_fail_memory(m->r->error);
}

static arne_status actuate(mjcf *m, const xml_node *node, const mjcf_class *class, int joint,
                           double gear, double push)
{
    mjcf_joint     *j = &m->joints[joint];
    double          armature = 0, damping[3] = {0};
    const mjcf_want wants[] = {
        {"armature", 1, 1, &armature, NULL}, {"damping", 1, 3, damping, NULL}, {0}};
    arne_status status = mjcf_read_all(m, node, class, wants);
    if (!status && (damping[1] != 0 || damping[2] != 0))
        status = xml_node_warn(m->r, "mjcf", node, "damping of <%s> is taken as a line", node->tag);
    j->push = (j->driven ? j->push : 0) + fabs(gear) * push;
    j->driven = 1;
    if (j->index < 0 || status) return status;
    arne_joint_spec *spec = &m->r->builder->joints[j->index];
    spec->rotor_inertia += gear * gear * armature;
    spec->viscous += gear * gear * damping[0];
    return ARNE_OK;
}

// A tendon with joints drives all of them, each with its coefficient.
static arne_status actuate_tendon(mjcf *m, const mjcf_place *at, const xml_node *node,
                                  const mjcf_class *class, const xml_node *tendon, double gear,
                                  double push)
{
    arne_status status = ARNE_OK;
    if (strcmp(tendon->tag, "spatial") == 0 && !m->pulls++) m->first_pull = node;
    for (const xml_node *k = tendon->first; k && !status; k = k->next) {
        const char *name = xml_node_get(k, "joint"), *full = name ? mjcf_name(m, at, name) : NULL;
        double      coef = 1;
        if (name && !full) return ARNE_NO_MEMORY;
        const int joint = full ? mjcf_find_joint(m, full) : -1;
        if (joint < 0) continue;
        status = mjcf_number(m, k, NULL, "coef", &coef);
        if (!status) status = actuate(m, node, class, joint, gear * coef, push);
    }
    return status;
}

static arne_status read_actuator(mjcf *m, const mjcf_place *at, const xml_node *node)
{
    const char *joint = xml_node_get(node, "joint"), *tendon = xml_node_get(node, "tendon");
    double      gear[6] = {1}, push;
    mjcf_class *class = NULL;
    if (!joint) joint = xml_node_get(node, "jointinparent");
    arne_status status = mjcf_class_of(m, at, node, &class);
    status = status_both(status, mjcf_numbers(m, node, class, "gear", 1, 6, gear, NULL));
    status = status_both(status, actuator_push(m, at, node, class, &push));
    if (status) return status;
    if (tendon) {
        const xml_node *t = mjcf_find_tendon(node->parent->parent, tendon);
        return t ? actuate_tendon(m, at, node, class, t, gear[0], push)
                 : xml_node_fail(m->r, ARNE_NOT_FOUND, node, "<%s>: there is no tendon '%.80s'",
                                 node->tag, tendon);
    }
    if (!joint) return ARNE_OK;
    const char *full = mjcf_name(m, at, joint);
    if (!full) return ARNE_NO_MEMORY;
    const int index = mjcf_find_joint(m, full);
    if (index < 0 && at->model != m->models) return ARNE_OK; // of what was not attached
    if (index < 0)
        return xml_node_fail(m->r, ARNE_NOT_FOUND, node, "<%s>: there is no joint '%.80s'",
                             node->tag, joint);
    status = actuate(m, node, class, index, gear[0], push);
    return status ? status : actuator_add_servo(m, node, class, &m->joints[index], gear[0]);
}

arne_status mjcf_actuators(mjcf *m, const mjcf_place *at, const xml_node *root)
{
    return mjcf_each(m, at, root, "actuator", NULL, read_actuator);
}

// A joint on a spring that no motor drives would be passive.
static arne_status drive_spring(mjcf *m, const arne_joint_spec *spec)
{
    arne_builder   *b = m->r->builder;
    arne_motor_spec motor = arne_motor_spec_default();
    int             i = 0;
    while (i < b->spring_count && strcmp(b->springs[i].joint, spec->name) != 0)
        i++;
    if (i == b->spring_count) return ARNE_OK;
    motor.joint = spec->name;
    motor.place = spec->place;
    return arne_reader_check(m->r, arne_builder_add_motor(b, &motor, m->r->error),
                             spec->place.line);
}

// In a robot with loops somebody must say which joints are driven.
arne_status mjcf_finish_actuators(mjcf *m)
{
    arne_status status = ARNE_OK;
    int         any = 0;
    for (int i = 0; i < m->joint_count && !status; i++) {
        const mjcf_joint *j = &m->joints[i];
        if (!j->driven || j->index < 0) continue;
        arne_joint_spec *spec = &m->r->builder->joints[j->index];
        if (arne_joint_kind_v_count(spec->kind) == 1 && !mjcf_follows(m, i))
            status = drive_spring(m, spec);
        if (j->push > 0) spec->effort = fmin(spec->effort, j->push);
        if (m->loops && !mjcf_follows(m, i)) spec->actuation = ARNE_ACTUATION_ACTIVE;
        any |= spec->actuation == ARNE_ACTUATION_ACTIVE;
    }
    for (int i = 0; i < m->r->builder->joint_count && m->loops && !any; i++)
        m->r->builder->joints[i].actuation = ARNE_ACTUATION_PASSIVE;
    return status;
}

// Where actuators hold weight, it is not a passive force: of a body behind such joints alone
// nothing is left of it.
arne_status mjcf_compensate(mjcf *m)
{
    arne_status status = ARNE_OK;
    int         mixed = 0;
    for (int i = 0; i < m->body_count && !status; i++) {
        arne_body_spec *spec = &m->r->builder->bodies[m->bodies[i].link];
        int             by_actuators = 0, others = 0;
        if (spec->gravity_compensation == 0) continue;
        for (int b = i; b >= 0; b = m->bodies[b].parent)
            for (int k = 0; k < m->joint_count; k++) {
                if (m->joints[k].body != b) continue;
                by_actuators += m->joints[k].compensates;
                others += !m->joints[k].compensates;
            }
        if (!others)
            spec->gravity_compensation = 0; // of what does not move, nothing is left anyway
        if (!by_actuators || !others || mixed++) continue;
        reader own = *m->r;
        own.file = spec->place.file;
        status =
            arne_reader_warn(&own, "mjcf", spec->place.line,
                             "body '%.80s': the actuators of only some of the joints that carry "
                             "it hold its weight (actuatorgravcomp); here it is held at all",
                             spec->name);
    }
    return status;
}
