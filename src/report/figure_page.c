// The moving figure: its numbers, as JSON that the page's script draws, and still pictures of it. Lengths are whole
// multiples of a small unit, so that a frame takes few bytes; no names are in it.
#include "report/markup.h"
#include "report/page.h"
#include <math.h>

enum { STEPS = 20000 }; // units in the size of the picture

static double size_of(const figure *f)
{
    return fmax(f->high.x - f->low.x, fmax(f->high.y - f->low.y, f->high.z - f->low.z));
}

static void put_vector(buffer *b, const char *key, arne_vec3 v)
{
    put(b, "\"%s\":[", key);
    put_digits(b, v.x, 6);
    put(b, ",");
    put_digits(b, v.y, 6);
    put(b, ",");
    put_digits(b, v.z, 6);
    put(b, "],");
}

static void put_skeleton(buffer *b, const skeleton *s)
{
    put(b, "\"sticks\":[");
    for (int k = 0; k < s->stick_count; k++)
        put(b, "%s[%d,%d,%d]", k ? "," : "", s->sticks[k].from, s->sticks[k].to,
            (int)s->sticks[k].kind);
    put(b, "],\"joints\":[");
    for (int k = 0; k < s->joint_count; k++)
        put(b, "%s[%d,%d]", k ? "," : "", s->joints[k].point, s->joints[k].slides);
    put(b, "],\"tips\":[");
    for (int k = 0; k < s->tip_count; k++)
        put(b, "%s%d", k ? "," : "", s->tips[k]);
    put(b, "],\"root\":%d,", s->root);
}

static void put_frames(buffer *b, const figure *f, double unit)
{
    put(b, "\"times\":[");
    for (int k = 0; k < f->frame_count; k++) {
        put(b, "%s", k ? "," : "");
        put_digits(b, f->times[k], 6);
    }
    put(b, "],\n\"frames\":[");
    for (int k = 0; k < f->frame_count; k++) {
        const arne_vec3 *p = figure_frame(f, k);
        put(b, "%s[", k ? ",\n" : "");
        for (int i = 0; i < f->skeleton.point_count; i++)
            put(b, "%s%ld,%ld,%ld", i ? "," : "", lround(p[i].x / unit), lround(p[i].y / unit),
                lround(p[i].z / unit));
        put(b, "]");
    }
    put(b, "]");
}

static void put_data(buffer *b, const figure *f)
{
    const double unit = size_of(f) / STEPS;
    put(b, "<script type=\"application/json\" id=\"motion\">{\"unit\":");
    put_digits(b, unit, 9);
    put(b, ",\"follow\":%d,\"turn\":", f->follow);
    put_digits(b, f->view.turn, 5);
    put(b, ",\"raise\":");
    put_digits(b, f->view.raise, 5);
    put(b, ",\"ground\":");
    if (isfinite(f->ground))
        put_digits(b, f->ground, 6);
    else
        put(b, "null");
    put(b, ",");
    put(b, "\"axes\":[");
    for (int k = 0; k < 3; k++) {
        const arne_vec3 a = upright_vector(f->up, (arne_vec3){k == 0, k == 1, k == 2});
        put(b, "%s[%d,%d,%d]", k ? "," : "", (int)a.x, (int)a.y, (int)a.z);
    }
    put(b, "],");
    put_vector(b, "low", f->low);
    put_vector(b, "high", f->high);
    put_skeleton(b, &f->skeleton);
    put_frames(b, f, unit);
    put(b, "}</script>\n");
}

void page_figure(buffer *b, const figure *f)
{
    if (!f->frame_count) return;
    put(b, "<figure class=\"stage\">\n"
           "<svg id=\"stage\" viewBox=\"0 0 800 500\" role=\"img\" aria-label=\"The mechanism as a "
           "stick figure\"></svg>\n"
           "<div class=\"controls\"><button id=\"play\" type=\"button\" aria-label=\"Play\">"
           "</button><input id=\"time\" type=\"range\" min=\"0\" max=\"1000\" value=\"0\" "
           "step=\"1\" aria-label=\"Time\"><output id=\"clock\" for=\"time\"></output>"
           "<select id=\"speed\" aria-label=\"Speed\"><option value=\"0.1\">0.1\u00d7</option>"
           "<option value=\"0.25\">0.25\u00d7</option><option value=\"0.5\">0.5\u00d7</option>"
           "<option value=\"1\" selected>1\u00d7</option><option value=\"2\">2\u00d7</option>"
           "<option value=\"4\">4\u00d7</option></select>"
           "<button id=\"home\" type=\"button\">Reset view</button></div>\n"
           "<figcaption>Drag to turn; Ctrl and scroll, or pinch, to zoom.</figcaption></figure>\n");
    put_data(b, f);
}

// --- snapshots -----------------------------------------------------------------------------------

typedef struct box {
    double x, y, width, height; // in metres, y up
} box;

// What is in the middle of a still picture: of a robot that is fixed the middle of the whole motion, else its own.
static double middle_of(const figure *f, int frame)
{
    const int root = f->skeleton.root;
    const int fixed = root >= 0 && f->skeleton.points[root].body == 0;
    double    low = INFINITY, high = -INFINITY, x, y;
    for (int k = fixed ? 0 : frame; k < (fixed ? f->frame_count : frame + 1); k++)
        for (int i = 0; i < f->skeleton.point_count; i++) {
            view_project(f->view, figure_frame(f, k)[i], &x, &y);
            low = fmin(low, x);
            high = fmax(high, x);
        }
    return (low + high) / 2;
}

static int shown_frame(const figure *f, int k, int count)
{
    return count > 1 ? (int)lround((double)k * (f->frame_count - 1) / (count - 1)) : 0;
}

static box bounds_of(const figure *f, int count)
{
    double low = INFINITY, high = -INFINITY, half = 0, x, y;
    for (int k = 0; k < count; k++) {
        const int    frame = shown_frame(f, k, count);
        const double middle = middle_of(f, frame);
        for (int i = 0; i < f->skeleton.point_count; i++) {
            view_project(f->view, figure_frame(f, frame)[i], &x, &y);
            half = fmax(half, fabs(x - middle));
            low = fmin(low, y);
            high = fmax(high, y);
        }
    }
    return (box){-half, low, 2 * half, high - low};
}

static void put_still(buffer *b, const figure *f, int frame, double left, double bottom,
                      double scale, double low)
{
    const double middle = middle_of(f, frame);
    for (int k = 0; k < f->skeleton.stick_count; k++) {
        const stick *s = &f->skeleton.sticks[k];
        put(b, "<path class=\"s s%d\" d=\"", (int)s->kind);
        for (int end = 0; end < 2; end++) {
            double x, y;
            view_project(f->view, figure_frame(f, frame)[end ? s->to : s->from], &x, &y);
            put(b, "%s", end ? "L" : "M");
            put_place(b, left + (x - middle) * scale);
            put(b, " ");
            put_place(b, bottom - (y - low) * scale);
        }
        put(b, "\"/>");
    }
    put(b, "<text x=\"");
    put_place(b, left);
    put(b, "\" y=\"%d\" text-anchor=\"middle\">", (int)bottom + 28);
    put_value(b, f->times[frame], 3);
    put(b, " s</text>\n");
}

void page_snapshots(buffer *b, const figure *f, int count)
{
    if (count > 24) count = 24;
    if (count > f->frame_count) count = f->frame_count;
    if (count < 1) return;
    const box    all = bounds_of(f, count);
    const double cell = 1200.0 / count;
    const double scale = fmin(0.86 * cell / fmax(all.width, 1e-9), 260 / fmax(all.height, 1e-9));
    const double height = all.height * scale, bottom = 14 + height;
    put(b,
        "<figure class=\"stills\"><svg viewBox=\"0 0 1200 %d\" role=\"img\" aria-label=\"The "
        "mechanism at %d times\">\n<path class=\"g\" d=\"M0 %dH1200\"/>",
        (int)bottom + 40, count, (int)bottom + 8);
    for (int k = 0; k < count; k++)
        put_still(b, f, shown_frame(f, k, count), cell * (k + 0.5), bottom, scale, all.y);
    put(b, "</svg></figure>\n");
}
