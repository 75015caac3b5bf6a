// What the tasks of `arne identify` share: arguments, and how they become options of the library.
#ifndef CLI_IDENTIFY_H
#define CLI_IDENTIFY_H

#include "load.h"
#include "options.h"

#include <arne/identify.h>
#include <stdio.h>

typedef struct identify_args {
    robot_args  robot;
    const char *out, *settings, *friction, *columns, *frame;
    text_list   validate, column, above, unloaded;
    int         estimator, side, motion, springs, no_header, view, plots, schema;
    number_list cutoff, torque_cutoff, order, decimate, hold_back, rest_speed, crossing_speed,
        huber, ridge, prior, gains, rows, validate_rows, threads;
    number_list period, harmonics, starts, seed, margin, acceleration, noise, floor, rate,
        iterations;
} identify_args;

// Options of a fit, with memory that identify_options_free frees.
typedef struct fit_options {
    arne_identify_options   options;
    arne_identify_settings *settings;
    arne_column_alias      *columns;
    char                  **texts;
    int                     text_count;
} fit_options;

int  fit_options_make(const identify_args *args, const arne_robot *robot, fit_options *out);
void fit_options_free(fit_options *options);
// An identification whose mistakes go to notes, and whose warnings are said unless *quiet.
int identify_begin(const char *path, const arne_robot *robot, fit_options *o, note_list *notes,
                   int *quiet, arne_identify **out);
int identify_add_logs(arne_identify *s, const text_list *logs, arne_log_role role);
// Friction terms from a list of words. Returns an exit status.
int friction_terms(const char *list, int *out);

// What the names of base parameters stand for.
void identify_print_groups(FILE *out);
void identify_print_filter(double cutoff, double torque_cutoff, FILE *out);
void identify_say_warning(void *quiet, const arne_warning *w); // unless the int there says so

int identify_design(const char *path, const arne_robot *robot, const identify_args *args);
// logs: paths with the role of each.
int identify_fit(const char *path, const arne_robot *robot, const text_list *logs,
                 const text_list *validate, const identify_args *args);
int identify_payload(const char *path, const arne_robot *robot, const text_list *logs,
                     const identify_args *args);

#endif
