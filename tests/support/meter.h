// Counts allocations, and refuses one of them. For programs that are linked with --wrap (see
// tests/CMakeLists.txt): every allocation of the library's own code passes through here, and with
// it the XML parser's, to which the reader hands malloc. The YAML parser calls malloc by itself;
// where no sanitiser owns malloc, this program's own stands before the C library's and sees that
// too. Included once in a program.
#ifndef TEST_METER_H
#define TEST_METER_H

#include <errno.h>
#include <stdlib.h>

typedef struct meter {
    int on;      // counting
    int taken;   // allocations since it was switched on
    int live;    // of these, not given back
    int refuse;  // the allocation to refuse, counted from 1; 0: none
    int refused; // how often that happened
} meter;

static meter now; // the hooks have no other way to know

// Says whether the next allocation is granted.
static int grant(void)
{
    if (!now.on) return 1;
    now.taken++;
    if (now.refuse != now.taken) return 1;
    now.refused++;
    errno = ENOMEM;
    return 0;
}

static void *granted(void *block)
{
    if (now.on && block) now.live++;
    return block;
}

static void given_back(const void *block)
{
    if (now.on && block) now.live--;
}

static void meter_start(int refuse)
{
    now = (meter){.refuse = refuse};
    now.on = 1;
}

static meter meter_stop(void)
{
    now.on = 0;
    return now;
}

// ---- the hooks ----

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITISED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITISED
#endif

// The names that --wrap and the C library want: not ours to choose.
// NOLINTBEGIN(bugprone-reserved-identifier)
//
// A set of functions, and one that counts before it hands on to another.
#define DECLARE(prefix)                                                                            \
    void *prefix##malloc(size_t size);                                                             \
    void *prefix##calloc(size_t count, size_t size);                                               \
    void *prefix##realloc(void *block, size_t size);                                               \
    void *prefix##aligned_alloc(size_t alignment, size_t size);                                    \
    int   prefix##posix_memalign(void **block, size_t alignment, size_t size);                     \
    void  prefix##free(void *block);

#define DEFINE(prefix, below, aligned)                                                             \
    void *prefix##malloc(size_t size) { return grant() ? granted(below##malloc(size)) : NULL; }    \
    void *prefix##calloc(size_t count, size_t size)                                                \
    {                                                                                              \
        return grant() ? granted(below##calloc(count, size)) : NULL;                               \
    }                                                                                              \
    void *prefix##realloc(void *block, size_t size)                                                \
    {                                                                                              \
        if (!grant()) return NULL;                                                                 \
        given_back(block);                                                                         \
        return granted(below##realloc(block, size));                                               \
    }                                                                                              \
    void *prefix##aligned_alloc(size_t alignment, size_t size)                                     \
    {                                                                                              \
        return grant() ? granted(aligned(alignment, size)) : NULL;                                 \
    }                                                                                              \
    int prefix##posix_memalign(void **block, size_t alignment, size_t size)                        \
    {                                                                                              \
        void *got = grant() ? granted(aligned(alignment, size)) : NULL;                            \
        if (got) *block = got;                                                                     \
        return got ? 0 : ENOMEM;                                                                   \
    }                                                                                              \
    void prefix##free(void *block)                                                                 \
    {                                                                                              \
        given_back(block);                                                                         \
        below##free(block);                                                                        \
    }

DECLARE(__wrap_)
#if defined(__GLIBC__) && !defined(SANITISED)
enum { SEES_ALL = 1 };               // malloc itself is ours, and what --wrap catches goes on to it
#pragma GCC visibility push(default) // or shared libraries would not find it
DECLARE()
#pragma GCC visibility pop
DECLARE(__libc_)
void *__libc_memalign(size_t alignment, size_t size);
DEFINE(, __libc_, __libc_memalign)
void *__wrap_malloc(size_t size) { return malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return calloc(count, size); }
void *__wrap_realloc(void *block, size_t size) { return realloc(block, size); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }
int   __wrap_posix_memalign(void **block, size_t alignment, size_t size)
{
    return posix_memalign(block, alignment, size);
}
void __wrap_free(void *block) { free(block); }
#else
enum { SEES_ALL = 0 };
DECLARE(__real_)
DEFINE(__wrap_, __real_, __real_aligned_alloc)
#endif
// NOLINTEND(bugprone-reserved-identifier)

#endif
