// What follows from the factors of the constraint matrix: see loop_rank.c.
#include "mechanism/loop_work.h"
#include <string.h>

void loop_factor_scaled(arne_loop_work *loop, const unsigned char *late)
{
    dense_qr *f = &loop->factor;
    const int n = loop->n;
    for (int i = 0; i < loop->m; i++)
        for (int k = 0; k < n; k++)
            f->A[i * n + k] = loop_scaled(loop, i, k);
    dense_qr_factor(f, late, ARNE_LOOP_RANK);
    for (int k = 0; k < n; k++) {
        const double scale = loop->column_scale[f->pivot[k]];
        for (int i = 0; i < k && i < f->rank; i++)
            f->A[i * n + k] /= scale;
        if (k < f->rank) f->diagonal[k] /= scale;
    }
}

void loop_fill_G(arne_loop_work *loop)
{
    const dense_qr *f = &loop->factor;
    const int       n = loop->n, rank = f->rank, mobility = n - rank;
    memset(loop->G, 0, (size_t)(n * mobility) * sizeof *loop->G);
    for (int c = 0; c < mobility; c++) {
        loop->G[f->pivot[rank + c] * mobility + c] = 1;
        for (int i = 0; i < rank; i++)
            loop->row[i] = -f->A[i * n + rank + c];
        dense_qr_back(f, loop->row);
        for (int i = 0; i < rank; i++)
            loop->G[f->pivot[i] * mobility + c] = loop->row[i];
    }
}

void loop_fill_G_rate(arne_loop_work *loop, const double *J_rate, double *G_rate)
{
    const int n = loop->n, mobility = n - loop->factor.rank;
    for (int c = 0; c < mobility; c++) {
        for (int i = 0; i < loop->m; i++) {
            loop->drate[i] = 0;
            for (int k = 0; k < n; k++)
                loop->drate[i] += J_rate[i * n + k] * loop->G[k * mobility + c];
        }
        memset(loop->step, 0, (size_t)n * sizeof *loop->step);
        loop_solve(loop, loop->drate, loop->step);
        for (int k = 0; k < n; k++)
            G_rate[k * mobility + c] = loop->step[k];
    }
}

void loop_solve(const arne_loop_work *loop, double *rhs, double *x)
{
    const dense_qr *f = &loop->factor;
    const int       n = loop->n, rank = f->rank;
    for (int i = 0; rhs && i < loop->m; i++)
        rhs[i] *= loop->row_scale[i];
    if (rhs) dense_qr_transposed(f, rhs);
    for (int i = 0; i < rank; i++) {
        double sum = rhs ? rhs[i] : 0;
        for (int c = rank; c < n; c++)
            sum += f->A[i * n + c] * x[f->pivot[c]];
        loop->row[i] = -sum;
    }
    dense_qr_back(f, loop->row);
    for (int i = 0; i < rank; i++)
        x[f->pivot[i]] = loop->row[i];
}

void loop_reduce(const arne_loop_work *loop, const double *x, double *out, double *scratch)
{
    const dense_qr *f = &loop->factor;
    const int       n = loop->n, rank = f->rank;
    for (int i = 0; i < rank; i++)
        scratch[i] = x[f->pivot[i]];
    dense_qr_forward(f, scratch);
    for (int c = rank; c < n; c++) {
        double sum = x[f->pivot[c]];
        for (int i = 0; i < rank; i++)
            sum -= f->A[i * n + c] * scratch[i];
        out[c - rank] = sum;
    }
}
