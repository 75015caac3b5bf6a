// Models of OpenSim: both layouts of files, every kind of joint, couplers, markers, mistakes; and
// the reference numbers of a public model.
#include "json.h"
#include "reference.h"
#include "testing.h"
#include <stdio.h>
#include <stdlib.h>

#define LEG_3 TEST_DATA_DIR "/osim/leg_v30000.osim"
#define LEG_4 TEST_DATA_DIR "/osim/leg_v40500.osim"

typedef struct said {
    int  count;
    char text[2000];
} said;

static void osim_note(void *context, const arne_warning *w)
{
    said        *s = context;
    const size_t used = strlen(s->text);
    s->count++;
    snprintf(s->text + used, sizeof s->text - used, "%s\n", w->text);
}

static arne_robot *osim_load(const char *path, said *warnings)
{
    arne_error         error = {0};
    arne_robot        *robot = NULL;
    arne_build_options options = {.warn = osim_note, .warn_context = warnings};
    assert_ok_or(arne_robot_read(path, warnings ? &options : NULL, &robot, &error), &error);
    return robot;
}

// A model with the body b on a joint of these elements, in the layout of version 4.
static arne_status osim_text(const char *joint, const char *rest, arne_robot **out,
                             arne_error *error)
{
    char          text[6000];
    arne_builder *b = NULL;
    snprintf(text, sizeof text,
             "<OpenSimDocument Version='40000'><Model name='m'>\n"
             "<BodySet><objects><Body name='b'><mass>1</mass><mass_center>0.1 0.2 0.3</mass_center>"
             "<inertia>1 1 1 0 0 0</inertia></Body></objects></BodySet>\n"
             "<JointSet><objects>%s</objects></JointSet>\n%s</Model></OpenSimDocument>",
             joint, rest);
    assert_int_equal(arne_builder_new(&b), ARNE_OK);
    *out = NULL;
    arne_status status = arne_read_text(b, text, strlen(text), "m.osim", error);
    if (!status) status = arne_builder_finish(b, NULL, out, error);
    arne_builder_free(b);
    return status;
}

static void both_layouts_are_one_robot(void **unused)
{
    said        said3 = {0}, said4 = {0};
    arne_robot *a = osim_load(LEG_3, &said3), *b = osim_load(LEG_4, &said4);
    (void)unused;
    assert_string_equal(said3.text, "half-space 'floor' is not read; a scenario has it as {type: "
                                    "ground, point: [0, 0, 0], normal: [-1, 0, 0]}\n");
    assert_string_equal(said4.text, said3.text);
    const size_t size = arne_robot_packed_size(a);
    assert_int_equal(size, arne_robot_packed_size(b));
    void *x = malloc(size), *y = malloc(size);
    arne_robot_pack(a, x);
    arne_robot_pack(b, y);
    assert_memory_equal(x, y, size);
    free(x);
    free(y);
    assert_int_equal(arne_robot_sizes(a).v_count, 6); // the patella follows the knee
    assert_int_equal(arne_robot_sizes(a).contact_count, 1);
    const arne_joint_info knee = arne_robot_joint(a, arne_find_joint(a, "knee_angle"));
    assert_true(knee.lower == -2 && knee.upper == 0.17 && !knee.soft && knee.start == -0.3);
    const arne_joint_info hip = arne_robot_joint(a, arne_find_joint(a, "hip_flexion"));
    assert_true(hip.lower == -2 && hip.soft && hip.start == 0.2);
    const arne_joint_info ankle = arne_robot_joint(a, arne_find_joint(a, "ankle_angle"));
    assert_true(ankle.lower == 0.05 && ankle.upper == 0.05 && !ankle.soft); // locked
    arne_robot_free(a);
    arne_robot_free(b);
}

// To YAML and back: the same robot.
static void yaml_loses_nothing(void **unused)
{
    said          warnings = {0};
    arne_robot   *robot = osim_load(LEG_4, &warnings), *again = NULL;
    arne_builder *b = NULL;
    char         *text = NULL;
    size_t        size = 0;
    arne_error    error = {0};
    (void)unused;
    assert_ok_or(arne_robot_text(robot, ARNE_FORMAT_YAML, NULL, NULL, &text, &size, &error),
                 &error);
    assert_int_equal(arne_builder_new(&b), ARNE_OK);
    assert_ok_or(arne_read_yaml(b, text, size, "leg.yaml", &error), &error);
    assert_ok_or(arne_builder_finish(b, NULL, &again, &error), &error);
    const size_t bytes = arne_robot_packed_size(robot);
    assert_int_equal(bytes, arne_robot_packed_size(again));
    void *x = malloc(bytes), *y = malloc(bytes);
    arne_robot_pack(robot, x);
    arne_robot_pack(again, y);
    assert_memory_equal(x, y, bytes);
    free(x);
    free(y);
    free(text);
    arne_builder_free(b);
    arne_robot_free(robot);
    arne_robot_free(again);
}

// ---- joints by their kind

static arne_mat3 osim_turn(char axis, double angle)
{
    const double s = sin(angle), c = cos(angle);
    if (axis == 'x') return (arne_mat3){{1, 0, 0}, {0, c, s}, {0, -s, c}};
    if (axis == 'y') return (arne_mat3){{c, 0, -s}, {0, 1, 0}, {s, 0, c}};
    return (arne_mat3){{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
}

static arne_vec3 osim_rotate(const arne_mat3 *R, arne_vec3 v)
{
    return (arne_vec3){R->x.x * v.x + R->y.x * v.y + R->z.x * v.z,
                       R->x.y * v.x + R->y.y * v.y + R->z.y * v.z,
                       R->x.z * v.x + R->y.z * v.y + R->z.z * v.z};
}

static arne_pose osim_times(arne_pose a, arne_pose b)
{
    const arne_vec3 p = osim_rotate(&a.R, b.p);
    return (arne_pose){
        {osim_rotate(&a.R, b.R.x), osim_rotate(&a.R, b.R.y), osim_rotate(&a.R, b.R.z)},
        {a.p.x + p.x, a.p.y + p.y, a.p.z + p.z}};
}

static arne_pose osim_pose_of(const char *rotations, const char *translations, const double *q)
{
    arne_pose X = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    for (int i = 0; rotations[i]; i++) {
        const arne_pose turn = {osim_turn(rotations[i], *q++), {0, 0, 0}};
        X = osim_times(X, turn);
    }
    for (int i = 0; translations[i]; i++)
        (&X.p.x)[translations[i] - 'x'] = *q++;
    return X;
}

static arne_pose osim_body_pose(const arne_robot *robot, const char *const *names, const double *q)
{
    double     at[8] = {0};
    arne_work *work = NULL;
    assert_int_equal(arne_work_new(robot, &work), ARNE_OK);
    for (int i = 0; names[i]; i++) {
        const int joint = arne_find_joint(robot, names[i]);
        assert_true(joint >= 0);
        at[arne_robot_joint(robot, joint).q_start] = q[i];
    }
    arne_kinematics(robot, work, at, NULL, NULL);
    const arne_pose pose = arne_frame_pose(robot, work, arne_find_frame(robot, "b"));
    arne_work_free(work);
    return pose;
}

static const char FRAMES[] =
    "<socket_parent_frame>ground_offset</socket_parent_frame>"
    "<socket_child_frame>b_offset</socket_child_frame><frames>"
    "<PhysicalOffsetFrame name='ground_offset'><socket_parent>/ground</socket_parent>"
    "<translation>0.3 -0.2 0.1</translation><orientation>0.4 0.5 -0.6</orientation>"
    "</PhysicalOffsetFrame>"
    "<PhysicalOffsetFrame name='b_offset'><socket_parent>/bodyset/b</socket_parent>"
    "<translation>0.01 0.02 0.03</translation><orientation>-0.1 0.7 0.2</orientation>"
    "</PhysicalOffsetFrame></frames>";

static arne_pose osim_offset(double x, double y, double z, double a, double b, double c)
{
    const double q[] = {a, b, c, x, y, z};
    return osim_pose_of("xyz", "xyz", q);
}

static void joints_move_as_opensim_says(void **unused)
{
    static const struct {
        const char *tag, *rotations, *translations;
        const char *names[7];
    } kinds[] = {
        {"WeldJoint", "", "", {NULL}},
        {"PinJoint", "z", "", {"c0", NULL}},
        {"SliderJoint", "", "x", {"c0", NULL}},
        {"BallJoint", "xyz", "", {"c0", "c1", "j_coord_2", NULL}},
        {"GimbalJoint", "xyz", "", {"c0", "c1", "j_coord_2", NULL}},
        {"UniversalJoint", "xy", "", {"c0", "c1", NULL}},
        {"PlanarJoint", "z", "xy", {"c0", "c1", "j_coord_2", NULL}},
        {"FreeJoint",
         "xyz",
         "xyz",
         {"c0", "c1", "j_coord_2", "j_coord_3", "j_coord_4", "j_coord_5", NULL}},
    };
    static const double q[] = {0.3, -0.8, 0.5, 0.2, -0.4, 0.6};
    (void)unused;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int reversed = 0; reversed < 2; reversed++) {
            char        joint[2000];
            arne_robot *robot;
            arne_error  error = {0};
            const int count = (int)strlen(kinds[k].rotations) + (int)strlen(kinds[k].translations);
            snprintf(joint, sizeof joint, "<%s name='j'>%s<coordinates>%s%s</coordinates>%s</%s>",
                     kinds[k].tag, FRAMES, count > 0 ? "<Coordinate name='c0'/>" : "",
                     count > 1 ? "<Coordinate name='c1'/>" : "",
                     reversed ? "<reverse>true</reverse>" : "", kinds[k].tag);
            const arne_pose P = osim_offset(0.3, -0.2, 0.1, 0.4, 0.5, -0.6);
            const arne_pose C = osim_offset(0.01, 0.02, 0.03, -0.1, 0.7, 0.2);
            const arne_pose J = osim_pose_of(kinds[k].rotations, kinds[k].translations, q);
            if (reversed) { // then the ground moves on b: exchange them
                char *g = strstr(joint, "/ground"), *b = strstr(joint, "/bodyset/b");
                memcpy(g, "/b     ", 7);
                memcpy(b, "/ground   ", 10);
            }
            assert_ok_or(osim_text(joint, "", &robot, &error), &error);
            // P J C^-1; reversed: C J^-1 P^-1 of the exchanged frames. Both as X C = P J.
            const arne_pose X = osim_body_pose(robot, kinds[k].names, q);
            const arne_pose left = reversed ? osim_times(osim_times(X, P), J) : osim_times(X, C);
            const arne_pose right = reversed ? C : osim_times(P, J);
            for (int i = 0; i < 12; i++)
                assert_true(fabs((&left.R.x.x)[i] - (&right.R.x.x)[i]) < 1e-14);
            arne_robot_free(robot);
        }
}

// A custom joint of all functions: the translations are in the parent's axes.
static void custom_joints_take_functions(void **unused)
{
    static const char *const names[] = {"a", NULL};
    static const double      x[] = {-1, 0, 2}, y[] = {1, 0.5, 2};
    static const char *const functions =
        "<TransformAxis name='rotation1'><coordinates>a</coordinates><axis>0 0 2</axis>"
        "<LinearFunction><coefficients>-1 0</coefficients></LinearFunction></TransformAxis>"
        "<TransformAxis name='translation1'><coordinates>a</coordinates><axis>1 0 0</axis>"
        "<PolynomialFunction><coefficients>3 2 1</coefficients></PolynomialFunction>"
        "</TransformAxis>"
        "<TransformAxis name='translation2'><coordinates>a</coordinates><axis>0 1 0</axis>"
        "<MultiplierFunction><function><PiecewiseLinearFunction><x>-1 0 2</x><y>1 0.5 2</y>"
        "</PiecewiseLinearFunction></function><scale>2</scale></MultiplierFunction></TransformAxis>"
        "<TransformAxis name='translation3'><coordinates>a</coordinates><axis>0 0 1</axis>"
        "<Sine><amplitude>0.5</amplitude><omega>2</omega><phase>0.1</phase><offset>1</offset>"
        "</Sine></TransformAxis>";
    char        joint[3000];
    arne_robot *robot;
    arne_error  error = {0};
    (void)unused;
    snprintf(joint, sizeof joint,
             "<CustomJoint name='j'><socket_parent_frame>/ground</socket_parent_frame>"
             "<socket_child_frame>/bodyset/b</socket_child_frame><coordinates>"
             "<Coordinate name='a'/></coordinates><SpatialTransform>%s</SpatialTransform>"
             "</CustomJoint>",
             functions);
    assert_ok_or(osim_text(joint, "", &robot, &error), &error);
    for (int i = 0; i < 20; i++) {
        const double    a = -1.5 + 0.2 * i + 0.01;
        const arne_pose X = osim_body_pose(robot, names, &a);
        const int       k = a < x[1] ? 0 : 1;
        const double    line = y[k] + (a - x[k]) * (y[k + 1] - y[k]) / (x[k + 1] - x[k]);
        assert_true(fabs(X.R.x.y + sin(a)) < 1e-14);
        assert_true(fabs(X.p.x - (3 * a * a + 2 * a + 1)) < 1e-13);
        assert_true(fabs(X.p.y - 2 * line) < 1e-14);
        assert_true(fabs(X.p.z - (0.5 * sin(2 * a + 0.1) + 1)) < 1e-14);
    }
    arne_robot_free(robot);
}

// ---- muscles

#define PATH                                                                                       \
    "<GeometryPath><PathPointSet><objects>"                                                        \
    "<PathPoint name='p1'><socket_parent_frame>/ground</socket_parent_frame>"                      \
    "<location>0 0.1 0</location></PathPoint>"                                                     \
    "<ConditionalPathPoint name='p2'><socket_parent_frame>/ground</socket_parent_frame>"           \
    "<location>0 0.2 0</location><socket_coordinate>/jointset/j/a</socket_coordinate>"             \
    "<range>-1 0.5</range></ConditionalPathPoint>"                                                 \
    "<MovingPathPoint name='p3'><socket_parent_frame>/bodyset/b</socket_parent_frame>"             \
    "<socket_x_coordinate>/jointset/j/a</socket_x_coordinate>"                                     \
    "<x_location><SimmSpline><x>0 1 2</x><y>0 0.1 0.3</y></SimmSpline></x_location>"               \
    "<y_location><Constant><value>0.4</value></Constant></y_location>"                             \
    "<z_location><Constant><value>0.5</value></Constant></z_location></MovingPathPoint>"           \
    "</objects></PathPointSet><PathWrapSet><objects>"                                              \
    "<PathWrap name='w'><wrap_object>knob</wrap_object><range>1 2</range></PathWrap>"              \
    "<PathWrap name='v'><wrap_object>off</wrap_object></PathWrap></objects></PathWrapSet>"         \
    "</GeometryPath>"

static void muscles_are_read(void **unused)
{
    static const char joint[] =
        "<PinJoint name='j'><socket_parent_frame>/ground</socket_parent_frame>"
        "<socket_child_frame>/bodyset/b</socket_child_frame>"
        "<coordinates><Coordinate name='a'><range>-2 2</range></Coordinate></coordinates>"
        "</PinJoint>";
    static const char rest[] =
        "<Ground name='ground'><WrapObjectSet><objects>"
        "<WrapCylinder name='knob'><translation>0.1 0 0</translation>"
        "<xyz_body_rotation>0.1 0.2 0.3</xyz_body_rotation><quadrant>-y</quadrant>"
        "<radius>0.02</radius><length>0.3</length></WrapCylinder>"
        "<WrapSphere name='off'><active>false</active><radius>1</radius></WrapSphere></objects>"
        "</WrapObjectSet></Ground><ForceSet><objects>"
        "<Millard2012EquilibriumMuscle name='m'>" PATH
        "<max_isometric_force>700</max_isometric_force>"
        "<optimal_fiber_length>0.1</optimal_fiber_length>"
        "<tendon_slack_length>0.2</tendon_slack_length>"
        "<ignore_tendon_compliance>true</ignore_tendon_compliance>"
        "<ActiveForceLengthCurve><minimum_value>0</minimum_value></ActiveForceLengthCurve>"
        "<TendonForceLengthCurve><strain_at_one_norm_force>0.05</strain_at_one_norm_force>"
        "</TendonForceLengthCurve></Millard2012EquilibriumMuscle>"
        "<Thelen2003Muscle name='t'>" PATH "<max_isometric_force>500</max_isometric_force>"
        "<optimal_fiber_length>0.1</optimal_fiber_length>"
        "<tendon_slack_length>0.2</tendon_slack_length><Af>0.3</Af></Thelen2003Muscle>"
        "<PathSpring name='s'>" PATH "<resting_length>0.3</resting_length>"
        "<stiffness>1000</stiffness></PathSpring></objects></ForceSet>";
    arne_robot *robot;
    arne_error  error = {0};
    (void)unused;
    assert_ok_or(osim_text(joint, rest, &robot, &error), &error);
    assert_int_equal(arne_muscle_count(robot), 3);
    assert_int_equal(arne_wrap_count(robot), 1);
    const arne_wrap_spec wrap = arne_robot_wrap(robot, 0);
    assert_true(wrap.shape == ARNE_WRAP_CYLINDER && wrap.side == ARNE_WRAP_MINUS_Y);
    assert_true(wrap.size[0] == 0.02 && wrap.size[1] == 0.3 && wrap.origin.p.x == 0.1);
    const arne_muscle_spec m = arne_robot_muscle(robot, arne_find_muscle(robot, "m"));
    assert_true(m.law.kind == ARNE_MUSCLE_MILLARD && m.law.max_force == 700);
    assert_true(m.law.rigid_tendon && m.law.active[4] == 0 && m.law.tendon_strain == 0.05);
    assert_int_equal(m.point_count, 3);
    assert_int_equal(m.wrap_count, 1);
    const arne_path_wrap over = arne_muscle_wrap(robot, 0, 0);
    assert_true(over.first == 0 && over.last == 1);
    const arne_path_point second = arne_muscle_point(robot, 0, 1);
    assert_true(!strcmp(second.joint, "a") && second.lower == -1 && second.upper == 0.5);
    const arne_path_point third = arne_muscle_point(robot, 0, 2);
    assert_true(!strcmp(third.link, "b") && !strcmp(third.follows[0], "a") && !third.follows[1]);
    assert_true(third.position.y == 0.4 && third.position.z == 0.5);
    assert_true(arne_robot_muscle(robot, 1).law.velocity_shape == 0.3);
    assert_true(arne_robot_muscle(robot, 2).law.stiffness == 1000);
    arne_robot_free(robot);
    assert_int_not_equal(osim_text(joint,
                                   "<ForceSet><objects><Thelen2003Muscle name='t'/></objects>"
                                   "</ForceSet>",
                                   &robot, &error),
                         ARNE_OK);
    assert_non_null(strstr(error.text, "no GeometryPath"));
}

// A limit of a coordinate: degrees become radians, the force is OpenSim's, and a robot that is
// written and read is the same.
static void limits_are_read(void **unused)
{
    static const char joint[] =
        "<PinJoint name='j'><socket_parent_frame>/ground</socket_parent_frame>"
        "<socket_child_frame>/bodyset/b</socket_child_frame>"
        "<coordinates><Coordinate name='a'/></coordinates></PinJoint>";
#define LIMIT(of)                                                                                  \
    "<ForceSet><objects><CoordinateLimitForce name='stop'><coordinate>" of "</coordinate>"         \
    "<upper_stiffness>2</upper_stiffness><upper_limit>30</upper_limit>"                            \
    "<lower_stiffness>1</lower_stiffness><lower_limit>-20</lower_limit>"                           \
    "<damping>0.1</damping><transition>10</transition></CoordinateLimitForce></objects></"         \
    "ForceSet>"
    const double degree = acos(-1) / 180, qd = -3 * degree;
    arne_robot  *robot, *again = NULL;
    arne_error   error = {0};
    arne_work   *work = NULL;
    (void)unused;
    assert_ok_or(osim_text(joint, LIMIT("a"), &robot, &error), &error);
    assert_int_equal(arne_muscle_count(robot), 1);
    assert_ok(arne_work_new(robot, &work));
    for (int k = -40; k <= 50; k++) {
        const double q = k * degree, none = 0, beyond = k > 30 ? k - 30 : k < -20 ? k + 20 : 0;
        const double x = fmin(fabs(beyond) / 10, 1), step = x * x * x * (10 - 15 * x + 6 * x * x);
        const double want = -step * ((k > 0 ? 2 : 1) * beyond + 0.1 * -3);
        double       length, speed, force, arm;
        assert_ok(arne_muscle_lengths(robot, work, &q, &qd, &length, &speed));
        assert_ok(arne_muscle_moment_arms(robot, work, &q, &arm));
        assert_ok(arne_muscle_forces(robot, 1, &none, &length, &speed, NULL, &force, NULL));
        if (fabs(arm * force - want) > 1e-12) fail_msg("%d: %g, %g", k, arm * force, want);
    }
    arne_builder *b = NULL;
    char         *text = NULL;
    size_t        size = 0;
    assert_ok_or(arne_robot_text(robot, ARNE_FORMAT_YAML, NULL, NULL, &text, &size, &error),
                 &error);
    assert_ok(arne_builder_new(&b));
    assert_ok_or(arne_read_yaml(b, text, size, "m.yaml", &error), &error);
    assert_ok_or(arne_builder_finish(b, NULL, &again, &error), &error);
    const arne_muscle_spec one = arne_robot_muscle(robot, 0), two = arne_robot_muscle(again, 0);
    assert_string_equal(one.joint, two.joint);
    assert_memory_equal(&one.law, &two.law, sizeof one.law);
    arne_builder_free(b);
    free(text);
    arne_work_free(work);
    arne_robot_free(again);
    arne_robot_free(robot);
    assert_int_not_equal(osim_text(joint, LIMIT("z"), &robot, &error), ARNE_OK);
    assert_non_null(strstr(error.text, "no coordinate 'z'"));
#undef LIMIT
}

// ---- mistakes

static void mistakes_have_lines(void **unused)
{
#define PIN(inside) "<PinJoint name='j'>" inside "</PinJoint>"
#define AT_B                                                                                       \
    "<socket_parent_frame>/ground</socket_parent_frame>"                                           \
    "<socket_child_frame>/bodyset/b</socket_child_frame>"
    static const struct {
        const char *joint, *rest, *says;
    } bad[] = {
        {PIN(""), "", "does not say where it is attached"},
        {PIN("<socket_parent_frame>/ground</socket_parent_frame>"
             "<socket_child_frame>/bodyset/c</socket_child_frame>"),
         "", "no body or frame '/bodyset/c'"},
        {PIN(AT_B "<coordinates><Coordinate name='a'><range>1 x</range></Coordinate>"
                  "</coordinates>"),
         "", "of <range>: 'x'"},
        {PIN(AT_B "<coordinates><Coordinate name='a'><locked>maybe</locked></Coordinate>"
                  "</coordinates>"),
         "", "neither true nor false"},
        {"<EllipsoidJoint name='j'>" AT_B "</EllipsoidJoint>", "", "<EllipsoidJoint> is not read"},
        {"<CustomJoint name='j'>" AT_B "<SpatialTransform><TransformAxis name='rotation1'>"
         "<coordinates>a</coordinates><GCVSpline/></TransformAxis></SpatialTransform>"
         "</CustomJoint>",
         "", "the function <GCVSpline> is not read"},
        {"<CustomJoint name='j'>" AT_B "<SpatialTransform><TransformAxis name='rotation1'>"
         "<coordinates>a</coordinates><SimmSpline><x>0 1</x><y>0</y></SimmSpline></TransformAxis>"
         "</SpatialTransform></CustomJoint>",
         "", "2 numbers in x and 1 in y"},
        {PIN(AT_B),
         "<MarkerSet><objects><Marker name='k'><location>0 0 0</location></Marker>"
         "</objects></MarkerSet>",
         "<Marker> does not say where"},
        {PIN(AT_B),
         "<ConstraintSet><objects><CoordinateCouplerConstraint name='c'/></objects>"
         "</ConstraintSet>",
         "needs dependent and independent"},
        {PIN(AT_B), "<BodySet>", "mismatched tag"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        arne_robot *robot;
        arne_error  error = {0};
        assert_int_not_equal(osim_text(bad[i].joint, bad[i].rest, &robot, &error), ARNE_OK);
        if (!strstr(error.text, bad[i].says)) fail_msg("%zu: %s", i, error.text);
        assert_true(error.line == 3 || error.line == 4);
    }
}

static void other_files_are_named(void **unused)
{
    static const char *const texts[] = {
        "<OpenSimDocument Version='40000'><ExternalLoads/></OpenSimDocument>",
        "<OpenSimDocument Version='10900'><Model name='m'/></OpenSimDocument>"};
    static const char *const says[] = {"but a <ExternalLoads>", "file version '10900' is not read"};
    (void)unused;
    for (int i = 0; i < 2; i++) {
        arne_builder *b = NULL;
        arne_error    error = {0};
        assert_int_equal(arne_builder_new(&b), ARNE_OK);
        assert_int_equal(arne_read_text(b, texts[i], strlen(texts[i]), "m.osim", &error),
                         ARNE_VALUE);
        assert_non_null(strstr(error.text, says[i]));
        arne_builder_free(b);
    }
}

// ---- the public model

// A force on a body, at a point of the world and in its axes, as a wrench on the body's frame.
static void osim_push(const arne_robot *robot, const arne_work *work, const json *load,
                      arne_wrench *f_ext)
{
    double    f[3], p[3], m[3];
    const int frame = arne_find_frame(robot, json_text(json_get(load, "body")));
    json_numbers(json_get(load, "force"), f, 3);
    json_numbers(json_get(load, "point"), p, 3);
    json_numbers(json_get(load, "torque"), m, 3);
    const arne_pose X = arne_frame_pose(robot, work, frame);
    const arne_vec3 r = {p[0] - X.p.x, p[1] - X.p.y, p[2] - X.p.z};
    const arne_vec3 F = {f[0], f[1], f[2]};
    const arne_vec3 M = {m[0] + r.y * F.z - r.z * F.y, m[1] + r.z * F.x - r.x * F.z,
                         m[2] + r.x * F.y - r.y * F.x};
    const arne_mat3 T = {
        {X.R.x.x, X.R.y.x, X.R.z.x}, {X.R.x.y, X.R.y.y, X.R.z.y}, {X.R.x.z, X.R.y.z, X.R.z.z}};
    const arne_wrench w = {osim_rotate(&T, F), osim_rotate(&T, M)};
    arne_add_wrench(robot, frame, &w, f_ext);
}

static void osim_compare(const arne_robot *robot, arne_work *work, const json *names,
                         const json *frame)
{
    double      q[10], qd[10], qdd[10], tau[10], theirs[10], row[10];
    int         v[10];
    arne_wrench f_ext[32] = {0};
    for (int i = 0; i < 10; i++)
        v[i] =
            arne_robot_joint(robot, arne_find_joint(robot, json_text(json_at(names, i)))).v_start;
    json_numbers(json_get(frame, "q"), row, 10);
    for (int i = 0; i < 10; i++)
        q[v[i]] = row[i];
    json_numbers(json_get(frame, "qd"), row, 10);
    for (int i = 0; i < 10; i++)
        qd[v[i]] = row[i];
    json_numbers(json_get(frame, "qdd"), row, 10);
    for (int i = 0; i < 10; i++)
        qdd[v[i]] = row[i];
    arne_kinematics(robot, work, q, qd, qdd);
    const json *markers = json_find(frame, "markers"), *loads = json_find(frame, "external");
    for (int i = 0; markers && i < arne_robot_sizes(robot).frame_count; i++) {
        const arne_frame_info f = arne_robot_frame(robot, i);
        const json           *at = f.is_link ? NULL : json_find(markers, f.name);
        if (f.is_link) continue;
        assert_non_null(at);
        const arne_vec3 ours = arne_frame_pose(robot, work, i).p;
        json_numbers(at, row, 3);
        for (int k = 0; k < 3; k++)
            assert_true(fabs((&ours.x)[k] - row[k]) < 1e-12);
    }
    for (int i = 0; loads && i < json_count(loads); i++)
        osim_push(robot, work, json_at(loads, i), f_ext);
    arne_inverse_dynamics(robot, work, q, qd, qdd, f_ext, tau);
    json_numbers(json_get(frame, "tau"), theirs, 10);
    double largest = 1;
    for (int i = 0; i < 10; i++)
        largest = fmax(largest, fabs(theirs[i]));
    for (int i = 0; i < 10; i++)
        if (!(fabs(tau[v[i]] - theirs[i]) <= 1e-9 * largest))
            fail_msg("%s: %.12g instead of %.12g", json_text(json_at(names, i)), tau[v[i]],
                     theirs[i]);
}

static void reference_torques_are_met(void **unused)
{
    static const char *const versions[] = {"v30000", "v40000"};
    (void)unused;
    for (int k = 0; k < 2; k++) {
        char path[1000], name[100];
        snprintf(name, sizeof name, "opensim/models/gait10dof18musc_subject01_%s.osim",
                 versions[k]);
        if (!reference_path(name, path, sizeof path)) return;
        said        warnings = {0};
        arne_robot *robot = osim_load(path, &warnings);
        arne_work  *work = NULL;
        assert_int_equal(warnings.count, 0); // all of it is used
        assert_int_equal(arne_muscle_count(robot), 18);
        assert_int_equal(arne_work_new(robot, &work), ARNE_OK);
        snprintf(name, sizeof name, "opensim/numbers/id_%s.json", versions[k]);
        assert_true(reference_path(name, path, sizeof path));
        json       *file = json_read(path);
        const json *coordinates = json_get(file, "coords"), *frames = json_get(file, "frames");
        for (int i = 0; i < json_count(frames); i++)
            osim_compare(robot, work, coordinates, json_at(frames, i));
        const json *random = json_find(file, "random_states");
        for (int i = 0; random && i < json_count(random); i++)
            osim_compare(robot, work, coordinates, json_at(random, i));
        json_free(file);
        arne_work_free(work);
        arne_robot_free(robot);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_layouts_are_one_robot),
        cmocka_unit_test(yaml_loses_nothing),
        cmocka_unit_test(joints_move_as_opensim_says),
        cmocka_unit_test(custom_joints_take_functions),
        cmocka_unit_test(muscles_are_read),
        cmocka_unit_test(limits_are_read),
        cmocka_unit_test(mistakes_have_lines),
        cmocka_unit_test(other_files_are_named),
        cmocka_unit_test(reference_torques_are_met),
    };
#ifndef ARNE_HAVE_EXPAT
    return 0;
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
