#include "compute_muscles.h"

#include "message.h"

#include <arne/muscle.h>
#include <stdlib.h>
#include <string.h>

// Lengths, speeds or moment arms of each muscle by its name.
static int muscle_paths(const request *ask, const state *at, arne_algorithm what, result *out)
{
    const size_t count = (size_t)arne_muscle_count(ask->robot);
    const size_t columns = (size_t)arne_robot_sizes(ask->robot).v_count;
    const int    arms = what == ARNE_ALGORITHM_MUSCLE_MOMENT_ARMS;
    const int    speeds = what == ARNE_ALGORITHM_MUSCLE_VELOCITIES;
    if (!count)
        return fail_data("%s: %s needs a robot with muscles, and this one has none", ask->path,
                         arne_catalogue_algorithm(what)->name);
    double     *values = need(count * (columns + 1), sizeof *values);
    arne_status status;
    if (arms)
        status = arne_muscle_moment_arms(ask->robot, ask->work, at->part[PART_Q], values);
    else
        status = arne_muscle_lengths(ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD],
                                     speeds ? NULL : values, speeds ? values : NULL);
    for (size_t i = 0; i < count && !status; i++) {
        const char *name = arne_robot_muscle(ask->robot, (int)i).name;
        if (arms)
            memcpy(result_add_in(out, "muscle_moment_arms", NULL, name, AXIS_V, AXIS_ONE),
                   values + i * columns, columns * sizeof *values);
        else
            *result_add_in(out, speeds ? "muscle_velocities" : "muscle_lengths", NULL, name,
                           AXIS_ONE, AXIS_ONE) = values[i];
    }
    free(values);
    return status ? fail_data("%s: %s", ask->path, arne_status_text(status)) : EXIT_FINE;
}

int muscle_lengths(const request *ask, const state *at, result *out)
{
    return muscle_paths(ask, at, ARNE_ALGORITHM_MUSCLE_LENGTHS, out);
}

int muscle_velocities(const request *ask, const state *at, result *out)
{
    return muscle_paths(ask, at, ARNE_ALGORITHM_MUSCLE_VELOCITIES, out);
}

int muscle_moment_arms(const request *ask, const state *at, result *out)
{
    return muscle_paths(ask, at, ARNE_ALGORITHM_MUSCLE_MOMENT_ARMS, out);
}
