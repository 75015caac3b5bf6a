// Units of columns.
#ifndef ARNE_IO_UNIT_H
#define ARNE_IO_UNIT_H

// The SI unit of the same dimension, and what a number must be multiplied by to be in it; NULL: the
// unit is not known. Angles are in rad; "rpm" is rad/s. Blanks, '*', '.' between N and m, and "^"
// may be left out.
const char *unit_to_si(const char *unit, double *factor);

#endif
