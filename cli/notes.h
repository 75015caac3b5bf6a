// What was found in a file: warnings and errors, kept until they are printed.
#ifndef CLI_NOTES_H
#define CLI_NOTES_H

#include <arne/builder.h>
#include <stddef.h>

typedef struct note {
    char       *rule, *file, *text; // rule: of warnings
    int         line, column, accepted;
    arne_status error; // ARNE_OK: a warning
    int         alike; // these differ in the name at their beginning only
    int         mixed; // several of these are about one name
    int         same;  // how many notes of this kind it stands for, itself among them
} note;

typedef struct note_list {
    note *item;
    int   count, errors;
} note_list;

// Options that tell these notes of everything.
void notes_listen(note_list *notes, arne_build_options *options);
void notes_free(note_list *notes);
// "FILE:LINE:COLUMN: text [rule]"; path stands in where the note names no file.
void note_format(const note *n, const char *path, char *buffer, size_t size);
// Notes that say the same of several links or joints become one: "7 joints: ...".
void notes_group(note_list *notes);
// Removes warnings of a kind that does not matter here.
void notes_hide(note_list *notes, const char *rule);

enum { NOTES_ACCEPTED = 1, NOTES_QUIET = 2, NOTES_STRICT = 4 };
// Says the notes on stderr: errors always, warnings unless quiet, accepted flaws where they are
// wanted.
void notes_say(const note_list *notes, const char *path, int how);
// Says all errors, or where there are none the one of a call. Returns the exit status.
int notes_fail(const note_list *notes, const char *path, arne_status status,
               const arne_error *error);

#endif
