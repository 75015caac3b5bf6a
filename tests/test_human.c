// The human of robots/human.yaml: its size and weight, and its skeleton against the table it was
// written from, moved by rotations that are worked out here.
#include "json.h"
#include "reference.h"
#include "testing.h"
#include <stdio.h>
#include <stdlib.h>

static arne_vec3 place(const arne_robot *robot, const arne_work *work, const char *frame)
{
    const int index = arne_find_frame(robot, frame);
    if (index < 0) fail_msg("the human has no frame '%s'", frame);
    return arne_frame_pose(robot, work, index).p;
}

static void near_by(const char *what, double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) fail_msg("%s is %.9g, not %.9g", what, a, b);
}

// Standing upright: hips, shoulders and soles are where they should be, left and right alike.
static void stands(void **unused)
{
    (void)unused;
    arne_robot  *robot = read_robot("human", NULL);
    arne_work   *work = new_work(robot);
    const double q[55] = {0};
    assert_int_equal(arne_robot_sizes(robot).q_count, 55);
    near_by("the mass", arne_total_mass(robot), 75, 1e-4);
    arne_kinematics(robot, work, q, NULL, NULL);
    near_by("the height of the hips", place(robot, work, "R_hip").y, 0.89634, 1e-12);
    near_by("the height of the shoulders", place(robot, work, "R_shoulder").y, 0.89634 + 0.54712,
            1e-12);
    static const char *const parts[] = {"heel",  "ball",  "toe", "shoulder", "elbow",
                                        "wrist", "ankle", "hip", "knee"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char right[32], left[32];
        snprintf(right, sizeof right, "R_%s", parts[i]);
        snprintf(left, sizeof left, "L_%s", parts[i]);
        const arne_vec3 r = place(robot, work, right), l = place(robot, work, left);
        near_by(left, l.x, -r.x, 1e-12);
        near_by(left, l.y, r.y, 1e-12);
        near_by(left, l.z, r.z, 1e-12);
        if (i < 3) near_by(right, r.y, 0, 1e-12);
    }
    arne_work_free(work);
    arne_robot_free(robot);
}

static json *open_model(void)
{
    char path[4096];
    if (!reference_path("../gait/model.json", path, sizeof path)) skip();
    return json_read(path);
}

static arne_mat3 turned(arne_mat3 R, arne_vec3 axis, double angle)
{
    const double c = cos(angle), s = sin(angle);
    const double a[3] = {axis.x, axis.y, axis.z};
    double       r[3][3], out[9];
    const double cross[3][3] = {{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}};
    const double from[3][3] = {{R.x.x, R.y.x, R.z.x}, {R.x.y, R.y.y, R.z.y}, {R.x.z, R.y.z, R.z.z}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            r[i][k] = c * (i == k) + s * cross[i][k] + (1 - c) * a[i] * a[k];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[3 * k + i] = from[i][0] * r[0][k] + from[i][1] * r[1][k] + from[i][2] * r[2][k];
    return (arne_mat3){
        {out[0], out[1], out[2]}, {out[3], out[4], out[5]}, {out[6], out[7], out[8]}};
}

static arne_vec3 moved(const arne_pose *X, const double *p)
{
    const arne_mat3 *R = &X->R;
    return (arne_vec3){X->p.x + R->x.x * p[0] + R->y.x * p[1] + R->z.x * p[2],
                       X->p.y + R->x.y * p[0] + R->y.y * p[1] + R->z.y * p[2],
                       X->p.z + R->x.z * p[0] + R->y.z * p[1] + R->z.z * p[2]};
}

// The pose of every link of the table at q.
static void walk(const json *joints, const double *q, arne_pose *out)
{
    for (int i = 0; i < json_count(joints); i++) {
        const json     *j = json_at(joints, i);
        const int       parent = json_integer(json_get(j, "parent"));
        const arne_pose world = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
        const arne_pose from = parent < 0 ? world : out[parent];
        double          axis[3], offset[3];
        json_numbers(json_get(j, "axis"), axis, 3);
        json_numbers(json_get(j, "offset"), offset, 3);
        const int slides = *json_text(json_get(j, "type")) == 'P';
        for (int k = 0; k < 3 && slides; k++)
            offset[k] += axis[k] * q[i];
        out[i].p = moved(&from, offset);
        out[i].R = turned(from.R, (arne_vec3){axis[0], axis[1], axis[2]}, slides ? 0 : q[i]);
    }
}

static void same_skeleton(void **unused)
{
    (void)unused;
    json        *model = open_model();
    const json  *joints = json_get(model, "joints");
    arne_robot  *robot = read_robot("human", NULL);
    arne_work   *work = new_work(robot);
    const double degree = acos(-1) / 180;
    arne_pose    X[55];
    for (unsigned seed = 0; seed < 3; seed++) {
        state s = random_state(robot, seed + 1);
        if (!seed) memset(s.q, 0, sizeof s.q);
        walk(joints, s.q, X);
        arne_kinematics(robot, work, s.q, NULL, NULL);
        for (int i = 0; i < 55; i++) {
            const json           *j = json_at(joints, i);
            const int             index = arne_find_joint(robot, json_text(json_get(j, "name")));
            const arne_joint_info info = arne_robot_joint(robot, index);
            const arne_frame_info link = arne_robot_frame(robot, info.child);
            const double          unit = info.kind == ARNE_JOINT_PRISMATIC ? 1 : degree;
            const arne_pose       pose = arne_frame_pose(robot, work, info.child);
            double                numbers[3];
            assert_int_equal(index, i);
            assert_same(&s, info.name, pose, X[i], 1e-12);
            near_by(info.name, info.lower, unit * json_number(json_get(j, "qmin")), 1e-12);
            near_by(info.name, info.upper, unit * json_number(json_get(j, "qmax")), 1e-12);
            if (json_is_number(json_get(j, "tau_max")))
                near_by(info.name, info.effort, json_number(json_get(j, "tau_max")), 1e-12);
            near_by(link.name, link.mass, json_number(json_get(j, "mass")), 1e-12);
            json_numbers(json_get(j, "com"), numbers, 3);
            assert_close(&s, link.name, &link.com.x, numbers, 3, 1e-12);
            json_numbers(json_get(j, "inertia"), numbers, 3);
            assert_close(&s, link.name, link.inertia, numbers, 3, 1e-12);
        }
    }
    arne_work_free(work);
    arne_robot_free(robot);
    json_free(model);
}

// Another size: a person of 1.60 m and 55 kg falls, turns and pushes as the factors say.
static void scales(void **unused)
{
    (void)unused;
    static const char file[] = "extends: " ARNE_ROBOTS_DIR "/human.yaml\n"
                               "scale: {length: 1.60/1.75, mass: 55/75}\n";
    const double      length = 1.60 / 1.75, mass = 55.0 / 75;
    arne_error        error;
    arne_builder     *builder = NULL;
    assert_ok(arne_builder_new(&builder));
    assert_ok_or(arne_read_yaml(builder, file, sizeof file - 1, "small.yaml", &error), &error);
    arne_robot *small = finish(builder, NULL), *human = read_robot("human", NULL);
    arne_work  *work = new_work(human), *small_work = new_work(small);
    arne_builder_free(builder);
    near_by("the mass", arne_total_mass(small), mass * arne_total_mass(human), 1e-12);
    for (unsigned seed = 1; seed < 4; seed++) {
        state  s = random_state(human, seed), t = s;
        double tau[55], small_tau[55];
        for (int i = 0; i < 55; i++) { // the same motion, slower: gravity is what it is
            const int    slides = arne_robot_joint(human, i).kind == ARNE_JOINT_PRISMATIC;
            const double size = slides ? length : 1;
            t.q[i] = size * s.q[i];
            t.qd[i] = size / sqrt(length) * s.qd[i];
            t.qdd[i] = size / length * s.qdd[i];
        }
        arne_inverse_dynamics(human, work, s.q, s.qd, s.qdd, NULL, tau);
        arne_inverse_dynamics(small, small_work, t.q, t.qd, t.qdd, NULL, small_tau);
        for (int i = 0; i < 55; i++) {
            const arne_joint_info a = arne_robot_joint(human, i), b = arne_robot_joint(small, i);
            const int             slides = a.kind == ARNE_JOINT_PRISMATIC;
            tau[i] *= slides ? mass : mass * length;
            near_by(a.name, b.upper, slides ? length * a.upper : a.upper, 1e-12);
            if (isfinite(a.effort)) near_by(a.name, b.effort, mass * length * a.effort, 1e-10);
        }
        assert_close(&s, "torques of a scaled motion", small_tau, tau, 55, 1e-12);
    }
    arne_work_free(work);
    arne_work_free(small_work);
    arne_robot_free(human);
    arne_robot_free(small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stands), cmocka_unit_test(same_skeleton),
                                       cmocka_unit_test(scales)};
    return cmocka_run_group_tests_name("the human", tests, NULL, NULL);
}
