// Steps of the dynamics on the manifold, and their derivatives.
//
// Symplectic Euler: v+ = v + h a, q+ = q (+) h v+. In tangents, with G = h (a_q, a_v, a_tau B):
//     dv+ = dv + G dz,  dq+ = Ad dq + h Jr dv+                    (Ad, Jr of w = h v+: tangent.h)
// RK4: k_i = (v, a) at x (+) c_i h k_i-1, x+ = x (+) h/6 (k_1 + 2 k_2 + 2 k_3 + k_4).
//
// Second derivatives of multiplier . a where all joints have one coordinate: from tau(q, v, a) = B
// u with mu = M^-1 multiplier,
//     multiplier . a_zz = -(mu . tau_zz + mu . tau_za a_z + (mu . tau_za a_z)^T)
// Otherwise: central differences of F^T multiplier.
#include "batch/batch_job.h"
#include "control/oc.h"
#include <arne/configuration.h>
#include <arne/derivatives.h>
#include <arne/integrate.h>
#include <math.h>
#include <string.h>

static const double DIFFERENCE_STEP = 1e-5;
enum { PIECES = 3 }; // of each thread

static int oc_dynamics_all_finite(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += 0 * x[i]; // not a number, or infinite: NaN
    return sum == 0;
}

// stand: what holds the robot, or NULL.
static int acceleration(arne_oc *oc, const oc_stand *stand, const double *x, const double *tau,
                        double *a)
{
    if (oc->by_acceleration) {
        memcpy(a, tau, (size_t)oc->n * sizeof *a);
        return !oc_dynamics_all_finite(a, oc->n);
    }
    return arne_forward_dynamics(oc->robot, oc->work, x, x + oc->nq, tau, NULL, a, NULL) ||
           (stand && contact_acceleration(oc, stand, x, NULL, a)) ||
           !oc_dynamics_all_finite(a, oc->n);
}

// ---- steps ----

static int step_euler(arne_oc *oc, const oc_stand *stand, const double *x, const double *tau,
                      double *next)
{
    double *a = oc->stage, *w = a + oc->n, *v = next + oc->nq;
    if (acceleration(oc, stand, x, tau, a)) return 1;
    for (int i = 0; i < oc->n; i++) {
        v[i] = x[oc->nq + i] + oc->h * a[i];
        w[i] = oc->h * v[i];
    }
    arne_integrate(oc->robot, x, w, next);
    return 0;
}

static const double RK4_NODE[4] = {0, 0.5, 0.5, 1}, RK4_WEIGHT[4] = {1, 2, 2, 1};

// out = x (+) s k with k = (velocity, acceleration). w: n numbers, the step of q.
static void state_moved(const arne_oc *oc, const double *x, const double *k, double s, double *w,
                        double *out)
{
    const int n = oc->n, nq = oc->nq;
    for (int i = 0; i < n; i++) {
        w[i] = s * k[i];
        out[nq + i] = x[nq + i] + s * k[n + i];
    }
    arne_integrate(oc->robot, x, w, out);
}

static int step_rk4(arne_oc *oc, const oc_stand *stand, const double *x, const double *tau,
                    double *next)
{
    const int n = oc->n;
    double   *k = oc->stage, *sum = k + 2 * n, *w = sum + 2 * n, *y = w + n;
    memset(k, 0, 4 * (size_t)n * sizeof *k);
    for (int i = 0; i < 4; i++) {
        state_moved(oc, x, k, RK4_NODE[i] * oc->h, w, y);
        memcpy(k, y + oc->nq, (size_t)n * sizeof *k);
        if (acceleration(oc, stand, y, tau, k + n)) return 1;
        for (int j = 0; j < 2 * n; j++)
            sum[j] += RK4_WEIGHT[i] / 6 * k[j];
    }
    state_moved(oc, x, sum, oc->h, w, next);
    return 0;
}

int dynamics_step(arne_oc *oc, int k, const double *x, const double *u, double *next)
{
    const oc_stand *stand = contact_at(oc, k);
    double         *tau = oc->stage + 6 * oc->n + oc->sx;
    oc_torques(oc, u, tau);
    if (contact_begins(oc, k)) {
        if (contact_impact(oc, stand, x, oc->contact.x)) return 1;
        x = oc->contact.x;
    }
    return oc->euler ? step_euler(oc, stand, x, tau, next) : step_rk4(oc, stand, x, tau, next);
}

// ---- derivatives of all knots, in lanes ----

static void mark_singular(void *context, size_t block, unsigned lanes)
{
    (void)block, (void)lanes;
    *(int *)context = 1;
}

// a_q = a_v = 0, a_u = 1
static void identity_derivatives(int n, double *a_q, double *a_v, double *a_u)
{
    const size_t size = (size_t)(n * n) * sizeof *a_q;
    memset(a_q, 0, size);
    memset(a_v, 0, size);
    memset(a_u, 0, size);
    for (int i = 0; i < n; i++)
        a_u[i * (n + 1)] = 1;
}

// What all knots share: pieces of so many blocks of lanes.
typedef struct derive_all {
    arne_oc          *oc;
    batch_job         job;
    arne_batch_inputs inputs; // to which the job points
    size_t            blocks, piece;
} derive_all;

static void derive_contact(arne_oc *oc, int k)
{
    const ptrdiff_t n = oc->n, nn = n * n;
    const oc_stand *stand = contact_at(oc, k);
    if (!stand) return;
    oc->failed |= contact_derivatives(oc, stand, oc->states + (ptrdiff_t)k * oc->sx, oc->a + k * n,
                                      oc->a_q + k * nn, oc->a_v + k * nn, oc->a_t + k * nn);
    if (oc->forces) contact_put(oc, k);
}

// The knots of a piece, in the memory of a thread.
static void derive_piece(void *context, int thread, size_t piece)
{
    const derive_all *all = context;
    arne_oc          *oc = thread ? &all->oc->helpers[thread - 1] : all->oc;
    const ptrdiff_t   n = oc->n, nn = n * n, width = oc->lanes->width;
    const size_t      first = piece * all->piece,
                 end = first + all->piece < all->blocks ? first + all->piece : all->blocks;
    const int from = (int)((ptrdiff_t)first * width),
              to = (ptrdiff_t)end * width < oc->N ? (int)((ptrdiff_t)end * width) : oc->N;
    if (oc->euler && !oc->by_acceleration)
        oc->lanes->run(&all->job, oc->lanes_block, first, end, mark_singular, &oc->failed);
    for (int k = from; k < to && !oc->failed; k++) {
        if (oc->euler && oc->by_acceleration)
            identity_derivatives(oc->n, oc->a_q + k * nn, oc->a_v + k * nn, oc->a_t + k * nn);
        if (oc->euler) derive_contact(oc, k);
        if (oc_is_structured(oc, k)) continue;
        oc->failed |= dynamics_dense(oc, k, oc->states + (ptrdiff_t)k * oc->sx,
                                     oc->controls + (ptrdiff_t)k * oc->nu, oc_dense(oc, k));
    }
}

// The job of the lanes for Euler's steps. Nonzero: it cannot be made.
static int derive_job(derive_all *all)
{
    const arne_oc          *oc = all->oc;
    const ptrdiff_t         n = oc->n;
    const arne_batch_layout rows = {1, n}, states = {1, oc->sx}, squares = {1, n * n};
    arne_batch_layout       in[ARNE_INPUT_COUNT] = {{0, 0}}, out[ARNE_ARRAY_COUNT] = {{0, 0}};
    in[ARNE_INPUT_q] = in[ARNE_INPUT_qd] = states;
    in[ARNE_INPUT_tau] = out[ARNE_ARRAY_qdd] = rows;
    out[ARNE_ARRAY_dqdd_dq] = out[ARNE_ARRAY_dqdd_dqd] = out[ARNE_ARRAY_dqdd_dtau] = squares;
    all->inputs = (arne_batch_inputs){.q = oc->states,
                                      .qd = oc->states + oc->nq,
                                      .tau = oc->tau,
                                      .input_layouts = in,
                                      .output_layouts = out};
    const arne_batch_outputs outputs = {
        .qdd = oc->a, .dqdd_dq = oc->a_q, .dqdd_dqd = oc->a_v, .dqdd_dtau = oc->a_t};
    const arne_status status =
        batch_job_make(oc->robot, ARNE_ALGORITHM_FORWARD_DYNAMICS_DERIVATIVES, &all->inputs,
                       &outputs, (size_t)oc->N, &all->job, NULL);
    all->inputs.input_layouts = all->inputs.output_layouts = NULL; // the job has its own
    return status != ARNE_OK;
}

int dynamics_derive(arne_oc *oc)
{
    const ptrdiff_t n = oc->n;
    const size_t    width = (size_t)oc->lanes->width, threads = (size_t)oc->threads;
    derive_all      all = {.oc = oc, .blocks = ((size_t)oc->N - 1) / width + 1};
    double         *torques = oc->by_acceleration ? oc->a : oc->tau;
    for (int k = 0; k < oc->N && oc->euler; k++)
        oc_torques(oc, oc->controls + (ptrdiff_t)k * oc->nu, torques + k * n);
    if (oc->euler && !oc->by_acceleration && derive_job(&all)) return 1;
    oc->failed = 0;
    for (arne_oc *h = oc->helpers; h < oc->helpers + threads - 1; h++) {
        h->states = oc->states;
        h->controls = oc->controls;
        h->before = oc->before;
        h->failed = 0;
    }
    if (oc->pool) {
        all.piece = (all.blocks - 1) / (PIECES * threads) + 1;
        pool_run(oc->pool, (all.blocks - 1) / all.piece + 1, derive_piece, &all);
    } else {
        all.piece = all.blocks;
        derive_piece(&all, 0, 0);
    }
    for (const arne_oc *h = oc->helpers; h < oc->helpers + threads - 1; h++)
        oc->failed |= h->failed;
    oc->forces_known = oc->forces && !oc->failed;
    return oc->failed || (oc->euler && !oc_dynamics_all_finite(oc->a, oc->N * oc->n));
}

// ---- derivatives of one knot, of any integrator ----

int dynamics_accelerations(arne_oc *oc, const double *x, const double *tau, double *a, double *a_q,
                           double *a_v, double *a_t)
{
    if (!oc->by_acceleration)
        return arne_forward_dynamics_derivatives(oc->robot, oc->work, x, x + oc->nq, tau, NULL, 0,
                                                 a, a_q, a_v, a_t, NULL) != ARNE_OK;
    memcpy(a, tau, (size_t)oc->n * sizeof *a);
    identity_derivatives(oc->n, a_q, a_v, a_t);
    return 0;
}

// D (2n x nz): derivatives of (velocity, acceleration) at y with respect to y and u, in columns q,
// v, u. Returns nonzero where the dynamics are singular.
static int rate_derivatives(arne_oc *oc, const oc_stand *stand, const double *y, const double *tau,
                            double *k, double *D)
{
    const int n = oc->n, ld = oc->ldz;
    double   *aq = oc->t, *av = aq + n * n, *at = av + n * n;
    if (dynamics_accelerations(oc, y, tau, k + n, aq, av, at) ||
        (stand && contact_derivatives(oc, stand, y, k + n, aq, av, at)))
        return 1;
    memcpy(k, y + oc->nq, (size_t)n * sizeof *k);
    memset(D, 0, (size_t)(2 * n * ld) * sizeof *D);
    for (int i = 0; i < n; i++) {
        double *row = D + (n + i) * ld;
        D[i * ld + n + i] = 1;
        memcpy(row, aq + i * n, (size_t)n * sizeof *row);
        memcpy(row + n, av + i * n, (size_t)n * sizeof *row);
        for (int j = 0; j < oc->nu; j++)
            for (int m = 0; m < n; m++)
                row[oc->nx + j] += at[i * n + m] * oc_drive(oc, m, j);
    }
    return !oc_dynamics_all_finite(k, 2 * n);
}

// E = derivatives of x (+) s k with respect to z, where D are those of k: rows q: Ad + s Jr D, rows
// v: 1 + s D. w: the step of q.
static void moved_derivatives(arne_oc *oc, const double *w, double s, const double *D, double *E)
{
    const int n = oc->n, ld = oc->ldz;
    for (int i = 0; i < 2 * n * ld; i++)
        E[i] = s * D[i];
    tangent_at(oc->bends, oc->bend_count, w);
    for (const curved *c = oc->bends; c < oc->bends + oc->bend_count; c++)
        for (int column = 0; column < oc->nz; column++) {
            double was[6];
            for (int i = 0; i < c->count; i++)
                was[i] = E[(c->v + i) * ld + column];
            for (int i = 0; i < c->count; i++) {
                double sum = 0;
                for (int m = 0; m < c->count; m++)
                    sum += c->right[i * c->count + m] * was[m];
                E[(c->v + i) * ld + column] = sum;
            }
        }
    for (int i = 0; i < 2 * n; i++)
        E[i * ld + i] += 1;
    for (const curved *c = oc->bends; c < oc->bends + oc->bend_count; c++)
        for (int i = 0; i < c->count; i++)
            for (int m = 0; m < c->count; m++)
                E[(c->v + i) * ld + c->v + m] += c->back[i * c->count + m] - (i == m);
}

// D <- D E for the columns of states; those of controls are added.
static void chain(arne_oc *oc, double *D, const double *E, double *room)
{
    const int n2 = 2 * oc->n, ld = oc->ldz;
    for (int i = 0; i < n2; i++) {
        memset(room, 0, (size_t)ld * sizeof *room);
        for (int j = 0; j < oc->nu; j++)
            room[oc->nx + j] = D[i * ld + oc->nx + j];
        for (int m = 0; m < n2; m++)
            for (int c = 0; c < oc->nz; c++)
                room[c] += D[i * ld + m] * E[m * ld + c];
        memcpy(D + i * ld, room, (size_t)ld * sizeof *room);
    }
}

static int dense_euler(arne_oc *oc, const oc_stand *stand, const double *x, const double *tau,
                       double *F)
{
    const int n = oc->n, ld = oc->ldz;
    double   *k = oc->stage, *w = k + 2 * n, *D = oc->L;
    if (rate_derivatives(oc, stand, x, tau, k, D)) return 1;
    for (int i = 0; i < n; i++)
        w[i] = oc->h * (x[oc->nq + i] + oc->h * k[n + i]);
    // the velocity of the step of q is v + h a
    for (int i = 0; i < n; i++)
        for (int c = 0; c < oc->nz; c++)
            D[i * ld + c] += oc->h * D[(n + i) * ld + c];
    moved_derivatives(oc, w, oc->h, D, F);
    return 0;
}

static int dense_rk4(arne_oc *oc, const oc_stand *stand, const double *x, const double *tau,
                     double *F)
{
    const int    n = oc->n, ld = oc->ldz;
    const size_t size = (size_t)(2 * n * ld);
    double      *k = oc->stage, *sum = k + 2 * n, *w = sum + 2 * n, *y = w + n;
    double      *D = oc->L, *E = D + size, *total = E + size, *room = total + size;
    memset(k, 0, 4 * (size_t)n * sizeof *k);
    memset(D, 0, size * sizeof *D);
    memset(total, 0, size * sizeof *D);
    for (int i = 0; i < 4; i++) {
        const double s = RK4_NODE[i] * oc->h;
        state_moved(oc, x, k, s, w, y);
        moved_derivatives(oc, w, s, D, E);
        if (rate_derivatives(oc, stand, y, tau, k, D)) return 1;
        chain(oc, D, E, room);
        for (size_t j = 0; j < size; j++)
            total[j] += RK4_WEIGHT[i] / 6 * D[j];
        for (int j = 0; j < 2 * n; j++)
            sum[j] += RK4_WEIGHT[i] / 6 * k[j];
    }
    for (int i = 0; i < n; i++)
        w[i] = oc->h * sum[i];
    moved_derivatives(oc, w, oc->h, total, F);
    return 0;
}

// F <- F E for an impact before the step: E has (1, 0; v_q, v_v) for states.
static void chain_impact(arne_oc *oc, const double *v_q, const double *v_v, double *F)
{
    const int n = oc->n, ld = oc->ldz;
    for (int i = 0; i < 2 * n; i++) {
        double *row = F + i * ld, *on_v = oc->stage;
        memcpy(on_v, row + n, (size_t)n * sizeof *on_v);
        memset(row + n, 0, (size_t)n * sizeof *row);
        for (int l = 0; l < n; l++)
            for (int j = 0; j < n; j++) {
                row[j] += on_v[l] * v_q[l * n + j];
                row[n + j] += on_v[l] * v_v[l * n + j];
            }
    }
}

int dynamics_dense(arne_oc *oc, int k, const double *x, const double *u, double *F)
{
    const oc_stand *stand = contact_at(oc, k);
    contact_room   *c = &oc->contact;
    double         *tau = oc->stage + 6 * oc->n + oc->sx;
    const int       impact = contact_begins(oc, k);
    if (impact && contact_impact_derivatives(oc, stand, x, c->x, c->a_q, c->a_v)) return 1;
    if (impact) x = c->x;
    oc_torques(oc, u, tau);
    if (oc->euler ? dense_euler(oc, stand, x, tau, F) : dense_rk4(oc, stand, x, tau, F)) return 1;
    if (impact) chain_impact(oc, c->a_q, c->a_v, F);
    for (int i = 0; oc->rate && i < oc->nu; i++) { // the control before is this one
        double *row = F + (2 * oc->n + i) * oc->ldz;
        memset(row, 0, (size_t)oc->ldz * sizeof *row);
        row[oc->nx + i] = 1;
    }
    return 0;
}

// ---- second derivatives ----

static void add_symmetric(arne_oc *oc, int row, int column, double value, double *Q)
{
    Q[(row > column ? row : column) * oc->ldz + (row > column ? column : row)] += value;
}

// multiplier . f with f of plain joints: (multiplier_v + h multiplier_q) . h a.
static int curvature_recursive(arne_oc *oc, int k, const double *multiplier, double *Q)
{
    const int     n = oc->n, nn = n * n;
    const double *x = oc->states + (ptrdiff_t)k * oc->sx;
    const double *aq = oc->a_q + (ptrdiff_t)k * nn, *av = oc->a_v + (ptrdiff_t)k * nn,
                 *at = oc->a_t + (ptrdiff_t)k * nn;
    double *mu = oc->t, *qq = mu + n, *qv = qq + nn, *vv = qv + nn, *qa = vv + nn;
    for (int i = 0; i < n; i++) { // a_tau is M^-1
        mu[i] = 0;
        for (int j = 0; j < n; j++)
            mu[i] -= oc->h * at[i * n + j] * (multiplier[n + j] + oc->h * multiplier[j]);
    }
    if (arne_second_derivatives(oc->robot, oc->work, x, x + oc->nq, oc->a + (ptrdiff_t)k * n, NULL,
                                0, mu, qq, qv, vv, qa, NULL))
        return 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            Q[i * oc->ldz + j] += qq[i * n + j];
            Q[(n + i) * oc->ldz + n + j] += vv[i * n + j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double on_q = 0, on_v = 0, on_t = 0; // rows of tau_qa a_z
            for (int m = 0; m < n; m++) {
                on_q += qa[i * n + m] * aq[m * n + j];
                on_v += qa[i * n + m] * av[m * n + j];
                on_t += qa[i * n + m] * at[m * n + j];
            }
            add_symmetric(oc, i, j, i == j ? 2 * on_q : on_q, Q);
            Q[(n + j) * oc->ldz + i] += qv[i * n + j] + on_v;
            for (int u = 0; u < oc->nu; u++)
                Q[(oc->nx + u) * oc->ldz + i] += on_t * oc_drive(oc, j, u);
        }
    return 0;
}

// F^T multiplier at the knot moved by s along entry j of z.
static int pulled_back(arne_oc *oc, int k, int j, double s, const double *multiplier, double *out)
{
    const int     n = oc->n, nx = oc->nx;
    const double *x = oc->states + (ptrdiff_t)k * oc->sx, *u = oc->controls + (ptrdiff_t)k * oc->nu;
    double       *moved = oc->r, *along = moved + oc->sx, *control = along + n;
    memcpy(moved, x, (size_t)oc->sx * sizeof *x);
    memcpy(control, u, (size_t)oc->nu * sizeof *u);
    memset(along, 0, (size_t)n * sizeof *along);
    if (j < n) {
        along[j] = s;
        arne_integrate(oc->robot, x, along, moved);
    } else if (j < 2 * n)
        moved[oc->nq + j - n] += s;
    else
        control[j - nx] += s;
    if (dynamics_dense(oc, k, moved, control, oc->F)) return 1;
    memset(out, 0, (size_t)oc->nz * sizeof *out);
    for (int i = 0; i < 2 * n; i++)
        for (int c = 0; c < oc->nz; c++)
            out[c] += multiplier[i] * oc->F[i * oc->ldz + c];
    return 0;
}

static int curvature_differences(arne_oc *oc, int k, const double *multiplier, double *Q)
{
    double *side[2] = {oc->g, oc->g + oc->nz};
    for (int j = 0; j < oc->nz; j++) {
        if (j >= 2 * oc->n && j < oc->nx) continue; // the control before
        for (int s = 0; s < 2; s++)
            if (pulled_back(oc, k, j, s ? DIFFERENCE_STEP : -DIFFERENCE_STEP, multiplier, side[s]))
                return 1;
        for (int c = 0; c < oc->nz; c++) {
            const double d = (side[1][c] - side[0][c]) / (2 * DIFFERENCE_STEP);
            add_symmetric(oc, c, j, c == j ? d : 0.5 * d, Q);
        }
    }
    return 0;
}

int dynamics_curvature(arne_oc *oc, int k, const double *multiplier, double *Q)
{
    if (oc->by_acceleration && oc->plain) return 0; // the step is linear
    return oc->euler && oc->recursive && !oc->by_acceleration && !contact_at(oc, k)
               ? curvature_recursive(oc, k, multiplier, Q)
               : curvature_differences(oc, k, multiplier, Q);
}
