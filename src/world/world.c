// Where the shapes of a robot touch: points of each shape against each surface, and pairs of links.
//
//     point, sphere   its centre
//     capsule         both ends
//     box             eight corners
//     disc, cylinder  four points of each rim: the lowest, and those a quarter turn apart
#include "world/world.h"
#include "base/error.h"
#include "math/press.h"
#include "world/rigid.h"
#include <arne/kinematics.h>
#include <stdlib.h>
#include <string.h>

int world_link(const arne_world *w, int contact)
{
    return robot_contacts(w->robot)[contact].info.link;
}

double world_friction(const arne_world *w, const arne_touch *t)
{
    const double own = robot_contacts(w->robot)[t->contact].info.friction;
    return own >= 0 ? own : w->surfaces[t->surface].friction;
}

// A point of a rim: k quarter turns from the one that is furthest along -normal.
static arne_vec3 rim_point(const arne_pose *X, double radius, double height, int k,
                           arne_vec3 normal)
{
    const double along = vec_dot(normal, X->R.z);
    arne_vec3    down = vec_add(vec_scale(X->R.z, along), normal, -1);
    const double length = vec_length(down);
    down = length > 1e-9 ? vec_scale(down, 1 / length) : X->R.x;
    const arne_vec3 side = vec_cross(X->R.z, down);
    const arne_vec3 way = k == 0   ? down
                          : k == 1 ? side
                          : k == 2 ? vec_scale(down, -1)
                                   : vec_scale(side, -1);
    return vec_add(vec_add(X->p, X->R.z, height), way, radius);
}

// A point of a shape, in the world; the radius around it is apart.
static arne_vec3 feature_point(const arne_contact_info *c, const arne_pose *X, int k,
                               arne_vec3 normal, double *radius)
{
    const double *s = c->size;
    *radius = 0;
    switch (c->shape) {
    case ARNE_SHAPE_SPHERE:
        *radius = s[0];
        return X->p;
    case ARNE_SHAPE_CAPSULE:
        *radius = s[0];
        return vec_add(X->p, X->R.z, k ? 0.5 * s[1] : -0.5 * s[1]);
    case ARNE_SHAPE_BOX:
        return pose_point(X,
                          vec_of(k & 1 ? 0.5 * s[0] : -0.5 * s[0], k & 2 ? 0.5 * s[1] : -0.5 * s[1],
                                 k & 4 ? 0.5 * s[2] : -0.5 * s[2]));
    case ARNE_SHAPE_CYLINDER:
        return rim_point(X, s[0], k & 4 ? 0.5 * s[1] : -0.5 * s[1], k & 3, normal);
    case ARNE_SHAPE_DISC:
        return rim_point(X, s[0], 0, k, normal);
    default:
        return X->p;
    }
}

// The radius of the ball around a shape.
static double world_reach_of(const arne_contact_info *c)
{
    const double *s = c->size;
    switch (c->shape) {
    case ARNE_SHAPE_SPHERE:
    case ARNE_SHAPE_DISC:
        return s[0];
    case ARNE_SHAPE_CAPSULE:
        return s[0] + 0.5 * s[1];
    case ARNE_SHAPE_BOX:
        return 0.5 * sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    case ARNE_SHAPE_CYLINDER:
        return sqrt(s[0] * s[0] + 0.25 * s[1] * s[1]);
    default:
        return 0;
    }
}

// ---- making ----

static arne_status check_surface(const arne_surface *s, const arne_surface *first,
                                 arne_error *error)
{
    const char *why = NULL;
    if (!arne_contact_model_name(s->model))
        why = "there is no such model of contact";
    else if (s->model != first->model)
        why = "all surfaces must be rigid, or all compliant";
    else if (!(s->friction >= 0) || !isfinite(s->friction))
        why = "friction must not be negative";
    else if (!(s->restitution >= 0 && s->restitution <= 1))
        why = "restitution must be from 0 to 1";
    else if (!(s->stiffness >= 0) || !(s->dissipation >= 0) || !(s->slip_velocity >= 0))
        why = "stiffness, dissipation and slip velocity must not be negative";
    else if (s->heights &&
             (s->rows < 2 || s->columns < 2 || !(s->spacing[0] > 0) || !(s->spacing[1] > 0)))
        why = "a height field has two rows and columns or more, and positive spacing";
    else if (!isfinite(vec_length(s->normal)) || !isfinite(vec_length(s->point)))
        why = "its point and normal must be finite";
    return why ? arne_fail(error, ARNE_VALUE, NULL, 0, "a surface: %s", why) : ARNE_OK;
}

static void complete_surface(arne_surface *s)
{
    const double length = vec_length(s->normal);
    s->normal = length > 0 ? vec_scale(s->normal, 1 / length) : vec_of(0, 0, 1);
    if (s->dissipation == 0) s->dissipation = 1 - s->restitution;
    if (s->slip_velocity == 0) s->slip_velocity = 1e-3;
}

// The robot's weight on one point sinks in by 1 mm, or by a hundredth of the reach of a small
// robot.
static double usual_stiffness(const arne_robot *robot)
{
    const double g = vec_length(arne_robot_gravity(robot));
    return arne_total_mass(robot) * (g > 0 ? g : 9.81) / pow(1e-3 * robot->length, 1.5);
}

arne_status arne_surface_ground(const arne_robot *robot, const arne_surface *surface,
                                double ground[10], arne_error *error)
{
    if (!robot || !surface || !ground)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    arne_status status = check_surface(surface, surface, error);
    if (status) return status;
    if (surface->heights || surface->model != ARNE_CONTACT_COMPLIANT)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "ground as numbers is a plane of the compliant model");
    arne_surface s = *surface;
    complete_surface(&s);
    const double numbers[10] = {
        s.point.x,     s.point.y,
        s.point.z,     s.normal.x,
        s.normal.y,    s.normal.z,
        s.friction,    s.stiffness > 0 ? s.stiffness : usual_stiffness(robot),
        s.dissipation, s.slip_velocity};
    memcpy(ground, numbers, sizeof numbers);
    return ARNE_OK;
}

static arne_pose shape_pose(const arne_world *w, const arne_work *work, int contact)
{
    const arne_contact_info *c = &robot_contacts(w->robot)[contact].info;
    const arne_pose          X = arne_frame_pose(w->robot, work, c->link), *at = &c->pose;
    return (arne_pose){{mat_mul(&X.R, at->R.x), mat_mul(&X.R, at->R.y), mat_mul(&X.R, at->R.z)},
                       pose_point(&X, at->p)};
}

static void place_shapes(arne_world *w, const arne_work *work)
{
    for (int i = 0; i < w->robot->contact_count; i++)
        w->placed[i] = shape_pose(w, work, i);
}

arne_vec3 world_touch_point(const arne_world *w, const arne_work *work, const arne_touch *t)
{
    const arne_surface *s = &w->surfaces[t->surface];
    const arne_pose     X = shape_pose(w, work, t->contact);
    double              radius;
    const arne_vec3 p = feature_point(&robot_contacts(w->robot)[t->contact].info, &X, t->feature,
                                      s->heights ? vec_of(0, 0, 1) : s->normal, &radius);
    return vec_add(p, t->normal, -radius);
}

static int touch_room(const arne_world *w)
{
    int room = w->pair_count;
    for (int i = 0; i < w->robot->contact_count; i++)
        room += w->surface_count * shape_points(robot_shapes(w->robot)[i].shape);
    return room;
}

static int wants_pairs(const arne_world *w)
{
    for (int i = 0; i < w->surface_count; i++)
        if (!w->surfaces[i].no_pairs) return 1;
    return 0;
}

arne_status arne_world_new(const arne_robot *robot, const arne_surface *surfaces, int surface_count,
                           arne_world **out, arne_error *error)
{
    if (out) *out = NULL;
    if (!robot || !out || (surface_count > 0 && !surfaces))
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    for (int i = 0; i < surface_count; i++) {
        const arne_status status = check_surface(&surfaces[i], surfaces, error);
        if (status) return status;
    }
    arne_world  *w = calloc(1, sizeof *w);
    const size_t contacts = (size_t)robot->contact_count + 1;
    if (!w) return arne_fail_memory(error);
    w->robot = robot;
    w->surface_count = surface_count;
    w->surfaces = calloc((size_t)surface_count + 1, sizeof *w->surfaces);
    w->placed = calloc(contacts, sizeof *w->placed);
    w->reach = calloc(contacts, sizeof *w->reach);
    if (w->surfaces && surface_count)
        memcpy(w->surfaces, surfaces, (size_t)surface_count * sizeof *surfaces);
    w->pair_count = w->pair_room = w->surfaces && wants_pairs(w) ? pairs_collect(robot, NULL) : 0;
    w->pairs = calloc((size_t)w->pair_count + 1, sizeof *w->pairs);
    w->touch_room = touch_room(w);
    w->touches = calloc((size_t)w->touch_room + 1, sizeof *w->touches);
    if (!w->surfaces || !w->placed || !w->reach || !w->pairs || !w->touches) {
        arne_world_free(w);
        return arne_fail_memory(error);
    }
    for (int i = 0; i < surface_count; i++)
        complete_surface(&w->surfaces[i]);
    for (int i = 0; i < robot->contact_count; i++)
        w->reach[i] = world_reach_of(&robot_contacts(robot)[i].info);
    w->stiffness = usual_stiffness(robot);
    if (w->pair_count) pairs_collect(robot, w->pairs);
    arne_status status = ARNE_OK;
    if (surface_count && surfaces[0].model == ARNE_CONTACT_RIGID) status = rigid_new(w, 0, error);
    if (status) {
        arne_world_free(w);
        return status;
    }
    *out = w;
    return ARNE_OK;
}

void arne_world_free(arne_world *w)
{
    if (!w) return;
    free(w->surfaces);
    free(w->placed);
    free(w->reach);
    free(w->pairs);
    free(w->touches);
    rigid_free(w->rigid);
    free(w);
}

// ---- finding ----

static void find_on_surface(arne_world *w, int contact, int surface, double within)
{
    const arne_contact_info *c = &robot_contacts(w->robot)[contact].info;
    const arne_surface      *s = &w->surfaces[surface];
    const arne_pose         *X = &w->placed[contact];
    arne_touch               t = {.contact = contact, .other = -1, .surface = surface};
    if (!s->heights) { // far away as a whole
        surface_gap(s, X->p, &t.gap, &t.normal);
        if (t.gap - w->reach[contact] > within) return;
    }
    for (int k = 0; k < shape_points((int)c->shape); k++) {
        double          radius;
        const arne_vec3 p =
            feature_point(c, X, k, s->heights ? vec_of(0, 0, 1) : s->normal, &radius);
        if (!surface_gap(s, p, &t.gap, &t.normal)) continue;
        t.gap -= radius;
        if (t.gap > within) continue;
        t.feature = k;
        t.point = vec_add(p, t.normal, -radius);
        w->touches[w->touch_count++] = t;
    }
}

int arne_world_find(arne_world *w, arne_work *work, double within)
{
    w->touch_count = 0;
    place_shapes(w, work);
    if (!w->looked) pairs_leave_out(w); // as the run starts
    w->looked = 1;
    for (int i = 0; i < w->robot->contact_count; i++) {
        if (robot_shapes(w->robot)[i].body == 0 &&
            (w->rigid || w->robot->base != ARNE_BASE_PRESCRIBED))
            continue; // what stands still on the world, or moves whatever it touches
        for (int s = 0; s < w->surface_count; s++)
            find_on_surface(w, i, s, within);
    }
    for (int i = 0; i < w->pair_count; i++) {
        const shape_pair *p = &w->pairs[i];
        const double      far = w->reach[p->a] + w->reach[p->b] + within;
        const arne_vec3   apart = vec_add(w->placed[p->a].p, w->placed[p->b].p, -1);
        arne_touch       *t = &w->touches[w->touch_count];
        if (vec_dot(apart, apart) <= far * far && pair_touch(w, p, t) && t->gap <= within)
            w->touch_count++;
    }
    return w->touch_count;
}

void world_sum_forces(const arne_world *w, double *out)
{
    for (int i = 0; i < w->touch_count; i++) {
        const arne_touch *t = &w->touches[i];
        const int         on[2] = {t->contact, t->other};
        for (int k = 0; k < 2 && on[k] >= 0; k++) {
            out[3 * on[k]] += k ? -t->force.x : t->force.x;
            out[3 * on[k] + 1] += k ? -t->force.y : t->force.y;
            out[3 * on[k] + 2] += k ? -t->force.z : t->force.z;
        }
    }
}

int arne_world_touch_count(const arne_world *world) { return world->touch_count; }

arne_touch arne_world_touch(const arne_world *world, int index) { return world->touches[index]; }
