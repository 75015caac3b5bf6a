// An arm under computed torque at 1 kHz, here and in MuJoCo.
#ifndef ARNE_BENCH_SIMULATE_H
#define ARNE_BENCH_SIMULATE_H

#include "measure.h"

namespace peers
{

struct simulation_figures {
    double ours,
        theirs;   // ns for a millisecond of the motion: control and step here, the step alone there
    double apart; // of the two motions, the largest distance of a joint [rad]
};

// Two seconds by RK4 with steps of 1 ms; in MuJoCo with the same controller, contacts off. Times
// are the best of so many rounds, in turn.
simulation_figures simulate_beside_mujoco(const arne_robot *robot, int rounds);

// Prints them.
void print_simulation(const arne_robot *robot, const char *name, int rounds);

} // namespace peers

#endif
