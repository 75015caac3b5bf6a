#include "many.h"

#include <stdlib.h>

void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

enum { INPUTS = 10 };

static size_t rows_of_inputs(const arne_sizes *z)
{
    const size_t q_count = (size_t)z->q_count, n = (size_t)z->v_count, b = (size_t)z->body_count;
    size_t       rows = 0;
#define INPUT(name, count) rows += (count);
    ARNE_BATCH_INPUTS(INPUT)
#undef INPUT
    return rows;
}

static size_t rows_of_outputs(const arne_robot *robot, const arne_sizes *z)
{
    const size_t n = (size_t)z->v_count, j = (size_t)z->joint_count,
                 p = (size_t)arne_parameter_count(robot);
    size_t rows = 0;
#define OUTPUT(name, count) rows += (count);
    ARNE_BATCH_OUTPUTS(OUTPUT)
#undef OUTPUT
    return rows;
}

void put_state(problem *p, size_t s)
{
    const state  *from = &p->states[s];
    const double *row[INPUTS] = {
        from->q,   from->qd,  from->qdd, from->tau, from->tau,
        from->qdd, from->tau, from->qd,  from->qd,  (const double *)from->f_ext};
    const size_t q_count = (size_t)p->size.q_count, n = (size_t)p->size.v_count,
                 b = (size_t)p->size.body_count;
    double *at = p->memory_in + s;
    int     which = 0;
#define INPUT(name, rows)                                                                          \
    p->in.name = at - s;                                                                           \
    for (size_t i = 0; i < (rows); i++, at += p->stride)                                           \
        *at = row[which][i];                                                                       \
    which++;
    ARNE_BATCH_INPUTS(INPUT)
#undef INPUT
}

static void place_outputs(problem *to)
{
    const size_t n = (size_t)to->size.v_count, j = (size_t)to->size.joint_count,
                 p = (size_t)arne_parameter_count(to->robot);
    double *at = to->memory_out;
#define OUTPUT(name, rows)                                                                         \
    to->out.name = at;                                                                             \
    at += (rows)*to->stride;
    ARNE_BATCH_OUTPUTS(OUTPUT)
#undef OUTPUT
}

// All states share the base of the first.
problem new_problem(const arne_robot *robot, size_t count, size_t stride)
{
    problem p = {.robot = robot, .size = arne_robot_sizes(robot), .count = count, .stride = stride};
    p.states = zeroed(count, sizeof *p.states);
    p.memory_in = zeroed(rows_of_inputs(&p.size) * stride, sizeof(double));
    p.out_size = rows_of_outputs(robot, &p.size) * stride;
    p.memory_out = zeroed(p.out_size, sizeof(double));
    for (size_t s = 0; s < count; s++) {
        p.states[s] = random_state(robot, s + 1);
        put_state(&p, s);
    }
    p.load = zeroed(1, sizeof *p.load);
    *p.load = (arne_load){
        p.size.frame_count - 1, 0, {{3, -2, 1}, {0.5, 1, -1.5}}, {{1, 2, -1}, {-0.5, 0.3, 0.2}}};
    p.in.loads = p.load;
    p.in.load_count = 1;
    p.in.frame = p.size.frame_count - 1;
    p.in.joint = p.size.joint_count - 1;
    p.in.axes = ARNE_AXES_ALIGNED;
    p.in.given = p.given = zeroed((size_t)p.size.v_count, 1);
    for (int k = 0; k < p.size.v_count; k += 2)
        p.given[k] = 1;
    p.in.point = v3(0.1, 0.2, -0.3);
    p.in.normal = v3(0.6, 0, 0.8);
    p.in.stride = stride;
    place_outputs(&p);
    return p;
}

void free_problem(problem *p)
{
    free(p->states);
    free(p->load);
    free(p->given);
    free(p->memory_in);
    free(p->memory_out);
}

// The outputs that an algorithm makes, of all there are.
arne_batch_outputs outputs_of(const problem *p, arne_batch_algorithm a)
{
    const arne_batch_outputs *all = &p->out;
    arne_batch_outputs        o = {0};
#define TAKE(name) o.name = all->name
    switch (a) {
    case ARNE_BATCH_KINEMATICS:
        TAKE(pose), TAKE(velocity), TAKE(acceleration);
        break;
    case ARNE_BATCH_JACOBIAN:
        TAKE(jacobian), TAKE(jacobian_rate);
        break;
    case ARNE_BATCH_CENTER_OF_MASS:
        TAKE(com), TAKE(com_velocity);
        break;
    case ARNE_BATCH_COM_JACOBIAN:
        TAKE(com_jacobian);
        break;
    case ARNE_BATCH_ENERGY:
        TAKE(kinetic), TAKE(potential);
        break;
    case ARNE_BATCH_MOMENTUM:
        TAKE(momentum);
        break;
    case ARNE_BATCH_CENTROIDAL_MATRIX:
        TAKE(centroidal_matrix);
        break;
    case ARNE_BATCH_INVERSE_DYNAMICS:
        TAKE(tau), TAKE(joint_wrenches), TAKE(base_wrench);
        break;
    case ARNE_BATCH_GRAVITY:
    case ARNE_BATCH_BIAS:
        TAKE(tau);
        break;
    case ARNE_BATCH_MASS_MATRIX:
        TAKE(mass_matrix);
        break;
    case ARNE_BATCH_INVERSE_MASS_MATRIX:
        TAKE(inverse_mass_matrix);
        break;
    case ARNE_BATCH_CORIOLIS_MATRIX:
        TAKE(coriolis_matrix);
        break;
    case ARNE_BATCH_OPERATIONAL_INERTIA:
        TAKE(operational_inertia);
        break;
    case ARNE_BATCH_HYBRID_DYNAMICS:
        TAKE(tau), TAKE(qdd), TAKE(joint_wrenches), TAKE(base_wrench);
        break;
    case ARNE_BATCH_BASE_ACCELERATION:
        TAKE(tau), TAKE(qdd);
        break;
    case ARNE_BATCH_REGRESSOR:
        TAKE(regressor);
        break;
    case ARNE_BATCH_FORWARD_DYNAMICS:
    case ARNE_BATCH_FORWARD_DYNAMICS_MATRIX:
        TAKE(qdd), TAKE(joint_wrenches), TAKE(base_wrench);
        break;
    case ARNE_BATCH_INVERSE_DYNAMICS_DERIVATIVES:
        TAKE(dtau_dq), TAKE(dtau_dqd), TAKE(dtau_dqdd);
        break;
    case ARNE_BATCH_FORWARD_DYNAMICS_DERIVATIVES:
        TAKE(qdd), TAKE(dqdd_dq), TAKE(dqdd_dqd), TAKE(dqdd_dtau);
        break;
    case ARNE_BATCH_INVERSE_DYNAMICS_ALONG:
        TAKE(dtau);
        break;
    case ARNE_BATCH_INVERSE_DYNAMICS_AGAINST:
        TAKE(against_q), TAKE(against_qd), TAKE(against_qdd);
        break;
    case ARNE_BATCH_SECOND_DERIVATIVES:
        TAKE(qq), TAKE(qv), TAKE(vv), TAKE(qa);
        break;
    case ARNE_BATCH_TORQUE_RATE:
        TAKE(tau), TAKE(tau_rate), TAKE(jerk), TAKE(com_jerk);
        break;
    case ARNE_BATCH_WRENCH_DERIVATIVES:
        TAKE(dwrench_dq), TAKE(dwrench_dqd), TAKE(dwrench_dqdd);
        break;
    case ARNE_BATCH_FRAME_MOTION_DERIVATIVES:
        TAKE(dv_dq), TAKE(dv_dqd), TAKE(da_dq), TAKE(da_dqd), TAKE(da_dqdd);
        break;
    case ARNE_BATCH_CENTROIDAL_DERIVATIVES:
        TAKE(momentum_rate), TAKE(dh_dq), TAKE(dh_dqd);
        TAKE(drate_dq), TAKE(drate_dqd), TAKE(drate_dqdd);
        break;
    case ARNE_BATCH_ZERO_MOMENT_POINT:
        TAKE(zmp), TAKE(dzmp_dq), TAKE(dzmp_dqd), TAKE(dzmp_dqdd);
        break;
    default:
        fail();
    }
#undef TAKE
    return o;
}

arne_batch *new_batch(const arne_robot *robot, int width, int threads)
{
    const arne_batch_options options = {.width = width, .threads = threads};
    arne_batch              *batch;
    arne_error               error = {0};
    assert_ok_or(arne_batch_new(robot, &options, &batch, &error), &error);
    assert_int_equal(arne_batch_width(batch), width);
    return batch;
}
