// arne motion muscles: activations of least sum that give the torques of a recorded motion.
#include "message.h"
#include "motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// "TORQUE" or "JOINT=TORQUE" of --reserve, in their order.
static int take_reserves(const text_list *list, const arne_robot *robot, double *reserves)
{
    const int v = arne_robot_sizes(robot).v_count;
    for (int j = 0; j < v; j++)
        reserves[j] = 1;
    for (int i = 0; i < list->count; i++) {
        const char *equals = strrchr(list->text[i], '=');
        char     *name = equals ? need_copy(list->text[i], (size_t)(equals - list->text[i])) : NULL;
        const int joint = name ? arne_find_joint(robot, name) : -1;
        double    value = -1;
        free(name);
        if (equals && joint < 0)
            return fail_usage("--reserve: there is no joint of '%s'", list->text[i]);
        if (arne_parse_number(equals ? equals + 1 : list->text[i], &value) != ARNE_OK ||
            !(value >= 0))
            return fail_usage("--reserve: '%s' must be [JOINT=]TORQUE with a TORQUE that is not "
                              "negative",
                              list->text[i]);
        const arne_joint_info info = equals ? arne_robot_joint(robot, joint) : (arne_joint_info){0};
        const int             first = info.v_start, count = equals ? info.v_count : v;
        for (int j = first; j < first + count; j++)
            reserves[j] = value;
    }
    return EXIT_FINE;
}

// Which coordinates muscles move, as the recording starts: reserves matter there.
static void find_moved(const arne_robot *robot, const arne_recording *r, int *moved)
{
    const int  n = arne_muscle_count(robot), v = r->columns;
    arne_work *work = NULL;
    double    *arms = need((size_t)n * (size_t)v + 1, sizeof *arms);
    if (r->rows && !arne_work_new(robot, &work) &&
        !arne_muscle_moment_arms(robot, work, r->x, arms))
        for (int i = 0; i < n * v; i++)
            moved[i % v] |= fabs(arms[i]) > 1e-9;
    arne_work_free(work);
    free(arms);
}

// The muscle that is most active, and the joint whose reserve gives most.
static void say_muscles(const arne_robot *robot, const int *moved, const arne_table *t, int missed)
{
    static const char *const what[] = {"activation.", "rest."};
    for (int k = 0; k < 2; k++) {
        double most = -1, time = 0;
        int    at = -1;
        for (int c = 1; c < arne_table_columns(t); c++) {
            const char *name = arne_table_name(t, c);
            if (strncmp(name, what[k], strlen(what[k])) != 0) continue;
            name += strlen(what[k]);
            if (k == 1) {
                const arne_joint_info j = arne_robot_joint(robot, arne_find_joint(robot, name));
                if (!moved[j.v_start]) continue;
            }
            for (int r = 0; r < arne_table_rows(t); r++)
                if (fabs(arne_table_row(t, r)[c]) > most) {
                    most = fabs(arne_table_row(t, r)[c]);
                    time = arne_table_row(t, r)[0];
                    at = c;
                }
        }
        if (at < 0) continue;
        if (k == 0)
            say("%d frames; most active: %s, %.3f at %.3f s", arne_table_rows(t),
                arne_table_name(t, at) + strlen(what[k]), most, time);
        else
            say("largest reserve: %s, %.3g %s at %.3f s", arne_table_name(t, at) + strlen(what[k]),
                most, arne_table_unit(t, at), time);
    }
    if (missed)
        say("%d frames need more than muscles and reserves can give: allow more with --reserve",
            missed);
}

int motion_muscles(const motion_args *args, const arne_robot *robot, const char *file)
{
    arne_recording r = {0};
    arne_loads    *loads = NULL;
    arne_table    *table = NULL, *reactions = NULL;
    arne_error     error = {0};
    double        *reserves = need((size_t)arne_robot_sizes(robot).v_count + 1, sizeof *reserves);
    int            missed = 0, code = take_reserves(&args->reserve, robot, reserves);
    const arne_static_options how = {.size = sizeof how,
                                     .power = args->power.given ? args->power.value[0] : 2,
                                     .reserves = reserves,
                                     .passive = args->passive,
                                     .compliant = args->compliant,
                                     .opensim = args->opensim};
    if (code == EXIT_FINE) code = motion_read(args, robot, file, &r, &loads);
    if (code == EXIT_FINE) {
        const arne_status status = arne_recording_muscles(
            robot, &r, loads, &how, &table, args->reactions ? &reactions : NULL, &missed, &error);
        if (status) code = fail_error(file, status, &error);
    }
    if (code == EXIT_FINE && !args->robot.quiet) {
        int *moved = need((size_t)r.columns + 1, sizeof *moved);
        memset(moved, 0, (size_t)r.columns * sizeof *moved);
        find_moved(robot, &r, moved);
        say_muscles(robot, moved, table, missed);
        free(moved);
    }
    if (code == EXIT_FINE) code = motion_write(table, args->output);
    if (code == EXIT_FINE && reactions) code = motion_write(reactions, args->reactions);
    free(reserves);
    arne_table_free(table);
    arne_table_free(reactions);
    arne_loads_free(loads);
    arne_recording_free(&r);
    return code;
}
