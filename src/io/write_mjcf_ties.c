// The sections of MJCF that name joints and bodies: tendons, equalities, actuators.
#include "io/pose_math.h"
#include "io/write_mjcf.h"
#include "robot/builder.h"
#include <math.h>
#include <string.h>

static int ties_find_link(const arne_builder *b, const char *name)
{
    return name_index_find(&b->body_index, name);
}

// ---- equalities

static arne_pose end_at(const mjcf_writer *m, const char *name, const arne_pose *origin, int *link)
{
    const arne_builder *b = m->w->b;
    arne_pose           X = *origin;
    *link = ties_find_link(b, name);
    for (int i = 0; i < b->frame_count && *link < 0; i++)
        if (strcmp(b->frames[i].name, name) == 0) {
            *link = ties_find_link(b, b->frames[i].body);
            X = pose_times(&b->frames[i].pose, origin);
        }
    return X;
}

static void mjcf_ends(mjcf_writer *m, const char *tag, const arne_loop_spec *s, int a, int b)
{
    put(&m->w->out, "    <%s", tag);
    if (strcmp(tag, "weld") == 0) mjcf_text(m, "name", s->name);
    mjcf_text(m, "body1", m->w->b->bodies[a].name);
    mjcf_text(m, "body2", m->w->b->bodies[b].name);
}

static void mjcf_connect(mjcf_writer *m, const arne_loop_spec *s, int a, int b, arne_vec3 anchor)
{
    mjcf_ends(m, "connect", s, a, b);
    mjcf_values(m, "anchor", 3, &anchor.x);
    put(&m->w->out, "/>\n");
}

// MuJoCo 2.2 takes the point of the second body from q = 0: the loop must be closed there.
static void mjcf_loop(mjcf_writer *m, const arne_loop_spec *s)
{
    int             a, b;
    const arne_pose A = end_at(m, s->predecessor, &s->predecessor_origin, &a),
                    B = end_at(m, s->successor, &s->successor_origin, &b);
    if (a < 0 || b < 0) return;
    if (s->kind == ARNE_LOOP_FIXED) { // B at_rest = A at_rest: the pose of body 2 in body 1
        const arne_pose back = pose_inverse(&B), X = pose_times(&A, &back);
        double          pose[7] = {X.p.x, X.p.y, X.p.z};
        rotation_to_wxyz(&X.R, pose + 3);
        mjcf_ends(m, "weld", s, a, b);
        mjcf_values(m, "relpose", 7, pose);
        put(&m->w->out, "/>\n");
        return;
    }
    const arne_pose P = pose_times(&m->at_rest[a], &A), Q = pose_times(&m->at_rest[b], &B);
    const arne_vec3 gap = vec_add(P.p, vec_scale(-1, Q.p));
    const arne_vec3 one = rotate(&P.R, s->axis), two = rotate(&Q.R, s->axis);
    const int       turns = s->kind == ARNE_LOOP_REVOLUTE;
    if ((s->kind != ARNE_LOOP_BALL && !turns) || vec_norm(gap) > 1e-9 ||
        (turns && vec_norm(vec_cross(one, two)) > 1e-9)) {
        write_lost(m->w, "the %s loop '%s'%s", arne_loop_kind_name(s->kind), s->name,
                   s->kind == ARNE_LOOP_BALL || turns ? ", which is not closed at q = 0" : "");
        return;
    }
    mjcf_connect(m, s, a, b, A.p);
    if (turns) mjcf_connect(m, s, a, b, vec_add(A.p, rotate(&A.R, s->axis)));
}

static int has_terms(const arne_builder *b, const char *joint)
{
    for (int i = 0; i < b->coupling_count; i++)
        if (b->couplings[i].joint && strcmp(b->couplings[i].joint, joint) == 0) return 1;
    return 0;
}

int mjcf_is_tendon(const mjcf_writer *m, int joint)
{
    const arne_builder   *b = m->w->b;
    const arne_body_spec *link = &b->bodies[m->child[joint]];
    if (!b->joints[joint].mimic || link->mass != 0 || link->inertia[0] != 0) return 0;
    for (int i = 0; i < b->joint_count; i++)
        if (m->parent[i] == m->child[joint]) return 0;
    return 1;
}

// ---- joints that follow others: one by a polynomial, several by a tendon

static void mjcf_polynomial(mjcf_writer *m, const char *joint, const char *with, const double y[5])
{
    put(&m->w->out, "    <joint");
    mjcf_text(m, "joint1", joint);
    mjcf_text(m, "joint2", with);
    mjcf_values(m, "polycoef", 5, y);
    put(&m->w->out, "/>\n");
}

static void mjcf_follow(mjcf_writer *m, const arne_joint_spec *s)
{
    const double line[5] = {s->mimic_offset, s->mimic_ratio, 0, 0, 0};
    if (!has_terms(m->w->b, s->name)) {
        mjcf_polynomial(m, s->name, s->mimic, line);
        return;
    }
    put(&m->w->out, "    <tendon");
    mjcf_text(m, "tendon1", s->name);
    mjcf_value(m, "polycoef", s->mimic_offset);
    put(&m->w->out, "/>\n");
}

int write_mjcf_holds(const arne_builder *b, const arne_function_spec *f)
{
    const int             k = name_index_find(&b->joint_index, f->joint);
    const arne_joint_spec none = {0}, *j = k < 0 ? &none : &b->joints[k];
    int                   count = 0;
    for (int i = 0; i < b->function_count; i++)
        count += strcmp(b->functions[i].joint, f->joint) == 0;
    return f->function.kind == ARNE_FUNCTION_POLYNOMIAL && f->function.count <= 5 && count == 1 &&
           !j->mimic;
}

static void mjcf_function(mjcf_writer *m, const arne_function_spec *f)
{
    double y[5] = {0};
    for (int i = 0; i < f->function.count && i < 5; i++)
        y[i] = f->function.factor * f->function.y[i];
    mjcf_polynomial(m, f->joint, f->with, y);
}

static void mjcf_term(mjcf_writer *m, const char *joint, double coef)
{
    put(&m->w->out, "      <joint");
    mjcf_text(m, "joint", joint);
    mjcf_value(m, "coef", coef);
    put(&m->w->out, "/>\n");
}

// The sum of what a joint follows, times this.
static void mjcf_terms(mjcf_writer *m, const arne_joint_spec *s, double factor)
{
    const arne_builder *b = m->w->b;
    mjcf_term(m, s->mimic, factor * s->mimic_ratio);
    for (int k = 0; k < b->coupling_count; k++)
        if (b->couplings[k].joint && strcmp(b->couplings[k].joint, s->name) == 0)
            mjcf_term(m, b->couplings[k].with, factor * b->couplings[k].ratio);
    put(&m->w->out, "    </fixed>\n");
}

// Of a joint that is a tendon. Its length has no offset.
static void mjcf_tendon_passive(mjcf_writer *m, const arne_joint_spec *s)
{
    const arne_builder *b = m->w->b;
    double              damping = s->viscous;
    for (int i = 0; i < b->spring_count; i++)
        if (strcmp(b->springs[i].joint, s->name) == 0) {
            mjcf_value(m, "stiffness", b->springs[i].stiffness);
            mjcf_value(m, "springlength", b->springs[i].rest - s->mimic_offset);
            mjcf_lost_curve(m, &b->springs[i]);
            damping += b->springs[i].damping;
            if (b->springs[i].rest < s->mimic_offset) // MuJoCo: the length of relaxed joints
                write_lost(m->w, "the negative length at rest of tendon '%s'", s->name);
        }
    if (damping != 0) mjcf_value(m, "damping", damping);
    if (s->coulomb_positive != 0) mjcf_value(m, "frictionloss", s->coulomb_positive);
    if (s->rotor_inertia != 0)
        write_lost(m->w, "the inertia of tendon '%s', which MuJoCo has since 3.3", s->name);
}

void mjcf_write_tendons(mjcf_writer *m)
{
    const arne_builder *b = m->w->b;
    int                 any = 0;
    for (int i = 0; i < b->joint_count; i++) {
        const arne_joint_spec *s = &b->joints[i];
        const int              alone = mjcf_is_tendon(m, i);
        if (!alone && (!s->mimic || !has_terms(b, s->name))) continue;
        if (!any++) put(&m->w->out, "  <tendon>\n");
        put(&m->w->out, "    <fixed");
        mjcf_text(m, "name", s->name);
        if (alone) mjcf_tendon_passive(m, s);
        put(&m->w->out, ">\n");
        if (!alone) mjcf_term(m, s->name, 1);
        mjcf_terms(m, s, alone ? 1 : -1);
    }
    if (any) put(&m->w->out, "  </tendon>\n");
}

void mjcf_write_equality(mjcf_writer *m)
{
    const arne_builder *b = m->w->b;
    int                 any = b->loop_count > 0 || b->function_count > 0;
    for (int i = 0; i < b->joint_count; i++)
        any |= b->joints[i].mimic && !mjcf_is_tendon(m, i);
    if (!any) return;
    put(&m->w->out, "  <equality>\n");
    for (int i = 0; i < b->loop_count; i++)
        mjcf_loop(m, &b->loops[i]);
    for (int i = 0; i < b->joint_count; i++)
        if (b->joints[i].mimic && !mjcf_is_tendon(m, i)) mjcf_follow(m, &b->joints[i]);
    for (int i = 0; i < b->function_count; i++)
        mjcf_function(m, &b->functions[i]);
    put(&m->w->out, "  </equality>\n");
}

// ---- actuators

static int is_driven(const arne_builder *b, const arne_joint_spec *s)
{
    int declared = 0;
    for (int i = 0; i < b->joint_count; i++)
        declared |= b->joints[i].actuation == ARNE_ACTUATION_ACTIVE;
    if (s->mimic || builder_has_function(b, s->name) || arne_joint_kind_v_count(s->kind) != 1 ||
        s->kind == ARNE_JOINT_HELICAL)
        return 0;
    return declared ? s->actuation == ARNE_ACTUATION_ACTIVE
                    : s->actuation != ARNE_ACTUATION_PASSIVE;
}

void mjcf_write_motors(mjcf_writer *m)
{
    const arne_builder *b = m->w->b;
    int                 any = 0;
    for (int i = 0; i < b->joint_count; i++) {
        const arne_joint_spec *s = &b->joints[i];
        const double           range[2] = {-s->effort, s->effort};
        if (!is_driven(b, s)) continue;
        if (!any++) put(&m->w->out, "  <actuator>\n");
        put(&m->w->out, "    <motor");
        mjcf_text(m, "name", s->name);
        mjcf_text(m, "joint", s->name);
        if (isfinite(s->effort)) {
            put(&m->w->out, " ctrllimited=\"true\"");
            mjcf_values(m, "ctrlrange", 2, range);
        }
        put(&m->w->out, "/>\n");
    }
    if (any) put(&m->w->out, "  </actuator>\n");
}
