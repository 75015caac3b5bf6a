// Recorded motions of a person of 23 coordinates and 40 markers: time of each step for 1000 frames,
// beside what is aimed at; then 18 and 92 muscles. One core, processor time, the least of several
// runs.
//
//     arne_capture_bench
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include <arne/arne.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FRAMES = 1000, MARKERS = 40, LINKS = 12, ROUNDS = 5, COORDINATES = 23, MUSCLES_MOST = 92 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(arne_status status, const arne_error *error)
{
    if (!status) return;
    fprintf(stderr, "%s: %s\n", arne_status_text(status), error->text);
    exit(1);
}

typedef struct limb {
    const char *name, *parent;
    double      at[3]; // of its joint in the parent
    const char *axes;  // of its rotations
    double      mass, length;
    int         slides; // six coordinates: the pelvis; or a knee with a spline
} limb;

static const limb limbs[LINKS] = {
    {"pelvis", "ground", {0, 0, 0}, "zxy", 11, 0.1, 3},
    {"torso", "pelvis", {-0.1, 0.08, 0}, "zxy", 34, 0.3, 0},
    {"femur_r", "pelvis", {-0.07, -0.07, 0.08}, "zxy", 9, 0.4, 0},
    {"tibia_r", "femur_r", {0, -0.4, 0}, "z", 3.6, 0.4, 1},
    {"talus_r", "tibia_r", {0, -0.42, 0}, "z", 0.1, 0.05, 0},
    {"calcn_r", "talus_r", {-0.05, -0.04, 0}, "x", 1.2, 0.2, 0},
    {"toes_r", "calcn_r", {0.18, 0, 0}, "z", 0.2, 0.05, 0},
    {"femur_l", "pelvis", {-0.07, -0.07, -0.08}, "zxy", 9, 0.4, 0},
    {"tibia_l", "femur_l", {0, -0.4, 0}, "z", 3.6, 0.4, 1},
    {"talus_l", "tibia_l", {0, -0.42, 0}, "z", 0.1, 0.05, 0},
    {"calcn_l", "talus_l", {-0.05, -0.04, 0}, "x", 1.2, 0.2, 0},
    {"toes_l", "calcn_l", {0.18, 0, 0}, "z", 0.2, 0.05, 0},
};

static arne_vec3 axis_of(char c) { return (arne_vec3){c == 'x', c == 'y', c == 'z'}; }

static void add_limb(arne_builder *b, const limb *l, arne_error *error)
{
    static const double x[] = {-2, -1.2, -0.5, 0, 0.3},
                        y[] = {-0.003, 0.004, 0.002, -0.005, -0.006};
    static const char way[] = "xyz";
    arne_body_spec    body = arne_body_spec_default();
    arne_joint_spec   own[6];
    char              names[6][40], joint[40];
    const double      I = l->mass * l->length * l->length / 12 + 1e-4;
    arne_custom_spec  spec = {.name = joint, .parent = l->parent, .child = l->name};
    spec.origin = spec.tip = arne_joint_spec_default().origin;
    spec.origin.p = (arne_vec3){l->at[0], l->at[1], l->at[2]};
    spec.coordinates = own;
    snprintf(joint, sizeof joint, "j_%s", l->name);
    for (int i = 0; l->axes[i]; i++) {
        snprintf(names[spec.coordinate_count], 40, "%s_%c", l->name, l->axes[i]);
        spec.rotations[spec.rotation_count++] =
            (arne_custom_axis){.axis = axis_of(l->axes[i]), .joint = names[spec.coordinate_count]};
        own[spec.coordinate_count] = arne_joint_spec_default();
        own[spec.coordinate_count].name = names[spec.coordinate_count];
        spec.coordinate_count++;
    }
    for (int i = 0; i < l->slides; i++) {
        arne_custom_axis axis = {.axis = axis_of(way[i]), .joint = names[0]};
        if (l->slides == 1) {
            axis.function = arne_function_make(ARNE_FUNCTION_SPLINE, 5, x, y);
            axis.function.ends = ARNE_ENDS_SIMM;
        } else {
            snprintf(names[spec.coordinate_count], 40, "%s_t%c", l->name, way[i]);
            axis.joint = names[spec.coordinate_count];
            own[spec.coordinate_count] = arne_joint_spec_default();
            own[spec.coordinate_count].name = axis.joint;
            spec.coordinate_count++;
        }
        spec.translations[spec.translation_count++] = axis;
    }
    body.name = l->name;
    body.mass = l->mass;
    body.com = (arne_vec3){0, -l->length / 2, 0};
    body.inertia[0] = body.inertia[1] = body.inertia[2] = I;
    must(arne_builder_add_body(b, &body, error), error);
    must(arne_builder_add_custom(b, &spec, error), error);
}

// Muscles over the joints of all limbs, each third over two of them, each fourth over a cylinder.
// Fibres and tendons fit lengths, those of the paths; NULL: any.
static void add_muscles(arne_builder *b, int count, const double *lengths, arne_error *error)
{
    for (int i = 0; i < LINKS; i++) {
        arne_wrap_spec wrap = arne_wrap_spec_default();
        char           name[16];
        snprintf(name, sizeof name, "w%d", i);
        wrap.name = name;
        wrap.link = limbs[i].name;
        wrap.shape = ARNE_WRAP_CYLINDER;
        wrap.size[0] = 0.03;
        wrap.size[1] = 0.5;
        must(arne_builder_add_wrap(b, &wrap, error), error);
    }
    for (int i = 0; i < count; i++) {
        const limb      *l = &limbs[1 + i % (LINKS - 1)], *up = l;
        const double     side = i % 2 ? 0.05 : -0.05, z = 0.02 * sin(i);
        arne_path_point  points[3] = {0};
        char             name[16], wrap[16];
        arne_path_wrap   use = {.wrap = wrap, .first = 0, .last = -1};
        arne_muscle_spec m = arne_muscle_spec_default((arne_muscle_kind)(i % 3));
        const double     length = lengths ? lengths[i] : 0.3;
        for (int k = 0; k < LINKS && i % 3 == 0; k++)
            if (!strcmp(limbs[k].name, l->parent)) up = &limbs[k];
        snprintf(name, sizeof name, "muscle%d", i);
        snprintf(wrap, sizeof wrap, "w%d", 1 + i % (LINKS - 1));
        points[0].link = strcmp(up->parent, "ground") != 0 ? up->parent : l->parent;
        points[0].position = (arne_vec3){side, 0.05, z};
        points[1].link = l->parent;
        points[1].position = (arne_vec3){side, -0.1 - 0.02 * sin(3 * i), z};
        points[2].link = l->name;
        points[2].position = (arne_vec3){side, -0.08, z};
        m.name = name;
        m.points = points;
        m.point_count = 3;
        m.wraps = &use;
        m.wrap_count = i % 4 == 0;
        m.law.max_force = 800 + 100 * (i % 9);
        m.law.fibre_length = 0.4 * length;
        m.law.slack_length = 0.6 * length;
        m.law.pennation = 0.1 * (i % 4);
        must(arne_builder_add_muscle(b, &m, error), error);
    }
}

static arne_robot *make_person(arne_marker *markers, int muscles, const double *lengths)
{
    arne_builder  *b = NULL;
    arne_robot    *robot = NULL;
    arne_error     error = {0};
    arne_body_spec ground = arne_body_spec_default();
    ground.name = "ground";
    must(arne_builder_new(&b), &error);
    must(arne_builder_set_gravity(b, (arne_vec3){0, -9.80665, 0}), &error);
    must(arne_builder_add_body(b, &ground, &error), &error);
    for (int i = 0; i < LINKS; i++)
        add_limb(b, &limbs[i], &error);
    for (int i = 0; i < MARKERS; i++) {
        char      name[16];
        arne_pose at = arne_joint_spec_default().origin;
        at.p = (arne_vec3){0.05 * sin(i), -0.1 + 0.03 * cos(2 * i), 0.06 * sin(3 * i)};
        snprintf(name, sizeof name, "m%d", i);
        must(arne_builder_add_frame(b, name, limbs[i % LINKS].name, &at, (arne_place){0}, &error),
             &error);
    }
    if (muscles) add_muscles(b, muscles, lengths, &error);
    must(arne_builder_finish(b, NULL, &robot, &error), &error);
    arne_builder_free(b);
    for (int i = 0; i < MARKERS && markers; i++) {
        char name[16];
        snprintf(name, sizeof name, "m%d", i);
        markers[i] = (arne_marker){arne_find_frame(robot, name), 1 + i % 3};
    }
    return robot;
}

// A motion of all coordinates, and its markers with errors of some millimetres.
static void record(const arne_robot *robot, const arne_marker *markers, double *time, double *q,
                   double *measured)
{
    arne_work *work = NULL;
    arne_error error = {0};
    must(arne_work_new(robot, &work), &error);
    for (int f = 0; f < FRAMES; f++) {
        time[f] = 0.01 * f;
        for (int i = 0; i < COORDINATES; i++)
            q[COORDINATES * f + i] = 0.25 * sin(6.3 * time[f] + i) - 0.1;
        arne_kinematics(robot, work, q + COORDINATES * f, NULL, NULL);
        for (int i = 0; i < MARKERS; i++) {
            const arne_vec3 p = arne_frame_pose(robot, work, markers[i].frame).p;
            for (int k = 0; k < 3; k++)
                measured[3 * (MARKERS * f + i) + k] =
                    (&p.x)[k] + 0.01 * sin(12.9898 * (i + 1) + 78.233 * k + 0.01 * f);
        }
    }
    arne_work_free(work);
}

static void print(const char *step, double least, double aim)
{
    printf("%-34s %9.1f %12.0f", step, 1e3 * least, FRAMES / least);
    if (aim > 0) printf("   aim %.0f%s", 1e3 * aim, least <= aim ? "" : ": missed");
    printf("\n");
}

// A person with muscles whose fibres fit.
static arne_robot *make_strong(int muscles)
{
    double      q[COORDINATES], lengths[MUSCLES_MOST];
    arne_robot *any = make_person(NULL, muscles, NULL);
    arne_work  *work = NULL;
    arne_error  error = {0};
    for (int i = 0; i < COORDINATES; i++)
        q[i] = -0.1;
    must(arne_work_new(any, &work), &error);
    must(arne_muscle_lengths(any, work, q, NULL, lengths, NULL), &error);
    arne_robot *robot = make_person(NULL, muscles, lengths);
    arne_work_free(work);
    arne_robot_free(any);
    return robot;
}

typedef struct muscle_frame {
    double lengths[MUSCLES_MOST], velocities[MUSCLES_MOST], arms[MUSCLES_MOST * COORDINATES];
    double activation[MUSCLES_MOST], forces[MUSCLES_MOST];
} muscle_frame;

// Geometry, forces and static optimisation of all frames.
static void muscle_bench(int muscles, const arne_recording *motion, const double *tau, double aim)
{
    static muscle_frame frames[FRAMES];
    arne_robot         *robot = make_strong(muscles);
    arne_work          *work = NULL;
    arne_static        *search = NULL;
    arne_table         *table = NULL;
    arne_error          error = {0};
    double reserves[COORDINATES], least[5] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
    const arne_static_options how = {.reserves = reserves};
    const arne_muscle_options rigid = {.tendon = ARNE_TENDON_RIGID};
    for (int j = 0; j < COORDINATES; j++)
        reserves[j] = 1;
    must(arne_work_new(robot, &work), &error);
    must(arne_static_new(robot, &how, &search, &error), &error);
    for (int round = 0; round < ROUNDS; round++) {
        double begin[6];
        begin[0] = seconds();
        for (int f = 0; f < motion->rows; f++) {
            const double *q = motion->x + COORDINATES * f, *qd = motion->rate + COORDINATES * f;
            muscle_frame *m = &frames[f];
            must(arne_muscle_lengths(robot, work, q, qd, m->lengths, m->velocities), &error);
            must(arne_muscle_moment_arms(robot, work, q, m->arms), &error);
        }
        begin[1] = seconds();
        for (int f = 0; f < motion->rows; f++) {
            muscle_frame *m = &frames[f];
            must(arne_static_solve(search, tau + COORDINATES * f, m->lengths, m->velocities,
                                   m->arms, m->activation, m->forces, NULL),
                 &error);
        }
        for (int k = 0; k < 2; k++) {
            begin[2 + k] = seconds();
            for (int f = 0; f < motion->rows; f++) {
                muscle_frame *m = &frames[f];
                must(arne_muscle_forces(robot, 1, m->activation, m->lengths, m->velocities,
                                        k ? NULL : &rigid, m->forces, NULL),
                     &error);
            }
        }
        begin[4] = seconds();
        must(arne_recording_muscles(robot, motion, NULL, &how, &table, NULL, NULL, &error), &error);
        begin[5] = seconds();
        arne_table_free(table);
        for (int k = 0; k < 5; k++)
            least[k] = fmin(least[k], begin[k + 1] - begin[k]);
    }
    printf("%d muscles\n", muscles);
    print("lengths, velocities, moment arms", least[0], 0);
    print("forces with rigid tendons", least[2], 0);
    print("equilibrium of fibre and tendon", least[3], 0);
    print("static optimisation", least[1], aim);
    print("all of it, with inverse dynamics", least[4], 0);
    arne_static_free(search);
    arne_work_free(work);
    arne_robot_free(robot);
}

int main(void)
{
    static double  time[FRAMES], q[FRAMES * COORDINATES], found[FRAMES * COORDINATES];
    static double  measured[FRAMES * MARKERS * 3], tau[FRAMES * COORDINATES];
    arne_marker    markers[MARKERS];
    arne_robot    *robot = make_person(markers, 0, NULL);
    arne_recording smooth = {0};
    arne_error     error = {0};
    double         track = INFINITY, filter = INFINITY, dynamics = INFINITY;
    if (arne_robot_sizes(robot).v_count != COORDINATES) return 1;
    record(robot, markers, time, q, measured);
    for (int i = 0; i < ROUNDS; i++) {
        double begin = seconds();
        memset(found, 0, sizeof found);
        must(arne_marker_kinematics(robot, markers, MARKERS, FRAMES, measured, NULL, found, NULL,
                                    &error),
             &error);
        track = fmin(track, seconds() - begin);
        arne_recording_free(&smooth);
        begin = seconds();
        must(arne_recording_smooth(FRAMES, COORDINATES, time, found, 6, &smooth, &error), &error);
        filter = fmin(filter, seconds() - begin);
        begin = seconds();
        must(arne_recording_dynamics(robot, &smooth, NULL, tau, &error), &error);
        dynamics = fmin(dynamics, seconds() - begin);
    }
    printf("%-34s %9s %12s\n", "1000 frames, 23 coordinates", "ms", "frames/s");
    print("coordinates from 40 markers", track, 0.3);
    print("filter and derivatives", filter, 0);
    print("inverse dynamics", dynamics, 0);
    muscle_bench(18, &smooth, tau, FRAMES * 20e-6);
    muscle_bench(92, &smooth, tau, FRAMES * 300e-6);
    arne_recording_free(&smooth);
    arne_robot_free(robot);
    return 0;
}
