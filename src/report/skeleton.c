// A body has a hub, where the joint that moves it is, and points: the frames of its links and the
// places of the joints it carries. Sticks lead from the hub along the links of the body to each. A
// joint that slides has a stick of its own, from where it is fixed to where it is now; the others'
// ends coincide, and are one point.
#include "report/skeleton.h"
#include "math/vectors.h"
#include "robot/joint.h"

#include "math/lower.h"
#include "robot/robot.h"
#include "robot/work_parts.h"
#include <arne/report.h>
#include <math.h>
#include <stdlib.h>

typedef struct maker {
    const arne_robot *robot;
    skeleton         *out;
    int              *hubs; // the point of every body; -1: it is not drawn
} maker;

static double skeleton_size_of(arne_vec3 a) { return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))); }

// The point of a body at a place; an old one where there is one. The hub of a body may be its
// parent's point.
static int point_at(maker *m, int index, arne_vec3 at)
{
    skeleton *s = m->out;
    if (skeleton_size_of(at) < 1e-9 && m->hubs[index] >= 0) return m->hubs[index];
    for (int k = 0; k < s->point_count; k++)
        if (s->points[k].body == index && skeleton_size_of(sub3(s->points[k].at, at)) < 1e-9)
            return k;
    s->points[s->point_count] = (skeleton_point){index, at};
    return s->point_count++;
}

static void skeleton_add_stick(maker *m, int from, int to, stick_kind kind)
{
    skeleton *s = m->out;
    if (from == to) return;
    for (int k = 0; k < s->stick_count; k++)
        if (s->sticks[k].from == from && s->sticks[k].to == to) return;
    s->sticks[s->stick_count++] = (stick){from, to, kind};
}

static int slides(const body *b)
{
    return b->kind == ARNE_JOINT_PRISMATIC || b->kind == ARNE_JOINT_HELICAL ||
           b->kind == ARNE_JOINT_PLANAR;
}

static int frame_point(maker *m, int frame)
{
    const arne_frame_info *f = &robot_frames(m->robot)[frame].info;
    return point_at(m, f->body, f->pose.p);
}

// A stick from the link that a frame hangs on, or from the hub.
static void add_frame(maker *m, int frame)
{
    const frame_record    *frames = robot_frames(m->robot);
    const arne_frame_info *f = &frames[frame].info;
    const int              same = f->parent >= 0 && frames[f->parent].info.body == f->body;
    if (m->hubs[f->body] < 0) return;
    skeleton_add_stick(m, same ? frame_point(m, f->parent) : m->hubs[f->body],
                       frame_point(m, frame), STICK_LINK);
}

// Where the body's joint is fixed, as a point of its parent, and the stick to it from the link that
// carries it.
static int anchor_of(maker *m, int index)
{
    const body           *b = &robot_bodies(m->robot)[index];
    const arne_joint_info j = arne_robot_joint(m->robot, b->joint);
    const int             point = point_at(m, b->parent, lower(lift4(&b->placement.p)));
    const int on_parent = j.parent >= 0 && arne_robot_frame(m->robot, j.parent).body == b->parent;
    skeleton_add_stick(m, on_parent ? frame_point(m, j.parent) : m->hubs[b->parent], point,
                       STICK_LINK);
    return point;
}

// Massless sliders that begin at the base are how some files write a free base: they are not drawn.
static int skeleton_is_unseen(const maker *m, int index)
{
    const body *b = &robot_bodies(m->robot)[index];
    if (b->kind == ARNE_JOINT_ROTOR) return 1; // within a link
    return b->inertia.m == 0 && (b->parent ? m->hubs[b->parent] < 0 : slides(b));
}

static void skeleton_add_body(maker *m, int index)
{
    const body     *b = &robot_bodies(m->robot)[index];
    const arne_vec3 origin = {0, 0, 0};
    skeleton       *s = m->out;
    if (skeleton_is_unseen(m, index)) return;
    if (b->kind == ARNE_JOINT_FREE || m->hubs[b->parent] < 0) { // flies: nothing holds it
        m->hubs[index] = point_at(m, index, origin);
        return;
    }
    const int         anchor = anchor_of(m, index);
    arne_custom_joint custom; // one joint, where its last part is
    const int         inner = arne_joint_custom(m->robot, b->joint, &custom);
    if (slides(b)) {
        m->hubs[index] = point_at(m, index, origin);
        skeleton_add_stick(m, anchor, m->hubs[index], inner ? STICK_LINK : STICK_SLIDE);
    } else {
        m->hubs[index] = anchor;
    }
    if (!inner || custom.last == b->joint)
        s->joints[s->joint_count++] =
            (skeleton_joint){m->hubs[index], !inner && joint_is_slide((arne_joint_kind)b->kind)};
}

// The base, unless nothing is fixed to it.
static void skeleton_add_base(maker *m)
{
    for (int i = 1; i < m->robot->body_count; i++) {
        const body *b = &robot_bodies(m->robot)[i];
        if (b->parent || b->kind == ARNE_JOINT_FREE || skeleton_is_unseen(m, i)) continue;
        m->hubs[0] = point_at(m, 0, (arne_vec3){0, 0, 0});
        return;
    }
}

// The body that carries the others.
static int skeleton_find_root(const maker *m)
{
    for (int i = 0; i < m->robot->body_count; i++)
        if (m->hubs[i] >= 0) return m->hubs[i];
    return -1;
}

// Both sides of a joint that closes a loop. Where it is closed they meet; a rod is between them.
static void skeleton_add_loop(maker *m, int index)
{
    const loop_record *l = &robot_loops(m->robot)[index];
    int                end[2];
    if (l->info.kind >= ARNE_LOOP_ROLLING) return; // nothing is tied but velocities
    if (m->hubs[l->body[0]] < 0 || m->hubs[l->body[1]] < 0) return;
    for (int i = 0; i < 2; i++) {
        end[i] = point_at(m, l->body[i], l->at[i].p);
        skeleton_add_stick(m, m->hubs[l->body[i]], end[i], STICK_LINK);
    }
    skeleton_add_stick(m, end[0], end[1], STICK_LOOP);
    m->out->joints[m->out->joint_count++] = (skeleton_joint){end[0], 0};
}

// A body that ends where its joint is: its centre of mass shows where it points.
static void add_end(maker *m, int link)
{
    const arne_frame_info f = arne_robot_frame(m->robot, link);
    const pose            in_body = pose_lift(f.pose);
    const arne_vec3       com = lower(add(out_of(&in_body, lift(f.com)), in_body.p));
    skeleton_add_stick(m, m->hubs[f.body], point_at(m, f.body, com), STICK_LINK);
}

static int leaves(const skeleton *s, int point)
{
    for (int k = 0; k < s->stick_count; k++)
        if (s->sticks[k].from == point) return 1;
    return 0;
}

// Whether the body carries no other, and none of its points is away from its hub.
static int is_stump(const maker *m, int index)
{
    for (int i = index + 1; i < m->robot->body_count; i++)
        if (robot_bodies(m->robot)[i].parent == index && m->hubs[i] >= 0) return 0;
    for (int k = 0; k < m->out->point_count; k++)
        if (m->out->points[k].body == index && k != m->hubs[index]) return 0;
    return 1;
}

static void add_tips(maker *m)
{
    skeleton *s = m->out;
    for (int i = 0; i < m->robot->link_count; i++) {
        const arne_frame_info f = arne_robot_frame(m->robot, i);
        if (f.body && m->hubs[f.body] >= 0 && f.mass > 0 && is_stump(m, f.body)) add_end(m, i);
    }
    for (int k = 0; k < s->point_count; k++)
        if (s->points[k].body && !leaves(s, k)) s->tips[s->tip_count++] = k;
}

// --- edges ---------------------------------------------------------------------------------------

enum { CORNERS = 32 };

typedef struct corner {
    int    point;
    double angle;
} corner;

static arne_vec3 without(arne_vec3 a, arne_vec3 unit)
{
    const double along = dot3(a, unit);
    return (arne_vec3){a.x - along * unit.x, a.y - along * unit.y, a.z - along * unit.z};
}

static int by_angle(const void *a, const void *b)
{
    const double x = ((const corner *)a)->angle, y = ((const corner *)b)->angle;
    return (x > y) - (x < y);
}

// The body's points but for its hub, and their middle.
static int corners_of(const maker *m, int index, corner *out, arne_vec3 *middle)
{
    const skeleton *s = m->out;
    int             count = 0;
    *middle = (arne_vec3){0, 0, 0};
    for (int k = 0; k < s->point_count; k++) {
        if (s->points[k].body != index || k == m->hubs[index]) continue;
        if (count == CORNERS) return 0;
        out[count++].point = k;
        const arne_vec3 p = s->points[k].at;
        *middle = (arne_vec3){middle->x + p.x, middle->y + p.y, middle->z + p.z};
    }
    if (count) *middle = (arne_vec3){middle->x / count, middle->y / count, middle->z / count};
    return count;
}

// Once around the points, by their angles in a plane through most of them.
static void add_edges(maker *m, int index)
{
    corner    c[CORNERS];
    arne_vec3 middle, u = {0, 0, 0}, v = {0, 0, 0};
    const int count = corners_of(m, index, c, &middle);
    if (count < 3) return;
    for (int i = 0; i < count; i++) {
        const arne_vec3 d = sub3(m->out->points[c[i].point].at, middle);
        if (dot3(d, d) > dot3(u, u)) u = d;
    }
    const double length = sqrt(dot3(u, u));
    if (length == 0) return;
    u = (arne_vec3){u.x / length, u.y / length, u.z / length};
    for (int i = 0; i < count; i++) {
        const arne_vec3 d = without(sub3(m->out->points[c[i].point].at, middle), u);
        if (dot3(d, d) > dot3(v, v)) v = d;
    }
    if (sqrt(dot3(v, v)) < 1e-3 * length) return; // along a line
    for (int i = 0; i < count; i++) {
        const arne_vec3 d = sub3(m->out->points[c[i].point].at, middle);
        c[i].angle = atan2(dot3(d, v) / sqrt(dot3(v, v)), dot3(d, u));
    }
    qsort(c, (size_t)count, sizeof *c, by_angle);
    for (int i = 0; i < count; i++)
        skeleton_add_stick(m, c[i].point, c[(i + 1) % count].point, STICK_EDGE);
}

// --- all of it -----------------------------------------------------------------------------------

// A point for every frame, both ends of every joint and loop, and an end of every link, at most.
static arne_status skeleton_allocate(const arne_robot *r, skeleton *s)
{
    const size_t bodies = (size_t)r->body_count, frames = (size_t)r->frame_count;
    const size_t loops = (size_t)r->loop_count, most = 2 * bodies + 2 * frames + 2 * loops;
    s->points = calloc(most, sizeof *s->points);
    s->sticks = calloc(2 * most + bodies + loops, sizeof *s->sticks);
    s->joints = calloc(bodies + loops, sizeof *s->joints);
    s->tips = calloc(most, sizeof *s->tips);
    return s->points && s->sticks && s->joints && s->tips ? ARNE_OK : ARNE_NO_MEMORY;
}

arne_status skeleton_make(const arne_robot *robot, skeleton *out)
{
    *out = (skeleton){0};
    maker m = {.robot = robot, .out = out};
    m.hubs = calloc((size_t)robot->body_count, sizeof *m.hubs);
    if (!m.hubs || skeleton_allocate(robot, out)) {
        free(m.hubs);
        return ARNE_NO_MEMORY;
    }
    for (int i = 0; i < robot->body_count; i++)
        m.hubs[i] = -1;
    skeleton_add_base(&m);
    for (int i = 1; i < robot->body_count; i++)
        skeleton_add_body(&m, i);
    for (int i = 0; i < robot->frame_count; i++)
        add_frame(&m, i);
    for (int i = 0; i < robot->loop_count; i++)
        skeleton_add_loop(&m, i);
    add_tips(&m);
    for (int i = 0; i < robot->body_count; i++)
        add_edges(&m, i);
    out->root = skeleton_find_root(&m);
    free(m.hubs);
    return ARNE_OK;
}

void skeleton_free(skeleton *s)
{
    free(s->points);
    free(s->sticks);
    free(s->joints);
    free(s->tips);
    *s = (skeleton){0};
}

void skeleton_places(const skeleton *s, const arne_robot *robot, const arne_work *w, arne_vec3 *out)
{
    for (int k = 0; k < s->point_count; k++) {
        const pose X = pose_lift(work_body_pose(robot, w, s->points[k].body));
        out[k] = lower(add(out_of(&X, lift(s->points[k].at)), X.p));
    }
}
