// The finished robot: layout, facts by index and name, payloads.
#include "robot/robot.h"
#include "base/error.h"
#include "robot/inertia.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void robot_lay_out(arne_robot *r)
{
    size_t at = (sizeof *r + 63) / 64 * 64;
#define ARRAY(type, array, count)                                                                  \
    r->array##_at = at;                                                                            \
    at += ((size_t)(count) * sizeof(type) + 63) / 64 * 64;
    ARNE_ROBOT_ARRAYS(ARRAY)
#undef ARRAY
    r->size = at;
}

// FNV-1a.
static uint64_t robot_mix(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

void robot_mark_layout(arne_robot *r)
{
    const int counts[] = {r->q_count,
                          r->v_count,
                          r->tree_q_count,
                          r->tree_v_count,
                          r->body_count,
                          r->handle_count,
                          r->handle_pairs,
                          r->handle_cross,
                          r->has_handles,
                          r->shares_coordinates,
                          r->rotor_start,
                          r->isa,
                          r->slope_count,
                          r->path_room,
                          r->holds_weight,
                          r->exponent_count,
                          r->exponent_column_count};
    uint64_t  hash = robot_mix(0xcbf29ce484222325u, counts, sizeof counts);
    hash = robot_mix(hash, &r->gravity, sizeof r->gravity);
    for (int i = 0; i < r->body_count; i++) {
        const body *b = &robot_bodies(r)[i];
        const int   facts[] = {b->parent, b->kind, b->q_start, b->v_start, b->v_count};
        hash = robot_mix(hash, facts, sizeof facts);
        hash = robot_mix(hash, &b->pitch, sizeof b->pitch);
        hash = robot_mix(hash, &b->placement, sizeof b->placement);
    }
    r->layout = hash;
}

void arne_robot_free(arne_robot *robot) { free(robot); }

arne_sizes arne_robot_sizes(const arne_robot *r)
{
    const arne_sizes sizes = {
        r->q_count,     r->v_count,    r->body_count,     r->joint_count,
        r->frame_count, r->link_count, r->motor_count,    r->joint_spring_count,
        r->theta_count, r->loop_count, r->loop_row_count, r->contact_count};
    return sizes;
}

const char *arne_robot_name(const arne_robot *robot) { return robot_names(robot) + robot->name; }

arne_vec3 arne_robot_gravity(const arne_robot *robot) { return robot->gravity; }

arne_base arne_robot_base(const arne_robot *robot) { return (arne_base)robot->base; }

arne_joint_info arne_robot_joint(const arne_robot *robot, int joint)
{
    arne_joint_info info = robot_joints(robot)[joint].info;
    info.name = robot_names(robot) + robot_joints(robot)[joint].name;
    return info;
}

arne_frame_info arne_robot_frame(const arne_robot *robot, int frame)
{
    arne_frame_info info = robot_frames(robot)[frame].info;
    info.name = robot_names(robot) + robot_frames(robot)[frame].name;
    return info;
}

arne_motor_info arne_robot_motor(const arne_robot *robot, int motor)
{
    arne_motor_info info = robot_motors(robot)[motor].info;
    info.name = robot_names(robot) + robot_motors(robot)[motor].name;
    return info;
}

arne_spring_info arne_robot_spring(const arne_robot *robot, int index)
{
    return robot_joint_springs(robot)[index];
}

double arne_spring_torque(const arne_spring_info *s, double q, double qd)
{
    const double *k = s->stiffness_more, *d = s->damping_more, x = q - s->rest, v = fabs(qd);
    return -x * (s->stiffness + x * (k[0] + x * k[1])) - qd * (s->damping + v * (d[0] + v * d[1]));
}

int arne_joint_motor(const arne_robot *robot, int joint)
{
    for (int i = 0; i < robot->motor_count; i++)
        if (robot_motors(robot)[i].info.joint == joint) return i;
    return -1;
}

int arne_find_joint(const arne_robot *robot, const char *name)
{
    for (int i = 0; name && i < robot->joint_count; i++)
        if (!strcmp(robot_names(robot) + robot_joints(robot)[i].name, name)) return i;
    return -1;
}

int arne_find_frame(const arne_robot *robot, const char *name)
{
    for (int i = 0; name && i < robot->frame_count; i++)
        if (!strcmp(robot_names(robot) + robot_frames(robot)[i].name, name)) return i;
    return -1;
}

// What the link that carries a frame weighs with a payload on that frame.
static void load_link(arne_robot *r, int frame, const arne_payload *payload)
{
    frame_record *frames = ROBOT_ARRAY(r, frame_record, frames);
    arne_pose     at = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    if (!frames[frame].info.is_link) {
        at = frames[frame].origin;
        frame = frames[frame].info.parent;
    }
    arne_frame_info *link = &frames[frame].info;
    const arne_pose  here = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    body             sum;
    memset(&sum, 0, sizeof sum);
    body_add_mass(&sum, here, link->mass, link->com, link->inertia);
    body_add_mass(&sum, at, payload->mass, payload->com, payload->inertia);
    body_mass(&sum, &link->mass, &link->com, link->inertia);
}

arne_status arne_robot_attach(const arne_robot *robot, int frame, const arne_payload *payload,
                              arne_robot **out, arne_error *error)
{
    if (out) *out = NULL;
    if (!robot || !payload || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    if (frame < 0 || frame >= robot->frame_count)
        return arne_fail(error, ARNE_NOT_FOUND, NULL, 0,
                         "the payload is on a frame that does not exist");
    const frame_record *f = robot_frames(robot) + frame;
    arne_body_spec      spec = arne_body_spec_default();
    spec.name = "payload";
    spec.mass = payload->mass;
    spec.com = payload->com;
    memcpy(spec.inertia, payload->inertia, sizeof spec.inertia);
    const arne_status status = check_inertia(&spec, 0, error);
    if (status) return status;
    arne_robot *copy = malloc(robot->size);
    if (!copy) return arne_fail_memory(error);
    memcpy(copy, robot, robot->size);
    load_link(copy, frame, payload);
    body *b = ROBOT_ARRAY(copy, body, bodies) + f->info.body;
    if (f->info.body > 0 ||
        robot->base == ARNE_BASE_PRESCRIBED) // what a fixed base carries does not count
        body_add_mass(b, f->info.pose, payload->mass, payload->com, payload->inertia);
    robot_find_least(copy);
    *out = copy;
    return ARNE_OK;
}
