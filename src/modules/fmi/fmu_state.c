// The state of an instance as a list of numbers: its mode and time, all variables, and the state of
// the simulation. As bytes it has a word before it that tells it from others.
#include "fmu.h"

#include <arne/version.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1 };
static const char WORD[16] = "arne fmu state 1";

static void walk_fmu(fmu *f, checkpoint *c)
{
    int mode = (int)f->mode;
    checkpoint_int(c, &mode);
    if (mode <= 0 || mode > FMU_TERMINATED || (mode & (mode - 1))) c->bad = 1;
    f->mode = (fmu_mode)mode;
    checkpoint_int(c, &f->moved);
    checkpoint_int(c, &f->stale);
    checkpoint_int(c, &f->ended);
    double *const times[] = {&f->time, &f->start, &f->stop, &f->tolerance};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        checkpoint_numbers(c, times[i], 1);
    checkpoint_numbers(c, f->values, (size_t)f->model->count);
    checkpoint_numbers(c, f->x, (size_t)fmu_states(f));
}

// What tells the FMU, and whether there is a simulation.
static void walk_head(const fmu *f, checkpoint *c, int *built)
{
    checkpoint_same(c, FORMAT);
    checkpoint_same(c, f->exchange);
    checkpoint_same(c, f->model->count);
    unsigned sum = 0;
    for (const char *t = f->model->token; *t; t++)
        sum = 31 * sum + (unsigned char)*t;
    checkpoint_same(c, sum);
    checkpoint_int(c, built);
}

static void walk_simulation(fmu *f, checkpoint *c)
{
    const size_t size = arne_simulation_state_size(f->sim);
    checkpoint_same(c, (double)size);
    if (c->way == CHECKPOINT_SAVE) arne_simulation_state(f->sim, c->numbers + c->at);
    c->at += size;
    checkpoint_record(c, &f->record);
    checkpoint_int(c, &f->sampled);
    checkpoint_numbers(c, f->before, size);
}

fmu_status fmu_state_get(fmu *f, void **state)
{
    int        built = f->sim != NULL;
    checkpoint c = {.way = CHECKPOINT_COUNT};
    walk_head(f, &c, &built);
    walk_fmu(f, &c);
    if (built) walk_simulation(f, &c);
    fmu_state *s = *state; // one that is given is used again where it fits
    if (!s || s->count != c.at) {
        s = malloc(sizeof *s + c.at * sizeof *s->numbers);
        if (!s) return fmu_fail(f, "out of memory");
        free(*state);
    }
    s->count = c.at;
    c = (checkpoint){.way = CHECKPOINT_SAVE, .numbers = s->numbers, .count = s->count};
    walk_head(f, &c, &built);
    walk_fmu(f, &c);
    if (built) walk_simulation(f, &c);
    *state = s;
    return FMU_OK;
}

static arne_status load_simulation(fmu *f, checkpoint *c, arne_error *error)
{
    // Parameters are among the values. The start of the simulation does not matter.
    const int moved = f->moved;
    f->moved = 0;
    arne_status status = fmu_build(f, error);
    f->moved = moved;
    if (status) return status;
    const size_t size = arne_simulation_state_size(f->sim);
    checkpoint_same(c, (double)size);
    if (c->bad || size > c->count - c->at) return ARNE_VALUE;
    status = arne_simulation_set_state(f->sim, c->numbers + c->at, error);
    c->at += size;
    checkpoint_record(c, &f->record);
    checkpoint_int(c, &f->sampled);
    checkpoint_numbers(c, f->before, size);
    return status;
}

// Values that building the simulation changes are loaded again behind it.
static arne_status load(fmu *f, const fmu_state *s, arne_error *error)
{
    int        built = 0;
    checkpoint c = {
        .way = CHECKPOINT_LOAD, .numbers = (double *)(size_t)s->numbers, .count = s->count};
    walk_head(f, &c, &built);
    const size_t at = c.at;
    if (c.bad) return ARNE_VALUE;
    walk_fmu(f, &c);
    if (c.bad) return ARNE_VALUE;
    if (!built) return c.at == c.count ? ARNE_OK : ARNE_VALUE;
    const arne_status status = load_simulation(f, &c, error);
    if (status || c.bad || c.at != c.count) return status ? status : ARNE_VALUE;
    c.at = at;
    walk_fmu(f, &c);
    return ARNE_OK;
}

fmu_status fmu_state_set(fmu *f, const void *state)
{
    arne_error error = {0};
    void      *before = NULL;
    fmu_status kept = fmu_state_get(f, &before);
    if (kept) return kept;
    arne_status status = load(f, state, &error);
    if (status == ARNE_VALUE)
        arne_fail(&error, ARNE_VALUE, NULL, 0, "the numbers are not a state of this FMU");
    if (status) {
        arne_error ignored = {0};
        status = load(f, before, &ignored) ? status : status;
    }
    free(before);
    return fmu_pass(f, status, &error);
}

fmu_status fmu_state_size(const fmu *f, const void *state, size_t *size)
{
    const fmu_state *s = state;
    if (!s) return fmu_fail(f, "there is no state");
    *size = sizeof WORD + s->count * sizeof *s->numbers;
    return FMU_OK;
}

fmu_status fmu_state_write(const fmu *f, const void *state, void *bytes, size_t size)
{
    const fmu_state *s = state;
    size_t           needed = 0;
    const fmu_status status = fmu_state_size(f, state, &needed);
    if (status) return status;
    if (size != needed) return fmu_fail(f, "the state has %zu bytes, not %zu", needed, size);
    memcpy(bytes, WORD, sizeof WORD);
    memcpy((char *)bytes + sizeof WORD, s->numbers, s->count * sizeof *s->numbers);
    return FMU_OK;
}

fmu_status fmu_state_read(const fmu *f, const void *bytes, size_t size, void **state)
{
    const size_t rest = size - sizeof WORD;
    if (size < sizeof WORD || memcmp(bytes, WORD, sizeof WORD) != 0 || rest % sizeof(double) != 0)
        return fmu_fail(f, "the bytes are not a state of an FMU of Arne");
    fmu_state *s = malloc(sizeof *s + rest);
    if (!s) return fmu_fail(f, "out of memory");
    s->count = rest / sizeof(double);
    memcpy(s->numbers, (const char *)bytes + sizeof WORD, rest);
    free(*state);
    *state = s;
    return FMU_OK;
}
