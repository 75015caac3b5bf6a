#include "algo/centroidal.k.h"
#include "math/lower.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include <arne/kinematics.h>

KERNEL(double, arne_total_mass, (const arne_robot *robot), (robot)) { return total_mass(robot); }

KERNEL(void, arne_center_of_mass,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, arne_vec3 *com,
        arne_vec3 *velocity),
       (robot, w, q, qd, com, velocity))
{
    WORK_FITS(robot, w);
    vec3 at, speed = v3_zero();
    center_of_mass(robot, w, q, qd, &at, &speed);
    *com = lower(at);
    if (qd && velocity) *velocity = lower(speed);
}

KERNEL(void, arne_com_jacobian, (const arne_robot *robot, arne_work *w, const double *q, double *J),
       (robot, w, q, J))
{
    WORK_FITS(robot, w);
    com_jacobian(robot, w, q, J);
}

KERNEL(void, arne_momentum,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, arne_wrench *out),
       (robot, w, q, qd, out))
{
    WORK_FITS(robot, w);
    *out = lower_force(momentum_about_com(robot, w, q, qd));
}

KERNEL(void, arne_centroidal_matrix,
       (const arne_robot *robot, arne_work *w, const double *q, double *A), (robot, w, q, A))
{
    WORK_FITS(robot, w);
    centroidal_matrix(robot, w, q, A);
}
