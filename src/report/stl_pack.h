// Meshes of STL files, smaller: corners that triangles share stand once, in whole steps of 1/65535
// of the mesh's size.
#ifndef ARNE_REPORT_STL_PACK_H
#define ARNE_REPORT_STL_PACK_H

#include <stddef.h>

// The packed bytes, to be freed; NULL where the file is none that this reads, or without memory.
//
//   uint32  corners, triangles
//   float32 low[3], step[3]         a corner is at low + step * place
//   uint16  place[3 * corners]
//   uint16  corner[3 * triangles]   uint32 where there are more than 65536 corners
//
// All of it low byte first. The file ends with a zero that size does not count.
unsigned char *stl_pack(const unsigned char *bytes, size_t size, size_t *packed_size);

#endif
