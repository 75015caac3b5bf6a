#include "io/urdf_coupling.h"
#include "base/name_index.h"
#include "robot/builder.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the list

static char *urdf_coupling_copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    char        *own = malloc(size);
    return own ? memcpy(own, text, size) : NULL;
}

int urdf_coupling_add(urdf_couplings *list, const char *name, const char *predecessor,
                      const char *successor, double ratio, int line)
{
    if (list->count == list->room) {
        const int      more = list->room ? 2 * list->room : 8;
        urdf_coupling *bigger = realloc(list->item, (size_t)more * sizeof *bigger);
        if (!bigger) return 0;
        list->item = bigger;
        list->room = more;
    }
    urdf_coupling *c = &list->item[list->count++];
    *c = (urdf_coupling){urdf_coupling_copy(name), urdf_coupling_copy(predecessor),
                         urdf_coupling_copy(successor), ratio, line};
    return c->name && c->predecessor && c->successor;
}

void urdf_couplings_free(urdf_couplings *list)
{
    for (int i = 0; i < list->count; i++) {
        free(list->item[i].name);
        free(list->item[i].predecessor);
        free(list->item[i].successor);
    }
    free(list->item);
    memset(list, 0, sizeof *list);
}

// ---- one coupling as a row over the joints: sum of coefficients times q, and a constant, is 0

typedef struct tying {
    reader       *r;
    arne_builder *b;
    name_index    carrier; // link name -> index of the joint whose child it is
    double       *row;     // of each joint
    double        constant;
    char         *on_way; // of each joint: on the way from the predecessor to the root
} tying;

static int urdf_coupling_joint_above(const tying *t, const char *link)
{
    return name_index_find(&t->carrier, link);
}

// The number of steps is limited, because the file may have a cycle, which the builder refuses
// later.
static void fill_row(tying *t, const urdf_coupling *c)
{
    const int count = t->b->joint_count;
    memset(t->row, 0, (size_t)count * sizeof *t->row);
    memset(t->on_way, 0, (size_t)count);
    t->constant = 0;
    int steps = 0;
    for (int j = urdf_coupling_joint_above(t, c->predecessor); j >= 0 && steps++ < count;
         j = urdf_coupling_joint_above(t, t->b->joints[j].parent)) {
        t->on_way[j] = 1;
        t->row[j] = c->ratio;
    }
    steps = 0;
    int j = urdf_coupling_joint_above(t, c->successor);
    for (; j >= 0 && !t->on_way[j] && steps++ < count;
         j = urdf_coupling_joint_above(t, t->b->joints[j].parent))
        t->row[j] = -1;
    // The two ways to the root are the same from here on.
    for (; j >= 0 && steps++ < 2 * count; j = urdf_coupling_joint_above(t, t->b->joints[j].parent))
        t->row[j] = 0;
}

static void substitute_terms(tying *t, const char *joint, double ratio)
{
    for (int i = 0; i < t->b->coupling_count; i++) {
        const arne_coupling_spec *c = &t->b->couplings[i];
        const int                 of = name_index_find(&t->b->joint_index, c->with);
        if (c->joint && of >= 0 && !strcmp(c->joint, joint)) t->row[of] += ratio * c->ratio;
    }
}

// A joint that follows others is their sum.
static void urdf_coupling_substitute(tying *t)
{
    for (int pass = 0, found = 1; found && pass <= t->b->joint_count; pass++) {
        found = 0;
        for (int j = 0; j < t->b->joint_count; j++) {
            const arne_joint_spec *s = &t->b->joints[j];
            const int of = s->mimic ? name_index_find(&t->b->joint_index, s->mimic) : -1;
            if (t->row[j] == 0 || of < 0 || of == j) continue;
            const double ratio = t->row[j];
            t->row[j] = 0;
            t->row[of] += ratio * s->mimic_ratio;
            t->constant += ratio * s->mimic_offset;
            substitute_terms(t, s->name, ratio);
            found = 1;
        }
    }
    for (int j = 0; j < t->b->joint_count; j++)
        if (fabs(t->row[j]) < 1e-12 || !arne_joint_kind_q_count(t->b->joints[j].kind))
            t->row[j] = 0;
}

// The joint that follows: one that is said to depend, else the last on the way to the successor.
static int find_dependent(const tying *t, const urdf_coupling *c)
{
    int chosen = -1, steps = 0;
    for (int j = urdf_coupling_joint_above(t, c->successor); j >= 0 && steps++ < t->b->joint_count;
         j = urdf_coupling_joint_above(t, t->b->joints[j].parent))
        if (t->row[j] != 0 && chosen < 0) chosen = j;
    for (int j = 0; j < t->b->joint_count; j++)
        if (t->row[j] != 0 && t->b->joints[j].actuation == ARNE_ACTUATION_PASSIVE) return j;
    return chosen;
}

static arne_status urdf_coupling_fail(const tying *t, const urdf_coupling *c, arne_status code,
                                      const char *why)
{
    return arne_reader_fail(t->r, code, c->line, "coupling '%.120s': %s", c->name, why);
}

static arne_status urdf_coupling_follow(const tying *t, const urdf_coupling *c, int dependent)
{
    int         first = 1;
    arne_status status = ARNE_OK;
    for (int j = 0; dependent >= 0 && !status && j < t->b->joint_count; j++) {
        if (j == dependent || t->row[j] == 0) continue;
        arne_joint_spec *s = &t->b->joints[dependent];
        const double     ratio = -t->row[j] / t->row[dependent];
        if (!first) {
            const arne_coupling_spec more = {.joint = s->name,
                                             .with = t->b->joints[j].name,
                                             .ratio = ratio,
                                             .place = {t->r->file, c->line}};
            status = arne_builder_add_coupling(t->b, &more, t->r->error);
            continue;
        }
        first = 0;
        s->mimic = t->b->joints[j].name;
        s->mimic_ratio = ratio;
        s->mimic_offset = -t->constant / t->row[dependent];
        s->actuation = t->b->joints[j].actuation;
    }
    return first ? urdf_coupling_fail(t, c, ARNE_MODEL, "it couples no two joints") : status;
}

static arne_status tie_one(tying *t, const urdf_coupling *c)
{
    if (urdf_coupling_joint_above(t, c->predecessor) < 0 ||
        urdf_coupling_joint_above(t, c->successor) < 0)
        return urdf_coupling_fail(t, c, ARNE_MODEL,
                                  "its predecessor and successor must be links behind joints");
    fill_row(t, c);
    urdf_coupling_substitute(t);
    return urdf_coupling_follow(t, c, find_dependent(t, c));
}

arne_status urdf_couplings_tie(reader *r, const urdf_couplings *list)
{
    arne_builder *b = r->builder;
    tying         t = {.r = r, .b = b};
    arne_status   status = ARNE_OK;
    if (list->count == 0) return ARNE_OK;
    t.row = malloc(((size_t)b->joint_count + 1) * sizeof *t.row);
    t.on_way = malloc((size_t)b->joint_count + 1);
    if (!t.row || !t.on_way) status = arne_fail_memory(r->error);
    for (int j = 0; j < b->joint_count && !status; j++)
        if (!name_index_add(&t.carrier, b->joints[j].child, j)) status = arne_fail_memory(r->error);
    for (int i = 0; i < list->count && status_goes_on(status); i++)
        status = status_both(status, tie_one(&t, &list->item[i]));
    name_index_free(&t.carrier);
    free(t.row);
    free(t.on_way);
    return status;
}
