// Random functions for a tree that is there already: joints that follow by polynomials, sines,
// splines of all ends and products, some through others.
#include "robot/builder.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_NUMBERS = 8 };

typedef struct numbers {
    double x[MOST_NUMBERS], y[MOST_NUMBERS];
} numbers;

// Slopes of about one: the mass matrix stays regular enough.
static arne_function random_function(rng *r, numbers *n)
{
    const char              *which = getenv("ARNE_TEST_FUNCTIONS");
    const int                smooth = which && !strcmp(which, "smooth");
    const arne_function_kind kind =
        (arne_function_kind)rng_below(r, smooth ? ARNE_FUNCTION_SPLINE : ARNE_FUNCTION_PRODUCT);
    arne_function f = arne_function_make(kind, 4, NULL, n->y);
    for (int i = 0; i < MOST_NUMBERS; i++)
        n->y[i] = rng_uniform(r, -0.6, 0.6) / (kind == ARNE_FUNCTION_POLYNOMIAL ? 1 + i * i : 1);
    f.factor = rng_chance(r, 0.3) ? rng_uniform(r, -1.5, 1.5) : 1;
    if (kind == ARNE_FUNCTION_SINE) n->y[1] = rng_uniform(r, 0.5, 2);
    if (kind == ARNE_FUNCTION_POLYNOMIAL) f.count = 1 + rng_below(r, 6);
    if (kind != ARNE_FUNCTION_SPLINE) return f;
    f.ends = (arne_spline_ends)rng_below(r, ARNE_ENDS_COUNT);
    f.count = 3 + rng_below(r, MOST_NUMBERS - 2);
    f.x = n->x;
    n->x[0] = rng_uniform(r, -2, -1);
    for (int i = 1; i < f.count; i++)
        n->x[i] = n->x[i - 1] + rng_uniform(r, 0.4, 1);
    f.slopes[0] = rng_uniform(r, -1, 1);
    f.slopes[1] = rng_uniform(r, -1, 1);
    if (f.ends == ARNE_ENDS_PERIODIC) n->y[f.count - 1] = n->y[0];
    if (f.ends == ARNE_ENDS_PERIODIC && which && !strcmp(which, "plain"))
        f.ends = ARNE_ENDS_NATURAL;
    return f;
}

static int has_one_coordinate(const arne_joint_spec *j)
{
    return j->kind != ARNE_JOINT_FIXED && arne_joint_kind_v_count(j->kind) == 1;
}

static int has_motor_or_spring(const arne_builder *b, const char *joint)
{
    for (int i = 0; i < b->motor_count; i++)
        if (!strcmp(b->motors[i].joint, joint)) return 1;
    for (int i = 0; i < b->spring_count; i++)
        if (!strcmp(b->springs[i].joint, joint)) return 1;
    return 0;
}

// Whether some joint or motor takes this joint's coordinate.
static int is_followed(const arne_builder *b, const char *joint)
{
    for (int i = 0; i < b->joint_count; i++)
        if (b->joints[i].mimic && !strcmp(b->joints[i].mimic, joint)) return 1;
    for (int i = 0; i < b->coupling_count; i++)
        if (!strcmp(b->couplings[i].with, joint)) return 1;
    for (int i = 0; i < b->function_count; i++)
        if (!strcmp(b->functions[i].with, joint) ||
            (b->functions[i].times && !strcmp(b->functions[i].times, joint)))
            return 1;
    return 0;
}

static int functions_of(const arne_builder *b, const char *joint)
{
    int count = 0;
    for (int i = 0; i < b->function_count; i++)
        count += !strcmp(b->functions[i].joint, joint);
    return count;
}

// A joint with a coordinate of its own, or, for a single function, one that follows by one itself.
static const char *random_leader(rng *r, const arne_builder *b, const char *joint, int single)
{
    for (int tries = 0; tries < 8; tries++) {
        const arne_joint_spec *j = &b->joints[rng_below(r, b->joint_count)];
        const int              functions = functions_of(b, j->name);
        if (!has_one_coordinate(j) || j->mimic || !strcmp(j->name, joint)) continue;
        if (functions == 0) return j->name;
        if (!single || functions > 1) continue;
        for (int i = 0; i < b->function_count; i++) // not again through another one
            if (!strcmp(b->functions[i].joint, j->name) && !b->functions[i].times &&
                !functions_of(b, b->functions[i].with))
                return j->name;
    }
    return NULL;
}

static void follow(rng *r, arne_builder *b, const char *joint, int single)
{
    numbers            n;
    arne_function_spec s = {.joint = joint, .with = random_leader(r, b, joint, single)};
    if (!s.with) return;
    s.function = random_function(r, &n);
    if (!single && rng_chance(r, 0.3)) {
        s.times = random_leader(r, b, joint, 0);
        s.function = arne_function_make(ARNE_FUNCTION_PRODUCT, 0, NULL, NULL);
        s.function.factor = rng_uniform(r, -0.6, 0.6);
    }
    if (s.function.kind == ARNE_FUNCTION_PRODUCT && !s.times) return;
    assert_ok(arne_builder_add_function(b, &s, NULL));
}

void add_random_functions(arne_builder *builder, uint64_t seed)
{
    rng r = rng_seed(seed + 4000037);
    for (int i = 0; seed % 3 == 0 && i < builder->joint_count; i++) // for second derivatives
        if (arne_joint_kind_v_count(builder->joints[i].kind) > 1)
            builder->joints[i].kind = ARNE_JOINT_REVOLUTE;
    for (int i = 0; i < builder->joint_count; i++) {
        arne_joint_spec *j = &builder->joints[i];
        if (!has_one_coordinate(j) || j->kind == ARNE_JOINT_STRAIN || j->mimic ||
            is_followed(builder, j->name) || has_motor_or_spring(builder, j->name) ||
            !rng_chance(&r, 0.5))
            continue;
        const int count = rng_chance(&r, 0.6) ? 1 : 2 + rng_below(&r, 2);
        for (int k = 0; k < count; k++)
            follow(&r, builder, j->name, count == 1);
        if (!functions_of(builder, j->name)) continue;
        j->viscous = j->coulomb_positive = j->coulomb_negative = 0; // losses.h has constant ratios
    }
}
