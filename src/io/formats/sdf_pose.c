// Poses of SDF. Every item has one in its own model: that of what it is relative to, times its own.
//
//     link, model   relative to the frame of its model, unless relative_to says otherwise
//     frame         relative to what it is attached to
//     joint         relative to its child
//
// A model with a placement_frame P stands so that P has the pose that is given: X = pose X_P^-1.
#include "io/formats/sdf.h"

#include "base/error.h"
#include "io/read_rotation.h"
#include "math/lower.h"
#include <math.h>
#include <string.h>

static const arne_pose identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};

arne_vec3 sdf_turn(const arne_mat3 *R, arne_vec3 v)
{
    return (arne_vec3){R->x.x * v.x + R->y.x * v.y + R->z.x * v.z,
                       R->x.y * v.x + R->y.y * v.y + R->z.y * v.z,
                       R->x.z * v.x + R->y.z * v.y + R->z.z * v.z};
}

arne_vec3 sdf_turn_back(const arne_mat3 *R, arne_vec3 v)
{
    return (arne_vec3){R->x.x * v.x + R->x.y * v.y + R->x.z * v.z,
                       R->y.x * v.x + R->y.y * v.y + R->y.z * v.z,
                       R->z.x * v.x + R->z.y * v.y + R->z.z * v.z};
}

arne_pose sdf_pose_mul(arne_pose a, arne_pose b)
{
    const pose first = pose_lift(a), second = pose_lift(b), both = pose_mul(&first, &second);
    return lower_pose(&both);
}

arne_pose sdf_pose_inverse(arne_pose a)
{
    const arne_vec3 p = sdf_turn_back(&a.R, a.p);
    return (arne_pose){
        {{a.R.x.x, a.R.y.x, a.R.z.x}, {a.R.x.y, a.R.y.y, a.R.z.y}, {a.R.x.z, a.R.y.z, a.R.z.z}},
        {-p.x, -p.y, -p.z}};
}

static void sdf_pose_read_quaternion(sdf *s, const xml_node *node, const double *xyzw,
                                     arne_mat3 *out)
{
    double unit[4], length = 0;
    for (int i = 0; i < 4; i++)
        length += xyzw[i] * xyzw[i];
    length = sqrt(length);
    for (int i = 0; i < 4; i++)
        unit[i] = xyzw[i] / length;
    if (!(length > 1e-9) || !arne_rotation_quaternion(unit, out, &length))
        sdf_fail(s, node, "the quaternion of <pose> is zero");
}

// x y z roll pitch yaw, or x y z and a quaternion x y z w.
arne_pose sdf_pose_read(sdf *s, const xml_node *around)
{
    const xml_node *node = around ? xml_node_child(around, "pose") : NULL;
    const char     *format = node ? xml_node_get(node, "rotation_format") : NULL;
    const char     *degrees = node ? xml_node_get(node, "degrees") : NULL;
    double          v[7] = {0};
    int             count = 0;
    arne_pose       out = identity;
    if (!node || !*node->text) return out;
    const int quaternion = format && strcmp(format, "quat_xyzw") == 0;
    const int needed = quaternion ? 7 : 6;
    sdf_check(s,
              xml_node_numbers(s->reader, node, "the pose", node->text, needed, needed, v, &count));
    if (count != needed) return out;
    out.p = (arne_vec3){v[0], v[1], v[2]};
    const int in_degrees = degrees && (strcmp(degrees, "true") == 0 || strcmp(degrees, "1") == 0);
    for (int i = 3; i < 6 && in_degrees; i++)
        v[i] *= 3.14159265358979323846 / 180;
    if (quaternion)
        sdf_pose_read_quaternion(s, node, v + 3, &out.R);
    else
        out.R = arne_rotation_rpy(v + 3);
    return out;
}

static const char *relative_to(const xml_node *around)
{
    const xml_node *node = around ? xml_node_child(around, "pose") : NULL;
    const char     *name = node ? xml_node_get(node, "relative_to") : NULL;
    return name && *name ? name : NULL;
}

static const char *placement_of(sdf *s, const sdf_model *model)
{
    const char *name = model->include ? sdf_text(s, model->include, "placement_frame") : NULL;
    if (!name) name = xml_node_get(model->node, "placement_frame");
    return name && *name ? name : NULL;
}

// What has the pose of a model: its include, where that has one.
static const xml_node *placed_by(const sdf_model *model)
{
    return model->include && xml_node_child(model->include, "pose") ? model->include : model->node;
}

static int resolve_model(sdf *s, sdf_item *item, arne_pose *out)
{
    const xml_node *node = placed_by(item->inner);
    const char     *base = relative_to(node), *placement = placement_of(s, item->inner);
    arne_pose       at = identity, of_placement = identity;
    if (base && !sdf_pose_of(s, item->model, base, node, &at)) return 0;
    *out = sdf_pose_mul(at, sdf_pose_read(s, node));
    if (!placement) return 1;
    if (!sdf_pose_of(s, item->inner, placement, item->inner->node, &of_placement)) return 0;
    *out = sdf_pose_mul(*out, sdf_pose_inverse(of_placement));
    return 1;
}

static int resolve(sdf *s, sdf_item *item, arne_pose *out)
{
    if (item->kind == SDF_MODEL) return resolve_model(s, item, out);
    const char *base = relative_to(item->node);
    arne_pose   at = identity;
    if (!base && item->kind == SDF_FRAME) base = xml_node_get(item->node, "attached_to");
    if (!base && item->kind == SDF_JOINT) base = sdf_text(s, item->node, "child");
    if (base && *base && !sdf_pose_of(s, item->model, base, item->node, &at)) return 0;
    *out = sdf_pose_mul(at, sdf_pose_read(s, item->node));
    return 1;
}

static int pose_in_model(sdf *s, sdf_item *item, arne_pose *out)
{
    if (item->state == 1) sdf_fail(s, item->node, "the pose of '%s' depends on itself", item->full);
    if (item->state == 1 || item->state == 3) return 0;
    if (item->state == 0) {
        item->state = 1;
        item->state = resolve(s, item, &item->pose) ? 2 : 3;
    }
    *out = item->pose;
    return item->state == 2;
}

// The part of a name before "::", and what follows it; NULL: nothing does.
static const char *sdf_pose_split(sdf *s, const char *name, const char **rest)
{
    const char *at = strstr(name, "::");
    *rest = at ? at + 2 : NULL;
    if (!at) return name;
    char *first = xml_tree_text(&s->tree, name);
    if (!first) sdf_check(s, arne_fail_memory(s->reader->error));
    if (first) first[at - name] = 0;
    return first ? first : "";
}

static int fail_name(sdf *s, const sdf_model *model, const char *name, const xml_node *at)
{
    sdf_fail(s, at, "there is no '%s' in the model '%s'", name, model->name);
    return 0;
}

int sdf_pose_of(sdf *s, const sdf_model *model, const char *name, const xml_node *at,
                arne_pose *out)
{
    const char *rest = NULL;
    *out = identity;
    if (strcmp(name, "__model__") == 0 || (!model->outer && strcmp(name, "world") == 0)) return 1;
    sdf_item *item = sdf_item_find(model, name);
    if (!item) item = sdf_item_find(model, sdf_pose_split(s, name, &rest));
    if (!item || (rest && !item->inner)) return fail_name(s, model, name, at);
    arne_pose first, second = identity;
    if (!pose_in_model(s, item, &first)) return 0;
    if (rest && !sdf_pose_of(s, item->inner, rest, at, &second)) return 0;
    // An item of a merged model has its pose there.
    if (item->model != model) first = sdf_pose_mul(sdf_pose_of_model(s, item->model), first);
    if (item->model != model)
        first = sdf_pose_mul(sdf_pose_inverse(sdf_pose_of_model(s, model)), first);
    *out = sdf_pose_mul(first, second);
    return 1;
}

arne_pose sdf_pose_of_model(sdf *s, const sdf_model *model)
{
    arne_pose out = identity;
    if (model == s->top || !model->outer) return identity;
    for (sdf_item *i = model->outer->items; i; i = i->next)
        if (i->inner == model) {
            if (!pose_in_model(s, i, &out)) return identity;
            return sdf_pose_mul(sdf_pose_of_model(s, model->outer), out);
        }
    return out;
}

arne_pose sdf_pose_in_top(sdf *s, sdf_item *item)
{
    arne_pose own = identity;
    if (!pose_in_model(s, item, &own)) return identity;
    return sdf_pose_mul(sdf_pose_of_model(s, item->model), own);
}

arne_pose sdf_pose_in_world(sdf *s)
{
    arne_pose out = identity;
    return pose_in_model(s, s->place, &out) ? out : identity;
}

// ---- what is attached to what

static sdf_item *first_link(sdf_model *model)
{
    for (sdf_item *i = model->items; i; i = i->next)
        if (i->kind == SDF_LINK) return i;
    for (sdf_item *i = model->items; i; i = i->next) {
        sdf_item *found = i->inner ? first_link(i->inner) : NULL;
        if (found) return found;
    }
    return NULL;
}

static sdf_item *canonical_link(sdf *s, sdf_model *model)
{
    const char *name = xml_node_get(model->node, "canonical_link");
    return name && *name ? sdf_link_of(s, model, name, model->node) : first_link(model);
}

sdf_item *sdf_link_of(sdf *s, sdf_model *model, const char *name, const xml_node *at)
{
    const char *rest = NULL;
    if (++s->depth > 2 * SDF_MAX_DEPTH) {
        sdf_fail(s, at, "'%s' is attached to itself", name);
        return s->depth--, NULL;
    }
    sdf_item *item = NULL, *out = NULL;
    if (strcmp(name, "__model__") == 0) {
        out = canonical_link(s, model);
    } else {
        item = sdf_item_find(model, name);
        if (!item) item = sdf_item_find(model, sdf_pose_split(s, name, &rest));
        if (!item || (rest && !item->inner)) fail_name(s, model, name, at);
    }
    const char *to = NULL;
    if (item && item->inner) {
        out = rest ? sdf_link_of(s, item->inner, rest, at) : canonical_link(s, item->inner);
    } else if (item && !rest) {
        if (item->kind == SDF_FRAME) to = xml_node_get(item->node, "attached_to");
        if (item->kind == SDF_JOINT) to = sdf_text(s, item->node, "child");
        if (item->kind == SDF_FRAME && (!to || !*to)) to = "__model__";
        out = item->kind == SDF_LINK ? item : to ? sdf_link_of(s, item->model, to, at) : NULL;
    }
    s->depth--;
    return out;
}
