// MuJoCo's equality constraints are soft, and approach ours as they stiffen: tenfold per tenfold,
// twice.
#include "loops.h"
#include "models.h"
#include "oracle.h"

#include <arne/arne.h>
#include <cmath>
#include <cstdio>

namespace
{

// At rest, since MuJoCo leaves out how the constraint's Jacobian turns.
double difference(const arne_robot *robot, double softness)
{
    const int                 count = 10;
    const std::vector<double> states = peers::five_bar_states(robot, count, false);
    const auto                twin = peers::five_bar_in_mujoco(robot, 1 - softness);
    arne_work                *work = nullptr;
    arne_loop_work           *loop = nullptr;
    double                    worst = 0, qdd[4];
    bool                      fine =
        arne_work_new(robot, &work) == ARNE_OK && arne_loop_work_new(robot, &loop) == ARNE_OK;
    for (int i = 0; i < count && fine; i++) {
        const double *s = &states[static_cast<size_t>(12 * i)];
        fine = arne_loop_forward_dynamics(robot, work, loop, s, s + 4, s + 8, nullptr, nullptr, qdd,
                                          nullptr) == ARNE_OK;
        const double *theirs = twin->accelerations(s, s + 4, s + 8);
        for (int k = 0; k < 4; k++)
            worst = std::fmax(worst, std::fabs(theirs[k] - qdd[k]));
    }
    arne_loop_work_free(loop);
    arne_work_free(work);
    return fine ? worst : NAN;
}

} // namespace

int main()
{
    const std::string path = peers::find_robot_file(oracle::robots_folder(), "five_bar");
    const auto        robot = peers::read_robot(path, {});
    const double      soft[3] = {1e-2, 1e-3, 1e-4};
    double            apart[3];
    int               bad = 0;
    for (int i = 0; i < 3; i++) {
        apart[i] = difference(robot.get(), soft[i]);
        std::printf("impedance 1 - %.0e: accelerations %.3g rad/s^2 apart\n", soft[i], apart[i]);
        const double fall = i ? apart[i - 1] / apart[i] : 10;
        bad += !(fall > 8 && fall < 12);
    }
    return bad > 0;
}
