// From variables to the motion at an instant, and the values and gradients of quantities there.
#include "plan/problem/plan_muscle.h"
#include "plan/transcription/plan_loops.h"
#include <math.h>
#include <string.h>

// ---- z from x

// The k-th time derivative of a coordinate that is prescribed.
double plan_prescribed_at(const plan_prescribed *f, double t, int k)
{
    double sum =
        f->amplitude * pow(f->frequency, k) * sin(f->frequency * t + f->phase + k * acos(0));
    for (int i = k; i < f->count; i++) {
        double c = f->polynomial[i];
        for (int l = 0; l < k; l++)
            c *= i - l;
        sum += c * pow(t, i - k);
    }
    return sum;
}

// With contact forces, copies the robot's part of z.
static void keep_robot(plan_state *s)
{
    const plan_problem *p = s->problem;
    for (int k = 0; k < PLAN_ORDERS && p->force_count; k++)
        memcpy(s->q + k * p->v_count, s->z + k * p->n, (size_t)p->v_count * sizeof *s->q);
}

double plan_time(const plan_problem *p, const double *T)
{
    double sum = 0;
    for (int k = 0; k < p->phase_count; k++)
        sum += T[k];
    return sum;
}

int plan_phase_at(const plan_problem *p, const double *T, double u, double *part)
{
    double t = u * plan_time(p, T);
    int    phase = 0;
    for (; phase + 1 < p->phase_count; phase++) {
        if (t < T[phase] * (1 - 1e-12)) break;
        t -= T[phase];
    }
    *part = p->phase_count == 1 ? u : fmin(fmax(t / T[phase], 0), 1);
    return phase;
}

double plan_part(const plan_problem *p, const double *T, int phase, double u)
{
    double t = 0;
    if (p->phase_count == 1) return u;
    for (int k = 0; k < phase; k++)
        t += T[k];
    return (t + u * T[phase]) / plan_time(p, T);
}

static void state_fill(plan_program *p, plan_state *s, const plan_point *at, const double *x)
{
    const int    n = p->n, m = p->m, alive = p->degree + 1, first = at->first;
    const double u = at->u;
    s->phase = at->phase;
    plan_take(s, s->at);
    s->u = u;
    s->T = p->free_time ? x[n * m + at->phase] : p->time;
    s->have = 0;
    memset(s->fresh, 0, (size_t)p->problem->quantity_count);
    double scale = 1;
    for (int k = 0; k < PLAN_ORDERS; k++, scale /= s->T)
        for (int j = 0; j < n; j++) {
            const double *basis = j < p->n - p->force_count ? at->basis : at->force;
            double        sum = 0;
            for (int a = 0; a < alive; a++)
                sum += basis[k * alive + a] * x[j * m + first + a];
            s->z[k * n + j] = p->problem->prescribed[j].on
                                  ? plan_prescribed_at(&p->problem->prescribed[j], u * s->T, k)
                                  : scale * sum;
        }
    keep_robot(s);
}

void plan_set(plan_program *p, const double *x)
{
    p->known = KNOWN_NOTHING;
    for (int i = 0; i < p->point_count; i++)
        state_fill(p, &p->states[i], &p->points[i], x);
}

void plan_place(plan_program *p, plan_state *s, int phase, double u, const double *x)
{
    double     basis[PLAN_ORDERS * 10], force[PLAN_ORDERS * 10];
    plan_point at = {.u = u, .phase = phase, .basis = basis, .force = force};
    plan_bases(p, &at);
    state_fill(p, s, &at, x);
}

void plan_put(plan_state *s, int phase, double u, double T, const double *z)
{
    s->phase = phase;
    plan_take(s, s->at);
    s->u = u;
    s->T = T;
    s->have = 0;
    memset(s->fresh, 0, (size_t)s->problem->quantity_count);
    memcpy(s->z, z, PLAN_ORDERS * (size_t)s->problem->n * sizeof *z);
    keep_robot(s);
}

// ---- the robot

static int carried(plan_state *s, int derivatives)
{
    const plan_map *map = &s->problem->map;
    if (!map->n || s->have & (derivatives ? HAVE_CARRY_RATES : HAVE_CARRY)) return 0;
    s->have |= derivatives ? HAVE_CARRY_RATES | HAVE_CARRY : HAVE_CARRY;
    return map->apply(map, s, derivatives ? s->carry : NULL);
}

void plan_torques(plan_state *s)
{
    if (s->have & HAVE_TORQUES) return;
    s->have |= HAVE_TORQUES;
    if (s->problem->planned_from) {
        plan_loop_torques(s);
        return;
    }
    plan_wrench_loads(s);
    arne_inverse_dynamics(s->robot, s->work, s->q, s->qd, s->qdd, s->f_ext, s->tau);
    if (s->f_ext) plan_wrench_torques(s);
    plan_contact_torques(s);
    if (s->problem->muscle_count) plan_muscle_torques(s);
}

void plan_torque_derivatives(plan_state *s)
{
    if (s->have & HAVE_TORQUE_DERIVATIVES) return;
    s->have |= HAVE_TORQUE_DERIVATIVES;
    if (s->problem->planned_from) {
        plan_loop_torque_derivatives(s);
        return;
    }
    plan_wrench_loads(s);
    arne_inverse_dynamics_derivatives(s->robot, s->work, s->q, s->qd, s->qdd, s->loads,
                                      s->load_count, s->tau_q, s->tau_v, s->M);
    if (s->f_ext) plan_wrench_derivatives(s);
    plan_contact_derivatives(s);
    if (s->problem->muscle_count) plan_muscle_derivatives(s);
}

void plan_add_torque(const plan_state *s, int k, double factor, double *row)
{
    const int     w = plan_own(s->problem);
    const double *from[3] = {s->tau_q + k * w, s->tau_v + k * w, s->M + k * w};
    for (int o = 0; o < 3; o++)
        for (int c = 0; c < w; c++)
            row[o * w + c] += factor * from[o][c];
}

void plan_add_coordinate(const plan_state *s, int order, int k, double factor, double *row)
{
    const int v = s->problem->v_count, all = PLAN_ORDERS * s->problem->n;
    if (!s->problem->planned_from) {
        row[order * v + k] += factor;
        return;
    }
    for (int c = 0; c < all; c++)
        row[c] += factor * s->carry[(order * v + k) * all + c];
}

// ---- quantities

static int state_all_finite(const double *x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[i] * 0;
    return sum == 0; // neither infinite nor not a number
}

const double *plan_values(plan_state *s, int index)
{
    const plan_quantity *q = &s->problem->quantities[index];
    if (s->fresh[index] & FRESH_VALUE) return s->value[index];
    if (carried(s, 0) || q->values(q, s, s->value[index]) ||
        !state_all_finite(s->value[index], q->rows))
        return NULL;
    s->fresh[index] |= FRESH_VALUE;
    return s->value[index];
}

// out (1 x columns of the planned coordinates) += row (of the robot's) times carry
static void carry_row(const plan_state *s, const double *row, double *out)
{
    if (!s->problem->map.n) { // contacts: the robot's coordinates come first
        for (int k = 0; k < PLAN_ORDERS; k++)
            for (int j = 0; j < s->problem->v_count; j++)
                out[k * s->problem->n + j] += row[k * s->problem->v_count + j];
        return;
    }
    const int from = PLAN_ORDERS * s->problem->v_count, to = PLAN_ORDERS * s->problem->n;
    for (int i = 0; i < from; i++)
        for (int k = 0; row[i] != 0 && k < to; k++)
            out[k] += row[i] * s->carry[i * to + k];
}

const double *plan_gradient(plan_state *s, int index)
{
    const plan_problem  *p = s->problem;
    const plan_quantity *q = &p->quantities[index];
    const size_t         all = PLAN_ORDERS * (size_t)p->n, own = PLAN_ORDERS * (size_t)p->v_count;
    if (s->fresh[index] & FRESH_GRADIENT) return s->gradient[index];
    if (!plan_values(s, index) || carried(s, 1)) return NULL;
    const int    carries = (p->map.n || p->force_count) && !q->planned;
    const size_t wide = q->planned ? all : own;
    double      *out = carries ? s->at->row : s->gradient[index];
    memset(out, 0, (size_t)q->rows * wide * sizeof *out);
    if (q->gradient(q, s, out) || !state_all_finite(out, q->rows * (int)wide)) return NULL;
    if (carries) {
        memset(s->gradient[index], 0, (size_t)q->rows * all * sizeof *out);
        for (int r = 0; r < q->rows; r++)
            carry_row(s, out + (size_t)r * own, s->gradient[index] + (size_t)r * all);
        if (q->by_forces && p->force_count) q->by_forces(q, s, s->gradient[index]);
    }
    s->fresh[index] |= FRESH_GRADIENT;
    return s->gradient[index];
}

int plan_against(plan_state *s, int index, const double *lambda, double *out)
{
    const plan_problem  *p = s->problem;
    const plan_quantity *q = &p->quantities[index];
    const int            all = PLAN_ORDERS * p->n, own = PLAN_ORDERS * p->v_count;
    if (q->against) {
        if ((!p->map.n && !p->force_count) || q->planned) return q->against(q, s, lambda, out);
        memset(s->at->row, 0, (size_t)own * sizeof *s->at->row);
        if (carried(s, 1) || q->against(q, s, lambda, s->at->row)) return 1;
        carry_row(s, s->at->row, out);
        return 0;
    }
    const double *g = plan_gradient(s, index);
    for (int r = 0; g && r < q->rows; r++)
        for (int c = 0; lambda[r] != 0 && c < all; c++)
            out[c] += lambda[r] * g[r * all + c];
    return !g;
}
