// What the page of a sweep shows: its summary and its table, read in two passes so that memory does
// not grow with the rows.
#ifndef ARNE_REPORT_SWEEP_DATA_H
#define ARNE_REPORT_SWEEP_DATA_H

#include "base/buffer.h"
#include "io/document.h"

enum { SWEEP_BINS = 24, SWEEP_POINTS = 800, SWEEP_WORST = 5, SWEEP_FAILED = 10 };

typedef struct worst_row {
    long   row;
    double value;
} worst_row;

typedef struct sweep_column {
    const char *name, *unit;
    int         is_text;
    long        count; // of numbers
    double      low, high, mean, deviation;
    long        bins[SWEEP_BINS];
    double     *points; // of rows that are drawn; NAN: none
    worst_row   worst[SWEEP_WORST];
    int         worst_count;
    double     *all; // every value, where indices need them
} sweep_column;

typedef struct failed_row {
    long row;
    char why[200];
} failed_row;

typedef struct sweep_data {
    document      summary;
    sweep_column *columns; // parameters, then figures
    int           count, parameters;
    long          rows, failed, samples, step; // step: every so many rows one is drawn
    int           point_count, is_saltelli;
    failed_row    first_failed[SWEEP_FAILED];
    int           failed_count;
} sweep_data;

ARNE_CHECKED arne_status sweep_data_read(sweep_data *d, const char *dir, arne_error *error);
void                     sweep_data_free(sweep_data *d);
const char              *sweep_data_text(const sweep_data *d, const char *key);

// Whether a folder is that of a sweep.
ARNE_CHECKED arne_status is_sweep_folder(const char *dir, int *is, arne_error *error);

// sweep_plots.c
void sweep_histogram(buffer *b, const sweep_column *c);
void sweep_scatter(buffer *b, const sweep_column *x, const sweep_column *y, int count);
// |correlation| of what is drawn
double sweep_correlation(const sweep_column *x, const sweep_column *y, int count);

#endif
