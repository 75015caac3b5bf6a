// Reading a problem file: what the parts of the reader share.
#ifndef ARNE_PLAN_READ_READ_PROBLEM_H
#define ARNE_PLAN_READ_READ_PROBLEM_H

#include "human/gait.h"
#include "io/schema.h"
#include "plan/problem/plan.h"
#include <arne/io.h>
#include <arne/table.h>

typedef struct problem {
    reader                  r;
    findings                found;
    document                doc;
    arne_build_options      build;
    const char             *robot_file, *title;
    const doc_node         *path;
    int                     has_gait;
    struct problem_phase   *phases;
    struct problem_contact *contacts;
    struct problem_payload *payloads;
    int                     payload_count;
    int                     phase_count, contact_count;
    arne_plan_options       options;
    arne_builder           *builder;  // of the robot
    robot_sections          sections; // of the files that it was read from
    arne_robot             *robot, *shown;
    arne_plan
        *plan; // NULL where the robot or the splines have mistakes: then words are checked, no more
    int  is_draft; // the plan is only there to check names and numbers: see draft_mistakes.c
    gait_options       gait; // where there is such a section
    double             scale[2];
    double             strength_scale[2]; // of lengths and masses, for the section that is read
    plan_published     published;
    arne_solve_options solver;
    const doc_node    *driven, *reserves;
    int                snapshots, samples;
    const doc_given   *given; // what stands for files; NULL: nothing
} problem;

// An entry of `phases` and one of `contacts`.
typedef struct problem_phase {
    arne_plan_phase spec;
} problem_phase;
typedef struct problem_contact {
    const char     *name, *frame, *holds, *shape;
    arne_vec3       point, plane_point, plane_normal, other_point;
    double          friction, from, to, stiffness, dissipation, slip_velocity, smoothing;
    arne_vec3       plane_velocity;
    int             continues, smooth, passes, wrong; // wrong: its entry has mistakes
    const doc_node *points, *phases, *stays, *node;
} problem_contact;

// The points of a shape that touch, and which coordinates of each stay.
typedef struct problem_points {
    int           frame, count;
    arne_vec3     points[4];
    unsigned char stays[4];
    double        friction; // of the shape itself; negative: none
} problem_points;

// An entry of `payloads`.
typedef struct problem_payload {
    const char     *frame;
    arne_payload    load;
    const doc_node *node, *phases;
} problem_payload;

// What a plan is made with; names and lists live here.
enum { PROBLEM_CONTACTS = 64 };
typedef struct problem_made {
    arne_plan_phase  *phases;
    arne_plan_contact contacts[PROBLEM_CONTACTS];
    char              names[PROBLEM_CONTACTS][64];
    double           *borders;
    int             **on;
    unsigned char   **stays, *own_stays[PROBLEM_CONTACTS];
    int               phase_count, contact_count, on_count;
} problem_made;
ARNE_CHECKED arne_status problem_make(problem *p, problem_made *made);
void                     problem_made_free(problem_made *made);

extern const doc_schema problem_prescribed_schema, problem_payload_schema;
arne_status             problem_prescribed(const doc_slot *section, void *unused);
arne_status             problem_frozen(const doc_slot *section, void *unused);
arne_status             problem_guess(const doc_slot *section, void *unused);
arne_status             problem_read_payload(const doc_slot *item, const char *name, void *context);
// The sections `fatigue` and `strength` of the robot's file.
ARNE_CHECKED arne_status problem_robot_parts(problem *p);
// Its section `walker`, and that of the problem's gait, with names of this robot.
ARNE_CHECKED arne_status problem_walker(problem *p, const arne_robot *robot, walker_parts *out);
// Payloads of some phases, on the plan.
ARNE_CHECKED arne_status problem_carry(problem *p);
extern const doc_schema  problem_wrench_schema, problem_strength_schema;
arne_status              problem_wrenches(const doc_slot *section, void *unused);
arne_status              problem_strength(const doc_slot *section, void *unused);
// Phases that are named, one or several; *out is to be freed.
ARNE_CHECKED arne_status problem_phase_list(const problem *p, const doc_slot *slot, int **out,
                                            int *count);
// The robot with the payloads in its place.
ARNE_CHECKED arne_status problem_load(problem *p, arne_robot **robot);
extern const doc_schema  problem_path_schema, problem_solver_schema;
// `driven` and `reserves` as flags of coordinates in the options; freed when the plan is made.
ARNE_CHECKED arne_status problem_driven(problem *p, unsigned char *flags[2]);
// Keys that only method: riccati has.
arne_status             problem_only_riccati(const doc_slot *slot, void *unused);
arne_status             problem_solver(const doc_slot *section, void *unused);
arne_status             problem_on_path(problem *p);
arne_status             problem_fatigue(const doc_slot *section, void *unused);
arne_status             problem_repeat(const doc_slot *section, void *unused);
extern const doc_schema problem_fatigue_schema, problem_repeat_schema;
extern const doc_schema problem_schema, problem_phase_schema, problem_contact_schema;
arne_status             problem_read_phase(const doc_slot *item, const char *name, void *context);
arne_status             problem_read_contact(const doc_slot *item, const char *name, void *context);
arne_status             problem_phase_time(const doc_slot *slot, void *into);
// The points of the shape that a contact names.
ARNE_CHECKED arne_status problem_shape(const problem *p, const problem_contact *c,
                                       problem_points *out);
// The phase that a text names, from 0.
ARNE_CHECKED arne_status problem_phase_index(const problem *p, const doc_slot *slot, int *out);

// ---- draft_mistakes.c: a problem with mistakes

// Looks for more of them in splines, contacts, gait and path, of which no plan is made. whole: the
// robot has none.
ARNE_CHECKED arne_status problem_check_parts(problem *p, const doc_slot *root, int whole);
// A plan with plain splines, which is never solved, so that names and numbers of the other sections
// can be checked against the robot all the same.
void problem_make_draft(problem *p);
// Whether a contact of this name may be there, of a draft.
int problem_may_touch(const problem *p, const char *name);

// Reads a problem of which documents are given; path stands for its file.
ARNE_CHECKED arne_status problem_read_given(const char *path, const doc_given *given,
                                            const arne_build_options *options, arne_plan **out,
                                            arne_error *error);

problem *problem_of(const doc_slot *slot);
// A warning with a line of the problem file.
void problem_warn(problem *p, const char *rule, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// Warns of torques that gravity asks for at an end at rest, and that constraints forbid there, and
// of a free base of which nothing says what drives it.
ARNE_CHECKED arne_status problem_check_stand(problem *p);
// Coordinates by the names of joints: `all` or a list. Of a chain (NAME.x, ...) NAME is all of
// A plane_normal that an entry gives must not be zero.
ARNE_CHECKED arne_status problem_normal(const doc_slot *entry, const arne_vec3 *normal);
// them. Returns the number through count; rows has room for v_count.
ARNE_CHECKED arne_status problem_coordinates(const problem *p, const doc_slot *slot, int *rows,
                                             int *count);
// Muscles by name: `all` or a list.
ARNE_CHECKED arne_status problem_muscles(const problem *p, const doc_slot *slot, int *rows,
                                         int *count);
// A path that is relative to the problem file; to be freed. NULL: no memory.
char *problem_path(const problem *p, const char *path);

// ---- the sections, each a schema and who reads it

extern const doc_schema problem_constraint_schema, problem_objective_schema, problem_other_schema,
    problem_gait_schema;
arne_status problem_constraint(const doc_slot *item, const char *name, void *context);
arne_status problem_objective(const doc_slot *item, const char *name, void *context);
// start and end: position, velocity, acceleration
extern const doc_schema problem_boundary_schema;
arne_status             problem_start(const doc_slot *section, void *unused);
arne_status             problem_end(const doc_slot *section, void *unused);
// gait: first what the plan and the robot need, then all of it
arne_status              problem_gait_options(const doc_slot *section, void *unused);
ARNE_CHECKED arne_status problem_gait_scale(problem *p);
ARNE_CHECKED arne_status problem_gait(problem *p, const doc_slot *section);
ARNE_CHECKED arne_status problem_gait_plan(problem *p);
ARNE_CHECKED arne_status problem_gait_load(problem *p, arne_robot **robot);

// One entry of a list, read but not yet understood.
typedef struct ask {
    const doc_word *quantity; // its row says what it is
    const char     *name, *frame, *other_frame, *joint, *component, *phase, *contact;
    const doc_node *joints, *lower, *upper, *equal, *at, *corners, *reference, *same_as, *pairs,
        *symmetry, *periodic, *offset, *muscles;
    int       limits, normalised, mean;
    double    within, from, to, factor, weight, smooth, power;
    arne_vec3 point, other_point, plane_point, plane_normal;
    arne_pose pose;
    int       has_pose, shape;
    double    distance;
} ask;

// A quantity with the rows of it that are meant.
typedef struct asked {
    int                quantity, row_count;
    int               *rows; // room for as many as there are; to be freed
    arne_quantity_kind kind;
} asked;

ask problem_ask(void);
// The words for quantities. value is an arne_quantity_kind, or one of these; row names the
// components of its rows where they are no coordinates.
enum { PROBLEM_TIME = -1, PROBLEM_ENERGY = -2, PROBLEM_FRAME_POSE = -3, PROBLEM_TRANSPORT = -4 };
extern const doc_word problem_quantity_words[];
const doc_word       *problem_word(int value);
// The quantity that an entry names, added to the plan.
ARNE_CHECKED arne_status problem_quantity(problem *p, const doc_slot *entry, const ask *a,
                                          asked *out);
// Numbers for the rows of a quantity: one for all, a list of them, or by joint where rows are
// coordinates.
ARNE_CHECKED arne_status problem_row_values(const problem *p, const doc_slot *entry,
                                            const char *key, const doc_node *value, const asked *q,
                                            double *out);

// A constraint on what was asked, without bounds and instants.
arne_constraint problem_constraint_for(const problem *p, const doc_slot *entry, const ask *a,
                                       const asked *q);
// An entry with `symmetry` or `periodic`.
ARNE_CHECKED arne_status problem_repeating(problem *p, const doc_slot *entry, const ask *a);

#endif
