// What a table is made of, for those who read and write it.
#ifndef ARNE_IO_TABLE_H
#define ARNE_IO_TABLE_H

#include "base/name_index.h"

#include <arne/table.h>
#include <stdio.h>

typedef struct table_column {
    char       *name;
    const char *unit;
} table_column;

struct arne_table {
    table_column *columns;
    name_index    index;
    int           column_count, row_count, row_room;
    double       *values; // row by row
    int          *lines;  // of the rows that were read
    int           header_line, line_count;
};

// Reads an open stream; path stands for it in messages.
ARNE_CHECKED arne_status arne_csv_read(FILE *stream, const char *path, arne_column_fn keep,
                                       void *context, arne_table **out, arne_error *error);

#endif
