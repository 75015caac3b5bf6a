// Rows of numbers below the header of a CSV file, piece by piece.
#ifndef ARNE_IO_CSV_ROWS_H
#define ARNE_IO_CSV_ROWS_H

#include <arne/status.h>

// What the header said; the same for all pieces.
typedef struct csv_layout {
    const char *path;
    char        separator;
    int        *place; // of a cell in the table's row, -1: nowhere
    int         place_count;
    double     *factor; // of each column of the table: its unit in SI
    int         column_count;
    int         skips_missing; // cells that are empty or nan are NAN, no mistake
} csv_layout;

// What was read of a piece. Its memory may be used for the next one.
typedef struct csv_rows {
    double *values; // column_count of each row
    int    *lines;  // of each row, counted from the piece's beginning, from 1
    int     count, room;
    int line_count; // of the piece, also those that hold no row; up to the mistake if there is one
    arne_status status;
    arne_error  error; // its line is counted from the piece's beginning too
} csv_rows;

// All rows between text and end. A line ends with a newline, the last one of all perhaps with the
// zero at `end`. The text does not stay what it was.
void csv_rows_take(const csv_layout *layout, char *text, char *end, csv_rows *out);
void csv_rows_free(csv_rows *rows);

// Cuts the next cell off *rest, in place, without quotes and the blanks around it. *rest is NULL
// after the last.
char *csv_next_cell(char separator, char **rest);
// Whether the line says nothing: blanks only, or #.
int csv_is_idle(const char *line);

#endif
