// Results that are no numbers are no results.
#ifndef CLI_FINITE_H
#define CLI_FINITE_H

#include "quantities.h"

// An exit status: EXIT_DATA after a message, where an entry of the result is not finite, that names
// it and, where one is so large that it may have overflowed, the number that went in. `index` is
// the state's, of `count`.
int check_finite(const quantity *what, const request *ask, const state *at, int index, int count,
                 const result *found);

#endif
