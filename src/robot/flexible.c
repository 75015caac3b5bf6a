// Links that bend: a beam becomes rigid segments on elastic joints.
//
// Of a clamped beam of length L a load at the tip, force F and moment N, has the moment F (L - s) +
// N at s, and there the beam turns by that moment over EI per length. A joint at s_k of compliance
// c_k turns by c_k times the moment, so slope and deflection of the tip are
//
//     sum of c_k (F (L - s_k) + N),   sum of c_k (F (L - s_k)^2 + N (L - s_k)).
//
// They are those of the beam where c_k are the weights of a quadrature over [0, L], divided by EI,
// that is exact up to squares. Gauss's rule of two points is, up to cubes: two joints for each two
// segments' length, and in a beam of an odd number of segments three joints by the rule of three
// points next to the root. The same weights over GJ are the compliances in torsion. The mass is
// that of the rigid pieces between the joints, of which the first stands with the root. Sections do
// not shear, the beam does not stretch, and the inertia of sections counts in torsion alone: Euler
// and Bernoulli's beam.
//
// Damping is that of stiffness: c = beta k. The ratio of a mode of frequency w is then beta w / 2;
// beta is such that the first mode of the clamped beam has the ratio that is asked for, in each
// direction.
#include "robot/flexible.h"
#include "base/error.h"
#include "robot/build.h"
#include "robot/rod.h"
#include "robot/tendon.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SEGMENTS = 1000, NAME_SIZE = 160 };

arne_flexible_spec arne_flexible_spec_default(void)
{
    arne_flexible_spec spec;
    memset(&spec, 0, sizeof spec);
    spec.segments = 8;
    spec.points = 10;
    spec.turn = spec.taper = 1;
    return spec;
}

// Saint-Venant's series for the torsion of a rectangle.
static double torsion_constant(double a, double b)
{
    const double pi = acos(-1), longer = fmax(a, b), shorter = fmin(a, b);
    double       sum = 0;
    for (int n = 1; n < 60; n += 2)
        sum += tanh(n * pi * longer / (2 * shorter)) / pow(n, 5);
    return longer * pow(shorter, 3) / 3 * (1 - 192 * shorter / (pow(pi, 5) * longer) * sum);
}

void arne_flexible_rectangle(arne_flexible_spec *spec, double side0, double side1)
{
    if (!spec) return;
    spec->A = side0 * side1;
    spec->moments[0] = side0 * pow(side1, 3) / 12;
    spec->moments[1] = side1 * pow(side0, 3) / 12;
    spec->J = torsion_constant(side0, side1);
    spec->half[0] = side0 / 2;
    spec->half[1] = side1 / 2;
    spec->is_round = 0;
}

void arne_flexible_round(arne_flexible_spec *spec, double radius, double inner)
{
    if (!spec) return;
    const double pi = acos(-1), fourth = pow(radius, 4) - pow(inner, 4);
    spec->A = pi * (radius * radius - inner * inner);
    spec->moments[0] = spec->moments[1] = pi / 4 * fourth;
    spec->J = pi / 2 * fourth;
    spec->half[0] = spec->half[1] = radius;
    spec->is_round = 1;
}

void arne_flexible_ellipse(arne_flexible_spec *spec, double half0, double half1)
{
    if (!spec) return;
    const double pi = acos(-1), a = half0, b = half1;
    spec->A = pi * a * b;
    spec->moments[0] = pi / 4 * a * pow(b, 3);
    spec->moments[1] = pi / 4 * b * pow(a, 3);
    spec->J = pi * pow(a * b, 3) / (a * a + b * b);
    spec->half[0] = a;
    spec->half[1] = b;
    spec->is_round = 1;
}

// ---- places and weights of the joints

// Joint k of a beam, from the root: its place and weight, both as parts of the length.
static void joint_place(int segments, int k, double *place, double *weight)
{
    const double three[3] = {-sqrt(0.6), 0, sqrt(0.6)}, weights[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
    const int    odd = segments % 2 ? 3 : 0;
    if (k < odd) {
        *place = 1.5 * (1 + three[k]) / segments;
        *weight = 1.5 * weights[k] / segments;
        return;
    }
    const int element = (k - odd) / 2, second = (k - odd) % 2;
    *place = (odd + 2 * element + 1 + (second ? 1 : -1) / sqrt(3)) / segments;
    *weight = 1.0 / segments;
}

double flexible_place(const arne_flexible_spec *f, int k)
{
    double place, weight;
    if (k < 0) return 0;
    if (k >= f->segments) return f->length;
    joint_place(f->segments, k, &place, &weight);
    return place * f->length;
}

static arne_vec3 flexible_along(const arne_flexible_spec *f, double x)
{
    return (arne_vec3){f->axis == 0 ? x : 0, f->axis == 1 ? x : 0, f->axis == 2 ? x : 0};
}

static arne_vec3 less(arne_vec3 a, arne_vec3 b)
{
    return (arne_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double component(arne_vec3 p, int of) { return of == 0 ? p.x : of == 1 ? p.y : p.z; }

// ---- rules

static arne_status flexible_refuse(const build *s, const arne_body_spec *b, const char *what)
{
    return judge_fail(&s->j, ARNE_MODEL, b->place, "flexible link '%s': %s", b->name, what);
}

static int flexible_positive(double x) { return x > 0 && isfinite(x); }

static int has_mass(const arne_body_spec *b)
{
    int any = b->mass != 0;
    for (int i = 0; i < 6; i++)
        any |= b->inertia[i] != 0;
    return any;
}

static arne_status check_beam(const build *s, const arne_body_spec *b)
{
    const arne_flexible_spec *f = &b->flexible;
    if (arne_flexible_is_rod(f)) return rod_check(s, b);
    if (f->segments < 2 || f->segments > MOST_SEGMENTS)
        return flexible_refuse(s, b, "segments must be from 2 to 1000");
    if (f->axis < 0 || f->axis > 2) return flexible_refuse(s, b, "the axis must be x, y or z");
    if (!flexible_positive(f->length))
        return flexible_refuse(s, b, "the length must be more than 0");
    if (!flexible_positive(f->density))
        return flexible_refuse(s, b, "the density must be more than 0");
    if (!flexible_positive(f->E)) return flexible_refuse(s, b, "E must be more than 0");
    if (!flexible_positive(f->A))
        return flexible_refuse(s, b, "the area of its section must be more than 0");
    if (!flexible_positive(f->moments[0]) || !flexible_positive(f->moments[1]))
        return flexible_refuse(s, b, "the second moments of its section must be more than 0");
    if (!(f->G >= 0) || !isfinite(f->G) || (f->G > 0 && !flexible_positive(f->J)))
        return flexible_refuse(s, b, "G must not be negative, and J must be more than 0 with it");
    if (!(f->damping >= 0) || !isfinite(f->damping))
        return flexible_refuse(s, b, "the damping ratio must not be negative");
    if (f->stiff[0] && f->stiff[1] && f->G == 0)
        return flexible_refuse(s, b, "it neither bends nor twists; leave flexible out");
    if (has_mass(b))
        return flexible_refuse(
            s, b, "its mass is that of its density; give other masses to a body at its tip");
    if (strlen(b->name) > NAME_SIZE - 40) return flexible_refuse(s, b, "its name is too long");
    return ARNE_OK;
}

// ---- segments

typedef struct beam {
    build                    *s;
    const arne_body_spec     *body;
    const arne_flexible_spec *f;
} beam;

static void segment_name(const beam *b, int k,
                         char *name) // of the link that joint k moves; -1: the root
{
    if (k < 0)
        snprintf(name, NAME_SIZE, "%s", b->body->name);
    else
        snprintf(name, NAME_SIZE, "%s_%d", b->body->name, k + 1);
}

// The piece from joint k to the next, in a frame at joint k.
static arne_body_spec segment_body(const beam *b, int k)
{
    const arne_flexible_spec *f = b->f;
    arne_body_spec            spec = arne_body_spec_default();
    const double              length = flexible_place(f, k + 1) - flexible_place(f, k);
    const double              across = f->density * f->A * pow(length, 3) / 12;
    spec.mass = f->density * f->A * length;
    spec.com = flexible_along(f, length / 2);
    for (int i = 0; i < 3; i++)
        spec.inertia[i] =
            i == f->axis ? f->density * (f->moments[0] + f->moments[1]) * length : across;
    spec.accept = b->body->accept | ARNE_ACCEPT_TRIANGLE;
    spec.place = b->body->place;
    return spec;
}

typedef struct turn { // one way in which a joint of the beam gives
    int    axis;
    double compliance, damping; // of its whole length; ratio times stiffness
} turn;

static int beam_turns(const arne_flexible_spec *f, turn *out)
{
    const double line = f->density * f->A, L = f->length, root = 1.875104068711961;
    int          count = 0;
    for (int i = 0; i < 2; i++) {
        const double first = root * root * sqrt(f->E * f->moments[i] / line) / (L * L);
        if (!f->stiff[i])
            out[count++] =
                (turn){(f->axis + 1 + i) % 3, L / (f->E * f->moments[i]), 2 * f->damping / first};
    }
    if (f->G > 0) {
        const double first =
            acos(-1) / (2 * L) * sqrt(f->G * f->J / (f->density * (f->moments[0] + f->moments[1])));
        out[count++] = (turn){f->axis, L / (f->G * f->J), 2 * f->damping / first};
    }
    return count;
}

static arne_status add_turn(const beam *b, int k, const turn *t, const char *parent,
                            const char *child, double at, double weight)
{
    arne_builder    *into = b->s->segments;
    arne_joint_spec  joint = arne_joint_spec_default();
    arne_spring_spec held = arne_spring_spec_default();
    char             name[NAME_SIZE];
    snprintf(name, sizeof name, "%s_%d_%c", b->body->name, k + 1, 'x' + t->axis);
    joint.name = name;
    joint.parent = parent;
    joint.child = child;
    joint.origin.p = flexible_along(b->f, at);
    joint.axis = (arne_vec3){t->axis == 0, t->axis == 1, t->axis == 2};
    joint.actuation = ARNE_ACTUATION_PASSIVE;
    held.joint = name;
    held.stiffness = 1 / (t->compliance * weight);
    held.damping = t->damping * held.stiffness;
    joint.place = held.place = b->body->place;
    const arne_status status = arne_builder_add_joint(into, &joint, b->s->j.error);
    return status ? status : arne_builder_add_spring(into, &held, b->s->j.error);
}

// The joints and springs of a beam; bodies are added with those of the file.
static arne_status flexible_add_joints(const beam *b)
{
    turn        turns[3];
    const int   count = beam_turns(b->f, turns);
    arne_status status = ARNE_OK;
    if (arne_flexible_is_rod(b->f)) {
        rod r;
        status = rod_make(b->s, b->body, 0, &r);
        return status ? status : rod_add_joints(&r, b->s->segments);
    }
    for (int k = 0; k < b->f->segments && !status; k++) {
        char   parent[NAME_SIZE], child[NAME_SIZE];
        double place, weight, at = flexible_place(b->f, k) - flexible_place(b->f, k - 1);
        joint_place(b->f->segments, k, &place, &weight);
        segment_name(b, k - 1, parent);
        for (int i = 0; i < count && !status; i++, at = 0) {
            if (i + 1 < count)
                snprintf(child, sizeof child, "%s_%d_%c", b->body->name, k + 1,
                         'x' + turns[i].axis);
            else
                segment_name(b, k, child);
            status = add_turn(b, k, &turns[i], parent, child, at, weight);
            memcpy(parent, child, sizeof parent);
        }
    }
    return status;
}

static arne_status add_bodies(const beam *b)
{
    arne_builder *into = b->s->segments;
    turn          turns[3];
    const int     count = beam_turns(b->f, turns);
    arne_status   status = ARNE_OK;
    char          name[NAME_SIZE];
    if (arne_flexible_is_rod(b->f)) {
        rod r;
        status = rod_make(b->s, b->body, 1, &r);
        return status ? status : rod_add_bodies(&r, into);
    }
    for (int k = -1; k < b->f->segments && !status; k++) {
        for (int i = 0; k >= 0 && i + 1 < count && !status; i++) { // massless, between two turns
            arne_body_spec between = arne_body_spec_default();
            snprintf(name, sizeof name, "%s_%d_%c", b->body->name, k + 1, 'x' + turns[i].axis);
            between.name = name;
            between.place = b->body->place;
            status = arne_builder_add_body(into, &between, b->s->j.error);
        }
        arne_body_spec piece = segment_body(b, k);
        segment_name(b, k, name);
        piece.name = name;
        if (!status) status = arne_builder_add_body(into, &piece, b->s->j.error);
    }
    return status;
}

// ---- what stands on a beam

static int flexible_is(const arne_body_spec *b)
{
    return b->flexible.segments || arne_flexible_is_rod(&b->flexible);
}

// The flexible link of a name; f is NULL where it is none.
static beam beam_named(build *s, const char *name)
{
    const int i = name ? name_index_find(&s->b->body_index, name) : -1;
    beam      b = {s, i < 0 ? NULL : &s->b->bodies[i], NULL};
    if (b.body && flexible_is(b.body)) b.f = &b.body->flexible;
    return b;
}

static int is_zero(arne_vec3 p) { return p.x == 0 && p.y == 0 && p.z == 0; }

// From the frame of the link to that of the segment that has the point; name is the segment's.
static void put_on_segment(const beam *b, arne_vec3 *p, char *name)
{
    if (arne_flexible_is_rod(b->f)) {
        rod r;
        segment_name(b, -1, name);
        if (rod_make(b->s, b->body, 0, &r) == ARNE_OK) rod_put(&r, p, name);
        return;
    }
    int k = b->f->segments - 1;
    while (k >= 0 && component(*p, b->f->axis) < flexible_place(b->f, k))
        k--;
    *p = less(*p, flexible_along(b->f, flexible_place(b->f, k)));
    segment_name(b, k, name);
}

// A joint or loop: at the tip, where it says nothing else.
static arne_status put_on_tip(const beam *b, const char *what, const char *who, arne_place place,
                              arne_vec3 *p, char *name)
{
    const double x = component(*p, b->f->axis), L = b->f->length;
    if (is_zero(*p))
        *p = flexible_along(b->f, L);
    else if (!arne_flexible_is_rod(b->f) && x < L * (1 - 1e-9))
        return judge_fail(
            &b->s->j, ARNE_MODEL, place,
            "%s '%s' is %g m along flexible link '%s'; only its tip, %g m along, carries "
            "others: put it there, or make two links of this one",
            what, who, x, b->body->name, L);
    put_on_segment(b, p, name);
    return ARNE_OK;
}

static arne_status copy_joint(build *s, const arne_joint_spec *from)
{
    arne_joint_spec joint = *from;
    char            parent[NAME_SIZE];
    const beam      on = beam_named(s, joint.parent), carried = beam_named(s, joint.child);
    arne_status     status = ARNE_OK;
    if (on.f) {
        status = put_on_tip(&on, "joint", joint.name, joint.place, &joint.origin.p, parent);
        joint.parent = parent;
    }
    if (!status) status = arne_builder_add_joint(s->segments, &joint, s->j.error);
    if (!status && carried.f) status = flexible_add_joints(&carried);
    return status;
}

static arne_status copy_frame(build *s, const frame_spec *from)
{
    frame_spec frame = *from;
    char       name[NAME_SIZE];
    const beam on = beam_named(s, frame.body);
    if (on.f) {
        if (is_zero(frame.pose.p)) frame.pose.p = flexible_along(on.f, on.f->length);
        put_on_segment(&on, &frame.pose.p, name);
        frame.body = name;
    }
    return arne_builder_add_frame(s->segments, frame.name, frame.body, &frame.pose, frame.place,
                                  s->j.error);
}

static arne_status copy_motor(build *s, const arne_motor_spec *from)
{
    arne_motor_spec motor = *from;
    char            name[NAME_SIZE];
    const int       joint = name_index_find(&s->b->joint_index, motor.joint);
    const char     *link = motor.link ? motor.link : joint < 0 ? NULL : s->b->joints[joint].parent;
    const beam      on = beam_named(s, link);
    if (on.f) {
        if (!motor.link && is_zero(motor.position))
            motor.position = flexible_along(on.f, on.f->length);
        put_on_segment(&on, &motor.position, name);
        motor.link = name;
    }
    return arne_builder_add_motor(s->segments, &motor, s->j.error);
}

static arne_status copy_loop(build *s, const arne_loop_spec *from)
{
    arne_loop_spec loop = *from;
    char           names[2][NAME_SIZE];
    arne_status    status = ARNE_OK;
    const beam     on[2] = {beam_named(s, loop.predecessor), beam_named(s, loop.successor)};
    if (on[0].f) {
        status =
            put_on_tip(&on[0], "loop", loop.name, loop.place, &loop.predecessor_origin.p, names[0]);
        loop.predecessor = names[0];
    }
    if (on[1].f && !status) {
        status =
            put_on_tip(&on[1], "loop", loop.name, loop.place, &loop.successor_origin.p, names[1]);
        loop.successor = names[1];
    }
    return status ? status : arne_builder_add_loop(s->segments, &loop, s->j.error);
}

static arne_status copy_contact(build *s, const arne_contact_spec *from)
{
    arne_contact_spec contact = *from;
    char              name[NAME_SIZE];
    const beam        on = beam_named(s, contact.link);
    if (on.f) {
        if (is_zero(contact.origin.p)) contact.origin.p = flexible_along(on.f, on.f->length);
        put_on_segment(&on, &contact.origin.p, name);
        contact.link = name;
    }
    return arne_builder_add_contact(s->segments, &contact, s->j.error);
}

static arne_status copy_wrap(build *s, const arne_wrap_spec *from)
{
    arne_wrap_spec wrap = *from;
    char           name[NAME_SIZE];
    const beam     on = beam_named(s, wrap.link);
    if (on.f) {
        put_on_segment(&on, &wrap.origin.p, name);
        wrap.link = name;
    }
    return arne_builder_add_wrap(s->segments, &wrap, s->j.error);
}

// A point on a link that bends goes to the segment that it is nearest to.
static arne_status copy_muscle(build *s, const arne_muscle_spec *from)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < from->point_count && status_goes_on(status); i++)
        if (from->points[i].along) status = status_both(status, tendon_check_rod(s, from, i));
    if (!status) status = tendon_spread(s, from);
    if (status) return status;
    const arne_muscle_spec *own = &s->segments->muscles[s->segments->muscle_count - 1];
    for (int i = 0; i < own->point_count; i++) {
        arne_path_point *p = (arne_path_point *)(uintptr_t)&own->points[i];
        char             name[NAME_SIZE];
        const beam       on = beam_named(s, p->link);
        if (!on.f || p->along || (i + 1 < own->point_count && p[1].along)) continue;
        put_on_segment(&on, &p->position, name);
        p->link = name;
        if (builder_keep(s->segments, &p->link)) return arne_fail_memory(s->j.error);
    }
    return ARNE_OK;
}

static arne_status copy_coupling(build *s, const arne_coupling_spec *from)
{
    return arne_builder_add_coupling(s->segments, from, s->j.error);
}

static arne_status copy_function(build *s, const arne_function_spec *from)
{
    return arne_builder_add_function(s->segments, from, s->j.error);
}

static arne_status copy_strain(build *s, const arne_strain_spec *from)
{
    return arne_builder_add_strain(s->segments, from, s->j.error);
}

// ---- the whole

static int is_carried(const arne_builder *b, const char *name)
{
    for (int i = 0; i < b->joint_count; i++)
        if (!strcmp(b->joints[i].child, name)) return 1;
    return 0;
}

static arne_status copy_bodies(build *s)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < s->b->body_count && !status; i++) {
        const beam b = {s, &s->b->bodies[i], &s->b->bodies[i].flexible};
        char       name[NAME_SIZE];
        if (!flexible_is(b.body)) {
            status = arne_builder_add_body(s->segments, b.body, s->j.error);
            continue;
        }
        status = add_bodies(&b);
        if (!status && !is_carried(s->b, b.body->name)) status = flexible_add_joints(&b);
        arne_pose tip = arne_joint_spec_default().origin;
        tip.p = flexible_along(b.f, b.f->length);
        put_on_segment(&b, &tip.p, name);
        char tip_name[NAME_SIZE];
        snprintf(tip_name, sizeof tip_name, "%s_tip", b.body->name);
        if (!status)
            status = arne_builder_add_frame(s->segments, tip_name, name, &tip, b.body->place,
                                            s->j.error);
    }
    return status;
}

// All mistakes of one kind of thing, then those of the next.
#define COPY_ALL(what, count, copy)                                                                \
    for (int i = 0; i < s->b->count && status_goes_on(status); i++)                                \
    status = status_both(status, copy(s, &s->b->what[i]))

static arne_status copy_spring(build *s, const arne_spring_spec *from)
{
    return arne_builder_add_spring(s->segments, from, s->j.error);
}

arne_status build_segments(build *s)
{
    int         flexible = 0;
    arne_status status = ARNE_OK;
    for (int i = 0; i < s->b->body_count && status_goes_on(status); i++)
        if (flexible_is(&s->b->bodies[i])) {
            status = status_both(status, check_beam(s, &s->b->bodies[i]));
            flexible = 1;
        }
    if (!flexible || status) return status;
    if (arne_builder_new(&s->segments) != ARNE_OK) return arne_fail_memory(s->j.error);
    s->segments->gravity = s->b->gravity;
    s->segments->base = s->b->base;
    s->segments->incomplete = s->b->incomplete;
    if (arne_builder_set_name(s->segments, s->b->name) != ARNE_OK)
        return arne_fail_memory(s->j.error);
    status = judge_check(&s->j, copy_bodies(s));
    COPY_ALL(joints, joint_count, copy_joint);
    COPY_ALL(frames, frame_count, copy_frame);
    COPY_ALL(motors, motor_count, copy_motor);
    COPY_ALL(springs, spring_count, copy_spring);
    COPY_ALL(loops, loop_count, copy_loop);
    COPY_ALL(contacts, contact_count, copy_contact);
    COPY_ALL(wraps, wrap_count, copy_wrap);
    COPY_ALL(muscles, muscle_count, copy_muscle);
    COPY_ALL(couplings, coupling_count, copy_coupling);
    COPY_ALL(functions, function_count, copy_function);
    COPY_ALL(strains, strain_count, copy_strain);
    if (!status) s->b = s->segments;
    return status;
}
