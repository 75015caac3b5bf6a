// What every reader carries with it: the builder it fills, the file it speaks of, and how it
// complains.
#ifndef ARNE_IO_READER_H
#define ARNE_IO_READER_H

#include "base/error.h"
#include "base/findings.h"
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

// A mistake is kept in `found`, and reading goes on: functions return the status of a mistake, and
// those that read several things read them all and return that of the first.
typedef struct reader {
    arne_builder *builder; // NULL where the file is no robot
    const char   *file;
    findings     *found;       // every mistake so far; of a robot, those of its builder. NULL: the
                               // first one goes to error, and is the caller's end
    arne_error         *error; // where functions of the library leave theirs; not NULL with found
    const arne_robot   *robot; // that values by joint are for; NULL: not known
    const double       *rest;  // its configuration where a value is not given; NULL: neutral
    const char         *arguments; // " NAME:=VALUE ..." for the file, while it is read; or NULL
    struct buffer      *printed;  // takes the URDF of a xacro file in place of the builder; or NULL
    struct document    *document; // that is being read; NULL in a URDF
    const char         *units;    // of the key whose value is being read, "rad, m"; NULL: not known
    void               *context;  // of the caller
    struct kept_files  *files;    // those that were read before; NULL: none are kept
    int                 open;     // no loops, and no joint follows another (formats that tie them)
    struct robot_poses *poses;    // takes configurations that the file names; NULL: not wanted
    struct visual_list *looks;    // takes how the links look; NULL: that is not wanted
    struct robot_sections *sections;      // keeps the documents that plans look into; NULL: none
    int                    extends;       // how many files extend this one
    int                    named;         // another file names this one: a plain file
    int                    unknown_count; // warnings given about unknown things
    int                    amends;        // there were bodies or joints before this file was read
} reader;

// Keeps a mistake and returns code.
arne_status arne_reader_fail(const reader *r, arne_status code, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
arne_status arne_reader_fail_at(const reader *r, arne_status code, int line, int column,
                                const char *format, ...) __attribute__((format(printf, 5, 6)));

// Passes a status of a function that had r->error on: a failure is kept, with this place where it
// has none.
ARNE_CHECKED arne_status arne_reader_check(const reader *r, arne_status status, int line);

// The end of reading: the first mistake of the list becomes *error (which may be NULL).
ARNE_CHECKED arne_status arne_reader_end(const reader *r, arne_status status, arne_error *error);
// The same, after the callbacks of the options (which may be NULL) have got all findings.
ARNE_CHECKED arne_status arne_reader_tell(const reader *r, arne_status status,
                                          const arne_build_options *options, arne_error *error);

// A warning for the caller; fails only for lack of memory. rule is a string constant.
ARNE_CHECKED arne_status arne_reader_warn(reader *r, const char *rule, int line, const char *format,
                                          ...) __attribute__((format(printf, 4, 5)));

ARNE_CHECKED arne_status arne_reader_warn_at(reader *r, const char *rule, int line, int column,
                                             const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// A warning of the rule "unknown". A file full of them is cut short. Without a builder, as in files
// that are no robots: an error.
ARNE_CHECKED arne_status arne_reader_unknown(reader *r, int line, int column, const char *format,
                                             ...) __attribute__((format(printf, 4, 5)));

// The bytes of r->file, within the limits. The caller frees *text, also after a failure.
ARNE_CHECKED arne_status arne_reader_load(const reader *r, char **text, size_t *size);

// Reads a robot file of any format (formats.h) into r->builder, and how it looks and what it says
// for plans, where these are wanted. A file that another one extends must be a plain file.
ARNE_CHECKED arne_status arne_reader_file(reader *r);

#endif
