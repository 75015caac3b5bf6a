// From one configuration to another: a distance along a direction for every part, and a time law
// for the distance.
//
// numbers: unit directions, q_count: of plain coordinates together, and of a rotation (a unit
// vector in the first three entries of the quaternion's place).
#include "motion/trajectory.h"

#include "base/error.h"
#include "math/rotation.h"
#include <arne/configuration.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A planar joint's turn has a law of its own, as a rotation has.
static int is_turn(const part *p, int q) { return part_is_planar(p) && q == p->q_start + 2; }

static void line_coordinate(const arne_trajectory *path, const moment *m, int index, int q,
                            double out[ORDERS])
{
    const part *p = &path->parts[index];
    profile_at(&path->profiles[2 * index + is_turn(p, q)], m->t, out);
    for (int k = 0; k < ORDERS; k++)
        out[k] *= path->numbers[q];
    out[0] += path->from[q];
}

static turning line_rotation(const arne_trajectory *path, const moment *m, int index)
{
    const part   *p = &path->parts[index];
    const int     at = p->q_start + part_quaternion(p);
    const double *d = path->numbers + at;
    turning       r = turning_at(path->from + at);
    double        b[ORDERS];
    profile_at(&path->profiles[2 * index + 1], m->t, b);
    turning_add(&r, v3(d[0], d[1], d[2]), b);
    return r;
}

static const way LINE = {NULL, line_coordinate, line_rotation};

// The smallest of some entries; `otherwise` where there is no list.
static double point_to_point_least(const double *list, int at, int count, double otherwise)
{
    double found = list ? list[at] : otherwise;
    for (int i = 1; i < count && list; i++)
        found = fmin(found, list[at + i]);
    return found;
}

typedef struct request {
    const arne_robot         *robot;
    arne_profile              profile;
    double                    duration;
    const arne_motion_limits *limits;
    arne_error               *error;
} request;

// The law of a distance that entries v_start ... of the velocity limit.
static arne_status make_law(const request *r, const part *p, int v_start, int v_count,
                            double distance, profile *out)
{
    if (r->profile < ARNE_PROFILE_TRAPEZOIDAL) {
        *out = profile_polynomial(r->profile, distance, r->duration);
        return ARNE_OK;
    }
    const arne_joint_info joint = p->joint < 0 ? (arne_joint_info){.velocity = INFINITY}
                                               : arne_robot_joint(r->robot, p->joint);
    const double v = point_to_point_least(r->limits->velocity, v_start, v_count, joint.velocity);
    const double a = point_to_point_least(r->limits->acceleration, v_start, v_count, INFINITY);
    const double j = point_to_point_least(r->limits->jerk, v_start, v_count, INFINITY);
    const int    curve = r->profile == ARNE_PROFILE_S_CURVE;
    const char  *name = p->joint < 0 ? "a motor" : joint.name;
    if (!(v > 0))
        return arne_fail(r->error, ARNE_VALUE, NULL, 0,
                         "joint '%s': the velocity limit is %g; it must be above 0", name, v);
    if (!(a > 0) || (!curve && !isfinite(a)))
        return arne_fail(r->error, ARNE_VALUE, NULL, 0,
                         "joint '%s': the acceleration limit is %g; this profile needs one above 0",
                         name, a);
    if (curve && !(j > 0 && isfinite(j)))
        return arne_fail(r->error, ARNE_VALUE, NULL, 0,
                         "joint '%s': the jerk limit is %g; this profile needs one above 0", name,
                         j);
    *out = profile_fastest(r->profile, distance, v, a, j);
    return ARNE_OK;
}

// Direction and distance of the plain coordinates of a part that go together.
static double point_to_point_aim(arne_trajectory *path, const double *to, int q, int count)
{
    double squares = 0;
    for (int i = 0; i < count; i++) {
        path->numbers[q + i] = to[q + i] - path->from[q + i];
        squares += path->numbers[q + i] * path->numbers[q + i];
    }
    const double distance = count == 1 ? fabs(path->numbers[q]) : sqrt(squares);
    for (int i = 0; i < count && distance > 0; i++)
        path->numbers[q + i] /= distance;
    return distance;
}

static double aim_rotation(arne_trajectory *path, const double *to, int q)
{
    const double *h = path->from + q, back[4] = {-h[0], -h[1], -h[2], h[3]};
    double        turn[4];
    quaternion_mul(back, to + q, turn);
    const vec3   d = quaternion_log(turn);
    const double angle = sqrt(dot(d, d));
    const vec3   axis = angle > 0 ? scale(d, 1 / angle) : v3(0, 0, 1);
    path->numbers[q] = vx(axis);
    path->numbers[q + 1] = vy(axis);
    path->numbers[q + 2] = vz(axis);
    return angle;
}

static arne_status aim_part(const request *r, arne_trajectory *path, const double *to, int index)
{
    const part *p = &path->parts[index];
    profile    *law = &path->profiles[2 * index];
    const int   turn = part_quaternion(p), plain = part_is_planar(p) ? 2 : part_plain(p);
    arne_status status = ARNE_OK;
    if (plain)
        status = make_law(r, p, p->v_start, plain, point_to_point_aim(path, to, p->q_start, plain),
                          &law[0]);
    if (status) return status;
    if (part_is_planar(p))
        return make_law(r, p, p->v_start + 2, 1, point_to_point_aim(path, to, p->q_start + 2, 1),
                        &law[1]);
    if (turn < 0) return ARNE_OK;
    return make_law(r, p, p->v_start + turn, 3, aim_rotation(path, to, p->q_start + turn), &law[1]);
}

// All parts take as long as the slowest.
static void synchronise(arne_trajectory *path, double duration)
{
    for (int i = 0; i < 2 * path->part_count; i++)
        duration = fmax(duration, path->profiles[i].duration);
    for (int i = 0; i < 2 * path->part_count; i++)
        profile_stretch(&path->profiles[i], duration);
    path->duration = duration;
}

static arne_status point_to_point_check(const request *r, const double *from, const double *to)
{
    const int timed = r->profile < ARNE_PROFILE_TRAPEZOIDAL;
    if (r->profile < 0 || r->profile >= ARNE_PROFILE_COUNT)
        return arne_fail(r->error, ARNE_VALUE, NULL, 0, "there is no profile %d", (int)r->profile);
    if (!isfinite(r->duration) || r->duration < 0 || (timed && r->duration == 0))
        return arne_fail(r->error, ARNE_VALUE, NULL, 0, "the duration is %g s; it must be above 0",
                         r->duration);
    if (!timed && !r->limits)
        return arne_fail(r->error, ARNE_NULL_ARGUMENT, NULL, 0, "this profile needs limits");
    const arne_status status = trajectory_check_point(r->robot, from, "from", r->error);
    return status ? status : trajectory_check_point(r->robot, to, "to", r->error);
}

arne_status arne_trajectory_point_to_point(const arne_robot *robot, arne_profile kind,
                                           const double *from, const double *to, double duration,
                                           const arne_motion_limits *limits, arne_trajectory **out,
                                           arne_error *error)
{
    arne_error_clear(error);
    if (!out || !robot || !from || !to)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "out, robot, from or to is NULL");
    *out = NULL;
    const request    r = {robot, kind, duration, limits, error};
    arne_trajectory *path;
    arne_status      status = point_to_point_check(&r, from, to);
    if (status) return status;
    const int q_count = arne_robot_sizes(robot).q_count;
    status = trajectory_new(robot, &LINE, from, (size_t)q_count, &path, error);
    if (status) return status;
    path->profiles = calloc(2 * (size_t)path->part_count + 1, sizeof *path->profiles);
    if (!path->profiles) status = arne_fail_memory(error);
    for (int i = 0; i < path->part_count && !status; i++)
        status = aim_part(&r, path, to, i);
    if (status) {
        arne_trajectory_free(path);
        return status;
    }
    synchronise(path, duration);
    *out = path;
    return ARNE_OK;
}
