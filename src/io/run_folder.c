// mkdir, rename and the like are POSIX, not C; realpath is X/Open.
#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier)

#include "io/run_folder.h"

#include "base/error.h"
#include "io/run_hash.h"
#include "io/run_list.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// A run that is being written; one that gives way to it where that takes two steps; one that ended
// before its time.
static const char PARTIAL[] = ".partial", REPLACED[] = ".replaced", INCOMPLETE[] = ".incomplete";
enum { DIGITS = 8 };

static arne_status run_folder_fail_path(arne_error *error, const char *path, const char *what)
{
    char reason[160];
    if (errno == ENOMEM) return arne_fail_memory(error);
    arne_folder_reason(errno, reason, sizeof reason);
    return arne_fail(error, ARNE_FILE, path, 0, "%s: %s", what, reason);
}

char *arne_run_folder_path(const run_folder *folder, const char *name)
{
    return arne_join(folder->partial, "/", name);
}

// ---- the place ----

static const char *run_folder_base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// Where the folder is, behind links; as it is said where there is none yet.
static arne_status run_folder_find_place(const char *dir, char **out, arne_error *error)
{
    char        place[PATH_MAX];
    struct stat info, here;
    size_t      length = strlen(dir);
    while (length > 1 && dir[length - 1] == '/')
        length--;
    *out = NULL;
    if (length == 0) return arne_fail(error, ARNE_FILE, dir, 0, "a folder needs a name");
    char *said = arne_join(dir, "", "");
    if (!said) return arne_fail_memory(error);
    said[length] = 0;
    if (lstat(said, &info) != 0) {
        *out = said;
        return ARNE_OK;
    }
    arne_status status = ARNE_OK;
    const char *last = run_folder_base_of(said);
    const int as_said = !S_ISLNK(info.st_mode) && strcmp(last, ".") != 0 && strcmp(last, "..") != 0;
    if (stat(said, &info) != 0 || !realpath(said, place))
        status = run_folder_fail_path(error, said, "leads nowhere");
    else if (stat(".", &here) == 0 && here.st_dev == info.st_dev && here.st_ino == info.st_ino)
        status = arne_fail(error, ARNE_FILE, said, 0,
                           "the folder is replaced as a whole: start the run from outside it");
    else if (!(*out = arne_join(as_said ? said : place, "", "")))
        status = arne_fail_memory(error);
    free(said);
    return status;
}

// "." of "run", "a/b" of "a/b/run"; to be freed.
static char *parent_of(const char *path)
{
    char       *out = arne_join(path, "", "");
    char       *slash = out ? strrchr(out, '/') : NULL;
    const char *none = slash ? "/" : ".";
    if (slash && slash != out) {
        *slash = 0;
        return out;
    }
    free(out);
    return arne_join(none, "", "");
}

// ---- what killed runs left ----

// What is behind the name of the run and a word, or NULL.
static const char *behind(const char *entry, const char *base, const char *word)
{
    const size_t length = strlen(base), more = strlen(word);
    if (strncmp(entry, base, length) != 0 || strncmp(entry + length, word, more) != 0) return NULL;
    return entry + length + more;
}

static int is_number(const char *rest)
{
    return rest && *rest == '-' && strlen(rest + 1) == DIGITS &&
           strspn(rest + 1, "0123456789abcdef") == DIGITS;
}

static int is_replaced_of(const char *entry, const char *base)
{
    return is_number(behind(entry, base, REPLACED));
}

static int is_partial_of(const char *entry, const char *base)
{
    return is_number(behind(entry, base, PARTIAL));
}

// A run folder that two renames have left without its name is put back, and so is one that was
// whole but for its name: its list comes last. Without a list it is of a killed run; one whose
// files are not all there was being removed. Returns whether the folder has to stay.
static int run_folder_put_back(const run_folder *folder, const char *path)
{
    struct stat info;
    run_list    list;
    if (run_list_load(&list, path, NULL) != ARNE_OK) return 1;
    const int whole = list.state == RUN_LISTED && run_list_is_whole(&list, path);
    char     *to = arne_join(folder->dir, run_list_is_incomplete(&list) ? INCOMPLETE : "", "");
    const int due = whole && (!to || lstat(to, &info) != 0);
    if (due && to) rename(path, to);
    free(to);
    run_list_free(&list);
    return due;
}

// Only where all of it is known.
static void remove_leftover(const char *path)
{
    if (run_list_knows(path)) run_list_remove(path, 1);
}

static arne_status run_folder_look_at(const run_folder *folder, const char *parent,
                                      const char *entry, arne_error *error)
{
    folder_lock lock;
    arne_status status = ARNE_OK;
    char       *path = arne_join(parent, "/", entry);
    if (!path) return arne_fail_memory(error);
    if (arne_folder_lock(path, 0, &lock) == 0) {
        if (lock.real && !run_folder_put_back(folder, path)) remove_leftover(path);
        arne_folder_unlock(&lock);
    } else if (errno == EWOULDBLOCK) {
        status = arne_fail(error, ARNE_FILE, folder->dir, 0,
                           "another run into this folder is under way (%s)", entry);
    }
    free(path);
    return status;
}

static arne_status look_around(run_folder *folder, const char *parent, arne_error *error)
{
    DIR        *stream = opendir(parent);
    arne_status status = ARNE_OK;
    if (!stream) return run_folder_fail_path(error, parent, "the folder cannot be read");
    const char *base = run_folder_base_of(folder->dir);
    for (struct dirent *e = readdir(stream); e && !status; e = readdir(stream))
        if (is_partial_of(e->d_name, base) || is_replaced_of(e->d_name, base))
            status = run_folder_look_at(folder, parent, e->d_name, error);
    closedir(stream);
    return status;
}

// ---- the temporary folder ----

// A name that no other process uses now; if one does, the next name is tried.
static uint32_t odd_number(const void *address, int attempt)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    uint64_t x = (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30 ^ (uint64_t)getpid() << 40 ^
                 (uint64_t)(uintptr_t)address ^ (uint64_t)attempt << 56;
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u; // mixes all bits
    return (uint32_t)(x >> 32);
}

static int run_folder_make_folder(run_folder *folder)
{
    const size_t size = strlen(folder->dir) + sizeof PARTIAL + 2 + DIGITS;
    folder->partial = malloc(size);
    if (!folder->partial) {
        errno = ENOMEM;
        return -1;
    }
    for (int i = 0; i < 100; i++) {
        snprintf(folder->partial, size, "%s%s-%08" PRIx32, folder->dir, PARTIAL,
                 odd_number(folder, i));
        if (mkdir(folder->partial, 0777) == 0)
            return arne_folder_lock(folder->partial, 0, &folder->lock);
        if (errno != EEXIST) break;
    }
    const int why = errno;
    free(folder->partial);
    folder->partial = NULL; // it is not ours
    errno = why;
    return -1;
}

// Writes what the folder is, in case it is left behind; then makes inputs/.
static arne_status mark_folder(const run_folder *folder, arne_error *error)
{
    char *summary = arne_run_folder_path(folder, "summary.json"),
         *inputs = arne_run_folder_path(folder, "inputs");
    FILE *out = summary && inputs ? fopen(summary, "wx") : NULL;
    int   bad =
        !out || fprintf(out, "{\"kind\": \"partial\", \"process\": %ld}\n", (long)getpid()) < 0;
    if (out) bad |= fclose(out) != 0;
    bad = bad || mkdir(inputs, 0777) != 0;
    const arne_status status =
        !summary || !inputs ? arne_fail_memory(error)
        : bad               ? run_folder_fail_path(error, folder->partial, "cannot be written")
                            : ARNE_OK;
    free(summary);
    free(inputs);
    return status;
}

arne_status arne_run_folder_begin(run_folder *folder, const char *dir, arne_error *error)
{
    folder_lock around = {.handle = -1};
    *folder = (run_folder){.lock = {.handle = -1}};
    arne_status status = run_folder_find_place(dir, &folder->dir, error);
    char       *parent = status ? NULL : parent_of(folder->dir);
    if (!status && !parent) status = arne_fail_memory(error);
    // One at a time: who looks for others must not be overlooked by them.
    if (!status && arne_folder_lock(parent, FOLDER_WAIT | FOLDER_FOLLOW, &around) != 0)
        status = run_folder_fail_path(error, folder->dir, "the folder cannot be made");
    if (!status) status = look_around(folder, parent, error);
    if (!status && run_folder_make_folder(folder) != 0)
        status = run_folder_fail_path(error, folder->dir, "the folder cannot be made");
    arne_folder_unlock(&around);
    if (!status) status = mark_folder(folder, error);
    free(parent);
    if (status) arne_run_folder_drop(folder);
    return status;
}

arne_status arne_run_folder_check(const run_folder *folder, arne_error *error)
{
    char       *other = arne_join(folder->dir, INCOMPLETE, "");
    arne_status status =
        other ? run_list_check(folder->dir, folder->partial, error) : arne_fail_memory(error);
    if (!status) status = run_list_check(other, folder->partial, error);
    free(other);
    return status;
}

arne_status arne_run_check_place(const char *dir, arne_error *error)
{
    run_folder folder = {0};
    arne_error_clear(error);
    if (!dir)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    arne_status status = arne_run_folder_begin(&folder, dir, error);
    if (status) return status;
    status = arne_run_folder_check(&folder, error);
    arne_run_folder_drop(&folder);
    return status;
}

// ---- into its place ----

// "RUN.replaced-XXXXXXXX" of "RUN.partial-XXXXXXXX"; to be freed.
static char *name_aside(const char *partial)
{
    const size_t tail = DIGITS + 1, word = sizeof PARTIAL - 1, length = strlen(partial);
    if (length < tail + word) return arne_join(partial, REPLACED, "");
    char *run = arne_join(partial, "", "");
    if (!run) return NULL;
    run[length - tail - word] = 0;
    char *aside = arne_join(run, REPLACED, partial + length - tail);
    free(run);
    return aside;
}

int arne_run_folder_swap(const char *from, const char *to, arne_exchange_fn exchange)
{
    struct stat info;
    if (lstat(to, &info) != 0) return rename(from, to);
    if (exchange(from, to) == 0) return 0;
    if (errno != ENOSYS) return -1;
    // Two steps, then. Who comes next puts back what is left of a process that ends between them.
    char *aside = name_aside(from);
    if (!aside) {
        errno = ENOMEM;
        return -1;
    }
    int bad = rename(to, aside) != 0;
    if (!bad && rename(from, to) != 0) {
        const int why = errno;
        bad = 1;
        rename(aside, to);
        errno = why;
    } else if (!bad) {
        rename(aside, from);
    }
    free(aside);
    return bad ? -1 : 0;
}

static arne_status put_in_place(run_folder *folder, const char *to, arne_error *error)
{
    folder_lock old = {.handle = -1}, around = {.handle = -1};
    char       *parent = parent_of(to);
    if (!parent) return arne_fail_memory(error);
    arne_status status = ARNE_OK;
    // Others that begin or end, and a report that is being written to the old run, are waited for;
    // but what was computed is not given up for them.
    if (arne_folder_lock(parent, FOLDER_WAIT | FOLDER_FOLLOW, &around) != 0 && errno != EWOULDBLOCK)
        status = run_folder_fail_path(error, to, "the folder cannot be put in its place");
    if (!status && arne_folder_lock(to, FOLDER_WAIT, &old) != 0) errno = 0;
    if (!status) status = run_list_check(to, folder->partial, error);
    if (!status && arne_run_folder_swap(folder->partial, to, arne_folder_exchange) != 0)
        status = run_folder_fail_path(error, to, "the folder cannot be put in its place");
    if (!status && arne_folder_sync_names(parent) != 0)
        status = run_folder_fail_path(error, to, "cannot be brought to disk");
    arne_folder_unlock(&old);
    arne_folder_unlock(&around);
    free(parent);
    return status;
}

static arne_status run_folder_finish(run_folder *folder, const char *to,
                                     const arne_report_options *page, arne_error *error)
{
    const arne_status bare = page ? arne_report_write(folder->partial, page, NULL) : ARNE_OK;
    arne_status       status = run_list_write(folder->partial, error);
    if (!status && arne_folder_sync(folder->partial) != 0)
        status = run_folder_fail_path(error, folder->partial, "cannot be brought to disk");
    if (!status) status = put_in_place(folder, to, error);
    if (status) return status;
    run_list_remove(folder->partial, 0); // what was there before
    free(folder->partial);
    folder->partial = NULL;
    arne_folder_unlock(&folder->lock);
    return bare ? arne_report_write(to, page, error) : ARNE_OK; // its error names the right place
}

arne_status arne_run_folder_finish(run_folder *folder, const arne_report_options *page,
                                   arne_error *error)
{
    return run_folder_finish(folder, folder->dir, page, error);
}

arne_status arne_run_folder_keep(run_folder *folder, const arne_report_options *page,
                                 arne_error *error)
{
    char             *to = arne_join(folder->dir, INCOMPLETE, "");
    const arne_status status =
        to ? run_folder_finish(folder, to, page, error) : arne_fail_memory(error);
    free(to);
    return status;
}

void arne_run_folder_drop(run_folder *folder)
{
    if (folder->partial) run_list_remove(folder->partial, 1);
    arne_folder_unlock(&folder->lock);
    free(folder->partial);
    free(folder->dir);
    *folder = (run_folder){.lock = {.handle = -1}};
}

// ---- going on ----

typedef struct comparison {
    const char *before;  // DIR.incomplete
    char       *changed; // what is different
} comparison;

static int compare_input(void *context, const folder_item *item)
{
    comparison *c = context;
    char        now[SHA256_TEXT], then[SHA256_TEXT];
    if (item->kind != FOLDER_FILE || strncmp(item->name, "inputs/", 7) != 0) return 0;
    char *path = arne_join(c->before, "/", item->name);
    if (!path) return -1;
    const int same = run_hash_file(item->parent, item->base, now) == 0 &&
                     run_hash_file(AT_FDCWD, path, then) == 0 && strcmp(now, then) == 0;
    if (same)
        free(path);
    else
        c->changed = path;
    return !same;
}

arne_status arne_run_folder_resume(const run_folder *folder, char **from, arne_error *error)
{
    struct stat info;
    comparison  c = {.changed = NULL};
    *from = arne_join(folder->dir, INCOMPLETE, "");
    if (!*from) return arne_fail_memory(error);
    arne_status status = ARNE_OK;
    if (lstat(*from, &info) != 0 || !S_ISDIR(info.st_mode))
        status =
            arne_fail(error, ARNE_FILE, *from, 0, "is not there: no run was stopped on its way");
    c.before = *from;
    if (!status && arne_folder_walk(folder->partial, compare_input, &c) != 0)
        status = c.changed ? arne_fail(error, ARNE_FILE, c.changed, 0,
                                       "is not what it was when the run was stopped: it cannot be "
                                       "resumed")
                           : arne_fail_memory(error);
    free(c.changed);
    if (!status) return ARNE_OK;
    free(*from);
    *from = NULL;
    return status;
}

void arne_run_folder_resumed(const run_folder *folder)
{
    char *path = arne_join(folder->dir, INCOMPLETE, "");
    if (path && run_list_check(path, NULL, NULL) == ARNE_OK) run_list_remove(path, 0);
    free(path);
}
