// A problem file of optimal control from inside.
#ifndef ARNE_HORIZON_HORIZON_H
#define ARNE_HORIZON_HORIZON_H

#include "io/schema.h"
#include <arne/horizon.h>
#include <arne/table.h>
#include <arne/work.h>

// A reference that a table says over time: column[i] of entry i, -1: as it is.
typedef struct horizon_target {
    double         *out; // (knots + 1) rows of size
    arne_table     *table;
    int            *column, size;
    char           *path; // of the table, and the node that names it
    const doc_node *node;
} horizon_target;

typedef struct horizon_phase {
    const char *name;
    double      time;
    int         impact;
} horizon_phase;

typedef struct horizon_contact {
    const char     *frame;
    double          friction;
    arne_vec3       normal;
    const doc_node *phases;
    double         *cone; // mu and the normal
    int             index;
} horizon_contact;

typedef struct horizon_solver {
    int    method, integrator, controls, iterations, start_iterations, threads;
    double step, tolerance, contact_damping;
} horizon_solver;

struct arne_horizon {
    reader             r;
    findings           found;
    document           doc; // all arrays are in its memory
    arne_error         own;
    arne_build_options build;
    const char        *path, *robot_file, *title;
    char              *robot_path;
    int                friction, snapshots, cyclic;
    double             time, horizon, rate;
    horizon_solver     solver;
    const doc_node    *phases_node, *contacts_node;
    horizon_phase     *phases;
    horizon_contact   *contacts;
    int                phase_count, contact_count;

    arne_robot     *robot;
    arne_sizes      size;
    int             knots, receding, *drives, control_count;
    double         *start, *lower, *upper; // state; bounds of controls, NULL: none
    arne_oc_term   *terms;
    int             term_count, term_room;
    double         *gravity; // torques of the drives that hold the weight; NULL: nobody asks
    arne_work      *work;
    horizon_target *targets;
    int             target_count;
    arne_oc_phase  *stands;
    int            *schedule, before; // the phase of every knot, and of the step before
    arne_oc        *oc;
};

arne_horizon *horizon_of(const doc_slot *slot);
// Zero, lasts as long as the horizon; NULL: no memory.
double *horizon_numbers(arne_horizon *h, size_t count);
// The place of a new term; there is room for all.
arne_oc_term *horizon_term(arne_horizon *h);

// ---- horizon_terms.c

extern const doc_schema  horizon_objective_schema, horizon_constraint_schema;
ARNE_CHECKED arne_status horizon_objectives(const doc_slot *section, void *unused);
ARNE_CHECKED arne_status horizon_constraints(const doc_slot *section, void *unused);

// ---- horizon_ends.c

extern const doc_schema  horizon_end_schema;
ARNE_CHECKED arne_status horizon_start(const doc_slot *section, void *unused);
ARNE_CHECKED arne_status horizon_end(const doc_slot *section, void *unused);

// ---- horizon_contacts.c

extern const doc_schema  horizon_phase_schema, horizon_contact_schema;
ARNE_CHECKED arne_status horizon_phases(const doc_slot *section, void *unused);
ARNE_CHECKED arne_status horizon_contacts(const doc_slot *section, void *unused);
// The schedule of a motion from time t on.
void horizon_schedule(arne_horizon *h, double t);
// The time of the tables and phases: within the cycle, if there is one.
double horizon_time(const arne_horizon *h, double t);
// Phases with their knots, and friction cones.
ARNE_CHECKED arne_status horizon_stand(arne_horizon *h, const doc_slot *root);

#endif
