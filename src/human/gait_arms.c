// Arms swing with the legs of the other side: (wrist - shoulder)_z (ankle - hip)_z of arm and
// opposite leg.
#include "base/error.h"
#include "human/gait.h"
#include <stdlib.h>
#include <string.h>

enum { ENDS = 4 }; // wrist, shoulder, ankle, hip

typedef struct arms {
    int frame[WALKER_SIDES][ENDS]; // of the arm of one side and the leg of the other
} arms;

static double height(const plan_state *s, int frame)
{
    return arne_frame_pose(s->robot, s->work, frame).p.z;
}

// How far forward arm and leg reach.
static void arms_reach(const arms *a, plan_state *s, int side, double out[2])
{
    arne_kinematics(s->robot, s->work, s->q, NULL, NULL);
    for (int i = 0; i < 2; i++)
        out[i] = height(s, a->frame[side][2 * i]) - height(s, a->frame[side][2 * i + 1]);
}

// The Jacobian of an end: 6 x v_count.
static double *jacobian_of(const plan_state *s, int end)
{
    return s->at->own + 6 * end * s->problem->v_count;
}

static void slopes(const arms *a, plan_state *s, int side)
{
    for (int i = 0; i < ENDS; i++)
        arne_jacobian(s->robot, s->work, s->q, a->frame[side][i], ARNE_AXES_ALIGNED,
                      jacobian_of(s, i));
}

// d(reach)/dq_k of the arm (0) or the leg (1).
static double arms_slope(const plan_state *s, int which, int k)
{
    const int at = 2 * s->problem->v_count + k;
    return jacobian_of(s, 2 * which)[at] - jacobian_of(s, 2 * which + 1)[at];
}

static int arms_values(const plan_quantity *q, plan_state *s, double *out)
{
    for (int side = 0; side < WALKER_SIDES; side++) {
        double x[2];
        arms_reach(q->data, s, side, x);
        out[side] = x[0] * x[1];
    }
    return 0;
}

static int arms_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    const arms *a = q->data;
    const int   v = s->problem->v_count;
    for (int side = 0; side < WALKER_SIDES; side++) {
        double x[2];
        arms_reach(a, s, side, x);
        slopes(a, s, side);
        for (int k = 0; k < v; k++)
            out[side * PLAN_ORDERS * v + k] =
                x[1] * arms_slope(s, 0, k) + x[0] * arms_slope(s, 1, k);
    }
    return 0;
}

// lambda d2z of a frame: with w the turn and d the move that coordinates cause, k nearer the world,
// d2z is (w_k x d_l)_z.
static void curve_forward(plan_state *s, const double *J, double lambda)
{
    const int v = s->problem->v_count;
    for (int k = 0; k < v; k++) {
        const double wx = J[3 * v + k], wy = J[4 * v + k];
        for (int l = k; (wx != 0 || wy != 0) && l < v; l++)
            plan_curve(s, k, l, (k == l ? 0.5 : 1) * lambda * (wx * J[v + l] - wy * J[l]));
    }
}

static void arms_hessian(const plan_quantity *q, plan_state *s, const double *lambda)
{
    const arms *a = q->data;
    const int   v = s->problem->v_count;
    for (int side = 0; side < WALKER_SIDES; side++) {
        double x[2];
        if (lambda[side] == 0) continue;
        arms_reach(a, s, side, x);
        slopes(a, s, side);
        for (int i = 0; i < ENDS; i++)
            curve_forward(s, jacobian_of(s, i), lambda[side] * x[1 - i / 2] * (i % 2 ? -1 : 1));
        for (int k = 0; k < v; k++)
            for (int l = 0; arms_slope(s, 0, k) != 0 && l < v; l++)
                plan_curve(s, k, l, lambda[side] * arms_slope(s, 0, k) * arms_slope(s, 1, l));
    }
}

arne_status plan_gait_arms(arne_plan *plan, const walker_parts *walker, int *quantity,
                           arne_error *error)
{
    arms *a = calloc(1, sizeof *a);
    if (!a) return arne_fail_memory(error);
    for (int side = 0; side < WALKER_SIDES; side++) {
        const int *arm = walker->sides[side].frames, *leg = walker->sides[1 - side].frames;
        const int  ends[ENDS] = {arm[WALKER_WRIST], arm[WALKER_SHOULDER], leg[WALKER_ANKLE],
                                 leg[WALKER_HIP]};
        memcpy(a->frame[side], ends, sizeof ends);
    }
    const plan_quantity what = {.name = "arms",
                                .rows = WALKER_SIDES,
                                .orders = 1,
                                .data = a,
                                .scratch = 6 * ENDS * plan->problem.v_count,
                                .release = free,
                                .values = arms_values,
                                .gradient = arms_gradient,
                                .hessian = arms_hessian};
    const arne_status   status = plan_add(plan_change(plan), &what, quantity, error);
    if (status) free(a);
    return status;
}
