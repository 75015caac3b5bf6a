// Any bytes at all as a file of a recorded motion: OpenSim's tables (.mot, .sto, .trc), and its
// files of loads, tasks and scaling. What a reader accepts is used, and must not end in a crash or
// in a failure without a message.
#include "scratch.h"

#include <arne/capture.h>
#include <arne/io.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char TRIAL[] = "time [s],tip.x [m],tip.y [m],tip.z [m]\n0,0.1,0,0.6\n1,0.2,0,0.6\n";

static void capture_said(arne_status status, const arne_error *error)
{
    if (status && !error->text[0]) abort();
}

static void capture_use_table(const arne_robot *robot, const char *path)
{
    static const arne_load_columns force = {.link = "lower", .force = "f", .torque = "m"};
    arne_error                     error = {0};
    arne_recording                 motion = {0};
    arne_loads                    *loads = NULL;
    arne_table                    *table = NULL, *q = NULL, *errors = NULL;
    if (arne_table_read_csv(path, &table, &error) == ARNE_OK) {
        capture_said(arne_loads_new(robot, table, &force, 1, &loads, &error), &error);
        capture_said(arne_track(robot, table, NULL, &q, &errors, &error), &error);
        capture_said(arne_recording_read(robot, path, 6, &motion, NULL, &error), &error);
    } else if (!error.text[0]) {
        abort();
    }
    double *tau = calloc((size_t)motion.rows * 2 + 1, sizeof *tau);
    if (motion.rows && tau)
        capture_said(arne_recording_dynamics(robot, &motion, loads, tau, &error), &error);
    free(tau);
    arne_recording_free(&motion);
    arne_loads_free(loads);
    arne_table_free(table);
    arne_table_free(q);
    arne_table_free(errors);
}

static void capture_use_setup(const arne_robot *robot, const char *path)
{
    const arne_tracking_options tasks = {.tasks = path};
    arne_error                  error = {0};
    arne_loads                 *loads = NULL;
    arne_table                 *trial = NULL, *q = NULL;
    arne_link_scale            *scale = NULL;
    char                        file[SCRATCH_PATH];
    int                         count = 0, keep = 0;
    double                      mass = 0;
    capture_said(arne_loads_read(robot, path, &loads, &error), &error);
    if (scratch_write("trial.csv", TRIAL, sizeof TRIAL - 1, file) &&
        arne_table_read_csv(file, &trial, &error) == ARNE_OK) {
        capture_said(arne_track(robot, trial, &tasks, &q, NULL, &error), &error);
        capture_said(arne_scale_measure(robot, trial, path, &scale, &count, &mass, &keep, &error),
                     &error);
    }
    arne_loads_free(loads);
    arne_table_free(trial);
    arne_table_free(q);
    free(scale);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"motion.mot", "motion.sto", "motion.trc"};
    char                     path[SCRATCH_PATH];
    arne_error               error = {0};
    arne_robot              *robot = NULL;
    strcat(strcpy(path, scratch_folder()), "/arm.yaml");
    if (arne_robot_read(path, NULL, &robot, &error) != ARNE_OK) abort();
    if (size && *data == '<') {
        if (scratch_write("setup.xml", data, size, path)) capture_use_setup(robot, path);
    } else {
        for (int i = 0; i < 3; i++)
            if (scratch_write(names[i], data, size, path)) capture_use_table(robot, path);
    }
    arne_robot_free(robot);
    return 0;
}
