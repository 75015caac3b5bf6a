// Checks of a problem, before a solver is placed.
#include "base/error.h"
#include "control/oc.h"
#include <math.h>

enum { MOST_KNOTS = 1000000, MOST_THREADS = 1024 };

static arne_status check_rows(const arne_oc *oc, const arne_oc_term *t, int i, arne_error *error)
{
    const int     rows = t->quantity == ARNE_OC_FRICTION ? 1 : oc_term_rows(oc, t);
    const double *w = t->weights;
    for (int r = 0; r < rows && w; r++)
        if (!(w[r] >= 0) || !isfinite(w[r]))
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "term %d: weight %g of row %d is not a number of zero or more", i,
                             w[r], r);
    for (int r = 0; r < rows && (t->lower || t->upper); r++) {
        const double low = t->lower ? t->lower[r] : -INFINITY,
                     high = t->upper ? t->upper[r] : INFINITY;
        if (!(low <= high))
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "term %d: the lower bound %g of row %d is not below the upper one, %g",
                             i, low, r, high);
    }
    return ARNE_OK;
}

static arne_status check_index(const arne_oc *oc, const arne_oc_term *t, int i, arne_error *error)
{
    const arne_sizes sizes = arne_robot_sizes(oc->robot);
    const int        frame = t->quantity == ARNE_OC_POSE || t->quantity == ARNE_OC_POSITION ||
                      t->quantity == ARNE_OC_VELOCITY || t->quantity == ARNE_OC_FORCE ||
                      t->quantity == ARNE_OC_FRICTION;
    const int joint = t->quantity == ARNE_OC_WRENCH;
    if ((frame && (t->index < 0 || t->index >= sizes.frame_count)) ||
        (joint && (t->index < 0 || t->index >= sizes.joint_count)))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "term %d: there is no %s %d", i,
                         frame ? "frame" : "joint", t->index);
    return ARNE_OK;
}

static arne_status check_term(const arne_oc *oc, const arne_oc_term *t, int i, arne_error *error)
{
    const int needs_control = t->quantity == ARNE_OC_CONTROL || t->quantity == ARNE_OC_RATE ||
                              t->quantity == ARNE_OC_WRENCH || t->quantity == ARNE_OC_FORCE ||
                              t->quantity == ARNE_OC_FRICTION || t->quantity == ARNE_OC_TORQUE;
    if ((unsigned)t->quantity >= ARNE_OC_QUANTITY_COUNT)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "term %d: there is no quantity %d", i,
                         (int)t->quantity);
    if (!(t->weight >= 0) || !isfinite(t->weight))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "term %d: weight %g is not a number of zero or more", i, t->weight);
    if (t->at_end && needs_control)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "term %d: at the end there is no control to weigh or bound", i);
    if (t->first < 0 || t->last < 0 || t->last < t->first || t->last >= oc->N)
        if (!t->at_end)
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "term %d: knots %d to %d are not among the %d knots", i, t->first,
                             t->last, oc->N);
    if (t->quantity == ARNE_OC_RESIDUAL && (!t->residual || t->rows < 1 || t->rows > 100000))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "term %d: a residual needs a function and a number of rows", i);
    if (t->quantity == ARNE_OC_COST && (!t->cost || t->lower || t->upper))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "term %d: a cost needs a function, and has no bounds", i);
    if (t->quantity == ARNE_OC_FRICTION &&
        (!t->lower || !isfinite(t->lower[0]) || t->upper || t->weight != 0))
        return arne_fail(
            error, ARNE_VALUE, NULL, 0,
            "term %d: a friction cone is a bound: it needs `lower`, the least distance "
            "from the cone, and has neither a weight nor `upper`",
            i);
    if (t->quantity == ARNE_OC_WRENCH && oc->phase_count > 0)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "term %d: wrenches of joints are not supported with contacts", i);
    const arne_status status = check_index(oc, t, i, error);
    return status ? status : check_rows(oc, t, i, error);
}

static arne_status check_controls(const arne_oc *oc, const arne_oc_problem *p, arne_error *error)
{
    if (oc->nu < 1)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "the robot has no control: nothing drives it");
    for (int i = 0; i < oc->n * oc->nu && p->actuation; i++)
        if (!isfinite(p->actuation[i]))
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "actuation has a number that is not finite");
    for (int i = 0; i < oc->nu; i++) {
        const double low = p->control_lower ? p->control_lower[i] : -INFINITY,
                     high = p->control_upper ? p->control_upper[i] : INFINITY;
        if (!(low <= high) || low == INFINITY || high == -INFINITY)
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "control %d: the lower bound %g is not below the upper one, %g", i,
                             low, high);
    }
    return ARNE_OK;
}

static arne_status check_phase(const arne_oc *oc, const arne_oc_problem *p, int i,
                               arne_error *error)
{
    const arne_oc_phase *phase = &p->phases[i];
    const int            frames = arne_robot_sizes(oc->robot).frame_count;
    if ((i == 0 && phase->first != 0) || (i > 0 && phase->first <= phase[-1].first))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "phase %d starts at knot %d: phases start at 0, then rise", i,
                         phase->first);
    if (phase->contact_count < 0 || (phase->contact_count > 0 && !phase->contacts))
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "phase %d: contacts is NULL", i);
    for (int k = 0; k < phase->contact_count; k++)
        if (phase->contacts[k].frame < 0 || phase->contacts[k].frame >= frames)
            return arne_fail(error, ARNE_VALUE, NULL, 0, "phase %d: there is no frame %d", i,
                             phase->contacts[k].frame);
    return ARNE_OK;
}

static arne_status check_phases(const arne_oc *oc, const arne_oc_problem *p, arne_error *error)
{
    arne_status status = ARNE_OK;
    if (p->phase_count < 0 || (p->phase_count > 0 && !p->phases))
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "phases is NULL");
    if (!(p->contact_damping >= 0) || !isfinite(p->contact_damping))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "contact_damping %g is not a number of zero or more", p->contact_damping);
    for (int i = 0; i < p->phase_count && !status; i++)
        status = check_phase(oc, p, i, error);
    return status;
}

arne_status oc_check(const arne_oc *oc, const arne_oc_problem *p, arne_error *error)
{
    if (p->knots < 1 || p->knots > MOST_KNOTS)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "a horizon of %d knots is not between 1 and %d", p->knots, MOST_KNOTS);
    if (!(p->step > 0) || !isfinite(p->step))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "the step %g is not positive", p->step);
    if ((unsigned)p->integrator >= ARNE_OC_INTEGRATOR_COUNT)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no integrator %d",
                         (int)p->integrator);
    if (p->threads < 0 || p->threads > MOST_THREADS)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "%d threads are not between 0 and %d",
                         p->threads, MOST_THREADS);
    if ((unsigned)p->control_kind >= ARNE_OC_CONTROL_KIND_COUNT)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no kind of controls %d",
                         (int)p->control_kind);
    if (oc->by_acceleration && (p->actuation || p->phase_count > 0))
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "accelerations as controls have no %s: controls are torques then",
                         p->actuation ? "actuation" : "contacts");
    if (arne_robot_sizes(oc->robot).loop_count > 0)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "optimal control of robots with loops is not supported");
    if (p->term_count < 0 || (p->term_count > 0 && !p->terms))
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "terms is NULL");
    arne_status status = check_controls(oc, p, error);
    if (!status) status = check_phases(oc, p, error);
    for (int i = 0; i < p->term_count && !status; i++)
        status = check_term(oc, &p->terms[i], i, error);
    return status;
}
