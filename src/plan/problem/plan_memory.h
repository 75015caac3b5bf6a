// Copies of arrays, and arrays that grow.
#ifndef ARNE_PLAN_PROBLEM_PLAN_MEMORY_H
#define ARNE_PLAN_PROBLEM_PLAN_MEMORY_H

#include <stdlib.h>
#include <string.h>

static inline void *plan_copy(const void *from, size_t count, size_t size)
{
    void *out = malloc((count ? count : 1) * size);
    if (out && from) memcpy(out, from, count * size);
    return out;
}

// Room for one more.
static inline int plan_grow(void **array, int count, int *room, size_t size)
{
    if (count < *room) return 1;
    const int wanted = *room ? 2 * *room : 8;
    void     *more = realloc(*array, (size_t)wanted * size);
    if (!more) return 0;
    *array = more;
    *room = wanted;
    return 1;
}

#endif
