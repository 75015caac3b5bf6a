#include "report/stl_pack.h"

#include "base/plain.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 84, FACET = 50, STEPS = 65535, PACKED_HEAD = 32 };

typedef struct soup {
    float *at; // nine numbers for each triangle
    size_t count;
} soup;

static uint32_t word_of(const unsigned char *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static float float_of(const unsigned char *b)
{
    const uint32_t word = word_of(b);
    float          value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static int stl_pack_is_binary(const unsigned char *bytes, size_t size)
{
    return size >= HEAD && size == HEAD + FACET * (size_t)word_of(bytes + 80);
}

static int stl_pack_read_binary(const unsigned char *bytes, soup *s)
{
    s->count = word_of(bytes + 80);
    s->at = malloc((9 * s->count + 1) * sizeof *s->at);
    if (!s->at) return 0;
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < 9; k++)
            s->at[9 * i + k] = float_of(bytes + HEAD + FACET * i + 12 + 4 * k);
    return 1;
}

// "vertex x y z" three times for each triangle; all other lines are ignored.
static int read_text(const char *text, soup *s)
{
    size_t corners = 0, room = 0;
    for (const char *at = strstr(text, "vertex"); at; at = strstr(at, "vertex")) {
        at += 6;
        if (corners == room) {
            room = 2 * room + 300;
            float *more = realloc(s->at, 3 * room * sizeof *more);
            if (!more) return 0;
            s->at = more;
        }
        for (int k = 0; k < 3; k++) {
            char *end;
            s->at[3 * corners + (size_t)k] = (float)plain_number(at, &end);
            if (end == at) return 0;
            at = end;
        }
        corners++;
    }
    s->count = corners / 3;
    return corners % 3 == 0;
}

// Hash table of corners by their places, with open addressing; -1: empty.
typedef struct corner_set {
    uint16_t *place;
    int32_t  *slot;
    size_t    count, mask;
} corner_set;

static uint32_t corner_of(corner_set *set, const uint16_t p[3])
{
    size_t i = ((size_t)p[0] * 73856093u ^ (size_t)p[1] * 19349663u ^ (size_t)p[2] * 83492791u);
    for (i &= set->mask; set->slot[i] >= 0; i = (i + 1) & set->mask)
        if (memcmp(set->place + 3 * (size_t)set->slot[i], p, 3 * sizeof *p) == 0)
            return (uint32_t)set->slot[i];
    memcpy(set->place + 3 * set->count, p, 3 * sizeof *p);
    set->slot[i] = (int32_t)set->count;
    return (uint32_t)set->count++;
}

static int find_box(const soup *s, float low[3], float step[3])
{
    float high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++)
        low[k] = INFINITY;
    for (size_t i = 0; i < 9 * s->count; i++) {
        if (!isfinite(s->at[i])) return 0;
        low[i % 3] = fminf(low[i % 3], s->at[i]);
        high[i % 3] = fmaxf(high[i % 3], s->at[i]);
    }
    for (int k = 0; k < 3; k++) {
        step[k] = (high[k] - low[k]) / STEPS;
        if (!isfinite(step[k])) return 0;
    }
    return 1;
}

static unsigned char *stl_pack_put_word(unsigned char *to, uint32_t word, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *to++ = (unsigned char)(word >> 8 * i);
    return to;
}

static unsigned char *put_float(unsigned char *to, float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return stl_pack_put_word(to, word, 4);
}

static unsigned char *write_packed(const corner_set *set, const uint32_t *corner, size_t triangles,
                                   const float low[3], const float step[3], size_t *size)
{
    const int wide = set->count > STEPS + 1 ? 4 : 2;
    *size = PACKED_HEAD + 6 * set->count + 3 * triangles * (size_t)wide;
    unsigned char *out = malloc(*size + 1), *to = out;
    if (!out) return NULL;
    to = stl_pack_put_word(to, (uint32_t)set->count, 4);
    to = stl_pack_put_word(to, (uint32_t)triangles, 4);
    for (int k = 0; k < 6; k++)
        to = put_float(to, k < 3 ? low[k] : step[k - 3]);
    for (size_t i = 0; i < 3 * set->count; i++)
        to = stl_pack_put_word(to, set->place[i], 2);
    for (size_t i = 0; i < 3 * triangles; i++)
        to = stl_pack_put_word(to, corner[i], wide);
    *to = 0;
    return out;
}

static unsigned char *stl_pack_pack(const soup *s, size_t *size)
{
    float          low[3], step[3];
    corner_set     set = {.mask = 1};
    unsigned char *out = NULL;
    if (!s->count || s->count > INT32_MAX / 16 || !find_box(s, low, step)) return NULL;
    while (set.mask < 6 * s->count)
        set.mask = 2 * set.mask + 1;
    uint32_t *corner = malloc(3 * s->count * sizeof *corner);
    set.place = malloc(9 * s->count * sizeof *set.place);
    set.slot = malloc((set.mask + 1) * sizeof *set.slot);
    if (corner && set.place && set.slot) {
        memset(set.slot, 0xff, (set.mask + 1) * sizeof *set.slot);
        for (size_t i = 0; i < 3 * s->count; i++) {
            uint16_t p[3];
            for (size_t k = 0; k < 3; k++) {
                const float off = s->at[3 * i + k] - low[k];
                p[k] = (uint16_t)(step[k] > 0 ? fminf(STEPS, roundf(off / step[k])) : 0);
            }
            corner[i] = corner_of(&set, p);
        }
        out = write_packed(&set, corner, s->count, low, step, size);
    }
    free(corner);
    free(set.place);
    free(set.slot);
    return out;
}

unsigned char *stl_pack(const unsigned char *bytes, size_t size, size_t *packed_size)
{
    soup           s = {0};
    unsigned char *out = NULL;
    const int      read = stl_pack_is_binary(bytes, size) ? stl_pack_read_binary(bytes, &s)
                                                          : read_text((const char *)bytes, &s);
    if (read) out = stl_pack_pack(&s, packed_size);
    free(s.at);
    return out;
}
