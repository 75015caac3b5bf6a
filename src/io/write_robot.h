// Robot files as texts.
#ifndef ARNE_IO_WRITE_ROBOT_H
#define ARNE_IO_WRITE_ROBOT_H

#include "base/buffer.h"
#include <arne/io.h>
#include <arne/muscle.h>

typedef struct robot_writer {
    buffer              out;
    const arne_builder *b;
    arne_warning_fn     lost; // told what the format cannot say; may be NULL
    void               *context;
} robot_writer;

void write_yaml(robot_writer *w);
// Parts of it: values, the first and another key of an entry, entries of muscles.
void write_yaml_text(robot_writer *w, const char *s);
void write_yaml_list(robot_writer *w, int count, const double *x);
void write_yaml_function(robot_writer *w, const arne_function_spec *s);
void write_yaml_first(robot_writer *w, const char *key, const char *value);
void write_yaml_named(robot_writer *w, const char *key, const char *value);
void write_yaml_pose(robot_writer *w, const char *key, const arne_pose *X);
void write_yaml_wrap(robot_writer *w, const arne_wrap_spec *s);
void write_yaml_muscle(robot_writer *w, const arne_muscle_spec *s);
void write_urdf(robot_writer *w);
void write_mjcf(robot_writer *w);
// Whether MJCF can say a function: a polynomial of degree four that is all that its joint follows.
int write_mjcf_holds(const arne_builder *b, const arne_function_spec *f);

// Tells the caller that something is not in the file.
void write_lost(robot_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same of all muscles.
void write_lost_muscles(robot_writer *w);

// A text between quotes of XML.
void write_xml_text(robot_writer *w, const char *s);
void write_numbers(robot_writer *w, int count, const double *x, const char *between);
int  is_identity(const arne_mat3 *R);
// Roll, pitch and yaw of a rotation; the pitch is within a quarter turn.
void rotation_to_rpy(const arne_mat3 *R, double rpy[3]);

#endif
