// The rows of a result: which columns there are, and what is written to them at a state.
#ifndef ARNE_SIMULATE_RESULT_ROWS_H
#define ARNE_SIMULATE_RESULT_ROWS_H

#include "simulate/plant.h"

typedef struct record {
    plant      *p;
    unsigned    what;
    arne_table *table;
    double     *row, *qdd, *tau_rate, *tau_before, *tau_rate_lag;
    double      time_before;  // of the row before, for torque rates; negative: none
    double      contact_time; // of the row before, for mean forces of rigid contact
    double      energy_at_start, kinetic_largest, residual_largest;
    double      error_squares, error_peak;
    long        error_count;
} record;

ARNE_CHECKED arne_status record_new(plant *p, record *r, arne_error *error);
void                     record_free(record *r); // and the table, unless it was taken
// The numbers of a row, in r->row.
ARNE_CHECKED arne_status record_fill(record *r, double time, const double *q, const double *qd,
                                     double work_done, arne_error *error);
// One row. work_done is the integral of the power since the start.
ARNE_CHECKED arne_status record_row(record *r, double time, const double *q, const double *qd,
                                    double work_done, arne_error *error);

#endif
