// The sections of a robot's file that only plans read.
#ifndef CLI_CHECK_PARTS_H
#define CLI_CHECK_PARTS_H

#include <arne/io.h>

// Whether the file itself, not one that it extends, has a section of this name.
int robot_has_section(const char *path, const char *name);
// Tells their mistakes, with lines, to how_to->fail; the first one's code.
arne_status check_robot_parts(const char *path, const arne_build_options *how_to);

#endif
