// Reading a problem file: what the parts of the reader share.
#ifndef ARNE_PLAN_READ_READ_PROBLEM_H
#define ARNE_PLAN_READ_READ_PROBLEM_H

#include "human/gait.h"
#include "io/yaml_fields.h"
#include "plan/problem/plan.h"
#include <arne/io.h>
#include <arne/table.h>

typedef struct problem {
    reader        r;
    arne_builder *builder; // of the robot
    arne_robot   *robot, *shown;
    arne_plan    *plan;
    gait_options  gait; // where there is such a section
    double        scale[2];
} problem;

// A number for every coordinate: one for all, a list, or a mapping by joint. Only what is said is written and marked.
ARNE_CHECKED arne_status problem_values(const problem *p, const yaml_slot *slot, double *out,
                                        unsigned char *given);
// Coordinates by the names of joints: `all` or a list. Of a chain (NAME.x, ...) NAME is all of them. Returns the number
// through count; rows has room for v_count.
ARNE_CHECKED arne_status problem_coordinates(const problem *p, const yaml_slot *slot, int *rows,
                                             int *count);
// A path that is relative to the problem file; to be freed. NULL: no memory.
char *problem_path(const problem *p, const char *path);

ARNE_CHECKED arne_status problem_constraints(problem *p, const yaml_slot *section);
ARNE_CHECKED arne_status problem_objectives(problem *p, const yaml_slot *section);
// start and end: position, velocity, acceleration
ARNE_CHECKED arne_status problem_boundary(problem *p, const yaml_slot *section, double at);
// gait: first what the plan and the robot need, then all of it
ARNE_CHECKED arne_status problem_gait_options(problem *p, const yaml_node *node,
                                              arne_plan_options *plan);
ARNE_CHECKED arne_status problem_gait_scale(problem *p, const yaml_node *node);
ARNE_CHECKED arne_status problem_gait(problem *p, const yaml_slot *section);
ARNE_CHECKED arne_status problem_path_section(problem *p, const yaml_slot *section);

// One entry of a list, read but not yet understood.
typedef struct ask {
    const char      *quantity, *name, *frame, *other_frame, *joint, *component, *plane_frame;
    const yaml_node *joints, *lower, *upper, *equal, *at, *corners, *reference, *same_as, *pairs,
        *symmetry, *periodic, *offset, *limits, *normalised;
    double    within, from, to, factor, weight, smooth;
    arne_vec3 point, other_point, plane_point, plane_normal;
    arne_pose pose;
    int       has_pose, shape;
} ask;

// A quantity with the rows of it that are meant.
typedef struct asked {
    int                quantity, row_count;
    int               *rows; // room for as many as there are; to be freed
    arne_quantity_kind kind;
} asked;

ask                      problem_ask(void);
ARNE_CHECKED arne_status problem_read_ask(const problem *p, const yaml_slot *entry, ask *out);
// The quantity that an entry names, added to the plan.
ARNE_CHECKED arne_status problem_quantity(problem *p, const yaml_slot *entry, const ask *a,
                                          asked *out);
// Numbers for the rows of a quantity: one for all, a list of them, or by joint where rows are coordinates.
ARNE_CHECKED arne_status problem_row_values(const problem *p, const yaml_slot *entry,
                                            const char *key, const yaml_node *value, const asked *q,
                                            double *out);

// A constraint on what was asked, without bounds and instants.
arne_constraint problem_constraint_for(const problem *p, const yaml_slot *entry, const ask *a,
                                       const asked *q);
// An entry with `symmetry` or `periodic`.
ARNE_CHECKED arne_status problem_repeating(problem *p, const yaml_slot *entry, const ask *a);

#endif
