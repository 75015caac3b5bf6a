// Reading a robot for a verb: the options that say how, and the warnings on the way.
#ifndef CLI_LOAD_H
#define CLI_LOAD_H

#include "notes.h"
#include "options.h"

#include <arne/builder.h>
#include <arne/robot.h>

typedef struct robot_args {
    int         base; // arne_base
    number_list gravity;
    int         no_friction, no_rotor, strict, quiet;
    int         isa;     // arne_isa
    int         touches; // the verb computes contact with the ground
    int         open;    // without loops, and no joint follows another by a constraint
    text_list   package, lock;
} robot_args;

// The verb's arguments must have a robot_args by the name of robot.
#define ROBOT_OPTIONS                                                                              \
    CHOICE("--base", "fixed|prescribed|free", robot.base,                                          \
           "how the base moves (default: as the file says)"),                                      \
        NUMBERS("--gravity", "x,y,z", robot.gravity, "acceleration of free fall [m/s^2]", 3),      \
        FLAG("--no-friction", robot.no_friction, "leave joint friction out"),                      \
        FLAG("--no-rotor", robot.no_rotor, "leave reflected rotor inertia out"),                   \
        CHOICE("--isa", "baseline|x86-64-v3|x86-64-v4", robot.isa,                                 \
               "instruction set to compute with (default: the best here)"),                        \
        OPTION_PACKAGE(robot.package),                                                             \
        TEXTS("--lock", "JOINT=VALUE", robot.lock,                                                 \
              "hold a joint at a value [rad, m]: the robot has one joint less; repeatable"),       \
        FLAG("--strict", robot.strict, "warnings are errors"),                                     \
        OPTION_QUIET(robot.quiet, "no warnings on stderr")

// Reads, and keeps warnings and errors in notes (not NULL). On failure error says why.
arne_status read_robot(const char *path, const robot_args *args, note_list *notes, arne_robot **out,
                       arne_error *error);
// Reads, and says warnings and all errors on stderr. Returns an exit status; notes may be NULL.
int load_robot(const char *path, const robot_args *args, note_list *notes, arne_robot **out);

// "LINK=1,2,3": the frame and the numbers (to be freed). count 0: any number of values.
int parse_on_frame(const arne_robot *robot, const char *option_name, const char *text, int count,
                   int *frame, number_list *out);
// Names as near_matches asks for them.
const char *frame_name(const void *robot, int frame);
const char *joint_name(const void *robot, int joint);
// The index of a frame by name, or -1 after a message with near matches.
int find_frame(const arne_robot *robot, const char *option_name, const char *name);

// Attaches payloads "LINK=mass,cx,cy,cz[,ixx,iyy,izz[,ixy,ixz,iyz]]" to *robot, which is replaced.
int attach_payloads(const char *path, const text_list *payloads, arne_robot **robot);

// The path of a robot that comes with Arne by its bare name, where no such file is; else NULL.
const char *named_robot(const char *name);
// The path of a robot that comes with Arne, to be freed, or NULL after a message. dir: --robots,
// may be NULL.
char *find_robot(const char *dir, const char *name);

#endif
