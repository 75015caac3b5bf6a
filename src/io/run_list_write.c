// Writing the list: of a whole folder, and of files that are added to one.
#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier): realpath
#include "base/buffer.h"
#include "base/error.h"
#include "io/run_folder.h"
#include "io/run_hash.h"
#include "io/run_list.h"
#include "io/whole_file.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static arne_status run_list_write_fail_errno(const char *path, const char *what, arne_error *error)
{
    char reason[160];
    if (errno == ENOMEM) return arne_fail_memory(error);
    arne_folder_reason(errno, reason, sizeof reason);
    return arne_fail(error, ARNE_FILE, path, 0, "%s: %s", what, reason);
}

typedef struct entry {
    char *name, hash[SHA256_TEXT];
} entry;

typedef struct entry_list {
    entry *items;
    int    count, no_memory;
} entry_list;

static int run_list_write_add_entry(entry_list *all, const char *name, const char *hash)
{
    entry *items = realloc(all->items, ((size_t)all->count + 1) * sizeof *items);
    if (items) all->items = items;
    char *copy = items ? arne_join(name, "", "") : NULL;
    all->no_memory = !copy;
    if (!copy) return -1;
    items[all->count].name = copy;
    snprintf(items[all->count++].hash, SHA256_TEXT, "%s", hash);
    return 0;
}

static void free_entries(entry_list *all)
{
    for (int i = 0; i < all->count; i++)
        free(all->items[i].name);
    free(all->items);
    *all = (entry_list){0};
}

static int hash_item(void *context, const folder_item *item)
{
    char hash[SHA256_TEXT];
    if (item->kind != FOLDER_FILE || strcmp(item->name, RUN_SUMMARY) == 0) return 0;
    if (run_hash_file(item->parent, item->base, hash) != 0) return -1;
    return run_list_write_add_entry(context, item->name, hash);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

static void put_entries(buffer *b, const entry_list *all)
{
    put(b, "{");
    for (int i = 0; i < all->count; i++) {
        put(b, "%s\n    ", i ? "," : "");
        arne_json_put(b, all->items[i].name);
        put(b, ": ");
        arne_json_put(b, all->items[i].hash); // of a list that anybody may have written
    }
    put(b, "\n  }");
}

static int has_entry(const entry_list *all, const char *name)
{
    for (int i = 0; i < all->count; i++)
        if (strcmp(all->items[i].name, name) == 0) return 1;
    return 0;
}

// Length of a JSON object's text without its last brace and the blanks before it.
static size_t before_end(const char *text, size_t size)
{
    while (size && text[size - 1] != '}')
        size--;
    if (size) size--;
    while (size && strchr(" \n\r\t", text[size - 1]))
        size--;
    return size;
}

// The text of a summary with these entries as its list, and its own hash among them.
static void run_list_write_put_summary(buffer *b, const char *text, size_t size, entry_list *all)
{
    const char *from, *to;
    buffer      plain = {0};
    char        hash[SHA256_TEXT];
    if (!run_find_list(text, size, &from, &to)) { // it comes last
        size = before_end(text, size);
        put_bytes(&plain, text, size);
        put(&plain, "%s\n  \"files\": {}\n}\n", size && text[size - 1] == '{' ? "" : ",");
        text = plain.text;
        size = plain.size;
    }
    if (!plain.failed && run_find_list(text, size, &from, &to)) {
        run_hash_summary(text, size, hash);
        if (!has_entry(all, RUN_SUMMARY) && run_list_write_add_entry(all, RUN_SUMMARY, hash) != 0)
            b->failed = 1;
        qsort(all->items, (size_t)all->count, sizeof *all->items, by_name);
        put_bytes(b, text, (size_t)(from - text));
        put_entries(b, all);
        put_bytes(b, to, (size_t)(text + size - to));
    }
    b->failed |= plain.failed;
    buffer_free(&plain);
}

static arne_status run_list_write_write_summary(const char *dir, const run_list *list,
                                                entry_list *all, arne_error *error)
{
    buffer     b = {0};
    whole_file file;
    char      *path = arne_join(dir, "/", RUN_SUMMARY);
    run_list_write_put_summary(&b, list->text, list->size, all);
    arne_status status =
        path && !b.failed ? arne_whole_file_open(&file, path, error) : arne_fail_memory(error);
    if (!status) {
        fwrite(b.text, 1, b.size, file.stream);
        status = arne_whole_file_close(&file, error);
    }
    buffer_free(&b);
    free(path);
    return status;
}

arne_status run_list_write(const char *dir, arne_error *error)
{
    run_list    list;
    entry_list  all = {0};
    arne_status status = run_list_load(&list, dir, error);
    if (status) return status;
    if (!list.text)
        status = arne_fail(error, ARNE_FILE, dir, 0, "the run has no summary");
    else if (arne_folder_walk(dir, hash_item, &all) != 0)
        status = all.no_memory ? arne_fail_memory(error)
                               : run_list_write_fail_errno(dir, "cannot be read back", error);
    if (!status) status = run_list_write_write_summary(dir, &list, &all, error);
    free_entries(&all);
    run_list_free(&list);
    return status;
}

// ---- files that are added ----

// A folder that is not there has no summary.
static arne_status fail_open(const char *dir, arne_error *error)
{
    const int why = errno;
    char     *path = arne_join(dir, "/", RUN_SUMMARY);
    errno = path ? why : ENOMEM;
    const arne_status status = run_list_write_fail_errno(path, "cannot open the file", error);
    free(path);
    return status;
}

arne_status run_claim_open(run_claim *claim, const char *dir, arne_error *error)
{
    char place[PATH_MAX];
    *claim = (run_claim){.lock = {.handle = -1}, .error = error};
    if (!realpath(dir, place)) return fail_open(dir, error);
    claim->dir = arne_join(place, "", "");
    if (!claim->dir) return arne_fail_memory(error);
    arne_status status = run_list_load(&claim->list, place, error);
    // Without a list there is none to change, and who fills the folder holds its lock.
    if (status || claim->list.state != RUN_LISTED) return status;
    run_list_free(&claim->list);
    if (arne_folder_lock(place, FOLDER_WAIT, &claim->lock) != 0) return fail_open(dir, error);
    return run_list_load(&claim->list, place, error);
}

void run_claim_free(run_claim *claim)
{
    for (int i = 0; i < claim->count; i++)
        free(claim->names[i]);
    free(claim->names);
    free(claim->dir);
    run_list_free(&claim->list);
    arne_folder_unlock(&claim->lock);
}

arne_status run_claim_name(run_claim *claim, const char *name)
{
    char **names = realloc(claim->names, ((size_t)claim->count + 1) * sizeof *names);
    if (names) claim->names = names;
    char *copy = names ? arne_join(name, "", "") : NULL;
    if (!copy) return arne_fail_memory(claim->error);
    claim->names[claim->count++] = copy;
    return ARNE_OK;
}

static int is_claimed(const run_claim *claim, const char *name)
{
    for (int i = 0; i < claim->count; i++)
        if (strcmp(claim->names[i], name) == 0) return 1;
    return 0;
}

// Links, wherever they lead, are never ours; neither is a folder on the way that is one.
static int check_claim(void *context, const folder_item *item)
{
    run_claim *claim = context;
    const int  meant = is_claimed(claim, item->name) ||
                      (strcmp(item->name, "plots") == 0 && item->kind != FOLDER_FOLDER);
    if (!meant) return 0;
    const int foreign = item->kind == FOLDER_OTHER ||
                        (claim->list.state == RUN_LISTED && !run_list_has(&claim->list, item));
    const int changed = !foreign && run_list_changed(&claim->list, item, NULL);
    if (!foreign && !changed) return 0;
    char *path = arne_join(claim->dir, "/", item->name);
    claim->status =
        path ? arne_fail(claim->error, ARNE_FILE, path, 0, "%s: move it away",
                         changed ? "was changed after it was written" : "was not written by a run")
             : arne_fail_memory(claim->error);
    free(path);
    return 1;
}

// The present list with the claimed names; each hash of those is empty or computed.
static arne_status write_claims(run_claim *claim, int with_hashes)
{
    entry_list  all = {0};
    arne_status status = ARNE_OK;
    for (const doc_item *i = claim->list.files->first; i && !status; i = i->next)
        if (i->value->kind == DOC_TEXT && !is_claimed(claim, i->key) &&
            run_list_write_add_entry(&all, i->key, i->value->text) != 0)
            status = arne_fail_memory(claim->error);
    for (int i = 0; i < claim->count && !status; i++) {
        char hash[SHA256_TEXT] = "", *path = arne_join(claim->dir, "/", claim->names[i]);
        if (!path) status = arne_fail_memory(claim->error);
        if (!status && with_hashes && run_hash_file(AT_FDCWD, path, hash) != 0) {
            free(path); // it was not written after all
            continue;
        }
        if (!status && run_list_write_add_entry(&all, claim->names[i], hash) != 0)
            status = arne_fail_memory(claim->error);
        free(path);
    }
    if (!status)
        status = run_list_write_write_summary(claim->dir, &claim->list, &all, claim->error);
    free_entries(&all);
    return status;
}

arne_status run_claim_begin(run_claim *claim)
{
    const int met = arne_folder_walk(claim->dir, check_claim, claim);
    if (met > 0) return claim->status;
    if (met < 0) return run_list_write_fail_errno(claim->dir, "cannot be read", claim->error);
    return claim->list.state == RUN_LISTED ? write_claims(claim, 0) : ARNE_OK;
}

arne_status run_claim_end(run_claim *claim)
{
    return claim->list.state == RUN_LISTED ? write_claims(claim, 1) : ARNE_OK;
}
