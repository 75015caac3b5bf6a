// Exponential joints in a tree that is there already: joints of several coordinates become such,
// with strains of their own and some that they share.
#include "robot/builder.h"
#include "testing.h"

#include <stdio.h>

static void own_strain(arne_builder *b, const char *joint, const char *parent, const char *name,
                       rng *r, int strain)
{
    arne_body_spec   link = arne_body_spec_default();
    arne_joint_spec  coordinate = arne_joint_spec_default();
    arne_strain_spec spec = {.joint = joint, .with = name, .strain = (arne_strain)strain};
    link.name = coordinate.name = coordinate.child = name;
    coordinate.parent = parent;
    coordinate.kind = ARNE_JOINT_STRAIN;
    spec.weight[0] = spec.weight[1] = rng_uniform(r, 0.4, 0.9);
    if (rng_chance(r, 0.5)) spec.weight[1] = rng_uniform(r, -0.3, 0.9);
    assert_ok(arne_builder_add_body(b, &link, NULL));
    assert_ok(arne_builder_add_joint(b, &coordinate, NULL));
    assert_ok(arne_builder_add_strain(b, &spec, NULL));
}

void add_random_strains(arne_builder *builder, uint64_t seed)
{
    rng       r = rng_seed(seed + 5000011);
    const int count = builder->joint_count;
    char      name[32], last[32] = "";
    for (int i = 0; i < count; i++) {
        arne_joint_spec *j = &builder->joints[i];
        if (arne_joint_kind_v_count(j->kind) < 2 || !rng_chance(&r, 0.7)) continue;
        const char *joint = j->name, *parent = j->parent;
        const int   first = rng_below(&r, ARNE_STRAIN_COUNT), own = 1 + rng_below(&r, 4);
        j->kind = ARNE_JOINT_EXPONENTIAL;
        j->length = rng_uniform(&r, 0.3, 1);
        j->turn = 3;
        for (int k = 0; k < ARNE_STRAIN_COUNT; k++)
            j->rest[0][k] = j->rest[1][k] = rng_uniform(&r, -0.3, 0.3);
        if (rng_chance(&r, 0.5)) j->rest[1][first] = rng_uniform(&r, -0.3, 0.3);
        if (last[0] && rng_chance(&r, 0.5)) { // one that another joint has too
            const arne_strain_spec shared = {
                joint, last, (arne_strain)rng_below(&r, ARNE_STRAIN_COUNT), {0.4, 0.2}, {0}};
            assert_ok(arne_builder_add_strain(builder, &shared, NULL));
        }
        for (int k = 0; k < own; k++) {
            snprintf(name, sizeof name, "strain%d_%d", i, k);
            own_strain(builder, joint, parent, name, &r, (first + k) % ARNE_STRAIN_COUNT);
        }
        snprintf(last, sizeof last, "%s", name);
    }
}
