#include "base/decimal.h"
#include "base/error.h"
#include "io/storage.h"
#include "io/table.h"
#include "io/whole_file.h"
#include <stdio.h>
#include <string.h>

static void write_doubled(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '"') fputc('"', out);
        fputc(*c, out);
    }
}

void arne_csv_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    write_doubled(out, text);
    fputc('"', out);
}

void arne_csv_column(FILE *out, const char *part, const char *name, const char *unit)
{
    fprintf(out, "\"%s.", part);
    write_doubled(out, name);
    if (unit) fprintf(out, " [%s]", unit);
    fputc('"', out);
}

static void write_name(FILE *out, const table_column *column)
{
    const int quoted = strpbrk(column->name, ",;\"\r\n") || strpbrk(column->unit, ",\"\r\n") ||
                       column->name[0] == ' ' || column->name[0] == '#';
    if (quoted) fputc('"', out);
    write_doubled(out, column->name);
    if (*column->unit) fprintf(out, " [%s]", column->unit);
    if (quoted) fputc('"', out);
}

static void write_row(FILE *out, const double *row, int count)
{
    for (int i = 0; i < count; i++) {
        char         text[DECIMAL_ROOM + 1];
        const size_t length = decimal_write(row[i], text);
        text[length] = i + 1 < count ? ',' : '\n';
        fwrite(text, 1, length + 1, out);
    }
    if (count == 0) fputc('\n', out);
}

arne_status arne_table_write_csv(const arne_table *table, const char *path, arne_error *error)
{
    arne_error_clear(error);
    if (!table || !path)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "table or path is NULL");
    whole_file        file;
    const arne_status status = arne_whole_file_open(&file, path, error);
    if (status) return status;
    if (storage_is(path)) {
        buffer made = {0};
        storage_put(table, "Coordinates", &made);
        if (made.text) fwrite(made.text, 1, made.size, file.stream);
        const int failed = made.failed;
        buffer_free(&made);
        return failed ? (arne_whole_file_drop(&file), arne_fail_memory(error))
                      : arne_whole_file_close(&file, error);
    }
    for (int i = 0; i < table->column_count; i++) {
        if (i) fputc(',', file.stream);
        write_name(file.stream, &table->columns[i]);
    }
    fputc('\n', file.stream);
    for (int i = 0; i < table->row_count && !ferror(file.stream); i++)
        write_row(file.stream, arne_table_row(table, i), table->column_count);
    return arne_whole_file_close(&file, error);
}
