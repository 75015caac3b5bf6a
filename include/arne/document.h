// The kinds of files that Arne reads, and their schemas.
#ifndef ARNE_DOCUMENT_H
#define ARNE_DOCUMENT_H

#include <arne/builder.h>
#include <stddef.h>

typedef enum arne_document {
    ARNE_DOCUMENT_ROBOT,          // docs/robot-file.md, or another format of robot files
    ARNE_DOCUMENT_SCENARIO,       // docs/scenario.md
    ARNE_DOCUMENT_PROBLEM,        // docs/problem-file.md
    ARNE_DOCUMENT_IDENTIFICATION, // docs/identify.md: settings
    ARNE_DOCUMENT_SWEEP,          // docs/sweep.md
    ARNE_DOCUMENT_COUNT
} arne_document;

ARNE_BEGIN

// "robot", "scenario", "problem", "identification", "sweep"; NULL beyond the last.
ARNE_API const char *arne_document_name(arne_document kind);

// Determines the kind of a file from its keys.
ARNE_API ARNE_CHECKED arne_status arne_document_kind(const char *path, arne_document *out,
                                                     arne_error *error);

// Whether a file can be of this kind: no other kind has more of the file's keys.
ARNE_API ARNE_CHECKED arne_status arne_document_fits(const char *path, arne_document kind,
                                                     int *fits, arne_error *error);

// Reads a file of a kind and everything it names, and forgets it. The callbacks of the options
// (which may be NULL) get all findings.
ARNE_API ARNE_CHECKED arne_status arne_document_check(const char *path, arne_document kind,
                                                      const arne_build_options *options,
                                                      arne_error               *error);

// Whether `file` is `path` (a document or a table) or one of the files that it names, directly or
// not: what it extends, tables, meshes with their materials. Every text that is the name of a file
// beside the document counts. Packages of meshes ("NAME=DIR") are looked for as arne_view_robot
// does. A document that cannot be read names nothing.
ARNE_API ARNE_CHECKED arne_status arne_document_reads(const char *path, const char *file,
                                                      const char *const *packages,
                                                      int package_count, int *reads);

// The schema of a kind of file as JSON (which is also YAML): every key with its type, unit, range,
// default, allowed words, a line of help, and nested keys. Writes as much as fits, terminated by a
// zero, and returns the length of the whole text; 0 if memory runs out.
ARNE_API size_t arne_document_schema(arne_document kind, char *text, size_t size);

ARNE_END

#endif
