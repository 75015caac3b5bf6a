// Motions over time: B-splines, trajectories of a robot, scaling of motions, and recorded motions.
#ifndef ARNE_MOTION_H
#define ARNE_MOTION_H

#include <arne/robot.h>
#include <arne/table.h>

// q(t) = sum over j of N_j(t / T) c_j with control points c_j and a final time T. The knots lie on
// [0, 1] and are repeated at both ends (clamped), so that the motion starts at the first control
// point and ends at the last. Knots are part of the basis; T and the control points belong to the
// caller, who can change them without a new basis.
typedef struct arne_bspline arne_bspline;

enum { ARNE_BSPLINE_MAX_DEGREE = 63 };

ARNE_BEGIN

// A basis of `count` functions of this degree (count > degree >= 0).
//
// breaks  where the polynomial pieces meet: count - degree + 1 numbers from 0 to 1 in
//         ascending order; a number that occurs m times removes m - 1 of the degree - 1 continuous
//         derivatives (m <= degree). NULL: evenly spaced
ARNE_API ARNE_CHECKED arne_status arne_bspline_new(int degree, int count, const double *breaks,
                                                   arne_bspline **out, arne_error *error);
ARNE_API void                     arne_bspline_free(arne_bspline *basis);

// The degree of the polynomials, and the number of control points.
ARNE_API int arne_bspline_degree(const arne_bspline *basis);
ARNE_API int arne_bspline_count(const arne_bspline *basis);
// The breaks as above: count - degree + 1 numbers.
ARNE_API const double *arne_bspline_breaks(const arne_bspline *basis);
// The place on [0, 1] where control point j has the most influence: the mean of `degree` knots
// (Greville abscissa). Control points on a line at these places give a motion along that line at
// constant speed. These are also good points for collocation.
ARNE_API double arne_bspline_place(const arne_bspline *basis, int j);

// The basis functions that are not zero at time t, and their time derivatives. These are the
// derivatives of the motion with respect to control points.
//
// orders  how many derivative orders: 5 for q, qd, qdd, qddd, qdddd
// values  orders x (degree + 1): values[k (degree + 1) + i] is the k-th time derivative of function
//         first + i
//
// Returns first, the index of the first control point that matters at t. A t outside [0, T] is
// replaced by the nearer end; at a break the later piece is used. Allocates nothing; O(orders
// degree + degree^2).
ARNE_API int arne_bspline_basis(const arne_bspline *basis, double T, double t, int orders,
                                double *values);

// The motion: out (orders x width) from control points (count x width, row by row).
ARNE_API void arne_bspline_evaluate(const arne_bspline *basis, double T, double t, int width,
                                    const double *control, int orders, double *out);
// Its derivative with respect to T at constant t / T: that of the k-th time derivative is -k / T
// times the time derivative. out: orders x width.
ARNE_API void arne_bspline_final_time_at_place(const arne_bspline *basis, double T, double t,
                                               int width, const double *control, int orders,
                                               double *out);
// The same at constant t: -(k q^(k) + t q^(k+1)) / T.
ARNE_API void arne_bspline_final_time_at_time(const arne_bspline *basis, double T, double t,
                                              int width, const double *control, int orders,
                                              double *out);

// Finds control points (count x width) such that the motion has given values.
//
// at      count conditions, ordered by time and, at the same time, by order
// values  count x width
//
// ARNE_SINGULAR if the conditions do not determine the motion: between two neighbouring conditions
// there must be the support of a basis function (Schoenberg and Whitney).
typedef struct arne_bspline_condition {
    double t;
    int    order; // of the derivative that is given: 0 for a position
} arne_bspline_condition;
ARNE_API ARNE_CHECKED arne_status arne_bspline_fit(const arne_bspline *basis, double T,
                                                   const arne_bspline_condition *at,
                                                   const double *values, int width, double *control,
                                                   arne_error *error);

// ---- trajectories ----

ARNE_END

// The motion of a robot over time: q, which may contain quaternions, and derivatives of the
// velocity coordinates up to order 4. It is read-only, so threads can share it, and does not refer
// to the robot. Before time 0 and after its end a trajectory rests at its start or end, except for
// sinusoids, which have no end.
typedef struct arne_trajectory arne_trajectory;

// The time law of a motion from one configuration to another, from rest to rest.
typedef enum arne_profile {
    ARNE_PROFILE_LINEAR,      // at constant speed: velocities jump at both ends
    ARNE_PROFILE_CUBIC,       // velocity zero at both ends
    ARNE_PROFILE_QUINTIC,     // and acceleration
    ARNE_PROFILE_SEPTIC,      // and jerk: degree 7
    ARNE_PROFILE_TRAPEZOIDAL, // least time under limits on velocity and acceleration
    ARNE_PROFILE_S_CURVE,     // and on jerk
    ARNE_PROFILE_COUNT
} arne_profile;

// Limits of every velocity coordinate (v_count numbers each). NULL for velocity: those of the
// robot's file.
typedef struct arne_motion_limits {
    const double *velocity, *acceleration, *jerk;
} arne_motion_limits;

ARNE_BEGIN

// Takes NULL.
ARNE_API void arne_trajectory_free(arne_trajectory *trajectory);
// The time at which it ends. Infinite for sinusoids.
ARNE_API double arne_trajectory_duration(const arne_trajectory *trajectory);

// Moves its beginning from 0 to this time. Call it before threads share the trajectory.
ARNE_API void arne_trajectory_delay(arne_trajectory *trajectory, double start);

// Evaluates q (q_count) and qd, qdd, qddd, qdddd (v_count each) at a time; NULL: not computed. For
// ball, planar and free joints qd is the velocity in body axes, and the others are derivatives of
// its components, as everywhere. Where a derivative jumps, the later value is returned, at the very
// end the earlier one. Allocates nothing.
ARNE_API void arne_trajectory_evaluate(const arne_trajectory *trajectory, double t, double *q,
                                       double *qd, double *qdd, double *qddd, double *qdddd);

// From one configuration to another: coordinates along a straight line, rotations about one axis
// and the shorter way.
//
// duration  of the polynomial profiles. Trapezoids and S-curves take the least time that the
//           slowest joint needs within its limits, and the other joints arrive at the same time;
//           a longer duration slows all, 0: as fast as possible
// limits    of trapezoids and S-curves; of a ball or free joint the smallest of its three angular
//           (linear) limits holds for the speed along the way. May be NULL for polynomials
ARNE_API ARNE_CHECKED arne_status arne_trajectory_point_to_point(
    const arne_robot *robot, arne_profile profile, const double *from, const double *to,
    double duration, const arne_motion_limits *limits, arne_trajectory **out, arne_error *error);

// Through configurations (count x q_count) at increasing times, the first of which is 0. A spline
// of odd degree: 1 (linear), 3 (cubic, two continuous derivatives), 5 (four), 7 (six). It begins
// and ends at rest: (degree - 1) / 2 derivatives vanish at the ends. Rotations are splines on the
// rotation group with the same smoothness, the shorter way from one waypoint to the next.
ARNE_API ARNE_CHECKED arne_status arne_trajectory_waypoints(const arne_robot *robot, int degree,
                                                            int count, const double *times,
                                                            const double     *points,
                                                            arne_trajectory **out,
                                                            arne_error       *error);
// The same with free ends: the spline is as smooth as its degree allows, without conditions on
// derivatives at the ends (breaks near them are left out). For measured data.
ARNE_API ARNE_CHECKED arne_status arne_trajectory_through(const arne_robot *robot, int degree,
                                                          int count, const double *times,
                                                          const double     *points,
                                                          arne_trajectory **out, arne_error *error);
// Through rows of positions, velocities and accelerations (count x q_count each) at increasing
// times: polynomials of degree 5 from row to row. The first row is time 0. For robots whose
// velocities are the rates of their coordinates; otherwise ARNE_UNSUPPORTED, with the joint.
ARNE_API ARNE_CHECKED arne_status arne_trajectory_rates(const arne_robot *robot, int count,
                                                        const double *times, const double *q,
                                                        const double *qd, const double *qdd,
                                                        arne_trajectory **out, arne_error *error);
// Through the rows of a table with the columns time and q.JOINT; degree 0: with the columns
// qd.JOINT and qdd.JOINT, which are then required, as in arne_trajectory_rates. Joints without a
// column stay at `rest` (q_count, NULL: neutral). The first row is time 0 of the trajectory.
ARNE_API ARNE_CHECKED arne_status arne_trajectory_table(const arne_robot *robot, int degree,
                                                        const arne_table *table, const double *rest,
                                                        arne_trajectory **out, arne_error *error);
// Control points (count x q_count) of a B-spline with final time T. For rotations, they are control
// quaternions.
ARNE_API ARNE_CHECKED arne_status arne_trajectory_bspline(const arne_robot   *robot,
                                                          const arne_bspline *basis, double T,
                                                          const double     *control,
                                                          arne_trajectory **out, arne_error *error);
// offset + sum over k of amplitude_k sin(frequency_k t + phase_k): amplitudes and phases are
// harmonics x v_count, frequencies [rad/s] harmonics. A rotation turns from its offset about x,
// then y, then z of the body.
ARNE_API ARNE_CHECKED arne_status arne_trajectory_sinusoid(
    const arne_robot *robot, const double *offset, int harmonics, const double *frequency,
    const double *amplitude, const double *phase, arne_trajectory **out, arne_error *error);

// ARNE_VALUE if a coordinate exceeds the limits of the robot's file at one of `samples` evenly
// spaced times from 0 to `until`; the error names joint, value and time.
ARNE_API ARNE_CHECKED arne_status arne_trajectory_check_limits(const arne_trajectory *trajectory,
                                                               const arne_robot      *robot,
                                                               double until, int samples,
                                                               arne_error *error);
// `samples` rows (at least 2), evenly spaced from time 0 to `until`: time, q.JOINT, and this number
// of derivatives (0 to 4): qd.JOINT, qdd.JOINT, ...
ARNE_API ARNE_CHECKED arne_status arne_trajectory_sample(const arne_trajectory *trajectory,
                                                         const arne_robot *robot, double until,
                                                         int samples, int derivatives,
                                                         arne_table **out, arne_error *error);

// ---- scaling ----

ARNE_END

// Slows a trajectory while it runs, just enough to keep the required torques and their rates within
// bounds (torque rates after Guarino Lo Bianco 2009). The path does not change: q is that of the
// trajectory at a place x, which never advances faster than time,
//
//     q(x), qd = q' x', qdd = q'' x'^2 + q' x'', qddd = q''' x'^3 + 3 q'' x' x'' + q' x'''
//
// and x is chosen sample by sample. From every choice it is possible to reach a speed that is safe
// for the rest of the path, so the bounds hold to the end.
//
// The trajectory must end, and have continuous accelerations, also at its ends (quintic or
// smoother): a jump of acceleration is a jump of torque at any speed. A trajectory that starts from
// rest may start slowly; one that starts in motion must be within bounds there.
typedef struct arne_scaling arne_scaling;

typedef struct arne_scaling_options {
    size_t        size;   // of this struct, or 0: see arne/types.h
    const double *torque; // v_count: |tau| is at most this. NULL: the efforts of the robot's file
    const double *torque_rate; // v_count. NULL: the effort rates of its motors
    double        sample_time; // 0: 1 ms
    double        margin;      // part of the bounds reserved for errors between samples. 0: 0.5 %
} arne_scaling_options;

ARNE_BEGIN

// The robot and the trajectory must outlive it. Evaluates the path once to find safe speeds, which
// takes about ten ms. ARNE_VALUE if a bound is exceeded even at rest; the error says where.
ARNE_API ARNE_CHECKED arne_status arne_scaling_new(const arne_robot           *robot,
                                                   const arne_trajectory      *trajectory,
                                                   const arne_scaling_options *options,
                                                   arne_scaling **out, arne_error *error);
ARNE_API void                     arne_scaling_free(arne_scaling *scaling);
// The motion at the current sample; NULL: not computed.
ARNE_API void arne_scaling_motion(arne_scaling *scaling, double *q, double *qd, double *qdd,
                                  double *qddd);
// The current speed relative to the given trajectory: 1 is the original speed.
ARNE_API double arne_scaling_speed(const arne_scaling *scaling);
// Advances to the next sample. Returns 0 when the end is reached. Allocates nothing, and takes
// bounded time: at most about 1500 torque rates, usually a tenth of that.
ARNE_API int arne_scaling_step(arne_scaling *scaling);
// The whole scaled motion as a trajectory, as the steps above give it. On success the new
// trajectory owns the given one; on failure the given one is unchanged, and *out is not written.
ARNE_API ARNE_CHECKED arne_status arne_trajectory_scaled(const arne_robot           *robot,
                                                         arne_trajectory            *trajectory,
                                                         const arne_scaling_options *options,
                                                         arne_trajectory **out, arne_error *error);

// ---- recorded motions ----

// Velocities and accelerations of recorded positions: a zero-phase low-pass filter (Butterworth,
// order 4, run forward and backward), then central differences. Times must increase, in steps that
// may vary a little. The recording may begin and end in motion. Velocities within the noise (three
// standard deviations of it, or 1e-4 of the column's largest) are set to zero, so that noise does
// not determine the sign of dry friction.
//
// x        rows x columns
// cutoff   Hz; 0: chosen from the spectrum, and written. Above half the sampling rate nothing is
//          filtered
// smooth, rate, second   rows x columns each, or NULL: the filtered positions and their first two
//                        derivatives
//
// ARNE_VALUE if there are fewer than ARNE_DIFFERENTIATE_ROWS rows or time does not increase. Memory
// and time are linear in the rows.
enum { ARNE_DIFFERENTIATE_ROWS = 8 };
ARNE_API ARNE_CHECKED arne_status arne_differentiate(int rows, int columns, const double *time,
                                                     const double *x, double *cutoff,
                                                     double *smooth, double *rate, double *second,
                                                     arne_error *error);

ARNE_END

#endif
