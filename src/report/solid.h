// Solid bodies of a robot: capsules along its sticks, drums at its joints, and where a body has no
// length the box or ellipsoid of its inertia. Visuals of the robot's file replace these, link by
// link.
#ifndef ARNE_REPORT_SOLID_H
#define ARNE_REPORT_SOLID_H

#include "report/looks.h"
#include "report/skeleton.h"

typedef enum solid_kind {
    SOLID_CAPSULE,   // radius, length between the centres of its ends; along z
    SOLID_CYLINDER,  // radius, length; along z
    SOLID_BOX,       // whole lengths along x, y, z
    SOLID_ELLIPSOID, // half axes along x, y, z
    SOLID_PLATE,     // thickness; corners are points
    SOLID_ROD,       // radius; from a point of one body to a point of another
    SOLID_MESH,      // factors along x, y, z of a file
    SOLID_KIND_COUNT
} solid_kind;

// What a solid is coloured by.
typedef enum solid_tone {
    TONE_LINK,
    TONE_JOINT,
    TONE_BASE,
    TONE_SLIDE,
    TONE_LEFT,
    TONE_RIGHT,
    TONE_COUNT
} solid_tone;

typedef struct solid {
    solid_kind kind;
    solid_tone tone;
    int        body;
    arne_pose  at; // in the body
    double     size[3];
    int        other;  // of a rod: the body of its far end, and
    arne_vec3  far;    // where that is in it
    int        muscle; // 1 + the number of the muscle that it is part of; 0: none
    int        corner_start, corner_count;
    int        mesh; // which file
    int        has_colour;
    double     colour[4];
} solid;

typedef struct solid_list {
    solid     *item;
    int        count;
    arne_vec3 *corners; // of plates, in their bodies
    int        corner_count;
} solid_list;

// The cloud of a body's mass: its centre, and along its principal axes the root mean square
// distances.
typedef struct mass_cloud {
    double    mass;
    arne_pose at; // in the body
    double    spread[3];
} mass_cloud;

mass_cloud body_cloud(const arne_robot *robot, int body);
// The same with the mass of a base that does not move, which is no part of the dynamics.
mass_cloud drawn_cloud(const arne_robot *robot, int body);

// places: where the points of the skeleton are, in any posture; they give the size of the whole.
// up: against gravity. solids_free is needed also after a failure, which can only be lack of
// memory.
ARNE_CHECKED arne_status solids_make(const arne_robot *robot, const skeleton *s,
                                     const arne_vec3 *places, arne_vec3 up, solid_list *out);
void                     solids_free(solid_list *list);

// The colour of a body: by its side where the robot has a left and a right, else that of links, or
// of the base.
solid_tone solid_tone_of(const arne_robot *robot, int body);

// Whether a body is a slice of a rod by strain modes.
int solid_is_slice(const arne_robot *robot, int body);

// Visuals of the robot's file replace the derived shapes of the same body. A mesh whose number is
// -1 is missing: collision shapes of the link stand in for it, and where there are none the derived
// shapes stay.
ARNE_CHECKED arne_status solids_dress(const arne_robot *robot, const looks *l, solid_list *list);

// Derived shapes of a robot with muscles are bones: so thin that muscles are seen beside them.
void solids_thin(const arne_robot *robot, solid_list *list);
// Muscles of the robot as rods between the points of their paths.
ARNE_CHECKED arne_status solids_add_muscles(const arne_robot *robot, solid_list *list);

#endif
