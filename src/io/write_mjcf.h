// What the two parts of the writer of MJCF share: bodies and the file (write_mjcf.c), and what ties
// and drives joints (write_mjcf_ties.c).
#ifndef ARNE_IO_WRITE_MJCF_H
#define ARNE_IO_WRITE_MJCF_H

#include "io/write_robot.h"
#include <arne/builder.h>

typedef struct mjcf_writer {
    robot_writer *w;
    int          *parent, *child; // links of every joint
    int          *merged;         // per link: it is part of the body that its child is
    arne_pose    *at_rest;        // per link: in the world, at q = 0
    int           root;
} mjcf_writer;

void mjcf_text(mjcf_writer *m, const char *key, const char *value);
void mjcf_values(mjcf_writer *m, const char *key, int count, const double *x);
void mjcf_value(mjcf_writer *m, const char *key, double x);
// Says that a spring is written as a line where it is none: MuJoCo 2.2 does not read polynomials.
void mjcf_lost_curve(mjcf_writer *m, const arne_spring_spec *s);

// Whether a joint is written as a tendon: it follows others and moves a link of no mass, which
// MuJoCo does not have.
int mjcf_is_tendon(const mjcf_writer *m, int joint);
// Sections <tendon>, <equality> and <actuator>.
void mjcf_write_tendons(mjcf_writer *m);
void mjcf_write_equality(mjcf_writer *m);
void mjcf_write_motors(mjcf_writer *m);

#endif
