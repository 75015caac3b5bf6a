// Copies of what a run was made from, in inputs/. A copy names the copies of other files.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/error.h"
#include "base/plain.h"
#include "base/text.h"
#include "io/folder.h"
#include "io/formats/formats.h"
#include "io/run_folder.h"
#include "io/yaml_robot.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *arne_path_beside(const char *base, const char *name)
{
    const char *slash = strrchr(base, '/');
    if (name[0] == '/' || !slash) return arne_join(name, "", "");
    const size_t length = (size_t)(slash - base) + 1;
    char        *out = malloc(length + strlen(name) + 1);
    if (!out) return NULL;
    memcpy(out, base, length);
    memcpy(out + length, name, strlen(name) + 1);
    return out;
}

// The first path in this line, and its position.
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

// Writes a text, line by line, with its paths changed.
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

static const char *run_copy_base_of(const char *path)
{
    const char *base = path + robot_path_size(path);
    while (base > path && base[-1] != '/')
        base--;
    return base;
}

static int run_copy_is_taken(const run_folder *folder, const char *name)
{
    struct stat there;
    char       *full = arne_run_folder_path(folder, name);
    const int   taken = !full || stat(full, &there) == 0;
    free(full);
    return taken;
}

// NAME.urdf of NAME.yaml; NULL where there is no memory.
static char *urdf_of(const char *name)
{
    char *out = name ? arne_join(name, ".urdf", "") : NULL;
    char *dot = out ? strrchr(run_copy_base_of(name), '.') : NULL;
    if (dot) strcpy(out + (dot - name), ".urdf");
    return out;
}

// "inputs/NAME" that is not taken: the file's own name, else with a number before it. With a
// partner, that of NAME.urdf is not taken either.
static char *free_name(const run_folder *folder, const char *path, const char *partner)
{
    const char *base = run_copy_base_of(path);
    char        clean[256]; // as a list in JSON can have it
    text_line(clean, sizeof clean, "%s", base);
    char *xacro = strstr(clean, ".xacro"); // whose copy is a URDF
    if (xacro && robot_name_is(path, ARNE_FORMAT_XACRO))
        snprintf(xacro, sizeof clean - (size_t)(xacro - clean), "%s",
                 xacro > clean + 5 && strncmp(xacro - 5, ".urdf", 5) == 0 ? "" : ".urdf");
    for (char *c = clean; *c; c++)
        if (*c == '?' || *c == '\\') *c = '_';
    for (int i = 1; i < 1000; i++) {
        char prefix[32] = "inputs/";
        if (i > 1) snprintf(prefix, sizeof prefix, "inputs/%d_", i);
        char *name = arne_join(prefix, clean, "");
        char *other = partner ? urdf_of(name) : NULL;
        if (name && !run_copy_is_taken(folder, name) &&
            (!partner || (other && !run_copy_is_taken(folder, other)))) {
            free(other);
            return name;
        }
        free(other);
        free(name);
        if (!name) return NULL;
    }
    return NULL;
}

static int text_contains(const char *text, size_t size, const char *what)
{
    const size_t length = strlen(what);
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(text + i, what, length) == 0) return 1;
    return 0;
}

// The text of the copy. What other files belong to becomes one file: xacro a URDF, an SDF file that
// includes others, or of whose models one is meant, a YAML file (by its content, whatever its
// name).
static arne_status load_whole(const char *path, char **text, size_t *size, arne_error *error)
{
    const reader r = {.file = path, .error = error};
    arne_robot  *robot = NULL;
    if (robot_name_is(path, ARNE_FORMAT_XACRO))
        return arne_xacro_text(path, NULL, text, size, error);
    arne_status status = arne_reader_load(&r, text, size);
    if (status || robot_format_of(path, *text, *size) != robot_format_at(ARNE_FORMAT_SDF))
        return status;
    if (!path[robot_path_size(path)] && !text_contains(*text, *size, "<include")) return ARNE_OK;
    free(*text);
    *text = NULL;
    status = arne_robot_read(path, NULL, &robot, error);
    if (!status) status = arne_robot_text(robot, ARNE_FORMAT_YAML, NULL, NULL, text, size, error);
    arne_robot_free(robot);
    return status;
}

// Under a name that is taken over.
static arne_status copy_as(const run_folder *folder, const char *path, const run_path *paths,
                           int path_count, char *own_name, char **name, arne_error *error)
{
    size_t      size = 0;
    char       *text = NULL;
    arne_status status = load_whole(path, &text, &size, error);
    *name = own_name;
    if (status) {
        free(text);
        free(own_name);
        *name = NULL;
        return status;
    }
    char *full = *name ? arne_run_folder_path(folder, *name) : NULL;
    FILE *out = full ? fopen(full, "wb") : NULL;
    if (!full) status = arne_fail_memory(error);
    if (full && !out)
        status = arne_fail(error, ARNE_FILE, full, 0, "cannot be written: %s", plain_reason(errno));
    if (out) {
        write_changed(out, text, size, paths, path_count);
        const int bad = ferror(out);
        if (fclose(out) != 0 || bad)
            status =
                arne_fail(error, ARNE_FILE, full, 0, "cannot be written: %s", plain_reason(errno));
    }
    if (status) {
        free(*name);
        *name = NULL;
    }
    free(full);
    free(text);
    return status;
}

arne_status arne_run_folder_copy(const run_folder *folder, const char *path, const run_path *paths,
                                 int path_count, char **name, arne_error *error)
{
    return copy_as(folder, path, paths, path_count, free_name(folder, path, NULL), name, error);
}

// NAME.yaml of loops and the NAME.urdf that it belongs to: they find each other by their names.
static arne_status copy_pair(const run_folder *folder, const char *path, const char *urdf,
                             char **name, arne_error *error)
{
    char       *own = free_name(folder, path, urdf), *partner = own ? urdf_of(own) : NULL;
    char       *from = arne_path_beside(path, urdf), *copied = NULL;
    arne_status status = ARNE_OK;
    *name = NULL;
    if (own && partner && from)
        status = copy_as(folder, from, NULL, 0, partner, &copied, error);
    else
        status = arne_fail_memory(error), free(partner);
    if (!status)
        status = copy_as(folder, path, NULL, 0, own, name, error);
    else
        free(own);
    free(copied);
    free(from);
    return status;
}

// What a YAML robot extends: the node, in a tree to be freed; NULL where there is none.
static const doc_node *find_extends(const char *path, document *tree)
{
    arne_error   ignored;
    size_t       size = 0;
    char        *text = NULL;
    const reader r = {.file = path, .error = &ignored};
    int          good = arne_reader_load(&r, &text, &size) == ARNE_OK;
    for (size_t i = 0; good && i < size && strchr(" \t\r\n<", text[i]); i++)
        if (text[i] == '<') good = 0; // a URDF, which extends nothing
    if (good) good = document_parse(&r, text, size, tree) == ARNE_OK;
    const doc_node *node =
        good && tree->root && tree->root->kind == DOC_MAP ? doc_find(tree->root, "extends") : NULL;
    free(text);
    return node && node->kind == DOC_TEXT ? node : NULL;
}

static arne_status copy_robot(const run_folder *folder, const char *path, int depth, char **name,
                              arne_error *error)
{
    document        tree = {0};
    const doc_node *extends = find_extends(path, &tree);
    arne_status     status = ARNE_OK;
    char           *other = NULL, urdf[256];
    *name = NULL;
    if (tree.root && tree.root->kind == DOC_MAP &&
        arne_yaml_beside(tree.root, path, urdf, sizeof urdf)) {
        status = copy_pair(folder, path, urdf, name, error);
        document_free(&tree);
        return status;
    }
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
    document_free(&tree);
    return status;
}

arne_status arne_run_folder_copy_robot(const run_folder *folder, const char *path, char **name,
                                       arne_error *error)
{
    arne_status status = copy_robot(folder, path, 0, name, error);
    if (!status) status = arne_run_folder_copy_meshes(folder, path, error);
    if (status) {
        free(*name);
        *name = NULL;
    }
    return status;
}
