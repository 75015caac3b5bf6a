// <collision> of a URDF's links: boxes, spheres, cylinders, capsules, and meshes by vertices of
// their hull.
#ifndef ARNE_IO_URDF_COLLISION_H
#define ARNE_IO_URDF_COLLISION_H

#include "io/xml.h"
#include <arne/builder.h>

typedef struct urdf_collisions {
    arne_contact_spec  now; // that is being read
    arne_contact_spec *of_link;
    int                count, room; // of the link that is being read
    int                open, has_shape, broken;
    char              *mesh; // its file, where it is one
    double             scale[3];
    int                left_out; // what does not touch, to be told once
    arne_place         first_at;
    char               first[400];
} urdf_collisions;

void                     urdf_collision_begin(urdf_collisions *c, arne_place place);
ARNE_CHECKED arne_status urdf_collision_shape(xml *x, urdf_collisions *c);
ARNE_CHECKED arne_status urdf_collision_origin(xml *x, urdf_collisions *c);
ARNE_CHECKED arne_status urdf_collision_mesh(xml *x, urdf_collisions *c);
ARNE_CHECKED arne_status urdf_collision_end(xml *x, urdf_collisions *c);
// At the end of a link, and of the file.
ARNE_CHECKED arne_status urdf_collisions_add(reader *r, urdf_collisions *c, const char *link);
ARNE_CHECKED arne_status urdf_collisions_tell(reader *r, const urdf_collisions *c);
void                     urdf_collisions_free(urdf_collisions *c);

#endif
