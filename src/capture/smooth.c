// Recordings filtered and differentiated as OpenSim's inverse dynamics tool does.
//
// The filter of third order by the bilinear transform, with w = tan(pi cutoff step):
//     y_i = b0 x_i + b1 x_i-1 + b2 x_i-2 + b3 x_i-3 - a1 y_i-1 - a2 y_i-2 - a3 y_i-3
// of which the first three samples are copied, forward, then backward.
#include "base/error.h"
#include "capture/capture.h"
#include <arne/motion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// ---- natural splines

arne_status smooth_spline_fit(smooth_spline *s, int degree, int rows, int width, const double *time,
                              const double *x, arne_error *error)
{
    const int    ends = (degree - 1) / 2; // conditions at each end: derivatives of these orders
    const int    first_order = (degree + 1) / 2, count = rows + 2 * ends;
    const size_t size = (size_t)count * (size_t)width;
    double      *breaks = malloc((size_t)rows * sizeof *breaks);
    double      *values = calloc(size, sizeof *values);
    arne_bspline_condition *at = malloc((size_t)count * sizeof *at);
    arne_status             status = ARNE_OK;
    *s = (smooth_spline){.width = width, .start = time[0], .length = time[rows - 1] - time[0]};
    s->control = malloc(size * sizeof *s->control);
    if (!breaks || !values || !at || !s->control) status = arne_fail_memory(error);
    for (int i = 0, n = 0; !status && i < rows; i++) {
        const int is_end = i == 0 || i == rows - 1;
        breaks[i] = i == rows - 1 ? 1 : (time[i] - s->start) / s->length;
        memcpy(values + (size_t)n * (size_t)width, x + (size_t)i * (size_t)width,
               (size_t)width * sizeof *x);
        at[n++] = (arne_bspline_condition){fmin(time[i] - s->start, s->length), 0};
        for (int k = 0; k < ends && is_end; k++, n++)
            at[n] = (arne_bspline_condition){at[n - 1].t, first_order + k};
    }
    if (!status) status = arne_bspline_new(degree, count, breaks, &s->basis, error);
    if (!status)
        status = arne_bspline_fit(s->basis, s->length, at, values, width, s->control, error);
    free(breaks);
    free(values);
    free(at);
    if (status) smooth_spline_free(s);
    return status;
}

void smooth_spline_at(const smooth_spline *s, double time, int orders, double *out)
{
    arne_bspline_evaluate(s->basis, s->length, time - s->start, s->width, s->control, orders, out);
}

void smooth_spline_free(smooth_spline *s)
{
    arne_bspline_free(s->basis);
    free(s->control);
    *s = (smooth_spline){0};
}

// ---- the filter

typedef struct third_order {
    double b[4], a[4];
} third_order;

static third_order third_order_make(double cutoff, double step)
{
    const double w = tan(pi * cutoff * step), w2 = w * w, w3 = w2 * w;
    const double d = (w + 1) * (w2 + w + 1);
    return (third_order){{w3 / d, 3 * w3 / d, 3 * w3 / d, w3 / d},
                         {1, (3 * w3 + 2 * w2 - 2 * w - 3) / d, (3 * w3 - 2 * w2 - 2 * w + 3) / d,
                          (w - 1) * (w2 - w + 1) / d}};
}

// One pass over a column, in place; stride negative: from the end.
static void third_order_pass(const third_order *f, int rows, ptrdiff_t stride, double *x)
{
    double in[3] = {x[2 * stride], x[stride], x[0]}, out[3] = {in[0], in[1], in[2]};
    for (int i = 3; i < rows; i++) {
        double      *at = x + i * stride;
        const double now = *at;
        *at = f->b[0] * now;
        for (int k = 0; k < 3; k++)
            *at += f->b[k + 1] * in[k] - f->a[k + 1] * out[k];
        in[2] = in[1], in[1] = in[0], in[0] = now;
        out[2] = out[1], out[1] = out[0], out[0] = *at;
    }
}

static void smooth_filter(int rows, int columns, double cutoff, double step, double *x)
{
    const third_order f = third_order_make(cutoff, step);
    for (int c = 0; c < columns; c++) {
        third_order_pass(&f, rows, columns, x + c);
        third_order_pass(&f, rows, -columns, x + c + (ptrdiff_t)(rows - 1) * columns);
    }
}

// ---- padding and equal steps

typedef struct padded {
    int     rows, columns;
    double *time, *x;
} padded;

static arne_status padded_new(padded *p, int rows, int columns, arne_error *error)
{
    *p = (padded){.rows = rows, .columns = columns};
    p->time = malloc((size_t)rows * sizeof *p->time);
    p->x = malloc((size_t)rows * (size_t)columns * sizeof *p->x);
    return p->time && p->x ? ARNE_OK : arne_fail_memory(error);
}

static void padded_free(padded *p)
{
    free(p->time);
    free(p->x);
}

// Half of the rows more at each end: 2 x(end) - x.
static void padded_fill(padded *p, int rows, const double *time, const double *x)
{
    const int pad = (p->rows - rows) / 2, last = rows - 1;
    for (int i = 0; i < p->rows; i++) {
        const int k = i - pad, from = k < 0 ? -k : k > last ? 2 * last - k : k;
        const int turn = k < 0 ? 0 : k > last ? last : -1;
        p->time[i] = turn < 0 ? time[from] : 2 * time[turn] - time[from];
        for (int c = 0; c < p->columns; c++) {
            const double here = x[(size_t)from * (size_t)p->columns + (size_t)c];
            p->x[(size_t)i * (size_t)p->columns + (size_t)c] =
                turn < 0 ? here : 2 * x[(size_t)turn * (size_t)p->columns + (size_t)c] - here;
        }
    }
}

// On the smallest step, from the first time on; *step is it.
static arne_status padded_resample(padded *p, double *step, arne_error *error)
{
    const double length = p->time[p->rows - 1] - p->time[0], mean = length / (p->rows - 1);
    double       least = INFINITY;
    for (int i = 1; i < p->rows; i++)
        least = fmin(least, p->time[i] - p->time[i - 1]);
    *step = mean;
    if (mean - least <= 1e-12 * mean) return ARNE_OK;
    *step = least;
    if (length / least > 16.0 * p->rows + 1e6)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "the smallest step of time, %.3g s, is far below the mean, %.3g s", least,
                         mean);
    int count = 0;
    while (p->time[0] + least * count <= p->time[p->rows - 1])
        count++;
    padded        even;
    smooth_spline s = {0};
    arne_status   status = padded_new(&even, count, p->columns, error);
    if (!status) status = smooth_spline_fit(&s, 5, p->rows, p->columns, p->time, p->x, error);
    for (int i = 0; i < count && !status; i++) {
        even.time[i] = p->time[0] + least * i;
        smooth_spline_at(&s, even.time[i], 1, even.x + (size_t)i * (size_t)p->columns);
    }
    smooth_spline_free(&s);
    if (status) return padded_free(&even), status;
    padded_free(p);
    *p = even;
    return ARNE_OK;
}

// ---- all of it

void arne_recording_free(arne_recording *r)
{
    if (!r) return;
    free(r->time);
    free(r->x);
    free(r->rate);
    free(r->second);
    *r = (arne_recording){0};
}

// The last row that is not behind t, the first where there is none.
static int padded_row(const padded *p, double t)
{
    int i = 0;
    while (i + 1 < p->rows && p->time[i + 1] <= t)
        i++;
    return i;
}

static arne_status smooth_take(const padded *p, double from, double to, arne_recording *out,
                               arne_error *error)
{
    const int     first = padded_row(p, from), rows = padded_row(p, to) - first + 1;
    const size_t  width = (size_t)p->columns, size = (size_t)rows * width;
    smooth_spline s;
    double       *moment = malloc((3 * width + 1) * sizeof *moment);
    out->rows = rows;
    out->columns = p->columns;
    out->time = malloc((size_t)rows * sizeof *out->time);
    out->x = malloc((size + 1) * sizeof *out->x);
    out->rate = malloc((size + 1) * sizeof *out->rate);
    out->second = malloc((size + 1) * sizeof *out->second);
    arne_status status = moment && out->time && out->x && out->rate && out->second
                             ? smooth_spline_fit(&s, 5, p->rows, p->columns, p->time, p->x, error)
                             : arne_fail_memory(error);
    for (int i = 0; i < rows && !status; i++) {
        out->time[i] = p->time[first + i];
        smooth_spline_at(&s, out->time[i], 3, moment);
        memcpy(out->x + (size_t)i * width, moment, width * sizeof *moment);
        memcpy(out->rate + (size_t)i * width, moment + width, width * sizeof *moment);
        memcpy(out->second + (size_t)i * width, moment + 2 * width, width * sizeof *moment);
    }
    if (!status) smooth_spline_free(&s);
    free(moment);
    return status;
}

static arne_status smooth_check(int rows, int columns, const double *time, const double *x,
                                arne_error *error)
{
    if (rows < 4)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "4 rows are needed, there are %d", rows);
    for (int i = 0; i < rows; i++) {
        if (i && !(time[i] > time[i - 1]))
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "time %.9g of row %d does not come after %.9g", time[i], i + 1,
                             time[i - 1]);
        for (int c = 0; c < columns; c++)
            if (!isfinite(x[(size_t)i * (size_t)columns + (size_t)c]))
                return arne_fail(error, ARNE_VALUE, NULL, 0,
                                 "row %d, column %d is no finite number", i + 1, c + 1);
    }
    return ARNE_OK;
}

arne_status arne_recording_smooth(int rows, int columns, const double *time, const double *x,
                                  double cutoff, arne_recording *out, arne_error *error)
{
    arne_error_clear(error);
    if (!time || !x || !out || columns < 1) return arne_fail_null(error);
    *out = (arne_recording){0};
    arne_status status = smooth_check(rows, columns, time, x, error);
    if (status) return status;
    padded       p;
    const int    pad = cutoff > 0 ? rows / 2 : 0;
    double       step = 0;
    const double from = time[0], to = time[rows - 1];
    status = padded_new(&p, rows + 2 * pad, columns, error);
    if (!status) padded_fill(&p, rows, time, x);
    if (!status && cutoff > 0) status = padded_resample(&p, &step, error);
    if (!status && cutoff > 0 && cutoff * step >= 0.5)
        status = arne_fail(error, ARNE_VALUE, NULL, 0,
                           "a cut-off of %.4g Hz is not below half the rate of %.4g Hz", cutoff,
                           1 / step);
    if (!status && cutoff > 0) smooth_filter(p.rows, columns, cutoff, step, p.x);
    if (!status) status = smooth_take(&p, from, to, out, error);
    padded_free(&p);
    if (status) arne_recording_free(out);
    return status;
}
