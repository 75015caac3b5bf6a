// Files: loading them within limits, and the way from a path to a robot.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/error.h"
#include "base/plain.h"
#include "io/document.h"
#include "io/formats/formats.h"
#include "io/kept_files.h"
#include "io/named_file.h"
#include "robot/builder.h"
#include <arne/io.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct file_text {
    char  *text;
    size_t size, capacity;
} file_text;

static arne_status read_robot_fail_errno(const reader *r, const char *what, int number)
{
    return arne_reader_fail(r, ARNE_FILE, 0, "%s: %s", what, plain_reason(number));
}

static arne_status fail_too_large(const reader *r)
{
    return arne_reader_fail(r, ARNE_TOO_LARGE, 0, "the file is larger than %d MiB",
                            ARNE_READ_MAX_BYTES >> 20);
}

// Room for at least one more byte.
static arne_status read_robot_make_room(const reader *r, file_text *b)
{
    if (b->size < b->capacity) return ARNE_OK;
    const size_t capacity = 2 * b->capacity;
    char        *text = realloc(b->text, capacity);
    if (!text) return arne_fail_memory(r->error);
    b->text = text;
    b->capacity = capacity;
    return ARNE_OK;
}

static arne_status read_robot_read_all(const reader *r, int file, file_text *b)
{
    for (;;) {
        const arne_status status = read_robot_make_room(r, b);
        if (status) return status;
        const ssize_t got = read(file, b->text + b->size, b->capacity - b->size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return read_robot_fail_errno(r, "cannot read the file", errno);
        if (got == 0) return ARNE_OK;
        b->size += (size_t)got;
        if (b->size > ARNE_READ_MAX_BYTES) return fail_too_large(r);
    }
}

// What can be known before the file is opened. Pipes are welcome on the command line, but a file
// that names another must not make us wait for one.
static arne_status read_robot_check_file(const reader *r, const char *path, size_t *size)
{
    struct stat info;
    if (stat(path, &info) != 0) return read_robot_fail_errno(r, "cannot open the file", errno);
    if (S_ISDIR(info.st_mode))
        return arne_reader_fail(r, ARNE_FILE, 0, "this is a directory, not a robot file");
    if ((r->extends > 0 || r->named) && !S_ISREG(info.st_mode))
        return arne_reader_fail(r, ARNE_FILE, 0, "this is not a regular file");
    if (info.st_size > ARNE_READ_MAX_BYTES) return fail_too_large(r);
    *size = S_ISREG(info.st_mode) ? (size_t)info.st_size : 0;
    return ARNE_OK;
}

static arne_status load_path(const reader *r, const char *path, file_text *b)
{
    size_t      size = 0;
    arne_status status = read_robot_check_file(r, path, &size);
    if (status) return status;
    b->capacity = size < 4096 ? 4096 : size + 1; // one more, to meet the end without growing
    b->text = malloc(b->capacity);
    if (!b->text) return arne_fail_memory(r->error);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return read_robot_fail_errno(r, "cannot open the file", errno);
    status = read_robot_read_all(r, file, b);
    close(file);
    return status;
}

static arne_status read_robot_load(const reader *r, file_text *b)
{
    const size_t size = robot_path_size(r->file); // without arguments
    char        *path = malloc(size + 1);
    if (!path) return arne_fail_memory(r->error);
    memcpy(path, r->file, size);
    path[size] = 0;
    const arne_status status = load_path(r, path, b);
    free(path);
    return status;
}

arne_status arne_reader_load(const reader *r, char **text, size_t *size)
{
    file_text b = {0};
    if (r->files) return kept_files_load(r->files, r, text, size);
    const arne_status status = read_robot_load(r, &b);
    *text = b.text;
    *size = b.size;
    return status;
}

arne_status arne_reader_file(reader *r)
{
    char       *text = NULL;
    size_t      size = 0;
    arne_status status = arne_reader_load(r, &text, &size);
    if (!status) status = robot_format_read(robot_format_of(r->file, text, size), r, text, size);
    free(text);
    return status;
}

// ---- the way from a path or a text to a robot

// What the builder already knows of other files stays; a reader adds to it.
static reader make_reader(arne_builder *builder, const char *file, arne_error *own)
{
    arne_error_clear(own);
    return (reader){
        .builder = builder, .file = file ? file : "", .found = &builder->found, .error = own};
}

static arne_status read_path(arne_builder *builder, const char *path, int open_tree,
                             arne_error *error)
{
    arne_error own;
    if (!builder || !path) return arne_fail_null(error);
    reader r = make_reader(builder, path, &own);
    r.open = open_tree;
    arne_error_clear(error);
    const arne_status status = arne_reader_file(&r);
    if (status == ARNE_FILE || status == ARNE_SYNTAX) builder->incomplete = 1;
    return arne_reader_end(&r, status, error);
}

arne_status arne_read(arne_builder *builder, const char *path, arne_error *error)
{
    return read_path(builder, path, 0, error);
}

arne_status arne_read_open(arne_builder *builder, const char *path, arne_error *error)
{
    return read_path(builder, path, 1, error);
}

static arne_status read_as(arne_builder *builder, const robot_format *format, const char *text,
                           size_t size, const char *name, arne_error *error)
{
    arne_error own;
    if (!builder || !text) return arne_fail_null(error);
    reader r = make_reader(builder, name, &own);
    arne_error_clear(error);
    const arne_status status =
        size > ARNE_READ_MAX_BYTES ? fail_too_large(&r) : robot_format_read(format, &r, text, size);
    if (status == ARNE_SYNTAX || !status_goes_on(status)) builder->incomplete = 1;
    return arne_reader_end(&r, status, error);
}

arne_status arne_read_text(arne_builder *builder, const char *text, size_t size, const char *name,
                           arne_error *error)
{
    if (!builder || !text) return arne_fail_null(error);
    const size_t seen = size < ARNE_READ_MAX_BYTES ? size : ARNE_READ_MAX_BYTES;
    return read_as(builder, robot_format_of(name ? name : "", text, seen), text, size, name, error);
}

arne_status arne_read_urdf(arne_builder *builder, const char *text, size_t size, const char *name,
                           arne_error *error)
{
    return read_as(builder, robot_format_at(ARNE_FORMAT_URDF), text, size, name, error);
}

arne_status arne_read_yaml(arne_builder *builder, const char *text, size_t size, const char *name,
                           arne_error *error)
{
    return read_as(builder, robot_format_at(ARNE_FORMAT_YAML), text, size, name, error);
}

arne_status document_extending(const reader *r, const char *file, document *out)
{
    const char *name = file + robot_path_size(file);
    while (name > file && name[-1] != '/')
        name--;
    const doc_node base = {.kind = DOC_TEXT, .text = name};
    buffer         quoted = {0};
    document_put(&quoted, &base);
    const doc_edit    extends = {"extends", quoted.text};
    const arne_status status =
        quoted.failed ? arne_fail_memory(r->error) : document_edit(r, out, &extends);
    buffer_free(&quoted);
    return status;
}

arne_status document_of_robot(const reader *r, const char *text, size_t size, document *out,
                              int *extends)
{
    *extends = !robot_format_of(r->file, text, size)->is_tree;
    return *extends ? document_extending(r, r->file, out) : document_parse(r, text, size, out);
}

// A robot's document with edits. One that extends its file has a name of its own, so that what it
// says of a body amends it.
static arne_status read_edited(reader *r, const doc_edit *edits, int count)
{
    document     doc = {0};
    char        *text = NULL;
    size_t       size = 0;
    int          extends = 0;
    const size_t room = strlen(r->file) + sizeof " (edited)";
    arne_status  status = arne_reader_load(r, &text, &size);
    if (!status) status = document_of_robot(r, text, size, &doc, &extends);
    free(text);
    char *name = extends && !status ? document_take(&doc, room) : NULL;
    if (extends && !status && !name) status = arne_fail_memory(r->error);
    if (name) {
        snprintf(name, room, "%s (edited)", r->file);
        r->file = name;
    }
    for (int i = 0; i < count && !status; i++)
        status = document_edit(r, &doc, &edits[i]);
    if (!status) status = arne_reader_robot(r, &doc);
    document_free(&doc);
    return status;
}

arne_status arne_robot_read_edited(const char *path, const doc_edit *edits, int count,
                                   const arne_build_options *options, arne_robot **out,
                                   arne_error *error)
{
    arne_builder *builder = NULL;
    arne_error    own;
    *out = NULL;
    const arne_status allowed = named_file_check(path, error);
    if (allowed) return allowed;
    if (count == 0) return arne_robot_read(path, options, out, error);
    if (arne_builder_new(&builder) != ARNE_OK) return arne_fail_memory(error);
    reader      r = make_reader(builder, path, &own);
    arne_status status = read_edited(&r, edits, count);
    if (status) builder->incomplete = 1;
    status = status == ARNE_NO_MEMORY ? arne_fail_memory(error)
                                      : arne_builder_finish(builder, options, out, error);
    arne_builder_free(builder);
    return status;
}

arne_status arne_xacro_text(const char *path, const arne_build_options *options, char **text,
                            size_t *size, arne_error *error)
{
    arne_builder *builder = NULL;
    arne_error    own;
    buffer        out = {0};
    char         *read = NULL;
    if (!path || !text || !size) return arne_fail_null(error);
    *text = NULL;
    if (arne_builder_new(&builder) != ARNE_OK) return arne_fail_memory(error);
    reader r = make_reader(builder, path, &own);
    r.printed = &out;
    arne_status status = arne_reader_load(&r, &read, size);
    if (!status) status = robot_format_read(robot_format_at(ARNE_FORMAT_XACRO), &r, read, *size);
    free(read);
    status = arne_reader_tell(&r, status, options, error);
    if (!status && out.failed) status = arne_fail_memory(error);
    if (status) buffer_free(&out);
    *text = out.text;
    *size = out.size;
    arne_builder_free(builder);
    return status;
}

// A copy, since what is read may be kept in the document.
static arne_status read_tree(reader *r, const document *tree)
{
    document    doc;
    arne_status status = document_copy(tree, &doc);
    status = status ? arne_fail_memory(r->error) : arne_reader_robot(r, &doc);
    document_free(&doc);
    return status;
}

arne_status arne_read_given(arne_builder *builder, const char *path, const doc_given *given,
                            robot_sections *sections, arne_error *error)
{
    const document *tree = given ? given->robot : NULL;
    arne_error      own;
    reader r = make_reader(builder, tree && given->robot_file ? given->robot_file : path, &own);
    arne_error_clear(error);
    r.files = given ? given->files : NULL;
    r.sections = sections;
    r.named = 1;
    arne_status status = tree ? read_tree(&r, tree) : arne_reader_file(&r);
    if (status && (tree || status == ARNE_FILE || status == ARNE_SYNTAX)) builder->incomplete = 1;
    status = arne_reader_end(&r, status, error);
    if (!status && given && given->amend) status = given->amend(given->context, builder, error);
    return status;
}

// Of a file with mistakes the checks are still of interest: options->fail hears of all.
arne_status arne_robot_read(const char *path, const arne_build_options *options, arne_robot **out,
                            arne_error *error)
{
    arne_build_options own_options;
    if (out) *out = NULL;
    const arne_status known = builder_take_options(&options, &own_options, error);
    if (known) return known;
    if (!path || !out) return arne_fail_null(error);
    arne_builder *builder = NULL;
    if (arne_builder_new(&builder) != ARNE_OK) return arne_fail_memory(error);
    arne_status status = arne_read(builder, path, error);
    if (status != ARNE_NO_MEMORY) status = arne_builder_finish(builder, options, out, error);
    arne_builder_free(builder);
    return status;
}
