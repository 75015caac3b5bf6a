// The page of a robot: nothing has run, people move it themselves.
#include "base/error.h"
#include "base/text.h"
#include "report/markup.h"
#include "report/page.h"
#include "report/robot_view.h"
#include "report/still.h"
#include <arne/io.h>
#include <arne/kinematics.h>

static void view_put_header(buffer *b, const arne_robot *robot)
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

// The robot as a text that reads back to the last bit, where the page is to compute.
static arne_status view_take_text(robot_view *v, arne_error *error)
{
    size_t size;
    if (has_live() && has_viewer())
        return arne_robot_text(v->robot, ARNE_FORMAT_YAML, NULL, NULL, &v->text, &size, error);
    return arne_fail(
        error, ARNE_UNSUPPORTED, NULL, 0,
        "pages of this build do not compute: it was made without emscripten (make wasm)");
}

// Pages are sent to others: warn if one is large.
static void warn_size(size_t size, const arne_mesh_options *how)
{
    enum { LARGE = 3000000 };
    char               text[128];
    const arne_warning warning = {.rule = "size", .file = "view", .text = text};
    if (size < LARGE || !how->warn) return;
    text_line(text, sizeof text, "the page has %.1f MB, most of it meshes", (double)size / 1e6);
    how->warn(how->warn_context, &warning);
}

static arne_status view_write_page(const robot_view *v, const char *path,
                                   const arne_mesh_options *how, arne_error *error)
{
    const page_scripts scripts = (looks_have_data(&v->looks) ? PAGE_HAS_DATA : PAGE_STILL) |
                                 (v->text               ? PAGE_LIVE
                                  : v->looks.file_count ? PAGE_WITH_MESHES
                                                        : PAGE_MOVES);
    buffer b = {0};
    page_open(&b, arne_robot_name(v->robot), scripts);
    view_put_header(&b, v->robot);
    put(&b, "<main>\n");
    if (has_viewer() && v->figure.frame_count) {
        put(&b, "<div class=\"view\">\n");
        page_stage(&b, v->text ? "Drag an orange end to move it, drag elsewhere to turn the view, "
                                 "with the right button or two fingers to move it; click, then "
                                 "scroll or pinch to zoom."
                               : "Drag to turn, drag with the right button or two fingers to move; "
                                 "click, then scroll or pinch to zoom. Click a link for its name, "
                                 "pose and mass.");
        put(&b, "<div id=\"joints\"></div></div>\n");
        if (v->text) put(&b, "<div id=\"live\"></div>\n");
    } else {
        page_snapshots(&b, &(scene){v->robot, &v->figure, v->q, &v->looks}, 1);
    }
    page_robot(&b, v->robot);
    put(&b, "</main>\n");
    if (has_viewer()) {
        put(&b, "<script type=\"application/json\" id=\"arne-data\">");
        robot_view_put(&b, v);
        put(&b, "</script>\n");
    }
    page_close(&b, scripts);
    const arne_status status = page_write(&b, path, error);
    if (!status) warn_size(b.size, how);
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
    robot_view v;
    if (!options) options = &plain;
    arne_status status = robot_view_make(&v, robot, options, error);
    if (!status && options->live) status = view_take_text(&v, error);
    if (!status) status = view_write_page(&v, path, &options->meshes, error);
    robot_view_free(&v);
    return status;
}
