// Robots as bytes, to send them to another process.
#ifndef ARNE_PACK_H
#define ARNE_PACK_H

#include <arne/robot.h>
#include <stddef.h>

ARNE_BEGIN

// A robot as bytes, for another process of the same version of Arne on the same kind of machine.
//
// bytes   arne_robot_packed_size of them
// ARNE_SYNTAX if they are not a packed robot or are damaged, ARNE_UNSUPPORTED if another version
// packed them.
ARNE_API size_t                   arne_robot_packed_size(const arne_robot *robot);
ARNE_API void                     arne_robot_pack(const arne_robot *robot, void *bytes);
ARNE_API ARNE_CHECKED arne_status arne_robot_unpack(const void *bytes, size_t size,
                                                    arne_robot **out, arne_error *error);

ARNE_END

#endif
