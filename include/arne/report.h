// Reports: a finished run as one HTML page that needs no network, and as plots for papers.
//
// A run is a folder with result.csv (a table, see table.h), summary.json, and copies of its input
// files; see docs/run-folder.md. Names from files are shown as text, whatever they contain.
#ifndef ARNE_REPORT_H
#define ARNE_REPORT_H

#include <arne/robot.h>
#include <arne/table.h>

typedef struct arne_report_options {
    size_t      size;     // of this struct, or 0: see arne/types.h
    const char *page;     // where the page goes; NULL: DIR/report.html
    const char *other;    // the folder of a second run, shown in the same view; may be NULL
    int         plots;    // also DIR/plots: every plot as SVG and, if rsvg-convert is found, as PNG
    arne_warning_fn warn; // told (rule "png") if PNGs are left out; may be NULL
    void           *warn_context;
    int             recorded;  // 1: a motion that was measured, not simulated; the page says so
    const char     *plots_dir; // where `plots` go; NULL: DIR/plots
    // Colours of muscles: a table with time and activation.NAME (or NAME) of muscles, whose time at
    // the start of the run is activation_start. NULL: columns activation.NAME of the result, if it
    // has any.
    const arne_table *activations;
    double            activation_start;
} arne_report_options;

// A custom joint (arne_builder_add_custom) is a chain of joints; tables and pages show it as one.
typedef struct arne_custom_joint {
    char name[256];
    int  first, last; // joints of the chain: that on the parent, that of the child
} arne_custom_joint;

// Whether a joint is part of one, which is found then; custom may be NULL.
ARNE_API int arne_joint_custom(const arne_robot *robot, int joint, arne_custom_joint *custom);

// A number of a run and, optionally, the published one; NAN: none.
typedef struct arne_report_figure {
    const char *name, *unit; // unit "": none
    double      value, published;
} arne_report_figure;

// A run as an index lists it.
typedef struct arne_report_run {
    const char *title;
    const char *text; // a sentence or two; may be NULL
    const char *link; // to its report, relative to the index; may be NULL
    // A drawing of arne_report_brief_run, which is inserted into the page unchanged; may be NULL.
    // It must not come from anywhere else.
    const char               *drawing;
    const arne_report_figure *figures;
    int                       figure_count;
} arne_report_run;

// Where to search for the meshes of a robot, and a function that is told of missing ones (rule
// "mesh").
typedef struct arne_mesh_options {
    const char *const *packages; // "NAME=DIR" for package://NAME/...; may be NULL
    int                package_count;
    arne_warning_fn    warn; // may be NULL
    void              *warn_context;
} arne_mesh_options;

// Options of a robot's page. All may be zero.
typedef struct arne_robot_page {
    const double     *q;     // the posture to start with; may be NULL
    const char       *looks; // the robot's file, whose visuals and meshes are shown; may be NULL
    arne_mesh_options meshes;
    // The page contains the library: it shows the torques of a posture, and the ends of the robot
    // can be dragged. If this library was built without that, meshes.warn is told (rule "live").
    int live;
} arne_robot_page;

// The summary of a run.
typedef struct arne_report_brief arne_report_brief;

ARNE_BEGIN

// May a run be written to the folder dir? Fails, and names the file, if dir contains anything that
// a run did not write, if another run into dir is under way, or if dir cannot be made. Functions
// that write a run ask by themselves; ask before a long computation.
ARNE_API ARNE_CHECKED arne_status arne_run_check_place(const char *dir, arne_error *error);

// Reads the run in the folder dir and writes dir/report.html, completely or not at all. options may
// be NULL.
//
// Fails (and names file and line) if the folder does not contain a consistent run.
ARNE_API ARNE_CHECKED arne_status arne_report_write(const char                *dir,
                                                    const arne_report_options *options,
                                                    arne_error                *error);

// Writes a page that compares 2 to 8 runs: a table of their figures, and every column that two of
// them have in one plot, over the time, a line for each run. Fails like arne_report_write.
ARNE_API ARNE_CHECKED arne_status arne_report_compare(const char *path, const char *const *dirs,
                                                      int count, arne_error *error);

// Reads dir/summary.json: title, text and figures; if it lists no figures, every number in it is
// one. Fails like arne_report_write. The run lives as long as the brief, and has no link.
ARNE_API ARNE_CHECKED arne_status arne_report_brief_read(const char *dir, arne_report_brief **out,
                                                         arne_error *error);
ARNE_API void                     arne_report_brief_free(arne_report_brief *brief);
ARNE_API const arne_report_run   *arne_report_brief_run(const arne_report_brief *brief);

// Writes a page that lists runs, with their figures beside the published ones, and links their
// reports. text is a sentence or two under the title; may be NULL.
ARNE_API ARNE_CHECKED arne_status arne_report_index(const char *path, const char *title,
                                                    const char *text, const arne_report_run *runs,
                                                    int run_count, arne_error *error);

// Writes a page that shows a robot: its bodies, a slider for each joint, its tables. The file is
// written completely or not at all. The page starts in the given posture, or at zero within limits
// and with closed loops.
//
// Fails if the page cannot be written, or if the loops of the robot cannot be closed.
ARNE_API ARNE_CHECKED arne_status arne_report_robot(const char *path, const arne_robot *robot,
                                                    const arne_robot_page *options,
                                                    arne_error            *error);

// Writes a page of a robot's natural frequencies and drawings of the first of its mode shapes
// (arne/modes.h), about the equilibrium near options->q. Fails like arne_modes, or if the page
// cannot be written.
ARNE_API ARNE_CHECKED arne_status arne_report_modes(const char *path, const arne_robot *robot,
                                                    const arne_robot_page *options,
                                                    arne_error            *error);

ARNE_END

#endif
