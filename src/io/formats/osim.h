// OpenSim's models (https://opensimconfluence.atlassian.net), file versions 20303 to 40600: what
// the parts of the reader share.
//
// Until version 30000 a joint stands in the body that it moves; later files have a JointSet, and
// joints connect frames by paths (sockets). Which of the two it is, is told by the elements. All
// joints become custom joints of the builder, whose coordinates have OpenSim's names. Angles are in
// radians, and rotations of frames are body-fixed about x, y, z: R = Rx Ry Rz.
#ifndef ARNE_IO_FORMATS_OSIM_H
#define ARNE_IO_FORMATS_OSIM_H

#include "io/formats/formats.h"
#include "io/xml_tree.h"

enum { OSIM_UNUSED = 40, OSIM_VISITS = 100000000 };

typedef struct osim {
    reader         *reader;
    xml_tree        tree; // memory of everything
    const xml_node *model;
    arne_status     status; // of the first mistake
    struct {                // elements that are not read, by their tag
        const char *tag;
        int         line, count;
    } unused[OSIM_UNUSED];
    int unused_count;
    int visits; // of elements, in searches for frames
} osim;

// ---- osim_node.c: elements and their values. What is read is marked as used.
void osim_fail(osim *o, const xml_node *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void osim_check(osim *o, arne_status status);                     // that of another function
void osim_added(osim *o, const xml_node *at, arne_status status); // that of a builder's function
// A child; NULL where there is none, or no node.
const xml_node *osim_child(const xml_node *node, const char *tag);
// The first item of a list of the node: <BodySet><objects>..., or <coordinates>...
const xml_node *osim_items(const xml_node *node, const char *tag);
// The text of a child, without space around it; NULL where there is none or it is empty.
const char *osim_text(osim *o, const xml_node *node, const char *tag);
const char *osim_name(osim *o, const xml_node *node); // its attribute; "" and a mistake without it
// So many numbers of a child; out stays as it is, and 0 is returned, where there is none.
int  osim_numbers(osim *o, const xml_node *node, const char *tag, int count, double *out);
int  osim_truth(osim *o, const xml_node *node, const char *tag, int otherwise);
void osim_mark(const xml_node *node);             // as used, with all that is in it
int  osim_is_off(osim *o, const xml_node *force); // whether it is switched off, which is told
// All numbers of a child, in the memory of the tree; NULL where there is none.
const double *osim_list(osim *o, const xml_node *node, const char *tag, int *count);
// What a socket is connected to: <socket_NAME>, <connectors> of versions 305xx, or `old`.
const char *osim_socket(osim *o, const xml_node *node, const char *name, const char *old);
// The coordinate that an element of this name, or its socket, names, without its path; NULL: none.
const char *osim_coordinate_name(osim *o, const xml_node *node, const char *name);
// A number that may be infinite: then, and without the element, `otherwise`.
double    osim_finite(osim *o, const xml_node *node, const char *tag, double otherwise);
arne_pose osim_pose(osim *o, const xml_node *node, const char *translation,
                    const char *orientation);
// The body that a path leads to and the frame's pose in it; 0 and a mistake where there is none.
int  osim_frame(osim *o, const xml_node *at, const char *path, const char **body, arne_pose *pose);
void osim_tell_unused(osim *o);

// ---- osim_function.c
// The function within a child `tag` of node, or the child that is named so. Its numbers live in the
// tree. 0: there is none, or a mistake was told.
int osim_function(osim *o, const xml_node *node, const char *tag, arne_function *out);
// Whether the element of that function has this tag.
int osim_function_is(const xml_node *node, const char *tag, const char *kind);
// Whether it is constant, and its value.
int osim_function_is_constant(const arne_function *f, double *value);

// ---- osim_joint.c
void osim_joints_add(osim *o);
void osim_couplers_add(osim *o);

// ---- osim_muscle.c
void osim_muscles_add(osim *o);

// ---- osim_contact.c
void osim_contacts_add(osim *o);

// ---- osim_looks.c: how bodies look
void osim_looks_add(osim *o, const xml_node *body, const char *name);
void osim_looks_marker(osim *o, const xml_node *marker, const char *body, const arne_pose *at);

#endif
