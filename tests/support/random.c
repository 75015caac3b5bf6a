#include "testing.h"

#include <stdio.h>

rng rng_seed(uint64_t seed)
{
    const rng r = {seed * 0x9E3779B97F4A7C15u + 1};
    return r;
}

// splitmix64: well mixed even for neighbouring seeds.
static uint64_t rng_next(rng *r)
{
    uint64_t z = (r->state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

double rng_uniform(rng *r, double low, double high)
{
    return low + (high - low) * (double)(rng_next(r) >> 11) * 0x1p-53;
}

int rng_below(rng *r, int count) { return (int)(rng_next(r) % (uint64_t)count); }

int rng_chance(rng *r, double probability) { return rng_uniform(r, 0, 1) < probability; }

arne_vec3 rng_vec3(rng *r, double size)
{
    const double x = rng_uniform(r, -size, size), y = rng_uniform(r, -size, size);
    return v3(x, y, rng_uniform(r, -size, size));
}

arne_vec3 rng_axis(rng *r)
{
    for (;;) {
        const arne_vec3 v = rng_vec3(r, 1);
        const double    length = v3_length(v);
        if (length > 0.1 && length <= 1) return v3_scale(1 / length, v);
    }
}

arne_pose rng_pose(rng *r, double size)
{
    const arne_vec3 axis = rng_axis(r);
    const arne_pose pose = {m3_turn(axis, rng_uniform(r, -3.1, 3.1)), rng_vec3(r, size)};
    return pose;
}

void rng_fill(rng *r, double *out, int count, double size)
{
    for (int i = 0; i < count; i++)
        out[i] = rng_uniform(r, -size, size);
}

state random_state(const arne_robot *robot, uint64_t seed)
{
    state    s = {.robot = robot, .size = arne_robot_sizes(robot), .seed = seed};
    rng      r = rng_seed(seed);
    uint64_t configuration = seed;

    arne_random_configuration(robot, &configuration, s.q);
    rng_fill(&r, s.qd, s.size.v_count, 1);
    rng_fill(&r, s.qdd, s.size.v_count, 2);
    rng_fill(&r, s.tau, s.size.v_count, 10);
    for (int i = 0; i < s.size.link_count; i++) {
        s.wrench[i].lin = rng_vec3(&r, 5);
        s.wrench[i].ang = rng_vec3(&r, 2);
        arne_add_wrench(robot, i, &s.wrench[i], s.f_ext);
    }
    s.base_pose = pose_identity();
    if (arne_robot_base(robot) == ARNE_BASE_PRESCRIBED) {
        s.base_pose = rng_pose(&r, 1);
        s.base_velocity.lin = rng_vec3(&r, 1);
        s.base_velocity.ang = rng_vec3(&r, 1);
        s.base_acceleration.lin = rng_vec3(&r, 2);
        s.base_acceleration.ang = rng_vec3(&r, 2);
    }
    return s;
}

void state_set_base(const state *s, arne_work *work)
{
    if (arne_robot_base(s->robot) == ARNE_BASE_PRESCRIBED)
        arne_work_set_base(s->robot, work, &s->base_pose, &s->base_velocity, &s->base_acceleration);
}

void state_stop_base(state *s, arne_work *work)
{
    const arne_motion rest = {{0, 0, 0}, {0, 0, 0}};
    s->base_velocity = rest;
    s->base_acceleration = rest;
    state_set_base(s, work);
}
