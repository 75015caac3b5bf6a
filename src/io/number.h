// Numbers as files write them, the same under any locale.
#ifndef ARNE_IO_NUMBER_H
#define ARNE_IO_NUMBER_H

#include <arne/status.h>

// Reads one decimal number (sign, digits, point, exponent) at *cursor, which must end there or at
// white space, and moves *cursor behind it. Where that fails, *why completes the sentence "'text'
// ...".
ARNE_CHECKED arne_status arne_number_decimal(const char **cursor, double *out, const char **why);

// The whole text as a product of numbers and pi, perhaps in degrees: -3*pi/4, 90 deg.
ARNE_CHECKED arne_status arne_number_expression(const char *text, double *out, const char **why);

// The same with a unit behind it: one of `units`, which are SI and stand with commas between
// ("rad, m"), or another of the same dimension (unit.h): 1 s, 200 ms, 5 mm. NULL: degrees and
// radians alone.
ARNE_CHECKED arne_status arne_number_in_unit(const char *text, const char *units, double *out,
                                             const char **why);

#endif
