// A row of plain numbers is read in one pass over its bytes. Whatever else a line is (a comment,
// quotes, pi/2, a mistake), it is read again, cell by cell.
#include "io/csv_rows.h"

#include "base/decimal.h"
#include "base/error.h"
#include "io/number.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int csv_is_idle(const char *line) { return line[strspn(line, " \t")] == '\0' || line[0] == '#'; }

char *csv_next_cell(char separator, char **rest)
{
    const char  ends[2] = {separator, 0};
    const char *blanks = separator == '\t' ? " " : " \t";
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

// The next line, or NULL where this one is not plain numbers alone.
static char *plain_row(const csv_layout *l, char *p, const char *end, double *row)
{
    for (int i = 0; i < l->place_count; i++) {
        double value;
        int    done;
        if (l->place[i] < 0 || (i && *p++ != l->separator)) return NULL;
        while (*p == ' ')
            p++;
        const int   negative = *p == '-';
        const char *first = p + (negative || *p == '+');
        const char *after = decimal_read(first, end, &value, &done);
        if (after == first || !done) return NULL;
        row[l->place[i]] = (negative ? -value : value) * l->factor[l->place[i]];
        p += after - p;
    }
    p += *p == '\r';
    return *p == '\n' ? p + 1 : NULL;
}

// A sample that was not taken.
static int is_missing(const char *cell)
{
    return !*cell || strcmp(cell, "nan") == 0 || strcmp(cell, "NaN") == 0 ||
           strcmp(cell, "NA") == 0;
}

// One that is cut into cells.
static arne_status cell_row(const csv_layout *l, char *rest, csv_rows *out, double *row)
{
    int count = 0;
    for (; rest; count++) {
        char       *cell = csv_next_cell(l->separator, &rest), *comma;
        const char *why;
        const int   place = count < l->place_count ? l->place[count] : -1;
        if (place < 0) continue;
        if (l->skips_missing && is_missing(cell)) {
            row[place] = NAN;
            continue;
        }
        // Where cells end with a semicolon, a comma is a decimal point.
        if (l->separator == ';' && (comma = strchr(cell, ',')) != NULL) *comma = '.';
        if (arne_number_expression(cell, &row[place], &why) || !isfinite(row[place]))
            return arne_fail(&out->error, ARNE_VALUE, l->path, out->line_count,
                             "column %d: '%s' is not a finite number", count + 1, cell);
        row[place] *= l->factor[place];
    }
    if (count == l->place_count) return ARNE_OK;
    return arne_fail(&out->error, ARNE_VALUE, l->path, out->line_count,
                     "the header has %d column%s, this row has %d", l->place_count,
                     l->place_count == 1 ? "" : "s", count);
}

// The end of the line becomes a zero; *next is the line after it.
static arne_status cut_line(const csv_layout *l, char *line, char *end, char **next, csv_rows *out)
{
    char *newline = memchr(line, '\n', (size_t)(end - line)), *stop = newline ? newline : end;
    *next = newline ? newline + 1 : end;
    if (memchr(line, 0, (size_t)(stop - line)))
        return arne_fail(&out->error, ARNE_SYNTAX, l->path, out->line_count, "is not text");
    if (stop > line && stop[-1] == '\r') stop--;
    *stop = 0;
    return ARNE_OK;
}

static arne_status csv_rows_make_room(const csv_layout *l, csv_rows *out)
{
    if (out->count < out->room) return ARNE_OK;
    const int    room = 2 * out->room + 256;
    const size_t row = (size_t)(l->column_count ? l->column_count : 1) * sizeof(double);
    double      *values = realloc(out->values, (size_t)room * row);
    if (values) out->values = values;
    int *lines = values ? realloc(out->lines, (size_t)room * sizeof *lines) : NULL;
    if (!lines) return arne_fail_memory(&out->error);
    out->lines = lines;
    out->room = room;
    return ARNE_OK;
}

// One line; *next is the one after it.
static arne_status csv_rows_take_line(const csv_layout *l, char *line, char *end, char **next,
                                      csv_rows *out)
{
    arne_status status = csv_rows_make_room(l, out);
    if (status) return status;
    double *row = out->values + (size_t)l->column_count * (size_t)out->count;
    *next = plain_row(l, line, end, row);
    if (!*next) {
        status = cut_line(l, line, end, next, out);
        if (status || csv_is_idle(line)) return status;
        status = cell_row(l, line, out, row);
    }
    if (!status) out->lines[out->count++] = out->line_count;
    return status;
}

void csv_rows_take(const csv_layout *layout, char *text, char *end, csv_rows *out)
{
    out->count = out->line_count = 0;
    out->status = ARNE_OK;
    while (text < end && !out->status) {
        out->line_count++;
        out->status = csv_rows_take_line(layout, text, end, &text, out);
    }
}

void csv_rows_free(csv_rows *rows)
{
    free(rows->values);
    free(rows->lines);
    *rows = (csv_rows){0};
}
