// Inverse dynamics with its first and second rates, from the same text over numbers that carry
// their rates.
#ifndef ARNE_MECHANISM_JET_DYNAMICS_H
#define ARNE_MECHANISM_JET_DYNAMICS_H

#include <arne/robot.h>
#include <stddef.h>

size_t jet_work_size(const arne_robot *robot);
// A workspace in a block of that size, aligned to 64 bytes. The base is at rest.
void *jet_work_place(const arne_robot *robot, void *memory);

// The motion of all coordinates, which must be plain numbers: position and four derivatives. tau[k]
// is the k-th rate of the torques.
void jet_inverse_dynamics(const arne_robot *robot, void *work, const double *const path[5],
                          const arne_wrench *f_ext, double *const tau[3]);

#endif
