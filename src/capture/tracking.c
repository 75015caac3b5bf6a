// Tables of markers: which frames of the robot they are, what they weigh, and the motion.
#include "base/error.h"
#include "base/options.h"
#include "capture/capture.h"
#include "motion/motion_columns.h"
#include <arne/io.h>
#include <arne/loop.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tracking {
    const arne_robot *robot;
    const arne_table *table;
    int               count, time;
    arne_marker      *markers;
    int (*column)[3];
    const char **names;             // as the table says them
    double      *weights, *targets; // of coordinates: v_count, q_count
    arne_error  *error;
} tracking;

// The name of a marker's frame without the end that it has where a body is called so too.
static size_t tracking_name_size(const char *frame)
{
    static const char end[] = ".marker";
    const size_t      size = strlen(frame), tail = sizeof end - 1;
    return size > tail && strcmp(frame + size - tail, end) == 0 ? size - tail : size;
}

static int tracking_find_columns(const arne_table *table, const char *name, int size, int out[3])
{
    char column[400];
    for (int k = 0; k < 3; k++) {
        snprintf(column, sizeof column, "%.*s.%c", size, name, 'x' + k);
        out[k] = arne_table_find(table, column);
        if (out[k] < 0) return 0;
    }
    return 1;
}

// All frames that the table has columns for. A link counts where no marker has its name.
static arne_status tracking_find(tracking *t)
{
    const int frames = arne_robot_sizes(t->robot).frame_count;
    t->markers = malloc(((size_t)frames + 1) * sizeof *t->markers);
    t->column = malloc(((size_t)frames + 1) * sizeof *t->column);
    t->names = malloc(((size_t)frames + 1) * sizeof *t->names);
    if (!t->markers || !t->column || !t->names) return arne_fail_memory(t->error);
    for (int f = 0; f < frames; f++) {
        const arne_frame_info info = arne_robot_frame(t->robot, f);
        const int             size = (int)tracking_name_size(info.name);
        if (info.is_link || !tracking_find_columns(t->table, info.name, size, t->column[t->count]))
            continue;
        t->names[t->count] = info.name;
        t->markers[t->count++] = (arne_marker){f, 1};
    }
    t->time = arne_table_find(t->table, "time");
    if (t->time < 0)
        return arne_fail(t->error, ARNE_VALUE, NULL, arne_table_line(t->table, -1),
                         "there is no column 'time'");
    if (t->count) return ARNE_OK;
    return arne_fail(t->error, ARNE_NOT_FOUND, NULL, arne_table_line(t->table, -1),
                     "no frame of the robot is a marker of the table (columns NAME.x, NAME.y, "
                     "NAME.z)");
}

static int tracking_marker(const tracking *t, const char *name)
{
    const size_t size = strlen(name);
    for (int i = 0; i < t->count; i++)
        if (tracking_name_size(t->names[i]) == size && strncmp(t->names[i], name, size) == 0)
            return i;
    return -1;
}

// ---- weights

static arne_status tracking_coordinate(tracking *t, capture_file *f, const xml_node *task,
                                       double weight)
{
    const char *name = xml_node_get(task, "name");
    const int   joint = name ? arne_find_joint(t->robot, name) : -1;
    if (capture_file_is(f, task, "value_type", "from_file"))
        return xml_node_fail(&f->reader, ARNE_UNSUPPORTED, task,
                             "values of coordinates from a file are not read");
    if (joint < 0)
        return xml_node_fail(&f->reader, ARNE_NOT_FOUND, task, "the robot has no coordinate '%s'",
                             name ? name : "");
    const arne_joint_info j = arne_robot_joint(t->robot, joint);
    if (j.v_count != 1) return ARNE_OK; // it follows others
    t->weights[j.v_start] = weight;
    return capture_file_is(f, task, "value_type", "manual_value")
               ? capture_file_number(f, task, "value", &t->targets[j.q_start])
               : ARNE_OK;
}

static arne_status tracking_task(tracking *t, capture_file *f, const xml_node *task)
{
    double            weight = 1;
    const char       *name = xml_node_get(task, "name");
    const int         marker = name ? tracking_marker(t, name) : -1;
    const arne_status status = capture_file_number(f, task, "weight", &weight);
    if (status || capture_file_is(f, task, "apply", "false")) return status;
    if (!(weight >= 0) || !isfinite(weight))
        return xml_node_fail(&f->reader, ARNE_VALUE, task, "the weight %g is not positive", weight);
    if (strcmp(task->tag, "IKCoordinateTask") == 0) return tracking_coordinate(t, f, task, weight);
    if (marker >= 0) t->markers[marker].weight = weight; // else the table lacks it
    return ARNE_OK;
}

static arne_status tracking_tasks(tracking *t, capture_file *f, const xml_node *node, int *count)
{
    arne_status status = ARNE_OK;
    for (const xml_node *c = node->first; c && !status; c = c->next) {
        if (strcmp(c->tag, "IKMarkerTask") == 0 || strcmp(c->tag, "IKCoordinateTask") == 0) {
            status = tracking_task(t, f, c);
            ++*count;
        } else {
            status = tracking_tasks(t, f, c, count);
        }
    }
    return status;
}

static arne_status tracking_read_tasks(tracking *t, const char *path)
{
    capture_file f;
    arne_error   own = {0};
    int          count = 0;
    for (int i = 0; i < t->count; i++)
        t->markers[i].weight = 0;
    arne_status status = capture_file_open(&f, path, &own);
    if (!status) status = tracking_tasks(t, &f, f.tree.root, &count);
    if (!status && !count)
        status = xml_node_fail(&f.reader, ARNE_VALUE, f.tree.root,
                               "there is no IKMarkerTask or IKCoordinateTask");
    if (status && t->error) *t->error = own;
    capture_file_close(&f);
    return status;
}

static const char *tracking_marker_name(const void *context, int index)
{
    return ((const tracking *)context)->names[index];
}

static arne_status tracking_weights(tracking *t, const arne_tracking_options *o)
{
    const arne_sizes sizes = arne_robot_sizes(t->robot);
    t->weights = calloc((size_t)sizes.v_count + 1, sizeof *t->weights);
    t->targets = calloc((size_t)sizes.q_count + 1, sizeof *t->targets);
    if (!t->weights || !t->targets) return arne_fail_memory(t->error);
    arne_start_configuration(t->robot, t->targets);
    if (!o) return ARNE_OK;
    const arne_status status = o->tasks ? tracking_read_tasks(t, o->tasks) : ARNE_OK;
    for (int i = 0; i < o->count && !status; i++) {
        const int marker = tracking_marker(t, o->names[i]);
        char      near[400];
        if (marker < 0)
            return arne_fail(t->error, ARNE_NOT_FOUND, NULL, 0,
                             "there is no marker '%s' in both robot and table%s", o->names[i],
                             arne_near_matches(o->names[i], tracking_marker_name, t, t->count, near,
                                               sizeof near));
        t->markers[marker].weight = o->weights[i];
    }
    return status;
}

// ---- the motion

static arne_status tracking_errors(const tracking *t, const double *errors, arne_table **out)
{
    double     *row = malloc(((size_t)t->count + 1) * sizeof *row);
    arne_status status = row ? arne_table_new(out) : ARNE_NO_MEMORY;
    if (!status) status = arne_table_add_column(*out, "time", "s");
    for (int i = 0; i < t->count && !status; i++) {
        char name[300];
        snprintf(name, sizeof name, "%.*s", (int)tracking_name_size(t->names[i]), t->names[i]);
        status = arne_table_add_column(*out, name, "m");
    }
    for (int r = 0; r < arne_table_rows(t->table) && !status; r++) {
        row[0] = arne_table_row(t->table, r)[t->time];
        memcpy(row + 1, errors + (size_t)r * (size_t)t->count, (size_t)t->count * sizeof *row);
        status = arne_table_append(*out, row);
    }
    free(row);
    return status;
}

static arne_status tracking_coordinates(const tracking *t, const double *q, arne_table **out)
{
    const size_t n = (size_t)arne_robot_sizes(t->robot).q_count;
    double      *row = malloc((n + 1) * sizeof *row);
    arne_status  status = row ? arne_table_new(out) : ARNE_NO_MEMORY;
    if (!status) status = arne_table_add_column(*out, "time", "s");
    if (!status) status = arne_columns_add(t->robot, "q", 0, *out);
    for (int r = 0; r < arne_table_rows(t->table) && !status; r++) {
        row[0] = arne_table_row(t->table, r)[t->time];
        memcpy(row + 1, q + (size_t)r * n, n * sizeof *row);
        status = arne_table_append(*out, row);
    }
    free(row);
    return status;
}

static arne_status tracking_run(tracking *t, double tolerance, arne_table **coordinates,
                                arne_table **errors)
{
    const size_t              rows = (size_t)arne_table_rows(t->table), n = (size_t)t->count;
    const size_t              width = (size_t)arne_robot_sizes(t->robot).q_count;
    double                   *m = malloc((3 * rows * n + 1) * sizeof *m);
    double                   *q = malloc((rows * width + 1) * sizeof *q);
    double                   *off = malloc((rows * n + 1) * sizeof *off);
    arne_status               status = m && q && off ? ARNE_OK : ARNE_NO_MEMORY, found = ARNE_OK;
    const arne_marker_options how = {
        .tolerance = tolerance, .weights = t->weights, .targets = t->targets};
    for (size_t r = 0; r < rows && !status; r++)
        for (size_t i = 0; i < 3 * n; i++)
            m[3 * n * r + i] = arne_table_row(t->table, (int)r)[t->column[i / 3][i % 3]];
    if (!status) memcpy(q, t->targets, width * sizeof *q);
    if (!status)
        found = arne_marker_kinematics(t->robot, t->markers, t->count, (int)rows, m, &how, q, off,
                                       t->error);
    if (found && found != ARNE_NOT_CONVERGED) status = found;
    if (!status) status = tracking_coordinates(t, q, coordinates);
    if (!status && errors) status = tracking_errors(t, off, errors);
    free(m);
    free(q);
    free(off);
    return status == ARNE_NO_MEMORY ? arne_fail_memory(t->error) : status ? status : found;
}

arne_status arne_track(const arne_robot *robot, const arne_table *markers,
                       const arne_tracking_options *options, arne_table **coordinates,
                       arne_table **errors, arne_error *error)
{
    arne_tracking_options own = {0};
    tracking              t = {.robot = robot, .table = markers, .error = error};
    arne_error_clear(error);
    if (!robot || !markers || !coordinates) return arne_fail_null(error);
    *coordinates = NULL;
    if (errors) *errors = NULL;
    if (options && !options_take(&own, sizeof own, OPTIONS_FIRST(arne_tracking_options), options))
        return options_refuse(error);
    arne_status status = arne_table_rows(markers) > 0
                             ? tracking_find(&t)
                             : arne_fail(error, ARNE_VALUE, NULL, arne_table_line(markers, -1),
                                         "the table has no rows");
    if (!status) status = tracking_weights(&t, &own);
    if (!status) status = tracking_run(&t, own.tolerance, coordinates, errors);
    free(t.markers);
    free(t.column);
    free(t.names);
    free(t.weights);
    free(t.targets);
    if (status && status != ARNE_NOT_CONVERGED) {
        arne_table_free(*coordinates);
        *coordinates = NULL;
        if (errors) arne_table_free(*errors), *errors = NULL;
    }
    return status;
}
