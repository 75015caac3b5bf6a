// Every robot the laws are tested on: the files of robots/, then a thousand random trees, of which
// every third has motors and springs and every second couplings of several joints.
//
//     EACH_ROBOT (robot, work)
//         EACH_STATE (s, robot, work)
//             ... s.q, s.qd, ...
#ifndef TEST_ROBOTS_H
#define TEST_ROBOTS_H

#include "random.h"

#include <arne/arne.h>

// A sanitiser looks at memory, not at digits: there a part of the states, and for what takes
// minutes of the trees, is enough.
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define TEST_PART 10
#else
#define TEST_PART 1
#endif

enum { TREE_COUNT = 1000, STATES_OF_FILE = TEST_PART > 1 ? 3 : 20, STATES_OF_TREE = 2 };

typedef struct robot_set {
    char      **files;
    int         file_count, index, tree_count;
    arne_robot *robot;
    arne_work  *work;
} robot_set;

robot_set robot_set_begin(int tree_count);
int       robot_set_next(robot_set *set); // 0 at the end, when everything is freed

// Whether ARNE_TEST_FUNCTIONS asks for trees whose joints follow by functions, and no files: "all";
// "plain", without periodic splines; "smooth", without splines, for laws by differences.
int robots_have_functions(void);

#define EACH_ROBOT_OF(robot, work, trees)                                                          \
    for (robot_set set_ = robot_set_begin(trees); robot_set_next(&set_);)                          \
        for (const arne_robot *robot = set_.robot; robot; robot = NULL)                            \
            for (arne_work *work = set_.work; work; work = NULL)
#define EACH_ROBOT(robot, work) EACH_ROBOT_OF (robot, work, TREE_COUNT)
#define EACH_FILE_ROBOT(robot, work) EACH_ROBOT_OF (robot, work, 0)

// Random states of one robot; the workspace knows how the base moves in each.
#define EACH_STATE(s, robot, work)                                                                 \
    for (state s = random_state(robot, 1); state_ready(&s, work);                                  \
         s = random_state(robot, s.seed + 1))
int state_ready(const state *s, arne_work *work);

// The files of robots/, sorted, as paths; ends in NULL. Free with robot_files_free.
char **robot_files(int *count);
void   robot_files_free(char **files);
// The file of robots/ with this name, whatever its ending; fails the test where there is none.
arne_robot *read_robot(const char *name, const arne_build_options *options);

arne_robot *finish(const arne_builder *builder, const arne_build_options *options);
arne_work  *new_work(const arne_robot *robot);

// As if the robot had come from a machine with that instruction set.
void robot_pretend_isa(arne_robot *robot, arne_isa isa);

#endif
