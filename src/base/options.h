// Options that can grow: every struct of options starts with its size, as the caller was compiled.
//
// A caller of an older release knows fewer fields, and the rest is zero. A caller of a newer one
// may know more: fields that are unknown here are refused if they are set. A size of zero is the
// one that the struct had in the first release with it, so that options need not be started with
// their size as long as no later field is wanted.
#ifndef ARNE_BASE_OPTIONS_H
#define ARNE_BASE_OPTIONS_H

#include "base/error.h"
#include <stddef.h>
#include <string.h>

// The size of a struct of options in the release in which it first appeared. There is none yet;
// when a field is added after one, this names the last field that was there: offsetof(type, field)
// + sizeof the field.
#define OPTIONS_FIRST(type) sizeof(type)

// Copies what the caller has set. Returns 0 where it has set something that we do not know.
static inline int options_take(void *own, size_t own_size, size_t first, const void *given)
{
    const unsigned char *bytes = (const unsigned char *)given;
    size_t               size;
    memcpy(&size, given, sizeof size);
    if (size == 0) size = first;
    for (size_t i = own_size; i < size; i++)
        if (bytes[i]) return 0;
    memset(own, 0, own_size);
    memcpy(own, given, size < own_size ? size : own_size);
    memcpy(own, &own_size, sizeof own_size); // the copy is as large as we know it, wherever it goes
    return 1;
}

static inline arne_status options_refuse(arne_error *error)
{
    return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                     "an option is set that only a later release of Arne knows");
}

#endif
