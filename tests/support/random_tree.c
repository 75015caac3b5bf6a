// Random trees, made through the builder as anybody would.
//
// A massless link gets a child with one rotation and mass, or M would be singular by construction:
// say a massless link between two ball joints may spin as it likes.
#include "testing.h"

#include <stdio.h>

enum { MAX_TREE = 12 };

typedef struct tree {
    int             joint_count;
    char            link[MAX_TREE + 1][16], joint[MAX_TREE + 1][16];
    arne_body_spec  body[MAX_TREE + 1]; // body i + 1 is the child of joint i + 1
    arne_joint_spec spec[MAX_TREE + 1];
    int             massless[MAX_TREE + 1];
} tree;

// The inertia of principal moments b + c, a + c, a + b: any such, with a, b, c positive, is
// physical.
static void principal_moments(rng *r, double mass, double *out)
{
    double s[3];
    for (int i = 0; i < 3; i++)
        s[i] = mass * rng_uniform(r, 0.005, 0.1);
    for (int i = 0; i < 3; i++)
        out[i] = s[(i + 1) % 3] + s[(i + 2) % 3];
}

// R diag(d) R^T as xx, yy, zz, xy, xz, yz.
static void turned(arne_mat3 R, const double *d, double *out)
{
    const double c[3][3] = {{R.x.x, R.x.y, R.x.z}, {R.y.x, R.y.y, R.y.z}, {R.z.x, R.z.y, R.z.z}};
    const int    row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        out[k] = 0;
        for (int i = 0; i < 3; i++)
            out[k] += d[i] * c[i][row[k]] * c[i][column[k]];
    }
}

static void to_origin(arne_body_spec *spec)
{
    const arne_vec3 c = spec->com;
    const double    m = spec->mass;
    const double    shift[6] = {m * (c.y * c.y + c.z * c.z),
                                m * (c.x * c.x + c.z * c.z),
                                m * (c.x * c.x + c.y * c.y),
                                -m * c.x * c.y,
                                -m * c.x * c.z,
                                -m * c.y * c.z};
    for (int i = 0; i < 6; i++)
        spec->inertia[i] += shift[i];
    spec->about_origin = 1;
}

void random_inertia(rng *r, arne_body_spec *spec)
{
    const arne_mat3 axes = rng_pose(r, 1).R;
    double          moments[3];

    spec->mass = rng_uniform(r, 0.2, 3);
    spec->com = rng_vec3(r, 0.2);
    principal_moments(r, spec->mass, moments);
    if (rng_chance(r, 0.3)) { // the same thing in principal axes
        memset(spec->inertia, 0, sizeof spec->inertia);
        memcpy(spec->inertia, moments, sizeof moments);
        spec->inertia_axes = axes;
        return;
    }
    turned(axes, moments, spec->inertia);
    if (rng_chance(r, 0.3)) to_origin(spec);
}

static int has_one_coordinate(arne_joint_kind kind) { return arne_joint_kind_v_count(kind) == 1; }

// Friction, rotors and limits, on joints where it is plain what they mean.
static void dress_joint(rng *r, arne_joint_spec *spec)
{
    if (!has_one_coordinate(spec->kind)) return;
    if (rng_chance(r, 0.3)) {
        spec->viscous = rng_uniform(r, 0, 0.5);
        spec->coulomb_positive = rng_uniform(r, 0, 0.5);
        spec->coulomb_negative = rng_uniform(r, 0, 0.5);
    }
    if (rng_chance(r, 0.3)) spec->rotor_inertia = rng_uniform(r, 0.01, 0.5);
    if (spec->kind != ARNE_JOINT_CONTINUOUS && rng_chance(r, 0.5)) {
        spec->lower = rng_uniform(r, -2, -0.5);
        spec->upper = rng_uniform(r, 0.5, 2);
    }
}

// Some joints follow another one. A joint that is followed does not follow itself.
static void add_mimics(rng *r, tree *t)
{
    int followed[MAX_TREE + 1] = {0};
    for (int i = 1; i <= t->joint_count; i++) {
        const int other = 1 + rng_below(r, t->joint_count);
        if (other == i || followed[i] || t->spec[other].mimic || !rng_chance(r, 0.15)) continue;
        if (!has_one_coordinate(t->spec[i].kind) || !has_one_coordinate(t->spec[other].kind))
            continue;
        t->spec[i].mimic = t->joint[other];
        t->spec[i].mimic_ratio = rng_uniform(r, 0.4, 1.5) * (rng_chance(r, 0.5) ? 1 : -1);
        t->spec[i].mimic_offset = rng_uniform(r, -0.5, 0.5);
        followed[other] = 1;
    }
}

static void make_joint(rng *r, tree *t, int i, uint64_t seed)
{
    const int        after_massless = t->massless[i - 1];
    const int        parent = after_massless || rng_chance(r, 0.6) ? i - 1 : rng_below(r, i);
    arne_joint_spec *spec = &t->spec[i];

    *spec = arne_joint_spec_default();
    snprintf(t->joint[i], sizeof t->joint[i], "j%d", i);
    spec->name = t->joint[i];
    spec->parent = t->link[parent];
    spec->child = t->link[i];
    spec->kind = i == 1 ? (arne_joint_kind)(seed % ARNE_JOINT_STRAIN)
                        : (arne_joint_kind)rng_below(r, ARNE_JOINT_STRAIN);
    if (after_massless) spec->kind = ARNE_JOINT_REVOLUTE;
    spec->origin = rng_pose(r, 0.5);
    if (rng_chance(r, 0.3)) spec->tip = rng_pose(r, 0.3);
    spec->axis = rng_chance(r, 0.5) ? rng_axis(r) : v3(0, 0, 1);
    if (spec->kind == ARNE_JOINT_HELICAL) spec->pitch = rng_uniform(r, -0.2, 0.2);
    dress_joint(r, spec);
}

static void make_link(rng *r, tree *t, int i)
{
    t->body[i] = arne_body_spec_default();
    snprintf(t->link[i], sizeof t->link[i], "l%d", i);
    t->body[i].name = t->link[i];
    t->massless[i] = i > 0 && i < t->joint_count && !t->massless[i - 1] &&
                     has_one_coordinate(t->spec[i].kind) && rng_chance(r, 0.1);
    if (!t->massless[i]) random_inertia(r, &t->body[i]);
}

// Forwards, or backwards with all joints before the bodies: names are resolved at the end.
static void add_everything(const tree *t, arne_builder *builder, int backwards)
{
    const int n = t->joint_count;
    if (backwards)
        for (int i = n; i >= 1; i--)
            assert_ok(arne_builder_add_joint(builder, &t->spec[i], NULL));
    for (int i = 0; i <= n; i++)
        assert_ok(arne_builder_add_body(builder, &t->body[backwards ? n - i : i], NULL));
    if (!backwards)
        for (int i = 1; i <= n; i++)
            assert_ok(arne_builder_add_joint(builder, &t->spec[i], NULL));
}

arne_builder *random_tree(uint64_t seed)
{
    rng           r = rng_seed(seed + 1000003);
    tree          t = {.joint_count = 1 + rng_below(&r, MAX_TREE)};
    arne_builder *builder = NULL;
    char          name[32];

    make_link(&r, &t, 0);
    for (int i = 1; i <= t.joint_count; i++) {
        make_joint(&r, &t, i, seed);
        make_link(&r, &t, i);
    }
    add_mimics(&r, &t);

    assert_ok(arne_builder_new(&builder));
    snprintf(name, sizeof name, "random tree %d", (int)seed);
    assert_ok(arne_builder_set_name(builder, name));
    if (seed % 4 == 3) assert_ok(arne_builder_set_gravity(builder, rng_vec3(&r, 9.81)));
    add_everything(&t, builder, seed % 5 == 4);

    const arne_pose tool = rng_pose(&r, 0.3);
    const char     *last = t.link[t.joint_count];
    assert_ok(arne_builder_add_frame(builder, "tool", last, &tool, (arne_place){NULL, 0}, NULL));
    return builder;
}

arne_base random_tree_base(uint64_t seed)
{
    static const arne_base bases[] = {ARNE_BASE_FIXED, ARNE_BASE_PRESCRIBED, ARNE_BASE_FREE};
    return bases[(seed / ARNE_JOINT_STRAIN) % 3];
}
