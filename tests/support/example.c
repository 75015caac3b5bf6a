#include "testing.h"

#include "example.h"

#include <stdio.h>

json *open_file(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", TEST_DATA_DIR, name);
    return json_read(path);
}

void example_close(example *e)
{
    arne_work_free(e->work);
    arne_robot_free(e->robot);
    json_free(e->file);
}

double number(const json *object, const char *key) { return json_number(json_get(object, key)); }

void vector(const json *object, const char *key, int count, double *out)
{
    json_numbers(json_get(object, key), out, count);
}

// ---- building ----

void link_name(int i, char *out)
{
    if (i == 0)
        strcpy(out, "base");
    else
        snprintf(out, 16, "link%d", i);
}

void add_base(arne_builder *builder)
{
    arne_body_spec body = arne_body_spec_default();
    body.name = "base";
    assert_ok(arne_builder_add_body(builder, &body, NULL));
}

void add_link(arne_builder *builder, int index, double mass, const double *com, const double *I)
{
    arne_body_spec body = arne_body_spec_default();
    char           name[16];
    const double   inertia[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};

    link_name(index, name);
    body.name = name;
    body.mass = mass;
    body.com = v3(com[0], com[1], com[2]);
    memcpy(body.inertia, inertia, sizeof inertia);
    assert_ok(arne_builder_add_body(builder, &body, NULL));
}

void add_joint(arne_builder *builder, arne_joint_spec spec, int index, int parent)
{
    char name[16], above[16], below[16];
    snprintf(name, sizeof name, "joint%d", index);
    link_name(parent, above);
    link_name(index, below);
    spec.name = name;
    spec.parent = above;
    spec.child = below;
    assert_ok(arne_builder_add_joint(builder, &spec, NULL));
}

static arne_joint_spec joint_of_kind(const json *row)
{
    arne_joint_spec spec = arne_joint_spec_default();
    spec.kind = json_integer(json_get(row, "sigma")) ? ARNE_JOINT_PRISMATIC : ARNE_JOINT_REVOLUTE;
    return spec;
}

static void dh_row(arne_joint_spec *spec, const json *row)
{
    if (json_find(row, "gamma"))
        arne_dh_modified(spec, number(row, "gamma"), number(row, "b"), number(row, "alpha"),
                         number(row, "d"), number(row, "theta"), number(row, "r"));
    else
        arne_dh_standard(spec, number(row, "theta"), number(row, "d"), number(row, "a"),
                         number(row, "alpha"));
}

// Rotor inertia and friction stand with the links in these tables; the thesis has neither.
static void add_losses(arne_joint_spec *spec, const json *link)
{
    if (!json_find(link, "Ia")) return;
    spec->rotor_inertia = number(link, "Ia");
    spec->viscous = number(link, "Fv");
    spec->coulomb_positive = spec->coulomb_negative = number(link, "Fs");
}

void example_finish(example *e, arne_builder *builder)
{
    e->robot = finish(builder, NULL);
    e->work = new_work(e->robot);
    e->n = arne_robot_sizes(e->robot).v_count;
    arne_builder_free(builder);
}

void add_rows(arne_builder *builder, const json *model, const char *com_key)
{
    const json *joints = json_get(model, "joints"), *links = json_get(model, "links");
    assert_int_equal(json_count(joints), json_count(links));
    for (int i = 0; i < json_count(joints); i++) {
        const json     *row = json_at(joints, i), *link = json_at(links, i);
        const json     *parent = json_find(row, "parent");
        arne_joint_spec spec = joint_of_kind(row);
        double          com[3], inertia[9];

        dh_row(&spec, row);
        add_losses(&spec, link);
        vector(link, com_key, 3, com);
        vector(link, "I", 9, inertia);
        add_link(builder, i + 1, number(link, "m"), com, inertia);
        add_joint(builder, spec, i + 1, parent ? json_integer(parent) : i);
    }
}

example build_rows(json *file, const json *model, const char *com_key)
{
    example       e = {.file = file};
    arne_builder *builder = NULL;
    assert_ok(arne_builder_new(&builder));
    add_base(builder);
    add_rows(builder, model, com_key);
    example_finish(&e, builder);
    return e;
}

state state_at(const example *e, const json *at)
{
    state s = {.robot = e->robot, .size = arne_robot_sizes(e->robot)};
    vector(at, "q", e->n, s.q);
    vector(at, "qd", e->n, s.qd);
    if (json_find(at, "qdd")) vector(at, "qdd", e->n, s.qdd);
    return s;
}
