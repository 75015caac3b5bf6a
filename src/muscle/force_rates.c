// Activation dynamics and metabolic rates.
#include "base/options.h"
#include "robot/robot.h"
#include <arne/muscle_force.h>
#include <math.h>

// Thelen 2003: (u - a) / tau, tau = activation_time (0.5 + 1.5 a) where u > a, else
// deactivation_time / (0.5 + 1.5 a).
static void activation_thelen(const arne_muscle_law *p, double u, double a, double out[3])
{
    const double least = p->minimum_activation, shape = 0.5 + 1.5 * a;
    u = fmax(u, least);
    const double tau = u > a ? p->activation_time * shape : p->deactivation_time / shape;
    const double dtau = u > a ? 1.5 * p->activation_time : -1.5 * tau / shape;
    out[0] = (u - a) / tau;
    out[1] = u > least ? 1 / tau : 0;
    out[2] = -1 / tau - out[0] * dtau / tau;
}

// De Groote et al. 2016, equation 1: both time constants, weighted by a smooth switch.
static void activation_degroote(const arne_muscle_law *p, double u, double a, double out[3])
{
    const double smoothing = 0.1, s = tanh(smoothing * (u - a)), shape = 0.5 + 1.5 * a;
    const double up = 1 / (p->activation_time * shape), down = shape / p->deactivation_time;
    const double part = 0.5 + 0.5 * s, dpart = 0.5 * smoothing * (1 - s * s);
    const double speed = part * up + (1 - part) * down, by_part = (up - down) * dpart;
    out[0] = speed * (u - a);
    out[1] = speed + by_part * (u - a);
    out[2] =
        -out[1] + (u - a) * (-part * up * 1.5 / shape + (1 - part) * 1.5 / p->deactivation_time);
}

arne_status arne_activation_rates(const arne_robot *robot, const double *excitation,
                                  const double *activation, double *rates, double *by)
{
    if (!robot || !excitation || !activation || !rates) return ARNE_NULL_ARGUMENT;
    for (int i = 0; i < robot->muscle_count; i++) {
        const arne_muscle_law *p = &robot_muscles(robot)[i].law;
        double                 out[3] = {0};
        if (p->kind == ARNE_MUSCLE_DEGROOTE)
            activation_degroote(p, excitation[i], activation[i], out);
        else if (p->kind < ARNE_MUSCLE_LIGAMENT)
            activation_thelen(p, excitation[i], activation[i], out);
        rates[i] = out[0];
        if (!by) continue;
        by[2 * i] = out[1];
        by[2 * i + 1] = out[2];
    }
    return ARNE_OK;
}

// Umberger 2010, W/kg: heat of activation and maintenance, of shortening or lengthening. v in
// optimal fibre lengths per second.
static double umberger_heat(double fast, double A, double length_factor, int is_long, double v,
                            double max_velocity, double scale)
{
    const double slow = 1 - fast, upkeep = 128 * fast + 25, slow_most = 100; // W/kg
    const double by_slow = 100 / (max_velocity / 2.5), by_fast = 153 / max_velocity;
    const double keep = is_long ? 0.4 + 0.6 * length_factor : 1;
    double       move;
    if (v <= 0)
        move = A * A * (slow * fmin(-by_slow * v, slow_most) - fast * by_fast * v);
    else
        move = A * 0.3 * by_slow * v;
    return scale * (pow(A, 0.6) * upkeep * keep + move * (is_long ? length_factor : 1));
}

static double umberger_rate(const arne_muscle_law *p, const arne_metabolic_options *o, int index,
                            double u, double a, const arne_muscle_result *r)
{
    const double tension = o->tension > 0 ? o->tension : 250e3;
    const double density = o->density > 0 ? o->density : 1059.7, least = 1; // W/kg
    const double mass =
        o->masses ? o->masses[index] : density * p->max_force * p->fibre_length / tension;
    const double A = u > a ? u : 0.5 * (u + a), fast = o->slow ? 1 - o->slow[index] : 0.5;
    const double heat =
        umberger_heat(fast, fmax(A, 0), r->active_length, r->fibre_length > p->fibre_length,
                      r->fibre_velocity / p->fibre_length, p->max_velocity, o->anaerobic ? 1 : 1.5);
    return mass * fmax(heat, least) + fmax(-fmax(r->active, 0) * r->fibre_velocity, 0);
}

arne_status arne_metabolic_rates(const arne_robot *robot, const double *excitation,
                                 const double *activation, const arne_muscle_result *results,
                                 const arne_metabolic_options *options, double *rates)
{
    arne_metabolic_options own = {.size = sizeof own};
    if (!robot || !activation || !results || !rates) return ARNE_NULL_ARGUMENT;
    if (options && !options_take(&own, sizeof own, OPTIONS_FIRST(arne_metabolic_options), options))
        return ARNE_UNSUPPORTED;
    for (int i = 0; i < robot->muscle_count; i++) {
        const arne_muscle_law *p = &robot_muscles(robot)[i].law;
        const double           u = excitation ? excitation[i] : activation[i];
        rates[i] = p->kind >= ARNE_MUSCLE_LIGAMENT
                       ? 0
                       : umberger_rate(p, &own, i, u, activation[i], &results[i]);
    }
    return ARNE_OK;
}
