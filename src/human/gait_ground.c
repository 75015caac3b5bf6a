// The wrench of the ground on a walker, with exact first and second derivatives.
//
// All axes and wrenches are about the world's origin, in the world's axes; S_j is the unit twist of
// joint j. Moving a joint a displaces all S_j behind it: dS_j/dq_a = S_a x S_j. With B the six
// columns S of the joints between world and pelvis ("root"), tau_root = B^T W, and for the joints
// of a leg tau_j = tau0_j - S_j . W_foot(W).
//
// First:  dW = B^-T (dtau0_root - dB^T W),  dtau_j = dtau0_j - dS_j . W_foot - S_j . W_foot' dW.
// Second, of f = sum of mu_j tau_j + nu . h(W): with V = sum of mu_j S_j over a leg, f = mu . tau0
// - V_R . W_R - V_L . W_L + nu . h. By W it is the short formula of `shared`; y = df/dW meets d2W
// as xi . d2tau0_root, where B xi = y, and what follows from the change of xi.
#include "human/gait_ground.h"
#include "base/error.h"
#include "math/dense.h"
#include "plan/problem/plan_jet.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOT = 6, MOST = 24 }; // joints from the world to a foot

typedef struct twist {
    double v[6];
} twist;

typedef struct ground {
    gait_support support;
    int          frame[WALKER_SIDES];
    int          path[WALKER_SIDES]
            [MOST]; // coordinates from the world to the foot; the first ROOT are common
    int count[WALKER_SIDES];
    int v_count;
} ground;

// What is known at a state.
typedef struct at_ground {
    twist   S[WALKER_SIDES][MOST];
    double  inverse[ROOT][ROOT]; // of B
    double  W[6], feet[WALKER_SIDES][6];
    jet     right[6]; // W of the right foot, as a function of W
    jet     rows[GROUND_ROWS];
    double *J, *dW, *dfeet; // 6 x v_count; 6 x 3 v_count; likewise of each foot
} at_ground;

// ---- twists

// db/da of a twist b whose body moves with the unit twist a: a x b.
static twist ground_cross(const twist *a, const twist *b)
{
    const double *v = a->v, *w = a->v + 3, *p = b->v, *r = b->v + 3;
    return (twist){{w[1] * p[2] - w[2] * p[1] + v[1] * r[2] - v[2] * r[1],
                    w[2] * p[0] - w[0] * p[2] + v[2] * r[0] - v[0] * r[2],
                    w[0] * p[1] - w[1] * p[0] + v[0] * r[1] - v[1] * r[0],
                    w[1] * r[2] - w[2] * r[1], w[2] * r[0] - w[0] * r[2],
                    w[0] * r[1] - w[1] * r[0]}};
}

static void ground_add(twist *sum, double factor, const twist *t)
{
    for (int i = 0; i < 6; i++)
        sum->v[i] += factor * t->v[i];
}

static double ground_dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < 6; i++)
        sum += a[i] * b[i];
    return sum;
}

// The sum of c_i S_i over joints from `first` on.
static twist tail(const twist *S, const double *c, int first, int count)
{
    twist sum = {{0}};
    for (int i = first; i < count; i++)
        ground_add(&sum, c[i], &S[i]);
    return sum;
}

// Nonzero: singular.
static int ground_invert(double A[ROOT][ROOT], double out[ROOT][ROOT])
{
    for (int i = 0; i < ROOT; i++)
        for (int k = 0; k < ROOT; k++)
            out[i][k] = i == k;
    return !dense_eliminate(ROOT, &A[0][0], ROOT, &out[0][0], 1e-9);
}

// ---- the short formula

// Right foot and rows as functions of W.
static void shared(const gait_support *s, double u, const double *W, jet right[6],
                   jet rows[GROUND_ROWS])
{
    jet F[6];
    for (int i = 0; i < 6; i++)
        F[i] = jet_variable(W[i], i);
    const jet x = jet_quotient(&F[5], &F[1]), minus_z = jet_quotient(&F[3], &F[1]);
    const jet z = jet_sum(-1, &minus_z, 0, &minus_z);
    const jet one = jet_constant(1);
    rows[GROUND_X] = x, rows[GROUND_Z] = z;
    for (int i = 0; i < 3; i++)
        rows[GROUND_FX + i] = F[i];
    if (u >= s->until - 1e-9) {
        rows[GROUND_ASIDE] = jet_sum(1, &x, -s->right, &one);
        memcpy(right, F, sizeof F);
        return;
    }
    const double span = s->front - s->rear;
    const jet    share = jet_sum(1 / span, &z, -s->rear / span, &one);
    const jet    line = jet_sum(s->left, &one, s->right - s->left, &share);
    const jet    aside = jet_sum(1, &x, -1, &line), at = jet_sum(s->right, &one, 1, &aside);
    const jet    zFx = jet_product(&z, &F[0]), xFz = jet_product(&x, &F[2]);
    const jet    turn = jet_sum(1, &zFx, -1, &xFz), My = jet_sum(1, &F[4], -1, &turn);
    const jet    atFz = jet_product(&at, &F[2]), frontFx = jet_sum(s->front, &F[0], -1, &atFz);
    const jet    N[3] = {jet_sum(-s->front, &F[1], 0, &F[1]), jet_sum(1, &frontFx, 1, &My),
                         jet_product(&at, &F[1])};
    rows[GROUND_ASIDE] = aside;
    for (int i = 0; i < 3; i++) {
        right[i] = jet_product(&share, &F[i]);
        right[3 + i] = jet_product(&share, &N[i]);
    }
}

void plan_gait_share(const gait_support *support, double u, const double *W,
                     double feet[WALKER_SIDES][6])
{
    jet right[6], rows[GROUND_ROWS];
    shared(support, u, W, right, rows);
    for (int i = 0; i < 6; i++) {
        feet[WALKER_RIGHT][i] = right[i].v;
        feet[WALKER_LEFT][i] = W[i] - right[i].v;
    }
}

// ---- values

static int ground_look(const ground *g, plan_state *s, at_ground *a)
{
    double B[ROOT][ROOT];
    a->J = s->at->own;
    a->dW = a->J + 6 * g->v_count;
    a->dfeet = a->dW + 18 * g->v_count;
    plan_torques(s);
    for (int side = 0; side < WALKER_SIDES; side++) {
        arne_jacobian(s->robot, s->work, s->q, g->frame[side], ARNE_AXES_WORLD, a->J);
        for (int i = 0; i < g->count[side]; i++)
            for (int k = 0; k < 6; k++)
                a->S[side][i].v[k] = a->J[k * g->v_count + g->path[side][i]];
    }
    for (int i = 0; i < ROOT; i++)
        for (int k = 0; k < ROOT; k++)
            B[k][i] = a->S[0][i].v[k];
    if (ground_invert(B, a->inverse)) return 1;
    memset(a->W, 0, sizeof a->W);
    for (int i = 0; i < ROOT; i++)
        for (int k = 0; k < ROOT; k++)
            a->W[k] += a->inverse[i][k] * s->tau[g->path[0][i]];
    shared(&g->support, s->u, a->W, a->right, a->rows);
    for (int i = 0; i < 6; i++) {
        a->feet[WALKER_RIGHT][i] = a->right[i].v;
        a->feet[WALKER_LEFT][i] = a->W[i] - a->right[i].v;
    }
    return 0;
}

static int ground_values(const plan_quantity *q, plan_state *s, double *out)
{
    const ground *g = q->data;
    at_ground     a;
    if (ground_look(g, s, &a)) return 1;
    memcpy(out, s->tau, (size_t)g->v_count * sizeof *out);
    for (int i = 0; i < ROOT; i++)
        out[g->path[0][i]] = 0;
    for (int side = 0; side < WALKER_SIDES; side++)
        for (int i = ROOT; i < g->count[side]; i++)
            out[g->path[side][i]] -= ground_dot(a.S[side][i].v, a.feet[side]);
    for (int i = 0; i < GROUND_ROWS; i++)
        out[g->v_count + i] = a.rows[i].v;
    return 0;
}

// ---- first derivatives

// The three matrices of dtau0 row by row: by q, qd, qdd.
static const double *torque_row(const plan_state *s, int order, int row)
{
    const double *matrix[] = {s->tau_q, s->tau_v, s->M};
    return matrix[order] + row * s->problem->v_count;
}

// dW, and of both feet.
static void wrench_derivatives(const ground *g, plan_state *s, const at_ground *a)
{
    const int v = g->v_count, all = 3 * v;
    double    turned[ROOT][ROOT] = {{0}}; // dB^T W: of root joint i by that of a
    plan_torque_derivatives(s);
    for (int i = 0; i < ROOT; i++)
        for (int k = 0; k < i; k++) {
            const twist moved = ground_cross(&a->S[0][k], &a->S[0][i]);
            turned[i][k] = ground_dot(moved.v, a->W);
        }
    memset(a->dW, 0, 6 * (size_t)all * sizeof *a->dW);
    for (int i = 0; i < ROOT; i++)
        for (int r = 0; r < 6; r++) {
            const double c = a->inverse[i][r];
            double      *row = a->dW + r * all;
            for (int order = 0; order < 3; order++) {
                const double *from = torque_row(s, order, g->path[0][i]);
                for (int k = 0; k < v; k++)
                    row[order * v + k] += c * from[k];
            }
            for (int k = 0; k < i; k++)
                row[g->path[0][k]] -= c * turned[i][k];
        }
    for (int r = 0; r < 6; r++) {
        double *right = a->dfeet + r * all, *left = a->dfeet + (6 + r) * all;
        memset(right, 0, (size_t)all * sizeof *right);
        for (int i = 0; i < 6; i++)
            for (int k = 0; a->right[r].g[i] != 0 && k < all; k++)
                right[k] += a->right[r].g[i] * a->dW[i * all + k];
        for (int k = 0; k < all; k++)
            left[k] = a->dW[r * all + k] - right[k];
    }
}

static void leg_gradient(const ground *g, const at_ground *a, int side, double *out)
{
    const int v = g->v_count, all = 3 * v;
    for (int i = ROOT; i < g->count[side]; i++) {
        const twist *S = &a->S[side][i];
        double      *row = out + g->path[side][i] * PLAN_ORDERS * v;
        for (int r = 0; r < 6; r++)
            for (int k = 0; k < all; k++)
                row[k] -= S->v[r] * a->dfeet[(side * 6 + r) * all + k];
        for (int k = 0; k < i; k++) {
            const twist moved = ground_cross(&a->S[side][k], S);
            row[g->path[side][k]] -= ground_dot(moved.v, a->feet[side]);
        }
    }
}

static int is_root(const ground *g, int coordinate)
{
    for (int i = 0; i < ROOT; i++)
        if (g->path[0][i] == coordinate) return 1;
    return 0;
}

static int ground_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    const ground *g = q->data;
    const int     v = g->v_count, all = 3 * v;
    at_ground     a;
    if (ground_look(g, s, &a)) return 1;
    wrench_derivatives(g, s, &a);
    for (int j = 0; j < v; j++)
        for (int order = 0; order < 3 && !is_root(g, j); order++)
            memcpy(out + (j * PLAN_ORDERS + order) * v, torque_row(s, order, j),
                   (size_t)v * sizeof *out);
    for (int side = 0; side < WALKER_SIDES; side++)
        leg_gradient(g, &a, side, out);
    for (int i = 0; i < GROUND_ROWS; i++)
        for (int r = 0; r < 6; r++)
            for (int k = 0; a.rows[i].g[r] != 0 && k < all; k++)
                out[(v + i) * PLAN_ORDERS * v + k] += a.rows[i].g[r] * a.dW[r * all + k];
    return 0;
}

// ---- second derivatives

// Adds an entry of a symmetric matrix that the formula gives once, for both triangles.
static void curve(plan_state *s, int column, int other, double value)
{
    plan_curve(s, column, other, column == other ? 0.5 * value : value);
}

// The part of a leg: -V . W_foot, where V and W_foot both change. c: multipliers along the path,
// zero for the root.
static void curve_leg(const ground *g, plan_state *s, const at_ground *a, int side, const double *c)
{
    const twist *S = a->S[side];
    const int    all = 3 * g->v_count;
    for (int b = 0; b < g->count[side]; b++) {
        const twist rest = tail(S, c, b + 1, g->count[side]), moved = ground_cross(&S[b], &rest);
        const int   at = g->path[side][b];
        for (int k = 0; k < all; k++) {
            double sum = 0;
            for (int r = 0; r < 6; r++)
                sum += moved.v[r] * a->dfeet[(side * 6 + r) * all + k];
            plan_curve(s, at, k, -sum);
        }
        for (int k = 0; k <= b; k++) {
            const twist twice = ground_cross(&S[k], &moved);
            curve(s, at, g->path[side][k], -ground_dot(twice.v, a->feet[side]));
        }
    }
}

// y . d2W less what the second derivatives of tau0 give.
static void curve_root(const ground *g, plan_state *s, const at_ground *a, const double *xi)
{
    const twist *S = a->S[0];
    const int    v = g->v_count, *path = g->path[0];
    double       dxi[ROOT][ROOT] = {{0}};
    twist        moved[ROOT];
    for (int k = 0; k < ROOT; k++) {
        const twist rest = tail(S, xi, k + 1, ROOT);
        moved[k] = ground_cross(&S[k], &rest);
        for (int i = 0; i < ROOT; i++)
            dxi[k][i] = -ground_dot(a->inverse[i], moved[k].v);
        for (int i = 0; i < ROOT; i++)
            for (int order = 0; order < 3; order++)
                for (int c = 0; c < v; c++)
                    plan_curve(s, path[k], order * v + c,
                               dxi[k][i] * torque_row(s, order, path[i])[c]);
    }
    for (int b = 0; b < ROOT; b++)
        for (int k = 0; k <= b; k++) {
            const twist twice = ground_cross(&S[k], &moved[b]);
            const twist one = tail(S, dxi[b], k + 1, ROOT), other = tail(S, dxi[k], b + 1, ROOT);
            const twist first = ground_cross(&S[k], &one), second = ground_cross(&S[b], &other);
            curve(s, path[b], path[k],
                  -ground_dot(a->W, twice.v) - ground_dot(a->W, first.v) -
                      ground_dot(a->W, second.v));
        }
}

// The curvature of the short formula, for given second derivatives Q by W.
static void curve_wrench(const ground *g, plan_state *s, const at_ground *a, double Q[6][6])
{
    const int all = 3 * g->v_count;
    for (int c = 0; c < all; c++) {
        double column[6] = {0};
        for (int r = 0; r < 6; r++)
            for (int i = 0; i < 6; i++)
                column[r] += Q[r][i] * a->dW[i * all + c];
        for (int k = 0; k <= c; k++) {
            double sum = 0;
            for (int r = 0; r < 6; r++)
                sum += column[r] * a->dW[r * all + k];
            curve(s, c, k, sum);
        }
    }
}

static void ground_hessian(const plan_quantity *q, plan_state *s, const double *lambda)
{
    const ground *g = q->data;
    const int     v = g->v_count;
    at_ground     a;
    double        c[WALKER_SIDES][MOST] = {{0}}, y[6], Q[6][6] = {{0}}, xi[ROOT];
    twist         V[WALKER_SIDES];
    if (ground_look(g, s, &a)) return;
    wrench_derivatives(g, s, &a);
    for (int side = 0; side < WALKER_SIDES; side++) {
        for (int i = ROOT; i < g->count[side]; i++)
            c[side][i] = lambda[g->path[side][i]];
        V[side] = tail(a.S[side], c[side], ROOT, g->count[side]);
        curve_leg(g, s, &a, side, c[side]);
    }
    // f = -V_L . W + (V_L - V_R) . W_R(W) + rows
    for (int i = 0; i < 6; i++)
        y[i] = -V[WALKER_LEFT].v[i];
    for (int r = 0; r < 6 + GROUND_ROWS; r++) {
        const jet   *f = r < 6 ? &a.right[r] : &a.rows[r - 6];
        const double factor =
            r < 6 ? V[WALKER_LEFT].v[r] - V[WALKER_RIGHT].v[r] : lambda[v + r - 6];
        for (int i = 0; i < 6; i++) {
            y[i] += factor * f->g[i];
            for (int k = 0; k < 6; k++)
                Q[i][k] += factor * f->h[i][k];
        }
    }
    curve_wrench(g, s, &a, Q);
    for (int i = 0; i < ROOT; i++)
        xi[i] = ground_dot(a.inverse[i], y);
    curve_root(g, s, &a, xi);
    for (int j = 0; j < v; j++)
        if (!is_root(g, j)) plan_curve_torque(s, j, lambda[j]);
    for (int i = 0; i < ROOT; i++)
        plan_curve_torque(s, g->path[0][i], xi[i]);
}

// ---- making it

// The coordinates from the world to a frame.
static arne_status find_path(const arne_robot *robot, int frame, int *path, int *count,
                             arne_error *error)
{
    const arne_sizes size = arne_robot_sizes(robot);
    const char      *name = arne_robot_frame(robot, frame).name;
    *count = 0;
    for (int at = frame; at >= 0; at = arne_robot_frame(robot, at).parent)
        for (int j = 0; j < size.joint_count; j++) {
            const arne_joint_info joint = arne_robot_joint(robot, j);
            if (joint.child != at || !arne_robot_frame(robot, at).is_link) continue;
            if (*count == MOST || joint.mimic >= 0)
                return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                                 "gait: between the world and '%s' there must be at most %d joints "
                                 "and none that follows another",
                                 name, MOST);
            memmove(path + 1, path, (size_t)*count * sizeof *path);
            path[0] = joint.v_start;
            ++*count;
        }
    return ARNE_OK;
}

static arne_status ground_fill(ground *g, const arne_robot *robot, arne_error *error)
{
    for (int side = 0; side < WALKER_SIDES; side++) {
        const arne_status status =
            find_path(robot, g->frame[side], g->path[side], &g->count[side], error);
        if (status) return status;
    }
    int common = 0;
    while (common < g->count[0] && common < g->count[1] && g->path[0][common] == g->path[1][common])
        common++;
    if (common != ROOT)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "gait: six joints must carry both legs (three slides and three turns), "
                         "robot '%s' has %d",
                         arne_robot_name(robot), common);
    return ARNE_OK;
}

arne_status plan_gait_ground(arne_plan *plan, const int frames[WALKER_SIDES],
                             const gait_support *support, int *quantity, arne_error *error)
{
    ground *g = calloc(1, sizeof *g);
    if (!g) return arne_fail_memory(error);
    g->v_count = plan->problem.v_count;
    g->support = *support;
    memcpy(g->frame, frames, sizeof g->frame);
    arne_status status = ground_fill(g, plan->problem.robot, error);
    if (!status) {
        const plan_quantity what = {.name = "ground",
                                    .rows = g->v_count + GROUND_ROWS,
                                    .orders = 7,
                                    .data = g,
                                    .scratch = (6 + 3 * 6 * 3) * g->v_count,
                                    .release = free,
                                    .values = ground_values,
                                    .gradient = ground_gradient,
                                    .hessian = ground_hessian};
        status = plan_add(plan_change(plan), &what, quantity, error);
    }
    if (status) free(g);
    return status;
}
