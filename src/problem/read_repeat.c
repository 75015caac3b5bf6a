// Periodic and mirrored motions: a coordinate ends with the value that it, or its partner of the
// other side, had at the start.
#include "base/error.h"
#include "problem/read_problem.h"
#include <stdlib.h>
#include <string.h>

typedef struct pair {
    int    left, right;
    double sign, offset;
} pair;

// Whether an entry is about activations, whose rows are muscles. These stand alone.
static int repeat_is_muscles(const ask *a)
{
    const doc_node *what = a->symmetry ? a->symmetry : a->periodic;
    const doc_node *first = what->kind == DOC_LIST && what->first ? what->first->value : NULL;
    return what->count == 1 && first && first->kind == DOC_TEXT &&
           strcmp(first->text, "activation") == 0;
}

static arne_status repeat_rows(const problem *p, const doc_slot *slot, int muscles, int *rows,
                               int *count)
{
    return muscles ? problem_muscles(p, slot, rows, count)
                   : problem_coordinates(p, slot, rows, count);
}

static int repeat_most(const problem *p)
{
    return p->plan->problem.v_count + p->plan->problem.muscle_count;
}

static arne_status repeat_one_coordinate(const problem *p, const doc_slot *slot, int muscles,
                                         const doc_node *value, int *out)
{
    const doc_slot name = {slot->reader, slot->owner, slot->key, value};
    int           *rows = malloc((size_t)repeat_most(p) * sizeof *rows), count = 0;
    arne_status    status =
        rows ? repeat_rows(p, &name, muscles, rows, &count) : arne_fail_memory(p->r.error);
    if (!status && count != 1)
        status = doc_fail(&name, ARNE_VALUE, "names %d coordinates, not one", count);
    if (!status) *out = rows[0];
    free(rows);
    return status;
}

// [left, right], [left, right, sign] or [left, right, sign, offset]
static arne_status repeat_read_pair(const problem *p, const doc_slot *slot, int muscles, pair *out)
{
    arne_status status = doc_expect(slot, DOC_LIST);
    if (status) return status;
    if (slot->value->count < 2 || slot->value->count > 4)
        return doc_fail(slot, ARNE_VALUE, "must be [joint, joint, sign, offset]");
    *out = (pair){0, 0, 1, 0};
    const doc_item *i = slot->value->first;
    status = repeat_one_coordinate(p, slot, muscles, i->value, &out->left);
    i = i->next;
    if (!status) status = repeat_one_coordinate(p, slot, muscles, i->value, &out->right);
    double *numbers[2] = {&out->sign, &out->offset};
    i = i->next;
    for (int k = 0; i && k < 2 && !status; k++, i = i->next) {
        const doc_slot number = {slot->reader, slot->owner, slot->key, i->value};
        status = doc_number(&number, numbers[k]);
    }
    return status;
}

// left(start) = sign right(end) + offset, of one quantity; offsets are of positions alone.
static arne_status repeat_add_pairs(problem *p, const doc_slot *entry, const ask *a,
                                    const pair *pairs, int count, const doc_word *quantity)
{
    ask          one = *a;
    asked        q = {0};
    const size_t n = (size_t)count + 1;
    int         *left = malloc(n * sizeof *left), *right = malloc(n * sizeof *right);
    double      *factors = malloc(n * sizeof *factors);
    double      *lower = malloc(n * sizeof *lower), *upper = malloc(n * sizeof *upper);
    one.quantity = quantity;
    one.joints = one.muscles = NULL;
    arne_status status =
        left && right && factors && lower && upper ? ARNE_OK : arne_fail_memory(p->r.error);
    if (!status) status = problem_quantity(p, entry, &one, &q);
    arne_constraint c = problem_constraint_for(p, entry, &one, &q);
    const int       moves = q.kind == ARNE_QUANTITY_POSITION;
    for (int i = 0; !status && i < count; i++) {
        left[i] = pairs[i].left;
        right[i] = pairs[i].right;
        factors[i] = pairs[i].sign;
        lower[i] = (moves ? pairs[i].offset : 0) - a->within;
        upper[i] = (moves ? pairs[i].offset : 0) + a->within;
    }
    c.row_count = count;
    c.rows = left;
    c.other = q.quantity;
    c.other_rows = right;
    c.factors = factors;
    c.lower = lower;
    c.upper = upper;
    c.from = c.to = 0;
    c.other_at = 1;
    if (!status) status = doc_check(entry, arne_plan_add_constraint(p->plan, &c, p->r.error));
    free(left), free(right), free(factors), free(q.rows);
    free(lower), free(upper);
    return status;
}

// The pairs of `symmetry`; of `periodic` each coordinate with itself, moved by what is said in
// `offset`.
static arne_status repeat_read_pairs(const problem *p, const doc_slot *entry, const ask *a,
                                     pair *pairs, int *count)
{
    const int   n = repeat_most(p), muscles = repeat_is_muscles(a);
    arne_status status = ARNE_OK;
    *count = 0;
    if (a->symmetry) {
        const doc_slot slot = {entry->reader, entry->owner, "pairs", a->pairs};
        if (!a->pairs) return doc_missing(entry, "pairs");
        status = doc_expect(&slot, DOC_LIST);
        for (const doc_item *i = status ? NULL : a->pairs->first; i && !status && *count < 2 * n;
             i = i->next) {
            const doc_slot one = {entry->reader, entry->owner, "pairs", i->value};
            status = repeat_read_pair(p, &one, muscles, &pairs[(*count)++]);
        }
        return status;
    }
    const doc_node everyone = {.kind = DOC_TEXT, .text = "all", .line = entry->value->line};
    const doc_slot joints = {entry->reader, entry->owner, "joints",
                             muscles     ? (a->muscles ? a->muscles : &everyone)
                             : a->joints ? a->joints
                                         : &everyone};
    const doc_slot offset = {entry->reader, entry->owner, "offset", a->offset};
    int           *rows = calloc((size_t)n, sizeof *rows);
    double        *moved = calloc((size_t)n, sizeof *moved);
    unsigned char *given = calloc((size_t)n, 1);
    status = rows && moved && given ? repeat_rows(p, &joints, muscles, rows, count)
                                    : arne_fail_memory(p->r.error);
    if (!status && a->offset) status = doc_values(&offset, p->robot, DOC_ALONG_V, moved, given);
    for (int i = 0; !status && i < *count; i++)
        pairs[i] = (pair){rows[i], rows[i], 1, -moved[rows[i]]};
    free(rows), free(moved), free(given);
    return status;
}

arne_status problem_repeating(problem *p, const doc_slot *entry, const ask *a)
{
    const doc_node *what = a->symmetry ? a->symmetry : a->periodic;
    const doc_slot  slot = {entry->reader, entry->owner, a->symmetry ? "symmetry" : "periodic",
                            what};
    pair           *pairs = calloc((size_t)(2 * repeat_most(p)), sizeof *pairs);
    int             count = 0;
    arne_status     status = pairs ? doc_expect(&slot, DOC_LIST) : arne_fail_memory(p->r.error);
    if (!status) status = repeat_read_pairs(p, entry, a, pairs, &count);
    for (const doc_item *i = status ? NULL : what->first; i && !status; i = i->next) {
        const doc_slot  name = {entry->reader, entry->owner, slot.key, i->value};
        const doc_word *quantity = NULL;
        status = doc_choice(&name, problem_quantity_words, &quantity);
        if (!status && quantity->value == ARNE_QUANTITY_ACTIVATION && !repeat_is_muscles(a))
            status = doc_fail(&name, ARNE_VALUE, "must stand alone: its pairs are muscles");
        if (!status) status = repeat_add_pairs(p, entry, a, pairs, count, quantity);
    }
    free(pairs);
    return status;
}
