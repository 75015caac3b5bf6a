#include "report/stl_pack.h"

#include "io/mesh_hull.h"
#include "math/vectors.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 65535, PACKED_HEAD = 32 };

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

static int find_box(const arne_vec3 *at, size_t count, float low[3], float step[3])
{
    float high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++)
        low[k] = INFINITY;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            const float x = (float)component3(at[i], k);
            if (!isfinite(x)) return 0;
            low[k] = fminf(low[k], x);
            high[k] = fmaxf(high[k], x);
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

static unsigned char *stl_pack_pack(const arne_vec3 *at, size_t count, size_t *size)
{
    float          low[3], step[3];
    corner_set     set = {.mask = 1};
    unsigned char *out = NULL;
    if (!find_box(at, count, low, step)) return NULL;
    while (set.mask < 2 * count)
        set.mask = 2 * set.mask + 1;
    uint32_t *corner = malloc(count * sizeof *corner);
    set.place = malloc(3 * count * sizeof *set.place);
    set.slot = malloc((set.mask + 1) * sizeof *set.slot);
    if (corner && set.place && set.slot) {
        memset(set.slot, 0xff, (set.mask + 1) * sizeof *set.slot);
        for (size_t i = 0; i < count; i++) {
            uint16_t p[3];
            for (int k = 0; k < 3; k++) {
                const float off = (float)component3(at[i], k) - low[k];
                p[k] = (uint16_t)(step[k] > 0 ? fminf(STEPS, roundf(off / step[k])) : 0);
            }
            corner[i] = corner_of(&set, p);
        }
        out = write_packed(&set, corner, count / 3, low, step, size);
    }
    free(corner);
    free(set.place);
    free(set.slot);
    return out;
}

unsigned char *stl_pack(const unsigned char *bytes, size_t size, size_t *packed_size)
{
    arne_vec3     *at = NULL;
    int            count = 0;
    unsigned char *out = NULL;
    if (mesh_stl_corners((const char *)bytes, size, &at, &count) && count <= INT32_MAX / 16)
        out = stl_pack_pack(at, (size_t)count, packed_size);
    free(at);
    return out;
}
