// Functions by which joints follow others: the key `follows` of a joint.
#include "base/error.h"
#include "io/yaml_robot.h"
#include "robot/builder.h"
#include <string.h>

typedef struct spline_keys {
    const doc_node *x, *y;
    int             ends;
    double          slopes[2];
} spline_keys;

typedef struct follow_keys {
    const char     *joint, *times;
    const doc_node *polynomial;
    double          sine[4];
    spline_keys     spline;
    double          factor;
} follow_keys;

static const char *ends_name(int ends) { return arne_spline_ends_name((arne_spline_ends)ends); }

#define AT(field) offsetof(spline_keys, field)
static const doc_key spline_table[] = {
    {"x", DOC_TYPE_NODE, AT(x), .needed = 1, .takes = "a list of numbers", .unit = "rad, m",
     .help = "positions of the joint that is followed, which increase"},
    {"y", DOC_TYPE_NODE, AT(y), .needed = 1, .takes = "a list of numbers", .unit = "rad, m",
     .help = "positions of this joint there"},
    {"ends", DOC_TYPE_WORD, AT(ends), .word = ends_name, .otherwise = "natural",
     .help = "what holds at the first and at the last point"},
    {"slopes", DOC_TYPE_NUMBERS, AT(slopes), .count = 2, .takes = "[at the first, at the last]",
     .help = "of a clamped spline"},
    {0},
};
#undef AT
static const doc_schema spline_schema = {"spline", NULL, spline_table, NULL};

#define AT(i) (offsetof(follow_keys, sine) + (i) * sizeof(double))
static const doc_key sine_table[] = {
    {"amplitude", DOC_TYPE_NUMBER, AT(0), .needed = 1, .unit = "rad, m",
     .help = "amplitude sin(frequency q + phase) + offset"},
    {"frequency", DOC_TYPE_NUMBER, AT(1), .otherwise = "1", .help = "of the wave over q"},
    {"phase", DOC_TYPE_NUMBER, AT(2), .unit = "rad", .otherwise = "0", .help = "at q = 0"},
    {"offset", DOC_TYPE_NUMBER, AT(3), .unit = "rad, m", .otherwise = "0", .help = "added"},
    {0},
};
#undef AT
static const doc_schema sine_schema = {"sine", NULL, sine_table, NULL};

static arne_status read_sine(const doc_slot *slot, void *follow)
{
    return doc_read_map(slot, &sine_schema, follow, 0);
}

#define AT(field) offsetof(follow_keys, field)
static const doc_key follow_table[] = {
    {"joint", DOC_TYPE_TEXT, AT(joint), .help = "the joint that is followed"},
    {"polynomial", DOC_TYPE_NODE, AT(polynomial), .takes = "a list of coefficients",
     .help = "c0 + c1 q + c2 q^2 + ..."},
    {"sine", DOC_TYPE_MAP, 0, .read = read_sine, .inside = &sine_schema, .help = "a wave"},
    {"spline", DOC_TYPE_MAP, AT(spline), .inside = &spline_schema,
     .help = "a cubic spline through points"},
    {"times", DOC_TYPE_TEXT, AT(times), .help = "the product with the position of another joint"},
    {"factor", DOC_TYPE_NUMBER, AT(factor), .otherwise = "1", .help = "times the function"},
    {0},
};
#undef AT
const doc_schema arne_yaml_follow_schema = {"follows", NULL, follow_table, NULL};

// ---- reading ----

// The numbers of a list, which last as long as the document.
static arne_status yaml_function_read_list(const doc_slot *slot, int *count, const double **out)
{
    const arne_status status = doc_expect(slot, DOC_LIST);
    if (status) return status;
    double *numbers =
        document_take(slot->reader->document, ((size_t)slot->value->count + 1) * sizeof *numbers);
    *count = slot->value->count;
    *out = numbers;
    return numbers ? doc_numbers(slot, *count, numbers) : arne_fail_memory(slot->reader->error);
}

static arne_status yaml_function_read_points(const doc_slot *slot, const spline_keys *keys,
                                             arne_function *f)
{
    const doc_slot at = doc_under(slot, "x"), to = doc_under(slot, "y");
    const doc_slot slopes = doc_under(slot, "slopes");
    int            count = 0;
    arne_status    status = status_both(yaml_function_read_list(&at, &count, &f->x),
                                        yaml_function_read_list(&to, &f->count, &f->y));
    if (!status && count != f->count)
        status = doc_fail(&to, ARNE_VALUE, "has %d numbers, and x has %d", f->count, count);
    f->ends = (arne_spline_ends)keys->ends;
    memcpy(f->slopes, keys->slopes, sizeof f->slopes);
    if (!status && (f->ends == ARNE_ENDS_CLAMPED) != (slopes.value != NULL))
        status = slopes.value ? doc_fail(&slopes, ARNE_VALUE, "are of a spline with clamped ends")
                              : doc_missing(slot, "slopes");
    return status;
}

static arne_status read_sines(const doc_slot *slot, const double *keys, arne_function *f)
{
    double *numbers = document_take(slot->reader->document, 4 * sizeof *numbers);
    if (!numbers) return arne_fail_memory(slot->reader->error);
    memcpy(numbers, keys, 4 * sizeof *numbers);
    f->y = numbers;
    f->count = 4;
    return ARNE_OK;
}

arne_status arne_yaml_curve(const doc_slot *map, arne_function_spec *out)
{
    static const char *const kinds[] = {"polynomial", "sine", "spline", "times"};
    follow_keys              keys = {.factor = 1, .sine = {0, 1, 0, 0}};
    doc_slot                 given = {0};
    int                      kind = 0, count = 0;
    const arne_status        status = doc_read_map(map, &arne_yaml_follow_schema, &keys, 0);
    if (status) return status;
    for (int i = 0; i < 4; i++) {
        const doc_slot one = doc_under(map, kinds[i]);
        if (!one.value) continue;
        given = one;
        kind = i;
        count++;
    }
    if (count != 1)
        return doc_fail(map, ARNE_VALUE, "needs one of polynomial, sine, spline and times");
    out->with = keys.joint;
    out->times = keys.times;
    out->place = doc_place(map->reader, map->value);
    out->function = arne_function_make((arne_function_kind)kind, 0, NULL, NULL);
    out->function.factor = keys.factor;
    if (kind == ARNE_FUNCTION_POLYNOMIAL)
        return yaml_function_read_list(&given, &out->function.count, &out->function.y);
    if (kind == ARNE_FUNCTION_SPLINE)
        return yaml_function_read_points(&given, &keys.spline, &out->function);
    return kind == ARNE_FUNCTION_SINE ? read_sines(&given, keys.sine, &out->function) : ARNE_OK;
}

arne_status arne_yaml_function(const doc_slot *map, arne_function_spec *out)
{
    const arne_status status = arne_yaml_curve(map, out);
    return status || out->with ? status : doc_missing(map, "joint");
}

static arne_status yaml_function_add_function(const doc_slot *map, const char *joint)
{
    reader            *r = map->reader;
    arne_function_spec spec = {.joint = joint};
    const arne_status  status = arne_yaml_function(map, &spec);
    return status ? status : doc_check(map, arne_builder_add_function(r->builder, &spec, r->error));
}

// One function, or a list of those that are added.
arne_status arne_yaml_follows(const doc_slot *slot, const char *joint)
{
    arne_status status = ARNE_OK;
    builder_clear_functions(slot->reader->builder, joint);
    if (slot->value->kind != DOC_LIST) return yaml_function_add_function(slot, joint);
    for (const doc_item *i = slot->value->first; i && status_goes_on(status); i = i->next) {
        doc_slot one = *slot;
        one.value = i->value;
        status = status_both(status, yaml_function_add_function(&one, joint));
    }
    return status;
}
