// The quantities of `arne compute`: rows of the catalogue, and how each is evaluated.
#ifndef CLI_QUANTITIES_H
#define CLI_QUANTITIES_H

#include "given_state.h"
#include "result.h"

#include <arne/batch.h>
#include <arne/contact.h>
#include <arne/loop.h>
#include <arne/modules.h>

// Options that only some quantities use.
enum {
    TAKES_FRAME = 1 << 0,     // --frame, to choose among many
    TAKES_ONE_FRAME = 1 << 1, // --frame, exactly one
    TAKES_TARGETS = 1 << 2,   // --frame with --position and --quaternion
    TAKES_AXES = 1 << 3,
    TAKES_RATE = 1 << 4,
    TAKES_SPATIAL = 1 << 5,
    TAKES_WRENCH = 1 << 6,
    TAKES_METHOD = 1 << 7,
    TAKES_WRENCH_FIXED = 1 << 8, // --wrench-fixed-in: something changes while the wrench acts
    TAKES_WRENCH_RATE = 1 << 9,
    TAKES_GIVEN = 1 << 10,
    TAKES_CONTACTS = 1 << 11,
    TAKES_ACTIVATION = 1 << 12
};

// Everything that is the same for all states.
typedef struct request {
    const char        *path; // of the robot, for messages
    const arne_robot  *robot;
    arne_work         *work;
    const arne_wrench *f_ext; // --wrench, on the bodies; NULL: none
    const arne_load   *loads; // the same, and how they change
    int                load_count;
    const int         *frames; // those asked for; all where there was no --frame
    int                frame_count;
    const arne_target *targets;
    int                target_count;
    arne_axes          axes;
    int                spatial, rate, matrix;

    arne_loop_work      *loop;    // of a robot with loops, else NULL
    arne_modules        *modules; // of platforms that stand on each other, else NULL
    const ordering      *order;
    arne_holding        *holding; // --contact; NULL: none
    const int           *held;    // its frames
    int                  held_count;
    const unsigned char *given;      // --given: v_count flags of the accelerations that are
    const double        *activation; // --activation: of all muscles; NULL: none pulls
} request;

enum { EXIT_NOT_CONVERGED = -1 };

// Adds the fields of one state; returns an exit status, or EXIT_NOT_CONVERGED where they are a best
// effort.
// The exit status of a call of the library, after a message where it failed.
int request_end(const request *ask, arne_status status, const arne_error *error);

typedef int (*evaluate_fn)(const request *ask, const state *at, result *out);

typedef struct quantity {
    arne_algorithm             algorithm;
    const arne_algorithm_info *info;
    unsigned                   needs;    // NEED_...
    unsigned                   heeds;    // TAKES_...
    evaluate_fn                evaluate; // NULL: as the catalogue says, see many.h
} quantity;

// Quantities by number; NULL beyond the last.
const arne_algorithm_info *quantity_info(int index);
int                        is_quantity(const char *name);
// False after a message with near matches. next: the operand behind it, or NULL.
int find_quantity(const char *name, const char *next, quantity *out);

// How it is evaluated, once the robot is known. closed: it has loops, and the closed mechanism is
// asked about.
void quantity_choose(quantity *what, int closed);

// "dtau_dq, dtau_dqd, dtau_dqdd": the keys of a quantity in JSON.
const char *quantity_keys(const arne_algorithm_info *info, char *buffer, size_t size);

#endif
