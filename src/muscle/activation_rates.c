// Activation dynamics.
#include "muscle/force.h"
#include "robot/robot.h"
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

void muscle_activation_rate(const arne_muscle_law *law, double u, double a, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    if (law->kind == ARNE_MUSCLE_DEGROOTE)
        activation_degroote(law, u, a, out);
    else if (law->kind < ARNE_MUSCLE_LIGAMENT)
        activation_thelen(law, u, a, out);
    else if (law->kind >= ARNE_MUSCLE_CABLE) {
        out[1] = 1 / law->activation_time;
        out[2] = -out[1];
        out[0] = out[1] * (u - a);
    }
}

arne_status arne_activation_rates(const arne_robot *robot, const double *excitation,
                                  const double *activation, double *rates, double *by)
{
    if (!robot || !excitation || !activation || !rates) return ARNE_NULL_ARGUMENT;
    for (int i = 0; i < robot->muscle_count; i++) {
        double out[3];
        muscle_activation_rate(&robot_muscles(robot)[i].law, excitation[i], activation[i], out);
        rates[i] = out[0];
        if (!by) continue;
        by[2 * i] = out[1];
        by[2 * i + 1] = out[2];
    }
    return ARNE_OK;
}
