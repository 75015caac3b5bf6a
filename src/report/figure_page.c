// Still drawings of a mechanism: side by side in a page, for those who print it, and where there is
// no viewer.
#include "report/markup.h"
#include "report/page.h"
#include <math.h>

typedef struct box {
    double x, y, width, height; // in metres, y up
} box;

// What is in the middle of a still picture: of a robot that is fixed the middle of the whole
// motion, else its own.
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
        for (int i = 0; i < f->skeleton.point_count + 8 * f->box_count; i++) {
            const int       own = i < f->skeleton.point_count;
            const arne_vec3 p = own ? figure_frame(f, frame)[i]
                                    : f->boxes[(size_t)frame * 8 * (size_t)f->box_count +
                                               (size_t)(i - f->skeleton.point_count)];
            view_project(f->view, p, &x, &y);
            half = fmax(half, fabs(x - middle));
            low = fmin(low, y);
            high = fmax(high, y);
        }
    }
    return (box){-half, low, 2 * half, high - low};
}

// The twelve edges of the box of a body that flies and has no sticks of its own: a satellite.
static void put_boxes(buffer *b, const figure *f, int frame, const double origin[2], double scale)
{
    for (int i = 0; i < f->box_count; i++)
        for (int edge = 0; edge < 12; edge++) {
            const int        along = edge / 4, u = edge & 1, v = edge >> 1 & 1;
            const arne_vec3 *corner =
                f->boxes + ((size_t)frame * (size_t)f->box_count + (size_t)i) * 8;
            const int base = u << (along + 1) % 3 | v << (along + 2) % 3;
            put(b, "<path class=\"s s3\" d=\"");
            for (int end = 0; end < 2; end++) {
                double x, y;
                view_project(f->view, corner[base | end << along], &x, &y);
                put(b, "%s", end ? "L" : "M");
                put_place(b, origin[0] + scale * x);
                put(b, " ");
                put_place(b, origin[1] - scale * y);
            }
            put(b, "\"/>");
        }
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
    put_boxes(b, f, frame, (const double[]){left - middle * scale, bottom + low * scale}, scale);
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
        "<figure class=\"stills\" tabindex=\"0\"><svg viewBox=\"0 0 1200 %d\" role=\"img\" "
        "aria-label=\"The "
        "mechanism at %d times\">\n<path class=\"g\" d=\"M0 %dH1200\"/>",
        (int)bottom + 40, count, (int)bottom + 8);
    for (int k = 0; k < count; k++)
        put_still(b, f, shown_frame(f, k, count), cell * (k + 0.5), bottom, scale, all.y);
    put(b, "</svg></figure>\n");
}

// --- one drawing for an index

enum { POSES = 6, THUMB_WIDTH = 480, THUMB_HEIGHT = 270 };

static box bounds_of_all(const figure *f)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int k = 0; k < f->frame_count; k++)
        for (int i = 0; i < f->skeleton.point_count + 8 * f->box_count; i++) {
            const int       own = i < f->skeleton.point_count;
            const arne_vec3 p = own ? figure_frame(f, k)[i]
                                    : f->boxes[(size_t)k * 8 * (size_t)f->box_count +
                                               (size_t)(i - f->skeleton.point_count)];
            double          at[2];
            view_project(f->view, p, &at[0], &at[1]);
            for (int n = 0; n < 2; n++) {
                low[n] = fmin(low[n], at[n]);
                high[n] = fmax(high[n], at[n]);
            }
        }
    return (box){low[0], low[1], high[0] - low[0], high[1] - low[1]};
}

static void put_pose(buffer *b, const figure *f, int frame, const box *all, double scale)
{
    const double left = THUMB_WIDTH / 2.0 - scale * (all->x + all->width / 2);
    const double bottom = THUMB_HEIGHT / 2.0 + scale * (all->y + all->height / 2);
    for (int k = 0; k < f->skeleton.stick_count; k++) {
        const stick *s = &f->skeleton.sticks[k];
        put(b, "<path class=\"s s%d\" d=\"", (int)s->kind);
        for (int end = 0; end < 2; end++) {
            double x, y;
            view_project(f->view, figure_frame(f, frame)[end ? s->to : s->from], &x, &y);
            put(b, "%s", end ? "L" : "M");
            put_place(b, left + scale * x);
            put(b, " ");
            put_place(b, bottom - scale * y);
        }
        put(b, "\"/>");
    }
    put_boxes(b, f, frame, (const double[]){left, bottom}, scale);
    for (int k = 0; k < f->skeleton.joint_count; k++) {
        double x, y;
        view_project(f->view, figure_frame(f, frame)[f->skeleton.joints[k].point], &x, &y);
        put(b, "<circle class=\"pin\" r=\"4\" cx=\"");
        put_place(b, left + scale * x);
        put(b, "\" cy=\"");
        put_place(b, bottom - scale * y);
        put(b, "\"/>");
    }
}

void page_thumbnail(buffer *b, const figure *f)
{
    const box    all = bounds_of_all(f);
    const double scale = fmin(0.84 * THUMB_WIDTH / fmax(all.width, 1e-9),
                              0.84 * THUMB_HEIGHT / fmax(all.height, 1e-9));
    const int    poses = f->frame_count < POSES ? f->frame_count : POSES;
    put(b,
        "<svg class=\"thumb\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"The mechanism as it "
        "moves\">\n",
        THUMB_WIDTH, THUMB_HEIGHT);
    for (int k = 0; k < poses; k++) {
        const double part = (k + 1.0) / poses;
        put(b, "<g opacity=\"");
        put_place(b, k + 1 == poses ? 1 : 0.08 + 0.3 * part * part);
        put(b, "\">");
        put_pose(b, f, shown_frame(f, k, poses), &all, scale);
        put(b, "</g>\n");
    }
    put(b, "</svg>\n");
}
