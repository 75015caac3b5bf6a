// Reports: what a finished run looks like, as one HTML page that needs no network, and as plots for
// papers.
//
// A run is a folder with result.csv (a table, see table.h), summary.json, and the files it was made
// from; see docs/run-folder.md. Names from files are shown as text, whatever they contain.
#ifndef ARNE_REPORT_H
#define ARNE_REPORT_H

#include <arne/robot.h>

typedef struct arne_report_options {
    size_t      size;  // of this struct, or 0: see arne/types.h
    const char *page;  // where the page goes; NULL: DIR/report.html
    const char *other; // the folder of a second run, shown in the same view; may be NULL
    int         plots; // also DIR/plots: every plot as SVG and, where rsvg-convert is found, as PNG
    arne_warning_fn warn; // told (rule "png") where PNGs are left out; may be NULL
    void           *warn_context;
    int             recorded;  // 1: a motion that was measured, not simulated; the page says so
    const char     *plots_dir; // where `plots` go; NULL: DIR/plots
} arne_report_options;

// A number of a run and, where there is one, what was published; NAN: none.
typedef struct arne_report_figure {
    const char *name, *unit; // unit "": none
    double      value, published;
} arne_report_figure;

// A run as an index lists it.
typedef struct arne_report_run {
    const char *title;
    const char *text; // a sentence or two; may be NULL
    const char *link; // to its report, relative to the index; may be NULL
    // A drawing as arne_report_brief_run gives it, which goes into the page as it is; may be NULL.
    // Never from elsewhere.
    const char               *drawing;
    const arne_report_figure *figures;
    int                       figure_count;
} arne_report_run;

// Where the meshes of a robot are looked for, and who is told of those that are missing (rule
// "mesh").
typedef struct arne_mesh_options {
    const char *const *packages; // "NAME=DIR" for package://NAME/...; may be NULL
    int                package_count;
    arne_warning_fn    warn; // may be NULL
    void              *warn_context;
} arne_mesh_options;

// What a robot's page shows beside the robot. Zeros will do.
typedef struct arne_robot_page {
    const double     *q;     // the posture to start with; may be NULL
    const char       *looks; // the robot's file, whose visuals and meshes are shown; may be NULL
    arne_mesh_options meshes;
    // The page carries the library: it shows what a posture takes, and ends can be dragged. Where
    // this library was built without it, meshes.warn is told (rule "live").
    int live;
} arne_robot_page;

// What the summary of a run says of it.
typedef struct arne_report_brief arne_report_brief;

ARNE_BEGIN

// Reads the run in the folder dir and writes dir/report.html, whole or not at all. options may be
// NULL.
//
// Fails (and names file and line) where the folder holds no run or an inconsistent one.
ARNE_API ARNE_CHECKED arne_status arne_report_write(const char                *dir,
                                                    const arne_report_options *options,
                                                    arne_error                *error);

// Reads dir/summary.json: title, text, and its figures; where it lists none, every number in it is
// one. Fails as arne_report_write does. The run lives as long as the brief, and has no link.
ARNE_API ARNE_CHECKED arne_status arne_report_brief_read(const char *dir, arne_report_brief **out,
                                                         arne_error *error);
ARNE_API void                     arne_report_brief_free(arne_report_brief *brief);
ARNE_API const arne_report_run   *arne_report_brief_run(const arne_report_brief *brief);

// Writes a page that lists runs, with their figures beside the published ones, and links their
// reports. text is a sentence or two under the title; may be NULL.
ARNE_API ARNE_CHECKED arne_status arne_report_index(const char *path, const char *title,
                                                    const char *text, const arne_report_run *runs,
                                                    int run_count, arne_error *error);

// Writes a page to look at a robot: its bodies, a slider for each joint, its tables. Whole or not
// at all. It starts in the posture given, or else at zero, within limits, and with its loops
// closed.
//
// Fails where the page cannot be written, or where the loops of the robot cannot be closed.
ARNE_API ARNE_CHECKED arne_status arne_report_robot(const char *path, const arne_robot *robot,
                                                    const arne_robot_page *options,
                                                    arne_error            *error);

// Writes a page of a robot's natural frequencies and drawings of the first of its mode shapes
// (arne/modes.h), about the equilibrium near options->q. Fails as arne_modes does, or where the
// page cannot be written.
ARNE_API ARNE_CHECKED arne_status arne_report_modes(const char *path, const arne_robot *robot,
                                                    const arne_robot_page *options,
                                                    arne_error            *error);

ARNE_END

#endif
