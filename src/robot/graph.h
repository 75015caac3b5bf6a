// The bodies and joints of a builder as a checked tree.
#ifndef ARNE_ROBOT_GRAPH_H
#define ARNE_ROBOT_GRAPH_H

#include "robot/builder.h"

// A joint or motor (the other is -1) that takes up the motion of a joint with a coordinate of its
// own, besides the joint that it mimics, or drives.
typedef struct graph_term {
    int    joint, motor, with;
    double ratio;
} graph_term;

// A function of functions, or a product, that a joint takes up besides: see bend of robot.h.
typedef struct graph_stage {
    int    function; // of the builder; -1: the line ratio x + offset
    double ratio, offset;
} graph_stage;
typedef struct graph_bend {
    int    joint, with, times; // times -1: functions
    double factor;
    int    start, count; // its stages
} graph_bend;

typedef struct graph {
    int     root;           // body
    int    *parent;         // of each joint: body
    int    *child;          // of each joint: body
    int    *mimic;          // of each joint: joint it follows in the end, or -1
    double *ratio, *offset; // of each joint: q = ratio q(mimic) + offset
    int *order; // joints, every one after the joint that carries its parent; the file's order where
                // that allows
    int         *above;      // of each body: the joint that carries it, or -1
    int         *frame_body; // of each named frame: body
    graph_term  *terms;
    int          term_count;
    graph_bend  *bends; // of one joint one after the other
    int          bend_count, bend_room;
    graph_stage *stages;
    int          stage_count, stage_room;
} graph;

// What a check needs to speak: the options say whether a flaw is an error. Every mistake is kept,
// and checks go on.
typedef struct judge {
    const arne_build_options *options;
    arne_error               *error; // for lack of memory, and functions that fill one; never NULL
    findings                 *found;
} judge;

// Keeps a mistake and returns code.
arne_status judge_fail(const judge *j, arne_status code, arne_place place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// Passes on the status of a function that filled j->error: a failure is kept.
arne_status judge_check(const judge *j, arne_status status);

// Tells of a flaw that does not prevent an answer. Not ARNE_OK only where such flaws are errors.
arne_status judge_flaw(const judge *j, const char *rule, arne_place place, int accepted,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));

// Keeps what a reader found, as the options judge it.
arne_status judge_repeat(const judge *j, const finding *f);

// Names, tree, mimic relations. The arrays of g must be freed with graph_free, also after failure.
arne_status graph_make(const arne_builder *b, const judge *j, graph *g);
void        graph_free(graph *g);
// Its last part: who follows whom, composed (couplings.c).
arne_status graph_follow(const arne_builder *b, const judge *j, graph *g);
// Exponential joints follow their strains (build_exponents.c).
arne_status graph_strains(const arne_builder *b, const judge *j, graph *g);

// Whether the columns are a rotation, to the digits of a file.
int is_rotation(const arne_mat3 *R);
// Numbers: finite, masses, inertias, axes, limits, friction.
arne_status check_values(const arne_builder *b, const judge *j);
// Masses, lengths and inertias that are too far apart: warnings.
arne_status check_scales(const arne_builder *b, const judge *j);

#endif
