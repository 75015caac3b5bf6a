// Lengths, lengthening speeds and moment arms of paths.
//
// A path is a list of nodes: its points that count at q, and two where it meets and leaves each
// surface that it wraps. Between nodes it is straight, with the unit vector u from a to b, or an
// arc on a surface.
//     L = sum of |b - a| + sum of arcs,   Ldot = sum of u . (v_b - v_a)
// The two nodes on a surface are taken as fixed to its body: at the shortest path L does not change
// to first order where they slide. So the moment arm -dL/dq_k is what unit tension does along S_k:
// a piece pulls its bodies together by the wrench (u, a x u), which acts on the joints between
// them.
//
// Several surfaces are wrapped one after the other, each between the nodes that the others left,
// until no node moves: every step shortens the path.
//
// Inside of a rod, at the place d(s) of its sections, a path is as long as the integral of |c|, c =
// nu + kappa x d + d', by Gauss's two points of each slice. With t = c / |c|, unit tension does
// -(t, d x t) on the strains (nu, kappa).
#include "muscle/path.h"
#include "muscle/path_find.h"
#include "robot/kernel.h"

// ---- inside of rods ----

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

// ---- what follows from the nodes ----

static double path_length(const path *p)
{
    double length = 0;
    if (p->m->measure) return p->value;
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
    if (p->m->measure) return p->u;
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

// Its moment about the world's origin, with the couple of a measure.
static vec3 path_turn(const path *p, int i, vec3 u)
{
    const vec3 turn = cross(lift(p->nodes[i].at), u);
    return p->m->measure ? add(turn, p->couple) : turn;
}

static int path_moves(const path *p, const path_node *n)
{
    return n->point >= 0 && robot_path_points(p->r)[p->m->point + n->point].moves;
}

// The speed of node i along u.
static double path_speed(const path *p, int i, vec3 u)
{
    const path_node *n = &p->nodes[i];
    const motion     v = world_velocity(p->w, n->body);
    double           speed = dot2(v.lin, u, v.ang, path_turn(p, i, u));
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
            sum += path_speed(p, i + 1, u) - path_speed(p, i, u);
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
        const vec3       u = path_direction(p, i), turn = path_turn(p, i, u);
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

// A wrench on a body, about its origin and in its axes, of a force at a point of the world and a
// couple.
static void path_pull_at(const path *p, int on, vec3 at, vec3 pull, vec3 couple, arne_wrench *f_ext)
{
    const pose     *X = &p->w->X_w[on];
    arne_wrench    *f = &f_ext[on];
    const arne_vec3 lin = lower(into(X, pull));
    const arne_vec3 ang = lower(into(X, add(cross(sub(at, X->p), pull), couple)));
    f->lin = (arne_vec3){f->lin.x + lin.x, f->lin.y + lin.y, f->lin.z + lin.z};
    f->ang = (arne_vec3){f->ang.x + ang.x, f->ang.y + ang.y, f->ang.z + ang.z};
}

// Each straight piece pulls its two bodies together; a surface takes what the pieces beside it do.
static void path_pull(const path *p, double tension, arne_wrench *f_ext)
{
    for (int i = 0; i + 1 < p->count; i++) {
        const vec3 u = path_direction(p, i), couple = p->m->measure ? p->couple : v3_zero();
        for (int e = 0; e < 2 && p->nodes[i].body != p->nodes[i + 1].body; e++) {
            const path_node *n = &p->nodes[i + e];
            const double     pull = e ? -tension : tension;
            path_pull_at(p, n->body, lift(n->at), scale(u, pull), scale(couple, pull), f_ext);
        }
    }
}

// A limit turns or pushes the two bodies of its joint about or along the axis. Returns 0 for that
// of a strain.
static int path_hold(const path *p, double tension, arne_wrench *f_ext)
{
    const body  *bodies = robot_bodies(p->r);
    const dof   *dofs = robot_dofs(p->r);
    const int    at = robot_joints(p->r)[p->m->joint].body, ends[2] = {bodies[at].parent, at};
    const pose  *X = &p->w->X_w[at];
    const motion S = axis_at(&dofs[p->m->v], X->R, X->p);
    const int    turns = dot(S.ang, S.ang) > 0;
    const vec3   along = turns ? S.ang : S.lin;
    if (!(dot(along, along) > 0)) return 0;
    for (int e = 0; e < 2; e++) {
        const vec3 pull = scale(along, e ? -tension : tension);
        path_pull_at(p, ends[e], X->p, turns ? v3_zero() : pull, turns ? pull : v3_zero(), f_ext);
    }
    return 1;
}

// Whether a path acts on strains of a rod.
static int path_is_inside(const path *p)
{
    for (int i = 0; i < p->m->point_count; i++)
        if (robot_path_points(p->r)[p->m->point + i].exponent >= 0) return 1;
    return 0;
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
    if (p.m->measure) return 0;
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
    if (p->m->measure) return 0;
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
    path p = path_start(robot, w, q, NULL);
    for (int i = 0; i < robot->muscle_count; i++) {
        p.m = &robot_muscles(robot)[i];
        if (tensions[i] == 0) continue;
        if (p.m->joint >= 0 ? !path_hold(&p, tensions[i], f_ext) : path_is_inside(&p))
            return ARNE_UNSUPPORTED;
        if (p.m->joint >= 0) continue;
        path_find(&p, p.m);
        path_pull(&p, tensions[i], f_ext);
    }
    return ARNE_OK;
}
