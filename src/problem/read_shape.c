// Contacts of a problem file that name a shape of the robot's file: which of its points touch.
#include "base/error.h"
#include "math/vectors.h"
#include "problem/read_problem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The axis of the world that is nearest to a direction, but none of `taken` (a bit each).
static int shape_nearest(arne_vec3 a, int taken)
{
    int best = -1;
    for (int k = 0; k < 3; k++)
        if (!(taken >> k & 1) && (best < 0 || fabs(component3(a, k)) > fabs(component3(a, best))))
            best = k;
    return best;
}

// The orientation of a link where all coordinates are zero.
static arne_status orientation(const problem *p, int frame, arne_mat3 *out)
{
    arne_work  *work = NULL;
    double     *q = calloc((size_t)arne_robot_sizes(p->robot).q_count + 1, sizeof *q);
    arne_status status = q ? arne_work_new(p->robot, &work) : ARNE_NO_MEMORY;
    if (!status) {
        arne_kinematics(p->robot, work, q, NULL, NULL);
        *out = arne_frame_pose(p->robot, work, frame).R;
    }
    arne_work_free(work);
    free(q);
    return status ? arne_fail_memory(p->r.error) : ARNE_OK;
}

// The four corners of the face that looks down most. The first one stays where it is, the second
// one says how the face is turned and tilted, the third one how it is tilted the other way.
static arne_status box(const problem *p, const problem_contact *c, const arne_contact_info *shape,
                       problem_points *out)
{
    const arne_vec3 g = arne_robot_gravity(p->robot);
    arne_vec3       up = c->plane_normal;
    arne_mat3       link;
    if (up.x == 0 && up.y == 0 && up.z == 0) up = (arne_vec3){-g.x, -g.y, -g.z};
    if (up.x == 0 && up.y == 0 && up.z == 0) up = (arne_vec3){0, 0, 1};
    const arne_status status = orientation(p, out->frame, &link);
    if (status) return status;
    const arne_vec3 axes[3] = {out_of3(&link, shape->pose.R.x), out_of3(&link, shape->pose.R.y),
                               out_of3(&link, shape->pose.R.z)};
    double          along[3];
    int             down = 0;
    for (int k = 0; k < 3; k++) {
        along[k] = axes[k].x * up.x + axes[k].y * up.y + axes[k].z * up.z;
        if (fabs(along[k]) > fabs(along[down])) down = k;
    }
    const int a = (down + 1) % 3, b = (down + 2) % 3;
    const int normal = shape_nearest(up, 0), first = shape_nearest(axes[a], 1 << normal),
              second = shape_nearest(axes[b], 1 << normal | 1 << first);
    out->count = 4;
    for (int i = 0; i < 4; i++) {
        double at[3];
        at[down] = (along[down] > 0 ? -0.5 : 0.5) * shape->size[down];
        at[a] = (i & 1 ? 0.5 : -0.5) * shape->size[a];
        at[b] = (i & 2 ? 0.5 : -0.5) * shape->size[b];
        const arne_vec3 in_link = out_of3(&shape->pose.R, (arne_vec3){at[0], at[1], at[2]});
        out->points[i] = (arne_vec3){shape->pose.p.x + in_link.x, shape->pose.p.y + in_link.y,
                                     shape->pose.p.z + in_link.z};
    }
    out->stays[0] = 7;
    out->stays[1] = (unsigned char)(1 << second | 1 << normal);
    out->stays[2] = (unsigned char)(1 << normal);
    out->stays[3] = 0;
    return ARNE_OK;
}

arne_status problem_shape(const problem *p, const problem_contact *c, problem_points *out)
{
    const doc_slot entry = {(reader *)(size_t)&p->r, "contacts", "", c->node};
    const doc_slot slot = doc_under(&entry, "shape");
    const int      count = arne_robot_sizes(p->shown).contact_count;
    for (int i = 0; i < count; i++) {
        const arne_contact_info shape = arne_robot_contact(p->shown, i);
        if (strcmp(shape.name, c->shape) != 0) continue;
        out->frame = arne_find_frame(p->robot, arne_robot_frame(p->shown, shape.link).name);
        out->friction = shape.friction;
        if (shape.shape == ARNE_SHAPE_BOX) return box(p, c, &shape, out);
        if (shape.shape != ARNE_SHAPE_POINT)
            return doc_fail(&slot, ARNE_UNSUPPORTED,
                            "'%.80s' is a %s, which may roll: in plans points and boxes touch. "
                            "Name a frame and its point",
                            c->shape, arne_shape_name(shape.shape));
        out->count = 1;
        out->points[0] = shape.pose.p;
        out->stays[0] = 7;
        return ARNE_OK;
    }
    return doc_fail(&slot, ARNE_NOT_FOUND,
                    "'%.80s' is no shape among the contacts of robot '%.80s'", c->shape,
                    arne_robot_name(p->shown));
}
