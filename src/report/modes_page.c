// The page of a robot's modes: a table of frequencies, and drawings of the robot swinging.
#include "base/error.h"
#include "report/markup.h"
#include "report/page.h"
#include "report/still.h"
#include <arne/configuration.h>
#include <arne/integrate.h>
#include <arne/kinematics.h>
#include <arne/modes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWN = 12, POSTURES = 7 };

typedef struct swinging {
    const arne_robot *robot;
    arne_error       *error;
    arne_work        *work;
    arne_sizes        sizes;
    double           *block, *q, *frequency, *shapes, *step, *postures;
    int               count;
} swinging;

static arne_status modes_page_make(swinging *s)
{
    const size_t nv = (size_t)s->sizes.v_count, nq = (size_t)s->sizes.q_count;
    s->block = calloc(nq * (POSTURES + 1) + nv * (nv + 2) + 1, sizeof *s->block);
    if (!s->block || arne_work_new(s->robot, &s->work)) return arne_fail_memory(s->error);
    s->q = s->block;
    s->postures = s->q + nq;
    s->frequency = s->postures + POSTURES * nq;
    s->step = s->frequency + nv;
    s->shapes = s->step + nv;
    return ARNE_OK;
}

static double modes_page_distance(arne_vec3 a, arne_vec3 b)
{
    return sqrt(pow(a.x - b.x, 2) + pow(a.y - b.y, 2) + pow(a.z - b.z, 2));
}

// How far the fastest frame moves by one unit of the shape, and how large the robot is.
static double find_amplitude(const swinging *s, const double *shape)
{
    double          size = 0, fastest = 0, turn = 0;
    const arne_vec3 origin = {0, 0, 0};
    arne_kinematics(s->robot, s->work, s->q, shape, NULL);
    for (int i = 0; i < s->sizes.frame_count; i++) {
        const arne_motion v = arne_frame_velocity(s->robot, s->work, i, ARNE_AXES_ALIGNED);
        const arne_pose   X = arne_frame_pose(s->robot, s->work, i);
        const arne_vec3   root = arne_frame_pose(s->robot, s->work, 0).p;
        fastest = fmax(fastest, modes_page_distance(v.lin, origin));
        turn = fmax(turn, modes_page_distance(v.ang, origin));
        size = fmax(size, modes_page_distance(X.p, root));
    }
    const double by_length = fastest > 0 && size > 0 ? 0.15 * size / fastest : INFINITY;
    return fmin(by_length, turn > 0 ? 1 / turn : INFINITY);
}

static arne_status put_drawing(buffer *b, swinging *s, int mode)
{
    const double *shape = s->shapes + (size_t)mode * (size_t)s->sizes.v_count;
    const double  amplitude = find_amplitude(s, shape);
    figure        f;
    for (int i = 0; i < POSTURES && isfinite(amplitude); i++) {
        const double part = -cos(acos(-1) * i / (POSTURES - 1)) * amplitude;
        for (int k = 0; k < s->sizes.v_count; k++)
            s->step[k] = part * shape[k];
        arne_integrate(s->robot, s->q, s->step, s->postures + (size_t)i * (size_t)s->sizes.q_count);
    }
    if (!isfinite(amplitude)) return ARNE_OK;
    if (figure_make_postures(s->robot, s->work, POSTURES, s->postures, &f)) {
        figure_free(&f);
        return arne_fail_memory(s->error);
    }
    put(b, "<article><div class=\"picture\">");
    page_thumbnail(b, &(scene){s->robot, &f, NULL, NULL});
    put(b, "</div><h2>Mode %d</h2><p>", mode + 1);
    put_value(b, s->frequency[mode], 5);
    put(b, " Hz</p></article>\n");
    figure_free(&f);
    return ARNE_OK;
}

static void modes_page_put_table(buffer *b, const swinging *s)
{
    put(b, "<table><thead><tr><th>mode</th><th>frequency [Hz]</th><th>moves "
           "most</th></tr></thead><tbody>\n");
    for (int i = 0; i < s->count; i++) {
        const double *shape = s->shapes + (size_t)i * (size_t)s->sizes.v_count;
        int           most = 0;
        for (int k = 1; k < s->sizes.v_count; k++)
            if (fabs(shape[k]) > fabs(shape[most])) most = k;
        const char *name = "";
        for (int j = 0; j < s->sizes.joint_count; j++) {
            const arne_joint_info info = arne_robot_joint(s->robot, j);
            if (most >= info.v_start && most < info.v_start + info.v_count) name = info.name;
        }
        put(b, "<tr><td>%d</td><td>", i + 1);
        put_value(b, s->frequency[i], 6);
        put(b, "</td><td>");
        put_text(b, *name ? name : "a motor");
        put(b, "</td></tr>\n");
    }
    put(b, "</tbody></table>\n");
}

static arne_status modes_page_write_page(swinging *s, const char *path)
{
    buffer      b = {0};
    arne_status status = ARNE_OK;
    page_open(&b, arne_robot_name(s->robot), PAGE_STILL);
    put(&b, "<header><h1>");
    put_text(&b, arne_robot_name(s->robot));
    put(&b,
        "</h1>\n<p class=\"facts\"><span>natural frequencies</span><span>modes <b>%d</b></span></p>"
        "</header>\n<main>\n<p>Small motions about the equilibrium, without damping; drawn larger "
        "than "
        "they are. The darkest posture is one end of the swing.</p>\n<div class=\"index\">\n",
        s->count);
    for (int i = 0; i < s->count && i < DRAWN && !status; i++)
        status = put_drawing(&b, s, i);
    put(&b, "</div>\n");
    modes_page_put_table(&b, s);
    put(&b, "</main>\n");
    page_close(&b, PAGE_STILL);
    if (!status) status = page_write(&b, path, s->error);
    buffer_free(&b);
    return status;
}

arne_status arne_report_modes(const char *path, const arne_robot *robot,
                              const arne_robot_page *options, arne_error *error)
{
    arne_error_clear(error);
    if (!path || !robot)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    swinging    s = {.robot = robot, .error = error, .sizes = arne_robot_sizes(robot)};
    arne_status status = modes_page_make(&s);
    if (!status) {
        arne_neutral(robot, s.q);
        if (options && options->q) memcpy(s.q, options->q, (size_t)s.sizes.q_count * sizeof *s.q);
        status = arne_modes(robot, s.work, NULL, s.q, &s.count, s.frequency, s.shapes, error);
    }
    if (!status) status = modes_page_write_page(&s, path);
    arne_work_free(s.work);
    free(s.block);
    return status;
}
