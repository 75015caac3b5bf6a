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
    }
}

// A ligament or a path spring: all of it is tendon.
static void band_result(const arne_robot *robot, const muscle_record *m, double length,
                        double velocity, arne_muscle_result *out)
{
    const arne_muscle_law *p = &m->law;
    *out = (arne_muscle_result){.tendon_length = length};
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
    if (m->law.kind >= ARNE_MUSCLE_LIGAMENT) {
        band_result(robot, m, length, velocity, out);
        return;
    }
    unit_start(&u, &m->law, robot_path_numbers(robot) + m->bezier, options->no_passive);
    u.in = (unit_input){activation, length, velocity, state};
    unit_solve(&u, options->tendon);
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
