#include "io/storage.h"

#include "base/error.h"
#include "base/plain.h"
#include "io/number.h"
#include "io/unit.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_MOST = 1024, TRC_LEAD = 2 }; // bytes of a name; cells before the first marker

static const double TRC_ROUNDING = 6e-4; // s: times in .trc files have three decimals

typedef struct storage {
    const char *path, *at, *end;
    int         line;
    buffer     *out;
    arne_error *error;
    int         degrees;
    double      rows; // that the header says; NAN: it does not
} storage;

typedef struct piece { // of a line
    const char *from, *to;
} piece;

int storage_is(const char *path)
{
    static const char *const endings[] = {".mot", ".sto", ".trc"};
    const char              *dot = strrchr(path, '.');
    for (int i = 0; dot && i < 3; i++)
        if (plain_same(dot, endings[i])) return 1;
    return 0;
}

// ---- lines and cells

static piece piece_trim(piece p)
{
    while (p.from < p.to && plain_is_space(*p.from))
        p.from++;
    while (p.to > p.from && plain_is_space(p.to[-1]))
        p.to--;
    return p;
}

static int piece_is(piece p, const char *word)
{
    const size_t size = strlen(word);
    if ((size_t)(p.to - p.from) != size) return 0;
    for (size_t i = 0; i < size; i++)
        if (plain_lower(p.from[i]) != plain_lower(word[i])) return 0;
    return 1;
}

// The next line; 0 at the end.
static int storage_line(storage *s, piece *out)
{
    if (s->at >= s->end) return 0;
    const char *newline = memchr(s->at, '\n', (size_t)(s->end - s->at));
    *out = (piece){s->at, newline ? newline : s->end};
    if (out->to > out->from && out->to[-1] == '\r') out->to--;
    s->at = newline ? newline + 1 : s->end;
    s->line++;
    return 1;
}

static arne_status storage_fail(const storage *s, const char *text)
{
    return arne_fail(s->error, ARNE_SYNTAX, s->path, s->line ? s->line : 1, "%s", text);
}

// Cuts a cell off: up to a tab, or a word up to any space.
static int piece_cut(piece *rest, int tabs, piece *out)
{
    if (!tabs) *rest = piece_trim(*rest);
    if (rest->from > rest->to || (!tabs && rest->from == rest->to)) return 0;
    const char *p = rest->from;
    while (p < rest->to && (tabs ? *p != '\t' : !plain_is_space(*p)))
        p++;
    *out = piece_trim((piece){rest->from, p});
    rest->from = p + 1;
    return 1;
}

static double piece_number(piece p)
{
    char        text[64];
    const char *at = text, *why;
    double      value = NAN;
    if (p.to == p.from || p.to - p.from >= (int)sizeof text) return NAN;
    memcpy(text, p.from, (size_t)(p.to - p.from));
    text[p.to - p.from] = 0;
    return arne_number_decimal(&at, &value, &why) || *at ? NAN : value;
}

static void put_cell(buffer *out, piece cell, int first)
{
    if (!first) put(out, ",");
    if (cell.to == cell.from)
        put(out, "nan");
    else
        put_bytes(out, cell.from, (size_t)(cell.to - cell.from));
}

static void storage_own_put_label(buffer *out, const char *name, const char *unit, int first)
{
    put(out, first ? "\"" : ",\"");
    for (const char *p = name; *p; p++)
        put(out, *p == '"' ? "\"\"" : "%c", *p);
    put(out, *unit ? " [%s]\"" : "\"", unit);
}

// ---- .mot and .sto

static void storage_key(storage *s, piece line)
{
    const piece line_trimmed = piece_trim(line);
    const char *equals =
        memchr(line_trimmed.from, '=', (size_t)(line_trimmed.to - line_trimmed.from));
    if (!equals) return;
    const piece key = piece_trim((piece){line_trimmed.from, equals});
    const piece value = piece_trim((piece){equals + 1, line_trimmed.to});
    if (piece_is(key, "indegrees")) s->degrees = piece_is(value, "yes");
    if (piece_is(key, "nrows")) s->rows = piece_number(value);
}

// A file that ends before its header says was cut.
static arne_status storage_check_rows(const storage *s, int rows)
{
    if (!(rows < s->rows)) return ARNE_OK;
    return arne_fail(s->error, ARNE_SYNTAX, s->path, s->line,
                     "the file ends after %d of %.0f rows that its header says", rows, s->rows);
}

// A label as a name, and its unit.
static void storage_label(storage *s, piece label, int first)
{
    char        name[LABEL_MOST], own[LABEL_MOST];
    const char *unit = "";
    snprintf(name, sizeof name, "%.*s", (int)(label.to - label.from), label.from);
    snprintf(own, sizeof own, "%s", name);
    char *last = strrchr(own, '/');
    if (strncmp(own, "/jointset/", 10) == 0 && last > own + 10) {
        const int speed = strcmp(last, "/speed") == 0;
        *last = 0;
        if (speed || strcmp(last + 1, "value") == 0)
            snprintf(name, sizeof name, "%s%.1000s", speed ? "qd." : "", strrchr(own, '/') + 1);
    }
    const int time = plain_same(name, "time");
    if (time)
        unit = "s";
    else if (s->degrees && !strstr(name, "force") && !strstr(name, "torque") &&
             !strstr(name, "moment"))
        unit = ARNE_UNIT_DEGREES;
    storage_own_put_label(s->out, time ? "time" : name, unit, first);
}

static arne_status storage_motion(storage *s)
{
    piece line, cell;
    int   found = 0;
    while (!found && storage_line(s, &line)) {
        found = piece_is(piece_trim(line), "endheader");
        storage_key(s, line);
        put(s->out, "#\n");
    }
    if (!found) return storage_fail(s, "the header has no line 'endheader'");
    do { // empty lines may follow
        if (!storage_line(s, &line)) return storage_fail(s, "there is no line of labels");
        line = piece_trim(line);
        if (line.from == line.to) put(s->out, "\n");
    } while (line.from == line.to);
    const int tabs = memchr(line.from, '\t', (size_t)(line.to - line.from)) != NULL;
    for (int i = 0; piece_cut(&line, tabs, &cell); i++)
        storage_label(s, cell, i == 0);
    put(s->out, "\n");
    int rows = 0;
    while (storage_line(s, &line)) {
        int cells = 0;
        while (piece_cut(&line, 0, &cell))
            put_cell(s->out, cell, cells++ == 0);
        put(s->out, "\n");
        rows += cells > 0;
    }
    return storage_check_rows(s, rows);
}

// ---- .trc

typedef struct trc {
    double rate;
    char   unit[16];
    int    markers;
    double frame, time; // of the first row
    int    rows;
} trc;

// Values of the third line by the names of the second.
static void trc_values(storage *s, trc *t, piece names, piece values)
{
    piece name, value;
    while (piece_cut(&names, 1, &name) && piece_cut(&values, 1, &value)) {
        if (piece_is(name, "datarate")) t->rate = piece_number(value);
        if (piece_is(name, "numframes")) s->rows = piece_number(value);
        if (piece_is(name, "units"))
            snprintf(t->unit, sizeof t->unit, "%.*s", (int)(value.to - value.from), value.from);
    }
}

static void trc_labels(storage *s, trc *t, piece line)
{
    static const char axes[] = "xyz";
    piece             cell;
    put(s->out, "time [s]");
    for (int i = 0; piece_cut(&line, 1, &cell); i++) {
        if (i < TRC_LEAD || cell.from == cell.to) continue;
        for (int k = 0; k < 3; k++) {
            char name[LABEL_MOST];
            snprintf(name, sizeof name, "%.*s.%c", (int)(cell.to - cell.from), cell.from, axes[k]);
            storage_own_put_label(s->out, name, t->unit, 0);
        }
        t->markers++;
    }
    put(s->out, "\n");
}

// The time of a frame. It is rounded in the file: frames and rate say it exactly.
static double trc_time(trc *t, double frame, double time)
{
    if (!t->rows++) {
        t->frame = frame;
        t->time = time;
    }
    const double exact = t->time + (frame - t->frame) / t->rate;
    return t->rate > 0 && fabs(exact - time) < TRC_ROUNDING ? exact : time;
}

static arne_status trc_row(storage *s, trc *t, piece line)
{
    piece frame, time, cell;
    if (!piece_cut(&line, 1, &frame) || !piece_cut(&line, 1, &time) ||
        !isfinite(piece_number(frame)) || !isfinite(piece_number(time)))
        return storage_fail(s, "a row begins with the number of the frame and its time");
    put_shortest(s->out, trc_time(t, piece_number(frame), piece_number(time)));
    for (int i = 0; i < 3 * t->markers; i++) { // cells that are left off at the end are missing
        if (!piece_cut(&line, 1, &cell)) cell = (piece){line.to, line.to};
        put_cell(s->out, cell, 0);
    }
    while (piece_cut(&line, 1, &cell))
        if (cell.from != cell.to) return storage_fail(s, "the row has more cells than the header");
    put(s->out, "\n");
    return ARNE_OK;
}

static arne_status storage_markers(storage *s)
{
    trc         t = {0};
    piece       line, names, values;
    double      factor;
    arne_status status = ARNE_OK;
    if (!storage_line(s, &line) || !storage_line(s, &names) || !storage_line(s, &values))
        return storage_fail(s, "the header of a .trc file has five lines");
    trc_values(s, &t, names, values);
    if (!unit_to_si(t.unit, &factor))
        return storage_fail(s, "the header names no unit of length that is known (Units: mm, m)");
    put(s->out, "#\n#\n#\n");
    if (!storage_line(s, &line)) return storage_fail(s, "there is no line of labels");
    trc_labels(s, &t, line);
    while (!status && storage_line(s, &line)) {
        const piece words = piece_trim(line);
        const int   idle = words.from == words.to || plain_lower(*words.from) == 'x';
        if (idle)
            put(s->out, "\n"); // X1 Y1 Z1 ...
        else
            status = trc_row(s, &t, line);
    }
    return status ? status : storage_check_rows(s, t.rows);
}

arne_status storage_to_csv(const char *path, const char *text, size_t size, buffer *out,
                           arne_error *error)
{
    storage s = {
        .path = path, .at = text, .end = text + size, .out = out, .error = error, .rows = NAN};
    const char *dot = strrchr(path, '.');
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) s.at += 3;
    if (memchr(text, 0, size)) return storage_fail(&s, "is not text");
    const arne_status status = plain_same(dot, ".trc") ? storage_markers(&s) : storage_motion(&s);
    return status ? status : out->failed ? arne_fail_memory(error) : ARNE_OK;
}

// ---- writing

static void storage_put_label(buffer *out, const char *name, const char *unit)
{
    if (strncmp(name, "q.", 2) == 0)
        put(out, "%s", name + 2);
    else if (strncmp(name, "tau.", 4) == 0)
        put(out, "%s_%s", name + 4, strcmp(unit, "N") == 0 ? "force" : "moment");
    else
        put(out, "%s", name);
}

void storage_put(const arne_table *table, const char *name, buffer *out)
{
    const int rows = arne_table_rows(table), columns = arne_table_columns(table);
    put(out, "%s\nversion=1\nnRows=%d\nnColumns=%d\ninDegrees=no\nendheader\n", name, rows,
        columns);
    for (int c = 0; c < columns; c++) {
        if (c) put(out, "\t");
        storage_put_label(out, arne_table_name(table, c), arne_table_unit(table, c));
    }
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            const double value = arne_table_row(table, r)[c];
            put(out, c ? "\t" : "\n");
            if (isfinite(value))
                put_shortest(out, value);
            else
                put(out, "nan");
        }
    put(out, "\n");
}
