// All ways to assemble at given positions of the active joints.
//
// A loop whose passive joints are three that lie in a plane has two ways, each the mirror image of
// the other. With the active joints locked it is a triangle of three pins, or a rod between two
// pins of which one slides:
//     three pins    the pin between the others is mirrored at their line
//     two and a slide    the pin that slides is mirrored at the foot of the other
// So from one way all others follow by mirroring loop after loop, and the list is complete.
// Newton's steps after each mirror bring in what rounding has left. Other loops are tried from many
// random seeds.
#include "algo/singular.h"
#include "base/error.h"
#include "base/options.h"
#include "mechanism/assembly.h"
#include "robot/joint.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include <string.h>

enum { RANDOM_STARTS = 60 };

// One of the three joints of a planar loop, on the way from where both sides meet over the
// predecessor and the successor back. The coordinate counts the motion of what comes next on this
// way against what came before, or the other way.
typedef struct pin {
    int  coordinate; // in q; -1: the loop itself
    int  slides, backwards;
    vec3 at, along;
} pin;

typedef struct triangle {
    pin  pins[3];
    int  count; // more than three is not one
    vec3 normal;
} triangle;

static void add_pin(triangle *t, pin p)
{
    if (t->count < 3) t->pins[t->count] = p;
    t->count++;
}

static void add_side(const arne_robot *r, const arne_work *w, const arne_loop_work *loop,
                     const loop_record *l, int end, triangle *t)
{
    for (int i = l->body[end]; i != l->meet; i = robot_bodies(r)[i].parent) {
        const body *b = robot_bodies(r) + i;
        const pose *X = &w->X_w[i];
        if (loop->fixed[b->v_start]) continue;
        const int slides = joint_is_slide((arne_joint_kind)b->kind);
        const pin p = {b->q_start, slides, end, X->p, X->R.z};
        const int known = slides || b->kind == ARNE_JOINT_REVOLUTE;
        add_pin(t, p);
        if (!known) t->count = 4;
    }
}

// The joints that may move, in the order of the way around; whether they are a planar triangle.
static int find_triangle(const arne_robot *r, const arne_work *w, const arne_loop_work *loop,
                         const loop_record *l, triangle *t)
{
    const arne_loop_kind kind = l->info.kind;
    t->count = 0;
    if (kind != ARNE_LOOP_REVOLUTE && kind != ARNE_LOOP_PLANAR_POINT && kind != ARNE_LOOP_PRISMATIC)
        return 0;
    add_side(r, w, loop, l, 0, t);
    if (t->count == 2) { // it was walked from the loop inward
        const pin first = t->pins[0];
        t->pins[0] = t->pins[1];
        t->pins[1] = first;
    }
    const pose A = loop_end_pose(w, l, 0);
    const pin  own = {-1, kind == ARNE_LOOP_PRISMATIC, 0, A.p, A.R.z};
    add_pin(t, own);
    add_side(r, w, loop, l, 1, t);
    if (t->count != 3) return 0;
    int slides = 0, turn = -1;
    for (int i = 0; i < 3; i++) {
        slides += t->pins[i].slides;
        if (!t->pins[i].slides && turn < 0) turn = i;
    }
    if (slides > 1) return 0;
    t->normal = t->pins[turn].along;
    for (int i = 0; i < 3; i++) {
        const double along = fabs(dot(t->pins[i].along, t->normal));
        if (fabs(along - !t->pins[i].slides) > 1e-9) return 0;
    }
    return 1;
}

// The angle about the normal from one direction to another.
static double angle_between(vec3 normal, vec3 from, vec3 to)
{
    return atan2(dot(normal, cross(from, to)), dot(from, to));
}

static vec3 in_plane(vec3 normal, vec3 v) { return add_scaled(v, normal, -dot(normal, v)); }

// What comes after the pin moves against what was before by a turn about the normal, or along its
// axis.
static void move_pin(const pin *p, vec3 normal, double by, double *q)
{
    if (p->coordinate < 0) return;
    const double sign = (p->backwards ? -1 : 1) * (p->slides ? 1 : dot(p->along, normal));
    q[p->coordinate] += sign * by;
}

static void mirror_pins(const triangle *t, double *q)
{
    const vec3   n = t->normal, a = t->pins[0].at, b = t->pins[1].at, c = t->pins[2].at;
    const vec3   line = in_plane(n, sub(c, a)), arm = in_plane(n, sub(b, a));
    const double length = dot(line, line);
    if (!(length > 0)) return;
    const vec3   foot = scale(line, dot(arm, line) / length);
    const vec3   image = sub(scale(foot, 2), arm); // of b, seen from a
    const double at_a = angle_between(n, arm, image);
    const double at_c = angle_between(n, sub(arm, line), sub(image, line));
    move_pin(&t->pins[0], n, at_a, q);
    move_pin(&t->pins[1], n, at_c - at_a, q);
    move_pin(&t->pins[2], n, -at_c, q);
}

static void mirror_slide(const triangle *t, int slide, double *q)
{
    const pin *p = &t->pins[slide], *a = &t->pins[(slide + 1) % 3], *b = &t->pins[(slide + 2) % 3];
    const vec3 rod = in_plane(t->normal, sub(b->at, a->at));
    const double along = dot(rod, p->along);
    const vec3   image = add_scaled(rod, p->along, -2 * along);
    const double turn = angle_between(t->normal, rod, image);
    move_pin(a, t->normal, turn, q);
    move_pin(b, t->normal, -turn, q);
    move_pin(p, t->normal, 2 * along, q);
}

static void mirror(const triangle *t, double *q)
{
    for (int i = 0; i < 3; i++)
        if (t->pins[i].slides) {
            mirror_slide(t, i, q);
            return;
        }
    mirror_pins(t, q);
}

// ---- the list ----

typedef struct list {
    double *modes;
    int     room, count;
} list;

static double assembly_modes_distance(const arne_robot *r, arne_loop_work *loop, const double *a,
                                      const double *b)
{
    double sum = 0;
    memcpy(loop->q_try, b, (size_t)r->q_count * sizeof *b);
    assembly_unwind(r, loop, a, loop->q_try);
    arne_difference(r, a, loop->q_try, loop->step);
    for (int k = 0; k < r->v_count; k++)
        sum += loop->step[k] * loop->step[k];
    return sqrt(sum);
}

// Closes loop->q_best and adds it where it is new. Near singularities two ways come close, but not
// this close.
static void add_mode(const arne_robot *r, arne_work *w, arne_loop_work *loop, double tolerance,
                     list *to)
{
    const size_t size = (size_t)r->q_count;
    if (!(assembly_descend(r, w, loop, tolerance, 200, loop->q_best, NULL) <= tolerance)) return;
    for (int i = 0; i < to->count; i++)
        if (assembly_modes_distance(r, loop, to->modes + (size_t)i * size, loop->q_best) < 1e-5)
            return;
    if (to->count == to->room) return;
    assembly_unwind(r, loop, loop->q_seed, loop->q_best);
    memcpy(to->modes + (size_t)to->count++ * size, loop->q_best, size * sizeof(double));
}

// Mirrors every loop that can be, of every way there is; whether all loops can.
static int add_mirrored(const arne_robot *r, arne_work *w, arne_loop_work *loop, double tolerance,
                        list *to)
{
    const size_t size = (size_t)r->q_count;
    int          all = !r->shares_coordinates;
    for (int i = 0; i < to->count && !r->shares_coordinates; i++)
        for (int k = 0; k < r->loop_count; k++) {
            const double *q = to->modes + (size_t)i * size;
            triangle      t;
            kinematics(r, w, q, NULL, NULL);
            if (!find_triangle(r, w, loop, robot_loops(r) + k, &t)) {
                all = 0;
                continue;
            }
            memcpy(loop->q_best, q, size * sizeof *q);
            mirror(&t, loop->q_best);
            add_mode(r, w, loop, tolerance, to);
        }
    return all;
}

static void sort_modes(const arne_robot *r, arne_loop_work *loop, list *to)
{
    const size_t size = (size_t)r->q_count, bytes = size * sizeof(double);
    for (int i = 1; i < to->count; i++)
        for (int k = i; k > 0; k--) {
            double *b = to->modes + (size_t)k * size, *a = b - size;
            if (assembly_modes_distance(r, loop, loop->q_seed, b) >=
                assembly_modes_distance(r, loop, loop->q_seed, a))
                break;
            memcpy(loop->q_best, a, bytes);
            memcpy(a, b, bytes);
            memcpy(b, loop->q_best, bytes);
        }
}

KERNEL(arne_status, arne_assembly_modes,
       (const arne_robot *robot, arne_work *w, arne_loop_work *loop,
        const arne_assembly_options *options, const double *q, int room, double *modes, int *count,
        int *complete, arne_error *error),
       (robot, w, loop, options, q, room, modes, count, complete, error))
{
    arne_assembly_options own_options;
    if (options && !options_take(&own_options, sizeof own_options,
                                 OPTIONS_FIRST(arne_assembly_options), options))
        return options_refuse(error);
    if (options) options = &own_options;
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q || !modes || !count || room < 1) return arne_fail_null(error);
    const double tolerance = options && options->tolerance > 0 ? options->tolerance : 1e-12;
    const size_t bytes = (size_t)robot->q_count * sizeof *q;
    uint64_t     seed = 1;
    list         to = {modes, room, 0};
    *count = 0;
    memcpy(modes, q, bytes);
    const arne_status status = arne_assemble(robot, w, loop, options, modes, NULL, error);
    if (status) return status;
    to.count = 1;
    memcpy(loop->q_seed, q, bytes);
    int all = add_mirrored(robot, w, loop, tolerance, &to);
    for (int i = 0; i < RANDOM_STARTS && !all; i++) {
        memcpy(loop->q_best, q, bytes);
        assembly_scatter(robot, loop, &seed, loop->q_best);
        add_mode(robot, w, loop, tolerance, &to);
    }
    sort_modes(robot, loop, &to);
    *count = to.count;
    if (complete) *complete = all && to.count < room;
    return ARNE_OK;
}
