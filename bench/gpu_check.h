// States, and what the library's functions for one state say of them: every kernel is held against
// these.
#ifndef BENCH_GPU_CHECK_H
#define BENCH_GPU_CHECK_H

#include "gpu_generated.h"
#include <arne/arne.h>
#include <vector>

constexpr size_t TILE = 4096; // different states; state s of a run is state s % TILE of these
constexpr int    STEPS = 10;  // of a rollout
constexpr double DT = 1e-3;

const arne_robot *bench_robot();
int               bench_frame();         // whose pose is asked for
int operations(bench_function function); // per evaluation in generated code; 0: unknown
int output_count(bench_function function);
int output_rows(bench_function function); // of each

class truth
{
  public:
    truth();
    ~truth();
    truth(const truth &) = delete;
    truth &operator=(const truth &) = delete;

    // Input i of a function, TILE numbers for each of JOINTS rows. NULL where it has fewer inputs.
    const double *input(bench_function function, int i) const;

    // The largest error of states first, first + 1, ..., whose outputs are columns of x, output
    // after output. Relative to the largest number of a state's output, or 1; of forward dynamics
    // the error in torque.
    double error(bench_function function, const double *x, size_t states, size_t first) const;

  private:
    std::vector<double> tile_[4]; // q, qd, qdd, tau
    std::vector<double> wanted_[FUNCTION_COUNT];
    arne_work          *work_ = nullptr;

    void   column(int i, size_t s, double *x) const;
    void   compute(bench_function function, size_t s, double *x) const;
    double torque_error(const double *qdd, size_t s) const;
};

#endif
