// Residual reduction: masses, a mass centre and a motion that fit measured forces better.
//
// R are the torques of the joints between the world and the first link with mass, which nothing
// gives. First the factor s of all masses and the shift d of one mass centre of least
//     sum over rows of |R|^2 / residual^2 + rows ((s - 1)^2 / MASS_SPREAD^2 + |d|^2 /
//     SHIFT_SPREAD^2)
// then, with these, the change x(t) of the motion of least
//     sum over rows of |R|^2 / residual^2 + |x|^2 / change^2
// where x is a spline with breaks every 1 / (2 frequency): Gauss-Newton on its control points,
// whose normal equations are a band. Derivatives of R by q, qd, qdd are central differences. Third
// and fourth derivatives of x are held at 0 at both ends: so the natural spline through the rows of
// the result, which is all that a table keeps of it, has the derivatives that were found.
#include "base/error.h"
#include "base/options.h"
#include "capture/capture.h"
#include "math/dense.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MASS_SPREAD = 0.05, SHIFT_SPREAD = 0.05; // 1 and m: what changes are usual
static const double RESIDUAL_PART = 0.005;                   // of body weight
static const double END_WEIGHT = 100;                        // of derivatives at the ends
static const double pi = 3.14159265358979323846;
static const double ANGLE_STEP = 1e-5; // of differences; of rates more
static const double ENOUGH = 1e-6;     // of `change`: steps that end the search
enum { DEGREE = 5, MASS_UNKNOWNS = 4, ITERATIONS_MOST = 30, MASS_ITERATIONS = 4 };

typedef struct reducer {
    const arne_robot      *robot; // as it is now
    const arne_loads      *loads;
    recording_torques      torques; // of it
    arne_reduction_options o;
    arne_sizes             sizes;
    int                    rows, n, residuals;
    int                   *at;    // entries of tau that are residuals
    double                *scale; // 1 / change of each coordinate; 0: it stays
    double                *weigh; // 1 / residual
    double                *tau;
} reducer;

// R of one row, weighed.
static void reduce_residual(reducer *s, double time, const double *const x[3], double *R)
{
    const arne_status status = recording_torques_at(&s->torques, time, x[0], x[1], x[2], s->tau);
    for (int i = 0; i < s->residuals; i++)
        R[i] = status ? NAN : s->weigh[i] * s->tau[s->at[i]];
}

static void reduce_row(const reducer *s, const arne_recording *m, int row, const double *x[3])
{
    const size_t at = (size_t)row * (size_t)s->n;
    x[0] = m->x + at;
    x[1] = m->rate + at;
    x[2] = m->second + at;
}

// R of all rows; returns the sum of squares.
static double reduce_all(reducer *s, const arne_recording *m, double *R)
{
    double sum = 0;
    for (int r = 0; r < s->rows; r++) {
        const double *x[3];
        reduce_row(s, m, r, x);
        reduce_residual(s, m->time[r], x, R + (size_t)r * (size_t)s->residuals);
    }
    for (int i = 0; i < s->rows * s->residuals; i++)
        sum += R[i] * R[i];
    return sum;
}

// ---- masses

// The robot with other masses; p: factor - 1, shift. Same bodies and coordinates in the same order.
static arne_status reduce_robot(const reducer *s, const arne_robot *robot, const double *p,
                                arne_robot **out, arne_error *error)
{
    arne_builder *b = NULL;
    arne_status   status = arne_builder_new(&b);
    if (status) return arne_fail_memory(error);
    status = arne_builder_add_robot(b, robot, error);
    if (!status)
        status = arne_builder_adjust_masses(b, 1 + p[0], s->o.link, (arne_vec3){p[1], p[2], p[3]},
                                            error);
    if (!status) status = arne_builder_finish(b, NULL, out, error);
    arne_builder_free(b);
    return status;
}

// R of all rows with masses p.
static arne_status reduce_with(reducer *s, const arne_recording *m, const double *p, double *R,
                               arne_error *error)
{
    const recording_torques before = s->torques;
    arne_robot             *other = NULL;
    arne_status             status = reduce_robot(s, s->robot, p, &other, error);
    if (!status) {
        status = recording_torques_new(&s->torques, other, s->loads, error);
        if (!status) reduce_all(s, m, R);
        recording_torques_free(&s->torques);
    }
    s->torques = before;
    arne_robot_free(other);
    return status;
}

// R is linear in the factor and quadratic in the shift, so that central differences are exact.
static arne_status reduce_masses(reducer *s, const arne_recording *m, double *p, arne_error *error)
{
    const int    count = s->rows * s->residuals;
    const double spread[MASS_UNKNOWNS] = {MASS_SPREAD, SHIFT_SPREAD, SHIFT_SPREAD, SHIFT_SPREAD};
    double      *R = malloc(((size_t)count * (2 + MASS_UNKNOWNS) + 1) * sizeof *R), step = 0.01;
    double      *side = R + count, *J = side + count;
    arne_status  status = R ? ARNE_OK : arne_fail_memory(error);
    memset(p, 0, MASS_UNKNOWNS * sizeof *p);
    for (int it = 0; it < MASS_ITERATIONS && !status; it++) {
        double A[MASS_UNKNOWNS * MASS_UNKNOWNS] = {0}, g[MASS_UNKNOWNS] = {0};
        status = reduce_with(s, m, p, R, error);
        for (int k = 0; k < MASS_UNKNOWNS && !status; k++) {
            double *column = J + (size_t)k * (size_t)count, keep = p[k];
            p[k] = keep + step;
            status = reduce_with(s, m, p, column, error);
            p[k] = keep - step;
            if (!status) status = reduce_with(s, m, p, side, error);
            p[k] = keep;
            for (int i = 0; i < count && !status; i++)
                column[i] = (column[i] - side[i]) / (2 * step);
        }
        for (int k = 0; k < MASS_UNKNOWNS && !status; k++) {
            const double *a = J + (size_t)k * (size_t)count,
                         stays = s->rows / (spread[k] * spread[k]);
            for (int j = 0; j <= k; j++)
                for (int i = 0; i < count; i++)
                    A[k * MASS_UNKNOWNS + j] += a[i] * J[(size_t)j * (size_t)count + (size_t)i];
            A[k * MASS_UNKNOWNS + k] += stays;
            g[k] = -stays * p[k];
            for (int i = 0; i < count; i++)
                g[k] -= a[i] * R[i];
        }
        if (!status && dense_factor(MASS_UNKNOWNS, A, 0)) {
            dense_solve(MASS_UNKNOWNS, A, g);
            for (int k = 0; k < MASS_UNKNOWNS; k++)
                p[k] += g[k];
        }
    }
    free(R);
    return status;
}

// ---- the motion

typedef struct band {
    int     size, width; // entries of a row: width, the last one on the diagonal
    double *A, *x;
} band;

static double *band_at(const band *b, int i, int j)
{
    return b->A + (size_t)i * (size_t)b->width + (size_t)(b->width - 1 - i + j);
}

// A = L L^T, then x = A^-1 x. Entries before the first column are never read. 0: not positive.
static int band_solve(band *b)
{
    for (int i = 0; i < b->size; i++) {
        const int first = i < b->width ? 0 : i - b->width + 1;
        for (int j = first; j <= i; j++) {
            const int from = j < b->width ? 0 : j - b->width + 1;
            double    sum = *band_at(b, i, j);
            for (int k = from > first ? from : first; k < j; k++)
                sum -= *band_at(b, i, k) * *band_at(b, j, k);
            if (i == j && !(sum > 0)) return 0;
            *band_at(b, i, j) = i == j ? sqrt(sum) : sum / *band_at(b, j, j);
        }
        for (int k = first; k < i; k++)
            b->x[i] -= *band_at(b, i, k) * b->x[k];
        b->x[i] /= *band_at(b, i, i);
    }
    for (int i = b->size - 1; i >= 0; i--) {
        b->x[i] /= *band_at(b, i, i);
        for (int k = i < b->width ? 0 : i - b->width + 1; k < i; k++)
            b->x[k] -= *band_at(b, i, k) * b->x[i];
    }
    return 1;
}

// dR/dq, dR/dqd, dR/dqdd of a row: 3 x n x residuals.
static void reduce_slopes(reducer *s, double time, const double *const x[3], double *own, double *D)
{
    const double  steps[3] = {ANGLE_STEP, 100 * ANGLE_STEP, 1};
    const double *moved[3];
    for (int k = 0; k < 3; k++) {
        memcpy(own + k * s->n, x[k], (size_t)s->n * sizeof *own);
        moved[k] = own + k * s->n;
    }
    double *other = own + 3 * s->n;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < s->n; j++) {
            double *out = D + (size_t)(k * s->n + j) * (size_t)s->residuals,
                   *at = own + k * s->n + j;
            const double keep = *at;
            *at = keep + steps[k];
            reduce_residual(s, time, moved, out);
            *at = keep - steps[k];
            reduce_residual(s, time, moved, other);
            *at = keep;
            for (int i = 0; i < s->residuals; i++)
                out[i] = (out[i] - other[i]) / (2 * steps[k]) * (s->scale[j] > 0);
        }
}

// Adds a row to the normal equations: of each residual its gradient by the control points.
static void reduce_gather(const reducer *s, const double *R, const double *D, const double *basis,
                          int first, double *gradient, band *b)
{
    const int n = s->n, width = (DEGREE + 1) * n;
    for (int i = 0; i < s->residuals; i++) {
        for (int c = 0; c < width; c++) {
            gradient[c] = 0;
            for (int k = 0; k < 3; k++)
                gradient[c] += basis[k * (DEGREE + 1) + c / n] *
                               D[(size_t)(k * n + c % n) * (size_t)s->residuals + (size_t)i];
        }
        for (int c = 0; c < width; c++) {
            b->x[first * n + c] -= gradient[c] * R[i];
            for (int d = 0; d <= c && gradient[c] != 0; d++)
                *band_at(b, first * n + c, first * n + d) += gradient[c] * gradient[d];
        }
    }
}

// The change itself: its value at the row, and what holds it.
static void reduce_hold(const reducer *s, const double *basis, int first, const double *change,
                        band *b)
{
    const int n = s->n;
    for (int j = 0; j < n; j++) {
        const double w = s->scale[j] > 0 ? s->scale[j] * s->scale[j] : 1;
        for (int c = 0; c <= DEGREE; c++) {
            const int row = (first + c) * n + j;
            b->x[row] -= w * basis[c] * change[j];
            for (int d = 0; d <= c; d++)
                *band_at(b, row, (first + d) * n + j) += w * basis[c] * basis[d];
        }
    }
}

// Third and fourth derivatives at the ends, as parts of a sine of `frequency` with the usual size.
static void reduce_hold_ends(const reducer *s, const arne_bspline *basis, double T, band *b)
{
    const double w = 2 * pi * s->o.frequency;
    for (int e = 0; e < 4; e++) {
        double    values[5 * (DEGREE + 1)];
        const int first = arne_bspline_basis(basis, T, e < 2 ? 0 : T, 5, values), order = 3 + e % 2;
        const double *of = values + order * (DEGREE + 1), part = END_WEIGHT / pow(w, order);
        for (int j = 0; j < s->n; j++)
            for (int c = 0; c <= DEGREE; c++)
                for (int d = 0; d <= c; d++)
                    *band_at(b, (first + c) * s->n + j, (first + d) * s->n + j) +=
                        part * part * s->rows * s->scale[j] * s->scale[j] * of[c] * of[d];
    }
}

// The motion with the change: out has the memory.
static double reduce_apply(const reducer *s, const arne_recording *m, const arne_bspline *basis,
                           const double *control, double *changes, arne_recording *out)
{
    const size_t n = (size_t)s->n;
    const double T = m->time[s->rows - 1] - m->time[0];
    double       sum = 0;
    for (int r = 0; r < s->rows; r++) {
        double *x = changes + 3 * n * (size_t)r;
        arne_bspline_evaluate(basis, T, m->time[r] - m->time[0], s->n, control, 3, x);
        for (size_t j = 0; j < n; j++) {
            const size_t at = (size_t)r * n + j;
            out->time[r] = m->time[r];
            out->x[at] = m->x[at] + x[j];
            out->rate[at] = m->rate[at] + x[n + j];
            out->second[at] = m->second[at] + x[2 * n + j];
            sum += x[j] * s->scale[j] * x[j] * s->scale[j];
        }
    }
    return sum;
}

typedef struct reduce_room {
    band          b;
    arne_bspline *basis;
    double       *block, *control, *tried, *changes, *R, *D, *own, *gradient;
} reduce_room;

static arne_status reduce_room_new(const reducer *s, double T, reduce_room *m, arne_error *error)
{
    const int      count = DEGREE + (int)fmax(ceil(2 * s->o.frequency * T), 1);
    const size_t   n = (size_t)s->n, N = (size_t)count * n, width = (DEGREE + 1) * n;
    const size_t   res = (size_t)s->residuals, rows = (size_t)s->rows;
    const size_t   sizes[] = {N * width,  N,           N,           N,    3 * n * rows,
                              res * rows, 3 * n * res, 3 * n + res, width};
    double **const parts[] = {&m->b.A, &m->b.x, &m->control, &m->tried,   &m->changes,
                              &m->R,   &m->D,   &m->own,     &m->gradient};
    size_t         used = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        used += sizes[i];
    m->block = calloc(used, sizeof *m->block);
    if (!m->block) return arne_fail_memory(error);
    used = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; used += sizes[i++])
        *parts[i] = m->block + used;
    m->b.size = (int)N;
    m->b.width = (int)width;
    return arne_bspline_new(DEGREE, count, NULL, &m->basis, error);
}

static arne_status reduce_motion(reducer *s, const arne_recording *m, arne_recording *out,
                                 arne_error *error)
{
    const double T = m->time[s->rows - 1] - m->time[0];
    reduce_room  room = {0};
    arne_status  status = reduce_room_new(s, T, &room, error);
    double       cost = status ? 0
                               : reduce_apply(s, m, room.basis, room.control, room.changes, out) +
                               reduce_all(s, out, room.R);
    for (int it = 0; it < ITERATIONS_MOST && !status; it++) {
        double most = 0, part = 1, now = INFINITY;
        memset(room.b.A, 0, (size_t)room.b.size * (size_t)room.b.width * sizeof *room.b.A);
        memset(room.b.x, 0, (size_t)room.b.size * sizeof *room.b.x);
        for (int r = 0; r < s->rows; r++) {
            const double *x[3], *change = room.changes + 3 * (size_t)s->n * (size_t)r;
            double        basis[3 * (DEGREE + 1)];
            const int first = arne_bspline_basis(room.basis, T, m->time[r] - m->time[0], 3, basis);
            reduce_row(s, out, r, x);
            reduce_slopes(s, m->time[r], x, room.own, room.D);
            reduce_gather(s, room.R + (size_t)r * (size_t)s->residuals, room.D, basis, first,
                          room.gradient, &room.b);
            reduce_hold(s, basis, first, change, &room.b);
        }
        reduce_hold_ends(s, room.basis, T, &room.b);
        for (int i = 0; i < room.b.size; i++)
            *band_at(&room.b, i, i) *= 1 + 1e-12;
        if (!band_solve(&room.b)) {
            status =
                arne_fail(error, ARNE_SINGULAR, NULL, 0,
                          "the recording has too few rows for changes of %g Hz", s->o.frequency);
            break;
        }
        for (int half = 0; half < 10 && !(now < cost); half++, part /= 2) {
            for (int i = 0; i < room.b.size; i++)
                room.tried[i] = room.control[i] + part * room.b.x[i];
            now = reduce_apply(s, m, room.basis, room.tried, room.changes, out) +
                  reduce_all(s, out, room.R);
        }
        if (!(now < cost)) { // as near as rounding lets it come
            reduce_apply(s, m, room.basis, room.control, room.changes, out);
            break;
        }
        for (int i = 0; i < room.b.size; i++)
            most = fmax(most, fabs(room.tried[i] - room.control[i]) * s->scale[i % s->n]);
        memcpy(room.control, room.tried, (size_t)room.b.size * sizeof *room.control);
        cost = now;
        if (most < ENOUGH) break;
    }
    arne_bspline_free(room.basis);
    free(room.block);
    return status;
}

// ---- all of it

static void reducer_free(reducer *s)
{
    recording_torques_free(&s->torques);
    free(s->at);
    free(s->scale);
}

static arne_status reducer_new(reducer *s, const arne_recording *m, arne_error *error)
{
    const size_t n = (size_t)s->n;
    double       weight = 0;
    s->at = calloc(n + 1, sizeof *s->at);
    s->scale = calloc(3 * n + 1, sizeof *s->scale);
    if (!s->at || !s->scale) return arne_fail_memory(error);
    const arne_status status = recording_torques_new(&s->torques, s->robot, s->loads, error);
    if (status) return status;
    s->weigh = s->scale + n;
    s->tau = s->weigh + n;
    const arne_vec3 g = arne_robot_gravity(s->robot);
    for (int i = 0; i < s->sizes.frame_count; i++)
        weight += arne_robot_frame(s->robot, i).mass * sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
    const double residual = s->o.residual > 0 ? s->o.residual : RESIDUAL_PART * weight;
    for (int j = 0; j < s->sizes.joint_count; j++) {
        const arne_joint_info joint = arne_robot_joint(s->robot, j);
        const int             slides = joint.kind == ARNE_JOINT_PRISMATIC;
        for (int k = joint.v_start; k < joint.v_start + joint.v_count; k++) {
            const int locked = joint.lower == joint.upper;
            s->scale[k] = locked ? 0 : 1 / (slides ? s->o.shift : s->o.angle);
            if (!arne_joint_is_residual(s->robot, j)) continue;
            s->weigh[s->residuals] = 1 / residual;
            s->at[s->residuals++] = k;
        }
    }
    if (!s->residuals)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "the first link with mass is fixed: there are no residuals");
    if (!(residual > 0) || s->rows < 4 || !(m->time[s->rows - 1] > m->time[0]))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "a residual must be positive, and a recording have 4 rows");
    return ARNE_OK;
}

static arne_status recording_room(arne_recording *m, int rows, int n, arne_error *error)
{
    const size_t size = (size_t)rows * (size_t)n;
    *m = (arne_recording){.rows = rows, .columns = n};
    m->time = malloc((size_t)rows * sizeof(double));
    m->x = malloc(size * sizeof(double));
    m->rate = malloc(size * sizeof(double));
    m->second = malloc(size * sizeof(double));
    return m->time && m->x && m->rate && m->second ? ARNE_OK : arne_fail_memory(error);
}

// The same rows with the derivatives that a table of them has.
static arne_status recording_respline(const arne_recording *m, arne_recording *out,
                                      arne_error *error)
{
    return arne_recording_smooth(m->rows, m->columns, m->time, m->x, 0, out, error);
}

arne_status arne_recording_reduce(const arne_robot *robot, const arne_recording *motion,
                                  const arne_loads *loads, const arne_reduction_options *options,
                                  arne_reduction *out, arne_error *error)
{
    reducer        s = {.robot = robot, .loads = loads};
    arne_robot    *adjusted = NULL;
    arne_recording base = {0}, found = {0};
    double         p[MASS_UNKNOWNS] = {0};
    arne_error_clear(error);
    if (!robot || !motion || !out) return arne_fail_null(error);
    *out = (arne_reduction){.factor = 1};
    if (options && !options_take(&s.o, sizeof s.o, OPTIONS_FIRST(arne_reduction_options), options))
        return options_refuse(error);
    if (!(s.o.angle > 0)) s.o.angle = 0.02;
    if (!(s.o.shift > 0)) s.o.shift = 0.02;
    if (!(s.o.frequency > 0)) s.o.frequency = 6;
    s.sizes = arne_robot_sizes(robot);
    s.rows = motion->rows;
    s.n = motion->columns;
    if (s.n != s.sizes.v_count || s.sizes.q_count != s.sizes.v_count)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "the recording has %d coordinates, the robot %d", s.n, s.sizes.v_count);
    if (s.o.link && arne_find_frame(robot, s.o.link) < 0)
        return arne_fail(error, ARNE_NOT_FOUND, NULL, 0, "there is no link '%s'", s.o.link);
    arne_status status = loads_cover(loads, motion, error);
    if (!status) status = reducer_new(&s, motion, error);
    if (!status) status = recording_respline(motion, &base, error);
    if (!status) status = recording_room(&found, s.rows, s.n, error);
    if (!status && s.o.link) status = reduce_masses(&s, &base, p, error);
    if (!status) status = reduce_robot(&s, robot, p, &adjusted, error);
    if (!status) {
        recording_torques_free(&s.torques);
        status = recording_torques_new(&s.torques, adjusted, loads, error);
    }
    if (!status) status = reduce_motion(&s, &base, &found, error);
    if (!status) status = recording_respline(&found, &out->motion, error);
    out->factor = 1 + p[0];
    out->shift = (arne_vec3){p[1], p[2], p[3]};
    reducer_free(&s);
    arne_robot_free(adjusted);
    arne_recording_free(&base);
    arne_recording_free(&found);
    return status;
}
