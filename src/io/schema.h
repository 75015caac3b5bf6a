// Schemas: what a document may say, as tables. One row per key: its name, its type, unit, range,
// default, and where in a struct it goes or who reads it. Reading reports every mistake, with line
// and column, and goes on.
//
// Only what is given is written, so the same tables fill a new struct and amend one that is there.
// Keys are read in the order of the table, whatever that of the file: a row may rest on those above
// it.
#ifndef ARNE_IO_SCHEMA_H
#define ARNE_IO_SCHEMA_H

#include "io/document.h"

typedef struct doc_key    doc_key;
typedef struct doc_schema doc_schema;

// One value on its way into a struct, with what messages need.
typedef struct doc_slot {
    reader         *reader;
    const char     *owner; // "joint 'elbow'"; "" where there is none
    const char     *key;
    const doc_node *value;
} doc_slot;

typedef arne_status (*doc_read)(const doc_slot *slot, void *into);
// An entry of a list: its owner says which one it is ("joint 'elbow'", "payloads[2]"); name is ""
// where the schema has none.
typedef arne_status (*doc_read_item)(const doc_slot *item, const char *name, void *context);

typedef enum doc_type {
    DOC_TYPE_TEXT,    // const char *, not empty; lives as long as the document
    DOC_TYPE_NUMBER,  // double: 1e-3, pi/2, 90 deg
    DOC_TYPE_WHOLE,   // int
    DOC_TYPE_FLAG,    // int: true, false, yes, no, on, off in any case
    DOC_TYPE_WORD,    // int or enum: the value of a word
    DOC_TYPE_WORDS,   // unsigned: one word or a list; their values are added by or
    DOC_TYPE_VEC3,    // arne_vec3
    DOC_TYPE_NUMBERS, // double[count]
    DOC_TYPE_POSE,    // arne_pose: xyz, and rpy or quaternion
    DOC_TYPE_MAP,     // a struct at the offset, by the schema `inside`
    DOC_TYPE_LIST, // entries by the schema `inside`: the row's read gets the list, or its each them
    DOC_TYPE_NAMES,      // a mapping from names to what `inside` says; the row's read gets it
    DOC_TYPE_BY_JOINT_Q, // const double *: one number for all joints, a list, or a mapping by joint
    DOC_TYPE_BY_JOINT_V, // likewise along velocities; NULL where the robot is not known
    DOC_TYPE_NODE,       // const doc_node *, to be read when what it needs is there
    DOC_TYPE_OTHER,      // whatever the row's read takes
    DOC_TYPE_SKIP        // read elsewhere
} doc_type;

typedef enum doc_range {
    DOC_ANY,
    DOC_POSITIVE,
    DOC_NOT_NEGATIVE,
    DOC_NOT_ZERO,
    DOC_PART // from 0 to 1
} doc_range;

// A word and what it means; keys are those that only this word brings. A table ends with a name
// that is NULL.
typedef struct doc_word {
    const char    *name;
    int            value;
    const doc_key *keys;
    const void    *row; // of a table of the reader, such as how to make what the word names
    const char    *help;
} doc_word;

struct doc_key {
    const char     *key; // NULL ends a table
    doc_type        type;
    size_t          offset; // in the struct that the table fills
    int             needed;
    doc_range       range;
    int             count; // of DOC_TYPE_NUMBERS
    int             stage; // of reading: see doc_read_stage
    const char     *unit;
    const char     *otherwise; // the default as a file would write it; NULL: none
    const doc_word *words;
    const char *(*word)(int value); // words by a function, from 0 until it gives NULL
    const doc_schema *inside;
    doc_read          read;
    doc_read_item     each;  // of a list: reads every entry, into the struct
    const char       *takes; // what the row's read takes, for people
    const char       *help;
};

struct doc_schema {
    const char    *what;  // "joint": messages say joint 'NAME'
    const char    *named; // the key of an entry's name; NULL: entries have none
    const doc_key *keys;
    const char    *chosen; // the key whose word brings more keys; NULL: none
};

// Fails with "owner: key " and the text, at the place of the value.
arne_status doc_fail(const doc_slot *slot, arne_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// A key of a mapping that is missing.
arne_status doc_missing(const doc_slot *map, const char *key);
// Passes a status of the library on: a failure gets the place of the slot, unless it has one of its
// own.
ARNE_CHECKED arne_status doc_check(const doc_slot *slot, arne_status status);
// The same after a reader has told what it found: if its file as a whole cannot be used, the last
// finding gets the place of the value that names the file.
ARNE_CHECKED arne_status doc_check_file(const doc_slot *slot, arne_status status);
arne_place               doc_place(const reader *r, const doc_node *node);
// The slot of a key of a mapping; value is NULL where it is not given.
doc_slot doc_under(const doc_slot *map, const char *key);

// ---- mappings and lists

enum { DOC_AMENDS = 1 }; // what is needed may be there already

ARNE_CHECKED arne_status doc_read_map(const doc_slot *map, const doc_schema *schema, void *into,
                                      int flags);
// Only the keys of a stage. Stage 0 comes first: it also looks for unknown keys and for those of
// any stage that are needed.
ARNE_CHECKED arne_status doc_read_stage(const doc_slot *map, const doc_schema *schema, void *into,
                                        int stage, int flags);
// The row of the word under schema->chosen, after doc_read_map has been content with it.
const doc_word *doc_chosen(const doc_slot *map, const doc_schema *schema);

// Calls read for every entry of a list, or of a mapping from names.
ARNE_CHECKED arne_status doc_each(const doc_slot *list, const doc_schema *schema,
                                  doc_read_item read, void *context);
ARNE_CHECKED arne_status doc_each_name(const doc_slot *map, const char *what, doc_read_item read,
                                       void *context);

// Writes the defaults of a table: numbers, flags, words and texts.
ARNE_CHECKED arne_status doc_defaults(const doc_key *keys, void *into);

// ---- single values

ARNE_CHECKED arne_status doc_expect(const doc_slot *slot, doc_kind kind);
ARNE_CHECKED arne_status doc_text(const doc_slot *slot, const char **out);
ARNE_CHECKED arne_status doc_number(const doc_slot *slot, double *out);
ARNE_CHECKED arne_status doc_in_range(const doc_slot *slot, doc_range range, double value);
ARNE_CHECKED arne_status doc_whole(const doc_slot *slot, int *out);
ARNE_CHECKED arne_status doc_flag(const doc_slot *slot, int *out);
ARNE_CHECKED arne_status doc_choice(const doc_slot *slot, const doc_word *words,
                                    const doc_word **out);
// Exactly `count` numbers in a list.
ARNE_CHECKED arne_status doc_numbers(const doc_slot *slot, int count, double *out);
ARNE_CHECKED arne_status doc_vec3(const doc_slot *slot, arne_vec3 *out);
ARNE_CHECKED arne_status doc_pose(const doc_slot *slot, arne_pose *out);

// ---- values by joint (doc_values.c)

// One number for all joints, a list, or a mapping from names; what is not said stays as it is in
// out, and given (which may be NULL) marks what is. Lists are of all numbers, or those of the
// joints without a free base and without motors of elastic joints; the latter then move with their
// joints.
//
// A name is that of a joint, of a motor on a spring (theta.JOINT), or of a chain of joints (NAME
// for NAME.x, NAME.y).
typedef enum doc_along { DOC_ALONG_Q, DOC_ALONG_V } doc_along;
ARNE_CHECKED arne_status doc_values(const doc_slot *slot, const arne_robot *robot, doc_along along,
                                    double *out, unsigned char *given);
// Whether values name every joint of a robot with loops, or the active ones alone.
int doc_names_all(const doc_node *value, const arne_robot *robot);
// Marks the velocity coordinates of such a name; returns how many there are.
int doc_mark_coordinates(const arne_robot *robot, const char *name, unsigned char *marked);
// Positions q of all joints that may be in degrees: an error where one is outside of its limits,
// else a warning; each names the joint.
ARNE_CHECKED arne_status doc_check_degrees(const doc_slot *slot, const arne_robot *robot,
                                           const double *q);
// A link or frame by name.
ARNE_CHECKED arne_status doc_frame(const doc_slot *slot, const arne_robot *robot, int *frame);
// A joint with one coordinate by name.
ARNE_CHECKED arne_status doc_joint(const doc_slot *slot, const arne_robot *robot, int *joint);

// ---- for people and programs (schema_show.c)

// A schema as JSON, with those inside.
void doc_schema_put(buffer *out, const doc_schema *schema);

#endif
