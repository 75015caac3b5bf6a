#include "motion/motion_columns.h"

#include "base/error.h"
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

int arne_column_name(const char *part, const char *joint, int k, int count, char *out, size_t size)
{
    const int length = count == 1 ? snprintf(out, size, "%s.%s", part, joint)
                                  : snprintf(out, size, "%s.%s.%d", part, joint, k);
    return length >= 0 && (size_t)length < size;
}

static int is_q(const char *part) { return strcmp(part, "q") == 0 || strcmp(part, "q_ref") == 0; }

const char *arne_joint_unit(const arne_joint_info *joint, int k, int order)
{
    static const char *const        angle[] = {"rad", "rad/s", "rad/s^2", "rad/s^3", "rad/s^4"},
                             *const length[] = {"m", "m/s", "m/s^2", "m/s^3", "m/s^4"},
                             *const plain[] = {"", "1/s", "1/s^2", "1/s^3", "1/s^4"};
    const arne_joint_kind_info     *kind = arne_joint_kind_facts(joint->kind);
    const arne_coordinate           what = order == 0 ? kind->q[k] : kind->v[k];
    const int                       is_length = what == ARNE_COORDINATE_LENGTH;
    if (order == ARNE_UNIT_TAU) return is_length ? "N" : "N m";
    if (order == ARNE_UNIT_TAU_RATE) return is_length ? "N/s" : "N m/s";
    if (what == ARNE_COORDINATE_QUATERNION) return "";
    if (what == ARNE_COORDINATE_STRAIN) return plain[order];
    return is_length ? length[order] : angle[order];
}

// Joints by their place in the robot's vectors, which need not be their order: the one that starts
// at this velocity.
static int joint_at(const arne_robot *robot, int v)
{
    const int count = arne_robot_sizes(robot).joint_count;
    for (int i = 0; i < count; i++) {
        const arne_joint_info joint = arne_robot_joint(robot, i);
        if (joint.v_count && joint.v_start == v) return i;
    }
    return -1;
}

arne_status arne_columns_add(const arne_robot *robot, const char *part, int order,
                             arne_table *table)
{
    const arne_sizes size = arne_robot_sizes(robot);
    char             name[512];
    for (int v = 0; v < size.v_count - size.theta_count;) {
        const int at = joint_at(robot, v);
        if (at < 0) return ARNE_UNSUPPORTED;
        const arne_joint_info joint = arne_robot_joint(robot, at);
        const int             count = order == 0 ? joint.q_count : joint.v_count;
        for (int k = 0; k < count; k++) {
            if (!arne_column_name(part, joint.name, k, count, name, sizeof name))
                return ARNE_TOO_LARGE;
            const arne_status status =
                arne_table_add_column(table, name, arne_joint_unit(&joint, k, order));
            if (status) return status;
        }
        v += joint.v_count;
    }
    return ARNE_OK;
}

// All columns of the part must have found their place.
static arne_status check_used(const arne_table *table, const char *part, int used,
                              arne_error *error)
{
    const size_t length = strlen(part);
    int          given = 0;
    for (int c = 0; c < arne_table_columns(table); c++) {
        const char *name = arne_table_name(table, c);
        given += strncmp(name, part, length) == 0 && name[length] == '.';
    }
    if (given == used) return ARNE_OK;
    return arne_fail(error, ARNE_VALUE, NULL, arne_table_line(table, -1),
                     "%d of the columns '%s.' name no joint coordinate of the robot", given - used,
                     part);
}

// Known units are SI by now, so that what is left is another quantity's, or unknown.
static arne_status check_unit(const arne_table *table, int column, const char *wanted,
                              arne_error *error)
{
    const char *unit = arne_table_unit(table, column);
    if (strcmp(unit, ARNE_UNIT_DEGREES) == 0 && strchr("rm", wanted[0]))
        return arne_table_scale((arne_table *)table, column, wanted[0] == 'r' ? pi / 180 : 1,
                                wanted); // what the file left open is settled once
    if (!*unit || strcmp(unit, "-") == 0 || strcmp(unit, wanted) == 0) return ARNE_OK;
    return arne_fail(
        error, ARNE_VALUE, NULL, arne_table_line(table, -1),
        "column '%s' has the unit '%s'; it must be %s, or a unit that can be converted "
        "to it",
        arne_table_name(table, column), unit, *wanted ? wanted : "without a unit");
}

static int order_of(const char *part)
{
    static const char *const parts[] = {"q", "qd", "qdd", "qddd"};
    for (int i = 0; i < 4; i++)
        if (strcmp(part, parts[i]) == 0) return i;
    return strcmp(part, "tau") == 0 ? ARNE_UNIT_TAU : 0;
}

arne_status arne_columns_find(const arne_robot *robot, const arne_table *table, const char *part,
                              int *column, arne_error *error)
{
    const arne_sizes size = arne_robot_sizes(robot);
    int              used = 0, plain = 0;
    char             name[512];
    for (int i = 0; i < (is_q(part) ? size.q_count : size.v_count); i++)
        column[i] = -1;
    for (int i = 0; i < size.joint_count; i++) {
        const arne_joint_info joint = arne_robot_joint(robot, i);
        const int             count = is_q(part) ? joint.q_count : joint.v_count;
        const int             start = is_q(part) ? joint.q_start : joint.v_start;
        int                   found = 0;
        for (int k = 0; k < count; k++) {
            if (!arne_column_name(part, joint.name, k, count, name, sizeof name)) continue;
            column[start + k] = arne_table_find(table, name);
            if (column[start + k] < 0 && count == 1 && strcmp(part, "q") == 0) {
                column[start + k] = arne_table_find(table, joint.name); // recorders write no "q."
                plain += column[start + k] >= 0;
            }
            if (column[start + k] < 0) continue;
            found++;
            const arne_status status = check_unit(
                table, column[start + k], arne_joint_unit(&joint, k, order_of(part)), error);
            if (status) return status;
        }
        if (found && found < count && count > 3)
            return arne_fail(error, ARNE_VALUE, NULL, arne_table_line(table, -1),
                             "%d of the columns of joint '%s' are there, all %d are needed", found,
                             joint.name, count);
        used += found;
    }
    return check_used(table, part, used - plain, error);
}

arne_status arne_columns_time(const arne_table *table, int rows, arne_error *error)
{
    const int time = arne_table_find(table, "time"), count = arne_table_rows(table);
    if (time < 0)
        return arne_fail(error, ARNE_VALUE, NULL, arne_table_line(table, -1),
                         "there is no column 'time'");
    const arne_status unit = check_unit(table, time, "s", error);
    if (unit) return unit;
    if (count < rows)
        return arne_fail(error, ARNE_VALUE, NULL, arne_table_line(table, -1),
                         "%d rows are needed, there are %d", rows, count);
    for (int r = 1; r < count; r++)
        if (!(arne_table_row(table, r)[time] > arne_table_row(table, r - 1)[time]))
            return arne_fail(error, ARNE_VALUE, NULL, arne_table_line(table, r),
                             "time %.9g does not come after %.9g", arne_table_row(table, r)[time],
                             arne_table_row(table, r - 1)[time]);
    return ARNE_OK;
}

int arne_columns_muscle(const arne_table *table, const char *name, int alone)
{
    char      longer[300];
    const int column = alone ? arne_table_find(table, name) : -1;
    if (column >= 0) return column;
    snprintf(longer, sizeof longer, "activation.%.280s", name);
    return arne_table_find(table, longer);
}
