// The C++ header as a user includes it, with and without Eigen.
#include <arne/arne.hpp>
#include <array>
#include <cmath>
#include <cstdio>

static int failures;
#define CHECK(condition)                                                                           \
    if (!(condition)) failures++, std::printf("line %d: %s\n", __LINE__, #condition)

int main(int, char **argv)
{
    arne::Robot  robot(argv[1]);
    const auto   n = static_cast<std::size_t>(robot.v_count());
    arne::Vector q = robot.neutral(), qd = q, qdd = q;
    for (std::size_t i = 0; i < n; i++)
        q[i] = 0.1 * static_cast<double>(i) - 0.2, qd[i] = 0.3, qdd[i] = -0.5;
    const arne::Vector tau = robot.inverse_dynamics(q, qd, qdd);
    const arne::Vector back = robot.forward_dynamics(q, qd, tau);
    for (std::size_t i = 0; i < n; i++)
        CHECK(std::fabs(back[i] - qdd[i]) < 1e-9);

    arne::Robot         copy = robot;
    std::vector<double> own(q.data(), q.data() + q.size()), out(n);
    copy.inverse_dynamics(own, qd, qdd, out);
    for (std::size_t i = 0; i < n; i++)
        CHECK(out[i] == tau[i]);
    const auto M = robot.mass_matrix(q);
    const auto d = robot.inverse_dynamics_derivatives(q, qd, qdd);
    for (int i = 0; i < robot.v_count(); i++)
        for (int k = 0; k < robot.v_count(); k++)
            CHECK(std::fabs(M(i, k) - d.dqdd(i, k)) < 1e-12);
    CHECK(robot.jacobian(q, "link6").rows() == 6);

    try {
        robot.gravity(std::array<double, 2>{0, 0});
        CHECK(!"a short q was taken");
    } catch (const arne::Error &e) {
        CHECK(e.status() == ARNE_VALUE && std::string(e.what()).find("q has 2") == 0);
    }
    try {
        arne::Robot none("/nowhere/robot.urdf");
        CHECK(!"a missing file was read");
    } catch (const arne::Error &e) {
        CHECK(std::string(e.what()).find("/nowhere/robot.urdf") != std::string::npos);
    }
    return failures ? 1 : 0;
}
