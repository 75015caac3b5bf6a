// Random motors and springs for a tree that is there already.
#include "robot/builder.h"
#include "testing.h"

#include <math.h>
#include <stdio.h>

typedef struct names {
    char text[16];
} names;

static names numbered(char letter, int i)
{
    names n;
    snprintf(n.text, sizeof n.text, "%c%d", letter, i);
    return n;
}

static int is_drivable(const arne_joint_spec *j)
{
    return !j->mimic && arne_joint_kind_v_count(j->kind) == 1;
}

// Light enough for any link that has an inertia to contain it, and fast enough to matter.
static arne_motor_spec random_motor(rng *r, const arne_body_spec *link, int lossless)
{
    arne_motor_spec m = arne_motor_spec_default();
    m.axis = rng_chance(r, 0.5) ? rng_axis(r) : v3(0, 0, 1);
    m.position = rng_vec3(r, 0.3);
    m.gear = rng_uniform(r, 20, 60) * (rng_chance(r, 0.5) ? 1 : -1);
    m.inertia = rng_uniform(r, 5e-5, 1e-4);
    m.transverse = rng_uniform(r, 5e-5, 1e-4);
    m.mass = rng_uniform(r, 0, 0.5);
    m.mass_included = rng_chance(r, 0.5);
    m.inertia_included = link->mass > 0 && rng_chance(r, 0.5);
    m.reflected = rng_chance(r, 0.3);
    if (rng_chance(r, 0.5)) {
        m.stiffness = rng_uniform(r, 50, 2000);
        m.damping = !lossless && rng_chance(r, 0.5) ? rng_uniform(r, 0, 2) : 0;
    }
    if (rng_chance(r, 0.3)) {
        m.viscous = rng_uniform(r, 0, 0.5);
        m.coulomb_positive = rng_uniform(r, 0, 0.5);
        m.coulomb_negative = rng_uniform(r, 0, 0.5);
    }
    return m;
}

static void add_all(arne_builder *builder, uint64_t seed, int lossless)
{
    rng             r = rng_seed(seed + 2000003);
    arne_joint_spec joint;
    int             links = 1;
    while (arne_builder_get_joint(builder, numbered('j', links).text, &joint) == ARNE_OK)
        links++;
    for (int i = 1; i < links; i++) {
        const names own = numbered('j', i), on = numbered('l', rng_below(&r, links));
        assert_ok(arne_builder_get_joint(builder, own.text, &joint));
        if (!is_drivable(&joint)) continue;
        if (rng_chance(&r, 0.7)) {
            arne_body_spec link;
            const int      at_parent = rng_chance(&r, 0.4);
            assert_ok(arne_builder_get_body(builder, at_parent ? joint.parent : on.text, &link));
            arne_motor_spec m = random_motor(&r, &link, lossless);
            m.joint = own.text;
            m.link = at_parent ? NULL : on.text;
            assert_ok(arne_builder_add_motor(builder, &m, NULL));
        }
        if (rng_chance(&r, 0.2)) {
            arne_spring_spec s = arne_spring_spec_default();
            s.joint = own.text;
            s.stiffness = rng_uniform(&r, 1, 200);
            s.damping = !lossless && rng_chance(&r, 0.5) ? rng_uniform(&r, 0, 2) : 0;
            s.rest = rng_uniform(&r, -0.5, 0.5);
            for (int k = 0; k < 2 && i % 2; k++) { // springs and dampers that are no lines
                s.stiffness_more[k] = rng_uniform(&r, -20, 20);
                s.damping_more[k] = s.damping > 0 ? rng_uniform(&r, 0, 2) : 0;
            }
            assert_ok(arne_builder_add_spring(builder, &s, NULL));
        }
    }
}

void add_random_motors(arne_builder *builder, uint64_t seed) { add_all(builder, seed, 0); }
void add_lossless_motors(arne_builder *builder, uint64_t seed) { add_all(builder, seed, 1); }

// A joint that something can be coupled with.
static int random_partner(rng *r, const arne_builder *builder, int links, names *out)
{
    arne_joint_spec joint;
    *out = numbered('j', 1 + rng_below(r, links - 1));
    return arne_builder_get_joint(builder, out->text, &joint) == ARNE_OK &&
           arne_joint_kind_v_count(joint.kind) == 1;
}

void add_random_couplings(arne_builder *builder, uint64_t seed)
{
    rng             r = rng_seed(seed + 3000017);
    arne_joint_spec joint;
    names           with;
    int             links = 1;
    while (arne_builder_get_joint(builder, numbered('j', links).text, &joint) == ARNE_OK)
        links++;
    for (int i = 1; i < links; i++) {
        const names own = numbered('j', i);
        assert_ok(arne_builder_get_joint(builder, own.text, &joint));
        if (!joint.mimic || joint.kind == ARNE_JOINT_FIXED) continue;
        for (int tries = 0; tries < 3; tries++) {
            arne_joint_spec other;
            if (!random_partner(&r, builder, links, &with)) continue;
            assert_ok(arne_builder_get_joint(builder, with.text, &other));
            if (other.mimic) continue; // or it might go round in a circle
            const arne_coupling_spec c = {
                .joint = own.text, .with = with.text, .ratio = rng_uniform(&r, -1.5, 1.5)};
            assert_ok(arne_builder_add_coupling(builder, &c, NULL));
        }
    }
    for (int i = 0; i < builder->motor_count; i++) {
        if (isfinite(builder->motors[i].stiffness) || !rng_chance(&r, 0.5)) continue;
        if (!random_partner(&r, builder, links, &with)) continue;
        const arne_coupling_spec c = {.motor = builder->motors[i].name,
                                      .with = with.text,
                                      .ratio = rng_uniform(&r, -1.5, 1.5)};
        assert_ok(arne_builder_add_coupling(builder, &c, NULL));
    }
}
