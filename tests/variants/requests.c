#include "requests.h"
#include <stdio.h>

static int loads_matter(const arne_algorithm_info *info)
{
    if (info->may & 1u << ARNE_INPUT_f_ext || info->takes & ARNE_TAKES_LOADS) return 1;
    for (int i = 0; i < info->output_count; i++)
        if (info->outputs[i].on_request) return 1;
    return 0;
}

int all_requests(request out[MAX_REQUESTS])
{
    int count = 0;
    for (int a = 0; a < ARNE_ALGORITHM_COUNT; a++) {
        const arne_algorithm_info *info = arne_catalogue_algorithm((arne_algorithm)a);
        if (!(info->has & ARNE_HAS_BATCH)) continue;
        for (int axes = ARNE_AXES_BODY; axes <= ARNE_AXES_ALIGNED; axes++) {
            if (axes != ARNE_AXES_BODY && !(info->takes & ARNE_TAKES_AXES)) continue;
            if (axes == ARNE_AXES_WORLD && info->takes & ARNE_TAKES_NO_WORLD_AXES) continue;
            for (int loaded = 0; loaded <= loads_matter(info); loaded++)
                out[count++] =
                    (request){(arne_algorithm)a, (arne_axes)axes, loaded, ARNE_ARRAY_COUNT};
        }
    }
    return count;
}

request request_for(arne_algorithm algorithm, arne_array only)
{
    return (request){algorithm, ARNE_AXES_BODY, 0, only};
}

const char *request_name(const request *ask)
{
    static const char *const in[] = {
        [ARNE_AXES_BODY] = "", [ARNE_AXES_WORLD] = ", world", [ARNE_AXES_ALIGNED] = ", aligned"};
    static char name[96];
    snprintf(name, sizeof name, "%s%s%s", arne_catalogue_algorithm(ask->algorithm)->name,
             in[ask->axes], ask->loaded ? ", loaded" : "");
    return name;
}

int request_applies(const request *ask, const arne_robot *robot)
{
    const arne_sizes size = arne_robot_sizes(robot);
    switch (ask->algorithm) {
    case ARNE_ALGORITHM_BASE_ACCELERATION:
        return arne_robot_base(robot) == ARNE_BASE_FREE;
    case ARNE_ALGORITHM_OPERATIONAL_INERTIA: // six freedoms and more, or there is no inverse
        return size.v_count >= 6 && arne_robot_base(robot) == ARNE_BASE_FREE;
    case ARNE_ALGORITHM_ZERO_MOMENT_POINT:
        return arne_total_mass(robot) > 0;
    case ARNE_ALGORITHM_WRENCH_DERIVATIVES:
        return size.joint_count > 0;
    default:
        return 1;
    }
}

int request_is_direct(const request *ask)
{
    const arne_algorithm_info *info = arne_catalogue_algorithm(ask->algorithm);
    for (int i = 0; i < info->output_count; i++)
        switch (info->outputs[i].array) {
        case ARNE_ARRAY_qdd:
        case ARNE_ARRAY_base_acceleration:
        case ARNE_ARRAY_Minv:
        case ARNE_ARRAY_Lambda:
            return 1;
        default:
            break;
        }
    return 0;
}

int request_wants(const request *ask, arne_array array)
{
    const arne_algorithm_info *info = arne_catalogue_algorithm(ask->algorithm);
    for (int i = 0; i < info->output_count; i++)
        if (info->outputs[i].array == array)
            return ask->only == array ||
                   (ask->only == ARNE_ARRAY_COUNT && (ask->loaded || !info->outputs[i].on_request));
    return 0;
}

int request_outputs(const request *ask, const arne_robot *robot)
{
    size_t count = 0;
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++)
        if (request_wants(ask, (arne_array)i)) count += arne_array_size(robot, (arne_array)i);
    return (int)count;
}
