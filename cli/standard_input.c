#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "standard_input.h"

#include <stdio.h>
#include <string.h>

static char own[32];

// A file without a name, which the system removes with the program.
const char *standard_input_path(void)
{
    char   piece[4096];
    size_t got;
    if (own[0]) return own;
    FILE *copy = tmpfile();
    while (copy && (got = fread(piece, 1, sizeof piece, stdin)) > 0)
        if (fwrite(piece, 1, got, copy) != got) {
            fclose(copy);
            copy = NULL;
        }
    if (!copy || fflush(copy) != 0) return NULL;
    snprintf(own, sizeof own, "/dev/fd/%d", fileno(copy));
    return own;
}

const char *shown_path(const char *path) { return own[0] && strcmp(path, own) == 0 ? "-" : path; }
