// Handles: for forward dynamics by recursion where one coordinate moves several bodies, a mimic
// joint with the one it follows or a rotor with its joint. See algo/forward_dynamics_shared.k.h.
#include "base/error.h"
#include "robot/build.h"
#include <stdlib.h>
#include <string.h>

// A recursion that carries many coordinates at once costs more than the matrix, and much memory.
static int too_many(const arne_robot *r, long pairs) { return pairs > 64L * r->body_count + 4096; }

static int common_ancestor(const body *bodies, int a, int b)
{
    while (a != b) { // a parent has the smaller index
        if (a > b)
            a = bodies[a].parent;
        else
            b = bodies[b].parent;
    }
    return a;
}

// Of each user's coordinate: the first body that carries all that it moves, -1 where it moves one
// body only.
static void find_tops(const arne_robot *r, int *top, int *moved)
{
    const body   *bodies = robot_bodies(r);
    const source *from = robot_v_sources(r);
    for (int k = 0; k < r->v_count; k++) {
        top[k] = -1;
        moved[k] = 0;
    }
    for (int k = 0; k < r->tree_v_count; k++) {
        const int user = from[k].from, above = bodies[robot_dofs(r)[k].body].parent;
        top[user] = moved[user]++ ? common_ancestor(bodies, top[user], above) : above;
    }
    for (int k = 0; k < r->v_count; k++)
        if (moved[k] < 2) top[k] = -1;
}

static int carries(const body *bodies, int i, int other)
{
    while (other > i)
        other = bodies[other].parent;
    return other == i;
}

// Columns that move one link, and a rotor that this link does not carry.
static void find_late(const arne_robot *r, int *top, const int *moved, int *late)
{
    const body *bodies = robot_bodies(r);
    for (int m = r->rotor_start; m < r->body_count; m++) {
        const int user = robot_v_sources(r)[bodies[m].v_start].from;
        const int i = robot_joints(r)[bodies[m].joint].body;
        if (moved[user] != 2 || bodies[i].v_count != 1 || carries(bodies, i, bodies[m].parent))
            continue;
        late[i] = LATE_HANDLE;
        if (bodies[i].parent != bodies[m].parent) continue;
        late[i] = late[m] = LATE_COLUMN; // no handle is needed
        top[user] = -1;
    }
}

// Walks every shared coordinate from the bodies it moves to its top. Without spans it counts the
// handles of each body in `count`, with them it writes them.
static void build_handles_walk(const arne_robot *r, const int *top, const int *late, int *count,
                               int *last, handle *out, const handle_span *spans)
{
    const source *from = robot_v_sources(r);
    for (int i = 0; i < r->body_count; i++) {
        count[i] = 0;
        last[i] = -1;
    }
    for (int user = 0; user < r->v_count; user++)
        for (int k = 0; top[user] >= 0 && k < r->tree_v_count; k++) {
            if (from[k].from != user) continue;
            int i = robot_dofs(r)[k].body;
            if (late[i]) i = robot_bodies(r)[i].parent;
            for (;; i = robot_bodies(r)[i].parent) {
                if (last[i] == user) break; // from here on the way is known
                last[i] = user;
                if (out) out[spans[i].start + count[i]] = (handle){user, -1};
                count[i]++;
                if (i == top[user]) break;
            }
        }
}

// Those that end at a body come first.
static void ended_first(const arne_robot *r, const int *top, handle *handles, handle_span *spans)
{
    for (int i = 0; i < r->body_count; i++) {
        handle *own = handles + spans[i].start;
        for (int h = 0; h < spans[i].count; h++) {
            if (top[own[h].coordinate] != i) continue;
            const handle ends = own[h];
            own[h] = own[spans[i].ended];
            own[spans[i].ended++] = ends;
        }
    }
}

static int build_handles_find_slot(const handle *handles, const handle_span *span, int coordinate)
{
    int h = span->start;
    while (handles[h].coordinate != coordinate)
        h++;
    return h;
}

static void link_up(const arne_robot *r, handle *handles, handle_span *spans)
{
    for (int i = 1; i < r->body_count; i++) {
        const handle_span *above = &spans[robot_bodies(r)[i].parent];
        for (int h = spans[i].start + spans[i].ended; h < spans[i].start + spans[i].count; h++)
            handles[h].up = build_handles_find_slot(handles, above, handles[h].coordinate);
        if (spans[i].late == LATE_HANDLE)
            spans[i].slot = build_handles_find_slot(handles, above, spans[i].user) - above->start;
    }
}

// How many numbers the columns of body i have with handles: late ones meet those of the link
// before.
static long crossings(const arne_robot *r, int i, const int *count, const int *late)
{
    const body *b = robot_bodies(r) + i;
    return (long)count[late[i] ? b->parent : i] * b->v_count;
}

static arne_status fill_handles(build *s, const int *top, const int *late, int *count, int *last)
{
    build_handles_walk(s->r, top, late, count, last, NULL, NULL);
    long handles = 0, pairs = 0, cross = 0;
    for (int i = 0; i < s->r->body_count; i++) {
        handles += count[i];
        pairs += (long)count[i] * count[i];
        cross += crossings(s->r, i, count, late);
    }
    if (too_many(s->r, pairs)) return ARNE_OK;
    s->r->has_handles = 1;
    s->r->handle_count = (int)handles;
    s->r->handle_pairs = (int)pairs;
    s->r->handle_cross = (int)cross;
    const size_t size = s->r->size;
    robot_lay_out(s->r);
    arne_robot *bigger = realloc(s->r, s->r->size);
    if (!bigger) return arne_fail_memory(s->j.error);
    s->r = bigger;
    memset((char *)bigger + size, 0,
           bigger->size - size); // gaps, too: equal robots are equal bytes
    handle_span *spans = ROBOT_ARRAY(bigger, handle_span, handle_spans);
    handle_span  next = {0};
    for (int i = 0; i < bigger->body_count; i++) {
        next.count = count[i];
        next.late = late[i];
        next.user = i ? robot_v_sources(bigger)[robot_bodies(bigger)[i].v_start].from : 0;
        spans[i] = next;
        next.start += next.count;
        next.pairs += next.count * next.count;
        next.cross += (int)crossings(bigger, i, count, late);
    }
    build_handles_walk(bigger, top, late, count, last, ROBOT_ARRAY(bigger, handle, handles), spans);
    ended_first(bigger, top, ROBOT_ARRAY(bigger, handle, handles), spans);
    link_up(bigger, ROBOT_ARRAY(bigger, handle, handles), spans);
    return ARNE_OK;
}

// Of the user's coordinates or velocities and the tree's: what is copied and what is odd.
typedef struct copying {
    const source *from;
    int           user_count, tree_count;
    source_copy  *copies;
    int          *odds, *four_count, *copy_count, *odd_count;
} copying;

// Coordinates of the tree, one after the other, that are the user's own as they stand.
typedef struct source_run {
    int at, from, count;
} source_run;

// Each of the user's is in one of the runs; the others are odd. `seen` has room for all of the
// user's and is zero.
static int find_runs(const copying *c, char *seen, source_run *runs)
{
    int count = 0;
    for (int k = 0; k < c->tree_count; k++) {
        const source *s = &c->from[k];
        source_run   *last = count ? &runs[count - 1] : NULL;
        if (s->ratio != 1 || s->offset != 0 || seen[s->from]) {
            c->odds[(*c->odd_count)++] = k;
            continue;
        }
        seen[s->from] = 1;
        if (last && last->at + last->count == k && last->from + last->count == s->from)
            last->count++;
        else
            runs[count++] = (source_run){k, s->from, 1};
    }
    return count;
}

// Fours, then single ones. The last four of a run may go beyond it where both arrays do, and where
// later runs write again what it wrote.
static void find_copies(const copying *c, const source_run *runs, int count)
{
    int rises = 1;
    for (int i = 1; i < count; i++)
        rises &= runs[i].from > runs[i - 1].from;
    for (int single = 0; single < 2; single++)
        for (int i = 0; i < count; i++) {
            const source_run *run = &runs[i];
            const int         up = (run->count + 3) / 4 * 4;
            const int         fits =
                rises && run->from + up <= c->user_count && run->at + up <= c->tree_count;
            const int fours = fits ? up : run->count / 4 * 4;
            for (int k = single ? fours : 0; k < (single ? run->count : fours); k += single ? 1 : 4)
                c->copies[(*c->copy_count)++] = (source_copy){run->at + k, run->from + k};
            if (!single) *c->four_count += fours / 4;
        }
}

static void leave_odds(const copying *c, int first, int last)
{
    int kept = 0;
    for (int k = 0; k < *c->odd_count; k++)
        if (c->odds[k] < first || c->odds[k] > last) c->odds[kept++] = c->odds[k];
    *c->odd_count = kept;
}

// Exponents write their own entries, and so do functions where there is nothing else.
static void leave_written(arne_robot *r, const copying *q, const copying *v)
{
    for (int i = 0; i < r->exponent_count; i++) {
        const exponent_record *x = &robot_exponents(r)[i];
        leave_odds(q, x->q, x->q + 6);
        leave_odds(v, x->v, x->v + 5);
    }
    for (int i = 0; i < r->bend_count; i++) {
        bend_record  *b = &ROBOT_ARRAY(r, bend_record, bends)[i];
        slope_record *s = &ROBOT_ARRAY(r, slope_record, slopes)[b->slope];
        int           alone = robot_v_sources(r)[s->v].ratio == 0;
        alone &= robot_q_sources(r)[b->q].ratio == 0 && robot_q_sources(r)[b->q].offset == 0;
        for (int k = 0; k < r->term_count; k++)
            alone &= robot_terms(r)[k].v != s->v;
        for (int k = 0; k < i; k++)
            alone &= robot_bends(r)[k].q != b->q;
        if (!alone) continue;
        b->starts = s->starts = 1;
        leave_odds(q, b->q, b->q);
        leave_odds(v, s->v, s->v);
    }
}

static arne_status fill_copies(build *s)
{
    arne_robot   *r = s->r;
    const copying both[2] = {
        {robot_q_sources(r), r->q_count, r->tree_q_count, ROBOT_ARRAY(r, source_copy, q_copies),
         ROBOT_ARRAY(r, int, q_odds), &r->q_four_count, &r->q_copy_count, &r->q_odd_count},
        {robot_v_sources(r), r->v_count, r->tree_v_count, ROBOT_ARRAY(r, source_copy, v_copies),
         ROBOT_ARRAY(r, int, v_odds), &r->v_four_count, &r->v_copy_count, &r->v_odd_count}};
    for (int i = 0; i < 2; i++) {
        const size_t room = (size_t)both[i].tree_count + 1;
        source_run  *runs = calloc(room, sizeof *runs + 1);
        if (!runs) return arne_fail_memory(s->j.error);
        find_copies(&both[i], runs, find_runs(&both[i], (char *)(runs + room), runs));
        free(runs);
    }
    leave_written(r, &both[0], &both[1]);
    return ARNE_OK;
}

// A handle is one coordinate: bodies that move with several, or by exponentials, go by the matrix.
static int has_single_sources(const arne_robot *r)
{
    int single = !r->term_count && !r->exponent_count;
    for (int i = 0; i < r->slope_count; i++) {
        const slope_record *s = &robot_slopes(r)[i];
        single &= s->from_v == s->with_v && s->from_v == robot_v_sources(r)[s->v].from;
    }
    return single;
}

arne_status build_handles(build *s)
{
    if (!s->r->shares_coordinates) return ARNE_OK;
    arne_status status = fill_copies(s);
    if (status) return status;
    if (!has_single_sources(s->r)) return ARNE_OK;
    const size_t n = (size_t)s->r->v_count + (size_t)s->r->body_count + 1;
    int         *room = calloc(3 * n, sizeof *room);
    if (!room) return arne_fail_memory(s->j.error);
    int *top = room, *moved = top + s->r->v_count;
    int *late = moved + s->r->v_count, *count = late + s->r->body_count;
    int *last = count + s->r->body_count;
    find_tops(s->r, top, moved);
    find_late(s->r, top, moved, late);
    status = fill_handles(s, top, late, count, last);
    free(room);
    return status;
}
