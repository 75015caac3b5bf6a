// Vertices of meshes: STL, binary or text, and Wavefront OBJ.
#include "io/mesh_hull.h"
#include "io/number.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct cloud {
    arne_vec3 *points;
    int        count, room;
} cloud;

static int mesh_read_add(cloud *c, double x, double y, double z)
{
    if (!isfinite(x) || !isfinite(y) || !isfinite(z)) return 1; // not a point
    if (c->count == c->room) {
        const int  more = c->room ? 2 * c->room : 256;
        arne_vec3 *bigger = realloc(c->points, (size_t)more * sizeof *bigger);
        if (!bigger) return 0;
        c->points = bigger;
        c->room = more;
    }
    c->points[c->count++] = (arne_vec3){x, y, z};
    return 1;
}

// Little-endian, whatever the machine.
static uint32_t mesh_read_word_at(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static double float_at(const unsigned char *p)
{
    const uint32_t bits = mesh_read_word_at(p);
    float          x;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

enum { STL_HEAD = 84, STL_FACE = 50 };

static int mesh_read_is_binary(const char *text, size_t size)
{
    return size >= STL_HEAD &&
           (size - STL_HEAD) / STL_FACE == mesh_read_word_at((const unsigned char *)text + 80) &&
           (size - STL_HEAD) % STL_FACE == 0;
}

static int mesh_read_read_binary(const char *text, size_t size, cloud *c)
{
    for (size_t at = STL_HEAD; at + STL_FACE <= size; at += STL_FACE)
        for (int k = 1; k <= 3; k++) {
            const unsigned char *p = (const unsigned char *)text + at + 12 * k;
            if (!mesh_read_add(c, float_at(p), float_at(p + 4), float_at(p + 8))) return 0;
        }
    return 1;
}

// Reads lines that consist of a word and three numbers ("vertex 0 0 1", "v 0 0 1"); skips others.
static int read_lines(const char *text, const char *word, cloud *c)
{
    const size_t length = strlen(word);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += strspn(line, " \t\r\n");
        if (!*line) break;
        if (strncmp(line, word, length) != 0 || !strchr(" \t", line[length])) continue;
        const char *cursor = line + length, *why;
        double      x[3];
        int         fine = 1;
        for (int k = 0; k < 3 && fine; k++) {
            cursor += strspn(cursor, " \t");
            fine = arne_number_decimal(&cursor, &x[k], &why) == ARNE_OK;
        }
        if (fine && !mesh_read_add(c, x[0], x[1], x[2])) return 0;
    }
    return 1;
}

// Corners of the triangles of lines "f 1 2/4 -1": polygons become fans. Indices count from 1, or
// back from the last point so far, which is taken as the last of all.
static int read_faces(const char *text, const cloud *points, cloud *out)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += strspn(line, " \t\r\n");
        if (!*line) break;
        if (*line != 'f' || !strchr(" \t", line[1])) continue;
        const char *cursor = line + 1;
        arne_vec3   fan[2] = {{0, 0, 0}, {0, 0, 0}};
        for (int k = 0;; k++) {
            cursor += strspn(cursor, " \t");
            if (!*cursor || strchr("\r\n", *cursor)) break;
            const int back = *cursor == '-';
            int       at = 0;
            for (cursor += back; *cursor >= '0' && *cursor <= '9' && at <= points->count; cursor++)
                at = 10 * at + *cursor - '0';
            if (at < 1 || at > points->count) return 0;
            cursor += strcspn(cursor, " \t\r\n"); // texture and normal
            const arne_vec3 p = points->points[back ? points->count - at : at - 1];
            if (k >= 2 && (!mesh_read_add(out, fan[0].x, fan[0].y, fan[0].z) ||
                           !mesh_read_add(out, fan[1].x, fan[1].y, fan[1].z) ||
                           !mesh_read_add(out, p.x, p.y, p.z)))
                return -1;
            fan[k > 0] = p;
        }
    }
    return out->count > 0;
}

static int mesh_read_ends_with(const char *path, const char *end)
{
    const size_t a = strlen(path), b = strlen(end);
    if (a < b) return 0;
    for (size_t i = 0; i < b; i++)
        if ((path[a - b + i] | 0x20) != end[i]) return 0;
    return 1;
}

static int read_stl(const char *text, size_t size, cloud *c)
{
    return mesh_read_is_binary(text, size) ? mesh_read_read_binary(text, size, c)
                                           : read_lines(text, "vertex", c);
}

// The points of a file, or the corners of its triangles, if it has some; 1: it could be read, 0:
// not, -1: no memory.
static int mesh_read_points(const char *path, int triangles, cloud *c, const char **why)
{
    const int obj = mesh_read_ends_with(path, ".obj");
    if (!obj && !mesh_read_ends_with(path, ".stl")) {
        *why = "is no STL or OBJ";
        return 0;
    }
    arne_error   unused;
    const reader r = {.file = path, .error = &unused};
    char        *text = NULL;
    size_t       size = 0;
    int          fine = 1;
    *why = "has no vertices";
    if (arne_reader_load(&r, &text, &size) == ARNE_OK && size) {
        char *ended = realloc(text, size + 1);
        if (!ended) {
            free(text);
            return -1;
        }
        text = ended;
        text[size] = 0;
        fine = obj ? read_lines(text, "v", c) : read_stl(text, size, c);
        if (fine && obj && triangles) {
            cloud     corners = {0};
            const int found = read_faces(text, c, &corners);
            free(c->points);
            *c = corners;
            if (found == 0) c->count = 0;
            fine = found >= 0;
        }
    }
    free(text);
    return fine ? c->count > 0 : -1;
}

int mesh_hull(const char *path, arne_vec3 out[MESH_HULL_MOST], const char **why)
{
    cloud c = {0};
    int   found = mesh_read_points(path, 0, &c, why);
    if (found > 0) found = mesh_hull_of(c.points, c.count, out);
    free(c.points);
    return found;
}

int mesh_stl_corners(const char *text, size_t size, arne_vec3 **corners, int *count)
{
    cloud     c = {0};
    const int found = read_stl(text, size, &c) && c.count && c.count % 3 == 0;
    if (!found) free(c.points);
    *corners = found ? c.points : NULL;
    *count = found ? c.count : 0;
    return found;
}

int mesh_triangles(const char *path, arne_vec3 **corners, int *count)
{
    const char *why;
    cloud       c = {0};
    int         found = mesh_read_points(path, 1, &c, &why);
    if (found > 0 && c.count % 3 != 0) found = 0;
    if (found <= 0) free(c.points);
    *corners = found > 0 ? c.points : NULL;
    *count = found > 0 ? c.count : 0;
    return found;
}
