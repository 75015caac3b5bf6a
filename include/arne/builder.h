// Builds a robot from bodies and joints. The readers of io.h use this too, so every rule is checked
// here.
//
// A builder is mutable and belongs to one thread. All texts and specs are copied. Bodies and joints
// may be added in any order; names are resolved by arne_builder_finish, which may be called more
// than once (with other options, or after adding more).
#ifndef ARNE_BUILDER_H
#define ARNE_BUILDER_H

#include <arne/robot.h>
#include <arne/status.h>

typedef struct arne_builder arne_builder;

// A place in a file, for messages. Zero: none.
typedef struct arne_place {
    const char *file;
    int         line;
} arne_place;

// Flaws that a file may accept by name for a body (arne_body_spec.accept).
enum { ARNE_ACCEPT_TRIANGLE = 1, ARNE_ACCEPT_INERTIA = 2, ARNE_ACCEPT_NEGATIVE = 4 };

enum { ARNE_ROD_TABLE = 24 }; // the most rows of a table along a rod

// A link that bends and twists: an Euler-Bernoulli beam along one of its axes, from the origin of
// its frame. When the robot is made, it is replaced by rigid segments on elastic joints (see
// docs/robot-file.md); joints on it are at its tip.
//
// A rod by strain modes is Cosserat's: it bends, twists, stretches and shears by any amount, and
// bodies may stand anywhere along it. Its strains are sums of Legendre's polynomials P_i(2 s/L - 1)
// times coordinates (of a tapered rod: of the polynomials that are orthogonal with its stiffness as
// weight, 1 at the tip), which are joints of the kind strain named LINK_twist_1 and so on: first
// those of twist, then bend_y, bend_z, stretch, shear_y, shear_z.
typedef struct arne_flexible_spec {
    int    segments; // that move, at least 2; 0: the link is rigid
    int    axis; // 0, 1, 2: along x, y, z. The two axes after it (for x: y and z) are 0 and 1 below
    double length;     // m
    double E, G;       // moduli, N/m^2. G 0: it does not twist
    double A, J;       // area, m^2, and torsion constant of the section, m^4
    double moments[2]; // second moments of area: of bending about each of the two axes, m^4
    int    stiff[2];   // it does not bend about this axis
    double density;    // kg/m^3
    double damping; // ratio of the first clamped mode in each direction; that of others grows with
                    // frequency
    // A rod along x by strain modes, in place of segments: see arne_flexible_is_rod.
    int    modes[ARNE_STRAIN_COUNT];     // of each strain; a strain without any keeps its rest
    int    points;                       // that carry its mass, of Gauss's rule
    double turn;                         // the largest between two of them, at most 3 rad
    double curvature[3];                 // at rest: twist, bend_y, bend_z, rad/m
    double taper;                        // size of the section at its tip over that at its root
    double stiffness[ARNE_STRAIN_COUNT]; // GJ, EIy, EIz, EA, GAy, GAz; all 0: of E, G, A, I, J
    double line[4];   // mass and rotary inertia (x, y, z) per length; all 0: of the density
    double viscosity; // Pa s: strains are damped by it times (J, 3 Iy, 3 Iz, 3 A, A, A)
    double strain_damping[ARNE_STRAIN_COUNT]; // added to that
    double half[2];                    // half sizes of the section along y and z; 0: not known
    int    is_round;                   // with these as half axes; else a rectangle
    int    pieces;                     // of the same length, each with modes of its own; 0: one
    int    natural[ARNE_STRAIN_COUNT]; // the lowest natural modes of the straight clamped rod that
                                       // its polynomials span, in their place; 0: polynomials
    int    table_count;              // rows of s, twist, bend_y, bend_z at rest, added to curvature
    double table[ARNE_ROD_TABLE][4]; // straight between rows; s rises
    int    size_count;               // rows of s, size of the section over the one given; 0: taper
    double sizes[ARNE_ROD_TABLE][2]; // straight between rows; s rises
} arne_flexible_spec;

typedef struct arne_body_spec {
    const char *name;
    double      mass;
    arne_vec3   com;          // in the body's frame
    double      inertia[6];   // xx, yy, zz, xy, xz, yz
    arne_mat3   inertia_axes; // the axes in which inertia is written; all zero: the body's own
    int         about_origin; // inertia is about the frame's origin; else about the centre of mass
    unsigned    accept;       // ARNE_ACCEPT_...
    arne_flexible_spec flexible;     // a beam in place of mass, com and inertia
    double     gravity_compensation; // the fraction of its weight that a force at its centre holds
    arne_place place;
} arne_body_spec;

// Whether a joint is driven. By default all joints are active, unless a joint of the robot is
// declared active: then all others are passive.
typedef enum arne_actuation {
    ARNE_ACTUATION_DEFAULT,
    ARNE_ACTUATION_ACTIVE,
    ARNE_ACTUATION_PASSIVE
} arne_actuation;

typedef struct arne_joint_spec {
    const char     *name, *parent, *child;
    arne_joint_kind kind;
    arne_pose       origin; // the joint's frame (at q = 0) in the parent's frame
    arne_pose       tip;    // the child's frame in the joint's moving frame; identity in URDF
    arne_vec3 axis; // in the joint's frame; normal of a planar joint; unused: ball, universal, free
    double    pitch;     // helical: metres per radian
    double lower, upper; // of every coordinate that is not a quaternion; -INFINITY, INFINITY: none
    int    soft;         // lower and upper are the usual range: marker kinematics may leave it
    double velocity, effort; // INFINITY: none
    double viscous;          // N m s/rad or N s/m
    double coulomb_positive; // N m or N, opposing positive velocity
    double coulomb_negative; // likewise, opposing negative velocity; both are positive numbers
    double rotor_inertia;    // reflected to the joint, kg m^2 or kg
    const char    *mimic;    // NULL, or q = ratio q(mimic) + offset
    double         mimic_ratio, mimic_offset;
    arne_actuation actuation;
    double         start;     // where the search for an assembly starts: joints of one coordinate
    double         starts[7]; // likewise of several; a quaternion of zeros: the neutral one
    double         length;    // exponential: of the piece of rod that it is
    double         rest[2][ARNE_STRAIN_COUNT]; // exponential: strains where all coordinates are 0
    double         turn; // exponential: the largest that it is for, at most 3 rad
    arne_place     place;
} arne_joint_spec;

// A motor drives one joint with one coordinate through a gear, and may be mounted on any link. Its
// rotor is symmetric about its axis. Motion and torque of the motor are measured on the joint's
// side of the gear.
typedef struct arne_motor_spec {
    const char *name;     // NULL: that of the joint
    const char *joint;    // that it drives
    const char *link;     // that carries it; NULL: the parent link of the joint
    arne_vec3   axis;     // in the link's frame; the rotor turns about it
    arne_vec3   position; // of the rotor's centre, in the link's frame
    double gear;    // turns of the rotor per turn (per metre) of the joint; negative: the other way
    double inertia; // of the rotor about its axis, kg m^2
    double transverse;       // of the rotor across its axis, about its centre
    double mass;             // of the rotor
    int    mass_included;    // the link's mass and centre of mass already contain the rotor's
    int    inertia_included; // likewise the link's inertia, as if the rotor were locked
    int    reflected;     // approximate the rotor by gear^2 inertia on the joint: no coupling, no
                          // gyroscopic torque
    double     stiffness; // between motor and joint; INFINITY: rigid
    double     damping;   // likewise
    double     viscous, coulomb_positive, coulomb_negative; // on the motor's side of the spring
    double     effort, effort_rate;                         // limits; INFINITY: none
    arne_place place;
} arne_motor_spec;

// One term of the matrix that couples joints and motors. A joint that follows another
// (arne_joint_spec.mimic) follows this one too, q = mimic_ratio q(mimic) + mimic_offset + ratio
// q(with) + ...; the rotor of a rigid motor turns with this joint too, by gear (q(its joint) +
// ratio q(with) + ...), and its friction acts at that speed; for example, a wrist whose motor 5
// also turns joint 6. If `with` follows other joints itself, the ratios are composed.
typedef struct arne_coupling_spec {
    const char *joint, *motor; // what is coupled, by name: one of them, the other is NULL
    const char *with;          // a joint of one coordinate
    double      ratio;
    arne_place  place;
} arne_coupling_spec;

// What a strain of an exponential joint takes up of the coordinate of a joint of the kind strain.
// The joint is a piece of rod along x of a given length. With its strains x1 and x2 at the two
// points of Gauss, 0.5 -+ sqrt(3)/6 of the length, each rest[i] + the sum of weight[i] q, its pose
// is exp(length/2 (x1 + x2) + sqrt(3)/12 length^2 [x1, x2]): Magnus's series up to the fourth
// order. By default the length is 1 and the strains are alike at both points: exp(x1).
typedef struct arne_strain_spec {
    const char *joint; // exponential
    const char *with;  // of the kind strain, with a coordinate of its own
    arne_strain strain;
    double      weight[2];
    arne_place  place;
} arne_strain_spec;

// A joint follows another by a function: q = f(q(with)) + ..., the sum of all that are added for it
// (and of arne_joint_spec.mimic and its couplings, if it has these). It has no coordinate of its
// own. `with` may follow another joint itself, in proportion or by one function. Lines become
// mimic joints.
typedef struct arne_function_spec {
    const char   *joint; // that follows
    const char   *with;  // both have one coordinate
    const char   *times; // of a product: the other joint; else NULL
    arne_function function;
    arne_place    place;
} arne_function_spec;

// An axis of a custom joint: it turns about it, or moves along it.
typedef struct arne_custom_axis {
    arne_vec3     axis;
    const char   *joint;    // whose coordinate it takes: one of `coordinates`, or any other joint
    double        value;    // where joint is NULL: constant
    arne_function function; // of that coordinate; no numbers (count 0): the coordinate itself
} arne_custom_axis;

enum { ARNE_CUSTOM_AXES = 3 };

// A joint made of rotations and translations that are functions of coordinates, as OpenSim's custom
// joint: the child moves by the translations, along axes of the joint's frame, then turns about the
// first axis, the second in the frame that has turned, the third likewise. It is expanded into a
// chain of joints of one coordinate with massless links between them: the first axis that is a
// coordinate itself has its name, all others are NAME.r1 to NAME.r3 and NAME.t1 to NAME.t3. A
// coordinate that no axis has for itself is a joint of its name that moves nothing.
typedef struct arne_custom_spec {
    const char            *name, *parent, *child;
    arne_pose              origin, tip; // as of any joint
    int                    rotation_count, translation_count;
    arne_custom_axis       rotations[ARNE_CUSTOM_AXES], translations[ARNE_CUSTOM_AXES];
    int                    coordinate_count;
    const arne_joint_spec *coordinates; // name, limits, friction, rotor, start; the rest is unused
    arne_place             place;
} arne_custom_spec;

// A spring and damper on a joint of one coordinate, or one that follows others: its torque is
// arne_spring_torque.
typedef struct arne_spring_spec {
    const char *joint;
    double      stiffness, damping, rest;
    double      stiffness_more[2], damping_more[2];
    arne_place  place;
} arne_spring_spec;

// A joint that closes a loop: it connects a frame of one link with a frame of another, instead of
// carrying a link.
typedef struct arne_loop_spec {
    const char    *name;
    arne_loop_kind kind;
    const char    *predecessor, *successor;              // links or named frames
    arne_pose      predecessor_origin, successor_origin; // poses of the connected frames in those
    arne_vec3      axis;     // in the connected frames: revolute, prismatic, planar point
    double         length;   // rod
    arne_leg       leg;      // the leg that it ends, if arne_builder_add_parallel made it
    const char    *leg_link; // that carries the leg; NULL: no leg
    arne_place     place;
} arne_loop_spec;

// A shape of a link that touches its surroundings: see arne/contact.h.
typedef struct arne_contact_spec {
    const char *name; // NULL: that of the link
    const char *link; // a link or named frame
    arne_shape  shape;
    double      size[3];
    arne_pose   origin;   // of the shape in the link's frame
    arne_vec3   axis;     // of a capsule, cylinder or disc, in the axes of origin
    double      friction; // negative: that of the surface
    double      tyre[2];  // of a disc: see arne_contact_info
    arne_place  place;
} arne_contact_spec;

// A joint of a leg and the link that it moves. Names are suffixes: they are appended to the name of
// the leg. parent and child are unused; the first joint starts from the leg's frame.
typedef struct arne_leg_joint {
    arne_joint_spec joint;
    arne_body_spec  body;
} arne_leg_joint;

enum { ARNE_LEG_JOINTS = 6 };

// A platform on legs of one kind. It is expanded into bodies, joints and loops: a passive joint (or
// three) from the base to the platform, the joints of each leg, and a loop from each leg to the
// platform. Leg i is named leg<i>, counted from 1.
//
// A leg's frame is at its base point, with x away from the origin of the base (or along `angles`)
// and z along the base's.
//     UPS, SPS  the length from the base point to the platform point is active; Ry Rx turn z into
//               the leg
//     RUS       a crank turns about y, from x towards -z; a universal joint (Ry Rx) and a rod along
//               z at its end
//     PUS       a carriage slides along `slide`; a universal joint and a rod
//     RRR       a crank turns about z, from x; a rod along x turns about z at its end. The platform
//               moves in a plane.
//     UPU       as UPS, and a universal joint at the platform whose axes are along those at the
//               base
typedef struct arne_parallel_spec {
    const char      *base; // the link that carries it; created if it does not exist
    arne_body_spec   platform;
    arne_joint_kind  motion; // free, planar (about z), or prismatic for three translations
    arne_pose        home;   // where the search for an assembly starts: the platform in the base
    arne_leg_kind    kind;
    int              leg_count;
    const arne_vec3 *base_points, *platform_points; // in the base and in the platform
    const double    *angles; // of the legs' x axes; NULL: away from the origin
    double           crank, rod;
    arne_vec3        slide;
    int              elbow;       // +1 or -1: which of two ways a leg bends at home
    int              joint_count; // of each leg; those of a template are identified by their names
    arne_leg_joint   joints[ARNE_LEG_JOINTS];
    arne_loop_kind   tie; // chain: the loop that connects its end with the platform point
    arne_pose        end; // chain: that end in the last link
    arne_vec3        tie_axis;
    arne_place       place;
    const char      *prefix; // of all names but the base's, of one module of several; NULL: none
} arne_parallel_spec;

// Instruction sets that the library's kernels are compiled for. A robot is built for one of them,
// which decides how its workspaces are laid out; results of two sets agree to rounding.
typedef enum arne_isa {
    ARNE_ISA_BEST,     // the best one that this processor has
    ARNE_ISA_BASELINE, // the one that the whole library is compiled for
    ARNE_ISA_V3,       // x86-64-v3: AVX2 and FMA
    ARNE_ISA_V4,       // x86-64-v4: AVX-512
    ARNE_ISA_COUNT
} arne_isa;

typedef struct arne_build_options {
    size_t           size;        // of this struct, or 0: see arne/types.h
    arne_base        base;        // DEFAULT: as in the file, or else fixed
    int              no_friction; // leave joint friction out of the dynamics
    int              no_rotor;    // leave rotors that turn with their joint out of the dynamics
    int              strict;      // warnings are errors
    const arne_vec3 *gravity;     // NULL: as in the file, or else (0, 0, -9.81)
    arne_warning_fn  warn;        // called for every warning; NULL: none
    void            *warn_context;
    arne_error_fn    fail; // called for every mistake; NULL: only the first is reported, in error
    void            *fail_context;
    arne_isa         isa; // BEST: chosen for this processor
} arne_build_options;

ARNE_BEGIN

// Makes an empty builder, and frees one. free accepts NULL.
ARNE_API ARNE_CHECKED arne_status arne_builder_new(arne_builder **out);
ARNE_API void                     arne_builder_free(arne_builder *builder);

// Specs with default values: no mass; a revolute joint about z at the parent's origin, without
// limits.
ARNE_API arne_body_spec  arne_body_spec_default(void);
ARNE_API arne_joint_spec arne_joint_spec_default(void);
// A beam along x, 8 segments, no section yet; of a rod 10 points, turn 1, taper 1.
ARNE_API arne_flexible_spec arne_flexible_spec_default(void);
// The cross-section of a beam: a rectangle with sides along the two axes after its own; or round
// with this radius, hollow if inner is not 0.
ARNE_API void arne_flexible_rectangle(arne_flexible_spec *spec, double side0, double side1);
ARNE_API void arne_flexible_round(arne_flexible_spec *spec, double radius, double inner);
// Or an ellipse with these half axes.
ARNE_API void arne_flexible_ellipse(arne_flexible_spec *spec, double half0, double half1);
// Whether it is a rod by strain modes: some strain has modes.
ARNE_API int arne_flexible_is_rod(const arne_flexible_spec *spec);
// A motor along z without inertia, gear 1, rigid; a spring of no stiffness.
ARNE_API arne_motor_spec  arne_motor_spec_default(void);
ARNE_API arne_spring_spec arne_spring_spec_default(void);
// A revolute loop about z at both origins.
ARNE_API arne_loop_spec arne_loop_spec_default(void);
// A point at the link's origin, with the friction of the surface.
ARNE_API arne_contact_spec arne_contact_spec_default(void);

// Each function adds one item and checks it by itself; references to other items are checked by
// arne_builder_finish.
ARNE_API ARNE_CHECKED arne_status arne_builder_set_name(arne_builder *builder, const char *name);
ARNE_API ARNE_CHECKED arne_status arne_builder_add_body(arne_builder         *builder,
                                                        const arne_body_spec *spec,
                                                        arne_error           *error);
ARNE_API ARNE_CHECKED arne_status arne_builder_add_joint(arne_builder          *builder,
                                                         const arne_joint_spec *spec,
                                                         arne_error            *error);
ARNE_API ARNE_CHECKED arne_status arne_builder_add_motor(arne_builder          *builder,
                                                         const arne_motor_spec *spec,
                                                         arne_error            *error);
ARNE_API ARNE_CHECKED arne_status arne_builder_add_spring(arne_builder           *builder,
                                                          const arne_spring_spec *spec,
                                                          arne_error             *error);
ARNE_API ARNE_CHECKED arne_status arne_builder_add_coupling(arne_builder             *builder,
                                                            const arne_coupling_spec *spec,
                                                            arne_error               *error);
// Copies the numbers of the function.
ARNE_API ARNE_CHECKED arne_status arne_builder_add_function(arne_builder             *builder,
                                                            const arne_function_spec *spec,
                                                            arne_error               *error);
ARNE_API ARNE_CHECKED arne_status arne_builder_add_strain(arne_builder           *builder,
                                                          const arne_strain_spec *spec,
                                                          arne_error             *error);
// Adds the joints, links and functions of a custom joint.
ARNE_API ARNE_CHECKED arne_status arne_builder_add_custom(arne_builder           *builder,
                                                          const arne_custom_spec *spec,
                                                          arne_error             *error);
// In a robot with loops, some joints must be declared active or passive. See arne/loop.h.
ARNE_API ARNE_CHECKED arne_status arne_builder_add_loop(arne_builder         *builder,
                                                        const arne_loop_spec *spec,
                                                        arne_error           *error);
ARNE_API ARNE_CHECKED arne_status arne_builder_add_contact(arne_builder            *builder,
                                                           const arne_contact_spec *spec,
                                                           arne_error              *error);
// Removes all contact shapes (a file that extends another may have its own).
ARNE_API void arne_builder_clear_contacts(arne_builder *builder);
// A template for a kind of legs: its joints and massless links, to which inertia, limits and
// friction can be added. A chain has no template.
ARNE_API arne_parallel_spec arne_parallel_spec_default(arne_leg_kind kind);
// Adds the platform and its legs. If a leg cannot reach the home pose, the error names the leg.
ARNE_API ARNE_CHECKED arne_status arne_builder_add_parallel(arne_builder             *builder,
                                                            const arne_parallel_spec *spec,
                                                            arne_error               *error);
// Adds a named frame on a body. (Every body is also a frame itself.)
ARNE_API ARNE_CHECKED arne_status arne_builder_add_frame(arne_builder *builder, const char *name,
                                                         const char *body, const arne_pose *pose,
                                                         arne_place place, arne_error *error);
// Replaces the spec of a body or joint that was added before (as a file does that extends another).
// The name in the spec selects it.
ARNE_API ARNE_CHECKED arne_status arne_builder_set_body(arne_builder         *builder,
                                                        const arne_body_spec *spec,
                                                        arne_error           *error);
ARNE_API ARNE_CHECKED arne_status arne_builder_set_joint(arne_builder          *builder,
                                                         const arne_joint_spec *spec,
                                                         arne_error            *error);
// Likewise a motor.
ARNE_API ARNE_CHECKED arne_status arne_builder_set_motor(arne_builder          *builder,
                                                         const arne_motor_spec *spec,
                                                         arne_error            *error);
// The inertia of a body alone.
ARNE_API ARNE_CHECKED arne_status arne_builder_set_inertia(arne_builder *builder, const char *body,
                                                           double mass, arne_vec3 com,
                                                           const double inertia[6],
                                                           int about_origin, arne_error *error);
// Returns the spec that was added with this name; texts belong to the builder.
ARNE_API ARNE_CHECKED arne_status arne_builder_get_body(const arne_builder *builder,
                                                        const char *name, arne_body_spec *out);
ARNE_API ARNE_CHECKED arne_status arne_builder_get_joint(const arne_builder *builder,
                                                         const char *name, arne_joint_spec *out);
// The motor of a joint.
ARNE_API ARNE_CHECKED arne_status arne_builder_get_motor(const arne_builder *builder,
                                                         const char *joint, arne_motor_spec *out);
ARNE_API ARNE_CHECKED arne_status arne_builder_set_gravity(arne_builder *builder,
                                                           arne_vec3     gravity);
ARNE_API ARNE_CHECKED arne_status arne_builder_set_base(arne_builder *builder, arne_base base);

// Adds everything that a robot consists of: links, joints, frames, motors, springs and loops,
// payloads of arne_robot_attach, and its name, gravity and base. A builder that was empty then
// makes the same robot again, identical to the last bit if nothing was attached. ARNE_UNSUPPORTED
// for a robot in base form, which has no individual links.
ARNE_API ARNE_CHECKED arne_status arne_builder_add_robot(arne_builder     *builder,
                                                         const arne_robot *robot,
                                                         arne_error       *error);

// Holds a joint of one coordinate at a value [rad, m]: it becomes a fixed joint there. Its motor,
// its spring and joints that follow it in proportion are held with it; the rotor's mass stays.
// Fails if there is no such joint, if it has limits and the value is outside of them, if it follows
// others itself, or if it is coupled with others or followed by functions (ARNE_UNSUPPORTED).
ARNE_API ARNE_CHECKED arne_status arne_builder_lock(arne_builder *builder, const char *joint,
                                                    double value, arne_error *error);

// Scales everything that was added so far: lengths and masses by these factors, inertias by mass
// length^2, torques by mass length and forces by mass (effort limits, Coulomb friction), viscous
// friction and rotors like inertias. Angles, their limits and gravity do not change.
ARNE_API ARNE_CHECKED arne_status arne_builder_scale(arne_builder *builder, double length,
                                                     double mass);

// Records a flaw that a reader found (an unknown tag, for example); arne_builder_finish reports all
// of them in order. rule must be a string constant.
ARNE_API ARNE_CHECKED arne_status arne_builder_warn(arne_builder *builder, const char *rule,
                                                    arne_place place, const char *text);

// Checks everything and makes the robot. On failure *out is NULL and error (if not NULL) describes
// the first mistake; options->fail is called for all of them, including those that a reader found
// while it filled the builder.
ARNE_API ARNE_CHECKED arne_status arne_builder_finish(const arne_builder       *builder,
                                                      const arne_build_options *options,
                                                      arne_robot **out, arne_error *error);

// Whether this library has kernels for a set and this processor can run them; and the name of a set
// ("x86-64-v3"), NULL if there is no such set.
ARNE_API int         arne_isa_available(arne_isa isa);
ARNE_API const char *arne_isa_name(arne_isa isa);
// The instruction set that a robot was built for, never BEST.
ARNE_API arne_isa arne_robot_isa(const arne_robot *robot);

// Denavit-Hartenberg rows as joint specs. Fills origin, tip and axis of spec (kind must be set
// before).
//
// standard: T = Rz(theta) Tz(d) Tx(a) Rx(alpha); the child's frame is at the link's far end.
// modified: T = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r), Khalil's six parameters for trees;
//           Craig's table is gamma = b = 0 with d = a and r = d.
// The joint variable is added to theta (revolute) or to d, respectively r (prismatic).
ARNE_API void arne_dh_standard(arne_joint_spec *spec, double theta, double d, double a,
                               double alpha);
ARNE_API void arne_dh_modified(arne_joint_spec *spec, double gamma, double b, double alpha,
                               double d, double theta, double r);

ARNE_END

#endif
