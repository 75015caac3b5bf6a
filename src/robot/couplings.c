// Who follows whom. A joint may follow another, q = ratio q' + offset, or the sum of several; the
// rotor of a rigid motor may turn with several joints; and what is followed may follow others.
// Composed, that is a sparse row for each follower over the joints with a coordinate of their own:
// the matrix G of robot/coordinates.k.h.
//
// A follower is composed when all that it follows has been (Kahn 1962), so that time grows with
// what the rows hold. Those that are left in the end go round in a circle.
#include "base/error.h"
#include "robot/graph.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct tie { // that a file says. Followers are joints, then motors.
    int    follower, of;
    double ratio;
} tie;

typedef struct row {
    int start, count;
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
    c->g->offset[i] = s->mimic_offset;
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
    c->ties[c->tie_count++] = (tie){i, of, s->mimic_ratio};
    return ARNE_OK;
}

static int find_motor(const arne_builder *b, const char *name)
{
    for (int i = 0; i < b->motor_count; i++)
        if (!strcmp(b->motors[i].name, name)) return i;
    return -1;
}

// Why nothing can be coupled to this, or NULL.
static const char *refuse_coupled(const composing *c, const arne_coupling_spec *s, int *follower)
{
    if (s->motor) {
        const int m = find_motor(c->b, s->motor);
        *follower = c->b->joint_count + m;
        return m < 0 ? "there is no such motor"
               : isfinite(c->b->motors[m].stiffness)
                   ? "a motor behind a spring turns by itself, so it must be rigid to be coupled"
                   : NULL;
    }
    const int i = *follower = name_index_find(&c->b->joint_index, s->joint);
    return i < 0                    ? "there is no such joint"
           : !c->b->joints[i].mimic ? "it follows no joint yet (mimic)"
           : c->g->mimic[i] < 0     ? "what it mimics is wrong already"
                                    : NULL;
}

static arne_status add_coupling(composing *c, const arne_coupling_spec *s)
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
    c->ties[c->tie_count++] = (tie){follower, of, s->ratio};
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

static int grow(composing *c, int more)
{
    if (c->pool_count + more <= c->pool_room) return 1;
    const int room = 2 * (c->pool_count + more);
    tie      *bigger = realloc(c->pool, (size_t)room * sizeof *bigger);
    if (!bigger) return 0;
    c->pool = bigger;
    c->pool_room = room;
    return 1;
}

static void add(composing *c, int *count, int joint, double ratio)
{
    if (!c->seen[joint]) {
        c->seen[joint] = 1;
        c->sum[joint] = 0;
        c->touched[(*count)++] = joint;
    }
    c->sum[joint] += ratio;
}

static int compose(composing *c, int f)
{
    int count = 0;
    for (int k = c->follower_start[f]; k < c->follower_start[f + 1]; k++) {
        const tie *t = &c->ties[c->by_follower[k]];
        const row  r = c->rows[t->of];
        if (r.count == 0) add(c, &count, t->of, t->ratio);
        for (int e = 0; e < r.count; e++)
            add(c, &count, c->pool[r.start + e].of, t->ratio * c->pool[r.start + e].ratio);
        if (r.count && f < c->b->joint_count) c->g->offset[f] += t->ratio * c->g->offset[t->of];
    }
    if (!grow(c, count)) return 0;
    c->rows[f] = (row){c->pool_count, count};
    for (int k = 0; k < count; k++) {
        const int joint = c->touched[k];
        c->seen[joint] = 0;
        c->pool[c->pool_count++] = (tie){f, joint, c->sum[joint]};
    }
    return 1;
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
        const int f = c->queue[first++];
        if (!compose(c, f)) return arne_fail_memory(c->j->error);
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
                              c->b->joints[f].name, c->b->joints[f].mimic, c->b->joints[f].name);
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
        if (is_joint && r.count) {
            g->mimic[f] = c->pool[r.start].of;
            g->ratio[f] = c->pool[r.start].ratio;
        }
        for (int e = is_joint; e < r.count; e++) {
            const tie *t = &c->pool[r.start + e];
            g->terms[g->term_count++] = (graph_term){
                is_joint ? f : -1, is_joint ? -1 : f - c->b->joint_count, t->of, t->ratio};
        }
    }
    return ARNE_OK;
}

static int allocate(composing *c)
{
    const size_t ties = (size_t)c->b->joint_count + (size_t)c->b->coupling_count + 1;
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
    arne_status status = allocate(&c) ? ARNE_OK : arne_fail_memory(j->error);
    for (int i = 0; i < b->joint_count && status_goes_on(status); i++)
        status = status_both(status, add_mimic(&c, i));
    for (int i = 0; i < b->coupling_count && status_goes_on(status); i++)
        status = status_both(status, add_coupling(&c, &b->couplings[i]));
    if (!status) {
        sort_ties(&c, 0, c.by_follower, c.follower_start);
        sort_ties(&c, 1, c.by_followed, c.followed_start);
        status = compose_all(&c);
    }
    if (!status) status = keep_rows(&c);
    free(c.ties);
    free(c.by_follower);
    free(c.rows);
    free(c.sum);
    free(c.seen);
    free(c.pool);
    return status;
}
