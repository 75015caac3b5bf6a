// Where results go: collected in memory, then delivered all at once or not at all.
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

typedef struct output {
    FILE       *stream; // write here
    char       *text;
    size_t      size, room;
    int         failed; // memory ran out, and bytes are missing
    const char *path;   // NULL: stdout
} output;

// Returns an exit status; failures are printed on stderr. The struct must stay where it is until it
// is delivered or dropped.
int output_open(output *out, const char *path);
// Writes what was collected to the file or to stdout. A file appears complete (a temporary file
// next to it is renamed) or not at all.
int output_deliver(output *out);
// What was collected so far, as a text that ends with a zero; NULL where memory ran out. It lasts
// until more is written.
const char *output_text(output *out);
// Forgets what was collected.
void output_drop(output *out);

#endif
