// What the readers of URDF's parts share: what is being read, and how it is kept.
#ifndef ARNE_IO_URDF_H
#define ARNE_IO_URDF_H

#include "io/urdf_collision.h"
#include "io/urdf_coupling.h"
#include "io/visual.h"
#include "io/xml.h"
#include "io/xml_tree.h"
#include "robot/builder.h"

typedef struct urdf_looks {
    visual          *now;    // the visual that is open; NULL: none
    int              broken; // it has a mistake
    visual_material *materials;
    int              material_count;
} urdf_looks;

// The link, joint, loop or coupling that is being read. Its texts are ours: expat's last only as
// long as their tag.
typedef struct urdf {
    arne_body_spec  body;
    arne_joint_spec joint;
    arne_loop_spec  loop;  // parent and child are its predecessor and successor
    double          ratio; // of a coupling, likewise
    char           *name, *parent, *child, *mimic;
    // The lines of the first leftovers of a template: one that does harm, in what is passed over,
    // in a name. 0: there is none.
    int             xacro_line, xacro_drawn, xacro_names;
    urdf_couplings  couplings;
    urdf_collisions collisions;
    urdf_looks      looks;
} urdf;

arne_place urdf_place_of(const xml *x);
// A text of ours; that of an attribute, which must be there.
arne_status urdf_keep(xml *x, char **slot, const char *text);
arne_status urdf_keep_attribute(xml *x, char **slot, const char *attribute);
arne_status urdf_open_owner(xml *x);
void        urdf_close_owner(xml *x);
arne_status urdf_read_pose(xml *x, arne_vec3 *p, arne_mat3 *R);
// What must be there: the owner is left out where it is not. A tag without its attribute was
// complained about.
arne_status urdf_check_ends(xml *x, const char *parent, const char *child);
int         urdf_has_ends(const urdf *u);

// ---- what is no URDF: urdf_format.c
arne_status urdf_inspect(xml *x);
arne_status urdf_refuse_xacro(reader *r, int line);

// ---- limits, friction and mimics of joints: urdf_joint.c
int         urdf_is_limited(arne_joint_kind kind);
arne_status urdf_open_limit(xml *x);
arne_status urdf_open_dynamics(xml *x);
arne_status urdf_open_mimic(xml *x);
// A joint, of those from `first` on, that cannot follow what it names moves by itself, with a
// warning.
arne_status urdf_mend_mimics(reader *r, int first);

// ---- visuals and materials: urdf_visual.c
arne_status urdf_open_visual(xml *x);
arne_status urdf_close_visual(xml *x);
arne_status urdf_visual_origin(xml *x);
arne_status urdf_visual_shape(xml *x);
arne_status urdf_visual_mesh(xml *x);
arne_status urdf_open_material(xml *x);
arne_status urdf_open_colour(xml *x);
// At the end of the file: colours by name, of the visuals from `first` on. out may be NULL.
void urdf_looks_finish(urdf_looks *l, visual_list *out, int first);

// ---- loops and couplings, as URDF+ has them: urdf_loop.c
arne_status urdf_open_loop(xml *x);
arne_status urdf_open_predecessor_origin(xml *x);
arne_status urdf_open_successor_origin(xml *x);
arne_status urdf_open_loop_axis(xml *x);
arne_status urdf_close_loop(xml *x);
arne_status urdf_open_coupling(xml *x);
arne_status urdf_open_ratio(xml *x);
arne_status urdf_close_coupling(xml *x);

#endif
