// Directional derivatives of model exchange, exact: of the rates of the states and of the outputs,
// by states and inputs.
//
// With du the step of the configuration that dq is, inverse dynamics along (du, dqd) gives
//
//     M dqdd = dtau - dID(du, dqd)
//
// for the joints that move; the acceleration of those that stick stays zero. Energies follow from
// M and gravity, joint wrenches from their derivatives by du, dqd and dqdd.
#include "fmu.h"

#include "math/dense.h"
#include "robot/joint.h"
#include "robot/robot.h"
#include "simulate/controllers/controller.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct directional {
    fmu          *f;
    const plant  *p;
    int           nq, nv;
    const double *q, *qd;
    // The direction, and what follows from it.
    double *dq, *du, *dqd, *dtau, *qdd, *dqdd;
    double *rates;             // of all states
    double *M, *factor, *rest; // nv^2, nv^2, and 4 nv
    double *wrench;            // 18 nv
    double *block;
} directional;

static int directional_place(directional *d)
{
    const size_t nq = (size_t)d->nq, nv = (size_t)d->nv;
    d->block = calloc(3 * nq + 30 * nv + 2 * nv * nv + 1, sizeof *d->block);
    if (!d->block) return 0;
    d->dq = d->block;
    d->rates = d->dq + nq;
    d->du = d->rates + 2 * nq + nv;
    d->dqd = d->du + nv;
    d->dtau = d->dqd + nv;
    d->qdd = d->dtau + nv;
    d->dqdd = d->qdd + nv;
    d->rest = d->dqdd + nv;
    d->wrench = d->rest + 4 * nv;
    d->M = d->wrench + 18 * nv;
    d->factor = d->M + nv * nv;
    return 1;
}

// ---- the direction ----

static fmu_status take_seeds(directional *d, const unsigned *knowns, size_t count,
                             const double *seed)
{
    const fmu_model *m = d->f->model;
    for (size_t i = 0; i < count; i++) {
        if (knowns[i] >= (unsigned)m->count)
            return fmu_fail(d->f, "there is no variable with the value reference %u", knowns[i]);
        const fmu_variable *v = &m->variables[knowns[i]];
        if (v->role == FMU_INPUT)
            d->dtau[m->input_at[v->index]] += seed[i];
        else if (v->state >= d->nq)
            d->dqd[v->state - d->nq] += seed[i];
        else if (v->state >= 0)
            d->dq[v->state] += seed[i];
        else if (v->role != FMU_TIME) // nothing depends on it
            return fmu_fail(d->f, "derivatives by '%s' are not known: it is no state or input",
                            v->name);
    }
    return FMU_OK;
}

// du with dq = d/de of q (+) e du. The columns of that map are at right angles to each other; what
// changes the length of a quaternion is left out.
static void find_step(directional *d)
{
    double *unit = d->rest, *column = d->rates;
    for (int k = 0; k < d->nv; k++) {
        double along = 0, size = 0;
        memset(unit, 0, (size_t)d->nv * sizeof *unit);
        unit[k] = 1;
        arne_coordinate_rate(d->p->robot, d->q, unit, column);
        for (int i = 0; i < d->nq; i++) {
            along += column[i] * d->dq[i];
            size += column[i] * column[i];
        }
        d->du[k] = along / size;
    }
    // With a quaternion of another length than one, the same step of it turns by more or less.
    for (int j = 0; j < d->p->sizes.joint_count; j++) {
        const arne_joint_info info = arne_robot_joint(d->p->robot, j);
        const int             at = joint_quaternion(info.kind);
        if (at < 0) continue;
        const double *h = d->f->x + info.q_start + at;
        const double  length = sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2] + h[3] * h[3]);
        for (int k = info.v_count - 3; k < info.v_count; k++)
            d->du[info.v_start + k] /= length > 0 ? length : 1;
    }
    arne_coordinate_rate(d->p->robot, d->q, d->du, d->dq);
}

// Torques of the importer, moved to motors and cut at their limits as those themselves are.
static void find_torques(directional *d)
{
    const arne_controller *c = d->f->sim->given;
    for (int i = 0; i < d->nv; i++) {
        if (c->place[i] == i) continue;
        if (c->place[i] >= 0) d->dtau[c->place[i]] += d->dtau[i];
        d->dtau[i] = 0;
    }
    for (int i = 0; i < d->nv; i++)
        if (fabs(d->p->tau[i]) >= c->torque[i]) d->dtau[i] = 0;
}

// ---- accelerations ----

static fmu_status find_accelerations(directional *d)
{
    arne_error   error = {0};
    plant       *p = &d->f->sim->plant;
    const size_t nv = (size_t)d->nv;
    int          free_count = 0;
    double      *right = d->rest, *packed = d->rest + nv;
    arne_status  status =
        plant_rate(p, d->f->time - d->f->start, d->q, d->qd, NULL, d->qdd, NULL, &error);
    if (status) return fmu_pass(d->f, status, &error);
    arne_mass_matrix(p->robot, p->work, d->q, d->M);
    arne_inverse_dynamics_along(p->robot, p->work, d->q, d->qd, d->qdd, NULL, 0, d->du, d->dqd,
                                NULL, right);
    for (size_t i = 0; i < nv; i++) {
        if (p->stuck[i]) continue;
        int columns = 0;
        for (size_t k = 0; k < nv; k++)
            if (!p->stuck[k]) d->factor[columns++ + free_count * (int)nv] = d->M[i * nv + k];
        packed[free_count++] = d->dtau[i] - right[i];
    }
    for (int i = 0; i < free_count; i++) // rows side by side
        memmove(d->factor + i * free_count, d->factor + i * (int)nv,
                (size_t)free_count * sizeof *d->factor);
    if (free_count && !dense_factor(free_count, d->factor, 0))
        return fmu_fail(d->f, "the mass matrix is singular");
    if (free_count) dense_solve(free_count, d->factor, packed);
    for (size_t i = 0, k = 0; i < nv; i++)
        d->dqdd[i] = p->stuck[i] ? 0 : packed[k++];
    return FMU_OK;
}

static void find_rates(directional *d)
{
    const arne_robot *robot = d->p->robot;
    double           *turned = d->rates + d->nq + d->nv;
    arne_coordinate_rate(robot, d->q, d->dqd, d->rates);
    memset(turned, 0, (size_t)d->nq * sizeof *turned);
    for (int j = 0; j < d->p->sizes.joint_count; j++) {
        const arne_joint_info info = arne_robot_joint(robot, j);
        if (info.q_count)
            joint_rate_along(info.kind, d->q + info.q_start, d->qd + info.v_start,
                             d->dq + info.q_start, turned + info.q_start);
    }
    for (int i = 0; i < d->nq; i++)
        d->rates[i] += turned[i];
    memcpy(d->rates + d->nq, d->dqdd, (size_t)d->nv * sizeof *d->dqdd);
}

// ---- outputs ----

static double directional_dot(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

// T = qd^T M qd / 2: its change with q is that of the torques M qd at rest, gravity taken off.
static void find_energies(directional *d, double energy[3])
{
    const plant *p = d->p;
    double      *zero = d->rest, *with = zero + d->nv, *without = with + d->nv;
    memset(zero, 0, (size_t)d->nv * sizeof *zero);
    arne_inverse_dynamics_along(p->robot, p->work, d->q, zero, d->qd, NULL, 0, d->du, NULL, NULL,
                                with);
    arne_inverse_dynamics_along(p->robot, p->work, d->q, zero, zero, NULL, 0, d->du, NULL, NULL,
                                without);
    energy[0] =
        0.5 * (directional_dot(d->qd, with, d->nv) - directional_dot(d->qd, without, d->nv));
    for (int i = 0; i < d->nv; i++)
        energy[0] += d->qd[i] * directional_dot(d->M + (size_t)i * (size_t)d->nv, d->dqd, d->nv);
    arne_inverse_dynamics(p->robot, p->work, d->q, zero, zero, NULL, with);
    energy[1] = directional_dot(with, d->du, d->nv);
    energy[2] = energy[0] + energy[1];
}

// After arne_inverse_dynamics_derivatives.
static double find_wrench(directional *d, int joint, int row)
{
    const size_t nv = (size_t)d->nv;
    double      *of_q = d->wrench, *of_qd = of_q + 6 * nv, *of_qdd = of_qd + 6 * nv;
    arne_wrench_derivatives(d->p->robot, d->p->work, joint, of_q, of_qd, of_qdd);
    const size_t at = (size_t)row * nv;
    return directional_dot(of_q + at, d->du, d->nv) + directional_dot(of_qd + at, d->dqd, d->nv) +
           directional_dot(of_qdd + at, d->dqdd, d->nv);
}

// A motor's torque stands with the joint it drives.
static double find_torque(const directional *d, int v)
{
    double torque = d->dtau[v];
    for (int m = 0; m < d->p->sizes.motor_count; m++) {
        const arne_motor_info motor = arne_robot_motor(d->p->robot, m);
        if (motor.v_index >= 0 && arne_robot_joint(d->p->robot, motor.joint).v_start == v)
            torque += d->dtau[motor.v_index];
    }
    return torque;
}

// Columns in the order of result_rows.c: q, qd, qdd, torques, energies, wrenches.
static double find_output(directional *d, int column, const double energy[3])
{
    const unsigned what = d->f->record.what;
    const int      states = d->nq + d->nv, torques = d->nv - d->p->sizes.theta_count;
    int            at = column - 1;
    if (at < d->nq) return d->dq[at];
    if (at < states) return d->dqd[at - d->nq];
    at -= states;
    if (what & ARNE_RECORD_QDD) {
        if (at < d->nv) return d->dqdd[at];
        at -= d->nv;
    }
    if (at < torques) return find_torque(d, at);
    at -= torques;
    return at < 3 ? energy[at] : find_wrench(d, (at - 3) / 6, (at - 3) % 6);
}

static fmu_status find_sensitivities(directional *d, const unsigned *unknowns, size_t count,
                                     double *sensitivity)
{
    const fmu_model *m = d->f->model;
    double           energy[3];
    find_energies(d, energy);
    arne_inverse_dynamics_derivatives(d->p->robot, d->p->work, d->q, d->qd, d->qdd, NULL, 0, NULL,
                                      NULL, NULL);
    for (size_t i = 0; i < count; i++) {
        const fmu_variable *v =
            unknowns[i] < (unsigned)m->count ? &m->variables[unknowns[i]] : &m->variables[0];
        if (v->role == FMU_RATE)
            sensitivity[i] = d->rates[v->index];
        else if (v->role == FMU_OUTPUT)
            sensitivity[i] = find_output(d, v->index, energy);
        else
            return fmu_fail(d->f,
                            "derivatives of '%s' are not known: it is no output or rate of a "
                            "state",
                            v->name);
    }
    return FMU_OK;
}

fmu_status fmu_directional(fmu *f, const unsigned *unknowns, size_t unknown_count,
                           const unsigned *knowns, size_t known_count, const double *seed,
                           double *sensitivity)
{
    arne_error error = {0};
    if (!f->exchange || !f->model->derivatives)
        return fmu_fail(f, "this FMU has no directional derivatives, as its description says");
    arne_status built = f->mode == FMU_INITIALIZATION ? fmu_build(f, &error) : ARNE_OK;
    if (!built) built = fmu_prepare(f, &error);
    if (built) return fmu_pass(f, built, &error);
    directional d = {
        .f = f, .p = &f->sim->plant, .nq = f->model->sizes.q_count, .nv = f->model->sizes.v_count};
    if (!directional_place(&d)) return fmu_fail(f, "out of memory");
    d.q = f->room;
    d.qd = f->room + d.nq;
    fmu_status status = take_seeds(&d, knowns, known_count, seed);
    if (!status) {
        find_step(&d);
        find_torques(&d);
        status = find_accelerations(&d);
    }
    if (!status) {
        find_rates(&d);
        status = find_sensitivities(&d, unknowns, unknown_count, sensitivity);
    }
    free(d.block);
    return status;
}
