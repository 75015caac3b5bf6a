// Metabolic power of muscles: Umberger 2010 (J R Soc Interface 7), over Umberger, Gerritsen and
// Martin 2003 (Comput Methods Biomech Biomed Engin 6). Per mass of muscle, with A = u where the
// excitation u is above the activation a, else (u + a) / 2:
//
//     heat = max(scale (A^0.6 upkeep keep + move part), 1 W/kg)
//     keep = 1, part = 1; of a fibre above its optimal length 0.4 + 0.6 f and f = f_active
//     move = A^2 (slow min(-by_slow v, 100) - fast by_fast v)     v < 0, it shortens
//          = A 0.3 by_slow v                                      v > 0
//     work = -F v where that is positive, F = max_force a f_active f_velocity
//
// With `smoothing` each of these switches is (1 + tanh(x / width)) / 2, as Falisse et al. 2019 have
// it. Derivatives are carried along: a `part` is a number with its four derivatives.
#include "base/options.h"
#include "muscle/force_laws.h"
#include "robot/robot.h"
#include <arne/muscle_force.h>

enum { BY_EXCITATION, BY_ACTIVATION, BY_FIBRE, BY_SPEED, PART_COUNT };

typedef double part_rates __attribute__((vector_size(PART_COUNT * sizeof(double))));
typedef struct part {
    double     y;
    part_rates d;
} part;

static part part_of(double y, int by)
{
    part x = {y, {0}};
    if (by >= 0) x.d[by] = 1;
    return x;
}
static part part_add(part a, part b) { return (part){a.y + b.y, a.d + b.d}; }
static part part_mul(part a, part b) { return (part){a.y * b.y, a.y * b.d + b.y * a.d}; }
// c + k a
static part part_line(double c, double k, part a) { return (part){c + k * a.y, k * a.d}; }

// 1 where x > 0, else 0; smooth over a width, unless that is 0.
static part part_step(part x, double width)
{
    if (!(width > 0)) return part_of(x.y > 0, -1);
    const double t = tanh(x.y / width);
    return (part){0.5 + 0.5 * t, 0.5 * (1 - t * t) / width * x.d};
}
// The larger of x and 0.
static part part_above(part x, double width) { return part_mul(x, part_step(x, width)); }

// A^0.6; smooth also at 0, where it has no slope: within a tenth of the width of switches, since
// muscles at rest have an activation of 0.01 or so.
static part part_power(part A, double width)
{
    const double most = fmax(A.y, 0), square = A.y * A.y + 0.01 * width * width;
    if (width > 0) return (part){pow(square, 0.3), 0.6 * A.y * pow(square, -0.7) * A.d};
    return (part){pow(most, 0.6), (most > 0 ? 0.6 * pow(most, -0.4) : 0) * A.d};
}

// W/kg; length and speed in optimal fibre lengths, active: the factor of length.
static part metabolic_heat(const arne_muscle_law *p, const arne_metabolic_options *o, double fast,
                           part A, part length, part speed, part active)
{
    const double slow = 1 - fast, upkeep = 128 * fast + 25, slow_most = 100, least = 1; // W/kg
    const double by_slow = 100 / (p->max_velocity / 2.5), by_fast = 153 / p->max_velocity;
    const double width = o->smoothing, scale = o->anaerobic ? 1 : 1.5;
    const part   is_long = part_step(part_line(-1, 1, length), width);
    const part   lengthens = part_step(speed, width * p->max_velocity);
    const part   lost = part_mul(is_long, part_line(1, -1, active)); // 1 - f of a long fibre
    const part   over = part_above(part_line(-slow_most, -by_slow, speed), width * slow_most);
    const part   slowly = part_add(part_line(0, -by_slow, speed), part_line(0, -1, over));
    const part   shortening =
        part_add(part_line(0, slow, slowly), part_line(0, -fast * by_fast, speed));
    const part shorter =
        part_mul(part_mul(A, A), part_mul(part_line(1, -1, lengthens), shortening));
    const part longer = part_mul(A, part_mul(lengthens, part_line(0, 0.3 * by_slow, speed)));
    const part kept = part_mul(part_power(A, width), part_line(upkeep, -0.6 * upkeep, lost));
    const part moved = part_mul(part_add(shorter, longer), part_line(1, -1, lost));
    const part heat = part_line(0, scale, part_add(kept, moved));
    return part_line(least, 1, part_above(part_line(-least, 1, heat), width * upkeep));
}

static part metabolic_rate(const arne_robot *robot, int index, const arne_metabolic_options *o,
                           double u, double a, const arne_muscle_result *r)
{
    const muscle_record   *m = &robot_muscles(robot)[index];
    const arne_muscle_law *p = &m->law;
    const force_law        law = {p, robot_path_numbers(robot) + m->bezier};
    const double           fibre = p->fibre_length, fast = o->slow ? 1 - o->slow[index] : 0.5;
    const double           tension = o->tension > 0 ? o->tension : 250e3;
    const double           density = o->density > 0 ? o->density : 1059.7;
    const double mass = o->masses ? o->masses[index] : density * p->max_force * fibre / tension;
    const part   U = part_of(u, BY_EXCITATION), a_ = part_of(a, BY_ACTIVATION);
    const part   length = part_line(0, 1 / fibre, part_of(r->fibre_length, BY_FIBRE));
    const part   V = part_of(r->fibre_velocity, BY_SPEED), speed = part_line(0, 1 / fibre, V);
    const curve  f = muscle_laws[p->kind].active(&law, length.y);
    const part   active = {f.y, f.d * length.d};
    const velocity_curve g = muscle_laws[p->kind].velocity(&law, speed.y / p->max_velocity, a);
    const part           factor = {g.y, g.d / p->max_velocity * speed.d + g.by_activation * a_.d};
    const part           more = part_above(part_add(U, part_line(0, -1, a_)), o->smoothing);
    const part           A = part_line(0, 0.5, part_add(part_add(U, a_), more));
    const part           pull = part_line(0, p->max_force, part_mul(a_, part_mul(active, factor)));
    const part           pulls = part_above(pull, o->smoothing * p->max_force);
    const part shortens = part_above(part_line(0, -1, V), o->smoothing * p->max_velocity * fibre);
    return part_add(part_line(0, mass, metabolic_heat(p, o, fast, A, length, speed, active)),
                    part_mul(pulls, shortens));
}

arne_status arne_metabolic_rates(const arne_robot *robot, const double *excitation,
                                 const double *activation, const arne_muscle_result *results,
                                 const arne_metabolic_options *options, double *rates, double *by)
{
    arne_metabolic_options own = {.size = sizeof own};
    if (!robot || !activation || !results || !rates) return ARNE_NULL_ARGUMENT;
    if (options && !options_take(&own, sizeof own, OPTIONS_FIRST(arne_metabolic_options), options))
        return ARNE_UNSUPPORTED;
    if (!(own.smoothing >= 0 && own.smoothing <= 1)) return ARNE_VALUE;
    for (int i = 0; i < robot->muscle_count; i++) {
        const double u = excitation ? excitation[i] : activation[i];
        part         rate = part_of(0, -1);
        if (robot_muscles(robot)[i].law.kind < ARNE_MUSCLE_LIGAMENT)
            rate = metabolic_rate(robot, i, &own, u, activation[i], &results[i]);
        rates[i] = rate.y;
        for (int k = 0; by && k < PART_COUNT; k++)
            by[PART_COUNT * i + k] = rate.d[k];
    }
    return ARNE_OK;
}
