// A text that grows. Once memory has run out it stays as it is and says so.
#ifndef ARNE_CODEGEN_BUFFER_H
#define ARNE_CODEGEN_BUFFER_H

#include <stddef.h>

typedef struct buffer {
    char  *text; // NULL while empty
    size_t size, room;
    int    failed;
} buffer;

void put(buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
// A literal of C that reads back as exactly this number: 17 digits, or 9 and an f.
void put_number(buffer *b, double value, int is_float);

#endif
