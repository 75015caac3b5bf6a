// Ellipsoids of inertia of the links of an identified robot, before and after: the uniform
// ellipsoid with the same mass, centre and second moments S = Sigma_c / m has the outline x^T S^-1
// x = 5. Drawn as its shadows on two planes of the link's axes.
#include "base/buffer.h"
#include "report/markup.h"
#include "report/page.h"
#include <arne/identify.h>
#include <arne/io.h>
#include <math.h>
#include <stdlib.h>

enum { SIZE = 150 };

typedef struct spread {
    double mass, centre[3], second[3][3];
} spread;

static spread ellipsoids_spread_of(const double *pi)
{
    const double m = pi[0] > 0 ? pi[0] : 1e-9, half = (pi[4] + pi[6] + pi[9]) / 2;
    const double I[3][3] = {{pi[4], pi[5], pi[7]}, {pi[5], pi[6], pi[8]}, {pi[7], pi[8], pi[9]}};
    spread       s = {.mass = pi[0], .centre = {pi[1] / m, pi[2] / m, pi[3] / m}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            s.second[i][k] = ((i == k ? half : 0) - I[i][k]) / m - s.centre[i] * s.centre[k];
    return s;
}

// The half axes of the shadow on the plane of axes a and b, and how the longer one is turned.
static void shadow(const spread *s, int a, int b, double half[2], double *turn)
{
    const double x = s->second[a][a], y = s->second[b][b], c = s->second[a][b];
    const double mean = (x + y) / 2, rest = sqrt((x - y) * (x - y) / 4 + c * c);
    half[0] = sqrt(5 * fmax(mean + rest, 0));
    half[1] = sqrt(5 * fmax(mean - rest, 0));
    *turn = atan2(2 * c, x - y) / 2;
}

static void put_shadow(buffer *out, const spread *s, int a, int b, double scale, int is_prior)
{
    double half[2], turn;
    shadow(s, a, b, half, &turn);
    put(out,
        "<ellipse fill=\"none\" stroke=\"currentColor\" stroke-width=\"%s\"%s "
        "transform=\"translate(",
        is_prior ? "1" : "2", is_prior ? " stroke-dasharray=\"4 3\" opacity=\"0.6\"" : "");
    put_place(out, SIZE / 2.0 + scale * s->centre[a]);
    put(out, " ");
    put_place(out, SIZE / 2.0 - scale * s->centre[b]);
    put(out, ") rotate(");
    put_place(out, -turn * 180 / 3.14159265358979323846);
    put(out, ")\" rx=\"");
    put_place(out, scale * half[0]);
    put(out, "\" ry=\"");
    put_place(out, scale * half[1]);
    put(out, "\"/>");
}

static double ellipsoids_reach_of(const spread *s)
{
    double most = 0;
    for (int i = 0; i < 3; i++)
        most = fmax(most, fabs(s->centre[i]) + sqrt(5 * fmax(s->second[i][i], 0)));
    return most;
}

static void put_link(buffer *b, const char *name, const spread *before, const spread *after)
{
    const double scale =
        0.46 * SIZE / fmax(fmax(ellipsoids_reach_of(before), ellipsoids_reach_of(after)), 1e-6);
    put(b, "<tr><td>");
    put_text(b, name);
    put(b, "</td><td>");
    put_value(b, before->mass, 4);
    put(b, "</td><td>");
    put_value(b, after->mass, 4);
    put(b, "</td>");
    for (int plane = 0; plane < 2; plane++) {
        put(b, "<td><svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">", SIZE,
            SIZE, SIZE, SIZE);
        put(b, "<path stroke=\"currentColor\" opacity=\"0.3\" d=\"M%d 0V%dM0 %dH%d\"/>", SIZE / 2,
            SIZE, SIZE / 2, SIZE);
        put_shadow(b, before, 0, plane ? 2 : 1, scale, 1);
        put_shadow(b, after, 0, plane ? 2 : 1, scale, 0);
        put(b, "</svg></td>");
    }
    put(b, "</tr>\n");
}

// The prior lies beside the run; where it does not, nothing is drawn.
void page_ellipsoids(buffer *b, const run *r)
{
    buffer      path = {0};
    arne_robot *prior = NULL;
    arne_error  error;
    put(&path, "%s/inputs/prior.yaml", r->dir);
    if (path.failed || arne_robot_read(path.text, NULL, &prior, &error)) prior = NULL;
    buffer_free(&path);
    const int joints = arne_robot_sizes(r->robot).joint_count;
    if (!prior || arne_robot_sizes(prior).joint_count != joints) {
        arne_robot_free(prior);
        return;
    }
    const size_t count =
        (size_t)arne_parameter_count(r->robot) + (size_t)arne_parameter_count(prior);
    double *found = calloc(count + 1, sizeof *found);
    if (!found) b->failed = 1;
    if (found) {
        double *given = found + arne_parameter_count(r->robot);
        arne_parameters(r->robot, found);
        arne_parameters(prior, given);
        put(b,
            "<section class=\"group\"><h2>Links before and after</h2>\n<p class=\"what\">uniform "
            "ellipsoids with the same mass, centre and inertia: the prior dashed, what was found "
            "solid; each link to a scale of its own</p>\n<table><tr><th>link</th><th>prior "
            "[kg]</th>"
            "<th>found [kg]</th><th>x, y</th><th>x, z</th></tr>\n");
        for (int j = 0; j < joints; j++) {
            const spread before = ellipsoids_spread_of(given + (ptrdiff_t)10 * j),
                         after = ellipsoids_spread_of(found + (ptrdiff_t)10 * j);
            put_link(b, arne_robot_frame(r->robot, arne_robot_joint(r->robot, j).child).name,
                     &before, &after);
        }
        put(b, "</table></section>\n");
    }
    free(found);
    arne_robot_free(prior);
}
