// Prints how many instructions one call of FUNCTION takes, from the system timer; see cortex_m.sh.
#include "cortex_m.h"
#include "robot.h"

enum { CALLS = 200, MOST = 64, ROUNDS = 100000 };

static TYPE input[3][MOST], output[MOST * MOST];

static void call(void)
{
#if INPUTS == 1
    FUNCTION(input[0], output);
#elif INPUTS == 2
    FUNCTION(input[0], input[1], output);
#else
    FUNCTION(input[0], input[1], input[2], output);
#endif
}

static unsigned long ticks(void) { return *(volatile unsigned long *)0xe000e018; }

static void print(unsigned long number)
{
    char text[16], *at = text + sizeof text - 1;
    *at = 0;
    *--at = '\n';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    semihost(0x04, at); // SYS_WRITE0
}

// A loop of two instructions, to know how long one takes.
static void known(unsigned long rounds)
{
    __asm__ volatile("1: subs %0, #1\n bne 1b" : "+r"(rounds) : : "cc");
}

int main(void)
{
    volatile unsigned long *timer = (unsigned long *)0xe000e010;
    for (int i = 0; i < MOST; i++)
        input[0][i] = input[1][i] = input[2][i] = (TYPE)0.1 * (TYPE)i + (TYPE)0.3;
    timer[1] = 0xffffff; // counts down from here
    timer[2] = 0;
    timer[0] = 5; // on, by the processor's clock
    while (ticks() == 0) {
    }
    const unsigned long start = ticks();
    known(ROUNDS);
    const unsigned long before = ticks();
    for (int i = 0; i < CALLS; i++)
        call();
    const unsigned long after = ticks();
    if (!(start > before && before > after)) return 1; // the timer has run out
    const unsigned long long known_ticks = start - before, call_ticks = before - after;
    print((unsigned long)(call_ticks * 2 * ROUNDS / known_ticks / CALLS));
    return 0;
}
