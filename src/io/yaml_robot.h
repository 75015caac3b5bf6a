// A YAML robot file, section by section, and the parts that several sections share.
#ifndef ARNE_IO_YAML_ROBOT_H
#define ARNE_IO_YAML_ROBOT_H

#include "io/yaml_fields.h"

// Who is spoken of in messages: "joint 'elbow'".
typedef struct yaml_owner {
    char text[160];
} yaml_owner;

yaml_owner arne_yaml_owner(const char *what, const char *name);

// Calls read for every mapping of a list, with the name that it has under `key` and must have.
typedef arne_status (*yaml_read_item)(const yaml_slot *item, const char *name, void *context);
ARNE_CHECKED arne_status arne_yaml_each(const yaml_slot *list, const char *key, yaml_read_item read,
                                        void *context);

// For a key that the code around the table reads.
arne_status arne_yaml_ignore(const yaml_slot *slot, void *unused);

// A file of closed_loop alone, NAME.yaml, belongs to the URDF beside it: its name, NAME.urdf. 0: it is another file.
int arne_yaml_beside(const yaml_node *root, const char *file, char *name, size_t size);

// Joints, in yaml_joint.c.
arne_status arne_yaml_kind(const yaml_slot *slot, void *kind); // arne_joint_kind
arne_status arne_yaml_limits(const yaml_slot *slot,
                             void            *joint_spec); // lower, upper, velocity, effort
arne_status arne_yaml_mimic(const yaml_slot *slot, void *joint_spec);    // joint, ratio, offset
arne_status arne_yaml_friction(const yaml_slot *slot, void *joint_spec); // viscous, coulomb

// Inertial keys, in yaml_body.c.
arne_status arne_yaml_inertia(const yaml_slot *slot, void *body_spec); // a list or a mapping
arne_status arne_yaml_inertia_about(const yaml_slot *slot, void *about_origin); // int
arne_status arne_yaml_accept(const yaml_slot *slot, void *accept);              // unsigned

// Before a table reads the keys of a body that may have an inertia already: one that is given
// replaces the old one with all that was said about it.
ARNE_CHECKED arne_status arne_yaml_begin_inertial(const yaml_slot *map, arne_body_spec *spec);

// Whether a name is there from a file that this one extends (or from the program), to be amended.
// One that this file itself has given before is not: it would be a duplicate, which the builder
// refuses.
int arne_yaml_amends_body(const reader *r, const char *name, arne_body_spec *spec);
int arne_yaml_amends_joint(const reader *r, const char *name, arne_joint_spec *spec);

// The sections.
arne_status arne_yaml_bodies(const yaml_slot *section);
arne_status arne_yaml_joints(const yaml_slot *section);
arne_status arne_yaml_dh(const yaml_slot *section);
arne_status arne_yaml_friction_section(const yaml_slot *section);
arne_status arne_yaml_rotors(const yaml_slot *section);
arne_status arne_yaml_motors(const yaml_slot *section);
arne_status arne_yaml_springs(const yaml_slot *section);
arne_status arne_yaml_parallel(const yaml_slot *section);
arne_status arne_yaml_loops(const yaml_slot *section);
arne_status arne_yaml_closed_loop(const yaml_slot *section);
arne_status arne_yaml_closed_loop_type(const yaml_slot *section);
arne_status arne_yaml_name_mot(const yaml_slot *section);

// In yaml_loop.c: arne_loop_kind.
arne_status arne_yaml_loop_kind(const yaml_slot *slot, void *kind);

// Who drives a joint, in yaml_loop.c: passive: true, active: true.
arne_status arne_yaml_passive(const yaml_slot *slot, void *actuation);
arne_status arne_yaml_active(const yaml_slot *slot, void *actuation);

#endif
