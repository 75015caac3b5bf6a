// Where everything is and how it moves.
#include "algo/centroidal.k.h"
#include "algo/energy.k.h"
#include "algo/jacobian.k.h"
#include "batch/block.h"
#include "batch/motions.k.h"

RUN(KINEMATICS)
{
    UNPACK;
    const batch_job         *job = c->job;
    const arne_batch_inputs *given = job->given;
    const int                moves = job->out[OUT_velocity] || job->out[OUT_acceleration];
    kinematics(r, w, in[IN_q], moves ? in[IN_qd] : NULL,
               job->out[OUT_acceleration] ? in[IN_qdd] : NULL);
    if (job->out[OUT_pose]) {
        const pose X = frame_pose(r, w, given->frame);
        put_vec3(out[OUT_pose], X.R.x);
        put_vec3(out[OUT_pose] + 3, X.R.y);
        put_vec3(out[OUT_pose] + 6, X.R.z);
        put_vec3(out[OUT_pose] + 9, X.p);
    }
    if (job->out[OUT_velocity])
        put_motion(out[OUT_velocity], frame_velocity(r, w, given->frame, given->axes));
    if (job->out[OUT_acceleration])
        put_motion(out[OUT_acceleration],
                   frame_acceleration(r, w, given->frame, given->axes, given->kind));
    return 0;
}

RUN(JACOBIAN)
{
    UNPACK;
    const arne_batch_inputs *given = c->job->given;
    if (c->job->out[OUT_jacobian])
        jacobian(r, w, in[IN_q], given->frame, given->axes, out[OUT_jacobian]);
    if (c->job->out[OUT_jacobian_rate])
        jacobian_rate(r, w, in[IN_q], in[IN_qd], given->frame, given->axes, out[OUT_jacobian_rate]);
    return 0;
}

RUN(CENTER_OF_MASS)
{
    UNPACK;
    vec3 com, velocity = v3_zero();
    center_of_mass(r, w, in[IN_q], c->job->out[OUT_com_velocity] ? in[IN_qd] : NULL, &com,
                   &velocity);
    put_vec3(out[OUT_com], com);
    put_vec3(out[OUT_com_velocity], velocity);
    return 0;
}

RUN(COM_JACOBIAN)
{
    UNPACK;
    com_jacobian(r, w, in[IN_q], out[OUT_com_jacobian]);
    return 0;
}

RUN(ENERGY)
{
    UNPACK;
    if (c->job->out[OUT_kinetic]) *out[OUT_kinetic] = kinetic_energy(r, w, in[IN_q], in[IN_qd]);
    if (c->job->out[OUT_potential]) *out[OUT_potential] = potential_energy(r, w, in[IN_q]);
    return 0;
}

RUN(MOMENTUM)
{
    UNPACK;
    const force h = momentum_about_com(r, w, in[IN_q], in[IN_qd]);
    put_motion(out[OUT_momentum], mo(h.lin, h.ang));
    return 0;
}

RUN(CENTROIDAL_MATRIX)
{
    UNPACK;
    centroidal_matrix(r, w, in[IN_q], out[OUT_centroidal_matrix]);
    return 0;
}
