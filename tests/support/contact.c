#include "contact.h"

const char *const CONTACT_BLOCK =
    "base: free\n"
    "bodies: [{name: block, mass: 2, inertia: [0.01, 0.01, 0.0133]}]\n"
    "contacts: [{link: block, box: [0.2, 0.2, 0.1]}]\n";
const char *const CONTACT_BALL = "base: free\n"
                                 "bodies: [{name: ball, mass: 1, inertia: [0.004, 0.004, 0.004]}]\n"
                                 "contacts: [{link: ball, sphere: 0.1}]\n";

arne_robot *contact_robot(const char *yaml, arne_vec3 gravity)
{
    const arne_build_options options = {.gravity = &gravity};
    arne_builder            *builder;
    arne_error               error;
    assert_ok(arne_builder_new(&builder));
    assert_ok_or(arne_read_yaml(builder, yaml, strlen(yaml), "robot.yaml", &error), &error);
    arne_robot *robot = finish(builder, &options);
    arne_builder_free(builder);
    return robot;
}

arne_table *contact_run(const arne_robot *robot, const on_ground *on,
                        arne_simulation_summary *summary)
{
    const arne_surrounding ground = {
        .kind = ARNE_SURROUNDING_GROUND,
        .surface = {.model = on->model, .friction = on->friction, .restitution = on->restitution}};
    const arne_simulation_spec sim = {.robot = robot,
                                      .controller = on->controller,
                                      .surroundings = &ground,
                                      .surrounding_count = 1,
                                      .integrator = {.method = on->method,
                                                     .step = on->step > 0 ? on->step : 1e-3,
                                                     .relative = 1e-10,
                                                     .absolute = 1e-10},
                                      .duration = on->duration,
                                      .record_every = on->every,
                                      .record = ARNE_RECORD_Q | ARNE_RECORD_QD |
                                                ARNE_RECORD_ENERGY | ARNE_RECORD_CONTACT,
                                      .q = on->q,
                                      .qd = on->qd};
    arne_table                *table;
    arne_error                 error;
    assert_ok_or(arne_simulate(&sim, NULL, NULL, &table, summary, &error), &error);
    assert_true(summary->complete);
    return table;
}

double contact_value(const arne_table *table, int row, const char *name)
{
    const int column = arne_table_find(table, name);
    if (column < 0) fail_msg("no column %s", name);
    return arne_table_row(table, row < 0 ? arne_table_rows(table) + row : row)[column];
}
