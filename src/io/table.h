// What a table is made of, for those who read and write it.
#ifndef ARNE_IO_TABLE_H
#define ARNE_IO_TABLE_H

#include "base/name_index.h"

#include <arne/table.h>
#include <stdio.h>

typedef struct table_column {
    char       *name;
    const char *unit;
    char       *own_unit; // where it was changed; else NULL
} table_column;

struct arne_table {
    table_column *columns;
    name_index    index;
    int           column_count, row_count, row_room;
    double       *values; // row by row
    int          *lines;  // of the rows that were read
    int           header_line, line_count;
};

// Another table with the same columns, rows and lines. ARNE_NO_MEMORY: *out is NULL.
ARNE_CHECKED arne_status table_copy(const arne_table *table, arne_table **out);

// Reads an open stream; path stands for it in messages.
ARNE_CHECKED arne_status arne_csv_read(FILE *stream, const char *path, arne_column_fn keep,
                                       void *context, arne_table **out, arne_error *error);

// For files that are too long to be kept: every row is handed on and forgotten.
typedef struct csv_listener {
    void *context;   // of all three, and of the function that chooses columns
    int   no_header; // the first line is a row, and columns are called 1, 2, ...
    // The columns are known.
    arne_status (*begin)(void *context, const arne_table *columns, int line);
    // row: NULL where a cell of it is empty or nan.
    arne_status (*take)(void *context, const arne_table *columns, const double *row, int line);
} csv_listener;
ARNE_CHECKED arne_status arne_csv_each(const char *path, arne_column_fn keep,
                                       const csv_listener *listener, arne_error *error);

// A cell of text in quotes, which are doubled inside.
void arne_csv_quoted(FILE *out, const char *text);
// The name of a column, "PART.NAME [UNIT]", in quotes; unit may be NULL.
void arne_csv_column(FILE *out, const char *part, const char *name, const char *unit);

#endif
