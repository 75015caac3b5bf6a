#include "quantities.h"

#include "compute_derivatives.h"
#include "compute_elastic.h"
#include "compute_identify.h"
#include "compute_loops.h"
#include "message.h"

#include <arne/dynamics.h>
#include <stdlib.h>
#include <string.h>

// --- kinematics --------------------------------------------------------------------------------

static const char *name_of(const request *ask, int frame)
{
    return arne_robot_frame(ask->robot, frame).name;
}

// Rotations are stored by columns and shown by rows.
static void put_rows(const arne_mat3 *R, double *out)
{
    const arne_vec3 column[3] = {R->x, R->y, R->z};
    for (int j = 0; j < 3; j++) {
        out[j] = column[j].x;
        out[3 + j] = column[j].y;
        out[6 + j] = column[j].z;
    }
}

static int pose(const request *ask, const state *at, result *out)
{
    arne_kinematics(ask->robot, ask->work, at->part[PART_Q], NULL, NULL);
    for (int i = 0; i < ask->frame_count; i++) {
        const arne_pose X = arne_frame_pose(ask->robot, ask->work, ask->frames[i]);
        const char     *name = name_of(ask, ask->frames[i]);
        result_add_vec3(out, "frames", name, "p", X.p);
        put_rows(&X.R, result_add_in(out, "frames", name, "R", AXIS_XYZ, AXIS_XYZ));
    }
    return EXIT_FINE;
}

static int velocity(const request *ask, const state *at, result *out)
{
    arne_kinematics(ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD], NULL);
    for (int i = 0; i < ask->frame_count; i++) {
        const arne_motion v = arne_frame_velocity(ask->robot, ask->work, ask->frames[i], ask->axes);
        const char       *name = name_of(ask, ask->frames[i]);
        result_add_vec3(out, "frames", name, "lin", v.lin);
        result_add_vec3(out, "frames", name, "ang", v.ang);
    }
    return EXIT_FINE;
}

static int acceleration(const request *ask, const state *at, result *out)
{
    const arne_acceleration_kind kind =
        ask->spatial ? ARNE_ACCELERATION_SPATIAL : ARNE_ACCELERATION_CLASSICAL;
    arne_kinematics(ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD], at->part[PART_QDD]);
    for (int i = 0; i < ask->frame_count; i++) {
        const int         frame = ask->frames[i];
        const arne_motion a =
            arne_frame_acceleration(ask->robot, ask->work, frame, ask->axes, kind);
        result_add_vec3(out, "frames", name_of(ask, frame), "lin", a.lin);
        result_add_vec3(out, "frames", name_of(ask, frame), "ang", a.ang);
    }
    return EXIT_FINE;
}

static int jacobian(const request *ask, const state *at, result *out)
{
    arne_jacobian(ask->robot, ask->work, at->part[PART_Q], ask->frames[0], ask->axes,
                  result_add(out, "J", AXIS_TWIST, AXIS_V));
    if (ask->rate)
        arne_jacobian_rate(ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD],
                           ask->frames[0], ask->axes, result_add(out, "Jdot", AXIS_TWIST, AXIS_V));
    return EXIT_FINE;
}

static int com(const request *ask, const state *at, result *out)
{
    arne_vec3 center, rate;
    arne_center_of_mass(ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD], &center, &rate);
    *result_add(out, "mass", AXIS_ONE, AXIS_ONE) = arne_total_mass(ask->robot);
    result_add_vec3(out, NULL, NULL, "com", center);
    result_add_vec3(out, NULL, NULL, "com_velocity", rate);
    return EXIT_FINE;
}

static int inverse_kinematics(const request *ask, const state *at, result *out)
{
    const arne_sizes sizes = arne_robot_sizes(ask->robot);
    double          *q = result_add(out, "q", AXIS_Q, AXIS_ONE);
    double          *error = result_add(out, "error", AXIS_ONE, AXIS_ONE);
    memcpy(q, at->part[PART_Q], (size_t)sizes.q_count * sizeof *q);
    const arne_status status = arne_inverse_kinematics(ask->robot, ask->work, ask->targets,
                                                       ask->target_count, NULL, q, error);
    // The motors of elastic joints go along, so that no spring is stretched.
    for (int i = 0; i < sizes.motor_count; i++) {
        const arne_motor_info m = arne_robot_motor(ask->robot, i);
        if (m.q_index >= 0) q[m.q_index] = q[arne_robot_joint(ask->robot, m.joint).q_start];
    }
    // The best configuration found is still an answer; the exit status tells that it is not exact.
    result_add_text(out, "status", status == ARNE_OK ? "ok" : "not converged");
    if (status == ARNE_OK) return EXIT_FINE;
    if (status == ARNE_NOT_CONVERGED) return EXIT_NOT_CONVERGED;
    return fail_data("%s: %s", ask->path, arne_status_text(status));
}

// --- energy and momentum -----------------------------------------------------------------------

static int energy(const request *ask, const state *at, result *out)
{
    double *kinetic = result_add(out, "kinetic", AXIS_ONE, AXIS_ONE);
    double *potential = result_add(out, "potential", AXIS_ONE, AXIS_ONE);
    arne_energy(ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD], kinetic, potential);
    return EXIT_FINE;
}

static int momentum(const request *ask, const state *at, result *out)
{
    arne_wrench h;
    arne_momentum(ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD], &h);
    const double all[6] = {h.lin.x, h.lin.y, h.lin.z, h.ang.x, h.ang.y, h.ang.z};
    memcpy(result_add(out, "momentum", AXIS_TWIST, AXIS_ONE), all, sizeof all);
    arne_centroidal_matrix(ask->robot, ask->work, at->part[PART_Q],
                           result_add(out, "A", AXIS_TWIST, AXIS_V));
    return EXIT_FINE;
}

// --- dynamics ----------------------------------------------------------------------------------

static int inverse_dynamics(const request *ask, const state *at, result *out)
{
    if (ask->loop) return loop_torques(ask, at, at->part[PART_QD], at->part[PART_QDD], out);
    arne_inverse_dynamics(ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD],
                          at->part[PART_QDD], ask->f_ext, result_add(out, "tau", AXIS_V, AXIS_ONE));
    return EXIT_FINE;
}

static int gravity(const request *ask, const state *at, result *out)
{
    if (ask->loop) return loop_gravity(ask, at, out);
    arne_gravity(ask->robot, ask->work, at->part[PART_Q], result_add(out, "tau", AXIS_V, AXIS_ONE));
    return EXIT_FINE;
}

static int bias(const request *ask, const state *at, result *out)
{
    if (ask->loop) return loop_bias(ask, at, out);
    arne_bias(ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD], ask->f_ext,
              result_add(out, "tau", AXIS_V, AXIS_ONE));
    return EXIT_FINE;
}

static void add_wrench(result *out, const char *group, const char *member, arne_wrench wrench)
{
    result_add_vec3(out, group, member, "force", wrench.lin);
    result_add_vec3(out, group, member, "moment", wrench.ang);
}

static int joint_wrenches(const request *ask, const state *at, result *out)
{
    const arne_sizes sizes = arne_robot_sizes(ask->robot);
    double          *tau = need((size_t)sizes.v_count, sizeof *tau);
    if (!ask->loop)
        arne_inverse_dynamics(ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD],
                              at->part[PART_QDD], ask->f_ext, tau);
    free(tau);
    const int code = ask->loop ? loop_wrenches(ask, at) : EXIT_FINE;
    if (code != EXIT_FINE) return code;
    for (int i = 0; i < sizes.joint_count; i++) {
        const int link = arne_robot_joint(ask->robot, i).child;
        add_wrench(out, "wrenches", name_of(ask, link),
                   arne_joint_wrench(ask->robot, ask->work, i));
    }
    add_wrench(out, "base", NULL, arne_base_wrench(ask->robot, ask->work));
    return EXIT_FINE;
}

static int coriolis_matrix(const request *ask, const state *at, result *out)
{
    arne_coriolis_matrix(ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD],
                         result_add(out, "C", AXIS_V, AXIS_V));
    return EXIT_FINE;
}

static int mass_matrix(const request *ask, const state *at, result *out)
{
    arne_mass_matrix(ask->robot, ask->work, at->part[PART_Q], result_add(out, "M", AXIS_V, AXIS_V));
    return EXIT_FINE;
}

static int ended(const request *ask, arne_status status, const arne_error *error)
{
    return status == ARNE_OK ? EXIT_FINE : fail_error(ask->path, status, error);
}

static int inverse_mass_matrix(const request *ask, const state *at, result *out)
{
    arne_error error = {0};
    return ended(ask,
                 arne_inverse_mass_matrix(ask->robot, ask->work, at->part[PART_Q],
                                          result_add(out, "Minv", AXIS_V, AXIS_V), &error),
                 &error);
}

static int operational_inertia(const request *ask, const state *at, result *out)
{
    arne_error error = {0};
    return ended(
        ask,
        arne_operational_inertia(ask->robot, ask->work, at->part[PART_Q], ask->frames[0], ask->axes,
                                 result_add(out, "Lambda", AXIS_TWIST, AXIS_TWIST), &error),
        &error);
}

static int forward_dynamics(const request *ask, const state *at, result *out)
{
    arne_error error = {0};
    double    *qdd = result_add(out, "qdd", AXIS_V, AXIS_ONE);
    if (ask->loop)
        return ended(ask,
                     arne_loop_forward_dynamics(ask->robot, ask->work, ask->loop, at->part[PART_Q],
                                                at->part[PART_QD], at->part[PART_TAU], ask->f_ext,
                                                NULL, qdd, &error),
                     &error);
    return ended(ask,
                 (ask->matrix ? arne_forward_dynamics_matrix : arne_forward_dynamics)(
                     ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD], at->part[PART_TAU],
                     ask->f_ext, qdd, &error),
                 &error);
}

// Both vectors come whole: what was given stands beside what was found.
static int hybrid_dynamics(const request *ask, const state *at, result *out)
{
    const size_t size = (size_t)arne_robot_sizes(ask->robot).v_count * sizeof(double);
    arne_error   error = {0};
    double      *tau = result_add(out, "tau", AXIS_V, AXIS_ONE);
    double      *qdd = result_add(out, "qdd", AXIS_V, AXIS_ONE);
    memcpy(tau, at->part[PART_TAU], size);
    memcpy(qdd, at->part[PART_QDD], size);
    return ended(ask,
                 arne_hybrid_dynamics(ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD],
                                      ask->given, ask->f_ext, tau, qdd, &error),
                 &error);
}

static int base_acceleration(const request *ask, const state *at, result *out)
{
    const size_t v_count = (size_t)arne_robot_sizes(ask->robot).v_count;
    arne_error   error = {0};
    double      *base = result_add(out, "base_acceleration", AXIS_TWIST, AXIS_ONE);
    double      *tau = result_add(out, "tau", AXIS_V, AXIS_ONE);
    double      *qdd = need(v_count, sizeof *qdd);
    memcpy(qdd, at->part[PART_QDD], v_count * sizeof *qdd);
    const arne_status status = arne_base_acceleration(
        ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD], ask->f_ext, qdd, tau, &error);
    if (status == ARNE_OK) memcpy(base, qdd, 6 * sizeof *base);
    free(qdd);
    return ended(ask, status, &error);
}

// --- the table ---------------------------------------------------------------------------------

enum { NEED_MOTION = NEED_Q | NEED_QD | NEED_QDD, NEED_CHANGE = NEED_MOTION | NEED_JOINTS };
enum { HEEDS_CHANGE = HEEDS_WRENCH | HEEDS_WRENCH_FIXED };

const quantity quantities[] = {
    {"pose", "frames", "where every link and frame is", NEED_Q, HEEDS_FRAME, pose},
    {"velocity", "frames", "how they move", NEED_Q | NEED_QD, HEEDS_FRAME | HEEDS_AXES, velocity},
    {"acceleration", "frames", "how that changes; classical, of the frame's origin", NEED_MOTION,
     HEEDS_FRAME | HEEDS_AXES | HEEDS_SPATIAL, acceleration},
    {"jacobian", "J, Jdot", "of --frame: its twist is J qd; Jdot with --rate", NEED_Q,
     HEEDS_ONE_FRAME | HEEDS_AXES | HEEDS_RATE, jacobian},
    {"com", "mass, com, com_velocity", "mass that moves, its centre", NEED_Q | NEED_QD, 0, com},
    {"energy", "kinetic, potential", "zero potential at the world's origin", NEED_Q | NEED_QD, 0,
     energy},
    {"momentum", "momentum, A", "linear, and angular about the centre of mass; A qd",
     NEED_Q | NEED_QD, 0, momentum},
    {"inverse-dynamics", "tau", "torques of a motion", NEED_MOTION, HEEDS_WRENCH, inverse_dynamics},
    {"assemble", "q, closure, branch", "positions of the passive joints that close the loops",
     NEED_Q, 0, loop_assemble},
    {"loop-jacobian", "G, condition", "of all joints over the active ones, where there are loops",
     NEED_Q, 0, loop_jacobian},
    {"loop-forces", "loops, indeterminate, tau", "what the loops carry in a motion", NEED_MOTION,
     HEEDS_WRENCH, loop_forces},
    {"gravity", "tau", "torques that hold the robot still", NEED_Q, 0, gravity},
    {"bias", "tau", "torques of no acceleration, with friction", NEED_Q | NEED_QD, HEEDS_WRENCH,
     bias},
    {"joint-wrenches", "wrenches, base", "what each joint carries, and the base", NEED_MOTION,
     HEEDS_WRENCH, joint_wrenches},
    {"coriolis-matrix", "C", "dM/dt - 2 C is skew-symmetric", NEED_Q | NEED_QD, 0, coriolis_matrix},
    {"mass-matrix", "M", "with reflected rotors", NEED_Q, 0, mass_matrix},
    {"inverse-mass-matrix", "Minv", "its inverse", NEED_Q, 0, inverse_mass_matrix},
    {"operational-inertia", "Lambda", "inertia felt at --frame", NEED_Q,
     HEEDS_ONE_FRAME | HEEDS_AXES, operational_inertia},
    {"forward-dynamics", "qdd", "motion that torques make", NEED_Q | NEED_QD | NEED_TAU,
     HEEDS_WRENCH | HEEDS_METHOD, forward_dynamics},
    {"hybrid-dynamics", "tau, qdd", "from qdd of the joints of --given, and tau of the others",
     NEED_MOTION | NEED_TAU, HEEDS_WRENCH | HEEDS_GIVEN, hybrid_dynamics},
    {"base-acceleration", "base_acceleration, tau", "of a free base while its joints move with qdd",
     NEED_MOTION | NEED_JOINTS_QDD, HEEDS_WRENCH, base_acceleration},
    {"elastic-inverse-dynamics", "tau, tau_joint, qdd, thetadd",
     "torques of motors and joints; springs move joints that have no motor",
     NEED_MOTION | NEED_JOINTS_QDD | NEED_DRIVEN, HEEDS_WRENCH, elastic_inverse_dynamics},
    {"elastic-forward-dynamics", "tau, tau_joint, qdd, thetadd",
     "motion that the motors' torques make", NEED_Q | NEED_QD | NEED_TAU | NEED_DRIVEN,
     HEEDS_WRENCH | HEEDS_METHOD, elastic_forward_dynamics},
    {"coupled-matrix", "A", "mass matrix of joints and motors", NEED_Q, 0, coupled_matrix},
    {"inverse-kinematics", "q, error, status", "brings --frame to --position [--quaternion]",
     NEED_Q, HEEDS_TARGETS, inverse_kinematics},
    {"jerk", "frames", "how accelerations change; needs --qddd", NEED_CHANGE | NEED_QDDD,
     HEEDS_FRAME | HEEDS_AXES, jerk},
    {"torque-rate", "tau, tau_rate", "torques and their time derivatives; needs --qddd",
     NEED_CHANGE | NEED_QDDD, HEEDS_CHANGE | HEEDS_WRENCH_RATE, torque_rate},
    {"inverse-dynamics-derivatives", "dtau_dq, dtau_dqd, dtau_dqdd", "of the torques", NEED_CHANGE,
     HEEDS_CHANGE, inverse_dynamics_derivatives},
    {"forward-dynamics-derivatives", "dqdd_dq, dqdd_dqd, dqdd_dtau", "of the accelerations",
     NEED_Q | NEED_QD | NEED_TAU | NEED_JOINTS, HEEDS_CHANGE, forward_dynamics_derivatives},
    {"wrench-derivatives", "wrenches", "dforce_dq ... dmoment_dqdd of what each joint carries",
     NEED_CHANGE, HEEDS_CHANGE, wrench_derivatives},
    {"second-derivatives", "d2tau_dq2, d2tau_dqd2, d2tau_dqdqd, d2tau_dqdqdd", "[i][j][k] of tau_i",
     NEED_CHANGE, HEEDS_CHANGE, second_derivatives},
    {"regressor", "Y", "torques are Y times the robot's parameters", NEED_MOTION, 0, regressor},
    {"base-parameters", "rank, parameters", "the fewest inertial ones that give all torques", 0, 0,
     NULL},
};
const int quantity_count = (int)(sizeof quantities / sizeof quantities[0]);

static const char *quantity_name(const void *unused, int index)
{
    (void)unused;
    return quantities[index].name;
}

const quantity *find_quantity(const char *name)
{
    char buffer[256];
    for (int i = 0; i < quantity_count; i++)
        if (strcmp(quantities[i].name, name) == 0) return &quantities[i];
    near_matches(name, quantity_name, NULL, quantity_count, buffer, sizeof buffer);
    say("unknown quantity '%s'%s; 'arne compute --help' lists them", name, buffer);
    return NULL;
}
