// CSV: states read, cells written.
#ifndef CLI_CSV_H
#define CLI_CSV_H

#include "given_state.h"
#include "order.h"

#include <stdio.h>

typedef struct csv_request {
    const char        *file;
    const state_needs *needs;                  // the columns that must be there
    int                base_given[BASE_PARTS]; // these of a free base come from elsewhere
    int                differentiate; // velocities and accelerations that are missing are found
    const text_list   *columns;       // --column: other names of columns; may be NULL
    int                quiet;         // print neither warnings nor chosen defaults
    double             cutoff;        // Hz, of the filter that does; 0: chosen, and told
    int                may_lack; // too few rows to differentiate are no error: lacks_rates says it
} csv_request;

// Columns q.NAME, qd.NAME, qdd.NAME, qddd.NAME, tau.NAME, and theta.NAME, thetad.NAME, ... of
// elastic joints, with .0, .1, ... after the names of joints that have several coordinates, in any
// order; load.LINK.fx ... load.LINK.mz, what acts on a link at its origin in its axes; t or time.
// Units in brackets after a name are converted or refused; columns of other names are skipped with
// a warning. Returns an exit status; errors name file and line.
int csv_read_states(const arne_robot *robot, const ordering *order, const csv_request *request,
                    state_list *out);

// One cell, quoted where it must be; first says whether it opens the row.
void csv_text(FILE *out, int first, const char *text);
void csv_number(FILE *out, int first, double value);

#endif
