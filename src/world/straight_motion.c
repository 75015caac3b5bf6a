// The velocity of a free or planar joint has numbers in body axes, which turn with the body. Steps
// that take these numbers as constant go round in arcs: a ball that rolls would leave the ground
// and come back. Here the turn is exact:
//     p+ = p + t R v,   R+ = R exp(t w),   numbers of v after it: exp(-t w) v,   dv/dt in space:
//     qdd + w x v
#include "world/straight_motion.h"
#include "world/world.h"
#include <arne/integrate.h>
#include <string.h>

static int is_turning(const arne_joint_info *j)
{
    const arne_joint_kind_info *kind = arne_joint_kind_facts(j->kind);
    return kind->has_body_axes && kind->v[0] == ARNE_COORDINATE_LENGTH && j->v_count > 0;
}

// Of those that turn: free in space, or in a plane.
static int is_spatial(const arne_joint_info *j)
{
    return arne_joint_kind_facts(j->kind)->quaternion >= 0;
}

static arne_vec3 linear(const arne_joint_info *j, const double *v)
{
    const double *x = v + j->v_start;
    return vec_of(x[0], x[1], is_spatial(j) ? x[2] : 0);
}

static arne_vec3 angular(const arne_joint_info *j, const double *v)
{
    const double *x = v + j->v_start;
    return is_spatial(j) ? vec_of(x[3], x[4], x[5]) : vec_of(0, 0, x[2]);
}

static void put_linear(const arne_joint_info *j, arne_vec3 a, double *v)
{
    double *x = v + j->v_start;
    x[0] = a.x;
    x[1] = a.y;
    if (is_spatial(j)) x[2] = a.z;
}

// exp(w) a
static arne_vec3 straight_turn(arne_vec3 w, arne_vec3 a)
{
    const double    angle = vec_length(w), s = angle > 1e-8 ? sin(angle) / angle : 1;
    const double    c = angle > 1e-4 ? (1 - cos(angle)) / (angle * angle) : 0.5;
    const arne_vec3 wa = vec_cross(w, a);
    return vec_add(vec_add(a, wa, s), vec_cross(w, wa), c);
}

// h a h^-1 of a unit quaternion x, y, z, w.
static arne_vec3 turn_by(const double *h, arne_vec3 a)
{
    const arne_vec3 v = vec_of(h[0], h[1], h[2]), t = vec_scale(vec_cross(v, a), 2);
    return vec_add(vec_add(a, t, h[3]), vec_cross(v, t), 1);
}

// Where the joint's origin goes.
static void put_place(const arne_joint_info *j, const double *x, arne_vec3 u, double t, double *to)
{
    const arne_vec3 d = is_spatial(j) ? turn_by(x + 3, u)
                                      : vec_of(cos(x[2]) * u.x - sin(x[2]) * u.y,
                                               sin(x[2]) * u.x + cos(x[2]) * u.y, 0);
    to[0] = x[0] + t * d.x;
    to[1] = x[1] + t * d.y;
    if (is_spatial(j)) to[2] = x[2] + t * d.z;
}

// The linear part of a step that turns by nothing keeps places; they are put after it.
void straight_move(const arne_robot *robot, const double *q, const double *v, double t,
                   double *step, double *out)
{
    for (int i = 0; i < robot->v_count; i++)
        step[i] = t * v[i];
    for (int j = 0; j < robot->joint_count; j++) {
        const arne_joint_info *info = &robot_joints(robot)[j].info;
        if (is_turning(info)) put_linear(info, vec_of(0, 0, 0), step);
    }
    if (out != q) memcpy(out, q, (size_t)robot->q_count * sizeof *out);
    for (int j = 0; j < robot->joint_count; j++) {
        const arne_joint_info *info = &robot_joints(robot)[j].info;
        if (is_turning(info))
            put_place(info, out + info->q_start, linear(info, v), t, out + info->q_start);
    }
    arne_integrate(robot, out, step, out);
}

void straight_carry(const arne_robot *robot, double t, double *v)
{
    for (int j = 0; j < robot->joint_count; j++) {
        const arne_joint_info *info = &robot_joints(robot)[j].info;
        if (is_turning(info))
            put_linear(info, straight_turn(vec_scale(angular(info, v), -t), linear(info, v)), v);
    }
}

void straight_rates(const arne_robot *robot, const double *v, double *qdd)
{
    for (int j = 0; j < robot->joint_count; j++) {
        const arne_joint_info *info = &robot_joints(robot)[j].info;
        if (!is_turning(info)) continue;
        const arne_vec3 turns = vec_cross(angular(info, v), linear(info, v));
        put_linear(info, vec_add(linear(info, qdd), turns, 1), qdd);
    }
}
