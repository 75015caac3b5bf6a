// Models of SDF with their items, and those of <include>: model://NAME, a folder, or a file.
//
// NAME is looked for in GZ_SIM_RESOURCE_PATH, SDF_PATH and GAZEBO_MODEL_PATH, and around the file.
// Of a folder its model.config names the file: that of the highest version up to 1.12.
#define _XOPEN_SOURCE 700 // realpath; NOLINT(bugprone-reserved-identifier)
#include "io/formats/sdf.h"

#include "base/error.h"
#include "io/named_file.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *sdf_include_join(sdf *s, const char *a, const char *b, const char *c)
{
    buffer out = {0};
    put_bytes(&out, a, strlen(a));
    put_bytes(&out, b, strlen(b));
    put_bytes(&out, c, strlen(c));
    const char *text = out.failed ? NULL : xml_tree_text(&s->tree, out.text ? out.text : "");
    buffer_free(&out);
    if (!text) sdf_check(s, arne_fail_memory(s->reader->error));
    return text ? text : "";
}

sdf_item *sdf_item_find(const sdf_model *model, const char *name)
{
    for (sdf_item *i = model->items; i; i = i->next)
        if (strcmp(i->name, name) == 0 && !(i->inner && i->inner->merged)) return i;
    for (sdf_item *i = model->items; i; i = i->next) {
        sdf_item *found = i->inner && i->inner->merged ? sdf_item_find(i->inner, name) : NULL;
        if (found) return found;
    }
    return NULL;
}

// ---- where included models lie

static int is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static int is_there(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && (S_ISDIR(info.st_mode) || S_ISREG(info.st_mode));
}

static const char *sdf_include_find_in_list(sdf *s, const char *list, const char *name)
{
    for (const char *at = list ? list : ""; *at;) {
        const size_t size = strcspn(at, ":");
        char         folder[PATH_MAX];
        snprintf(folder, sizeof folder, "%.*s", (int)(size < PATH_MAX ? size : PATH_MAX - 1), at);
        const char *path = size ? sdf_include_join(s, folder, "/", name) : "";
        if (*path && is_there(path)) return path;
        at += size + (at[size] == ':');
    }
    return NULL;
}

// In the folder of the file, and in those around it.
static const char *find_around(sdf *s, const char *file, const char *name)
{
    char folder[PATH_MAX];
    if (!realpath(file, folder)) return NULL;
    for (int up = 0; up < 6; up++) {
        char *slash = strrchr(folder, '/');
        if (!slash) return NULL;
        *slash = 0;
        const char *path = sdf_include_join(s, folder, "/", name);
        if (*path && is_there(path)) return path;
    }
    return NULL;
}

static const char *find_uri(sdf *s, const xml_node *include, const char *uri)
{
    static const char *const variables[] = {"GZ_SIM_RESOURCE_PATH", "SDF_PATH",
                                            "GAZEBO_MODEL_PATH"};
    const char              *name = uri, *found = NULL;
    if (strncmp(uri, "file://", 7) == 0) name = uri + 7;
    if (*name == '/') return is_there(name) ? name : NULL;
    if (strncmp(uri, "model://", 8) == 0) name = uri + 8;
    if (strstr(name, "://") || strstr(name, "..")) return NULL;
    for (size_t i = 0; i < sizeof variables / sizeof *variables && !found; i++)
        found = sdf_include_find_in_list(s, getenv(variables[i]), name);
    return found ? found : find_around(s, include->file, name);
}

// ---- files

// Gazebo takes any comment, also those with "--" in them, which XML forbids.
static void blank_comments(char *text, size_t size)
{
    char *const end = text + size;
    for (char *p = text; end - p > 4; p++) {
        if (memcmp(p, "<!--", 4) != 0) continue;
        char *close = p + 4;
        while (end - close > 3 && memcmp(close, "-->", 3) != 0)
            close++;
        if (end - close < 3) return; // the parser says what is wrong
        for (; p < close + 3; p++)
            if (*p != '\n') *p = ' ';
        p--;
    }
}

xml_node *sdf_parse(sdf *s, reader *r, char *text, size_t size)
{
    xml_tree tree = {0};
    blank_comments(text, size);
    const arne_status status = xml_tree_parse(r, text, size, &tree);
    document_join(&s->tree.memory, &tree.memory);
    sdf_check(s, status);
    return status ? NULL : tree.root;
}

static xml_node *load_xml(sdf *s, const xml_node *include, const char *path)
{
    reader r = *s->reader;
    char  *text = NULL;
    size_t size = 0;
    r.file = path;
    r.named = 1;
    arne_status status = arne_reader_load(&r, &text, &size);
    sdf_check(s, status);
    xml_node *root = status ? NULL : sdf_parse(s, &r, text, size);
    free(text);
    if (!root && s->status != ARNE_NO_MEMORY) sdf_fail(s, include, "'%s' cannot be included", path);
    return root;
}

static const char *file_of_folder(sdf *s, const xml_node *include, const char *folder)
{
    const char     *config = sdf_include_join(s, folder, "/", "model.config"), *best = NULL;
    const xml_node *root = load_xml(s, include, config);
    int             most = 0;
    for (const xml_node *c = root ? xml_node_child(root, "sdf") : NULL; c; c = xml_node_again(c)) {
        const int version = sdf_version(xml_node_get(c, "version"));
        if (best && (version <= most || version > 112)) continue;
        best = c->text;
        most = version;
    }
    if (!root) return NULL;
    if (!best || !*best || strchr(best, '/')) {
        sdf_fail(s, include, "%s does not name the file of the model", config);
        return NULL;
    }
    return sdf_include_join(s, folder, "/", best + strspn(best, " \t\r\n"));
}

// The <model> of an included file, and its version.
static const xml_node *included_model(sdf *s, const xml_node *include, int *version)
{
    const char *uri = sdf_text(s, include, "uri");
    const char *path = uri ? find_uri(s, include, uri) : NULL;
    if (!path) {
        sdf_fail(s, include,
                 "<include>: '%s' is not found; GZ_SIM_RESOURCE_PATH lists folders with "
                 "models",
                 uri ? uri : "<uri>");
        return NULL;
    }
    if (is_folder(path)) path = file_of_folder(s, include, path);
    const size_t length = path ? strlen(path) : 0;
    if (path && (length < 4 || strcmp(path + length - 4, ".sdf") != 0)) {
        sdf_fail(s, include, "'%s' is not opened: an included file must end in .sdf", path);
        return NULL;
    }
    const xml_node *root = path ? load_xml(s, include, path) : NULL;
    const xml_node *model = root ? xml_node_child(root, "model") : NULL;
    if (root && !model) sdf_fail(s, include, "'%s' has no <model>", path);
    *version = root ? sdf_version(xml_node_get(root, "version")) : 0;
    return model;
}

// ---- items

static void sdf_include_check_item(sdf *s, const sdf_model *model, const sdf_item *item)
{
    const size_t    size = strlen(item->name);
    const sdf_item *same = sdf_item_find(model, item->name);
    const int       reserved =
        size > 4 && strncmp(item->name, "__", 2) == 0 && strcmp(item->name + size - 2, "__") == 0;
    if (same && (same->kind == item->kind || model->version > 106))
        sdf_fail(s, item->node, "the name '%s' is taken by the <%s> of line %d", item->name,
                 same->node->tag, same->node->line);
    if (reserved && model->version > 106)
        sdf_fail(s, item->node, "the name '%s' is reserved", item->name);
    if (strstr(item->name, "::") && model->version > 107)
        sdf_fail(s, item->node, "the name '%s' must not contain '::'", item->name);
}

static sdf_item *add_item(sdf *s, sdf_model *model, sdf_kind kind, const xml_node *node,
                          const char *name)
{
    sdf_item *item = document_take(&s->tree.memory, sizeof *item);
    if (!item) return sdf_check(s, arne_fail_memory(s->reader->error)), NULL;
    *item = (sdf_item){.kind = kind, .name = name, .node = node, .model = model};
    item->full = sdf_include_join(s, model->prefix, name, "");
    if (!*name) sdf_fail(s, node, "<%s> needs the attribute 'name'", node->tag);
    sdf_include_check_item(s, model, item);
    if (model->last)
        model->last->next = item;
    else
        model->items = item;
    model->last = item;
    return item;
}

static int sdf_include_is_merged(const xml_node *include)
{
    const char *merge = include ? xml_node_get(include, "merge") : NULL;
    return merge && (strcmp(merge, "true") == 0 || strcmp(merge, "1") == 0);
}

static void add_model(sdf *s, sdf_model *outer, const xml_node *node, const xml_node *include,
                      int version)
{
    const char *said = include ? sdf_text(s, include, "name") : NULL;
    const char *name = said && *said ? said : xml_node_get(node, "name");
    if (sdf_include_is_merged(include))
        name = sdf_include_join(s, "_merged__", name ? name : "", "__model__");
    sdf_item *item = add_item(s, outer, SDF_MODEL, node, name ? name : "");
    if (!item) return;
    item->inner = sdf_model_read(s, node, outer, include, item->name, version);
}

// Of a world, what is not found is not read: lights and floors, mostly.
static void add_include(sdf *s, sdf_model *outer, const xml_node *include)
{
    int         version = 0;
    const char *uri = outer->outer ? NULL : sdf_text(s, include, "uri");
    const char *said = outer->outer ? NULL : sdf_text(s, include, "name");
    if (said && *s->wanted && strcmp(said, s->wanted) != 0) return; // another model of the world
    if (uri && !find_uri(s, include, uri)) {
        sdf_check(
            s, xml_node_warn(s->reader, "unknown", include, "<include>: '%s' is not found", uri));
        return;
    }
    const xml_node *node = included_model(s, include, &version);
    if (node) add_model(s, outer, node, include, version);
}

// Up to 1.6 a joint may be called as a link is; both are converted to 1.7 like this.
static void rename_joints(sdf *s, sdf_model *model)
{
    for (sdf_item *i = model->items; i && model->version <= 106; i = i->next)
        for (sdf_item *k = i->kind == SDF_JOINT ? model->items : NULL; k; k = k->next) {
            if (k->kind == SDF_JOINT || strcmp(k->name, i->name) != 0) continue;
            i->name = sdf_include_join(s, i->name, "_joint", "");
            i->full = sdf_include_join(s, model->prefix, i->name, "");
            sdf_check(s, xml_node_warn(s->reader, "name", i->node,
                                       "a <%s> has the name of this joint too; it is called '%s'",
                                       k->node->tag, i->full));
            break;
        }
}

sdf_model *sdf_model_read(sdf *s, const xml_node *node, sdf_model *outer, const xml_node *include,
                          const char *name, int version)
{
    static const char *const tags[] = {"link", "joint", "frame"};
    sdf_model               *model = document_take(&s->tree.memory, sizeof *model);
    if (++s->depth > SDF_MAX_DEPTH) {
        sdf_fail(s, include ? include : node, "models are nested deeper than %d", SDF_MAX_DEPTH);
        return s->depth--, NULL;
    }
    if (!model) return s->depth--, sdf_check(s, arne_fail_memory(s->reader->error)), NULL;
    *model = (sdf_model){.name = name,
                         .prefix = "",
                         .node = node,
                         .include = include,
                         .outer = outer,
                         .version = version,
                         .merged = sdf_include_is_merged(include)};
    if (outer && outer->outer)
        model->prefix =
            model->merged ? outer->prefix : sdf_include_join(s, outer->prefix, name, "::");
    const int other = outer && !outer->outer && *s->wanted && strcmp(name, s->wanted) != 0;
    for (const xml_node *c = other ? NULL : node->first; c && status_goes_on(s->status);
         c = c->next) {
        const char *own = xml_node_get(c, "name");
        for (int i = 0; i < 3; i++)
            if (strcmp(c->tag, tags[i]) == 0) add_item(s, model, (sdf_kind)i, c, own ? own : "");
        if (strcmp(c->tag, "model") == 0) add_model(s, model, c, NULL, version);
        if (strcmp(c->tag, "include") == 0) add_include(s, model, c);
    }
    rename_joints(s, model);
    s->depth--;
    return model;
}
