#include "io/formats/sdf.h"

#include "base/error.h"
#include "base/plain.h"
#include "base/text.h"
#include "io/formats/formats.h"
#include "robot/builder.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sdf_check(sdf *s, arne_status status) { s->status = status_both(s->status, status); }

void sdf_fail(sdf *s, const xml_node *at, const char *format, ...)
{
    char    text[sizeof((arne_error *)0)->text];
    va_list arguments;
    va_start(arguments, format);
    text_line_list(text, sizeof text, format, arguments);
    va_end(arguments);
    sdf_check(s, xml_node_fail(s->reader, ARNE_VALUE, at, "%s", text));
}

// 105 of "1.5"; 0 where it is none.
int sdf_version(const char *text)
{
    int minor = 0;
    if (!text || strncmp(text, "1.", 2) != 0 || !plain_is_digit(text[2])) return 0;
    for (const char *p = text + 2; plain_is_digit(*p) && minor < 1000; p++)
        minor = 10 * minor + (*p - '0');
    return 100 + minor;
}

// ---- values of children

const char *sdf_text(sdf *s, const xml_node *node, const char *tag)
{
    const xml_node *child = xml_node_child(node, tag);
    if (!child) return NULL;
    const char *text = xml_tree_trim(&s->tree, child->text);
    if (text) return text;
    sdf_check(s, arne_fail_memory(s->reader->error));
    return "";
}

// Infinities are numbers of SDF, too.
static int sdf_is_infinite(const char *text, double *out)
{
    const char *p = text + (*text == '-' || *text == '+');
    if (!plain_same(p, "inf") && !plain_same(p, "infinity")) return 0;
    *out = *text == '-' ? -INFINITY : INFINITY;
    return 1;
}

void sdf_numbers(sdf *s, const xml_node *node, const char *tag, int count, double *out)
{
    const xml_node *child = xml_node_child(node, tag);
    const char     *text = child ? sdf_text(s, node, tag) : NULL;
    double          v[4];
    int             has = 0;
    if (!text || (count == 1 && sdf_is_infinite(text, out))) return;
    const arne_status status =
        xml_node_numbers(s->reader, child, "the text", text, count, count, v, &has);
    sdf_check(s, status);
    for (int i = 0; i < count && !status; i++)
        out[i] = v[i];
}

int sdf_truth(sdf *s, const xml_node *node, const char *tag, int otherwise)
{
    const char *text = sdf_text(s, node, tag);
    if (!text) return otherwise;
    if (plain_same(text, "true") || strcmp(text, "1") == 0) return 1;
    if (!plain_same(text, "false") && strcmp(text, "0") != 0)
        sdf_fail(s, xml_node_child(node, tag), "<%s> is '%s', neither true nor false", tag, text);
    return 0;
}

// ---- what is unknown

static const char *const known[][40] = {
    {"model", "pose", "static", "self_collide", "allow_auto_disable", "include", "model",
     "enable_wind", "frame", "link", "joint", "plugin", "gripper", "placement_frame", NULL},
    {"link",
     "pose",
     "gravity",
     "enable_wind",
     "self_collide",
     "kinematic",
     "must_be_base_link",
     "velocity_decay",
     "inertial",
     "collision",
     "visual",
     "sensor",
     "projector",
     "audio_sink",
     "audio_source",
     "battery",
     "light",
     "particle_emitter",
     "plugin",
     "frame",
     NULL},
    {"joint", "pose", "parent", "child", "gearbox_ratio", "gearbox_reference_body", "thread_pitch",
     "screw_thread_pitch", "axis", "axis2", "physics", "sensor", "plugin", "frame", NULL},
    {"axis", "initial_position", "xyz", "use_parent_model_frame", "dynamics", "limit", "mimic",
     NULL},
    {"inertial", "mass", "pose", "inertia", "density", "auto_inertia_params", "fluid_added_mass",
     "frame", NULL},
};

static const char *known_word(const void *words, int index)
{
    return ((const char *const *)words)[index];
}

static void tell_unknown(sdf *s, const xml_node *node, const char *const *words)
{
    for (const xml_node *c = node->first; c; c = c->next) {
        char near[200];
        int  i = 1;
        while (words[i] && strcmp(words[i], c->tag) != 0)
            i++;
        if (words[i] || strchr(c->tag, ':')) continue; // a prefix: something else's own
        reader at = *s->reader;
        at.file = c->file;
        arne_near_matches(c->tag, known_word, words + 1, i - 1, near, sizeof near);
        sdf_check(s, arne_reader_unknown(&at, c->line, c->column,
                                         "unknown tag <%s> of <%s> is ignored%s", c->tag, node->tag,
                                         near));
        s->reader->unknown_count = at.unknown_count;
    }
}

static void search_unknown(sdf *s, const xml_node *node)
{
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(known[k][0], node->tag) == 0) tell_unknown(s, node, known[k]);
    if (strcmp(node->tag, "axis2") == 0) tell_unknown(s, node, known[3]);
    if (strcmp(node->tag, "plugin") == 0 || strcmp(node->tag, "sensor") == 0) return;
    for (const xml_node *c = node->first; c; c = c->next)
        search_unknown(s, c);
}

// ---- the model that is read

static void list_models(const sdf_model *world, char *out, size_t size)
{
    size_t n = 0;
    out[0] = 0;
    for (const sdf_item *i = world->items; i && n < size; i = i->next)
        if (i->inner) n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "", i->name);
}

// model:=NAME of the arguments; "" where there is none.
static void wanted_model(sdf *s)
{
    const char *at = s->reader->arguments ? strstr(s->reader->arguments, "model:=") : NULL;
    snprintf(s->wanted, sizeof s->wanted, "%.*s", at ? (int)strcspn(at + 7, " ") : 0,
             at ? at + 7 : "");
}

static void sdf_choose(sdf *s)
{
    const char *name = s->wanted;
    char        names[400];
    int         count = 0;
    sdf_item   *found = NULL;
    for (sdf_item *i = s->world->items; i; i = i->next) {
        if (!i->inner || (*name && strcmp(i->name, name) != 0)) continue;
        found = i;
        count++;
    }
    list_models(s->world, names, sizeof names);
    if (count == 1) {
        s->place = found;
        s->top = found->inner;
    } else if (*name) {
        sdf_fail(s, s->world->node, "there is no model '%s' (there are: %s)", name, names);
    } else {
        sdf_fail(s, s->world->node,
                 count ? "there are %d models: say --model NAME (%s)" : "there is no model%.0d%s",
                 count, names);
    }
}

// Names start at the model that is read.
static void read_models(sdf *s, const xml_node *root, int version)
{
    const xml_node *world = xml_node_child(root, "world");
    const xml_node *holder = world ? world : root;
    double          g[3] = {0, 0, -9.81};
    wanted_model(s);
    s->world = sdf_model_read(s, holder, NULL, NULL, "world", version);
    if (!s->world || !status_goes_on(s->status)) return;
    sdf_choose(s);
    if (world && xml_node_child(world, "gravity")) {
        sdf_numbers(s, world, "gravity", 3, g);
        sdf_check(s, arne_builder_set_gravity(s->reader->builder, (arne_vec3){g[0], g[1], g[2]}));
    }
}

static void add_links(sdf *s, sdf_model *model)
{
    for (sdf_item *i = model->items; i && status_goes_on(s->status); i = i->next) {
        if (i->kind == SDF_LINK) sdf_link_add(s, i);
        if (i->inner) add_links(s, i->inner);
    }
}

static void sdf_add_frames(sdf *s, sdf_model *model)
{
    for (sdf_item *i = model->items; i && status_goes_on(s->status); i = i->next) {
        if (i->inner) sdf_add_frames(s, i->inner);
        sdf_item *link = i->kind == SDF_FRAME ? sdf_link_of(s, model, i->name, i->node) : NULL;
        if (!link) continue;
        const arne_pose in_link =
            sdf_pose_mul(sdf_pose_inverse(sdf_pose_in_top(s, link)), sdf_pose_in_top(s, i));
        sdf_check(s, arne_reader_check(
                         s->reader,
                         arne_builder_add_frame(s->reader->builder, i->full, link->full, &in_link,
                                                (arne_place){i->node->file, i->node->line},
                                                s->reader->error),
                         i->node->line));
    }
}

static void sdf_build(sdf *s)
{
    const char *canonical = xml_node_get(s->top->node, "canonical_link");
    if (canonical && *canonical) sdf_link_of(s, s->top, canonical, s->top->node);
    const sdf_item *taken = sdf_item_find(s->top, "world");
    s->root = taken && taken->kind != SDF_JOINT ? "__world__" : "world";
    sdf_check(s, arne_builder_set_name(s->reader->builder, s->top->name));
    search_unknown(s, s->top->node);
    add_links(s, s->top);
    sdf_joints_add(s);
    sdf_add_frames(s, s->top);
    if (!s->links) sdf_fail(s, s->top->node, "the model '%s' has no link", s->top->name);
}

arne_status sdf_read(reader *r, const char *text, size_t size)
{
    sdf       s = {.reader = r};
    char     *own = malloc(size + 1);
    xml_node *root = NULL;
    if (!own) return arne_fail_memory(r->error);
    memcpy(own, text, size);
    own[size] = 0;
    root = sdf_parse(&s, r, own, size);
    free(own);
    const char *version = root ? xml_node_get(root, "version") : NULL;
    const int   number = sdf_version(version);
    if (root && strcmp(root->tag, "sdf") != 0)
        sdf_fail(&s, root, "this is no SDF file: it starts with <%s>, not <sdf>", root->tag);
    else if (root && (number < 104 || number > 112))
        sdf_fail(&s, root, "version '%s' of SDF is not read (1.4 to 1.12 are)",
                 version ? version : "");
    else if (root)
        read_models(&s, root, number);
    if (s.top && status_goes_on(s.status)) sdf_build(&s);
    if (s.status) r->builder->incomplete = 1;
    xml_tree_free(&s.tree);
    return s.status;
}

format_match sdf_recognise(const format_sample *sample)
{
    return strcmp(sample->root, "sdf") == 0 ? FORMAT_CERTAIN : FORMAT_NO;
}
