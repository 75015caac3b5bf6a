// Mappings by a table: which keys there are, who reads each, and where in a struct it goes.
//
// Only what is given is written, so the same tables fill a new struct and amend one that is there.
#ifndef ARNE_IO_YAML_FIELDS_H
#define ARNE_IO_YAML_FIELDS_H

#include "io/yaml_tree.h"

// One value on its way into a struct, with what messages need.
typedef struct yaml_slot {
    reader          *reader;
    const char      *owner; // "joint 'elbow'"
    const char      *key;
    const yaml_node *value;
} yaml_slot;

typedef arne_status (*yaml_read)(const yaml_slot *slot, void *into);

typedef struct yaml_field {
    const char *key;
    yaml_read   read;
    size_t      offset; // of what it reads, in the struct that the table fills
} yaml_field;

// A table ends with a key that is NULL. A key that is in no table is a warning.
#define YAML_FIELDS_END                                                                            \
    {                                                                                              \
        NULL, NULL, 0                                                                              \
    }

ARNE_CHECKED arne_status arne_yaml_fields(const yaml_slot *map, const yaml_field *fields,
                                          void *into);

// "owner: key " and the text, at the line of the value.
arne_status arne_yaml_fail(const yaml_slot *slot, arne_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Fails unless the value is of this kind.
ARNE_CHECKED arne_status arne_yaml_expect(const yaml_slot *slot, yaml_kind kind);

// The position of the value in a list of words that ends with NULL.
ARNE_CHECKED arne_status arne_yaml_choice(const yaml_slot *slot, const char *const *words,
                                          int *out);

// Exactly `count` numbers in a list.
ARNE_CHECKED arne_status arne_yaml_numbers(const yaml_slot *slot, int count, double *out);

// What tables use.
arne_status arne_yaml_text(const yaml_slot *slot,
                           void            *text); // const char *, lives as long as the tree
arne_status arne_yaml_number(const yaml_slot *slot, void *number); // double
arne_status arne_yaml_vec3(const yaml_slot *slot, void *vec3);     // arne_vec3
arne_status arne_yaml_pose(const yaml_slot *slot,
                           void            *pose); // arne_pose: xyz, and rpy or quaternion

#endif
