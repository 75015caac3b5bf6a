// Finds a number by a name. All zero is an index with nothing in it.
#ifndef ARNE_BASE_NAME_INDEX_H
#define ARNE_BASE_NAME_INDEX_H

typedef struct name_index {
    struct name_slot {
        const char *name; // NULL: free
        int         value;
    } * slots;
    int room, count; // room is a power of two, or 0
} name_index;

// The value of a name; -1 where there is none.
int name_index_find(const name_index *index, const char *name);

// Adds a name, which must last as long as the index and which the index does not copy. Of equal
// names the first stays. Returns 0 where there is no memory, and then nothing has changed.
int name_index_add(name_index *index, const char *name, int value);

void name_index_free(name_index *index);

#endif
