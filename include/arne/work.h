// The workspace: all intermediate results of one thread, for the robot it was made for (also with a
// payload on it). Functions that take a workspace allocate no memory. With the workspace of another
// robot, functions that return a status fail with ARNE_WORKSPACE; the others check it in debug
// builds only, and must not be called that way.
#ifndef ARNE_WORK_H
#define ARNE_WORK_H

#include <arne/robot.h>
#include <stddef.h>

typedef struct arne_work arne_work;

ARNE_BEGIN

// For workspaces in your own memory: the number of bytes that a workspace needs, and a workspace in
// such a block. The block must be aligned to 64 bytes; nothing has to be freed but the block
// itself. 0 and NULL for a robot that was copied from another machine and is built for instructions
// that this processor lacks.
ARNE_API size_t     arne_work_size(const arne_robot *robot);
ARNE_API arne_work *arne_work_place(const arne_robot *robot, void *memory);

// Allocates and frees a workspace. ARNE_UNSUPPORTED for a robot from another machine, as above.
ARNE_API ARNE_CHECKED arne_status arne_work_new(const arne_robot *robot, arne_work **out);
ARNE_API void                     arne_work_free(arne_work *work);

// Sets the motion of a base that is not free: its pose in the world, its velocity as a twist in its
// own axes, and the time derivative of the components of that twist. NULL: identity, zero, zero.
// The setting stays until it is changed. A new workspace has a base at rest at the world's origin.
ARNE_API void arne_work_set_base(const arne_robot *robot, arne_work *work, const arne_pose *pose,
                                 const arne_motion *velocity, const arne_motion *acceleration);

// The time derivative of the components of that acceleration; arne_work_set_base makes it zero.
ARNE_API void arne_work_set_base_jerk(const arne_robot *robot, arne_work *work,
                                      const arne_motion *jerk);

ARNE_END

#endif
