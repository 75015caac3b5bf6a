// The end of a sweep: one table out of all shards, the folder around it, and HDF5 where there is a
// module for it.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/plain.h"
#include "base/sha256.h"
#include "io/json.h"
#include "io/run_folder.h"
#include "io/run_list.h"
#include "io/whole_file.h"
#include "sweep/sweep_hdf5.h"
#include "sweep/sweep_store.h"
#include <arne/version.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int extent_order(const void *a, const void *b)
{
    const extent *x = a, *y = b;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return (x->count < y->count) - (x->count > y->count);
}

// ---- the table

typedef struct merge {
    sweep_store *st;
    FILE        *out, *in;
    int          shard; // that is open
    long         next;  // row to be written
    buffer       line;
} merge;

static int open_shard(merge *m, int shard)
{
    if (m->in && m->shard == shard) return 1;
    char *path = arne_join(m->st->shards, "/", m->st->names[shard]);
    if (m->in) fclose(m->in);
    m->in = path ? fopen(path, "rb") : NULL;
    m->shard = shard;
    free(path);
    return m->in != NULL;
}

static arne_status fail_shard(const merge *m, arne_error *error, const char *what)
{
    return arne_fail(error, ARNE_FILE, m->st->names[m->shard], 0,
                     "%s (row %ld): --resume computes what is missing", what, m->next);
}

static arne_status copy_extent(merge *m, const extent *e, arne_error *error)
{
    if (e->start + e->count <= m->next) return ARNE_OK; // another shard has it, too
    if (e->start > m->next) return fail_shard(m, error, "a row is missing");
    if (!open_shard(m, e->shard) || fseek(m->in, e->offset, SEEK_SET) != 0)
        return fail_shard(m, error, "cannot be read");
    for (long k = 0; k < e->count; k++) {
        int        whole;
        long       row;
        size_t     end;
        const long size = shard_read_line(m->in, &m->line, &whole);
        if (size < 0 || !whole || !shard_check(m->line.text, (size_t)size, &row, &end) ||
            row != e->start + k)
            return fail_shard(m, error, "a line is damaged");
        if (row != m->next) continue;
        fwrite(m->line.text, 1, end, m->out);
        fputc('\n', m->out);
        m->next++;
    }
    return ARNE_OK;
}

arne_status sweep_write_table(sweep_store *st, const char *path, arne_error *error)
{
    whole_file  file;
    char       *header = arne_sweep_header(st->sweep);
    arne_status status =
        header ? arne_whole_file_open(&file, path, error) : arne_fail_memory(error);
    if (!status) {
        merge m = {.st = st, .out = file.stream};
        fprintf(m.out, "%s\n", header);
        if (st->extent_count > 1)
            qsort(st->extents, (size_t)st->extent_count, sizeof *st->extents, extent_order);
        for (int i = 0; i < st->extent_count && !status; i++)
            status = copy_extent(&m, &st->extents[i], error);
        if (!status && m.next != st->sweep->rows)
            status = arne_fail(error, ARNE_FILE, st->work, 0, "row %ld is missing", m.next);
        if (m.in) fclose(m.in);
        buffer_free(&m.line);
        if (status)
            arne_whole_file_drop(&file);
        else
            status = arne_whole_file_close(&file, error);
    }
    free(header);
    return status;
}

// ---- the summary: provenance

static const char *design_name(sweep_design d)
{
    static const char *const names[] = {"", "grid", "rows", "lhs", "sobol", "saltelli"};
    return names[d];
}

static void sweep_table_put_inputs(json *j, const arne_sweep *s)
{
    json_put_open(j, "inputs", '{');
    for (int i = 0; i < s->input_count; i++) {
        const reader r = {.file = s->inputs[i]};
        char        *text = NULL, hash[SHA256_TEXT] = "";
        size_t       size = 0;
        sha256       sum;
        if (arne_reader_load(&r, &text, &size) == ARNE_OK) {
            sha256_start(&sum);
            sha256_add(&sum, text, size);
            sha256_text(&sum, hash);
        }
        free(text);
        json_put_text(j, s->inputs[i], hash);
    }
    json_put_close(j, '}');
}

static void sweep_table_put_columns(json *j, const arne_sweep *s)
{
    json_put_number(j, "parameters", s->parameter_count);
    json_put_open(j, "columns", '[');
    for (int i = 0; i < s->parameter_count + s->figure_count; i++) {
        json_put_open(j, NULL, '{');
        json_put_text(j, "name", arne_sweep_name(s, i));
        json_put_text(j, "unit", arne_sweep_unit(s, i));
        json_put_flag(j, "text", i < s->parameter_count && s->parameters[i].texts);
        if (i >= s->parameter_count && s->figures[i - s->parameter_count].more)
            json_put_text(j, "better", "more");
        json_put_close(j, '}');
    }
    json_put_close(j, ']');
}

static void sweep_table_put_figure(json *j, const char *name, long value)
{
    json_put_open(j, NULL, '{');
    json_put_text(j, "name", name);
    json_put_text(j, "unit", "");
    json_put_number(j, "value", (double)value);
    json_put_number(j, "published", NAN);
    json_put_close(j, '}');
}

static void sweep_table_put_summary(FILE *out, const sweep_store *st, const arne_sweep_summary *sum)
{
    const arne_sweep *s = st->sweep;
    json              j = json_run(out, "sweep", *s->title ? s->title : "A sweep", NULL, NULL);
    json_put_text(&j, "text", s->text);
    json_put_text(&j, "sweep", s->path);
    json_put_text(&j, "arne", arne_version());
    json_put_text(&j, "key", st->key); // of all that the table comes from
    json_put_text(&j, "isa", arne_isa_name(s->build.isa) ? arne_isa_name(s->build.isa) : "");
    json_put_text(&j, "design", design_name(s->design));
    json_put_number(&j, "samples", s->samples);
    json_put_number(&j, "seed", s->seed);
    json_put_number(&j, "rows", (double)sum->rows);
    json_put_number(&j, "failed", (double)sum->failed);
    json_put_number(&j, "elapsed", round(1e3 * sum->elapsed) / 1e3);
    json_put_number(&j, "ranks", sum->ranks);
    json_put_number(&j, "jobs", sum->jobs);
    json_put_open(&j, "figures", '[');
    sweep_table_put_figure(&j, "rows", sum->rows);
    sweep_table_put_figure(&j, "rows that failed", sum->failed);
    json_put_close(&j, ']');
    sweep_table_put_columns(&j, s);
    sweep_table_put_inputs(&j, s);
    json_put_close(&j, '}');
}

static arne_status sweep_table_write_summary(const sweep_store *st, const char *path,
                                             const arne_sweep_summary *sum, arne_error *error)
{
    whole_file  file;
    arne_status status = arne_whole_file_open(&file, path, error);
    if (status) return status;
    sweep_table_put_summary(file.stream, st, sum);
    return arne_whole_file_close(&file, error);
}

// ---- HDF5

// How the process ended that writes HDF5; else with an errno.
enum { HDF5_WRITTEN = 0, HDF5_MISSING = 200, HDF5_FAILED = 201 };

static int write_hdf5(const sweep_store *st, const char *table, const char *path,
                      const char *summary)
{
    const module_need  need = {.name = "hdf5",
                               .what = "HDF5",
                               .solver = "HDF5",
                               .package = "libhdf5-dev",
                               .layout = sizeof(hdf5_module)};
    const module_head *head = NULL;
    const arne_sweep  *s = st->sweep;
    arne_error         missing;
    if (module_open(&need, &head, &missing) != ARNE_OK) return HDF5_MISSING;
    hdf5_table   t = {.csv = table,
                      .summary = summary,
                      .count = s->parameter_count + s->figure_count,
                      .parameters = s->parameter_count,
                      .rows = s->rows};
    const char **names = calloc((size_t)t.count + 1, sizeof *names),
               **units = calloc((size_t)t.count + 1, sizeof *units);
    unsigned char *texts = calloc((size_t)t.count + 1, 1);
    if (!names || !units || !texts) return ENOMEM; // the process ends
    for (int i = 0; i < t.count; i++) {
        names[i] = arne_sweep_name(s, i);
        units[i] = arne_sweep_unit(s, i);
        texts[i] = i < s->parameter_count && s->parameters[i].texts;
    }
    t.names = names;
    t.units = units;
    t.texts = texts;
    errno = 0;
    if (((const hdf5_module *)(const void *)head)->write(&t, path) == 0) return HDF5_WRITTEN;
    return errno > 0 && errno < HDF5_MISSING ? errno : HDF5_FAILED;
}

static int is_full_disk(int number)
{
    return number == ENOSPC || number == EDQUOT || number == EFBIG || number == EIO;
}

// The HDF5 library may abort, or crash where memory is short: it gets a process of its own.
// table.csv has the same data, so only a full disk is a failure.
arne_status sweep_write_hdf5(const sweep_store *st, const char *table, const char *path,
                             const char *summary, int *is_there, arne_error *error)
{
    const pid_t child = fork();
    int         how = 0;
    *is_there = 0;
    if (child == 0) {
        const struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        if (st->lock.handle >= 0) close(st->lock.handle); // it ends with its owner
        close(STDERR_FILENO); // what HDF5 and an abort print is not for users
        _exit(write_hdf5(st, table, path, summary));
    }
    while (child > 0 && waitpid(child, &how, 0) < 0 && errno == EINTR) {
    }
    const int code = child < 0 ? errno : WIFEXITED(how) ? WEXITSTATUS(how) : HDF5_FAILED;
    *is_there = code == HDF5_WRITTEN;
    if (*is_there || code == HDF5_MISSING) return ARNE_OK;
    unlink(path);
    if (is_full_disk(code))
        return arne_fail(error, ARNE_FILE, path, 0, "cannot be written: %s", plain_reason(code));
    store_warn(st, "hdf5", st->dir, "table.h5 cannot be written%s%s; table.csv has all rows",
               code < HDF5_MISSING ? ": " : "", code < HDF5_MISSING ? plain_reason(code) : "");
    return ARNE_OK;
}

// ---- the folder

static arne_status sweep_table_copy_inputs(const run_folder *folder, const arne_sweep *s,
                                           arne_error *error)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < s->input_count && !status; i++) {
        char *name = NULL;
        status = arne_run_folder_copy(folder, s->inputs[i], NULL, 0, &name, error);
        free(name);
    }
    return status;
}

int sweep_remove_item(void *context, const folder_item *item)
{
    char *path = arne_join(context, "/", item->name);
    if (path && item->kind == FOLDER_FOLDER)
        rmdir(path);
    else if (path)
        unlink(path);
    free(path);
    return 0;
}

void store_remove_work(sweep_store *st)
{
    if (st->manifest >= 0) close(st->manifest);
    st->manifest = -1;
    arne_folder_walk(st->warm, sweep_remove_item, st->warm);
    rmdir(st->warm);
    arne_folder_walk(st->shards, sweep_remove_item, st->shards);
    rmdir(st->shards);
    arne_folder_walk(st->runs, sweep_remove_item, st->runs);
    rmdir(st->runs);
    unlink(st->manifest_path);
    arne_folder_unlock(&st->lock);
    rmdir(st->work);
}

static arne_status sweep_table_fill(sweep_store *st, const run_folder *folder,
                                    arne_sweep_summary *sum, arne_error *error)
{
    char *table = arne_run_folder_path(folder, "table.csv"),
         *h5 = arne_run_folder_path(folder, "table.h5"),
         *summary = arne_run_folder_path(folder, "summary.json"),
         *runs = arne_run_folder_path(folder, "runs");
    arne_status status = table && h5 && summary && runs ? ARNE_OK : arne_fail_memory(error);
    if (!status) status = sweep_write_table(st, table, error);
    if (!status) status = sweep_table_write_summary(st, summary, sum, error);
    if (!status) status = sweep_write_hdf5(st, table, h5, summary, &sum->hdf5, error);
    if (!status) status = sweep_table_copy_inputs(folder, st->sweep, error);
    // Runs move only when all else is there; where this fails they are taken back. What processes
    // left that were killed does not move.
    if (!status && st->sweep->keep) store_clear_runs(st);
    rmdir(st->runs); // of a sweep that has kept none
    if (!status && st->sweep->keep && rename(st->runs, runs) != 0 && errno != ENOENT)
        status =
            arne_fail(error, ARNE_FILE, st->runs, 0, "cannot be moved: %s", plain_reason(errno));
    free(table);
    free(h5);
    free(summary);
    free(runs);
    return status;
}

arne_status store_finish(sweep_store *st, arne_sweep_summary *sum, arne_error *error)
{
    run_folder                folder;
    const arne_report_options page = {0};
    const int                 with_page = st->how->page;
    if (st->finished) return with_page ? arne_sweep_report(st->dir, error) : ARNE_OK;
    arne_status status = arne_run_folder_begin(&folder, st->dir, error);
    if (status) return status;
    status = sweep_table_fill(st, &folder, sum, error);
    if (!status) status = arne_run_folder_finish(&folder, with_page ? &page : NULL, error);
    if (!folder.partial)
        store_remove_work(st);
    else if (st->sweep->keep)
        store_take_back_runs(st);
    arne_run_folder_drop(&folder);
    return status;
}
