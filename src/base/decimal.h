// Decimal numbers and doubles, exact to the last bit both ways and the same under any locale.
#ifndef ARNE_BASE_DECIMAL_H
#define ARNE_BASE_DECIMAL_H

#include <stddef.h>

// What decimal_write needs at most, with the zero at the end.
enum { DECIMAL_ROOM = 32 };

// The fewest digits that read back as exactly this number, as %g would set them out; "nan", "inf"
// or "-inf" for what is no number. Returns the length.
size_t decimal_write(double value, char out[DECIMAL_ROOM]);

// Reads digits [. digits] [e [sign] digits], without a sign before them, and returns where that
// ends: `text` itself where there is no such thing. The text ends with a zero; up to `limit` bytes
// may be read (`text` where that is not known). *done is 0 where the value needs a slower way: it
// has more than 19 digits, is close to a tie, tiny or huge.
const char *decimal_read(const char *text, const char *limit, double *value, int *done);

#endif
