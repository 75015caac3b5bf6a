// Forces of muscles from activation and path, as equilibria and as states; activation dynamics and
// metabolic rates; static optimisation. Paths and laws are in arne/muscle.h.
//
// Arrays of muscles have arne_muscle_count entries. Ligaments and path springs have forces too, but
// no activation: theirs is ignored.
#ifndef ARNE_MUSCLE_FORCE_H
#define ARNE_MUSCLE_FORCE_H

#include <arne/control.h>
#include <arne/muscle.h>
#include <arne/table.h>

// What is known of the tendon beside the length of the path.
typedef enum arne_tendon {
    ARNE_TENDON_EQUILIBRIUM, // nothing: fibre and tendon pull alike, and share the velocity of the
                             // path by their stiffness (Millard et al. 2013, appendix)
    ARNE_TENDON_RIGID,       // it does not stretch, whatever the law says
    ARNE_TENDON_FIBRE_STATE, // the state is the length of the fibre [m]
    ARNE_TENDON_FORCE_STATE, // the state is the force of the tendon, a part of max_force
    ARNE_TENDON_COUNT
} arne_tendon;

typedef struct arne_muscle_options {
    size_t        size;       // of this struct, or 0: see arne/types.h
    arne_tendon   tendon;     // of laws without rigid_tendon
    const double *state;      // states x muscles; as `tendon` says
    int           no_passive; // fibres pull with their active force alone
    double        step; // s, of ARNE_TENDON_FIBRE_STATE: results are those after this time, and the
                        // state is the fibre's length before it; 0: now. See arne_muscle_forces
} arne_muscle_options;

// What a muscle does. Derivatives are by activation, length and velocity of the path, and state.
// A path that is too short for its tendon is slack: its force and the derivatives are 0.
typedef struct arne_muscle_result {
    double force;                        // N, along the path
    double fibre_length, fibre_velocity; // m, m/s; positive: it lengthens
    double pennation;                    // rad
    double active, passive;              // N, along the fibre; passive: elastic and damping
    double active_length;                // the factor of the length, of the active force
    double tendon_length;                // m
    double rate;                         // of the state per second; 0 where there is none
    double fibre_power, tendon_power;    // W, positive: it gives power; both together: of the path
    double force_by[4], rate_by[4];
    double fibre_by[4], speed_by[4]; // of fibre_length and fibre_velocity
} arne_muscle_result;

typedef struct arne_metabolic_options {
    size_t        size;      // of this struct, or 0: see arne/types.h
    const double *slow;      // part of slow-twitch fibres of each muscle; NULL: 0.5
    const double *masses;    // kg; NULL: density max_force fibre_length / tension
    double        tension;   // Pa; 0: 250 kPa
    double        density;   // kg/m^3; 0: 1059.7
    int           anaerobic; // factor 1 instead of 1.5
    double smoothing; // width of all switches, for searches by derivatives: 0.05, say; 0: none
} arne_metabolic_options;

// What static optimisation minimises and may use; arrays are copied.
typedef struct arne_static_options {
    size_t        size;     // of this struct, or 0: see arne/types.h
    double        power;    // of activations, at least 1; 0: 2
    const double *reserves; // v_count: torque or force of a reserve actuator at control 1; 0: none;
                            // INFINITY: the coordinate is left out. NULL: none at all
    const double *lower, *upper; // of activations, within 0 and 1; NULL: 0 and 1
    int           passive;       // fibres pull passively too
    int           compliant;     // tendons stretch, unless rigid_tendon (ARNE_TENDON_EQUILIBRIUM);
                                 // below an activation of 0.01 forces are parabolas
    int opensim;                 // as OpenSim's tool has it: cos of the pennation of Millard's
                                 // muscles, for which it divides the height of the fibre by its
                                 // length over the optimal one; arne_recording_muscles: see there
} arne_static_options;

// Static optimisation of one robot, with the memory of one thread.
typedef struct arne_static arne_static;

// How muscles are driven: see arne_controller_muscles.
typedef struct arne_muscle_drive {
    size_t            size; // of this struct, or 0: see arne/types.h
    double            activation;
    const arne_table *table; // NULL: none
    int               excitation;
    arne_tendon       tendon;
} arne_muscle_drive;

ARNE_BEGIN

// The force of every muscle, in each of `states` states.
//
//     max_force (a f_active(l) f_velocity(v) + f_passive(l) + damping v) cos(pennation)
//         = max_force f_tendon = force
//
// activation  states x muscles
// length      of the paths [m]
// velocity    of the paths [m/s]; NULL: 0
// options     NULL: equilibrium
// forces      states x muscles [N]
// results     states x muscles; may be NULL
//
// In equilibrium both sides agree to 1e-12 of max_force. With `step` the fibre's velocity is its
// way over the step (backward Euler), and its damping at least 0.01: this has a solution and is
// stable for any step, also where a tendon is slack; its error is of the order of the step. Cost:
// 0.5 to 3 microseconds a muscle; allocates nothing.
ARNE_API ARNE_CHECKED arne_status arne_muscle_forces(const arne_robot *robot, int states,
                                                     const double *activation, const double *length,
                                                     const double              *velocity,
                                                     const arne_muscle_options *options,
                                                     double *forces, arne_muscle_result *results);

// Rates of activations from excitations (both muscle_count; OpenSim: controls). by (may be NULL):
// two numbers a muscle, derivatives by excitation and by activation. Thelen's and Millard's law:
// Thelen 2003 with minimum_activation; De Groote's: its smooth form.
ARNE_API ARNE_CHECKED arne_status arne_activation_rates(const arne_robot *robot,
                                                        const double     *excitation,
                                                        const double *activation, double *rates,
                                                        double *by);

// Metabolic power of every muscle [W], heat and work (Umberger 2010, over Umberger et al. 2003):
// heat is at least 1 W/kg, negative work is not given back. Without the basal rate of the body.
//
// excitation  NULL: as activation
// results     of arne_muscle_forces; only fibre_length and fibre_velocity are used
// by          four numbers a muscle, derivatives by excitation, activation, fibre_length and
//             fibre_velocity; may be NULL. Those by the path follow with fibre_by and speed_by of
//             the results. Without `smoothing` they jump where the published equations have a case
//
// ARNE_VALUE: `smoothing` is not within 0 and 1.
ARNE_API ARNE_CHECKED arne_status arne_metabolic_rates(const arne_robot             *robot,
                                                       const double                 *excitation,
                                                       const double                 *activation,
                                                       const arne_muscle_result     *results,
                                                       const arne_metabolic_options *options,
                                                       double *rates, double *by);

// Prepares static optimisation; the robot must outlive it. ARNE_VALUE names what is wrong with the
// options, ARNE_UNSUPPORTED a robot without muscles.
ARNE_API ARNE_CHECKED arne_status arne_static_new(const arne_robot          *robot,
                                                  const arne_static_options *options,
                                                  arne_static **out, arne_error *error);
ARNE_API void                     arne_static_free(arne_static *optimisation);
// Activations a and controls c of reserves that give torques:
//
//     minimise sum of a^power + sum of c^2   with   arms^T forces(a) + reserves c = tau
//
// forces(a) = a times the force at activation 1 with a rigid tendon, plus what `passive` and
// `compliant` add, plus ligaments and path springs. Coordinates that no muscle moves are left out.
//
// tau                      v_count, of the joints (arne_recording_dynamics)
// lengths, velocities      of the paths: arne_muscle_lengths
// arms                     muscles x v_count: arne_muscle_moment_arms
// activation, forces       muscles; of ligaments and springs activation is 0
// rest                     v_count: what muscles leave to reserves and residuals; may be NULL
//
// ARNE_NOT_CONVERGED: muscles and reserves cannot give these torques; activation is as near as they
// got. ARNE_VALUE: an input is not finite. Cost: 5 to 15 microseconds for 18 muscles; allocates
// nothing.
ARNE_API ARNE_CHECKED arne_status arne_static_solve(arne_static *optimisation, const double *tau,
                                                    const double *lengths, const double *velocities,
                                                    const double *arms, double *activation,
                                                    double *forces, double *rest);

// ---- muscles as the drive of a simulation ----

// Torques arms^T force of all muscles, cables and chambers, with activations over time. Ligaments,
// path springs, limits and tendons are no part of them: they act in every simulation, but for paths
// along rods and paths of moving points, which are part of these torques.
// Muscles without a column of the table (NAME or activation.NAME, from 0 to 1, beside `time`) have
// the activation `activation`. With `excitation` the numbers are excitations: activations start at
// their first values and follow by arne_activation_rates. tendon: equilibrium, rigid, or fibre
// state: lengths of fibres start in equilibrium and are stepped from sample to sample (`step` of
// arne_muscle_options), so that the simulation needs a sample time. Limits of effort are those of
// motors, and do not count.
ARNE_API ARNE_CHECKED arne_status arne_controller_muscles(const arne_robot        *robot,
                                                          const arne_muscle_drive *drive,
                                                          arne_controller **out, arne_error *error);

ARNE_END

#endif
