#include "variant.h"

enum { INVERSE, DIRECT };

const char *algorithm_name(algorithm a)
{
    static const char *const names[] = {
#define ALGORITHM(name, count, type) #name,
        ALGORITHMS(ALGORITHM)
#undef ALGORITHM
    };
    return names[a];
}

int algorithm_is_direct(algorithm a)
{
    static const int types[] = {
#define ALGORITHM(name, count, type) type,
        ALGORITHMS(ALGORITHM)
#undef ALGORITHM
    };
    return types[a] == DIRECT;
}

int algorithm_outputs(const arne_robot *robot, algorithm a)
{
    const arne_sizes size = arne_robot_sizes(robot);
    const int        n = size.v_count, b = size.body_count;
    switch (a) {
#define ALGORITHM(name, count, type)                                                               \
    case ALGORITHM_##name:                                                                         \
        return count;
        ALGORITHMS(ALGORITHM)
#undef ALGORITHM
    default:
        return 0;
    }
}

int variant_input_count(const arne_robot *robot, variant_input input)
{
    const arne_sizes size = arne_robot_sizes(robot);
    return input == INPUT_F_EXT ? 6 * size.body_count : size.v_count;
}
