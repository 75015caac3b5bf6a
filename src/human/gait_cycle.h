// A stride, from the strike of one heel to its next: the right leg's step followed by the left
// leg's. What people who measure gait look at.
#ifndef ARNE_HUMAN_GAIT_CYCLE_H
#define ARNE_HUMAN_GAIT_CYCLE_H

#include "human/gait.h"

enum { CYCLE_STEP = 100, CYCLE_ROWS = 2 * CYCLE_STEP + 1 };

// Of one leg, at an instant: angles [deg], the ground's force on the foot [body weights: up,
// forward, towards the other foot], the norm of the force in its joints [N].
enum {
    CYCLE_HIP,
    CYCLE_KNEE,
    CYCLE_ANKLE,
    CYCLE_UP,
    CYCLE_FORWARD,
    CYCLE_MEDIAL,
    CYCLE_FORCE_HIP,
    CYCLE_FORCE_KNEE,
    CYCLE_FORCE_ANKLE,
    CYCLE_MOMENT_HIP, // per kg: extension and plantarflexion positive
    CYCLE_MOMENT_KNEE,
    CYCLE_MOMENT_ANKLE,
    CYCLE_POWER_HIP, // per kg: generation positive
    CYCLE_POWER_KNEE,
    CYCLE_POWER_ANKLE,
    CYCLE_STANCE, // 1 while the ground carries more than a hundredth of the weight with this foot
    CYCLE_COLUMNS
};
extern const char *const gait_cycle_names[CYCLE_COLUMNS][2]; // and units

typedef struct gait_cycle {
    double x[CYCLE_ROWS][CYCLE_COLUMNS]; // row i is at i/2 percent
    // Figures of it.
    double loading, loading_at, push,
        push_at;                // peaks of the vertical force in 5-30 and 38-60 %, and where
    double valley;              // its least between them
    double braking, propulsion; // extremes of the forward force
    double knee;                // of the swinging leg at mid-swing, degrees
    double mean_vertical;       // of both feet over a step
    double least_vertical;      // of either foot, body weights
    double friction_used; // the largest ratio of force along the ground to that across, where a
                          // foot is loaded
    double pelvis_rotation[2], hip_rotation[2]; // least and most, degrees
    double opposite_toe_off, toe_off;           // percent of the stride
    double balance; // how far the zero-moment point leaves its polygon on CYCLE_STEP + 1 instants,
                    // m; negative: never
    double
        residual; // the largest of what is left for the joints between world and pelvis, N or N m
} gait_cycle;

// 0: no memory.
int plan_gait_cycle(arne_plan *plan, const gait *g, gait_cycle *out);

// Pearson's, of a column and numbers at given percentages of the cycle.
double plan_gait_correlation(const gait_cycle *cycle, int column, int count, const double *percent,
                             const double *other);

#endif
