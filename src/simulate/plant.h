// What is integrated: the robot with its controller, friction and surroundings.
#ifndef ARNE_SIMULATE_PLANT_H
#define ARNE_SIMULATE_PLANT_H

#include "simulate/impacts.h"
#include "world/joint_friction.h"
#include <arne/builder.h>
#include <arne/derivatives.h>
#include <arne/loop.h>
#include <arne/simulate.h>

typedef struct plant {
    const arne_simulation_spec *sim;
    const arne_robot           *robot;
    arne_sizes                  sizes;
    arne_controller            *controller; // whose torques act; NULL: none
    int                samples; // it is evaluated at samples, and its torques are held between them
    arne_work         *work;
    arne_loop_work    *loop;        // NULL where there are no loops
    unsigned char     *active;      // with loops: v_count flags
    unsigned char     *follows;     // drive: reference without loops: those that follow it
    int                loose_count; // of those that do not, a free base aside
    double            *square;      // of the coordinates that follow from others: free_count^2
    int                free_count;
    double             closure;             // the largest error of the loops so far
    int                base_v;              // velocities of a free base: 6 or 0
    double            *tau;                 // of the controller, or what the reference takes
    double            *applied, *given_qdd; // what forward dynamics is asked
    double            *base_tau;  // scratch: torques found on the way to the base's wrench
    double            *rate_room; // 3 v_count + q_count numbers
    double            *q, *qd;    // with the reference put in
    double            *q_ref, *qd_ref, *qdd_ref, *qddd_ref, *qdddd_ref;
    arne_wrench       *f_ext;
    const arne_wrench *loads;   // f_ext; NULL where nothing acts
    double            *tendons; // lengths, velocities, activations (0), forces of paths; NULL: none
    double             surroundings_power;
    struct added_mass *water;           // NULL where nothing has added mass
    arne_world        *world;           // surfaces; NULL where there are none
    int                rigid;           // whether contacts are rigid
    int                bare;            // whether surroundings leave out the surfaces
    double             step_start, now; // of a step of the rigid model, and within it
    arne_vec3         *impulses;        // of it, on each contact since the last row
    impact_log         impacts;
    arne_motion        base_velocity;
    dry_joint         *dry;
    int                dry_count, stuck_count;
    unsigned char     *stuck; // v_count flags
    int               *limited;
    int                limited_count; // entries of q that have limits, by joint
    double            *block;
} plant;

// What a simulation must be, before anything is made of it (simulate.c); plant_check leaves out the
// times of a run.
ARNE_CHECKED arne_status plant_check(const arne_simulation_spec *sim, arne_error *error);
ARNE_CHECKED arne_status simulation_check(const arne_simulation_spec *sim, arne_error *error);

ARNE_CHECKED arne_status plant_new(const arne_simulation_spec *sim, plant *p, arne_error *error);
void                     plant_free(plant *p);
arne_system              plant_system(plant *p);

// Remembers how far loops are open in a configuration.
void plant_closure(plant *p, const double *q);
// A prescribed base: where it is at this time and how it moves; and the power of what holds it,
// with the wrenches of the work.
void   plant_move_base(plant *p, double time);
double plant_base_power(const plant *p);
// The reference at a time, into q_ref and so on.
void plant_reference(plant *p, double time);
// The controller's torques for this state, or zero.
ARNE_CHECKED arne_status plant_control(plant *p, double time, const double *q, const double *qd,
                                       arne_error *error);
// Accelerations and the power of all that is not conservative, as the integrator asks for them.
ARNE_CHECKED arne_status plant_rate(void *context, double time, const double *q, const double *qd,
                                    const double *z, double *qdd, double *zd, arne_error *error);

// With added mass; the first `found` accelerations are found, the others given.
ARNE_CHECKED arne_status plant_swim(plant *p, const double *q, const double *qd, int found,
                                    double *tau, double *qdd, arne_error *error);

// ---- drive: reference (reference_drive.c)

// Refuses by name what a driven reference cannot be combined with.
ARNE_CHECKED arne_status reference_check(const arne_simulation_spec *sim, int swims,
                                         arne_error *error);
// Marks the joints that follow the reference, of a robot without loops.
void reference_prepare(plant *p);
// Accelerations of what reacts and of what follows, and the torques.
ARNE_CHECKED arne_status reference_rate(plant *p, double time, const double *q, const double *qd,
                                        double *qdd, arne_error *error);
// The state of the reference, found before, of the joints that follow it without loops.
void reference_put(const plant *p, double *q, double *qd);
// After a step: joints that follow stand exactly where the reference has them.
ARNE_CHECKED arne_status reference_project(void *context, double time, double *q, double *qd,
                                           arne_error *error);
// After plant_rate has found qdd: how fast the torques change.
ARNE_CHECKED arne_status reference_torque_rate(plant *p, double time, const double *q,
                                               const double *qd, const double *qdd, double *rates,
                                               arne_error *error);

// The surfaces among the surroundings as a world; NULL where there are none.
ARNE_CHECKED arne_status surroundings_world(const arne_simulation_spec *sim, arne_world **out,
                                            arne_error *error);
// ---- steps of the rigid model (rigid_plant.c)

int plant_has_ground(const arne_simulation_spec *sim);
// Whether steps are those of the rigid model, for ground or for limits that hold, and whether all
// else goes with that.
int                      plant_is_rigid(const arne_simulation_spec *sim);
ARNE_CHECKED arne_status rigid_check(const arne_simulation_spec *sim, arne_error *error);
// Leaves sticking joints to the world's solver: dry_count is 0 afterwards.
void                     rigid_take_friction(plant *p);
void                     rigid_summary(const plant *p, arne_simulation_summary *out);
ARNE_CHECKED arne_status rigid_plant_step(void *context, double time, double h, double *q,
                                          double *qd, double *z, arne_error *error);

// The number of muscle paths if at least one is a passive tendon; else 0.
int surroundings_tendons(const arne_robot *robot);
// Surroundings and tendons: fills f_ext and their power; the work has the kinematics afterwards.
void surroundings_act(plant *p, double time, const double *q, const double *qd);
// The wrench of a push at a time, in the axes that it is given in.
arne_wrench surroundings_push_at(const arne_surrounding *s, double time);
// The first time after this one at which a constant force begins or ends; infinite: none.
double                   surroundings_change(const arne_simulation_spec *sim, double after);
ARNE_CHECKED arne_status surroundings_check(const arne_simulation_spec *sim, arne_error *error);

// Whether the speed of some friction is a combination of several coordinates.
int dry_at_several(const arne_robot *robot);
// The velocities that a controller sees: a joint that slides one way is not seen to move the other
// way by rounding, where its friction would change the sign.
const double *dry_seen(const plant *p, const double *qd);
// Changes `applied` (the controller's torques) so that forward dynamics, which has sign(qd), acts
// as the mode says.
void dry_apply(const plant *p, const double *qd);
// The friction that sticking joints need, after forward dynamics gave the torques of standing
// still.
void dry_needed(plant *p);
// Power that friction, dampers and motors take away.
double friction_power(const plant *p, const double *qd);
// Decides anew which joints stick. qd is changed: it is exactly zero where a joint sticks.
ARNE_CHECKED arne_status dry_decide(plant *p, double time, const double *q, double *qd,
                                    arne_error *error);
// Values that cross zero where a joint stops, breaks loose, or reaches a limit.
int  plant_event_count(const plant *p);
void plant_events(void *context, double time, const double *q, const double *qd, const double *z,
                  double *values);

#endif
