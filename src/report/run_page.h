// A run as it lies in its folder.
#ifndef ARNE_REPORT_RUN_PAGE_H
#define ARNE_REPORT_RUN_PAGE_H

#include "io/document.h"
#include "report/looks.h"

#include <arne/robot.h>
#include <arne/table.h>
#include <arne/work.h>

typedef struct run_table {
    const char *file; // relative to the folder
    arne_table *table;
} run_table;

typedef struct run {
    const char     *dir;
    char           *summary_path;
    reader          reader; // of the summary: for its messages
    document        tree;
    const doc_node *summary; // a mapping
    arne_robot     *robot;
    arne_work      *work;
    run_table      *tables; // result.csv is the first
    int             table_count;
} run;

// run_free is needed also after a failure.
ARNE_CHECKED arne_status run_read(const char *dir, run *out, arne_error *error);
void                     run_free(run *r);

// The summary alone.
ARNE_CHECKED arne_status run_read_summary(const char *dir, run *out, arne_error *error);

// The text under a key of the summary, or else what is given.
const char *run_text(const run *r, const char *key, const char *otherwise);

// A table of the folder, read when it is first asked for. `from` is where the summary names it.
ARNE_CHECKED arne_status run_table_of(run *r, const doc_node *from, const char *file,
                                      const arne_table **out);

// The looks of the robot as the run has copied its file, with meshes of so many bytes (looks.h).
// They may not have come along: then there are stand-ins. looks_free is needed after failures, too.
ARNE_CHECKED arne_status run_looks(const run *r, size_t room, looks *out);

static inline const arne_table *run_result(const run *r) { return r->tables[0].table; }
// The column of time in the result: time or t, else -1.
int run_time_column(const run *r);

// The limits of a column, infinite where there is none on a side. *has says whether there are any.
ARNE_CHECKED arne_status run_limits(const run *r, const char *column, int *has, double *low,
                                    double *high);

#endif
