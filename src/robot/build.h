// A robot in the making: what the last step of a builder shares between its parts.
#ifndef ARNE_ROBOT_BUILD_H
#define ARNE_ROBOT_BUILD_H

#include "robot/graph.h"
#include "robot/robot.h"

typedef struct site { // where a link is
    int                    body;
    arne_pose              at;    // in the body
    const arne_joint_spec *fixed; // the fixed joint that carries it, or NULL
} site;

typedef struct build {
    const arne_builder *b;
    arne_builder       *segments; // b with segments for links that bend, which b is then; else NULL
    judge               j;
    graph               g;
    arne_robot         *r;
    site               *sites;       // of each link
    int                *joint_index; // of each spec: its joint of the robot, -1 for fixed ones
    int                *motor_index; // of each spec: its motor of the robot
    char               *names;
    int                 bodies, joints, dofs, tree_q, q, v, name_end; // so far
} build;

// Keeps a name in the robot; returns where.
size_t build_name(build *s, const char *name);
// A body of one or more velocities, in two steps.
body *build_body(build *s, int kind, int parent, const pose *placement, double pitch);
// friction and reflected rotor inertia of the joint; NULL: none.
void build_dofs(build *s, body *b, const arne_joint_info *j);
// A frame whose z is the given direction.
pose build_aligned(vec3 direction);
// What a fixed base carries does not count in mass or energy.
int build_counts(const build *s, int of);

// Motors and springs (build_motors.c): their rules, their share of the counts, their bodies and
// springs; the last comes after all links have their inertia.
arne_status build_check_motors(build *s);
void        build_count_motors(const build *s, arne_robot *r, size_t *names);
arne_status build_place_motors(build *s);

// Couplings by functions (build_functions.c): their share of the counts; their places, when all
// joints have theirs. Exponential joints (build_exponents.c): likewise, after these.
void        build_count_functions(const build *s, arne_robot *r);
arne_status build_place_functions(build *s);
void        build_count_exponents(const build *s, arne_robot *r);
void        build_place_exponents(build *s);
// The first joint that turns by more than it is for; -1: none.
int exponents_beyond(const arne_robot *robot, const double *q);

// Shapes that touch (contacts.c): their rules, their share of the counts, their places.
arne_status contacts_check(const arne_builder *b, const judge *j);
void        contacts_count(const arne_builder *b, arne_robot *r, size_t *names);
void        contacts_place(build *s);

// Muscles (muscle_rules.c, muscles.c): likewise.
ARNE_CHECKED arne_status muscles_check(const arne_builder *b, const judge *j);
int                      muscles_find_wrap(const arne_builder *b, const char *name); // -1: none
void                     muscles_count(const arne_builder *b, arne_robot *r, size_t *names);
ARNE_CHECKED arne_status muscles_place(build *s);
// A link, or a named frame behind them; -1 where there is none.
int contacts_find_link(const arne_builder *b, const char *name);

// Links that bend (flexible.c): from here on s->b has segments on elastic joints instead.
ARNE_CHECKED arne_status build_segments(build *s);

// How coordinates that move several bodies are carried inward (build_handles.c): the last step.
arne_status build_handles(build *s);
// Tells of joints that move, and nothing behind them resists (check_moving.c).
ARNE_CHECKED arne_status build_check_moving(const build *s);

#endif
