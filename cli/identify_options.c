// From arguments (and a file of settings) to options of the library.
#include "csv_names.h"
#include "identify.h"
#include "message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *identify_options_keep(fit_options *o, const char *text, size_t length)
{
    char **texts = need_more(o->texts, (size_t)o->text_count + 1, sizeof *texts);
    o->texts = texts;
    return texts[o->text_count++] = need_copy(text, length);
}

static void add_column(fit_options *o, const char *ours, const char *theirs)
{
    const int count = o->options.column_count;
    if (!o->columns && count) { // those of the settings
        o->columns = need((size_t)count, sizeof *o->columns);
        memcpy(o->columns, o->options.columns, (size_t)count * sizeof *o->columns);
    }
    o->columns = need_more(o->columns, (size_t)count + 1, sizeof *o->columns);
    o->columns[count] = (arne_column_alias){.name = ours, .in_file = theirs, .factor = 1};
    o->options.columns = o->columns;
    o->options.column_count = count + 1;
}

static void list_columns(fit_options *o, const char *list)
{
    int number = 0;
    o->options.no_header = 1;
    for (const char *at = list; at;) {
        const char  *comma = strchr(at, ',');
        const size_t length = comma ? (size_t)(comma - at) : strlen(at);
        char         theirs[24];
        snprintf(theirs, sizeof theirs, "%d", ++number);
        if (length != 1 || *at != '-')
            add_column(o, identify_options_keep(o, at, length),
                       identify_options_keep(o, theirs, strlen(theirs)));
        at = comma ? comma + 1 : NULL;
    }
}

static int name_columns(fit_options *o, const text_list *columns)
{
    for (int i = 0; i < columns->count; i++) {
        char       *ours;
        const char *theirs;
        const int   code = column_alias(columns->text[i], &ours, &theirs);
        if (code != EXIT_FINE) return code;
        add_column(o, identify_options_keep(o, ours, strlen(ours)),
                   identify_options_keep(o, theirs, strlen(theirs)));
        free(ours);
    }
    return EXIT_FINE;
}

void identify_print_groups(FILE *out)
{
    fprintf(out,
            "A name stands for its base parameter, a sum of all parameters that act together: it "
            "may be negative.\n");
}

void identify_print_filter(double cutoff, double torque_cutoff, FILE *out)
{
    fprintf(out, "filter             ");
    if (cutoff > 0)
        fprintf(out, "positions %.4g Hz", cutoff);
    else
        fprintf(out, "positions none");
    if (torque_cutoff > 0)
        fprintf(out, ", torques %.4g Hz\n", torque_cutoff);
    else
        fprintf(out, ", torques none\n");
}

void identify_say_warning(void *context, const arne_warning *w)
{
    const int *quiet = context;
    if (*quiet || is_quiet(w->rule)) return;
    if (*w->file)
        say("%s:%d: %s", w->file, w->line, w->text);
    else
        say("%s", w->text);
}

int friction_terms(const char *list, int *out)
{
    static const char *const names[] = {"viscous", "coulomb", "offset", "stribeck",
                                        "sigmoid", "load",    "none"};
    *out = 0;
    for (const char *at = list; at;) {
        const char  *comma = strchr(at, ',');
        const size_t length = comma ? (size_t)(comma - at) : strlen(at);
        int          found = 0;
        for (int i = 0; i < 7; i++)
            if (strlen(names[i]) == length && strncmp(names[i], at, length) == 0) {
                *out |= 1 << i;
                found = 1;
            }
        if (!found)
            return fail_usage("--friction: '%.*s' is no term; they are viscous, coulomb, offset, "
                              "stribeck, sigmoid, load, none",
                              (int)length, at);
        at = comma ? comma + 1 : NULL;
    }
    return EXIT_FINE;
}

// 0 is "none" on the command line, and negative in the library, where 0 is the usual.
static void set_or_none(const number_list *from, double *to)
{
    if (from->given) *to = from->value[0] > 0 ? from->value[0] : -1;
}

static void set(const number_list *from, double *to)
{
    if (from->given) *to = from->value[0];
}

static void set_rows(const number_list *from, long *first, long *last)
{
    if (!from->given) return;
    *first = (long)from->value[0]; // cmd_identify.c has checked that they are
    *last = (long)from->value[1];
}

static int read_settings(const identify_args *args, const arne_robot *robot, fit_options *o)
{
    arne_error         error;
    note_list          notes = {0};
    arne_build_options listen = {0};
    if (!args->settings) return EXIT_FINE;
    notes_listen(&notes, &listen);
    const arne_identify_options tell = {.fail = listen.fail, .fail_context = listen.fail_context};
    const arne_status           status =
        arne_identify_settings_read(args->settings, robot, &tell, &o->settings, &error);
    const int code = status ? notes_fail(&notes, args->settings, status, &error) : EXIT_FINE;
    if (!status) o->options = *arne_identify_settings_options(o->settings);
    notes_free(&notes);
    return code;
}

int fit_options_make(const identify_args *args, const arne_robot *robot, fit_options *o)
{
    *o = (fit_options){0};
    int code = read_settings(args, robot, o);
    if (code != EXIT_FINE) return code;
    arne_identify_options *to = &o->options;
    to->size = sizeof *to;
    if (args->estimator) to->estimator = (arne_estimator)(args->estimator - 1);
    if (args->side) to->side = (arne_log_side)args->side;
    if (args->robot.no_rotor) to->no_rotor = 1;
    if (args->robot.no_friction) to->friction = ARNE_FRICTION_NONE;
    if (args->springs) to->springs = 1;
    if (args->friction) code = friction_terms(args->friction, &to->friction);
    set_or_none(&args->cutoff, &to->cutoff);
    set_or_none(&args->torque_cutoff, &to->torque_cutoff);
    set_or_none(&args->hold_back, &to->hold_back);
    if (args->order.given) to->order = (int)args->order.value[0];
    if (args->decimate.given) to->decimate = (int)args->decimate.value[0];
    set_or_none(&args->rest_speed, &to->rest_speed);
    set(&args->crossing_speed, &to->crossing_speed);
    set(&args->huber, &to->huber);
    set(&args->ridge, &to->ridge);
    set(&args->prior, &to->prior);
    if (args->threads.given) to->threads = (int)args->threads.value[0];
    set_rows(&args->rows, &to->first_row, &to->last_row);
    set_rows(&args->validate_rows, &to->validate_first_row, &to->validate_last_row);
    if (args->gains.given) {
        if (args->gains.count != arne_robot_sizes(robot).v_count)
            return fail_data("--gains: %d numbers are needed, %d are given",
                             arne_robot_sizes(robot).v_count, args->gains.count);
        to->gains = args->gains.value;
    }
    if (code == EXIT_FINE && args->columns) list_columns(o, args->columns);
    if (code == EXIT_FINE) code = name_columns(o, &args->column);
    return code;
}

void fit_options_free(fit_options *o)
{
    arne_identify_settings_free(o->settings);
    for (int i = 0; i < o->text_count; i++)
        free(o->texts[i]);
    free(o->texts);
    free(o->columns);
}

int identify_begin(const char *path, const arne_robot *robot, fit_options *o, note_list *notes,
                   int *quiet, arne_identify **out)
{
    arne_error         error;
    arne_build_options listen = {0};
    notes_listen(notes, &listen);
    o->options.fail = listen.fail;
    o->options.fail_context = listen.fail_context;
    o->options.warn = identify_say_warning;
    o->options.warn_context = quiet;
    const arne_status status = arne_identify_new(robot, &o->options, out, &error);
    return status ? fail_error(path, status, &error) : EXIT_FINE;
}

int identify_add_logs(arne_identify *s, const text_list *logs, arne_log_role role)
{
    arne_error error;
    for (int i = 0; i < logs->count; i++) {
        const arne_status status = arne_identify_add_file(s, logs->text[i], role, &error);
        if (status) return fail_error(logs->text[i], status, &error);
    }
    return EXIT_FINE;
}
