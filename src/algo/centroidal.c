#include "algo/centroidal.k.h"
#include "math/lower.h"
#include "robot/work_layout.h"
#include <arne/kinematics.h>

double arne_total_mass(const arne_robot *robot) { return total_mass(robot); }

void arne_center_of_mass(const arne_robot *robot, arne_work *w, const double *q, const double *qd,
                         arne_vec3 *com, arne_vec3 *velocity)
{
    WORK_FITS(robot, w);
    vec3 at, speed = v3_zero();
    center_of_mass(robot, w, q, qd, &at, &speed);
    *com = lower(at);
    if (qd && velocity) *velocity = lower(speed);
}

void arne_com_jacobian(const arne_robot *robot, arne_work *w, const double *q, double *J)
{
    WORK_FITS(robot, w);
    com_jacobian(robot, w, q, J);
}

void arne_momentum(const arne_robot *robot, arne_work *w, const double *q, const double *qd,
                   arne_wrench *out)
{
    WORK_FITS(robot, w);
    *out = lower_force(momentum_about_com(robot, w, q, qd));
}

void arne_centroidal_matrix(const arne_robot *robot, arne_work *w, const double *q, double *A)
{
    WORK_FITS(robot, w);
    centroidal_matrix(robot, w, q, A);
}
