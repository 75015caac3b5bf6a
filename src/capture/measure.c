// Factors of links from a static trial: distances of marker pairs over those of the model, as a
// setup file of OpenSim's scale tool says.
#include "base/error.h"
#include "base/plain.h"
#include "capture/capture.h"
#include "io/pose_math.h"
#include <arne/kinematics.h>
#include <arne/loop.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct measure {
    const arne_robot *robot;
    const arne_table *table;
    arne_work        *work;
    capture_file      file;
    double            range[2]; // of time
    arne_link_scale  *item;
    int               count;
} measure;

// The factors of a link, all 1 where it had none yet.
static arne_link_scale *measure_link(measure *m, const char *name)
{
    for (int i = 0; i < m->count; i++)
        if (strcmp(m->item[i].link, name) == 0) return &m->item[i];
    const int        frame = arne_find_frame(m->robot, name);
    arne_link_scale *item = realloc(m->item, ((size_t)m->count + 1) * sizeof *item);
    if (item) m->item = item;
    if (!item || frame < 0) return NULL;
    item[m->count] = (arne_link_scale){arne_robot_frame(m->robot, frame).name, {1, 1, 1}};
    return &item[m->count++];
}

// Where a marker is on average.
static arne_status measure_seen(measure *m, const xml_node *at, const char *name, arne_vec3 *out)
{
    const int time = arne_table_find(m->table, "time");
    double    sum[3] = {0};
    int       column[3], count = 0;
    for (int k = 0; k < 3; k++) {
        char text[300];
        snprintf(text, sizeof text, "%.280s.%c", name, 'x' + k);
        column[k] = arne_table_find(m->table, text);
        if (column[k] < 0)
            return xml_node_fail(&m->file.reader, ARNE_NOT_FOUND, at,
                                 "the static trial has no marker '%s'", name);
    }
    for (int r = 0; r < arne_table_rows(m->table); r++) {
        const double *row = arne_table_row(m->table, r);
        if (time >= 0 && !(row[time] >= m->range[0] && row[time] <= m->range[1])) continue;
        if (!isfinite(row[column[0]] + row[column[1]] + row[column[2]])) continue;
        for (int k = 0; k < 3; k++)
            sum[k] += row[column[k]];
        count++;
    }
    if (!count)
        return xml_node_fail(&m->file.reader, ARNE_VALUE, at,
                             "marker '%s' is missing in all frames of the static trial", name);
    *out = (arne_vec3){sum[0] / count, sum[1] / count, sum[2] / count};
    return ARNE_OK;
}

// The measured distance of two markers over that of the model as its file starts.
static arne_status measure_pair(measure *m, const xml_node *pair, double *ratio)
{
    const char *text = capture_file_text(&m->file, pair, "markers");
    char        name[2][200] = {"", ""};
    arne_vec3   seen[2], own[2];
    if (!text || sscanf(text, "%199s %199s", name[0], name[1]) != 2)
        return xml_node_fail(&m->file.reader, ARNE_VALUE, pair, "needs two markers");
    for (int i = 0; i < 2; i++) {
        char      other[210];
        const int plain = arne_find_frame(m->robot, name[i]);
        snprintf(other, sizeof other, "%.199s.marker", name[i]);
        const int frame =
            arne_find_frame(m->robot, other) >= 0 ? arne_find_frame(m->robot, other) : plain;
        const arne_status status = measure_seen(m, pair, name[i], &seen[i]);
        if (status) return status;
        if (frame < 0)
            return xml_node_fail(&m->file.reader, ARNE_NOT_FOUND, pair,
                                 "the robot has no marker '%s'", name[i]);
        own[i] = arne_frame_pose(m->robot, m->work, frame).p;
    }
    const double model = vec_norm(vec_add(own[1], vec_scale(-1, own[0])));
    if (!(model > 1e-9))
        return xml_node_fail(&m->file.reader, ARNE_VALUE, pair,
                             "markers '%s' and '%s' of the model coincide", name[0], name[1]);
    *ratio = vec_norm(vec_add(seen[1], vec_scale(-1, seen[0]))) / model;
    return ARNE_OK;
}

static const xml_node *measure_items(const xml_node *node, const char *tag)
{
    const xml_node *set = node ? xml_node_child(node, tag) : NULL;
    const xml_node *objects = set ? xml_node_child(set, "objects") : NULL;
    return objects ? objects->first : set ? set->first : NULL;
}

static arne_status measure_links(measure *m, const xml_node *measurement, double factor)
{
    for (const xml_node *c = measure_items(measurement, "BodyScaleSet"); c; c = c->next) {
        const char *name = xml_node_get(c, "name"), *axes = capture_file_text(&m->file, c, "axes");
        if (strcmp(c->tag, "BodyScale") != 0) continue;
        arne_link_scale *link = name ? measure_link(m, name) : NULL;
        if (!link)
            return xml_node_fail(&m->file.reader, ARNE_NOT_FOUND, c, "the robot has no link '%s'",
                                 name ? name : "");
        for (const char *p = axes; p && *p; p++) {
            const int axis = plain_lower(*p) - 'x';
            if (axis >= 0 && axis < 3) (&link->factor.x)[axis] = factor;
        }
    }
    return ARNE_OK;
}

static arne_status measure_measurements(measure *m, const xml_node *scaler)
{
    arne_status status = ARNE_OK;
    for (const xml_node *c = measure_items(scaler, "MeasurementSet"); c && !status; c = c->next) {
        double sum = 0, ratio = 1;
        int    count = 0;
        if (strcmp(c->tag, "Measurement") != 0 || capture_file_is(&m->file, c, "apply", "false"))
            continue;
        for (const xml_node *p = measure_items(c, "MarkerPairSet"); p && !status; p = p->next) {
            if (strcmp(p->tag, "MarkerPair") != 0) continue;
            status = measure_pair(m, p, &ratio);
            sum += ratio;
            count++;
        }
        if (!status && count) status = measure_links(m, c, sum / count);
    }
    return status;
}

// Factors that are given for a segment.
static arne_status measure_manual(measure *m, const xml_node *scaler)
{
    arne_status status = ARNE_OK;
    for (const xml_node *c = measure_items(scaler, "ScaleSet"); c && !status; c = c->next) {
        const xml_node *scales = xml_node_child(c, "scales");
        const char     *name = capture_file_text(&m->file, c, "segment");
        double          s[3];
        int             count;
        if (!scales || !name || capture_file_is(&m->file, c, "apply", "false")) continue;
        arne_link_scale *link = measure_link(m, name);
        if (!link)
            return xml_node_fail(&m->file.reader, ARNE_NOT_FOUND, c, "the robot has no link '%s'",
                                 name);
        status =
            xml_node_numbers(&m->file.reader, scales, "the text", scales->text, 3, 3, s, &count);
        if (!status) link->factor = (arne_vec3){s[0], s[1], s[2]};
    }
    return status;
}

static const xml_node *measure_find(const xml_node *node, const char *tag)
{
    for (const xml_node *c = node ? node->first : NULL; c; c = c->next) {
        const xml_node *found = strcmp(c->tag, tag) == 0 ? c : measure_find(c, tag);
        if (found) return found;
    }
    return NULL;
}

static arne_status measure_all(measure *m, double *mass, int *keep_masses)
{
    const xml_node *scaler = measure_find(m->file.tree.root, "ModelScaler");
    const xml_node *tool = measure_find(m->file.tree.root, "ScaleTool");
    const xml_node *range = scaler ? xml_node_child(scaler, "time_range") : NULL;
    const char     *order = scaler ? capture_file_text(&m->file, scaler, "scaling_order") : NULL;
    arne_status     status = ARNE_OK;
    int             count;
    if (!scaler)
        return xml_node_fail(&m->file.reader, ARNE_VALUE, m->file.tree.root,
                             "there is no <ModelScaler>");
    *keep_masses = capture_file_is(&m->file, scaler, "preserve_mass_distribution", "true");
    if (tool) status = capture_file_number(&m->file, tool, "mass", mass);
    if (!(*mass > 0)) *mass = 0; // -1: as the model
    if (!status && range && *range->text)
        status = xml_node_numbers(&m->file.reader, range, "the text", range->text, 2, 2, m->range,
                                  &count);
    if (!order) order = "measurements manualScale";
    const char *measured = strstr(order, "measurements"), *manual = strstr(order, "manualScale");
    if (!status && measured && (!manual || measured < manual))
        status = measure_measurements(m, scaler);
    if (!status && manual) status = measure_manual(m, scaler);
    if (!status && measured && manual && manual < measured)
        status = measure_measurements(m, scaler);
    return status;
}

arne_status arne_scale_measure(const arne_robot *robot, const arne_table *markers,
                               const char *setup, arne_link_scale **out, int *count, double *mass,
                               int *keep_masses, arne_error *error)
{
    arne_error_clear(error);
    if (!robot || !markers || !setup || !out || !count || !mass || !keep_masses)
        return arne_fail_null(error);
    measure     m = {.robot = robot, .table = markers, .range = {-INFINITY, INFINITY}};
    arne_error  own = {0};
    double     *q = malloc(((size_t)arne_robot_sizes(robot).q_count + 1) * sizeof *q);
    arne_status status = q ? arne_work_new(robot, &m.work) : ARNE_NO_MEMORY;
    *out = NULL;
    *count = 0;
    *mass = 0;
    if (status) return free(q), arne_fail_memory(error);
    arne_start_configuration(robot, q);
    arne_kinematics(robot, m.work, q, NULL, NULL);
    status = capture_file_open(&m.file, setup, &own);
    if (!status) status = measure_all(&m, mass, keep_masses);
    if (status && error) *error = own;
    capture_file_close(&m.file);
    arne_work_free(m.work);
    free(q);
    if (status) return free(m.item), status;
    *out = m.item;
    *count = m.count;
    return ARNE_OK;
}
