// Links scaled by three factors each, along their own axes, as OpenSim's scale tool does.
//
// Points, frames and mass centres are multiplied component by component. Inertia grows with mass
// and the square of length where the three factors are equal. Else the link counts as a cylinder
// about the axis of its least moment: its length grows along this axis, the square of its radius by
// the product of the other two.
#include "base/error.h"
#include "math/vectors.h"
#include "robot/builder.h"
#include "robot/inertia.h"
#include <arne/capture.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct scaling_links {
    arne_builder *b;
    arne_vec3    *factor; // of each body
    int          *known;
    int          *joint; // that moves each body; -1: none
} scaling_links;

static arne_vec3 times(arne_vec3 a, arne_vec3 b)
{
    return (arne_vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

// How much longer a direction becomes.
static double stretch(arne_vec3 axis, arne_vec3 s)
{
    const arne_vec3 to = times(axis, s);
    return sqrt((to.x * to.x + to.y * to.y + to.z * to.z) /
                (axis.x * axis.x + axis.y * axis.y + axis.z * axis.z));
}

// ---- factors of all links

static void scale_links_find(scaling_links *w, int body)
{
    int path = body, hops = 0;
    while (!w->known[path] && w->joint[path] >= 0 && w->b->bodies[path].mass == 0 &&
           hops++ < w->b->body_count) {
        const int up = name_index_find(&w->b->body_index, w->b->joints[w->joint[path]].parent);
        if (up < 0) break;
        path = up;
    }
    w->factor[body] = w->known[path] ? w->factor[path] : (arne_vec3){1, 1, 1};
}

static arne_status scale_links_factors(scaling_links *w, const arne_link_scale *scales, int count,
                                       arne_error *error)
{
    arne_builder *b = w->b;
    for (int i = 0; i < b->body_count; i++)
        w->joint[i] = -1;
    for (int j = 0; j < b->joint_count; j++) {
        const int child = name_index_find(&b->body_index, b->joints[j].child);
        if (child >= 0) w->joint[child] = j;
    }
    for (int i = 0; i < count; i++) {
        const arne_vec3 f = scales[i].factor;
        const int       body = name_index_find(&b->body_index, scales[i].link);
        if (body < 0)
            return arne_fail(error, ARNE_NOT_FOUND, NULL, 0, "there is no link '%s' to scale",
                             scales[i].link);
        if (!(f.x > 0 && f.y > 0 && f.z > 0) || !isfinite(f.x + f.y + f.z))
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "the factors of link '%s' (%g, %g, %g) are not positive",
                             scales[i].link, f.x, f.y, f.z);
        w->factor[body] = f;
        w->known[body] = 1;
    }
    for (int i = 0; i < b->body_count; i++)
        if (!w->known[i]) scale_links_find(w, i);
    return ARNE_OK;
}

// The factors of a link, or of the link of a frame.
static arne_vec3 factor_of(const scaling_links *w, const char *name)
{
    int body = name_index_find(&w->b->body_index, name);
    for (int i = 0; body < 0 && i < w->b->frame_count; i++)
        if (strcmp(w->b->frames[i].name, name) == 0)
            body = name_index_find(&w->b->body_index, w->b->frames[i].body);
    return body < 0 ? (arne_vec3){1, 1, 1} : w->factor[body];
}

// ---- masses

static void scale_inertia(double I[6], double before, double after, arne_vec3 factor)
{
    const double s[3] = {factor.x, factor.y, factor.z}, ratio = before > 0 ? after / before : 0;
    if (fabs(s[0] - s[1]) < 1e-12 && fabs(s[1] - s[2]) < 1e-12) {
        for (int k = 0; k < 6; k++)
            I[k] *= ratio * s[0] * s[0];
        return;
    }
    const int    axis = I[0] <= I[1] ? (I[0] <= I[2] ? 0 : 2) : I[1] <= I[2] ? 1 : 2;
    const int    one = (axis + 1) % 3, two = (axis + 2) % 3, other = axis == 0 ? 1 : 0;
    const double radius2 = fmax(0, 2 * I[axis] / before);
    const double length2 = fmax(0, 12 * (I[other] / before - radius2 / 4));
    const double r2 = radius2 * s[one] * s[two], l2 = length2 * s[axis] * s[axis];
    I[axis] = after * r2 / 2;
    I[one] = I[two] = after * (l2 / 12 + r2 / 4);
    I[3] *= ratio * s[0] * s[1];
    I[4] *= ratio * s[0] * s[2];
    I[5] *= ratio * s[1] * s[2];
}

static void scale_links_masses(scaling_links *w, double mass, int keep)
{
    double total = 0;
    for (int i = 0; i < w->b->body_count; i++) {
        arne_body_spec *body = &w->b->bodies[i];
        const arne_vec3 f = w->factor[i];
        const double    before = body->mass;
        double          principal[3], about[6];
        if (!(before > 0)) continue;
        inertia_about_com(body, about, principal);
        body->mass = keep ? before : before * f.x * f.y * f.z;
        scale_inertia(about, before, body->mass, f);
        memcpy(body->inertia, about, sizeof about);
        memset(&body->inertia_axes, 0, sizeof body->inertia_axes);
        body->about_origin = 0;
        body->com = times(body->com, f);
        total += body->mass;
    }
    for (int i = 0; i < w->b->body_count && mass > 0 && total > 0; i++) {
        w->b->bodies[i].mass *= mass / total;
        for (int k = 0; k < 6; k++)
            w->b->bodies[i].inertia[k] *= mass / total;
    }
}

// ---- joints and points

// A distance that follows a coordinate grows like the link that carries it.
static void scale_followed(scaling_links *w, arne_joint_spec *j, double by)
{
    if (j->mimic) j->mimic_ratio *= by, j->mimic_offset *= by;
    for (int i = 0; i < w->b->function_count; i++)
        if (strcmp(w->b->functions[i].joint, j->name) == 0)
            w->b->functions[i].function.factor *= by;
}

static void scale_links_joints(scaling_links *w)
{
    for (int i = 0; i < w->b->joint_count; i++) {
        arne_joint_spec *j = &w->b->joints[i];
        const arne_vec3  parent = factor_of(w, j->parent), child = factor_of(w, j->child);
        const arne_vec3  at = into3(&j->tip.R, j->tip.p); // minus the joint in the child
        j->origin.p = times(j->origin.p, parent);
        j->tip.p = out_of3(&j->tip.R, times(at, child));
        if (j->kind == ARNE_JOINT_PRISMATIC) scale_followed(w, j, stretch(j->axis, parent));
    }
    for (int i = 0; i < w->b->frame_count; i++)
        w->b->frames[i].pose.p = times(w->b->frames[i].pose.p, factor_of(w, w->b->frames[i].body));
    for (int i = 0; i < w->b->contact_count; i++)
        w->b->contacts[i].origin.p =
            times(w->b->contacts[i].origin.p, factor_of(w, w->b->contacts[i].link));
}

static void scale_links_paths(scaling_links *w)
{
    for (int i = 0; i < w->b->muscle_count; i++)
        for (int k = 0; k < w->b->muscles[i].point_count; k++) {
            arne_path_point *p = (arne_path_point *)&w->b->muscles[i].points[k];
            const arne_vec3  s = factor_of(w, p->link);
            p->position = times(p->position, s);
            for (int c = 0; c < 3; c++)
                p->functions[c].factor *= (&s.x)[c];
        }
    for (int i = 0; i < w->b->wrap_count; i++) {
        arne_wrap_spec *r = &w->b->wraps[i];
        const arne_vec3 s = factor_of(w, r->link);
        const double    by[3] = {stretch(r->origin.R.x, s), stretch(r->origin.R.y, s),
                                 stretch(r->origin.R.z, s)};
        r->origin.p = times(r->origin.p, s);
        if (r->shape == ARNE_WRAP_CYLINDER) {
            r->size[0] *= (by[0] + by[1]) / 2;
            r->size[1] *= by[2];
        } else if (r->shape == ARNE_WRAP_TORUS) {
            for (int c = 0; c < 2; c++)
                r->size[c] *= (by[0] + by[1]) / 2;
        } else if (r->shape == ARNE_WRAP_SPHERE) {
            r->size[0] *= (by[0] + by[1] + by[2]) / 3;
        } else {
            for (int c = 0; c < 3; c++)
                r->size[c] *= by[c];
        }
    }
}

arne_status arne_builder_scale_links(arne_builder *builder, const arne_link_scale *scales,
                                     int count, double mass, int keep_masses, arne_error *error)
{
    arne_error_clear(error);
    if (!builder || (count > 0 && !scales) || count < 0 || !(mass >= 0))
        return arne_fail(error, builder ? ARNE_VALUE : ARNE_NULL_ARGUMENT, NULL, 0,
                         "the builder is NULL, or the mass is negative");
    const size_t  n = (size_t)builder->body_count + 1;
    scaling_links w = {.b = builder,
                       .factor = malloc(n * sizeof *w.factor),
                       .known = calloc(n, sizeof *w.known),
                       .joint = malloc(n * sizeof *w.joint)};
    arne_status   status = w.factor && w.known && w.joint
                               ? scale_links_factors(&w, scales, count, error)
                               : arne_fail_memory(error);
    if (!status) {
        scale_links_joints(&w);
        scale_links_paths(&w);
        scale_links_masses(&w, mass, keep_masses);
    }
    free(w.factor);
    free(w.known);
    free(w.joint);
    return status;
}
