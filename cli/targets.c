#include "targets.h"

#include "load.h"
#include "message.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

int rotation_of(const char *what, const double *quaternion, arne_mat3 *out)
{
    double u[4], length = 0;
    for (int i = 0; i < 4; i++)
        length += quaternion[i] * quaternion[i];
    length = sqrt(length);
    if (!(fabs(length - 1) <= 1e-6))
        return fail_data("%s: the quaternion has length %.9g, not 1", what, length);
    for (int i = 0; i < 4; i++)
        u[i] = quaternion[i] / length;

    const double x = u[0], y = u[1], z = u[2], w = u[3];
    out->x = (arne_vec3){1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)};
    out->y = (arne_vec3){2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)};
    out->z = (arne_vec3){2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)};
    return EXIT_FINE;
}

// As `pose` prints it: about x, then y, then z of the world.
static arne_mat3 rotation_of_rpy(const double *rpy)
{
    const double cr = cos(rpy[0]), sr = sin(rpy[0]), cp = cos(rpy[1]), sp = sin(rpy[1]),
                 cy = cos(rpy[2]), sy = sin(rpy[2]);
    return (arne_mat3){{cy * cp, sy * cp, -sp},
                       {cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr},
                       {cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr}};
}

// The one text of the list between two places on the command line; *text is NULL if there is none.
static int between(const char *name, const text_list *list, int from, int to, const char **text)
{
    *text = NULL;
    for (int i = 0; i < list->count; i++) {
        if (list->at[i] < from || list->at[i] >= to) continue;
        if (*text) return fail_usage("%s is given twice for one --frame", name);
        *text = list->text[i];
    }
    return EXIT_FINE;
}

static int make_target(const arne_robot *robot, const target_args *args, int i, arne_target *out)
{
    const text_list *frame = &args->frame;
    // A single frame may stand anywhere among its options.
    const int   from = frame->count == 1 ? 0 : frame->at[i];
    const int   to = i + 1 < frame->count ? frame->at[i + 1] : INT_MAX;
    const char *position, *quaternion = NULL, *rpy = NULL;
    number_list list;
    int         code = between("--position", &args->position, from, to, &position);
    if (code == EXIT_FINE) code = between("--quaternion", &args->quaternion, from, to, &quaternion);
    if (code == EXIT_FINE) code = between("--rpy", &args->rpy, from, to, &rpy);
    if (code != EXIT_FINE) return code;
    if (quaternion && rpy) return fail_usage("--quaternion and --rpy exclude each other");
    if (!position) return fail_usage("--frame %s needs a --position x,y,z", frame->text[i]);

    out->frame = find_frame(robot, "--frame", frame->text[i]);
    if (out->frame < 0) return EXIT_USAGE;
    out->pose.R = (arne_mat3){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    code = parse_numbers("--position", position, 3, &list);
    if (code != EXIT_FINE) return code;
    out->pose.p = (arne_vec3){list.value[0], list.value[1], list.value[2]};
    free(list.value);
    if (!quaternion && !rpy) return EXIT_FINE;

    code = rpy ? parse_numbers("--rpy", rpy, 3, &list)
               : parse_numbers("--quaternion", quaternion, 4, &list);
    if (code != EXIT_FINE) return code;
    out->use_rotation = 1;
    if (rpy)
        out->pose.R = rotation_of_rpy(list.value);
    else
        code = rotation_of("--quaternion", list.value, &out->pose.R);
    free(list.value);
    return code;
}

static int check_first(const char *name, const text_list *list, const text_list *frame)
{
    if (frame->count > 1 && list->count && list->at[0] < frame->at[0])
        return fail_usage("%s comes before the first --frame; it belongs after its own", name);
    return EXIT_FINE;
}

int targets_make(const arne_robot *robot, const target_args *args, arne_target **out, int *count)
{
    int code = EXIT_FINE;
    *out = NULL;
    *count = args->frame.count;
    if (*count == 0) return fail_usage("inverse-kinematics needs --frame NAME --position x,y,z");
    if (check_first("--position", &args->position, &args->frame) != EXIT_FINE ||
        check_first("--quaternion", &args->quaternion, &args->frame) != EXIT_FINE ||
        check_first("--rpy", &args->rpy, &args->frame) != EXIT_FINE)
        return EXIT_USAGE;
    *out = need((size_t)*count, sizeof **out);
    for (int i = 0; i < *count && code == EXIT_FINE; i++)
        code = make_target(robot, args, i, &(*out)[i]);
    return code;
}
