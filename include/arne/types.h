// The small types that everything speaks in. SI units, radians, double precision.
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
// breaking programs: set it to the sizeof of the struct that you compile with. A library that knows
// more takes the rest as zero, which always means the usual value; one that knows less fails with
// ARNE_UNSUPPORTED where you set what it does not know. 0: the fields that the struct had when it
// first appeared.

typedef struct arne_vec3 {
    double x, y, z;
} arne_vec3;

// A rotation, by its columns: the axes of the turned frame, written in the frame it is turned from.
typedef struct arne_mat3 {
    arne_vec3 x, y, z;
} arne_mat3;

// X_ab: where frame b stands in frame a. A point p of b is R p + this->p in a.
typedef struct arne_pose {
    arne_mat3 R;
    arne_vec3 p;
} arne_pose;

// A velocity or acceleration (linear part of the frame's origin, angular part).
typedef struct arne_motion {
    arne_vec3 lin, ang;
} arne_motion;

// A force and the moment about the frame's origin. Not a motion: the compiler keeps them apart.
typedef struct arne_wrench {
    arne_vec3 lin, ang;
} arne_wrench;

#endif
