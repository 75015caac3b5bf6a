// The points of a mesh that can touch a plane: vertices of its convex hull.
#ifndef ARNE_IO_MESH_HULL_H
#define ARNE_IO_MESH_HULL_H

#include "io/reader.h"

enum {
    MESH_HULL_MOST = 32,      // vertices that are kept of a hull
    MESH_HULL_WORK = 50000000 // of a whole hull: points times its vertices, less than a second
};

// The corners of the triangles of an STL file's text, which ends with a zero; three each, to be
// freed. 0: there are none, or no memory.
int mesh_stl_corners(const char *text, size_t size, arne_vec3 **corners, int *count);

// Reads an STL (binary or text) or OBJ file and finds at most MESH_HULL_MOST vertices of its convex
// hull: all of them where there are no more, else those that leave the least outside. Returns how
// many; 0 where the file cannot be read as one of these, with a few words in *why; -1: no memory.
int mesh_hull(const char *path, arne_vec3 out[MESH_HULL_MOST], const char **why);
// The corners of the triangles of an STL or OBJ file, three by three; to be freed. 1: they are
// there, 0: the file is none or cannot be read, -1: no memory.
int mesh_triangles(const char *path, arne_vec3 **corners, int *count);
// The same of points in memory.
int mesh_hull_of(const arne_vec3 *points, int count, arne_vec3 out[MESH_HULL_MOST]);
// The corners of the triangles of the whole hull, turned outward, three by three; to be freed.
// Returns how many corners; 0: too much work, or all in a plane; -1: no memory.
int mesh_hull_triangles(const arne_vec3 *points, int count, arne_vec3 **corners);

#endif
