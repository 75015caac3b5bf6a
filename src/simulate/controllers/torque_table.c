// Torques that are given over time.
#include "simulate/controllers/controller.h"

#include "base/error.h"
#include "motion/motion_columns.h"
#include <stdlib.h>
#include <string.h>

// The law's numbers are rows of time and torques (1 + v_count).
typedef struct torque_table {
    int rows, linear;
} torque_table;

static arne_status torque_table_torques(arne_controller *c, const arne_control_input *in,
                                        double *tau, arne_error *error)
{
    const torque_table *own = c->own;
    const int           width = 1 + c->size.v_count;
    int                 low = 0, high = own->rows; // row low is at or before t, row high after it
    (void)error;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (c->numbers[(size_t)middle * (size_t)width] <= in->t)
            low = middle;
        else
            high = middle;
    }
    const double *a = c->numbers + (size_t)low * (size_t)width, *b = a + width;
    double        part = 0;
    if (own->linear && high < own->rows && in->t > a[0]) part = (in->t - a[0]) / (b[0] - a[0]);
    for (int i = 1; i < width; i++)
        tau[i - 1] = part > 0 ? a[i] + part * (b[i] - a[i]) : a[i];
    return ARNE_OK;
}

static void torque_table_release(arne_controller *c) { free(c->own); }

arne_status arne_controller_torque_table(const arne_robot *robot, const arne_table *table,
                                         int linear, arne_controller **out, arne_error *error)
{
    static const controller_law law = {.name = "torque_table",
                                       .torques = torque_table_torques,
                                       .release = torque_table_release,
                                       .given = 1,
                                       .sprung = 1};
    arne_error_clear(error);
    if (!robot || !table || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "robot, table or out is NULL");
    *out = NULL;
    const int         width = 1 + arne_robot_sizes(robot).v_count, rows = arne_table_rows(table);
    const arne_status rising = arne_columns_time(table, 1, error);
    if (rising) return rising;
    arne_controller *c;
    arne_status      status = controller_new(robot, &law, (size_t)rows * (size_t)width, &c, error);
    if (status) return status;
    int          *column = malloc(sizeof *column * (size_t)width);
    torque_table *own = c->own = malloc(sizeof *own);
    if (!column || !own) status = arne_fail_memory(error);
    if (!status) status = arne_columns_find(robot, table, "tau", column, error);
    if (!status) {
        const int time = arne_table_find(table, "time");
        *own = (torque_table){rows, linear};
        for (int r = 0; r < rows; r++) {
            const double *row = arne_table_row(table, r);
            double       *into = c->numbers + (size_t)r * (size_t)width;
            into[0] = row[time];
            for (int i = 1; i < width; i++)
                into[i] = column[i - 1] < 0 ? 0 : row[column[i - 1]];
        }
    }
    free(column);
    if (status)
        arne_controller_free(c);
    else
        *out = c;
    return status;
}
