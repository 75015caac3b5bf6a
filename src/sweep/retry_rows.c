// Rows that failed, computed again: their lines are dropped from shards, so that a resumed sweep
// misses them. A sweep that is complete becomes one that was stopped: its table becomes a shard.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/plain.h"
#include "io/run_folder.h"
#include "io/whole_file.h"
#include "sweep/shard.h"
#include "sweep/sweep_store.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static arne_status retry_rows_fail_read(const char *path, arne_error *error)
{
    return errno == ENOMEM
               ? arne_fail_memory(error)
               : arne_fail(error, ARNE_FILE, path, 0, "cannot be read: %s", plain_reason(errno));
}

// Copies lines of rows that were fine. Those of a table get the checksums of a shard.
static arne_status copy_fine(FILE *in, const char *to, int is_table, arne_error *error)
{
    whole_file  out;
    buffer      line = {0};
    long        size, row;
    int         whole, head = is_table;
    arne_status status = arne_whole_file_open(&out, to, error);
    if (status) return status;
    while ((size = shard_read_line(in, &line, &whole)) >= 0) {
        size_t    end = (size_t)size;
        const int good =
            whole && line.text && !head && (is_table || shard_check(line.text, end, &row, &end));
        head = 0;
        if (!good || !shard_is_ok(line.text, end)) continue;
        line.size = end;
        shard_seal(&line);
        fwrite(line.text, 1, line.size, out.stream);
    }
    if (line.failed) {
        arne_whole_file_drop(&out);
        status = arne_fail_memory(error);
    }
    buffer_free(&line);
    return status ? status : arne_whole_file_close(&out, error);
}

static arne_status copy_file(const char *from, const char *to, int is_table, arne_error *error)
{
    FILE *in = from && to ? fopen(from, "rb") : NULL;
    if (!from || !to) return arne_fail_memory(error);
    if (!in) return retry_rows_fail_read(from, error);
    const arne_status status = copy_fine(in, to, is_table, error);
    fclose(in);
    return status;
}

arne_status store_forget_failed(const sweep_store *st, arne_error *error)
{
    DIR        *folder = opendir(st->shards);
    arne_status status = folder ? ARNE_OK : retry_rows_fail_read(st->shards, error);
    for (struct dirent *e = folder ? readdir(folder) : NULL; e && !status; e = readdir(folder)) {
        const size_t length = strlen(e->d_name);
        if (e->d_name[0] == '.' || length < 5 || strcmp(e->d_name + length - 4, ".csv") != 0)
            continue;
        char *path = arne_join(st->shards, "/", e->d_name);
        status = copy_file(path, path, 0, error);
        free(path);
    }
    if (folder) closedir(folder);
    return status;
}

arne_status store_reopen(const sweep_store *st, arne_error *error)
{
    char       *table = arne_join(st->dir, "/table.csv", "");
    char       *shard = arne_join(st->shards, "/complete.csv", "");
    arne_status status = copy_file(table, shard, 1, error);
    if (!status && st->sweep->keep) store_fetch_runs(st);
    free(table);
    free(shard);
    return status;
}
