// The inner loops of the Hessian of a point.
#ifndef ARNE_PLAN_HESSIAN_BLOCKS_H
#define ARNE_PLAN_HESSIAN_BLOCKS_H

#include "plan/transcription/assemble.h"

// H += c row row^T, of its first `used` rows and columns.
void plan_add_square(const arne_robot *robot, int used, int stride, double c, const double *row,
                     double *H);

// out = H z
void plan_times(const arne_robot *robot, int used, int stride, const double *H, const double *z,
                double *out);

// Control points with control points: alive x alive for each pair of coordinates, from H by z.
void plan_spread_points(const arne_robot *robot, const plan_program *p, const double *H,
                        basis_weights w, double *out);

#endif
