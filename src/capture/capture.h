// What the parts of motion capture share.
#ifndef ARNE_CAPTURE_CAPTURE_H
#define ARNE_CAPTURE_CAPTURE_H

#include "io/xml_tree.h"
#include <arne/capture.h>
#include <arne/motion.h>

// A spline of degree 3 or 5 through rows of numbers, whose derivatives of orders (degree + 1) / 2
// to degree - 1 vanish at both ends: natural.
typedef struct smooth_spline {
    arne_bspline *basis;
    int           width;
    double        start, length; // of time
    double       *control;
} smooth_spline;

// time must increase. After a failure nothing is to be freed.
ARNE_CHECKED arne_status smooth_spline_fit(smooth_spline *s, int degree, int rows, int width,
                                           const double *time, const double *x, arne_error *error);
// out: orders x width. Outside of its rows it stays at the end.
void smooth_spline_at(const smooth_spline *s, double time, int orders, double *out);
void smooth_spline_free(smooth_spline *s);

// Torques of the joints at one instant: inverse dynamics with measured forces, less what ligaments,
// path springs and limits of the robot give.
typedef struct recording_torques {
    const arne_robot *robot;
    const arne_loads *loads;
    arne_work        *work;
    arne_wrench      *f_ext;
    double           *paths; // lengths, velocities, activations, forces, arms; NULL: no such paths
} recording_torques;
ARNE_CHECKED arne_status recording_torques_new(recording_torques *t, const arne_robot *robot,
                                               const arne_loads *loads, arne_error *error);
void                     recording_torques_free(recording_torques *t);
ARNE_CHECKED arne_status recording_torques_at(const recording_torques *t, double time,
                                              const double *q, const double *qd, const double *qdd,
                                              double *tau);

// ARNE_VALUE where a motion begins before its loads or ends behind them, by more than a step. loads
// may be NULL.
ARNE_CHECKED arne_status loads_cover(const arne_loads *loads, const arne_recording *motion,
                                     arne_error *error);

// A file of OpenSim as a tree; close it also after a failure.
typedef struct capture_file {
    reader   reader;
    xml_tree tree;
} capture_file;
ARNE_CHECKED arne_status capture_file_open(capture_file *f, const char *path, arne_error *error);
void                     capture_file_close(capture_file *f);
// The text of a child without space around it; NULL where there is none, or "unassigned".
const char *capture_file_text(capture_file *f, const xml_node *node, const char *tag);
int capture_file_is(capture_file *f, const xml_node *node, const char *tag, const char *word);
// out stays as it is where there is no such child.
ARNE_CHECKED arne_status capture_file_number(capture_file *f, const xml_node *node, const char *tag,
                                             double *out);

#endif
