// Zero crossings within the last step.
//
// A crossing is a change of sign between two points of the step. Dormand-Prince looks at a few
// points within it, so that a value that crosses zero twice is seen, and finds the time by the
// dense output; the others see the ends only.
#include "simulate/integrator.h"
#include <math.h>
#include <string.h>

enum { PIECES = 4 };

static int crossed(double before, double after)
{
    return (before < 0 && after >= 0) || (before > 0 && after <= 0);
}

static void values_at(arne_integrator *it, double time, double *values)
{
    dopri_at(it, time, it->q1, it->qd1, it->z1);
    it->system.events(it->system.context, time, it->q1, it->qd1, it->z1, values);
}

void events_start(arne_integrator *it)
{
    if (it->system.event_count > 0)
        it->system.events(it->system.context, it->time, it->q, it->qd, it->z, it->g0);
}

static int first_crossed(const arne_integrator *it)
{
    for (int e = 0; e < it->system.event_count; e++)
        if (crossed(it->g0[e], it->g1[e])) return e;
    return -1;
}

// Halves the piece until it is as short as time can tell: the first event of the piece, with the
// values behind it.
static int refine(arne_integrator *it, double from, double to, double *time)
{
    const size_t size = (size_t)it->system.event_count * sizeof(double);
    while (to - from > 4e-16 * fabs(to)) {
        const double middle = from + 0.5 * (to - from);
        if (middle <= from || middle >= to) break;
        memcpy(it->g_found, it->g1, size);
        values_at(it, middle, it->g1);
        if (first_crossed(it) >= 0) {
            to = middle;
        } else {
            memcpy(it->g0, it->g1, size);
            memcpy(it->g1, it->g_found, size);
            from = middle;
        }
    }
    *time = to;
    return first_crossed(it);
}

int events_find(arne_integrator *it, double *time)
{
    const int    dense = it->options.method == ARNE_METHOD_DORMAND_PRINCE;
    const int    pieces = dense ? PIECES : 1;
    const double begin = it->last_time, h = it->last_step;
    int          event = -1;
    for (int i = 1; i <= pieces && event < 0; i++) {
        const double from = begin + h * (i - 1) / pieces;
        *time = i == pieces ? it->time : begin + h * i / pieces;
        if (i == pieces)
            it->system.events(it->system.context, it->time, it->q, it->qd, it->z, it->g1);
        else
            values_at(it, *time, it->g1);
        event = first_crossed(it);
        if (event >= 0 && dense) event = refine(it, from, *time, time);
        // Another one at the same time is still to come.
        for (int e = 0; e < it->system.event_count; e++)
            if (event < 0 || e == event || !crossed(it->g0[e], it->g1[e])) it->g0[e] = it->g1[e];
    }
    return event;
}
