// Filters over rows: four or eight channels side by side in registers, two sections of the filter
// at once, so that every row is read and written half as often.
#include "motion/butterworth.h"
#include "robot/kernel.h"
#include <string.h>

typedef double four __attribute__((vector_size(32), aligned(8)));

enum { GROUPS = 2, WIDE = 4 * GROUPS };

#define ALL(x) ((four){(x), (x), (x), (x)}) // no function: not every set passes such registers

// What a section remembers of each channel.
typedef struct memory {
    four z1[GROUPS], z2[GROUPS];
} memory;

// As a constant input would have left it.
static inline void butterworth_rows_settle(const filter_section *f, int groups,
                                           const four in[GROUPS], memory *m)
{
    for (int g = 0; g < groups; g++) {
        m->z1[g] = ALL(1 - f->b0) * in[g];
        m->z2[g] = ALL(f->b2 - f->a2) * in[g];
    }
}

static inline void butterworth_rows_pass(const filter_section *f, memory *m, int g, four *x)
{
    const four in = *x, out = ALL(f->b0) * in + m->z1[g];
    m->z1[g] = ALL(f->b1) * in - ALL(f->a1) * out + m->z2[g];
    m->z2[g] = ALL(f->b2) * in - ALL(f->a2) * out;
    *x = out;
}

// Fewer than four channels go through memory of their own.
static inline void butterworth_rows_take(const double *x, int channels, int groups,
                                         four out[GROUPS])
{
    double own[4] = {0};
    if (channels < 4) memcpy(own, x, (size_t)channels * sizeof *x);
    for (int g = 0; g < groups; g++)
        out[g] = *(const four *)(const void *)(channels < 4 ? own : x + (ptrdiff_t)4 * g);
}

static inline void butterworth_rows_put(const four in[GROUPS], int channels, int groups, double *x)
{
    for (int g = 0; g < groups && channels >= 4; g++)
        *(four *)(void *)(x + (ptrdiff_t)4 * g) = in[g];
    if (channels < 4) memcpy(x, in, (size_t)channels * sizeof *x);
}

// One section or two, from x on, rows `step` apart (negative: backward).
static inline void butterworth_rows_run(const filter_section *f, int two, int count, int channels,
                                        int groups, ptrdiff_t step, double *x)
{
    const filter_section first = f[0], second = f[two];
    memory               a, b;
    four                 row[GROUPS];
    butterworth_rows_take(x, channels, groups, row);
    butterworth_rows_settle(&first, groups, row, &a);
    butterworth_rows_settle(&second, groups, row, &b); // a constant passes as it is
    for (int i = 0; i < count; i++, x += step) {
        butterworth_rows_take(x, channels, groups, row);
        for (int g = 0; g < groups; g++) {
            butterworth_rows_pass(&first, &a, g, &row[g]);
            if (two) butterworth_rows_pass(&second, &b, g, &row[g]);
        }
        butterworth_rows_put(row, channels, groups, x);
    }
}

static void run_all(const butterworth *f, int count, int channels, ptrdiff_t step, double *x)
{
    for (int k = 0; k < f->count; k += 2) {
        const filter_section *s = &f->section[k];
        const int             two = k + 1 < f->count;
        if (channels == WIDE && two)
            butterworth_rows_run(s, 1, count, WIDE, GROUPS, step, x);
        else if (channels == WIDE)
            butterworth_rows_run(s, 0, count, WIDE, GROUPS, step, x);
        else if (channels == 4 && two)
            butterworth_rows_run(s, 1, count, 4, 1, step, x);
        else if (channels == 4)
            butterworth_rows_run(s, 0, count, 4, 1, step, x);
        else
            butterworth_rows_run(s, two, count, channels, 1, step, x);
    }
}

KERNEL(void, butterworth_both_ways,
       (const arne_robot *robot, const butterworth *f, int count, int channels, ptrdiff_t stride,
        double *x),
       (robot, f, count, channels, stride, x))
{
    (void)robot;
    if (count < 1) return;
    for (int c = 0, own; c < channels; c += own) {
        const int left = channels - c;
        own = left >= WIDE ? WIDE : left >= 4 ? 4 : left;
        run_all(f, count, own, stride, x + c);
        run_all(f, count, own, -stride, x + c + (ptrdiff_t)(count - 1) * stride);
    }
}
