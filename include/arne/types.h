// Basic types. SI units, radians, double precision.
#ifndef ARNE_TYPES_H
#define ARNE_TYPES_H

#include <stddef.h>

#ifdef __cplusplus
#define ARNE_BEGIN extern "C" {
#define ARNE_END }
#else
#define ARNE_BEGIN
#define ARNE_END
#endif

#if defined(__GNUC__)
#define ARNE_API __attribute__((visibility("default")))
#define ARNE_CHECKED __attribute__((warn_unused_result))
#else
#define ARNE_API
#define ARNE_CHECKED
#endif

// Structs of options (arne_..._options) start with their size, so that they can grow without
// breaking programs: set it to the sizeof of the struct that you compile with. A newer library
// takes missing fields as zero, which always means the default; an older library fails with
// ARNE_UNSUPPORTED if you set a field that it does not know. Size 0: the fields that the struct had
// when it first appeared.

typedef struct arne_vec3 {
    double x, y, z;
} arne_vec3;

// A rotation matrix by columns: the axes of the rotated frame, expressed in the original frame.
typedef struct arne_mat3 {
    arne_vec3 x, y, z;
} arne_mat3;

// X_ab: the pose of frame b in frame a. A point x given in b is R x + p in a.
typedef struct arne_pose {
    arne_mat3 R;
    arne_vec3 p;
} arne_pose;

// A velocity or acceleration (linear part of the frame's origin, angular part).
typedef struct arne_motion {
    arne_vec3 lin, ang;
} arne_motion;

// A force and the moment about the frame's origin. Not a motion: they are different types for the
// compiler.
typedef struct arne_wrench {
    arne_vec3 lin, ang;
} arne_wrench;

#endif
