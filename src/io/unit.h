// Units of columns and of numbers in files.
#ifndef ARNE_IO_UNIT_H
#define ARNE_IO_UNIT_H

// The SI unit of the same dimension, and what a number must be multiplied by to be in it; NULL: the
// unit is not known. Angles are in rad; "rpm" is rad/s. Blanks, '*', '.' between N and m, and "^"
// may be left out.
const char *unit_to_si(const char *unit, double *factor);

// Whether a unit has the dimension of one of these SI units, which stand with commas between, and
// its factor. Units that unit_to_si does not know must be written as they are there.
int unit_among(const char *unit, const char *units, double *factor);

#endif
