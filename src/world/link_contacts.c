// Spheres and capsules of two links: both are a line, perhaps of length zero, with a radius. They
// touch where the lines are nearest (Ericson 2005, section 5.1.9).
#include "world/world.h"
#include <arne/kinematics.h>

static int link_contacts_is_line(arne_shape shape)
{
    return shape == ARNE_SHAPE_SPHERE || shape == ARNE_SHAPE_CAPSULE;
}

// A joint ties them, or they are of one body. What hangs on the world is not tied to its neighbours
// there.
static int are_tied(const arne_robot *r, int a, int b)
{
    const body *bodies = robot_bodies(r);
    if (a == b) return 1;
    return (bodies[a].parent == b || bodies[b].parent == a) && a > 0 && b > 0;
}

int pairs_collect(const arne_robot *robot, shape_pair *out)
{
    const contact_shape *shapes = robot_shapes(robot);
    int                  count = 0;
    for (int a = 0; a < robot->contact_count; a++)
        for (int b = a + 1; b < robot->contact_count; b++) {
            if (!link_contacts_is_line((arne_shape)shapes[a].shape) ||
                !link_contacts_is_line((arne_shape)shapes[b].shape) ||
                are_tied(robot, shapes[a].body, shapes[b].body))
                continue;
            if (out) out[count] = (shape_pair){a, b};
            count++;
        }
    return count;
}

static double half_length(const arne_contact_info *c)
{
    return c->shape == ARNE_SHAPE_CAPSULE ? 0.5 * c->size[1] : 0;
}

static double between_links_clamp(double x, double most)
{
    return x < -most ? -most : x > most ? most : x;
}

// Points p + s d and q + t e, |s| <= m, |t| <= n, that are nearest; d and e are unit vectors.
static void nearest(arne_vec3 p, arne_vec3 d, double m, arne_vec3 q, arne_vec3 e, double n,
                    double *s, double *t)
{
    const arne_vec3 r = vec_add(p, q, -1);
    const double    b = vec_dot(d, e), c = vec_dot(d, r), f = vec_dot(e, r), det = 1 - b * b;
    *s = det > 1e-9 ? between_links_clamp((b * f - c) / det, m) : 0;
    *t = between_links_clamp(b * *s + f, n);
    *s = between_links_clamp(b * *t - c, m);
}

int pair_touch(const arne_world *w, const shape_pair *pair, arne_touch *out)
{
    const arne_contact_info *a = &robot_contacts(w->robot)[pair->a].info,
                            *b = &robot_contacts(w->robot)[pair->b].info;
    const arne_pose *X = &w->placed[pair->a], *Y = &w->placed[pair->b];
    double           s, t;
    nearest(X->p, X->R.z, half_length(a), Y->p, Y->R.z, half_length(b), &s, &t);
    const arne_vec3 at = vec_add(X->p, X->R.z, s), there = vec_add(Y->p, Y->R.z, t);
    const arne_vec3 away = vec_add(at, there, -1);
    const double    distance = vec_length(away);
    if (!(distance > 0)) return 0; // no direction
    out->contact = pair->a;
    out->other = pair->b;
    out->feature = 0;
    out->surface = 0;
    out->normal = vec_scale(away, 1 / distance);
    out->gap = distance - a->size[0] - b->size[0];
    out->point = vec_add(at, out->normal, -(a->size[0] + 0.5 * out->gap));
    out->force = vec_of(0, 0, 0);
    return 1;
}

void pairs_leave_out(arne_world *w)
{
    int kept = 0;
    for (int i = 0; i < w->pair_count; i++) {
        arne_touch               touch = {0};
        const arne_contact_info *a = &robot_contacts(w->robot)[w->pairs[i].a].info,
                                *b = &robot_contacts(w->robot)[w->pairs[i].b].info;
        const double small = fmin(a->size[0], b->size[0]);
        if (pair_touch(w, &w->pairs[i], &touch) && touch.gap > -0.1 * small)
            w->pairs[kept++] = w->pairs[i];
    }
    w->pair_count = kept;
}
