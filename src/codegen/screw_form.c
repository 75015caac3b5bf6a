// A body that moves about or along z may have any frame that is turned about z and moved along it:
// T = Rz(gamma) Tz(delta) commutes with its joint, so that X = P J(q) becomes (T_parent^-1 P T)
// J(q). As Denavit and Hartenberg do, x is laid along the common normal to the axis of the next
// joint, and the origin to its foot. Then the next body's pose is
//     T^-1 P T_next = Tx(a) Rx(alpha) Tz(d) Rz(c).
#include "codegen/screw_form.h"
#include "math/lower.h"
#include "math/screw_kind.h"
#include "robot/robot.h"
#include <stdlib.h>
#include <string.h>

static const double parallel = 1e-9, near_zero = 1e-12;

typedef struct shift {
    double s, c, along; // of gamma, and delta
} shift;

static int moves_along_z(const body *b)
{
    return b->kind == ARNE_JOINT_REVOLUTE || b->kind == ARNE_JOINT_PRISMATIC;
}

static constant3 turned(constant3 v, double s, double c)
{
    const constant3 out = {c * v.x - s * v.y, s * v.x + c * v.y, v.z, 0};
    return out;
}

// T^-1 P
static constant_pose shift_before(shift t, constant_pose P)
{
    P.p.z -= t.along;
    P.x = turned(P.x, -t.s, t.c);
    P.y = turned(P.y, -t.s, t.c);
    P.z = turned(P.z, -t.s, t.c);
    P.p = turned(P.p, -t.s, t.c);
    return P;
}

static constant3 combined(double a, constant3 x, double b, constant3 y)
{
    const constant3 out = {a * x.x + b * y.x, a * x.y + b * y.y, a * x.z + b * y.z, 0};
    return out;
}

// P T
static constant_pose shift_after(constant_pose P, shift t)
{
    const constant3 x = P.x, y = P.y;
    P.p = combined(1, P.p, t.along, P.z);
    P.x = combined(t.c, x, t.s, y);
    P.y = combined(-t.s, x, t.c, y);
    return P;
}

// The inertia about the new origin, in the new axes.
static constant_inertia shift_inertia(shift t, constant_inertia I)
{
    const double     d = t.along;
    constant_inertia M = I;
    M.h.z = I.h.z - d * I.m;
    const double more = -2 * d * I.h.z + d * d * I.m;
    M.J.x.x += more;
    M.J.y.y += more;
    M.J.x.z = M.J.z.x = I.J.x.z + d * I.h.x;
    M.J.y.z = M.J.z.y = I.J.y.z + d * I.h.y;
    M.h = turned(M.h, -t.s, t.c);
    const constant3 x = turned(M.J.x, -t.s, t.c), y = turned(M.J.y, -t.s, t.c),
                    z = turned(M.J.z, -t.s, t.c); // columns of Rz^T J
    M.J.x = combined(t.c, x, t.s, y);
    M.J.y = combined(-t.s, x, t.c, y);
    M.J.z = z;
    const double half = 0.5 * (M.J.x.x + M.J.y.y + M.J.z.z);
    M.second.x = (constant3){half - M.J.x.x, -M.J.x.y, -M.J.x.z, 0};
    M.second.y = (constant3){-M.J.y.x, half - M.J.y.y, -M.J.y.z, 0};
    M.second.z = (constant3){-M.J.z.x, -M.J.z.y, half - M.J.z.z, 0};
    return M;
}

// x along the common normal of z and the axis of the pose P (whose own shift is done), the origin
// at its foot.
static shift shift_towards(constant_pose P)
{
    shift        t = {0, 1, 0};
    const double sine = hypot(P.z.x, P.z.y);
    double       x = -P.z.y, y = P.z.x, length = sine; // z x z_next
    if (sine < parallel) {                             // then along what lies between them
        x = P.p.x;
        y = P.p.y;
        length = hypot(x, y);
        t.along = P.p.z;
    } else { // p + l z_next has no part across x: of the part along z, that is the foot
        const double across = (P.p.x * P.z.x + P.p.y * P.z.y) / sine; // in the direction of z_next
        t.along = P.p.z - across / sine * P.z.z;
    }
    if (length < near_zero) return t;
    t.c = x / length;
    t.s = y / length;
    return t;
}

// The next body, that is to have the simplest pose: the first one that it carries; 0: there is
// none.
static int next_of(const arne_robot *r, int i)
{
    for (int k = i + 1; k < r->rotor_start; k++)
        if (robot_bodies(r)[k].parent == i) return k;
    return 0;
}

// How far a pose goes along its own axis.
static double along_axis(const constant_pose *P)
{
    return P->p.x * P->z.x + P->p.y * P->z.y + P->p.z * P->z.z;
}

static int is_axial(const constant_pose *P)
{
    const double d = along_axis(P);
    return fabs(P->z.x) < near_zero && fabs(P->p.y - d * P->z.y) < near_zero &&
           fabs(P->p.z - d * P->z.z) < near_zero;
}

// Inward: where each frame goes follows from the axis of the next body.
static void find_shifts(const arne_robot *r, shift *shifts)
{
    const body *bodies = robot_bodies(r);
    for (int i = r->body_count - 1; i >= 0; i--) {
        const int next = next_of(r, i);
        shifts[i] = (shift){0, 1, 0};
        if (i && next && moves_along_z(&bodies[i]))
            shifts[i] = shift_towards(shift_after(bodies[next].placement, shifts[next]));
    }
}

static screw_kind screw_form_kind_of(const body *b)
{
    if (is_axial(&b->placement)) return SCREW_AXIAL;
    return b->parent == 0 && b->kind == ARNE_JOINT_REVOLUTE ? SCREW_DENSE : SCREW_NONE;
}

// Outward. A body that carries none has its origin where its pose has nothing along its axis.
// Returns how many are screws.
static int move_frames(arne_robot *r, shift *shifts)
{
    body *bodies = ROBOT_ARRAY(r, body, bodies);
    int   count = 0;
    for (int i = 1; i < r->body_count; i++) {
        body *b = &bodies[i];
        b->placement = shift_before(shifts[b->parent], b->placement);
        if (moves_along_z(b) && !next_of(r, i)) shifts[i].along = -along_axis(&b->placement);
        b->placement = shift_after(b->placement, shifts[i]);
        b->inertia = shift_inertia(shifts[i], b->inertia);
        if (!moves_along_z(b)) continue;
        b->pitch = screw_form_kind_of(b);
        count += b->pitch != 0;
    }
    return count;
}

arne_status screw_form(const arne_robot *robot, arne_robot **out)
{
    *out = NULL;
    if (robot->loop_count) return ARNE_OK;
    arne_robot *copy = malloc(robot->size);
    shift      *shifts = calloc((size_t)robot->body_count, sizeof *shifts);
    const int   fine = copy && shifts;
    int         count = 0;
    if (fine) {
        memcpy(copy, robot, robot->size);
        find_shifts(robot, shifts);
        count = move_frames(copy, shifts);
    }
    free(shifts);
    if (count)
        *out = copy;
    else
        free(copy);
    return fine ? ARNE_OK : ARNE_NO_MEMORY;
}
