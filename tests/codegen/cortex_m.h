// Calls to the machine that runs the program.
#ifndef TEST_CORTEX_M_H
#define TEST_CORTEX_M_H

long semihost(long operation, const void *argument);

#endif
