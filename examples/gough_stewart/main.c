// gough_stewart [ROBOT [FOLDER]]: the forces of a hexapod's legs along a motion of its platform, as
// CSV and as a plot.
#include "../stanford_torque_rate/plot.h"

#include <arne/arne.h>
#include <errno.h>
#include <math.h>
#include <string.h>

enum { SAMPLES = 241, LEGS = 6, MOST = 64 };
static const double SECONDS = 2;

typedef struct record {
    double time[SAMPLES], place[SAMPLES][3], angle[SAMPLES];
    double force[SAMPLES][LEGS], length[SAMPLES][LEGS];
    double difference; // between the two ways to the forces, N
    double power;      // the largest of all drives together, W
} record;

typedef struct machine {
    arne_robot     *robot;
    arne_work      *work;
    arne_loop_work *loop;
    int             drive_q[LEGS], drive_v[LEGS]; // of the legs' lengths
} machine;

static int fits(machine *m)
{
    const arne_sizes size = arne_robot_sizes(m->robot);
    if (size.loop_count != LEGS || size.q_count > MOST || size.joint_count < 1) return 0;
    for (int i = 0; i < LEGS; i++) {
        char name[32];
        snprintf(name, sizeof name, "leg%d_slide", i + 1);
        const int joint = arne_find_joint(m->robot, name);
        if (joint < 0) return 0;
        m->drive_q[i] = arne_robot_joint(m->robot, joint).q_start;
        m->drive_v[i] = arne_robot_joint(m->robot, joint).v_start;
    }
    return arne_robot_joint(m->robot, 0).kind == ARNE_JOINT_FREE;
}

static double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// a x, turned back by an angle about the axis u.
static void turn_back(const double *u, double angle, const double *a, double *out)
{
    const double c = cos(angle), s = sin(angle), along = dot3(u, a) * (1 - c);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = c * a[i] - s * (u[j] * a[k] - u[k] * a[j]) + along * u[i];
    }
}

// A loop of the platform: a figure of eight with a heave, while it rocks about an axis that stands
// still. Twists are in the platform's axes, and accelerations are the rates of their numbers.
static void platform_at(double t, double *q, double *qd, double *qdd, double *angle)
{
    static const double u[3] = {0.6, 0, 0.8}, far[3] = {0.08, 0.06, 0.04};
    static const double rate[3] = {1, 2, 1}, middle[3] = {0, 0, 0.74};
    const double        w = 2 * 3.14159265358979323846 / SECONDS, rock = 0.25;
    double              v[3], a[3];
    for (int i = 0; i < 3; i++) {
        const double k = rate[i] * w;
        q[i] = middle[i] + far[i] * sin(k * t);
        v[i] = far[i] * k * cos(k * t);
        a[i] = -far[i] * k * k * sin(k * t);
    }
    const double phi = rock * sin(w * t), turn = rock * w * cos(w * t), spin = -w * w * phi;
    for (int i = 0; i < 3; i++) {
        q[3 + i] = u[i] * sin(phi / 2);
        qd[3 + i] = u[i] * turn;
        qdd[3 + i] = u[i] * spin;
    }
    q[6] = cos(phi / 2);
    turn_back(u, phi, v, qd);
    turn_back(u, phi, a, qdd);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        qdd[i] -= turn * (u[j] * qd[k] - u[k] * qd[j]);
    }
    *angle = phi;
}

static arne_status follow(machine *m, record *r, arne_error *error)
{
    double q[MOST] = {0}, qd[MOST] = {0}, qdd[MOST] = {0}, tau[MOST], again[MOST];
    arne_start_configuration(m->robot, q);
    for (int n = 0; n < SAMPLES; n++) {
        double power = 0;
        r->time[n] = SECONDS * n / (SAMPLES - 1);
        platform_at(r->time[n], q, qd, qdd, &r->angle[n]);
        arne_status status = arne_parallel_inverse_kinematics(m->robot, m->work, m->loop, q, error);
        if (!status) status = arne_parallel_complete(m->robot, m->work, q, qd, qdd, error);
        if (!status)
            status = arne_parallel_inverse_dynamics(m->robot, m->work, m->loop, q, qd, qdd, NULL,
                                                    tau, error);
        if (!status)
            status = arne_loop_inverse_dynamics(m->robot, m->work, m->loop, q, qd, qdd, NULL, NULL,
                                                again, error);
        if (status) return status;
        memcpy(r->place[n], q, sizeof r->place[n]);
        for (int i = 0; i < LEGS; i++) {
            const int v = m->drive_v[i];
            r->length[n][i] = q[m->drive_q[i]];
            r->force[n][i] = tau[v];
            r->difference = fmax(r->difference, fabs(tau[v] - again[v]));
            power += tau[v] * qd[v];
        }
        r->power = fmax(r->power, fabs(power));
    }
    return ARNE_OK;
}

static void write_csv(const record *r, FILE *out)
{
    fprintf(out, "t [s],x [m],y [m],z [m],angle [rad]");
    for (int i = 0; i < LEGS; i++)
        fprintf(out, ",length.leg%d [m]", i + 1);
    for (int i = 0; i < LEGS; i++)
        fprintf(out, ",force.leg%d [N]", i + 1);
    fprintf(out, "\n");
    for (int n = 0; n < SAMPLES; n++) {
        fprintf(out, "%.17g,%.17g,%.17g,%.17g,%.17g", r->time[n], r->place[n][0], r->place[n][1],
                r->place[n][2], r->angle[n]);
        for (int i = 0; i < LEGS; i++)
            fprintf(out, ",%.17g", r->length[n][i]);
        for (int i = 0; i < LEGS; i++)
            fprintf(out, ",%.17g", r->force[n][i]);
        fprintf(out, "\n");
    }
}

static void write_svg(const record *r, FILE *out)
{
    static char name[LEGS][16];
    panel       panels[2] = {{.title = "force [N]: positive pushes", .value = r->force},
                             {.title = "length of the leg [m]", .value = r->length}};
    for (int i = 0; i < LEGS; i++) {
        snprintf(name[i], sizeof name[i], "leg %d", i + 1);
        panels[0].line[i] = panels[1].line[i] = name[i];
        panels[0].factor[i] = panels[1].factor[i] = 1;
    }
    plot_svg("A hexapod along a figure of eight of 2 s", "time [s]", r->time, SAMPLES, panels, 2,
             out);
}

static int write_file(const char *folder, const char *name, const record *r,
                      void (*write)(const record *, FILE *))
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    int   fine = out != NULL;
    if (out) {
        write(r, out);
        fine = !ferror(out);
        fine = fclose(out) == 0 && fine;
    }
    if (fine)
        printf("  %s\n", path);
    else
        fprintf(stderr, "gough_stewart: %s: %s\n", path, strerror(errno));
    return fine;
}

static int run(machine *m, const char *folder)
{
    record     r = {.difference = 0};
    arne_error error = {0};
    double     least = INFINITY, most = -INFINITY;
    if (!fits(m)) {
        fprintf(stderr, "gough_stewart: the motion is for a free platform on six UPS legs\n");
        return 1;
    }
    if (follow(m, &r, &error)) {
        fprintf(stderr, "gough_stewart: %s\n", error.text);
        return 1;
    }
    for (int n = 0; n < SAMPLES; n++)
        for (int i = 0; i < LEGS; i++) {
            least = fmin(least, r.force[n][i]);
            most = fmax(most, r.force[n][i]);
        }
    printf("A hexapod along a figure of eight of 2 s\n\n");
    printf("  forces of the legs   %.2f N to %.2f N\n", least, most);
    printf("  largest power        %.2f W, of all drives together\n", r.power);
    printf("  two ways differ by   %.1e N: platform and legs, loops\n\nWritten:\n", r.difference);
    const int written = write_file(folder, "gough_stewart.csv", &r, write_csv) &&
                        write_file(folder, "gough_stewart.svg", &r, write_svg);
    return written && r.difference < 1e-9 ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "robots/gough_stewart.yaml";
    const char *folder = argc > 2 ? argv[2] : ".";
    machine     m = {.robot = NULL};
    arne_error  error = {0};
    if (argc > 3 || path[0] == '-') {
        fprintf(stderr, "usage: gough_stewart [ROBOT [FOLDER]]\n");
        return 2;
    }
    arne_status status = arne_robot_read(path, NULL, &m.robot, &error);
    if (status == ARNE_OK) status = arne_work_new(m.robot, &m.work);
    if (status == ARNE_OK) status = arne_loop_work_new(m.robot, &m.loop);
    if (status != ARNE_OK)
        fprintf(stderr, "gough_stewart: %s:%d: %s\n", path, error.line,
                error.text[0] ? error.text : arne_status_text(status));
    const int code = status == ARNE_OK ? run(&m, folder) : 1;
    arne_loop_work_free(m.loop);
    arne_work_free(m.work);
    arne_robot_free(m.robot);
    return code;
}
