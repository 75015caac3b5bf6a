// Blocks of states: their memory, the way in and out, and the loop over them.
#include "batch/block.h"
#include "math/spatial.h"
#include <stdint.h>
#include <string.h>

// A block: the workspace, and the rows of inputs and outputs of its states side by side.
typedef struct block {
    work *w;
    real *in;   // rows of all inputs, one after the other
    load *load; // f_ext as the texts take it
    real *out;
} block;

// ---- memory ----

static size_t padded(size_t bytes)
{
    return (bytes + ARNE_ALIGNMENT - 1) / ARNE_ALIGNMENT * ARNE_ALIGNMENT;
}

static size_t block_size(const arne_robot *r, size_t in_rows, size_t out_rows)
{
    return padded(sizeof(block)) + padded(work_walk(r, NULL, NULL)) +
           padded(in_rows * sizeof(real)) + padded((size_t)r->body_count * sizeof(load)) +
           padded(out_rows * sizeof(real));
}

static void block_place(const arne_robot *r, size_t in_rows, void *memory)
{
    block *b = memory;
    char  *at = (char *)memory + padded(sizeof(block));
    b->w = (work *)(void *)at;
    work_walk(r, b->w, at);
    work_start(r, b->w);
    at += padded(work_walk(r, NULL, NULL));
    b->in = (real *)(void *)at;
    at += padded(in_rows * sizeof(real));
    b->load = (load *)(void *)at;
    at += padded((size_t)r->body_count * sizeof(load));
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

// The rows of one array, from state `first` on. Full blocks are moved a register at a time.
static void read_rows(const transfer *t, size_t stride, size_t first, size_t count)
{
    const double *from = t->user + first;
    real *own = t->own, *const end = own + t->rows;
    if (count >= LANES) {
        for (; own < end; own++, from += stride)
            memcpy(own, from, sizeof *own);
        return;
    }
    // Lanes without a state of their own repeat the last one: they cannot raise anything that it does not.
    for (; own < end; own++, from += stride)
        for (size_t i = 0; i < LANES; i++)
            memcpy((double *)(void *)own + i, from + (i < count ? i : count - 1), sizeof *from);
}

static void write_rows(const transfer *t, size_t stride, size_t first, size_t count)
{
    double     *to = t->user + first;
    const real *own = t->own, *const end = own + t->rows;
    if (count >= LANES)
        for (; own < end; own++, to += stride)
            memcpy(to, own, sizeof *own);
    else
        for (; own < end; own++, to += stride)
            memcpy(to, own, count * sizeof *to);
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

static void prepare(const batch_job *job, block *b, call *c)
{
    real *at = b->in;
    *c = (call){.job = job, .r = job->robot, .w = b->w};
    for (int i = 0; i < INPUT_COUNT; i++) {
        if (!job->in[i]) continue;
        // inputs are only read: one type serves both ways
        c->reads[c->read_count++] =
            (transfer){(double *)(uintptr_t)job->in[i], at, job->in_rows[i]};
        c->in[i] = at;
        at += job->in_rows[i];
    }
    for (int i = 0; i < OUTPUT_COUNT; i++) {
        if (job->out_rows[i]) c->out[i] = b->out + job->out_at[i];
        if (job->out[i])
            c->writes[c->write_count++] = (transfer){job->out[i], c->out[i], job->out_rows[i]};
    }
    if (c->in[IN_f_ext]) c->f_ext = b->load;
}

// ---- blocks ----

static void block_run(const batch_job *job, void *memory, size_t first, size_t end, batch_look look,
                      void *context)
{
    static unsigned (*const all[])(const call *) = {
#define ALGORITHM(name) LANES_NAME(batch_run_##name),
        ARNE_BATCH_ALGORITHMS(ALGORITHM)
#undef ALGORITHM
    };
    call c;
    prepare(job, memory, &c);
    for (size_t b = first; b < end; b++) {
        const size_t at = b * LANES, count = job->count - at;
        for (int i = 0; i < c.read_count; i++)
            read_rows(&c.reads[i], job->stride, at, count);
        if (c.f_ext) read_loads(c.in[IN_f_ext], c.r->body_count, c.f_ext);
        const unsigned bad = all[job->algorithm](&c);
        for (int i = 0; i < c.write_count; i++)
            write_rows(&c.writes[i], job->stride, at, count);
        if (bad) look(context, b, bad);
    }
}

const batch_kernel LANES_NAME(batch_kernel) = {LANES, block_size, block_place, block_set_base,
                                               block_run};
