// A leg from the point that it must reach, in its own frame.
//
// A universal joint turns z by Ry(q0) Rx(q1), to (sin q0 cos q1, -sin q1, cos q0 cos q1).
#include "robot/leg.h"
#include <math.h>
#include <string.h>

static const double turn = 6.28318530717958647692;

const char *arne_leg_kind_name(arne_leg_kind kind)
{
    static const char *const names[ARNE_LEG_KIND_COUNT] = {"none", "chain", "UPS", "SPS",
                                                           "RUS",  "PUS",   "RRR", "UPU"};
    return (int)kind >= 0 && kind < ARNE_LEG_KIND_COUNT ? names[kind] : "unknown";
}

int leg_coordinates(arne_leg_kind kind)
{
    if (kind <= ARNE_LEG_CHAIN || kind >= ARNE_LEG_KIND_COUNT) return 0;
    return kind == ARNE_LEG_RRR ? 2 : 3;
}

static double unwound(double angle, double seed)
{
    return angle - turn * round((angle - seed) / turn);
}

// The angles that turn z along d. Each direction has two pairs of them: that on the seed's side.
static void leg_aim(arne_vec3 d, double *q)
{
    const double side = cos(q[1]) < 0 ? -1 : 1;
    const double across = side * sqrt(d.x * d.x + d.z * d.z);
    q[0] = unwound(atan2(side * d.x, side * d.z), q[0]);
    q[1] = unwound(atan2(-d.y, across), q[1]);
}

static int solve_length(arne_vec3 d, double *q)
{
    const double length = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    if (!(length > 0) || !isfinite(length)) return 0;
    leg_aim(d, q);
    q[2] = length;
    return 1;
}

// The angle at which a crank's end, from (x, y) towards (cos, sin), is a rod's length from (x, y,
// off the plane).
static int crank_angle(double x, double y, double off, double crank, double rod, int bend,
                       double seed, double *angle)
{
    const double far = sqrt(x * x + y * y);
    const double cosine = (far * far + off * off + crank * crank - rod * rod) / (2 * crank * far);
    if (!(fabs(cosine) <= 1)) return 0;
    const double middle = atan2(y, x), half = acos(cosine);
    const double larger = unwound(middle + half, seed), smaller = unwound(middle - half, seed);
    if (bend == 0) bend = fabs(larger - seed) <= fabs(smaller - seed) ? 1 : -1;
    *angle = bend > 0 ? larger : smaller;
    return 1;
}

static int solve_RUS(const arne_leg *leg, arne_vec3 p, int bend, double *q)
{
    double angle = 0; // from x towards -z
    if (!crank_angle(p.x, -p.z, p.y, leg->crank, leg->rod, bend, q[0], &angle)) return 0;
    const double    c = cos(angle), s = sin(angle);
    const arne_vec3 d = {c * p.x - s * p.z - leg->crank, p.y, s * p.x + c * p.z};
    q[0] = angle;
    leg_aim(d, q + 1);
    return 1;
}

static int solve_PUS(const arne_leg *leg, arne_vec3 p, int bend, double *q)
{
    const arne_vec3 s = leg->slide;
    const double    along = p.x * s.x + p.y * s.y + p.z * s.z;
    const double    square = p.x * p.x + p.y * p.y + p.z * p.z;
    const double    left = along * along - square + leg->rod * leg->rod;
    if (!(left >= 0)) return 0;
    if (bend == 0) bend = q[0] >= along ? 1 : -1;
    q[0] = along + bend * sqrt(left);
    const arne_vec3 d = {p.x - q[0] * s.x, p.y - q[0] * s.y, p.z - q[0] * s.z};
    leg_aim(d, q + 1);
    return 1;
}

static int solve_RRR(const arne_leg *leg, arne_vec3 p, int bend, double *q)
{
    double angle = 0;
    if (!crank_angle(p.x, p.y, 0, leg->crank, leg->rod, bend, q[0], &angle)) return 0;
    const double c = cos(angle), s = sin(angle);
    q[0] = angle;
    q[1] = unwound(atan2(c * p.y - s * p.x, c * p.x + s * p.y - leg->crank), q[1]);
    return 1;
}

int leg_solve(const arne_leg *leg, arne_vec3 point, int bend, double *q)
{
    switch (leg->kind) {
    case ARNE_LEG_UPS:
    case ARNE_LEG_SPS:
    case ARNE_LEG_UPU:
        return solve_length(point, q);
    case ARNE_LEG_RUS:
        return solve_RUS(leg, point, bend, q);
    case ARNE_LEG_PUS:
        return solve_PUS(leg, point, bend, q);
    case ARNE_LEG_RRR:
        return solve_RRR(leg, point, bend, q);
    default:
        return 0;
    }
}
