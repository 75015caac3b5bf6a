// Runs any algorithm of the catalogue that has a text, in the arithmetic of the file that includes
// this.
#ifndef ARNE_ALGO_RUN_CALL_H
#define ARNE_ALGO_RUN_CALL_H

#include "algo/call.k.h"
#include <algorithm_texts.h> // every text of src/algo: CMakeLists.txt writes it

ARNE_TEXT unsigned run_call(int algorithm, const call *c)
{
    switch (algorithm) {
#define ARNE_ALGORITHM(identifier, ...)                                                            \
    case ARNE_ALGORITHM_##identifier:                                                              \
        return call_##identifier(c);
#include <arne/catalogue.def>
    default:
        return 0;
    }
}

#endif
