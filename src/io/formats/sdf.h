// SDF, the robot files of Gazebo (http://sdformat.org), versions 1.4 to 1.12.
//
// A file becomes models with named items (links, joints, frames, models within models), each in the
// scope of its model. Poses are relative to items by name; sdf_pose.c resolves them. sdf_joint.c
// makes a tree of the joints, and loops of those that lead to a link a second time.
#ifndef ARNE_IO_FORMATS_SDF_H
#define ARNE_IO_FORMATS_SDF_H

#include "io/xml_tree.h"

enum { SDF_MAX_DEPTH = 32 }; // of models and of included files within each other

typedef enum sdf_kind { SDF_LINK, SDF_JOINT, SDF_FRAME, SDF_MODEL } sdf_kind;

typedef struct sdf_model sdf_model;

typedef struct sdf_item {
    sdf_kind         kind;
    const char      *name; // in its model
    const char      *full; // within the top model: a::b
    const xml_node  *node;
    sdf_model       *model;  // that it stands in
    sdf_model       *inner;  // of a nested model
    int              state;  // 0, 1: being resolved, 2: resolved, 3: broken
    arne_pose        pose;   // in its model, once it is resolved
    int              tied;   // a link: it has a tree joint
    struct sdf_item *parent; // a link: that of its tree joint; NULL: none, or the world
    struct sdf_item *next;
} sdf_item;

struct sdf_model {
    const char     *name, *prefix; // prefix: "a::b::" of its items
    const xml_node *node;          // <model> or <world>
    const xml_node *include;       // that it comes by; NULL: none
    sdf_model      *outer;         // that it stands in; NULL: the top
    int             version;       // 104 to 112: of its file
    int             merged;        // its items count as those of the outer model
    sdf_item       *items, *last;
};

typedef struct sdf {
    reader     *reader;
    xml_tree    tree;        // memory of everything
    sdf_model  *world;       // NULL: the file has none
    sdf_model  *top;         // the model that is read
    sdf_item   *place;       // of the top model in the world; NULL: it stands alone
    const char *root;        // the name of the body that stands for the world
    char        wanted[200]; // the model of a world that is asked for; "": none
    arne_status status;      // of the first mistake
    int         depth;
    int         moving;          // joints of the tree that are not fixed
    int         loops, grounded; // whether there are loops, and joints to the world
    int         roots, links;    // links without a joint to them, and all
} sdf;

// ---- sdf.c
int sdf_version(const char *text); // 105 of "1.5"; 0 where it is none
// Keeps a mistake at a node.
void sdf_fail(sdf *s, const xml_node *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void sdf_check(sdf *s, arne_status status); // that of another function
// The text of a child, without space around it; NULL where there is none.
const char *sdf_text(sdf *s, const xml_node *node, const char *tag);
// A number or so many of a child; out stays as it is where there is none.
void sdf_numbers(sdf *s, const xml_node *node, const char *tag, int count, double *out);
int  sdf_truth(sdf *s, const xml_node *node, const char *tag, int otherwise);

// ---- sdf_include.c: the models of a file, and of those that it includes
sdf_model *sdf_model_read(sdf *s, const xml_node *node, sdf_model *outer, const xml_node *include,
                          const char *name, int version);
sdf_item  *sdf_item_find(const sdf_model *model, const char *name); // in its own scope

// The root of a text, whose memory is that of s; comments in it are overwritten. NULL: a mistake.
xml_node *sdf_parse(sdf *s, reader *r, char *text, size_t size);

// ---- sdf_pose.c
// The pose of a child <pose>, which may be missing.
arne_pose sdf_pose_read(sdf *s, const xml_node *node);
// The pose of a name in a model's frame; 0 where there is no such name.
int sdf_pose_of(sdf *s, const sdf_model *model, const char *name, const xml_node *at,
                arne_pose *out);
// The pose of an item in the frame of the top model.
arne_pose sdf_pose_in_top(sdf *s, sdf_item *item);
arne_pose sdf_pose_of_model(sdf *s, const sdf_model *model); // likewise of a model's frame
arne_pose sdf_pose_in_world(sdf *s);                         // of the top model
// The link that a name is attached to; NULL where there is none.
sdf_item *sdf_link_of(sdf *s, sdf_model *model, const char *name, const xml_node *at);
arne_pose sdf_pose_mul(arne_pose a, arne_pose b);
arne_pose sdf_pose_inverse(arne_pose a);
arne_vec3 sdf_turn(const arne_mat3 *R, arne_vec3 v);
arne_vec3 sdf_turn_back(const arne_mat3 *R, arne_vec3 v);

// ---- sdf_link.c and sdf_joint.c: into the builder
void sdf_link_add(sdf *s, sdf_item *link);
void sdf_joints_add(sdf *s);

#endif
