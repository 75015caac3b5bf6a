// What the parts of motion capture share.
#ifndef ARNE_CAPTURE_CAPTURE_H
#define ARNE_CAPTURE_CAPTURE_H

#include "io/xml_tree.h"
#include <arne/capture.h>
#include <arne/motion.h>

// A spline of degree 3 or 5 through rows of numbers, whose derivatives of orders (degree + 1) / 2 to
// degree - 1 vanish at both ends: natural.
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
