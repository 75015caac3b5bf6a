// The section `wrenches` of a problem file: what the surroundings do to frames.
#include "base/error.h"
#include "io/kept_files.h"
#include "problem/read_problem.h"
#include <stdlib.h>
#include <string.h>

typedef struct wrench_keys {
    const char     *name, *frame, *file;
    arne_vec3       point, force, moment;
    int             in_frame;
    const doc_node *phases;
} wrench_keys;

static const doc_word axes_words[] = {
    {"world", 0, NULL, NULL, NULL}, {"frame", 1, NULL, NULL, NULL}, {0}};

#define AT(field) offsetof(wrench_keys, field)
static const doc_key wrench_key_table[] = {
    {"name", DOC_TYPE_TEXT, AT(name), .help = "in messages; default: the frame's"},
    {"frame", DOC_TYPE_TEXT, AT(frame), .needed = 1, .help = "the link or frame that it acts on"},
    {"point", DOC_TYPE_VEC3, AT(point), .unit = "m", .help = "where in the frame"},
    {"force", DOC_TYPE_VEC3, AT(force), .unit = "N", .help = "constant"},
    {"moment", DOC_TYPE_VEC3, AT(moment), .unit = "N m", .help = "constant"},
    {"file", DOC_TYPE_TEXT, AT(file),
     .help = "instead, a CSV over t/T: column part, and any of fx fy fz mx my mz"},
    {"axes", DOC_TYPE_WORD, AT(in_frame), .words = axes_words, .otherwise = "world",
     .help = "axes in which force and moment are given, also while the robot moves"},
    {"phases", DOC_TYPE_NODE, AT(phases), .takes = "a phase or a list",
     .help = "phases in which it acts; a file then covers each of them; default: all"},
    {0},
};
#undef AT
const doc_schema problem_wrench_schema = {"wrench", NULL, wrench_key_table, NULL};

static arne_status wrench_fill_rows(const doc_slot *slot, const arne_table *t, double *out)
{
    static const char *const names[7] = {"part", "fx", "fy", "fz", "mx", "my", "mz"};
    static const char *const units[7] = {"", "N", "N", "N", "N m", "N m", "N m"};
    int                      some = 0;
    for (int c = 0; c < 7; c++) {
        const int column = arne_table_find(t, names[c]);
        some |= column >= 0 && c > 0;
        if (column < 0 && c == 0)
            return doc_fail(slot, ARNE_NOT_FOUND, "has no column 'part': t/T from 0 to 1");
        if (column >= 0 && arne_table_unit(t, column)[0] && c > 0 &&
            strcmp(arne_table_unit(t, column), units[c]) != 0)
            return doc_fail(slot, ARNE_VALUE, "has column '%s' in %s, which must be in %s",
                            names[c], arne_table_unit(t, column), units[c]);
        for (int r = 0; r < arne_table_rows(t); r++)
            out[7 * r + c] = column < 0 ? 0 : arne_table_row(t, r)[column];
    }
    return some ? ARNE_OK
                : doc_fail(slot, ARNE_NOT_FOUND, "has none of the columns fx fy fz mx my mz");
}

static arne_status read_file(const problem *p, const doc_slot *entry, const char *file,
                             double **out, int *count)
{
    const doc_slot slot = doc_under(entry, "file");
    char          *path = problem_path(p, file);
    arne_table    *t = NULL;
    if (!path) return arne_fail_memory(p->r.error);
    arne_status status = doc_check(&slot, kept_files_table(NULL, path, &t, p->r.error));
    free(path);
    *count = status ? 0 : arne_table_rows(t);
    if (!status && *count < 1) status = doc_fail(&slot, ARNE_VALUE, "has no rows");
    if (!status) *out = calloc(7 * (size_t)*count, sizeof **out);
    if (!status && !*out) status = arne_fail_memory(p->r.error);
    if (!status) status = wrench_fill_rows(&slot, t, *out);
    arne_table_free(t);
    return status;
}

arne_status problem_phase_list(const problem *p, const doc_slot *slot, int **out, int *count)
{
    arne_status status = ARNE_OK;
    *count = 0;
    *out = calloc((size_t)slot->value->count + 1, sizeof **out);
    if (!*out) return arne_fail_memory(p->r.error);
    if (slot->value->kind != DOC_LIST) {
        *count = 1;
        return problem_phase_index(p, slot, *out);
    }
    for (const doc_item *i = slot->value->first; i && status_goes_on(status); i = i->next) {
        const doc_slot one = {slot->reader, slot->owner, slot->key, i->value};
        status = status_both(status, problem_phase_index(p, &one, &(*out)[(*count)++]));
    }
    return status;
}

static arne_status wrench_add(problem *p, const doc_slot *entry, const wrench_keys *k,
                              double *table, int count)
{
    const doc_slot   phases = doc_under(entry, "phases"), frame = doc_under(entry, "frame");
    int             *on = NULL, on_count = 0;
    arne_plan_wrench w = {.name = k->name ? k->name : k->frame,
                          .point = k->point,
                          .in_frame = k->in_frame,
                          .table = table,
                          .count = count};
    arne_status      status = doc_frame(&frame, p->robot, &w.frame);
    if (phases.value) status = status_both(status, problem_phase_list(p, &phases, &on, &on_count));
    w.phases = on;
    w.phase_count = on_count;
    w.of_phase = on != NULL;
    if (!status) status = doc_check(entry, arne_plan_add_wrench(p->plan, &w, p->r.error));
    free(on);
    return status;
}

static arne_status read_wrench(const doc_slot *entry, const char *name, void *context)
{
    problem    *p = context;
    wrench_keys k = {0};
    double      constant[7] = {0}, *table = NULL;
    int         count = 1;
    (void)name;
    arne_status    status = doc_read_map(entry, &problem_wrench_schema, &k, 0);
    const doc_slot file = doc_under(entry, "file");
    const int      given = doc_under(entry, "force").value || doc_under(entry, "moment").value;
    if (status) return status;
    if (!given && !k.file) return doc_missing(entry, "force, moment or file");
    if (given && k.file)
        return doc_fail(&file, ARNE_VALUE, "has no meaning beside force and moment");
    if (!p->plan) return ARNE_OK;
    const double now[7] = {0, k.force.x, k.force.y, k.force.z, k.moment.x, k.moment.y, k.moment.z};
    memcpy(constant, now, sizeof now);
    if (k.file) status = read_file(p, entry, k.file, &table, &count);
    if (!status) status = wrench_add(p, entry, &k, k.file ? table : constant, count);
    free(table);
    return status;
}

arne_status problem_wrenches(const doc_slot *section, void *unused)
{
    problem *p = problem_of(section);
    (void)unused;
    if (p->has_gait)
        return doc_fail(section, ARNE_UNSUPPORTED, "have no meaning beside gait: use backpack");
    return doc_each(section, &problem_wrench_schema, read_wrench, p);
}
