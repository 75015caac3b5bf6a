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

// Bodies with anything to show; a mesh that is missing leaves its body as it is.
static int mark_bodies(const arne_robot *robot, const looks *l, unsigned char *dressed, int *any)
{
    int count = 0;
    *any = 0;
    for (int i = 0; i < l->visuals.count; i++) {
        const visual *v = &l->visuals.item[i];
        const int     frame = arne_find_frame(robot, v->link);
        if (frame < 0 || v->kind == VISUAL_NONE || (v->kind == VISUAL_MESH && l->mesh[i] < 0))
            continue;
        if (!v->besides) *any = dressed[arne_robot_frame(robot, frame).body] = 1;
        count++;
    }
    return count;
}

// Removes the derived shapes of these bodies, and of other bodies those without mass: a robot with
// meshes needs no sticks between them.
static void undress(const arne_robot *robot, const unsigned char *dressed, solid_list *list)
{
    int kept = 0;
    for (int i = 0; i < list->count; i++) {
        const solid *s = &list->item[i];
        const int    light = !(robot_bodies(robot)[s->body].inertia.m > 0);
        const int    gone = dressed[s->body] || light ||
                         (s->kind == SOLID_ROD && (dressed[s->other] || dressed[s->body]));
        if (!gone) list->item[kept++] = *s;
    }
    list->count = kept;
}

arne_status solids_dress(const arne_robot *robot, const looks *l, solid_list *list)
{
    unsigned char *dressed = calloc((size_t)robot->body_count, 1);
    if (!dressed) return ARNE_NO_MEMORY;
    int       any;
    const int count = mark_bodies(robot, l, dressed, &any);
    if (count) {
        if (any) undress(robot, dressed, list);
        solid *item = realloc(list->item, (size_t)(list->count + count) * sizeof *item);
        if (!item) {
            free(dressed);
            return ARNE_NO_MEMORY;
        }
        list->item = item;
        for (int i = 0; i < l->visuals.count; i++) {
            const visual *v = &l->visuals.item[i];
            const int     frame = arne_find_frame(robot, v->link);
            if (frame < 0 || v->kind == VISUAL_NONE || (v->kind == VISUAL_MESH && l->mesh[i] < 0))
                continue;
            const arne_frame_info info = arne_robot_frame(robot, frame);
            item[list->count++] = solid_of(v, &info, l->mesh[i]);
        }
    }
    free(dressed);
    return ARNE_OK;
}
