// Loops while a robot is built: which joints are passive, and the tied frames.
#ifndef ARNE_ROBOT_LOOP_H
#define ARNE_ROBOT_LOOP_H

#include "robot/build.h"

// The scalar constraints of one kind, and of all loops.
int loop_kind_rows(arne_loop_kind kind);
int loops_row_count(const arne_builder *b);

// If some joint is marked active, the others are passive; otherwise only those that are marked to
// be.
int loops_passive(const arne_builder *b, const arne_joint_spec *spec);

// The rules of loops, as far as a builder knows.
arne_status loops_check(const arne_builder *b, const judge *j);
// Fills the records of loops that keep them; bodies and frames of the robot are in place.
arne_status loops_place(const arne_builder *b, const judge *j, arne_robot *r);

#endif
