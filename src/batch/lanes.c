// Blocks of states: their memory, the way in and out, and the loop over them. Compiled once for
// each width, with ARNE_LANES and the flags of a processor that has registers of that width;
// without it, for one state at a time in plain doubles, the oracle of the others.
#include "batch/lanes.h"
#include "algo/run_call.h"
#include "math/spatial.h"
#include <stdint.h>
#include <string.h>

// Names carry the width, so that the objects of all widths link together.
#define LANES_JOIN(name, width) name##_##width
#define LANES_PASTE(name, width) LANES_JOIN(name, width)
#ifdef ARNE_LANES
enum { LANES = ARNE_LANES };
#define LANES_NAME(name) LANES_PASTE(name, ARNE_LANES)
#else
enum { LANES = 1 };
#define LANES_NAME(name) LANES_PASTE(name, 1)
#endif

// Whole lines of memory are moved, where there is room for them: the rows of the caller's arrays
// may be so far apart that a line is gone before its other half is wanted.
enum { MOVED_STATES = 16, GROUP = MOVED_STATES / LANES, ROOM = 512 };

// A block: the workspace, and the rows of inputs and outputs of its states side by side, for a
// group of blocks.
typedef struct block {
    work *w;
    real *in;   // rows of all inputs, one after the other
    load *load; // f_ext as the texts take it
    real *out;
} block;

// ---- memory ----

static size_t lanes_padded(size_t bytes)
{
    return (bytes + ARNE_ALIGNMENT - 1) / ARNE_ALIGNMENT * ARNE_ALIGNMENT;
}

static size_t room_for(size_t rows) { return rows > ROOM ? rows : ROOM; }

static size_t block_size(const arne_robot *r, size_t in_rows, size_t out_rows)
{
    return lanes_padded(sizeof(block)) + lanes_padded(work_walk(r, NULL, NULL)) +
           lanes_padded(room_for(in_rows) * sizeof(real)) +
           lanes_padded((size_t)r->body_count * sizeof(load)) +
           lanes_padded(room_for(out_rows) * sizeof(real));
}

static void block_place(const arne_robot *r, size_t in_rows, void *memory)
{
    block *b = memory;
    char  *at = (char *)memory + lanes_padded(sizeof(block));
    b->w = (work *)(void *)at;
    work_walk(r, b->w, at);
    work_start(r, b->w);
    at += lanes_padded(work_walk(r, NULL, NULL));
    b->in = (real *)(void *)at;
    at += lanes_padded(room_for(in_rows) * sizeof(real));
    b->load = (load *)(void *)at;
    at += lanes_padded((size_t)r->body_count * sizeof(load));
    b->out = (real *)(void *)at;
}

static void block_set_base(const arne_robot *r, void *memory, const arne_pose *at,
                           const arne_motion *velocity, const arne_motion *acceleration,
                           const arne_motion *jerk)
{
    const arne_pose identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    work           *w = ((block *)memory)->w;
    work_set_base(r, w, pose_lift(at ? *at : identity),
                  velocity ? motion_lift(*velocity) : motion_zero(),
                  acceleration ? motion_lift(*acceleration) : motion_zero());
    work_set_base_jerk(w, jerk ? motion_lift(*jerk) : motion_zero());
}

// ---- states into lanes and back ----

// An array of the caller's, and the rows of the block that take it.
typedef struct transfer {
    double   *user;
    real     *own;
    size_t    rows;
    ptrdiff_t entry, state; // from one number to the next, and from one state to the next
} transfer;

typedef struct transfers {
    transfer all[ARNE_ARRAY_COUNT];
    int      count;
    size_t   rows; // of a block, with those that are not moved
} transfers;

// The rows of one array, from state `first` on, of a block that is not full. Lanes without a state
// of their own repeat the last one: they cannot raise anything that it does not.
static void lanes_read_rows(const transfer *t, size_t first, size_t count)
{
    const double *from = t->user + (ptrdiff_t)first * t->state;
    for (real *own = t->own, *const end = own + t->rows; own < end; own++, from += t->entry)
        for (size_t i = 0; i < LANES; i++)
            memcpy((double *)(void *)own + i,
                   from + (ptrdiff_t)(i < count ? i : count - 1) * t->state, sizeof *from);
}

static void lanes_write_rows(const transfer *t, size_t first, size_t count)
{
    double *to = t->user + (ptrdiff_t)first * t->state;
    for (const real *own = t->own, *const end = own + t->rows; own < end; own++, to += t->entry)
        for (size_t i = 0; i < count; i++)
            memcpy(to + (ptrdiff_t)i * t->state, (const double *)(const void *)own + i, sizeof *to);
}

// States that do not lie next to each other: a register is put together from its lanes, and taken
// apart.
ARNE_FN void read_apart(const transfer *t, real *own, size_t first)
{
    const ptrdiff_t s = t->state;
    const double   *from = t->user + (ptrdiff_t)first * s;
    for (real *const end = own + t->rows; own < end; own++, from += t->entry) {
        double lanes[LANES];
        for (int i = 0; i < LANES; i++)
            lanes[i] = from[i * s];
        memcpy(own, lanes, sizeof *own);
    }
}

ARNE_FN void write_apart(const transfer *t, const real *own, size_t first)
{
    const ptrdiff_t s = t->state;
    double         *to = t->user + (ptrdiff_t)first * s;
    for (const real *const end = own + t->rows; own < end; own++, to += t->entry) {
        double lanes[LANES];
        memcpy(lanes, own, sizeof *own);
        for (int i = 0; i < LANES; i++)
            to[i * s] = lanes[i];
    }
}

// Of full blocks, `blocks` at once, whose rows are `step` apart.
ARNE_FN void read_full(const transfer *t, size_t first, size_t blocks, size_t step)
{
    const double *from = t->user + first;
    if (t->state != 1) {
        for (size_t g = 0; g < blocks; g++)
            read_apart(t, t->own + g * step, first + g * LANES);
        return;
    }
    for (real *own = t->own, *const end = own + t->rows; own < end; own++, from += t->entry)
        for (size_t g = 0; g < blocks; g++)
            memcpy(own + g * step, from + g * LANES, sizeof *own);
}

ARNE_FN void write_full(const transfer *t, size_t first, size_t blocks, size_t step)
{
    double *to = t->user + first;
    if (t->state != 1) {
        for (size_t g = 0; g < blocks; g++)
            write_apart(t, t->own + g * step, first + g * LANES);
        return;
    }
    for (const real *own = t->own, *const end = own + t->rows; own < end; own++, to += t->entry)
        for (size_t g = 0; g < blocks; g++)
            memcpy(to + g * LANES, own + g * step, sizeof *own);
}

static void lanes_read_all(const transfers *t, size_t first, size_t count, int many)
{
    for (int i = 0; i < t->count; i++)
        if (many)
            read_full(&t->all[i], first, GROUP, t->rows);
        else if (count >= LANES)
            read_full(&t->all[i], first, 1, 0);
        else
            lanes_read_rows(&t->all[i], first, count);
}

static void lanes_write_all(const transfers *t, size_t first, size_t count, int many)
{
    for (int i = 0; i < t->count; i++)
        if (many)
            write_full(&t->all[i], first, GROUP, t->rows);
        else if (count >= LANES)
            write_full(&t->all[i], first, 1, 0);
        else
            lanes_write_rows(&t->all[i], first, count);
}

static void read_loads(const real *x, int count, load *f)
{
    for (int i = 0; i < count; i++, x += 6) {
#ifdef ARNE_LANES
        f[i] = fo(v3(x[0], x[1], x[2]), v3(x[3], x[4], x[5]));
#else
        f[i] = (load){.lin = {x[0], x[1], x[2]}, .ang = {x[3], x[4], x[5]}};
#endif
    }
}

static void lanes_prepare(const batch_job *job, const block *b, const call_settings *settings,
                          call *c, transfers *in, transfers *out)
{
    *c = (call){.r = job->robot, .w = b->w, .settings = settings};
    *in = *out = (transfers){.count = 0};
    for (int i = 0; i < ARNE_INPUT_COUNT; i++) {
        if (!job->in[i]) continue;
        // inputs are only read: one type serves both ways
        c->in[i] = b->in + in->rows;
        in->all[in->count++] =
            (transfer){(double *)(uintptr_t)job->in[i], b->in + in->rows, job->in_rows[i],
                       job->in_layout[i].entry, job->in_layout[i].state};
        in->rows += job->in_rows[i];
    }
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++) {
        if (!job->out_rows[i]) continue;
        c->out[i] = b->out + job->out_at[i];
        c->wanted[i] = job->out[i] != NULL;
        out->rows += job->out_rows[i];
        if (job->out[i])
            out->all[out->count++] = (transfer){job->out[i], c->out[i], job->out_rows[i],
                                                job->out_layout[i].entry, job->out_layout[i].state};
    }
    if (IN(f_ext)) c->f_ext = b->load;
}

// The call for the next block of a group.
static void lanes_go_on(call *c, size_t in_rows, size_t out_rows)
{
    for (int i = 0; i < ARNE_INPUT_COUNT; i++)
        if (c->in[i]) c->in[i] += in_rows;
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++)
        if (c->out[i]) c->out[i] += out_rows;
}

// ---- blocks ----

static unsigned run_one(const call *c, arne_algorithm algorithm, load *f_ext)
{
    c->w->keeps_wrenches = 1;
    if (c->f_ext) read_loads(IN(f_ext), c->r->body_count, f_ext);
    return run_call((int)algorithm, c);
}

static void block_run(const batch_job *job, void *memory, size_t first, size_t end, batch_look look,
                      void *context)
{
    const arne_batch_inputs *given = job->given;
    const call_settings      settings = {given->loads, given->load_count, given->frame,
                                         given->joint, given->axes,       given->kind,
                                         given->given, given->point,      given->normal};
    load *const              f_ext = ((const block *)memory)->load;
    call                     calls[GROUP];
    transfers                in, out;
    lanes_prepare(job, memory, &settings, &calls[0], &in, &out);
    const int roomy = GROUP * (in.rows > out.rows ? in.rows : out.rows) <= ROOM;
    for (int g = 1; g < GROUP && roomy && end - first >= GROUP; g++) {
        calls[g] = calls[g - 1];
        lanes_go_on(&calls[g], in.rows, out.rows);
    }
    for (size_t b = first; b < end;) {
        const size_t at = b * LANES, count = job->count - at;
        const int    many = roomy && end - b >= GROUP && count >= MOVED_STATES;
        lanes_read_all(&in, at, count, many);
        for (int g = 0; g < (many ? GROUP : 1); g++, b++) {
            const unsigned bad = run_one(&calls[g], job->algorithm, f_ext);
            if (bad) look(context, b, bad);
        }
        lanes_write_all(&out, at, count, many);
    }
}

const batch_kernel LANES_NAME(batch_kernel) = {LANES, block_size, block_place, block_set_base,
                                               block_run};
