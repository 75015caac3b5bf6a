// What forces and static optimisation share.
#ifndef ARNE_MUSCLE_FORCE_INTERNAL_H
#define ARNE_MUSCLE_FORCE_INTERNAL_H

#include <arne/muscle_force.h>

// One muscle in one state; options are complete.
void muscle_result(const arne_robot *robot, int muscle, double activation, double length,
                   double velocity, const arne_muscle_options *options, double state,
                   arne_muscle_result *out);
// The rate of an activation a at excitation u, and its derivatives by u and a.
void muscle_activation_rate(const arne_muscle_law *law, double u, double a, double out[3]);

#endif
