// The Hessian of the Lagrangian: second derivatives by z at every point (hessian.c), spread over
// the variables. Points are looked at by several threads, each into a block of its own; then
// blocks are added in the order of points.
#include "plan/transcription/assemble.h"
#include "plan/transcription/hessian_blocks.h"
#include <string.h>

enum { FINE, BAD, EMPTY }; // the state of a point

static int lagrangian_phase_of(const plan_program *p, int control_point)
{
    int k = 0;
    while (k + 1 < p->phase_count && control_point >= p->phases[k + 1].first)
        k++;
    return k;
}

void plan_hessian_structure(plan_program *p, int *row, int *column)
{
    const int n = p->n, m = p->m, band = 2 * p->degree + 1;
    for (int j = 0; j < n; j++)
        for (int l = 0; l <= j; l++)
            for (int i = 0; i < m; i++)
                for (int d = 0; d < band; d++) {
                    const int at = p->hessian_at[((j * n + l) * m + i) * band + d];
                    if (at < 0) continue;
                    row[at] = j * m + i;
                    column[at] = l * m + i + d - p->degree;
                }
    for (int i = 0; p->free_time && i < p->x_count; i++)
        if (p->hessian_T[i] >= 0) {
            row[p->hessian_T[i]] = i < n * m ? n * m + lagrangian_phase_of(p, i % m) : i;
            column[p->hessian_T[i]] = i;
        }
}

// ---- multipliers

// Of all rows of all quantities at all points.
static void lagrangian_gather(plan_program *p, int total, const int *start,
                              const double *multipliers)
{
    memset(p->lambda, 0, (size_t)total * (size_t)p->point_count * sizeof *p->lambda);
    for (int i = 0; i < p->problem->constraint_count; i++) {
        const plan_constraint *c = &p->constraints[i];
        for (int k = 0; k < c->point_count; k++)
            for (int r = 0; r < c->row_count; r++) {
                const double y = multipliers[c->first_row + k * c->row_count + r];
                p->lambda[c->points[k] * total + start[c->quantity] + c->rows[r]] += y;
                if (c->other >= 0)
                    p->lambda[c->other_points[k] * total + start[c->other] + c->other_rows[r]] -=
                        c->factors[r] * y;
            }
    }
}

// Objectives at a point: multipliers of their rows into lambda; their gradient without T (of
// integrals) into by_T.
static int gather_objectives(plan_program *p, int point, double factor, const int *start,
                             double *lambda, double *by_T)
{
    const int all = PLAN_ORDERS * p->n;
    double   *g = p->states[point].at->second, value;
    memset(by_T, 0, (size_t)all * sizeof *by_T);
    for (int i = 0; i < p->problem->objective_count; i++) {
        const plan_objective *o = &p->objectives[i];
        const double          part = factor * assemble_share(p, o, point);
        if (part == 0) continue;
        const double *x = plan_values(&p->states[point], o->quantity);
        if (!x) return 1;
        if (p->free_time && assemble_has_time(o)) {
            if (plan_objective_at(p, o, point, g, &value)) return 1;
            for (int c = 0; c < all; c++)
                by_T[c] += part * g[c];
        }
        for (int r = 0; r < o->row_count; r++)
            lambda[start[o->quantity] + o->rows[r]] +=
                part * assemble_duration(o, &p->states[point]) * o->weights[r] *
                shape_slope(o, x[o->rows[r]]);
    }
    return 0;
}

// ---- one point

// H += the products of gradients that squares leave.
static void bend(plan_program *p, int point, double factor)
{
    plan_state *s = &p->states[point];
    const int   all = PLAN_ORDERS * p->n, used = p->order_count * p->n;
    for (int i = 0; i < p->problem->objective_count; i++) {
        const plan_objective *o = &p->objectives[i];
        const double          part = factor * assemble_share(p, o, point) * assemble_duration(o, s);
        if (part == 0 || o->shape == ARNE_OBJECTIVE_PLAIN) continue;
        const double *x = plan_values(s, o->quantity), *g = plan_gradient(s, o->quantity);
        for (int r = 0; r < o->row_count; r++) {
            const double c = part * o->weights[r] * shape_bend(o, x[o->rows[r]]);
            if (c != 0)
                plan_add_square(p->problem->robot, used, all, c, g + o->rows[r] * all, s->at->H);
        }
    }
}

static int bends(const plan_program *p, int point)
{
    int any = 0;
    for (int i = 0; i < p->problem->objective_count; i++)
        any |= p->objectives[i].shape != ARNE_OBJECTIVE_PLAIN &&
               assemble_share(p, &p->objectives[i], point) != 0;
    return any;
}

// T with control points (n x alive) and, last, with itself. g: the Lagrangian's gradient by z;
// by_T: as gather_objectives says.
static void spread_time(const plan_program *p, int point, basis_weights w, const double *g,
                        const double *by_T, double *out)
{
    const plan_state *s = &p->states[point];
    const int         n = p->n, all = PLAN_ORDERS * n, alive = p->degree + 1;
    const int         used = p->order_count * n;
    double           *zT = s->at->second, *HzT = zT + all, sum = 0, second;
    memset(out, 0, (size_t)(n * alive) * sizeof *out);
    for (int c = 0; c < all; c++) {
        zT[c] = assemble_by_time(p, point, c / n, c % n, &second);
        sum += g[c] * second + 2 * by_T[c] * zT[c];
    }
    plan_times(p->problem->robot, used, all, s->at->H, zT, HzT);
    for (int c = 0; c < used; c++) {
        sum += HzT[c] * zT[c];
        const int    k = c / n, j = c % n;
        const double d = HzT[c] - k * g[c] / s->T + by_T[c];
        for (int a = 0; a < alive && !p->problem->prescribed[j].on; a++)
            out[j * alive + a] += d * w[assemble_kind_of(p, j)][k][a];
    }
    out[n * alive] = sum;
}

// The task of all threads.
typedef struct asking {
    double  factor;
    int     total, first; // rows of all quantities; the point of the first block
    double *out;
} asking;

// The multipliers of each quantity at the point, and the Lagrangian's gradient by z. Nonzero where
// any is not zero; negative: no such number.
static int gather_quantities(plan_program *p, plan_state *s, double *lambda, double *g)
{
    const int all = PLAN_ORDERS * p->n;
    int       any = 0;
    memset(g, 0, (size_t)all * sizeof *g);
    for (int i = 0; i < p->problem->quantity_count; i++) {
        double *own = lambda + p->quantity_start[i], sum = 0;
        for (int r = 0; r < p->problem->quantities[i].rows; r++)
            sum += fabs(own[r]);
        s->at->lambda_of[i] = sum > 0 ? own : NULL;
        if (sum == 0) continue;
        any = 1;
        const double *d = plan_gradient(s, i);
        if (!d) return -1;
        for (int r = 0; p->free_time && r < p->problem->quantities[i].rows; r++)
            for (int c = 0; own[r] != 0 && c < all; c++)
                g[c] += own[r] * d[r * all + c];
    }
    return any;
}

static void lagrangian_look_at(plan_program *p, plan_worker *worker, int piece, void *context)
{
    const asking *ask = context;
    const int     point = ask->first + piece, all = PLAN_ORDERS * p->n;
    plan_state   *s = &p->states[point];
    double       *by_T = worker->by_T, *g = by_T + all, *lambda = p->lambda + point * ask->total;
    double       *block = p->blocks + (size_t)piece * (size_t)p->block_size;
    basis_weights w;
    plan_take(s, worker);
    p->bad[point] = BAD;
    if (gather_objectives(p, point, ask->factor, p->quantity_start, lambda, by_T)) return;
    const int any = gather_quantities(p, s, lambda, g);
    if (any < 0) return;
    if (!any && !bends(p, point)) {
        p->bad[point] = EMPTY;
        return;
    }
    if (plan_hessian(p, s, worker->lambda_of)) return;
    bend(p, point, ask->factor);
    weights(p, point, w);
    plan_spread_points(p->problem->robot, p, worker->H, w, block);
    if (p->free_time)
        spread_time(p, point, w, g, by_T,
                    block + p->pair_count * (p->degree + 1) * (p->degree + 1));
    p->bad[point] = FINE;
}

// ---- all points

enum { PAIRS_AT_ONCE = 64 };

// Adds what the points of this round gave for some pairs of coordinates.
static void lagrangian_add_pairs(plan_program *p, plan_worker *worker, int piece, void *context)
{
    const asking *ask = context;
    const int     n = p->n, m = p->m, alive = p->degree + 1, band = 2 * p->degree + 1;
    const int     begin = piece * PAIRS_AT_ONCE,
              end = begin + PAIRS_AT_ONCE < p->pair_count ? begin + PAIRS_AT_ONCE : p->pair_count;
    (void)worker;
    for (int k = 0; k < p->block_count && ask->first + k < p->point_count; k++) {
        const int first = p->points[ask->first + k].first;
        if (p->bad[ask->first + k] == EMPTY) continue;
        const double *from = p->blocks + (size_t)k * (size_t)p->block_size + begin * alive * alive;
        for (int q = begin; q < end; q++, from += alive * alive) {
            const int  j = p->pairs[q][0], l = p->pairs[q][1];
            const int *at = p->hessian_at + (size_t)((j * n + l) * m + first) * (size_t)band;
            for (int a = 0; a < alive; a++)
                for (int b = 0; b < (j == l ? a + 1 : alive); b++) {
                    const int to = at[a * band + b - a + p->degree];
                    if (to >= 0) ask->out[to] += from[a * alive + b];
                }
        }
    }
}

static void add_times(plan_program *p, const asking *ask)
{
    const int n = p->n, m = p->m, alive = p->degree + 1;
    for (int k = 0; k < p->block_count && ask->first + k < p->point_count; k++) {
        const int     point = ask->first + k, first = p->points[point].first;
        const double *from =
            p->blocks + (size_t)k * (size_t)p->block_size + p->pair_count * alive * alive;
        if (p->bad[point] == EMPTY) continue;
        for (int j = 0; j < n; j++)
            for (int a = 0; a < alive; a++) {
                const int to = p->hessian_T[j * m + first + a];
                if (to >= 0) ask->out[to] += from[j * alive + a];
            }
        const int own = p->hessian_T[time_at(p, point)];
        if (own >= 0) ask->out[own] += from[n * alive];
    }
}

int plan_lagrangian(plan_program *p, double factor, const double *multipliers, double *out)
{
    asking ask = {.factor = factor, .out = out};
    if (plan_know(p, KNOWN_GRADIENTS)) return 1;
    for (int i = 0; i < p->problem->quantity_count; i++) {
        p->quantity_start[i] = ask.total;
        ask.total += p->problem->quantities[i].rows;
    }
    memset(out, 0, (size_t)p->hessian_count * sizeof *out);
    lagrangian_gather(p, ask.total, p->quantity_start, multipliers);
    for (; ask.first < p->point_count; ask.first += p->block_count) {
        const int rest = p->point_count - ask.first,
                  count = rest < p->block_count ? rest : p->block_count;
        plan_share(p, count, lagrangian_look_at, &ask);
        if (memchr(p->bad + ask.first, BAD, (size_t)count)) return 1;
        plan_share(p, (p->pair_count + PAIRS_AT_ONCE - 1) / PAIRS_AT_ONCE, lagrangian_add_pairs,
                   &ask);
        if (p->free_time) add_times(p, &ask);
    }
    return 0;
}
