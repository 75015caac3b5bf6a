// Configurations and motions as MuJoCo has them, joint by joint.
//
// Free: qpos is the position and a quaternion w, x, y, z; qvel the velocity of the origin in the
// axes of the world, then the angular velocity in those of the body. With R the rotation of the
// body, v its velocity in body axes and w its angular velocity,
//     qvel = R v,   qacc = R (dv/dt + w x v).
// Joints that follow others have entries of their own in MuJoCo, but for those that move nothing:
// they stand for tendons.
#include "robot/joint.h"
#include <arne/configuration.h>

typedef struct turn {
    double R[3][3];
} turn;

static turn mujoco_turn_of(const double h[4]) // x, y, z, w
{
    const double n = h[0] * h[0] + h[1] * h[1] + h[2] * h[2] + h[3] * h[3], s = n > 0 ? 2 / n : 0;
    const double x = h[0], y = h[1], z = h[2], w = h[3];
    return (turn){{{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                   {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
                   {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}}};
}

static void turn_apply(const turn *t, const double a[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = t->R[i][0] * a[0] + t->R[i][1] * a[1] + t->R[i][2] * a[2];
}

static void mujoco_turn_back(const turn *t, const double a[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = t->R[0][i] * a[0] + t->R[1][i] * a[1] + t->R[2][i] * a[2];
}

static void turn_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void mujoco_copy(int count, const double *from, double *to)
{
    for (int i = 0; i < count; i++)
        to[i] = from[i];
}

// Where the entries of a joint are in qpos and in qvel, one joint after another.
typedef struct mujoco_place {
    int q, v;
} mujoco_place;

static void mujoco_next(const arne_joint_info *j, mujoco_place *at)
{
    at->q += j->q_count ? j->q_count : 1;
    at->v += j->v_count ? j->v_count : 1;
}

// It follows others, and what it moves has no mass.
static int is_tendon(const arne_robot *robot, int joint)
{
    const joint_record *j = &robot_joints(robot)[joint];
    if (j->info.v_count || robot_bodies(robot)[j->body].inertia.m != 0) return 0;
    for (int i = j->body + 1; i < robot->body_count; i++)
        if (robot_bodies(robot)[i].parent == j->body) return 0;
    return 1;
}

static void free_from(const double *h, const double *qvel, const double *qacc, double *qd,
                      double *qdd)
{
    const turn R = mujoco_turn_of(h);
    double     v[3], a[3], c[3];
    if (!qvel) return;
    mujoco_turn_back(&R, qvel, v);
    if (qd) mujoco_copy(3, v, qd);
    if (qd) mujoco_copy(3, qvel + 3, qd + 3);
    if (!qacc || !qdd) return;
    mujoco_turn_back(&R, qacc, a);
    turn_cross(qvel + 3, v, c);
    for (int i = 0; i < 3; i++)
        qdd[i] = a[i] - c[i];
    mujoco_copy(3, qacc + 3, qdd + 3);
}

static void free_to(const double *h, const double *qd, const double *qdd, double *qvel,
                    double *qacc)
{
    const turn R = mujoco_turn_of(h);
    double     c[3], a[3];
    if (!qd) return;
    if (qvel) turn_apply(&R, qd, qvel);
    if (qvel) mujoco_copy(3, qd + 3, qvel + 3);
    if (!qdd || !qacc) return;
    turn_cross(qd + 3, qd, c);
    for (int i = 0; i < 3; i++)
        a[i] = qdd[i] + c[i];
    turn_apply(&R, a, qacc);
    mujoco_copy(3, qdd + 3, qacc + 3);
}

// Offsets of a row that may be NULL.
static const double *mujoco_row(const double *x, int start) { return x ? x + start : NULL; }
static double       *row_out(double *x, int start) { return x ? x + start : NULL; }

void arne_from_mujoco(const arne_robot *robot, const double *qpos, const double *qvel,
                      const double *qacc, double *q, double *qd, double *qdd)
{
    mujoco_place at = {0, 0};
    for (int k = 0; k < robot->joint_count; k++) {
        if (is_tendon(robot, k)) continue;
        const arne_joint_info *j = &robot_joints(robot)[k].info;
        const int              h = arne_joint_kind_facts(j->kind)->quaternion;
        const double          *from = qpos + at.q;
        for (int i = 0; i < j->q_count; i++) // w, x, y, z becomes x, y, z, w
            q[j->q_start + i] = h >= 0 && i >= h ? from[h + (i - h + 1) % 4] : from[i];
        if (j->kind == ARNE_JOINT_FREE) {
            free_from(q + j->q_start + h, mujoco_row(qvel, at.v), mujoco_row(qacc, at.v),
                      row_out(qd, j->v_start), row_out(qdd, j->v_start));
        } else {
            if (qvel && qd) mujoco_copy(j->v_count, qvel + at.v, qd + j->v_start);
            if (qacc && qdd) mujoco_copy(j->v_count, qacc + at.v, qdd + j->v_start);
        }
        mujoco_next(j, &at);
    }
}

// Position, velocity and acceleration of a joint of one coordinate: its own (those that are NULL
// are 0), or what the joints it follows give it.
static void followed(const arne_robot *robot, int joint, const double *const x[3], double out[3])
{
    enum { MOST = 64 };
    const arne_joint_info *all = &robot_joints(robot)[joint].info;
    arne_term              terms[MOST];
    arne_follow            functions[MOST];
    const int              count = arne_joint_terms(robot, joint, terms, MOST);
    const int              curves = arne_joint_functions(robot, joint, functions, MOST);
    double                 u[3], other[3], d[5] = {0};
    for (int k = 0; k < 3; k++)
        out[k] = !all->v_count ? 0 : x[k] ? x[k][k ? all->v_start : all->q_start] : 0;
    if (!curves && count) out[0] = all->mimic_offset;
    for (int i = 0; i < count && i < MOST && !curves; i++) {
        followed(robot, terms[i].joint, x, u);
        for (int k = 0; k < 3; k++)
            out[k] += terms[i].ratio * u[k];
    }
    for (int i = 0; i < curves && i < MOST; i++) {
        const arne_follow *f = &functions[i];
        followed(robot, f->with, x, u);
        if (f->times >= 0) {
            followed(robot, f->times, x, other);
            out[0] += f->function.factor * u[0] * other[0];
            out[1] += f->function.factor * (u[1] * other[0] + u[0] * other[1]);
            out[2] +=
                f->function.factor * (u[2] * other[0] + 2 * u[1] * other[1] + u[0] * other[2]);
        } else if (!arne_function_at(&f->function, u[0], d, NULL)) {
            out[0] += d[0];
            out[1] += d[1] * u[1];
            out[2] += d[1] * u[2] + d[2] * u[1] * u[1];
        }
    }
}

void arne_to_mujoco(const arne_robot *robot, const double *q, const double *qd, const double *qdd,
                    double *qpos, double *qvel, double *qacc)
{
    mujoco_place at = {0, 0};
    for (int k = 0; k < robot->joint_count; k++) {
        if (is_tendon(robot, k)) continue;
        const arne_joint_info *j = &robot_joints(robot)[k].info;
        const int              h = arne_joint_kind_facts(j->kind)->quaternion;
        for (int i = 0; i < j->q_count; i++) // x, y, z, w becomes w, x, y, z
            qpos[at.q + i] = q[j->q_start + (h >= 0 && i >= h ? h + (i - h + 3) % 4 : i)];
        if (j->q_count == 0) {
            const double *const x[3] = {q, qd, qdd};
            double              own[3];
            followed(robot, k, x, own);
            qpos[at.q] = own[0];
            if (qd && qvel) qvel[at.v] = own[1];
            if (qdd && qacc) qacc[at.v] = own[2];
        } else if (j->kind == ARNE_JOINT_FREE) {
            free_to(q + j->q_start + h, mujoco_row(qd, j->v_start), mujoco_row(qdd, j->v_start),
                    row_out(qvel, at.v), row_out(qacc, at.v));
        } else {
            if (qd && qvel) mujoco_copy(j->v_count, qd + j->v_start, qvel + at.v);
            if (qdd && qacc) mujoco_copy(j->v_count, qdd + j->v_start, qacc + at.v);
        }
        mujoco_next(j, &at);
    }
}

void arne_mujoco_counts(const arne_robot *robot, int *nq, int *nv)
{
    mujoco_place at = {0, 0};
    for (int k = 0; k < robot->joint_count; k++)
        if (!is_tendon(robot, k)) mujoco_next(&robot_joints(robot)[k].info, &at);
    *nq = at.q;
    *nv = at.v;
}
