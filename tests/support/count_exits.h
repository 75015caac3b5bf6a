// Included before the sources of forked processes where coverage is counted (--coverage): what they
// counted is written when they end, which _exit alone does not do.
#ifndef TEST_COUNT_EXITS_H
#define TEST_COUNT_EXITS_H

extern void __gcov_dump(void);
extern void _exit(int code) __attribute__((noreturn));

static inline __attribute__((noreturn)) void count_and_exit(int code)
{
    __gcov_dump();
    _exit(code);
}
#define _exit(code) count_and_exit(code)

#endif
