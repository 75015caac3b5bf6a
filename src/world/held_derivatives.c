// Derivatives of forward dynamics with held frames, where contacts stay as they are.
//
// M qdd + c - J^T f = tau and the accelerations a = J qdd + dJ/dt qd of what is held, along x of q,
// qd and tau, with the forces f fixed in the world:
//     M qdd' - J^T f' = g,   g = tau' - (inverse dynamics)'
//     J qdd' + a' = -(what of a may change)
// A contact that holds has three rows. One that is open has none. One that slides has two unknowns,
// its normal force n and the angle of its friction e:
//     f' = n' (normal + mu e) + mu n e_across angle'
//     a_n' = 0,   a_t' . e_across + |a_t| angle' = 0
// Together C K B y + S y = -C (a' + J M^-1 g) with K = J M^-1 J^T and f' = B y; then qdd' = M^-1 (g
// + J^T f').
#include "base/error.h"
#include "math/rank.h"
#include "world/held_frames.h"
#include <arne/derivatives.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 3 };

// What a block may do: force directions and conditions, as columns and rows of three.
typedef struct freedom {
    int    block, at; // its first unknown
    int    count;
    double force[BLOCK][BLOCK], row[BLOCK][BLOCK], own[BLOCK];
} freedom;

typedef struct derivation {
    arne_holding *h;
    int           nv, blocks, unknowns;
    double       *Minv, *dID, *frame; // nv x nv; nv x nv; 6 x nv
    double       *da;                 // 3 blocks x nv: accelerations of rows
    double       *K, *A, *JM;         // K: 3 blocks squared; A: unknowns squared; J M^-1
    double       *scale, *diagonal, *b, *column;
    int          *pivot;
    freedom      *free;
    arne_load    *loads;
    double       *qdd, *df; // df: 3 blocks x nv
    arne_wrench  *forces, *f_ext;
} derivation;

// ---- memory ----

static arne_status held_derivatives_place(arne_holding *h, int loads, derivation *d,
                                          arne_error *error)
{
    const rigid *r = h->world->rigid;
    const size_t nv = (size_t)h->world->robot->v_count, n = BLOCK * (size_t)r->block_room,
                 bodies = (size_t)h->world->robot->body_count;
    double **const of[] = {&d->Minv, &d->dID, &d->frame, &d->da,       &d->K,     &d->A,     &d->JM,
                           &d->qdd,  &d->df,  &d->b,     &d->diagonal, &d->scale, &d->column};
    const size_t   size[] = {nv * nv, nv * nv, 18 * nv, n * nv, n * n, n * n, n * nv,
                             nv,      n * nv,  n,       n,      n,     n + nv};
    const size_t   parts = sizeof of / sizeof *of;
    size_t         doubles = 1, held = (size_t)h->count + 1;
    for (size_t i = 0; i < parts; i++)
        doubles += size[i];
    const size_t bytes = doubles * sizeof(double) + (size_t)r->block_room * sizeof *d->free +
                         (held + (size_t)loads) * sizeof *d->loads +
                         (held + bodies) * sizeof *d->forces + n * sizeof *d->pivot;
    free(h->derivatives);
    double *at = h->derivatives = calloc(1, bytes);
    if (!at) return arne_fail_memory(error);
    for (size_t i = 0; i < parts; at += size[i++])
        *of[i] = at;
    d->forces = (arne_wrench *)(void *)at;
    d->f_ext = d->forces + held;
    d->loads = (arne_load *)(void *)(d->f_ext + bodies);
    d->free = (freedom *)(void *)(d->loads + held + (size_t)loads);
    d->pivot = (int *)(void *)(d->free + r->block_room);
    return ARNE_OK;
}

// ---- what each contact may do ----

static void sliding(const row_block *b, const double a[3], freedom *f)
{
    const double t = sqrt(b->p[1] * b->p[1] + b->p[2] * b->p[2]);
    const double x = b->p[1] / t, y = b->p[2] / t, speed = -(x * a[1] + y * a[2]);
    const double directions[2][3] = {{1, b->mu * x, b->mu * y}, {0, -t * y, t * x}};
    const double rows[2][3] = {{1, 0, 0}, {0, -y, x}};
    memcpy(f->force, directions, sizeof directions);
    memcpy(f->row, rows, sizeof rows);
    f->own[1] = speed;
    f->count = 2;
}

static void holding(int count, freedom *f)
{
    for (int k = 0; k < count; k++)
        f->force[k][k] = f->row[k][k] = 1;
    f->count = count;
}

static void find_freedoms(derivation *d)
{
    const rigid *r = d->h->world->rigid;
    d->unknowns = 0;
    for (int i = 0; i < d->blocks; i++) {
        const row_block *b = &r->blocks[i];
        freedom         *f = &d->free[i];
        double           a[3];
        memset(f, 0, sizeof *f);
        f->at = d->unknowns;
        block_velocities(r, b, d->qdd, a);
        for (int k = 0; k < BLOCK; k++)
            a[k] += b->bias[k];
        const double most = b->mu * b->p[0], t2 = b->p[1] * b->p[1] + b->p[2] * b->p[2];
        if (b->kind == ROW_HELD)
            holding(BLOCK, f);
        else if (b->p[0] > 0)
            b->mu == 0                    ? holding(1, f)
            : t2 < most *most *(1 - 1e-9) ? holding(BLOCK, f)
                                          : sliding(b, a, f);
        d->unknowns += f->count;
    }
}

// ---- the linear system ----

static double row_along(const rigid *r, int i, int k, const double *x)
{
    const contact_rows *c = &r->blocks[i].rows;
    return row_dot(r->J + c->at + (size_t)(k * c->count), x + c->first, c->count);
}

static void make_K(derivation *d)
{
    const rigid *r = d->h->world->rigid;
    const int    n = BLOCK * d->blocks, nv = d->nv;
    for (int i = 0; i < n; i++) {
        double             *row = d->JM + i * nv;
        const contact_rows *c = &r->blocks[i / BLOCK].rows;
        memset(row, 0, (size_t)nv * sizeof *row);
        memcpy(row + c->first, r->Y + c->at + (size_t)(i % BLOCK * c->count),
               (size_t)c->count * sizeof *row);
        for (int k = 0; k < n; k++)
            d->K[k * n + i] = row_along(r, k / BLOCK, k % BLOCK, row);
    }
}

static int held_derivatives_factor(derivation *d, dense_qr *qr)
{
    const int n = BLOCK * d->blocks, m = d->unknowns;
    memset(d->A, 0, (size_t)(m * m) * sizeof *d->A);
    for (int i = 0; i < d->blocks; i++)
        for (int j = 0; j < d->blocks; j++) {
            const freedom *a = &d->free[i], *b = &d->free[j];
            for (int k = 0; k < a->count; k++)
                for (int l = 0; l < b->count; l++) {
                    double sum = i == j && k == l ? a->own[k] : 0;
                    for (int x = 0; x < BLOCK; x++)
                        for (int y = 0; y < BLOCK; y++)
                            sum += a->row[k][x] * d->K[(BLOCK * i + x) * n + BLOCK * j + y] *
                                   b->force[l][y];
                    d->A[(a->at + k) * m + b->at + l] = sum;
                }
        }
    *qr = (dense_qr){.rows = m,
                     .columns = m,
                     .most = m,
                     .most_early = m,
                     .A = d->A,
                     .scale = d->scale,
                     .diagonal = d->diagonal,
                     .pivot = d->pivot};
    dense_qr_factor(qr, NULL, 1e-9);
    return qr->rank == m;
}

// b becomes y with A y = b.
static void held_derivatives_solve(derivation *d, const dense_qr *qr, double *b)
{
    const int m = d->unknowns;
    dense_qr_transposed(qr, b);
    dense_qr_back(qr, b);
    memcpy(d->column, b, (size_t)m * sizeof *b);
    for (int i = 0; i < m; i++)
        b[qr->pivot[i]] = d->column[i];
}

// ---- along one column of q, qd or tau ----

// g and column j of d->da (NULL: zero) into column j of dqdd and of df.
static void held_derivatives_along(derivation *d, const dense_qr *qr, double *g, const double *da,
                                   int j, double *dqdd, double *df)
{
    const int nv = d->nv, n = BLOCK * d->blocks;
    for (int i = 0; i < d->blocks; i++)
        for (int k = 0; k < d->free[i].count; k++) {
            double sum = 0;
            for (int x = 0; x < BLOCK; x++) {
                double a = da ? da[(BLOCK * i + x) * nv + j] : 0;
                for (int v = 0; v < nv; v++)
                    a += d->JM[(BLOCK * i + x) * nv + v] * g[v];
                sum += d->free[i].row[k][x] * a;
            }
            d->b[d->free[i].at + k] = -sum;
        }
    if (d->unknowns) held_derivatives_solve(d, qr, d->b);
    for (int i = 0; i < d->blocks; i++)
        for (int x = 0; x < BLOCK; x++) {
            double f = 0;
            for (int k = 0; k < d->free[i].count; k++)
                f += d->free[i].force[k][x] * d->b[d->free[i].at + k];
            d->column[BLOCK * i + x] = f;
            if (df) df[(BLOCK * i + x) * nv + j] = f;
        }
    for (int v = 0; v < nv && dqdd; v++) {
        double sum = 0;
        for (int k = 0; k < nv; k++)
            sum += d->Minv[v * nv + k] * g[k];
        for (int i = 0; i < n; i++)
            sum += d->JM[i * nv + v] * d->column[i];
        dqdd[v * nv + j] = sum;
    }
}

// Derivatives of forces along the rows of their blocks into those along the world's axes.
static void held_derivatives_put_forces(const derivation *d, double *out)
{
    const rigid *r = d->h->world->rigid;
    const int    nv = d->nv;
    memset(out, 0, (size_t)(6 * d->h->count * nv) * sizeof *out);
    for (int i = 0; i < d->blocks; i++) {
        const row_block *b = &r->blocks[i];
        double          *to = out + (size_t)((6 * b->touch + (b->rows.turns ? 3 : 0)) * nv);
        for (int k = 0; k < BLOCK; k++)
            for (int j = 0; j < nv; j++) {
                const double f = d->df[(BLOCK * i + k) * nv + j];
                to[j] += b->rows.axis[k].x * f;
                to[nv + j] += b->rows.axis[k].y * f;
                to[2 * nv + j] += b->rows.axis[k].z * f;
            }
    }
}

// How the rows' accelerations change with q (way 0) or qd (1), at qdd.
static void change_of_rows(derivation *d, arne_work *work, const double *q, const double *qd,
                           int way)
{
    const rigid *r = d->h->world->rigid;
    const int    nv = d->nv;
    int          last = -1;
    for (int i = 0; i < d->blocks; i++) {
        const row_block             *b = &r->blocks[i];
        const arne_frame_derivatives of = {.dacceleration_dq = way ? NULL : d->frame,
                                           .dacceleration_dqd = way ? d->frame : NULL};
        if (b->touch != last)
            arne_frame_motion_derivatives(d->h->world->robot, work, q, qd, d->qdd,
                                          d->h->held[b->touch].frame, ARNE_AXES_ALIGNED, &of);
        last = b->touch;
        const double *a = d->frame + (size_t)((b->rows.turns ? 3 : 0) * nv);
        for (int k = 0; k < BLOCK; k++)
            for (int j = 0; j < nv; j++)
                d->da[(BLOCK * i + k) * nv + j] = b->rows.axis[k].x * a[j] +
                                                  b->rows.axis[k].y * a[nv + j] +
                                                  b->rows.axis[k].z * a[2 * nv + j];
    }
}

// Loads of the caller as wrenches on bodies, at the state of the work's kinematics.
static void held_derivatives_put_loads(const arne_robot *robot, const arne_load *loads, int count,
                                       arne_wrench *out)
{
    memset(out, 0, (size_t)robot->body_count * sizeof *out);
    for (int i = 0; i < count; i++)
        arne_add_wrench(robot, loads[i].frame, &loads[i].wrench, out);
}

// All loads: the caller's, and the contacts' that were found, which stay as they are in the world.
static int take_loads(derivation *d, const arne_work *work, const arne_load *loads, int count)
{
    if (count) memcpy(d->loads, loads, (size_t)count * sizeof *loads);
    for (int i = 0; i < d->h->count; i++) {
        const int       frame = d->h->held[i].frame;
        const arne_pose X = arne_frame_pose(d->h->world->robot, work, frame);
        d->loads[count + i] = (arne_load){
            frame,
            1,
            {mat_mul_back(&X.R, d->forces[i].lin), mat_mul_back(&X.R, d->forces[i].ang)},
            {{0, 0, 0}, {0, 0, 0}}};
    }
    return count + d->h->count;
}

static void all_columns(derivation *d, arne_work *work, const double *q, const double *qd,
                        int load_count, const dense_qr *qr, const arne_contact_derivatives *out)
{
    const arne_robot *robot = d->h->world->robot;
    const int         nv = d->nv;
    double           *g = d->column + BLOCK * d->h->world->rigid->block_room;
    double *const     dqdd[3] = {out->dqdd_dq, out->dqdd_dqd, out->dqdd_dtau};
    double *const     df[3] = {out->dforces_dq, out->dforces_dqd, out->dforces_dtau};
    for (int way = 0; way < 3; way++) {
        if (!dqdd[way] && !df[way]) continue;
        if (way < 2) {
            arne_inverse_dynamics_derivatives(robot, work, q, qd, d->qdd, d->loads, load_count,
                                              way ? NULL : d->dID, way ? d->dID : NULL, NULL);
            change_of_rows(d, work, q, qd, way);
        }
        for (int j = 0; j < nv; j++) {
            for (int v = 0; v < nv; v++)
                g[v] = way < 2 ? -d->dID[v * nv + j] : v == j;
            held_derivatives_along(d, qr, g, way < 2 ? d->da : NULL, j, dqdd[way], d->df);
        }
        if (df[way]) held_derivatives_put_forces(d, df[way]);
    }
}

arne_status arne_contact_dynamics_derivatives(arne_holding *h, arne_work *work, const double *q,
                                              const double *qd, const double *tau,
                                              const arne_load *loads, int load_count,
                                              const arne_contact_derivatives *out,
                                              arne_error                     *error)
{
    if (!h || !work || !q || !qd || !tau || !out || (load_count > 0 && !loads))
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    const arne_robot *robot = h->world->robot;
    derivation        d = {.h = h, .nv = robot->v_count};
    arne_status       status = held_derivatives_place(h, load_count, &d, error);
    if (status) return status;
    held_derivatives_put_loads(robot, loads, load_count, d.f_ext);
    status = arne_contact_dynamics(h, work, q, qd, tau, d.f_ext, d.qdd, d.forces, NULL, error);
    if (status) return status;
    if (out->qdd) memcpy(out->qdd, d.qdd, (size_t)d.nv * sizeof *d.qdd);
    if (out->forces) memcpy(out->forces, d.forces, (size_t)h->count * sizeof *d.forces);
    d.blocks = h->world->rigid->block_count;
    find_freedoms(&d);
    make_K(&d);
    dense_qr qr = {0};
    if (d.unknowns && !held_derivatives_factor(&d, &qr))
        return arne_fail(error, ARNE_SINGULAR, NULL, 0,
                         "the held frames hold more than can move: their forces are not unique, "
                         "and have no derivatives");
    arne_kinematics(robot, work, q, qd, NULL);
    const int all = take_loads(&d, work, loads, load_count);
    status = arne_inverse_mass_matrix(robot, work, q, d.Minv, error);
    if (!status) all_columns(&d, work, q, qd, all, &qr, out);
    return status;
}
