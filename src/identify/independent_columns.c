// QR in a given order of columns, by modified Gram-Schmidt, twice: the second pass makes Q
// orthogonal to the last digit (Giraud, Langou and Rozloznik 2005), so that what is left of a
// dependent column is rounding and nothing else.
#include "identify/independent_columns.h"
#include <math.h>
#include <stdlib.h>

// Four partial sums: with one, each addition would wait for the one before it.
static double independent_columns_product(int rows, const double *a, const double *b)
{
    double sum[4] = {0};
    int    i = 0;
    for (; i + 4 <= rows; i += 4)
        for (int k = 0; k < 4; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < rows; i++)
        sum[0] += a[i] * b[i];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

static double longest(int rows, const double *A, const int *order, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) {
        const double *v = A + (size_t)order[i] * (size_t)rows;
        most = fmax(most, independent_columns_product(rows, v, v));
    }
    return sqrt(most);
}

// r += Q^T v, v -= Q Q^T v: removes from v its projection on the kept columns.
static void take_out(int rows, const double *A, const int *kept, int rank, double *v, double *r)
{
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < rank; j++) {
            const double *q = A + (size_t)kept[j] * (size_t)rows;
            const double  s = independent_columns_product(rows, q, v);
            r[j] += s;
            for (int i = 0; i < rows; i++)
                v[i] -= s * q[i];
        }
}

// A number within rounding of a small fraction (1/2, 2/3) becomes that fraction.
static double cleaned(double x)
{
    for (int d = 1; d <= 4; d++) {
        const double near = round(x * d) / d;
        if (fabs(x - near) < 1e-11 * fmax(1, fabs(x))) return near;
    }
    return x;
}

// c = R^-1 r, where row j of R begins at R + j count.
static void solve_upper(const double *R, int count, int rank, const double *r, double *c)
{
    for (int j = rank - 1; j >= 0; j--) {
        double sum = r[j];
        for (int k = j + 1; k < rank; k++)
            sum -= R[(size_t)j * (size_t)count + (size_t)k] * c[k];
        c[j] = sum / R[(size_t)j * (size_t)count + (size_t)j];
    }
}

typedef struct factor {
    double *R;        // count x count
    double *r, *c;    // count each
    double *relation; // count x columns, in the order of keeping
    int    *kept;     // in that order
    int     rank;
} factor;

static void independent_columns_take_column(factor *f, int rows, int columns, double *A, int column,
                                            int count, double least, double part)
{
    double      *v = A + (size_t)column * (size_t)rows;
    const double whole = sqrt(independent_columns_product(rows, v, v));
    if (!(whole > least)) return;
    for (int j = 0; j < f->rank; j++)
        f->r[j] = 0;
    take_out(rows, A, f->kept, f->rank, v, f->r);
    const double rest = sqrt(independent_columns_product(rows, v, v));
    if (rest > part * whole) {
        for (int j = 0; j < f->rank; j++)
            f->R[(size_t)j * (size_t)count + (size_t)f->rank] = f->r[j];
        f->R[(size_t)f->rank * (size_t)count + (size_t)f->rank] = rest;
        for (int i = 0; i < rows; i++)
            v[i] /= rest;
        f->relation[(size_t)f->rank * (size_t)columns + (size_t)column] = 1;
        f->kept[f->rank++] = column;
        return;
    }
    solve_upper(f->R, count, f->rank, f->r, f->c);
    for (int j = 0; j < f->rank; j++)
        f->relation[(size_t)j * (size_t)columns + (size_t)column] = cleaned(f->c[j]);
}

// The kept columns in rising order, and their relations with them.
static void sort_kept(const factor *f, int columns, column_set *out)
{
    out->rank = 0;
    for (int c = 0; c < columns; c++)
        for (int j = 0; j < f->rank; j++) {
            if (f->kept[j] != c) continue;
            for (int k = 0; k < columns; k++)
                out->relation[(size_t)out->rank * (size_t)columns + (size_t)k] =
                    f->relation[(size_t)j * (size_t)columns + (size_t)k];
            out->kept[out->rank++] = c;
        }
}

int column_set_make(int rows, int columns, double *A, const int *order, int count, double part,
                    column_set *out)
{
    const size_t n = (size_t)count + 1, size = (size_t)columns + 1;
    factor       f = {calloc(n * n, sizeof(double)), calloc(n, sizeof(double)),
                      calloc(n, sizeof(double)),     calloc(n * size, sizeof(double)),
                      calloc(n, sizeof(int)),        0};
    out->relation = calloc(n * size, sizeof(double));
    out->kept = calloc(n, sizeof(int));
    const int fine = f.R && f.r && f.c && f.relation && f.kept && out->relation && out->kept;
    if (fine) {
        const double least = part * longest(rows, A, order, count);
        for (int i = 0; i < count; i++)
            independent_columns_take_column(&f, rows, columns, A, order[i], count, least, part);
        sort_kept(&f, columns, out);
    }
    free(f.R);
    free(f.r);
    free(f.c);
    free(f.relation);
    free(f.kept);
    if (!fine) column_set_free(out);
    return fine;
}

void column_set_free(column_set *set)
{
    free(set->kept);
    free(set->relation);
    set->kept = NULL;
    set->relation = NULL;
    set->rank = 0;
}
