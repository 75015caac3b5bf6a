// The skeleton of a robot: points that are fixed in bodies, and the sticks between them.
#ifndef ARNE_REPORT_SKELETON_H
#define ARNE_REPORT_SKELETON_H

#include <arne/work.h>

typedef struct skeleton_point {
    int       body;
    arne_vec3 at; // in the body's frame
} skeleton_point;

// Edges go around a body that has three points or more, such as a trunk or a platform.
typedef enum stick_kind { STICK_LINK, STICK_SLIDE, STICK_LOOP, STICK_EDGE } stick_kind;

typedef struct stick {
    int        from, to; // points
    stick_kind kind;
} stick;

typedef struct skeleton_joint {
    int point;
    int slides;
} skeleton_joint;

typedef struct skeleton {
    skeleton_point *points;
    stick          *sticks;
    skeleton_joint *joints;
    int            *tips; // points where a branch ends
    int             point_count, stick_count, joint_count, tip_count;
    int             root; // a point of the body that carries the others
} skeleton;

// skeleton_free is needed also after a failure, which can only be lack of memory.
ARNE_CHECKED arne_status skeleton_make(const arne_robot *robot, skeleton *out);
void                     skeleton_free(skeleton *s);

// Where the points are in the world, after arne_kinematics.
void skeleton_places(const skeleton *s, const arne_robot *robot, const arne_work *work,
                     arne_vec3 *out);

#endif
