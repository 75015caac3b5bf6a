#include "gpu_check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "robot.inl"

const arne_robot *bench_robot()
{
    return reinterpret_cast<const arne_robot *>(
        robot_block); // a robot is one block, wherever it lies
}

int bench_frame() { return arne_robot_sizes(bench_robot()).frame_count - 1; }
int operations(bench_function f) { return f <= DERIVATIVES ? operation_counts[f] : 0; }
int output_count(bench_function f) { return f == DERIVATIVES ? 3 : f == ROLLOUT ? 2 : 1; }
int output_rows(bench_function f)
{
    return f == POSE ? 12 : f == MASS || f == DERIVATIVES ? JOINTS * JOINTS : JOINTS;
}

namespace
{

struct numbers {
    std::uint64_t state = 20240229;
    double        next(double size)
    {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return size * (2 * (double)(state >> 11) / 9007199254740992.0 - 1);
    }
};

} // namespace

truth::truth()
{
    const double sizes[3] = {3.14, 2, 3};
    numbers      random;
    if (arne_work_new(bench_robot(), &work_) || arne_robot_sizes(bench_robot()).v_count != JOINTS) {
        std::fprintf(stderr, "arne_gpu_bench: the embedded robot is not what it should be\n");
        std::exit(2);
    }
    for (int i = 0; i < 4; i++)
        tile_[i].resize(JOINTS * TILE);
    for (int i = 0; i < 3; i++)
        for (double &x : tile_[i])
            x = random.next(sizes[i]);
    for (size_t s = 0; s < TILE; s++) { // torques that give moderate accelerations
        double q[JOINTS], qd[JOINTS], qdd[JOINTS], tau[JOINTS];
        column(0, s, q);
        column(1, s, qd);
        column(2, s, qdd);
        arne_inverse_dynamics(bench_robot(), work_, q, qd, qdd, nullptr, tau);
        for (int k = 0; k < JOINTS; k++)
            tile_[3][k * TILE + s] = tau[k];
    }
    for (int f = 0; f < FUNCTION_COUNT; f++) {
        const bench_function function = (bench_function)f;
        const size_t         size = (size_t)output_count(function) * (size_t)output_rows(function);
        wanted_[f].resize(size * TILE);
        for (size_t s = 0; s < TILE; s++)
            compute(function, s, &wanted_[f][s * size]);
    }
}

truth::~truth() { arne_work_free(work_); }

void truth::column(int i, size_t s, double *x) const
{
    for (int k = 0; k < JOINTS; k++)
        x[k] = tile_[i][k * TILE + s];
}

const double *truth::input(bench_function function, int i) const
{
    if (function == POSE || function == MASS) return i ? nullptr : tile_[0].data();
    if (i == 2) return tile_[function == FORWARD || function == ROLLOUT ? 3 : 2].data();
    return tile_[i].data();
}

// Outputs of one state one after the other.
void truth::compute(bench_function function, size_t s, double *x) const
{
    const arne_robot *r = bench_robot();
    double            q[JOINTS], qd[JOINTS], qdd[JOINTS], tau[JOINTS];
    arne_status       status = ARNE_OK;
    column(0, s, q);
    column(1, s, qd);
    column(2, s, qdd);
    column(3, s, tau);
    switch (function) {
    case INVERSE:
        arne_inverse_dynamics(r, work_, q, qd, qdd, nullptr, x);
        break;
    case FORWARD:
        status = arne_forward_dynamics(r, work_, q, qd, tau, nullptr, x, nullptr);
        break;
    case MASS:
        arne_mass_matrix(r, work_, q, x);
        break;
    case DERIVATIVES:
        arne_inverse_dynamics_derivatives(r, work_, q, qd, qdd, nullptr, 0, x, x + JOINTS * JOINTS,
                                          x + 2 * JOINTS * JOINTS);
        break;
    case POSE: {
        arne_kinematics(r, work_, q, nullptr, nullptr);
        const arne_pose X = arne_frame_pose(r, work_, bench_frame());
        const arne_vec3 columns[4] = {X.R.x, X.R.y, X.R.z, X.p};
        for (int i = 0; i < 4; i++) {
            x[3 * i] = columns[i].x;
            x[3 * i + 1] = columns[i].y;
            x[3 * i + 2] = columns[i].z;
        }
        break;
    }
    default:
        for (int step = 0; step < STEPS && !status; step++) {
            status = arne_forward_dynamics(r, work_, q, qd, tau, nullptr, qdd, nullptr);
            for (int k = 0; k < JOINTS; k++) {
                qd[k] += qdd[k] * DT;
                q[k] += qd[k] * DT;
            }
        }
        std::copy(q, q + JOINTS, x);
        std::copy(qd, qd + JOINTS, x + JOINTS);
        break;
    }
    if (status) {
        std::fprintf(stderr, "arne_gpu_bench: %s\n", arne_status_text(status));
        std::exit(2);
    }
}

double truth::torque_error(const double *qdd, size_t s) const
{
    double q[JOINTS], qd[JOINTS], tau[JOINTS], made[JOINTS], worst = 0, largest = 1;
    column(0, s, q);
    column(1, s, qd);
    column(3, s, tau);
    arne_inverse_dynamics(bench_robot(), work_, q, qd, qdd, nullptr, made);
    for (int k = 0; k < JOINTS; k++) {
        const double d = std::fabs(made[k] - tau[k]);
        if (!(d <= worst)) worst = d; // not a number stays
        largest = std::max(largest, std::fabs(tau[k]));
    }
    return worst / largest;
}

double truth::error(bench_function f, const double *x, size_t states, size_t first) const
{
    const size_t rows = (size_t)output_rows(f), outputs = (size_t)output_count(f);
    double       worst = 0;
    for (size_t j = 0; j < states; j++) {
        const size_t  s = (first + j) % TILE;
        const double *want = &wanted_[f][s * rows * outputs];
        for (size_t o = 0; o < outputs; o++, want += rows) {
            double largest = 1, most = 0, qdd[JOINTS];
            for (size_t i = 0; i < rows; i++) {
                const double got = x[(o * rows + i) * states + j], d = std::fabs(got - want[i]);
                if (f == FORWARD) qdd[i] = got;
                if (!(d <= most)) most = d;
                largest = std::max(largest, std::fabs(want[i]));
            }
            const double e = f == FORWARD ? torque_error(qdd, s) : most / largest;
            if (!(e <= worst)) worst = e;
        }
        if (std::isnan(worst)) return worst;
    }
    return worst;
}
