// From an estimate to a robot.
//
// Base parameters beta = G pi do not determine all parameters pi. For a free estimate, pi is the
// solution nearest to the prior pi0, in the scales D^(1/2) of the parameters:
//     pi = pi0 + D G^T (G D G^T)^-1 (beta - G pi0).
#include "base/error.h"
#include "identify/pseudo_inertia.h"
#include "identify/study.h"
#include "math/dense.h"
#include <arne/builder.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- parameters

static double scale_of(const arne_identify *s, int c)
{
    const int     n = s->m.n;
    const double *pi = s->estimate[ESTIMATE_PRIOR].pi;
    double        total = 0;
    for (int j = 0; j < n; j++)
        total += fabs(pi[10 * j]);
    const double mass = fmax(c < 10 * n ? fabs(pi[c / 10 * 10]) : 0, 0.05 * total / n + 1e-3);
    if (c >= 10 * n) return 0.04 * mass;
    return mass * (c % 10 == 0 ? 1 : c % 10 < 4 ? 0.3 : 0.1);
}

// Copies the friction columns of the model to the friction parameters of joints.
void spread_friction(const arne_identify *s, estimate *e)
{
    const model *m = &s->m;
    for (int c = m->base->rank; c < m->count; c++) {
        const model_column *k = &m->column[c];
        double             *own = e->pi + 10 * m->n + 3 * k->joint;
        const double        x = e->beta[c];
        if (k->kind == COLUMN_VISCOUS) own[0] = x;
        if (k->kind == COLUMN_POSITIVE) own[1] = x;
        if (k->kind == COLUMN_NEGATIVE) own[2] = x;
        if (k->kind == COLUMN_BOTH) own[1] = own[2] = x;
        if (k->kind == COLUMN_SIGMOID) {
            const double rest = 1 / (1 + exp(-k->shape[0] * k->shape[1]));
            own[1] = x * (1 - rest);
            own[2] = x * rest;
        }
    }
    for (int c = m->base->rank; c < m->count; c++) {
        double *own = e->pi + 10 * m->n + 3 * m->column[c].joint;
        if (m->column[c].kind != COLUMN_OFFSET) continue;
        own[1] += e->beta[c];
        own[2] -= e->beta[c];
    }
}

arne_status find_free_parameters(arne_identify *s, arne_error *error)
{
    const arne_base_set *b = s->m.base;
    const size_t         rank = (size_t)b->rank, all = (size_t)b->parameter_count;
    estimate            *e = &s->estimate[ESTIMATE_FREE];
    const double        *prior = s->estimate[ESTIMATE_PRIOR].pi;
    double              *K = malloc((rank * rank + rank + all + 1) * sizeof *K);
    if (!K) return arne_fail_memory(error);
    double *x = K + rank * rank, *D = x + rank;
    for (size_t c = 0; c < all; c++)
        D[c] = pow(scale_of(s, (int)c), 2);
    arne_base_values(b, prior, x);
    for (size_t i = 0; i < rank; i++) {
        x[i] = e->beta[i] - x[i];
        for (size_t k = 0; k < rank; k++) {
            double sum = 0;
            for (size_t c = 0; c < all; c++)
                sum += b->grouping[i * all + c] * D[c] * b->grouping[k * all + c];
            K[i * rank + k] = sum;
        }
    }
    memcpy(e->pi, prior, (size_t)s->m.parameters * sizeof *prior);
    if (dense_factor(b->rank, K, 0)) {
        dense_solve(b->rank, K, x);
        for (size_t i = 0; i < rank; i++)
            for (size_t c = 0; c < all; c++)
                e->pi[c] += D[c] * b->grouping[i * all + c] * x[i];
    }
    free(K);
    spread_friction(s, e);
    return ARNE_OK;
}

// ---- the robot

static arne_status set_link(arne_builder *b, const char *name, const double *pi, arne_error *error)
{
    arne_body_spec    spec;
    const arne_status status = arne_builder_get_body(b, name, &spec);
    if (status) return arne_fail(error, status, NULL, 0, "link '%s' is not there", name);
    const double m = pi[0];
    const int    none = m == 0;
    const double c[3] = {none ? 0 : pi[1] / m, none ? 0 : pi[2] / m, none ? 0 : pi[3] / m};
    spec.mass = m;
    spec.com = (arne_vec3){c[0], c[1], c[2]};
    spec.inertia[0] = pi[4] - m * (c[1] * c[1] + c[2] * c[2]);
    spec.inertia[1] = pi[6] - m * (c[0] * c[0] + c[2] * c[2]);
    spec.inertia[2] = pi[9] - m * (c[0] * c[0] + c[1] * c[1]);
    spec.inertia[3] = pi[5] + m * c[0] * c[1];
    spec.inertia[4] = pi[7] + m * c[0] * c[2];
    spec.inertia[5] = pi[8] + m * c[1] * c[2];
    spec.about_origin = 0;
    spec.inertia_axes = (arne_mat3){{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    if (!none && !link_is_consistent(pi))
        spec.accept = ARNE_ACCEPT_TRIANGLE | ARNE_ACCEPT_INERTIA | ARNE_ACCEPT_NEGATIVE;
    return arne_builder_set_body(b, &spec, error);
}

// Whether friction is negative in one direction: a torque offset, which robot files do not have.
static int has_offset(const arne_identify *s, int j, const double *own)
{
    const double least =
        -1e-8 * s->sums[SET_FIT][ESTIMATE_FOUND].size[j]; // relative to the torque: rounding
    return own[1] < least || own[2] < least;
}

// Warns of what a robot file cannot express.
static void tell_unwritten(const arne_identify *s, int j)
{
    const char   *name = arne_robot_joint(s->robot, j).name;
    const double *own = s->result.parameters + 10 * s->m.n + 3 * (ptrdiff_t)j;
    if (has_offset(s, j, own))
        study_warn(
            s, "offset", NULL, 0,
            "joint '%s': friction is %.4g forward and %.4g backward; a robot file says %.4g for "
            "both, the offset of %.4g is in summary.json alone",
            name, own[1], own[2], fmax((own[1] + own[2]) / 2, 0), (own[1] - own[2]) / 2);
    for (int c = s->m.base->rank; c < s->m.count; c++) {
        const model_column *k = &s->m.column[c];
        const double        x = s->estimate[ESTIMATE_FOUND].beta[c];
        const char         *what = k->kind == COLUMN_STRIBECK ? "Stribeck's friction"
                                   : k->kind == COLUMN_LOAD   ? "friction in proportion to the load"
                                   : k->kind == COLUMN_SIGMOID ? "the sigmoid of friction"
                                                               : NULL;
        if (k->joint != j || !what || x == 0) continue;
        study_warn(s, "friction", NULL, 0,
                   "joint '%s': %s (%.4g) is in summary.json and parameters.csv; a robot file has "
                   "no word for it%s",
                   name, what, x,
                   k->kind == COLUMN_SIGMOID ? " and says its limits as Coulomb friction" : "");
    }
}

// A rigid motor of one joint: the estimate has the sum of joint and motor. All friction is written
// to the joint, a reflected rotor to the motor.
static arne_status move_to_motor(const arne_identify *s, arne_builder *b, arne_joint_spec *joint,
                                 arne_error *error)
{
    const int       j = arne_find_joint(s->robot, joint->name);
    arne_motor_spec motor;
    if (arne_builder_get_motor(b, joint->name, &motor)) return ARNE_OK;
    for (int k = 0; s->m.coupling && !s->options.coupling && k < s->m.n; k++)
        if (k != j && s->m.coupling[j * s->m.n + k] != 0) return ARNE_OK;
    if (s->friction != ARNE_FRICTION_NONE)
        motor.viscous = motor.coulomb_positive = motor.coulomb_negative = 0;
    if (motor.reflected && !s->options.no_rotor) {
        motor.inertia = joint->rotor_inertia / (motor.gear * motor.gear);
        joint->rotor_inertia = 0;
    }
    return arne_builder_set_motor(b, &motor, error);
}

static arne_status set_joint(const arne_identify *s, arne_builder *b, int j, const double *pi,
                             arne_error *error)
{
    const int             n = s->m.n;
    const double         *own = pi + 10 * n + 3 * (ptrdiff_t)j;
    const arne_joint_info info = arne_robot_joint(s->robot, j);
    arne_joint_spec       spec;
    const arne_status     status = arne_builder_get_joint(b, info.name, &spec);
    if (status) return arne_fail(error, status, NULL, 0, "joint '%s' is not there", info.name);
    const double both = (own[1] + own[2]) / 2;
    const int    is_offset = has_offset(s, j, own);
    spec.viscous = fmax(own[0], 0);
    spec.coulomb_positive = fmax(is_offset ? both : own[1], 0);
    spec.coulomb_negative = fmax(is_offset ? both : own[2], 0);
    if (!s->options.no_rotor) spec.rotor_inertia = fmax(pi[13 * n + j], 0);
    const arne_status moved = move_to_motor(s, b, &spec, error);
    return moved ? moved : arne_builder_set_joint(b, &spec, error);
}

static arne_status add_springs(const arne_identify *s, arne_builder *b, const double *beta,
                               arne_error *error)
{
    arne_status status = ARNE_OK;
    for (int c = s->m.base->rank; c < s->m.count && !status; c++) {
        const model_column *k = &s->m.column[c];
        if (k->kind != COLUMN_STIFFNESS || !(beta[c] > 0)) continue;
        arne_spring_spec spec = arne_spring_spec_default();
        const int        loaded = c + 1 < s->m.count && k[1].kind == COLUMN_PRELOAD;
        spec.joint = arne_robot_joint(s->robot, k->joint).name;
        spec.stiffness = beta[c];
        spec.rest = loaded ? -beta[c + 1] / beta[c] : 0;
        status = arne_builder_add_spring(b, &spec, error);
    }
    return status;
}

// A motor that is coupled to several joints. If only the settings have it, it is added to the
// robot.
static arne_status set_motor(const arne_identify *s, arne_builder *b, int first, arne_error *error)
{
    const model        *m = &s->m;
    const model_column *k = &m->column[first];
    const char         *joint = arne_robot_joint(s->robot, k->joint).name;
    arne_motor_spec     spec = arne_motor_spec_default();
    const int           has = arne_builder_get_motor(b, joint, &spec) == ARNE_OK;
    arne_status         status = ARNE_OK;
    if (has && k->motor < 0) return ARNE_OK; // settings and robot differ
    if (!has) {
        spec.joint = joint;
        spec.gear = s->gear[k->joint * m->n + k->joint];
        spec.reflected = 1;
    }
    for (int c = first; c < m->count && m->column[c].joint == k->joint; c++) {
        const double x = fmax(s->estimate[ESTIMATE_FOUND].beta[c], 0);
        if (m->column[c].kind == COLUMN_MOTOR_ROTOR) spec.inertia = x / (spec.gear * spec.gear);
        if (m->column[c].kind == COLUMN_MOTOR_VISCOUS) spec.viscous = x;
        if (m->column[c].kind == COLUMN_MOTOR_COULOMB)
            spec.coulomb_positive = spec.coulomb_negative = x;
    }
    if (has) return arne_builder_set_motor(b, &spec, error);
    status = arne_builder_add_motor(b, &spec, error);
    for (int i = 0; i < m->n && !status; i++) {
        const double             part = m->coupling[k->joint * m->n + i];
        const arne_coupling_spec with = {
            .motor = joint, .with = arne_robot_joint(s->robot, i).name, .ratio = part};
        if (i != k->joint && part != 0) status = arne_builder_add_coupling(b, &with, error);
    }
    return status;
}

static arne_status set_motors(const arne_identify *s, arne_builder *b, arne_error *error)
{
    arne_status status = ARNE_OK;
    for (int c = s->m.base->rank; c < s->m.count && !status; c++) {
        const model_column *k = &s->m.column[c];
        if (k->kind >= COLUMN_MOTOR_ROTOR &&
            (k[-1].kind < COLUMN_MOTOR_ROTOR || k[-1].joint != k->joint))
            status = set_motor(s, b, c, error);
    }
    return status;
}

// The link of a joint gets the mass of all that is fixed to it; those links become frames without
// mass.
static arne_status fill_builder(const arne_identify *s, arne_builder *b, const double *pi,
                                const double *shift, arne_error *error)
{
    const arne_sizes size = arne_robot_sizes(s->robot);
    const double     nothing[10] = {0};
    arne_status      status = arne_builder_add_robot(b, s->robot, error);
    for (int f = 0; f < size.link_count && !status; f++) {
        const arne_frame_info frame = arne_robot_frame(s->robot, f);
        int                   own = frame.body == 0; // links fixed to the world are unchanged
        for (int j = 0; j < s->m.n; j++)
            own |= arne_robot_joint(s->robot, j).child == f;
        if (!own) status = set_link(b, frame.name, nothing, error);
    }
    for (int j = 0; j < s->m.n && !status; j++) {
        double                own[10];
        const arne_joint_info joint = arne_robot_joint(s->robot, j);
        for (int k = 0; k < 10; k++)
            own[k] = pi[10 * j + k] - shift[10 * j + k];
        status = set_link(b, arne_robot_frame(s->robot, joint.child).name, own, error);
        if (!status) status = set_joint(s, b, j, pi, error);
    }
    if (!status) status = set_motors(s, b, error);
    if (!status && s->options.springs)
        status = add_springs(s, b, s->estimate[ESTIMATE_FOUND].beta, error);
    return status;
}

static arne_status identified_robot_build(const arne_identify *s, const double *pi,
                                          const double *shift, arne_robot **out, arne_error *error)
{
    arne_builder *b = NULL;
    if (arne_builder_new(&b)) return arne_fail_memory(error);
    arne_status status = fill_builder(s, b, pi, shift, error);
    if (!status) status = arne_builder_finish(b, NULL, out, error);
    arne_builder_free(b);
    return status;
}

// Motors with mass are part of the estimated links. A first robot is built to measure their share,
// and a second one with links reduced by it.
arne_status arne_identify_robot(const arne_identify *s, arne_robot **out, arne_error *error)
{
    if (!s || !out || !s->is_done)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "there is no fit yet");
    *out = NULL;
    const size_t  links = 10 * (size_t)s->m.n;
    const double *pi = s->result.parameters;
    double       *shift = calloc(links, sizeof *shift), most = 0;
    if (!shift) return arne_fail_memory(error);
    for (int j = 0; j < s->m.n; j++)
        tell_unwritten(s, j);
    arne_status status = identified_robot_build(s, pi, shift, out, error);
    // The robot may have more motors than the prior, and so more parameters.
    double *built = status ? NULL : malloc((size_t)arne_parameter_count(*out) * sizeof *built);
    if (!status && !built) status = arne_fail_memory(error);
    if (!status) {
        arne_parameters(*out, built);
        for (size_t k = 0; k < links; k++) {
            shift[k] = built[k] - pi[k];
            most = fmax(most, fabs(shift[k]) / (1e-9 + fabs(pi[k / 10 * 10])));
        }
        if (most > 1e-9) {
            arne_robot_free(*out);
            *out = NULL;
            status = identified_robot_build(s, pi, shift, out, error);
        }
    }
    if (status) {
        arne_robot_free(*out);
        *out = NULL;
    }
    free(built);
    free(shift);
    return status;
}
