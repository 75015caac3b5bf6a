// Tables: named columns of numbers with units, one row after the other. What simulations record,
// what trajectories are sampled to, what reports draw. As a file: CSV.
//
// A table belongs to one thread at a time.
#ifndef ARNE_TABLE_H
#define ARNE_TABLE_H

#include <arne/status.h>

typedef struct arne_table arne_table;

// Whether a column of a file is to be read; line is that of the header.
typedef int (*arne_column_fn)(void *context, const char *name, const char *unit, int line);

ARNE_BEGIN

// A table without columns, and its end. free takes NULL.
ARNE_API ARNE_CHECKED arne_status arne_table_new(arne_table **out);
ARNE_API void                     arne_table_free(arne_table *table);

// Before the first row. Unit "": none. ARNE_VALUE where the name is empty, has control characters,
// is there already, or comes too late.
ARNE_API ARNE_CHECKED arne_status arne_table_add_column(arne_table *table, const char *name,
                                                        const char *unit);
// One number for every column. Allocates where there is no room left.
ARNE_API ARNE_CHECKED arne_status arne_table_append(arne_table *table, const double *row);
// Room for this many rows in all: up to there arne_table_append allocates nothing and cannot fail.
// After the last column.
ARNE_API ARNE_CHECKED arne_status arne_table_reserve(arne_table *table, int rows);

// How many there are.
ARNE_API int arne_table_columns(const arne_table *table);
ARNE_API int arne_table_rows(const arne_table *table);
// The index must be in range.
ARNE_API const char *arne_table_name(const arne_table *table, int column);
ARNE_API const char *arne_table_unit(const arne_table *table, int column);
// The column of this name, -1 where there is none.
ARNE_API int arne_table_find(const arne_table *table, const char *name);
// Valid until the next row is appended.
ARNE_API const double *arne_table_row(const arne_table *table, int row);
// The line a row was read from, for messages; row -1 is the header. 0 where the table was not read.
ARNE_API int arne_table_line(const arne_table *table, int row);

// A file of numbers below a header `name [unit],name [unit],...`; units are optional, lines that
// begin with # and empty ones are skipped, columns without a name too. Every cell must be a finite
// number, as arne_parse_number reads it. Failures name file and line.
//
// Semicolons or tabs may stand for commas. A column whose unit is known (deg, mm, rpm, ms, mNm,
// ...) is converted to SI, and has the SI unit in the table; other units are kept as they are. The
// path "-" is the standard input.
ARNE_API ARNE_CHECKED arne_status arne_table_read_csv(const char *path, arne_table **out,
                                                      arne_error *error);
// Only the columns that `keep` wants; the cells of the others may be anything.
ARNE_API ARNE_CHECKED arne_status arne_table_read_csv_columns(const char *path, arne_column_fn keep,
                                                              void *context, arne_table **out,
                                                              arne_error *error);
// As many digits as it takes to read back the same. The file is there whole or not at all: it is
// written beside its place and then renamed.
ARNE_API ARNE_CHECKED arne_status arne_table_write_csv(const arne_table *table, const char *path,
                                                       arne_error *error);

ARNE_END

#endif
