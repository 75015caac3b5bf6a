// What every reader carries with it: the builder it fills, the file it speaks of, and how it
// complains.
#ifndef ARNE_IO_READER_H
#define ARNE_IO_READER_H

#include <arne/builder.h>
#include <stddef.h>

// Limits of all readers. They are far above any robot and far below any harm.
enum {
    ARNE_READ_MAX_BYTES = 64 << 20,  // of a file
    ARNE_READ_MAX_DEPTH = 256,       // of nested tags, lists and mappings
    ARNE_READ_MAX_NODES = 1000000,   // tags, or YAML values after aliases are expanded
    ARNE_READ_MAX_TAG = 1 << 20,     // bytes of a tag or comment
    ARNE_READ_MAX_ATTRIBUTES = 1000, // of a tag
    ARNE_READ_MAX_EXTENDS = 8,       // files that extend each other
    ARNE_READ_MAX_UNKNOWN = 1000     // unknown tags and keys that are listed one by one
};

typedef struct reader {
    arne_builder *builder; // NULL where the file is no robot
    const char   *file;
    arne_error   *error;
    int           extends;       // how many files extend this one
    int           unknown_count; // warnings given about unknown things
    int           amends;        // there were bodies or joints before this file was read

    const struct yaml_node *document; // the mapping that is being read; NULL in a URDF
} reader;

// Fills reader->error and returns code.
arne_status arne_reader_fail(const reader *r, arne_status code, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Passes a status of the builder on, and sees to it that a failure has a text and a place.
ARNE_CHECKED arne_status arne_reader_check(const reader *r, arne_status status, int line);

// A warning for the caller; fails only for lack of memory. rule is a string constant.
ARNE_CHECKED arne_status arne_reader_warn(reader *r, const char *rule, int line, const char *format,
                                          ...) __attribute__((format(printf, 4, 5)));

// A warning of the rule "unknown". A file full of them is cut short. Without a builder, as in files that are no robots:
// an error.
ARNE_CHECKED arne_status arne_reader_unknown(reader *r, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The bytes of r->file, within the limits. The caller frees *text, also after a failure.
ARNE_CHECKED arne_status arne_reader_load(const reader *r, char **text, size_t *size);

// Reads a file (of either format) into r->builder. A file that another one extends must be a plain
// file.
ARNE_CHECKED arne_status arne_reader_file(reader *r);

// The same from memory.
ARNE_CHECKED arne_status arne_reader_urdf(reader *r, const char *text, size_t size);
ARNE_CHECKED arne_status arne_reader_yaml(reader *r, const char *text, size_t size);

#endif
