// What a builder remembers until the robot is finished.
#ifndef ARNE_ROBOT_BUILDER_H
#define ARNE_ROBOT_BUILDER_H

#include "base/findings.h"
#include "base/name_index.h"
#include <arne/builder.h>
#include <arne/muscle.h>

typedef struct frame_spec {
    const char *name, *body;
    arne_pose   pose;
    arne_place  place;
} frame_spec;

struct arne_builder {
    arne_body_spec     *bodies;
    arne_joint_spec    *joints;
    frame_spec         *frames;
    arne_motor_spec    *motors;
    arne_spring_spec   *springs;
    arne_loop_spec     *loops;
    arne_coupling_spec *couplings;
    arne_contact_spec  *contacts;
    arne_strain_spec   *strains;
    arne_function_spec *functions; // each owns its x and y, one block at x or else y
    arne_muscle_spec   *muscles;   // each owns its points, wraps and functions
    arne_wrap_spec     *wraps;
    char              **texts;                   // every string above lives here
    name_index          body_index, joint_index; // the first of each name
    int                 body_count, joint_count, frame_count, text_count;
    int                 motor_count, spring_count, motor_room, spring_room;
    int                 body_room, joint_room, frame_room, text_room;
    int                 loop_count, loop_room, coupling_count, coupling_room;
    int                 contact_count, contact_room, function_count, function_room;
    int                 muscle_count, muscle_room, wrap_count, wrap_room;
    int                 strain_count, strain_room;
    const char         *name;
    arne_vec3           gravity;
    arne_base           base;
    findings            found;      // what readers said about their files
    int                 incomplete; // a reader could not add everything that its file has
};

// Options of a caller as this release knows them (base/options.h): *options becomes `own`, or stays
// NULL. ARNE_UNSUPPORTED where they set what only a later release knows.
ARNE_CHECKED arne_status builder_take_options(const arne_build_options **options,
                                              arne_build_options *own, arne_error *error);

// Whether a joint follows others by functions.
int builder_has_function(const arne_builder *b, const char *joint);
// Removes the functions that a joint follows.
void builder_clear_functions(arne_builder *b, const char *joint);

// Room for one more entry of a growing array; NULL where there is no memory, and the array stays as
// it was.
void *builder_grow(void **array, int count, int *room, size_t size);
#define BUILDER_GROW(b, what)                                                                      \
    builder_grow((void **)(void *)&(b)->what##s, (b)->what##_count, &(b)->what##_room,             \
                 sizeof *(b)->what##s)
// Keeps a copy of a text; NULL stays NULL.
ARNE_CHECKED arne_status builder_keep(arne_builder *b, const char **text);
// x and y of a function in a block of their own: x first, if there is any. 0: no memory.
int  builder_copy_numbers(arne_function *f);
void builder_free_numbers(arne_function *f);
// A name goes into tables and messages of one line.
ARNE_CHECKED arne_status builder_check_name(const char *what, const char *name, arne_place place,
                                            arne_error *error);

// The pose of a contact's shape in its link, with the axis along z.
arne_pose contact_spec_pose(const arne_contact_spec *spec);

#endif
