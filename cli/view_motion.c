#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier): realpath
#include "view_motion.h"
#include "csv_states.h"
#include "message.h"

#include <arne/motion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int close_file(FILE *file, const char *path)
{
    const int bad = ferror(file);
    return fclose(file) != 0 || bad ? fail_data("%s: cannot be written", path) : EXIT_FINE;
}

static void write_names(FILE *out, const ordering *order, int part)
{
    for (int i = 0; i < order->q_count - order->theta_count; i++) {
        char *name = path_in(part_name[part], order->q_name[i]); // q/NAME
        *strchr(name, '/') = '.';
        csv_text(out, 0, name);
        free(name);
    }
}

// Positions, and with `parts` of 3 their rates: of robots whose velocities are rates, that is where
// q and v have the same order.
static int write_rows(const ordering *order, const state_list *list, int parts, const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out) return fail_data("%s: cannot be written", path);
    csv_text(out, 1, "time");
    for (int p = 0; p < parts; p++)
        write_names(out, order, p);
    fputc('\n', out);
    for (int r = 0; r < list->count; r++) {
        csv_number(out, 1, list->item[r].time - list->item[0].time);
        for (int p = 0; p < parts; p++)
            for (int i = 0; i < order->q_count - order->theta_count; i++)
                csv_number(out, 0, list->item[r].part[p][p ? order->v[i] : order->q[i]]);
        fputc('\n', out);
    }
    return close_file(out, path);
}

static void put_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'') fputc('\'', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

// The largest torque of every joint, and its root mean square.
static void write_figures(FILE *out, const arne_robot *robot)
{
    static const char *const measures[] = {"peak", "rms"};
    int                      count = 0;
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (j.v_count != 1) continue;
        const char *unit = arne_joint_unit(&j, 0, ARNE_UNIT_TAU);
        const char *what = strcmp(unit, "N") == 0 ? "force" : "torque";
        for (int m = 0; m < 2; m++) {
            char *name = need(strlen(j.name) + 48, 1);
            fprintf(out, "%s\n  - {name: ", count++ ? "" : "figures:");
            sprintf(name, "%s, %s %s", j.name, m ? "rms" : "largest", what);
            put_quoted(out, name);
            sprintf(name, "tau.%s", j.name);
            fputs(", column: ", out);
            put_quoted(out, name);
            fprintf(out, ", measure: %s, unit: '%s'}", measures[m], unit);
            free(name);
        }
    }
    if (count) fputc('\n', out);
}

// A row of the run for each row of the recording. Cubic splines want four of them.
static int write_scenario(const arne_robot *model, const char *robot_path, const char *states,
                          const state_list *list, int parts, const char *path)
{
    const double duration = list->item[list->count - 1].time - list->item[0].time;
    char        *robot = realpath(robot_path, NULL);
    FILE        *out = fopen(path, "w");
    if (out) {
        fputs("title: ", out);
        put_quoted(out, strcmp(states, "-") == 0 ? "A recorded motion" : states);
        fputs("\ntext: The robot goes through the recorded motion; torques are what that takes.\n"
              "robot: ",
              out);
        put_quoted(out, robot ? robot : robot_path);
        fprintf(out,
                "\nduration: %.17g\ndrive: reference\nrecord: {every: %.17g}\n"
                "reference: {type: table, file: motion.csv, limits: no%s}\n",
                duration, duration / (list->count - 1),
                parts == 3        ? ", interpolation: rates"
                : list->count < 4 ? ", interpolation: linear"
                                  : "");
        write_figures(out, model);
    }
    free(robot);
    return out ? close_file(out, path) : fail_data("%s: cannot be written", path);
}

// Whether qd is the rate of q, so that what was not recorded can be found as compute finds it.
static int has_rates(const arne_robot *robot)
{
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++)
        if (arne_joint_kind_facts(arne_robot_joint(robot, i).kind)->has_body_axes) return 0;
    return 1;
}

static int write_both(const arne_robot *robot, const char *robot_path, const view_recording *from,
                      const char *folder, const char *scenario, double *start)
{
    const int         rates = has_rates(robot);
    const state_needs needs = {.parts = rates ? NEED_Q | NEED_QD | NEED_QDD : NEED_Q,
                               .why = "view"};
    const csv_request ask = {.file = from->states,
                             .needs = &needs,
                             .columns = from->columns,
                             .differentiate = rates,
                             .cutoff = from->cutoff,
                             .may_lack = 1,
                             .quiet = from->quiet};
    ordering          order = {0};
    state_list        list = {0};
    int               code = ordering_make(robot, NULL, &order);
    if (code == EXIT_FINE) code = csv_read_states(robot, &order, &ask, &list);
    if (code == EXIT_FINE && list.count < 2)
        code = fail_data("%s: a motion has two rows at least", from->states);
    if (code == EXIT_FINE && isnan(list.item[0].time))
        code = fail_data("%s: a motion needs a column 'time'", from->states);
    const int parts = rates && !list.lacks_rates ? 3 : 1;
    if (code == EXIT_FINE) {
        char *rows = path_in(folder, "motion.csv");
        *start = list.item[0].time;
        code = write_rows(&order, &list, parts, rows);
        free(rows);
    }
    if (code == EXIT_FINE)
        code = write_scenario(robot, robot_path, from->states, &list, parts, scenario);
    states_free(&list);
    ordering_free(&order);
    return code;
}

int view_write_motion(const char *robot_path, const robot_args *how, const view_recording *from,
                      const char *folder, char **scenario, double *start)
{
    arne_robot *robot = NULL;
    *scenario = path_in(folder, "motion.yaml");
    int code = load_robot(robot_path, how, NULL, &robot);
    if (code == EXIT_FINE) code = write_both(robot, robot_path, from, folder, *scenario, start);
    arne_robot_free(robot);
    return code;
}
