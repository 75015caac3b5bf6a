// Sweeps: a scenario, problem or quantity for many values of its parameters, on the cores of a
// machine, or on many machines with MPI. docs/sweep.md describes the file.
//
// Rows are numbered from 0. The result of a row depends only on its number and on the files: tables
// are identical bit for bit for any number of processes (with one instruction set; except for times
// and rows that hit their time limit).
#ifndef ARNE_SWEEP_H
#define ARNE_SWEEP_H

#include <arne/builder.h>
#include <arne/table.h>

typedef struct arne_sweep arne_sweep;

// The progress of a sweep. Rows count as done when they are on disk and in the manifest.
typedef struct arne_sweep_progress {
    long   rows, done, failed; // failed: of those that are done
    long   resumed;            // done before this start
    double elapsed;            // s
    double rate;               // rows a second, of this start
    int    ranks, jobs;        // jobs: processes that compute, of all ranks
} arne_sweep_progress;
typedef void (*arne_sweep_progress_fn)(void *context, const arne_sweep_progress *progress);

typedef struct arne_sweep_options {
    size_t size;   // of this struct, or 0: see arne/types.h
    int    jobs;   // processes of this rank that compute; 0: one for each processor, or 1 under MPI
    int    resume; // goes on with what is in DIR.incomplete; from the start where there is nothing
    int    retry;  // with resume: rows that failed are computed again, also of a complete sweep
    long   chunk;  // rows handed out at once; 0: adapts to their duration
    int    group;  // ranks that share a second level of hand-out; 0: by nodes where there are many
                   // ranks
    int alone;     // nonzero: in this process and those it starts, whatever has started the program
    arne_sweep_progress_fn progress; // on rank 0, a few times a second; NULL: none
    void                  *context;
    arne_stop_fn           stop; // nonzero: ends within a second, to be resumed. NULL: none
    void                  *stop_context;
    arne_warning_fn        warn; // told of torn shards and the like; NULL: nobody
    void                  *warn_context;
    int                    page; // the folder comes with its report.html
} arne_sweep_options;

// The result of a sweep. On ranks other than 0 only `rank` and `ranks` are valid.
typedef struct arne_sweep_summary {
    long   rows, done, failed, resumed;
    double elapsed;
    int    rank, ranks, jobs;
    int    stopped, hdf5; // hdf5: the table is there in this form, too
} arne_sweep_summary;

ARNE_BEGIN

// Reads a sweep and the run that it names, and checks all paths and figures. options->fail is
// called for all mistakes; error has the first. The instruction set of the options is used for
// every row.
ARNE_API ARNE_CHECKED arne_status arne_sweep_read(const char               *path,
                                                  const arne_build_options *options,
                                                  arne_sweep **out, arne_error *error);
ARNE_API void                     arne_sweep_free(arne_sweep *sweep);
ARNE_API const char              *arne_sweep_title(const arne_sweep *sweep);

// The table's columns between the row's number and its status: first parameters, then figures. unit
// "": none.
ARNE_API long        arne_sweep_rows(const arne_sweep *sweep);
ARNE_API int         arne_sweep_parameters(const arne_sweep *sweep);
ARNE_API int         arne_sweep_figures(const arne_sweep *sweep);
ARNE_API const char *arne_sweep_name(const arne_sweep *sweep, int column);
ARNE_API const char *arne_sweep_unit(const arne_sweep *sweep, int column);

// Computes one row in this process: its line of the table, without the end of the line. dir (may be
// NULL): the folder of the run is kept there, with the files that were changed for it. If searches
// start from their neighbours, those are computed first. ARNE_OK also if the run fails: the line
// says why. The caller frees *line.
ARNE_API ARNE_CHECKED arne_status arne_sweep_row(arne_sweep *sweep, long row, const char *dir,
                                                 char **line, arne_error *error);
// The first line of the table; to be freed. NULL if memory runs out.
ARNE_API char *arne_sweep_header(const arne_sweep *sweep);

// Runs all rows and writes DIR: table.csv, table.h5 (with HDF5), summary.json, inputs/ and, if runs
// are kept, runs/ROW. While it runs, and after it was stopped or killed, the finished rows are in
// DIR.incomplete. It starts processes: call it before the program has threads of its own.
//
// Under mpirun or srun all ranks call it; rank 0 writes DIR and reports progress. ARNE_STOPPED if
// stop or a signal ended it, ARNE_FILE if DIR contains something else or a disk is full.
ARNE_API ARNE_CHECKED arne_status arne_sweep_run(arne_sweep *sweep, const char *dir,
                                                 const arne_sweep_options *options,
                                                 arne_sweep_summary *summary, arne_error *error);

// The MPI rank of this process under mpirun or srun; 0 without them. Only rank 0 should print
// messages.
ARNE_API int arne_sweep_launch_rank(void);

// Writes the page of a finished sweep, DIR/report.html: histograms, scatter plots, Sobol indices,
// the worst rows.
ARNE_API ARNE_CHECKED arne_status arne_sweep_report(const char *dir, arne_error *error);

ARNE_END

#endif
