// What the methods of arne/integrate.h share.
#ifndef ARNE_SIMULATE_INTEGRATOR_H
#define ARNE_SIMULATE_INTEGRATOR_H

#include <arne/integrate.h>

enum { MAX_STAGES = 7 };

typedef struct stiff_solver stiff_solver; // stiff_solver.h

// Explicit Runge-Kutta: a row of a for each stage.
typedef struct tableau {
    int    stages;
    double c[MAX_STAGES], a[MAX_STAGES][MAX_STAGES];
} tableau;

// A tangent is u (v_count), qd (v_count), z (z_count) side by side: what is added up in a step. A
// state is q, qd, z.
struct arne_integrator {
    arne_system             system;
    arne_integrator_options options;
    int                     nq, nv, nz, tangent; // tangent = 2 nv + nz
    int                     flat;                // q is a vector: no ball, planar or free joints
    double                  time;
    double                 *q, *qd, *z;    // where it stands; side by side
    double                 *q1, *qd1, *z1; // a state on trial; side by side
    double                 *q0, *qd0, *z0; // where the last step began
    double                 *k[MAX_STAGES]; // the rates of the stages, tangents
    double                 *sum, *within;  // tangents
    double                 *dense[4];      // Dormand-Prince: coefficients of the last step
    double                 *g0, *g1, *g_found;
    double                 *K, *D, *M, *room; // Rosenbrock: nv x nv each
    double                  last_time, last_step, next_step, old_error;
    double                  grid_from, grid_until, grid_done; // see advance_fixed
    double                 *path;  // nv, Dormand-Prince: how far each coordinate is from its start
    double                  reach; // the farthest that any was
    double                  speed; // the fastest that any was
    int                     fresh; // k[0] is the rate where it stands
    int                     worst; // the entry with the largest error of the last step
    arne_integrator_stats   stats;
    const stiff_solver     *stiff;  // CVODE or IDA, where that is the method; otherwise NULL
    void                   *solver; // its memory
    double                  block[];
};

// Rates at a state, as a tangent: u relative to where the step began (NULL: zero).
ARNE_CHECKED arne_status integrator_rate(arne_integrator *it, double time, const double *u,
                                         const double *q, const double *qd, const double *z,
                                         double *k, arne_error *error);
// Stage i of a step h: its state on trial and its rates k[i].
ARNE_CHECKED arne_status integrator_stage(arne_integrator *it, const tableau *table, int i,
                                          double h, arne_error *error);
// The same, of a method whose stage takes `part` of the rates of one other, `later` from now.
ARNE_CHECKED arne_status integrator_stage_from(arne_integrator *it, const double *rates,
                                               double part, double later, double *k,
                                               arne_error *error);
// The state on trial: q (+) sum, qd + sum, z + sum.
void integrator_move(arne_integrator *it, const double *sum);
// Takes the state on trial, projected where there is a projection. It must be finite.
ARNE_CHECKED arne_status integrator_accept(arne_integrator *it, double h, arne_error *error);
// The joint that has a velocity coordinate, or whose motor has it; NULL: none.
const char *coordinate_joint(const arne_robot *robot, int v, int *motor);
// ARNE_DIVERGED, with the time and the joint of an entry of the tangent.
arne_status integrator_diverged(const arne_integrator *it, int entry, const char *why,
                                arne_error *error);
// What a step, or what was computed after it, failed with: ARNE_DIVERGED where the robot is
// singular at a state that only equal steps that are too long reach.
arne_status integrator_failed(const arne_integrator *it, arne_status status, arne_error *error);
// As integrator_diverged where a solver gives up and says why: the fastest joint is named.
arne_status integrator_gave_up(arne_integrator *it, const char *why, arne_error *error);
// The first entry of a state that is not finite or moves beyond all bounds, as one of the tangent;
// -1: none.
int integrator_broken(const arne_integrator *it, const double *q, const double *qd,
                      const double *z);

// Whether the method takes equal steps of a given length.
int integrator_is_fixed(arne_method method);

// One step of each method.
ARNE_CHECKED arne_status euler_step(arne_integrator *it, double h, arne_error *error);
ARNE_CHECKED arne_status rk4_step(arne_integrator *it, double h, arne_error *error);
ARNE_CHECKED arne_status rosenbrock_step(arne_integrator *it, double h, arne_error *error);
ARNE_CHECKED arne_status dopri_step(arne_integrator *it, double until, arne_error *error);
void dopri_at(const arne_integrator *it, double time, double *q, double *qd, double *z);

// Events between the start and the end of the last step. Returns the first one, or -1; *time is
// just behind it.
int  events_find(arne_integrator *it, double *time);
void events_start(arne_integrator *it);

#endif
