// A robot of parallel modules in series, taken apart: a robot for each (parallel_apart.c), and
// dynamics from one to the next (parallel_modules.c).
#ifndef ARNE_MECHANISM_PARALLEL_MODULES_H
#define ARNE_MECHANISM_PARALLEL_MODULES_H

#include <arne/builder.h>
#include <arne/kinematics.h>
#include <arne/modules.h>

enum { MOST_MOTIONS = 6 };

typedef struct module {
    arne_robot     *robot;
    arne_work      *work;
    arne_loop_work *loop;
    int             nq, nv, platform; // a frame
    int            *q_from, *v_from;  // where the whole robot has its coordinates
    int             moves[MOST_MOTIONS], drives[MOST_MOTIONS],
        count; // velocities of platform and driven joints
    double      *block, *q, *qd, *qdd, *tau;
    arne_wrench *f_ext;
    arne_pose    base; // of what it stands on
    arne_motion  base_velocity;
    double       I[36], p[6];                                // of what stands on its platform
    double       x0[MOST_MOTIONS], x_of_a[MOST_MOTIONS * 6]; // x = x0 + x_of_a a
} module;

struct arne_modules {
    module *item;
    int     count;
};

#endif
