// Derivatives of a recording by its variables.
#ifndef ARNE_CODEGEN_TAPE_DERIVATIVE_H
#define ARNE_CODEGEN_TAPE_DERIVATIVE_H

#include "codegen/tape.h"

// A derivative that is zero whatever the variables are.
enum { TAPE_ZERO = -1 };

// out[i] is the derivative of results[i] by one variable, recorded on the same tape, or TAPE_ZERO.
// ARNE_NO_MEMORY.
ARNE_CHECKED arne_status tape_differentiate(tape *t, int variable, const tape_ref *results,
                                            int count, tape_ref *out);

#endif
