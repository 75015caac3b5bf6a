// The section `gait` of a problem file.
#include "base/error.h"
#include "human/gait_result.h"
#include "plan/read/read_problem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static arne_status read_bands(const yaml_slot *slot, void *options)
{
    static const yaml_field fields[] = {
        {"height", arne_yaml_number, offsetof(gait_options, height)},
        {"velocity", arne_yaml_number, offsetof(gait_options, velocity)},
        {"roll", arne_yaml_number, offsetof(gait_options, roll)},
        YAML_FIELDS_END,
    };
    const yaml_slot map = {slot->reader, "gait: bands", "", slot->value};
    return arne_yaml_fields(&map, fields, options);
}

static arne_status check(const yaml_slot *section, const gait_options *o)
{
    const double step = plan_gait_step(o);
    if (!(o->speed > 0) || !(o->step >= 0))
        return arne_yaml_fail(section, ARNE_VALUE, "needs a speed and a step above zero");
    if (!(step >= 0.1 && step <= 1.5))
        return arne_yaml_fail(section, ARNE_VALUE, "has a step of %g m; people make 0.1 to 1.5 m",
                              step);
    if (!(o->height > 0 && o->velocity > 0 && o->roll > 0))
        return arne_yaml_fail(section, ARNE_VALUE, "needs bands wider than zero");
    if (!(o->stature >= 0 && o->mass >= 0))
        return arne_yaml_fail(section, ARNE_VALUE, "needs a height and a mass above zero");
    return ARNE_OK;
}

arne_status problem_gait_options(problem *p, const yaml_node *node, arne_plan_options *plan)
{
    static const yaml_field fields[] = {
        {"speed", arne_yaml_number, offsetof(gait_options, speed)},
        {"step", arne_yaml_number, offsetof(gait_options, step)},
        {"height", arne_yaml_number, offsetof(gait_options, stature)},
        {"mass", arne_yaml_number, offsetof(gait_options, mass)},
        {"bands", read_bands, 0},
        YAML_FIELDS_END,
    };
    const yaml_slot section = {&p->r, "", "gait", node}, map = {&p->r, "gait", "", node};
    p->gait = plan_gait_defaults();
    arne_status status = arne_yaml_fields(&map, fields, &p->gait);
    if (!status) status = check(&section, &p->gait);
    if (!status && plan->grid_points && (plan->grid_points - 1) % GAIT_GRID)
        status = arne_yaml_fail(&section, ARNE_VALUE, "needs a grid of %d points, or %d n + 1",
                                GAIT_GRID + 1, GAIT_GRID);
    if (status) return status;
    plan->time = plan_gait_step(&p->gait) / p->gait.speed;
    plan->trapezoid = 1;
    if (!plan->degree) plan->degree = 3;
    if (!plan->control_points) plan->control_points = 6;
    if (!plan->grid_points) plan->grid_points = GAIT_GRID + 1;
    return ARNE_OK;
}

// Factors that make the robot as tall and heavy as is asked for. Its height is that of the frame head_top.
static arne_status factors(problem *p, const yaml_slot *section, double *length, double *mass)
{
    arne_robot *robot = NULL;
    arne_work  *work = NULL;
    double     *q = NULL;
    arne_status status = arne_builder_finish(p->builder, NULL, &robot, p->r.error);
    if (status) return status;
    const int top = arne_find_frame(robot, "head_top");
    q = calloc((size_t)arne_robot_sizes(robot).q_count, sizeof *q);
    status = q ? arne_work_new(robot, &work) : ARNE_NO_MEMORY;
    if (status)
        status = arne_fail_memory(p->r.error);
    else if (top < 0)
        status = arne_yaml_fail(section, ARNE_NOT_FOUND,
                                "has a height, but robot '%s' has no frame 'head_top'",
                                arne_robot_name(robot));
    else {
        arne_kinematics(robot, work, q, NULL, NULL);
        const double tall = arne_frame_pose(robot, work, top).p.y;
        if (p->gait.stature > 0) *length = p->gait.stature / tall;
        if (p->gait.mass > 0) *mass = p->gait.mass / arne_total_mass(robot);
    }
    free(q);
    arne_work_free(work);
    arne_robot_free(robot);
    return status;
}

arne_status problem_gait_scale(problem *p, const yaml_node *node)
{
    const yaml_slot section = {&p->r, "", "gait", node};
    p->scale[0] = p->scale[1] = 1;
    if (!(p->gait.stature > 0) && !(p->gait.mass > 0)) return ARNE_OK;
    const arne_status status = factors(p, &section, &p->scale[0], &p->scale[1]);
    if (status) return status;
    return arne_reader_check(&p->r, arne_builder_scale(p->builder, p->scale[0], p->scale[1]),
                             node->line);
}

arne_status problem_gait(problem *p, const yaml_slot *section)
{
    const arne_place place = {p->r.file, section->value->line};
    return plan_gait_attach(p->plan, &p->gait, &place, p->r.error);
}
