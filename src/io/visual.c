// realpath is POSIX, not C.
#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier)
#include "io/visual.h"

#include "base/error.h"
#include "io/formats/formats.h"
#include "io/named_file.h"
#include "robot/builder.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *visual_text(const char *text)
{
    const size_t size = strlen(text) + 1;
    char        *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

visual *visuals_add(visual_list *list, const char *link, const char *file)
{
    visual *item = realloc(list->item, ((size_t)list->count + 1) * sizeof *item);
    if (!item) return NULL;
    list->item = item;
    visual *v = &item[list->count];
    *v = (visual){.link = visual_text(link), .file = visual_text(file)};
    v->at.R = (arne_mat3){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    list->count++;
    return v->link && v->file ? v : NULL;
}

void visuals_free(visual_list *list)
{
    for (int i = 0; i < list->count; i++) {
        free(list->item[i].link);
        free(list->item[i].file);
        free(list->item[i].material);
        free(list->item[i].mesh);
    }
    free(list->item);
    *list = (visual_list){0};
}

arne_status visuals_read(const char *path, visual_list *out, arne_error *error)
{
    arne_builder *builder = NULL;
    arne_error    own;
    *out = (visual_list){0};
    arne_error_clear(&own);
    if (arne_builder_new(&builder)) return arne_fail_memory(error);
    reader r = {
        .builder = builder, .file = path, .found = &builder->found, .error = &own, .looks = out};
    const arne_status status = arne_reader_end(&r, arne_reader_file(&r), error);
    arne_builder_free(builder);
    return status;
}

// --- where meshes lie

typedef int (*file_test)(const char *path);

// "a b/c", where there is such a file; else NULL.
static char *try(file_test is_there, const char *a, size_t a_size, const char *b, size_t b_size,
                 const char *c)
{
    const size_t size = a_size + b_size + strlen(c) + 3;
    char        *path = malloc(size);
    if (!path) return NULL;
    snprintf(path, size, "%.*s%s%.*s/%s", (int)a_size, a, b_size ? "/" : "", (int)b_size, b, c);
    if (is_there(path)) return path;
    free(path);
    return NULL;
}

// Every folder of a list with colons: FOLDER/between NAME/rest.
static char *try_list(file_test is_there, const char *list, const char *between, const char *name,
                      size_t length, const char *rest)
{
    char  inside[512];
    char *found = NULL;
    if (!list || length > 256) return NULL;
    const int size = snprintf(inside, sizeof inside, "%s%.*s", between, (int)length, name);
    for (const char *at = list; !found && *at;) {
        const size_t part = strcspn(at, ":");
        if (part) found = try(is_there, at, part, inside, (size_t)size, rest);
        // A folder may be the package itself.
        if (!found && part >= length && strncmp(at + part - length, name, length) == 0)
            found = try(is_there, at, part, "", 0, rest);
        at += part + (at[part] == ':');
    }
    return found;
}

// Lines NAME=DIR.
static char *try_lines(file_test is_there, const char *lines, const char *name, size_t length,
                       const char *rest)
{
    for (const char *at = lines ? lines : ""; *at;) {
        const size_t size = strcspn(at, "\n");
        char        *found = size > length && strncmp(at, name, length) == 0 && at[length] == '='
                                 ? try(is_there, at + length + 1, size - length - 1, "", 0, rest)
                                 : NULL;
        if (found) return found;
        at += size + (at[size] == '\n');
    }
    return NULL;
}

// The robot's folder and those around it may be the package, or hold it.
static char *try_around(file_test is_there, const char *robot, const char *name, size_t length,
                        const char *rest)
{
    char *real = realpath(robot, NULL), *found = NULL;
    if (!real) return NULL;
    for (int up = 0; up < 6 && !found; up++) {
        char *slash = strrchr(real, '/');
        if (!slash || slash == real) break;
        *slash = 0;
        const size_t size = strlen(real);
        found = try(is_there, real, size, name, length, rest);
        if (!found && size > length && real[size - length - 1] == '/' &&
            strncmp(real + size - length, name, length) == 0)
            found = try(is_there, real, size, "", 0, rest);
    }
    free(real);
    return found;
}

static char *find_in_package(file_test is_there, const char *robot, const char *said,
                             const char *const *packages, int count)
{
    const size_t length = strcspn(said, "/");
    const char  *rest = said + length + (said[length] == '/');
    char        *found = NULL;
    for (int i = 0; i < count && !found; i++)
        if (strncmp(packages[i], said, length) == 0 && packages[i][length] == '=')
            found = try(is_there, packages[i] + length + 1, strlen(packages[i] + length + 1), "", 0,
                        rest);
    if (!found) found = try_lines(is_there, getenv("ARNE_PACKAGES"), said, length, rest);
    if (!found) found = try_list(is_there, getenv("ROS_PACKAGE_PATH"), "", said, length, rest);
    if (!found)
        found = try_list(is_there, getenv("AMENT_PREFIX_PATH"), "share/", said, length, rest);
    if (!found) found = try_around(is_there, robot, said, length, rest);
    return found;
}

static char *mesh_path(const char *robot, const char *said, const char *const *packages, int count)
{
    static const char *const schemes[] = {"package://", "model://", NULL};
    for (int i = 0; schemes[i]; i++)
        if (strncmp(said, schemes[i], strlen(schemes[i])) == 0)
            return find_in_package(named_mesh_is_file, robot, said + strlen(schemes[i]), packages,
                                   count);
    if (strncmp(said, "file://", 7) == 0) said += 7;
    if (*said == '/') return named_mesh_is_file(said) ? visual_text(said) : NULL;
    const char *slash = strrchr(robot, '/');
    return slash ? try(named_mesh_is_file, robot, (size_t)(slash - robot), "", 0, said)
                 : try(named_mesh_is_file, ".", 1, "", 0, said);
}

char *visual_mesh_path(const char *robot, const char *said, const char *const *packages, int count)
{
    char *path = visual_text(robot);
    if (!path) return NULL;
    path[robot_path_size(robot)] = 0;
    char *found = mesh_path(path, said, packages, count);
    free(path);
    return found;
}

char *visual_given_package(const char *name, int (*is_there)(const char *path))
{
    return try_lines(is_there, getenv("ARNE_PACKAGES"), name, strlen(name), ".");
}

char *visual_in_package(const char *robot, const char *said, int (*is_there)(const char *path))
{
    char *path = visual_text(robot);
    if (!path) return NULL;
    path[robot_path_size(robot)] = 0;
    char *found = find_in_package(is_there, path, said, NULL, 0);
    free(path);
    return found;
}
