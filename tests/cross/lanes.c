// Every algorithm of arne_batch at every width that this machine has, against width 1, which is plain doubles. Needs nothing
// but the library, so that it can be compiled for other processors.
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

static size_t input_rows(const arne_robot *robot)
{
    const arne_sizes z = arne_robot_sizes(robot);
    const size_t     q_count = (size_t)z.q_count, n = (size_t)z.v_count, b = (size_t)z.body_count;
    size_t           rows = 0;
#define INPUT(name, count) rows += (count);
    ARNE_BATCH_INPUTS(INPUT)
#undef INPUT
    return rows;
}

static arne_batch_inputs random_inputs(const arne_robot *robot, double *at)
{
    static unsigned char given[MOST] = {1, 0, 0, 1, 0, 1, 1, 0, 1};
    const arne_sizes     z = arne_robot_sizes(robot);
    const size_t      q_count = (size_t)z.q_count, n = (size_t)z.v_count, b = (size_t)z.body_count;
    arne_batch_inputs in = {.frame = z.frame_count - 1,
                            .joint = z.joint_count - 1,
                            .axes = ARNE_AXES_ALIGNED,
                            .given = given,
                            .normal = {0, 0, 1}};
#define INPUT(name, rows)                                                                          \
    in.name = at;                                                                                  \
    for (size_t i = 0; i < (rows)*STATES; i++)                                                     \
        *at++ = number();
    ARNE_BATCH_INPUTS(INPUT)
#undef INPUT
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
                   arne_batch_algorithm a, arne_batch_outputs *out, double **place, size_t rows,
                   double *memory, double *worst)
{
    arne_error error;
    double    *other = memory + rows * STATES;
    *place = memory;
    const arne_status status = arne_batch_run(lanes, a, in, out, STATES, &error);
    *place = other;
    const int same = arne_batch_run(plain, a, in, out, STATES, &error) == status;
    *place = NULL;
    if (!same) *worst = INFINITY;
    if (!same || status != ARNE_OK) return 0;
    *worst = fmax(*worst, apart(memory, other, rows * STATES));
    return 1;
}

static const double TOLERANCE = 1e-12;

static int check(const arne_robot *robot, int width, const char *label)
{
    const arne_sizes z = arne_robot_sizes(robot);
    const size_t     n = (size_t)z.v_count, j = (size_t)z.joint_count,
                 p = (size_t)arne_parameter_count(robot);
    const arne_batch_options one = {.width = 1, .threads = 1},
                             many = {.width = width, .threads = 2};
    double            *memory_in = calloc(input_rows(robot) * STATES, sizeof *memory_in);
    double            *memory = calloc(2 * n * (p + n + 36) * STATES, sizeof *memory);
    arne_batch        *plain, *lanes;
    arne_batch_outputs out = {0};
    arne_error         error;
    double             worst = 0;
    int                count = 0;
    if (!memory_in || !memory) require(ARNE_NO_MEMORY, "arrays", NULL);
    require(arne_batch_new(robot, &one, &plain, &error), "width 1", &error);
    require(arne_batch_new(robot, &many, &lanes, &error), "lanes", &error);
    const arne_batch_inputs in = random_inputs(robot, memory_in);
    for (int a = 0; a < ARNE_BATCH_ALGORITHM_COUNT; a++) {
#define OUTPUT(name, rows)                                                                         \
    count += compare(lanes, plain, &in, (arne_batch_algorithm)a, &out, &out.name, (rows), memory,  \
                     &worst);
        ARNE_BATCH_OUTPUTS(OUTPUT)
#undef OUTPUT
    }
    printf("%-16s width %d: %d outputs of %d algorithms, largest difference %.1e\n", label, width,
           count, (int)ARNE_BATCH_ALGORITHM_COUNT, worst);
    arne_batch_free(lanes);
    arne_batch_free(plain);
    free(memory);
    free(memory_in);
    return worst < TOLERANCE && count > ARNE_BATCH_ALGORITHM_COUNT / 2;
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
