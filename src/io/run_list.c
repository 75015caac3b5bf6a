#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "io/run_list.h"

#include "base/error.h"
#include "base/plain.h"
#include "io/run_hash.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- reading ----

static int run_list_is_plain_file(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static int text_is(const doc_node *map, const char *key, const char *text)
{
    const doc_node *n = doc_find(map, key);
    return n && n->kind == DOC_TEXT && strcmp(n->text, text) == 0;
}

static run_state run_list_state_of(const run_list *list)
{
    const doc_node *root = list->tree.root;
    if (!root || root->kind != DOC_MAP) return RUN_NONE;
    if (text_is(root, "kind", "partial")) return RUN_PARTIAL;
    return list->files && list->files->kind == DOC_MAP ? RUN_LISTED : RUN_NONE;
}

arne_status run_list_load(run_list *list, const char *dir, arne_error *error)
{
    arne_error ignored;
    char      *path = arne_join(dir, "/", RUN_SUMMARY);
    *list = (run_list){.state = RUN_NONE};
    if (!path) return arne_fail_memory(error);
    const reader r = {.file = path, .error = &ignored};
    arne_status  status = ARNE_OK;
    if (run_list_is_plain_file(path)) {
        status = arne_reader_load(&r, &list->text, &list->size);
        if (!status) status = document_parse(&r, list->text, list->size, &list->tree);
        if (!status && list->tree.root && list->tree.root->kind == DOC_MAP)
            list->files = doc_find(list->tree.root, "files");
        if (!status) list->state = run_list_state_of(list);
        if (!status && list->tree.root && list->tree.root->kind == DOC_MAP)
            list->said = doc_find(list->tree.root, "kind") != NULL;
        if (status != ARNE_NO_MEMORY) status = ARNE_OK; // no summary, then
    }
    free(path);
    if (list->state != RUN_LISTED) list->files = NULL;
    if (status) arne_fail_memory(error);
    if (status) run_list_free(list);
    return status;
}

void run_list_free(run_list *list)
{
    free(list->text);
    document_free(&list->tree);
    *list = (run_list){.state = RUN_NONE};
}

int run_list_is_incomplete(const run_list *list)
{
    const doc_node *root = list->tree.root;
    return root && root->kind == DOC_MAP && text_is(root, "complete", "false");
}

int run_list_is_whole(const run_list *list, const char *dir)
{
    for (const doc_item *i = list->files ? list->files->first : NULL; i; i = i->next) {
        const int written = i->value->kind != DOC_TEXT || *i->value->text;
        char     *path = arne_join(dir, "/", i->key);
        const int there = !written || (path && run_list_is_plain_file(path));
        free(path);
        if (!there) return 0;
    }
    return 1;
}

static const doc_node *run_list_hash_of(const run_list *list, const char *name)
{
    const doc_node *n = list->files ? doc_find(list->files, name) : NULL;
    return n && n->kind == DOC_TEXT ? n : NULL;
}

static int is_above_listed(const run_list *list, const char *folder)
{
    const size_t length = strlen(folder);
    for (const doc_item *i = list->files ? list->files->first : NULL; i; i = i->next)
        if (strncmp(i->key, folder, length) == 0 && i->key[length] == '/') return 1;
    return 0;
}

// Also what is beside a listed file while it is written, with a point and six letters behind its
// name.
static int run_list_is_listed(const run_list *list, const char *name)
{
    const size_t length = strlen(name);
    if (strcmp(name, RUN_SUMMARY) == 0 || run_list_hash_of(list, name)) return 1;
    if (length < 8 || name[length - 7] != '.') return 0;
    for (const doc_item *i = list->files->first; i; i = i->next)
        if (strlen(i->key) == length - 7 && memcmp(i->key, name, length - 7) == 0) return 1;
    return 0;
}

// The files that runs write.
static const char *const FILES[] = {"result.csv",         "summary.json",   "report.html",
                                    "control_points.csv", "iterations.csv", "multipliers.csv",
                                    "stride.csv",         "checkpoint.csv", "impacts.csv",
                                    "fatigue.csv",        "table.csv",      "table.h5",
                                    "parameters.csv",     "motion.csv",     "friction.csv",
                                    "robot.yaml",         "robot.urdf",     NULL};

// In the folder of a killed run, which has no list: a file that runs write, with or without the
// point and six letters that are behind its name while it is written, a plot or a copied input.
static int is_of_killed_run(const run_list *list, const char *name)
{
    if (strncmp(name, "plots/", 6) == 0) return 1;
    // Meshes lie in folders of their own.
    if (strncmp(name, "inputs/", 7) == 0) return list->said || !strchr(name + 7, '/');
    for (const char *const *f = FILES; *f; f++) {
        const size_t length = strlen(*f);
        if (strncmp(name, *f, length) != 0) continue;
        if (!name[length] || (name[length] == '.' && strlen(name + length) == 7)) return 1;
    }
    return 0;
}

int run_list_has(const run_list *list, const folder_item *item)
{
    if (item->kind == FOLDER_OTHER) return 0;
    if (item->kind == FOLDER_FOLDER)
        return strcmp(item->name, "inputs") == 0 || strcmp(item->name, "plots") == 0 ||
               is_above_listed(list, item->name) ||
               (list->state == RUN_PARTIAL && is_of_killed_run(list, item->name));
    if (list->state == RUN_LISTED) return run_list_is_listed(list, item->name);
    return list->state == RUN_PARTIAL && is_of_killed_run(list, item->name);
}

// ---- may it be replaced? ----

typedef struct check {
    const run_list *list;
    const char     *fresh;
    char           *name; // the first, by name, that belongs to the user
    int             changed, count;
} check;

static int is_in_fresh(const char *fresh, const char *name, const char *hash)
{
    char      other[SHA256_TEXT], *path = fresh ? arne_join(fresh, "/", name) : NULL;
    const int same = path && run_hash_file(AT_FDCWD, path, other) == 0 && strcmp(other, hash) == 0;
    free(path);
    return same;
}

int run_list_changed(const run_list *list, const folder_item *item, const char *fresh)
{
    char            hash[SHA256_TEXT];
    const doc_node *n = item->kind == FOLDER_FILE ? run_list_hash_of(list, item->name) : NULL;
    if (!n || !*n->text) return 0;
    if (strcmp(item->name, RUN_SUMMARY) == 0)
        run_hash_summary(list->text, list->size, hash);
    else if (run_hash_file(item->parent, item->base, hash) != 0)
        return 1;
    return strcmp(hash, n->text) != 0 && !is_in_fresh(fresh, item->name, hash);
}

static int run_list_check_item(void *context, const folder_item *item)
{
    check    *c = context;
    const int foreign = c->list->state != RUN_LISTED || !run_list_has(c->list, item);
    const int changed = !foreign && run_list_changed(c->list, item, c->fresh);
    if (!foreign && !changed) return 0;
    if (c->count++ && strcmp(item->name, c->name) >= 0) return 0;
    free(c->name);
    c->name = arne_join(item->name, "", "");
    c->changed = changed;
    if (!c->name) errno = ENOMEM;
    return c->name ? 0 : -1;
}

static arne_status fail_foreign(const check *c, const char *dir, arne_error *error)
{
    char  others[64] = "";
    char *path = arne_join(dir, "/", c->name);
    if (c->count > 1) snprintf(others, sizeof others, " (and %d more)", c->count - 1);
    if (!path) return arne_fail_memory(error);
    const arne_status status = arne_fail(
        error, ARNE_FILE, path, 0,
        "%s%s: no run is written to a folder with other files in it; move it away, or "
        "choose another folder",
        c->changed ? "was changed after a run wrote it" : "was not written by a run", others);
    free(path);
    return status;
}

arne_status run_list_check(const char *dir, const char *fresh, arne_error *error)
{
    run_list    list;
    struct stat there;
    if (lstat(dir, &there) != 0)
        return errno == ENOENT ? ARNE_OK
                               : arne_fail(error, ARNE_FILE, dir, 0, "cannot be looked at: %s",
                                           plain_reason(errno));
    if (!S_ISDIR(there.st_mode))
        return arne_fail(error, ARNE_FILE, dir, 0, "is there and is no folder");
    arne_status status = run_list_load(&list, dir, error);
    if (status) return status;
    check c = {.list = &list, .fresh = fresh};
    if (arne_folder_walk(dir, run_list_check_item, &c) != 0)
        status = errno == ENOMEM ? arne_fail_memory(error)
                                 : arne_fail(error, ARNE_FILE, dir, 0, "cannot be read: %s",
                                             plain_reason(errno));
    else if (c.count)
        status = fail_foreign(&c, dir, error);
    free(c.name);
    run_list_free(&list);
    return status;
}

// The summary says whose all the others are: it goes last, or nobody would know them again.
static int run_list_remove_item(void *context, const folder_item *item)
{
    if (strcmp(item->name, RUN_SUMMARY) != 0 && run_list_has(context, item))
        unlinkat(item->parent, item->base, item->kind == FOLDER_FOLDER ? AT_REMOVEDIR : 0);
    return 0;
}

// A summary without a list is the last but one thing that a run writes.
static int load_unfinished(run_list *list, const char *dir)
{
    if (run_list_load(list, dir, NULL) != ARNE_OK) return 0;
    if (list->state != RUN_LISTED) list->state = RUN_PARTIAL;
    return 1;
}

static int is_foreign(void *context, const folder_item *item)
{
    return !run_list_has(context, item);
}

int run_list_knows(const char *dir)
{
    run_list list;
    if (!load_unfinished(&list, dir)) return 0;
    const int foreign = arne_folder_walk(dir, is_foreign, &list);
    run_list_free(&list);
    return foreign == 0;
}

void run_list_remove(const char *dir, int unfinished)
{
    run_list  list;
    const int there = unfinished ? load_unfinished(&list, dir) : !run_list_load(&list, dir, NULL);
    char     *summary = there ? arne_join(dir, "/", RUN_SUMMARY) : NULL;
    if (summary) {
        arne_folder_walk(dir, run_list_remove_item, &list);
        if (run_list_is_plain_file(summary)) unlink(summary);
        rmdir(dir);
    }
    if (there) run_list_free(&list);
    free(summary);
}
