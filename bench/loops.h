// Closed chains: Arne and MuJoCo on the same five-bar.
#ifndef ARNE_BENCH_LOOPS_H
#define ARNE_BENCH_LOOPS_H

#include "measure.h"

#include <memory>

namespace peers
{

// MuJoCo's accelerations of robots/five_bar. Its loop is a soft constraint: with an impedance of 1
// it would be rigid, and MuJoCo goes up to 0.9999. 0: its default.
class five_bar_twin
{
  public:
    virtual ~five_bar_twin() = default;
    virtual const double *accelerations(const double *q, const double *qd, const double *tau) = 0;
};
std::unique_ptr<five_bar_twin> five_bar_in_mujoco(const arne_robot *robot, double impedance);

// `count` closed states of the five-bar, in rows of q, qd, tau (4 numbers each); at rest where
// `moving` is false.
std::vector<double> five_bar_states(const arne_robot *robot, int count, bool moving);

// Prints times of closed chains; folder is that of the robot files.
void print_loops(const std::string &folder, effort e);

} // namespace peers

#endif
