// Lines of a sweep's table, cell by cell.
#ifndef ARNE_SWEEP_TABLE_LINE_H
#define ARNE_SWEEP_TABLE_LINE_H

// The next cell of a line, without its quotes; NULL after the last. *cursor starts at the line,
// which has no newline, and moves on; cells are cut out of the line in place.
char *table_cell(char **cursor);

#endif
