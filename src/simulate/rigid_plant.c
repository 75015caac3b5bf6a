// A step of the rigid model of contact: what the plant does in it besides contact, joint limits and
// joints that stick.
#include "base/error.h"
#include "simulate/plant.h"
#include "world/rigid.h"
#include "world/straight_motion.h"
#include <string.h>

int plant_has_ground(const arne_simulation_spec *sim)
{
    for (int i = 0; i < sim->surrounding_count; i++)
        if (sim->surroundings[i].kind == ARNE_SURROUNDING_GROUND) return 1;
    return 0;
}

// All grounds are of one model.
static int has_model(const arne_simulation_spec *sim, arne_contact_model model)
{
    for (int i = 0; i < sim->surrounding_count; i++)
        if (sim->surroundings[i].kind == ARNE_SURROUNDING_GROUND &&
            sim->surroundings[i].surface.model == model)
            return 1;
    return 0;
}

int plant_is_rigid(const arne_simulation_spec *sim)
{
    return sim->stop_at_limits == ARNE_LIMITS_HOLD || has_model(sim, ARNE_CONTACT_RIGID);
}

arne_status rigid_check(const arne_simulation_spec *sim, arne_error *error)
{
    const int   contact = has_model(sim, ARNE_CONTACT_RIGID);
    const char *why = NULL, *way_out = "";
    if (!plant_is_rigid(sim)) return ARNE_OK;
    if (sim->integrator.method >= ARNE_METHOD_ROSENBROCK) {
        why = "needs an integrator with steps of a fixed size: take euler or rk4";
        if (contact) way_out = ", or the compliant model";
    } else if (sim->drive == ARNE_DRIVE_REFERENCE) {
        why = "is for robots that torques drive, not for drive: reference";
        if (contact) way_out = "; take the compliant model";
    } else if (has_model(sim, ARNE_CONTACT_COMPLIANT)) {
        why = "needs ground of the rigid model, or none";
    }
    if (!why) return ARNE_OK;
    return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "%s %s%s",
                     contact ? "rigid contact" : "a joint that stops at its limit (limits: hold)",
                     why, way_out);
}

void rigid_take_friction(plant *p)
{
    for (int i = 0; i < p->dry_count; i++)
        rigid_add_dry(p->world, p->dry[i].v, p->dry[i].positive, p->dry[i].negative);
    p->dry_count = 0;
}

static arne_status rigid_plant_accelerate(void *context, const double *q, const double *qd,
                                          double *qdd, arne_error *error)
{
    plant      *p = context;
    arne_status status = ARNE_OK;
    if (!p->samples) status = plant_control(p, p->now, q, qd, error);
    if (status != ARNE_OK) return status;
    p->bare = 1;
    surroundings_act(p, p->now, q, qd);
    p->bare = 0;
    memcpy(p->applied, p->tau, (size_t)p->sizes.v_count * sizeof *p->tau);
    dry_apply(p, qd);
    rigid_without_dry(p->world->rigid, qd, p->applied);
    const arne_stabilisation open = {0, 0}; // the middle of a step is closed to its own precision
    if (p->loop)
        return arne_loop_forward_dynamics(p->robot, p->work, p->loop, q, qd, p->applied, p->loads,
                                          &open, qdd, error);
    return arne_forward_dynamics(p->robot, p->work, q, qd, p->applied, p->loads, qdd, error);
}

static void rigid_plant_stand_at(void *context, double since)
{
    plant *p = context;
    p->now = p->step_start + since;
    plant_move_base(p, p->now);
}

// The power of all that is not conservative, but for impulses and the base, at velocities p->qd.
static double other_power(plant *p)
{
    double sum = p->surroundings_power - friction_power(p, p->qd);
    for (int i = 0; i < p->sizes.v_count; i++)
        sum += p->tau[i] * p->qd[i];
    const rigid *r = p->world->rigid;
    for (int i = 0; i < r->dry_count; i++) { // that is among the impulses
        const double v = p->qd[r->dry[i].v];
        sum += v > 0 ? r->dry[i].positive * v : -r->dry[i].negative * v;
    }
    return sum;
}

// What a prescribed base does: the wrench on it times how it moves. In an impact t is 0, loads are
// impulses, and velocities jump by p->given_qdd: what is left without them is no part of it.
static double base_work(plant *p, double t, const double *q, const arne_touch *loads, int count)
{
    const int hits = t == 0;
    double    sum = 0;
    memset(p->qd, 0, hits ? (size_t)p->sizes.v_count * sizeof *p->qd : 0);
    if (hits) memset(p->f_ext, 0, (size_t)p->sizes.body_count * sizeof *p->f_ext);
    arne_kinematics(p->robot, p->work, q, p->qd, NULL);
    world_load(p->world, p->work, loads, count, p->f_ext);
    arne_inverse_dynamics(p->robot, p->work, q, p->qd, p->given_qdd, p->loads, p->applied);
    sum = plant_base_power(p);
    if (!hits) return t * sum;
    memset(p->given_qdd, 0, (size_t)p->sizes.v_count * sizeof *p->given_qdd);
    arne_inverse_dynamics(p->robot, p->work, q, p->qd, p->given_qdd, NULL, p->applied);
    return sum - plant_base_power(p);
}

static double work_done(void *context, double t, const double *q, const double *from,
                        const double *to, const arne_touch *loads, int count)
{
    plant    *p = context;
    const int nv = p->sizes.v_count;
    for (int i = 0; i < nv; i++)
        p->qd[i] = 0.5 * (from[i] + to[i]);
    const double others = t > 0 ? t * other_power(p) : 0;
    if (!p->sim->base) return others;
    memset(p->given_qdd, 0, (size_t)nv * sizeof *p->given_qdd);
    if (t > 0) straight_rates(p->robot, p->qd, p->given_qdd);
    for (int i = 0; i < nv; i++)
        p->given_qdd[i] = (to[i] - from[i]) / (t > 0 ? t : 1) - p->given_qdd[i];
    return others + base_work(p, t, q, loads, count);
}

static void keep_impact(void *context, double since, const arne_touch *touches, int count)
{
    plant *p = context;
    impacts_add(&p->impacts, p->step_start + since, touches, count);
}

void rigid_summary(const plant *p, arne_simulation_summary *out)
{
    if (!p->world) return;
    out->contact_residual = p->world->rigid->residual_largest;
    out->penetration = p->world->rigid->deepest;
}

// Contacts have had these impulses since the last row.
static void keep_impulses(plant *p, double h)
{
    for (int i = 0; i < p->world->touch_count; i++) {
        const arne_touch *t = &p->world->touches[i];
        const int         on[2] = {t->contact, t->other};
        for (int k = 0; k < 2 && on[k] >= 0; k++) {
            arne_vec3 *sum = &p->impulses[on[k]];
            *sum = vec_add(*sum, t->force, k ? -h : h);
        }
    }
}

arne_status rigid_plant_step(void *context, double time, double h, double *q, double *qd, double *z,
                             arne_error *error)
{
    plant            *p = context;
    const rigid_plant how = {.context = p,
                             .accelerate = rigid_plant_accelerate,
                             .at = rigid_plant_stand_at,
                             .work = work_done,
                             .impact = keep_impact};
    double            done = 0;
    p->step_start = time;
    const arne_status status = rigid_step(p->world, p->work, &how, h, q, qd, &done, error);
    if (status == ARNE_OK && z) z[0] += done;
    if (status == ARNE_OK) keep_impulses(p, h);
    return status;
}
