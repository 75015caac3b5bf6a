// Single values of a document: texts, numbers, flags, words, vectors and poses.
#include "base/plain.h"
#include "io/number.h"
#include "io/read_rotation.h"
#include "io/schema.h"
#include "robot/graph.h"
#include <arne/io.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *kind_name(doc_kind kind)
{
    return kind == DOC_TEXT ? "a single value" : kind == DOC_LIST ? "a list" : "a mapping";
}

arne_status doc_expect(const doc_slot *slot, doc_kind kind)
{
    if (slot->value->kind == kind) return ARNE_OK;
    return doc_fail(slot, ARNE_VALUE, "must be %s, not %s", kind_name(kind),
                    kind_name(slot->value->kind));
}

arne_status doc_text(const doc_slot *slot, const char **out)
{
    const arne_status status = doc_expect(slot, DOC_TEXT);
    if (status) return status;
    if (!*slot->value->text) return doc_fail(slot, ARNE_VALUE, "is empty");
    *out = slot->value->text;
    return ARNE_OK;
}

arne_status doc_number(const doc_slot *slot, double *out)
{
    const char *why = "";
    arne_status status = doc_expect(slot, DOC_TEXT);
    if (status) return status;
    const char *units = slot->reader->units;
    status = arne_number_in_unit(slot->value->text, units, out, &why);
    if (status == ARNE_NO_MEMORY) return arne_fail_memory(slot->reader->error);
    if (!status) return ARNE_OK;
    const int asks = units && *units && strstr(why, "unit") != NULL;
    return doc_fail(slot, status, "'%.40s' %s%s%s", slot->value->text, why,
                    asks ? "; it is needed in " : "", asks ? units : "");
}

arne_status doc_in_range(const doc_slot *slot, doc_range range, double value)
{
    const char *rule = range == DOC_POSITIVE && !(value > 0)              ? "must be positive"
                       : range == DOC_NOT_NEGATIVE && !(value >= 0)       ? "must not be negative"
                       : range == DOC_NOT_ZERO && value == 0              ? "must not be 0"
                       : range == DOC_PART && !(value >= 0 && value <= 1) ? "must be from 0 to 1"
                                                                          : NULL;
    return rule ? doc_fail(slot, ARNE_VALUE, "%s (%g)", rule, value) : ARNE_OK;
}

arne_status doc_whole(const doc_slot *slot, int *out)
{
    double            value = 0;
    const arne_status status = doc_number(slot, &value);
    if (status) return status;
    if (value != floor(value) || fabs(value) > 1e9)
        return doc_fail(slot, ARNE_VALUE, "must be a whole number, not %.40s", slot->value->text);
    *out = (int)value;
    return ARNE_OK;
}

static int doc_scalars_is_word(const char *text, const char *word)
{
    while (*text && plain_lower(*text) == *word) {
        text++;
        word++;
    }
    return !*text && !*word;
}

// The one grammar of yes and no.
arne_status doc_flag(const doc_slot *slot, int *out)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
    const arne_status        status = doc_expect(slot, DOC_TEXT);
    if (status) return status;
    for (int i = 0; i < 6; i++)
        if (doc_scalars_is_word(slot->value->text, words[i])) {
            *out = i % 2;
            return ARNE_OK;
        }
    return doc_fail(slot, ARNE_VALUE,
                    "'%.40s' is neither true nor false (yes, no, on and off do, too)",
                    slot->value->text);
}

static const char *word_name(const void *words, int index)
{
    return ((const doc_word *)words)[index].name;
}

arne_status doc_choice(const doc_slot *slot, const doc_word *words, const doc_word **out)
{
    const arne_status status = doc_expect(slot, DOC_TEXT);
    if (status) return status;
    char   known[300] = "", near[120];
    size_t used = 0;
    int    count = 0;
    for (const doc_word *w = words; w->name; w++, count++) {
        if (strcmp(w->name, slot->value->text) == 0) {
            *out = w;
            return ARNE_OK;
        }
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", count ? ", " : "",
                                     w->name);
    }
    arne_near_matches(slot->value->text, word_name, words, count, near, sizeof near);
    return doc_fail(slot, ARNE_VALUE, "'%.80s' is not one of: %s%s", slot->value->text, known,
                    near);
}

arne_status doc_numbers(const doc_slot *slot, int count, double *out)
{
    arne_status status = doc_expect(slot, DOC_LIST);
    if (status) return status;
    if (slot->value->count != count)
        return doc_fail(slot, ARNE_VALUE, "needs %d numbers, has %d", count, slot->value->count);
    for (const doc_item *i = slot->value->first; i && status_goes_on(status); i = i->next) {
        const doc_slot entry = {slot->reader, slot->owner, slot->key, i->value};
        double         value = 0;
        status = status_both(status, doc_number(&entry, &value));
        *out++ = value;
    }
    return status;
}

arne_status doc_vec3(const doc_slot *slot, arne_vec3 *out)
{
    double            v[3];
    const arne_status status = doc_numbers(slot, 3, v);
    if (!status) *out = (arne_vec3){v[0], v[1], v[2]};
    return status;
}

static arne_status read_rpy(const doc_slot *slot, void *R)
{
    double            rpy[3];
    const arne_status status = doc_numbers(slot, 3, rpy);
    if (!status) *(arne_mat3 *)R = arne_rotation_rpy(rpy);
    return status;
}

static arne_status doc_scalars_read_quaternion(const doc_slot *slot, void *R)
{
    double            xyzw[4], length = 0;
    const arne_status status = doc_numbers(slot, 4, xyzw);
    if (status || arne_rotation_quaternion(xyzw, R, &length)) return status;
    return doc_fail(slot, ARNE_VALUE, "has length %.7g; it must be a unit quaternion", length);
}

// Row by row, so that a rotation reads back to the last bit.
static arne_status read_matrix(const doc_slot *slot, void *R)
{
    double            r[9];
    const arne_status status = doc_numbers(slot, 9, r);
    if (status) return status;
    const arne_mat3 columns = {{r[0], r[3], r[6]}, {r[1], r[4], r[7]}, {r[2], r[5], r[8]}};
    if (!is_rotation(&columns)) return doc_fail(slot, ARNE_VALUE, "is not a rotation");
    *(arne_mat3 *)R = columns;
    return ARNE_OK;
}

arne_status doc_pose(const doc_slot *slot, arne_pose *out)
{
    static const doc_key keys[] = {
        {"xyz", DOC_TYPE_VEC3, offsetof(arne_pose, p), .unit = "m"},
        {"rpy", DOC_TYPE_OTHER, offsetof(arne_pose, R), .read = read_rpy, .unit = "rad"},
        {"quaternion", DOC_TYPE_OTHER, offsetof(arne_pose, R), .read = doc_scalars_read_quaternion,
         .help = "x, y, z, w"},
        {"matrix", DOC_TYPE_OTHER, offsetof(arne_pose, R), .read = read_matrix,
         .help = "three rows of a rotation matrix"},
        {0},
    };
    static const doc_schema schema = {"pose", NULL, keys, NULL};
    if (slot->value->kind != DOC_MAP) return doc_expect(slot, DOC_MAP);
    const doc_slot    map = {slot->reader, *slot->owner ? slot->owner : slot->key, "", slot->value};
    const arne_status status = doc_read_map(&map, &schema, out, 0);
    const int         turns = (doc_find(slot->value, "rpy") != NULL) +
                      (doc_find(slot->value, "quaternion") != NULL) +
                      (doc_find(slot->value, "matrix") != NULL);
    if (!status && turns > 1)
        return doc_fail(slot, ARNE_VALUE,
                        doc_find(slot->value, "matrix")
                            ? "has a matrix and another rotation beside it"
                            : "has both rpy and quaternion");
    return status;
}
