// A pointer that is needed and NULL is refused by name, each of them, by every function that says
// how it went; what is optional is not.
#include "robots.h"
#include "testing.h"
#include <arne/arne.h>
#include <stdlib.h>
#include <string.h>

static int flaws, hole; // which of the pointers is NULL
#define OR(k, pointer) (hole == (k) ? NULL : (pointer))

// The call, with each of `count` pointers NULL in turn. A function that takes an error must fill
// it.
#define NEEDS(count, call)                                                                         \
    for (hole = 1; hole <= (count); hole++) {                                                      \
        memset(&e, 0, sizeof e);                                                                   \
        const arne_status said = (call);                                                           \
        const int         told = !strstr(#call, "&e)") || (e.code == said && e.text[0]);           \
        if (said == ARNE_NULL_ARGUMENT && told) continue;                                          \
        flaws++;                                                                                   \
        print_error("pointer %d of %s: \"%s\", error \"%s\"\n", hole, #call,                       \
                    arne_status_text(said), e.text);                                               \
    }

static arne_error e;

static int any_quantity(void *context, double u, const double *z, double *value, double *gradient)
{
    (void)context, (void)u, (void)z, (void)value, (void)gradient;
    return 0;
}

static arne_status any_control(void *context, const arne_control_input *in, double *tau)
{
    (void)context, (void)in, (void)tau;
    return ARNE_OK;
}

static void plans(void **unused)
{
    const arne_plan_options options = {.degree = 3, .control_points = 8, .time = 1};
    const arne_plan_phase   phase = {.name = "a", .time = 1};
    const arne_quantity     quantity = {.kind = ARNE_QUANTITY_TORQUE};
    const arne_constraint   constraint = {0};
    const arne_objective    objective = {0};
    const arne_payload      payload = {.mass = 1};
    const arne_plan_wrench  wrench = {0};
    const arne_strength     strength = {0};
    arne_robot             *robot = read_robot("planar_2r", NULL), *other = NULL;
    arne_plan              *plan = NULL, *made = NULL;
    arne_plan_result        result;
    double                  x[8] = {0};
    int                     number;
    (void)unused;
    assert_ok(arne_plan_new(robot, &options, &plan, &e));
    NEEDS(2, arne_planning_robot(OR(1, (arne_builder *)&number), NULL, OR(2, &other), &e))
    NEEDS(2, arne_plan_new(OR(1, robot), &options, OR(2, &made), &e))
    NEEDS(3, arne_plan_new_on_path(OR(1, robot), &options, 2, OR(2, x), OR(3, &made), &e))
    NEEDS(3, arne_plan_new_in_phases(OR(1, robot), &options, OR(2, &phase), 1, NULL, 0,
                                     OR(3, &made), &e))
    NEEDS(2, arne_plan_read(OR(1, "x"), NULL, OR(2, &made), &e))
    NEEDS(2, arne_plan_read_yaml(OR(1, "x"), 1, "x", NULL, OR(2, &made), &e))
    NEEDS(3, arne_plan_add_quantity(OR(1, plan), OR(2, &quantity), OR(3, &number), &e))
    NEEDS(3, arne_plan_add_callback(OR(1, plan), "x", 1, OR(2, any_quantity), NULL, OR(3, &number),
                                    &e))
    NEEDS(2, arne_plan_add_constraint(OR(1, plan), OR(2, &constraint), &e))
    NEEDS(2, arne_plan_add_objective(OR(1, plan), OR(2, &objective), &e))
    NEEDS(2, arne_plan_add_wrench(OR(1, plan), OR(2, &wrench), &e))
    NEEDS(3, arne_plan_add_payload(OR(1, plan), 1, OR(2, &payload), OR(3, &number), 1, &e))
    NEEDS(2, arne_plan_set_strength(OR(1, plan), 0, OR(2, &strength), &e))
    NEEDS(2, arne_plan_prescribe(OR(1, plan), 0, OR(2, x), 1, 0, 0, 0, &e))
    NEEDS(2, arne_plan_solve(OR(1, plan), NULL, OR(2, &result), &e))
    NEEDS(2, arne_plan_start_from(OR(1, plan), OR(2, "x"), &e))
    NEEDS(2, arne_plan_compare(OR(1, plan), OR(2, "x"), &e))
    NEEDS(2, arne_plan_reserve(OR(1, plan), OR(2, "x"), &e))
    NEEDS(2, arne_plan_resume(OR(1, plan), OR(2, "x"), &e))
    NEEDS(3, arne_plan_write(OR(1, plan), OR(2, &result), OR(3, "x"), NULL, &e))
    NEEDS(1, arne_plan_check_derivatives(OR(1, plan), NULL, NULL, x, &e))
    arne_plan_free(plan);
    arne_robot_free(robot);
    assert_int_equal(flaws, 0);
}

static void motions(void **unused)
{
    const double           times[] = {0, 1}, points[] = {0, 0, 1, 1};
    double                 x[64] = {0};
    arne_robot            *robot = read_robot("planar_2r", NULL);
    arne_bspline          *basis = NULL, *none = NULL;
    arne_trajectory       *motion = NULL, *made = NULL;
    arne_table            *table = NULL, *rows = NULL;
    arne_scaling          *scaling = NULL;
    arne_bspline_condition at[4] = {{0}};
    (void)unused;
    assert_ok(arne_bspline_new(3, 4, NULL, &basis, &e));
    assert_ok(arne_table_new(&table));
    assert_ok(arne_trajectory_point_to_point(robot, ARNE_PROFILE_QUINTIC, points, points + 2, 1,
                                             NULL, &motion, &e));
    NEEDS(1, arne_bspline_new(3, 4, NULL, OR(1, &none), &e))
    NEEDS(4, arne_bspline_fit(OR(1, basis), 1, OR(2, at), OR(3, points), 1, OR(4, x), &e))
    NEEDS(4, arne_trajectory_point_to_point(OR(1, robot), ARNE_PROFILE_QUINTIC, OR(2, points),
                                            OR(3, points + 2), 1, NULL, OR(4, &made), &e))
    NEEDS(4, arne_trajectory_waypoints(OR(1, robot), 3, 2, OR(2, times), OR(3, points),
                                       OR(4, &made), &e))
    NEEDS(4, arne_trajectory_through(OR(1, robot), 3, 2, OR(2, times), OR(3, points), OR(4, &made),
                                     &e))
    NEEDS(3, arne_trajectory_table(OR(1, robot), 3, OR(2, table), NULL, OR(3, &made), &e))
    NEEDS(4, arne_trajectory_bspline(OR(1, robot), OR(2, basis), 1, OR(3, x), OR(4, &made), &e))
    NEEDS(4, arne_trajectory_sinusoid(OR(1, robot), x, 1, OR(2, times + 1), OR(3, points), NULL,
                                      OR(4, &made), &e))
    NEEDS(2, arne_trajectory_check_limits(OR(1, motion), OR(2, robot), 1, 10, &e))
    NEEDS(3, arne_trajectory_sample(OR(1, motion), OR(2, robot), 1, 10, 2, OR(3, &rows), &e))
    NEEDS(3, arne_scaling_new(OR(1, robot), OR(2, motion), NULL, OR(3, &scaling), &e))
    NEEDS(2, arne_differentiate(2, 1, OR(1, times), OR(2, points), x, x, x, x, &e))
    NEEDS(1, arne_table_new(OR(1, &rows)))
    NEEDS(2, arne_table_add_column(OR(1, table), OR(2, "x"), NULL))
    NEEDS(2, arne_table_append(OR(1, table), OR(2, x)))
    NEEDS(1, arne_table_reserve(OR(1, table), 3))
    NEEDS(2, arne_table_read_csv(OR(1, "x"), OR(2, &rows), &e))
    NEEDS(2, arne_table_read_csv_columns(OR(1, "x"), NULL, NULL, OR(2, &rows), &e))
    NEEDS(2, arne_table_write_csv(OR(1, table), OR(2, "x"), &e))
    arne_trajectory_free(motion);
    arne_table_free(table);
    arne_bspline_free(basis);
    arne_robot_free(robot);
    assert_int_equal(flaws, 0);
}

static void controllers_and_contact(void **unused)
{
    const arne_surface        ground = {.friction = 1};
    const arne_held           held = {.frame = 1};
    const arne_flight_gains   flight = {0};
    const arne_muscle_drive   drive = {0};
    const arne_mixed_gains    mixed = {0};
    const arne_control_limits limits = {0};
    const arne_control_input  input = {0};
    arne_robot               *robot = read_robot("planar_2r", NULL);
    arne_work                *work = new_work(robot);
    arne_controller          *pd = NULL, *made = NULL;
    arne_table               *table = NULL;
    arne_world               *world = NULL, *none = NULL;
    arne_holding             *holding = NULL, *nothing = NULL;
    double                    x[64] = {0};
    (void)unused;
    assert_ok(arne_controller_pd(robot, x, x, &pd, &e));
    assert_ok(arne_table_new(&table));
    assert_ok(arne_world_new(robot, &ground, 1, &world, &e));
    assert_ok(arne_holding_new(robot, &held, 1, &holding, &e));
    NEEDS(3, arne_control(OR(1, pd), OR(2, &input), OR(3, x), &e))
    NEEDS(1, arne_controller_set_limits(OR(1, pd), &limits, &e))
    NEEDS(2, arne_controller_pd(OR(1, robot), x, x, OR(2, &made), &e))
    NEEDS(2, arne_controller_pid(OR(1, robot), x, x, x, OR(2, &made), &e))
    NEEDS(2, arne_controller_pd_gravity(OR(1, robot), x, x, OR(2, &made), &e))
    NEEDS(2, arne_controller_computed_torque(OR(1, robot), x, x, OR(2, &made), &e))
    NEEDS(2, arne_controller_impedance(OR(1, robot), 1, x, x, x, OR(2, &made), &e))
    NEEDS(3, arne_controller_muscles(OR(1, robot), OR(2, &drive), OR(3, &made), &e))
    NEEDS(3, arne_controller_torque_table(OR(1, robot), OR(2, table), 1, OR(3, &made), &e))
    NEEDS(3, arne_controller_mixed(OR(1, robot), OR(2, &mixed), 1, 1, OR(3, &made), &e))
    NEEDS(3, arne_controller_callback(OR(1, robot), OR(2, any_control), NULL, OR(3, &made), &e))
    NEEDS(3, arne_controller_flight(OR(1, robot), NULL, 0, OR(2, &flight), OR(3, &made), &e))
    NEEDS(2, arne_controller_whole_body(OR(1, robot), NULL, 0, x, x, 1, OR(2, &made), &e))
    NEEDS(2, arne_world_new(OR(1, robot), &ground, 1, OR(2, &none), &e))
    NEEDS(3, arne_surface_ground(OR(1, robot), OR(2, &ground), OR(3, x), &e))
    NEEDS(7, arne_ground_dynamics(OR(1, robot), OR(2, work), OR(3, x), OR(4, x), OR(5, x), OR(6, x),
                                  NULL, OR(7, x), NULL, &e))
    NEEDS(5, arne_world_step(OR(1, world), OR(2, work), OR(3, x), NULL, 1e-3, OR(4, x),
                             OR(5, x + 8), &e))
    NEEDS(3, arne_holding_new(OR(1, robot), OR(2, &held), 1, OR(3, &nothing), &e))
    NEEDS(6, arne_contact_dynamics(OR(1, holding), OR(2, work), OR(3, x), OR(4, x), OR(5, x), NULL,
                                   OR(6, x), NULL, NULL, &e))
    NEEDS(6, arne_contact_inverse_dynamics(OR(1, holding), OR(2, work), OR(3, x), OR(4, x),
                                           OR(5, x), NULL, OR(6, x), NULL, &e))
    arne_holding_free(holding);
    arne_world_free(world);
    arne_table_free(table);
    arne_controller_free(pd);
    arne_work_free(work);
    arne_robot_free(robot);
    assert_int_equal(flaws, 0);
}

static void files(void **unused)
{
    arne_robot             *robot = read_robot("planar_2r", NULL), *made = NULL;
    arne_work              *work = new_work(robot);
    arne_builder           *builder = NULL;
    arne_scenario          *scenario = NULL;
    arne_identify          *identify = NULL, *other = NULL;
    arne_identify_settings *settings = NULL;
    arne_design            *design = NULL;
    arne_base_set          *set = NULL;
    arne_sweep             *sweep = NULL;
    arne_simulation_spec    simulation = {0};
    arne_simulation_summary summary;
    arne_report_brief      *brief = NULL;
    arne_modules           *modules = NULL;
    arne_feedforward       *feedforward = NULL;
    arne_integrator        *integrator = NULL;
    arne_document           kind;
    arne_table             *table = NULL;
    arne_log                log = {0};
    char                   *text = NULL;
    double                  x[64] = {0};
    int                     number;
    size_t                  size;
    (void)unused;
    assert_ok(arne_builder_new(&builder));
    assert_ok(arne_identify_new(robot, NULL, &identify, &e));
    NEEDS(2, arne_robot_read(OR(1, "x"), NULL, OR(2, &made), &e))
    NEEDS(2, arne_read(OR(1, builder), OR(2, "x"), &e))
    NEEDS(2, arne_read_open(OR(1, builder), OR(2, "x"), &e))
    NEEDS(2, arne_read_urdf(OR(1, builder), OR(2, "x"), 1, "x", &e))
    NEEDS(2, arne_read_yaml(OR(1, builder), OR(2, "x"), 1, "x", &e))
    NEEDS(2, arne_read_text(OR(1, builder), OR(2, "x"), 1, "x", &e))
    NEEDS(2, arne_builder_write(OR(1, builder), OR(2, "x"), NULL, NULL, &e))
    NEEDS(2, arne_robot_write(OR(1, robot), OR(2, "x"), NULL, NULL, &e))
    NEEDS(3, arne_robot_text(OR(1, robot), ARNE_FORMAT_YAML, NULL, NULL, OR(2, &text), OR(3, &size),
                             &e))
    NEEDS(3, arne_robot_parts_text(OR(1, "x"), OR(2, &text), OR(3, &size), &e))
    NEEDS(4, arne_read_configuration(OR(1, "x"), OR(2, robot), OR(3, "x"), OR(4, x), &e))
    NEEDS(4, arne_read_servo_gains(OR(1, "x"), OR(2, robot), OR(3, x), OR(4, x), &e))
    NEEDS(1, arne_document_check(OR(1, "x"), ARNE_DOCUMENT_ROBOT, NULL, &e))
    NEEDS(2, arne_parse_number(OR(1, "1"), OR(2, x)))
    NEEDS(1, arne_run_check_place(OR(1, "/tmp/arne_null_place"), &e))
    NEEDS(1, arne_report_write(OR(1, "x"), NULL, &e))
    NEEDS(2, arne_report_brief_read(OR(1, "x"), OR(2, &brief), &e))
    NEEDS(2, arne_report_robot(OR(1, "x"), OR(2, robot), NULL, &e))
    NEEDS(2, arne_report_modes(OR(1, "x"), OR(2, robot), NULL, &e))
    NEEDS(2, arne_sweep_read(OR(1, "x"), NULL, OR(2, &sweep), &e))
    NEEDS(1, arne_sweep_report(OR(1, "x"), &e))
    NEEDS(2, arne_document_kind(OR(1, "x"), OR(2, &kind), &e))
    NEEDS(2, arne_document_fits(OR(1, "x"), ARNE_DOCUMENT_ROBOT, OR(2, &number), &e))
    NEEDS(2, arne_simulate(OR(1, &simulation), NULL, NULL, OR(2, &table), &summary, &e))
    NEEDS(2, arne_scenario_read(OR(1, "x"), NULL, OR(2, &scenario), &e))
    NEEDS(2, arne_scenario_read_yaml(OR(1, "x"), 1, "x", NULL, OR(2, &scenario), &e))
    NEEDS(3, arne_base_set_new(OR(1, robot), OR(2, work), 1, 1, OR(3, &set), &e))
    NEEDS(2, arne_robot_base_form(OR(1, robot), OR(2, &made), &e))
    NEEDS(2, arne_identify_new(OR(1, robot), NULL, OR(2, &other), &e))
    NEEDS(2, arne_identify_add_file(OR(1, identify), OR(2, "x"), ARNE_LOG_FIT, &e))
    NEEDS(2, arne_identify_add_log(OR(1, identify), OR(2, &log), ARNE_LOG_FIT, &e))
    NEEDS(1, arne_identify_fit_robot(OR(1, identify), &e))
    NEEDS(2, arne_identify_robot(OR(1, identify), OR(2, &made), &e))
    NEEDS(2, arne_identify_write(OR(1, identify), OR(2, "x"), NULL, &e))
    NEEDS(2, arne_identify_settings_read(OR(1, "x"), NULL, NULL, OR(2, &settings), &e))
    NEEDS(2, arne_design_new(OR(1, robot), NULL, OR(2, &design), &e))
    NEEDS(2, arne_modules_new(OR(1, robot), OR(2, &modules), &e))
    NEEDS(2, arne_feedforward_new(OR(1, robot), OR(2, &feedforward), &e))
    NEEDS(2, arne_integrator_new(OR(1, (arne_system *)x), NULL, OR(2, &integrator), &e))
    arne_identify_free(identify);
    arne_builder_free(builder);
    arne_work_free(work);
    arne_robot_free(robot);
    assert_int_equal(flaws, 0);
}

// Builders, and what works on a whole robot or study.
static void builders(void **unused)
{
    static const arne_vec3   points[1] = {{0, 0, 0}};
    arne_builder            *b = NULL, *none = NULL;
    arne_robot              *robot = read_robot("planar_2r", NULL), *made = NULL;
    arne_work               *work = NULL, *again = NULL;
    arne_batch              *batch = NULL;
    arne_generated          *code = NULL;
    arne_scenario           *scenario = (arne_scenario *)(void *)&made;
    arne_body_spec           body = arne_body_spec_default();
    arne_joint_spec          joint = arne_joint_spec_default();
    arne_motor_spec          motor = arne_motor_spec_default();
    arne_spring_spec         spring = {0};
    arne_coupling_spec       coupling = {.ratio = 1};
    arne_strain_spec         strain = {.weight = {1, 1}};
    arne_loop_spec           loop = arne_loop_spec_default();
    arne_contact_spec        contact = arne_contact_spec_default();
    arne_parallel_spec       legs = arne_parallel_spec_default(ARNE_LEG_UPS);
    const arne_pose          pose = {.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const arne_place         place = {0};
    const arne_payload       payload = {.mass = 1};
    const arne_build_options build = {0};
    double                   x[36] = {0};
    int                      count;
    char                    *line;
    (void)unused;
    assert_ok(arne_builder_new(&b));
    assert_ok(arne_work_new(robot, &work));
    flaws = 0;
    // A spec, and every name that it needs.
    NEEDS(3, (body.name = OR(3, "a"), arne_builder_add_body(OR(1, b), OR(2, &body), &e)))
    NEEDS(5, (joint.name = OR(3, "a"), joint.parent = OR(4, "a"), joint.child = OR(5, "b"),
              arne_builder_add_joint(OR(1, b), OR(2, &joint), &e)))
    NEEDS(3, (motor.joint = OR(3, "a"), arne_builder_add_motor(OR(1, b), OR(2, &motor), &e)))
    NEEDS(3, (spring.joint = OR(3, "a"), arne_builder_add_spring(OR(1, b), OR(2, &spring), &e)))
    NEEDS(4, (coupling.joint = OR(3, "a"), coupling.with = OR(4, "b"),
              arne_builder_add_coupling(OR(1, b), OR(2, &coupling), &e)))
    NEEDS(4, (strain.joint = OR(3, "a"), strain.with = OR(4, "b"),
              arne_builder_add_strain(OR(1, b), OR(2, &strain), &e)))
    coupling.joint = coupling.motor = "a"; // one of them, not both
    NEEDS(1, arne_builder_add_coupling(b, &coupling, &e))
    NEEDS(5, (loop.name = OR(3, "a"), loop.predecessor = OR(4, "a"), loop.successor = OR(5, "b"),
              arne_builder_add_loop(OR(1, b), OR(2, &loop), &e)))
    NEEDS(3, (contact.link = OR(3, "a"), arne_builder_add_contact(OR(1, b), OR(2, &contact), &e)))
    NEEDS(6, (legs.base = OR(3, "a"), legs.platform.name = OR(4, "p"),
              legs.base_points = OR(5, points), legs.platform_points = OR(6, points),
              arne_builder_add_parallel(OR(1, b), OR(2, &legs), &e)))
    NEEDS(3, arne_builder_add_frame(OR(1, b), OR(2, "f"), OR(3, "a"), &pose, place, &e))
    NEEDS(3, (body.name = OR(3, "a"), arne_builder_set_body(OR(1, b), OR(2, &body), &e)))
    NEEDS(5, (joint.name = OR(3, "a"), joint.parent = OR(4, "a"), joint.child = OR(5, "b"),
              arne_builder_set_joint(OR(1, b), OR(2, &joint), &e)))
    NEEDS(3, (motor.joint = OR(3, "a"), arne_builder_set_motor(OR(1, b), OR(2, &motor), &e)))
    NEEDS(3, arne_builder_set_inertia(OR(1, b), OR(2, "a"), 1, points[0], OR(3, x), 0, &e))
    NEEDS(3, arne_builder_get_body(OR(1, b), OR(2, "a"), OR(3, &body)))
    NEEDS(3, arne_builder_get_joint(OR(1, b), OR(2, "a"), OR(3, &joint)))
    NEEDS(3, arne_builder_get_motor(OR(1, b), OR(2, "a"), OR(3, &motor)))
    NEEDS(2, arne_builder_set_name(OR(1, b), OR(2, "a")))
    NEEDS(1, arne_builder_set_gravity(OR(1, b), points[0]))
    NEEDS(1, arne_builder_set_base(OR(1, b), ARNE_BASE_FREE))
    NEEDS(2, arne_builder_add_robot(OR(1, b), OR(2, robot), &e))
    NEEDS(2, arne_builder_lock(OR(1, b), OR(2, "a"), 0, &e))
    NEEDS(1, arne_builder_scale(OR(1, b), 1, 1))
    NEEDS(3, arne_builder_warn(OR(1, b), OR(2, "axis"), place, OR(3, "text")))
    NEEDS(2, arne_builder_finish(OR(1, b), &build, OR(2, &made), &e))
    NEEDS(1, arne_builder_new(OR(1, &none)))
    NEEDS(3, arne_robot_attach(OR(1, robot), 0, OR(2, &payload), OR(3, &made), &e))
    const char *const held[] = {"joint1"};
    NEEDS(4, arne_robot_reduce(OR(1, robot), 1, OR(2, held), OR(3, x), OR(4, &made), &e))
    NEEDS(2, arne_robot_unpack(OR(1, x), sizeof x, OR(2, &made), &e))
    NEEDS(2, arne_work_new(OR(1, robot), OR(2, &again)))
    NEEDS(2, arne_batch_new(OR(1, robot), NULL, OR(2, &batch), &e))
    NEEDS(2, arne_generate(OR(1, robot), NULL, OR(2, &code), &e))
    NEEDS(2, arne_fmu_write(OR(1, scenario), OR(2, "x"), NULL, &e))
    NEEDS(2, arne_fmu_write_robot(OR(1, robot), OR(2, "x"), NULL, &e))
    NEEDS(3, arne_equilibrium(OR(1, robot), OR(2, work), NULL, OR(3, x), &e))
    NEEDS(4, arne_modes(OR(1, robot), OR(2, work), NULL, OR(3, x), OR(4, &count), x, x, &e))
    NEEDS(4, arne_muscle_lengths(OR(1, robot), OR(2, work), OR(3, x), NULL, OR(4, x), NULL))
    NEEDS(1, arne_muscle_lengths(robot, work, x, OR(1, x), x, x)) // speeds need velocities
    NEEDS(2, arne_muscle_paths(OR(1, robot), 1, OR(2, x), NULL, 1, x, NULL, NULL))
    NEEDS(4, arne_muscle_moment_arms(OR(1, robot), OR(2, work), OR(3, x), OR(4, x)))
    NEEDS(2, arne_scenario_run(OR(1, scenario), OR(2, "x"), NULL, NULL, &e))
    NEEDS(2,
          arne_scenario_set_controller(OR(1, scenario), OR(2, (arne_controller *)(void *)x), 0, &e))
    NEEDS(2, arne_sweep_row(OR(1, (arne_sweep *)(void *)x), 0, NULL, OR(2, &line), &e))
    NEEDS(2, arne_sweep_run(OR(1, (arne_sweep *)(void *)x), OR(2, "x"), NULL, NULL, &e))
    const char *const dirs[] = {"x", "x"};
    NEEDS(2, arne_report_compare(OR(1, "x"), OR(2, dirs), 2, &e))
    NEEDS(2, arne_report_index(OR(1, "x"), OR(2, "title"), NULL, NULL, 0, &e))
    arne_work_free(work);
    arne_builder_free(b);
    arne_robot_free(robot);
    assert_int_equal(flaws, 0);
}

static void muscles(void **unused)
{
    arne_robot        *robot = read_robot("planar_2r", NULL);
    double             x[8] = {0};
    arne_muscle_result result = {0};
    arne_static       *made = NULL;
    arne_recording     motion = {0};
    arne_table        *table = NULL;
    arne_wrench        wrench = {0};
    (void)unused;
    NEEDS(4, arne_muscle_forces(OR(1, robot), 1, OR(2, x), OR(3, x), NULL, NULL, OR(4, x), NULL))
    NEEDS(4, arne_activation_rates(OR(1, robot), OR(2, x), OR(3, x), OR(4, x), NULL))
    NEEDS(4,
          arne_metabolic_rates(OR(1, robot), NULL, OR(2, x), OR(3, &result), NULL, OR(4, x), NULL))
    NEEDS(3, arne_recording_muscles(OR(1, robot), OR(2, &motion), NULL, NULL, OR(3, &table), NULL,
                                    NULL, &e))
    NEEDS(4, arne_muscle_wrenches(OR(1, robot), (arne_work *)x, OR(2, x), OR(3, x), OR(4, &wrench)))
    NEEDS(2, arne_static_new(OR(1, robot), NULL, OR(2, &made), &e))
    NEEDS(1, arne_static_solve(OR(1, NULL), x, x, x, x, x, x, NULL))
    arne_robot_free(robot);
    assert_int_equal(flaws, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans),
        cmocka_unit_test(motions),
        cmocka_unit_test(controllers_and_contact),
        cmocka_unit_test(files),
        cmocka_unit_test(builders),
        cmocka_unit_test(muscles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
