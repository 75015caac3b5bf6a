// Shared by assemble.c and lagrangian.c: how z at a point depends on the variables, and the shapes
// of objectives.
#ifndef ARNE_PLAN_TRANSCRIPTION_ASSEMBLE_H
#define ARNE_PLAN_TRANSCRIPTION_ASSEMBLE_H

#include "plan/problem/plan.h"
#include <math.h>

enum { MOST_ALIVE = 16 }; // whole vectors

// w_k of all basis functions that are nonzero at a point: of the robot's coordinates, and of
// forces.
typedef double basis_weights[2][PLAN_ORDERS][MOST_ALIVE];

static inline void weights(const plan_program *p, int point, basis_weights w)
{
    const double T = p->states[point].T;
    for (int of = 0; of < (p->force_count ? 2 : 1); of++) {
        const double *basis = of ? p->points[point].force : p->points[point].basis;
        double        scale = 1;
        for (int k = 0; k < PLAN_ORDERS; k++, scale /= T)
            for (int a = 0; a < MOST_ALIVE; a++)
                w[of][k][a] = a > p->degree ? 0 : scale * basis[k * (p->degree + 1) + a];
    }
}

// Which of the two sets of basis functions a coordinate has.
static inline int assemble_kind_of(const plan_program *p, int coordinate)
{
    return coordinate >= p->n - p->force_count;
}

// The duration that counts at a point, among the variables.
static inline int time_at(const plan_program *p, int point)
{
    return p->n * p->m + p->points[point].phase;
}

// dz/dT and d2z/dT2 of column (k, j).
static inline double assemble_by_time(const plan_program *p, int point, int k, int j,
                                      double *second)
{
    const plan_state *s = &p->states[point];
    const double      z = s->z[k * p->n + j];
    if (p->problem->prescribed[j].on) {
        *second = s->u * s->u * plan_prescribed_at(&p->problem->prescribed[j], s->u * s->T, k + 2);
        return s->u * plan_prescribed_at(&p->problem->prescribed[j], s->u * s->T, k + 1);
    }
    *second = k * (k + 1) * z / (s->T * s->T);
    return -k * z / s->T;
}

static inline double shape_slope(const plan_objective *o, double x)
{
    if (o->shape == ARNE_OBJECTIVE_SQUARE) return 2 * x;
    if (o->shape == ARNE_OBJECTIVE_PLAIN) return 1;
    if (o->shape == ARNE_OBJECTIVE_POWER) return copysign(o->power * pow(fabs(x), o->power - 1), x);
    return x / sqrt(x * x + o->smooth * o->smooth);
}

static inline double shape_bend(const plan_objective *o, double x)
{
    if (o->shape == ARNE_OBJECTIVE_SQUARE) return 2;
    if (o->shape == ARNE_OBJECTIVE_PLAIN) return 0;
    if (o->shape == ARNE_OBJECTIVE_POWER)
        return o->power * (o->power - 1) * pow(fabs(x), o->power - 2);
    const double r = sqrt(x * x + o->smooth * o->smooth);
    return o->smooth * o->smooth / (r * r * r);
}

// The weight of a point in an objective, without T; 0: the objective does not use the point.
static inline double assemble_share(const plan_program *p, const plan_objective *o, int point)
{
    if (o->point >= 0) return o->point == point;
    return o->phase < 0 || o->phase == p->points[point].phase ? p->points[point].weight : 0;
}

// Whether an objective grows with the duration, and by what its value at a point is multiplied.
static inline int assemble_has_time(const plan_objective *o) { return o->point < 0 && !o->mean; }

static inline double assemble_duration(const plan_objective *o, const plan_state *s)
{
    return assemble_has_time(o) ? s->T : 1;
}

// The index of a point among those of a constraint, which are in order; -1: it is none of them.
int plan_find_place(const plan_constraint *c, int point);

// The sum of an objective's rows at a point whose gradients are known, and its gradient by z into
// g.
int plan_objective_at(plan_program *p, const plan_objective *o, int point, double *g,
                      double *value);

#endif
