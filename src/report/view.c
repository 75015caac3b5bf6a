// The page of a robot: nothing has run, people move it themselves.
#include "base/error.h"
#include "report/data_block.h"
#include "report/markup.h"
#include "report/page.h"
#include "report/scene.h"
#include <arne/configuration.h>
#include <arne/kinematics.h>
#include <arne/loop.h>
#include <arne/work.h>
#include <math.h>
#include <stdlib.h>

typedef struct viewing {
    const arne_robot      *robot;
    const arne_robot_page *options;
    arne_error            *error;
    arne_work             *work;
    arne_loop_work        *loop;
    double                *q;
    figure                 figure;
    looks                  looks;
} viewing;

// A joint whose range leaves zero out starts in the middle of it.
static void start_within_limits(const arne_robot *robot, double *q)
{
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (j.q_count != 1 || (q[j.q_start] >= j.lower && q[j.q_start] <= j.upper)) continue;
        q[j.q_start] = isfinite(j.lower) && isfinite(j.upper) ? (j.lower + j.upper) / 2
                       : isfinite(j.lower)                    ? j.lower
                                                              : j.upper;
    }
}

static arne_status close_loops(viewing *v)
{
    if (!arne_robot_sizes(v->robot).loop_count) return ARNE_OK;
    if (arne_loop_work_new(v->robot, &v->loop)) return arne_fail_memory(v->error);
    if (!v->options->q) arne_start_configuration(v->robot, v->q);
    return arne_assemble(v->robot, v->work, v->loop, NULL, v->q, NULL, v->error);
}

static arne_status find_start(viewing *v)
{
    const int n = arne_robot_sizes(v->robot).q_count;
    v->q = calloc((size_t)n + 1, sizeof *v->q);
    if (!v->q || arne_work_new(v->robot, &v->work)) return arne_fail_memory(v->error);
    arne_neutral(v->robot, v->q);
    for (int i = 0; i < n && v->options->q; i++)
        v->q[i] = v->options->q[i];
    if (!v->options->q) start_within_limits(v->robot, v->q);
    return close_loops(v);
}

static void put_header(buffer *b, const arne_robot *robot)
{
    const arne_sizes sizes = arne_robot_sizes(robot);
    int              joints = 0;
    for (int i = 0; i < sizes.joint_count; i++)
        joints += arne_robot_joint(robot, i).q_count > 0;
    put(b, "<header><h1>");
    put_text(b, arne_robot_name(robot));
    put(b,
        "</h1>\n<p class=\"facts\"><span>robot</span><span>joints <b>%d</b></span><span>links "
        "<b>%d</b></span>",
        joints, sizes.link_count);
    if (sizes.loop_count) put(b, "<span>closed loops <b>%d</b></span>", sizes.loop_count);
    put(b, "<span>mass that moves <b>");
    put_value(b, arne_total_mass(robot), 4);
    put(b, " kg</b></span></p></header>\n");
}

static void put_block(buffer *b, const viewing *v)
{
    const scene s = {v->robot, &v->figure, v->q, &v->looks};
    put(b, "<script type=\"application/json\" id=\"arne-data\">{\"version\":1,\"kind\":\"robot\","
           "\"robots\":[");
    scene_put(b, &s);
    put(b, "]}</script>\n");
}

static arne_status write_page(const viewing *v, const char *path)
{
    buffer b = {0};
    page_open(&b, arne_robot_name(v->robot), v->looks.file_count ? PAGE_WITH_MESHES : PAGE_MOVES);
    put_header(&b, v->robot);
    put(&b, "<main>\n");
    if (has_viewer() && v->figure.frame_count) {
        put(&b, "<div class=\"view\">\n");
        page_stage(&b, "Drag to turn, drag with the right button or two fingers to move; click, "
                       "then scroll or pinch to zoom.");
        put(&b, "<div id=\"joints\"></div></div>\n");
    } else {
        page_snapshots(&b, &v->figure, 1);
    }
    page_robot(&b, v->robot);
    put(&b, "</main>\n");
    if (has_viewer()) put_block(&b, v);
    page_close(&b, v->looks.file_count ? PAGE_WITH_MESHES : PAGE_MOVES);
    const arne_status status = page_write(&b, path, v->error);
    buffer_free(&b);
    return status;
}

arne_status arne_report_robot(const char *path, const arne_robot *robot,
                              const arne_robot_page *options, arne_error *error)
{
    static const arne_robot_page plain = {0};
    arne_error_clear(error);
    if (!path || !robot)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    viewing     v = {.robot = robot, .options = options ? options : &plain, .error = error};
    arne_status status = find_start(&v);
    if (!status && figure_make_still(robot, v.work, v.q, &v.figure))
        status = arne_fail_memory(error);
    if (!status && v.options->looks)
        status = looks_read(v.options->looks, &v.options->meshes, &v.looks, error);
    if (!status) status = write_page(&v, path);
    looks_free(&v.looks);
    figure_free(&v.figure);
    free(v.q);
    arne_loop_work_free(v.loop);
    arne_work_free(v.work);
    return status;
}
