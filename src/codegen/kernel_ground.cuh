// Ground in a kernel, behind the steps: `struct world` has `real ground[10]`, and `terrain` where
// there is a height field.

struct height_field {
    const real *heights;
    int         rows, columns;
    real        corner[2], spacing[2];
};

// The plane under a point, as src/world/surface.c has it: a place on it, then its unit normal.
// Where there is no field it is far below.
static __device__ __forceinline__ void field_plane(const height_field &f, const real *p, real *plane)
{
    const real u = (p[0] - f.corner[0]) / f.spacing[0], v = (p[1] - f.corner[1]) / f.spacing[1];
    plane[0] = p[0];
    plane[1] = p[1];
    plane[2] = p[2] - (real)1e6;
    plane[3] = plane[4] = 0;
    plane[5] = 1;
    if (!(u >= 0) || !(v >= 0) || u > f.columns - 1 || v > f.rows - 1) return;
    const int   column = u < f.columns - 2 ? (int)u : f.columns - 2;
    const int   row = v < f.rows - 2 ? (int)v : f.rows - 2;
    const real  x = u - column, y = v - row;
    const real *low = f.heights + (long long)row * f.columns + column, *high = low + f.columns;
    const real  a = __ldg(low), b = __ldg(low + 1), c = __ldg(high), d = __ldg(high + 1);
    const real  dx = ((1 - y) * (b - a) + y * (d - c)) / f.spacing[0];
    const real  dy = ((1 - x) * (c - a) + x * (d - b)) / f.spacing[1];
    const real  scale = 1 / real_sqrt(1 + dx * dx + dy * dy);
    plane[2] = (1 - y) * ((1 - x) * a + x * b) + y * ((1 - x) * c + x * d);
    plane[3] = -dx * scale;
    plane[4] = -dy * scale;
    plane[5] = scale;
}

// The plane of the ten numbers.
static __device__ __forceinline__ void ground_plane(const real *ground, real *plane)
{
    const real scale = 1 / real_sqrt(ground[3] * ground[3] + ground[4] * ground[4] +
                                     ground[5] * ground[5]);
    for (int i = 0; i < 3; i++) {
        plane[i] = ground[i];
        plane[3 + i] = scale * ground[3 + i];
    }
}
