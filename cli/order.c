#include "order.h"

#include "load.h"
#include "message.h"

#include <arne/builder.h>
#include <arne/identify.h>
#include <arne/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *entry_name(const char *joint, int index, int count)
{
    const size_t size = strlen(joint) + 16;
    char        *name = need(size, 1);
    if (count == 1)
        snprintf(name, size, "%s", joint);
    else
        snprintf(name, size, "%s.%d", joint, index);
    return name;
}

static char *theta_name(const char *joint)
{
    const size_t size = strlen(joint) + sizeof "theta.";
    char        *name = need(size, 1);
    snprintf(name, size, "theta.%s", joint);
    return name;
}

static void append_joint(const arne_robot *robot, int joint, ordering *out)
{
    const arne_joint_info info = arne_robot_joint(robot, joint);
    for (int i = 0; i < info.q_count; i++) {
        out->q[out->q_count] = info.q_start + i;
        out->q_name[out->q_count++] = entry_name(info.name, i, info.q_count);
    }
    for (int i = 0; i < info.v_count; i++) {
        out->v[out->v_count] = info.v_start + i;
        out->v_name[out->v_count++] = entry_name(info.name, i, info.v_count);
    }
}

// The motors that have a coordinate of their own, behind all joints and in the order of these.
static void append_thetas(const arne_robot *robot, ordering *out)
{
    const int motors = arne_robot_sizes(robot).motor_count, joints = out->v_count;
    for (int i = 0; i < joints; i++)
        for (int m = 0; m < motors; m++) {
            const arne_motor_info motor = arne_robot_motor(robot, m);
            const arne_joint_info joint = arne_robot_joint(robot, motor.joint);
            if (motor.v_index < 0 || joint.v_start != out->v[i]) continue;
            out->q[out->q_count] = motor.q_index;
            out->q_name[out->q_count++] = theta_name(joint.name);
            out->v[out->v_count] = motor.v_index;
            out->v_name[out->v_count++] = theta_name(joint.name);
            out->theta_count++;
        }
}

// The robot's own order: joints by their place in q, not by their number.
static void append_by_place(const arne_robot *robot, ordering *out)
{
    const arne_sizes sizes = arne_robot_sizes(robot);
    int             *joint_at = need((size_t)sizes.v_count, sizeof *joint_at);
    for (int i = 0; i < sizes.joint_count; i++) {
        const arne_joint_info info = arne_robot_joint(robot, i);
        if (info.v_count) joint_at[info.v_start] = i;
    }
    while (out->v_count < sizes.v_count - sizes.theta_count)
        append_joint(robot, joint_at[out->v_count], out);
    free(joint_at);
}

int find_joint(const arne_robot *robot, const char *option_name, const char *name)
{
    char      buffer[512];
    const int joint = arne_find_joint(robot, name);
    if (joint < 0) {
        near_matches(name, joint_name, robot, arne_robot_sizes(robot).joint_count, buffer,
                     sizeof buffer);
        say("%s: there is no moving joint '%s'%s", option_name, name, buffer);
        return -1;
    }
    const arne_joint_info info = arne_robot_joint(robot, joint);
    if (info.v_count) return joint;
    say("%s: joint '%s' follows '%s' and has no entry of its own", option_name, name,
        info.mimic >= 0 ? arne_robot_joint(robot, info.mimic).name : "nothing");
    return -1;
}

// The next name of a comma list, to be freed, or NULL after the last; *rest moves on behind it.
static char *next_name(const char **rest)
{
    if (!*rest) return NULL;
    const size_t length = strcspn(*rest, ",");
    char        *name = need_copy(*rest, length);
    *rest = (*rest)[length] ? *rest + length + 1 : NULL;
    return name;
}

static int take_joint(const arne_robot *robot, const char *name, int *taken, ordering *out)
{
    const int joint = find_joint(robot, "--order", name);
    if (joint < 0) return EXIT_USAGE;
    // The base is first already; to name it there is allowed.
    if (taken[joint] && !(out->base_v && joint == 0 && out->v_count == out->base_v))
        return fail_usage("--order: joint '%s' is there twice, or the free base is not first",
                          name);
    if (!taken[joint]) append_joint(robot, joint, out);
    taken[joint] = 1;
    return EXIT_FINE;
}

static int append_named(const arne_robot *robot, const char *names, int *taken, ordering *out)
{
    int         code = EXIT_FINE;
    const char *rest = *names ? names : NULL;
    for (char *name; code == EXIT_FINE && (name = next_name(&rest)); free(name))
        code = take_joint(robot, name, taken, out);
    const int joint_count = arne_robot_sizes(robot).joint_count;
    for (int i = 0; i < joint_count && code == EXIT_FINE; i++)
        if (!taken[i] && arne_robot_joint(robot, i).v_count)
            code = fail_usage("--order: joint '%s' is missing", joint_name(robot, i));
    return code;
}

static void name_parameters(const arne_robot *robot, ordering *out)
{
    out->parameter_count = arne_parameter_count(robot);
    out->parameter_name = need((size_t)out->parameter_count, sizeof *out->parameter_name);
    for (int i = 0; i < out->parameter_count; i++) {
        const size_t size = (size_t)arne_parameter_name(robot, i, NULL, 0) + 1;
        out->parameter_name[i] = need(size, 1);
        arne_parameter_name(robot, i, out->parameter_name[i], size);
    }
}

static unsigned char *passive_entries(const arne_robot *robot, const int *index, int count,
                                      int of_q)
{
    unsigned char *passive = need((size_t)count, 1);
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        const int             start = of_q ? j.q_start : j.v_start;
        const int             own = of_q ? j.q_count : j.v_count;
        for (int k = 0; j.passive && k < count; k++)
            passive[k] |= index[k] >= start && index[k] < start + own;
    }
    return passive;
}

static void name_active(const arne_robot *robot, ordering *out)
{
    unsigned char *active = need((size_t)out->v_count, 1);
    arne_active(robot, active);
    out->q_passive = passive_entries(robot, out->q, out->q_count, 1);
    out->v_passive = passive_entries(robot, out->v, out->v_count, 0);
    out->active = need((size_t)out->v_count, sizeof *out->active);
    out->active_name = need((size_t)out->v_count, sizeof *out->active_name);
    for (int i = 0; i < out->q_count; i++)
        out->q_active += !out->q_passive[i];
    for (int i = 0; i < out->v_count; i++) {
        if (out->v_passive[i]) continue;
        int before = 0;
        for (int k = 0; k < out->v[i]; k++)
            before += active[k];
        out->active[out->v_active] = before;
        out->active_name[out->v_active++] = out->v_name[i];
    }
    free(active);
}

int ordering_make(const arne_robot *robot, const char *names, ordering *out)
{
    const arne_sizes sizes = arne_robot_sizes(robot);
    int             *taken = need((size_t)sizes.joint_count, sizeof *taken);
    int              code = EXIT_FINE;

    *out = (ordering){0};
    out->q = need((size_t)sizes.q_count, sizeof *out->q);
    out->v = need((size_t)sizes.v_count, sizeof *out->v);
    out->q_name = need((size_t)sizes.q_count, sizeof *out->q_name);
    out->v_name = need((size_t)sizes.v_count, sizeof *out->v_name);
    if (arne_robot_base(robot) == ARNE_BASE_FREE) {
        append_joint(robot, 0, out);
        taken[0] = 1;
        out->base_q = out->q_count;
        out->base_v = out->v_count;
    }
    if (names)
        code = append_named(robot, names, taken, out);
    else
        append_by_place(robot, out);
    if (code == EXIT_FINE) append_thetas(robot, out);
    free(taken);
    name_parameters(robot, out);
    if (code == EXIT_FINE && sizes.loop_count) name_active(robot, out);
    if (code != EXIT_FINE) ordering_free(out);
    return code;
}

void ordering_free(ordering *order)
{
    for (int i = 0; i < order->q_count; i++)
        free(order->q_name[i]);
    for (int i = 0; i < order->v_count; i++)
        free(order->v_name[i]);
    for (int i = 0; i < order->parameter_count; i++)
        free(order->parameter_name[i]);
    free(order->parameter_name);
    free(order->q);
    free(order->v);
    free(order->q_name);
    free(order->v_name);
    free(order->q_passive);
    free(order->v_passive);
    free(order->active);
    free(order->active_name);
    *order = (ordering){0};
}

// "theta.elbow": the motor behind the spring of that joint, as columns have it.
static int give_motor(const arne_robot *robot, const char *name, unsigned char *given)
{
    const int motor = arne_joint_motor(robot, arne_find_joint(robot, name + strlen("theta.")));
    const int index = motor < 0 ? -1 : arne_robot_motor(robot, motor).v_index;
    if (index < 0)
        return fail_usage("--given: there is no elastic joint with a motor for '%s'", name);
    if (given[index]) return fail_usage("--given: '%s' is there twice", name);
    given[index] = 1;
    return EXIT_FINE;
}

static int give_joint(const arne_robot *robot, const char *name, unsigned char *given)
{
    if (strncmp(name, "theta.", strlen("theta.")) == 0 && arne_find_joint(robot, name) < 0)
        return give_motor(robot, name, given);
    const int joint = find_joint(robot, "--given", name);
    if (joint < 0) return EXIT_USAGE;
    const arne_joint_info info = arne_robot_joint(robot, joint);
    if (given[info.v_start]) return fail_usage("--given: joint '%s' is there twice", name);
    memset(given + info.v_start, 1, (size_t)info.v_count);
    return EXIT_FINE;
}

int given_make(const arne_robot *robot, const char *names, unsigned char **out)
{
    int         code = EXIT_FINE;
    const char *rest = *names ? names : NULL;
    *out = need((size_t)arne_robot_sizes(robot).v_count, 1);
    for (char *name; code == EXIT_FINE && (name = next_name(&rest)); free(name))
        code = give_joint(robot, name, *out);
    return code;
}
