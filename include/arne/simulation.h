// A simulation that the caller holds and steps: for control loops, learning, hardware in the loop.
//
// It has what arne_simulate has (arne/simulate.h): integrators, contacts, surroundings, friction,
// limits, motors, elastic joints, loops. A step is a fixed time; adaptive methods fill it with as
// many inner steps as they need. arne_simulate is a loop around it: with record_every equal to the
// step, both give the same numbers, bit for bit.
#ifndef ARNE_SIMULATION_H
#define ARNE_SIMULATION_H

#include <arne/simulate.h>

typedef struct arne_simulation_options {
    size_t size; // of this struct, or 0: see arne/types.h
    // The time that arne_simulation_step advances by. 0: the step of the integrator, or 1 ms where
    // that is 0, too.
    double step;
    // Controller, surroundings, friction, integrator, start. NULL: all zero, that is the robot
    // alone, with Euler's method. An integrator.step of 0 is one step for Euler and RK4. Of no use
    // here, and ignored: duration, record and record_every, resume, checkpoint and impacts. Its
    // robot may be NULL. The struct, its surroundings, q, qd and `followed` are copied; controller,
    // trajectories, tables and heights must outlive the simulation, and a controller serves one
    // simulation at a time.
    const arne_simulation_spec *spec;
} arne_simulation_options;

// A robot on its way through time. It belongs to one thread at a time.
typedef struct arne_simulation arne_simulation;

ARNE_BEGIN

// The robot must outlive it. All memory is allocated here. options may be NULL.
//
// ARNE_VALUE, ARNE_UNSUPPORTED and others if arne_simulate would refuse the spec; ARNE_LOOP_OPEN if
// loops are open at the start.
ARNE_API ARNE_CHECKED arne_status arne_simulation_new(const arne_robot              *robot,
                                                      const arne_simulation_options *options,
                                                      arne_simulation **out, arne_error *error);
ARNE_API void                     arne_simulation_free(arne_simulation *simulation);

// Takes `count` steps, with these torques from now on until the last of them ends.
//
// tau   v_count torques, which act within the limits of the robot's motors: that of an elastic
//       joint acts on its motor, those of a free base are ignored. They take the place of the
//       controller. NULL: the torques of the spec's controller, or none
// cost  allocates nothing (CVODE and IDA do)
//
// ARNE_VALUE if a torque is not finite (the error names the joint), if count is negative, or if
// torques are given while the reference drives; nothing has changed then. ARNE_STOPPED if a joint
// reached a limit and the spec says ARNE_LIMITS_STOP, or if its stop function says so: the
// simulation is where that happened. ARNE_DIVERGED, ARNE_SINGULAR or the status of a controller if
// a step fails: the simulation is at the last good state.
ARNE_API ARNE_CHECKED arne_status arne_simulation_step(arne_simulation *simulation,
                                                       const double *tau, int count,
                                                       arne_error *error);

// The same on to a time, which may lie anywhere ahead: for a caller whose steps are not all equal.
// Steps of arne_simulation_step count from there. ARNE_VALUE if the time is past or not finite.
ARNE_API ARNE_CHECKED arne_status arne_simulation_advance(arne_simulation *simulation,
                                                          const double *tau, double until,
                                                          arne_error *error);

// What the controller holds from now on, where the spec has no reference: q (q_count) and qd
// (v_count, NULL: zero), which is the start until it is set. ARNE_VALUE if there is a reference, or
// a number is not finite.
ARNE_API ARNE_CHECKED arne_status arne_simulation_set_target(arne_simulation *simulation,
                                                             const double *q, const double *qd,
                                                             arne_error *error);

// Back to time 0, as if the simulation had just been made with this start: q (q_count) and qd
// (v_count), NULL: as the spec says (q alone: at rest). If it fails (numbers that are not finite,
// open loops), nothing has changed.
ARNE_API ARNE_CHECKED arne_status arne_simulation_reset(arne_simulation *simulation,
                                                        const double *q, const double *qd,
                                                        arne_error *error);

// Its robot, the time that was reached, and that of a step.
ARNE_API const arne_robot *arne_simulation_robot(const arne_simulation *simulation);
ARNE_API double            arne_simulation_time(const arne_simulation *simulation);
ARNE_API double            arne_simulation_step_time(const arne_simulation *simulation);
// Where it stands: q_count, v_count and v_count numbers, which belong to the simulation and change
// with the next step. The torques are those that the last step applied, limits included.
ARNE_API const double *arne_simulation_q(const arne_simulation *simulation);
ARNE_API const double *arne_simulation_qd(const arne_simulation *simulation);
ARNE_API const double *arne_simulation_tau(const arne_simulation *simulation);

// Energies now, and the work that everything that is not conservative has done since the start:
// kinetic + potential - work is constant. Each may be NULL.
ARNE_API void arne_simulation_energy(arne_simulation *simulation, double *kinetic,
                                     double *potential, double *work);

// Writes the places where something touches, at most `room` of them, and returns how many there
// are. Forces of compliant contact are those of this state; of rigid contact the mean over the last
// inner step, impacts included, and none before the first step. out may be NULL if room is 0.
ARNE_API int arne_simulation_contacts(arne_simulation *simulation, arne_touch *out, int room);

// Writes the force on every contact of the robot, in the world's axes, summed over all places where
// it touches: contact_count x 3.
ARNE_API void arne_simulation_contact_forces(arne_simulation *simulation, double *out);

// What it has met so far: time, steps and rates of the integrator, limits, and the figures of loops
// and rigid contact. What belongs to rows (errors, the energy residual) is zero.
ARNE_API void arne_simulation_summarise(const arne_simulation   *simulation,
                                        arne_simulation_summary *out);

// ---- the state as a block of numbers ----

// All that decides how the simulation goes on: time, q and qd, torques, joints that stick, impulses
// from which rigid contact starts, memory of the integrator and of the controllers. A simulation of
// the same robot (also with another payload) and spec that is given a state goes on with the same
// numbers, bit for bit. CVODE and IDA start anew where they stand, and controllers of the caller's
// own (arne_controller_callback) keep their memory themselves.
//
// The number of doubles; the same for the whole life of a simulation.
ARNE_API size_t arne_simulation_state_size(const arne_simulation *simulation);
// Writes them.
ARNE_API void arne_simulation_state(arne_simulation *simulation, double *out);
// ARNE_VALUE if the numbers are not the state of such a simulation: nothing has changed then.
ARNE_API ARNE_CHECKED arne_status arne_simulation_set_state(arne_simulation *simulation,
                                                            const double *state, arne_error *error);

ARNE_END

// ---- many worlds ----

// The same robot many times, each in a world of its own; all arrays are row by row, a row for each
// world.
typedef struct arne_simulations_options {
    size_t size;    // of this struct, or 0: see arne/types.h
    double step;    // as in arne_simulation_options
    int    threads; // including the caller's; 0: one for each processor
    // Of all worlds, as in arne_simulation_options; its controller must be NULL.
    const arne_simulation_spec *spec;
    // Of each world; NULL: as the robot and the spec say.
    const double       *q, *qd;   // where it starts; q alone: at rest
    const double       *kp, *kd;  // gains of a PD controller (arne_controller_pd); kd alone too
    const double       *friction; // of all its grounds
    const arne_vec3    *gravity;
    const arne_payload *payload; // on this frame
    int                 payload_frame;
} arne_simulations_options;

typedef struct arne_simulations arne_simulations;

ARNE_BEGIN

// `count` worlds; the robot must outlive them. All memory is allocated and all threads are started
// here. options may be NULL. An error of a world names it.
ARNE_API ARNE_CHECKED arne_status arne_simulations_new(const arne_robot *robot, int count,
                                                       const arne_simulations_options *options,
                                                       arne_simulations **out, arne_error *error);
ARNE_API void                     arne_simulations_free(arne_simulations *worlds);

// arne_simulation_step in all worlds, on all threads; tau has a row for each world, NULL: the
// torques of the controllers, or none. Results do not depend on the number of threads.
//
// A world that fails (a torque that is not finite, a step that diverges) is where
// arne_simulation_step leaves it; all others have taken their steps. The status and the error are
// those of the first such world, which the error names; arne_simulations_status has all of them.
ARNE_API ARNE_CHECKED arne_status arne_simulations_step(arne_simulations *worlds, const double *tau,
                                                        int steps, arne_error *error);
// arne_simulation_set_target and arne_simulation_reset in those worlds whose entry of mask (NULL:
// in all) is not zero. q and qd have a row for each world, also for those that are left out.
ARNE_API ARNE_CHECKED arne_status arne_simulations_set_target(arne_simulations    *worlds,
                                                              const unsigned char *mask,
                                                              const double *q, const double *qd,
                                                              arne_error *error);
ARNE_API ARNE_CHECKED arne_status arne_simulations_reset(arne_simulations    *worlds,
                                                         const unsigned char *mask, const double *q,
                                                         const double *qd, arne_error *error);

// How many, and one of them, for all that can be asked of it. Do not step it by itself: the arrays
// below would not know.
ARNE_API int              arne_simulations_count(const arne_simulations *worlds);
ARNE_API arne_simulation *arne_simulations_world(const arne_simulations *worlds, int world);
// What the last call did in a world.
ARNE_API arne_status arne_simulations_status(const arne_simulations *worlds, int world);

// The states of all worlds: count x q_count, count x v_count, count. They belong to the worlds, are
// always at the same address and change with every call.
ARNE_API const double *arne_simulations_q(const arne_simulations *worlds);
ARNE_API const double *arne_simulations_qd(const arne_simulations *worlds);
ARNE_API const double *arne_simulations_time(const arne_simulations *worlds);
// Writes the force on every contact of the robot, in the world's axes, summed over all places where
// it touches: count x contact_count x 3. See arne_simulation_contacts.
ARNE_API void arne_simulations_forces(arne_simulations *worlds, double *out);

// States of all worlds as numbers, count x arne_simulation_state_size of one of them.
ARNE_API void                     arne_simulations_state(arne_simulations *worlds, double *out);
ARNE_API ARNE_CHECKED arne_status arne_simulations_set_state(arne_simulations *worlds,
                                                             const double     *state,
                                                             arne_error       *error);

ARNE_END

#endif
