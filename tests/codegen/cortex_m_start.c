// What runs before main on a bare Cortex-M7, and after it.
#include "cortex_m.h"

extern char stack_end[];
int         main(void);
void        start(void);

__attribute__((section(".vectors"), used)) static const void *const vectors[2] = {stack_end,
                                                                                  (void *)start};

long semihost(long operation, const void *argument)
{
    register long        r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void start(void)
{
    volatile unsigned long *access = (unsigned long *)0xe000ed88;
    *access |= 0xfUL << 20; // the floating-point unit is off at first
    __asm__ volatile("dsb\n isb");
    const long status[2] = {0x20026, main()}; // ADP_Stopped_ApplicationExit
    semihost(0x20, status);                   // SYS_EXIT_EXTENDED
    for (;;) {
    }
}

// The C library's maths sets this; there is one thread.
int *__errno(void);
int *__errno(void)
{
    static int number;
    return &number;
}
