#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier): realpath
#include "view_motion.h"
#include "csv_states.h"
#include "message.h"

#include <arne/motion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Fewer rows have no spectrum to choose a filter from.
enum { LEAST_ROWS = 8 };

static char *path_in(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char        *out = need(size, 1);
    snprintf(out, size, "%s/%s", folder, name);
    return out;
}

// Recorders add noise, which a second derivative would make large: positions are smoothed as
// `compute --differentiate` does. Quaternions are left as they are.
static int smooth(const arne_robot *robot, const char *file, state_list *list)
{
    const arne_sizes size = arne_robot_sizes(robot);
    const size_t     rows = (size_t)list->count, width = (size_t)size.q_count;
    double           cutoff = 0;
    arne_error       error = {0};
    if (list->count < LEAST_ROWS || size.q_count != size.v_count) return EXIT_FINE;
    double *time = need(rows, sizeof *time), *x = need(rows * width + 1, sizeof *x);
    double *clean = need(rows * width + 1, sizeof *clean);
    for (size_t i = 0; i < rows; i++) {
        time[i] = list->item[i].time;
        memcpy(x + i * width, list->item[i].part[PART_Q], width * sizeof *x);
    }
    const arne_status status =
        arne_differentiate(list->count, size.q_count, time, x, &cutoff, clean, NULL, NULL, &error);
    for (size_t i = 0; i < rows && !status; i++)
        memcpy(list->item[i].part[PART_Q], clean + i * width, width * sizeof *x);
    free(time);
    free(x);
    free(clean);
    return status ? fail_error(file, status, &error) : EXIT_FINE;
}

static int close_file(FILE *file, const char *path)
{
    const int bad = ferror(file);
    return fclose(file) != 0 || bad ? fail_data("%s: cannot be written", path) : EXIT_FINE;
}

static int write_rows(const ordering *order, const state_list *list, const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out) return fail_data("%s: cannot be written", path);
    csv_text(out, 1, "time");
    for (int i = 0; i < order->q_count - order->theta_count; i++) {
        char *name = path_in("q", order->q_name[i]); // q/NAME
        name[1] = '.';
        csv_text(out, 0, name);
        free(name);
    }
    fputc('\n', out);
    for (int r = 0; r < list->count; r++) {
        csv_number(out, 1, list->item[r].time - list->item[0].time);
        for (int i = 0; i < order->q_count - order->theta_count; i++)
            csv_number(out, 0, list->item[r].part[PART_Q][order->q[i]]);
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

// A row of the run for each row of the recording. Cubic splines want four of them.
static int write_scenario(const char *robot_path, const char *states, const state_list *list,
                          const char *path)
{
    const double duration = list->item[list->count - 1].time - list->item[0].time;
    char        *robot = realpath(robot_path, NULL);
    FILE        *out = fopen(path, "w");
    if (out) {
        fputs("title: ", out);
        put_quoted(out, strcmp(states, "-") == 0 ? "A recorded motion" : states);
        fputs("\ntext: The robot goes through the recorded positions, smoothed; torques are what "
              "that takes.\nrobot: ",
              out);
        put_quoted(out, robot ? robot : robot_path);
        fprintf(out,
                "\nduration: %.17g\ndrive: reference\nrecord: {every: %.17g}\n"
                "reference: {type: table, file: motion.csv%s}\n",
                duration, duration / (list->count - 1),
                list->count < 4 ? ", interpolation: linear" : "");
    }
    free(robot);
    return out ? close_file(out, path) : fail_data("%s: cannot be written", path);
}

static int write_both(const arne_robot *robot, const char *robot_path, const char *states,
                      const char *folder, const char *scenario)
{
    const state_needs needs = {.parts = NEED_Q, .why = "view"};
    const csv_request ask = {.file = states, .needs = &needs};
    ordering          order = {0};
    state_list        list = {0};
    int               code = ordering_make(robot, NULL, &order);
    if (code == EXIT_FINE) code = csv_read_states(robot, &order, &ask, &list);
    if (code == EXIT_FINE && list.count < 2)
        code = fail_data("%s: a motion has two rows at least", states);
    if (code == EXIT_FINE && isnan(list.item[0].time))
        code = fail_data("%s: a motion needs a column 'time'", states);
    if (code == EXIT_FINE) code = smooth(robot, states, &list);
    if (code == EXIT_FINE) {
        char *rows = path_in(folder, "motion.csv");
        code = write_rows(&order, &list, rows);
        free(rows);
    }
    if (code == EXIT_FINE) code = write_scenario(robot_path, states, &list, scenario);
    states_free(&list);
    ordering_free(&order);
    return code;
}

int view_write_motion(const char *robot_path, const robot_args *how, const char *states,
                      const char *folder, char **scenario)
{
    arne_robot *robot = NULL;
    *scenario = path_in(folder, "motion.yaml");
    int code = load_robot(robot_path, how, NULL, &robot);
    if (code == EXIT_FINE) code = write_both(robot, robot_path, states, folder, *scenario);
    arne_robot_free(robot);
    return code;
}
