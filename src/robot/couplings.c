// Who follows whom. A joint may follow another, q = ratio q' + offset, or the sum of several; the
// rotor of a rigid motor may turn with several joints; and what is followed may follow others.
// Composed, that is a sparse row for each follower over the joints with a coordinate of their own:
// the matrix G of robot/coordinates.k.h.
//
// A follower is composed when all that it follows has been (Kahn 1962), so that time grows with
// what the rows hold. Those that are left in the end go round in a circle.
#include "base/error.h"
#include "robot/functions.h"
#include "robot/graph.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum tie_kind {
    TIE_RATIO,
    TIE_FUNCTION,
    TIE_PRODUCT,
    TIE_OTHER // the other joint of a product, which must be known before
} tie_kind;

typedef struct tie { // that a file says. Followers are joints, then motors.
    int      follower, of;
    double   ratio;
    tie_kind kind;
    int      function; // of the builder
    int      times;
} tie;

typedef struct row {
    int start, count;
    int bends, bend_count;
} row;

typedef struct composing {
    const arne_builder *b;
    const judge        *j;
    graph              *g;
    tie                *ties; // as given; by_follower and by_followed list them in order
    int                 tie_count, follower_count;
    int                *by_follower, *follower_start, *by_followed, *followed_start;
    int                *pending, *queue;
    row                *rows;
    tie                *pool; // of all rows
    int                 pool_count, pool_room;
    double             *sum; // of one row, of each joint
    int                *touched;
    char               *seen;
} composing;

static int one_coordinate(const arne_joint_spec *s)
{
    return s->kind != ARNE_JOINT_FIXED && arne_joint_kind_v_count(s->kind) == 1;
}

// ---- the given couplings

static arne_status add_mimic(composing *c, int i)
{
    const arne_joint_spec *s = &c->b->joints[i];
    c->g->mimic[i] = -1;
    c->g->ratio[i] = s->mimic_ratio;
    c->g->offset[i] = s->mimic ? s->mimic_offset : 0;
    if (!s->mimic) return ARNE_OK;
    if (s->kind == ARNE_JOINT_FIXED)
        return judge_flaw(c->j, "mimic", s->place, 0,
                          "joint '%s' is fixed, so its mimic is ignored", s->name);
    const int of = name_index_find(&c->b->joint_index, s->mimic);
    if (of < 0)
        return judge_fail(c->j, ARNE_MODEL, s->place,
                          "joint '%s' mimics '%s', which does not exist", s->name, s->mimic);
    if (of == i) return judge_fail(c->j, ARNE_MODEL, s->place, "joint '%s' mimics itself", s->name);
    if (!one_coordinate(s) || !one_coordinate(&c->b->joints[of]))
        return judge_fail(c->j, ARNE_MODEL, s->place,
                          "joint '%s' mimics '%s': both must have one coordinate", s->name,
                          s->mimic);
    c->g->mimic[i] = of;
    c->ties[c->tie_count++] = (tie){.follower = i, .of = of, .ratio = s->mimic_ratio};
    return ARNE_OK;
}

static int couplings_find_motor(const arne_builder *b, const char *name)
{
    for (int i = 0; i < b->motor_count; i++)
        if (!strcmp(b->motors[i].name, name)) return i;
    return -1;
}

// Why nothing can be coupled to this, or NULL.
static const char *refuse_coupled(const composing *c, const arne_coupling_spec *s, int *follower)
{
    if (s->motor) {
        const int m = couplings_find_motor(c->b, s->motor);
        *follower = c->b->joint_count + m;
        return m < 0 ? "there is no such motor"
               : isfinite(c->b->motors[m].stiffness)
                   ? "a motor behind a spring turns by itself, so it must be rigid to be coupled"
                   : NULL;
    }
    const int i = *follower = name_index_find(&c->b->joint_index, s->joint);
    return i < 0 ? "there is no such joint"
           : !c->b->joints[i].mimic && !builder_has_function(c->b, s->joint)
               ? "it follows no joint yet (mimic)"
           : c->b->joints[i].mimic && c->g->mimic[i] < 0 ? "what it mimics is wrong already"
                                                         : NULL;
}

static arne_status couplings_add_coupling(composing *c, const arne_coupling_spec *s)
{
    int         follower = -1;
    const char *what = s->motor ? "motor" : "joint", *name = s->motor ? s->motor : s->joint;
    const char *why = refuse_coupled(c, s, &follower);
    const int   of = name_index_find(&c->b->joint_index, s->with);
    if (!why && of < 0) why = "the joint it is coupled with does not exist";
    if (!why && !one_coordinate(&c->b->joints[of]))
        why = "the joint it is coupled with must have one coordinate";
    if (!why && !isfinite(s->ratio)) why = "the ratio is not finite";
    if (why)
        return judge_fail(c->j, ARNE_MODEL, s->place, "coupling of %s '%s' with '%s': %s", what,
                          name, s->with, why);
    c->ties[c->tie_count++] = (tie){.follower = follower, .of = of, .ratio = s->ratio};
    return ARNE_OK;
}

// The joint of this name, where it has one coordinate; -1, and why.
static int find_single(const arne_builder *b, const char *name, const char *none, const char *many,
                       const char **why)
{
    const int i = name_index_find(&b->joint_index, name);
    if (i < 0)
        *why = none;
    else if (!one_coordinate(&b->joints[i]))
        *why = many;
    return i;
}

static arne_status couplings_add_function(composing *c, int index)
{
    const arne_function_spec *s = &c->b->functions[index];
    const arne_function      *f = &s->function;
    const int                 product = f->kind == ARNE_FUNCTION_PRODUCT;
    const char               *why = NULL;
    char                      flaw[128];
    const int of = find_single(c->b, s->with, "the joint that it follows does not exist",
                               "the joint that it follows must have one coordinate", &why);
    const int i =
        find_single(c->b, s->joint, "there is no such joint", "it must have one coordinate", &why);
    const int times = s->times ? find_single(c->b, s->times, "the other joint does not exist",
                                             "the other joint must have one coordinate", &why)
                               : -1;
    if (!why && (i == of || i == times)) why = "it follows itself";
    if (!why && product != (s->times != NULL))
        why = "a product, and nothing else, takes two joints";
    if (!why && function_flaw(f, flaw)) why = flaw;
    if (why)
        return judge_fail(c->j, ARNE_MODEL, s->place, "joint '%s' follows '%s' by a function: %s",
                          s->joint, s->with, why);
    tie    t = {.follower = i, .of = of, .kind = product ? TIE_PRODUCT : TIE_FUNCTION};
    double offset = 0;
    t.function = index;
    t.times = times;
    t.ratio = f->factor;
    if (function_is_line(f, &t.ratio, &offset)) {
        t.kind = TIE_RATIO;
        c->g->offset[i] += offset;
    }
    c->ties[c->tie_count++] = t;
    if (product) c->ties[c->tie_count++] = (tie){.follower = i, .of = times, .kind = TIE_OTHER};
    if (c->g->mimic[i] < 0) c->g->mimic[i] = of;
    return ARNE_OK;
}

// ---- composing

// Lists the ties of each follower, or of each joint that is followed, one after the other.
static void sort_ties(const composing *c, int by_followed, int *list, int *start)
{
    const int groups = c->follower_count;
    memset(start, 0, ((size_t)groups + 1) * sizeof *start);
    for (int t = 0; t < c->tie_count; t++)
        start[(by_followed ? c->ties[t].of : c->ties[t].follower) + 1]++;
    for (int i = 0; i < groups; i++)
        start[i + 1] += start[i];
    for (int t = c->tie_count - 1; t >= 0; t--) // ends of groups move down to their starts
        list[--start[(by_followed ? c->ties[t].of : c->ties[t].follower) + 1]] = t;
    memmove(start, start + 1, (size_t)groups * sizeof *start);
    start[groups] = c->tie_count;
}

static int couplings_grow(composing *c, int more)
{
    if (c->pool_count + more <= c->pool_room) return 1;
    const int room = 2 * (c->pool_count + more);
    tie      *bigger = realloc(c->pool, (size_t)room * sizeof *bigger);
    if (!bigger) return 0;
    c->pool = bigger;
    c->pool_room = room;
    return 1;
}

static int bends_add(graph *g, graph_bend b)
{
    if (g->bend_count == g->bend_room) {
        const int   room = 2 * g->bend_room + 8;
        graph_bend *bigger = realloc(g->bends, (size_t)room * sizeof *bigger);
        if (!bigger) return 0;
        g->bends = bigger;
        g->bend_room = room;
    }
    g->bends[g->bend_count++] = b;
    return 1;
}

static int stages_add(graph *g, graph_stage s)
{
    if (g->stage_count == g->stage_room) {
        const int    room = 2 * g->stage_room + 8;
        graph_stage *bigger = realloc(g->stages, (size_t)room * sizeof *bigger);
        if (!bigger) return 0;
        g->stages = bigger;
        g->stage_room = room;
    }
    g->stages[g->stage_count++] = s;
    return 1;
}

static void couplings_add_entry(composing *c, int *count, int joint, double ratio)
{
    if (!c->seen[joint]) {
        c->seen[joint] = 1;
        c->sum[joint] = 0;
        c->touched[(*count)++] = joint;
    }
    c->sum[joint] += ratio;
}

// A row of a joint with a coordinate of its own is that coordinate.
static int follows(const composing *c, int f)
{
    return c->follower_start[f + 1] > c->follower_start[f];
}
static int entry_count(const composing *c, int f) { return follows(c, f) ? c->rows[f].count : 1; }
static tie couplings_entry_at(const composing *c, int f, int e)
{
    return follows(c, f) ? c->pool[c->rows[f].start + e] : (tie){.of = f, .ratio = 1};
}
static double offset_of(const composing *c, int f) { return follows(c, f) ? c->g->offset[f] : 0; }

// In proportion to what another row has.
static arne_status compose_ratio(composing *c, int f, const tie *t, int *count)
{
    const row r = c->rows[t->of];
    for (int e = 0; e < entry_count(c, t->of); e++) {
        const tie part = couplings_entry_at(c, t->of, e);
        couplings_add_entry(c, count, part.of, t->ratio * part.ratio);
    }
    if (follows(c, t->of) && f < c->b->joint_count)
        c->g->offset[f] += t->ratio * c->g->offset[t->of];
    if (r.bend_count && f >= c->b->joint_count)
        return judge_fail(c->j, ARNE_UNSUPPORTED, c->b->motors[f - c->b->joint_count].place,
                          "motor '%s' is coupled with joint '%s', which follows by a function: "
                          "rotors turn in proportion only",
                          c->b->motors[f - c->b->joint_count].name, c->b->joints[t->of].name);
    for (int k = 0; k < r.bend_count; k++) {
        graph_bend b = c->g->bends[r.bends + k];
        b.joint = f;
        b.factor *= t->ratio;
        if (!bends_add(c->g, b)) return arne_fail_memory(c->j->error);
    }
    return ARNE_OK;
}

// A function of a coordinate, or of a line or function of one.
static arne_status compose_function(composing *c, int f, const tie *t)
{
    graph                    *g = c->g;
    const arne_function_spec *spec = &c->b->functions[t->function];
    const row                 r = c->rows[t->of];
    const int                 entries = entry_count(c, t->of);
    const graph_bend         *inner = r.bend_count ? &g->bends[r.bends] : NULL;
    if (entries + r.bend_count != 1 || (inner && inner->times >= 0))
        return judge_fail(c->j, ARNE_UNSUPPORTED, spec->place,
                          "joint '%s' follows '%s' by a function, and '%s' follows %s itself: name "
                          "joints with a coordinate of their own",
                          spec->joint, spec->with, spec->with,
                          entries + r.bend_count ? "several" : "none");
    graph_bend b = {
        f, inner ? inner->with : couplings_entry_at(c, t->of, 0).of, -1, 1, g->stage_count, 0};
    const double      ratio = inner ? inner->factor : couplings_entry_at(c, t->of, 0).ratio;
    const double      offset = offset_of(c, t->of);
    const graph_stage last = {t->function, 0, 0}, line = {-1, ratio, offset};
    const int         from = inner ? inner->start : 0, count = inner ? inner->count : 0;
    int               fine = 1;
    for (int k = 0; k < count; k++)
        fine = fine && stages_add(g, g->stages[from + k]);
    if (ratio != 1 || offset != 0) fine = fine && stages_add(g, line);
    fine = fine && stages_add(g, last);
    b.count = g->stage_count - b.start;
    return fine && bends_add(g, b) ? ARNE_OK : arne_fail_memory(c->j->error);
}

// (sum of a q + alpha) (sum of b q + beta)
static arne_status compose_product(composing *c, int f, const tie *t, int *count)
{
    const arne_function_spec *spec = &c->b->functions[t->function];
    const double              alpha = offset_of(c, t->of), beta = offset_of(c, t->times);
    if (c->rows[t->of].bend_count || c->rows[t->times].bend_count)
        return judge_fail(c->j, ARNE_UNSUPPORTED, spec->place,
                          "joint '%s' follows '%s' times '%s', one of which follows by a function "
                          "itself: name joints with a coordinate of their own",
                          spec->joint, spec->with, spec->times);
    for (int i = 0; i < entry_count(c, t->of); i++)
        for (int k = 0; k < entry_count(c, t->times); k++) {
            const tie a = couplings_entry_at(c, t->of, i), b = couplings_entry_at(c, t->times, k);
            const graph_bend product = {f, a.of, b.of, t->ratio * a.ratio * b.ratio, 0, 0};
            if (!bends_add(c->g, product)) return arne_fail_memory(c->j->error);
        }
    for (int i = 0; beta != 0 && i < entry_count(c, t->of); i++)
        couplings_add_entry(c, count, couplings_entry_at(c, t->of, i).of,
                            t->ratio * beta * couplings_entry_at(c, t->of, i).ratio);
    for (int k = 0; alpha != 0 && k < entry_count(c, t->times); k++)
        couplings_add_entry(c, count, couplings_entry_at(c, t->times, k).of,
                            t->ratio * alpha * couplings_entry_at(c, t->times, k).ratio);
    c->g->offset[f] += t->ratio * alpha * beta;
    return ARNE_OK;
}

static arne_status compose(composing *c, int f)
{
    int         count = 0;
    const int   bends = c->g->bend_count;
    arne_status status = ARNE_OK;
    for (int k = c->follower_start[f]; !status && k < c->follower_start[f + 1]; k++) {
        const tie *t = &c->ties[c->by_follower[k]];
        if (t->kind == TIE_RATIO) status = compose_ratio(c, f, t, &count);
        if (t->kind == TIE_FUNCTION) status = compose_function(c, f, t);
        if (t->kind == TIE_PRODUCT) status = compose_product(c, f, t, &count);
    }
    if (status) return status;
    if (!couplings_grow(c, count)) return arne_fail_memory(c->j->error);
    c->rows[f] = (row){c->pool_count, count, bends, c->g->bend_count - bends};
    for (int k = 0; k < count; k++) {
        const int joint = c->touched[k];
        c->seen[joint] = 0;
        c->pool[c->pool_count++] = (tie){.follower = f, .of = joint, .ratio = c->sum[joint]};
    }
    return ARNE_OK;
}

static arne_status compose_all(composing *c)
{
    int first = 0, last = 0, left = 0;
    for (int f = 0; f < c->follower_count; f++) {
        c->pending[f] = 0;
        for (int k = c->follower_start[f]; k < c->follower_start[f + 1]; k++) {
            const int of = c->ties[c->by_follower[k]].of;
            c->pending[f] += c->follower_start[of + 1] > c->follower_start[of];
        }
        const int follows = c->follower_start[f + 1] > c->follower_start[f];
        if (follows && c->pending[f] == 0) c->queue[last++] = f;
        left += follows;
    }
    while (first < last) {
        const int         f = c->queue[first++];
        const arne_status status = compose(c, f);
        if (status) return status;
        left--;
        for (int k = c->followed_start[f]; k < c->followed_start[f + 1]; k++) {
            const int next = c->ties[c->by_followed[k]].follower;
            if (--c->pending[next] == 0) c->queue[last++] = next;
        }
    }
    for (int f = 0; left && f < c->b->joint_count; f++)
        if (c->pending[f])
            return judge_fail(c->j, ARNE_MODEL, c->b->joints[f].place,
                              "joint '%s' mimics '%s', which in the end follows '%s'",
                              c->b->joints[f].name,
                              c->b->joints[c->ties[c->by_follower[c->follower_start[f]]].of].name,
                              c->b->joints[f].name);
    return ARNE_OK;
}

// The first term of a joint is what it mimics; the others, and all of motors, are terms.
static arne_status keep_rows(composing *c)
{
    graph *g = c->g;
    g->terms = malloc(((size_t)c->pool_count + 1) * sizeof *g->terms);
    if (!g->terms) return arne_fail_memory(c->j->error);
    for (int f = 0; f < c->follower_count; f++) {
        const row r = c->rows[f];
        const int is_joint = f < c->b->joint_count;
        if (is_joint && (r.count || r.bend_count)) {
            g->mimic[f] = r.count ? c->pool[r.start].of : g->bends[r.bends].with;
            g->ratio[f] = r.count ? c->pool[r.start].ratio : 0;
        }
        for (int e = is_joint; e < r.count; e++) {
            const tie *t = &c->pool[r.start + e];
            g->terms[g->term_count++] = (graph_term){
                is_joint ? f : -1, is_joint ? -1 : f - c->b->joint_count, t->of, t->ratio};
        }
    }
    return ARNE_OK;
}

static int couplings_allocate(composing *c)
{
    const size_t ties = (size_t)c->b->joint_count + (size_t)c->b->coupling_count +
                        2 * (size_t)c->b->function_count + 1;
    const size_t n = (size_t)c->follower_count + 2;
    c->ties = malloc(ties * sizeof *c->ties);
    c->by_follower = malloc((2 * ties + 5 * n) * sizeof(int));
    c->rows = calloc(n, sizeof *c->rows);
    c->sum = malloc(n * sizeof *c->sum);
    c->seen = calloc(n, 1);
    if (!c->ties || !c->by_follower || !c->rows || !c->sum || !c->seen) return 0;
    c->by_followed = c->by_follower + ties;
    c->follower_start = c->by_followed + ties;
    c->followed_start = c->follower_start + n;
    c->pending = c->followed_start + n;
    c->queue = c->pending + n;
    c->touched = c->queue + n;
    return 1;
}

arne_status graph_follow(const arne_builder *b, const judge *j, graph *g)
{
    composing   c = {.b = b, .j = j, .g = g, .follower_count = b->joint_count + b->motor_count};
    arne_status status = couplings_allocate(&c) ? ARNE_OK : arne_fail_memory(j->error);
    for (int i = 0; i < b->joint_count && status_goes_on(status); i++)
        status = status_both(status, add_mimic(&c, i));
    for (int i = 0; i < b->coupling_count && status_goes_on(status); i++)
        status = status_both(status, couplings_add_coupling(&c, &b->couplings[i]));
    for (int i = 0; i < b->function_count && status_goes_on(status); i++)
        status = status_both(status, couplings_add_function(&c, i));
    if (!status) {
        sort_ties(&c, 0, c.by_follower, c.follower_start);
        sort_ties(&c, 1, c.by_followed, c.followed_start);
        status = compose_all(&c);
    }
    if (!status) status = keep_rows(&c);
    if (!status) status = graph_strains(b, j, g);
    free(c.ties);
    free(c.by_follower);
    free(c.rows);
    free(c.sum);
    free(c.seen);
    free(c.pool);
    return status;
}
