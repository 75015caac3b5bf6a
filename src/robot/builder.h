// What a builder remembers until the robot is finished.
#ifndef ARNE_ROBOT_BUILDER_H
#define ARNE_ROBOT_BUILDER_H

#include "base/findings.h"
#include "base/name_index.h"
#include <arne/builder.h>

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
    arne_function_spec *functions;               // each owns its x and y, one block at x or else y
    char              **texts;                   // every string above lives here
    name_index          body_index, joint_index; // the first of each name
    int                 body_count, joint_count, frame_count, text_count;
    int                 motor_count, spring_count, motor_room, spring_room;
    int                 body_room, joint_room, frame_room, text_room;
    int                 loop_count, loop_room, coupling_count, coupling_room;
    int                 contact_count, contact_room, function_count, function_room;
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

// The pose of a contact's shape in its link, with the axis along z.
arne_pose contact_spec_pose(const arne_contact_spec *spec);

#endif
