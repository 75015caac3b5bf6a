// Tables: named columns of numbers with units. Simulations record them, trajectories are sampled to
// them, and reports plot them. As a file: CSV.
//
// A table belongs to one thread at a time.
#ifndef ARNE_TABLE_H
#define ARNE_TABLE_H

#include <arne/status.h>

typedef struct arne_table arne_table;

// Decides whether a column of a file is read; line is that of the header.
typedef int (*arne_column_fn)(void *context, const char *name, const char *unit, int line);

ARNE_BEGIN

// Makes a table without columns, and frees one. free accepts NULL.
ARNE_API ARNE_CHECKED arne_status arne_table_new(arne_table **out);
ARNE_API void                     arne_table_free(arne_table *table);

// Adds a column, before the first row. Unit "": none. ARNE_VALUE if the name is empty, contains
// control characters or exists already, or if there are rows.
ARNE_API ARNE_CHECKED arne_status arne_table_add_column(arne_table *table, const char *name,
                                                        const char *unit);
// Appends a row, one number for every column. Allocates if there is no room left.
ARNE_API ARNE_CHECKED arne_status arne_table_append(arne_table *table, const double *row);
// Makes room for this many rows in all: until then arne_table_append allocates nothing and cannot
// fail. Call it after the last column is added.
ARNE_API ARNE_CHECKED arne_status arne_table_reserve(arne_table *table, int rows);

// The numbers of columns and rows.
ARNE_API int arne_table_columns(const arne_table *table);
ARNE_API int arne_table_rows(const arne_table *table);
// The index must be in range.
ARNE_API const char *arne_table_name(const arne_table *table, int column);
ARNE_API const char *arne_table_unit(const arne_table *table, int column);
// The column with this name, -1 if there is none.
ARNE_API int arne_table_find(const arne_table *table, const char *name);
// Valid until the next row is appended.
ARNE_API const double *arne_table_row(const arne_table *table, int row);
// The line a row was read from, for messages; row -1 is the header. 0 if the table was not read
// from a file.
ARNE_API int arne_table_line(const arne_table *table, int row);

// Multiplies a column by a factor and gives it another unit. ARNE_VALUE if there is no such column.
ARNE_API ARNE_CHECKED arne_status arne_table_scale(arne_table *table, int column, double factor,
                                                   const char *unit);

// The unit of columns of OpenSim's tables with inDegrees=yes: degrees where the coordinate is an
// angle, metres where it is a length. Only the robot knows which; the numbers are as in the file.
#define ARNE_UNIT_DEGREES "deg or m"

// Reads a file of numbers below a header `name [unit],name [unit],...`; units are optional; lines
// that begin with #, empty lines and columns without a name are skipped. Every cell must be a
// finite number, as arne_parse_number reads it. Failures name file and line.
//
// Semicolons or tabs may replace commas. A column whose unit is known (deg, mm, rpm, ms, mNm, ...)
// is converted to SI, and has the SI unit in the table; other units are kept as they are. The path
// "-" is the standard input.
//
// A path that ends in .mot, .sto or .trc is a table of OpenSim. Markers have the columns NAME.x,
// NAME.y, NAME.z in metres; their times are those of frames and rate. Cells that are missing there
// are NaN.
ARNE_API ARNE_CHECKED arne_status arne_table_read_csv(const char *path, arne_table **out,
                                                      arne_error *error);
// Reads only the columns for which `keep` returns nonzero; the cells of the others may be anything.
ARNE_API ARNE_CHECKED arne_status arne_table_read_csv_columns(const char *path, arne_column_fn keep,
                                                              void *context, arne_table **out,
                                                              arne_error *error);
// A path that ends in .mot or .sto becomes such a table, in SI units: q.NAME is NAME there, and
// tau.NAME is NAME_moment or NAME_force.
//
// Writes as many digits as are needed to read back the same numbers. The file is written completely
// or not at all: under a temporary name first, then renamed.
ARNE_API ARNE_CHECKED arne_status arne_table_write_csv(const arne_table *table, const char *path,
                                                       arne_error *error);

ARNE_END

#endif
