// MJCF, MuJoCo's files (https://mujoco.readthedocs.io/en/stable/XMLreference.html): what the parts
// of the reader share.
//
// A file is read as a tree (xml_tree.h), since defaults and assets may stand behind what they are
// for. Includes are expanded first; then compiler settings and default classes are known, bodies
// are read from the world outward, and what refers to them by name comes last.
//
// Conventions: at q = ref (MuJoCo's qpos0) all joints are at rest, and a body's pose in its parent
// is its pos and orientation. A joint moves its body by q - ref about its anchor. Several joints of
// one body become a chain of links without mass.
#ifndef ARNE_IO_FORMATS_MJCF_H
#define ARNE_IO_FORMATS_MJCF_H

#include "base/name_index.h"
#include "io/formats/formats.h"
#include "io/pose_math.h"
#include "io/visual.h"
#include "io/xml_tree.h"

typedef struct mjcf_compiler {
    int         degrees, autolimits, balance, align_free, fuse;
    int         from_geom; // 0: never, 1: always, 2: where there is no <inertial>
    int         groups[2]; // of geoms that have mass
    char        euler[4];
    const char *mesh_folder;
    double      bound_mass, bound_inertia, total_mass; // total_mass < 0: as it is
} mjcf_compiler;

typedef struct mjcf_class {
    const char        *name;
    struct mjcf_class *parent, *next;
    struct mjcf_default {
        xml_node            *node;
        struct mjcf_default *next; // an earlier one
    } * last;
} mjcf_class;

// A file with its own settings: the main one, or one that is attached.
typedef struct mjcf_model {
    xml_tree           tree;
    const char        *name, *file;
    mjcf_compiler      compiler;
    mjcf_class        *classes; // the first is "main"
    int                defaults;
    struct mjcf_model *next;
} mjcf_model;

typedef struct mjcf_body {
    const char *name;         // of the link
    int         parent, free; // parent: -1 for the world. free: it moves without limits
    int         moves;        // a joint carries it
    int         link;         // in the builder
    arne_pose   at_rest;      // in the world, at qpos0
    arne_pose   at_spring;    // where hinges and slides are at springref
} mjcf_body;

typedef struct mjcf_joint {
    const char     *name;   // of the robot's joint
    const char     *called; // in the file; "" where it has no name
    arne_joint_kind kind;
    int             body, index; // index: in the builder; -1: the free base
    double          ref, rest;   // rest: springref
    double          tuned[2];    // springdamper; 0: not given
    double          armature;    // of a free joint, which has no rotors
    double          push;        // largest force of its actuators together; INFINITY: not limited
    int             driven;
    int             compensates; // its actuators hold weight: actuatorgravcomp
    const xml_node *node;
} mjcf_joint;

typedef struct mjcf_site {
    const char     *name;
    int             body;
    arne_pose       at;
    const xml_node *node;
} mjcf_site;

// Where the reader is: the model that elements belong to, the class that counts for those without
// one, and what is added to names.
typedef struct mjcf_place {
    mjcf_model *model;
    mjcf_class *class;
    const char *prefix, *suffix;
    int         body; // -1: the world
    arne_pose   X;    // of frames around, in the body
} mjcf_place;

// A geom with a name, for what refers to it.
typedef struct mjcf_known {
    mjcf_place      at;
    const xml_node *node;
} mjcf_known;

typedef struct mjcf {
    reader     *r;
    mjcf_model *models; // the main one first
    mjcf_body  *bodies; // the world is not among them
    mjcf_joint *joints;
    mjcf_site  *sites;
    mjcf_known *geoms;
    int         body_count, body_room, joint_count, joint_room, site_count, site_room;
    int         geom_count, geom_room;
    int         free_base; // the one body of the world is the root of a free base
    int         no_mass, renamed, meshes, paths, left, pairs,
        pulls; // counted for one message each; the first:
    const xml_node *first_no_mass, *first_renamed, *first_mesh, *first_path, *first_left,
        *first_pair, *first_pull;
    const char *why_left; // of tendons that are not used
    char        first_name[128];
    int         loops; // added
    name_index  frames, body_names, joint_names, site_names, geom_names, path_names;
    int         copies, attach_depth; // within limits, so that no file takes forever
    mjcf_place *attached;             // models that are attached, with their prefix
    int         attached_count, attached_room;
} mjcf;

// ---- models, classes, attributes: mjcf_model.c
ARNE_CHECKED arne_status mjcf_load(mjcf *m, const char *text, size_t size, const char *file,
                                   mjcf_model **out);
// Another file that an element names.
ARNE_CHECKED arne_status mjcf_load_named(mjcf *m, const xml_node *at, const char *name,
                                         mjcf_model **out);
void                     mjcf_models_free(mjcf *m);
mjcf_class              *mjcf_find_class(const mjcf_model *model, const char *name);
// The class of an element: its own, or else the one around it. Reports one that is not there.
ARNE_CHECKED arne_status mjcf_class_of(mjcf *m, const mjcf_place *at, const xml_node *node,
                                       mjcf_class **out);
// The value of an attribute, of the element or of its class; NULL: none.
const char *mjcf_get(const xml_node *node, const mjcf_class *class, const char *name);
int         mjcf_is(const char *text, const char *word); // text may be NULL
// Numbers of an attribute; out stays as it is where it is not given. count may be NULL.
ARNE_CHECKED arne_status mjcf_numbers(mjcf *m, const xml_node *node, const mjcf_class *class,
                                      const char *name, int least, int most, double *out,
                                      int *count);
ARNE_CHECKED arne_status mjcf_number(mjcf *m, const xml_node *node, const mjcf_class *class,
                                     const char *name, double *out);
// The same of several attributes; the last has no name.
typedef struct mjcf_want {
    const char *name;
    int         least, most;
    double     *out;
    int        *count;
} mjcf_want;
ARNE_CHECKED arne_status mjcf_read_all(mjcf *m, const xml_node *node, const mjcf_class *class,
                                       const mjcf_want *wants);
// Whether a pair of numbers is a limit: as the attribute `word` says, or else where it is given.
int mjcf_is_limited(const mjcf_place *at, const xml_node *node, const mjcf_class *class,
                    const char *word, int given);
// Every element of the sections with a tag; tag NULL: every element in them.
typedef arne_status (*mjcf_take)(mjcf *m, const mjcf_place *at, const xml_node *node);
ARNE_CHECKED arne_status mjcf_each(mjcf *m, const mjcf_place *at, const xml_node *root,
                                   const char *section, const char *tag, mjcf_take take);
// pos and orientation of an element; those of a frame and what is given otherwise are 0.
ARNE_CHECKED arne_status mjcf_pose(mjcf *m, const mjcf_place *at, const xml_node *node,
                                   const mjcf_class *class, arne_pose *out);
ARNE_CHECKED arne_status mjcf_rotation(mjcf *m, const mjcf_place *at, const xml_node *node,
                                       const mjcf_class *class, arne_mat3 *out);
// "PREFIXnameSUFFIX", in the main model's memory; NULL: none (the failure is in the reader).
const char *mjcf_name(mjcf *m, const mjcf_place *at, const char *name);
arne_place  mjcf_place_of(const xml_node *node);
// Room for one more entry of a list; 0: no memory.
int mjcf_grow(void **list, int count, int *room, size_t size);

// ---- bodies and joints: mjcf_world.c, mjcf_body.c
ARNE_CHECKED arne_status mjcf_world(mjcf *m, const xml_node *root);
int                      mjcf_find_body(const mjcf *m, const char *name);
int                      mjcf_find_joint(const mjcf *m, const char *name);
int                      mjcf_find_site(const mjcf *m, const char *name);
// The link that carries what stands in the world.
const char *mjcf_root_link(const mjcf *m);
// A name that is taken neither in an index nor in another (NULL: there is none): the wanted one, or
// one with a number, which is told of `at` (NULL: not). NULL: no memory.
const char *mjcf_unique(mjcf *m, const name_index *taken, const name_index *also, const char *want,
                        const xml_node *at);

// What a joint has besides its spec: ref, its spring, and whether its actuators hold weight.
typedef struct mjcf_joint_more {
    double           ref, armature;
    double           tuned[2]; // springdamper: time constant and damping ratio; 0: not given
    int              compensates;
    arne_spring_spec spring; // without its joint
} mjcf_joint_more;
// stiffness (q - rest) and the like of an element, of up to three numbers: factors of powers.
ARNE_CHECKED arne_status mjcf_spring_numbers(mjcf *m, const xml_node *node, const mjcf_class *class,
                                             arne_spring_spec *spring);
int                      mjcf_spring_is_there(const arne_spring_spec *spring);
// A joint's spec without its names and links, from an element that stands in a frame X of its body.
ARNE_CHECKED arne_status mjcf_joint_spec(mjcf *m, const mjcf_place *at, const xml_node *node,
                                         arne_joint_spec *spec, mjcf_joint_more *more);

// springdamper of joints, once all that has inertia is there.
ARNE_CHECKED arne_status mjcf_tune_springs(mjcf *m);
// Armature of free joints.
ARNE_CHECKED arne_status mjcf_free_armatures(mjcf *m);

// ---- inertia, looks and contacts of geoms: mjcf_geom.c
typedef struct mjcf_mass {
    double    mass, inertia[6]; // xx, yy, zz, xy, xz, yz about the body's origin
    arne_vec3 first;            // mass times centre
    int       count;            // of geoms with mass; the last of them:
    arne_pose last;
    double    last_inertia[6];
    int       missing; // a geom has mass that is not known: its mesh is not there
} mjcf_mass;
ARNE_CHECKED arne_status mjcf_geom(mjcf *m, const mjcf_place *at, const xml_node *node,
                                   const char *link, mjcf_mass *sum);
// A geom as a surface that paths wrap; its shape is ARNE_WRAP_SHAPE_COUNT if it cannot be one.
ARNE_CHECKED arne_status mjcf_geom_surface(mjcf *m, const mjcf_known *geom, arne_wrap_spec *out);
// Contacts that <exclude> takes away, and those that <pair> adds.
ARNE_CHECKED arne_status mjcf_excludes(mjcf *m, const mjcf_place *at, const xml_node *root);
// A mass with inertia I about its centre, which is at X in the body, in the axes of X.
void mjcf_mass_add(mjcf_mass *sum, double m, const arne_pose *X, const double I[6]);
void mjcf_mass_to_spec(const mjcf_mass *sum, arne_body_spec *spec);
// A mesh among the assets; its points are scale R^T (point - p) with ref = (R, p).
typedef struct mjcf_mesh {
    const xml_node *asset; // NULL: none
    const char     *inertia;
    double          scale[3];
    arne_pose       ref;
} mjcf_mesh;
// A point of a file, which MuJoCo keeps in single precision.
arne_vec3 mjcf_mesh_point(const mjcf_mesh *mesh, arne_vec3 p);
// The mass of a mesh by its points in the file, or of an STL or OBJ file (path may be NULL), of its
// volume or its surface; mass < 0: of this density. 0: it is not known.
int mjcf_mesh_mass(const mjcf_mesh *mesh, const char *path, int shell, double mass, double density,
                   const arne_pose *X, mjcf_mass *sum);
// Settings of the compiler that change inertias. X is the body's pose in its parent.
void mjcf_bound(const mjcf_compiler *c, const arne_pose *X, arne_body_spec *spec);

// ---- what refers to bodies by name: mjcf_equality.c, mjcf_tendon.c, mjcf_actuator.c
// The hinge or slide that a node names.
ARNE_CHECKED arne_status mjcf_one_coordinate(mjcf *m, const mjcf_place *at, const xml_node *node,
                                             const char *name, int *joint);
int                      mjcf_follows(const mjcf *m, int joint);
const xml_node          *mjcf_find_tendon(const xml_node *root, const char *name);
ARNE_CHECKED arne_status mjcf_tendons(mjcf *m, const mjcf_place *at, const xml_node *root);
ARNE_CHECKED arne_status mjcf_equalities(mjcf *m, const mjcf_place *at, const xml_node *root);
ARNE_CHECKED arne_status mjcf_actuators(mjcf *m, const mjcf_place *at, const xml_node *root);
ARNE_CHECKED arne_status mjcf_finish_actuators(mjcf *m);
// Gravity compensation by actuators (actuatorgravcomp).
ARNE_CHECKED arne_status mjcf_compensate(mjcf *m);

// ---- elements and attributes that are unknown or not used: mjcf_check.c
ARNE_CHECKED arne_status mjcf_check(mjcf *m, const xml_node *root);

#endif
