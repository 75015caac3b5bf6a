#include "report/looks.h"

#include "base/error.h"
#include "base/text.h"
#include "io/named_file.h"
#include "report/data_block.h"
#include "report/mesh_coarsen.h"
#include "report/stl_pack.h"
#include "report/vtp.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_materials(const mesh_file *f)
{
    size_t size = 0;
    char  *path = named_material(f->path, (const char *)f->bytes, NULL, NULL), *text = NULL;
    if (path) text = (char *)named_file_bytes(path, &size);
    free(path);
    return text;
}

// An STL is packed where that can be done, else it stays as it is.
static void looks_pack(mesh_file *f)
{
    size_t         size = 0;
    unsigned char *packed =
        strcmp(f->format, "stl") == 0 ? stl_pack(f->bytes, f->size, &size) : NULL;
    if (!packed) return;
    free(f->bytes);
    f->bytes = packed;
    f->size = size;
    f->format = "packed";
}

// A mesh of VTK is shown as OBJ.
static void looks_from_vtp(mesh_file *f)
{
    size_t         size = 0;
    unsigned char *obj =
        strcmp(f->format, "vtp") == 0 ? vtp_to_obj(f->bytes, f->size, &size) : NULL;
    if (strcmp(f->format, "vtp") != 0) return;
    free(f->bytes);
    f->bytes = obj;
    f->size = size;
    f->format = "obj";
}

// The number of a file, read at its first use; -1 where it cannot be shown.
static int looks_find_file(looks *l, char *path)
{
    size_t total = 0;
    for (int i = 0; i < l->file_count; i++) {
        total += l->files[i].size;
        if (strcmp(l->files[i].path, path) != 0) continue;
        free(path);
        return i;
    }
    mesh_file  f = {.path = path};
    mesh_file *files = realloc(l->files, ((size_t)l->file_count + 1) * sizeof *files);
    if (files) l->files = files;
    f.format = named_mesh_format(path);
    if (files && f.format) f.bytes = named_file_bytes(path, &f.size);
    if (f.bytes) looks_from_vtp(&f);
    if (!f.bytes || total + f.size > NAMED_FILES_MOST) {
        free(f.bytes);
        free(path);
        return -1;
    }
    f.material = read_materials(&f);
    looks_pack(&f);
    files[l->file_count] = f;
    return l->file_count++;
}

// How many bytes a packed mesh may have, so that all files together keep within `most`: small ones
// leave what they do not need to the large ones.
static size_t share_of(const looks *l, size_t most)
{
    size_t level = 0;
    for (int round = 0; round <= l->file_count; round++) {
        size_t rest = most, large = 0;
        for (int i = 0; i < l->file_count; i++) {
            const mesh_file *f = &l->files[i];
            if (strcmp(f->format, "packed") == 0 && f->size > level)
                large++;
            else
                rest -= f->size < rest ? f->size : rest;
        }
        if (!large || rest / large <= level) break;
        level = rest / large;
    }
    return level;
}

// A page is to be sent around: large meshes become coarser.
static void coarsen(looks *l, const char *robot, size_t most, const arne_mesh_options *how)
{
    static const size_t least = 20000;
    size_t              total = 0;
    int                 count = 0;
    for (int i = 0; i < l->file_count; i++)
        total += l->files[i].size;
    if (total <= most) return;
    const size_t share = share_of(l, most), own = share > least ? share : least;
    for (int i = 0; i < l->file_count; i++) {
        mesh_file *f = &l->files[i];
        size_t     size = 0;
        if (strcmp(f->format, "packed") != 0 || f->size <= own) continue;
        unsigned char *coarse = mesh_coarsen(f->bytes, f->size, own, &size);
        if (!coarse) continue; // it stays as it is
        free(f->bytes);
        f->bytes = coarse;
        f->size = size;
        count++;
    }
    char               text[128];
    const arne_warning warning = {.rule = "mesh", .file = robot, .text = text};
    text_line(text, sizeof text,
              count == 1 ? "a large mesh is shown with fewer triangles"
                         : "%d large meshes are shown with fewer triangles",
              count);
    if (count && how && how->warn) how->warn(how->warn_context, &warning);
}

static void looks_warn(const arne_mesh_options *how, const char *robot, const char *first,
                       int missing)
{
    char text[512];
    if (!how || !how->warn) return;
    text_line(text, sizeof text,
              missing > 1 ? "%s and %d other meshes are not shown; --package NAME=DIR says where a "
                            "package is"
                          : "%s is not shown; --package NAME=DIR says where a package is",
              first, missing - 1);
    const arne_warning warning = {.rule = "mesh", .file = robot, .text = text};
    how->warn(how->warn_context, &warning);
}

static void warn_of_mistakes(const arne_mesh_options *how, const visual_list *v, const char *robot)
{
    char text[512];
    if (!v->left_out || !how || !how->warn) return;
    text_line(text, sizeof text, v->left_out > 1 ? "%s; likewise %d more" : "%s", v->first.text,
              v->left_out - 1);
    const arne_warning warning = {
        .rule = "visual", .file = robot, .line = v->first.line, .text = text};
    how->warn(how->warn_context, &warning);
}

arne_status looks_read(const char *path, const arne_mesh_options *how, size_t room, looks *out,
                       arne_error *error)
{
    *out = (looks){0};
    arne_status status = visuals_read(path, &out->visuals, error);
    if (status) return status;
    warn_of_mistakes(how, &out->visuals, path);
    const char *missing = NULL;
    int         count = 0;
    out->mesh = malloc(((size_t)out->visuals.count + 1) * sizeof *out->mesh);
    if (!out->mesh) return arne_fail_memory(error);
    for (int i = 0; i < out->visuals.count; i++) {
        const visual *v = &out->visuals.item[i];
        out->mesh[i] = -1;
        if (v->kind != VISUAL_MESH || !room) continue;
        char *file = visual_mesh_path(v->file, v->mesh, how ? how->packages : NULL,
                                      how ? how->package_count : 0);
        if (file) out->mesh[i] = looks_find_file(out, file);
        if (out->mesh[i] >= 0) continue;
        if (!count++) missing = v->mesh;
    }
    if (count) looks_warn(how, path, missing, count);
    coarsen(out, path, room, how);
    return ARNE_OK;
}

static int mentions(const mesh_file *f, const char *word)
{
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= f->size; i++)
        if (memcmp(f->bytes + i, word, length) == 0) return 1;
    return 0;
}

int looks_have_data(const looks *l)
{
    for (int i = 0; i < l->file_count; i++)
        if (l->files[i].format[0] == 'g' &&
            (mentions(&l->files[i], "\"images\"") || mentions(&l->files[i], "data:")))
            return 1;
    return 0;
}

void looks_free(looks *l)
{
    for (int i = 0; i < l->file_count; i++) {
        free(l->files[i].path);
        free(l->files[i].bytes);
        free(l->files[i].material);
    }
    free(l->files);
    free(l->mesh);
    visuals_free(&l->visuals);
    *l = (looks){0};
}

void looks_put_meshes(buffer *b, const looks *l)
{
    put(b, "\"meshes\":[");
    for (int i = 0; l && i < l->file_count; i++) {
        const mesh_file *f = &l->files[i];
        const char      *slash = strrchr(f->path, '/');
        put(b, "%s{\"name\":", i ? ",\n" : "");
        block_text(b, slash ? slash + 1 : f->path);
        put(b, ",\"format\":\"%s\",\"data\":", f->format);
        block_bytes(b, f->bytes, f->size);
        if (f->material) {
            put(b, ",\"material\":");
            block_bytes(b, (const unsigned char *)f->material, strlen(f->material));
        }
        put(b, "}");
    }
    put(b, "]");
}
