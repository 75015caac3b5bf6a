#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier): realpath
#include "io/named_file.h"

#include "base/error.h"
#include "base/plain.h"
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int named_file_is_plain_file(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && S_ISREG(there.st_mode);
}

arne_status named_file_check(const char *path, arne_error *error)
{
    struct stat there;
    if (stat(path, &there) != 0 || S_ISREG(there.st_mode)) return ARNE_OK;
    return arne_fail(error, ARNE_FILE, path, 0, "this is not a regular file");
}

const char *named_mesh_format(const char *path)
{
    static const char *const formats[] = {"stl", "obj", "dae", "gltf", "glb", "vtp", NULL};
    const char              *point = strrchr(path, '.');
    for (int i = 0; point && formats[i]; i++)
        if (plain_same(point + 1, formats[i])) return formats[i];
    return NULL;
}

int named_mesh_is_file(const char *path)
{
    char real[PATH_MAX];
    return named_file_is_plain_file(path) && realpath(path, real) && named_mesh_format(real);
}

// ---- materials

// Whether a file lies in a folder or below, both as realpath has them.
static int lies_in(const char *file, const char *folder)
{
    const size_t length = strlen(folder);
    return strncmp(file, folder, length) == 0 && (file[length] == '/' || length == 1);
}

static int material_is_allowed(const char *mesh, const char *path)
{
    char         folder[PATH_MAX], real[PATH_MAX];
    const size_t length = strlen(path);
    if (!named_file_is_plain_file(path) || !realpath(path, real) || !realpath(mesh, folder))
        return 0;
    *strrchr(folder, '/') = 0;
    const char *point = strrchr(real, '.');
    return length > 4 && plain_same(path + length - 4, ".mtl") && point &&
           plain_same(point, ".mtl") && lies_in(real, *folder ? folder : "/");
}

char *named_material(const char *mesh, const char *text, const char **said, size_t *length)
{
    const char *format = named_mesh_format(mesh), *at = strstr(text, "mtllib ");
    const char *slash = strrchr(mesh, '/');
    if (!format || strcmp(format, "obj") != 0 || !at) return NULL;
    at += strlen("mtllib ");
    const size_t name = strcspn(at, "\r\n"), folder = slash ? (size_t)(slash - mesh) + 1 : 0;
    char        *path = malloc(folder + name + 1);
    if (!path) return NULL;
    memcpy(path, mesh, folder);
    memcpy(path + folder, at, name);
    path[folder + name] = 0;
    if (!material_is_allowed(mesh, path)) {
        free(path);
        return NULL;
    }
    if (said) {
        *said = at;
        *length = name;
    }
    return path;
}

// ---- bytes

static unsigned char *named_file_read_all(int file, size_t length, size_t *size)
{
    unsigned char *bytes = malloc(length + 1);
    size_t         got = 0;
    while (bytes && got < length) {
        const ssize_t more = read(file, bytes + got, length - got);
        if (more <= 0) break;
        got += (size_t)more;
    }
    if (bytes && got != length) {
        free(bytes);
        return NULL;
    }
    if (bytes) bytes[got] = 0;
    *size = got;
    return bytes;
}

unsigned char *named_file_bytes(const char *path, size_t *size)
{
    struct stat    there;
    unsigned char *bytes = NULL;
    const int      file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return NULL;
    if (fstat(file, &there) == 0 && S_ISREG(there.st_mode) && there.st_size <= NAMED_FILE_MOST)
        bytes = named_file_read_all(file, (size_t)there.st_size, size);
    close(file);
    return bytes;
}
