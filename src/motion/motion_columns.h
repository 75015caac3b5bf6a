// The columns of a table that belong to a robot's coordinates: `q.JOINT`, or `q.JOINT.0`,
// `q.JOINT.1`, ... where a joint has several.
#ifndef ARNE_MOTION_MOTION_COLUMNS_H
#define ARNE_MOTION_MOTION_COLUMNS_H

#include <arne/robot.h>
#include <arne/table.h>
#include <stddef.h>

// The name of entry k of a joint's count: "part.joint" or "part.joint.k". Returns 0 where it does
// not fit.
int arne_column_name(const char *part, const char *joint, int k, int count, char *out, size_t size);
// Adds the columns of a part for all joints in the order of the robot's vectors: q_count -
// theta_count for order 0, else v_count - theta_count.
ARNE_CHECKED arne_status arne_columns_add(const arne_robot *robot, const char *part, int order,
                                          arne_table *table);

// column[i] is the column of entry i of the part (q_count for "q", else v_count), -1 where there is
// none. A position may also be called by its joint alone. ARNE_VALUE where a column of the part
// names nothing of the robot or a quaternion is not complete. Columns of ARNE_UNIT_DEGREES become
// radians or metres.
ARNE_CHECKED arne_status arne_columns_find(const arne_robot *robot, const arne_table *table,
                                           const char *part, int *column, arne_error *error);
// The column activation.NAME of a muscle or, where `alone` is set, before it one of its bare name;
// -1: none.
int arne_columns_muscle(const arne_table *table, const char *name, int alone);
// ARNE_VALUE unless there is a column `time` that rises from row to row, and at least so many rows.
ARNE_CHECKED arne_status arne_columns_time(const arne_table *table, int rows, arne_error *error);

#endif
