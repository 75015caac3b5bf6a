#include "csv_states.h"

#include "csv_names.h"
#include "load.h"
#include "message.h"

#include <arne/configuration.h>
#include <arne/io.h>
#include <arne/motion.h>
#include <arne/table.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- reading -----------------------------------------------------------------------------------

// Where the numbers of a column of the table go: part[i] of a state, its time, or number i of its
// loads.
enum { COLUMN_TIME = PART_COUNT, COLUMN_LOAD };
typedef struct column {
    int part, index;
} column;

typedef struct reader {
    const arne_robot  *robot;
    const ordering    *order;
    const csv_request *request;
    column            *columns;
    int                column_count;
    int               *load_frame; // links with columns of loads
    int                load_count;
    spare_columns      spare, renamed;
    int                code; // not EXIT_FINE: a column cannot be placed, and that was reported
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

// The part that a column's name begins with ("qd." is PART_QD, and so is "thetad."), or -1; *rest
// follows the dot.
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

static int is_coordinate(const ordering *order, const char *name)
{
    for (int i = 0; i < order->q_count - order->theta_count; i++)
        if (strcmp(order->q_name[i], name) == 0) return 1;
    return 0;
}

// "t", and "time" in any case.
static int is_time(const char *name)
{
    static const char *const word = "time";
    size_t                   i = 0;
    while (word[i] && tolower((unsigned char)name[i]) == word[i])
        i++;
    return !strcmp(name, "t") || (!word[i] && !name[i]);
}

static int has_column(const reader *r, int part, int index)
{
    int found = 0;
    for (int c = 0; c < r->column_count; c++)
        found += r->columns[c].part == part && r->columns[c].index == index;
    return found;
}

// load.LINK.fx: a column for each of the six is made where the first of them is met.
static int place_load(reader *r, const char *name, int line, column *out)
{
    static const char *const entries[6] = {"fx", "fy", "fz", "mx", "my", "mz"};
    const char              *link = name + strlen("load."), *dot = strrchr(link, '.');
    const arne_sizes         sizes = arne_robot_sizes(r->robot);
    int                      k = 0, slot = 0, frame = 0;
    while (dot && k < 6 && strcmp(dot + 1, entries[k]) != 0)
        k++;
    if (!dot || k == 6)
        return fail_data("%s:%d: column '%s' must end in .fx, .fy, .fz, .mx, .my or .mz",
                         r->request->file, line, name);
    const size_t length = (size_t)(dot - link);
    while (frame < sizes.frame_count && (strncmp(frame_name(r->robot, frame), link, length) != 0 ||
                                         frame_name(r->robot, frame)[length]))
        frame++;
    if (frame == sizes.frame_count) {
        char *typed = need_copy(link, length), buffer[512];
        near_matches(typed, frame_name, r->robot, sizes.frame_count, buffer, sizeof buffer);
        free(typed);
        return fail_data("%s:%d: column '%s' names no link%s", r->request->file, line, name,
                         buffer);
    }
    while (slot < r->load_count && r->load_frame[slot] != frame)
        slot++;
    if (slot == r->load_count) {
        r->load_frame = need_more(r->load_frame, (size_t)slot + 1, sizeof *r->load_frame);
        r->load_frame[r->load_count++] = frame;
    }
    *out = (column){.part = COLUMN_LOAD, .index = 6 * slot + k};
    return EXIT_FINE;
}

static int place_column(reader *r, const char *name, int line, column *out)
{
    const char *rest, *file = r->request->file;
    int         theta;
    int         part = part_of(name, &rest, &theta);
    *out = (column){.part = -1};
    if (part < 0 && is_time(name)) {
        if (!has_column(r, COLUMN_TIME, 0)) out->part = COLUMN_TIME;
        return EXIT_FINE;
    }
    if (part < 0 && strncmp(name, "load.", 5) == 0) return place_load(r, name, line, out);
    if (part < 0 && is_coordinate(r->order, name)) { // the plain name of a joint: its position
        part = PART_Q;
        rest = name;
        theta = 0;
    }
    if (part < 0) {
        spare_add(&r->spare, name);
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
        warn("unused", "%s:%d: column '%s' is not used: a mimic joint follows another", file, line,
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
    if (c->part == COLUMN_TIME) return "s";
    if (c->part == COLUMN_LOAD) return c->index % 6 < 3 ? "N" : "N m";
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
    if (strcmp(unit, ARNE_UNIT_DEGREES) == 0 && c->part <= PART_QDDD) return EXIT_FINE;
    if (!*unit || !strcmp(unit, "-") || strcmp(unit, wanted) == 0) return EXIT_FINE;
    return fail_data("%s:%d: column '%s' has the unit '%s'; it must be %s, or a unit that can be "
                     "converted to it",
                     r->request->file, line, name, unit, *wanted ? wanted : "without a unit");
}

// Called for every column of the file: whether it is read. Notes where its numbers go.
static int keep_column(void *context, const char *name, const char *unit, int line)
{
    reader *r = context;
    column  c;
    char   *made;
    if (r->code != EXIT_FINE) return 0; // one complaint is enough
    r->code = place_column(r, column_called(r->request->columns, name, &made), line, &c);
    if (r->code == EXIT_FINE && c.part >= 0 && has_column(r, c.part, c.index))
        r->code = fail_data("%s:%d: column '%s' is there twice", r->request->file, line,
                            made ? made : name);
    if (made) spare_add(&r->renamed, name);
    free(made);
    if (r->code != EXIT_FINE || c.part < 0) return 0;
    r->code = check_unit(r, name, unit, line, &c);
    if (r->code != EXIT_FINE) return 0;
    r->columns = need_more(r->columns, (size_t)r->column_count + 1, sizeof *r->columns);
    r->columns[r->column_count++] = c;
    return 1;
}

// Whether the quantity that is computed takes this number. (Those of a free base have a default.)
static int is_needed(const state_needs *needs, int part, int index)
{
    if (!(needs->parts & 1u << part)) return 0;
    if (needs->parts & NEED_DRIVEN && (part == PART_QDD || part == PART_TAU))
        return needs->given[index];
    if (needs->given && part == PART_QDD) return needs->given[index];
    if (needs->given && part == PART_TAU) return !needs->given[index];
    return 1;
}

static int has_part(const reader *r, int part)
{
    for (int c = 0; c < r->column_count; c++)
        if (r->columns[c].part == part) return 1;
    return 0;
}

// Whether this part is found by differentiation: --differentiate, and no column has any of it.
static int found_by_differences(const reader *r, int part)
{
    return r->request->differentiate && (part == PART_QD || part == PART_QDD) && !has_part(r, part);
}

// Says which column is missing, with columns of similar names, or that --differentiate finds it.
static int missing_column(const reader *r, int part, const char *name, int line)
{
    char        wanted[256], near[512];
    const char *how = "";
    snprintf(wanted, sizeof wanted, "%s.%s", part_name[part], name);
    spare_like(&r->spare, wanted, part == PART_Q ? name : wanted, near, sizeof near);
    if (!*near && (part == PART_QD || part == PART_QDD) && !has_part(r, part) &&
        !r->request->differentiate)
        how = "; --differentiate finds it from the positions";
    return fail_data("%s:%d: column '%s' is missing; %s needs it%s%s", r->request->file, line,
                     wanted, r->request->needs->why, near, how);
}

// Every part that is needed must be complete.
static int check_columns(const reader *r, int line)
{
    const csv_request *request = r->request;
    for (int p = 0; p < PART_COUNT; p++) {
        if (found_by_differences(r, p)) continue;
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
            return missing_column(r, p, name[i], line);
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

static int take_row(const reader *r, const arne_table *table, int row, state *s, double *loads)
{
    const double *value = arne_table_row(table, row);
    char          where[512];
    for (int i = 0; i < r->column_count; i++) {
        const column *c = &r->columns[i];
        if (isnan(value[i]))
            return fail_data("%s:%d: a number of column '%s' is missing", r->request->file,
                             arne_table_line(table, row), arne_table_name(table, i));
        if (c->part == COLUMN_TIME)
            s->time = value[i];
        else if (c->part == COLUMN_LOAD)
            loads[c->index] = value[i];
        else
            s->part[c->part][c->index] = value[i];
    }
    if (quaternions_are_unit(r->robot, s->part[PART_Q])) return EXIT_FINE;
    snprintf(where, sizeof where, "%s:%d", r->request->file, arne_table_line(table, row));
    return check_quaternions(r->robot, s->part[PART_Q], where);
}

static int joint_at(const arne_robot *robot, int q_index, arne_joint_info *joint)
{
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        *joint = arne_robot_joint(robot, i);
        if (joint->q_count == 1 && joint->q_start == q_index) return 1;
    }
    return 0;
}

// Warns of the first column that looks like degrees. A joint with limits is checked in all rows;
// one without in the first row alone, as it may turn many times later.
static int csv_states_ask_about_degrees(const reader *r, const arne_table *table)
{
    for (int c = 0; c < r->column_count; c++) {
        arne_joint_info j;
        if (r->columns[c].part != PART_Q || !joint_at(r->robot, r->columns[c].index, &j)) continue;
        for (int row = 0; row < arne_table_rows(table); row++) {
            const double q = arne_table_row(table, row)[c];
            char         where[1024], how[300];
            if (arne_joint_degrees(&j, q) < (row ? ARNE_DEGREES_OUTSIDE : ARNE_DEGREES_PERHAPS))
                continue;
            snprintf(where, sizeof where, "%.900s:%d", r->request->file,
                     arne_table_line(table, row));
            snprintf(how, sizeof how, "if these are degrees, write '%.200s [deg]' in the header",
                     arne_table_name(table, c));
            return check_degrees(&j, q, where, how, r->request->quiet);
        }
    }
    return EXIT_FINE;
}

// --- what was not recorded ---------------------------------------------------------------------

// The name of the joint whose coordinate this is, where qd is not its time derivative
// (quaternions); NULL: it is.
static const char *not_a_rate(const arne_robot *robot, int q)
{
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (q >= j.q_start && q < j.q_start + j.q_count &&
            arne_joint_kind_facts(j.kind)->has_body_axes)
            return j.name;
    }
    return NULL;
}

// The index of the velocity that is the time derivative of coordinate q.
static int velocity_of(const arne_robot *robot, int q)
{
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (q >= j.q_start && q < j.q_start + j.q_count) return j.v_start + q - j.q_start;
    }
    for (int i = 0; i < arne_robot_sizes(robot).motor_count; i++)
        if (arne_robot_motor(robot, i).q_index == q) return arne_robot_motor(robot, i).v_index;
    return -1;
}

// Differentiates one part over time, once into the next part or twice into the next two.
static int differentiate_part(const reader *r, int part, state_list *out, double *cutoff)
{
    const size_t rows = (size_t)out->count, size = (size_t)r->column_count * rows;
    double      *time = need(rows, sizeof *time), *x = need(size, sizeof *x);
    double      *rate = need(size, sizeof *rate), *second = need(size, sizeof *second);
    int       *index = need((size_t)r->column_count, sizeof *index), columns = 0, code = EXIT_FINE;
    arne_error error = {0};
    for (int c = 0; c < r->column_count; c++)
        if (r->columns[c].part == part) index[columns++] = r->columns[c].index;
    for (size_t i = 0; i < rows; i++) {
        time[i] = out->item[i].time;
        for (int c = 0; c < columns; c++)
            x[i * (size_t)columns + (size_t)c] = out->item[i].part[part][index[c]];
    }
    const arne_status status =
        arne_differentiate(out->count, columns, time, x, cutoff, NULL, rate, second, &error);
    if (status) code = fail_error(r->request->file, status, &error);
    for (size_t i = 0; i < rows && !status; i++)
        for (int c = 0; c < columns; c++) {
            const size_t at = i * (size_t)columns + (size_t)c;
            const int    v = part == PART_Q ? velocity_of(r->robot, index[c]) : index[c];
            if (part == PART_QD || found_by_differences(r, PART_QD))
                out->item[i].part[part + 1][v] = rate[at];
            if (part == PART_Q && found_by_differences(r, PART_QDD))
                out->item[i].part[PART_QDD][v] = second[at];
        }
    free(time);
    free(x);
    free(rate);
    free(second);
    free(index);
    return code;
}

static int differentiate(const reader *r, state_list *out)
{
    const char *file = r->request->file;
    const int   qd = found_by_differences(r, PART_QD), qdd = found_by_differences(r, PART_QDD);
    double      cutoff = r->request->cutoff;
    char        near[512];
    if (!qd && !qdd) return EXIT_FINE;
    if (r->request->may_lack && out->count < ARNE_DIFFERENTIATE_ROWS) {
        out->lacks_rates = 1;
        return EXIT_FINE;
    }
    if (!has_column(r, COLUMN_TIME, 0))
        return fail_data("%s: --differentiate needs a column 'time'%s", file,
                         spare_like(&r->spare, "time", "time", near, sizeof near));
    for (int c = 0; qd && c < r->column_count; c++) {
        const char *joint =
            r->columns[c].part == PART_Q ? not_a_rate(r->robot, r->columns[c].index) : NULL;
        if (joint)
            return fail_data("%s: --differentiate cannot find the velocity of joint '%s', which is "
                             "no rate of its coordinates; give columns qd.%s....",
                             file, joint, joint);
    }
    const int code = differentiate_part(r, qd ? PART_Q : PART_QD, out, &cutoff);
    if (code == EXIT_FINE && !r->request->quiet)
        say("%s: %s found from %s by a zero-phase low-pass filter with %s cut-off of %.4g Hz", file,
            qd && qdd ? "qd and qdd are"
            : qd      ? "qd is"
                      : "qdd is",
            qd ? "q" : "qd", r->request->cutoff > 0 ? "the given" : "a chosen", cutoff);
    return code;
}

// Columns in degrees, or metres where the coordinate is a length.
static int take_degrees(const reader *r, arne_table *table)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < r->column_count; i++) {
        const char *wanted = wanted_unit(r, &r->columns[i]);
        if (strcmp(arne_table_unit(table, i), ARNE_UNIT_DEGREES) != 0) continue;
        if (!status)
            status = arne_table_scale(table, i, *wanted == 'r' ? acos(-1.0) / 180 : 1, wanted);
    }
    return status ? fail_error(r->request->file, status, &(arne_error){0}) : EXIT_FINE;
}

static int take_table(const reader *r, arne_table *table, state_list *out)
{
    const int line = arne_table_line(table, -1);
    int       code = take_degrees(r, table);
    if (!r->column_count && spare_are_numbers(&r->spare))
        return fail_data(
            "%s:%d: the first line has numbers; a header with the names of the columns "
            "is needed",
            r->request->file, line);
    if (code == EXIT_FINE)
        code = column_aliases_found(r->request->columns, &r->renamed, r->request->file, line);
    if (code == EXIT_FINE) code = check_columns(r, line);
    if (r->spare.count == 1 && !r->request->quiet)
        warn("unused", "%s:%d: column '%s' is not used%s", r->request->file, line, r->spare.name[0],
             spare_about_loads(&r->spare, r->robot));
    if (r->spare.count > 1 && !r->request->quiet)
        warn("unused", "%s:%d: %d columns are not used, the first is '%s'%s", r->request->file,
             line, r->spare.count, r->spare.name[0], spare_about_loads(&r->spare, r->robot));
    if (code == EXIT_FINE) code = csv_states_ask_about_degrees(r, table);
    if (code == EXIT_FINE && !arne_table_rows(table))
        return fail_data("%s:%d: there is no state below the header", r->request->file, line);
    if (code != EXIT_FINE) return code;
    const unsigned partial = partial_parts(r);
    states_new(r->robot, arne_table_rows(table), out);
    out->load_count = r->load_count;
    out->load_frame = r->load_frame;
    out->loads = need((size_t)out->count * 6 * (size_t)r->load_count, sizeof *out->loads);
    for (int i = 0; i < out->count && code == EXIT_FINE; i++) {
        double *loads = out->loads + (size_t)i * 6 * (size_t)r->load_count;
        out->item[i].partial = partial;
        out->item[i].load = loads;
        code = take_row(r, table, i, &out->item[i], loads);
    }
    return code == EXIT_FINE && r->request->differentiate ? differentiate(r, out) : code;
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
    spare_free(&r.spare);
    spare_free(&r.renamed);
    if (!out->load_frame) free(r.load_frame); // else it is the list's
    return code;
}
