// Velocities and accelerations of recorded positions.
//
// Samples are brought to equal steps (cubic interpolation), filtered forward and backward by a
// Butterworth filter of order 4 (two sections of second order each way: no delay, amplitude -6 dB
// at the cut-off), differentiated by central differences of order 4, and brought back to the times
// that were given.
//
// Where no cut-off is given it follows from the spectrum: noise is what the upper half of the
// frequencies has, and the motion reaches as far as some column stands out of it.
#include "base/error.h"
#include "motion/butterworth.h"
#include "motion/reach.h"
#include <arne/motion.h>
#include <math.h>
#include <stdlib.h>

enum { LEAST_ROWS = 8 };

// ---- equal steps ----

typedef struct samples {
    int           rows, columns;
    const double *time, *x; // as given
    int           count;    // of equal steps
    double        start, step;
    double       *even; // count x 3: the column, its first and its second rate
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

static void make_even(samples *s, int column)
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

// Forward and backward, with the ends continued point-symmetrically.
static int filter_column(samples *s, double cutoff)
{
    const butterworth f = butterworth_make(4, cutoff, s->step);
    const int         wanted = (int)ceil(3 / (cutoff * s->step));
    const int         pad = wanted < s->count - 1 ? wanted : s->count - 1;
    const int         total = s->count + 2 * pad;
    double           *x = malloc((size_t)total * sizeof *x);
    if (!x) return 0;
    const double first = s->even[0], last = s->even[3 * ((size_t)s->count - 1)];
    for (int i = 0; i < s->count; i++)
        x[pad + i] = s->even[3 * (size_t)i];
    for (int i = 1; i <= pad; i++) {
        x[pad - i] = 2 * first - s->even[3 * (size_t)i];
        x[pad + s->count - 1 + i] = 2 * last - s->even[3 * (size_t)(s->count - 1 - i)];
    }
    butterworth_both_ways(NULL, &f, total, 1, 1, x);
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

// ---- the cut-off ----

static double choose_cutoff(samples *s)
{
    const double top = 0.5 / s->step;
    double       reach = 0;
    for (int c = 0; c < s->columns; c++) {
        make_even(s, c);
        reach = fmax(reach, motion_reach(s->count, s->even, 3, s->step));
    }
    return fmin(fmax(2 * reach, 4 / (s->step * s->count)), 0.8 * top);
}

// ---- all of it ----

static arne_status check_times(const samples *s, arne_error *error)
{
    if (s->rows < LEAST_ROWS)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "rates of recorded positions need %d rows, there are %d", LEAST_ROWS,
                         s->rows);
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
    arne_status status = check_times(&s, error);
    if (status) return status;
    s.count = rows;
    s.start = time[0];
    s.step = (time[rows - 1] - time[0]) / (rows - 1);
    s.even = malloc(3 * (size_t)rows * sizeof *s.even);
    if (!s.even) return arne_fail_memory(error);
    if (!(*cutoff > 0)) *cutoff = choose_cutoff(&s);
    const int filters = *cutoff < 0.5 / s.step; // beyond it there is nothing to take away
    for (int c = 0; c < columns && !status; c++) {
        make_even(&s, c);
        if (filters && !filter_column(&s, *cutoff)) status = arne_fail_memory(error);
        differentiate_column(&s);
        for (int i = 0; i < rows && !status; i++) {
            const size_t at = (size_t)i * (size_t)columns + (size_t)c;
            if (smooth) smooth[at] = even_at(&s, 0, time[i]);
            if (rate) rate[at] = even_at(&s, 1, time[i]);
            if (second) second[at] = even_at(&s, 2, time[i]);
        }
    }
    free(s.even);
    return status;
}
