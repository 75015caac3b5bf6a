// The section `gait` of a problem file.
#include "base/error.h"
#include "human/contact_step.h"
#include "human/gait_result.h"
#include "problem/read_problem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// wrong: some numbers have mistakes already; defaults that depend on them are not checked.
static arne_status gait_check(const doc_slot *section, const gait_options *o, int wrong)
{
    const double step = plan_gait_step(o);
    if (!(step >= 0.1 && step <= 1.5) && !(wrong && !(o->step > 0)))
        return doc_fail(section, ARNE_VALUE, "has a step of %g m%s; people make 0.1 to 1.5 m", step,
                        o->step > 0 ? "" : ", half a second at this speed");
    const double *at = o->borders;
    if (!(0 < at[0] && at[0] < at[1] && at[1] < at[2] && at[2] < 1)) {
        const doc_slot slot = doc_under(section, "borders");
        return doc_fail(&slot, ARNE_VALUE, "must rise from above 0 to below 1");
    }
    return ARNE_OK;
}

static const doc_word formulations[] = {
    {"contacts", 0, NULL, NULL, NULL}, {"thesis", 1, NULL, NULL, NULL}, {0}};

#define AT(field) offsetof(gait_bands, field)
static const doc_key band_keys[] = {
    {"height", DOC_TYPE_NUMBER, AT(height), .unit = "m", .range = DOC_POSITIVE,
     .otherwise = "0.002", .help = "of what touches the ground"},
    {"velocity", DOC_TYPE_NUMBER, AT(velocity), .unit = "m/s", .range = DOC_POSITIVE,
     .otherwise = "0.05", .help = "of what touches the ground"},
    {"roll", DOC_TYPE_NUMBER, AT(roll), .unit = "rad", .range = DOC_POSITIVE, .otherwise = "0.02",
     .help = "of a foot that stands"},
    {"tilt", DOC_TYPE_NUMBER, AT(tilt), .unit = "rad", .range = DOC_POSITIVE, .otherwise = "5 deg",
     .help = "of the pelvis"},
    {"weight", DOC_TYPE_NUMBER, AT(weight), .range = DOC_NOT_NEGATIVE, .otherwise = "0.2",
     .help = "least vertical ground force, in body weights"},
    {"force", DOC_TYPE_NUMBER, AT(force), .range = DOC_POSITIVE, .otherwise = "0.02",
     .help = "the jump of the ground's force at heel strike, in body weights"},
    {"strike", DOC_TYPE_NUMBER, AT(strike), .unit = "m", .range = DOC_POSITIVE, .otherwise = "0.01",
     .help = "distance of the zero-moment point from the rear foot at heel strike"},
    {"arms", DOC_TYPE_NUMBER, AT(arms), .unit = "m^2", .range = DOC_NOT_NEGATIVE,
     .otherwise = "0.005", .help = "how far an arm may swing against the leg of the other side"},
    {0},
};
#undef AT
static const doc_schema band_schema = {"bands", NULL, band_keys, NULL};

#define AT(field) offsetof(gait_polygon, field)
static const doc_key polygon_keys[] = {
    {"heel_ahead", DOC_TYPE_NUMBER, AT(heel_ahead), .unit = "m", .otherwise = "0.03",
     .help = "from the front heel forward to where the ground begins to push"},
    {"ball_ahead", DOC_TYPE_NUMBER, AT(ball_ahead), .unit = "m", .otherwise = "0.016",
     .help = "from the rear ball forward to where the ground pushes"},
    {"ball_behind", DOC_TYPE_NUMBER, AT(ball_behind), .unit = "m", .otherwise = "0.02",
     .help = "from the ball backward to where the ground pushes once the heel is up"},
    {0},
};
#undef AT
static const doc_schema polygon_schema = {"polygon", NULL, polygon_keys, NULL};

#define AT(field) offsetof(gait_options, field)
static const doc_key gait_keys[] = {
    {"speed", DOC_TYPE_NUMBER, AT(speed), .unit = "m/s", .range = DOC_POSITIVE},
    {"step", DOC_TYPE_NUMBER, AT(step), .unit = "m", .range = DOC_NOT_NEGATIVE,
     .help = "default: in proportion to the speed"},
    {"height", DOC_TYPE_NUMBER, AT(stature), .unit = "m", .range = DOC_NOT_NEGATIVE,
     .help = "of the person; default: as the robot's file has it"},
    {"mass", DOC_TYPE_NUMBER, AT(mass), .unit = "kg", .range = DOC_NOT_NEGATIVE,
     .help = "likewise"},
    {"formulation", DOC_TYPE_WORD, AT(thesis), .words = formulations, .otherwise = "contacts",
     .help = "contacts, or the zero-moment point and bands of the thesis"},
    {"friction", DOC_TYPE_NUMBER, AT(friction), .range = DOC_POSITIVE, .otherwise = "0.8",
     .help = "coefficient of friction of contacts"},
    {"width", DOC_TYPE_NUMBER, AT(width), .unit = "m", .range = DOC_NOT_NEGATIVE,
     .otherwise = "0.1", .help = "between the heels"},
    {"foothold", DOC_TYPE_NUMBER, AT(foothold), .unit = "m", .otherwise = "0.3",
     .help = "z coordinate at which the right heel strikes"},
    {"sole", DOC_TYPE_NUMBER, AT(sole), .unit = "m", .range = DOC_POSITIVE, .otherwise = "0.045",
     .help = "half the width of a foot, for the thesis's zero-moment point"},
    {"borders", DOC_TYPE_NUMBERS, AT(borders), .count = GAIT_BORDERS,
     .otherwise = "[2/12, 3/12, 9/12]",
     .help = "for contacts: when the front foot becomes flat, the rear foot leaves the ground, and "
             "the heel rises, as fractions of the step"},
    {"smoothness", DOC_TYPE_NUMBER, AT(smoothness), .range = DOC_NOT_NEGATIVE, .otherwise = "1e-4",
     .help = "weight of squared accelerations in the objective"},
    {"torque_vectors", DOC_TYPE_FLAG, AT(torque_vectors), .otherwise = "no",
     .help =
         "for contacts: effort by the torque vector where three axes meet, not by its components "
         "along them"},
    {"force_weight", DOC_TYPE_NUMBER, AT(force_weight), .range = DOC_NOT_NEGATIVE,
     .otherwise = "0.01", .help = "weight of squared contact forces in body weights"},
    {"fineness", DOC_TYPE_WHOLE, AT(fineness), .range = DOC_POSITIVE, .otherwise = "1",
     .help = "multiplies the number of spline spans"},
    {"backpack", DOC_TYPE_NUMBER, AT(backpack), .unit = "kg", .range = DOC_NOT_NEGATIVE,
     .otherwise = "0", .help = "mass of a backpack; walker says where it is"},
    {"compare", DOC_TYPE_TEXT, AT(compare), .help = "a file of measured gait to compare with"},
    {"bands", DOC_TYPE_MAP, AT(bands), .inside = &band_schema,
     .help = "for the thesis's formulation: tolerances"},
    {"polygon", DOC_TYPE_MAP, AT(polygon), .inside = &polygon_schema,
     .help = "for the thesis's formulation: where along the feet the ground may push"},
    {"walker", DOC_TYPE_MAP, AT(walker), .inside = &walker_schema,
     .help = "frames and joints of the person; default: as the robot's file has them"},
    {0},
};
#undef AT
const doc_schema problem_gait_schema = {"gait", NULL, gait_keys, NULL};

arne_status problem_gait_options(const doc_slot *section, void *unused)
{
    problem           *p = problem_of(section);
    arne_plan_options *plan = &p->options;
    const doc_slot     map = {section->reader, "gait", "", section->value};
    (void)unused;
    p->gait = plan_gait_defaults();
    p->has_gait = 1;
    arne_status status = doc_read_map(&map, &problem_gait_schema, &p->gait, 0);
    if (status_goes_on(status))
        status = status_both(status, gait_check(section, &p->gait, status != ARNE_OK));
    if (!status && p->gait.thesis && plan->grid_points && (plan->grid_points - 1) % GAIT_GRID)
        status = doc_fail(section, ARNE_VALUE, "needs a grid of %d points, or %d n + 1",
                          GAIT_GRID + 1, GAIT_GRID);
    if (status) return status;
    plan->time = plan_gait_step(&p->gait) / p->gait.speed;
    if (!p->gait.thesis) return ARNE_OK;
    plan->trapezoid = 1;
    if (!plan->degree) plan->degree = 3;
    if (!plan->control_points) plan->control_points = 6;
    if (!plan->grid_points) plan->grid_points = GAIT_GRID + 1;
    return ARNE_OK;
}

// Factors that make the robot as tall and heavy as is asked for. Its height is that of the walker's
// top.
static arne_status factors(problem *p, const doc_slot *section, double *length, double *mass)
{
    arne_robot  *robot = NULL;
    arne_work   *work = NULL;
    double      *q = NULL;
    walker_parts walker;
    arne_status  status = arne_builder_finish(p->builder, NULL, &robot, p->r.error);
    if (status) return status;
    status = problem_walker(p, robot, &walker);
    q = calloc((size_t)arne_robot_sizes(robot).q_count, sizeof *q);
    if (!status && (!q || arne_work_new(robot, &work))) status = arne_fail_memory(p->r.error);
    if (!status && walker.top < 0)
        status = doc_fail(section, ARNE_NOT_FOUND,
                          "has a height, but robot '%s' does not say under 'walker' what its "
                          "top is",
                          arne_robot_name(robot));
    if (!status) {
        arne_kinematics(robot, work, q, NULL, NULL);
        const double tall = arne_frame_pose(robot, work, walker.top).p.y;
        if (p->gait.stature > 0) *length = p->gait.stature / tall;
        if (p->gait.mass > 0) *mass = p->gait.mass / arne_total_mass(robot);
    }
    free(q);
    arne_work_free(work);
    arne_robot_free(robot);
    return status;
}

arne_status problem_gait_scale(problem *p)
{
    const doc_slot section = {&p->r, "", "gait", doc_find(p->doc.root, "gait")};
    p->scale[0] = p->scale[1] = 1;
    if (!(p->gait.stature > 0) && !(p->gait.mass > 0)) return ARNE_OK;
    const arne_status status = factors(p, &section, &p->scale[0], &p->scale[1]);
    if (status) return status;
    return doc_check(&section, arne_builder_scale(p->builder, p->scale[0], p->scale[1]));
}

arne_status problem_gait(problem *p, const doc_slot *section)
{
    const arne_place place = doc_place(&p->r, section->value);
    const doc_slot   compare = doc_under(section, "compare");
    arne_status      status =
        doc_check(section, plan_gait_attach(p->plan, &p->gait, &place, p->r.error));
    // At unusual speeds and steps, joint limits may make the postures impossible: this is checked
    // before the search.
    p->plan->problem.look_first =
        !p->gait.thesis &&
        !(p->gait.speed >= 0.7 && p->gait.speed <= 1.7 && plan_gait_step(&p->gait) <= 0.9);
    if (status || !p->gait.compare) return status;
    char *path = problem_path(p, p->gait.compare);
    if (!path) return arne_fail_memory(p->r.error);
    status = doc_check(&compare, arne_plan_compare(p->plan, path, p->r.error));
    free(path);
    return status;
}

// A plan with the phases and contacts of a step.
arne_status problem_gait_plan(problem *p)
{
    const doc_slot   section = {&p->r, "", "gait", doc_find(p->doc.root, "gait")};
    const arne_place place = doc_place(&p->r, section.value);
    walk_parts      *parts = malloc(sizeof *parts);
    if (!parts) return arne_fail_memory(p->r.error);
    arne_status status = plan_walk_parts(
        p->robot, &p->gait, p->options.degree ? p->options.degree : 3, &place, parts, p->r.error);
    if (!status)
        status = arne_plan_new_in_phases(p->robot, &p->options, parts->phases, WALK_PHASES,
                                         parts->contacts, WALK_CONTACTS, &p->plan, p->r.error);
    free(parts);
    return doc_check(&section, status);
}

// The robot with what it carries on its back.
arne_status problem_gait_load(problem *p, arne_robot **robot)
{
    const doc_slot section = {&p->r, "", "gait", doc_find(p->doc.root, "gait")};
    const int      link = p->gait.walker.backpack;
    arne_robot    *loaded = NULL;
    if (!(p->gait.backpack > 0)) return ARNE_OK;
    if (link < 0)
        return doc_fail(&section, ARNE_NOT_FOUND,
                        "has a backpack, but robot '%s' does not say under 'walker' where it hangs",
                        arne_robot_name(*robot));
    const arne_payload pack = {.mass = p->gait.backpack, .com = p->gait.walker.backpack_com};
    const char        *name = arne_robot_frame(p->robot, link).name;
    const arne_status  status =
        doc_check(&section, arne_robot_attach(*robot, arne_find_frame(*robot, name), &pack, &loaded,
                                              p->r.error));
    if (status) return status;
    arne_robot_free(*robot);
    *robot = loaded;
    return ARNE_OK;
}
