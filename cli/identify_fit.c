// arne identify fit: from logs to a robot.
#include "identify.h"
#include "message.h"
#include "open_page.h"
#include "print_table.h"
#include "signals.h"

#include <arne/report.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- what is printed

static void identify_fit_print_joints(const arne_robot *robot, const arne_identify_result *r,
                                      FILE *out)
{
    const arne_identify_fit *all[] = {&r->fit_prior,      &r->fit_free,      &r->fit,
                                      &r->validate_prior, &r->validate_free, &r->validate};
    static const char *const names[] = {"prior", "free", "found"};
    table                    t = table_begin("lrrrrrrr");
    table_cell(&t, "joint");
    table_cell(&t, "rms [N m]");
    for (int i = 0; i < 6; i++)
        table_cell(&t, "%s %s [%%]", i < 3 ? "fit" : "validate", names[i % 3]);
    for (int j = 0; j < r->joint_count; j++) {
        table_cell(&t, "%s", arne_robot_joint(robot, j).name);
        table_cell(&t, "%.4g", r->fit.rms[j]);
        for (int i = 0; i < 6; i++) {
            if (all[i]->rows)
                table_cell(&t, "%.2f", all[i]->percent[j]);
            else
                table_cell(&t, "-");
        }
    }
    table_print(&t, 0, out);
    table_free(&t);
    fprintf(out,
            "[%%]: the rms of what is left, of that of the torque; with the robot's file (prior), "
            "with any\nparameters (free), with those that are written (found); of the rows "
            "fitted, and of those held back (validate)\n");
}

static void print_parameters(const arne_identify_result *r, FILE *out)
{
    char  name[256];
    int   unseen = 0, named = 0;
    table t = table_begin("lrrrll");
    for (const char *const *c =
             (const char *const[]){"parameter", "value", "deviation", "prior", "unit", "", NULL};
         *c; c++)
        table_cell(&t, "%s", *c);
    for (int i = 0; i < r->base_count; i++) {
        const arne_identified *p = &r->base[i];
        table_cell(&t, "%s", p->name);
        table_cell(&t, "%.6g", p->value);
        table_cell(&t, p->seen ? "%.2g" : "-", p->deviation);
        table_cell(&t, "%.6g", p->prior);
        table_cell(&t, "%s", p->unit);
        table_cell(&t, "%s", !p->seen ? "not seen" : p->essential ? "" : "not essential");
        unseen += !p->seen;
    }
    table_print(&t, 0, out);
    table_free(&t);
    identify_print_groups(out);
    if (unseen)
        fprintf(out, "%d parameter%s cannot be seen in these logs: ", unseen,
                unseen == 1 ? "" : "s");
    for (int i = 0; i < r->base_count; i++)
        if (!r->base[i].seen)
            fprintf(out, "%s%s", named++ ? ", " : "", shown(r->base[i].name, name, sizeof name));
    if (unseen) fprintf(out, "\n");
}

// Condition number of the data beyond which the fit warns: an error of a thousandth of the torques
// then changes the least visible parameters by ten times their size.
static const double POOR_CONDITION = 1e4;

static void print_filters(const arne_identify_result *r, FILE *out)
{
    fprintf(out, "samples            %.6g Hz", r->rate);
    if (r->decimate > 1) fprintf(out, ", every %d-th is used", r->decimate);
    fprintf(out, "\n");
    identify_print_filter(r->cutoff, r->torque_cutoff, out);
}

static const char *link_name(const arne_robot *robot, int joint, char name[256])
{
    return shown(arne_robot_frame(robot, arne_robot_joint(robot, joint).child).name, name, 256);
}

static void print_result(const arne_robot *robot, const arne_identify_result *r,
                         arne_estimator estimator)
{
    char name[256];
    print_parameters(r, stdout);
    printf("\n");
    identify_fit_print_joints(robot, r, stdout);
    printf("\n");
    print_filters(r, stdout);
    printf("rows               %ld fitted, %ld to check with\n", r->fit.rows, r->validate.rows);
    printf("condition          %.4g, with columns scaled to length 1%s\n", r->condition,
           r->condition > POOR_CONDITION ? ": this motion hardly tells parameters apart; 'arne "
                                           "identify design' finds a better one"
                                         : "");
    printf("correlation        ");
    for (int j = 0; j < r->joint_count; j++)
        printf("%s%.3g", j ? " " : "", r->correlation[j]);
    printf("  (of residuals, on variances)\n");
    for (int j = 0; r->gains && j < r->joint_count; j++) {
        printf("%s%.5g", j ? " " : "gains [N m/A]      ", r->gains[j]);
        if (r->gain_deviations[j] > 0) printf(" (+-%.2g)", r->gain_deviations[j]);
    }
    if (r->gains) printf("\n");
    printf("estimate           %s: ", estimator == ARNE_ESTIMATOR_FREE ? "free" : "consistent");
    if (r->is_consistent) printf("all links are bodies that can be");
    for (int i = 0; i < r->inconsistent_count; i++)
        printf("%s%s", i ? ", " : "no bodies: ", link_name(robot, r->inconsistent[i], name));
    printf(" (free estimate: %d of %d links are not)\n", r->free_inconsistent_count,
           r->joint_count);
}

// ---- the work

static int write_results(const arne_identify *s, const identify_args *args)
{
    arne_error                error;
    const arne_report_options page = {.plots = args->plots};
    signals_hold(1);
    const arne_status status = arne_identify_write(s, args->out, &page, &error);
    signals_hold(0);
    if (status) return fail_error(args->out, status, &error);
    name_report(args->out, args->view);
    return EXIT_FINE;
}

int identify_fit(const char *path, const arne_robot *robot, const text_list *logs,
                 const text_list *validate, const identify_args *args)
{
    fit_options    o;
    arne_identify *s = NULL;
    arne_error     error;
    note_list      notes = {0};
    int            quiet = args->robot.quiet;
    int            code = fit_options_make(args, robot, &o);
    if (code == EXIT_FINE) code = identify_begin(path, robot, &o, &notes, &quiet, &s);
    if (code == EXIT_FINE) code = identify_add_logs(s, logs, ARNE_LOG_FIT);
    if (code == EXIT_FINE) code = identify_add_logs(s, validate, ARNE_LOG_VALIDATE);
    if (code == EXIT_FINE) {
        const arne_status status = arne_identify_fit_robot(s, &error);
        if (status) code = notes_fail(&notes, logs->text[0], status, &error);
    }
    if (code == EXIT_FINE) print_result(robot, arne_identify_get(s), o.options.estimator);
    if (code == EXIT_FINE && args->out) code = write_results(s, args);
    arne_identify_free(s);
    notes_free(&notes);
    fit_options_free(&o);
    return code;
}
