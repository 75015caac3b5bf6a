// Flight on propellers, such as a quadrotor's: Lee, Leok and McClamroch 2010.
//
// The wanted force is F = m (a_ref + kp e + kd de - g); the body is to turn its z along F, and as
// the reference says about z. The moment is I (kR e_R - kw w) + w x I w with the rotation vector
// e_R that is left. Thrust F . z and moment are shared among the propellers with the least sum of
// squares of w |w|. Each motor is of first order: its torque makes the speed go to what is wanted
// with a time constant T, dw/dt = (w_wanted - w) / T.
#include "simulate/controllers/controller.h"

#include "base/error.h"
#include "math/dense.h"
#include "math/lower.h"
#include "math/rotation.h"
#include <arne/configuration.h>
#include <arne/dynamics.h>
#include <arne/kinematics.h>
#include <arne/simulate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct rotor {
    int    v; // its velocity
    double drag;
    double effect[4]; // on force along z and the three moments, by w |w|
} rotor;

typedef struct flight {
    arne_flight_gains gains;
    double            mass;
    double            share[16]; // factor of B B^T
    double           *M;
    int               count;
    rotor             rotors[];
} flight;

static vec3 from3(const double *x) { return v3(x[0], x[1], x[2]); }

static mat3 flight_turn_of(const double *h)
{
    return m3(quaternion_turn(h, v3(1, 0, 0)), quaternion_turn(h, v3(0, 1, 0)),
              quaternion_turn(h, v3(0, 0, 1)));
}

// The attitude whose z is along f, turned about it as the reference's x says.
static mat3 attitude(vec3 f, const mat3 *reference)
{
    const vec3 z = scale(f, 1 / sqrt(dot(f, f)));
    const vec3 side = cross(z, reference->x);
    const vec3 y = scale(side, 1 / sqrt(fmax(dot(side, side), 1e-12)));
    return m3(cross(y, z), y, z);
}

static mat3 relative(const mat3 *from, const mat3 *to)
{
    const mat3 T = transpose(*from);
    return m3(rot(T, to->x), rot(T, to->y), rot(T, to->z));
}

static arne_status flight_torques(arne_controller *c, const arne_control_input *in, double *tau,
                                  arne_error *error)
{
    flight       *f = c->own;
    const double *q = in->q, *qd = in->qd, zero[6] = {0};
    const double *qd_ref = in->qd_ref ? in->qd_ref : zero,
                 *qdd_ref = in->qdd_ref ? in->qdd_ref : zero;
    const arne_vec3 g = arne_robot_gravity(c->robot);
    const mat3      R = flight_turn_of(q + 3), R_ref = flight_turn_of(in->q_ref + 3);
    const vec3      v = rot(R, from3(qd)), v_ref = rot(R_ref, from3(qd_ref)), w = from3(qd + 3);
    const vec3 a_ref = rot(R_ref, add(from3(qdd_ref), cross(from3(qd_ref + 3), from3(qd_ref))));
    const vec3 e = sub(from3(in->q_ref), from3(q));
    vec3       F = sub(a_ref, lift(g));
    int        nv = c->size.v_count;
    (void)error;
    F = add(F, add(scale(e, f->gains.position[0]), scale(sub(v_ref, v), f->gains.position[1])));
    F = scale(F, f->mass);
    if (!(dot(F, F) > 1e-12)) F = scale(R.z, 1e-3);
    const mat3 R_d = attitude(F, &R_ref), apart = relative(&R, &R_d);
    const vec3 turn = rotation_log(apart);
    arne_mass_matrix(c->robot, c->work, q, f->M);
    double          u[4] = {fmax(dot(F, R.z), 0), 0, 0, 0}, wish[3], spin[3], Iw[3] = {0};
    const arne_vec3 t = lower(turn), rate = lower(w);
    spin[0] = rate.x, spin[1] = rate.y, spin[2] = rate.z;
    wish[0] = f->gains.attitude[0] * t.x - f->gains.attitude[1] * rate.x;
    wish[1] = f->gains.attitude[0] * t.y - f->gains.attitude[1] * rate.y;
    wish[2] = f->gains.attitude[0] * t.z - f->gains.attitude[1] * rate.z;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            u[1 + i] += f->M[(3 + i) * nv + 3 + k] * wish[k];
            Iw[i] += f->M[(3 + i) * nv + 3 + k] * spin[k];
        }
    const arne_vec3 gyro = lower(cross(w, v3(Iw[0], Iw[1], Iw[2])));
    u[1] += gyro.x, u[2] += gyro.y, u[3] += gyro.z;
    dense_solve(4, f->share, u);
    memset(tau, 0, (size_t)nv * sizeof *tau);
    for (int i = 0; i < f->count; i++) {
        const rotor *r = &f->rotors[i];
        double       square = 0;
        for (int k = 0; k < 4; k++)
            square += r->effect[k] * u[k];
        const double wanted = (square < 0 ? -1 : 1) * sqrt(fabs(square)), now = qd[r->v];
        tau[r->v] = f->M[r->v * (nv + 1)] * (wanted - now) / f->gains.time_constant +
                    r->drag * now * fabs(now);
    }
    return ARNE_OK;
}

static void flight_release(arne_controller *c)
{
    flight *f = c->own;
    if (f) free(f->M);
    free(f);
}

// What w |w| of a propeller does to the body, seen in the base's frame at the neutral
// configuration.
static void flight_place_rotor(arne_controller *c, const arne_surrounding *s, rotor *r)
{
    const int count = c->size.joint_count;
    for (int i = 0; i < count; i++) {
        const arne_joint_info j = arne_robot_joint(c->robot, i);
        if (j.child != s->frame) continue;
        const pose      X = pose_lift(arne_frame_pose(c->robot, c->work, s->frame));
        const vec3      axis = rot(X.R, lift(j.axis));
        const vec3      f = scale(axis, (s->left_handed ? -1 : 1) * s->thrust);
        const arne_vec3 moment = lower(sub(cross(X.p, f), scale(axis, s->drag_torque)));
        r->v = j.v_start;
        r->drag = s->drag_torque;
        r->effect[0] = vz(f);
        r->effect[1] = moment.x, r->effect[2] = moment.y, r->effect[3] = moment.z;
    }
}

static arne_status flight_prepare(arne_controller *c, flight *f,
                                  const arne_surrounding *surroundings, int count,
                                  arne_error *error)
{
    double *q = calloc((size_t)c->size.q_count + 1, sizeof *q);
    f->M = calloc((size_t)c->size.v_count * (size_t)c->size.v_count + 1, sizeof *f->M);
    if (!q || !f->M) {
        free(q);
        return arne_fail_memory(error);
    }
    arne_neutral(c->robot, q);
    arne_kinematics(c->robot, c->work, q, NULL, NULL);
    free(q);
    for (int i = 0; i < count; i++)
        if (surroundings[i].kind == ARNE_SURROUNDING_PROPELLER)
            flight_place_rotor(c, &surroundings[i], &f->rotors[f->count++]);
    f->mass = arne_total_mass(c->robot);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            for (int r = 0; r < f->count; r++)
                f->share[i * 4 + k] += f->rotors[r].effect[i] * f->rotors[r].effect[k];
    if (f->count < 4 || !dense_factor(4, f->share, 1e-12))
        return arne_fail(
            error, ARNE_VALUE, NULL, 0,
            "flight needs four propellers or more, which together can lift and turn the "
            "body every way");
    return ARNE_OK;
}

arne_status arne_controller_flight(const arne_robot *robot, const arne_surrounding *surroundings,
                                   int count, const arne_flight_gains *gains, arne_controller **out,
                                   arne_error *error)
{
    static const controller_law law = {
        .name = "flight", .torques = flight_torques, .release = flight_release};
    if (!robot || !gains || !out || (count > 0 && !surroundings))
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    if (arne_robot_base(robot) != ARNE_BASE_FREE)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "flight needs a robot with a free base");
    if (!(gains->time_constant > 0))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "the time constant of motors must be positive");
    arne_status status = controller_new(robot, &law, 0, out, error);
    if (status) return status;
    flight *f = calloc(1, sizeof *f + (size_t)(count + 1) * sizeof(rotor));
    (*out)->own = f;
    if (f) f->gains = *gains;
    status = f ? flight_prepare(*out, f, surroundings, count, error) : arne_fail_memory(error);
    if (status) {
        arne_controller_free(*out);
        *out = NULL;
    }
    return status;
}
