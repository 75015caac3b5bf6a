// Motions along a given path: the robot's coordinates are q = c(s), and s alone is planned.
//
//     qd = c' sd,  qdd = c'' sd^2 + c' sdd,  qddd = c''' sd^3 + 3 c'' sd sdd + c' sddd
#include "plan/transcription/path.h"
#include "base/error.h"
#include "base/options.h"
#include <arne/motion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ORDERS = 5 };

typedef struct path {
    arne_bspline *spline;
    int           width;
    double       *control; // points x width
    double       *c;       // MOST_ORDERS x width: c and its derivatives
} path;

static void path_release(void *data)
{
    path *f = data;
    arne_bspline_free(f->spline);
    free(f->control);
    free(f->c);
    free(f);
}

// Beyond its ends the curve is continued by the polynomial of its last piece, since steps of the
// search may leave [0, 1].
static void path_go_on(const path *f, double e)
{
    const int v = f->width;
    for (int k = 0; k < v; k++) {
        double *c = f->c + k;
        c[0] += e * (c[v] + e / 2 * (c[2 * v] + e / 3 * (c[3 * v] + e / 4 * c[4 * v])));
        c[v] += e * (c[2 * v] + e / 2 * (c[3 * v] + e / 3 * c[4 * v]));
        c[2 * v] += e * (c[3 * v] + e / 2 * c[4 * v]);
        c[3 * v] += e * c[4 * v];
    }
}

static int path_apply(const plan_map *map, plan_state *s, double *carry)
{
    const path   *f = map->data;
    const int     v = f->width;
    const double  x = fmin(fmax(s->z[0], 0), 1), d = s->z[1], a = s->z[2], j = s->z[3];
    const double *c0 = f->c, *c1 = c0 + v, *c2 = c1 + v, *c3 = c2 + v, *c4 = c3 + v;
    arne_bspline_evaluate(f->spline, 1, x, v, f->control, MOST_ORDERS, f->c);
    if (x != s->z[0]) path_go_on(f, s->z[0] - x);
    for (int k = 0; k < v; k++) {
        s->q[k] = c0[k];
        s->qd[k] = c1[k] * d;
        s->qdd[k] = c2[k] * d * d + c1[k] * a;
        s->qddd[k] = c3[k] * d * d * d + 3 * c2[k] * d * a + c1[k] * j;
        if (!carry) continue;
        double *row[PLAN_ORDERS];
        for (int o = 0; o < PLAN_ORDERS; o++)
            row[o] = carry + (o * v + k) * PLAN_ORDERS;
        memcpy(row[0], (double[4]){c1[k], 0, 0, 0}, 4 * sizeof(double));
        memcpy(row[1], (double[4]){c2[k] * d, c1[k], 0, 0}, 4 * sizeof(double));
        memcpy(row[2], (double[4]){c3[k] * d * d + c2[k] * a, 2 * c2[k] * d, c1[k], 0},
               4 * sizeof(double));
        memcpy(row[3],
               (double[4]){c4[k] * d * d * d + 3 * c3[k] * d * a + c2[k] * j,
                           3 * c3[k] * d * d + 3 * c2[k] * a, 3 * c2[k] * d, c1[k]},
               4 * sizeof(double));
    }
    return 0;
}

// Parameters of the points: proportional to the distances between them, so that uneven points do
// not bend the curve. Breaks are means of `degree` neighbouring parameters, so that interpolation
// has a unique solution.
static void places(int width, int count, int degree, const double *points,
                   arne_bspline_condition *at, double *breaks)
{
    double way = 0;
    at[0] = (arne_bspline_condition){0, 0};
    for (int i = 1; i < count; i++) {
        double sum = 0;
        for (int k = 0; k < width; k++) {
            const double d = points[i * width + k] - points[(i - 1) * width + k];
            sum += d * d;
        }
        way += sqrt(sum);
        at[i] = (arne_bspline_condition){way, 0};
    }
    for (int i = 0; i < count; i++)
        at[i].t = i == count - 1 ? 1 : way > 0 ? at[i].t / way : (double)i / (count - 1);
    const int spans = count - degree;
    for (int j = 0; j <= spans; j++) {
        breaks[j] = j == 0 ? 0 : j == spans ? 1 : 0;
        for (int i = j; j > 0 && j < spans && i < j + degree; i++)
            breaks[j] += at[i].t / degree;
    }
}

static arne_status check_points(int width, int count, const double *points, arne_error *error)
{
    for (int i = 1; i < count; i++) {
        int moves = 0;
        for (int k = 0; k < width; k++)
            moves |= points[i * width + k] != points[(i - 1) * width + k];
        if (!moves)
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "points %d and %d of the path are the same", i, i + 1);
    }
    return ARNE_OK;
}

arne_status plan_path_map(int width, int count, const double *points, plan_map *out,
                          arne_error *error)
{
    const int degree = count > 5 ? 5 : count - 1;
    path     *f = calloc(1, sizeof *f);
    if (!f) return arne_fail_memory(error);
    const size_t            size = (size_t)count * (size_t)width;
    arne_bspline_condition *at = calloc((size_t)count, sizeof *at);
    double                 *breaks = calloc((size_t)count + 2, sizeof *breaks);
    f->width = width;
    f->control = calloc(size, sizeof *f->control);
    f->c = calloc(MOST_ORDERS * (size_t)width, sizeof *f->c);
    arne_status status = at && breaks && f->control && f->c
                             ? check_points(width, count, points, error)
                             : arne_fail_memory(error);
    if (!status) places(width, count, degree, points, at, breaks);
    if (!status) status = arne_bspline_new(degree, count, breaks, &f->spline, error);
    if (!status) status = arne_bspline_fit(f->spline, 1, at, points, width, f->control, error);
    free(at);
    free(breaks);
    if (status)
        path_release(f);
    else
        *out = (plan_map){.n = 1, .data = f, .release = path_release, .apply = path_apply};
    return status;
}

arne_status arne_plan_new_on_path(const arne_robot *robot, const arne_plan_options *options,
                                  int count, const double *points, arne_plan **out,
                                  arne_error *error)
{
    arne_plan_options own_options;
    if (out) *out = NULL;
    if (options &&
        !options_take(&own_options, sizeof own_options, OPTIONS_FIRST(arne_plan_options), options))
        return options_refuse(error);
    if (options) options = &own_options;
    if (!robot || !options || !points || !out) return arne_fail_null(error);
    if (count < 2) return arne_fail(error, ARNE_VALUE, NULL, 0, "a path needs two points or more");
    plan_map    map = {0};
    arne_status status = plan_path_map(arne_robot_sizes(robot).v_count, count, points, &map, error);
    if (!status) status = plan_new_mapped(robot, options, &map, out, error);
    if (status) {
        if (map.release) map.release(map.data);
        return status;
    }
    arne_plan_start_line(*out, 0, 0, 1);
    arne_plan_bound(*out, 0, 0, 1); // and from rest to rest: end_conditions.c
    return ARNE_OK;
}
