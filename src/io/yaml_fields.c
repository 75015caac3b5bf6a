#include "io/yaml_fields.h"
#include "base/error.h"
#include "io/number.h"
#include "io/read_rotation.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *kind_name(yaml_kind kind)
{
    return kind == YAML_TEXT ? "a single value" : kind == YAML_LIST ? "a list" : "a mapping";
}

arne_status arne_yaml_fail(const yaml_slot *slot, arne_status code, const char *format, ...)
{
    char    text[sizeof slot->reader->error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return arne_reader_fail(slot->reader, code, slot->value->line, "%s%s%s %s", slot->owner,
                            *slot->owner ? ": " : "", slot->key, text);
}

arne_status arne_yaml_expect(const yaml_slot *slot, yaml_kind kind)
{
    if (slot->value->kind == kind) return ARNE_OK;
    return arne_yaml_fail(slot, ARNE_VALUE, "must be %s, not %s", kind_name(kind),
                          kind_name(slot->value->kind));
}

arne_status arne_yaml_fields(const yaml_slot *map, const yaml_field *fields, void *into)
{
    arne_status status = arne_yaml_expect(map, YAML_MAP);
    for (const yaml_item *i = status ? NULL : map->value->first; i && !status; i = i->next) {
        const yaml_field *f = fields;
        while (f->key && strcmp(f->key, i->key) != 0)
            f++;
        const yaml_slot slot = {map->reader, map->owner, i->key, i->value};
        status = f->key ? f->read(&slot, (char *)into + f->offset)
                        : arne_reader_unknown(map->reader, i->line, "%s%sunknown key '%s'%s",
                                              map->owner, *map->owner ? ": " : "", i->key,
                                              map->reader->builder ? " is ignored" : "");
    }
    return status;
}

arne_status arne_yaml_choice(const yaml_slot *slot, const char *const *words, int *out)
{
    const arne_status status = arne_yaml_expect(slot, YAML_TEXT);
    if (status) return status;
    char   known[200] = "";
    size_t used = 0;
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], slot->value->text) == 0) {
            *out = i;
            return ARNE_OK;
        }
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                     words[i]);
    }
    return arne_yaml_fail(slot, ARNE_VALUE, "'%.80s' is not one of: %s", slot->value->text, known);
}

arne_status arne_yaml_text(const yaml_slot *slot, void *text)
{
    const arne_status status = arne_yaml_expect(slot, YAML_TEXT);
    if (status) return status;
    if (!*slot->value->text) return arne_yaml_fail(slot, ARNE_VALUE, "is empty");
    *(const char **)text = slot->value->text;
    return ARNE_OK;
}

arne_status arne_yaml_number(const yaml_slot *slot, void *number)
{
    const char *why = "";
    arne_status status = arne_yaml_expect(slot, YAML_TEXT);
    if (status) return status;
    status = arne_number_expression(slot->value->text, number, &why);
    if (status == ARNE_NO_MEMORY) return arne_fail_memory(slot->reader->error);
    return status ? arne_yaml_fail(slot, status, "'%.40s' %s", slot->value->text, why) : ARNE_OK;
}

arne_status arne_yaml_numbers(const yaml_slot *slot, int count, double *out)
{
    arne_status status = arne_yaml_expect(slot, YAML_LIST);
    if (status) return status;
    if (slot->value->count != count)
        return arne_yaml_fail(slot, ARNE_VALUE, "needs %d numbers, has %d", count,
                              slot->value->count);
    for (const yaml_item *i = slot->value->first; i && !status; i = i->next) {
        const yaml_slot entry = {slot->reader, slot->owner, slot->key, i->value};
        status = arne_yaml_number(&entry, out++);
    }
    return status;
}

arne_status arne_yaml_vec3(const yaml_slot *slot, void *vec3)
{
    double            v[3];
    const arne_status status = arne_yaml_numbers(slot, 3, v);
    if (!status) *(arne_vec3 *)vec3 = (arne_vec3){v[0], v[1], v[2]};
    return status;
}

static arne_status read_rpy(const yaml_slot *slot, void *R)
{
    double            rpy[3];
    const arne_status status = arne_yaml_numbers(slot, 3, rpy);
    if (!status) *(arne_mat3 *)R = arne_rotation_rpy(rpy);
    return status;
}

static arne_status read_quaternion(const yaml_slot *slot, void *R)
{
    double            xyzw[4], length = 0;
    const arne_status status = arne_yaml_numbers(slot, 4, xyzw);
    if (status || arne_rotation_quaternion(xyzw, R, &length)) return status;
    return arne_yaml_fail(slot, ARNE_VALUE, "has length %.7g; it must be a unit quaternion",
                          length);
}

arne_status arne_yaml_pose(const yaml_slot *slot, void *pose)
{
    static const yaml_field fields[] = {
        {"xyz", arne_yaml_vec3, offsetof(arne_pose, p)},
        {"rpy", read_rpy, offsetof(arne_pose, R)},
        {"quaternion", read_quaternion, offsetof(arne_pose, R)},
        YAML_FIELDS_END,
    };
    const arne_status status = arne_yaml_fields(slot, fields, pose);
    if (!status && arne_yaml_find(slot->value, "rpy") && arne_yaml_find(slot->value, "quaternion"))
        return arne_yaml_fail(slot, ARNE_VALUE, "has both rpy and quaternion");
    return status;
}
