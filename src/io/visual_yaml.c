// `visual:` of a body, one or a list of them: {box: [x, y, z]}, {cylinder: [radius, length]},
// {capsule: [radius, length]}, {sphere: radius} or {mesh: FILE, scale: 0.001}, with origin: {xyz,
// rpy} and colour: [r, g, b] or [r, g, b, a].
#include "io/visual.h"

#include "base/error.h"
#include "io/document.h"
#include "io/read_rotation.h"
#include "io/run_folder.h"
#include "io/yaml_robot.h"
#include "robot/flexible.h"
#include <arne/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct body_looks {
    reader      *reader;
    const char  *owner, *body; // "body 'NAME'", its name
    visual_list *out;
} body_looks;

static arne_status visual_yaml_fail(const body_looks *l, const doc_node *at, const char *key,
                                    const char *why)
{
    return arne_reader_fail_at(l->reader, ARNE_VALUE, at->line, at->column, "%s: visual: %s%s%s",
                               l->owner, key, *key ? " " : "", why);
}

// One number, or a list of `least` to `most`. *count says how many there were.
static arne_status read_numbers(const body_looks *l, const doc_item *i, int least, int most,
                                double *out, int *count)
{
    const doc_item  single = {.value = i->value};
    const doc_item *at = i->value->kind == DOC_LIST ? i->value->first : &single;
    int             n = 0;
    for (; at; at = at->next) {
        if (n == most || at->value->kind != DOC_TEXT ||
            arne_parse_number(at->value->text, &out[n++]))
            return visual_yaml_fail(l, i->value, i->key,
                                    "must be a number or a short list of numbers");
    }
    *count = n;
    return n >= least ? ARNE_OK : visual_yaml_fail(l, i->value, i->key, "has too few numbers");
}

// Lengths are positive; parts of a colour are from 0 to `most`.
static arne_status visual_yaml_check_numbers(const body_looks *l, const doc_item *i, int count,
                                             const double *value, double most, const char *why)
{
    for (int k = 0; k < count; k++)
        if (!(value[k] >= 0 && value[k] <= most) || (isinf(most) && value[k] == 0))
            return visual_yaml_fail(l, i->value, i->key, why);
    return ARNE_OK;
}

static arne_status visual_yaml_read_origin(const body_looks *l, const doc_node *origin,
                                           arne_pose *X)
{
    double xyz[3] = {0}, rpy[3] = {0};
    int    count = 0;
    if (origin->kind != DOC_MAP)
        return visual_yaml_fail(l, origin, "origin", "must be a mapping of xyz and rpy");
    for (const doc_item *i = origin->first; i; i = i->next) {
        const int turns = strcmp(i->key, "rpy") == 0;
        if (!turns && strcmp(i->key, "xyz") != 0)
            return visual_yaml_fail(l, i->value, i->key,
                                    "is unknown in origin: it has xyz and rpy");
        const arne_status status = read_numbers(l, i, 3, 3, turns ? rpy : xyz, &count);
        if (status) return status;
    }
    X->p = (arne_vec3){xyz[0], xyz[1], xyz[2]};
    X->R = arne_rotation_rpy(rpy);
    return ARNE_OK;
}

static arne_status visual_yaml_read_mesh(const body_looks *l, const doc_item *i, visual *v)
{
    if (i->value->kind != DOC_TEXT || !*i->value->text)
        return visual_yaml_fail(l, i->value, "mesh", "must be the name of a file");
    v->mesh = visual_text(i->value->text);
    return v->mesh ? ARNE_OK : arne_fail_memory(l->reader->error);
}

static arne_status visual_yaml_read_key(const body_looks *l, const doc_item *i, visual *v)
{
    static const struct {
        const char *key;
        visual_kind kind;
        int         count;
    } shapes[] = {{"box", VISUAL_BOX, 3},
                  {"cylinder", VISUAL_CYLINDER, 2},
                  {"capsule", VISUAL_CAPSULE, 2},
                  {"sphere", VISUAL_SPHERE, 1}};
    int count = 0;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        if (strcmp(i->key, shapes[k].key) == 0) {
            const arne_status status =
                read_numbers(l, i, shapes[k].count, shapes[k].count, v->size, &count);
            if (v->kind != VISUAL_NONE)
                return visual_yaml_fail(l, i->value, i->key,
                                        "is a second shape: give each an entry of its own");
            v->kind = shapes[k].kind;
            return status ? status
                          : visual_yaml_check_numbers(l, i, count, v->size, INFINITY,
                                                      "must be positive");
        }
    if (strcmp(i->key, "mesh") == 0) {
        v->kind = VISUAL_MESH;
        if (v->size[0] == 0) v->size[0] = v->size[1] = v->size[2] = 1;
        return visual_yaml_read_mesh(l, i, v);
    }
    if (strcmp(i->key, "scale") == 0) {
        const arne_status status = read_numbers(l, i, 1, 3, v->size, &count);
        if (count == 1) v->size[1] = v->size[2] = v->size[0];
        return count == 2 ? visual_yaml_fail(l, i->value, "scale", "must be one number or three")
                          : status;
    }
    if (strcmp(i->key, "origin") == 0) return visual_yaml_read_origin(l, i->value, &v->at);
    if (strcmp(i->key, "colour") == 0 || strcmp(i->key, "color") == 0) {
        v->has_colour = 1;
        v->colour[3] = 1;
        const arne_status status = read_numbers(l, i, 3, 4, v->colour, &count);
        return status ? status
                      : visual_yaml_check_numbers(l, i, count, v->colour, 1,
                                                  "must be numbers from 0 to 1");
    }
    return visual_yaml_fail(
        l, i->value, i->key,
        "is unknown; a visual has box, cylinder, capsule, sphere or mesh, and origin, "
        "colour, scale");
}

static arne_status read_visual(const body_looks *l, const doc_node *n)
{
    if (n->kind != DOC_MAP)
        return visual_yaml_fail(l, n, "", "must be a mapping or a list of them");
    visual     *v = visuals_add(l->out, l->body, l->reader->file);
    arne_status status = v ? ARNE_OK : arne_fail_memory(l->reader->error);
    for (const doc_item *i = n->first; i && status_goes_on(status); i = i->next)
        status = status_both(status, visual_yaml_read_key(l, i, v));
    if (!status && v->kind == VISUAL_NONE)
        status = visual_yaml_fail(l, n, "", "needs one of box, cylinder, capsule, sphere, mesh");
    return status;
}

// One visual, or a list of them.
static arne_status read_visuals(const body_looks *l, const doc_node *look)
{
    arne_status status = ARNE_OK;
    if (look->kind != DOC_LIST) return read_visual(l, look);
    for (const doc_item *i = look->first; i && status_goes_on(status); i = i->next)
        status = status_both(status, read_visual(l, i->value));
    return status;
}

arne_status arne_yaml_visual(const doc_slot *slot, void *unused)
{
    visual_list      list = {0};
    const body_looks l = {slot->reader, slot->owner, "", &list};
    (void)unused;
    if (slot->reader->looks) return ARNE_OK; // yaml_visuals reads it
    const arne_status status = read_visuals(&l, slot->value);
    visuals_free(&list);
    return status;
}

static void visual_yaml_forget(visual_list *list, const char *link)
{
    int kept = 0;
    for (int i = 0; i < list->count; i++) {
        if (strcmp(list->item[i].link, link) != 0) {
            list->item[kept++] = list->item[i];
            continue;
        }
        free(list->item[i].link);
        free(list->item[i].file);
        free(list->item[i].material);
        free(list->item[i].mesh);
    }
    list->count = kept;
}

// A beam is drawn as what it consists of: boxes of its length that have the area and second moments
// of its section. A rod by strain modes is no box: its slices are drawn where the robot is known.
static arne_status draw_beam(const body_looks *l, const doc_node *flexible)
{
    findings       ignored = {0};
    arne_error     error;
    reader         quiet = {.file = l->reader->file, .found = &ignored, .error = &error};
    const doc_slot slot = {&quiet, "", "flexible", flexible};
    arne_body_spec spec = arne_body_spec_default();
    const int bad = arne_yaml_flexible(&slot, &spec) != ARNE_OK; // said where the robot is read
    findings_free(&ignored);
    const arne_flexible_spec *f = &spec.flexible;
    const int                 is_rod = arne_flexible_is_rod(f);
    for (int k = -1; k < f->segments && !bad && !is_rod; k++) {
        char         name[200];
        const double length = flexible_place(f, k + 1) - flexible_place(f, k);
        snprintf(name, sizeof name, k < 0 ? "%.150s" : "%.150s_%d", l->body, k + 1);
        visual *v = visuals_add(l->out, name, l->reader->file);
        if (!v) return arne_fail_memory(l->reader->error);
        v->kind = VISUAL_BOX;
        v->size[f->axis] = length;
        v->size[(f->axis + 1) % 3] = sqrt(12 * f->moments[1] / f->A);
        v->size[(f->axis + 2) % 3] = sqrt(12 * f->moments[0] / f->A);
        (&v->at.p.x)[f->axis] = length / 2;
    }
    return ARNE_OK;
}

// Bodies, or the rows of a Denavit-Hartenberg table, which name their links so.
static arne_status visual_yaml_read_all(reader *r, const doc_node *list, const char *name_key,
                                        visual_list *out)
{
    arne_status status = ARNE_OK;
    if (!list || list->kind != DOC_LIST) return ARNE_OK;
    for (const doc_item *i = list->first; i && status_goes_on(status); i = i->next) {
        const doc_node *map = i->value->kind == DOC_MAP ? i->value : NULL;
        const doc_node *name = map ? doc_find(map, name_key) : NULL;
        const doc_node *look = map ? doc_find(map, "visual") : NULL;
        const doc_node *flexible = map && !look ? doc_find(map, "flexible") : NULL;
        if (!name || name->kind != DOC_TEXT || (!look && !flexible)) continue;
        char owner[160];
        snprintf(owner, sizeof owner, "body '%.120s'", name->text);
        const body_looks l = {r, owner, name->text, out};
        visual_yaml_forget(out, name->text);
        if (flexible) {
            status = status_both(status, draw_beam(&l, flexible));
            continue;
        }
        status = status_both(status, read_visuals(&l, look));
    }
    return status;
}

arne_status yaml_visuals(reader *r, const doc_node *root, visual_list *out)
{
    const doc_node *dh = doc_find(root, "dh");
    arne_status     status = visual_yaml_read_all(r, doc_find(root, "bodies"), "name", out);
    if (status_goes_on(status) && dh && dh->kind == DOC_MAP)
        status = status_both(status, visual_yaml_read_all(r, doc_find(dh, "rows"), "link", out));
    return status;
}
