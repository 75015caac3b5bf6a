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

// Intervals of the grid on which phases change; both feet stand before SWING, and from RISE on the
// heel of the standing one is up.
enum { GAIT_GRID = 12, GAIT_SWING = 3, GAIT_RISE = 9 };

// How far what should be zero may be off in the thesis's formulation.
typedef struct gait_bands {
    double height, velocity, roll; // where a foot touches the ground: m, m/s, rad
    double tilt;                   // of the pelvis, rad
    double weight;                 // the least force of the ground, body weights
    double force;                  // its jump from one step to the next, body weights
    double strike; // how far the zero-moment point may be from the rear foot at heel strike, m
    double arms;   // how far an arm may swing against the leg of the other side, m^2
} gait_bands;

// Where the ground may push in the thesis's formulation, m at the size of the robot's file: how far
// ahead of heel and ball it may begin, and how far behind the ball it may end.
typedef struct gait_polygon {
    double heel_ahead, ball_ahead, ball_behind;
} gait_polygon;

enum { GAIT_BORDERS = 3 };

typedef struct gait_options {
    double       speed, step; // m/s, m; step 0: in proportion to the speed, 0.6 m at 1.2 m/s
    double       stature;     // m; 0: as the robot's file has it
    double       mass;        // kg; likewise
    gait_bands   bands;
    gait_polygon polygon;
    int          thesis;   // its formulation: zero-moment point and bands, in place of contacts
    double       friction; // of contacts
    double       width;    // between the heels, m at the size of the robot's file
    double       foothold; // z of the heel that strikes first, m
    double       sole;     // how far from the middle of a foot the ground may push, m likewise
    double       borders[GAIT_BORDERS]; // of phases with contacts, parts of the step
    double       smoothness;            // weight of squared accelerations
    int          torque_vectors; // effort by torque vectors where three axes meet: for contacts
    double       force_weight;   // of squared forces in body weights
    int          fineness;       // how many times as many spans as the coarsest splines
    double       backpack;       // kg
    const char  *compare;        // a file of measured gait
    walker_parts walker;
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
    int    ground;          // the quantity
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
ARNE_CHECKED arne_status plan_gait_arms(arne_plan *plan, const walker_parts *walker, int *quantity,
                                        arne_error *error);

// The ground's wrench on both feet at t/T = u, about the world's origin, and as f_ext of
// arne_inverse_dynamics. tau takes the torques of the first pass, without ground.
void plan_gait_loads(const gait *g, const arne_robot *robot, arne_work *work, double u,
                     const double *q, const double *qd, const double *qdd, double *tau,
                     double feet[WALKER_SIDES][6], arne_wrench *f_ext);

// Fails where the walker does not name one of the frames that a step needs, on either side.
ARNE_CHECKED arne_status plan_gait_frames(const arne_robot *robot, const walker_parts *walker,
                                          const int *frames, int count, const arne_place *place,
                                          arne_error *error);
// Fails where a joint beside the middle of the body, which moves in this plan, is in no pair. The
// workspace then holds the upright posture.
ARNE_CHECKED arne_status plan_gait_pairs(const arne_plan *plan, const walker_parts *walker,
                                         const arne_place *place, arne_error *error);
int                      plan_gait_is_frozen(const arne_plan *plan, int coordinate);
// Whether a coordinate is the slide that moves the whole body forward.
int plan_gait_is_forward(const arne_robot *robot, int coordinate);
// The coordinate that takes the place of this one in a mirrored posture, and its sign.
int plan_gait_mirror(const arne_robot *robot, const walker_parts *walker, int coordinate,
                     double *sign);

#endif
