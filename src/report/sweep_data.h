// What the page of a sweep shows: its summary and its table, read in two passes so that memory does
// not grow with the rows.
#ifndef ARNE_REPORT_SWEEP_DATA_H
#define ARNE_REPORT_SWEEP_DATA_H

#include "base/buffer.h"
#include "io/document.h"

enum { SWEEP_BINS = 24, SWEEP_POINTS = 1600, SWEEP_WORST = 5, SWEEP_FAILED = 10 };

typedef struct extreme_row {
    long   row;
    double value;
    char  *parameters; // their texts, each with a zero at its end
} extreme_row;

// The first rows in one direction.
typedef struct extremes {
    extreme_row item[SWEEP_WORST];
    int         count;
} extremes;

typedef struct sweep_column {
    const char *name, *unit;
    int         is_text, more_is_better;
    long        count; // of numbers
    double      low, high, mean, deviation;
    long        bins[SWEEP_BINS];
    double     *points; // of rows that are drawn; NAN: none
    extremes    best, worst;
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
    int           no_memory; // for the parameters of a row
} sweep_data;

ARNE_CHECKED arne_status sweep_data_read(sweep_data *d, const char *dir, arne_error *error);
void                     sweep_data_free(sweep_data *d);
const char              *sweep_data_text(const sweep_data *d, const char *key);

// Whether a folder is that of a sweep.
ARNE_CHECKED arne_status is_sweep_folder(const char *dir, int *is, arne_error *error);

// sweep_plots.c
void sweep_histogram(buffer *b, const sweep_column *c);
// colour: the parameter that colours the dots; may be NULL
void sweep_scatter(buffer *b, const sweep_column *x, const sweep_column *y,
                   const sweep_column *colour, int count);
// A figure over a grid of two parameters, whose rows are all drawn. Draws nothing where they are no
// grid.
void sweep_heat_map(buffer *b, const sweep_column *x, const sweep_column *y, const sweep_column *f,
                    int count);
// |correlation| of what is drawn
double sweep_correlation(const sweep_column *x, const sweep_column *y, int count);

#endif
