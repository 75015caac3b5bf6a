// Takes a robot of parallel modules in series apart: legs that end on one platform, that platform
// and what stands on it besides the next module, on a base that moves as the platform before does.
#include "base/error.h"
#include "mechanism/parallel_modules.h"
#include "robot/builder.h"
#include <stdlib.h>
#include <string.h>

// ---- taking a robot apart

typedef struct apart {
    const arne_robot *robot;
    arne_builder     *all;
    int              *owner; // of each body: its module, -1: none
    arne_error       *error;
} apart;

static int body_of(const apart *s, const char *name)
{
    const int i = name_index_find(&s->all->body_index, name);
    if (i >= 0) return i;
    for (int k = 0; k < s->all->frame_count; k++)
        if (!strcmp(s->all->frames[k].name, name))
            return name_index_find(&s->all->body_index, s->all->frames[k].body);
    return -1;
}

static int parent_joint(const apart *s, int body)
{
    for (int i = 0; i < s->all->joint_count; i++)
        if (!strcmp(s->all->joints[i].child, s->all->bodies[body].name)) return i;
    return -1;
}

// All bodies from this one down to the module's base.
static int claim(apart *s, int body, int base, int which)
{
    while (body != base) {
        const int joint = body < 0 ? -1 : parent_joint(s, body);
        if (joint < 0 || (s->owner[body] >= 0 && s->owner[body] != which)) return 0;
        s->owner[body] = which;
        body = body_of(s, s->all->joints[joint].parent);
    }
    return 1;
}

static int parallel_apart_base_of(const apart *s, const arne_loop_spec *l)
{
    return l->leg_link ? body_of(s, l->leg_link) : -1;
}

static int same_module(const apart *s, const arne_loop_spec *a, const arne_loop_spec *b)
{
    return parallel_apart_base_of(s, a) == parallel_apart_base_of(s, b) &&
           body_of(s, a->successor) == body_of(s, b->successor);
}

// Numbers of modules by loops; 0 where the robot is none of ours.
static int claim_all(apart *s)
{
    const arne_builder *b = s->all;
    int                 count = 0;
    for (int i = 0; i < b->loop_count; i++) {
        const arne_loop_spec *l = &b->loops[i];
        if (i == 0 || !same_module(s, l, l - 1)) count++;
        if (parallel_apart_base_of(s, l) < 0 ||
            !claim(s, body_of(s, l->predecessor), parallel_apart_base_of(s, l), count - 1) ||
            !claim(s, body_of(s, l->successor), parallel_apart_base_of(s, l), count - 1))
            return 0;
    }
    for (int again = 1; again;) { // what else stands on a module belongs to it
        again = 0;
        for (int i = 0; i < b->joint_count; i++) {
            const int child = body_of(s, b->joints[i].child),
                      parent = body_of(s, b->joints[i].parent);
            if (s->owner[child] < 0 && s->owner[parent] >= 0) {
                s->owner[child] = s->owner[parent];
                again = 1;
            }
        }
    }
    return count;
}

static arne_status fail_not_modules(const apart *s)
{
    return arne_fail(s->error, ARNE_MODEL, NULL, 0,
                     "'%s' does not consist of parallel modules on each other",
                     arne_robot_name(s->robot));
}

static const arne_loop_spec *first_loop(const apart *s, int which)
{
    for (int i = 0; i < s->all->loop_count; i++)
        if (s->owner[body_of(s, s->all->loops[i].successor)] == which) return &s->all->loops[i];
    return NULL;
}

// The specs of one module on a prescribed base.
static arne_status copy_specs(apart *s, int which, arne_builder *to)
{
    const arne_builder *b = s->all;
    arne_body_spec      root = arne_body_spec_default();
    arne_status         status = ARNE_OK;
    root.name = b->bodies[parallel_apart_base_of(s, first_loop(s, which))].name;
    status = arne_builder_add_body(to, &root, s->error);
    if (!status) status = arne_builder_set_gravity(to, b->gravity);
    if (!status) status = arne_builder_set_base(to, ARNE_BASE_PRESCRIBED);
    for (int i = 0; i < b->body_count && !status; i++)
        if (s->owner[i] == which) status = arne_builder_add_body(to, &b->bodies[i], s->error);
    for (int i = 0; i < b->joint_count && !status; i++)
        if (s->owner[body_of(s, b->joints[i].child)] == which)
            status = arne_builder_add_joint(to, &b->joints[i], s->error);
    for (int i = 0; i < b->motor_count && !status; i++)
        if (name_index_find(&to->joint_index, b->motors[i].joint) >= 0)
            status = arne_builder_add_motor(to, &b->motors[i], s->error);
    for (int i = 0; i < b->spring_count && !status; i++)
        if (name_index_find(&to->joint_index, b->springs[i].joint) >= 0)
            status = arne_builder_add_spring(to, &b->springs[i], s->error);
    for (int i = 0; i < b->loop_count && !status; i++)
        if (s->owner[body_of(s, b->loops[i].successor)] == which)
            status = arne_builder_add_loop(to, &b->loops[i], s->error);
    return status;
}

// Coordinates of the module in the whole robot, by the names of joints.
static int map_coordinates(const apart *s, module *m)
{
    for (int i = 0; i < arne_robot_sizes(m->robot).joint_count; i++) {
        const arne_joint_info own = arne_robot_joint(m->robot, i);
        const int             there = arne_find_joint(s->robot, own.name);
        if (there < 0) return 0;
        const arne_joint_info whole = arne_robot_joint(s->robot, there);
        for (int k = 0; k < own.q_count; k++)
            m->q_from[own.q_start + k] = whole.q_start + k;
        for (int k = 0; k < own.v_count; k++)
            m->v_from[own.v_start + k] = whole.v_start + k;
    }
    return 1;
}

// The velocities between base and platform, and the driven ones: as many.
static int find_motions(module *m, unsigned char *active)
{
    int link = m->platform, driven = 0;
    arne_active(m->robot, active);
    for (int i = 0; i < m->nv; i++)
        if (active[i]) {
            if (driven == MOST_MOTIONS) return 0;
            m->drives[driven++] = i;
        }
    for (int i = arne_robot_sizes(m->robot).joint_count - 1; i >= 0; i--) {
        const arne_joint_info j = arne_robot_joint(m->robot, i);
        if (j.child != link) continue;
        for (int k = 0; k < j.v_count; k++) {
            if (m->count == MOST_MOTIONS) return 0;
            m->moves[m->count++] = j.v_start + k;
        }
        link = j.parent;
    }
    return m->count == driven && driven > 0;
}

static arne_status parallel_apart_make_room(module *m, arne_error *error)
{
    const arne_sizes sizes = arne_robot_sizes(m->robot);
    const size_t     nq = (size_t)sizes.q_count, nv = (size_t)sizes.v_count;
    m->nq = sizes.q_count;
    m->nv = sizes.v_count;
    m->block = calloc(nq + 3 * nv + 1, sizeof *m->block);
    m->q_from = calloc(nq + 1, sizeof *m->q_from);
    m->v_from = calloc(nv + 1, sizeof *m->v_from);
    m->f_ext = calloc((size_t)sizes.body_count + 1, sizeof *m->f_ext);
    if (!m->block || !m->q_from || !m->v_from || !m->f_ext ||
        arne_work_new(m->robot, &m->work) != ARNE_OK ||
        arne_loop_work_new(m->robot, &m->loop) != ARNE_OK)
        return arne_fail_memory(error);
    m->q = m->block;
    m->qd = m->q + nq;
    m->qdd = m->qd + nv;
    m->tau = m->qdd + nv;
    return ARNE_OK;
}

static arne_status make_module(apart *s, int index, module *m)
{
    arne_builder  *builder = NULL;
    unsigned char *active = NULL;
    arne_status    status = arne_builder_new(&builder);
    if (status) return arne_fail_memory(s->error);
    const arne_build_options options = {.base = ARNE_BASE_PRESCRIBED,
                                        .isa = arne_robot_isa(s->robot)};
    status = copy_specs(s, index, builder);
    if (!status) status = arne_builder_finish(builder, &options, &m->robot, s->error);
    arne_builder_free(builder);
    if (!status) status = parallel_apart_make_room(m, s->error);
    if (status) return status;
    m->platform =
        arne_find_frame(m->robot, s->all->bodies[body_of(s, first_loop(s, index)->successor)].name);
    active = calloc((size_t)m->nv + 1, 1);
    if (!active) return arne_fail_memory(s->error);
    if (!map_coordinates(s, m) || !find_motions(m, active)) status = fail_not_modules(s);
    free(active);
    return status;
}

static arne_status take_apart(apart *s, arne_modules *out)
{
    int         total = 0;
    arne_status status = arne_builder_new(&s->all);
    if (status) return arne_fail_memory(s->error);
    status = arne_builder_add_robot(s->all, s->robot, s->error);
    if (status) return status;
    s->owner = malloc(((size_t)s->all->body_count + 1) * sizeof *s->owner);
    if (!s->owner) return arne_fail_memory(s->error);
    for (int i = 0; i < s->all->body_count; i++)
        s->owner[i] = -1;
    const int count = claim_all(s);
    if (count == 0 || arne_robot_base(s->robot) != ARNE_BASE_FIXED) return fail_not_modules(s);
    out->item = calloc((size_t)count, sizeof *out->item);
    if (!out->item) return arne_fail_memory(s->error);
    out->count = count;
    for (int i = 0; i < count && !status; i++) {
        status = make_module(s, i, &out->item[i]);
        total += out->item[i].nv;
    }
    if (!status && total != arne_robot_sizes(s->robot).v_count) status = fail_not_modules(s);
    return status;
}

arne_status arne_modules_new(const arne_robot *robot, arne_modules **out, arne_error *error)
{
    arne_error own;
    apart      s = {.robot = robot, .error = error ? error : &own};
    if (!robot || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    *out = calloc(1, sizeof **out);
    if (!*out) return arne_fail_memory(error);
    const arne_status status = take_apart(&s, *out);
    arne_builder_free(s.all);
    free(s.owner);
    if (status) {
        arne_modules_free(*out);
        *out = NULL;
    }
    return status;
}

void arne_modules_free(arne_modules *modules)
{
    if (!modules) return;
    for (int i = 0; i < modules->count; i++) {
        module *m = &modules->item[i];
        arne_loop_work_free(m->loop);
        arne_work_free(m->work);
        arne_robot_free(m->robot);
        free(m->block);
        free(m->q_from);
        free(m->v_from);
        free(m->f_ext);
    }
    free(modules->item);
    free(modules);
}

int arne_modules_count(const arne_modules *modules) { return modules ? modules->count : 0; }
