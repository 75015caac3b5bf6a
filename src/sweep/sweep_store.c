#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "sweep/sweep_store.h"
#include "base/plain.h"
#include "base/sha256.h"
#include "io/run_folder.h"
#include "io/run_list.h"
#include <arne/version.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int store_name(sweep_store *st, arne_sweep *s, const char *dir)
{
    size_t length = strlen(dir);
    *st = (sweep_store){.sweep = s, .manifest = -1, .lock = {.handle = -1}};
    st->dir = arne_join(dir, "", "");
    while (st->dir && length > 1 && st->dir[length - 1] == '/')
        st->dir[--length] = 0;
    st->work = st->dir ? arne_join(st->dir, ".incomplete", "") : NULL;
    if (!st->work) return 0;
    st->shards = arne_join(st->work, "/shards", "");
    st->runs = arne_join(st->work, "/runs", "");
    st->warm = arne_join(st->work, "/warm", "");
    st->manifest_path = arne_join(st->work, "/manifest", "");
    return st->shards && st->runs && st->warm && st->manifest_path;
}

void store_free(sweep_store *st)
{
    if (st->manifest >= 0) close(st->manifest);
    arne_folder_unlock(&st->lock);
    for (int i = 0; i < st->name_count; i++)
        free(st->names[i]);
    free(st->names);
    free(st->extents);
    free(st->is_done);
    free(st->key);
    free(st->dir);
    free(st->work);
    free(st->shards);
    free(st->runs);
    free(st->warm);
    free(st->manifest_path);
    buffer_free(&st->lines);
    *st = (sweep_store){.manifest = -1, .lock = {.handle = -1}};
}

void store_warn(const sweep_store *st, const char *rule, const char *file, const char *format, ...)
{
    char               text[400];
    va_list            arguments;
    const arne_warning w = {.rule = rule, .file = file, .text = text};
    if (!st->how->warn) return;
    va_start(arguments, format);
    plain_print_list(text, sizeof text, format, arguments);
    va_end(arguments);
    st->how->warn(st->how->warn_context, &w);
}

static arne_status sweep_store_fail_path(arne_error *error, const char *path, const char *what)
{
    return errno == ENOMEM
               ? arne_fail_memory(error)
               : arne_fail(error, ARNE_FILE, path, 0, "%s: %s", what, plain_reason(errno));
}

// ---- what the sweep is: a change of any file, or of Arne, makes another one

static arne_status sweep_store_find_key(sweep_store *st, arne_error *error)
{
    const arne_sweep *s = st->sweep;
    sha256            all;
    char             *header = arne_sweep_header(s), facts[160];
    arne_status       status = header ? ARNE_OK : arne_fail_memory(error);
    sha256_start(&all);
    if (!status) sha256_add(&all, header, strlen(header));
    snprintf(facts, sizeof facts, "\n%s rows %ld design %d seed %d isa %d warm %d\n",
             arne_version(), s->rows, (int)s->design, s->seed, (int)s->build.isa, s->warm);
    sha256_add(&all, facts, strlen(facts));
    for (int i = 0; i < s->input_count && !status; i++) {
        const reader r = {.file = s->inputs[i], .error = error};
        char        *text = NULL;
        size_t       size = 0;
        status = arne_reader_load(&r, &text, &size);
        if (!status) sha256_add(&all, text, size);
        free(text);
    }
    st->key = status ? NULL : malloc(SHA256_TEXT);
    if (st->key) sha256_text(&all, st->key);
    free(header);
    return status || st->key ? status : arne_fail_memory(error);
}

// ---- what is done

static int sweep_store_add_name(sweep_store *st, const char *name)
{
    for (int i = st->name_count - 1; i >= 0; i--)
        if (strcmp(st->names[i], name) == 0) return i;
    if (st->name_count == st->name_room) {
        const int room = 2 * st->name_room + 16;
        char    **names = realloc(st->names, (size_t)room * sizeof *names);
        if (!names) return -1;
        st->names = names;
        st->name_room = room;
    }
    st->names[st->name_count] = arne_join(name, "", "");
    return st->names[st->name_count] ? st->name_count++ : -1;
}

// Extents of a shard that follow each other become one, so that there are about as many as shards.
static int add_extent(sweep_store *st, const extent *e)
{
    for (int i = st->extent_count - 1; i >= 0 && i >= st->extent_count - 64; i--) {
        extent *last = &st->extents[i];
        if (last->shard != e->shard) continue;
        if (last->start + last->count != e->start || last->offset + last->bytes != e->offset) break;
        last->count += e->count;
        last->bytes += e->bytes;
        return 1;
    }
    if (st->extent_count == st->extent_room) {
        const int room = 2 * st->extent_room + 64;
        extent   *all = realloc(st->extents, (size_t)room * sizeof *all);
        if (!all) return 0;
        st->extents = all;
        st->extent_room = room;
    }
    st->extents[st->extent_count++] = *e;
    return 1;
}

static long sweep_store_mark(sweep_store *st, long start, long count)
{
    long fresh = 0;
    for (long row = start; row < start + count; row++) {
        fresh += !store_has(st, row);
        st->is_done[row / 8] |= (unsigned char)(1u << (row % 8));
    }
    return fresh;
}

static int on_scanned(void *context, const extent *found)
{
    sweep_store *st = context;
    extent       e = *found;
    e.shard = st->scanned;
    if (e.start < 0 || e.start > st->sweep->rows - e.count) return 0; // of no row that there is
    const long fresh = sweep_store_mark(st, e.start, e.count);
    st->done += fresh;
    if (fresh) st->failed += e.failed;
    return add_extent(st, &e) ? 0 : ENOMEM;
}

static arne_status scan_shard(sweep_store *st, const char *name, arne_error *error)
{
    shard_scan  scan;
    char       *path = arne_join(st->shards, "/", name);
    arne_status status = path ? ARNE_OK : arne_fail_memory(error);
    st->scanned = status ? -1 : sweep_store_add_name(st, name);
    if (!status && st->scanned < 0) status = arne_fail_memory(error);
    if (!status && shard_scan_file(path, 0, on_scanned, st, &scan) != 0)
        status = sweep_store_fail_path(error, path, "cannot be read");
    if (!status && scan.torn)
        store_warn(st, "torn", path, "the last line is torn: its row is computed again");
    if (!status && scan.damaged)
        store_warn(st, "damaged", path, "%ld lines are damaged: their rows are computed again",
                   scan.damaged);
    free(path);
    return status;
}

static arne_status scan_shards(sweep_store *st, arne_error *error)
{
    DIR        *folder = opendir(st->shards);
    arne_status status = ARNE_OK;
    if (!folder) return sweep_store_fail_path(error, st->shards, "cannot be read");
    for (struct dirent *e = readdir(folder); e && !status; e = readdir(folder))
        if (e->d_name[0] != '.') status = scan_shard(st, e->d_name, error);
    closedir(folder);
    return status;
}

// ---- the manifest

static arne_status write_manifest(sweep_store *st, arne_error *error)
{
    st->manifest =
        open(st->manifest_path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (st->manifest < 0) return sweep_store_fail_path(error, st->manifest_path, "cannot be made");
    put(&st->lines, "arne sweep 1\nkey %s\nrows %ld\n", st->key, st->sweep->rows);
    errno = store_sync(st);
    if (errno == 0 && arne_folder_sync_names(st->work) == 0) return ARNE_OK;
    return sweep_store_fail_path(error, st->manifest_path, "cannot be written");
}

// Whether it is of this sweep, and how many rows it says are done. A torn last line is no matter:
// shards say the same.
static arne_status read_manifest(sweep_store *st, arne_error *error)
{
    FILE       *file = fopen(st->manifest_path, "r");
    char        line[256], key[SHA256_TEXT] = "";
    long        rows = -1, start, count;
    arne_status status = ARNE_OK;
    int         ended = 1;
    if (!file) return sweep_store_fail_path(error, st->manifest_path, "cannot be read");
    while (fgets(line, sizeof line, file)) {
        ended = strchr(line, '\n') != NULL;
        if (!ended) break;
        sscanf(line, "key %64s", key);
        sscanf(line, "rows %ld", &rows);
        const int done = sscanf(line, "done %ld %ld", &start, &count) == 2;
        if (done && count > 0 && count <= st->sweep->rows - st->claimed) st->claimed += count;
    }
    fclose(file);
    if (strcmp(key, st->key) != 0 || rows != st->sweep->rows)
        status = arne_fail(error, ARNE_FILE, st->work, 0,
                           "is of another sweep, or its files have changed since: it cannot be "
                           "resumed; remove it to start anew");
    if (!status) {
        st->manifest = open(st->manifest_path, O_WRONLY | O_APPEND | O_CLOEXEC);
        if (st->manifest < 0)
            status = sweep_store_fail_path(error, st->manifest_path, "cannot be written");
    }
    if (!status && !ended) {
        store_warn(st, "torn", st->manifest_path, "the last line is torn; shards say what is done");
        put(&st->lines, "\n");
    }
    return status;
}

// ---- the folder

static arne_status sweep_store_make_folders(sweep_store *st, arne_error *error)
{
    const char *folders[] = {st->shards, st->sweep->keep ? st->runs : NULL,
                             st->sweep->warm ? st->warm : NULL};
    for (size_t i = 0; i < 3; i++)
        if (folders[i] && mkdir(folders[i], 0777) != 0 && errno != EEXIST)
            return sweep_store_fail_path(error, folders[i], "cannot be made");
    return ARNE_OK;
}

static int is_empty(const char *dir)
{
    DIR *folder = opendir(dir);
    int  count = 0;
    for (struct dirent *e = folder ? readdir(folder) : NULL; e; e = readdir(folder))
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    if (folder) closedir(folder);
    return folder && count == 0;
}

static arne_status lock_work(sweep_store *st, arne_error *error)
{
    if (arne_folder_lock(st->work, 0, &st->lock) == 0) return ARNE_OK;
    if (errno == EWOULDBLOCK)
        return arne_fail(error, ARNE_FILE, st->dir, 0,
                         "another sweep into this folder is under way");
    return sweep_store_fail_path(error, st->work, "cannot be used");
}

// A manifest alone makes a folder ours: a sweep that was killed before that has left nothing.
static arne_status enter_work(sweep_store *st, int *goes_on, arne_error *error)
{
    struct stat info;
    const int   made = mkdir(st->work, 0777) == 0;
    if (!made && errno != EEXIST) return sweep_store_fail_path(error, st->work, "cannot be made");
    arne_status status = lock_work(st, error);
    if (status) return status;
    const int there = stat(st->manifest_path, &info) == 0;
    rmdir(st->shards); // of a sweep that was killed before it had a manifest
    if (there && !st->how->resume)
        return arne_fail(error, ARNE_FILE, st->work, 0,
                         "holds a sweep that was stopped: --resume goes on with it; remove it to "
                         "start anew");
    if (!there && !is_empty(st->work))
        return arne_fail(error, ARNE_FILE, st->work, 0, "holds something that is no sweep's");
    *goes_on = there;
    return ARNE_OK;
}

// Whether DIR is this very sweep, complete: a process may have been killed while it cleaned up, or
// a job was submitted once more. Then nothing is computed.
static int is_finished(sweep_store *st)
{
    char           *path = arne_join(st->dir, "/summary.json", "");
    document        doc = {0};
    arne_error      ignored;
    findings        found = {0};
    const reader    r = {.file = path ? path : "", .error = &ignored, .found = &found};
    const doc_node *key = NULL, *failed = NULL;
    if (path && document_load(&r, &doc) == ARNE_OK && doc.root && doc.root->kind == DOC_MAP) {
        key = doc_find(doc.root, "key");
        failed = doc_find(doc.root, "failed");
    }
    const int same = key && key->kind == DOC_TEXT && strcmp(key->text, st->key) == 0;
    if (same && failed && failed->kind == DOC_TEXT) st->failed = strtol(failed->text, NULL, 10);
    document_free(&doc);
    findings_free(&found);
    free(path);
    return same;
}

static void take_finished(sweep_store *st)
{
    run_folder folder;
    // Runs that a killed process left on their way into DIR are there already.
    if (st->sweep->keep && (mkdir(st->runs, 0777) == 0 || errno == EEXIST))
        store_take_back_runs(st);
    if (arne_run_folder_begin(&folder, st->dir, NULL) == ARNE_OK) // removes what killed ones left
        arne_run_folder_drop(&folder);
    memset(st->is_done, 0xff, (size_t)st->sweep->rows / 8 + 1);
    st->done = st->resumed = st->sweep->rows;
    st->finished = 1;
    store_remove_work(st);
}

arne_status store_begin(sweep_store *st, const arne_sweep_options *how, arne_error *error)
{
    int goes_on = 0;
    st->how = how;
    st->is_done = calloc((size_t)st->sweep->rows / 8 + 1, 1);
    if (!st->is_done) return arne_fail_memory(error);
    arne_status status = run_list_check(st->dir, NULL, error);
    if (!status) status = enter_work(st, &goes_on, error);
    if (!status) status = sweep_store_find_key(st, error);
    const int finished = !status && how->resume && is_finished(st);
    const int retries = how->resume && how->retry;
    if (finished && !(retries && st->failed)) {
        take_finished(st);
        return ARNE_OK;
    }
    st->failed = 0;
    if (!status && goes_on) status = read_manifest(st, error);
    if (!status) status = sweep_store_make_folders(st, error);
    if (!status && !goes_on) status = write_manifest(st, error);
    if (!status && finished && !goes_on) status = store_reopen(st, error);
    if (finished) goes_on = 1;
    if (!status && goes_on && st->sweep->keep) store_take_back_runs(st);
    if (!status && goes_on && retries) status = store_forget_failed(st, error);
    if (!status && goes_on) status = scan_shards(st, error);
    if (!status && goes_on && st->sweep->keep) store_clear_runs(st);
    if (retries) st->claimed = 0; // those that failed are missed on purpose
    st->resumed = st->done;
    if (!status && st->claimed > st->done)
        store_warn(st, "lost", st->work,
                   "%ld rows that were done are damaged or gone: they are computed again",
                   st->claimed - st->done);
    return status;
}

// ---- while rows come in

static int add_done(sweep_store *st, const extent *e, const char *shard)
{
    st->done += sweep_store_mark(st, e->start, e->count);
    st->failed += e->failed;
    st->unsynced += e->count;
    put(&st->lines, "done %ld %ld %ld %s\n", e->start, e->count, e->failed, shard);
    return add_extent(st, e) && !st->lines.failed ? 0 : ENOMEM;
}

int store_done(sweep_store *st, const chunk_done *done, const long *order)
{
    const int shard = sweep_store_add_name(st, done->shard);
    extent e = {done->what.start, done->what.count, done->failed, done->offset, done->bytes, shard};
    if (shard < 0) return ENOMEM;
    if (!done->what.count) return 0;
    if (order) e.start = order[done->what.start]; // such chunks are of one row
    return add_done(st, &e, done->shard);
}

int store_sync(sweep_store *st)
{
    int bad = 0;
    if (!st->lines.size) return 0;
    bad = shard_append(st->manifest, st->lines.text, st->lines.size);
    if (!bad && fdatasync(st->manifest) != 0) bad = errno;
    st->lines.size = 0;
    st->unsynced = 0;
    return bad;
}
