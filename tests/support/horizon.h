// Problems of optimal control that others have solved: $ARNE_REFERENCE/mpc, stated there in full.
#ifndef TEST_HORIZON_H
#define TEST_HORIZON_H

#include <arne/arne.h>

enum { HORIZON_TERMS = 8 };

typedef struct horizon {
    arne_robot     *robot;
    arne_oc_problem problem;
    arne_oc_term    terms[HORIZON_TERMS];
    double          q0[32], v0[32], x0[64], target[12], weights[64], B[32];
    double          lower[32], upper[32]; // of controls; for tests to fill
    arne_oc_phase   phases[4];
    arne_oc_contact feet[4];
} horizon;

// Where the folder is not set the test is skipped.
void horizon_pendulum(horizon *h);
void horizon_kinova(horizon *h);
void horizon_quadrotor(horizon *h);
// The project's quadruped on its four feet; needs no reference data.
void horizon_quadruped(horizon *h, int knots);
void horizon_free(horizon *h);

// The residual of the Karush-Kuhn-Tucker conditions at the solver's solution, by central
// differences of the public functions only: the largest |dL/du| (projected on the bounds of
// controls), and the largest gap. L is the cost with the bounds' multipliers.
typedef struct kkt_residual {
    double gradient, gap, cost, beyond;
} kkt_residual;
kkt_residual horizon_kkt(const horizon *h, const arne_oc *oc);

#endif
