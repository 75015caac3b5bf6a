// Muscles that drive a plan.
//
// The activation a of each muscle is a planned coordinate, after the forces of contacts, with a
// spline of their degree. With the length L(q) of its path, V = L_q qd and a rigid tendon, it pulls
// with F(a, L, V). What is left to motors is
//     tau = inverse dynamics + sum of L_q F          (moment arms are -L_q)
// and zero at coordinates that only muscles drive. Of activation dynamics a' = r(u, a), which rises
// with the excitation u, 0 <= u <= 1 says
//     r(0, a) <= a' <= r(1, a)
// so that excitations are no variables. (De Groote et al. 2009 write a' instead of u, too.)
#include "plan/problem/plan_muscle.h"
#include "muscle/force.h"
#include "muscle/path.h"
#include "robot/robot.h"
#include <math.h>
#include <string.h>

// What is known of all muscles at a state, in the memory of a worker.
typedef struct muscle_view {
    int     count, v, column; // of the first activation among planned coordinates
    double *L, *V, *F, *power, *power_by, *slopes, *second, *arms, *bends, *other, *by_lambda,
        *by_qd, *q, *scratch;
    arne_muscle_result *results;
} muscle_view;

size_t plan_muscle_numbers(const plan_problem *p)
{
    const size_t c = (size_t)p->muscle_count, v = (size_t)p->v_count;
    return c * (20 + v + 4 * v * v + sizeof(arne_muscle_result) / sizeof(double)) + v +
           (v + c * (v + 1));
}

static muscle_view muscle_look(const plan_state *s)
{
    const plan_problem *p = s->problem;
    const int           c = p->muscle_count, v = p->v_count;
    double             *at = s->at->muscles;
    muscle_view         w = {.count = c, .v = v, .column = plan_muscle_column(p)};
    w.results = (arne_muscle_result *)at;
    at += (size_t)c * (sizeof *w.results / sizeof *at);
    double  **parts[] = {&w.L,         &w.V,      &w.F,    &w.power,  &w.power_by,
                         &w.slopes,    &w.second, &w.arms, &w.bends,  &w.other,
                         &w.by_lambda, &w.by_qd,  &w.q,    &w.scratch};
    const int sizes[] = {c,     c,         c,         c,         4 * c,     3 * c, 9 * c,
                         c * v, c * v * v, c * v * v, c * v * v, c * v * v, v,     0};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        *parts[i] = at, at += sizes[i];
    return w;
}

// Forces at s->q, s->qd and the activations of s->z.
static muscle_view muscle_find(plan_state *s)
{
    const muscle_view w = muscle_look(s);
    muscle_paths(s->robot, s->work, s->q, s->qd, w.L, w.V, w.arms);
    for (int i = 0; i < w.count; i++) {
        const double at[3] = {s->z[w.column + i], w.L[i], w.V[i]};
        plan_muscle_one(s->robot, i, at, &w.results[i]);
        w.F[i] = w.results[i].force;
    }
    return w;
}

void plan_muscle_one(const arne_robot *robot, int muscle, const double at[3],
                     arne_muscle_result *out)
{
    const arne_muscle_options rigid = {.tendon = ARNE_TENDON_RIGID};
    muscle_result(robot, muscle, at[0], at[1], at[2], &rigid, 0, out);
}

// Second derivatives of lengths. It can fail only for robots that a plan does not take.
static void muscle_bend(plan_state *s, const muscle_view *w, const double *q, double *out)
{
    if (arne_muscle_second_derivatives(s->robot, s->work, q, w->scratch, out) != ARNE_OK)
        memset(out, 0, (size_t)(w->count * w->v * w->v) * sizeof *out);
}

void plan_muscle_torques(plan_state *s)
{
    const muscle_view w = muscle_find(s);
    for (int i = 0; i < w.count; i++)
        for (int k = 0; k < w.v; k++)
            s->tau[k] -= w.arms[i * w.v + k] * w.F[i];
}

double *plan_muscle_row(plan_state *s, double *out)
{
    if (!s->problem->muscle_count) return out;
    const muscle_view w = muscle_find(s);
    for (int i = 0; i < w.count; i++) {
        *out++ = s->z[w.column + i];
        *out++ = w.F[i];
    }
    return out;
}

// d(L_q F) = L_qq F + L_q (F_L L_q + F_V (L_qq qd)), by qd L_q F_V L_q, by a L_q F_a
void plan_muscle_derivatives(plan_state *s)
{
    const muscle_view w = muscle_find(s);
    const int         v = w.v, first = w.column - v, nf = s->problem->force_count;
    muscle_bend(s, &w, s->q, w.bends);
    for (int i = 0; i < w.count; i++) {
        const double *arm = w.arms + i * v, *B = w.bends + i * v * v, *by = w.results[i].force_by;
        for (int k = 0; k < v; k++) {
            s->tau_f[k * nf + first + i] = -arm[k] * by[0];
            for (int l = 0; l < v; l++) {
                double turn = 0; // of V by q_l
                for (int j = 0; arm[k] != 0 && j < v; j++)
                    turn += B[l * v + j] * s->qd[j];
                s->tau_q[k * v + l] +=
                    B[k * v + l] * w.F[i] + arm[k] * (by[1] * arm[l] - by[2] * turn);
                s->tau_v[k * v + l] += by[2] * arm[k] * arm[l];
            }
        }
    }
}

// ---- metabolic power

static const arne_metabolic_options smooth_metabolism = {.smoothing = 0.05};

// Metabolic power of every muscle, and its slopes by (a, L, V) into by (3 each): the excitation is
// the activation, and fibres follow from (a, L, V).
static int muscle_power(const arne_robot *robot, const muscle_view *w, const double *activation,
                        double (*by)[3])
{
    if (arne_metabolic_rates(robot, NULL, activation, w->results, &smooth_metabolism, w->power,
                             w->power_by) != ARNE_OK)
        return 0;
    for (int i = 0; by && i < w->count; i++) {
        const arne_muscle_result *r = &w->results[i];
        const double             *d = w->power_by + 4 * i;
        for (int c = 0; c < 3; c++)
            by[i][c] = d[2] * r->fibre_by[c] + d[3] * r->speed_by[c] + (c ? 0 : d[0] + d[1]);
    }
    return 1;
}

double plan_muscle_power(plan_state *s, double *gradient)
{
    const muscle_view w = muscle_find(s);
    double            sum = 0, (*by)[3] = (double(*)[3])w.slopes;
    if (!muscle_power(s->robot, &w, s->z + w.column, by)) return NAN;
    if (gradient) muscle_bend(s, &w, s->q, w.bends);
    for (int i = 0; i < w.count; i++) {
        const double *arm = w.arms + i * w.v;
        sum += w.power[i];
        if (!gradient) continue;
        gradient[w.column + i] += by[i][0];
        for (int k = 0; k < w.v; k++) {
            gradient[k] -= by[i][1] * arm[k];
            gradient[s->problem->n + k] -= by[i][2] * arm[k];
            for (int l = 0; l < w.v; l++)
                gradient[k] += by[i][2] * w.bends[(i * w.v + k) * w.v + l] * s->qd[l];
        }
    }
    return sum;
}

// ---- second derivatives

// out = d(L_qq)/dq along a direction, by central differences.
static void muscle_third(plan_state *s, const muscle_view *w, const double *along, double *out)
{
    const int size = w->count * w->v * w->v;
    double    length = 0;
    for (int k = 0; k < w->v; k++)
        length = fmax(length, fabs(along[k]));
    memset(out, 0, (size_t)size * sizeof *out);
    if (length == 0) return;
    const double step = 1e-4 / length;
    for (int side = -1; side <= 1; side += 2) {
        for (int k = 0; k < w->v; k++)
            w->q[k] = s->q[k] + side * step * along[k];
        muscle_bend(s, w, w->q, w->other);
        for (int i = 0; i < size; i++)
            out[i] += 0.5 * side / step * w->other[i];
    }
}

// The step of differences by activation, length or velocity of a muscle.
static double muscle_step(const arne_robot *robot, int i, int of)
{
    const arne_muscle_law *law = &robot_muscles(robot)[i].law;
    const double           size[3] = {1, law->fibre_length, law->fibre_length * law->max_velocity};
    return 1e-5 * (size[of] > 0 ? size[of] : 1);
}

// The second derivatives of F by (a, L, V), by differences of the first ones.
static void muscle_force_bends(plan_state *s, const muscle_view *w, int i, double out[3][3])
{
    const double at[3] = {s->z[w->column + i], w->L[i], w->V[i]};
    for (int c = 0; c < 3; c++) {
        arne_muscle_result side[2];
        const double       step = muscle_step(s->robot, i, c);
        for (int e = 0; e < 2; e++) {
            double x[3] = {at[0], at[1], at[2]};
            x[c] += e ? step : -step;
            plan_muscle_one(s->robot, i, x, &side[e]);
        }
        for (int r = 0; r < 3; r++)
            out[r][c] = 0.5 * (side[1].force_by[r] - side[0].force_by[r]) / step;
    }
}

// Coordinates that a muscle depends on.
static int muscle_coordinates(const muscle_view *w, int i, int *list)
{
    int count = 0;
    for (int k = 0; k < w->v; k++) {
        double any = fabs(w->arms[i * w->v + k]);
        for (int l = 0; l < w->v; l++)
            any += fabs(w->bends[(i * w->v + k) * w->v + l]);
        if (any != 0 && count < PLAN_MUSCLE_SPAN) list[count++] = k;
    }
    return count;
}

// Where a function of (a, L, V) of a muscle stands among the variables: their slopes x' by the
// coordinates that it depends on, then by their velocities, then by its activation.
enum { MOST_OF_MUSCLE = 2 * PLAN_MUSCLE_SPAN + 1 };
typedef struct muscle_chain {
    int    c, last, list[PLAN_MUSCLE_SPAN], column[MOST_OF_MUSCLE];
    double x[3][MOST_OF_MUSCLE];
} muscle_chain;

static void muscle_link(const plan_state *s, const muscle_view *w, int i, muscle_chain *out)
{
    const double *B = w->bends + i * w->v * w->v, *arm = w->arms + i * w->v;
    memset(out, 0, sizeof *out);
    const int c = out->c = muscle_coordinates(w, i, out->list);
    out->last = 2 * c;
    for (int k = 0; k < c; k++) {
        const int at = out->list[k];
        out->column[k] = at, out->column[c + k] = s->problem->n + at;
        out->x[1][k] = out->x[2][c + k] = -arm[at];
        for (int l = 0; l < c; l++)
            out->x[2][k] += B[at * w->v + out->list[l]] * s->qd[out->list[l]];
    }
    out->column[out->last] = w->column + i;
    out->x[0][out->last] = 1;
}

// Adds y times the second derivatives of such a function, of which slopes and second derivatives by
// (a, L, V) are given: x'^T f_xx x' + f_L L'' + f_V V''.
static void muscle_curve_of(plan_state *s, const muscle_view *w, int i, const muscle_chain *at,
                            double y, const double by[3], const double *second)
{
    const int     v = w->v, c = at->c, all = PLAN_ORDERS * s->problem->n;
    const double *B = w->bends + i * v * v, *by_qd = w->by_qd + i * v * v;
    for (int k = 0; k <= at->last; k++)
        for (int l = 0; l <= at->last; l++) {
            double d = 0;
            for (int r = 0; r < 9; r++)
                d += second[r] * at->x[r / 3][k] * at->x[r % 3][l];
            if (k < at->last && l < at->last) {
                const int to = at->list[k % c] * v + at->list[l % c];
                if (k < c && l < c)
                    d += by[1] * B[to] + by[2] * by_qd[to];
                else if (k < c || l < c)
                    d += by[2] * B[to];
            }
            s->at->H[at->column[k] * all + at->column[l]] += y * d;
        }
}

// Adds lambda . (L_q F) of one muscle to the Hessian. With y = lambda . L_q, x = (a, L, V):
//     F y'' + y' (F_x x')^T + (F_x x') y'^T + y F''
static void muscle_curve(plan_state *s, const muscle_view *w, int i)
{
    const int     v = w->v, all = PLAN_ORDERS * s->problem->n;
    const double *lambda = s->at->lambda_tau, *by = w->results[i].force_by;
    double        y = 0, dy[MOST_OF_MUSCLE] = {0}, slope[MOST_OF_MUSCLE] = {0}, second[3][3];
    muscle_chain  at;
    muscle_link(s, w, i, &at);
    for (int k = 0; k < at.c; k++) {
        y -= lambda[at.list[k]] * w->arms[i * v + at.list[k]];
        for (int l = 0; l < at.c; l++)
            dy[k] += w->bends[(i * v + at.list[k]) * v + at.list[l]] * lambda[at.list[l]];
    }
    for (int k = 0; k <= at.last; k++)
        for (int r = 0; r < 3; r++)
            slope[k] += by[r] * at.x[r][k];
    muscle_force_bends(s, w, i, second);
    muscle_curve_of(s, w, i, &at, y, by, *second);
    for (int k = 0; k <= at.last; k++)
        for (int l = 0; l <= at.last; l++) {
            double d = dy[k] * slope[l] + dy[l] * slope[k];
            if (k < at.c && l < at.c)
                d += w->F[i] * w->by_lambda[(i * v + at.list[k]) * v + at.list[l]];
            s->at->H[at.column[k] * all + at.column[l]] += d;
        }
}

void plan_muscle_curve(plan_state *s)
{
    const muscle_view w = muscle_find(s);
    muscle_bend(s, &w, s->q, w.bends);
    muscle_third(s, &w, s->at->lambda_tau, w.by_lambda);
    muscle_third(s, &w, s->qd, w.by_qd);
    for (int i = 0; i < w.count; i++)
        muscle_curve(s, &w, i);
}

// Second derivatives of metabolic power by (a, L, V): differences of the slopes, of all muscles at
// once. Leaves results and powers of the last step.
static int muscle_power_bends(plan_state *s, const muscle_view *w)
{
    double *activation = w->F, (*by)[3] = (double(*)[3])w->slopes;
    memset(w->second, 0, (size_t)(9 * w->count) * sizeof *w->second);
    for (int c = 0; c < 3; c++)
        for (int side = -1; side <= 1; side += 2) {
            for (int i = 0; i < w->count; i++) {
                double x[3] = {s->z[w->column + i], w->L[i], w->V[i]};
                x[c] += side * muscle_step(s->robot, i, c);
                activation[i] = x[0];
                plan_muscle_one(s->robot, i, x, &w->results[i]);
            }
            if (!muscle_power(s->robot, w, activation, by)) return 0;
            for (int i = 0; i < w->count; i++)
                for (int r = 0; r < 3; r++)
                    w->second[9 * i + 3 * r + c] +=
                        0.5 * side * by[i][r] / muscle_step(s->robot, i, c);
        }
    return 1;
}

void plan_muscle_power_curve(plan_state *s, double lambda)
{
    const muscle_view w = muscle_find(s);
    muscle_bend(s, &w, s->q, w.bends);
    muscle_third(s, &w, s->qd, w.by_qd);
    if (!muscle_power_bends(s, &w)) return;
    const muscle_view at = muscle_find(s);
    if (!muscle_power(s->robot, &at, s->z + at.column, (double(*)[3])at.slopes)) return;
    for (int i = 0; i < at.count; i++) {
        muscle_chain chain;
        muscle_link(s, &at, i, &chain);
        muscle_curve_of(s, &at, i, &chain, lambda, at.slopes + 3 * i, at.second + 9 * i);
    }
}
