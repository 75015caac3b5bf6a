// The free estimate: least squares over the joints' triangles, each weighted by the deviation of
// its residuals; ridge towards the prior; Huber's weights for outliers (rows are read again for
// these).
//
// Covariance: (A^T W A)^-1 with the weights 1 / (variance x correlation). The residuals of filtered
// data are correlated; what they tell of parameters, whose columns change slowly beside them, is
// that of their spectrum at zero frequency: correlation = 1 + 2 sum of autocorrelations
// (residuals.c), and that of white noise after the same filter at least.
#include "base/error.h"
#include "identify/independent_columns.h"
#include "identify/least_squares.h"
#include "identify/study.h"
#include "math/rank.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A column is unseen if the others represent it up to this part of its length.
static const double UNSEEN_PART = 1e-7;

double study_filter_factor(const arne_identify *s)
{
    if (!(s->torque_cutoff > 0)) return 1;
    const double a = 3.14159265358979 / (2 * s->order);
    // The integral of (1 + (f / cutoff)^(2 order))^-2 over f.
    const double bandwidth = s->torque_cutoff * a * (1 - 0.5 / s->order) / sin(a);
    return fmax(0.5 / (s->step * s->decimate) / bandwidth, 1);
}

// ---- all rows into triangles

static double row_weight(const arne_identify *s, const row_block *b, const double *y)
{
    const double *beta = s->estimate[ESTIMATE_FREE].beta;
    const int    *used = s->m.used + (size_t)b->joint * (size_t)s->m.count;
    if (!(s->options.huber > 0) || !beta || !(s->variation[b->joint] > 0)) return 1;
    double left = y[b->columns];
    for (int c = 0; c < b->columns; c++)
        left -= y[c] * beta[used[c]];
    const double far = fabs(left) / sqrt(s->variation[b->joint]) / s->options.huber;
    return far > 1 ? 1 / sqrt(far) : 1;
}

typedef struct reducer {
    arne_identify *study;
    block_qr      *qr;
} reducer;

static arne_status reduce_block(void *context, const row_block *b)
{
    const reducer *r = context;
    arne_identify *s = r->study;
    for (int i = 0; i < b->rows; i++) {
        const double *y = b->y + i * b->stride;
        if (b->set[i] != SET_FIT) continue;
        double *fastest = s->fastest + 2 * (size_t)b->joint;
        s->top_speed[b->joint] = fmax(s->top_speed[b->joint], fabs(b->speed[i]));
        fastest[0] = fmax(fastest[0], b->speed[i]);
        fastest[1] = fmax(fastest[1], -b->speed[i]);
        block_qr_add(s->robot, &r->qr[b->joint], y, row_weight(s, b, y));
    }
    return ARNE_OK;
}

arne_status study_reduce(arne_identify *s, arne_log_role role, block_qr *qr, arne_error *error)
{
    const int n = s->m.n;
    reducer   r = {s, qr};
    for (int j = 0; j < n; j++)
        block_qr_clear(&qr[j]);
    const arne_status status = study_rows(s, role, NULL, reduce_block, &r, error);
    for (int j = 0; j < n; j++)
        block_qr_finish(s->robot, &qr[j]);
    for (int j = 0; j < n && !status; j++)
        if (qr[j].rows < 2 * s->m.used_count[j])
            return arne_fail(error, ARNE_VALUE, s->entry[0].path, 1,
                             "only %ld rows of joint '%s' are left to fit %d numbers; give longer "
                             "logs, or leave out less",
                             qr[j].rows, arne_robot_joint(s->robot, j).name, s->m.used_count[j]);
    return status;
}

// ---- the triangles as one problem

double *study_stack(const arne_identify *s, const block_qr *qr, int *rows)
{
    const model *m = &s->m;
    const size_t width = (size_t)m->count + 1;
    int          total = 0, at = 0;
    for (int j = 0; j < m->n; j++)
        total += qr[j].columns;
    double *A = calloc((size_t)total * width + 1, sizeof *A);
    if (!A) return NULL;
    for (int j = 0; j < m->n; j++) {
        const int *used = m->used + (size_t)j * (size_t)m->count, size = qr[j].columns;
        for (int i = 0; i < size; i++, at++)
            for (int c = i; c < size; c++)
                A[(size_t)at * width + (size_t)(c + 1 < size ? used[c] : m->count)] =
                    s->weight[j] * qr[j].R[(size_t)c * (size_t)size + (size_t)i];
    }
    *rows = total;
    return A;
}

// The sum of squared residuals of a joint.
static double joint_square(const arne_identify *s, int j, const double *beta)
{
    const block_qr *qr = &s->qr[j];
    const int      *used = s->m.used + (size_t)j * (size_t)s->m.count, n = qr->columns;
    double          sum = 0;
    for (int i = 0; i < n; i++) {
        double left = qr->R[(size_t)(n - 1) * (size_t)n + (size_t)i];
        for (int c = i; c + 1 < n; c++)
            left -= qr->R[(size_t)c * (size_t)n + (size_t)i] * beta[used[c]];
        sum += left * left;
    }
    return sum;
}

static double torque_square(const block_qr *qr)
{
    double sum = 0;
    for (int i = 0; i < qr->columns; i++) {
        const double x = qr->R[(size_t)(qr->columns - 1) * (size_t)qr->columns + (size_t)i];
        sum += x * x;
    }
    return sum;
}

typedef struct problem {
    int     rows, count, kept_count;
    int     solved_rows; // rows, and those of the ridge
    int    *kept;
    double *stack;  // rows x (count + 1), row by row
    double *length; // of columns
    double *A, *b, *x, *scratch;
} problem;

static void problem_free(problem *p)
{
    free(p->kept);
    free(p->stack);
    free(p->length);
}

static int problem_new(const arne_identify *s, problem *p)
{
    const size_t count = (size_t)s->m.count;
    *p = (problem){.count = s->m.count};
    p->stack = study_stack(s, s->qr, &p->rows);
    p->kept = malloc((count + 1) * sizeof *p->kept);
    const size_t rows = (size_t)p->rows + count;
    p->length = malloc((2 * count + rows * (count + 1) + 2 * rows + 2 * count * count + 1) *
                       sizeof(double));
    if (!p->stack || !p->kept || !p->length) {
        problem_free(p);
        return 0;
    }
    p->x = p->length + count;
    p->A = p->x + count;
    p->b = p->A + rows * (count + 1);
    p->scratch = p->b + 2 * rows;
    for (size_t c = 0; c < count; c++) {
        double sum = 0;
        for (int i = 0; i < p->rows; i++)
            sum += p->stack[(size_t)i * (count + 1) + c] * p->stack[(size_t)i * (count + 1) + c];
        p->length[c] = sqrt(sum);
    }
    return 1;
}

// A joint that is never faster in a direction than this part of its top speed does not turn that
// way: the sign of its speed is noise.
static const double ONE_WAY_PART = 0.01;

static int is_turned(const arne_identify *s, int column)
{
    const model_column *c = &s->m.column[column];
    const double       *fastest = s->fastest + 2 * (size_t)c->joint;
    const double        least = ONE_WAY_PART * fmax(fastest[0], fastest[1]);
    return c->kind == COLUMN_POSITIVE   ? fastest[0] > least
           : c->kind == COLUMN_NEGATIVE ? fastest[1] > least
                                        : 1;
}

// Finds the columns that the data can distinguish, after scaling to length 1.
static int find_seen(arne_identify *s, problem *p)
{
    column_set set = {0};
    int       *order = malloc(((size_t)p->count + 1) * sizeof *order);
    if (!order) return 0;
    int count = 0;
    for (int c = 0; c < p->count; c++) {
        if (is_turned(s, c)) order[count++] = c;
        for (int i = 0; i < p->rows; i++)
            p->A[(size_t)c * (size_t)p->rows + (size_t)i] =
                p->length[c] > 0
                    ? p->stack[(size_t)i * (size_t)(p->count + 1) + (size_t)c] / p->length[c]
                    : 0;
    }
    const int fine = column_set_make(p->rows, p->count, p->A, order, count, UNSEEN_PART, &set);
    memset(s->seen, 0, (size_t)p->count);
    p->kept_count = fine ? set.rank : 0;
    for (int i = 0; i < p->kept_count; i++) {
        p->kept[i] = set.kept[i];
        s->seen[set.kept[i]] = 1;
    }
    column_set_free(&set);
    free(order);
    return fine;
}

// Kept columns at length 1, the right-hand side without what the others contribute at their prior,
// and the ridge below.
static int fill_problem(const arne_identify *s, problem *p)
{
    const int    ridge = s->options.ridge > 0, rows = p->rows + (ridge ? p->kept_count : 0);
    const size_t width = (size_t)p->count + 1;
    memset(p->A, 0, (size_t)rows * (size_t)p->kept_count * sizeof *p->A);
    memset(p->b, 0, (size_t)rows * sizeof *p->b);
    for (int i = 0; i < p->rows; i++) {
        const double *from = p->stack + (size_t)i * width;
        p->b[i] = from[p->count];
        for (int c = 0; c < p->count; c++)
            if (!s->seen[c]) p->b[i] -= from[c] * s->m.prior[c];
        for (int k = 0; k < p->kept_count; k++)
            p->A[(size_t)k * (size_t)rows + (size_t)i] = from[p->kept[k]] / p->length[p->kept[k]];
    }
    for (int k = 0; ridge && k < p->kept_count; k++) {
        const double weight = sqrt(s->options.ridge);
        p->A[(size_t)k * (size_t)rows + (size_t)(p->rows + k)] = weight;
        p->b[p->rows + k] = weight * s->m.prior[p->kept[k]] * p->length[p->kept[k]];
    }
    return rows;
}

static int estimate_solve(arne_identify *s, problem *p)
{
    double   *beta = s->estimate[ESTIMATE_FREE].beta;
    const int rows = fill_problem(s, p);
    if (!least_squares(rows, p->kept_count, p->A, p->b, p->x)) return 0;
    memcpy(beta, s->m.prior, (size_t)p->count * sizeof *beta);
    for (int k = 0; k < p->kept_count; k++)
        beta[p->kept[k]] = p->x[k] / p->length[p->kept[k]];
    p->solved_rows = rows;
    return 1;
}

// Of the estimate that was solved last, from its triangle in p->A.
static void find_covariance(arne_identify *s, const problem *p)
{
    inverse_gram(p->solved_rows, p->kept_count, p->A, p->scratch,
                 p->scratch + (size_t)p->kept_count * (size_t)p->kept_count);
    const size_t count = (size_t)p->count;
    memset(s->covariance, 0, count * count * sizeof(double));
    for (int i = 0; i < p->kept_count; i++)
        for (int k = 0; k < p->kept_count; k++)
            s->covariance[(size_t)p->kept[i] * count + (size_t)p->kept[k]] =
                p->scratch[(size_t)i * (size_t)p->kept_count + (size_t)k] /
                (p->length[p->kept[i]] * p->length[p->kept[k]]);
    for (int c = 0; c < p->count; c++)
        s->estimate[ESTIMATE_FREE].deviation[c] =
            sqrt(fmax(0, s->covariance[(size_t)c * count + (size_t)c]));
}

// New weights from the residuals of beta (NULL: of zero). Returns the largest relative change.
static double estimate_weigh(arne_identify *s, const double *beta)
{
    double change = 0, all = 0;
    for (int j = 0; j < s->m.n; j++)
        all += s->m.used_count[j];
    for (int j = 0; j < s->m.n; j++) {
        const double share =
            s->m.count * s->m.used_count[j] / all; // of the numbers that are fitted
        const double torque = torque_square(&s->qr[j]);
        const double left = fmax(beta ? joint_square(s, j, beta) : torque, 1e-18 * torque + 1e-300);
        const double rows = (double)s->qr[j].rows - (beta ? share : 0);
        s->variation[j] = left / fmax(rows, 1);
        const double now = 1 / sqrt(s->variation[j] * s->correlation[j]);
        change = fmax(change, fabs(now / s->weight[j] - 1));
        s->weight[j] = now;
    }
    return change;
}

// Backward elimination: the parameter whose loss costs the fit least goes, while that is below two
// deviations.
static void estimate_eliminate(arne_identify *s, const problem *p)
{
    const size_t n = (size_t)p->count;
    double      *C = p->A, *x = p->x;
    memcpy(C, s->covariance, n * n * sizeof *C);
    memcpy(x, s->estimate[ESTIMATE_FREE].beta, n * sizeof *x);
    memcpy(s->essential, s->seen, n);
    for (;;) {
        int    worst = -1;
        double least = 2;
        for (size_t c = 0; c < n; c++) {
            const double t = s->essential[c] ? fabs(x[c]) / sqrt(C[c * n + c]) : INFINITY;
            if (t < least) {
                least = t;
                worst = (int)c;
            }
        }
        if (worst < 0) return;
        const size_t k = (size_t)worst;
        const double own = C[k * n + k], value = x[k];
        for (size_t i = 0; i < n; i++)
            x[i] -= C[i * n + k] * value / own;
        for (size_t i = 0; i < n; i++)
            for (size_t c = 0; c < n && i != k; c++)
                if (c != k) C[i * n + c] -= C[i * n + k] * C[k * n + c] / own;
        s->essential[worst] = 0;
    }
}

// The condition of all rows together, not weighted, with columns of length 1.
static double condition(const arne_identify *s, problem *p)
{
    const size_t width = (size_t)p->count + 1, kept = (size_t)p->kept_count;
    for (size_t k = 0; k < kept; k++) {
        double sum = 0;
        int    row = 0;
        for (int j = 0; j < s->m.n; j++)
            for (int i = 0; i < s->qr[j].columns; i++, row++) {
                const double x = p->stack[(size_t)row * width + (size_t)p->kept[k]] / s->weight[j];
                p->A[k * (size_t)p->rows + (size_t)row] = x;
                sum += x * x;
            }
        for (int i = 0; i < p->rows; i++)
            p->A[k * (size_t)p->rows + (size_t)i] /= sqrt(sum);
    }
    memset(p->b, 0, (size_t)p->rows * sizeof *p->b);
    if (!least_squares(p->rows, p->kept_count, p->A, p->b, p->x)) return INFINITY;
    double *R = p->scratch, low = INFINITY, high = 0;
    for (size_t c = 0; c < kept; c++)
        for (size_t i = 0; i < kept; i++)
            R[c * kept + i] = i <= c ? p->A[c * (size_t)p->rows + i] : 0;
    dense_singular(p->kept_count, p->kept_count, R, p->x, R + kept * kept);
    for (size_t c = 0; c < kept; c++) {
        low = fmin(low, p->x[c]);
        high = fmax(high, p->x[c]);
    }
    return high / low;
}

// The columns that were seen with other weights: weights of joints do not change which are.
static void keep_seen(const arne_identify *s, problem *p)
{
    p->kept_count = 0;
    for (int c = 0; c < p->count; c++)
        if (s->seen[c]) p->kept[p->kept_count++] = c;
}

arne_status estimate_free(arne_identify *s, int is_final, arne_error *error)
{
    problem p;
    int     fine = 1, memory = 1;
    double  change = 1;
    if (!is_final) estimate_weigh(s, NULL);
    for (int i = 0; i < 10 && fine && change > 1e-6; i++) {
        if (!problem_new(s, &p)) return arne_fail_memory(error);
        if (i == 0)
            memory = find_seen(s, &p);
        else
            keep_seen(s, &p);
        fine = memory && estimate_solve(s, &p);
        if (fine) change = estimate_weigh(s, s->estimate[ESTIMATE_FREE].beta);
        problem_free(&p);
    }
    if (!problem_new(s, &p)) return arne_fail_memory(error);
    keep_seen(s, &p);
    fine = fine && estimate_solve(s, &p);
    if (fine && is_final) {
        find_covariance(s, &p);
        estimate_eliminate(s, &p);
        s->result.condition = condition(s, &p);
    }
    problem_free(&p);
    if (!memory) return arne_fail_memory(error);
    return fine ? ARNE_OK
                : arne_fail(error, ARNE_SINGULAR, NULL, 0,
                            "the recordings tell nothing of any parameter; record another motion");
}
