// Values of the joints of a robot (positions, velocities, torques): a list, or a map by joint name.
#include "io/schema.h"
#include <arne/configuration.h>
#include <arne/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct counts {
    int all, base, theta;
} counts;

static counts count_values(const arne_robot *robot, doc_along along)
{
    const arne_sizes size = arne_robot_sizes(robot);
    const int        is_free = arne_robot_base(robot) == ARNE_BASE_FREE;
    return along == DOC_ALONG_Q ? (counts){size.q_count, is_free ? 7 : 0, size.theta_count}
                                : (counts){size.v_count, is_free ? 6 : 0, size.theta_count};
}

static void doc_values_follow_joints(const arne_robot *robot, doc_along along, double *out)
{
    for (int m = 0; m < arne_robot_sizes(robot).motor_count; m++) {
        const arne_motor_info motor = arne_robot_motor(robot, m);
        const arne_joint_info joint = arne_robot_joint(robot, motor.joint);
        if (motor.v_index < 0) continue;
        if (along == DOC_ALONG_Q)
            out[motor.q_index] = out[joint.q_start];
        else
            out[motor.v_index] = out[joint.v_start];
    }
}

// The number of coordinates of the active joints of a robot with loops, without a free base. With
// `from`, also copies its numbers to the places of these coordinates.
static int active_values(const arne_robot *robot, doc_along along, const double *from, double *out,
                         unsigned char *given)
{
    int count = 0;
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        const int             size = along == DOC_ALONG_Q ? j.q_count : j.v_count;
        const int             start = along == DOC_ALONG_Q ? j.q_start : j.v_start;
        if (j.passive || (j.v_start == 0 && arne_robot_base(robot) == ARNE_BASE_FREE)) continue;
        if (from && size) memcpy(out + start, from + count, (size_t)size * sizeof *out);
        if (from && given) memset(given + start, 1, (size_t)size);
        count += size;
    }
    return count;
}

// Numbers of the active joints alone, where loops move the others.
static arne_status read_active(const doc_slot *slot, const arne_robot *robot, doc_along along,
                               double *out, unsigned char *given)
{
    double     *values = calloc((size_t)slot->value->count + 1, sizeof *values);
    arne_status status = values ? doc_numbers(slot, slot->value->count, values)
                                : arne_fail_memory(slot->reader->error);
    if (!status) active_values(robot, along, values, out, given);
    free(values);
    return status;
}

int doc_names_all(const doc_node *value, const arne_robot *robot)
{
    const arne_sizes size = arne_robot_sizes(robot);
    int              moving = 0;
    if (value->kind == DOC_LIST) {
        const int active = active_values(robot, DOC_ALONG_Q, NULL, NULL, NULL);
        return value->count != active || active == size.q_count;
    }
    for (int i = 0; i < size.joint_count; i++)
        moving += arne_robot_joint(robot, i).v_count > 0;
    return value->count >= moving;
}

static void mark_all(unsigned char *given, int first, int count)
{
    if (given) memset(given + first, 1, (size_t)count);
}

static arne_status doc_values_read_list(const doc_slot *slot, const arne_robot *robot,
                                        doc_along along, double *out, unsigned char *given)
{
    const counts n = count_values(robot, along);
    const int    has = slot->value->count, joints = n.all - n.base - n.theta;
    const int    first = has == joints ? n.base : 0;
    const int    has_loops = arne_robot_sizes(robot).loop_count > 0;
    const int    active = has_loops ? active_values(robot, along, NULL, NULL, NULL) : joints;
    const int    all = has == n.all || has == n.all - n.theta || has == joints;
    if (!all && has == active) return read_active(slot, robot, along, out, given);
    if (!all && has_loops)
        return doc_fail(slot, ARNE_VALUE,
                        "needs %d numbers, one for each joint, or %d of the active joints, has %d",
                        joints, active, has);
    if (!all)
        return doc_fail(slot, ARNE_VALUE, "needs %d numbers, one for each joint, has %d", joints,
                        has);
    const arne_status status = doc_numbers(slot, has, out + first);
    if (status) return status;
    mark_all(given, first, has);
    if (has < n.all) {
        doc_values_follow_joints(robot, along, out);
        mark_all(given, n.all - n.theta, n.theta);
    }
    return ARNE_OK;
}

static int is_part(const char *joint, const char *name)
{
    const size_t length = strlen(name);
    return !strncmp(joint, name, length) && joint[length] == '.' &&
           !strchr(joint + length + 1, '.');
}

int doc_mark_coordinates(const arne_robot *robot, const char *name, unsigned char *marked)
{
    const arne_sizes size = arne_robot_sizes(robot);
    int              count = 0;
    for (int i = 0; i < size.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (j.v_count != 1 || !(!strcmp(j.name, name) || is_part(j.name, name))) continue;
        marked[j.v_start] = 1;
        count++;
    }
    for (int i = 0; i < size.motor_count; i++) {
        const arne_motor_info m = arne_robot_motor(robot, i);
        char                  theta[320];
        snprintf(theta, sizeof theta, "theta.%.250s", arne_robot_joint(robot, m.joint).name);
        if (m.v_index < 0 || strcmp(theta, name) != 0) continue;
        marked[m.v_index] = 1;
        count++;
    }
    return count;
}

static const char *doc_values_joint_name(const void *robot, int index)
{
    return arne_robot_joint(robot, index).name;
}

static arne_status no_joint(const doc_slot *slot, const arne_robot *robot)
{
    char near[200];
    arne_near_matches(slot->key, doc_values_joint_name, robot, arne_robot_sizes(robot).joint_count,
                      near, sizeof near);
    return doc_fail(slot, ARNE_NOT_FOUND, "is no joint of robot '%.80s' that moves%s",
                    arne_robot_name(robot), near);
}

// The values of one joint of several coordinates, or one number for what a name stands for.
static arne_status doc_values_read_joint(const doc_slot *slot, const arne_robot *robot,
                                         doc_along along, const arne_joint_info *j, double *out,
                                         unsigned char *given)
{
    const int count = along == DOC_ALONG_Q ? j->q_count : j->v_count;
    const int start = along == DOC_ALONG_Q ? j->q_start : j->v_start;
    (void)robot;
    if (count == 0)
        return doc_fail(slot, ARNE_VALUE, "follows another joint and has no value of its own");
    mark_all(given, start, count);
    return slot->value->kind == DOC_LIST ? doc_numbers(slot, count, out + start)
           : count == 1                  ? doc_number(slot, out + start)
                                         : doc_expect(slot, DOC_LIST);
}

// Coordinates of velocities and of q differ where a joint has a quaternion; those that a chain or
// motor has do not.
static arne_status read_chain(const doc_slot *slot, const arne_robot *robot, doc_along along,
                              double *out, unsigned char *given)
{
    const arne_sizes size = arne_robot_sizes(robot);
    unsigned char   *marked = calloc((size_t)size.v_count + 1, 1);
    double           value = 0;
    if (!marked) return arne_fail_memory(slot->reader->error);
    arne_status status = doc_mark_coordinates(robot, slot->key, marked) ? doc_number(slot, &value)
                                                                        : no_joint(slot, robot);
    for (int i = 0; !status && i < size.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (j.v_count != 1 || !marked[j.v_start]) continue;
        const int at = along == DOC_ALONG_Q ? j.q_start : j.v_start;
        out[at] = value;
        mark_all(given, at, 1);
    }
    for (int i = 0; !status && i < size.motor_count; i++) {
        const arne_motor_info m = arne_robot_motor(robot, i);
        if (m.v_index < 0 || !marked[m.v_index]) continue;
        const int at = along == DOC_ALONG_Q ? m.q_index : m.v_index;
        out[at] = value;
        mark_all(given, at, 1);
    }
    free(marked);
    return status;
}

static arne_status read_map(const doc_slot *slot, const arne_robot *robot, doc_along along,
                            double *out, unsigned char *given)
{
    const char *const owner = *slot->key ? slot->key : slot->owner;
    arne_status       status = ARNE_OK;
    int               motors = 0;
    for (const doc_item *i = slot->value->first; i; i = i->next)
        motors |= strncmp(i->key, "theta.", 6) == 0;
    for (const doc_item *i = slot->value->first; i && status_goes_on(status); i = i->next) {
        const doc_slot  entry = {slot->reader, owner, i->key, i->value};
        const int       j = arne_find_joint(robot, i->key);
        arne_joint_info info;
        if (j >= 0) info = arne_robot_joint(robot, j);
        const arne_status one = j >= 0
                                    ? doc_values_read_joint(&entry, robot, along, &info, out, given)
                                    : read_chain(&entry, robot, along, out, given);
        status = status_both(status, one);
    }
    if (!status && !motors && !given) doc_values_follow_joints(robot, along, out);
    return status;
}

// Without a robot (its file has errors), only the form of the values is checked.
static arne_status doc_values_check_numbers(const doc_slot *slot)
{
    arne_status status = ARNE_OK;
    double      value;
    if (slot->value->kind == DOC_TEXT) return doc_number(slot, &value);
    for (const doc_item *i = slot->value->first; i && status_goes_on(status); i = i->next) {
        const doc_slot entry = {slot->reader, slot->owner, i->key ? i->key : slot->key, i->value};
        status = status_both(status, i->value->kind == DOC_MAP ? doc_expect(&entry, DOC_LIST)
                                                               : doc_values_check_numbers(&entry));
    }
    return status;
}

arne_status doc_values(const doc_slot *slot, const arne_robot *robot, doc_along along, double *out,
                       unsigned char *given)
{
    if (!robot) return doc_values_check_numbers(slot);
    if (slot->value->kind == DOC_LIST) return doc_values_read_list(slot, robot, along, out, given);
    if (slot->value->kind == DOC_MAP) return read_map(slot, robot, along, out, given);
    const counts n = count_values(robot, along);
    double       value = 0;
    arne_status  status = doc_number(slot, &value);
    if (!status && n.base == n.all)
        status = doc_fail(
            slot, ARNE_VALUE,
            "is one number, which is for joints, and a base has none: give %d numbers", n.all);
    for (int i = n.base; i < n.all && !status; i++)
        out[i] = value;
    if (!status) mark_all(given, n.base, n.all - n.base);
    return status;
}

arne_status doc_check_degrees(const doc_slot *slot, const arne_robot *robot, const double *q)
{
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        const double          at = j.q_count == 1 ? q[j.q_start] : 0;
        const arne_degrees    found = arne_joint_degrees(&j, at);
        if (found == ARNE_DEGREES_OUTSIDE)
            return doc_fail(slot, ARNE_VALUE,
                            "of joint '%.80s' is %g rad, far outside of its limits %g to %g; "
                            "degrees are written '%g deg'",
                            j.name, at, j.lower, j.upper, at);
        if (found == ARNE_DEGREES_PERHAPS)
            return arne_reader_warn_at(
                slot->reader, "degrees", slot->value->line, slot->value->column,
                "%s%s%s of joint '%.80s' is %g rad, more than two turns; degrees are written "
                "'%g deg'",
                slot->owner, *slot->owner ? ": " : "", slot->key, j.name, at, at);
    }
    return ARNE_OK;
}

static const char *doc_values_frame_name(const void *robot, int index)
{
    return arne_robot_frame(robot, index).name;
}

arne_status doc_frame(const doc_slot *slot, const arne_robot *robot, int *frame)
{
    const char       *name = NULL;
    char              near[200];
    const arne_status status = doc_text(slot, &name);
    if (status || !robot) return status;
    *frame = arne_find_frame(robot, name);
    if (*frame >= 0) return ARNE_OK;
    arne_near_matches(name, doc_values_frame_name, robot, arne_robot_sizes(robot).frame_count, near,
                      sizeof near);
    return doc_fail(slot, ARNE_NOT_FOUND, "'%.80s' is no link or frame of robot '%.80s'%s", name,
                    arne_robot_name(robot), near);
}

arne_status doc_joint(const doc_slot *slot, const arne_robot *robot, int *joint)
{
    const char       *name = NULL;
    char              near[200];
    const arne_status status = doc_text(slot, &name);
    if (status || !robot) return status;
    *joint = arne_find_joint(robot, name);
    if (*joint < 0) {
        arne_near_matches(name, doc_values_joint_name, robot, arne_robot_sizes(robot).joint_count,
                          near, sizeof near);
        return doc_fail(slot, ARNE_NOT_FOUND, "'%.80s' is no joint of robot '%.80s'%s", name,
                        arne_robot_name(robot), near);
    }
    const int count = arne_robot_joint(robot, *joint).v_count;
    if (count == 1) return ARNE_OK;
    return doc_fail(slot, ARNE_VALUE, "'%.80s' has %d coordinates of its own, not one", name,
                    count);
}
