#include "report/axis_scale.h"

#include "report/markup.h"
#include <math.h>

// The largest number that a scale shows, and one over the smallest.
#define SCALE_MOST 1e300

range range_none(void) { return (range){INFINITY, -INFINITY}; }

void range_take(range *r, double value)
{
    if (!isfinite(value)) return;
    r->low = fmin(r->low, value);
    r->high = fmax(r->high, value);
}

static double scale_clamp(double x) { return fmin(fmax(x, -SCALE_MOST), SCALE_MOST); }

static double nice_step(double size, int intervals)
{
    const double rough = size / intervals, power = pow(10, floor(log10(rough)));
    const double digit = rough / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

// Numbers from 0.01 to 9999 are written as they are.
static int unit_exponent(double most)
{
    if (most == 0 || (most >= 0.01 && most < 1e4)) return 0;
    return 3 * (int)floor(log10(most) / 3);
}

static void find_ticks(scale *s, int intervals)
{
    s->step = nice_step(s->high - s->low, intervals);
    s->exponent = unit_exponent(fmax(fabs(s->low), fabs(s->high)));
}

scale scale_make(range r, double margin, int intervals, double start, double end)
{
    if (!(r.low <= r.high)) r = (range){0, 1};
    // Differences and steps of the scale stay finite, and above zero.
    r = (range){scale_clamp(r.low), scale_clamp(r.high)};
    // A constant, or a range of rounding errors, is widened: tick labels must differ.
    const double size = r.high - r.low, most = fmax(fabs(r.low), fabs(r.high));
    const int    some = most > 1 / SCALE_MOST;
    const double least = some ? 1e-5 * most : 1;
    double       more = margin * size;
    if (size < least) more = some ? fmax(least, 0.1 * most * (size == 0)) : 1;
    scale s = {r.low - more, r.high + more, start, end, 0, 0};
    find_ticks(&s, intervals);
    return s;
}

void scale_equal(scale *x, scale *y)
{
    const double per_x = (x->high - x->low) / fabs(x->end - x->start);
    const double per_y = (y->high - y->low) / fabs(y->end - y->start);
    scale       *narrow = per_x < per_y ? x : y;
    const double size = fmax(per_x, per_y) * fabs(narrow->end - narrow->start);
    const double more = (size - (narrow->high - narrow->low)) / 2;
    narrow->low -= more;
    narrow->high += more;
    find_ticks(x, 6);
    find_ticks(y, 6);
}

double scale_place(const scale *s, double value)
{
    return s->start + (value - s->low) / (s->high - s->low) * (s->end - s->start);
}

// A tick at the very end must not be lost to rounding.
static double first_tick(const scale *s) { return ceil(s->low / s->step - 1e-9); }

int scale_ticks(const scale *s)
{
    return (int)(floor(s->high / s->step + 1e-9) - first_tick(s)) + 1;
}

double scale_tick(const scale *s, int index) { return (first_tick(s) + index) * s->step; }

// As many decimals as tell one tick from the next.
void scale_label(buffer *b, const scale *s, int index)
{
    const double unit = pow(10, s->exponent);
    const double decimals = -floor(log10(s->step / unit) + 1e-9);
    put_decimals(b, scale_tick(s, index) / unit, decimals > 0 ? (int)decimals : 0);
}

void scale_unit(buffer *b, const scale *s)
{
    if (s->exponent) put_power(b, s->exponent);
}
