#include "io/table.h"

#include "base/text.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

arne_status arne_table_new(arne_table **out)
{
    if (!out) return ARNE_NULL_ARGUMENT;
    *out = calloc(1, sizeof **out);
    return *out ? ARNE_OK : ARNE_NO_MEMORY;
}

void arne_table_free(arne_table *table)
{
    if (!table) return;
    for (int i = 0; i < table->column_count; i++)
        free(table->columns[i].name), free(table->columns[i].own_unit); // unit: behind the name
    free(table->columns);
    name_index_free(&table->index);
    free(table->values);
    free(table->lines);
    free(table);
}

// Name and unit in one piece of memory.
static arne_status copy_column(table_column *column, const char *name, const char *unit)
{
    const size_t name_size = strlen(name) + 1, unit_size = strlen(unit) + 1;
    column->name = malloc(name_size + unit_size);
    if (!column->name) return ARNE_NO_MEMORY;
    memcpy(column->name, name, name_size);
    memcpy(column->name + name_size, unit, unit_size);
    column->unit = column->name + name_size;
    column->own_unit = NULL;
    return ARNE_OK;
}

arne_status arne_table_add_column(arne_table *table, const char *name, const char *unit)
{
    if (!table || !name || !unit) return ARNE_NULL_ARGUMENT;
    if (!*name || text_has_controls(name) || text_has_controls(unit) || table->row_count ||
        table->row_room || arne_table_find(table, name) >= 0)
        return ARNE_VALUE;
    if (table->column_count == INT_MAX / 2) return ARNE_TOO_LARGE;
    const size_t  count = (size_t)table->column_count;
    table_column *columns = realloc(table->columns, (count + 1) * sizeof *columns);
    if (!columns) return ARNE_NO_MEMORY;
    table->columns = columns;
    if (copy_column(&columns[count], name, unit)) return ARNE_NO_MEMORY;
    if (!name_index_add(&table->index, columns[count].name, table->column_count)) {
        free(columns[count].name);
        return ARNE_NO_MEMORY;
    }
    table->column_count++;
    return ARNE_OK;
}

arne_status arne_table_scale(arne_table *table, int column, double factor, const char *unit)
{
    if (!table || !unit) return ARNE_NULL_ARGUMENT;
    if (column < 0 || column >= table->column_count || text_has_controls(unit)) return ARNE_VALUE;
    table_column *c = &table->columns[column];
    char         *own = malloc(strlen(unit) + 1);
    if (!own) return ARNE_NO_MEMORY;
    c->unit = strcpy(own, unit);
    free(c->own_unit);
    c->own_unit = own;
    for (int r = 0; r < table->row_count; r++)
        table->values[(size_t)r * (size_t)table->column_count + (size_t)column] *= factor;
    return ARNE_OK;
}

arne_status arne_table_reserve(arne_table *table, int rows)
{
    if (!table) return ARNE_NULL_ARGUMENT;
    if (rows <= table->row_room) return ARNE_OK;
    const size_t width = table->column_count ? (size_t)table->column_count : 1;
    if ((size_t)rows > SIZE_MAX / sizeof(double) / width) return ARNE_TOO_LARGE;
    double *values = realloc(table->values, (size_t)rows * width * sizeof *values);
    if (!values) return ARNE_NO_MEMORY;
    table->values = values;
    table->row_room = rows;
    return ARNE_OK;
}

arne_status arne_table_append(arne_table *table, const double *row)
{
    if (!table || !row) return ARNE_NULL_ARGUMENT;
    if (table->row_count == table->row_room) {
        if (table->row_room > INT_MAX / 2 - 64) return ARNE_TOO_LARGE;
        const arne_status status = arne_table_reserve(table, 2 * table->row_room + 64);
        if (status) return status;
    }
    const size_t width = (size_t)table->column_count;
    if (width) memcpy(table->values + width * (size_t)table->row_count, row, width * sizeof *row);
    table->row_count++;
    return ARNE_OK;
}

int arne_table_columns(const arne_table *table) { return table->column_count; }

int arne_table_rows(const arne_table *table) { return table->row_count; }

const char *arne_table_name(const arne_table *table, int column)
{
    return table->columns[column].name;
}

const char *arne_table_unit(const arne_table *table, int column)
{
    return table->columns[column].unit;
}

int arne_table_find(const arne_table *table, const char *name)
{
    return name_index_find(&table->index, name);
}

const double *arne_table_row(const arne_table *table, int row)
{
    return table->values + (size_t)table->column_count * (size_t)row;
}

int arne_table_line(const arne_table *table, int row)
{
    if (row < 0) return table->header_line;
    return row < table->line_count ? table->lines[row] : 0;
}

static arne_status copy_rows(const arne_table *from, arne_table *to)
{
    const size_t size = (size_t)from->row_count * (size_t)from->column_count;
    if (from->line_count) {
        to->lines = malloc((size_t)from->line_count * sizeof *to->lines);
        if (!to->lines) return ARNE_NO_MEMORY;
        memcpy(to->lines, from->lines, (size_t)from->line_count * sizeof *to->lines);
        to->line_count = from->line_count;
    }
    const arne_status status = arne_table_reserve(to, from->row_count);
    if (!status && size) memcpy(to->values, from->values, size * sizeof *to->values);
    if (!status) to->row_count = from->row_count;
    return status;
}

arne_status table_copy(const arne_table *table, arne_table **out)
{
    arne_status status = arne_table_new(out);
    for (int i = 0; i < table->column_count && !status; i++)
        status = arne_table_add_column(*out, table->columns[i].name, table->columns[i].unit);
    if (!status) status = copy_rows(table, *out);
    if (!status) (*out)->header_line = table->header_line;
    if (!status) return ARNE_OK;
    arne_table_free(*out);
    *out = NULL;
    return ARNE_NO_MEMORY;
}
