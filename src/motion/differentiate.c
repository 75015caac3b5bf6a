// Velocities and accelerations of recorded positions.
//
// Samples are brought to equal steps (cubic interpolation), filtered forward and backward by a
// Butterworth filter of order 4 (two sections of second order each way: no delay, amplitude -6 dB
// at the cut-off), differentiated by central differences of order 4, and brought back to the times
// that were given. A recording may begin and end in motion: before the filter a polynomial is taken
// away that has position, velocity and acceleration of both ends, and put back behind it.
//
// Where no cut-off is given it follows from the spectrum: noise is what the upper half of the
// frequencies has, and the motion reaches as far as some column stands out of it.
#include "base/error.h"
#include "motion/butterworth.h"
#include "motion/frequency_band.h"
#include "motion/quintic.h"
#include "motion/record_ends.h"
#include <arne/motion.h>
#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

// ---- equal steps ----

typedef struct samples {
    int           rows, columns;
    const double *time, *x; // as given
    int           count;    // of equal steps
    double        start, step;
    double       *even; // count x 3: the column, its first and its second rate
    double        rest; // velocities up to it are zero
} samples;

// The cubic through the four points around t, by Neville's scheme.
static double cubic(const double *time, const double *x, int rows, int stride, double t, int *hint)
{
    int i = *hint;
    while (i + 2 < rows && time[i + 1] < t)
        i++;
    *hint = i;
    int from = i - 1 < 0 ? 0 : i - 1;
    if (from + 4 > rows) from = rows - 4;
    double p[4];
    for (int k = 0; k < 4; k++)
        p[k] = x[(size_t)(from + k) * (size_t)stride];
    for (int level = 1; level < 4; level++)
        for (int k = 0; k + level < 4; k++) {
            const double a = time[from + k], b = time[from + k + level];
            p[k] = ((t - b) * p[k] + (a - t) * p[k + 1]) / (a - b);
        }
    return p[0];
}

static void differentiate_make_even(samples *s, int column)
{
    for (int i = 0, hint = 0; i < s->count; i++)
        s->even[3 * (size_t)i] =
            cubic(s->time, s->x + column, s->rows, s->columns, s->start + i * s->step, &hint);
}

// Back to the given times: cubics in equal steps.
static double even_at(const samples *s, int part, double t)
{
    const double place = (t - s->start) / s->step;
    int          from = (int)floor(place) - 1;
    from = from < 0 ? 0 : from + 4 > s->count ? s->count - 4 : from;
    const double  u = place - from;
    const double *p = s->even + 3 * (size_t)from + part;
    return -p[0] * (u - 1) * (u - 2) * (u - 3) / 6 + p[3] * u * (u - 2) * (u - 3) / 2 -
           p[6] * u * (u - 1) * (u - 3) / 2 + p[9] * u * (u - 1) * (u - 2) / 6;
}

// ---- the filter ----

// Forward and backward, with the ends continued point-symmetrically. x has room for `pad` samples
// before and behind.
static void filter_padded(const butterworth *f, int count, int pad, double *x)
{
    double      *from = x + pad, *to = from + count - 1;
    const double first = *from, last = *to;
    for (int i = 1; i <= pad; i++) {
        from[-i] = 2 * first - from[i];
        to[i] = 2 * last - to[-i];
    }
    butterworth_both_ways(NULL, f, count + 2 * pad, 1, 1, x);
}

// The mean square of what the filter takes away, of the middle half, and of as much noise as it
// lets pass.
static double noise_of(const samples *s, const double *filtered, double cutoff)
{
    const int from = s->count / 4, to = s->count - from;
    double    sum = 0;
    for (int i = from; i < to; i++) {
        const double d = s->even[3 * (size_t)i] - filtered[i];
        sum += d * d;
    }
    return sum / (to - from) / (1 - 2 * cutoff * s->step);
}

// In two passes: the first finds how large noise is, so that the ends can be told from it; they are
// taken away as a polynomial, ends, before the second. 0: no memory.
static int filter_column(samples *s, double cutoff, double ends[6], double *noise)
{
    const butterworth f = butterworth_make(4, cutoff, s->step);
    const int         wanted = butterworth_reach(4, cutoff, s->step);
    const int         pad = wanted < s->count - 1 ? wanted : s->count - 1;
    double           *x = malloc(((size_t)s->count + 2 * (size_t)pad) * sizeof *x);
    if (!x) return 0;
    for (int i = 0; i < s->count; i++)
        x[pad + i] = s->even[3 * (size_t)i];
    filter_padded(&f, s->count, pad, x);
    *noise = noise_of(s, x + pad, cutoff);
    join_ends(s->count, s->even, 3, s->step, cutoff, *noise, ends);
    for (int i = 0; i < s->count; i++)
        x[pad + i] = s->even[3 * (size_t)i] - quintic_at(ends, 1, 0, i / (s->count - 1.0));
    filter_padded(&f, s->count, pad, x);
    for (int i = 0; i < s->count; i++)
        s->even[3 * (size_t)i] = x[pad + i];
    free(x);
    return 1;
}

// Differences of order 4 from five points, at the ends from the nearest five.
static void differentiate_column(samples *s)
{
    static const double first[5][5] = {{-25, 48, -36, 16, -3},
                                       {-3, -10, 18, -6, 1},
                                       {1, -8, 0, 8, -1},
                                       {-1, 6, -18, 10, 3},
                                       {3, -16, 36, -48, 25}};
    static const double second[5][5] = {{35, -104, 114, -56, 11},
                                        {11, -20, 6, 4, -1},
                                        {-1, 16, -30, 16, -1},
                                        {-1, 4, 6, -20, 11},
                                        {11, -56, 114, -104, 35}};
    for (int i = 0; i < s->count; i++) {
        const int from = i < 2 ? 0 : i > s->count - 3 ? s->count - 5 : i - 2, row = i - from;
        double    d1 = 0, d2 = 0;
        for (int k = 0; k < 5; k++) {
            d1 += first[row][k] * s->even[3 * (size_t)(from + k)];
            d2 += second[row][k] * s->even[3 * (size_t)(from + k)];
        }
        s->even[3 * (size_t)i + 1] = d1 / (12 * s->step);
        s->even[3 * (size_t)i + 2] = d2 / (12 * s->step * s->step);
    }
}

static void add_ends(samples *s, const double ends[6])
{
    const double last = s->count - 1.0;
    for (int i = 0; i < s->count; i++)
        for (int part = 0; part < 3; part++)
            s->even[3 * (size_t)i + (size_t)part] +=
                quintic_at(ends, last * s->step, part, i / last);
}

// Noise has no direction, and dry friction would make one of it: a velocity within three standard
// deviations of what noise makes, or 1e-4 of the largest, is zero.
static void find_rest(samples *s, double cutoff, double noise)
{
    const double deviation = sqrt(noise * 2 * cutoff * s->step / 3) * 2 * pi * cutoff;
    double       most = 0;
    for (int i = 0; i < s->count; i++)
        most = fmax(most, fabs(s->even[3 * (size_t)i + 1]));
    s->rest = fmax(3 * deviation, 1e-4 * most);
}

static int differentiate_make_column(samples *s, int column, double cutoff)
{
    const int filters = cutoff < 0.5 / s->step; // beyond it there is nothing to take away
    double    noise = 0, ends[6] = {0};
    differentiate_make_even(s, column);
    if (filters && !filter_column(s, cutoff, ends, &noise)) return 0;
    differentiate_column(s);
    add_ends(s, ends);
    s->rest = 0;
    if (filters) find_rest(s, cutoff, noise);
    return 1;
}

// ---- the cut-off ----

static double choose_cutoff(samples *s)
{
    const double top = 0.5 / s->step;
    double       reach = 0;
    for (int c = 0; c < s->columns; c++) {
        differentiate_make_even(s, c);
        reach = fmax(reach, motion_reach(s->count, s->even, 3, s->step));
    }
    return fmin(fmax(2 * reach, 4 / (s->step * s->count)), 0.8 * top);
}

// ---- all of it ----

static arne_status differentiate_check_times(const samples *s, arne_error *error)
{
    if (s->rows < ARNE_DIFFERENTIATE_ROWS)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "rates of recorded positions need %d rows, there are %d",
                         ARNE_DIFFERENTIATE_ROWS, s->rows);
    for (int i = 1; i < s->rows; i++)
        if (!(s->time[i] > s->time[i - 1]))
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "time %.9g of row %d does not come after %.9g", s->time[i], i + 1,
                             s->time[i - 1]);
    return ARNE_OK;
}

arne_status arne_differentiate(int rows, int columns, const double *time, const double *x,
                               double *cutoff, double *smooth, double *rate, double *second,
                               arne_error *error)
{
    samples s = {.rows = rows, .columns = columns, .time = time, .x = x};
    if (!time || !x || !cutoff || rows < 1 || columns < 0)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    arne_status status = differentiate_check_times(&s, error);
    if (status) return status;
    s.count = rows;
    s.start = time[0];
    s.step = (time[rows - 1] - time[0]) / (rows - 1);
    s.even = malloc(3 * (size_t)rows * sizeof *s.even);
    if (!s.even) return arne_fail_memory(error);
    if (!(*cutoff > 0)) *cutoff = choose_cutoff(&s);
    for (int c = 0; c < columns && !status; c++) {
        if (!differentiate_make_column(&s, c, *cutoff)) status = arne_fail_memory(error);
        for (int i = 0; i < rows && !status; i++) {
            const size_t at = (size_t)i * (size_t)columns + (size_t)c;
            if (smooth) smooth[at] = even_at(&s, 0, time[i]);
            const double qd = even_at(&s, 1, time[i]);
            if (rate) rate[at] = fabs(qd) > s.rest ? qd : 0;
            if (second) second[at] = even_at(&s, 2, time[i]);
        }
    }
    free(s.even);
    return status;
}
