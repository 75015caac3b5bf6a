// A controller as scenarios write it: see docs/scenario.md.
#ifndef ARNE_SIMULATE_CONTROLLER_YAML_H
#define ARNE_SIMULATE_CONTROLLER_YAML_H

#include "io/yaml_values.h"

#include <arne/control.h>

// table        reads the tables that the section names; may be NULL where there are none
// sample_time  stays as it is where the section does not say it
// *out is NULL for the kind `none`. Failures name file and line.
ARNE_CHECKED arne_status arne_controller_yaml(const yaml_slot *section, const arne_robot *robot,
                                              arne_yaml_table_fn table, void *context,
                                              double *sample_time, arne_controller **out);

#endif
