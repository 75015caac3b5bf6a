// Transposition from columns to rows, and sums of columns.
#include "identify/study.h"
#include "robot/kernel.h"

typedef double four __attribute__((vector_size(32), aligned(8)));

enum { SIDE = 8 }; // of blocks: whole cache lines are read and written

KERNEL(void, columns_to_rows,
       (const arne_robot *robot, int count, int columns, const model_entry *from, ptrdiff_t stride,
        double *to),
       (robot, count, columns, from, stride, to))
{
    (void)robot;
    for (int first = 0; first < columns; first += SIDE)
        for (int i = 0; i < count; i++)
            for (int c = first; c < first + SIDE && c < columns; c++)
                to[i * stride + c] = from[c].factor * from[c].at[i];
}

KERNEL(void, columns_add,
       (const arne_robot *robot, int count, double factor, const double *from, double *to),
       (robot, count, factor, from, to))
{
    const four by = {factor, factor, factor, factor};
    int        i = 0;
    (void)robot;
    for (; i + 4 <= count; i += 4)
        *(four *)(void *)(to + i) += by * *(const four *)(const void *)(from + i);
    for (; i < count; i++)
        to[i] += factor * from[i];
}
