// Custom joints are chains of joints with massless links between them, which the builder names
// NAME.t1 to NAME.t3 and NAME.r1 to NAME.r3: so a chain is found again, whatever file it came from.
#include <arne/report.h>
#include <stdio.h>
#include <string.h>

// Of a link within a chain the length of NAME, else 0.
static int custom_name_length(const arne_robot *robot, int frame)
{
    if (frame < 0) return 0;
    const arne_frame_info f = arne_robot_frame(robot, frame);
    const size_t          n = strlen(f.name);
    const char           *end = f.name + n - (n > 3 ? 3 : n);
    const int named = n > 3 && end[0] == '.' && (end[1] == 't' || end[1] == 'r') && end[2] >= '1' &&
                      end[2] <= '3';
    return named && f.mass == 0 ? (int)n - 3 : 0;
}

static int in_chain(const arne_robot *robot, int frame, const char *name, int length)
{
    return custom_name_length(robot, frame) == length &&
           !strncmp(arne_robot_frame(robot, frame).name, name, (size_t)length);
}

int arne_joint_custom(const arne_robot *robot, int joint, arne_custom_joint *custom)
{
    if (!robot || joint < 0 || joint >= arne_robot_sizes(robot).joint_count) return 0;
    const arne_joint_info at = arne_robot_joint(robot, joint);
    const int             inner = custom_name_length(robot, at.child) ? at.child : at.parent;
    const int             length = custom_name_length(robot, inner);
    if (!length) return 0;
    const char       *name = arne_robot_frame(robot, inner).name;
    arne_custom_joint found = {.first = -1, .last = -1};
    snprintf(found.name, sizeof found.name, "%.*s", length, name);
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        const int             from = in_chain(robot, j.parent, name, length);
        if (!from && !in_chain(robot, j.child, name, length)) continue;
        if (!from) found.first = i;
        found.last = i;
    }
    if (custom) *custom = found;
    return found.first >= 0;
}
