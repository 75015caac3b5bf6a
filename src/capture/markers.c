// Coordinates from markers: weighted least squares by Gauss-Newton steps.
//
// With e the measured minus the computed positions and J their Jacobian, a step solves
//     (sum w J^T J + weights + m) dq = sum w J^T e + weights (target - q)
// for the coordinates that are not held by a limit. m is 1e-10 of the largest entry of the
// diagonal: a coordinate that no marker sees stays as it is. A step that makes the sum larger is
// halved.
#include "base/error.h"
#include "base/options.h"
#include "capture/capture.h"
#include "io/pose_math.h"
#include "math/dense.h"
#include <arne/configuration.h>
#include <arne/integrate.h>
#include <arne/kinematics.h>
#include <arne/loop.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct tracker {
    const arne_robot   *robot;
    const arne_marker  *markers;
    int                 count, q, v;
    arne_marker_options options;
    arne_work          *work;
    arne_vec3          *place;         // of each marker, now
    arne_vec3          *moved;         // columns of the Jacobian of a marker
    int                *link;          // that carries each marker
    double             *J, *H, *g;     // Jacobian of a link; normal equations
    double             *F, *x;         // those that are free
    double             *step, *next;   // v, q
    double             *lower, *upper; // v: limits that are kept
    double             *target;        // q
    int                *coordinate;    // v: of the joint's own q; -1: several share it
    int                *free_index, *column;
} tracker;

// ---- memory and limits

static void tracker_free(tracker *t)
{
    arne_work_free(t->work);
    free(t->place);
    free(t->link);
    free(t->J);
    free(t->coordinate);
}

static arne_status tracker_new(tracker *t, arne_error *error)
{
    const size_t v = (size_t)t->v, q = (size_t)t->q, n = (size_t)t->count;
    t->place = malloc((n + v + 1) * sizeof *t->place);
    t->link = malloc((n + 1) * sizeof *t->link);
    t->coordinate = malloc((3 * v + 1) * sizeof *t->coordinate);
    t->J = malloc((6 * v + 2 * v * v + 5 * v + 2 * q + 1) * sizeof *t->J);
    if (!t->place || !t->link || !t->coordinate || !t->J || arne_work_new(t->robot, &t->work))
        return arne_fail_memory(error);
    t->moved = t->place + n;
    t->H = t->J + 6 * v;
    t->F = t->H + v * v;
    t->g = t->F + v * v;
    t->x = t->g + v;
    t->step = t->x + v;
    t->lower = t->step + v;
    t->upper = t->lower + v;
    t->next = t->upper + v;
    t->target = t->next + q;
    t->free_index = t->coordinate + v;
    t->column = t->free_index + v;
    return ARNE_OK;
}

static void tracker_limits(tracker *t)
{
    for (int i = 0; i < t->v; i++) {
        t->lower[i] = -INFINITY;
        t->upper[i] = INFINITY;
        t->coordinate[i] = -1;
    }
    for (int k = 0; k < arne_robot_sizes(t->robot).joint_count; k++) {
        const arne_joint_info j = arne_robot_joint(t->robot, k);
        if (j.q_count != 1 || j.v_count != 1) continue;
        t->coordinate[j.v_start] = j.q_start;
        if (j.soft) continue;
        t->lower[j.v_start] = j.lower;
        t->upper[j.v_start] = j.upper;
    }
    for (int i = 0; i < t->count; i++) {
        const arne_frame_info f = arne_robot_frame(t->robot, t->markers[i].frame);
        t->link[i] = f.is_link || f.parent < 0 ? t->markers[i].frame : f.parent;
    }
    if (t->options.targets)
        memcpy(t->target, t->options.targets, (size_t)t->q * sizeof *t->target);
    else
        arne_start_configuration(t->robot, t->target);
}

// ---- one frame

static int tracker_is_seen(const double *measured, int marker)
{
    const double *m = measured + 3 * (ptrdiff_t)marker;
    return isfinite(m[0]) && isfinite(m[1]) && isfinite(m[2]);
}

static arne_vec3 tracker_error(const tracker *t, const double *measured, int marker)
{
    const double *m = measured + 3 * (ptrdiff_t)marker;
    return vec_add((arne_vec3){m[0], m[1], m[2]}, vec_scale(-1, t->place[marker]));
}

// The sum that is minimised, at q; the workspace has the poses then.
static double tracker_cost(tracker *t, const double *measured, const double *q)
{
    double cost = 0;
    arne_kinematics(t->robot, t->work, q, NULL, NULL);
    for (int i = 0; i < t->count; i++) {
        t->place[i] = arne_frame_pose(t->robot, t->work, t->markers[i].frame).p;
        if (!tracker_is_seen(measured, i)) continue;
        const arne_vec3 e = tracker_error(t, measured, i);
        cost += t->markers[i].weight * vec_dot(e, e);
    }
    for (int k = 0; t->options.weights && k < t->v; k++) {
        if (t->coordinate[k] < 0) continue;
        const double off = t->target[t->coordinate[k]] - q[t->coordinate[k]];
        cost += t->options.weights[k] * off * off;
    }
    return cost;
}

// Columns of the link's Jacobian that are not zero.
static int tracker_columns(tracker *t)
{
    int count = 0;
    for (int c = 0; c < t->v; c++) {
        double size = 0;
        for (int k = 0; k < 6; k++)
            size += fabs(t->J[k * t->v + c]);
        if (size > 0) t->column[count++] = c;
    }
    return count;
}

// Adds a marker to the normal equations: its Jacobian is that of the link, moved by r.
static void tracker_add(tracker *t, int columns, arne_vec3 r, arne_vec3 e, double weight)
{
    const double *J = t->J;
    const int     v = t->v;
    for (int a = 0; a < columns; a++) {
        const int       c = t->column[a];
        const arne_vec3 turn = vec_cross((arne_vec3){J[3 * v + c], J[4 * v + c], J[5 * v + c]}, r);
        t->moved[a] = (arne_vec3){J[c] + turn.x, J[v + c] + turn.y, J[2 * v + c] + turn.z};
        const arne_vec3 pull = vec_scale(weight, t->moved[a]);
        t->g[c] += vec_dot(pull, e);
        for (int b = 0; b <= a; b++)
            t->H[c * v + t->column[b]] += vec_dot(pull, t->moved[b]);
    }
}

static void tracker_equations(tracker *t, const double *measured, const double *q)
{
    memset(t->H, 0, (size_t)t->v * (size_t)t->v * sizeof *t->H);
    memset(t->g, 0, (size_t)t->v * sizeof *t->g);
    for (int i = 0; i < t->count; i++) {
        int first = 1;
        for (int k = 0; k < i && first; k++)
            first = t->link[k] != t->link[i];
        if (!first) continue; // its link had its turn
        arne_jacobian(t->robot, t->work, q, t->link[i], ARNE_AXES_ALIGNED, t->J);
        const int       columns = tracker_columns(t);
        const arne_vec3 origin = arne_frame_pose(t->robot, t->work, t->link[i]).p;
        for (int k = i; k < t->count; k++)
            if (t->link[k] == t->link[i] && t->markers[k].weight > 0 &&
                tracker_is_seen(measured, k))
                tracker_add(t, columns, vec_add(t->place[k], vec_scale(-1, origin)),
                            tracker_error(t, measured, k), t->markers[k].weight);
    }
    for (int k = 0; t->options.weights && k < t->v; k++) {
        if (t->coordinate[k] < 0) continue;
        t->H[k * t->v + k] += t->options.weights[k];
        t->g[k] += t->options.weights[k] * (t->target[t->coordinate[k]] - q[t->coordinate[k]]);
    }
}

// A limit holds a coordinate that is there and would go beyond.
static int tracker_is_held(const tracker *t, int k, const double *q)
{
    if (t->coordinate[k] < 0) return 0;
    const double x = q[t->coordinate[k]];
    return t->lower[k] >= t->upper[k] || (x <= t->lower[k] && t->g[k] < 0) ||
           (x >= t->upper[k] && t->g[k] > 0);
}

// The step of the coordinates that are free; 0 where there is none to take.
static int tracker_solve(tracker *t, const double *q)
{
    int    n = 0;
    double most = 0;
    for (int k = 0; k < t->v; k++) {
        t->step[k] = 0;
        if (!tracker_is_held(t, k, q)) t->free_index[n++] = k;
    }
    for (int a = 0; a < n; a++)
        most = fmax(most, t->H[t->free_index[a] * t->v + t->free_index[a]]);
    if (!(most > 0)) return 0;
    for (int a = 0; a < n; a++) {
        const int i = t->free_index[a];
        for (int b = 0; b <= a; b++)
            t->F[a * n + b] = t->H[i * t->v + t->free_index[b]];
        t->F[a * n + a] += 1e-10 * most;
        t->x[a] = t->g[i];
    }
    if (!dense_factor(n, t->F, 0)) return 0;
    dense_solve(n, t->F, t->x);
    for (int a = 0; a < n; a++)
        t->step[t->free_index[a]] = t->x[a];
    return 1;
}

// next = q (+) part of the step, within limits; returns the largest entry of what was taken.
static double tracker_move(tracker *t, const double *q, double part)
{
    double size = 0;
    for (int k = 0; k < t->v; k++)
        t->x[k] = part * t->step[k];
    arne_integrate(t->robot, q, t->x, t->next);
    for (int k = 0; k < t->v; k++) {
        const int i = t->coordinate[k];
        if (i >= 0) t->next[i] = fmin(fmax(t->next[i], t->lower[k]), t->upper[k]);
        size = fmax(size, i >= 0 ? fabs(t->next[i] - q[i]) : fabs(t->x[k]));
    }
    return size;
}

// From q to the q of the frame. Returns whether it converged.
static int tracker_frame(tracker *t, const double *measured, double *q)
{
    for (int k = 0; k < t->v; k++)
        if (t->coordinate[k] >= 0)
            q[t->coordinate[k]] = fmin(fmax(q[t->coordinate[k]], t->lower[k]), t->upper[k]);
    double cost = tracker_cost(t, measured, q);
    for (int i = 0; i < t->options.iterations; i++) {
        tracker_equations(t, measured, q);
        if (!tracker_solve(t, q)) return 1;
        double part = 1, size = 0, next = INFINITY;
        for (int halves = 0; halves < 30; halves++, part /= 2) {
            size = tracker_move(t, q, part);
            next = tracker_cost(t, measured, t->next);
            if (next <= cost * (1 + 1e-14) + DBL_MIN || size < t->options.tolerance) break;
        }
        if (next <= cost * (1 + 1e-14) + DBL_MIN) {
            memcpy(q, t->next, (size_t)t->q * sizeof *q);
            cost = next;
        }
        if (size < t->options.tolerance) return 1;
    }
    return 0;
}

static void tracker_errors(tracker *t, const double *measured, const double *q, double *errors)
{
    (void)tracker_cost(t, measured, q);
    for (int i = 0; i < t->count; i++)
        errors[i] = tracker_is_seen(measured, i) ? vec_norm(tracker_error(t, measured, i)) : NAN;
}

static arne_status tracker_check(const tracker *t, arne_error *error)
{
    const int frames = arne_robot_sizes(t->robot).frame_count;
    for (int i = 0; i < t->count; i++)
        if (t->markers[i].frame < 0 || t->markers[i].frame >= frames ||
            !(t->markers[i].weight >= 0) || !isfinite(t->markers[i].weight))
            return arne_fail(
                error, ARNE_VALUE, NULL, 0,
                "marker %d has no frame of the robot, or a weight that is not positive", i + 1);
    return ARNE_OK;
}

arne_status arne_marker_kinematics(const arne_robot *robot, const arne_marker *markers, int count,
                                   int rows, const double *measured,
                                   const arne_marker_options *options, double *q, double *errors,
                                   arne_error *error)
{
    arne_error_clear(error);
    if (!robot || !markers || !measured || !q || count < 1 || rows < 1)
        return arne_fail_null(error);
    const arne_sizes sizes = arne_robot_sizes(robot);
    tracker          t = {.robot = robot, .markers = markers, .count = count};
    int              missed = 0, first = 0;
    t.q = sizes.q_count;
    t.v = sizes.v_count;
    if (options &&
        !options_take(&t.options, sizeof t.options, OPTIONS_FIRST(arne_marker_options), options))
        return options_refuse(error);
    if (!(t.options.tolerance > 0)) t.options.tolerance = 1e-9;
    if (t.options.iterations < 1) t.options.iterations = 50;
    arne_status status = tracker_check(&t, error);
    if (!status) status = tracker_new(&t, error);
    if (!status) tracker_limits(&t);
    for (int r = 0; r < rows && !status; r++) {
        const double *now = measured + 3 * (ptrdiff_t)count * r;
        double       *own = q + (ptrdiff_t)t.q * r;
        if (r) memcpy(own, own - t.q, (size_t)t.q * sizeof *q);
        if (!tracker_frame(&t, now, own) && !missed++) first = r + 1;
        if (errors) tracker_errors(&t, now, own, errors + (ptrdiff_t)count * r);
    }
    tracker_free(&t);
    if (status || !missed) return status;
    return arne_fail(error, ARNE_NOT_CONVERGED, NULL, 0,
                     "%d of %d frames did not converge in %d steps, the first is frame %d", missed,
                     rows, t.options.iterations, first);
}
