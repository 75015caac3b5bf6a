// What the ground does to a walker's feet, and the torques that are left for the joints.
//
// In two passes. First inverse dynamics without ground: the joints between the world and the pelvis
// would have to take the wrench W = (F, N) about the world's origin that the whole body needs. The
// ground has to give it instead: y is up, so it acts at the zero-moment point x = N_z / F_y, z =
// -N_x / F_y, with a moment M_y about the vertical. Then both feet get their share. While one foot
// stands it takes all. While both do, the front foot takes the part
//     share = (z - rear) / (front - rear)
// of F and M_y, at the heel (front) and at the forefoot (rear), displaced sideways by what the
// zero-moment point is off the line between them: the resultant is W exactly. With that on the
// feet, the second pass gives the joints' torques, and nothing is left for the joints between world
// and pelvis.
#ifndef ARNE_HUMAN_GAIT_GROUND_H
#define ARNE_HUMAN_GAIT_GROUND_H

#include "io/walker.h"
#include "plan/problem/plan.h"

// Where the feet stand, in the world. The right one is in front, and stands from the start to the
// end of the step.
typedef struct gait_support {
    double until;       // t/T: up to here both feet stand
    double front, rear; // z of the points that carry while both stand
    double right, left; // x of the feet
} gait_support;

// After the torques of all coordinates the quantity has these rows: zero-moment point, its distance
// from the line between the points that carry (or from the middle of the foot), force of the
// ground.
enum { GROUND_X, GROUND_Z, GROUND_ASIDE, GROUND_FX, GROUND_FY, GROUND_FZ, GROUND_ROWS };

// frames: of the right and left foot, on which the ground acts.
ARNE_CHECKED arne_status plan_gait_ground(arne_plan *plan, const int frames[WALKER_SIDES],
                                          const gait_support *support, int *quantity,
                                          arne_error *error);

// The wrenches on both feet about the world's origin that a total W is shared into at t/T = u.
void plan_gait_share(const gait_support *support, double u, const double *W,
                     double feet[WALKER_SIDES][6]);

#endif
