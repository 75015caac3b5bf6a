// The visuals of a robot file replace the shapes that were derived from inertias and joints.
#include "math/lower.h"
#include "report/solid.h"
#include "robot/robot.h"
#include <stdlib.h>

static arne_pose in_body(const arne_frame_info *frame, const arne_pose *at)
{
    const pose link = pose_lift(frame->pose), own = pose_lift(*at), X = pose_mul(&link, &own);
    return lower_pose(&X);
}

static solid solid_of(const visual *v, const arne_frame_info *frame, int mesh)
{
    static const solid_kind kinds[] = {[VISUAL_BOX] = SOLID_BOX,
                                       [VISUAL_CYLINDER] = SOLID_CYLINDER,
                                       [VISUAL_SPHERE] = SOLID_ELLIPSOID,
                                       [VISUAL_CAPSULE] = SOLID_CAPSULE,
                                       [VISUAL_MESH] = SOLID_MESH};
    solid s = {.kind = kinds[v->kind], .tone = frame->body ? TONE_LINK : TONE_BASE};
    s.body = frame->body;
    s.at = in_body(frame, &v->at);
    for (int k = 0; k < 3; k++)
        s.size[k] = v->kind == VISUAL_SPHERE ? v->size[0] : v->size[k];
    s.mesh = mesh;
    s.has_colour = v->has_colour;
    for (int k = 0; k < 4; k++)
        s.colour[k] = v->colour[k];
    return s;
}

// What replaces derived shapes.
typedef struct dressing {
    const arne_robot *robot;
    const looks      *looks;
    solid            *item; // visuals, and collision shapes of links whose visuals cannot be drawn
    int               count;
    unsigned char *shown, *lost; // of each link: it has a visual that is drawn, or one that is not
    double        *weight;       // of each body: mass of links that are drawn, less that of others
    unsigned char *dressed;      // of each body: nothing is derived for it
} dressing;

static int visual_link(const dressing *d, int i)
{
    const visual *v = &d->looks->visuals.item[i];
    const int     frame = arne_find_frame(d->robot, v->link);
    return v->kind == VISUAL_NONE ? -1 : frame;
}

static int is_drawn(const looks *l, int i)
{
    return l->visuals.item[i].kind != VISUAL_MESH || l->mesh[i] >= 0;
}

static void add_visuals(dressing *d)
{
    for (int i = 0; i < d->looks->visuals.count; i++) {
        const visual *v = &d->looks->visuals.item[i];
        const int     link = visual_link(d, i), drawn = is_drawn(d->looks, i);
        if (link < 0) continue;
        const arne_frame_info info = arne_robot_frame(d->robot, link);
        if (drawn) d->item[d->count++] = solid_of(v, &info, d->looks->mesh[i]);
        if (v->besides) continue;
        *(drawn ? &d->shown[link] : &d->lost[link]) = 1;
    }
}

// Where the mesh of a link is not found, its collision shapes show where it is.
static void add_collisions(dressing *d)
{
    static const solid_kind kinds[] = {
        [ARNE_SHAPE_POINT] = SOLID_KIND_COUNT,  [ARNE_SHAPE_SPHERE] = SOLID_ELLIPSOID,
        [ARNE_SHAPE_CAPSULE] = SOLID_CAPSULE,   [ARNE_SHAPE_BOX] = SOLID_BOX,
        [ARNE_SHAPE_CYLINDER] = SOLID_CYLINDER, [ARNE_SHAPE_DISC] = SOLID_CYLINDER};
    for (int i = 0; i < arne_robot_sizes(d->robot).contact_count; i++) {
        const arne_contact_info c = arne_robot_contact(d->robot, i);
        const arne_frame_info   info = arne_robot_frame(d->robot, c.link);
        if (!d->lost[c.link] || d->shown[c.link] == 1 || kinds[c.shape] == SOLID_KIND_COUNT)
            continue;
        solid s = {.kind = kinds[c.shape],
                   .tone = solid_tone_of(d->robot, info.body),
                   .body = info.body,
                   .at = in_body(&info, &c.pose)};
        for (int k = 0; k < 3; k++)
            s.size[k] = c.shape == ARNE_SHAPE_SPHERE ? c.size[0] : c.size[k];
        if (c.shape == ARNE_SHAPE_DISC) s.size[1] = 0.2 * c.size[0];
        d->item[d->count++] = s;
        d->shown[c.link] = 2; // by its collision shapes
    }
}

// A body whose heavier links are drawn needs no derived shapes: a camera on a trunk whose mesh is
// not found does not stand for the trunk. Returns whether there is such a body.
static int mark_bodies(dressing *d)
{
    int any = 0;
    for (int i = 0; i < d->robot->link_count; i++) {
        const arne_frame_info f = arne_robot_frame(d->robot, i);
        if (d->shown[i]) d->dressed[f.body] = 1;
        d->weight[f.body] += d->shown[i] ? f.mass : d->lost[i] ? -f.mass : 0;
    }
    for (int i = 0; i < d->robot->body_count; i++) {
        d->dressed[i] = d->dressed[i] && !(d->weight[i] < 0);
        any |= d->dressed[i];
    }
    return any;
}

// Removes the derived shapes of these bodies, and of other bodies those without mass: a robot with
// meshes needs no sticks between them. Slices of a rod that bends stay.
static void undress(const arne_robot *robot, const unsigned char *dressed, solid_list *list)
{
    int kept = 0;
    for (int i = 0; i < list->count; i++) {
        const solid *s = &list->item[i];
        const int    light = !(drawn_cloud(robot, s->body).mass > 0);
        const int    bends = solid_is_slice(robot, s->body);
        const int    piece =
            bends && (s->kind != SOLID_ROD || s->other == robot_bodies(robot)[s->body].parent);
        const int gone =
            !piece && (dressed[s->body] ||
                       (!bends && (light || (s->kind == SOLID_ROD && dressed[s->other]))));
        if (!gone) list->item[kept++] = *s;
    }
    list->count = kept;
}

arne_status solids_dress(const arne_robot *robot, const looks *l, solid_list *list)
{
    const size_t links = (size_t)robot->frame_count, bodies = (size_t)robot->body_count;
    const size_t most =
        (size_t)l->visuals.count + (size_t)arne_robot_sizes(robot).contact_count + 1;
    dressing d = {.robot = robot, .looks = l};
    d.item = calloc(most, sizeof *d.item);
    d.shown = calloc(links + 1, 1);
    d.lost = calloc(links + 1, 1);
    d.weight = calloc(bodies, sizeof *d.weight);
    d.dressed = calloc(bodies, 1);
    int ok = d.item && d.shown && d.lost && d.weight && d.dressed;
    if (ok) {
        add_visuals(&d);
        add_collisions(&d);
        if (mark_bodies(&d)) undress(robot, d.dressed, list);
        solid *item = realloc(list->item, ((size_t)list->count + most) * sizeof *item);
        ok = item != NULL;
        if (item) list->item = item;
    }
    for (int i = 0; ok && i < d.count; i++)
        list->item[list->count++] = d.item[i];
    free(d.item);
    free(d.shown);
    free(d.lost);
    free(d.weight);
    free(d.dressed);
    return ok ? ARNE_OK : ARNE_NO_MEMORY;
}
