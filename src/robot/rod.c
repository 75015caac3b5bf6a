// Links that bend, twist, stretch and shear by any amount: Cosserat rods by strain modes.
//
// The pose g(s) of the section at s obeys g' = g xi, with the strains xi = xi0 + sum of phi_i(s)
// q_i: twist and bends (the axial vector of R^T R'), stretch and shears (R^T r'), at rest (k0, 1,
// 0, 0). The rod is cut at Gauss's points, which carry its mass: w rho A and w rho I each. Between
// two cuts it is an exponential joint with Magnus's series of the fourth order (exponential.k.h),
// whose coordinates are the rod's modes, all of them shared. What is cut so is a mechanism by
// itself: its M is symmetric and its energy is kept, whatever the number of points.
//
// Modes (rod_modes.c) are orthogonal with the section's stiffness as weight: stiffness and damping
// are one spring for each. (Boyer and Renda; Mathew and others: "geometric variable strain".)
#include "robot/rod.h"
#include "base/error.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

int arne_flexible_is_rod(const arne_flexible_spec *f)
{
    int any = 0;
    for (int k = 0; f && k < ARNE_STRAIN_COUNT; k++)
        any |= f->modes[k] != 0;
    return any;
}

// ---- the section

static int rod_any(const double *x, int count)
{
    int any = 0;
    for (int i = 0; i < count; i++)
        any |= x[i] != 0;
    return any;
}

static void rod_section(const arne_flexible_spec *f, rod *r)
{
    const double I[3] = {f->J, f->moments[0], f->moments[1]}, L = f->length, pi = acos(-1);
    const double own[ARNE_STRAIN_COUNT] = {f->G * I[0], f->E * I[1], f->E * I[2],
                                           f->E * f->A, f->G * f->A, f->G * f->A};
    const double flow[ARNE_STRAIN_COUNT] = {I[0], 3 * I[1], 3 * I[2], 3 * f->A, f->A, f->A};
    const double mass[4] = {f->density * f->A, f->density * (I[1] + I[2]), f->density * I[1],
                            f->density * I[2]};
    memcpy(r->stiffness, rod_any(f->stiffness, ARNE_STRAIN_COUNT) ? f->stiffness : own,
           sizeof r->stiffness);
    memcpy(r->line, rod_any(f->line, 4) ? f->line : mass, sizeof r->line);
    for (int k = 0; k < ARNE_STRAIN_COUNT; k++) {
        // the first frequency of the clamped rod, for the ratio of damping
        const int    bends = k == ARNE_STRAIN_BEND_Y || k == ARNE_STRAIN_BEND_Z;
        const double moved = r->line[k == ARNE_STRAIN_TWIST ? 1 : 0];
        const double speed = sqrt(r->stiffness[k] / (moved > 0 ? moved : 1));
        const double first = bends ? pow(1.875104068711961 / L, 2) * speed : pi / (2 * L) * speed;
        r->damping[k] = f->viscosity * flow[k] + f->strain_damping[k];
        if (f->damping > 0 && first > 0) r->damping[k] += 2 * f->damping / first * r->stiffness[k];
    }
}

// ---- rules

static arne_status rod_refuse(const build *s, const arne_body_spec *b, const char *what)
{
    return judge_fail(&s->j, ARNE_MODEL, b->place, "flexible link '%s': %s", b->name, what);
}

static int not_negative(const double *x, int count)
{
    for (int i = 0; i < count; i++)
        if (!(x[i] >= 0) || !isfinite(x[i])) return 0;
    return 1;
}

static arne_status rod_check_strain(const build *s, const arne_body_spec *b, const rod *r, int k)
{
    const arne_flexible_spec *f = &b->flexible;
    const char               *name = arne_strain_name((arne_strain)k);
    if (f->modes[k] < 0 || f->modes[k] > ROD_MODES)
        return judge_fail(&s->j, ARNE_MODEL, b->place,
                          "flexible link '%s': %s has %d modes; 0 to %d are possible", b->name,
                          name, f->modes[k], ROD_MODES);
    if (f->pieces < 0 || rod_pieces(f) * f->modes[k] > ROD_ALL_MODES)
        return judge_fail(&s->j, ARNE_MODEL, b->place,
                          "flexible link '%s': %s has %d modes in each of %d pieces; %d in all are "
                          "possible",
                          b->name, name, f->modes[k], f->pieces, ROD_ALL_MODES);
    if (rod_pieces(f) * f->modes[k] > f->points)
        return judge_fail(&s->j, ARNE_MODEL, b->place,
                          "flexible link '%s': %s has %d modes, but there are only %d points: as "
                          "many points as modes are needed, and twice as many are better",
                          b->name, name, rod_pieces(f) * f->modes[k], f->points);
    if (f->natural[k] < 0 || f->natural[k] > f->modes[k] || (f->natural[k] && f->pieces > 1))
        return judge_fail(&s->j, ARNE_MODEL, b->place,
                          "flexible link '%s': %s has %d natural modes; they take the place of at "
                          "least as many modes, of a rod in one piece",
                          b->name, name, f->natural[k]);
    if (f->modes[k] && !(r->stiffness[k] > 0 && isfinite(r->stiffness[k])))
        return judge_fail(
            &s->j, ARNE_MODEL, b->place,
            "flexible link '%s': %s has modes, but no stiffness holds it%s", b->name, name,
            k == ARNE_STRAIN_BEND_Y || k == ARNE_STRAIN_BEND_Z || k == ARNE_STRAIN_STRETCH
                ? ""
                : "; it needs G");
    return ARNE_OK;
}

// The largest curvature at rest; not finite where the table is none.
static double rod_most_curved(const arne_flexible_spec *f)
{
    double most = 0, last = -1;
    for (int i = 0; i < (f->table_count ? f->table_count : 1); i++) {
        const double s = f->table_count ? f->table[i][0] : 0;
        double       at[3];
        if (f->table_count > ARNE_ROD_TABLE || !(s > last && s >= 0 && s <= f->length * (1 + 1e-9)))
            return NAN;
        rod_rest(f, s, at);
        const double size = fabs(at[0]) + fabs(at[1]) + fabs(at[2]);
        if (!(size < INFINITY)) return NAN;
        most = fmax(most, size);
        last = s;
    }
    return most;
}

static int rod_sizes_rise(const arne_flexible_spec *f)
{
    int good = f->size_count >= 0 && f->size_count <= ARNE_ROD_TABLE;
    for (int i = 0; good && i < f->size_count; i++)
        good = f->sizes[i][0] > (i ? f->sizes[i - 1][0] : -1e-300) &&
               f->sizes[i][0] <= f->length * (1 + 1e-9) && f->sizes[i][1] > 0 &&
               isfinite(f->sizes[i][1]);
    return good;
}

arne_status rod_check(const build *s, const arne_body_spec *b)
{
    const arne_flexible_spec *f = &b->flexible;
    rod                       r;
    arne_status               status = ARNE_OK;
    const double              turns = rod_most_curved(f);
    if (f->axis != 0) return rod_refuse(s, b, "a rod by strain modes is along x");
    if (!(f->length > 0) || !isfinite(f->length))
        return rod_refuse(s, b, "the length must be more than 0");
    if (f->points < 2 || f->points > ROD_POINTS)
        return rod_refuse(s, b, "points must be from 2 to 200");
    if (!(f->taper > 0) || !isfinite(f->taper))
        return rod_refuse(s, b, "taper must be more than 0");
    if (!rod_sizes_rise(f))
        return rod_refuse(s, b,
                          "the s of its table of sizes do not rise from 0 to its length, or a "
                          "size is not more than 0");
    if (!isfinite(turns))
        return rod_refuse(s, b,
                          "its curvature is not finite, or the s of its table do not rise "
                          "from 0 to its length");
    if (!(f->turn > 0) || f->turn > 3)
        return rod_refuse(s, b, "the largest turn must be more than 0 and at most 3 rad");
    if (turns * f->length / f->points > 2 * acos(-1))
        return rod_refuse(s, b, "its curvature turns it by more than 2 pi between two points");
    if (!not_negative(&f->damping, 1) || !not_negative(&f->viscosity, 1) ||
        !not_negative(f->strain_damping, ARNE_STRAIN_COUNT))
        return rod_refuse(s, b, "damping must not be negative");
    if (!not_negative(f->stiffness, ARNE_STRAIN_COUNT) || !not_negative(f->line, 4) ||
        !not_negative(&f->E, 1) || !not_negative(&f->G, 1) || !not_negative(f->moments, 2))
        return rod_refuse(s, b, "stiffness and mass must not be negative");
    rod_section(f, &r);
    if (!(r.line[0] > 0) || !isfinite(r.line[0]))
        return rod_refuse(s, b, "its mass per length must be more than 0");
    if (f->modes[ARNE_STRAIN_TWIST] && !(r.line[1] > 0))
        return rod_refuse(s, b, "it twists, and so it needs rotary inertia about its axis");
    if (b->mass != 0 || rod_any(b->inertia, 6))
        return rod_refuse(
            s, b, "its mass is that of its density; give other masses to a body at its tip");
    if (strlen(b->name) > ROD_NAME - 40) return rod_refuse(s, b, "its name is too long");
    for (int k = 0; k < ARNE_STRAIN_COUNT && status_goes_on(status); k++)
        status = status_both(status, rod_check_strain(s, b, &r, k));
    return status;
}

// ---- places

static int rod_is_root(const arne_vec3 *p) { return p->x == 0 && p->y == 0 && p->z == 0; }

// What stands on a rod without a place of its own stands at its tip.
static double rod_along(const rod *r, const arne_vec3 *p)
{
    return rod_is_root(p) ? r->body->flexible.length : p->x;
}

static arne_status rod_cut(rod *r, const char *what, const char *who, arne_place place,
                           const arne_vec3 *p)
{
    const double L = r->body->flexible.length, x = rod_along(r, p), near = 1e-9 * L;
    int          i = 0;
    if (x < -near || x > L + near)
        return !r->tells
                   ? ARNE_MODEL
                   : judge_fail(&r->s->j, ARNE_MODEL, place,
                                "%s '%s' is %g m along flexible link '%s', which is from 0 to %g m",
                                what, who, x, r->body->name, L);
    while (i < r->count && r->at[i] < x - near)
        i++;
    if (x < near || (i < r->count && r->at[i] <= x + near)) return ARNE_OK;
    if (r->count == ROD_PLACES)
        return !r->tells ? ARNE_MODEL : rod_refuse(r->s, r->body, "too many things stand on it");
    memmove(r->at + i + 1, r->at + i, (size_t)(r->count - i) * sizeof *r->at);
    memmove(r->weight + i + 1, r->weight + i, (size_t)(r->count - i) * sizeof *r->weight);
    r->at[i] = x;
    r->weight[i] = 0;
    r->count++;
    return ARNE_OK;
}

// The points that carry the mass, by Gauss's rule in each piece; the ends of pieces; where the
// table of its rest has a kink.
static void rod_place(rod *r)
{
    const arne_flexible_spec *f = &r->body->flexible;
    const int                 pieces = rod_pieces(f), points = (f->points + pieces - 1) / pieces;
    const double              h = f->length / pieces;
    for (int i = 0; i < pieces * points; i++) {
        double x, weight;
        rod_gauss_point(points, i % points, &x, &weight);
        r->at[r->count] = (i / points + x) * h;
        r->weight[r->count++] = weight * h;
        if (i % points + 1 < points) continue;
        r->at[r->count] = i + 1 < pieces * points ? (i / points + 1) * h : f->length;
        r->weight[r->count++] = 0;
    }
    for (int i = 0; i < f->table_count; i++) {
        const arne_vec3 at = {f->table[i][0], 0, 0};
        if (at.x > 0) (void)rod_cut(r, "row", r->body->name, r->body->place, &at);
    }
}

#define ROD_CUT_ALL(what, list, number, link, position)                                            \
    for (int i = 0; i < b->number && status_goes_on(status); i++)                                  \
        if (b->list[i].link && !strcmp(b->list[i].link, on->name))                                 \
    status = status_both(status, rod_cut(out, what, b->list[i].name ? b->list[i].name : on->name,  \
                                         b->list[i].place, &b->list[i].position))

arne_status rod_make(const build *s, const arne_body_spec *on, int tells, rod *out)
{
    const arne_builder       *b = s->b;
    const arne_flexible_spec *f = &on->flexible;
    arne_status               status = ARNE_OK;
    out->s = s;
    out->body = on;
    out->tells = tells;
    out->count = 0;
    rod_section(f, out);
    rod_shape_modes(out);
    rod_place(out);
    ROD_CUT_ALL("joint", joints, joint_count, parent, origin.p);
    ROD_CUT_ALL("frame", frames, frame_count, body, pose.p);
    ROD_CUT_ALL("loop", loops, loop_count, predecessor, predecessor_origin.p);
    ROD_CUT_ALL("loop", loops, loop_count, successor, successor_origin.p);
    ROD_CUT_ALL("contact", contacts, contact_count, link, origin.p);
    ROD_CUT_ALL("motor", motors, motor_count, link, position);
    for (int i = 0; i < b->muscle_count; i++)
        for (int k = 0; k < b->muscles[i].point_count && status_goes_on(status); k++) {
            const arne_path_point *p = &b->muscles[i].points[k];
            const int ends = p->along || (k + 1 < b->muscles[i].point_count && p[1].along);
            if (ends && !strcmp(p->link, on->name))
                status = status_both(status, rod_cut(out, "muscle", b->muscles[i].name,
                                                     b->muscles[i].place, &p->position));
        }
    return status;
}

static void rod_link(const rod *r, int k, char name[ROD_NAME]) // -1: the root
{
    if (k < 0)
        snprintf(name, ROD_NAME, "%s", r->body->name);
    else
        snprintf(name, ROD_NAME, "%s_%d", r->body->name, k + 1);
}

void rod_put_at(const rod *r, double x, arne_vec3 *p, char name[ROD_NAME])
{
    int best = -1;
    for (int k = 0; k < r->count; k++)
        if (fabs(r->at[k] - x) < fabs((best < 0 ? 0 : r->at[best]) - x)) best = k;
    p->x = x - (best < 0 ? 0 : r->at[best]);
    if (fabs(p->x) < 1e-9 * r->body->flexible.length) p->x = 0;
    rod_link(r, best, name);
}

void rod_put(const rod *r, arne_vec3 *p, char name[ROD_NAME])
{
    rod_put_at(r, rod_along(r, p), p, name);
}

// ---- links and joints

static void mode_name(const rod *r, int strain, int mode, char name[ROD_NAME])
{
    snprintf(name, ROD_NAME, "%s_%s_%d", r->body->name, arne_strain_name((arne_strain)strain),
             mode + 1);
}

static arne_status rod_add_link(const rod *r, arne_builder *into, const char *name, int k)
{
    const arne_flexible_spec *f = &r->body->flexible;
    arne_body_spec            link = arne_body_spec_default();
    const double              w = k < 0 ? 0 : r->weight[k], x = k < 0 ? 0 : r->at[k] / f->length;
    link.name = name;
    link.mass = w * r->line[0] * rod_taper(f, ARNE_STRAIN_STRETCH, x);
    for (int i = 0; i < 3; i++)
        link.inertia[i] = w * r->line[1 + i] * rod_taper(f, ARNE_STRAIN_TWIST, x);
    link.accept = r->body->accept | ARNE_ACCEPT_TRIANGLE | ARNE_ACCEPT_INERTIA;
    link.place = r->body->place;
    return arne_builder_add_body(into, &link, r->s->j.error);
}

arne_status rod_add_bodies(const rod *r, arne_builder *into)
{
    arne_status status = ARNE_OK;
    char        name[ROD_NAME];
    for (int k = -1; k < r->count && !status; k++) {
        rod_link(r, k, name);
        status = rod_add_link(r, into, name, k);
    }
    for (int k = 0; k < ARNE_STRAIN_COUNT; k++)
        for (int i = 0; i < rod_mode_count(&r->body->flexible, k) && !status; i++) {
            mode_name(r, k, i, name);
            status = rod_add_link(r, into, name, -1);
        }
    return status;
}

static arne_status rod_add_mode(const rod *r, arne_builder *into, int strain, int mode)
{
    arne_joint_spec  joint = arne_joint_spec_default();
    arne_spring_spec held = arne_spring_spec_default();
    char             name[ROD_NAME];
    mode_name(r, strain, mode, name);
    joint.name = joint.child = held.joint = name;
    joint.parent = r->body->name;
    joint.kind = ARNE_JOINT_STRAIN;
    joint.actuation = ARNE_ACTUATION_PASSIVE;
    held.stiffness = r->mode_stiffness[strain][mode];
    held.damping = r->damping[strain] / r->stiffness[strain] * held.stiffness;
    joint.place = held.place = r->body->place;
    const arne_status status = arne_builder_add_joint(into, &joint, r->s->j.error);
    return status ? status : arne_builder_add_spring(into, &held, r->s->j.error);
}

// From place k - 1 to k.
static arne_status rod_add_slice(const rod *r, arne_builder *into, int k)
{
    const arne_flexible_spec *f = &r->body->flexible;
    const double              from = k ? r->at[k - 1] : 0, h = r->at[k] - from;
    arne_joint_spec           joint = arne_joint_spec_default();
    arne_status               status = ARNE_OK;
    char                      name[ROD_NAME], parent[ROD_NAME], child[ROD_NAME], with[ROD_NAME];
    snprintf(name, sizeof name, "%s_slice_%d", r->body->name, k + 1);
    rod_link(r, k - 1, parent);
    rod_link(r, k, child);
    joint.name = name;
    joint.parent = parent;
    joint.child = child;
    joint.kind = ARNE_JOINT_EXPONENTIAL;
    joint.actuation = ARNE_ACTUATION_PASSIVE;
    joint.length = h;
    joint.turn = f->turn;
    joint.place = r->body->place;
    for (int p = 0; p < 2; p++) {
        rod_rest(f, from + h * (0.5 + (p ? 1 : -1) * sqrt(3) / 6), joint.rest[p]);
        joint.rest[p][ARNE_STRAIN_STRETCH] = 1;
    }
    status = arne_builder_add_joint(into, &joint, r->s->j.error);
    for (int s = 0; s < ARNE_STRAIN_COUNT; s++)
        for (int i = 0; i < rod_mode_count(f, s) && !status; i++) {
            arne_strain_spec strain = {
                .joint = name, .with = with, .strain = (arne_strain)s, .place = joint.place};
            mode_name(r, s, i, with);
            for (int p = 0; p < 2; p++) {
                const double x = from + h * (0.5 + (p ? 1 : -1) * sqrt(3) / 6);
                strain.weight[p] = rod_mode_at(r, s, i, x / f->length);
            }
            status = arne_builder_add_strain(into, &strain, r->s->j.error);
        }
    return status;
}

arne_status rod_add_joints(const rod *r, arne_builder *into)
{
    arne_status status = ARNE_OK;
    for (int s = 0; s < ARNE_STRAIN_COUNT; s++)
        for (int i = 0; i < rod_mode_count(&r->body->flexible, s) && !status; i++)
            status = rod_add_mode(r, into, s, i);
    for (int k = 0; k < r->count && !status; k++)
        status = rod_add_slice(r, into, k);
    return status;
}
