// What reading one body (mjcf_body.c) and going through all of them (mjcf_world.c) share.
#ifndef ARNE_IO_FORMATS_MJCF_BODY_H
#define ARNE_IO_FORMATS_MJCF_BODY_H

#include "io/formats/mjcf.h"

enum { MJCF_MOST_JOINTS = 64 }; // of a body

typedef struct mjcf_reading {
    const xml_node *joints[MJCF_MOST_JOINTS];
    arne_pose       frames[MJCF_MOST_JOINTS]; // around each joint
    mjcf_class     *classes[MJCF_MOST_JOINTS];
    int             joint_count, weighs; // weighs: only its inertia is wanted
    const xml_node *inertial;
    mjcf_mass       sum; // of geoms
} mjcf_reading;

typedef enum mjcf_phase { MJCF_OWN, MJCF_CHILDREN } mjcf_phase;

// The elements of a body, also within frames and copies: its own first, then bodies on it.
ARNE_CHECKED arne_status mjcf_visit(mjcf *m, const mjcf_place *at, const xml_node *parent,
                                    mjcf_phase phase, mjcf_reading *b);
ARNE_CHECKED arne_status mjcf_own_element(mjcf *m, const mjcf_place *at, const xml_node *c,
                                          mjcf_reading *b);
ARNE_CHECKED arne_status mjcf_read_body(mjcf *m, const mjcf_place *at, const xml_node *node);
ARNE_CHECKED arne_status mjcf_add_link(mjcf *m, const xml_node *node, const arne_body_spec *spec);
const char              *mjcf_link_of(const mjcf *m, int body); // -1: the world's
arne_status              mjcf_no_memory(const mjcf *m);

#endif
