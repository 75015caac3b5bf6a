// Contact: shapes of a robot's links (arne_robot_contact) against surfaces of the world and against
// each other.
//
// There are two models. Compliant: a normal force that grows with the penetration (Hunt and
// Crossley 1975) and regularised Coulomb friction; it acts like any other wrench and works with
// every integrator. Rigid: non-penetration, Coulomb's cone, restitution, joint limits and joint
// friction as conditions on the velocity at the end of a step of fixed size (Moreau 1988).
#ifndef ARNE_CONTACT_H
#define ARNE_CONTACT_H

#include <arne/derivatives.h>
#include <arne/robot.h>
#include <arne/status.h>

typedef enum arne_contact_model {
    ARNE_CONTACT_RIGID,
    ARNE_CONTACT_COMPLIANT,
    ARNE_CONTACT_MODEL_COUNT
} arne_contact_model;

// A plane, or a height field over the plane z = 0.
typedef struct arne_surface {
    arne_contact_model model;
    arne_vec3          point, normal; // of a plane, in the world; a normal of zeros: (0, 0, 1)
    double             friction, restitution;
    // Compliant: f = stiffness d^1.5 (1 + 1.5 dissipation dd/dt) at the penetration d; friction
    // reaches 71 % of its limit at the slip velocity. Defaults for 0: a stiffness with which the
    // robot's weight on one point penetrates by 1 mm; 1 - restitution [s/m]; 1e-3 m/s.
    double stiffness, dissipation, slip_velocity;
    int    no_pairs; // spheres and capsules of different links do not touch each other
    // A height field: z at corner + (column spacing_x, row spacing_y), bilinear between, none
    // outside. NULL: a plane.
    const double *heights; // rows x columns
    int           rows, columns;
    double        corner[2], spacing[2];
} arne_surface;

// A point where a shape touches, or nearly touches.
typedef struct arne_touch {
    int       contact; // of the robot
    int       feature; // which of its points: a corner, an end
    int       other;   // the other contact, where two links touch; -1: a surface
    int       surface; // whose friction applies
    arne_vec3 point;   // in the world
    arne_vec3 normal;  // towards the contact's link
    double    gap;     // negative: penetration
    arne_vec3 force;   // on the contact's link, in the world; rigid: the mean over the last step
} arne_touch;

// A robot among surfaces. It belongs to one thread; all memory is allocated when it is made.
typedef struct arne_world arne_world;

// A frame that is held in place: its origin only, or also its orientation (a foot that stands
// flat).
typedef struct arne_held {
    int       frame;
    int       full;       // it does not rotate either
    int       unilateral; // it may lift off along the normal; contact forces only push
    double    friction;   // if unilateral: the coefficient of its friction cone; negative: no cone
    arne_vec3 normal;     // in the world; zeros: (0, 0, 1)
} arne_held;

// Held frames, and the memory for computations with them. It belongs to one thread.
typedef struct arne_holding arne_holding;

ARNE_BEGIN

// "rigid", "compliant"; NULL if there is no such model.
ARNE_API const char *arne_contact_model_name(arne_contact_model model);

// The robot must outlive the world; surfaces are copied, heights are not. All surfaces are of one
// model.
ARNE_API ARNE_CHECKED arne_status arne_world_new(const arne_robot   *robot,
                                                 const arne_surface *surfaces, int surface_count,
                                                 arne_world **out, arne_error *error);
ARNE_API void                     arne_world_free(arne_world *world);

// Finds the points where something touches or is nearer than `within`, at the state of the work's
// kinematics (arne_kinematics). Returns their number; arne_world_touch returns each of them.
ARNE_API int        arne_world_find(arne_world *world, arne_work *work, double within);
ARNE_API int        arne_world_touch_count(const arne_world *world);
ARNE_API arne_touch arne_world_touch(const arne_world *world, int index);

// Adds the forces of all surfaces to f_ext (body_count wrenches), at the state of the work's
// kinematics with velocities; for the rigid model, those of its last step. Returns the power of
// these forces.
ARNE_API double arne_world_press(arne_world *world, arne_work *work, arne_wrench *f_ext);

// A plane of the compliant model as numbers: point, unit normal, friction, stiffness, dissipation,
// slip velocity, with defaults filled in. This is the argument `ground` of arne_ground_dynamics,
// batches, GPUs and generated code. ARNE_UNSUPPORTED for height fields and rigid surfaces,
// ARNE_VALUE as arne_world_new.
ARNE_API ARNE_CHECKED arne_status arne_surface_ground(const arne_robot   *robot,
                                                      const arne_surface *surface,
                                                      double ground[10], arne_error *error);

// Forward dynamics on a plane of compliant ground, whose forces act in addition to f_ext (NULL:
// none): M qdd + c = tau + J^T f(q, qd). ground: the ten numbers of arne_surface_ground. forces:
// three numbers for each contact shape of the robot, in the world's axes; may be NULL. Contact
// between links is ignored here.
//
// cost    O(bodies + points of shapes); allocates nothing. ARNE_SINGULAR as forward dynamics
ARNE_API ARNE_CHECKED arne_status arne_ground_dynamics(const arne_robot *robot, arne_work *work,
                                                       const double *q, const double *qd,
                                                       const double *tau, const double *ground,
                                                       const arne_wrench *f_ext, double *qdd,
                                                       double *forces, arne_error *error);

// One step of length h of the rigid model: q and qd are replaced by the state after the step, under
// constant torques and wrenches (NULL: none). Joint limits and Coulomb friction of joints are part
// of the model. Afterwards arne_world_touch returns the contacts and their mean forces.
//
// cost    forward dynamics once, O(bodies) for each row, and the solution; allocates nothing
//         after a call with as many contacts. ARNE_VALUE if the surfaces are compliant,
//         ARNE_SINGULAR and with loops ARNE_LOOP_SINGULAR as forward dynamics
ARNE_API ARNE_CHECKED arne_status arne_world_step(arne_world *world, arne_work *work,
                                                  const double *tau, const arne_wrench *f_ext,
                                                  double h, double *q, double *qd,
                                                  arne_error *error);

// ---- frames that are held ----

// The robot must outlive it.
ARNE_API ARNE_CHECKED arne_status arne_holding_new(const arne_robot *robot, const arne_held *held,
                                                   int count, arne_holding **out,
                                                   arne_error *error);
ARNE_API void                     arne_holding_free(arne_holding *holding);

// Forward dynamics with held frames: M qdd + c = tau + J^T f with accelerations J qdd + dJ/dt qd =
// 0 of what is held; of a unilateral frame a_n >= 0, f_n >= 0, a_n f_n = 0, f in the cone and, on
// the cone, a_t against f_t.
//
// forces  one wrench per held frame, on its link, at its origin, in the world's axes; of a point
//         without moment. If the forces are not unique, those of
//         bilateral frames have the least sum of squares
// residual  the largest violation of the conditions on accelerations; may be NULL
// cost    O(bodies) for each row, and the solution; allocates nothing once it was called.
//         ARNE_SINGULAR as forward dynamics
ARNE_API ARNE_CHECKED arne_status arne_contact_dynamics(arne_holding *holding, arne_work *work,
                                                        const double *q, const double *qd,
                                                        const double *tau, const arne_wrench *f_ext,
                                                        double *qdd, arne_wrench *forces,
                                                        double *residual, arne_error *error);

// Results of arne_contact_dynamics_derivatives; any may be NULL.
typedef struct arne_contact_derivatives {
    double      *qdd;                                     // v_count
    arne_wrench *forces;                                  // one per held frame
    double      *dqdd_dq, *dqdd_dqd, *dqdd_dtau;          // v_count x v_count
    double      *dforces_dq, *dforces_dqd, *dforces_dtau; // 6 rows per held frame x v_count
} arne_contact_derivatives;

// Derivatives of accelerations and forces of arne_contact_dynamics (with loads for f_ext) where
// contacts stay as they are: those that hold go on holding, those that slide go on sliding and
// those that are open stay open. At a transition between these states the derivatives are those of
// one side.
//
// cost    the derivatives of inverse dynamics and of the held frames, and dense products of
//         velocities and rows; allocates. ARNE_SINGULAR as forward dynamics, and if the
//         constraints of the held frames are redundant
ARNE_API ARNE_CHECKED arne_status arne_contact_dynamics_derivatives(
    arne_holding *holding, arne_work *work, const double *q, const double *qd, const double *tau,
    const arne_load *loads, int load_count, const arne_contact_derivatives *out, arne_error *error);

// Inverse dynamics with held frames: the contact forces with the least sum of squares (of forces
// and moments in SI units), inside the friction cones, for which coordinates without a drive (a
// free base, passive joints) need no torque; and the torques of all others.
//
// ARNE_NOT_CONVERGED if no such forces exist: tau and forces are then the nearest ones.
ARNE_API ARNE_CHECKED arne_status arne_contact_inverse_dynamics(
    arne_holding *holding, arne_work *work, const double *q, const double *qd, const double *qdd,
    const arne_wrench *f_ext, double *tau, arne_wrench *forces, arne_error *error);

ARNE_END

#endif
