// Activations of muscles at the frames of a page, which colours them.
#include "report/activations.h"
#include "base/error.h"
#include "motion/motion_columns.h"
#include <arne/muscle.h>
#include <math.h>
#include <stdlib.h>

// Straight between the rows of a table, as at its ends beyond them.
static double activation_at(const arne_table *t, int clock, int column, double time)
{
    int low = 0, high = arne_table_rows(t) - 1;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (arne_table_row(t, middle)[clock] <= time)
            low = middle;
        else
            high = middle;
    }
    const double *a = arne_table_row(t, low), *b = arne_table_row(t, high);
    const double  span = b[clock] - a[clock];
    const double  part = span > 0 ? fmin(fmax((time - a[clock]) / span, 0), 1) : 0;
    return a[column] + part * (b[column] - a[column]);
}

arne_status activations_make(const run *r, const figure *f, const arne_table *table, double start,
                             float **out, arne_error *error)
{
    const arne_table *from = table ? table : run_result(r);
    const int         count = arne_muscle_count(r->robot);
    const int         clock = table ? arne_table_find(table, "time") : run_time_column(r);
    int               found = 0;
    *out = NULL;
    if (table && clock < 0)
        return arne_fail(error, ARNE_NOT_FOUND, NULL, arne_table_line(table, -1),
                         "activations need a column 'time'");
    if (clock < 0 || !count || !arne_table_rows(from)) return ARNE_OK;
    float *a = malloc((size_t)count * ((size_t)f->frame_count + 1) * sizeof *a);
    if (!a) return arne_fail_memory(error);
    for (int m = 0; m < count; m++) {
        const char *name = arne_robot_muscle(r->robot, m).name;
        const int   column = arne_columns_muscle(from, name, table != NULL);
        found += column >= 0;
        for (int i = 0; i < f->frame_count; i++)
            a[i * count + m] = column < 0 ? NAN
                                          : (float)activation_at(from, clock, column,
                                                                 f->times[i] + (table ? start : 0));
    }
    if (found) {
        *out = a;
        return ARNE_OK;
    }
    free(a);
    return table ? arne_fail(error, ARNE_NOT_FOUND, NULL, arne_table_line(table, -1),
                             "no column is activation.NAME of a muscle of the robot")
                 : ARNE_OK;
}
