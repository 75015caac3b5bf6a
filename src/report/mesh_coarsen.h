// Meshes with fewer triangles, for pages that would be too large to send around.
#ifndef ARNE_REPORT_MESH_COARSEN_H
#define ARNE_REPORT_MESH_COARSEN_H

#include <stddef.h>

// A packed mesh (stl_pack.h) of at most so many bytes: corners in one cell of a grid become their
// mean, and triangles that vanish by that go. To be freed; NULL without memory, or if the bytes are
// no packed mesh.
unsigned char *mesh_coarsen(const unsigned char *packed, size_t size, size_t most,
                            size_t *coarse_size);

#endif
