#define _POSIX_C_SOURCE 200809L
#include "sample_run.h"

#include <arne/arne.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char hostile_robot[] =
    "name: \"</title><script>window.hacked=1</script>\"\n"
    "bodies:\n"
    "  - {name: base}\n"
    "  - {name: \"<script>window.hacked=2</script>\", mass: 1, com: [0, 0, -0.2],\n"
    "     inertia: [0.01, 0.01, 0.01, 0, 0, 0]}\n"
    "  - {name: \"' onload='window.hacked=3\", mass: 1, com: [0, 0, -0.2],\n"
    "     inertia: [0.01, 0.01, 0.01, 0, 0, 0]}\n"
    "joints:\n"
    "  - {name: \"</script><img src=x onerror=window.hacked=4>\", parent: base, kind: revolute,\n"
    "     child: \"<script>window.hacked=2</script>\", axis: [0, 1, 0]}\n"
    "  - {name: \"\\\"><svg onload=window.hacked=5>]]>&lt;{{\", kind: revolute,\n"
    "     parent: \"<script>window.hacked=2</script>\", child: \"' onload='window.hacked=3\",\n"
    "     axis: [0, 1, 0], origin: {xyz: [0, 0, -0.4]}}\n";

typedef struct making {
    const run_request *ask;
    char               robot_path[4096];
    arne_robot        *robot;
    arne_work         *work;
    arne_table        *table;
    double            *q, *ref, *qd, *qdd, *qddd, *tau, *rate, *row;
} making;

static int write_text(const char *path, const char *text)
{
    FILE *out = fopen(path, "wb");
    if (!out) return 0;
    const int fine = fputs(text, out) >= 0;
    return fclose(out) == 0 && fine;
}

static char *read_text(const char *path)
{
    FILE *in = fopen(path, "rb");
    char *text = calloc(1, 1 << 22);
    if (in && text) text[fread(text, 1, (1 << 22) - 1, in)] = 0;
    if (in) fclose(in);
    return text;
}

static int put_robot(making *m)
{
    char  inputs[4096];
    char *text = m->ask->robot ? strdup(m->ask->robot) : read_text(m->ask->file);
    snprintf(inputs, sizeof inputs, "%s/inputs", m->ask->dir);
    snprintf(m->robot_path, sizeof m->robot_path, "%s/inputs/robot.yaml", m->ask->dir);
    const int  fine = text && mkdir(inputs, 0777) == 0 && write_text(m->robot_path, text);
    arne_error error = {0};
    free(text);
    if (fine && arne_robot_read(m->robot_path, NULL, &m->robot, &error) == ARNE_OK)
        return arne_work_new(m->robot, &m->work) == ARNE_OK;
    fprintf(stderr, "%s:%d: %s\n", error.file, error.line, error.text);
    return 0;
}

// --- columns -----------------------------------------------------------------------------------

static int add_column(making *m, const char *what, const char *joint, int entry, int count,
                      const char *unit)
{
    char name[512];
    if (count > 1)
        snprintf(name, sizeof name, "%s.%s.%d", what, joint, entry);
    else
        snprintf(name, sizeof name, "%s.%s", what, joint);
    return arne_table_add_column(m->table, name, unit) == ARNE_OK;
}

static int add_joints(making *m, const char *what, const char *turning, const char *sliding)
{
    int fine = 1;
    for (int k = 0; k < arne_robot_sizes(m->robot).joint_count; k++) {
        const arne_joint_info j = arne_robot_joint(m->robot, k);
        const int count = what[0] == 'q' && (!what[1] || what[1] == '_') ? j.q_count : j.v_count;
        for (int i = 0; i < count; i++)
            fine = fine && add_column(m, what, j.name, i, count,
                                      j.kind == ARNE_JOINT_PRISMATIC ? sliding : turning);
    }
    return fine;
}

static int add_columns(making *m)
{
    static const char *const parts[] = {"fx", "fy", "fz", "mx", "my", "mz"};
    int                      fine = arne_table_new(&m->table) == ARNE_OK &&
               arne_table_add_column(m->table, "time", "s") == ARNE_OK &&
               add_joints(m, "q", "rad", "m") && add_joints(m, "q_ref", "rad", "m") &&
               add_joints(m, "error", "rad", "m") && add_joints(m, "qd", "rad/s", "m/s") &&
               add_joints(m, "tau", "N m", "N") && add_joints(m, "tau_rate", "N m/s", "N/s");
    fine = fine && arne_table_add_column(m->table, "energy.kinetic", "J") == ARNE_OK &&
           arne_table_add_column(m->table, "energy.potential", "J") == ARNE_OK &&
           arne_table_add_column(m->table, "energy.total", "J") == ARNE_OK;
    for (int k = 0; k < arne_robot_sizes(m->robot).joint_count; k++)
        for (int i = 0; i < 6; i++) {
            char name[512];
            snprintf(name, sizeof name, "wrench.%s.%s", arne_robot_joint(m->robot, k).name,
                     parts[i]);
            fine = fine && arne_table_add_column(m->table, name, i < 3 ? "N" : "N m") == ARNE_OK;
        }
    return fine;
}

// --- rows --------------------------------------------------------------------------------------

static double *put_numbers(double *to, const double *from, int count)
{
    memcpy(to, from, (size_t)count * sizeof *from);
    return to + count;
}

// Velocities are sines of different pace; the configuration is stepped along them.
static void move(making *m, double time, double step)
{
    const int v_count = arne_robot_sizes(m->robot).v_count;
    for (int i = 0; i < v_count; i++) {
        const double pace = 1.3 + 0.4 * (i % 7), size = 1.2 / (1 + 0.3 * i);
        m->qd[i] = size * cos(pace * time);
        m->qdd[i] = -size * pace * sin(pace * time);
        m->qddd[i] = -size * pace * pace * cos(pace * time);
        m->tau[i] = step * m->qd[i];
    }
    arne_integrate(m->robot, m->ref, m->tau, m->ref);
    for (int i = 0; i < v_count; i++)
        m->rate[i] = 0.02 * sin(3 * time + i) * exp(-0.5 * time);
    arne_integrate(m->robot, m->ref, m->rate, m->q);
}

static int add_row(making *m, double time)
{
    const arne_sizes sizes = arne_robot_sizes(m->robot);
    const int        v_count = sizes.v_count;
    double          *at = m->row, kinetic, potential;
    *at++ = time;
    at = put_numbers(at, m->q, sizes.q_count);
    at = put_numbers(at, m->ref, sizes.q_count);
    at = put_numbers(at, m->rate, v_count);
    at = put_numbers(at, m->qd, v_count);
    arne_torque_rate(m->robot, m->work, m->q, m->qd, m->qdd, m->qddd, NULL, 0, m->tau, m->rate);
    at = put_numbers(at, m->tau, v_count);
    at = put_numbers(at, m->rate, v_count);
    arne_energy(m->robot, m->work, m->q, m->qd, &kinetic, &potential);
    *at++ = kinetic;
    *at++ = potential;
    *at++ = kinetic + potential;
    arne_inverse_dynamics(m->robot, m->work, m->q, m->qd, m->qdd, NULL, m->tau);
    for (int k = 0; k < sizes.joint_count; k++) {
        const arne_wrench w = arne_joint_wrench(m->robot, m->work, k);
        const double      six[] = {w.lin.x, w.lin.y, w.lin.z, w.ang.x, w.ang.y, w.ang.z};
        at = put_numbers(at, six, 6);
    }
    return arne_table_append(m->table, m->row) == ARNE_OK;
}

static int put_rows(making *m)
{
    const arne_sizes sizes = arne_robot_sizes(m->robot);
    const size_t     n = (size_t)sizes.q_count + 1;
    double          *all = calloc(7 * n + (size_t)arne_table_columns(m->table), sizeof *all);
    double     **part[] = {&m->q, &m->ref, &m->qd, &m->qdd, &m->qddd, &m->tau, &m->rate, &m->row};
    const double step = m->ask->seconds / (m->ask->rows > 1 ? m->ask->rows - 1 : 1);
    int          fine = all != NULL;
    for (int i = 0; i < 8; i++)
        *part[i] = all + (size_t)i * n;
    if (fine) arne_neutral(m->robot, m->ref);
    for (int k = 0; k < m->ask->rows && fine; k++) {
        move(m, k * step, k ? step : 0);
        fine = add_row(m, k * step);
    }
    free(all);
    return fine;
}

// --- the summary -------------------------------------------------------------------------------

// A name within quotes of JSON.
static void put_name(FILE *out, const char *what, const char *name)
{
    fprintf(out, "\"%s.", what);
    for (; *name; name++)
        fprintf(out, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
    fprintf(out, "\"");
}

static int put_summary(const making *m)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/summary.json", m->ask->dir);
    FILE *out = fopen(path, "wb");
    if (!out) return 0;
    fprintf(
        out,
        "{\"kind\": \"simulate\", \"title\": \"%s\", \"robot\": \"inputs/robot.yaml\",\n"
        "\"complete\": true, \"steps\": %d, \"solve_time\": 0.0123, \"realtime_ratio\": 812.5,\n"
        "\"energy_residual\": 1.2345e-11, \"closure_error\": null, \"limits_hit\": [], %s\n"
        "\"limits\": {",
        m->ask->title, m->ask->rows, m->ask->extra);
    for (int k = 0; k < arne_robot_sizes(m->robot).joint_count; k++) {
        const arne_joint_info j = arne_robot_joint(m->robot, k);
        if (j.v_count != 1) continue;
        put_name(out, "tau", j.name);
        fprintf(out, ": [-12, 12], ");
    }
    fprintf(out, "\"none\": [null, null]}}\n");
    return fclose(out) == 0;
}

int make_run_folder(const run_request *request)
{
    making     m = {.ask = request};
    char       path[4096];
    arne_error error = {0};
    snprintf(path, sizeof path, "%s/result.csv", request->dir);
    const int fine = put_robot(&m) && add_columns(&m) && put_rows(&m) &&
                     arne_table_write_csv(m.table, path, &error) == ARNE_OK && put_summary(&m);
    arne_table_free(m.table);
    arne_work_free(m.work);
    arne_robot_free(m.robot);
    if (!fine) fprintf(stderr, "the run in %s could not be made %s\n", request->dir, error.text);
    return fine;
}
