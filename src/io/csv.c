// Tables as CSV: a header of names, then rows of numbers. Cells may be quoted.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): strerror_r
#include "base/error.h"
#include "base/text.h"
#include "io/number.h"
#include "io/table.h"
#include "io/unit.h"
#include "io/whole_file.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- reading -----------------------------------------------------------------------------------

// A line longer than this is no row of numbers.
enum { LINE_MOST = 16 << 20 };

typedef struct csv_reader {
    const char    *path;
    arne_error    *error;
    arne_column_fn keep;
    void          *context;
    FILE          *stream;
    char          *line;
    size_t         capacity;
    int            number; // of the line, from 1
    arne_table    *table;
    char           separator;
    int           *place;  // of a cell in the table's row, -1: nowhere
    double        *factor; // of each column of the table: its unit in SI
    int            place_count;
    double        *row;
} csv_reader;

static arne_status fail_line(const csv_reader *r, arne_status code, const char *text)
{
    return arne_fail(r->error, code, r->path, r->number ? r->number : 1, "%s", text);
}

static arne_status fail_read(const csv_reader *r, int number)
{
    if (number == ENOMEM) return arne_fail_memory(r->error);
    char reason[128] = "";
    if (strerror_r(number, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", number);
    return arne_fail(r->error, ARNE_FILE, r->path, 0, "cannot be read: %s", reason);
}

static arne_status make_room(csv_reader *r, size_t length)
{
    if (length + 1 < r->capacity) return ARNE_OK;
    const size_t capacity = 2 * length + 256;
    char        *line = realloc(r->line, capacity);
    if (!line) return arne_fail_memory(r->error);
    r->line = line;
    r->capacity = capacity;
    return ARNE_OK;
}

// One line into r->line, without its end; *more is 0 at the end of the file.
static arne_status read_line(csv_reader *r, int *more)
{
    size_t length = 0;
    int    c = getc(r->stream);
    *more = c != EOF;
    if (c == EOF) return ferror(r->stream) ? fail_read(r, errno) : ARNE_OK;
    r->number++;
    for (;; c = getc(r->stream)) {
        const arne_status status = make_room(r, length);
        if (status) return status;
        if (c == EOF || c == '\n') break;
        if (c == 0) return fail_line(r, ARNE_SYNTAX, "is not text");
        if (length == LINE_MOST) return fail_line(r, ARNE_TOO_LARGE, "the line is too long");
        r->line[length++] = (char)c;
    }
    if (length && r->line[length - 1] == '\r') length--;
    r->line[length] = '\0';
    return ARNE_OK;
}

// The next line that says something; *text is NULL at the end of the file.
static arne_status next_line(csv_reader *r, char **text)
{
    for (;;) {
        int               more;
        const arne_status status = read_line(r, &more);
        *text = NULL;
        if (status || !more) return status;
        char *line = r->line;
        if (r->number == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0) line += 3;
        if (line[strspn(line, " \t")] == '\0' || line[0] == '#') continue;
        *text = line;
        return ARNE_OK;
    }
}

// What stands between the cells of a header: a comma, or a semicolon or tab where there is no comma outside quotes.
static char find_separator(const char *header)
{
    int quoted = 0, semicolon = 0, tab = 0;
    for (const char *p = header; *p; p++) {
        quoted ^= *p == '"';
        if (quoted) continue;
        if (*p == ',') return ',';
        semicolon |= *p == ';';
        tab |= *p == '\t';
    }
    return (char)(semicolon ? ';' : tab ? '\t' : ',');
}

// Cuts the next cell off *rest, in place, without quotes and the blanks around it.
static char *next_cell(const csv_reader *r, char **rest)
{
    const char  ends[2] = {r->separator, 0};
    const char *blanks = r->separator == '\t' ? " " : " \t";
    char       *from = *rest + strspn(*rest, blanks), *to, *cell;
    if (*from != '"') {
        cell = from;
        from += strcspn(from, ends);
        to = from;
        while (to > cell && strchr(" \t", to[-1]))
            to--;
    } else {
        cell = to = ++from;
        while (*from && (*from != '"' || from[1] == '"')) {
            if (*from == '"') from++;
            *to++ = *from++;
        }
        from += strcspn(from, ends);
    }
    *rest = *from ? from + 1 : NULL;
    *to = '\0';
    return cell;
}

// "q.j1 [rad]" is a name and a unit; returns the unit.
static const char *cut_unit(char *name)
{
    const size_t length = strlen(name);
    char        *open = strrchr(name, '[');
    if (!length || name[length - 1] != ']' || !open || open == name) return "";
    name[length - 1] = '\0';
    char *end = open;
    while (end > name && strchr(" \t", end[-1]))
        end--;
    *end = '\0';
    return open + 1;
}

// Columns of known units are read as their SI unit.
static arne_status place_column(csv_reader *r, char *cell)
{
    double      factor = 1;
    const char *said = cut_unit(cell), *si = unit_to_si(said, &factor), *unit = si ? si : said;
    int        *place = realloc(r->place, ((size_t)r->place_count + 1) * sizeof *place);
    if (!place) return arne_fail_memory(r->error);
    r->place = place;
    place[r->place_count++] = -1;
    if (!*cell || (r->keep && !r->keep(r->context, cell, unit, r->number))) return ARNE_OK;

    const int column = arne_table_columns(r->table);
    double   *factors = realloc(r->factor, ((size_t)column + 1) * sizeof *factors);
    if (!factors) return arne_fail_memory(r->error);
    r->factor = factors;
    factors[column] = si ? factor : 1;
    place[r->place_count - 1] = column;
    const arne_status status = arne_table_add_column(r->table, cell, unit);
    if (status == ARNE_VALUE)
        return arne_fail(r->error, ARNE_VALUE, r->path, r->number, "column '%s' is there twice",
                         cell);
    return status ? arne_fail_memory(r->error) : ARNE_OK;
}

static arne_status read_header(csv_reader *r)
{
    char       *rest;
    arne_status status = next_line(r, &rest);
    if (status) return status;
    if (!rest) return fail_line(r, ARNE_SYNTAX, "there is no header line");
    r->table->header_line = r->number;
    r->separator = find_separator(rest);
    while (rest && !status)
        status = place_column(r, next_cell(r, &rest));
    if (status) return status;
    r->row = malloc(sizeof *r->row * (size_t)(arne_table_columns(r->table) + 1));
    return r->row ? ARNE_OK : arne_fail_memory(r->error);
}

// Lines are few bytes beside the numbers; they grow with the rows.
static arne_status note_line(csv_reader *r)
{
    arne_table *t = r->table;
    if ((t->line_count & (t->line_count - 1)) == 0) {
        int *lines = realloc(t->lines, sizeof *lines * (2 * (size_t)t->line_count + 1));
        if (!lines) return arne_fail_memory(r->error);
        t->lines = lines;
    }
    t->lines[t->line_count++] = r->number;
    return ARNE_OK;
}

static arne_status read_row(csv_reader *r, char *rest)
{
    int count = 0;
    for (; rest; count++) {
        char       *cell = next_cell(r, &rest), *comma;
        const char *why;
        const int   place = count < r->place_count ? r->place[count] : -1;
        if (place < 0) continue;
        // Where cells end with a semicolon, a comma is a decimal point.
        if (r->separator == ';' && (comma = strchr(cell, ',')) != NULL) *comma = '.';
        if (arne_number_expression(cell, &r->row[place], &why) || !isfinite(r->row[place]))
            return arne_fail(r->error, ARNE_VALUE, r->path, r->number,
                             "column %d: '%s' is not a finite number", count + 1, cell);
        r->row[place] *= r->factor[place];
    }
    if (count != r->place_count)
        return arne_fail(r->error, ARNE_VALUE, r->path, r->number,
                         "%d values are needed, %d are given", r->place_count, count);
    const arne_status status = arne_table_append(r->table, r->row);
    if (status == ARNE_TOO_LARGE) return fail_line(r, status, "there are too many rows");
    return status ? arne_fail_memory(r->error) : note_line(r);
}

static arne_status read_table(csv_reader *r)
{
    arne_status status = arne_table_new(&r->table);
    if (status) return arne_fail_memory(r->error);
    status = read_header(r);
    while (!status) {
        char *text;
        status = next_line(r, &text);
        if (status || !text) break;
        status = read_row(r, text);
    }
    return status;
}

arne_status arne_csv_read(FILE *stream, const char *path, arne_column_fn keep, void *context,
                          arne_table **out, arne_error *error)
{
    csv_reader r = {
        .path = path, .error = error, .keep = keep, .context = context, .stream = stream};
    const arne_status status = read_table(&r);
    free(r.line);
    free(r.place);
    free(r.factor);
    free(r.row);
    if (status)
        arne_table_free(r.table);
    else
        *out = r.table;
    return status;
}

arne_status arne_table_read_csv_columns(const char *path, arne_column_fn keep, void *context,
                                        arne_table **out, arne_error *error)
{
    arne_error_clear(error);
    if (!path || !out) return ARNE_NULL_ARGUMENT;
    *out = NULL;
    const int is_stdin = strcmp(path, "-") == 0;
    FILE     *stream = is_stdin ? stdin : fopen(path, "rb");
    if (!stream) {
        const csv_reader r = {.path = path, .error = error};
        return fail_read(&r, errno);
    }
    const arne_status status =
        arne_csv_read(stream, is_stdin ? "stdin" : path, keep, context, out, error);
    if (!is_stdin) fclose(stream);
    return status;
}

arne_status arne_table_read_csv(const char *path, arne_table **out, arne_error *error)
{
    return arne_table_read_csv_columns(path, NULL, NULL, out, error);
}

// --- writing -----------------------------------------------------------------------------------

static void write_name(FILE *out, const table_column *column)
{
    const int quoted = strpbrk(column->name, ",\"\r\n") || strpbrk(column->unit, ",\"\r\n") ||
                       column->name[0] == ' ' || column->name[0] == '#';
    if (quoted) fputc('"', out);
    for (const char *c = column->name; *c; c++) {
        if (*c == '"') fputc('"', out);
        fputc(*c, out);
    }
    if (*column->unit) fprintf(out, " [%s]", column->unit);
    if (quoted) fputc('"', out);
}

static void write_row(FILE *out, const double *row, int count)
{
    for (int i = 0; i < count; i++) {
        char text[40];
        text_number(text, sizeof text, 17, row[i]);
        if (i) fputc(',', out);
        fputs(text, out);
    }
    fputc('\n', out);
}

arne_status arne_table_write_csv(const arne_table *table, const char *path, arne_error *error)
{
    arne_error_clear(error);
    if (!table || !path) return ARNE_NULL_ARGUMENT;
    whole_file        file;
    const arne_status status = arne_whole_file_open(&file, path, error);
    if (status) return status;
    for (int i = 0; i < table->column_count; i++) {
        if (i) fputc(',', file.stream);
        write_name(file.stream, &table->columns[i]);
    }
    fputc('\n', file.stream);
    for (int i = 0; i < table->row_count && !ferror(file.stream); i++)
        write_row(file.stream, arne_table_row(table, i), table->column_count);
    return arne_whole_file_close(&file, error);
}
