// A load on a frame: the ten parameters delta of a body that moves with a link,
//     without it  Y beta = tau,      with it  Y (beta + G delta) = tau,
// where G groups the link's parameters into base parameters. From both logs, beta and delta are
// estimated together. From the log with the load alone, links are those of the robot, and friction
// and delta are estimated. The load is a physically possible body: consistent.h with one link.
#include "base/error.h"
#include "identify/consistent.h"
#include "identify/least_squares.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOAD = BODY_PARAMETERS };

typedef struct load_problem {
    arne_identify *study;
    block_qr      *loaded;   // n
    int            joint;    // that carries the load
    int            is_alone; // no log without it
    int            first;    // of the model's columns that are found
    int            count;    // of unknowns: delta, then columns from `first` on
    int            rows;
    double        *A, *b, *x; // A by columns
    int            no_memory;
} load_problem;

// One row of a joint's triangle over the unknowns. with: the load is there.
static void payload_put_row(const load_problem *p, const block_qr *qr, int j, int i, int with,
                            int row)
{
    const model         *m = &p->study->m;
    const arne_base_set *base = m->base;
    const int           *used = m->used + (size_t)j * (size_t)m->count, size = qr->columns;
    const double         weight = p->study->weight[j];
    const size_t         rows = (size_t)p->rows, at = (size_t)row;
    p->b[row] = weight * qr->R[(size_t)(size - 1) * (size_t)size + (size_t)i];
    for (int c = i; c + 1 < size; c++) {
        const double y = weight * qr->R[(size_t)c * (size_t)size + (size_t)i];
        const int    k = used[c];
        if (k >= p->first)
            p->A[(size_t)(LOAD + k - p->first) * rows + at] = y;
        else
            p->b[row] -= y * m->prior[k];
        for (int l = 0; with && k < base->rank && l < LOAD; l++)
            p->A[(size_t)l * rows + at] +=
                y * base->grouping[(size_t)k * (size_t)base->parameter_count +
                                   (size_t)(LOAD * p->joint + l)];
    }
}

static void payload_fill(load_problem *p)
{
    const arne_identify *s = p->study;
    int                  row = 0;
    memset(p->A, 0, (size_t)p->rows * (size_t)p->count * sizeof *p->A);
    memset(p->b, 0, (size_t)p->rows * sizeof *p->b);
    for (int with = p->is_alone; with < 2; with++)
        for (int j = 0; j < s->m.n; j++) {
            const block_qr *qr = with ? &p->loaded[j] : &s->qr[j];
            for (int i = 0; i < qr->columns; i++)
                payload_put_row(p, qr, j, i, with, row++);
        }
}

// A weak ridge, so that what the data do not determine stays near zero, or near the prior.
static void lean(load_problem *p)
{
    const model *m = &p->study->m;
    double       largest = 0;
    for (int c = 0; c < p->count; c++) {
        double sum = 0;
        for (int i = 0; i < p->rows; i++) {
            const double a = p->A[(size_t)c * (size_t)p->rows + (size_t)i];
            sum += a * a;
        }
        largest = fmax(largest, sqrt(sum));
    }
    for (int c = 0; c < p->count; c++) {
        const int row = p->rows - p->count + c;
        p->A[(size_t)c * (size_t)p->rows + (size_t)row] = 1e-7 * largest;
        p->b[row] = c < LOAD ? 0 : 1e-7 * largest * m->prior[p->first + c - LOAD];
    }
}

// New weights from the residuals of each joint. Returns rms residual / rms torque of the loaded
// log.
static double payload_weigh(load_problem *p)
{
    arne_identify *s = p->study;
    double         all = 0, measured = 0;
    int            row = 0;
    payload_fill(p);
    double *left = calloc(2 * (size_t)s->m.n, sizeof *left), *torque = left + s->m.n;
    p->no_memory |= !left;
    for (int with = p->is_alone; left && with < 2; with++)
        for (int j = 0; j < s->m.n; j++) {
            const block_qr *qr = with ? &p->loaded[j] : &s->qr[j];
            for (int i = 0; i < qr->columns; i++, row++) {
                const double x = qr->R[(size_t)(qr->columns - 1) * (size_t)qr->columns + (size_t)i];
                double       rest = p->b[row];
                for (int c = 0; c < p->count; c++)
                    rest -= p->A[(size_t)c * (size_t)p->rows + (size_t)row] * p->x[c];
                rest /= s->weight[j];
                left[j] += rest * rest;
                torque[j] += x * x;
                if (with) all += rest * rest;
                if (with) measured += x * x;
            }
        }
    for (int j = 0; left && j < s->m.n; j++) {
        const double rows =
            (double)(p->loaded[j].rows + (p->is_alone ? 0 : s->qr[j].rows) - p->count / s->m.n);
        s->weight[j] = 1 / sqrt(fmax(left[j], 1e-14 * torque[j] + 1e-24) / fmax(rows, 1));
    }
    free(left);
    return measured > 0 ? sqrt(all / measured) : 0;
}

static int payload_solve(load_problem *p)
{
    payload_fill(p);
    lean(p);
    return least_squares(p->rows, p->count, p->A, p->b, p->x);
}

// ---- as a body

static int as_body(load_problem *p)
{
    const size_t   n = (size_t)p->count;
    double        *x = malloc((n + 16) * sizeof *x), L[16], P[16];
    unsigned char *flags = calloc(2 * n, 1);
    int           *pairs = malloc(n * sizeof *pairs);
    int            fine = x && flags && pairs;
    p->no_memory |= !fine;
    if (fine) {
        body_problem body = {.links = 1,
                             .others = p->count - LOAD,
                             .count = p->count,
                             .trace = 0.01,
                             .log_det = 0.01,
                             .barrier = 1e-4,
                             .rows = p->rows,
                             .F = p->A,
                             .b = p->b,
                             .start = x,
                             .inverse_prior = x + n,
                             .is_positive = flags,
                             .is_held = flags + n,
                             .pair = pairs};
        const double m = p->x[0] > 1e-3 ? p->x[0] : 0.1;
        for (size_t i = 0; i + LOAD < n; i++)
            pairs[i] = -1;
        payload_fill(p);
        lean(p);
        memcpy(x, p->x, n * sizeof *x);
        // A ball of 5 cm where the free estimate has its centre.
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 4; k++)
                P[4 * i + k] = m * (i < 3 ? p->x[1 + i] / m : 1) * (k < 3 ? p->x[1 + k] / m : 1) +
                               (i == k && i < 3 ? m * 0.0005 : 0);
        from_pseudo_inertia(P, x);
        fine = pseudo_factor(P, L);
        if (fine) pseudo_inverse(L, body.inverse_prior);
        const arne_status status = fine ? body_newton(&body, x) : ARNE_NOT_CONVERGED;
        p->no_memory |= status == ARNE_NO_MEMORY;
        fine = status == ARNE_OK;
        if (fine) memcpy(p->x, x, n * sizeof *x);
    }
    free(x);
    free(flags);
    free(pairs);
    return fine;
}

// ---- from the link to the frame of the load

static void payload_rotate(const arne_mat3 *R, const double *v, int inverse, double *out)
{
    const double m[9] = {R->x.x, R->y.x, R->z.x, R->x.y, R->y.y, R->z.y, R->x.z, R->y.z, R->z.z};
    for (int i = 0; i < 3; i++) {
        out[i] = 0;
        for (int k = 0; k < 3; k++)
            out[i] += m[inverse ? 3 * k + i : 3 * i + k] * v[k];
    }
}

// Mass, centre and inertia about it, from the link's frame to another on the same body.
static void into_frame(const arne_robot *robot, int link, int frame, const double *pi,
                       arne_payload *out)
{
    const arne_pose A = arne_robot_frame(robot, link).pose, B = arne_robot_frame(robot, frame).pose;
    const double    m = pi[0], c[3] = {pi[1] / m, pi[2] / m, pi[3] / m};
    double          world[3], com[3], I[9], J[9];
    payload_rotate(&A.R, c, 0, world);
    world[0] += A.p.x - B.p.x, world[1] += A.p.y - B.p.y, world[2] += A.p.z - B.p.z;
    payload_rotate(&B.R, world, 1, com);
    const double own[9] = {pi[4], pi[5], pi[7], pi[5], pi[6], pi[8], pi[7], pi[8], pi[9]};
    const double cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            I[3 * i + k] = own[3 * i + k] - m * ((i == k ? cc : 0) - c[i] * c[k]);
    for (int pass = 0; pass < 2;
         pass++) { // B^T A I (B^T A)^T, row by row and then column by column
        for (int i = 0; i < 3; i++) {
            double t[3];
            payload_rotate(&A.R, I + (ptrdiff_t)3 * i, 0, t);
            payload_rotate(&B.R, t, 1, J + (ptrdiff_t)3 * i);
        }
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                I[3 * i + k] = J[3 * k + i];
    }
    *out = (arne_payload){m, {com[0], com[1], com[2]}, {I[0], I[4], I[8], I[1], I[2], I[5]}};
}

static void payload_take_result(const load_problem *p, const double *covariance, int frame,
                                double left, arne_load_found *out)
{
    const size_t n = (size_t)p->count;
    const double m = p->x[0];
    double       centre[3];
    into_frame(p->study->robot, arne_robot_joint(p->study->robot, p->joint).child, frame, p->x,
               &out->load);
    for (size_t k = 0; k < LOAD; k++)
        out->deviation[k] = sqrt(fmax(covariance[k * n + k], 0));
    out->mass_deviation = out->deviation[0];
    for (size_t a = 0; a < 3; a++) { // c = h / m
        const double c = p->x[1 + a] / m;
        centre[a] = sqrt(fmax(covariance[(1 + a) * n + 1 + a] - 2 * c * covariance[1 + a] +
                                  c * c * covariance[0],
                              0)) /
                    m;
    }
    out->com_deviation = (arne_vec3){centre[0], centre[1], centre[2]};
    out->percent = 100 * left;
    out->cutoff = p->study->cutoff;
    out->torque_cutoff = p->study->torque_cutoff;
    out->rests_on_robot = p->is_alone;
}

static int carrying_joint(const arne_robot *robot, int frame)
{
    const int body = arne_robot_frame(robot, frame).body;
    for (int j = 0; j < arne_robot_sizes(robot).joint_count; j++)
        if (arne_robot_frame(robot, arne_robot_joint(robot, j).child).body == body) return j;
    return -1;
}

static arne_status payload_find_load(load_problem *p, int frame, arne_load_found *out,
                                     arne_error *error)
{
    const size_t n = (size_t)p->count;
    double      *covariance = malloc((2 * n * n + 1) * sizeof *covariance), left = 0;
    if (!covariance) return arne_fail_memory(error);
    int fine = 1;
    for (int i = 0; i < 4 && fine; i++) {
        fine = payload_solve(p);
        if (fine) left = payload_weigh(p);
    }
    fine = fine && payload_solve(p);
    if (fine) {
        inverse_gram(p->rows, p->count, p->A, covariance, covariance + n * n);
        for (size_t i = 0; i < n * n; i++)
            covariance[i] *= study_filter_factor(p->study);
        fine = as_body(p);
        left = payload_weigh(p);
    }
    if (fine) payload_take_result(p, covariance, frame, left, out);
    free(covariance);
    if (p->no_memory) return arne_fail_memory(error);
    return fine ? ARNE_OK
                : arne_fail(error, ARNE_NOT_CONVERGED, NULL, 0,
                            "the recordings do not tell of a load; record a motion that turns it");
}

arne_status arne_identify_payload(arne_identify *s, int frame, arne_load_found *out,
                                  arne_error *error)
{
    arne_error_clear(error);
    if (!s || !out || frame < 0 || frame >= arne_robot_sizes(s->robot).frame_count)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    load_problem p = {.study = s, .joint = carrying_joint(s->robot, frame), .is_alone = 1};
    if (p.joint < 0)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "'%s' does not move, a load on it is not felt",
                         arne_robot_frame(s->robot, frame).name);
    for (int i = 0; i < s->entry_count; i++)
        if (s->entry[i].role == ARNE_LOG_FIT) p.is_alone = 0;
    s->options.hold_back = 0;
    s->options.huber = 0;
    arne_status status = study_scan(s, error);
    p.loaded = study_take(s, (size_t)s->m.n, sizeof *p.loaded);
    if (!status && !p.loaded) status = arne_fail_memory(error);
    p.first = p.is_alone ? s->m.base->rank : 0;
    p.count = LOAD + s->m.count - p.first;
    p.rows = p.count;
    for (int j = 0; j < s->m.n && !status; j++) {
        if (!block_qr_new(&p.loaded[j], s->m.used_count[j] + 1)) status = arne_fail_memory(error);
        p.rows += (p.is_alone ? 1 : 2) * (s->m.used_count[j] + 1);
    }
    if (!status) status = study_reduce(s, ARNE_LOG_LOADED, p.loaded, error);
    if (!status && !p.is_alone) status = study_reduce(s, ARNE_LOG_FIT, s->qr, error);
    p.A = study_take(s, (size_t)p.rows * (size_t)(p.count + 2) + (size_t)p.count, sizeof *p.A);
    if (!status && !p.A) status = arne_fail_memory(error);
    if (!status) {
        p.b = p.A + (size_t)p.rows * (size_t)p.count;
        p.x = p.b + p.rows;
        status = payload_find_load(&p, frame, out, error);
    }
    if (!status && out->percent > 50)
        study_warn(
            s, "residuals", s->entry[0].path, 1,
            "the model does not explain more than half of the torques (%.3g %%): check robot "
            "file, filter, units and gains",
            out->percent);
    for (int j = 0; p.loaded && j < s->m.n; j++)
        block_qr_free(&p.loaded[j]);
    return status;
}
