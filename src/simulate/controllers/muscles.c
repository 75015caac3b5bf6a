// Muscles as the drive: torques arms^T F, with forces F by activations over time.
//
// Activations do not depend on the motion. Where excitations are given, activations are integrated
// beforehand, by RK4 on a grid, and read from it by cubic pieces through values and rates. Fibres
// with states are stepped from sample to sample.
#include "simulate/controllers/controller.h"

#include "base/options.h"
#include "motion/motion_columns.h"
#include "robot/muscles.h"
#include <arne/muscle_force.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double GRID_STEP = 1e-3, GRID_TAIL = 0.5; // s; excitations stay after the last row
enum { GRID_MOST = 1000000 };                          // steps

// The law's numbers are rows of time, activations and, on a grid, their rates; then, with states,
// lengths of fibres.
typedef struct muscle_drive {
    int                 rows, count, width;
    arne_muscle_options options;
    arne_muscle_result *results; // NULL: without states
    double             *lengths, *velocities, *forces, *activations, *arms, *states; // one block
} muscle_drive;

// Row low is at or before t, if any is; high is the next, or the number of rows.
static int drive_row(const double *rows, int count, int width, double t)
{
    int low = 0, high = count;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (rows[(size_t)middle * (size_t)width] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Straight between rows, or by cubic pieces where there are rates; as at the ends beyond them.
static void drive_at(const double *rows, int count, int width, int muscles, double t, double *out)
{
    const int     low = drive_row(rows, count, width, t), graded = width > 1 + muscles;
    const double *a = rows + (size_t)low * (size_t)width, *b = low + 1 < count ? a + width : a;
    const double  h = b[0] - a[0], x = h > 0 ? fmin(fmax((t - a[0]) / h, 0), 1) : 0;
    for (int i = 1; i <= muscles; i++) {
        const double d = b[i] - a[i];
        out[i - 1] = a[i] + x * d;
        if (graded)
            out[i - 1] +=
                x * (1 - x) * ((1 - x) * (h * a[i + muscles] - d) - x * (h * b[i + muscles] - d));
    }
}

// Lengths of fibres: in equilibrium at the first sample, then a step from the sample before.
static arne_status muscle_step(arne_controller *c, double t)
{
    muscle_drive       *own = c->own;
    double             *fibres = c->numbers + (size_t)own->rows * (size_t)own->width;
    arne_muscle_options how = {.tendon = ARNE_TENDON_EQUILIBRIUM};
    if (c->started)
        how = (arne_muscle_options){.tendon = ARNE_TENDON_FIBRE_STATE,
                                    .state = fibres,
                                    .step = fmax(t - c->before_time, 0)};
    const arne_status status = arne_muscle_forces(c->robot, 1, own->activations, own->lengths,
                                                  own->velocities, &how, own->forces, own->results);
    for (int m = 0; m < own->count && !status; m++)
        fibres[m] = own->results[m].fibre_length;
    return status;
}

static arne_status muscle_torques(arne_controller *c, const arne_control_input *in, double *tau,
                                  arne_error *error)
{
    muscle_drive *own = c->own;
    const int     n = c->size.v_count;
    (void)error;
    drive_at(c->numbers, own->rows, own->width, own->count, in->t, own->activations);
    arne_status status = arne_muscle_lengths(c->robot, c->work, in->q, NULL, own->lengths, NULL);
    if (!status) status = arne_muscle_moment_arms(c->robot, c->work, in->q, own->arms);
    if (status) return status;
    for (int m = 0; m < own->count; m++) {
        own->velocities[m] = 0;
        for (int i = 0; i < n; i++)
            own->velocities[m] -= own->arms[m * n + i] * in->qd[i];
    }
    status = own->results ? muscle_step(c, in->t)
                          : arne_muscle_forces(c->robot, 1, own->activations, own->lengths,
                                               own->velocities, &own->options, own->forces, NULL);
    memset(tau, 0, (size_t)n * sizeof *tau);
    for (int m = 0; m < own->count && !status; m++) {
        if (muscle_acts_always(c->robot, m)) continue;
        for (int i = 0; i < n; i++)
            tau[i] += own->arms[m * n + i] * own->forces[m];
    }
    return status;
}

static void muscle_release(arne_controller *c)
{
    muscle_drive *own = c->own;
    if (own) free(own->lengths), free(own->results);
    free(own);
}

// Rows of time and of all muscles from a table; without one, a single row.
static arne_status drive_rows(const arne_robot *robot, const arne_muscle_drive *d, double *rows,
                              arne_error *error)
{
    const int count = arne_muscle_count(robot), width = 1 + count;
    const int given = d->table ? arne_table_rows(d->table) : 1;
    int       found = !d->table;
    for (int r = 0; r < given; r++)
        rows[r * width] =
            d->table ? arne_table_row(d->table, r)[arne_table_find(d->table, "time")] : 0;
    for (int m = 0; m < count; m++) {
        const char *name = arne_robot_muscle(robot, m).name;
        const int   column = d->table ? arne_columns_muscle(d->table, name, 1) : -1;
        found |= column >= 0;
        for (int r = 0; r < given; r++) {
            const double a = column < 0 ? d->activation : arne_table_row(d->table, r)[column];
            rows[r * width + 1 + m] = a;
            if (!(a >= 0 && a <= 1))
                return arne_fail(error, ARNE_VALUE, NULL,
                                 d->table ? arne_table_line(d->table, r) : 0,
                                 "muscle '%.80s': %g is not between 0 and 1", name, a);
        }
    }
    if (found) return ARNE_OK;
    return arne_fail(error, ARNE_NOT_FOUND, NULL, arne_table_line(d->table, -1),
                     "no column has the name of a muscle, as '%.80s'",
                     arne_robot_muscle(robot, 0).name);
}

static double *grid_row(const arne_controller *c, int row)
{
    const muscle_drive *own = c->own;
    return c->numbers + (size_t)row * (size_t)own->width;
}

// Activations over the grid: RK4, excitations straight between rows.
static arne_status drive_integrate(arne_controller *c, const double *rows, int given)
{
    muscle_drive *own = c->own;
    const int     m = own->count;
    double       *u = own->states, *k = u + m, *a = k + m, *sum = a + m;
    arne_status   status = ARNE_OK;
    for (int r = 0; r < own->rows && !status; r++) {
        static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
        double             *here = grid_row(c, r), *rate = here + 1 + m;
        here[0] = rows[0] + r * GRID_STEP;
        if (!r) memcpy(here + 1, rows + 1, (size_t)m * sizeof *here);
        memset(sum, 0, (size_t)m * sizeof *sum);
        for (int s = 0; s < 4 && !status; s++) {
            drive_at(rows, given, 1 + m, m, here[0] + at[s] * GRID_STEP, u);
            for (int i = 0; i < m; i++)
                a[i] = here[1 + i] + (s ? at[s] * GRID_STEP * k[i] : 0);
            status = arne_activation_rates(c->robot, u, a, k, NULL);
            if (!s) memcpy(rate, k, (size_t)m * sizeof *rate);
            for (int i = 0; i < m; i++)
                sum[i] += weight[s] * k[i];
        }
        for (int i = 0; i < m && r + 1 < own->rows; i++)
            grid_row(c, r + 1)[1 + i] = here[1 + i] + GRID_STEP / 6 * sum[i];
    }
    return status;
}

static arne_status drive_check(const arne_robot *robot, const arne_muscle_drive *d, int *steps,
                               arne_error *error)
{
    if (!arne_muscle_count(robot))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "the robot has no muscles");
    if ((int)d->tendon < 0 || d->tendon > ARNE_TENDON_FIBRE_STATE)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "tendons are in equilibrium, rigid or a fibre state here");
    const arne_status status = d->table ? arne_columns_time(d->table, 1, error) : ARNE_OK;
    if (status) return status;
    *steps = d->table ? arne_table_rows(d->table) : 1;
    if (!d->excitation || !d->table) return ARNE_OK;
    const int    time = arne_table_find(d->table, "time"), last = *steps - 1;
    const double span = arne_table_row(d->table, last)[time] - arne_table_row(d->table, 0)[time];
    if (!(span < GRID_MOST * GRID_STEP))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "%g s of excitations are too long", span);
    *steps = (int)ceil((span + GRID_TAIL) / GRID_STEP) + 1;
    return ARNE_OK;
}

arne_status arne_controller_muscles(const arne_robot *robot, const arne_muscle_drive *options,
                                    arne_controller **out, arne_error *error)
{
    static const controller_law law = {.name = "muscles",
                                       .torques = muscle_torques,
                                       .release = muscle_release,
                                       .given = 1,
                                       .sprung = 1};
    static const controller_law stepped = {.name = "muscles",
                                           .torques = muscle_torques,
                                           .release = muscle_release,
                                           .given = 1,
                                           .sprung = 1,
                                           .remembers = 1};
    arne_error_clear(error);
    if (!robot || !options || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "robot, drive or out is NULL");
    *out = NULL;
    arne_muscle_drive own_drive, *drive = &own_drive;
    if (!options_take(drive, sizeof *drive, OPTIONS_FIRST(arne_muscle_drive), options))
        return options_refuse(error);
    const int   m = arne_muscle_count(robot), n = arne_robot_sizes(robot).v_count;
    const int   given = drive->table ? arne_table_rows(drive->table) : 1;
    const int   grid = drive->excitation && drive->table, width = 1 + (grid ? 2 : 1) * m;
    int         steps = 0;
    arne_status status = drive_check(robot, drive, &steps, error);
    if (status) return status;
    arne_controller *c = NULL;
    const int        states = drive->tendon == ARNE_TENDON_FIBRE_STATE;
    status = controller_new(robot, states ? &stepped : &law,
                            (size_t)steps * (size_t)width + (size_t)(states ? m : 0), &c, error);
    if (status) return status;
    double       *rows = calloc((size_t)given * (size_t)(1 + m), sizeof *rows);
    double       *block = calloc((size_t)m * (size_t)(8 + n) + 1, sizeof *block);
    muscle_drive *own = c->own = calloc(1, sizeof *own);
    if (own && block)
        *own = (muscle_drive){.rows = steps,
                              .count = m,
                              .width = width,
                              .options = {.tendon = drive->tendon},
                              .lengths = block,
                              .velocities = block + m,
                              .forces = block + 2 * m,
                              .activations = block + 3 * m,
                              .states = block + 4 * m,
                              .arms = block + 8 * m};
    else
        free(block);
    if (own && states) own->results = calloc((size_t)m, sizeof *own->results);
    if (!rows || !block || !own || (states && !own->results)) status = arne_fail_memory(error);
    for (int i = 0; i < n; i++)
        c->torque[i] = INFINITY; // limits of motors
    if (!status) status = drive_rows(robot, drive, rows, error);
    if (!status && grid) status = drive_integrate(c, rows, given);
    if (!status && !grid) memcpy(c->numbers, rows, (size_t)steps * (size_t)width * sizeof *rows);
    free(rows);
    if (status)
        arne_controller_free(c);
    else
        *out = c;
    return status;
}
