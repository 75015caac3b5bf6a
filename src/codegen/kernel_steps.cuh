// Steps along velocities in a kernel, as src/robot/joint.c has them in double. A twist leads by p =
// v + c1 w x v + c2 w x (w x v). In float 1 - cos x is lost for small x, so here c1 = 2 (sin(x/2) /
// x)^2.

struct vec {
    real x, y, z;
};

static __device__ __forceinline__ vec make(real x, real y, real z)
{
    vec a;
    a.x = x;
    a.y = y;
    a.z = z;
    return a;
}

static __device__ __forceinline__ vec cross(vec a, vec b)
{
    return make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static __device__ __forceinline__ vec plus(vec a, real c, vec b)
{
    return make(a.x + c * b.x, a.y + c * b.y, a.z + c * b.z);
}

static __device__ __forceinline__ real square(vec a) { return a.x * a.x + a.y * a.y + a.z * a.z; }

// ---- quaternions x, y, z, w ----

static __device__ __forceinline__ vec turned(const real *h, vec a)
{
    const vec v = make(h[0], h[1], h[2]), t = cross(v, a);
    return plus(plus(a, 2 * h[3], t), 2, cross(v, t));
}

static __device__ __forceinline__ void product(const real *a, const real *b, real *h)
{
    const real x = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    const real y = a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
    const real z = a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
    const real w = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
    h[0] = x;
    h[1] = y;
    h[2] = z;
    h[3] = w;
}

// sin(x / 2) / x and cos(x / 2)
static __device__ __forceinline__ void half_angle(real x, real *s, real *c)
{
    real sine;
    real_sincos((real)0.5 * x, &sine, c);
    *s = x > (real)1e-4 ? sine / x : (real)0.5 - x * x / 48;
}

static __device__ __forceinline__ vec turn_between(const real *from, const real *to)
{
    const real back[4] = {-from[0], -from[1], -from[2], from[3]};
    real       h[4];
    product(back, to, h);
    const real sign = h[3] < 0 ? (real)-1 : (real)1;
    const real s = real_sqrt(square(make(h[0], h[1], h[2])));
    const real scale = sign * (s > (real)1e-8 ? 2 * real_atan2(s, sign * h[3]) / s : (real)2);
    return make(scale * h[0], scale * h[1], scale * h[2]);
}

// ---- twists ----

static __device__ __forceinline__ vec led(vec w, vec v)
{
    const real x2 = square(w), x = real_sqrt(x2);
    real       s, c, sine, cosine;
    half_angle(x, &s, &c);
    real_sincos(x, &sine, &cosine);
    const real near = (real)(1.0 / 6) -
                      x2 * ((real)(1.0 / 120) -
                            x2 * ((real)(1.0 / 5040) - x2 * ((real)(1.0 / 362880) -
                                                             x2 * (real)(1.0 / 39916800))));
    const real c2 = x2 > (real)1e-2 ? (x - sine) / (x2 * x) : near;
    const vec  wv = cross(w, v);
    return plus(plus(v, 2 * s * s, wv), c2, cross(w, wv));
}

// The inverse of that: p - w x p / 2 + f w x (w x p).
static __device__ __forceinline__ vec led_back(vec w, vec p)
{
    const real x2 = square(w), x = real_sqrt(x2);
    real       s, c;
    real_sincos((real)0.5 * x, &s, &c);
    const real near = (real)(1.0 / 12) + x2 * ((real)(1.0 / 720) + x2 * (real)(1.0 / 30240));
    const real f = x > (real)1e-2 ? (1 - (real)0.5 * x * c / s) / x2 : near;
    const vec  wp = cross(w, p);
    return plus(plus(p, (real)-0.5, wp), f, cross(w, wp));
}

// The velocity (lin, ang) becomes the rate of the step (m, w) that leads on with it: the series of
// dexp^-1, see joint_step_rate.
static __device__ __forceinline__ void as_rate(vec w, vec m, vec *ang, vec *lin)
{
    const real c[6] = {(real)0.5, (real)(1.0 / 12), 0, (real)(-1.0 / 720), 0, (real)(1.0 / 30240)};
    vec        a = *ang, l = *lin;
#pragma unroll
    for (int k = 0; k < 6; k++) {
        l = plus(cross(w, l), 1, cross(m, a));
        a = cross(w, a);
        *lin = plus(*lin, c[k], l);
        *ang = plus(*ang, c[k], a);
    }
}

// ---- joints: out = q (+) v ----

static __device__ __forceinline__ void step_ball(const real *q, const real *v, real *out)
{
    const vec w = make(v[0], v[1], v[2]);
    real      s, c;
    half_angle(real_sqrt(square(w)), &s, &c);
    const real by[4] = {s * w.x, s * w.y, s * w.z, c};
    product(q, by, out);
    const real scale =
        1 / real_sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
    for (int i = 0; i < 4; i++)
        out[i] *= scale;
}

static __device__ __forceinline__ void step_free(const real *q, const real *v, real *out)
{
    const vec p = turned(q + 3, led(make(v[3], v[4], v[5]), make(v[0], v[1], v[2])));
    out[0] = q[0] + p.x;
    out[1] = q[1] + p.y;
    out[2] = q[2] + p.z;
    step_ball(q + 3, v + 3, out + 3);
}

static __device__ __forceinline__ void step_planar(const real *q, const real *v, real *out)
{
    const vec p = led(make(0, 0, v[2]), make(v[0], v[1], 0));
    real      s, c;
    real_sincos(q[2], &s, &c);
    out[0] = q[0] + c * p.x - s * p.y;
    out[1] = q[1] + s * p.x + c * p.y;
    out[2] = q[2] + v[2];
}

// ---- the rate of the step u where the robot moves with v ----

static __device__ __forceinline__ void rate_ball(const real *u, const real *v, real *out)
{
    vec ang = make(v[0], v[1], v[2]), lin = make(0, 0, 0);
    as_rate(make(u[0], u[1], u[2]), make(0, 0, 0), &ang, &lin);
    out[0] = ang.x;
    out[1] = ang.y;
    out[2] = ang.z;
}

static __device__ __forceinline__ void rate_free(const real *u, const real *v, real *out)
{
    vec lin = make(v[0], v[1], v[2]), ang = make(v[3], v[4], v[5]);
    as_rate(make(u[3], u[4], u[5]), make(u[0], u[1], u[2]), &ang, &lin);
    out[0] = lin.x;
    out[1] = lin.y;
    out[2] = lin.z;
    out[3] = ang.x;
    out[4] = ang.y;
    out[5] = ang.z;
}

static __device__ __forceinline__ void rate_planar(const real *u, const real *v, real *out)
{
    vec lin = make(v[0], v[1], 0), ang = make(0, 0, v[2]);
    as_rate(make(0, 0, u[2]), make(u[0], u[1], 0), &ang, &lin);
    out[0] = lin.x;
    out[1] = lin.y;
    out[2] = ang.z;
}

// ---- v = to (-) from ----

static __device__ __forceinline__ void between_ball(const real *from, const real *to, real *v)
{
    const vec w = turn_between(from, to);
    v[0] = w.x;
    v[1] = w.y;
    v[2] = w.z;
}

static __device__ __forceinline__ void between_free(const real *from, const real *to, real *v)
{
    const real back[4] = {-from[3], -from[4], -from[5], from[6]};
    const vec  apart = make(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
    const vec  w = turn_between(from + 3, to + 3), p = led_back(w, turned(back, apart));
    v[0] = p.x;
    v[1] = p.y;
    v[2] = p.z;
    v[3] = w.x;
    v[4] = w.y;
    v[5] = w.z;
}

static __device__ __forceinline__ void between_planar(const real *from, const real *to, real *v)
{
    const real x = to[0] - from[0], y = to[1] - from[1], angle = to[2] - from[2];
    real       s, c;
    real_sincos(from[2], &s, &c);
    const vec p = led_back(make(0, 0, angle), make(c * x + s * y, c * y - s * x, 0));
    v[0] = p.x;
    v[1] = p.y;
    v[2] = angle;
}
