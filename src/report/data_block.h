// The data block of a page: JSON that is safe within a <script>, and arrays of float32 as base64.
#ifndef ARNE_REPORT_DATA_BLOCK_H
#define ARNE_REPORT_DATA_BLOCK_H

#include "base/buffer.h"

#include <arne/types.h>
#include <stddef.h>

// A text in quotes. Characters that mean something to HTML are written by their numbers, so that no
// name ends the block, and what is no clean UTF-8 becomes '?'.
void block_text(buffer *b, const char *text);
// A number; null where it is not finite.
void block_number(buffer *b, double value, int digits);
void block_vector(buffer *b, arne_vec3 v);
// [x, y, z, qx, qy, qz, qw]: a place and a unit quaternion.
void block_pose(buffer *b, const arne_pose *X);
// "base64" of float32, low byte first.
void block_floats(buffer *b, const float *value, size_t count);
// "base64" of bytes as they are.
void block_bytes(buffer *b, const unsigned char *bytes, size_t size);

// The unit quaternion x, y, z, w of a rotation, w not negative.
void quaternion_of(const arne_mat3 *R, double out[4]);

#endif
