// The section `walker`: which frames and joints of a robot are those of a person who walks. Names
// differ from robot to robot, so its file says them (or the section gait of a problem file).
#ifndef ARNE_IO_WALKER_H
#define ARNE_IO_WALKER_H

#include "io/schema.h"

enum { WALKER_RIGHT, WALKER_LEFT, WALKER_SIDES };

// Frames of each side. The first four are the foot and what of it touches the ground.
enum {
    WALKER_HEEL,
    WALKER_BALL,
    WALKER_TOE,
    WALKER_FOOT,
    WALKER_WRIST,
    WALKER_SHOULDER,
    WALKER_ANKLE,
    WALKER_HIP,
    WALKER_BALL_IN,
    WALKER_BALL_OUT,
    WALKER_FRAMES
};

// Joints of each side, with one coordinate each.
enum {
    WALKER_HIP_FLEXION,
    WALKER_KNEE_FLEXION,
    WALKER_ANKLE_DORSIFLEXION,
    WALKER_HIP_ROTATION,
    WALKER_JOINTS
};

enum { WALKER_MOST_PAIRS = 64, WALKER_MOST_LINES = 32 };

typedef struct walker_side {
    int frames[WALKER_FRAMES], joints[WALKER_JOINTS];
} walker_side;

// A joint that moves evenly from one value to another.
typedef struct walker_line {
    int    joint;
    double from, to;
} walker_line;

// All are indices of the robot, -1 where the section is silent.
typedef struct walker_parts {
    walker_side sides[WALKER_SIDES];
    int         top;             // the frame whose height is the stature
    int         pelvis_rotation; // the joint that turns the pelvis about the vertical
    int         backpack;        // the link that carries one
    arne_vec3   backpack_com;    // in that link's frame
    int         pairs[WALKER_MOST_PAIRS][WALKER_SIDES]; // joints that trade places in a mirror
    int         pair_count;
    walker_line guess[WALKER_MOST_LINES]; // where the search for a step starts
    int         guess_count;
    int         given; // there is such a section
} walker_parts;

walker_parts walker_none(void);
// The key of a frame, such as "heel".
const char *walker_frame_key(int frame);

// Reads the section into walker_parts. Names are those of reader->robot; where it is NULL, only
// the keys and the form of their values are checked.
extern const doc_schema  walker_schema;
ARNE_CHECKED arne_status walker_read(const doc_slot *section, walker_parts *out);
// The same for the reader of robot files, which has no robot yet.
arne_status walker_check(const doc_slot *section, void *unused);

#endif
