// Coordinates of joints: counts, and the steps between configurations along velocities.
#include "robot/joint.h"
#include "base/random.h"
#include "math/rotation.h"
#include <math.h>
#include <string.h>

#define A ARNE_COORDINATE_ANGLE
#define L ARNE_COORDINATE_LENGTH
#define H ARNE_COORDINATE_QUATERNION
#define N ARNE_COORDINATE_STRAIN
#define KIND(kind) ARNE_JOINT_##kind

// The one table of joint kinds.
static const struct {
    arne_joint_kind_info info;
    axis axes[6]; // in the axes of the moving body, once its frame has the joint's axis along z
} KINDS[ARNE_JOINT_KIND_COUNT] = {
    [ARNE_JOINT_FIXED] = {{.name = "fixed", .body_kind = KIND(FIXED), .quaternion = -1}, {0}},
    [ARNE_JOINT_REVOLUTE] = {{.name = "revolute",
                              .q_count = 1,
                              .v_count = 1,
                              .body_count = 1,
                              .body_kind = KIND(REVOLUTE),
                              .quaternion = -1,
                              .has_axis = 1,
                              .is_periodic = 1,
                              .limits = A,
                              .q = {A},
                              .v = {A},
                              .q_name = {"angle"},
                              .v_name = {"angular z"}},
                             {AXIS_AZ}},
    [ARNE_JOINT_CONTINUOUS] = {{.name = "continuous",
                                .q_count = 1,
                                .v_count = 1,
                                .body_count = 1,
                                .body_kind = KIND(REVOLUTE),
                                .quaternion = -1,
                                .has_axis = 1,
                                .is_periodic = 1,
                                .limits = A,
                                .q = {A},
                                .v = {A},
                                .q_name = {"angle"},
                                .v_name = {"angular z"}},
                               {AXIS_AZ}},
    [ARNE_JOINT_PRISMATIC] = {{.name = "prismatic",
                               .q_count = 1,
                               .v_count = 1,
                               .body_count = 1,
                               .body_kind = KIND(PRISMATIC),
                               .quaternion = -1,
                               .has_axis = 1,
                               .limits = L,
                               .q = {L},
                               .v = {L},
                               .q_name = {"length"},
                               .v_name = {"linear z"}},
                              {AXIS_LZ}},
    [ARNE_JOINT_HELICAL] = {{.name = "helical",
                             .q_count = 1,
                             .v_count = 1,
                             .body_count = 1,
                             .body_kind = KIND(HELICAL),
                             .quaternion = -1,
                             .has_axis = 1,
                             .has_pitch = 1,
                             .limits = A,
                             .q = {A},
                             .v = {A},
                             .q_name = {"angle"},
                             .v_name = {"angular z"}},
                            {AXIS_SCREW}},
    [ARNE_JOINT_BALL] = {{.name = "ball",
                          .q_count = 4,
                          .v_count = 3,
                          .body_count = 1,
                          .body_kind = KIND(BALL),
                          .quaternion = 0,
                          .has_body_axes = 1,
                          .limits = A,
                          .q = {H, H, H, H},
                          .v = {A, A, A},
                          .q_name = {"qx", "qy", "qz", "qw"},
                          .v_name = {"angular x", "angular y", "angular z"}},
                         {AXIS_AX, AXIS_AY, AXIS_AZ}},
    [ARNE_JOINT_UNIVERSAL] = {{.name = "universal",
                               .q_count = 2,
                               .v_count = 2,
                               .body_count = 2,
                               .body_kind = KIND(REVOLUTE),
                               .quaternion = -1,
                               .is_periodic = 1,
                               .limits = A,
                               .q = {A, A},
                               .v = {A, A},
                               .q_name = {"angle about x", "angle about y"},
                               .v_name = {"angular x", "angular y"}},
                              {AXIS_AZ, AXIS_AZ}},
    [ARNE_JOINT_PLANAR] = {{.name = "planar",
                            .q_count = 3,
                            .v_count = 3,
                            .body_count = 1,
                            .body_kind = KIND(PLANAR),
                            .quaternion = -1,
                            .has_axis = 1,
                            .has_body_axes = 1,
                            .limits = L,
                            .q = {L, L, A},
                            .v = {L, L, A},
                            .q_name = {"x", "y", "angle"},
                            .v_name = {"linear x", "linear y", "angular z"}},
                           {AXIS_LX, AXIS_LY, AXIS_AZ}},
    [ARNE_JOINT_FREE] = {{.name = "free",
                          .q_count = 7,
                          .v_count = 6,
                          .body_count = 1,
                          .body_kind = KIND(FREE),
                          .quaternion = 3,
                          .has_body_axes = 1,
                          .limits = L,
                          .q = {L, L, L, H, H, H, H},
                          .v = {L, L, L, A, A, A},
                          .q_name = {"x", "y", "z", "qx", "qy", "qz", "qw"},
                          .v_name = {"linear x", "linear y", "linear z", "angular x", "angular y",
                                     "angular z"}},
                         {AXIS_LX, AXIS_LY, AXIS_LZ, AXIS_AX, AXIS_AY, AXIS_AZ}},
    [ARNE_JOINT_STRAIN] = {{.name = "strain",
                            .q_count = 1,
                            .v_count = 1,
                            .body_count = 1,
                            .body_kind = KIND(STRAIN),
                            .quaternion = -1,
                            .limits = N,
                            .q = {N},
                            .v = {N},
                            .q_name = {"strain"},
                            .v_name = {"strain"}},
                           {AXIS_STILL}},
    // Its entries of the tree; the user's coordinates are those of strains.
    [ARNE_JOINT_EXPONENTIAL] = {{.name = "exponential",
                                 .q_count = 7,
                                 .v_count = 6,
                                 .body_count = 1,
                                 .body_kind = KIND(FREE),
                                 .quaternion = -1,
                                 .limits = L,
                                 .q = {L, L, L, H, H, H, H},
                                 .v = {L, L, L, A, A, A},
                                 .q_name = {"x", "y", "z", "qx", "qy", "qz", "qw"},
                                 .v_name = {"linear x", "linear y", "linear z", "angular x",
                                            "angular y", "angular z"}},
                                {AXIS_LX, AXIS_LY, AXIS_LZ, AXIS_AX, AXIS_AY, AXIS_AZ}},
};
#undef N
#undef A
#undef L
#undef H
#undef KIND

const arne_joint_kind_info *arne_joint_kind_facts(arne_joint_kind kind)
{
    return (unsigned)kind < ARNE_JOINT_KIND_COUNT ? &KINDS[kind].info : NULL;
}

const char *arne_joint_kind_name(arne_joint_kind kind)
{
    const arne_joint_kind_info *info = arne_joint_kind_facts(kind);
    return info ? info->name : "unknown";
}

int arne_joint_kind_q_count(arne_joint_kind kind)
{
    const arne_joint_kind_info *info = arne_joint_kind_facts(kind);
    return info ? info->q_count : 0;
}

int arne_joint_kind_v_count(arne_joint_kind kind)
{
    const arne_joint_kind_info *info = arne_joint_kind_facts(kind);
    return info ? info->v_count : 0;
}

int joint_axes(int kind, axis out[6])
{
    if (kind == ARNE_JOINT_ROTOR) {
        out[0] = AXIS_SPIN;
        return 1;
    }
    memcpy(out, KINDS[kind].axes, 6 * sizeof(axis));
    return KINDS[kind].info.v_count;
}

int joint_quaternion(arne_joint_kind kind) { return KINDS[kind].info.quaternion; }

int joint_is_slide(arne_joint_kind kind)
{
    const arne_joint_kind_info *info = arne_joint_kind_facts(kind);
    return info && info->q_count == 1 && info->q[0] == ARNE_COORDINATE_LENGTH;
}

void joint_neutral(arne_joint_kind kind, double *q)
{
    for (int i = 0; i < KINDS[kind].info.q_count; i++)
        q[i] = 0;
    if (KINDS[kind].info.quaternion >= 0) q[KINDS[kind].info.quaternion + 3] = 1;
}

void joint_random(const arne_joint_info *j, uint64_t *seed, double *q)
{
    const double pi = 3.14159265358979323846;
    const int    quaternion = KINDS[j->kind].info.quaternion;
    for (int i = 0; i < KINDS[j->kind].info.q_count; i++) {
        if (quaternion >= 0 && i >= quaternion) break;
        const double reach = KINDS[j->kind].info.q[i] == ARNE_COORDINATE_ANGLE ? pi : 1;
        const double low = isfinite(j->lower)   ? j->lower
                           : isfinite(j->upper) ? j->upper - 2 * reach
                                                : -reach;
        const double high = isfinite(j->upper)   ? j->upper
                            : isfinite(j->lower) ? j->lower + 2 * reach
                                                 : reach;
        q[i] = random_between(seed, low, high);
    }
    if (quaternion >= 0) { // uniform over rotations: Shoemake 1992
        const double u = random_between(seed, 0, 1), a = random_between(seed, 0, 2 * pi),
                     b = random_between(seed, 0, 2 * pi);
        double *h = q + quaternion;
        h[0] = sqrt(1 - u) * sin(a);
        h[1] = sqrt(1 - u) * cos(a);
        h[2] = sqrt(u) * sin(b);
        h[3] = sqrt(u) * cos(b);
    }
}

// ---- steps ----

// a + B(t) b for the exponential of a twist: p = V(w) v with V = 1 + c1 [w] + c2 [w]^2.
static vec3 exp_translation(vec3 w, vec3 v)
{
    const double x2 = dot(w, w), x = sqrt(x2);
    const double c1 = x > 1e-3 ? (1 - cos(x)) / x2 : 0.5 - x2 / 24 + x2 * x2 / 720;
    const double c2 = x > 1e-3 ? (x - sin(x)) / (x2 * x) : 1.0 / 6 - x2 / 120 + x2 * x2 / 5040;
    const vec3   wv = cross(w, v);
    return add_scaled(add_scaled(v, wv, c1), cross(w, wv), c2);
}

// The inverse of that: V^-1 = 1 - [w]/2 + c [w]^2.
static vec3 log_translation(vec3 w, vec3 p)
{
    const double x2 = dot(w, w), x = sqrt(x2);
    const double c =
        x > 1e-2 ? (1 - 0.5 * x / tan(0.5 * x)) / x2 : 1.0 / 12 + x2 / 720 + x2 * x2 / 30240;
    const vec3 wp = cross(w, p);
    return add_scaled(add_scaled(p, wp, -0.5), cross(w, wp), c);
}

void joint_integrate(arne_joint_kind kind, const double *q, const double *v, double *out)
{
    double    h[4];
    const int at = KINDS[kind].info.quaternion;
    if (kind == ARNE_JOINT_PLANAR) {
        const vec3   step = exp_translation(v3(0, 0, v[2]), v3(v[0], v[1], 0));
        const double s = sin(q[2]), c = cos(q[2]);
        out[0] = q[0] + c * vx(step) - s * vy(step);
        out[1] = q[1] + s * vx(step) + c * vy(step);
        out[2] = q[2] + v[2];
        return;
    }
    if (at < 0) {
        for (int i = 0; i < KINDS[kind].info.q_count; i++)
            out[i] = q[i] + v[i];
        return;
    }
    const vec3 turn = v3(v[at], v[at + 1], v[at + 2]);
    if (kind == ARNE_JOINT_FREE) {
        const vec3 step = quaternion_turn(q + at, exp_translation(turn, v3(v[0], v[1], v[2])));
        out[0] = q[0] + vx(step);
        out[1] = q[1] + vy(step);
        out[2] = q[2] + vz(step);
    }
    quaternion_exp(turn, h);
    quaternion_mul(q + at, h, out + at);
    const double length = sqrt(out[at] * out[at] + out[at + 1] * out[at + 1] +
                               out[at + 2] * out[at + 2] + out[at + 3] * out[at + 3]);
    for (int i = 0; i < 4; i++)
        out[at + i] /= length;
}

void joint_difference(arne_joint_kind kind, const double *from, const double *to, double *v)
{
    const int at = KINDS[kind].info.quaternion;
    if (kind == ARNE_JOINT_PLANAR) {
        const double s = sin(from[2]), c = cos(from[2]), x = to[0] - from[0], y = to[1] - from[1];
        const vec3   step =
            log_translation(v3(0, 0, to[2] - from[2]), v3(c * x + s * y, c * y - s * x, 0));
        v[0] = vx(step);
        v[1] = vy(step);
        v[2] = to[2] - from[2];
        return;
    }
    if (at < 0) {
        for (int i = 0; i < KINDS[kind].info.q_count; i++)
            v[i] = to[i] - from[i];
        return;
    }
    const double back[4] = {-from[at], -from[at + 1], -from[at + 2], from[at + 3]};
    double       h[4];
    quaternion_mul(back, to + at, h);
    const vec3 turn = quaternion_log(h);
    if (kind == ARNE_JOINT_FREE) {
        const vec3 step = log_translation(
            turn, quaternion_turn(back, v3(to[0] - from[0], to[1] - from[1], to[2] - from[2])));
        v[0] = vx(step);
        v[1] = vy(step);
        v[2] = vz(step);
    }
    v[at] = vx(turn);
    v[at + 1] = vy(turn);
    v[at + 2] = vz(turn);
}

void joint_rate(arne_joint_kind kind, const double *q, const double *v, double *qdot)
{
    const int at = KINDS[kind].info.quaternion;
    if (kind == ARNE_JOINT_PLANAR) {
        const double s = sin(q[2]), c = cos(q[2]);
        qdot[0] = c * v[0] - s * v[1];
        qdot[1] = s * v[0] + c * v[1];
        qdot[2] = v[2];
        return;
    }
    if (at < 0) {
        for (int i = 0; i < KINDS[kind].info.q_count; i++)
            qdot[i] = v[i];
        return;
    }
    if (kind == ARNE_JOINT_FREE) {
        const vec3 p = quaternion_turn(q + at, v3(v[0], v[1], v[2]));
        qdot[0] = vx(p);
        qdot[1] = vy(p);
        qdot[2] = vz(p);
    }
    const double half[4] = {0.5 * v[at], 0.5 * v[at + 1], 0.5 * v[at + 2], 0};
    quaternion_mul(q + at, half, qdot + at);
}

// Turning by a quaternion has terms of second order in it at most: half the difference between both
// sides is the derivative itself.
void joint_rate_along(arne_joint_kind kind, const double *q, const double *v, const double *dq,
                      double *out)
{
    const int at = KINDS[kind].info.quaternion;
    for (int i = 0; i < KINDS[kind].info.q_count; i++)
        out[i] = 0;
    if (kind == ARNE_JOINT_PLANAR) {
        const double s = sin(q[2]), c = cos(q[2]);
        out[0] = -dq[2] * (s * v[0] + c * v[1]);
        out[1] = dq[2] * (c * v[0] - s * v[1]);
    }
    if (at < 0) return;
    const double half[4] = {0.5 * v[at], 0.5 * v[at + 1], 0.5 * v[at + 2], 0};
    quaternion_mul(dq + at, half, out + at);
    if (kind != ARNE_JOINT_FREE) return;
    double ahead[4], behind[4];
    for (int i = 0; i < 4; i++) {
        ahead[i] = q[at + i] + dq[at + i];
        behind[i] = q[at + i] - dq[at + i];
    }
    const vec3 p = v3(v[0], v[1], v[2]);
    const vec3 a = quaternion_turn(ahead, p), b = quaternion_turn(behind, p);
    out[0] = 0.5 * (vx(a) - vx(b));
    out[1] = 0.5 * (vy(a) - vy(b));
    out[2] = 0.5 * (vz(a) - vz(b));
}

// The series of dexp^-1 by Bernoulli numbers, for steps on the right: v + [u v]/2 + [u [u v]]/12 -
// ... It is cut behind the sixth power of u: steps of integrators are small, and the series
// converges within 2 pi.
void joint_step_rate(arne_joint_kind kind, const double *u, const double *v, double *rate)
{
    static const double COEFFICIENT[6] = {0.5, 1.0 / 12, 0, -1.0 / 720, 0, 1.0 / 30240};
    const int planar = kind == ARNE_JOINT_PLANAR, moves = planar || kind == ARNE_JOINT_FREE;
    const int at = planar ? 2 : KINDS[kind].info.quaternion;
    if (at < 0) {
        for (int i = 0; i < KINDS[kind].info.v_count; i++)
            rate[i] = v[i];
        return;
    }
    const vec3 turn = planar ? v3(0, 0, u[2]) : v3(u[at], u[at + 1], u[at + 2]);
    const vec3 move = moves ? v3(u[0], u[1], planar ? 0 : u[2]) : v3(0, 0, 0);
    vec3       ang = planar ? v3(0, 0, v[2]) : v3(v[at], v[at + 1], v[at + 2]);
    vec3       lin = moves ? v3(v[0], v[1], planar ? 0 : v[2]) : v3(0, 0, 0);
    vec3       ang_sum = ang, lin_sum = lin;
    for (int k = 0; k < 6; k++) { // the bracket with u once more
        lin = add(cross(turn, lin), cross(move, ang));
        ang = cross(turn, ang);
        lin_sum = add_scaled(lin_sum, lin, COEFFICIENT[k]);
        ang_sum = add_scaled(ang_sum, ang, COEFFICIENT[k]);
    }
    if (moves) {
        rate[0] = vx(lin_sum);
        rate[1] = vy(lin_sum);
    }
    if (kind == ARNE_JOINT_FREE) rate[2] = vz(lin_sum);
    if (!planar) {
        rate[at] = vx(ang_sum);
        rate[at + 1] = vy(ang_sum);
    }
    rate[planar ? 2 : at + 2] = vz(ang_sum);
}
