// A YAML document as a tree that remembers where everything stands. It is a value: it can be made
// from a file or from text in memory, edited by paths, written, and then interpreted by a schema
// (schema.h).
//
// Aliases point to the node they name; what they would expand to is counted, and limited.
#ifndef ARNE_IO_DOCUMENT_H
#define ARNE_IO_DOCUMENT_H

#include "base/buffer.h"
#include "io/reader.h"

typedef enum doc_kind { DOC_TEXT, DOC_LIST, DOC_MAP } doc_kind;

typedef struct doc_node doc_node;

// An entry of a list (key is NULL) or of a mapping.
typedef struct doc_item {
    const char      *key;
    int              line, column; // of the key, or of the value in a list
    doc_node        *value;
    struct doc_item *next;
} doc_item;

struct doc_node {
    doc_kind kind;
    int      line, column;
    int      count; // of items
    int      open;  // its end has not been read yet
    int      uses;  // how many items and aliases stand for it
    int weight; // nodes below and including this one, with aliases expanded; more for a long text
    const char *text;  // of a DOC_TEXT; without zeros inside
    const char *tag;   // "!degrees" of a DOC_TEXT; NULL: none
    int         plain; // a DOC_TEXT without quotes
    doc_item   *first, *last;
};

typedef struct document {
    doc_node         *root; // NULL: an empty document
    struct doc_block *blocks;
} document;

// document_free is needed also after a failure. Mistakes go to the reader.
ARNE_CHECKED arne_status document_parse(const reader *r, const char *text, size_t size,
                                        document *out);
// The same from r->file.
ARNE_CHECKED arne_status document_load(const reader *r, document *out);
void                     document_free(document *doc);

// Memory that is zero and lasts as long as the document; NULL where there is none.
void *document_take(document *doc, size_t size);

// Gives the memory of another document to this one, and with it all its nodes.
void document_join(document *doc, document *other);

// The value under a key of a mapping; NULL where there is none.
const doc_node *doc_find(const doc_node *map, const char *key);
const doc_item *doc_find_item(const doc_node *map, const char *key);

// An edit: the value at a path becomes this YAML text (a scalar, a list or a mapping).
//
// A path is keys with dots between. In a list a step is a position (from 0), or the name of an
// entry: its `name`, else its `joint`: bodies.link6.mass, controller.kp, joints.elbow.limits.upper.
// Keys that hold dots are found, too. What is missing at the end of the path is made: a key, or the
// entry of that name in a list of named entries.
typedef struct doc_edit {
    const char *path, *value;
} doc_edit;

// ARNE_VALUE where the path leads through a single value or a position that is not there. Nothing
// has changed then.
ARNE_CHECKED arne_status document_edit(const reader *r, document *doc, const doc_edit *edit);
// The value at a path; NULL where there is none.
const doc_node *document_at(const document *doc, const char *path);

// Reads a robot's document into r->builder: see yaml_robot.c.
ARNE_CHECKED arne_status arne_reader_robot(reader *r, document *doc);

// The document of a robot file, r->file, with this text. Of a format that is no document
// (formats.h) it is one that extends the file, and *extends is 1.
ARNE_CHECKED arne_status document_of_robot(const reader *r, const char *text, size_t size,
                                           document *out, int *extends);
// Adds `extends: FILE` to a document that stands in the same folder.
ARNE_CHECKED arne_status document_extending(const reader *r, const char *file, document *out);

// A robot's file with edits: those of bodies and joints also of a URDF, or of a file that is
// extended.
ARNE_CHECKED arne_status arne_robot_read_edited(const char *path, const doc_edit *edits, int count,
                                                const arne_build_options *options, arne_robot **out,
                                                arne_error *error);

// A document of its own with the same values at the same places; what aliases share is written out.
// ARNE_NO_MEMORY.
ARNE_CHECKED arne_status document_copy(const document *from, document *to);

// Documents that stand for files which were read before and changed since, and what happens to a
// robot before it is built. All may be NULL: then the file itself is read.
typedef struct doc_given {
    const document    *run;   // the scenario or problem
    const document    *robot; // the robot that it names
    struct kept_files *files; // that were read before
    const char
        *robot_file; // a name for it in messages, in the folder of its file; NULL: that of the file
    arne_status (*amend)(void *context, arne_builder *builder, arne_error *error);
    void *context;
} doc_given;

// The documents that a robot was read from, those that are extended first: sections that only
// plans read (fatigue, strength, walker) are looked up in them.
typedef struct robot_sections {
    document memory;
    struct section_file {
        const char          *file;
        const doc_node      *root; // a mapping
        struct section_file *next;
    } * first, *last;
} robot_sections;

// Moves the memory of a document here, and with it its nodes. 0: no memory.
int  robot_sections_add(robot_sections *s, const char *file, document *doc);
void robot_sections_free(robot_sections *s);

// Reads a robot's file into a builder, or what is given in its place. sections may be NULL.
ARNE_CHECKED arne_status arne_read_given(arne_builder *builder, const char *path,
                                         const doc_given *given, robot_sections *sections,
                                         arne_error *error);

// As JSON, which is YAML too: texts stay texts, so that it reads back as the same document.
void document_put(buffer *out, const doc_node *node);

#endif
