#include "given_state.h"

#include "csv_names.h"
#include "csv_states.h"
#include "load.h"
#include "message.h"

#include <arne/configuration.h>
#include <arne/io.h>
#include <arne/loop.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const part_name[PART_COUNT] = {"q", "qd", "qdd", "qddd", "tau"};
const char *const theta_part_name[BASE_PARTS] = {"theta", "thetad", "thetadd", "thetaddd"};

// Off by more than this, a quaternion is a mistake and not rounding.
static const double QUATERNION_TOLERANCE = 1e-6;

static void neutral_state(const arne_robot *robot, const state *s)
{
    const arne_sizes sizes = arne_robot_sizes(robot);
    arne_start_configuration(robot, s->part[PART_Q]);
    for (int p = 0; p < PART_COUNT; p++) {
        const int count = p == PART_Q ? sizes.q_count : sizes.v_count;
        for (int i = count - sizes.theta_count; i < count; i++)
            s->part[p][i] = NAN;
    }
}

void states_new(const arne_robot *robot, int count, state_list *out)
{
    const arne_sizes sizes = arne_robot_sizes(robot);
    const size_t     q = (size_t)sizes.q_count, v = (size_t)sizes.v_count;
    const size_t     each = q + (PART_COUNT - 1) * v;
    *out = (state_list){.item = need((size_t)count, sizeof *out->item),
                        .count = count,
                        .numbers = need((size_t)count * each, sizeof *out->numbers)};
    for (int i = 0; i < count; i++) {
        state  *s = &out->item[i];
        double *at = out->numbers + (size_t)i * each;
        s->partial = sizes.loop_count ? ~0u : 0;
        s->time = NAN;
        for (int p = 0; p < PART_COUNT; p++)
            s->part[p] = at + (p ? q + (size_t)(p - 1) * v : 0);
        if (i == 0)
            neutral_state(robot, s);
        else
            memcpy(at, out->numbers, each * sizeof *at);
    }
}

// Of what nothing is said, a motor moves with its joint; the torque of an elastic joint is that of
// its motor.
static void complete_thetas(const arne_robot *robot, const state *s)
{
    for (int m = 0; m < arne_robot_sizes(robot).motor_count; m++) {
        const arne_motor_info motor = arne_robot_motor(robot, m);
        const arne_joint_info joint = arne_robot_joint(robot, motor.joint);
        for (int p = 0; p < PART_COUNT && motor.v_index >= 0; p++) {
            double *theta = &s->part[p][p == PART_Q ? motor.q_index : motor.v_index];
            double *own = &s->part[p][p == PART_Q ? joint.q_start : joint.v_start];
            if (!isnan(*theta)) continue;
            *theta = *own;
            if (p == PART_TAU) *own = 0;
        }
    }
}

void states_free(state_list *list)
{
    free(list->item);
    free(list->numbers);
    free(list->load_frame);
    free(list->loads);
    *list = (state_list){0};
}

int quaternions_are_unit(const arne_robot *robot, const double *q)
{
    return fabs(arne_quaternion_error(robot, q)) <= QUATERNION_TOLERANCE;
}

int check_quaternions(const arne_robot *robot, const double *q, const char *where)
{
    const double error = arne_quaternion_error(robot, q);
    if (quaternions_are_unit(robot, q)) return EXIT_FINE;
    return fail_data("%s: a quaternion has length %.9g, not 1", where, 1 + error);
}

// The numbers of the joints that are not passive.
static int set_active(const ordering *order, int part, const number_list *list, int first, state *s)
{
    const int            total = part == PART_Q ? order->q_count : order->v_count;
    const int            active = part == PART_Q ? order->q_active : order->v_active;
    const int           *index = part == PART_Q ? order->q : order->v;
    const unsigned char *passive = part == PART_Q ? order->q_passive : order->v_passive;
    if (list->count != active - first && list->count != active - first - order->theta_count)
        return fail_data("--%s: %d values of the active joints are needed%s, or %d of all, and %d "
                         "are given; 'arne info' prints their order",
                         part_name[part], active - first - order->theta_count,
                         first ? " after the base's" : "", total - first - order->theta_count,
                         list->count);
    for (int i = first, k = 0; k < list->count; i++)
        if (!passive[i]) s->part[part][index[i]] = list->value[k++];
    return EXIT_FINE;
}

// The numbers of one option into a state, after those `first` ones that another option gives.
static int set_part(const ordering *order, int part, const number_list *list, int first, state *s)
{
    const int  total = part == PART_Q ? order->q_count : order->v_count;
    const int *index = part == PART_Q ? order->q : order->v;
    const int  joints = total - order->theta_count;
    if (!list->given) return EXIT_FINE;
    if (order->q_passive && list->count != total - first && list->count != joints - first)
        return set_active(order, part, list, first, s);
    s->partial &= ~(1u << part);
    if (list->count != joints - first && list->count != total - first)
        return fail_data(
            "--%s: %d values are needed%s, %d are given; 'arne info' prints their order",
            part_name[part], joints - first, first ? " after the base's" : "", list->count);
    for (int i = 0; i < list->count; i++)
        s->part[part][index[first + i]] = list->value[i];
    return EXIT_FINE;
}

// One "JOINT=VALUE" of an option.
static int set_named(const arne_robot *robot, int part, const char *name, const char *value,
                     const state *s)
{
    char        given[16], near[300];
    number_list number = {0};
    const int   at = arne_find_joint(robot, name);
    snprintf(given, sizeof given, "--%s", part_name[part]);
    if (at < 0) {
        near_matches(name, joint_name, robot, arne_robot_sizes(robot).joint_count, near,
                     sizeof near);
        return fail_usage("%s: there is no joint '%s'%s", given, name, near);
    }
    const arne_joint_info j = arne_robot_joint(robot, at);
    const int             count = part == PART_Q ? j.q_count : j.v_count;
    const int             tied = j.passive && arne_robot_sizes(robot).loop_count > 0;
    if (tied || count != 1)
        return fail_usage("%s: joint '%s' %s", given, name,
                          count > 1 ? "has several numbers: give the list of all joints"
                          : tied    ? "is passive: it follows from the others"
                                    : "follows another one");
    const int code = parse_numbers(given, value, 1, &number);
    if (code == EXIT_FINE) s->part[part][part == PART_Q ? j.q_start : j.v_start] = number.value[0];
    free(number.value);
    return code;
}

// "JOINT=VALUE,JOINT=VALUE"; other joints stay as they are.
static int set_by_name(const arne_robot *robot, int part, const char *text, const state *s)
{
    int   code = EXIT_FINE;
    char *copy = need_copy(text, strlen(text)), *rest = copy;
    while (rest && code == EXIT_FINE) {
        char *comma = strchr(rest, ','), *sign = strchr(rest, '=');
        if (comma) *comma = 0;
        if (!sign || (comma && sign > comma)) {
            code = fail_usage("--%s: '%s' has no '='; write JOINT=VALUE of each", part_name[part],
                              rest);
        } else {
            *sign = 0;
            code = set_named(robot, part, rest, sign + 1, s);
        }
        rest = comma ? comma + 1 : NULL;
    }
    free(copy);
    return code;
}

// The numbers of --theta, --thetad or --thetadd, unless they stand at the tail of --q, --qd or
// --qdd already.
static int set_theta(const ordering *order, int part, const state_args *args, state *s)
{
    const number_list *list = &args->theta[part];
    const int  joints = (part == PART_Q ? order->q_count : order->v_count) - order->theta_count;
    const int *index = (part == PART_Q ? order->q : order->v) + joints;
    if (!list->given) return EXIT_FINE;
    if (list->count != order->theta_count)
        return fail_data("--%s: %d values are needed, one for each elastic joint with a motor, %d "
                         "are given",
                         theta_part_name[part], order->theta_count, list->count);
    for (int i = 0; i < list->count; i++) {
        if (!isnan(s->part[part][index[i]]))
            return fail_usage("--%s: the motors' numbers are in --%s too", theta_part_name[part],
                              part_name[part]);
        s->part[part][index[i]] = list->value[i];
    }
    return EXIT_FINE;
}

// A jerk that is not given is not zero; other parts are often left out, which means rest.
static int check_jerk(const ordering *order, const state_args *args, const state_needs *needs)
{
    const int from_base = args->base[PART_QDDD].given ? order->base_v : 0;
    if (!(needs->parts & NEED_QDDD) || args->part[PART_QDDD].given || order->v_count == from_base)
        return EXIT_FINE;
    return fail_data("%s needs --qddd, the time derivative of the accelerations", needs->why);
}

// How many of a part's first numbers are not in its own option.
static int left_out(const ordering *order, const state_args *args, unsigned needs, int part)
{
    const int base = part == PART_Q ? order->base_q : order->base_v;
    if (part < BASE_PARTS && args->base[part].given) return base;
    // A base whose acceleration is sought may have a place in qdd, and need not.
    const int sought = part == PART_QDD && needs & NEED_JOINTS_QDD;
    const int count = args->part[part].count, joints = order->v_count - order->theta_count;
    return sought && count != joints && count != order->v_count ? base : 0;
}

// A result for a state that was not given could be mistaken for the intended one.
static void say_neutral(const state_args *args, const state_needs *needs)
{
    int given = args->quiet || !(needs->parts & NEED_Q);
    for (int p = 0; p < PART_COUNT; p++)
        given |= args->part[p].given;
    for (int p = 0; p < BASE_PARTS; p++)
        given |= args->base[p].given;
    if (!given)
        say("no state is given (--q, --states): the joints are taken at 0, or at the start that "
            "the robot's file names%s",
            needs->parts & NEED_QD ? ", at rest" : "");
}

// --q NAME: a configuration that the robot's file names.
static int named_posture(const arne_robot *robot, const state_args *args, state *s)
{
    arne_error  error = {0};
    const char *name = args->part[PART_Q].name;
    if (!args->robot_file) return fail_data("--q: '%s' is no list of numbers", name);
    const arne_status status =
        arne_read_configuration(args->robot_file, robot, name, s->part[PART_Q], &error);
    s->partial &= ~(1u << PART_Q);
    return status ? fail_error("--q", status, &error) : EXIT_FINE;
}

static int one_state(const arne_robot *robot, const ordering *order, const state_args *args,
                     unsigned needs, state_list *out)
{
    states_new(robot, 1, out);
    state *s = out->item;
    int    code = EXIT_FINE;
    for (int p = 0; p < PART_COUNT && code == EXIT_FINE; p++) {
        const int          first = left_out(order, args, needs, p);
        const number_list *list = &args->part[p];
        code = p == PART_Q && list->name ? named_posture(robot, args, s)
               : list->named             ? set_by_name(robot, p, list->named, s)
                                         : set_part(order, p, list, first, s);
        if (code == EXIT_FINE && p < THETA_PARTS) code = set_theta(order, p, args, s);
    }
    return code == EXIT_FINE ? check_quaternions(robot, s->part[PART_Q], "--q") : code;
}

// Where the base is free, its pose and motion are the first numbers of q, qd, qdd and qddd.
static void set_free_base(const ordering *order, const state_args *args, const state *s)
{
    for (int p = 0; p < BASE_PARTS && order->base_v; p++)
        if (args->base[p].given)
            memcpy(s->part[p], args->base[p].value, (size_t)args->base[p].count * sizeof(double));
}

int check_degrees(const arne_joint_info *joint, double q, const char *where, const char *how,
                  int quiet)
{
    char               name[128];
    const arne_degrees found = arne_joint_degrees(joint, q);
    if (found == ARNE_DEGREES_OUTSIDE)
        return fail_data("%s: joint '%s' is %g rad, far outside its limits [%g, %g]; %s", where,
                         shown(joint->name, name, sizeof name), q, joint->lower, joint->upper, how);
    if (found == ARNE_DEGREES_PERHAPS && !quiet)
        warn("degrees", "%s: joint '%s' is %g rad, more than two turns; %s", where,
             shown(joint->name, name, sizeof name), q, how);
    return EXIT_FINE;
}

// Of the first such joint.
static int given_state_ask_about_degrees(const arne_robot *robot, const state_args *args,
                                         const double *q)
{
    for (int i = 0; args->part[PART_Q].given && i < arne_robot_sizes(robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        char                  how[64];
        if (j.q_count != 1 || !arne_joint_degrees(&j, q[j.q_start])) continue;
        snprintf(how, sizeof how, "degrees are written '%g deg'", q[j.q_start]);
        return check_degrees(&j, q[j.q_start], "--q", how, args->quiet);
    }
    return EXIT_FINE;
}

int states_make(const arne_robot *robot, const ordering *order, const state_args *args,
                const state_needs *needs, state_list *out)
{
    int code;
    *out = (state_list){0};
    for (int p = 0; args->file && p < PART_COUNT; p++)
        if (args->part[p].given)
            return fail_usage("--%s and --states exclude each other", part_name[p]);
    for (int p = 0; args->file && p < THETA_PARTS; p++)
        if (args->theta[p].given)
            return fail_usage("--%s and --states exclude each other", theta_part_name[p]);
    if (args->differentiate && !args->file)
        return fail_usage("--differentiate needs --states, a recorded motion");
    if (args->column.count && !args->file) return fail_usage("--column is of --states, a table");
    code = column_aliases_check(&args->column);
    if (code != EXIT_FINE) return code;
    if (args->cutoff.given && !args->differentiate)
        return fail_usage("--cutoff is of --differentiate");
    if (args->cutoff.given && !(args->cutoff.value[0] > 0))
        return fail_usage("--cutoff must be a frequency above 0 Hz");
    if (args->file) {
        csv_request request = {.file = args->file,
                               .needs = needs,
                               .columns = &args->column,
                               .differentiate = args->differentiate,
                               .quiet = args->quiet,
                               .cutoff = args->cutoff.given ? args->cutoff.value[0] : 0};
        for (int p = 0; p < BASE_PARTS; p++)
            request.base_given[p] = order->base_v && args->base[p].given;
        if (needs->parts & NEED_JOINTS_QDD) request.base_given[PART_QDD] = 1;
        code = csv_read_states(robot, order, &request, out);
    } else {
        code = check_jerk(order, args, needs);
        if (code == EXIT_FINE) code = one_state(robot, order, args, needs->parts, out);
        if (code == EXIT_FINE) say_neutral(args, needs);
        if (code == EXIT_FINE)
            code = given_state_ask_about_degrees(robot, args, out->item[0].part[PART_Q]);
    }
    for (int i = 0; i < out->count && code == EXIT_FINE; i++) {
        set_free_base(order, args, &out->item[i]);
        complete_thetas(robot, &out->item[i]);
        arne_normalize(robot, out->item[i].part[PART_Q]); // what rounding the text left
    }
    if (code != EXIT_FINE) states_free(out);
    return code;
}
