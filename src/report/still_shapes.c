// The shapes of a still drawing. A round solid is a few strokes or ellipses within each other,
// brighter and nearer to the light the smaller they are; the others are prisms, whose faces have
// one shade each.
#include "report/markup.h"
#include "report/still_parts.h"

enum { SIDES = 20, LEVELS = 4, CORNERS = 32, GRID_LINES = 24 };

static const arne_vec3 light = {-0.42, 0.76, 0.5}; // where it comes from, in the picture

static const unsigned tones[TONE_COUNT] = {
    [TONE_LINK] = 0xd9dee3,  [TONE_JOINT] = 0x4a6a85, [TONE_BASE] = 0x5d6670,
    [TONE_SLIDE] = 0xaab4bd, [TONE_LEFT] = 0x2f86b7,  [TONE_RIGHT] = 0xd9733f};

// --- shapes --------------------------------------------------------------------------------------

static void still_point(buffer *b, const still *s, double x, double y)
{
    put_place(b, s->left + s->scale * x);
    put(b, " ");
    put_place(b, s->bottom - s->scale * y);
}

static void put_shade(buffer *b, const char *what, const solid *s, double brightness)
{
    unsigned shade = 0;
    for (int k = 0; k < 3; k++) {
        const double own =
            s->has_colour ? 255 * s->colour[k] : (double)(tones[s->tone] >> (16 - 8 * k) & 255);
        const double value = fmin(255, fmax(0, own * brightness));
        shade = shade << 8 | (unsigned)lround(value);
    }
    put(b, " %s=\"#%06x\"", what, shade);
}

static double level_part(int k) { return 1 - 0.24 * k; }
static double level_shade(int k) { return 0.74 + 0.11 * k; }

static void put_round(buffer *b, const still *s, const piece *p)
{
    for (int k = 0; k < LEVELS; k++) {
        const double r = p->radius * level_part(k), move = 0.8 * (p->radius - r);
        put(b, "<path class=\"round\" stroke-width=\"");
        put_place(b, 2 * r * s->scale);
        put(b, "\"");
        put_shade(b, "stroke", p->solid, level_shade(k));
        for (int e = 0; e < 2; e++) {
            put(b, e ? "L" : " d=\"M");
            still_point(b, s, p->end[e].x + move * light.x, p->end[e].y + move * light.y);
        }
        put(b, "\"/>");
    }
}

// The outline of an ellipsoid is the ellipse whose matrix is that of the picture's first two rows.
static void put_ellipsoid(buffer *b, const still *s, const piece *p)
{
    const arne_vec3 axis[] = {p->at.R.x, p->at.R.y, p->at.R.z};
    double          xx = 0, xy = 0, yy = 0;
    for (int i = 0; i < 3; i++) {
        const double square = p->solid->size[i] * p->solid->size[i];
        xx += square * axis[i].x * axis[i].x;
        xy += square * axis[i].x * axis[i].y;
        yy += square * axis[i].y * axis[i].y;
    }
    const double mean = (xx + yy) / 2, apart = hypot((xx - yy) / 2, xy);
    const double rx = sqrt(mean + apart), ry = sqrt(fmax(0, mean - apart));
    const double turn = 0.5 * atan2(2 * xy, xx - yy) * 180 / acos(-1);
    const double to[] = {xx * light.x + xy * light.y, xy * light.x + yy * light.y};
    const double length = sqrt(fmax(1e-30, light.x * to[0] + light.y * to[1]));
    for (int k = 0; k < LEVELS; k++) {
        const double part = level_part(k), move = 0.7 * (1 - part) / length;
        put(b, "<ellipse rx=\"");
        put_place(b, part * rx * s->scale);
        put(b, "\" ry=\"");
        put_place(b, part * ry * s->scale);
        put(b, "\" transform=\"translate(");
        still_point(b, s, p->at.p.x + move * to[0], p->at.p.y + move * to[1]);
        put(b, ")rotate(");
        put_place(b, -turn);
        put(b, ")\"");
        put_shade(b, "fill", p->solid, level_shade(k));
        put(b, "/>");
    }
}

// A face whose corners go around it, counterclockwise as seen from outside; unseen from behind.
static void put_face(buffer *b, const still *s, const piece *p, const arne_vec3 *c, int count)
{
    arne_vec3 n = {0, 0, 0};
    for (int i = 0; i < count; i++) { // Newell's normal
        const arne_vec3 u = c[i], v = c[(i + 1) % count];
        n.x += (u.y - v.y) * (u.z + v.z);
        n.y += (u.z - v.z) * (u.x + v.x);
        n.z += (u.x - v.x) * (u.y + v.y);
    }
    const double length = sqrt(still_dot(n, n));
    if (!(n.z > 1e-6 * length)) return;
    put(b, "<path class=\"face\"");
    put_shade(b, "color", p->solid, 0.68 + 0.42 * fmax(0, still_dot(n, light) / length));
    for (int i = 0; i < count; i++) {
        put(b, i ? "L" : " d=\"M");
        still_point(b, s, c[i].x, c[i].y);
    }
    put(b, "Z\"/>");
}

static void put_prism(buffer *b, const still *s, const piece *p, const arne_vec3 *bottom,
                      const arne_vec3 *top, int count)
{
    arne_vec3 back[CORNERS];
    for (int i = 0; i < count; i++) {
        const int       next = (i + 1) % count;
        const arne_vec3 side[] = {bottom[i], bottom[next], top[next], top[i]};
        put_face(b, s, p, side, 4);
        back[i] = bottom[count - 1 - i];
    }
    put_face(b, s, p, back, count);
    put_face(b, s, p, top, count);
}

static void put_cylinder(buffer *b, const still *s, const piece *p)
{
    arne_vec3 bottom[SIDES], top[SIDES];
    for (int i = 0; i < SIDES; i++) {
        const double t = 2 * acos(-1) * i / SIDES, r = p->solid->size[0];
        bottom[i] = still_at(&p->at, r * cos(t), r * sin(t), -p->solid->size[1] / 2);
        top[i] = still_at(&p->at, r * cos(t), r * sin(t), p->solid->size[1] / 2);
    }
    put_prism(b, s, p, bottom, top, SIDES);
}

static void put_box(buffer *b, const still *s, const piece *p)
{
    const double *size = p->solid->size;
    arne_vec3     bottom[4], top[4];
    for (int i = 0; i < 4; i++) {
        const double x = (i == 1 || i == 2 ? 0.5 : -0.5) * size[0],
                     y = (i > 1 ? 0.5 : -0.5) * size[1];
        bottom[i] = still_at(&p->at, x, y, -size[2] / 2);
        top[i] = still_at(&p->at, x, y, size[2] / 2);
    }
    put_prism(b, s, p, bottom, top, 4);
}

static void put_plate(buffer *b, const still *s, const piece *p)
{
    const arne_vec3 *c = s->solids.corners + p->solid->corner_start;
    arne_vec3        bottom[CORNERS], top[CORNERS], n = {0, 0, 0};
    const int        count = p->solid->corner_count;
    if (count > CORNERS) return;
    for (int i = 0; i < count; i++) {
        const arne_vec3 u = c[i], v = c[(i + 1) % count];
        n.x += (u.y - v.y) * (u.z + v.z);
        n.y += (u.z - v.z) * (u.x + v.x);
        n.z += (u.x - v.x) * (u.y + v.y);
    }
    const double half = p->solid->size[0] / 2 / fmax(sqrt(still_dot(n, n)), 1e-30);
    for (int i = 0; i < count; i++) {
        bottom[i] = still_at(&p->at, c[i].x - half * n.x, c[i].y - half * n.y, c[i].z - half * n.z);
        top[i] = still_at(&p->at, c[i].x + half * n.x, c[i].y + half * n.y, c[i].z + half * n.z);
    }
    put_prism(b, s, p, bottom, top, count);
}

void put_piece(buffer *b, const still *s, const piece *p)
{
    switch (p->solid->kind) {
    case SOLID_CAPSULE:
    case SOLID_ROD:
        put_round(b, s, p);
        break;
    case SOLID_ELLIPSOID:
        put_ellipsoid(b, s, p);
        break;
    case SOLID_CYLINDER:
        put_cylinder(b, s, p);
        break;
    case SOLID_BOX:
        put_box(b, s, p);
        break;
    case SOLID_PLATE:
        put_plate(b, s, p);
        break;
    case SOLID_MESH:
    case SOLID_KIND_COUNT:
        break;
    }
}

// --- ground --------------------------------------------------------------------------------------

// A place of the picture on the ground: against a direction of the picture.
static arne_vec3 still_fall(const still *s, arne_vec3 p, arne_vec3 along)
{
    const figure   *f = s->figure;
    const arne_vec3 up = in_picture(f->view, (arne_vec3){0, 0, 1});
    const double    t = (f->ground - still_dot(p, up)) / still_dot(along, up);
    return (arne_vec3){p.x + t * along.x, p.y + t * along.y, p.z + t * along.z};
}

void put_shadow(buffer *b, const still *s)
{
    put(b, "<g class=\"shadow\">");
    for (int i = 0; i < s->solids.count; i++) {
        const piece *p = &s->pieces[i];
        if (p->solid->kind == SOLID_MESH) continue;
        put(b, "<path stroke-width=\"");
        put_place(b, 1.8 * p->radius * s->scale * (p->solid->kind == SOLID_PLATE ? 0.7 : 1));
        for (int e = 0; e < 2; e++) {
            const arne_vec3 at = still_fall(s, p->end[e], light);
            put(b, e ? "L" : "\" d=\"M");
            still_point(b, s, at.x, at.y);
        }
        put(b, "\"/>");
    }
    put(b, "</g>");
}

// Lines of the ground about the middle of the picture, 1, 2 or 5 times a power of ten apart.
void put_ground(buffer *b, const still *s)
{
    const figure   *f = s->figure;
    const double    size = still_size(s);
    const double    ten = pow(10, floor(log10(size / 4))), times = size / 4 / ten;
    const double    step = ten * (times >= 5 ? 5 : times >= 2 ? 2 : 1), far = step * GRID_LINES / 2;
    const arne_vec3 right = in_picture(f->view, (arne_vec3){1, 0, 0});
    const arne_vec3 ahead = in_picture(f->view, (arne_vec3){0, 1, 0});
    const arne_vec3 eye = {0, 0, 1}, seen = {(s->low[0] + s->high[0]) / 2, s->low[1], 0};
    if (!isfinite(f->ground) || fabs(sin(f->view.raise)) < 1e-3) return;
    const arne_vec3 middle = still_fall(s, seen, eye);
    const double    x = step * floor(still_dot(middle, right) / step),
                 y = step * floor(still_dot(middle, ahead) / step);
    put(b, "<path class=\"floor\" d=\"");
    for (int i = -GRID_LINES / 2; i <= GRID_LINES / 2; i++)
        for (int k = 0; k < 4; k++) {
            const double    a = i * step, e = k & 1 ? far : -far;
            const arne_vec3 p = in_picture(
                f->view, (arne_vec3){x + (k < 2 ? a : e), y + (k < 2 ? e : a), f->ground});
            put(b, k & 1 ? "L" : "M");
            still_point(b, s, p.x, p.y);
        }
    put(b, "\"/>");
}
