// arne identify design: a motion to record.
#include "identify.h"
#include "message.h"
#include "open_page.h"
#include "print_table.h"
#include "signals.h"

#include <arne/report.h>
#include <stdlib.h>

static void print_design(const arne_design_result *r)
{
    char  limit[256];
    table t = table_begin("lrrl");
    for (const char *const *c =
             (const char *const[]){"parameter", "prior", "deviation", "unit", NULL};
         *c; c++)
        table_cell(&t, "%s", *c);
    for (int i = 0; i < r->base_count; i++) {
        table_cell(&t, "%s", r->base[i].name);
        table_cell(&t, "%.6g", r->base[i].prior);
        table_cell(&t, "%.2g", r->base[i].deviation);
        table_cell(&t, "%s", r->base[i].unit);
    }
    table_print(&t, 0, stdout);
    table_free(&t);
    identify_print_groups(stdout);
    printf("\nperiod             %.6g s\n", r->period);
    printf("condition          %.4g designed, %.4g random, %.4g sinusoidal (of the regressor, with "
           "columns scaled to length 1)\n",
           r->condition, r->random_condition, r->sinusoid_condition);
    printf("log det            %.6g\n", r->log_det);
    printf("largest part used  %.4g, %s\n", r->worst, shown(r->worst_limit, limit, sizeof limit));
}

// One number for all joints, or one for each.
static int by_joint(const char *name, const number_list *list, int n, const double **out,
                    double **own)
{
    *own = NULL;
    if (!list->given) return EXIT_FINE;
    if (list->count == n) *out = list->value;
    if (list->count == 1) {
        *own = need((size_t)n, sizeof **own);
        for (int i = 0; i < n; i++)
            (*own)[i] = list->value[0];
        *out = *own;
    }
    return list->count == n || list->count == 1
               ? EXIT_FINE
               : fail_data("%s: one number or %d are needed, %d are given", name, n, list->count);
}

static double number(const number_list *list) { return list->given ? list->value[0] : 0; }

static int write_design(const arne_design *d, const identify_args *args)
{
    arne_error                error;
    const arne_report_options page = {.plots = args->plots};
    const double              rate = number(&args->rate) > 0 ? number(&args->rate) : 100;
    signals_hold(1);
    const arne_status status = arne_design_write(d, rate, args->out, &page, &error);
    signals_hold(0);
    if (status) return fail_error(args->out, status, &error);
    name_report(args->out, args->view);
    return EXIT_FINE;
}

int identify_design(const char *path, const arne_robot *robot, const identify_args *args)
{
    const int           n = arne_robot_sizes(robot).v_count;
    arne_design_options o = {.size = sizeof o,
                             .period = number(&args->period),
                             .harmonics = (int)number(&args->harmonics),
                             .starts = (int)number(&args->starts),
                             .seed = (uint64_t)number(&args->seed),
                             .margin = number(&args->margin),
                             .iterations = (int)number(&args->iterations),
                             .motion = args->motion ? (arne_design_motion_kind)(args->motion - 1)
                                                    : ARNE_DESIGN_FOURIER,
                             .floor = number(&args->floor),
                             .no_rotor = args->robot.no_rotor};
    arne_design        *d = NULL;
    arne_error          error;
    double             *rates = NULL, *noises = NULL;
    int                *frames = need((size_t)args->above.count + 1, sizeof *frames);
    int code = by_joint("--acceleration", &args->acceleration, n, &o.accelerations, &rates);
    if (code == EXIT_FINE) code = by_joint("--noise", &args->noise, n, &o.noises, &noises);
    if (code == EXIT_FINE && args->friction) code = friction_terms(args->friction, &o.friction);
    if (args->robot.no_friction) o.friction = ARNE_FRICTION_NONE;
    for (int i = 0; i < args->above.count && code == EXIT_FINE; i++) {
        frames[i] = find_frame(robot, "--above", args->above.text[i]);
        if (frames[i] < 0) code = EXIT_DATA;
    }
    o.frames = frames;
    o.frame_count = args->above.count;
    if (code == EXIT_FINE) {
        const arne_status status = arne_design_new(robot, &o, &d, &error);
        if (status) code = fail_error(path, status, &error);
    }
    if (code == EXIT_FINE) print_design(arne_design_get(d));
    if (code == EXIT_FINE && args->out) code = write_design(d, args);
    arne_design_free(d);
    free(frames);
    free(rates);
    free(noises);
    return code;
}
