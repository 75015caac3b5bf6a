#include "report/curve.h"

#include <math.h>
#include <stdlib.h>

// The extremes among p[from .. to - 1], in their order, written to out. Returns how many.
static int keep_extremes(const point *p, int from, int to, point *out)
{
    int low = from, high = from, count = 0;
    for (int i = from; i < to; i++) {
        if (p[i].y < p[low].y) low = i;
        if (p[i].y > p[high].y) high = i;
    }
    const int wanted[] = {from, low < high ? low : high, low < high ? high : low, to - 1};
    for (int k = 0, last = -1; k < 4; k++) {
        if (wanted[k] == last) continue;
        last = wanted[k];
        out[count++] = p[last];
    }
    return count;
}

int curve_extremes(point *p, int count, double width)
{
    int kept = 0;
    for (int from = 0, to; from < count; from = to) {
        const double column = floor(p[from].x / width);
        for (to = from + 1; to < count && floor(p[to].x / width) == column;)
            to++;
        // At most four points are written for those read, so writing in place is safe.
        point     some[4];
        const int n = keep_extremes(p, from, to, some);
        for (int k = 0; k < n; k++)
            p[kept++] = some[k];
    }
    return kept;
}

// The square of the distance of p from the segment a b.
static double curve_distance(point p, point a, point b)
{
    const double x = b.x - a.x, y = b.y - a.y, square = x * x + y * y;
    double       t = square > 0 ? ((p.x - a.x) * x + (p.y - a.y) * y) / square : 0;
    t = fmin(1, fmax(0, t));
    const double dx = p.x - a.x - t * x, dy = p.y - a.y - t * y;
    return dx * dx + dy * dy;
}

static int farthest(const point *p, int from, int to, double *square)
{
    int at = from;
    *square = 0;
    for (int i = from + 1; i < to; i++) {
        const double d = curve_distance(p[i], p[from], p[to]);
        if (d <= *square) continue;
        *square = d;
        at = i;
    }
    return at;
}

int curve_simplify(point *p, int count, double tolerance)
{
    if (count < 3) return count;
    // A stack of segments instead of recursion: each level leaves at most one on it.
    int *ends = malloc((size_t)count * sizeof *ends), waiting = 0, kept = 1;
    if (!ends) return -1;
    ends[waiting++] = count - 1;
    for (int from = 0; waiting;) {
        double    square;
        const int to = ends[waiting - 1], at = farthest(p, from, to, &square);
        if (square > tolerance * tolerance) {
            ends[waiting++] = at;
        } else {
            p[kept++] = p[to];
            from = to;
            waiting--;
        }
    }
    free(ends);
    return kept;
}
