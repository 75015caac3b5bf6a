// The inner loops of the Hessian, on dense blocks, compiled for every instruction set.
#include "plan/transcription/hessian_blocks.h"
#include "math/wide.h"
#include "plan/transcription/assemble.h"
#include "robot/kernel.h"

KERNEL(void, plan_add_square,
       (const arne_robot *robot, int used, int stride, double c, const double *row, double *H),
       (robot, used, stride, c, row, H))
{
    (void)robot;
    for (int a = 0; a < used; a++)
        if (row[a] != 0) wide_add(H + (size_t)a * (size_t)stride, c * row[a], row, used);
}

KERNEL(void, plan_times,
       (const arne_robot *robot, int used, int stride, const double *H, const double *z,
        double *out),
       (robot, used, stride, H, z, out))
{
    (void)robot;
    for (int c = 0; c < used; c++)
        out[c] = wide_dot(H + (size_t)c * (size_t)stride, z, used);
}

// The entries of eight control points of the second coordinate, from `from` on, with all of the
// first.
static void spread_pair(const plan_program *p, const double *H, const double (*first)[MOST_ALIVE],
                        const double (*second)[MOST_ALIVE], int from, double *out)
{
    const int n = p->n, all = PLAN_ORDERS * n, alive = p->degree + 1, orders = p->order_count;
    const int count = alive - from < 8 ? alive - from : 8;
    wide      t[PLAN_ORDERS];
    for (int k = 0; k < orders; k++) {
        t[k] = H[k * n * all] * wide_at(second[0] + from);
        for (int o = 1; o < orders; o++)
            t[k] += H[k * n * all + o * n] * wide_at(second[o] + from);
    }
    for (int a = 0; a < alive; a++) {
        wide sum = first[0][a] * t[0];
        for (int k = 1; k < orders; k++)
            sum += first[k][a] * t[k];
        for (int b = 0; b < count; b++)
            out[a * alive + from + b] = sum[b];
    }
}

KERNEL(void, plan_spread_points,
       (const arne_robot *robot, const plan_program *p, const double *H, basis_weights w,
        double *out),
       (robot, p, H, w, out))
{
    const int all = PLAN_ORDERS * p->n, alive = p->degree + 1;
    (void)robot;
    for (int q = 0; q < p->pair_count; q++, out += alive * alive) {
        const int j = p->pairs[q][0], l = p->pairs[q][1];
        for (int from = 0; from < alive; from += 8)
            spread_pair(p, H + j * all + l, (const double(*)[MOST_ALIVE])w[assemble_kind_of(p, j)],
                        (const double(*)[MOST_ALIVE])w[assemble_kind_of(p, l)], from, out);
    }
}
