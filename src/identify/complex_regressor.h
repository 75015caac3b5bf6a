// Derivatives of the regressor, for robots whose joints have one coordinate each.
#ifndef ARNE_IDENTIFY_COMPLEX_REGRESSOR_H
#define ARNE_IDENTIFY_COMPLEX_REGRESSOR_H

#include <arne/robot.h>

typedef struct complex_regressor complex_regressor;

// NULL where there is no memory.
complex_regressor *complex_regressor_new(const arne_robot *robot);
void               complex_regressor_free(complex_regressor *c);
// dY along entry k of x = (q, qd, qdd): v_count x parameters.
void complex_regressor_along(complex_regressor *c, const double *x, int k, double *dY);

#endif
