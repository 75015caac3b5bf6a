// What air and water do to a robot: propellers, thrusters, wings, buoyancy, added mass. See
// medium.c.
#ifndef ARNE_SIMULATE_MEDIUM_H
#define ARNE_SIMULATE_MEDIUM_H

#include <arne/derivatives.h>
#include <arne/simulate.h>

// The wrench at the frame's origin, in its axes. v is the frame's twist, qd the robot's velocities.
arne_wrench medium_wrench(const arne_robot *robot, const arne_surrounding *s, double time,
                          const arne_pose *X, const arne_motion *v, const double *qd);
// The rules of these kinds; ARNE_OK for others.
ARNE_CHECKED arne_status medium_check(const arne_robot *robot, const arne_surrounding *s,
                                      arne_error *error);

// Added mass of all surroundings of a simulation, and dynamics with it.
typedef struct added_mass added_mass;

// *out is NULL where nothing has added mass. ARNE_UNSUPPORTED with loops, joints that stick, or
// rigid contact.
ARNE_CHECKED arne_status added_mass_new(const arne_simulation_spec *sim, int sticks,
                                        added_mass **out, arne_error *error);
void                     added_mass_free(added_mass *m);
// Of qdd the first `found` entries are found and of tau the others where joints follow a reference;
// with found = v_count all of qdd from tau. f_ext as for arne_forward_dynamics. *power is what the
// medium gives back of the energy of its motion.
ARNE_CHECKED arne_status added_mass_solve(added_mass *m, arne_work *work, const double *q,
                                          const double *qd, const arne_wrench *f_ext, int found,
                                          double *tau, double *qdd, double *power,
                                          arne_error *error);

#endif
