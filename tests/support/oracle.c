#define ARNE_COMPLEX
#include "oracle.h"
#include "algo/centroidal.k.h"
#include "algo/directional.k.h"
#include "algo/factor.k.h"
#include "algo/inverse_dynamics.k.h"
#include "algo/mass_matrix.k.h"
#include <stdlib.h>
#include <string.h>

// So small that its square vanishes next to anything.
static const double STEP = 1e-100;

static real step(double rate) { return rate * STEP * _Complex_I; }

static vec3 step3(arne_vec3 rate) { return v3(step(rate.x), step(rate.y), step(rate.z)); }

static motion step6(arne_motion rate) { return mo(step3(rate.lin), step3(rate.ang)); }

// ---- a state with a small imaginary part ----

typedef struct point {
    const arne_robot *r;
    work             *w;
    real              q[MAX_Q], qd[MAX_V], qdd[MAX_V], tau[MAX_V];
    load              f_ext[MAX_BODIES];
} point;

static void nudge_array(int count, const double *x, const double *rate, real *out)
{
    for (int i = 0; i < count; i++)
        out[i] = x[i] + (rate ? step(rate[i]) : 0);
}

// Memory begins as NaN, so that a text that reads what it has not written is found out.
static work *new_complex_work(const arne_robot *r)
{
    const size_t size = (work_walk(r, NULL, NULL) / ARNE_ALIGNMENT + 1) * ARNE_ALIGNMENT;
    work        *w = aligned_alloc(ARNE_ALIGNMENT, size);
    if (!w) abort();
    memset((void *)w, 0xff, size);
    work_walk(r, w, (char *)w);
    work_start(r, w);
    return w;
}

static void place_base(const state *s, const nudge *d, work *w)
{
    pose   X = pose_lift(s->base_pose);
    motion v = motion_lift(s->base_velocity), rate = motion_lift(s->base_acceleration);
    if (d->base_jerk) {
        const motion turn = step6(s->base_velocity);
        X = pose_from(m3_add(X.R, m3_mul(X.R, skew(turn.ang))), add(X.p, rot(X.R, turn.lin)));
        v = motion_add(v, step6(s->base_acceleration));
        rate = motion_add(rate, step6(*d->base_jerk));
    }
    work_set_base(s->robot, w, X, v, rate);
}

static point point_at(const state *s, const nudge *d)
{
    point  p = {.r = s->robot, .w = new_complex_work(s->robot)};
    double along[MAX_Q];
    if (d->q) arne_coordinate_rate(s->robot, s->q, d->q, along);
    nudge_array(s->size.q_count, s->q, d->q ? along : NULL, p.q);
    nudge_array(s->size.v_count, s->qd, d->qd, p.qd);
    nudge_array(s->size.v_count, s->qdd, d->qdd, p.qdd);
    nudge_array(s->size.v_count, s->tau, d->tau, p.tau);
    if (s->robot->base == ARNE_BASE_PRESCRIBED) place_base(s, d, p.w);
    return p;
}

static void point_end(point *p) { free(p->w); }

// The wrench of a load on its body, in body axes about the body's origin: X_0 is the pose of the
// body in the world where there is no step, X where it is.
static force load_on_body(const arne_load *l, const arne_frame_info *frame, const nudge *d,
                          const pose *X_0, const pose *X)
{
    const pose in_body = pose_lift(frame->pose);
    force      f = fo(out_of(&in_body, lift(l->wrench.lin)), out_of(&in_body, lift(l->wrench.ang)));
    if (d->base_jerk)
        f = force_add(
            f, fo(out_of(&in_body, step3(l->rate.lin)), out_of(&in_body, step3(l->rate.ang))));
    if (l->in_world) f = fo(into(X, out_of(X_0, f.lin)), into(X, out_of(X_0, f.ang)));
    return fo(f.lin, add(f.ang, cross(in_body.p, f.lin)));
}

static point loaded_point(const loaded *at, const nudge *d)
{
    const nudge none = {0};
    point       p = point_at(at->s, d), still = point_at(at->s, &none);
    kinematics(p.r, p.w, p.q, NULL, NULL);
    kinematics(still.r, still.w, still.q, NULL, NULL);
    for (int i = 0; i < p.r->body_count; i++)
        p.f_ext[i] = force_zero();
    for (int l = 0; l < at->load_count; l++) {
        const arne_frame_info *frame = &robot_frames(p.r)[at->loads[l].frame].info;
        const int              i = frame->body;
        p.f_ext[i] = force_add(
            p.f_ext[i], load_on_body(&at->loads[l], frame, d, &still.w->X_w[i], &p.w->X_w[i]));
    }
    point_end(&still);
    return p;
}

// ---- the imaginary part over the step ----

static double slope(real x) { return cimag(x) / STEP; }

static double *put_slope(double *out, vec3 a)
{
    out[0] = slope(vx(a));
    out[1] = slope(vy(a));
    out[2] = slope(vz(a));
    return out + 3;
}

static void put_slopes(int count, const real *x, double *out)
{
    for (int i = 0; i < count; i++)
        out[i] = slope(x[i]);
}

// ---- dynamics ----

void oracle_torques(loaded at, nudge d, double *out)
{
    real  tau[MAX_V];
    point p = loaded_point(&at, &d);
    inverse_dynamics(p.r, p.w, p.q, p.qd, p.qdd, p.f_ext, tau);
    put_slopes(p.r->v_count, tau, out);
    point_end(&p);
}

void oracle_wrenches(loaded at, nudge d, double *out)
{
    real  tau[MAX_V];
    point p = loaded_point(&at, &d);
    inverse_dynamics(p.r, p.w, p.q, p.qd, p.qdd, p.f_ext, tau);
    for (int j = 0; j < p.r->joint_count; j++) {
        const joint_record *joint = &robot_joints(p.r)[j];
        const pose          link = pose_lift(robot_frames(p.r)[joint->info.child].info.pose);
        const force         f = p.w->f[joint->body];
        out = put_slope(put_slope(out, into(&link, f.lin)), into(&link, f.ang));
    }
    point_end(&p);
}

// M qdd = tau - bias
void oracle_accelerations(loaded at, nudge d, double *out)
{
    const int *above = robot_factor_parents(at.s->robot), n = at.s->size.v_count;
    real       bias[MAX_V], zero[MAX_V] = {0}, qdd[MAX_V];
    point      p = loaded_point(&at, &d);
    mass_matrix(p.r, p.w, p.q, p.w->matrix);
    factor(n, above, p.w->matrix);
    inverse_dynamics(p.r, p.w, p.q, p.qd, zero, p.f_ext, bias);
    for (int k = 0; k < n; k++)
        qdd[k] = p.tau[k] - bias[k];
    factor_solve(n, above, p.w->matrix, qdd);
    put_slopes(n, qdd, out);
    point_end(&p);
}

void oracle_gradient(loaded at, const double *lambda, nudge d, double *out)
{
    const int m = at.s->robot->v_count;
    real      user[3][MAX_V], against[MAX_V];
    point     p = point_at(at.s, &d);
    work     *w = p.w;
    nudge_array(m, lambda, NULL, against);
    inverse_dynamics_against(p.r, w, p.q, p.qd, p.qdd, at.loads, at.load_count, against, user[0],
                             user[1], user[2]);
    for (int i = 0; i < 3; i++)
        put_slopes(m, user[i], out + i * m);
    point_end(&p);
}

// ---- kinematics ----

// The acceleration of a point of a body, in the world's axes. Workspaces have it less gravity.
static vec3 point_acceleration(const point *p, int i, vec3 at)
{
    const vec3 a = add(p->w->a[i].lin, rot(body_rates(p->w, i), at));
    return add(out_of(&p->w->X_w[i], a), lift(p->r->gravity));
}

void oracle_frame(const state *s, int frame, arne_axes axes, nudge d, double *out)
{
    point p = point_at(s, &d);
    kinematics(p.r, p.w, p.q, p.qd, p.qdd);
    const arne_frame_info *f = &robot_frames(p.r)[frame].info;
    const pose             in_body = pose_lift(f->pose), X = pose_mul(&p.w->X_w[f->body], &in_body);
    const pose            *X_b = &p.w->X_w[f->body];
    const motion           v_b = p.w->v[f->body];
    const vec3             velocity = out_of(X_b, add(v_b.lin, cross(v_b.ang, in_body.p)));
    const vec3 all[4] = {velocity, out_of(X_b, v_b.ang), point_acceleration(&p, f->body, in_body.p),
                         out_of(X_b, p.w->a[f->body].ang)};
    for (int i = 0; i < 4; i++)
        out = put_slope(out, axes == ARNE_AXES_BODY ? into(&X, all[i]) : all[i]);
    point_end(&p);
}

void oracle_centres(const state *s, int link, nudge d, double *out)
{
    point p = point_at(s, &d);
    vec3  sum = v3_zero();
    kinematics(p.r, p.w, p.q, p.qd, p.qdd);
    const arne_frame_info *f = &robot_frames(p.r)[link].info;
    const pose             in_body = pose_lift(f->pose);
    const vec3             com = add(in_body.p, out_of(&in_body, lift(f->com)));
    for (int i = 0; i < p.r->body_count; i++) {
        const constant_inertia *own = &robot_bodies(p.r)[i].inertia;
        if (own->m == 0) continue;
        const vec3 centre = scale(lift4(&own->h), 1 / own->m);
        sum = add_scaled(sum, point_acceleration(&p, i, centre), own->m);
    }
    out = put_slope(out, point_acceleration(&p, f->body, com));
    put_slope(out, scale(sum, inverse_mass(p.r)));
    point_end(&p);
}

// ---- the robot as a whole ----

// What holds the robot up and moves it, about the world's origin; needs kinematics.
static force total_force(const point *p)
{
    force sum = force_zero();
    for (int i = 0; i < p->r->body_count; i++) {
        const constant_inertia *own = &robot_bodies(p->r)[i].inertia;
        const force f = inertial_force(own, p->w->v[i].ang, p->w->a[i], body_rates(p->w, i));
        sum = force_add(sum, to_parent(&p->w->X_w[i], f));
    }
    return sum;
}

// Weight has no moment about the centre of mass.
static void momentum_at(point *p, force *h, force *rate)
{
    *h = momentum_about_com(p->r, p->w, p->q, p->qd);
    kinematics(p->r, p->w, p->q, p->qd, p->qdd);
    const inertia all = total_inertia(p->r, p->w);
    const vec3    com = scale(all.h, inverse_mass(p->r));
    const force   f = total_force(p);
    *rate = fo(add_scaled(f.lin, lift(p->r->gravity), all.m), sub(f.ang, cross(com, f.lin)));
}

void oracle_momentum(const state *s, nudge d, double *out)
{
    point p = point_at(s, &d);
    force h, rate;
    momentum_at(&p, &h, &rate);
    put_slope(put_slope(put_slope(put_slope(out, h.lin), h.ang), rate.lin), rate.ang);
    point_end(&p);
}

void momentum_and_rate(const state *s, double *out)
{
    const nudge none = {0};
    point       p = point_at(s, &none);
    force       h, rate;
    momentum_at(&p, &h, &rate);
    const vec3 all[4] = {h.lin, h.ang, rate.lin, rate.ang};
    for (int i = 0; i < 4; i++) {
        out[3 * i] = creal(vx(all[i]));
        out[3 * i + 1] = creal(vy(all[i]));
        out[3 * i + 2] = creal(vz(all[i]));
    }
    point_end(&p);
}

// On the plane through `on` the moment about it is along the normal: r = n x m / n.f from there.
static vec3 zero_moment_at(point *p, arne_vec3 on, arne_vec3 normal)
{
    kinematics(p->r, p->w, p->q, p->qd, p->qdd);
    const force f = total_force(p);
    const vec3  n = lift(normal), m = sub(f.ang, cross(lift(on), f.lin));
    return add(lift(on), scale(cross(n, m), 1 / dot(n, f.lin)));
}

void oracle_zero_moment_point(const state *s, arne_vec3 on, arne_vec3 normal, nudge d, double *out)
{
    point p = point_at(s, &d);
    put_slope(out, zero_moment_at(&p, on, normal));
    point_end(&p);
}

arne_vec3 zero_moment_point(const state *s, arne_vec3 on, arne_vec3 normal)
{
    const nudge     none = {0};
    point           p = point_at(s, &none);
    const vec3      z = zero_moment_at(&p, on, normal);
    const arne_vec3 out = {creal(vx(z)), creal(vy(z)), creal(vz(z))};
    point_end(&p);
    return out;
}
