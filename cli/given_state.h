// The states a quantity is asked at: one from the command line, or the rows of a CSV file.
#ifndef CLI_STATE_H
#define CLI_STATE_H

#include "options.h"
#include "order.h"

#include <arne/robot.h>

// The vectors of a state; a quantity says which it needs.
enum { PART_Q, PART_QD, PART_QDD, PART_QDDD, PART_TAU, PART_COUNT };
enum {
    NEED_Q = 1 << PART_Q,
    NEED_QD = 1 << PART_QD,
    NEED_QDD = 1 << PART_QDD,
    NEED_QDDD = 1 << PART_QDDD,
    NEED_TAU = 1 << PART_TAU,
    NEED_JOINTS = 1 << PART_COUNT,           // something must be able to move
    NEED_JOINTS_QDD = 1 << (PART_COUNT + 1), // of qdd all but the first numbers, a free base's
    NEED_DRIVEN = 1 << (PART_COUNT + 2)      // of qdd and tau what given_by_motors says
};
// A base has the first of them, up to its jerk.
enum { BASE_PARTS = PART_QDDD + 1 };
// So has a motor of an elastic joint, whose coordinate is theta; its jerk only a file can give.
enum { THETA_PARTS = PART_QDD + 1 };

// In the robot's own order.
typedef struct state {
    double *part[PART_COUNT];
    unsigned
        partial; // NEED_...: of a robot with loops, the parts whose passive entries are to be found
    double        time; // of its row; NaN: not given
    const double *load; // forces and moments on the links of the list, six each
} state;

typedef struct state_list {
    state  *item;
    int     count;
    double *numbers; // of all of them
    // From a file: its columns load.LINK.fx ...
    int    *load_frame;
    int     load_count;
    double *loads;
    int     lacks_rates; // it has too few rows to find them
} state_list;

typedef struct state_args {
    const char *robot_file;         // where --q NAME is looked up; NULL: nowhere
    number_list part[PART_COUNT];   // --q --qd --qdd --qddd --tau
    number_list theta[THETA_PARTS]; // --theta --thetad --thetadd
    const char *file;               // --states
    text_list   column;             // --column
    int         differentiate;      // --differentiate
    int         quiet;              // warnings are not wanted
    number_list cutoff;             // --cutoff
    // Of a free base these are the first numbers of q, qd, qdd and qddd, which then hold the rest.
    number_list base[BASE_PARTS]; // --base-pose --base-velocity --base-acceleration --base-jerk
} state_args;

// part_name[PART_QD] is "qd", theta_part_name[PART_QD] "thetad".
extern const char *const part_name[PART_COUNT];
extern const char *const theta_part_name[BASE_PARTS];

// Without what a row is incomplete.
typedef struct state_needs {
    unsigned    parts; // NEED_...
    const char *why;   // the name of the quantity that needs them
    // v_count flags: where set, qdd is needed and tau is not; else the other way round. NULL: both.
    const unsigned char *given;
} state_needs;

// Returns an exit status; mistakes are printed on stderr.
int  states_make(const arne_robot *robot, const ordering *order, const state_args *args,
                 const state_needs *needs, state_list *out);
void states_free(state_list *list);

// A list of neutral states at rest; motors' own numbers are NaN: not said yet. (For readers of
// states.)
void states_new(const arne_robot *robot, int count, state_list *out);
// EXIT_DATA where a quaternion of the configuration is off unit length; `where` begins the message.
int quaternions_are_unit(const arne_robot *robot, const double *q);
int check_quaternions(const arne_robot *robot, const double *q, const char *where);

// Says so where a position may be in degrees (arne_joint_degrees): an error where it is outside of
// its limits as well, else a warning unless quiet. `how` says how degrees are written there.
int check_degrees(const arne_joint_info *joint, double q, const char *where, const char *how,
                  int quiet);

#endif
