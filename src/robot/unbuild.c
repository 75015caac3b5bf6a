// A robot back into the specs that it was made of.
//
// Bodies of the recursions merge links and turn frames, so the block also keeps what the specs
// said: origins, tips and axes of joints. What comes of these specs is the same robot to the last
// bit.
#include "base/error.h"
#include "robot/builder.h"
#include "robot/robot.h"
#include <stdlib.h>
#include <string.h>

typedef struct unbuild {
    arne_builder     *b;
    const arne_robot *r;
    arne_error       *error;
} unbuild;

static const char *unbuild_name_at(const unbuild *u, size_t at) { return robot_names(u->r) + at; }

static const char *unbuild_frame_name(const unbuild *u, int frame)
{
    return unbuild_name_at(u, robot_frames(u->r)[frame].name);
}

static const char *unbuild_joint_name(const unbuild *u, int joint)
{
    return unbuild_name_at(u, robot_joints(u->r)[joint].name);
}

static arne_status add_fixed_joint(const unbuild *u, int link)
{
    const frame_record *f = robot_frames(u->r) + link;
    if (!f->fixed_joint) return ARNE_OK;
    arne_joint_spec spec = arne_joint_spec_default();
    spec.name = unbuild_name_at(u, f->fixed_joint);
    spec.kind = ARNE_JOINT_FIXED;
    spec.parent = unbuild_frame_name(u, f->info.parent);
    spec.child = unbuild_frame_name(u, link);
    spec.origin = f->origin;
    spec.tip = f->tip;
    return arne_builder_add_joint(u->b, &spec, u->error);
}

static arne_status unbuild_add_frames(const unbuild *u)
{
    arne_status status = ARNE_OK;
    for (int i = 0; !status && i < u->r->frame_count; i++) {
        const frame_record *f = robot_frames(u->r) + i;
        if (!f->info.is_link) {
            status = arne_builder_add_frame(u->b, unbuild_frame_name(u, i),
                                            unbuild_frame_name(u, f->info.parent), &f->origin,
                                            (arne_place){NULL, 0}, u->error);
            continue;
        }
        arne_body_spec spec = arne_body_spec_default();
        spec.name = unbuild_frame_name(u, i);
        spec.mass = f->info.mass;
        spec.com = f->info.com;
        spec.accept = f->accept;
        spec.gravity_compensation = f->info.gravity_compensation;
        memcpy(spec.inertia, f->info.inertia, sizeof spec.inertia);
        status = arne_builder_add_body(u->b, &spec, u->error);
    }
    return status;
}

// A robot with loops must say who is driven.
static arne_actuation actuation(const unbuild *u, const arne_joint_info *j)
{
    if (j->passive) return ARNE_ACTUATION_PASSIVE;
    return u->r->loop_count > 0 ? ARNE_ACTUATION_ACTIVE : ARNE_ACTUATION_DEFAULT;
}

static void unbuild_exponent(const unbuild *u, int joint, arne_joint_spec *spec)
{
    for (int i = 0; i < u->r->exponent_count; i++) {
        const exponent_record *x = &robot_exponents(u->r)[i];
        if (x->joint != joint) continue;
        spec->length = x->length;
        spec->turn = x->turn;
        memcpy(spec->rest, x->rest, sizeof spec->rest);
    }
}

static arne_status unbuild_add_joint(const unbuild *u, int index)
{
    const joint_record    *record = robot_joints(u->r) + index;
    const arne_joint_info *j = &record->info;
    arne_joint_spec        spec = arne_joint_spec_default();
    if (j->parent < 0) return ARNE_OK; // of a free base
    spec.name = unbuild_joint_name(u, index);
    spec.parent = unbuild_frame_name(u, j->parent);
    spec.child = unbuild_frame_name(u, j->child);
    spec.kind = j->kind;
    spec.origin = record->origin;
    spec.tip = record->tip;
    spec.axis = record->axis;
    spec.pitch = j->pitch;
    spec.lower = j->lower;
    spec.upper = j->upper;
    spec.soft = j->soft;
    spec.velocity = j->velocity;
    spec.effort = j->effort;
    spec.viscous = j->viscous;
    spec.coulomb_positive = j->coulomb_positive;
    spec.coulomb_negative = j->coulomb_negative;
    spec.rotor_inertia = j->rotor_inertia;
    unbuild_exponent(u, index, &spec);
    if (!j->function_count && j->kind != ARNE_JOINT_EXPONENTIAL) {
        spec.mimic = j->mimic < 0 ? NULL : unbuild_joint_name(u, j->mimic);
        spec.mimic_ratio = j->mimic_ratio;
        spec.mimic_offset = j->mimic_offset;
    }
    spec.actuation = actuation(u, j);
    spec.start = j->start;
    memcpy(spec.starts, j->starts, sizeof spec.starts);
    return arne_builder_add_joint(u->b, &spec, u->error);
}

static arne_status add_motor(const unbuild *u, int index)
{
    const arne_motor_info m = arne_robot_motor(u->r, index);
    const arne_motor_spec spec = {.name = m.name,
                                  .joint = unbuild_joint_name(u, m.joint),
                                  .link = unbuild_frame_name(u, m.link),
                                  .axis = robot_motors(u->r)[index].axis,
                                  .position = m.position,
                                  .gear = m.gear,
                                  .inertia = m.inertia,
                                  .transverse = m.transverse,
                                  .mass = m.mass,
                                  .mass_included = m.mass_included,
                                  .inertia_included = m.inertia_included,
                                  .reflected = m.reflected,
                                  .stiffness = m.stiffness,
                                  .damping = m.damping,
                                  .viscous = m.viscous,
                                  .coulomb_positive = m.coulomb_positive,
                                  .coulomb_negative = m.coulomb_negative,
                                  .effort = m.effort,
                                  .effort_rate = m.effort_rate};
    return arne_builder_add_motor(u->b, &spec, u->error);
}

static arne_status unbuild_add_coupling(const unbuild *u, const term *t)
{
    const arne_coupling_spec spec = {
        .joint = t->joint >= 0 ? unbuild_joint_name(u, t->joint) : NULL,
        .motor = t->motor >= 0 ? arne_robot_motor(u->r, t->motor).name : NULL,
        .with = unbuild_joint_name(u, t->with),
        .ratio = t->ratio};
    return arne_builder_add_coupling(u->b, &spec, u->error);
}

static arne_status add_functions(const unbuild *u, int joint)
{
    const int    count = arne_joint_functions(u->r, joint, NULL, 0);
    arne_follow *all = malloc(((size_t)count + 1) * sizeof *all);
    arne_status  status = all ? ARNE_OK : arne_fail_memory(u->error);
    if (all) arne_joint_functions(u->r, joint, all, count);
    for (int i = 0; !status && i < count; i++) {
        const arne_function_spec spec = {
            .joint = unbuild_joint_name(u, joint),
            .with = unbuild_joint_name(u, all[i].with),
            .times = all[i].times < 0 ? NULL : unbuild_joint_name(u, all[i].times),
            .function = all[i].function};
        status = arne_builder_add_function(u->b, &spec, u->error);
    }
    free(all);
    return status;
}

static arne_status unbuild_add_strains(const unbuild *u, const exponent_record *x)
{
    arne_status status = ARNE_OK;
    for (int k = x->start; !status && k < x->start + x->count; k++) {
        const exponent_column *c = &robot_exponent_columns(u->r)[k];
        const arne_strain_spec spec = {.joint = unbuild_joint_name(u, x->joint),
                                       .with = unbuild_joint_name(u, c->with),
                                       .strain = (arne_strain)c->strain,
                                       .weight = {c->weight[0], c->weight[1]}};
        status = arne_builder_add_strain(u->b, &spec, u->error);
    }
    return status;
}

static arne_status unbuild_add_spring(const unbuild *u, int index)
{
    const arne_spring_info s = arne_robot_spring(u->r, index);
    const arne_spring_spec spec = {.joint = unbuild_joint_name(u, s.joint),
                                   .stiffness = s.stiffness,
                                   .damping = s.damping,
                                   .rest = s.rest,
                                   .stiffness_more = {s.stiffness_more[0], s.stiffness_more[1]},
                                   .damping_more = {s.damping_more[0], s.damping_more[1]}};
    return arne_builder_add_spring(u->b, &spec, u->error);
}

static arne_status unbuild_add_loop(const unbuild *u, int index)
{
    const loop_record    *record = robot_loops(u->r) + index;
    const arne_loop_info *l = &record->info;
    arne_loop_spec        spec = arne_loop_spec_default();
    spec.name = unbuild_name_at(u, record->name);
    spec.kind = l->kind;
    spec.predecessor = unbuild_frame_name(u, l->frame[0]);
    spec.successor = unbuild_frame_name(u, l->frame[1]);
    spec.predecessor_origin = record->origin[0];
    spec.successor_origin = record->origin[1];
    spec.axis = record->axis;
    spec.length = l->length;
    spec.leg = l->leg;
    spec.leg_link = l->leg.kind != ARNE_LEG_NONE ? unbuild_frame_name(u, record->leg_frame) : NULL;
    return arne_builder_add_loop(u->b, &spec, u->error);
}

// Its frame has the axis along z already.
static arne_status unbuild_add_contact(const unbuild *u, int index)
{
    const contact_record *record = robot_contacts(u->r) + index;
    arne_contact_spec     spec = arne_contact_spec_default();
    spec.name = record->name ? unbuild_name_at(u, record->name) : NULL;
    spec.link = unbuild_frame_name(u, record->info.link);
    spec.shape = record->info.shape;
    memcpy(spec.size, record->info.size, sizeof spec.size);
    spec.origin = record->info.pose;
    spec.friction = record->info.friction;
    memcpy(spec.tyre, record->info.tyre, sizeof spec.tyre);
    return arne_builder_add_contact(u->b, &spec, u->error);
}

static arne_status unbuild_add_muscle(const unbuild *u, int index)
{
    arne_muscle_spec spec = arne_robot_muscle(u->r, index);
    arne_path_point *points = malloc(((size_t)spec.point_count + 1) * sizeof *points);
    arne_path_wrap  *wraps = malloc(((size_t)spec.wrap_count + 1) * sizeof *wraps);
    arne_status      status = points && wraps ? ARNE_OK : arne_fail_memory(u->error);
    for (int i = 0; !status && i < spec.point_count; i++)
        points[i] = arne_muscle_point(u->r, index, i);
    for (int i = 0; !status && i < spec.wrap_count; i++)
        wraps[i] = arne_muscle_wrap(u->r, index, i);
    spec.points = points;
    spec.wraps = wraps;
    if (!status) status = arne_builder_add_muscle(u->b, &spec, u->error);
    free(points);
    free(wraps);
    return status;
}

arne_status arne_builder_add_robot(arne_builder *builder, const arne_robot *robot,
                                   arne_error *error)
{
    const unbuild u = {builder, robot, error};
    if (!builder || !robot)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    if (robot->is_base_form)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "a robot in base form has base parameters instead of links with masses");
    arne_status status = arne_builder_set_name(builder, arne_robot_name(robot));
    if (!status) status = arne_builder_set_gravity(builder, robot->gravity);
    if (!status) status = arne_builder_set_base(builder, (arne_base)robot->base);
    if (!status) status = unbuild_add_frames(&u);
    for (int i = 0; !status && i < robot->joint_count; i++)
        status = unbuild_add_joint(&u, i);
    for (int i = 0; !status && i < robot->link_count; i++) // last: the others keep their order
        status = add_fixed_joint(&u, i);
    for (int i = 0; !status && i < robot->motor_count; i++)
        status = add_motor(&u, i);
    for (int i = 0; !status && i < robot->term_count; i++) {
        const int joint = robot_terms(robot)[i].joint; // functions tell all of what it follows
        if (joint < 0 || !robot_joints(robot)[joint].info.function_count)
            status = unbuild_add_coupling(&u, robot_terms(robot) + i);
    }
    for (int i = 0; !status && i < robot->joint_count; i++)
        if (robot_joints(robot)[i].info.function_count) status = add_functions(&u, i);
    for (int i = 0; !status && i < robot->exponent_count; i++)
        status = unbuild_add_strains(&u, &robot_exponents(robot)[i]);
    for (int i = 0; !status && i < robot->joint_spring_count; i++)
        status = unbuild_add_spring(&u, i);
    for (int i = 0; !status && i < robot->loop_count; i++)
        status = unbuild_add_loop(&u, i);
    for (int i = 0; !status && i < robot->contact_count; i++)
        status = unbuild_add_contact(&u, i);
    for (int i = 0; !status && i < robot->wrap_count; i++) {
        const arne_wrap_spec spec = arne_robot_wrap(robot, i);
        status = arne_builder_add_wrap(builder, &spec, error);
    }
    for (int i = 0; !status && i < robot->muscle_count; i++)
        status = unbuild_add_muscle(&u, i);
    return status;
}
