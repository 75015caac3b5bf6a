// Integrators: from the accelerations of a robot to its state at a later time.
//
// The state is q, qd and, optionally, numbers z of the caller (such as work done, or the memory of
// a controller). q is not a vector if there are ball or free joints: all methods step along
// velocities, q (+) u, so that rotations stay rotations and the order of a method is its order on
// every robot (Munthe-Kaas 1999).
#ifndef ARNE_INTEGRATE_H
#define ARNE_INTEGRATE_H

#include <arne/configuration.h>

// The system to integrate. q, qd and z belong to the integrator; the functions write qdd and zd. z
// and zd are NULL if z_count is 0.
typedef struct arne_system {
    const arne_robot *robot; // its coordinates and their steps
    int               z_count;
    void             *context;
    // Accelerations, and the rates of z, at a state. A failure ends the step.
    arne_status (*rate)(void *context, double time, const double *q, const double *qd,
                        const double *z, double *qdd, double *zd, arne_error *error);
    // Euler and RK4: replaces their step of q, qd and z by one with rules of its own (for impacts,
    // for example); NULL: the usual step.
    arne_status (*step)(void *context, double time, double h, double *q, double *qd, double *z,
                        arne_error *error);
    // ROSENBROCK, which needs it: the matrices of M qdd + c(q, qd) = 0 at a state and its
    // accelerations, by derivatives along the velocity coordinates: K = d(M qdd + c)/dq, D = dc/dqd
    // and M, v_count x v_count each, row-major. What is left out, such as forces that are not
    // stiff, costs no order.
    arne_status (*linear)(void *context, double time, const double *q, const double *qd,
                          const double *qdd, double *K, double *D, double *M, arne_error *error);
    // Projects the state onto its constraints (closed loops, for example) after every step; NULL:
    // none.
    arne_status (*project)(void *context, double time, double *q, double *qd, arne_error *error);
    // Constraints, for IDA, which enforces them in every step: closure errors, their rates J qd,
    // and (if not NULL) J by rows, constraint_count x v_count. Rows may be linearly dependent.
    int constraint_count;
    arne_status (*constraints)(void *context, double time, const double *q, const double *qd,
                               double *errors, double *rates, double *J, arne_error *error);
    // Functions whose zero crossings are events; NULL if event_count is 0.
    int event_count;
    void (*events)(void *context, double time, const double *q, const double *qd, const double *z,
                   double *values);
    // Called before every step (by CVODE and IDA before every evaluation): nonzero ends
    // arne_integrator_advance with ARNE_STOPPED. Another call with the same end continues as if it
    // had not been stopped. NULL: never stopped.
    int (*stop)(void *context);
} arne_system;

typedef enum arne_method {
    ARNE_METHOD_EULER,      // semi-implicit, order 1: positions use the new velocity
    ARNE_METHOD_RK4,        // the classical method of order 4
    ARNE_METHOD_ROSENBROCK, // linearly implicit, order 2: stiff springs in steps of equal length
    ARNE_METHOD_DORMAND_PRINCE, // order 5 with error control: adaptive steps
    ARNE_METHOD_CVODE, // variable order, implicit, for stiff springs; where the module of SUNDIALS
                       // is found
    ARNE_METHOD_IDA,   // likewise, for robots with loops: positions and velocities obey the
                       // constraints in every step
    ARNE_METHOD_COUNT
} arne_method;

typedef struct arne_integrator_options {
    size_t      size; // of this struct, or 0: see arne/types.h
    arne_method method;
    double      step;     // EULER, RK4, ROSENBROCK: the step; others: the first one, 0: chosen
    double      max_step; // others: 0: none
    // Others: the error of a step is at most absolute + relative (rotations and lengths) and
    // absolute + relative |v| (velocities, z). 0: 1e-10 each; ARNE_METHOD_DORMAND_PRINCE then takes
    // less for coordinates and velocities where the motion so far is less than 1, down to 1e-3 of
    // it.
    double relative, absolute;
} arne_integrator_options;

typedef struct arne_integrator_stats {
    long steps, rejected;
    long rates;   // all calls of rate, those for Jacobians included
    long columns; // of Jacobians by differences, each a call of rate
} arne_integrator_stats;

typedef struct arne_integrator arne_integrator;

ARNE_BEGIN

// out = q (+) v: the configuration that the constant velocity v reaches in unit time. out may be q.
ARNE_API void arne_integrate(const arne_robot *robot, const double *q, const double *v,
                             double *out);

// "euler", "rk4", "rosenbrock", "dormand-prince", "cvode", "ida"; NULL if there is no such method.
ARNE_API const char *arne_method_name(arne_method method);
// Whether there is such a method, and for the last two whether the module libarne_sundials.so can
// be loaded.
ARNE_API int arne_method_available(arne_method method);

// All memory an integrator needs is allocated here; the system is copied, what it points to is not.
ARNE_API ARNE_CHECKED arne_status arne_integrator_new(const arne_system             *system,
                                                      const arne_integrator_options *options,
                                                      arne_integrator **out, arne_error *error);
ARNE_API void                     arne_integrator_free(arne_integrator *it);

// Sets time and state. z may be NULL if there is none. Call it also after a jump, and if the
// right-hand side has changed between two steps (a new torque that is held): the integrator
// discards its history.
ARNE_API ARNE_CHECKED arne_status arne_integrator_start(arne_integrator *it, double time,
                                                        const double *q, const double *qd,
                                                        const double *z, arne_error *error);

// Integrates exactly to `until`, or to the first event before. *event: its index, or -1; NULL:
// events are ignored. Euler, RK4 and Rosenbrock take equal steps, no longer than the given step,
// and report an event at the end of the step in which it happened; the others locate its time and
// stop just after it.
//
// Allocates nothing (CVODE and IDA do). ARNE_DIVERGED if a number is no longer finite or the step
// becomes too small: the error names the time and the joint, and the integrator is at the last good
// state.
ARNE_API ARNE_CHECKED arne_status arne_integrator_advance(arne_integrator *it, double until,
                                                          int *event, arne_error *error);

// The current state; the arrays belong to the integrator.
ARNE_API double                arne_integrator_time(const arne_integrator *it);
ARNE_API const double         *arne_integrator_q(const arne_integrator *it);
ARNE_API const double         *arne_integrator_qd(const arne_integrator *it);
ARNE_API const double         *arne_integrator_z(const arne_integrator *it);
ARNE_API arne_integrator_stats arne_integrator_statistics(const arne_integrator *it);

// Dense output: one step, and any state within it to order 4, at no cost. Dormand-Prince only.
//
// arne_integrator_step takes one step, not beyond `until`; arne_integrator_at gives q, qd and z
// (each may be NULL) at a time within the last step.
ARNE_API ARNE_CHECKED arne_status arne_integrator_step(arne_integrator *it, double until,
                                                       arne_error *error);
ARNE_API ARNE_CHECKED arne_status arne_integrator_at(const arne_integrator *it, double time,
                                                     double *q, double *qd, double *z);

ARNE_END

#endif
