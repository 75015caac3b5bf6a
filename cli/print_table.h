// Text in columns as wide as what is in them.
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "message.h"

#include <stdio.h>

enum { TABLE_COLUMNS = 24 };

typedef struct table {
    const char *align; // one letter per column: 'l' left, 'r' right
    char      **cell;  // row by row
    int         count, columns;
} table;

// The first row is the header. A column whose cells below the header are all "" is left out.
table table_begin(const char *align);
void  table_cell(table *t, const char *format, ...) PRINTF_LIKE(2, 3);
void  table_print(const table *t, int indent, FILE *out);
void  table_free(table *t);

#endif
