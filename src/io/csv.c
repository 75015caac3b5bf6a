// Tables as CSV: a header of names, then rows of numbers. Cells may be quoted.
//
// A file is read in blocks of whole lines; of large ones several threads take a piece each. No line
// depends on another, and the first mistake counts, so the result does not depend on how many there
// are.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/error.h"
#include "base/plain.h"
#include "base/pool.h"
#include "io/csv_rows.h"
#include "io/reader.h"
#include "io/storage.h"
#include "io/table.h"
#include "io/unit.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_MOST = 16 << 20, // a longer one is no row of numbers
    BLOCK = 8 << 20,
    PIECE = 256 << 10, // a thread is worth while from here on
    PIECES_MOST = 16
};

typedef struct csv_reader {
    const char    *path;
    arne_error    *error;
    arne_column_fn keep;
    void          *context;
    FILE          *stream;
    char          *text;           // a block, with a zero behind it
    size_t         size, room, at; // `at`: what comes before was taken
    int            at_end;         // of the file
    int            number;         // of the lines that were taken
    arne_table    *table;
    csv_layout     layout;
    pool          *threads; // NULL until they are worth while
    int            piece_count;
    char          *cut[PIECES_MOST + 1]; // piece i lies between cut[i] and cut[i + 1]
    csv_rows       rows[PIECES_MOST];

    const csv_listener *listener; // where rows go instead of the table; NULL: nowhere
} csv_reader;

static arne_status fail_line(const csv_reader *r, arne_status code, const char *text)
{
    return arne_fail(r->error, code, r->path, r->number ? r->number : 1, "%s", text);
}

static arne_status csv_fail_read(const csv_reader *r, int number)
{
    if (number == ENOMEM) return arne_fail_memory(r->error);
    return arne_fail(r->error, ARNE_FILE, r->path, 0, "cannot be read: %s", plain_reason(number));
}

// --- blocks ------------------------------------------------------------------------------------

static arne_status csv_make_room(csv_reader *r, size_t room)
{
    char *text = realloc(r->text, room + 1);
    if (!text) return arne_fail_memory(r->error);
    r->text = text;
    r->room = room;
    return ARNE_OK;
}

// What was not taken yet, and more behind it, up to the room there is.
static arne_status csv_fill(csv_reader *r)
{
    if (r->at) memmove(r->text, r->text + r->at, r->size - r->at);
    r->size -= r->at;
    r->at = 0;
    r->size += fread(r->text + r->size, 1, r->room - r->size, r->stream);
    r->text[r->size] = 0;
    r->at_end = r->size < r->room;
    return ferror(r->stream) ? csv_fail_read(r, errno) : ARNE_OK;
}

// The end of the last whole line of the block; the beginning where there is none.
static char *whole_lines_end(const csv_reader *r)
{
    char *end = r->text + r->size;
    while (!r->at_end && end > r->text && end[-1] != '\n')
        end--;
    return end;
}

// Spreadsheets save "Unicode text" as UTF-16.
static const char *not_text(const char *line)
{
    const int marked = strncmp(line, "\xff\xfe", 2) == 0 || strncmp(line, "\xfe\xff", 2) == 0;
    return marked ? "is UTF-16; save the table as UTF-8" : "is not text";
}

// A block with one whole line at least, unless the file is at its end. *end is where its whole
// lines end.
static arne_status next_block(csv_reader *r, char **end)
{
    arne_status status = r->room ? ARNE_OK : csv_make_room(r, BLOCK);
    for (;;) {
        if (!status) status = csv_fill(r);
        if (status) return status;
        *end = whole_lines_end(r);
        if (*end > r->text || r->at_end) return ARNE_OK;
        r->number++;
        if (memchr(r->text, 0, r->size)) return fail_line(r, ARNE_SYNTAX, not_text(r->text));
        if (r->size >= LINE_MOST) return fail_line(r, ARNE_TOO_LARGE, "the line is too long");
        r->number--;
        status = csv_make_room(r, 2 * r->room);
    }
}

// --- header ------------------------------------------------------------------------------------

// The next line that says something, as a text of its own; NULL at the end.
static arne_status next_line(csv_reader *r, const char *end, char **text)
{
    *text = NULL;
    while (r->text + r->at < end) {
        char        *line = r->text + r->at;
        const size_t left = (size_t)(end - line);
        char        *newline = memchr(line, '\n', left), *stop = newline ? newline : line + left;
        r->at += newline ? (size_t)(newline - line) + 1 : left;
        r->number++;
        if (memchr(line, 0, (size_t)(stop - line)))
            return fail_line(r, ARNE_SYNTAX, not_text(line));
        if (stop > line && stop[-1] == '\r') stop--;
        *stop = 0;
        if (r->number == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0) line += 3;
        if (csv_is_idle(line)) continue;
        *text = line;
        return ARNE_OK;
    }
    return ARNE_OK;
}

// What stands between the cells of a header: a comma, or a semicolon or tab where there is no comma
// outside quotes.
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

// A known unit between parentheses, too.
static int csv_is_unit(const char *text, size_t length)
{
    char   copy[32];
    double factor;
    if (length >= sizeof copy) return 0;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return unit_to_si(copy, &factor) != NULL;
}

// "q.j1 [rad]" is a name and a unit, and "q.j1 (rad)" as well; returns the unit.
static const char *cut_unit(char *name)
{
    const size_t length = strlen(name);
    const int    round = length && name[length - 1] == ')';
    char        *open = strrchr(name, round ? '(' : '[');
    if (!length || (!round && name[length - 1] != ']') || !open || open == name) return "";
    if (round && !csv_is_unit(open + 1, (size_t)(name + length - 1 - (open + 1)))) return "";
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
    csv_layout *l = &r->layout;
    double      factor = 1;
    const char *said = cut_unit(cell), *si = unit_to_si(said, &factor), *unit = si ? si : said;
    int        *place = realloc(l->place, ((size_t)l->place_count + 1) * sizeof *place);
    if (!place) return arne_fail_memory(r->error);
    l->place = place;
    place[l->place_count++] = -1;
    if (!*cell || (r->keep && !r->keep(r->context, cell, unit, r->number))) return ARNE_OK;

    const int column = arne_table_columns(r->table);
    double   *factors = realloc(l->factor, ((size_t)column + 1) * sizeof *factors);
    if (!factors) return arne_fail_memory(r->error);
    l->factor = factors;
    factors[column] = si ? factor : 1;
    place[l->place_count - 1] = column;
    const arne_status status = arne_table_add_column(r->table, cell, unit);
    if (status == ARNE_VALUE)
        return arne_fail(r->error, ARNE_VALUE, r->path, r->number, "column '%s' is there twice",
                         cell);
    return status ? arne_fail_memory(r->error) : ARNE_OK;
}

// Columns 1, 2, ..., as many as a line has.
static arne_status number_columns(csv_reader *r, char *rest)
{
    arne_status status = ARNE_OK;
    for (int count = 1; rest && !status; count++) {
        char name[24];
        snprintf(name, sizeof name, "%d", count);
        (void)csv_next_cell(r->layout.separator, &rest);
        status = place_column(r, name);
    }
    return status;
}

// Found or not: *found stays 0 where only idle lines were there.
static arne_status take_header(csv_reader *r, const char *end, int *found)
{
    char       *rest;
    arne_status status = next_line(r, end, &rest);
    if (status || !rest) return status;
    *found = 1;
    r->table->header_line = r->number;
    r->layout.separator = find_separator(rest);
    if (r->listener && r->listener->no_header) return number_columns(r, rest);
    while (rest && !status)
        status = place_column(r, csv_next_cell(r->layout.separator, &rest));
    return status;
}

// Without a header the first line stays what it is, a row.
static arne_status read_header(csv_reader *r, const char *end, int *found)
{
    const size_t from = r->at, size = (size_t)(end - r->text) - from;
    const int    number = r->number, keeps = r->listener && r->listener->no_header;
    char        *before = keeps ? malloc(size + 1) : NULL;
    if (keeps && !before) return arne_fail_memory(r->error);
    if (keeps) memcpy(before, r->text + from, size);
    arne_status status = take_header(r, end, found);
    if (keeps && *found) {
        memcpy(r->text + from, before, size);
        r->at = from;
        r->number = number;
    }
    free(before);
    r->layout.column_count = arne_table_columns(r->table);
    if (!status && *found && r->listener)
        status = r->listener->begin(r->listener->context, r->table, r->table->header_line);
    return status;
}

// --- rows --------------------------------------------------------------------------------------

static void take_piece(void *context, int worker, size_t piece)
{
    csv_reader *r = context;
    (void)worker;
    csv_rows_take(&r->layout, r->cut[piece], r->cut[piece + 1], &r->rows[piece]);
}

// Threads that cannot be had are done without.
static void start_threads(csv_reader *r, size_t size)
{
    const int processors = pool_processors();
    if (r->threads || size < 2 * (size_t)PIECE || processors < 2) return;
    if (pool_new(processors < PIECES_MOST ? processors : PIECES_MOST, &r->threads))
        r->threads = NULL;
}

// Whole lines each, of about the same size.
static void cut_pieces(csv_reader *r, char *end)
{
    char        *begin = r->text + r->at;
    const size_t size = (size_t)(end - begin), most = r->threads ? PIECES_MOST : 1;
    const size_t count = size / PIECE < 1 ? 1 : size / PIECE < most ? size / PIECE : most;
    r->piece_count = (int)count;
    r->cut[0] = begin;
    for (size_t i = 1; i < count; i++) {
        char *at = begin + size / count * i;
        if (at < r->cut[i - 1]) at = r->cut[i - 1];
        char *newline = memchr(at, '\n', (size_t)(end - at));
        r->cut[i] = newline ? newline + 1 : end;
    }
    r->cut[count] = end;
}

// Room for more rows and their lines, twice as much each time.
static arne_status reserve(csv_reader *r, int more)
{
    arne_table *t = r->table;
    if (more > INT_MAX / 2 - 64 - t->row_count)
        return fail_line(r, ARNE_TOO_LARGE, "there are too many rows");
    if (t->row_count + more <= t->row_room && t->lines) return ARNE_OK;
    const int   twice = t->row_room < INT_MAX / 4 ? 2 * t->row_room : INT_MAX / 2;
    const int   room = t->row_count + more > twice ? t->row_count + more : twice;
    arne_status status = arne_table_reserve(t, room);
    if (status == ARNE_TOO_LARGE) return fail_line(r, status, "there are too many rows");
    int *lines = status ? NULL : realloc(t->lines, sizeof *lines * ((size_t)room + 1));
    if (!lines) return arne_fail_memory(r->error);
    t->lines = lines;
    return ARNE_OK;
}

static arne_status csv_hand_on(csv_reader *r, const csv_rows *rows)
{
    const csv_listener *l = r->listener;
    const size_t        width = (size_t)r->table->column_count;
    arne_status         status = ARNE_OK;
    for (int i = 0; i < rows->count && !status; i++) {
        const double *row = rows->values + (size_t)i * width;
        int           missing = 0;
        for (size_t c = 0; c < width; c++)
            missing |= isnan(row[c]);
        status = l->take(l->context, r->table, missing ? NULL : row, r->number + rows->lines[i]);
    }
    return status;
}

static arne_status store(csv_reader *r, const csv_rows *rows)
{
    arne_table       *t = r->table;
    const size_t      width = (size_t)t->column_count;
    const arne_status status = reserve(r, rows->count);
    if (status) return status;
    if (width && rows->count)
        memcpy(t->values + width * (size_t)t->row_count, rows->values,
               width * (size_t)rows->count * sizeof *t->values);
    for (int i = 0; i < rows->count; i++)
        t->lines[t->line_count++] = r->number + rows->lines[i];
    t->row_count += rows->count;
    return ARNE_OK;
}

static arne_status csv_append(csv_reader *r, const csv_rows *rows)
{
    const arne_status status = r->listener ? csv_hand_on(r, rows) : store(r, rows);
    if (status) return status;
    if (rows->status) {
        if (r->error) *r->error = rows->error;
        if (r->error && rows->error.line) r->error->line += r->number;
    }
    r->number += rows->line_count;
    return rows->status;
}

static arne_status csv_read_rows(csv_reader *r, char *end)
{
    arne_status status = ARNE_OK;
    if (r->text + r->at >= end) return ARNE_OK;
    start_threads(r, (size_t)(end - r->text));
    cut_pieces(r, end);
    if (r->threads)
        pool_run(r->threads, (size_t)r->piece_count, take_piece, r);
    else
        take_piece(r, 0, 0);
    for (int i = 0; i < r->piece_count && !status; i++)
        status = csv_append(r, &r->rows[i]);
    r->at = (size_t)(end - r->text);
    return status;
}

static arne_status csv_read_table(csv_reader *r)
{
    int         has_header = 0;
    arne_status status = arne_table_new(&r->table);
    if (status) return arne_fail_memory(r->error);
    while (!status && !r->at_end) {
        char *end = NULL;
        status = next_block(r, &end);
        if (!status && !has_header) status = read_header(r, end, &has_header);
        if (!status && has_header) status = csv_read_rows(r, end);
    }
    if (!status && !has_header) status = fail_line(r, ARNE_SYNTAX, "there is no header line");
    return status;
}

static arne_status csv_read_all(csv_reader *r, arne_table **out)
{
    const arne_status status = csv_read_table(r);
    pool_free(r->threads);
    free(r->text);
    free(r->layout.place);
    free(r->layout.factor);
    for (int i = 0; i < PIECES_MOST; i++)
        csv_rows_free(&r->rows[i]);
    if (status || !out)
        arne_table_free(r->table);
    else
        *out = r->table;
    return status;
}

arne_status arne_csv_read(FILE *stream, const char *path, arne_column_fn keep, void *context,
                          arne_table **out, arne_error *error)
{
    csv_reader r = {.path = path,
                    .error = error,
                    .keep = keep,
                    .context = context,
                    .stream = stream,
                    .layout = {.path = path}};
    return csv_read_all(&r, out);
}

// Opens a file; one of OpenSim's tables is read as the CSV that it becomes, which is in `made`.
static FILE *csv_open(csv_reader *r, buffer *made, arne_status *status)
{
    const reader load = {.file = r->path, .error = r->error};
    char        *text = NULL;
    size_t       size = 0;
    FILE        *stream = NULL;
    *status = ARNE_OK;
    if (storage_is(r->path)) {
        *status = arne_reader_load(&load, &text, &size);
        if (!*status) *status = storage_to_csv(r->path, text, size, made, r->error);
        if (!*status) stream = fmemopen(made->text, made->size, "rb");
        r->layout.skips_missing = 1;
        free(text);
    } else {
        stream = fopen(r->path, "rb");
    }
    if (!*status && !stream) *status = csv_fail_read(r, errno);
    return stream;
}

arne_status arne_csv_each(const char *path, arne_column_fn keep, const csv_listener *listener,
                          arne_error *error)
{
    csv_reader  r = {.path = path,
                     .error = error,
                     .keep = keep,
                     .context = listener->context,
                     .listener = listener,
                     .layout = {.path = path, .skips_missing = 1}};
    buffer      made = {0};
    arne_status status;
    r.stream = csv_open(&r, &made, &status);
    if (r.stream) status = csv_read_all(&r, NULL);
    if (r.stream) fclose(r.stream);
    buffer_free(&made);
    return status;
}

arne_status arne_table_read_csv_columns(const char *path, arne_column_fn keep, void *context,
                                        arne_table **out, arne_error *error)
{
    arne_error_clear(error);
    if (!path || !out) return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "path or out is NULL");
    *out = NULL;
    if (strcmp(path, "-") == 0) return arne_csv_read(stdin, "stdin", keep, context, out, error);
    csv_reader r = {
        .path = path, .error = error, .keep = keep, .context = context, .layout = {.path = path}};
    buffer      made = {0};
    arne_status status;
    r.stream = csv_open(&r, &made, &status);
    if (r.stream) status = csv_read_all(&r, out);
    if (r.stream) fclose(r.stream);
    buffer_free(&made);
    return status;
}

arne_status arne_table_read_csv(const char *path, arne_table **out, arne_error *error)
{
    return arne_table_read_csv_columns(path, NULL, NULL, out, error);
}
