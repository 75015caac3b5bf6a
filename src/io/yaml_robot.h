// A YAML robot file, section by section, and the keys that several sections share.
#ifndef ARNE_IO_YAML_ROBOT_H
#define ARNE_IO_YAML_ROBOT_H

#include "io/schema.h"

extern const doc_schema arne_yaml_robot_schema;

// ---- rows of tables. AT(field) is the offset of a field of arne_body_spec or arne_joint_spec.

#define INERTIAL_KEYS(AT)                                                                          \
    {                                                                                              \
        "mass",                                                                                    \
        DOC_TYPE_NUMBER,                                                                           \
        AT(mass),                                                                                  \
        .unit = "kg",                                                                              \
        .range = DOC_NOT_NEGATIVE,                                                                 \
        .otherwise = "0",                                                                          \
        .help = "mass of the link"},                                                               \
        {"com", DOC_TYPE_VEC3, AT(com), .unit = "m",                                               \
         .help = "centre of mass in the link's frame"},                                            \
        {"inertia",                                                                                \
         DOC_TYPE_OTHER,                                                                           \
         AT(name),                                                                                 \
         .read = arne_yaml_inertia,                                                                \
         .unit = "kg m^2",                                                                         \
         .takes = "[ixx, iyy, izz], [ixx, iyy, izz, ixy, ixz, iyz] or a mapping of them",          \
         .help = "inertia in the link's axes"},                                                    \
        {"inertia_about",    DOC_TYPE_WORD,                                                        \
         AT(about_origin),   .words = arne_yaml_about,                                             \
         .otherwise = "com", .help = "the point that the inertia is about"},                       \
        {"visual",                                                                                 \
         DOC_TYPE_OTHER,                                                                           \
         AT(name),                                                                                 \
         .read = arne_yaml_visual,                                                                 \
         .takes = "a mapping or a list: box, cylinder, capsule, sphere or mesh; origin, colour",   \
         .help = "how the link looks in pages"},                                                   \
    {                                                                                              \
        "accept", DOC_TYPE_WORDS, AT(accept),                                                      \
            .words = arne_yaml_flaws, .help = "known flaws of the inertia that are not reported"   \
    }

#define DRIVE_KEYS(AT)                                                                             \
    {"limits", DOC_TYPE_MAP, AT(name), .inside = &arne_yaml_limits,                                \
     .help = "limits of the joint"},                                                               \
        {"friction", DOC_TYPE_MAP, AT(name), .inside = &arne_yaml_friction,                        \
         .help = "friction of the joint"},                                                         \
        {"rotor_inertia",                                                                          \
         DOC_TYPE_NUMBER,                                                                          \
         AT(rotor_inertia),                                                                        \
         .unit = "kg m^2, kg",                                                                     \
         .range = DOC_NOT_NEGATIVE,                                                                \
         .otherwise = "0",                                                                         \
         .help = "inertia of the motor reflected to the joint"},                                   \
        {"passive",                                                                                \
         DOC_TYPE_OTHER,                                                                           \
         AT(actuation),                                                                            \
         .read = arne_yaml_passive,                                                                \
         .takes = "true or false",                                                                 \
         .help = "the joint is not driven"},                                                       \
    {                                                                                              \
        "active", DOC_TYPE_OTHER, AT(actuation),                                                   \
            .read = arne_yaml_active, .takes = "true or false",                                    \
            .help = "the joint is driven; all joints without this key are then passive"            \
    }

extern const doc_word   arne_yaml_about[], arne_yaml_flaws[];
extern const doc_schema arne_yaml_limits, arne_yaml_friction; // of arne_joint_spec

arne_status arne_yaml_visual(const doc_slot *slot,
                             void           *unused); // checks it; visual.h has who reads it
arne_status arne_yaml_inertia(const doc_slot *slot, void *body_spec); // a list or a mapping
arne_status arne_yaml_flexible(const doc_slot *slot, void *body_spec);
// Before a body is read: a beam has no mass of its own, and replaces one that was there.
ARNE_CHECKED arne_status arne_yaml_begin_flexible(const doc_slot *map, arne_body_spec *spec);
extern const doc_schema  arne_yaml_flexible_schema;
arne_status              arne_yaml_passive(const doc_slot *slot, void *actuation);
arne_status              arne_yaml_active(const doc_slot *slot, void *actuation);
arne_status              arne_yaml_mimic(const doc_slot *slot, void *joint_spec);
extern const doc_schema  arne_yaml_mimic_schema;

// A function of a mapping: the joint that it follows, of a product the other one, its numbers. What
// it points to lasts as long as the document.
ARNE_CHECKED arne_status arne_yaml_function(const doc_slot *map, arne_function_spec *out);
// The same without its joint, if it takes any number.
ARNE_CHECKED arne_status arne_yaml_curve(const doc_slot *map, arne_function_spec *out);
// One of them, or a list, for a joint: they replace those that it has.
ARNE_CHECKED arne_status arne_yaml_follows(const doc_slot *slot, const char *joint);
extern const doc_schema  arne_yaml_follow_schema;
// Strains of an exponential joint, and where they are at rest.
ARNE_CHECKED arne_status arne_yaml_strains(const doc_slot *slot, const arne_joint_spec *of);
ARNE_CHECKED arne_status arne_yaml_rest(const doc_slot *slot, void *joint_spec);
extern const doc_schema  arne_yaml_strain_schema;

// Words that enumerations of the library have, for rows of tables; NULL beyond the last.
const char           *arne_yaml_joint_kind(int kind);
const char           *arne_yaml_loop_kind(int kind);
const char           *arne_yaml_leg_kind(int kind);
extern const doc_word arne_yaml_bases[]; // arne_base

// Before a table reads the keys of a body that may have an inertia already: one that is given
// replaces the old one with all that was said about it.
ARNE_CHECKED arne_status arne_yaml_begin_inertial(const doc_slot *map, arne_body_spec *spec);

// Whether a name is there from a file that this one extends (or from the program), to be amended.
// One that this file itself has given before is not: it would be a duplicate, which the builder
// refuses.
int arne_yaml_amends_body(const reader *r, const char *name, arne_body_spec *spec);
int arne_yaml_amends_joint(const reader *r, const char *name, arne_joint_spec *spec);

// A file of closed_loop alone, NAME.yaml, belongs to the URDF beside it: its name, NAME.urdf. 0: it
// is another file.
int arne_yaml_beside(const doc_node *root, const char *file, char *name, size_t size);

// ---- the sections, each a schema and who reads it

extern const doc_schema arne_yaml_body_schema, arne_yaml_joint_schema, arne_yaml_dh_schema,
    arne_yaml_rotor_schema, arne_yaml_motor_schema, arne_yaml_spring_schema,
    arne_yaml_parallel_schema, arne_yaml_loop_schema, arne_yaml_contact_schema,
    arne_yaml_coupling_schema, arne_yaml_custom_schema, arne_yaml_wrap_schema,
    arne_yaml_muscle_schema;
arne_status arne_yaml_body(const doc_slot *item, const char *name, void *context);
arne_status arne_yaml_joint(const doc_slot *item, const char *name, void *context);
arne_status arne_yaml_dh(const doc_slot *section, void *unused);
arne_status arne_yaml_friction_section(const doc_slot *section, void *unused);
arne_status arne_yaml_rotors(const doc_slot *section, void *unused);
arne_status arne_yaml_motor(const doc_slot *item, const char *name, void *context);
arne_status arne_yaml_spring(const doc_slot *item, const char *name, void *context);
arne_status arne_yaml_coupling(const doc_slot *item, const char *name, void *context);
arne_status arne_yaml_custom_joint(const doc_slot *item, const char *name, void *context);
arne_status arne_yaml_parallel(const doc_slot *section, void *unused);
arne_status arne_yaml_loop(const doc_slot *item, const char *name, void *context);
arne_status arne_yaml_contacts(const doc_slot *section, void *unused);
arne_status arne_yaml_wraps(const doc_slot *section, void *unused);
arne_status arne_yaml_muscles(const doc_slot *section, void *unused);
arne_status arne_yaml_closed_loop(const doc_slot *section, void *unused);
arne_status arne_yaml_closed_loop_type(const doc_slot *section, void *unused);
arne_status arne_yaml_name_mot(const doc_slot *section, void *unused);
arne_status arne_yaml_joint_name(const doc_slot *section, void *unused);
arne_status arne_yaml_joint_type(const doc_slot *section, void *unused);

#endif
