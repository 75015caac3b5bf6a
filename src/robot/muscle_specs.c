// Muscles and wrapping surfaces in a builder: names, usual numbers, copies.
#include "base/error.h"
#include "robot/builder.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NAME_OF(names, i)                                                                          \
    ((int)(i) >= 0 && (size_t)(i) < sizeof(names) / sizeof *(names) ? (names)[i] : NULL)

const char *arne_muscle_kind_name(arne_muscle_kind kind)
{
    static const char *const names[] = {"millard", "thelen", "degroote", "ligament", "spring",
                                        "limit",   "tendon", "cable",    "chamber"};
    return NAME_OF(names, kind);
}

const char *arne_wrap_shape_name(arne_wrap_shape shape)
{
    static const char *const names[] = {"cylinder", "sphere", "ellipsoid", "torus"};
    return NAME_OF(names, shape);
}

const char *arne_wrap_side_name(arne_wrap_side side)
{
    static const char *const names[] = {"all", "x", "-x", "y", "-y", "z", "-z", "site"};
    return NAME_OF(names, side);
}

const char *arne_path_measure_name(arne_path_measure measure)
{
    static const char *const names[] = {"length", "x", "y", "z", "turn_x", "turn_y", "turn_z"};
    return NAME_OF(names, measure);
}

int arne_wrap_size_count(arne_wrap_shape shape)
{
    static const int counts[] = {2, 1, 3, 2};
    return arne_wrap_shape_name(shape) ? counts[shape] : 0;
}

arne_wrap_spec arne_wrap_spec_default(void)
{
    arne_wrap_spec spec;
    memset(&spec, 0, sizeof spec);
    spec.origin.R = (arne_mat3){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    spec.shape = ARNE_WRAP_SPHERE;
    return spec;
}

// OpenSim's, of version 4.
arne_muscle_spec arne_muscle_spec_default(arne_muscle_kind kind)
{
    const int        thelen = kind == ARNE_MUSCLE_THELEN, millard = kind == ARNE_MUSCLE_MILLARD;
    arne_muscle_spec spec;
    memset(&spec, 0, sizeof spec);
    spec.law = (arne_muscle_law){.kind = kind};
    if (kind == ARNE_MUSCLE_LIMIT) spec.law.transition = 0.1;
    if (kind >= ARNE_MUSCLE_CABLE) spec.law.activation_time = 0.01;
    if (kind >= ARNE_MUSCLE_LIGAMENT) return spec;
    spec.law = (arne_muscle_law){.kind = kind,
                                 .max_velocity = 10,
                                 .damping = millard ? 0.1 : 0,
                                 .activation_time = thelen    ? 0.015
                                                    : millard ? 0.010
                                                              : 0.015,
                                 .deactivation_time = thelen    ? 0.05
                                                      : millard ? 0.040
                                                                : 0.060,
                                 .minimum_activation = 0.01,
                                 .tendon_strain = thelen ? 0.04 : 0.049,
                                 .passive_strain = millard ? 0.7 : 0.6,
                                 .active_shape = 0.45,
                                 .passive_shape = 5,
                                 .velocity_shape = 0.25,
                                 .lengthening_force = 1.4,
                                 .active_width = 1,
                                 .active = {0.4441, 0.73, 1.8123, 0.8616, 0.1},
                                 .velocity = {0, 0.25, 5, 0, 0.15, 1.4, 0.6, 0.9},
                                 .passive = {0, 0.2, 0, 0.75},
                                 .tendon = {0, 2.0 / 3, 0.5}};
    return spec;
}

// ---- copies ----

static void muscle_free(arne_muscle_spec *m)
{
    for (int i = 0; m->points && i < m->point_count; i++)
        for (int k = 0; k < 3; k++)
            builder_free_numbers((arne_function *)(uintptr_t)&m->points[i].functions[k]);
    builder_free_numbers(&m->curve);
    free((void *)(uintptr_t)m->points);
    free((void *)(uintptr_t)m->wraps);
}

// Copies of all that the spec points to, functions where there are any.
static int muscle_copy(arne_builder *b, arne_muscle_spec *m)
{
    const arne_path_point *points = m->points;
    const arne_path_wrap  *wraps = m->wraps;
    arne_function          curve = m->curve;
    arne_path_point       *p = calloc((size_t)m->point_count + 1, sizeof *p);
    arne_path_wrap        *w = calloc((size_t)m->wrap_count + 1, sizeof *w);
    int                    good = p && w;
    m->points = p;
    m->wraps = w;
    memset(&m->curve, 0, sizeof m->curve);
    good = good && (!curve.count || builder_copy_numbers(&curve));
    if (good && curve.count) m->curve = curve;
    for (int i = 0; i < m->point_count && good; i++) {
        p[i] = points[i];
        memset(p[i].functions, 0, sizeof p[i].functions);
        good = !builder_keep(b, &p[i].link) && !builder_keep(b, &p[i].joint);
        for (int k = 0; k < 3 && good; k++) {
            arne_function f = points[i].functions[k];
            if (!p[i].follows[k]) continue;
            good = !builder_keep(b, &p[i].follows[k]) && builder_copy_numbers(&f);
            if (good) p[i].functions[k] = f;
        }
    }
    for (int i = 0; i < m->wrap_count && good; i++) {
        w[i] = wraps[i];
        good = !builder_keep(b, &w[i].wrap);
    }
    return good;
}

static int muscle_lacks(const arne_muscle_spec *s)
{
    if (!s || !s->name || s->point_count < 0 || s->wrap_count < 0) return 1;
    if ((s->point_count && !s->points) || (s->wrap_count && !s->wraps)) return 1;
    for (int i = 0; i < s->point_count; i++)
        if (!s->points[i].link) return 1;
    for (int i = 0; i < s->wrap_count; i++)
        if (!s->wraps[i].wrap) return 1;
    return 0;
}

arne_status arne_builder_add_muscle(arne_builder *builder, const arne_muscle_spec *spec,
                                    arne_error *error)
{
    if (!builder || muscle_lacks(spec)) return arne_fail_null(error);
    const arne_status status = builder_check_name("a muscle", spec->name, spec->place, error);
    if (status) return status;
    arne_muscle_spec *slot = BUILDER_GROW(builder, muscle), own = *spec;
    if (!slot || builder_keep(builder, &own.name) || builder_keep(builder, &own.joint) ||
        builder_keep(builder, &own.place.file))
        return arne_fail_memory(error);
    if (!muscle_copy(builder, &own)) {
        muscle_free(&own);
        return arne_fail_memory(error);
    }
    *slot = own;
    builder->muscle_count++;
    return ARNE_OK;
}

arne_status arne_builder_add_wrap(arne_builder *builder, const arne_wrap_spec *spec,
                                  arne_error *error)
{
    if (!builder || !spec || !spec->name || !spec->link) return arne_fail_null(error);
    const arne_status status = builder_check_name("a surface", spec->name, spec->place, error);
    if (status) return status;
    arne_wrap_spec *slot = BUILDER_GROW(builder, wrap), own = *spec;
    if (!slot || builder_keep(builder, &own.name) || builder_keep(builder, &own.link) ||
        builder_keep(builder, &own.place.file))
        return arne_fail_memory(error);
    *slot = own;
    builder->wrap_count++;
    return ARNE_OK;
}

void arne_builder_clear_muscles(arne_builder *builder)
{
    for (int i = 0; builder && i < builder->muscle_count; i++)
        muscle_free(&builder->muscles[i]);
    if (builder) builder->muscle_count = builder->wrap_count = 0;
}
