// Whether a document reads a file, directly or not, so that no command writes over its input. Every
// text in the document that names a file beside it counts, whatever its key: a false alarm only
// refuses an output path.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/error.h"
#include "base/plain.h"
#include "io/document.h"
#include "io/formats/formats.h"
#include "io/named_file.h"
#include "io/run_folder.h"
#include "io/visual.h"
#include <arne/document.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Documents that name each other, and how long a name may be.
enum { MOST_DOCUMENTS = 1000, NAME_MOST = 4096 };

typedef struct search {
    struct stat        wanted;
    const char *const *packages;
    int                package_count;
    struct {
        dev_t device;
        ino_t file;
    } seen[MOST_DOCUMENTS];
    int seen_count, found, no_memory;
} search;

static void search_document(search *s, const char *path);

static int is_new(search *s, const struct stat *info)
{
    for (int i = 0; i < s->seen_count; i++)
        if (s->seen[i].device == info->st_dev && s->seen[i].file == info->st_ino) return 0;
    if (s->seen_count == MOST_DOCUMENTS) return 0;
    s->seen[s->seen_count].device = info->st_dev;
    s->seen[s->seen_count++].file = info->st_ino;
    return 1;
}

static int document_reads_ends_with(const char *path, const char *end)
{
    const size_t a = strlen(path), b = strlen(end);
    return a >= b && plain_same(path + a - b, end);
}

static int may_name_files(const char *path)
{
    static const char *const ends[] = {".yaml", ".yml",  ".urdf", ".xml",
                                       ".sdf",  ".mjcf", ".json", ".xacro"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (document_reads_ends_with(path, ends[i])) return 1;
    return 0;
}

// A file that a document names, if it is one.
static void search_file(search *s, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return;
    if (info.st_dev == s->wanted.st_dev && info.st_ino == s->wanted.st_ino) s->found = 1;
    if (may_name_files(path) && !s->found && is_new(s, &info)) search_document(s, path);
    if (!document_reads_ends_with(path, ".obj") || s->found) return;
    size_t         size = 0;
    unsigned char *bytes = named_file_bytes(path, &size);
    char          *material = bytes ? named_material(path, (char *)bytes, NULL, NULL) : NULL;
    if (material) search_file(s, material);
    free(material);
    free(bytes);
}

static void search_name(search *s, const char *from, const char *name)
{
    if (!*name || s->found || strlen(name) > NAME_MOST) return;
    const int is_address = strstr(name, "://") != NULL;
    char     *path = is_address ? visual_mesh_path(from, name, s->packages, s->package_count)
                                : arne_path_beside(from, name);
    if (path) path[robot_path_size(path)] = 0;
    if (path) search_file(s, path);
    if (!path && !is_address) s->no_memory = 1;
    free(path);
}

static void search_tree(search *s, const char *from, const doc_node *node)
{
    if (node->kind == DOC_TEXT) search_name(s, from, node->text);
    if (node->kind == DOC_TEXT) return;
    for (const doc_item *i = node->first; i && !s->found; i = i->next)
        search_tree(s, from, i->value);
}

// Attributes of XML.
static void search_quoted(search *s, const char *from, char *text)
{
    for (char *at = text; *at && !s->found; at++) {
        if (*at != '"' && *at != '\'') continue;
        char *end = strchr(at + 1, *at);
        if (!end) return;
        *end = 0;
        search_name(s, from, at + 1);
        at = end;
    }
}

// A YAML file of loops belongs to the URDF of the same name.
static void search_partner(search *s, const char *path)
{
    const char *point = strrchr(path, '.');
    char       *urdf = malloc(strlen(path) + 6);
    s->no_memory |= !urdf;
    if (urdf && point) {
        memcpy(urdf, path, (size_t)(point - path));
        strcpy(urdf + (point - path), ".urdf");
        search_file(s, urdf);
    }
    free(urdf);
}

static void search_document(search *s, const char *path)
{
    arne_error   ignored;
    char        *text = NULL;
    size_t       size = 0;
    document     doc = {0};
    const reader r = {.file = path, .named = 1, .error = &ignored};
    arne_status  status = arne_reader_load(&r, &text, &size);
    if (!status && !robot_format_of(path, text, size)->is_tree) {
        char *ended = realloc(text, size + 1);
        s->no_memory |= !ended;
        if (ended) {
            text = ended;
            text[size] = 0;
            search_quoted(s, path, text);
        }
    } else if (!status) {
        status = document_parse(&r, text, size, &doc);
        if (doc.root) search_tree(s, path, doc.root);
        if (!s->found) search_partner(s, path);
    }
    s->no_memory |= status == ARNE_NO_MEMORY;
    document_free(&doc);
    free(text);
}

arne_status arne_document_reads(const char *path, const char *file, const char *const *packages,
                                int package_count, int *reads)
{
    struct stat folder;
    if (!path || !file || !reads || (package_count && !packages)) return ARNE_NULL_ARGUMENT;
    search *s = calloc(1, sizeof *s);
    char   *own = strndup(path, robot_path_size(path));
    *reads = 0;
    if (!s || !own) {
        free(s);
        free(own);
        return ARNE_NO_MEMORY;
    }
    path = own;
    s->packages = packages;
    s->package_count = package_count;
    if (stat(file, &s->wanted) == 0 && stat(path, &folder) == 0 && S_ISREG(folder.st_mode)) {
        search_file(s, path);
        if (!s->seen_count && !document_reads_ends_with(path, ".csv")) search_document(s, path);
    }
    *reads = s->found;
    const arne_status status = s->no_memory ? ARNE_NO_MEMORY : ARNE_OK;
    free(s);
    free(own);
    return status;
}
