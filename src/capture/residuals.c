// Which torques are residuals, and masses that are adjusted.
#include "base/error.h"
#include "io/pose_math.h"
#include "robot/builder.h"
#include <arne/capture.h>
#include <math.h>

int arne_joint_is_residual(const arne_robot *robot, int joint)
{
    for (int f = arne_robot_joint(robot, joint).parent; f >= 0;) {
        const arne_frame_info link = arne_robot_frame(robot, f);
        if (link.mass > 0) return 0;
        f = link.parent;
    }
    return arne_robot_joint(robot, joint).v_count > 0;
}

arne_status arne_builder_adjust_masses(arne_builder *builder, double factor, const char *link,
                                       arne_vec3 shift, arne_error *error)
{
    const int at = builder && link ? name_index_find(&builder->body_index, link) : -1;
    if (!builder) return arne_fail_null(error);
    if (!(factor > 0) || !isfinite(factor + shift.x + shift.y + shift.z))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "the factor of masses must be positive");
    if (link && at < 0)
        return arne_fail(error, ARNE_NOT_FOUND, NULL, 0, "there is no link '%s'", link);
    for (int i = 0; i < builder->body_count; i++) {
        arne_body_spec *body = &builder->bodies[i];
        body->mass *= factor;
        for (int k = 0; k < 6; k++)
            body->inertia[k] *= factor;
        if (i == at) body->com = vec_add(body->com, shift);
    }
    return ARNE_OK;
}
