// An arm under computed torque, by RK4 here and in MuJoCo: the two motions agree to 1e-5 over two
// seconds.
#include "oracle.h"
#include "simulate.h"

int main()
{
    int bad = 0;
    for (const char *name : {"arm6", "puma560", "arm7"}) {
        const std::string      path = peers::find_robot_file(oracle::robots_folder(), name);
        const peers::robot_ptr robot = peers::read_robot(path, peers::plain_options());
        const auto             f = peers::simulate_beside_mujoco(robot.get(), 1);
        std::printf("%s: %.2e rad apart\n", name, f.apart);
        bad += !(f.apart < 1e-5);
    }
    return bad ? 1 : 0;
}
