// Muscles as thin rods from point to point of their paths, in the posture in which the robot's file
// starts: a conditional point counts where it counts there, and a moving one is where it is there.
// Surfaces that paths wrap are left out.
#include "io/pose_math.h"
#include "report/solid.h"
#include <arne/muscle.h>
#include <math.h>
#include <stdlib.h>

static const double MUSCLE_RADIUS = 0.004; // m
static const double MUSCLE_COLOUR[4] = {0.75, 0.15, 0.15, 1},
                    LIGAMENT_COLOUR[4] = {0.8, 0.75, 0.5, 1};

typedef struct muscle_end {
    int       body;
    arne_vec3 at; // in the body
} muscle_end;

static double start_of(const arne_robot *robot, const char *joint)
{
    const arne_joint_info j = arne_robot_joint(robot, arne_find_joint(robot, joint));
    return fmin(fmax(j.start, j.lower), j.upper);
}

// 0: the point does not count.
static int muscle_rod_end(const arne_robot *robot, const arne_path_point *p, muscle_end *out)
{
    arne_vec3 at = p->position;
    double    d[5];
    if (p->joint) {
        const double q = start_of(robot, p->joint);
        if (q < p->lower || q > p->upper) return 0;
    }
    for (int k = 0; k < 3; k++)
        if (p->follows[k] &&
            arne_function_at(&p->functions[k], start_of(robot, p->follows[k]), d, NULL) == ARNE_OK)
            (&at.x)[k] = d[0];
    const arne_frame_info f = arne_robot_frame(robot, arne_find_frame(robot, p->link));
    out->body = f.body;
    out->at = vec_add(f.pose.p, rotate(&f.pose.R, at));
    return 1;
}

static void muscle_rod(solid *rod, const muscle_end *from, const muscle_end *to, int muscle)
{
    *rod = (solid){.kind = SOLID_ROD, .tone = TONE_SLIDE, .body = from->body, .other = to->body};
    rod->at = (arne_pose){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, from->at};
    rod->far = to->at;
    rod->size[0] = MUSCLE_RADIUS;
    rod->has_colour = 1;
    for (int k = 0; k < 4; k++)
        rod->colour[k] = muscle ? MUSCLE_COLOUR[k] : LIGAMENT_COLOUR[k];
}

arne_status solids_add_muscles(const arne_robot *robot, solid_list *list)
{
    int room = list->count;
    for (int m = 0; m < arne_muscle_count(robot); m++)
        room += arne_robot_muscle(robot, m).point_count;
    if (room == list->count) return ARNE_OK;
    solid *item = realloc(list->item, (size_t)room * sizeof *item);
    if (!item) return ARNE_NO_MEMORY;
    list->item = item;
    for (int m = 0; m < arne_muscle_count(robot); m++) {
        const arne_muscle_spec spec = arne_robot_muscle(robot, m);
        muscle_end             last = {0}, now;
        int                    has_last = 0;
        for (int i = 0; i < spec.point_count; i++) {
            const arne_path_point p = arne_muscle_point(robot, m, i);
            if (!muscle_rod_end(robot, &p, &now)) continue;
            if (has_last)
                muscle_rod(&item[list->count++], &last, &now, spec.law.kind < ARNE_MUSCLE_LIGAMENT);
            last = now;
            has_last = 1;
        }
    }
    return ARNE_OK;
}
