// Filters over rows: eight channels side by side in registers, two sections of the filter at once,
// so that every row is read and written half as often.
#include "motion/butterworth.h"
#include "robot/kernel.h"
#include <string.h>

typedef double four __attribute__((vector_size(32), aligned(8)));

enum { GROUPS = 2, WIDE = 4 * GROUPS };

static four all_of(double x) { return (four){x, x, x, x}; }

// A section and what it remembers of each channel.
typedef struct memory {
    four z1[GROUPS], z2[GROUPS];
} memory;

// As a constant input would have left it.
static inline void settle(const filter_section *f, const four in[GROUPS], memory *m)
{
    for (int g = 0; g < GROUPS; g++) {
        m->z1[g] = all_of(1 - f->b0) * in[g];
        m->z2[g] = all_of(f->b2 - f->a2) * in[g];
    }
}

static inline four pass(const filter_section *f, memory *m, int g, four in)
{
    const four out = all_of(f->b0) * in + m->z1[g];
    m->z1[g] = all_of(f->b1) * in - all_of(f->a1) * out + m->z2[g];
    m->z2[g] = all_of(f->b2) * in - all_of(f->a2) * out;
    return out;
}

static inline void take(const double *x, int channels, four out[GROUPS])
{
    if (channels == WIDE) {
        for (int g = 0; g < GROUPS; g++)
            out[g] = *(const four *)(const void *)(x + (ptrdiff_t)4 * g);
        return;
    }
    double own[WIDE] = {0};
    memcpy(own, x, (size_t)channels * sizeof *x);
    memcpy(out, own, sizeof own);
}

static inline void put(const four in[GROUPS], int channels, double *x)
{
    if (channels == WIDE) {
        for (int g = 0; g < GROUPS; g++)
            *(four *)(void *)(x + (ptrdiff_t)4 * g) = in[g];
        return;
    }
    double own[WIDE];
    memcpy(own, in, sizeof own);
    memcpy(x, own, (size_t)channels * sizeof *x);
}

// One section or two, from x on, rows `step` apart (negative: backward), WIDE channels or fewer.
static inline void run(const filter_section *f, int two, int count, int channels, ptrdiff_t step,
                       double *x)
{
    const filter_section first = f[0], second = f[two];
    memory               a, b;
    four                 row[GROUPS];
    take(x, channels, row);
    settle(&first, row, &a);
    settle(&second, row, &b); // a constant passes as it is
    for (int i = 0; i < count; i++, x += step) {
        take(x, channels, row);
        for (int g = 0; g < GROUPS; g++) {
            row[g] = pass(&first, &a, g, row[g]);
            if (two) row[g] = pass(&second, &b, g, row[g]);
        }
        put(row, channels, x);
    }
}

static void run_all(const butterworth *f, int count, int channels, ptrdiff_t step, double *x)
{
    for (int k = 0; k < f->count; k += 2) {
        const int two = k + 1 < f->count;
        if (two && channels == WIDE)
            run(&f->section[k], 1, count, WIDE, step, x);
        else if (channels == WIDE)
            run(&f->section[k], 0, count, WIDE, step, x);
        else
            run(&f->section[k], two, count, channels, step, x);
    }
}

KERNEL(void, butterworth_both_ways,
       (const arne_robot *robot, const butterworth *f, int count, int channels, ptrdiff_t stride,
        double *x),
       (robot, f, count, channels, stride, x))
{
    (void)robot;
    if (count < 1) return;
    for (int c = 0; c < channels; c += WIDE) {
        const int own = channels - c < WIDE ? channels - c : WIDE;
        run_all(f, count, own, stride, x + c);
        run_all(f, count, own, -stride, x + c + (ptrdiff_t)(count - 1) * stride);
    }
}
