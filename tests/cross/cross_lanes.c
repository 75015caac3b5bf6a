// Every algorithm of arne_batch at every width that this machine has, against width 1, which is
// plain doubles. Needs nothing but the library, so that it can be compiled for other processors.
#include <arne/arne.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STATES = 13, MOST = 64, SEED = 7 };

static double number(void)
{
    static unsigned long long x = SEED;
    x = x * 6364136223846793005u + 1442695040888963407u;
    return (double)(x >> 11) / 4503599627370496.0 - 1; // from -1 to 1
}

static arne_vec3 vector(void)
{
    const arne_vec3 v = {number(), number(), number()};
    return v;
}

static void require(arne_status status, const char *what, const arne_error *error)
{
    if (status == ARNE_OK) return;
    fprintf(stderr, "lanes: %s: %s\n", what, error ? error->text : arne_status_text(status));
    exit(1);
}

// A tree with a joint of every kind, and one that follows another where that is wanted.
static arne_robot *new_robot(arne_base base, int mimic)
{
    static const arne_joint_kind kinds[] = {
        ARNE_JOINT_REVOLUTE, ARNE_JOINT_PRISMATIC, ARNE_JOINT_REVOLUTE, ARNE_JOINT_HELICAL,
        ARNE_JOINT_BALL,     ARNE_JOINT_PLANAR,    ARNE_JOINT_REVOLUTE, ARNE_JOINT_REVOLUTE};
    enum { LINKS = sizeof kinds / sizeof kinds[0] };
    static const char *const name[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    arne_build_options       options = {.base = base};
    arne_builder            *b;
    arne_robot              *robot;
    arne_error               error;
    require(arne_builder_new(&b), "builder", NULL);
    for (int i = 0; i <= LINKS; i++) {
        arne_body_spec body = arne_body_spec_default();
        body.name = name[i];
        body.mass = 2 + number();
        body.com = vector();
        for (int k = 0; k < 3; k++)
            body.inertia[k] = 1 + 0.2 * number();
        require(arne_builder_add_body(b, &body, &error), "body", &error);
        if (i == 0) continue;
        arne_joint_spec joint = arne_joint_spec_default();
        joint.name = joint.child = name[i];
        joint.parent = name[i == 4 || i == 7 ? 2 : i - 1];
        joint.kind = kinds[i - 1];
        joint.axis = vector();
        joint.origin.p = vector();
        joint.pitch = joint.kind == ARNE_JOINT_HELICAL ? 0.3 : 0;
        joint.viscous = 0.1;
        joint.rotor_inertia = 0.2;
        if (joint.kind == ARNE_JOINT_REVOLUTE)
            joint.coulomb_positive = joint.coulomb_negative = 0.5;
        if (mimic && i == LINKS) {
            joint.mimic = name[1];
            joint.mimic_ratio = -0.5;
        }
        require(arne_builder_add_joint(b, &joint, &error), "joint", &error);
    }
    require(arne_builder_finish(b, &options, &robot, &error), "robot", &error);
    arne_builder_free(b);
    return robot;
}

static size_t rows_of(const arne_robot *robot, int from, int end)
{
    size_t rows = 0;
    for (int i = from; i < end; i++)
        rows += arne_array_size(robot, (arne_array)i);
    return rows;
}

static arne_batch_inputs random_inputs(const arne_robot *robot, double *at)
{
    static unsigned char given[MOST] = {1, 0, 0, 1, 0, 1, 1, 0, 1};
    const arne_sizes     z = arne_robot_sizes(robot);
    const size_t         q_count = (size_t)z.q_count;
    arne_batch_inputs    in = {.frame = z.frame_count - 1,
                               .joint = z.joint_count - 1,
                               .axes = ARNE_AXES_ALIGNED,
                               .given = given,
                               .normal = {0, 0, 1}};
    for (int k = 0; k < ARNE_INPUT_COUNT; k++) {
        arne_batch_set_input(&in, (arne_array)k, at);
        for (size_t i = 0; i < arne_array_size(robot, (arne_array)k) * STATES; i++)
            *at++ = number();
    }
    uint64_t seed = SEED;
    double q[MOST], *to = (double *)(uintptr_t)in.q; // ours, and quaternions must be of length one
    for (size_t s = 0; s < STATES; s++) {
        arne_random_configuration(robot, &seed, q);
        for (size_t i = 0; i < q_count; i++)
            to[i * STATES + s] = q[i];
    }
    return in;
}

// The largest difference, relative to the largest number.
static double apart(const double *a, const double *b, size_t count)
{
    double off = 0, size = 1;
    for (size_t i = 0; i < count; i++) {
        off = fmax(off, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
        if (isnan(a[i]) || isnan(b[i])) return INFINITY;
    }
    return off / size;
}

// One output of one algorithm; whether there is such a one.
static int compare(arne_batch *lanes, arne_batch *plain, const arne_batch_inputs *in,
                   arne_algorithm a, arne_array array, size_t rows, double *memory, double *worst)
{
    arne_batch_outputs out = {0};
    arne_error         error;
    double            *other = memory + rows * STATES;
    arne_batch_set_output(&out, array, memory);
    const arne_status status = arne_batch_run(lanes, a, in, &out, STATES, &error);
    arne_batch_set_output(&out, array, other);
    const int same = arne_batch_run(plain, a, in, &out, STATES, &error) == status;
    if (!same) *worst = INFINITY;
    if (!same || status != ARNE_OK) return 0;
    *worst = fmax(*worst, apart(memory, other, rows * STATES));
    return 1;
}

static const double TOLERANCE = 1e-12;

static int check(const arne_robot *robot, int width, const char *label)
{
    const arne_batch_options one = {.width = 1, .threads = 1},
                             many = {.width = width, .threads = 2};
    double     *memory_in = calloc(rows_of(robot, 0, ARNE_INPUT_COUNT) * STATES, sizeof *memory_in);
    double     *memory = calloc(2 * rows_of(robot, 0, ARNE_ARRAY_COUNT) * STATES, sizeof *memory);
    arne_batch *plain, *lanes;
    arne_error  error;
    double      worst = 0;
    int         count = 0;
    if (!memory_in || !memory) require(ARNE_NO_MEMORY, "arrays", NULL);
    require(arne_batch_new(robot, &one, &plain, &error), "width 1", &error);
    require(arne_batch_new(robot, &many, &lanes, &error), "lanes", &error);
    const arne_batch_inputs in = random_inputs(robot, memory_in);
    for (int a = 0; a < ARNE_ALGORITHM_COUNT; a++) {
        const arne_algorithm_info *info = arne_catalogue_algorithm((arne_algorithm)a);
        for (int i = 0; info->has & ARNE_HAS_BATCH && i < info->output_count; i++)
            count += compare(lanes, plain, &in, (arne_algorithm)a, info->outputs[i].array,
                             arne_array_size(robot, info->outputs[i].array), memory, &worst);
    }
    printf("%-16s width %d: %d outputs of %d algorithms, largest difference %.1e\n", label, width,
           count, (int)ARNE_ALGORITHM_COUNT, worst);
    arne_batch_free(lanes);
    arne_batch_free(plain);
    free(memory);
    free(memory_in);
    return worst < TOLERANCE && count > ARNE_ALGORITHM_COUNT / 2;
}

int main(void)
{
    static const struct {
        const char *label;
        arne_base   base;
        int         mimic;
    } all[] = {{"fixed base", ARNE_BASE_FIXED, 0},
               {"free base", ARNE_BASE_FREE, 0},
               {"mimic joint", ARNE_BASE_FIXED, 1}};
    int good = 1;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        arne_robot *robot = new_robot(all[i].base, all[i].mimic);
        for (int width = 2; width <= 8; width *= 2) {
            if (arne_batch_has_width(width))
                good &= check(robot, width, all[i].label);
            else
                printf("%-16s width %d: skipped, not on this machine\n", all[i].label, width);
        }
        arne_robot_free(robot);
    }
    return good ? 0 : 1;
}
