// Compliant contact: Hunt and Crossley's force along the normal, regularised Coulomb friction
// across.
//
//     f_n = max(0, k d^1.5 (1 + 1.5 c dd/dt)),   f_t = -mu f_n v_t / sqrt(|v_t|^2 + w^2)
//
// with the penetration d and the velocity v_t across. A disc with a tyre has slip forces instead,
// along and across the wheel, linear in the slip up to the friction limit (Pacejka 2006, section
// 1.2):
//     slip_x = -(v_x) / u,  slip_y = -v_y / u,  u = max(|speed of the wheel's centre along the
//     ground|, w)
#include "math/press.h"
#include "world/rigid.h"
#include "world/world.h"

typedef struct moving { // a link
    arne_pose   X;
    arne_motion v; // at its origin, in the world's axes
} moving;

static moving moving_at(const arne_robot *r, const arne_work *work, int frame)
{
    return (moving){arne_frame_pose(r, work, frame),
                    arne_frame_velocity(r, work, frame, ARNE_AXES_ALIGNED)};
}

static arne_vec3 velocity_at(const moving *m, arne_vec3 p)
{
    return vec_add(m->v.lin, vec_cross(m->v.ang, vec_add(p, m->X.p, -1)), 1);
}

static void push_link(const arne_robot *r, int frame, const moving *m, arne_vec3 p, arne_vec3 f,
                      arne_wrench *f_ext)
{
    const arne_vec3   moment = vec_cross(vec_add(p, m->X.p, -1), f);
    const arne_wrench own = {mat_mul_back(&m->X.R, f), mat_mul_back(&m->X.R, moment)};
    arne_add_wrench(r, frame, &own, f_ext);
}

static double press_normal(const arne_world *w, const arne_surface *s, double depth, double rate)
{
    return press_along(depth, rate, s->stiffness > 0 ? s->stiffness : w->stiffness, s->dissipation);
}

static arne_vec3 rub(double limit, double width, arne_vec3 v)
{
    return vec_scale(v, press_across(limit, width, vec_dot(v, v)));
}

// Slip forces of a wheel; across is the velocity of the rim's point along the ground.
static arne_vec3 roll(const arne_contact_info *c, const arne_pose *X, const moving *m,
                      arne_vec3 normal, double limit, double width, arne_vec3 across)
{
    arne_vec3    ahead = vec_cross(X->R.z, normal);
    const double length = vec_length(ahead);
    if (!(length > 1e-9)) return rub(limit, width, across); // it lies flat
    ahead = vec_scale(ahead, 1 / length);
    const arne_vec3 aside = vec_cross(normal, ahead), centre = velocity_at(m, X->p);
    const double    u = sqrt(pow(vec_dot(centre, ahead), 2) + width * width);
    const double    fx = -c->tyre[0] * vec_dot(across, ahead) / u;
    const double    fy = -c->tyre[1] * vec_dot(across, aside) / u;
    const double    f = sqrt(fx * fx + fy * fy), part = f > limit ? limit / f : 1;
    return vec_add(vec_scale(ahead, part * fx), aside, part * fy);
}

double world_load(const arne_world *w, const arne_work *work, const arne_touch *touches, int count,
                  arne_wrench *f_ext)
{
    double power = 0;
    for (int i = 0; i < count; i++) {
        const arne_touch *t = &touches[i];
        const int         links[2] = {world_link(w, t->contact),
                              t->other < 0 ? -1 : world_link(w, t->other)};
        for (int k = 0; k < 2 && links[k] >= 0; k++) {
            const moving    m = moving_at(w->robot, work, links[k]);
            const arne_vec3 f = vec_scale(t->force, k ? -1 : 1);
            power += vec_dot(f, velocity_at(&m, t->point));
            push_link(w->robot, links[k], &m, t->point, f, f_ext);
        }
    }
    return power;
}

double arne_world_press(arne_world *w, arne_work *work, arne_wrench *f_ext)
{
    double power = 0;
    if (w->rigid) { // the forces at the end of the last step, where they acted, without impacts
        for (int i = 0; i < w->rigid->kept_count; i++)
            power += world_load(w, work, &w->rigid->kept[i].touch, 1, f_ext);
        return power;
    }
    arne_world_find(w, work, 0);
    for (int i = 0; i < w->touch_count; i++) {
        arne_touch              *t = &w->touches[i];
        const arne_surface      *s = &w->surfaces[t->surface];
        const arne_contact_info *c = &robot_contacts(w->robot)[t->contact].info;
        const int    link = c->link, other = t->other < 0 ? -1 : world_link(w, t->other);
        const moving m = moving_at(w->robot, work, link);
        moving       n = {0};
        arne_vec3    v = velocity_at(&m, t->point);
        if (other >= 0) {
            n = moving_at(w->robot, work, other);
            v = vec_add(v, velocity_at(&n, t->point), -1);
        }
        const double closing = -vec_dot(v, t->normal);
        const double f_n = press_normal(w, s, -t->gap, closing), limit = world_friction(w, t) * f_n;
        const arne_vec3 across = vec_add(v, t->normal, closing);
        const arne_vec3 f_t =
            c->tyre[0] > 0 && other < 0
                ? roll(c, &w->placed[t->contact], &m, t->normal, limit, s->slip_velocity, across)
                : rub(limit, s->slip_velocity, across);
        t->force = vec_add(f_t, t->normal, f_n);
        power += vec_dot(t->force, v);
        push_link(w->robot, link, &m, t->point, t->force, f_ext);
        if (other >= 0) push_link(w->robot, other, &n, t->point, vec_scale(t->force, -1), f_ext);
    }
    return power;
}
