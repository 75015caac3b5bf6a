// The catalogue at run time: tables made of the rows of arne/catalogue.def.
#include <arne/catalogue.h>
#include <arne/identify.h>
#include <arne/muscle.h>
#include <string.h>

// ---- the tables ----

static const struct {
    const char *name, *text;
} extents[] = {
#define ARNE_EXTENT(name, text) {#name, text},
#include <arne/catalogue.def>
};

#define ARRAY(name, a, b, c, unit, text, in, out, batched)                                         \
    {#name, unit, text, {ARNE_EXTENT_##a, ARNE_EXTENT_##b, ARNE_EXTENT_##c}, in, out, batched},
static const arne_array_info arrays[] = {
#define ARNE_INPUT(name, a, b, c, unit, text) ARRAY(name, a, b, c, unit, text, 1, 0, 1)
#define ARNE_INPUT_OUTPUT(name, a, b, c, unit, text) ARRAY(name, a, b, c, unit, text, 1, 1, 1)
#define ARNE_OUTPUT(name, a, b, c, unit, text) ARRAY(name, a, b, c, unit, text, 0, 1, 1)
#define ARNE_RESULT(name, a, b, c, unit, text) ARRAY(name, a, b, c, unit, text, 0, 1, 0)
#include <arne/catalogue.def>
};
#undef ARRAY

// The words of the rows.
#define IN(name) (1u << ARNE_INPUT_##name)
#define OUT(name)                                                                                  \
    {                                                                                              \
        ARNE_ARRAY_##name, 0, 0                                                                    \
    }
#define OUT_QD(name)                                                                               \
    {                                                                                              \
        ARNE_ARRAY_##name, IN(qd), 0                                                               \
    }
#define ALSO(name)                                                                                 \
    {                                                                                              \
        ARNE_ARRAY_##name, 0, 1                                                                    \
    }
#define ALSO_QD(name)                                                                              \
    {                                                                                              \
        ARNE_ARRAY_##name, IN(qd), 1                                                               \
    }

// In the order of their bits.
#define TAKES(WORD)                                                                                \
    WORD(FRAME, "frame")                                                                           \
    WORD(JOINT, "joint")                                                                           \
    WORD(AXES, "axes")                                                                             \
    WORD(NO_WORLD_AXES, "no-world-axes")                                                           \
    WORD(SPATIAL, "spatial")                                                                       \
    WORD(RATE, "rate")                                                                             \
    WORD(LOADS, "loads")                                                                           \
    WORD(LOAD_RATES, "load-rates")                                                                 \
    WORD(GIVEN, "given")                                                                           \
    WORD(PLANE, "plane")                                                                           \
    WORD(TARGETS, "targets")                                                                       \
    WORD(METHOD, "method")                                                                         \
    WORD(STEPS, "steps")                                                                           \
    WORD(JOINTS_QDD, "joints-qdd")                                                                 \
    WORD(MOTORS, "motors")                                                                         \
    WORD(HELD, "held")                                                                             \
    WORD(CONTACTS, "contacts")                                                                     \
    WORD(ACTIVATION, "activation")
#define HAS(WORD)                                                                                  \
    WORD(COMPUTE, "compute")                                                                       \
    WORD(BENCH, "bench")                                                                           \
    WORD(BATCH, "batch")                                                                           \
    WORD(GENERATED, "generated")                                                                   \
    WORD(GPU, "gpu")                                                                               \
    WORD(LOOPS, "loops")                                                                           \
    WORD(BASE_FORM, "base-form")                                                                   \
    WORD(CLOSED, "closed")
enum {
#define WORD(name, word) name = ARNE_TAKES_##name,
    TAKES(WORD)
#undef WORD
#define WORD(name, word) name = ARNE_HAS_##name,
        HAS(WORD)
#undef WORD
};

#define ARNE_ALGORITHM(id, name, text, needs, may, takes, has, ...)                                \
    static const arne_algorithm_output outputs_##id[] = {__VA_ARGS__};
#define ARNE_PROCEDURE ARNE_ALGORITHM
#include <arne/catalogue.def>

#define ROW(id, name, text, needs, may, takes, has)                                                \
    {#id,   name,         text,                                                                    \
     needs, may,          takes,                                                                   \
     has,   outputs_##id, (int)(sizeof outputs_##id / sizeof outputs_##id[0])},
static const arne_algorithm_info algorithms[] = {
#define ARNE_ALGORITHM(id, name, text, needs, may, takes, has, ...)                                \
    ROW(id, name, text, needs, may, takes, (has) | BATCH)
#define ARNE_PROCEDURE(id, name, text, needs, may, takes, has, ...)                                \
    ROW(id, name, text, needs, may, takes, has)
#include <arne/catalogue.def>
};
#undef ROW

// ---- what reads them ----

const arne_algorithm_info *arne_catalogue_algorithm(arne_algorithm algorithm)
{
    return (unsigned)algorithm < ARNE_ALGORITHM_COUNT ? &algorithms[algorithm] : NULL;
}

const arne_array_info *arne_catalogue_array(arne_array array)
{
    return (unsigned)array < ARNE_ARRAY_COUNT ? &arrays[array] : NULL;
}

arne_algorithm arne_catalogue_find_algorithm(const char *name)
{
    int i = 0;
    while (i < ARNE_ALGORITHM_COUNT && strcmp(algorithms[i].name, name) != 0)
        i++;
    return (arne_algorithm)i;
}

arne_array arne_catalogue_find_array(const char *name)
{
    int i = 0;
    while (i < ARNE_ARRAY_COUNT && strcmp(arrays[i].name, name) != 0)
        i++;
    return (arne_array)i;
}

const char *arne_catalogue_extent(arne_extent extent)
{
    return (unsigned)extent < ARNE_EXTENT_COUNT ? extents[extent].name : NULL;
}

const char *arne_catalogue_extent_text(arne_extent extent)
{
    return (unsigned)extent < ARNE_EXTENT_COUNT ? extents[extent].text : NULL;
}

#define WORD(name, word) word,
const char *arne_catalogue_takes(int bit)
{
    static const char *const words[] = {TAKES(WORD)};
    return bit >= 0 && bit < (int)(sizeof words / sizeof words[0]) ? words[bit] : NULL;
}

const char *arne_catalogue_has(int bit)
{
    static const char *const words[] = {HAS(WORD)};
    return bit >= 0 && bit < (int)(sizeof words / sizeof words[0]) ? words[bit] : NULL;
}
#undef WORD

static int active_count(const arne_robot *robot)
{
    const arne_sizes size = arne_robot_sizes(robot);
    int              count = size.v_count;
    for (int i = 0; i < size.joint_count; i++) {
        const arne_joint_info joint = arne_robot_joint(robot, i);
        if (joint.passive) count -= joint.v_count;
    }
    return count;
}

size_t arne_extent_size(const arne_robot *robot, arne_extent extent)
{
    const arne_sizes size = arne_robot_sizes(robot);
    switch (extent) {
    case ARNE_EXTENT_3:
        return 3;
    case ARNE_EXTENT_6:
        return 6;
    case ARNE_EXTENT_10:
        return 10;
    case ARNE_EXTENT_12:
        return 12;
    case ARNE_EXTENT_Q:
        return (size_t)size.q_count;
    case ARNE_EXTENT_V:
        return (size_t)size.v_count;
    case ARNE_EXTENT_BODIES:
        return (size_t)size.body_count;
    case ARNE_EXTENT_JOINTS:
        return (size_t)size.joint_count;
    case ARNE_EXTENT_PARAMETERS:
        return (size_t)arne_parameter_count(robot);
    case ARNE_EXTENT_DRIVEN:
        return (size_t)(size.v_count - size.theta_count);
    case ARNE_EXTENT_MOTORS:
        return (size_t)size.theta_count;
    case ARNE_EXTENT_ACTIVE:
        return (size_t)active_count(robot);
    case ARNE_EXTENT_LOOPS:
        return (size_t)size.loop_count;
    case ARNE_EXTENT_SHAPES:
        return (size_t)size.contact_count;
    case ARNE_EXTENT_MUSCLES:
        return (size_t)arne_muscle_count(robot);
    default:
        return 1;
    }
}

size_t arne_array_size(const arne_robot *robot, arne_array array)
{
    size_t size = 1;
    for (int i = 0; i < ARNE_SHAPE; i++)
        size *= arne_extent_size(robot, arrays[array].shape[i]);
    return size;
}
