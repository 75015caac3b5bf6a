// What the ground does along a planned step, the stride that follows, and its comparison with
// measured ones.
#include "human/gait_result.h"
#include "base/error.h"
#include "base/plain.h"
#include "human/contact_step.h"
#include "human/gait_cycle.h"
#include "io/json.h"
#include "io/run_folder.h"
#include "plan/result/plan_row.h"
#include <arne/table.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- forces of the ground

// A wrench about the world's origin and in its axes, as one at a frame's origin and in the frame's.
static arne_wrench seen_from(const arne_pose *X, const double *W)
{
    const double    f[3] = {W[0], W[1], W[2]}, p[3] = {X->p.x, X->p.y, X->p.z};
    const double    n[3] = {W[3] - (p[1] * f[2] - p[2] * f[1]), W[4] - (p[2] * f[0] - p[0] * f[2]),
                            W[5] - (p[0] * f[1] - p[1] * f[0])};
    const arne_vec3 axes[3] = {X->R.x, X->R.y, X->R.z};
    double          out[6];
    for (int i = 0; i < 3; i++) {
        out[i] = axes[i].x * f[0] + axes[i].y * f[1] + axes[i].z * f[2];
        out[3 + i] = axes[i].x * n[0] + axes[i].y * n[1] + axes[i].z * n[2];
    }
    return (arne_wrench){{out[0], out[1], out[2]}, {out[3], out[4], out[5]}};
}

void plan_gait_loads(const gait *g, const arne_robot *robot, arne_work *work, double u,
                     const double *q, const double *qd, const double *qdd, double *tau,
                     double feet[WALKER_SIDES][6], arne_wrench *f_ext)
{
    if (g->walks) {
        memset(f_ext, 0, (size_t)arne_robot_sizes(robot).body_count * sizeof *f_ext);
        arne_kinematics(robot, work, q, NULL, NULL);
        plan_walk_feet(g, robot, work, feet);
        for (int i = 0; i < g->plan->problem.touch_count; i++) {
            const plan_touch *t = &g->plan->problem.touches[i];
            const char       *name = arne_robot_frame(g->plan->problem.robot, t->frame).name;
            plan_push(robot, work, arne_find_frame(robot, name), t->point,
                      plan_contact_force(&g->plan->now.program->between, i), 1, f_ext);
        }
        return;
    }
    arne_inverse_dynamics(robot, work, q, qd, qdd, NULL, tau);
    const arne_wrench all = arne_base_wrench(robot, work);
    const double      W[6] = {all.lin.x, all.lin.y, all.lin.z, all.ang.x, all.ang.y, all.ang.z};
    plan_gait_share(&g->support, u, W, feet);
    memset(f_ext, 0, (size_t)arne_robot_sizes(robot).body_count * sizeof *f_ext);
    arne_kinematics(robot, work, q, NULL, NULL);
    for (int side = 0; side < WALKER_SIDES; side++) {
        const int         foot = g->options.walker.sides[side].frames[WALKER_FOOT];
        const arne_pose   X = arne_frame_pose(robot, work, foot);
        const arne_wrench wrench = seen_from(&X, feet[side]);
        arne_add_wrench(robot, foot, &wrench, f_ext);
    }
}

// ---- columns of result.csv

static const char *const columns[][2] = {
    {"zmp.x", "m"},          {"zmp.z", "m"},          {"grf.right.fx", "N"},
    {"grf.right.fy", "N"},   {"grf.right.fz", "N"},   {"grf.right.mx", "N m"},
    {"grf.right.my", "N m"}, {"grf.right.mz", "N m"}, {"grf.left.fx", "N"},
    {"grf.left.fy", "N"},    {"grf.left.fz", "N"},    {"grf.left.mx", "N m"},
    {"grf.left.my", "N m"},  {"grf.left.mz", "N m"},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

typedef struct walker {
    gait        g;
    gait_cycle  cycle;
    arne_table *normal; // measured, NULL: none
    char       *normal_path;
} walker;

static void loads(void *data, motion_row *m, double u, arne_wrench *f_ext, double *out)
{
    const walker *w = data;
    double        feet[WALKER_SIDES][6];
    plan_gait_loads(&w->g, m->shown, m->work, u, m->q, m->qd, m->qdd, m->tau, feet, f_ext);
    if (w->g.walks) memset(f_ext, 0, (size_t)m->size.body_count * sizeof *f_ext); // the plan's own
    const double *right = feet[WALKER_RIGHT], *left = feet[WALKER_LEFT];
    *out++ = (right[5] + left[5]) / (right[1] + left[1]);
    *out++ = -(right[3] + left[3]) / (right[1] + left[1]);
    memcpy(out, feet, sizeof feet);
}

// ---- the stride

// Which columns of a file of measured gait go beside ours: mean and, where known, deviation.
typedef struct measured {
    int         column;
    const char *mean, *deviation;
} measured;
static const measured normal_columns[] = {
    {CYCLE_HIP, "hip_flex_schwartz_deg", "hip_sd"},
    {CYCLE_KNEE, "knee_flex_schwartz_deg", "knee_sd"},
    {CYCLE_ANKLE, "ankle_dors_schwartz_deg", "ankle_sd"},
    {CYCLE_UP, "grf_vert_BW", NULL},
    {CYCLE_FORWARD, "grf_foreaft_BW", NULL},
    {CYCLE_MEDIAL, "grf_medial_BW", NULL},
};
enum { MEASURED = sizeof normal_columns / sizeof *normal_columns };

// A column of the measured gait at a percentage, between its rows.
static double measured_at(const arne_table *t, int column, double percent)
{
    const int x = arne_table_find(t, "pct"), rows = arne_table_rows(t);
    int       i = 1;
    while (i < rows - 1 && arne_table_row(t, i)[x] < percent)
        i++;
    const double *a = arne_table_row(t, i - 1), *b = arne_table_row(t, i);
    const double  part = b[x] > a[x] ? fmin(fmax((percent - a[x]) / (b[x] - a[x]), 0), 1) : 0;
    return a[column] + part * (b[column] - a[column]);
}

static arne_status add_measured_columns(arne_table *t)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < MEASURED && !status; i++) {
        const measured   *n = &normal_columns[i];
        const char *const name = gait_cycle_names[n->column][0];
        const char *const unit = gait_cycle_names[n->column][1];
        char              text[64];
        snprintf(text, sizeof text, "normal.%s", name);
        status = arne_table_add_column(t, text, unit);
        snprintf(text, sizeof text, "normal.%s.low", name);
        if (!status && n->deviation) status = arne_table_add_column(t, text, unit);
        snprintf(text, sizeof text, "normal.%s.high", name);
        if (!status && n->deviation) status = arne_table_add_column(t, text, unit);
    }
    return status;
}

static double *put_measured(const arne_table *normal, double percent, double *at)
{
    for (int i = 0; i < MEASURED; i++) {
        const measured *n = &normal_columns[i];
        const double    mean = measured_at(normal, arne_table_find(normal, n->mean), percent);
        *at++ = mean;
        if (!n->deviation) continue;
        const double sd = measured_at(normal, arne_table_find(normal, n->deviation), percent);
        *at++ = mean - sd;
        *at++ = mean + sd;
    }
    return at;
}

static arne_status fill_stride(const walker *w, arne_table **out)
{
    arne_table *t = NULL;
    double      row[1 + CYCLE_COLUMNS + 3 * MEASURED];
    arne_status status = arne_table_new(out);
    if (status) return status;
    t = *out;
    status = arne_table_add_column(t, "cycle", "%");
    for (int i = 0; i < CYCLE_COLUMNS && !status; i++)
        status = arne_table_add_column(t, gait_cycle_names[i][0], gait_cycle_names[i][1]);
    if (!status && w->normal) status = add_measured_columns(t);
    for (int i = 0; i < CYCLE_ROWS && !status; i++) {
        row[0] = i / 2.0;
        memcpy(row + 1, w->cycle.x[i], sizeof w->cycle.x[i]);
        if (w->normal) put_measured(w->normal, row[0], row + 1 + CYCLE_COLUMNS);
        status = arne_table_append(t, row);
    }
    return status;
}

static arne_status tables(void *data, const run_folder *run, motion_row *m, arne_error *error)
{
    walker     *w = data;
    arne_table *t = NULL;
    char       *path = arne_run_folder_path(run, "stride.csv"), *copy = NULL;
    arne_status status =
        path && plan_gait_cycle(m->p, &w->g, &w->cycle) ? ARNE_OK : arne_fail_memory(error);
    if (!status && fill_stride(w, &t)) status = arne_fail_memory(error);
    if (!status) status = arne_table_write_csv(t, path, error);
    if (!status && w->normal_path)
        status = arne_run_folder_copy(run, w->normal_path, NULL, 0, &copy, error);
    arne_table_free(t);
    free(path);
    free(copy);
    return status;
}

// ---- the summary

static double correlation(const walker *w, int column)
{
    const measured *n = &normal_columns[column];
    const int       rows = arne_table_rows(w->normal), pct = arne_table_find(w->normal, "pct"),
              mean = arne_table_find(w->normal, n->mean);
    double *x = malloc(2 * (size_t)(rows + 1) * sizeof *x), out = NAN;
    for (int i = 0; x && i < rows; i++) {
        x[i] = arne_table_row(w->normal, i)[pct];
        x[rows + i] = arne_table_row(w->normal, i)[mean];
    }
    if (x) out = plan_gait_correlation(&w->cycle, n->column, rows, x, x + rows);
    free(x);
    return out;
}

static void gait_result_put_plot(json *j, const walker *w, const char *title, int column,
                                 const char *label)
{
    const char *name = gait_cycle_names[column][0];
    const int   beside = w->normal && column < CYCLE_FORCE_HIP;
    char        normal[3][80];
    snprintf(normal[0], sizeof normal[0], "normal.%s", name);
    snprintf(normal[1], sizeof normal[1], "normal.%s.low", name);
    snprintf(normal[2], sizeof normal[2], "normal.%s.high", name);
    json_put_open(j, NULL, '{');
    json_put_text(j, "title", title);
    json_put_text(j, "file", "stride.csv");
    json_put_text(j, "x", "cycle");
    json_put_text(j, "x_label", "gait cycle [%]");
    json_put_text(j, "y_label", label);
    json_put_open(j, "y", '[');
    json_put_text(j, NULL, name);
    if (beside) json_put_text(j, NULL, normal[0]);
    json_put_close(j, ']');
    if (beside && column <= CYCLE_ANKLE) {
        json_put_open(j, "band", '[');
        json_put_text(j, NULL, normal[1]);
        json_put_text(j, NULL, normal[2]);
        json_put_close(j, ']');
        json_put_text(j, "band_label", "normal, one standard deviation");
    }
    json_put_close(j, '}');
}

static void gait_result_put_plots(json *j, const walker *w)
{
    static const char *const titles[CYCLE_COLUMNS][2] = {
        {"Hip flexion", "degrees"},
        {"Knee flexion", "degrees"},
        {"Ankle dorsiflexion", "degrees"},
        {"Ground force, up", "body weights"},
        {"Ground force, forward", "body weights"},
        {"Ground force, towards the other foot", "body weights"},
        {"Internal force of the hip", "N"},
        {"Internal force of the knee", "N"},
        {"Internal force of the ankle", "N"},
        {"Moment of the hip, extension positive", "N m/kg"},
        {"Moment of the knee, extension positive", "N m/kg"},
        {"Moment of the ankle, plantarflexion positive", "N m/kg"},
        {"Power of the hip", "W/kg"},
        {"Power of the knee", "W/kg"},
        {"Power of the ankle", "W/kg"},
        {"Loaded", ""},
    };
    json_put_open(j, "plots", '[');
    for (int i = 0; i < CYCLE_STANCE; i++)
        gait_result_put_plot(j, w, titles[i][0], i, titles[i][1]);
    json_put_close(j, ']');
}

// Of the right leg, in percent of the stride.
static void put_events(json *j, const gait_cycle *c)
{
    json_put_open(j, "events", '{');
    json_put_number(j, "heel_strike", 0);
    json_put_number(j, "opposite_toe_off", round(10 * c->opposite_toe_off) / 10);
    json_put_number(j, "opposite_heel_strike", 50);
    json_put_number(j, "toe_off", round(10 * c->toe_off) / 10);
    json_put_close(j, '}');
}

static void summary(void *data, json *j, motion_row *m)
{
    const walker     *w = data;
    const gait_cycle *c = &w->cycle;
    json_put_open(j, "gait", '{');
    json_put_number(j, "speed", w->g.options.speed);
    json_put_number(j, "step", plan_gait_step(&w->g.options));
    json_put_number(j, "body_weight", w->g.weight);
    json_put_number(j, "constraints", plan_gait_count(m->p, NULL));
    json_put_number(j, "least_vertical", c->least_vertical);
    json_put_number(j, "friction_used", c->friction_used);
    json_put_numbers(j, "pelvis_rotation", c->pelvis_rotation, 2);
    json_put_numbers(j, "hip_rotation", c->hip_rotation, 2);
    put_events(j, c);
    json_put_number(j, "residual", c->residual);
    if (!w->g.walks) json_put_number(j, "zmp_outside", c->balance);
    json_put_number(j, "mean_vertical", c->mean_vertical);
    json_put_number(j, "loading_peak", c->loading);
    json_put_number(j, "loading_peak_at", c->loading_at);
    json_put_number(j, "valley", c->valley);
    json_put_number(j, "push_off_peak", c->push);
    json_put_number(j, "push_off_peak_at", c->push_at);
    json_put_number(j, "braking", c->braking);
    json_put_number(j, "propulsion", c->propulsion);
    json_put_number(j, "swing_knee", c->knee);
    if (w->normal)
        for (int i = 0; i < 3; i++) {
            static const char *const keys[] = {"correlation_hip", "correlation_knee",
                                               "correlation_ankle"};
            json_put_number(j, keys[i], correlation(w, i));
        }
    if (w->normal) {
        static const char *const keys[] = {"hip", "knee", "ankle", "vertical"};
        json_put_open(j, "correlation", '{');
        for (int i = 0; i < 4; i++)
            json_put_number(j, keys[i], correlation(w, i));
        json_put_close(j, '}');
    }
    json_put_close(j, '}');
    gait_result_put_plots(j, w);
}

// ---- attaching it

static void gait_result_release(void *data)
{
    walker *w = data;
    arne_table_free(w->normal);
    free(w->normal_path);
    free(w);
}

arne_status plan_gait_attach(arne_plan *plan, const gait_options *options, const arne_place *place,
                             arne_error *error)
{
    walker *w = calloc(1, sizeof *w);
    if (!w) return arne_fail_memory(error);
    const arne_status status = options->thesis ? plan_gait_add(plan, options, place, &w->g, error)
                                               : plan_walk_add(plan, options, place, &w->g, error);
    w->g.plan = plan;
    if (status) {
        free(w);
        return status;
    }
    plan->problem.module = (plan_module){.data = w,
                                         .release = gait_result_release,
                                         .loads = loads,
                                         .columns = columns,
                                         .column_count = COLUMNS,
                                         .tables = tables,
                                         .summary = summary};
    return ARNE_OK;
}

const gait *plan_gait_of(const arne_plan *plan)
{
    return plan->problem.module.summary == summary ? &((const walker *)plan->problem.module.data)->g
                                                   : NULL;
}

arne_status arne_plan_compare(arne_plan *plan, const char *path, arne_error *error)
{
    if (!plan || !path) return arne_fail_null(error);
    if (!plan_gait_of(plan))
        return arne_fail(error, ARNE_UNSUPPORTED, path, 0,
                         "only a problem with a gait can be compared");
    walker     *w = plan->problem.module.data;
    arne_table *t = NULL;
    arne_status status = arne_table_read_csv(path, &t, error);
    if (!status && (arne_table_find(t, "pct") < 0 || arne_table_rows(t) < 2))
        status =
            arne_fail(error, ARNE_VALUE, path, 1, "needs a column 'pct' and two rows at least");
    for (int i = 0; i < MEASURED && !status; i++) {
        const char *needed[] = {normal_columns[i].mean, normal_columns[i].deviation};
        for (int k = 0; k < 2 && !status; k++)
            if (needed[k] && arne_table_find(t, needed[k]) < 0)
                status = arne_fail(error, ARNE_VALUE, path, arne_table_line(t, -1),
                                   "the column '%s' is missing", needed[k]);
    }
    char *copy = status ? NULL : malloc(strlen(path) + 1);
    if (!status && !copy) status = arne_fail_memory(error);
    if (status) {
        arne_table_free(t);
        return status;
    }
    strcpy(copy, path);
    arne_table_free(w->normal);
    free(w->normal_path);
    w->normal = t;
    w->normal_path = copy;
    return ARNE_OK;
}
