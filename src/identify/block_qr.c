#include "identify/block_qr.h"
#include "robot/kernel.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double four __attribute__((vector_size(32), aligned(8)));

static double total(four s) { return s[0] + s[1] + (s[2] + s[3]); }

static double length_squared(const double *x)
{
    four sum[2] = {{0}};
    for (int i = 0; i < BLOCK_ROWS; i += 8)
        for (int k = 0; k < 2; k++) {
            const four a = *(const four *)(const void *)(x + i + 4 * k);
            sum[k] += a * a;
        }
    return total(sum[0] + sum[1]);
}

// What is below the triangle's entry (k, k) goes: the other columns are reflected, four at a time.
static void reflect_four(const double *v, double norm, double *const c[4], double *const top[4])
{
    four sum[4] = {{0}};
    for (int i = 0; i < BLOCK_ROWS; i += 4) {
        const four a = *(const four *)(const void *)(v + i);
        for (int k = 0; k < 4; k++)
            sum[k] += a * *(const four *)(const void *)(c[k] + i);
    }
    four factor[4];
    for (int k = 0; k < 4; k++) {
        const double w = norm * (*top[k] + total(sum[k]));
        *top[k] -= w;
        factor[k] = (four){w, w, w, w};
    }
    for (int i = 0; i < BLOCK_ROWS; i += 4) {
        const four a = *(const four *)(const void *)(v + i);
        for (int k = 0; k < 4; k++)
            *(four *)(void *)(c[k] + i) -= factor[k] * a;
    }
}

static void reflect_one(const double *v, double norm, double *c, double *top)
{
    four sum[2] = {{0}};
    for (int i = 0; i < BLOCK_ROWS; i += 8)
        for (int k = 0; k < 2; k++)
            sum[k] +=
                *(const four *)(const void *)(v + i + 4 * k) * *(four *)(void *)(c + i + 4 * k);
    const double w = norm * (*top + total(sum[0] + sum[1]));
    *top -= w;
    for (int i = 0; i < BLOCK_ROWS; i++)
        c[i] -= w * v[i];
}

// The reflection is 1 - norm u u^T with u = (1, v) after v is divided by its first entry.
static void reduce_column(block_qr *qr, int k)
{
    const int    n = qr->columns;
    double      *R = qr->R, *v = qr->block + (size_t)k * BLOCK_ROWS;
    double      *diagonal = &R[(size_t)k * (size_t)n + (size_t)k];
    const double below = length_squared(v);
    if (below == 0) return;
    const double length = sqrt(*diagonal * *diagonal + below),
                 to = *diagonal > 0 ? -length : length;
    const double first = *diagonal - to, norm = -first / to;
    for (int i = 0; i < BLOCK_ROWS; i++)
        v[i] /= first;
    *diagonal = to;
    int c = k + 1;
    for (; c + 4 <= n; c += 4) {
        double *column[4], *top[4];
        for (int i = 0; i < 4; i++) {
            column[i] = qr->block + (size_t)(c + i) * BLOCK_ROWS;
            top[i] = &R[(size_t)(c + i) * (size_t)n + (size_t)k];
        }
        reflect_four(v, norm, column, top);
    }
    for (; c < n; c++)
        reflect_one(v, norm, qr->block + (size_t)c * BLOCK_ROWS,
                    &R[(size_t)c * (size_t)n + (size_t)k]);
}

KERNEL(void, block_qr_finish, (const arne_robot *robot, block_qr *qr), (robot, qr))
{
    (void)robot;
    if (!qr->filled) return;
    for (int c = 0; c < qr->columns; c++)
        for (int i = qr->filled; i < BLOCK_ROWS; i++)
            qr->block[(size_t)c * BLOCK_ROWS + (size_t)i] = 0;
    for (int k = 0; k < qr->columns; k++)
        reduce_column(qr, k);
    qr->filled = 0;
}

KERNEL(void, block_qr_add,
       (const arne_robot *robot, block_qr *qr, const double *row, double weight),
       (robot, qr, row, weight))
{
    for (int c = 0; c < qr->columns; c++)
        qr->block[(size_t)c * BLOCK_ROWS + (size_t)qr->filled] = weight * row[c];
    qr->rows++;
    if (++qr->filled == BLOCK_ROWS) block_qr_finish(robot, qr);
}
