// One state: derivatives, rates and the regressor.
#include "single_state.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOADS c->what->loads, c->what->load_count

STATE(jerk)
{
    UNPACK;
    double *rate = malloc(((size_t)c->self->size.v_count + 1) * sizeof *rate);
    if (!rate) return ARNE_NO_MEMORY;
    arne_torque_rate(r, w, IN(q), IN(qd), IN(qdd), IN(qddd), NULL, 0, NULL, rate);
    put_motion(out[0], arne_frame_jerk(r, w, c->what->frame, c->what->axes));
    free(rate);
    return ARNE_OK;
}

STATE(torque_rate)
{
    UNPACK;
    arne_torque_rate(r, w, IN(q), IN(qd), IN(qdd), IN(qddd), LOADS, out[0], out[1]);
    return ARNE_OK;
}

STATE(inverse_dynamics_derivatives)
{
    UNPACK;
    arne_inverse_dynamics_derivatives(r, w, IN(q), IN(qd), IN(qdd), LOADS, out[0], out[1], out[2]);
    return ARNE_OK;
}

STATE(inverse_dynamics_along)
{
    UNPACK;
    arne_inverse_dynamics_along(r, w, IN(q), IN(qd), IN(qdd), LOADS, IN(along_q), IN(along_qd),
                                IN(along_qdd), out[0]);
    return ARNE_OK;
}

STATE(inverse_dynamics_against)
{
    UNPACK;
    arne_inverse_dynamics_against(r, w, IN(q), IN(qd), IN(qdd), LOADS, IN(multiplier), out[0],
                                  out[1], out[2]);
    return ARNE_OK;
}

STATE(forward_dynamics_derivatives)
{
    UNPACK;
    return arne_forward_dynamics_derivatives(r, w, IN(q), IN(qd), IN(tau), LOADS, NULL, out[0],
                                             out[1], out[2], c->error);
}

STATE(wrench_derivatives)
{
    UNPACK;
    arne_inverse_dynamics_derivatives(r, w, IN(q), IN(qd), IN(qdd), LOADS, NULL, NULL, NULL);
    arne_wrench_derivatives(r, w, c->what->joint, out[0], out[1], out[2]);
    return ARNE_OK;
}

// With a multiplier the sum; without, those of every torque, one after the other. The function has
// another order than the catalogue: q and qd before qd alone.
STATE(second_derivatives)
{
    UNPACK;
    const size_t n = (size_t)c->self->size.v_count;
    if (IN(multiplier))
        return arne_second_derivatives(r, w, IN(q), IN(qd), IN(qdd), LOADS, IN(multiplier), out[0],
                                       out[2], out[1], out[3], c->error);
    double     *unit = calloc(n + 1, sizeof *unit);
    arne_status status = unit ? ARNE_OK : ARNE_NO_MEMORY;
    for (size_t i = 0; i < n && !status; i++) {
        const size_t at = i * n * n;
        unit[i] = 1;
        status = arne_second_derivatives(r, w, IN(q), IN(qd), IN(qdd), LOADS, unit, out[0] + at,
                                         out[2] + at, out[1] + at, out[3] + at, c->error);
        unit[i] = 0;
    }
    free(unit);
    return status;
}

STATE(frame_motion_derivatives)
{
    UNPACK;
    const arne_frame_derivatives all = {out[0], out[1], out[2], out[3], out[4]};
    arne_frame_motion_derivatives(r, w, IN(q), IN(qd), IN(qdd), c->what->frame, c->what->axes,
                                  &all);
    return ARNE_OK;
}

STATE(centroidal_derivatives)
{
    UNPACK;
    const arne_momentum_derivatives all = {out[1], out[2], out[3], out[4], out[5]};
    arne_wrench                     rate;
    arne_centroidal_derivatives(r, w, IN(q), IN(qd), IN(qdd), &rate, &all);
    put_wrench(out[0], rate);
    return ARNE_OK;
}

STATE(contact_dynamics_derivatives)
{
    UNPACK;
    const arne_contact_derivatives all = {.dqdd_dq = out[0],
                                          .dqdd_dqd = out[1],
                                          .dqdd_dtau = out[2],
                                          .dforces_dq = out[3],
                                          .dforces_dqd = out[4],
                                          .dforces_dtau = out[5]};
    (void)r;
    return arne_contact_dynamics_derivatives(c->what->holding, w, IN(q), IN(qd), IN(tau), LOADS,
                                             &all, c->error);
}

STATE(zero_moment_point)
{
    UNPACK;
    arne_vec3         zmp = {0};
    const arne_status status =
        arne_zero_moment_point(r, w, IN(q), IN(qd), IN(qdd), c->what->point, c->what->normal, &zmp,
                               out[1], out[2], out[3]);
    put3(out[0], zmp);
    if (status && c->error)
        snprintf(c->error->text, sizeof c->error->text, "no force presses on the plane");
    return status;
}

STATE(regressor)
{
    UNPACK;
    arne_regressor(r, w, IN(q), IN(qd), IN(qdd), out[0]);
    return ARNE_OK;
}

static const state_function functions[ARNE_ALGORITHM_COUNT] = {
    [ARNE_ALGORITHM_JERK] = jerk,
    [ARNE_ALGORITHM_CONTACT_DYNAMICS_DERIVATIVES] = contact_dynamics_derivatives,
    [ARNE_ALGORITHM_TORQUE_RATE] = torque_rate,
    [ARNE_ALGORITHM_INVERSE_DYNAMICS_DERIVATIVES] = inverse_dynamics_derivatives,
    [ARNE_ALGORITHM_INVERSE_DYNAMICS_ALONG] = inverse_dynamics_along,
    [ARNE_ALGORITHM_INVERSE_DYNAMICS_AGAINST] = inverse_dynamics_against,
    [ARNE_ALGORITHM_FORWARD_DYNAMICS_DERIVATIVES] = forward_dynamics_derivatives,
    [ARNE_ALGORITHM_WRENCH_DERIVATIVES] = wrench_derivatives,
    [ARNE_ALGORITHM_SECOND_DERIVATIVES] = second_derivatives,
    [ARNE_ALGORITHM_FRAME_MOTION_DERIVATIVES] = frame_motion_derivatives,
    [ARNE_ALGORITHM_CENTROIDAL_DERIVATIVES] = centroidal_derivatives,
    [ARNE_ALGORITHM_ZERO_MOMENT_POINT] = zero_moment_point,
    [ARNE_ALGORITHM_REGRESSOR] = regressor,
};

state_function derivative_function(arne_algorithm algorithm) { return functions[algorithm]; }
