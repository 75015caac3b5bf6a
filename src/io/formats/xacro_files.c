// What xacro reads besides its first file: included files, YAML, and where packages lie.
#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier)
#include "io/formats/xacro.h"

#include "base/error.h"
#include "base/plain.h"
#include "io/named_file.h"
#include "io/visual.h"
#include "io/xml.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *xacro_absolute(xacro *x, const char *name)
{
    const char  *slash = strrchr(x->file, '/');
    const size_t folder = slash ? (size_t)(slash - x->file) + 1 : 0, size = strlen(name);
    if (*name == '/' || !folder) return xacro_copy(x, name, size);
    char *path = xacro_take(x, folder + size + 1);
    if (!path) return NULL;
    memcpy(path, x->file, folder);
    memcpy(path + folder, name, size);
    return path;
}

static int is_openable(const char *path)
{
    static const char *const suffixes[] = {".xacro", ".urdf", ".xml", ".yaml", ".gazebo"};
    const size_t             size = strlen(path);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        const size_t n = strlen(suffixes[i]);
        if (size > n && strcmp(path + size - n, suffixes[i]) == 0) return 1;
    }
    return 0;
}

char *xacro_load(xacro *x, const char *path, size_t *size)
{
    reader     r = *x->reader;
    arne_error own;
    char      *text = NULL;
    if (!is_openable(path))
        return xacro_why(x,
                         "'%s' is not opened: its name must end in .xacro, .urdf, .xml, .yaml or "
                         ".gazebo",
                         path);
    arne_error_clear(&own);
    r.file = path;
    r.found = NULL;
    r.error = &own;
    r.named = 1; // a plain file
    const arne_status status = arne_reader_load(&r, &text, size);
    if (!status) return text;
    free(text);
    if (status == ARNE_NO_MEMORY) return xacro_no_memory(x);
    return xacro_why(x, "'%s': %s", path, own.text);
}

// ---- packages

static int xacro_files_is_plain(const char *path)
{
    arne_error ignored;
    FILE      *file = named_file_check(path, &ignored) ? NULL : fopen(path, "rb");
    if (file) fclose(file);
    return file != NULL;
}

static int xacro_files_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// The folder of a package: that of its package.xml, found as packages of meshes are, or the one
// that ARNE_PACKAGES names. Its path is absolute: an include would start from the including file.
const xacro_value *xacro_find_package(xacro *x, const char *name)
{
    buffer said = {0};
    for (const char *p = name; *p; p++)
        if (!plain_is_name(*p) && *p != '_' && *p != '-')
            return xacro_why(x, "'%s' is no name of a package", name);
    put(&said, "find:%s", name);
    const xacro_entry *given = said.failed ? NULL : xacro_scope_find(&x->given, said.text, NULL);
    said.size = 0;
    char *own = given && given->value->kind == XACRO_TEXT && *given->value->text != '/'
                    ? realpath(given->value->text, NULL)
                    : NULL;
    if (given) {
        const xacro_value *v = own ? xacro_word(x, own) : given->value;
        buffer_free(&said);
        free(own);
        return v;
    }
    put(&said, "%s/package.xml", name);
    char *found =
        said.failed ? NULL : visual_in_package(x->reader->file, said.text, xacro_files_is_plain);
    if (found) *strrchr(found, '/') = 0;
    if (!found && !said.failed) found = visual_given_package(name, xacro_files_is_folder);
    buffer_free(&said);
    char *full = found ? realpath(found, NULL) : NULL;
    free(found);
    if (!full)
        return xacro_why(x,
                         "the package '%s' is not found in ROS_PACKAGE_PATH, AMENT_PREFIX_PATH, "
                         "or the folders around the file (by its package.xml)",
                         name);
    const xacro_value *v = xacro_text(x, full, strlen(full));
    free(full);
    return v;
}

// ---- YAML, as PyYAML takes it: YAML 1.1

static int is_one_of(const char *text, const char *words)
{
    const size_t size = strlen(text);
    for (const char *p = strstr(words, text); p && size; p = strstr(p + 1, text))
        if (p[-1] == ' ' && p[size] == ' ') return 1;
    return 0;
}

// Of floats PyYAML needs the point, and the sign of an exponent.
static int is_yaml_float(const char *text)
{
    const char *e = strpbrk(text, "eE");
    return strchr(text, '.') && (!e || e[1] == '+' || e[1] == '-');
}

static const xacro_value *yaml_plain(xacro *x, const char *text)
{
    long long i = 0;
    double    f = 0;
    if (!*text || is_one_of(text, " ~ null Null NULL ")) return xacro_none(x);
    if (is_one_of(text, " true True TRUE yes Yes YES on On ON ")) return xacro_bool(x, 1);
    if (is_one_of(text, " false False FALSE no No NO off Off OFF ")) return xacro_bool(x, 0);
    if (xacro_parse_int(text, &i)) return xacro_int(x, i);
    if (is_one_of(text, " .inf .Inf .INF +.inf ")) return xacro_float(x, INFINITY);
    if (is_one_of(text, " -.inf -.Inf -.INF ")) return xacro_float(x, -INFINITY);
    if (is_yaml_float(text) && xacro_parse_float(text, &f)) return xacro_float(x, f);
    return xacro_word(x, text);
}

static const xacro_value *yaml_unit(xacro *x, const doc_node *node)
{
    static const struct {
        const char *tag;
        double      factor;
    } units[] = {{"!radians", 1},   {"!degrees", 3.14159265358979323846 / 180},
                 {"!meters", 1},    {"!millimeters", 0.001},
                 {"!foot", 0.3048}, {"!inches", 0.0254}};
    xacro_scope empty = {0};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(units[i].tag, node->tag) != 0) continue;
        const xacro_value *v = xacro_eval(x, node->text, &empty);
        if (v && !xacro_is_number(v)) v = xacro_why(x, "it is no number");
        if (v) return xacro_float(x, xacro_number(v) * units[i].factor);
        char why[200];
        memcpy(why, x->why, sizeof why - 1);
        why[sizeof why - 1] = 0;
        return xacro_why(x, "line %d of the YAML file: %s in '%.60s'", node->line, why, node->text);
    }
    return xacro_why(x, "line %d of the YAML file: the tag %.30s is unknown", node->line,
                     node->tag);
}

static const xacro_value *yaml_value(xacro *x, const doc_node *node)
{
    const int is_map = node->kind == DOC_MAP;
    int       i = 0;
    if (node->kind == DOC_TEXT)
        return node->tag     ? yaml_unit(x, node)
               : node->plain ? yaml_plain(x, node->text)
                             : xacro_word(x, node->text);
    xacro_value *v = xacro_items(x, is_map ? XACRO_DICT : XACRO_LIST, node->count);
    for (const doc_item *item = node->first; v && item; item = item->next, i++) {
        const xacro_value *key = is_map ? yaml_plain(x, item->key) : NULL;
        const xacro_value *value = yaml_value(x, item->value);
        if (!value || (is_map && !key)) return NULL;
        if (is_map) v->items[2 * i] = key;
        v->items[is_map ? 2 * i + 1 : i] = value;
    }
    return v;
}

const xacro_value *xacro_load_yaml(xacro *x, const char *name)
{
    size_t      size = 0;
    const char *path = xacro_absolute(x, name);
    char       *text = path ? xacro_load(x, path, &size) : NULL;
    if (!text) return NULL;
    reader     r = *x->reader;
    arne_error own;
    document   doc = {0};
    arne_error_clear(&own);
    r.file = path;
    r.found = NULL;
    r.error = &own;
    const xacro_value *v = NULL;
    const arne_status  status = document_parse(&r, text, size, &doc);
    const int          twice =
        status == ARNE_VALUE && doc.root; // of a key that is there twice the last counts
    if (status == ARNE_NO_MEMORY)
        xacro_no_memory(x);
    else if (status && !twice)
        xacro_why(x, "'%s', line %d: %s", path, own.line, own.text);
    else
        v = doc.root ? yaml_value(x, doc.root) : xacro_none(x);
    document_free(&doc);
    free(text);
    return v;
}

// ---- XML, with the texts between elements as nodes whose tag is ""

typedef struct xacro_maker {
    xacro      *x;
    const char *file;
    xml_node   *root, *open;
    buffer      text;
} xacro_maker;

static arne_status maker_stop(const xml *t)
{
    const xacro_maker *m = t->context;
    return m->x->status == ARNE_NO_MEMORY
               ? ARNE_NO_MEMORY
               : arne_reader_fail(t->reader, ARNE_TOO_LARGE, t->line, "%s", m->x->why);
}

static xml_node *maker_node(const xml *t, const char *tag, const char *text)
{
    xacro_maker *m = t->context;
    xml_node    *node = xacro_take(m->x, sizeof *node);
    if (!node) return NULL;
    *node = (xml_node){.file = m->file, .line = t->line, .column = t->column};
    node->tag = xacro_copy(m->x, tag, strlen(tag));
    node->text = xacro_copy(m->x, text, strlen(text));
    if (!node->tag || !node->text) return NULL;
    if (m->open)
        xml_node_append(m->open, node);
    else
        m->root = node;
    return node;
}

// The text before a tag. Space alone is none.
static int maker_flush(const xml *t)
{
    xacro_maker *m = t->context;
    const char  *text = m->text.text;
    m->text.size = 0;
    if (!text || !m->open || !text[strspn(text, " \t\r\n")]) return 1;
    const int ok = maker_node(t, "", text) != NULL;
    m->text.text[0] = 0;
    return ok;
}

static arne_status maker_open(xml *t)
{
    xacro_maker *m = t->context;
    xml_node    *node = maker_flush(t) ? maker_node(t, t->tag, "") : NULL;
    int          count = 0;
    while (t->attributes[2 * count])
        count++;
    if (!node) return maker_stop(t);
    node->attributes = xacro_take(m->x, (size_t)(count + 1) * sizeof *node->attributes);
    node->attribute_count = count;
    for (int i = 0; i < count && node->attributes; i++) {
        const char *name = t->attributes[2 * i], *value = t->attributes[2 * i + 1];
        node->attributes[i].name = xacro_copy(m->x, name, strlen(name));
        node->attributes[i].value = xacro_copy(m->x, value, strlen(value));
        if (!node->attributes[i].value) return maker_stop(t);
    }
    m->open = node;
    return node->attributes ? ARNE_OK : maker_stop(t);
}

static arne_status maker_close(xml *t)
{
    xacro_maker *m = t->context;
    if (!maker_flush(t)) return maker_stop(t);
    m->open = m->open->parent;
    return ARNE_OK;
}

static arne_status maker_text(xml *t, const char *text, int size)
{
    xacro_maker *m = t->context;
    put_bytes(&m->text, text, (size_t)size);
    return m->text.failed ? arne_fail_memory(t->reader->error) : ARNE_OK;
}

xml_node *xacro_parse_file(xacro *x, const char *path, const char *text, size_t size)
{
    static const xml_sink sink = {maker_open, maker_close, maker_text};
    xacro_maker           m = {.x = x, .file = xacro_copy(x, path, strlen(path))};
    reader                r = *x->reader;
    if (!m.file) return NULL;
    r.file = m.file;
    const arne_status status = arne_xml_parse(&r, &sink, &m, text, size);
    buffer_free(&m.text);
    if (!status) return m.root;
    x->status = status_both(x->status, status); // it was told
    x->why[0] = 0;
    if (!status_goes_on(status)) x->ended = 1;
    return NULL;
}
