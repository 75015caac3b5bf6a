#include "report/robot_view.h"

#include "base/error.h"
#include "report/data_block.h"
#include "report/scene.h"
#include <arne/configuration.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static arne_status robot_view_close_loops(robot_view *v, int given, arne_error *error)
{
    if (!arne_robot_sizes(v->robot).loop_count) return ARNE_OK;
    if (arne_loop_work_new(v->robot, &v->loop)) return arne_fail_memory(error);
    if (!given) arne_start_configuration(v->robot, v->q);
    return arne_assemble(v->robot, v->work, v->loop, NULL, v->q, NULL, error);
}

static arne_status find_start(robot_view *v, const double *given, arne_error *error)
{
    const int n = arne_robot_sizes(v->robot).q_count;
    v->q = calloc((size_t)n + 1, sizeof *v->q);
    if (!v->q || arne_work_new(v->robot, &v->work)) return arne_fail_memory(error);
    arne_neutral(v->robot, v->q);
    for (int i = 0; given && i < n; i++)
        v->q[i] = given[i];
    if (!given) start_within_limits(v->robot, v->q);
    return robot_view_close_loops(v, given != NULL, error);
}

arne_status robot_view_make(robot_view *v, const arne_robot *robot, const arne_robot_page *options,
                            arne_error *error)
{
    *v = (robot_view){.robot = robot};
    arne_status status = find_start(v, options->q, error);
    if (!status && figure_make_still(robot, v->work, v->q, &v->figure))
        status = arne_fail_memory(error);
    if (!status && options->looks)
        status = looks_read(options->looks, &options->meshes,
                            options->live ? LOOKS_ROOM_LIVE : LOOKS_ROOM, &v->looks, error);
    return status;
}

void robot_view_free(robot_view *v)
{
    looks_free(&v->looks);
    figure_free(&v->figure);
    free(v->q);
    free(v->text);
    arne_loop_work_free(v->loop);
    arne_work_free(v->work);
}

void robot_view_put(buffer *b, const robot_view *v)
{
    const scene s = {v->robot, &v->figure, v->q, &v->looks};
    put(b, "{\"version\":1,\"kind\":\"robot\",\"robots\":[");
    scene_put(b, &s);
    put(b, "]");
    if (v->text) {
        put(b, ",\n\"live\":");
        block_bytes(b, (const unsigned char *)v->text, strlen(v->text));
    }
    put(b, "}");
}
