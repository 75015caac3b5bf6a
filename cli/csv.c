#include "csv.h"

#include "message.h"

#include <arne/io.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- writing -----------------------------------------------------------------------------------

void csv_text(FILE *out, int first, const char *text)
{
    if (!first) fputc(',', out);
    if (!strpbrk(text, ",\"\r\n") && text[0] != ' ') {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const char *c = text; *c; c++) {
        if (*c == '"') fputc('"', out);
        fputc(*c, out);
    }
    fputc('"', out);
}

void csv_number(FILE *out, int first, double value)
{
    fprintf(out, first ? "%.17g" : ",%.17g", value);
}

// --- reading -----------------------------------------------------------------------------------

// A line longer than this is no row of numbers.
enum { LINE_MOST = 16 << 20 };

// Where the numbers of a column go: part[i] of a state, or nowhere (part -1).
typedef struct column {
    int part, index;
} column;

typedef struct reader {
    const arne_robot  *robot;
    const ordering    *order;
    const csv_request *request;
    FILE              *stream;
    char              *line;
    size_t             capacity;
    int                number; // of the line, from 1
    const char        *bad;    // what is wrong with it as text
    column            *columns;
    int                column_count;
} reader;

// One line into r->line, without its end. Returns its length, or -1 at the end of the file and
// where r->bad says why.
static long read_line(reader *r)
{
    size_t length = 0;
    int    c = getc(r->stream);
    if (c == EOF) return -1;
    r->number++;
    for (; c != EOF && c != '\n'; c = getc(r->stream)) {
        if (c == 0) r->bad = "is not text";
        if (length == LINE_MOST) r->bad = "the line is too long";
        if (r->bad) return -1;
        if (length + 1 >= r->capacity) {
            r->capacity = 2 * r->capacity + 256;
            r->line = need_more(r->line, r->capacity, 1);
        }
        r->line[length++] = (char)c;
    }
    if (length + 1 >= r->capacity) r->line = need_more(r->line, r->capacity = length + 256, 1);
    if (length && r->line[length - 1] == '\r') length--;
    r->line[length] = '\0';
    return (long)length;
}

// The next line that says something; NULL at the end of the file.
static char *next_line(reader *r)
{
    while (read_line(r) >= 0) {
        char *text = r->line;
        if (r->number == 1 && strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
        if (text[strspn(text, " \t")] != '\0' && text[0] != '#') return text;
    }
    return NULL;
}

// Cuts the next cell off *rest, in place, without quotes and the blanks around it.
static char *next_cell(char **rest)
{
    char *from = *rest + strspn(*rest, " \t"), *to, *cell;
    if (*from != '"') {
        cell = from;
        from += strcspn(from, ",");
        to = from;
        while (to > cell && strchr(" \t", to[-1]))
            to--;
    } else {
        cell = to = ++from;
        while (*from && (*from != '"' || from[1] == '"')) {
            if (*from == '"') from++;
            *to++ = *from++;
        }
        from += strcspn(from, ",");
    }
    *rest = *from ? from + 1 : NULL;
    *to = '\0';
    return cell;
}

// "q.j1 [rad]" and "q.j1" are the same column.
static void cut_unit(char *name)
{
    const size_t length = strlen(name);
    char        *open = strrchr(name, '[');
    if (!length || name[length - 1] != ']' || !open || open == name) return;
    while (open > name && strchr(" \t", open[-1]))
        open--;
    *open = '\0';
}

// The part that a column's name begins with ("qd." is PART_QD), or -1; *rest follows the dot.
static int part_of(const char *name, const char **rest)
{
    for (int p = 0; p < PART_COUNT; p++) {
        const size_t length = strlen(part_name[p]);
        if (strncmp(name, part_name[p], length) == 0 && name[length] == '.') {
            *rest = name + length + 1;
            return p;
        }
    }
    return -1;
}

typedef struct name_table {
    char *const *name;
} name_table;

static const char *table_name(const void *table, int index)
{
    return ((const name_table *)table)->name[index];
}

// A mimic joint has no entry in q, but programs that record states may write it.
static int is_mimic(const arne_robot *robot, const char *name)
{
    const int joint = arne_find_joint(robot, name);
    return joint >= 0 && arne_robot_joint(robot, joint).mimic >= 0;
}

static int place_column(const reader *r, const char *name, column *out)
{
    const char *rest, *file = r->request->file;
    const int   part = part_of(name, &rest);
    *out = (column){.part = -1};
    if (part < 0) {
        if (*name && strcmp(name, "t") != 0 && strcmp(name, "time") != 0)
            say("warning: %s:%d: column '%s' is not used", file, r->number, name);
        return EXIT_FINE;
    }
    const int        count = part == PART_Q ? r->order->q_count : r->order->v_count;
    const int       *index = part == PART_Q ? r->order->q : r->order->v;
    const name_table names = {part == PART_Q ? r->order->q_name : r->order->v_name};
    for (int i = 0; i < count; i++)
        if (strcmp(names.name[i], rest) == 0) {
            *out = (column){.part = part, .index = index[i]};
            return EXIT_FINE;
        }
    if (is_mimic(r->robot, rest)) {
        say("warning: %s:%d: column '%s' is not used: a mimic joint follows another", file,
            r->number, name);
        return EXIT_FINE;
    }
    char buffer[512];
    near_matches(rest, table_name, &names, count, buffer, sizeof buffer);
    return fail_data("%s:%d: column '%s' names no joint coordinate%s", file, r->number, name,
                     buffer);
}

static int has_column(const reader *r, int part, int index)
{
    int found = 0;
    for (int c = 0; c < r->column_count; c++)
        found += r->columns[c].part == part && r->columns[c].index == index;
    return found;
}

// Whether the number is to have a column, unless it is a free base's.
static int is_needed(const state_needs *needs, int part, int index)
{
    if (!(needs->parts & 1u << part)) return 0;
    if (needs->given && part == PART_QDD) return needs->given[index];
    if (needs->given && part == PART_TAU) return !needs->given[index];
    return 1;
}

// Every part that is needed must be complete, and no column may come twice.
static int check_columns(const reader *r)
{
    const csv_request *request = r->request;
    for (int p = 0; p < PART_COUNT; p++) {
        const int  count = p == PART_Q ? r->order->q_count : r->order->v_count;
        const int  base = p == PART_Q ? r->order->base_q : r->order->base_v;
        const int *index = p == PART_Q ? r->order->q : r->order->v;
        char     **name = p == PART_Q ? r->order->q_name : r->order->v_name;
        for (int i = 0; i < count; i++) {
            const int found = has_column(r, p, index[i]);
            if (found > 1)
                return fail_data("%s:%d: column '%s.%s' is there twice", request->file, r->number,
                                 part_name[p], name[i]);
            if (found || !is_needed(request->needs, p, index[i])) continue;
            if (p < BASE_PARTS && request->base_given[p] && i < base) continue;
            return fail_data("%s:%d: column '%s.%s' is missing; %s needs it", request->file,
                             r->number, part_name[p], name[i], request->needs->why);
        }
    }
    return EXIT_FINE;
}

// Why there is no further line: a failure, or the end, too early where `missing` is not NULL.
static int end_of_file(const reader *r, const char *missing)
{
    const char *file = r->request->file;
    if (r->bad) return fail_data("%s:%d: %s", file, r->number, r->bad);
    if (ferror(r->stream)) return fail_data("%s: cannot be read: %s", file, strerror(errno));
    return missing ? fail_data("%s:%d: %s", file, r->number > 0 ? r->number : 1, missing)
                   : EXIT_FINE;
}

static int read_header(reader *r)
{
    char *rest = next_line(r);
    if (!rest) return end_of_file(r, "there is no header line");
    while (rest) {
        char *name = next_cell(&rest);
        cut_unit(name);
        r->columns = need_more(r->columns, (size_t)r->column_count + 1, sizeof *r->columns);
        const int code = place_column(r, name, &r->columns[r->column_count++]);
        if (code != EXIT_FINE) return code;
    }
    return check_columns(r);
}

static int read_row(const reader *r, char *rest, const state *s)
{
    const char *file = r->request->file;
    int         count = 0;
    for (; rest; count++) {
        const char  *cell = next_cell(&rest);
        const column c = count < r->column_count ? r->columns[count] : (column){.part = -1};
        double       value;
        if (c.part < 0) continue;
        if (arne_parse_number(cell, &value) != ARNE_OK || !isfinite(value))
            return fail_data("%s:%d: column %d: '%s' is not a finite number", file, r->number,
                             count + 1, cell);
        s->part[c.part][c.index] = value;
    }
    if (count != r->column_count)
        return fail_data("%s:%d: %d values are needed, %d are given", file, r->number,
                         r->column_count, count);
    char where[512];
    snprintf(where, sizeof where, "%s:%d", file, r->number);
    return check_quaternions(r->robot, s->part[PART_Q], where);
}

static int read_rows(reader *r, state_list *out)
{
    int   code = EXIT_FINE;
    char *text;
    while (code == EXIT_FINE && (text = next_line(r)))
        code = read_row(r, text, states_add(r->robot, out));
    if (code == EXIT_FINE)
        code = end_of_file(r, out->count ? NULL : "there is no state below the header");
    return code;
}

int csv_read_states(const arne_robot *robot, const ordering *order, const csv_request *request,
                    state_list *out)
{
    reader r = {.robot = robot, .order = order, .request = request};
    r.stream = fopen(request->file, "rb");
    if (!r.stream) return fail_data("%s: cannot be read: %s", request->file, strerror(errno));
    int code = read_header(&r);
    if (code == EXIT_FINE) code = read_rows(&r, out);
    fclose(r.stream);
    free(r.line);
    free(r.columns);
    return code;
}
