// A planned motion at an instant, in the coordinates of the robot's file.
#ifndef ARNE_PLAN_RESULT_PLAN_ROW_H
#define ARNE_PLAN_RESULT_PLAN_ROW_H

#include "plan/problem/plan.h"
#include <arne/table.h>
#include <stdio.h>

struct json; // io/json.h

typedef struct motion_row {
    arne_plan             *p;
    const arne_robot      *shown; // with what it carries at the instant
    arne_work             *work;  // of that one
    const arne_robot      *plain; // without
    arne_work            **works; // of it, then of every phase in which something is carried
    arne_sizes             size;
    double                *z;                             // of the planned robot: q, qd, qdd, qddd
    double                *q, *qd, *qdd, *tau, *tau_rate; // of the shown one
    struct arne_loop_work *loop;                          // of a robot with loops
    int                    same;  // their coordinates are the same: tau_rate is known
    arne_wrench           *f_ext; // of plan_module; NULL: none
    double                *extra; // its columns
    double                *peaks; // room for a number of each joint
} motion_row;

int  plan_row_new(motion_row *m, arne_plan *p); // 0: no memory
void plan_row_free(motion_row *m);
// Afterwards the workspace holds the joint wrenches.
void plan_row_fill(motion_row *m, double u);

// Spans between knots of all phases, and the part of the whole motion at a place among them.
int    plan_span_count(const arne_plan *p);
double plan_span_part(const arne_plan *p, double place);
// f_ext += the wrench of sign f, in the world, at a point of a frame. arne_kinematics was called.
void plan_push(const arne_robot *robot, const arne_work *work, int frame, arne_vec3 point,
               arne_vec3 f, double sign, arne_wrench *f_ext);

// The motion as result.csv has it, or its columns alone; to be freed.
ARNE_CHECKED arne_status plan_table(arne_plan *p, int rows, arne_table **out, arne_error *error);

// `energy` and `utilisation` of summary.json
void plan_effort_summary(struct json *out, motion_row *m);
// summary.json
void plan_summary(FILE *out, motion_row *m, const arne_plan_result *result);

#endif
