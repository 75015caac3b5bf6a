// A robot in one posture, as its page and the module in a browser show it.
#ifndef ARNE_REPORT_ROBOT_VIEW_H
#define ARNE_REPORT_ROBOT_VIEW_H

#include "report/looks.h"
#include "report/motion.h"

#include <arne/loop.h>

typedef struct robot_view {
    const arne_robot *robot;
    arne_work        *work;
    arne_loop_work   *loop; // NULL where it has no loops
    double           *q;    // closed
    figure            figure;
    looks             looks;
    char             *text; // the robot as a file, for pages that compute; NULL: none
} robot_view;

// The posture that the options give or else zero, within limits, and with loops closed; and how the
// robot looks. robot_view_free is needed also after a failure.
ARNE_CHECKED arne_status robot_view_make(robot_view *v, const arne_robot *robot,
                                         const arne_robot_page *options, arne_error *error);
void                     robot_view_free(robot_view *v);

// {"version":...}: the data block of the page.
void robot_view_put(buffer *b, const robot_view *v);

#endif
