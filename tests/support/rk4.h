// The classical Runge-Kutta method on q and qd, for laws over time: quaternions by their rates, and
// kept at unit length.
#ifndef TEST_RK4_H
#define TEST_RK4_H

#include <arne/arne.h>

// Torques at a time and a state; they are zero before the call.
typedef void (*drive_fn)(double t, const double *q, const double *qd, double *tau,
                         const void *context);

typedef struct flight {
    const arne_robot *robot;
    arne_work        *work;
    drive_fn          drive; // NULL: no torques
    const void       *context;
} flight;

// From t on, `steps` steps of dt; q and qd become those of the end.
void fly(const flight *f, double t, double dt, int steps, double *q, double *qd);

#endif
