// The order in which q- and v-indexed numbers are taken and given, and what each is called.
//
// Entry i of what the user sees is entry q[i] (or v[i]) of the robot's own vectors.
#ifndef CLI_ORDER_H
#define CLI_ORDER_H

#include <arne/robot.h>

typedef struct ordering {
    int    q_count, v_count;
    int   *q, *v;
    char **q_name, **v_name; // "joint", or "joint.0", "joint.1" where it has several coordinates
    int    base_q, base_v;   // how many of the first belong to a free base: 7 and 6, or none
    int    theta_count; // how many of the last are motors' own, of elastic joints: "theta.joint"
    int    parameter_count; // of the robot, in its own order whatever the order of joints
    char **parameter_name;
    // Of a robot with loops: which entries are passive, so that they may be left out, and the
    // others.
    unsigned char *q_passive, *v_passive; // in the user's order; NULL where there are no loops
    int            q_active, v_active;    // how many are not passive
    int           *active; // where these stand among the robot's own active velocities
    char         **active_name;
} ordering;

// names: comma list of all joints that have coordinates, or NULL for the robot's own order.
// Returns an exit status; mistakes in the list are printed on stderr.
int  ordering_make(const arne_robot *robot, const char *names, ordering *out);
void ordering_free(ordering *order);

// The index of a joint that has entries of its own, or -1 after a message with near matches.
int find_joint(const arne_robot *robot, const char *option_name, const char *name);

// --given NAME,NAME,...: v_count flags in *out (to be freed), set at the entries of these joints;
// "" names none. Returns an exit status; mistakes in the list are printed on stderr.
int given_make(const arne_robot *robot, const char *names, unsigned char **out);

#endif
