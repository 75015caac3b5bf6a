// Air and water.
//
//     propeller   thrust k w |w| along the axis of the joint that carries the link, drag torque -d
//                 w |w| about it, at the joint's speed w; a left-handed one thrusts the other way
//     thruster    a force along an axis, between two times
//     wing        a flat plate of area A with normal n: at an angle of attack a lift 2 sin a cos a
//                 and drag 2 sin^2 a (times rho v^2 A / 2) are together one force along its normal,
//                 -rho A |v| (v . n) n, v against the air
//     buoyancy    -rho V g at the centre of the displaced volume: the body is under water as a
//                 whole
//     fluid       drag of the box with sides s of the link's mass and inertia, in its principal
//                 axes at its centre, v and w against the fluid, d the mean side (MuJoCo):
//                 force  -3 pi d mu v_i - rho s_j s_k |v_i| v_i / 2
//                 moment -pi d^3 mu w_i - rho s_i (s_j^4 + s_k^4) |w_i| w_i / 64
//     added mass  water that is moved along has the momentum h = A v, v the twist of the frame in
//                 its own axes (Kirchhoff). The wrench on the body is -(A dv/dt + v x* A v):
//                 inertia that has no weight.
//
// With added mass the equations are (M + sum of J^T A J) qdd + bias + sum of J^T (A b + v x* A v) =
// tau, J of each frame in its own axes, b the rate of its twist v without qdd (of a prescribed
// base, too). They are solved by that matrix, not by recursion.
#include "simulate/medium.h"
#include "base/error.h"
#include "io/principal_axes.h"
#include "math/dense.h"
#include "math/vectors.h"
#include "simulate/plant.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static arne_vec3 medium_unit(arne_vec3 a)
{
    const double length = sqrt(dot3(a, a));
    return length > 0 ? scale3(a, 1 / length) : (arne_vec3){0, 0, 1};
}

static arne_wrench at_point(arne_vec3 point, arne_vec3 f)
{
    return (arne_wrench){f, cross3(point, f)};
}

// ---- wrenches

// The joint of one coordinate that carries a link; -1 where there is none.
static int medium_joint_of(const arne_robot *robot, int link)
{
    const int count = arne_robot_sizes(robot).joint_count;
    for (int i = 0; i < count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (j.child == link && j.v_count == 1) return i;
    }
    return -1;
}

static arne_wrench propeller(const arne_robot *robot, const arne_surrounding *s, const double *qd)
{
    const int             joint = medium_joint_of(robot, s->frame);
    const arne_joint_info j = arne_robot_joint(robot, joint);
    const double          w = qd[j.v_start], square = w * fabs(w);
    return (arne_wrench){scale3(j.axis, (s->left_handed ? -1 : 1) * s->thrust * square),
                         scale3(j.axis, -s->drag_torque * square)};
}

static arne_wrench wing(const arne_surrounding *s, const arne_pose *X, const arne_motion *v)
{
    const arne_vec3 n = medium_unit(s->normal);
    const arne_vec3 wind = into3(&X->R, s->wind);
    const arne_vec3 moves = add3(add3(v->lin, cross3(v->ang, s->point)), scale3(wind, -1));
    const double    speed = sqrt(dot3(moves, moves));
    return at_point(s->point, scale3(n, -s->density * s->area * speed * dot3(moves, n)));
}

static arne_wrench buoyancy(const arne_robot *robot, const arne_surrounding *s, const arne_pose *X)
{
    const arne_vec3 g = arne_robot_gravity(robot);
    return at_point(s->point, into3(&X->R, scale3(g, -s->density * s->volume)));
}

static arne_wrench fluid(const arne_robot *robot, const arne_surrounding *s, const arne_pose *X,
                         const arne_motion *v)
{
    const arne_frame_info f = arne_robot_frame(robot, s->frame);
    const double         *J = f.inertia, pi = 3.14159265358979323846;
    const arne_mat3       full = {{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}};
    const arne_vec3       moves =
        add3(add3(v->lin, cross3(v->ang, f.com)), scale3(into3(&X->R, s->wind), -1));
    arne_mat3   V;
    arne_wrench out = {{0, 0, 0}, {0, 0, 0}};
    principal_axes(&full, 1e-15 * (J[0] + J[1] + J[2]), 0, &V);
    const arne_vec3 *axis[3] = {&V.x, &V.y, &V.z};
    double           moment[3], side[3];
    for (int i = 0; i < 3; i++) // the columns of a symmetric matrix are its rows
        moment[i] = dot3(*axis[i], into3(&full, *axis[i]));
    const double sum = moment[0] + moment[1] + moment[2];
    for (int i = 0; i < 3; i++)
        side[i] = sqrt(fmax(1e-15, 6 * (sum - 2 * moment[i]) / f.mass));
    const double d = (side[0] + side[1] + side[2]) / 3;
    for (int i = 0; i < 3; i++) {
        const double a = side[i], b = side[(i + 1) % 3], c = side[(i + 2) % 3];
        const double lin = dot3(*axis[i], moves), ang = dot3(*axis[i], v->ang);
        const double force =
            -(3 * pi * d * s->viscosity + s->density * b * c * fabs(lin) / 2) * lin;
        const double turn = -(pi * d * d * d * s->viscosity +
                              s->density * a * (b * b * b * b + c * c * c * c) * fabs(ang) / 64) *
                            ang;
        out.lin = add3(out.lin, scale3(*axis[i], force));
        out.ang = add3(out.ang, scale3(*axis[i], turn));
    }
    out.ang = add3(out.ang, cross3(f.com, out.lin));
    return out;
}

arne_wrench medium_wrench(const arne_robot *robot, const arne_surrounding *s, double time,
                          const arne_pose *X, const arne_motion *v, const double *qd)
{
    const arne_wrench none = {{0, 0, 0}, {0, 0, 0}};
    switch (s->kind) {
    case ARNE_SURROUNDING_PROPELLER:
        return propeller(robot, s, qd);
    case ARNE_SURROUNDING_THRUSTER:
        return time >= s->start && time < s->start + s->duration
                   ? at_point(s->point, scale3(medium_unit(s->normal), s->force))
                   : none;
    case ARNE_SURROUNDING_WING:
        return wing(s, X, v);
    case ARNE_SURROUNDING_BUOYANCY:
        return buoyancy(robot, s, X);
    case ARNE_SURROUNDING_FLUID:
        return fluid(robot, s, X, v);
    default:
        return none;
    }
}

static int is_symmetric_positive(const double *A)
{
    double L[36];
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) {
            const double apart = fabs(A[i * 6 + k] - A[k * 6 + i]);
            if (!isfinite(A[i * 6 + k]) || apart > 1e-9 * (fabs(A[i * 7]) + fabs(A[k * 7])))
                return 0;
            L[i * 6 + k] = A[i * 6 + k];
        }
    double trace = 0;
    for (int i = 0; i < 6; i++)
        trace += L[i * 7];
    for (int i = 0; i < 6; i++)
        L[i * 7] += 1e-9 * trace; // zeros on the diagonal are fine
    return trace == 0 || dense_factor(6, L, 0);
}

arne_status medium_check(const arne_robot *robot, const arne_surrounding *s, arne_error *error)
{
    if (s->kind == ARNE_SURROUNDING_PROPELLER && medium_joint_of(robot, s->frame) < 0)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "a propeller is a link that a joint of one coordinate turns; '%s' is none",
                         arne_robot_frame(robot, s->frame).name);
    if (s->kind == ARNE_SURROUNDING_FLUID && !(arne_robot_frame(robot, s->frame).mass > 0))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "the drag of a fluid is that of a link with mass; '%s' is none",
                         arne_robot_frame(robot, s->frame).name);
    if (s->kind == ARNE_SURROUNDING_ADDED_MASS && !is_symmetric_positive(s->added))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "the added mass of '%s' must be symmetric, and none of its parts negative",
                         arne_robot_frame(robot, s->frame).name);
    return ARNE_OK;
}

// ---- added mass

struct added_mass {
    const arne_simulation_spec *sim;
    int                         nv;
    double                     *block, *M, *J, *zero, *bias, *right;
    arne_wrench                *pushed; // of every body, with what the water does
};

static int has_added(const arne_simulation_spec *sim)
{
    for (int i = 0; i < sim->surrounding_count; i++)
        if (sim->surroundings[i].kind == ARNE_SURROUNDING_ADDED_MASS) return 1;
    return 0;
}

arne_status added_mass_new(const arne_simulation_spec *sim, int sticks, added_mass **out,
                           arne_error *error)
{
    const size_t n = (size_t)arne_robot_sizes(sim->robot).v_count;
    *out = NULL;
    if (!has_added(sim)) return ARNE_OK;
    if (plant_is_rigid(sim))
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "added mass is not available with rigid contact: take model: compliant");
    if (arne_robot_sizes(sim->robot).loop_count || sticks)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         sticks
                             ? "added mass is not available for joints whose friction sticks: take "
                               "friction: smooth or none"
                             : "added mass is not available for robots with loops");
    added_mass  *m = calloc(1, sizeof *m);
    const size_t bodies = (size_t)arne_robot_sizes(sim->robot).body_count;
    double      *block = calloc(n * n + 9 * n + 1, sizeof(double));
    arne_wrench *pushed = calloc(bodies, sizeof *pushed);
    if (!m || !block || !pushed) {
        free(m);
        free(block);
        free(pushed);
        return arne_fail_memory(error);
    }
    *m = (added_mass){sim,
                      (int)n,
                      block,
                      block,
                      block + n * n,
                      block + n * n + 6 * n,
                      block + n * n + 7 * n,
                      block + n * n + 8 * n,
                      pushed};
    *out = m;
    return ARNE_OK;
}

void added_mass_free(added_mass *m)
{
    if (!m) return;
    free(m->block);
    free(m->pushed);
    free(m);
}

static void medium_multiply(const double A[36], const double x[6], double y[6])
{
    for (int i = 0; i < 6; i++) {
        y[i] = 0;
        for (int k = 0; k < 6; k++)
            y[i] += A[i * 6 + k] * x[k];
    }
}

// v x* A v
static void gyroscopic(const double A[36], const double v[6], double out[6])
{
    double h[6];
    medium_multiply(A, v, h);
    const arne_vec3 lin = {v[0], v[1], v[2]}, ang = {v[3], v[4], v[5]};
    const arne_vec3 p = {h[0], h[1], h[2]}, spin = {h[3], h[4], h[5]};
    const arne_vec3 force = cross3(ang, p), moment = add3(cross3(ang, spin), cross3(lin, p));
    const double    all[6] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
    memcpy(out, all, sizeof all);
}

static void six_of(arne_motion m, double out[6])
{
    const double all[6] = {m.lin.x, m.lin.y, m.lin.z, m.ang.x, m.ang.y, m.ang.z};
    memcpy(out, all, sizeof all);
}

// The wrench A dv/dt + v x* A v that moves the water along, with the base's motion and these
// accelerations; and the twist and the part A dv/dt alone.
static void moving_water(const added_mass *m, arne_work *work, const arne_surrounding *s,
                         const double *q, const double *qd, const double *qdd, double v[6],
                         double inertial[6], double wrench[6])
{
    const arne_robot *robot = m->sim->robot;
    double            a[6];
    arne_kinematics(robot, work, q, qd, qdd);
    six_of(arne_frame_velocity(robot, work, s->frame, ARNE_AXES_BODY), v);
    six_of(
        arne_frame_acceleration(robot, work, s->frame, ARNE_AXES_BODY, ARNE_ACCELERATION_SPATIAL),
        a);
    medium_multiply(s->added, a, inertial);
    gyroscopic(s->added, v, wrench);
    for (int i = 0; i < 6; i++)
        wrench[i] += inertial[i];
}

// M and bias gain what one body moves of the water.
static void medium_add_body(added_mass *m, arne_work *work, const arne_surrounding *s,
                            const double *q, const double *qd)
{
    const int nv = m->nv;
    double    v[6], inertial[6], wrench[6];
    moving_water(m, work, s, q, qd, m->zero, v, inertial, wrench);
    arne_jacobian(m->sim->robot, work, q, s->frame, ARNE_AXES_BODY, m->J);
    for (int k = 0; k < nv; k++) {
        double column[6], moved[6];
        for (int i = 0; i < 6; i++) {
            column[i] = m->J[i * nv + k];
            m->bias[k] += column[i] * wrench[i];
        }
        medium_multiply(s->added, column, moved);
        for (int j = 0; j < nv; j++)
            for (int i = 0; i < 6; i++)
                m->M[j * nv + k] += m->J[i * nv + j] * moved[i];
    }
}

// -v . A dv/dt of all bodies: what is left of the power of the water's force. Adds that force to
// what pushes the bodies.
static double push_bodies(added_mass *m, arne_work *work, const double *q, const double *qd,
                          const double *qdd)
{
    double power = 0;
    for (int b = 0; b < m->sim->surrounding_count; b++) {
        const arne_surrounding *s = &m->sim->surroundings[b];
        double                  v[6], inertial[6], f[6];
        if (s->kind != ARNE_SURROUNDING_ADDED_MASS) continue;
        moving_water(m, work, s, q, qd, qdd, v, inertial, f);
        for (int i = 0; i < 6; i++)
            power -= v[i] * inertial[i];
        const arne_wrench water = {{-f[0], -f[1], -f[2]}, {-f[3], -f[4], -f[5]}};
        arne_add_wrench(m->sim->robot, s->frame, &water, m->pushed);
    }
    return power;
}

arne_status added_mass_solve(added_mass *m, arne_work *work, const double *q, const double *qd,
                             const arne_wrench *f_ext, int found, double *tau, double *qdd,
                             double *power, arne_error *error)
{
    const arne_robot *robot = m->sim->robot;
    const int         nv = m->nv;
    arne_bias(robot, work, q, qd, f_ext, m->bias);
    arne_mass_matrix(robot, work, q, m->M);
    for (int b = 0; b < m->sim->surrounding_count; b++) {
        const arne_surrounding *s = &m->sim->surroundings[b];
        if (s->kind != ARNE_SURROUNDING_ADDED_MASS) continue;
        medium_add_body(m, work, s, q, qd);
    }
    for (int i = 0; i < nv; i++) {
        m->right[i] = (i < found ? tau[i] : 0) - m->bias[i];
        for (int k = found; k < nv; k++)
            m->right[i] -= m->M[i * nv + k] * qdd[k];
    }
    double *square = m->J; // the leading part of M, of its own width
    if (found < nv && found > 0) {
        for (int i = 0; i < found; i++)
            for (int k = 0; k < found; k++)
                square[i * found + k] = m->M[i * nv + k];
    } else {
        square = m->M;
    }
    if (found > 0 && !dense_factor(found, square, 1e-14))
        return arne_fail(error, ARNE_SINGULAR, NULL, 0,
                         "the mass matrix with added mass is singular");
    memcpy(qdd, m->right, (size_t)found * sizeof *qdd);
    if (found > 0) dense_solve(found, square, qdd);
    for (int i = found; i < nv; i++) {
        tau[i] = -m->right[i];
        for (int k = 0; k < found; k++)
            tau[i] += m->M[i * nv + k] * qdd[k];
    }
    memcpy(m->pushed, f_ext, (size_t)arne_robot_sizes(robot).body_count * sizeof *f_ext);
    *power = push_bodies(m, work, q, qd, qdd);
    arne_inverse_dynamics(robot, work, q, qd, qdd, m->pushed, m->bias); // for what joints transmit
    return ARNE_OK;
}
