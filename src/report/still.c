// Still drawings of a robot as SVG: shaded solids on their ground, seen from far away, so that
// parallel lines stay parallel. Coordinates of the picture are x to the right, y up, z to the eye.
// What is farther away is drawn first: of two solids that overlap, the one that is farther where
// they do.
#include "report/still.h"

#include "report/markup.h"
#include "report/still_parts.h"
#include <stdlib.h>

enum { POSE_SIZE = 7 };

// --- places --------------------------------------------------------------------------------------

static pose still_camera(const figure *f)
{
    arne_vec3 axis[3];
    for (int i = 0; i < 3; i++)
        axis[i] = in_picture(f->view, upright_vector(f->up, (arne_vec3){(double)(i == 0),
                                                                        (double)(i == 1), i == 2}));
    return pose_lift((arne_pose){{axis[0], axis[1], axis[2]}, {0, 0, 0}});
}

static pose body_in_picture(const still *s, int frame, int body)
{
    const figure *f = s->figure;
    const float  *p = f->poses + ((size_t)frame * (size_t)f->body_count + (size_t)body) * POSE_SIZE;
    const double  x = p[3], y = p[4], z = p[5], w = p[6];
    const pose    X =
        pose_lift((arne_pose){{{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                               {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                               {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}},
                              {p[0], p[1], p[2]}});
    return pose_mul(&s->camera, &X);
}

// The longest axis of a box or ellipsoid, less its ends, and the radius of the others.
static void measure_block(piece *p, const double half[3])
{
    int k = 0;
    for (int i = 1; i < 3; i++)
        if (half[i] > half[k]) k = i;
    const double across = (half[(k + 1) % 3] + half[(k + 2) % 3]) / 2;
    const double along = fmax(0, half[k] - across);
    for (int i = 0; i < 2; i++) {
        const double d = i ? along : -along;
        p->end[i] = still_at(&p->at, k == 0 ? d : 0, k == 1 ? d : 0, k == 2 ? d : 0);
    }
    p->radius = across;
}

static void measure_plate(const still *s, piece *p)
{
    const arne_vec3 *c = s->solids.corners + p->solid->corner_start;
    arne_vec3        middle = {0, 0, 0};
    const int        count = p->solid->corner_count;
    for (int i = 0; i < count; i++)
        middle = (arne_vec3){middle.x + c[i].x / count, middle.y + c[i].y / count,
                             middle.z + c[i].z / count};
    p->radius = 0;
    for (int i = 0; i < count; i++)
        p->radius =
            fmax(p->radius, hypot(hypot(c[i].x - middle.x, c[i].y - middle.y), c[i].z - middle.z));
    p->end[0] = p->end[1] = still_at(&p->at, middle.x, middle.y, middle.z);
}

static void place_piece(const still *s, int frame, const solid *from, piece *p)
{
    const double *size = from->size, half[] = {size[0] / 2, size[1] / 2, size[2] / 2};
    const pose    body = body_in_picture(s, frame, from->body), own = pose_lift(from->at);
    const pose    at = pose_mul(&body, &own);
    *p = (piece){.solid = from, .at = lower_pose(&at), .radius = size[0]};
    p->end[0] = still_at(&p->at, 0, 0, -size[1] / 2);
    p->end[1] = still_at(&p->at, 0, 0, size[1] / 2);
    if (from->kind == SOLID_BOX) measure_block(p, half);
    if (from->kind == SOLID_ELLIPSOID) measure_block(p, size);
    if (from->kind == SOLID_PLATE) measure_plate(s, p);
    if (from->kind == SOLID_MESH) p->drawn = 1; // its file is not read here
    if (from->kind != SOLID_ROD) return;
    const pose      other = body_in_picture(s, frame, from->other);
    const arne_pose far = lower_pose(&other);
    p->end[0] = p->at.p;
    p->end[1] = still_at(&far, from->far.x, from->far.y, from->far.z);
}

static void still_place(still *s, int frame)
{
    for (int i = 0; i < s->solids.count; i++)
        place_piece(s, frame, &s->solids.item[i], &s->pieces[i]);
}

static void still_unbound(still *s)
{
    for (int k = 0; k < 2; k++) {
        s->low[k] = INFINITY;
        s->high[k] = -INFINITY;
    }
}

// Puts the robot into a frame, and makes the bounds of the picture wide enough for it.
static void still_bound(still *s, int frame)
{
    still_place(s, frame);
    for (int i = 0; i < s->solids.count; i++)
        for (int e = 0; e < 2 && s->solids.item[i].kind != SOLID_MESH; e++) {
            const piece *p = &s->pieces[i];
            const double at[] = {p->end[e].x, p->end[e].y};
            for (int k = 0; k < 2; k++) {
                s->low[k] = fmin(s->low[k], at[k] - p->radius);
                s->high[k] = fmax(s->high[k], at[k] + p->radius);
            }
        }
}

// --- order ---------------------------------------------------------------------------------------

static double clamp_part(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

// The part along segment a, in the plane of the picture, that is nearest to a point.
static double nearest_part(const arne_vec3 a[2], double x, double y)
{
    const double dx = a[1].x - a[0].x, dy = a[1].y - a[0].y, square = dx * dx + dy * dy;
    return square > 0 ? clamp_part((dx * (x - a[0].x) + dy * (y - a[0].y)) / square) : 0.5;
}

// Whether a must be drawn before b: they overlap, and a is farther where they are nearest.
static int is_behind(const piece *a, const piece *b, double little)
{
    double s = 0.5, t = 0.5, x[2], y[2];
    for (int i = 0; i < 8; i++) { // alternating projections
        t = nearest_part(b->end, a->end[0].x + s * (a->end[1].x - a->end[0].x),
                         a->end[0].y + s * (a->end[1].y - a->end[0].y));
        s = nearest_part(a->end, b->end[0].x + t * (b->end[1].x - b->end[0].x),
                         b->end[0].y + t * (b->end[1].y - b->end[0].y));
    }
    const piece *of[] = {a, b};
    const double part[] = {s, t};
    double       depth[2];
    for (int i = 0; i < 2; i++) {
        const arne_vec3 *e = of[i]->end;
        x[i] = e[0].x + part[i] * (e[1].x - e[0].x);
        y[i] = e[0].y + part[i] * (e[1].y - e[0].y);
        depth[i] = e[0].z + part[i] * (e[1].z - e[0].z);
    }
    return hypot(x[0] - x[1], y[0] - y[1]) < a->radius + b->radius && depth[0] < depth[1] - little;
}

// The next to draw: behind all that are left; in a circle of such, the farthest. Depths that differ
// by rounding are equal, and then the first comes first.
static piece *next_piece(const still *s)
{
    const double little = 1e-6 * still_size(s);
    piece       *best = NULL;
    int          best_free = 0;
    for (int i = 0; i < s->solids.count; i++) {
        piece *p = &s->pieces[i];
        int    is_free = 1;
        for (int k = 0; k < s->solids.count && is_free && !p->drawn; k++)
            is_free = s->pieces[k].drawn || k == i || !is_behind(&s->pieces[k], p, little);
        if (p->drawn || (best && best_free > is_free)) continue;
        const int farther =
            !best || p->end[0].z + p->end[1].z < best->end[0].z + best->end[1].z - little;
        if (farther || is_free > best_free) best = p;
        if (best == p) best_free = is_free;
    }
    return best;
}

// --- all of it -----------------------------------------------------------------------------------

static int still_open(buffer *b, const scene *from, still *s)
{
    *s = (still){.figure = from->figure};
    still_unbound(s);
    if (!from->figure->frame_count) return 0;
    if (scene_solids(from, 1, &s->solids)) b->failed = 1;
    s->camera = still_camera(from->figure);
    s->pieces = calloc((size_t)s->solids.count + 1, sizeof *s->pieces);
    if (!s->pieces) b->failed = 1;
    return !b->failed && s->solids.count;
}

static void still_close(still *s)
{
    solids_free(&s->solids);
    free(s->pieces);
}

static void put_pose(buffer *b, still *s, int frame)
{
    still_place(s, frame);
    for (piece *p = next_piece(s); p; p = next_piece(s)) {
        put_piece(b, s, p);
        p->drawn = 1;
    }
    put(b, "\n");
}

static int shown_frame(const figure *f, int k, int count)
{
    return count > 1 ? (int)lround((double)k * (f->frame_count - 1) / (count - 1)) : 0;
}

// The middle of a frame from left to right; of a robot that is fixed, of the whole motion.
static double still_middle(still *s, int frame)
{
    const int root = s->figure->skeleton.root;
    if (root >= 0 && s->figure->skeleton.points[root].body == 0)
        return (s->low[0] + s->high[0]) / 2;
    still one = *s;
    still_unbound(&one);
    still_bound(&one, frame);
    return (one.low[0] + one.high[0]) / 2;
}

void page_snapshots(buffer *b, const scene *from, int count)
{
    enum { WIDTH = 1200, MOST = 24, HIGHEST = 260 };
    const figure *f = from->figure;
    still         s;
    if (count > MOST) count = MOST;
    if (count > f->frame_count) count = f->frame_count;
    if (count >= 1 && still_open(b, from, &s)) {
        double half = 0;
        for (int k = 0; k < count; k++)
            still_bound(&s, shown_frame(f, k, count));
        for (int k = 0; k < count; k++) {
            still        one = s;
            const double middle = still_middle(&s, shown_frame(f, k, count));
            still_unbound(&one);
            still_bound(&one, shown_frame(f, k, count));
            half = fmax(half, fmax(one.high[0] - middle, middle - one.low[0]));
        }
        const double cell = (double)WIDTH / count, height = fmax(s.high[1] - s.low[1], 1e-9);
        s.scale = fmin(0.43 * cell / fmax(half, 1e-9), HIGHEST / height);
        s.bottom = 14 + s.scale * s.high[1];
        const int end = (int)(14 + s.scale * height);
        put(b,
            "<figure class=\"stills\" tabindex=\"0\"><svg viewBox=\"0 0 %d %d\" role=\"img\" "
            "aria-label=\"The robot at %d times\">\n<path class=\"g\" d=\"M0 %dH%d\"/>",
            WIDTH, end + 40, count, end + 8, WIDTH);
        for (int k = 0; k < count; k++) {
            const int frame = shown_frame(f, k, count);
            s.left = cell * (k + 0.5) - s.scale * still_middle(&s, frame);
            put_pose(b, &s, frame);
            put(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (int)(cell * (k + 0.5)),
                end + 28);
            put_value(b, f->times[frame], 3);
            put(b, " s</text>\n");
        }
        put(b, "</svg></figure>\n");
    }
    if (count >= 1) still_close(&s);
}

void page_thumbnail(buffer *b, const scene *from)
{
    enum { WIDTH = 480, HEIGHT = 270, POSES = 4, WIDEST = 5 };
    const figure *f = from->figure;
    still         s;
    if (still_open(b, from, &s)) {
        int       poses = f->frame_count < POSES ? f->frame_count : POSES;
        const int last = f->frame_count - 1;
        still_bound(&s, last);
        const double own = still_size(&s);
        for (int k = 0; k < poses; k++)
            still_bound(&s, shown_frame(f, k, poses));
        if (still_size(&s) > WIDEST * own) { // it went far
            poses = 1;
            still_unbound(&s);
            still_bound(&s, last);
        }
        s.scale = 0.8 * fmin(WIDTH / fmax(s.high[0] - s.low[0], 1e-9),
                             HEIGHT / fmax(s.high[1] - s.low[1], 1e-9));
        s.left = WIDTH / 2.0 - s.scale * (s.low[0] + s.high[0]) / 2;
        s.bottom = HEIGHT / 2.0 + s.scale * (s.low[1] + s.high[1]) / 2;
        put(b,
            "<svg class=\"thumb\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"The robot as it "
            "moves\">\n",
            WIDTH, HEIGHT);
        put_ground(b, &s);
        still_place(&s, last);
        if (isfinite(f->ground)) put_shadow(b, &s);
        for (int k = 0; k < poses; k++) {
            const int    is_last = k + 1 == poses;
            const double part = (k + 1.0) / poses;
            put(b, "<g opacity=\"");
            put_place(b, is_last ? 1 : 0.08 + 0.3 * part * part);
            put(b, "\">");
            put_pose(b, &s, is_last ? last : shown_frame(f, k, poses));
            put(b, "</g>\n");
        }
        put(b, "</svg>\n");
    }
    still_close(&s);
}
