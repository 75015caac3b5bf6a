// Elements of OpenSim's files: values, lists, sockets and frames.
#include "io/formats/osim.h"

#include "base/error.h"
#include "base/plain.h"
#include "base/text.h"
#include "io/pose_math.h"
#include "io/read_rotation.h"
#include "robot/builder.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FRAME_MOST = 32 }; // frames on frames

void osim_check(osim *o, arne_status status) { o->status = status_both(o->status, status); }

void osim_added(osim *o, const xml_node *at, arne_status status)
{
    osim_check(o, arne_reader_check(o->reader, status, at->line));
}

void osim_fail(osim *o, const xml_node *at, const char *format, ...)
{
    char    text[sizeof((arne_error *)0)->text];
    va_list arguments;
    va_start(arguments, format);
    text_line_list(text, sizeof text, format, arguments);
    va_end(arguments);
    osim_check(o, xml_node_fail(o->reader, ARNE_VALUE, at, "%s", text));
}

// ---- values

const xml_node *osim_child(const xml_node *node, const char *tag)
{
    xml_node *child = node ? xml_node_child(node, tag) : NULL;
    if (child) child->used = 1;
    return child;
}

const xml_node *osim_items(const xml_node *node, const char *tag)
{
    const xml_node *set = osim_child(node, tag), *objects = osim_child(set, "objects");
    return objects ? objects->first : set ? set->first : NULL;
}

const char *osim_text(osim *o, const xml_node *node, const char *tag)
{
    const xml_node *child = osim_child(node, tag);
    const char     *text = child ? xml_tree_trim(&o->tree, child->text) : NULL;
    if (child && !text) osim_check(o, arne_fail_memory(o->reader->error));
    return text && *text ? text : NULL;
}

const char *osim_name(osim *o, const xml_node *node)
{
    const char *name = xml_node_get(node, "name");
    ((xml_node *)node)->used = 1;
    if (name && *name) return name;
    osim_fail(o, node, "<%s> has no name", node->tag);
    return "";
}

int osim_numbers(osim *o, const xml_node *node, const char *tag, int count, double *out)
{
    const xml_node *child = osim_child(node, tag);
    double          v[6];
    int             has = 0;
    if (!child || !*child->text) return 0;
    const arne_status status =
        xml_node_numbers(o->reader, child, "the text", child->text, count, count, v, &has);
    osim_check(o, status);
    if (status) return 0;
    memcpy(out, v, (size_t)count * sizeof *v);
    return 1;
}

void osim_mark(const xml_node *node)
{
    ((xml_node *)node)->used = 1;
    for (const xml_node *c = node->first; c; c = c->next)
        osim_mark(c);
}

int osim_is_off(osim *o, const xml_node *force)
{
    const int on =
        !osim_truth(o, force, "isDisabled", 0) && osim_truth(o, force, "appliesForce", 1);
    if (on) return 0;
    osim_mark(force);
    osim_check(o, xml_node_warn(o->reader, "unknown", force, "'%s' is switched off, and not read",
                                osim_name(o, force)));
    return 1;
}

const double *osim_list(osim *o, const xml_node *node, const char *tag, int *count)
{
    const xml_node *child = osim_child(node, tag);
    const size_t    most = child ? strlen(child->text) / 2 + 1 : 0; // a digit and a space each
    double         *out = most ? document_take(&o->tree.memory, most * sizeof *out) : NULL;
    *count = 0;
    if (most && !out) osim_check(o, arne_fail_memory(o->reader->error));
    if (!out) return NULL;
    osim_check(
        o, xml_node_numbers(o->reader, child, "the text", child->text, 0, (int)most, out, count));
    return out;
}

int osim_truth(osim *o, const xml_node *node, const char *tag, int otherwise)
{
    const char *text = osim_text(o, node, tag);
    if (!text) return otherwise;
    if (plain_same(text, "true") || strcmp(text, "1") == 0) return 1;
    if (!plain_same(text, "false") && strcmp(text, "0") != 0)
        osim_fail(o, osim_child(node, tag), "<%s> is '%s', neither true nor false", tag, text);
    return 0;
}

// ---- sockets and frames

const char *osim_socket(osim *o, const xml_node *node, const char *name, const char *old)
{
    char tag[100];
    snprintf(tag, sizeof tag, "socket_%s", name);
    const char *text = osim_text(o, node, tag);
    snprintf(tag, sizeof tag, "socket_%s_connectee_name", name);
    if (!text) text = osim_text(o, node, tag);
    const xml_node *all = text ? NULL : osim_child(node, "connectors");
    for (xml_node *c = all ? all->first : NULL; c; c = c->next) {
        const char *is = xml_node_get(c, "name");
        c->used = 1;
        if (is && strcmp(is, name) == 0) text = osim_text(o, c, "connectee_name");
    }
    return text ? text : osim_text(o, node, old);
}

const char *osim_coordinate_name(osim *o, const xml_node *node, const char *name)
{
    const char *path = osim_socket(o, node, name, name);
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

double osim_finite(osim *o, const xml_node *node, const char *tag, double otherwise)
{
    const char *text = osim_text(o, node, tag);
    if (text && !strstr(text, "nf")) osim_numbers(o, node, tag, 1, &otherwise); // Inf, -inf
    return otherwise;
}

arne_pose osim_pose(osim *o, const xml_node *node, const char *translation, const char *orientation)
{
    arne_pose X = {rotation_identity(), {0, 0, 0}};
    double    angles[3] = {0}, p[3] = {0};
    osim_numbers(o, node, translation, 3, p);
    X.p = (arne_vec3){p[0], p[1], p[2]};
    if (!osim_numbers(o, node, orientation, 3, angles)) return X;
    const double    back[3] = {-angles[0], -angles[1], -angles[2]};
    const arne_mat3 inverse = arne_rotation_rpy(back); // (Rx Ry Rz)^-1
    X.R = rotation_transpose(&inverse);
    for (int i = 0; i < 9; i++)
        (&X.R.x.x)[i] += 0.0; // no zero with a sign
    return X;
}

// The element that a frame stands in and that has a name: a joint, a body.
static const char *osim_node_owner(const xml_node *node)
{
    const xml_node *up = node->parent;
    while (up && !xml_node_get(up, "name"))
        up = up->parent;
    return up ? xml_node_get(up, "name") : "";
}

// A frame below `node` with this name, of an owner where one is given.
static const xml_node *osim_node_find_frame(osim *o, const xml_node *node, const char *name,
                                            const char *owner)
{
    for (const xml_node *c = node->first; c && o->visits < OSIM_VISITS; c = c->next, o->visits++) {
        const char *is = xml_node_get(c, "name");
        if (is && strcmp(c->tag, "PhysicalOffsetFrame") == 0 && strcmp(is, name) == 0 &&
            (!owner || strcmp(osim_node_owner(c), owner) == 0))
            return c;
        const xml_node *found = osim_node_find_frame(o, c, name, owner);
        if (found) return found;
    }
    return NULL;
}

static const char *osim_node_body(const osim *o, const char *name)
{
    arne_body_spec spec;
    return arne_builder_get_body(o->reader->builder, name, &spec) == ARNE_OK ? spec.name : NULL;
}

// The frame that a path leads to, as an element or as a body. Paths are absolute
// (/bodyset/pelvis, /jointset/hip_r/pelvis_offset), relative or a name alone.
static const xml_node *osim_node_follow(osim *o, const xml_node *at, const char *path,
                                        const char **body)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char        owner[200] = "";
    *body = NULL;
    if (strcmp(name, "..") == 0) {
        for (at = at->parent; at && strcmp(at->tag, "PhysicalOffsetFrame") != 0; at = at->parent)
            if (xml_node_get(at, "name") && (*body = osim_node_body(o, xml_node_get(at, "name"))))
                return NULL;
        return at;
    }
    const xml_node *own = slash ? NULL : osim_node_find_frame(o, at, name, NULL);
    if (own) return own;
    if (slash) {
        const char *before = slash;
        while (before > path && before[-1] != '/')
            before--;
        snprintf(owner, sizeof owner, "%.*s", (int)(slash - before), before);
    }
    if (!slash || strcmp(owner, "bodyset") == 0 || !*owner || strcmp(owner, "..") == 0)
        if ((*body = osim_node_body(o, name))) return NULL;
    const xml_node *found = osim_node_find_frame(o, o->model, name, *owner ? owner : NULL);
    if (!found) found = osim_node_find_frame(o, o->model, name, NULL);
    if (!found) *body = osim_node_body(o, name);
    return found;
}

int osim_frame(osim *o, const xml_node *at, const char *path, const char **body, arne_pose *pose)
{
    const xml_node *node = at;
    *pose = (arne_pose){rotation_identity(), {0, 0, 0}};
    *body = NULL;
    if (!path) return osim_fail(o, at, "<%s> does not say where it is attached", at->tag), 0;
    for (int depth = 0; depth < FRAME_MOST && path; depth++) {
        node = osim_node_follow(o, node, path, body);
        if (*body) return 1;
        if (!node) break;
        ((xml_node *)node)->used = 1;
        const arne_pose own = osim_pose(o, node, "translation", "orientation");
        *pose = pose_times(&own, pose);
        path = osim_socket(o, node, "parent", "parent_frame");
    }
    return osim_fail(o, at, "<%s>: there is no body or frame '%s'", at->tag, path ? path : ""), 0;
}

// ---- what is not used

// Elements that have nothing to do with how a model moves, those of lists, switches that are off.
static int osim_node_is_idle(const xml_node *node)
{
    static const char idle[] =
        " credits publications length_units force_units groups defaults assembly_accuracy "
        "ModelVisualPreferences VisibleObject FrameGeometry attached_geometry geometry Appearance "
        "display_preference show_axes scale_factors visible color isDisabled appliesForce fixed "
        "default_speed_value is_free_to_satisfy_constraints mass time_ordering reverse "
        "prescribed_function motion_type socket_frame components optimal_force min_control "
        "max_control default_activation default_fiber_length maximum_pennation_angle "
        "default_normalized_tendon_force location method initial_value transform "
        "tendon_compliance_dynamics_mode ";
    char word[100];
    snprintf(word, sizeof word, " %s ", node->tag);
    return strstr(idle, word) != NULL || plain_same(node->text, "false");
}

static void osim_note_unused(osim *o, const xml_node *node)
{
    for (int i = 0; i < o->unused_count; i++)
        if (strcmp(o->unused[i].tag, node->tag) == 0) {
            o->unused[i].count++;
            return;
        }
    if (o->unused_count == OSIM_UNUSED) return;
    o->unused[o->unused_count].tag = node->tag;
    o->unused[o->unused_count].line = node->line;
    o->unused[o->unused_count++].count = 1;
}

// Of an element that is used, those children that are not.
static void osim_node_search(osim *o, const xml_node *node)
{
    for (const xml_node *c = node->first; c; c = c->next) {
        const int is_list = strcmp(c->tag, "objects") == 0 || strcmp(c->tag, "frames") == 0;
        const int holds = strlen(c->tag) > 3 && strcmp(c->tag + strlen(c->tag) - 3, "Set") == 0;
        if (c->used || is_list || holds || strcmp(c->tag, "components") == 0)
            osim_node_search(o, c);
        else if ((c->first || *c->text) && !osim_node_is_idle(c))
            osim_note_unused(o, c);
    }
}

void osim_tell_unused(osim *o)
{
    char   text[900] = "";
    size_t n = 0;
    osim_node_search(o, o->model);
    for (int i = 0; i < o->unused_count && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%d %s", i ? ", " : "",
                              o->unused[i].count, o->unused[i].tag);
    if (o->unused_count)
        osim_check(o, arne_reader_warn(o->reader, "unknown", o->unused[0].line,
                                       "not used of this model: %s", text));
}
