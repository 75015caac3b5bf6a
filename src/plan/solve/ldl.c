// A dense symmetric matrix is factored by the pivoting of Bunch and Kaufman (1977), by panels: the
// columns of a panel are brought up to date one by one, the rest of the matrix once for each panel.
#include "plan/solve/ldl.h"
#include "math/wide.h"
#include "robot/kernel.h"
#include <math.h>
#include <string.h>

typedef struct ldl {
    int     n, stride, from; // from: the first column of the panel
    double *A, *W;           // W: columns of the panel times D
    int    *order, *kinds;
} ldl;

static double *column(const ldl *f, int k) { return f->A + (size_t)k * (size_t)f->stride; }

static double *panel_column(const ldl *f, int k)
{
    return f->W + (size_t)(k - f->from) * (size_t)f->stride;
}

// ---- a panel

// w -= L W(row)^T from row `first` on, over the columns from f->from to k.
static void bring_up_to_date(const ldl *f, int k, int row, int first, double *w)
{
    for (int c = f->from; c < k; c++)
        wide_add(w + first, -panel_column(f, c)[row], column(f, c) + first, f->n - first);
}

// The largest size among rows from `first` on, but for one, and where it is.
static double largest(const double *w, int first, int n, int but, int *at)
{
    double most = 0;
    *at = first < n ? first : n - 1;
    for (int i = first; i < n; i++)
        if (i != but && fabs(w[i]) > most) {
            most = fabs(w[i]);
            *at = i;
        }
    return most;
}

// Column `at` of what is left, from row k on.
static void fetch(const ldl *f, int k, int at, double *w)
{
    for (int i = k; i < at; i++)
        w[i] = column(f, i)[at];
    memcpy(w + at, column(f, at) + at, (size_t)(f->n - at) * sizeof *w);
    bring_up_to_date(f, k, at, k, w);
}

static void swap(double *a, double *b)
{
    const double was = *a;
    *a = *b;
    *b = was;
}

// Rows and columns a < b change places; columns of the panel up to `last` are in W.
static void exchange(const ldl *f, int k, int a, int b, int last)
{
    double *A = column(f, a), *B = column(f, b);
    B[b] = A[a];
    for (int i = a + 1; i < b; i++)
        column(f, i)[b] = A[i];
    memcpy(B + b + 1, A + b + 1, (size_t)(f->n - b - 1) * sizeof *A);
    for (int c = 0; c < k; c++)
        swap(&column(f, c)[a], &column(f, c)[b]);
    for (int c = f->from; c <= last; c++)
        swap(&panel_column(f, c)[a], &panel_column(f, c)[b]);
    const int was = f->order[a];
    f->order[a] = f->order[b];
    f->order[b] = was;
}

static void put_one(const ldl *f, int k)
{
    const double *w = panel_column(f, k), by = 1 / w[k];
    double       *L = column(f, k);
    L[k] = w[k];
    for (int i = k + 1; i < f->n; i++)
        L[i] = w[i] * by;
    f->kinds[k] = 1;
}

static void put_two(const ldl *f, int k)
{
    const double *u = panel_column(f, k), *w = panel_column(f, k + 1);
    double       *L = column(f, k), *M = column(f, k + 1);
    const double  off = u[k + 1], a = w[k + 1] / off, b = u[k] / off, by = 1 / (a * b - 1) / off;
    for (int i = k + 2; i < f->n; i++) {
        L[i] = by * (a * u[i] - w[i]);
        M[i] = by * (b * w[i] - u[i]);
    }
    L[k] = u[k];
    L[k + 1] = off;
    M[k + 1] = w[k + 1];
    f->kinds[k] = 2;
    f->kinds[k + 1] = 0;
}

// What is left of rows that depend on each other is their rounding. Rows and gradients of plans are
// scaled to about one.
static const double NOTHING = 1e-14;

// The next pivot: of one row or of two, 0 where there is none. Its columns are in W.
static int pivot(const ldl *f, int k)
{
    static const double ALPHA = 0.6403882032022076; // (1 + sqrt 17) / 8
    double             *u = panel_column(f, k), *w = panel_column(f, k + 1);
    int                 other, ignored;
    fetch(f, k, k, u);
    const double own = fabs(u[k]), most = largest(u, k + 1, f->n, -1, &other);
    if (!(fmax(own, most) > NOTHING) || !isfinite(own + most)) return 0;
    if (own >= ALPHA * most) return 1;
    fetch(f, k, other, w);
    const double beside = largest(w, k, f->n, other, &ignored);
    if (own * beside >= ALPHA * most * most) return 1;
    if (fabs(w[other]) >= ALPHA * beside) {
        memcpy(u + k, w + k, (size_t)(f->n - k) * sizeof *u);
        if (other != k) exchange(f, k, k, other, k);
        return 1;
    }
    if (other != k + 1) exchange(f, k, k + 1, other, k + 1);
    return 2;
}

// ---- the rest

// Four columns of the rest from column j on, less their part of the panel's columns.
static void update_columns(const ldl *f, int to, int j)
{
    const int count = f->n - j < 4 ? f->n - j : 4;
    for (int i = j / 8 * 8; i < f->n; i += 8) {
        wide sum[4] = {{0}};
        for (int c = f->from; c < to; c++) {
            const wide    L = wide_at(column(f, c) + i);
            const double *w = panel_column(f, c) + j;
            sum[0] += L * w[0];
            sum[1] += L * w[1];
            sum[2] += L * w[2];
            sum[3] += L * w[3];
        }
        for (int c = 0; c < count; c++) {
            double *out = column(f, j + c) + i;
            wide_put(out, wide_at(out) - sum[c]);
        }
    }
}

static int negative_of(const ldl *f, int k, int rows)
{
    const double a = column(f, k)[k], b = rows == 2 ? column(f, k)[k + 1] : 0,
                 c = rows == 2 ? column(f, k + 1)[k + 1] : 0;
    if (rows == 1) return a < 0;
    return a * c < b * b ? 1 : a < 0 ? 2 : 0;
}

KERNEL(int, ldl_factor, (const ldl_matrix *m), (m))
{
    const int n = m->n;
    ldl       f = {.n = n,
                   .stride = ldl_stride(n),
                   .A = m->A,
                   .W = m->room,
                   .order = m->order,
                   .kinds = m->kinds};
    int       negative = 0, k = 0;
    for (int i = 0; i < n; i++)
        f.order[i] = i;
    memset(f.W, 0, LDL_PANEL * (size_t)f.stride * sizeof *f.W);
    while (k < n) {
        f.from = k;
        while (k < n && k - f.from < LDL_PANEL - 1) {
            const int rows = pivot(&f, k);
            if (rows == 0) return -1;
            if (rows == 1) put_one(&f, k);
            if (rows == 2) put_two(&f, k);
            negative += negative_of(&f, k, rows);
            k += rows;
        }
        for (int j = k; j < n; j += 4)
            update_columns(&f, k, j);
    }
    return negative;
}

// ---- solving

static void divide(int n, const double *A, const int *kinds, double *x)
{
    const int stride = ldl_stride(n);
    for (int k = 0; k < n; k++) {
        const double *L = A + (size_t)k * (size_t)stride;
        if (kinds[k] == 1) x[k] /= L[k];
        if (kinds[k] != 2) continue;
        const double off = L[k + 1], a = L[k] / off, b = L[stride + k + 1] / off,
                     by = 1 / (a * b - 1), u = x[k] / off, w = x[k + 1] / off;
        x[k] = by * (b * u - w);
        x[k + 1] = by * (a * w - u);
    }
}

KERNEL(void, ldl_solve, (const ldl_matrix *m, double *x), (m, x))
{
    const int     n = m->n, *order = m->order, *kinds = m->kinds;
    const size_t  stride = (size_t)ldl_stride(n);
    const double *A = m->A;
    double       *room = m->room;
    for (int i = 0; i < n; i++)
        room[i] = x[order[i]];
    for (int k = 0; k < n; k++) {
        const int from = k + (kinds[k] == 2 ? 2 : 1);
        wide_add(room + from, -room[k], A + (size_t)k * stride + from, n - from);
    }
    divide(n, A, kinds, room);
    for (int k = n - 1; k >= 0; k--) {
        const int from = k + (kinds[k] == 2 ? 2 : 1);
        room[k] -= wide_dot(A + (size_t)k * stride + from, room + from, n - from);
    }
    for (int i = 0; i < n; i++)
        x[order[i]] = room[i];
}
