// A reference as scenarios write it: see docs/scenario.md.
#ifndef ARNE_MOTION_REFERENCE_YAML_H
#define ARNE_MOTION_REFERENCE_YAML_H

#include "io/yaml_values.h"

#include <arne/motion.h>

// rest    where the robot is initially (q_count): what the section does not say
// table   reads the tables that the section names; may be NULL where there are none
// Failures name file and line.
ARNE_CHECKED arne_status arne_reference_yaml(const yaml_slot *section, const arne_robot *robot,
                                             const double *rest, arne_yaml_table_fn table,
                                             void *context, arne_trajectory **out);

#endif
