// arne motion scale|track|reduce|dynamics|muscles ROBOT FILE: a model of the size of a person,
// coordinates from markers, a motion and masses that fit measured forces, torques of a motion with
// these forces, and the muscles that give them.
#include "csv_states.h"
#include "load.h"
#include "message.h"
#include "motion.h"
#include "output.h"
#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(motion_args, member)
static const option options[] = {
    TEXT("--setup", "FILE", setup,
         "scale: marker pairs and links, a setup file of OpenSim's scale tool"),
    TEXT("--tasks", "FILE", tasks,
         "track: weights of markers and coordinates, a task set or setup file of OpenSim's inverse "
         "kinematics (default: every marker weighs 1)"),
    TEXTS("--weight", "MARKER=W", weight, "track: another weight of a marker; repeatable"),
    TEXT("--errors", "FILE", errors, "track: a table with the error of each marker [m]"),
    TEXT("--torso", "LINK", torso,
         "reduce: masses may change, and the mass centre of this link (default: they stay)"),
    TEXT("--adjusted", "FILE", adjusted, "reduce: the robot with these masses"),
    NUMBERS("--residual", "N", residual,
            "reduce: a residual [N, N m] that weighs as much as --change (default: 0.5 % of body "
            "weight)",
            1),
    NUMBERS("--change", "X", change,
            "reduce: changes of coordinates of this size [rad, m] (default: 0.02)", 1),
    NUMBERS("--cutoff", "HZ", cutoff,
            "reduce, dynamics, muscles: cut-off of the low-pass filter (default: 6; 0: none)", 1),
    TEXT("--loads", "FILE", loads,
         "reduce, dynamics, muscles: measured forces, a file ExternalLoads"),
    TEXT("--forces", "FILE", forces, "reduce, dynamics, muscles: or a table of forces, for --load"),
    TEXTS("--load", "LINK=FORCE,POINT,TORQUE", load,
          "reduce, dynamics, muscles: columns of --forces that act on a link, without their x, y "
          "and z; repeatable"),
    FLAG("--open", robot.open,
         "dynamics: coordinates that a constraint of the model couples have torques of their own, "
         "as OpenSim's tool has them"),
    NUMBERS("--power", "P", power, "muscles: of activations in the sum (default: 2)", 1),
    TEXTS("--reserve", "[JOINT=]TORQUE", reserve,
          "muscles: torque or force of a reserve actuator at control 1, of a joint or of all "
          "(default: 1 of all; 0: none); repeatable"),
    FLAG("--passive", passive, "muscles: fibres pull passively too"),
    FLAG("--compliant", compliant, "muscles: tendons stretch"),
    FLAG("--opensim", opensim,
         "muscles: accelerations and pennation of Millard's muscles as OpenSim's tool has them"),
    TEXT("--reactions", "FILE", reactions,
         "muscles: a table of the forces and moments in the joints, with muscles in them"),
    ROBOT_OPTIONS,
    OPTION_OUTPUT,
    OPTION_END,
};
#undef AT

static const command motion = {
    "motion",
    "TASK ROBOT FILE",
    "Recorded motions of people. TASK is scale (the robot in the size of a person, FILE is a "
    "static\n"
    "trial, a .trc), track (coordinates from markers, a .trc), dynamics (torques of coordinates\n"
    "over time, a .mot, .sto or CSV), muscles (activations of least sum that give these torques,\n"
    "forces and powers) or reduce (the motion that is least changed so that residuals are small).\n"
    "Tables are written as their ending says: .csv, .mot or .sto.",
    3,
    3,
    options,
    NULL};

int motion_write(const arne_table *table, const char *path)
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

// The marker that is missing longest, where that is half a second or more.
static void say_gap(const arne_table *errors, const char *file)
{
    double longest = 0, since = 0;
    int    at = 0;
    for (int c = 1; c < arne_table_columns(errors); c++) {
        int first = -1;
        for (int r = 0; r < arne_table_rows(errors); r++) {
            const double *row = arne_table_row(errors, r);
            if (!isnan(row[c])) first = -1;
            if (isnan(row[c]) && first < 0) first = r;
            const double start = first < 0 ? row[0] : arne_table_row(errors, first)[0];
            if (row[0] - start <= longest) continue;
            longest = row[0] - start;
            since = start;
            at = c;
        }
    }
    if (longest >= 0.5)
        say("%s: %s is missing longest, for %.3g s from %.6g s on; what no other marker sees stays",
            file, arne_table_name(errors, at), longest, since);
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
    say_gap(errors, file);
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
        const int written = motion_write(coordinates, args->output);
        if (code == EXIT_FINE) code = written;
    }
    if (errors && args->errors && code == EXIT_FINE) code = motion_write(errors, args->errors);
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

static void say_residuals(const arne_robot *robot, const arne_table *torques)
{
    for (int c = 1; c < arne_table_columns(torques); c++) {
        const char *name = strchr(arne_table_name(torques, c), '.') + 1;
        const char *unit = arne_table_unit(torques, c);
        double      sum = 0, most = 0;
        for (int r = 0; r < arne_table_rows(torques); r++) {
            const double x = arne_table_row(torques, r)[c];
            sum += x * x;
            most = fmax(most, fabs(x));
        }
        if (arne_joint_is_residual(robot, arne_find_joint(robot, name)))
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
int motion_read(const motion_args *args, const arne_robot *robot, const char *file,
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
    int            code = motion_read(args, robot, file, &r, &loads);
    if (code == EXIT_FINE) {
        tau = need((size_t)r.rows * (size_t)r.columns + 1, sizeof *tau);
        const arne_status status = arne_recording_dynamics(robot, &r, loads, tau, &error);
        if (status) code = fail_error(file, status, &error);
    }
    if (code == EXIT_FINE) code = make_torques(robot, &r, tau, file, &torques);
    if (code == EXIT_FINE && !args->robot.quiet) say_residuals(robot, torques);
    if (code == EXIT_FINE) code = motion_write(torques, args->output);
    free(tau);
    arne_table_free(torques);
    arne_loads_free(loads);
    arne_recording_free(&r);
    return code;
}

// ---- reduce

// The robot of the file with other masses.
static int write_model(const char *path, const char *link, const arne_reduction *found,
                       const char *to)
{
    arne_builder *builder = NULL;
    arne_error    error = {0};
    arne_status   status = arne_builder_new(&builder);
    if (!status) status = arne_read(builder, path, &error);
    if (!status)
        status = arne_builder_adjust_masses(builder, found->factor, link, found->shift, &error);
    if (!status) status = arne_builder_write(builder, to, NULL, NULL, &error);
    arne_builder_free(builder);
    return status ? fail_error(to, status, &error) : EXIT_FINE;
}

// Columns time and q, and how far coordinates moved.
static arne_status make_motion(const arne_robot *robot, const arne_recording *r, arne_table **out)
{
    const size_t n = (size_t)r->columns;
    double      *row = need(n + 1, sizeof *row);
    arne_status  status = arne_table_new(out);
    if (!status) status = arne_table_add_column(*out, "time", "s");
    for (int j = 0; j < arne_robot_sizes(robot).joint_count && !status; j++) {
        const arne_joint_info joint = arne_robot_joint(robot, j);
        char                  name[400];
        snprintf(name, sizeof name, "q.%s", joint.name);
        if (joint.v_count)
            status =
                arne_table_add_column(*out, name, joint.kind == ARNE_JOINT_PRISMATIC ? "m" : "rad");
    }
    for (int i = 0; i < r->rows && !status; i++) {
        int at = 0;
        row[at++] = r->time[i];
        for (int j = 0; j < arne_robot_sizes(robot).joint_count; j++) {
            const arne_joint_info joint = arne_robot_joint(robot, j);
            if (joint.v_count) row[at++] = r->x[(size_t)i * n + (size_t)joint.q_start];
        }
        status = arne_table_append(*out, row);
    }
    free(row);
    return status;
}

static void say_changes(const arne_robot *robot, const arne_recording *from,
                        const arne_reduction *found, const char *link)
{
    if (link)
        say("masses times %.4f; the mass centre of %s moves by %.4f %.4f %.4f m", found->factor,
            link, found->shift.x, found->shift.y, found->shift.z);
    for (int j = 0; j < arne_robot_sizes(robot).joint_count; j++) {
        const arne_joint_info joint = arne_robot_joint(robot, j);
        double                sum = 0, most = 0;
        for (int r = 0; r < from->rows && joint.v_count; r++) {
            const int    at = r * from->columns + joint.q_start;
            const double x = found->motion.x[at] - from->x[at];
            sum += x * x;
            most = fmax(most, fabs(x));
        }
        const int    slides = joint.kind == ARNE_JOINT_PRISMATIC;
        const double unit = slides ? 1000 : 57.29577951308232;
        if (joint.v_count)
            say("%s changes: rms %.3g %s, most %.3g", joint.name, unit * sqrt(sum / from->rows),
                slides ? "mm" : "degrees", unit * most);
    }
}

static int reduce(const motion_args *args, const arne_robot *robot, const char *path,
                  const char *file)
{
    arne_recording         r = {0};
    arne_loads            *loads = NULL;
    arne_table            *table = NULL;
    arne_reduction         found = {0};
    arne_error             error = {0};
    arne_reduction_options how = {.link = args->torso};
    if (args->residual.given) how.residual = args->residual.value[0];
    if (args->change.given) how.angle = how.shift = args->change.value[0];
    if (args->adjusted && !args->torso)
        return fail_usage("--adjusted needs --torso: masses stay without it");
    if ((args->residual.given && !(how.residual > 0)) || (args->change.given && !(how.angle > 0)))
        return fail_usage("--residual and --change must be positive");
    int code = motion_read(args, robot, file, &r, &loads);
    if (code == EXIT_FINE) {
        arne_status status = arne_recording_reduce(robot, &r, loads, &how, &found, &error);
        if (!status) status = make_motion(robot, &found.motion, &table);
        if (status) code = fail_error(file, status, &error);
    }
    if (code == EXIT_FINE && !args->robot.quiet) say_changes(robot, &r, &found, args->torso);
    if (code == EXIT_FINE && args->adjusted)
        code = write_model(path, args->torso, &found, args->adjusted);
    if (code == EXIT_FINE) code = motion_write(table, args->output);
    arne_table_free(table);
    arne_loads_free(loads);
    arne_recording_free(&found.motion);
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
    const char *const tasks[] = {"scale", "track", "dynamics", "muscles", "reduce"};
    int               index = 0;
    while (index < 5 && strcmp(tasks[index], task) != 0)
        index++;
    code = index < 5 ? load_robot(operands.text[1], &args.robot, NULL, &robot)
                     : fail_usage("there is no task '%s' (scale, track, dynamics, muscles, reduce)",
                                  task);
    if (code == EXIT_FINE)
        code = index == 0   ? scale(&args, robot, operands.text[1], file)
               : index == 1 ? track(&args, robot, file)
               : index == 2 ? dynamics(&args, robot, file)
               : index == 3 ? motion_muscles(&args, robot, file)
                            : reduce(&args, robot, operands.text[1], file);
    arne_robot_free(robot);
    options_free(&motion, &args, &operands);
    return code;
}
