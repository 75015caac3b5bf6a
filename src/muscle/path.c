// Lengths, lengthening speeds and moment arms of paths.
//
// A path is a list of nodes: its points that count at q, and two where it meets and leaves each
// surface that it wraps. Between nodes it is straight, with the unit vector u from a to b, or an
// arc on a surface.
//     L = sum of |b - a| + sum of arcs,   Ldot = sum of u . (v_b - v_a)
// The two nodes on a surface are taken as fixed to its body: at the shortest path L does not change
// to first order where they slide. So the moment arm -dL/dq_k is what unit tension does along S_k: a
// piece pulls its bodies together by the wrench (u, a x u), which acts on the joints between them.
//
// Several surfaces are wrapped one after the other, each between the nodes that the others left,
// until no node moves: every step shortens the path.
//
// Inside of a rod, at the place d(s) of its sections, a path is as long as the integral of |c|, c =
// nu + kappa x d + d', by Gauss's two points of each slice. With t = c / |c|, unit tension does -(t,
// d x t) on the strains (nu, kappa).
#include "muscle/path.h"
#include "algo/kinematics.k.h"
#include "math/lower.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include "robot/wrap.h"

// Surfaces that overlap may push the path off each other for ever: after some passes none is wrapped
// anew.
enum { WRAP_PASSES = 200, WRAP_PASSES_ANEW = 10 };
static const double WRAP_MOVES = 1e-13;     // of the robot's length: nodes that move less stay
static const double CONDITION_SPARE = 1e-5; // of conditional points

typedef struct path {
    const arne_robot    *r;
    work                *w;
    const muscle_record *m;
    const double        *q, *qd; // of the tree; qd NULL: not wanted
    const double        *user_qd;
    path_node           *nodes;
    int                  count;
} path;

// ---- points ----

static void path_add_point(path *p, int index)
{
    const point_record *point = robot_path_points(p->r) + p->m->point + index;
    const pose         *X = &p->w->X_w[point->body];
    path_node          *n = &p->nodes[p->count];
    if (point->joint >= 0 && !(p->q[point->q] >= point->lower - CONDITION_SPARE &&
                               p->q[point->q] <= point->upper + CONDITION_SPARE))
        return;
    *n = (path_node){.body = point->body, .point = index, .use = -1};
    vec3 at = lift(point->at);
    if (point->moves) {
        const pose in_body = pose_lift(robot_frames(p->r)[point->frame].info.pose);
        arne_vec3  local = point->position;
        for (int k = 0; k < 3; k++) {
            double d[FUNCTION_ORDERS];
            if (point->curve[k] < 0) continue;
            const path_curve *c = &robot_path_curves(p->r)[point->curve[k]];
            const double      x = fmin(fmax(p->q[c->q], c->lower), c->upper);
            numbers_at(c->stage.form, robot_path_numbers(p->r) + c->stage.at, c->stage.count, x, d);
            (&local.x)[k] = d[0];
            n->slope[k] = x == p->q[c->q] ? d[1] : 0;
        }
        at = add(in_body.p, rot(in_body.R, lift(local)));
    }
    n->at = lower(add(X->p, rot(X->R, at)));
    p->count++;
}

// ---- inside of rods ----

// The point that the piece after node i comes to along a rod; NULL: it does not.
static const point_record *path_inside(const path *p, int i)
{
    const int           next = p->nodes[i + 1].point;
    const point_record *point = robot_path_points(p->r) + p->m->point + next;
    return next >= 0 && point->exponent >= 0 ? point : NULL;
}

// c, or its rate from that of the strains.
static vec3 inside_way(const point_record *at, int gauss, motion strain, int rate)
{
    const vec3 way = add(strain.lin, cross(strain.ang, lift(at->offset[gauss])));
    return rate ? way : add(way, lift(at->slope[gauss]));
}

// The length of a piece; with t the unit vectors at its two points.
static double inside_length(const path *p, const point_record *at, vec3 *t)
{
    double length = 0;
    for (int g = 0; g < 2; g++) {
        const vec3   way = inside_way(at, g, p->w->exponent[at->exponent].strain[g], 0);
        const double size = sqrt(dot(way, way));
        length += 0.5 * robot_exponents(p->r)[at->exponent].length * size;
        if (t) t[g] = size > 0 ? scale(way, 1 / size) : v3_zero();
    }
    return length;
}

// From the user's velocities.
static double inside_velocity(const path *p, const point_record *at)
{
    const exponent_record *x = &robot_exponents(p->r)[at->exponent];
    motion                 rate[2];
    vec3                   t[2];
    inside_length(p, at, t);
    exponent_strains(p->r, x, p->user_qd, 1, rate);
    return 0.5 * x->length *
           (dot(t[0], inside_way(at, 0, rate[0], 1)) + dot(t[1], inside_way(at, 1, rate[1], 1)));
}

// Adds to the arms of the user's coordinates.
static void inside_arms(const path *p, const point_record *at, double *arms)
{
    const exponent_record *x = &robot_exponents(p->r)[at->exponent];
    const exponent_column *columns = robot_exponent_columns(p->r) + x->start;
    vec3                   t[2];
    double                 by[2][STRAINS];
    inside_length(p, at, t);
    for (int g = 0; g < 2; g++)
        for (int k = 0; k < STRAINS; k++)
            by[g][k] = -0.5 * x->length * dot(t[g], inside_way(at, g, strain_unit(k), 1));
    for (int j = 0; j < x->count; j++)
        for (int g = 0; g < 2; g++)
            arms[columns[j].from_v] += columns[j].weight[g] * by[g][columns[j].strain];
}

// ---- surfaces ----

static void path_remove(path *p, int at, int count)
{
    p->count -= count;
    for (int i = at; i < p->count; i++)
        p->nodes[i] = p->nodes[i + count];
}

// A surface in the world.
static pose path_surface(const path *p, const wrap_record *wrap)
{
    const pose at = pose_lift(wrap->at);
    return pose_mul(&p->w->X_w[wrap->body], &at);
}

static arne_vec3 path_seen(const pose *X, arne_vec3 a)
{
    return lower(into(X, sub(lift(a), X->p)));
}

static double path_distance(arne_vec3 a, arne_vec3 b)
{
    const vec3 d = sub(lift(b), lift(a));
    return sqrt(dot(d, d));
}

// The piece that wraps a surface best: the first that goes through it, else the one that becomes
// least longer. Returns the node before it, -1 for none.
static int path_best_piece(const path *p, const wrap_use *use, const pose *X, wrap_arc *best)
{
    const wrap_record *wrap = &robot_wraps(p->r)[use->wrap];
    const int          last = use->last < 0 ? p->m->point_count - 1 : use->last;
    double             least = INFINITY;
    int                found = -1, started = 0;
    for (int i = 0; i + 1 < p->count; i++) {
        const path_node *a = &p->nodes[i], *b = a + 1;
        wrap_arc         arc;
        if (a->point >= use->first) started = 1;
        if (b->point > last || (a->point >= 0 && a->point >= last)) break;
        if (!started || (a->use >= 0 && a->use == b->use) || path_inside(p, i)) continue;
        const arne_vec3    from = path_seen(X, a->at), to = path_seen(X, b->at);
        const wrap_outcome outcome = wrap_line(&wrap->spec, from, to, &arc);
        const double       longer = outcome == WRAP_POSSIBLE
                                        ? path_distance(from, arc.from) + arc.length +
                                        path_distance(arc.to, to) - path_distance(from, to)
                                        : 0;
        if (outcome == WRAP_NONE || (outcome == WRAP_POSSIBLE && longer >= least)) continue;
        *best = arc;
        found = i;
        least = longer;
        if (outcome == WRAP_CERTAIN) break;
    }
    return found;
}

// Wraps one surface, between all others as they are. Returns how far its nodes moved; infinite
// where it is wrapped now and was not, or the other way.
static double path_wrap(path *p, int index, int anew)
{
    const wrap_use    *use = robot_wrap_uses(p->r) + p->m->use + index;
    const wrap_record *wrap = &robot_wraps(p->r)[use->wrap];
    const pose         X = path_surface(p, wrap);
    path_node          old[2] = {{.use = -1}, {.use = -1}};
    wrap_arc           arc;
    for (int i = 0; i < p->count; i++)
        if (p->nodes[i].use == index) {
            old[0] = p->nodes[i];
            old[1] = p->nodes[i + 1];
            path_remove(p, i, 2);
        }
    if (old[0].use < 0 && !anew) return 0;
    const int at = path_best_piece(p, use, &X, &arc);
    if (at < 0) return old[0].use < 0 ? 0 : INFINITY;
    for (int i = p->count - 1; i > at; i--)
        p->nodes[i + 2] = p->nodes[i];
    p->count += 2;
    path_node *n = &p->nodes[at + 1];
    n[0] = n[1] = (path_node){.body = wrap->body, .point = -1, .use = index};
    n[0].at = lower(add(X.p, rot(X.R, lift(arc.from))));
    n[1].at = lower(add(X.p, rot(X.R, lift(arc.to))));
    n[0].arc = arc.length;
    if (old[0].use < 0) return INFINITY;
    return fmax(path_distance(old[0].at, n[0].at), path_distance(old[1].at, n[1].at));
}

// The nodes of a muscle.
static void path_find(path *p, const muscle_record *m)
{
    const double enough = WRAP_MOVES * p->r->length;
    p->m = m;
    p->count = 0;
    for (int i = 0; i < m->point_count; i++)
        path_add_point(p, i);
    for (int pass = 0; pass < WRAP_PASSES; pass++) {
        double moved = 0;
        for (int i = 0; i < m->use_count; i++)
            moved = fmax(moved, path_wrap(p, i, pass < WRAP_PASSES_ANEW));
        if (m->use_count < 2 || !(moved > enough)) break;
    }
}

// ---- what follows from the nodes ----

static double path_length(const path *p)
{
    double length = 0;
    for (int i = 0; i + 1 < p->count; i++) {
        const point_record *inside = path_inside(p, i);
        length += inside                ? inside_length(p, inside, NULL)
                  : p->nodes[i].arc > 0 ? p->nodes[i].arc
                                        : path_distance(p->nodes[i].at, p->nodes[i + 1].at);
    }
    return length;
}

// The unit vector of the piece from node i to the next; zero on a surface, and between equal nodes.
static vec3 path_direction(const path *p, int i)
{
    const vec3   d = sub(lift(p->nodes[i + 1].at), lift(p->nodes[i].at));
    const double length = sqrt(dot(d, d));
    return p->nodes[i].arc > 0 || !(length > 0) ? v3_zero() : scale(d, 1 / length);
}

// How a node that moves in its body goes along u, per unit of the coordinate v.
static double path_slide(const path *p, const path_node *n, int k, vec3 u, int *v)
{
    const point_record *point = robot_path_points(p->r) + p->m->point + n->point;
    if (point->curve[k] < 0) return 0;
    const mat3 R = pose_lift(robot_frames(p->r)[point->frame].info.pose).R;
    const vec3 way = rot(p->w->X_w[n->body].R, k == 0 ? R.x : k == 1 ? R.y : R.z);
    *v = robot_path_curves(p->r)[point->curve[k]].v;
    return n->slope[k] * dot(way, u);
}

static int path_moves(const path *p, const path_node *n)
{
    return n->point >= 0 && robot_path_points(p->r)[p->m->point + n->point].moves;
}

// The speed of a node along u.
static double path_speed(const path *p, const path_node *n, vec3 u)
{
    const motion v = world_velocity(p->w, n->body);
    double       speed = dot(u, add(v.lin, cross(v.ang, lift(n->at))));
    for (int k = 0; k < 3 && path_moves(p, n); k++) {
        int          column = 0;
        const double slide = path_slide(p, n, k, u, &column);
        speed += slide * p->qd[column];
    }
    return speed;
}

static double path_velocity(const path *p)
{
    double sum = 0;
    for (int i = 0; i + 1 < p->count; i++) {
        const path_node *a = &p->nodes[i], *b = a + 1;
        const vec3       u = path_direction(p, i);
        if (path_inside(p, i)) {
            sum += inside_velocity(p, path_inside(p, i));
            continue;
        }
        if (a->body != b->body || path_moves(p, a) || path_moves(p, b))
            sum += path_speed(p, b, u) - path_speed(p, a, u);
    }
    return sum;
}

static void path_arms(const path *p, double *tree)
{
    const body   *bodies = robot_bodies(p->r);
    const motion *S = p->w->S;
    row_zero(p->r->tree_v_count, tree);
    for (int i = 0; i + 1 < p->count; i++) {
        const path_node *node = &p->nodes[i];
        const vec3       u = path_direction(p, i), turn = cross(lift(node->at), u);
        int              at[2] = {node->body, node[1].body};
        if (path_inside(p, i)) continue;
        while (at[0] != at[1]) { // up to the body that carries both
            const int   end = at[1] > at[0];
            const body *b = &bodies[at[end]];
            for (int k = b->v_start; k < b->v_start + b->v_count; k++) {
                const double arm = dot2(S[k].lin, u, S[k].ang, turn);
                tree[k] += end ? -arm : arm;
            }
            at[end] = b->parent;
        }
        for (int e = 0; e < 2; e++)
            for (int k = 0; k < 3 && path_moves(p, node + e); k++) {
                int          column = 0;
                const double slide = path_slide(p, node + e, k, u, &column);
                tree[column] += e ? -slide : slide;
            }
    }
}

// A wrench on a body, about its origin and in its axes, of a force at a point of the world.
static void path_pull_at(const path *p, const path_node *n, vec3 pull, arne_wrench *f_ext)
{
    const pose     *X = &p->w->X_w[n->body];
    arne_wrench    *f = &f_ext[n->body];
    const arne_vec3 lin = lower(into(X, pull));
    const arne_vec3 ang = lower(into(X, cross(sub(lift(n->at), X->p), pull)));
    f->lin = (arne_vec3){f->lin.x + lin.x, f->lin.y + lin.y, f->lin.z + lin.z};
    f->ang = (arne_vec3){f->ang.x + ang.x, f->ang.y + ang.y, f->ang.z + ang.z};
}

// Each straight piece pulls its two bodies together; a surface takes what the pieces beside it do.
static void path_pull(const path *p, double tension, arne_wrench *f_ext)
{
    for (int i = 0; i + 1 < p->count; i++) {
        const vec3 u = path_direction(p, i);
        if (p->nodes[i].body == p->nodes[i + 1].body) continue;
        path_pull_at(p, &p->nodes[i], scale(u, tension), f_ext);
        path_pull_at(p, &p->nodes[i + 1], scale(u, -tension), f_ext);
    }
}

// Poses of the bodies, with qd their twists too.
static path path_start(const arne_robot *robot, work *w, const double *q, const double *qd)
{
    kinematics(robot, w, q, qd, NULL);
    const int shares = robot->shares_coordinates;
    return (path){.r = robot,
                  .w = w,
                  .nodes = w->nodes,
                  .q = shares ? w->tree_q : q,
                  .qd = shares ? w->tree_qd : qd,
                  .user_qd = qd};
}

KERNEL(int, muscle_nodes,
       (const arne_robot *robot, arne_work *w, const double *q, int muscle, muscle_node *nodes),
       (robot, w, q, muscle, nodes))
{
    WORK_FITS(robot, w);
    kinematics(robot, w, q, NULL, NULL);
    path p = {
        .r = robot, .w = w, .nodes = w->nodes, .q = robot->shares_coordinates ? w->tree_q : q};
    path_find(&p, &robot_muscles(robot)[muscle]);
    for (int i = 0; i < p.count; i++) {
        const path_node *n = &p.nodes[i];
        nodes[i] = (muscle_node){n->body, path_seen(&w->X_w[n->body], n->at), -1};
        if (n->arc > 0) nodes[i].wrap = robot_wrap_uses(robot)[p.m->use + n->use].wrap;
    }
    return p.count;
}

KERNEL(void, muscle_paths,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, double *lengths,
        double *velocities, double *arms),
       (robot, w, q, qd, lengths, velocities, arms))
{
    WORK_FITS(robot, w);
    const dof *dofs = robot_dofs(robot);
    path       p = path_start(robot, w, q, velocities ? qd : NULL);
    for (int k = 0; arms && k < robot->tree_v_count; k++)
        w->S[k] = axis_at(&dofs[k], w->X_w[dofs[k].body].R, w->X_w[dofs[k].body].p);
    for (int i = 0; i < robot->muscle_count; i++) {
        const muscle_record *m = &robot_muscles(robot)[i];
        const int            limit = m->joint >= 0; // its coordinate is the length
        path_find(&p, m);
        if (lengths) lengths[i] = limit ? p.q[m->q] : path_length(&p);
        if (velocities) velocities[i] = limit ? p.qd[m->v] : path_velocity(&p);
        if (!arms) continue;
        double *row = arms + (size_t)i * (size_t)robot->v_count;
        double *tree = tree_out(robot, row, w->tree_tau);
        path_arms(&p, tree);
        if (limit) tree[m->v] = -1;
        collect(robot, w, tree, row);
        for (int k = 0; k + 1 < p.count; k++)
            if (path_inside(&p, k)) inside_arms(&p, path_inside(&p, k), row);
    }
}

// ---- second derivatives ----

enum { PATH_CHAIN = 64 }; // joints between the two ends of a piece

// The coordinates that move one end of a piece against the other; -1: too many.
static int path_chain(const path *p, int i, int *list)
{
    const body *bodies = robot_bodies(p->r);
    int         at[2] = {p->nodes[i].body, p->nodes[i + 1].body}, count = 0;
    while (at[0] != at[1]) {
        const int   end = at[1] > at[0];
        const body *b = &bodies[at[end]];
        for (int k = b->v_start; k < b->v_start + b->v_count; k++) {
            if (count == PATH_CHAIN) return -1;
            list[count++] = 2 * k + end;
        }
        at[end] = b->parent;
    }
    return count;
}

// Adds the second derivatives of |b - a|. With D_k = d(b - a)/dq_k and u the unit vector:
//     (D_k . D_l - (u . D_k)(u . D_l)) / |b - a| + u . D_kl,   D_kl = w_k x D_l, k nearer the base
static void path_bend_piece(const path *p, int i, const int *list, int count, double *out)
{
    const motion *S = p->w->S;
    const vec3    u = path_direction(p, i);
    const double  length = path_distance(p->nodes[i].at, p->nodes[i + 1].at);
    vec3          D[PATH_CHAIN];
    for (int c = 0; c < count; c++) {
        const int  k = list[c] / 2, end = list[c] % 2;
        const vec3 move = add(S[k].lin, cross(S[k].ang, lift(p->nodes[i + end].at)));
        D[c] = end ? move : neg(move);
    }
    for (int c = 0; c < count; c++)
        for (int e = 0; e <= c; e++) {
            const int high = list[c] < list[e] ? c : e, low = high == c ? e : c;
            const int k = list[c] / 2, l = list[e] / 2, v = p->r->v_count;
            double    d = (dot(D[c], D[e]) - dot(u, D[c]) * dot(u, D[e])) / length;
            if (list[c] % 2 == list[e] % 2) d += dot(u, cross(S[list[high] / 2].ang, D[low]));
            out[k * v + l] += d;
            if (k != l) out[l * v + k] += d;
        }
}

// 0: the path is not one of straight pieces between points that are fixed in their bodies.
static int path_bend(const path *p, double *out)
{
    int list[PATH_CHAIN];
    for (int i = 0; i < p->count; i++)
        if (p->nodes[i].use >= 0 || path_moves(p, &p->nodes[i])) return 0;
    row_zero(p->r->v_count * p->r->v_count, out);
    for (int i = 0; i + 1 < p->count; i++) {
        const int count = path_chain(p, i, list);
        if (count < 0) return 0;
        if (count && path_distance(p->nodes[i].at, p->nodes[i + 1].at) > 0)
            path_bend_piece(p, i, list, count, out);
    }
    return 1;
}

KERNEL(int, muscle_bends,
       (const arne_robot *robot, arne_work *w, const double *q, double *out, unsigned char *done),
       (robot, w, q, out, done))
{
    if (work_differs(robot, w)) return -1;
    const dof *dofs = robot_dofs(robot);
    path       p = path_start(robot, w, q, NULL);
    int        left = 0;
    for (int k = 0; k < robot->tree_v_count; k++)
        w->S[k] = axis_at(&dofs[k], w->X_w[dofs[k].body].R, w->X_w[dofs[k].body].p);
    for (int i = 0; i < robot->muscle_count; i++) {
        path_find(&p, &robot_muscles(robot)[i]);
        done[i] = !robot->shares_coordinates &&
                  path_bend(&p, out + (size_t)i * (size_t)(robot->v_count * robot->v_count));
        left += !done[i];
    }
    return left;
}

KERNEL(arne_status, arne_muscle_lengths,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, double *lengths,
        double *velocities),
       (robot, w, q, qd, lengths, velocities))
{
    if (!robot || !w || !q || (!lengths && !velocities) || (velocities && !qd))
        return ARNE_NULL_ARGUMENT;
    if (work_differs(robot, w)) return ARNE_WORKSPACE;
    muscle_paths(robot, w, q, qd, lengths, velocities, NULL);
    return ARNE_OK;
}

KERNEL(arne_status, arne_muscle_moment_arms,
       (const arne_robot *robot, arne_work *w, const double *q, double *arms), (robot, w, q, arms))
{
    if (!robot || !w || !q || !arms) return ARNE_NULL_ARGUMENT;
    if (work_differs(robot, w)) return ARNE_WORKSPACE;
    muscle_paths(robot, w, q, NULL, NULL, NULL, arms);
    return ARNE_OK;
}

KERNEL(arne_status, arne_muscle_wrenches,
       (const arne_robot *robot, arne_work *w, const double *q, const double *tensions,
        arne_wrench *f_ext),
       (robot, w, q, tensions, f_ext))
{
    if (!robot || !w || !q || !tensions || !f_ext) return ARNE_NULL_ARGUMENT;
    if (work_differs(robot, w)) return ARNE_WORKSPACE;
    for (int i = 0; i < robot->path_point_count; i++)
        if (robot_path_points(robot)[i].exponent >= 0) return ARNE_UNSUPPORTED;
    path p = path_start(robot, w, q, NULL);
    for (int i = 0; i < robot->muscle_count; i++) {
        path_find(&p, &robot_muscles(robot)[i]);
        path_pull(&p, tensions[i], f_ext);
    }
    return ARNE_OK;
}
