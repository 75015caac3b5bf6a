// stanford_torque_rate [ROBOT [FOLDER]]: torques and torque rates of the Stanford arm along a
// quintic motion, as CSV and as a plot, and the check of the rates against differences of the
// torques.
#include "motion.h"
#include "plot.h"

#include <errno.h>
#include <string.h>

enum { SAMPLES = 201, JOINTS = STANFORD_JOINTS };

typedef struct record {
    double          time[SAMPLES];
    stanford_motion motion[SAMPLES];
    double          tau[SAMPLES][JOINTS], rate[SAMPLES][JOINTS];
} record;

static void follow(const arne_robot *robot, arne_work *work, record *r)
{
    for (int k = 0; k < SAMPLES; k++) {
        r->time[k] = STANFORD_SECONDS * (double)k / (SAMPLES - 1);
        const stanford_motion m = r->motion[k] = stanford_motion_at(r->time[k]);
        arne_torque_rate(robot, work, m.q, m.qd, m.qdd, m.qddd, NULL, 0, r->tau[k], r->rate[k]);
    }
}

// --- CSV ---------------------------------------------------------------------------------------

// "q.joint1 [rad]": what `arne compute --states` reads, and what a spreadsheet shows.
static void write_names(const arne_robot *robot, const char *what, const char *turning,
                        const char *sliding, FILE *out)
{
    for (int i = 0; i < JOINTS; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        fprintf(out, ",%s.%s [%s]", what, j.name,
                j.kind == ARNE_JOINT_PRISMATIC ? sliding : turning);
    }
}

static void write_numbers(const double *value, FILE *out)
{
    for (int i = 0; i < JOINTS; i++)
        fprintf(out, ",%.17g", value[i]);
}

static void write_csv(const arne_robot *robot, const record *r, FILE *out)
{
    fprintf(out, "t [s]");
    write_names(robot, "q", "rad", "m", out);
    write_names(robot, "qd", "rad/s", "m/s", out);
    write_names(robot, "qdd", "rad/s^2", "m/s^2", out);
    write_names(robot, "qddd", "rad/s^3", "m/s^3", out);
    write_names(robot, "tau", "N m", "N", out);
    write_names(robot, "tau_rate", "N m/s", "N/s", out);
    fprintf(out, "\n");
    for (int k = 0; k < SAMPLES; k++) {
        fprintf(out, "%.17g", r->time[k]);
        write_numbers(r->motion[k].q, out);
        write_numbers(r->motion[k].qd, out);
        write_numbers(r->motion[k].qdd, out);
        write_numbers(r->motion[k].qddd, out);
        write_numbers(r->tau[k], out);
        write_numbers(r->rate[k], out);
        fprintf(out, "\n");
    }
}

// --- the plot ----------------------------------------------------------------------------------

static void write_svg(const arne_robot *robot, const record *r, FILE *out)
{
    char  name[2][JOINTS][64];
    panel panels[2] = {{.title = "torque [N m]; joint 3 slides: force [N]", .value = r->tau},
                       {.title = "torque rate [N m/s]; joint 3: [N/s]", .value = r->rate}};
    for (int i = 0; i < JOINTS; i++) {
        const int slides = arne_robot_joint(robot, i).kind == ARNE_JOINT_PRISMATIC;
        snprintf(name[0][i], sizeof name[0][i], "joint %d [%s]", i + 1, slides ? "N" : "N m");
        snprintf(name[1][i], sizeof name[1][i], "joint %d [%s]", i + 1, slides ? "N/s" : "N m/s");
        panels[0].line[i] = name[0][i];
        panels[1].line[i] = name[1][i];
        panels[0].factor[i] = panels[1].factor[i] = i < 3 ? 1 : 10; // the wrist carries little
    }
    plot_svg("The Stanford arm along a quintic motion of 2 s", "time [s]", r->time, SAMPLES, panels,
             2, out);
}

// --- files and the rest ------------------------------------------------------------------------

static int write_file(const char *folder, const char *name, const arne_robot *robot,
                      const record *r, void (*write)(const arne_robot *, const record *, FILE *))
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    int   fine = out != NULL;
    if (out) {
        write(robot, r, out);
        fine = !ferror(out);
        fine = fclose(out) == 0 && fine;
    }
    if (fine)
        printf("  %s\n", path);
    else
        fprintf(stderr, "stanford_torque_rate: %s: %s\n", path, strerror(errno));
    return fine;
}

static int run(const arne_robot *robot, arne_work *work, const char *folder)
{
    record r;
    if (!stanford_fits(robot)) {
        fprintf(stderr, "stanford_torque_rate: the motion is for an arm of six joints\n");
        return 1;
    }
    follow(robot, work, &r);
    printf("The Stanford arm: torques and their rates along a quintic motion of 2 s\n\n");
    if (!stanford_check_rates(robot, work, stdout)) {
        fprintf(stderr,
                "stanford_torque_rate: the differences are not those of the Stanford arm\n");
        return 1;
    }
    printf("\nWritten:\n");
    return write_file(folder, "stanford_torque_rate.csv", robot, &r, write_csv) &&
                   write_file(folder, "stanford_torque_rate.svg", robot, &r, write_svg)
               ? 0
               : 1;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "robots/stanford.yaml";
    const char *folder = argc > 2 ? argv[2] : ".";
    arne_robot *robot = NULL;
    arne_work  *work = NULL;
    arne_error  error = {0};
    if (argc > 3 || path[0] == '-') {
        fprintf(stderr, "usage: stanford_torque_rate [ROBOT [FOLDER]]\n");
        return 2;
    }
    arne_status status = arne_robot_read(path, NULL, &robot, &error);
    if (status == ARNE_OK) status = arne_work_new(robot, &work);
    if (status != ARNE_OK)
        fprintf(stderr, "stanford_torque_rate: %s:%d: %s\n", path, error.line,
                error.text[0] ? error.text : arne_status_text(status));
    const int code = status == ARNE_OK ? run(robot, work, folder) : 1;
    arne_work_free(work);
    arne_robot_free(robot);
    return code;
}
