// The kinds of files that Arne reads, and what each may say.
#ifndef ARNE_DOCUMENT_H
#define ARNE_DOCUMENT_H

#include <arne/status.h>
#include <stddef.h>

typedef enum arne_document {
    ARNE_DOCUMENT_ROBOT,          // docs/robot-file.md, or a URDF
    ARNE_DOCUMENT_SCENARIO,       // docs/scenario.md
    ARNE_DOCUMENT_PROBLEM,        // docs/problem-file.md
    ARNE_DOCUMENT_IDENTIFICATION, // docs/identify.md: settings
    ARNE_DOCUMENT_SWEEP,          // docs/sweep.md
    ARNE_DOCUMENT_COUNT
} arne_document;

ARNE_BEGIN

// "robot", "scenario", "problem", "identification", "sweep"; NULL beyond the last.
ARNE_API const char *arne_document_name(arne_document kind);

// The kind whose keys a file has, or most of them.
ARNE_API ARNE_CHECKED arne_status arne_document_kind(const char *path, arne_document *out,
                                                     arne_error *error);

// Whether no other kind knows more of the file's keys than this one.
ARNE_API ARNE_CHECKED arne_status arne_document_fits(const char *path, arne_document kind,
                                                     int *fits, arne_error *error);

// What files of a kind may say, as JSON (which is YAML): every key with its type, unit, range,
// default, words and a line of help, and the keys inside. Writes as much as fits, ends it with a
// zero, and returns the length of the whole; 0 where there is no memory.
ARNE_API size_t arne_document_schema(arne_document kind, char *text, size_t size);

ARNE_END

#endif
