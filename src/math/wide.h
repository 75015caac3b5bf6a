// Eight numbers at a time, in as many registers as that takes.
#ifndef ARNE_MATH_WIDE_H
#define ARNE_MATH_WIDE_H

typedef double wide __attribute__((vector_size(64), aligned(8), may_alias));

#define wide_at(from) (*(const wide *)(from))
#define wide_put(to, value) (*(wide *)(to) = (value))

// y += a x
static inline void wide_add(double *y, double a, const double *x, int n)
{
    int i = 0;
    for (; i + 8 <= n; i += 8)
        wide_put(y + i, wide_at(y + i) + a * wide_at(x + i));
    for (; i < n; i++)
        y[i] += a * x[i];
}

static inline double wide_dot(const double *x, const double *y, int n)
{
    wide   sum = {0};
    double rest = 0;
    int    i = 0;
    for (; i + 8 <= n; i += 8)
        sum += wide_at(x + i) * wide_at(y + i);
    for (; i < n; i++)
        rest += x[i] * y[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])) + rest;
}

#endif
