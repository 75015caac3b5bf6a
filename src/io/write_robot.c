// A builder or a robot as a file.
#include "io/write_robot.h"
#include "base/error.h"
#include "base/text.h"
#include "io/formats/formats.h"
#include "io/whole_file.h"
#include "robot/builder.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void write_lost(robot_writer *w, const char *format, ...)
{
    char    text[512];
    va_list arguments;
    if (!w->lost) return;
    va_start(arguments, format);
    text_line_list(text, sizeof text, format, arguments);
    va_end(arguments);
    const arne_warning warning = {.rule = "lost", .file = "", .text = text};
    w->lost(w->context, &warning);
}

void write_lost_muscles(robot_writer *w)
{
    for (int i = 0; i < w->b->muscle_count; i++)
        write_lost(w, "muscle '%s'", w->b->muscles[i].name);
}

void write_numbers(robot_writer *w, int count, const double *x, const char *between)
{
    for (int i = 0; i < count; i++) {
        if (i) put(&w->out, "%s", between);
        put_shortest(&w->out, x[i]);
    }
}

void write_xml_text(robot_writer *w, const char *s)
{
    for (const char *p = s; *p; p++) {
        const char *entity = *p == '&'   ? "&amp;"
                             : *p == '<' ? "&lt;"
                             : *p == '>' ? "&gt;"
                             : *p == '"' ? "&quot;"
                                         : NULL;
        if (entity)
            put(&w->out, "%s", entity);
        else
            put_bytes(&w->out, p, 1);
    }
}

int is_identity(const arne_mat3 *R)
{
    return R->x.x == 1 && R->x.y == 0 && R->x.z == 0 && R->y.x == 0 && R->y.y == 1 && R->y.z == 0 &&
           R->z.x == 0 && R->z.y == 0 && R->z.z == 1;
}

void rotation_to_rpy(const arne_mat3 *R, double rpy[3])
{
    const double across = sqrt(R->x.x * R->x.x + R->x.y * R->x.y);
    rpy[1] = atan2(-R->x.z, across);
    if (across > 1e-9) {
        rpy[0] = atan2(R->y.z, R->z.z);
        rpy[2] = atan2(R->x.y, R->x.x);
    } else { // roll and yaw turn about one axis: all of it is roll
        rpy[0] = atan2(-R->z.y, R->y.y);
        rpy[2] = 0;
    }
    for (int i = 0; i < 3; i++)
        rpy[i] += 0.0; // no -0
}

// The text of the file. Refuses a robot that breaks a rule, or that the format cannot express.
static arne_status make_text(const arne_builder *b, arne_format format, robot_writer *w,
                             arne_error *error)
{
    arne_robot       *robot = NULL;
    const arne_status status = arne_builder_finish(b, NULL, &robot, error);
    arne_robot_free(robot);
    if (status) return status;
    for (int i = 0; i < b->function_count && format != ARNE_FORMAT_YAML; i++) {
        const arne_function_spec *f = &b->functions[i];
        if (format == ARNE_FORMAT_MJCF && write_mjcf_holds(b, f)) continue;
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, // else it would be another mechanism
                         "joint '%s' follows '%s' by a function, which only YAML files have",
                         f->joint, f->with);
    }
    if (b->strain_count && format != ARNE_FORMAT_YAML)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "joint '%s' is exponential, which only YAML files have",
                         b->strains[0].joint);
    w->b = b;
    robot_format_at(format)->write(w);
    return w->out.failed ? arne_fail_memory(error) : ARNE_OK;
}

// The endings of all formats that are written, as a sentence has them.
static arne_status fail_ending(const char *path, arne_error *error)
{
    char   all[200] = "";
    size_t used = 0;
    for (int i = 0; i < ARNE_FORMAT_COUNT; i++) {
        const robot_format *f = robot_format_at((arne_format)i);
        if (f->write && used < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s", f->endings + (used > 0));
    }
    if (used && used < sizeof all) all[used - 1] = 0;
    return arne_fail(error, ARNE_VALUE, NULL, 0, "'%s' must end in one of%s, which says the format",
                     path, all);
}

arne_status arne_builder_write(const arne_builder *builder, const char *path, arne_warning_fn lost,
                               void *lost_context, arne_error *error)
{
    arne_format  format;
    robot_writer w = {.lost = lost, .context = lost_context};
    whole_file   file;
    if (!builder || !path) return arne_fail_null(error);
    if (!arne_format_of(path, &format)) return fail_ending(path, error);
    arne_status status = make_text(builder, format, &w, error);
    if (!status) status = arne_whole_file_open(&file, path, error);
    if (!status) {
        fwrite(w.out.text, 1, w.out.size, file.stream); // a failure shows when the file is closed
        status = arne_whole_file_close(&file, error);
    }
    buffer_free(&w.out);
    return status;
}

static arne_status builder_of(const arne_robot *robot, arne_builder **builder, arne_error *error)
{
    arne_status status = arne_builder_new(builder);
    if (status) return arne_fail_memory(error);
    return arne_builder_add_robot(*builder, robot, error);
}

arne_status arne_robot_write(const arne_robot *robot, const char *path, arne_warning_fn lost,
                             void *lost_context, arne_error *error)
{
    arne_builder *builder = NULL;
    if (!robot || !path) return arne_fail_null(error);
    arne_status status = builder_of(robot, &builder, error);
    if (!status) status = arne_builder_write(builder, path, lost, lost_context, error);
    arne_builder_free(builder);
    return status;
}

arne_status arne_robot_text(const arne_robot *robot, arne_format format, arne_warning_fn lost,
                            void *lost_context, char **text, size_t *size, arne_error *error)
{
    arne_builder *builder = NULL;
    robot_writer  w = {.lost = lost, .context = lost_context};
    if (text) *text = NULL;
    if (!robot || !text || !size) return arne_fail_null(error);
    if (!robot_format_at(format) || !robot_format_at(format)->write)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "robots are not written in this format");
    arne_status status = builder_of(robot, &builder, error);
    if (!status) status = make_text(builder, format, &w, error);
    arne_builder_free(builder);
    if (status) {
        buffer_free(&w.out);
        return status;
    }
    *text = w.out.text;
    *size = w.out.size;
    return ARNE_OK;
}
