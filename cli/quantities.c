#include "quantities.h"

#include "compute_contact.h"
#include "compute_derivatives.h"
#include "compute_effort.h"
#include "compute_elastic.h"
#include "compute_loops.h"
#include "compute_muscles.h"
#include "message.h"

#include <arne/dynamics.h>
#include <arne/equilibrium.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- kinematics --------------------------------------------------------------------------------

static const char *quantities_name_of(const request *ask, int frame)
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

// x, y, z, w, with w not negative; from the largest of them, so that nothing small is divided by.
static void put_quaternion(const arne_mat3 *R, double *out)
{
    const double m[3][3] = {
        {R->x.x, R->y.x, R->z.x}, {R->x.y, R->y.y, R->z.y}, {R->x.z, R->y.z, R->z.z}};
    const double trace = m[0][0] + m[1][1] + m[2][2];
    int          i = 3;
    double       best = trace;
    for (int k = 0; k < 3; k++)
        if (m[k][k] > best) best = m[i = k][k];
    if (i == 3) {
        for (int k = 0; k < 3; k++)
            out[k] = m[(k + 2) % 3][(k + 1) % 3] - m[(k + 1) % 3][(k + 2) % 3];
        out[3] = 1 + trace;
    } else {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = 1 + m[i][i] - m[j][j] - m[k][k];
        out[j] = m[j][i] + m[i][j];
        out[k] = m[k][i] + m[i][k];
        out[3] = m[k][j] - m[j][k];
    }
    double size = 0;
    for (int k = 0; k < 4; k++)
        size += out[k] * out[k];
    size = sqrt(size) * (out[3] < 0 ? -1 : 1);
    for (int k = 0; k < 4; k++)
        out[k] /= size;
}

// R = Rz(yaw) Ry(pitch) Rx(roll), as URDF has it. Where pitch is a right angle, yaw is taken as 0.
static arne_vec3 roll_pitch_yaw(const arne_mat3 *R)
{
    const double across = hypot(R->x.x, R->x.y);
    const double pitch = 0 + atan2(-R->x.z, across); // not -0, here and below
    if (across < 1e-12) return (arne_vec3){0 + atan2(-R->z.y, R->y.y), pitch, 0};
    return (arne_vec3){0 + atan2(R->y.z, R->z.z), pitch, 0 + atan2(R->x.y, R->x.x)};
}

static int pose(const request *ask, const state *at, result *out)
{
    arne_kinematics(ask->robot, ask->work, at->part[PART_Q], NULL, NULL);
    for (int i = 0; i < ask->frame_count; i++) {
        const arne_pose X = arne_frame_pose(ask->robot, ask->work, ask->frames[i]);
        const char     *name = quantities_name_of(ask, ask->frames[i]);
        result_add_vec3(out, "frames", name, "p", X.p);
        put_rows(&X.R, result_add_in(out, "frames", name, "R", AXIS_XYZ, AXIS_XYZ));
        put_quaternion(&X.R, result_add_in(out, "frames", name, "quaternion", AXIS_XYZW, AXIS_ONE));
        result_add_vec3(out, "frames", name, "rpy", roll_pitch_yaw(&X.R));
    }
    return EXIT_FINE;
}

static int velocity(const request *ask, const state *at, result *out)
{
    arne_kinematics(ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD], NULL);
    for (int i = 0; i < ask->frame_count; i++) {
        const arne_motion v = arne_frame_velocity(ask->robot, ask->work, ask->frames[i], ask->axes);
        const char       *name = quantities_name_of(ask, ask->frames[i]);
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
        result_add_vec3(out, "frames", quantities_name_of(ask, frame), "lin", a.lin);
        result_add_vec3(out, "frames", quantities_name_of(ask, frame), "ang", a.ang);
    }
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

// --- dynamics ----------------------------------------------------------------------------------

static int inverse_dynamics(const request *ask, const state *at, result *out)
{
    return loop_torques(ask, at, at->part[PART_QD], at->part[PART_QDD], out);
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
        add_wrench(out, "joint_wrenches", quantities_name_of(ask, link),
                   arne_joint_wrench(ask->robot, ask->work, i));
    }
    add_wrench(out, "base_wrench", NULL, arne_base_wrench(ask->robot, ask->work));
    return EXIT_FINE;
}

int request_end(const request *ask, arne_status status, const arne_error *error)
{
    return status == ARNE_OK ? EXIT_FINE : fail_error(ask->path, status, error);
}

static int forward_dynamics(const request *ask, const state *at, result *out)
{
    arne_error error = {0};
    double    *qdd = result_add(out, "qdd", AXIS_V, AXIS_ONE);
    if (ask->modules)
        return request_end(ask,
                           arne_modules_forward_dynamics(ask->modules, at->part[PART_Q],
                                                         at->part[PART_QD], at->part[PART_TAU], qdd,
                                                         &error),
                           &error);
    return request_end(ask,
                       arne_loop_forward_dynamics(
                           ask->robot, ask->work, ask->loop, at->part[PART_Q], at->part[PART_QD],
                           at->part[PART_TAU], ask->f_ext, NULL, qdd, &error),
                       &error);
}

static int equilibrium(const request *ask, const state *at, result *out)
{
    arne_error                     error = {0};
    double                        *q = result_add(out, "q", AXIS_Q, AXIS_ONE);
    const arne_equilibrium_options options = {.tau = at->part[PART_TAU],
                                              .loads = ask->loads,
                                              .load_count = ask->load_count,
                                              .held = ask->given,
                                              .activation = ask->activation};
    memcpy(q, at->part[PART_Q], (size_t)arne_robot_sizes(ask->robot).q_count * sizeof *q);
    return request_end(ask, arne_equilibrium(ask->robot, ask->work, &options, q, &error), &error);
}

// --- the table ---------------------------------------------------------------------------------

// Quantities that are of many frames or joints, or that are no row of arrays; and what others are
// where there are loops.
static const struct special {
    arne_algorithm algorithm;
    evaluate_fn    evaluate;
    int            of_loops;
} specials[] = {
    {ARNE_ALGORITHM_POSE, pose, 0},
    {ARNE_ALGORITHM_VELOCITY, velocity, 0},
    {ARNE_ALGORITHM_ACCELERATION, acceleration, 0},
    {ARNE_ALGORITHM_JERK, jerk, 0},
    {ARNE_ALGORITHM_JOINT_WRENCHES, joint_wrenches, 0},
    {ARNE_ALGORITHM_WRENCH_DERIVATIVES, wrench_derivatives, 0},
    {ARNE_ALGORITHM_SECOND_DERIVATIVES, second_derivatives, 0},
    {ARNE_ALGORITHM_EQUILIBRIUM, equilibrium, 0},
    {ARNE_ALGORITHM_INVERSE_KINEMATICS, inverse_kinematics, 0},
    {ARNE_ALGORITHM_ASSEMBLE, loop_assemble, 0},
    {ARNE_ALGORITHM_LOOP_JACOBIAN, loop_jacobian, 0},
    {ARNE_ALGORITHM_LOOP_FORCES, loop_forces, 0},
    {ARNE_ALGORITHM_CONTACT_DYNAMICS, contact_dynamics, 0},
    {ARNE_ALGORITHM_CONTACT_DYNAMICS_DERIVATIVES, contact_dynamics_derivatives, 0},
    {ARNE_ALGORITHM_ELASTIC_INVERSE_DYNAMICS, elastic_inverse_dynamics, 0},
    {ARNE_ALGORITHM_ELASTIC_FORWARD_DYNAMICS, elastic_forward_dynamics, 0},
    {ARNE_ALGORITHM_COUPLED_MATRIX, coupled_matrix, 0},
    {ARNE_ALGORITHM_MUSCLE_LENGTHS, muscle_lengths, 0},
    {ARNE_ALGORITHM_MUSCLE_VELOCITIES, muscle_velocities, 0},
    {ARNE_ALGORITHM_MUSCLE_MOMENT_ARMS, muscle_moment_arms, 0},
    {ARNE_ALGORITHM_INVERSE_DYNAMICS, inverse_dynamics, 1},
    {ARNE_ALGORITHM_GRAVITY, loop_gravity, 1},
    {ARNE_ALGORITHM_BIAS, loop_bias, 1},
    {ARNE_ALGORITHM_FORWARD_DYNAMICS, forward_dynamics, 1},
};

static unsigned needs_of(const arne_algorithm_info *info)
{
    unsigned needs = info->needs;
    for (int i = 0; i < info->output_count; i++)
        if (!info->outputs[i].on_request) needs |= info->outputs[i].needs;
    needs &= NEED_Q | NEED_QD | NEED_QDD | NEED_QDDD | NEED_TAU; // bits as in the catalogue
    if (info->takes & ARNE_TAKES_LOADS || needs & NEED_QDDD) needs |= NEED_JOINTS;
    if (info->takes & ARNE_TAKES_JOINTS_QDD) needs |= NEED_JOINTS_QDD;
    if (info->takes & ARNE_TAKES_MOTORS) needs |= NEED_DRIVEN;
    return needs;
}

static int is_of_frames(const arne_algorithm_info *info)
{
    return info->output_count &&
           arne_catalogue_array(info->outputs[0].array)->shape[0] == ARNE_EXTENT_FRAME;
}

static unsigned heeds_of(const arne_algorithm_info *info)
{
    static const struct {
        unsigned takes, heeds;
    } both[] = {{ARNE_TAKES_TARGETS, TAKES_TARGETS},
                {ARNE_TAKES_AXES, TAKES_AXES},
                {ARNE_TAKES_RATE, TAKES_RATE},
                {ARNE_TAKES_SPATIAL, TAKES_SPATIAL},
                {ARNE_TAKES_METHOD, TAKES_METHOD},
                {ARNE_TAKES_LOADS, TAKES_WRENCH | TAKES_WRENCH_FIXED},
                {ARNE_TAKES_LOAD_RATES, TAKES_WRENCH_RATE},
                {ARNE_TAKES_CONTACTS, TAKES_CONTACTS},
                {ARNE_TAKES_GIVEN, TAKES_GIVEN},
                {ARNE_TAKES_HELD, TAKES_GIVEN},
                {ARNE_TAKES_ACTIVATION, TAKES_ACTIVATION}};
    unsigned heeds = info->may >> ARNE_INPUT_f_ext & 1 ? TAKES_WRENCH : 0;
    if (info->takes & ARNE_TAKES_FRAME) heeds |= is_of_frames(info) ? TAKES_FRAME : TAKES_ONE_FRAME;
    for (size_t i = 0; i < sizeof both / sizeof both[0]; i++)
        if (info->takes & both[i].takes) heeds |= both[i].heeds;
    return heeds;
}

const char *quantity_keys(const arne_algorithm_info *info, char *buffer, size_t size)
{
    const char *last = "", *own = effort_keys(info);
    *buffer = 0;
    if (own) snprintf(buffer, size, "%s", own);
    for (int i = 0; i < info->output_count; i++) {
        const arne_array_info *a = arne_catalogue_array(info->outputs[i].array);
        const char            *key = a->shape[0] == ARNE_EXTENT_FRAME   ? "frames"
                                     : a->shape[0] == ARNE_EXTENT_JOINT ? "joint_wrenches"
                                                                        : a->name;
        const size_t           length = strlen(buffer);
        if (strcmp(key, last) == 0) continue;
        if (info->outputs[i].on_request && !(info->takes & ARNE_TAKES_RATE)) continue;
        snprintf(buffer + length, size - length, "%s%s", length ? ", " : "", key);
        last = key;
    }
    return buffer;
}

enum { OWN_MOST = 8 };

typedef struct computed {
    int         count;
    const char *name[ARNE_ALGORITHM_COUNT + OWN_MOST];
} computed;

// Those of the catalogue, then the program's own.
const arne_algorithm_info *quantity_info(int index)
{
    return index < ARNE_ALGORITHM_COUNT ? arne_catalogue_algorithm((arne_algorithm)index)
                                        : effort_quantity(index - ARNE_ALGORITHM_COUNT);
}

static const char *computed_name(const void *context, int index)
{
    return ((const computed *)context)->name[index];
}

int is_quantity(const char *name)
{
    const arne_algorithm_info *info;
    for (int a = 0; (info = quantity_info(a)) != NULL; a++)
        if (info->has & ARNE_HAS_COMPUTE && strcmp(info->name, name) == 0) return 1;
    return 0;
}

// Names of a quantity in other programs and books; NULL if there is none.
static const char *meant(const char *name)
{
    static const char *const words[][2] = {
        {"torque", "inverse-dynamics"},
        {"torques", "inverse-dynamics"},
        {"tau", "inverse-dynamics"},
        {"id", "inverse-dynamics"},
        {"rnea", "inverse-dynamics"},
        {"fd", "forward-dynamics"},
        {"aba", "forward-dynamics"},
        {"fk", "pose"},
        {"forward-kinematics", "pose"},
        {"kinematics", "pose"},
        {"ik", "inverse-kinematics"},
        {"crba", "mass-matrix"},
        {"inertia-matrix", "mass-matrix"},
        {"nonlinear-effects", "bias"},
        {"nle", "bias"},
        {"centre-of-mass", "com"},
        {"center-of-mass", "com"},
        {"mass", "com"},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i][0], name) == 0 && is_quantity(words[i][1])) return words[i][1];
    return NULL;
}

static int unknown_quantity(const computed *all, const char *name, const char *next)
{
    char        buffer[256];
    const char *word = meant(name);
    if (next && is_quantity(next))
        say("the quantity comes first: 'arne compute %s %s'", next, name);
    else if (word)
        say("unknown quantity '%s'; its name is %s", name, word);
    else {
        near_matches(name, computed_name, all, all->count, buffer, sizeof buffer);
        say("unknown quantity '%s'%s; 'arne compute --help' lists them", name, buffer);
    }
    return 0;
}

int find_quantity(const char *name, const char *next, quantity *out)
{
    computed                   all = {0};
    const arne_algorithm_info *info;
    for (int a = 0; (info = quantity_info(a)) != NULL; a++) {
        if (!(info->has & ARNE_HAS_COMPUTE)) continue;
        all.name[all.count++] = info->name;
        if (strcmp(info->name, name) != 0) continue;
        *out = (quantity){(arne_algorithm)a, info, needs_of(info), heeds_of(info),
                          effort_evaluate(info)};
        return 1;
    }
    return unknown_quantity(&all, name, next);
}

void quantity_choose(quantity *what, int closed)
{
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
        if (specials[i].algorithm == what->algorithm && closed >= specials[i].of_loops)
            what->evaluate = specials[i].evaluate;
    if (closed && closed_quantity(what->algorithm))
        what->evaluate = closed_quantity(what->algorithm);
}
