// arne motion scale|track|dynamics|muscles ROBOT FILE: a model of the size of a person, coordinates
// from markers, torques of a recorded motion with measured forces, and the muscles that give them.
#include "csv_states.h"
#include "load.h"
#include "message.h"
#include "output.h"
#include "verbs.h"

#include <arne/capture.h>
#include <arne/table.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct motion_args {
    robot_args  robot;
    const char *output, *errors, *tasks, *loads, *forces, *setup, *reactions;
    text_list   weight, load, reserve;
    number_list cutoff, power;
    int         passive, compliant, opensim;
} motion_args;

#define AT(member) offsetof(motion_args, member)
static const option options[] = {
    {"--setup", NULL, OPTION_TEXT, "FILE",
     "scale: marker pairs and links, a setup file of OpenSim's scale tool", AT(setup), 0},
    {"--tasks", NULL, OPTION_TEXT, "FILE",
     "track: weights of markers and coordinates, a task set or setup file of OpenSim's inverse "
     "kinematics (default: every marker weighs 1)",
     AT(tasks), 0},
    {"--weight", NULL, OPTION_TEXTS, "MARKER=W", "track: another weight of a marker; repeatable",
     AT(weight), 0},
    {"--errors", NULL, OPTION_TEXT, "FILE", "track: a table with the error of each marker [m]",
     AT(errors), 0},
    {"--cutoff", NULL, OPTION_NUMBERS, "HZ",
     "dynamics, muscles: cut-off of the low-pass filter (default: 6; 0: none)", AT(cutoff), 1},
    {"--loads", NULL, OPTION_TEXT, "FILE",
     "dynamics, muscles: measured forces, a file ExternalLoads", AT(loads), 0},
    {"--forces", NULL, OPTION_TEXT, "FILE", "dynamics, muscles: or a table of forces, for --load",
     AT(forces), 0},
    {"--load", NULL, OPTION_TEXTS, "LINK=FORCE,POINT,TORQUE",
     "dynamics, muscles: columns of --forces that act on a link, without their x, y and z; "
     "repeatable",
     AT(load), 0},
    {"--open", NULL, OPTION_FLAG, NULL,
     "dynamics: coordinates that a constraint of the model couples have torques of their own, as "
     "OpenSim's tool has them",
     AT(robot.open), 0},
    {"--power", NULL, OPTION_NUMBERS, "P", "muscles: of activations in the sum (default: 2)",
     AT(power), 1},
    {"--reserve", NULL, OPTION_TEXTS, "[JOINT=]TORQUE",
     "muscles: torque or force of a reserve actuator at control 1, of a joint or of all (default: "
     "1 "
     "of all; 0: none); repeatable",
     AT(reserve), 0},
    {"--passive", NULL, OPTION_FLAG, NULL, "muscles: fibres pull passively too", AT(passive), 0},
    {"--compliant", NULL, OPTION_FLAG, NULL, "muscles: tendons stretch", AT(compliant), 0},
    {"--opensim", NULL, OPTION_FLAG, NULL,
     "muscles: accelerations and pennation of Millard's muscles as OpenSim's tool has them",
     AT(opensim), 0},
    {"--reactions", NULL, OPTION_TEXT, "FILE",
     "muscles: a table of the forces and moments in the joints, with muscles in them",
     AT(reactions), 0},
    ROBOT_OPTIONS(motion_args),
    OPTION_OUTPUT(motion_args),
    OPTION_END,
};
#undef AT

static const command motion = {
    "motion",
    "TASK ROBOT FILE",
    "Recorded motions of people. TASK is scale (the robot in the size of a person, FILE is a "
    "static\n"
    "trial, a .trc), track (coordinates from markers, a .trc), dynamics (torques of coordinates\n"
    "over time, a .mot, .sto or CSV) or muscles (activations of least sum that give these "
    "torques,\n"
    "forces and powers). Tables are written as their ending says: .csv, .mot or .sto.",
    3,
    3,
    options,
    NULL};

static int write_table(const arne_table *table, const char *path)
{
    arne_error error = {0};
    if (path) {
        const arne_status status = arne_table_write_csv(table, path, &error);
        return status ? fail_error(path, status, &error) : EXIT_FINE;
    }
    for (int r = -1; r < arne_table_rows(table); r++) {
        for (int c = 0; c < arne_table_columns(table); c++) {
            char head[400];
            snprintf(head, sizeof head, *arne_table_unit(table, c) ? "%s [%s]" : "%s",
                     arne_table_name(table, c), arne_table_unit(table, c));
            if (r < 0)
                csv_text(stdout, c == 0, head);
            else
                csv_number(stdout, c == 0, arne_table_row(table, r)[c]);
        }
        putchar('\n');
    }
    return EXIT_FINE;
}

// ---- scale

static int scale(const motion_args *args, const arne_robot *robot, const char *path,
                 const char *file)
{
    arne_table      *markers = NULL;
    arne_builder    *builder = NULL;
    arne_link_scale *scales = NULL;
    arne_error       error = {0};
    double           mass = 0;
    int              count = 0, keep = 0;
    if (!args->setup || !args->output)
        return fail_usage("scale needs --setup FILE and --output FILE, a robot file");
    arne_status status = arne_table_read_csv(file, &markers, &error);
    if (!status)
        status =
            arne_scale_measure(robot, markers, args->setup, &scales, &count, &mass, &keep, &error);
    for (int i = 0; i < count && !args->robot.quiet; i++)
        say("%s: %.4f %.4f %.4f", scales[i].link, scales[i].factor.x, scales[i].factor.y,
            scales[i].factor.z);
    if (!status) status = arne_builder_new(&builder);
    if (!status) status = arne_read(builder, path, &error);
    if (!status) status = arne_builder_scale_links(builder, scales, count, mass, keep, &error);
    if (!status) status = arne_builder_write(builder, args->output, NULL, NULL, &error);
    const int code = status ? fail_error(file, status, &error) : EXIT_FINE;
    free(scales);
    arne_builder_free(builder);
    arne_table_free(markers);
    return code;
}

// ---- track

// "MARKER=W" of --weight.
static int take_weights(const text_list *list, const char **names, double *weights)
{
    for (int i = 0; i < list->count; i++) {
        const char *equals = strrchr(list->text[i], '=');
        if (!equals || arne_parse_number(equals + 1, &weights[i]) != ARNE_OK || !(weights[i] >= 0))
            return fail_usage("--weight: '%s' must be MARKER=W with a W that is not negative",
                              list->text[i]);
        names[i] = need_copy(list->text[i], (size_t)(equals - list->text[i]));
    }
    return EXIT_FINE;
}

// The root mean square of all errors, and the marker that is worst.
static void say_errors(const arne_table *errors, const char *file)
{
    double all = 0, worst = -1;
    int    count = 0, at = 0, missing = 0;
    for (int c = 1; c < arne_table_columns(errors); c++) {
        double sum = 0;
        int    rows = 0;
        for (int r = 0; r < arne_table_rows(errors); r++) {
            const double e = arne_table_row(errors, r)[c];
            missing += isnan(e);
            if (isnan(e)) continue;
            sum += e * e;
            rows++;
        }
        all += sum;
        count += rows;
        if (!rows || sqrt(sum / rows) <= worst) continue;
        worst = sqrt(sum / rows);
        at = c;
    }
    if (count)
        say("%s: %d markers, %d frames: rms error %.2f mm; the worst is %s, rms %.2f mm", file,
            arne_table_columns(errors) - 1, arne_table_rows(errors), 1e3 * sqrt(all / count),
            arne_table_name(errors, at), 1e3 * worst);
    if (missing) say("%s: a marker is missing %d times", file, missing);
}

static int track(const motion_args *args, const arne_robot *robot, const char *file)
{
    arne_table                 *markers = NULL, *coordinates = NULL, *errors = NULL;
    arne_error                  error = {0};
    const char                **names = need((size_t)args->weight.count + 1, sizeof *names);
    double                     *weights = need((size_t)args->weight.count + 1, sizeof *weights);
    int                         code = take_weights(&args->weight, names, weights);
    const arne_tracking_options how = {
        .tasks = args->tasks, .count = args->weight.count, .names = names, .weights = weights};
    arne_status status = code == EXIT_FINE ? arne_table_read_csv(file, &markers, &error) : ARNE_OK;
    if (code == EXIT_FINE && !status)
        status = arne_track(robot, markers, &how, &coordinates, &errors, &error);
    if (status) code = fail_error(file, status, &error);
    if (errors && !args->robot.quiet) say_errors(errors, file);
    if (coordinates) {
        const int written = write_table(coordinates, args->output);
        if (code == EXIT_FINE) code = written;
    }
    if (errors && args->errors && code == EXIT_FINE) code = write_table(errors, args->errors);
    for (int i = 0; i < args->weight.count; i++)
        free((char *)names[i]);
    free(names);
    free(weights);
    arne_table_free(markers);
    arne_table_free(coordinates);
    arne_table_free(errors);
    return code;
}

// ---- dynamics

// "LINK=FORCE,POINT,TORQUE": the three prefixes, the last two of which may be missing.
static int take_load(const char *text, char *copy, arne_load_columns *out)
{
    char *equals = strchr(copy, '=');
    if (!equals) return fail_usage("--load: '%s' must be LINK=FORCE,POINT,TORQUE", text);
    *equals = 0;
    *out = (arne_load_columns){.link = copy, .force = equals + 1};
    char *comma = strchr(equals + 1, ',');
    if (comma) *comma = 0, out->point = comma + 1, comma = strchr(comma + 1, ',');
    if (comma) *comma = 0, out->torque = comma + 1;
    return EXIT_FINE;
}

static int make_loads(const motion_args *args, const arne_robot *robot, arne_loads **out)
{
    arne_error         error = {0};
    arne_table        *table = NULL;
    const size_t       count = (size_t)args->load.count;
    char             **copies = need(count + 1, sizeof *copies);
    arne_load_columns *loads = need(count + 1, sizeof *loads);
    int                code = EXIT_FINE;
    arne_status        status = ARNE_OK;
    if ((args->forces != NULL) != (count > 0) || (args->loads && count))
        code = fail_usage("--forces and --load belong together, and --loads excludes them");
    for (size_t i = 0; i < count && code == EXIT_FINE; i++) {
        copies[i] = need_copy(args->load.text[i], strlen(args->load.text[i]));
        code = take_load(args->load.text[i], copies[i], &loads[i]);
    }
    if (code == EXIT_FINE && args->loads) status = arne_loads_read(robot, args->loads, out, &error);
    if (code == EXIT_FINE && count) status = arne_table_read_csv(args->forces, &table, &error);
    if (code == EXIT_FINE && count && !status)
        status = arne_loads_new(robot, table, loads, (int)count, out, &error);
    if (status) code = fail_error(args->loads ? args->loads : args->forces, status, &error);
    for (size_t i = 0; i < count; i++)
        free(copies[i]);
    free(copies);
    free(loads);
    arne_table_free(table);
    return code;
}

// A joint between the root and the first link with mass: its torque is a residual.
static int is_residual(const arne_robot *robot, const arne_joint_info *joint)
{
    for (int f = joint->parent; f >= 0;) {
        const arne_frame_info link = arne_robot_frame(robot, f);
        if (link.mass > 0) return 0;
        f = link.parent;
    }
    return 1;
}

static void say_residuals(const arne_robot *robot, const arne_table *torques)
{
    for (int c = 1; c < arne_table_columns(torques); c++) {
        const char           *name = strchr(arne_table_name(torques, c), '.') + 1;
        const char           *unit = arne_table_unit(torques, c);
        double                sum = 0, most = 0;
        const arne_joint_info joint = arne_robot_joint(robot, arne_find_joint(robot, name));
        for (int r = 0; r < arne_table_rows(torques); r++) {
            const double x = arne_table_row(torques, r)[c];
            sum += x * x;
            most = fmax(most, fabs(x));
        }
        if (is_residual(robot, &joint))
            say("residual %s: rms %.4g %s, largest %.4g %s", name,
                sqrt(sum / arne_table_rows(torques)), unit, most, unit);
    }
}

// Columns time and tau.NAME, in the order of the joints.
static int make_torques(const arne_robot *robot, const arne_recording *r, const double *tau,
                        const char *file, arne_table **out)
{
    const arne_sizes sizes = arne_robot_sizes(robot);
    double          *row = need((size_t)sizes.v_count + 1, sizeof *row);
    int             *v = need((size_t)sizes.v_count + 1, sizeof *v), n = 0;
    arne_status      status = arne_table_new(out);
    if (!status) status = arne_table_add_column(*out, "time", "s");
    for (int j = 0; j < sizes.joint_count && !status; j++) {
        const arne_joint_info joint = arne_robot_joint(robot, j);
        char                  name[400];
        if (!joint.v_count) continue;
        snprintf(name, sizeof name, "tau.%s", joint.name);
        status =
            arne_table_add_column(*out, name, joint.kind == ARNE_JOINT_PRISMATIC ? "N" : "N m");
        v[n++] = joint.v_start;
    }
    for (int i = 0; i < r->rows && !status; i++) {
        row[0] = r->time[i];
        for (int k = 0; k < n; k++)
            row[1 + k] = tau[(size_t)i * (size_t)sizes.v_count + (size_t)v[k]];
        status = arne_table_append(*out, row);
    }
    free(row);
    free(v);
    return status ? fail_error(file, status, &(arne_error){0}) : EXIT_FINE;
}

// The recording and the loads that the options name.
static int read_motion(const motion_args *args, const arne_robot *robot, const char *file,
                       arne_recording *r, arne_loads **loads)
{
    arne_error   error = {0};
    int          lacking = 0;
    const double cutoff = args->cutoff.given ? args->cutoff.value[0] : 6;
    if (!(cutoff >= 0)) return fail_usage("--cutoff must not be negative");
    const int code = make_loads(args, robot, loads);
    if (code != EXIT_FINE) return code;
    const arne_status status = arne_recording_read(robot, file, cutoff, r, &lacking, &error);
    if (status) return fail_error(file, status, &error);
    if (lacking && !args->robot.quiet)
        say("%s lacks %d coordinates; they stay where the robot's file starts them", file, lacking);
    return EXIT_FINE;
}

static int dynamics(const motion_args *args, const arne_robot *robot, const char *file)
{
    arne_recording r = {0};
    arne_loads    *loads = NULL;
    arne_table    *torques = NULL;
    arne_error     error = {0};
    double        *tau = NULL;
    int            code = read_motion(args, robot, file, &r, &loads);
    if (code == EXIT_FINE) {
        tau = need((size_t)r.rows * (size_t)r.columns + 1, sizeof *tau);
        const arne_status status = arne_recording_dynamics(robot, &r, loads, tau, &error);
        if (status) code = fail_error(file, status, &error);
    }
    if (code == EXIT_FINE) code = make_torques(robot, &r, tau, file, &torques);
    if (code == EXIT_FINE && !args->robot.quiet) say_residuals(robot, torques);
    if (code == EXIT_FINE) code = write_table(torques, args->output);
    free(tau);
    arne_table_free(torques);
    arne_loads_free(loads);
    arne_recording_free(&r);
    return code;
}

// ---- muscles

// "TORQUE" or "JOINT=TORQUE" of --reserve, in their order.
static int take_reserves(const text_list *list, const arne_robot *robot, double *reserves)
{
    const int v = arne_robot_sizes(robot).v_count;
    for (int j = 0; j < v; j++)
        reserves[j] = 1;
    for (int i = 0; i < list->count; i++) {
        const char *equals = strrchr(list->text[i], '=');
        char     *name = equals ? need_copy(list->text[i], (size_t)(equals - list->text[i])) : NULL;
        const int joint = name ? arne_find_joint(robot, name) : -1;
        double    value = -1;
        free(name);
        if (equals && joint < 0)
            return fail_usage("--reserve: there is no joint of '%s'", list->text[i]);
        if (arne_parse_number(equals ? equals + 1 : list->text[i], &value) != ARNE_OK ||
            !(value >= 0))
            return fail_usage("--reserve: '%s' must be [JOINT=]TORQUE with a TORQUE that is not "
                              "negative",
                              list->text[i]);
        const arne_joint_info info = equals ? arne_robot_joint(robot, joint) : (arne_joint_info){0};
        const int             first = info.v_start, count = equals ? info.v_count : v;
        for (int j = first; j < first + count; j++)
            reserves[j] = value;
    }
    return EXIT_FINE;
}

// Which coordinates muscles move, as the recording starts: reserves matter there.
static void find_moved(const arne_robot *robot, const arne_recording *r, int *moved)
{
    const int  n = arne_muscle_count(robot), v = r->columns;
    arne_work *work = NULL;
    double    *arms = need((size_t)n * (size_t)v + 1, sizeof *arms);
    if (r->rows && !arne_work_new(robot, &work) &&
        !arne_muscle_moment_arms(robot, work, r->x, arms))
        for (int i = 0; i < n * v; i++)
            moved[i % v] |= fabs(arms[i]) > 1e-9;
    arne_work_free(work);
    free(arms);
}

// The muscle that is most active, and the joint whose reserve gives most.
static void say_muscles(const arne_robot *robot, const int *moved, const arne_table *t, int missed)
{
    static const char *const what[] = {"activation.", "rest."};
    for (int k = 0; k < 2; k++) {
        double most = -1, time = 0;
        int    at = -1;
        for (int c = 1; c < arne_table_columns(t); c++) {
            const char *name = arne_table_name(t, c);
            if (strncmp(name, what[k], strlen(what[k])) != 0) continue;
            name += strlen(what[k]);
            if (k == 1) {
                const arne_joint_info j = arne_robot_joint(robot, arne_find_joint(robot, name));
                if (!moved[j.v_start]) continue;
            }
            for (int r = 0; r < arne_table_rows(t); r++)
                if (fabs(arne_table_row(t, r)[c]) > most) {
                    most = fabs(arne_table_row(t, r)[c]);
                    time = arne_table_row(t, r)[0];
                    at = c;
                }
        }
        if (at < 0) continue;
        if (k == 0)
            say("%d frames; most active: %s, %.3f at %.3f s", arne_table_rows(t),
                arne_table_name(t, at) + strlen(what[k]), most, time);
        else
            say("largest reserve: %s, %.3g %s at %.3f s", arne_table_name(t, at) + strlen(what[k]),
                most, arne_table_unit(t, at), time);
    }
    if (missed)
        say("%d frames need more than muscles and reserves can give: allow more with --reserve",
            missed);
}

static int muscles(const motion_args *args, const arne_robot *robot, const char *file)
{
    arne_recording r = {0};
    arne_loads    *loads = NULL;
    arne_table    *table = NULL, *reactions = NULL;
    arne_error     error = {0};
    double        *reserves = need((size_t)arne_robot_sizes(robot).v_count + 1, sizeof *reserves);
    int            missed = 0, code = take_reserves(&args->reserve, robot, reserves);
    const arne_static_options how = {.size = sizeof how,
                                     .power = args->power.given ? args->power.value[0] : 2,
                                     .reserves = reserves,
                                     .passive = args->passive,
                                     .compliant = args->compliant,
                                     .opensim = args->opensim};
    if (code == EXIT_FINE) code = read_motion(args, robot, file, &r, &loads);
    if (code == EXIT_FINE) {
        const arne_status status = arne_recording_muscles(
            robot, &r, loads, &how, &table, args->reactions ? &reactions : NULL, &missed, &error);
        if (status) code = fail_error(file, status, &error);
    }
    if (code == EXIT_FINE && !args->robot.quiet) {
        int *moved = need((size_t)r.columns + 1, sizeof *moved);
        memset(moved, 0, (size_t)r.columns * sizeof *moved);
        find_moved(robot, &r, moved);
        say_muscles(robot, moved, table, missed);
        free(moved);
    }
    if (code == EXIT_FINE) code = write_table(table, args->output);
    if (code == EXIT_FINE && reactions) code = write_table(reactions, args->reactions);
    free(reserves);
    arne_table_free(table);
    arne_table_free(reactions);
    arne_loads_free(loads);
    arne_recording_free(&r);
    return code;
}

int cmd_motion(int argc, char **argv)
{
    motion_args args = {0};
    text_list   operands = {0};
    arne_robot *robot = NULL;
    int         code = options_parse(&motion, argc, argv, &args, &operands);
    if (code != OPTIONS_GO) return code;
    const char       *task = operands.text[0], *file = operands.text[2];
    const char *const tasks[] = {"scale", "track", "dynamics", "muscles"};
    int               index = 0;
    while (index < 4 && strcmp(tasks[index], task) != 0)
        index++;
    code = index < 4 ? load_robot(operands.text[1], &args.robot, NULL, &robot)
                     : fail_usage("there is no task '%s' (scale, track, dynamics, muscles)", task);
    if (code == EXIT_FINE)
        code = index == 0   ? scale(&args, robot, operands.text[1], file)
               : index == 1 ? track(&args, robot, file)
               : index == 2 ? dynamics(&args, robot, file)
                            : muscles(&args, robot, file);
    arne_robot_free(robot);
    options_free(&motion, &args, &operands);
    return code;
}
