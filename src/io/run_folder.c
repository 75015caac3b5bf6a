// mkdir, opendir and unlink are POSIX, not C.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)

#include "io/run_folder.h"
#include "base/error.h"
#include "io/yaml_tree.h"
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *join(const char *a, const char *b, const char *c)
{
    const size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char        *out = malloc(size);
    if (out) snprintf(out, size, "%s%s%s", a, b, c);
    return out;
}

char *arne_path_beside(const char *base, const char *name)
{
    const char *slash = strrchr(base, '/');
    if (name[0] == '/' || !slash) return join(name, "", "");
    const size_t length = (size_t)(slash - base) + 1;
    char        *out = malloc(length + strlen(name) + 1);
    if (!out) return NULL;
    memcpy(out, base, length);
    memcpy(out + length, name, strlen(name) + 1);
    return out;
}

char *arne_run_folder_path(const run_folder *folder, const char *name)
{
    return join(folder->partial, "/", name);
}

void arne_json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

void arne_json_number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "%.17g", value);
    else
        fputs("null", out);
}

// ---- folders ----

static const char *const FILES[] = {
    "result.csv",     "summary.json",    "report.html", "control_points.csv",
    "iterations.csv", "multipliers.csv", "stride.csv",  NULL};
static const char *const FOLDERS[] = {"inputs", "plots", NULL};

static int is_listed(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(name, *list) == 0) return 1;
    return 0;
}

typedef int (*entry_fn)(const char *dir, const char *name, void *context);

// Calls visit for every entry; returns how many calls returned something other than 0, or -1 where dir cannot be read.
static int each_entry(const char *dir, entry_fn visit, void *context)
{
    DIR *stream = opendir(dir);
    int  count = 0;
    if (!stream) return -1;
    for (struct dirent *e = readdir(stream); e; e = readdir(stream))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            count += visit(dir, e->d_name, context) != 0;
    closedir(stream);
    return count;
}

// Something that no run has left there.
static int is_foreign(const char *dir, const char *name, void *context)
{
    (void)dir, (void)context;
    return !is_listed(name, FILES) && !is_listed(name, FOLDERS);
}

static int remove_file(const char *dir, const char *name, void *context)
{
    (void)context;
    char     *path = join(dir, "/", name);
    const int bad = !path || unlink(path) != 0;
    free(path);
    return bad;
}

static int remove_entry(const char *dir, const char *name, void *context)
{
    char *path = join(dir, "/", name);
    if (path && is_listed(name, FOLDERS)) each_entry(path, remove_file, context);
    const int bad = !path || remove(path) != 0;
    free(path);
    return bad;
}

// Only what runs leave; a folder that holds anything else stays.
static void remove_run(const char *dir)
{
    if (each_entry(dir, is_foreign, NULL) != 0) return;
    each_entry(dir, remove_entry, NULL);
    rmdir(dir);
}

static arne_status fail_path(arne_error *error, const char *path, const char *what)
{
    return arne_fail(error, ARNE_FILE, path, 0, "%s: %s", what, strerror(errno));
}

static arne_status check_place(const char *dir, arne_error *error)
{
    struct stat there;
    if (stat(dir, &there) != 0)
        return errno == ENOENT ? ARNE_OK : fail_path(error, dir, "cannot be looked at");
    if (!S_ISDIR(there.st_mode))
        return arne_fail(error, ARNE_FILE, dir, 0, "is there and is no folder");
    if (each_entry(dir, is_foreign, NULL) != 0)
        return arne_fail(error, ARNE_FILE, dir, 0,
                         "is a folder with other files in it: no run is written there");
    return ARNE_OK;
}

arne_status arne_run_folder_begin(run_folder *folder, const char *dir, arne_error *error)
{
    memset(folder, 0, sizeof *folder);
    size_t length = strlen(dir);
    while (length > 1 && dir[length - 1] == '/')
        length--;
    folder->dir = join(dir, "", "");
    if (folder->dir) folder->dir[length] = 0;
    folder->partial = folder->dir ? join(folder->dir, ".partial", "") : NULL;
    char       *inputs = folder->partial ? arne_run_folder_path(folder, "inputs") : NULL;
    arne_status status = inputs ? check_place(folder->dir, error) : arne_fail_memory(error);
    if (!status) remove_run(folder->partial); // of a run that was killed
    if (!status && (mkdir(folder->partial, 0777) != 0 || mkdir(inputs, 0777) != 0))
        status = fail_path(error, folder->partial, "the folder cannot be made");
    free(inputs);
    if (status) arne_run_folder_drop(folder);
    return status;
}

arne_status arne_run_folder_finish(run_folder *folder, arne_error *error)
{
    arne_status status = check_place(folder->dir, error);
    if (status) return status;
    remove_run(folder->dir);
    if (rename(folder->partial, folder->dir) != 0)
        return fail_path(error, folder->dir, "the folder cannot be put in its place");
    free(folder->partial);
    folder->partial = NULL;
    return ARNE_OK;
}

void arne_run_folder_drop(run_folder *folder)
{
    if (folder->partial) remove_run(folder->partial);
    free(folder->partial);
    free(folder->dir);
    memset(folder, 0, sizeof *folder);
}

// ---- copies ----

// The first path that is said in this line, and where.
static const run_path *said_here(const char *line, size_t length, int number, const run_path *paths,
                                 int count, const char **at)
{
    for (int i = 0; i < count; i++) {
        const size_t size = strlen(paths[i].said);
        if (paths[i].line != number) continue;
        for (*at = line; *at + size <= line + length; ++*at)
            if (memcmp(*at, paths[i].said, size) == 0) return &paths[i];
    }
    return NULL;
}

// Writes a text, line by line, with paths changed where they are said.
static void write_changed(FILE *out, const char *text, size_t size, const run_path *paths,
                          int count)
{
    const char *const behind = text + size;
    for (int line = 1; text < behind; line++) {
        const char     *end = memchr(text, '\n', (size_t)(behind - text)), *at = NULL;
        const size_t    length = (size_t)((end ? end + 1 : behind) - text);
        const run_path *path = said_here(text, length, line, paths, count, &at);
        const char     *rest = path ? at + strlen(path->said) : text;
        if (path) {
            fwrite(text, 1, (size_t)(at - text), out);
            fputs(path->now, out);
        }
        fwrite(rest, 1, (size_t)(text + length - rest), out);
        text += length;
    }
}

// "inputs/NAME" that is not taken: the file's own name, else with a number before it.
static char *free_name(const run_folder *folder, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    for (int i = 1; i < 1000; i++) {
        char prefix[32] = "inputs/";
        if (i > 1) snprintf(prefix, sizeof prefix, "inputs/%d_", i);
        char *name = join(prefix, base, ""),
             *full = name ? arne_run_folder_path(folder, name) : NULL;
        struct stat there;
        const int   taken = !full || stat(full, &there) == 0;
        free(full);
        if (!taken) return name;
        free(name);
        if (!name) return NULL;
    }
    return NULL;
}

arne_status arne_run_folder_copy(const run_folder *folder, const char *path, const run_path *paths,
                                 int path_count, char **name, arne_error *error)
{
    const reader r = {.file = path, .error = error};
    size_t       size = 0;
    char        *text = NULL;
    arne_status  status = arne_reader_load(&r, &text, &size);
    *name = NULL;
    if (status) {
        free(text);
        return status;
    }
    *name = free_name(folder, path);
    char *full = *name ? arne_run_folder_path(folder, *name) : NULL;
    FILE *out = full ? fopen(full, "wb") : NULL;
    if (!full) status = arne_fail_memory(error);
    if (full && !out) status = fail_path(error, full, "cannot be written");
    if (out) {
        write_changed(out, text, size, paths, path_count);
        const int bad = ferror(out);
        if (fclose(out) != 0 || bad) status = fail_path(error, full, "cannot be written");
    }
    if (status) {
        free(*name);
        *name = NULL;
    }
    free(full);
    free(text);
    return status;
}

// What a YAML robot extends: the node, in a tree to be freed; NULL where there is none.
static const yaml_node *find_extends(const char *path, yaml_tree *tree)
{
    arne_error   ignored;
    size_t       size = 0;
    char        *text = NULL;
    const reader r = {.file = path, .error = &ignored};
    int          good = arne_reader_load(&r, &text, &size) == ARNE_OK;
    for (size_t i = 0; good && i < size && strchr(" \t\r\n<", text[i]); i++)
        if (text[i] == '<') good = 0; // a URDF, which extends nothing
    if (good) good = arne_yaml_parse(&r, text, size, tree) == ARNE_OK;
    const yaml_node *node = good && tree->root && tree->root->kind == YAML_MAP
                                ? arne_yaml_find(tree->root, "extends")
                                : NULL;
    free(text);
    return node && node->kind == YAML_TEXT ? node : NULL;
}

static arne_status copy_robot(const run_folder *folder, const char *path, int depth, char **name,
                              arne_error *error)
{
    yaml_tree        tree = {0};
    const yaml_node *extends = find_extends(path, &tree);
    arne_status      status = ARNE_OK;
    char            *other = NULL;
    *name = NULL;
    if (extends && depth < ARNE_READ_MAX_EXTENDS) {
        char *other_path = arne_path_beside(path, extends->text);
        status = other_path ? copy_robot(folder, other_path, depth + 1, &other, error)
                            : arne_fail_memory(error);
        free(other_path);
    }
    if (!status) {
        const run_path there = {extends ? extends->line : 0, extends ? extends->text : "",
                                other ? other + strlen("inputs/") : ""};
        status = arne_run_folder_copy(folder, path, &there, other ? 1 : 0, name, error);
    }
    free(other);
    arne_yaml_free(&tree);
    return status;
}

arne_status arne_run_folder_copy_robot(const run_folder *folder, const char *path, char **name,
                                       arne_error *error)
{
    return copy_robot(folder, path, 0, name, error);
}
