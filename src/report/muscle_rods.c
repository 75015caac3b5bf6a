// Muscles as thin rods along their paths, in the posture in which the robot's file starts: a
// conditional point counts where it counts there, and a moving one is where it is there. On a
// surface that a path wraps, some short rods stay on that surface.
#include "math/vectors.h"
#include "muscle/path.h"
#include "report/solid.h"
#include "robot/muscles.h"
#include "robot/robot.h"
#include <arne/loop.h>
#include <math.h>
#include <stdlib.h>

enum { ARC_PIECES = 6 };                   // of a path on a surface
static const double MUSCLE_RADIUS = 0.006; // m
static const double BONE_PART = 0.35;      // of the radius of a link
static const double MUSCLE_COLOUR[4] = {0.75, 0.15, 0.15, 1},
                    LIGAMENT_COLOUR[4] = {0.8, 0.75, 0.5, 1};

static void muscle_rod(solid *rod, const muscle_node *from, const muscle_node *to, int muscle,
                       int driven)
{
    *rod = (solid){.kind = SOLID_ROD,
                   .tone = TONE_SLIDE,
                   .body = from->body,
                   .other = to->body,
                   .muscle = 1 + muscle};
    rod->at = (arne_pose){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, from->at};
    rod->far = to->at;
    rod->size[0] = MUSCLE_RADIUS;
    rod->has_colour = 1;
    for (int k = 0; k < 4; k++)
        rod->colour[k] = driven ? MUSCLE_COLOUR[k] : LIGAMENT_COLOUR[k];
}

// Points on a surface between two of its own, in its body: between them, moved out to the surface.
static muscle_node muscle_on_surface(const arne_robot *robot, const muscle_node *from,
                                     const muscle_node *to, double part)
{
    const wrap_record   *wrap = &robot_wraps(robot)[from->wrap];
    const arne_wrap_spec spec = arne_robot_wrap(robot, from->wrap);
    const arne_pose     *X = &wrap->at;
    const arne_vec3 a = into3(&X->R, sub3(from->at, X->p)), b = into3(&X->R, sub3(to->at, X->p));
    arne_vec3    p = {a.x + part * (b.x - a.x), a.y + part * (b.y - a.y), a.z + part * (b.z - a.z)};
    const double r = spec.size[0], x = p.x / r, ring = hypot(p.x, p.y);
    if (spec.shape == ARNE_WRAP_TORUS && ring > 0) {
        const arne_vec3 c = {p.x * spec.size[1] / ring, p.y * spec.size[1] / ring, 0};
        const arne_vec3 d = sub3(p, c);
        const double    far = sqrt(dot3(d, d));
        if (far > 0) p = (arne_vec3){c.x + r / far * d.x, c.y + r / far * d.y, r / far * d.z};
        return (muscle_node){from->body, add3(X->p, out_of3(&X->R, p)), from->wrap};
    }
    const int    egg = spec.shape == ARNE_WRAP_ELLIPSOID, tube = spec.shape == ARNE_WRAP_CYLINDER;
    const double y = p.y / (egg ? spec.size[1] : r), z = p.z / (egg ? spec.size[2] : r);
    const double out = sqrt(x * x + y * y + (tube ? 0 : z * z));
    if (out > 0) p = (arne_vec3){p.x / out, p.y / out, tube ? p.z : p.z / out};
    return (muscle_node){from->body, add3(X->p, out_of3(&X->R, p)), from->wrap};
}

static void muscle_rods(const arne_robot *robot, const muscle_node *nodes, int count, int muscle,
                        solid_list *list)
{
    const int driven = muscle_is_driven(arne_robot_muscle(robot, muscle).law.kind);
    for (int i = 0; i + 1 < count; i++) {
        const int   pieces = nodes[i].wrap < 0 ? 1 : ARC_PIECES;
        muscle_node last = nodes[i];
        for (int k = 1; k <= pieces; k++) {
            const muscle_node now = k == pieces ? nodes[i + 1]
                                                : muscle_on_surface(robot, &nodes[i], &nodes[i + 1],
                                                                    (double)k / pieces);
            muscle_rod(&list->item[list->count++], &last, &now, muscle, driven);
            last = now;
        }
    }
}

void solids_thin(const arne_robot *robot, solid_list *list)
{
    int muscles = 0;
    for (int m = 0; m < arne_muscle_count(robot); m++)
        muscles += arne_robot_muscle(robot, m).law.kind < ARNE_MUSCLE_LIGAMENT;
    for (int i = 0; i < list->count && muscles; i++)
        for (int k = 0; k < 3; k++) {
            solid       *s = &list->item[i];
            const double most = fmax(s->size[0], fmax(s->size[1], s->size[2]));
            if (s->kind == SOLID_CAPSULE ? k == 0
                                         : s->kind == SOLID_ELLIPSOID && 2 * s->size[k] < most)
                s->size[k] *= BONE_PART;
        }
}

arne_status solids_add_muscles(const arne_robot *robot, solid_list *list)
{
    int          room = list->count;
    const size_t q_count = (size_t)arne_robot_sizes(robot).q_count;
    for (int m = 0; m < arne_muscle_count(robot); m++) {
        const arne_muscle_spec spec = arne_robot_muscle(robot, m);
        room += spec.point_count + (1 + ARC_PIECES) * spec.wrap_count;
    }
    if (room == list->count) return ARNE_OK;
    solid       *item = realloc(list->item, (size_t)room * sizeof *item);
    double      *q = calloc(q_count + 1, sizeof *q);
    muscle_node *nodes = calloc((size_t)robot->path_room + 1, sizeof *nodes);
    arne_work   *work = NULL;
    if (item) list->item = item;
    const arne_status status = item && q && nodes ? arne_work_new(robot, &work) : ARNE_NO_MEMORY;
    if (!status) arne_start_configuration(robot, q);
    for (int m = 0; m < arne_muscle_count(robot) && !status; m++)
        muscle_rods(robot, nodes, muscle_nodes(robot, work, q, m, nodes), m, list);
    arne_work_free(work);
    free(nodes);
    free(q);
    return status;
}
