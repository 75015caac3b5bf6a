// Walking with contacts: heel, ball and toe points that touch the ground, whose forces are planned
// with the motion. They push only, inside the friction cone, and double support is shared as costs
// the least effort.
#ifndef ARNE_HUMAN_CONTACT_STEP_H
#define ARNE_HUMAN_CONTACT_STEP_H

#include "human/gait.h"

enum { WALK_PHASES = 4, WALK_CONTACTS = 8 };

typedef struct walk_parts {
    arne_plan_phase   phases[WALK_PHASES];
    arne_plan_contact contacts[WALK_CONTACTS];
} walk_parts;

// The names of the phases: loading, flat, single, rising.
extern const char *const plan_walk_phases[WALK_PHASES];

// What a plan of a step is made with. options->walker names heel, ball_in, ball_out and toe of both
// sides; names of the contacts are those of the robot's frames.
ARNE_CHECKED arne_status plan_walk_parts(const arne_robot *robot, const gait_options *options,
                                         int degree, const arne_place *place, walk_parts *out,
                                         arne_error *error);
// The rows and the objective of a step, on a plan made with them.
ARNE_CHECKED arne_status plan_walk_add(arne_plan *plan, const gait_options *options,
                                       const arne_place *place, gait *out, arne_error *error);
// The ground's wrench on both feet about the world's origin, where the plan was evaluated last.
void plan_walk_feet(const gait *g, const arne_robot *robot, const arne_work *work,
                    double feet[WALKER_SIDES][6]);

#endif
