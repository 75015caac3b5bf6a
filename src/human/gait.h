// Walking: one step of a human, from the strike of the right heel to that of the left one, and by
// symmetry all others.
//
// The problem is that of Barman 2020, chapter 5 (after Xiang 2009): the least dynamic effort of a
// step of given length and speed. What any plan can say (limits of joints, frozen joints,
// distances) is in the problem file; here is what is particular to walking: when which foot touches
// the ground, what the ground does to it, and symmetry. Axes: x left, y up, z forward; the ground
// is y = 0.
#ifndef ARNE_HUMAN_GAIT_H
#define ARNE_HUMAN_GAIT_H

#include "human/gait_ground.h"

// Frames that the robot must have on both sides, as R_heel and L_heel.
enum {
    GAIT_HEEL,
    GAIT_BALL,
    GAIT_TOE,
    GAIT_FOOT,
    GAIT_WRIST,
    GAIT_SHOULDER,
    GAIT_ANKLE,
    GAIT_HIP,
    GAIT_PARTS
};

// Intervals of the grid on which phases change; both feet stand before SWING, and from RISE on the
// heel of the standing one is up.
enum { GAIT_GRID = 12, GAIT_SWING = 3, GAIT_RISE = 9 };

typedef struct gait_options {
    double speed, step;            // m/s, m; step 0: in proportion to the speed, 0.6 m at 1.2 m/s
    double stature;                // m; 0: as the robot's file has it
    double mass;                   // kg; likewise
    double height, velocity, roll; // bands of what should be zero where a foot touches the ground
    int    thesis;       // its formulation: zero-moment point and bands, in place of contacts
    double friction;     // of contacts
    double width;        // between the heels, m at the size of the robot's file
    double foothold;     // z of the heel that strikes first, m
    double sole;         // how far from the middle of a foot the ground may push, m likewise
    double smoothness;   // weight of squared accelerations
    int    fineness;     // how many times as many spans as the coarsest splines
    double backpack;     // kg
    const char *compare; // a file of measured gait
} gait_options;

// Where things are in a step of this person.
typedef struct gait {
    gait_options options;
    gait_support support;
    double       weight; // N
    int          walks;  // with contacts
    arne_plan   *plan;
    double       scale;     // of lengths, 1 as the robot's file has them
    double heel, ball, tip; // z of the heel, ball and tip of the front foot when it stands flat
    int    frames[GAIT_SIDES][GAIT_PARTS];
    int    knee;   // coordinate of the swinging leg's
    int    ground; // the quantity
} gait;

// A constraint on one row of a quantity, over the whole step unless from and to are changed.
typedef struct gait_row {
    arne_constraint c;
    int             row;
    double          lower, upper;
} gait_row;
gait_row gait_row_of(const char *name, const arne_place *place, int quantity, int row, double lower,
                     double upper);
ARNE_CHECKED arne_status gait_add_row(arne_plan *plan, gait_row row, arne_error *error);

gait_options plan_gait_defaults(void);
// How far along z the zero-moment point may be in interval k.
void plan_gait_reach(const gait *g, int k, double *low, double *high);
// Length and time of the step.
double plan_gait_step(const gait_options *options);
// Adds the quantities, constraints and the objective of a step to a plan, whose final time and grid
// must fit.
ARNE_CHECKED arne_status plan_gait_add(arne_plan *plan, const gait_options *options,
                                       const arne_place *place, gait *out, arne_error *error);

// The rows that the solver gets of all constraints of a name; NULL: of all.
int plan_gait_count(const arne_plan *plan, const char *name);

// (wrist - shoulder)_z (ankle - hip)_z of each arm and the leg of the other side.
ARNE_CHECKED arne_status plan_gait_arms(arne_plan *plan, int frames[GAIT_SIDES][GAIT_PARTS],
                                        int *quantity, arne_error *error);

// The ground's wrench on both feet at t/T = u, about the world's origin, and as f_ext of
// arne_inverse_dynamics. tau takes the torques of the first pass, without ground.
void plan_gait_loads(const gait *g, const arne_robot *robot, arne_work *work, double u,
                     const double *q, const double *qd, const double *qdd, double *tau,
                     double feet[GAIT_SIDES][6], arne_wrench *f_ext);

// Whether a coordinate is the slide that moves the whole body forward.
int plan_gait_is_forward(const arne_robot *robot, int coordinate);
// The coordinate that takes the place of this one in a mirrored posture, and its sign.
int plan_gait_mirror(const arne_robot *robot, int coordinate, double *sign);

#endif
