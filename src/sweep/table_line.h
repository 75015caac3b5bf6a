// Lines of a sweep's table, cell by cell.
#ifndef ARNE_SWEEP_TABLE_LINE_H
#define ARNE_SWEEP_TABLE_LINE_H

// The next cell, with quotes taken off; the line is changed. Start with *cursor at the line, which
// has no end. NULL: there is none.
char *table_cell(char **cursor);

#endif
