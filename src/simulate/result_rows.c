// Writing down what happens: named columns with units, and the figures of the summary on the way.
#include "simulate/result_rows.h"
#include "base/error.h"
#include "motion/motion_columns.h"
#include "world/world.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static arne_status result_rows_add(record *r, const char *name, const char *unit)
{
    return arne_table_add_column(r->table, name, unit);
}

// Columns part.JOINT of all joints in the order of the robot's vectors; theta aside.
static arne_status result_rows_add_joints(record *r, const char *part, int order, int of_q)
{
    const arne_robot *robot = r->p->robot;
    const int         joints = r->p->sizes.v_count - r->p->sizes.theta_count;
    arne_status       status = ARNE_OK;
    char              name[512];
    for (int v = 0; v < joints && !status;) {
        int j = 0;
        while (arne_robot_joint(robot, j).v_count == 0 || arne_robot_joint(robot, j).v_start != v)
            j++;
        const arne_joint_info info = arne_robot_joint(robot, j);
        const int             count = of_q ? info.q_count : info.v_count;
        for (int k = 0; k < count && !status; k++) {
            if (!arne_column_name(part, info.name, k, count, name, sizeof name))
                return ARNE_TOO_LARGE;
            status = result_rows_add(r, name, arne_joint_unit(&info, k, order));
        }
        v += info.v_count;
    }
    return status;
}

// Columns part.JOINT of the motors that have a coordinate.
static arne_status result_rows_add_thetas(record *r, const char *part, const char *unit)
{
    arne_status status = ARNE_OK;
    for (int m = 0; m < r->p->sizes.motor_count && !status; m++) {
        const arne_motor_info motor = arne_robot_motor(r->p->robot, m);
        char                  name[512];
        if (motor.v_index < 0) continue;
        if (!arne_column_name(part, arne_robot_joint(r->p->robot, motor.joint).name, 0, 1, name,
                              sizeof name))
            return ARNE_TOO_LARGE;
        status = result_rows_add(r, name, unit);
    }
    return status;
}

static arne_status add_named(record *r, const char *const *names, const char *unit, int count)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < count && !status; i++)
        status = result_rows_add(r, names[i], unit);
    return status;
}

static const char *const ENERGIES[] = {"energy.kinetic", "energy.potential", "energy.total"};
static const char *const PLACES[] = {"base.x", "base.y", "base.z", "com.x", "com.y", "com.z"};
static const char *const TURNS[] = {"base.qx", "base.qy", "base.qz", "base.qw"};
static const char *const LINEAR[] = {"momentum.px", "momentum.py", "momentum.pz"};
static const char *const ANGULAR[] = {"momentum.lx", "momentum.ly", "momentum.lz"};
static const char *const COMPONENTS[] = {"fx", "fy", "fz", "mx", "my", "mz"};

static arne_status add_wrenches(record *r)
{
    arne_status status = ARNE_OK;
    for (int j = 0; j < r->p->sizes.joint_count; j++)
        for (int i = 0; i < 6 && !status; i++) {
            char      name[512];
            const int size = snprintf(name, sizeof name, "wrench.%s.%s",
                                      arne_robot_joint(r->p->robot, j).name, COMPONENTS[i]);
            if (size >= (int)sizeof name) return ARNE_TOO_LARGE;
            status = result_rows_add(r, name, i < 3 ? "N" : "N m");
        }
    return status;
}

static arne_status result_rows_add_contacts(record *r)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < 3 * r->p->sizes.contact_count && !status; i++) {
        char name[512];
        status = contact_column(r->p->robot, i / 3, "contact", COMPONENTS[i % 3], name, sizeof name)
                     ? result_rows_add(r, name, "N")
                     : ARNE_TOO_LARGE;
    }
    return status;
}

static arne_status result_rows_add_columns(record *r)
{
    const unsigned what = r->what;
    arne_status    status = result_rows_add(r, "time", "s");
#define WHERE(flag, call)                                                                          \
    if (!status && (what & ARNE_RECORD_##flag)) status = (call)
    WHERE(Q, result_rows_add_joints(r, "q", 0, 1));
    WHERE(Q, result_rows_add_thetas(r, "theta", "rad"));
    WHERE(QD, result_rows_add_joints(r, "qd", 1, 0));
    WHERE(QD, result_rows_add_thetas(r, "thetad", "rad/s"));
    WHERE(QDD, result_rows_add_joints(r, "qdd", 2, 0));
    WHERE(QDD, result_rows_add_thetas(r, "thetadd", "rad/s^2"));
    WHERE(TAU, result_rows_add_joints(r, "tau", ARNE_UNIT_TAU, 0));
    WHERE(TAU_RATE, result_rows_add_joints(r, "tau_rate", ARNE_UNIT_TAU_RATE, 0));
    WHERE(TAU_RATE_LAG, result_rows_add_joints(r, "tau_rate_lag", ARNE_UNIT_TAU_RATE, 0));
    WHERE(REFERENCE, result_rows_add_joints(r, "q_ref", 0, 1));
    WHERE(REFERENCE, result_rows_add_joints(r, "qd_ref", 1, 0));
    WHERE(ERROR, result_rows_add_joints(r, "error", 0, 0));
    WHERE(ENERGY, add_named(r, ENERGIES, "J", 3));
    WHERE(MOMENTUM, add_named(r, LINEAR, "N s", 3));
    WHERE(MOMENTUM, add_named(r, ANGULAR, "N m s", 3));
    WHERE(BASE, add_named(r, PLACES, "m", 6));
    WHERE(BASE, add_named(r, TURNS, "", 4));
    WHERE(CONTACT, result_rows_add_contacts(r));
    WHERE(WRENCH, add_wrenches(r));
#undef WHERE
    return status;
}

arne_status record_new(plant *p, record *r, arne_error *error)
{
    const size_t nv = (size_t)p->sizes.v_count;
    memset(r, 0, sizeof *r);
    r->p = p;
    r->what = p->sim->record ? p->sim->record : ARNE_RECORD_DEFAULT;
    if (!p->sim->reference) r->what &= ~(unsigned)(ARNE_RECORD_REFERENCE | ARNE_RECORD_ERROR);
    if (!plant_has_ground(p->sim)) r->what &= ~(unsigned)ARNE_RECORD_CONTACT;
    r->time_before = -1;
    arne_status status = arne_table_new(&r->table);
    if (!status) status = result_rows_add_columns(r);
    const size_t columns = status ? 0 : (size_t)arne_table_columns(r->table);
    if (!status) r->row = calloc(columns + 4 * nv, sizeof(double));
    if (!status && !r->row) status = ARNE_NO_MEMORY;
    if (status) {
        record_free(r);
        return arne_fail(error, status, NULL, 0, "the columns of the result: %s",
                         arne_status_text(status));
    }
    r->qdd = r->row + columns;
    r->tau_rate = r->qdd + nv;
    r->tau_before = r->tau_rate + nv;
    r->tau_rate_lag = r->tau_before + nv;
    return ARNE_OK;
}

void record_free(record *r)
{
    arne_table_free(r->table);
    free(r->row);
    memset(r, 0, sizeof *r);
}

static double *result_rows_put(double *cell, const double *values, int count)
{
    memcpy(cell, values, (size_t)count * sizeof *cell);
    return cell + count;
}

static double *put_vec3(double *cell, arne_vec3 v)
{
    const double values[3] = {v.x, v.y, v.z};
    return result_rows_put(cell, values, 3);
}

// The motors' torques stand with the joints they drive.
static double *result_rows_put_torques(const record *r, double *cell, const double *tau)
{
    const plant  *p = r->p;
    double *const first = cell;
    cell = result_rows_put(cell, tau, p->sizes.v_count - p->sizes.theta_count);
    for (int m = 0; m < p->sizes.motor_count; m++) {
        const arne_motor_info motor = arne_robot_motor(p->robot, m);
        if (motor.v_index >= 0)
            first[arne_robot_joint(p->robot, motor.joint).v_start] += tau[motor.v_index];
    }
    return cell;
}

// Of the motion where the reference drives, else the change since the row before; and how far the
// two are apart.
static arne_status find_torque_rates(record *r, double time, const double *q, const double *qd,
                                     arne_error *error)
{
    plant       *p = r->p;
    const int    nv = p->sizes.v_count;
    const double passed = time - r->time_before;
    const int    first = r->time_before < 0 || !(passed > 0);
    for (int i = 0; i < nv; i++)
        r->tau_rate[i] = first ? 0 : (p->tau[i] - r->tau_before[i]) / passed;
    result_rows_put(r->tau_before, p->tau, nv);
    r->time_before = time;
    memset(r->tau_rate_lag, 0, (size_t)nv * sizeof *r->tau_rate_lag);
    if (p->sim->drive != ARNE_DRIVE_REFERENCE) return ARNE_OK;
    const arne_status status = reference_torque_rate(p, time, q, qd, r->qdd, p->base_tau, error);
    for (int i = 0; i < nv && status == ARNE_OK; i++) {
        r->tau_rate_lag[i] = first ? 0 : p->base_tau[i] - r->tau_rate[i];
        r->tau_rate[i] = p->base_tau[i];
    }
    return status;
}

// q_ref (-) q of the joints that the reference is about: a free base goes where it goes.
static double *put_errors(record *r, double *cell, const double *q)
{
    plant    *p = r->p;
    const int nv = p->sizes.v_count, joints = nv - p->sizes.theta_count;
    arne_difference(p->robot, q, p->q_ref, p->given_qdd);
    // With loops, of those that are driven; the others follow.
    const unsigned char *driven = !p->loop ? NULL : p->sim->followed ? p->sim->followed : p->active;
    for (int i = 0; i < joints; i++) {
        if (i < p->base_v || (driven && !driven[i])) {
            p->given_qdd[i] = 0;
            continue;
        }
        const double e = p->given_qdd[i];
        r->error_squares += e * e;
        r->error_count++;
        r->error_peak = fmax(r->error_peak, fabs(e));
    }
    return result_rows_put(cell, p->given_qdd, joints);
}

static double *put_energy(record *r, double *cell, const double *q, const double *qd, double work)
{
    double e[3];
    arne_energy(r->p->robot, r->p->work, q, qd, &e[0], &e[1]);
    e[2] = e[0] + e[1];
    if (arne_table_rows(r->table) == 0) r->energy_at_start = e[2];
    r->kinetic_largest = fmax(r->kinetic_largest, e[0]);
    r->residual_largest = fmax(r->residual_largest, fabs(e[2] - r->energy_at_start - work));
    return r->what & ARNE_RECORD_ENERGY ? result_rows_put(cell, e, 3) : cell;
}

static double *put_momentum(const record *r, double *cell, const double *q, const double *qd)
{
    arne_wrench m;
    arne_momentum(r->p->robot, r->p->work, q, qd, &m);
    return put_vec3(put_vec3(cell, m.lin), m.ang);
}

// x, y, z, w of a rotation; the largest of the four first, so that nothing small is divided by.
static void quaternion_of(const arne_mat3 *R, double *h)
{
    const double d[4] = {R->x.x - R->y.y - R->z.z, R->y.y - R->x.x - R->z.z,
                         R->z.z - R->x.x - R->y.y, R->x.x + R->y.y + R->z.z};
    const double off[4][4] = {{0, R->x.y + R->y.x, R->x.z + R->z.x, R->y.z - R->z.y},
                              {R->x.y + R->y.x, 0, R->y.z + R->z.y, R->z.x - R->x.z},
                              {R->x.z + R->z.x, R->y.z + R->z.y, 0, R->x.y - R->y.x},
                              {R->y.z - R->z.y, R->z.x - R->x.z, R->x.y - R->y.x, 0}};
    int          k = 0;
    for (int i = 1; i < 4; i++)
        if (d[i] > d[k]) k = i;
    const double largest = 0.5 * sqrt(1 + d[k]);
    for (int i = 0; i < 4; i++)
        h[i] = i == k ? largest : off[k][i] / (4 * largest);
}

static int root_link(const arne_robot *robot)
{
    int root = 0;
    while (arne_robot_frame(robot, root).parent >= 0)
        root++;
    return root;
}

static double *result_rows_put_places(const record *r, double *cell, const double *q)
{
    arne_vec3 com;
    arne_center_of_mass(r->p->robot, r->p->work, q, NULL, &com, NULL);
    arne_kinematics(r->p->robot, r->p->work, q, NULL, NULL);
    double          turn[4];
    const arne_pose X = arne_frame_pose(r->p->robot, r->p->work, root_link(r->p->robot));
    quaternion_of(&X.R, turn);
    return result_rows_put(put_vec3(put_vec3(cell, X.p), com), turn, 4);
}

// Of the rigid model: all impulses since the row before, impacts among them, over the time since.
static void put_contacts(record *r, double time, double *cell)
{
    const int    count = r->p->sizes.contact_count;
    const double passed = time - r->contact_time;
    memset(cell, 0, (size_t)(3 * count) * sizeof *cell);
    if (!r->p->rigid) world_sum_forces(r->p->world, cell);
    for (int c = 0; c < count && r->p->rigid && passed > 0; c++) {
        const arne_vec3 p = r->p->impulses[c];
        put_vec3(cell + 3 * c, (arne_vec3){p.x / passed, p.y / passed, p.z / passed});
        r->p->impulses[c] = (arne_vec3){0, 0, 0};
    }
    r->contact_time = time;
}

static double *put_wrenches(const record *r, double *cell)
{
    for (int j = 0; j < r->p->sizes.joint_count; j++) {
        const arne_wrench f = arne_joint_wrench(r->p->robot, r->p->work, j);
        cell = put_vec3(put_vec3(cell, f.lin), f.ang);
    }
    return cell;
}

arne_status record_fill(record *r, double time, const double *q, const double *qd, double work_done,
                        arne_error *error)
{
    plant         *p = r->p;
    const unsigned what = r->what;
    const int      nv = p->sizes.v_count, theta = p->sizes.theta_count, nq = p->sizes.q_count;
    double        *cell = r->row;
    arne_status    status = plant_rate(p, time, q, qd, NULL, r->qdd, NULL, error);
    if (status != ARNE_OK) return status;
    plant_reference(p, time);
    plant_closure(p, q);
    // Joint wrenches first, while the work has them; they are the last columns.
    if ((what & ARNE_RECORD_WRENCH) && p->loop)
        status = arne_loop_forces(p->robot, p->work, p->loop, q, qd, r->qdd, p->loads,
                                  p->sim->drive == ARNE_DRIVE_TORQUES ? p->applied : p->tau, NULL,
                                  NULL, error);
    else if ((what & ARNE_RECORD_WRENCH) && !p->water &&
             (p->sim->drive == ARNE_DRIVE_TORQUES || p->loose_count))
        arne_forward_wrenches(p->robot, p->work);
    if (status != ARNE_OK) return status;
    if (what & ARNE_RECORD_WRENCH)
        put_wrenches(r, r->row + arne_table_columns(r->table) - 6 * p->sizes.joint_count);
    *cell++ = time;
    if (what & ARNE_RECORD_Q) cell = result_rows_put(cell, q, nq);
    if (what & ARNE_RECORD_QD) cell = result_rows_put(cell, qd, nv);
    if (what & ARNE_RECORD_QDD) cell = result_rows_put(cell, r->qdd, nv);
    if (what & ARNE_RECORD_TAU) cell = result_rows_put_torques(r, cell, p->tau);
    if (what & (ARNE_RECORD_TAU_RATE | ARNE_RECORD_TAU_RATE_LAG))
        status = find_torque_rates(r, time, q, qd, error);
    if (status != ARNE_OK) return status;
    if (what & ARNE_RECORD_TAU_RATE) cell = result_rows_put_torques(r, cell, r->tau_rate);
    if (what & ARNE_RECORD_TAU_RATE_LAG) cell = result_rows_put_torques(r, cell, r->tau_rate_lag);
    if (what & ARNE_RECORD_REFERENCE) {
        cell = result_rows_put(cell, p->q_ref, nq - theta);
        cell = result_rows_put(cell, p->qd_ref, nv - theta);
    }
    if (what & ARNE_RECORD_ERROR) cell = put_errors(r, cell, q);
    cell = put_energy(r, cell, q, qd, work_done);
    if (what & ARNE_RECORD_MOMENTUM) cell = put_momentum(r, cell, q, qd);
    if (what & ARNE_RECORD_BASE) cell = result_rows_put_places(r, cell, q);
    if (what & ARNE_RECORD_CONTACT) put_contacts(r, time, cell);
    for (int i = 0; i < arne_table_columns(r->table); i++)
        if (!isfinite(r->row[i]))
            return arne_fail(error, ARNE_DIVERGED, NULL, 0,
                             "the simulation diverged at t = %.9g s: %s is not finite", time,
                             arne_table_name(r->table, i));
    return ARNE_OK;
}

arne_status record_row(record *r, double time, const double *q, const double *qd, double work_done,
                       arne_error *error)
{
    arne_status status = record_fill(r, time, q, qd, work_done, error);
    if (status) return status;
    status = arne_table_append(r->table, r->row);
    return status ? arne_fail(error, status, NULL, 0, "the result: %s", arne_status_text(status))
                  : ARNE_OK;
}
