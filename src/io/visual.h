// How the links of a robot look, as its file says: URDF's <visual>, or `visual:` of a body in a
// YAML file. It has nothing to do with how the robot moves, so it is kept beside the robot.
#ifndef ARNE_IO_VISUAL_H
#define ARNE_IO_VISUAL_H

#include "io/reader.h"

struct doc_node;

typedef enum visual_kind {
    VISUAL_NONE,
    VISUAL_BOX,      // whole lengths along x, y, z
    VISUAL_CYLINDER, // radius, length; along z
    VISUAL_SPHERE,   // radius
    VISUAL_CAPSULE,  // radius, length of its straight part; along z
    VISUAL_MESH      // factors along x, y, z
} visual_kind;

typedef struct visual {
    char       *link;
    visual_kind kind;
    arne_pose   at; // in the link's frame
    double      size[3];
    int         has_colour;
    double      colour[4]; // red, green, blue, opacity
    char       *material;  // its name, if the colour is defined elsewhere; may be NULL
    char       *mesh;      // as the file says it
    char       *file;      // that says it: relative paths begin in its folder
    int         line;
    int         besides; // drawn with what is made up for the link, not in its place
} visual;

typedef struct visual_list {
    visual    *item;
    int        count;
    int        left_out; // mistakes of a URDF in what is drawn; the first of them
    arne_error first;
} visual_list;

// A named colour.
typedef struct visual_material {
    char  *name;
    double colour[4];
} visual_material;

// The looks of a robot file alone (reader.h has how to get them with the robot). A body that is
// described again replaces what was before. Fails where the file has mistakes; visuals_free is
// needed also then.
ARNE_CHECKED arne_status visuals_read(const char *path, visual_list *out, arne_error *error);
void                     visuals_free(visual_list *list);

// Adds one at the end, all zeros but for its pose; NULL where there is no memory.
visual *visuals_add(visual_list *list, const char *link, const char *file);
// A copy of a text; NULL where there is no memory.
char *visual_text(const char *text);

// What the bodies of a YAML robot file say, root being the file.
ARNE_CHECKED arne_status yaml_visuals(reader *r, const struct doc_node *root, visual_list *out);

// Where a mesh lies, to be freed; NULL where it is not found, may not be read (io/named_file.h) or
// there is no memory. `robot` is the file that says it. `said` is
// package://NAME/..., file://... or a path. Packages are looked for in `packages` ("NAME=DIR",
// `count` of them), in ROS_PACKAGE_PATH and AMENT_PREFIX_PATH, and in the folders around the
// robot's file.
char *visual_mesh_path(const char *robot, const char *said, const char *const *packages, int count);
// The same for PACKAGE/FILE and any file that passes a test.
char *visual_in_package(const char *robot, const char *said, int (*is_there)(const char *path));
// "DIR/." of ARNE_PACKAGES' NAME=DIR.
char *visual_given_package(const char *name, int (*is_there)(const char *path));

#endif
