// Configurations that a robot file names: keyframes of MJCF.
#include "io/poses.h"

#include "base/error.h"
#include "robot/builder.h"
#include <arne/configuration.h>
#include <arne/io.h>
#include <stdlib.h>
#include <string.h>

double *robot_poses_add(robot_poses *list, const char *name, int count)
{
    robot_pose  *all = realloc(list->item, ((size_t)list->count + 1) * sizeof *all);
    const size_t size = strlen(name) + 1;
    if (!all) return NULL;
    list->item = all;
    robot_pose *p = &all[list->count];
    *p = (robot_pose){malloc(size), calloc((size_t)count + 1, sizeof(double)), count};
    if (p->name && p->qpos) {
        memcpy(p->name, name, size);
        list->count++;
        return p->qpos;
    }
    free(p->name);
    free(p->qpos);
    return NULL;
}

int robot_poses_add_servo(robot_poses *list, robot_servo servo)
{
    robot_servo *all = realloc(list->servos, ((size_t)list->servo_count + 1) * sizeof *all);
    const size_t size = strlen(servo.joint) + 1;
    char        *name = all ? malloc(size) : NULL;
    if (all) list->servos = all;
    if (!name) return 0;
    memcpy(name, servo.joint, size);
    servo.joint = name;
    all[list->servo_count++] = servo;
    return 1;
}

void robot_poses_free(robot_poses *list)
{
    for (int i = 0; i < list->servo_count; i++)
        free(list->servos[i].joint);
    free(list->servos);
    for (int i = 0; i < list->count; i++) {
        free(list->item[i].name);
        free(list->item[i].qpos);
    }
    free(list->item);
    *list = (robot_poses){0};
}

static const char *pose_name(const void *list, int index)
{
    return ((const robot_poses *)list)->item[index].name;
}

static arne_status pose_take(const robot_poses *list, const char *path, const arne_robot *robot,
                             const char *name, double *q, arne_error *error)
{
    char near[200];
    int  i = 0, nq, nv;
    while (i < list->count && strcmp(list->item[i].name, name) != 0)
        i++;
    if (i == list->count) {
        arne_near_matches(name, pose_name, list, list->count, near, sizeof near);
        return arne_fail(error, ARNE_NOT_FOUND, path, 0,
                         "there is no configuration '%.80s' in the file%s%s", name, near,
                         list->count ? "" : " (it names none)");
    }
    arne_mujoco_counts(robot, &nq, &nv);
    if (list->item[i].count != nq)
        return arne_fail(error, ARNE_VALUE, path, 0,
                         "configuration '%.80s' has %d numbers; the robot needs %d", name,
                         list->item[i].count, nq);
    arne_from_mujoco(robot, list->item[i].qpos, NULL, NULL, q, NULL, NULL);
    arne_normalize(robot, q);
    return ARNE_OK;
}

arne_status robot_poses_read(const char *path, robot_poses *list, arne_error *error)
{
    arne_builder *builder = NULL;
    arne_error    own;
    arne_error_clear(&own);
    arne_error_clear(error);
    if (arne_builder_new(&builder)) return arne_fail_memory(error);
    reader r = {
        .builder = builder, .file = path, .found = &builder->found, .error = &own, .poses = list};
    const arne_status status = arne_reader_end(&r, arne_reader_file(&r), error);
    arne_builder_free(builder);
    return status;
}

arne_status robot_file_step(const char *path, double *step)
{
    robot_poses       list = {0};
    arne_error        unseen;
    const arne_status status = robot_poses_read(path, &list, &unseen);
    *step = status ? 0 : list.step;
    robot_poses_free(&list);
    return status == ARNE_NO_MEMORY ? status : ARNE_OK;
}

arne_status arne_read_configuration(const char *path, const arne_robot *robot, const char *name,
                                    double *q, arne_error *error)
{
    robot_poses list = {0};
    if (!path || !robot || !name || !q) return arne_fail_null(error);
    arne_status status = robot_poses_read(path, &list, error);
    if (!status) status = pose_take(&list, path, robot, name, q, error);
    robot_poses_free(&list);
    return status;
}
