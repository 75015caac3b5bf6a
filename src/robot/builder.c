// The builder as a store: specs are copied, nothing is judged before arne_builder_finish (build.c).
#include "robot/builder.h"
#include "base/error.h"
#include "base/options.h"
#include "base/text.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

arne_status arne_builder_new(arne_builder **out)
{
    if (!out) return ARNE_NULL_ARGUMENT;
    *out = calloc(1, sizeof **out);
    if (!*out) return ARNE_NO_MEMORY;
    (*out)->name = "robot";
    (*out)->gravity.z = -9.81;
    return ARNE_OK;
}

void builder_free_numbers(arne_function *f) { free((void *)(uintptr_t)(f->x ? f->x : f->y)); }

void arne_builder_free(arne_builder *builder)
{
    if (!builder) return;
    for (int i = 0; i < builder->text_count; i++)
        free(builder->texts[i]);
    free(builder->texts);
    free(builder->bodies);
    free(builder->joints);
    free(builder->frames);
    findings_free(&builder->found);
    free(builder->motors);
    free(builder->springs);
    free(builder->loops);
    free(builder->contacts);
    free(builder->couplings);
    for (int i = 0; i < builder->function_count; i++)
        builder_free_numbers(&builder->functions[i].function);
    free(builder->functions);
    free(builder->strains);
    arne_builder_clear_muscles(builder);
    free(builder->muscles);
    free(builder->wraps);
    name_index_free(&builder->body_index);
    name_index_free(&builder->joint_index);
    free(builder);
}

static arne_pose builder_identity(void)
{
    const arne_pose X = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    return X;
}

arne_body_spec arne_body_spec_default(void)
{
    arne_body_spec spec;
    memset(&spec, 0, sizeof spec);
    return spec;
}

arne_joint_spec arne_joint_spec_default(void)
{
    arne_joint_spec spec;
    memset(&spec, 0, sizeof spec);
    spec.kind = ARNE_JOINT_REVOLUTE;
    spec.origin = spec.tip = builder_identity();
    spec.axis.z = 1;
    spec.lower = -INFINITY;
    spec.upper = spec.velocity = spec.effort = INFINITY;
    spec.mimic_ratio = spec.length = spec.turn = 1;
    return spec;
}

arne_motor_spec arne_motor_spec_default(void)
{
    arne_motor_spec spec;
    memset(&spec, 0, sizeof spec);
    spec.axis.z = spec.gear = 1;
    spec.stiffness = spec.effort = spec.effort_rate = INFINITY;
    return spec;
}

arne_spring_spec arne_spring_spec_default(void)
{
    arne_spring_spec spec;
    memset(&spec, 0, sizeof spec);
    return spec;
}

void *builder_grow(void **array, int count, int *room, size_t size)
{
    if (count == *room) {
        const int more = *room ? 2 * *room : 8;
        void     *bigger = realloc(*array, (size_t)more * size);
        if (!bigger) return NULL;
        *array = bigger;
        *room = more;
    }
    return (char *)*array + (size_t)count * size;
}
#define GROW BUILDER_GROW
#define GROW_BODY(b)                                                                               \
    builder_grow((void **)(void *)&(b)->bodies, (b)->body_count, &(b)->body_room,                  \
                 sizeof *(b)->bodies)

// Files repeat their own name a lot, so the last copies are looked at first.
arne_status builder_keep(arne_builder *b, const char **text)
{
    if (!*text) return ARNE_OK;
    for (int i = b->text_count - 1; i >= 0 && i >= b->text_count - 8; i--)
        if (!strcmp(b->texts[i], *text)) {
            *text = b->texts[i];
            return ARNE_OK;
        }
    char       **slot = GROW(b, text);
    const size_t size = strlen(*text) + 1;
    if (!slot || !(*slot = malloc(size))) return ARNE_NO_MEMORY;
    *text = memcpy(*slot, *text, size);
    b->text_count++;
    return ARNE_OK;
}

arne_status arne_builder_set_name(arne_builder *builder, const char *name)
{
    if (!builder || !name) return ARNE_NULL_ARGUMENT;
    if (text_wrong_name(name)) return ARNE_MODEL;
    const arne_status status = builder_keep(builder, &name);
    if (!status) builder->name = name;
    return status;
}

static arne_status store_body(arne_builder *b, arne_body_spec spec, arne_body_spec *slot,
                              arne_error *error)
{
    if (builder_keep(b, &spec.name) || builder_keep(b, &spec.place.file))
        return arne_fail_memory(error);
    *slot = spec;
    return ARNE_OK;
}

static arne_status store_joint(arne_builder *b, arne_joint_spec spec, arne_joint_spec *slot,
                               arne_error *error)
{
    if (builder_keep(b, &spec.place.file) || builder_keep(b, &spec.name) ||
        builder_keep(b, &spec.parent) || builder_keep(b, &spec.child) ||
        builder_keep(b, &spec.mimic))
        return arne_fail_memory(error);
    *slot = spec;
    return ARNE_OK;
}

arne_status builder_check_name(const char *what, const char *name, arne_place place,
                               arne_error *error)
{
    const char *why = name ? text_wrong_name(name) : NULL;
    if (!why) return ARNE_OK;
    return arne_fail(error, ARNE_MODEL, place.file, place.line, "the name of %s, '%.300s', %s",
                     what, name, why);
}

static int lacks_name(const arne_joint_spec *spec)
{
    return !spec || !spec->name || !spec->parent || !spec->child;
}

arne_status arne_builder_add_body(arne_builder *builder, const arne_body_spec *spec,
                                  arne_error *error)
{
    if (!builder || !spec || !spec->name) return arne_fail_null(error);
    arne_status status = builder_check_name("a link", spec->name, spec->place, error);
    if (status) return status;
    arne_body_spec *slot = GROW_BODY(builder);
    if (!slot) return arne_fail_memory(error);
    status = store_body(builder, *spec, slot, error);
    if (status) return status;
    if (!name_index_add(&builder->body_index, slot->name, builder->body_count))
        return arne_fail_memory(error);
    builder->body_count++;
    return ARNE_OK;
}

arne_status arne_builder_add_joint(arne_builder *builder, const arne_joint_spec *spec,
                                   arne_error *error)
{
    if (!builder || lacks_name(spec)) return arne_fail_null(error);
    arne_status status = builder_check_name("a joint", spec->name, spec->place, error);
    if (status) return status;
    arne_joint_spec *slot = GROW(builder, joint);
    if (!slot) return arne_fail_memory(error);
    status = store_joint(builder, *spec, slot, error);
    if (status) return status;
    if (!name_index_add(&builder->joint_index, slot->name, builder->joint_count))
        return arne_fail_memory(error);
    builder->joint_count++;
    return ARNE_OK;
}

arne_status arne_builder_add_motor(arne_builder *builder, const arne_motor_spec *spec,
                                   arne_error *error)
{
    if (!builder || !spec || !spec->joint) return arne_fail_null(error);
    const arne_status status = builder_check_name("a motor", spec->name, spec->place, error);
    if (status) return status;
    arne_motor_spec *slot = GROW(builder, motor), own = *spec;
    if (!slot || builder_keep(builder, &own.name) || builder_keep(builder, &own.joint) ||
        builder_keep(builder, &own.link) || builder_keep(builder, &own.place.file))
        return arne_fail_memory(error);
    if (!own.name) own.name = own.joint;
    *slot = own;
    builder->motor_count++;
    return ARNE_OK;
}

arne_status arne_builder_add_spring(arne_builder *builder, const arne_spring_spec *spec,
                                    arne_error *error)
{
    if (!builder || !spec || !spec->joint) return arne_fail_null(error);
    arne_spring_spec *slot = GROW(builder, spring), own = *spec;
    if (!slot || builder_keep(builder, &own.joint) || builder_keep(builder, &own.place.file))
        return arne_fail_memory(error);
    *slot = own;
    builder->spring_count++;
    return ARNE_OK;
}

arne_status arne_builder_add_coupling(arne_builder *builder, const arne_coupling_spec *spec,
                                      arne_error *error)
{
    if (!builder || !spec || !spec->with || !spec->joint == !spec->motor)
        return arne_fail_null(error);
    arne_coupling_spec *slot = GROW(builder, coupling), own = *spec;
    if (!slot || builder_keep(builder, &own.joint) || builder_keep(builder, &own.motor) ||
        builder_keep(builder, &own.with) || builder_keep(builder, &own.place.file))
        return arne_fail_memory(error);
    *slot = own;
    builder->coupling_count++;
    return ARNE_OK;
}

arne_status arne_builder_add_strain(arne_builder *builder, const arne_strain_spec *spec,
                                    arne_error *error)
{
    if (!builder || !spec || !spec->joint || !spec->with) return arne_fail_null(error);
    arne_strain_spec *slot = GROW(builder, strain), own = *spec;
    if (!slot || builder_keep(builder, &own.joint) || builder_keep(builder, &own.with) ||
        builder_keep(builder, &own.place.file))
        return arne_fail_memory(error);
    *slot = own;
    builder->strain_count++;
    return ARNE_OK;
}

int builder_copy_numbers(arne_function *f)
{
    const size_t count = f->count > 0 ? (size_t)f->count : 0;
    if (f->kind != ARNE_FUNCTION_SPLINE) f->x = NULL;
    double *block = malloc((2 * count + 1) * sizeof *block);
    if (!block) return 0;
    double *y = f->x ? block + count : block;
    if (f->x && count) memcpy(block, f->x, count * sizeof *block);
    if (f->y && count) memcpy(y, f->y, count * sizeof *block);
    if (!f->y) f->count = 0;
    f->x = f->x ? block : NULL;
    f->y = y;
    return 1;
}

arne_status arne_builder_add_function(arne_builder *builder, const arne_function_spec *spec,
                                      arne_error *error)
{
    if (!builder || !spec || !spec->joint || !spec->with) return arne_fail_null(error);
    arne_function_spec *slot = GROW(builder, function), own = *spec;
    if (!slot || builder_keep(builder, &own.joint) || builder_keep(builder, &own.with) ||
        builder_keep(builder, &own.times) || builder_keep(builder, &own.place.file) ||
        !builder_copy_numbers(&own.function))
        return arne_fail_memory(error);
    *slot = own;
    builder->function_count++;
    return ARNE_OK;
}

void builder_clear_functions(arne_builder *b, const char *joint)
{
    int kept = 0;
    for (int i = 0; i < b->function_count; i++)
        if (strcmp(b->functions[i].joint, joint) != 0)
            b->functions[kept++] = b->functions[i];
        else
            builder_free_numbers(&b->functions[i].function);
    b->function_count = kept;
}

int builder_has_function(const arne_builder *b, const char *joint)
{
    for (int i = 0; i < b->function_count; i++)
        if (!strcmp(b->functions[i].joint, joint)) return 1;
    return 0;
}

arne_status arne_builder_add_loop(arne_builder *builder, const arne_loop_spec *spec,
                                  arne_error *error)
{
    if (!builder || !spec || !spec->name || !spec->predecessor || !spec->successor)
        return arne_fail_null(error);
    const arne_status status = builder_check_name("a loop", spec->name, spec->place, error);
    if (status) return status;
    arne_loop_spec *slot = GROW(builder, loop), copy = *spec;
    if (!slot || builder_keep(builder, &copy.name) || builder_keep(builder, &copy.place.file) ||
        builder_keep(builder, &copy.predecessor) || builder_keep(builder, &copy.successor) ||
        builder_keep(builder, &copy.leg_link))
        return arne_fail_memory(error);
    *slot = copy;
    builder->loop_count++;
    return ARNE_OK;
}

arne_status arne_builder_add_contact(arne_builder *builder, const arne_contact_spec *spec,
                                     arne_error *error)
{
    if (!builder || !spec || !spec->link) return arne_fail_null(error);
    const arne_status status = builder_check_name("a contact", spec->name, spec->place, error);
    if (status) return status;
    arne_contact_spec *slot = GROW(builder, contact), own = *spec;
    if (!slot || builder_keep(builder, &own.name) || builder_keep(builder, &own.link) ||
        builder_keep(builder, &own.place.file))
        return arne_fail_memory(error);
    *slot = own;
    builder->contact_count++;
    return ARNE_OK;
}

arne_status arne_builder_add_frame(arne_builder *builder, const char *name, const char *body,
                                   const arne_pose *pose, arne_place place, arne_error *error)
{
    if (!builder || !name || !body) return arne_fail_null(error);
    const arne_status status = builder_check_name("a frame", name, place, error);
    if (status) return status;
    frame_spec *slot = GROW(builder, frame);
    if (!slot || builder_keep(builder, &name) || builder_keep(builder, &body) ||
        builder_keep(builder, &place.file))
        return arne_fail_memory(error);
    const frame_spec spec = {name, body, pose ? *pose : builder_identity(), place};
    *slot = spec;
    builder->frame_count++;
    return ARNE_OK;
}

static arne_body_spec *builder_find_body(const arne_builder *b, const char *name)
{
    const int i = name_index_find(&b->body_index, name);
    return i < 0 ? NULL : &b->bodies[i];
}

static arne_joint_spec *find_joint(const arne_builder *b, const char *name)
{
    const int i = name_index_find(&b->joint_index, name);
    return i < 0 ? NULL : &b->joints[i];
}

arne_status arne_builder_set_body(arne_builder *builder, const arne_body_spec *spec,
                                  arne_error *error)
{
    if (!builder || !spec || !spec->name) return arne_fail_null(error);
    arne_body_spec *slot = builder_find_body(builder, spec->name);
    if (!slot)
        return arne_fail(error, ARNE_NOT_FOUND, spec->place.file, spec->place.line,
                         "there is no body '%s'", spec->name);
    return store_body(builder, *spec, slot, error);
}

arne_status arne_builder_set_joint(arne_builder *builder, const arne_joint_spec *spec,
                                   arne_error *error)
{
    if (!builder || lacks_name(spec)) return arne_fail_null(error);
    arne_joint_spec *slot = find_joint(builder, spec->name);
    if (!slot)
        return arne_fail(error, ARNE_NOT_FOUND, spec->place.file, spec->place.line,
                         "there is no joint '%s'", spec->name);
    return store_joint(builder, *spec, slot, error);
}

static arne_motor_spec *builder_find_motor(const arne_builder *builder, const char *joint)
{
    for (int i = 0; i < builder->motor_count; i++)
        if (strcmp(builder->motors[i].joint, joint) == 0) return &builder->motors[i];
    return NULL;
}

arne_status arne_builder_set_motor(arne_builder *builder, const arne_motor_spec *spec,
                                   arne_error *error)
{
    if (!builder || !spec || !spec->joint) return arne_fail_null(error);
    arne_motor_spec *slot = builder_find_motor(builder, spec->joint), own = *spec;
    if (!slot)
        return arne_fail(error, ARNE_NOT_FOUND, spec->place.file, spec->place.line,
                         "joint '%s' has no motor", spec->joint);
    if (builder_keep(builder, &own.name) || builder_keep(builder, &own.joint) ||
        builder_keep(builder, &own.link) || builder_keep(builder, &own.place.file))
        return arne_fail_memory(error);
    if (!own.name) own.name = own.joint;
    *slot = own;
    return ARNE_OK;
}

arne_status arne_builder_get_motor(const arne_builder *builder, const char *joint,
                                   arne_motor_spec *out)
{
    if (!builder || !joint || !out) return ARNE_NULL_ARGUMENT;
    const arne_motor_spec *found = builder_find_motor(builder, joint);
    if (!found) return ARNE_NOT_FOUND;
    *out = *found;
    return ARNE_OK;
}

arne_status arne_builder_set_inertia(arne_builder *builder, const char *body, double mass,
                                     arne_vec3 com, const double inertia[6], int about_origin,
                                     arne_error *error)
{
    if (!builder || !body || !inertia) return arne_fail_null(error);
    arne_body_spec *slot = builder_find_body(builder, body);
    if (!slot) return arne_fail(error, ARNE_NOT_FOUND, NULL, 0, "there is no body '%s'", body);
    slot->mass = mass;
    slot->com = com;
    slot->about_origin = about_origin;
    memset(&slot->inertia_axes, 0, sizeof slot->inertia_axes);
    memcpy(slot->inertia, inertia, sizeof slot->inertia);
    return ARNE_OK;
}

arne_status arne_builder_get_body(const arne_builder *builder, const char *name,
                                  arne_body_spec *out)
{
    if (!builder || !name || !out) return ARNE_NULL_ARGUMENT;
    const arne_body_spec *found = builder_find_body(builder, name);
    if (!found) return ARNE_NOT_FOUND;
    *out = *found;
    return ARNE_OK;
}

arne_status arne_builder_get_joint(const arne_builder *builder, const char *name,
                                   arne_joint_spec *out)
{
    if (!builder || !name || !out) return ARNE_NULL_ARGUMENT;
    const arne_joint_spec *found = find_joint(builder, name);
    if (!found) return ARNE_NOT_FOUND;
    *out = *found;
    return ARNE_OK;
}

arne_status arne_builder_set_gravity(arne_builder *builder, arne_vec3 gravity)
{
    if (!builder) return ARNE_NULL_ARGUMENT;
    if (!isfinite(gravity.x) || !isfinite(gravity.y) || !isfinite(gravity.z)) return ARNE_VALUE;
    builder->gravity = gravity;
    return ARNE_OK;
}

arne_status arne_builder_set_base(arne_builder *builder, arne_base base)
{
    if (!builder) return ARNE_NULL_ARGUMENT;
    if (base < ARNE_BASE_DEFAULT || base > ARNE_BASE_FREE) return ARNE_VALUE;
    builder->base = base;
    return ARNE_OK;
}

arne_status arne_builder_warn(arne_builder *builder, const char *rule, arne_place place,
                              const char *text)
{
    if (!builder || !rule || !text) return ARNE_NULL_ARGUMENT;
    const finding f = {.rule = rule, .line = place.line};
    return findings_add(&builder->found, &f, place.file, text) ? ARNE_OK : ARNE_NO_MEMORY;
}

arne_status builder_take_options(const arne_build_options **options, arne_build_options *own,
                                 arne_error *error)
{
    if (!*options) return ARNE_OK;
    if (!options_take(own, sizeof *own, OPTIONS_FIRST(arne_build_options), *options))
        return options_refuse(error);
    *options = own;
    return ARNE_OK;
}
