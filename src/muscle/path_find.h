// The nodes of one path at q: its points that count, and where it meets and leaves surfaces. For
// path.c, whose functions are these.
#ifndef ARNE_MUSCLE_PATH_FIND_H
#define ARNE_MUSCLE_PATH_FIND_H

#include "algo/kinematics.k.h"
#include "math/lower.h"
#include "robot/work_layout.h"
#include "robot/wrap.h"

// Surfaces that overlap may push the path off each other for ever: after some passes none is
// wrapped anew.
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
    double               value; // of a measure, whose two nodes are one place
    vec3                 u, couple;
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

// The point that the piece after node i comes to along a rod; NULL: it does not.
static const point_record *path_inside(const path *p, int i)
{
    const int           next = p->nodes[i + 1].point;
    const point_record *point = robot_path_points(p->r) + p->m->point + next;
    return next >= 0 && point->exponent >= 0 ? point : NULL;
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

// ---- measures ----

// A measure changes by what unit wrenches do at the second frame's origin: L' = u . (v_b - v_a) +
// couple . (w_b - w_a). Of R = Rx(a) Ry(b) Rz(c), which turns the second frame from the first, with
// axes n1, n2, n3 of the three angles: n1 and n3 are at the angle pi/2 - b, and n2 is across both.
static void path_find_measure(path *p)
{
    const point_record     *point = robot_path_points(p->r) + p->m->point;
    const arne_path_measure what = p->m->measure;
    mat3                    R[2];
    vec3                    at[2];
    for (int i = 0; i < 2; i++) {
        const pose *X = &p->w->X_w[point[i].body];
        R[i] = m3_mul(X->R, pose_lift(robot_frames(p->r)[point[i].frame].info.pose).R);
        at[i] = add(X->p, rot(X->R, lift(point[i].at)));
        p->nodes[i] = (path_node){.body = point[i].body, .point = i, .use = -1};
    }
    p->nodes[0].at = p->nodes[1].at = lower(at[1]);
    p->count = 2;
    const mat3   A = R[0], B = R[1];
    const double sine = dot(A.x, B.z), cosine = hypot(dot(A.x, B.x), dot(A.x, B.y));
    const double across = fmax(cosine, 1e-9), square = across * across; // b is no quarter turn
    p->u = p->couple = v3_zero();
    if (what < ARNE_MEASURE_TURN_X) {
        p->u = what == ARNE_MEASURE_X ? A.x : what == ARNE_MEASURE_Y ? A.y : A.z;
        p->value = dot(p->u, sub(at[1], at[0]));
    } else if (what == ARNE_MEASURE_TURN_X) {
        p->value = atan2(-dot(A.y, B.z), dot(A.z, B.z));
        p->couple = scale(sub_scaled(A.x, B.z, sine), 1 / square);
    } else if (what == ARNE_MEASURE_TURN_Y) {
        p->value = atan2(sine, cosine);
        p->couple = scale(cross(B.z, A.x), 1 / across);
    } else {
        p->value = atan2(-dot(A.x, B.y), dot(A.x, B.x));
        p->couple = scale(sub_scaled(B.z, A.x, sine), 1 / square);
    }
}

// The nodes of a muscle.
static void path_find(path *p, const muscle_record *m)
{
    const double enough = WRAP_MOVES * p->r->length;
    p->m = m;
    p->count = 0;
    if (m->measure) {
        path_find_measure(p);
        return;
    }
    for (int i = 0; i < m->point_count; i++)
        path_add_point(p, i);
    for (int pass = 0; pass < WRAP_PASSES; pass++) {
        double moved = 0;
        for (int i = 0; i < m->use_count; i++)
            moved = fmax(moved, path_wrap(p, i, pass < WRAP_PASSES_ANEW));
        if (m->use_count < 2 || !(moved > enough)) break;
    }
}

#endif
