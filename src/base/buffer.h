// A text that grows. Once memory has run out it stays as it is and says so.
#ifndef ARNE_BASE_BUFFER_H
#define ARNE_BASE_BUFFER_H

#include <stddef.h>

typedef struct buffer {
    char  *text; // NULL while empty
    size_t size, room;
    int    failed;     // something is missing: memory ran out, or what follows
    int    not_finite; // put_number was given a number that C cannot write
} buffer;

void buffer_free(buffer *b);

void put(buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Bytes as they are, also those that mean something to put.
void put_bytes(buffer *b, const char *bytes, size_t size);
// So many significant digits, with a decimal point in any locale; the number must be finite.
void put_digits(buffer *b, double value, int digits);
// The fewest digits that read back as exactly this number, which must be finite.
void put_shortest(buffer *b, double value);
// A literal of C that reads back as exactly this number, a float with an f. One that is not finite
// has none.
void put_number(buffer *b, double value, int is_float);

#endif
