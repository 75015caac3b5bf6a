// The quadruped stands on the ground and sways: MuJoCo's soft contacts, stiffened tenfold and
// tenfold again, come to what our rigid ones do.
#include "contact.h"
#include "oracle.h"

int main()
{
    const double           step = 5e-5;
    const int              steps = 2000;
    const std::string      path = peers::find_robot_file(oracle::robots_folder(), "quadruped");
    const peers::robot_ptr robot = peers::read_robot(path, peers::plain_options());
    const peers::stance    where = peers::quadruped_stance(robot.get());
    peers::standing        ours(robot.get(), where, step);
    for (int i = 0; i < steps; i++)
        ours.advance();
    double before = INFINITY;
    int    bad = 0;
    for (int i = 0; i < 3; i++) {
        peers::mujoco_ground how;
        how.stiffness = 1e3 * std::pow(10, i);
        how.softness = 0.1 * std::pow(10, -i);
        const std::vector<double> q = peers::mujoco_after(robot.get(), where, step, steps, how);
        double                    apart = 0;
        for (int k = 0; k < 3; k++)
            apart = std::max(apart, std::fabs(q[static_cast<size_t>(k)] - ours.q()[k]));
        std::printf("stiffness %.0e 1/s^2, softness %.0e: the trunk is %.2e m from ours\n",
                    how.stiffness, how.softness, apart);
        bad += !(apart < 0.2 * before);
        before = apart;
    }
    return bad ? 1 : 0;
}
