// Rows of a log, as torques and positions of joints in SI units, one after the other: from a CSV
// file or from memory.
//
// Where a log is of motors, q_motor = C q_joint, and power is the same on both sides: tau_joint =
// C^T tau_motor.
#include "base/error.h"
#include "identify/study.h"
#include "io/table.h"
#include <arne/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART_Q, PART_QD, PART_QDD, PART_TAU, PART_CURRENT, PARTS };
static const char *const part_name[PARTS] = {"q", "qd", "qdd", "tau", "current"};

enum { NAME_SIZE = 300 };

typedef struct slot { // a column that we look for
    char   name[NAME_SIZE], in_file[NAME_SIZE];
    double factor;
    int    column; // of the table, -1: not there
} slot;

typedef struct log_reader {
    arne_identify *study;
    log_entry     *entry;
    log_row_fn     take;
    void          *context;
    arne_error    *error;
    slot          *slot; // time, then PARTS x n
    int            slot_count, n;
    double        *row, *motor;
    long           number; // of the row, from 1
} log_reader;

// ---- which columns

static void name_slots(log_reader *r)
{
    const arne_identify_options *o = &r->study->options;
    for (int i = 0; i < r->slot_count; i++) {
        slot *s = &r->slot[i];
        if (i == 0)
            snprintf(s->name, sizeof s->name, "time");
        else
            snprintf(s->name, sizeof s->name, "%s.%.250s", part_name[(i - 1) / r->n],
                     arne_robot_joint(r->study->robot, (i - 1) % r->n).name);
        snprintf(s->in_file, sizeof s->in_file, "%s", o->no_header ? "" : s->name);
        s->factor = 1;
        s->column = -1;
        for (int k = 0; k < o->column_count; k++) {
            const arne_column_alias *a = &o->columns[k];
            if (strcmp(a->name, s->name) != 0) continue;
            if (a->in_file) snprintf(s->in_file, sizeof s->in_file, "%s", a->in_file);
            if (a->factor != 0) s->factor = a->factor;
        }
    }
}

static int is_named(const log_reader *r, int i, const char *name)
{
    return strcmp(r->slot[i].in_file, name) == 0 || (i == 0 && strcmp(name, "t") == 0);
}

static int keeps(void *context, const char *name, const char *unit, int line)
{
    const log_reader *r = context;
    (void)unit, (void)line;
    for (int i = 0; i < r->slot_count; i++)
        if (is_named(r, i, name)) return 1;
    return 0;
}

static int has_part(const log_reader *r, int part)
{
    int count = 0;
    for (int k = 0; k < r->n; k++)
        count += r->slot[1 + part * r->n + k].column >= 0;
    return count;
}

static arne_status log_rows_note(const log_reader *r, int line, const char *format, const char *a,
                                 const char *b)
{
    const finding f = {.code = ARNE_VALUE, .line = line};
    char          text[900];
    snprintf(text, sizeof text, format, a, b);
    return findings_add(&r->study->found, &f, r->entry->path, text) ? ARNE_VALUE : ARNE_NO_MEMORY;
}

// All of a part's columns that are missing.
static arne_status need_part(const log_reader *r, int part, int line)
{
    arne_status status = ARNE_OK;
    for (int k = 0; k < r->n && status_goes_on(status); k++) {
        const slot *s = &r->slot[1 + part * r->n + k];
        if (s->column < 0)
            status = status_both(
                status, log_rows_note(
                            r, line,
                            "there is no column '%s'%s; name the log's columns as the robot names "
                            "its joints, or give a column map",
                            *s->in_file ? s->in_file : s->name, ""));
    }
    return status;
}

static arne_status log_rows_find_columns(void *context, const arne_table *columns, int line)
{
    log_reader *r = context;
    log_entry  *e = r->entry;
    arne_status status = ARNE_OK;
    for (int i = 0; i < r->slot_count; i++) {
        r->slot[i].column = arne_table_find(columns, r->slot[i].in_file);
        if (i == 0 && r->slot[0].column < 0) r->slot[0].column = arne_table_find(columns, "t");
    }
    if (r->slot[0].column < 0)
        status = log_rows_note(r, line, "there is no column '%s'%s; a log needs its times",
                               *r->slot[0].in_file ? r->slot[0].in_file : "time", "");
    status = status_both(status, need_part(r, PART_Q, line));
    e->is_current = !has_part(r, PART_TAU) && has_part(r, PART_CURRENT);
    status = status_both(status, need_part(r, e->is_current ? PART_CURRENT : PART_TAU, line));
    e->has_qd = has_part(r, PART_QD) > 0;
    e->has_qdd = has_part(r, PART_QDD) > 0;
    if (e->has_qd) status = status_both(status, need_part(r, PART_QD, line));
    if (e->has_qdd) status = status_both(status, need_part(r, PART_QDD, line));
    return status;
}

// ---- rows

static void log_rows_multiply(int n, const double *A, int transposed, double *x, double *scratch)
{
    for (int i = 0; i < n; i++) {
        scratch[i] = 0;
        for (int k = 0; k < n; k++)
            scratch[i] += A[transposed ? k * n + i : i * n + k] * x[k];
    }
    memcpy(x, scratch, (size_t)n * sizeof *x);
}

static arne_status log_rows_hand_on(log_reader *r, int line)
{
    const arne_identify *s = r->study;
    const int            n = r->n;
    double              *q = r->row + 1, *qd = q + n, *qdd = qd + n, *tau = qdd + n;
    if (r->entry->is_current)
        for (int k = 0; k < n; k++)
            tau[k] *= s->gain[k];
    if (s->of_motors) {
        for (int part = 0; part < 3; part++)
            log_rows_multiply(n, s->inverse_gear, 0, q + part * n, r->motor);
        log_rows_multiply(n, s->gear, 1, tau, r->motor);
    }
    for (int k = 0; s->options.offset && k < n; k++)
        q[k] += s->options.offset[k];
    (void)qd;
    return r->take(r->context, r->entry, r->row, line);
}

static int log_rows_is_wanted(const log_reader *r)
{
    const arne_identify_options *o = &r->study->options;
    const int                    validates = r->entry->role == ARNE_LOG_VALIDATE;
    const long                   first = validates ? o->validate_first_row : o->first_row;
    const long                   last = validates ? o->validate_last_row : o->last_row;
    return r->number >= first && (last <= 0 || r->number <= last);
}

static arne_status log_rows_take_row(void *context, const arne_table *columns, const double *row,
                                     int line)
{
    log_reader *r = context;
    (void)columns;
    r->number++;
    if (!log_rows_is_wanted(r)) return ARNE_OK;
    if (!row) return r->take(r->context, r->entry, NULL, line);
    r->row[0] = row[r->slot[0].column] * r->slot[0].factor;
    const int torque = r->entry->is_current ? PART_CURRENT : PART_TAU;
    for (int part = 0; part < 4; part++)
        for (int k = 0; k < r->n; k++) {
            const slot *s = &r->slot[1 + (part == 3 ? torque : part) * r->n + k];
            r->row[1 + part * r->n + k] = s->column < 0 ? 0 : row[s->column] * s->factor;
        }
    return log_rows_hand_on(r, line);
}

static arne_status each_in_memory(log_reader *r)
{
    const arne_log *log = &r->entry->log;
    const size_t    n = (size_t)r->n;
    const double   *part[4] = {log->q, log->qd, log->qdd, log->tau};
    arne_status     status = ARNE_OK;
    r->entry->has_qd = log->qd != NULL;
    r->entry->has_qdd = log->qdd != NULL;
    r->entry->is_current = log->is_current;
    for (int i = 0; i < log->rows && !status; i++) {
        r->number++;
        if (!log_rows_is_wanted(r)) continue;
        int missing = 0;
        r->row[0] = log->time[i];
        for (int p = 0; p < 4; p++)
            for (size_t k = 0; k < n; k++) {
                const double x = part[p] ? part[p][(size_t)i * n + k] : 0;
                missing |= !isfinite(x);
                r->row[1 + (size_t)p * n + k] = x;
            }
        status = missing ? r->take(r->context, r->entry, NULL, i + 1) : log_rows_hand_on(r, i + 1);
    }
    return status;
}

arne_status log_each(arne_identify *s, log_entry *e, log_row_fn take, void *context,
                     arne_error *error)
{
    const int  n = study_n(s);
    log_reader r = {.study = s,
                    .entry = e,
                    .take = take,
                    .context = context,
                    .error = error,
                    .n = n,
                    .slot_count = 1 + PARTS * n};
    r.slot = calloc((size_t)r.slot_count, sizeof *r.slot);
    r.row = calloc(log_row_size(n), sizeof *r.row);
    r.motor = calloc((size_t)n + 1, sizeof *r.motor);
    arne_status status = r.slot && r.row && r.motor ? ARNE_OK : arne_fail_memory(error);
    if (!status && !e->path) status = each_in_memory(&r);
    if (!status && e->path) {
        const csv_listener listener = {&r, s->options.no_header, log_rows_find_columns,
                                       log_rows_take_row};
        name_slots(&r);
        status = arne_csv_each(e->path, keeps, &listener, error);
    }
    free(r.slot);
    free(r.row);
    free(r.motor);
    return status;
}
