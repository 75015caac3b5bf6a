// Numbers for a robot's coordinates in a file: one for all, a list, or a mapping by joint.
#ifndef ARNE_IO_YAML_VALUES_H
#define ARNE_IO_YAML_VALUES_H

#include "io/yaml_fields.h"

#include <arne/robot.h>
#include <arne/table.h>

typedef enum yaml_values { YAML_VALUES_Q, YAML_VALUES_V } yaml_values;

// What is not said stays as it is in out (q_count or v_count numbers). Lists are of all numbers, or those of the joints without a free
// base and without motors of elastic joints; the latter then move with their joints.
ARNE_CHECKED arne_status arne_yaml_values(const yaml_slot *slot, const arne_robot *robot,
                                          yaml_values which, double *out);

// How a section gets at a table that it names: from the folder of its file, and noted where that is wanted. The table is the
// owner's of the context.
typedef arne_status (*arne_yaml_table_fn)(void *context, const yaml_slot *slot,
                                          const arne_table **out);

// Gives an error of the library the place of a slot, unless it has one of its own.
ARNE_CHECKED arne_status arne_yaml_place(const yaml_slot *slot, arne_status status);
// For tables of fields: keeps the node, to be read when what it needs is there.
arne_status arne_yaml_keep(const yaml_slot *slot, void *node); // const yaml_node *
// A number that is finite and more than zero.
arne_status arne_yaml_positive(const yaml_slot *slot, void *number); // double

#endif
