// The consistent estimate: the problem of consistent.h from the triangles of joints, and its
// result.
#include "identify/consistent.h"
#include "base/error.h"
#include "math/dense.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the problem

// M: model's columns from x. Base parameters are a grouping of links and rotors, other columns
// stand for themselves.
static double *make_map(const arne_identify *s, const body_problem *p)
{
    const model *m = &s->m;
    const size_t count = (size_t)p->count, all = (size_t)m->parameters;
    const int    links = BODY_PARAMETERS * m->n, rotors = 13 * m->n;
    double      *M = calloc((size_t)m->count * count + 1, sizeof *M);
    for (int i = 0; M && i < m->base->rank; i++) {
        const double *from = m->base->grouping + (size_t)i * all;
        double       *to = M + (size_t)i * count;
        memcpy(to, from, (size_t)links * sizeof *to);
        for (int k = 0; k < p->rotors; k++)
            to[links + k] = from[rotors + k];
    }
    for (int c = m->base->rank; M && c < m->count; c++)
        M[(size_t)c * count + (size_t)(links + p->rotors + c - m->base->rank)] = 1;
    return M;
}

// Moves the contribution of held numbers to the right-hand side.
static void hold_constants(body_problem *p)
{
    const size_t rows = (size_t)p->rows;
    for (int i = 0; i < p->others; i++) {
        const int k = p->count - p->others + i;
        double   *column = p->F + (size_t)k * rows;
        for (size_t row = 0; p->is_held[i] && row < rows; row++) {
            p->b[row] -= column[row] * p->start[k];
            column[row] = 0;
        }
    }
}

// F = A M.
static int make_data(const arne_identify *s, body_problem *p)
{
    const model *m = &s->m;
    const size_t n = (size_t)p->count, width = (size_t)m->count + 1;
    int          rows = 0;
    double      *M = make_map(s, p), *A = study_stack(s, s->qr, &rows);
    p->rows = rows;
    p->F = calloc((n + 1) * (size_t)rows + 1, sizeof *p->F);
    p->b = p->F ? p->F + n * (size_t)rows : NULL;
    const int fine = M && A && p->F;
    for (size_t i = 0; fine && i < (size_t)rows; i++) {
        const double *from = A + i * width;
        p->b[i] = from[m->count];
        for (int c = 0; c < m->count; c++)
            for (size_t k = 0; k < n && from[c] != 0; k++)
                p->F[k * (size_t)rows + i] += from[c] * M[(size_t)c * n + k];
    }
    if (fine) hold_constants(p);
    free(M);
    free(A);
    return fine;
}

static void find_regions(const arne_identify *s, body_problem *p)
{
    for (int i = 0; i < s->options.region_count; i++) {
        const arne_com_region *from = &s->options.regions[i];
        const double           low[3] = {from->low.x, from->low.y, from->low.z},
                     high[3] = {from->high.x, from->high.y, from->high.z};
        for (int j = 0; j < s->m.n; j++) {
            if (arne_robot_joint(s->robot, j).child != from->frame) continue;
            body_region *r = &p->regions[p->region_count++];
            *r = (body_region){.link = j, .is_ellipsoid = from->is_ellipsoid};
            for (int a = 0; a < 3; a++) {
                r->centre[a] = (low[a] + high[a]) / 2;
                r->half[a] = (high[a] - low[a]) / 2;
            }
        }
    }
}

// A prior whose centre lies outside of its region is moved to the region's centre.
static void move_into_region(const body_problem *p, int link, double *pi)
{
    for (int i = 0; i < p->region_count; i++) {
        const body_region *r = &p->regions[i];
        double             far = 0, P[16];
        if (r->link != link) continue;
        for (int a = 0; a < 3; a++) {
            const double w = fabs(pi[1 + a] / pi[0] - r->centre[a]) / r->half[a];
            far = r->is_ellipsoid ? far + w * w : fmax(far, w);
        }
        if (far < 0.98) continue;
        pseudo_inertia(pi, P);
        for (int a = 0; a < 3; a++) // second moments about the old centre stay
            for (int b = 0; b < 3; b++)
                P[4 * a + b] += pi[0] * r->centre[a] * r->centre[b] - pi[1 + a] * pi[1 + b] / pi[0];
        for (int a = 0; a < 3; a++)
            P[4 * a + 3] = P[12 + a] = pi[0] * r->centre[a];
        from_pseudo_inertia(P, pi);
    }
}

static void make_links(const arne_identify *s, body_problem *p)
{
    const int n = s->m.n;
    double    total = 0, L[16], P[16];
    double   *pi = s->estimate[ESTIMATE_PRIOR].pi;
    for (int j = 0; j < n; j++)
        total += fmax(0, pi[BODY_PARAMETERS * j]);
    const double typical = total > 0 ? total / (10 * n) : 0.5;
    for (int j = 0; j < n; j++) {
        double *own = p->start + BODY_PARAMETERS * (ptrdiff_t)j;
        link_made_consistent(pi + BODY_PARAMETERS * (ptrdiff_t)j, typical, own);
        move_into_region(p, j, own);
        pseudo_inertia(own, P);
        if (pseudo_factor(P, L)) pseudo_inverse(L, p->inverse_prior + 16 * (ptrdiff_t)j);
    }
    for (int k = 0; k < p->rotors; k++) {
        const double *own = p->start + BODY_PARAMETERS * (ptrdiff_t)k, given = pi[13 * n + k];
        const double  like = 0.1 * fmax(own[4], fmax(own[6], own[9]));
        p->rotor_prior[k] = given > 0 ? given : fmax(like, 1e-6);
        p->start[BODY_PARAMETERS * n + k] = p->rotor_prior[k];
    }
}

// Friction dissipates: viscous friction is positive. Coulomb friction may contain an offset, so
// only the sum of both directions is. What no data determine keeps the prior, which the free
// estimate has; but for rotors of motors, which the priors of links tell apart from these.
static void make_others(const arne_identify *s, body_problem *p)
{
    const model *m = &s->m;
    double      *x = p->start + BODY_PARAMETERS * p->links + p->rotors;
    for (int i = 0; i < p->others; i++) {
        const column_kind kind = m->column[m->base->rank + i].kind;
        const double      found = s->estimate[ESTIMATE_FREE].beta[m->base->rank + i];
        x[i] = found;
        p->is_held[i] = !s->seen[m->base->rank + i] && kind != COLUMN_MOTOR_ROTOR;
        p->pair[i] = kind == COLUMN_POSITIVE ? i + 1 : -1;
        p->is_positive[i] = kind == COLUMN_VISCOUS || kind == COLUMN_BOTH ||
                            kind == COLUMN_SIGMOID || kind == COLUMN_LOAD ||
                            kind == COLUMN_STIFFNESS || kind == COLUMN_MOTOR_ROTOR;
        if (p->is_held[i]) p->is_positive[i] = 0;
        if (p->is_positive[i]) x[i] = fmax(found, 1e-6);
        if (kind != COLUMN_NEGATIVE) continue;
        if (p->is_held[i] && p->is_held[i - 1]) p->pair[i - 1] = -1;
        const int free_one = p->is_held[i] ? i - 1 : i; // it makes the sum positive
        if (x[i] + x[i - 1] < 1e-6) x[free_one] += 1e-6 - x[i] - x[i - 1];
    }
}

static void body_problem_free(body_problem *p)
{
    free(p->F);
    free(p->start);
    free(p->is_positive);
    free(p->pair);
    free(p->regions);
}

static int body_problem_new(const arne_identify *s, body_problem *p)
{
    const int n = s->m.n;
    *p = (body_problem){
        .links = n, .rotors = s->options.no_rotor ? 0 : n, .others = s->m.count - s->m.base->rank};
    p->trace = p->log_det = s->options.prior > 0 ? s->options.prior : 0.01;
    p->count = BODY_PARAMETERS * n + p->rotors + p->others;
    p->barrier = 1e-2 * fmin(p->log_det, 1);
    const size_t count = (size_t)p->count;
    p->start = calloc(count + 17 * (size_t)n + 1, sizeof(double));
    p->is_positive = calloc(2 * (size_t)p->others + 1, 1);
    p->is_held = p->is_positive ? p->is_positive + p->others : NULL;
    p->pair = calloc((size_t)p->others + 1, sizeof *p->pair);
    p->regions = calloc((size_t)s->options.region_count + 1, sizeof *p->regions);
    if (!p->start || !p->is_positive || !p->pair || !p->regions) {
        body_problem_free(p);
        return 0;
    }
    p->inverse_prior = p->start + count;
    p->rotor_prior = p->inverse_prior + 16 * (size_t)n;
    find_regions(s, p);
    make_links(s, p);
    make_others(s, p);
    return 1;
}

// ---- the result

static void consistent_take_result(arne_identify *s, const body_problem *p, const double *x)
{
    const model *m = &s->m;
    const int    n = m->n, links = BODY_PARAMETERS * n;
    estimate    *e = &s->estimate[ESTIMATE_FOUND];
    memcpy(e->pi, s->estimate[ESTIMATE_PRIOR].pi, (size_t)m->parameters * sizeof *e->pi);
    memcpy(e->pi, x, (size_t)links * sizeof *x);
    for (int k = 0; k < p->rotors; k++)
        e->pi[13 * n + k] = x[links + k];
    arne_base_values(m->base, e->pi, e->beta);
    for (int i = 0; i < p->others; i++)
        e->beta[m->base->rank + i] = x[links + p->rotors + i];
    memcpy(e->deviation, s->estimate[ESTIMATE_FREE].deviation,
           (size_t)m->count * sizeof *e->deviation);
}

arne_status estimate_consistent(arne_identify *s, arne_error *error)
{
    body_problem p;
    arne_status  status = ARNE_OK;
    if (!body_problem_new(s, &p)) return arne_fail_memory(error);
    if (!make_data(s, &p)) {
        body_problem_free(&p);
        return arne_fail_memory(error);
    }
    if ((status = body_newton(&p, p.start)) == ARNE_NO_MEMORY)
        arne_fail_memory(error);
    else if (status)
        status = arne_fail(error, ARNE_NOT_CONVERGED, NULL, 0,
                           "the search for a consistent estimate did not converge; give the prior "
                           "more weight");
    if (!status) consistent_take_result(s, &p, p.start);
    body_problem_free(&p);
    return status;
}
