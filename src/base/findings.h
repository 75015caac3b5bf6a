// What was found in a file: mistakes and flaws, all of them, to be told in the order of the file.
#ifndef ARNE_BASE_FINDINGS_H
#define ARNE_BASE_FINDINGS_H

#include <arne/status.h>

// code ARNE_OK: a flaw that leaves the file usable, with its rule; anything else: a mistake.
typedef struct finding {
    arne_status code;
    const char *rule; // a string constant, of flaws
    int         accepted;
    int         line, column; // 0: none
    int         order;        // in which it was found
    char       *file, *text;
} finding;

enum { FINDINGS_MOST = 10000 }; // more are counted, not kept

typedef struct findings {
    finding *item;
    int      count, room;
    int      errors; // mistakes, with those that were not kept
} findings;

// Adds a copy of f with these texts; file may be NULL. Returns 0 where there is no memory.
int findings_add(findings *list, const finding *f, const char *file, const char *text);
// By file (in the order in which they came up), line and column.
void findings_sort(findings *list);
// The first mistake as an error that says how many there are; returns its code, ARNE_OK where there
// is none.
arne_status findings_first(const findings *list, arne_error *error);
// A mistake as an error.
void findings_error(const finding *f, arne_error *error);
// Who hears of warnings and of mistakes; each may be NULL.
typedef struct listeners {
    arne_warning_fn warn;
    void           *warn_context;
    arne_error_fn   fail;
    void           *fail_context;
} listeners;
// Tells everything, in the order of the list.
void findings_tell(const findings *list, const listeners *to);
// Listeners that add what they hear to a list.
listeners findings_listeners(findings *list);
void      findings_free(findings *list);

#endif
