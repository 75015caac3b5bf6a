// A robot in base parameters, in the axes of its recursions, where joints have their axes along z.
//
// There, the second moments Sigma = tr(J)/2 1 - J serve better than J: of a body that turns about z
// it is Szz alone, with h_z and m, that the body before can take over, and the recursions multiply
// by Sigma.
#include "base/error.h"
#include "identify/independent_columns.h"
#include "identify/random_regressors.h"
#include "math/lower.h"
#include <arne/identify.h>
#include <stdlib.h>
#include <string.h>

// What bends little makes columns that are almost dependent, but torques are to stay what they are:
// only rounding counts as dependent.
#define CURVED_PART 1e-11

// In place of m, hx, hy, hz, Jxx, Jxy, Jyy, Jxz, Jyz, Jzz: the same with Sigma. J = tr(Sigma) 1 -
// Sigma.
static void columns_to_moments(int rows, double *link)
{
    for (int i = 0; i < rows; i++) {
        double      *at = link + i;
        const size_t n = (size_t)rows;
        const double xx = at[4 * n], yy = at[6 * n], zz = at[9 * n];
        at[4 * n] = yy + zz;
        at[6 * n] = xx + zz;
        at[9 * n] = xx + yy;
        at[5 * n] = -at[5 * n];
        at[7 * n] = -at[7 * n];
        at[8 * n] = -at[8 * n];
    }
}

static void moments_of(const constant_inertia *I, double *out)
{
    const constant_sym *S = &I->second;
    const double        all[LINK_PARAMETERS] = {I->m,   I->h.x, I->h.y, I->h.z, S->x.x,
                                                S->x.y, S->y.y, S->x.z, S->y.z, S->z.z};
    memcpy(out, all, sizeof all);
}

static constant_inertia base_form_inertia_of(const double *p)
{
    const constant_inertia I = {
        {p[1], p[2], p[3], 0},
        {{p[6] + p[9], -p[5], -p[7], 0},
         {-p[5], p[4] + p[9], -p[8], 0},
         {-p[7], -p[8], p[4] + p[6], 0}},
        {{p[4], p[5], p[7], 0}, {p[5], p[6], p[8], 0}, {p[7], p[8], p[9], 0}},
        p[0]};
    return I;
}

static void read_parameters(const arne_robot *r, double *pi)
{
    memset(pi, 0, (size_t)parameter_count(r) * sizeof *pi);
    for (int j = 0; j < r->joint_count; j++) {
        const body *b = &robot_bodies(r)[robot_joints(r)[j].body];
        moments_of(&b->inertia, pi + LINK_PARAMETERS * j);
        pi[rotor_start(r) + j] = robot_dofs(r)[b->v_start].rotor;
    }
}

// Friction stays as it is, and so do motors.
static void write_parameters(arne_robot *r, const double *pi)
{
    r->has_rotor = 0;
    for (int j = 0; j < r->joint_count; j++)
        ROBOT_ARRAY(r, body, bodies)
    [robot_joints(r)[j].body].inertia = base_form_inertia_of(pi + LINK_PARAMETERS * j);
    for (int k = 0; k < r->tree_v_count; k++) {
        dof        *d = &ROBOT_ARRAY(r, dof, dofs)[k];
        const body *b = &robot_bodies(r)[d->body];
        if (b->kind != ARNE_JOINT_ROTOR) d->rotor = pi[rotor_start(r) + b->joint];
        r->has_rotor |= d->rotor != 0;
    }
}

// Those that are to be kept first. Rotors come last.
static int order_of_bodies(const arne_robot *r, int *order)
{
    static const int of_body[LINK_PARAMETERS] = {5, 7, 8, 4, 6, 1, 2, 9, 3, 0};
    int              count = 0;
    for (int i = 0; i < LINK_PARAMETERS * r->joint_count; i++)
        order[count++] = i / LINK_PARAMETERS * LINK_PARAMETERS + of_body[i % LINK_PARAMETERS];
    for (int j = 0; r->has_rotor && j < r->joint_count; j++)
        order[count++] = rotor_start(r) + j;
    return count;
}

// pi, with what is not kept moved to what is.
static void regroup(const column_set *found, int columns, const double *pi, double *out)
{
    memset(out, 0, (size_t)columns * sizeof *out);
    for (int i = 0; i < found->rank; i++)
        for (int c = 0; c < columns; c++)
            out[found->kept[i]] += found->relation[(size_t)i * (size_t)columns + (size_t)c] * pi[c];
}

static int rewrite(const arne_robot *robot, arne_work *w, arne_robot *copy)
{
    const size_t count = (size_t)parameter_count(robot) + 1;
    samples      s = {0};
    column_set   found = {0};
    int         *order = malloc(count * sizeof *order);
    double      *pi = malloc(2 * count * sizeof *pi);
    int          fine = order && pi && samples_make(robot, w, PARAMETERS_OF_BODIES, 1, &s);
    for (int j = 0; fine && j < robot->joint_count; j++)
        columns_to_moments(s.rows, s.A + (size_t)j * LINK_PARAMETERS * (size_t)s.rows);
    fine = fine && column_set_make(s.rows, s.columns, s.A, order, order_of_bodies(robot, order),
                                   robot->is_curved ? CURVED_PART : DEPENDENT_PART, &found);
    if (fine) {
        read_parameters(robot, pi);
        regroup(&found, s.columns, pi, pi + count);
        write_parameters(copy, pi + count);
    }
    column_set_free(&found);
    samples_free(&s);
    free(order);
    free(pi);
    return fine;
}

// The first joint that follows by a spline of what itself follows, so that random states may miss
// the spline's points; -1: none.
static int base_form_function(const arne_robot *robot)
{
    for (int i = 0; i < robot->follow_count; i++) {
        const follow_record *f = &robot_follows(robot)[i];
        if (f->function.kind == ARNE_FUNCTION_SPLINE && !robot_joints(robot)[f->with].info.q_count)
            return f->joint;
    }
    return -1;
}

arne_status arne_robot_base_form(const arne_robot *robot, arne_robot **out, arne_error *error)
{
    if (out) *out = NULL;
    if (!robot || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    const int follows = base_form_function(robot);
    if (follows >= 0)
        return arne_fail(
            error, ARNE_UNSUPPORTED, NULL, 0,
            "joint '%.100s' follows by a spline of a joint that follows itself: random states, at "
            "which base parameters are found, may miss its points",
            arne_robot_joint(robot, follows).name);
    arne_work  *w = NULL;
    arne_robot *copy = malloc(robot->size);
    if (copy && arne_work_new(robot, &w) == ARNE_OK) {
        memcpy(copy, robot, robot->size);
        copy->is_base_form = 1;
        if (rewrite(robot, w, copy)) *out = copy;
    }
    arne_work_free(w);
    if (*out) return ARNE_OK;
    free(copy);
    return arne_fail_memory(error);
}
