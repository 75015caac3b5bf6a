// Static optimisation: forces of muscles as lines P + C a of their activation, torques of them by
// moment arms, and the program of activation_program.h. With compliant tendons the lines are
// tangents, and the program is solved again until they no longer change: at that point its
// conditions are those of the whole problem.
#include "base/options.h"
#include "muscle/activation_program.h"
#include "muscle/force.h"
#include "robot/muscles.h"
#include "robot/robot.h"
#include <math.h>
#include <stdlib.h>

enum { TANGENT_STEPS = 100 };
static const double TANGENT_TOLERANCE = 1e-9; // of activations
static const double NEAR_ZERO = 0.01;         // activation
static const double ARM_LEAST = 1e-9;         // m: less is rounding

struct arne_static {
    const arne_robot   *robot;
    arne_static_options options; // its arrays are below
    int                 muscles, v_count;
    double             *reserves, *lower, *upper; // v_count, muscles, muscles
    double             *steady, *gain;            // forces are steady + gain a
    double             *a, *low, *high;           // of the columns
    double             *b, *soft, *lambda;        // of the rows
    double             *value, *room;
    int                *column, *row_of, *start, *row;
};

// ---- memory ----

static void static_defaults(arne_static *s, const arne_static_options *o)
{
    for (int j = 0; j < s->v_count; j++)
        s->reserves[j] = o->reserves ? o->reserves[j] : 0;
    for (int i = 0; i < s->muscles; i++) {
        s->lower[i] = o->lower ? o->lower[i] : 0;
        s->upper[i] = o->upper ? o->upper[i] : 1;
    }
    s->options = *o;
    s->options.reserves = s->options.lower = s->options.upper = NULL;
    if (o->power == 0) s->options.power = 2;
}

static arne_status static_check(const arne_static *s, arne_error *error)
{
    const double power = s->options.power;
    if (!(power >= 1 && power <= 100))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "power must be from 1 to 100, not %g", power);
    for (int j = 0; j < s->v_count; j++)
        if (!(s->reserves[j] >= 0))
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "reserves: entry %d must not be negative, it is %g", j + 1,
                             s->reserves[j]);
    for (int i = 0; i < s->muscles; i++)
        if (!(0 <= s->lower[i] && s->lower[i] <= s->upper[i] && s->upper[i] <= 1))
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "muscle '%s': bounds of activation must be within 0 and 1, not %g to "
                             "%g",
                             arne_robot_muscle(s->robot, i).name, s->lower[i], s->upper[i]);
    return ARNE_OK;
}

static int static_place(arne_static *s)
{
    const size_t n = (size_t)s->muscles, v = (size_t)s->v_count;
    const size_t room = (size_t)activation_room(s->muscles, s->v_count);
    double      *at = calloc(7 * n + 4 * v + n * v + room, sizeof *at);
    int         *index = calloc(n + v + n + 1 + n * v, sizeof *index);
    s->reserves = at;
    s->column = index;
    if (!at || !index) return 0;
    s->b = at + v;
    s->soft = s->b + v;
    s->lambda = s->soft + v;
    s->lower = s->lambda + v;
    s->upper = s->lower + n;
    s->steady = s->upper + n;
    s->gain = s->steady + n;
    s->a = s->gain + n;
    s->low = s->a + n;
    s->high = s->low + n;
    s->value = s->high + n;
    s->room = s->value + n * v;
    s->row_of = index + n;
    s->start = s->row_of + v;
    s->row = s->start + n + 1;
    return 1;
}

arne_status arne_static_new(const arne_robot *robot, const arne_static_options *options,
                            arne_static **out, arne_error *error)
{
    arne_static_options own = {.size = sizeof own};
    arne_error_clear(error);
    if (!robot || !out) return arne_fail_null(error);
    *out = NULL;
    if (options && !options_take(&own, sizeof own, OPTIONS_FIRST(arne_static_options), options))
        return options_refuse(error);
    if (robot->muscle_count == 0)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "the robot has no muscles");
    arne_static *s = calloc(1, sizeof *s);
    if (!s) return arne_fail_memory(error);
    s->robot = robot;
    s->muscles = robot->muscle_count;
    s->v_count = robot->v_count;
    arne_status status = ARNE_OK;
    if (!static_place(s))
        status = arne_fail_memory(error);
    else {
        static_defaults(s, &own);
        status = static_check(s, error);
    }
    if (status)
        arne_static_free(s);
    else
        *out = s;
    return status;
}

void arne_static_free(arne_static *s)
{
    if (!s) return;
    free(s->reserves);
    free(s->column);
    free(s);
}

// ---- forces ----

static int static_active(const arne_static *s, int i)
{
    return muscle_is_driven(robot_muscles(s->robot)[i].law.kind);
}

// cos(pennation) as OpenSim's tool has it, over the true one.
static double static_pennation(const arne_muscle_law *p, const arne_muscle_result *r)
{
    const double sine = p->fibre_length * sin(p->pennation) / (r->fibre_length / p->fibre_length);
    return p->kind == ARNE_MUSCLE_MILLARD ? sqrt(1 - fmin(sine * sine, 1)) / cos(r->pennation) : 1;
}

// Lines of rigid tendons: from activations 0 and 1.
static void static_lines(arne_static *s, const double *lengths, const double *velocities)
{
    const arne_muscle_options with = {.tendon = ARNE_TENDON_RIGID};
    const arne_muscle_options without = {.tendon = ARNE_TENDON_RIGID, .no_passive = 1};
    for (int i = 0; i < s->muscles; i++) {
        const int          active = static_active(s, i);
        arne_muscle_result r = {0};
        s->steady[i] = s->gain[i] = 0;
        if (!active || s->options.passive) {
            muscle_result(s->robot, i, 0, lengths[i], velocities[i], &with, 0, &r);
            s->steady[i] = r.force;
        }
        if (!active) continue;
        muscle_result(s->robot, i, 1, lengths[i], velocities[i], &without, 0, &r);
        s->gain[i] = r.force;
        if (s->options.opensim) s->gain[i] *= static_pennation(&robot_muscles(s->robot)[i].law, &r);
    }
}

// Tangents at these activations. A tendon without force has no stiffness, and the slope of the
// force is not smooth there: up to NEAR_ZERO the force is a parabola that meets it smoothly at its
// end.
static void static_tangents(arne_static *s, const double *lengths, const double *velocities,
                            const double *activation)
{
    const arne_muscle_options o = {.tendon = ARNE_TENDON_EQUILIBRIUM,
                                   .no_passive = !s->options.passive};
    for (int i = 0; i < s->muscles; i++) {
        const double           a = activation[i], e = NEAR_ZERO;
        arne_muscle_result     r, zero;
        const arne_muscle_law *p = &robot_muscles(s->robot)[i].law;
        if (p->kind >= ARNE_MUSCLE_LIGAMENT || p->rigid_tendon) continue;
        muscle_result(s->robot, i, fmax(a, e), lengths[i], velocities[i], &o, 0, &r);
        s->gain[i] = r.force_by[0];
        s->steady[i] = r.force - r.force_by[0] * a;
        if (a > e) continue;
        muscle_result(s->robot, i, 0, lengths[i], velocities[i], &o, 0, &zero);
        const double chord = (r.force - zero.force) / e;
        const double slope = fmax(2 * chord - r.force_by[0], 0), bow = (chord - slope) / e;
        s->gain[i] = slope + 2 * bow * a;
        s->steady[i] = zero.force - bow * a * a;
    }
}

// ---- the program ----

// Which coordinates are rows: those that a muscle moves, and that are not left out.
static int static_rows(arne_static *s, const double *arms)
{
    int rows = 0;
    for (int j = 0; j < s->v_count; j++) {
        double most = 0;
        for (int i = 0; i < s->muscles; i++)
            if (static_active(s, i)) most = fmax(most, fabs(arms[i * s->v_count + j]));
        s->row_of[j] = most > ARM_LEAST && s->reserves[j] < INFINITY ? rows : -1;
        if (s->row_of[j] < 0) continue;
        s->soft[rows++] = 0.5 * s->reserves[j] * s->reserves[j];
    }
    return rows;
}

// Whether activating a muscle changes the torque of a row.
static int static_moves(const arne_static *s, const double *arms, double gain)
{
    int moves = 0;
    for (int j = 0; j < s->v_count; j++)
        moves |= s->row_of[j] >= 0 && fabs(arms[j]) > ARM_LEAST && gain != 0;
    return moves;
}

static int static_finite(int count, const double *x)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += 0 * x[i]; // NaN where one is not finite
    return sum == 0;
}

static arne_status static_program(arne_static *s, const double *tau, const double *arms,
                                  double *activation)
{
    activation_program p = {.rows = static_rows(s, arms),
                            .power = s->options.power,
                            .lower = s->low,
                            .upper = s->high,
                            .b = s->b,
                            .soft = s->soft,
                            .start = s->start,
                            .row = s->row,
                            .value = s->value};
    int                entries = 0;
    for (int j = 0; j < s->v_count; j++)
        if (s->row_of[j] >= 0) s->b[s->row_of[j]] = tau[j];
    for (int i = 0; i < s->muscles; i++) {
        const int fixed = !static_active(s, i) || s->lower[i] == s->upper[i] ||
                          !static_moves(s, arms + i * s->v_count, s->gain[i]);
        const double steady = s->steady[i] + (fixed ? s->gain[i] * s->lower[i] : 0);
        if (!fixed) {
            s->column[p.columns] = i;
            s->low[p.columns] = s->lower[i];
            s->high[p.columns] = s->upper[i];
            s->start[p.columns++] = entries;
        }
        for (int j = 0; j < s->v_count; j++) {
            const double arm = arms[i * s->v_count + j];
            if (s->row_of[j] < 0 || fabs(arm) <= ARM_LEAST) continue;
            s->b[s->row_of[j]] -= arm * steady;
            if (fixed) continue;
            s->row[entries] = s->row_of[j];
            s->value[entries++] = arm * s->gain[i];
        }
    }
    s->start[p.columns] = entries;
    for (int i = 0; i < s->muscles; i++)
        activation[i] = static_active(s, i) ? s->lower[i] : 0;
    if (!static_finite(p.rows, s->b) || !static_finite(entries, s->value)) return ARNE_VALUE;
    const arne_status status = activation_solve(&p, s->room, s->a, s->lambda);
    for (int i = 0; i < p.columns; i++)
        activation[s->column[i]] = s->a[i];
    return status;
}

// Tangents and program in turn, from the activations of rigid tendons.
static arne_status static_compliant(arne_static *s, const double *tau, const double *lengths,
                                    const double *velocities, const double *arms,
                                    double *activation, double *at)
{
    double      last = INFINITY, part = 1;
    arne_status status = ARNE_NOT_CONVERGED;
    for (int i = 0; i < s->muscles; i++)
        at[i] = activation[i];
    for (int step = 0; step < TANGENT_STEPS; step++) {
        static_tangents(s, lengths, velocities, at);
        status = static_program(s, tau, arms, activation);
        double change = 0;
        for (int i = 0; i < s->muscles; i++)
            change = fmax(change, fabs(activation[i] - at[i]));
        if (!(change > TANGENT_TOLERANCE)) return status;
        part = change > 0.98 * last ? fmax(0.5 * part, 0.1) : fmin(2 * part, 1);
        last = change;
        for (int i = 0; i < s->muscles; i++)
            at[i] += part * (activation[i] - at[i]);
    }
    return status ? status : ARNE_NOT_CONVERGED;
}

arne_status arne_static_solve(arne_static *s, const double *tau, const double *lengths,
                              const double *velocities, const double *arms, double *activation,
                              double *forces, double *rest)
{
    if (!s || !tau || !lengths || !velocities || !arms || !activation || !forces)
        return ARNE_NULL_ARGUMENT;
    static_lines(s, lengths, velocities);
    arne_status status = static_program(s, tau, arms, activation);
    if (status != ARNE_VALUE && s->options.compliant)
        status = static_compliant(s, tau, lengths, velocities, arms, activation, forces);
    for (int j = 0; rest && j < s->v_count; j++)
        rest[j] = tau[j];
    for (int i = 0; i < s->muscles; i++) {
        forces[i] = s->steady[i] + s->gain[i] * activation[i];
        for (int j = 0; rest && j < s->v_count; j++)
            rest[j] -= arms[i * s->v_count + j] * forces[i];
    }
    return status;
}
