// The state of an identification (the "study"): recordings, the columns of the model, the triangles
// that all rows are reduced to, and the estimates.
//
// Passes over the recordings, each in constant memory:
//     scan        rows, times, ranges, spectra: mistakes are reported here
//     regression  rows of the regressor and the torque of each joint become a triangle each
//                 (block_qr.h)
//     residuals   of all estimates: their size, their autocorrelation, curves for the page
// All estimates come from the triangles.
#ifndef ARNE_IDENTIFY_STUDY_H
#define ARNE_IDENTIFY_STUDY_H

#include "base/findings.h"
#include "identify/block_qr.h"
#include <arne/identify.h>

// ---- recordings

typedef struct log_entry {
    char         *path; // NULL: numbers in memory
    arne_log      log;
    arne_log_role role;
    // set by log_scan.c
    int    has_qd, has_qdd, is_current;
    long   rows, missing;
    double start, end, step; // [s]; step: of the samples at equal times
    int    is_even;          // recorded times have equal steps, nothing is interpolated
} log_entry;

// A part of a log at equal steps, filtered: the input of the regressor. Arrays are count x n.
typedef struct window {
    const log_entry *entry;
    long             first;           // index of row 0, from the beginning of its gapless section
    int              count, from, to; // rows; those from `from` to `to` - 1 are used
    const double    *time, *q, *qd, *qdd, *tau;
} window;

typedef arne_status (*window_fn)(void *context, const window *w);

// ---- the model

typedef enum column_kind {
    COLUMN_BASE,
    COLUMN_VISCOUS,
    COLUMN_POSITIVE, // Coulomb
    COLUMN_NEGATIVE,
    COLUMN_BOTH, // Coulomb, the same in both directions
    COLUMN_OFFSET,
    COLUMN_STRIBECK,
    COLUMN_SIGMOID,
    COLUMN_LOAD,
    COLUMN_STIFFNESS,
    COLUMN_PRELOAD,     // of a spring
    COLUMN_MOTOR_ROTOR, // of a motor that moves with several joints
    COLUMN_MOTOR_VISCOUS,
    COLUMN_MOTOR_COULOMB
} column_kind;

typedef struct model_column {
    column_kind kind;
    int         joint;    // the velocity coordinate; for a motor: that of its joint
    int         motor;    // index of a coupled motor in the robot; -1: only the settings have it
    double      shape[2]; // nonlinear parameters of friction (friction.c)
} model_column;

typedef struct model {
    int            n;          // velocity coordinates, which are joints
    int            parameters; // of the robot
    arne_base_set *base;
    int            count; // of columns
    model_column  *column;
    int           *used;       // n x count: the columns of a joint's row
    int           *used_count; // n
    double        *prior;      // count: values of the robot that was given
    double        *known;      // parameters: values that are not estimated; other entries are 0
    int            has_known, needs_load, is_shaped;
    const double
        *coupling; // n x n, of motors that turn with several joints: 1 on the diagonal; or NULL
} model;

// ---- the study

typedef struct fit_sums { // residuals of one estimate on fitted or on held-back rows
    long    rows;
    double *square, *measured; // by joint
    double *rms, *percent, *size;
} fit_sums;

enum { SET_FIT, SET_HELD, SET_OUT, SETS = 2 };
enum { ESTIMATE_FOUND, ESTIMATE_FREE, ESTIMATE_PRIOR, ESTIMATES };

typedef struct estimate {
    double *beta;      // model.count
    double *deviation; // model.count
    double *pi;        // parameters of the robot
} estimate;

enum { CURVE_POINTS = 1500, CORRELATION_LAGS = 64, FRICTION_BINS = 160 };

// Curves for the page: every `every`-th row of the logs of a role.
enum { SHOWN_PLACE, SHOWN_MEASURED, SHOWN_FOUND, SHOWN_PRIOR, SHOWN_PARTS };
typedef struct shown_rows {
    int     count;
    long    every, *seen; // by joint
    double *row; // CURVE_POINTS x (2 + SHOWN_PARTS n): time, set, then the parts of each joint
} shown_rows;

struct arne_identify {
    const arne_robot     *robot;
    arne_identify_options options;
    void                **owned; // memory of study_take, freed with the study
    int                   owned_count;
    findings              found;
    log_entry            *entry;
    int                   entry_count;
    model                 m;
    double               *gear; // n x n: q of motors = gear q of joints; NULL: none
    double               *inverse_gear;
    int                   of_motors;      // logs have positions and torques of motors, not joints
    double               *gain;           // n: torque per recorded unit, 1 for torques
    double               *gain_deviation; // n: of gains that are estimated
    int                   unknown_gains;
    double                cutoff, torque_cutoff, step;
    int                   decimate, order, reach;
    int                   friction;
    block_qr             *qr;          // n: the triangle of the fitted rows of each joint
    double               *weight;      // n: 1 / deviation of a row's residual, with its correlation
    double               *variation;   // n: variance of residuals
    double               *correlation; // n: variance factor of correlated residuals (residuals.c)
    double               *lag;         // n x (CORRELATION_LAGS + 1): autocorrelation
    unsigned char        *seen;        // model.count
    unsigned char        *essential;
    double               *covariance; // model.count squared, of the free estimate
    estimate              estimate[ESTIMATES];
    fit_sums              sums[SETS][ESTIMATES];
    shown_rows            shown[SETS];
    double              *bin; // n x FRICTION_BINS x 2, by speed: rows, sum of their friction torque
    double              *top_speed;  // n
    double              *fastest;    // 2 n: forward and backward, of rows that are fitted
    double              *rest_speed; // n: a row where no joint is faster is left out
    arne_identify_result result;
    int                  is_done;
};

// Zeroed memory that lasts as long as the study; NULL where there is none.
void *study_take(arne_identify *s, size_t count, size_t size);
int   study_n(const arne_identify *s);
int   study_stops(const arne_identify *s);
void  study_warn(const arne_identify *s, const char *rule, const char *file, int line,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));

// log_rows.c: one log, row by row. row: time, then q, qd, qdd and tau of all coordinates, of joints
// and as torques, where gains are known; NULL where the sample is missing.
typedef arne_status (*log_row_fn)(void *context, const log_entry *e, const double *row, int line);
ARNE_CHECKED arne_status log_each(arne_identify *s, log_entry *e, log_row_fn take, void *context,
                                  arne_error *error);
static inline size_t     log_row_size(int n) { return 1 + 4 * (size_t)n; }

// gears.c: the matrix between motors and joints, and which side the logs are of.
ARNE_CHECKED arne_status gears_make(arne_identify *s, arne_error *error);
ARNE_CHECKED arne_status gears_side(arne_identify *s);

// log_scan.c: checks of the logs, their sampling steps, and the choice of filters.
ARNE_CHECKED arne_status study_scan(arne_identify *s, arne_error *error);

// log_windows.c: a log at equal steps, filtered, in overlapping windows.
ARNE_CHECKED arne_status log_windows(arne_identify *s, log_entry *e, window_fn take, void *context,
                                     arne_error *error);

// model.c
ARNE_CHECKED arne_status model_make(arne_identify *s, arne_error *error);
void                     model_name(const arne_identify *s, int column, char *name, size_t size);
const char              *model_unit(const arne_identify *s, int column);
void model_grouping(const arne_identify *s, int column, char *text, size_t size);
// The rows of all joints at one state: y has n rows of `count`, tau is reduced by what is known.
// load: torques without friction (n), where the model needs them.
void model_rows(const arne_identify *s, arne_work *work, double *Y, const double *q,
                const double *qd, const double *qdd, const double *load, double *y, double *tau);

// The same for many states: Y in the layout of batches (entry after entry); q, qd, qdd and tau
// state after state; load n x count. own: the columns beyond base parameters, (model.count - rank)
// x count.
void model_columns(const arne_identify *s, int count, const double *q, const double *qd,
                   const double *qdd, const double *load, double *own);
void model_take_known(const arne_identify *s, int count, const double *Y, const double *q,
                      const double *qd, double *tau);
// One column of a joint at `count` states: factor times the numbers at `at`.
typedef struct model_entry {
    const double *at;
    double        factor;
} model_entry;
model_entry model_entry_of(const arne_identify *s, int joint, int column, int count,
                           const double *Y, const double *own);

// row_chunk.c: from columns to rows, to[i * stride + c] = column c at state i; and sums of columns.
void columns_to_rows(const arne_robot *robot, int count, int columns, const model_entry *from,
                     ptrdiff_t stride, double *to);
void columns_add(const arne_robot *robot, int count, double factor, const double *from, double *to);

// regression.c: rows of a joint, filtered and decimated. The filter is linear, so predictions of
// estimates can be filtered instead of the regressor.
enum { MOST_SUMS = 4 };
typedef struct row_sums {
    int           count;           // 0: the columns themselves
    const double *beta[MOST_SUMS]; // of model.count numbers
} row_sums;
typedef struct row_block {
    const log_entry     *entry;
    int                  joint, rows;
    int                  columns; // columns used, or sums; the torque is the number after them
    ptrdiff_t            stride;  // from row to row
    const double        *y;
    const double        *time;
    const double        *place, *speed; // of the joint
    const unsigned char *set;
    long                 first; // index in the gapless section, in decimated rows
} row_block;
// Called from several threads: blocks of one joint in order, of different joints concurrently.
typedef arne_status (*block_fn)(void *context, const row_block *b);
ARNE_CHECKED arne_status study_rows(arne_identify *s, arne_log_role role, const row_sums *sums,
                                    block_fn take, void *context, arne_error *error);

// estimate.c
// The factor of white noise on variances after the filter of torques: rows that are used come at a
// rate whose half is above the filter's bandwidth.
double                   study_filter_factor(const arne_identify *s);
ARNE_CHECKED arne_status study_reduce(arne_identify *s, arne_log_role role, block_qr *qr,
                                      arne_error *error);
// The final one starts from the weights so far; others from those of the torques, without what
// comes of an estimate: deviations, essential parameters, condition.
ARNE_CHECKED arne_status estimate_free(arne_identify *s, int is_final, arne_error *error);

// The weighted triangle of all joints over the model's columns, with the torque behind them: rows x
// (count + 1), row by row.
double *study_stack(const arne_identify *s, const block_qr *qr, int *rows);

// consistent.c: the estimate among physically possible bodies.
ARNE_CHECKED arne_status estimate_consistent(arne_identify *s, arne_error *error);
int                      link_is_consistent(const double *pi);

// residuals.c: of the free estimate alone, for correlation and friction; or of all estimates on all
// logs.
ARNE_CHECKED arne_status study_correlate(arne_identify *s, arne_error *error);
ARNE_CHECKED arne_status study_judge(arne_identify *s, arne_error *error);
// The friction torque of a joint at a speed, by an estimate, including its coupled motor.
double friction_at(const arne_identify *s, const double *beta, int joint, double speed);

// identified_robot.c: parameters of the robot from a free estimate, and the robot itself.
ARNE_CHECKED arne_status find_free_parameters(arne_identify *s, arne_error *error);
void                     spread_friction(const arne_identify *s, estimate *e);

// friction.c: the nonlinear parameters of friction.
ARNE_CHECKED arne_status study_shape(arne_identify *s, arne_error *error);

#endif
