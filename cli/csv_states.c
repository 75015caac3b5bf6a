#include "csv_states.h"

#include "message.h"

#include <arne/io.h>
#include <arne/table.h>
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
    char         text[ARNE_NUMBER_SIZE + 1] = ",";
    const size_t length = 1 + arne_print_number(value, text + 1);
    fwrite(text + first, 1, length - (size_t)first, out);
}

// --- reading -----------------------------------------------------------------------------------

// Where the numbers of a column of the table go: part[i] of a state.
typedef struct column {
    int part, index;
} column;

typedef struct reader {
    const arne_robot  *robot;
    const ordering    *order;
    const csv_request *request;
    column            *columns;
    int                column_count;
    int                code; // not EXIT_FINE: a column cannot be placed, and that was said
} reader;

// Which of `words` a column's name begins with, or -1; *rest follows the dot.
static int begins_with(const char *name, const char *const *words, int count, const char **rest)
{
    for (int p = 0; p < count; p++) {
        const size_t length = strlen(words[p]);
        if (strncmp(name, words[p], length) == 0 && name[length] == '.') {
            *rest = name + length + 1;
            return p;
        }
    }
    return -1;
}

typedef struct name_table {
    char *const *name;
    size_t       skip; // "theta." where that has been read
} name_table;

static const char *table_name(const void *table, int index)
{
    const name_table *t = table;
    return t->name[index] + t->skip;
}

// The part that a column's name begins with ("qd." is PART_QD, and so is "thetad."), or -1; *rest follows the dot.
static int part_of(const char *name, const char **rest, int *theta)
{
    const int part = begins_with(name, part_name, PART_COUNT, rest);
    *theta = part < 0;
    return part < 0 ? begins_with(name, theta_part_name, BASE_PARTS, rest) : part;
}

// A mimic joint has no entry in q, but programs that record states may write it.
static int is_mimic(const arne_robot *robot, const char *name)
{
    const int joint = arne_find_joint(robot, name);
    return joint >= 0 && arne_robot_joint(robot, joint).mimic >= 0;
}

static int is_time(const char *name) { return !strcmp(name, "t") || !strcmp(name, "time"); }

static int is_coordinate(const ordering *order, const char *name)
{
    for (int i = 0; i < order->q_count - order->theta_count; i++)
        if (strcmp(order->q_name[i], name) == 0) return 1;
    return 0;
}

static int place_column(const reader *r, const char *name, int line, column *out)
{
    const char *rest, *file = r->request->file;
    int         theta;
    int         part = part_of(name, &rest, &theta);
    *out = (column){.part = -1};
    if (part < 0 && is_time(name)) return EXIT_FINE;
    if (part < 0 && is_coordinate(r->order, name)) { // the plain name of a joint: its position
        part = PART_Q;
        rest = name;
        theta = 0;
    }
    if (part < 0) {
        say("warning: %s:%d: column '%s' is not used", file, line, name);
        return EXIT_FINE;
    }
    const int        total = part == PART_Q ? r->order->q_count : r->order->v_count;
    const int        first = theta ? total - r->order->theta_count : 0, count = total - first;
    const int       *index = (part == PART_Q ? r->order->q : r->order->v) + first;
    const name_table names = {(part == PART_Q ? r->order->q_name : r->order->v_name) + first,
                              theta ? strlen("theta.") : 0};
    for (int i = 0; i < count; i++)
        if (strcmp(table_name(&names, i), rest) == 0) {
            *out = (column){.part = part, .index = index[i]};
            return EXIT_FINE;
        }
    if (is_mimic(r->robot, rest)) {
        say("warning: %s:%d: column '%s' is not used: a mimic joint follows another", file, line,
            name);
        return EXIT_FINE;
    }
    char buffer[512];
    near_matches(rest, table_name, &names, count, buffer, sizeof buffer);
    return fail_data("%s:%d: column '%s' names no joint coordinate%s", file, line, name, buffer);
}

// The unit that a column must have: known ones are SI by now.
static const char *wanted_unit(const reader *r, const column *c)
{
    const int joints = arne_robot_sizes(r->robot).joint_count;
    const int order = c->part == PART_TAU ? ARNE_UNIT_TAU : c->part;
    for (int i = 0; i < joints; i++) {
        const arne_joint_info j = arne_robot_joint(r->robot, i);
        const int             first = c->part == PART_Q ? j.q_start : j.v_start;
        const int             count = c->part == PART_Q ? j.q_count : j.v_count;
        if (c->index >= first && c->index < first + count)
            return arne_joint_unit(&j, c->index - first, order);
    }
    for (int i = 0; i < arne_robot_sizes(r->robot).motor_count; i++) { // theta: as its joint
        const arne_motor_info m = arne_robot_motor(r->robot, i);
        const arne_joint_info j = arne_robot_joint(r->robot, m.joint);
        if ((c->part == PART_Q ? m.q_index : m.v_index) == c->index)
            return arne_joint_unit(&j, 0, order);
    }
    return "";
}

static int check_unit(const reader *r, const char *name, const char *unit, int line,
                      const column *c)
{
    const char *wanted = wanted_unit(r, c);
    if (!*unit || !strcmp(unit, "-") || strcmp(unit, wanted) == 0) return EXIT_FINE;
    return fail_data("%s:%d: column '%s' has the unit '%s'; it must be %s, or a unit that can be "
                     "converted to it",
                     r->request->file, line, name, unit, *wanted ? wanted : "without a unit");
}

// Whether the table is to hold a column: where it has a place, which is noted.
static int keep_column(void *context, const char *name, const char *unit, int line)
{
    reader *r = context;
    column  c;
    if (r->code != EXIT_FINE) return 0; // one complaint is enough
    r->code = place_column(r, name, line, &c);
    if (r->code != EXIT_FINE || c.part < 0) return 0;
    r->code = check_unit(r, name, unit, line, &c);
    if (r->code != EXIT_FINE) return 0;
    r->columns = need_more(r->columns, (size_t)r->column_count + 1, sizeof *r->columns);
    r->columns[r->column_count++] = c;
    return 1;
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
    if (needs->parts & NEED_DRIVEN && (part == PART_QDD || part == PART_TAU))
        return needs->given[index];
    if (needs->given && part == PART_QDD) return needs->given[index];
    if (needs->given && part == PART_TAU) return !needs->given[index];
    return 1;
}

// Every part that is needed must be complete.
static int check_columns(const reader *r, int line)
{
    const csv_request *request = r->request;
    for (int p = 0; p < PART_COUNT; p++) {
        const int  total = p == PART_Q ? r->order->q_count : r->order->v_count;
        const int  count = total - r->order->theta_count; // motors have a default
        const int  base = p == PART_Q ? r->order->base_q : r->order->base_v;
        const int *index = p == PART_Q ? r->order->q : r->order->v;
        char     **name = p == PART_Q ? r->order->q_name : r->order->v_name;

        const unsigned char *passive = p == PART_Q ? r->order->q_passive : r->order->v_passive;
        for (int i = 0; i < count; i++) {
            if (has_column(r, p, index[i]) || !is_needed(request->needs, p, index[i])) continue;
            if (p < BASE_PARTS && request->base_given[p] && i < base) continue;
            if (passive && passive[i]) continue; // it follows from the others
            return fail_data("%s:%d: column '%s.%s' is missing; %s needs it", request->file, line,
                             part_name[p], name[i], request->needs->why);
        }
    }
    return EXIT_FINE;
}

// The parts of which some passive entry has no column.
static unsigned partial_parts(const reader *r)
{
    unsigned partial = 0;
    for (int p = 0; p < PART_COUNT && r->order->q_passive; p++) {
        const int            count = p == PART_Q ? r->order->q_count : r->order->v_count;
        const int           *index = p == PART_Q ? r->order->q : r->order->v;
        const unsigned char *passive = p == PART_Q ? r->order->q_passive : r->order->v_passive;
        for (int i = 0; i < count; i++)
            if (passive[i] && !has_column(r, p, index[i])) partial |= 1u << p;
    }
    return partial;
}

static int take_row(const reader *r, const arne_table *table, int row, const state *s)
{
    const double *value = arne_table_row(table, row);
    char          where[512];
    for (int i = 0; i < r->column_count; i++)
        s->part[r->columns[i].part][r->columns[i].index] = value[i];
    if (quaternions_are_unit(r->robot, s->part[PART_Q])) return EXIT_FINE;
    snprintf(where, sizeof where, "%s:%d", r->request->file, arne_table_line(table, row));
    return check_quaternions(r->robot, s->part[PART_Q], where);
}

// Numbers that are far outside a joint's range are most often degrees. One warning for all.
static void ask_about_degrees(const reader *r, const arne_table *table)
{
    for (int c = 0; c < r->column_count; c++) {
        const column *at = &r->columns[c];
        if (at->part != PART_Q || strcmp(wanted_unit(r, at), "rad") != 0) continue;
        for (int i = 0; i < arne_robot_sizes(r->robot).joint_count; i++) {
            const arne_joint_info j = arne_robot_joint(r->robot, i);
            const double          most = fmax(fabs(j.lower), fabs(j.upper));
            if (j.q_count != 1 || j.q_start != at->index || !isfinite(most)) continue;
            for (int row = 0; row < arne_table_rows(table); row++) {
                const double q = arne_table_row(table, row)[c];
                if (fabs(q) <= 3 * fmax(most, 1)) continue;
                say("warning: %s:%d: %s is %g rad, far outside its limits [%g, %g]; if these are "
                    "degrees, write '%s [deg]' in the header",
                    r->request->file, arne_table_line(table, row), arne_table_name(table, c), q,
                    j.lower, j.upper, arne_table_name(table, c));
                return;
            }
        }
    }
}

static int take_table(const reader *r, const arne_table *table, state_list *out)
{
    int code = check_columns(r, arne_table_line(table, -1));
    if (code == EXIT_FINE) ask_about_degrees(r, table);
    if (code == EXIT_FINE && !arne_table_rows(table))
        return fail_data("%s:%d: there is no state below the header", r->request->file,
                         arne_table_line(table, -1));
    if (code != EXIT_FINE) return code;
    const unsigned partial = partial_parts(r);
    states_new(r->robot, arne_table_rows(table), out);
    for (int i = 0; i < out->count && code == EXIT_FINE; i++) {
        out->item[i].partial = partial;
        code = take_row(r, table, i, &out->item[i]);
    }
    return code;
}

int csv_read_states(const arne_robot *robot, const ordering *order, const csv_request *request,
                    state_list *out)
{
    reader            r = {.robot = robot, .order = order, .request = request, .code = EXIT_FINE};
    arne_table       *table = NULL;
    arne_error        error;
    const arne_status status =
        arne_table_read_csv_columns(request->file, keep_column, &r, &table, &error);
    int code = r.code;
    if (code == EXIT_FINE && status) code = fail_error(request->file, status, &error);
    if (code == EXIT_FINE) code = take_table(&r, table, out);
    arne_table_free(table);
    free(r.columns);
    return code;
}
