// A step of the rigid model for those who have torques.
#include "base/error.h"
#include "world/joint_friction.h"
#include "world/rigid.h"
#include <stdlib.h>
#include <string.h>

typedef struct given {
    const arne_world  *w;
    arne_work         *work;
    const double      *tau;
    const arne_wrench *f_ext;
} given;

static arne_status world_step_accelerate(void *context, const double *q, const double *qd,
                                         double *qdd, arne_error *error)
{
    const given *g = context;
    const rigid *r = g->w->rigid;
    memcpy(r->applied, g->tau, (size_t)g->w->robot->v_count * sizeof *g->tau);
    rigid_without_dry(r, qd, r->applied);
    const arne_stabilisation open = {0, 0}; // the middle of a step is closed to its own precision
    if (r->loop)
        return arne_loop_forward_dynamics(g->w->robot, g->work, r->loop, q, qd, r->applied,
                                          g->f_ext, &open, qdd, error);
    return arne_forward_dynamics(g->w->robot, g->work, q, qd, r->applied, g->f_ext, qdd, error);
}

static arne_status world_step_torques(void *context, const double *q, const double *qd, double *out,
                                      arne_error *error)
{
    const given *g = context;
    const rigid *r = g->w->rigid;
    const int    nv = g->w->robot->v_count;
    (void)error;
    memset(r->qdd, 0, (size_t)nv * sizeof *r->qdd);
    memcpy(r->applied, g->tau, (size_t)nv * sizeof *g->tau);
    rigid_without_dry(r, qd, r->applied);
    arne_inverse_dynamics(g->w->robot, g->work, q, qd, r->qdd, g->f_ext, out);
    for (int i = 0; i < nv; i++)
        out[i] = r->applied[i] - out[i];
    return ARNE_OK;
}

// The robot's friction becomes rows of the first step.
static arne_status take_friction(arne_world *w, arne_error *error)
{
    rigid *r = w->rigid;
    if (r->has_dry) return ARNE_OK;
    const int curved = friction_by_function(w->robot);
    if (curved >= 0)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "joint '%s' follows by a function and has friction, which worlds do not "
                         "have: put the friction on the joint that it follows",
                         arne_robot_joint(w->robot, curved).name);
    dry_joint *dry = calloc((size_t)dry_collect(w->robot, NULL) + 1, sizeof *dry);
    if (!dry) return arne_fail_memory(error);
    const int count = dry_collect(w->robot, dry);
    for (int i = 0; i < count; i++)
        rigid_add_dry(w, dry[i].v, dry[i].positive, dry[i].negative);
    free(dry);
    r->has_dry = 1;
    return ARNE_OK;
}

arne_status arne_world_step(arne_world *world, arne_work *work, const double *tau,
                            const arne_wrench *f_ext, double h, double *q, double *qd,
                            arne_error *error)
{
    if (!world || !work || !tau || !q || !qd)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    if (!world->rigid)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "a step of the rigid model needs surfaces of that model");
    if (!(h > 0) || !isfinite(h))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "the step must be positive, and is %g", h);
    const arne_status status = take_friction(world, error);
    if (status) return status;
    given             g = {world, work, tau, f_ext};
    const rigid_plant how = {.context = &g,
                             .accelerate = world_step_accelerate,
                             .torques = world->rigid->loop ? NULL : world_step_torques};
    double            done = 0;
    return rigid_step(world, work, &how, h, q, qd, &done, error);
}
