// Errors: functions that can fail return a status, and optionally a text that names the place.
#ifndef ARNE_STATUS_H
#define ARNE_STATUS_H

#include <arne/types.h>

// One list gives the codes and their texts.
#define ARNE_STATUS_LIST(STATUS)                                                                   \
    STATUS(OK, "success")                                                                          \
    STATUS(NULL_ARGUMENT, "a required argument is NULL")                                           \
    STATUS(NO_MEMORY, "out of memory")                                                             \
    STATUS(FILE, "a file cannot be read or written")                                               \
    STATUS(SYNTAX, "the text is not well-formed")                                                  \
    STATUS(TOO_LARGE, "the input exceeds a limit of the reader")                                   \
    STATUS(VALUE, "a value is missing, malformed or out of range")                                 \
    STATUS(MODEL, "the robot breaks a rule")                                                       \
    STATUS(STRICT, "a flaw that is a warning otherwise")                                           \
    STATUS(UNSUPPORTED, "not supported")                                                           \
    STATUS(NOT_FOUND, "no such name")                                                              \
    STATUS(SINGULAR, "the mass matrix is singular")                                                \
    STATUS(NOT_CONVERGED, "the iteration did not converge")                                        \
    STATUS(DIVERGED, "the simulation diverged")                                                    \
    STATUS(LOOP_OPEN, "the loops are not closed")                                                  \
    STATUS(LOOP_SINGULAR, "the loops are singular in this configuration")                          \
    STATUS(STOPPED, "stopped by the caller")                                                       \
    STATUS(WORKSPACE, "the workspace was made for another robot")

typedef enum arne_status {
#define ARNE_STATUS_CODE(name, text) ARNE_##name,
    ARNE_STATUS_LIST(ARNE_STATUS_CODE)
#undef ARNE_STATUS_CODE
} arne_status;

// What went wrong and where. file is "" and line 0 if there is none.
typedef struct arne_error {
    arne_status code;
    int         line, column;
    int         count; // of mistakes, where a file has several: this is the first
    char        file[256];
    char        text[512];
} arne_error;

// A flaw of a file that is imperfect but usable, reported to the caller while a robot is read.
typedef struct arne_warning {
    const char *rule;     // a stable short name: axis, triangle, inertia, limit, ...
    const char *file;     // "" where there is none
    int         line;     // 0 where there is none
    const char *text;     // names the link or joint
    int         accepted; // the file itself accepts this flaw by name
    int         column;   // 0 where it is not known
} arne_warning;

typedef void (*arne_warning_fn)(void *context, const arne_warning *warning);

// Called now and then by functions that take long; nonzero ends them. It may be called from any of
// their threads.
typedef int (*arne_stop_fn)(void *context);

// Told of every mistake of a file, in the order of the file. The error that the call itself gives
// is the first of them.
typedef void (*arne_error_fn)(void *context, const arne_error *error);

ARNE_BEGIN
// The text of a status code; never NULL.
ARNE_API const char *arne_status_text(arne_status status);
ARNE_END

#endif
