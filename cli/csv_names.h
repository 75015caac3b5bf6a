// How a file calls its columns: other names that the user tells, and what is near to a name that is
// missing.
#ifndef CLI_CSV_NAMES_H
#define CLI_CSV_NAMES_H

#include "options.h"

#include <arne/robot.h>

// Splits "q.elbow=Joint_3" at its first '=': *ours is a copy, *theirs lies in the text. Returns an
// exit status.
int column_alias(const char *text, char **ours, const char **theirs);
// Whether a file is a table, by its name.
int names_table(const char *path);
// EXIT_USAGE where one of them is no NAME=OTHER.
int column_aliases_check(const text_list *aliases);
// What a column of a file is called here: `name` itself, or a new text that *made is, too.
const char *column_called(const text_list *aliases, const char *name, char **made);

// Columns of a file that are not used.
typedef struct spare_columns {
    char **name;
    int    count;
} spare_columns;

// EXIT_DATA where an alias stands for a column that the file has not: `renamed` are those it has.
int column_aliases_found(const text_list *aliases, const spare_columns *renamed, const char *file,
                         int line);

void spare_add(spare_columns *spare, const char *name);
void spare_free(spare_columns *spare);
// Whether a header was left out: all names are numbers.
int spare_are_numbers(const spare_columns *spare);
// "; is it 'Elbow'? --column q.elbow=Elbow says so", or "". word: the name without its part.
const char *spare_like(const spare_columns *spare, const char *wanted, const char *word,
                       char *buffer, size_t size);

// A wrench is what a joint transmits: a hint where there is one of a link, else "".
const char *spare_about_loads(const spare_columns *spare, const arne_robot *robot);

#endif
