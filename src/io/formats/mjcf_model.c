// Models of MJCF: includes, settings of the compiler, default classes, attributes, orientations.
#include "base/error.h"
#include "base/plain.h"
#include "io/formats/mjcf.h"
#include "io/run_folder.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MJCF_MOST_DEFAULTS = 5000, MJCF_MOST_INCLUDES = 200, MJCF_DEEPEST_INCLUDE = 16 };

static arne_status model_no_memory(const mjcf *m) { return arne_fail_memory(m->r->error); }

int mjcf_is(const char *text, const char *word) { return text && strcmp(text, word) == 0; }

arne_place mjcf_place_of(const xml_node *node) { return (arne_place){node->file, node->line}; }

int mjcf_grow(void **list, int count, int *room, size_t size)
{
    if (count < *room) return 1;
    const int more = *room ? 2 * *room : 64;
    void     *bigger = realloc(*list, (size_t)more * size);
    if (!bigger) return 0;
    *list = bigger;
    *room = more;
    return 1;
}

// ---- includes

typedef struct include_state {
    mjcf       *m;
    xml_tree   *tree;
    const char *file; // the main one
    int         count;
} include_state;

// Paths are tried from the main file's folder, then from the including file's.
static arne_status include_load(include_state *s, const xml_node *at, const char *name, char **text,
                                size_t *size, const char **file)
{
    const char *const bases[2] = {s->file, at->file};
    const char       *dot = strrchr(name, '.');
    arne_error        own;
    arne_status       status = ARNE_FILE;
    if (!dot || (!plain_same(dot, ".xml") && !plain_same(dot, ".mjcf")))
        return xml_node_fail(s->m->r, ARNE_VALUE, at,
                             "<%s> of '%.100s': it must end in .xml or .mjcf", at->tag, name);
    for (int i = 0; i < 2 && status && status != ARNE_NO_MEMORY; i++) {
        char *path = arne_path_beside(bases[i], name);
        if (!path) return model_no_memory(s->m);
        *file = xml_tree_text(s->tree, path);
        free(path);
        if (!*file) return model_no_memory(s->m);
        const reader r = {
            .file = *file, .error = &own, .extends = s->m->r->extends + 1, .files = s->m->r->files};
        free(*text);
        *text = NULL;
        arne_error_clear(&own);
        status = arne_reader_load(&r, text, size);
    }
    if (status == ARNE_NO_MEMORY) return model_no_memory(s->m);
    if (!status) return ARNE_OK;
    return xml_node_fail(s->m->r, ARNE_FILE, at, "<%s> of '%.100s': %s", at->tag, name, own.text);
}

// The tree of a file that is named by an element; its memory becomes the tree's.
static arne_status include_tree(include_state *s, const xml_node *at, const char *name,
                                xml_node **root)
{
    char       *text = NULL;
    size_t      size = 0;
    const char *file = NULL;
    xml_tree    tree = {0};
    *root = NULL;
    if (++s->count > MJCF_MOST_INCLUDES)
        return xml_node_fail(s->m->r, ARNE_TOO_LARGE, at, "there are more than %d included files",
                             MJCF_MOST_INCLUDES);
    arne_status status = include_load(s, at, name, &text, &size, &file);
    if (!status) {
        const char *before = s->m->r->file;
        s->m->r->file = file;
        status = xml_tree_parse(s->m->r, text, size, &tree);
        s->m->r->file = before;
    }
    *root = tree.root;
    document_join(&s->tree->memory, &tree.memory);
    xml_tree_free(&tree);
    free(text);
    return status;
}

static arne_status expand_includes(include_state *s, xml_node *parent, int depth)
{
    arne_status status = ARNE_OK;
    xml_node   *before = NULL;
    for (xml_node *c = parent->first, *next; c && status_goes_on(status); c = next) {
        next = c->next;
        if (strcmp(c->tag, "include") != 0) {
            status = status_both(status, expand_includes(s, c, depth));
            before = c;
            continue;
        }
        const char *name = xml_node_get(c, "file");
        xml_node   *root = NULL;
        if (!name)
            status = status_both(status, xml_node_fail(s->m->r, ARNE_VALUE, c,
                                                       "<include> needs the attribute 'file'"));
        else if (depth == MJCF_DEEPEST_INCLUDE)
            status = xml_node_fail(s->m->r, ARNE_TOO_LARGE, c,
                                   "files include each other more than %d deep (in a circle?)",
                                   MJCF_DEEPEST_INCLUDE);
        else
            status = status_both(status, include_tree(s, c, name, &root));
        if (root && status_goes_on(status))
            status = status_both(status, expand_includes(s, root, depth + 1));
        xml_node *first = root ? root->first : NULL, *last = root ? root->last : NULL;
        for (xml_node *k = first; k; k = k->next)
            k->parent = parent;
        if (last) last->next = next;
        xml_node *link = first ? first : next;
        if (before)
            before->next = link;
        else
            parent->first = link;
        if (last) before = last;
        if (!next) parent->last = before;
    }
    return status;
}

arne_status mjcf_load_named(mjcf *m, const xml_node *at, const char *name, mjcf_model **out)
{
    include_state s = {m, &m->models->tree, m->models->file, 0};
    char         *text = NULL;
    size_t        size = 0;
    const char   *file = NULL;
    arne_status   status = include_load(&s, at, name, &text, &size, &file);
    *out = NULL;
    if (!status) status = mjcf_load(m, text, size, file, out);
    free(text);
    return status;
}

// ---- settings of the compiler

static arne_status compiler_boolean(mjcf *m, const xml_node *node, const char *name, int *out)
{
    const char *text = xml_node_get(node, name);
    if (!text) return ARNE_OK;
    if (!mjcf_is(text, "true") && !mjcf_is(text, "false"))
        return xml_node_fail(m->r, ARNE_VALUE, node, "%s of <%s> must be true or false", name,
                             node->tag);
    *out = mjcf_is(text, "true");
    return ARNE_OK;
}

static arne_status compiler_euler(mjcf *m, const xml_node *node, mjcf_compiler *c)
{
    const char *text = xml_node_get(node, "eulerseq");
    if (!text) return ARNE_OK;
    if (strlen(text) != 3 || strspn(text, "xyzXYZ") != 3)
        return xml_node_fail(m->r, ARNE_VALUE, node,
                             "eulerseq of <compiler> must be three of x, y, z, X, Y, Z");
    memcpy(c->euler, text, 4);
    return ARNE_OK;
}

static arne_status read_compiler(mjcf *m, const xml_node *node, mjcf_compiler *c)
{
    const char *angle = xml_node_get(node, "angle"), *from = xml_node_get(node, "inertiafromgeom");
    const char *folder = xml_node_get(node, "meshdir");
    double      groups[2] = {c->groups[0], c->groups[1]};
    arne_status status = ARNE_OK;
    if (angle) c->degrees = strcmp(angle, "radian") != 0;
    if (angle && !mjcf_is(angle, "radian") && !mjcf_is(angle, "degree"))
        status = xml_node_fail(m->r, ARNE_VALUE, node, "angle must be radian or degree");
    if (mjcf_is(xml_node_get(node, "coordinate"), "global"))
        status = status_both(status, xml_node_fail(m->r, ARNE_UNSUPPORTED, node,
                                                   "coordinate=\"global\" is not supported (nor by "
                                                   "MuJoCo since 2.3.4)"));
    if (from) c->from_geom = mjcf_is(from, "true") ? 1 : mjcf_is(from, "false") ? 0 : 2;
    if (!folder) folder = xml_node_get(node, "assetdir");
    if (folder) c->mesh_folder = folder;
    const mjcf_want wants[] = {{"inertiagrouprange", 2, 2, groups, NULL},
                               {"boundmass", 1, 1, &c->bound_mass, NULL},
                               {"boundinertia", 1, 1, &c->bound_inertia, NULL},
                               {"settotalmass", 1, 1, &c->total_mass, NULL},
                               {0}};
    const struct {
        const char *name;
        int        *out;
    } flags[] = {{"autolimits", &c->autolimits},
                 {"balanceinertia", &c->balance},
                 {"alignfree", &c->align_free},
                 {"fusestatic", &c->fuse}};
    status = status_both(status, compiler_euler(m, node, c));
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        status = status_both(status, compiler_boolean(m, node, flags[i].name, flags[i].out));
    status = status_both(status, mjcf_read_all(m, node, NULL, wants));
    for (int i = 0; i < 2; i++)
        c->groups[i] = groups[i] < 0 ? 0 : groups[i] > 5 ? 5 : (int)groups[i];
    return status;
}

// ---- default classes

mjcf_class *mjcf_find_class(const mjcf_model *model, const char *name)
{
    mjcf_class *c = model->classes;
    while (c && strcmp(c->name, name) != 0)
        c = c->next;
    return c;
}

static mjcf_class *make_class(mjcf_model *model, const char *name, mjcf_class *parent)
{
    mjcf_class *c = document_take(&model->tree.memory, sizeof *c);
    mjcf_class *last = model->classes;
    if (!c) return NULL;
    c->name = name;
    c->parent = parent;
    while (last && last->next)
        last = last->next;
    if (last)
        last->next = c;
    else
        model->classes = c;
    return c;
}

static arne_status read_class(mjcf *m, mjcf_model *model, const xml_node *node, mjcf_class *parent)
{
    const char *name = xml_node_get(node, "class");
    mjcf_class *c = name || parent ? NULL : model->classes;
    arne_status status = ARNE_OK;
    if (parent && !name)
        return xml_node_fail(m->r, ARNE_VALUE, node,
                             "a nested <default> needs the attribute 'class'");
    if (name) c = mjcf_find_class(model, name);
    if (!c) c = make_class(model, name, parent ? parent : model->classes);
    if (!c) return model_no_memory(m);
    for (xml_node *k = node->first; k && status_goes_on(status); k = k->next) {
        if (strcmp(k->tag, "default") == 0) {
            status = status_both(status, read_class(m, model, k, c));
            continue;
        }
        if (++model->defaults > MJCF_MOST_DEFAULTS)
            return xml_node_fail(m->r, ARNE_TOO_LARGE, k, "there are more than %d defaults",
                                 MJCF_MOST_DEFAULTS);
        struct mjcf_default *d = document_take(&model->tree.memory, sizeof *d);
        if (!d) return model_no_memory(m);
        *d = (struct mjcf_default){k, c->last};
        c->last = d;
    }
    return status;
}

arne_status mjcf_class_of(mjcf *m, const mjcf_place *at, const xml_node *node, mjcf_class **out)
{
    const char *name = xml_node_get(node, "class");
    *out = at->class ? at->class : at->model->classes;
    if (!name) return ARNE_OK;
    mjcf_class *own = mjcf_find_class(at->model, name);
    if (own) *out = own;
    return own ? ARNE_OK
               : xml_node_fail(m->r, ARNE_NOT_FOUND, node, "there is no default class '%.80s'",
                               name);
}

// Tendons, and equalities, have one set of defaults with the tag of their section; so have
// actuators, by any of their tags.
static int class_is_for(const xml_node *set, const xml_node *node)
{
    static const char actuators[] = " general motor position velocity intvelocity damper cylinder "
                                    "muscle adhesion plugin ";
    const char       *in = node->parent ? node->parent->tag : "";
    char              word[24];
    if (strcmp(in, "tendon") == 0 || strcmp(in, "equality") == 0) return strcmp(set->tag, in) == 0;
    if (strcmp(in, "actuator") != 0) return strcmp(set->tag, node->tag) == 0;
    snprintf(word, sizeof word, " %.20s ", set->tag);
    return strstr(actuators, word) != NULL;
}

const char *mjcf_get(const xml_node *node, const mjcf_class *class, const char *name)
{
    const char *own = xml_node_get(node, name);
    for (; class && !own; class = class->parent)
        for (const struct mjcf_default *d = class->last; d && !own; d = d->next)
            if (class_is_for(d->node, node)) own = xml_node_get(d->node, name);
    return own;
}

int mjcf_is_limited(const mjcf_place *at, const xml_node *node, const mjcf_class *class,
                    const char *word, int given)
{
    const char *limited = mjcf_get(node, class, word);
    if (mjcf_is(limited, "true") || mjcf_is(limited, "false")) return mjcf_is(limited, "true");
    return at->model->compiler.autolimits && given;
}

arne_status mjcf_each(mjcf *m, const mjcf_place *at, const xml_node *root, const char *section,
                      const char *tag, mjcf_take take)
{
    arne_status status = ARNE_OK;
    for (const xml_node *k = root->first; k; k = k->next)
        for (const xml_node *c = strcmp(k->tag, section) == 0 ? k->first : NULL;
             c && status_goes_on(status); c = c->next)
            if (!tag || strcmp(c->tag, tag) == 0) status = status_both(status, take(m, at, c));
    return status;
}

// ---- loading

static arne_status read_settings(mjcf *m, mjcf_model *model)
{
    arne_status status = ARNE_OK;
    model->compiler = (mjcf_compiler){.degrees = 1,
                                      .autolimits = 1,
                                      .from_geom = 2,
                                      .groups = {0, 5},
                                      .euler = "xyz",
                                      .mesh_folder = "",
                                      .total_mass = -1};
    if (!make_class(model, "main", NULL)) return model_no_memory(m);
    for (const xml_node *k = model->tree.root->first; k && status_goes_on(status); k = k->next) {
        if (strcmp(k->tag, "compiler") == 0)
            status = status_both(status, read_compiler(m, k, &model->compiler));
        if (strcmp(k->tag, "default") == 0)
            status = status_both(status, read_class(m, model, k, NULL));
    }
    return status;
}

arne_status mjcf_load(mjcf *m, const char *text, size_t size, const char *file, mjcf_model **out)
{
    mjcf_model *model = calloc(1, sizeof *model), **end = &m->models;
    if (!model) return model_no_memory(m);
    while (*end)
        end = &(*end)->next;
    *end = *out = model;
    const char *before = m->r->file;
    m->r->file = file;
    arne_status status = xml_tree_parse(m->r, text, size, &model->tree);
    m->r->file = before;
    if (!model->tree.root || !status_goes_on(status) || status == ARNE_SYNTAX) return status;
    model->file = model->tree.root->file;
    include_state s = {m, &model->tree, model->file, 0};
    status = status_both(status, expand_includes(&s, model->tree.root, 0));
    model->name = xml_node_get(model->tree.root, "model");
    return status_goes_on(status) ? status_both(status, read_settings(m, model)) : status;
}

void mjcf_models_free(mjcf *m)
{
    while (m->models) {
        mjcf_model *next = m->models->next;
        xml_tree_free(&m->models->tree);
        free(m->models);
        m->models = next;
    }
}

// ---- attributes

arne_status mjcf_numbers(mjcf *m, const xml_node *node, const mjcf_class *class, const char *name,
                         int least, int most, double *out, int *count)
{
    const char *text = mjcf_get(node, class, name);
    if (count) *count = 0;
    return text ? xml_node_numbers(m->r, node, name, text, least, most, out, count) : ARNE_OK;
}

arne_status mjcf_number(mjcf *m, const xml_node *node, const mjcf_class *class, const char *name,
                        double *out)
{
    return mjcf_numbers(m, node, class, name, 1, 1, out, NULL);
}

arne_status mjcf_read_all(mjcf *m, const xml_node *node, const mjcf_class *class,
                          const mjcf_want *w)
{
    arne_status status = ARNE_OK;
    for (; w->name; w++)
        status = status_both(
            status, mjcf_numbers(m, node, class, w->name, w->least, w->most, w->out, w->count));
    return status;
}

const char *mjcf_name(mjcf *m, const mjcf_place *at, const char *name)
{
    const size_t size = strlen(at->prefix) + strlen(name) + strlen(at->suffix) + 1;
    char        *text = document_take(&m->models->tree.memory, size);
    if (!text) return arne_fail_memory(m->r->error), NULL;
    snprintf(text, size, "%s%s%s", at->prefix, name, at->suffix);
    return text;
}

// ---- orientations

// Lower case: about the axes as they are turned; upper case: about those at rest.
static arne_mat3 rotation_euler(const char sequence[4], const double angle[3])
{
    arne_mat3 R = rotation_identity();
    for (int i = 0; i < 3; i++) {
        const char      lower = (char)(sequence[i] | 0x20);
        const arne_vec3 axis = {lower == 'x', lower == 'y', lower == 'z'};
        const arne_mat3 turn = rotation_about(axis, angle[i]);
        R = sequence[i] >= 'a' ? rotation_times(&R, &turn) : rotation_times(&turn, &R);
    }
    return R;
}

static arne_status rotation_of_axes(mjcf *m, const xml_node *node, const double xy[6],
                                    arne_mat3 *out)
{
    arne_vec3    x = {xy[0], xy[1], xy[2]}, y = {xy[3], xy[4], xy[5]};
    const double n = vec_norm(x);
    if (n > 0) x = vec_scale(1 / n, x);
    y = vec_add(y, vec_scale(-vec_dot(x, y), x));
    const double k = vec_norm(y);
    if (n == 0 || k == 0)
        return xml_node_fail(m->r, ARNE_VALUE, node, "xyaxes of <%s> do not span a plane",
                             node->tag);
    y = vec_scale(1 / k, y);
    *out = (arne_mat3){x, y, vec_cross(x, y)};
    return ARNE_OK;
}

static arne_status rotation_zero(mjcf *m, const xml_node *node, const char *what)
{
    return xml_node_fail(m->r, ARNE_VALUE, node, "%s of <%s> has no length", what, node->tag);
}

// One of the five ways to say it, of one element. *found: there was one.
static arne_status mjcf_model_rotation_of(mjcf *m, const mjcf_place *at, const xml_node *node,
                                          const xml_node *from, arne_mat3 *out, int *found)
{
    static const struct {
        const char *name;
        int         count;
    } ways[] = {{"axisangle", 4}, {"xyaxes", 6}, {"zaxis", 3}, {"euler", 3}, {"quat", 4}};
    const double unit = at->model->compiler.degrees ? acos(-1.0) / 180 : 1;
    double       x[6];
    int          way = 0;
    while (way < 5 && !xml_node_get(from, ways[way].name))
        way++;
    *found = way < 5;
    if (way == 5) return ARNE_OK;
    const arne_status status =
        xml_node_numbers(m->r, node, ways[way].name, xml_node_get(from, ways[way].name),
                         ways[way].count, ways[way].count, x, NULL);
    if (status) return status;
    const arne_vec3 v = {x[0], x[1], x[2]};
    if ((way == 0 || way == 2) && vec_norm(v) == 0) return rotation_zero(m, node, ways[way].name);
    if (way == 4 && x[0] == 0 && x[1] == 0 && x[2] == 0 && x[3] == 0)
        return rotation_zero(m, node, "quat");
    if (way == 1) return rotation_of_axes(m, node, x, out);
    for (int i = 0; i < 3; i++)
        if (way == 3) x[i] *= unit;
    *out = way == 0   ? rotation_about(v, unit * x[3])
           : way == 2 ? rotation_of_z(v)
           : way == 3 ? rotation_euler(at->model->compiler.euler, x)
                      : rotation_wxyz(x);
    return ARNE_OK;
}

arne_status mjcf_rotation(mjcf *m, const mjcf_place *at, const xml_node *node,
                          const mjcf_class *class, arne_mat3 *out)
{
    int         found = 0;
    arne_status status = mjcf_model_rotation_of(m, at, node, node, out, &found);
    for (; class && !found && !status; class = class->parent)
        for (const struct mjcf_default *d = class->last; d && !found && !status; d = d->next)
            if (strcmp(d->node->tag, node->tag) == 0)
                status = mjcf_model_rotation_of(m, at, node, d->node, out, &found);
    return status;
}

arne_status mjcf_pose(mjcf *m, const mjcf_place *at, const xml_node *node, const mjcf_class *class,
                      arne_pose *out)
{
    double p[3] = {0};
    *out = pose_identity();
    const arne_status status = mjcf_numbers(m, node, class, "pos", 3, 3, p, NULL);
    out->p = (arne_vec3){p[0], p[1], p[2]};
    return status_both(status, mjcf_rotation(m, at, node, class, &out->R));
}
