// Recorded motions of people: filtered coordinates, measured forces, inverse dynamics over a
// motion, and coordinates from markers. OpenSim's words are given where they differ; its files
// (.osim, .mot, .sto, .trc, ExternalLoads) are read wherever a robot or a table is.
#ifndef ARNE_CAPTURE_H
#define ARNE_CAPTURE_H

#include <arne/builder.h>
#include <arne/muscle_force.h>
#include <arne/table.h>
#include <arne/work.h>

// Coordinates over time with their derivatives; arne_recording_free frees the arrays.
typedef struct arne_recording {
    int     rows, columns;
    double *time;              // rows [s]
    double *x, *rate, *second; // rows x columns
} arne_recording;

// Forces that were measured over time, on links.
typedef struct arne_loads arne_loads;

// The columns of a table that say a force: their names are these prefixes and x, y or z.
typedef struct arne_load_columns {
    const char *link;          // that the force acts on
    const char *force, *point; // "ground_force_v", "ground_force_p"; point NULL: the link's origin
    const char *torque;        // free moment, "ground_torque_"; NULL: none
    const char *force_in, *point_in; // links in whose axes they are; NULL: the world
} arne_load_columns;

// A marker of the robot, a named frame, and its weight.
typedef struct arne_marker {
    int    frame;
    double weight; // 0: only its error is computed
} arne_marker;

typedef struct arne_marker_options {
    size_t        size;       // of this struct, or 0: see arne/types.h
    double        tolerance;  // of a step, rad and m; 0: 1e-9
    int           iterations; // of a frame; 0: 50
    const double *weights;    // of coordinates (v_count), which pull towards targets; NULL: none
    const double *targets;    // q_count numbers; NULL: where the robot's file starts
} arne_marker_options;

// Which markers and coordinates weigh how much. Without tasks every marker weighs 1.
typedef struct arne_tracking_options {
    size_t             size;  // of this struct, or 0: see arne/types.h
    const char        *tasks; // a file of OpenSim with an IKTaskSet: what is not in it weighs 0
    int                count; // of markers that have another weight
    const char *const *names;
    const double      *weights;
    double             tolerance; // as of arne_marker_options
} arne_tracking_options;

// What residual reduction may change.
typedef struct arne_reduction_options {
    size_t      size;     // of this struct, or 0: see arne/types.h
    const char *link;     // whose mass centre may move, the torso; NULL: masses stay as they are
    double      residual; // N and N m: a residual that weighs as much as
    double      angle, shift; // rad, m: changes of this size; 0: 0.5 % of body weight, 0.02, 0.02
    double      frequency;    // Hz: no faster changes; 0: 6
} arne_reduction_options;

// What it found; arne_recording_free(&motion) frees the arrays.
typedef struct arne_reduction {
    double         factor; // of all masses and inertias
    arne_vec3      shift;  // of the mass centre of `link`, in its frame [m]
    arne_recording motion;
} arne_reduction;

// Factors of a link along its axes.
typedef struct arne_link_scale {
    const char *link;
    arne_vec3   factor;
} arne_link_scale;

ARNE_BEGIN

// Frees the arrays; accepts NULL.
ARNE_API void arne_recording_free(arne_recording *recording);
// Filters and differentiates as OpenSim's inverse dynamics tool does: continued at both ends by
// half of its rows, point-symmetrically; brought to equal steps (the smallest of all) where they
// differ; a Butterworth filter of third order, forward and backward; a natural quintic spline
// through the result, whose derivatives are taken at its rows.
//
// x       rows x columns; time must increase
// cutoff  Hz, of each of the two passes; 0: no filter, only the spline through the rows
//
// Rows of the result are those within the recording; their times can differ from the given ones by
// less than a step. ARNE_VALUE if there are fewer than 4 rows or time does not increase.
ARNE_API ARNE_CHECKED arne_status arne_recording_smooth(int rows, int columns, const double *time,
                                                        const double *x, double cutoff,
                                                        arne_recording *out, arne_error *error);
// Reads a table of coordinates (columns q.NAME or NAME and time; .mot, .sto or CSV) and smooths it;
// the columns of the result are those of q. A coordinate that the table lacks stays where the
// robot's file starts it; *lacking (may be NULL) counts them. ARNE_UNSUPPORTED for robots with
// quaternions.
ARNE_API ARNE_CHECKED arne_status arne_recording_read(const arne_robot *robot, const char *path,
                                                      double cutoff, arne_recording *out,
                                                      int *lacking, arne_error *error);

// Loads from columns of a table with a column `time`: a natural cubic spline through each column.
// Missing numbers are 0.
ARNE_API ARNE_CHECKED arne_status arne_loads_new(const arne_robot *robot, const arne_table *table,
                                                 const arne_load_columns *loads, int count,
                                                 arne_loads **out, arne_error *error);
// The same from a file ExternalLoads of OpenSim, which names the table.
ARNE_API ARNE_CHECKED arne_status arne_loads_read(const arne_robot *robot, const char *path,
                                                  arne_loads **out, arne_error *error);
ARNE_API void                     arne_loads_free(arne_loads *loads);
// Adds the wrenches at a time to f_ext (body_count). work must hold the poses (arne_kinematics).
ARNE_API void arne_loads_add(const arne_loads *loads, const arne_robot *robot,
                             const arne_work *work, double time, arne_wrench *f_ext);

// Inverse dynamics at all rows of a recording: tau is rows x v_count. loads may be NULL. What
// ligaments, path springs and limits of the robot give is not in tau, as in OpenSim's tool. The
// torques of the joints that carry the root of a person are residuals: what is missing to balance
// motion and forces. ARNE_VALUE where the loads do not last as long as the motion.
ARNE_API ARNE_CHECKED arne_status arne_recording_dynamics(const arne_robot     *robot,
                                                          const arne_recording *motion,
                                                          const arne_loads *loads, double *tau,
                                                          arne_error *error);

// Whether the torque of a joint is a residual: no link before it has mass.
ARNE_API int arne_joint_is_residual(const arne_robot *robot, int joint);
// Makes residuals small (OpenSim: residual reduction): first a factor of all masses and a shift of
// one mass centre, near 1 and 0 (5 %, 5 cm), then the motion that is least changed, where residuals
// and changes are weighed as the options say. Joints whose limits are equal stay. Results belong to
// the robot with these masses: arne_builder_adjust_masses.
ARNE_API ARNE_CHECKED arne_status arne_recording_reduce(const arne_robot             *robot,
                                                        const arne_recording         *motion,
                                                        const arne_loads             *loads,
                                                        const arne_reduction_options *options,
                                                        arne_reduction *out, arne_error *error);
// All masses and inertias times a factor; the mass centre of `link`, unless it is NULL, moves by
// shift in its frame.
ARNE_API ARNE_CHECKED arne_status arne_builder_adjust_masses(arne_builder *builder, double factor,
                                                             const char *link, arne_vec3 shift,
                                                             arne_error *error);

// Muscles at all rows of a recording (OpenSim: static optimisation): torques as above, paths, and
// arne_static_solve. options NULL: its defaults; with `opensim` accelerations are the slopes of a
// second spline through the velocities, as in OpenSim's tool.
//
// *out        time and, for each muscle NAME, activation.NAME, force.NAME [N], power.NAME [W] (of
//             the path: positive where it shortens) and metabolic.NAME [W] (arne_metabolic_rates,
//             with activation as excitation); for each joint rest.NAME, what muscles leave to
//             reserves and residuals [N m or N]
// *reactions  may be NULL; time and reaction.LINK.fx to mz, what the parent exerts on a link with
//             mass through its joint, with loads and muscles (arne_joint_wrench)
// *missed     may be NULL: rows whose torques muscles and reserves cannot give
//
// The caller frees both tables.
ARNE_API ARNE_CHECKED arne_status arne_recording_muscles(const arne_robot          *robot,
                                                         const arne_recording      *motion,
                                                         const arne_loads          *loads,
                                                         const arne_static_options *options,
                                                         arne_table **out, arne_table **reactions,
                                                         int *missed, arne_error *error);

// Coordinates from markers (OpenSim: inverse kinematics tool): at each frame the q that minimise
//     sum of weight |p(q) - measured|^2 + sum of weights (q - target)^2
// by Gauss-Newton steps, from the solution of the frame before. Limits are kept unless they are
// soft (OpenSim: clamped); a joint whose limits are equal stays there (locked).
//
// measured  rows x count x 3 [m], NaN where a marker is missing
// q         rows x q_count; the first row holds the start
// errors    rows x count distances [m], NaN where missing; may be NULL
//
// A frame without markers keeps the coordinates of the one before. ARNE_NOT_CONVERGED: a frame
// stayed above the tolerance; all rows are written all the same.
ARNE_API ARNE_CHECKED arne_status arne_marker_kinematics(const arne_robot  *robot,
                                                         const arne_marker *markers, int count,
                                                         int rows, const double *measured,
                                                         const arne_marker_options *options,
                                                         double *q, double *errors,
                                                         arne_error *error);

// The same for a table of markers (a .trc file): columns NAME.x, NAME.y, NAME.z [m] for the frames
// NAME of the robot, and time. *coordinates gets time and q; *errors (may be NULL) time and the
// distance of each marker that the table has. The caller frees both, also after
// ARNE_NOT_CONVERGED.
ARNE_API ARNE_CHECKED arne_status arne_track(const arne_robot *robot, const arne_table *markers,
                                             const arne_tracking_options *options,
                                             arne_table **coordinates, arne_table **errors,
                                             arne_error *error);

// Scales links by factors along their own axes, as OpenSim's scale tool does: mass centres, joints,
// frames, points and surfaces of muscles, and distances that follow coordinates by functions.
// Masses grow with volume unless keep_masses is set; mass, where it is not 0, is that of all links
// together then. Inertias follow. A link without mass takes the factors of the link that carries
// it. Lengths of fibres and tendons stay as they are.
ARNE_API ARNE_CHECKED arne_status arne_builder_scale_links(arne_builder          *builder,
                                                           const arne_link_scale *scales, int count,
                                                           double mass, int keep_masses,
                                                           arne_error *error);
// The factors that a static trial and a setup file of OpenSim's scale tool give: distances of
// marker pairs (positions averaged over the time range) over those of the robot as its file starts,
// and factors that are given by hand. The caller frees *out, whose names are the robot's.
ARNE_API ARNE_CHECKED arne_status arne_scale_measure(const arne_robot *robot,
                                                     const arne_table *markers, const char *setup,
                                                     arne_link_scale **out, int *count,
                                                     double *mass, int *keep_masses,
                                                     arne_error *error);

ARNE_END

#endif
