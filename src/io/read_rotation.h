// Rotations as files write them.
#ifndef ARNE_IO_READ_ROTATION_H
#define ARNE_IO_READ_ROTATION_H

#include <arne/types.h>

// Rz(yaw) Ry(pitch) Rx(roll), from rpy = {roll, pitch, yaw}. Quarter turns come out exact.
arne_mat3 arne_rotation_rpy(const double rpy[3]);

// From x, y, z, w, whose length is written too. Returns 0 where the quaternion is off unit by more
// than 1e-6.
int arne_rotation_quaternion(const double xyzw[4], arne_mat3 *out, double *length);

#endif
