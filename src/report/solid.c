#include "report/solid.h"

#include "math/lower.h"
#include "math/vectors.h"
#include "report/left_right.h"
#include "robot/joint.h"
#include "robot/robot.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A drum at a joint is so many times as thick as its link.
#define DRUM_RADIUS 1.28

// Densities [kg/m^3] from which a link's radius is estimated, by its mass and length: of castings
// with drives in them, and of flesh.
static const double density_of_machine = 1600, density_of_flesh = 1050;

typedef struct carving {
    const arne_robot *robot;
    const skeleton   *skeleton;
    solid_list       *out;
    double            size;    // of the whole robot
    double            usual;   // radius of a link
    double           *lengths; // of all sticks of a body
    double           *radius;  // of the links of a body
    double           *room;    // half the distance to the nearest joint beside its own, at most
    int               soft;    // it has a left and a right: no drums, ellipsoids instead of boxes
} carving;

// --- small vectors -------------------------------------------------------------------------------

static arne_vec3 middle(arne_vec3 a, arne_vec3 b)
{
    return (arne_vec3){(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2};
}
static arne_vec3 solid_unit(arne_vec3 a)
{
    const double n = norm3(a);
    return (arne_vec3){a.x / n, a.y / n, a.z / n};
}

// Axes whose z is along a vector that is not zero.
static arne_mat3 solid_along(arne_vec3 d)
{
    const arne_vec3 z = solid_unit(d);
    const arne_vec3 aside = fabs(z.x) < 0.8 ? (arne_vec3){1, 0, 0} : (arne_vec3){0, 1, 0};
    const arne_vec3 x = solid_unit(cross3(aside, z));
    return (arne_mat3){x, cross3(z, x), z};
}

// --- the cloud of a body's mass

// Jacobi's rotations: a becomes diagonal, the columns of v its axes. Entries of the size of
// rounding turn nothing: a body with equal moments keeps the axes of its frame.
static void diagonalise(double a[3][3], double v[3][3])
{
    const double little = 1e-12 * (fabs(a[0][0]) + fabs(a[1][1]) + fabs(a[2][2]));
    for (int i = 0; i < 9; i++)
        v[i / 3][i % 3] = i / 3 == i % 3;
    for (int sweep = 0; sweep < 30; sweep++)
        for (int k = 0; k < 3; k++) {
            const int    i = k, j = (k + 1) % 3;
            const double t = 0.5 * atan2(2 * a[i][j], a[j][j] - a[i][i]), c = cos(t), s = sin(t);
            if (fabs(a[i][j]) <= little) continue;
            for (int n = 0; n < 3; n++) {
                const double x = a[n][i], y = a[n][j], p = v[n][i], q = v[n][j];
                a[n][i] = c * x - s * y;
                a[n][j] = s * x + c * y;
                v[n][i] = c * p - s * q;
                v[n][j] = s * p + c * q;
            }
            for (int n = 0; n < 3; n++) {
                const double x = a[i][n], y = a[j][n];
                a[i][n] = c * x - s * y;
                a[j][n] = s * x + c * y;
            }
        }
}

// Mass, first and second moments of a body, in its frame.
typedef struct moments {
    double m, h[3], second[3][3];
} moments;

static moments body_moments(const arne_robot *robot, int index)
{
    const constant_inertia *I = &robot_bodies(robot)[index].inertia;
    const arne_vec3         h = lower(lift4(&I->h));
    const arne_vec3         row[] = {lower(lift4(&I->second.x)), lower(lift4(&I->second.y)),
                                     lower(lift4(&I->second.z))};
    moments                 s = {.m = I->m, .h = {h.x, h.y, h.z}};
    for (int i = 0; i < 3; i++) {
        const double entry[] = {row[i].x, row[i].y, row[i].z};
        memcpy(s.second[i], entry, sizeof entry);
    }
    return s;
}

// Those of a base that does not move, which are no part of the dynamics: the sum over its links.
static moments base_moments(const arne_robot *robot)
{
    moments s = {0};
    for (int n = 0; n < robot->link_count; n++) {
        const arne_frame_info f = arne_robot_frame(robot, n);
        if (f.body || !(f.mass > 0)) continue;
        const double *I = f.inertia, half = (I[0] + I[1] + I[2]) / 2;
        const double  own[3][3] = {
             {half - I[0], -I[3], -I[4]}, {-I[3], half - I[1], -I[5]}, {-I[4], -I[5], half - I[2]}};
        const double R[3][3] = {{f.pose.R.x.x, f.pose.R.y.x, f.pose.R.z.x},
                                {f.pose.R.x.y, f.pose.R.y.y, f.pose.R.z.y},
                                {f.pose.R.x.z, f.pose.R.y.z, f.pose.R.z.z}};
        const double p[] = {f.pose.p.x, f.pose.p.y, f.pose.p.z},
                     com[] = {f.com.x, f.com.y, f.com.z};
        double c[3];
        for (int i = 0; i < 3; i++)
            c[i] = p[i] + R[i][0] * com[0] + R[i][1] * com[1] + R[i][2] * com[2];
        s.m += f.mass;
        for (int i = 0; i < 3; i++) {
            s.h[i] += f.mass * c[i];
            for (int k = 0; k < 3; k++) {
                s.second[i][k] += f.mass * c[i] * c[k];
                for (int a = 0; a < 9; a++)
                    s.second[i][k] += R[i][a / 3] * own[a / 3][a % 3] * R[k][a % 3];
            }
        }
    }
    return s;
}

static mass_cloud cloud_of(const moments *given)
{
    const moments s = *given;
    mass_cloud    c = {.mass = s.m, .at = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}}};
    if (!(s.m > 0)) return c;
    c.at.p = (arne_vec3){s.h[0] / s.m, s.h[1] / s.m, s.h[2] / s.m};
    double a[3][3], v[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            a[i][k] = s.second[i][k] / s.m - s.h[i] * s.h[k] / (s.m * s.m);
    diagonalise(a, v);
    for (int k = 0; k < 3; k++)
        c.spread[k] = sqrt(fmax(0, a[k][k]));
    c.at.R = (arne_mat3){{v[0][0], v[1][0], v[2][0]}, {v[0][1], v[1][1], v[2][1]}, {0, 0, 0}};
    c.at.R.z = cross3(c.at.R.x, c.at.R.y); // right-handed
    return c;
}

mass_cloud body_cloud(const arne_robot *robot, int index)
{
    const moments s = body_moments(robot, index);
    return cloud_of(&s);
}

mass_cloud drawn_cloud(const arne_robot *robot, int index)
{
    const moments s = index ? body_moments(robot, index) : base_moments(robot);
    return cloud_of(&s);
}

// --- left and right

static int body_side(const arne_robot *robot, int index)
{
    int found = 0;
    for (int i = 0; i < robot->link_count; i++) {
        const arne_frame_info *f = &robot_frames(robot)[i].info;
        const int side = f->body == index ? name_side(arne_robot_frame(robot, i).name) : 0;
        if (side && found && side != found) return 0; // a trunk with cameras on both sides
        if (side) found = side;
    }
    return found;
}

static int solid_has_sides(const arne_robot *robot)
{
    int left = 0, right = 0;
    for (int i = 1; i < robot->body_count; i++) {
        const int side = body_side(robot, i);
        left += side > 0;
        right += side < 0;
    }
    return left >= 2 && left == right;
}

solid_tone solid_tone_of(const arne_robot *robot, int index)
{
    const int side = solid_has_sides(robot) ? body_side(robot, index) : 0;
    if (side) return side > 0 ? TONE_LEFT : TONE_RIGHT;
    return index ? TONE_LINK : TONE_BASE;
}

static solid_tone tone_of(const carving *c, int index) { return solid_tone_of(c->robot, index); }

// --- sticks

static solid *add_solid(solid_list *list, solid_kind kind, solid_tone tone, int index)
{
    solid *s = &list->item[list->count++];
    *s = (solid){.kind = kind, .tone = tone, .body = index};
    s->at.R = (arne_mat3){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return s;
}

// The body that a stick is part of, and its two ends there. A hub is its parent's point: the body's
// own origin.
static int stick_body(const skeleton *s, const stick *k, arne_vec3 end[2])
{
    const skeleton_point p[] = {s->points[k->from], s->points[k->to]};
    const int            index = p[0].body > p[1].body ? p[0].body : p[1].body;
    for (int i = 0; i < 2; i++)
        end[i] = p[i].body == index ? p[i].at : (arne_vec3){0, 0, 0};
    return index;
}

static int is_link_stick(const stick *k) { return k->kind == STICK_LINK; }

// Joints beside each other on one body, as those of fingers: neither they nor what hangs on them is
// wider than half the distance between them.
static void measure_room(carving *c)
{
    const body *bodies = robot_bodies(c->robot);
    for (int i = 0; i < c->robot->body_count; i++) {
        c->room[i] = i ? c->room[bodies[i].parent] : INFINITY;
        for (int k = 1; k < c->robot->rotor_start && i; k++) {
            if (k == i || bodies[k].parent != bodies[i].parent) continue;
            const double away = norm3(
                sub3(lower(lift4(&bodies[i].placement.p)), lower(lift4(&bodies[k].placement.p))));
            if (away > 1e-3 * c->size) c->room[i] = fmin(c->room[i], 0.5 * away);
        }
    }
}

static void solid_measure(carving *c)
{
    const skeleton *s = c->skeleton;
    const double    density = c->soft ? density_of_flesh : density_of_machine;
    measure_room(c);
    for (int i = 0; i < s->stick_count; i++) {
        arne_vec3 end[2];
        if (!is_link_stick(&s->sticks[i])) continue;
        const int index = stick_body(s, &s->sticks[i], end);
        c->lengths[index] += norm3(sub3(end[1], end[0]));
    }
    for (int i = 0; i < c->robot->body_count; i++) {
        const double mass = robot_bodies(c->robot)[i].inertia.m;
        double       r = c->usual;
        if (mass > 0 && c->lengths[i] > 0) r = sqrt(mass / (density * 3.14159 * c->lengths[i]));
        c->radius[i] = fmin(fmax(r, 0.6 * c->usual), (c->soft ? 3.4 : 2.1) * c->usual);
        if (!(mass > 0)) c->radius[i] = (i ? 0.6 : 1.25) * c->usual;
        const int parent = i ? robot_bodies(c->robot)[i].parent : 0;
        if (parent && !c->soft && c->lengths[parent] > 0) // links become thinner towards the tool
            c->radius[i] = fmin(c->radius[i], 1.3 * c->radius[parent]);
        c->radius[i] = fmin(c->radius[i], c->room[i] / DRUM_RADIUS);
    }
}

static int is_tip(const skeleton *s, int point)
{
    for (int i = 0; i < s->tip_count; i++)
        if (s->tips[i] == point) return 1;
    return 0;
}

static int sticks_of(const skeleton *s, int index)
{
    arne_vec3 end[2];
    int       count = 0;
    for (int i = 0; i < s->stick_count; i++)
        count += is_link_stick(&s->sticks[i]) && stick_body(s, &s->sticks[i], end) == index;
    return count;
}

static double widest_of(const mass_cloud *m)
{
    return fmax(m->spread[0], fmax(m->spread[1], m->spread[2]));
}

// Whether the mass of a body is spread about as widely as its sticks are long.
static int is_stout(const carving *c, int index)
{
    const mass_cloud m = drawn_cloud(c->robot, index);
    return m.mass > 0 && c->lengths[index] < 3.2 * widest_of(&m);
}

static void solid_add_stick(carving *c, const stick *k)
{
    const skeleton *s = c->skeleton;
    arne_vec3       end[2];
    const int       index = stick_body(s, k, end);
    const double    length = norm3(sub3(end[1], end[0]));
    double          r = c->radius[index];
    if (k->kind == STICK_SLIDE || k->kind == STICK_LOOP) {
        const skeleton_point from = s->points[k->from], to = s->points[k->to];
        solid               *rod = add_solid(c->out, SOLID_ROD, TONE_SLIDE, from.body);
        rod->at.p = from.at;
        rod->other = to.body;
        rod->far = to.at;
        rod->size[0] = 0.55 * c->usual;
        return;
    }
    if (k->kind != STICK_LINK || length < 1e-6 * c->size) return;
    // A stick that ends without a body is thin: a tool centre point, a sensor. Branches share the
    // body's mass.
    const int count = sticks_of(s, index);
    if (is_tip(s, k->to) && count > 1 && !c->soft) r *= 0.5;
    if (c->soft && count > 2) r *= 0.55;                     // its ellipsoid is between them
    if (c->soft && count == 1 && is_stout(c, index)) return; // its ellipsoid is all
    r = fmin(r, fmax(0.5 * length, 0.5 * c->usual));
    solid *x = add_solid(c->out, SOLID_CAPSULE, tone_of(c, index), index);
    x->at = (arne_pose){solid_along(sub3(end[1], end[0])), middle(end[0], end[1])};
    x->size[0] = r;
    x->size[1] = length;
}

// --- joints, masses, plates

static void add_drum(carving *c, int index)
{
    const body  *b = &robot_bodies(c->robot)[index];
    const double r = fmin(fmax(c->radius[index], 0.8 * c->radius[b->parent]), c->room[index]);
    if (b->kind == ARNE_JOINT_REVOLUTE || b->kind == ARNE_JOINT_HELICAL) {
        solid *x = add_solid(c->out, SOLID_CYLINDER, TONE_JOINT, index);
        x->size[0] = DRUM_RADIUS * r;
        x->size[1] = fmin(2.7 * r, 2 * c->room[index]);
    } else if (b->kind == ARNE_JOINT_PRISMATIC) {
        solid *x = add_solid(c->out, SOLID_BOX, TONE_JOINT, b->parent);
        x->at.R = (arne_mat3){lower(lift4(&b->placement.x)), lower(lift4(&b->placement.y)),
                              lower(lift4(&b->placement.z))};
        x->at.p = lower(lift4(&b->placement.p));
        x->size[0] = x->size[1] = 2.3 * c->usual;
        x->size[2] = 2.8 * c->usual;
    } else if (b->kind == ARNE_JOINT_BALL || b->kind == ARNE_JOINT_PLANAR) {
        solid *x = add_solid(c->out, SOLID_ELLIPSOID, TONE_JOINT, index);
        x->size[0] = x->size[1] = x->size[2] = 1.3 * r;
    }
}

// Twice the length of the longest other body: an inertia that is far too large does not hide the
// robot. Half axes of ellipsoids are half as long.
static double twice_the_next(const carving *c, int index)
{
    double longest = 0;
    for (int i = 0; i < c->robot->rotor_start; i++)
        if (i != index) longest = fmax(longest, c->lengths[i]);
    return longest > 0 ? (c->soft ? 1 : 2) * longest : INFINITY;
}

// A base whose mass is spread to several sides by more than links are thick. The base may drive:
// then it is the first body with mass behind joints of which one slides.
static int is_trunk(const carving *c, int index, const mass_cloud *m)
{
    const double *s = m->spread, wide = 4 * c->usual / (2 * sqrt(3));
    int           drives = !index;
    for (int i = index; i; i = robot_bodies(c->robot)[i].parent) {
        const body *b = &robot_bodies(c->robot)[i];
        if (i != index && b->inertia.m > 0) return 0;
        drives |= joint_is_slide((arne_joint_kind)b->kind) || b->kind == ARNE_JOINT_PLANAR;
    }
    return drives && (s[0] > wide) + (s[1] > wide) + (s[2] > wide) > 1;
}

// A body whose mass is spread wider than its sticks are thick: a trunk, a satellite, a flywheel.
static void add_cloud(carving *c, int index)
{
    const mass_cloud m = drawn_cloud(c->robot, index);
    const int        count = sticks_of(c->skeleton, index);
    if (!(m.mass > 0) || widest_of(&m) < 1e-3 * c->size) return;
    const int trunk = is_trunk(c, index, &m);
    if (count && !trunk && !(c->soft && (is_stout(c, index) || count > 2))) return;
    const double factor = c->soft ? sqrt(5) : 2 * sqrt(3), away = norm3(m.at.p);
    const int    kind = robot_bodies(c->robot)[index].kind;
    const int alone = kind == ARNE_JOINT_FREE || c->soft || kind == ARNE_JOINT_PRISMATIC || trunk;
    const double most = fmin(alone ? 0.9 * c->size : 4.5 * c->usual, twice_the_next(c, index));
    if (alone || away < 1.5 * c->usual) {
        solid *x =
            add_solid(c->out, c->soft ? SOLID_ELLIPSOID : SOLID_BOX, tone_of(c, index), index);
        x->at = m.at;
        for (int k = 0; k < 3; k++)
            x->size[k] = fmin(fmax(factor * m.spread[k], 0.8 * c->usual), most);
        for (int k = 0; k < 3 && c->soft && count; k++)
            x->size[k] *= 0.94; // beside its capsules it only fills what is between them
    }
    if (kind == ARNE_JOINT_FREE || count || away < 1.5 * c->usual) return;
    solid *arm = add_solid(c->out, SOLID_CAPSULE, tone_of(c, index), index);
    arm->at = (arne_pose){solid_along(m.at.p), middle(m.at.p, (arne_vec3){0, 0, 0})};
    arm->size[0] = alone ? 0.7 * c->usual : 1.2 * c->usual;
    arm->size[1] = away;
}

int solid_is_slice(const arne_robot *robot, int index)
{
    const int joint = robot_bodies(robot)[index].joint;
    return index && arne_robot_joint(robot, joint).kind == ARNE_JOINT_EXPONENTIAL;
}

// A piece of a rod by strain modes, from the slice before it: round, with the area of its section,
// whose half axes along y and z are twice the spread of its mass. No thicker than the slice before:
// slices without mass, where something stands on the rod, and those with a load are like that one.
static void add_slice(carving *c, int index)
{
    const body      *b = &robot_bodies(c->robot)[index];
    const mass_cloud m = drawn_cloud(c->robot, index);
    const int        first = !solid_is_slice(c->robot, b->parent);
    const double     before = first ? INFINITY : c->radius[b->parent];
    const double     own = m.mass > 0 ? 2 * sqrt(m.spread[1] * m.spread[2]) : before;
    const double     r = isfinite(own) ? fmin(own, before) : c->usual;
    solid           *rod = add_solid(c->out, SOLID_ROD, tone_of(c, index), index);
    rod->other = b->parent;
    rod->far = lower(lift4(&b->placement.p));
    solid *end = add_solid(c->out, SOLID_ELLIPSOID, tone_of(c, index), index); // fills the corner
    c->radius[index] = rod->size[0] = end->size[0] = end->size[1] = end->size[2] = r;
}

// A thin slab over the body's points, in the order in which its edges go around.
static void add_plate(carving *c, int index)
{
    const skeleton *s = c->skeleton;
    const int       first = c->out->corner_count;
    for (int i = 0; i < s->stick_count; i++) {
        if (s->sticks[i].kind != STICK_EDGE || s->points[s->sticks[i].from].body != index) continue;
        c->out->corners[c->out->corner_count++] = s->points[s->sticks[i].from].at;
    }
    if (c->out->corner_count == first) return;
    solid *x = add_solid(c->out, SOLID_PLATE, tone_of(c, index), index);
    x->corner_start = first;
    x->corner_count = c->out->corner_count - first;
    x->size[0] = 0.9 * c->usual;
}

// What a fixed robot stands on.
static void add_foot(carving *c, arne_vec3 up)
{
    const int root = c->skeleton->root;
    if (root < 0 || c->skeleton->points[root].body) return;
    solid *x = add_solid(c->out, SOLID_CYLINDER, TONE_BASE, 0);
    x->at.R = solid_along(up);
    x->at.p = c->skeleton->points[root].at;
    x->size[0] = 1.9 * c->usual;
    x->size[1] = 0.9 * c->usual;
}

// --- all of it -----------------------------------------------------------------------------------

static double solid_size_of(const skeleton *s, const arne_vec3 *places)
{
    double most = 0;
    for (int i = 0; i < s->point_count; i++)
        for (int k = 0; k < i; k++)
            most = fmax(most, norm3(sub3(places[i], places[k])));
    return most;
}

static void carve(carving *c, arne_vec3 up)
{
    solid_measure(c);
    add_foot(c, up);
    for (int i = 0; i < c->skeleton->stick_count; i++)
        solid_add_stick(c, &c->skeleton->sticks[i]);
    for (int i = 0; i < c->robot->rotor_start; i++) {
        if (solid_is_slice(c->robot, i)) {
            add_slice(c, i);
            continue;
        }
        if (i && !c->soft) add_drum(c, i);
        add_cloud(c, i);
        if (!c->soft || i == 0) add_plate(c, i);
    }
}

arne_status solids_make(const arne_robot *robot, const skeleton *s, const arne_vec3 *places,
                        arne_vec3 up, solid_list *out)
{
    const size_t bodies = (size_t)robot->body_count, sticks = (size_t)s->stick_count;
    carving      c = {.robot = robot, .skeleton = s, .out = out, .soft = solid_has_sides(robot)};
    *out = (solid_list){0};
    c.size = solid_size_of(s, places);
    if (!(c.size > 0)) // one body: as large as its mass is wide
        for (int i = 0; i < robot->rotor_start; i++)
            c.size = fmax(c.size, 4 * drawn_cloud(robot, i).spread[0]);
    if (!(c.size > 0)) c.size = 1;
    c.usual = 0.024 * c.size;
    c.lengths = calloc(bodies, sizeof *c.lengths);
    c.radius = calloc(bodies, sizeof *c.radius);
    c.room = calloc(bodies, sizeof *c.room);
    out->item = calloc(sticks + 3 * bodies + 1, sizeof *out->item);
    out->corners = calloc(sticks + 1, sizeof *out->corners);
    const int ok = c.lengths && c.radius && c.room && out->item && out->corners;
    if (ok) carve(&c, up);
    free(c.lengths);
    free(c.radius);
    free(c.room);
    return ok ? ARNE_OK : ARNE_NO_MEMORY;
}

void solids_free(solid_list *list)
{
    free(list->item);
    free(list->corners);
    *list = (solid_list){0};
}
