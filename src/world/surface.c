// Surfaces: planes, and height fields with bilinear patches, whose gap is the height above the
// patch along its normal.
#include "world/world.h"

static const char *const MODELS[ARNE_CONTACT_MODEL_COUNT] = {"rigid", "compliant"};

const char *arne_contact_model_name(arne_contact_model model)
{
    return (int)model >= 0 && model < ARNE_CONTACT_MODEL_COUNT ? MODELS[model] : NULL;
}

// The patch below a point: which one, and where in it.
static int patch_at(const arne_surface *s, arne_vec3 p, int *row, int *column, double *x, double *y)
{
    const double u = (p.x - s->corner[0]) / s->spacing[0], v = (p.y - s->corner[1]) / s->spacing[1];
    if (!(u >= 0) || !(v >= 0) || u > s->columns - 1 || v > s->rows - 1) return 0;
    *column = (int)fmin(u, s->columns - 2);
    *row = (int)fmin(v, s->rows - 2);
    *x = u - *column;
    *y = v - *row;
    return 1;
}

int surface_gap(const arne_surface *s, arne_vec3 p, double *gap, arne_vec3 *normal)
{
    if (!s->heights) {
        *normal = s->normal;
        *gap = vec_dot(s->normal, vec_add(p, s->point, -1));
        return 1;
    }
    int    row, column;
    double x, y;
    if (!patch_at(s, p, &row, &column, &x, &y)) return 0;
    const double *low = s->heights + row * s->columns + column, *high = low + s->columns;
    const double  z =
        (1 - y) * ((1 - x) * low[0] + x * low[1]) + y * ((1 - x) * high[0] + x * high[1]);
    const double dx = ((1 - y) * (low[1] - low[0]) + y * (high[1] - high[0])) / s->spacing[0];
    const double dy = ((1 - x) * (high[0] - low[0]) + x * (high[1] - low[1])) / s->spacing[1];
    const double length = sqrt(1 + dx * dx + dy * dy);
    *normal = vec_of(-dx / length, -dy / length, 1 / length);
    *gap = (p.z - z) / length;
    return 1;
}
