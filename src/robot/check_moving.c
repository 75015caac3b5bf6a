// Joints that move nothing.
#include "base/error.h"
#include "robot/build.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A body that carries no other one and turns about an axis on which all of it lies, to rounding.
static int is_on_its_axis(const arne_robot *r, int i)
{
    const body *b = robot_bodies(r) + i;
    if (r->shares_coordinates || b->kind != ARNE_JOINT_REVOLUTE) return 0;
    for (int k = i + 1; k < r->body_count; k++)
        if (robot_bodies(r)[k].parent == i) return 0;
    return b->inertia.J.z.z + robot_dofs(r)[b->v_start].rotor <= robot_least(r)[b->v_start];
}

// Whether a joint, one that moves with it, or a rotor has something to move.
static int resists(const build *s, const int *has, int joint)
{
    const graph *g = &s->g;
    const int    leader = g->mimic[joint] < 0 ? joint : g->mimic[joint];
    for (int k = 0; k < s->b->joint_count; k++)
        if ((k == leader || g->mimic[k] == leader) &&
            (has[s->sites[g->child[k]].body] || s->b->joints[k].rotor_inertia > 0))
            return 1;
    for (int t = 0; t < g->term_count; t++)
        if (g->terms[t].with == leader && g->terms[t].joint >= 0 &&
            has[s->sites[g->child[g->terms[t].joint]].body])
            return 1;
    for (int i = 0; i < g->bend_count; i++)
        if ((g->bends[i].with == leader || g->bends[i].times == leader) &&
            has[s->sites[g->child[g->bends[i].joint]].body])
            return 1;
    for (int i = 0; i < s->r->exponent_count; i++) {
        const exponent_record *x = &robot_exponents(s->r)[i];
        for (int k = x->start; k < x->start + x->count; k++)
            if (robot_exponent_columns(s->r)[k].with == s->joint_index[leader] &&
                has[robot_joints(s->r)[x->joint].body])
                return 1;
    }
    for (int m = 0; m < s->b->motor_count && !s->j.options->no_rotor; m++) {
        const arne_motor_spec *motor = &s->b->motors[m];
        if (motor->inertia > 0 && !isfinite(motor->stiffness) &&
            !strcmp(motor->joint, s->b->joints[leader].name))
            return 1;
    }
    return 0;
}

// A moving joint with nothing behind it that could resist: answers exist but for forward dynamics.
arne_status build_check_moving(const build *s)
{
    const arne_robot *r = s->r;
    int              *has = calloc((size_t)r->body_count, sizeof *has);
    if (!has) return arne_fail_memory(s->j.error);
    arne_status status = ARNE_OK;
    for (int i = r->body_count - 1; i > 0; i--) {
        const body             *b = robot_bodies(r) + i;
        const constant_inertia *I = &b->inertia;
        has[i] |= I->m > 0 || I->J.x.x > 0 || I->J.y.y > 0 || I->J.z.z > 0;
        has[b->parent] |= has[i];
    }
    for (int i = 0; status_goes_on(status) && i < s->b->joint_count; i++) {
        const arne_joint_spec *spec = &s->b->joints[i];
        const int              child = s->g.child[i], at = s->sites[child].body;
        if (s->joint_index[i] < 0 || spec->rotor_inertia > 0) continue;
        if (has[at] ? !is_on_its_axis(r, at) : resists(s, has, i)) continue;
        status = status_both(
            status, judge_flaw(&s->j, "inertia", spec->place,
                               (s->b->bodies[child].accept & ARNE_ACCEPT_INERTIA) != 0,
                               has[at] ? "joint '%s' turns link '%s', but all its mass is on the "
                                         "axis: there is no inertia about it"
                                       : "joint '%s' moves link '%s', but there is no inertia "
                                         "behind it",
                               spec->name, spec->child));
    }
    free(has);
    return status;
}
