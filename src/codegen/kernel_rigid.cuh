// The rigid model in a kernel: conditions on the velocities at the end of a step of length h, with
// J and M as at its beginning.
//
//     v+ = v + h M^-1 (tau - c) + M^-1 J^T p
//     v_n+ + gap / h >= 0,  p_n >= 0,  their product 0;  |p_t| <= mu p_n, and p_t against v_t+
//
// for every point, and likewise for joint limits and dry friction. Gauss-Seidel over the rows, with
// the impulses of the step before to start from: along the normal exactly, across by a step that is
// projected on the disc of radius mu p_n. Where the sweeps come to rest, Coulomb's law holds.
// Penetration is led back by PUSH_OUT of it in a step.
//
// Constants before: NP points, NC coordinates, NR rows, and their tables.

#define PUSH_OUT (real)0.2

struct impulses {
    real p[NR], stop[NC + 1], dry[NC + 1];
};

// K has its rows up to the diagonal.
static __device__ __forceinline__ real entry(const real *K, int i, int j)
{
    return i >= j ? K[i * (i + 1) / 2 + j] : K[j * (j + 1) / 2 + i];
}

static __device__ __forceinline__ real row_velocity(const real *K, const real *u, const real *p,
                                                    int i)
{
    real sum = u[i];
    EACH(j, NR) sum += entry(K, i, j) * p[j];
    return sum;
}

// The velocity that closes a gap in a step; of a penetration, that leads out of it.
static __device__ __forceinline__ real closing(real gap, real h)
{
    return (gap > 0 ? gap : PUSH_OUT * gap) / h;
}

static __device__ __forceinline__ void solve_point(const real *K, const real *u, real mu, int i,
                                                   impulses &s)
{
    const int  n = 3 * i;
    const real k = entry(K, n, n), k1 = entry(K, n + 1, n + 1), k2 = entry(K, n + 2, n + 2);
    const real between = entry(K, n + 2, n + 1), apart = (real)0.5 * (k1 - k2);
    const real across = (real)0.5 * (k1 + k2) + real_sqrt(apart * apart + between * between);
    if (!(k > 0) || !(across > 0)) return; // nothing moves that could be stopped
    const real along = s.p[n] - row_velocity(K, u, s.p, n) / k;
    s.p[n] = along > 0 ? along : 0;
    const real x = s.p[n + 1] - row_velocity(K, u, s.p, n + 1) / across;
    const real y = s.p[n + 2] - row_velocity(K, u, s.p, n + 2) / across;
    const real most = mu * s.p[n], size = x * x + y * y;
    const real part = size > most * most ? most / real_sqrt(size) : (real)1;
    s.p[n + 1] = part * x;
    s.p[n + 2] = part * y;
}

// side: 1 where the lower limit is nearer, -1: the upper one.
static __device__ __forceinline__ void solve_coordinate(const real *K, const real *u, real side,
                                                        real lead, real h, int c, impulses &s)
{
    const int  i = 3 * NP + c;
    const real k = entry(K, i, i);
    if (!(k > 0)) return;
    real       v = row_velocity(K, u, s.p, i);
    const real held = side * s.stop[c] - (side * v + lead) / k;
    const real stop = side * (held > 0 ? held : 0);
    v += k * (stop - s.stop[c]);
    const real least = -h * POSITIVE[c], most = h * NEGATIVE[c], sticks = s.dry[c] - v / k;
    const real dry = sticks < least ? least : sticks > most ? most : sticks;
    s.p[i] = stop + dry;
    s.stop[c] = stop;
    s.dry[c] = dry;
}

// From the plane under a point: the gap, and the normal with one direction across.
static __device__ __forceinline__ real take_frame(const real *p, real radius, real *plane)
{
    const vec  n = make(plane[3], plane[4], plane[5]);
    const real gap =
        n.x * (p[0] - plane[0]) + n.y * (p[1] - plane[1]) + n.z * (p[2] - plane[2]) - radius;
    const int  by_x = n.x < (real)0.7 && n.x > (real)-0.7;
    const real along = by_x ? n.x : n.y;
    vec        a = make((by_x ? 1 : 0) - along * n.x, (by_x ? 0 : 1) - along * n.y, -along * n.z);
    const real scale = 1 / real_sqrt(square(a));
    plane[0] = n.x;
    plane[1] = n.y;
    plane[2] = n.z;
    plane[3] = scale * a.x;
    plane[4] = scale * a.y;
    plane[5] = scale * a.z;
    return gap;
}

// Accelerations over a step, with all impulses.
static __device__ __forceinline__ void rigid_accelerate(const world &w, const real *q,
                                                        const real *qd, real *tau, real h,
                                                        int sweeps, impulses &s, real *a)
{
    real places[3 * NP], planes[6 * NP], u[NR], rate[NR], K[NR * (NR + 1) / 2], forces[3 * NP];
    real side[NC + 1], lead[NC + 1];
    generated_places(q, places);
    EACH(c, NC) tau[AT_V[c]] += qd[AT_V[c]] > 0 ? POSITIVE[c] : qd[AT_V[c]] < 0 ? -NEGATIVE[c] : 0;
    real gap[NP];
    EACH(i, NP)
    {
        plane_under(w, places + 3 * i, planes + 6 * i);
        gap[i] = take_frame(places + 3 * i, RADIUS[i], planes + 6 * i);
    }
    rows_of(w, q, qd, tau, planes, u, rate, K);
    EACH(i, NR) u[i] += h * rate[i];
    EACH(i, NP) u[3 * i] += closing(gap[i], h);
    EACH(c, NC)
    {
        const real below = q[AT_Q[c]] - LOWER[c], above = UPPER[c] - q[AT_Q[c]];
        side[c] = below < above ? 1 : -1;
        lead[c] = closing(below < above ? below : above, h);
    }
    _Pragma("unroll 1") for (int turn = 0; turn < sweeps; turn++)
    {
        EACH(i, NP) solve_point(K, u, FRICTION[i] < 0 ? w.ground[6] : FRICTION[i], i, s);
        EACH(c, NC) solve_coordinate(K, u, side[c], lead[c], h, c, s);
    }
    EACH(i, NP)
    {
        const real *n = planes + 6 * i, *p = s.p + 3 * i;
        const vec   x = make(n[0], n[1], n[2]), y = make(n[3], n[4], n[5]), z = cross(x, y);
        const vec   f = plus(plus(make(p[0] * x.x, p[0] * x.y, p[0] * x.z), p[1], y), p[2], z);
        forces[3 * i] = f.x / h;
        forces[3 * i + 1] = f.y / h;
        forces[3 * i + 2] = f.z / h;
    }
    EACH(c, NC) tau[AT_V[c]] += s.p[3 * NP + c] / h;
    push_by(w, q, qd, tau, planes, forces, a);
}
