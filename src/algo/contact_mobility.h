// J M^-1 J^T of few conditions, without M^-1 J^T.
#ifndef ARNE_ALGO_CONTACT_MOBILITY_H
#define ARNE_ALGO_CONTACT_MOBILITY_H

#include "algo/contact_columns.h"

// Numbers from one velocity coordinate to the next in `inward`, for so many rows in all: with one
// for torques, and room to look at four.
static inline int contact_stride(int rows) { return (rows + 7) / 4 * 4; }

// J as contact_columns has it, what each row leaves at the joints on its way inward (coordinates x
// stride) and K = J M^-1 J^T (rows x rows). With torques (NULL: none) the row after the last is
// theirs, and rates = J M^-1 torques. Returns 0, where nothing is known of these, for a robot that
// contact_columns must look at: shared coordinates, or a mass matrix that may be singular.
int contact_mobility(const arne_robot *robot, arne_work *work, const double *q,
                     const contact_rows *rows, int count, const double *torques, double *J,
                     double *inward, double *K, double *rates);

// v += M^-1 J^T p, with what contact_mobility left in `inward` and in the workspace. p: one number
// for each row and one for the torques, then zeros up to the stride.
void contact_impulses(const arne_robot *robot, arne_work *work, const double *inward, int stride,
                      const double *p, double *v);

#endif
