// The columns of the regression: base parameters of links and rotors, friction of joints, springs,
// and rotor and friction of motors that are coupled to several joints.
//
// A coupled motor m has the speed s_m = sum of C_mk qd_k / C_mm, in turns of its joint. Its torque,
// from rotor and friction, acts on joint k times C_mk / C_mm.
#include "base/error.h"
#include "base/plain.h"
#include "base/random.h"
#include "identify/study.h"
#include <arne/dynamics.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {
    "",        "viscous", "coulomb_positive", "coulomb_negative", "coulomb", "offset",  "stribeck",
    "sigmoid", "load",    "stiffness",        "preload",          "rotor",   "viscous", "coulomb"};

static int is_motor(column_kind kind) { return kind >= COLUMN_MOTOR_ROTOR; }

void model_name(const arne_identify *s, int column, char *name, size_t size)
{
    const model_column *c = &s->m.column[column];
    if (c->kind == COLUMN_BASE)
        arne_parameter_name(s->robot, s->m.base->kept[column], name, size);
    else
        snprintf(name, size, "%s%.200s.%s", is_motor(c->kind) ? "motor." : "",
                 arne_robot_joint(s->robot, c->joint).name, kind_names[c->kind]);
}

const char *model_unit(const arne_identify *s, int column)
{
    static const char *const of_link[] = {"kg",     "kg m",   "kg m",   "kg m",   "kg m^2",
                                          "kg m^2", "kg m^2", "kg m^2", "kg m^2", "kg m^2"};
    const model_column      *c = &s->m.column[column];
    if (c->kind == COLUMN_BASE && s->m.base->kept[column] < 10 * s->m.n)
        return of_link[s->m.base->kept[column] % 10];
    const int joint = c->kind == COLUMN_BASE ? s->m.base->kept[column] % s->m.n : c->joint;
    const arne_joint_kind_info *kind =
        arne_joint_kind_facts(arne_robot_joint(s->robot, joint).kind);
    const int slides = kind->q[0] == ARNE_COORDINATE_LENGTH;
    switch (c->kind) {
    case COLUMN_BASE: // rotors
    case COLUMN_MOTOR_ROTOR:
        return slides ? "kg" : "kg m^2";
    case COLUMN_VISCOUS:
    case COLUMN_MOTOR_VISCOUS:
        return slides ? "N s/m" : "N m s/rad";
    case COLUMN_STIFFNESS:
        return slides ? "N/m" : "N m/rad";
    case COLUMN_LOAD:
        return "";
    default:
        return slides ? "N" : "N m";
    }
}

void model_grouping(const arne_identify *s, int column, char *text, size_t size)
{
    char   name[300];
    size_t at;
    model_name(s, column, text, size);
    if (s->m.column[column].kind != COLUMN_BASE) return;
    const arne_base_set *b = s->m.base;
    at = strlen(text);
    for (int c = 0; c < b->parameter_count; c++) {
        const double factor = b->grouping[(size_t)column * (size_t)b->parameter_count + (size_t)c];
        if (factor == 0 || c == b->kept[column] || at + 20 > size) continue;
        arne_parameter_name(s->robot, c, name, sizeof name);
        if (fabs(factor) == 1)
            snprintf(text + at, size - at, " %c %s", factor > 0 ? '+' : '-', name);
        else
            plain_print(text + at, size - at, " %c %.9g %s", factor > 0 ? '+' : '-', fabs(factor),
                        name);
        at = strlen(text);
    }
}

// ---- making it

static void model_add(model *m, column_kind kind, int joint)
{
    m->column[m->count] =
        (model_column){.kind = kind, .joint = joint, .motor = -1, .shape = {0.05, 0}};
    if (kind == COLUMN_SIGMOID) m->column[m->count].shape[0] = 20;
    m->needs_load |= kind == COLUMN_LOAD;
    m->is_shaped |= kind == COLUMN_STRIBECK || kind == COLUMN_SIGMOID || kind == COLUMN_LOAD;
    m->count++;
}

static void model_add_friction(model *m, int friction)
{
    for (int j = 0; j < m->n; j++) {
        if (friction & ARNE_FRICTION_VISCOUS) model_add(m, COLUMN_VISCOUS, j);
        if (friction & ARNE_FRICTION_SIGMOID) {
            model_add(m, COLUMN_SIGMOID, j);
        } else if (friction & ARNE_FRICTION_COULOMB) {
            if (friction & ARNE_FRICTION_OFFSET) {
                model_add(m, COLUMN_BOTH, j);
            } else {
                model_add(m, COLUMN_POSITIVE, j);
                model_add(m, COLUMN_NEGATIVE, j);
            }
        }
        if (friction & ARNE_FRICTION_OFFSET) model_add(m, COLUMN_OFFSET, j);
        if (friction & ARNE_FRICTION_STRIBECK) model_add(m, COLUMN_STRIBECK, j);
        if (friction & ARNE_FRICTION_LOAD) model_add(m, COLUMN_LOAD, j);
    }
}

static int motor_of(const arne_robot *r, int joint)
{
    for (int i = 0; i < arne_robot_sizes(r).motor_count; i++)
        if (arne_robot_motor(r, i).joint == joint) return i;
    return -1;
}

static void add_motors(arne_identify *s)
{
    model *m = &s->m;
    for (int i = 0; m->coupling && i < m->n; i++) {
        double    sum = 0;
        const int first = m->count;
        for (int k = 0; k < m->n; k++)
            sum += k == i ? 0 : fabs(m->coupling[i * m->n + k]);
        if (sum == 0) continue;
        if (!s->options.no_rotor) model_add(m, COLUMN_MOTOR_ROTOR, i);
        if (s->friction & ARNE_FRICTION_VISCOUS) model_add(m, COLUMN_MOTOR_VISCOUS, i);
        if (s->friction & ARNE_FRICTION_COULOMB) model_add(m, COLUMN_MOTOR_COULOMB, i);
        for (int c = first; c < m->count; c++)
            m->column[c].motor = s->options.coupling ? -1 : motor_of(s->robot, i);
    }
}

// The parameter of the robot that a column of a coupled motor stands for; -1: none.
static int motor_parameter(const model *m, const model_column *c)
{
    if (!is_motor(c->kind) || c->motor < 0) return -1;
    const int first = 14 * m->n + 4 * c->motor;
    return c->kind == COLUMN_MOTOR_ROTOR     ? first
           : c->kind == COLUMN_MOTOR_VISCOUS ? first + 1
                                             : first + 2;
}

// Parameters that are not estimated: motors with a body, and kinds that are switched off.
static void find_known(arne_identify *s, const double *pi)
{
    model    *m = &s->m;
    const int links = 10 * m->n, rotors = 13 * m->n, motors = 14 * m->n;
    for (int c = links; c < m->parameters; c++) {
        const int known = c < rotors   ? s->friction == ARNE_FRICTION_NONE
                          : c < motors ? s->options.no_rotor
                                       : 1;
        m->known[c] = known ? pi[c] : 0;
    }
    for (int c = m->base->rank; c < m->count; c++) {
        const int own = motor_parameter(m, &m->column[c]);
        if (own >= 0) m->known[own] = 0;
        if (own >= 0 && m->column[c].kind == COLUMN_MOTOR_COULOMB) m->known[own + 1] = 0;
    }
    for (int c = 0; c < m->parameters; c++)
        m->has_known |= m->known[c] != 0;
}

static void find_prior(arne_identify *s, const double *pi)
{
    model *m = &s->m;
    arne_base_values(m->base, pi, m->prior);
    for (int c = m->base->rank; c < m->count; c++) {
        const model_column *k = &m->column[c];
        const double       *own = pi + 10 * m->n + 3 * k->joint;
        m->prior[c] = k->kind == COLUMN_VISCOUS    ? own[0]
                      : k->kind == COLUMN_POSITIVE ? own[1]
                      : k->kind == COLUMN_NEGATIVE ? own[2]
                      : k->kind == COLUMN_BOTH     ? (own[1] + own[2]) / 2
                      : k->kind == COLUMN_OFFSET   ? (own[1] - own[2]) / 2
                                                   : 0;
        if (k->kind == COLUMN_SIGMOID) m->prior[c] = own[1] + own[2];
        const int motor = motor_parameter(m, k);
        if (motor < 0) continue;
        const double gear = arne_robot_motor(s->robot, k->motor).gear;
        m->prior[c] = k->kind == COLUMN_MOTOR_ROTOR     ? gear * gear * pi[motor]
                      : k->kind == COLUMN_MOTOR_COULOMB ? (pi[motor] + pi[motor + 1]) / 2
                                                        : pi[motor];
        if (k->kind == COLUMN_OFFSET && !(s->friction & ARNE_FRICTION_COULOMB)) m->prior[c] = 0;
    }
}

// Finds the columns that are not zero in the rows of each joint, at random states.
static int find_used(arne_identify *s, arne_work *work)
{
    model       *m = &s->m;
    const size_t n = (size_t)m->n, count = (size_t)m->count;
    uint64_t     seed = 1;
    double      *x = malloc((5 * n + n * count + n * (size_t)m->parameters) * sizeof *x);
    char        *is_used = calloc(n * count + 1, 1);
    if (!x || !is_used) {
        free(x);
        free(is_used);
        return 0;
    }
    double *y = x + 5 * n;
    for (int k = 0; k < 8; k++) {
        for (size_t i = 0; i < 5 * n; i++)
            x[i] = random_between(&seed, -2, 2);
        model_rows(s, work, y + n * count, x, x + n, x + 2 * n, x + 3 * n, y, x + 4 * n);
        for (size_t i = 0; i < n * count; i++)
            is_used[i] |= fabs(y[i]) > 1e-12;
    }
    for (size_t j = 0; j < n; j++)
        for (size_t c = 0; c < count; c++)
            if (is_used[j * count + c]) m->used[j * count + (size_t)m->used_count[j]++] = (int)c;
    free(x);
    free(is_used);
    return 1;
}

// Motors are not estimated or have columns of their own, so base parameters exclude them.
static void leave_out_motors(const model *m)
{
    const size_t all = (size_t)m->parameters;
    for (size_t i = 0; i < (size_t)m->base->rank; i++)
        for (size_t c = 14 * (size_t)m->n; c < all; c++)
            m->base->grouping[i * all + c] = 0;
}

static int model_holds_weight(const arne_robot *r)
{
    for (int i = 0; i < arne_robot_sizes(r).frame_count; i++)
        if (arne_robot_frame(r, i).gravity_compensation != 0) return 1;
    return 0;
}

static arne_status model_check_robot(const arne_robot *r, arne_error *error)
{
    const arne_sizes z = arne_robot_sizes(r);
    const char      *why = NULL;
    if (arne_robot_base(r) != ARNE_BASE_FIXED)
        why = "a base that moves";
    else if (z.loop_count)
        why = "loops";
    else if (z.theta_count)
        why = "motors behind springs";
    else if (z.joint_count != z.v_count || z.q_count != z.v_count)
        why = "joints of several coordinates, or that follow others";
    else if (model_holds_weight(r))
        why = "gravity compensation";
    else if (z.v_count == 0)
        why = "no joint";
    if (!why) return ARNE_OK;
    return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                     "robots with %s cannot be identified; fix or free such parts in its file",
                     why);
}

arne_status model_make(arne_identify *s, arne_error *error)
{
    model            *m = &s->m;
    const arne_status status = model_check_robot(s->robot, error);
    arne_work        *work = NULL;
    if (status) return status;
    m->n = arne_robot_sizes(s->robot).v_count;
    m->parameters = arne_parameter_count(s->robot);
    const size_t n = (size_t)m->n, most = (size_t)m->parameters + 12 * n;
    const int kinds = ARNE_PARAMETERS_INERTIAL | (s->options.no_rotor ? 0 : ARNE_PARAMETERS_ROTOR);
    double   *pi = study_take(s, (size_t)m->parameters + 1, sizeof *pi);
    m->column = study_take(s, most, sizeof *m->column);
    m->prior = study_take(s, most, sizeof *m->prior);
    m->known = study_take(s, (size_t)m->parameters + 1, sizeof *m->known);
    m->used = study_take(s, n * most, sizeof *m->used);
    m->used_count = study_take(s, n, sizeof *m->used_count);
    if (!pi || !m->column || !m->prior || !m->known || !m->used || !m->used_count ||
        arne_work_new(s->robot, &work) != ARNE_OK)
        return arne_fail_memory(error);
    arne_status made = gears_make(s, error);
    if (!made) made = arne_base_set_new(s->robot, work, kinds, 1, &m->base, error);
    if (!made) {
        leave_out_motors(m);
        m->count = m->base->rank;
        model_add_friction(m, s->friction);
        for (int j = 0; s->options.springs && j < m->n; j++) {
            model_add(m, COLUMN_STIFFNESS, j);
            if (!(s->friction & (ARNE_FRICTION_OFFSET | ARNE_FRICTION_COULOMB)))
                model_add(m, COLUMN_PRELOAD, j);
        }
        add_motors(s);
        arne_parameters(s->robot, pi);
        find_known(s, pi);
        find_prior(s, pi);
        if (!find_used(s, work)) made = arne_fail_memory(error);
    }
    arne_work_free(work);
    return made;
}

// ---- rows

static double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

static double own_value(const model_column *c, double q, double qd, double load)
{
    switch (c->kind) {
    case COLUMN_VISCOUS:
        return qd;
    case COLUMN_POSITIVE:
        return qd > 0;
    case COLUMN_NEGATIVE:
        return -(qd < 0);
    case COLUMN_BOTH:
        return sign(qd);
    case COLUMN_OFFSET:
        return 1;
    case COLUMN_STRIBECK:
        return sign(qd) * exp(-qd * qd / (c->shape[0] * c->shape[0]));
    case COLUMN_SIGMOID:
        return 1 / (1 + exp(-c->shape[0] * (qd + c->shape[1]))) -
               1 / (1 + exp(-c->shape[0] * c->shape[1]));
    case COLUMN_LOAD:
        return fabs(load) * sign(qd);
    case COLUMN_STIFFNESS:
        return q;
    case COLUMN_PRELOAD:
        return 1;
    default:
        return 0;
    }
}

// C_mk / C_mm.
static double motor_part(const arne_identify *s, int m, int k)
{
    return s->m.coupling[(ptrdiff_t)m * s->m.n + k];
}

static double motor_value(const arne_identify *s, const model_column *c, const double *qd,
                          const double *qdd)
{
    double speed = 0, rate = 0;
    for (int k = 0; k < s->m.n; k++) {
        const double part = motor_part(s, c->joint, k);
        speed += part * qd[k];
        rate += part * qdd[k];
    }
    return c->kind == COLUMN_MOTOR_ROTOR     ? rate
           : c->kind == COLUMN_MOTOR_VISCOUS ? speed
                                             : sign(speed);
}

void model_columns(const arne_identify *s, int count, const double *q, const double *qd,
                   const double *qdd, const double *load, double *own)
{
    const model *m = &s->m;
    for (int c = m->base->rank; c < m->count; c++, own += count) {
        const model_column *k = &m->column[c];
        for (int i = 0; i < count; i++) {
            const size_t at = (size_t)i * (size_t)m->n, j = at + (size_t)k->joint;
            own[i] = is_motor(k->kind)
                         ? motor_value(s, k, qd + at, qdd + at)
                         : own_value(k, q[j], qd[j], load ? load[k->joint * count + i] : 0);
        }
    }
}

model_entry model_entry_of(const arne_identify *s, int joint, int column, int count,
                           const double *Y, const double *own)
{
    const model *m = &s->m;
    if (column < m->base->rank) {
        const size_t at = (size_t)joint * (size_t)m->parameters + (size_t)m->base->kept[column];
        return (model_entry){Y + at * (size_t)count, 1};
    }
    const model_column *k = &m->column[column];
    if (k->kind == COLUMN_MOTOR_ROTOR && k->motor >= 0) { // including its gyroscopic torque
        const size_t at = (size_t)joint * (size_t)m->parameters + (size_t)motor_parameter(m, k);
        const double gear = arne_robot_motor(s->robot, k->motor).gear;
        return (model_entry){Y + at * (size_t)count, 1 / (gear * gear)};
    }
    const double part = is_motor(k->kind)   ? motor_part(s, k->joint, joint)
                        : k->joint == joint ? 1
                                            : 0;
    return (model_entry){own + (size_t)(column - m->base->rank) * (size_t)count, part};
}

// Subtracts from tau the springs of the robot, and the friction and motors that are not estimated.
void model_take_known(const arne_identify *s, int count, const double *Y, const double *q,
                      const double *qd, double *tau)
{
    const model *m = &s->m;
    const int    n = m->n;
    for (int j = 0; m->has_known && j < n; j++)
        for (int c = 10 * n; c < m->parameters; c++) {
            const double *y = Y + ((size_t)j * (size_t)m->parameters + (size_t)c) * (size_t)count;
            for (int i = 0; m->known[c] != 0 && i < count; i++)
                tau[i * n + j] -= y[i] * m->known[c];
        }
    const int springs = s->options.springs ? 0 : arne_robot_sizes(s->robot).spring_count;
    for (int k = 0; k < springs; k++) {
        const arne_spring_info own = arne_robot_spring(s->robot, k);
        const int              v = arne_robot_joint(s->robot, own.joint).v_start;
        for (int i = 0; i < count; i++)
            tau[i * n + v] += arne_spring_torque(&own, q[i * n + v], qd[i * n + v]);
    }
}

void model_rows(const arne_identify *s, arne_work *work, double *Y, const double *q,
                const double *qd, const double *qdd, const double *load, double *y, double *tau)
{
    const model *m = &s->m;
    const size_t count = (size_t)m->count;
    arne_regressor(s->robot, work, q, qd, qdd, Y);
    // Scratch: the end of the last row, which is written last.
    double *own = y + (size_t)(m->n - 1) * count + (size_t)m->base->rank;
    model_columns(s, 1, q, qd, qdd, load, own);
    for (int j = 0; j < m->n; j++)
        for (int c = 0; c < m->count; c++) {
            const model_entry e = model_entry_of(s, j, c, 1, Y, own);
            y[(size_t)j * count + (size_t)c] = e.factor * *e.at;
        }
    model_take_known(s, 1, Y, q, qd, tau);
}
