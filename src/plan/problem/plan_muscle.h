// Muscles as the drive of a plan.
#ifndef ARNE_PLAN_PROBLEM_PLAN_MUSCLE_H
#define ARNE_PLAN_PROBLEM_PLAN_MUSCLE_H

#include "plan/problem/plan.h"
#include <arne/muscle_force.h>

// Second derivatives count at most so many coordinates of a muscle.
enum { PLAN_MUSCLE_SPAN = 32 };

// The planned coordinate of the first activation.
static inline int plan_muscle_column(const plan_problem *p)
{
    return p->v_count + 3 * p->held_count;
}

// ---- plan_muscle.c

// Numbers of scratch that a worker needs for them.
size_t plan_muscle_numbers(const plan_problem *p);
// One muscle at activation, length and velocity of its path.
void plan_muscle_one(const arne_robot *robot, int muscle, const double at[3],
                     arne_muscle_result *out);
// What muscles pull, in torques, their derivatives and the second derivatives of the sum of
// s->at->lambda_tau times torques.
void plan_muscle_torques(plan_state *s);
void plan_muscle_derivatives(plan_state *s);
void plan_muscle_curve(plan_state *s);

// Metabolic power of all muscles and, where it is not NULL, its gradient (PLAN_ORDERS n, zero on
// entry).
double plan_muscle_power(plan_state *s, double *gradient);
void   plan_muscle_power_curve(plan_state *s, double lambda);
// Activation and force of each muscle; returns the place after them.
double *plan_muscle_row(plan_state *s, double *out);

// ---- muscle_terms.c

// Checks what the options say of muscles, and counts them.
ARNE_CHECKED arne_status plan_count_muscles(plan_problem *p, const plan_map *map,
                                            arne_error *error);
// Their rules: torques that only muscles give, and activation dynamics.
ARNE_CHECKED arne_status plan_add_muscles(plan_problem *p, arne_error *error);
// Where phases meet, activations are continuous.
ARNE_CHECKED arne_status plan_join_muscles(plan_problem *p, arne_error *error);
// Control points that no spline of activations has are zero.
void plan_muscle_bounds(plan_program *p);
void plan_guess_activations(const plan_problem *p, plan_solution *s);
// The activations, or the metabolic power, as a quantity.
ARNE_CHECKED arne_status plan_muscle_quantity(const plan_problem *p, const arne_quantity *what,
                                              plan_quantity *out, arne_error *error);

#endif
