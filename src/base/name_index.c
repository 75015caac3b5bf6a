// Open addressing with linear steps; at most half of the slots are taken.
#include "base/name_index.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// FNV-1a, then a mix of the high bits into the low ones. The seed is an address, so that no file
// can be written to make all its names collide.
static uint64_t hash(const name_index *index, const char *name)
{
    uint64_t h = 0xcbf29ce484222325u ^ (uint64_t)(uintptr_t)index;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 0x100000001b3u;
    h = (h ^ (h >> 32)) * 0xbf58476d1ce4e5b9u;
    return h ^ (h >> 32);
}

// The slot that has this name, or the free one where it belongs.
static struct name_slot *name_index_slot_of(const name_index *index, const char *name)
{
    const size_t mask = (size_t)index->room - 1;
    size_t       i = (size_t)hash(index, name) & mask;
    while (index->slots[i].name && strcmp(index->slots[i].name, name) != 0)
        i = (i + 1) & mask;
    return &index->slots[i];
}

int name_index_find(const name_index *index, const char *name)
{
    if (!index->room) return -1;
    const struct name_slot *slot = name_index_slot_of(index, name);
    return slot->name ? slot->value : -1;
}

static int name_index_grow(name_index *index)
{
    const name_index  old = *index;
    const int         room = old.room ? 2 * old.room : 16;
    struct name_slot *slots = calloc((size_t)room, sizeof *slots);
    if (!slots) return 0;
    index->slots = slots;
    index->room = room;
    for (int i = 0; i < old.room; i++)
        if (old.slots[i].name) *name_index_slot_of(index, old.slots[i].name) = old.slots[i];
    free(old.slots);
    return 1;
}

int name_index_add(name_index *index, const char *name, int value)
{
    if (2 * (index->count + 1) > index->room && !name_index_grow(index)) return 0;
    struct name_slot *slot = name_index_slot_of(index, name);
    if (slot->name) return 1;
    *slot = (struct name_slot){name, value};
    index->count++;
    return 1;
}

void name_index_free(name_index *index)
{
    free(index->slots);
    *index = (name_index){0};
}
