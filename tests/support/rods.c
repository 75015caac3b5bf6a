#include "rods.h"
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

arne_body_spec rod_named(const char *name, double length, int points)
{
    arne_body_spec link = arne_body_spec_default();
    link.name = name;
    link.flexible = arne_flexible_spec_default();
    link.flexible.segments = 0;
    link.flexible.length = length;
    link.flexible.points = points;
    link.flexible.turn = 3;
    return link;
}

void rod_clamp(arne_builder *b, const char *parent, const char *child, double x)
{
    arne_joint_spec joint = arne_joint_spec_default();
    joint.name = child;
    joint.parent = parent;
    joint.child = child;
    joint.kind = ARNE_JOINT_FIXED;
    joint.origin.p.x = x;
    assert_ok(arne_builder_add_joint(b, &joint, NULL));
}

arne_builder *rod_builder(void)
{
    arne_builder  *b = NULL;
    arne_body_spec world = arne_body_spec_default();
    world.name = "world";
    assert_ok(arne_builder_new(&b));
    assert_ok(arne_builder_add_body(b, &world, NULL));
    return b;
}

held_rod rod_finish(arne_builder *b)
{
    held_rod   r = {0};
    arne_error error = {0};
    if (arne_builder_finish(b, NULL, &r.robot, &error) != ARNE_OK) fail_msg("%s", error.text);
    assert_ok(arne_work_new(r.robot, &r.work));
    r.n = arne_robot_sizes(r.robot).v_count;
    r.tip = arne_find_frame(r.robot, "rod_tip");
    arne_builder_free(b);
    return r;
}

held_rod rod_clamped(const arne_body_spec *rod, double down)
{
    arne_builder *b = rod_builder();
    assert_ok(arne_builder_set_gravity(b, (arne_vec3){0, 0, -down}));
    assert_ok(arne_builder_add_body(b, rod, NULL));
    rod_clamp(b, "world", "rod", 0);
    return rod_finish(b);
}

void rod_release(held_rod *r)
{
    arne_work_free(r->work);
    arne_robot_free(r->robot);
}

arne_vec3 rod_tip(const held_rod *r, const double *q)
{
    arne_kinematics(r->robot, r->work, q, NULL, NULL);
    return arne_frame_pose(r->robot, r->work, r->tip).p;
}

double rod_distance(arne_vec3 a, const double *b)
{
    return sqrt(pow(a.x - b[0], 2) + pow(a.y - b[1], 2) + pow(a.z - b[2], 2));
}

arne_body_spec rod_unit(int points)
{
    arne_body_spec rod = rod_named("rod", 1, points);
    for (int k = 0; k < ARNE_STRAIN_COUNT; k++)
        rod.flexible.stiffness[k] = 1;
    for (int k = 0; k < 4; k++)
        rod.flexible.line[k] = 1e-3;
    return rod;
}

json *rod_reference(const char *name)
{
    const char *folder = getenv("ARNE_REFERENCE");
    char        path[1024];
    FILE       *there = NULL;
    snprintf(path, sizeof path, "%s/rods/%s", folder ? folder : "", name);
    if (folder) there = fopen(path, "r");
    if (!there) skip();
    fclose(there);
    return json_read(path);
}

double rod_number(const json *p, const char *key, double otherwise)
{
    const json *value = json_find(p, key);
    return value && json_is_number(value) ? json_number(value) : otherwise;
}

arne_vec3 rod_vector(const json *p, const char *key)
{
    arne_vec3   v = {0, 0, 0};
    const json *value = json_find(p, key);
    if (value) json_numbers(value, &v.x, 3);
    return v;
}
