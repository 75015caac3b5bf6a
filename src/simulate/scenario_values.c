// Pieces that the sections of a scenario share: values by joint, files, frames, places of errors.
#include "base/error.h"
#include "io/run_folder.h"
#include "simulate/scenario.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

yaml_slot scenario_slot(arne_scenario *s, const char *owner, const char *key,
                        const yaml_node *value)
{
    return (yaml_slot){&s->reader, owner, key, value};
}

arne_status scenario_keep(const yaml_slot *slot, void *node)
{
    *(const yaml_node **)node = slot->value;
    return ARNE_OK;
}

arne_status scenario_positive(const yaml_slot *slot, void *number)
{
    double           *out = number;
    const arne_status status = arne_yaml_number(slot, out);
    if (status || (*out > 0 && isfinite(*out))) return status;
    return arne_yaml_fail(slot, ARNE_VALUE, "must be positive, not %s", slot->value->text);
}

arne_status scenario_place(const yaml_slot *slot, arne_status status)
{
    arne_error *error = slot->reader->error;
    if (status == ARNE_OK || !error || error->file[0]) return status;
    char text[sizeof error->text];
    snprintf(text, sizeof text, "%s", error->code ? error->text : arne_status_text(status));
    return arne_reader_fail(slot->reader, status, slot->value->line, "%s%s%s", slot->owner,
                            *slot->owner ? ": " : "", text);
}

double *scenario_doubles(arne_scenario *s, int count)
{
    return arne_yaml_take(&s->tree, (size_t)(count + 1) * sizeof(double));
}

arne_status scenario_add_file(const yaml_slot *slot, arne_scenario *s, const char **path)
{
    const char *said = NULL;
    arne_status status = arne_yaml_text(slot, &said);
    if (status) return status;
    const size_t   count = (size_t)s->file_count + 1;
    scenario_file *files = realloc(s->files, count * sizeof *files);
    if (files) s->files = files;
    arne_table **tables = files ? realloc(s->tables, count * sizeof *tables) : NULL;
    if (tables) s->tables = tables;
    char *full = tables ? arne_path_beside(s->path, said) : NULL;
    if (!full) return arne_fail_memory(slot->reader->error);
    tables[s->file_count] = NULL;
    files[s->file_count++] = (scenario_file){said, full, slot->value->line};
    *path = full;
    return ARNE_OK;
}

arne_status scenario_table(const yaml_slot *slot, arne_scenario *s, const arne_table **out)
{
    const char *path = NULL;
    arne_status status = scenario_add_file(slot, s, &path);
    if (status) return status;
    status = arne_table_read_csv(path, &s->tables[s->file_count - 1], slot->reader->error);
    *out = s->tables[s->file_count - 1];
    return scenario_place(slot, status);
}

arne_status scenario_frame(const yaml_slot *slot, const arne_robot *robot, int *frame)
{
    const char       *name = NULL;
    const arne_status status = arne_yaml_text(slot, &name);
    if (status) return status;
    *frame = arne_find_frame(robot, name);
    if (*frame >= 0) return ARNE_OK;
    return arne_yaml_fail(slot, ARNE_NOT_FOUND, "'%.80s' is no link or frame of robot '%.80s'",
                          name, arne_robot_name(robot));
}

// ---- values by joint ----

typedef struct counts {
    int all, base, theta;
} counts;

static counts count_values(const arne_robot *robot, values_of which)
{
    const arne_sizes size = arne_robot_sizes(robot);
    const int        is_free = arne_robot_base(robot) == ARNE_BASE_FREE;
    return which == VALUES_Q ? (counts){size.q_count, is_free ? 7 : 0, size.theta_count}
                             : (counts){size.v_count, is_free ? 6 : 0, size.theta_count};
}

static void follow_joints(const arne_robot *robot, values_of which, double *out)
{
    for (int m = 0; m < arne_robot_sizes(robot).motor_count; m++) {
        const arne_motor_info motor = arne_robot_motor(robot, m);
        const arne_joint_info joint = arne_robot_joint(robot, motor.joint);
        if (motor.v_index < 0) continue;
        if (which == VALUES_Q)
            out[motor.q_index] = out[joint.q_start];
        else
            out[motor.v_index] = out[joint.v_start];
    }
}

// How many numbers the active joints of a robot with loops have, a free base aside; with `from` these are put to their places.
static int active_values(const arne_robot *robot, values_of which, const double *from, double *out)
{
    int count = 0;
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        const int             size = which == VALUES_Q ? j.q_count : j.v_count;
        if (j.passive || (j.v_start == 0 && arne_robot_base(robot) == ARNE_BASE_FREE)) continue;
        if (from && size)
            memcpy(out + (which == VALUES_Q ? j.q_start : j.v_start), from + count,
                   (size_t)size * sizeof *out);
        count += size;
    }
    return count;
}

// Numbers of the active joints alone, where loops move the others.
static arne_status read_active(const yaml_slot *slot, const arne_robot *robot, values_of which,
                               double *out)
{
    double     *given = calloc((size_t)slot->value->count + 1, sizeof *given);
    arne_status status = given ? arne_yaml_numbers(slot, slot->value->count, given)
                               : arne_fail_memory(slot->reader->error);
    if (!status) active_values(robot, which, given, out);
    free(given);
    return status;
}

static arne_status read_list(const yaml_slot *slot, const arne_robot *robot, values_of which,
                             const counts *n, double *out)
{
    const int given = slot->value->count, joints = n->all - n->base - n->theta;
    const int has_loops = arne_robot_sizes(robot).loop_count > 0;
    const int active = has_loops ? active_values(robot, which, NULL, NULL) : joints;
    if (given == n->all || given == n->all - n->theta || given == joints)
        return arne_yaml_numbers(slot, given, out + (given == joints ? n->base : 0));
    if (given == active) return read_active(slot, robot, which, out);
    if (has_loops)
        return arne_yaml_fail(slot, ARNE_VALUE,
                              "needs %d numbers, one for each joint, or %d of the active joints, "
                              "has %d",
                              joints, active, given);
    return arne_yaml_fail(slot, ARNE_VALUE, "needs %d numbers, one for each joint, has %d", joints,
                          given);
}

static arne_status read_entry(const yaml_slot *slot, const arne_robot *robot, values_of which,
                              double *out)
{
    const int j = arne_find_joint(robot, slot->key);
    if (j < 0)
        return arne_yaml_fail(slot, ARNE_NOT_FOUND, "is no joint of robot '%.80s' that moves",
                              arne_robot_name(robot));
    const arne_joint_info info = arne_robot_joint(robot, j);
    const int             count = which == VALUES_Q ? info.q_count : info.v_count;
    double               *into = out + (which == VALUES_Q ? info.q_start : info.v_start);
    if (count == 0)
        return arne_yaml_fail(slot, ARNE_VALUE, "follows another joint and has no value");
    return slot->value->kind == YAML_LIST ? arne_yaml_numbers(slot, count, into)
           : count == 1                   ? arne_yaml_number(slot, into)
                                          : arne_yaml_expect(slot, YAML_LIST);
}

arne_status scenario_values(const yaml_slot *slot, const arne_robot *robot, values_of which,
                            double *out)
{
    const counts n = count_values(robot, which);
    arne_status  status = ARNE_OK;
    if (slot->value->kind == YAML_TEXT) {
        double value;
        status = arne_yaml_number(slot, &value);
        for (int i = n.base; i < n.all && !status; i++)
            out[i] = value;
        return status;
    }
    if (slot->value->kind == YAML_LIST) {
        status = read_list(slot, robot, which, &n, out);
        if (!status && slot->value->count < n.all) follow_joints(robot, which, out);
        return status;
    }
    for (const yaml_item *i = slot->value->first; i && !status; i = i->next) {
        const yaml_slot entry = {slot->reader, slot->owner, i->key, i->value};
        status = read_entry(&entry, robot, which, out);
    }
    if (!status) follow_joints(robot, which, out);
    return status;
}

int scenario_names_all(const yaml_node *value, const arne_robot *robot)
{
    const arne_sizes size = arne_robot_sizes(robot);
    int              named = 0, moving = 0;
    if (value->kind == YAML_LIST)
        return value->count != active_values(robot, VALUES_Q, NULL, NULL) ||
               active_values(robot, VALUES_Q, NULL, NULL) == size.q_count;
    for (const yaml_item *i = value->first; i; i = i->next)
        named++;
    for (int i = 0; i < size.joint_count; i++)
        moving += arne_robot_joint(robot, i).v_count > 0;
    return named >= moving;
}
