// What a file says about a body's inertia, judged and brought to the origin.
#ifndef ARNE_ROBOT_INERTIA_H
#define ARNE_ROBOT_INERTIA_H

#include <arne/builder.h>

// The principal moments about the centre of mass, ascending, and the inertia there in the body's
// axes.
void inertia_about_com(const arne_body_spec *spec, double about_com[6], double principal[3]);

// Mass and inertia that no body can have are errors.
arne_status check_inertia(const arne_body_spec *spec, double largest, arne_error *error);

#endif
