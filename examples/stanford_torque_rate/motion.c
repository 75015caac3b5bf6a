#include "motion.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

// What the paper prints for joint 1 at Ts = 1e-4 s, and what follows from its arm [N m/s]. They are
// 2.4 % apart: the paper's table of inertias lost a column in print, and robots/stanford.yaml fills
// it from the arm's older source.
static const double PAPER = 0.02462, EXPECTED = 0.024022, TOLERANCE = 1e-5;

// From rest to rest, with zero acceleration at both ends: s = 10 u^3 - 15 u^4 + 6 u^5 with u = t /
// T.
stanford_motion stanford_motion_at(double time)
{
    const double from[STANFORD_JOINTS] = {PI / 2, 0, 0, PI / 2, PI / 4, PI / 2};
    const double to[STANFORD_JOINTS] = {PI / 4, PI / 2, 2, PI / 4, PI / 2, 0};
    const double T = STANFORD_SECONDS, u = time / T;

    const double    s = u * u * u * (10 - 15 * u + 6 * u * u);
    const double    ds = 30 * u * u * (1 - u) * (1 - u) / T;
    const double    dds = 60 * u * (1 - u) * (1 - 2 * u) / (T * T);
    const double    ddds = 60 * (1 - 6 * u + 6 * u * u) / (T * T * T);
    stanford_motion m;
    for (int i = 0; i < STANFORD_JOINTS; i++) {
        const double way = to[i] - from[i];
        m.q[i] = from[i] + s * way;
        m.qd[i] = ds * way;
        m.qdd[i] = dds * way;
        m.qddd[i] = ddds * way;
    }
    return m;
}

int stanford_fits(const arne_robot *robot)
{
    const arne_sizes sizes = arne_robot_sizes(robot);
    return sizes.q_count == STANFORD_JOINTS && sizes.v_count == STANFORD_JOINTS &&
           sizes.joint_count == STANFORD_JOINTS;
}

// Over all samples k Ts of the motion: the largest difference between the exact rate of joint 1 and
// the difference of its torque from the sample before, and when that is.
static double largest_difference(const arne_robot *robot, arne_work *work, double Ts, double *when)
{
    const long count = lround(STANFORD_SECONDS / Ts);
    double     before = 0, largest = 0;
    for (long k = 0; k <= count; k++) {
        const double          time = STANFORD_SECONDS * (double)k / (double)count;
        const stanford_motion m = stanford_motion_at(time);
        double                tau[STANFORD_JOINTS], rate[STANFORD_JOINTS];
        arne_torque_rate(robot, work, m.q, m.qd, m.qdd, m.qddd, NULL, 0, tau, rate);
        const double difference = fabs(rate[0] - (tau[0] - before) / Ts);
        before = tau[0];
        if (k == 0 || difference <= largest) continue;
        largest = difference;
        *when = time;
    }
    return largest;
}

int stanford_check_rates(const arne_robot *robot, arne_work *work, FILE *out)
{
    const double Ts[] = {1e-4, 1e-3, 1e-2};
    double       first = 0;
    int          fine = 1;
    fprintf(out,
            "  Largest difference between the exact rate of joint 1 and the backward difference "
            "of its torque\n\n"
            "    Ts [s]  difference [N m/s]  over Ts [N m/s^2]  at t [s]  paper [N m/s]\n");
    for (int i = 0; i < 3; i++) {
        double       when = 0;
        const double found = largest_difference(robot, work, Ts[i], &when);
        fprintf(out, "    %6g  %18.6f  %17.2f  %8.4f", Ts[i], found, found / Ts[i], when);
        if (i == 0) fprintf(out, "  %13.5f", PAPER);
        fprintf(out, "\n");
        // A backward difference is wrong by Ts / 2 times the second derivative: it grows with Ts.
        if (i == 0) {
            first = found / Ts[i];
            fine = fabs(found - EXPECTED) <= TOLERANCE;
        }
        fine = fine && fabs(found / Ts[i] / first - 1) < 1e-3;
    }
    return fine;
}
