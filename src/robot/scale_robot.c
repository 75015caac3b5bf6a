// Robots of one shape and other size.
#include "robot/builder.h"
#include "robot/joint.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

static arne_vec3 longer(arne_vec3 p, double length)
{
    return (arne_vec3){length * p.x, length * p.y, length * p.z};
}

// What only rods by strain modes have: sections that are given by numbers, damping, the rest.
static void scale_rod(arne_flexible_spec *f, double length, double mass)
{
    const double area = length * length;
    for (int k = 0; k < ARNE_STRAIN_COUNT; k++) {
        const int turns = k < ARNE_STRAIN_STRETCH;
        f->stiffness[k] *= turns ? mass * area : mass;
        f->strain_damping[k] *= turns ? mass * area * length : mass * length;
    }
    for (int k = 0; k < 4; k++)
        f->line[k] *= k ? mass * length : mass / length;
    f->viscosity *= mass / length;
    f->half[0] *= length;
    f->half[1] *= length;
    for (int i = 0; i < 3; i++)
        f->curvature[i] /= length;
    for (int i = 0; i < f->table_count; i++)
        for (int k = 0; k < 4; k++)
            f->table[i][k] *= k ? 1 / length : length;
    for (int i = 0; i < f->size_count; i++)
        f->sizes[i][0] *= length;
}

static void scale_robot_scale_body(arne_body_spec *b, double length, double mass)
{
    b->mass *= mass;
    b->com = longer(b->com, length);
    for (int i = 0; i < 6; i++)
        b->inertia[i] *= mass * length * length;
    arne_flexible_spec *f = &b->flexible;
    const double        area = length * length;
    f->length *= length;
    f->A *= area;
    f->J *= area * area;
    f->moments[0] *= area * area;
    f->moments[1] *= area * area;
    f->density *= mass / (area * length);
    f->E *= mass / area;
    f->G *= mass / area;
    scale_rod(f, length, mass);
}

// Position and speed of a slide are lengths; what acts on it is a force, on others a moment.
static void scale_joint(arne_joint_spec *j, double length, double mass)
{
    const int    slides = joint_is_slide(j->kind);
    const double moment = slides ? mass : mass * length;
    j->origin.p = longer(j->origin.p, length);
    j->tip.p = longer(j->tip.p, length);
    j->pitch *= length;
    for (int i = 0; i < 2; i++)
        for (int k = ARNE_STRAIN_STRETCH; k < ARNE_STRAIN_COUNT; k++)
            j->rest[i][k] *= length;
    j->effort *= moment;
    j->viscous *= slides ? mass : moment * length;
    j->coulomb_positive *= moment;
    j->coulomb_negative *= moment;
    j->rotor_inertia *= slides ? mass : moment * length;
    const arne_joint_kind_info *kind = arne_joint_kind_facts(j->kind);
    for (int i = 0; kind && kind->q_count > 1 && i < kind->q_count; i++) // no kind: told later
        if (kind->q[i] == ARNE_COORDINATE_LENGTH) j->starts[i] *= length;
    if (!slides) return;
    j->lower *= length;
    j->upper *= length;
    j->velocity *= length;
    j->mimic_offset *= length;
    j->start *= length;
}

// q = ratio q(other) + offset, where one of them is a length and the other an angle.
static void scale_mimic(const arne_builder *b, arne_joint_spec *j, double length)
{
    arne_joint_spec other;
    if (!j->mimic || arne_builder_get_joint(b, j->mimic, &other) != ARNE_OK) return;
    const int slides = joint_is_slide(j->kind), other_slides = joint_is_slide(other.kind);
    if (slides != other_slides) j->mimic_ratio *= slides ? length : 1 / length;
}

static int slides_by_name(const arne_builder *b, const char *name)
{
    arne_joint_spec joint;
    return arne_builder_get_joint(b, name, &joint) == ARNE_OK && joint_is_slide(joint.kind);
}

// A motor is a body and a joint in one; the gear of one that drives a slide is radians per metre.
static void scale_motor(const arne_builder *b, arne_motor_spec *m, double length, double mass)
{
    const int    slides = slides_by_name(b, m->joint);
    const double moment = slides ? mass : mass * length;
    m->position = longer(m->position, length);
    m->mass *= mass;
    m->inertia *= mass * length * length;
    m->transverse *= mass * length * length;
    m->gear /= slides ? length : 1;
    m->stiffness *= slides ? mass / length : moment;
    m->damping *= slides ? mass : moment * length;
    m->viscous *= slides ? mass : moment * length;
    m->coulomb_positive *= moment;
    m->coulomb_negative *= moment;
    m->effort *= moment;
    m->effort_rate *= moment;
}

static void scale_coupling(const arne_builder *b, arne_coupling_spec *c, double length)
{
    const char *joint = c->joint;
    for (int i = 0; !joint && i < b->motor_count; i++)
        if (!strcmp(b->motors[i].name, c->motor)) joint = b->motors[i].joint;
    const int slides = joint && slides_by_name(b, joint), other = slides_by_name(b, c->with);
    if (slides != other) c->ratio *= slides ? length : 1 / length;
}

static void scale_spring(const arne_builder *b, arne_spring_spec *s, double length, double mass)
{
    const int slides = slides_by_name(b, s->joint);
    s->stiffness *= slides ? mass / length : mass * length;
    s->damping *= slides ? mass : mass * length * length;
    for (int i = 0; i < 2; i++) {
        s->stiffness_more[i] *= slides ? mass / pow(length, i + 2) : mass * length;
        s->damping_more[i] *= slides ? mass / pow(length, i + 1) : mass * length * length;
    }
    s->rest *= slides ? length : 1;
}

// A function that takes `in` and gives `out` as much.
static void scale_numbers(arne_function *f, double in, double out)
{
    double *x = (double *)(uintptr_t)f->x, *y = (double *)(uintptr_t)f->y, power = 1;
    f->factor *= out;
    f->slopes[0] /= in;
    f->slopes[1] /= in;
    if (f->kind == ARNE_FUNCTION_SINE && f->count > 1) y[1] /= in;
    for (int i = 0; f->kind == ARNE_FUNCTION_POLYNOMIAL && i < f->count; i++, power *= in)
        y[i] /= power;
    for (int i = 0; f->kind == ARNE_FUNCTION_SPLINE && x && i < f->count; i++)
        x[i] *= in;
}

// What it takes and gives may be lengths.
static void scale_function(const arne_builder *b, arne_function_spec *s, double length)
{
    const double in = slides_by_name(b, s->with) ? length : 1;
    const double out = slides_by_name(b, s->joint) ? length : 1;
    if (s->function.kind == ARNE_FUNCTION_PRODUCT)
        s->function.factor /= in * (s->times && slides_by_name(b, s->times) ? length : 1);
    scale_numbers(&s->function, in, out);
}

// Functions of moving points give lengths, of coordinates that may be lengths.
static void scale_muscle(const arne_builder *b, arne_muscle_spec *m, double length, double mass)
{
    arne_muscle_law *law = &m->law;
    law->max_force *= mass;
    law->fibre_length *= length;
    law->slack_length *= length;
    law->stiffness *= mass / length;
    law->dissipation /= length;
    if (m->joint) { // torques grow with mass and length, as those of springs do
        const double unit = slides_by_name(b, m->joint) ? length : 1, torque = mass * length / unit;
        for (int k = 0; k < 2; k++) {
            law->limits[k] *= unit;
            law->limit_stiffness[k] *= torque / unit;
        }
        law->transition *= unit;
        law->damping *= torque * length / unit;
    }
    const int turns = m->measure >= ARNE_MEASURE_TURN_X;
    for (int i = 0; i < 3; i++) {
        law->elastic[i] *= mass * (turns ? length : 1 / pow(length, i + 1));
        law->viscous[i] *= mass * (turns ? length * length : 1 / pow(length, i));
        if (i < 2 && !turns) law->slack[i] *= length;
    }
    for (int i = 0; i < m->point_count; i++) {
        arne_path_point *p = (arne_path_point *)(uintptr_t)&m->points[i];
        p->position = longer(p->position, length);
        if (p->joint && slides_by_name(b, p->joint)) {
            p->lower *= length;
            p->upper *= length;
        }
        for (int k = 0; k < 3; k++)
            if (p->follows[k])
                scale_numbers(&p->functions[k], slides_by_name(b, p->follows[k]) ? length : 1,
                              length);
    }
}

arne_status arne_builder_scale(arne_builder *builder, double length, double mass)
{
    if (!builder) return ARNE_NULL_ARGUMENT;
    if (!(length > 0) || !(mass > 0) || !isfinite(length) || !isfinite(mass)) return ARNE_VALUE;
    for (int i = 0; i < builder->body_count; i++)
        scale_robot_scale_body(&builder->bodies[i], length, mass);
    for (int i = 0; i < builder->joint_count; i++) {
        scale_joint(&builder->joints[i], length, mass);
        scale_mimic(builder, &builder->joints[i], length);
    }
    for (int i = 0; i < builder->motor_count; i++)
        scale_motor(builder, &builder->motors[i], length, mass);
    for (int i = 0; i < builder->coupling_count; i++)
        scale_coupling(builder, &builder->couplings[i], length);
    for (int i = 0; i < builder->function_count; i++)
        scale_function(builder, &builder->functions[i], length);
    for (int i = 0; i < builder->strain_count; i++)
        for (int k = 0; k < 2; k++)
            if (builder->strains[i].strain >= ARNE_STRAIN_STRETCH)
                builder->strains[i].weight[k] *= length;
    for (int i = 0; i < builder->spring_count; i++)
        scale_spring(builder, &builder->springs[i], length, mass);
    for (int i = 0; i < builder->frame_count; i++)
        builder->frames[i].pose.p = longer(builder->frames[i].pose.p, length);
    for (int i = 0; i < builder->contact_count; i++) {
        arne_contact_spec *c = &builder->contacts[i];
        c->origin.p = longer(c->origin.p, length);
        for (int k = 0; k < 3; k++)
            c->size[k] *= length;
        c->tyre[0] *= mass;
        c->tyre[1] *= mass;
    }
    for (int i = 0; i < builder->wrap_count; i++) {
        arne_wrap_spec *w = &builder->wraps[i];
        w->origin.p = longer(w->origin.p, length);
        for (int k = 0; k < 3; k++)
            w->size[k] *= length;
    }
    for (int i = 0; i < builder->muscle_count; i++)
        scale_muscle(builder, &builder->muscles[i], length, mass);
    for (int i = 0; i < builder->loop_count; i++) {
        arne_loop_spec *loop = &builder->loops[i];
        loop->predecessor_origin.p = longer(loop->predecessor_origin.p, length);
        loop->successor_origin.p = longer(loop->successor_origin.p, length);
        loop->length *= length;
        loop->leg.base.p = longer(loop->leg.base.p, length);
        loop->leg.crank *= length;
        loop->leg.rod *= length;
    }
    return ARNE_OK;
}
