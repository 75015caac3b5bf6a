// Forces of all muscles of a robot: see force_unit.h for those with fibres.
#include "base/options.h"
#include "muscle/force.h"
#include "muscle/force_unit.h"
#include "robot/functions.k.h"
#include <math.h>
#include <string.h>

static void fibre_result(const unit *u, double velocity, arne_muscle_result *out)
{
    const arne_muscle_law *p = u->law.p;
    const double           most = p->max_force;
    const double           active = u->in.activation * u->active.y * u->speed.y;
    *out = (arne_muscle_result){.force = most * u->force,
                                .fibre_length = u->l * p->fibre_length,
                                .fibre_velocity = u->v * p->max_velocity * p->fibre_length,
                                .pennation = acos(u->cos),
                                .active = most * active,
                                .passive = most * (u->N - active),
                                .active_length = u->active.y,
                                .tendon_length = u->tendon * p->slack_length,
                                .rate = u->rate};
    const double along = out->fibre_velocity / u->cos;
    out->fibre_power = -out->force * along;
    out->tendon_power = -out->force * (velocity - along);
    for (int i = 0; i < BY_COUNT; i++) {
        out->force_by[i] = most * u->force_by[i];
        out->rate_by[i] = u->rate_by[i];
        out->fibre_by[i] = u->cos * u->X_by[i] * p->fibre_length;
        out->speed_by[i] = u->v_by[i] * p->max_velocity * p->fibre_length;
    }
}

// How far into its transition a limit is: 0 to 1, with two continuous derivatives.
static curve limit_step(double x)
{
    if (!(x > 0)) return (curve){0, 0, 0};
    if (x >= 1) return (curve){1, 0, 0};
    return (curve){x * x * x * (10 - x * (15 - 6 * x)), 30 * x * x * (1 - x) * (1 - x), 0};
}

// Of each side s = -1, 1 beyond its limit: step (stiffness (q - limit) + damping qd).
static void limit_result(const arne_muscle_law *p, double q, double qd, arne_muscle_result *out)
{
    *out = (arne_muscle_result){.tendon_length = q};
    for (int i = 0; i < 2; i++) {
        const double beyond = q - p->limits[i],
                     pull = p->limit_stiffness[i] * beyond + p->damping * qd;
        const curve step = limit_step((i ? beyond : -beyond) / p->transition);
        out->force += step.y * pull;
        out->force_by[BY_LENGTH] +=
            step.y * p->limit_stiffness[i] + (i ? step.d : -step.d) / p->transition * pull;
        out->force_by[BY_VELOCITY] += step.y * p->damping;
    }
    out->tendon_power = -out->force * qd;
}

// A tendon of MuJoCo: spring and damper.
static void tendon_result(const arne_muscle_law *p, double length, double v,
                          arne_muscle_result *out)
{
    const double *k = p->elastic, *d = p->viscous, u = fabs(v);
    const double  x = fmin(length - p->slack[0], 0) + fmax(length - p->slack[1], 0);
    *out = (arne_muscle_result){.tendon_length = length,
                                .force = x * (k[0] + x * (k[1] + x * k[2])) +
                                         v * (d[0] + u * (d[1] + u * d[2]))};
    if (x != 0) out->force_by[BY_LENGTH] = k[0] + x * (2 * k[1] + 3 * x * k[2]);
    out->force_by[BY_VELOCITY] = d[0] + u * (2 * d[1] + 3 * u * d[2]);
    out->tendon_power = -out->force * v;
}

// A ligament or a path spring, of which all is tendon; a cable or chamber.
static void band_result(const arne_robot *robot, const muscle_record *m, double activation,
                        double length, double velocity, arne_muscle_result *out)
{
    const arne_muscle_law *p = &m->law;
    *out = (arne_muscle_result){.tendon_length = length};
    if (p->kind == ARNE_MUSCLE_TENDON) {
        tendon_result(p, length, velocity, out);
        return;
    }
    if (p->kind >= ARNE_MUSCLE_CABLE) {
        out->force_by[BY_ACTIVATION] = p->kind == ARNE_MUSCLE_CABLE ? p->max_force : -p->max_force;
        out->force = out->active = activation * out->force_by[BY_ACTIVATION];
        out->fibre_power = -out->force * velocity;
        return;
    }
    if (!(length > p->slack_length)) return;
    if (p->kind == ARNE_MUSCLE_LIGAMENT) {
        const path_curve *c = &robot_path_curves(robot)[m->curve];
        double            d[FUNCTION_ORDERS];
        numbers_at(c->stage.form, robot_path_numbers(robot) + c->stage.at, c->stage.count,
                   length / p->slack_length, d);
        out->force = p->max_force * d[0];
        out->force_by[BY_LENGTH] = p->max_force * d[1] / p->slack_length;
    } else {
        const double pull = p->stiffness * (length - p->slack_length);
        const double damped = 1 + p->dissipation * velocity;
        out->force = pull * damped;
        out->force_by[BY_LENGTH] = p->stiffness * damped;
        out->force_by[BY_VELOCITY] = pull * p->dissipation;
    }
    if (!(out->force > 0)) *out = (arne_muscle_result){.tendon_length = length};
    out->tendon_power = -out->force * velocity;
}

void muscle_result(const arne_robot *robot, int muscle, double activation, double length,
                   double velocity, const arne_muscle_options *options, double state,
                   arne_muscle_result *out)
{
    const muscle_record *m = &robot_muscles(robot)[muscle];
    unit                 u;
    if (m->law.kind == ARNE_MUSCLE_LIMIT) {
        limit_result(&m->law, length, velocity, out);
        return;
    }
    if (m->law.kind >= ARNE_MUSCLE_LIGAMENT) {
        band_result(robot, m, activation, length, velocity, out);
        return;
    }
    unit_start(&u, &m->law, robot_path_numbers(robot) + m->bezier, options->no_passive);
    u.in = (unit_input){activation, length, velocity, state};
    unit_solve(&u, options->tendon, options->step);
    fibre_result(&u, velocity, out);
}

arne_status arne_muscle_forces(const arne_robot *robot, int states, const double *activation,
                               const double *length, const double *velocity,
                               const arne_muscle_options *options, double *forces,
                               arne_muscle_result *results)
{
    arne_muscle_options own = {.size = sizeof own};
    if (!robot || !activation || !length || !forces) return ARNE_NULL_ARGUMENT;
    if (options && !options_take(&own, sizeof own, OPTIONS_FIRST(arne_muscle_options), options))
        return ARNE_UNSUPPORTED;
    const int state = own.tendon >= ARNE_TENDON_FIBRE_STATE;
    if ((int)own.tendon < 0 || own.tendon >= ARNE_TENDON_COUNT || states < 0) return ARNE_VALUE;
    if (own.step != 0 && (!(own.step > 0) || own.tendon != ARNE_TENDON_FIBRE_STATE))
        return ARNE_VALUE;
    if (state && !own.state) return ARNE_NULL_ARGUMENT;
    const size_t n = (size_t)robot->muscle_count, count = n * (size_t)states;
    for (size_t i = 0; i < count; i++) {
        arne_muscle_result r;
        muscle_result(robot, (int)(i % n), activation[i], length[i], velocity ? velocity[i] : 0,
                      &own, state ? own.state[i] : 0, &r);
        forces[i] = r.force;
        if (results) results[i] = r;
    }
    return ARNE_OK;
}
