// What the page's script knows of a robot: bodies, joints, frames, loops and solids, as part of the
// data block.
#ifndef ARNE_REPORT_SCENE_H
#define ARNE_REPORT_SCENE_H

#include "base/buffer.h"
#include "report/motion.h"
#include "report/solid.h"

typedef struct scene {
    const arne_robot *robot;
    const figure     *figure; // its first frame gives the size
    const double     *q;      // q_count: the posture in which the page starts; NULL in stills
    const looks      *looks;  // of the robot's file; may be NULL
} scene;

// What is seen of the robot. Without meshes, shapes stand in for them. solids_free is needed also
// after a failure, which can only be lack of memory.
ARNE_CHECKED arne_status scene_solids(const scene *s, int without_meshes, solid_list *out);

// {"name":...}, one robot of the block. Fails only for lack of memory, as the buffer does.
void scene_put(buffer *b, const scene *s);
// {"name":...,"robot":...,"times":...,"poses":...,"coms":...}: how the robot of that number in the
// block moves; with "activations", those of so many muscles in each frame.
void scene_put_motion(buffer *b, const char *name, int robot, int is_ghost, const figure *f,
                      int muscles, const float *activations);

#endif
