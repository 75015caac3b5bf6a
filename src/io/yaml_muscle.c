// The sections wraps and muscles of a YAML robot file, read and written by the same tables.
#include "base/error.h"
#include "io/write_robot.h"
#include "io/yaml_robot.h"
#include "robot/builder.h"
#include "robot/muscles.h"
#include <math.h>
#include <string.h>

static const char *yaml_muscle_side(int side) { return arne_wrap_side_name((arne_wrap_side)side); }

static const char *yaml_muscle_measure(int measure)
{
    return arne_path_measure_name((arne_path_measure)measure);
}

// ---- surfaces ----

static arne_status read_wrap_shape(const doc_slot *slot, void *spec)
{
    arne_wrap_spec *s = spec;
    int             shape = 0;
    while (strcmp(arne_wrap_shape_name((arne_wrap_shape)shape), slot->key) != 0)
        shape++; // the table has only names of shapes
    s->shape = (arne_wrap_shape)shape;
    const int count = arne_wrap_size_count(s->shape);
    return count == 1 && slot->value->kind == DOC_TEXT ? doc_number(slot, s->size)
                                                       : doc_numbers(slot, count, s->size);
}

#define AT(field) offsetof(arne_wrap_spec, field)
static const doc_key wrap_keys[] = {
    {"name", DOC_TYPE_TEXT, AT(name), .needed = 1, .help = "of the surface"},
    {"link", DOC_TYPE_TEXT, AT(link), .needed = 1, .help = "a link or frame"},
    {"origin", DOC_TYPE_POSE, AT(origin), .help = "in the link's frame"},
    {"cylinder", DOC_TYPE_OTHER, 0, .read = read_wrap_shape, .unit = "m",
     .takes = "[radius, length]", .help = "about z"},
    {"sphere", DOC_TYPE_OTHER, 0, .read = read_wrap_shape, .unit = "m", .takes = "its radius"},
    {"ellipsoid", DOC_TYPE_OTHER, 0, .read = read_wrap_shape, .unit = "m",
     .takes = "[x, y, z], half axes"},
    {"torus", DOC_TYPE_OTHER, 0, .read = read_wrap_shape, .unit = "m",
     .takes = "[tube, ring], radii", .help = "about z"},
    {"side", DOC_TYPE_WORD, AT(side), .word = yaml_muscle_side, .otherwise = "all",
     .help = "where paths pass"},
    {0},
};
#undef AT
const doc_schema arne_yaml_wrap_schema = {"surface", "name", wrap_keys, NULL};

static arne_status yaml_muscle_read_wrap(const doc_slot *item, const char *name, void *context)
{
    (void)context;
    reader        *r = item->reader;
    arne_wrap_spec spec = arne_wrap_spec_default();
    arne_status    status = doc_read_map(item, &arne_yaml_wrap_schema, &spec, 0);
    int            shapes = 0;
    for (int i = 0; i < ARNE_WRAP_SHAPE_COUNT && item->value->kind == DOC_MAP; i++)
        shapes += doc_find(item->value, arne_wrap_shape_name((arne_wrap_shape)i)) != NULL;
    if (item->value->kind == DOC_MAP && shapes != 1)
        status = status_both(
            status, doc_fail(item, ARNE_VALUE, "needs one of cylinder, sphere, ellipsoid, torus"));
    if (status) {
        r->builder->incomplete = 1;
        return status;
    }
    spec.name = name;
    spec.place = doc_place(r, item->value);
    return doc_check(item, arne_builder_add_wrap(r->builder, &spec, r->error));
}

// A file that extends another replaces its muscles and surfaces, when it has the one or the other.
arne_status arne_yaml_wraps(const doc_slot *section, void *unused)
{
    (void)unused;
    if (section->reader->amends) arne_builder_clear_muscles(section->reader->builder);
    return doc_each(section, &arne_yaml_wrap_schema, yaml_muscle_read_wrap, NULL);
}

// ---- paths ----

#define AT(field) offsetof(arne_path_point, field)
static const doc_key while_keys[] = {
    {"joint", DOC_TYPE_TEXT, AT(joint), .needed = 1, .help = "a joint of one coordinate"},
    {"lower", DOC_TYPE_NUMBER, AT(lower), .needed = 1, .unit = "rad, m", .help = "from here"},
    {"upper", DOC_TYPE_NUMBER, AT(upper), .needed = 1, .unit = "rad, m", .help = "to here"},
    {0},
};
static const doc_schema while_schema = {"while", NULL, while_keys, NULL};

static arne_status read_while(const doc_slot *slot, void *point)
{
    return doc_read_map(slot, &while_schema, point, 0);
}

static arne_status read_component(const doc_slot *slot, void *point)
{
    arne_path_point   *p = point;
    const int          k = *slot->key - 'x';
    arne_function_spec f = {0};
    const arne_status  status = arne_yaml_function(slot, &f);
    if (!status && f.times) return doc_fail(slot, ARNE_VALUE, "takes no product here");
    p->follows[k] = f.with;
    p->functions[k] = f.function;
    return status;
}

static const doc_key point_keys[] = {
    {"link", DOC_TYPE_TEXT, AT(link), .needed = 1, .help = "a link or frame"},
    {"position", DOC_TYPE_VEC3, AT(position), .unit = "m", .help = "in its frame"},
    {"while", DOC_TYPE_MAP, 0, .read = read_while, .inside = &while_schema,
     .help = "the point counts only while a joint is in this range"},
#define COMPONENT(key)                                                                             \
    {                                                                                              \
        key, DOC_TYPE_MAP, 0, .read = read_component, .inside = &arne_yaml_follow_schema,          \
                              .help = "a function of a joint instead of the number in position"    \
    }
    COMPONENT("x"),
    COMPONENT("y"),
    COMPONENT("z"),
    {"along", DOC_TYPE_FLAG, AT(along),
     .help = "the path comes here inside of the rod that carries this point and the one before"},
    {"turns", DOC_TYPE_NUMBER, AT(turns), .otherwise = "0",
     .help = "and winds around its axis on the way"},
    {0},
};
#undef COMPONENT
#undef AT
static const doc_schema point_schema = {"point", NULL, point_keys, NULL};

typedef struct use_keys {
    const char *wrap;
    double      points[2];
} use_keys;

static const doc_key use_table[] = {
    {"wrap", DOC_TYPE_TEXT, offsetof(use_keys, wrap), .needed = 1, .help = "a surface"},
    {"points", DOC_TYPE_NUMBERS, offsetof(use_keys, points), .count = 2, .takes = "[first, last]",
     .help = "wrapped between these, from 1; default: all"},
    {0},
};
static const doc_schema use_schema = {"wrap", NULL, use_table, NULL};

typedef struct path_reading {
    arne_path_point *points;
    arne_path_wrap  *wraps;
    int              count;
} path_reading;

static arne_status read_path_point(const doc_slot *item, const char *name, void *context)
{
    path_reading *to = context;
    (void)name;
    return doc_read_map(item, &point_schema, &to->points[to->count++], 0);
}

static arne_status read_path_wrap(const doc_slot *item, const char *name, void *context)
{
    path_reading     *to = context;
    use_keys          keys = {.points = {1, 0}};
    const arne_status status = doc_read_map(item, &use_schema, &keys, 0);
    (void)name;
    for (int k = 0; k < 2 && !status; k++)
        if (!(fabs(keys.points[k]) < 1e6) || keys.points[k] != floor(keys.points[k]))
            return doc_fail(item, ARNE_VALUE, "needs whole numbers of points");
    to->wraps[to->count++] =
        (arne_path_wrap){keys.wrap, (int)keys.points[0] - 1, (int)keys.points[1] - 1};
    return status;
}

// Arrays that last as long as the document.
static arne_status read_points(const doc_slot *slot, void *muscle)
{
    arne_muscle_spec *m = muscle;
    const size_t      count = (size_t)slot->value->count + 1;
    path_reading to = {.points = document_take(slot->reader->document, count * sizeof *to.points)};
    if (!to.points) return arne_fail_memory(slot->reader->error);
    memset(to.points, 0, count * sizeof *to.points);
    const arne_status status = doc_each(slot, &point_schema, read_path_point, &to);
    m->points = to.points;
    m->point_count = to.count;
    return status;
}

static arne_status read_path_wraps(const doc_slot *slot, void *muscle)
{
    arne_muscle_spec *m = muscle;
    const size_t      count = (size_t)slot->value->count + 1;
    path_reading to = {.wraps = document_take(slot->reader->document, count * sizeof *to.wraps)};
    if (!to.wraps) return arne_fail_memory(slot->reader->error);
    const arne_status status = doc_each(slot, &use_schema, read_path_wrap, &to);
    m->wraps = to.wraps;
    m->wrap_count = to.count;
    return status;
}

// ---- laws ----

static arne_status read_curve(const doc_slot *slot, void *muscle)
{
    arne_function_spec f = {0};
    const arne_status  status = arne_yaml_curve(slot, &f);
    if (!status && (f.with || f.times))
        return doc_fail(slot, ARNE_VALUE, "takes the length over slack_length, not a joint");
    ((arne_muscle_spec *)muscle)->curve = f.function;
    return status;
}

#define AT(field) offsetof(arne_muscle_spec, field)
#define NUMBER(field, n, range, units, text)                                                       \
    {#field,        (n) > 1 ? DOC_TYPE_NUMBERS : DOC_TYPE_NUMBER,                                  \
     AT(law.field), .count = n,                                                                    \
     .unit = units, .help = text},
#define FIBRE_KEYS                                                                                 \
    {"rigid_tendon", DOC_TYPE_FLAG, AT(law.rigid_tendon), .help = "it does not stretch"},          \
        {"no_passive", DOC_TYPE_FLAG, AT(law.no_passive), .help = "without passive force"},        \
        MUSCLE_FIBRE(NUMBER)
static const doc_key millard_keys[] = {FIBRE_KEYS MUSCLE_MILLARD(NUMBER){0}};
static const doc_key thelen_keys[] = {FIBRE_KEYS MUSCLE_THELEN(NUMBER){0}};
static const doc_key degroote_keys[] = {FIBRE_KEYS MUSCLE_DEGROOTE(NUMBER){0}};
static const doc_key ligament_keys[] = {
    {"curve", DOC_TYPE_MAP, 0, .read = read_curve, .inside = &arne_yaml_follow_schema, .needed = 1,
     .help = "force over max_force, of length over slack_length"},
    MUSCLE_LIGAMENT(NUMBER){0}};
static const doc_key spring_keys[] = {MUSCLE_SPRING(NUMBER){0}};
static const doc_key limit_keys[] = {
    {"joint", DOC_TYPE_TEXT, AT(joint), .needed = 1, .help = "of one coordinate; no points"},
    MUSCLE_LIMIT(NUMBER){0}};
static const doc_key tendon_keys[] = {MUSCLE_TENDON(NUMBER){0}};
static const doc_key cable_keys[] = {MUSCLE_CABLE(NUMBER){0}};
#undef NUMBER

static const doc_word laws[] = {
    {"millard", ARNE_MUSCLE_MILLARD, millard_keys, NULL, "Millard et al. 2013"},
    {"thelen", ARNE_MUSCLE_THELEN, thelen_keys, NULL, "Thelen 2003"},
    {"degroote", ARNE_MUSCLE_DEGROOTE, degroote_keys, NULL, "De Groote et al. 2016"},
    {"ligament", ARNE_MUSCLE_LIGAMENT, ligament_keys, NULL, "pulls by a curve of its length"},
    {"spring", ARNE_MUSCLE_SPRING, spring_keys, NULL, "pulls in proportion"},
    {"limit", ARNE_MUSCLE_LIMIT, limit_keys, NULL, "holds a joint back beyond its limits"},
    {"tendon", ARNE_MUSCLE_TENDON, tendon_keys, NULL, "pulls and pushes by a spring and a damper"},
    {"cable", ARNE_MUSCLE_CABLE, cable_keys, NULL, "pulls as its activation says"},
    {"chamber", ARNE_MUSCLE_CHAMBER, cable_keys, NULL, "pushes as its activation says"},
    {0},
};

static const doc_key muscle_keys[] = {
    {"name", DOC_TYPE_TEXT, AT(name), .needed = 1, .help = "of the muscle"},
    {"law", DOC_TYPE_WORD, AT(law.kind), .needed = 1, .words = laws, .help = "of its force"},
    {"points", DOC_TYPE_LIST, 0, .read = read_points, .inside = &point_schema,
     .help = "that its path goes through"},
    {"wraps", DOC_TYPE_LIST, 0, .read = read_path_wraps, .inside = &use_schema,
     .help = "surfaces that it wraps, in this order"},
    {"measure", DOC_TYPE_WORD, AT(measure), .word = yaml_muscle_measure, .otherwise = "length",
     .help = "of a tendon: what its force follows, between the frames of its two points"},
    {0},
};
#undef AT
const doc_schema arne_yaml_muscle_schema = {"muscle", "name", muscle_keys, "law"};

static arne_status yaml_muscle_read_muscle(const doc_slot *item, const char *name, void *context)
{
    (void)context;
    reader          *r = item->reader;
    const doc_node  *law = item->value->kind == DOC_MAP ? doc_find(item->value, "law") : NULL;
    arne_muscle_kind kind = ARNE_MUSCLE_MILLARD;
    for (const doc_word *w = laws; w->name && law && law->kind == DOC_TEXT; w++)
        if (!strcmp(w->name, law->text)) kind = (arne_muscle_kind)w->value;
    arne_muscle_spec  spec = arne_muscle_spec_default(kind);
    const arne_status status = doc_read_map(item, &arne_yaml_muscle_schema, &spec, 0);
    if (status) return status;
    spec.name = name;
    spec.place = doc_place(r, item->value);
    return doc_check(item, arne_builder_add_muscle(r->builder, &spec, r->error));
}

arne_status arne_yaml_muscles(const doc_slot *section, void *unused)
{
    (void)unused;
    reader *r = section->reader;
    if (r->amends && !doc_find(r->document->root, "wraps")) arne_builder_clear_muscles(r->builder);
    return doc_each(section, &arne_yaml_muscle_schema, yaml_muscle_read_muscle, NULL);
}

// ---- writing ----

void write_yaml_wrap(robot_writer *w, const arne_wrap_spec *s)
{
    write_yaml_first(w, "name", s->name);
    write_yaml_named(w, "link", s->link);
    write_yaml_pose(w, "origin", &s->origin);
    put(&w->out, "    %s: ", arne_wrap_shape_name(s->shape));
    if (arne_wrap_size_count(s->shape) == 1)
        put_shortest(&w->out, s->size[0]);
    else
        write_yaml_list(w, arne_wrap_size_count(s->shape), s->size);
    put(&w->out, "\n");
    if (s->side) put(&w->out, "    side: %s\n", arne_wrap_side_name(s->side));
}

static void write_yaml_point(robot_writer *w, const arne_path_point *p)
{
    put(&w->out, "      - {link: ");
    write_yaml_text(w, p->link);
    put(&w->out, ", position: ");
    write_yaml_list(w, 3, &p->position.x);
    if (p->joint) {
        put(&w->out, ", while: {joint: ");
        write_yaml_text(w, p->joint);
        put(&w->out, ", lower: ");
        put_shortest(&w->out, p->lower);
        put(&w->out, ", upper: ");
        put_shortest(&w->out, p->upper);
        put(&w->out, "}");
    }
    for (int k = 0; k < 3; k++) {
        if (!p->follows[k]) continue;
        const arne_function_spec f = {.with = p->follows[k], .function = p->functions[k]};
        put(&w->out, ", %c: ", 'x' + k);
        write_yaml_function(w, &f);
    }
    if (p->along) put(&w->out, ", along: true");
    if (p->turns != 0) {
        put(&w->out, ", turns: ");
        put_shortest(&w->out, p->turns);
    }
    put(&w->out, "}\n");
}

// What differs from the usual numbers of the law.
static void write_yaml_law(robot_writer *w, const arne_muscle_spec *s)
{
    const arne_muscle_spec usual = arne_muscle_spec_default(s->law.kind);
    for (const doc_key *k = laws[s->law.kind].keys; k->key; k++) {
        const char   *own = (const char *)s + k->offset, *other = (const char *)&usual + k->offset;
        const double *x = (const double *)(const void *)own;
        const size_t  size =
            k->type == DOC_TYPE_FLAG ? sizeof(int) : (size_t)k->count * sizeof(double);
        if (k->type == DOC_TYPE_MAP || k->type == DOC_TYPE_TEXT || !memcmp(own, other, size))
            continue;
        put(&w->out, "    %s: ", k->key);
        if (k->type == DOC_TYPE_FLAG)
            put(&w->out, *(const int *)(const void *)own ? "true" : "false");
        else if (k->type == DOC_TYPE_NUMBERS)
            write_yaml_list(w, k->count, x);
        else
            put_shortest(&w->out, *x);
        put(&w->out, "\n");
    }
}

void write_yaml_muscle(robot_writer *w, const arne_muscle_spec *s)
{
    write_yaml_first(w, "name", s->name);
    put(&w->out, "    law: %s\n", arne_muscle_kind_name(s->law.kind));
    write_yaml_law(w, s);
    if (s->law.kind == ARNE_MUSCLE_LIGAMENT) {
        const arne_function_spec f = {.function = s->curve};
        put(&w->out, "    curve: ");
        write_yaml_function(w, &f);
        put(&w->out, "\n");
    }
    if (s->joint) {
        put(&w->out, "    joint: ");
        write_yaml_text(w, s->joint);
        put(&w->out, "\n");
    }
    if (s->measure) put(&w->out, "    measure: %s\n", arne_path_measure_name(s->measure));
    if (s->point_count) put(&w->out, "    points:\n");
    for (int i = 0; i < s->point_count; i++)
        write_yaml_point(w, &s->points[i]);
    if (s->wrap_count) put(&w->out, "    wraps:\n");
    for (int i = 0; i < s->wrap_count; i++) {
        const arne_path_wrap *u = &s->wraps[i];
        put(&w->out, "      - {wrap: ");
        write_yaml_text(w, u->wrap);
        if (u->first || u->last >= 0) put(&w->out, ", points: [%d, %d]", u->first + 1, u->last + 1);
        put(&w->out, "}\n");
    }
}
