// The catalogue of all algorithms, for programs: every algorithm with its inputs and outputs, their
// shapes and units, and where it can run. The rows are in arne/catalogue.def, which also makes the
// enumerations here and the structs of batch.h and gpu.h.
#ifndef ARNE_CATALOGUE_H
#define ARNE_CATALOGUE_H

#include <arne/robot.h>
#include <stddef.h>

// The range of an index of an array.
typedef enum arne_extent {
#define ARNE_EXTENT(name, text) ARNE_EXTENT_##name,
#include <arne/catalogue.def>
    ARNE_EXTENT_COUNT
} arne_extent;

typedef enum arne_array {
#define ARNE_INPUT(name, ...) ARNE_ARRAY_##name,
#define ARNE_INPUT_OUTPUT(name, ...) ARNE_ARRAY_##name,
#define ARNE_OUTPUT(name, ...) ARNE_ARRAY_##name,
#define ARNE_RESULT(name, ...) ARNE_ARRAY_##name,
#include <arne/catalogue.def>
    ARNE_ARRAY_COUNT
} arne_array;

// Inputs come first in arne_array, so that a set of inputs is a set of bits: 1u << ARNE_INPUT_qd.
typedef enum arne_input {
#define ARNE_INPUT(name, ...) ARNE_INPUT_##name,
#define ARNE_INPUT_OUTPUT(name, ...) ARNE_INPUT_##name,
#include <arne/catalogue.def>
    ARNE_INPUT_COUNT
} arne_input;

typedef enum arne_algorithm {
#define ARNE_ALGORITHM(identifier, ...) ARNE_ALGORITHM_##identifier,
#define ARNE_PROCEDURE(identifier, ...) ARNE_ALGORITHM_##identifier,
#include <arne/catalogue.def>
    ARNE_ALGORITHM_COUNT
} arne_algorithm;

enum { ARNE_SHAPE = 3 };

typedef struct arne_array_info {
    const char *name, *unit, *text;
    arne_extent shape[ARNE_SHAPE]; // ARNE_EXTENT_1 after the last
    int         is_input, is_output, is_batched;
} arne_array_info;

// Arguments of an algorithm besides arrays.
enum {
    ARNE_TAKES_FRAME = 1 << 0,         // a frame; outputs with ARNE_EXTENT_FRAME may be of many
    ARNE_TAKES_JOINT = 1 << 1,         // a joint; likewise
    ARNE_TAKES_AXES = 1 << 2,          // arne_axes
    ARNE_TAKES_NO_WORLD_AXES = 1 << 3, // of these, not the world's
    ARNE_TAKES_SPATIAL = 1 << 4,       // arne_acceleration_kind
    ARNE_TAKES_RATE = 1 << 5,          // whether to compute the time derivative too
    ARNE_TAKES_LOADS = 1 << 6,         // arne_load, fixed to links or to the world
    ARNE_TAKES_LOAD_RATES = 1 << 7,    // and how they change in time
    ARNE_TAKES_GIVEN = 1 << 8,         // the joints whose accelerations are given
    ARNE_TAKES_PLANE = 1 << 9,         // a point and a normal
    ARNE_TAKES_TARGETS = 1 << 10,      // arne_target
    ARNE_TAKES_METHOD = 1 << 11,       // by recursion, or by the mass matrix
    ARNE_TAKES_STEPS = 1 << 12,        // a number of time steps, and their length
    ARNE_TAKES_JOINTS_QDD = 1 << 13,   // qdd of the joints only; that of a free base is computed
    ARNE_TAKES_MOTORS = 1 << 14,       // qdd and tau of the driven joints only
    ARNE_TAKES_HELD = 1 << 15,         // coordinates that do not move; default: none
    ARNE_TAKES_CONTACTS = 1 << 16,     // frames that are held: arne_held
    ARNE_TAKES_ACTIVATION = 1 << 17    // of muscles; default: none pulls
};

// Where an algorithm can run.
enum {
    ARNE_HAS_COMPUTE = 1 << 0,   // arne compute
    ARNE_HAS_BENCH = 1 << 1,     // arne bench
    ARNE_HAS_BATCH = 1 << 2,     // arne_batch_run
    ARNE_HAS_GENERATED = 1 << 3, // arne_generate
    ARNE_HAS_GPU = 1 << 4,       // arne_gpu_run, by kernels that are compiled for the robot
    ARNE_HAS_LOOPS = 1 << 5,     // arne compute, for robots with loops: of the closed mechanism
    ARNE_HAS_BASE_FORM = 1 << 6, // the same result for a robot of arne_robot_base_form
    ARNE_HAS_CLOSED = 1 << 7 // arne_generate, for robots with loops. The others would take rates
                             // of the constraints' directions, or their multipliers
};

typedef struct arne_algorithm_output {
    arne_array array;
    unsigned   needs;      // inputs that it takes besides those of the algorithm
    int        on_request; // 1: not among the usual results
} arne_algorithm_output;

typedef struct arne_algorithm_info {
    const char                  *identifier; // "INVERSE_DYNAMICS"
    const char                  *name;       // "inverse-dynamics", on the command line
    const char                  *text;       // one line
    unsigned                     needs;      // inputs: bits 1u << ARNE_INPUT_...
    unsigned                     may;        // those that are read where they are given
    unsigned                     takes;      // ARNE_TAKES_...
    unsigned                     has;        // ARNE_HAS_...
    const arne_algorithm_output *outputs;
    int                          output_count;
} arne_algorithm_info;

ARNE_BEGIN

// Returns NULL if there is no such algorithm or array.
ARNE_API const arne_algorithm_info *arne_catalogue_algorithm(arne_algorithm algorithm);
ARNE_API const arne_array_info     *arne_catalogue_array(arne_array array);

// Finds an algorithm by its name on the command line, or an array by its name. Returns
// ARNE_ALGORITHM_COUNT or ARNE_ARRAY_COUNT if there is none.
ARNE_API arne_algorithm arne_catalogue_find_algorithm(const char *name);
ARNE_API arne_array     arne_catalogue_find_array(const char *name);

// The name of an extent ("V") and its meaning; the name of a bit of `takes` ("frame") and of `has`
// ("batch"). NULL if there is none.
ARNE_API const char *arne_catalogue_extent(arne_extent extent);
ARNE_API const char *arne_catalogue_extent_text(arne_extent extent);
ARNE_API const char *arne_catalogue_takes(int bit);
ARNE_API const char *arne_catalogue_has(int bit);

// The size of an extent for this robot. Frames, joints and torques that are selected by the caller
// count as one.
ARNE_API size_t arne_extent_size(const arne_robot *robot, arne_extent extent);
// The number of entries of an array: the product over its shape.
ARNE_API size_t arne_array_size(const arne_robot *robot, arne_array array);

ARNE_END

#endif
